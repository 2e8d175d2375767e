/* SPDX-License-Identifier: MIT */
/* What a search found: see explore_results.h. */
#include "cli/explore_results.h"
#include "base/json.h"
#include "base/plural.h"
#include "cli/explore_verdict.h"
#include "sim/reached.h"
#include "sim/show.h"

#include <stdio.h>

enum { WIDTH = 100 };

/* What can be said of a transition that was not reached. */
static const char *word_for_others(const exp_exploration *found) {
    return found->complete ? "not reachable in this abstraction" : "unknown";
}

/* Is it a transition, and not one that only stalls? */
static bool counts(const sl_machine *m, uint32_t state, uint32_t event) {
    const sl_cell *cell = sim_cell(m, state, event);
    return cell != NULL && (cell->flags & SL_STALL) == 0;
}

static void print_transitions(const sim_system *system, uint32_t machine,
                              const exp_exploration *found, base_text *text) {
    const sl_machine *m = system->protocol->machines[machine];
    uint32_t defined = 0, reached = 0;
    base_text others = {0};
    for (uint32_t s = 0; s < m->state_count; s++)
        for (uint32_t e = 0; e < m->event_count; e++) {
            if (!counts(m, s, e))
                continue;
            defined++;
            if (sim_was_reached(system, machine, s, e))
                reached++;
            else
                base_text_print(&others, " %s/%s", m->states[s], m->events[e]);
        }
    base_text_print(text, "%s: %u of %u transition%s reachable", m->name, reached, defined,
                    base_plural(defined));
    if (others.length > 0)
        base_text_print(text, "; %s:%s", word_for_others(found), others.data);
    text->failed = text->failed || others.failed;
    base_text_add(text, "\n");
    base_text_free(&others);
}

/* The most messages of each queue that ever has one. */
static void print_bounds(const sl_machine *m, uint32_t machine, const exp_exploration *found,
                         base_text *text) {
    bool is_first = true;
    for (uint32_t i = 0; i < found->bound_count; i++) {
        const exp_bound *b = &found->bounds[i];
        if (b->machine != machine || b->most == 0)
            continue;
        if (is_first)
            base_text_print(text, "%s: at most %u message%s in %s", m->name, b->most,
                            base_plural(b->most), b->queue);
        else
            base_text_print(text, ", %u in %s", b->most, b->queue);
        is_first = false;
    }
    if (!is_first)
        base_text_print(text, "%s\n", found->complete ? "" : ", so far");
}

/* Is the state entered, or left, by a transition that was reached? */
static bool is_crossed(const sim_system *system, uint32_t machine, uint32_t state, bool is_left) {
    const sl_machine *m = system->protocol->machines[machine];
    for (uint32_t s = 0; s < m->state_count; s++)
        for (uint32_t e = 0; e < m->event_count; e++) {
            const sl_cell *cell = sim_cell(m, s, e);
            if (cell == NULL || !sim_was_reached(system, machine, s, e))
                continue;
            const bool is_open = (cell->flags & SL_NEXT_BY_FUNCTION) != 0; /* may lead anywhere */
            if (is_left ? s == state && (is_open || cell->next != state)
                        : s != state && !is_open && cell->next == state)
                return true;
        }
    return false;
}

/* Of AccessPermission. */
enum { BACKING_STORE_BUSY = 4, BUSY = 7 };

static bool is_transient(const sl_machine *m, uint32_t state) {
    return m->permissions[state] == BUSY || m->permissions[state] == BACKING_STORE_BUSY;
}

/* A transient state that is entered, and never left by any controller. */
static bool is_trap(const sim_system *system, uint32_t machine, uint32_t state) {
    return is_transient(system->protocol->machines[machine], state) &&
           is_crossed(system, machine, state, false) && !is_crossed(system, machine, state, true);
}

static void print_traps(const sim_system *system, uint32_t machine, base_text *text) {
    const sl_machine *m = system->protocol->machines[machine];
    bool is_first = true;
    for (uint32_t s = 0; s < m->state_count; s++) {
        if (!is_trap(system, machine, s))
            continue;
        if (is_first)
            base_text_print(text, "%s: entered and never left:", m->name);
        base_text_print(text, " %s", m->states[s]);
        is_first = false;
    }
    if (!is_first)
        base_text_add(text, "\n");
}

