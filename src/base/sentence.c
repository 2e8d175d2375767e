/* SPDX-License-Identifier: MIT */
/* Sentences in fields of a fixed size: see sentence.h. */
#include "base/sentence.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char ellipsis[] = "…";

/* Does a UTF-8 character begin here? */
static bool is_first_byte(char byte) {
    return ((unsigned char)byte & 0xC0) != 0x80;
}

static bool is_loose(char byte) {
    return byte == ' ' || byte == ',' || byte == ';' || byte == ':';
}

/* Where a text of `room` bytes and more is cut: after its last whole word, or, if that would leave
 * less than half of it, after its last whole character. */
static size_t end_of_words(const char *text, size_t room) {
    size_t end = room;
    while (end > 0 && text[end] != ' ')
        end--;
    if (end < room / 2)
        for (end = room; end > 0 && !is_first_byte(text[end]);)
            end--;
    while (end > 0 && is_loose(text[end - 1]))
        end--;
    return end;
}

void base_sentence_from(char *field, size_t size, const char *format, va_list arguments) {
    const int length = vsnprintf(field, size, format, arguments);
    if (length >= 0 && (size_t)length < size)
        return;
    field[size - 1] = '\0';
    if (size <= sizeof ellipsis || strlen(field) < size - 1)
        return; /* no room, or the format could not be printed */
    memcpy(field + end_of_words(field, size - sizeof ellipsis), ellipsis, sizeof ellipsis);
}

void base_sentence(char *field, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    base_sentence_from(field, size, format, arguments);
    va_end(arguments);
}
