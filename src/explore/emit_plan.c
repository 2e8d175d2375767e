/* SPDX-License-Identifier: MIT */
/* What a witness asks of a test: see emit_plan.h. */
#include "explore/emit_plan.h"

#include <stdlib.h>
#include <string.h>

enum { FLUSH_DELAY = 100 };

static uint8_t kind_of(int32_t request) {
    switch (request) {
    case SL_LD:
        return COL_LOAD;
    case SL_FLUSH:
        return COL_FLUSH;
    case SL_ATOMIC:
        return COL_SWAP;
    case SL_ACQUIRE:
        return COL_FENCE;
    default:
        return COL_STORE;
    }
}

/* ---- Acts. */

/* An access that was refused is the same as the core's next one, if that is to the same block: a
 * core of the simulator repeats it by itself. NULL: there is no such act. */
static exp_act *find_begun(exp_plan *p, const exp_path_step *s, uint32_t block) {
    for (uint32_t i = p->count; i > 0; i--) {
        exp_act *act = &p->acts[i - 1];
        if (act->core == s->core)
            return act->block == block && p->witness->steps[act->step].is_refused ? act : NULL;
    }
    return NULL;
}

/* Is an access of the core under way when the step comes? */
static bool is_busy(const exp_plan *p, uint32_t core, uint32_t step) {
    for (uint32_t i = 0; i < p->count; i++) {
        const exp_path_step *s = &p->witness->steps[p->acts[i].step];
        if (s->core == core && s->ends > step)
            return true;
    }
    return false;
}

static void list_acts(exp_plan *p) {
    for (uint32_t i = 0; i < p->witness->count; i++) {
        const exp_path_step *s = &p->witness->steps[i];
        const bool has_block = s->request != SL_ACQUIRE;
        if (s->kind != EXP_ACCESS)
            continue;
        const uint32_t block = has_block ? (uint32_t)(s->block / exp_block_address(0)) - 1 : 0;
        exp_act *begun = find_begun(p, s, block);
        if (begun != NULL) {
            begun->kind = kind_of(s->request);
            continue;
        }
        p->acts[p->count++] = (exp_act){.core = s->core,
                                        .block = block,
                                        .kind = kind_of(s->request),
                                        .step = i,
                                        .follows_soon = is_busy(p, s->core, i)};
        if (block >= p->blocks)
            p->blocks = block + 1;
    }
}

/* ---- Tracks. */

static exp_track *find_track(const exp_plan *p, uint32_t machine, uint32_t number) {
    for (uint32_t t = 0; t < p->track_count; t++)
        if (p->tracks[t].machine == machine && p->tracks[t].number == number)
            return &p->tracks[t];
    return NULL;
}

/* Counts first, then gives each its part of the cells, and fills it. */
static void list_tracks(exp_plan *p) {
    const exp_witness *w = p->witness;
    uint32_t used = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const exp_path_step *s = &w->steps[i];
        exp_track *t = s->takes ? find_track(p, s->cell.machine, s->number) : NULL;
        if (s->takes && t == NULL) {
            t = &p->tracks[p->track_count++];
            *t = (exp_track){.machine = s->cell.machine, .number = s->number};
        }
        if (s->takes)
            t->count++;
    }
    for (uint32_t t = 0; t < p->track_count; t++) {
        p->tracks[t].cells = &p->cells[used];
        used += p->tracks[t].count;
        p->tracks[t].count = 0;
    }
    for (uint32_t i = 0; i < w->count; i++) {
        const exp_path_step *s = &w->steps[i];
        exp_track *t = s->takes ? find_track(p, s->cell.machine, s->number) : NULL;
        if (t != NULL)
            t->cells[t->count++] = &s->cell;
    }
}

bool exp_plan_open(exp_plan *p, const exp_witness *witness, uint32_t cores) {
    *p = (exp_plan){.witness = witness, .cores = cores, .blocks = 1, .rounds = 1};
    p->acts = calloc((size_t)witness->count + 1, sizeof *p->acts);
    p->tracks = calloc((size_t)witness->count + 1, sizeof *p->tracks);
    p->cells = calloc((size_t)witness->count + 1, sizeof(exp_cell *));
    if (p->acts == NULL || p->tracks == NULL || p->cells == NULL) {
        exp_plan_close(p);
        return false;
    }
    list_acts(p);
    list_tracks(p);
    return true;
}

