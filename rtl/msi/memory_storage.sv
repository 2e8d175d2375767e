// SPDX-License-Identifier: MIT
// The blocks of memory, with a window for the host.
module memory_storage #(
    parameter  int BLOCK_BITS  = 28,
    parameter  int BLOCK_BYTES = 16,
    parameter  int BLOCKS      = 4096,   // higher bits of a block's number are not looked at
    localparam int LINE_BITS   = 8 * BLOCK_BYTES,
    localparam int HOST_BITS   = $clog2(BLOCKS * BLOCK_BYTES / 4)
) (
    input  logic                  clock,
    input  logic [BLOCK_BITS-1:0] block,
    output logic [LINE_BITS-1:0]  line,
    input  logic                  arrives,
    input  logic [BLOCK_BITS-1:0] arrived_block,
    input  logic [LINE_BITS-1:0]  arrived_line,

    input  logic                  host_write,
    input  logic [HOST_BITS-1:0]  host_address,   // in words of 4 bytes
    input  logic [31:0]           host_data,
    output logic [31:0]           host_word
);
    localparam int INDEX_BITS  = $clog2(BLOCKS);
    localparam int OFFSET_BITS = $clog2(BLOCK_BYTES);
    localparam int SHIFT_BITS  = $clog2(LINE_BITS);

    logic [LINE_BITS-1:0]  storage[BLOCKS];
    logic [INDEX_BITS-1:0] host_index;
    logic [SHIFT_BITS-1:0] host_shift;

    assign line       = storage[block[INDEX_BITS-1:0]];
    assign host_index = host_address[OFFSET_BITS-2+:INDEX_BITS];
    assign host_shift = {host_address[OFFSET_BITS-3:0], 5'b0};
    assign host_word  = storage[host_index][host_shift+:32];

    always_ff @(posedge clock)
        if (arrives) storage[arrived_block[INDEX_BITS-1:0]] <= arrived_line;
        else if (host_write) storage[host_index][host_shift+:32] <= host_data;

    initial for (int i = 0; i < BLOCKS; i++) storage[i] = '0;

    logic unused;
    assign unused = &{1'b0, block, arrived_block};
endmodule
