// SPDX-License-Identifier: MIT
// The accesses of a bus that answers in order, from where it takes them to their answers. Strobes say
// where the bytes of an access are; without any it changes nothing. Errors 1, 2, 5, 6, 8 and 11 of
// README.md are here, for all such buses.
module job_queue
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  int TAG_BITS     = 8,
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,
    input  logic [3:0]              error_select,

    input  logic                    push,
    input  logic [3:0]              operation,
    input  logic [ADDRESS_BITS-1:0] address,
    input  logic [BUS_BITS-1:0]     data,
    input  logic [BUS_BYTES-1:0]    strobe,
    output logic                    crowded,        // fewer than two places are left
    output logic                    answered,       // for a cycle
    output logic                    fails,
    output logic [BUS_BITS-1:0]     answer,

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
        LOSES_ANSWER    = 4'd1,
        SKIPS_WRITES    = 4'd2,     // 3, 4 and 9: see front_engine
        ANSWERS_TWICE   = 4'd5,
        ANSWERS_LAST    = 4'd6,     // with the data of the access before
        REPORTS_ERROR   = 4'd8,
        IGNORES_STROBES = 4'd11
    } error_t;

    // The bytes that are selected begin at a lane, and there are as many.
    logic [BUS_BYTES-1:0] selected;
    logic [LANE_BITS-1:0] lane;
    logic [1:0]           width;
    logic                 skips;
    logic [3:0]           chance;

    assign selected = error_select == IGNORES_STROBES ? '1 : strobe;
    assign skips    = selected == '0 || (error_select == SKIPS_WRITES && chance == '0);

    always_comb begin
        lane = '0;
        for (int i = BUS_BYTES - 1; i >= 0; i--)
            if (selected[i])
                lane = LANE_BITS'(i);
        width = $countones(selected) >= 8 ? 2'd3 : $countones(selected) >= 4 ? 2'd2 :
                $countones(selected) == 2 ? 2'd1 : 2'd0;
    end

    logic                    job_valid, job_ready, unused;
    logic [3:0]              job_operation;
    logic [1:0]              job_width;
    logic [ADDRESS_BITS-1:0] job_address;
    logic [BUS_BITS-1:0]     job_data;

    fifo #(.WIDTH(6 + ADDRESS_BITS + BUS_BITS), .DEPTH(4), .SPARE(2)) jobs (
        .clock, .reset, .push,
        .push_item({skips ? LOAD : operation, width, address[ADDRESS_BITS-1:LANE_BITS], lane, data}),
        .pop(job_valid && job_ready), .valid(job_valid),
        .item({job_operation, job_width, job_address, job_data}), .crowded
    );

    logic                    result_valid, result_reads, result_writes, result_id;
    logic [ADDRESS_BITS-1:0] result_address;
    logic [1:0]              result_width;
    logic [DATA_BITS-1:0]    result_data, last_data;

    front_engine #(
        .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .ID_BITS(1), .TAG_BITS(TAG_BITS)
    ) engine (
        .clock, .reset, .error_select, .job_valid, .job_ready, .job_operation, .job_width,
        .job_address, .job_data(DATA_BITS'(job_data >> {job_address[LANE_BITS-1:0], 3'b000})),
        .job_id(1'b0), .result_valid, .result_reads, .result_writes, .result_address,
        .result_width, .result_data, .result_id,
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_data
    );
    assign unused = &{1'b0, address, result_reads, result_writes, result_address, result_width,
                      result_id};

    logic repeats;

    always_ff @(posedge clock) begin
        chance    <= 4'($urandom_range(15));
        answered  <= !reset && (repeats || (result_valid &&
                                            !(error_select == LOSES_ANSWER && chance == '0)));
        repeats   <= !reset && result_valid && error_select == ANSWERS_TWICE && chance == '0;
        fails     <= error_select == REPORTS_ERROR && chance == '0;
        last_data <= result_valid ? result_data : last_data;
        answer    <= BUS_BITS'(error_select == ANSWERS_LAST && chance == '0 ? last_data : result_data)
                  << {result_address[LANE_BITS-1:0], 3'b000};
    end
endmodule
