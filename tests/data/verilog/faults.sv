// SPDX-License-Identifier: MIT
// A memory for what harnesses get wrong. Each port has a store buffer of one word, in which a store
// of the same word replaces the one before it: only the last commits. One cover point is hit in
// reset and never again, the other in every cycle. Nothing sets `kept` in reset: with error 1 a load
// returns its complement unless it happens to be 0.
module faults #(
    parameter int PORTS = 2,
    parameter int WORDS = 64
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   error_select,
    input  logic                   drains,

    input  logic [PORTS-1:0]       request_valid,
    output logic [PORTS-1:0]       request_ready,
    input  logic [PORTS-1:0][3:0]  request_operation,
    input  logic [PORTS-1:0][1:0]  request_width,
    input  logic [PORTS-1:0][31:0] request_address,
    input  logic [PORTS-1:0][63:0] request_data,
    input  logic [PORTS-1:0][3:0]  request_tag,
    output logic [PORTS-1:0]       response_valid,
    input  logic [PORTS-1:0]       response_ready,
    output logic [PORTS-1:0][3:0]  response_tag,
    output logic [PORTS-1:0][63:0] response_data,
    output logic [PORTS-1:0]       commit_valid,
    output logic [PORTS-1:0][3:0]  commit_tag,
    output logic [PORTS-1:0][63:0] commit_old
);
    localparam int INDEX = $clog2(WORDS);
    localparam int TURN  = $clog2(PORTS);

    logic [63:0]      words [WORDS];
    logic [TURN-1:0]  turn;
    logic             kept;      // 0 or 1 from the start on

    logic [PORTS-1:0]       held;      // a store is in the buffer
    logic [INDEX-1:0]       held_at [PORTS];
    logic [63:0]            held_data [PORTS];
    logic [3:0]             held_tag [PORTS];

    logic [INDEX-1:0]       at [PORTS];
    logic [PORTS-1:0]       is_store, is_load, is_same, takes, leaves, performs;

    always_comb
        for (int p = 0; p < PORTS; p++) begin
            at[p]       = INDEX'(request_address[p] >> 3);
            is_store[p] = request_operation[p] == 1;
            is_load[p]  = request_operation[p] == 0;
            is_same[p]  = held[p] && held_at[p] == at[p];
            leaves[p]   = held[p] && drains && turn == TURN'(p);
            // What is no load and no store waits until the buffer is empty, and writes in its turn.
            request_ready[p] = !response_valid[p] && !leaves[p]
                && (is_load[p] || (is_store[p] ? !held[p] || is_same[p] : !held[p] && turn == TURN'(p)));
            takes[p]      = request_valid[p] && request_ready[p];
            performs[p]   = takes[p] && request_operation[p] inside {2, 3};
            commit_valid[p] = leaves[p] || performs[p];
            commit_tag[p]   = leaves[p] ? held_tag[p] : request_tag[p];
            commit_old[p]   = words[leaves[p] ? held_at[p] : at[p]];
        end

    always_ff @(posedge clk) begin
        turn <= turn + 1;
        kept <= kept;
        for (int p = 0; p < PORTS; p++) begin
            if (response_ready[p]) response_valid[p] <= 0;
            if (takes[p]) begin
                response_valid[p] <= 1;
                response_tag[p]   <= request_tag[p];
                response_data[p]  <= is_load[p] && is_same[p] ? held_data[p] : words[at[p]];
                if (is_load[p] && error_select && kept) response_data[p] <= ~words[at[p]];
            end
            if (takes[p] && is_store[p]) begin
                held[p]      <= 1;
                held_at[p]   <= at[p];
                held_data[p] <= request_data[p];
                held_tag[p]  <= request_tag[p];
            end
            if (performs[p])
                words[at[p]] <= request_operation[p] == 3 ? words[at[p]] + request_data[p] : request_data[p];
            if (leaves[p]) begin
                held[p]           <= 0;
                words[held_at[p]] <= held_data[p];
            end
        end
        if (rst) begin
            turn           <= 0;
            held           <= '0;
            response_valid <= '0;
            for (int w = 0; w < WORDS; w++) words[w] <= 0;
        end
    end

    Reset__Cycle: cover property (@(posedge clk) rst);
    Any__Cycle:   cover property (@(posedge clk) 1);
endmodule
