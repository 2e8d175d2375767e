// SPDX-License-Identifier: MIT
// A TileLink subordinate (TL-UH, one beat) before a request port. Answers leave in any order.
module tilelink_front
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 64,
    parameter  int ID_BITS      = 4,
    parameter  int SIZE_BITS    = 3,
    parameter  int TAG_BITS     = 8,
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,
    input  logic [3:0]              error_select,

    input  logic                    a_valid,
    output logic                    a_ready,
    input  logic [2:0]              a_opcode,
    input  logic [SIZE_BITS-1:0]    a_size,
    input  logic [ID_BITS-1:0]      a_source,
    input  logic [ADDRESS_BITS-1:0] a_address,
    input  logic [BUS_BYTES-1:0]    a_mask,
    input  logic [BUS_BITS-1:0]     a_data,
    output logic                    d_valid,
    input  logic                    d_ready,
    output logic [2:0]              d_opcode,
    output logic [SIZE_BITS-1:0]    d_size,
    output logic [ID_BITS-1:0]      d_source,
    output logic [BUS_BITS-1:0]     d_data,
    output logic                    d_denied,
    output logic                    d_corrupt,

    output logic                    request_valid,
    input  logic                    request_ready,
    output logic [3:0]              request_operation,
    output logic [1:0]              request_width,
    output logic [ADDRESS_BITS-1:0] request_address,
    output logic [DATA_BITS-1:0]    request_data,
    output logic [TAG_BITS-1:0]     request_tag,
    input  logic                    response_valid,
    output logic                    response_ready,
    input  logic [DATA_BITS-1:0]    response_data
);
    localparam int LANE_BITS = $clog2(BUS_BYTES);

    typedef enum logic [3:0] {
        NO_ERROR        = 4'd0,
        LOSES_D         = 4'd1,
        SWAPS_SOURCES   = 4'd2,     // 3 and 4: see front_engine
        ANSWERS_NOBODY  = 4'd5,
        CONFUSES_OPCODE = 4'd6,
        CORRUPTS        = 4'd7,
        DENIES          = 4'd8      // 9: see front_engine
    } error_t;

    // ---- Requests.

    logic                    has_a, crowded, pop, job_ready, has_room;
    logic [2:0]              opcode;
    logic [1:0]              width;
    logic [ID_BITS-1:0]      source;
    logic [ADDRESS_BITS-1:0] address;
    logic [BUS_BITS-1:0]     data;
    logic [3:0]              chance;
    logic                    unused;

    assign a_ready = !crowded && chance[0];
    assign pop     = has_a && has_room && job_ready;
    assign unused  = &{1'b0, a_size, a_mask, result_writes, result_address};

    always_ff @(posedge clock) chance <= 4'($urandom_range(15));

    fifo #(.WIDTH(5 + ID_BITS + ADDRESS_BITS + BUS_BITS), .DEPTH(4), .SPARE(2)) requests (
        .clock, .reset, .push(a_valid && a_ready),
        .push_item({a_opcode, a_size[1:0], a_source, a_address, a_data}), .pop, .valid(has_a),
        .item({opcode, width, source, address, data}), .crowded
    );

    function automatic logic [3:0] operation_of(logic [2:0] code);
        case (code)
            3'd4:    return LOAD;
            3'd3:    return SWAP;
            3'd2:    return ADD;
            default: return STORE;
        endcase
    endfunction

    logic                    result_valid, result_reads, result_writes;
    logic [ADDRESS_BITS-1:0] result_address;
    logic [1:0]              result_width;
    logic [DATA_BITS-1:0]    result_data;
    logic [ID_BITS-1:0]      result_id;

    front_engine #(
        .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .ID_BITS(ID_BITS), .TAG_BITS(TAG_BITS)
    ) engine (
        .clock, .reset, .error_select, .job_valid(has_a && has_room), .job_ready,
        .job_operation(operation_of(opcode)), .job_width(width), .job_address(address),
        .job_data(DATA_BITS'(data >> {address[LANE_BITS-1:0], 3'b000})), .job_id(source),
        .result_valid, .result_reads, .result_writes, .result_address, .result_width, .result_data,
        .result_id,
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_data
    );

    // ---- Answers.

    logic is_rare;
    assign is_rare = chance == '0;

    shuffle_queue #(.WIDTH(BUS_BITS + 7), .ID_BITS(ID_BITS)) answers (
        .clock, .reset, .unordered(1'b1), .swaps(error_select == SWAPS_SOURCES), .withdraws(1'b0),
        .loses(error_select == LOSES_D), .hold(1'b0), .has_room,
        .push(result_valid),
        .push_id(error_select == ANSWERS_NOBODY && is_rare ? ~result_id : result_id),
        .push_item({error_select == DENIES && is_rare, error_select == CORRUPTS && is_rare,
                    2'b00, result_reads ^ (error_select == CONFUSES_OPCODE && is_rare), result_width,
                    BUS_BITS'(result_data) << {result_address[LANE_BITS-1:0], 3'b000}}),
        .valid(d_valid), .ready(d_ready), .id(d_source),
        .item({d_denied, d_corrupt, d_opcode, d_size[1:0], d_data})
    );
    assign d_size[SIZE_BITS-1:2] = '0;
endmodule
