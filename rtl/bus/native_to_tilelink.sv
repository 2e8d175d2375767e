// SPDX-License-Identifier: MIT
// From the port of a chip to TileLink of 64 bits: Get and PutFullData of lines, which are bursts
// (TL-UH), Get and PutPartialData of words (TL-UL). The number of a request is its source.
module native_to_tilelink #(
    parameter  int LINE_BYTES = 16,
    parameter  int ID_BITS    = 4,
    localparam int LINE_BITS  = 8 * LINE_BYTES,
    localparam int BEATS      = LINE_BYTES / 8,
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

    output logic                  tl_a_valid,
    input  logic                  tl_a_ready,
    output logic [2:0]            tl_a_opcode,
    output logic [2:0]            tl_a_param,
    output logic [2:0]            tl_a_size,
    output logic [ID_BITS-1:0]    tl_a_source,
    output logic [31:0]           tl_a_address,
    output logic [7:0]            tl_a_mask,
    output logic [63:0]           tl_a_data,
    input  logic                  tl_d_valid,
    output logic                  tl_d_ready,
    input  logic [2:0]            tl_d_opcode,
    input  logic [2:0]            tl_d_size,
    input  logic [ID_BITS-1:0]    tl_d_source,
    input  logic                  tl_d_denied,
    input  logic [63:0]           tl_d_data
);
    localparam logic [2:0] PUT_FULL        = 3'd0;
    localparam logic [2:0] PUT_PARTIAL     = 3'd1;
    localparam logic [2:0] GET             = 3'd4;
    localparam logic [2:0] ACCESS_ACK_DATA = 3'd1;

    typedef logic [BEAT_BITS-1:0] beat_t;

    // ---- A.

    logic [LINE_BITS-1:0]  data;
    logic [LINE_BYTES-1:0] strobe;
    beat_t                 beat, last;
    logic                  takes, is_line;

    assign request_ready = !tl_a_valid;
    assign takes         = request_valid && request_ready;
    assign is_line       = request_size != 3'd2;
    assign tl_a_param    = '0;
    assign tl_a_data     = data[{beat, 6'b0}+:64];
    assign tl_a_mask     = strobe[{beat, 3'b0}+:8];

    always_ff @(posedge clock) begin
        if (takes) begin
            data         <= request_data;
            strobe       <= request_write ? request_strobe
                            : is_line     ? '1
                                          : LINE_BYTES'(4'hf) << request_address[2+:BEAT_BITS+1] * 4;
            beat         <= is_line ? '0 : request_address[3+:BEAT_BITS];
            last         <= is_line && request_write ? '1 : is_line ? '0
                                                                    : request_address[3+:BEAT_BITS];
            tl_a_opcode  <= !request_write ? GET : is_line ? PUT_FULL : PUT_PARTIAL;
            tl_a_size    <= request_size;
            tl_a_source  <= request_id;
            tl_a_address <= request_address;
        end else if (tl_a_ready) beat <= beat + 1'b1;
        if (reset) tl_a_valid <= 1'b0;
        else if (takes) tl_a_valid <= 1'b1;
        else if (tl_a_ready && beat == last) tl_a_valid <= 1'b0;
    end

    // ---- D. Beats of one answer come one behind the other.

    logic                 is_last, has_data, failed;
    beat_t                came, place;
    beat_t                places[2**ID_BITS];   // of a word that was asked for
    logic [LINE_BITS-1:0] line;

    assign tl_d_ready = !response_valid || response_ready;
    assign has_data   = tl_d_opcode == ACCESS_ACK_DATA;
    assign is_last    = !has_data || tl_d_size <= 3'd3 || came == '1;
    assign place      = tl_d_size <= 3'd3 ? places[tl_d_source] : came;

    always_comb begin
        line                     = response_data;
        line[{place, 6'b0}+:64] = tl_d_data;
    end

    always_ff @(posedge clock) begin
        if (takes) places[request_id] <= request_address[3+:BEAT_BITS];
        if (tl_d_valid && tl_d_ready) begin
            if (has_data) response_data <= line;
            came           <= is_last ? '0 : came + 1'b1;
            failed         <= !is_last && (failed || tl_d_denied);
            response_error <= failed || tl_d_denied;
            response_id    <= tl_d_source;
        end
        if (reset) begin
            response_valid <= 1'b0;
            came           <= '0;
            failed         <= 1'b0;
        end else if (tl_d_valid && tl_d_ready) response_valid <= is_last;
        else if (response_ready) response_valid <= 1'b0;
    end
endmodule
