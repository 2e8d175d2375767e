/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Designs of which only reads are seen: errors are found as in designs that show all, programs are
 * made to fit what a design takes, and what does not repeat is told from its recording.
 */
#include "base/machine.h"
#include "collider/shrink.h"
#include "episode/episode_adapt.h"
#include "episodes.h"
#include "harness.h"
#include "recorded.h"

#include <stdlib.h>
#include <string.h>

/* ---- The same errors. */

static col_episode_settings settings_of(const char *design, const char *error) {
    col_episode_settings s = small_episode(design, "chain-bias");
    s.setting.design.cores = 8;
    s.operations = (col_range){1024, 1024};
    s.locations = (col_range){16, 16};
    s.instances = 5;
    s.setting.design.error = error;
    s.has_operations = s.has_instances = true;
    return s;
}

static void errors_are_seen_by_reads_alone(void **state) {
    (void)state;
    static const char *const errors[][2] = {
        {"mesi2", "MESI,LQ+IS,Inv"},
        {"mesi2", "MESI,LQ+S,Replacement"},
        {"mesi2", "SQ+no-FIFO"},
        {"mesi3", "E.4.2"},
        {"mesi2", NULL},
        {"mesi2-rvwmo", NULL},
    };
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        col_episode all, reads;
        col_episode_settings s = settings_of(errors[i][0], errors[i][1]);
        run_episode(&s, &all);
        s.setting.design.reads_only = true;
        run_episode(&s, &reads);
        assert_int_equal(reads.undecided, 0);
        if (reads.outcome != all.outcome || reads.tests < all.tests) /* less is seen, not more */
            fail_msg("%s: %s in %llu tests, by reads alone %s in %llu", errors[i][1],
                     col_outcomes[all.outcome], (unsigned long long)all.tests,
                     col_outcomes[reads.outcome], (unsigned long long)reads.tests);
        assert_int_equal(all.outcome == COL_PASS, errors[i][1] == NULL);
        col_episode_free(&all);
        col_episode_free(&reads);
    }
}

/* ---- What takes too long to judge. */

static void what_is_not_judged_is_not_a_pass(void **state) {
    (void)state;
    col_episode episode;
    col_episode_settings s =
        settings_of("mesi2", "SQ+no-FIFO"); /* no quick search finds an order */
    s.tests = 2;
    s.setting.design.reads_only = true;
    s.setting.judging = 1e-6;
    run_episode(&s, &episode);
    assert_true(episode.undecided > 0 && episode.undecided <= episode.instances);
    assert_int_equal(episode.outcome, COL_UNJUDGED);
    assert_int_equal(episode.failures, 0);
    col_episode_free(&episode);
}

/* ---- Programs that fit. */

