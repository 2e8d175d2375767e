/* SPDX-License-Identifier: MIT */
/* A text that grows: see text.h. */
#include "base/text.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(base_text *text, size_t count) {
    if (count > SIZE_MAX / 4)
        text->failed = true;
    if (text->failed)
        return false;
    if (text->length + count + 1 <= text->capacity)
        return true;
    const size_t doubled = text->capacity * 2;
    const size_t needed = text->length + count + 1;
    text->failed = base_reserve(&text->data, &text->capacity, doubled > needed ? doubled : needed,
                                1, NULL) != COL_OK;
    return !text->failed;
}

void base_text_add_bytes(base_text *text, const char *bytes, size_t count) {
    if (!make_room(text, count))
        return;
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void base_text_add(base_text *text, const char *string) {
    base_text_add_bytes(text, string, strlen(string));
}

void base_text_number(base_text *text, uint64_t number) {
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    base_text_add_bytes(text, digits + first, sizeof digits - first);
}

void base_text_count(base_text *text, uint64_t number) {
    char digits[28];
    size_t first = sizeof digits;
    for (int place = 0; place == 0 || number > 0; place++, number /= 10) {
        if (place > 0 && place % 3 == 0)
            digits[--first] = ',';
        digits[--first] = (char)('0' + number % 10);
    }
    base_text_add_bytes(text, digits + first, sizeof digits - first);
}

void base_text_print(base_text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0)
        text->failed = true;
    else if (make_room(text, (size_t)count)) {
        (void)vsnprintf(text->data + text->length, (size_t)count + 1, format, again);
        text->length += (size_t)count;
    }
    va_end(again);
}

/* The part of the line that fits; one word at least. */
static size_t fit_words(const char *line, size_t length, size_t width) {
    size_t part = width;
    if (length <= width)
        return length;
    while (part > 0 && line[part] != ' ')
        part--;
    return part > 0 ? part : strcspn(line, " \n");
}

void base_text_add_wrapped(base_text *text, const char *string, size_t width, const char *indent) {
    bool goes_on = false;
    while (*string != '\0') {
        const size_t left = goes_on ? width - strlen(indent) : width;
        const size_t part = fit_words(string, strcspn(string, "\n"), left);
        base_text_add(text, goes_on ? indent : "");
        base_text_add_bytes(text, string, part);
        base_text_add(text, "\n");
        string += part;
        goes_on = *string == ' ';
        string += *string != '\0';
    }
}

void base_text_add_shell(base_text *text, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./,:+=@%";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        base_text_add(text, word);
        return;
    }
    base_text_add(text, "'");
    for (size_t length = 0; *word != '\0'; word += length) {
        length = *word == '\'' ? 1 : strcspn(word, "'");
        base_text_add_bytes(text, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : length);
    }
    base_text_add(text, "'");
}

col_status base_text_status(const base_text *text, col_problem *problem) {
    return text->failed ? base_out_of_memory(problem) : COL_OK;
}

col_status base_text_give(base_text *text, char **given, size_t *length, col_problem *problem) {
    *given = NULL;
    *length = 0;
    base_text_add(text, ""); /* nothing is a text, too */
    if (text->failed) {
        base_text_free(text);
        return base_out_of_memory(problem);
    }
    *given = text->data;
    *length = text->length;
    *text = (base_text){0};
    return COL_OK;
}

void base_text_free(base_text *text) {
    free(text->data);
    *text = (base_text){0};
}

void base_text_free_part(base_text *part, base_text *whole) {
    whole->failed = whole->failed || part->failed;
    base_text_free(part);
}

const char *base_skip_bom(const char *text, size_t *length) {
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    if (text == NULL)
        return "";
    if (*length < sizeof mark || memcmp(text, mark, sizeof mark) != 0)
        return text;
    *length -= sizeof mark;
    return text + sizeof mark;
}

/* The length of the UTF-8 character at the start of the text; 0: there is none. */
static size_t character_length(const unsigned char *at) {
    const size_t length = at[0] < 0x80                     ? 1
                          : at[0] >= 0xC2 && at[0] <= 0xDF ? 2
                          : (at[0] & 0xF0) == 0xE0         ? 3
                          : at[0] >= 0xF0 && at[0] <= 0xF4 ? 4
                                                           : 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) ||
        (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F))
        return 0; /* too long a form, a surrogate, or beyond Unicode */
    return length;
}

bool base_is_utf8(const char *text) {
    while (*text != '\0') {
        const size_t length = character_length((const unsigned char *)text);
        if (length == 0)
            return false;
        text += length;
    }
    return true;
}

size_t base_characters(const char *text) {
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

size_t base_prefix(const char *text, size_t characters) {
    size_t length = 0;
    for (; text[length] != '\0'; length++)
        if (((unsigned char)text[length] & 0xC0) != 0x80 && characters-- == 0)
            break;
    return length;
}

void base_clean_utf8(char *text) {
    while (*text != '\0') {
        const size_t length = character_length((const unsigned char *)text);
        if (length == 0)
            *text = '?';
        text += length == 0 ? 1 : length;
    }
}

/* ---- For terminals. */

static bool is_control(const unsigned char *at, bool keeps_lines) {
    if (at[0] < ' ')
        return !keeps_lines || (at[0] != '\n' && at[0] != '\t');
    return at[0] == 0x7F || (at[0] == 0xC2 && at[1] < 0xA0);
}

void base_make_printable(char *text, bool keeps_lines) {
    for (unsigned char *at = (unsigned char *)text; *at != '\0';) {
        const size_t length = character_length(at);
        if (length == 0 || is_control(at, keeps_lines))
            memset(at, '?', length == 0 ? 1 : length);
        at += length == 0 ? 1 : length;
    }
}

static bool is_cut; /* something printed, for want of memory */

void base_print(FILE *stream, const char *format, ...) {
    char line[1024];
    base_text whole = {0};
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    char *text = line;
    if (length >= (int)sizeof line && make_room(&whole, (size_t)length)) {
        (void)vsnprintf(whole.data, (size_t)length + 1, format, again);
        text = whole.data;
    }
    va_end(again);
    base_make_printable(text, true);
    (void)fputs(text, stream); /* whoever ends the program looks at the stream */
    if (whole.failed)
        base_print_lost();
    base_text_free(&whole);
}

void base_print_lost(void) {
    __atomic_store_n(&is_cut, true, __ATOMIC_RELAXED);
}

bool base_print_failed(void) {
    return __atomic_load_n(&is_cut, __ATOMIC_RELAXED);
}

/* Sentences in fields of a fixed size. */

static const char ellipsis[] = "…";

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
        for (end = room; end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80;) /* UTF-8 */
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

void base_list_add(base_list *list, const char *name) {
    const size_t length = strlen(list->text);
    (void)snprintf(list->text + length, sizeof list->text - length, "%s%s", length == 0 ? "" : ", ",
                   name);
}

const char *base_list_text(const base_list *list) {
    return list->text[0] == '\0' ? "none" : list->text;
}

void base_sentence(char *field, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    base_sentence_from(field, size, format, arguments);
    va_end(arguments);
}
