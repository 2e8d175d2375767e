/* SPDX-License-Identifier: MIT */
/*
 * collider replay --step: a list of events around the one at hand, which is shown in full below.
 * Keys move to another event: the next one, the next one of this block, the next transition of this
 * controller, and back. They are rows of a table, of which the help is made too.
 */
#include "cli/replay_step.h"

#include "base/diagram.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

/* ---- The terminal, on which keys come one by one and are not shown. However the program ends, by
 * a signal too, it is as it was before. */

/* Besides characters. */
enum { KEY_END = -1, KEY_REDRAW = 256, KEY_UP, KEY_DOWN, KEY_ESCAPE };

/* The alternate screen, without a cursor. */
static const char enter[] = "\033[?1049h\033[?25l";
static const char leave[] = "\033[?25h\033[?1049l";

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { DEADLY = sizeof deadly / sizeof deadly[0] };

/* Global, because that is all that a signal can reach. */
static struct termios usual, drawing;
static struct sigaction before[DEADLY], before_stop, before_size;
static volatile sig_atomic_t is_open, is_stale;
static sigset_t
    usual_mask; /* what stops us or changes the size comes only while keys are awaited */

bool cli_screen_is(void) {
    return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

/* To and fro; these are safe in a signal handler. */

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

/* Signals. */

static void end_by(int number) {
    const int kept = errno;
    if (is_open != 0)
        go_out();
    is_open = 0;
    for (int i = 0; i < DEADLY; i++)
        if (deadly[i] == number)
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

/* Using it. */

static col_status open_screen(col_problem *problem) {
    if (tcgetattr(STDIN_FILENO, &usual) != 0)
        return base_fail(problem, "the terminal does not tell its settings");
    drawing = usual;
    drawing.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    drawing.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    drawing.c_cc[VMIN] = 1;
    drawing.c_cc[VTIME] = 0;
    for (int i = 0; i < DEADLY; i++)
        handle(deadly[i], end_by, &before[i]);
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

static void close_screen(void) {
    if (is_open == 0)
        return;
    is_open = 0;
    go_out();
    for (int i = 0; i < DEADLY; i++)
        (void)sigaction(deadly[i], &before[i], NULL);
    (void)sigaction(SIGTSTP, &before_stop, NULL);
    (void)sigaction(SIGWINCH, &before_size, NULL);
    (void)sigprocmask(SIG_SETMASK, &usual_mask, NULL);
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
        return KEY_ESCAPE;
    return byte == 'A' ? KEY_UP : byte == 'B' ? KEY_DOWN : KEY_ESCAPE;
}

/* Waits for one; REDRAW: the size has changed, or the program was stopped and goes on. */
static int await_key(void) {
    for (;;) {
        char byte;
        if (is_stale != 0) {
            is_stale = 0;
            return KEY_REDRAW;
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
            return KEY_END;
        return byte == '\033' ? read_escape() : (unsigned char)byte;
    }
}

/* Shows the lines from the top, and nothing else, in one piece, or it would flicker. `marked` is
 * the one in reverse video; -1: none. The lines must be printable and no longer than the terminal
 * is wide. */
static void draw_screen(const base_text *lines, int marked) {
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

/* ---- The walk. */

enum { MOST_BACK = 256, DETAIL = 3, PAGE = 10, BACKSPACE = 127, RETURN = '\r' };

typedef struct walk {
    const epi_timeline *timeline;
    const epi_ending *ending;
    uint32_t at, count;
    uint32_t back[MOST_BACK], back_count; /* where jumps came from */
    int rows, columns;
    char said[80];    /* why nothing moved */
    const char *page; /* a text instead of the list; NULL: none */
    bool is_over;
} walk;

static const epi_moment *moment(const walk *w, uint32_t i) {
    return epi_timeline_at(w->timeline, i);
}

/* ---- Moving. */

static void move_to(walk *w, uint32_t to) {
    if (w->back_count == MOST_BACK)
        memmove(w->back, w->back + 1, --w->back_count * sizeof *w->back);
    w->back[w->back_count++] = w->at;
    w->at = to;
}

typedef bool (*is_wanted)(const epi_timeline *timeline, const epi_moment *here,
                          const epi_moment *there);

static bool is_any(const epi_timeline *timeline, const epi_moment *here, const epi_moment *there) {
    (void)timeline;
    return here != there;
}

static bool is_same_block(const epi_timeline *timeline, const epi_moment *here,
                          const epi_moment *there) {
    (void)timeline;
    return here->block == there->block;
}

static void seek(walk *w, is_wanted wanted, int step, const char *nothing) {
    for (uint32_t i = w->at + (uint32_t)step; i < w->count; i += (uint32_t)step)
        if (wanted(w->timeline, moment(w, w->at), moment(w, i))) {
            move_to(w, i);
            return;
        }
    (void)snprintf(w->said, sizeof w->said, "%s", nothing);
}

static void go_back(walk *w) {
    if (w->back_count > 0)
        w->at = w->back[--w->back_count];
    else
        (void)snprintf(w->said, sizeof w->said, "nothing to go back to");
}

static void go_first(walk *w) {
    move_to(w, 0);
}

static void go_last(walk *w) {
    move_to(w, w->count - 1);
}

static void go_wrong(walk *w) {
    move_to(w, epi_timeline_wrong(w->timeline, w->ending));
}

static void quit(walk *w) {
    w->is_over = true;
}

static void ask_cycle(walk *w);
static void show_states(walk *w);
static void show_help(walk *w);

/* ---- Keys. */

typedef struct command {
    int key, also;
    const char *help;
    void (*act)(walk *w); /* NULL: moves to the nearest event that is wanted */
    is_wanted wanted;
    int step;
    const char *nothing; /* what is said where there is none */
} command;

static const command commands[] = {
    {'n', KEY_DOWN, "next event (also: space, down)", NULL, is_any, 1, "this is the last event"},
    {'p', KEY_UP, "previous event (also: up)", NULL, is_any, -1, "this is the first event"},
    {'b', 0, "next event of this block", NULL, is_same_block, 1, "no later event of this block"},
    {'B', 0, "previous event of this block", NULL, is_same_block, -1,
     "no earlier event of this block"},
    {'t', 0, "next transition of this controller", NULL, epi_moment_follows, 1,
     "no later transition of this controller"},
    {'T', 0, "previous transition of this controller", NULL, epi_moment_follows, -1,
     "no earlier transition of this controller"},
    {'u', BACKSPACE, "back to where the last key was pressed (also: backspace)", .act = go_back},
    {'c', 0, "go to a cycle", .act = ask_cycle},
    {'v', 0, "go to the violation, or to what else went wrong", .act = go_wrong},
    {'s', 0, "states of all controllers for this block", .act = show_states},
    {'g', 0, "first event", .act = go_first},
    {'G', 0, "last event", .act = go_last},
    {'?', 'h', "this help (also: h)", .act = show_help},
    {'q', KEY_END, "quit", .act = quit},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void obey(walk *w, int key) {
    w->said[0] = '\0';
    if (key == KEY_REDRAW)
        return;
    for (const command *c = commands; c < commands + COMMANDS; c++)
        if (c->key == key || c->also == key || (key == ' ' && c == commands)) {
            if (c->act != NULL)
                c->act(w);
            else
                seek(w, c->wanted, c->step, c->nothing);
            return;
        }
    (void)snprintf(w->said, sizeof w->said, "? shows the keys");
}

/* ---- Drawing. Names are the design's: nothing in them may reach the terminal as a command. */

/* At most as many columns as there are; what is not ASCII is a "?". */
static void add_line(const walk *w, const char *line, base_text *screen) {
    for (int i = 0; i < w->columns - 1 && line[i] != '\0' && line[i] != '\n'; i++) {
        const bool is_plain = line[i] >= ' ' && line[i] <= '~';
        base_text_add_bytes(screen, is_plain ? &line[i] : "?", 1);
    }
    base_text_add(screen, "\n");
}

/* In full, on as many lines as there are for it. */
static void add_detail(const walk *w, base_text *screen) {
    base_text line = {0};
    epi_moment_line(w->timeline, moment(w, w->at), &line);
    const char *at = line.data == NULL ? "" : line.data;
    add_line(w, "", screen);
    for (int i = 1; i < DETAIL; i++) {
        char part[256];
        const size_t room = w->columns < 256 ? (size_t)w->columns - 1 : sizeof part - 1;
        const size_t length = base_line_length(at, strlen(at), room);
        (void)snprintf(part, sizeof part, "%.*s", (int)length, at);
        add_line(w, part, screen);
        at += length;
        at += *at == ' ';
    }
    base_text_free_part(&line, screen);
}

static void draw(walk *w, const char *below) {
    base_text screen = {0};
    int marked = -1;
    struct winsize window;
    const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;
    w->rows = is_known && window.ws_row >= 8 ? window.ws_row : 24;
    w->columns = is_known && window.ws_col >= 20 ? window.ws_col : 80;
    base_text head = {0};
    const epi_moment *m = moment(w, w->at);
    base_text_print(&head, "event %u of %u  cycle %llu  block ", w->at + 1, w->count,
                    (unsigned long long)m->cycle);
    epi_moment_block(w->timeline, m, &head);
    if (epi_timeline_missing(w->timeline) > 0)
        base_text_print(&head, "  (%llu earlier events were not kept)",
                        (unsigned long long)epi_timeline_missing(w->timeline));
    add_line(w, head.data == NULL ? "" : head.data, &screen);
    base_text_free_part(&head, &screen);
    if (w->page != NULL) {
        const char *at = w->page;
        for (int i = 0; i < w->rows - 3; i++) {
            add_line(w, at, &screen);
            at += strcspn(at, "\n");
            at += *at == '\n';
        }
        add_line(w, *at != '\0' ? "(more does not fit on the screen)" : "", &screen);
    } else {
        /* The events around the one at hand; returns the line that it is on. */
        const int rows = w->rows - DETAIL - 3;
        const int64_t middle = (int64_t)w->at - rows / 2;
        const int64_t last = (int64_t)w->count - rows;
        int64_t first = middle > last ? last : middle;
        first = first < 0 ? 0 : first;
        for (int64_t i = first; i < first + rows; i++) {
            base_text line = {0};
            if (i < w->count)
                epi_moment_line(w->timeline, moment(w, (uint32_t)i), &line);
            add_line(w, line.data == NULL ? "" : line.data, &screen);
            base_text_free_part(&line, &screen);
        }
        marked = 1 + (int)(w->at - first);
        add_detail(w, &screen);
    }
    add_line(w, below, &screen);
    draw_screen(&screen, marked);
    base_text_free(&screen);
}

static const char keys[] =
    "n next p prev  b block  t controller  u back  c cycle  v wrong  s states"
    "  ? q";

/* ---- Pages and questions. */

static void show_page(walk *w, const base_text *text) {
    w->page = text->data == NULL ? "" : text->data;
    do
        draw(w, "press any key to continue");
    while (await_key() == KEY_REDRAW);
    w->page = NULL;
}

static void show_help(walk *w) {
    base_text text = {0};
    base_text_add(&text, "\n");
    for (int i = 0; i < COMMANDS; i++)
        base_text_print(&text, "  %c  %s\n", commands[i].key, commands[i].help);
    show_page(w, &text);
    base_text_free(&text);
}

static void show_states(walk *w) {
    base_text text = {0};
    base_text_add(&text, "\nBy now the block is, in each controller that has met it:\n\n");
    epi_timeline_states(w->timeline, w->at, &text);
    show_page(w, &text);
    base_text_free(&text);
}

static void ask_cycle(walk *w) {
    uint64_t cycle = 0;
    char question[64];
    for (bool is_given = false;;) {
        (void)snprintf(question, sizeof question,
                       is_given ? "go to cycle: %llu" : "go to cycle: ", (unsigned long long)cycle);
        draw(w, question);
        const int key = await_key();
        if (key >= '0' && key <= '9' && cycle < UINT64_MAX / 100) {
            cycle = cycle * 10 + (uint64_t)(key - '0');
            is_given = true;
        } else if (key == BACKSPACE || key == '\b') {
            cycle /= 10;
            is_given = cycle > 0;
        } else if (key == RETURN || key == '\n') {
            if (is_given) {
                uint32_t i = 0;
                while (i + 1 < w->count && moment(w, i)->cycle < cycle)
                    i++;
                move_to(w, i);
            }
            return;
        } else if (key != KEY_REDRAW) {
            w->is_over = key == KEY_END;
            return;
        }
    }
}

col_status cli_step(const epi_timeline *timeline, const epi_ending *ending, col_problem *problem) {
    walk w = {.timeline = timeline, .ending = ending, .count = epi_timeline_count(timeline)};
    if (w.count == 0)
        return base_refuse(problem, "no event is left to step through; ask for more of them");
    BASE_TRY(open_screen(problem));
    while (!w.is_over) {
        draw(&w, w.said[0] != '\0' ? w.said : keys);
        obey(&w, await_key());
    }
    close_screen();
    return COL_OK;
}
