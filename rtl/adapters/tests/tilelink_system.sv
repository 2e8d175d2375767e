// SPDX-License-Identifier: MIT
// A TileLink memory system to try the adapter on: one memory, or with CACHES the caches of rtl/msi,
// with ports that are unpacked arrays: element p of each signal belongs to port p.
module tilelink_system #(
    parameter  int PORTS        = 4,
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 64,
    parameter  int ID_BITS      = 4,
    parameter  int SIZE_BITS    = 3,
    parameter  bit CACHES       = 1'b0,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset_n,
    input  logic [3:0]              error_select,
    input  logic [2:0]              stall,
    input  logic                    tl_a_valid[PORTS],
    output logic                    tl_a_ready[PORTS],
    input  logic [2:0]              tl_a_bits_opcode[PORTS],
    input  logic [2:0]              tl_a_bits_param[PORTS],
    input  logic [SIZE_BITS-1:0]    tl_a_bits_size[PORTS],
    input  logic [ID_BITS-1:0]      tl_a_bits_source[PORTS],
    input  logic [ADDRESS_BITS-1:0] tl_a_bits_address[PORTS],
    input  logic [BUS_BYTES-1:0]    tl_a_bits_mask[PORTS],
    input  logic [BUS_BITS-1:0]     tl_a_bits_data[PORTS],
    input  logic                    tl_a_bits_corrupt[PORTS],
    output logic                    tl_d_valid[PORTS],
    input  logic                    tl_d_ready[PORTS],
    output logic [2:0]              tl_d_bits_opcode[PORTS],
    output logic [SIZE_BITS-1:0]    tl_d_bits_size[PORTS],
    output logic [ID_BITS-1:0]      tl_d_bits_source[PORTS],
    output logic [BUS_BITS-1:0]     tl_d_bits_data[PORTS],
    output logic                    tl_d_bits_denied[PORTS],
    output logic                    tl_d_bits_corrupt[PORTS]
);
    localparam int DATA_BITS = BUS_BITS < 64 ? BUS_BITS : 64;
    localparam int TAG_BITS  = 8;

    logic [PORTS-1:0]                   request_valid, request_ready, response_valid, response_ready;
    logic [PORTS-1:0][3:0]              request_operation;
    logic [PORTS-1:0][1:0]              request_width;
    logic [PORTS-1:0][ADDRESS_BITS-1:0] request_address, invalidate_address;
    logic [PORTS-1:0][DATA_BITS-1:0]    request_data, response_data;
    logic [PORTS-1:0][TAG_BITS-1:0]     request_tag;
    logic [PORTS-1:0]                   invalidate_valid, unused_ports;
    logic                               unused;

    assign unused = &{1'b0, unused_ports, invalidate_valid, invalidate_address};

    for (genvar p = 0; p < PORTS; p++) begin : ports
        assign unused_ports[p] = &{1'b0, tl_a_bits_param[p], tl_a_bits_corrupt[p]};

        tilelink_front #(
            .ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .ID_BITS(ID_BITS),
            .SIZE_BITS(SIZE_BITS), .TAG_BITS(TAG_BITS)
        ) front (
            .clock, .reset(!reset_n), .error_select,
            .a_valid(tl_a_valid[p]), .a_ready(tl_a_ready[p]), .a_opcode(tl_a_bits_opcode[p]),
            .a_size(tl_a_bits_size[p]), .a_source(tl_a_bits_source[p]),
            .a_address(tl_a_bits_address[p]), .a_mask(tl_a_bits_mask[p]),
            .a_data(tl_a_bits_data[p]),
            .d_valid(tl_d_valid[p]), .d_ready(tl_d_ready[p]), .d_opcode(tl_d_bits_opcode[p]),
            .d_size(tl_d_bits_size[p]), .d_source(tl_d_bits_source[p]),
            .d_data(tl_d_bits_data[p]), .d_denied(tl_d_bits_denied[p]),
            .d_corrupt(tl_d_bits_corrupt[p]),
            .request_valid(request_valid[p]), .request_ready(request_ready[p]),
            .request_operation(request_operation[p]), .request_width(request_width[p]),
            .request_address(request_address[p]), .request_data(request_data[p]),
            .request_tag(request_tag[p]), .response_valid(response_valid[p]),
            .response_ready(response_ready[p]), .response_data(response_data[p])
        );
    end

    bus_memory #(
        .PORTS(PORTS), .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .TAG_BITS(TAG_BITS),
        .CACHES(CACHES)
    ) memory (
        .clock, .reset(!reset_n), .stall, .locked('0), .request_valid, .request_ready,
        .request_operation, .request_width, .request_address, .request_data, .request_tag,
        .response_valid, .response_ready, .response_data, .invalidate_valid, .invalidate_address
    );
endmodule
