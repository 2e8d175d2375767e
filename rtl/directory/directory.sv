// SPDX-License-Identifier: MIT
// The directory, and memory behind it. Requests wait in a pool until their block has no transaction
// under way and there is a free one; the first that can is taken up.
module directory
    import directory_package::*;
#(
    parameter  int CACHES       = 4,
    parameter  int TRANSACTIONS = 4,
    parameter  int ADDRESS_BITS = 32,
    parameter  int BLOCK_BYTES  = 16,
    parameter  int BLOCKS       = 4096,
    parameter  int LATENCY      = 4,
    localparam int BLOCK_BITS   = ADDRESS_BITS - $clog2(BLOCK_BYTES),
    localparam int LINE_BITS    = 8 * BLOCK_BYTES,
    localparam int NUMBER_BITS  = $clog2(CACHES),
    localparam int HOST_BITS    = $clog2(BLOCKS * BLOCK_BYTES / 4)
) (
    input  logic                                     clock,
    input  logic                                     reset,
    input  error_t                                   error_select,
    input  logic                                     stall,

    input  logic                                     in_valid,
    input  message_t                                 in_message,
    input  logic [BLOCK_BITS-1:0]                    in_block,
    input  logic [NUMBER_BITS-1:0]                   in_from,
    input  logic                                     in_dirty,
    input  logic [LINE_BITS-1:0]                     in_data,

    output logic     [TRANSACTIONS-1:0]                  out_valid,
    output message_t [TRANSACTIONS-1:0]                  out_message,
    output logic     [TRANSACTIONS-1:0][BLOCK_BITS-1:0]  out_block,
    output logic     [TRANSACTIONS-1:0][NUMBER_BITS-1:0] out_target,
    output logic     [TRANSACTIONS-1:0][LINE_BITS-1:0]   out_data,
    input  logic     [TRANSACTIONS-1:0]                  out_granted,

    // The host's window into memory, while reset is on or nothing is under way.
    input  logic                                     host_write,
    input  logic [HOST_BITS-1:0]                     host_address,   // in words of 4 bytes
    input  logic [31:0]                              host_data,
    output logic [31:0]                              host_word
);
    localparam int INDEX_BITS  = $clog2(BLOCKS);
    localparam int OFFSET_BITS = $clog2(BLOCK_BYTES);
    localparam int SHIFT_BITS  = $clog2(LINE_BITS);
    localparam int REQUESTS    = 2 * CACHES;   // each L1 has two under way at most
    localparam int PLACE_BITS  = $clog2(REQUESTS);

    typedef logic [BLOCK_BITS-1:0] block_t;

    // ---- Requests that wait.

    typedef struct packed {
        message_t               message;
        block_t                 block;
        logic [NUMBER_BITS-1:0] from;
        logic                   is_dirty;
        logic [LINE_BITS-1:0]   data;
    } request_t;

    logic [REQUESTS-1:0]     waits;
    request_t                requests[REQUESTS];
    logic [PLACE_BITS-1:0]   free_place, chosen;
    logic                    is_request, takes_up;
    logic [TRANSACTIONS-1:0] busy, starts;
    block_t                  busy_block[TRANSACTIONS];

    assign is_request = in_valid && (in_message == GET_S || in_message == GET_M || in_message == PUT);

    function automatic logic is_blocked(block_t block);
        is_blocked = 1'b0;
        for (int t = 0; t < TRANSACTIONS; t++)
            if (busy[t] && busy_block[t] == block) is_blocked = 1'b1;
    endfunction

    always_comb begin
        free_place = '0;
        chosen     = '0;
        takes_up   = 1'b0;
        for (int i = REQUESTS - 1; i >= 0; i--) begin
            if (!waits[i]) free_place = PLACE_BITS'(i);
            if (waits[i] && !is_blocked(requests[i].block)) begin
                chosen   = PLACE_BITS'(i);
                takes_up = 1'b1;
            end
        end
        if (busy == '1 || data_arrives) takes_up = 1'b0;   // memory is written by one at a time
        starts = '0;
        for (int t = TRANSACTIONS - 1; t >= 0; t--)
            if (!busy[t]) starts = TRANSACTIONS'(takes_up) << t;
    end

    always_ff @(posedge clock) begin
        if (takes_up) waits[chosen] <= 1'b0;
        if (is_request) begin
            waits[free_place]    <= 1'b1;
            requests[free_place] <= '{message: in_message, block: in_block, from: in_from,
                                      is_dirty: in_dirty, data: in_data};
        end
        if (reset) waits <= '0;
    end

    // ---- Who has what.

    request_t              request;
    logic [INDEX_BITS-1:0] index;
    logic [BLOCKS-1:0]     known;   // has been asked for since the reset
    holders_t              holders[BLOCKS];
    caches_t               members[BLOCKS];
    holders_t              next_holders;
    caches_t               next_members, called;
    message_t              call, grant;
    logic                  takes_data, ack_arrives, data_arrives, done_arrives;

    assign request      = requests[chosen];
    assign index        = request.block[INDEX_BITS-1:0];
    assign ack_arrives  = in_valid && in_message == ACK;
    assign data_arrives = in_valid && in_message == DATA;
    assign done_arrives = in_valid && in_message == DONE;

    directory_controller controller (
        .clock, .error_select, .request_valid(takes_up), .request(request.message),
        .requester(caches_t'(1) << request.from), .holders(known[index] ? holders[index] : Uncached),
        .members(known[index] ? members[index] : '0),
        .next_holders, .next_members, .called, .call, .grant, .takes_data,
        .ack_arrives, .data_arrives, .done_arrives
    );

    always_ff @(posedge clock) begin
        if (takes_up) begin
            holders[index] <= next_holders;
            members[index] <= next_members;
        end
        if (reset) known <= '0;
        else if (takes_up) known[index] <= 1'b1;
    end

    // ---- Memory.

    logic [LINE_BITS-1:0]  storage[BLOCKS];
    logic [INDEX_BITS-1:0] host_index;
    logic [SHIFT_BITS-1:0] host_shift;
    assign host_index = host_address[OFFSET_BITS-2+:INDEX_BITS];
    assign host_shift = {host_address[OFFSET_BITS-3:0], 5'b0};
    assign host_word  = storage[host_index][host_shift+:32];

    always_ff @(posedge clock)
        if (data_arrives && in_dirty && error_select != DIRTY_DATA_DROPPED)
            storage[in_block[INDEX_BITS-1:0]] <= in_data;
        else if (takes_up && takes_data && request.is_dirty) storage[index] <= request.data;
        else if (host_write) storage[host_index][host_shift+:32] <= host_data;

    initial for (int i = 0; i < BLOCKS; i++) storage[i] = '0;

    // ---- Transactions.

    logic drops_ack;   // of a write-back that came too late: an error to select
    assign drops_ack = error_select == PUT_ACK_LOST && request.message == PUT && !takes_data;

    for (genvar t = 0; t < TRANSACTIONS; t++) begin : transactions
        logic is_for_us;
        assign is_for_us    = busy[t] && busy_block[t] == in_block;
        assign out_block[t] = busy_block[t];

        transaction #(
            .CACHES(CACHES), .BLOCK_BITS(BLOCK_BITS), .LINE_BITS(LINE_BITS), .LATENCY(LATENCY)
        ) under_way (
            .clock, .reset, .error_select, .stall,
            .start(starts[t] && !drops_ack), .start_block(request.block),
            .start_requester(request.from), .start_called(called), .start_call(call),
            .start_grant(grant), .start_data(storage[index]),
            .busy(busy[t]), .block(busy_block[t]),
            .ack(ack_arrives && is_for_us), .data(data_arrives && is_for_us), .data_line(in_data),
            .done(done_arrives && is_for_us),
            .send_valid(out_valid[t]), .send_message(out_message[t]), .send_target(out_target[t]),
            .send_data(out_data[t]), .send_granted(out_granted[t])
        );
    end
endmodule
