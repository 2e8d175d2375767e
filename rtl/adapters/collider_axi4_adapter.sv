// SPDX-License-Identifier: MIT
// From a request port (docs/rtl-port.md) to an AXI4 subordinate. An access is one beat, alone or in a
// burst whose other beats do no harm: what they read is ignored, and they write without strobes.
// Identifiers are used again while others of them are under way. Reads and writes of the same bytes
// never overlap in time, since AXI4 does not order them. Swaps and adds are atomic transactions of
// AXI5 (AWATOP), or exclusive reads and writes that are repeated until they succeed. Snoops that
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
    parameter  int BURSTS       = 0,        // 0: single beats; 1: INCR, too; 2: WRAP, too
    parameter  int BURST_BYTES  = 64,       // a power of two: bursts stay within this many
    parameter  bit EXCLUSIVE    = 1'b0,     // swaps and adds are exclusive accesses
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
    output logic [7:0]              awlen,
    output logic [2:0]              awsize,
    output logic [1:0]              awburst,
    output logic                    awlock,
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
    output logic [7:0]              arlen,
    output logic [2:0]              arsize,
    output logic [1:0]              arburst,
    output logic                    arlock,
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
    localparam logic [1:0] WRAP           = 2'b10;
    localparam logic [1:0] OKAY           = 2'b00;
    localparam logic [1:0] EXCLUSIVE_OKAY = 2'b01;
    localparam logic [5:0] ATOMIC_SWAP    = 6'b110000;
    localparam logic [5:0] ATOMIC_ADD     = 6'b100000;     // a load, little-endian
    localparam logic [3:0] READ_UNIQUE    = 4'b0111;
    localparam logic [3:0] CLEAN_INVALID  = 4'b1001;
    localparam logic [3:0] MAKE_INVALID   = 4'b1101;

    // ---- Habits, drawn anew for every instance; and chance, drawn in every cycle.

    logic [ID_BITS-1:0]   request_id;
    logic [2:0]           bursts, pauses;     // in so many of eight cases
    logic [31:0]          chance;
    logic [BUS_BITS-1:0]  noise;              // in bytes without a strobe
    int                   used_ids;

    always_ff @(posedge clock) begin
        chance     <= $urandom();
        request_id <= ID_BITS'($urandom_range(used_ids - 1));
        for (int i = 0; i < BUS_BITS; i += 32)
            noise[i+:32] <= $urandom();
        if (reset) begin
            used_ids <= $urandom_range(3) == 0 || IDS < 4 ? IDS : $urandom_range(4, 1);
            bursts   <= BURSTS == 0 ? '0 : 3'($urandom_range(7));
            pauses   <= $urandom_range(1) == 0 ? '0 : 3'($urandom_range(6));
        end
    end

    // ---- The transaction that an access becomes: its word is in one of the beats.

    typedef struct packed {
        logic [ADDRESS_BITS-1:0] address;
        logic [7:0]              length;
        logic [2:0]              size;
        logic [1:0]              burst;
        logic                    lock;
        logic [7:0]              index;     // of the word's beat
    } shape_t;

    // A burst has up to eight beats of 2 ** size bytes, in an aligned window of a power of two of
    // them. The first beat of INCR may begin within its bytes.
    function automatic shape_t shape_of(logic [ADDRESS_BITS-1:0] address, logic [1:0] width,
                                        logic is_plain);
        int     size, spans, beats, place, first, last, low;
        shape_t shape;
        shape = '{address: address, length: '0, size: {1'b0, width}, burst: INCREMENT, lock: 1'b0,
                  index: '0};
        if (is_plain || bursts == '0)
            return shape;
        size  = 32'(width) + 32'(chance[2:0]) % (LANE_BITS - 32'(width) + 1);
        spans = $clog2(BURST_BYTES) - size < 3 ? $clog2(BURST_BYTES) - size : 3;
        beats = chance[5:3] <= bursts && spans > 0 ? 1 << 32'(chance[8:6]) % (spans + 1) : 1;
        place = 32'(address >> size) & (beats - 1);
        first = 32'(chance[11:9]) % (place + 1);
        last  = place + 32'(chance[14:12]) % (beats - place);
        low   = 0;
        if (BURSTS == 2 && beats > 1 && chance[15]) begin
            first       = 32'(chance[11:9]) & (beats - 1);
            last        = first + beats - 1;
            shape.burst = WRAP;
        end else if (chance[16])
            low = 32'(chance[23:17]) & ((1 << size) - 1) & (first == place ? 32'(address) : -1);
        shape.address = (address & ~ADDRESS_BITS'((beats << size) - 1))
                      | ADDRESS_BITS'((first << size) | low);
        shape.length  = 8'(last - first);
        shape.size    = 3'(size);
        shape.index   = 8'((place - first) & (beats - 1));
        return shape;
    endfunction

    // ---- Requests.

    logic               reads, writes, locally, is_alone, is_exclusive, take, take_read, take_write;
    logic               ar_full, aw_full, w_full, can_write;
    logic               read_overlaps, read_shares, read_full, no_reads;
    logic               write_overlaps, write_shares, write_full, no_writes;
    logic               atomic_busy, atomic_done, can_load, can_begin;
    logic [ID_BITS-1:0] atomic_id;
    logic               again, writes_back;     // of an exclusive access: its read, its write
    shape_t             shape, ar, aw;

    assign is_alone     = is_atomic(request_operation);
    assign is_exclusive = is_alone && EXCLUSIVE;
    assign reads        = request_operation == LOAD || (is_alone && !EXCLUSIVE);
    assign writes       = request_operation == STORE || is_alone;
    assign locally      = is_local(request_operation);
    assign can_write    = !aw_full && !w_full;
    assign shape        = shape_of(request_address, request_width, is_alone);

    // An atomic has its identifier to itself.
    always_comb begin
        can_begin = !read_overlaps && !write_overlaps;
        if (is_alone)
            can_begin = can_begin && !atomic_busy && !read_shares && !write_shares;
        if (atomic_busy && request_id == atomic_id)
            can_begin = 1'b0;
        if (reads && read_full)
            can_begin = 1'b0;
        if ((request_operation == LOAD || is_exclusive) && (ar_full || again))
            can_begin = 1'b0;
        if (writes && (write_full || !can_write || writes_back))
            can_begin = 1'b0;
        if (locally)
            can_begin = no_reads && no_writes && !atomic_busy && can_load;
    end

    assign request_ready = can_begin;
    assign take          = request_valid && request_ready;
    assign take_read     = take && (request_operation == LOAD || is_exclusive);
    assign take_write    = take && writes && !is_exclusive;

    logic                    read_found, write_found, answers_read, answers_write;
    logic                    read_is_atomic, write_is_atomic, write_again, is_last, is_word;
    logic [ADDRESS_BITS-1:0] found_address, read_address, write_address, atomic_address;
    logic [1:0]              found_width, read_width, write_width, atomic_width;
    logic [TAG_BITS-1:0]     read_tag, write_tag, atomic_tag;
    logic [7:0]              length, index, beat, unused_beat;
    logic                    unused;

    collider_under_way #(
        .ENTRIES(MOST), .ADDRESS_BITS(ADDRESS_BITS), .TAG_BITS(TAG_BITS + 16), .ID_BITS(ID_BITS)
    ) under_way_reads (
        .clock, .reset, .push(take && reads), .address(request_address), .width(request_width),
        .tag({request_tag, shape.length, shape.index}), .id(request_id), .overlaps(read_overlaps),
        .shares_id(read_shares), .full(read_full), .empty(no_reads), .pop(answers_read),
        .continues(!is_last), .answered_id(rid), .found(read_found), .found_address,
        .found_width, .found_tag({read_tag, length, index}), .found_beat(beat)
    );

    collider_under_way #(
        .ENTRIES(MOST), .ADDRESS_BITS(ADDRESS_BITS), .TAG_BITS(TAG_BITS), .ID_BITS(ID_BITS)
    ) under_way_writes (
        .clock, .reset, .push(take && writes), .address(request_address), .width(request_width),
        .tag(request_tag), .id(request_id), .overlaps(write_overlaps), .shares_id(write_shares),
        .full(write_full), .empty(no_writes), .pop(answers_write), .continues(write_again),
        .answered_id(bid), .found(write_found), .found_address(write_address),
        .found_width(write_width), .found_tag(write_tag), .found_beat(unused_beat)
    );

    // ---- The channels of a request. Those of a write may wait for some cycles, each for itself.

    logic [DATA_BITS-1:0] atomic_word, operand, new_word, w_word;
    logic                 adds;
    logic [1:0]           aw_wait, w_wait;
    logic [BUS_BYTES-1:0] w_strobe, w_lanes;
    logic [BUS_BITS-1:0]  w_noise;
    logic [LANE_BITS-1:0] w_lane;
    logic [7:0]           w_beat;

    assign arvalid = ar_full;
    assign araddr  = ar.address;
    assign arlen   = ar.length;
    assign arsize  = ar.size;
    assign arburst = ar.burst;
    assign arlock  = ar.lock;
    assign awvalid = aw_full && aw_wait == '0;
    assign awaddr  = aw.address;
    assign awlen   = aw.length;
    assign awsize  = aw.size;
    assign awburst = aw.burst;
    assign awlock  = aw.lock;
    assign wvalid  = w_full && w_wait == '0;
    assign wlast   = w_beat == aw.length;
    assign wstrb   = w_beat == aw.index ? w_strobe : '0;
    assign w_lanes = wstrb;

    always_comb
        for (int i = 0; i < BUS_BYTES; i++)
            wdata[8*i+:8] = w_lanes[i] ? 8'(w_word >> 8 * (i - 32'(w_lane))) : w_noise[8*i+:8];

    assign new_word = adds ? atomic_word + operand : operand;

    function automatic shape_t exclusive(logic [ADDRESS_BITS-1:0] address, logic [1:0] width);
        return '{address: address, length: '0, size: {1'b0, width}, burst: INCREMENT, lock: 1'b1,
                 index: '0};
    endfunction

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
            if (wvalid && wready) begin
                w_full  <= !wlast;
                w_beat  <= w_beat + 1'b1;
                w_noise <= noise;
                w_wait  <= chance[26:24] < pauses ? chance[28:27] : '0;
            end
            if (aw_wait != '0)
                aw_wait <= aw_wait - 1'b1;
            if (w_wait != '0)
                w_wait <= w_wait - 1'b1;
            if (take_read || (again && !ar_full && chance[31:30] == '0)) begin
                ar_full <= 1'b1;
                arid    <= again ? atomic_id : request_id;
                ar      <= again        ? exclusive(atomic_address, atomic_width)
                         : is_exclusive ? exclusive(request_address, request_width) : shape;
            end
            if (take_write || (writes_back && can_write)) begin
                aw_full  <= 1'b1;
                awid     <= writes_back ? atomic_id : request_id;
                aw       <= writes_back ? exclusive(atomic_address, atomic_width) : shape;
                awatop   <= writes_back || !is_alone ? '0
                          : request_operation == SWAP ? ATOMIC_SWAP : ATOMIC_ADD;
                w_full   <= 1'b1;
                w_beat   <= '0;
                w_word   <= writes_back ? new_word : request_data;
                w_lane   <= writes_back ? atomic_address[LANE_BITS-1:0]
                                        : request_address[LANE_BITS-1:0];
                w_strobe <= writes_back
                          ? BUS_BYTES'(bytes_of(atomic_width)) << atomic_address[LANE_BITS-1:0]
                          : BUS_BYTES'(bytes_of(request_width)) << request_address[LANE_BITS-1:0];
                w_noise  <= noise;
                if (chance[26:24] < pauses) begin
                    aw_wait <= chance[28:27];
                    w_wait  <= chance[30:29];
                end
            end
        end

    // ---- Responses, one in a cycle: of an atomic that is complete, of reads, of writes, of fences.

    logic [DATA_BITS-1:0] word;
    logic                 atomic_read, atomic_written;
    logic [1:0]           expected_rresp;

    assign can_load        = !response_valid || response_ready;
    assign atomic_done     = atomic_busy && atomic_read && atomic_written;
    assign rready          = can_load && !atomic_done && chance[2:0] >= pauses;
    assign bready          = can_load && !atomic_done && !rvalid && chance[5:3] >= pauses;
    assign answers_read    = rvalid && rready;
    assign answers_write   = bvalid && bready;
    assign read_is_atomic  = atomic_busy && rid == atomic_id;
    assign write_is_atomic = atomic_busy && bid == atomic_id;
    assign write_again     = write_is_atomic && EXCLUSIVE && bresp == OKAY;
    assign is_last         = beat == length;
    assign is_word         = beat == index;
    assign expected_rresp  = read_is_atomic && EXCLUSIVE ? EXCLUSIVE_OKAY : OKAY;
    assign read_address    = read_is_atomic ? atomic_address : found_address;
    assign read_width      = read_is_atomic ? atomic_width : found_width;
    assign word            = DATA_BITS'(rdata >> {read_address[LANE_BITS-1:0], 3'b000})
                           & DATA_BITS'(bits_of(read_width));
    assign unused          = &{1'b0, unused_beat, aw.index, ar.index, chance};

    always_ff @(posedge clock)
        if (reset) begin
            response_valid <= 1'b0;
            atomic_busy    <= 1'b0;
            again          <= 1'b0;
            writes_back    <= 1'b0;
        end else begin
            if (response_ready)
                response_valid <= 1'b0;
            if (again && !ar_full && chance[31:30] == '0)
                again <= 1'b0;
            if (writes_back && can_write)
                writes_back <= 1'b0;
            if (can_load && atomic_done) begin
                response_valid <= 1'b1;
                response_tag   <= atomic_tag;
                response_data  <= atomic_word;
                atomic_busy    <= 1'b0;
            end
            if (answers_read && read_is_atomic) begin
                atomic_read <= 1'b1;
                atomic_word <= word;
                writes_back <= EXCLUSIVE;
            end else if (answers_read && is_word) begin
                response_valid <= 1'b1;
                response_tag   <= read_tag;
                response_data  <= word;
            end
            if (answers_write && write_is_atomic) begin
                atomic_written <= !write_again;
                again          <= write_again;
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
            if (take && is_alone) begin
                atomic_busy    <= 1'b1;
                atomic_read    <= 1'b0;
                atomic_written <= 1'b0;
                atomic_id      <= request_id;
                atomic_tag     <= request_tag;
                atomic_address <= request_address;
                atomic_width   <= request_width;
                adds           <= request_operation == ADD;
                operand        <= request_data;
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
                assert (read_found || read_is_atomic)
                else $error("AXI4: a read response (R) with RID %0d, which is not under way", rid);
                assert (!(read_found || read_is_atomic) || rresp == expected_rresp)
                else $error("AXI4: RRESP is %0d for the %sread of %0d bytes at %0h", rresp,
                            expected_rresp == OKAY ? "" : "exclusive ", 4'd1 << read_width,
                            read_address);
            end
            if (answers_write) begin
                assert (write_found)
                else $error("AXI4: a write response (B) with BID %0d, which is not under way", bid);
                assert (!write_found || bresp == OKAY ||
                        (write_is_atomic && EXCLUSIVE && bresp == EXCLUSIVE_OKAY))
                else $error("AXI4: BRESP is %0d for the write of %0d bytes at %0h", bresp,
                            4'd1 << write_width, write_address);
            end
        end
endmodule
