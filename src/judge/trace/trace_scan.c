/* SPDX-License-Identifier: MIT */
/*
 * The grammar of traces in text, a line at a time. A line stands for itself: nothing that is left
 * out at its end is looked for on the next one, so what is missing is said where it is missing.
 */
#include "judge/trace/trace_scan.h"

#include "base/number.h"
#include "program/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_spaces(chk_scan *s) {
    while (s->at < s->end && is_space(*s->at))
        s->at++;
}

/* After the spaces. The end of the line, and a comment, is a line feed. */
static char peek(chk_scan *s) {
    skip_spaces(s);
    if (s->at == s->end || *s->at == '#')
        return '\n';
    return *s->at;
}

static bool is_shown_on(char c) {
    return is_word(c) || (unsigned char)c >= 0x80;
}

/* The first problem stays. It ends the line, so that nothing more is found there. */
static void refuse(chk_scan *s, const char *place, const char *format, ...) BASE_PRINTF(3, 4);

static void refuse(chk_scan *s, const char *place, const char *format, ...) {
    char sentence[512];
    va_list arguments;
    if (s->status != COL_OK)
        return;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    s->status = CHK_REFUSE(s, place, "%s", sentence);
    s->at = s->end;
}

/* "expected X here", or "expected X, got 'what is there'". */
static void refuse_missing(chk_scan *s, const char *what) {
    enum { MOST_SHOWN = 40 };
    if (peek(s) == '\n') {
        refuse(s, s->at, "expected %s here", what);
        return;
    }
    const char *end = s->at + 1;
    while (end < s->end && is_shown_on(end[-1]) && is_shown_on(*end) && end - s->at < MOST_SHOWN)
        end++;
    refuse(s, s->at, "expected %s, got '%.*s'", what, (int)(end - s->at),
           *s->at == '\0' ? "?" : s->at);
}

/* A number at `*at`, decimal or 0x; false if there is none or it is more than `most`, which
 * `*is_large` tells apart. */
static bool parse_number(const char **at, const char *end, uint64_t most, uint64_t *number,
                         bool *is_large) {
    const char *digit = *at;
    const bool is_hex = end - digit > 2 && digit[0] == '0' && digit[1] == 'x';
    const uint32_t base = is_hex ? 16 : 10;
    digit += is_hex ? 2 : 0;
    const char *first = digit;
    uint64_t sum = 0;
    *is_large = false;
    for (uint32_t d; digit < end && (d = base_digit(*digit)) < base; digit++) {
        if (sum >> 59 != 0 && sum > (UINT64_MAX - d) / base)
            *is_large = true;
        sum = sum * base + d;
    }
    if (digit == first || (digit < end && is_word(*digit))) {
        *is_large = false;
        return false;
    }
    *is_large = *is_large || sum > most;
    *number = sum;
    *at = digit;
    return !*is_large;
}

static uint64_t want_number(chk_scan *s, uint64_t most, const char *what) {
    uint64_t number = 0;
    bool is_large;
    skip_spaces(s);
    const char *start = s->at;
    if (parse_number(&s->at, s->end, most, &number, &is_large))
        return number;
    if (is_large)
        refuse(s, start, "%s is at most %llu", what, (unsigned long long)most);
    else
        refuse_missing(s, what);
    return 0;
}

static bool take(chk_scan *s, char c) {
    if (peek(s) != c)
        return false;
    s->at++;
    return true;
}

static void want(chk_scan *s, char c, const char *what) {
    if (!take(s, c))
        refuse_missing(s, what);
}

/* Two characters side by side. */
static bool take_pair(chk_scan *s, const char *pair) {
    if (peek(s) != pair[0] || s->end - s->at < 2 || s->at[1] != pair[1])
        return false;
    s->at += 2;
    return true;
}

static void want_pair(chk_scan *s, const char *pair, const char *what) {
    if (!take_pair(s, pair))
        refuse_missing(s, what);
}

