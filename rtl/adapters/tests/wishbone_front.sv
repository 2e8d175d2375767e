// SPDX-License-Identifier: MIT
// A Wishbone B4 subordinate, classic or pipelined, before a request port.
module wishbone_front
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  bit PIPELINED    = 1'b0,
    parameter  int TAG_BITS     = 8,
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,
    input  logic [3:0]              error_select,

    input  logic                    cyc,
    input  logic                    stb,
    input  logic                    we,
    input  logic [ADDRESS_BITS-1:0] adr,
    input  logic [BUS_BITS-1:0]     dat_w,
    input  logic [BUS_BYTES-1:0]    sel,
    output logic [BUS_BITS-1:0]     dat_r,
    output logic                    ack,
    output logic                    err,
    output logic                    rty,
    output logic                    stall,

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
    logic       crowded, takes, was_taken, retries;
    logic [2:0] chance;

    assign stall = PIPELINED && (crowded || chance[0]);
    assign takes = cyc && stb && !stall && !was_taken && !crowded && (PIPELINED || !rty) && !retries;

    // Classic: one access now and then is asked for again.
    assign retries = !PIPELINED && cyc && stb && !was_taken && chance == '0;

    always_ff @(posedge clock) begin
        chance <= 3'($urandom_range(7));
        rty    <= retries && !reset && !rty;
        // Classic: the access stays until it is answered.
        if (reset || PIPELINED || ack || err || rty)
            was_taken <= 1'b0;
        else if (takes || retries)
            was_taken <= 1'b1;
    end

    logic answered, fails;

    assign ack = answered && !fails;
    assign err = answered && fails;

    job_queue #(.ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS)) jobs (
        .clock, .reset, .error_select, .push(takes), .operation(we ? STORE : LOAD), .address(adr),
        .data(dat_w), .strobe(sel), .crowded, .answered, .fails, .answer(dat_r),
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_data
    );
endmodule
