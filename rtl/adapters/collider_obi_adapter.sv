// SPDX-License-Identifier: MIT
// From a request port (docs/rtl-port.md) to an OBI subordinate. Swaps and adds are its atomics (ATOP).
module collider_obi_adapter
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  int ID_BITS      = 1,
    parameter  int IDS          = 2,        // at most 2 ** ID_BITS
    parameter  int TAG_BITS     = 4,
    parameter  int MOST         = 8,        // accesses that are under way
    parameter  bit EXTRA        = 1'b1,     // accesses that change nothing
    parameter  bit STALLS       = 1'b0,     // RREADY is there
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,

    input  logic                    request_valid,
    output logic                    request_ready,
    input  logic [3:0]              request_operation,
    input  logic [1:0]              request_width,
    input  logic [ADDRESS_BITS-1:0] request_address,
    input  logic [DATA_BITS-1:0]    request_data,
    input  logic [TAG_BITS-1:0]     request_tag,
    output logic                    response_valid,
    input  logic                    response_ready,
    output logic [TAG_BITS-1:0]     response_tag,
    output logic [DATA_BITS-1:0]    response_data,

    output logic                    req,
    input  logic                    gnt,
    output logic [ADDRESS_BITS-1:0] addr,
    output logic                    we,
    output logic [BUS_BYTES-1:0]    be,
    output logic [BUS_BITS-1:0]     wdata,
    output logic [ID_BITS-1:0]      aid,
    output logic [5:0]              atop,
    input  logic                    rvalid,
    output logic                    rready,
    input  logic [BUS_BITS-1:0]     rdata,
    input  logic                    err
);
    localparam logic [5:0] ATOMIC_ADD  = 6'h20;
    localparam logic [5:0] ATOMIC_SWAP = 6'h21;

    logic       locked, under_way, unused;
    logic [3:0] operation;
    logic [1:0] width;

    collider_in_order #(
        .ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS), .MOST(MOST),
        .DIRECT(1'b1), .EXTRA(EXTRA), .NAME("OBI")
    ) in_order (
        .clock, .reset, .request_valid, .request_ready, .request_operation, .request_width,
        .request_address, .request_data, .request_tag, .response_valid, .response_ready,
        .response_tag, .response_data,
        .access_valid(req), .access_ready(gnt), .access_operation(operation),
        .access_locked(locked), .access_address(addr), .access_width(width),
        .access_data(wdata), .access_strobe(be), .under_way, .answered(rvalid && rready),
        .again(1'b0), .fails(err), .answer_data(rdata)
    );

    assign we     = operation != LOAD;
    assign atop   = operation == SWAP ? ATOMIC_SWAP : operation == ADD ? ATOMIC_ADD : '0;
    assign unused = &{1'b0, width, locked, under_way};

    always_ff @(posedge clock) begin
        rready <= !STALLS || $urandom_range(3) != 0;
        if (!req || gnt)
            aid <= ID_BITS'($urandom_range(IDS - 1));
    end
endmodule