bool chk_scan_word(const char *start, const char *end, const char *word) {
    const size_t length = strlen(word);
    while (start < end && is_space(*start))
        start++;
    return (size_t)(end - start) >= length && *start == *word && memcmp(start, word, length) == 0 &&
           (start + length == end || !is_word(start[length]));
}

static bool take_word(chk_scan *s, const char *word) {
    if (!chk_scan_word(s->at, s->end, word))
        return false;
    skip_spaces(s);
    s->at += strlen(word);
    return true;
}

bool chk_scan_thread(const char *start, const char *end, uint64_t *thread) {
    bool is_large;
    while (start < end && is_space(*start))
        start++;
    return parse_number(&start, end, UINT64_MAX, thread, &is_large);
}

/* "M32[", behind the M: the size of the word in bits. */
static void want_bits(chk_scan *s) {
    static const uint8_t sizes[] = {8, 16, 32, 64};
    uint64_t bits = 0;
    s->bits = 0;
    if (s->at == s->end || !is_digit(*s->at))
        return;
    const char *start = s->at;
    while (s->at < s->end && is_digit(*s->at) && bits < 1000)
        bits = bits * 10 + (uint64_t)(*s->at++ - '0');
    for (size_t i = 0; i < sizeof sizes; i++)
        if (bits == sizes[i])
            s->bits = sizes[i];
    if (s->bits == 0)
        refuse(s, start, "a word has 8, 16, 32 or 64 bits");
}

/* "[3]", behind the M and the size. */
static uint64_t want_index(chk_scan *s) {
    want(s, '[', "'[' behind 'M'");
    skip_spaces(s);
    const char *start = s->at;
    const uint64_t address = want_number(s, UINT64_MAX, "an address");
    if (s->bits > 8 && address % (s->bits / 8) != 0)
        refuse(s, start, "a word of %u bits has an address that is a multiple of %u", s->bits,
               s->bits / 8U);
    want(s, ']', "']' behind the address");
    return address;
}

/* "M[3]", "M32[0x40]" or "v3" */
static uint64_t want_address(chk_scan *s, const char *otherwise) {
    const char first = peek(s);
    s->part_at[CHK_PART_ADDRESS] = s->at;
    s->bits = 0;
    if (first == 'v') {
        s->at++;
        if (s->at == s->end || !is_digit(*s->at))
            refuse(s, s->at, "expected the number of an address behind 'v'");
        return want_number(s, UINT64_MAX, "an address");
    }
    if (first != 'M') {
        refuse_missing(s, otherwise);
        return 0;
    }
    s->at++;
    want_bits(s);
    return want_index(s);
}

static uint64_t want_value(chk_scan *s) {
    const uint64_t most = s->bits == 0 || s->bits == 64 ? UINT64_MAX : (1ULL << s->bits) - 1;
    return want_number(s, most, "a value");
}

/* A value, or "?" of an operation that was under way when the trace ended. */
static uint64_t want_part(chk_scan *s, chk_part part) {
    const char first = peek(s);
    s->part_at[part] = s->at;
    s->is_unfinished = first == '?';
    if (first != '?')
        return want_value(s);
    s->at++;
    return 0;
}

/* "M[0] := 1 }", behind what the atomic reads. */
static void scan_atomic_write(chk_scan *s) {
    const bool is_unfinished = s->is_unfinished;
    const uint8_t bits = s->bits;
    const uint64_t address = want_address(s, "the address that the atomic writes");
    if (address != s->address)
        refuse(s, s->part_at[CHK_PART_ADDRESS],
               "an atomic reads and writes one address, not M[%llu] and M[%llu]",
               (unsigned long long)s->address, (unsigned long long)address);
    if (bits != s->bits)
        refuse(s, s->part_at[CHK_PART_ADDRESS], "an atomic reads and writes a word of one size");
    want_pair(s, ":=", "':=' (an atomic writes last)");
    s->written = want_part(s, CHK_PART_WRITTEN);
    if (s->is_unfinished != is_unfinished)
        refuse(s, s->part_at[CHK_PART_WRITTEN],
               "an unfinished atomic has '?' both for what it reads and for what it writes");
}

