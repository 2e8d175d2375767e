/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Every sentence of a story follows from what was recorded: stories of failures of mutants, of
 * which at least half break the memory model, since those have the most to tell.
 */
#include "protocol/simulate/simulated_design.h"
#include "protocol/simulate/transition_table.h"

#include "claims.h"
#include "episodes.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { FAILURES = 10 };
#elif defined(THOROUGH)
enum { FAILURES = 1000 };
#else
enum { FAILURES = 40 };
#endif

static const char *const designs[] = {"moesi2", "mesi2",       "mesi3",        "tsocc",
                                      "msi",    "mesi2-rvwmo", "moesi2-rvwmo", "mi"};
enum { DESIGNS = sizeof designs / sizeof designs[0], STRIDE = 7 };

static uint32_t count_mutants(const char *name) {
    sim_design design;
    col_problem problem;
    assert_int_equal(sim_design_open(&design, name, 0, NULL, &problem), COL_OK);
    const uint32_t count = sim_table_mutant_count(design.protocol);
    sim_design_close(&design);
    return count;
}

static col_episode_settings small(uint32_t number, const uint32_t mutants[DESIGNS]) {
    const uint32_t design = number % DESIGNS;
    col_episode_settings s = small_episode(designs[design], "chain-bias");
    s.instances = 5;
    s.tests = 20;
    s.setting.design.mutant = 1 + number / DESIGNS * STRIDE % mutants[design];
    s.seed = number;
    s.folder = folder;
    return s;
}

static bool fails(const col_episode_settings *s, col_failure *failure) {
    col_episode episode = {0};
    col_problem problem;
    if (col_episode_run(s, &episode, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    const bool failed = episode.outcome != COL_PASS;
    *failure = episode.failure;
    col_episode_free(&episode);
    return failed;
}

static void check_story(const col_episode_settings *s, const col_failure *failure) {
    char wrong[CLAIMS_WRONG];
    events e;
    record(failure->folder, &e);
    char *words = read_text(failure->folder, "failure.txt");
    if (check_claims(words, &e, wrong) == 0)
        fail_msg("%s --mutant %u --seed %llu: %s\n%s", s->setting.design.name,
                 s->setting.design.mutant, (unsigned long long)s->seed, wrong, words);
    free(words);
    release(&e);
}

TEST(what_a_story_says_follows_from_the_recording) {
    uint32_t mutants[DESIGNS], violations = 0, others = 0;
    for (uint32_t d = 0; d < DESIGNS; d++)
        mutants[d] = count_mutants(designs[d]);
    for (uint32_t i = 0; violations + others < FAILURES; i++) {
        const col_episode_settings s = small(i, mutants);
        col_failure failure;
        if (!fails(&s, &failure))
            continue;
        if (failure.outcome == COL_VIOLATION)
            violations++;
        else if (others < FAILURES / 2)
            others++;
        else
            continue;
        check_story(&s, &failure);
    }
}

/* The checker is no rubber stamp: a story with any number changed, or a sentence that it does not
 * know, is refused. */
TEST(a_story_that_says_something_else_is_refused) {
    static const failing stale = {"mesi2", "without=squash", NULL, false};
    col_failure failure;
    events e;
    char wrong[CLAIMS_WRONG];
    find_failure(&stale, folder, &failure);
    record(failure.folder, &e);
    char *words = read_text(failure.folder, "failure.txt");
    assert_true(check_claims(words, &e, wrong) > 20);
    const char *end = strstr(words, "\n\nState of block ");
    for (char *at = words; at < end; at++) {
        const char was = *at;
        if (was < '0' || was > '9')
            continue;
        *at = "1234567898"[was - '0'];
        if (check_claims(words, &e, wrong) != 0)
            fail_msg("taken for true:\n%s", words);
        *at = was;
    }
    memcpy(strstr(words, "got its value"), "got its VALUE", 13);
    assert_int_equal(check_claims(words, &e, wrong), 0);
    free(words);
    release(&e);
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
