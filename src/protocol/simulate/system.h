/* SPDX-License-Identifier: MIT */
/*
 * The built-in multicore: controllers of a compiled protocol, buffers and network between them,
 * memory behind them, and cores in front that run a program. One system runs one instance after the
 * other. Time is cycles; everything that happens follows from the instance's seed.
 */
#pragma once

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "collider/event.h"
#include "collider/protocol.h"
#include "protocol/simulate/core.h"
#include "protocol/simulate/wiring.h"

#include <setjmp.h>
#include <string.h>

typedef struct sim_failure {
    col_event event; /* its message points to `text` */
    char text[512];
    bool happened;
    bool is_starvation; /* one access waits while others are served; its event is a deadlock's */
    bool out_of_memory; /* the machine failed us, not the design */
} sim_failure;

struct sim_monitor;

/* A message that waits in the network because there is no room where it goes. It keeps its slot of
 * the buffer it was sent into until it has left; those sent into the same buffer later do not
 * overtake it. So a full queue blocks whoever sends to it, as far back as the messages come from.
 */
typedef struct sim_held {
    sl_buffer *from, *to;
    sl_message *message;
    uint64_t ready; /* when it may leave, if there is room */
} sim_held;

struct sim_dma;

typedef struct sim_system {
    sl_system base; /* what compiled protocols see */
    const sl_protocol *protocol;
    sim_wiring wiring;
    sl_cell **cells;               /* of each machine: this system's own table */
    uint32_t **counts;             /* of each machine: transitions by controller and cell */
    const uint16_t **action_lists; /* of each machine: what cells find their actions in */
    uint32_t *action_counts;       /* how long they are */
    sl_controller **controllers;
    sl_route routes[SIM_NETWORKS];
    sl_buffer **plain; /* buffers that have a route while the system runs */
    uint32_t plain_count;
    uint32_t networks;
    uint32_t mesh_side; /* of the square that controllers sit on */
    sim_core *cores;
    struct sim_dma *dmas; /* engines beside the cores */
    uint32_t dma_count;
    uint32_t dma_writes;   /* of theirs under way, which nothing has seen yet */
    uint64_t *last_words;  /* by location: what the last store left, if there are engines */
    base_index dma_blocks; /* likewise: that the program's locations are in */
    uint32_t *neighbours;  /* by block: how many locations are in it */
    uint32_t last_capacity;
    sl_table *memory;
    sim_held *held; /* messages that wait for room where they go */
    uint32_t held_count, held_capacity;
    bool is_finite;           /* some buffer from the network has a limit */
    uint64_t *link_free;      /* of each controller: when its link takes the next message */
    struct sim_block *blocks; /* everything that was allocated */
    uint64_t allocations;     /* how many there were */

    const col_program *program;
    col_program writing; /* core 0 writes every location: what comes first if starts are written */
    col_observer aside;  /* observes the output of that run, and no other events */
    const col_observer *observer;
    uint64_t operations_done;
    uint64_t last_progress;
    uint64_t looked_at, transitions; /* half of what a deadlock takes after this progress; so many
                                        had been taken */
    uint64_t last_served;            /* when an operation last performed */
    uint32_t cores_running;          /* and DMA engines with accesses */
    uint64_t look_at;                /* the cycle in which to look for accesses that starve */
    const sl_controller *awake; /* whose turn it is or was last, for errors; NULL: none had any */
    sim_failure failure;
    const volatile int *stop; /* looked at in every cycle; not 0: end the run. May be NULL */
    bool stopped;             /* the last run, by this */
    bool is_asking;           /* what the protocol finds wrong now is of no interest */
    jmp_buf escape;
    struct sim_monitor *monitor; /* NULL: off */
    void *explorer;              /* the search that runs this system, if one does */
    uint32_t messages;           /* told so far */
    bool watch_cores;            /* tell when operations ask, are bound, are squashed */
} sim_system;

typedef struct sim_result {
    uint64_t cycles;
    uint64_t operations;
} sim_result;

/* A system's base is its first member. */
static inline sim_system *sim_of(sl_system *base) {
    return (sim_system *)(void *)base;
}

/* What a controller has as this member: a buffer, a cache, a table, ... */
static inline void *sim_member(const sl_controller *c, const sl_member *member) {
    void *pointer;
    memcpy(&pointer, (const uint8_t *)c + member->offset, sizeof pointer);
    return pointer;
}

