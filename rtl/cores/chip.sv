// SPDX-License-Identifier: MIT
// A whole chip: 2 to 4 harts on the caches of rtl/msi, with all memory and devices outside, behind
// one port (docs/rtl.md, the bus `native`). It has no barrier, no window for a host and no memory:
// whatever it runs comes from the bus. Requests have a number, by who asks: 0 is memory behind the
// caches, then come the code of each hart and what each hart does not cache. Each has one request
// under way at most, so answers may come in any order.
module chip
    import port_package::*;
    import cores_package::*;
    import msi_package::LOST_INVALIDATION;
#(
    parameter  int          HARTS        = 4,
    parameter  int          SETS         = 16,
    parameter  int          WAYS         = 2,
    parameter  int          BLOCK_BYTES  = 16,
    parameter  int          CODE_SETS    = 64,
    parameter  int          STORE_BUFFER = 4,      // stores; 0: sequential consistency
    parameter  bit          IN_ORDER     = 1'b1,   // TSO; else RVWMO
    parameter  logic [31:0] RAM_BASE     = 32'h8000_0000,
    parameter  logic [31:0] RAM_BYTES    = 32'h0010_0000,
    localparam int          LINE_BITS    = 8 * BLOCK_BYTES,
    localparam int          OFFSET_BITS  = $clog2(BLOCK_BYTES),
    localparam int          ASKERS       = 1 + 2 * HARTS,
    localparam int          ID_BITS      = $clog2(ASKERS)
) (
    input  logic                   clock,
    input  logic                   reset,
    input  logic [4:0]             error_select,   // those of rtl/msi, and of README.md
    input  logic [2:0]             stall,

    output logic                   request_valid,
    input  logic                   request_ready,
    output logic                   request_write,
    output logic [31:0]            request_address,
    output logic [2:0]             request_size,   // binary logarithm of the bytes
    output logic [LINE_BITS-1:0]   request_data,
    output logic [BLOCK_BYTES-1:0] request_strobe,
    output logic [ID_BITS-1:0]     request_id,
    input  logic                   response_valid,
    output logic                   response_ready,
    input  logic                   response_error,
    input  logic [LINE_BITS-1:0]   response_data,
    input  logic [ID_BITS-1:0]     response_id,

    output logic [HARTS-1:0]       retire_valid,
    output logic [HARTS-1:0][31:0] retire_pc,
    output logic [HARTS-1:0][4:0]  retire_register,
    output logic [HARTS-1:0][31:0] retire_value,

    output logic [HARTS-1:0]       commit_valid,   // a write became visible to all, a cycle ago
    output logic [HARTS-1:0][31:0] commit_pc,
    output logic [HARTS-1:0][31:0] commit_old      // what it replaced
);
    localparam int TAG_BITS   = 30;   // of requests to the caches: which instruction it is
    localparam int BLOCK_BITS = 32 - OFFSET_BITS;

    // Caches ignore an invalidation in a cycle in which code arrives: an error to select.
    logic [4:0] cache_error;
    assign cache_error = error_select == LOST_AT_CODE && answered[HARTS:1] != '0
                             ? LOST_INVALIDATION : error_select;

    // ---- Harts.

    memory_port #(.ADDRESS_BITS(32), .DATA_BITS(32), .TAG_BITS(TAG_BITS)) hart_ports[HARTS] ();

    logic [HARTS-1:0]       fetches, fetch_ready, sleeps;
    logic [HARTS-1:0]       device_valid, device_write, device_ready, device_fault;
    logic [HARTS-1:0][31:0] fetch_address, fetched, device_address, device_data, device_answer;

    for (genvar h = 0; h < HARTS; h++) begin : harts
        core #(.BOOT(RAM_BASE), .RAM_BASE(RAM_BASE), .RAM_SIZE(RAM_BYTES)) rv32 (
            .clock, .reset(reset || (error_select == HART_ASLEEP && h == HARTS - 1)),
            .hart(32'(h)), .error_select,
            .fetches(fetches[h]), .fetch_address(fetch_address[h]), .fetch_ready(fetch_ready[h]),
            .fetched(fetched[h]), .port(hart_ports[h]),
            .device_valid(device_valid[h]), .device_write(device_write[h]),
            .device_address(device_address[h]), .device_data(device_data[h]),
            .device_ready(device_ready[h]), .device_fault(device_fault[h]),
            .device_answer(device_answer[h]),
            .sleeps(sleeps[h]),
            .retire_valid(retire_valid[h]), .retire_pc(retire_pc[h]),
            .retire_register(retire_register[h]), .retire_value(retire_value[h])
        );

        code_cache #(.SETS(CODE_SETS), .BLOCK_BYTES(BLOCK_BYTES)) code (
            .clock, .reset, .fetches(fetches[h]), .fetch_address(fetch_address[h]),
            .fetch_ready(fetch_ready[h]), .fetched(fetched[h]),
            .fill_valid(ask_valid[1+h]), .fill_ready(ask_granted[1+h]),
            .fill_address(ask_address[1+h]),
            .filled(answered[1+h]), .filled_line(response_data)
        );
        assign ask_write[1+h]  = 1'b0;
        assign ask_size[1+h]   = 3'(OFFSET_BITS);
        assign ask_data[1+h]   = '0;
        assign ask_strobe[1+h] = '0;

        device_port #(.BLOCK_BYTES(BLOCK_BYTES)) devices (
            .clock, .reset,
            .device_valid(device_valid[h]), .device_write(device_write[h]),
            .device_address(device_address[h]), .device_data(device_data[h]),
            .device_ready(device_ready[h]), .device_fault(device_fault[h]),
            .device_answer(device_answer[h]),
            .ask_valid(ask_valid[1+HARTS+h]), .ask_ready(ask_granted[1+HARTS+h]),
            .ask_write(ask_write[1+HARTS+h]), .ask_address(ask_address[1+HARTS+h]),
            .ask_line(ask_data[1+HARTS+h]), .ask_strobe(ask_strobe[1+HARTS+h]),
            .answered(answered[1+HARTS+h]), .answer_fault(response_error),
            .answer_line(response_data)
        );
        assign ask_size[1+HARTS+h] = 3'd2;
    end

    // ---- Caches.

    logic [HARTS-1:0]               cache_valid, cache_ready, done_valid, done_ready;
    logic [HARTS-1:0]               invalidate_valid;
    logic [HARTS-1:0][3:0]          cache_operation;
    logic [HARTS-1:0][1:0]          cache_width;
    logic [HARTS-1:0][31:0]         cache_address, cache_data, done_data, invalidate_address;
    logic [HARTS-1:0][TAG_BITS-1:0] cache_tag, done_tag, commit_tag;
    logic [31:0]                    host_word;
    logic [BLOCK_BITS-1:0]          outside_block;

    memory_ports_flat #(
        .PORTS(HARTS), .ADDRESS_BITS(32), .DATA_BITS(32), .TAG_BITS(TAG_BITS)
    ) flat (
        .ports(hart_ports),
        .request_valid(cache_valid), .request_ready(cache_ready),
        .request_operation(cache_operation), .request_width(cache_width),
        .request_address(cache_address), .request_data(cache_data), .request_tag(cache_tag),
        .response_valid(done_valid), .response_ready(done_ready), .response_tag(done_tag),
        .response_data(done_data), .invalidate_valid, .invalidate_address, .commit_valid,
        .commit_tag, .commit_old
    );

    msi_system #(
        .CACHES(HARTS), .SETS(SETS), .WAYS(WAYS), .BLOCK_BYTES(BLOCK_BYTES), .DATA_BITS(32),
        .ADDRESS_BITS(32), .TAG_BITS(TAG_BITS), .STORE_BUFFER(STORE_BUFFER), .IN_ORDER(IN_ORDER),
        .LATENCY(0), .OUTSIDE(1'b1)
    ) caches (
        .clock, .reset, .error_select(cache_error), .stall,
        .request_valid(cache_valid), .request_ready(cache_ready),
        .request_operation(cache_operation), .request_width(cache_width),
        .request_address(cache_address), .request_data(cache_data), .request_tag(cache_tag),
        .response_valid(done_valid), .response_ready(done_ready), .response_tag(done_tag),
        .response_data(done_data), .invalidate_valid, .invalidate_address, .commit_valid,
        .commit_tag, .commit_old,
        .host_write(1'b0), .host_address('0), .host_data('0), .host_word,
        .outside_valid(ask_valid[0]), .outside_ready(ask_granted[0]), .outside_write(ask_write[0]),
        .outside_block, .outside_line(ask_data[0]),
        .answer_valid(answered[0]), .answer_line(response_data)
    );
    assign ask_address[0] = {outside_block, OFFSET_BITS'(0)};
    assign ask_size[0]    = 3'(OFFSET_BITS);
    assign ask_strobe[0]  = ask_write[0] ? '1 : '0;

    for (genvar h = 0; h < HARTS; h++) begin : commits
        assign commit_pc[h] = {commit_tag[h], 2'b0};
    end

    // ---- The port. A request that was chosen stays until it is taken.

    logic [ASKERS-1:0]                  ask_valid, ask_write, ask_granted, answered, granted;
    logic [ASKERS-1:0][31:0]            ask_address;
    logic [ASKERS-1:0][2:0]             ask_size;
    logic [ASKERS-1:0][LINE_BITS-1:0]   ask_data;
    logic [ASKERS-1:0][BLOCK_BYTES-1:0] ask_strobe;
    logic                               goes;
    logic [ID_BITS-1:0]                 chosen;

    round_robin #(.MEMBERS(ASKERS)) turns (
        .clock, .reset, .wants(ask_valid),
        .enable((!request_valid || request_ready) && error_select != BUS_SILENT),
        .goes, .chosen, .granted
    );
    assign ask_granted = granted;

    always_ff @(posedge clock) begin
        if (goes) begin
            request_write   <= ask_write[chosen];
            request_address <= ask_address[chosen];
            request_size    <= ask_size[chosen];
            request_data    <= ask_data[chosen];
            request_strobe  <= ask_strobe[chosen];
            request_id      <= chosen;
        end
        if (reset) request_valid <= 1'b0;
        else if (goes) request_valid <= 1'b1;
        else if (request_ready) request_valid <= 1'b0;
    end

    assign response_ready = 1'b1;
    always_comb begin
        answered              = '0;
        answered[response_id] = response_valid;
    end

    // What a chip without a host and with caches that answer in order has no use for.
    logic unused;
    assign unused = &{1'b0, host_word, sleeps};
endmodule
