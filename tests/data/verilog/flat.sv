// SPDX-License-Identifier: MIT
// A memory with a request port for each of its agents and no caches: sequential consistency. A
// request waits for its turn, and for `slow` to let it; then it is performed and answered. The
// errors of `error_select`: 1, a load may return what the word was before the last write to it; 2,
// a swap forgets to write; 3, the third port is never answered; 4, answers have a wrong tag; 5, an
// assertion fails; 6, $fatal.
module flat #(
    parameter int PORTS = 3,
    parameter int WORDS = 1024
) (
    input  logic                   clk,
    input  logic                   rst_n,
    input  logic [3:0]             error_select,
    input  logic [PORTS-1:0]       slow,

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
    logic [63:0] words [WORDS];
    logic [63:0] old_words [WORDS];
    logic [7:0]  age;

    for (genvar p = 0; p < PORTS; p++) begin : port
        agent #(.NUMBER(p)) front (
            .clk, .rst_n, .error_select, .may_perform(turn == p && !slow[p]),
            .request_valid(request_valid[p]), .request_ready(request_ready[p]),
            .request_operation(request_operation[p]), .request_address(request_address[p]),
            .request_data(request_data[p]), .request_tag(request_tag[p]),
            .response_valid(response_valid[p]), .response_ready(response_ready[p]),
            .response_tag(response_tag[p]), .response_data(response_data[p]),
            .commit_valid(commit_valid[p]), .commit_tag(commit_tag[p]),
            .commit_old(commit_old[p]),
            .performs(performs[p]), .writes(writes[p]), .address(addresses[p]),
            .word(words[INDEX'(addresses[p] >> 3)]), .old_word(old_words[INDEX'(addresses[p] >> 3)]),
            .written(written[p]), .is_late(age[6:0] == '1)
        );
    end

    int unsigned            turn;
    logic [PORTS-1:0]       performs, writes;
    logic [PORTS-1:0][31:0] addresses;
    logic [PORTS-1:0][63:0] written;

    always_ff @(posedge clk) begin
        turn <= turn == PORTS - 1 ? 0 : turn + 1;
        age  <= age + 1;
        for (int p = 0; p < PORTS; p++)
            if (performs[p] && writes[p]) begin
                words[INDEX'(addresses[p] >> 3)]     <= written[p];
                old_words[INDEX'(addresses[p] >> 3)] <= words[INDEX'(addresses[p] >> 3)];
            end
        if (!rst_n) begin
            turn <= 0;
            age  <= 0;
        end
        if (error_select == 6 && age == 100) $fatal(1, "the memory is tired");
    end

    nobody_is_alone: assert property (@(posedge clk) disable iff (!rst_n)
        !(error_select == 5 && age == 100));
endmodule

module agent #(parameter int NUMBER = 0) (
    input  logic        clk, rst_n,
    input  logic [3:0]  error_select,
    input  logic        may_perform, is_late,
    input  logic        request_valid,
    output logic        request_ready,
    input  logic [3:0]  request_operation,
    input  logic [31:0] request_address,
    input  logic [63:0] request_data,
    input  logic [3:0]  request_tag,
    output logic        response_valid,
    input  logic        response_ready,
    output logic [3:0]  response_tag,
    output logic [63:0] response_data,
    output logic        commit_valid,
    output logic [3:0]  commit_tag,
    output logic [63:0] commit_old,
    output logic        performs, writes,
    output logic [31:0] address,
    input  logic [63:0] word, old_word,
    output logic [63:0] written
);
    typedef enum logic [1:0] { Idle, Waiting, Answering } state_t;
    state_t      state;
    logic [3:0]  operation, tag;
    logic [63:0] data;

    assign request_ready  = state == Idle;
    assign performs       = state == Waiting && may_perform;
    assign writes         = operation == 1 || operation == 3 || (operation == 2 && error_select != 2);
    assign written        = operation == 3 ? word + data : data;
    assign commit_valid   = performs && (operation inside {1, 2, 3});
    assign commit_tag     = tag;
    assign commit_old     = word;
    assign response_valid = state == Answering && !(error_select == 3 && NUMBER == 2);
    assign response_tag   = error_select == 4 && is_late ? ~tag : tag;

    always_ff @(posedge clk) begin
        case (state)
            Idle:
                if (request_valid) begin
                    state     <= Waiting;
                    operation <= request_operation;
                    address   <= request_address;
                    data      <= request_data;
                    tag       <= request_tag;
                end
            Waiting:
                if (may_perform) begin
                    state         <= Answering;
                    response_data <= error_select == 1 && operation == 0 && is_late ? old_word : word;
                end
            Answering: if (response_valid && response_ready) state <= Idle;
            default: ;
        endcase
        if (!rst_n) state <= Idle;
    end

    Idle__Request:      cover property (@(posedge clk) state == Idle && request_valid);
    Waiting__Load:      cover property (@(posedge clk) performs && operation == 0);
    Waiting__Store:     cover property (@(posedge clk) performs && operation == 1);
    Waiting__Atomic:    cover property (@(posedge clk) performs && (operation == 2 || operation == 3));
    Waiting__Never:     cover property (@(posedge clk) performs && operation == 9);
    Answering__Taken:   cover property (@(posedge clk) response_valid && response_ready);
    Answering__Refused: cover property (@(posedge clk) response_valid && !response_ready);
endmodule
