/* SPDX-License-Identifier: MIT */
/*
 * Design files whose ports speak a bus, and the top module that they become, without Verilator:
 * what it says of the user's top module is written down here. tests/rtl/adapters.sh runs the
 * result.
 */
#include "design/verilog/verilog_build.h"

#include "base/file.h"

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char before[] = "kind: verilog\nsources: [a.sv]\ntop: thing\nclock: clk\nreset: rst\n";

/* What Verilator says of two packed AXI4 ports, without identifiers and snoops. */
#define AXI4_LITE(prefix)                                                                          \
    "VL_IN8(&clk,0,0);\nVL_IN8(&rst,0,0);\nVL_IN8(&" prefix "arvalid,1,0);\n"                      \
    "VL_OUT8(&" prefix "arready,1,0);\nVL_IN64(&" prefix "araddr,31,0);\n"                         \
    "VL_OUT8(&" prefix "rvalid,1,0);\nVL_IN8(&" prefix "rready,1,0);\n"                            \
    "VL_OUT64(&" prefix "rdata,63,0);\nVL_OUT8(&" prefix "rresp,3,0);\n"                           \
    "VL_IN8(&" prefix "awvalid,1,0);\nVL_OUT8(&" prefix "awready,1,0);\n"                          \
    "VL_IN64(&" prefix "awaddr,31,0);\nVL_IN8(&" prefix "wvalid,1,0);\n"                           \
    "VL_OUT8(&" prefix "wready,1,0);\nVL_IN64(&" prefix "wdata,63,0);\n"                           \
    "VL_IN8(&" prefix "wstrb,7,0);\nVL_OUT8(&" prefix "bvalid,1,0);\n"                             \
    "VL_IN8(&" prefix "bready,1,0);\n"

/* And of one AHB port, and one OBI port. */
#define AHB                                                                                        \
    "VL_IN8(&clk,0,0);\nVL_IN8(&rst,0,0);\nVL_IN8(&S_HSEL,0,0);\nVL_IN8(&S_HWRITE,0,0);\n"         \
    "VL_IN8(&S_HTRANS,1,0);\nVL_IN8(&S_HSIZE,2,0);\nVL_IN(&S_HADDR,15,0);\n"                       \
    "VL_IN64(&S_HWDATA,63,0);\nVL_IN8(&S_HREADY,0,0);\nVL_OUT8(&S_HREADYOUT,0,0);\n"               \
    "VL_OUT8(&S_HRESP,1,0);\nVL_OUT64(&S_HRDATA,63,0);\n"
#define OBI                                                                                        \
    "VL_IN8(&clk,0,0);\nVL_IN8(&rst,0,0);\nVL_IN8(&data_req_i,0,0);\nVL_OUT8(&data_gnt_o,0,0);\n"  \
    "VL_IN(&data_addr_i,31,0);\nVL_IN8(&data_we_i,0,0);\nVL_IN8(&data_be_i,3,0);\n"                \
    "VL_IN(&data_wdata_i,31,0);\nVL_OUT8(&data_rvalid_o,0,0);\nVL_OUT(&data_rdata_o,31,0);\n"

#define WISHBONE(prefix)                                                                           \
    "VL_IN8(&" prefix "cyc_i,0,0);\nVL_IN8(&" prefix "stb_i,0,0);\nVL_IN8(&" prefix "we_i,0,0);\n" \
    "VL_IN(&" prefix "adr_i,11,0);\nVL_IN(&" prefix "dat_i,31,0);\n"                               \
    "VL_IN8(&" prefix "sel_i,3,0);\nVL_OUT(&" prefix "dat_o,31,0);\n"                              \
    "VL_OUT8(&" prefix "ack_o,0,0);\n"

static col_status make(const char *rest, const char *header, duv_verilog_file *file,
                       base_text *source, col_problem *problem) {
    static duv_signals signals;
    base_text text = {0};
    base_text_print(&text, "%s%s", before, rest);
    col_status status = duv_verilog_file_parse(file, text.data, text.length, "thing.yaml", problem);
    duv_signals_read(&signals, header);
    if (status == COL_OK)
        status = duv_adapter_top(file, &signals, source, problem);
    base_text_free(&text);
    return status;
}

