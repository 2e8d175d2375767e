// SPDX-License-Identifier: MIT
// Names of the MESI directory protocol: states of a block in an L1 and in the directory, messages,
// and the errors that can be selected (README.md in this folder).
package directory_package;

    // IS_D, IM_D, SM_D wait for a grant; EI_A, MI_A for the acknowledgement of a write-back; II_A
    // too, but somebody else got the data first.
    typedef enum logic [3:0] { I, S, E, M, IS_D, IM_D, SM_D, EI_A, MI_A, II_A } state_t;

    typedef enum logic [3:0] {
        // From an L1: requests, then answers to the directory.
        GET_S, GET_M, PUT, ACK, DATA, DONE,
        // From the directory: what others want of a block, then answers to a request.
        INVALIDATE, FETCH_S, FETCH_I, GRANT_S, GRANT_E, GRANT_M, PUT_ACK
    } message_t;

    // Who has a block: nobody; some, to read; one L1, alone (E or M).
    typedef enum logic [1:0] { Uncached, Shared, Exclusive } holders_t;
    typedef logic [7:0] caches_t;   // a bit for each

    // The errors of the ports are those of rtl/msi, with the same numbers.
    typedef enum logic [4:0] {
        NO_ERROR             = 5'd0,
        ACK_KEEPS_BLOCK      = 5'd19,
        ACK_MISCOUNTED       = 5'd20,
        SHARER_FORGOTTEN     = 5'd21,
        UPGRADE_NOT_DEMOTED  = 5'd22,
        DIRTY_DATA_DROPPED   = 5'd23,
        STALE_PUT_TAKEN      = 5'd24,
        FETCH_KEEPS_OWNER    = 5'd25,
        DONE_NOT_AWAITED     = 5'd26,
        SILENT_E_FORGOTTEN   = 5'd27,
        PUT_ACK_LOST         = 5'd28,
        HIT_WHILE_LEAVING    = 5'd29
    } error_t;

    // A block that is being written back is not: the directory may have given it to somebody else
    // already, while its acknowledgement is still on the way.
    function automatic logic is_readable(state_t state);
        return state == S || state == E || state == M || state == SM_D;
    endfunction

endpackage
