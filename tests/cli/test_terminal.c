/* SPDX-License-Identifier: MIT */
/* What a person at a terminal sees, through a pseudo-terminal: a screen or a line of progress that
 * fits, of which nothing is left at the end, colours where nobody has turned them off, and nothing
 * of all that elsewhere. */
#include "base/file.h"
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

typedef struct terminal {
    int columns, rows;
    const char *type, *locale, *no_color;
} terminal;

static int open_terminal(const terminal *t, int *ours) {
    const struct winsize size = {.ws_row = (unsigned short)t->rows,
                                 .ws_col = (unsigned short)t->columns};
    *ours = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(*ours >= 0 && grantpt(*ours) == 0 && unlockpt(*ours) == 0);
    const int theirs = open(ptsname(*ours), O_RDWR | O_NOCTTY); /* NOLINT(concurrency-mt-unsafe) */
    assert_true(theirs >= 0 && ioctl(theirs, TIOCSWINSZ, &size) == 0);
    return theirs;
}

/* All that the command writes to the terminal. */
static void watch(const char *const *words, const terminal *t, base_text *seen) {
    int ours;
    const int theirs = open_terminal(t, &ours);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)setenv("TERM", t->type, 1);         /* NOLINT(concurrency-mt-unsafe) */
        (void)setenv("LC_ALL", t->locale, 1);     /* NOLINT(concurrency-mt-unsafe) */
        (void)setenv("NO_COLOR", t->no_color, 1); /* NOLINT(concurrency-mt-unsafe) */
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
    const terminal low = {(int)s.columns, 10, "xterm", "C", ""}; /* too low for the screen */
    base_text seen = {0};
    watch(words, &low, &seen);
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

/* A sequence that begins with ESC [ and ends with m. */
static bool has_colours(const char *seen) {
    while ((seen = strstr(seen, "\033[")) != NULL) {
        seen += 2;
        if (seen[strspn(seen, "0123456789;")] == 'm')
            return true;
    }
    return false;
}

