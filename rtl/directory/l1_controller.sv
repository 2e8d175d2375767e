// SPDX-License-Identifier: MIT
// The protocol of an L1 as a table: what each event does to the block that it meets. Everything
// here is combinational; l1.sv has the blocks. One cover point for each transition is named
// state__Event.
module l1_controller
    import directory_package::*;
(
    input  logic     clock,
    input  error_t   error_select,

    // A message from the directory. A block that is not here is in state I.
    input  logic     message_valid,
    input  message_t message,
    input  state_t   message_state,
    output state_t   message_next,
    output logic     answers,
    output message_t answer,

    // The agent's side. An operation that neither hits nor starts waits.
    input  logic     load_valid,
    input  state_t   load_state,
    output logic     load_hits,
    input  logic     write_valid,
    input  logic     write_is_atomic,
    input  state_t   write_state,
    output logic     write_hits,
    output logic     write_upgrades,
    input  logic     flush_valid,
    input  state_t   flush_state,
    input  logic     replace_valid,
    input  state_t   replace_state,
    input  state_t   leaving_state,
    output logic     leaving_goes,
    output state_t   leaving_next
);
    // ---- Messages. An invalidation may come for a copy that left in silence, so it is always
    // acknowledged; a grant is confirmed to the directory, which holds other requests until then.

    always_comb begin
        message_next = message_state;
        answers      = 1'b0;
        answer       = ACK;
        case (message)
            INVALIDATE: begin
                answers = 1'b1;
                if (message_state == S) message_next = error_select == ACK_KEEPS_BLOCK ? S : I;
                if (message_state == SM_D)
                    message_next = error_select == UPGRADE_NOT_DEMOTED ? SM_D : IM_D;
            end
            FETCH_S, FETCH_I: begin
                answers = 1'b1;
                answer  = DATA;
                case (message_state)
                    E, M: message_next = message == FETCH_S               ? S
                                         : error_select == FETCH_KEEPS_OWNER ? S : I;
                    EI_A, MI_A: message_next = II_A;
                    default: ;
                endcase
            end
            GRANT_S, GRANT_E, GRANT_M: begin
                answers      = 1'b1;
                answer       = DONE;
                message_next = message == GRANT_S ? S : message == GRANT_E ? E : M;
            end
            PUT_ACK: message_next = I;
            default: ;
        endcase
    end

    // ---- The agent.

    assign load_hits      = is_readable(load_state)
                            || (error_select == HIT_WHILE_LEAVING
                                && (load_state == EI_A || load_state == MI_A));
    assign write_hits     = write_state == M || write_state == E;
    assign write_upgrades = write_state == S;
    assign leaving_goes   = leaving_state == S || leaving_state == E || leaving_state == M;
    always_comb
        case (leaving_state)
            E:       leaving_next = EI_A;
            M:       leaving_next = MI_A;
            default: leaving_next = I;
        endcase

    // ---- Coverage.

    logic Load, Store, Atomic, Flush, Replace;
    logic Invalidate, Fetch_S, Fetch_I, Grant_S, Grant_E, Grant_M, Put_Ack;
    assign Load       = load_valid;
    assign Store      = write_valid && !write_is_atomic;
    assign Atomic     = write_valid && write_is_atomic;
    assign Flush      = flush_valid;
    assign Replace    = replace_valid;
    assign Invalidate = message_valid && message == INVALIDATE;
    assign Fetch_S    = message_valid && message == FETCH_S;
    assign Fetch_I    = message_valid && message == FETCH_I;
    assign Grant_S    = message_valid && message == GRANT_S;
    assign Grant_E    = message_valid && message == GRANT_E;
    assign Grant_M    = message_valid && message == GRANT_M;
    assign Put_Ack    = message_valid && message == PUT_ACK;

    `define TRANSITION(state, event_name, which) \
        state``__``event_name: cover property (@(posedge clock) event_name && which == state);
    `TRANSITION(I, Load, load_state)
    `TRANSITION(S, Load, load_state)
    `TRANSITION(E, Load, load_state)
    `TRANSITION(M, Load, load_state)
    `TRANSITION(SM_D, Load, load_state)
    `TRANSITION(I, Store, write_state)
    `TRANSITION(S, Store, write_state)
    `TRANSITION(E, Store, write_state)
    `TRANSITION(M, Store, write_state)
    `TRANSITION(I, Atomic, write_state)
    `TRANSITION(S, Atomic, write_state)
    `TRANSITION(E, Atomic, write_state)
    `TRANSITION(M, Atomic, write_state)
    `TRANSITION(S, Flush, flush_state)
    `TRANSITION(E, Flush, flush_state)
    `TRANSITION(M, Flush, flush_state)
    `TRANSITION(S, Replace, replace_state)
    `TRANSITION(E, Replace, replace_state)
    `TRANSITION(M, Replace, replace_state)
    `TRANSITION(I, Invalidate, message_state)
    `TRANSITION(S, Invalidate, message_state)
    `TRANSITION(IS_D, Invalidate, message_state)
    `TRANSITION(IM_D, Invalidate, message_state)
    `TRANSITION(SM_D, Invalidate, message_state)
    `TRANSITION(II_A, Invalidate, message_state)
    `TRANSITION(E, Fetch_S, message_state)
    `TRANSITION(M, Fetch_S, message_state)
    `TRANSITION(EI_A, Fetch_S, message_state)
    `TRANSITION(MI_A, Fetch_S, message_state)
    `TRANSITION(E, Fetch_I, message_state)
    `TRANSITION(M, Fetch_I, message_state)
    `TRANSITION(EI_A, Fetch_I, message_state)
    `TRANSITION(MI_A, Fetch_I, message_state)
    `TRANSITION(IS_D, Grant_S, message_state)
    `TRANSITION(IS_D, Grant_E, message_state)
    `TRANSITION(IM_D, Grant_M, message_state)
    `TRANSITION(SM_D, Grant_M, message_state)
    `TRANSITION(EI_A, Put_Ack, message_state)
    `TRANSITION(MI_A, Put_Ack, message_state)
    `TRANSITION(II_A, Put_Ack, message_state)
    `undef TRANSITION
endmodule
