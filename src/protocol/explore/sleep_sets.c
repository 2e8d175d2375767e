/* SPDX-License-Identifier: MIT */
/* Sleep sets: see search_worker.h. */
#include "protocol/explore/search_worker.h"

void exp_trial_note(exp_trial *t, const stepper *x, uint32_t choice, bool is_taken) {
    const world *w = &x->world;
    const uint32_t accesses = exp_step_accesses(x);
    *t = (exp_trial){.choice = choice,
                     .controller = w->touched,
                     .core = w->system->controllers[w->touched]->core,
                     .orders = x->orders,
                     .reads = x->reads,
                     .writes = x->writes,
                     .touches_core = x->touches_core,
                     .touches_memory = w->memory_touched,
                     .may_sleep = is_taken && choice < accesses + w->held_count};
}

/* Nothing but what it may depend on is known of it. */
void exp_trial_note_idle(exp_trial *t, const stepper *x, uint32_t choice) {
    const world *w = &x->world;
    const uint32_t accesses = exp_step_accesses(x);
    const uint32_t controller = choice < accesses
                                    ? w->system->cores[exp_access_of(x, choice).core].controller->id
                                    : w->buffer_owner[w->held[choice - accesses].buffer];
    *t = (exp_trial){.choice = choice,
                     .controller = controller,
                     .core = w->system->controllers[controller]->core,
                     .reads = UINT8_MAX,
                     .touches_core = true,
                     .is_idle = true};
}

/* A step touches one controller, its core, messages that it takes from its own queues, and the ends
 * of queues that it sends to. */
static bool commute(const exp_trial *a, const exp_trial *b, uint32_t cores) {
    if (a->controller == b->controller)
        return false;
    if (a->core == b->core && a->core < cores && a->touches_core && b->touches_core)
        return false;
    if ((a->writes & (b->reads | b->writes)) != 0 || (b->writes & a->reads) != 0)
        return false;
    return !(a->touches_memory && b->touches_memory) && (a->orders & b->orders) == 0;
}

uint32_t exp_sleep_bytes(const stepper *x, uint32_t messages) {
    return (exp_step_accesses(x) + messages + 7) / 8 * 2;
}

static bool has_bit(const uint8_t *bits, size_t bytes, uint32_t choice) {
    return choice / 8 < bytes && (bits[choice / 8] >> choice % 8 & 1) != 0;
}

exp_rest exp_sleep_find(const uint8_t *bits, size_t bytes, uint32_t choice) {
    return has_bit(bits, bytes / 2, choice)               ? EXP_ASLEEP
           : has_bit(bits + bytes / 2, bytes / 2, choice) ? EXP_IDLE
                                                          : EXP_AWAKE;
}

/* The number of the sleeper's step in the new state. */
static uint32_t choice_there(const stepper *x, const exp_trial *sleeper, const exp_trial *to) {
    const uint32_t accesses = exp_step_accesses(x), blocks = x->world.blocks;
    if (sleeper->choice >= accesses)
        return accesses + to->places[sleeper->choice - accesses];
    const uint32_t kind = sleeper->choice % EXP_KINDS, place = sleeper->choice / EXP_KINDS;
    return (exp_renamed_core(to->renaming, place / blocks) * blocks +
            exp_renamed_block(to->renaming, place % blocks)) *
               EXP_KINDS +
           kind;
}

void exp_sleep_write(const stepper *x, const exp_trial *trials, uint32_t count, uint8_t *output) {
    for (const exp_trial *to = trials; to < trials + count; to++)
        for (const exp_trial *t = trials; t < trials + count && to->is_new; t++) {
            const bool may_rest = t->is_idle || (t->may_sleep && t->hash < to->hash);
            if (!may_rest || !commute(t, to, x->world.cores))
                continue;
            const uint32_t choice = choice_there(x, t, to);
            output[to->bits + (t->is_idle ? to->bit_bytes / 2 : 0) + choice / 8] |=
                (uint8_t)(1U << choice % 8);
        }
}
