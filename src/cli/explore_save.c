/* SPDX-License-Identifier: MIT */
/* Saved searches: see explore_save.h. */
#include "cli/explore_save.h"
#include "base/path.h"
#include "duv/identity.h"

#include <stdio.h>
#include <stdlib.h>

/* As the options that would be typed. */
static void print_caches(const cli_explore_request *r, char text[64]) {
    if (r->keeps_ways)
        (void)snprintf(text, 64, "design");
    else
        (void)snprintf(text, 64, "%u:%u:%u", (unsigned)r->caches[0], (unsigned)r->caches[1],
                       (unsigned)r->caches[2]);
}

col_status cli_explore_identify(const char *what, const sim_design *design,
                                const cli_explore_request *r, char identity[CLI_IDENTITY_BYTES],
                                col_problem *problem) {
    duv_identity is;
    char caches[64], goal[64] = "", slots[32] = "", accesses[32] = "";
    const col_status status = duv_identify(&is, what, r->error, problem);
    if (status != COL_OK)
        return status;
    print_caches(r, caches);
    if (r->slots > 0)
        (void)snprintf(slots, sizeof slots, " --slots %u", (unsigned)r->slots);
    if (r->accesses != 0)
        (void)snprintf(accesses, sizeof accesses, " --operations %u", r->accesses);
    if (r->has_goal)
        (void)snprintf(goal, sizeof goal, " --reach %u/%u/%u", r->goal.machine, r->goal.state,
                       r->goal.event);
    (void)snprintf(
        identity, CLI_IDENTITY_BYTES,
        "%.200s (%s) --cores %u --blocks %u --outstanding %u --caches %s --tbes %u%s%s%s%s%s%s",
        design->name, is.whole, design->wiring.cores, (unsigned)r->blocks, (unsigned)r->outstanding,
        caches, design->wiring.tbes, slots, accesses, r->is_plain ? " --plain" : "",
        r->takes_any ? " --any-member" : "", r->wants_witnesses ? " --witnesses" : "", goal);
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
