// SPDX-License-Identifier: MIT
// Answers that leave in any order, but those of one identifier in theirs. Of what is offered nothing
// changes until it is taken. Errors: `unordered` ignores identifiers, `swaps` exchanges them,
// `withdraws` takes an offer back, `loses` drops what is pushed.
module shuffle_queue #(
    parameter int WIDTH   = 8,
    parameter int ID_BITS = 4,
    parameter int DEPTH   = 4
) (
    input  logic               clock,
    input  logic               reset,
    input  logic               unordered,
    input  logic               swaps,
    input  logic               withdraws,
    input  logic               loses,
    input  logic               hold,        // nothing new is offered
    output logic               has_room,    // for one more, whatever is pushed in this cycle

    input  logic               push,
    input  logic [ID_BITS-1:0] push_id,
    input  logic [WIDTH-1:0]   push_item,
    output logic               valid,
    input  logic               ready,
    output logic [ID_BITS-1:0] id,
    output logic [WIDTH-1:0]   item
);
    localparam int COUNT_BITS = $clog2(DEPTH + 1);

    logic [DEPTH-1:0][ID_BITS-1:0] ids;
    logic [DEPTH-1:0][WIDTH-1:0]   items;
    logic [COUNT_BITS-1:0]         count, kept, index, first_of_id, other;
    logic [5:0]                    chance;
    logic                          is_full, leaves, kept_push;

    // A random one, or the first of its identifier.
    always_comb begin
        index       = COUNT_BITS'(32'(chance[1:0]) % DEPTH);
        if (index >= count)
            index = '0;
        first_of_id = index;
        other       = index;
        for (int i = DEPTH - 1; i >= 0; i--)
            if (COUNT_BITS'(i) < count) begin
                if (COUNT_BITS'(i) < index && ids[i] == ids[index])
                    first_of_id = COUNT_BITS'(i);
                if (ids[i] != ids[index])
                    other = COUNT_BITS'(i);
            end
        if (!unordered)
            index = first_of_id;
    end

    assign has_room  = count < COUNT_BITS'(DEPTH - 1);
    assign leaves    = count != '0 && (!is_full || ready) && !hold && chance[3:2] != '0;
    assign kept      = count - COUNT_BITS'(leaves);
    assign kept_push = push && !(loses && chance == '0);
    assign valid     = is_full && !(withdraws && chance == '0);

    always_ff @(posedge clock) begin
        chance <= 6'($urandom_range(63));
        if (reset) begin
            count   <= '0;
            is_full <= 1'b0;
        end else begin
            if (valid && ready)
                is_full <= 1'b0;
            if (leaves) begin
                is_full <= 1'b1;
                id      <= ids[index];
                item    <= items[index];
                if (swaps && chance[5:4] == '0)
                    id <= ids[other];
            end
            for (int i = 0; i < DEPTH; i++)
                if (kept_push && COUNT_BITS'(i) == kept) begin
                    ids[i]   <= push_id;
                    items[i] <= push_item;
                end else if (leaves && COUNT_BITS'(i) >= index && i + 1 < DEPTH) begin
                    ids[i]   <= ids[i + 1 < DEPTH ? i + 1 : i];
                    items[i] <= items[i + 1 < DEPTH ? i + 1 : i];
                end
            // The identifier that was given away comes back with the other answer.
            if (leaves && swaps && chance[5:4] == '0 && other != index)
                ids[other > index ? other - 1'b1 : other] <= ids[index];
            count <= kept + COUNT_BITS'(kept_push);
        end
    end
endmodule
