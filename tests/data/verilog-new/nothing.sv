// SPDX-License-Identifier: MIT
// Neither a bus, nor a clock, nor a reset.
module nothing (input logic [3:0] a, output logic [3:0] b);
  assign b = ~a;
endmodule
