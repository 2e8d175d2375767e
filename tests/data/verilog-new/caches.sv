// SPDX-License-Identifier: MIT
// Two ports of AXI4-Lite in a design with cover points, and a bus behind it.
module slot (
    input  logic aclk,
    input  logic areset,
    input  logic valid,
    output logic ready
);
  always_ff @(posedge aclk) ready <= areset ? 0 : valid;
  Empty__Valid: cover property (@(posedge aclk) valid && !ready);
endmodule

module caches #(parameter int CACHE_SETS = 8, WAYS = 4) (
    input  logic        aclk, areset,
    input  logic [1:0]  stall_memory,
    input  logic        s00_axi_arvalid, s01_axi_arvalid,
    output logic        s00_axi_arready, s01_axi_arready,
    input  logic [31:0] s00_axi_araddr, s01_axi_araddr,
    output logic        s00_axi_rvalid, s01_axi_rvalid,
    input  logic        s00_axi_rready, s01_axi_rready,
    output logic [63:0] s00_axi_rdata, s01_axi_rdata,
    input  logic        s00_axi_awvalid, s01_axi_awvalid,
    output logic        s00_axi_awready, s01_axi_awready,
    input  logic [31:0] s00_axi_awaddr, s01_axi_awaddr,
    input  logic        s00_axi_wvalid, s01_axi_wvalid,
    output logic        s00_axi_wready, s01_axi_wready,
    input  logic [63:0] s00_axi_wdata, s01_axi_wdata,
    input  logic [7:0]  s00_axi_wstrb, s01_axi_wstrb,
    output logic        s00_axi_bvalid, s01_axi_bvalid,
    input  logic        s00_axi_bready, s01_axi_bready,
    output logic        M_AXI_ARVALID,
    input  logic        M_AXI_ARREADY,
    output logic [31:0] M_AXI_ARADDR,
    input  logic        M_AXI_RVALID,
    output logic        M_AXI_RREADY,
    input  logic [63:0] M_AXI_RDATA
);
  logic [63:0] lines[CACHE_SETS * WAYS];
  slot slots[1:0] (.aclk, .areset, .valid({s01_axi_arvalid, s00_axi_arvalid}),
                   .ready({s01_axi_arready, s00_axi_arready}));
  assign M_AXI_ARADDR = s00_axi_araddr | s01_axi_araddr;
  always_ff @(posedge aclk) s00_axi_rdata <= lines[s00_axi_araddr[4:0]];
endmodule
