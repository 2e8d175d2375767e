// SPDX-License-Identifier: MIT
// From the port of a chip to AXI4 of 64 bits. Lines are bursts: written as INCR, read as INCR or, if
// the request has an odd number, as WRAP from their second half on. Requests of other numbers do not
// wait for answers, so these may come in any order, and beats of several reads one between the other.
module native_to_axi4 #(
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

    output logic                  axi_awvalid,
    input  logic                  axi_awready,
    output logic [ID_BITS-1:0]    axi_awid,
    output logic [31:0]           axi_awaddr,
    output logic [7:0]            axi_awlen,
    output logic [2:0]            axi_awsize,
    output logic [1:0]            axi_awburst,
    output logic                  axi_wvalid,
    input  logic                  axi_wready,
    output logic [63:0]           axi_wdata,
    output logic [7:0]            axi_wstrb,
    output logic                  axi_wlast,
    input  logic                  axi_bvalid,
    output logic                  axi_bready,
    input  logic [ID_BITS-1:0]    axi_bid,
    input  logic [1:0]            axi_bresp,
    output logic                  axi_arvalid,
    input  logic                  axi_arready,
    output logic [ID_BITS-1:0]    axi_arid,
    output logic [31:0]           axi_araddr,
    output logic [7:0]            axi_arlen,
    output logic [2:0]            axi_arsize,
    output logic [1:0]            axi_arburst,
    input  logic                  axi_rvalid,
    output logic                  axi_rready,
    input  logic [ID_BITS-1:0]    axi_rid,
    input  logic [63:0]           axi_rdata,
    input  logic [1:0]            axi_rresp,
    input  logic                  axi_rlast
);
    localparam logic [1:0] INCR = 2'b01;
    localparam logic [1:0] WRAP = 2'b10;

    typedef logic [BEAT_BITS-1:0] beat_t;

    // ---- Requests, one after the other.

    logic                  takes, is_line, wraps;
    logic [LINE_BITS-1:0]  data;
    logic [LINE_BYTES-1:0] strobe;
    beat_t                 beat, last;

    assign request_ready = !axi_awvalid && !axi_wvalid && !axi_arvalid;
    assign takes         = request_valid && request_ready;
    assign is_line       = request_size != 3'd2;
    assign wraps         = is_line && request_id[0];

    assign axi_wdata = data[{beat, 6'b0}+:64];
    assign axi_wstrb = strobe[{beat, 3'b0}+:8];
    assign axi_wlast = beat == last;

    always_ff @(posedge clock) begin
        if (takes) begin
            data        <= request_data;
            strobe      <= request_strobe;
            beat        <= is_line ? '0 : request_address[3+:BEAT_BITS];
            last        <= is_line ? '1 : request_address[3+:BEAT_BITS];
            axi_awid    <= request_id;
            axi_awaddr  <= request_address;
            axi_awlen   <= is_line ? 8'(BEATS - 1) : '0;
            axi_awsize  <= is_line ? 3'd3 : 3'd2;
            axi_awburst <= INCR;
            axi_arid    <= request_id;
            axi_araddr  <= wraps ? request_address + 32'(LINE_BYTES / 2) : request_address;
            axi_arlen   <= is_line ? 8'(BEATS - 1) : '0;
            axi_arsize  <= is_line ? 3'd3 : 3'd2;
            axi_arburst <= wraps ? WRAP : INCR;
        end else if (axi_wvalid && axi_wready) beat <= beat + 1'b1;
        if (reset) begin
            axi_awvalid <= 1'b0;
            axi_wvalid  <= 1'b0;
            axi_arvalid <= 1'b0;
        end else begin
            if (takes) axi_awvalid <= request_write;
            else if (axi_awready) axi_awvalid <= 1'b0;
            if (takes) axi_wvalid <= request_write;
            else if (axi_wready && axi_wlast) axi_wvalid <= 1'b0;
            if (takes) axi_arvalid <= !request_write;
            else if (axi_arready) axi_arvalid <= 1'b0;
        end
    end

    // ---- Answers. The beats of a read come together by its number.

    logic [LINE_BITS-1:0]      lines[2**ID_BITS];
    beat_t                     next[2**ID_BITS];   // beat of the line that comes next
    logic [2**ID_BITS-1:0]     failed;
    logic                      is_free, answers;
    logic [LINE_BITS-1:0]      line;

    assign is_free    = !response_valid || response_ready;
    assign axi_bready = is_free;
    assign axi_rready = is_free && !axi_bvalid;
    assign answers    = (axi_bvalid && axi_bready) || (axi_rvalid && axi_rready && axi_rlast);

    always_comb begin
        line                              = lines[axi_rid];
        line[{next[axi_rid], 6'b0}+:64] = axi_rdata;
    end

    always_ff @(posedge clock) begin
        if (takes && !request_write) begin
            next[request_id]   <= wraps ? beat_t'(BEATS / 2) : is_line ? '0
                                                             : request_address[3+:BEAT_BITS];
            failed[request_id] <= 1'b0;
        end
        if (axi_rvalid && axi_rready) begin
            lines[axi_rid]  <= line;
            next[axi_rid]   <= next[axi_rid] + 1'b1;
            failed[axi_rid] <= failed[axi_rid] || axi_rresp != '0;
        end
        if (answers) begin
            response_id    <= axi_bvalid ? axi_bid : axi_rid;
            response_error <= axi_bvalid ? axi_bresp != '0 : failed[axi_rid] || axi_rresp != '0;
            response_data  <= line;
        end
        if (reset) response_valid <= 1'b0;
        else if (answers) response_valid <= 1'b1;
        else if (response_ready) response_valid <= 1'b0;
    end
endmodule
