// SPDX-License-Identifier: MIT
// 2 to 4 harts on the caches of rtl/msi, with what images of platforms/rtl-cluster.yaml need:
//
//     0x80000000  RAM, cached: the image is loaded here, and harts start at its beginning
//     0x90000000  RAM, not cached: results and the log of an image
//     0x10001000  arrive: a hart writes the number of a barrier
//     0x10001004  go: reads as that number when all harts have come
//     0x10001008  exit: a word written here ends the run
//
// The host loads and reads both memories through its window, while reset is on or all is done.
// Caches are not looked at, so what is read of cached RAM may be old.
module cluster
    import port_package::*;
#(
    parameter int HARTS          = 4,
    parameter int SETS           = 16,
    parameter int WAYS           = 2,
    parameter int BLOCK_BYTES    = 16,
    parameter int STORE_BUFFER   = 4,      // stores; 0: sequential consistency
    parameter  bit IN_ORDER       = 1'b1,   // TSO; else RVWMO
    parameter int LATENCY        = 4,
    parameter int RAM_BYTES      = 1 << 20,
    parameter int UNCACHED_BYTES = 1 << 20
) (
    input  logic                   clock,
    input  logic                   reset,
    input  logic [4:0]             error_select,
    input  logic [2:0]             stall,

    input  logic                   host_write,
    input  logic [31:0]            host_address,   // as harts see it
    input  logic [31:0]            host_data,
    output logic [31:0]            host_word,

    output logic                   exit_valid,
    output logic [31:0]            exit_value,

    output logic [HARTS-1:0]       retire_valid,
    output logic [HARTS-1:0][31:0] retire_pc,
    output logic [HARTS-1:0][4:0]  retire_register,
    output logic [HARTS-1:0][31:0] retire_value
);
    localparam logic [31:0] RAM      = 32'h8000_0000;
    localparam logic [31:0] UNCACHED = 32'h9000_0000;
    localparam logic [31:0] ARRIVE   = 32'h1000_1000;
    localparam logic [31:0] GO       = 32'h1000_1004;
    localparam logic [31:0] EXIT     = 32'h1000_1008;

    localparam int TAG_BITS  = 1;
    localparam int RAM_WORDS = RAM_BYTES / 4;
    localparam int RAM_BITS  = $clog2(RAM_WORDS);
    localparam int LOG_WORDS = UNCACHED_BYTES / 4;
    localparam int LOG_BITS  = $clog2(LOG_WORDS);

    // ---- Harts.

    memory_port #(.ADDRESS_BITS(32), .DATA_BITS(32), .TAG_BITS(TAG_BITS)) hart_ports[HARTS] ();

    logic [HARTS-1:0]       fetches, device_valid, device_write, device_fault, sleeps;
    logic [HARTS-1:0][31:0] fetch_address, fetched, device_address, device_data, device_answer;

    for (genvar h = 0; h < HARTS; h++) begin : harts
        core #(.BOOT(RAM), .RAM_BASE(RAM), .RAM_SIZE(RAM_BYTES)) rv32 (
            .clock, .reset, .hart(32'(h)), .error_select,
            .fetches(fetches[h]), .fetch_address(fetch_address[h]), .fetch_ready(1'b1),
            .fetched(fetched[h]), .port(hart_ports[h]),
            .device_valid(device_valid[h]), .device_write(device_write[h]),
            .device_address(device_address[h]), .device_data(device_data[h]),
            .device_ready(1'b1), .device_fault(device_fault[h]),
            .device_answer(device_answer[h]),
            .sleeps(sleeps[h]),
            .retire_valid(retire_valid[h]), .retire_pc(retire_pc[h]),
            .retire_register(retire_register[h]), .retire_value(retire_value[h])
        );
    end

    // ---- Caches and memory.

    logic [HARTS-1:0]               request_valid, request_ready, response_valid, response_ready;
    logic [HARTS-1:0]               invalidate_valid, commit_valid;
    logic [HARTS-1:0][3:0]          request_operation;
    logic [HARTS-1:0][1:0]          request_width;
    logic [HARTS-1:0][31:0]         request_address, request_data, response_data;
    logic [HARTS-1:0][31:0]         invalidate_address, commit_old;
    logic [HARTS-1:0][TAG_BITS-1:0] request_tag, response_tag, commit_tag;

    memory_ports_flat #(
        .PORTS(HARTS), .ADDRESS_BITS(32), .DATA_BITS(32), .TAG_BITS(TAG_BITS)
    ) flat (
        .ports(hart_ports),
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_tag,
        .response_data, .invalidate_valid, .invalidate_address, .commit_valid, .commit_tag,
        .commit_old
    );

    logic        host_is_ram;
    logic [31:0] ram_word;
    assign host_is_ram = host_address[31:28] == RAM[31:28];

    // The window does not look at all bits of an address, code is always there, and so is memory.
    logic unused;
    assign unused = &{1'b0, host_address, fetches, outside_valid, outside_write, outside_block,
                      outside_line};
    logic                              outside_valid, outside_write;
    logic [31-$clog2(BLOCK_BYTES):0]   outside_block;
    logic [8*BLOCK_BYTES-1:0]          outside_line;

    msi_system #(
        .CACHES(HARTS), .SETS(SETS), .WAYS(WAYS), .BLOCK_BYTES(BLOCK_BYTES), .DATA_BITS(32),
        .ADDRESS_BITS(32), .TAG_BITS(TAG_BITS), .STORE_BUFFER(STORE_BUFFER), .IN_ORDER(IN_ORDER),
        .MEMORY_BLOCKS(RAM_BYTES / BLOCK_BYTES), .LATENCY(LATENCY)
    ) caches (
        .clock, .reset, .error_select, .stall,
        .request_valid, .request_ready, .request_operation, .request_width, .request_address,
        .request_data, .request_tag, .response_valid, .response_ready, .response_tag,
        .response_data, .invalidate_valid, .invalidate_address, .commit_valid, .commit_tag,
        .commit_old,
        .host_write(host_write && host_is_ram), .host_address(host_address[2+:RAM_BITS]),
        .host_data, .host_word(ram_word),
        .outside_valid, .outside_ready(1'b0), .outside_write, .outside_block, .outside_line,
        .answer_valid(1'b0), .answer_line('0)
    );

    // ---- Code: a copy of what the host loads, which every hart reads by itself. Harts that write
    // code do not see it.

    logic [31:0] code[RAM_WORDS];
    always_ff @(posedge clock) begin
        if (host_write && host_is_ram) code[host_address[2+:RAM_BITS]] <= host_data;
        for (int h = 0; h < HARTS; h++) fetched[h] <= code[fetch_address[h][2+:RAM_BITS]];
    end

    // ---- Devices. Each hart has a way of its own to them; the barrier decides what is first.

    logic [31:0]            log_memory[LOG_WORDS];
    logic [31:0]            go;
    logic [HARTS-1:0]       is_log, arrives, exits;

    always_comb
        for (int h = 0; h < HARTS; h++) begin
            is_log[h]  = device_address[h] - UNCACHED < UNCACHED_BYTES;
            arrives[h] = device_valid[h] && device_write[h] && device_address[h] == ARRIVE;
            exits[h]   = device_valid[h] && device_write[h] && device_address[h] == EXIT;
        end

    always_ff @(posedge clock) begin
        for (int h = 0; h < HARTS; h++) begin
            device_fault[h]  <= !is_log[h] && device_address[h] != ARRIVE
                                && device_address[h] != GO && device_address[h] != EXIT;
            device_answer[h] <= is_log[h] ? log_memory[device_address[h][2+:LOG_BITS]] : go;
            if (device_valid[h] && device_write[h] && is_log[h])
                log_memory[device_address[h][2+:LOG_BITS]] <= device_data[h];
        end
        if (host_write && !host_is_ram) log_memory[host_address[2+:LOG_BITS]] <= host_data;
    end
    assign host_word = host_is_ram ? ram_word : log_memory[host_address[2+:LOG_BITS]];

    barrier_device #(.HARTS(HARTS)) barrier (
        .clock, .reset, .sleeps, .arrives, .number(device_data), .go,
        .exits, .exit_word(device_data), .exit_valid, .exit_value
    );
endmodule
