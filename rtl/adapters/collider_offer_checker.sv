// SPDX-License-Identifier: MIT
// What is offered stays, and does not change, until it is taken.
module collider_offer_checker #(
    parameter int BITS = 1,
    parameter     NAME = "VALID"
) (
    input logic            clock,
    input logic            reset,
    input logic            valid,
    input logic            ready,
    input logic [BITS-1:0] payload
);
    logic            was_refused;
    logic [BITS-1:0] last;

    always_ff @(posedge clock) begin
        was_refused <= valid && !ready && !reset;
        last        <= payload;
        if (was_refused && !reset) begin
            assert (valid)
            else $error("%s is withdrawn before it is taken", NAME);
            assert (!valid || payload == last)
            else $error("%s: what is offered changes before it is taken", NAME);
        end
    end
endmodule