/* "M[0] == 0; M[0] := 1 }", behind the bracket that opens it. */
static void scan_atomic(chk_scan *s, char closing) {
    s->operation.kind = COL_SWAP;
    s->address = want_address(s, "the address that the atomic reads");
    want_pair(s, "==", "'==' (an atomic reads first)");
    s->read = want_part(s, CHK_PART_READ);
    want(s, ';', "';' and then what the atomic writes");
    scan_atomic_write(s);
    want(s, closing,
         closing == '}' ? "'}' at the end of the atomic" : "'>' at the end of the atomic");
}

static void scan_access(chk_scan *s) {
    s->address = want_address(s, "an address such as M[1], an atomic in { }, or sync");
    if (take_pair(s, "==")) {
        s->operation.kind = COL_LOAD;
        s->read = want_part(s, CHK_PART_READ);
        return;
    }
    want_pair(s, ":=", "':=' (a store) or '==' (a load)");
    s->operation.kind = COL_STORE;
    s->written = want_part(s, CHK_PART_WRITTEN);
}

/* "fence", "fence r,rw", "fence.tso", behind the first word. */
static void scan_fence(chk_scan *s) {
    s->operation = (col_operation){.kind = COL_FENCE, .fence = COL_FULL_FENCE};
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        s->operation.fence = COL_READ_READ | COL_READ_WRITE | COL_WRITE_WRITE;
        if (!take_word(s, "tso"))
            refuse_missing(s, "'tso' behind 'fence.'");
        return;
    }
    const char first = peek(s);
    if (first == '\n' || first == '@')
        return;
    const char *start = s->at;
    while (s->at < s->end && (is_word(*s->at) || *s->at == ',' || *s->at == '+'))
        s->at++;
    s->operation.fence = prg_fence_pairs(start, (size_t)(s->at - start));
    if (s->operation.fence != 0)
        return;
    s->at = start;
    refuse_missing(s, "what the fence orders, such as r,rw or rr+ww");
}

/* ---- Behind an operation. */

static const char *name_of(const chk_scan *s) {
    static const char *const names[COL_KIND_COUNT] = {[COL_LOAD] = "a load",
                                                      [COL_STORE] = "a store",
                                                      [COL_FENCE] = "a fence",
                                                      [COL_FLUSH] = "a branch"};
    return names[s->operation.kind] != NULL ? names[s->operation.kind] : "an atomic";
}

static void set_order(chk_scan *s, const char *at, uint8_t order, bool fits,
                      const char *otherwise) {
    if (!fits)
        refuse(s, at, "%s; %s does not", otherwise, name_of(s));
    if ((s->operation.order & order) != 0)
        refuse(s, at, "this is said twice");
    s->operation.order |= order;
}

/* "@-2", behind the kind of the dependency. */
static void scan_dependency(chk_scan *s, const char *at, col_dependency kind) {
    s->part_at[CHK_PART_DEPENDENCY] = at;
    if (s->operation.dependency != COL_NO_DEPENDENCY)
        refuse(s, at, "an operation has one dependency; a branch before it can have another");
    if (s->operation.kind == COL_FENCE || (s->operation.kind == COL_FLUSH && kind != COL_CONTROL) ||
        (kind == COL_DATA && !col_kinds[s->operation.kind].writes))
        refuse(s, at, "%s has no %s dependency", name_of(s), prg_dependency_words[kind]);
    want_pair(s, "@-", "'@-' and how many operations back the read is");
    s->operation.dependency = (uint8_t)kind;
    s->operation.distance = (uint32_t)want_number(s, UINT32_MAX, "a distance");
}

/* What sort of atomic it is. */
static void set_kind(chk_scan *s, const char *at, col_kind kind, const char *otherwise) {
    if (s->operation.kind != COL_SWAP)
        refuse(s, at, "%s", otherwise);
    s->operation.kind = (uint8_t)kind;
}

