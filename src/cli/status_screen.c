/* SPDX-License-Identifier: MIT */
/*
 * What an episode shows while it runs: see status_screen.h. A frame is one text and one write: rows
 * that fit, each erased to its end, drawn over those of the frame before. The cursor stays below
 * the last row, so that whatever ends the process, the shell goes on where nothing is.
 */
#include "cli/status_screen.h"

#include "cli/diagnose.h"
#include "cli/forecast_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- Budgets. */

static double share(double used, double budget) {
    return budget > 0 ? used / budget : 0;
}

static double greater(double a, double b) {
    return a > b ? a : b;
}

/* The episode ends by the budget that is used up first. */
static double share_of(const col_episode_settings *s, const col_progress *p) {
    const col_covered all =
        col_coverage_of(p->coverage, COL_CUMULATIVE, s->metric, COL_ALL_MACHINES);
    double used = share(p->seconds, s->seconds);
    used = greater(used, share((double)p->tests, (double)s->tests));
    used = greater(used, share((double)p->cycles, (double)s->cycles));
    return greater(used, share(all.fraction, s->until_coverage));
}

static double millions_a_second(const col_progress *p) {
    return p->seconds > 0 ? (double)p->operations / p->seconds / 1e6 : 0;
}

/* "512 operations, 16 locations, 2 sets": the last setting chosen. */
static void add_setting(base_text *text, const col_point *point) {
    base_text_print(text, "%u operation%s, %u location%s", point->operations,
                    base_plural(point->operations), point->locations,
                    base_plural(point->locations));
    if (point->sets > 0)
        base_text_print(text, ", %u set%s", point->sets, base_plural(point->sets));
}

/* ---- A line. */

/* What goes first where not all fits. The coverage of all machines, and of the last one, where what
 * is not yet covered is usually found, stay as long as anything does. */
enum { ALWAYS, SHARE, LAST_MACHINE, TESTS, RATE, SETTING, MACHINES };

static void make_line(const cli_screen *screen, const col_progress *p, cli_progress_line *line) {
    base_text setting = {0};
    cli_progress_line_add(line, ALWAYS, "%6.1f s", p->seconds);
    cli_progress_line_add_share(line, SHARE, share_of(screen->settings, p), p->seconds);
    cli_progress_line_add(line, TESTS, "%llu test%s", (unsigned long long)p->tests,
                          base_plural(p->tests));
    cli_progress_line_add(line, RATE, "%.2f M operations/s", millions_a_second(p));
    const col_covered all =
        col_coverage_of(p->coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES);
    cli_progress_line_add(line, ALWAYS, "covered %u/%u", all.covered, all.total);
    for (uint32_t m = 0; col_coverage_machine(p->coverage, m) != NULL; m++) {
        const col_covered c = col_coverage_of(p->coverage, COL_CUMULATIVE, COL_STRUCTURAL, m);
        const bool is_last = col_coverage_machine(p->coverage, m + 1) == NULL;
        cli_progress_line_add(line, is_last ? LAST_MACHINE : MACHINES, "%s %u/%u",
                              col_coverage_machine(p->coverage, m), c.covered, c.total);
    }
    add_setting(&setting, &p->point);
    if (setting.data != NULL)
        cli_progress_line_add(line, SETTING, "(%s)", setting.data);
    base_text_free(&setting);
}

/* ---- Rows of a frame. */

enum { LEAST_COLUMNS = 72, LEAST_ROOM = 14, LABEL = 11, MOST_BAR = 60 };

typedef struct frame {
    base_text text;
    uint32_t rows, room, columns; /* what is there, and what fits */
    bool is_utf8, has_colours;
} frame;

static void paint(frame *f, const char *code) {
    if (f->has_colours)
        base_text_print(&f->text, "\033[%sm", code);
}

/* Names of designs and failures are in it: nothing that a terminal obeys gets through. */
static void add_plain(frame *f, base_text *row) {
    if (row->data != NULL && !row->failed) {
        base_make_printable(row->data, false);
        base_text_add_bytes(&f->text, row->data, base_prefix(row->data, f->columns));
    }
    base_text_free(row);
}

static void end_row(frame *f) {
    base_text_add(&f->text, "\033[K\r\n");
    f->rows++;
}

static bool has_room(const frame *f, uint32_t rows) {
    return f->rows + rows <= f->room;
}

static void add_row(frame *f, const char *label, const char *format, ...) BASE_PRINTF(3, 4);

