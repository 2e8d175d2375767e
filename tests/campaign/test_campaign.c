/* SPDX-License-Identifier: MIT */
/*
 * Campaigns that are killed, at any moment and in any way, end with the same store as one that is
 * not; trials that fail, workers that die, a disk that is full and other campaigns in the same
 * store are no reason to lose anything. Campaigns run in processes of their own here, so that they
 * can be killed.
 */
#include "campaign/campaign.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/rng.h"
#include "campaign/store.h"
#include "campaign/store_dump.h"
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef SANITIZED
enum { ROUNDS = 6, FULL_STEP = 4 };
#else
enum { ROUNDS = 50, FULL_STEP = 2 };
#endif

/* All kinds of trials, quick ones: errors that are found, with their stories; an error that does
 * not exist; an engine that learns; a study of locations. */
static const char crash_plan[] =
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
enum { TRIALS = 12, FAILING = 2, FOUND = 2 };

/* ---- Campaigns in processes of their own. */

typedef struct how {
    const char *plan, *store;
    uint32_t jobs;
    bool resume, retry;
    uint64_t most_bytes; /* that a file may have; 0: any */
} how;

typedef struct result {
    col_status status;
    cam_campaign_summary summary;
    char message[512];
} result;

static void run_here(const how *h, result *r) {
    cam_plan plan = {0};
    col_error error = {0};
    *r = (result){0};
    r->status = cam_plan_read(&plan, h->plan, strlen(h->plan), "plan", NULL, &error);
    const cam_campaign_settings settings = {
        .plan = &plan, .store = h->store, .jobs = h->jobs, .resume = h->resume, .retry = h->retry};
    if (r->status == COL_OK)
        r->status = cam_campaign_run(&settings, &r->summary, &error);
    (void)snprintf(r->message, sizeof r->message, "%s", error.message);
    cam_plan_free(&plan);
}

typedef struct running {
    pid_t process;
    int line; /* the result comes over this */
} running;

static running start(const how *h) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    (void)fflush(NULL);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        result r;
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

/* False: it was killed. */
static bool finish(running *campaign, result *r) {
    int status;
    const ssize_t got = read(campaign->line, r, sizeof *r);
    (void)close(campaign->line);
    while (waitpid(campaign->process, &status, 0) < 0 && errno == EINTR)
        continue;
    return got == sizeof *r && WIFEXITED(status);
}

static void run_apart(const how *h, result *r) {
    running campaign = start(h);
    assert_true(finish(&campaign, r));
}

/* ---- What is left. */

static bool has_temporary_folders(void) {
    bool has = false;
    DIR *list = opendir(scratch_folder());
    assert_non_null(list);
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list))
        has = has || strstr(entry->d_name, ".trial-") != NULL;
    (void)closedir(list);
    return has;
}

static void check_same(const char *store, const col_text *reference) {
    col_text text = {0};
    dump_store(store, &text);
    assert_string_equal(text.data, reference->data);
    col_text_free(&text);
    assert_false(has_temporary_folders());
}

/* What a campaign makes that nobody disturbs. */
static void make_reference(col_text *reference, double *seconds) {
    result r;
    const how h = {.plan = crash_plan, .store = scratch_path("reference.db"), .jobs = 2};
    run_apart(&h, &r);
    assert_int_equal(r.status, COL_OK);
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

/* ---- Killing. */

typedef enum victim { THE_GROUP, THE_CAMPAIGN, A_WORKER, VICTIMS } victim;

/* Any child of the process; 0: it has none. */
static pid_t child_of(pid_t parent) {
    pid_t found = 0;
    DIR *list = opendir("/proc");
    assert_non_null(list);
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        char path[300], text[512] = "";
        (void)snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        if (file == NULL)
            continue;
        const size_t length = fread(text, 1, sizeof text - 1, file);
        (void)fclose(file);
        const char *at = length > 0 ? strrchr(text, ')') : NULL;
        if (at != NULL && strlen(at) > 4 && strtol(at + 4, NULL, 10) == parent)
            found = (pid_t)strtol(entry->d_name, NULL, 10);
    }
    (void)closedir(list);
    return found;
}

static void strike(pid_t campaign, victim whom) {
    const pid_t worker = whom == A_WORKER ? child_of(campaign) : 0;
    if (whom == THE_GROUP)
        (void)kill(-campaign, SIGKILL);
    else if (whom == THE_CAMPAIGN)
        (void)kill(campaign, SIGKILL);
    else if (worker > 0)
        (void)kill(worker, SIGKILL);
}

static void wait_for(double seconds) {
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    (void)nanosleep(&time, NULL);
}

/* Starts a campaign, kills it at some moment, perhaps does the same to the one that goes on, and
 * lets the last one finish. A trial whose worker was killed is a failed one: these are tried again.
 * Says how many kills came in time; if none does, the next ones come sooner. */
