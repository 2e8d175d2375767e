// SPDX-License-Identifier: MIT
// One transaction of an L1: a request that has to be sent, and then to be answered.
module request
    import directory_package::*;
(
    input  logic     clock,
    input  logic     reset,
    input  logic     start,
    input  message_t start_message,
    output logic     idle,
    output logic     asks,
    output message_t message,
    input  logic     sent,
    input  logic     answered
);
    typedef enum logic [1:0] { IDLE, ASKING, WAITING } progress_t;
    progress_t progress;

    assign idle = progress == IDLE;
    assign asks = progress == ASKING;

    always_ff @(posedge clock) begin
        if (start) message <= start_message;
        if (reset) progress <= IDLE;
        else
            case (progress)
                IDLE:    if (start) progress <= ASKING;
                ASKING:  if (sent) progress <= WAITING;
                default: if (answered) progress <= IDLE;
            endcase
    end
endmodule
