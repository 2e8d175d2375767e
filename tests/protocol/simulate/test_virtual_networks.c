/* SPDX-License-Identifier: MIT */
/* Latency and jitter of one virtual network beside those of the others: how long messages take. */
#include "protocol/simulate/simulated_design.h"
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

enum { CORES = 4, MOST_MESSAGES = 1 << 16, FORWARDS = 1 };

/* Forwards of msi go over virtual network 1, and responses over another. */
typedef struct trips {
    uint64_t sent[MOST_MESSAGES]; /* by number: the cycle */
    uint64_t count[2], least[2], most[2];
} trips;

/* Requests have the names of forwards, but invalidations are forwards alone. */
static bool is_counted(const char *type) {
    return strcmp(type, "GetS") != 0 && strcmp(type, "GetM") != 0;
}

static bool is_controller(uint32_t machine) {
    return machine != COL_OF_CORE && machine != COL_OF_MEMORY;
}

static void notice(void *context, const col_event *e) {
    trips *t = context;
    assert_true(e->number < MOST_MESSAGES);
    if (!is_controller(e->machine) || !is_controller(e->to_machine) || !is_counted(e->message))
        return;
    if (e->kind == COL_MESSAGE_SENT) {
        t->sent[e->number] = e->cycle;
        return;
    }
    const bool forward = strcmp(e->message, "Inv") == 0;
    const uint64_t trip = e->cycle - t->sent[e->number];
    t->least[forward] =
        t->count[forward] == 0 || trip < t->least[forward] ? trip : t->least[forward];
    t->most[forward] = trip > t->most[forward] ? trip : t->most[forward];
    t->count[forward]++;
}

static void travel(const sim_choice *choices, size_t count, trips *t) {
    static sim_design design;
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem = {.message = ""};
    sim_system *system = NULL;
    const run_shape shape = plain_shape(CORES, 400);
    memset(t, 0, sizeof *t);
    if (sim_design_open_as(&design, "msi", &(sim_request){CORES, 0, choices, count}, NULL,
                           &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(sim_system_new(&system, design.protocol, &design.wiring, &problem), COL_OK);
    make_program(&shape, 1, &program);
    const col_observer observer = {.context = t,
                                   .notice = notice,
                                   .kinds = 1U << COL_MESSAGE_SENT | 1U << COL_MESSAGE_RECEIVED};
    (void)run_well(system, &program, 1, false, &observer);
    assert_true(t->count[0] > 100 && t->count[FORWARDS] > 20);
    sim_system_free(system);
    col_program_free(&program);
    sim_design_close(&design);
}

TEST(one_network_is_slower) {
    static trips plain, slow;
    static const sim_choice still[] = {{"network.jitter", "0"}};
    static const sim_choice late[] = {{"network.jitter", "0"}, {"network.1.latency", "700"}};
    travel(still, 1, &plain);
    travel(late, 2, &slow);
    assert_true(plain.least[FORWARDS] < 20);
    assert_true(slow.least[FORWARDS] >= 700);
    assert_int_equal(slow.least[0], plain.least[0]);
}

TEST(one_network_is_unsteady) {
    static trips t;
    static const sim_choice choices[] = {{"network.jitter", "0"}, {"network.1.jitter", "900"}};
    travel(choices, 2, &t);
    assert_true(t.least[FORWARDS] < 200 && t.most[FORWARDS] > 500);
}

/* A slow network is not starvation: the patience is that of the slowest. */
TEST(patience_is_for_the_slowest) {
    static sim_design design;
    static const sim_choice choices[] = {{"network.2.latency", "60000"}};
    col_problem problem = {.message = ""};
    assert_int_equal(
        sim_design_open_as(&design, "msi", &(sim_request){CORES, 0, choices, 1}, NULL, &problem),
        COL_OK);
    assert_true(sim_wiring_patience(&design.wiring) > UINT64_C(240000));
    sim_design_close(&design);
}

TEST(there_are_sixteen) {
    static sim_design design;
    static const sim_choice wrong[] = {{"network.16.latency", "6"}};
    col_problem problem = {.message = ""};
    assert_int_equal(
        sim_design_open_as(&design, "msi", &(sim_request){CORES, 0, wrong, 1}, NULL, &problem),
        COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "network.16.latency"));
}
