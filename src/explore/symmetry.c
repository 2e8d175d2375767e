/* SPDX-License-Identifier: MIT */
/*
 * Symmetry: see symmetry.h. Blocks are tried in every order. Cores are sorted by what they hold,
 * themselves apart from all others; only cores that agree in that are tried in every order.
 */
#include "explore/symmetry.h"
#include "explore/graph.h"
#include "explore/known.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { SEEN = 1 << 16 };

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

void exp_symmetry_find(const sim_system *s, uint32_t blocks, exp_symmetry *symmetry) {
    *symmetry = (exp_symmetry){0};
    symmetry->cores = !find_reason(s, SL_ASYMMETRIC_CORES, symmetry->no_cores) &&
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

/* ---- Renaming. */

void exp_renamer_open(exp_renamer *r, world *w, const exp_symmetry *may, bool is_exact) {
    sl_system *base = &w->system->base;
    *r = (exp_renamer){.may = *may};
    r->candidate = sim_grow(base, NULL, w->image_capacity);
    r->best = sim_grow(base, NULL, w->image_capacity);
    r->scratch = sim_grow(base, NULL, w->image_capacity);
    r->seen = is_exact ? NULL : sim_grow(base, NULL, SEEN * sizeof *r->seen);
}

bool exp_renamer_knows(exp_renamer *r, const world *w) {
    if (r->seen == NULL)
        return false;
    const uint64_t print = exp_known_print(w->image, w->image_bytes);
    uint64_t *place = &r->seen[print % SEEN];
    if (*place == print)
        return true;
    *place = print;
    return false;
}

/* A core for another, and its controllers with it. */
static void rename_core(const world *w, exp_renaming *names, uint32_t old, uint32_t new) {
    names->core[old] = (uint8_t) new;
    names->old_core[new] = (uint8_t)old;
    for (uint32_t i = 0; i < w->system->base.controller_count; i++) {
        const sl_controller *c = w->system->controllers[i];
        if (c->core != old)
            continue;
        const uint32_t other = i - old + new; /* they lie side by side */
        names->controller[i] = (uint8_t)other;
        names->old_controller[other] = (uint8_t)i;
    }
}

/* What a core holds, and what is on its way to it, if all other cores are the same to it. */
static uint64_t signature(exp_renamer *r, world *w, const exp_renaming *names, uint32_t core) {
    exp_renaming alone = *names;
    uint8_t *out = r->scratch;
    for (uint32_t c = 0; c < w->cores; c++)
        rename_core(w, &alone, c, c == core ? 0 : 1);
    alone.keeps_controllers = false;
    for (uint32_t i = 0; i < w->system->base.controller_count; i++)
        if (w->system->controllers[i]->core == core)
            out = exp_world_put_controller(w, &alone, i, out);
    for (uint32_t b = 0; b < w->blocks; b++)
        out = exp_world_put_core(w, core, alone.old_block[b], out);
    out = exp_world_put_begun(w, &alone, core, out);
    uint64_t sum = XXH3_64bits(r->scratch, (size_t)(out - r->scratch));
    for (uint32_t i = 0; i < w->flight_count; i++) {
        if (w->system->controllers[w->buffer_owner[w->flights[i].buffer]]->core != core)
            continue;
        out = exp_world_put_flight(w, &alone, &w->flights[i], r->scratch);
        sum += XXH3_64bits(r->scratch, (size_t)(out - r->scratch));
    }
    return sum;
}

static void try_names(exp_renamer *r, world *w, const exp_renaming *names, size_t *best_bytes) {
    const size_t bytes = exp_world_pack_renamed(w, names, r->candidate);
    if (*best_bytes != 0 && (bytes > *best_bytes ||
                             (bytes == *best_bytes && memcmp(r->candidate, r->best, bytes) >= 0)))
        return;
    uint8_t *smaller = r->candidate;
    r->candidate = r->best;
    r->best = smaller;
    r->renaming = exp_renaming_pack(names, w->cores, w->blocks);
    *best_bytes = bytes;
}

/* Cores that have no new number yet, in order of their signatures; equal ones in every order. */
typedef struct core_order {
    uint64_t signatures[EXP_MOST_CORES];
    uint32_t cores[EXP_MOST_CORES];
} core_order;

static void try_orders(exp_renamer *r, world *w, exp_renaming *names, core_order *order,
                       uint32_t place, size_t *best_bytes) {
    if (place == w->cores) {
        names->keeps_controllers = true;
        for (uint32_t c = 0; c < w->cores; c++)
            names->keeps_controllers = names->keeps_controllers && names->core[c] == c;
        try_names(r, w, names, best_bytes);
        return;
    }
    for (uint32_t i = place; i < w->cores; i++) {
        const uint32_t core = order->cores[i];
        if (order->signatures[core] != order->signatures[order->cores[place]])
            break;
        order->cores[i] = order->cores[place];
        order->cores[place] = core;
        rename_core(w, names, core, place);
        try_orders(r, w, names, order, place + 1, best_bytes);
        order->cores[place] = order->cores[i];
        order->cores[i] = core;
    }
}

static void rename_cores(exp_renamer *r, world *w, exp_renaming *names, size_t *best_bytes) {
    core_order order = {{0}, {0}};
    if (!r->may.cores) {
        names->keeps_controllers = true;
        try_names(r, w, names, best_bytes);
        return;
    }
    for (uint32_t c = 0; c < w->cores; c++) {
        order.signatures[c] = signature(r, w, names, c);
        uint32_t place = c;
        for (; place > 0 && order.signatures[order.cores[place - 1]] > order.signatures[c]; place--)
            order.cores[place] = order.cores[place - 1];
        order.cores[place] = c;
    }
    try_orders(r, w, names, &order, 0, best_bytes);
}

/* The blocks from `place` on in every order; then cores. */
static void rename_blocks(exp_renamer *r, world *w, exp_renaming *names, uint32_t place,
                          size_t *best_bytes) {
    if (place + 1 < w->blocks && r->may.blocks) {
        for (uint32_t i = place; i < w->blocks; i++) {
            const uint8_t moved = names->old_block[place];
            names->old_block[place] = names->old_block[i];
            names->old_block[i] = moved;
            rename_blocks(r, w, names, place + 1, best_bytes);
            names->old_block[i] = names->old_block[place];
            names->old_block[place] = moved;
        }
        return;
    }
    for (uint32_t b = 0; b < w->blocks; b++)
        names->block[names->old_block[b]] = (uint8_t)b;
    rename_cores(r, w, names, best_bytes);
}

void exp_renamer_pack(exp_renamer *r, world *w) {
    exp_renaming names = w->plain;
    size_t bytes = 0;
    rename_blocks(r, w, &names, 0, &bytes);
    memcpy(w->image, r->best, bytes);
    w->image_bytes = bytes;
}
