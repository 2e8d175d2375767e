/* SPDX-License-Identifier: MIT */
/* Signals: a command that one cuts short says so and exits with 128 + its number; a second one, of
 * whatever kind, ends it at once, unless it is an echo of the first. */
#include "base/file.h"
#include "cli/own_folder.h"
#include "harness.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Below a second. In one piece: on a busy machine each wait ends late. */
static void wait_for(long milliseconds) {
    const struct timespec time = {.tv_nsec = milliseconds * 1000000};
    (void)nanosleep(&time, NULL);
}

static void wait_a_little(void) {
    wait_for(5);
}

static pid_t start(const char *const *words) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    const int errors = open("errors.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int output = open("output.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (errors >= 0 && output >= 0 && dup2(errors, STDERR_FILENO) >= 0 &&
        dup2(output, STDOUT_FILENO) >= 0)
        (void)execv(COLLIDER_COMMAND, (char *const *)words);
    _exit(99);
}

/* Has the process taken the signal over? */
static bool catches(pid_t process, int number) {
    char path[64], line[256];
    unsigned long long caught = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *status = fopen(path, "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "SigCgt:", 7) == 0)
            caught = strtoull(line + 7, NULL, 16);
    if (status != NULL)
        (void)fclose(status);
    return (caught >> (number - 1) & 1) != 0;
}

static void wait_until_it_catches(pid_t process, int number) {
    for (int rounds = 0; !catches(process, number) && rounds < 24000; rounds++)
        wait_a_little();
    assert_true(catches(process, number));
}

/* Until it has computed for a tenth of a second, however long that takes on a busy machine. */
static void wait_until_it_has_worked(pid_t process) {
    char path[64];
    unsigned long used = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    for (int rounds = 0; used * 10 < (unsigned long)sysconf(_SC_CLK_TCK) && rounds < 240000;
         rounds++) {
        base_text stat = {0};
        wait_a_little();
        assert_int_equal(base_file_read(path, &stat, NULL), COL_OK);
        const char *at = stat.data == NULL ? NULL : strrchr(stat.data, ')');
        for (int field = 2; at != NULL && field < 14; field++)
            at = strchr(at + 1, ' ');
        used = at == NULL ? 0 : strtoul(at, NULL, 10);
        base_text_free(&stat);
    }
}

static int end_of(pid_t child) {
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void assert_holds(const char *file, const char *text) {
    base_text read = {0};
    assert_int_equal(base_file_read(file, &read, NULL), COL_OK);
    if (read.data == NULL || strstr(read.data, text) == NULL)
        fail_msg("%s does not say '%s' but '%s'", file, text, read.data == NULL ? "" : read.data);
    base_text_free(&read);
}

static size_t count(const char *pattern) {
    glob_t found;
    const bool has_some = glob(pattern, 0, NULL, &found) == 0;
    const size_t files = has_some ? found.gl_pathc : 0;
    if (has_some)
        globfree(&found);
    return files;
}

/* Some time after it has begun, when there are as many failures. */
static void assert_cut_short_after(size_t failures, const char *const *words, int number,
                                   const char *sentence) {
    const pid_t child = start(words);
    wait_until_it_catches(child, number);
    wait_until_it_has_worked(child);
    for (int i = 0; count("collider-out/failure-*") < failures && i < 240000; i++)
        wait_a_little();
    assert_int_equal(kill(child, number), 0);
    const int status = end_of(child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + number);
    assert_holds("errors.txt", sentence);
}

static void assert_cut_short(const char *const *words, int number, const char *sentence) {
    assert_cut_short_after(0, words, number, sentence);
}

TEST(an_episode_is_incomplete) {
    const char *const words[] = {"collider", "run",     "mesi2",  "--cores", "4",       "--ops",
                                 "64",       "--quiet", "--time", "1000s",   "--force", NULL};
    assert_cut_short(words, SIGTERM, "ended by SIGTERM; the episode is incomplete");
    assert_holds("output.txt", "incomplete: no error found");
    assert_holds("collider-out/episode.json", "\"verdict\": \"incomplete\"");
    assert_holds("collider-out/episode.json", "\"ended_by\": \"signal\"");
    assert_cut_short(words, SIGINT, "ended by SIGINT");
    assert_cut_short(words, SIGHUP, "ended by SIGHUP");
}

/* As timeout(1) ends a command: by a signal to the process, and one to its group. */
TEST(an_echo_is_not_a_second_signal) {
    const char *const words[] = {"collider", "run",     "mesi2",  "--cores", "4",       "--ops",
                                 "64",       "--quiet", "--time", "1000s",   "--force", NULL};
    const pid_t child = start(words);
    wait_until_it_catches(child, SIGTERM);
    for (int i = 0; i < 40; i++)
        wait_a_little();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kill(child, SIGTERM), 0);
        assert_int_equal(kill(child, SIGHUP), 0);
    }
    const int status = end_of(child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 128 + SIGTERM || WEXITSTATUS(status) == 128 + SIGHUP);
    assert_holds("errors.txt", "the episode is incomplete");
    assert_holds("collider-out/episode.json", "\"ended_by\": \"signal\"");
}

