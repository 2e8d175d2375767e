/* SPDX-License-Identifier: MIT */
/* Lines of progress that fit: see progress_line.h. */
#include "cli/progress_line.h"

#include <stdarg.h>
#include <string.h>

int cli_characters(const char *text) {
    int count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

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

/* Columns that the parts up to this rank take. */
static int width_up_to(const cli_progress_line *line, uint32_t rank) {
    int width = -2;
    for (uint32_t i = 0; i < line->count; i++)
        if (line->parts[i].rank <= rank)
            width += 2 + cli_characters(line->parts[i].text);
    return width;
}

void cli_progress_line_join(const cli_progress_line *line, int columns, base_text *text) {
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
