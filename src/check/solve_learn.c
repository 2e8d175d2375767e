/* SPDX-License-Identifier: MIT */
/*
 * What a cycle teaches: the literals it rests on are not all true. One literal alone is wrong for
 * good, and its reverse an edge like any other. Of more, a SAT solver says which to give up; its
 * answers hold until it changes them. All clauses follow from the axioms, so if they contradict
 * each other the trace is forbidden, and each takes away a way to go wrong, so this ends.
 */
#include "check/solve.h"

#include "base/memory.h"
#include "check/solve_memory.h"

#include <ccadical.h>
#include <stdlib.h>

enum { SATISFIABLE = 10, UNSATISFIABLE = 20 };

static int compare_literals(const void *a, const void *b) {
    const chk_literal *x = a, *y = b;
    if (x->before != y->before)
        return x->before < y->before ? -1 : 1;
    return x->after < y->after ? -1 : x->after > y->after;
}

static void unite_literals(chk_solver *s) {
    size_t count = 0;
    if (s->literal_count > 0)
        qsort(s->literals, s->literal_count, sizeof *s->literals, compare_literals);
    for (size_t i = 0; i < s->literal_count; i++)
        if (count == 0 || compare_literals(&s->literals[i], &s->literals[count - 1]) != 0)
            s->literals[count++] = s->literals[i];
    s->literal_count = count;
}

/* ---- Variables. Their numbers for the SAT solver are from 1; true is as first seen, which is also
 * what the solver tries first. */

static int find_variable(const chk_solver *s, chk_literal literal) {
    for (uint32_t i = s->trains[literal.before].variable; i != CHK_NONE;) {
        const chk_variable *variable = &s->variables[i / 2];
        if (variable->trains[1 - i % 2] == literal.after)
            return i % 2 == 0 ? (int)(i / 2) + 1 : -(int)(i / 2) - 1;
        i = variable->next[i % 2];
    }
    return 0;
}

/* The number that says `before` first; negative if the variable is the other way round. */
static int variable_of(chk_solver *s, chk_literal literal) {
    const int known = find_variable(s, literal);
    if (known != 0)
        return known;
    if (base_reserve(&s->variables, &s->variable_capacity, s->variable_count + 1,
                     sizeof *s->variables, s->problem) != COL_OK)
        return 0;
    const uint32_t number = (uint32_t)s->variable_count++;
    s->variables[number] = (chk_variable){
        .trains = {literal.before, literal.after},
        .next = {s->trains[literal.before].variable, s->trains[literal.after].variable},
        .value = true};
    s->trains[literal.before].variable = 2 * number;
    s->trains[literal.after].variable = 2 * number + 1;
    return (int)number + 1;
}

/* ---- The schedule under changed values. */

static uint32_t position_of(const chk_solver *s, uint32_t train) {
    return s->nodes[chk_first_node(s, train)].position;
}

/* How much of the schedule may stay if the variable has its new value. */
static uint32_t kept_under(const chk_solver *s, const chk_variable *variable) {
    const uint32_t before = position_of(s, variable->trains[variable->value ? 0 : 1]);
    const uint32_t after = position_of(s, variable->trains[variable->value ? 1 : 0]);
    return after < before ? after : s->scheduled_count; /* CHK_NONE is the greatest */
}

static void change(chk_solver *s, chk_variable *variable, uint32_t *keep) {
    variable->value = !variable->value;
    const uint32_t kept = kept_under(s, variable);
    if (kept < *keep)
        *keep = kept;
    for (int side = 0; side < 2; side++)
        chk_solver_wake(s, chk_first_node(s, variable->trains[side]));
}

/* ---- Clauses. The last ones are kept in mind: as many as there were conflicts since the schedule
 * last grew, and some more. So what is done with stays as it is, and still none is forgotten for
 * ever: one that is broken again is learned again, and in the end all are kept in mind. */

enum { LEAST_WINDOW = 32 };

static col_status add_clause(chk_solver *s) {
    if (base_reserve(&s->clauses, &s->clause_capacity, s->clause_literals + s->literal_count,
                     sizeof *s->clauses, s->problem) != COL_OK ||
        base_reserve(&s->clause_start, &s->clause_start_capacity, s->clause_count + 2,
                     sizeof *s->clause_start, s->problem) != COL_OK)
        return COL_FAILURE;
    s->clause_start[s->clause_count++] = (uint32_t)s->clause_literals;
    for (size_t i = 0; i < s->literal_count; i++) {
        if (variable_of(s, s->literals[i]) == 0)
            return COL_FAILURE;
        s->clauses[s->clause_literals++] = s->literals[i];
    }
    s->clause_start[s->clause_count] = (uint32_t)s->clause_literals;
    s->window = s->scheduled_count > s->furthest ? LEAST_WINDOW : s->window + 1;
    if (s->scheduled_count > s->furthest)
        s->furthest = s->scheduled_count;
    return COL_OK;
}

static int number_of(chk_solver *s, chk_literal literal) {
    const int known = find_variable(s, literal);
    chk_variable *variable = &s->variables[abs(known) - 1];
    if (variable->number == 0) {
        s->asked[s->asked_count++] = (uint32_t)abs(known) - 1;
        variable->number = (int)s->asked_count;
        variable->assumed = true;
    }
    return known < 0 ? -variable->number : variable->number;
}

