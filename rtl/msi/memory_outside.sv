// SPDX-License-Identifier: MIT
// Memory that is somewhere else. Blocks that caches send wait in a queue until they are written, and
// all of them are before a block is read, so whatever is outside may take its time.
module memory_outside
    import msi_package::*;
#(
    parameter  int BLOCK_BITS = 28,
    parameter  int LINE_BITS  = 128,
    parameter  int MOST       = 8,   // blocks that may have to wait: a power of two
    localparam int COUNT_BITS = $clog2(MOST + 1)
) (
    input  logic                  clock,
    input  logic                  reset,
    input  error_t                error_select,

    input  logic                  wanted,       // stays until the line is taken
    input  logic [BLOCK_BITS-1:0] block,
    input  logic                  taken,
    output logic                  given,
    output logic [LINE_BITS-1:0]  given_line,
    output logic [COUNT_BITS-1:0] late,         // blocks that are not written yet

    input  logic                  arrives,
    input  logic [BLOCK_BITS-1:0] arrived_block,
    input  logic [LINE_BITS-1:0]  arrived_line,

    output logic                  outside_valid,
    input  logic                  outside_ready,
    output logic                  outside_write,
    output logic [BLOCK_BITS-1:0] outside_block,
    output logic [LINE_BITS-1:0]  outside_line,
    input  logic                  answer_valid,
    input  logic [LINE_BITS-1:0]  answer_line
);
    typedef enum logic [1:0] { IDLE, ASKING, WAITING } step_t;
    step_t step;
    logic  has_write, written, crowded;

    assign written       = step == WAITING && answer_valid && outside_write;
    assign outside_valid = step == ASKING;

    fifo #(.WIDTH(BLOCK_BITS + LINE_BITS), .DEPTH(2 * MOST)) writes (
        .clock, .reset, .push(arrives), .push_item({arrived_block, arrived_line}),
        .pop(written), .valid(has_write), .item({write_block, outside_line}), .crowded
    );
    logic [BLOCK_BITS-1:0] write_block;
    assign outside_block = outside_write ? write_block : block;

    always_ff @(posedge clock) begin
        case (step)
            IDLE:
                if (has_write || (wanted && !given)) begin
                    step          <= ASKING;
                    outside_write <= has_write;
                end
            ASKING:  if (outside_ready) step <= WAITING;
            default: if (answer_valid) step <= IDLE;
        endcase
        if (step == WAITING && answer_valid && !outside_write) begin
            given      <= 1'b1;
            given_line <= answer_line;
            // The first beats of a line alone, if one of its set arrives: an error to select.
            if (error_select == STALE_BEAT && arrives && arrived_block[1:0] == block[1:0])
                given_line[LINE_BITS-1:LINE_BITS/2] <= given_line[LINE_BITS-1:LINE_BITS/2];
        end else if (taken) given <= 1'b0;
        if (reset) begin
            step  <= IDLE;
            given <= 1'b0;
            late  <= '0;
        end else late <= late + COUNT_BITS'(arrives) - COUNT_BITS'(written);
    end

    logic unused;
    assign unused = &{1'b0, crowded};
endmodule
