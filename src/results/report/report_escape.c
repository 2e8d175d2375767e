/* SPDX-License-Identifier: MIT */
/* Numbers and texts in the report's formats: see report_escape.h. */
#include "results/report/report_escape.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rep_number(base_text *text, double number) {
    enum { EXACT = 17 };
    char digits[40];
    if (!isfinite(number))
        return;
    if (number == 0)
        number = 0; /* -0 is written as 0 */
    if (fabs(number) < 1e15 && number == trunc(number)) {
        (void)snprintf(digits, sizeof digits, "%.0f", number);
        base_text_add(text, digits);
        return;
    }
    /* A number that has a form of 15 digits has no shorter one than %.15g finds. */
    for (int precision = 15; precision <= EXACT; precision++) {
        (void)snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    for (char *c = digits; *c != '\0'; c++)
        if (strchr("0123456789+-e", *c) == NULL)
            *c = '.'; /* a comma in some locales */
    base_text_add(text, digits);
}

/* ---- Texts, character by character. */

/* How one character is written; returns false if it is to be written as it is. */
typedef bool escape(base_text *text, const char *character, size_t length);

static void add_escaped(base_text *text, const char *string, escape *special) {
    char *copy = string == NULL ? NULL : strdup(string);
    if (copy == NULL) {
        text->failed = text->failed || string != NULL;
        return;
    }
    base_clean_utf8(copy);
    for (const char *at = copy; *at != '\0';) {
        size_t length = 1;
        while (((unsigned char)at[length] & 0xC0) == 0x80)
            length++;
        if (!special(text, at, length))
            base_text_add_bytes(text, at, length);
        at += length;
    }
    free(copy);
}

/* What may not stand in XML at all: control characters, and the two that Unicode has not assigned.
 */
static bool is_forbidden(const char *character, size_t length) {
    const unsigned char c = (unsigned char)character[0];
    if (length == 3 &&
        (memcmp(character, "\xEF\xBF\xBE", 3) == 0 || memcmp(character, "\xEF\xBF\xBF", 3) == 0))
        return true;
    return (c < ' ' && c != '\t' && c != '\n') || c == 0x7F ||
           (length == 2 && c == 0xC2 && (unsigned char)character[1] < 0xA0);
}

static bool escape_xml(base_text *text, const char *character, size_t length) {
    if (is_forbidden(character, length))
        return true;
    const char *form = *character == '<'    ? "&lt;"
                       : *character == '>'  ? "&gt;"
                       : *character == '&'  ? "&amp;"
                       : *character == '"'  ? "&quot;"
                       : *character == '\'' ? "&#39;"
                                            : NULL;
    if (form == NULL)
        return false;
    base_text_add(text, form);
    return true;
}

/* Readers turn line breaks in attributes into spaces, unless they are written as numbers. */
static bool escape_attribute(base_text *text, const char *character, size_t length) {
    if (*character != '\n' && *character != '\t')
        return escape_xml(text, character, length);
    base_text_add(text, *character == '\n' ? "&#10;" : "&#9;");
    return true;
}

void rep_xml(base_text *text, const char *string) {
    add_escaped(text, string, escape_xml);
}

void rep_xml_attribute(base_text *text, const char *string) {
    add_escaped(text, string, escape_attribute);
}

void rep_xml_print(base_text *text, const char *form, ...) {
    va_list values;
    va_start(values, form);
    for (size_t length; *form != '\0'; form += length) {
        length = strcspn(form, "%");
        base_text_add_bytes(text, form, length);
        form += length;
        length = *form == '\0' ? 0 : 2;
        if (length == 0)
            break;
        if (form[1] == 's')
            rep_xml_attribute(text, va_arg(values, const char *));
        else if (form[1] == 't')
            rep_xml(text, va_arg(values, const char *));
        else if (form[1] == 'n')
            rep_file_name(text, va_arg(values, const char *));
        else if (form[1] == 'u')
            base_text_number(text, va_arg(values, uint32_t));
        else if (form[1] == 'w')
            base_text_number(text, va_arg(values, uint64_t));
        else
            rep_number(text, va_arg(values, double));
    }
    va_end(values);
}

