// SPDX-License-Identifier: MIT
// Wires between an array of interfaces, on the side of the agents, and the flattened signals of a
// memory system. Element p of each signal belongs to port p.
module memory_ports_flat
    import port_package::*;
#(
    parameter int PORTS        = 2,
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS    = 64,
    parameter int TAG_BITS     = 8
) (
    memory_port.memory                          ports[PORTS],

    output logic [PORTS-1:0]                    request_valid,
    input  logic [PORTS-1:0]                    request_ready,
    output logic [PORTS-1:0][3:0]               request_operation,
    output logic [PORTS-1:0][1:0]               request_width,
    output logic [PORTS-1:0][ADDRESS_BITS-1:0]  request_address,
    output logic [PORTS-1:0][DATA_BITS-1:0]     request_data,
    output logic [PORTS-1:0][TAG_BITS-1:0]      request_tag,
    input  logic [PORTS-1:0]                    response_valid,
    output logic [PORTS-1:0]                    response_ready,
    input  logic [PORTS-1:0][TAG_BITS-1:0]      response_tag,
    input  logic [PORTS-1:0][DATA_BITS-1:0]     response_data,
    input  logic [PORTS-1:0]                    invalidate_valid,
    input  logic [PORTS-1:0][ADDRESS_BITS-1:0]  invalidate_address,
    input  logic [PORTS-1:0]                    commit_valid,
    input  logic [PORTS-1:0][TAG_BITS-1:0]      commit_tag,
    input  logic [PORTS-1:0][DATA_BITS-1:0]     commit_old
);
    for (genvar p = 0; p < PORTS; p++) begin : flat
        assign request_valid[p]            = ports[p].request_valid;
        assign request_operation[p]        = ports[p].request_operation;
        assign request_width[p]            = ports[p].request_width;
        assign request_address[p]          = ports[p].request_address;
        assign request_data[p]             = ports[p].request_data;
        assign request_tag[p]              = ports[p].request_tag;
        assign response_ready[p]           = ports[p].response_ready;
        assign ports[p].request_ready      = request_ready[p];
        assign ports[p].response_valid     = response_valid[p];
        assign ports[p].response_tag       = response_tag[p];
        assign ports[p].response_data      = response_data[p];
        assign ports[p].invalidate_valid   = invalidate_valid[p];
        assign ports[p].invalidate_address = invalidate_address[p];
        assign ports[p].commit_valid       = commit_valid[p];
        assign ports[p].commit_tag         = commit_tag[p];
        assign ports[p].commit_old         = commit_old[p];
    end
endmodule