static void assert_colours(const char *const *words, const char *plain, const char *coloured) {
    static const terminal painted = {100, 24, "xterm", "C", ""},
                          bare = {100, 24, "xterm", "C", "1"}, dumb = {100, 24, "dumb", "C", ""};
    base_text with = {0}, without = {0}, typed = {0};
    watch(words, &painted, &with);
    watch(words, &bare, &without);
    watch(words, &dumb, &typed);
    if (strstr(with.data, coloured) == NULL)
        fail_msg("no '%s' in: %s", coloured, with.data);
    if (has_colours(without.data) || strstr(without.data, plain) == NULL)
        fail_msg("colours, or no '%s', in: %s", plain, without.data);
    if (strchr(typed.data, '\033') != NULL || strstr(typed.data, plain) == NULL)
        fail_msg("more than a dumb terminal knows, or no '%s', in: %s", plain, typed.data);
    base_text_free(&typed);
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

/* ---- The screen, on a terminal that knows what the screen uses, and no more. */

enum { COLUMNS = 100, ROWS = 24, CELL = 5 };

typedef struct display {
    char cells[ROWS][COLUMNS][CELL]; /* a character each */
    int row, column, frames;
    bool wraps;
    base_text first; /* the first frame, as it stood when it was whole */
} display;

static void clear_from(display *d, int row, int column) {
    for (; row < ROWS; row++, column = 0)
        for (; column < COLUMNS; column++)
            (void)snprintf(d->cells[row][column], CELL, " ");
}

static void feed(display *d) {
    if (d->row + 1 < ROWS) {
        d->row++;
        return;
    }
    memmove(d->cells[0], d->cells[1], sizeof d->cells - sizeof d->cells[0]);
    clear_from(d, ROWS - 1, 0);
}

static void add_row_to(const display *d, int row, base_text *text) {
    for (int c = 0; c < COLUMNS; c++)
        base_text_add(text, d->cells[row][c]);
    base_text_add(text, "\n");
}

/* A sequence from behind ESC [ on; what is behind it. */
static const char *obey(display *d, const char *at) {
    const bool is_private = *at == '?';
    const int number = atoi(at + is_private); /* NOLINT(cert-err34-c): digits, or 0 */
    at += is_private;
    at += strspn(at, "0123456789;");
    if (*at == 'A')
        d->row = d->row > number ? d->row - number : 0;
    else if (*at == 'H')
        d->row = d->column = 0;
    else if (*at == 'J')
        clear_from(d, d->row, d->column);
    else if (*at == 'K')
        for (int c = d->column; c < COLUMNS; c++)
            (void)snprintf(d->cells[d->row][c], CELL, " ");
    else if (is_private && number == 7)
        d->wraps = *at == 'h';
    else if (*at != 'm')
        fail_msg("a sequence of which not all terminals know: %.10s", at);
    if (is_private && *at == 'h' && d->frames++ == 0)
        for (int r = 0; r < ROWS; r++)
            add_row_to(d, r, &d->first);
    return at + 1;
}

static void show(display *d, const char *at) {
    d->wraps = true;
    clear_from(d, 0, 0);
    while (*at != '\0') {
        const size_t length = base_prefix(at, 1);
        if (strncmp(at, "\033[", 2) == 0) {
            at = obey(d, at + 2);
            continue;
        }
        if (*at == '\r')
            d->column = 0;
        else if (*at == '\n')
            feed(d);
        else if ((unsigned char)*at < ' ')
            fail_msg("a control character, %d", *at);
        else {
            if (d->column == COLUMNS && d->wraps) {
                d->column = 0;
                feed(d);
            }
            d->column = d->column == COLUMNS ? COLUMNS - 1 : d->column;
            (void)snprintf(d->cells[d->row][d->column++], CELL, "%.*s", (int)length, at);
        }
        at += length;
    }
}

/* What the first frame has, and what is left on the terminal. */
static void draw(const char *const *words, const char *locale, const char *const *wanted,
                 const char *last) {
    const terminal t = {COLUMNS, ROWS, "xterm", locale, ""};
    display *d = calloc(1, sizeof *d);
    base_text seen = {0}, left = {0};
    assert_non_null(d);
    watch(words, &t, &seen);
    show(d, seen.data);
    for (int r = 0; r < ROWS; r++)
        add_row_to(d, r, &left);
    assert_true(d->frames > 0 && d->wraps);
    for (size_t i = 0; wanted[i] != NULL; i++)
        if (strstr(d->first.data, wanted[i]) == NULL)
            fail_msg("no '%s' in:\n%s", wanted[i], d->first.data);
    if (strstr(left.data, last) == NULL || strstr(left.data, "collider run ") != NULL ||
        strstr(left.data, "##") != NULL || strstr(left.data, "█") != NULL)
        fail_msg("no '%s', or the screen is left, in:\n%s", last, left.data);
    base_text_free(&d->first);
    base_text_free(&left);
    base_text_free(&seen);
    free(d);
}

TEST(the_screen_shows_the_episode_and_is_gone_at_its_end) {
    static const char *const words[] = {EPISODE, NULL};
    static const char *const ascii[] = {"collider run mesi3, 2 cores, tso, plain, seed 1 ",
                                        "time       0 s #",
                                        "tests      1 of 40, 5 instances, ",
                                        "new point  0 s ago, in test 1 ",
                                        "now        64 operations, ",
                                        " of  236 ##",
                                        "  L0Cache ",
                                        "  Directory ",
                                        "failures   none",
                                        NULL};
    static const char *const utf8[] = {" of  236 ██", "·· ", NULL};
    draw(words, "C", ascii, "no error found (ended by tests)");
    draw(words, "en_GB.UTF-8", utf8, "no error found (ended by tests)");
}

TEST(the_screen_counts_failures_by_kind) {
    static const char *const words[] = {"collider", "run", "mesi3",        "--error", "D4",
                                        "--tests",  "3",   "--keep-going", "--force", NULL};
    static const char *const wanted[] = {"failures   1, 1 kind ",
                                         "     1  mesi3 with D4, violation: ", NULL};
    draw(words, "C", wanted, "collider shrink makes it small");
}

TEST(the_screen_counts_what_is_waived) {
    static const char *const words[] = {"collider",   "run",     "mesi3", "--error",
                                        "D4",         "--tests", "3",     "--known",
                                        "known.yaml", "--force", NULL};
    static const char *const wanted[] = {"failures   none; 1 of known bugs waived ", NULL};
    FILE *file = fopen("known.yaml", "w");
    assert_non_null(file);
    (void)fputs("known: [{ bug: dirty, reason: known,\n"
                "  mend: { at: L0Cache/E/Store, plus: [mark_dirty] } }]\n",
                file);
    assert_int_equal(fclose(file), 0);
    draw(words, "C", wanted, "no new error found");
}

/* From 128 tests on; an episode that goes on has them at once. */
TEST(the_screen_says_what_is_still_to_be_found) {
    static const char *const words[] = {EPISODE,    "--tests",      "210",
                                        "--resume", "collider-out", NULL};
    static const char *const wanted[] = {"tests      201 of 210, ", "to find    about ",
                                         " more coverage points in as many tests again (",
                                         "15 times as many find one with probability ", NULL};
    assert_int_equal(system(COLLIDER_COMMAND " run mesi3 --cores 2 --ops 64 --locations 4 --engine "
                                             "plain --tests 200 --force --save --quiet >saved"),
                     0); /* NOLINT */
    draw(words, "C", wanted, "no error found (ended by tests)");
}

/* A name comes from a file, and may be anything. */
TEST(names_of_designs_do_not_command_the_terminal) {
    static const char *const words[] = {"collider", "run",     "evil.yaml", "--cores", "2", "--ops",
                                        "64",       "--tests", "3",         "--force", NULL};
    static const char *const wanted[] = {"collider run x?[2Jy??1A, 2 cores", NULL};
    base_text design = {0};
    col_problem problem;
    assert_int_equal(base_file_read(TEST_DATA "/../../designs/mesi3.yaml", &design, &problem), 0);
    char *name = strstr(design.data, "name: mesi3");
    assert_non_null(name);
    FILE *file = fopen("evil.yaml", "w");
    assert_non_null(file);
    (void)fprintf(file, "name: \"x\\e[2Jy\\u009b1A\"%s", name + strlen("name: mesi3"));
    assert_int_equal(fclose(file), 0);
    base_text_free(&design);
    draw(words, "C", wanted, "no error found");
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
