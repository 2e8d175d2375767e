// SPDX-License-Identifier: MIT
// An AXI4 subordinate (bursts, exclusive accesses, AXI5 atomics) before a request port. Reads and
// writes are taken independently of each other; answers leave in any order that their identifiers
// allow. What the port's cache loses becomes a snoop, and no later answer passes it.
module axi4_front
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 64,
    parameter  int ID_BITS      = 4,
    parameter  int TAG_BITS     = 8,
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,
    input  logic [3:0]              error_select,

    input  logic                    awvalid,
    output logic                    awready,
    input  logic [ID_BITS-1:0]      awid,
    input  logic [ADDRESS_BITS-1:0] awaddr,
    input  logic [7:0]              awlen,
    input  logic [2:0]              awsize,
    input  logic [1:0]              awburst,
    input  logic                    awlock,
    input  logic [5:0]              awatop,
    input  logic                    wvalid,
    output logic                    wready,
    input  logic [BUS_BITS-1:0]     wdata,
    input  logic [BUS_BYTES-1:0]    wstrb,
    input  logic                    wlast,
    output logic                    bvalid,
    input  logic                    bready,
    output logic [ID_BITS-1:0]      bid,
    output logic [1:0]              bresp,
    input  logic                    arvalid,
    output logic                    arready,
    input  logic [ID_BITS-1:0]      arid,
    input  logic [ADDRESS_BITS-1:0] araddr,
    input  logic [7:0]              arlen,
    input  logic [2:0]              arsize,
    input  logic [1:0]              arburst,
    input  logic                    arlock,
    output logic                    rvalid,
    input  logic                    rready,
    output logic [ID_BITS-1:0]      rid,
    output logic [BUS_BITS-1:0]     rdata,
    output logic [1:0]              rresp,
    output logic                    rlast,
    output logic                    acvalid,
    input  logic                    acready,
    output logic [ADDRESS_BITS-1:0] acaddr,
    output logic [3:0]              acsnoop,
    input  logic                    crvalid,
    output logic                    crready,

    output logic                    request_valid,
    input  logic                    request_ready,
    output logic [3:0]              request_operation,
    output logic [1:0]              request_width,
    output logic [ADDRESS_BITS-1:0] request_address,
    output logic [DATA_BITS-1:0]    request_data,
    output logic [TAG_BITS-1:0]     request_tag,
    input  logic                    response_valid,
    output logic                    response_ready,
    input  logic [DATA_BITS-1:0]    response_data,
    input  logic                    invalidate_valid,
    input  logic [ADDRESS_BITS-1:0] invalidate_address
);
    localparam int LANE_BITS = $clog2(BUS_BYTES);

    typedef enum logic [3:0] {
        NO_ERROR           = 4'd0,
        LOSES_B            = 4'd1,
        SWAPS_IDS          = 4'd2,      // 3 and 4: see front_engine
        REORDERS_ID        = 4'd5,
        WITHDRAWS_R        = 4'd6,
        ANSWERS_BEFORE_W   = 4'd7,
        REPORTS_ERROR      = 4'd8,      // 9: see front_engine
        LOSES_SNOOP        = 4'd10,
        IGNORES_STROBES    = 4'd11,
        INCREMENTS_WRAP    = 4'd12,
        ENDS_EARLY         = 4'd13,
        GRANTS_ALL         = 4'd14      // exclusive writes succeed whatever was written between
    } error_t;

    // ---- What has been taken.

    typedef struct packed {
        logic [ID_BITS-1:0]      id;
        logic [ADDRESS_BITS-1:0] address;
        logic [7:0]              length;
        logic [2:0]              size;
        logic                    wraps;
        logic                    lock;
        logic [1:0]              atop;
    } transaction_t;

    localparam int BITS = $bits(transaction_t);

    transaction_t         aw, ar;
    logic                 has_aw, has_w, has_ar, aw_crowded, w_crowded, ar_crowded;
    logic                 pop_write, pop_read, is_last_w, is_last_r, unused;
    logic [BUS_BITS-1:0]  w_data;
    logic [BUS_BYTES-1:0] w_strobe;
    logic [7:0]           w_beat, r_beat;
    logic [2:0]           chance;

    assign awready   = !aw_crowded && chance[0];
    assign wready    = !w_crowded && chance[1];
    assign arready   = !ar_crowded && chance[2];
    assign is_last_w = w_beat == aw.length;
    assign is_last_r = r_beat == ar.length;
    assign unused    = &{1'b0, awatop[3:0], awburst[0], arburst[0], wlast, result_address, result_width, w_address,
                         ar.atop, unused_writes};

    always_ff @(posedge clock) begin
        chance <= 3'($urandom_range(7));
        if (reset) begin
            w_beat <= '0;
            r_beat <= '0;
        end else begin
            if (pop_write)
                w_beat <= is_last_w ? '0 : w_beat + 1'b1;
            if (pop_read)
                r_beat <= is_last_r ? '0 : r_beat + 1'b1;
        end
    end

    fifo #(.WIDTH(BITS), .DEPTH(4), .SPARE(2)) addresses (
        .clock, .reset, .push(awvalid && awready),
        .push_item({awid, awaddr, awlen, awsize, awburst[1], awlock, awatop[5:4]}),
        .pop(pop_write && is_last_w), .valid(has_aw), .item(aw), .crowded(aw_crowded)
    );
    fifo #(.WIDTH(BUS_BITS + BUS_BYTES), .DEPTH(4), .SPARE(2)) data (
        .clock, .reset, .push(wvalid && wready), .push_item({wdata, wstrb}), .pop(pop_write),
        .valid(has_w), .item({w_data, w_strobe}), .crowded(w_crowded)
    );
    fifo #(.WIDTH(BITS), .DEPTH(4), .SPARE(2)) reads (
        .clock, .reset, .push(arvalid && arready),
        .push_item({arid, araddr, arlen, arsize, arburst[1], arlock, 2'b00}),
        .pop(pop_read && is_last_r), .valid(has_ar), .item(ar), .crowded(ar_crowded)
    );

    // ---- Beats of reads and writes, in any order. One without strobes is a load that nobody sees.

    typedef struct packed {
        logic [ID_BITS-1:0] id;
        logic               is_write, is_atomic, is_exclusive, is_last;
    } tag_t;

    logic                    job_valid, job_ready, writes, room_r, room_b;
    logic                    result_valid, result_reads, unused_writes, prefers_writes;
    logic [ADDRESS_BITS-1:0] result_address, r_address, w_address;
    logic [1:0]              result_width, width;
    logic [DATA_BITS-1:0]    result_data;
    tag_t                    job, result;
    logic [LANE_BITS-1:0]    lane;
    logic [BUS_BYTES-1:0]    strobe;
    logic [3:0]              operation;

    function automatic logic [ADDRESS_BITS-1:0] address_of(logic [ADDRESS_BITS-1:0] start,
                                                           logic [7:0] length, logic [2:0] size,
                                                           logic wraps, logic [7:0] beat);
        logic [ADDRESS_BITS-1:0] last, at;
        at   = ADDRESS_BITS'(beat) << size;
        at   = beat == '0 ? start : (start >> size << size) + at;
        last = ((ADDRESS_BITS'(length) + 1'b1) << size) - 1'b1;
        return wraps && error_select != INCREMENTS_WRAP ? (start & ~last) | (at & last) : at;
    endfunction

    assign r_address = address_of(ar.address, ar.length, ar.size, ar.wraps, r_beat);
    assign w_address = address_of(aw.address, aw.length, aw.size, aw.wraps, w_beat);
    assign strobe    = error_select == IGNORES_STROBES && w_strobe == '0 ? '1 : w_strobe;

    always_comb begin
        lane = '0;
        for (int i = BUS_BYTES - 1; i >= 0; i--)
            if (strobe[i])
                lane = LANE_BITS'(i);
        width     = $countones(strobe) >= 8 ? 2'd3 : $countones(strobe) >= 4 ? 2'd2 :
                    $countones(strobe) == 2 ? 2'd1 : 2'd0;
        operation = !writes             ? (ar.lock ? LOAD_RESERVED : LOAD)
                  : strobe == '0        ? LOAD
                  : aw.atop == 2'b11    ? SWAP
                  : aw.atop == 2'b10    ? ADD
                  : aw.lock && error_select != GRANTS_ALL ? STORE_CONDITIONAL : STORE;
        job       = writes ? '{id: aw.id, is_write: 1'b1, is_atomic: is_atomic(operation),
                               is_exclusive: aw.lock, is_last: is_last_w}
                           : '{id: ar.id, is_write: 1'b0, is_atomic: 1'b0, is_exclusive: ar.lock,
                               is_last: is_last_r};
    end

    assign writes    = has_aw && has_w && (prefers_writes || !has_ar);
    assign job_valid = (writes || has_ar) && room_r && room_b;
    assign pop_write = job_valid && job_ready && writes;
    assign pop_read  = job_valid && job_ready && !writes;

    always_ff @(posedge clock)
        if (!job_valid || job_ready)
            prefers_writes <= 1'($urandom_range(1));

    front_engine #(
        .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .ID_BITS($bits(tag_t)),
        .TAG_BITS(TAG_BITS)
    ) engine (
        .clock, .reset, .error_select, .job_valid, .job_ready, .job_operation(operation),
        .job_width(writes ? width : ar.size[1:0]),
        .job_address(writes ? {w_address[ADDRESS_BITS-1:LANE_BITS], lane}
                            : r_address >> ar.size << ar.size),
        .job_data(DATA_BITS'(w_data >> {lane, 3'b000})), .job_id(job),
        .result_valid, .result_reads, .result_writes(unused_writes), .result_address,
        .result_width, .result_data, .result_id(result),
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_data
    );

    // ---- Answers.

    logic       snoops, early, has_early, pushes_r, pushes_b;
    logic [1:0] granted;        // EXOKAY

    // A response to the address of a write whose data has not come yet.
    assign early    = error_select == ANSWERS_BEFORE_W && has_aw && !has_w && !has_early &&
                      chance == '0;
    assign pushes_r = result_valid && result_reads && (!result.is_write || result.is_atomic);
    assign pushes_b = result_valid && result.is_write && result.is_last;
    assign granted  = {1'b0, result.is_exclusive && (!result.is_write || result_data == '0 ||
                                                    error_select == GRANTS_ALL)};

    always_ff @(posedge clock)
        if (reset)
            has_early <= 1'b0;
        else if (early)
            has_early <= 1'b1;
        else if (pushes_b)
            has_early <= 1'b0;

    shuffle_queue #(.WIDTH(BUS_BITS + 3), .ID_BITS(ID_BITS)) r_queue (
        .clock, .reset, .unordered(error_select == REORDERS_ID), .swaps(error_select == SWAPS_IDS),
        .withdraws(error_select == WITHDRAWS_R), .loses(1'b0), .hold(snoops), .has_room(room_r),
        .push(pushes_r), .push_id(result.id),
        .push_item({result.is_last || (error_select == ENDS_EARLY && chance == '0),
                    error_select == REPORTS_ERROR && chance == '0 ? 2'b10 : granted,
                    BUS_BITS'(result_data) << {result_address[LANE_BITS-1:0], 3'b000}}),
        .valid(rvalid), .ready(rready), .id(rid), .item({rlast, rresp, rdata})
    );

    shuffle_queue #(.WIDTH(2), .ID_BITS(ID_BITS)) b_queue (
        .clock, .reset, .unordered(1'b0), .swaps(1'b0), .withdraws(1'b0),
        .loses(error_select == LOSES_B), .hold(snoops), .has_room(room_b),
        .push(early || (pushes_b && !has_early)),
        .push_id(early ? aw.id : result.id), .push_item(early ? 2'b00 : granted),
        .valid(bvalid), .ready(bready), .id(bid), .item(bresp)
    );

    // ---- Snoops: MakeInvalid for a block that the cache has lost.

    logic ac_crowded, waits_for_cr;

    fifo #(.WIDTH(ADDRESS_BITS), .DEPTH(16), .SPARE(1)) losses (
        .clock, .reset, .push(invalidate_valid && !(error_select == LOSES_SNOOP)),
        .push_item(invalidate_address), .pop(acvalid && acready), .valid(acvalid), .item(acaddr),
        .crowded(ac_crowded)
    );
    assign acsnoop = 4'b1101;
    assign crready = 1'b1;
    assign snoops  = acvalid || waits_for_cr || invalidate_valid || ac_crowded;

    always_ff @(posedge clock)
        if (reset)
            waits_for_cr <= 1'b0;
        else if (acvalid && acready)
            waits_for_cr <= 1'b1;
        else if (crvalid)
            waits_for_cr <= 1'b0;
endmodule
