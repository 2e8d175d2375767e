// SPDX-License-Identifier: MIT
// One transaction of a cache: its address phase, which has to be granted the bus and is then seen
// by all, us included; and, if it asked for a block, the data. A write-back ends when it is seen.
module channel
    import msi_package::*;
#(
    parameter int BLOCK_BITS = 28
) (
    input  logic                  clock,
    input  logic                  reset,

    input  logic                  start,
    input  phase_t                start_phase,
    input  logic [BLOCK_BITS-1:0] start_block,
    output logic                  idle,

    output logic                  request_valid,
    output phase_t                request_phase,
    output logic [BLOCK_BITS-1:0] request_block,
    input  logic                  request_granted,

    input  logic                  seen,      // our address phase is on the bus
    input  logic                  answered   // our data is
);
    typedef enum logic [1:0] { IDLE, ASKING, GRANTED, WAITING } progress_t;
    progress_t progress;

    assign idle          = progress == IDLE;
    assign request_valid = progress == ASKING;

    always_ff @(posedge clock) begin
        if (reset) progress <= IDLE;
        else
            case (progress)
                IDLE:    if (start) progress <= ASKING;
                ASKING:  if (request_granted) progress <= GRANTED;
                GRANTED: if (seen) progress <= request_phase == PUT_M ? IDLE : WAITING;
                WAITING: if (answered) progress <= IDLE;
            endcase
        if (start) begin
            request_phase <= start_phase;
            request_block <= start_block;
        end
    end
endmodule
