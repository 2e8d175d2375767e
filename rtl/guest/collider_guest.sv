// SPDX-License-Identifier: MIT
// Collider's cores at the request ports of a memory system (docs/rtl-port.md), in a simulator that has
// loaded libcollider-guest.so. The plusarg +collider=COMMAND says what is to be done, such as
//   +collider="run rtl/msi/msi.yaml --tests 100"
// Instantiate it beside the memory system, and end the simulation when `done` is 1.
module collider_guest
    import collider_guest_package::*;
#(
    parameter int PORTS          = 4,
    parameter int ADDRESS_BITS   = 32,
    parameter int DATA_BITS      = 64,
    parameter int TAG_BITS       = 8,
    parameter bit HAS_INVALIDATE = 1'b1,
    parameter bit HAS_COMMIT     = 1'b1,
    parameter int INPUTS         = 1,      // other inputs, in the order of the design file
    parameter bit CLEARS         = 1'b1    // 0: the testbench makes all memory 0 while reset is on
) (
    input  logic                               clock,
    output logic                               reset,
    output logic                               done,
    output int                                 status,   // once done: 0 nothing found, 1 an error was
    output logic [INPUTS-1:0][63:0]            inputs,

    output logic [PORTS-1:0]                   request_valid,
    input  logic [PORTS-1:0]                   request_ready,
    output logic [PORTS-1:0][3:0]              request_operation,
    output logic [PORTS-1:0][1:0]              request_width,
    output logic [PORTS-1:0][ADDRESS_BITS-1:0] request_address,
    output logic [PORTS-1:0][DATA_BITS-1:0]    request_data,
    output logic [PORTS-1:0][TAG_BITS-1:0]     request_tag,
    input  logic [PORTS-1:0]                   response_valid,
    output logic [PORTS-1:0]                   response_ready,
    input  logic [PORTS-1:0][TAG_BITS-1:0]     response_tag,
    input  logic [PORTS-1:0][DATA_BITS-1:0]    response_data,
    input  logic [PORTS-1:0]                   invalidate_valid,
    input  logic [PORTS-1:0][ADDRESS_BITS-1:0] invalidate_address,
    input  logic [PORTS-1:0]                   commit_valid,
    input  logic [PORTS-1:0][TAG_BITS-1:0]     commit_tag,
    input  logic [PORTS-1:0][DATA_BITS-1:0]    commit_old
);
    string  command;
    phase_t phase = GUEST_RESET;

    initial begin
        reset          = 1'b1;
        done           = 1'b0;
        status         = 2;
        request_valid  = '0;
        response_ready = '0;
        inputs         = '0;
        if (!$value$plusargs("collider=%s", command)) begin
            $display("collider_guest: give it a command: +collider=COMMAND");
            done = 1'b1;
        end else if (col_guest_open(command, PORTS, ADDRESS_BITS, DATA_BITS, TAG_BITS,
                                    32'(HAS_INVALIDATE), 32'(HAS_COMMIT), 32'(CLEARS)) != 0) begin
            $display("collider_guest: the command cannot be started");
            done = 1'b1;
        end
    end

    // What the ports show before the edge holds for the cycle.
    task automatic listen();
        for (int p = 0; p < PORTS; p++)
            col_guest_listen(p, 32'(request_ready[p]), 32'(response_valid[p]),
                             32'(response_tag[p]), 64'(response_data[p]), 32'(invalidate_valid[p]),
                             64'(invalidate_address[p]), 32'(commit_valid[p]), 32'(commit_tag[p]),
                             64'(commit_old[p]));
    endtask

    task automatic drive();
        int              valid, operation, width, ready;
        longint unsigned address, data;
        int unsigned     tag;
        for (int p = 0; p < PORTS; p++) begin
            col_guest_drive(p, valid, operation, width, address, data, tag, ready);
            request_valid[p]     <= valid[0];
            request_operation[p] <= operation[3:0];
            request_width[p]     <= width[1:0];
            request_address[p]   <= ADDRESS_BITS'(address);
            request_data[p]      <= DATA_BITS'(data);
            request_tag[p]       <= TAG_BITS'(tag);
            response_ready[p]    <= ready[0];
        end
        for (int i = 0; i < INPUTS; i++) inputs[i] <= col_guest_input(i);
    endtask

    always @(posedge clock)
        if (!done) begin
            if (phase == GUEST_RUNS) listen();
            phase = phase_t'(col_guest_cycle());
            drive();
            reset <= phase == GUEST_RESET;
            if (phase == GUEST_DONE) begin
                status <= col_guest_close();
                done   <= 1'b1;
            end
        end
endmodule
