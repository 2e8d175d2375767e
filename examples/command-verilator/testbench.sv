// SPDX-License-Identifier: MIT
// What a testbench needs to run images: RAM that $readmemh fills, a device with three words, and a dump of the results
// at the end. Put your cores where the comment is; they start at 0x8000_0000.
module testbench (
    input logic clock,
    // Accesses of the cores to 0x1000_1000 and on, which no cache may keep.
    input logic device_write,
    input logic [31:0] device_address,
    input logic [31:0] device_data,
    output logic [31:0] device_answer
);
  localparam longint unsigned Base = 64'h8000_0000;
  logic [63:0] ram[0:16*1024*1024/8-1];
  string hex, signature;
  longint unsigned results, bytes;
  logic [31:0] threads, arrived = 0, phase = 0;

  initial begin
    if (!$value$plusargs("hex=%s", hex) || !$value$plusargs("signature=%s", signature) ||
        !$value$plusargs("results=0x%x", results) || !$value$plusargs("bytes=%d", bytes) ||
        !$value$plusargs("threads=%d", threads))
      $fatal(1, "+hex, +signature, +results, +bytes and +threads are needed");
    $readmemh(hex, ram);
  end

  // Cores here.

  assign device_answer = phase;  // all that is ever read is the word at 0x1000_1004: go
  always_ff @(posedge clock) begin
    if (device_write && device_address == 32'h1000_1000) begin  // arrive: the last one lets all go
      arrived <= arrived + 1 == threads ? 0 : arrived + 1;
      if (arrived + 1 == threads) phase <= device_data;
    end
    if (device_write && device_address == 32'h1000_1008) finish_run(device_data);
  end

  // By now ram must hold what caches did: write them back first, or read through them here.
  task automatic finish_run(input logic [31:0] word);
    int file;
    file = $fopen(signature, "w");
    for (longint unsigned at = results; at < results + bytes; at += 8)
    $fwrite(file, "%016x\n", ram[21'((at - Base) / 8)]);
    $fclose(file);
    $display("the image ended with %0d", word);
    $finish;
  endtask
endmodule
