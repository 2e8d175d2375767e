/* SPDX-License-Identifier: MIT */
/*
 * collider replay --step on a pseudo-terminal: what keys do is seen on the screen, which a small
 * emulator keeps; the terminal is as before however the command ends; no line is wider than the
 * terminal.
 */
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): TIOCSWINSZ
#include "cli/own_folder.h"
#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS = 24, COLUMNS = 80, SECONDS = 20 };

/* ---- A failure to step through. */

static int make_failure(void **state) {
    if (make_own_folder(state) != 0)
        return -1;
    const int status =
        system(COLLIDER_COMMAND /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
               " run mesi2 --cores 4 --engine chain-bias --ops 128 --tests 300 "
               "--mix published --error MESI,LQ+IS,Inv --out out --quiet >run.txt 2>&1 && exit 1; "
               "mv out/failure-* failure");
    return status;
}

/* ---- A terminal: the sequences that the command uses, and none other. */

typedef struct terminal {
    int master;
    pid_t child;
    char screen[ROWS][COLUMNS + 1];
    int row, column, marked; /* the row in reverse video; -1: none */
    bool is_alternate, is_hidden;
    uint32_t frames, wanted; /* that were drawn; that are waited for */
    char pending[16];        /* of an escape sequence */
    size_t pending_count;
    struct termios before;
} terminal;

static void clear_from(terminal *t, int row, int column) {
    for (int c = column; c < COLUMNS; c++)
        t->screen[row][c] = ' ';
}

static void obey(terminal *t) {
    const char *s = t->pending;
    if (strcmp(s, "[H") == 0) {
        t->row = t->column = 0;
        t->marked = -1;
    } else if (strcmp(s, "[K") == 0) {
        if (t->column < COLUMNS)
            clear_from(t, t->row, t->column);
    } else if (strcmp(s, "[J") == 0) {
        for (int r = t->row + 1; r < ROWS; r++)
            clear_from(t, r, 0);
        t->frames++;
    } else if (strcmp(s, "[7m") == 0) {
        t->marked = t->row;
    } else if (strcmp(s, "[?1049h") == 0 || strcmp(s, "[?1049l") == 0) {
        t->is_alternate = s[6] == 'h';
    } else if (strcmp(s, "[?25l") == 0 || strcmp(s, "[?25h") == 0) {
        t->is_hidden = s[4] == 'l';
    } else {
        assert_string_equal(s, "[0m");
    }
}

static void take(terminal *t, char c) {
    if (t->pending_count > 0) {
        assert_true(t->pending_count < sizeof t->pending);
        t->pending[t->pending_count - 1] = c;
        t->pending[t->pending_count] = '\0';
        t->pending_count++;
        if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) {
            obey(t);
            t->pending_count = 0;
        }
    } else if (c == '\033') {
        t->pending_count = 1;
    } else if (c == '\r') {
        t->column = 0;
    } else if (c == '\n') {
        if (t->is_alternate)
            assert_true(t->row + 1 < ROWS); /* it would scroll */
        t->row = t->row + 1 < ROWS ? t->row + 1 : t->row;
    } else if (t->is_alternate) {
        assert_true(c >= ' ' && c <= '~');
        assert_true(t->column < COLUMNS); /* it would go on in the next line */
        t->screen[t->row][t->column++] = c;
    }
}

typedef bool (*is_there)(const terminal *t);

/* False: it does not come, or the command has ended before. */
static bool watch(terminal *t, is_there there) {
    for (int rounds = 0; rounds < SECONDS * 20; rounds++) {
        struct pollfd input = {.fd = t->master, .events = POLLIN};
        char bytes[4096];
        if (there(t))
            return true;
        if (poll(&input, 1, 50) <= 0)
            continue;
        const ssize_t count = read(t->master, bytes, sizeof bytes);
        for (ssize_t i = 0; i < count; i++)
            take(t, bytes[i]);
        if (count <= 0)
            return there(t);
    }
    return false;
}

static bool is_drawn(const terminal *t) {
    return t->frames >= t->wanted;
}

static bool is_left(const terminal *t) {
    return !t->is_alternate && !t->is_hidden;
}

static bool shows(const terminal *t, const char *text) {
    for (int r = 0; r < ROWS; r++)
        if (strstr(t->screen[r], text) != NULL)
            return true;
    return false;
}

static void expect(const terminal *t, const char *text) {
    if (shows(t, text))
        return;
    for (int r = 0; r < ROWS; r++)
        print_error("%s\n", t->screen[r]);
    fail_msg("the screen does not show '%s'", text);
}