void exp_plan_close(exp_plan *p) {
    free(p->acts);
    free(p->tracks);
    free(p->cells);
    *p = (exp_plan){.witness = NULL};
}

/* ---- The program. */

static void count_operations(const exp_plan *p, const uint32_t *delays, uint32_t *lengths) {
    const uint32_t flushes = p->rounds_are == EXP_FLUSHED ? 1 + p->blocks : 0; /* with a delay */
    for (uint32_t c = 0; c < p->cores; c++)
        lengths[c] = (p->rounds - 1) * flushes;
    for (uint32_t i = 0; i < p->rounds * p->count; i++)
        lengths[p->acts[i % p->count].core] += delays[i] > 0 ? 2 : 1;
}

static void add(col_program *program, uint32_t *next, uint8_t kind, uint32_t location,
                uint32_t value) {
    program->operations[(*next)++] =
        (col_operation){.kind = kind,
                        .location = kind == COL_FENCE ? 0 : location,
                        .value = col_kinds[kind].writes ? value : 0,
                        .fence = kind == COL_FENCE ? COL_FULL_FENCE : 0};
}

static void add_round(const exp_plan *p, const uint32_t *delays, uint32_t round,
                      col_program *program, uint32_t *next) {
    const uint32_t first = p->rounds_are == EXP_FRESH ? round * p->blocks : 0;
    for (uint32_t c = 0; c < p->cores && p->rounds_are == EXP_FLUSHED && round > 0; c++) {
        add(program, &next[c], COL_DELAY, FLUSH_DELAY, 0);
        for (uint32_t b = 0; b < p->blocks; b++)
            add(program, &next[c], COL_FLUSH, b, 0);
    }
    for (uint32_t i = 0; i < p->count; i++) {
        const exp_act *act = &p->acts[i];
        const uint32_t delay = delays[round * p->count + i];
        if (delay > 0)
            add(program, &next[act->core], COL_DELAY, delay, 0);
        add(program, &next[act->core], act->kind, first + act->block, round * p->count + i + 1);
    }
}

col_status exp_plan_write(const exp_plan *p, const uint32_t *delays, col_program *program,
                          col_problem *problem) {
    uint32_t lengths[EXP_MOST_CORES], next[EXP_MOST_CORES];
    count_operations(p, delays, lengths);
    const uint32_t locations = p->rounds_are == EXP_FRESH ? p->rounds * p->blocks : p->blocks;
    const col_status status = col_program_shape(program, p->cores, lengths, locations, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t l = 0; l < locations; l++)
        program->addresses[l] = exp_block_address(l);
    memcpy(next, program->thread_start, p->cores * sizeof *next);
    for (uint32_t round = 0; round < p->rounds; round++)
        add_round(p, delays, round, program, next);
    return COL_OK;
}

void exp_plan_guess(const exp_plan *p, uint32_t cycles, uint32_t *delays) {
    uint32_t ended[EXP_MOST_CORES] = {0};
    for (uint32_t i = 0; i < p->count; i++) {
        const exp_path_step *s = &p->witness->steps[p->acts[i].step];
        const uint32_t step = p->acts[i].step;
        delays[i] = p->acts[i].follows_soon || step <= ended[s->core]
                        ? 0
                        : (step - ended[s->core]) * cycles;
        ended[s->core] = s->ends == EXP_NOT_ENDED ? step : s->ends;
    }
}

/* ---- How far a run comes. */

static void notice(void *context, const col_event *event) {
    const exp_plan *p = context;
    exp_track *t = find_track(p, event->machine, event->controller);
    if (t == NULL || t->next == t->count)
        return;
    const bool is_next =
        t->cells[t->next]->state == event->state && t->cells[t->next]->event == event->event;
    t->has_left = t->has_left || !is_next;
    t->next += is_next;
    t->prefix += !t->has_left;
}

col_observer exp_plan_watch(exp_plan *p) {
    for (uint32_t t = 0; t < p->track_count; t++) {
        p->tracks[t].next = p->tracks[t].prefix = 0;
        p->tracks[t].has_left = false;
    }
    return (col_observer){.context = p, .notice = notice, .kinds = 1U << COL_TRANSITION};
}

/* Transitions in order count; those without others in between count three times. */
uint32_t exp_plan_progress(const exp_plan *p) {
    uint32_t sum = 0;
    for (uint32_t t = 0; t < p->track_count; t++)
        sum += p->tracks[t].next + 2 * p->tracks[t].prefix;
    return sum;
}
