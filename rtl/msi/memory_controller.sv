// SPDX-License-Identifier: MIT
// What a phase of the bus means to memory. A cover point for each transition is named
// state__Event; a block has open promises (memory.sv), or not.
module memory_controller
    import msi_package::*;
(
    input  logic   clock,
    input  logic   bus_valid,
    input  phase_t bus_phase,
    input  logic   bus_owned,
    input  logic   bus_to_memory,
    input  logic   has_promises,   // the block on the bus
    output logic   asks,           // memory will answer
    output logic   promises,       // the owner will send memory the block
    output logic   arrives         // it does
);
    assign asks     = GetS_Memory || GetM_Memory;
    assign promises = GetS_Owner || PutM_Owner;
    assign arrives  = Data;

    typedef enum logic { Idle, Promised } promise_state_t;
    promise_state_t state;
    logic           GetS_Memory, GetS_Owner, GetM_Memory, GetM_Owner, PutM_Owner, PutM_Stale, Data;
    assign state       = has_promises ? Promised : Idle;
    assign GetS_Memory = bus_valid && bus_phase == GET_S && !bus_owned;
    assign GetS_Owner  = bus_valid && bus_phase == GET_S && bus_owned;
    assign GetM_Memory = bus_valid && bus_phase == GET_M && !bus_owned;
    assign GetM_Owner  = bus_valid && bus_phase == GET_M && bus_owned;
    assign PutM_Owner  = bus_valid && bus_phase == PUT_M && bus_owned;
    assign PutM_Stale  = bus_valid && bus_phase == PUT_M && !bus_owned;
    assign Data        = bus_valid && bus_phase == DATA && bus_to_memory;

    `define TRANSITION(at, event_name) \
        at``__``event_name: cover property (@(posedge clock) event_name && state == at);
    `TRANSITION(Idle, GetS_Memory)
    `TRANSITION(Idle, GetS_Owner)
    `TRANSITION(Idle, GetM_Memory)
    `TRANSITION(Idle, GetM_Owner)
    `TRANSITION(Idle, PutM_Owner)
    `TRANSITION(Idle, PutM_Stale)
    `TRANSITION(Promised, GetS_Memory)
    `TRANSITION(Promised, GetS_Owner)
    `TRANSITION(Promised, GetM_Memory)
    `TRANSITION(Promised, GetM_Owner)
    `TRANSITION(Promised, PutM_Owner)
    `TRANSITION(Promised, PutM_Stale)
    `TRANSITION(Promised, Data)
    `undef TRANSITION
endmodule
