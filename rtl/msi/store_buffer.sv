// SPDX-License-Identifier: MIT
// Stores that the agent has finished and nobody else sees yet; the oldest is at place 0. In order
// they make TSO. Out of order, but for words that overlap, they make a weaker model: RVWMO.
module store_buffer
    import port_package::*;
    import msi_package::*;
#(
    parameter  int DEPTH        = 4,
    parameter  bit IN_ORDER     = 1'b1,
    parameter  int ADDRESS_BITS = 32,
    parameter  int DATA_BITS    = 64,
    parameter  int TAG_BITS     = 8,
    localparam int COUNT_BITS   = $clog2(DEPTH + 1)
) (
    input  logic                    clock,
    input  logic                    reset,
    input  error_t                  error_select,

    input  logic                    push,
    input  width_t                  push_width,
    input  logic [ADDRESS_BITS-1:0] push_address,
    input  logic [DATA_BITS-1:0]    push_data,
    input  logic [TAG_BITS-1:0]     push_tag,
    output logic [COUNT_BITS-1:0]   count,

    // The store that is on its way into the cache; it stays until it has been performed.
    output logic                    drain_valid,
    output width_t                  drain_width,
    output logic [ADDRESS_BITS-1:0] drain_address,
    output logic [DATA_BITS-1:0]    drain_data,
    output logic [TAG_BITS-1:0]     drain_tag,
    input  logic                    drain_done,

    // A load sees the youngest store of its word. If that has another width, the load waits.
    input  width_t                  load_width,
    input  logic [ADDRESS_BITS-1:0] load_address,
    output logic                    load_forwards,
    output logic                    load_waits,
    output logic [DATA_BITS-1:0]    load_data
);
    localparam int PLACE_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;

    typedef logic [COUNT_BITS-1:0] count_t;
    typedef logic [PLACE_BITS-1:0] place_t;

    typedef struct packed {
        width_t                  width;
        logic [ADDRESS_BITS-1:0] address;
        logic [DATA_BITS-1:0]    data;
        logic [TAG_BITS-1:0]     tag;
    } store_t;

    store_t stores[DEPTH];

    function automatic logic overlap(logic [ADDRESS_BITS-1:0] a, logic [ADDRESS_BITS-1:0] b);
        return a >> 3 == b >> 3;
    endfunction

    // ---- Draining.

    place_t     chosen, draining, next;
    logic       is_chosen, eligible;
    logic [3:0] turn;

    // A store may overtake older ones of other words only.
    always_comb begin
        next     = place_t'(32'(turn) % DEPTH);
        eligible = count_t'(next) < count && (!IN_ORDER || error_select == STORES_REORDERED);
        for (int i = 0; i < DEPTH; i++)
            if (place_t'(i) < next && overlap(stores[i].address, stores[next].address))
                eligible = 1'b0;
        draining = is_chosen ? chosen : eligible ? next : '0;
    end

    assign drain_valid   = count != '0;
    assign drain_width   = stores[draining].width;
    assign drain_address = stores[draining].address;
    assign drain_data    = stores[draining].data;
    assign drain_tag     = stores[draining].tag;

    always_ff @(posedge clock) begin
        turn      <= reset ? '0 : turn + 4'd1;
        chosen    <= draining;
        is_chosen <= !reset && drain_valid && !drain_done;
    end

    // ---- The stores.

    count_t kept;
    assign kept = count - count_t'(drain_done);

    always_ff @(posedge clock) begin
        if (drain_done)
            for (int i = 0; i < DEPTH - 1; i++)
                if (place_t'(i) >= draining) stores[i] <= stores[i+1];
        if (push)
            stores[place_t'(kept)] <= '{width: push_width, address: push_address, data: push_data,
                                        tag: push_tag};
        if (reset) count <= '0;
        else count <= kept + count_t'(push);
    end

    // ---- Loads.

    // Bits above the offset in a page are not compared: an error to select.
    function automatic logic same_word(logic [ADDRESS_BITS-1:0] a, logic [ADDRESS_BITS-1:0] b,
                                       logic is_careless);
        return is_careless ? a[5:0] == b[5:0] : a == b;
    endfunction

    always_comb begin
        load_forwards = 1'b0;
        load_waits    = 1'b0;
        load_data     = '0;
        for (int i = 0; i < DEPTH; i++)
            if (count_t'(i) < count) begin
                if (same_word(stores[i].address, load_address, error_select == BYPASS_WRONG_WORD)
                    && stores[i].width == load_width) begin
                    load_forwards = 1'b1;
                    load_waits    = 1'b0;
                    load_data     = stores[i].data;
                end else if (overlap(stores[i].address, load_address)
                             && (stores[i].width == DOUBLE || load_width == DOUBLE
                                 || stores[i].address[2] == load_address[2])) begin
                    load_forwards = 1'b0;
                    load_waits    = 1'b1;
                end
            end
        if (error_select == BYPASS_MISSED) begin
            load_forwards = 1'b0;
            load_waits    = 1'b0;
        end
    end
endmodule