/* Each key is answered by a frame. */
static void press(terminal *t, const char *key) {
    t->wanted = t->frames + 1;
    assert_int_equal(write(t->master, key, strlen(key)), (ssize_t)strlen(key));
    assert_true(watch(t, is_drawn));
}

static void start(terminal *t, const char *const *more) {
    const struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    *t = (terminal){.marked = -1};
    for (int r = 0; r < ROWS; r++) {
        clear_from(t, r, 0);
        t->screen[r][COLUMNS] = '\0';
    }
    t->master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(t->master >= 0 && grantpt(t->master) == 0 && unlockpt(t->master) == 0);
    assert_int_equal(ioctl(t->master, TIOCSWINSZ, &size), 0);
    const char *name = ptsname(t->master); /* NOLINT(concurrency-mt-unsafe) */
    assert_non_null(name);
    const int kept = open(name, O_RDWR | O_NOCTTY); /* so that its settings outlive the command */
    assert_true(kept >= 0 && tcgetattr(kept, &t->before) == 0);
    t->child = fork();
    assert_true(t->child >= 0);
    if (t->child == 0) {
        const char *words[16] = {"collider", "replay", "failure", "--step", "--quiet"};
        for (int i = 0; more != NULL && more[i] != NULL; i++)
            words[5 + i] = more[i];
        (void)setsid();
        const int slave = open(name, O_RDWR);
        if (dup2(slave, 0) < 0 || dup2(slave, 1) < 0 || dup2(slave, 2) < 0)
            _exit(98);
        (void)execv(COLLIDER_COMMAND, (char *const *)words);
        _exit(99);
    }
    (void)close(kept);
    t->wanted = 1;
    assert_true(watch(t, is_drawn));
    assert_true(t->is_alternate && t->is_hidden);
}

/* "event 12 of 345  cycle 63  block 0x40 (a0)" */
typedef struct place {
    unsigned at, of;
    unsigned long long cycle, block;
} place;

static place where(const terminal *t) {
    place p = {0};
    assert_int_equal(sscanf(t->screen[0], "event %u of %u  cycle %llu  block 0x%llx", &p.at, &p.of,
                            &p.cycle, &p.block),
                     4);
    return p;
}

static place go(terminal *t, const char *key) {
    press(t, key);
    return where(t);
}

static const char *marked(const terminal *t) {
    assert_true(t->marked > 0);
    return t->screen[t->marked];
}

