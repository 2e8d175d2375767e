// SPDX-License-Identifier: MIT
// An OBI subordinate with atomics before a request port.
module obi_front
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  int ID_BITS      = 2,
    parameter  int TAG_BITS     = 8,
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,
    input  logic [3:0]              error_select,

    input  logic                    req,
    output logic                    gnt,
    input  logic [ADDRESS_BITS-1:0] addr,
    input  logic                    we,
    input  logic [BUS_BYTES-1:0]    be,
    input  logic [BUS_BITS-1:0]     wdata,
    input  logic [ID_BITS-1:0]      aid,
    input  logic [5:0]              atop,
    output logic                    rvalid,
    input  logic                    rready,
    output logic [BUS_BITS-1:0]     rdata,
    output logic                    err,
    output logic [ID_BITS-1:0]      rid,

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
    typedef enum logic [3:0] {
        CONFUSES_IDS = 4'd7,
        WITHDRAWS_R  = 4'd10
    } error_t;

    logic               push, pop, crowded, many, answered, fails, has_answer, unused, has_id;
    logic [1:0]         chance;
    logic [ID_BITS-1:0] id;
    logic [BUS_BITS-1:0] answer;

    assign gnt    = !crowded && !many && chance[0];
    assign push   = req && gnt;
    assign rvalid = has_answer && !(error_select == WITHDRAWS_R && chance == '0);
    assign pop    = rvalid && rready;
    assign rid    = error_select == CONFUSES_IDS ? id ^ ID_BITS'(1'b1) : id;

    always_ff @(posedge clock) chance <= 2'($urandom_range(3));

    // There is room for every answer: as many as there are identifiers to come.
    fifo #(.WIDTH(ID_BITS), .DEPTH(8), .SPARE(2)) ids (
        .clock, .reset, .push, .push_item(aid), .pop, .valid(has_id), .item(id), .crowded(many)
    );
    fifo #(.WIDTH(BUS_BITS + 1), .DEPTH(16), .SPARE(2)) answers (
        .clock, .reset, .push(answered), .push_item({fails, answer}), .pop, .valid(has_answer),
        .item({err, rdata}), .crowded(unused_crowded)
    );
    logic unused_crowded;
    assign unused = &{1'b0, unused_crowded, has_id};

    job_queue #(.ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS)) jobs (
        .clock, .reset, .error_select, .push,
        .operation(atop == 6'h20 ? ADD : atop == 6'h21 ? SWAP : we ? STORE : LOAD),
        .address(addr), .data(wdata), .strobe(be), .crowded, .answered, .fails, .answer,
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_data
    );
endmodule
