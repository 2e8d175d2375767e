// SPDX-License-Identifier: MIT
// An AXI4 subordinate (one beat in each transaction, AXI5 atomics) before a request port. Reads and
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
    input  logic [2:0]              awsize,
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
    input  logic [2:0]              arsize,
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
        LOSES_SNOOP        = 4'd10
    } error_t;

    // ---- What has been taken.

    logic                    has_aw, has_w, has_ar, aw_crowded, w_crowded, ar_crowded;
    logic                    pop_write, pop_read;
    logic [ID_BITS-1:0]      aw_id, ar_id;
    logic [ADDRESS_BITS-1:0] aw_address, ar_address;
    logic [1:0]              aw_width, ar_width;
    logic [1:0]              aw_atop;
    logic [BUS_BITS-1:0]     w_data;
    logic [2:0]              chance;
    logic                    unused;

    assign awready = !aw_crowded && chance[0];
    assign wready  = !w_crowded && chance[1];
    assign arready = !ar_crowded && chance[2];
    assign unused  = &{1'b0, awsize[2], arsize[2], awatop[3:0], wstrb, wlast, result_address,
                       result_width};

    always_ff @(posedge clock) chance <= 3'($urandom_range(7));

    fifo #(.WIDTH(ID_BITS + ADDRESS_BITS + 4), .DEPTH(4), .SPARE(2)) addresses (
        .clock, .reset, .push(awvalid && awready), .push_item({awid, awaddr, awsize[1:0], awatop[5:4]}),
        .pop(pop_write), .valid(has_aw), .item({aw_id, aw_address, aw_width, aw_atop}),
        .crowded(aw_crowded)
    );
    fifo #(.WIDTH(BUS_BITS), .DEPTH(4), .SPARE(2)) data (
        .clock, .reset, .push(wvalid && wready), .push_item(wdata), .pop(pop_write),
        .valid(has_w), .item(w_data), .crowded(w_crowded)
    );
    fifo #(.WIDTH(ID_BITS + ADDRESS_BITS + 2), .DEPTH(4), .SPARE(2)) reads (
        .clock, .reset, .push(arvalid && arready), .push_item({arid, araddr, arsize[1:0]}),
        .pop(pop_read), .valid(has_ar), .item({ar_id, ar_address, ar_width}), .crowded(ar_crowded)
    );

    // ---- Reads and writes in any order.

    logic                    job_valid, job_ready, writes, room_r, room_b;
    logic                    result_valid, result_reads, result_writes;
    logic [ADDRESS_BITS-1:0] result_address;
    logic [1:0]              result_width;
    logic [DATA_BITS-1:0]    result_data;
    logic [ID_BITS-1:0]      result_id;
    logic                    prefers_writes;

    assign writes    = has_aw && has_w && (prefers_writes || !has_ar);
    assign job_valid = (writes || has_ar) && room_r && room_b;
    assign pop_write = job_valid && job_ready && writes;
    assign pop_read  = job_valid && job_ready && !writes;

    always_ff @(posedge clock)
        if (!job_valid || job_ready)
            prefers_writes <= 1'($urandom_range(1));

    front_engine #(
        .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .ID_BITS(ID_BITS), .TAG_BITS(TAG_BITS)
    ) engine (
        .clock, .reset, .error_select, .job_valid, .job_ready,
        .job_operation(!writes ? LOAD : aw_atop == 2'b11 ? SWAP : aw_atop == 2'b10 ? ADD : STORE),
        .job_width(writes ? aw_width : ar_width), .job_address(writes ? aw_address : ar_address),
        .job_data(DATA_BITS'(w_data >> {aw_address[LANE_BITS-1:0], 3'b000})),
        .job_id(writes ? aw_id : ar_id),
        .result_valid, .result_reads, .result_writes, .result_address, .result_width, .result_data,
        .result_id,
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_data
    );

    // ---- Answers.

    logic snoops, early, has_early;

    // A response to the address of a write whose data has not come yet.
    assign early = error_select == ANSWERS_BEFORE_W && has_aw && !has_w && !has_early && chance == '0;

    always_ff @(posedge clock)
        if (reset)
            has_early <= 1'b0;
        else if (early)
            has_early <= 1'b1;
        else if (result_valid && result_writes)
            has_early <= 1'b0;

    shuffle_queue #(.WIDTH(BUS_BITS + 2), .ID_BITS(ID_BITS)) r_queue (
        .clock, .reset, .unordered(error_select == REORDERS_ID), .swaps(error_select == SWAPS_IDS),
        .withdraws(error_select == WITHDRAWS_R), .loses(1'b0), .hold(snoops), .has_room(room_r),
        .push(result_valid && result_reads), .push_id(result_id),
        .push_item({error_select == REPORTS_ERROR && chance == '0 ? 2'b10 : 2'b00,
                    BUS_BITS'(result_data) << {result_address[LANE_BITS-1:0], 3'b000}}),
        .valid(rvalid), .ready(rready), .id(rid), .item({rresp, rdata})
    );
    assign rlast = 1'b1;

    shuffle_queue #(.WIDTH(2), .ID_BITS(ID_BITS)) b_queue (
        .clock, .reset, .unordered(1'b0), .swaps(1'b0), .withdraws(1'b0),
        .loses(error_select == LOSES_B), .hold(snoops), .has_room(room_b),
        .push(early || (result_valid && result_writes && !has_early)),
        .push_id(early ? aw_id : result_id), .push_item(2'b00),
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
