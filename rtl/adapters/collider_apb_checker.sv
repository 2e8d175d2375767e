// SPDX-License-Identifier: MIT
// The rules of APB between an adapter and a design, as assertions.
module collider_apb_checker #(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input logic                    clock,
    input logic                    reset,
    input logic                    psel,
    input logic                    penable,
    input logic                    pwrite,
    input logic [ADDRESS_BITS-1:0] paddr,
    input logic [BUS_BITS-1:0]     pwdata,
    input logic [BUS_BYTES-1:0]    pstrb,
    input logic                    pready
);
    logic was_setup, was_waiting;

    collider_offer_checker #(
        .BITS(ADDRESS_BITS + BUS_BITS + BUS_BYTES + 1), .NAME("APB: PSEL")
    ) transfers (
        .clock, .reset, .valid(psel), .ready(penable && pready),
        .payload({paddr, pwrite, pwdata, pstrb})
    );

    always_ff @(posedge clock) begin
        was_setup   <= psel && !penable && !reset;
        was_waiting <= psel && penable && !pready && !reset;
    end

    always_ff @(posedge clock)
        if (!reset) begin
            assert (penable == (was_setup || was_waiting))
            else $error("APB: PENABLE is %0d, not that of the cycle", penable);
            assert (!psel || pwrite || pstrb == '0)
            else $error("APB: PSTRB of a read");
        end
endmodule
