// SPDX-License-Identifier: MIT
// 2 to 8 L1 caches that keep MESI by a directory, over an interconnect without any order. The agents'
// side is the request port of docs/rtl-port.md, flattened, as in rtl/msi/msi_system.sv.
module directory_system
    import port_package::*;
    import directory_package::*;
#(
    parameter  int CACHES        = 4,
    parameter  int TRANSACTIONS  = 4,       // that the directory has under way
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
    localparam int HOST_BITS     = $clog2(MEMORY_BLOCKS * BLOCK_BYTES / 4)
) (
    input  logic                                clock,
    input  logic                                reset,

    // For testbenches: an error of the list in README.md, or 0; and disturbances: [0] no message
    // arrives in this cycle, [1] the lottery of the interconnect is disturbed, [2] memory waits.
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
    output logic [31:0]                         host_word
);
    localparam int BLOCK_BITS  = ADDRESS_BITS - $clog2(BLOCK_BYTES);
    localparam int LINE_BITS   = 8 * BLOCK_BYTES;
    localparam int NUMBER_BITS = $clog2(CACHES);
    localparam int SENDERS     = CACHES + TRANSACTIONS;

    error_t error;
    assign error = error_t'(error_select);

    // ---- The interconnect.

    typedef struct packed {
        logic                   to_directory;
        logic [NUMBER_BITS-1:0] number;   // of the L1 that it is from, or for
        message_t               message;
        logic [BLOCK_BITS-1:0]  block;
        logic                   is_dirty;
        logic [LINE_BITS-1:0]   data;
    } packet_t;

    logic    [SENDERS-1:0] send_valid, send_granted;
    packet_t [SENDERS-1:0] send_packet;
    logic                  arrives;
    packet_t               packet;

    unordered_network #(.SENDERS(SENDERS), .WIDTH($bits(packet_t))) network (
        .clock, .reset, .stall(stall[0]), .disturb(stall[1]),
        .send_valid, .send_message(send_packet), .send_granted, .arrives, .message(packet)
    );

    // ---- The directory.

    logic     [TRANSACTIONS-1:0]                  out_valid;
    message_t [TRANSACTIONS-1:0]                  out_message;
    logic     [TRANSACTIONS-1:0][BLOCK_BITS-1:0]  out_block;
    logic     [TRANSACTIONS-1:0][NUMBER_BITS-1:0] out_target;
    logic     [TRANSACTIONS-1:0][LINE_BITS-1:0]   out_data;

    directory #(
        .CACHES(CACHES), .TRANSACTIONS(TRANSACTIONS), .ADDRESS_BITS(ADDRESS_BITS),
        .BLOCK_BYTES(BLOCK_BYTES), .BLOCKS(MEMORY_BLOCKS), .LATENCY(LATENCY)
    ) home (
        .clock, .reset, .error_select(error), .stall(stall[2]),
        .in_valid(arrives && packet.to_directory), .in_message(packet.message),
        .in_block(packet.block), .in_from(packet.number), .in_dirty(packet.is_dirty),
        .in_data(packet.data),
        .out_valid, .out_message, .out_block, .out_target, .out_data,
        .out_granted(send_granted[SENDERS-1:CACHES]),
        .host_write, .host_address, .host_data, .host_word
    );
    assign send_valid[SENDERS-1:CACHES] = out_valid;
    for (genvar t = 0; t < TRANSACTIONS; t++) begin : answers
        assign send_packet[CACHES+t] = '{to_directory: 1'b0, number: out_target[t],
                                         message: out_message[t], block: out_block[t],
                                         is_dirty: 1'b0, data: out_data[t]};
    end

    // ---- Ports and caches.

    for (genvar p = 0; p < CACHES; p++) begin : ports
        logic                    load_valid, load_reserves, load_done;
        width_t                  load_width, write_width;
        logic [ADDRESS_BITS-1:0] load_address, write_address;
        logic [DATA_BITS-1:0]    load_data, write_data, write_old;
        logic                    write_valid, write_done, write_stored, reserved;
        operation_t              write_operation;
        message_t                out;
        logic [BLOCK_BITS-1:0]   block;
        logic [LINE_BITS-1:0]    data;
        logic                    is_dirty;

        port_front #(
            .STORE_BUFFER(STORE_BUFFER), .IN_ORDER(IN_ORDER), .ADDRESS_BITS(ADDRESS_BITS),
            .DATA_BITS(DATA_BITS), .TAG_BITS(TAG_BITS)
        ) front (
            .clock, .reset, .error_select(msi_package::error_t'(error_select)),
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

        l1 #(
            .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .BLOCK_BYTES(BLOCK_BYTES),
            .SETS(SETS), .WAYS(WAYS)
        ) cache (
            .clock, .reset, .error_select(error),
            .load_valid, .load_reserves, .load_width, .load_address, .load_done, .load_data,
            .write_valid, .write_operation, .write_width, .write_address, .write_data,
            .write_done, .write_stored, .write_old, .reserved,
            .invalidate_valid(invalidate_valid[p]), .invalidate_address(invalidate_address[p]),
            .in_valid(arrives && !packet.to_directory && packet.number == NUMBER_BITS'(p)),
            .in_message(packet.message), .in_block(packet.block), .in_data(packet.data),
            .out_valid(send_valid[p]), .out_message(out), .out_block(block), .out_data(data),
            .out_dirty(is_dirty), .out_granted(send_granted[p])
        );
        assign send_packet[p] = '{to_directory: 1'b1, number: NUMBER_BITS'(p), message: out,
                                  block: block, is_dirty: is_dirty, data: data};
    end
endmodule
