// SPDX-License-Identifier: MIT
// chip.sv with an AXI4 master of 64 bits in place of its own port.
module chip_axi4 #(
    parameter  int HARTS        = 4,
    parameter  int SETS         = 16,
    parameter  int WAYS         = 2,
    parameter  int STORE_BUFFER = 4,
    parameter  bit IN_ORDER     = 1'b1,
    localparam int BLOCK_BYTES  = 16,
    localparam int LINE_BITS    = 8 * BLOCK_BYTES,
    localparam int ID_BITS      = $clog2(1 + 2 * HARTS)
) (
    input  logic                     clock,
    input  logic                     reset,
    input  logic [4:0]               error_select,
    input  logic [2:0]               stall,

    output logic                     axi_awvalid,
    input  logic                     axi_awready,
    output logic [ID_BITS-1:0]       axi_awid,
    output logic [31:0]              axi_awaddr,
    output logic [7:0]               axi_awlen,
    output logic [2:0]               axi_awsize,
    output logic [1:0]               axi_awburst,
    output logic                     axi_wvalid,
    input  logic                     axi_wready,
    output logic [63:0]              axi_wdata,
    output logic [7:0]               axi_wstrb,
    output logic                     axi_wlast,
    input  logic                     axi_bvalid,
    output logic                     axi_bready,
    input  logic [ID_BITS-1:0]       axi_bid,
    input  logic [1:0]               axi_bresp,
    output logic                     axi_arvalid,
    input  logic                     axi_arready,
    output logic [ID_BITS-1:0]       axi_arid,
    output logic [31:0]              axi_araddr,
    output logic [7:0]               axi_arlen,
    output logic [2:0]               axi_arsize,
    output logic [1:0]               axi_arburst,
    input  logic                     axi_rvalid,
    output logic                     axi_rready,
    input  logic [ID_BITS-1:0]       axi_rid,
    input  logic [63:0]              axi_rdata,
    input  logic [1:0]               axi_rresp,
    input  logic                     axi_rlast,

    output logic [HARTS-1:0]         retire_valid,
    output logic [HARTS-1:0][31:0]   retire_pc,
    output logic [HARTS-1:0][4:0]    retire_register,
    output logic [HARTS-1:0][31:0]   retire_value,
    output logic [HARTS-1:0]         commit_valid,
    output logic [HARTS-1:0][31:0]   commit_pc,
    output logic [HARTS-1:0][31:0]   commit_old
);
    logic                   request_valid, request_ready, request_write;
    logic                   response_valid, response_ready, response_error;
    logic [31:0]            request_address;
    logic [2:0]             request_size;
    logic [LINE_BITS-1:0]   request_data, response_data;
    logic [BLOCK_BYTES-1:0] request_strobe;
    logic [ID_BITS-1:0]     request_id, response_id;

    chip #(
        .HARTS(HARTS), .SETS(SETS), .WAYS(WAYS), .BLOCK_BYTES(BLOCK_BYTES),
        .STORE_BUFFER(STORE_BUFFER), .IN_ORDER(IN_ORDER)
    ) inner (
        .clock, .reset, .error_select, .stall,
        .request_valid, .request_ready, .request_write, .request_address, .request_size,
        .request_data, .request_strobe, .request_id,
        .response_valid, .response_ready, .response_error, .response_data, .response_id,
        .retire_valid, .retire_pc, .retire_register, .retire_value,
        .commit_valid, .commit_pc, .commit_old
    );

    native_to_axi4 #(.LINE_BYTES(BLOCK_BYTES), .ID_BITS(ID_BITS)) bridge (
        .clock, .reset,
        .request_valid, .request_ready, .request_write, .request_address, .request_size,
        .request_data, .request_strobe, .request_id,
        .response_valid, .response_ready, .response_error, .response_data, .response_id,
        .axi_awvalid, .axi_awready, .axi_awid, .axi_awaddr, .axi_awlen, .axi_awsize,
        .axi_awburst, .axi_wvalid, .axi_wready, .axi_wdata, .axi_wstrb, .axi_wlast,
        .axi_bvalid, .axi_bready, .axi_bid, .axi_bresp, .axi_arvalid, .axi_arready,
        .axi_arid, .axi_araddr, .axi_arlen, .axi_arsize, .axi_arburst, .axi_rvalid,
        .axi_rready, .axi_rid, .axi_rdata, .axi_rresp, .axi_rlast
    );
endmodule
