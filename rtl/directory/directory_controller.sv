// SPDX-License-Identifier: MIT
// The protocol of the directory as a table: what a request does to the holders of its block, and
// what has to happen before it is granted. One cover point for each transition is named
// state__Event: of the holders when a request is taken up, and of transactions under way.
module directory_controller
    import directory_package::*;
(
    input  logic     clock,
    input  error_t   error_select,

    input  logic     request_valid,
    input  message_t request,
    input  caches_t  requester,    // one bit
    input  holders_t holders,
    input  caches_t  members,
    output holders_t next_holders,
    output caches_t  next_members,
    output caches_t  called,       // who is sent `call`, and answers
    output message_t call,
    output message_t grant,
    output logic     takes_data,   // of a write-back

    // For coverage: answers to transactions that wait for them.
    input  logic     ack_arrives,
    input  logic     data_arrives,
    input  logic     done_arrives
);
    logic is_owner;
    assign is_owner = holders == Exclusive && members == requester;

    always_comb begin
        next_holders = holders;
        next_members = members;
        called       = '0;
        call         = INVALIDATE;
        grant        = PUT_ACK;
        takes_data   = 1'b0;
        case (request)
            GET_S: begin
                grant        = holders == Uncached ? GRANT_E : GRANT_S;
                next_holders = holders == Uncached ? Exclusive : Shared;
                next_members = members | requester;
                if (holders == Shared && error_select == SHARER_FORGOTTEN) next_members = members;
                if (holders == Exclusive) begin
                    called = members;
                    call   = FETCH_S;
                end
            end
            GET_M: begin
                grant        = GRANT_M;
                next_holders = Exclusive;
                next_members = requester;
                if (holders == Shared) called = members & ~requester;
                if (holders == Exclusive) begin
                    called = members;
                    call   = FETCH_I;
                end
            end
            default:
                if (is_owner || error_select == STALE_PUT_TAKEN) begin
                    next_holders = Uncached;
                    next_members = '0;
                    takes_data   = 1'b1;
                end
        endcase
    end

    // ---- Coverage.

    logic GetS, GetM, Put_Owner, Put_Stale;
    assign GetS      = request_valid && request == GET_S;
    assign GetM      = request_valid && request == GET_M;
    assign Put_Owner = request_valid && request == PUT && is_owner;
    assign Put_Stale = request_valid && request == PUT && !is_owner;

    `define TRANSITION(state, event_name) \
        state``__``event_name: cover property (@(posedge clock) event_name && holders == state);
    `TRANSITION(Uncached, GetS)
    `TRANSITION(Uncached, GetM)
    `TRANSITION(Uncached, Put_Stale)
    `TRANSITION(Shared, GetS)
    `TRANSITION(Shared, GetM)
    `TRANSITION(Shared, Put_Stale)
    `TRANSITION(Exclusive, GetS)
    `TRANSITION(Exclusive, GetM)
    `TRANSITION(Exclusive, Put_Owner)
    `TRANSITION(Exclusive, Put_Stale)
    `undef TRANSITION
    Called__Ack: cover property (@(posedge clock) ack_arrives);
    Called__Data: cover property (@(posedge clock) data_arrives);
    Granted__Done: cover property (@(posedge clock) done_arrives);
endmodule
