// SPDX-License-Identifier: MIT
// Names of the small RISC-V core: kinds of instructions and causes of traps.
package cores_package;

    typedef enum logic [4:0] {
        ILLEGAL, NOTHING, LOAD_UPPER, ADD_UPPER, JUMP, JUMP_REGISTER, BRANCH, ARITHMETIC, MULTIPLY,
        READ, WRITE, ATOMIC, FENCE_MEMORY, FLUSH_BLOCK, CSR, ECALL, EBREAK, MRET, WFI
    } kind_t;

    typedef enum logic [3:0] {
        FETCH_MISALIGNED = 4'd0,
        FETCH_FAULT      = 4'd1,
        ILLEGAL_CODE     = 4'd2,
        BREAKPOINT       = 4'd3,
        LOAD_MISALIGNED  = 4'd4,
        LOAD_FAULT       = 4'd5,
        STORE_MISALIGNED = 4'd6,
        STORE_FAULT      = 4'd7,
        MACHINE_CALL     = 4'd11
    } cause_t;

    // Errors that can be selected beside those of rtl/msi, 20 to 23 and 26 being in its files.
    typedef enum logic [4:0] {
        FENCE_BEHIND_LOAD = 5'd19,
        FENCE_AT_LINE_END = 5'd24,
        LOST_AT_CODE      = 5'd25,
        HART_ASLEEP       = 5'd30,
        BUS_SILENT        = 5'd31
    } chip_error_t;

    // The machine's registers that exist.
    localparam logic [11:0] CSR_MSTATUS  = 12'h300;
    localparam logic [11:0] CSR_MISA     = 12'h301;
    localparam logic [11:0] CSR_MIE      = 12'h304;
    localparam logic [11:0] CSR_MTVEC    = 12'h305;
    localparam logic [11:0] CSR_MSCRATCH = 12'h340;
    localparam logic [11:0] CSR_MEPC     = 12'h341;
    localparam logic [11:0] CSR_MCAUSE   = 12'h342;
    localparam logic [11:0] CSR_MTVAL    = 12'h343;
    localparam logic [11:0] CSR_MIP      = 12'h344;
    localparam logic [11:0] CSR_MCYCLE   = 12'hb00;
    localparam logic [11:0] CSR_MHARTID  = 12'hf14;

endpackage
