// SPDX-License-Identifier: MIT
// The rules of AXI4 (and of ACE's snoop channels) between an adapter and a design, as assertions:
// an offer stays as it is until it is taken, bursts are those that AXI4 has, and answers belong to
// what was asked for.
module collider_axi4_checker #(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 64,
    parameter  int ID_BITS      = 4,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input logic                    clock,
    input logic                    reset,
    input logic                    awvalid,
    input logic                    awready,
    input logic [ID_BITS-1:0]      awid,
    input logic [ADDRESS_BITS-1:0] awaddr,
    input logic [7:0]              awlen,
    input logic [2:0]              awsize,
    input logic [1:0]              awburst,
    input logic                    awlock,
    input logic [5:0]              awatop,
    input logic                    wvalid,
    input logic                    wready,
    input logic [BUS_BITS-1:0]     wdata,
    input logic [BUS_BYTES-1:0]    wstrb,
    input logic                    wlast,
    input logic                    bvalid,
    input logic                    bready,
    input logic [ID_BITS-1:0]      bid,
    input logic [1:0]              bresp,
    input logic                    arvalid,
    input logic                    arready,
    input logic [ID_BITS-1:0]      arid,
    input logic [ADDRESS_BITS-1:0] araddr,
    input logic [7:0]              arlen,
    input logic [2:0]              arsize,
    input logic [1:0]              arburst,
    input logic                    arlock,
    input logic                    rvalid,
    input logic                    rready,
    input logic [ID_BITS-1:0]      rid,
    input logic [BUS_BITS-1:0]     rdata,
    input logic [1:0]              rresp,
    input logic                    rlast,
    input logic                    acvalid,
    input logic                    acready,
    input logic [ADDRESS_BITS-1:0] acaddr,
    input logic [3:0]              acsnoop,
    input logic                    crvalid,
    input logic                    crready
);
    // ---- Offers.

    collider_offer_checker #(.BITS(ID_BITS + ADDRESS_BITS + 20), .NAME("AXI4: AWVALID")) aw (
        .clock, .reset, .valid(awvalid), .ready(awready),
        .payload({awid, awaddr, awlen, awsize, awburst, awlock, awatop})
    );
    collider_offer_checker #(.BITS(BUS_BITS + BUS_BYTES + 1), .NAME("AXI4: WVALID")) w (
        .clock, .reset, .valid(wvalid), .ready(wready), .payload({wdata, wstrb, wlast})
    );
    collider_offer_checker #(.BITS(ID_BITS + 2), .NAME("AXI4: BVALID")) b (
        .clock, .reset, .valid(bvalid), .ready(bready), .payload({bid, bresp})
    );
    collider_offer_checker #(.BITS(ID_BITS + ADDRESS_BITS + 14), .NAME("AXI4: ARVALID")) ar (
        .clock, .reset, .valid(arvalid), .ready(arready),
        .payload({arid, araddr, arlen, arsize, arburst, arlock})
    );
    collider_offer_checker #(.BITS(ID_BITS + BUS_BITS + 3), .NAME("AXI4: RVALID")) r (
        .clock, .reset, .valid(rvalid), .ready(rready), .payload({rid, rdata, rresp, rlast})
    );
    collider_offer_checker #(.BITS(ADDRESS_BITS + 4), .NAME("AXI4: ACVALID")) ac (
        .clock, .reset, .valid(acvalid), .ready(acready), .payload({acaddr, acsnoop})
    );
    collider_offer_checker #(.BITS(1), .NAME("AXI4: CRVALID")) cr (
        .clock, .reset, .valid(crvalid), .ready(crready), .payload(1'b0)
    );

    // ---- What is asked for.

    localparam logic [1:0] WRAP = 2'b10;

    function automatic logic is_burst(logic [11:0] address, logic [7:0] length, logic [2:0] size,
                                      logic [1:0] burst);
        int bytes, offset;
        bytes  = 1 << size;
        offset = 32'(address);
        if (burst == WRAP)
            return (length == 1 || length == 3 || length == 7 || length == 15) &&
                   offset % bytes == 0;
        return bytes <= BUS_BYTES && offset / bytes * bytes + (32'(length) + 1) * bytes <= 4096;
    endfunction

    // ---- Answers belong to what is under way: the data of the nth write are the nth of the W channel.
    // An atomic, of which there is one at a time, is a write that has a beat on R, too.

    logic                    takes_read, takes_write, takes_data, ends_read, ends_write;
    logic [7:0]              length, beat, number, addressed, written;
    logic                    read_found, write_found, atomic_found, has_atomic;
    logic [ID_BITS-1:0]      atomic_id;
    logic [1:0]              overlaps, shares, full, empty;
    logic [ADDRESS_BITS-1:0] unused_address[2];
    logic [1:0]              unused_width[2];
    logic [7:0]              unused_beat;
    logic                    unused;

    assign takes_read   = arvalid && arready;
    assign takes_write  = awvalid && awready;
    assign takes_data   = wvalid && wready;
    assign ends_read    = rvalid && rready;
    assign ends_write   = bvalid && bready;
    assign atomic_found = has_atomic && rid == atomic_id;
    assign unused       = &{1'b0, overlaps, shares, full, empty, unused_address[0],
                            unused_address[1], unused_width[0], unused_width[1], unused_beat};

    collider_under_way #(
        .ENTRIES(16), .ADDRESS_BITS(ADDRESS_BITS), .TAG_BITS(8), .ID_BITS(ID_BITS)
    ) reads (
        .clock, .reset, .push(takes_read), .address(araddr), .width(2'd0), .tag(arlen), .id(arid),
        .overlaps(overlaps[0]), .shares_id(shares[0]), .full(full[0]), .empty(empty[0]),
        .pop(ends_read && !atomic_found), .continues(beat != length), .answered_id(rid),
        .found(read_found), .found_address(unused_address[0]), .found_width(unused_width[0]),
        .found_tag(length), .found_beat(beat)
    );

    collider_under_way #(
        .ENTRIES(16), .ADDRESS_BITS(ADDRESS_BITS), .TAG_BITS(8), .ID_BITS(ID_BITS)
    ) writes (
        .clock, .reset, .push(takes_write), .address(awaddr), .width(2'd0), .tag(addressed),
        .id(awid), .overlaps(overlaps[1]), .shares_id(shares[1]), .full(full[1]), .empty(empty[1]),
        .pop(ends_write), .continues(1'b0), .answered_id(bid), .found(write_found),
        .found_address(unused_address[1]), .found_width(unused_width[1]), .found_tag(number),
        .found_beat(unused_beat)
    );

    always_ff @(posedge clock)
        if (reset) begin
            addressed  <= '0;
            written    <= '0;
            has_atomic <= 1'b0;
        end else begin
            addressed <= addressed + 8'(takes_write);
            written   <= written + 8'(takes_data && wlast);
            if (takes_write && awatop[5]) begin
                has_atomic <= 1'b1;
                atomic_id  <= awid;
            end else if (ends_read && atomic_found)
                has_atomic <= 1'b0;
        end

    always_ff @(posedge clock)
        if (!reset) begin
            if (arvalid)
                assert (is_burst(12'(araddr), arlen, arsize, arburst))
                else $error("AXI4: AR has no burst: address %0h, length %0d, size %0d, burst %0d",
                            araddr, arlen, arsize, arburst);
            if (awvalid)
                assert (is_burst(12'(awaddr), awlen, awsize, awburst))
                else $error("AXI4: AW has no burst: address %0h, length %0d, size %0d, burst %0d",
                            awaddr, awlen, awsize, awburst);
            if (rvalid) begin
                assert (read_found || atomic_found)
                else $error("AXI4: RVALID with RID %0d, of which no read is under way", rid);
                assert (rlast == (atomic_found || beat == length) || !(read_found || atomic_found))
                else $error("AXI4: RLAST is %0d in beat %0d of %0d of the read with RID %0d", rlast,
                            atomic_found ? 1 : beat + 1, atomic_found ? 1 : length + 1, rid);
            end
            if (bvalid) begin
                assert (write_found)
                else $error("AXI4: BVALID with BID %0d, of which no write is under way", bid);
                assert (!write_found || 8'(written - number - 8'd1) < 8'd128)
                else $error("AXI4: BVALID before the data of the write was taken");
            end
        end
endmodule
