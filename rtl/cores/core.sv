// SPDX-License-Identifier: MIT
// A hart of RV32IA with Zmmul and cbo.flush, one instruction at a time: fetched, executed, and, if
// it has to do with memory, finished when the answer is here. Memory order is therefore what the
// memory system behind the port makes of it: nothing is reordered here.
module core
    import port_package::*;
    import cores_package::*;
#(
    parameter logic [31:0] BOOT     = 32'h8000_0000,
    parameter logic [31:0] RAM_BASE = 32'h8000_0000,
    parameter logic [31:0] RAM_SIZE = 32'h0010_0000
) (
    input  logic        clock,
    input  logic        reset,
    input  logic [31:0] hart,
    input  logic [4:0]  error_select,    // FENCE_BEHIND_LOAD, FENCE_AT_LINE_END

    output logic        fetches,
    output logic [31:0] fetch_address,
    input  logic        fetch_ready,     // the instruction is there in the next cycle,
    input  logic [31:0] fetched,         // and until another one is asked for

    memory_port.agent   port,            // of RAM

    output logic        device_valid,    // everything else, for a cycle: answered in a later one
    output logic        device_write,
    output logic [31:0] device_address,
    output logic [31:0] device_data,
    input  logic        device_ready,
    input  logic        device_fault,
    input  logic [31:0] device_answer,

    output logic        sleeps,          // wfi: without interrupts, for ever

    output logic        retire_valid,
    output logic [31:0] retire_pc,
    output logic [4:0]  retire_register, // 0: none was written
    output logic [31:0] retire_value
);
    typedef enum logic [2:0] { FETCH, EXECUTE, ASK, WAIT, DEVICE, SLEEP } step_t;

    step_t       step;
    logic [31:0] pc;
    logic [31:0] registers[32];

    // ---- The instruction.

    kind_t       kind;
    logic [31:0] instruction, immediate, left, right;
    logic [2:0]  funct3;
    logic [4:0]  destination;
    logic        writes_register;

    assign instruction   = fetched;
    assign funct3        = instruction[14:12];
    assign destination   = instruction[11:7];
    assign left          = registers[instruction[19:15]];
    assign right         = registers[instruction[24:20]];
    assign fetches       = step == FETCH;
    assign fetch_address = pc;

    decoder decodes (.instruction, .kind, .immediate, .writes_register);

    logic [31:0] result;
    logic        condition, uses_register;
    assign uses_register = instruction[5];   // OP, not OP-IMM

    arithmetic_unit arithmetic (
        .funct3, .multiplies(kind == MULTIPLY), .left,
        .alternative(instruction[30] && (uses_register || funct3 == 3'b101)),
        .right(uses_register ? right : immediate), .result, .compared(right), .condition
    );

    // ---- Addresses and widths of memory.

    logic [31:0] address, offset;
    width_t      width;
    logic        is_memory, is_misaligned, is_ram, is_store;

    assign address   = left + immediate;
    assign offset    = address - RAM_BASE;
    assign width     = kind == ATOMIC ? WORD : width_t'(funct3[1:0]);
    assign is_memory = kind == READ || kind == WRITE || kind == ATOMIC || kind == FLUSH_BLOCK;
    assign is_ram    = offset < RAM_SIZE;
    assign is_store  = kind != READ && !(kind == ATOMIC && operation == LOAD_RESERVED);
    assign is_misaligned = kind != FLUSH_BLOCK
                           && ((width == HALF && address[0]) || (width == WORD && address[1:0] != '0));

    operation_t operation;
    always_comb
        case (kind)
            READ:         operation = LOAD;
            WRITE:        operation = STORE;
            FLUSH_BLOCK:  operation = FLUSH;
            FENCE_MEMORY: operation = FENCE;
            default:
                case (instruction[31:27])
                    5'b00010: operation = LOAD_RESERVED;
                    5'b00011: operation = STORE_CONDITIONAL;
                    5'b00001: operation = SWAP;
                    5'b00100: operation = XOR;
                    5'b01000: operation = OR;
                    5'b01100: operation = AND;
                    5'b10000: operation = MIN;
                    5'b10100: operation = MAX;
                    5'b11000: operation = MIN_UNSIGNED;
                    5'b11100: operation = MAX_UNSIGNED;
                    default:  operation = ADD;
                endcase
        endcase

    // Loads come one after the other anyway: only fences behind writes have something to wait for.
    logic fence_waits;
    assign fence_waits = instruction[24];

    assign port.request_valid     = step == ASK;
    assign port.request_operation = operation;
    assign port.request_width     = width;
    assign port.request_address   = address;
    assign port.request_data      = right;
    assign port.request_tag       = $bits(port.request_tag)'(pc >> 2);   // for who sees commits
    assign port.response_ready    = 1'b1;

    // What the core has no use for.
    logic unused;
    assign unused = &{1'b0, port.response_tag, port.invalidate_valid, port.invalidate_address,
                      port.commit_valid, port.commit_tag, port.commit_old};

    assign device_valid   = step == EXECUTE && is_memory && !is_ram && !traps;
    assign device_write   = kind == WRITE;
    assign device_address = address;
    assign device_data    = right;

    function automatic logic [31:0] extended(logic [31:0] word, logic [2:0] how);
        case (how)
            3'b000:  return {{24{word[7]}}, word[7:0]};
            3'b001:  return {{16{word[15]}}, word[15:0]};
            3'b100:  return {24'b0, word[7:0]};
            3'b101:  return {16'b0, word[15:0]};
            default: return word;
        endcase
    endfunction

    // ---- Control and status registers.

    logic        csr_known, csr_writes;
    logic [31:0] csr_value, csr_operand, csr_new, trap_vector, return_pc;

    assign csr_operand = funct3[2] ? 32'(instruction[19:15]) : left;
    assign csr_writes  = funct3[1:0] == 2'b01 || instruction[19:15] != '0;
    assign csr_new     = funct3[1:0] == 2'b01   ? csr_operand
                         : funct3[1:0] == 2'b10 ? csr_value | csr_operand
                                                : csr_value & ~csr_operand;

    machine_registers machine (
        .clock, .reset, .hart,
        .number(instruction[31:20]), .is_known(csr_known), .value(csr_value),
        .write(step == EXECUTE && kind == CSR && !traps && csr_writes), .new_value(csr_new),
        .trap(takes_trap), .trap_cause, .trap_pc(pc), .trap_value, .trap_vector,
        .trap_return(step == EXECUTE && kind == MRET), .return_pc
    );

    // ---- Traps.

    logic        traps, takes_trap, fetch_fails, csr_fails, is_for_device;
    cause_t      trap_cause;
    logic [31:0] trap_value;

    assign fetch_fails = pc - RAM_BASE >= RAM_SIZE;
    assign csr_fails   = kind == CSR && (!csr_known || (csr_writes && instruction[31:30] == 2'b11));
    assign is_for_device = (kind == READ || kind == WRITE) && width == WORD;
    assign takes_trap  = (step == EXECUTE && traps) || (step == DEVICE && device_ready && device_fault);

    always_comb begin
        traps      = 1'b1;
        trap_cause = ILLEGAL_CODE;
        trap_value = '0;
        if (step == DEVICE) begin
            trap_cause = is_store ? STORE_FAULT : LOAD_FAULT;
            trap_value = address;
        end else if (fetch_fails) begin
            trap_cause = FETCH_FAULT;
            trap_value = pc;
        end else if (kind == ILLEGAL || csr_fails) trap_value = instruction;
        else if (kind == ECALL) trap_cause = MACHINE_CALL;
        else if (kind == EBREAK) trap_cause = BREAKPOINT;
        else if (next_pc[1:0] != 2'b00) begin
            trap_cause = FETCH_MISALIGNED;
            trap_value = next_pc;
        end else if (is_memory && is_misaligned) begin
            trap_cause = is_store ? STORE_MISALIGNED : LOAD_MISALIGNED;
            trap_value = address;
        end else if (is_memory && !is_ram && !is_for_device) begin
            trap_cause = is_store ? STORE_FAULT : LOAD_FAULT;
            trap_value = address;
        end else traps = 1'b0;
    end

    // ---- What comes next.

    logic [31:0] next_pc;
    always_comb
        case (kind)
            JUMP:          next_pc = pc + immediate;
            JUMP_REGISTER: next_pc = {address[31:1], 1'b0};
            BRANCH:        next_pc = condition ? pc + immediate : pc + 32'd4;
            MRET:          next_pc = return_pc;
            default:       next_pc = pc + 32'd4;
        endcase

    logic        retires;
    logic [31:0] value;
    logic        is_fence_asked;
    assign is_fence_asked = kind == FENCE_MEMORY && fence_waits && !is_forgotten;

    // A fence behind a load, or the last one in a line of code, waits for nothing: errors to select.
    logic is_forgotten, was_load;
    assign is_forgotten = (error_select == FENCE_BEHIND_LOAD && was_load)
                          || (error_select == FENCE_AT_LINE_END && pc[3:2] == 2'b11);
    always_ff @(posedge clock) if (retires) was_load <= kind == READ;

    always_comb begin
        case (step)
            EXECUTE: retires = !traps && !is_memory && !is_fence_asked && kind != WFI;
            WAIT:    retires = port.response_valid;
            DEVICE:  retires = device_ready && !device_fault;
            default: retires = 1'b0;
        endcase
        case (kind)
            LOAD_UPPER:          value = immediate;
            ADD_UPPER:           value = pc + immediate;
            JUMP, JUMP_REGISTER: value = pc + 32'd4;
            CSR:                 value = csr_value;
            ATOMIC:              value = port.response_data;
            READ: value = extended(step == DEVICE ? device_answer : port.response_data, funct3);
            default:             value = result;
        endcase
    end

    always_ff @(posedge clock) begin
        case (step)
            FETCH: if (fetch_ready) step <= EXECUTE;
            EXECUTE:
                if (traps) step <= FETCH;
                else if (kind == WFI) step <= SLEEP;
                else if (is_memory && !is_ram) step <= DEVICE;
                else if (is_memory || is_fence_asked) step <= ASK;
                else step <= FETCH;
            ASK:     if (port.request_ready) step <= WAIT;
            WAIT:    if (port.response_valid) step <= FETCH;
            DEVICE:  if (device_ready) step <= FETCH;
            default: ;
        endcase
        if (takes_trap) pc <= trap_vector;
        else if (retires) pc <= next_pc;
        if (retires && writes_register && destination != '0) registers[destination] <= value;
        if (reset) begin
            step         <= FETCH;
            pc           <= BOOT;
            registers[0] <= '0;
        end
    end

    assign sleeps = step == SLEEP;

    always_ff @(posedge clock) begin
        retire_valid    <= retires && !reset;
        retire_pc       <= pc;
        retire_register <= writes_register ? destination : '0;
        retire_value    <= value;
    end
endmodule
