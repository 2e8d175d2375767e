/* SPDX-License-Identifier: MIT */
/*
 * What words hold, by the commits of their writes: a load of a memory system that promises current
 * values returns one that its word held while the load was under way, or what its own core is still
 * writing. For each location the last few values are remembered; of what is older we do not judge.
 */
#include "agent/agent.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

col_status agt_current_load(col_agents *a, col_problem *problem) {
    return a->settings.is_current
               ? base_reserve(&a->words, &a->word_capacity, (size_t)a->program->location_count + 1,
                              sizeof *a->words, problem)
               : COL_OK;
}

void agt_current_begin(col_agents *a) {
    if (a->settings.is_current)
        memset(a->words, 0, a->program->location_count * sizeof *a->words);
}

void agt_current_write(col_agents *a, uint32_t location, uint64_t word) {
    if (!a->settings.is_current)
        return;
    agt_word *w = &a->words[location];
    w->past[w->replaced % AGT_PAST] = (agt_past){.word = w->now, .until = a->cycle};
    w->replaced++;
    w->now = word;
}

/* Did it hold the word in this cycle or later? */
static bool held(const agt_word *w, uint64_t word, uint64_t since) {
    if (w->now == word)
        return true;
    for (uint32_t i = 1; i <= w->replaced; i++) {
        const agt_past *past = &w->past[(w->replaced - i) % AGT_PAST];
        if (i > AGT_PAST) /* it was replaced more often than we remember */
            return true;
        if (past->until < since)
            return false;
        if (past->word == word)
            return true;
    }
    return false;
}

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
        if (a->trouble[0] == '\0' &&
            !held(&a->words[load->location], answer->word, answer->since) && !answer->is_own)
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
