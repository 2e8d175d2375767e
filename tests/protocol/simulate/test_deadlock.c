/* SPDX-License-Identifier: MIT */
/* What is told of a deadlock: who waits for what, who has no free TBE, in whole words. */
#include "edits.h"
#include "runs.h"

#include "protocol/simulate/wait_graph.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <string.h>

/* A deadlock of many cores: an invalidation is not acknowledged. */
static void reach_deadlock(sim_system *system) {
    static const edit lost = {"msi", "L1Cache", "S", "Inv", NULL, "acknowledge"};
    const run_shape shape = plain_shape(system->wiring.cores, 4096);
    edit_apply(system, &lost);
    assert_true(run_until_failure(system, &shape, 20));
    assert_int_equal(system->failure.event.kind, COL_DEADLOCK);
}

static sim_system *make_stuck(uint32_t tbes) {
    run_shape shape = plain_shape(8, 0);
    sim_wiring wiring;
    sim_system *system = make_system(sim_built_in_find("msi"), &shape);
    col_problem problem;
    wiring = system->wiring;
    sim_system_free(system);
    wiring.tbes = tbes;
    assert_int_equal(sim_system_new(&system, sim_built_in_find("msi"), &wiring, &problem), COL_OK);
    reach_deadlock(system);
    return system;
}

TEST(a_deadlock_names_the_controller_without_a_free_tbe) {
    sim_system *system = make_stuck(1);
    assert_non_null(strstr(system->failure.text, " has no free TBE"));
    sim_system_free(system);
    system = make_stuck(64);
    assert_null(strstr(system->failure.text, " has no free TBE"));
    sim_system_free(system);
}

/* Requests that are set aside and never looked at again. */
TEST(a_message_that_nothing_wakes_is_named) {
    static const edit forgotten = {"mi", "Directory", "IM", "Memory_Data", NULL, "wakeWaiting"};
    const run_shape shape = plain_shape(4, 256);
    sim_system *system = make_system(sim_built_in_find("mi"), &shape);
    edit_apply(system, &forgotten);
    assert_true(run_until_failure(system, &shape, 20));
    assert_non_null(strstr(system->failure.text, "; nothing wakes a message: core "));
    assert_non_null(strstr(system->failure.text, " leaves M, but nothing is about to change it"));
    assert_null(strstr(system->failure.text, "cycle of waits"));
    sim_system_free(system);
}

/* An invalidation that is not acknowledged: who waits for the acknowledgement, and in which state.
 */
TEST(a_lost_message_is_named_by_who_waits_for_it) {
    sim_system *system = make_stuck(64);
    const char *text = system->failure.text;
    assert_non_null(strstr(text, "; lost message: core "));
    assert_non_null(strstr(text, " waits in "));
    assert_non_null(strstr(text, "; no message for it is in flight"));
    sim_system_free(system);
}

/* An L2 waits for an unblock that nobody is to send. Requests that it holds up meanwhile wait for
 * it, and do not close a cycle. */
TEST(who_is_held_up_is_not_waited_for) {
    static const edit wrong = {"mesi3", "L2Cache", "MT_SB", "Unblock", "SS_MB", NULL};
    const run_shape shape = plain_shape(8, 4096);
    sim_system *system = make_system(sim_built_in_find("mesi3"), &shape);
    edit_apply(system, &wrong);
    assert_true(run_until_failure(system, &shape, 20));
    assert_int_equal(system->failure.event.kind, COL_DEADLOCK);
    assert_non_null(strstr(system->failure.text, "; lost message: core "));
    assert_non_null(strstr(system->failure.text, ", which waits in SS_MB for Exclusive_Unblock; no "
                                                 "message for it is in flight"));
    sim_system_free(system);
}

/* Buffers with room for one message: an L1 puts requests back that it cannot take, again and again.
 * Those are not in flight, and the cycle goes through them. */
TEST(what_is_put_back_is_not_in_flight) {
    const sl_protocol *protocol = sim_built_in_find("mesi3");
    run_shape shape = plain_shape(8, 0);
    sim_system *system = make_system(protocol, &shape);
    sim_wiring wiring = system->wiring;
    base_text graph = {0};
    col_problem problem;
    sim_system_free(system);
    wiring.network_buffers = 1;
    assert_int_equal(sim_system_new(&system, protocol, &wiring, &problem), COL_OK);
    shape = plain_shape(8, 4096);
    assert_true(run_until_failure(system, &shape, 20));
    assert_int_equal(system->failure.event.kind, COL_DEADLOCK);
    assert_non_null(strstr(system->failure.text, "; cycle of waits: "));
    sim_wait_graph(system, &graph);
    assert_non_null(strstr(graph.data, " in bufferFromL0 of L1Cache "));
    assert_null(strstr(graph.data, ", in flight"));
    base_text_free(&graph);
    sim_system_free(system);
}

/* What the whole graph lists are the accesses, and what each waits for. */
TEST(the_graph_of_waits_has_every_access) {
    sim_system *system = make_stuck(64);
    base_text graph = {0};
    sim_wait_graph(system, &graph);
    for (uint32_t i = 0; i < system->wiring.cores; i++)
        for (uint32_t a = 0; a < system->cores[i].access_count; a++) {
            char line[100];
            (void)snprintf(line, sizeof line,
                           "  core %u for 0x%llx since cycle %llu\n    waits for ", i,
                           (unsigned long long)system->cores[i].accesses[a].block,
                           (unsigned long long)system->cores[i].accesses[a].issued);
            assert_non_null(strstr(graph.data, line));
        }
    base_text_free(&graph);
    sim_system_free(system);
}

/* Its clauses are whole, or the last one ends with a whole word and an ellipsis. */
TEST(a_long_failure_ends_with_a_whole_word) {
    const run_shape shape = plain_shape(2, 0);
    sim_system *system = make_system(sim_built_in_find("mi"), &shape);
    char clauses[1200] = "";
    while (strlen(clauses) < 1000)
        (void)strcat(clauses, "; L1Cache waits");
    if (setjmp(system->escape) == 0)
        sim_fail(system, (col_event){.kind = COL_DEADLOCK}, "no operation has completed%s",
                 clauses);
    const char *text = system->failure.text;
    const size_t length = strlen(text);
    assert_true(length > sizeof system->failure.text - 20);
    const char *word = strrchr(text, ' ');
    assert_true(strcmp(word, " L1Cache…") == 0 || strcmp(word, " waits…") == 0);
    sim_system_free(system);
}