static uint32_t kill_and_resume(const char *store, col_rng *rng, double *seconds) {
    result r;
    uint32_t hits = 0;
    how h = {.plan = crash_plan, .store = store, .jobs = 2};
    do {
        const victim whom = (victim)col_rng_below(rng, VICTIMS);
        running campaign = start(&h);
        wait_for(col_rng_unit(rng) * *seconds);
        strike(campaign.process, whom);
        const bool was_killed = !finish(&campaign, &r);
        assert_true(was_killed || r.status == COL_OK);
        const bool is_hit = was_killed || r.summary.failed > FAILING;
        hits += is_hit;
        *seconds *= is_hit ? 1.1 : 0.8;
        h.resume = true;
        h.retry = h.retry || whom == A_WORKER;
    } while (col_rng_below(rng, 3) == 0);
    run_apart(&h, &r);
    assert_int_equal(r.status, COL_OK);
    assert_int_equal(r.summary.done, TRIALS - FAILING);
    assert_int_equal(r.summary.failed, FAILING);
    return hits;
}

static void test_crashes(void **state) {
    col_text reference = {0};
    double seconds, wait;
    uint32_t killed = 0, hits = 0, rounds = 0;
    const char *store = scratch_path("crash.db");
    (void)state;
    make_reference(&reference, &seconds);
    for (wait = seconds; killed < ROUNDS && rounds < 4 * ROUNDS; rounds++) {
        col_rng rng;
        col_rng_seed(&rng, 12, rounds);
        const uint32_t now = kill_and_resume(store, &rng, &wait);
        check_same(store, &reference);
        remove_store(store);
        killed += now > 0;
        hits += now;
    }
    print_message("%u rounds, %u campaigns killed, %u times in all; one that is not takes %.3f s\n",
                  rounds, killed, hits, seconds);
    assert_int_equal(killed, ROUNDS);
    col_text_free(&reference);
}

/* ---- Others in the same store. */

static void test_two_at_once(void **state) {
    col_text reference = {0};
    double seconds;
    result a, b;
    const how h = {.plan = crash_plan, .store = scratch_path("two.db"), .jobs = 2, .resume = true};
    (void)state;
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
    col_text_free(&reference);
}

