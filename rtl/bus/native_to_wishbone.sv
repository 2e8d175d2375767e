// SPDX-License-Identifier: MIT
// From the port of a chip to Wishbone B4 of 32 bits: a request becomes as many transfers as it has
// words, classic ones or, if PIPELINED, one behind the other while the target does not stall.
module native_to_wishbone #(
    parameter  int LINE_BYTES = 16,
    parameter  int ID_BITS    = 4,
    parameter  bit PIPELINED  = 1'b0,
    localparam int LINE_BITS  = 8 * LINE_BYTES,
    localparam int BEATS      = LINE_BYTES / 4,
    localparam int BEAT_BITS  = $clog2(BEATS)
) (
    input  logic                  clock,
    input  logic                  reset,

    input  logic                  request_valid,
    output logic                  request_ready,
    input  logic                  request_write,
    input  logic [31:0]           request_address,
    input  logic [2:0]            request_size,
    input  logic [LINE_BITS-1:0]  request_data,
    input  logic [LINE_BYTES-1:0] request_strobe,
    input  logic [ID_BITS-1:0]    request_id,
    output logic                  response_valid,
    input  logic                  response_ready,
    output logic                  response_error,
    output logic [LINE_BITS-1:0]  response_data,
    output logic [ID_BITS-1:0]    response_id,

    output logic                  wb_cyc,
    output logic                  wb_stb,
    output logic                  wb_we,
    output logic [31:0]           wb_adr,
    output logic [31:0]           wb_dat_w,
    output logic [3:0]            wb_sel,
    input  logic                  wb_stall,
    input  logic                  wb_ack,
    input  logic                  wb_err,
    input  logic [31:0]           wb_dat_r
);
    logic                  is_line;
    logic [31:0]           address;
    logic [LINE_BITS-1:0]  data;
    logic [LINE_BYTES-1:0] strobe;
    logic [BEAT_BITS-1:0]  sent, answered, last, first;   // beats
    logic                  sends, ends, moves;

    assign request_ready = !wb_cyc && !response_valid;
    assign first         = is_line ? '0 : address[2+:BEAT_BITS];
    assign last          = is_line ? '1 : first;
    assign ends          = wb_cyc && (wb_ack || wb_err);
    assign moves         = PIPELINED ? wb_stb && !wb_stall : ends;

    assign wb_stb   = wb_cyc && sends;
    assign wb_adr   = {address[31:2+BEAT_BITS], sent, 2'b0};
    assign wb_dat_w = data[{sent, 5'b0}+:32];
    assign wb_sel   = wb_we ? strobe[{sent, 2'b0}+:4] : 4'hf;

    always_ff @(posedge clock) begin
        if (request_valid && request_ready) begin
            is_line     <= request_size != 3'd2;
            address     <= request_address;
            data        <= request_data;
            strobe      <= request_strobe;
            wb_we       <= request_write;
            response_id <= request_id;
            sent        <= request_size != 3'd2 ? '0 : request_address[2+:BEAT_BITS];
            answered    <= request_size != 3'd2 ? '0 : request_address[2+:BEAT_BITS];
        end
        if (moves) begin
            sent  <= sent + 1'b1;
            sends <= sent != last;
        end
        if (ends) begin
            answered                            <= answered + 1'b1;
            response_data[{answered, 5'b0}+:32] <= wb_dat_r;
            response_error                      <= wb_err || (answered != first && response_error);
        end
        if (reset) begin
            wb_cyc         <= 1'b0;
            response_valid <= 1'b0;
        end else begin
            if (request_valid && request_ready) begin
                wb_cyc <= 1'b1;
                sends  <= 1'b1;
            end else if (ends && answered == last) wb_cyc <= 1'b0;
            if (ends && answered == last) response_valid <= 1'b1;
            else if (response_ready) response_valid <= 1'b0;
        end
    end

    logic unused;
    assign unused = &{1'b0, wb_stall, address};
endmodule
