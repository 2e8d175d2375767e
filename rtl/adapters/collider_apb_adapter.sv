// SPDX-License-Identifier: MIT
// From a request port (docs/rtl-port.md) to an APB completer (APB3, or with PSTRB APB4): one access
// at a time.
module collider_apb_adapter
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  int TAG_BITS     = 4,
    parameter  bit STROBES      = 1'b1,
    parameter  bit EXTRA        = 1'b1,     // accesses that change nothing
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

    output logic                    psel,
    output logic                    penable,
    output logic                    pwrite,
    output logic [ADDRESS_BITS-1:0] paddr,
    output logic [BUS_BITS-1:0]     pwdata,
    output logic [BUS_BYTES-1:0]    pstrb,
    input  logic                    pready,
    input  logic [BUS_BITS-1:0]     prdata,
    input  logic                    pslverr
);
    logic                 answered, locked, under_way, unused;
    logic [3:0]           operation;
    logic [1:0]           width;
    logic [BUS_BYTES-1:0] strobe;

    collider_in_order #(
        .ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS), .MOST(1),
        .EXTRA(EXTRA), .STROBES(STROBES), .NAME("APB")
    ) in_order (
        .clock, .reset, .request_valid, .request_ready, .request_operation, .request_width,
        .request_address, .request_data, .request_tag, .response_valid, .response_ready,
        .response_tag, .response_data,
        .access_valid(psel), .access_ready(answered), .access_operation(operation),
        .access_locked(locked), .access_address(paddr), .access_width(width),
        .access_data(pwdata), .access_strobe(strobe), .under_way, .answered, .again(1'b0),
        .fails(pslverr), .answer_data(prdata)
    );

    // A cycle of setup, then access until it is ready.
    assign pwrite   = operation == STORE;
    assign pstrb    = pwrite ? strobe : '0;
    assign answered = psel && penable && pready;
    assign unused   = &{1'b0, width, locked, under_way};

    always_ff @(posedge clock) penable <= psel && !answered && !reset;
endmodule
