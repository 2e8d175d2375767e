// SPDX-License-Identifier: MIT
// A Wishbone memory system to try the adapter on: one memory, or with CACHES the caches of rtl/msi,
// with three ports whose signals have a prefix each.
module wishbone_system #(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  bit PIPELINED    = 1'b0,
    parameter  bit CACHES       = 1'b0,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,
    input  logic [3:0]              error_select,
    input  logic [2:0]              stall,

    input  logic                    wb0_cyc_i, wb1_cyc_i, wb2_cyc_i,
    input  logic                    wb0_stb_i, wb1_stb_i, wb2_stb_i,
    input  logic                    wb0_we_i, wb1_we_i, wb2_we_i,
    input  logic                    wb0_lock_i, wb1_lock_i, wb2_lock_i,
    input  logic [ADDRESS_BITS-1:0] wb0_adr_i, wb1_adr_i, wb2_adr_i,
    input  logic [BUS_BITS-1:0]     wb0_dat_i, wb1_dat_i, wb2_dat_i,
    input  logic [BUS_BYTES-1:0]    wb0_sel_i, wb1_sel_i, wb2_sel_i,
    output logic [BUS_BITS-1:0]     wb0_dat_o, wb1_dat_o, wb2_dat_o,
    output logic                    wb0_ack_o, wb1_ack_o, wb2_ack_o,
    output logic                    wb0_err_o, wb1_err_o, wb2_err_o,
    output logic                    wb0_rty_o, wb1_rty_o, wb2_rty_o,
    output logic                    wb0_stall_o, wb1_stall_o, wb2_stall_o
);
    localparam int PORTS     = 3;
    localparam int DATA_BITS = BUS_BITS < 64 ? BUS_BITS : 64;
    localparam int TAG_BITS  = 8;

    localparam logic [3:0] IGNORES_LOCK = 4'd9;

    logic [PORTS-1:0]                   request_valid, request_ready, response_valid, response_ready;
    logic [PORTS-1:0][3:0]              request_operation;
    logic [PORTS-1:0][1:0]              request_width;
    logic [PORTS-1:0][ADDRESS_BITS-1:0] request_address, invalidate_address;
    logic [PORTS-1:0][DATA_BITS-1:0]    request_data, response_data;
    logic [PORTS-1:0][TAG_BITS-1:0]     request_tag;
    logic [PORTS-1:0]                   invalidate_valid, locked;
    logic                               unused;

    logic [PORTS-1:0]                   cyc, stb, we, lock, ack, err, rty, stalls;
    logic [PORTS-1:0][ADDRESS_BITS-1:0] adr;
    logic [PORTS-1:0][BUS_BITS-1:0]     dat_w, dat_r;
    logic [PORTS-1:0][BUS_BYTES-1:0]    sel;

    assign cyc    = {wb2_cyc_i, wb1_cyc_i, wb0_cyc_i};
    assign stb    = {wb2_stb_i, wb1_stb_i, wb0_stb_i};
    assign we     = {wb2_we_i, wb1_we_i, wb0_we_i};
    assign lock   = {wb2_lock_i, wb1_lock_i, wb0_lock_i};
    assign adr    = {wb2_adr_i, wb1_adr_i, wb0_adr_i};
    assign dat_w  = {wb2_dat_i, wb1_dat_i, wb0_dat_i};
    assign sel    = {wb2_sel_i, wb1_sel_i, wb0_sel_i};
    assign {wb2_dat_o, wb1_dat_o, wb0_dat_o}       = dat_r;
    assign {wb2_ack_o, wb1_ack_o, wb0_ack_o}       = ack;
    assign {wb2_err_o, wb1_err_o, wb0_err_o}       = err;
    assign {wb2_rty_o, wb1_rty_o, wb0_rty_o}       = rty;
    assign {wb2_stall_o, wb1_stall_o, wb0_stall_o} = stalls;

    assign locked = error_select == IGNORES_LOCK ? '0 : cyc & lock;
    assign unused = &{1'b0, invalidate_valid, invalidate_address};

    for (genvar p = 0; p < PORTS; p++) begin : ports
        wishbone_front #(
            .ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .PIPELINED(PIPELINED),
            .TAG_BITS(TAG_BITS)
        ) front (
            .clock, .reset, .error_select, .cyc(cyc[p]), .stb(stb[p]), .we(we[p]), .adr(adr[p]),
            .dat_w(dat_w[p]), .sel(sel[p]), .dat_r(dat_r[p]), .ack(ack[p]), .err(err[p]),
            .rty(rty[p]), .stall(stalls[p]),
            .request_valid(request_valid[p]), .request_ready(request_ready[p]),
            .request_operation(request_operation[p]), .request_width(request_width[p]),
            .request_address(request_address[p]), .request_data(request_data[p]),
            .request_tag(request_tag[p]), .response_valid(response_valid[p]),
            .response_ready(response_ready[p]), .response_data(response_data[p])
        );
    end

    bus_memory #(
        .PORTS(PORTS), .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .TAG_BITS(TAG_BITS),
        .CACHES(CACHES)
    ) memory (
        .clock, .reset, .stall, .locked, .request_valid, .request_ready, .request_operation,
        .request_width, .request_address, .request_data, .request_tag, .response_valid,
        .response_ready, .response_data, .invalidate_valid, .invalidate_address
    );
endmodule
