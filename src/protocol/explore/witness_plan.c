/* SPDX-License-Identifier: MIT */
/* What a witness asks of a test: see witness_plan.h. */
#include "protocol/explore/witness_plan.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum { FLUSH_DELAY = 100 };

static uint8_t kind_of(int32_t request) {
    return request == SL_LD        ? COL_LOAD
           : request == SL_FLUSH   ? COL_FLUSH
           : request == SL_ATOMIC  ? COL_SWAP
           : request == SL_ACQUIRE ? COL_FENCE
                                   : COL_STORE;
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

/* The first step from this one on that takes a transition of the controller. */
static uint32_t find_step(const exp_plan *p, const exp_track *t, uint32_t from) {
    const exp_witness *w = p->witness;
    while (from < w->count && !(w->steps[from].takes && w->steps[from].cell.machine == t->machine &&
                                w->steps[from].number == t->number))
        from++;
    return from;
}

bool exp_plan_open(exp_plan *p, const exp_witness *witness, uint32_t cores) {
    *p = (exp_plan){.witness = witness, .cores = cores, .blocks = 1, .rounds = 1};
    p->acts = calloc((size_t)witness->count + 1, sizeof *p->acts);
    p->tracks = calloc((size_t)witness->count + 1, sizeof *p->tracks);
    if (p->acts == NULL || p->tracks == NULL) {
        exp_plan_close(p);
        return false;
    }
    list_acts(p);
    for (uint32_t i = 0; i < p->witness->count; i++) {
        const exp_path_step *s = &p->witness->steps[i];
        if (s->takes && find_track(p, s->cell.machine, s->number) == NULL)
            p->tracks[p->track_count++] =
                (exp_track){.machine = s->cell.machine, .number = s->number};
    }
    return true;
}

void exp_plan_close(exp_plan *p) {
    free(p->acts);
    free(p->tracks);
    *p = (exp_plan){.witness = NULL};
}

/* ---- The program. */

static col_operation make_operation(uint8_t kind, uint32_t location, uint32_t value) {
    return (col_operation){.kind = kind,
                           .location = kind == COL_FENCE ? 0 : location,
                           .value = col_kinds[kind].writes ? value : 0,
                           .fence = kind == COL_FENCE ? COL_FULL_FENCE : 0};
}

static void add(col_program *program, uint32_t *next, uint8_t kind, uint32_t location,
                uint32_t value) {
    program->operations[(*next)++] = make_operation(kind, location, value);
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
    const uint32_t flushes = p->rounds_are == EXP_FLUSHED ? 1 + p->blocks : 0; /* with a delay */
    for (uint32_t c = 0; c < p->cores; c++)
        lengths[c] = (p->rounds - 1) * flushes;
    for (uint32_t i = 0; i < p->rounds * p->count; i++)
        lengths[p->acts[i % p->count].core] += delays[i] > 0 ? 2 : 1;
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
    if (t == NULL || t->step == p->witness->count)
        return;
    const exp_cell *next = &p->witness->steps[t->step].cell;
    const bool is_next = next->state == event->state && next->event == event->event;
    if (is_next)
        t->step = find_step(p, t, t->step + 1);
    t->has_left = t->has_left || !is_next;
    t->taken += is_next;
    t->prefix += !t->has_left;
}

static col_observer watch(exp_plan *p) {
    for (uint32_t t = 0; t < p->track_count; t++) {
        p->tracks[t].step = find_step(p, &p->tracks[t], 0);
        p->tracks[t].taken = p->tracks[t].prefix = 0;
        p->tracks[t].has_left = false;
    }
    return (col_observer){.context = p, .notice = notice, .kinds = 1U << COL_TRANSITION};
}

/* Transitions in order count; those without others in between count three times. */
static uint32_t progress_of(const exp_plan *p) {
    uint32_t sum = 0;
    for (uint32_t t = 0; t < p->track_count; t++)
        sum += p->tracks[t].taken + 2 * p->tracks[t].prefix;
    return sum;
}

/* Runs that try out a test. */

const exp_network exp_own_network = {
    .number = -1, .latency = SIM_AS_OTHERS, .jitter = SIM_AS_OTHERS};

bool exp_network_is_own(const exp_network *n) {
    return n->latency == SIM_AS_OTHERS && n->jitter == SIM_AS_OTHERS;
}

bool exp_runner_is_over(const exp_runner *r) {
    return (r->aims->most_runs != 0 && r->runs >= r->aims->most_runs) ||
           base_is_stopped(r->aims->stop);
}

static void set_cycles(uint32_t *cycles, uint32_t wanted) {
    if (wanted != SIM_AS_OTHERS)
        *cycles = wanted;
}

void exp_runner_wire(exp_runner *r, const exp_network *n) {
    sim_wiring *w = &r->system->wiring;
    w->network_latency = r->own->network_latency;
    w->jitter = r->own->jitter;
    memcpy(w->virtual_networks, r->own->virtual_networks, sizeof w->virtual_networks);
    set_cycles(n->number < 0 ? &w->network_latency : &w->virtual_networks[n->number].latency,
               n->latency);
    set_cycles(n->number < 0 ? &w->jitter : &w->virtual_networks[n->number].jitter, n->jitter);
}

/* How often the controllers have taken the transition, in all runs. */
static uint64_t times_taken(const exp_runner *r, const exp_cell *cell) {
    const sl_machine *m = r->system->protocol->machines[cell->machine];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->system->base.controller_count; i++)
        if (r->system->controllers[i]->machine == m)
            sum += r->system->controllers[i]->counts[cell->state * m->event_count + cell->event];
    return sum;
}

