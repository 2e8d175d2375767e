// SPDX-License-Identifier: MIT
// From a request port (docs/rtl-port.md) to the accesses of a bus that answers in order. Whatever the
// bus answers is taken at once, so a request has room for its response before it begins. A swap or
// add is one access, or, unless DIRECT, a read and a write that are locked together. Between them
// may be extra accesses that change nothing: reads of words nearby, and writes without strobes.
module collider_in_order
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  int TAG_BITS     = 4,
    parameter  int MOST         = 8,        // accesses that are under way
    parameter  bit TURNS        = 1'b0,     // reads and writes are never under way together
    parameter  bit DIRECT       = 1'b0,
    parameter  bit FOLLOWS      = 1'b0,     // the bus asks for the locked write by itself
    parameter  bit EXTRA        = 1'b0,
    parameter  bit STROBES      = 1'b1,     // without them, extra accesses only read
    parameter      NAME         = "bus",
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

    // An access stays until it is taken; `again`: it is asked for again later, with its read.
    output logic                    access_valid,
    input  logic                    access_ready,
    output logic [3:0]              access_operation,   // a load or a store, or DIRECT an atomic
    output logic                    access_locked,
    output logic [ADDRESS_BITS-1:0] access_address,
    output logic [1:0]              access_width,
    output logic [BUS_BITS-1:0]     access_data,
    output logic [BUS_BYTES-1:0]    access_strobe,
    output logic                    under_way,          // one of them at least
    input  logic                    answered,
    input  logic                    again,
    input  logic                    fails,
    input  logic [BUS_BITS-1:0]     answer_data
);
    localparam int COUNT_BITS = $clog2(MOST + 1);
    localparam int LANE_BITS  = $clog2(BUS_BYTES);

    logic [COUNT_BITS-1:0]   begun, waiting;
    logic                    locally, alone, take, can_begin, is_extra, adds_extra, begins;
    logic                    empty, found, found_extra;
    logic                    finishes, is_free, turns, writes, is_reading, is_writing, adds, pauses;
    logic [ADDRESS_BITS-1:0] found_address, address;
    logic [1:0]              found_width;
    logic [TAG_BITS-1:0]     found_tag;
    logic [DATA_BITS-1:0]    word, operand, old_word;
    logic [BUS_BITS-1:0]     noise, noise_kept, lanes;

    // ---- Requests.

    logic [6:0]  chance;
    logic [2:0]  extras;            // of an instance: in so many of eight cycles
    logic        unused, unused_overlap, unused_id, unused_full;
    logic [7:0]  unused_beat;

    always_ff @(posedge clock) begin
        chance <= 7'($urandom());
        for (int i = 0; i < BUS_BITS; i += 32)
            noise[i+:32] <= $urandom();
        if (reset)
            extras <= EXTRA ? 3'($urandom_range(5)) : '0;
    end

    assign locally       = is_local(request_operation);
    assign alone         = locally || (is_atomic(request_operation) && !DIRECT);
    assign is_free       = (!access_valid || access_ready) && !is_reading && !is_writing && !again;
    assign turns         = TURNS && !empty && (access_operation == LOAD) == writes;
    assign can_begin     = is_free && !turns && (alone ? begun == '0 : begun < COUNT_BITS'(MOST));
    assign is_extra      = chance[2:0] < extras;
    assign request_ready = can_begin && !is_extra;
    assign take          = request_valid && request_ready;
    assign adds_extra    = request_valid && can_begin && is_extra;
    assign begins        = (take && !locally) || adds_extra;
    assign writes        = is_extra ? STROBES && chance[3] : request_operation == STORE;
    assign address       = is_extra
                         ? request_address ^ ADDRESS_BITS'({chance[6:4], 3'b000})
                         : request_address;
    assign under_way     = !empty;
    assign unused        = &{1'b0, unused_overlap, unused_id, unused_full, unused_beat};

    collider_under_way #(
        .ENTRIES(MOST), .ADDRESS_BITS(ADDRESS_BITS), .TAG_BITS(TAG_BITS + 1), .ID_BITS(1)
    ) accesses (
        .clock, .reset, .push(begins), .address, .width(request_width),
        .tag({adds_extra, request_tag}), .id(1'b0), .overlaps(unused_overlap),
        .shares_id(unused_id), .full(unused_full), .empty, .pop(finishes), .continues(1'b0),
        .answered_id(1'b0), .found, .found_address, .found_width,
        .found_tag({found_extra, found_tag}), .found_beat(unused_beat)
    );

    function automatic logic [BUS_BYTES-1:0] strobe_of(logic [LANE_BITS-1:0] lane,
                                                       logic [1:0] width);
        return BUS_BYTES'(bytes_of(width)) << lane;
    endfunction

    // Bytes without a strobe are noise.
    always_comb
        for (int i = 0; i < BUS_BYTES; i++)
            access_data[8*i+:8] = access_strobe[i] ? lanes[8*i+:8] : noise_kept[8*i+:8];

    assign finishes = answered && !is_reading;
    assign word     = DATA_BITS'(answer_data >> {found_address[LANE_BITS-1:0], 3'b000})
                    & DATA_BITS'(bits_of(found_width));
    assign access_locked = is_reading || is_writing;

    always_ff @(posedge clock)
        if (reset) begin
            access_valid <= 1'b0;
            pauses       <= 1'b0;
            is_reading   <= 1'b0;
            is_writing   <= 1'b0;
        end else begin
            pauses <= again || (answered && is_reading && !FOLLOWS);
            if (access_ready || again)
                access_valid <= 1'b0;
            if (pauses)
                access_valid <= 1'b1;
            if (again && is_writing) begin
                {is_reading, is_writing} <= 2'b10;
                access_operation         <= LOAD;
            end
            if (answered) begin
                {is_reading, is_writing} <= {1'b0, is_reading};
                if (is_reading) begin
                    old_word         <= word;
                    access_operation <= STORE;
                    lanes            <= BUS_BITS'(adds ? word + operand : operand)
                                     << {found_address[LANE_BITS-1:0], 3'b000};
                end
            end
            if (begins) begin
                access_valid     <= 1'b1;
                access_operation <= adds_extra || !DIRECT ? (writes ? STORE : LOAD)
                                                          : request_operation;
                access_address   <= address;
                access_width     <= request_width;
                access_strobe    <= adds_extra && writes ? '0 : strobe_of(address[LANE_BITS-1:0], request_width);
                lanes            <= BUS_BITS'(request_data) << {address[LANE_BITS-1:0], 3'b000};
                noise_kept       <= noise;
                is_reading       <= !adds_extra && is_atomic(request_operation) && !DIRECT;
                adds             <= request_operation == ADD;
                operand          <= request_data;
            end
        end

    // ---- Responses, in order.

    logic [MOST-1:0][TAG_BITS-1:0]  tags;
    logic [MOST-1:0][DATA_BITS-1:0] words;
    logic [COUNT_BITS-1:0]          kept;
    logic                           responds, adds_response;

    assign response_valid = waiting != '0;
    assign response_tag   = tags[0];
    assign response_data  = words[0];
    assign responds       = response_valid && response_ready;
    assign adds_response  = (finishes && !found_extra) || (take && locally);
    assign kept           = waiting - COUNT_BITS'(responds);

    always_ff @(posedge clock)
        if (reset) begin
            begun   <= '0;
            waiting <= '0;
        end else begin
            for (int i = 0; i < MOST; i++)
                if (adds_response && COUNT_BITS'(i) == kept) begin
                    tags[i]  <= locally && take ? request_tag : found_tag;
                    words[i] <= is_writing ? old_word : word;
                end else if (responds && i + 1 < MOST) begin
                    tags[i]  <= tags[i + 1 < MOST ? i + 1 : i];
                    words[i] <= words[i + 1 < MOST ? i + 1 : i];
                end
            waiting <= kept + COUNT_BITS'(adds_response);
            begun   <= begun + COUNT_BITS'(take || adds_extra) - COUNT_BITS'(responds)
                     - COUNT_BITS'(finishes && found && found_extra);
        end

    // ---- What the port cannot pass on.

    always_ff @(posedge clock)
        if (!reset) begin
            if (take)
                assert (request_operation <= FLUSH)
                else $error("%s: operation %0d is not supported", NAME, request_operation);
            if (answered) begin
                assert (found)
                else $error("%s: an answer without an access", NAME);
                assert (!fails)
                else $error("%s: an error is the answer to the access of %0d bytes at %0h", NAME,
                            4'd1 << found_width, found_address);
            end
        end
endmodule
