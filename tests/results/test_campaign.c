/* SPDX-License-Identifier: MIT */
/* Campaigns that share a store, go on with what is there, and are stopped: no trial is run twice,
 * and what is told of them is true. */
#include "results/campaign_apart.h"

#include "base/file.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Others in the same store. */

TEST(two_campaigns_at_once_run_each_trial_once) {
    base_text reference = {0};
    double seconds;
    campaign_result a, b;
    const how h = {.plan = quick_plan, .store = scratch_path("two.db"), .jobs = 2, .resume = true};
    make_reference(&reference, &seconds);
    running first = start(&h), second = start(&h);
    assert_true(finish(&first, &a));
    assert_true(finish(&second, &b));
    if (a.status != COL_OK || b.status != COL_OK)
        fail_msg("%s / %s", a.message, b.message);
    assert_int_equal(a.summary.done, TRIALS - FAILING);
    assert_int_equal(b.summary.done, TRIALS - FAILING);
    assert_int_equal(a.summary.ran + b.summary.ran, TRIALS); /* none of them twice */
    check_same(h.store, &reference);
    remove_store(h.store);
    base_text_free(&reference);
}

/* What has been done is not done again; what has results is not gone on with unasked. */
TEST(finished_trials_are_not_run_again) {
    campaign_result r;
    char text[64];
    how h = {.plan = quick_plan, .store = scratch_path("resume.db"), .jobs = 1};
    run_well(&h, &r);
    assert_int_equal(r.summary.ran, TRIALS);
    run_apart(&h, &r);
    assert_int_equal(r.status, COL_BAD_INPUT);
    assert_non_null(strstr(r.message, "--resume"));
    h.resume = true;
    run_well(&h, &r);
    assert_int_equal(r.summary.ran, 0);
    assert_int_equal(r.summary.done, TRIALS - FAILING);
    h.retry = true;
    run_well(&h, &r);
    assert_int_equal(r.summary.ran, FAILING);
    assert_int_equal(r.summary.failed, FAILING);
    /* A plan that shares trials has them already. */
    h.plan = "plan: other\ntitle: Some of the same\n"
             "defaults: {design: mi, cores: 2, ops: 256, locations: 4, instances: 2, tests: 8}\n"
             "grids:\n  - {engine: [plain, htg], seed: 2..3}\n";
    h.resume = h.retry = false; /* nobody has run this one: there is nothing to go on with */
    run_well(&h, &r);
    assert_int_equal(r.summary.total, 4);
    assert_int_equal(r.summary.ran, 2);
    ask_store(h.store, "SELECT count(*) FROM trials", text, sizeof text);
    assert_string_equal(text, "14");
    ask_store(h.store, "SELECT count(*) FROM campaigns WHERE ended IS NULL", text, sizeof text);
    assert_string_equal(text, "0");
    /* The views agree. */
    ask_store(h.store,
              "SELECT done || ' ' || failed || ' ' || open FROM progress WHERE plan = 'crash'",
              text, sizeof text);
    assert_string_equal(text, "10 2 0");
    ask_store(h.store,
              "SELECT trials || ' ' || failed || ' ' || found FROM summary WHERE plan = 'crash' AND"
              " json_extract(settings, '$.error') = 'D9'",
              text, sizeof text);
    assert_string_equal(text, "2 0 2");
    ask_store(h.store, "SELECT sum(structural > 0 AND structural <= 1) FROM results", text,
              sizeof text);
    assert_string_equal(text, "13"); /* both plans: all episodes that were done */
    remove_store(h.store);
}

/* A design that has changed is another one: what it did before is kept, and is no part of the plan.
 */
