// SPDX-License-Identifier: MIT
// TileLink as Chisel names it, without a register that is tested.
module tile (
    input         clock,
    input         reset,
    output        auto_out_a_valid,
    input         auto_out_a_ready,
    output [2:0]  auto_out_a_bits_opcode,
    output [2:0]  auto_out_a_bits_param,
    output [2:0]  auto_out_a_bits_size,
    output [3:0]  auto_out_a_bits_source,
    output [31:0] auto_out_a_bits_address,
    output [7:0]  auto_out_a_bits_mask,
    output [63:0] auto_out_a_bits_data,
    input         auto_out_d_valid,
    output        auto_out_d_ready,
    input  [2:0]  auto_out_d_bits_opcode,
    input  [2:0]  auto_out_d_bits_size,
    input  [3:0]  auto_out_d_bits_source,
    input  [63:0] auto_out_d_bits_data
);
  reg valid;
  always @(posedge clock) valid <= !reset && auto_out_d_valid;
  assign auto_out_a_valid = valid;
endmodule
