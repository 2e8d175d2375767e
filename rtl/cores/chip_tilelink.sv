// SPDX-License-Identifier: MIT
// chip.sv with a TileLink (UH) master of 64 bits in place of its own port.
module chip_tilelink #(
    parameter  int HARTS        = 4,
    parameter  int SETS         = 16,
    parameter  int WAYS         = 2,
    parameter  int STORE_BUFFER = 4,
    parameter  bit IN_ORDER     = 1'b1,
    localparam int BLOCK_BYTES  = 16,
    localparam int LINE_BITS    = 8 * BLOCK_BYTES,
    localparam int ID_BITS      = $clog2(1 + 2 * HARTS)
) (
    input  logic                     clock,
    input  logic                     reset,
    input  logic [4:0]               error_select,
    input  logic [2:0]               stall,

    output logic                     tl_a_valid,
    input  logic                     tl_a_ready,
    output logic [2:0]               tl_a_opcode,
    output logic [2:0]               tl_a_param,
    output logic [2:0]               tl_a_size,
    output logic [ID_BITS-1:0]       tl_a_source,
    output logic [31:0]              tl_a_address,
    output logic [7:0]               tl_a_mask,
    output logic [63:0]              tl_a_data,
    input  logic                     tl_d_valid,
    output logic                     tl_d_ready,
    input  logic [2:0]               tl_d_opcode,
    input  logic [2:0]               tl_d_size,
    input  logic [ID_BITS-1:0]       tl_d_source,
    input  logic                     tl_d_denied,
    input  logic [63:0]              tl_d_data,

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

    native_to_tilelink #(.LINE_BYTES(BLOCK_BYTES), .ID_BITS(ID_BITS)) bridge (
        .clock, .reset,
        .request_valid, .request_ready, .request_write, .request_address, .request_size,
        .request_data, .request_strobe, .request_id,
        .response_valid, .response_ready, .response_error, .response_data, .response_id,
        .tl_a_valid, .tl_a_ready, .tl_a_opcode, .tl_a_param, .tl_a_size, .tl_a_source,
        .tl_a_address, .tl_a_mask, .tl_a_data, .tl_d_valid, .tl_d_ready, .tl_d_opcode,
        .tl_d_size, .tl_d_source, .tl_d_denied, .tl_d_data
    );
endmodule
