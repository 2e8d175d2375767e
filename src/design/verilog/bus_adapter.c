/* SPDX-License-Identifier: MIT */
/* What a design file says of a bus, and the signals that buses have: see verilog_file.h. */
#include "design/verilog/verilog_file.h"

#include <stdio.h>
#include <string.h>

#define NAME_OF(upper, lower) #lower,
const char *const duv_port_buses[] = {"none", DUV_EACH_BUS(NAME_OF) NULL};
const char *const duv_chip_buses[] = {"native", DUV_EACH_BUS(NAME_OF) NULL};

/* ---- Signals. What is not here is 0 in the design, unless its file says otherwise. */

#define TO(text, bits) .names = (text), .to_memory = true, .breadth = (bits)
#define FROM(text, bits) .names = (text), .breadth = (bits)
#define NEEDED .is_needed = true, .is_checked = true
#define CHECKED .is_checked = true
#define ONLY_CHECKED .is_checked = true, .is_only_checked = true
#define PIN .is_pin = true
#define NEEDED_PIN .is_pin = true, .is_needed_pin = true

static const duv_bus_signal axi4[] = {
    {TO("arvalid", 1), NEEDED, NEEDED_PIN},
    {FROM("arready", 1), NEEDED, NEEDED_PIN},
    {TO("arid", DUV_BUS_ID), CHECKED, PIN},
    {TO("araddr", DUV_BUS_ADDRESS), NEEDED, NEEDED_PIN},
    {TO("arlen", 8), CHECKED, PIN},
    {TO("arsize", 3), CHECKED, PIN},
    {TO("arburst", 2), CHECKED, PIN},
    {TO("arlock", DUV_BUS_LOCK), CHECKED, PIN},
    {FROM("rvalid", 1), NEEDED, NEEDED_PIN},
    {TO("rready", 1), NEEDED, NEEDED_PIN},
    {FROM("rid", DUV_BUS_ID), CHECKED, PIN},
    {FROM("rdata", DUV_BUS_DATA), NEEDED, NEEDED_PIN},
    {FROM("rresp", 2), CHECKED, PIN},
    {FROM("rlast", 1), ONLY_CHECKED, .otherwise = "1'b1", PIN},
    {TO("awvalid", 1), NEEDED, PIN},
    {FROM("awready", 1), NEEDED, PIN},
    {TO("awid", DUV_BUS_ID), CHECKED, PIN},
    {TO("awaddr", DUV_BUS_ADDRESS), NEEDED, PIN},
    {TO("awlen", 8), CHECKED, PIN},
    {TO("awsize", 3), CHECKED, PIN},
    {TO("awburst", 2), CHECKED, PIN},
    {TO("awlock", DUV_BUS_LOCK), CHECKED, PIN},
    {TO("awatop", 6), CHECKED},
    {TO("wvalid", 1), NEEDED, PIN},
    {FROM("wready", 1), NEEDED, PIN},
    {TO("wdata", DUV_BUS_DATA), NEEDED, PIN},
    {TO("wstrb", DUV_BUS_STROBE), NEEDED, PIN},
    {TO("wlast", 1), CHECKED},
    {FROM("bvalid", 1), NEEDED, PIN},
    {TO("bready", 1), NEEDED, PIN},
    {FROM("bid", DUV_BUS_ID), CHECKED, PIN},
    {FROM("bresp", 2), CHECKED, PIN},
    {FROM("acvalid", 1), CHECKED},
    {TO("acready", 1), CHECKED},
    {FROM("acaddr", DUV_BUS_ADDRESS), CHECKED},
    {FROM("acsnoop", 4), CHECKED},
    {TO("crvalid", 1), CHECKED},
    {FROM("crready", 1), CHECKED},
    {TO("rack", 1)},
    {TO("wack", 1)},
    {.names = NULL},
};

