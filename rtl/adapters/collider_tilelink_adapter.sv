// SPDX-License-Identifier: MIT
// From a request port (docs/rtl-port.md) to a TileLink subordinate: TL-UL, or TL-UH where swaps and
// adds are asked for. Every access is one beat; its source is its tag, modulo IDS, and waits until no
// other has it. Accesses of the same bytes never overlap in time, since TileLink does not order them.
module collider_tilelink_adapter
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 64,
    parameter  int ID_BITS      = 4,        // of sources
    parameter  int IDS          = 16,       // at most 2 ** ID_BITS
    parameter  int SIZE_BITS    = 3,
    parameter  int TAG_BITS     = 4,
    parameter  int MOST         = 8,        // requests that are under way
    parameter  bit VARY         = 1'b1,     // some stores are PutPartialData with a full mask
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

    output logic                    a_valid,
    input  logic                    a_ready,
    output logic [2:0]              a_opcode,
    output logic [2:0]              a_param,
    output logic [SIZE_BITS-1:0]    a_size,
    output logic [ID_BITS-1:0]      a_source,
    output logic [ADDRESS_BITS-1:0] a_address,
    output logic [BUS_BYTES-1:0]    a_mask,
    output logic [BUS_BITS-1:0]     a_data,
    input  logic                    d_valid,
    output logic                    d_ready,
    input  logic [2:0]              d_opcode,
    input  logic [ID_BITS-1:0]      d_source,
    input  logic [BUS_BITS-1:0]     d_data,
    input  logic                    d_denied,
    input  logic                    d_corrupt
);
    localparam int LANE_BITS = $clog2(BUS_BYTES);

    localparam logic [2:0] PUT_FULL        = 3'd0;
    localparam logic [2:0] PUT_PARTIAL     = 3'd1;
    localparam logic [2:0] ARITHMETIC      = 3'd2;
    localparam logic [2:0] LOGICAL         = 3'd3;
    localparam logic [2:0] GET             = 3'd4;
    localparam logic [2:0] PARAM_ADD       = 3'd4;
    localparam logic [2:0] PARAM_SWAP      = 3'd3;
    localparam logic [2:0] ACCESS_ACK_DATA = 3'd1;

    // ---- Requests.

    logic [ID_BITS-1:0]      source;
    logic                    locally, take, answers, can_load, overlaps, shares, full, empty, found;
    logic [ADDRESS_BITS-1:0] found_address;
    logic [1:0]              found_width;
    logic [TAG_BITS-1:0]     found_tag;
    logic [7:0]              unused_beat;
    logic                    unused;

    assign unused = &{1'b0, unused_beat};

    assign source        = ID_BITS'(32'(request_tag) % IDS);
    assign locally       = is_local(request_operation);
    assign request_ready = locally ? empty && can_load
                                   : !overlaps && !shares && !full && (!a_valid || a_ready);
    assign take          = request_valid && request_ready;

    collider_under_way #(
        .ENTRIES(MOST), .ADDRESS_BITS(ADDRESS_BITS), .TAG_BITS(TAG_BITS), .ID_BITS(ID_BITS)
    ) under_way (
        .clock, .reset, .push(take && !locally), .address(request_address), .width(request_width),
        .tag(request_tag), .id(source), .overlaps, .shares_id(shares), .full, .empty,
        .pop(answers), .continues(1'b0), .answered_id(d_source), .found, .found_address,
        .found_width, .found_tag, .found_beat(unused_beat)
    );

    always_ff @(posedge clock)
        if (reset) begin
            a_valid <= 1'b0;
        end else begin
            if (a_ready)
                a_valid <= 1'b0;
            if (take && !locally) begin
                a_valid   <= 1'b1;
                a_param   <= '0;
                a_size    <= SIZE_BITS'(request_width);
                a_source  <= source;
                a_address <= request_address;
                a_mask    <= BUS_BYTES'(bytes_of(request_width)) << request_address[LANE_BITS-1:0];
                a_data    <= BUS_BITS'(request_data) << {request_address[LANE_BITS-1:0], 3'b000};
                case (request_operation)
                    LOAD:    a_opcode <= GET;
                    SWAP:    {a_opcode, a_param} <= {LOGICAL, PARAM_SWAP};
                    ADD:     {a_opcode, a_param} <= {ARITHMETIC, PARAM_ADD};
                    default: a_opcode <= VARY && $urandom_range(3) == 0 ? PUT_PARTIAL : PUT_FULL;
                endcase
            end
        end

    // ---- Responses.

    assign can_load = !response_valid || response_ready;
    assign d_ready  = can_load;
    assign answers  = d_valid && d_ready;

    always_ff @(posedge clock)
        if (reset) begin
            response_valid <= 1'b0;
        end else begin
            if (response_ready)
                response_valid <= 1'b0;
            if (answers) begin
                response_valid <= 1'b1;
                response_tag   <= found_tag;
                response_data  <= d_opcode == ACCESS_ACK_DATA
                                ? DATA_BITS'(d_data >> {found_address[LANE_BITS-1:0], 3'b000})
                                  & DATA_BITS'(bits_of(found_width))
                                : '0;
            end
            if (take && locally) begin
                response_valid <= 1'b1;
                response_tag   <= request_tag;
                response_data  <= '0;
            end
        end

    // ---- What the port cannot pass on.

    always_ff @(posedge clock)
        if (!reset) begin
            if (take)
                assert (request_operation <= FLUSH)
                else $error("TileLink: operation %0d is not supported", request_operation);
            if (answers) begin
                assert (found)
                else $error("TileLink: a response (D) with source %0d, which is not under way",
                            d_source);
                assert (!found || !d_denied)
                else $error("TileLink: the access of %0d bytes at %0h is denied",
                            4'd1 << found_width, found_address);
                assert (!found || d_denied || !d_corrupt)
                else $error("TileLink: the data of %0d bytes at %0h is corrupt",
                            4'd1 << found_width, found_address);
            end
        end
endmodule
