/* SPDX-License-Identifier: MIT */
/* Shards of a plan, and merging their stores: nothing is missing, nothing is there twice, and what
 * does not belong together is refused. */
#include "results/store/store.h"

#include "base/path.h"
#include "harness.h"
#include "results/campaign_apart.h"

#include <stdio.h>
#include <string.h>

/* ---- Shards. */

TEST(each_key_is_in_one_shard) {
    enum { KEYS = 20000, MOST = 9 };
    for (uint32_t count = 1; count <= MOST; count++) {
        uint32_t sizes[MOST + 1] = {0};
        for (uint64_t i = 0; i < KEYS; i++) {
            char key[CAM_HASH];
            uint32_t found = 0;
            const unsigned long long high = i * 0x9e3779b97f4a7c15U, low = i;
            (void)snprintf(key, sizeof key, "%016llx%016llx", high, low);
            for (uint32_t k = 1; k <= count; k++) {
                const cam_shard shard = {.number = k, .count = count};
                const bool has = cam_shard_has(&shard, key);
                found += has;
                sizes[k] += has;
            }
            assert_int_equal(found, 1);
        }
        for (uint32_t k = 1; k <= count; k++) /* five standard deviations and more */
            assert_true(sizes[k] > KEYS / count - 400 && sizes[k] < KEYS / count + 400);
    }
}

TEST(only_shards_are_read) {
    static const char *const bad[] = {"",
                                      "1",
                                      "/",
                                      "1/",
                                      "/2",
                                      "0/2",
                                      "3/2",
                                      "1/0",
                                      "-1/2",
                                      "1/2 ",
                                      " 1/2",
                                      "1/2x",
                                      "1//2",
                                      "+1/2",
                                      "1/-2",
                                      "0x1/2",
                                      "1.0/2",
                                      "1/1000001",
                                      "99999999999999999999/99999999999999999999"};
    cam_shard shard;
    col_problem problem;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(cam_shard_read(&shard, bad[i], &problem), COL_BAD_INPUT);
    assert_int_equal(cam_shard_read(&shard, "12/1000000", &problem), COL_OK);
    assert_int_equal(shard.number, 12);
    assert_int_equal(shard.count, 1000000);
}

/* ---- Merging. */

enum { SHARDS = 3 };
static char *const shard_names[SHARDS] = {"1.db", "2.db", "3.db"};

/* Runs the shards of the quick plan. */
static void run_shards(char paths[SHARDS][512]) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < SHARDS; i++) {
        campaign_result r;
        (void)snprintf(paths[i], 512, "%s", scratch_path(shard_names[i]));
        const how h = {.plan = quick_plan, .store = paths[i], .jobs = 2, .shard = {i + 1, SHARDS}};
        run_well(&h, &r);
        assert_int_equal(r.summary.ran, r.summary.total);
        assert_int_equal(r.summary.done + r.summary.failed, r.summary.total);
        total += r.summary.total;
    }
    assert_int_equal(total, TRIALS);
}

static void remove_shards(char paths[SHARDS][512]) {
    for (int i = 0; i < SHARDS; i++)
        remove_store(paths[i]);
}

