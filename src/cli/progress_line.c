/* SPDX-License-Identifier: MIT */
/* How far a long job is: see progress_line.h. */
#include "cli/progress_line.h"

#include "cli/diagnose.h"

#include <sys/ioctl.h>
#include <unistd.h>

/* Lines of progress that fit. */

void cli_progress_line_add(cli_progress_line *line, uint32_t rank, const char *format, ...) {
    if (line->count == CLI_MOST_PARTS)
        return;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line->parts[line->count].text, sizeof line->parts[0].text, format, arguments);
    va_end(arguments);
    base_make_printable(line->parts[line->count].text, false);
    line->parts[line->count++].rank = rank;
}

void cli_progress_add_time(base_text *text, double seconds) {
    const unsigned long long whole = seconds < 1e15 ? (unsigned long long)(seconds + 0.5) : 0;
    if (whole >= 3600)
        base_text_print(text, "%llu h %02llu min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        base_text_print(text, "%llu min %02llu s", whole / 60, whole % 60);
    else
        base_text_print(text, "%llu s", whole);
}

void cli_progress_line_add_share(cli_progress_line *line, uint32_t rank, double fraction,
                                 double seconds) {
    if (!(fraction > 0))
        return;
    const double done = fraction < 1 ? fraction : 1;
    base_text left = {0};
    cli_progress_add_time(&left, seconds * (1 - done) / done);
    if (left.data != NULL)
        cli_progress_line_add(line, rank, "%.0f %%, %s left", 100 * done, left.data);
    base_text_free(&left);
}

/* Characters that fit into a line of standard error, so that the next one stays free. */
static int columns(void) {
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1
                                                                               : 79;
}

/* Columns that the parts up to this rank take. */
static int width_up_to(const cli_progress_line *line, uint32_t rank) {
    int width = -2;
    for (uint32_t i = 0; i < line->count; i++)
        if (line->parts[i].rank <= rank)
            width += 2 + (int)base_characters(line->parts[i].text);
    return width;
}

/* The parts that fit into this many columns, with two blanks between; 0 columns: all. */
static void join_line(const cli_progress_line *line, int columns, base_text *text) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < line->count; i++)
        rank = line->parts[i].rank > rank ? line->parts[i].rank : rank;
    while (columns > 0 && rank > 0 && width_up_to(line, rank) > columns)
        rank--;
    const char *separator = "";
    for (uint32_t i = 0; i < line->count; i++) {
        if (line->parts[i].rank > rank)
            continue;
        base_text_print(text, "%s%s", separator, line->parts[i].text);
        separator = "  ";
    }
}

bool cli_progress_is_due(cli_progress_display *d, double seconds) {
    if (d->quiet)
        return false;
    if (!d->started) {
        d->started = true;
        d->is_terminal = isatty(STDERR_FILENO) == 1;
        d->shown = d->is_terminal ? -1 : 0;
    }
    const double pause = d->is_terminal ? 0.1 : 10;
    if (seconds - d->shown < pause)
        return false;
    d->shown = seconds;
    return true;
}

/* A line that does not fit would go on in the next one, and stay there. */
void cli_progress_put(const cli_progress_display *d, base_text *text) {
    char *line = text->data;
    if (line != NULL)
        base_make_printable(line, false);
    if (line != NULL && d->is_terminal) {
        const int most = columns(), characters = (int)base_characters(line);
        (void)fprintf(stderr, "\r%.*s%*s", (int)base_prefix(line, (size_t)most), line,
                      characters < most ? most - characters : 0, "");
    } else if (line != NULL) {
        base_print(stderr, "%s\n", line);
    }
    (void)fflush(stderr);
    base_text_free(text);
}

void cli_progress_put_line(const cli_progress_display *d, const cli_progress_line *line) {
    base_text text = {0};
    join_line(line, d->is_terminal ? columns() : 0, &text);
    cli_progress_put(d, &text);
}

void cli_progress_end(cli_progress_display *display) {
    if (display->started && display->is_terminal && !display->quiet)
        (void)fprintf(stderr, "\r%*s\r", columns(), "");
}
