/* SPDX-License-Identifier: MIT */
/*
 * Finding out what a failure is about: the axiom that broke, the step of the cycle that should not
 * have happened, and the blocks whose story explains it. A cycle orders operations in a way that
 * time cannot: at least one of its steps leads back in time. That one is the mistake; the others
 * are what everybody expects.
 */
#include "episode/story/story.h"
#include "judge/violation.h"

#include <stdio.h>

/* A conditional that failed does not. */
static bool writes(const epi_story *s, uint32_t operation) {
    return col_kinds[epi_operation(s, operation)->kind].writes && !s->done[operation].is_load;
}

uint64_t epi_returned(const epi_story *s, uint32_t operation) {
    const epi_done *done = &s->done[operation];
    return writes(s, operation) ? done->read : done->word;
}

/* ---- Who wrote what. */

uint32_t epi_writer_of(const epi_story *s, uint32_t location, uint64_t word) {
    const uint32_t count = col_program_operations(s->program);
    for (uint32_t i = 0; i < count && word != 0; i++) {
        const col_operation *o = epi_operation(s, i);
        if (!writes(s, i) || o->location != location)
            continue;
        /* A core reads its own stores before they perform. */
        if (s->done[i].number > 0
                ? s->done[i].word == word
                : o->kind != COL_ADD && col_program_operand(s->program, o) == word)
            return i;
    }
    return COL_INITIAL;
}

uint32_t epi_replacer_of(const epi_story *s, uint32_t location, uint64_t word) {
    const uint32_t count = col_program_operations(s->program);
    for (uint32_t i = 0; i < count; i++) {
        const col_operation *o = epi_operation(s, i);
        if (writes(s, i) && o->location == location && s->done[i].number > 0 &&
            s->done[i].overwritten == word)
            return i;
    }
    return COL_INITIAL;
}

uint32_t epi_newest_before(const epi_story *s, uint32_t location, uint64_t number) {
    uint32_t newest = COL_INITIAL;
    const uint32_t count = col_program_operations(s->program);
    for (uint32_t i = 0; i < count; i++) {
        const col_operation *o = epi_operation(s, i);
        const epi_done *done = &s->done[i];
        if (writes(s, i) && o->location == location && done->number > 0 && done->number < number &&
            (newest == COL_INITIAL || done->number > s->done[newest].number))
            newest = i;
    }
    return newest;
}

bool epi_is_wrong(const epi_ending *ending, const epi_finding *f, uint32_t operation) {
    const col_violation *v = ending->violation;
    for (uint32_t i = 0; i < f->wrong_count; i++)
        if (v->mentions[v->steps[f->wrong[i]].from].operation == operation)
            return true;
    for (uint32_t i = 0; i < f->waiting_count; i++)
        if (f->waiting[i] == operation)
            return true;
    return f->lost == operation || f->outdated == operation;
}

/* ---- Axioms. */

static bool is_one_location(const epi_story *s, const col_violation *violation) {
    const col_operation *first = NULL;
    for (uint32_t m = 0; m < violation->mention_count; m++) {
        const col_operation *o = epi_operation(s, violation->mentions[m].operation);
        if (!chk_is_used(violation, m))
            continue;
        if (first != NULL && o->location != first->location)
            return false;
        first = o;
    }
    return first != NULL;
}

/* An atomic that replaced another value than it returned: a write came between. */
static bool is_atomicity(const epi_story *s, const col_violation *violation) {
    for (uint32_t m = 0; m < violation->mention_count; m++) {
        const uint32_t operation = violation->mentions[m].operation;
        const epi_done *done = &s->done[operation];
        if (chk_is_used(violation, m) && col_kinds[epi_operation(s, operation)->kind].reads &&
            writes(s, operation) && done->number > 0 && done->read != done->overwritten)
            return true;
    }
    return false;
}

