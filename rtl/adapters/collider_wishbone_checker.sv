// SPDX-License-Identifier: MIT
// The rules of Wishbone B4 between an adapter and a design, as assertions.
module collider_wishbone_checker #(
    parameter  int ADDRESS_BITS = 32,       // of ADR
    parameter  int BUS_BITS     = 64,
    parameter  bit PIPELINED    = 1'b0,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input logic                    clock,
    input logic                    reset,
    input logic                    cyc,
    input logic                    stb,
    input logic                    we,
    input logic                    lock,
    input logic [ADDRESS_BITS-1:0] adr,
    input logic [BUS_BITS-1:0]     dat_w,
    input logic [BUS_BYTES-1:0]    sel,
    input logic                    ack,
    input logic                    err,
    input logic                    rty,
    input logic                    stall
);
    logic       ends;
    logic [7:0] under_way;      // pipelined: taken, and not answered

    assign ends = ack || err || rty;

    collider_offer_checker #(
        .BITS(ADDRESS_BITS + BUS_BITS + BUS_BYTES + 2), .NAME("Wishbone: STB")
    ) offers (
        .clock, .reset, .valid(cyc && stb), .ready(PIPELINED ? !stall : ends),
        .payload({we, lock, adr, dat_w, sel})
    );

    always_ff @(posedge clock)
        if (reset || !cyc)
            under_way <= '0;
        else if (PIPELINED)
            under_way <= under_way + 8'(stb && !stall) - 8'(ends);

    always_ff @(posedge clock)
        if (!reset) begin
            assert (!stb || cyc)
            else $error("Wishbone: STB without CYC");
            assert ((32'(ack) + 32'(err) + 32'(rty)) < 2)
            else $error("Wishbone: ACK, ERR and RTY exclude each other");
            if (cyc && ends && PIPELINED)
                assert (under_way != '0 || (stb && !stall))
                else $error("Wishbone: an answer without an access that waits for it");
            // A classic answer may stay for the cycle after its access, and no longer.
            if (!PIPELINED && !cyc && was_idle)
                assert (!ends)
                else $error("Wishbone: an answer without an access that waits for it");
        end

    logic was_idle;
    always_ff @(posedge clock) was_idle <= !cyc && !reset;
endmodule
