// SPDX-License-Identifier: MIT
// A memory with two mailboxes that no request port fits: a command is a pulse, words have numbers
// instead of addresses, and the result is there when `busy` falls. It is sequentially consistent unless
// `broken` says otherwise: then an exchange may let a write of the other mailbox in between.
module mailboxes (
    input  logic             clk,
    input  logic             rst,
    input  logic             broken,
    input  logic [1:0]       go,
    input  logic [1:0][1:0]  command,   // 0 read, 1 write, 2 exchange
    input  logic [1:0][9:0]  number,
    input  logic [1:0][31:0] value,
    output logic [1:0]       busy,
    output logic [1:0][31:0] result
);
    logic [31:0] words[1024];
    logic        turn;                  // whose mailbox is emptied
    logic        has_read;              // the first half of an exchange, if it is broken

    always_ff @(posedge clk) begin
        for (int m = 0; m < 2; m++) if (go[m]) busy[m] <= 1'b1;
        turn <= !turn;
        if (busy[turn]) begin
            if (command[turn] == 2'd2 && broken && !has_read) begin
                result[turn] <= words[number[turn]];
                has_read     <= 1'b1;
            end else begin
                if (!has_read || command[turn] != 2'd2) result[turn] <= words[number[turn]];
                if (command[turn] != 2'd0) words[number[turn]] <= value[turn];
                busy[turn] <= 1'b0;
                if (command[turn] == 2'd2) has_read <= 1'b0;
            end
        end
        if (rst) begin
            busy     <= '0;
            turn     <= 1'b0;
            has_read <= 1'b0;
        end
    end

    Read: cover property (@(posedge clk) busy[turn] && command[turn] == 2'd0);
    Write: cover property (@(posedge clk) busy[turn] && command[turn] == 2'd1);
    Exchange: cover property (@(posedge clk) busy[turn] && command[turn] == 2'd2);
    Both: cover property (@(posedge clk) &busy);
endmodule
