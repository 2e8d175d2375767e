// SPDX-License-Identifier: MIT
// chip_wishbone.sv with a manager of AHB, APB or OBI of 32 bits in place of its own: that of the
// prefix that a design file names, by BUS.
module chip_in_order #(
    parameter  int HARTS        = 4,
    parameter  int SETS         = 16,
    parameter  int WAYS         = 2,
    parameter  int STORE_BUFFER = 4,
    parameter  bit IN_ORDER     = 1'b1,
    parameter  int BUS          = 0             // AHB, APB, OBI
) (
    input  logic                   clock,
    input  logic                   reset,
    input  logic [4:0]             error_select,
    input  logic [2:0]             stall,

    output logic                   ahb_hwrite,
    output logic [1:0]             ahb_htrans,
    output logic [31:0]            ahb_haddr,
    output logic [2:0]             ahb_hsize,
    output logic [31:0]            ahb_hwdata,
    output logic [3:0]             ahb_hwstrb,
    input  logic                   ahb_hready,
    input  logic                   ahb_hresp,
    input  logic [31:0]            ahb_hrdata,

    output logic                   apb_psel,
    output logic                   apb_penable,
    output logic                   apb_pwrite,
    output logic [31:0]            apb_paddr,
    output logic [31:0]            apb_pwdata,
    output logic [3:0]             apb_pstrb,
    input  logic                   apb_pready,
    input  logic [31:0]            apb_prdata,
    input  logic                   apb_pslverr,

    output logic                   obi_req,
    input  logic                   obi_gnt,
    output logic [31:0]            obi_addr,
    output logic                   obi_we,
    output logic [3:0]             obi_be,
    output logic [31:0]            obi_wdata,
    input  logic                   obi_rvalid,
    input  logic [31:0]            obi_rdata,
    input  logic                   obi_err,

    output logic [HARTS-1:0]       retire_valid,
    output logic [HARTS-1:0][31:0] retire_pc,
    output logic [HARTS-1:0][4:0]  retire_register,
    output logic [HARTS-1:0][31:0] retire_value,
    output logic [HARTS-1:0]       commit_valid,
    output logic [HARTS-1:0][31:0] commit_pc,
    output logic [HARTS-1:0][31:0] commit_old
);
    localparam int AHB = 0;
    localparam int APB = 1;
    localparam int OBI = 2;

    logic        cyc, stb, we, stalls, answers, fails, has_data, unused;
    logic [31:0] address, written, read;
    logic [3:0]  strobe;

    chip_wishbone #(
        .HARTS(HARTS), .SETS(SETS), .WAYS(WAYS), .STORE_BUFFER(STORE_BUFFER), .IN_ORDER(IN_ORDER),
        .PIPELINED(BUS != APB)
    ) inner (
        .clock, .reset, .error_select, .stall, .wb_cyc(cyc), .wb_stb(stb), .wb_we(we),
        .wb_adr(address), .wb_dat_w(written), .wb_sel(strobe), .wb_stall(stalls),
        .wb_ack(answers && !fails), .wb_err(answers && fails), .wb_dat_r(read),
        .retire_valid, .retire_pc, .retire_register, .retire_value,
        .commit_valid, .commit_pc, .commit_old
    );

    assign unused  = &{1'b0, cyc};
    assign stalls  = BUS == AHB ? !ahb_hready : BUS == OBI && !obi_gnt;
    assign answers = BUS == AHB ? has_data && ahb_hready
                   : BUS == APB ? apb_penable && apb_pready : obi_rvalid;
    assign fails   = BUS == AHB ? ahb_hresp : BUS == APB ? apb_pslverr : obi_err;
    assign read    = BUS == AHB ? ahb_hrdata : BUS == APB ? apb_prdata : obi_rdata;

    assign ahb_hwrite = we;
    assign ahb_htrans = BUS == AHB && stb ? 2'b10 : 2'b00;
    assign ahb_haddr  = address;
    assign ahb_hsize  = 3'd2;

    assign apb_psel   = BUS == APB && stb;
    assign apb_pwrite = we;
    assign apb_paddr  = address;
    assign apb_pwdata = written;
    assign apb_pstrb  = we ? strobe : '0;

    assign obi_req    = BUS == OBI && stb;
    assign obi_addr   = address;
    assign obi_we     = we;
    assign obi_be     = strobe;
    assign obi_wdata  = written;

    always_ff @(posedge clock) begin
        apb_penable <= apb_psel && !answers && !reset;
        if (reset)
            has_data <= 1'b0;
        else if (ahb_hready) begin
            has_data   <= ahb_htrans[1];
            ahb_hwdata <= written;
            ahb_hwstrb <= strobe;
        end
    end
endmodule