/* Two writes that replaced one word. */
static bool is_fork(const epi_story *s, const col_violation *violation) {
    if (violation->step_count > 0 || violation->mention_count != 2)
        return false;
    const epi_done *one = &s->done[violation->mentions[0].operation];
    const epi_done *other = &s->done[violation->mentions[1].operation];
    return one->number > 0 && other->number > 0 && !one->is_load && !other->is_load &&
           one->overwritten == other->overwritten;
}

static bool is_from_nowhere(const epi_story *s, const col_violation *violation) {
    if (violation->mention_count != 1)
        return false;
    const uint32_t operation = violation->mentions[0].operation;
    const uint64_t word = col_kinds[epi_operation(s, operation)->kind].reads
                              ? epi_returned(s, operation)
                              : s->done[operation].overwritten;
    return s->done[operation].number > 0 && word != 0 &&
           epi_writer_of(s, epi_operation(s, operation)->location, word) == COL_INITIAL;
}

static void name_axiom(const epi_story *s, const epi_ending *ending, epi_finding *f) {
    const col_violation *v = ending->violation;
    const uint32_t place = v->step_count > 0 ? v->steps[0].from : 0;
    const uint32_t location =
        v->mention_count == 0 ? 0 : epi_operation(s, v->mentions[place].operation)->location;
    const bool is_one = !ending->is_cat && is_one_location(s, v);
    char *const axiom = f->axiom;
    enum { SIZE = sizeof f->axiom };
    if (ending->is_cat)
        (void)snprintf(axiom, SIZE, "%s.", v->reason);
    else if (is_one && is_atomicity(s, v))
        (void)snprintf(axiom, SIZE,
                       "Atomicity is broken: another write came between the read and the write of "
                       "an atomic to a%u.",
                       location);
    else if (is_one && is_fork(s, v))
        (void)snprintf(axiom, SIZE, "Coherence of a%u is broken: a write to it was lost.",
                       location);
    else if (is_one && v->step_count > 0)
        (void)snprintf(axiom, SIZE,
                       "Coherence of a%u is broken: no order of its accesses agrees with program "
                       "order (SC per location).",
                       location);
    else if (v->step_count > 0)
        (void)snprintf(axiom, SIZE, "%s is violated: no order of these accesses is allowed.",
                       ending->model);
    else if (is_from_nowhere(s, v))
        (void)snprintf(axiom, SIZE, "A value of a%u came from nowhere: no operation stored it.",
                       location);
    else
        (void)snprintf(axiom, SIZE, "What the design did does not fit the program: %s.", v->reason);
}

static void name_ending(const epi_ending *ending, epi_finding *f) {
    static const char *const headings[COL_OUTCOME_COUNT] = {
        [COL_PASS] = "Nothing went wrong",
        [COL_VIOLATION] = "An invariant is broken",
        [COL_PROTOCOL_WRONG] = "The protocol went wrong",
        [COL_DEADLOCKED] = "Deadlock",
        [COL_STARVED] = "Starvation",
        [COL_CRASHED] = "The design crashed",
    };
    const bool has_reason = ending->reason != NULL && ending->reason[0] != '\0';
    (void)snprintf(f->axiom, sizeof f->axiom, "%s%s%s.", headings[ending->outcome],
                   has_reason ? ": " : "", has_reason ? ending->reason : "");
}

/* ---- Scenes. */

static bool is_scene(const epi_finding *f, uint64_t block) {
    for (uint32_t i = 0; i < f->scene_count; i++)
        if (f->scenes[i].block == block)
            return true;
    return false;
}

static void add_scene(epi_finding *f, uint64_t block, uint64_t until, uint64_t cycle) {
    if (!is_scene(f, block) && f->scene_count < EPI_MOST_BLOCKS)
        f->scenes[f->scene_count++] = (epi_scene){block, until, cycle};
}

