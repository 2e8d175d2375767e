// SPDX-License-Identifier: MIT
// rtl/msi with Collider as its guest: a testbench that simulates on its own. With CLEARS 0 it makes
// memory 0 itself while reset is on, so that instances are those of Collider as the host.
module guest_top
    import collider_guest_package::*;
#(
    parameter bit CLEARS = 1'b1
);
    localparam int PORTS = 4, ADDRESS_BITS = 32, DATA_BITS = 64, TAG_BITS = 8;

    logic clock = 1'b0;
    always #5 clock = ~clock;

    logic                               reset, done;
    int                                 status;
    logic [1:0][63:0]                   inputs;   // of msi.yaml: error_select, stall
    logic [PORTS-1:0]                   request_valid, request_ready, response_valid, response_ready;
    logic [PORTS-1:0][3:0]              request_operation;
    logic [PORTS-1:0][1:0]              request_width;
    logic [PORTS-1:0][ADDRESS_BITS-1:0] request_address, invalidate_address;
    logic [PORTS-1:0][DATA_BITS-1:0]    request_data, response_data, commit_old;
    logic [PORTS-1:0][TAG_BITS-1:0]     request_tag, response_tag, commit_tag;
    logic [PORTS-1:0]                   invalidate_valid, commit_valid;

    collider_guest #(
        .PORTS(PORTS), .ADDRESS_BITS(ADDRESS_BITS), .DATA_BITS(DATA_BITS), .TAG_BITS(TAG_BITS),
        .INPUTS(2), .CLEARS(CLEARS)
    ) guest (.*);

    msi_system #(.CACHES(PORTS), .SETS(2), .STORE_BUFFER(4)) dut (
        .error_select(inputs[0][4:0]), .stall(inputs[1][2:0]),
        .host_write(1'b0), .host_address('0), .host_data('0), .host_word(), .outside_valid(),
        .outside_ready(1'b0), .outside_write(), .outside_block(), .outside_line(),
        .answer_valid(1'b0), .answer_line('0), .*
    );

    if (!CLEARS) begin : resets_memory
        always @(negedge clock)
            if (reset) for (int i = 0; i < 4096; i++)
                dut.main_memory.kept_here.blocks.storage[i] = '0;
    end

    int commits = col_guest_cover("ports", PORTS, "Commit");
    int lost    = col_guest_cover("ports", PORTS, "Answer__Invalidate");
    always @(posedge clock)
        for (int p = 0; p < PORTS; p++) begin
            if (commit_valid[p]) col_guest_hit(commits, p);
            if (response_valid[p] && invalidate_valid[p]) col_guest_hit(lost, p);
        end

    always @(posedge clock) if (done) begin
        $display("guest_top: status %0d", status);
        $finish;
    end
endmodule