static const char text[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x10040\n"
                           "location a2 0x1008\n"
                           "thread 0\nstore a0 1\nswap a1 2 acquire release\n"
                           "load a2 address@-1\nflush a0\nadd a2 3 data@-2\nfence\nend\n";

static void fetches_stay_where_their_block_has_room_for_an_instruction(void **state) {
    (void)state;
    const col_duv_description design = {.name = "box", .executes = true};
    static const char full[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x48\n"
                               "location a2 0x50\nlocation a3 0x58\nlocation a4 0x60\n"
                               "location a5 0x68\nlocation a6 0x70\nlocation a7 0x78\n"
                               "location a8 0x80\nthread 0\nfetch a3\nfetch a8\nprefetch a3\n"
                               "end\n";
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    assert_int_equal(col_program_read(&program, full, sizeof full - 1, "fit", &problem), COL_OK);
    assert_int_equal(epi_adapt_program(&program, &design, &problem), COL_OK);
    assert_int_equal(program.operations[0].kind, COL_DELAY);
    assert_int_equal(program.operations[1].kind, COL_FETCH);
    assert_int_equal(program.operations[2].kind, COL_PREFETCH);
    col_program_free(&program);
}

static void programs_are_made_to_fit(void **state) {
    (void)state;
    const col_duv_description design = {.name = "box",
                                        .is_narrow = true,
                                        .window = 0x2000,
                                        .geometry = {.block_bits = 6},
                                        .refuses =
                                            1U << COL_FLUSH | 1U << COL_SWAP | 1U << COL_ADD};
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    assert_int_equal(col_program_read(&program, text, sizeof text - 1, "fit", &problem), COL_OK);
    assert_int_equal(epi_adapt_program(&program, &design, &problem), COL_OK);
    assert_int_equal(col_program_check(&program, &problem), COL_OK);
    assert_true(program.is_narrow);
    const col_operation *o = program.operations;
    assert_int_equal(o[1].kind, COL_STORE);
    assert_int_equal(o[1].order, COL_RELEASE);
    assert_int_equal(o[2].dependency, COL_NO_DEPENDENCY); /* the swap reads no more */
    assert_int_equal(o[3].kind, COL_DELAY);
    assert_int_equal(o[4].kind, COL_STORE);
    assert_int_equal(o[4].dependency, COL_DATA);
    assert_int_equal(o[5].kind, COL_FENCE);
    for (uint32_t l = 0; l < program.location_count; l++)
        assert_true(program.addresses[l] < design.window);
    assert_int_equal(program.addresses[0], 0x40);
    assert_int_equal(program.addresses[1], 0x80); /* 0x40 is taken: the next block */
    assert_int_equal(program.addresses[2], 0x1008);

    const col_duv_description tiny = {.name = "box", .window = 128, .geometry = {.block_bits = 6}};
    assert_int_equal(col_program_read(&program, text, sizeof text - 1, "fit", &problem), COL_OK);
    assert_int_equal(epi_adapt_program(&program, &tiny, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message,
                        "3 locations do not fit into the 0x80 bytes of memory that "
                        "the design box has for tests");
    col_program_free(&program);
}

static void settings_are_the_designs_unless_they_are_the_users(void **state) {
    (void)state;
    const col_duv_description design = {
        .least_operations = 16, .most_operations = 64, .instances = 300};
    col_episode_settings s;
    col_episode_default(&s);
    epi_adapt_settings(&s, &design);
    assert_int_equal(s.operations.least, 16);
    assert_int_equal(s.operations.most, 64);
    assert_int_equal(s.instances, 300);
    col_episode_default(&s);
    s.has_operations = s.has_instances = true;
    epi_adapt_settings(&s, &design);
    assert_int_equal(s.operations.least, 1024);
    assert_int_equal(s.instances, 5);
}

/* ---- This machine. */

#if defined(__x86_64__)

/* Store buffering: two processors see each other's locations before the stores. */
static void what_processors_do_is_found_replayed_and_shrunk(void **state) {
    (void)state;
    col_problem problem;
    col_episode episode;
    col_episode_settings s = settings_of("host", NULL);
    if (base_processors() < 2)
        skip();
    s.setting.design.cores = 2;
    s.setting.model = COL_SC;
    s.folder = folder;
    s.operations = (col_range){64, 256};
    s.instances = 500;
    s.tests = 200;
    run_episode(&s, &episode);
    assert_int_equal(episode.outcome, COL_VIOLATION);
    assert_true(episode.failure.shown_again); /* as it is told from what was recorded */
    char *reads = read_text(episode.failure.folder, "reads.txt");
    assert_non_null(strstr(reads, "check\n"));
    free(reads);

    col_failure was, is;
    if (col_replay(episode.failure.folder, false, &was, &is, NULL, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_true(is.runs > 0);
    assert_true(is.shown <= is.runs);
    if (is.shown > 0)
        assert_int_equal(is.outcome, COL_VIOLATION);

    col_shrunk shrunk;
    col_shrink_settings how;
    col_shrink_default(&how);
    how.folder = episode.failure.folder;
    how.seeds = 100;
    how.seconds = 20;
    const col_status status = col_shrink(&how, &shrunk, &problem);
    if (status != COL_OK && is.shown * 100 >= is.runs) /* below, it is a matter of luck */
        fail_msg("%s", problem.message);
    if (status == COL_OK && shrunk.minimal)
        assert_true(shrunk.to.operations < 64);
    col_episode_free(&episode);
}

static void processors_fetch_while_others_store_beside(void **state) {
    (void)state;
    col_episode episode;
    col_episode_settings s = settings_of("host", NULL);
    s.setting.design.cores = 2;
    s.operations = (col_range){16, 64};
    s.instances = 50;
    s.tests = 10;
    s.mix = "full-prefetch";
    run_episode(&s, &episode);
    assert_int_equal(episode.outcome, COL_PASS);
    assert_int_equal(episode.instances, 500);
    col_episode_free(&episode);
}

static void processors_keep_what_they_promise(void **state) {
    (void)state;
    col_episode episode;
    col_episode_settings s = settings_of("host", NULL);
    s.setting.design.cores = 2;
    s.operations = (col_range){16, 256};
    s.instances = 200;
    s.tests = 40;
    s.metric = COL_STRUCTURAL;
    run_episode(&s, &episode);
    assert_int_equal(episode.outcome, COL_PASS);
    assert_int_equal(episode.instances, 8000);
    assert_true(col_coverage_of(episode.coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES)
                    .covered > 10);
    col_episode_free(&episode);
}

#else

static void what_processors_do_is_found_replayed_and_shrunk(void **state) {
    (void)state;
    print_message("skipped: what AArch64 shows of SC is a matter of luck\n");
    skip();
}

static void processors_fetch_while_others_store_beside(void **state) {
    (void)state;
    skip();
}

static void processors_keep_what_they_promise(void **state) {
    (void)state;
    skip();
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_seen_by_reads_alone),
        cmocka_unit_test(what_is_not_judged_is_not_a_pass),
        cmocka_unit_test(programs_are_made_to_fit),
        cmocka_unit_test(settings_are_the_designs_unless_they_are_the_users),
        cmocka_unit_test(what_processors_do_is_found_replayed_and_shrunk),
        cmocka_unit_test(fetches_stay_where_their_block_has_room_for_an_instruction),
        cmocka_unit_test(processors_fetch_while_others_store_beside),
        cmocka_unit_test(processors_keep_what_they_promise),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