static void add_scene_of(const epi_story *s, epi_finding *f, uint32_t operation, uint64_t until,
                         uint64_t cycle) {
    const col_operation *o = epi_operation(s, operation);
    if (col_kinds[o->kind].located)
        add_scene(f, epi_story_block_of(s, o->location), until, cycle);
}

static void add_core_of(const epi_story *s, uint32_t operation, epi_cores *cores) {
    if (operation == COL_INITIAL)
        return;
    const uint32_t core = col_program_thread_of(s->program, operation);
    for (uint32_t i = 0; i < cores->count; i++)
        if (cores->cores[i] == core)
            return;
    if (cores->count < EPI_MOST_CORES)
        cores->cores[cores->count++] = core;
}

/* With many cores the block is of interest to others too, but not their doings to the reader: the
 * cores that matter are those of the cycle, and of who wrote and replaced what they saw. */
epi_cores epi_story_cores(const epi_story *s, const epi_ending *ending, uint64_t block) {
    const col_violation *v = ending->violation;
    epi_cores cores = {.count = 0};
    epi_finding f;
    if (s->is_hardware && v == NULL && ending->outcome == COL_PROTOCOL_WRONG) {
        epi_story_find(s, ending, &f);
        add_core_of(s, f.outdated, &cores);
        if (f.outdated != COL_INITIAL)
            add_core_of(s,
                        epi_replacer_of(s, epi_operation(s, f.outdated)->location,
                                        epi_returned(s, f.outdated)),
                        &cores);
        return cores;
    }
    if (s->wrong.kind == COL_PROTOCOL_ERROR)
        return cores;
    for (uint32_t m = 0; v != NULL && m < v->mention_count; m++) {
        const uint32_t operation = v->mentions[m].operation;
        const col_operation *o = epi_operation(s, operation);
        if (!col_kinds[o->kind].located || !chk_is_used(v, m) ||
            epi_story_block_of(s, o->location) != block)
            continue;
        add_core_of(s, operation, &cores);
        if (!col_kinds[o->kind].reads)
            continue;
        const uint64_t word = epi_returned(s, operation);
        add_core_of(s, epi_writer_of(s, o->location, word), &cores);
        add_core_of(s, epi_replacer_of(s, o->location, word), &cores);
        add_core_of(s, epi_newest_before(s, o->location, s->done[operation].number), &cores);
    }
    return cores;
}

/* ---- Points that were hit. A point does not say for which block. */

static bool is_of_cores(const epi_story *s, const epi_cores *cores, const epi_note *hit) {
    bool matters = cores->count == 0;
    for (uint32_t i = 0; i < cores->count; i++)
        matters = matters || cores->cores[i] == hit->controller;
    return matters && s->design->machines[hit->machine].is_private;
}

/* Those of the last cycles, the oldest first. */
static uint32_t last_hits(const epi_story *s, const epi_cores *cores, const epi_scene *scene,
                          const epi_note *hits[EPI_MOST_HITS]) {
    enum { CYCLES = 200 };
    const epi_note *found[EPI_MOST_HITS];
    uint32_t count = 0;
    if (s->design->shows == COL_SHOWS_READS && s->wrong.number == 0)
        return 0; /* when it went wrong is not known */
    for (uint64_t i = s->hit_count; i > 0 && s->hit_count - i < EPI_HITS && count < EPI_MOST_HITS;
         i--) {
        const epi_note *hit = &s->hits[(i - 1) % EPI_HITS];
        if (hit->cycle <= scene->cycle && hit->cycle + CYCLES >= scene->cycle &&
            is_of_cores(s, cores, hit))
            found[count++] = hit;
    }
    for (uint32_t i = 0; i < count; i++)
        hits[i] = found[count - 1 - i];
    return count;
}

/* Is the row among several that repeat together, and not the last of them? */
static bool goes_on(const epi_row *row) {
    return row->times > 1 && row->period == 0;
}

