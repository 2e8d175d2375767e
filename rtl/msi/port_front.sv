// SPDX-License-Identifier: MIT
// One port of the memory system: takes a request at a time, decides whether the store buffer, the
// cache or nobody has to do with it, and answers. Beside it, the store buffer drains into the cache.
module port_front
    import port_package::*;
    import msi_package::*;
#(
    parameter int STORE_BUFFER = 4,      // stores; 0: a store is answered when it is visible
    parameter bit IN_ORDER     = 1'b1,
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS    = 64,
    parameter int TAG_BITS     = 8
) (
    input  logic                    clock,
    input  logic                    reset,
    input  error_t                  error_select,

    input  logic                    request_valid,
    output logic                    request_ready,
    input  operation_t              request_operation,
    input  width_t                  request_width,
    input  logic [ADDRESS_BITS-1:0] request_address,
    input  logic [DATA_BITS-1:0]    request_data,
    input  logic [TAG_BITS-1:0]     request_tag,

    output logic                    response_valid,
    input  logic                    response_ready,
    output logic [TAG_BITS-1:0]     response_tag,
    output logic [DATA_BITS-1:0]    response_data,

    output logic                    commit_valid,
    output logic [TAG_BITS-1:0]     commit_tag,
    output logic [DATA_BITS-1:0]    commit_old,

    // The cache: see there.
    output logic                    load_valid,
    output logic                    load_reserves,
    output width_t                  load_width,
    output logic [ADDRESS_BITS-1:0] load_address,
    input  logic                    load_done,
    input  logic [DATA_BITS-1:0]    load_data,
    output logic                    write_valid,
    output operation_t              write_operation,
    output width_t                  write_width,
    output logic [ADDRESS_BITS-1:0] write_address,
    output logic [DATA_BITS-1:0]    write_data,
    input  logic                    write_done,
    input  logic                    write_stored,
    input  logic [DATA_BITS-1:0]    write_old,
    input  logic                    reserved
);
    localparam int DEPTH      = STORE_BUFFER > 0 ? STORE_BUFFER : 1;
    localparam int COUNT_BITS = $clog2(DEPTH + 1);
    localparam bit HAS_BUFFER = STORE_BUFFER > 0;

    // ---- The request under way.

    logic                    busy;
    operation_t              operation;
    width_t                  width;
    logic [ADDRESS_BITS-1:0] address;
    logic [DATA_BITS-1:0]    data;
    logic [TAG_BITS-1:0]     tag;
    logic                    finishes;

    assign request_ready = !busy && !response_valid;

    always_ff @(posedge clock) begin
        if (request_valid && request_ready) begin
            operation <= request_operation;
            width     <= request_width;
            address   <= request_address;
            data      <= request_data;
            tag       <= request_tag;
        end
        if (reset) busy <= 1'b0;
        else if (request_valid && request_ready) busy <= 1'b1;
        else if (finishes) busy <= 1'b0;
    end

    // ---- The store buffer.

    logic                    push, drain_valid, load_forwards, load_waits;
    logic [COUNT_BITS-1:0]   count;
    width_t                  drain_width;
    logic [ADDRESS_BITS-1:0] drain_address;
    logic [DATA_BITS-1:0]    drain_data, forwarded;
    logic [TAG_BITS-1:0]     drain_tag;

    store_buffer #(
        .DEPTH(DEPTH), .IN_ORDER(IN_ORDER), .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS),
        .TAG_BITS(TAG_BITS)
    ) buffer (
        .clock, .reset, .error_select,
        .push, .push_width(width), .push_address(address), .push_data(data), .push_tag(tag), .count,
        .drain_valid, .drain_width, .drain_address, .drain_data, .drain_tag,
        .drain_done(write_done && drain_valid),
        .load_width(width), .load_address(address), .load_forwards, .load_waits,
        .load_data(forwarded)
    );

    // ---- What the request may do in this cycle.

    logic is_buffered, is_write, is_split, drained, fence_opens, fails_at_once;

    assign is_buffered   = HAS_BUFFER && operation == STORE;
    assign is_write      = !is_load(operation) && operation != FENCE && !is_buffered;
    assign drained       = !drain_valid;
    assign push          = busy && is_buffered && count < COUNT_BITS'(DEPTH);
    assign fails_at_once = busy && operation == STORE_CONDITIONAL && drained && !reserved
                           && !write_started;

    always_comb
        case (error_select)
            FENCE_PASSES: fence_opens = 1'b1;
            FENCE_HALF:   fence_opens = count <= COUNT_BITS'(DEPTH / 2);
            default:      fence_opens = drained;
        endcase

    // An atomic that lets go of its block between reading and writing: an error to select.
    logic                 has_read;
    logic [DATA_BITS-1:0] split_old;
    assign is_split = error_select == SPLIT_ATOMIC && is_write && operation != STORE
                      && operation != FLUSH && operation != STORE_CONDITIONAL;

    always_ff @(posedge clock)
        if (reset || !busy) has_read <= 1'b0;
        else if (is_split && load_done) begin
            has_read  <= 1'b1;
            split_old <= load_data;
        end

    // ---- The cache.

    logic write_started;   // a store conditional that has begun is the cache's to judge
    always_ff @(posedge clock)
        write_started <= !reset && write_valid && drained && !write_done;

    assign load_valid    = busy && ((operation == LOAD && !load_forwards && !load_waits)
                                    || (operation == LOAD_RESERVED && drained)
                                    || (is_split && drained && !has_read));
    assign load_reserves = operation == LOAD_RESERVED;
    assign load_width    = width;
    assign load_address  = address;

    assign write_valid     = drain_valid || (busy && is_write && !fails_at_once
                                             && (!is_split || has_read));
    assign write_operation = drain_valid || is_split ? STORE : operation;
    assign write_width     = drain_valid ? drain_width : width;
    assign write_address   = drain_valid ? drain_address : address;
    assign write_data      = drain_valid ? drain_data
                             : is_split ? DATA_BITS'(written_word(operation, width, 64'(split_old),
                                                                  64'(data)))
                             : data;

    // ---- Answers.

    logic [DATA_BITS-1:0] answer;

    always_comb begin
        finishes = 1'b0;
        answer   = '0;
        if (busy)
            case (operation)
                FENCE: finishes = fence_opens;
                LOAD: begin
                    finishes = load_forwards || load_done;
                    answer   = load_forwards ? forwarded : load_data;
                end
                LOAD_RESERVED: begin
                    finishes = load_done;
                    answer   = load_data;
                end
                STORE_CONDITIONAL: begin
                    finishes = fails_at_once || (write_done && drained);
                    answer   = DATA_BITS'(!write_stored);
                end
                STORE: finishes = is_buffered ? push : write_done && drained;
                default: begin
                    finishes = write_done && drained;
                    answer   = is_split ? split_old : write_old;
                end
            endcase
    end

    always_ff @(posedge clock) begin
        if (finishes) begin
            response_tag  <= tag;
            response_data <= answer;
        end
        if (reset) response_valid <= 1'b0;
        else if (finishes) response_valid <= 1'b1;
        else if (response_ready) response_valid <= 1'b0;

        commit_valid <= write_stored && !reset;
        commit_tag   <= drain_valid ? drain_tag : tag;
        commit_old   <= write_old;
    end
endmodule
