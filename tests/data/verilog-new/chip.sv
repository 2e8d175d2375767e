// SPDX-License-Identifier: MIT
// Harts behind a Wishbone that counts words, in the manner of ZipCPU's names; a second clock.
module riscv_core #(parameter [31:0] BOOT_ADDRESS = 32'h100) (
    input  logic        clk_i, rst_ni,
    output logic [31:0] pc
);
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) pc <= BOOT_ADDRESS;
    else pc <= pc + 4;
endmodule

module chip (
    input  logic        clk_i, rst_ni, jtag_tck,
    output logic        o_wb_cyc, o_wb_stb, o_wb_we,
    output logic [29:0] o_wb_addr,
    output logic [31:0] o_wb_data,
    output logic [3:0]  o_wb_sel,
    input  logic        i_wb_ack,
    input  logic [31:0] i_wb_data,
    input  logic        irq,
    output logic        tdo,
    output logic        rvfi_valid,
    output logic [31:0] rvfi_pc_rdata
);
  logic [31:0] pc [2];
  wire rst_n = rst_ni;
  for (genvar i = 0; i < 2; i++) begin : g
    riscv_core core (.clk_i(clk_i), .rst_ni(rst_n), .pc(pc[i]));
  end
  assign o_wb_addr = pc[0][31:2] ^ pc[1][31:2];
  always_ff @(posedge jtag_tck) tdo <= irq;
endmodule
