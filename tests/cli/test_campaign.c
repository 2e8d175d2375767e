/* SPDX-License-Identifier: MIT */
/*
 * collider campaign while it runs: Ctrl-C keeps what is done, leaves no process behind, and
 * --resume finishes the plan; on a terminal one line is kept up to date. What it prints otherwise
 * is in tests/data/cli/campaign.txt.
 */
#include "base/file.h"
#include "cli/own_folder.h"
#include "harness.h"
#include "results/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void wait_a_little(void) {
    const struct timespec moment = {.tv_nsec = 20000000};
    (void)nanosleep(&moment, NULL);
}

static void write_plan(const char *name, const char *text) {
    col_problem problem;
    assert_int_equal(base_file_write(name, text, strlen(text), &problem), COL_OK);
}

/* The command in a process group of its own, its errors going to a file or terminal. */
static pid_t start(const char *const *words, int errors) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    (void)setpgid(0, 0);
    const int nowhere = open("out.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(errors, STDERR_FILENO);
    (void)execv(COLLIDER_COMMAND, (char *const *)words);
    _exit(127);
}

static int end_of(pid_t child) {
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(const char *const *words, const char *errors_to) {
    const int errors = open(errors_to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(errors >= 0);
    const pid_t child = start(words, errors);
    (void)close(errors);
    return end_of(child);
}

static bool holds(const char *file, const char *text) {
    base_text read = {0};
    assert_int_equal(base_file_read(file, &read, NULL), COL_OK);
    const bool has = read.data != NULL && strstr(read.data, text) != NULL;
    base_text_free(&read);
    return has;
}

/* ---- Ctrl-C. */

static col_status note_done(void *context, const cam_plan_row *plan, col_problem *problem) {
    (void)problem;
    *(uint64_t *)context = plan->done;
    return COL_OK;
}

/* Until some trials are done. */
static void wait_for_results(const char *path) {
    uint64_t done = 0;
    for (int rounds = 0; done < 2 && rounds < 6000; rounds++) {
        cam_store *store = NULL;
        wait_a_little();
        if (cam_store_open(&store, path, NULL) == COL_OK)
            (void)cam_store_plans(store, note_done, &done, NULL);
        cam_store_close(store);
    }
    assert_true(done >= 2);
}

static void interrupt(const char *plan, const char *path, int to_group, const char *command) {
    const char *const words[] = {"collider", "campaign", plan,      "--jobs", "2",
                                 "--out",    path,       "--quiet", NULL};
    const int errors = open("errors.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const pid_t child = start(words, errors);
    (void)close(errors);
    wait_for_results(path);
    assert_int_equal(kill(to_group ? -child : child, SIGINT), 0);
    assert_int_equal(end_of(child), 128 + SIGINT);
    assert_true(holds("errors.txt", "ended by SIGINT"));
    assert_true(holds("errors.txt", command));
    int rounds = 0;
    while (kill(-child, 0) == 0 && rounds++ < 6000)
        wait_a_little();
    assert_int_equal(kill(-child, 0), -1); /* no worker is left */
    assert_int_equal(errno, ESRCH);
}

static void assert_resumes(const char *plan, const char *path) {
    const char *const resume[] = {"collider", "campaign", plan,     "--resume", "--jobs",  "2",
                                  "--out",    path,       "--json", "s.json",   "--quiet", NULL};
    assert_int_equal(run(resume, "errors.txt"), COL_OK);
    assert_true(holds("s.json", "\"done\": 24"));
    assert_true(holds("s.json", "\"stopped\": false"));
    assert_false(holds("s.json", "\"ran\": 24")); /* some were done before */
    const char *const again[] = {"collider", "campaign", plan,     "--resume", "--out",
                                 path,       "--json",   "s.json", "--quiet",  NULL};
    assert_int_equal(run(again, "errors.txt"), COL_OK);
    assert_true(holds("s.json", "\"ran\": 0"));
}

/* From a terminal everybody gets the signal; from kill the campaign alone. */
TEST(work_done_before_a_signal_is_kept) {
    for (int to_group = 0; to_group < 2; to_group++) {
        char text[300], name[32], path[32], command[160];
        (void)snprintf(name, sizeof name, "stop-%d.yaml", to_group);
        (void)snprintf(path, sizeof path, "it's %d.db", to_group);
        (void)snprintf(command, sizeof command,
                       "collider campaign %s --out 'it'\\''s %d.db' --resume continues it", name,
                       to_group);
        (void)snprintf(text, sizeof text,
                       "plan: stop-%d\ngrids: [{design: mesi2, cores: 4, engine: plain, ops: 64, "
                       "locations: 4, "
                       "time: 0.05s, seed: 1..24}]\n",
                       to_group);
        write_plan(name, text);
        interrupt(name, path, to_group, command);
        assert_resumes(name, path);
    }
}

/* ---- A terminal. */

static void read_terminal(int terminal, pid_t child, base_text *text) {
    char chunk[512];
    for (;;) {
        const ssize_t count = read(terminal, chunk, sizeof chunk);
        if (count <= 0)
            break; /* also when the last process has left it */
        base_text_add_bytes(text, chunk, (size_t)count);
    }
    assert_int_equal(end_of(child), COL_OK);
}

TEST(on_a_terminal_a_line_is_kept_up_to_date) {
    static const char *const words[] = {"collider", "campaign", "show.yaml", "--jobs", "1", NULL};
    base_text text = {0};
    write_plan("show.yaml", "plan: show\ngrids: [{design: mesi2, cores: 4, ops: 64, locations: 4, "
                            "time: 0.1s, engine: [plain, chain], seed: 1..4}]\n");
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const int slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    const pid_t child = start(words, slave);
    (void)close(slave);
    read_terminal(terminal, child, &text);
    (void)close(terminal);
    assert_non_null(text.data);
    assert_non_null(strstr(text.data, "\r0 of 8 done (0 %), "));
    assert_non_null(strstr(text.data, " %), 1 running; "));
    assert_non_null(strstr(text.data, "chain"));
    assert_null(strstr(text.data, "\n")); /* one line, wiped out at the end */
    assert_int_equal(text.data[text.length - 1], '\r');
    assert_true(holds("out.txt", "show: 8 of 8 trials done, 0 failed"));
    base_text_free(&text);
}

int main(void) {
    return run_all_tests(make_own_folder, remove_own_folder);
}