/* ---- What it becomes. */

static const struct {
    const char *rest, *header;
    uint32_t ports, address_bits, data_bits;
    bool takes_atomics;
    const char *parts[4]; /* of the module */
} good[] = {
    {"parameters: {SIZE: 3, NAME: word}\nports: {bus: axi4, prefix: s_axi_}\n",
     AXI4_LITE("s_axi_") "VL_IN8(&other,3,0);\n",
     2,
     16,
     32,
     false,
     {".SIZE(3),\n        .NAME(\"word\")", ".s_axi_araddr(collider_araddr)", ".other('0)",
      ".rresp(collider_rresp[p])"}},
    {"ports: {bus: axi4, check: false}\ninputs: {other: 5}\n",
     AXI4_LITE("") "VL_IN8(&other,3,0);\n",
     2,
     16,
     32,
     false,
     {"input logic [3:0] other", ".other(other)", "output logic [1:0][31:0] collider_response_data",
      ".arid()"}},
    {"ports: {bus: wishbone, prefix: wb#_}\n",
     "VL_IN8(&clk,0,0);\nVL_IN8(&rst,0,0);\n" WISHBONE("wb1_") WISHBONE("wb2_"),
     2,
     12,
     32,
     false,
     {".wb1_cyc_i(collider_cyc[0])", ".wb2_dat_o(collider_dat_r[1])", ".PIPELINED(1'b0)",
      ".stall('0)"}},
    {"ports: {bus: wishbone, prefix: s##_, addresses: words, pipelined: true}\n",
     "VL_IN8(&clk,0,0);\nVL_IN8(&rst,0,0);\n" WISHBONE("S00_") "VL_IN8(&s00_lock_i,0,0);\n",
     1,
     14,
     32,
     true,
     {".S00_cyc_i(collider_cyc[0])", ".ADDRESS_BITS(14)", ".PIPELINED(1'b1)", ".WORDS(1'b1)"}},
    {"ports: {bus: wishbone, signals: {cyc: c__yc, ack: done}}\n",
     "VL_IN8(&clk,0,0);\nVL_IN8(&rst,0,0);\nVL_IN8((&c___05Fyc)[3],0,0);\n"
     "VL_IN8((&stb)[3],0,0);\nVL_IN8((&we)[3],0,0);\nVL_IN((&adr)[3],11,0);\n"
     "VL_INW((&dat_w)[3],127,0,4);\nVL_IN16((&sel)[3],15,0);\nVL_OUTW((&dat_r)[3],127,0,4);\n"
     "VL_OUT8((&done)[3],0,0);\nVL_OUT8((&stall)[3],0,0);\n",
     3,
     12,
     64,
     false,
     {".c__yc(collider_cyc)", ".done(collider_ack)", "logic [127:0] collider_dat_w [3];",
      ".PIPELINED(1'b1)"}},
    {"ports: {bus: ahb, prefix: s_}\n",
     AHB "VL_IN8(&S_HBURST,2,0);\n",
     1,
     16,
     64,
     false,
     {".S_HREADY(collider_hreadyin)", ".S_HREADYOUT(collider_hready)",
      ".BURSTS(2), .BURST_BYTES(64), .STROBES(1'b0)", ".hresp(collider_hresp[p][0:0])"}},
    {"ports: {bus: obi, prefix: data_, extra: false}\n",
     OBI "VL_IN8(&data_atop_i,5,0);\n",
     1,
     32,
     32,
     true,
     {".data_req_i(collider_req)", ".HAS_ID(1'b0)", ".STALLS(1'b0), .EXTRA(1'b0)", ".rid('0)"}},
};

