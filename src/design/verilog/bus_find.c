/* SPDX-License-Identifier: MIT */
/* Which signal of a design is one of a bus: see verilog_build.h. */
#include "design/verilog/verilog_build.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void duv_signal_name(const duv_signal *signal, char name[DUV_NAME]) {
    size_t length = 0;
    for (const char *c = signal->name; *c != '\0'; c++) {
        name[length++] = *c;
        if (strncmp(c, "__05F", 5) == 0)
            c += 4;
    }
    name[length] = '\0';
}

/* What generators put between a channel and its field: io_ar_payload_addr is araddr. */
static size_t skip_filling(const char *rest, bool is_begin) {
    static const char *const words[] = {"bits_", "payload_"};
    size_t skipped = strspn(rest, "_");
    for (size_t i = 0; i < 2 && (skipped > 0 || is_begin); i++)
        if (strncasecmp(rest + skipped, words[i], strlen(words[i])) == 0)
            return skipped + strlen(words[i]);
    return skipped;
}

/* Is the rest of a name the word, up to underscores, with _i or _o behind it or without? */
static bool is_word(const char *rest, const char *word, size_t length, bool is_input) {
    const char *const end = word + length, *const first = rest;
    while (word < end) {
        word += *word == '_';
        if (word == end || tolower((unsigned char)*rest) != tolower((unsigned char)*word)) {
            const size_t filling = skip_filling(rest, rest == first);
            if (filling == 0 || word == end)
                return false;
            rest += filling;
            continue;
        }
        rest++;
        word++;
    }
    return *rest == '\0' || strcasecmp(rest, is_input ? "_i" : "_o") == 0;
}

bool duv_bus_names(const char *name, bool is_input, const char *prefix, const duv_bus_signal *s) {
    const size_t before = strlen(prefix);
    const bool is_marked = strncasecmp(name, is_input ? "i_" : "o_", 2) == 0;
    for (const char *word = s->names; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        for (size_t mark = 0; mark <= 2; mark += 2)
            if (mark <= (is_marked ? 2U : 0U) && strncasecmp(name + mark, prefix, before) == 0 &&
                is_word(name + mark + before, word, length, is_input))
                return true;
        word += length + strspn(word + length, " ");
    }
    return false;
}

const duv_signal *duv_bus_find(const duv_signals *signals, const char *prefix,
                               const duv_bus_signal *s, bool is_input) {
    for (uint32_t i = 0; i < signals->count; i++) {
        char name[DUV_NAME];
        duv_signal_name(&signals->all[i], name);
        if (signals->all[i].is_input == is_input && duv_bus_names(name, is_input, prefix, s))
            return &signals->all[i];
    }
    return NULL;
}
