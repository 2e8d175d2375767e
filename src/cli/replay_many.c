/* SPDX-License-Identifier: MIT */
/* Replaying several failures: see replay_many.h. */
#include "cli/replay_many.h"

#include "base/json.h"
#include "base/text.h"
#include "episode/failure/failure.h"

#include <inttypes.h>
#include <string.h>

enum { ERROR_FOUND = 1 };

/* What came of a failure. */
typedef enum result { AS_RECORDED, GONE, DIFFERENT, NOT_RUN, RESULTS } result;

/* In JSON, and in summaries of the two ways to run them. */
static const char *const words[RESULTS] = {"same", "gone", "different", "not run"};
static const char *const summaries[2][RESULTS] = {
    {"as recorded", "passing now", "failing differently", "not run"},
    {"still failing", "gone", "failing differently", "not run"}};

typedef struct many {
    const cli_arguments *arguments;
    bool allow_code;
    const epi_change *change;
    uint64_t counts[RESULTS];
    json_t *list;
    col_problem first; /* of those that were not run */
} many;

/* ---- One of them. */

static void print_line(const many *m, const char *name, const char *says) {
    if (m->arguments->prints)
        base_print(stdout, "%s: %s\n", name, says);
}

static json_t *describe(const char *name, result what, const col_failure *was) {
    return json_pack("{s:o, s:s, s:o}", "failure", base_json_text(name), "result", words[what],
                     "recorded",
                     what == NOT_RUN ? json_null() : json_string(col_outcomes[was->outcome]));
}

static col_status replay_one(many *m, const cli_failure *f, col_problem *problem) {
    col_failure was, is;
    char says[1024];
    BASE_TRY(epi_replay(f->folder, m->allow_code, &was, &is, NULL, NULL, NULL, NULL, problem));
    const bool is_same = was.outcome == is.outcome && strcmp(was.reason, is.reason) == 0;
    const result what = is.outcome == COL_PASS ? GONE : is_same ? AS_RECORDED : DIFFERENT;
    if (what == AS_RECORDED)
        base_sentence(says, sizeof says, "%s, as recorded", col_outcomes[is.outcome]);
    else if (what == GONE)
        base_sentence(says, sizeof says, "passes now (recorded: %s)", col_outcomes[was.outcome]);
    else
        base_sentence(says, sizeof says, "fails differently: %s: %s (recorded: %s: %s)",
                      col_outcomes[is.outcome], is.reason, col_outcomes[was.outcome], was.reason);
    print_line(m, f->name, says);
    m->counts[what]++;
    json_t *one = describe(f->name, what, &was);
    base_json_set(&one, "verdict", json_string(col_outcomes[is.outcome]));
    base_json_set(&one, "reason", base_json_text(is.reason));
    base_json_set(&one, "cycles", json_integer((json_int_t)is.cycles));
    base_json_append(&m->list, one);
    return COL_OK;
}

/* "violation with the recorded seed"; "violation in 3 of 100 runs with fresh seeds" */
static void say_how(const epi_rechecked *r, char *says, size_t size) {
    if (r->is_by_seed)
        base_sentence(says, size, "%s with the recorded seed", col_outcomes[r->outcome]);
    else
        base_sentence(says, size, "%s in %u of %u run%s with fresh seeds", col_outcomes[r->outcome],
                      r->failing, r->runs, base_plural(r->runs));
}

