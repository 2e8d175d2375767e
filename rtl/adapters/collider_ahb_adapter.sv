// SPDX-License-Identifier: MIT
// From a request port (docs/rtl-port.md) to an AHB subordinate (AHB-Lite, or AHB5 with HWSTRB). An
// access is a transfer, alone or in a burst whose other transfers do no harm: what they read is
// ignored, and only with HWSTRB do they write, without strobes. A swap or add is a read and a write
// under HMASTLOCK: the address of the write follows that of the read at once, since IDLE between them
// may end the lock.
module collider_ahb_adapter
    import collider_adapter_package::*;
#(
    parameter  int ADDRESS_BITS = 32,
    parameter  int BUS_BITS     = 32,
    parameter  int TAG_BITS     = 4,
    parameter  bit STROBES      = 1'b0,     // HWSTRB is there
    parameter  int BURSTS       = 0,        // 0: single transfers; 1: INCR, too; 2: WRAP, too
    parameter  int BURST_BYTES  = 64,       // a power of two: bursts stay within this many
    parameter  bit EXTRA        = 1'b1,     // accesses that change nothing
    localparam int DATA_BITS    = BUS_BITS < 64 ? BUS_BITS : 64,
    localparam int BUS_BYTES    = BUS_BITS / 8
) (
    input  logic                    clock,
    input  logic                    reset,

    input  logic                    request_valid,
    output logic                    request_ready,
    input  logic [3:0]              request_operation,
    input  logic [1:0]              request_width,
    input  logic [ADDRESS_BITS-1:0] request_address,
    input  logic [DATA_BITS-1:0]    request_data,
    input  logic [TAG_BITS-1:0]     request_tag,
    output logic                    response_valid,
    input  logic                    response_ready,
    output logic [TAG_BITS-1:0]     response_tag,
    output logic [DATA_BITS-1:0]    response_data,

    output logic                    hwrite,
    output logic                    hsel,
    output logic [1:0]              htrans,
    output logic [ADDRESS_BITS-1:0] haddr,
    output logic [2:0]              hsize,
    output logic [2:0]              hburst,
    output logic                    hmastlock,
    output logic [BUS_BITS-1:0]     hwdata,
    output logic [BUS_BYTES-1:0]    hwstrb,
    output logic                    hreadyin,
    input  logic                    hready,
    input  logic                    hresp,
    input  logic [BUS_BITS-1:0]     hrdata
);
    localparam int LANE_BITS = $clog2(BUS_BYTES);

    localparam logic [1:0] IDLE   = 2'b00;
    localparam logic [1:0] BUSY   = 2'b01;
    localparam logic [1:0] NONSEQ = 2'b10;
    localparam logic [1:0] SEQ    = 2'b11;

    logic                    valid, taken, locked, under_way, answered, is_word, is_last, unused;
    logic [3:0]              operation;
    logic [1:0]              width;
    logic [ADDRESS_BITS-1:0] address;
    logic [BUS_BITS-1:0]     data;
    logic [BUS_BYTES-1:0]    strobe;

    collider_in_order #(
        .ADDRESS_BITS(ADDRESS_BITS), .BUS_BITS(BUS_BITS), .TAG_BITS(TAG_BITS), .MOST(2),
        .FOLLOWS(1'b1), .EXTRA(EXTRA), .STROBES(STROBES), .NAME("AHB")
    ) in_order (
        .clock, .reset, .request_valid, .request_ready, .request_operation, .request_width,
        .request_address, .request_data, .request_tag, .response_valid, .response_ready,
        .response_tag, .response_data,
        .access_valid(valid), .access_ready(taken && is_last), .access_operation(operation),
        .access_locked(locked), .access_address(address), .access_width(width),
        .access_data(data), .access_strobe(strobe), .under_way, .answered, .again(1'b0),
        .fails(hresp), .answer_data(hrdata)
    );

    // ---- The transfers of an access: beats of 2 ** HSIZE bytes in an aligned window of four, eight
    // or, of undefined length, some of them.

    int          beats, place, first, last, at;
    logic [15:0] chance;
    logic [2:0]  bursts;            // of an instance: in so many of eight cases
    logic [3:0]  beat;
    logic        is_busy, follows;      // the address phase of a locked write

    assign hwrite = operation == STORE || follows;
    assign at     = (first + 32'(beat)) & (beats - 1);

    always_comb begin
        hsize = {1'b0, width};
        if (!locked && chance[0] && (!hwrite || STROBES))
            hsize = 3'(32'(width) + 32'(chance[2:1]) % (LANE_BITS - 32'(width) + 1));
        beats = 1;
        if (chance[5:3] < bursts && !locked && (!hwrite || STROBES))
            beats = chance[6] && (8 << hsize) <= BURST_BYTES ? 8
                  : (4 << hsize) <= BURST_BYTES ? 4 : 1;
        place  = 32'(address >> hsize) & (beats - 1);
        first  = 0;
        last   = beats - 1;         // transfers after the first
        hburst = beats == 1 ? 3'b000 : beats == 4 ? 3'b011 : 3'b101;
        if (beats > 1 && BURSTS == 2 && chance[7]) begin
            hburst = hburst - 3'b001;
            first  = 32'(chance[10:8]) & (beats - 1);
        end else if (beats > 1 && chance[11]) begin
            hburst = 3'b001;
            first  = 32'(chance[10:8]) % (place + 1);
            last   = place - first + 32'(chance[14:12]) % (beats - place);
        end
    end

    assign htrans    = follows ? NONSEQ : !valid ? IDLE : beat == '0 ? NONSEQ : is_busy ? BUSY : SEQ;
    assign haddr     = (address & ~ADDRESS_BITS'((beats << hsize) - 1)) | ADDRESS_BITS'(at << hsize);
    assign hmastlock = follows || (valid && locked);
    assign hsel      = 1'b1;
    assign hreadyin  = hready;
    assign is_last   = 32'(beat) == last;
    assign taken     = htrans[1] && hready;
    assign unused    = &{1'b0, under_way, chance[15]};

    always_ff @(posedge clock) begin
        if (reset)
            bursts <= BURSTS == 0 ? '0 : 3'($urandom_range(6));
        // BUSY stays until it is taken, too.
        if (hready)
            is_busy <= $urandom_range(3) == 0;
        if (reset)
            follows <= 1'b0;
        else if (hready)
            follows <= taken && locked && !follows;
        if (reset || (taken && is_last)) begin
            beat   <= '0;
            chance <= 16'($urandom());
        end else if (taken)
            beat <= beat + 1'b1;
    end

    // ---- Their data, a phase later.

    logic                 has_data, was_follow;
    logic [BUS_BITS-1:0]  old_data;
    logic [BUS_BYTES-1:0] old_strobe;

    // What a locked write writes is known when its data phase begins.
    assign hwdata   = was_follow ? data : old_data;
    assign hwstrb   = was_follow ? strobe : old_strobe;
    assign answered = has_data && is_word && hready;

    always_ff @(posedge clock)
        if (reset) begin
            has_data <= 1'b0;
        end else if (hready) begin
            has_data   <= taken;
            was_follow <= follows;
            is_word    <= at == place;
            old_data   <= data;
            old_strobe <= at == place ? strobe : '0;
        end

    always_ff @(posedge clock)
        if (!reset && has_data && !is_word && hready)
            assert (!hresp)
            else $error("AHB: an error is the answer to a transfer of a burst");
endmodule