/* What has been done is not done again; what has results is not gone on with unasked. */
static void test_resume(void **state) {
    result r;
    char text[64];
    how h = {.plan = crash_plan, .store = scratch_path("resume.db"), .jobs = 1};
    (void)state;
    run_apart(&h, &r);
    assert_int_equal(r.summary.ran, TRIALS);
    run_apart(&h, &r);
    assert_int_equal(r.status, COL_BAD_INPUT);
    assert_non_null(strstr(r.message, "--resume"));
    h.resume = true;
    run_apart(&h, &r);
    assert_int_equal(r.status, COL_OK);
    assert_int_equal(r.summary.ran, 0);
    assert_int_equal(r.summary.done, TRIALS - FAILING);
    h.retry = true;
    run_apart(&h, &r);
    assert_int_equal(r.summary.ran, FAILING);
    assert_int_equal(r.summary.failed, FAILING);
    /* A plan that shares trials has them already. */
    h.plan = "plan: other\ntitle: Some of the same\n"
             "defaults: {design: mi, cores: 2, ops: 256, locations: 4, instances: 2, tests: 8}\n"
             "grids:\n  - {engine: [plain, htg], seed: 2..3}\n";
    h.resume = h.retry = false; /* nobody has run this one: there is nothing to go on with */
    run_apart(&h, &r);
    assert_int_equal(r.status, COL_OK);
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

/* ---- What goes wrong. */

/* A design that does nothing, or dies if its options say so. */
static const char deadly_design[] =
    "#include <collider/duv.h>\n"
    "#include <stdlib.h>\n"
    "static const col_duv_machine machine = {\"M\", 1, false, 0, 1};\n"
    "static const col_duv_point point = {\"I\", \"Load\", false};\n"
    "static const col_duv_description all = {.name = \"deadly\", .cores = 2, .machine_count = 1,\n"
    "  .point_count = 1, .machines = &machine, .points = &point,\n"
    "  .geometry = {6, 1, {{\"L1\", 6, 4, 2}}}};\n"
    "static int dies;\n"
    "static col_status open(void **s, const col_duv_settings *t, col_error *e)\n"
    "{ (void)e; dies = t->options != NULL; *s = &dies; return COL_OK; }\n"
    "static void shut(void *s) { (void)s; }\n"
    "static const col_duv_description *describe(void *s) { (void)s; return &all; }\n"
    "static col_status load(void *s, const col_program *p, col_error *e)\n"
    "{ (void)s; (void)p; (void)e; return COL_OK; }\n"
    "static col_status run(void *s, uint64_t seed, const col_observer *o,\n"
    "  const volatile int *stop, col_run *r, col_error *e)\n"
    "{ (void)s; (void)seed; (void)o; (void)stop; (void)r; (void)e; if (dies) abort();\n"
    "  return COL_OK; }\n"
    "static void collect(void *s, uint64_t *h) { (void)s; (void)h; }\n"
    "const col_duv_interface col_duv_plugin = {COL_DUV_VERSION, \"deadly\", false, open, shut,\n"
    "  describe, load, run, collect};\n";

static void make_deadly_design(const char *path) {
    char command[2048], include[512];
    char source[600];
    (void)snprintf(include, sizeof include, "%s", README_FILE);
    *strrchr(include, '/') = '\0';
    (void)snprintf(source, sizeof source, "%s.c", path);
    assert_int_equal(col_file_write(source, deadly_design, sizeof deadly_design - 1, NULL), COL_OK);
    (void)snprintf(command, sizeof command, "cc -shared -fPIC -I%s/include -o %s %s", include, path,
                   source);
    assert_int_equal(system(command), 0);
    (void)unlink(source);
}

static void test_deadly_design(void **state) {
    result r;
    char plan[1024], text[256], design[512];
    const how h = {.plan = plan, .store = scratch_path("deadly.db"), .jobs = 2};
    (void)state;
    (void)snprintf(design, sizeof design, "%s", scratch_path("deadly.so"));
    make_deadly_design(design);
    (void)snprintf(
        plan, sizeof plan,
        "plan: deadly\ntitle: A design that dies\n"
        "defaults: {cores: 2, ops: 16, locations: 4, instances: 1}\n"
        "grids:\n  - {design: %s, engine: plain, tests: 3, options: [none, die], seed: 1..3}\n"
        "  - {design: mi, engine: plain, tests: 2, seed: 1..3}\n",
        design);
    run_apart(&h, &r);
    if (r.status != COL_OK)
        fail_msg("%s", r.message);
    assert_int_equal(r.summary.failed, 3);
    assert_int_equal(r.summary.done, 6);
    ask_store(h.store, "SELECT DISTINCT reason FROM trials WHERE status = 'failed'", text,
              sizeof text);
    assert_non_null(strstr(text, "the worker was ended by signal 6"));
    ask_store(h.store,
              "SELECT count(*) FROM trials WHERE status = 'failed' AND pairs LIKE '%\"die\"%'",
              text, sizeof text);
    assert_string_equal(text, "3");
    (void)unlink(design);
    remove_store(h.store);
    assert_false(has_temporary_folders());
}

/* The disk is full at some moment: one sentence, and the store is what it was until then. */
static void test_full_disk(void **state) {
    col_text reference = {0};
    double seconds;
    result r;
    uint64_t failed = 0;
    const char *store = scratch_path("full.db");
    (void)state;
    make_reference(&reference, &seconds);
    for (uint64_t most = 4096; most < 1 << 20; most *= FULL_STEP) {
        how h = {.plan = crash_plan, .store = store, .jobs = 2, .most_bytes = most};
        run_apart(&h, &r);
        if (r.status == COL_OK)
            break;
        failed++;
        assert_int_equal(r.status, COL_FAILURE);
        assert_non_null(strstr(r.message, "the store "));
        h.most_bytes = 0;
        h.resume = true;
        run_apart(&h, &r);
        if (r.status != COL_OK)
            fail_msg("%s", r.message);
        check_same(store, &reference);
        remove_store(store);
    }
    assert_true(failed >= 2);
    remove_store(store);
    col_text_free(&reference);
}

static void test_unwritable(void **state) {
    result r;
    const how h = {.plan = crash_plan, .store = scratch_path("no/such/folder.db"), .jobs = 1};
    (void)state;
    run_apart(&h, &r);
    assert_int_equal(r.status, COL_FAILURE);
    assert_non_null(strstr(r.message, "the store "));
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

static void test_stop(void **state) {
    cam_plan plan = {0};
    col_error error = {0};
    watcher w = {0};
    cam_campaign_summary summary;
    cam_campaign_settings settings = {.plan = &plan,
                                      .store = scratch_path("stop.db"),
                                      .jobs = 1,
                                      .stop = &w.stop,
                                      .progress = watch,
                                      .context = &w};
    (void)state;
    assert_int_equal(cam_plan_read(&plan, timed_plan, strlen(timed_plan), "plan", NULL, &error),
                     COL_OK);
    assert_int_equal(cam_campaign_run(&settings, &summary, &error), COL_OK);
    assert_true(summary.was_stopped && !w.is_wrong);
    assert_true(summary.done >= 2 && summary.done < TIMED);
    assert_true(w.calls > 1);
    assert_int_equal(w.ended, summary.ran);
    assert_int_equal(w.ended, summary.done);
    w = (watcher){.before = summary.done};
    settings.resume = true;
    settings.stop = NULL;
    assert_int_equal(cam_campaign_run(&settings, &summary, &error), COL_OK);
    assert_false(summary.was_stopped || w.is_wrong);
    assert_int_equal(summary.done, TIMED);
    assert_int_equal(summary.ran, TIMED - w.before);
    assert_int_equal(w.ended, summary.ran);
    remove_store(settings.store);
    cam_plan_free(&plan);
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(scratch_folder()); /* nothing was left in it */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_at_once),   cmocka_unit_test(test_resume),
        cmocka_unit_test(test_deadly_design), cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_unwritable),    cmocka_unit_test(test_stop),
        cmocka_unit_test(test_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
