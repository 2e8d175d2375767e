/* SPDX-License-Identifier: MIT */
/*
 * Cores without instructions: each runs one thread of a test program at a request port of a memory
 * system that something else simulates, such as an RTL model. What drives the model asks, cycle by
 * cycle, what a port is offered, and says what was accepted and answered. docs/rtl-port.md has the
 * signals that this belongs to.
 */
#ifndef COLLIDER_AGENT_H
#define COLLIDER_AGENT_H

#include <collider/event.h>

COL_C_BEGIN

/* What a port may be asked for. A store is answered when it has performed, or, by a memory system
 * with store buffers of its own, when it was taken; a fence when all before it has performed. */
typedef enum col_port_operation {
    COL_PORT_LOAD,
    COL_PORT_STORE,
    COL_PORT_SWAP,
    COL_PORT_ADD,
    COL_PORT_FENCE,
    COL_PORT_FLUSH,
    COL_PORT_OPERATIONS
} col_port_operation;

typedef struct col_port_request {
    col_port_operation operation;
    uint32_t tag; /* below the window of the settings; of no other request under way */
    uint64_t address, data;
    uint32_t bytes; /* 4 or 8 */
    uint8_t fence;  /* of a fence: what it orders, a set of pairs */
} col_port_request;

/* How a core orders its operations. */
typedef enum col_agent_core {
    COL_AGENT_SC,   /* one after the other */
    COL_AGENT_TSO,  /* loads pass stores of other locations, and see the core's own */
    COL_AGENT_WEAK, /* whatever RVWMO does not keep in order */
    COL_AGENT_CORES
} col_agent_core;
COL_API extern const char *const col_agent_cores[COL_AGENT_CORES + 1]; /* ended by NULL */

typedef struct col_agent_settings {
    uint32_t ports;
    col_agent_core core;
    uint32_t window;    /* operations of a core under way, from 1; one core takes one */
    uint64_t base;      /* where address 0 of a program is */
    uint32_t block;     /* bytes of a block, for what ports lose */
    bool tells_losses;  /* ports report blocks that they lose: loads may then run ahead of others */
    bool tells_commits; /* and writes that have performed, with the value that each replaced */
    bool takes_fences;  /* else a fence is the core's own business */
    bool takes_flushes;
    uint32_t stalls;   /* percent of cycles in which a core offers nothing, or takes no response */
    uint32_t skew;     /* cores start within this many cycles of each other */
    uint64_t patience; /* cycles without a response after which the memory system is stuck; 0: no
                          limit */
    bool is_current; /* once a write has committed, no port returns an older value to a request that
                      * it takes from then on: an answer that does is an error. Needs commits */
    bool merges; /* a port may replace a store by a later one of the same word before it performs;
                  * then only the later one commits. Needs commits */
} col_agent_settings;

COL_API void col_agent_default(col_agent_settings *settings);

typedef struct col_agents col_agents;

COL_API col_status col_agents_new(col_agents **agents, const col_agent_settings *settings,
                                  col_problem *problem);
COL_API void col_agents_free(col_agents *agents);

/* The program stays as it is until the next one. */
COL_API col_status col_agents_load(col_agents *agents, const col_program *program,
                                   col_problem *problem);

/* An instance begins. The observer, which may be NULL, gets the values that were returned, or, if
 * ports report commits, loads and stores as they perform. */
COL_API void col_agents_begin(col_agents *agents, uint64_t seed, const col_observer *observer);

/* ---- A cycle: look at what is offered and taken, then say what happened, then end it. */

/* The request that is offered to the port, the same until it is accepted. False: none. */
COL_API bool col_agents_offer(col_agents *agents, uint32_t port, col_port_request *request);
/* Would an answer be taken? */
COL_API bool col_agents_takes(const col_agents *agents, uint32_t port);

COL_API void col_agents_accept(col_agents *agents, uint32_t port);
/* `data`: what a load or atomic returned. */
COL_API void col_agents_answer(col_agents *agents, uint32_t port, uint32_t tag, uint64_t data);
/* The port lost the block of this address: what it returned from it may be stale. */
COL_API void col_agents_lose(col_agents *agents, uint32_t port, uint64_t address);
/* A write has performed; before or after it is answered. `replaced`: what was there before. */
COL_API void col_agents_commit(col_agents *agents, uint32_t port, uint32_t tag, uint64_t replaced);

COL_API void col_agents_end_cycle(col_agents *agents);

/* ---- How it stands. */

COL_API bool col_agents_are_done(const col_agents *agents);
COL_API uint64_t col_agents_performed(const col_agents *agents); /* operations */
/* What is wrong: a response that makes no sense, or the memory system is stuck. NULL: nothing. */
COL_API const char *col_agents_trouble(const col_agents *agents);
COL_API bool col_agents_are_stuck(const col_agents *agents);

/* ---- Inputs that are no part of a port, such as stalls. */

/* An input whose value is drawn: from low to high in `percent` of all cycles, else low. A value
 * lasts one cycle or, in some instances, up to a hundred. */
typedef struct col_port_input {
    uint64_t low, high;
    uint32_t percent;
    /* The rest is its state. */
    uint32_t lengths;
    uint64_t random, value, left;
} col_port_input;

/* An instance begins; inputs of one memory system have different numbers. */
COL_API void col_port_input_begin(col_port_input *input, uint64_t seed, uint32_t number);
/* Its value in the next cycle. */
COL_API uint64_t col_port_input_next(col_port_input *input);

COL_C_END
#endif
