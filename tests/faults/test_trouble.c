/* SPDX-License-Identifier: MIT */
/*
 * Every command that writes, in trouble: a full disk, a read-only folder, closed standard streams,
 * a reader that left, signals at any moment, and a second process at the same time. Nothing is
 * lost, nothing is half-written, and the exit status says what happened.
 *     test-faults-trouble [all]
 * Without `all` (make verify-faults), each command gets every third of its troubles, and the next
 * command the next third.
 */
#include "base/clock.h"
#include "base/random.h"
#include "faults/stage.h"
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const writers[] = {"run-plain",     "run-save",        "run-resume",
                                      "run-fails",     "replay",          "shrink",
                                      "check",         "explore",         "compile",
                                      "campaign",      "campaign-resume", "report-html",
                                      "report-csv",    "generate",        "tour-bfs",
                                      "show",          "litmus-design",   "replay-stored",
                                      "coverage-html", "campaign-merge",  "campaign-merge-into",
                                      "campaign-work", "image",           "image-into",
                                      "replay-pack",   "shrink-pack",     "pack"};
enum { WRITER_COUNT = sizeof writers / sizeof writers[0] };

typedef struct troubles {
    fault_stage stages[WRITER_COUNT];
    double seconds[WRITER_COUNT]; /* that the undisturbed run takes */
} troubles;

static troubles all;
static bool is_full;

/* Is it the turn of a command's trouble? */
static bool is_chosen(int job, uint64_t trouble) {
    enum { TURN = 3 };
    return is_full || ((uint64_t)job + trouble) % TURN == 0;
}

static const fault_job *find_job(const char *name) {
    for (int i = 0; i < fault_job_count; i++)
        if (strcmp(fault_jobs[i].name, name) == 0)
            return &fault_jobs[i];
    fail();
    return NULL;
}

static double time_run(fault_stage *stage) {
    fault_outcome outcome;
    fault_stage_reset(stage);
    const double start = base_seconds();
    fault_stage_go(stage, &(fault_request){.kind = FAULT_NONE}, &outcome);
    fault_outcome_free(&outcome);
    return base_seconds() - start;
}

static int open_stages(void **state) {
    fault_stage first;
    (void)state;
    fault_stage_open(&first, FAULTS_COMMAND);
    for (int i = 0; i < WRITER_COUNT; i++) {
        fault_finding finding = {0};
        all.stages[i] = first;
        fault_stage_number(&all.stages[i], i);
        fault_stage_begin(&all.stages[i], find_job(writers[i]), false, &finding);
        all.seconds[i] = time_run(&all.stages[i]);
        if (finding.problem[0] != '\0')
            print_error("%s, undisturbed: %s\n", writers[i], finding.problem);
        assert_string_equal(finding.problem, "");
    }
    return 0;
}

static int close_stages(void **state) {
    (void)state;
    for (int i = 0; i < WRITER_COUNT; i++)
        fault_stage_end(&all.stages[i]);
    fault_stage_close(&all.stages[0]);
    return 0;
}

/* Prints what was found and goes on: one run shows all of it. Returns 1 for a problem. */
static uint32_t tell(const char *job, const char *what, const fault_finding *finding) {
    if (finding->problem[0] == '\0')
        return 0;
    const size_t length = strlen(finding->problem);
    print_error("%s, %s: %s%s", job, what, finding->problem,
                finding->problem[length - 1] == '\n' ? "" : "\n");
    return 1;
}

/* ---- Closed standard streams. */

static void judge_closed(const fault_stage *stage, const fault_request *fault,
                         const fault_outcome *outcome, const fault_tree *tree,
                         fault_finding *finding) {
    const fault_outcome *right = &stage->undisturbed;
    const bool is_mute = (fault->closed >> STDOUT_FILENO & 1) != 0 && right->output.length > 0;
    const int expected = is_mute ? COL_FAILURE : right->status;
    if (outcome->status != expected)
        fault_problem(finding, "exit %d, signal %d, not exit %d: %.200s", outcome->status,
                      outcome->signal, expected, outcome->errors.data);
    if (outcome->is_misplaced)
        fault_problem(finding, "has a file in the place of a stream");
    fault_judge_tree(stage, tree, !is_mute, finding);
}

