/* SPDX-License-Identifier: MIT */
/*
 * Messages that wait in the network because there is no room where they go. A message keeps its
 * slot of the buffer it was sent into until it has left; those sent into the same buffer later do
 * not overtake it. So a full queue blocks whoever sends to it, as far back as the messages come
 * from.
 */
#ifndef SIM_BACKLOG_H
#define SIM_BACKLOG_H

#include "sim/system.h"

/* A message that was held back on its way from one buffer to another. */
typedef struct sim_held {
    sl_buffer *from, *to;
    sl_message *message;
    uint64_t ready; /* when it may leave, if there is room */
} sim_held;

/* Must a message wait that is sent from one buffer to the other now? */
bool sim_backlog_holds(const sim_system *system, const sl_buffer *from, const sl_buffer *to);
/* It waits. */
void sim_backlog_add(sim_system *system, sl_buffer *from, sl_buffer *to, sl_message *message,
                     uint64_t ready);
/* Lets those leave that may. */
void sim_backlog_step(sim_system *system);
void sim_backlog_clear(sim_system *system);

#endif
