/* SPDX-License-Identifier: MIT */
/* What a system treats alike: see symmetry.h. */
#include "explore/symmetry.h"

#include <stdio.h>
#include <string.h>

/* ---- What is alike. */

static bool has_numbers_of_controllers(const sl_field *f) {
    for (; f->kind != SL_FIELD_END; f++)
        if (f->kind == SL_FIELD_NODE || f->kind == SL_FIELD_SET)
            return true;
    return false;
}

/* The first reason for which a machine tells cores or blocks apart; NULL: it does not. */
static const char *reason_of(const sl_machine *m, uint32_t what) {
    if (m->asymmetric[what] != NULL)
        return m->asymmetric[what];
    if (what != SL_ASYMMETRIC_CORES)
        return NULL;
    for (uint32_t i = 1; i < m->record_count; i++)
        if (has_numbers_of_controllers(m->records[i]))
            return "numbers of controllers in its records";
    for (uint32_t i = 0; i < m->member_count; i++)
        if (!m->members[i].parameter &&
            (m->members[i].kind == SL_MEMBER_PERSISTENT || m->members[i].field == SL_FIELD_NODE ||
             m->members[i].field == SL_FIELD_SET))
            return m->members[i].name;
    return NULL;
}

static bool find_reason(const sim_system *s, uint32_t what, char *text) {
    for (uint32_t m = 0; m < s->protocol->machine_count; m++) {
        const char *reason = reason_of(s->protocol->machines[m], what);
        const sim_machine_wiring *w = &s->wiring.machines[m];
        const uint32_t most = what == SL_ASYMMETRIC_CORES ? w->clusters : w->count;
        if (reason == NULL && !w->is_private && most > 1)
            reason = what == SL_ASYMMETRIC_CORES ? "clusters" : "banks";
        if (reason == NULL)
            continue;
        (void)snprintf(text, EXP_REASON_BYTES, "%s (%s)", s->protocol->machines[m]->name, reason);
        return true;
    }
    return false;
}

/* Accesses have one outcome, so a machine next to the core must not pick. */
static bool find_picks(const sim_system *s, bool takes_any, char *text) {
    for (uint32_t m = 0; m < s->protocol->machine_count; m++) {
        const sl_machine *machine = s->protocol->machines[m];
        const char *reason = machine->asymmetric[SL_ASYMMETRIC_PICKS];
        if (reason == NULL || (takes_any && !s->wiring.machines[m].has_sequencer))
            continue;
        (void)snprintf(text, EXP_REASON_BYTES, "%s (%s)", machine->name, reason);
        return true;
    }
    return false;
}

static bool find_message(const sim_system *s, char *text) {
    for (uint32_t i = 0; i < s->protocol->message_count; i++)
        if (has_numbers_of_controllers(s->protocol->messages[i].fields)) {
            (void)snprintf(text, EXP_REASON_BYTES, "%s (numbers of controllers in its fields)",
                           s->protocol->messages[i].name);
            return true;
        }
    return false;
}

/* Each core has one controller of each private machine, with its number. */
static bool are_cores_alike(const sim_system *s) {
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        const bool is_private = c->core < s->wiring.cores;
        if (is_private &&
            (c->core != c->number || s->base.count_of[c->machine->type] != s->wiring.cores))
            return false;
    }
    return true;
}

/* All blocks fall into one set of every cache. */
static bool do_blocks_compete(const sim_system *s, uint32_t blocks) {
    for (uint32_t i = 0; i < s->base.controller_count; i++) {
        const sl_controller *c = s->controllers[i];
        for (uint32_t m = 0; m < c->machine->member_count; m++) {
            if (c->machine->members[m].kind != SL_MEMBER_CACHE)
                continue;
            const sl_cache *cache;
            memcpy(&cache, (const uint8_t *)c + c->machine->members[m].offset, sizeof cache);
            for (uint32_t b = 1; b < blocks; b++)
                if (sl_cache_set(cache, exp_block_address(b)) !=
                    sl_cache_set(cache, exp_block_address(0)))
                    return false;
        }
    }
    return true;
}

void exp_symmetry_find(const sim_system *s, uint32_t blocks, bool takes_any,
                       exp_symmetry *symmetry) {
    *symmetry = (exp_symmetry){0};
    symmetry->cores = !find_reason(s, SL_ASYMMETRIC_CORES, symmetry->no_cores) &&
                      !find_picks(s, takes_any, symmetry->no_cores) &&
                      !find_message(s, symmetry->no_cores);
    if (symmetry->cores && !are_cores_alike(s)) {
        symmetry->cores = false;
        (void)snprintf(symmetry->no_cores, EXP_REASON_BYTES, "the design (its controllers)");
    }
    symmetry->blocks = !find_reason(s, SL_ASYMMETRIC_BLOCKS, symmetry->no_blocks);
    if (symmetry->blocks && !do_blocks_compete(s, blocks)) {
        symmetry->blocks = false;
        (void)snprintf(symmetry->no_blocks, EXP_REASON_BYTES, "the design (sets of its caches)");
    }
}
