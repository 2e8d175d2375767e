// SPDX-License-Identifier: MIT
// The rules of OBI between an adapter and a design, as assertions.
module collider_obi_checker #(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  int ID_BITS      = 1,
    parameter  bit HAS_ID       = 1'b1,     // RID is there
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input logic                    clock,
    input logic                    reset,
    input logic                    req,
    input logic                    gnt,
    input logic [ADDRESS_BITS-1:0] addr,
    input logic                    we,
    input logic [BUS_BYTES-1:0]    be,
    input logic [BUS_BITS-1:0]     wdata,
    input logic [ID_BITS-1:0]      aid,
    input logic [5:0]              atop,
    input logic                    rvalid,
    input logic                    rready,
    input logic [BUS_BITS-1:0]     rdata,
    input logic                    err,
    input logic [ID_BITS-1:0]      rid
);
    collider_offer_checker #(
        .BITS(ADDRESS_BITS + BUS_BITS + BUS_BYTES + ID_BITS + 7), .NAME("OBI: REQ")
    ) requests (
        .clock, .reset, .valid(req), .ready(gnt), .payload({addr, we, be, wdata, aid, atop})
    );
    collider_offer_checker #(.BITS(BUS_BITS + ID_BITS + 1), .NAME("OBI: RVALID")) responses (
        .clock, .reset, .valid(rvalid), .ready(rready), .payload({rdata, err, rid})
    );

    // Answers come in order.
    logic                    found, unused, overlaps, shares, full, empty;
    logic [ADDRESS_BITS-1:0] found_address;
    logic [1:0]              found_width;
    logic [ID_BITS-1:0]      found_id;
    logic [7:0]              found_beat;

    collider_under_way #(
        .ENTRIES(16), .ADDRESS_BITS(ADDRESS_BITS), .TAG_BITS(ID_BITS), .ID_BITS(1)
    ) under_way (
        .clock, .reset, .push(req && gnt), .address(addr), .width(2'd0), .tag(aid), .id(1'b0),
        .overlaps, .shares_id(shares), .full, .empty, .pop(rvalid && rready), .continues(1'b0),
        .answered_id(1'b0), .found, .found_address, .found_width, .found_tag(found_id), .found_beat
    );
    assign unused = &{1'b0, overlaps, shares, full, empty, found_address, found_width, found_beat};

    always_ff @(posedge clock)
        if (!reset && rvalid) begin
            assert (found)
            else $error("OBI: RVALID without an access that waits for it");
            assert (!found || !HAS_ID || rid == found_id)
            else $error("OBI: RID is %0d, not %0d as of the oldest access", rid, found_id);
        end
endmodule
