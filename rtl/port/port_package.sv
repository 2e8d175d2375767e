// SPDX-License-Identifier: MIT
// The words of the request port: what an agent may ask of a memory system (docs/rtl-port.md).
package port_package;

    // A memory system has the first six; the rest is for processors with RISC-V's atomics.
    typedef enum logic [3:0] {
        LOAD              = 4'd0,
        STORE             = 4'd1,
        SWAP              = 4'd2,
        ADD               = 4'd3,
        FENCE             = 4'd4,
        FLUSH             = 4'd5,
        AND               = 4'd6,
        OR                = 4'd7,
        XOR               = 4'd8,
        MIN               = 4'd9,
        MAX               = 4'd10,
        MIN_UNSIGNED      = 4'd11,
        MAX_UNSIGNED      = 4'd12,
        LOAD_RESERVED     = 4'd13,
        STORE_CONDITIONAL = 4'd14
    } operation_t;

    // The binary logarithm of the bytes of an access.
    typedef enum logic [1:0] { BYTE, HALF, WORD, DOUBLE } width_t;

    function automatic logic is_load(operation_t operation);
        return operation == LOAD || operation == LOAD_RESERVED;
    endfunction

    // What a write leaves behind. Words of 4 bytes are compared as if they had 8: sign extension
    // keeps the signed order and the unsigned one.
    function automatic logic [63:0] written_word(operation_t operation, width_t width,
                                                 logic [63:0] old_word, logic [63:0] operand);
        logic [63:0] left;
        logic [63:0] right;
        left  = width == DOUBLE ? old_word : {{32{old_word[31]}}, old_word[31:0]};
        right = width == DOUBLE ? operand : {{32{operand[31]}}, operand[31:0]};
        case (operation)
            ADD:          return left + right;
            AND:          return left & right;
            OR:           return left | right;
            XOR:          return left ^ right;
            MIN:          return $signed(left) < $signed(right) ? left : right;
            MAX:          return $signed(left) < $signed(right) ? right : left;
            MIN_UNSIGNED: return left < right ? left : right;
            MAX_UNSIGNED: return left < right ? right : left;
            default:      return operand;
        endcase
    endfunction

endpackage