static void closed_streams_do_no_harm(void **state) {
    uint32_t problems = 0;
    (void)state;
    for (int i = 0; i < WRITER_COUNT; i++)
        for (uint32_t closed = 1; closed < 8; closed++) {
            if (!is_chosen(i, closed))
                continue;
            const fault_request fault = {.kind = FAULT_NONE, .closed = closed, .watch = true};
            fault_finding finding = {0};
            fault_outcome outcome;
            fault_tree tree;
            char what[64];
            fault_stage_run(&all.stages[i], &fault, &outcome, &tree);
            judge_closed(&all.stages[i], &fault, &outcome, &tree, &finding);
            (void)snprintf(what, sizeof what, "without stream%s%s%s", closed & 1 ? " 0" : "",
                           closed & 2 ? " 1" : "", closed & 4 ? " 2" : "");
            problems += tell(writers[i], what, &finding);
            fault_outcome_free(&outcome);
            fault_tree_free(&tree);
        }
    assert_int_equal(problems, 0);
}

/* ---- Signals. */

/* What the next campaign removes if this one is killed. */
static bool is_of_campaign(const char *path) {
    return strstr(path, ".db.running-") != NULL || strstr(path, ".db.trial-") != NULL;
}

/* A kill cannot remove what was being written beside: it is as if it were not there. */
static void forget_temporary(fault_tree *tree) {
    size_t kept = 0;
    for (size_t i = 0; i < tree->count; i++) {
        const char *path = tree->files[i].path;
        if (strstr(path, ".collider-") == NULL && strstr(path, ".lock") == NULL &&
            !is_of_campaign(path) && strncmp(path, "cache/", 6) != 0 &&
            strncmp(path, "tmp/", 4) != 0) {
            tree->files[kept++] = tree->files[i];
            continue;
        }
        free(tree->files[i].path);
        free(tree->files[i].rows);
    }
    tree->count = kept;
}

/* Ended by the signal, or in time. */
static void judge_signal(const fault_stage *stage, int number, const fault_outcome *outcome,
                         fault_tree *tree, fault_finding *finding) {
    const bool is_done = outcome->status == stage->undisturbed.status;
    const char *name = number == SIGPIPE ? NULL : strchr(outcome->errors.data, '\n');
    if (!is_done && outcome->signal != number && outcome->status != 128 + number)
        fault_problem(finding, "exit %d, signal %d: %.200s", outcome->status, outcome->signal,
                      outcome->errors.data);
    if (outcome->is_timed_out)
        fault_problem(finding, "does not end");
    if (outcome->left_process)
        fault_problem(finding, "leaves a process running");
    if (number == SIGPIPE && outcome->errors.length > 0 &&
        strcmp(outcome->errors.data, stage->undisturbed.errors.data) != 0)
        fault_problem(finding, "is not quiet: %.200s", outcome->errors.data);
    if (!is_done && name != NULL && name[1] != '\0')
        fault_problem(finding, "says more than a sentence: %.200s", outcome->errors.data);
    if (number == SIGKILL)
        forget_temporary(tree);
    if (outcome->status == 128 + number)
        fault_judge_less(stage, tree, finding);
    else
        fault_judge_tree(stage, tree, is_done, finding);
}

static bool goes_on(int job) {
    return strcmp(writers[job], "campaign-resume") == 0;
}

/* The same command again, where the killed one left off: all is done, and nothing is left. */
static void judge_next(fault_stage *stage, fault_finding *finding) {
    fault_outcome outcome;
    fault_tree tree;
    fault_stage_go(stage, &(fault_request){.kind = FAULT_NONE}, &outcome);
    fault_tree_read(&tree, stage->run);
    if (outcome.status != stage->undisturbed.status)
        fault_problem(finding, "again: exit %d: %.200s", outcome.status, outcome.errors.data);
    for (size_t i = 0; i < tree.count; i++)
        if (is_of_campaign(tree.files[i].path))
            fault_problem(finding, "again: left behind: %s", tree.files[i].path);
    forget_temporary(&tree);
    fault_judge_tree(stage, &tree, true, finding);
    fault_outcome_free(&outcome);
    fault_tree_free(&tree);
}

static uint32_t try_signal(int job, const fault_request *fault, int number, const char *what) {
    fault_finding finding = {0};
    fault_outcome outcome;
    fault_tree tree;
    fault_stage_run(&all.stages[job], fault, &outcome, &tree);
    judge_signal(&all.stages[job], number, &outcome, &tree, &finding);
    if (number == SIGKILL && goes_on(job))
        judge_next(&all.stages[job], &finding);
    fault_outcome_free(&outcome);
    fault_tree_free(&tree);
    return tell(writers[job], what, &finding);
}

