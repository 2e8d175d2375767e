/* SPDX-License-Identifier: MIT */
/*
 * DMA engines, each in front of a controller that the protocol has for them. A core hands over the
 * DMA accesses of its thread and goes on: an engine has several under way, at most one to a block,
 * and promises no order between them. What an engine does not take, the core does itself. An engine
 * of a machine on the level `io` asks as a core does, and its writes are performed when the
 * protocol asks for their bytes: by then, all that is needed to write is the protocol's.
 */
#ifndef PROTOCOL_SIMULATE_DMA_H
#define PROTOCOL_SIMULATE_DMA_H

#include "protocol/simulate/core.h"

enum { SIM_DMA_ACCESSES = 16 }; /* that an engine holds */

typedef struct sim_dma_access {
    sim_core *core; /* whose thread it is of */
    uint32_t operation;
    sl_address block;
    uint64_t start_at, issued;
    bool is_started;
    bool is_whole;     /* of a write: of the whole block */
    bool is_performed; /* a write that others may have seen, though the engine does not know */
} sim_dma_access;

typedef struct sim_dma {
    struct sim_system *system;
    uint32_t id; /* of the event wheel: behind the cores */
    sl_controller *controller;
    sl_buffer *requests;
    sim_dma_access accesses[SIM_DMA_ACCESSES];
    uint32_t access_count;
    bool has_refused; /* a core waits for room */
    bool is_io;       /* it asks as a core does */
} sim_dma;

/* The engines of a new system; those of the wiring's controllers. */
col_status sim_dma_new(struct sim_system *system, col_problem *problem);
void sim_dma_start(struct sim_system *system);
void sim_dma_step(sim_dma *dma);

/* Is the operation one that an engine of the system performs? */
bool sim_dma_takes(const struct sim_system *system, const col_operation *operation);
/* Hands over such an operation. False: there is no room now; the core is woken when there is. */
bool sim_dma_hand_over(sim_core *core, uint32_t operation);

/* While writes of engines are under way (sim_system.dma_writes): an access met this word. A write
 * is performed when it is seen, which may be before the engine learns of it. That memory holds it
 * is no reason: caches may still use the old block until they have acknowledged an invalidation. */
void sim_dma_met(struct sim_system *system, uint32_t location, uint64_t word);

/* What the protocol calls: see sl_services. */
void sim_dma_read_done(sl_controller *controller, sl_address address, const sl_data *data);
void sim_dma_write_done(sl_controller *controller, sl_address address);
void sim_dma_store_through(sl_controller *controller, sl_address address, sl_data *data);

#endif
