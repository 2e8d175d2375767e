/* SPDX-License-Identifier: MIT */
/*
 * The verdict of a search: see explore_verdict.h. A search that finds nothing proves something of
 * this system alone, so the sentence says how small it is and what no search of it could find.
 */
#include "cli/explore_verdict.h"
#include "base/plural.h"
#include "collider/episode.h"
#include "sim/reached.h"

#include <stdio.h>
#include <string.h>

const char *cli_explore_outcome(const sim_system *system, const exp_exploration *found) {
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
            if (system->wiring.machines[m].caches[i].ways < r->blocks)
                return false;
    return true;
}

void cli_explore_each_checked(const sim_system *system, const cli_explore_request *r,
                              bool is_checked, cli_explore_visit *visit, void *context) {
    /* Of a protocol with acquires, loads may return old values. */
    const bool is_lazy = sl_takes(system->cores[0].controller->machine, SL_ACQUIRE);
    const struct {
        const char *what;
        bool is_checked;
    } all[] = {
        {"undefined transitions", true},
        {"single writer", true},
        {"values that stores replace", true},
        {"values that loads return", !is_lazy},
        {"notices of lost blocks", !is_lazy},
        {"deadlock", true},
        {r->finds_livelocks ? "livelock" : "livelock (--livelock)", r->finds_livelocks},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].is_checked == is_checked)
            visit(context, all[i].what);
    if (is_checked)
        return;
    if (replaces_nothing(system, r))
        visit(context, "replacement (more --blocks)");
    if (r->operations != NULL)
        visit(context, "other accesses (--operations)");
    visit(context, "the order in which a core performs its accesses");
    visit(context, "larger systems");
}

/* ---- The sentence. */

/* "mesi3 with D9, 2 cores, 1 block, ..." */
static void say_system(const sim_design *design, const sim_system *system,
                       const cli_explore_request *r, base_text *text) {
    base_text_print(text, "%s with ", design->name);
    if (r->error != NULL)
        base_text_print(text, "%s, ", r->error);
    base_text_print(text, "%u core%s, %llu block%s, %llu outstanding access%s per core and ",
                    system->wiring.cores, base_plural(system->wiring.cores),
                    (unsigned long long)r->blocks, base_plural(r->blocks),
                    (unsigned long long)r->outstanding, r->outstanding == 1 ? "" : "es");
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

void cli_explore_say_verdict(const sim_design *design, const sim_system *system,
                             const cli_explore_request *r, const exp_exploration *found,
                             base_text *text) {
    if (found->broken) {
        base_text_print(text, "error found (%s) in ", cli_explore_outcome(system, found));
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