static col_status recheck_one(many *m, const cli_failure *f, col_problem *problem) {
    epi_rechecked r;
    char says[1024], how[256], seed[24];
    BASE_TRY(epi_recheck(f->folder, m->allow_code, m->change, &r, problem));
    const result what = r.verdict == EPI_GONE          ? GONE
                        : r.verdict == EPI_STILL_FAILS ? AS_RECORDED
                                                       : DIFFERENT;
    say_how(&r, how, sizeof how);
    if (what == GONE)
        base_sentence(says, sizeof says, "gone: passes with the recorded seed and %u other%s",
                      r.runs, base_plural(r.runs));
    else if (what == AS_RECORDED)
        base_sentence(says, sizeof says, "still fails: %s", how);
    else
        base_sentence(says, sizeof says, "fails differently: %s: %s (recorded: %s)", how, r.reason,
                      col_outcomes[r.was.outcome]);
    print_line(m, f->name, says);
    m->counts[what]++;
    (void)snprintf(seed, sizeof seed, "%" PRIu64, r.outcome == COL_PASS ? r.was.seed : r.seed);
    json_t *one = describe(f->name, what, &r.was);
    base_json_set(&one, "verdict", json_string(col_outcomes[r.outcome]));
    base_json_set(&one, "reason", base_json_text(r.reason));
    base_json_set(&one, "cycles", json_integer((json_int_t)r.cycles));
    base_json_set(&one, "recorded_seed", json_boolean(r.is_by_seed));
    base_json_set(&one, "seed", json_string(seed));
    base_json_set(&one, "failing", json_integer((json_int_t)r.failing));
    base_json_set(&one, "runs", json_integer((json_int_t)r.runs));
    base_json_append(&m->list, one);
    return COL_OK;
}

/* One that cannot be run does not hold up the others. */
static col_status note_refusal(many *m, const cli_failures *failures, const cli_failure *f,
                               const col_problem *problem) {
    col_problem own = *problem;
    char says[sizeof own.message + 32];
    cli_failure_blame(failures, f, &own);
    base_sentence(says, sizeof says, "not run: %s", own.message);
    print_line(m, f->name, says);
    if (m->counts[NOT_RUN]++ == 0)
        m->first = own;
    json_t *one = describe(f->name, NOT_RUN, NULL);
    base_json_set(&one, "reason", base_json_text(own.message));
    base_json_append(&m->list, one);
    return COL_OK;
}

/* ---- All of them. */

static col_status run_each(many *m, cli_failures *failures, col_problem *problem) {
    for (size_t i = 0; i < failures->count; i++) {
        cli_failure *f = &failures->list[i];
        col_status status = cli_failure_open(failures, f, problem);
        BASE_THEN(status,
                  m->change == NULL ? replay_one(m, f, problem) : recheck_one(m, f, problem));
        cli_failure_close(f);
        if (status == COL_BAD_INPUT)
            status = note_refusal(m, failures, f, problem);
        if (status != COL_OK) {
            cli_failure_blame(failures, f, problem);
            return status;
        }
    }
    return COL_OK;
}

/* "16 failures: 12 gone, 3 still failing, 1 failing differently" */
static void print_summary(const many *m, const cli_failures *failures) {
    static const result order[2][RESULTS] = {{AS_RECORDED, GONE, DIFFERENT, NOT_RUN},
                                             {GONE, AS_RECORDED, DIFFERENT, NOT_RUN}};
    const int way = m->change != NULL;
    const char *between = ": ";
    base_print(stdout, "%zu failure%s", failures->count, base_plural(failures->count));
    for (int i = 0; i < RESULTS; i++) {
        const result what = order[way][i];
        if (m->counts[what] == 0)
            continue;
        base_print(stdout, "%s%llu %s", between, (unsigned long long)m->counts[what],
                   summaries[way][what]);
        between = ", ";
    }
    if (failures->lost > 0)
        base_print(stdout, "; of %zu more the programs were not kept", failures->lost);
    base_print(stdout, "\n");
}

static int refuse_first(const many *m, size_t count, col_problem *problem) {
    *problem = m->first;
    base_sentence(problem->message, sizeof problem->message, "%s (%llu of %zu failures not run)",
                  m->first.message, (unsigned long long)m->counts[NOT_RUN], count);
    return COL_BAD_INPUT;
}

int cli_replay_many(const cli_arguments *arguments, cli_failures *failures, bool allow_code,
                    const epi_change *change, col_problem *problem) {
    many m = {
        .arguments = arguments, .allow_code = allow_code, .change = change, .list = json_array()};
    col_status status = run_each(&m, failures, problem);
    if (status == COL_OK && arguments->prints)
        print_summary(&m, failures);
    status = cli_write_json(arguments, status, m.list, problem);
    if (status != COL_OK)
        return (int)status;
    if (m.counts[NOT_RUN] > 0)
        return refuse_first(&m, failures->count, problem);
    return m.counts[AS_RECORDED] + m.counts[DIFFERENT] > 0 ? ERROR_FOUND : COL_OK;
}
