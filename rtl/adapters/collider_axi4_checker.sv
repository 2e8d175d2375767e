// SPDX-License-Identifier: MIT
// The rules of AXI4 (and of ACE's snoop channels) between an adapter and a design, as assertions:
// an offer stays as it is until it is taken, and answers belong to what was asked for. The adapter
// has one beat in each transaction.
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
    input logic [2:0]              awsize,
    input logic [5:0]              awatop,
    input logic                    wvalid,
    input logic                    wready,
    input logic [BUS_BITS-1:0]     wdata,
    input logic [BUS_BYTES-1:0]    wstrb,
    input logic                    bvalid,
    input logic                    bready,
    input logic [ID_BITS-1:0]      bid,
    input logic [1:0]              bresp,
    input logic                    arvalid,
    input logic                    arready,
    input logic [ID_BITS-1:0]      arid,
    input logic [ADDRESS_BITS-1:0] araddr,
    input logic [2:0]              arsize,
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

    collider_offer_checker #(.BITS(ID_BITS + ADDRESS_BITS + 9), .NAME("AXI4: AWVALID")) aw (
        .clock, .reset, .valid(awvalid), .ready(awready), .payload({awid, awaddr, awsize, awatop})
    );
    collider_offer_checker #(.BITS(BUS_BITS + BUS_BYTES), .NAME("AXI4: WVALID")) w (
        .clock, .reset, .valid(wvalid), .ready(wready), .payload({wdata, wstrb})
    );
    collider_offer_checker #(.BITS(ID_BITS + 2), .NAME("AXI4: BVALID")) b (
        .clock, .reset, .valid(bvalid), .ready(bready), .payload({bid, bresp})
    );
    collider_offer_checker #(.BITS(ID_BITS + ADDRESS_BITS + 3), .NAME("AXI4: ARVALID")) ar (
        .clock, .reset, .valid(arvalid), .ready(arready), .payload({arid, araddr, arsize})
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

    // ---- Answers. Identifiers above are not ours.

    localparam int COUNTED = ID_BITS < 8 ? ID_BITS : 8;
    localparam int IDS     = 2 ** COUNTED;

    logic [IDS-1:0][7:0] reads, writes;         // under way, of each identifier
    logic [15:0]         addressed, written;    // writes without a response: addresses and data

    function automatic logic is_counted(logic [ID_BITS-1:0] id);
        return id >> COUNTED == '0;
    endfunction

    logic takes_read, takes_write, takes_data, takes_atomic, ends_read, ends_write;
    assign takes_read   = arvalid && arready;
    assign takes_write  = awvalid && awready;
    assign takes_atomic = takes_write && awatop[5];
    assign takes_data   = wvalid && wready;
    assign ends_read    = rvalid && rready;
    assign ends_write   = bvalid && bready;

    always_ff @(posedge clock)
        if (reset) begin
            reads     <= '0;
            writes    <= '0;
            addressed <= '0;
            written   <= '0;
        end else begin
            for (int i = 0; i < IDS; i++) begin
                reads[i]  <= reads[i] + 8'(takes_read && arid == ID_BITS'(i))
                           + 8'(takes_atomic && awid == ID_BITS'(i))
                           - 8'(ends_read && rid == ID_BITS'(i));
                writes[i] <= writes[i] + 8'(takes_write && awid == ID_BITS'(i))
                           - 8'(ends_write && bid == ID_BITS'(i));
            end
            addressed <= addressed + 16'(takes_write) - 16'(ends_write);
            written   <= written + 16'(takes_data) - 16'(ends_write);
        end

    always_ff @(posedge clock)
        if (!reset) begin
            if (rvalid) begin
                assert (is_counted(rid) && reads[rid[COUNTED-1:0]] != '0)
                else $error("AXI4: RVALID with RID %0d, of which no read is under way", rid);
                assert (rlast)
                else $error("AXI4: RLAST is 0 in the only beat of the read with RID %0d", rid);
            end
            if (bvalid) begin
                assert (is_counted(bid) && writes[bid[COUNTED-1:0]] != '0)
                else $error("AXI4: BVALID with BID %0d, of which no write is under way", bid);
                assert (addressed != '0 && written != '0)
                else $error("AXI4: BVALID before the data of the write was taken");
            end
        end
endmodule
