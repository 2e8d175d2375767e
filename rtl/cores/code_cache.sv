// SPDX-License-Identifier: MIT
// The code of one hart: a direct-mapped cache that nobody else's writes reach. What it does not have
// is asked for while the hart waits.
module code_cache #(
    parameter  int SETS        = 64,   // a power of two
    parameter  int BLOCK_BYTES = 16,
    localparam int OFFSET_BITS = $clog2(BLOCK_BYTES),
    localparam int INDEX_BITS  = $clog2(SETS),
    localparam int TAG_BITS    = 32 - OFFSET_BITS - INDEX_BITS,
    localparam int LINE_BITS   = 8 * BLOCK_BYTES
) (
    input  logic                 clock,
    input  logic                 reset,

    input  logic                 fetches,
    input  logic [31:0]          fetch_address,
    output logic                 fetch_ready,
    output logic [31:0]          fetched,

    output logic                 fill_valid,     // stays until it is taken
    input  logic                 fill_ready,
    output logic [31:0]          fill_address,
    input  logic                 filled,
    input  logic [LINE_BITS-1:0] filled_line
);
    logic [LINE_BITS-1:0]  lines[SETS];
    logic [TAG_BITS-1:0]   tags[SETS];
    logic [SETS-1:0]       present;
    logic [INDEX_BITS-1:0] index;
    logic [TAG_BITS-1:0]   tag;
    logic                  waits;   // for a line that was asked for

    assign index        = fetch_address[OFFSET_BITS+:INDEX_BITS];
    assign tag          = fetch_address[31-:TAG_BITS];
    assign fetch_ready  = present[index] && tags[index] == tag;
    assign fill_valid   = fetches && !fetch_ready && !waits;
    assign fill_address = {fetch_address[31:OFFSET_BITS], OFFSET_BITS'(0)};

    always_ff @(posedge clock) begin
        if (fetches) fetched <= lines[index][{fetch_address[OFFSET_BITS-1:2], 5'b0}+:32];
        if (filled) begin
            lines[index] <= filled_line;
            tags[index]  <= tag;
        end
        if (reset) begin
            present <= '0;
            waits   <= 1'b0;
        end else begin
            if (filled) present[index] <= 1'b1;
            if (fill_valid && fill_ready) waits <= 1'b1;
            else if (filled) waits <= 1'b0;
        end
    end

    logic unused;
    assign unused = &{1'b0, fetch_address};
endmodule
