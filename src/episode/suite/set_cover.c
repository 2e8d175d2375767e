/* SPDX-License-Identifier: MIT */
/*
 * Three rules make the task smaller without losing every smallest cover: a set that alone has an
 * element is taken; an element that comes along with another one is left out; so is a set that is
 * part of another one. What is left is covered greedily (Chvátal). Elements of which no two share a
 * set bound the answer from below, and a SAT solver closes the gap: are k sets enough?
 */
#include "episode/suite/set_cover.h"

#include "base/memory.h"
#include "judge/trace/solver.h"

#include <ccadical.h>
#include <stdlib.h>
#include <string.h>

enum { SATISFIABLE = 10, UNSATISFIABLE = 20 };

/* The rules that compare all pairs are for tasks up to this size, and the counter of the SAT solver
 * has at most this many places. */
enum { MOST_COMPARED = 1 << 15, MOST_PLACES = 1 << 22 };

typedef struct work {
    const epi_cover_task *task;
    size_t row_words, column_words;
    uint64_t *columns;  /* element after element: a bit for each set that has it */
    uint64_t *open;     /* elements that are still to be covered */
    uint64_t *live;     /* sets that may cover them */
    uint64_t *rest;     /* elements, while covering */
    uint32_t *has;      /* how many chosen sets have each element */
    uint32_t *chosen;   /* in the order in which they were */
    uint32_t count;     /* of these */
    uint32_t taken;     /* of these, by the rules: no cover does without */
    uint32_t least;     /* sets that what is left needs at least */
    uint32_t *variable; /* a live set by its place */
    uint32_t variables;
} work;

static bool bit(const uint64_t *bits, uint32_t place) {
    return (bits[place / 64] >> place % 64 & 1) != 0;
}

static void set_bit(uint64_t *bits, uint32_t place, bool value) {
    const uint64_t mask = UINT64_C(1) << place % 64;
    bits[place / 64] = value ? bits[place / 64] | mask : bits[place / 64] & ~mask;
}

static uint32_t count_both(const uint64_t *a, const uint64_t *b, size_t words) {
    uint32_t count = 0;
    for (size_t w = 0; w < words; w++)
        count += (uint32_t)__builtin_popcountll(a[w] & b[w]);
    return count;
}

/* Is a a part of b, as far as the mask goes? */
static bool is_part(const uint64_t *a, const uint64_t *b, const uint64_t *mask, size_t words) {
    for (size_t w = 0; w < words; w++)
        if ((a[w] & ~b[w] & mask[w]) != 0)
            return false;
    return true;
}

static const uint64_t *row(const work *w, uint32_t set) {
    return w->task->bits + set * w->row_words;
}

static const uint64_t *column(const work *w, uint32_t element) {
    return w->columns + element * w->column_words;
}

static uint64_t weight(const work *w, uint32_t set) {
    return w->task->weights == NULL ? 0 : w->task->weights[set];
}

/* ---- The rules. */

static void take(work *w, uint32_t set) {
    for (size_t i = 0; i < w->row_words; i++)
        w->open[i] &= ~row(w, set)[i];
    set_bit(w->live, set, false);
    w->chosen[w->count++] = set;
}

/* Sets that alone have an element. */
static bool take_needed(work *w) {
    const uint32_t before = w->count;
    for (uint32_t e = 0; e < w->task->element_count; e++) {
        if (!bit(w->open, e) || count_both(column(w, e), w->live, w->column_words) != 1)
            continue;
        uint32_t set = 0;
        while (!bit(w->live, set) || !bit(column(w, e), set))
            set++;
        take(w, set);
    }
    return w->count > before;
}

static uint32_t list_bits(const uint64_t *bits, uint32_t count, uint32_t *list) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (bit(bits, i))
            list[found++] = i;
    return found;
}

/* Elements that come along with another one. */
static bool leave_elements(work *w) {
    bool changed = false;
    uint32_t *list = w->has; /* not in use yet */
    const uint32_t count = list_bits(w->open, w->task->element_count, list);
    for (uint32_t i = 0; i < count && count <= MOST_COMPARED; i++)
        for (uint32_t k = 0; k < count && bit(w->open, list[i]); k++) {
            if (k == i || !bit(w->open, list[k]) ||
                !is_part(column(w, list[i]), column(w, list[k]), w->live, w->column_words))
                continue;
            set_bit(w->open, list[k], false);
            changed = true;
        }
    return changed;
}

/* Of two equal sets the heavier one is a part of the other, or the later one. */
static bool is_behind(const work *w, uint32_t a, uint32_t b) {
    if (!is_part(row(w, a), row(w, b), w->open, w->row_words))
        return false;
    if (!is_part(row(w, b), row(w, a), w->open, w->row_words))
        return true;
    return weight(w, a) != weight(w, b) ? weight(w, a) > weight(w, b) : a > b;
}

