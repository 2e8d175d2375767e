/* SPDX-License-Identifier: MIT */
/* What a command that is not quiet says every ten seconds. Only slow machines see it, so no test
 * expects it. */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Such as "  12.5 s  ...", or "3 of 4 done (75 %), ...". */
static inline bool is_progress(const char *line) {
    double seconds;
    int end = 0;
    if (sscanf(line, " %lf s%n", &seconds, &end) == 1 && end > 0 && seconds >= 10 &&
        strncmp(line + end, "  ", 2) == 0)
        return true;
    end = 0;
    (void)sscanf(line, "%*u of %*u done (%n", &end);
    return end > 0;
}

static inline void drop_lines(base_text *text, bool (*is_dropped)(const char *line)) {
    size_t kept = 0;
    for (size_t at = 0; at < text->length;) {
        const char *line = text->data + at, *end = strchr(line, '\n');
        const size_t length = end == NULL ? text->length - at : (size_t)(end - line) + 1;
        if (!is_dropped(line)) {
            memmove(text->data + kept, line, length);
            kept += length;
        }
        at += length;
    }
    text->length = kept;
    if (text->data != NULL)
        text->data[kept] = '\0';
}
