// SPDX-License-Identifier: MIT
// An interconnect that keeps no order: messages wait in a pool, and any of them may be the next to
// arrive. One enters and one leaves in a cycle. Which one leaves is drawn by a shift register, which
// `disturb` disturbs; receivers always have room.
module unordered_network #(
    parameter  int SENDERS       = 5,
    parameter  int WIDTH         = 64,
    parameter  int SLOTS         = 16,   // a power of two
    localparam int NUMBER_BITS   = $clog2(SENDERS)
) (
    input  logic                          clock,
    input  logic                          reset,
    input  logic                          stall,
    input  logic                          disturb,

    input  logic [SENDERS-1:0]            send_valid,
    input  logic [SENDERS-1:0][WIDTH-1:0] send_message,
    output logic [SENDERS-1:0]            send_granted,

    output logic                          arrives,
    output logic [WIDTH-1:0]              message
);
    localparam int SLOT_BITS = $clog2(SLOTS);

    logic [SLOTS-1:0] used;
    logic [WIDTH-1:0] slots[SLOTS];

    logic                   enters, leaves;
    logic [NUMBER_BITS-1:0] sender;
    logic [SLOT_BITS-1:0]   free_slot, leaving;

    round_robin #(.MEMBERS(SENDERS)) among_senders (
        .clock, .reset, .wants(send_valid), .enable(used != '1),
        .goes(enters), .chosen(sender), .granted(send_granted)
    );

    logic [15:0] lottery;
    always_ff @(posedge clock)
        if (reset || lottery == '0) lottery <= 16'hace1;
        else lottery <= {lottery[14:0], lottery[15] ^ lottery[13] ^ lottery[12] ^ lottery[10]}
                        ^ {14'b0, disturb, 1'b0};

    // In a quarter of all cycles nothing arrives, so that even two messages can change places.
    always_comb begin
        free_slot = '0;
        leaving   = '0;
        for (int i = SLOTS - 1; i >= 0; i--)
            if (!used[i]) free_slot = SLOT_BITS'(i);
        for (int i = SLOTS - 1; i >= 0; i--)
            if (used[SLOT_BITS'(i) + lottery[SLOT_BITS-1:0]])
                leaving = SLOT_BITS'(i) + lottery[SLOT_BITS-1:0];
        leaves = used != '0 && !stall && lottery[15:14] != 2'b00;
    end

    always_ff @(posedge clock) begin
        if (leaves) used[leaving] <= 1'b0;
        if (enters) begin
            used[free_slot]  <= 1'b1;
            slots[free_slot] <= send_message[sender];
        end
        arrives <= leaves && !reset;
        message <= slots[leaving];
        if (reset) used <= '0;
    end
endmodule
