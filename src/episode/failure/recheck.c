/* SPDX-License-Identifier: MIT */
/* Running a failure on a changed design: see recheck.h. */
#include "episode/failure/recheck.h"

#include "base/memory.h"
#include "base/random.h"
#include "design/design_kind.h"
#include "episode/failure/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct recheck {
    const epi_change *change;
    epi_recorded recorded;
    base_timer *timer;
    epi_pool *pool;
    epi_instance *instances; /* the recorded seed's, then the fresh ones */
    epi_rechecked *found;
} recheck;

static const char *text_or_none(const char *text) {
    return text[0] == '\0' ? NULL : text;
}

static void apply(const epi_change *change, col_setting *setting) {
    if (change->design != NULL) {
        setting->design.name = change->design;
        setting->design.error = NULL;
        setting->design.mutant = 0;
    }
    if (change->error != NULL) {
        setting->design.error = text_or_none(change->error);
        setting->design.mutant = 0;
    }
    if (change->options != NULL)
        setting->design.options = text_or_none(change->options);
    if (change->cores > 0)
        setting->design.cores = change->cores;
}

/* What went wrong without numbers ends the text of the fingerprint. */
static bool has_shape(const col_fingerprint *fingerprint, const char *shape) {
    const size_t whole = strlen(fingerprint->text), part = strlen(shape);
    return fingerprint->text[0] == '\0' ||
           (part <= whole && strcmp(fingerprint->text + whole - part, shape) == 0);
}

static bool is_same(const col_failure *was, const epi_instance *instance) {
    return instance->outcome == was->outcome &&
           (was->outcome != COL_PROTOCOL_WRONG || has_shape(&was->fingerprint, instance->shape));
}

/* The first run that fails as recorded counts, else the first that fails. */
static void judge(recheck *r, const epi_instance *instances, uint32_t count) {
    epi_rechecked *found = r->found;
    const epi_instance *shown = NULL;
    found->failing = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (instances[i].outcome == COL_PASS)
            continue;
        found->failing++;
        if (shown == NULL || (!is_same(&found->was, shown) && is_same(&found->was, &instances[i])))
            shown = &instances[i];
    }
    if (shown == NULL)
        return;
    found->verdict = is_same(&found->was, shown) ? EPI_STILL_FAILS : EPI_FAILS_DIFFERENTLY;
    found->outcome = shown->outcome;
    found->seed = shown->seed;
    found->cycles = shown->cycles;
    (void)snprintf(found->reason, sizeof found->reason, "%s", shown->reason);
}

static col_status run_all(recheck *r, col_problem *problem) {
    epi_rechecked *found = r->found;
    BASE_TRY(epi_pool_check(r->pool, &r->recorded.program, problem));
    r->instances[0].seed = found->was.seed;
    BASE_TRY(epi_pool_run(r->pool, &r->recorded.program, r->instances, 1, false, problem));
    judge(r, r->instances, 1);
    found->is_by_seed = found->verdict != EPI_GONE;
    if (found->is_by_seed)
        return COL_OK;
    found->cycles = r->instances[0].cycles;
    found->runs = r->change->runs;
    for (uint32_t i = 1; i <= found->runs; i++) {
        uint64_t state = found->was.seed + i;
        r->instances[i].seed =
            epi_seed_like(epi_pool_describe(r->pool), base_splitmix(&state), found->was.seed);
    }
    BASE_TRY(
        epi_pool_run(r->pool, &r->recorded.program, r->instances + 1, found->runs, false, problem));
    judge(r, r->instances + 1, found->runs);
    return COL_OK;
}

/* Whoever made the folder chose its options; they are words of a command, say, that the user chose.
 */
static col_status check_options(const recheck *r, bool allow_code, col_problem *problem) {
    const char *design = r->change->design, *options = r->recorded.setting.design.options;
    if (allow_code || design == NULL || !duv_kind_of(design)->is_code || options == NULL ||
        options[0] == '\0' || r->change->options != NULL)
        return COL_OK;
    return base_refuse(
        problem,
        "%.200s is native code; give its options with --options, or add --allow-code "
        "to pass it the recorded ones",
        design);
}

col_status epi_recheck(const char *folder, bool allow_code, const epi_change *change,
                       epi_rechecked *found, col_problem *problem) {
    recheck r = {.change = change, .recorded = {.program = COL_PROGRAM_EMPTY}, .found = found};
    *found = (epi_rechecked){.verdict = EPI_GONE};
    /* The design that is run instead is the user's own. */
    col_status status = epi_failure_read(folder, allow_code || change->design != NULL, &r.recorded,
                                         &found->was, problem);
    BASE_THEN(status, check_options(&r, allow_code, problem));
    BASE_THEN(status,
              base_new(&r.instances, change->runs + (size_t)1, sizeof *r.instances, problem));
    if (status == COL_OK)
        apply(change, &r.recorded.setting);
    BASE_THEN(status, base_timer_new(&r.timer, NULL, problem));
    BASE_THEN(status, epi_pool_new(&r.pool, &r.recorded.setting, change->jobs, r.timer, problem));
    BASE_THEN(status, run_all(&r, problem));
    for (uint32_t i = 0; i <= change->runs && r.instances != NULL; i++)
        epi_instance_free(&r.instances[i]);
    free(r.instances);
    if (r.pool != NULL)
        epi_pool_free(r.pool);
    base_timer_free(r.timer);
    epi_recorded_free(&r.recorded);
    return status;
}
