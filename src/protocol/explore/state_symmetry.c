/* SPDX-License-Identifier: MIT */
/*
 * Renaming: see state_symmetry.h. If there are few renamings, all are compared, part by part, until
 * one is left; a step touches one controller, so parts of the others are written once for each
 * state that steps start from. If there are many, blocks are tried in every order, and cores are
 * sorted by what they hold, themselves apart from all others; only cores that agree in that are
 * tried in every order.
 */
#include "protocol/explore/state_symmetry.h"

#include "base/hash.h"
#include "protocol/explore/state_table.h"

#include <stdio.h>
#include <string.h>

enum { SEEN = 1 << 12, MEMORY = 1, FRESH_PARTS = 2 };

/* ---- All orders of blocks and cores. */

typedef struct orders {
    exp_renamer *renamer;
    world *world;
    void (*visit)(struct orders *all, const exp_renaming *names);
    bool by_signature; /* only of cores that have the same */
    size_t best_bytes;
    uint64_t signatures[EXP_MOST_CORES];
    uint32_t cores[EXP_MOST_CORES]; /* in their order, so far */
} orders;

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

/* Cores that have no new number yet, in order of their signatures; equal ones in every order. */
static void order_cores(orders *all, exp_renaming *names, uint32_t place) {
    const world *w = all->world;
    if (place == w->cores) {
        names->keeps_controllers = true;
        for (uint32_t c = 0; c < w->cores; c++)
            names->keeps_controllers = names->keeps_controllers && names->core[c] == c;
        all->visit(all, names);
        return;
    }
    for (uint32_t i = place; i < w->cores; i++) {
        const uint32_t core = all->cores[i];
        if (all->signatures[core] != all->signatures[all->cores[place]])
            break;
        all->cores[i] = all->cores[place];
        all->cores[place] = core;
        rename_core(w, names, core, place);
        order_cores(all, names, place + 1);
        all->cores[place] = all->cores[i];
        all->cores[i] = core;
    }
}

static void begin_cores(orders *all, exp_renaming *names) {
    const world *w = all->world;
    if (!all->renamer->may.cores) {
        names->keeps_controllers = true;
        all->visit(all, names);
        return;
    }
    for (uint32_t c = 0; c < w->cores; c++) {
        const uint64_t own = all->by_signature ? signature(all->renamer, all->world, names, c) : 0;
        uint32_t place = c;
        for (; place > 0 && all->signatures[all->cores[place - 1]] > own; place--)
            all->cores[place] = all->cores[place - 1];
        all->cores[place] = c;
        all->signatures[c] = own;
    }
    order_cores(all, names, 0);
}

/* The blocks from `place` on in every order; then cores. (A world has at most EXP_MOST_BLOCKS,
 * which gcc 14 cannot know when it unrolls the recursion.) */
static void order_blocks(orders *all, exp_renaming *names, uint32_t place) {
    const world *w = all->world;
    if (place + 1 < w->blocks && place + 1 < EXP_MOST_BLOCKS && all->renamer->may.blocks) {
        for (uint32_t i = place; i < w->blocks; i++) {
            const uint8_t moved = names->old_block[place];
            names->old_block[place] = names->old_block[i];
            names->old_block[i] = moved;
            order_blocks(all, names, place + 1);
            names->old_block[i] = names->old_block[place];
            names->old_block[place] = moved;
        }
        return;
    }
    for (uint32_t b = 0; b < w->blocks; b++)
        names->block[names->old_block[b]] = (uint8_t)b;
    begin_cores(all, names);
}

/* ---- Opening. */

static void list_names(orders *all, const exp_renaming *names) {
    all->renamer->names[all->renamer->count++] = *names;
}

