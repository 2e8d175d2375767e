// SPDX-License-Identifier: MIT
// 2 to 8 caches that speak MSI over a split-transaction bus, and memory behind it. The agents'
// side is the request port of docs/rtl-port.md, flattened: element p belongs to port p.
module msi_system
    import port_package::*;
    import msi_package::*;
#(
    parameter  int CACHES        = 4,
    parameter  int SETS          = 4,
    parameter  int WAYS          = 2,
    parameter  int BLOCK_BYTES   = 16,
    parameter  int DATA_BITS     = 64,
    parameter  int ADDRESS_BITS  = 32,
    parameter  int TAG_BITS      = 8,
    parameter  int STORE_BUFFER  = 4,       // stores; 0: sequential consistency
    parameter  bit IN_ORDER      = 1'b1,    // stores leave the buffer in order: TSO, else RVWMO
    parameter  int MEMORY_BLOCKS = 4096,    // higher address bits are not looked at
    parameter  int LATENCY       = 4,       // of memory, in cycles
    parameter  bit OUTSIDE       = 1'b0,    // memory is outside, behind outside_* and answer_*
    localparam int HOST_BITS     = $clog2(MEMORY_BLOCKS * BLOCK_BYTES / 4),
    localparam int BLOCK_BITS    = ADDRESS_BITS - $clog2(BLOCK_BYTES),
    localparam int LINE_BITS     = 8 * BLOCK_BYTES
) (
    input  logic                                clock,
    input  logic                                reset,

    // For testbenches: an error of the list in README.md, or 0; and what is to wait in this cycle,
    // whatever the protocol says: [0] address phases, [1] data phases, [2] memory.
    input  logic [4:0]                          error_select,
    input  logic [2:0]                          stall,

    input  logic [CACHES-1:0]                   request_valid,
    output logic [CACHES-1:0]                   request_ready,
    input  logic [CACHES-1:0][3:0]              request_operation,
    input  logic [CACHES-1:0][1:0]              request_width,
    input  logic [CACHES-1:0][ADDRESS_BITS-1:0] request_address,
    input  logic [CACHES-1:0][DATA_BITS-1:0]    request_data,
    input  logic [CACHES-1:0][TAG_BITS-1:0]     request_tag,
    output logic [CACHES-1:0]                   response_valid,
    input  logic [CACHES-1:0]                   response_ready,
    output logic [CACHES-1:0][TAG_BITS-1:0]     response_tag,
    output logic [CACHES-1:0][DATA_BITS-1:0]    response_data,
    output logic [CACHES-1:0]                   invalidate_valid,
    output logic [CACHES-1:0][ADDRESS_BITS-1:0] invalidate_address,
    output logic [CACHES-1:0]                   commit_valid,
    output logic [CACHES-1:0][TAG_BITS-1:0]     commit_tag,
    output logic [CACHES-1:0][DATA_BITS-1:0]    commit_old,

    // The host's window into memory, while reset is on or nothing is under way.
    input  logic                                host_write,
    input  logic [HOST_BITS-1:0]                host_address,   // in words of 4 bytes
    input  logic [31:0]                         host_data,
    output logic [31:0]                         host_word,

    // Memory outside: a block is read or written at a time, and each has an answer. The request
    // stays until it is taken.
    output logic                                outside_valid,
    input  logic                                outside_ready,
    output logic                                outside_write,
    output logic [BLOCK_BITS-1:0]               outside_block,
    output logic [LINE_BITS-1:0]                outside_line,
    input  logic                                answer_valid,
    input  logic [LINE_BITS-1:0]                answer_line
);
    localparam int NUMBER_BITS = $clog2(CACHES);
    localparam int MOST        = 2 ** $clog2(2 * CACHES);   // each cache has two transactions

    error_t error;
    assign error = error_t'(error_select);

    // ---- The bus.

    logic                                  bus_valid, bus_to_cache, bus_to_memory;
    phase_t                                bus_phase;
    channel_t                              bus_channel;
    logic     [BLOCK_BITS-1:0]             bus_block;
    logic     [NUMBER_BITS-1:0]            bus_source, bus_target;
    logic     [LINE_BITS-1:0]              bus_data;
    logic     [CACHES-1:0]                 bus_owned;
    logic     [CACHES:0]                   crowded;

    logic     [CACHES-1:0]                 address_valid, address_granted;
    phase_t   [CACHES-1:0]                 address_phase;
    logic     [CACHES-1:0][BLOCK_BITS-1:0] address_block;
    channel_t [CACHES-1:0]                 address_channel;

    logic     [CACHES:0]                   reply_valid, reply_granted;
    logic     [CACHES:0]                   reply_to_cache, reply_to_memory;
    logic     [CACHES:0][BLOCK_BITS-1:0]   reply_block;
    logic     [CACHES:0][NUMBER_BITS-1:0]  reply_target;
    logic     [CACHES:0][LINE_BITS-1:0]    reply_data;

    bus #(
        .CACHES(CACHES), .BLOCK_BITS(BLOCK_BITS), .LINE_BITS(LINE_BITS), .NUMBER_BITS(NUMBER_BITS)
    ) shared_bus (
        .clock, .reset, .stall_address(stall[0]), .stall_data(stall[1]), .crowded(crowded != '0),
        .request_valid(address_valid), .request_phase(address_phase),
        .request_block(address_block), .request_channel(address_channel),
        .request_granted(address_granted),
        .reply_valid, .reply_block, .reply_to_cache, .reply_target, .reply_to_memory, .reply_data,
        .reply_granted,
        .bus_valid, .bus_phase, .bus_block, .bus_source, .bus_channel, .bus_to_cache, .bus_target,
        .bus_to_memory, .bus_data
    );

    // ---- Memory.

    assign reply_to_cache[CACHES]  = 1'b1;
    assign reply_to_memory[CACHES] = 1'b0;

    memory #(
        .ADDRESS_BITS(ADDRESS_BITS), .BLOCK_BYTES(BLOCK_BYTES), .BLOCKS(MEMORY_BLOCKS),
        .LATENCY(LATENCY), .MOST(MOST), .NUMBER_BITS(NUMBER_BITS), .OUTSIDE(OUTSIDE)
    ) main_memory (
        .clock, .reset, .error_select(error), .stall(stall[2]),
        .bus_valid, .bus_phase, .bus_block, .bus_source, .bus_owned(bus_owned != '0),
        .bus_to_memory, .bus_data,
        .reply_valid(reply_valid[CACHES]), .reply_block(reply_block[CACHES]),
        .reply_target(reply_target[CACHES]), .reply_data(reply_data[CACHES]),
        .reply_granted(reply_granted[CACHES]), .crowded(crowded[CACHES]),
        .host_write, .host_address, .host_data, .host_word,
        .outside_valid, .outside_ready, .outside_write, .outside_block, .outside_line,
        .answer_valid, .answer_line
    );

    // ---- Ports and caches.

    for (genvar p = 0; p < CACHES; p++) begin : ports
        logic                    load_valid, load_reserves, load_done;
        width_t                  load_width, write_width;
        logic [ADDRESS_BITS-1:0] load_address, write_address;
        logic [DATA_BITS-1:0]    load_data, write_data, write_old;
        logic                    write_valid, write_done, write_stored, reserved;
        operation_t              write_operation;

        port_front #(
            .STORE_BUFFER(STORE_BUFFER), .IN_ORDER(IN_ORDER), .ADDRESS_BITS(ADDRESS_BITS),
            .DATA_BITS(DATA_BITS), .TAG_BITS(TAG_BITS)
        ) front (
            .clock, .reset, .error_select(error),
            .request_valid(request_valid[p]), .request_ready(request_ready[p]),
            .request_operation(operation_t'(request_operation[p])),
            .request_width(width_t'(request_width[p])), .request_address(request_address[p]),
            .request_data(request_data[p]), .request_tag(request_tag[p]),
            .response_valid(response_valid[p]), .response_ready(response_ready[p]),
            .response_tag(response_tag[p]), .response_data(response_data[p]),
            .commit_valid(commit_valid[p]), .commit_tag(commit_tag[p]),
            .commit_old(commit_old[p]),
            .load_valid, .load_reserves, .load_width, .load_address, .load_done, .load_data,
            .write_valid, .write_operation, .write_width, .write_address, .write_data,
            .write_done, .write_stored, .write_old, .reserved
        );

        cache #(
            .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .BLOCK_BYTES(BLOCK_BYTES),
            .SETS(SETS), .WAYS(WAYS), .NUMBER_BITS(NUMBER_BITS)
        ) l1 (
            .clock, .reset, .error_select(error), .own_number(NUMBER_BITS'(p)),
            .load_valid, .load_reserves, .load_width, .load_address, .load_done, .load_data,
            .write_valid, .write_operation, .write_width, .write_address, .write_data,
            .write_done, .write_stored, .write_old, .reserved,
            .invalidate_valid(invalidate_valid[p]), .invalidate_address(invalidate_address[p]),
            .bus_valid, .bus_phase, .bus_block, .bus_source, .bus_channel, .bus_to_cache,
            .bus_target, .bus_data, .bus_owned(bus_owned[p]),
            .request_valid(address_valid[p]), .request_phase(address_phase[p]),
            .request_block(address_block[p]), .request_channel(address_channel[p]),
            .request_granted(address_granted[p]),
            .reply_valid(reply_valid[p]), .reply_block(reply_block[p]),
            .reply_to_cache(reply_to_cache[p]), .reply_target(reply_target[p]),
            .reply_to_memory(reply_to_memory[p]), .reply_data(reply_data[p]),
            .reply_granted(reply_granted[p]), .crowded(crowded[p])
        );
    end

    // Whoever answers a request is alone.
    at_most_one_owner: assert property (@(posedge clock) disable iff (reset)
        error_select == 5'd0 |-> $onehot0(bus_owned));
endmodule
