/* SPDX-License-Identifier: MIT */
/* Tags of Verilator's XML: see xml.h. */
#include "duv/verilog/xml.h"

#include <string.h>

static const char blanks[] = " \t\r\n";

/* Where the tag ends: a > outside quotes. */
static const char *end_of(const char *at) {
    while (*at != '\0' && *at != '>') {
        if (*at == '"')
            at = strchr(at + 1, '"');
        if (at == NULL)
            return NULL;
        at++;
    }
    return *at == '>' ? at : NULL;
}

bool duv_tag_next(const char **at, duv_tag *tag) {
    const char *open = strchr(*at, '<');
    const char *end = open == NULL ? NULL : end_of(open + 1);
    if (end == NULL)
        return false;
    tag->closes = open[1] == '/';
    tag->name = open + 1 + tag->closes;
    tag->name_length = strcspn(tag->name, " \t\r\n/>");
    tag->attributes = tag->name + tag->name_length;
    tag->end = end;
    *at = end + 1;
    return true;
}

bool duv_tag_is(const duv_tag *tag, const char *name) {
    return strlen(name) == tag->name_length && strncmp(tag->name, name, tag->name_length) == 0;
}

/* The character that `*at` begins with, which moves behind it. */
static char take_character(const char **at) {
    static const struct {
        const char *code;
        char character;
    } codes[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (strncmp(*at, codes[i].code, strlen(codes[i].code)) == 0) {
            *at += strlen(codes[i].code);
            return codes[i].character;
        }
    return *(*at)++;
}

static bool copy_value(const char *from, const char *end, char *value, size_t size) {
    size_t length = 0;
    while (from < end) {
        if (length + 1 >= size)
            return false;
        value[length++] = take_character(&from);
    }
    value[length] = '\0';
    return true;
}

bool duv_tag_get(const duv_tag *tag, const char *attribute, char *value, size_t size) {
    const size_t length = strlen(attribute);
    for (const char *at = tag->attributes; at < tag->end;) {
        at += strspn(at, blanks);
        const char *open = memchr(at, '"', (size_t)(tag->end - at));
        const char *close =
            open == NULL ? NULL : memchr(open + 1, '"', (size_t)(tag->end - open - 1));
        if (close == NULL)
            return false;
        if (strncmp(at, attribute, length) == 0 && at[length] == '=')
            return copy_value(open + 1, close, value, size);
        at = close + 1;
    }
    return false;
}