static const duv_bus_signal tilelink[] = {
    {TO("a_valid", 1), NEEDED, NEEDED_PIN},
    {FROM("a_ready", 1), NEEDED, NEEDED_PIN},
    {TO("a_opcode a_bits_opcode", 3), NEEDED, NEEDED_PIN},
    {TO("a_param a_bits_param", 3), PIN},
    {TO("a_size a_bits_size", DUV_BUS_SIZE), NEEDED, NEEDED_PIN},
    {TO("a_source a_bits_source", DUV_BUS_ID), CHECKED, PIN},
    {TO("a_address a_bits_address", DUV_BUS_ADDRESS), NEEDED, NEEDED_PIN},
    {TO("a_data a_bits_data", DUV_BUS_DATA), .is_needed = true, NEEDED_PIN},
    {TO("a_mask a_bits_mask", DUV_BUS_STROBE), NEEDED, NEEDED_PIN},
    {FROM("d_valid", 1), NEEDED, NEEDED_PIN},
    {TO("d_ready", 1), NEEDED, NEEDED_PIN},
    {FROM("d_opcode d_bits_opcode", 3), NEEDED, NEEDED_PIN},
    {FROM("d_size d_bits_size", DUV_BUS_SIZE), .is_needed = true, ONLY_CHECKED, NEEDED_PIN},
    {FROM("d_source d_bits_source", DUV_BUS_ID), CHECKED, PIN},
    {FROM("d_data d_bits_data", DUV_BUS_DATA), .is_needed = true, NEEDED_PIN},
    {FROM("d_denied d_bits_denied", 1), PIN},
    {FROM("d_corrupt d_bits_corrupt", 1)},
    {.names = NULL},
};

static const duv_bus_signal wishbone[] = {
    {TO("cyc", 1), NEEDED, NEEDED_PIN},
    {TO("stb", 1), NEEDED, NEEDED_PIN},
    {TO("we", 1), NEEDED, PIN},
    {TO("adr addr", DUV_BUS_ADDRESS), NEEDED, NEEDED_PIN},
    {TO("dat_w dat_i dat_o data_i data_o dat_mosi data", DUV_BUS_DATA), NEEDED, PIN},
    {TO("sel", DUV_BUS_STROBE), NEEDED, PIN},
    {TO("lock", 1), CHECKED},
    {FROM("dat_r dat_o dat_i data_o data_i dat_miso data", DUV_BUS_DATA), .is_needed = true,
     NEEDED_PIN},
    {FROM("ack", 1), NEEDED, NEEDED_PIN},
    {FROM("err", 1), CHECKED, PIN},
    {FROM("rty", 1), CHECKED},
    {FROM("stall", 1), CHECKED, PIN},
    {.names = NULL},
};

static const duv_bus_signal ahb[] = {
    {TO("hwrite", 1), NEEDED, NEEDED_PIN},
    {TO("hsel hselx", 1)},
    {TO("htrans", 2), NEEDED, NEEDED_PIN},
    {TO("haddr", DUV_BUS_ADDRESS), NEEDED, NEEDED_PIN},
    {TO("hsize", 3), NEEDED, NEEDED_PIN},
    {TO("hburst", 3), CHECKED},
    {TO("hmastlock", 1), CHECKED},
    {TO("hwdata", DUV_BUS_DATA), NEEDED, NEEDED_PIN},
    {TO("hwstrb", DUV_BUS_STROBE), CHECKED, PIN},
    {TO("hreadyin hready hready_in", 1)},
    {FROM("hready hreadyout hready_out", 1), NEEDED, NEEDED_PIN},
    {FROM("hresp", 1), CHECKED, PIN},
    {FROM("hrdata", DUV_BUS_DATA), .is_needed = true, NEEDED_PIN},
    {.names = NULL},
};

static const duv_bus_signal apb[] = {
    {TO("psel pselx", 1), NEEDED, NEEDED_PIN},
    {TO("penable", 1), NEEDED, NEEDED_PIN},
    {TO("pwrite", 1), NEEDED, NEEDED_PIN},
    {TO("paddr", DUV_BUS_ADDRESS), NEEDED, NEEDED_PIN},
    {TO("pwdata", DUV_BUS_DATA), NEEDED, NEEDED_PIN},
    {TO("pstrb", DUV_BUS_STROBE), CHECKED, PIN},
    {FROM("pready", 1), CHECKED, .otherwise = "1'b1", NEEDED_PIN},
    {FROM("prdata", DUV_BUS_DATA), .is_needed = true, NEEDED_PIN},
    {FROM("pslverr", 1), PIN},
    {.names = NULL},
};