TEST(a_top_module_connects_every_port) {
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        static duv_verilog_file file;
        base_text source = {0};
        col_problem problem = {0};
        if (make(good[i].rest, good[i].header, &file, &source, &problem) != COL_OK)
            fail_msg("%s: %u:%u: %s", good[i].rest, problem.line, problem.column, problem.message);
        assert_int_equal(file.count, good[i].ports);
        assert_int_equal(file.address_bits, good[i].address_bits);
        assert_int_equal(file.data_bits, good[i].data_bits);
        assert_int_equal(file.takes_atomics, good[i].takes_atomics);
        assert_string_equal(file.top.text, "collider");
        const char *text = source.data == NULL ? "" : source.data;
        for (size_t part = 0; part < 4; part++)
            if (strstr(text, good[i].parts[part]) == NULL)
                fail_msg("no %s in\n%s", good[i].parts[part], text);
        base_text_free(&source);
        duv_verilog_file_free(&file);
    }
}

/* ---- Faults: one sentence, with a place in the file. */

static const struct {
    const char *rest, *header, *message;
    uint32_t line, column;
} faults[] = {
    {"ports: {bus: axi5}\n", "", "bus", 6, 14},
    {"ports: {prefix: s_}\n", "", "prefix needs a bus", 6, 17},
    {"ports: {bus: axi4, pipelined: true}\n", "", "pipelined needs the bus wishbone", 6, 31},
    {"ports: {bus: wishbone, ids: 3}\n", "", "ids needs the bus axi4, tilelink or obi", 6, 29},
    {"ports: {bus: wishbone, addresses: bits}\n", "", "addresses", 6, 35},
    {"ports: {bus: tilelink, bursts: incr}\n", "", "bursts needs the bus axi4 or ahb", 6, 32},
    {"ports: {bus: axi4, bursts: incr}\n", AXI4_LITE(""), "the module thing has no input 'arlen'",
     6, 14},
    {"ports: {bus: axi4, exclusive: true}\n", AXI4_LITE(""),
     "the module thing has no input 'arlock'", 6, 14},
    {"ports: {bus: axi4, extra: false}\n", "", "extra needs the bus wishbone, ahb, apb or obi", 6,
     27},
    {"ports: {bus: ahb, prefix: s_, atomics: true}\n", AHB,
     "the module thing has no input 's_hmastlock'", 6, 27},
    {"ports: {bus: axi4, prefix: a-b}\n", "", "a prefix has letters, digits and _", 6, 28},
    {"ports: {bus: axi4, prefix: a###b}\n", "", "a prefix has letters", 6, 28},
    {"ports: {signals: {arvalid: x}}\n", "", "the port has no signal 'arvalid'", 6, 19},
    {"ports: {bus: axi4, signals: {cyc: x}}\n", "", "axi4 has no signal 'cyc'", 6, 30},
    {"ports: {bus: axi4, signals: {request_valid: x}}\n", "", "axi4 has no signal 'request_valid'",
     6, 45},
    {"ports: {bus: axi4, commit: true}\n", "", "the bus axi4 does not report commits", 6, 14},
    {"ports: {bus: axi4}\n", "VL_IN8(&clk,0,0);\nVL_IN8(&rst,0,0);\n",
     "the module thing has no input 'arvalid'; it has clk, rst", 6, 14},
    {"ports:\n  bus: axi4\n  prefix: port#_\n", AXI4_LITE("s_axi_"),
     "the module thing has no input 'port0_arvalid'; it has clk, rst, s_axi_arvalid", 8, 11},
    {"ports: {bus: axi4, signals: {rresp: r_resp}}\n", AXI4_LITE(""),
     "the module thing has no output 'r_resp'", 6, 37},
    {"ports: {bus: axi4, signals: {rresp: r#}}\n", AXI4_LITE(""),
     "either all names have a # for the number of the port, or none", 6, 37},
    {"ports: {bus: axi4, count: 3}\n", AXI4_LITE(""), "the module thing has 2 ports; see count", 6,
     1},
    {"ports: {bus: axi4, data-bits: 64}\n", AXI4_LITE(""),
     "the data of a port has 32 bits; see data-bits", 6, 1},
    {"ports: {bus: axi4, atomics: true}\n", AXI4_LITE(""), "the module thing has no input 'awatop'",
     6, 14},
    {"ports: {bus: axi4, invalidate: true}\n", AXI4_LITE(""),
     "the module thing has no output 'acvalid'", 6, 14},
    {"ports: {bus: axi4}\n", AXI4_LITE("") "VL_IN8(&arsize,3,0);\n",
     "the signal arsize of thing has 2 bits for a port, not 3", 6, 14},
    {"ports: {bus: axi4}\n", AXI4_LITE("") "VL_IN8(&arsize,6,0);\n",
     "the signal arsize of thing is not divided evenly by 2 ports", 6, 14},
    {"ports: {bus: axi4}\n", AXI4_LITE("") "VL_IN8((&arsize)[2],2,0);\n",
     "the signal arsize of thing is not divided evenly by 2 ports", 6, 14},
    {"ports: {bus: axi4}\n", AXI4_LITE("") "VL_IN8(&arid,7,0);\nVL_OUT8(&bid,5,0);\n",
     "the signal bid of thing has 3 bits for a port, not 4", 6, 14},
    {"ports: {bus: axi4}\ninputs:\n  wstrb: 3\n", AXI4_LITE(""),
     "the input wstrb belongs to the ports", 8, 3},
    {"ports: {bus: axi4}\ninputs:\n  arcache: 3\n", AXI4_LITE(""),
     "the module thing has no input 'arcache'", 8, 3},
    {"ports: {bus: wishbone, prefix: w#_}\n",
     "VL_IN8(&clk,0,0);\nVL_IN8(&rst,0,0);\n" WISHBONE("w0_") "VL_IN8(&w1_cyc_i,0,0);\n",
     "the module thing has no input 'w1_stb'", 6, 32},
    {"ports: {bus: wishbone, invalidate: true, prefix: w_}\n",
     "VL_IN8(&clk,0,0);\nVL_IN8(&rst,0,0);\n" WISHBONE("w_"),
     "the bus wishbone does not report invalidations", 6, 14},
    {"ports: {bus: wishbone, prefix: w_}\n", "VL_IN8(&clk,0,0);\n" WISHBONE("w_"),
     "the module thing has no input 'rst'", 5, 8},
};