static void state_clauses(chk_solver *s, CCaDiCaL *sat, size_t from) {
    for (size_t c = from; c < s->clause_count; c++) {
        for (uint32_t i = s->clause_start[c]; i < s->clause_start[c + 1]; i++)
            ccadical_add(sat, -number_of(s, s->clauses[i]));
        ccadical_add(sat, 0);
    }
}

static int is_late(void *context) {
    const chk_solver *s = context;
    return chk_solver_is_late(s);
}

/* Where the schedule would be taken back to if the variable changed; the greatest costs least. */
static uint32_t cost_of(const chk_solver *s, const chk_variable *variable) {
    return position_of(s, variable->trains[variable->value ? 0 : 1]);
}

/* Of the assumptions that contradict the clauses, the one that costs least to give up. */
static chk_variable *cheapest_failed(chk_solver *s, CCaDiCaL *sat) {
    chk_variable *best = NULL;
    for (size_t i = 0; i < s->asked_count; i++) {
        chk_variable *variable = &s->variables[s->asked[i]];
        if (variable->assumed &&
            ccadical_failed(sat, variable->value ? variable->number : -variable->number) &&
            (best == NULL || cost_of(s, variable) > cost_of(s, best)))
            best = variable;
    }
    return best;
}

/* Values that satisfy the clauses, as many as possible of them, and of the old ones, unchanged. */
static int solve(chk_solver *s, CCaDiCaL *sat) {
    while (true) {
        for (size_t i = 0; i < s->asked_count; i++) {
            const chk_variable *variable = &s->variables[s->asked[i]];
            if (variable->assumed)
                ccadical_assume(sat, variable->value ? variable->number : -variable->number);
        }
        const int answer = ccadical_solve(sat);
        chk_variable *failed = answer == UNSATISFIABLE ? cheapest_failed(s, sat) : NULL;
        if (failed == NULL)
            return answer;
        failed->assumed = false;
    }
}

static void take_values(chk_solver *s, CCaDiCaL *sat) {
    uint32_t keep = s->scheduled_count;
    for (size_t i = 0; i < s->asked_count; i++) {
        chk_variable *variable = &s->variables[s->asked[i]];
        if ((ccadical_val(sat, variable->number) > 0) != variable->value)
            change(s, variable, &keep);
    }
    chk_solver_retreat(s, keep);
}

/* The clauses from `from` on, and what the SAT solver makes of them. */
typedef struct question {
    chk_solver *s;
    CCaDiCaL *sat;
    size_t from;
    int answer;
} question;

static void ask(void *context) {
    question *q = context;
    q->sat = ccadical_init();
    ccadical_set_option(q->sat, "quiet", 1); /* it would say things on standard output */
    ccadical_set_terminate(q->sat, q->s, is_late);
    state_clauses(q->s, q->sat, q->from);
    q->answer = solve(q->s, q->sat);
    if (q->answer == SATISFIABLE)
        take_values(q->s, q->sat);
}

/* A SAT solver that ran out of memory half-way cannot be released: it is left as it is. */
static col_status solve_window(chk_solver *s, size_t from, int *answer) {
    question q = {.s = s, .from = from};
    s->asked_count = 0;
    if (!chk_guard_memory(ask, &q))
        return base_out_of_memory(s->problem);
    for (size_t i = 0; i < s->asked_count; i++)
        s->variables[s->asked[i]].number = 0;
    *answer = q.answer;
    ccadical_release(q.sat);
    return COL_OK;
}

static col_status learn_clause(chk_solver *s, bool *forbidden, bool *expired) {
    int answer = UNSATISFIABLE;
    if (add_clause(s) != COL_OK || base_reserve(&s->asked, &s->asked_capacity, s->variable_count,
                                                sizeof *s->asked, s->problem) != COL_OK)
        return COL_FAILURE;
    const size_t window = s->window < s->clause_count ? s->window : s->clause_count;
    if (solve_window(s, s->clause_count - window, &answer) != COL_OK)
        return COL_FAILURE;
    *forbidden = answer == UNSATISFIABLE; /* some clauses are as good as all */
    *expired = answer != UNSATISFIABLE && answer != SATISFIABLE;
    return COL_OK;
}

/* The read of the cycle that shows it: the literal's train would be replaced too early. If it is
 * not the literal's own lock that closes the cycle, any part of it will do. */
static uint32_t reason_of(const chk_solver *s, chk_literal literal) {
    for (size_t i = 0; i < s->link_count; i++) {
        const uint32_t read = chk_owner(&s->order, s->links[i].from);
        if (s->links[i].relation == COL_FROM_READ &&
            s->train_of[chk_word_read(s, read)] == literal.before)
            return read;
    }
    return chk_owner(&s->order, s->links[0].from);
}

col_status chk_solver_learn(chk_solver *s, bool *forbidden, bool *expired) {
    s->conflict_count++;
    unite_literals(s);
    if (s->literal_count == 0) {
        *forbidden = true;
        return COL_OK;
    }
    const chk_literal wrong = s->literals[0];
    if (s->literal_count == 1 &&
        chk_solver_add_edge(s, wrong.after, wrong.before, reason_of(s, wrong)) != COL_OK)
        return COL_FAILURE;
    if (s->literal_count > 1 || find_variable(s, wrong) != 0)
        return learn_clause(s, forbidden, expired);
    const uint32_t position = position_of(s, wrong.before);
    chk_solver_retreat(s, position < s->scheduled_count ? position : s->scheduled_count);
    return COL_OK;
}
