// SPDX-License-Identifier: MIT
// The control and status registers of machine mode, as far as a core without interrupts and other
// modes has them: traps can be taken and returned from.
module machine_registers
    import cores_package::*;
(
    input  logic        clock,
    input  logic        reset,
    input  logic [31:0] hart,

    input  logic [11:0] number,
    output logic        is_known,
    output logic [31:0] value,
    input  logic        write,
    input  logic [31:0] new_value,

    input  logic        trap,
    input  cause_t      trap_cause,
    input  logic [31:0] trap_pc,
    input  logic [31:0] trap_value,
    output logic [31:0] trap_vector,
    input  logic        trap_return,
    output logic [31:0] return_pc
);
    localparam logic [31:0] ISA = 32'h4000_0101;   // RV32IA

    logic        interrupts, earlier_interrupts;
    logic [31:0] enabled, vector, scratch, exception_pc, cause, about, cycles;

    assign trap_vector = {vector[31:2], 2'b00};
    assign return_pc   = exception_pc;

    always_comb begin
        is_known = 1'b1;
        value    = '0;
        case (number)
            CSR_MSTATUS:  value = {19'b0, 2'b11, 3'b0, earlier_interrupts, 3'b0, interrupts, 3'b0};
            CSR_MISA:     value = ISA;
            CSR_MIE:      value = enabled;
            CSR_MTVEC:    value = vector;
            CSR_MSCRATCH: value = scratch;
            CSR_MEPC:     value = exception_pc;
            CSR_MCAUSE:   value = cause;
            CSR_MTVAL:    value = about;
            CSR_MIP:      value = '0;
            CSR_MCYCLE:   value = cycles;
            CSR_MHARTID:  value = hart;
            default:      is_known = 1'b0;
        endcase
    end

    always_ff @(posedge clock) begin
        cycles <= cycles + 32'd1;
        if (write)
            case (number)
                CSR_MSTATUS: {earlier_interrupts, interrupts} <= {new_value[7], new_value[3]};
                CSR_MIE:      enabled <= new_value;
                CSR_MTVEC:    vector <= new_value;
                CSR_MSCRATCH: scratch <= new_value;
                CSR_MEPC:     exception_pc <= {new_value[31:2], 2'b00};
                CSR_MCAUSE:   cause <= new_value;
                CSR_MTVAL:    about <= new_value;
                CSR_MCYCLE:   cycles <= new_value;
                default: ;
            endcase
        if (trap) begin
            exception_pc       <= trap_pc;
            cause              <= 32'(trap_cause);
            about              <= trap_value;
            earlier_interrupts <= interrupts;
            interrupts         <= 1'b0;
        end else if (trap_return) begin
            interrupts         <= earlier_interrupts;
            earlier_interrupts <= 1'b1;
        end
        if (reset) begin
            interrupts         <= 1'b0;
            earlier_interrupts <= 1'b0;
            enabled            <= '0;
            vector             <= '0;
            cycles             <= '0;
        end
    end
endmodule
