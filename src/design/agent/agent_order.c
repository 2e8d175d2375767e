/* SPDX-License-Identifier: MIT */
/*
 * Which operation of a core waits for which earlier one. A core never looks further back than its
 * window: all before it is done.
 */
#include "design/agent/agent.h"

#include <stdio.h>

static const col_operation *at(const col_agents *a, uint32_t operation) {
    return &a->program->operations[operation];
}

static bool reads(const col_operation *o) {
    return col_kinds[o->kind].reads;
}

static bool writes(const col_operation *o) {
    return col_kinds[o->kind].writes;
}

static bool is_plain_load(const col_operation *o) {
    return o->kind == COL_LOAD;
}

static bool is_done(const col_agents *a, const agt_core *core, uint32_t operation) {
    return operation < core->first || agt_slot_of(a, core, operation)->state == AGT_DONE;
}

/* Is nothing held up by it any more? A write that was answered is the business of the memory
 * system, which may have it in a store buffer. Only a weak core waits until it has performed: its
 * releases are not told to the port. */
static bool is_over(const col_agents *a, const agt_core *core, uint32_t operation) {
    return is_done(a, core, operation) ||
           (a->settings.core != COL_AGENT_WEAK && writes(at(a, operation)) &&
            agt_slot_of(a, core, operation)->is_answered);
}

/* ---- Fences. */

/* Does a fence between two accesses order this pair? */
static bool are_fenced(const col_agents *a, uint32_t earlier, uint32_t later) {
    const col_operation *e = at(a, earlier), *l = at(a, later);
    const unsigned pairs = (reads(e) && reads(l) ? COL_READ_READ : 0U) |
                           (reads(e) && writes(l) ? COL_READ_WRITE : 0U) |
                           (writes(e) && reads(l) ? COL_WRITE_READ : 0U) |
                           (writes(e) && writes(l) ? COL_WRITE_WRITE : 0U);
    for (uint32_t f = earlier + 1; f < later; f++)
        if (at(a, f)->kind == COL_FENCE && (at(a, f)->fence & pairs) != 0)
            return true;
    return false;
}

/* Does the fence order such an access, by these pairs of its set? */
static bool orders(const col_operation *fence, const col_operation *o, unsigned of_reads,
                   unsigned of_writes) {
    return (reads(o) && (fence->fence & of_reads) != 0) ||
           (writes(o) && (fence->fence & of_writes) != 0);
}

/* A fence that the port takes waits for what it orders, and is waited for. */
static bool waits_for_fence(const col_operation *earlier, const col_operation *later) {
    if (earlier->kind == COL_FENCE && later->kind == COL_FENCE)
        return true;
    return earlier->kind == COL_FENCE ? orders(earlier, later, COL_READ_READ | COL_WRITE_READ,
                                               COL_READ_WRITE | COL_WRITE_WRITE)
                                      : orders(later, earlier, COL_READ_READ | COL_READ_WRITE,
                                               COL_WRITE_READ | COL_WRITE_WRITE);
}

/* ---- Pairs of accesses. */

static bool waits_in_tso(const col_operation *earlier, const col_operation *later,
                         bool may_run_ahead) {
    const bool are_atomic = (reads(earlier) && writes(earlier)) || (reads(later) && writes(later));
    if (are_atomic || writes(later))
        return true;
    if (is_plain_load(earlier) && is_plain_load(later))
        return !may_run_ahead;
    if (later->kind == COL_AWAIT && earlier->location == later->location)
        return true;       /* it reads memory alone */
    return reads(earlier); /* a load passes a store; of its own location: see agt_supplier */
}

/* Acquire and release are RCsc: an acquire waits for an earlier release, too. */
static bool is_acquired_after_release(const col_operation *earlier, const col_operation *later) {
    return (earlier->order & COL_RELEASE) != 0 && (later->order & COL_ACQUIRE) != 0;
}

static bool waits_in_weak(const col_operation *earlier, const col_operation *later) {
    return earlier->location == later->location || (earlier->order & COL_ACQUIRE) != 0 ||
           (later->order & COL_RELEASE) != 0 || is_acquired_after_release(earlier, later);
}

static bool waits(const col_agents *a, const col_operation *earlier, const col_operation *later) {
    if (earlier->kind == COL_DELAY || later->kind == COL_DELAY || earlier->kind == COL_AWAIT ||
        a->settings.core == COL_AGENT_SC)
        return true;
    if (earlier->kind == COL_FENCE || later->kind == COL_FENCE)
        return a->settings.takes_fences && waits_for_fence(earlier, later);
    if (earlier->kind == COL_FLUSH || later->kind == COL_FLUSH)
        return earlier->location == later->location;
    if (a->settings.core == COL_AGENT_TSO)
        return waits_in_tso(earlier, later, a->settings.tells_losses);
    return waits_in_weak(earlier, later);
}

