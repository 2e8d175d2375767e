// SPDX-License-Identifier: MIT
// Where harts meet, and where a run ends. A hart writes the number of a barrier to `arrive`; when
// all have done so, `go` reads as that number. Harts that sleep for ever are not waited for.
module barrier_device #(
    parameter int HARTS = 2
) (
    input  logic                   clock,
    input  logic                   reset,
    input  logic [HARTS-1:0]       sleeps,
    input  logic [HARTS-1:0]       arrives,
    input  logic [HARTS-1:0][31:0] number,
    output logic [31:0]            go,

    input  logic [HARTS-1:0]       exits,
    input  logic [HARTS-1:0][31:0] exit_word,
    output logic                   exit_valid,
    output logic [31:0]            exit_value
);
    logic [HARTS-1:0] here;
    logic [31:0]      coming;

    always_ff @(posedge clock) begin
        if ((here | sleeps) == '1 && here != '0) begin
            here <= '0;
            go   <= coming;
        end
        for (int h = 0; h < HARTS; h++) begin
            if (arrives[h]) begin
                here[h] <= 1'b1;
                coming  <= number[h];
            end
            if (exits[h]) begin
                exit_valid <= 1'b1;
                exit_value <= exit_word[h];
            end
        end
        if (reset) begin
            here       <= '0;
            go         <= '0;
            exit_valid <= 1'b0;
        end
    end
endmodule
