// SPDX-License-Identifier: MIT
// The heart of a bus front: jobs of the bus, one at a time, at a request port. Errors 3, 4 and 9 of
// README.md are here, since all buses have them.
module front_engine
    import collider_adapter_package::*;
#(
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS    = 64,
    parameter int ID_BITS      = 4,
    parameter int TAG_BITS     = 8
) (
    input  logic                    clock,
    input  logic                    reset,
    input  logic [3:0]              error_select,

    input  logic                    job_valid,
    output logic                    job_ready,
    input  logic [3:0]              job_operation,
    input  logic [1:0]              job_width,
    input  logic [ADDRESS_BITS-1:0] job_address,
    input  logic [DATA_BITS-1:0]    job_data,
    input  logic [ID_BITS-1:0]      job_id,

    // For a cycle; there must be room. `result_reads`: with data.
    output logic                    result_valid,
    output logic                    result_reads,
    output logic                    result_writes,
    output logic [ADDRESS_BITS-1:0] result_address,
    output logic [1:0]              result_width,
    output logic [DATA_BITS-1:0]    result_data,
    output logic [ID_BITS-1:0]      result_id,

    output logic                    request_valid,
    input  logic                    request_ready,
    output logic [3:0]              request_operation,
    output logic [1:0]              request_width,
    output logic [ADDRESS_BITS-1:0] request_address,
    output logic [DATA_BITS-1:0]    request_data,
    output logic [TAG_BITS-1:0]     request_tag,
    input  logic                    response_valid,
    output logic                    response_ready,
    input  logic [DATA_BITS-1:0]    response_data
);
    localparam logic [3:0] LOSES_STROBE = 4'd3;
    localparam logic [3:0] ANSWERS_EARLY = 4'd4;
    localparam logic [3:0] SPLITS_ATOMICS = 4'd9;

    typedef struct packed {
        logic [3:0]              operation;
        logic [1:0]              width;
        logic [ADDRESS_BITS-1:0] address;
        logic [DATA_BITS-1:0]    data;
        logic [ID_BITS-1:0]      id;
    } job_t;

    job_t job, current, postponed;
    logic busy, asked, is_split, has_postponed, is_late, takes, postpones, late_goes;
    logic [3:0] chance;

    assign job       = '{operation: job_operation, width: job_width, address: job_address,
                         data: job_data, id: job_id};
    assign job_ready = !busy && !late_goes;
    assign takes     = job_valid && job_ready;
    assign postpones = takes && error_select == ANSWERS_EARLY && job.operation == STORE &&
                       !has_postponed && chance[1:0] == '0;
    // At any time, but before the next write.
    assign late_goes = has_postponed && !busy &&
                       (chance == '0 || (job_valid && job_operation != LOAD));

    assign request_valid     = busy && !asked;
    assign request_operation = is_split ? (current.operation == STORE ? STORE : LOAD)
                                        : current.operation;
    assign request_width     = current.width;
    assign request_address   = current.address;
    assign request_data      = current.data;
    assign request_tag       = '0;
    assign response_ready    = 1'b1;

    logic ends;
    assign ends           = asked && response_valid;
    assign result_valid   = postpones || (ends && !is_late && !(is_split && is_atomic(current.operation)));
    assign result_reads   = !postpones && (current.operation == LOAD ||
                                           current.operation == LOAD_RESERVED || is_atomic(current.operation) || is_split);
    assign result_writes  = postpones || (current.operation != LOAD && current.operation != LOAD_RESERVED);
    assign result_address = postpones ? job.address : current.address;
    assign result_width   = postpones ? job.width : current.width;
    assign result_data    = is_split ? split_word : response_data;
    assign result_id      = postpones ? job.id : current.id;

    logic [DATA_BITS-1:0] split_word;

    always_ff @(posedge clock) begin
        chance <= 4'($urandom_range(15));
        if (reset) begin
            busy          <= 1'b0;
            asked         <= 1'b0;
            has_postponed <= 1'b0;
            is_late       <= 1'b0;
            is_split      <= 1'b0;
        end else begin
            if (late_goes) begin
                current       <= postponed;
                busy          <= 1'b1;
                is_late       <= 1'b1;
                is_split      <= 1'b0;
                has_postponed <= 1'b0;
            end else if (postpones) begin
                postponed     <= job;
                has_postponed <= 1'b1;
            end else if (takes) begin
                current  <= job;
                busy     <= 1'b1;
                is_late  <= 1'b0;
                is_split <= error_select == SPLITS_ATOMICS && is_atomic(job.operation);
                if (error_select == LOSES_STROBE && job.operation == STORE && chance == '0)
                    current.width <= 2'd1;
            end
            if (request_valid && request_ready)
                asked <= 1'b1;
            if (ends) begin
                asked <= 1'b0;
                busy  <= 1'b0;
                if (is_split && is_atomic(current.operation)) begin
                    busy              <= 1'b1;
                    split_word        <= response_data;
                    current.operation <= STORE;
                    current.data      <= current.operation == ADD ? response_data + current.data
                                                                  : current.data;
                end
            end
        end
    end
endmodule
