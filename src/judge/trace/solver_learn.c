/* SPDX-License-Identifier: MIT */
/*
 * What a cycle teaches: the literals it rests on are not all true. One literal alone is wrong for
 * good, and its reverse an edge like any other. Of more, a SAT solver says which to give up; its
 * answers hold until it changes them. All clauses follow from the axioms, so if they contradict
 * each other the trace is forbidden, and each takes away a way to go wrong, so this ends.
 */
#include "judge/trace/solver.h"

#include <ccadical.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unwind.h>

enum { SATISFIABLE = 10, UNSATISFIABLE = 20 };

static int compare_literals(const void *a, const void *b) {
    const chk_literal *x = a, *y = b;
    if (x->before != y->before)
        return x->before < y->before ? -1 : 1;
    return x->after < y->after ? -1 : x->after > y->after;
}

/* ---- Variables. Their numbers for the SAT solver are from 1; true is as first seen, which is also
 * what the solver tries first. */

static int find_variable(const chk_solver *s, chk_literal literal) {
    for (uint32_t i = s->segments[literal.before].variable; i != CHK_NONE;) {
        const chk_variable *variable = &s->variables[i / 2];
        if (variable->segments[1 - i % 2] == literal.after)
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
    if (!chk_grow(s, &s->variables, &s->variable_capacity, s->variable_count + 1,
                  sizeof *s->variables))
        return 0;
    const uint32_t number = (uint32_t)s->variable_count++;
    s->variables[number] = (chk_variable){
        .segments = {literal.before, literal.after},
        .next = {s->segments[literal.before].variable, s->segments[literal.after].variable},
        .value = true};
    s->segments[literal.before].variable = 2 * number;
    s->segments[literal.after].variable = 2 * number + 1;
    return (int)number + 1;
}

/* ---- The schedule under changed values. */

static uint32_t position_of(const chk_solver *s, uint32_t segment) {
    return s->nodes[chk_first_node(s, segment)].position;
}

static void change(chk_solver *s, chk_variable *variable, uint32_t *keep) {
    variable->value = !variable->value;
    /* How much of the schedule may stay if the variable has its new value. */
    const uint32_t before = position_of(s, variable->segments[variable->value ? 0 : 1]);
    const uint32_t after = position_of(s, variable->segments[variable->value ? 1 : 0]);
    const uint32_t kept =
        after < before ? after : s->scheduled_count; /* CHK_NONE is the greatest */
    if (kept < *keep)
        *keep = kept;
    for (int side = 0; side < 2; side++)
        chk_solver_wake(s, chk_first_node(s, variable->segments[side]));
}

/* ---- Clauses. The last ones are kept in mind: as many as there were conflicts since the schedule
 * last grew, and some more. So what is done with stays as it is, and still none is forgotten for
 * ever: one that is broken again is learned again, and in the end all are kept in mind. */

enum { LEAST_WINDOW = 32 };

static void add_clause(chk_solver *s) {
    if (!chk_grow(s, &s->clauses, &s->clause_capacity, s->clause_literals + s->literal_count,
                  sizeof *s->clauses) ||
        !chk_grow(s, &s->clause_start, &s->clause_start_capacity, s->clause_count + 2,
                  sizeof *s->clause_start))
        return;
    s->clause_start[s->clause_count++] = (uint32_t)s->clause_literals;
    for (size_t i = 0; i < s->literal_count; i++) {
        if (variable_of(s, s->literals[i]) == 0)
            return;
        s->clauses[s->clause_literals++] = s->literals[i];
    }
    s->clause_start[s->clause_count] = (uint32_t)s->clause_literals;
    s->window = s->scheduled_count > s->furthest ? LEAST_WINDOW : s->window + 1;
    if (s->scheduled_count > s->furthest)
        s->furthest = s->scheduled_count;
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

static int is_late(void *context) {
    const chk_solver *s = context;
    return chk_solver_is_late(s);
}

/* Where the schedule would be taken back to if the variable changed; the greatest costs least. */
static uint32_t cost_of(const chk_solver *s, const chk_variable *variable) {
    return position_of(s, variable->segments[variable->value ? 0 : 1]);
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
    for (size_t c = q->from; c < q->s->clause_count; c++) {
        for (uint32_t i = q->s->clause_start[c]; i < q->s->clause_start[c + 1]; i++)
            ccadical_add(q->sat, -number_of(q->s, q->s->clauses[i]));
        ccadical_add(q->sat, 0);
    }
    q->answer = solve(q->s, q->sat);
    if (q->answer == SATISFIABLE)
        take_values(q->s, q->sat);
}

/* A SAT solver that ran out of memory half-way cannot be released: it is left as it is. */
static void learn_clause(chk_solver *s, bool *forbidden, bool *expired) {
    add_clause(s);
    if (!chk_grow(s, &s->asked, &s->asked_capacity, s->variable_count, sizeof *s->asked) ||
        s->status != COL_OK)
        return;
    const size_t window = s->window < s->clause_count ? s->window : s->clause_count;
    question q = {.s = s, .from = s->clause_count - window};
    s->asked_count = 0;
    if (!chk_guard_memory(ask, &q)) {
        s->status = base_out_of_memory(s->problem);
        return;
    }
    for (size_t i = 0; i < s->asked_count; i++)
        s->variables[s->asked[i]].number = 0;
    ccadical_release(q.sat);
    *forbidden = q.answer == UNSATISFIABLE; /* some clauses are as good as all */
    *expired = q.answer != UNSATISFIABLE && q.answer != SATISFIABLE;
}

/* The read of the cycle that shows it: the literal's segment would be replaced too early. If it is
 * not the literal's own lock that closes the cycle, any part of it will do. */
static uint32_t reason_of(const chk_solver *s, chk_literal literal) {
    for (size_t i = 0; i < s->link_count; i++) {
        const uint32_t read = chk_owner(&s->order, s->links[i].from);
        if (s->links[i].relation == COL_FROM_READ &&
            s->segment_of[chk_word_read(s, read)] == literal.before)
            return read;
    }
    return chk_owner(&s->order, s->links[0].from);
}

void chk_solver_learn(chk_solver *s, bool *forbidden, bool *expired) {
    size_t count = 0;
    s->conflict_count++;
    if (s->literal_count > 0) /* each literal once */
        qsort(s->literals, s->literal_count, sizeof *s->literals, compare_literals);
    for (size_t i = 0; i < s->literal_count; i++)
        if (count == 0 || compare_literals(&s->literals[i], &s->literals[count - 1]) != 0)
            s->literals[count++] = s->literals[i];
    s->literal_count = count;
    *forbidden = s->literal_count == 0;
    if (*forbidden)
        return;
    const chk_literal wrong = s->literals[0];
    if (s->literal_count == 1)
        chk_solver_add_edge(s, wrong.after, wrong.before, reason_of(s, wrong));
    if (s->literal_count > 1 || find_variable(s, wrong) != 0) {
        learn_clause(s, forbidden, expired);
        return;
    }
    const uint32_t position = position_of(s, wrong.before);
    chk_solver_retreat(s, position < s->scheduled_count ? position : s->scheduled_count);
}

/*
 * When nothing can be scheduled, everything waits for something that waits: walking from one to the
 * next ends in a cycle. A segment that is free but deferred waits for the write that looking back
 * found. The literals that the steps of the cycle rest on cannot all be true.
 */

static void lose_way(chk_solver *s) {
    if (s->status == COL_OK)
        s->status = base_fail(s->problem, "the trace checker lost its way (a bug)");
}

static uint32_t segment_begun_by(const chk_solver *s, uint32_t node) {
    return s->segment_of[chk_written_by(s, node)];
}

/* The wait of s->waits that assumes least; of `node` only, if that is not CHK_NONE. */
static const chk_wait *best_wait(const chk_solver *s, uint32_t node) {
    const chk_wait *best = NULL;
    for (size_t i = 0; i < s->wait_count; i++) {
        const chk_wait *wait = &s->waits[i];
        if (node != CHK_NONE && wait->node != node)
            continue;
        if (wait->assumed == CHK_NONE)
            return wait;
        if (best == NULL)
            best = wait;
    }
    return best;
}

/* What a wait of that node assumes, if it assumes anything. */
static void note_literal(chk_solver *s, const chk_wait *wait, uint32_t node) {
    if (wait->assumed != CHK_NONE &&
        chk_grow(s, &s->literals, &s->literal_capacity, s->literal_count + 1, sizeof *s->literals))
        s->literals[s->literal_count++] = (chk_literal){wait->assumed, segment_begun_by(s, node)};
}

/* The literals on the path that looking back has taken from `node` on. Returns its end. */
static uint32_t note_path(chk_solver *s, uint32_t node) {
    while (s->nodes[node].parent != CHK_NONE) {
        const uint32_t after = s->nodes[node].parent;
        chk_solver_waits(s, after);
        const chk_wait *wait = best_wait(s, node);
        if (wait == NULL)
            lose_way(s);
        else
            note_literal(s, wait, after);
        node = after;
    }
    return node;
}

static void step_from_deferred(chk_solver *s, chk_link *link) {
    const uint32_t written = chk_written_by(s, link->to);
    if (written == CHK_NONE || s->segments[s->segment_of[written]].first != written) {
        lose_way(s);
        return;
    }
    (void)chk_solver_look_back(s, s->segment_of[written]);
    size_t which = 0;
    while (which < s->found_count && link->from != CHK_NONE && s->found[which] != link->from)
        which++;
    if (which == s->found_count) {
        chk_solver_resume(s, s->segment_of[written]);
        s->stale = true;
        return;
    }
    link->from = s->found[which];
    link->relation = COL_COHERENCE;
    link->reason = chk_owner(&s->order, note_path(s, link->from));
}

/* Why does a link's end wait for its beginning? CHK_NONE for any beginning. */
static void find_reason(chk_solver *s, chk_link *link) {
    link->literal = (uint32_t)s->literal_count;
    chk_solver_waits(s, link->to);
    const chk_wait *wait = best_wait(s, link->from);
    if (wait == NULL) {
        step_from_deferred(s, link);
    } else {
        link->from = wait->node;
        link->relation = wait->relation;
        link->reason = wait->reason;
        note_literal(s, wait, link->to);
    }
    link->literal_count = (uint32_t)s->literal_count - link->literal;
}

/* Where to start: at what was deferred last, if it still is. */
static uint32_t first_stuck(const chk_solver *s) {
    if (s->deferred_count > 0) {
        const uint32_t segment = s->deferred[s->deferred_count - 1];
        const uint32_t node = chk_first_node(s, segment);
        if (chk_is_deferred(s, segment) && s->nodes[node].state == CHK_READY)
            return node;
    }
    uint32_t node = 0;
    while (chk_is_scheduled(s, node))
        node++;
    return node;
}

/* Keep the cycle alone: links from `start` on, and their literals. */
static void cut_cycle(chk_solver *s, size_t start) {
    const uint32_t literal = s->links[start].literal;
    for (size_t i = start; i < s->link_count; i++) {
        s->links[i - start] = s->links[i];
        s->links[i - start].literal -= literal;
    }
    s->link_count -= start;
    for (size_t i = literal; i < s->literal_count; i++)
        s->literals[i - literal] = s->literals[i];
    s->literal_count -= literal;
}

void chk_solver_find_cycle(chk_solver *s) {
    s->link_count = s->literal_count = 0;
    s->stale = false;
    uint32_t node = first_stuck(s);
    while (s->walked[node] == 0) {
        s->walked[node] = (uint32_t)s->link_count + 1;
        chk_link *link = &s->links[s->link_count++];
        *link = (chk_link){.from = CHK_NONE, .to = node};
        find_reason(s, link);
        if (s->status != COL_OK)
            return;
        if (s->stale)
            break;
        node = link->from;
    }
    const size_t start = s->walked[node] - 1;
    for (size_t i = 0; i < s->link_count; i++)
        s->walked[s->links[i].to] = 0;
    if (s->stale)
        s->link_count = 0;
    else
        cut_cycle(s, start);
}

/* ---- A cycle through a segment that was just deferred. */

static uint32_t deferred_for(const chk_solver *s, uint32_t node) {
    if (s->nodes[node].state != CHK_READY)
        return CHK_NONE;
    const uint32_t segment = segment_begun_by(s, node);
    return chk_is_deferred(s, segment) ? s->segments[segment].deferred_for : CHK_NONE;
}

static void reach(chk_solver *s, uint32_t node, uint32_t parent, size_t *depth) {
    if (s->nodes[node].mark == s->epoch)
        return;
    s->nodes[node].mark = s->epoch;
    s->nodes[node].parent = parent;
    s->stack[(*depth)++] = node;
}

/* Reach what a node waits for; what it waits for by assumption is for later. */
static void reach_waits(chk_solver *s, uint32_t node, size_t *depth) {
    const uint32_t also = deferred_for(s, node);
    chk_solver_waits(s, node);
    for (size_t i = 0; i < s->wait_count; i++) {
        if (s->waits[i].assumed == CHK_NONE)
            reach(s, s->waits[i].node, node, depth);
        else if (s->nodes[s->waits[i].node].mark != s->epoch)
            chk_solver_put_off(s, s->waits[i].node, node);
    }
    if (also != CHK_NONE)
        chk_solver_put_off(s, also, node);
}

static void take_path(chk_solver *s, uint32_t node) {
    uint32_t from = node;
    s->link_count = s->literal_count = 0;
    do {
        const uint32_t to = s->nodes[from].parent;
        s->links[s->link_count++] = (chk_link){.from = from, .to = to};
        from = to;
    } while (from != node);
    s->stale = false;
    for (size_t i = 0; i < s->link_count && !s->stale; i++)
        find_reason(s, &s->links[i]);
    s->has_cycle = !s->stale;
}

void chk_solver_check_deferred(chk_solver *s, uint32_t node) {
    size_t depth = 0;
    s->epoch++;
    s->later_count = 0;
    reach_waits(s, node, &depth);
    for (size_t crossed = 0; s->nodes[node].mark != s->epoch;) {
        if (depth > 0) {
            s->visit_count++;
            reach_waits(s, s->stack[--depth], &depth);
        } else if (crossed < s->later_count) {
            reach(s, s->later[crossed], s->later[crossed + 1], &depth);
            crossed += 2;
        } else {
            return;
        }
    }
    take_path(s, node);
}

/*
 * The SAT solver's memory: see solver.h. operator new calls a handler before it throws. Ours
 * unwinds the stack by force, as the end of a thread does: destructors run, and the guard goes on.
 */

/* std::set_new_handler and std::__throw_bad_alloc. */
typedef void (*new_handler)(void);
new_handler cxx_set_new_handler(new_handler handler) __asm__("_ZSt15set_new_handlerPFvvE");
_Noreturn void cxx_throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv");

typedef struct guard {
    jmp_buf way_out;
    uintptr_t frame; /* stacks grow down: frames of the work are below */
    struct _Unwind_Exception exception;
} guard;

static _Thread_local guard *active; /* of this thread; a handler has no context */

static _Unwind_Reason_Code stop_at_guard(int version, _Unwind_Action actions,
                                         _Unwind_Exception_Class class,
                                         struct _Unwind_Exception *exception,
                                         struct _Unwind_Context *context, void *target) {
    guard *g = target;
    (void)version;
    (void)class;
    (void)exception;
    if (_Unwind_GetCFA(context) >= g->frame || (actions & _UA_END_OF_STACK) != 0)
        longjmp(g->way_out, 1);
    return _URC_NO_REASON;
}

/* Other threads of the process are not ours to unwind. */
static void leave(void) {
    guard *g = active;
    if (g == NULL)
        cxx_throw_bad_alloc();
    active = NULL;
    (void)_Unwind_ForcedUnwind(&g->exception, stop_at_guard, g);
    abort(); /* it does not return */
}

bool chk_guard_memory(void (*work)(void *context), void *context) {
    guard g = {.frame = (uintptr_t)__builtin_frame_address(0)};
    const new_handler old = cxx_set_new_handler(leave);
    if (setjmp(g.way_out) != 0) {
        (void)cxx_set_new_handler(old);
        return false;
    }
    active = &g;
    work(context);
    active = NULL;
    (void)cxx_set_new_handler(old);
    return true;
}
