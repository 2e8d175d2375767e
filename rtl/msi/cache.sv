// SPDX-License-Identifier: MIT
// A write-back cache on the bus. It holds the blocks and moves them as cache_controller.sv says.
//
// In a cycle the bus carries one phase, which touches one block; the agent's load and write touch
// others. They keep out of each other's way by rule: neither acts on a set that the bus names in
// this cycle, nor the write on the set of a load that acts; and blocks are given up on the agent's
// side only in cycles in which the bus takes none away.
module cache
    import port_package::*;
    import msi_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int DATA_BITS    = 64,
    parameter  int BLOCK_BYTES  = 16,
    parameter  int SETS         = 4,
    parameter  int WAYS         = 2,
    parameter  int NUMBER_BITS  = 3,
    localparam int OFFSET_BITS  = $clog2(BLOCK_BYTES),
    localparam int BLOCK_BITS   = ADDRESS_BITS - OFFSET_BITS,
    localparam int LINE_BITS    = 8 * BLOCK_BYTES
) (
    input  logic                    clock,
    input  logic                    reset,
    input  error_t                  error_select,
    input  logic [NUMBER_BITS-1:0]  own_number,

    // The load that the agent waits for: held until done.
    input  logic                    load_valid,
    input  logic                    load_reserves,
    input  width_t                  load_width,
    input  logic [ADDRESS_BITS-1:0] load_address,
    output logic                    load_done,
    output logic [DATA_BITS-1:0]    load_data,

    // A store from the buffer, an atomic or a flush: held until done.
    input  logic                    write_valid,
    input  operation_t              write_operation,
    input  width_t                  write_width,
    input  logic [ADDRESS_BITS-1:0] write_address,
    input  logic [DATA_BITS-1:0]    write_data,
    output logic                    write_done,
    output logic                    write_stored,  // something was written
    output logic [DATA_BITS-1:0]    write_old,
    output logic                    reserved,      // a store conditional may still succeed

    output logic                    invalidate_valid,
    output logic [ADDRESS_BITS-1:0] invalidate_address,

    // What the bus carries now.
    input  logic                    bus_valid,
    input  phase_t                  bus_phase,
    input  logic [BLOCK_BITS-1:0]   bus_block,
    input  logic [NUMBER_BITS-1:0]  bus_source,    // of an address phase
    input  channel_t                bus_channel,
    input  logic                    bus_to_cache,  // of a data phase
    input  logic [NUMBER_BITS-1:0]  bus_target,
    input  logic [LINE_BITS-1:0]    bus_data,
    output logic                    bus_owned,     // we answer this request, not memory

    output logic                    request_valid,
    output phase_t                  request_phase,
    output logic [BLOCK_BITS-1:0]   request_block,
    output channel_t                request_channel,
    input  logic                    request_granted,

    output logic                    reply_valid,
    output logic [BLOCK_BITS-1:0]   reply_block,
    output logic                    reply_to_cache,
    output logic [NUMBER_BITS-1:0]  reply_target,
    output logic                    reply_to_memory,
    output logic [LINE_BITS-1:0]    reply_data,
    input  logic                    reply_granted,
    output logic                    crowded        // no new requests for now, please
);
    localparam int LINES      = SETS * WAYS;
    localparam int PLACE_BITS = LINES > 1 ? $clog2(LINES) : 1;
    localparam int REPLY_BITS = BLOCK_BITS + 1 + NUMBER_BITS + 1 + LINE_BITS;

    typedef logic [BLOCK_BITS-1:0] block_t;
    typedef logic [PLACE_BITS-1:0] place_t;

    state_t                 states[LINES];
    block_t                 blocks[LINES];
    logic [LINE_BITS-1:0]   lines[LINES];
    logic [NUMBER_BITS-1:0] owed[LINES];    // who gets the data when we have had it
    logic [7:0]             turn;           // which way is to go next

    `include "lines.svh"

    // ---- This cycle's phase of the bus.

    logic    address_valid, address_own, data_valid;
    lookup_t bus_found;
    state_t  address_next, address_then, data_next;
    logic    address_owns, address_to_cache, address_to_memory, data_to_cache, data_to_memory;
    logic    data_for_load, data_for_write, bus_concerns_us;

    assign bus_found      = look_up(bus_block);
    assign address_own    = bus_source == own_number;
    assign address_valid  = bus_valid && bus_phase != DATA && bus_found.state != I;
    assign data_valid     = bus_valid && bus_phase == DATA && bus_to_cache &&
                            bus_target == own_number && awaits_data(bus_found.state);
    assign data_for_load  = data_valid && (bus_found.state == IS_D || bus_found.state == IS_D_I);
    assign data_for_write = data_valid && !data_for_load;
    assign bus_concerns_us = address_valid || data_valid;
    assign bus_owned      = address_valid && address_owns;

    // An invalidation right behind a fill gets lost: an error to select.
    logic has_filled;
    always_ff @(posedge clock) has_filled <= data_valid && !reset;
    assign address_next = error_select == LOST_AFTER_FILL && has_filled && bus_found.state == S
                              ? S : address_then;

    // Bits of a block in the wrong order: an error to select.
    logic [LINE_BITS-1:0] fill;
    assign fill = error_select == SWAPPED_WORDS && data_for_load && bus_found.place[0]
                      ? {bus_data[LINE_BITS/2-1:0], bus_data[LINE_BITS-1:LINE_BITS/2]} : bus_data;

    // ---- The agent's load and write.

    block_t  load_block, write_block;
    lookup_t load_found, load_room, write_found, write_room;
    logic    load_idle, write_idle;
    logic    load_hits, write_hits, write_upgrades;
    logic    load_acts, write_acts, write_is_flush;
    logic    load_starts, write_starts, load_replaces, write_replaces, write_flushes;

    assign load_block     = load_address[ADDRESS_BITS-1:OFFSET_BITS];
    assign write_block    = write_address[ADDRESS_BITS-1:OFFSET_BITS];
    assign load_found     = look_up(load_block);
    assign load_room      = find_room(load_block, turn);
    assign write_found    = look_up(write_block);
    assign write_room     = find_room(write_block, turn);
    assign write_is_flush = write_operation == FLUSH;

    assign load_acts  = load_valid && load_idle && !(bus_valid && same_set(load_block, bus_block));
    assign write_acts = write_valid && write_idle && !(bus_valid && same_set(write_block, bus_block))
                        && !(load_valid && same_set(load_block, write_block) && load_acts);

    // A store conditional without its reservation has failed: it needs no block.
    logic write_gives_up;
    assign write_gives_up = write_operation == STORE_CONDITIONAL && !reserved;

    assign load_starts    = load_acts && load_found.state == I && load_room.state == I;
    assign load_replaces  = load_acts && load_found.state == I && load_room.state != I
                            && leaving_goes && !bus_concerns_us;
    assign write_starts   = write_acts && !write_is_flush && !write_gives_up && !write_hits
                            && (write_upgrades || (write_found.state == I && write_room.state == I));
    assign write_replaces = write_acts && !write_is_flush && !write_gives_up
                            && write_found.state == I && write_room.state != I
                            && leaving_goes && !leaving_is_load && !bus_concerns_us;
    assign write_flushes  = write_acts && write_is_flush && write_found.state != I
                            && leaving_goes && !leaving_is_load && !bus_concerns_us;

    // The block that leaves: a victim, or what is flushed. Loads come first.
    lookup_t leaving;
    logic    leaving_is_load, leaving_goes, leaves;
    state_t  leaving_next;
    assign leaving_is_load = load_acts && load_found.state == I && load_room.state != I;
    assign leaving         = leaving_is_load ? load_room : write_is_flush ? write_found : write_room;
    assign leaves          = load_replaces || write_replaces || write_flushes;

    logic write_performs;   // with the block that is here
    assign write_performs = write_acts && !write_is_flush && !write_gives_up && write_hits;

    cache_controller controller (
        .clock, .error_select,
        .address_valid, .address_own, .address_phase(bus_phase), .address_state(bus_found.state),
        .address_next(address_then), .address_owns, .address_to_cache, .address_to_memory,
        .data_valid, .data_state(bus_found.state), .data_next, .data_to_cache, .data_to_memory,
        .load_valid(load_starts || (load_acts && load_hits)), .load_state(load_found.state),
        .load_hits,
        .write_valid(write_starts || write_performs), .write_is_atomic(write_operation != STORE),
        .write_state(write_found.state), .write_hits, .write_upgrades,
        .flush_valid(write_flushes), .flush_state(write_found.state),
        .replace_valid(load_replaces || write_replaces), .replace_state(leaving.state),
        .leaving_state(leaving.state), .leaving_goes, .leaving_next
    );

    // ---- Performing.

    logic [LINE_BITS-1:0]   write_line, written_line;
    logic [DATA_BITS-1:0]   write_word;
    logic [OFFSET_BITS-1:0] write_offset;
    logic                   write_happens;

    assign load_done     = (load_acts && load_hits) || data_for_load;
    assign load_data     = word_of(data_for_load ? fill : lines[load_found.place],
                                   load_address[OFFSET_BITS-1:0], load_width);
    assign write_offset  = write_address[OFFSET_BITS-1:0];
    assign write_line    = data_for_write ? fill : lines[write_found.place];
    assign write_old     = reads_early ? early_word
                                       : word_of(write_line, write_offset, write_width);
    assign write_word    = DATA_BITS'(written_word(write_operation, write_width, 64'(write_old),
                                                   64'(write_data)));
    assign write_happens = write_performs || data_for_write;
    assign write_stored  = write_happens && !write_gives_up;
    assign write_done    = write_happens || (write_acts && write_gives_up)
                           || (write_acts && write_is_flush && write_found.state == I);
    assign written_line  = write_gives_up ? write_line
                                          : with_word(merged_line, write_offset, write_width,
                                                      write_word);

    // An atomic keeps what it read before its upgrade; a store that fills a block which others wait
    // for is merged with what was in its place before: errors to select.
    logic                 reads_early;
    logic [DATA_BITS-1:0] early_word;
    logic [LINE_BITS-1:0] merged_line;
    assign merged_line = error_select == STROBES_LOST && data_for_write && data_to_cache
                             ? lines[bus_found.place] : write_line;
    always_ff @(posedge clock)
        if (reset || data_for_write) reads_early <= 1'b0;
        else if (write_starts) begin
            reads_early <= error_select == ATOMIC_READS_EARLY && write_upgrades
                           && write_operation != STORE;
            early_word  <= word_of(lines[write_found.place], write_offset, write_width);
        end

    // ---- Blocks.

    always_ff @(posedge clock) begin
        turn <= turn + 8'd1;
        if (load_starts) begin
            states[load_room.place] <= IS_AD;
            blocks[load_room.place] <= load_block;
        end
        if (write_starts && !write_upgrades) begin
            states[write_room.place] <= IM_AD;
            blocks[write_room.place] <= write_block;
        end
        if (write_starts && write_upgrades) states[write_found.place] <= SM_AD;
        if (leaves) states[leaving.place] <= leaving_next;
        if (write_performs) begin
            states[write_found.place] <= M;
            lines[write_found.place]  <= written_line;
        end
        if (address_valid) begin
            states[bus_found.place] <= address_next;
            if (address_owns) owed[bus_found.place] <= bus_source;
        end
        if (data_valid) begin
            states[bus_found.place] <= data_next;
            lines[bus_found.place]  <= data_for_write ? written_line : fill;
        end
        if (reset) begin
            turn <= '0;
            for (int place = 0; place < LINES; place++) states[place] <= I;
        end
    end

    // ---- Replies: at once in an address phase, after our own operation in a data phase.

    logic [REPLY_BITS-1:0] reply, reply_first;
    logic                  replies;

    assign replies = (address_valid && (address_to_cache || address_to_memory))
                     || (data_valid && (data_to_cache || data_to_memory));
    assign reply = data_valid
        ? {bus_block, data_to_cache, owed[bus_found.place], data_to_memory, written_line}
        : {bus_block, address_to_cache, bus_source, address_to_memory, lines[leaving_place]};

    // What is given away while a load hits is that of another way: an error to select.
    place_t leaving_place;
    assign leaving_place = error_select == WRONG_WAY && load_acts && load_hits
                               ? bus_found.place ^ place_t'(1) : bus_found.place;
    assign {reply_block, reply_to_cache, reply_target, reply_to_memory, reply_data} = reply_first;

    // Room for the phase on the bus, the one granted now, and the data of both transactions.
    fifo #(.WIDTH(REPLY_BITS), .DEPTH(8), .SPARE(4)) replies_to_send (
        .clock, .reset, .push(replies), .push_item(reply), .pop(reply_granted),
        .valid(reply_valid), .item(reply_first), .crowded
    );

    // ---- Transactions.

    logic   seen;
    phase_t load_phase, write_phase;
    block_t load_request_block, write_request_block;
    logic   load_asks, write_asks, prefer_write, grant_write;

    assign seen = bus_valid && bus_phase != DATA && address_own;

    channel #(.BLOCK_BITS(BLOCK_BITS)) load_channel (
        .clock, .reset,
        .start(load_starts || (load_replaces && leaving_next == MI_A)),
        .start_phase(load_starts ? GET_S : PUT_M),
        .start_block(load_starts ? load_block : blocks[leaving.place]),
        .idle(load_idle),
        .request_valid(load_asks), .request_phase(load_phase), .request_block(load_request_block),
        .request_granted(request_granted && !grant_write),
        .seen(seen && bus_channel == FOR_LOAD), .answered(data_for_load)
    );

    channel #(.BLOCK_BITS(BLOCK_BITS)) write_channel (
        .clock, .reset,
        .start(write_starts || ((write_replaces || write_flushes) && leaving_next == MI_A)),
        .start_phase(write_starts ? GET_M : PUT_M),
        .start_block(write_starts ? write_block : blocks[leaving.place]),
        .idle(write_idle),
        .request_valid(write_asks), .request_phase(write_phase),
        .request_block(write_request_block),
        .request_granted(request_granted && grant_write),
        .seen(seen && bus_channel == FOR_WRITE), .answered(data_for_write)
    );

    assign grant_write     = write_asks && (prefer_write || !load_asks);
    assign request_valid   = load_asks || write_asks;
    assign request_phase   = grant_write ? write_phase : load_phase;
    assign request_block   = grant_write ? write_request_block : load_request_block;
    assign request_channel = grant_write ? FOR_WRITE : FOR_LOAD;
    always_ff @(posedge clock)
        if (reset) prefer_write <= 1'b0;
        else if (request_granted) prefer_write <= !grant_write;

    // ---- Losing blocks: what is reported to the agent, and the reservation of a load reserved.

    logic lost_by_address, lost_by_data, lost_by_leaving;
    assign lost_by_address = address_valid && is_readable(bus_found.state)
                             && !is_readable(address_next);
    assign lost_by_data    = data_valid && !is_readable(data_next);
    assign lost_by_leaving = leaves && !is_readable(leaving_next);

    block_t lost_block;
    logic   lost;
    assign lost       = lost_by_address || lost_by_data || lost_by_leaving;
    assign lost_block = lost_by_leaving ? blocks[leaving.place] : bus_block;

    // A load that speculates may have been answered by a block that is lost on its arrival.
    always_ff @(posedge clock) begin
        invalidate_valid   <= lost && !reset
                              && !(error_select == INVALIDATE_UNTOLD && !lost_by_leaving);
        invalidate_address <= {lost_block, OFFSET_BITS'(0)};
    end

    // Our own write ends a reservation, and so does the loss of the block to others.
    block_t reserved_block;
    logic   lost_to_others;
    assign lost_to_others = lost && lost_block == reserved_block;
    always_ff @(posedge clock) begin
        if (load_done && load_reserves) begin
            reserved       <= !(lost && lost_block == load_block);
            reserved_block <= load_block;
        end else if (lost_to_others || (write_done && write_operation == STORE_CONDITIONAL)) begin
            reserved <= 1'b0;
        end
        if (reset) reserved <= 1'b0;
    end
endmodule