uint32_t epi_scene_rows(const epi_story *s, const epi_ending *ending, const epi_scene *scene,
                        bool (*shows)(const void *context, const epi_note *note),
                        const void *context, epi_row rows[EPI_SCENE_NOTES]) {
    const epi_block *block = epi_story_block(s, scene->block);
    const uint32_t kept = block == NULL ? 0 : epi_story_notes(block);
    const epi_cores cores = epi_story_cores(s, ending, scene->block);
    const epi_note *notes[EPI_NOTES], *hits[EPI_MOST_HITS];
    epi_row own[EPI_NOTES];
    uint32_t told = 0, count = 0, next = 0;
    for (uint32_t i = 0; i < kept; i++) {
        const epi_note *note = epi_story_note(block, i);
        if (epi_is_told(scene, note) && (shows == NULL || shows(context, note)))
            notes[told++] = note;
    }
    const uint32_t own_count = epi_fold_rows(notes, told, own);
    const uint32_t hit_count =
        own_count == 0 && block != NULL ? 0 : last_hits(s, &cores, scene, hits);
    for (uint32_t i = 0; i < own_count; i++) {
        while (next < hit_count && hits[next]->number < own[i].note->number &&
               (i == 0 || !goes_on(&own[i - 1])))
            rows[count++] = (epi_row){.note = hits[next++], .times = 1};
        rows[count++] = own[i];
    }
    while (next < hit_count)
        rows[count++] = (epi_row){.note = hits[next++], .times = 1};
    return count;
}

/* Stale reads first: they say the most. */
static void find_wrong(const epi_story *s, const col_violation *v, epi_finding *f) {
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < v->step_count && f->wrong_count < EPI_MOST_WRONG; i++) {
            const epi_done *from = &s->done[v->mentions[v->steps[i].from].operation];
            const epi_done *to = &s->done[v->mentions[v->steps[i].to].operation];
            const bool is_stale = v->steps[i].relation == COL_FROM_READ;
            if (from->number > to->number && to->number > 0 && is_stale == (pass == 0))
                f->wrong[f->wrong_count++] = i;
        }
}

static void find_violation(const epi_story *s, const epi_ending *ending, epi_finding *f) {
    const col_violation *v = ending->violation;
    name_axiom(s, ending, f);
    find_wrong(s, v, f);
    if (is_fork(s, v)) { /* the later one is wrong */
        const uint32_t one = v->mentions[0].operation, other = v->mentions[1].operation;
        f->lost = s->done[one].number > s->done[other].number ? one : other;
    }
    for (uint32_t i = 0; i < f->wrong_count; i++) {
        const col_step *step = &v->steps[f->wrong[i]];
        const uint32_t from = v->mentions[step->from].operation;
        const uint32_t to = v->mentions[step->to].operation;
        add_scene_of(s, f, from, s->done[from].number, s->done[from].cycle);
        add_scene_of(s, f, to, s->done[from].number, s->done[from].cycle);
    }
    for (uint32_t m = 0; m < v->mention_count; m++)
        if (chk_is_used(v, m))
            add_scene_of(s, f, v->mentions[m].operation, s->happened, s->cycle);
}

/* The first of each thread that has not performed. */
static bool waits(const epi_story *s, uint32_t thread, uint32_t *operation) {
    for (uint32_t i = s->program->thread_start[thread]; i < s->program->thread_start[thread + 1];
         i++) {
        const col_kind_traits *traits = &col_kinds[epi_operation(s, i)->kind];
        *operation = i;
        if ((traits->reads || traits->writes) && s->done[i].number == 0)
            return true;
    }
    return false;
}

static uint64_t waited_for(const epi_story *s, uint32_t operation) {
    return epi_story_block_of(s, epi_operation(s, operation)->location);
}

/* A fence and a hart that stands still are of none. */
static bool is_about_block(const epi_story *s, const epi_wait *w) {
    return w->operation < col_program_operations(s->program)
               ? col_kinds[epi_operation(s, w->operation)->kind].located
               : w->state != UINT32_MAX || w->block != 0;
}

