// SPDX-License-Identifier: MIT
// The bus carries one phase in a cycle: an address phase, which puts all requests in one order, or
// a data phase, which answers one of them, in any order. Data goes first: it makes room.
module bus
    import msi_package::*;
#(
    parameter int CACHES      = 2,
    parameter int BLOCK_BITS  = 28,
    parameter int LINE_BITS   = 128,
    parameter int NUMBER_BITS = 1
) (
    input  logic                                clock,
    input  logic                                reset,
    input  logic                                stall_address,
    input  logic                                stall_data,
    input  logic                                crowded,   // no address phase for now

    input  logic   [CACHES-1:0]                 request_valid,
    input  phase_t [CACHES-1:0]                 request_phase,
    input  logic   [CACHES-1:0][BLOCK_BITS-1:0] request_block,
    input  channel_t [CACHES-1:0]               request_channel,
    output logic   [CACHES-1:0]                 request_granted,

    // The last one is memory's.
    input  logic   [CACHES:0]                   reply_valid,
    input  logic   [CACHES:0][BLOCK_BITS-1:0]   reply_block,
    input  logic   [CACHES:0]                   reply_to_cache,
    input  logic   [CACHES:0][NUMBER_BITS-1:0]  reply_target,
    input  logic   [CACHES:0]                   reply_to_memory,
    input  logic   [CACHES:0][LINE_BITS-1:0]    reply_data,
    output logic   [CACHES:0]                   reply_granted,

    output logic                                bus_valid,
    output phase_t                              bus_phase,
    output logic [BLOCK_BITS-1:0]               bus_block,
    output logic [NUMBER_BITS-1:0]              bus_source,
    output channel_t                            bus_channel,
    output logic                                bus_to_cache,
    output logic [NUMBER_BITS-1:0]              bus_target,
    output logic                                bus_to_memory,
    output logic [LINE_BITS-1:0]                bus_data
);
    localparam int REQUEST_BITS = CACHES > 1 ? $clog2(CACHES) : 1;
    localparam int REPLY_BITS   = $clog2(CACHES + 1);

    logic                    data_goes, address_goes;
    logic [REPLY_BITS-1:0]   sender;
    logic [REQUEST_BITS-1:0] requester;

    round_robin #(.MEMBERS(CACHES + 1)) among_replies (
        .clock, .reset, .wants(reply_valid), .enable(!stall_data),
        .goes(data_goes), .chosen(sender), .granted(reply_granted)
    );

    round_robin #(.MEMBERS(CACHES)) among_requests (
        .clock, .reset, .wants(request_valid), .enable(!data_goes && !stall_address && !crowded),
        .goes(address_goes), .chosen(requester), .granted(request_granted)
    );

    always_ff @(posedge clock) begin
        bus_valid     <= (data_goes || address_goes) && !reset;
        bus_phase     <= data_goes ? DATA : request_phase[requester];
        bus_block     <= data_goes ? reply_block[sender] : request_block[requester];
        bus_source    <= NUMBER_BITS'(requester);
        bus_channel   <= request_channel[requester];
        bus_to_cache  <= reply_to_cache[sender];
        bus_target    <= reply_target[sender];
        bus_to_memory <= reply_to_memory[sender];
        bus_data      <= reply_data[sender];
    end
endmodule
