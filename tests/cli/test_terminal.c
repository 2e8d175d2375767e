/* SPDX-License-Identifier: MIT */
/* What a person at a terminal sees, through a pseudo-terminal: a line of progress that fits,
 * colours where nobody has turned them off, and nothing of either elsewhere. */
#include "base/text.h"
#include "cli/own_folder.h"
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int open_terminal(int columns, int *ours) {
    const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    *ours = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(*ours >= 0 && grantpt(*ours) == 0 && unlockpt(*ours) == 0);
    const int theirs = open(ptsname(*ours), O_RDWR | O_NOCTTY); /* NOLINT(concurrency-mt-unsafe) */
    assert_true(theirs >= 0 && ioctl(theirs, TIOCSWINSZ, &size) == 0);
    return theirs;
}

/* All that the command writes to a terminal of this many columns. */
static void watch(const char *const *words, int columns, const char *no_color, base_text *seen) {
    int ours;
    const int theirs = open_terminal(columns, &ours);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)setenv("TERM", "xterm", 1);      /* NOLINT(concurrency-mt-unsafe) */
        (void)setenv("NO_COLOR", no_color, 1); /* NOLINT(concurrency-mt-unsafe) */
        if (dup2(theirs, STDOUT_FILENO) >= 0 && dup2(theirs, STDERR_FILENO) >= 0)
            (void)execv(COLLIDER_COMMAND, (char *const *)words);
        _exit(99);
    }
    (void)close(theirs);
    char part[4096];
    ssize_t got;
    while ((got = read(ours, part, sizeof part)) > 0) /* until nobody has the other end */
        base_text_add_bytes(seen, part, (size_t)got);
    (void)close(ours);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 99);
    assert_non_null(seen->data);
}

/* Calls for each line that was shown, whether it was written over or not. */
static void each_line(const base_text *seen, void (*look)(const char *line, void *context),
                      void *context) {
    for (const char *at = seen->data; *at != '\0';) {
        char line[2000];
        const size_t length = strcspn(at, "\r\n");
        assert_true(length < sizeof line);
        memcpy(line, at, length);
        line[length] = '\0';
        look(line, context);
        at += length + (at[length] != '\0');
    }
}

typedef struct sight {
    size_t columns, progress;
    const char *wanted[8]; /* what each line of progress has */
} sight;

static void look(const char *line, void *context) {
    sight *s = context;
    if (strstr(line, " s  ") == NULL)
        return; /* not of progress */
    s->progress++;
    if (strlen(line) >= s->columns)
        fail_msg("%zu columns are too few for: %s", s->columns, line);
    for (size_t i = 0; s->wanted[i] != NULL; i++)
        if (strstr(line, s->wanted[i]) == NULL)
            fail_msg("no '%s' in: %s", s->wanted[i], line);
}

static void assert_progress(const char *const *words, sight s) {
    base_text seen = {0};
    watch(words, (int)s.columns, "", &seen);
    each_line(&seen, look, &s);
    assert_true(s.progress > 0);
    base_text_free(&seen);
}

#define EPISODE                                                                                    \
    "collider", "run", "mesi3", "--cores", "2", "--ops", "64", "--locations", "4", "--tests",      \
        "40", "--engine", "plain", "--force"

TEST(the_line_of_an_episode_fits) {
    static const char *const words[] = {EPISODE, NULL};
    assert_progress(words, (sight){.columns = 300,
                                   .wanted = {"covered ", "test", "M operations/s", "L0Cache ",
                                              "L1Cache ", "L2Cache ", "Directory ", NULL}});
    assert_progress(
        words, (sight){.columns = 80, .wanted = {"covered ", "Directory ", " %, ", " left", NULL}});
    assert_progress(words, (sight){.columns = 50, .wanted = {"covered ", " %, ", " left", NULL}});
    assert_progress(words, (sight){.columns = 30, .wanted = {"covered ", NULL}});
    assert_progress(words, (sight){.columns = 12});
}

TEST(a_search_reports_its_progress) {
    static const char *const words[] = {"collider", "explore", "mesi2",  "--cores", "2",
                                        "--blocks", "2",       "--time", "1s",      NULL};
    assert_progress(words, (sight){.columns = 120,
                                   .wanted = {" state", " to look at", "depth ", " % of --time",
                                              " % of --memory", NULL}});
    assert_progress(words, (sight){.columns = 40, .wanted = {" state", NULL}});
}

static void assert_colours(const char *const *words, const char *plain, const char *coloured) {
    base_text with = {0}, without = {0};
    watch(words, 100, "", &with);
    watch(words, 100, "1", &without);
    if (strstr(with.data, coloured) == NULL)
        fail_msg("no '%s' in: %s", coloured, with.data);
    if (strchr(without.data, '\033') != NULL || strstr(without.data, plain) == NULL)
        fail_msg("colours, or no '%s', in: %s", plain, without.data);
    base_text_free(&with);
    base_text_free(&without);
}

TEST(verdicts_and_tags_have_colours) {
    static const char *const passes[] = {EPISODE, NULL};
    static const char *const fails[] = {EPISODE, "--options", "without=fifo", NULL};
    static const char *const slips[] = {"collider", "rnu", NULL};
    assert_colours(passes, "no error found", "\033[1;32mno error found\033[0m");
    assert_colours(fails, "violation: ", "\033[1;31mviolation\033[0m: ");
    assert_colours(slips, "collider: error: unknown", "collider: \033[1;31merror: \033[0munknown");
}

/* Not on a terminal there is neither. */
TEST(without_a_terminal_there_are_no_colours) {
    assert_int_equal(system(COLLIDER_COMMAND
                            " run msi --cores 2 --ops 64 --locations 4 --tests 20 --options "
                            "without=fifo --force >shown 2>&1; ! grep -q \"$(printf '\\033')\" "
                            "shown && ! grep -q \"$(printf '\\r')\" shown"), /* NOLINT */
                     0);
}

int main(void) {
    return run_all_tests(make_own_folder, remove_own_folder);
}
