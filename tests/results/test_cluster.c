/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/* Campaigns on a cluster, without a scheduler: batches are fair, tasks share the work, and whatever
 * dies, the store is that of a local run. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): RTLD_NEXT
#include "results/cluster/cluster.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "base/random.h"
#include "harness.h"
#include "results/campaign_apart.h"
#include "results/store/store_parts.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- A file system that fails. */

static const char *broken; /* the name of a folder that cannot be read to its end; NULL: none */

/* In the place of the C library's, for what is tested, too. */
struct dirent *readdir(DIR *folder) {
    struct dirent *(*usual)(DIR * folder);
    void *const symbol = dlsym(RTLD_NEXT, "readdir");
    char link[64], path[PATH_MAX] = "";
    memcpy(&usual, &symbol, sizeof usual);
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd(folder));
    if (broken == NULL || readlink(link, path, sizeof path - 1) < 0 ||
        strcmp(base_path_name(path), broken) != 0)
        return usual(folder);
    errno = EIO;
    return NULL;
}

/* ---- A campaign. */

typedef struct campaign {
    cam_cluster cluster;
    cam_plan plan;
    cam_keys keys;
    char text[512]; /* the plan's file */
} campaign;

static void begin(campaign *c, uint32_t tasks) {
    col_problem problem = {0};
    *c = (campaign){0};
    (void)snprintf(c->text, sizeof c->text, "%s", scratch_path("plan.yaml"));
    assert_int_equal(base_file_write(c->text, quick_plan, strlen(quick_plan), NULL), COL_OK);
    c->plan.allows_code = true;
    if (cam_plan_read_file(&c->plan, c->text, NULL, &problem) != COL_OK ||
        cam_keys_make(&c->keys, &c->plan, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    (void)snprintf(c->cluster.plan, PATH_MAX, "%s", c->text);
    (void)snprintf(c->cluster.out, PATH_MAX, "%s", scratch_path("cluster.db"));
    assert_int_equal(cam_cluster_folder(c->cluster.folder, c->cluster.out, NULL), COL_OK);
    (void)snprintf(c->cluster.hash, CAM_HASH, "%s", c->plan.hash);
    cam_store_hash_grid(&c->keys, c->cluster.grid);
    (void)snprintf(c->cluster.version, sizeof c->cluster.version, "%s", col_version());
    c->cluster.tasks = tasks;
    c->cluster.jobs = 1;
}

static void deal(campaign *c) {
    col_problem problem = {0};
    double costs[TRIALS];
    bool is_done[TRIALS] = {false};
    for (size_t i = 0; i < TRIALS; i++)
        costs[i] = 1 + (double)i;
    if (cam_cluster_deal(&c->cluster, &c->plan, costs, is_done, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

static void end(campaign *c) {
    base_folder_remove(scratch_folder(), base_path_name(c->cluster.folder));
    remove_store(c->cluster.out);
    (void)remove(c->text);
    cam_keys_free(&c->keys);
    cam_plan_free(&c->plan);
}

/* ---- A task, in a process of its own. */

static pid_t start_task(const campaign *c, uint32_t number, const char *owner) {
    (void)fflush(NULL);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        char scratch[] = "/tmp/collider-test-XXXXXX";
        cam_cluster cluster;
        cam_cluster_worked worked;
        cam_cluster_task task = {
            .number = number, .scratch = mkdtemp(scratch), .allows_code = true};
        (void)snprintf(task.owner, sizeof task.owner, "%s", owner);
        col_status status = cam_cluster_read(&cluster, c->cluster.folder, NULL);
        if (status == COL_OK)
            status = cam_cluster_work(&cluster, &task, &worked, NULL);
        base_folder_remove("/tmp", base_path_name(scratch));
        _exit((int)status);
    }
    return process;
}

static int wait_for(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

static void check_end(campaign *c, const base_text *reference) {
    cam_cluster_progress progress;
    assert_int_equal(cam_cluster_look(&c->cluster, &progress, NULL), COL_OK);
    assert_true(progress.is_merged);
    assert_int_equal(progress.trials_done, TRIALS);
    check_same(c->cluster.out, reference);
    assert_false(base_folder_has(c->cluster.folder, "results"));
}

/* ---- Dealing out. */

/* Every trial once; batches that nobody waits for. */
static void check_batches(const campaign *c, const bool *is_done, const double *costs,
                          size_t count) {
    cam_cluster_list list;
    double loads[64] = {0}, total = 0, longest = 0;
    uint8_t *seen = calloc(count, 1);
    assert_non_null(seen);
    assert_int_equal(cam_cluster_tokens(&c->cluster, CAM_BATCH_OPEN, &list, NULL), COL_OK);
    assert_int_equal(list.count, c->cluster.batches);
    for (size_t i = 0; i < count; i++)
        if (!is_done[i]) {
            total += costs[i];
            longest = costs[i] > longest ? costs[i] : longest;
        }
    for (size_t i = 0; i < list.count; i++) {
        cam_batch batch = {0};
        double cost = 0;
        assert_int_equal(cam_batch_read(&batch, &c->cluster, list.names[i], NULL), COL_OK);
        assert_int_equal(batch.count, cam_cluster_batch_trials(list.names[i]));
        for (size_t j = 0; j < batch.count; j++) {
            assert_true(batch.trials[j].position < count);
            assert_false(is_done[batch.trials[j].position]);
            assert_int_equal(seen[batch.trials[j].position]++, 0);
            cost += batch.trials[j].cost;
        }
        loads[strtoul(list.names[i], NULL, 10)] += cost;
        /* A quarter of a share, or one trial. */
        assert_true(batch.count == 1 || cost <= total / c->cluster.tasks / 4 * 1.0001);
        cam_batch_free(&batch);
    }
    for (uint32_t i = 0; i < c->cluster.tasks; i++)
        assert_true(loads[i] <= total / c->cluster.tasks * 1.25 + longest);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(seen[i], !is_done[i]);
    cam_cluster_free_list(&list);
    free(seen);
}

TEST(batches_are_complete_and_fair) {
    enum { MOST = 400, ROUNDS = 6 };
    base_rng rng;
    cam_trial trials[MOST] = {{0}};
    base_rng_seed(&rng, 1, 0);
    for (int round = 0; round < ROUNDS; round++) {
        campaign c;
        double costs[MOST];
        bool is_done[MOST];
        const size_t count = 1 + base_rng_below(&rng, MOST);
        for (size_t i = 0; i < count; i++) {
            costs[i] = (double)(1 + base_rng_below(&rng, round % 2 == 0 ? 10 : 5000)) / 4;
            is_done[i] = i > 0 && base_rng_below(&rng, 5) == 0;
        }
        begin(&c, 1 + (uint32_t)base_rng_below(&rng, 40));
        const cam_plan plan = {.trials = trials, .trial_count = count};
        assert_int_equal(cam_cluster_deal(&c.cluster, &plan, costs, is_done, NULL), COL_OK);
        check_batches(&c, is_done, costs, count);
        end(&c);
    }
}

/* ---- Working. */

TEST(tasks_share_the_work) {
    campaign c;
    base_text reference = {0};
    double seconds;
    pid_t tasks[3];
    char owner[16];
    make_reference(&reference, &seconds);
    begin(&c, 3);
    deal(&c);
    for (uint32_t i = 0; i < 3; i++) {
        (void)snprintf(owner, sizeof owner, "%u.0", i + 1);
        tasks[i] = start_task(&c, i, owner);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(wait_for(tasks[i]), 0);
    check_end(&c, &reference);
    end(&c);
    base_text_free(&reference);
}

/* Killed after some moment; the scheduler starts it again until it survives. */
TEST(killed_tasks_lose_nothing) {
    campaign c;
    base_text reference = {0};
    double seconds;
    char owner[16];
    make_reference(&reference, &seconds);
    begin(&c, 2);
    deal(&c);
    for (int restart = 0;; restart++) {
        const struct timespec moment = {.tv_nsec = 20000000L * (1 + restart % 20)};
        (void)snprintf(owner, sizeof owner, "7.%d", restart);
        const pid_t task = start_task(&c, 0, owner);
        if (restart < 5) { /* fewer in vain than make a trial fail: tries are per batch */
            (void)nanosleep(&moment, NULL);
            (void)kill(task, SIGKILL);
        }
        if (wait_for(task) == 0)
            break;
        /* A loss counts against the batch; here nothing is wrong with its trials. */
        cam_cluster_list list;
        assert_int_equal(cam_cluster_tokens(&c.cluster, CAM_BATCH_RUNNING, &list, NULL), COL_OK);
        assert_true(list.count <= 1);
        cam_cluster_free_list(&list);
        assert_int_equal(cam_cluster_reopen(&c.cluster, NULL), COL_OK);
    }
    check_end(&c, &reference);
    end(&c);
    base_text_free(&reference);
}

/* Where no token can be moved, a task ends with the reason; it does not try for ever. */
TEST(what_cannot_be_moved_ends_a_task) {
    campaign c;
    cam_cluster_list list;
    char name[256], path[PATH_MAX];
    begin(&c, 1);
    deal(&c);
    assert_int_equal(cam_cluster_tokens(&c.cluster, CAM_BATCH_OPEN, &list, NULL), COL_OK);
    for (size_t i = 0; i < list.count; i++) {
        (void)snprintf(name, sizeof name, "running/%s@solid", list.names[i]);
        assert_int_equal(base_path_in(path, c.cluster.folder, name, NULL), COL_OK);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    cam_cluster_free_list(&list);
    const int status = wait_for(start_task(&c, 0, "solid"));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), COL_FAILURE);
    end(&c);
}

/* A store whose log SQLite could not take into it, for want of a disk, is no result. */
TEST(stores_without_their_log_are_not_published) {
    static const char *const names[] = {"half.db", "half.db-wal", "copy.db"};
    char paths[3][PATH_MAX];
    for (int i = 0; i < 3; i++)
        assert_int_equal(base_path_in(paths[i], scratch_folder(), names[i], NULL), COL_OK);
    assert_int_equal(base_file_write(paths[0], "store", 5, NULL), COL_OK);
    assert_int_equal(base_file_write(paths[1], "log", 3, NULL), COL_OK);
    assert_int_equal(cam_cluster_publish(paths[0], paths[2], NULL), COL_FAILURE);
    assert_int_not_equal(access(paths[2], F_OK), 0);
    assert_int_equal(base_file_write(paths[1], "", 0, NULL), COL_OK); /* as a reader may leave it */
    assert_int_equal(cam_cluster_publish(paths[0], paths[2], NULL), COL_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(remove(paths[i]), 0);
}

/* One that comes back takes what it had, at once, and counts the loss. */
TEST(a_restarted_task_takes_its_batch_again) {
    campaign c;
    base_text reference = {0};
    double seconds;
    cam_cluster_list list;
    char from[256], to[256];
    make_reference(&reference, &seconds);
    begin(&c, 2);
    deal(&c);
    assert_int_equal(cam_cluster_tokens(&c.cluster, CAM_BATCH_OPEN, &list, NULL), COL_OK);
    for (size_t i = 0; i < 2; i++) { /* one of ours, and one of a task that lives */
        (void)snprintf(from, sizeof from, "open/%s", list.names[i]);
        (void)snprintf(to, sizeof to, "running/%s@%d.0", list.names[i], i == 0 ? 7 : 77);
        bool is_moved;
        assert_int_equal(cam_cluster_move(&c.cluster, from, to, &is_moved, NULL), COL_OK);
        assert_true(is_moved);
        assert_int_equal(cam_cluster_move(&c.cluster, from, "running/x@8.0", &is_moved, NULL),
                         COL_OK);
        assert_false(is_moved);
    }
    assert_int_equal(wait_for(start_task(&c, 0, "7.1")), 0);
    cam_cluster_progress progress;
    assert_int_equal(cam_cluster_look(&c.cluster, &progress, NULL), COL_OK);
    assert_int_equal(progress.open, 0);
    assert_int_equal(progress.running, 1); /* that of the living one */
    assert_false(progress.is_complete);
    assert_int_equal(cam_cluster_reopen(&c.cluster, NULL), COL_OK);
    assert_int_equal(wait_for(start_task(&c, 1, "8.0")), 0);
    check_end(&c, &reference);
    cam_cluster_free_list(&list);
    end(&c);
    base_text_free(&reference);
}

/* As if its owner had given its last sign of life then: the clock is the file system's. */
static void put_token(const campaign *c, const char *batch, const char *owner, int seconds_ago) {
    char from[256], to[256], path[PATH_MAX];
    struct timespec times[2];
    (void)snprintf(from, sizeof from, "open/%s", batch);
    (void)snprintf(to, sizeof to, "running/%s@%s", batch, owner);
    bool is_moved = false;
    assert_int_equal(cam_cluster_move(&c->cluster, from, to, &is_moved, NULL), COL_OK);
    assert_true(is_moved);
    assert_true(snprintf(path, sizeof path, "%s/%s", c->cluster.folder, to) < (int)sizeof path);
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &times[0]), 0);
    times[0].tv_sec -= seconds_ago;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A task of another job that has been silent for long is dead, and what it had is taken; one that
 * has been silent for a while is not. */
TEST(the_batch_of_a_silent_task_is_taken) {
    campaign c;
    base_text reference = {0};
    double seconds;
    cam_cluster_list list;
    cam_cluster_progress progress;
    make_reference(&reference, &seconds);
    begin(&c, 2);
    deal(&c);
    assert_int_equal(cam_cluster_tokens(&c.cluster, CAM_BATCH_OPEN, &list, NULL), COL_OK);
    assert_true(list.count > 2);
    put_token(&c, list.names[0], "99.0", CAM_CLUSTER_SILENCE + 5);
    put_token(&c, list.names[1], "98.0", CAM_CLUSTER_SILENCE / 2);
    assert_int_equal(wait_for(start_task(&c, 0, "8.0")), 0);
    assert_int_equal(cam_cluster_look(&c.cluster, &progress, NULL), COL_OK);
    assert_int_equal(progress.open, 0);
    assert_int_equal(progress.running, 1);
    assert_int_equal(progress.done, list.count - 1);
    assert_int_equal(cam_cluster_reopen(&c.cluster, NULL), COL_OK);
    assert_int_equal(wait_for(start_task(&c, 1, "9.0")), 0);
    check_end(&c, &reference);
    cam_cluster_free_list(&list);
    end(&c);
    base_text_free(&reference);
}

/* A node that was only cut off: its task works on while the scheduler has started it again. */
TEST(tasks_taken_for_dead_do_no_harm) {
    campaign c;
    base_text reference = {0};
    double seconds;
    pid_t tasks[2]; /* a third would be one loss too many for a trial */
    char owner[16];
    make_reference(&reference, &seconds);
    begin(&c, 2);
    deal(&c);
    for (int i = 0; i < 2; i++) {
        const struct timespec moment = {.tv_nsec = 100000000L};
        (void)snprintf(owner, sizeof owner, "7.%d", i);
        tasks[i] = start_task(&c, 0, owner);
        (void)nanosleep(&moment, NULL);
    }
    for (int i = 0; i < 2; i++)
        (void)wait_for(tasks[i]); /* one may find the folder merged under its hands */
    cam_cluster_progress progress;
    assert_int_equal(cam_cluster_look(&c.cluster, &progress, NULL), COL_OK);
    if (!progress.is_merged) { /* the last one saw a batch in the hands of another */
        assert_int_equal(cam_cluster_reopen(&c.cluster, NULL), COL_OK);
        assert_int_equal(wait_for(start_task(&c, 0, "8.0")), 0);
    }
    check_end(&c, &reference);
    end(&c);
    base_text_free(&reference);
}

/* A trial that no task survives fails; those beside it are run. */
TEST(a_trial_that_ends_tasks_fails_in_the_end) {
    campaign c;
    cam_batch batch = {0};
    cam_cluster_list list;
    char answer[300];
    begin(&c, 1);
    deal(&c);
    assert_int_equal(cam_cluster_tokens(&c.cluster, CAM_BATCH_OPEN, &list, NULL), COL_OK);
    assert_int_equal(cam_batch_read(&batch, &c.cluster, list.names[list.count - 1], NULL), COL_OK);
    batch.tries = CAM_CLUSTER_TRIES;
    assert_int_equal(cam_batch_write(&batch, &c.cluster, NULL), COL_OK);
    assert_int_equal(wait_for(start_task(&c, 0, "1.0")), 0);
    ask_store(c.cluster.out, "SELECT count(*) FROM trials", answer, sizeof answer);
    assert_string_equal(answer, "12");
    ask_store(c.cluster.out,
              "SELECT count(*) FROM trials WHERE reason LIKE 'its task ended 3 times%'", answer,
              sizeof answer);
    assert_string_equal(answer, "1");
    cam_batch_free(&batch);
    cam_cluster_free_list(&list);
    end(&c);
}

/* ---- Somebody else's folder. */

/* Nobody writes to it: whoever waits for that waits for ever, until the alarm. */
TEST(a_pipe_is_refused_and_not_waited_for) {
    enum { PATIENCE = 60 };
    for (int is_plan = 0; is_plan < 2; is_plan++) {
        campaign c;
        begin(&c, 1);
        deal(&c);
        const char *path = is_plan ? c.text : c.cluster.out;
        (void)remove(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        (void)alarm(PATIENCE); /* ends this test; its tasks end with it */
        assert_int_equal(wait_for(start_task(&c, 0, "1.0")) >> 8, COL_BAD_INPUT);
        (void)alarm(0);
        (void)remove(path);
        end(&c);
    }
}

TEST(strange_folders_are_refused) {
    campaign c;
    cam_cluster cluster;
    cam_cluster_list list;
    char path[PATH_MAX];
    begin(&c, 1);
    deal(&c);
    assert_int_equal(cam_cluster_tokens(&c.cluster, CAM_BATCH_OPEN, &list, NULL), COL_OK);
    static const char *const batches[] = {"{\"tries\": 0, \"parts\": 0, \"trials\": [[12, 1.0]]}",
                                          "{\"tries\": 0, \"parts\": 0, \"trials\": [[-1, 1.0]]}",
                                          "{\"tries\": 0, \"parts\": 0, \"trials\": [[0]]}",
                                          "{\"tries\": 0, \"parts\": 0, \"trials\": {}}",
                                          "{\"tries\": -1, \"parts\": 0, \"trials\": []}",
                                          "[]",
                                          ""};
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        char name[256];
        (void)snprintf(name, sizeof name, "batches/%s.json", list.names[0]);
        assert_int_equal(base_path_in(path, c.cluster.folder, name, NULL), COL_OK);
        assert_int_equal(base_file_write(path, batches[i], strlen(batches[i]), NULL), COL_OK);
        assert_int_equal(cam_cluster_reopen(&c.cluster, NULL), COL_OK);
        assert_int_equal(wait_for(start_task(&c, 0, "1.0")) >> 8, COL_BAD_INPUT);
    }
    static const char *const texts[] = {"",   "{}", "[1]", "{\"format\": 2}", "{\"format\": 1}",
                                        "nul"};
    assert_int_equal(base_path_in(path, c.cluster.folder, "campaign.json", NULL), COL_OK);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(base_file_write(path, texts[i], strlen(texts[i]), NULL), COL_OK);
        assert_int_equal(cam_cluster_read(&cluster, c.cluster.folder, NULL), COL_BAD_INPUT);
    }
    assert_int_equal(cam_cluster_read(&cluster, "/nowhere", NULL), COL_BAD_INPUT);
    cam_cluster_free_list(&list);
    end(&c);
}

/* Of nobody, or of more processes than any machine has. */
TEST(numbers_of_tasks_and_workers_are_bounded) {
    static const struct {
        uint32_t tasks, jobs;
        col_status status;
    } cases[] = {{1, 1, COL_OK},
                 {CAM_CLUSTER_MOST_TASKS, CAM_MOST_JOBS, COL_OK},
                 {0, 1, COL_BAD_INPUT},
                 {1, 0, COL_BAD_INPUT},
                 {CAM_CLUSTER_MOST_TASKS + 1, 1, COL_BAD_INPUT},
                 {1, CAM_MOST_JOBS + 1, COL_BAD_INPUT}};
    campaign c;
    begin(&c, 1);
    deal(&c);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cam_cluster cluster;
        c.cluster.tasks = cases[i].tasks;
        c.cluster.jobs = cases[i].jobs;
        assert_int_equal(cam_cluster_write(&c.cluster, NULL), COL_OK);
        assert_int_equal(cam_cluster_read(&cluster, c.cluster.folder, NULL), cases[i].status);
    }
    end(&c);
}

static void put_file(const campaign *c, const char *name) {
    char path[PATH_MAX];
    assert_int_equal(base_path_in(path, c->cluster.folder, name, NULL), COL_OK);
    assert_int_equal(base_file_write(path, "", 0, NULL), COL_OK);
}

/* Of names that are too long for a token, a task would find half, and try again for ever. */
TEST(what_is_no_token_is_left_alone) {
    static const char *const places[] = {"open", "running", "done"};
    base_text reference = {0};
    campaign c;
    double seconds;
    char name[NAME_MAX + 16], longer[NAME_MAX - 20];
    make_reference(&reference, &seconds);
    begin(&c, 1);
    deal(&c);
    memset(longer, '1', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        static const char *const strange[] = {"notes.txt", "1-x", "x1", "1-1", "-1x1", "1-1x1y"};
        for (size_t j = 0; j < sizeof strange / sizeof strange[0]; j++) {
            (void)snprintf(name, sizeof name, "%s/%s", places[i], strange[j]);
            put_file(&c, name);
        }
        (void)snprintf(name, sizeof name, "%s/%s", places[i], longer);
        put_file(&c, name);
        (void)snprintf(name, sizeof name, "%s/1-1x%s", places[i], longer);
        put_file(&c, name);
        (void)snprintf(name, sizeof name, "%s/1-1x1@%s", places[i], longer);
        put_file(&c, name);
    }
    assert_int_equal(wait_for(start_task(&c, 0, "1.0")), 0);
    check_end(&c, &reference);
    end(&c);
    base_text_free(&reference);
}

/* What is merged is removed: the rest of a folder that cannot be read would be lost. */
TEST(results_that_cannot_be_listed_stay) {
    base_text reference = {0};
    campaign c;
    double seconds;
    make_reference(&reference, &seconds);
    begin(&c, 1);
    deal(&c);
    broken = "results";
    const int status = wait_for(start_task(&c, 0, "1.0"));
    broken = NULL;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), COL_FAILURE);
    assert_true(base_folder_has(c.cluster.folder, "results"));
    assert_int_equal(wait_for(start_task(&c, 0, "2.0")), 0);
    check_end(&c, &reference);
    end(&c);
    base_text_free(&reference);
}

TEST(links_among_the_results_are_refused) {
    cam_cluster_list list;
    campaign c;
    char name[NAME_MAX + 16], path[PATH_MAX], elsewhere[PATH_MAX];
    begin(&c, 1);
    deal(&c);
    broken = "results"; /* so that nobody merges them yet */
    (void)wait_for(start_task(&c, 0, "1.0"));
    broken = NULL;
    assert_int_equal(cam_cluster_list_folder(&c.cluster, "results", &list, NULL), COL_OK);
    assert_true(list.count > 0);
    (void)snprintf(name, sizeof name, "results/%s", list.names[0]);
    assert_int_equal(base_path_in(path, c.cluster.folder, name, NULL), COL_OK);
    assert_int_equal(base_path_in(elsewhere, c.cluster.folder, "elsewhere.db", NULL), COL_OK);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    const int status = wait_for(start_task(&c, 0, "2.0"));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), COL_BAD_INPUT);
    cam_cluster_free_list(&list);
    end(&c);
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
