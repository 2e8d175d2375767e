// SPDX-License-Identifier: MIT
// From a request port (docs/rtl-port.md) to a Wishbone B4 subordinate. Classic: one access at a time;
// pipelined: several, answered in order. A swap or add is a read and a write in one cycle of the bus:
// CYC stays, and LOCK is on, between them.
module collider_wishbone_adapter
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,       // of the port: in bytes
    parameter  int BUS_BITS     = 64,
    parameter  bit WORDS        = 1'b0,     // ADR counts words of the bus, not bytes
    parameter  bit PIPELINED    = 1'b0,
    parameter  int TAG_BITS     = 4,
    parameter  int MOST         = 8,        // accesses that are under way if pipelined
    parameter  bit EXTRA        = 1'b1,     // accesses that change nothing
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8,
    localparam int LANE_BITS    = $clog2(BUS_BYTES),
    localparam int ADR_BITS     = WORDS ? ADDRESS_BITS - LANE_BITS : ADDRESS_BITS
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

    output logic                    cyc,
    output logic                    stb,
    output logic                    we,
    output logic                    lock,
    output logic [ADR_BITS-1:0]     adr,
    output logic [BUS_BITS-1:0]     dat_w,
    output logic [BUS_BYTES-1:0]    sel,
    input  logic [BUS_BITS-1:0]     dat_r,
    input  logic                    ack,
    input  logic                    err,
    input  logic                    rty,
    input  logic                    stall       // 0 if classic
);
    logic                    access_valid, answered, again, under_way, locked, yields, unused;
    logic [3:0]              operation;
    logic [1:0]              width;
    logic [ADDRESS_BITS-1:0] address;

    // Reads and writes are not under way together: the standard allows it, many subordinates do not.
    collider_in_order #(
        .ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS),
        .MOST(PIPELINED ? MOST : 1), .TURNS(1'b1), .EXTRA(EXTRA), .NAME("Wishbone")
    ) in_order (
        .clock, .reset, .request_valid, .request_ready, .request_operation, .request_width,
        .request_address, .request_data, .request_tag, .response_valid, .response_ready,
        .response_tag, .response_data,
        .access_valid, .access_ready(PIPELINED ? !stall : answered), .access_operation(operation),
        .access_locked(locked), .access_address(address), .access_width(width),
        .access_data(dat_w), .access_strobe(sel), .under_way, .answered, .again, .fails(err),
        .answer_data(dat_r)
    );

    // After RTY, CYC is off for a cycle.
    assign cyc      = under_way && !yields;
    assign stb      = access_valid && !yields;
    assign we       = operation == STORE;
    assign lock     = cyc && locked;
    assign adr      = ADR_BITS'(WORDS ? address >> LANE_BITS : address);
    assign answered = cyc && (ack || err) && (PIPELINED || stb);
    assign again    = cyc && rty && stb && !PIPELINED;
    assign unused   = &{1'b0, width, address};

    always_ff @(posedge clock) yields <= again && !reset;

    always_ff @(posedge clock)
        if (!reset)
            assert (!PIPELINED || !cyc || !rty)
            else $error("Wishbone: RTY of a pipelined access is not supported");
endmodule
