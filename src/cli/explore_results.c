/* SPDX-License-Identifier: MIT */
/* What a search found: see explore_results.h. */
#include "cli/explore_results.h"

#include "base/json.h"
#include "base/path.h"
#include "collider/episode.h"
#include "design/design_kind.h"
#include "protocol/simulate/design_show.h"
#include "protocol/simulate/transition_table.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100 };

/* Is it a transition, and not one that only stalls? */
static bool counts(const sl_machine *m, uint32_t state, uint32_t event) {
    const sl_cell *cell = sim_cell(m, state, event);
    return cell != NULL && (cell->flags & SL_STALL) == 0;
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

/* A transient state that is entered, and never left by any controller. */
static bool is_trap(const sim_system *system, uint32_t machine, uint32_t state) {
    return (system->protocol->machines[machine]->permissions[state] == BUSY ||
            system->protocol->machines[machine]->permissions[state] == BACKING_STORE_BUSY) &&
           is_crossed(system, machine, state, false) && !is_crossed(system, machine, state, true);
}

/* The cells that were reached, or the transitions that were not; NULL: no memory, here and below.
 */
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

static json_t *make_machine(const sim_system *system, uint32_t machine,
                            const exp_exploration *found) {
    const sl_machine *m = system->protocol->machines[machine];
    const sim_counts all = sim_count(m);
    json_t *made = json_pack("{s:s, s:i, s:o}", "name", m->name, "transitions",
                             (int)(all.transitions - all.stalls), "reached",
                             make_cells(system, machine, true));
    base_json_set(&made, found->complete ? "not_reachable" : "unknown",
                  make_cells(system, machine, false));
    base_json_set(&made, "most_messages", make_bounds(machine, found));
    base_json_set(&made, "never_left", make_traps(system, machine, found));
    return made;
}

static const char *text_at(const json_t *list, size_t place) {
    return json_string_value(json_array_get(list, place));
}

static void print_machine(const json_t *machine, const exp_exploration *found, base_text *text) {
    const char *name = json_string_value(json_object_get(machine, "name")), *queue;
    const json_t *others = json_object_get(machine, found->complete ? "not_reachable" : "unknown");
    const json_t *traps = json_object_get(machine, "never_left");
    json_t *bounds = json_object_get(machine, "most_messages"), *bound;
    const size_t defined = (size_t)json_integer_value(json_object_get(machine, "transitions"));
    base_text_print(text, "%s: %zu of %zu transition%s reachable", name,
                    defined - json_array_size(others), defined, base_plural(defined));
    if (json_array_size(others) > 0)
        base_text_add(text,
                      found->complete ? "; not reachable in this abstraction:" : "; unknown:");
    for (size_t i = 0; i < json_array_size(others); i++)
        base_text_print(text, " %s/%s", text_at(json_array_get(others, i), 0),
                        text_at(json_array_get(others, i), 1));
    bool is_first = true; /* of the queues that ever have a message */
    json_object_foreach(bounds, queue, bound) {
        const uint64_t most = (uint64_t)json_integer_value(bound);
        if (most > 0 && is_first)
            base_text_print(text, "\n%s: at most %llu message%s in %s", name,
                            (unsigned long long)most, base_plural(most), queue);
        else if (most > 0)
            base_text_print(text, ", %llu in %s", (unsigned long long)most, queue);
        is_first = is_first && most == 0;
    }
    base_text_add(text, is_first || found->complete ? "" : ", so far");
    if (json_array_size(traps) > 0)
        base_text_print(text, "\n%s: entered and never left:", name);
    for (size_t i = 0; i < json_array_size(traps); i++)
        base_text_print(text, " %s", text_at(traps, i));
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

/*
 * The verdict of a search: see explore_results.h. A search that finds nothing proves something of
 * this system alone, so the sentence says how small it is and what no search of it could find.
 */

static const char *outcome_of(const sim_system *system, const exp_exploration *found) {
    if (!found->broken)
        return col_outcomes[found->complete ? COL_PASS : COL_INCOMPLETE];
    switch (system->failure.event.kind) {
    case COL_DEADLOCK:
        return col_outcomes[COL_DEADLOCKED];
    case COL_INVARIANT_BROKEN:
        return col_outcomes[COL_VIOLATION];
    default:
        return col_outcomes[COL_PROTOCOL_WRONG];
    }
}

/* ---- What was checked. */

/* Are there fewer blocks than fit into every cache? */
static bool replaces_nothing(const sim_system *system, const cli_explore_request *r) {
    for (uint32_t m = 0; m < system->protocol->machine_count; m++)
        for (uint32_t i = 0; i < system->wiring.machines[m].cache_count; i++)
            if (system->wiring.machines[m].caches[i].ways < r->search.blocks)
                return false;
    return true;
}

enum { MOST_CHECKS = 12 };

/* What the search looked for, or what it did not; ended by NULL. */
static void list_checks(const sim_system *system, const cli_explore_request *r, bool is_checked,
                        const char *words[MOST_CHECKS]) {
    /* Of a protocol with acquires, loads may return old values. */
    const bool is_lazy = sl_takes(system->cores[0].controller->machine, SL_ACQUIRE);
    const struct {
        const char *what; /* NULL: there is nothing to say */
        bool is_checked;
    } all[] = {
        {"undefined transitions", true},
        {"single writer", true},
        {"values that stores replace", true},
        {"values that loads return", !is_lazy},
        {"notices of lost blocks", !is_lazy},
        {"deadlock", true},
        {r->search.finds_livelocks ? "livelock" : "livelock (--livelock)",
         r->search.finds_livelocks},
        {replaces_nothing(system, r) ? "replacement (more --blocks)" : NULL, false},
        {r->operations != NULL ? "other accesses (--operations)" : NULL, false},
        {"the order in which a core performs its accesses", false},
        {"larger systems", false},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].what != NULL && all[i].is_checked == is_checked)
            *words++ = all[i].what;
    *words = NULL;
}

/* ---- The sentence. */

/* "mesi3 with D9, 2 cores, 1 block, ..." */
static void say_system(const sim_design *design, const sim_system *system,
                       const cli_explore_request *r, base_text *text) {
    base_text_print(text, "%s with ", design->name);
    if (r->error != NULL)
        base_text_print(text, "%s, ", r->error);
    base_text_print(text, "%u core%s, %u block%s, %u outstanding access%s per core and ",
                    system->wiring.cores, base_plural(system->wiring.cores), r->search.blocks,
                    base_plural(r->search.blocks), r->search.outstanding,
                    r->search.outstanding == 1 ? "" : "es");
    if (r->keeps_ways)
        base_text_add(text, "the ways of its own caches");
    else
        base_text_print(text, "caches of %llu:%llu:%llu blocks", (unsigned long long)r->caches[0],
                        (unsigned long long)r->caches[1], (unsigned long long)r->caches[2]);
}

/* An injected error that stays unseen is there all the same. */
static void say_unseen(const sim_system *system, const cli_explore_request *r, base_text *text) {
    uint32_t reached = 0;
    for (uint32_t i = 0; i < r->edited_count; i++)
        reached +=
            sim_was_reached(system, r->edited[i].machine, r->edited[i].state, r->edited[i].event);
    base_text_print(text, "; this does not prove %s harmless: ", r->error);
    if (r->edited_count == 0) {
        base_text_add(text, "it changes no transition, and the cores of a search are simple ones "
                            "(try collider run)");
        return;
    }
    if (reached == 0)
        base_text_add(text, "no transition that it changes can be taken here");
    else if (r->edited_count == 1)
        base_text_add(text, "the transition that it changes can be taken here, but harm may need a "
                            "larger system");
    else
        base_text_print(text,
                        "%u of %u transitions that it changes can be taken here, but harm may need "
                        "a larger system",
                        reached, r->edited_count);
    base_text_add(text, " (try more --cores, --blocks or --outstanding, or collider run)");
}

/* One line, not ended. */
static void say_verdict(const sim_design *design, const sim_system *system,
                        const cli_explore_request *r, const exp_exploration *found,
                        base_text *text) {
    if (found->broken) {
        base_text_print(text, "error found (%s) in ", outcome_of(system, found));
        say_system(design, system, r, text);
        base_text_add(text, "; the steps below lead to it");
        return;
    }
    if (r->error != NULL)
        base_text_print(text, "%s was not found: ", r->error);
    if (found->complete)
        base_text_add(text, "no error in any reachable state of ");
    else
        base_text_print(text, "incomplete: no error in the %llu state%s that were searched of ",
                        (unsigned long long)found->states, base_plural(found->states));
    say_system(design, system, r, text);
    if (!found->complete)
        base_text_add(text, "; nothing is known of the states beyond");
    if (r->error != NULL)
        say_unseen(system, r, text);
}

/* What makes the search longer than it could be. */
static void print_asymmetry(const sim_system *system, const cli_explore_request *r,
                            const exp_exploration *found, base_text *text) {
    if (found->remembered)
        base_text_print(text, "cores repeat requests that the protocol has begun with\n");
    if (r->search.takes_any)
        base_text_print(text,
                        "any member of a set is taken where the protocol takes the smallest one, "
                        "so that more can happen than in the design\n");
    if (r->is_plain)
        return;
    if (!found->symmetry.cores && system->wiring.cores > 1)
        base_text_print(text, "searched without symmetry of cores: %s tells them apart\n",
                        found->symmetry.no_cores);
    if (!found->symmetry.blocks && r->search.blocks > 1)
        base_text_print(text, "searched without symmetry of blocks: %s tells them apart\n",
                        found->symmetry.no_blocks);
}

col_status cli_explore_print(const sim_design *design, const sim_system *system,
                             const cli_explore_request *r, const exp_exploration *found,
                             col_problem *problem) {
    base_text text = {0};
    say_verdict(design, system, r, found, &text);
    for (int is_checked = 1; is_checked >= 0 && !found->broken; is_checked--) {
        const char *words[MOST_CHECKS];
        list_checks(system, r, is_checked, words);
        base_text_print(&text, "\n%schecked: ", is_checked ? "" : "not ");
        for (uint32_t i = 0; words[i] != NULL; i++)
            base_text_print(&text, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
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
         m++) {
        base_text machine = {0};
        json_t *made = make_machine(system, m, found);
        if (made == NULL)
            return base_out_of_memory(problem);
        print_machine(made, found, &machine);
        json_decref(made);
        status = put(&machine, problem);
    }
    return status;
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

/* NULL: no memory. */
static json_t *make_checked(const sim_system *system, const cli_explore_request *r,
                            bool is_checked) {
    const char *words[MOST_CHECKS];
    json_t *list = json_array();
    list_checks(system, r, is_checked, words);
    for (uint32_t i = 0; words[i] != NULL; i++)
        base_json_append(&list, json_string(words[i]));
    return list;
}

static json_t *make_summary(const sim_design *design, const sim_system *system,
                            const cli_explore_request *r, const exp_exploration *found) {
    base_text text = {0};
    say_verdict(design, system, r, found, &text);
    json_t *summary = text.failed ? NULL : base_json_text(text.data);
    base_text_free(&text);
    return summary;
}

json_t *cli_explore_json(const sim_design *design, const sim_system *system,
                         const cli_explore_request *r, const exp_exploration *found) {
    json_t *machines = json_array();
    for (uint32_t m = 0; m < system->protocol->machine_count; m++)
        base_json_append(&machines, make_machine(system, m, found));
    return json_pack(
        "{s:o, s:i, s:I, s:I, s:o, s:i, s:o, s:s, s:I, s:I, s:I, s:i, s:I, s:I, s:b, s:f, s:b, "
        "s:o, s:s?, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
        "design", base_json_text(design->name), "cores", (int)system->wiring.cores, "blocks",
        (json_int_t)r->search.blocks, "outstanding", (json_int_t)r->search.outstanding, "caches",
        r->keeps_ways ? json_null()
                      : json_pack("[I, I, I]", (json_int_t)r->caches[0], (json_int_t)r->caches[1],
                                  (json_int_t)r->caches[2]),
        "tbes", (int)system->wiring.tbes, "slots",
        r->search.slots == 0 ? json_null() : json_integer(r->search.slots), "verdict",
        outcome_of(system, found), "states", (json_int_t)found->states, "steps",
        (json_int_t)found->steps, "asleep", (json_int_t)found->asleep, "depth", (int)found->depth,
        "bytes", (json_int_t)found->bytes, "disk_bytes", (json_int_t)found->disk_bytes, "complete",
        (int)found->complete, "omission", found->omission, "any_member", (int)r->search.takes_any,
        "symmetry", make_symmetry(found), "limit", found->limit, "broken", (int)found->broken,
        "failure", base_json_text(found->broken ? found->trace.data : NULL), "machines", machines,
        "error", base_json_text(r->error), "summary", make_summary(design, system, r, found),
        "checked", make_checked(system, r, true), "not_checked", make_checked(system, r, false));
}

/* Saved searches. */

col_status cli_explore_identify(const char *what, const sim_design *design,
                                const cli_explore_request *r, char identity[CLI_IDENTITY_BYTES],
                                col_problem *problem) {
    duv_identity is;
    char caches[64], goal[64] = "", slots[32] = "", accesses[32] = "";
    BASE_TRY(duv_identify(&is, what, r->error, problem));
    if (r->keeps_ways)
        (void)snprintf(caches, 64, "design");
    else
        (void)snprintf(caches, 64, "%u:%u:%u", (unsigned)r->caches[0], (unsigned)r->caches[1],
                       (unsigned)r->caches[2]);
    if (r->search.slots > 0)
        (void)snprintf(slots, sizeof slots, " --slots %u", r->search.slots);
    if (r->search.accesses != 0)
        (void)snprintf(accesses, sizeof accesses, " --operations %u", r->search.accesses);
    if (r->search.goal != NULL)
        (void)snprintf(goal, sizeof goal, " --reach %u/%u/%u", r->goal.machine, r->goal.state,
                       r->goal.event);
    (void)snprintf(
        identity, CLI_IDENTITY_BYTES,
        "%.200s (%s) --cores %u --blocks %u --outstanding %u --caches %s --tbes %u%s%s%s%s%s%s",
        design->name, is.whole, design->wiring.cores, r->search.blocks, r->search.outstanding,
        caches, design->wiring.tbes, slots, accesses, r->is_plain ? " --plain" : "",
        r->search.takes_any ? " --any-member" : "", r->search.wants_witnesses ? " --witnesses" : "",
        goal);
    return COL_OK;
}

const char *cli_explore_folder(const char *save, char folder[PATH_MAX]) {
    const char *usual = getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nobody sets it
    const size_t length = save == NULL ? 0 : (size_t)(base_path_name(save) - save);
    if (save == NULL)
        return usual == NULL || usual[0] == '\0' ? "/tmp" : usual;
    (void)snprintf(folder, PATH_MAX, "%.*s", (int)(length < PATH_MAX ? length : 0), save);
    return length == 0 ? "." : folder;
}