static const duv_bus_signal obi[] = {
    {TO("req", 1), NEEDED, NEEDED_PIN},
    {FROM("gnt", 1), NEEDED, NEEDED_PIN},
    {TO("addr", DUV_BUS_ADDRESS), NEEDED, NEEDED_PIN},
    {TO("we", 1), NEEDED, PIN},
    {TO("be", DUV_BUS_STROBE), NEEDED, PIN},
    {TO("wdata", DUV_BUS_DATA), NEEDED, PIN},
    {TO("aid id", DUV_BUS_ID), CHECKED, PIN},
    {TO("atop", 6), CHECKED, PIN},
    {FROM("rvalid", 1), NEEDED, NEEDED_PIN},
    {TO("rready", 1), CHECKED, .otherwise = "1'b1", PIN},
    {FROM("rdata", DUV_BUS_DATA), NEEDED, NEEDED_PIN},
    {FROM("err", 1), CHECKED, PIN},
    {FROM("rid", DUV_BUS_ID), ONLY_CHECKED, PIN},
    {.names = NULL},
};

static const duv_bus_signal native[] = {
    {TO("request_valid", 1), NEEDED_PIN},
    {FROM("request_ready", 1), NEEDED_PIN},
    {TO("request_write", 1), PIN},
    {TO("request_address", DUV_BUS_ADDRESS), NEEDED_PIN},
    {TO("request_data", DUV_BUS_DATA), PIN},
    {TO("request_strobe", DUV_BUS_STROBE), PIN},
    {TO("request_id", DUV_BUS_ID), PIN},
    {FROM("response_valid", 1), NEEDED_PIN},
    {TO("response_ready", 1), PIN},
    {FROM("response_error", 1), PIN},
    {FROM("response_data", DUV_BUS_DATA), NEEDED_PIN},
    {FROM("response_id", DUV_BUS_ID), PIN},
    {.names = NULL},
};

const duv_bus_signal *duv_bus_signals(duv_bus bus) {
#define SIGNALS_OF(upper, lower) [DUV_##upper] = (lower),
    static const duv_bus_signal *const all[] = {[DUV_NATIVE] = native, DUV_EACH_BUS(SIGNALS_OF)};
    return all[bus];
}

bool duv_bus_is(const duv_bus_signal *signal, const char *word) {
    const size_t length = strlen(word);
    return strcspn(signal->names, " ") == length && strncmp(signal->names, word, length) == 0;
}

/* ---- Reading. */

const char *const duv_bus_bursts[] = {"none", "incr", "all", NULL};
const char *const duv_bus_addresses[] = {"bytes", "words", NULL};
const char *const duv_true_false[] = {"true", "false", NULL};

/* Letters, digits and _, and one group of #. */
static bool is_pattern(const char *text) {
    if (text == NULL || strlen(text) >= DUV_PATTERN || (text[0] >= '0' && text[0] <= '9'))
        return false;
    const char *rest = text + strspn(text, DUV_LETTERS);
    const size_t digits = strspn(rest, "#");
    return digits <= 2 && rest[digits + strspn(rest + digits, DUV_LETTERS)] == '\0';
}

static col_status take_pattern(base_yaml *yaml, const base_yaml_node *node, const char *what,
                               duv_pattern *pattern) {
    const char *text = base_yaml_scalar(node);
    if (!is_pattern(text))
        return base_yaml_refuse(
            yaml, node,
            "%s has letters, digits and _, and # or ## for the number of the port, not '%.60s'",
            what, text == NULL ? "something else" : text);
    (void)snprintf(pattern->text, sizeof pattern->text, "%s", text);
    pattern->place = base_yaml_place(yaml, node);
    return COL_OK;
}

col_status duv_adapter_read_prefix(const base_entry *entry, void *prefix) {
    return take_pattern(entry->yaml, entry->value, "a prefix", prefix);
}

col_status duv_adapter_read_signal(const base_entry *entry, void *target) {
    duv_adapter *adapter = &((duv_verilog_file *)target)->adapter;
    if (adapter->renamed_count == DUV_MOST_RENAMED)
        return base_refuse_key(entry, "there are at most %d signals", DUV_MOST_RENAMED);
    duv_renamed *renamed = &adapter->renamed[adapter->renamed_count++];
    const char *word = base_entry_name(entry);
    (void)snprintf(renamed->signal.text, sizeof renamed->signal.text, "%s",
                   word == NULL ? "" : word);
    renamed->signal.place = base_yaml_place(entry->yaml, entry->key);
    return take_pattern(entry->yaml, entry->value, "a signal", &renamed->name);
}

