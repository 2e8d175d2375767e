/* SPDX-License-Identifier: MIT */
/*
 * What a controller waits for with a block: its state, and the events that bring it nearer to rest
 * by its table. Names mean nothing here: a state is at rest if its permission is not Busy and it
 * holds up none of the events that lead on from the first state.
 */
#pragma once

#include "protocol/simulate/system.h"

enum { SIM_MOST_STATES = 1024 };
#define SIM_NO_STATE UINT32_MAX

bool sim_has_tbe(const sl_controller *controller, sl_address block, void **tbe);
/* SIM_NO_STATE: the protocol does not tell. */
uint32_t sim_state_of(sim_system *system, sl_controller *controller, sl_address block);
/* Does what is kept of the block, in the TBE or else in the entry, name the other controller? */
bool sim_is_named(const sl_controller *controller, sl_address block, const sl_controller *other);
/* Is the permission of the state Busy? */
bool sim_is_busy(const sl_machine *machine, uint32_t state);
/* "Data or Data_Exclusive"; nothing, if no event is known to lead nearer to rest. */
void sim_say_needs(const sl_machine *machine, const sl_cell *cells, uint32_t state,
                   base_text *text);
