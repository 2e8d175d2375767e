/* SPDX-License-Identifier: MIT */
/* Lines with carets: see excerpt.h. */
#include "base/excerpt.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_SHOWN = 160, SHOWN_BEFORE = 100 };

/* The line without its end; NULL if the text is shorter. */
static const char *find_line(const char *text, size_t size, uint32_t line, size_t *length) {
    const char *start = text, *const end = text + size;
    for (uint32_t number = 1; number < line; number++) {
        const char *newline = start == end ? NULL : memchr(start, '\n', (size_t)(end - start));
        if (newline == NULL)
            return NULL;
        start = newline + 1;
    }
    const char *newline = start == end ? NULL : memchr(start, '\n', (size_t)(end - start));
    *length = (size_t)((newline == NULL ? end : newline) - start);
    if (*length > 0 && start[*length - 1] == '\r')
        --*length;
    return start;
}

static bool says_something(const char *line, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)line[i];
        if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c >= 0x80)
            return true;
    }
    return false;
}

/* Does a UTF-8 character go on here? */
static bool is_inside(const char *line, size_t length, size_t at) {
    return at < length && ((unsigned char)line[at] & 0xc0) == 0x80;
}

void base_excerpt_add(base_text *excerpt, const char *text, size_t length, uint32_t line,
                      uint32_t column) {
    text = base_skip_bom(text, &length);
    size_t size = 0;
    const char *found = line == 0 ? NULL : find_line(text, length, line, &size);
    if (found == NULL || !says_something(found, size))
        return;
    const size_t before = column == 0 ? 0 : column - 1 < size ? column - 1 : size;
    size_t first = size > MOST_SHOWN && before > SHOWN_BEFORE ? before - SHOWN_BEFORE : 0;
    size_t last = size - first > MOST_SHOWN ? first + MOST_SHOWN : size;
    while (first < before && is_inside(found, size, first))
        first++;
    while (last > before && is_inside(found, size, last))
        last--;
    char shown[MOST_SHOWN + 1] = "", caret[MOST_SHOWN + 1];
    memcpy(shown, found + first, last - first);
    for (size_t i = 0; i < last - first; i++)
        if (shown[i] == '\0')
            shown[i] = '?';
    shown[last - first] = '\0';
    base_make_printable(shown, true);
    size_t width = 0;
    for (size_t i = 0; i < before - first; i++)
        if (!is_inside(shown, last - first, i)) /* one column for all bytes of a character */
            caret[width++] = shown[i] == '\t' ? '\t' : ' ';
    caret[width] = '\0';
    const int gutter = snprintf(NULL, 0, "%5" PRIu32, line);
    base_text_print(excerpt, "%5" PRIu32 " | %s\n%*s | %s^\n", line, shown, gutter, "", caret);
}
