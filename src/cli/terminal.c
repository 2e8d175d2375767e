/* SPDX-License-Identifier: MIT */
/* A terminal that a program draws on: see terminal.h. */
#include "cli/terminal.h"

#include "base/text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

/* The alternate screen, without a cursor. */
static const char enter[] = "\033[?1049h\033[?25l";
static const char leave[] = "\033[?25h\033[?1049l";

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING = sizeof ending / sizeof ending[0] };

/* Global, because that is all that a signal can reach. */
static struct termios usual, drawing;
static struct sigaction before[ENDING], before_stop, before_size;
static volatile sig_atomic_t is_open, is_stale;
static sigset_t
    usual_mask; /* what stops us or changes the size comes only while keys are awaited */

bool cli_screen_is(void) {
    return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

/* ---- To and fro; these are safe in a signal handler. */

static void write_all(const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(STDOUT_FILENO, bytes, length);
        if (written < 0 && errno != EINTR)
            return; /* the terminal is gone */
        bytes += written < 0 ? 0 : written;
        length -= written < 0 ? 0 : (size_t)written;
    }
}

static void go_in(void) {
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &drawing);
    write_all(enter, sizeof enter - 1);
}

static void go_out(void) {
    write_all(leave, sizeof leave - 1);
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &usual);
}

/* ---- Signals. */

static void end_by(int number) {
    const int kept = errno;
    if (is_open != 0)
        go_out();
    is_open = 0;
    for (int i = 0; i < ENDING; i++)
        if (ending[i] == number)
            (void)sigaction(number, &before[i], NULL);
    errno = kept;
    (void)raise(number); /* when this returns */
}

static void stop_by(int number) {
    const int kept = errno;
    (void)number;
    go_out();
    (void)raise(SIGSTOP);
    go_in(); /* when it goes on */
    is_stale = 1;
    errno = kept;
}

static void note_size(int number) {
    (void)number;
    is_stale = 1;
}

/* What is ignored by whoever started us stays so. */
static void handle(int number, void (*handler)(int), struct sigaction *old) {
    struct sigaction action = {.sa_handler = handler};
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, old) == 0 && old->sa_handler != SIG_IGN)
        (void)sigaction(number, &action, NULL);
}

/* ---- Using it. */

col_status cli_screen_open(col_problem *problem) {
    if (tcgetattr(STDIN_FILENO, &usual) != 0)
        return base_fail(problem, "the terminal does not tell its settings");
    drawing = usual;
    drawing.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    drawing.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    drawing.c_cc[VMIN] = 1;
    drawing.c_cc[VTIME] = 0;
    for (int i = 0; i < ENDING; i++)
        handle(ending[i], end_by, &before[i]);
    handle(SIGTSTP, stop_by, &before_stop);
    handle(SIGWINCH, note_size, &before_size);
    sigset_t held;
    (void)sigemptyset(&held);
    (void)sigaddset(&held, SIGTSTP);
    (void)sigaddset(&held, SIGWINCH);
    (void)sigprocmask(SIG_BLOCK, &held, &usual_mask);
    is_open = 1;
    go_in();
    return COL_OK;
}

void cli_screen_close(void) {
    if (is_open == 0)
        return;
    is_open = 0;
    go_out();
    for (int i = 0; i < ENDING; i++)
        (void)sigaction(ending[i], &before[i], NULL);
    (void)sigaction(SIGTSTP, &before_stop, NULL);
    (void)sigaction(SIGWINCH, &before_size, NULL);
    (void)sigprocmask(SIG_SETMASK, &usual_mask, NULL);
}

void cli_screen_size(int *rows, int *columns) {
    struct winsize window;
    const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;
    *rows = is_known && window.ws_row >= 8 ? window.ws_row : 24;
    *columns = is_known && window.ws_col >= 20 ? window.ws_col : 80;
}

static bool follows(char *byte) {
    enum { SOON = 50 }; /* milliseconds: terminals send the rest of a key at once */
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, SOON) == 1 && read(STDIN_FILENO, byte, 1) == 1;
}

/* The rest of "ESC [ A". */
static int read_escape(void) {
    char byte;
    if (!follows(&byte) || (byte != '[' && byte != 'O') || !follows(&byte))
        return CLI_KEY_ESCAPE;
    return byte == 'A' ? CLI_KEY_UP : byte == 'B' ? CLI_KEY_DOWN : CLI_KEY_ESCAPE;
}

int cli_screen_key(void) {
    for (;;) {
        char byte;
        if (is_stale != 0) {
            is_stale = 0;
            return CLI_KEY_REDRAW;
        }
        fd_set input;
        FD_ZERO(&input);
        FD_SET(STDIN_FILENO, &input);
        if (pselect(STDIN_FILENO + 1, &input, NULL, NULL, NULL, &usual_mask) < 0 && errno == EINTR)
            continue;
        const ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return CLI_KEY_END;
        return byte == '\033' ? read_escape() : (unsigned char)byte;
    }
}

/* In one piece, or it would flicker. */
void cli_screen_draw(const base_text *lines, int marked) {
    const char *at = lines->data == NULL ? "" : lines->data;
    base_text whole = {0};
    base_text_add(&whole, "\033[H");
    for (int i = 0; *at != '\0'; i++) {
        const size_t length = strcspn(at, "\n");
        base_text_add(&whole, i == marked ? "\033[7m" : "");
        base_text_add_bytes(&whole, at, length);
        base_text_add(&whole, i == marked ? "\033[0m\033[K" : "\033[K");
        at += length;
        at += *at == '\n';
        base_text_add(&whole, *at != '\0' ? "\r\n" : "");
    }
    base_text_add(&whole, "\033[J");
    if (!whole.failed)
        write_all(whole.data, whole.length);
    base_text_free(&whole);
}

/* Terminals. */

static bool is_set(const char *variable) {
    const char *value = getenv(variable); /* NOLINT(concurrency-mt-unsafe): nobody sets it */
    return value != NULL && value[0] != '\0';
}

void cli_paint(FILE *stream, cli_colour colour, const char *text) {
    static const char *const codes[CLI_COLOUR_COUNT] = {[CLI_RED] = "\033[1;31m",
                                                        [CLI_GREEN] = "\033[1;32m",
                                                        [CLI_MAGENTA] = "\033[1;35m",
                                                        [CLI_BOLD] = "\033[1m"};
    /* Is it a terminal, with colours that nobody has turned off (NO_COLOR, TERM=dumb)? */
    const char *terminal = getenv("TERM"); /* NOLINT(concurrency-mt-unsafe) */
    const bool has_colours = isatty(fileno(stream)) == 1 && !is_set("NO_COLOR") &&
                             (terminal == NULL || strcmp(terminal, "dumb") != 0);
    if (has_colours)
        (void)fputs(codes[colour], stream);
    base_print(stream, "%s", text);
    if (has_colours)
        (void)fputs("\033[0m", stream);
}

int cli_columns(void) {
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1
                                                                               : 79;
}