static void merge_well(const char *out, char *const *in, size_t count, cam_merge_summary *summary) {
    col_problem problem = {0};
    if (cam_merge(out, in, count, summary, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

TEST(merged_shards_are_a_local_run) {
    char paths[SHARDS][512], out[512], answer[64];
    base_text reference = {0};
    double seconds;
    cam_merge_summary summary;
    make_reference(&reference, &seconds);
    run_shards(paths);
    char *const orders[][SHARDS] = {{paths[0], paths[1], paths[2]}, {paths[2], paths[0], paths[1]}};
    (void)snprintf(out, sizeof out, "%s", scratch_path("merged.db"));
    for (int order = 0; order < 2; order++) {
        merge_well(out, orders[order], SHARDS, &summary);
        assert_int_equal(summary.added, TRIALS);
        assert_int_equal(summary.present, 0);
        assert_int_equal(summary.trials, TRIALS);
        assert_int_equal(summary.failed, FAILING);
        check_same(out, &reference);
        /* Once more, and one after the other: nothing changes. */
        for (int i = 0; i < SHARDS; i++) {
            merge_well(out, &orders[order][i], 1, &summary);
            assert_int_equal(summary.added, 0);
        }
        check_same(out, &reference);
        /* Rows say which campaign they are of. */
        ask_store(out, "SELECT count(*) FROM campaigns", answer, sizeof answer);
        assert_string_equal(answer, "3");
        ask_store(out,
                  "SELECT count(DISTINCT campaign) || ' ' || count(campaign) FROM trials JOIN"
                  " campaigns ON campaign = campaigns.id WHERE trials.host = campaigns.host",
                  answer, sizeof answer);
        assert_string_equal(answer, "3 12");
        remove_store(out);
    }
    /* A shard's store goes on with the whole plan. */
    campaign_result r;
    const how rest = {.plan = quick_plan, .store = paths[0], .jobs = 2, .resume = true};
    run_well(&rest, &r);
    assert_int_equal(r.summary.done + r.summary.failed, TRIALS);
    assert_true(r.summary.ran < TRIALS);
    check_same(paths[0], &reference);
    remove_shards(paths);
    base_text_free(&reference);
}

TEST(a_done_row_replaces_a_failed_one) {
    char paths[SHARDS][512], out[512], answer[64];
    cam_merge_summary summary;
    static const char count_failed[] = "SELECT count(*) FROM trials WHERE status = 'failed'";
    run_shards(paths);
    char *const all[] = {paths[0], paths[1], paths[2]};
    (void)snprintf(out, sizeof out, "%s", scratch_path("merged.db"));
    merge_well(out, all, SHARDS, &summary);
    change_store(out, "UPDATE trials SET status = 'failed', reason = 'the node was lost' WHERE"
                      " status = 'done'");
    merge_well(out, all, SHARDS, &summary);
    assert_int_equal(summary.added, TRIALS - FAILING);
    assert_int_equal(summary.present, FAILING);
    ask_store(out, count_failed, answer, sizeof answer);
    assert_string_equal(answer, "2");
    change_store(paths[0], "UPDATE trials SET status = 'failed'");
    merge_well(out, all, SHARDS, &summary);
    assert_int_equal(summary.added, 0);
    ask_store(out, count_failed, answer, sizeof answer);
    assert_string_equal(answer, "2");
    remove_store(out);
    remove_shards(paths);
}

static void check_refused(const char *out, char *const *in, size_t count, const char *reason) {
    cam_merge_summary summary;
    col_problem problem = {0};
    assert_int_equal(cam_merge(out, in, count, &summary, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, reason) == NULL)
        fail_msg("'%s' instead of '%s'", problem.message, reason);
}

TEST(what_does_not_belong_together_is_refused) {
    char paths[SHARDS][512], out[512];
    cam_merge_summary summary;
    campaign_result r;
    run_shards(paths);
    char *const all[] = {paths[0], paths[1], paths[2]};
    (void)snprintf(out, sizeof out, "%s", scratch_path("merged.db"));
    change_store(paths[2], "UPDATE campaigns SET version = '0.0.1'");
    check_refused(out, all, SHARDS, "results of different versions are not merged");
    change_store(paths[2], "UPDATE campaigns SET version = (SELECT version FROM trials);"
                           "UPDATE plans SET grid_hash = 'of another design'");
    check_refused(out, all, SHARDS, "a design of the plan crash changed between");
    assert_false(base_path_same(out, out)); /* nothing was made */
    merge_well(out, all, 2, &summary);
    check_refused(out, all + 2, 1, "a design of the plan crash changed between");
    char *const itself[] = {out};
    check_refused(out, itself, 1, "cannot be merged into itself");
    remove_store(paths[2]);
    const how other = {.plan = "plan: other\ndefaults: {design: mi, cores: 2, ops: 64}\n"
                               "grids: [{engine: plain, locations: 4, tests: 1}]\n",
                       .store = paths[2],
                       .jobs = 1};
    run_well(&other, &r);
    check_refused(out, all + 2, 1, "only stores of the same plans are merged");
    remove_store(out);
    remove_shards(paths);
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
