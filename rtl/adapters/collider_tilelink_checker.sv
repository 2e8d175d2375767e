// SPDX-License-Identifier: MIT
// The rules of TileLink (TL-UL and TL-UH, one beat) between an adapter and a design, as assertions.
// A sender of TileLink may withdraw or change what was not taken yet, so that is not a rule.
module collider_tilelink_checker #(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 64,
    parameter  int ID_BITS      = 4,
    parameter  int SIZE_BITS    = 3,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input logic                    clock,
    input logic                    reset,
    input logic                    a_valid,
    input logic                    a_ready,
    input logic [2:0]              a_opcode,
    input logic [SIZE_BITS-1:0]    a_size,
    input logic [ID_BITS-1:0]      a_source,
    input logic [ADDRESS_BITS-1:0] a_address,
    input logic [BUS_BYTES-1:0]    a_mask,
    input logic                    d_valid,
    input logic                    d_ready,
    input logic [2:0]              d_opcode,
    input logic [SIZE_BITS-1:0]    d_size,
    input logic [ID_BITS-1:0]      d_source
);
    localparam int COUNTED   = ID_BITS < 8 ? ID_BITS : 8;
    localparam int LANE_BITS = $clog2(BUS_BYTES);

    localparam logic [2:0] PUT_PARTIAL     = 3'd1;
    localparam logic [2:0] ACCESS_ACK_DATA = 3'd1;

    // What a source asked for.
    logic [2**COUNTED-1:0]                under_way, wants_data;
    logic [2**COUNTED-1:0][SIZE_BITS-1:0] sizes;
    logic [COUNTED-1:0]                   asking, answering;
    logic                                 asks, asks_data, is_same, has_asked, expects_data;
    logic [SIZE_BITS-1:0]                 expected_size;

    assign asks      = a_valid && a_ready;
    assign asking    = a_source[COUNTED-1:0];
    assign answering = d_source[COUNTED-1:0];
    assign asks_data = a_opcode > PUT_PARTIAL;

    // An answer may come in the cycle of its request.
    assign is_same       = asks && d_source == a_source && !under_way[answering];
    assign has_asked     = d_source >> COUNTED == '0 && (is_same || under_way[answering]);
    assign expects_data  = is_same ? asks_data : wants_data[answering];
    assign expected_size = is_same ? a_size : sizes[answering];

    always_ff @(posedge clock)
        if (reset) begin
            under_way <= '0;
        end else begin
            if (asks) begin
                under_way[asking]  <= 1'b1;
                wants_data[asking] <= asks_data;
                sizes[asking]      <= a_size;
            end
            if (d_valid && d_ready)
                under_way[answering] <= 1'b0;
        end

    // The bytes of an access that begins at the address.
    logic [BUS_BYTES-1:0] bytes;
    assign bytes = ~({BUS_BYTES{1'b1}} << (BUS_BYTES'(1) << a_size)) << a_address[LANE_BITS-1:0];

    always_ff @(posedge clock)
        if (!reset) begin
            if (a_valid) begin
                assert (!under_way[asking])
                else $error("TileLink: source %0d asks while a request of it is under way", a_source);
                assert ((a_address & ~({ADDRESS_BITS{1'b1}} << a_size)) == '0)
                else $error("TileLink: the address %0h is not a multiple of the size", a_address);
                assert (a_mask == bytes)
                else $error("TileLink: the mask %0b is not that of %0d bytes at %0h", a_mask,
                            1 << a_size, a_address);
            end
            if (d_valid) begin
                assert (has_asked)
                else $error("TileLink: D has source %0d, of which no request is under way", d_source);
                assert (!has_asked || (d_opcode == ACCESS_ACK_DATA) == expects_data)
                else $error("TileLink: D has opcode %0d for source %0d, which asked for %s",
                            d_opcode, d_source, expects_data ? "data" : "a write");
                assert (!has_asked || d_size == expected_size)
                else $error("TileLink: D has size %0d for source %0d, which asked for size %0d",
                            d_size, d_source, expected_size);
            end
        end
endmodule
