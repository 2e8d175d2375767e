// SPDX-License-Identifier: MIT
// A write-back cache at the interconnect. It holds the blocks and moves them as l1_controller.sv
// says. In a cycle one message may arrive for it; the agent's load and write keep out of the way of
// the set that it names, as in rtl/msi/cache.sv.
module l1
    import port_package::*;
    import directory_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int DATA_BITS    = 64,
    parameter  int BLOCK_BYTES  = 16,
    parameter  int SETS         = 4,
    parameter  int WAYS         = 2,
    localparam int OFFSET_BITS  = $clog2(BLOCK_BYTES),
    localparam int BLOCK_BITS   = ADDRESS_BITS - OFFSET_BITS,
    localparam int LINE_BITS    = 8 * BLOCK_BYTES
) (
    input  logic                    clock,
    input  logic                    reset,
    input  error_t                  error_select,

    // As in rtl/msi/cache.sv.
    input  logic                    load_valid,
    input  logic                    load_reserves,
    input  width_t                  load_width,
    input  logic [ADDRESS_BITS-1:0] load_address,
    output logic                    load_done,
    output logic [DATA_BITS-1:0]    load_data,
    input  logic                    write_valid,
    input  operation_t              write_operation,
    input  width_t                  write_width,
    input  logic [ADDRESS_BITS-1:0] write_address,
    input  logic [DATA_BITS-1:0]    write_data,
    output logic                    write_done,
    output logic                    write_stored,
    output logic [DATA_BITS-1:0]    write_old,
    output logic                    reserved,
    output logic                    invalidate_valid,
    output logic [ADDRESS_BITS-1:0] invalidate_address,

    input  logic                    in_valid,
    input  message_t                in_message,
    input  logic [BLOCK_BITS-1:0]   in_block,
    input  logic [LINE_BITS-1:0]    in_data,

    output logic                    out_valid,
    output message_t                out_message,
    output logic [BLOCK_BITS-1:0]   out_block,
    output logic [LINE_BITS-1:0]    out_data,
    output logic                    out_dirty,
    input  logic                    out_granted
);
    localparam int LINES       = SETS * WAYS;
    localparam int PLACE_BITS  = LINES > 1 ? $clog2(LINES) : 1;
    localparam int ANSWER_BITS = 4 + BLOCK_BITS + 1 + LINE_BITS;

    typedef logic [BLOCK_BITS-1:0] block_t;
    typedef logic [PLACE_BITS-1:0] place_t;

    state_t               states[LINES];
    block_t               blocks[LINES];
    logic [LINE_BITS-1:0] lines[LINES];
    logic [7:0]           turn;

    `include "lines.svh"

    // ---- This cycle's message.

    lookup_t  in_found;
    state_t   message_next;
    logic     answers, fills, for_load, for_write, put_ends;
    message_t answer;

    assign in_found  = look_up(in_block);
    assign fills     = in_valid && (in_message == GRANT_S || in_message == GRANT_E
                                    || in_message == GRANT_M);
    assign for_load  = fills && in_found.state == IS_D;
    assign for_write = fills && in_found.state != IS_D;
    assign put_ends  = in_valid && in_message == PUT_ACK;

    // ---- The agent's load and write.

    block_t  load_block, write_block;
    lookup_t load_found, load_room, write_found, write_room;
    logic    load_idle, write_idle, load_hits, write_hits, write_upgrades;
    logic    load_acts, write_acts, write_is_flush, write_gives_up;
    logic    load_starts, write_starts, load_replaces, write_replaces, write_flushes;
    logic    write_performs;

    assign load_block     = load_address[ADDRESS_BITS-1:OFFSET_BITS];
    assign write_block    = write_address[ADDRESS_BITS-1:OFFSET_BITS];
    assign load_found     = look_up(load_block);
    assign load_room      = find_room(load_block, turn);
    assign write_found    = look_up(write_block);
    assign write_room     = find_room(write_block, turn);
    assign write_is_flush = write_operation == FLUSH;
    assign write_gives_up = write_operation == STORE_CONDITIONAL && !reserved;

    assign load_acts  = load_valid && load_idle && !(in_valid && same_set(load_block, in_block));
    assign write_acts = write_valid && write_idle && !(in_valid && same_set(write_block, in_block))
                        && !(load_acts && same_set(load_block, write_block));

    lookup_t leaving;
    logic    leaving_is_load, leaving_goes, leaves, leaves_with_data;
    state_t  leaving_next;
    assign leaving_is_load = load_acts && load_found.state == I && load_room.state != I;
    assign leaving         = leaving_is_load ? load_room : write_is_flush ? write_found : write_room;
    assign leaves          = load_replaces || write_replaces || write_flushes;
    assign leaves_with_data = leaves && leaving_next != I;

    assign load_starts    = load_acts && load_found.state == I && load_room.state == I;
    assign load_replaces  = leaving_is_load && leaving_goes && !in_valid;
    assign write_starts   = write_acts && !write_is_flush && !write_gives_up && !write_hits
                            && (write_upgrades || (write_found.state == I && write_room.state == I));
    assign write_replaces = write_acts && !write_is_flush && !write_gives_up
                            && write_found.state == I && write_room.state != I
                            && leaving_goes && !leaving_is_load && !in_valid;
    assign write_flushes  = write_acts && write_is_flush && write_found.state != I
                            && leaving_goes && !leaving_is_load && !in_valid;
    assign write_performs = write_acts && !write_is_flush && !write_gives_up && write_hits;

    l1_controller controller (
        .clock, .error_select,
        .message_valid(in_valid), .message(in_message), .message_state(in_found.state),
        .message_next, .answers, .answer,
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

    assign load_done    = (load_acts && load_hits) || for_load;
    assign load_data    = word_of(for_load ? in_data : lines[load_found.place],
                                  load_address[OFFSET_BITS-1:0], load_width);
    assign write_offset = write_address[OFFSET_BITS-1:0];
    assign write_line   = for_write ? in_data : lines[write_found.place];
    assign write_old    = word_of(write_line, write_offset, write_width);
    assign write_word   = DATA_BITS'(written_word(write_operation, write_width, 64'(write_old),
                                                  64'(write_data)));
    assign write_stored = (write_performs || for_write) && !write_gives_up;
    assign write_done   = write_performs || for_write || (write_acts && write_gives_up)
                          || (write_acts && write_is_flush && write_found.state == I);
    assign written_line = write_gives_up ? write_line
                                         : with_word(write_line, write_offset, write_width,
                                                     write_word);

    // ---- Blocks.

    always_ff @(posedge clock) begin
        turn <= turn + 8'd1;
        if (load_starts) begin
            states[load_room.place] <= IS_D;
            blocks[load_room.place] <= load_block;
        end
        if (write_starts && !write_upgrades) begin
            states[write_room.place] <= IM_D;
            blocks[write_room.place] <= write_block;
        end
        if (write_starts && write_upgrades) states[write_found.place] <= SM_D;
        if (leaves) states[leaving.place] <= leaving_next;
        if (write_performs) begin
            // E becomes M in silence: nobody else has a copy.
            states[write_found.place] <= error_select == SILENT_E_FORGOTTEN ? write_found.state : M;
            lines[write_found.place]  <= written_line;
        end
        if (in_valid && in_found.state != I) begin
            states[in_found.place] <= message_next;
            if (fills) lines[in_found.place] <= for_write ? written_line : in_data;
        end
        if (reset) begin
            turn <= '0;
            for (int place = 0; place < LINES; place++) states[place] <= I;
        end
    end

    // ---- What is sent: answers first, then requests. A write-back takes its data along when it
    // leaves, or has none to take because the block has gone to somebody else meanwhile.

    logic [ANSWER_BITS-1:0] answer_first;
    logic                   answer_valid, answer_dirty, unused_crowded;
    message_t               answer_message;
    block_t                 answer_block;
    logic [LINE_BITS-1:0]   answer_data;

    fifo #(.WIDTH(ANSWER_BITS), .DEPTH(16), .SPARE(1)) answers_to_send (
        .clock, .reset, .push(in_valid && answers),
        .push_item({answer, in_block, in_found.state == M || in_found.state == MI_A,
                    lines[in_found.place]}),
        .pop(out_granted && answer_valid), .valid(answer_valid), .item(answer_first),
        .crowded(unused_crowded)
    );
    assign answer_message = message_t'(answer_first[ANSWER_BITS-1-:4]);
    assign {answer_block, answer_dirty, answer_data} = answer_first[ANSWER_BITS-5:0];

    logic     load_asks, write_asks, takes_write;
    message_t load_message, write_message, request_message;
    block_t   load_request, write_request, request_block;
    lookup_t  request_found;

    request load_request_under_way (
        .clock, .reset, .start(load_starts || (load_replaces && leaves_with_data)),
        .start_message(load_starts ? GET_S : PUT), .idle(load_idle), .asks(load_asks),
        .message(load_message), .sent(out_granted && !answer_valid && !takes_write),
        .answered(for_load || (put_ends && in_block == load_request))
    );
    request write_request_under_way (
        .clock, .reset,
        .start(write_starts || ((write_replaces || write_flushes) && leaves_with_data)),
        .start_message(write_starts ? GET_M : PUT), .idle(write_idle), .asks(write_asks),
        .message(write_message), .sent(out_granted && !answer_valid && takes_write),
        .answered(for_write || (put_ends && in_block == write_request))
    );
    always_ff @(posedge clock) begin
        if (load_starts) load_request <= load_block;
        else if (load_replaces) load_request <= blocks[leaving.place];
        if (write_starts) write_request <= write_block;
        else if (write_replaces || write_flushes) write_request <= blocks[leaving.place];
    end

    assign takes_write     = !load_asks;
    assign request_block   = takes_write ? write_request : load_request;
    assign request_message = takes_write ? write_message : load_message;
    assign request_found   = look_up(request_block);

    assign out_valid   = answer_valid || load_asks || write_asks;
    assign out_message = answer_valid ? answer_message : request_message;
    assign out_block   = answer_valid ? answer_block : request_block;
    assign out_data    = answer_valid ? answer_data : lines[request_found.place];
    assign out_dirty   = answer_valid ? answer_dirty : request_found.state == MI_A;

    // ---- Losing blocks: what is reported to the agent, and the reservation of a load reserved.

    logic   lost, lost_by_message;
    block_t lost_block, reserved_block;
    assign lost_by_message = in_valid && is_readable(in_found.state) && !is_readable(message_next);
    assign lost            = lost_by_message || (leaves && !is_readable(leaving_next));
    assign lost_block      = lost_by_message ? in_block : blocks[leaving.place];

    always_ff @(posedge clock) begin
        invalidate_valid   <= lost && !reset;
        invalidate_address <= {lost_block, OFFSET_BITS'(0)};
        if (load_done && load_reserves) begin
            reserved       <= 1'b1;
            reserved_block <= load_block;
        end else if ((lost && lost_block == reserved_block)
                     || (write_done && write_operation == STORE_CONDITIONAL)) begin
            reserved <= 1'b0;
        end
        if (reset) reserved <= 1'b0;
    end
endmodule
