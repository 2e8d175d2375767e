/* SPDX-License-Identifier: MIT */
/* Campaigns in processes of their own: see campaign_apart.h. */
#include "results/campaign_apart.h"

#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const char quick_plan[] =
    "plan: crash\n"
    "title: Quick trials, to be killed\n"
    "defaults: {design: mi, cores: 2, ops: 256, locations: 4, instances: 2, tests: 8}\n"
    "grids:\n"
    "  - engine: [plain, chain-bias, htg]\n"
    "    seed: 1..2\n"
    "  - design: mesi3\n"
    "    error: [D9, no-such-error]\n"
    "    engine: chain-bias\n"
    "    ops: 512\n"
    "    locations: 8\n"
    "    seed: 1..2\n"
    "  - engine: rlg\n"
    "    learning: yes\n"
    "    tests: 4\n"
    "  - kind: locations\n"
    "    engine: chain\n"
    "    tests: 2\n";

/* ---- Processes. */

static void run_here(const how *h, campaign_result *r) {
    cam_plan plan = {.allows_code = true};
    col_problem problem = {0};
    *r = (campaign_result){0};
    r->status = cam_plan_read(&plan, h->plan, strlen(h->plan), "plan", NULL, &problem);
    cam_keys keys = {0};
    bool *chosen = NULL;
    if (r->status == COL_OK && h->shard.count > 0)
        r->status = cam_keys_make(&keys, &plan, &problem);
    if (r->status == COL_OK && h->shard.count > 0) {
        chosen = malloc(plan.trial_count);
        assert_non_null(chosen);
        memset(chosen, true, plan.trial_count);
        cam_shard_choose(&h->shard, &keys, chosen);
    }
    const cam_campaign_settings settings = {.plan = &plan,
                                            .store = h->store,
                                            .jobs = h->jobs,
                                            .resume = h->resume,
                                            .retry = h->retry,
                                            .chosen = chosen,
                                            .keys = chosen == NULL ? NULL : &keys};
    if (r->status == COL_OK)
        r->status = cam_campaign_run(&settings, &r->summary, &problem);
    (void)snprintf(r->message, sizeof r->message, "%s", problem.message);
    free(chosen);
    cam_keys_free(&keys);
    cam_plan_free(&plan);
}

running start(const how *h) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    (void)fflush(NULL);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        campaign_result r;
        const struct rlimit limit = {.rlim_cur = h->most_bytes, .rlim_max = RLIM_INFINITY};
        (void)setpgid(0, 0);
        (void)close(ends[0]);
        if (h->most_bytes > 0)
            (void)setrlimit(RLIMIT_FSIZE, &limit);
        run_here(h, &r);
        _exit(write(ends[1], &r, sizeof r) == sizeof r ? 0 : 1);
    }
    (void)setpgid(process, process);
    (void)close(ends[1]);
    return (running){process, ends[0]};
}

bool finish(running *campaign, campaign_result *r) {
    int status;
    const ssize_t got = read(campaign->line, r, sizeof *r);
    (void)close(campaign->line);
    while (waitpid(campaign->process, &status, 0) < 0 && errno == EINTR)
        continue;
    return got == sizeof *r && WIFEXITED(status);
}

void run_apart(const how *h, campaign_result *r) {
    running campaign = start(h);
    assert_true(finish(&campaign, r));
}

void run_well(const how *h, campaign_result *r) {
    run_apart(h, r);
    if (r->status != COL_OK)
        fail_msg("%s: %s", h->store, r->message);
}

/* ---- What is left. */

bool has_temporary_folders(void) {
    bool has = false;
    DIR *list = opendir(scratch_folder());
    assert_non_null(list);
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list))
        has = has || strstr(entry->d_name, ".trial-") != NULL;
    (void)closedir(list);
    return has;
}

void check_same(const char *store, const base_text *reference) {
    base_text text = {0};
    dump_store(store, &text);
    assert_string_equal(text.data, reference->data);
    base_text_free(&text);
    assert_false(has_temporary_folders());
}

void make_reference(base_text *reference, double *seconds) {
    campaign_result r;
    const how h = {.plan = quick_plan, .store = scratch_path("reference.db"), .jobs = 2};
    run_well(&h, &r);
    assert_int_equal(r.summary.total, TRIALS);
    assert_int_equal(r.summary.done, TRIALS - FAILING);
    assert_int_equal(r.summary.failed, FAILING);
    assert_int_equal(r.summary.ran, TRIALS);
    assert_int_equal(r.summary.found, FOUND);
    assert_int_equal(r.summary.unexpected, 0);
    *seconds = r.summary.seconds;
    dump_store(h.store, reference);
    assert_non_null(strstr(reference->data, "integrity_check:ok"));
    assert_non_null(strstr(reference->data, "<svg"));
    assert_non_null(strstr(reference->data, "there is no design error 'no-such-error'"));
    assert_non_null(strstr(reference->data, "log:test,cycles"));
    remove_store(h.store);
}
