// SPDX-License-Identifier: MIT
// A Wishbone B4 subordinate, classic or pipelined, before a request port.
module wishbone_front
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  bit PIPELINED    = 1'b0,
    parameter  int TAG_BITS     = 8,
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,
    input  logic [3:0]              error_select,

    input  logic                    cyc,
    input  logic                    stb,
    input  logic                    we,
    input  logic [ADDRESS_BITS-1:0] adr,
    input  logic [BUS_BITS-1:0]     dat_w,
    input  logic [BUS_BYTES-1:0]    sel,
    output logic [BUS_BITS-1:0]     dat_r,
    output logic                    ack,
    output logic                    err,
    output logic                    rty,
    output logic                    stall,

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
        NO_ERROR     = 4'd0,
        LOSES_ACK    = 4'd1,
        SKIPS_WRITES = 4'd2,    // 3 and 4: see front_engine
        ACKS_TWICE   = 4'd5,
        READS_BUS    = 4'd6,    // the data of the access before
        REPORTS_ERR  = 4'd8
    } error_t;

    // The bytes that are selected begin here, and there are as many.
    logic [LANE_BITS-1:0] lane;
    logic [1:0]           width;
    always_comb begin
        lane = '0;
        for (int i = BUS_BYTES - 1; i >= 0; i--)
            if (sel[i])
                lane = LANE_BITS'(i);
        width = $countones(sel) >= 8 ? 2'd3 : $countones(sel) >= 4 ? 2'd2 :
                $countones(sel) == 2 ? 2'd1 : 2'd0;
    end

    // ---- Requests.

    logic                    has_job, crowded, takes, pop, job_ready, is_write;
    logic [1:0]              job_width;
    logic [ADDRESS_BITS-1:0] job_address;
    logic [BUS_BITS-1:0]     job_data;
    logic [3:0]              chance;
    logic                    was_taken, skips, unused;

    assign stall  = PIPELINED && (crowded || chance[0]);
    assign skips  = error_select == SKIPS_WRITES && we && chance == 4'd2;
    assign takes  = cyc && stb && !stall && !was_taken && !crowded && (PIPELINED || !rty) && !retries;
    assign pop    = has_job && job_ready;
    assign unused = &{1'b0, adr, result_reads, result_writes, result_address, result_width, result_id};

    // Classic: one access now and then is asked for again.
    logic retries;
    assign retries = !PIPELINED && cyc && stb && !was_taken && chance == 4'd7;

    always_ff @(posedge clock) begin
        chance <= 4'($urandom_range(15));
        rty    <= retries && !reset && !rty;
        // Classic: the access stays until it is answered.
        if (reset || PIPELINED || ack || err || rty)
            was_taken <= 1'b0;
        else if (takes || retries)
            was_taken <= 1'b1;
    end

    fifo #(.WIDTH(3 + ADDRESS_BITS + BUS_BITS), .DEPTH(4), .SPARE(2)) requests (
        .clock, .reset, .push(takes),
        .push_item({we && !skips, width, {adr[ADDRESS_BITS-1:LANE_BITS], lane}, dat_w}), .pop,
        .valid(has_job), .item({is_write, job_width, job_address, job_data}), .crowded
    );

    logic                    result_valid, result_reads, result_writes;
    logic [ADDRESS_BITS-1:0] result_address;
    logic [1:0]              result_width;
    logic [DATA_BITS-1:0]    result_data, last_data;
    logic                    result_id;

    front_engine #(
        .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .ID_BITS(1), .TAG_BITS(TAG_BITS)
    ) engine (
        .clock, .reset, .error_select, .job_valid(has_job), .job_ready,
        .job_operation(is_write ? STORE : LOAD), .job_width, .job_address,
        .job_data(DATA_BITS'(job_data >> {job_address[LANE_BITS-1:0], 3'b000})), .job_id(1'b0),
        .result_valid, .result_reads, .result_writes, .result_address, .result_width, .result_data,
        .result_id,
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_data
    );

    // ---- Answers, in order.

    logic repeats;

    always_ff @(posedge clock) begin
        ack       <= ((result_valid && !(error_select == LOSES_ACK && chance == '0)) || repeats) &&
                     !(error_select == REPORTS_ERR && chance == '0) && !reset;
        err       <= result_valid && error_select == REPORTS_ERR && chance == '0 && !reset;
        repeats   <= result_valid && error_select == ACKS_TWICE && chance == '0 && !reset;
        last_data <= result_valid ? result_data : last_data;
        dat_r     <= BUS_BITS'(error_select == READS_BUS && chance == '0 ? last_data : result_data)
                  << {result_address[LANE_BITS-1:0], 3'b000};
    end
endmodule