static bool drop_controls(base_text *text, const char *character, size_t length) {
    (void)text;
    return is_forbidden(character, length);
}

static const char *skip_digits(const char *at) {
    return at + strspn(at, "0123456789");
}

/* "-1.5e3", as rep_number writes it. */
static bool is_number(const char *string) {
    const char *at = string + strspn(string, "+-");
    const char *end = skip_digits(at);
    if (at - string > 1 || end == at)
        return false;
    if (*end == '.')
        end = skip_digits(end + 1);
    if (*end == 'e') {
        at = end + 1 + (end[1] == '+' || end[1] == '-');
        end = skip_digits(at);
        if (end == at)
            return false;
    }
    return *end == '\0';
}

/* Spreadsheets run what begins so; an apostrophe says that it is a text. */
static bool is_formula(const char *string) {
    return string[0] != '\0' && strchr("=+-@\t", string[0]) != NULL && !is_number(string);
}

static void add_field(base_text *text, const char *string, size_t length) {
    const bool quotes = strpbrk(string, ",\"\n") != NULL || string[0] == ' ' ||
                        string[length - 1] == ' ' || string[0] == '\t';
    base_text_add(text, quotes ? "\"" : "");
    base_text_add(text, is_formula(string) ? "'" : "");
    for (const char *at = string; *at != '\0'; at++) {
        base_text_add(text, *at == '"' ? "\"" : "");
        base_text_add_bytes(text, at, 1);
    }
    base_text_add(text, quotes ? "\"" : "");
}

void rep_csv(base_text *text, const char *string) {
    base_text clean = {0};
    add_escaped(&clean, string, drop_controls);
    if (!clean.failed && clean.length > 0)
        add_field(text, clean.data, clean.length);
    base_text_free_part(&clean, text);
}

static bool escape_markdown(base_text *text, const char *character, size_t length) {
    if (*character == '\n') {
        base_text_add(text, "<br>");
        return true;
    }
    if (is_forbidden(character, length))
        return true;
    if (*character == '<' || *character == '>' || *character == '&')
        return escape_xml(text, character, length);
    if (strchr("\\`*_[]|~#", *character) != NULL)
        base_text_add(text, "\\");
    return false;
}

void rep_markdown(base_text *text, const char *string) {
    add_escaped(text, string, escape_markdown);
}

void rep_file_name(base_text *text, const char *string) {
    enum { MOST = 80 };
    bool pends = false; /* a dash, if anything follows */
    size_t written = 0;
    for (; string != NULL && *string != '\0' && written < MOST; string++) {
        const char c = *string;
        const bool is_upper = c >= 'A' && c <= 'Z';
        if (!is_upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' &&
            !(c == '.' && written > 0 && !pends)) {
            pends = written > 0;
            continue;
        }
        if (pends)
            base_text_add(text, "-");
        const char lower = (char)(is_upper ? c - 'A' + 'a' : c);
        base_text_add_bytes(text, &lower, 1);
        written += pends ? 2 : 1;
        pends = false;
    }
    if (written == 0)
        base_text_add(text, "unnamed");
}

/* ---- JSON. */

static bool escape_json(base_text *text, const char *character, size_t length) {
    const unsigned char c = (unsigned char)*character;
    if (length == 2 && c == 0xC2 && (unsigned char)character[1] < 0xA0) {
        base_text_print(text, "\\u%04x", (unsigned char)character[1]);
        return true;
    }
    if (c == '"' || c == '\\')
        base_text_add(text, "\\");
    else if (c < ' ' || c == 0x7F || c == '<' || c == '>' || c == '&') {
        if (c == '\n')
            base_text_add(text, "\\n");
        else
            base_text_print(text, "\\u%04x", c);
        return true;
    }
    return false;
}

void rep_json_string(base_text *text, const char *string) {
    if (string == NULL) {
        base_text_add(text, "null");
        return;
    }
    base_text_add(text, "\"");
    add_escaped(text, string, escape_json);
    base_text_add(text, "\"");
}
