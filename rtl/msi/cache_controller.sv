// SPDX-License-Identifier: MIT
// The protocol of a cache as a table: what each event does to the block that it meets. Everything
// here is combinational; cache.sv has the blocks and does what this says. One cover point for each
// transition is named state__Event.
//
// This is the MSI protocol for a split-transaction bus in the form of Sorin, Hill and Wood's
// "Primer on Memory Consistency and Cache Coherence": no cache ever makes the bus wait for data.
module cache_controller
    import msi_package::*;
(
    input  logic     clock,
    input  error_t   error_select,

    // An address phase on the bus that names a block we have.
    input  logic     address_valid,
    input  logic     address_own,
    input  phase_t   address_phase,
    input  state_t   address_state,
    output state_t   address_next,
    output logic     address_owns,       // we answer, not memory
    output logic     address_to_cache,   // send the data to the requester now
    output logic     address_to_memory,  // send it to memory now

    // The data that we asked for.
    input  logic     data_valid,
    input  state_t   data_state,
    output state_t   data_next,
    output logic     data_to_cache,      // pass it on to the cache that asked meanwhile
    output logic     data_to_memory,

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
    input  state_t   leaving_state,      // of the block that is flushed or replaced
    output logic     leaving_goes,       // it can
    output state_t   leaving_next
);
    // ---- Address phases.

    always_comb begin
        address_next      = address_state;
        address_owns      = 1'b0;
        address_to_cache  = 1'b0;
        address_to_memory = 1'b0;
        if (address_own) begin
            case (address_state)
                IS_AD: address_next = IS_D;
                IM_AD: address_next = IM_D;
                SM_AD: address_next = SM_D;
                MI_A: begin
                    address_next      = I;
                    address_owns      = 1'b1;
                    address_to_memory = 1'b1;
                end
                II_A: begin
                    address_next      = I;
                    address_owns      = error_select == STALE_WRITE_BACK;
                    address_to_memory = error_select == STALE_WRITE_BACK;
                end
                default: ;
            endcase
        end else if (address_phase == GET_S) begin
            case (address_state)
                M, MI_A: begin
                    address_next      = address_state == M ? S : II_A;
                    address_owns      = 1'b1;
                    address_to_cache  = 1'b1;
                    address_to_memory = 1'b1;
                end
                IM_D, SM_D: begin
                    address_next = address_state == IM_D ? IM_D_S : SM_D_S;
                    address_owns = 1'b1;
                end
                default: ;
            endcase
        end else if (address_phase == GET_M) begin
            case (address_state)
                S:     address_next = error_select == LOST_INVALIDATION ? S : I;
                SM_AD: address_next = error_select == HIT_WHILE_LOST ? SM_AD : IM_AD;
                IS_D:  address_next = error_select == SNOOP_IGNORED_IS_D ? IS_D : IS_D_I;
                M, MI_A: begin
                    address_next     = address_state == M ? I : II_A;
                    address_owns     = 1'b1;
                    address_to_cache = 1'b1;
                end
                IM_D, SM_D: begin
                    address_next = address_state == IM_D ? IM_D_I : SM_D_I;
                    address_owns = 1'b1;
                end
                IM_D_S: address_next = error_select == SNOOP_IGNORED_MD_S ? IM_D_S : IM_D_SI;
                SM_D_S: address_next = error_select == SNOOP_IGNORED_MD_S ? SM_D_S : SM_D_SI;
                default: ;
            endcase
        end
        if (error_select == WRITE_BACK_LOST && address_state == MI_A && !address_own) begin
            address_owns      = 1'b0;
            address_to_cache  = 1'b0;
            address_to_memory = 1'b0;
        end
    end

    // ---- Data phases. The operation that waited is performed now, whatever comes next.

    always_comb begin
        data_next      = data_state;
        data_to_cache  = 1'b0;
        data_to_memory = 1'b0;
        case (data_state)
            IS_D:       data_next = S;
            IS_D_I:     data_next = I;
            IM_D, SM_D: data_next = M;
            IM_D_S, SM_D_S: begin
                data_next      = S;
                data_to_cache  = 1'b1;
                data_to_memory = 1'b1;
            end
            IM_D_I, SM_D_I: begin
                data_next     = I;
                data_to_cache = error_select != DROPPED_REPLY;
            end
            IM_D_SI, SM_D_SI: begin
                data_next      = I;
                data_to_cache  = 1'b1;
                data_to_memory = 1'b1;
            end
            default: ;
        endcase
    end

    // ---- The agent.

    assign load_hits      = is_readable(load_state)
                            || (error_select == HIT_WHILE_LOST && load_state == II_A);
    assign write_hits     = write_state == M || (error_select == UPGRADE_OFF_BUS && write_state == S);
    assign write_upgrades = write_state == S;
    assign leaving_goes   = leaving_state == S || leaving_state == M;
    assign leaving_next   = leaving_state == M && error_select != SILENT_EVICTION ? MI_A : I;

    // ---- Coverage.

    logic Load, Store, Atomic, Flush, Replace;
    logic Own_GetS, Own_GetM, Own_PutM, Other_GetS, Other_GetM, Data;
    assign Load       = load_valid;
    assign Store      = write_valid && !write_is_atomic;
    assign Atomic     = write_valid && write_is_atomic;
    assign Flush      = flush_valid;
    assign Replace    = replace_valid;
    assign Own_GetS   = address_valid && address_own && address_phase == GET_S;
    assign Own_GetM   = address_valid && address_own && address_phase == GET_M;
    assign Own_PutM   = address_valid && address_own && address_phase == PUT_M;
    assign Other_GetS = address_valid && !address_own && address_phase == GET_S;
    assign Other_GetM = address_valid && !address_own && address_phase == GET_M;
    assign Data       = data_valid;

    `define TRANSITION(state, event_name, which) \
        state``__``event_name: cover property (@(posedge clock) event_name && which == state);

    `TRANSITION(I, Load, load_state)
    `TRANSITION(S, Load, load_state)
    `TRANSITION(M, Load, load_state)
    `TRANSITION(MI_A, Load, load_state)
    `TRANSITION(SM_AD, Load, load_state)
    `TRANSITION(SM_D, Load, load_state)
    `TRANSITION(SM_D_S, Load, load_state)
    `TRANSITION(SM_D_I, Load, load_state)
    `TRANSITION(SM_D_SI, Load, load_state)
    `TRANSITION(I, Store, write_state)
    `TRANSITION(S, Store, write_state)
    `TRANSITION(M, Store, write_state)
    `TRANSITION(I, Atomic, write_state)
    `TRANSITION(S, Atomic, write_state)
    `TRANSITION(M, Atomic, write_state)
    `TRANSITION(S, Flush, flush_state)
    `TRANSITION(M, Flush, flush_state)
    `TRANSITION(S, Replace, replace_state)
    `TRANSITION(M, Replace, replace_state)
    `TRANSITION(IS_AD, Own_GetS, address_state)
    `TRANSITION(IM_AD, Own_GetM, address_state)
    `TRANSITION(SM_AD, Own_GetM, address_state)
    `TRANSITION(MI_A, Own_PutM, address_state)
    `TRANSITION(II_A, Own_PutM, address_state)
    `TRANSITION(S, Other_GetS, address_state)
    `TRANSITION(M, Other_GetS, address_state)
    `TRANSITION(IS_AD, Other_GetS, address_state)
    `TRANSITION(IS_D, Other_GetS, address_state)
    `TRANSITION(IS_D_I, Other_GetS, address_state)
    `TRANSITION(IM_AD, Other_GetS, address_state)
    `TRANSITION(IM_D, Other_GetS, address_state)
    `TRANSITION(IM_D_S, Other_GetS, address_state)
    `TRANSITION(IM_D_I, Other_GetS, address_state)
    `TRANSITION(IM_D_SI, Other_GetS, address_state)
    `TRANSITION(SM_AD, Other_GetS, address_state)
    `TRANSITION(SM_D, Other_GetS, address_state)
    `TRANSITION(SM_D_S, Other_GetS, address_state)
    `TRANSITION(SM_D_I, Other_GetS, address_state)
    `TRANSITION(SM_D_SI, Other_GetS, address_state)
    `TRANSITION(MI_A, Other_GetS, address_state)
    `TRANSITION(II_A, Other_GetS, address_state)
    `TRANSITION(S, Other_GetM, address_state)
    `TRANSITION(M, Other_GetM, address_state)
    `TRANSITION(IS_AD, Other_GetM, address_state)
    `TRANSITION(IS_D, Other_GetM, address_state)
    `TRANSITION(IS_D_I, Other_GetM, address_state)
    `TRANSITION(IM_AD, Other_GetM, address_state)
    `TRANSITION(IM_D, Other_GetM, address_state)
    `TRANSITION(IM_D_S, Other_GetM, address_state)
    `TRANSITION(IM_D_I, Other_GetM, address_state)
    `TRANSITION(IM_D_SI, Other_GetM, address_state)
    `TRANSITION(SM_AD, Other_GetM, address_state)
    `TRANSITION(SM_D, Other_GetM, address_state)
    `TRANSITION(SM_D_S, Other_GetM, address_state)
    `TRANSITION(SM_D_I, Other_GetM, address_state)
    `TRANSITION(SM_D_SI, Other_GetM, address_state)
    `TRANSITION(MI_A, Other_GetM, address_state)
    `TRANSITION(II_A, Other_GetM, address_state)
    `TRANSITION(IS_D, Data, data_state)
    `TRANSITION(IS_D_I, Data, data_state)
    `TRANSITION(IM_D, Data, data_state)
    `TRANSITION(IM_D_S, Data, data_state)
    `TRANSITION(IM_D_I, Data, data_state)
    `TRANSITION(IM_D_SI, Data, data_state)
    `TRANSITION(SM_D, Data, data_state)
    `TRANSITION(SM_D_S, Data, data_state)
    `TRANSITION(SM_D_I, Data, data_state)
    `TRANSITION(SM_D_SI, Data, data_state)
    `undef TRANSITION

    // ---- What a correct protocol never does.

    data_only_where_awaited: assert property (@(posedge clock)
        data_valid && error_select == NO_ERROR |-> awaits_data(data_state));
endmodule