/* Prints lines, long ones on several, and frees them. */
static col_status put(base_text *lines, col_problem *problem) {
    base_text wrapped = {0};
    base_text_add_wrapped(&wrapped, lines->data == NULL ? "" : lines->data, WIDTH, "  ");
    base_text_free_part(lines, &wrapped);
    const col_status status = base_text_status(&wrapped, problem);
    if (status == COL_OK && wrapped.data != NULL)
        base_print(stdout, "%s", wrapped.data);
    base_text_free(&wrapped);
    return status;
}

static col_status print_machine(const sim_system *system, uint32_t machine,
                                const exp_exploration *found, col_problem *problem) {
    base_text text = {0};
    print_transitions(system, machine, found, &text);
    print_bounds(system->protocol->machines[machine], machine, found, &text);
    if (found->complete)
        print_traps(system, machine, &text);
    return put(&text, problem);
}

/* What makes the search longer than it could be. */
static void print_asymmetry(const sim_system *system, const cli_explore_request *r,
                            const exp_exploration *found, base_text *text) {
    if (found->remembered)
        base_text_print(text, "cores repeat requests that the protocol has begun with\n");
    if (r->takes_any)
        base_text_print(text,
                        "any member of a set is taken where the protocol takes the smallest one, "
                        "so that more can happen than in the design\n");
    if (r->is_plain)
        return;
    if (!found->symmetry.cores && system->wiring.cores > 1)
        base_text_print(text, "searched without symmetry of cores: %s tells them apart\n",
                        found->symmetry.no_cores);
    if (!found->symmetry.blocks && r->blocks > 1)
        base_text_print(text, "searched without symmetry of blocks: %s tells them apart\n",
                        found->symmetry.no_blocks);
}

typedef struct list {
    base_text *text;
    bool has_any;
} list;

static void add_word(void *context, const char *what) {
    list *l = context;
    base_text_print(l->text, "%s%s", l->has_any ? ", " : "", what);
    l->has_any = true;
}

static void print_checked(const sim_system *system, const cli_explore_request *r, bool is_checked,
                          base_text *text) {
    list words = {text, false};
    base_text_print(text, "\n%schecked: ", is_checked ? "" : "not ");
    cli_explore_each_checked(system, r, is_checked, add_word, &words);
}

col_status cli_explore_print(const sim_design *design, const sim_system *system,
                             const cli_explore_request *r, const exp_exploration *found,
                             col_problem *problem) {
    base_text text = {0};
    cli_explore_say_verdict(design, system, r, found, &text);
    for (int is_checked = 1; is_checked >= 0 && !found->broken; is_checked--)
        print_checked(system, r, is_checked, &text);
    base_text_print(&text, "\n%llu state%s, %llu step%s, depth %u, %s\n",
                    (unsigned long long)found->states, base_plural(found->states),
                    (unsigned long long)found->steps, base_plural(found->steps), found->depth,
                    found->complete ? "complete"
                    : found->broken ? "broken"
                                    : "not complete");
    if (found->omission > 0)
        base_text_print(&text, "missed states: probability at most %.1e\n", found->omission);
    print_asymmetry(system, r, found, &text);
    col_status status = put(&text, problem);
    if (status == COL_OK && found->broken)
        base_print(stdout, "\n%s", found->trace.data == NULL ? "" : found->trace.data);
    for (uint32_t m = 0; status == COL_OK && m < system->protocol->machine_count && !found->broken;
         m++)
        status = print_machine(system, m, found, problem);
    return status;
}

/* The cells that were reached, or the transitions that were not; NULL: no memory. */
static json_t *make_cells(const sim_system *system, uint32_t machine, bool are_reached) {
    const sl_machine *m = system->protocol->machines[machine];
    json_t *cells = json_array();
    for (uint32_t s = 0; s < m->state_count; s++)
        for (uint32_t e = 0; e < m->event_count; e++)
            if (sim_was_reached(system, machine, s, e) ? are_reached
                                                       : !are_reached && counts(m, s, e))
                base_json_append(&cells, json_pack("[s, s]", m->states[s], m->events[e]));
    return cells;
}

