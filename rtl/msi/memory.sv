// SPDX-License-Identifier: MIT
// Memory on the bus, and the order of its answers. It answers the requests that no cache owns, in
// the order of the bus. A block that an owner has promised to send (it was asked for a shared copy,
// or writes back) may be requested before it is here: such a request remembers how many promises
// were open, and waits for as many. Whatever it waits for was ordered before it, so the first
// request in the queue never waits for one behind it.
module memory
    import msi_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BLOCK_BYTES  = 16,
    parameter  int BLOCKS       = 4096,
    parameter  int LATENCY      = 4,
    parameter  int MOST         = 8,    // requests, and promises, under way: a power of two
    parameter  int NUMBER_BITS  = 3,
    parameter  bit OUTSIDE      = 1'b0, // the storage is
    localparam int OFFSET_BITS  = $clog2(BLOCK_BYTES),
    localparam int BLOCK_BITS   = ADDRESS_BITS - OFFSET_BITS,
    localparam int LINE_BITS    = 8 * BLOCK_BYTES,
    localparam int HOST_BITS    = $clog2(BLOCKS * BLOCK_BYTES / 4)
) (
    input  logic                    clock,
    input  logic                    reset,
    input  error_t                  error_select,
    input  logic                    stall,        // no answer for now

    input  logic                    bus_valid,
    input  phase_t                  bus_phase,
    input  logic [BLOCK_BITS-1:0]   bus_block,
    input  logic [NUMBER_BITS-1:0]  bus_source,
    input  logic                    bus_owned,
    input  logic                    bus_to_memory,
    input  logic [LINE_BITS-1:0]    bus_data,

    output logic                    reply_valid,
    output logic [BLOCK_BITS-1:0]   reply_block,
    output logic [NUMBER_BITS-1:0]  reply_target,
    output logic [LINE_BITS-1:0]    reply_data,
    input  logic                    reply_granted,
    output logic                    crowded,      // no new requests for now, please

    // The host's window, for loading and reading memory while no transaction is under way.
    input  logic                    host_write,
    input  logic [HOST_BITS-1:0]    host_address,   // in words of 4 bytes
    input  logic [31:0]             host_data,
    output logic [31:0]             host_word,

    output logic                    outside_valid,
    input  logic                    outside_ready,
    output logic                    outside_write,
    output logic [BLOCK_BITS-1:0]   outside_block,
    output logic [LINE_BITS-1:0]    outside_line,
    input  logic                    answer_valid,
    input  logic [LINE_BITS-1:0]    answer_line
);
    localparam int COUNT_BITS = $clog2(MOST + 1);
    localparam int DELAY_BITS = $clog2(LATENCY + 2);

    typedef logic [BLOCK_BITS-1:0] block_t;
    typedef logic [COUNT_BITS-1:0] count_t;

    // ---- Promises: blocks that caches will send, in the order of the bus.

    block_t promised[MOST];
    count_t promise_count;
    logic   asks, promises, arrives, keeps;
    count_t open_promises;   // of the block on the bus
    count_t kept;            // which of them the data on the bus keeps

    memory_controller controller (
        .clock, .bus_valid, .bus_phase, .bus_owned, .bus_to_memory,
        .has_promises(open_promises != '0), .asks, .promises, .arrives
    );

    assign keeps   = arrives && open_promises != '0;
    // One is on the bus, one is granted now.
    assign crowded = 32'(promise_count) + 32'(late) > MOST - 2;

    always_comb begin
        open_promises = '0;
        kept          = '0;
        for (int i = MOST - 1; i >= 0; i--)
            if (count_t'(i) < promise_count && promised[i] == bus_block) begin
                open_promises = open_promises + 1'b1;
                kept          = count_t'(i);
            end
    end

    always_ff @(posedge clock) begin
        if (promises) promised[promise_count[COUNT_BITS-2:0]] <= bus_block;
        if (keeps)
            for (int i = 0; i < MOST - 1; i++)
                if (count_t'(i) >= kept) promised[i] <= promised[i+1];
        if (reset) promise_count <= '0;
        else promise_count <= promise_count + count_t'(promises) - count_t'(keeps);
    end

    // ---- Requests that memory answers.

    typedef struct packed {
        block_t                 block;
        logic [NUMBER_BITS-1:0] target;
        count_t                 waits;   // for this many promises
        logic [DELAY_BITS-1:0]  delay;
    } request_t;

    request_t queue[MOST];
    count_t   queue_count;
    logic     takes;
    request_t asked;

    assign asked = '{block: bus_block, target: bus_source,
                     waits: error_select == STALE_REFILL ? '0 : open_promises,
                     delay: DELAY_BITS'(LATENCY)};

    // Time passes, and promises are kept.
    function automatic request_t progress_of(request_t request, logic is_kept);
        request_t later;
        later = request;
        if (request.delay != '0) later.delay = request.delay - 1'b1;
        if (is_kept && request.waits != '0) later.waits = request.waits - 1'b1;
        return later;
    endfunction

    always_ff @(posedge clock) begin
        for (int i = 0; i < MOST; i++) begin
            if (!takes) queue[i] <= progress_of(queue[i], arrives && queue[i].block == bus_block);
            else if (i < MOST - 1)
                queue[i] <= progress_of(queue[i+1], arrives && queue[i+1].block == bus_block);
        end
        if (asks) queue[takes ? queue_count[COUNT_BITS-2:0] - 1'b1 : queue_count[COUNT_BITS-2:0]]
            <= asked;
        if (reset) queue_count <= '0;
        else queue_count <= queue_count + count_t'(asks) - count_t'(takes);
    end

    // ---- Storage: a block is read when its request is the first one and waits no more.

    logic                 wanted, given;
    logic [LINE_BITS-1:0] given_line;
    count_t               late;   // blocks that have arrived, but not where they are kept

    assign wanted = queue_count != '0 && queue[0].waits == '0 && queue[0].delay == '0;
    assign takes  = wanted && given && !stall && (!reply_valid || reply_granted);

    always_ff @(posedge clock) begin
        if (takes) begin
            reply_block  <= queue[0].block;
            reply_target <= queue[0].target;
            reply_data   <= given_line;
        end
        if (reset) reply_valid <= 1'b0;
        else if (takes) reply_valid <= 1'b1;
        else if (reply_granted) reply_valid <= 1'b0;
    end

    if (OUTSIDE) begin : kept_outside
        memory_outside #(
            .BLOCK_BITS(BLOCK_BITS), .LINE_BITS(LINE_BITS), .MOST(MOST)
        ) blocks (
            .clock, .reset, .error_select, .wanted, .block(queue[0].block), .taken(takes), .given,
            .given_line,
            .late, .arrives, .arrived_block(bus_block), .arrived_line(bus_data),
            .outside_valid, .outside_ready, .outside_write, .outside_block, .outside_line,
            .answer_valid, .answer_line
        );
        logic unused;
        assign unused    = &{1'b0, host_write, host_address, host_data};
        assign host_word = '0;
    end else begin : kept_here
        memory_storage #(
            .BLOCK_BITS(BLOCK_BITS), .BLOCK_BYTES(BLOCK_BYTES), .BLOCKS(BLOCKS)
        ) blocks (
            .clock, .block(queue[0].block), .line(given_line),
            .arrives, .arrived_block(bus_block), .arrived_line(bus_data),
            .host_write, .host_address, .host_data, .host_word
        );
        logic unused;
        assign unused        = &{1'b0, outside_ready, answer_valid, answer_line};
        assign given         = 1'b1;
        assign late          = '0;
        assign outside_valid = 1'b0;
        assign outside_write = 1'b0;
        assign outside_block = '0;
        assign outside_line  = '0;
    end

    promised_before_it_arrives: assert property (@(posedge clock) disable iff (reset)
        arrives && error_select == NO_ERROR |-> open_promises != '0);
endmodule