static void signals_end_commands_cleanly(void **state) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
    enum { MOMENTS = 3 };
    uint32_t problems = 0;
    base_rng rng;
    (void)state;
    base_rng_seed(&rng, 20, 0);
    for (int i = 0; i < WRITER_COUNT; i++)
        for (int s = 0; s < 4; s++)
            for (int moment = 0; moment < MOMENTS; moment++) {
                fault_request fault = {.kind = FAULT_NONE, .signal = signals[s]};
                char what[64];
                fault.delay = 1.1 * all.seconds[i] * (moment + base_rng_unit(&rng)) / MOMENTS;
                if (!(goes_on(i) && signals[s] == SIGKILL) &&
                    !is_chosen(i, (uint64_t)s + (uint64_t)moment))
                    continue;
                (void)snprintf(what, sizeof what, "signal %d after %.4f s", signals[s],
                               fault.delay);
                problems += try_signal(i, &fault, signals[s], what);
            }
    assert_int_equal(problems, 0);
}

static void the_reader_of_a_pipe_may_leave(void **state) {
    uint32_t problems = 0;
    (void)state;
    for (int i = 0; i < WRITER_COUNT; i++)
        problems += try_signal(i, &(fault_request){.kind = FAULT_NONE, .is_unread = true}, SIGPIPE,
                               "nobody reads");
    assert_int_equal(problems, 0);
}

/* ---- Two at once. */

static uint32_t try_two(int job) {
    fault_stage *stage = &all.stages[job];
    const fault_request none = {.kind = FAULT_NONE};
    fault_finding finding = {0};
    fault_outcome outcome;
    fault_tree tree;
    int status;
    fault_stage_reset(stage);
    const pid_t other = fork();
    assert_true(other >= 0);
    if (other == 0) {
        fault_stage_go(stage, &none, &outcome);
        _exit(outcome.status < 0 ? 255 : outcome.status);
    }
    fault_stage_go(stage, &none, &outcome);
    assert_int_equal(waitpid(other, &status, 0), other);
    fault_tree_read(&tree, stage->run);
    const int first = outcome.status, second = WEXITSTATUS(status);
    const int right = stage->undisturbed.status;
    if (first != right && second != right)
        fault_problem(&finding, "exit %d and %d: neither does it: %.200s", first, second,
                      outcome.errors.data);
    if ((first != right && first != COL_BAD_INPUT && first != COL_FAILURE) ||
        (second != right && second != COL_BAD_INPUT && second != COL_FAILURE))
        fault_problem(&finding, "exit %d and %d: neither done nor refused: %.200s", first, second,
                      outcome.errors.data);
    fault_judge_tree(stage, &tree, true, &finding);
    fault_outcome_free(&outcome);
    fault_tree_free(&tree);
    return tell(writers[job], "two at once", &finding);
}

static void two_processes_at_once_do_not_mix_their_output(void **state) {
    uint32_t problems = 0;
    (void)state;
    for (int i = 0; i < WRITER_COUNT; i++)
        for (int round = 0; round < (is_full ? 3 : 1); round++)
            problems += try_two(i);
    assert_int_equal(problems, 0);
}

/* ---- Disks that are full or read-only: a small file system of the test's own, which needs root or
 * user namespaces. */

static bool write_line(const char *path, const char *line) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool is_written = file >= 0 && write(file, line, strlen(line)) == (ssize_t)strlen(line);
    if (file >= 0)
        (void)close(file);
    return is_written;
}

static bool become_root_of_mounts(void) {
    const unsigned user = geteuid(), group = getegid();
    char line[64];
    if (user == 0 && unshare(CLONE_NEWNS) == 0)
        return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
    (void)write_line("/proc/self/setgroups", "deny");
    (void)snprintf(line, sizeof line, "0 %u 1", user);
    if (!write_line("/proc/self/uid_map", line))
        return false;
    (void)snprintf(line, sizeof line, "0 %u 1", group);
    return write_line("/proc/self/gid_map", line);
}

static bool mount_disk(const char *path) {
    return become_root_of_mounts() && mkdir(path, 0777) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", path, "tmpfs", 0, "size=16m") == 0;
}

