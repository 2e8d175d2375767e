// SPDX-License-Identifier: MIT
// An AXI4 memory system to try the adapter on: one memory, or with CACHES the caches of rtl/msi, with
// packed ports: element p of each signal belongs to port p.
module axi4_system #(
    parameter  int PORTS        = 4,
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 64,
    parameter  int ID_BITS      = 4,
    parameter  bit CACHES       = 1'b0,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                               clock,
    input  logic                               reset,
    input  logic [3:0]                         error_select,
    input  logic [2:0]                         stall,
    input  logic [PORTS-1:0]                   s_axi_awvalid,
    output logic [PORTS-1:0]                   s_axi_awready,
    input  logic [PORTS-1:0][ID_BITS-1:0]      s_axi_awid,
    input  logic [PORTS-1:0][ADDRESS_BITS-1:0] s_axi_awaddr,
    input  logic [PORTS-1:0][7:0]              s_axi_awlen,
    input  logic [PORTS-1:0][2:0]              s_axi_awsize,
    input  logic [PORTS-1:0][1:0]              s_axi_awburst,
    input  logic [PORTS-1:0]                   s_axi_awlock,
    input  logic [PORTS-1:0][5:0]              s_axi_awatop,
    input  logic [PORTS-1:0]                   s_axi_wvalid,
    output logic [PORTS-1:0]                   s_axi_wready,
    input  logic [PORTS-1:0][BUS_BITS-1:0]     s_axi_wdata,
    input  logic [PORTS-1:0][BUS_BYTES-1:0]    s_axi_wstrb,
    input  logic [PORTS-1:0]                   s_axi_wlast,
    output logic [PORTS-1:0]                   s_axi_bvalid,
    input  logic [PORTS-1:0]                   s_axi_bready,
    output logic [PORTS-1:0][ID_BITS-1:0]      s_axi_bid,
    output logic [PORTS-1:0][1:0]              s_axi_bresp,
    input  logic [PORTS-1:0]                   s_axi_arvalid,
    output logic [PORTS-1:0]                   s_axi_arready,
    input  logic [PORTS-1:0][ID_BITS-1:0]      s_axi_arid,
    input  logic [PORTS-1:0][ADDRESS_BITS-1:0] s_axi_araddr,
    input  logic [PORTS-1:0][7:0]              s_axi_arlen,
    input  logic [PORTS-1:0][2:0]              s_axi_arsize,
    input  logic [PORTS-1:0][1:0]              s_axi_arburst,
    input  logic [PORTS-1:0]                   s_axi_arlock,
    output logic [PORTS-1:0]                   s_axi_rvalid,
    input  logic [PORTS-1:0]                   s_axi_rready,
    output logic [PORTS-1:0][ID_BITS-1:0]      s_axi_rid,
    output logic [PORTS-1:0][BUS_BITS-1:0]     s_axi_rdata,
    output logic [PORTS-1:0][1:0]              s_axi_rresp,
    output logic [PORTS-1:0]                   s_axi_rlast,
    output logic [PORTS-1:0]                   s_axi_acvalid,
    input  logic [PORTS-1:0]                   s_axi_acready,
    output logic [PORTS-1:0][ADDRESS_BITS-1:0] s_axi_acaddr,
    output logic [PORTS-1:0][3:0]              s_axi_acsnoop,
    input  logic [PORTS-1:0]                   s_axi_crvalid,
    output logic [PORTS-1:0]                   s_axi_crready,
    input  logic [PORTS-1:0][4:0]              s_axi_crresp
);
    localparam int DATA_BITS = BUS_BITS < 64 ? BUS_BITS : 64;
    localparam int TAG_BITS  = 8;

    logic [PORTS-1:0]                   request_valid, request_ready, response_valid, response_ready;
    logic [PORTS-1:0][3:0]              request_operation;
    logic [PORTS-1:0][1:0]              request_width;
    logic [PORTS-1:0][ADDRESS_BITS-1:0] request_address, invalidate_address;
    logic [PORTS-1:0][DATA_BITS-1:0]    request_data, response_data;
    logic [PORTS-1:0][TAG_BITS-1:0]     request_tag;
    logic [PORTS-1:0]                   invalidate_valid;
    logic                               unused;

    assign unused = &{1'b0, s_axi_crresp};

    for (genvar p = 0; p < PORTS; p++) begin : ports
        axi4_front #(
            .ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .ID_BITS(ID_BITS), .TAG_BITS(TAG_BITS)
        ) front (
            .clock, .reset, .error_select,
            .awvalid(s_axi_awvalid[p]), .awready(s_axi_awready[p]), .awid(s_axi_awid[p]),
            .awaddr(s_axi_awaddr[p]), .awlen(s_axi_awlen[p]), .awsize(s_axi_awsize[p]),
            .awburst(s_axi_awburst[p]), .awlock(s_axi_awlock[p]), .awatop(s_axi_awatop[p]),
            .wvalid(s_axi_wvalid[p]), .wready(s_axi_wready[p]), .wdata(s_axi_wdata[p]),
            .wstrb(s_axi_wstrb[p]), .wlast(s_axi_wlast[p]),
            .bvalid(s_axi_bvalid[p]), .bready(s_axi_bready[p]), .bid(s_axi_bid[p]),
            .bresp(s_axi_bresp[p]),
            .arvalid(s_axi_arvalid[p]), .arready(s_axi_arready[p]), .arid(s_axi_arid[p]),
            .araddr(s_axi_araddr[p]), .arlen(s_axi_arlen[p]), .arsize(s_axi_arsize[p]),
            .arburst(s_axi_arburst[p]), .arlock(s_axi_arlock[p]),
            .rvalid(s_axi_rvalid[p]), .rready(s_axi_rready[p]), .rid(s_axi_rid[p]),
            .rdata(s_axi_rdata[p]), .rresp(s_axi_rresp[p]), .rlast(s_axi_rlast[p]),
            .acvalid(s_axi_acvalid[p]), .acready(s_axi_acready[p]), .acaddr(s_axi_acaddr[p]),
            .acsnoop(s_axi_acsnoop[p]), .crvalid(s_axi_crvalid[p]), .crready(s_axi_crready[p]),
            .request_valid(request_valid[p]), .request_ready(request_ready[p]),
            .request_operation(request_operation[p]), .request_width(request_width[p]),
            .request_address(request_address[p]), .request_data(request_data[p]),
            .request_tag(request_tag[p]), .response_valid(response_valid[p]),
            .response_ready(response_ready[p]), .response_data(response_data[p]),
            .invalidate_valid(invalidate_valid[p]), .invalidate_address(invalidate_address[p])
        );
    end

    bus_memory #(
        .PORTS(PORTS), .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .TAG_BITS(TAG_BITS),
        .CACHES(CACHES)
    ) memory (
        .clock, .reset, .stall, .locked('0), .request_valid, .request_ready, .request_operation,
        .request_width, .request_address, .request_data, .request_tag, .response_valid,
        .response_ready, .response_data, .invalidate_valid, .invalidate_address
    );
endmodule