/* The settings of the terminal are as before; 128 + signal or the exit status. */
static int end(terminal *t) {
    int status = 0;
    struct termios after;
    assert_true(watch(t, is_left));
    assert_int_equal(waitpid(t->child, &status, 0), t->child);
    assert_int_equal(tcgetattr(t->master, &after), 0);
    assert_int_equal(after.c_lflag, t->before.c_lflag);
    assert_int_equal(after.c_iflag, t->before.c_iflag);
    assert_int_equal(after.c_oflag, t->before.c_oflag);
    (void)close(t->master);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int quit(terminal *t) {
    assert_int_equal(write(t->master, "q", 1), 1);
    return end(t);
}

/* ---- Facts. */

TEST(keys_walk_through_the_events) {
    terminal t;
    start(&t, NULL);
    const place first = where(&t);
    assert_int_equal(first.at, 1);
    assert_true(first.of > 50);
    assert_int_equal(go(&t, "p").at, 1);
    expect(&t, "this is the first event");
    assert_int_equal(go(&t, "n").at, 2);
    assert_int_equal(go(&t, " ").at, 3);
    assert_int_equal(go(&t, "\033[B").at, 4); /* down */
    assert_int_equal(go(&t, "\033[A").at, 3);
    const place here = go(&t, "p");
    assert_int_equal(here.at, 2);
    const place next = go(&t, "b");
    assert_true(next.at > here.at);
    assert_int_equal(next.block, here.block);
    assert_int_equal(go(&t, "B").at, here.at);
    assert_int_equal(go(&t, "u").at, next.at); /* back where B was pressed */
    assert_int_equal(go(&t, "\177").at, here.at);
    assert_int_equal(go(&t, "G").at, first.of);
    press(&t, "n");
    expect(&t, "this is the last event");
    assert_int_equal(go(&t, "g").at, 1);
    press(&t, "x");
    expect(&t, "? shows the keys");
    assert_int_equal(quit(&t), 1); /* the design failed */
}

/* Between two of a controller's transitions there is none of its own. */
TEST(t_finds_the_next_transition_of_the_controller) {
    terminal t;
    char who[2][32];
    unsigned number[2];
    start(&t, NULL);
    while (strstr(marked(&t), " transition ") == NULL)
        press(&t, "n");
    assert_int_equal(sscanf(marked(&t), "%*u %31s %u", who[0], &number[0]), 2);
    const place from = where(&t), to = go(&t, "t");
    assert_true(to.at > from.at);
    assert_non_null(strstr(marked(&t), " transition "));
    assert_int_equal(sscanf(marked(&t), "%*u %31s %u", who[1], &number[1]), 2);
    assert_string_equal(who[0], who[1]);
    assert_int_equal(number[0], number[1]);
    for (place p = go(&t, "p"); p.at > from.at; p = go(&t, "p")) {
        char own[48];
        (void)snprintf(own, sizeof own, "%s %u ", who[0], number[0]);
        assert_true(strstr(marked(&t), own) != marked(&t) + 10 ||
                    strstr(marked(&t), " transition ") == NULL);
    }
    assert_int_equal(go(&t, "t").at, to.at);
    assert_int_equal(go(&t, "T").at, from.at);
    assert_int_equal(quit(&t), 1);
}

TEST(cycles_violations_states_and_help_are_a_key_away) {
    terminal t;
    start(&t, NULL);
    press(&t, "c");
    press(&t, "5");
    press(&t, "1");
    press(&t, "\177");
    press(&t, "0");
    expect(&t, "go to cycle: 50");
    const place at = go(&t, "\r");
    assert_true(at.cycle >= 50 && at.at > 1);
    assert_true(go(&t, "p").cycle < 50);
    press(&t, "c");
    press(&t, "7");
    assert_int_equal(go(&t, "\033").at, at.at - 1); /* given up */
    const place wrong = go(&t, "v");
    assert_non_null(strstr(marked(&t), " performs "));
    assert_non_null(strstr(marked(&t), " load "));
    press(&t, "s");
    expect(&t, "L1Cache 0 ");
    expect(&t, "Directory 0 ");
    expect(&t, " since cycle ");
    assert_int_equal(go(&t, "n").at, wrong.at); /* press any key to continue */
    press(&t, "?");
    expect(&t, "next transition of this controller");
    expect(&t, "states of all controllers for this block");
    press(&t, "q"); /* goes on, too */
    assert_int_equal(where(&t).at, wrong.at);
    assert_int_equal(quit(&t), 1);
}

TEST(filters_hold_while_stepping) {
    static const char *const block[] = {"--block", "a0", NULL};
    terminal t;
    start(&t, block);
    const place first = where(&t);
    expect(&t, "(a0");
    for (int i = 0; i < 20; i++)
        assert_int_equal(go(&t, "n").block, first.block);
    assert_int_equal(quit(&t), 1);
}

TEST(another_size_is_drawn_at_once) {
    const struct winsize smaller = {.ws_row = 12, .ws_col = 40};
    terminal t;
    start(&t, NULL);
    t.wanted = t.frames + 1;
    assert_int_equal(ioctl(t.master, TIOCSWINSZ, &smaller), 0);
    assert_int_equal(kill(t.child, SIGWINCH), 0);
    assert_true(watch(&t, is_drawn));
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            assert_true(t.screen[r][c] == ' ' || (r < 12 && c < 40));
    assert_int_equal(quit(&t), 1);
}

TEST(signals_leave_the_terminal_as_it_was) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        terminal t;
        start(&t, NULL);
        assert_int_equal(kill(t.child, signals[i]), 0);
        assert_int_equal(end(&t), 128 + signals[i]);
    }
    terminal t; /* from the keyboard */
    start(&t, NULL);
    assert_int_equal(write(t.master, "\003", 1), 1);
    assert_int_equal(end(&t), 128 + SIGINT);
}

TEST(stopping_gives_the_terminal_back_until_continued) {
    terminal t;
    int status;
    start(&t, NULL);
    assert_int_equal(kill(t.child, SIGTSTP), 0);
    assert_true(watch(&t, is_left));
    assert_int_equal(waitpid(t.child, &status, WUNTRACED), t.child);
    assert_true(WIFSTOPPED(status));
    t.wanted = t.frames + 1;
    assert_int_equal(kill(t.child, SIGCONT), 0);
    assert_true(watch(&t, is_drawn));
    assert_true(t.is_alternate && t.is_hidden);
    assert_int_equal(go(&t, "n").at, 2);
    assert_int_equal(quit(&t), 1);
}

int main(void) {
    return run_all_tests(make_failure, remove_own_folder);
}