/* One word behind an operation; false: there is none. */
static bool scan_attribute(chk_scan *s) {
    const col_kind_traits *traits = &col_kinds[s->operation.kind];
    skip_spaces(s);
    const char *at = s->at;
    if (take_word(s, "acquire")) {
        set_order(s, at, COL_ACQUIRE, traits->reads, "acquire is for what reads");
    } else if (take_word(s, "release")) {
        set_order(s, at, COL_RELEASE, traits->writes, "release is for what writes");
    } else if (take_word(s, "replaces")) {
        if (!col_kinds[s->operation.kind].writes || s->is_unfinished)
            refuse(s, at, "only what has written replaces a value");
        if (s->has_replaced)
            refuse(s, at, "this is said twice");
        s->has_replaced = true;
        s->replaced = want_value(s);
    } else if (take_word(s, "add")) {
        set_kind(s, at, COL_ADD, "only an atomic adds, once");
    } else if (take_word(s, "conditional")) {
        set_kind(s, at, COL_CONDITIONAL, "only an atomic without 'add' can be conditional");
    } else {
        uint32_t kind = COL_ADDRESS;
        while (kind < COL_DEPENDENCY_COUNT && !take_word(s, prg_dependency_words[kind]))
            kind++;
        if (kind == COL_DEPENDENCY_COUNT)
            return false;
        scan_dependency(s, at, (col_dependency)kind);
    }
    return true;
}

static int64_t want_time(chk_scan *s, chk_part part) {
    skip_spaces(s);
    s->part_at[part] = s->at;
    return (int64_t)want_number(s, (uint64_t)CHK_MAX_TIME, "a time");
}

/* "0: M[1] := 1 @ 100 : 110", of which either time may be missing. */
static void scan_operation(chk_scan *s) {
    s->kind = CHK_OPERATION;
    s->thread = want_number(s, UINT64_MAX, "the number of a thread");
    want(s, ':', "':' behind the number of the thread");
    if (take(s, '{'))
        scan_atomic(s, '}');
    else if (take(s, '<'))
        scan_atomic(s, '>');
    else if (take_word(s, "sync"))
        s->operation = (col_operation){.kind = COL_FENCE, .fence = COL_FULL_FENCE};
    else if (take_word(s, "fence"))
        scan_fence(s);
    else if (take_word(s, "branch"))
        s->operation.kind = COL_FLUSH;
    else
        scan_access(s);
    while (peek(s) != '\n' && scan_attribute(s))
        continue;
    if (s->operation.kind == COL_FLUSH && s->operation.dependency == COL_NO_DEPENDENCY)
        refuse_missing(s, "what the branch depends on, such as control@-1");
    if (!take(s, '@'))
        return;
    if (peek(s) != ':')
        s->begin = want_time(s, CHK_PART_BEGIN);
    if (take(s, ':') && is_digit(peek(s)))
        s->end_time = want_time(s, CHK_PART_END);
}

col_status chk_scan_line(chk_scan *s) {
    s->status = COL_OK;
    s->at = s->start;
    s->kind = CHK_NOTHING;
    s->read = s->written = s->replaced = 0;
    s->bits = 0;
    s->operation = (col_operation){.kind = COL_LOAD};
    s->is_unfinished = s->has_replaced = false;
    s->begin = s->end_time = COL_NO_TIME;
    const char first = peek(s);
    if (first == '\n')
        return COL_OK;
    if (is_digit(first)) {
        scan_operation(s);
    } else if (take_word(s, "final")) { /* "final M[0] == 2" */
        s->kind = CHK_LAST_VALUE;
        s->address = want_address(s, "an address such as M[1]");
        want_pair(s, "==", "'=='");
        skip_spaces(s);
        s->part_at[CHK_PART_READ] = s->at;
        s->read = want_value(s);
    } else if (take_word(s, "check")) {
        s->kind = CHK_CHECK;
    } else {
        refuse_missing(s, "an operation such as 0: M[1] := 1, 'final' or 'check'");
    }
    if (peek(s) != '\n')
        refuse_missing(s, "the end of the line");
    return s->status;
}
