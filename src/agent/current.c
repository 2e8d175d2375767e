/* SPDX-License-Identifier: MIT */
/*
 * A load of a memory system that promises current values returns one that its word held while the
 * load was under way, or what its own core is still writing.
 */
#include "agent/agent.h"

#include <stdio.h>

col_status agt_current_load(col_agents *a, col_problem *problem) {
    return a->settings.is_current ? agt_words_clear(&a->words, a->program->location_count, problem)
                                  : COL_OK;
}

void agt_current_begin(col_agents *a) {
    if (a->settings.is_current) /* there is room: the program was loaded */
        (void)agt_words_clear(&a->words, a->program->location_count, NULL);
}

void agt_current_write(col_agents *a, uint32_t location, uint64_t word) {
    if (a->settings.is_current)
        agt_words_write(&a->words, location, word, a->cycle);
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
