// SPDX-License-Identifier: MIT
// Arithmetic of RV32I and Zmmul, and the conditions of branches.
module arithmetic_unit (
    input  logic [2:0]  funct3,
    input  logic        alternative,   // subtract, or shift in the sign
    input  logic        multiplies,
    input  logic [31:0] left,
    input  logic [31:0] right,
    output logic [31:0] result,
    input  logic [31:0] compared,      // with `left`, by a branch
    output logic        condition
);
    logic signed [63:0] product;
    logic signed [32:0] left_factor, right_factor;
    assign left_factor  = {left[31] && funct3 != 3'b011, left};
    assign right_factor = {right[31] && !funct3[1], right};
    assign product      = 64'(left_factor) * 64'(right_factor);

    always_comb
        if (multiplies) result = funct3 == 3'b000 ? product[31:0] : product[63:32];
        else
            case (funct3)
                3'b000: result = alternative ? left - right : left + right;
                3'b001: result = left << right[4:0];
                3'b010: result = 32'($signed(left) < $signed(right));
                3'b011: result = 32'(left < right);
                3'b100: result = left ^ right;
                3'b101: result = alternative ? $signed($signed(left) >>> right[4:0])
                                             : left >> right[4:0];
                3'b110: result = left | right;
                3'b111: result = left & right;
            endcase

    logic is_equal, is_below;
    assign is_equal  = left == compared;
    assign is_below  = funct3[1] ? left < compared : $signed(left) < $signed(compared);
    assign condition = (funct3[2] ? is_below : is_equal) != funct3[0];
endmodule
