/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Every sentence of a story of our RTL follows from what was recorded: memory systems at their
 * ports and a chip at its pins, with errors of theirs. Skipped where there is no Verilator.
 */
#include "claims.h"
#include "episodes.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef THOROUGH
enum { SEEDS = 10 };
#else
enum { SEEDS = 1 };
#endif

typedef struct subject {
    const char *design;
    uint32_t operations; /* of a test */
    bool reads_only;
    uint8_t errors[16]; /* that show soon; ended by 0 */
} subject;

static const subject subjects[] = {
    {TEST_RTL "/msi/msi.yaml", 200, false, {1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 14, 18}},
    {TEST_RTL "/msi/msi.yaml", 200, true, {3, 4, 5, 9, 10, 11, 14}},
    {TEST_RTL "/directory/directory.yaml", 200, false, {5, 10, 20, 23, 24, 25, 26, 28}},
    {TEST_RTL "/cores/cores.yaml", 100, false, {1, 2, 3, 5, 9, 10, 11, 14, 30, 31}},
    {TEST_RTL "/cores/cores-axi4.yaml", 100, false, {1, 2, 5, 9, 10, 11, 14}},
};

static bool fails(const subject *s, uint32_t error, uint64_t seed, col_failure *failure) {
    char options[40];
    col_episode_settings settings = small_episode(s->design, "chain-bias");
    col_episode episode = {0};
    col_problem problem;
    (void)snprintf(options, sizeof options, "error_select=%u", error);
    settings.setting.design.options = options;
    settings.setting.design.reads_only = s->reads_only;
    settings.operations = (col_range){s->operations, s->operations};
    settings.locations = (col_range){4, 8};
    settings.instances = 3;
    settings.tests = 5;
    settings.seed = seed;
    settings.folder = folder;
    if (col_episode_run(&settings, &episode, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    const bool failed = episode.outcome != COL_PASS;
    *failure = episode.failure;
    col_episode_free(&episode);
    return failed;
}

static uint32_t check_story(const char *design, uint32_t error, uint64_t seed,
                            const col_failure *failure) {
    char wrong[CLAIMS_WRONG];
    events e;
    record(failure->folder, &e);
    char *words = read_text(failure->folder, "failure.txt");
    const uint32_t checked = check_claims(words, &e, wrong);
    if (checked == 0)
        (void)fprintf(stderr, "%s error_select=%u seed %llu: %s\n%s\n", design, error,
                      (unsigned long long)seed, wrong, words);
    free(words);
    release(&e);
    return checked;
}

TEST(what_a_story_of_rtl_says_follows_from_the_recording) {
    uint32_t stories = 0, checked = 0, wrong = 0;
    if (system("verilator --version >/dev/null 2>&1") != 0)
        skip();
    for (size_t s = 0; s < sizeof subjects / sizeof subjects[0]; s++) {
        uint32_t here = 0;
        for (uint32_t i = 0; subjects[s].errors[i] != 0; i++)
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                col_failure failure;
                const uint32_t error = subjects[s].errors[i];
                if (!fails(&subjects[s], error, seed, &failure))
                    continue;
                const uint32_t true_ones = check_story(subjects[s].design, error, seed, &failure);
                checked += true_ones;
                wrong += true_ones == 0;
                here++;
            }
        assert_true(here > 5);
        stories += here;
    }
    print_message("%u stories, %u claims\n", stories, checked);
    assert_int_equal(wrong, 0);
    assert_true(checked > 20 * stories);
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