TEST(a_changed_design_counts_as_another) {
    static const char *const versions[] = {"name: own\nprotocol: mi\n",
                                           "name: own\nprotocol: msi\n"};
    campaign_result r;
    char design[512], plan[1024], before[64], after[64];
    how h = {.plan = plan, .store = scratch_path("changed.db"), .jobs = 2};
    (void)snprintf(design, sizeof design, "%s", scratch_path("own.yaml"));
    (void)snprintf(plan, sizeof plan,
                   "plan: changed\ngrids:\n  - {design: '%s', cores: 2, ops: 64, locations: 4,"
                   " engine: plain, tests: 1, seed: 1..3}\n",
                   design);
    assert_int_equal(base_file_write(design, versions[0], strlen(versions[0]), NULL), COL_OK);
    run_well(&h, &r);
    assert_int_equal(r.summary.outdated, 0);
    assert_int_equal(base_file_write(design, versions[1], strlen(versions[1]), NULL), COL_OK);
    /* Not unasked, and then nothing is written. */
    ask_store(h.store, "SELECT grid_hash FROM plans", before, sizeof before);
    run_apart(&h, &r);
    assert_int_equal(r.status, COL_BAD_INPUT);
    assert_non_null(strstr(r.message, "(3 of 3 trials); --resume"));
    ask_store(h.store, "SELECT grid_hash FROM plans", after, sizeof after);
    assert_string_equal(before, after);
    h.resume = true;
    for (uint64_t turn = 0; turn < 2; turn++) {
        run_well(&h, &r);
        assert_int_equal(r.summary.ran, turn == 0 ? 3 : 0);
        assert_int_equal(r.summary.done, 3);
        assert_int_equal(r.summary.outdated, 3);
    }
    (void)unlink(design);
    remove_store(h.store);
}

/* ---- Stopping and telling. */

enum { TIMED = 8 };

/* However fast the machine is, these take long enough to be stopped in the middle. */
static const char timed_plan[] =
    "plan: timed\ntitle: Trials that take a twentieth of a second\n"
    "grids:\n  - {design: mi, cores: 2, ops: 64, locations: 4, engine: plain, time: 0.05s,"
    " seed: 1..8}\n";

typedef struct watcher {
    int stop;
    uint64_t calls, ended, before;
    bool is_wrong;
} watcher;

static void watch(void *context, const cam_progress *p) {
    watcher *w = context;
    w->calls++;
    w->ended += p->ended_count;
    w->is_wrong = w->is_wrong || p->total != TIMED || p->running_count > 1 || p->failed > 0 ||
                  p->before != w->before || p->done != p->before + w->ended;
    for (uint32_t i = 0; i < p->ended_count; i++)
        w->is_wrong =
            w->is_wrong || strtoull(p->ended[i].text, NULL, 10) !=
                               p->ended[i].position + 1; /* the seed: all else is the same */
    if (w->ended >= 2)
        w->stop = 1;
}

TEST(a_stopped_campaign_can_be_resumed) {
    cam_plan plan = {0};
    col_problem problem = {0};
    watcher w = {0};
    cam_campaign_summary summary;
    cam_campaign_settings settings = {.plan = &plan,
                                      .store = scratch_path("stop.db"),
                                      .jobs = 1,
                                      .stop = &w.stop,
                                      .progress = watch,
                                      .context = &w};
    assert_int_equal(cam_plan_read(&plan, timed_plan, strlen(timed_plan), "plan", NULL, &problem),
                     COL_OK);
    if (cam_campaign_run(&settings, &summary, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_true(summary.was_stopped && !w.is_wrong);
    assert_true(summary.done >= 2 && summary.done < TIMED);
    assert_true(w.calls > 1);
    assert_int_equal(w.ended, summary.ran);
    assert_int_equal(w.ended, summary.done);
    w = (watcher){.before = summary.done};
    settings.resume = true;
    settings.stop = NULL;
    assert_int_equal(cam_campaign_run(&settings, &summary, &problem), COL_OK);
    assert_false(summary.was_stopped || w.is_wrong);
    assert_int_equal(summary.done, TIMED);
    assert_int_equal(summary.ran, TIMED - w.before);
    assert_int_equal(w.ended, summary.ran);
    remove_store(settings.store);
    cam_plan_free(&plan);
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
