/* SPDX-License-Identifier: MIT */
/*
 * Cores, and DMA engines beside them. Each core runs one thread of the program and meets its
 * private caches in a sequencer. A core is either the simple requester, or a pipeline that reorders
 * as far as its mode allows. Both ask for blocks through the sequencer, which calls them back when
 * the protocol has the block, and when the private caches give one up.
 */
#pragma once

#include "collider/event.h"
#include "collider/protocol.h"
#include "protocol/simulate/wiring.h"

enum { SIM_AWAIT_PAUSE = 8 }; /* cycles before an await looks again */

struct sim_system;
struct sim_pipeline;

/* An operation under way in the caches. */
typedef struct sim_access {
    uint32_t operation;
    int32_t type; /* RubyRequestType */
    sim_way way;  /* of an atomic */
    bool lost; /* the block was given up while the access was under way, or since it was linked */
    uint8_t failures; /* of its store-conditionals */
    uint8_t source;   /* col_source: where the first of two steps read */
    uint64_t word;    /* that the first of two steps read */
    sl_address block;
    uint64_t issued;
} sim_access;

typedef struct sim_core {
    struct sim_system *system;
    uint32_t id; /* of the event wheel: behind the controllers */
    uint32_t number;
    sl_controller *controller; /* with the sequencer */
    sl_buffer *requests;       /* its mandatory queue */
    sl_buffer *prefetches;     /* its queue of prefetches; NULL: there is none */
    sl_controller *fetcher;    /* with the sequencer of instruction fetches; often the same */
    sl_buffer *fetches;        /* its mandatory queue */
    uint32_t next, end;        /* operations of the program */
    uint64_t not_before;       /* a delay, or the offset at the start */
    sim_access *accesses;
    uint32_t access_count;
    uint32_t ways;                 /* of making atomics that it has, a bit for each sim_way */
    struct sim_pipeline *pipeline; /* NULL: the simple requester */
} sim_core;

void sim_core_step(sim_core *core);
void sim_core_start(sim_core *core, uint64_t offset);

/* ---- The sequencer. */

bool sim_sequencer_busy(const sim_core *core, sl_address block);
/* Does the operation ask the caches? Flushes that the protocol does not take are done at once; a
 * fence that orders writes before reads asks where the protocol may give stale words. */
bool sim_is_access(const sim_core *core, const col_operation *operation);
int32_t sim_request_type(const sim_core *core, const col_operation *operation);
/* Do such requests end as a store does, with nothing to write? */
static inline bool sim_is_wordless(int32_t type) {
    return type == SL_FLUSH || type == SL_ACQUIRE;
}
/* What an atomic in two steps has read; NULL: it reads when it writes. */
static inline const uint64_t *sim_word_read(const sim_access *access) {
    return access->way == SIM_LINKED || access->way == SIM_LOCKED ? &access->word : NULL;
}
/* The block must not be busy, and fewer accesses than allowed be under way. */
void sim_sequencer_issue(sim_core *core, uint32_t operation, int32_t type);

/* A request for a word, as cores make them. */
sl_request *sim_request_new(sl_system *base, sl_address address, int32_t type, uint32_t core);

/* Done as soon as it is asked for: nothing comes back. */
void sim_sequencer_prefetch(sim_core *core, const col_operation *operation);

/* What the protocol calls: see sl_services. */
void sim_load_done(sl_controller *controller, sl_address address, const sl_data *data,
                   bool external, uint32_t machine_type);
void sim_store_done(sl_controller *controller, sl_address address, sl_data *data, bool external,
                    uint32_t machine_type);
void sim_store_failed(sl_controller *controller, sl_address address);
bool sim_is_linked(sl_controller *controller, sl_address address);
void sim_evicted(sl_controller *controller, sl_address address);

/* ---- What both kinds of core do when an operation performs. */

uint32_t sim_word_of(const struct sim_system *system, const col_operation *operation);
void sim_count_performed(struct sim_system *system);
/* Time that passes because the program says so is no lack of progress. */
void sim_core_delay(sim_core *core, uint32_t cycles);
/* The thread is at its end. */
void sim_core_finish(sim_core *core);
/* `issued`: since when the word may have been read. */
void sim_perform_load(sim_core *core, uint32_t operation, uint64_t word, col_source source,
                      uint64_t issued);
/* Writes into `data`. A swap or add returned `read`; NULL: it returns what it overwrites. */
void sim_perform_store(sim_core *core, uint32_t operation, sl_data *data, col_source source,
                       const uint64_t *read);

/* The store has left `word`. */
void sim_report_store(sim_core *core, uint32_t operation, uint64_t overwritten, uint64_t word,
                      uint64_t returned, col_source source);

/* ---- The pipeline. */

struct sim_pipeline *sim_pipeline_new(struct sim_system *system);
void sim_pipeline_start(sim_core *core);
void sim_pipeline_step(sim_core *core);
void sim_pipeline_fetched(sim_core *core, const sim_access *access);
void sim_pipeline_loaded(sim_core *core, const sim_access *access, const sl_data *data,
                         col_source source);
void sim_pipeline_stored(sim_core *core, const sim_access *access, sl_data *data,
                         col_source source);
void sim_pipeline_failed(sim_core *core, const sim_access *access);
void sim_pipeline_evicted(sim_core *core, sl_address block);

/*
 * DMA engines, each in front of a controller that the protocol has for them. A core hands over the
 * DMA accesses of its thread and goes on: an engine has several under way, at most one to a block,
 * and promises no order between them. What an engine does not take, the core does itself. An engine
 * of a machine on the level `io` asks as a core does, and its writes are performed when the
 * protocol asks for their bytes: by then, all that is needed to write is the protocol's.
 */

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