/* Sets that are part of another one. */
static bool leave_sets(work *w) {
    bool changed = false;
    const uint32_t count = list_bits(w->live, w->task->set_count, w->variable);
    for (uint32_t i = 0; i < count && count <= MOST_COMPARED; i++)
        for (uint32_t k = 0; k < count; k++) {
            if (k == i || !bit(w->live, w->variable[k]) ||
                !is_behind(w, w->variable[i], w->variable[k]))
                continue;
            set_bit(w->live, w->variable[i], false);
            changed = true;
            break;
        }
    return changed;
}

/* ---- A cover. */

/* More elements that are still to be covered, else lighter, else earlier. */
static uint32_t best_set(const work *w) {
    uint32_t best = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < w->variables; i++) {
        const uint32_t set = w->variable[i];
        const uint32_t gain = count_both(row(w, set), w->rest, w->row_words);
        if (gain > most || (gain == most && gain > 0 && weight(w, set) < weight(w, best))) {
            best = set;
            most = gain;
        }
    }
    return best;
}

static void count_elements(work *w, uint32_t set, int by) {
    for (uint32_t e = 0; e < w->task->element_count; e++)
        if (bit(row(w, set), e))
            w->has[e] += (uint32_t)by;
}

static bool is_needed(const work *w, uint32_t set) {
    for (uint32_t e = 0; e < w->task->element_count; e++)
        if (bit(row(w, set), e) && w->has[e] == 1)
            return true;
    return false;
}

/* What was chosen early may have become needless; those that were taken are needed by any cover. */
static void drop_needless(work *w) {
    memset(w->has, 0, w->task->element_count * sizeof *w->has);
    for (uint32_t i = 0; i < w->count; i++)
        count_elements(w, w->chosen[i], 1);
    for (uint32_t i = w->count; i-- > w->taken;) {
        if (is_needed(w, w->chosen[i]))
            continue;
        count_elements(w, w->chosen[i], -1);
        memmove(&w->chosen[i], &w->chosen[i + 1], (--w->count - i) * sizeof *w->chosen);
    }
}

static void cover_greedily(work *w) {
    memcpy(w->rest, w->open, w->row_words * sizeof *w->rest);
    for (uint32_t set; (set = best_set(w)) != UINT32_MAX;) {
        for (size_t i = 0; i < w->row_words; i++)
            w->rest[i] &= ~row(w, set)[i];
        w->chosen[w->count++] = set;
    }
    drop_needless(w);
}

/* ---- A bound. */

/* Elements of which no two share a set, those in few sets first: each needs a set of its own. */
static uint32_t count_apart(work *w) {
    uint32_t apart = 0;
    memcpy(w->rest, w->open, w->row_words * sizeof *w->rest);
    while (true) {
        uint32_t best = UINT32_MAX, fewest = UINT32_MAX;
        for (uint32_t e = 0; e < w->task->element_count; e++) {
            const uint32_t sets =
                bit(w->rest, e) ? count_both(column(w, e), w->live, w->column_words) : UINT32_MAX;
            if (sets < fewest) {
                fewest = sets;
                best = e;
            }
        }
        if (best == UINT32_MAX)
            return apart;
        apart++;
        for (uint32_t i = 0; i < w->variables; i++)
            if (bit(column(w, best), w->variable[i]))
                for (size_t k = 0; k < w->row_words; k++)
                    w->rest[k] &= ~row(w, w->variable[i])[k];
    }
}

/* ---- The gap between them. */

typedef struct question {
    work *w;
    CCaDiCaL *sat;
    uint32_t most; /* that the counter counts to */
} question;

/* Variables: the sets by their places, from 1; then of each place, whether that many sets up to it
 * are chosen, from 1 to `most` (Sinz's sequential counter). */
static int counter(const question *q, uint32_t place, uint32_t number) {
    return (int)(q->w->variables + place * q->most + number);
}

static void add_clause(const question *q, int a, int b, int c) {
    const int literals[] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (literals[i] != 0)
            ccadical_add(q->sat, literals[i]);
    ccadical_add(q->sat, 0);
}

static void say_task(const question *q) {
    const work *w = q->w;
    for (uint32_t e = 0; e < w->task->element_count; e++) {
        if (!bit(w->open, e))
            continue;
        for (uint32_t i = 0; i < w->variables; i++)
            if (bit(column(w, e), w->variable[i]))
                ccadical_add(q->sat, (int)i + 1);
        ccadical_add(q->sat, 0);
    }
    for (uint32_t i = 0; i < w->variables; i++) {
        add_clause(q, -((int)i + 1), counter(q, i, 1), 0);
        for (uint32_t j = 1; j <= q->most && i > 0; j++) {
            add_clause(q, -counter(q, i - 1, j), counter(q, i, j), 0);
            if (j < q->most)
                add_clause(q, -((int)i + 1), -counter(q, i - 1, j), counter(q, i, j + 1));
        }
    }
}