static void find_waiting(const epi_story *s, epi_finding *f) {
    uint32_t operation;
    for (uint32_t t = 0; t < s->program->thread_count; t++) {
        if (!waits(s, t, &operation))
            continue;
        f->waiting_total++;
        if (f->waiting_count < EPI_MOST_WAITING)
            f->waiting[f->waiting_count++] = operation;
    }
    /* The block at the end of the waits comes first, then what most threads wait for. */
    for (uint32_t i = s->wait_count; i > 0 && f->scene_count == 0; i--)
        if (is_about_block(s, &s->waits[i - 1]))
            add_scene(f, s->waits[i - 1].block, s->happened, s->cycle);
    for (int scene = 0; scene < EPI_MOST_BLOCKS; scene++) {
        uint32_t most = 0;
        uint64_t best = 0;
        for (uint32_t i = 0; i < f->waiting_count; i++) {
            const uint64_t block = waited_for(s, f->waiting[i]);
            uint32_t count = 0;
            for (uint32_t t = 0; t < s->program->thread_count && !is_scene(f, block); t++)
                count += waits(s, t, &operation) && waited_for(s, operation) == block;
            best = count > most ? block : best;
            most = count > most ? count : most;
        }
        if (most > 0)
            add_scene(f, best, s->happened, s->cycle);
    }
}

/* Ports and taps complain of a load in the cycle of its answer, but by no event: it is the last one
 * that got a value which had been replaced before. */
static void find_outdated(const epi_story *s, epi_finding *f) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < col_program_operations(s->program); i++) {
        const col_kind_traits *traits = &col_kinds[epi_operation(s, i)->kind];
        const epi_done *done = &s->done[i];
        const epi_load *load = &s->loads[i];
        const bool waits = done->number == 0 && load->bound != UINT64_MAX;
        const uint64_t number = waits ? load->bound_number : done->number;
        const uint64_t cycle = waits ? load->bound : done->cycle;
        if (!traits->reads || number <= last || cycle + 1 < s->cycle)
            continue;
        const uint32_t replacer = epi_replacer_of(s, epi_operation(s, i)->location,
                                                  waits ? load->word : epi_returned(s, i));
        if (replacer == COL_INITIAL || replacer == i || s->done[replacer].number > number)
            continue;
        last = number;
        f->outdated = waits ? COL_INITIAL : i;
        f->scene_count = 0;
        add_scene_of(s, f, i, s->happened, s->cycle);
    }
}

void epi_story_find(const epi_story *s, const epi_ending *ending, epi_finding *f) {
    *f = (epi_finding){.lost = COL_INITIAL, .outdated = COL_INITIAL};
    if (ending->violation != NULL) {
        find_violation(s, ending, f);
        return;
    }
    name_ending(ending, f);
    if (ending->outcome == COL_DEADLOCKED || ending->outcome == COL_STARVED)
        find_waiting(s, f);
    else if (s->is_hardware && ending->outcome == COL_PROTOCOL_WRONG)
        find_outdated(s, f);
    else if (s->is_hardware)
        return;
    else if (s->wrong.number > 0)
        add_scene(f, s->wrong_block, s->happened, s->cycle);
    else if (ending->outcome == COL_CRASHED && s->happened > 0)
        add_scene(f, s->last_block, s->happened, s->cycle);
}

uint32_t epi_story_culprit(const epi_story *s, const epi_ending *ending) {
    epi_finding f;
    epi_story_find(s, ending, &f);
    if (f.outdated != COL_INITIAL)
        return f.outdated;
    if (f.lost != COL_INITIAL || f.wrong_count == 0)
        return f.lost;
    const col_step *step = &ending->violation->steps[f.wrong[0]];
    const uint32_t place = step->relation == COL_FROM_READ ? step->from : step->to;
    return ending->violation->mentions[place].operation;
}
