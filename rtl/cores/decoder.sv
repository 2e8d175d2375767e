// SPDX-License-Identifier: MIT
// What an instruction of RV32IA (with Zmmul and cbo.flush) asks for. What is not known is illegal.
module decoder
    import cores_package::*;
(
    input  logic [31:0] instruction,
    output kind_t       kind,
    output logic [31:0] immediate,
    output logic        writes_register
);
    localparam logic [4:0] OP_LOAD = 5'b00000, OP_MISC = 5'b00011, OP_IMMEDIATE = 5'b00100,
                           OP_AUIPC = 5'b00101, OP_STORE = 5'b01000, OP_AMO = 5'b01011,
                           OP_REGISTER = 5'b01100, OP_LUI = 5'b01101, OP_BRANCH = 5'b11000,
                           OP_JALR = 5'b11001, OP_JAL = 5'b11011, OP_SYSTEM = 5'b11100;

    logic [4:0] opcode;
    logic [2:0] funct3;
    logic [6:0] funct7;
    assign opcode = instruction[6:2];
    assign funct3 = instruction[14:12];
    assign funct7 = instruction[31:25];

    function automatic kind_t kind_of_register_operation();
        if (funct7 == 7'b0000001) return funct3[2] ? ILLEGAL : MULTIPLY;
        if (funct7 == 7'b0000000) return ARITHMETIC;
        return funct7 == 7'b0100000 && (funct3 == 3'b000 || funct3 == 3'b101) ? ARITHMETIC : ILLEGAL;
    endfunction

    function automatic kind_t kind_of_immediate_operation();
        if (funct3 == 3'b001) return funct7 == 7'b0000000 ? ARITHMETIC : ILLEGAL;
        if (funct3 == 3'b101)
            return funct7 == 7'b0000000 || funct7 == 7'b0100000 ? ARITHMETIC : ILLEGAL;
        return ARITHMETIC;
    endfunction

    function automatic kind_t kind_of_atomic();
        if (funct3 != 3'b010) return ILLEGAL;
        case (instruction[31:27])
            5'b00000, 5'b00001, 5'b00011, 5'b00100, 5'b01000, 5'b01100, 5'b10000, 5'b10100,
            5'b11000, 5'b11100: return ATOMIC;
            5'b00010: return instruction[24:20] == '0 ? ATOMIC : ILLEGAL;
            default:  return ILLEGAL;
        endcase
    endfunction

    function automatic kind_t kind_of_system();
        if (funct3[1:0] != 2'b00) return CSR;
        case (instruction[31:7])
            {12'h000, 13'b0}: return ECALL;
            {12'h001, 13'b0}: return EBREAK;
            {12'h302, 13'b0}: return MRET;
            {12'h105, 13'b0}: return WFI;
            default:          return ILLEGAL;
        endcase
    endfunction

    function automatic kind_t kind_of_miscellaneous();
        case (funct3)
            3'b000:  return FENCE_MEMORY;
            3'b001:  return NOTHING;   // fence.i: code is read from memory, and is not written
            3'b010:  return instruction[31:20] == 12'h002 ? FLUSH_BLOCK : ILLEGAL;
            default: return ILLEGAL;
        endcase
    endfunction

    always_comb begin
        case (opcode)
            OP_LUI:       kind = LOAD_UPPER;
            OP_AUIPC:     kind = ADD_UPPER;
            OP_JAL:       kind = JUMP;
            OP_JALR:      kind = funct3 == 3'b000 ? JUMP_REGISTER : ILLEGAL;
            OP_BRANCH:    kind = funct3[2:1] == 2'b01 ? ILLEGAL : BRANCH;
            OP_LOAD:      kind = funct3 == 3'b011 || funct3[2:1] == 2'b11 ? ILLEGAL : READ;
            OP_STORE:     kind = funct3 < 3'b011 ? WRITE : ILLEGAL;
            OP_IMMEDIATE: kind = kind_of_immediate_operation();
            OP_REGISTER:  kind = kind_of_register_operation();
            OP_AMO:       kind = kind_of_atomic();
            OP_MISC:      kind = kind_of_miscellaneous();
            OP_SYSTEM:    kind = kind_of_system();
            default:      kind = ILLEGAL;
        endcase
        if (instruction[1:0] != 2'b11) kind = ILLEGAL;
    end

    always_comb
        case (opcode)
            OP_LUI, OP_AUIPC: immediate = {instruction[31:12], 12'b0};
            OP_JAL: immediate = {{12{instruction[31]}}, instruction[19:12], instruction[20],
                                 instruction[30:21], 1'b0};
            OP_BRANCH: immediate = {{20{instruction[31]}}, instruction[7], instruction[30:25],
                                    instruction[11:8], 1'b0};
            OP_STORE: immediate = {{21{instruction[31]}}, instruction[30:25], instruction[11:7]};
            OP_AMO, OP_MISC: immediate = '0;
            default: immediate = {{21{instruction[31]}}, instruction[30:20]};
        endcase

    always_comb
        case (kind)
            BRANCH, WRITE, FENCE_MEMORY, FLUSH_BLOCK, NOTHING, ECALL, EBREAK, MRET, WFI, ILLEGAL:
                writes_register = 1'b0;
            default: writes_register = 1'b1;
        endcase
endmodule