static void add_row(frame *f, const char *label, const char *format, ...) {
    char line[512];
    base_text row = {0};
    va_list arguments;
    if (!has_room(f, 1))
        return;
    va_start(arguments, format);
    base_sentence_from(line, sizeof line, format, arguments);
    va_end(arguments);
    base_text_print(&row, "%-*s%s", LABEL, label, line);
    add_plain(f, &row);
    end_row(f);
}

/* Between groups, if all rows that are still to come fit, too. */
static void add_gap(frame *f, uint32_t rows) {
    if (has_room(f, rows + 1))
        end_row(f);
}

/* As many columns, of which this fraction is filled: to an eighth of a column in UTF-8. */
static void add_bar(frame *f, uint32_t columns, double fraction) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double whole = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
    const uint32_t parts = (uint32_t)(whole * columns * 8);
    uint32_t done = parts / 8;
    paint(f, "32");
    for (uint32_t i = 0; i < done; i++)
        base_text_add(&f->text, f->is_utf8 ? "█" : "#");
    if (f->is_utf8 && parts % 8 > 0) {
        base_text_add(&f->text, eighths[parts % 8]);
        done++;
    }
    paint(f, "0");
    paint(f, "2");
    for (; done < columns; done++)
        base_text_add(&f->text, f->is_utf8 ? "·" : ".");
    paint(f, "0");
}

/* What is in front of the bar, the bar, and what is behind it. */
static void add_bar_row(frame *f, const char *front, double fraction, const char *back) {
    const uint32_t taken = (uint32_t)(base_characters(front) + base_characters(back)) + 2;
    const uint32_t left = taken < f->columns ? f->columns - taken : 0;
    base_text before = {0}, after = {0};
    if (!has_room(f, 1))
        return;
    base_text_add(&before, front);
    base_text_add(&after, back);
    add_plain(f, &before);
    if (left > 0) {
        base_text_add(&f->text, " ");
        add_bar(f, left < MOST_BAR ? left : MOST_BAR, fraction);
        base_text_add(&f->text, " ");
    }
    add_plain(f, &after);
    end_row(f);
}

/* ---- What the rows say. */

static void add_title(frame *f, const cli_screen *screen) {
    const col_episode *e = screen->episode;
    base_text row = {0};
    base_text_print(&row, "collider run %s, %u core%s, %s, %s, seed %llu", e->design, e->cores,
                    base_plural(e->cores), e->model_name, screen->settings->engine,
                    (unsigned long long)screen->settings->seed);
    paint(f, "1");
    add_plain(f, &row);
    paint(f, "0");
    end_row(f);
}

static void add_work(frame *f, const cli_screen *screen, const col_progress *p) {
    const col_episode_settings *s = screen->settings;
    char budget[40] = "", cycles[40] = "";
    if (s->tests > 0)
        (void)snprintf(budget, sizeof budget, " of %llu", (unsigned long long)s->tests);
    if (s->cycles > 0)
        (void)snprintf(cycles, sizeof cycles, ", %.3g %% of the cycles",
                       100 * share((double)p->cycles, (double)s->cycles));
    add_row(f, "tests", "%llu%s, %llu instance%s, %.2f M operations/s%s",
            (unsigned long long)p->tests, budget, (unsigned long long)p->instances,
            base_plural(p->instances), millions_a_second(p), cycles);
}

static void add_time(frame *f, const cli_screen *screen, const col_progress *p) {
    const double done = share_of(screen->settings, p), used = done < 1 ? done : 1;
    base_text front = {0}, back = {0};
    base_text_print(&front, "%-*s", LABEL, "time");
    cli_progress_add_time(&front, p->seconds);
    if (screen->settings->seconds > 0) {
        base_text_add(&front, " of ");
        cli_progress_add_time(&front, screen->settings->seconds);
    }
    if (used > 0) {
        base_text_print(&back, "%.0f %%, ", 100 * used);
        cli_progress_add_time(&back, p->seconds * (1 - used) / used);
        base_text_add(&back, " left");
    }
    if (front.data != NULL && back.data != NULL)
        add_bar_row(f, front.data, used, back.data);
    else if (front.data != NULL)
        add_row(f, "", "%s", front.data);
    base_text_free(&front);
    base_text_free(&back);
}

/* Of the curve, which has a point for each rise of either metric: the last of the structural. */
static void add_newest(frame *f, const col_episode *e, const col_progress *p) {
    size_t last = e->curve_count;
    while (last > 1 && e->curve[last - 1].structural == e->curve[last - 2].structural)
        last--;
    if (last == 0)
        return;
    const col_curve_point *point = &e->curve[last - 1];
    base_text ago = {0};
    cli_progress_add_time(&ago, p->seconds - point->seconds);
    if (ago.data != NULL)
        add_row(f, "new point", "%s ago, in test %llu", ago.data, (unsigned long long)point->tests);
    base_text_free(&ago);
}

