/* SPDX-License-Identifier: MIT */
/* Trials whose design dies, a disk that is full, a store that cannot be: no reason to lose anything
 * that was there, or not to say what is wrong. */
#include "results/campaign_apart.h"

#include "base/file.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef REDUCED
enum { FULL_STEP = 4 };
#else
enum { FULL_STEP = 2 };
#endif

/* A design that does nothing, or if its options say so dies, or refuses in words that are no UTF-8.
 */
static const char deadly_design[] =
    "#include <collider/duv.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "static const col_duv_machine machine = {\"M\", 1, false, 0, 1};\n"
    "static const col_duv_point point = {\"I\", \"Load\", false};\n"
    "static const col_duv_description all = {.name = \"deadly\", .cores = 2, .machine_count = 1,\n"
    "  .point_count = 1, .machines = &machine, .points = &point,\n"
    "  .geometry = {6, 1, {{\"L1\", 6, 4, 2}}}};\n"
    "static int what;\n"
    "static col_status open(void **s, const col_duv_settings *t, col_problem *e)\n"
    "{ (void)e; what = t->options == NULL ? 0 : t->options[0]; *s = &what; return COL_OK; }\n"
    "static void shut(void *s) { (void)s; }\n"
    "static const col_duv_description *describe(void *s) { (void)s; return &all; }\n"
    "static col_status load(void *s, const col_program *p, col_problem *e)\n"
    "{ (void)s; (void)p; (void)e; return COL_OK; }\n"
    "static col_status run(void *s, uint64_t seed, const col_observer *o,\n"
    "  const volatile int *stop, col_run *r, col_problem *e)\n"
    "{ (void)s; (void)seed; (void)o; (void)stop; (void)r; if (what == 'd') abort();\n"
    "  if (what == 'm') strcpy(e->message, \"it is \\377broken\\303\");\n"
    "  return what == 'm' ? COL_FAILURE : COL_OK; }\n"
    "static void collect(void *s, uint64_t *h) { (void)s; (void)h; }\n"
    "const col_duv_interface col_duv_plugin = {COL_DUV_VERSION, \"deadly\", false, open, shut,\n"
    "  describe, load, run, collect};\n";

static void make_deadly_design(const char *path) {
    char command[2048], include[512];
    char source[600];
    (void)snprintf(include, sizeof include, "%s", README_FILE);
    *strrchr(include, '/') = '\0';
    (void)snprintf(source, sizeof source, "%s.c", path);
    assert_int_equal(base_file_write(source, deadly_design, sizeof deadly_design - 1, NULL),
                     COL_OK);
    (void)snprintf(command, sizeof command, "cc -shared -fPIC -I'%s/include' -o '%s' '%s'", include,
                   path, source);
    assert_int_equal(system(command), 0);
    (void)unlink(source);
}

TEST(a_design_that_dies_fails_only_its_own_trials) {
    campaign_result r;
    char plan[1024], text[256], design[512];
    const how h = {.plan = plan, .store = scratch_path("deadly.db"), .jobs = 2};
    (void)snprintf(design, sizeof design, "%s", scratch_path("deadly.so"));
    make_deadly_design(design);
    (void)snprintf(plan, sizeof plan,
                   "plan: deadly\ntitle: A design that dies\n"
                   "defaults: {cores: 2, ops: 16, locations: 4, instances: 1}\n"
                   "grids:\n  - {design: %s, engine: plain, tests: 3, options: [none, die, mumble],"
                   " seed: 1..3}\n"
                   "  - {design: mi, engine: plain, tests: 2, seed: 1..3}\n",
                   design);
    run_well(&h, &r);
    assert_int_equal(r.summary.failed, 6);
    assert_int_equal(r.summary.done, 6);
    ask_store(h.store,
              "SELECT count(*) || ' ' || min(reason) FROM trials WHERE status = 'failed' AND"
              " pairs LIKE '%\"die\"%'",
              text, sizeof text);
    assert_non_null(strstr(text, "3 the worker was ended by signal 6"));
    ask_store(h.store, "SELECT count(*) FROM trials WHERE reason LIKE '%it is ?broken?'", text,
              sizeof text);
    assert_string_equal(text, "3"); /* in UTF-8 */
    (void)unlink(design);
    remove_store(h.store);
    assert_false(has_temporary_folders());
}

/* The disk is full at some moment: one sentence, and the store is what it was until then. */
TEST(a_full_disk_loses_no_committed_trial) {
    base_text reference = {0};
    double seconds;
    campaign_result r;
    uint64_t failed = 0;
    const char *store = scratch_path("full.db");
    make_reference(&reference, &seconds);
    for (uint64_t most = 4096; most < 1 << 20; most *= FULL_STEP) {
        how h = {.plan = quick_plan, .store = store, .jobs = 2, .most_bytes = most};
        run_apart(&h, &r);
        if (r.status == COL_OK)
            break;
        failed++;
        assert_int_equal(r.status, COL_FAILURE);
        assert_non_null(strstr(r.message, "the store "));
        h.most_bytes = 0;
        h.resume = true;
        run_well(&h, &r);
        check_same(store, &reference);
        remove_store(store);
    }
    assert_true(failed >= 2);
    remove_store(store);
    base_text_free(&reference);
}

TEST(a_store_that_cannot_be_created_is_reported) {
    campaign_result r;
    const how h = {.plan = quick_plan, .store = scratch_path("no/such/folder.db"), .jobs = 1};
    run_apart(&h, &r);
    assert_int_equal(r.status, COL_FAILURE);
    assert_non_null(strstr(r.message, "the store "));
}

/* Somebody removes the store under a campaign: it is told, and no other takes its place. */
static void remove_it(void *context, const cam_progress *progress) {
    if (progress->done > 0)
        remove_store(context);
}

TEST(a_store_removed_during_a_campaign_is_reported) {
    static const char text[] = "plan: removed\ngrids:\n  - {design: mi, cores: 2, ops: 64,"
                               " locations: 4, engine: plain, time: 0.05s, seed: 1..5}\n";
    char store[512];
    cam_plan plan = {0};
    col_problem problem = {0};
    cam_campaign_summary summary;
    const cam_campaign_settings settings = {
        .plan = &plan, .store = store, .jobs = 1, .progress = remove_it, .context = store};
    (void)snprintf(store, sizeof store, "%s", scratch_path("removed.db"));
    assert_int_equal(cam_plan_read(&plan, text, strlen(text), "plan", NULL, &problem), COL_OK);
    assert_int_equal(cam_campaign_run(&settings, &summary, &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "unable to open"));
    assert_int_not_equal(access(store, F_OK), 0);
    cam_plan_free(&plan);
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
