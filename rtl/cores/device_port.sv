// SPDX-License-Identifier: MIT
// A hart's way to what is not cached: one word at a time, kept until the bus has answered.
module device_port #(
    parameter  int BLOCK_BYTES = 16,
    localparam int OFFSET_BITS = $clog2(BLOCK_BYTES),
    localparam int LINE_BITS   = 8 * BLOCK_BYTES
) (
    input  logic                   clock,
    input  logic                   reset,

    input  logic                   device_valid,
    input  logic                   device_write,
    input  logic [31:0]            device_address,
    input  logic [31:0]            device_data,
    output logic                   device_ready,
    output logic                   device_fault,
    output logic [31:0]            device_answer,

    output logic                   ask_valid,      // stays until it is taken
    input  logic                   ask_ready,
    output logic                   ask_write,
    output logic [31:0]            ask_address,
    output logic [LINE_BITS-1:0]   ask_line,       // the word is where its address says
    output logic [BLOCK_BYTES-1:0] ask_strobe,
    input  logic                   answered,
    input  logic                   answer_fault,
    input  logic [LINE_BITS-1:0]   answer_line
);
    logic [31:0]            data;
    logic [OFFSET_BITS-1:0] offset;

    assign offset     = {ask_address[OFFSET_BITS-1:2], 2'b0};
    assign ask_strobe = ask_write ? BLOCK_BYTES'(4'hf) << offset : '0;
    always_comb begin
        ask_line                     = '0;
        ask_line[{offset, 3'b0}+:32] = data;
    end

    always_ff @(posedge clock) begin
        if (device_valid) begin
            ask_write   <= device_write;
            ask_address <= device_address;
            data        <= device_data;
        end
        device_answer <= answer_line[{offset, 3'b0}+:32];
        device_fault  <= answer_fault;
        device_ready  <= answered && !reset;
        if (reset) ask_valid <= 1'b0;
        else if (device_valid) ask_valid <= 1'b1;
        else if (ask_ready) ask_valid <= 1'b0;
    end
endmodule
