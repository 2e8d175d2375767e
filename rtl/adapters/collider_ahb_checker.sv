// SPDX-License-Identifier: MIT
// The rules of AHB between an adapter and a design, as assertions.
module collider_ahb_checker #(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input logic                    clock,
    input logic                    reset,
    input logic                    hwrite,
    input logic [1:0]              htrans,
    input logic [ADDRESS_BITS-1:0] haddr,
    input logic [2:0]              hsize,
    input logic [2:0]              hburst,
    input logic                    hmastlock,
    input logic [BUS_BITS-1:0]     hwdata,
    input logic [BUS_BYTES-1:0]    hwstrb,
    input logic                    hready,
    input logic                    hresp
);
    logic has_data, writes, was_error;

    // Transfers, and BUSY, stay as they are while HREADY is 0; an error may end a burst.
    collider_offer_checker #(.BITS(ADDRESS_BITS + 10), .NAME("AHB: HTRANS")) transfers (
        .clock, .reset, .valid(htrans != 2'b00), .ready(hready || hresp),
        .payload({haddr, htrans, hwrite, hsize, hburst, hmastlock})
    );
    collider_offer_checker #(.BITS(BUS_BITS + BUS_BYTES), .NAME("AHB: HWDATA")) data (
        .clock, .reset, .valid(has_data && writes), .ready(hready), .payload({hwdata, hwstrb})
    );

    always_ff @(posedge clock) begin
        was_error <= hresp && !hready && !reset;
        if (reset)
            has_data <= 1'b0;
        else if (hready) begin
            has_data <= htrans[1];
            writes   <= hwrite;
        end
    end

    always_ff @(posedge clock)
        if (!reset) begin
            if (htrans[1])
                assert ((haddr & ~({ADDRESS_BITS{1'b1}} << hsize)) == '0)
                else $error("AHB: HADDR %0h is not a multiple of the size %0d", haddr, hsize);
            if (!has_data) begin
                assert (hready)
                else $error("AHB: HREADY is 0 though no transfer has its data phase");
                assert (!hresp)
                else $error("AHB: HRESP is 1 though no transfer has its data phase");
            end
            assert (!(hresp && hready) || was_error)
            else $error("AHB: the first cycle of an error has HREADY 1");
            assert (!was_error || (hresp && hready))
            else $error("AHB: the second cycle of an error has no HRESP and HREADY");
        end
endmodule
