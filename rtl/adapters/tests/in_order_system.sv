// SPDX-License-Identifier: MIT
// A memory with ports of AHB, APB and OBI to try the adapters on; a design file uses those of one bus.
// Packed: element p of each signal belongs to port p.
module in_order_system #(
    parameter  int PORTS        = 3,
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  int ID_BITS      = 2,
    parameter  bit CACHES       = 1'b0,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                               clock,
    input  logic                               reset,
    input  logic [3:0]                         error_select,
    input  logic [2:0]                         stall,
    input  logic [PORTS-1:0]                       ahb_hsel,
    input  logic [PORTS-1:0]                       ahb_hwrite,
    input  logic [PORTS-1:0][2-1:0]                ahb_htrans,
    input  logic [PORTS-1:0][ADDRESS_BITS-1:0]     ahb_haddr,
    input  logic [PORTS-1:0][3-1:0]                ahb_hsize,
    input  logic [PORTS-1:0][3-1:0]                ahb_hburst,
    input  logic [PORTS-1:0]                       ahb_hmastlock,
    input  logic [PORTS-1:0][BUS_BITS-1:0]         ahb_hwdata,
    input  logic [PORTS-1:0][BUS_BYTES-1:0]        ahb_hwstrb,
    input  logic [PORTS-1:0]                       ahb_hready,
    output logic [PORTS-1:0]                       ahb_hreadyout,
    output logic [PORTS-1:0]                       ahb_hresp,
    output logic [PORTS-1:0][BUS_BITS-1:0]         ahb_hrdata,
    input  logic [PORTS-1:0]                       apb_psel,
    input  logic [PORTS-1:0]                       apb_penable,
    input  logic [PORTS-1:0]                       apb_pwrite,
    input  logic [PORTS-1:0][ADDRESS_BITS-1:0]     apb_paddr,
    input  logic [PORTS-1:0][BUS_BITS-1:0]         apb_pwdata,
    input  logic [PORTS-1:0][BUS_BYTES-1:0]        apb_pstrb,
    output logic [PORTS-1:0]                       apb_pready,
    output logic [PORTS-1:0][BUS_BITS-1:0]         apb_prdata,
    output logic [PORTS-1:0]                       apb_pslverr,
    input  logic [PORTS-1:0]                       obi_req,
    output logic [PORTS-1:0]                       obi_gnt,
    input  logic [PORTS-1:0][ADDRESS_BITS-1:0]     obi_addr,
    input  logic [PORTS-1:0]                       obi_we,
    input  logic [PORTS-1:0][BUS_BYTES-1:0]        obi_be,
    input  logic [PORTS-1:0][BUS_BITS-1:0]         obi_wdata,
    input  logic [PORTS-1:0][ID_BITS-1:0]          obi_aid,
    input  logic [PORTS-1:0][6-1:0]                obi_atop,
    output logic [PORTS-1:0]                       obi_rvalid,
    input  logic [PORTS-1:0]                       obi_rready,
    output logic [PORTS-1:0][BUS_BITS-1:0]         obi_rdata,
    output logic [PORTS-1:0]                       obi_err,
    output logic [PORTS-1:0][ID_BITS-1:0]          obi_rid
);
    localparam int ALL       = 3 * PORTS;
    localparam int DATA_BITS = BUS_BITS < 64 ? BUS_BITS : 64;
    localparam int TAG_BITS  = 8;

    localparam logic [3:0] IGNORES_LOCK = 4'd9;

    logic [ALL-1:0]                   request_valid, request_ready, response_valid, response_ready;
    logic [ALL-1:0][3:0]              request_operation;
    logic [ALL-1:0][1:0]              request_width;
    logic [ALL-1:0][ADDRESS_BITS-1:0] request_address, invalidate_address;
    logic [ALL-1:0][DATA_BITS-1:0]    request_data, response_data;
    logic [ALL-1:0][TAG_BITS-1:0]     request_tag;
    logic [ALL-1:0]                   invalidate_valid;
    logic [PORTS-1:0]                 locked;
    logic                             unused;

    assign unused = &{1'b0, invalidate_valid, invalidate_address, ahb_hburst};

    for (genvar p = 0; p < PORTS; p++) begin : ports
        ahb_front #(
            .ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS)
        ) ahb (
            .clock, .reset, .error_select,
            .hsel(ahb_hsel[p]), .hwrite(ahb_hwrite[p]), .htrans(ahb_htrans[p]),
            .haddr(ahb_haddr[p]), .hsize(ahb_hsize[p]), .hmastlock(ahb_hmastlock[p]), .locked(locked[p]),
            .hwdata(ahb_hwdata[p]),
            .hwstrb(ahb_hwstrb[p]), .hready(ahb_hready[p]), .hreadyout(ahb_hreadyout[p]),
            .hresp(ahb_hresp[p]), .hrdata(ahb_hrdata[p]), .request_valid(request_valid[p]),
            .request_ready(request_ready[p]), .request_operation(request_operation[p]),
            .request_width(request_width[p]), .request_address(request_address[p]),
            .request_data(request_data[p]), .request_tag(request_tag[p]),
            .response_valid(response_valid[p]), .response_ready(response_ready[p]),
            .response_data(response_data[p])
        );
        apb_front #(
            .ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS)
        ) apb (
            .clock, .reset, .error_select,
            .psel(apb_psel[p]), .penable(apb_penable[p]), .pwrite(apb_pwrite[p]),
            .paddr(apb_paddr[p]), .pwdata(apb_pwdata[p]), .pstrb(apb_pstrb[p]),
            .pready(apb_pready[p]), .prdata(apb_prdata[p]), .pslverr(apb_pslverr[p]),
            .request_valid(request_valid[PORTS + p]), .request_ready(request_ready[PORTS + p]),
            .request_operation(request_operation[PORTS + p]),
            .request_width(request_width[PORTS + p]),
            .request_address(request_address[PORTS + p]),
            .request_data(request_data[PORTS + p]), .request_tag(request_tag[PORTS + p]),
            .response_valid(response_valid[PORTS + p]),
            .response_ready(response_ready[PORTS + p]),
            .response_data(response_data[PORTS + p])
        );
        obi_front #(
            .ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS), .ID_BITS(ID_BITS)
        ) obi (
            .clock, .reset, .error_select,
            .req(obi_req[p]), .gnt(obi_gnt[p]), .addr(obi_addr[p]), .we(obi_we[p]),
            .be(obi_be[p]), .wdata(obi_wdata[p]), .aid(obi_aid[p]), .atop(obi_atop[p]),
            .rvalid(obi_rvalid[p]), .rready(obi_rready[p]), .rdata(obi_rdata[p]),
            .err(obi_err[p]), .rid(obi_rid[p]), .request_valid(request_valid[2 * PORTS + p]),
            .request_ready(request_ready[2 * PORTS + p]),
            .request_operation(request_operation[2 * PORTS + p]),
            .request_width(request_width[2 * PORTS + p]),
            .request_address(request_address[2 * PORTS + p]),
            .request_data(request_data[2 * PORTS + p]),
            .request_tag(request_tag[2 * PORTS + p]),
            .response_valid(response_valid[2 * PORTS + p]),
            .response_ready(response_ready[2 * PORTS + p]),
            .response_data(response_data[2 * PORTS + p])
        );
    end

    bus_memory #(
        .PORTS(ALL), .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .TAG_BITS(TAG_BITS),
        .CACHES(CACHES)
    ) memory (
        .clock, .reset, .stall,
        .locked(error_select == IGNORES_LOCK ? '0 : {{2 * PORTS{1'b0}}, locked}),
        .request_valid, .request_ready, .request_operation,
        .request_width, .request_address, .request_data, .request_tag, .response_valid,
        .response_ready, .response_data, .invalidate_valid, .invalidate_address
    );
endmodule
