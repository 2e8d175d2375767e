// SPDX-License-Identifier: MIT
// What is behind the fronts: one memory, or the caches of rtl/msi.
module bus_memory #(
    parameter int PORTS        = 4,
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS    = 64,
    parameter int TAG_BITS     = 8,
    parameter bit CACHES       = 1'b0
) (
    input  logic                               clock,
    input  logic                               reset,
    input  logic [2:0]                         stall,
    input  logic [PORTS-1:0]                   locked,      // not by caches
    input  logic [PORTS-1:0]                   request_valid,
    output logic [PORTS-1:0]                   request_ready,
    input  logic [PORTS-1:0][3:0]              request_operation,
    input  logic [PORTS-1:0][1:0]              request_width,
    input  logic [PORTS-1:0][ADDRESS_BITS-1:0] request_address,
    input  logic [PORTS-1:0][DATA_BITS-1:0]    request_data,
    input  logic [PORTS-1:0][TAG_BITS-1:0]     request_tag,
    output logic [PORTS-1:0]                   response_valid,
    input  logic [PORTS-1:0]                   response_ready,
    output logic [PORTS-1:0][DATA_BITS-1:0]    response_data,
    output logic [PORTS-1:0]                   invalidate_valid,
    output logic [PORTS-1:0][ADDRESS_BITS-1:0] invalidate_address
);
    logic [PORTS-1:0][TAG_BITS-1:0] response_tag;
    logic                           unused;

    if (CACHES) begin : caches
        logic [PORTS-1:0]                commit_valid;
        logic [PORTS-1:0][TAG_BITS-1:0]  commit_tag;
        logic [PORTS-1:0][DATA_BITS-1:0] commit_old;
        logic [31:0]                     host_word;
        logic                            outside_valid, outside_write;
        logic [ADDRESS_BITS-5:0]         outside_block;
        logic [127:0]                    outside_line;

        msi_system #(
            .CACHES(PORTS), .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS),
            .TAG_BITS(TAG_BITS), .STORE_BUFFER(0)
        ) system (
            .clock, .reset, .error_select('0), .stall, .request_valid, .request_ready,
            .request_operation, .request_width, .request_address, .request_data, .request_tag,
            .response_valid, .response_ready, .response_tag, .response_data, .invalidate_valid,
            .invalidate_address, .commit_valid, .commit_tag, .commit_old, .host_write(1'b0),
            .host_address('0), .host_data('0), .host_word, .outside_valid, .outside_ready(1'b0),
            .outside_write, .outside_block, .outside_line, .answer_valid(1'b0), .answer_line('0)
        );
        assign unused = &{1'b0, locked, response_tag, commit_valid, commit_tag, commit_old, host_word,
                          outside_valid, outside_write, outside_block, outside_line};
    end else begin : memory
        shared_memory #(
            .PORTS(PORTS), .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .TAG_BITS(TAG_BITS)
        ) system (
            .clock, .reset, .stall(stall[0]), .locked, .request_valid, .request_ready,
            .request_operation, .request_width, .request_address, .request_data, .request_tag,
            .response_valid, .response_ready, .response_tag, .response_data
        );
        assign invalidate_valid   = '0;
        assign invalidate_address = '0;
        assign unused             = &{1'b0, stall[2:1], response_tag};
    end
endmodule