static void add_now(frame *f, const col_progress *p) {
    base_text setting = {0};
    add_setting(&setting, &p->point);
    if (setting.data != NULL)
        add_row(f, "now", "%s", setting.data);
    base_text_free(&setting);
}

static void add_extent(frame *f, const char *name, const col_covered *c, int width) {
    char front[160], back[32];
    (void)snprintf(front, sizeof front, "  %-*.*s %4u of %4u", width, 100, name, c->covered,
                   c->total);
    (void)snprintf(back, sizeof back, "%5.1f %%", 100 * c->fraction);
    add_bar_row(f, front, c->fraction, back);
}

/* All machines, and as many of them as there are rows for. */
static void add_coverage(frame *f, const col_coverage *coverage, uint32_t rows) {
    enum { MOST_WIDTH = 24 };
    const col_covered all =
        col_coverage_of(coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES);
    int width = LABEL - 3;
    const char *name;
    for (uint32_t m = 0; (name = col_coverage_machine(coverage, m)) != NULL; m++) {
        const int length = (int)base_characters(name);
        width = length > width ? length : width;
    }
    width = width < MOST_WIDTH ? width : MOST_WIDTH;
    add_extent(f, "covered", &all, width);
    for (uint32_t m = 0, n = 1; n < rows && (name = col_coverage_machine(coverage, m)) != NULL;
         m++) {
        const col_covered c = col_coverage_of(coverage, COL_CUMULATIVE, COL_STRUCTURAL, m);
        if (c.total == 0)
            continue; /* the design leaves the machine out */
        add_extent(f, name, &c, width);
        n++;
    }
}

static void add_forecast(frame *f, const col_episode *e, const col_progress *p) {
    cov_incidence incidence;
    base_text again = {0}, later = {0};
    if (!cli_forecast_begin(e, p->tests, &incidence))
        return;
    cli_forecast_again(&again, e, &incidence);
    cli_forecast_later(&later, &incidence, p->seconds);
    if (again.data != NULL && later.data != NULL) {
        add_row(f, "to find", "%s", again.data);
        add_row(f, "", "%s", later.data);
    }
    base_text_free(&again);
    base_text_free(&later);
}

static int by_count(const void *a, const void *b) {
    const col_failure_kind *const *x = a, *const *y = b;
    if ((*x)->count != (*y)->count)
        return (*x)->count > (*y)->count ? -1 : 1;
    return *x < *y ? -1 : *x > *y; /* as they came */
}

static void add_failures(frame *f, const cli_screen *screen) {
    const col_episode *e = screen->episode;
    const col_failure_kind *sorted[COL_MOST_KINDS];
    const unsigned long long waived = epi_known_waived(screen->known);
    char of_known[48] = "";
    size_t count = 0;
    if (waived > 0)
        (void)snprintf(of_known, sizeof of_known, "; %llu of known bugs waived", waived);
    if (e->failures == 0) {
        add_row(f, "failures", "none%s", of_known);
        return;
    }
    paint(f, "31");
    add_row(f, "failures", "%llu, %zu kind%s%s", (unsigned long long)e->failures, e->kind_count,
            base_plural(e->kind_count), of_known);
    paint(f, "0");
    for (; count < e->kind_count && count < COL_MOST_KINDS; count++)
        sorted[count] = &e->kinds[count];
    qsort(sorted, count, sizeof sorted[0], by_count);
    for (size_t i = 0; i < count && has_room(f, 1); i++)
        if (i + 1 < count && !has_room(f, 2))
            add_row(f, "", "and %zu more kinds", count - i);
        else
            add_row(f, "", "%6llu  %s", (unsigned long long)sorted[i]->count,
                    sorted[i]->smallest.fingerprint.text);
}

/* The title, time, tests, the newest point and the setting; coverage and what is to be found;
 * failures. Where rows are short, gaps go first, then machines, then kinds of failures. */