static json_t *make_bounds(uint32_t machine, const exp_exploration *found) {
    json_t *queues = json_object();
    for (uint32_t i = 0; i < found->bound_count; i++)
        if (found->bounds[i].machine == machine)
            base_json_set(&queues, found->bounds[i].queue,
                          json_integer((json_int_t)found->bounds[i].most));
    return queues;
}

static json_t *make_traps(const sim_system *system, uint32_t machine,
                          const exp_exploration *found) {
    const sl_machine *m = system->protocol->machines[machine];
    json_t *traps = json_array();
    for (uint32_t s = 0; found->complete && s < m->state_count; s++)
        if (is_trap(system, machine, s))
            base_json_append(&traps, json_string(m->states[s]));
    return traps;
}

/* NULL: no memory. */
static json_t *make_machines(const sim_system *system, const exp_exploration *found) {
    json_t *machines = json_array();
    for (uint32_t i = 0; i < system->protocol->machine_count; i++) {
        const sl_machine *m = system->protocol->machines[i];
        const sim_counts all = sim_count(m);
        json_t *machine =
            json_pack("{s:s, s:i, s:o}", "name", m->name, "transitions",
                      (int)(all.transitions - all.stalls), "reached", make_cells(system, i, true));
        base_json_set(&machine, found->complete ? "not_reachable" : "unknown",
                      make_cells(system, i, false));
        base_json_set(&machine, "most_messages", make_bounds(i, found));
        base_json_set(&machine, "never_left", make_traps(system, i, found));
        base_json_append(&machines, machine);
    }
    return machines;
}

/* What was renamed; NULL: no memory. */
static json_t *make_symmetry(const exp_exploration *found) {
    json_t *what = json_array();
    if (found->symmetry.cores)
        base_json_append(&what, json_string("cores"));
    if (found->symmetry.blocks)
        base_json_append(&what, json_string("blocks"));
    return what;
}

static void append_word(void *context, const char *what) {
    base_json_append(context, json_string(what));
}

/* NULL: no memory. */
static json_t *make_checked(const sim_system *system, const cli_explore_request *r,
                            bool is_checked) {
    json_t *words = json_array();
    cli_explore_each_checked(system, r, is_checked, append_word, &words);
    return words;
}

static json_t *make_summary(const sim_design *design, const sim_system *system,
                            const cli_explore_request *r, const exp_exploration *found) {
    base_text text = {0};
    cli_explore_say_verdict(design, system, r, found, &text);
    json_t *summary = text.failed ? NULL : base_json_text(text.data);
    base_text_free(&text);
    return summary;
}

/* NULL: the design's own ways. */
static json_t *make_caches(const cli_explore_request *r) {
    return r->keeps_ways ? json_null()
                         : json_pack("[I, I, I]", (json_int_t)r->caches[0],
                                     (json_int_t)r->caches[1], (json_int_t)r->caches[2]);
}

json_t *cli_explore_json(const sim_design *design, const sim_system *system,
                         const cli_explore_request *r, const exp_exploration *found) {
    return json_pack(
        "{s:o, s:i, s:I, s:I, s:o, s:i, s:o, s:s, s:I, s:I, s:I, s:i, s:I, s:I, s:b, s:f, s:b, "
        "s:o, s:s?, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
        "design", base_json_text(design->name), "cores", (int)system->wiring.cores, "blocks",
        (json_int_t)r->blocks, "outstanding", (json_int_t)r->outstanding, "caches", make_caches(r),
        "tbes", (int)system->wiring.tbes, "slots",
        r->slots == 0 ? json_null() : json_integer((json_int_t)r->slots), "verdict",
        cli_explore_outcome(system, found), "states", (json_int_t)found->states, "steps",
        (json_int_t)found->steps, "asleep", (json_int_t)found->asleep, "depth", (int)found->depth,
        "bytes", (json_int_t)found->bytes, "disk_bytes", (json_int_t)found->disk_bytes, "complete",
        (int)found->complete, "omission", found->omission, "any_member", (int)r->takes_any,
        "symmetry", make_symmetry(found), "limit", found->limit, "broken", (int)found->broken,
        "failure", base_json_text(found->broken ? found->trace.data : NULL), "machines",
        make_machines(system, found), "error", base_json_text(r->error), "summary",
        make_summary(design, system, r, found), "checked", make_checked(system, r, true),
        "not_checked", make_checked(system, r, false));
}
