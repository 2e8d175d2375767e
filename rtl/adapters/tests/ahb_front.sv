// SPDX-License-Identifier: MIT
// An AHB subordinate before a request port: a transfer is asked for in its data phase.
module ahb_front
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

    input  logic                    hsel,
    input  logic                    hwrite,
    input  logic [1:0]              htrans,
    input  logic [ADDRESS_BITS-1:0] haddr,
    input  logic [2:0]              hsize,
    input  logic                    hmastlock,
    input  logic [BUS_BITS-1:0]     hwdata,
    input  logic [BUS_BYTES-1:0]    hwstrb,
    input  logic                    hready,
    output logic                    hreadyout,
    output logic                    hresp,
    output logic [BUS_BITS-1:0]     hrdata,
    output logic                    locked,

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
    localparam int LANE_BITS = $clog2(BUS_BYTES);

    typedef enum logic [3:0] {
        PERFORMS_BUSY   = 4'd7,
        WAITS_IN_IDLE   = 4'd10,
        SHORTENS_ERRORS = 4'd12,    // to one cycle
        TAKES_OLD_DATA  = 4'd13     // HWDATA of the cycle before
    } error_t;

    logic                    has_data, is_pushed, is_write, push, crowded, answered, fails, was_error;
    logic                    is_idle, is_locked;
    logic [ADDRESS_BITS-1:0] address;
    logic [2:0]              size;
    logic [BUS_BYTES-1:0]    lanes;
    logic [BUS_BITS-1:0]     old_data;

    assign lanes     = ~({BUS_BYTES{1'b1}} << (1 << size)) << address[LANE_BITS-1:0];
    assign locked    = hmastlock || (has_data && is_locked);
    assign push      = has_data && !is_pushed && !crowded;
    assign hresp     = (answered && (fails || (error_select == SHORTENS_ERRORS && old_data[0]))) ||
                       was_error;
    assign hreadyout = !is_idle && !(answered && fails) && (!has_data || answered || was_error);

    always_ff @(posedge clock) begin
        old_data  <= hwdata;
        was_error <= answered && fails && !hreadyout && !reset;
        is_idle   <= !reset && error_select == WAITS_IN_IDLE && hready && htrans == 2'b00;
        if (reset)
            has_data <= 1'b0;
        else if (hready) begin
            has_data  <= hsel && (htrans[1] || (error_select == PERFORMS_BUSY && htrans[0]));
            is_pushed <= 1'b0;
            is_locked <= hsel && htrans[1] && hmastlock;
            is_write  <= hwrite;
            address   <= haddr;
            size      <= hsize;
        end else if (push)
            is_pushed <= 1'b1;
    end

    job_queue #(.ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS)) jobs (
        .clock, .reset, .error_select, .push, .operation(is_write ? STORE : LOAD), .address,
        .data(error_select == TAKES_OLD_DATA ? old_data : hwdata),
        .strobe(is_write ? lanes & hwstrb : lanes), .crowded, .answered, .fails, .answer(hrdata),
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_data
    );
endmodule
