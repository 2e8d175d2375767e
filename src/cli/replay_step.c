/* SPDX-License-Identifier: MIT */
/*
 * collider replay --step: a list of events around the one at hand, which is shown in full below.
 * Keys move to another event: the next one, the next one of this block, the next transition of this
 * controller, and back. They are rows of a table, of which the help is made too.
 */
#include "cli/replay_step.h"

#include "base/diagram.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>

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

static void next(walk *w) {
    seek(w, is_any, 1, "this is the last event");
}

static void previous(walk *w) {
    seek(w, is_any, -1, "this is the first event");
}

static void next_of_block(walk *w) {
    seek(w, is_same_block, 1, "no later event of this block");
}

static void previous_of_block(walk *w) {
    seek(w, is_same_block, -1, "no earlier event of this block");
}

static void next_transition(walk *w) {
    seek(w, epi_moment_follows, 1, "no later transition of this controller");
}

static void previous_transition(walk *w) {
    seek(w, epi_moment_follows, -1, "no earlier transition of this controller");
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
    const char *name; /* of the key */
    const char *help;
    void (*act)(walk *w);
} command;

static const command commands[] = {
    {'n', CLI_KEY_DOWN, "n", "next event (also: space, down)", next},
    {'p', CLI_KEY_UP, "p", "previous event (also: up)", previous},
    {'b', 0, "b", "next event of this block", next_of_block},
    {'B', 0, "B", "previous event of this block", previous_of_block},
    {'t', 0, "t", "next transition of this controller", next_transition},
    {'T', 0, "T", "previous transition of this controller", previous_transition},
    {'u', BACKSPACE, "u", "back to where the last key was pressed (also: backspace)", go_back},
    {'c', 0, "c", "go to a cycle", ask_cycle},
    {'v', 0, "v", "go to the violation, or to what else went wrong", go_wrong},
    {'s', 0, "s", "states of all controllers for this block", show_states},
    {'g', 0, "g", "first event", go_first},
    {'G', 0, "G", "last event", go_last},
    {'?', 'h', "?", "this help (also: h)", show_help},
    {'q', CLI_KEY_END, "q", "quit", quit},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void obey(walk *w, int key) {
    w->said[0] = '\0';
    if (key == CLI_KEY_REDRAW)
        return;
    for (int i = 0; i < COMMANDS; i++)
        if (commands[i].key == key || commands[i].also == key || (key == ' ' && i == 0)) {
            commands[i].act(w);
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
    cli_screen_size(&w->rows, &w->columns);
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
    cli_screen_draw(&screen, marked);
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
    while (cli_screen_key() == CLI_KEY_REDRAW);
    w->page = NULL;
}

static void show_help(walk *w) {
    base_text text = {0};
    base_text_add(&text, "\n");
    for (int i = 0; i < COMMANDS; i++)
        base_text_print(&text, "  %s  %s\n", commands[i].name, commands[i].help);
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
        const int key = cli_screen_key();
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
        } else if (key != CLI_KEY_REDRAW) {
            w->is_over = key == CLI_KEY_END;
            return;
        }
    }
}

col_status cli_step(const epi_timeline *timeline, const epi_ending *ending, col_problem *problem) {
    walk w = {.timeline = timeline, .ending = ending, .count = epi_timeline_count(timeline)};
    if (w.count == 0)
        return base_refuse(problem, "no event is left to step through; ask for more of them");
    const col_status status = cli_screen_open(problem);
    if (status != COL_OK)
        return status;
    while (!w.is_over) {
        draw(&w, w.said[0] != '\0' ? w.said : keys);
        obey(&w, cli_screen_key());
    }
    cli_screen_close();
    return COL_OK;
}