static uint32_t factorial(uint32_t n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

void exp_renamer_open(exp_renamer *r, world *w, const exp_symmetry *may, bool is_exact) {
    sl_system *base = &w->system->base;
    const uint32_t count =
        (may->cores ? factorial(w->cores) : 1) * (may->blocks ? factorial(w->blocks) : 1);
    *r = (exp_renamer){.may = *may};
    r->candidate = sim_grow(base, NULL, w->image_capacity);
    r->best = sim_grow(base, NULL, w->image_capacity);
    r->scratch = sim_grow(base, NULL, w->image_capacity);
    r->seen = is_exact ? NULL : sim_grow(base, NULL, SEEN * sizeof *r->seen);
    if (count > EXP_FEW)
        return;
    r->names = sim_grow(base, NULL, count * sizeof *r->names);
    r->segments =
        sim_grow(base, NULL, (size_t)count * (base->controller_count + 1) * sizeof *r->segments);
    r->flights = sim_grow(base, NULL, (size_t)count * MOST_FLIGHTS * sizeof *r->flights);
    r->fresh = sim_grow(base, NULL, (size_t)count * FRESH_PARTS * sizeof *r->fresh);
    r->store = sim_grow(base, NULL, count * w->image_capacity);
    r->fresh_store = sim_grow(base, NULL, count * w->image_capacity);
    exp_renaming names = w->plain;
    orders all = {.renamer = r, .world = w, .visit = list_names};
    order_blocks(&all, &names, 0);
}

uint32_t exp_renaming_pack(const exp_renaming *names, uint32_t cores, uint32_t blocks) {
    uint32_t packed = 0;
    for (uint32_t c = 0; c < cores; c++)
        packed |= (uint32_t)names->core[c] << 3 * c;
    for (uint32_t b = 0; b < blocks; b++)
        packed |= (uint32_t)names->block[b] << (3 * EXP_MOST_CORES + 2 * b);
    return packed;
}

uint64_t exp_renamer_knows(exp_renamer *r, uint64_t hash) {
    if (r->seen == NULL)
        return 0;
    r->last = &r->seen[hash % SEEN];
    if (r->last->from == hash)
        return r->last->to;
    *r->last = (exp_renamed){.from = hash};
    return 0;
}

void exp_renamer_learn(exp_renamer *r, uint64_t hash) {
    if (r->seen != NULL)
        r->last->to = hash;
}

void exp_renamer_forget(exp_renamer *r) {
    if (r->seen != NULL)
        memset(r->seen, 0, SEEN * sizeof *r->seen);
}

/* ---- Many renamings. */

static int compare(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes) {
    return a_bytes != b_bytes ? (a_bytes < b_bytes ? -1 : 1) : memcmp(a, b, a_bytes);
}

static void try_names(orders *all, const exp_renaming *names) {
    exp_renamer *r = all->renamer;
    const size_t bytes = exp_world_pack_renamed(all->world, names, r->candidate);
    if (all->best_bytes != 0 && compare(r->candidate, bytes, r->best, all->best_bytes) >= 0)
        return;
    uint8_t *smaller = r->candidate;
    r->candidate = r->best;
    r->best = smaller;
    r->renaming = exp_renaming_pack(names, all->world->cores, all->world->blocks);
    all->best_bytes = bytes;
    memcpy(r->places, all->world->places, sizeof r->places);
}

static void pack_sorted(exp_renamer *r, world *w) {
    exp_renaming names = w->plain;
    orders all = {.renamer = r, .world = w, .visit = try_names, .by_signature = true};
    order_blocks(&all, &names, 0);
    memcpy(w->image, r->best, all.best_bytes);
    w->image_bytes = all.best_bytes;
    memcpy(w->places, r->places, sizeof r->places);
}

/* ---- Few renamings. */

/* A place for what is written under a renaming; true: it is there already. */
static bool is_kept(exp_kept *kept, uint64_t stamp) {
    const bool is_there = kept->stamp == stamp;
    kept->stamp = stamp;
    return is_there;
}

static void keep(exp_kept *kept, const uint8_t *start, const uint8_t *end, size_t *used) {
    kept->bytes = start;
    kept->count = (uint32_t)(end - start);
    *used += kept->count;
}

/* What is at the place of a controller, or of memory after the last, under a renaming. */
static const exp_kept *segment(exp_renamer *r, world *w, uint32_t n, uint32_t place) {
    const uint32_t controllers = w->system->base.controller_count;
    const bool is_memory = place == controllers;
    const uint32_t old = is_memory ? controllers : r->names[n].old_controller[place];
    const bool is_fresh = is_memory ? w->memory_touched : old == w->touched;
    exp_kept *kept = is_fresh ? &r->fresh[n * FRESH_PARTS + is_memory]
                              : &r->segments[n * (controllers + 1) + place];
    if (is_kept(kept, is_fresh ? r->call : w->origin_number))
        return kept;
    size_t *used = is_fresh ? &r->fresh_used : &r->used;
    uint8_t *start = (is_fresh ? r->fresh_store : r->store) + *used;
    keep(kept, start, exp_world_put_controller(w, &r->names[n], old, start), used);
    return kept;
}

/* The messages under way under a renaming, written at `out`. */
static uint8_t *put_flights(exp_renamer *r, world *w, uint32_t n, uint8_t *out) {
    flight list[MOST_FLIGHTS];
    size_t used = r->fresh_used;
    for (uint32_t i = 0; i < w->flight_count; i++) {
        flight *f = &list[i];
        *f = w->flights[i];
        exp_kept fresh, *kept = &fresh;
        const bool is_fresh = f->held == NOBODY;
        if (!is_fresh)
            kept = &r->flights[n * MOST_FLIGHTS + f->held];
        if (is_fresh || !is_kept(kept, w->origin_number)) {
            uint8_t *start = is_fresh ? r->fresh_store + used : r->store + r->used;
            keep(kept, start, exp_world_put_flight(w, &r->names[n], f, start),
                 is_fresh ? &used : &r->used);
        }
        f->image = kept->bytes;
        f->bytes = kept->count;
    }
    return exp_world_put_sorted(w, list, w->flight_count, out);
}

/* As search_state.c has it, from what was encoded once for all renamings. */
static uint8_t *put_knowledge(const exp_renamer *r, const world *w, uint32_t n, uint8_t *out) {
    const exp_renaming *names = &r->names[n];
    for (uint32_t b = 0; b < w->blocks; b++) {
        const uint32_t old = names->old_block[b];
        *out++ = w->of_cores.current[old];
        for (uint32_t c = 0; c < w->cores; c++, out += 2)
            memcpy(out, r->codes[names->old_core[c]][old], 2);
    }
    for (uint32_t c = 0; c < w->cores && w->remembers; c++)
        out = exp_world_put_begun(w, names, names->old_core[c], out);
    return out;
}

/* Of the renamings in `left` those stay that have the smallest of something; how many. */
typedef struct contest {
    uint32_t left[EXP_FEW];
    uint32_t count;
} contest;

/* Those stay whose part is the smallest; `parts` are theirs, in their order. */
static void keep_smallest(contest *c, const exp_kept *parts) {
    uint32_t kept = 0;
    const exp_kept *best = parts;
    for (uint32_t i = 0; i < c->count; i++) {
        const int order = compare(parts[i].bytes, parts[i].count, best->bytes, best->count);
        if (order > 0)
            continue;
        if (order < 0)
            kept = 0;
        best = &parts[i];
        c->left[kept++] = c->left[i];
    }
    c->count = kept;
}

static void contest_segment(exp_renamer *r, world *w, contest *c, uint32_t place) {
    exp_kept parts[EXP_FEW];
    for (uint32_t i = 0; i < c->count; i++)
        parts[i] = *segment(r, w, c->left[i], place);
    keep_smallest(c, parts);
}

static void contest_knowledge(exp_renamer *r, const world *w, contest *c) {
    uint8_t rooms[EXP_FEW][EXP_KNOWLEDGE_BYTES];
    exp_kept parts[EXP_FEW];
    for (uint32_t i = 0; i < c->count; i++) {
        const uint8_t *end = put_knowledge(r, w, c->left[i], rooms[i]);
        parts[i] = (exp_kept){.bytes = rooms[i], .count = (uint32_t)(end - rooms[i])};
    }
    keep_smallest(c, parts);
}

/* The last contest: who is left has the same image. */
static void contest_flights(exp_renamer *r, world *w, contest *c) {
    size_t best_bytes = (size_t)(put_flights(r, w, c->left[0], r->best) - r->best);
    uint32_t best = c->left[0];
    for (uint32_t i = 1; i < c->count; i++) {
        const size_t bytes = (size_t)(put_flights(r, w, c->left[i], r->candidate) - r->candidate);
        if (compare(r->candidate, bytes, r->best, best_bytes) >= 0)
            continue;
        uint8_t *smaller = r->candidate;
        r->candidate = r->best;
        r->best = smaller;
        best_bytes = bytes;
        best = c->left[i];
    }
    c->left[0] = best;
    c->count = 1;
}

static void write(exp_renamer *r, world *w, uint32_t n) {
    uint8_t *out = w->image;
    for (uint32_t i = 0; i <= w->system->base.controller_count; i++) {
        const exp_kept *part = segment(r, w, n, i);
        memcpy(out, part->bytes, part->count);
        out += part->count;
    }
    out = put_flights(r, w, n, out);
    out = put_knowledge(r, w, n, out);
    w->image_bytes = (size_t)(out - w->image);
    r->renaming = exp_renaming_pack(&r->names[n], w->cores, w->blocks);
}

static void pack_smallest(exp_renamer *r, world *w) {
    const uint32_t parts = w->system->base.controller_count + 1;
    contest c = {.count = r->count};
    for (uint32_t i = 0; i < r->count; i++)
        c.left[i] = i;
    if (r->origin != w->origin_number)
        r->used = 0;
    r->origin = w->origin_number;
    r->call++;
    r->fresh_used = 0;
    for (uint32_t core = 0; core < w->cores; core++)
        for (uint32_t b = 0; b < w->blocks; b++)
            (void)exp_world_put_core(w, core, b, r->codes[core][b]);
    if (c.count > 1)
        contest_knowledge(r, w, &c);
    for (uint32_t i = 0; i < parts && c.count > 1; i++)
        contest_segment(r, w, &c, i);
    if (c.count > 1)
        contest_flights(r, w, &c);
    write(r, w, c.left[0]);
}

void exp_renamer_pack(exp_renamer *r, world *w) {
    if (r->names == NULL)
        pack_sorted(r, w);
    else
        pack_smallest(r, w);
}

/* What a system treats alike. */

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
