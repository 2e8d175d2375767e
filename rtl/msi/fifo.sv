// SPDX-License-Identifier: MIT
// A queue. Whoever pushes has made sure that there is room; `crowded` says in time that there will
// soon be none.
module fifo #(
    parameter int WIDTH = 8,
    parameter int DEPTH = 8,   // a power of two
    parameter int SPARE = 4    // crowded: fewer places than this are left
) (
    input  logic             clock,
    input  logic             reset,
    input  logic             push,
    input  logic [WIDTH-1:0] push_item,
    input  logic             pop,
    output logic             valid,
    output logic [WIDTH-1:0] item,
    output logic             crowded
);
    localparam int PLACE_BITS = $clog2(DEPTH);
    localparam int COUNT_BITS = PLACE_BITS + 1;

    logic [WIDTH-1:0]      items[DEPTH];
    logic [PLACE_BITS-1:0] first;
    logic [COUNT_BITS-1:0] count;

    assign valid   = count != '0;
    assign item    = items[first];
    assign crowded = count > COUNT_BITS'(DEPTH - SPARE);

    always_ff @(posedge clock) begin
        if (push) items[first + count[PLACE_BITS-1:0]] <= push_item;
        if (reset) begin
            first <= '0;
            count <= '0;
        end else begin
            if (pop) first <= first + 1'b1;
            count <= count + COUNT_BITS'(push) - COUNT_BITS'(pop);
        end
    end

    never_overflows: assert property (@(posedge clock) disable iff (reset)
        !(push && !pop && count == COUNT_BITS'(DEPTH)));
endmodule
