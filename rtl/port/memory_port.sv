// SPDX-License-Identifier: MIT
// One request port as an interface; docs/rtl-port.md says what each signal promises. Tools that
// cannot reach into interfaces connect to the same signals through memory_ports_flat.
interface memory_port #(
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS    = 64,
    parameter int TAG_BITS     = 8
);
    logic                     request_valid;
    logic                     request_ready;
    port_package::operation_t request_operation;
    port_package::width_t     request_width;
    logic [ADDRESS_BITS-1:0]  request_address;
    logic [DATA_BITS-1:0]     request_data;
    logic [TAG_BITS-1:0]      request_tag;

    logic                     response_valid;
    logic                     response_ready;
    logic [TAG_BITS-1:0]      response_tag;
    logic [DATA_BITS-1:0]     response_data;

    // This agent's cache no longer has the block.
    logic                     invalidate_valid;
    logic [ADDRESS_BITS-1:0]  invalidate_address;

    // A write of this agent became visible to all.
    logic                     commit_valid;
    logic [TAG_BITS-1:0]      commit_tag;
    logic [DATA_BITS-1:0]     commit_old;

    modport agent(
        output request_valid, request_operation, request_width, request_address, request_data,
        output request_tag, response_ready,
        input request_ready, response_valid, response_tag, response_data,
        input invalidate_valid, invalidate_address, commit_valid, commit_tag, commit_old
    );

    modport memory(
        input request_valid, request_operation, request_width, request_address, request_data,
        input request_tag, response_ready,
        output request_ready, response_valid, response_tag, response_data,
        output invalidate_valid, invalidate_address, commit_valid, commit_tag, commit_old
    );
endinterface