static void make_frame(frame *f, const cli_screen *screen, const col_progress *p) {
    enum { HEAD = 5, FORECAST = 2, LEAST_FAILURES = 3 };
    const col_episode *e = screen->episode;
    uint32_t machines = 1; /* rows of coverage */
    while (col_coverage_machine(p->coverage, machines - 1) != NULL)
        machines++;
    const uint32_t failures = e->failures == 0 ? 1 : LEAST_FAILURES;
    const uint32_t left = f->room - HEAD - FORECAST - failures;
    machines = machines < left ? machines : left;
    add_title(f, screen);
    add_time(f, screen, p);
    add_work(f, screen, p);
    add_newest(f, e, p);
    add_now(f, p);
    add_gap(f, machines + FORECAST + failures);
    add_coverage(f, p->coverage, machines);
    add_forecast(f, e, p);
    add_gap(f, failures);
    add_failures(f, screen);
}

/* ---- Drawing. */

static const char *variable(const char *name) {
    const char *value = getenv(name); /* NOLINT(concurrency-mt-unsafe): nobody sets it */
    return value == NULL ? "" : value;
}

/* As the locale's variables have it, whether or not this machine has the locale. */
static bool is_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    static const char *const words[] = {"UTF-8", "utf-8", "UTF8", "utf8"};
    const char *locale = "";
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && locale[0] == '\0'; i++)
        locale = variable(names[i]);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        found = found || strstr(locale, words[i]) != NULL;
    return found;
}

/* The size is asked for each time: the window may have another one by now. The last column stays
 * free, or erasing to the end of a row would take what is there. */
static bool has_screen(uint32_t *columns, uint32_t *room) {
    struct winsize window;
    const char *terminal = variable("TERM");
    if (terminal[0] == '\0' || strcmp(terminal, "dumb") == 0 ||
        ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col < LEAST_COLUMNS ||
        window.ws_row < LEAST_ROOM)
        return false;
    *columns = window.ws_col - 1U;
    *room = window.ws_row - 1U;
    return true;
}

/* A job in the background would draw over what its user types. */
static bool is_in_background(void) {
    const pid_t group = tcgetpgrp(STDERR_FILENO);
    return group > 0 && group != getpgrp();
}

/* To where the frame before begins. In a window of another size nobody knows where that is. */
static void add_return(base_text *text, const cli_screen *screen, uint32_t columns, uint32_t room) {
    if (screen->rows == 0)
        base_text_add(text, "\r");
    else if (screen->columns == columns && screen->room == room)
        base_text_print(text, "\r\033[%uA", screen->rows);
    else
        base_text_add(text, "\033[H\033[J");
}

/* As one write, which nothing else gets between. */
static void put(base_text *text) {
    if (text->data != NULL && !text->failed)
        (void)fwrite(text->data, 1, text->length, stderr);
    (void)fflush(stderr);
    base_text_free(text);
}

static void erase(cli_screen *screen) {
    uint32_t columns = 0, room = 0;
    base_text text = {0};
    if (screen->rows == 0)
        return;
    (void)has_screen(&columns, &room);
    add_return(&text, screen, columns, room);
    base_text_add(&text, "\033[J");
    put(&text);
    screen->rows = 0;
}

/* Rows do not go on in the next one, however wide the terminal takes a character to be. */
static void draw(cli_screen *screen, const col_progress *p, uint32_t columns, uint32_t room) {
    frame f = {.room = room,
               .columns = columns,
               .is_utf8 = is_utf8(),
               .has_colours = cli_has_colours(stderr)};
    base_text_add(&f.text, "\033[?7l");
    add_return(&f.text, screen, columns, room);
    make_frame(&f, screen, p);
    base_text_add(&f.text, "\033[J\033[?7h");
    put(&f.text);
    screen->rows = f.rows;
    screen->columns = columns;
    screen->room = room;
}

static void put_line(const cli_screen *screen, const col_progress *progress) {
    cli_progress_line line = {.count = 0};
    make_line(screen, progress, &line);
    cli_progress_put_line(&screen->line, &line);
}

/* Nearly always it is too early: that takes a few instructions. */
void cli_screen_show(cli_screen *screen, const col_progress *progress) {
    uint32_t columns = 0, room = 0;
    screen->line.quiet = screen->quiet;
    if (!cli_progress_is_due(&screen->line, progress->seconds))
        return;
    if (screen->line.is_terminal && is_in_background()) {
        screen->rows = 0;
        return;
    }
    if (screen->line.is_terminal && has_screen(&columns, &room)) {
        draw(screen, progress, columns, room);
        return;
    }
    erase(screen);
    put_line(screen, progress);
}

void cli_screen_end(cli_screen *screen) {
    if (screen->line.is_terminal && is_in_background())
        return;
    if (screen->rows > 0)
        erase(screen);
    else
        cli_progress_end(&screen->line);
}