TEST(faults_have_a_place_and_a_sentence) {
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        static duv_verilog_file file;
        base_text source = {0};
        col_problem problem = {0};
        assert_int_equal(make(faults[i].rest, faults[i].header, &file, &source, &problem),
                         COL_BAD_INPUT);
        if (strstr(problem.message, faults[i].message) == NULL || problem.line != faults[i].line ||
            problem.column != faults[i].column)
            fail_msg("%s: %u:%u: %s", faults[i].rest, problem.line, problem.column,
                     problem.message);
        base_text_free(&source);
        duv_verilog_file_free(&file);
    }
}

/* ---- Sources. */

TEST(sources_are_found_in_the_folder_that_is_named_first) {
    const duv_adapter adapter = {.bus = DUV_TILELINK};
    char folder[] = "/tmp/collider-adapters-XXXXXX", own[128], path[512];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(own, sizeof own, "%s/collider_under_way.sv", folder);
    assert_int_equal(base_file_write(own, "", 0, NULL), COL_OK);
    assert_int_equal(setenv("COLLIDER_ADAPTERS", folder, 1), 0);
    for (uint32_t i = 0; i < DUV_ADAPTER_SOURCES; i++) {
        assert_int_equal(duv_adapter_source(&adapter, i, path, sizeof path, NULL), COL_OK);
        assert_int_equal(strcmp(path, own) == 0, i == 1);
    }
    assert_non_null(strstr(path, "rtl/adapters/collider_tilelink_checker.sv"));
    assert_int_equal(unsetenv("COLLIDER_ADAPTERS"), 0);
    assert_int_equal(remove(own), 0);
    assert_int_equal(remove(folder), 0);
}
