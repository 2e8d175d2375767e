// SPDX-License-Identifier: MIT
// One memory behind request ports: sequentially consistent. One access performs in a cycle. A port
// that performs while it is locked keeps the others out until it no longer is. A port reserves one
// word. All words are 0 first.
module shared_memory
    import collider_adapter_package::*;
#(
    parameter int PORTS        = 4,
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS    = 64,
    parameter int TAG_BITS     = 8,
    parameter int WORDS        = 2048
) (
    input  logic                               clock,
    input  logic                               reset,
    input  logic                               stall,
    input  logic [PORTS-1:0]                   locked,

    input  logic [PORTS-1:0]                   request_valid,
    output logic [PORTS-1:0]                   request_ready,
    input  logic [PORTS-1:0][3:0]              request_operation,
    input  logic [PORTS-1:0][1:0]              request_width,
    input  logic [PORTS-1:0][ADDRESS_BITS-1:0] request_address,
    input  logic [PORTS-1:0][DATA_BITS-1:0]    request_data,
    input  logic [PORTS-1:0][TAG_BITS-1:0]     request_tag,
    output logic [PORTS-1:0]                   response_valid,
    input  logic [PORTS-1:0]                   response_ready,
    output logic [PORTS-1:0][TAG_BITS-1:0]     response_tag,
    output logic [PORTS-1:0][DATA_BITS-1:0]    response_data
);
    localparam int LANE_BITS = $clog2(DATA_BITS / 8);
    localparam int WORD_BITS = $clog2(WORDS);
    localparam int PORT_BITS = PORTS > 1 ? $clog2(PORTS) : 1;

    logic [DATA_BITS-1:0] words[WORDS];
    initial for (int i = 0; i < WORDS; i++) words[i] = '0;

    logic [PORT_BITS-1:0] turn, chosen, owner;
    logic                 performs, is_owned;

    function automatic logic may(logic [PORT_BITS-1:0] p);
        return request_valid[p] && (!response_valid[p] || response_ready[p]) &&
               (!is_owned || owner == p);
    endfunction

    // The first that may, from the one whose turn it is.
    always_comb begin
        chosen   = turn;
        performs = 1'b0;
        for (int i = PORTS - 1; i >= 0; i--)
            if (may(PORT_BITS'((32'(turn) + i) % PORTS))) begin
                chosen   = PORT_BITS'((32'(turn) + i) % PORTS);
                performs = !stall;
            end
        request_ready         = '0;
        request_ready[chosen] = performs;
    end

    logic [WORD_BITS-1:0]    index;
    logic [LANE_BITS+2:0]    shift;
    logic [DATA_BITS-1:0]    mask, old_word, operand, new_word;
    logic [PORTS-1:0]        reserved;
    logic [WORD_BITS-1:0]    reservations[PORTS];
    logic                    conditional, writes;
    logic [ADDRESS_BITS-1:0] address;
    logic                    unused;

    assign address  = request_address[chosen];
    assign index    = address[LANE_BITS +: WORD_BITS];
    assign shift    = {address[LANE_BITS-1:0], 3'b000};
    assign mask     = DATA_BITS'(bits_of(request_width[chosen]));
    assign old_word = (words[index] >> shift) & mask;
    assign operand  = request_data[chosen];
    assign new_word = (request_operation[chosen] == ADD ? old_word + operand : operand) & mask;
    assign unused   = &{1'b0, address};

    assign conditional = request_operation[chosen] == STORE_CONDITIONAL;
    assign writes      = request_operation[chosen] == STORE ||
                         is_atomic(request_operation[chosen]) ||
                         (conditional && reserved[chosen] && reservations[chosen] == index);

    always_ff @(posedge clock) begin
        turn <= PORT_BITS'($urandom_range(PORTS - 1));
        if (reset) begin
            response_valid <= '0;
            is_owned       <= 1'b0;
            reserved       <= '0;
        end else begin
            response_valid <= response_valid & ~response_ready;
            if (is_owned && !locked[owner])
                is_owned <= 1'b0;
            if (performs) begin
                response_valid[chosen] <= 1'b1;
                response_tag[chosen]   <= request_tag[chosen];
                response_data[chosen]  <= conditional ? DATA_BITS'(!writes) : old_word;
                is_owned               <= locked[chosen];
                owner                  <= chosen;
                if (writes) begin
                    words[index] <= (words[index] & ~(mask << shift)) | (new_word << shift);
                    for (int p = 0; p < PORTS; p++)
                        if (reservations[p] == index)
                            reserved[p] <= 1'b0;
                end
                if (request_operation[chosen] == LOAD_RESERVED) begin
                    reserved[chosen]     <= 1'b1;
                    reservations[chosen] <= index;
                end
            end
        end
    end
endmodule