/* With each of the seeds; notes how many of them take each cell. A plan is followed if it has one
 * round. */
static col_status run_seeds(exp_runner *r, exp_open_cells *cells, const col_program *program,
                            exp_plan *plan, uint64_t first, uint32_t seeds, uint32_t *progress,
                            col_problem *problem) {
    const bool is_watched = plan != NULL && plan->rounds == 1;
    for (uint32_t i = 0; i < cells->count; i++) {
        cells->list[i].before = times_taken(r, &cells->list[i].cell);
        cells->list[i].hits = 0;
    }
    r->runs += seeds;
    for (uint32_t seed = 0; seed < seeds; seed++) {
        col_observer observer;
        sim_result run;
        if (is_watched)
            observer = watch(plan);
        const col_status status = sim_system_run(r->system, program, first + seed, false,
                                                 is_watched ? &observer : NULL, &run, problem);
        if (status != COL_OK)
            return status;
        for (uint32_t i = 0; i < cells->count; i++) {
            exp_open_cell *o = &cells->list[i];
            const uint64_t times = times_taken(r, &o->cell);
            o->hits += times > o->before;
            o->before = times;
        }
        if (is_watched)
            *progress += progress_of(plan);
    }
    return COL_OK;
}

col_status exp_runner_count(exp_runner *r, const col_program *program, exp_plan *plan,
                            uint64_t first, uint32_t seeds, exp_score *score,
                            col_problem *problem) {
    exp_open_cell one = {.cell = plan->witness->cell};
    *score = (exp_score){0};
    const col_status status = run_seeds(r, &(exp_open_cells){&one, 1}, program, plan, first, seeds,
                                        &score->progress, problem);
    score->hits = one.hits;
    return status;
}

/*
 * Tests by chance: see witness_plan.h. A program is a function of the generator's state, so that
 * state is all that has to be kept of it.
 */

enum {
    PROGRAM_SEEDS = 4, /* a program that takes a transition in more of them than the best so far */
                       /* is counted with all seeds */
    MOST_IDLE = 5000,  /* programs without anything better */
    MOST_RANDOM_BLOCKS = 3,
    LEAST_LENGTH = 8, /* of a thread */
    LENGTHS = 120,
    EIGHTHS = 8,
    DELAY_BITS = 9
};

/* ---- Drawing. */