/* Builds the system; `wiring` says how many of what. */
col_status sim_system_new(sim_system **system, const sl_protocol *protocol,
                          const sim_wiring *wiring, col_problem *problem);
void sim_system_free(sim_system *system);

/* Runs the program once. COL_OK also when the design fails: then `failure.happened`. With `warm`
 * blocks stay where the last instance left them, with words of 0; otherwise the caches are
 * empty, or as the design's start says. */
col_status sim_system_run(sim_system *system, const col_program *program, uint64_t seed, bool warm,
                          const col_observer *observer, sim_result *result, col_problem *problem);

/* Empty caches, empty queues, memory of zeros, cycle 0: as if the system were new. */
void sim_system_clear(sim_system *system);

/* For the parts of the simulator. */
/* Before a run: latencies may have changed since the last. */
void sim_network_start(sim_system *system);
/* All messages go through services->send, until a run. */
void sim_network_stop(sim_system *system);
void sim_send(sl_buffer *buffer, sl_message *message, sl_cycles delay);
_Noreturn void sim_refuse_receiver(const sl_buffer *from, uint32_t to, const sl_message *message);
/* Whom a message from this buffer to the network names. */
const sl_destination *sim_destination(sl_buffer *buffer, const sl_message *message);
/* The buffer in which controller `to` gets it. */
sl_buffer *sim_receiver(sim_system *system, const sl_buffer *from, uint32_t to,
                        const sl_message *message);
/* Lets those messages leave that wait for room and now have it. */
void sim_backlog_step(sim_system *system);
void sim_backlog_clear(sim_system *system);
/* Performs a request to memory, and releases it: reads come back with data, writes with an
 * acknowledgement. */
sl_message *sim_memory_answer(sl_buffer *buffer, sl_memory_message *request);
_Noreturn void sim_fail(sim_system *system, col_event event, const char *format, ...)
    BASE_PRINTF(3, 4);
_Noreturn void sim_out_of_memory(sim_system *system);
/* A protocol error in the transition that the controller has under way. */
col_event sim_error_of(const sl_controller *controller);
void *sim_grow(sl_system *base, void *old, size_t size);
void sim_free_all(sim_system *system);
void sim_notice(sim_system *system, const col_event *event);
uint32_t sim_machine_of(const sim_system *system, const sl_controller *controller);

/* What an observer that asks for messages or for the doings of cores is told (system_run.c). */
const char *sim_message_name(const sim_system *system, const sl_message *message);
uint64_t sim_message_block(const sim_system *system, const sl_message *message);
void sim_tell_sent(sl_buffer *buffer, sl_message *message);
enum { SIM_MEMORY = INT32_MAX }; /* beside the ids of controllers and cores */
void sim_tell_made(sim_system *system, sl_message *message, uint32_t from, uint32_t to);
void sim_tell_received(sl_buffer *buffer, const sl_message *message);
void sim_tell_core(sim_core *core,
                   const col_event *event); /* cycle, core and block are filled in */

/* Invariant monitors: single-writer-multiple-reader and data value. */
col_status sim_monitor_new(sim_system *system, col_problem *problem);
void sim_monitor_start(sim_system *system, bool warm);
void sim_monitor_permission(sl_controller *controller, sl_entry *entry, uint32_t permission);
void sim_monitor_load(sim_system *system, uint32_t location, uint64_t word, uint64_t issued);
void sim_monitor_store(sim_system *system, uint32_t location, uint64_t overwritten, uint64_t word);
void sim_monitor_free(sim_system *system);

/* ---- What is reported of a deadlock, by a run and by a search. */

/* Clauses, each behind "; ". More than a failure has room for: what is too long is cut there. */
typedef struct sim_stuck {
    char text[1024];
} sim_stuck;

/* Adds the controllers that have no free TBE. */
void sim_list_exhausted(const sim_system *system, sim_stuck *stuck);

/* No operation has completed for half as long as a deadlock takes, and the next event is at this
 * time: ends the run if that is too late. */
void sim_look_for_deadlock(sim_system *system, uint64_t next);

/* Ends the run if an access has waited for longer than the design's patience; otherwise sets when
 * to look again. */
void sim_look_for_starvation(sim_system *system);