/* Can that many of the remaining sets cover everything? */
static int answer(const question *q, uint32_t sets) {
    ccadical_assume(q->sat, -counter(q, q->w->variables - 1, sets + 1));
    ccadical_limit(q->sat, "conflicts", (int)q->w->task->effort);
    return ccadical_solve(q->sat);
}

static void take_model(const question *q) {
    work *w = q->w;
    w->count = w->taken;
    for (uint32_t i = 0; i < w->variables; i++)
        if (ccadical_val(q->sat, (int)i + 1) > 0)
            w->chosen[w->count++] = w->variable[i];
    drop_needless(w);
}

static void close_gap(void *context) {
    question *q = context;
    work *w = q->w;
    int said = SATISFIABLE;
    q->sat = ccadical_init();
    ccadical_set_option(q->sat, "quiet", 1); /* it would say things on standard output */
    say_task(q);
    while (w->count - w->taken > w->least && said == SATISFIABLE) {
        said = answer(q, w->count - w->taken - 1);
        if (said == SATISFIABLE)
            take_model(q);
        else if (said == UNSATISFIABLE)
            w->least = w->count - w->taken;
    }
    for (said = UNSATISFIABLE; w->least < w->count - w->taken && said == UNSATISFIABLE;) {
        said = answer(q, w->least);
        w->least += said == UNSATISFIABLE;
        if (said == SATISFIABLE)
            take_model(q);
    }
}

/* A SAT solver that ran out of memory half-way cannot be released: it is left as it is. */
static col_status ask(work *w, col_problem *problem) {
    question q = {.w = w, .most = w->count - w->taken};
    if (w->task->effort == 0 || q.most <= w->least ||
        (uint64_t)w->variables * (q.most + 1) > MOST_PLACES)
        return COL_OK;
    if (!chk_guard_memory(close_gap, &q))
        return base_out_of_memory(problem);
    ccadical_release(q.sat);
    return COL_OK;
}

/* ---- All of it. */

static void begin(work *w) {
    for (uint32_t s = 0; s < w->task->set_count; s++) {
        set_bit(w->live, s, true);
        for (size_t i = 0; i < w->row_words; i++)
            w->open[i] |= row(w, s)[i];
        for (uint32_t e = 0; e < w->task->element_count; e++)
            if (bit(row(w, s), e))
                set_bit(w->columns + e * w->column_words, s, true);
    }
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static col_status find(work *w, epi_cover *cover, col_problem *problem) {
    begin(w);
    cover->covered = count_both(w->open, w->open, w->row_words);
    for (bool changes = true; changes;) {
        changes = take_needed(w);
        changes = leave_elements(w) || changes;
        changes = leave_sets(w) || changes;
    }
    w->taken = w->count;
    w->variables = list_bits(w->live, w->task->set_count, w->variable);
    cover_greedily(w);
    w->least = count_apart(w);
    BASE_TRY(ask(w, problem));
    cover->count = w->count;
    cover->least = w->taken + w->least;
    BASE_TRY(base_new(&cover->chosen, (size_t)w->count + 1, sizeof *cover->chosen, problem));
    if (w->count > 0)
        memcpy(cover->chosen, w->chosen, w->count * sizeof *cover->chosen);
    qsort(cover->chosen, w->count, sizeof *cover->chosen, by_number);
    return COL_OK;
}

col_status epi_cover_find(const epi_cover_task *task, epi_cover *cover, col_problem *problem) {
    work w = {.task = task,
              .row_words = epi_cover_words(task->element_count),
              .column_words = epi_cover_words(task->set_count)};
    base_arena arena = {0};
    const base_part parts[] = {
        BASE_PART(w.columns, ((size_t)task->element_count + 1) * w.column_words),
        BASE_PART(w.open, w.row_words),
        BASE_PART(w.rest, w.row_words),
        BASE_PART(w.live, w.column_words),
        BASE_PART(w.has, (size_t)task->element_count + 1),
        BASE_PART(w.chosen, (size_t)task->set_count + 1),
        BASE_PART(w.variable, (size_t)task->set_count + 1),
        {0}};
    *cover = (epi_cover){0};
    col_status status = base_arena_divide(&arena, parts, problem);
    BASE_THEN(status, find(&w, cover, problem));
    base_arena_free(&arena);
    return status;
}
