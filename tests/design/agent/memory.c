/* SPDX-License-Identifier: MIT */
/* A memory that is right by construction: see memory.h. */
#include "memory.h"

#include "protocol/simulate/oracle_random.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

static void perform(memory *m, uint32_t port, asked *a) {
    const col_port_request *r = &a->request;
    uint64_t *word = &m->words[(r->address - BASE) / 8];
    const uint64_t before = *word;
    a->data = before;
    a->is_old = true;
    if (r->operation == COL_PORT_STORE || r->operation == COL_PORT_SWAP)
        *word = r->data;
    else if (r->operation == COL_PORT_ADD)
        *word += r->data;
    else
        return;
    if (m->write_count < LOGGED)
        m->writes[m->write_count++] = (performed_write){r->data, *word};
    if (m->tells_commits)
        col_agents_commit(m->agents, port, r->tag, before);
    for (uint32_t p = 0; p < m->ports && m->tells_losses && !m->never_loses; p++)
        if (p != port)
            col_agents_lose(m->agents, p, r->address);
}

/* Half of those of an uneven memory are short, the others long: then what is asked for late is
 * often performed first. */
static uint32_t draw_latency(memory *m, uint32_t bound) {
    if (!m->is_uneven)
        return below(&m->rng, bound);
    return below(&m->rng, below(&m->rng, 2) == 0 ? 2 : 2 * bound);
}

static void work(memory *m, uint32_t port) {
    for (uint32_t i = 0; i < REQUESTS; i++) {
        asked *a = &m->requests[port][i];
        if (!a->is_there || a->latency-- > 0)
            continue;
        if (!a->is_old) {
            perform(m, port, a);
            a->latency = draw_latency(m, 8);
        } else if (!col_agents_takes(m->agents, port)) {
            a->latency = 0;
        } else {
            a->is_there = false;
            if (!m->drops || below(&m->rng, 20) > 0)
                col_agents_answer(m->agents, port, a->request.tag, a->data);
        }
    }
}

static void take(memory *m, uint32_t port, const col_port_request *request) {
    if (below(&m->rng, 3) == 0)
        return; /* not ready */
    for (uint32_t i = 0; i < REQUESTS; i++)
        if (!m->requests[port][i].is_there) {
            m->requests[port][i] =
                (asked){.is_there = true, .request = *request, .latency = draw_latency(m, 20)};
            col_agents_accept(m->agents, port);
            return;
        }
    fail_msg("too many requests");
}

void memory_run(memory *m, const col_observer *observer, uint64_t seed) {
    memset(m->words, 0, sizeof m->words);
    memset(m->requests, 0, sizeof m->requests);
    m->write_count = 0;
    base_rng_seed(&m->rng, seed, 1);
    col_agents_begin(m->agents, seed, observer);
    for (int cycle = 0; cycle < MOST_CYCLES && !col_agents_are_done(m->agents) &&
                        col_agents_trouble(m->agents) == NULL;
         cycle++) {
        for (uint32_t p = 0; p < m->ports; p++) {
            col_port_request request;
            if (col_agents_offer(m->agents, p, &request))
                take(m, p, &request);
        }
        for (uint32_t p = 0; p < m->ports; p++)
            work(m, p);
        col_agents_end_cycle(m->agents);
    }
}

col_agent_settings memory_settings(col_agent_core core, bool losses, bool commits) {
    col_agent_settings s;
    col_agent_default(&s);
    s.ports = PORTS;
    s.core = core;
    s.base = BASE;
    s.block = 8;
    s.tells_losses = losses;
    s.tells_commits = s.is_current = commits;
    s.takes_fences = false;
    s.patience = 2000;
    return s;
}

void memory_open(memory *m, const col_agent_settings *settings) {
    col_problem problem;
    m->ports = settings->ports;
    m->tells_losses = settings->tells_losses;
    m->tells_commits = settings->tells_commits;
    assert_int_equal(col_agents_new(&m->agents, settings, &problem), COL_OK);
}
