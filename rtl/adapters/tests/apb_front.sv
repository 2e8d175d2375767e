// SPDX-License-Identifier: MIT
// An APB completer before a request port.
module apb_front
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  int TAG_BITS     = 8,
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,
    input  logic [3:0]              error_select,

    input  logic                    psel,
    input  logic                    penable,
    input  logic                    pwrite,
    input  logic [ADDRESS_BITS-1:0] paddr,
    input  logic [BUS_BITS-1:0]     pwdata,
    input  logic [BUS_BYTES-1:0]    pstrb,
    output logic                    pready,
    output logic [BUS_BITS-1:0]     prdata,
    output logic                    pslverr,

    output logic                    request_valid,
    input  logic                    request_ready,
    output logic [3:0]              request_operation,
    output logic [1:0]              request_width,
    output logic [ADDRESS_BITS-1:0] request_address,
    output logic [DATA_BITS-1:0]    request_data,
    output logic [TAG_BITS-1:0]     request_tag,
    input  logic                    response_valid,
    output logic                    response_ready,
    input  logic [DATA_BITS-1:0]    response_data
);
    localparam logic [3:0] ENDS_EARLY = 4'd7;   // ready before the data of a read are there

    logic push, is_pushed, crowded, answered;

    assign push   = psel && penable && !is_pushed && !crowded;
    assign pready = answered || (error_select == ENDS_EARLY && psel && penable && is_pushed);

    always_ff @(posedge clock)
        is_pushed <= (push || is_pushed) && !answered && !reset;

    job_queue #(.ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS)) jobs (
        .clock, .reset, .error_select, .push, .operation(pwrite ? STORE : LOAD), .address(paddr),
        .data(pwdata), .strobe(pwrite ? pstrb : '1), .crowded, .answered, .fails(pslverr),
        .answer(prdata),
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_data
    );
endmodule
