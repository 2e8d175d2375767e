// SPDX-License-Identifier: MIT
// Names of the MSI protocol: states of a block in a cache, what the bus carries, and the errors
// that can be selected (README.md in this folder).
package msi_package;

    // XY_AD: on the way from X to Y, the request has not been on the bus yet.
    // XY_D:  it has, so its place in the order of all requests is known; the data is missing.
    // XY_D_Z: other requests were ordered behind ours; when the data is here and our operation
    //         has been performed, the block goes on to Z. SI: first to S, then to I.
    // MI_A, II_A: the write-back has not been on the bus; II_A: somebody else got the data first.
    typedef enum logic [4:0] {
        I, S, M,
        IS_AD, IS_D, IS_D_I,
        IM_AD, IM_D, IM_D_S, IM_D_I, IM_D_SI,
        SM_AD, SM_D, SM_D_S, SM_D_I, SM_D_SI,
        MI_A, II_A
    } state_t;

    // An address phase asks for a block to read, to write, or to write it back; a data phase
    // answers.
    typedef enum logic [1:0] { GET_S, GET_M, PUT_M, DATA } phase_t;

    // A cache has two transactions under way at most: one for the load that the agent waits for,
    // one for a store from the buffer or another write.
    typedef enum logic { FOR_LOAD, FOR_WRITE } channel_t;

    typedef enum logic [4:0] {
        NO_ERROR            = 5'd0,
        LOST_INVALIDATION   = 5'd1,
        DROPPED_REPLY       = 5'd2,
        STALE_REFILL        = 5'd3,
        BYPASS_MISSED       = 5'd4,
        BYPASS_WRONG_WORD   = 5'd5,
        FENCE_PASSES        = 5'd6,
        FENCE_HALF          = 5'd7,
        WRITE_BACK_LOST     = 5'd8,
        UPGRADE_OFF_BUS     = 5'd9,
        SPLIT_ATOMIC        = 5'd10,
        SILENT_EVICTION     = 5'd11,
        SNOOP_IGNORED_IS_D  = 5'd12,
        SNOOP_IGNORED_MD_S  = 5'd13,
        SWAPPED_WORDS       = 5'd14,
        HIT_WHILE_LOST      = 5'd15,
        STALE_WRITE_BACK    = 5'd16,
        STORES_REORDERED    = 5'd17,
        INVALIDATE_UNTOLD   = 5'd18,
        // Of the chip (rtl/cores), but in what is shared with it.
        ATOMIC_READS_EARLY  = 5'd20,
        STALE_BEAT          = 5'd21,
        WRONG_WAY           = 5'd22,
        LOST_AFTER_FILL     = 5'd23,
        STROBES_LOST        = 5'd26
    } error_t;

    // Loads hit in a shared copy until our own request has brought the new one: nobody else can
    // have written meanwhile.
    function automatic logic is_readable(state_t state);
        case (state)
            S, M, MI_A, SM_AD, SM_D, SM_D_S, SM_D_I, SM_D_SI: return 1'b1;
            default: return 1'b0;
        endcase
    endfunction

    function automatic logic awaits_data(state_t state);
        case (state)
            IS_D, IS_D_I, IM_D, IM_D_S, IM_D_I, IM_D_SI, SM_D, SM_D_S, SM_D_I, SM_D_SI: return 1'b1;
            default: return 1'b0;
        endcase
    endfunction

endpackage
