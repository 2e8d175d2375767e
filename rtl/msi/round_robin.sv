// SPDX-License-Identifier: MIT
// Chooses one of those who want, beginning behind the one that was chosen last.
module round_robin #(
    parameter  int MEMBERS     = 2,
    localparam int NUMBER_BITS = MEMBERS > 1 ? $clog2(MEMBERS) : 1
) (
    input  logic                   clock,
    input  logic                   reset,
    input  logic [MEMBERS-1:0]     wants,
    input  logic                   enable,
    output logic                   goes,
    output logic [NUMBER_BITS-1:0] chosen,
    output logic [MEMBERS-1:0]     granted
);
    logic [NUMBER_BITS-1:0] last;

    assign goes = enable && wants != '0;

    always_comb begin
        chosen = '0;
        for (int distance = MEMBERS; distance >= 1; distance--)
            if (wants[NUMBER_BITS'((32'(last) + distance) % MEMBERS)])
                chosen = NUMBER_BITS'((32'(last) + distance) % MEMBERS);
        granted         = '0;
        granted[chosen] = goes;
    end

    always_ff @(posedge clock)
        if (reset) last <= '0;
        else if (goes) last <= chosen;
endmodule
