// SPDX-License-Identifier: MIT
// A request that the directory has taken up. No other request for the same block is, until this one
// is done: the requester has said that it has its grant, so nothing can overtake that.
module transaction
    import directory_package::*;
#(
    parameter  int CACHES      = 4,
    parameter  int BLOCK_BITS  = 28,
    parameter  int LINE_BITS   = 128,
    parameter  int LATENCY     = 4,
    localparam int NUMBER_BITS = $clog2(CACHES)
) (
    input  logic                   clock,
    input  logic                   reset,
    input  error_t                 error_select,
    input  logic                   stall,

    input  logic                   start,
    input  logic [BLOCK_BITS-1:0]  start_block,
    input  logic [NUMBER_BITS-1:0] start_requester,
    input  caches_t                start_called,
    input  message_t               start_call,
    input  message_t               start_grant,
    input  logic [LINE_BITS-1:0]   start_data,
    output logic                   busy,
    output logic [BLOCK_BITS-1:0]  block,

    // Answers for this block.
    input  logic                   ack,
    input  logic                   data,
    input  logic [LINE_BITS-1:0]   data_line,
    input  logic                   done,

    output logic                   send_valid,
    output message_t               send_message,
    output logic [NUMBER_BITS-1:0] send_target,
    output logic [LINE_BITS-1:0]   send_data,
    input  logic                   send_granted
);
    localparam int DELAY_BITS = $clog2(LATENCY + 2);
    localparam int COUNT_BITS = $clog2(CACHES + 1);

    typedef enum logic [2:0] { IDLE, READING, CALLING, COLLECTING, GRANTING, FINISHING } progress_t;

    progress_t              progress;
    logic [NUMBER_BITS-1:0] requester, next_called;
    caches_t                called;
    logic [COUNT_BITS-1:0]  missing;
    message_t               call, grant;
    logic [LINE_BITS-1:0]   line;
    logic [DELAY_BITS-1:0]  delay;
    logic                   waits_for_answers, answered, enough;

    assign busy              = progress != IDLE;
    assign waits_for_answers = progress == CALLING || progress == COLLECTING;
    assign answered          = waits_for_answers && (ack || data);
    assign enough            = missing == '0 || (error_select == ACK_MISCOUNTED
                                                 && call == INVALIDATE && missing == COUNT_BITS'(1));

    always_comb begin
        next_called = '0;
        for (int i = CACHES - 1; i >= 0; i--)   // the lowest bit
            if (called[i]) next_called = NUMBER_BITS'(i);
    end

    assign send_valid   = progress == CALLING || progress == GRANTING;
    assign send_message = progress == CALLING ? call : grant;
    assign send_target  = progress == CALLING ? next_called : requester;
    assign send_data    = line;

    always_ff @(posedge clock) begin
        if (delay != '0) delay <= delay - 1'b1;
        if (answered) missing <= missing - 1'b1;
        if (data && waits_for_answers) line <= data_line;
        case (progress)
            READING: if (delay == '0 && !stall) progress <= called != '0 ? CALLING : GRANTING;
            CALLING:
                if (send_granted) begin
                    called <= called & (called - 1'b1);
                    if ((called & (called - 1'b1)) == '0) progress <= COLLECTING;
                end
            COLLECTING: if (enough) progress <= GRANTING;
            GRANTING:
                if (send_granted)
                    progress <= grant == PUT_ACK || error_select == DONE_NOT_AWAITED ? IDLE : FINISHING;
            FINISHING: if (done) progress <= IDLE;
            default: ;
        endcase
        if (start) begin
            progress  <= READING;
            block     <= start_block;
            requester <= start_requester;
            called    <= start_called;
            missing   <= COUNT_BITS'($countones(start_called));
            call      <= start_call;
            grant     <= start_grant;
            line      <= start_data;
            delay     <= DELAY_BITS'(LATENCY);
        end
        if (reset) progress <= IDLE;
    end
endmodule