/* Is the read that it depends on still under way? */
static bool lacks_source(const col_agents *a, const agt_core *core, uint32_t operation) {
    const col_operation *o = at(a, operation);
    return o->dependency != COL_NO_DEPENDENCY && !is_done(a, core, operation - o->distance);
}

/* A branch holds up writes that come after it; loads may be guessed. */
static bool depends(const col_agents *a, const agt_core *core, uint32_t operation) {
    const col_operation *o = at(a, operation);
    if ((o->dependency != COL_CONTROL || writes(o) || a->settings.core != COL_AGENT_WEAK) &&
        lacks_source(a, core, operation))
        return true;
    for (uint32_t e = core->first; writes(o) && e < operation; e++) {
        const col_operation *earlier = at(a, e);
        if ((earlier->dependency == COL_CONTROL || earlier->dependency == COL_ADDRESS) &&
            lacks_source(a, core, e))
            return true;
    }
    return false;
}

/* What a weak core may not yet take from its own store: a value, or one of an address, that depends
 * on a read (what the load takes would come before that read), and what an acquire would take from
 * a release (it would come before what the release waits for). */
static bool may_not_supply(const col_agents *a, const agt_core *core, uint32_t store,
                           const col_operation *load) {
    const col_operation *o = at(a, store);
    return a->settings.core == COL_AGENT_WEAK &&
           (is_acquired_after_release(o, load) ||
            (o->dependency != COL_CONTROL && lacks_source(a, core, store)));
}

/* ---- What agent.c asks. */

uint32_t agt_supplier(const col_agents *a, const agt_core *core, uint32_t load) {
    const col_operation *o = at(a, load);
    if (!is_plain_load(o) || a->settings.core == COL_AGENT_SC)
        return UINT32_MAX;
    for (uint32_t e = load; e-- > core->first;) {
        const col_operation *earlier = at(a, e);
        if (writes(earlier) && earlier->location == o->location)
            return earlier->kind == COL_STORE && !is_over(a, core, e) ? e : UINT32_MAX;
    }
    return UINT32_MAX;
}

bool agt_is_ahead(const col_agents *a, const agt_core *core, uint32_t operation) {
    if (a->settings.core != COL_AGENT_TSO || !is_plain_load(at(a, operation)))
        return false;
    for (uint32_t e = core->first; e < operation; e++)
        if (reads(at(a, e)) && !is_done(a, core, e))
            return true;
    return false;
}

bool agt_may_ask(const col_agents *a, const agt_core *core, uint32_t operation) {
    const col_operation *o = at(a, operation);
    const uint32_t supplier = agt_supplier(a, core, operation);
    if (supplier != UINT32_MAX && agt_is_ahead(a, core, operation))
        return false; /* its value is not the port's to lose */
    for (uint32_t e = core->first; e < operation; e++)
        if (!is_over(a, core, e) &&
            (are_fenced(a, e, operation) ||
             (e == supplier ? may_not_supply(a, core, e, o) : waits(a, at(a, e), o))))
            return false;
    return !depends(a, core, operation);
}

/*
 * A load of a memory system that promises current values returns one that its word held while the
 * load was under way, or what its own core is still writing.
 */

static bool writes_itself(const col_agents *a, const agt_core *core, const col_operation *load,
                          uint64_t word) {
    for (uint32_t o = core->first; o < core->next; o++) {
        const col_operation *own = &a->program->operations[o];
        if (own >= load)
            return false;
        if (own->kind == COL_STORE && own->location == load->location &&
            col_program_operand(a->program, own) == word)
            return true;
    }
    return false;
}

/* Answers are judged at the end of the cycle: a commit in it may come after them. */
void agt_current_judge(col_agents *a) {
    for (uint32_t p = 0; a->settings.is_current && p < a->settings.ports; p++) {
        agt_core *core = &a->cores[p];
        const agt_answer *answer = &core->answer;
        if (!answer->is_new)
            continue;
        core->answer.is_new = false;
        const col_operation *load = &a->program->operations[answer->operation];
        if (a->trouble[0] == '\0' && !answer->is_own &&
            !agt_words_held(&a->words, load->location, answer->word, answer->since))
            (void)snprintf(a->trouble, sizeof a->trouble,
                           "port %u answered operation %u of its thread (load a%u), requested in "
                           "cycle %llu, with a value that had been replaced before",
                           p, answer->operation - a->program->thread_start[p], load->location,
                           (unsigned long long)answer->since);
    }
}

void agt_current_answer(col_agents *a, uint32_t port, uint32_t operation, const agt_slot *slot) {
    agt_core *core = &a->cores[port];
    core->answer = (agt_answer){
        .is_new = true,
        .is_own = writes_itself(a, core, &a->program->operations[operation], slot->word),
        .operation = operation,
        .word = slot->word,
        .since = slot->since};
}
