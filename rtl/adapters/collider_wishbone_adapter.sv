// SPDX-License-Identifier: MIT
// From a request port (docs/rtl-port.md) to a Wishbone B4 subordinate. Classic: one access at a time;
// pipelined: several, answered in order. A swap or add is a read and a write in one cycle of the bus:
// CYC stays, and LOCK is on, between them.
module collider_wishbone_adapter
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,       // of the port: in bytes
    parameter  int BUS_BITS     = 64,
    parameter  bit WORDS        = 1'b0,     // ADR counts words of the bus, not bytes
    parameter  bit PIPELINED    = 1'b0,
    parameter  int TAG_BITS     = 4,
    parameter  int MOST         = 8,        // accesses that are under way if pipelined
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8,
    localparam int LANE_BITS    = $clog2(BUS_BYTES),
    localparam int ADR_BITS     = WORDS ? ADDRESS_BITS - LANE_BITS : ADDRESS_BITS
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

    output logic                    cyc,
    output logic                    stb,
    output logic                    we,
    output logic                    lock,
    output logic [ADR_BITS-1:0]     adr,
    output logic [BUS_BITS-1:0]     dat_w,
    output logic [BUS_BYTES-1:0]    sel,
    input  logic [BUS_BITS-1:0]     dat_r,
    input  logic                    ack,
    input  logic                    err,
    input  logic                    rty,
    input  logic                    stall       // 0 if classic
);
    // Whatever the bus answers must be taken at once, so a request has room for its response before
    // it begins: `begun` counts those that the port has not been answered yet.
    localparam int LIMIT      = PIPELINED ? MOST : 1;
    localparam int COUNT_BITS = $clog2(LIMIT + 1);

    logic [COUNT_BITS-1:0]   begun, waiting;
    logic                    locally, take, empty, found, answered, again, finishes;
    logic [ADDRESS_BITS-1:0] found_address;
    logic [1:0]              found_width;
    logic [TAG_BITS-1:0]     found_tag;
    logic [DATA_BITS-1:0]    word;

    // An atomic reads, then writes.
    logic                 is_reading, is_writing, adds;
    logic [DATA_BITS-1:0] operand, old_word;

    // ---- Requests.

    logic stb_is_free, turns, alone, unused_overlap, unused_id, unused_full, unused;

    assign locally       = is_local(request_operation);
    assign alone         = locally || is_atomic(request_operation);
    assign stb_is_free   = !stb || (PIPELINED && !stall);
    // Reads and writes are not under way together: the standard allows it, many subordinates do not.
    assign turns         = !empty && we != (request_operation == STORE);
    assign request_ready = alone ? begun == '0
                                 : begun < COUNT_BITS'(LIMIT) && stb_is_free && !turns &&
                                   !is_reading && !is_writing;
    assign take          = request_valid && request_ready;

    collider_under_way #(
        .ENTRIES(LIMIT), .ADDRESS_BITS(ADDRESS_BITS), .TAG_BITS(TAG_BITS), .ID_BITS(1)
    ) under_way (
        .clock, .reset, .push(take && !locally), .address(request_address), .width(request_width),
        .tag(request_tag), .id(1'b0), .overlaps(unused_overlap), .shares_id(unused_id),
        .full(unused_full), .empty, .pop(finishes), .answered_id(1'b0), .found, .found_address,
        .found_width, .found_tag
    );
    assign unused = &{1'b0, unused_overlap, unused_id, unused_full};

    // ---- The bus.

    logic                 pauses, yields;   // STB, and CYC, are off for a cycle
    logic [DATA_BITS-1:0] new_word;

    assign cyc      = !empty && !yields;
    assign lock     = cyc && (is_reading || is_writing);
    assign answered = cyc && (ack || err) && (PIPELINED || stb);
    assign again    = cyc && rty && stb && !PIPELINED;
    assign finishes = answered && !is_reading;
    assign word     = DATA_BITS'(dat_r >> {found_address[LANE_BITS-1:0], 3'b000})
                    & DATA_BITS'(bits_of(found_width));
    assign new_word = adds ? word + operand : operand;

    function automatic logic [ADR_BITS-1:0] adr_of(logic [ADDRESS_BITS-1:0] address);
        return ADR_BITS'(WORDS ? address >> LANE_BITS : address);
    endfunction

    function automatic logic [BUS_BITS-1:0] in_lane(logic [DATA_BITS-1:0] data,
                                                    logic [LANE_BITS-1:0] lane);
        return BUS_BITS'(data) << {lane, 3'b000};
    endfunction

    always_ff @(posedge clock)
        if (reset) begin
            stb        <= 1'b0;
            pauses     <= 1'b0;
            yields     <= 1'b0;
            is_reading <= 1'b0;
            is_writing <= 1'b0;
        end else begin
            pauses <= again || (answered && is_reading);
            yields <= again;
            if (PIPELINED ? !stall : answered || again)
                stb <= 1'b0;
            if (pauses)
                stb <= 1'b1;
            if (again && is_writing) begin
                {is_reading, is_writing} <= 2'b10;
                we                       <= 1'b0;
            end
            if (answered) begin
                {is_reading, is_writing} <= {1'b0, is_reading};
                if (is_reading) begin
                    old_word <= word;
                    we       <= 1'b1;
                    dat_w    <= in_lane(new_word, found_address[LANE_BITS-1:0]);
                end
            end
            if (take && !locally) begin
                stb        <= 1'b1;
                we         <= request_operation == STORE;
                adr        <= adr_of(request_address);
                sel        <= BUS_BYTES'(bytes_of(request_width)) << request_address[LANE_BITS-1:0];
                dat_w      <= in_lane(request_data, request_address[LANE_BITS-1:0]);
                is_reading <= is_atomic(request_operation);
                adds       <= request_operation == ADD;
                operand    <= request_data;
            end
        end

    // ---- Responses, in order.

    logic [LIMIT-1:0][TAG_BITS-1:0]  tags;
    logic [LIMIT-1:0][DATA_BITS-1:0] words;
    logic [COUNT_BITS-1:0]           kept;
    logic                            responds, adds_response;

    assign response_valid = waiting != '0;
    assign response_tag   = tags[0];
    assign response_data  = words[0];
    assign responds       = response_valid && response_ready;
    assign adds_response  = finishes || (take && locally);
    assign kept           = waiting - COUNT_BITS'(responds);

    always_ff @(posedge clock)
        if (reset) begin
            begun   <= '0;
            waiting <= '0;
        end else begin
            for (int i = 0; i < LIMIT; i++)
                if (adds_response && COUNT_BITS'(i) == kept) begin
                    tags[i]  <= locally && take ? request_tag : found_tag;
                    words[i] <= is_writing ? old_word : word;
                end else if (responds && i + 1 < LIMIT) begin
                    tags[i]  <= tags[i + 1 < LIMIT ? i + 1 : i];
                    words[i] <= words[i + 1 < LIMIT ? i + 1 : i];
                end
            waiting <= kept + COUNT_BITS'(adds_response);
            begun   <= begun + COUNT_BITS'(take) - COUNT_BITS'(responds);
        end

    // ---- What the port cannot pass on.

    always_ff @(posedge clock)
        if (!reset) begin
            if (take)
                assert (request_operation <= FLUSH)
                else $error("Wishbone: operation %0d is not supported", request_operation);
            if (answered) begin
                assert (found)
                else $error("Wishbone: ACK or ERR without an access");
                assert (!err)
                else $error("Wishbone: ERR for the access of %0d bytes at %0h",
                            4'd1 << found_width, found_address);
            end
            assert (!PIPELINED || !cyc || !rty)
            else $error("Wishbone: RTY of a pipelined access is not supported");
        end
endmodule