static uint32_t below(base_rng *rng, uint32_t bound) {
    return (uint32_t)base_rng_below(rng, bound);
}

/* A quarter of the programs run on the design's own network, the others where messages overtake
 * each other: everywhere, or those of one virtual network are late. */
static exp_network draw_network(const exp_runner *r, base_rng *rng) {
    static const uint32_t jitters[] = {20, 60, 200}, latencies[] = {60, 250}, far[] = {200, 1000};
    const uint32_t style = below(rng, 4), number = below(rng, r->system->networks);
    exp_network n = exp_own_network;
    if (style == 0 || r->aims->keeps_network)
        return n;
    if (style == 1) {
        n.jitter = jitters[below(rng, 3)];
        return n;
    }
    n.number = (int32_t)number;
    if (style == 2)
        n.jitter = far[below(rng, 2)];
    else
        n.latency = latencies[below(rng, 2)];
    return n;
}

/* Kinds of accesses that the protocol takes and the caller wants, beside loads and stores. */
static uint32_t list_others(const exp_runner *r, uint8_t kinds[3]) {
    const sl_machine *m = r->system->cores[0].controller->machine;
    const uint32_t wanted = r->aims->accesses == 0 ? UINT32_MAX : r->aims->accesses;
    const bool acquires = sl_takes(m, SL_ACQUIRE);
    uint32_t count = 0;
    if ((wanted & EXP_FLUSHES) != 0 && sl_takes(m, SL_FLUSH))
        kinds[count++] = COL_FLUSH;
    if ((wanted & EXP_ATOMICS) != 0 && acquires)
        kinds[count++] = COL_SWAP;
    if ((wanted & EXP_ACQUIRES) != 0 && acquires)
        kinds[count++] = COL_FENCE;
    return count;
}

/* Shares of the operations, in eighths, and kinds beside loads and stores. */
typedef struct mixture {
    uint32_t delays, stores, others;
    uint8_t kinds[3];
    uint32_t kind_count;
} mixture;

static mixture draw_mixture(const exp_runner *r, base_rng *rng) {
    const uint32_t wanted = r->aims->accesses;
    mixture m = {.delays = 2 * below(rng, 4),
                 .stores = 1 + below(rng, EIGHTHS - 1),
                 .others = below(rng, 4)};
    m.kind_count = list_others(r, m.kinds);
    if (wanted != 0 && (wanted & EXP_LOADS) == 0)
        m.stores = EIGHTHS;
    if (wanted != 0 && (wanted & EXP_STORES) == 0)
        m.stores = 0;
    return m;
}

static col_operation draw_operation(const mixture *m, uint32_t blocks, uint32_t value,
                                    base_rng *rng) {
    const bool is_delay = below(rng, EIGHTHS) < m->delays;
    const bool is_other = below(rng, EIGHTHS) < m->others && m->kind_count > 0;
    const bool is_store = below(rng, EIGHTHS) < m->stores;
    const uint32_t block = below(rng, blocks);
    if (is_delay) /* short ones are as likely as long ones */
        return (col_operation){.kind = COL_DELAY,
                               .location = 1 + below(rng, 2U << below(rng, DELAY_BITS))};
    const uint8_t kind = is_other   ? m->kinds[below(rng, m->kind_count)]
                         : is_store ? COL_STORE
                                    : COL_LOAD;
    return make_operation(kind, block, value);
}

/* Few blocks, so that threads meet; several, so that caches replace them. */
static col_status draw_program(const exp_runner *r, base_rng *rng, col_program *program,
                               col_problem *problem) {
    uint32_t lengths[EXP_MOST_CORES];
    const uint32_t cores = r->system->wiring.cores, length = LEAST_LENGTH + below(rng, LENGTHS);
    const uint32_t blocks = 1 + below(rng, MOST_RANDOM_BLOCKS);
    const mixture m = draw_mixture(r, rng);
    for (uint32_t c = 0; c < cores; c++)
        lengths[c] = length;
    const col_status status = col_program_shape(program, cores, lengths, blocks, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t b = 0; b < blocks; b++)
        program->addresses[b] = exp_block_address(b);
    for (uint32_t i = 0; i < cores * length; i++)
        program->operations[i] = draw_operation(&m, blocks, i + 1, rng);
    return COL_OK;
}

