// SPDX-License-Identifier: MIT
// State registers in the ways that people write them, and some that are none.
`define GO 2'd2
module machines (
    input  logic       clk,
    input  logic       rst_n,
    input  logic       go,
    input  logic       stop,
    input  logic [1:0] other,
    output logic [7:0] out
);
  typedef enum logic [1:0] { IDLE, ASKING, WAITING } step_t;

  // Two processes, with an initial value; from ST_LAST only by a soft reset, which is not the reset.
  localparam [2:0] ST_FIRST = 0, ST_SECOND = 3, ST_LAST = 5;
  reg [2:0] state = ST_FIRST, state_next;
  always @* begin
    state_next = state;
    case (state)
      ST_FIRST:  if (go) state_next = ST_SECOND;
      ST_SECOND: state_next = stop ? ST_LAST : ST_FIRST;
      default:   ;
    endcase
    if (stop) state_next = ST_FIRST;
  end
  always @(posedge clk or negedge rst_n)
    if (!rst_n) state <= ST_LAST;
    else state <= state_next;

  // An enumeration, and conditions through wires.
  step_t step;
  wire is_idle = step == IDLE;
  wire may_ask = is_idle && go;
  always_ff @(posedge clk)
    if (!rst_n) step <= IDLE;
    else if (may_ask) step <= ASKING;
    else if (step == ASKING) step <= WAITING;
    else if (!is_idle && stop) step <= IDLE;

  // One bit for each state.
  reg [2:0] hot;
  always @(posedge clk)
    if (!rst_n) hot <= 3'b001;
    else
      casez (hot)
        3'b??1: hot <= 3'b010;
        3'b?1?: hot <= 3'b100;
        3'b1??: if (go) hot <= 3'b001;
        default: ;
      endcase

  // Numbers and macros, with a jump out of a block.
  reg [1:0] plain;
  task automatic nothing; endtask
  always @(posedge clk) begin : walk
    if (!rst_n) plain <= 0;
    else begin
      if (stop) disable walk;
      if (plain == 0) plain <= 1;
      else if (plain == 1 && go) plain <= `GO;
      else if (plain == `GO) plain <= 0;
    end
  end

  // Elements of an array: the source does not show from which state.
  step_t many[4];
  always_ff @(posedge clk) begin
    if (go) many[other] <= ASKING;
    if (stop) for (int i = 0; i < 4; i++) many[i] <= IDLE;
  end

  // None: a counter, a copy, a value that is only looked at elsewhere, one that a task writes.
  reg [3:0] count;
  reg [1:0] copy, flag, written;
  always @(posedge clk) begin
    count <= count == 9 ? 0 : count + 1;
    copy <= other;
    if (go) flag <= 1;
    else if (stop) flag <= 2;
    else flag <= 3;
    if (written == 0) write(1);
    else if (written == 1) write(2);
    else write(0);
  end
  task automatic write(input [1:0] value);
    written <= value;
  endtask
  assign out = {count, copy, flag} ^ {state, step, hot} ^ {written, plain, many[other], 2'b0};
endmodule
