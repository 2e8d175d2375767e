/* SPDX-License-Identifier: MIT */
/*
 * A memory that is right by construction, at the ports of agents: flat, with random latencies, and
 * requests of one port in any order. It knows nothing of
 * programs, but which write came when.
 */
#pragma once

#include "base/random.h"
#include "collider/agent.h"

enum { PORTS = 4, BASE = 0x1000, WORDS = 64, REQUESTS = 8, LOGGED = 64, MOST_CYCLES = 200000 };

typedef struct asked {
    bool is_there, is_old; /* an old one was performed, and waits to be answered */
    col_port_request request;
    uint64_t data;
    uint32_t latency;
} asked;

/* A write as it performed. */
typedef struct performed_write {
    uint64_t operand;
    uint64_t word; /* that it left in memory */
} performed_write;

typedef struct memory {
    uint64_t words[WORDS];
    asked requests[PORTS][REQUESTS];
    performed_write writes[LOGGED]; /* the first ones of the instance, in their order */
    uint32_t write_count;
    base_rng rng;
    col_agents *agents;
    uint32_t ports; /* up to PORTS */
    bool tells_commits, tells_losses;
    bool is_uneven;   /* half of the requests are quick */
    bool drops;       /* an answer now and then */
    bool never_loses; /* though it says that it tells */
} memory;

/* Of agents with PORTS ports at such a memory. */
col_agent_settings memory_settings(col_agent_core core, bool losses, bool commits);
/* Makes the agents, which are the caller's to free. */
void memory_open(memory *m, const col_agent_settings *settings);

/* An instance of the loaded program, up to its end or to what is wrong. */
void memory_run(memory *m, const col_observer *observer, uint64_t seed);
