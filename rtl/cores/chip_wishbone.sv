// SPDX-License-Identifier: MIT
// chip.sv with a Wishbone B4 master of 32 bits in place of its own port.
module chip_wishbone #(
    parameter  int HARTS        = 4,
    parameter  int SETS         = 16,
    parameter  int WAYS         = 2,
    parameter  int STORE_BUFFER = 4,
    parameter  bit IN_ORDER     = 1'b1,
    parameter  bit PIPELINED    = 1'b0,
    localparam int BLOCK_BYTES  = 16,
    localparam int LINE_BITS    = 8 * BLOCK_BYTES,
    localparam int ID_BITS      = $clog2(1 + 2 * HARTS)
) (
    input  logic                     clock,
    input  logic                     reset,
    input  logic [4:0]               error_select,
    input  logic [2:0]               stall,

    output logic                     wb_cyc,
    output logic                     wb_stb,
    output logic                     wb_we,
    output logic [31:0]              wb_adr,
    output logic [31:0]              wb_dat_w,
    output logic [3:0]               wb_sel,
    input  logic                     wb_stall,
    input  logic                     wb_ack,
    input  logic                     wb_err,
    input  logic [31:0]              wb_dat_r,

    output logic [HARTS-1:0]         retire_valid,
    output logic [HARTS-1:0][31:0]   retire_pc,
    output logic [HARTS-1:0][4:0]    retire_register,
    output logic [HARTS-1:0][31:0]   retire_value,
    output logic [HARTS-1:0]         commit_valid,
    output logic [HARTS-1:0][31:0]   commit_pc,
    output logic [HARTS-1:0][31:0]   commit_old
);
    logic                   request_valid, request_ready, request_write;
    logic                   response_valid, response_ready, response_error;
    logic [31:0]            request_address;
    logic [2:0]             request_size;
    logic [LINE_BITS-1:0]   request_data, response_data;
    logic [BLOCK_BYTES-1:0] request_strobe;
    logic [ID_BITS-1:0]     request_id, response_id;

    chip #(
        .HARTS(HARTS), .SETS(SETS), .WAYS(WAYS), .BLOCK_BYTES(BLOCK_BYTES),
        .STORE_BUFFER(STORE_BUFFER), .IN_ORDER(IN_ORDER)
    ) inner (
        .clock, .reset, .error_select, .stall,
        .request_valid, .request_ready, .request_write, .request_address, .request_size,
        .request_data, .request_strobe, .request_id,
        .response_valid, .response_ready, .response_error, .response_data, .response_id,
        .retire_valid, .retire_pc, .retire_register, .retire_value,
        .commit_valid, .commit_pc, .commit_old
    );

    native_to_wishbone #(.LINE_BYTES(BLOCK_BYTES), .ID_BITS(ID_BITS), .PIPELINED(PIPELINED)) bridge (
        .clock, .reset,
        .request_valid, .request_ready, .request_write, .request_address, .request_size,
        .request_data, .request_strobe, .request_id,
        .response_valid, .response_ready, .response_error, .response_data, .response_id,
        .wb_cyc, .wb_stb, .wb_we, .wb_adr, .wb_dat_w, .wb_sel, .wb_stall, .wb_ack,
        .wb_err, .wb_dat_r
    );
endmodule
