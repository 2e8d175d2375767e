// SPDX-License-Identifier: MIT
// From a request port (docs/rtl-port.md) to an AXI4 subordinate. Every access is one beat; its
// identifier is its tag, modulo IDS. Reads and writes of the same bytes never overlap in time, since
// AXI4 does not order them. Swaps and adds are atomic transactions of AXI5 (AWATOP). Snoops that
// invalidate (ACE's AC and CR channels) become invalidations of the port.
module collider_axi4_adapter
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 64,
    parameter  int ID_BITS      = 4,
    parameter  int IDS          = 16,       // at most 2 ** ID_BITS
    parameter  int TAG_BITS     = 4,
    parameter  int MOST         = 8,        // reads, and writes, that are under way
    parameter  bit VARY         = 1'b1,     // addresses and data of writes come at random distances
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,

    input  logic                    request_valid,
    output logic                    request_ready,
    input  logic [3:0]              request_operation,
    input  logic [1:0]              request_width,
    input  logic [ADDRESS_BITS-1:0] request_address,
    input  logic [DATA_BITS-1:0]    request_data,
    input  logic [TAG_BITS-1:0]     request_tag,
    output logic                    response_valid,
    input  logic                    response_ready,
    output logic [TAG_BITS-1:0]     response_tag,
    output logic [DATA_BITS-1:0]    response_data,
    output logic                    invalidate_valid,
    output logic [ADDRESS_BITS-1:0] invalidate_address,

    output logic                    awvalid,
    input  logic                    awready,
    output logic [ID_BITS-1:0]      awid,
    output logic [ADDRESS_BITS-1:0] awaddr,
    output logic [2:0]              awsize,
    output logic [1:0]              awburst,
    output logic [5:0]              awatop,
    output logic                    wvalid,
    input  logic                    wready,
    output logic [BUS_BITS-1:0]     wdata,
    output logic [BUS_BYTES-1:0]    wstrb,
    output logic                    wlast,
    input  logic                    bvalid,
    output logic                    bready,
    input  logic [ID_BITS-1:0]      bid,
    input  logic [1:0]              bresp,
    output logic                    arvalid,
    input  logic                    arready,
    output logic [ID_BITS-1:0]      arid,
    output logic [ADDRESS_BITS-1:0] araddr,
    output logic [2:0]              arsize,
    output logic [1:0]              arburst,
    input  logic                    rvalid,
    output logic                    rready,
    input  logic [ID_BITS-1:0]      rid,
    input  logic [BUS_BITS-1:0]     rdata,
    input  logic [1:0]              rresp,

    input  logic                    acvalid,
    output logic                    acready,
    input  logic [ADDRESS_BITS-1:0] acaddr,
    input  logic [3:0]              acsnoop,
    output logic                    crvalid,
    input  logic                    crready,
    output logic                    rack,
    output logic                    wack
);
    localparam int LANE_BITS = $clog2(BUS_BYTES);

    localparam logic [1:0] INCREMENT      = 2'b01;
    localparam logic [1:0] OKAY           = 2'b00;
    localparam logic [5:0] ATOMIC_SWAP    = 6'b110000;
    localparam logic [5:0] ATOMIC_ADD     = 6'b100000;     // a load, little-endian
    localparam logic [3:0] READ_UNIQUE    = 4'b0111;
    localparam logic [3:0] CLEAN_INVALID  = 4'b1001;
    localparam logic [3:0] MAKE_INVALID   = 4'b1101;

    // ---- Requests.

    logic [ID_BITS-1:0] request_id;
    logic               reads, writes, locally, take, take_write;
    logic               ar_full, aw_full, w_full;
    logic               read_overlaps, read_shares, read_full, no_reads;
    logic               write_overlaps, write_shares, write_full, no_writes;
    logic               atomic_busy, atomic_done, can_load;
    logic [ID_BITS-1:0] atomic_id;
    logic               can_begin;

    assign request_id = ID_BITS'(32'(request_tag) % IDS);
    assign reads      = request_operation == LOAD || is_atomic(request_operation);
    assign writes     = request_operation == STORE || is_atomic(request_operation);
    assign locally    = is_local(request_operation);

    // An atomic has its identifier to itself.
    always_comb begin
        can_begin = !read_overlaps && !write_overlaps;
        if (is_atomic(request_operation))
            can_begin = can_begin && !atomic_busy && !read_shares && !write_shares;
        if (atomic_busy && request_id == atomic_id)
            can_begin = 1'b0;
        if (reads && read_full)
            can_begin = 1'b0;
        if (request_operation == LOAD && ar_full)
            can_begin = 1'b0;
        if (writes && (write_full || aw_full || w_full))
            can_begin = 1'b0;
        if (locally)
            can_begin = no_reads && no_writes && !atomic_busy && can_load;
    end

    assign request_ready = can_begin;
    assign take          = request_valid && request_ready;
    assign take_write    = take && writes;

    logic                    read_found, write_found, answers_read, answers_write;
    logic [ADDRESS_BITS-1:0] read_address, write_address;
    logic [1:0]              read_width, write_width;
    logic [TAG_BITS-1:0]     read_tag, write_tag;

    collider_under_way #(
        .ENTRIES(MOST), .ADDRESS_BITS(ADDRESS_BITS), .TAG_BITS(TAG_BITS), .ID_BITS(ID_BITS)
    ) under_way_reads (
        .clock, .reset, .push(take && reads), .address(request_address), .width(request_width),
        .tag(request_tag), .id(request_id), .overlaps(read_overlaps), .shares_id(read_shares),
        .full(read_full), .empty(no_reads), .pop(answers_read), .answered_id(rid),
        .found(read_found), .found_address(read_address), .found_width(read_width),
        .found_tag(read_tag)
    );

    collider_under_way #(
        .ENTRIES(MOST), .ADDRESS_BITS(ADDRESS_BITS), .TAG_BITS(TAG_BITS), .ID_BITS(ID_BITS)
    ) under_way_writes (
        .clock, .reset, .push(take_write), .address(request_address), .width(request_width),
        .tag(request_tag), .id(request_id), .overlaps(write_overlaps), .shares_id(write_shares),
        .full(write_full), .empty(no_writes), .pop(answers_write), .answered_id(bid),
        .found(write_found), .found_address(write_address), .found_width(write_width),
        .found_tag(write_tag)
    );

    // ---- The channels of a request. Those of a write may wait for some cycles, each for itself.

    logic [1:0] aw_wait, w_wait;

    assign arvalid = ar_full;
    assign awvalid = aw_full && aw_wait == '0;
    assign wvalid  = w_full && w_wait == '0;
    assign arburst = INCREMENT;
    assign awburst = INCREMENT;
    assign wlast   = 1'b1;

    always_ff @(posedge clock)
        if (reset) begin
            ar_full <= 1'b0;
            aw_full <= 1'b0;
            w_full  <= 1'b0;
            aw_wait <= '0;
            w_wait  <= '0;
        end else begin
            if (arvalid && arready)
                ar_full <= 1'b0;
            if (awvalid && awready)
                aw_full <= 1'b0;
            if (wvalid && wready)
                w_full <= 1'b0;
            if (aw_wait != '0)
                aw_wait <= aw_wait - 1'b1;
            if (w_wait != '0)
                w_wait <= w_wait - 1'b1;
            if (take && request_operation == LOAD) begin
                ar_full <= 1'b1;
                arid    <= request_id;
                araddr  <= request_address;
                arsize  <= {1'b0, request_width};
            end
            if (take_write) begin
                aw_full <= 1'b1;
                awid    <= request_id;
                awaddr  <= request_address;
                awsize  <= {1'b0, request_width};
                awatop  <= request_operation == SWAP ? ATOMIC_SWAP
                         : request_operation == ADD ? ATOMIC_ADD : '0;
                w_full  <= 1'b1;
                wdata   <= BUS_BITS'(request_data) << {request_address[LANE_BITS-1:0], 3'b000};
                wstrb   <= BUS_BYTES'(bytes_of(request_width)) << request_address[LANE_BITS-1:0];
                if (VARY && $urandom_range(1) == 1) begin
                    aw_wait <= 2'($urandom_range(3));
                    w_wait  <= 2'($urandom_range(3));
                end
            end
        end

    // ---- Responses, one in a cycle: of an atomic that has both, of reads, of writes, of fences.

    logic [DATA_BITS-1:0] word, atomic_word;
    logic [TAG_BITS-1:0]  atomic_tag;
    logic                 atomic_read, atomic_written, read_is_atomic, write_is_atomic;

    assign can_load        = !response_valid || response_ready;
    assign atomic_done     = atomic_busy && atomic_read && atomic_written;
    assign rready          = can_load && !atomic_done;
    assign bready          = can_load && !atomic_done && !rvalid;
    assign answers_read    = rvalid && rready;
    assign answers_write   = bvalid && bready;
    assign read_is_atomic  = atomic_busy && rid == atomic_id;
    assign write_is_atomic = atomic_busy && bid == atomic_id;
    assign word            = DATA_BITS'(rdata >> {read_address[LANE_BITS-1:0], 3'b000})
                           & DATA_BITS'(bits_of(read_width));

    always_ff @(posedge clock)
        if (reset) begin
            response_valid <= 1'b0;
            atomic_busy    <= 1'b0;
        end else begin
            if (response_ready)
                response_valid <= 1'b0;
            if (can_load && atomic_done) begin
                response_valid <= 1'b1;
                response_tag   <= atomic_tag;
                response_data  <= atomic_word;
                atomic_busy    <= 1'b0;
            end
            if (answers_read && read_is_atomic) begin
                atomic_read <= 1'b1;
                atomic_word <= word;
            end else if (answers_read) begin
                response_valid <= 1'b1;
                response_tag   <= read_tag;
                response_data  <= word;
            end
            if (answers_write && write_is_atomic) begin
                atomic_written <= 1'b1;
            end else if (answers_write) begin
                response_valid <= 1'b1;
                response_tag   <= write_tag;
                response_data  <= '0;
            end
            if (take && locally) begin
                response_valid <= 1'b1;
                response_tag   <= request_tag;
                response_data  <= '0;
            end
            if (take && is_atomic(request_operation)) begin
                atomic_busy    <= 1'b1;
                atomic_read    <= 1'b0;
                atomic_written <= 1'b0;
                atomic_id      <= request_id;
                atomic_tag     <= request_tag;
            end
        end

    // ---- Snoops: nothing is cached here, so the answer is always that there is no data.

    assign acready            = !crvalid;
    assign invalidate_valid   = acvalid && acready && !reset &&
                                (acsnoop == READ_UNIQUE || acsnoop == CLEAN_INVALID ||
                                 acsnoop == MAKE_INVALID);
    assign invalidate_address = acaddr;

    always_ff @(posedge clock) begin
        if (reset)
            crvalid <= 1'b0;
        else if (acvalid && acready)
            crvalid <= 1'b1;
        else if (crready)
            crvalid <= 1'b0;
        rack <= answers_read && !reset;
        wack <= answers_write && !reset;
    end

    // ---- What the port cannot pass on.

    always_ff @(posedge clock)
        if (!reset) begin
            if (take)
                assert (request_operation <= FLUSH)
                else $error("AXI4: operation %0d is not supported", request_operation);
            if (answers_read) begin
                assert (read_found)
                else $error("AXI4: a read response (R) with RID %0d, which is not under way", rid);
                assert (!read_found || rresp == OKAY)
                else $error("AXI4: RRESP is %0d for the read of %0d bytes at %0h", rresp,
                            4'd1 << read_width, read_address);
            end
            if (answers_write) begin
                assert (write_found)
                else $error("AXI4: a write response (B) with BID %0d, which is not under way", bid);
                assert (!write_found || bresp == OKAY)
                else $error("AXI4: BRESP is %0d for the write of %0d bytes at %0h", bresp,
                            4'd1 << write_width, write_address);
            end
        end
endmodule