/* ---- Does it fit? */

static bool has_signal(duv_bus bus, const char *word) {
    for (const duv_bus_signal *s = duv_bus_signals(bus); s->names != NULL; s++)
        if (bus != DUV_NATIVE && duv_bus_is(s, word))
            return true;
    return false;
}

static col_status refuse_signal(const duv_verilog_file *f, const char *word, base_place place,
                                col_problem *problem) {
    const duv_bus bus = f->adapter.bus;
    return DUV_REFUSE_AT(f, place, problem, "%s has no signal '%.60s'",
                         bus == DUV_NATIVE ? "the port" : duv_port_buses[bus], word);
}

col_status duv_adapter_check(const duv_verilog_file *f, col_problem *problem) {
    const duv_adapter *a = &f->adapter;
    const bool is_wishbone = a->bus == DUV_WISHBONE, is_any = a->bus != DUV_NATIVE;
    const bool has_ids = a->bus == DUV_AXI4 || a->bus == DUV_TILELINK || a->bus == DUV_OBI;
    const struct {
        base_place place;
        const char *key;
        bool fits;
        const char *needs;
    } keys[] = {
        {a->prefix.place, "prefix", is_any, "a bus"},
        {a->check_place, "check", is_any, "a bus"},
        {a->ids_place, "ids", has_ids, "the bus axi4, tilelink or obi"},
        {a->bursts_place, "bursts", a->bus == DUV_AXI4 || a->bus == DUV_AHB, "the bus axi4 or ahb"},
        {a->exclusive_place, "exclusive", a->bus == DUV_AXI4, "the bus axi4"},
        {a->extra_place, "extra", is_any && a->bus != DUV_AXI4 && a->bus != DUV_TILELINK,
         "the bus wishbone, ahb, apb or obi"},
        {a->pipelined_place, "pipelined", is_wishbone, "the bus wishbone"},
        {a->addresses_place, "addresses", is_wishbone, "the bus wishbone"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].place.line != 0 && !keys[i].fits)
            return DUV_REFUSE_AT(f, keys[i].place, problem, "%s needs %s", keys[i].key,
                                 keys[i].needs);
    if (is_any && f->agents.tells_commits)
        return DUV_REFUSE_AT(f, a->place, problem, "the bus %s does not report commits",
                             duv_port_buses[a->bus]);
    for (uint32_t i = 0; i < a->renamed_count; i++)
        if (!has_signal(a->bus, a->renamed[i].signal.text))
            return refuse_signal(f, a->renamed[i].signal.text, a->renamed[i].signal.place, problem);
    for (uint32_t s = 0; s < DUV_PORT_SIGNALS && a->bus != DUV_NATIVE; s++)
        if (f->signals[s].place.line != 0)
            return refuse_signal(f, duv_port_signals[s].word, f->signals[s].place, problem);
    return COL_OK;
}

/* ---- Sources. */

col_status duv_adapter_source(const duv_adapter *adapter, uint32_t source, char *path, size_t size,
                              col_problem *problem) {
    static const base_library_place place = {.variable = "COLLIDER_ADAPTERS",
                                             .source = COLLIDER_SOURCE_ADAPTERS,
                                             .kind = "rtl/adapters"};
    static const char *const files[DUV_ADAPTER_SOURCES] = {
        "collider_adapter_package.sv", "collider_under_way.sv",  "collider_offer_checker.sv",
        "collider_in_order.sv",        "collider_%s_adapter.sv", "collider_%s_checker.sv"};
    char name[64];
    const char *parameter = strstr(files[source], "%s");
    (void)snprintf(name, sizeof name, "%.*s%s%s",
                   parameter == NULL ? (int)sizeof name : (int)(parameter - files[source]),
                   files[source], parameter == NULL ? "" : duv_port_buses[adapter->bus],
                   parameter == NULL ? "" : parameter + 2);
    if (base_library_find_file(&place, name, path, size))
        return COL_OK;
    return base_fail(
        problem,
        "the adapter %s is not installed; COLLIDER_ADAPTERS may name the folder that has it", name);
}