/* ---- Trying. */

/* The design's network is better than any other, and that than none. */
enum { ON_NONE, ON_OTHER, ON_OWN };

static uint32_t rank_of(uint32_t hits, const exp_network *network) {
    return hits == 0 ? ON_NONE : exp_network_is_own(network) ? ON_OWN : ON_OTHER;
}

/* Is the program, after its first seeds, worth all of them for some cell? Notes for which. */
static bool are_promising(exp_open_cells *cells, const exp_network *network) {
    bool some = false;
    for (uint32_t i = 0; i < cells->count; i++) {
        exp_open_cell *o = &cells->list[i];
        const uint32_t best = rank_of(o->emission.hits, &o->emission.network);
        const uint32_t rank = rank_of(o->hits, network);
        o->is_promising = rank > best || (rank == best && o->hits > o->promise);
        o->first_hits = o->hits;
        some = some || o->is_promising;
    }
    return some;
}

/* After all seeds: keeps the program for the cells that it is better for than the best so far.
 * `rng` is what it was drawn with. Is there such a cell? */
static bool keep(exp_open_cells *cells, const base_rng *rng, const exp_network *network) {
    bool some = false;
    for (uint32_t i = 0; i < cells->count; i++) {
        exp_open_cell *o = &cells->list[i];
        exp_emission *best = &o->emission;
        if (!o->is_promising || o->hits == 0)
            continue;
        const uint32_t best_rank = rank_of(best->hits, &best->network);
        o->promise = o->first_hits;
        if (rank_of(o->hits, network) == best_rank && o->hits <= best->hits)
            continue;
        o->rng = *rng;
        best->hits = o->hits;
        best->network = *network;
        best->is_random = some = true;
    }
    return some;
}

static bool are_settled(const exp_open_cells *cells) {
    for (uint32_t i = 0; i < cells->count; i++) {
        const exp_open_cell *o = &cells->list[i];
        if (rank_of(o->promise, &o->emission.network) < ON_OWN || o->promise < PROGRAM_SEEDS)
            return false;
    }
    return true;
}

static col_status write_programs(const exp_runner *r, exp_open_cells *cells, col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; status == COL_OK && i < cells->count; i++) {
        exp_open_cell *o = &cells->list[i];
        if (!o->emission.is_random)
            continue;
        base_rng rng = o->rng;
        (void)draw_network(r, &rng);
        status = draw_program(r, &rng, &o->emission.program, problem);
    }
    return status;
}

col_status exp_emit_random(exp_runner *r, exp_open_cells *cells, col_problem *problem) {
    col_program program = COL_PROGRAM_EMPTY;
    col_status status = COL_OK;
    base_rng rng;
    base_rng_seed(&rng, r->aims->seed, 1);
    for (uint32_t i = 0, idle = 0;
         status == COL_OK && i < r->aims->random_programs && idle < MOST_IDLE &&
         !are_settled(cells) && !exp_runner_is_over(r);
         i++) {
        idle++;
        const base_rng first = rng;
        const exp_network network = draw_network(r, &rng);
        exp_runner_wire(r, &network);
        status = draw_program(r, &rng, &program, problem);
        if (status == COL_OK)
            status = run_seeds(r, cells, &program, NULL, EXP_FIRST_TRIAL_SEED, PROGRAM_SEEDS, NULL,
                               problem);
        if (status != COL_OK || !are_promising(cells, &network))
            continue;
        status = run_seeds(r, cells, &program, NULL, 1, EXP_EMISSION_SEEDS, NULL, problem);
        if (status == COL_OK && keep(cells, &first, &network))
            idle = 0;
    }
    if (status == COL_OK)
        status = write_programs(r, cells, problem);
    col_program_free(&program);
    return status;
}