static int status_under(const char *limit, const char *command) {
    char line[512];
    (void)snprintf(line, sizeof line, "(ulimit %s; exec %s %s) >output.txt 2>errors.txt", limit,
                   COLLIDER_COMMAND, command);
    return WEXITSTATUS(system(line)); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

/* A file that may not grow is a disk that is full: an error, and nothing is left behind. */
TEST(a_limit_on_files_is_an_error) {
    assert_int_equal(status_under("-f 1", "generate --ops 4Ki --out limited"), 3);
    assert_holds("errors.txt", "File too large");
    assert_int_not_equal(system("ls -A limited | grep -q '^[.]'"), 0); /* NOLINT */
}

TEST(a_limit_on_processor_time_cuts_short) {
    assert_int_equal(status_under("-S -t 1", "run mesi2 --cores 4 --ops 64 --quiet --time 1000s "
                                             "--force -j1"),
                     128 + SIGXCPU);
    assert_holds("errors.txt", "ended by SIGXCPU; the episode is incomplete");
    assert_holds("collider-out/episode.json", "\"ended_by\": \"signal\"");
}

/* What failed is told, but the rest was not looked at. */
TEST(failures_do_not_hide_a_signal) {
    const char *const words[] = {
        "collider", "run",     "mesi2",     "--cores",      "2",           "--ops", "64",
        "--time",   "1000s",   "--options", "without=fifo", "--locations", "4",     "--keep-going",
        "--quiet",  "--force", NULL};
    assert_cut_short_after(3, words, SIGTERM, "tests failed so far");
    assert_holds("collider-out/episode.json", "\"verdict\": \"violation\"");
}

TEST(an_interrupted_tour_is_not_written) {
    const char *const words[] = {"collider", "tour",     "--protocol", "moesi", "--cores",
                                 "16",       "--method", "random",     "--ops", "1000000000000",
                                 "--emit",   "tour.txt", NULL};
    assert_cut_short(words, SIGTERM, "ended by SIGTERM; there is no tour");
    assert_int_not_equal(access("tour.txt", F_OK), 0);
}

TEST(generated_programs_are_whole) {
    const char *const words[] = {"collider", "generate", "--ops", "64", "--count",
                                 "1000000",  "--out",    "made",  NULL};
    assert_cut_short(words, SIGTERM, "of 1000000 programs were made");
    assert_holds("made/test-0000.txt", "end\n");
    assert_int_equal(system("ls -A made | grep -q '^[.]'") != 0, 1); /* NOLINT */
}

/* It takes seconds to make it, and as many to write it. */
TEST(a_program_under_way_is_not_waited_for) {
    const char *const words[] = {"collider", "generate", "--ops", "64Mi", "--out", "large", NULL};
    const pid_t child = start(words);
    wait_until_it_catches(child, SIGINT);
    wait_until_it_has_worked(child);
    assert_int_equal(kill(child, SIGINT), 0);
    const int status = end_of(child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
    assert_holds("errors.txt", "ended by a signal; what was under way was not written");
    assert_int_equal(count("large/*") + count("large/.*[!.]*"), 0);
}

/* Commands that have nothing to tell of half of their work die by the signal, which shells call 128
 * and its number, and leave no file. */
TEST(what_judges_dies_by_the_signal) {
    static const char test[] = "X86_64 SB\n{}\n P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n"
                               " movl (y),%eax | movl (x),%eax ;\nexists (0:rax=0 /\\ 1:rax=0)\n";
    const char *const words[] = {"collider",  "litmus", "--design",    "mi",
                                 "--cores",   "2",      "--runs",      "4000000000",
                                 "sb.litmus", "--json", "judged.json", NULL};
    assert_int_equal(base_file_write("sb.litmus", test, sizeof test - 1, NULL), COL_OK);
    const pid_t child = start(words);
    wait_until_it_catches(child, SIGTERM);
    wait_until_it_has_worked(child);
    assert_int_equal(kill(child, SIGTERM), 0);
    const int status = end_of(child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    assert_int_not_equal(access("judged.json", F_OK), 0);
}

/* The design hangs, so that a stop takes a second; a second signal does not wait for that. On a
 * busy machine the second signal may come too late: then the command has ended by the first, and
 * there is another try. */
TEST(a_second_signal_ends_at_once) {
    char toy[4096];
    const char *slash = strrchr(COLLIDER_COMMAND, '/');
    (void)snprintf(toy, sizeof toy, "%.*s/toy.so", (int)(slash - COLLIDER_COMMAND),
                   COLLIDER_COMMAND);
    const char *const words[] = {"collider",  "run",      toy,       "--own-process",
                                 "--options", "bug=hang", "--quiet", NULL};
    int status = 0;
    for (bool too_late = true; too_late;) {
        const pid_t child = start(words);
        wait_until_it_catches(child, SIGTERM);
        wait_for(200);
        assert_int_equal(kill(child, SIGINT), 0);
        wait_for(350);
        assert_int_equal(kill(child, SIGTERM), 0);
        status = end_of(child);
        too_late = (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) ||
                   (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT);
    }
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
}

int main(void) {
    return run_all_tests(make_own_folder, remove_own_folder);
}
