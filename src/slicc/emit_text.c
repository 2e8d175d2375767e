/* SPDX-License-Identifier: MIT */
/*
 * How the protocol's own words enter the generated C: strings, names, numbers and places. Nothing
 * else that a protocol says is copied, so that no text of it can become code.
 */
#include "slicc/emit.h"

#include "base/path.h"

/* A question mark might begin a trigraph; three octal digits end before any digit that follows. */
static bool is_plain(char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
}

static void add_escaped(const char *value, base_text *text) {
    for (const char *at = value; *at != '\0';) {
        size_t plain = 0;
        while (is_plain(at[plain]))
            plain++;
        base_text_add_bytes(text, at, plain);
        at += plain;
        if (*at != '\0')
            base_text_print(text, "\\%03o", (unsigned)(unsigned char)*at++);
    }
}

void slicc_c_string(const char *value, base_text *text) {
    base_text_add(text, "\"");
    add_escaped(value, text);
    base_text_add(text, "\"");
}

void slicc_c_place(slicc_place place, base_text *text) {
    base_text_add(text, "\"");
    add_escaped(base_path_name(place.file), text);
    base_text_print(text, ":%u\"", place.line);
}

static bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void slicc_c_name(const char *name, base_text *text) {
    for (const char *at = name; *at != '\0'; at++)
        base_text_add_bytes(text, is_of_name(*at) ? at : "_", 1);
}

void slicc_c_number(uint64_t number, base_text *text) {
    base_text_number(text, number);
    base_text_add(text, number > INT64_MAX ? "u" : "");
}

/* ---- Texts that become a part of the output. */

const char *slicc_text_or_zero(const base_text *text) {
    return text->data == NULL || text->failed ? "0" : text->data;
}

void slicc_text_end(emitter *e, base_text *text) {
    e->report->failed = e->report->failed || text->failed;
    base_text_free(text);
}