/* All but `left` bytes of the disk. */
static void fill_disk(const char *path, uint64_t left) {
    struct statvfs disk;
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || fstatvfs(file, &disk) != 0)
        fault_die("cannot fill the disk");
    const uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_bsize;
    if (free_bytes > left && posix_fallocate(file, 0, (off_t)(free_bytes - left)) != 0)
        fault_die("cannot fill the disk");
    (void)close(file);
}

static uint32_t try_full_disk(fault_stage *stage, const char *disk, int job) {
    uint32_t problems = 0;
    for (uint64_t pages = 0; pages < 72; pages += pages < 8 ? 1 : 8) {
        if (!is_chosen(job, pages < 8 ? pages : 8 + pages / 8))
            continue;
        fault_finding finding = {0};
        fault_outcome outcome;
        fault_tree tree;
        char filler[128], what[64];
        (void)snprintf(filler, sizeof filler, "%s/filler", disk);
        fault_stage_reset(stage);
        fill_disk(filler, pages * 4096);
        fault_stage_go(stage, &(fault_request){.kind = FAULT_NONE}, &outcome);
        if (unlink(filler) != 0)
            fault_die("cannot empty the disk");
        fault_tree_read(&tree, stage->run);
        fault_judge(stage, &outcome, &tree, &finding);
        (void)snprintf(what, sizeof what, "%u pages left on the disk", (unsigned)pages);
        problems += tell(writers[job], what, &finding);
        fault_outcome_free(&outcome);
        fault_tree_free(&tree);
    }
    return problems;
}

static uint32_t try_read_only(fault_stage *stage, const char *disk, int job) {
    fault_finding finding = {0};
    fault_outcome outcome;
    fault_tree tree;
    fault_stage_reset(stage);
    if (mount(NULL, disk, NULL, MS_REMOUNT | MS_RDONLY, "size=16m") != 0)
        fault_die("cannot make the disk read-only");
    fault_stage_go(stage, &(fault_request){.kind = FAULT_NONE}, &outcome);
    if (mount(NULL, disk, NULL, MS_REMOUNT, "size=16m") != 0)
        fault_die("cannot make the disk writable again");
    fault_tree_read(&tree, stage->run);
    fault_judge(stage, &outcome, &tree, &finding);
    fault_outcome_free(&outcome);
    fault_tree_free(&tree);
    return tell(writers[job], "read-only", &finding);
}

enum { NO_DISK = 77 };

static uint32_t try_disks(const char *disk) {
    uint32_t problems = 0;
    for (int i = 0; i < WRITER_COUNT; i++) {
        fault_stage stage = {.command = FAULTS_COMMAND};
        fault_finding finding = {0};
        (void)snprintf(stage.folder, sizeof stage.folder, "%s", all.stages[0].folder);
        fault_stage_number(&stage, WRITER_COUNT + i);
        (void)snprintf(stage.run, sizeof stage.run, "%.80s/run", disk);
        fault_stage_begin(&stage, find_job(writers[i]), false, &finding);
        problems += tell(writers[i], "undisturbed", &finding);
        problems += try_full_disk(&stage, disk, i) + try_read_only(&stage, disk, i);
        fault_stage_end(&stage);
    }
    return problems;
}

/* In a process of its own: the mounts end with it. */
static void a_full_or_read_only_disk_loses_nothing(void **state) {
    char disk[96];
    int status;
    (void)state;
    (void)snprintf(disk, sizeof disk, "%s/disk", all.stages[0].folder);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0)
        _exit(!mount_disk(disk) ? NO_DISK : try_disks(disk) > 0);
    assert_int_equal(waitpid(process, &status, 0), process);
    (void)rmdir(disk);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_DISK) {
        print_message("no small disk: neither root nor user namespaces\n");
        skip();
    }
    assert_int_equal(status, 0);
}

int main(int count, char **words) {
    is_full = count > 1 && strcmp(words[1], "all") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_streams_do_no_harm),
        cmocka_unit_test(the_reader_of_a_pipe_may_leave),
        cmocka_unit_test(signals_end_commands_cleanly),
        cmocka_unit_test(two_processes_at_once_do_not_mix_their_output),
        cmocka_unit_test(a_full_or_read_only_disk_loses_nothing)};
    return cmocka_run_group_tests(tests, open_stages, close_stages);
}
