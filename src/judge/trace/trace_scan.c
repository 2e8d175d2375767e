/* SPDX-License-Identifier: MIT */
/*
 * The grammar of traces in text, a line at a time. A line stands for itself: nothing that is left
 * out at its end is looked for on the next one, so what is missing is said where it is missing.
 */
#include "judge/trace/trace_scan.h"

#include "base/number.h"
#include "base/problem.h"
#include "program/program.h"

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

/* "expected X here", or "expected X, got 'what is there'". */
static col_status refuse_missing(chk_scan *s, const char *what) {
    enum { MOST_SHOWN = 40 };
    if (peek(s) == '\n')
        return CHK_REFUSE(s, s->at, "expected %s here", what);
    const char *end = s->at + 1;
    while (end < s->end && is_shown_on(end[-1]) && is_shown_on(*end) && end - s->at < MOST_SHOWN)
        end++;
    return CHK_REFUSE(s, s->at, "expected %s, got '%.*s'", what, (int)(end - s->at),
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

static col_status want_number(chk_scan *s, uint64_t most, const char *what, uint64_t *number) {
    bool is_large;
    skip_spaces(s);
    const char *start = s->at;
    if (parse_number(&s->at, s->end, most, number, &is_large))
        return COL_OK;
    if (is_large)
        return CHK_REFUSE(s, start, "%s is at most %llu", what, (unsigned long long)most);
    return refuse_missing(s, what);
}

static bool take(chk_scan *s, char c) {
    if (peek(s) != c)
        return false;
    s->at++;
    return true;
}

/* Two characters side by side. */
static bool take_pair(chk_scan *s, const char *pair) {
    if (peek(s) != pair[0] || s->end - s->at < 2 || s->at[1] != pair[1])
        return false;
    s->at += 2;
    return true;
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
static col_status want_bits(chk_scan *s) {
    static const uint8_t sizes[] = {8, 16, 32, 64};
    uint64_t bits = 0;
    s->bits = 0;
    if (s->at == s->end || !is_digit(*s->at))
        return COL_OK;
    const char *start = s->at;
    while (s->at < s->end && is_digit(*s->at) && bits < 1000)
        bits = bits * 10 + (uint64_t)(*s->at++ - '0');
    for (size_t i = 0; i < sizeof sizes; i++)
        if (bits == sizes[i])
            s->bits = sizes[i];
    return s->bits != 0 ? COL_OK : CHK_REFUSE(s, start, "a word has 8, 16, 32 or 64 bits");
}

/* "[3]", behind the M and the size. */
static col_status want_index(chk_scan *s, uint64_t *address) {
    if (!take(s, '['))
        return refuse_missing(s, "'[' behind 'M'");
    skip_spaces(s);
    const char *start = s->at;
    const col_status status = want_number(s, UINT64_MAX, "an address", address);
    if (status != COL_OK)
        return status;
    if (s->bits > 8 && *address % (s->bits / 8) != 0)
        return CHK_REFUSE(s, start, "a word of %u bits has an address that is a multiple of %u",
                          s->bits, s->bits / 8U);
    return take(s, ']') ? COL_OK : refuse_missing(s, "']' behind the address");
}

/* "M[3]", "M32[0x40]" or "v3" */
static col_status want_address(chk_scan *s, const char *otherwise, uint64_t *address) {
    const char first = peek(s);
    s->part_at[CHK_PART_ADDRESS] = s->at;
    s->bits = 0;
    if (first == 'v') {
        s->at++;
        if (s->at == s->end || !is_digit(*s->at))
            return CHK_REFUSE(s, s->at, "expected the number of an address behind 'v'");
        return want_number(s, UINT64_MAX, "an address", address);
    }
    if (first != 'M')
        return refuse_missing(s, otherwise);
    s->at++;
    const col_status status = want_bits(s);
    return status == COL_OK ? want_index(s, address) : status;
}

static col_status want_value(chk_scan *s, uint64_t *value) {
    const uint64_t most = s->bits == 0 || s->bits == 64 ? UINT64_MAX : (1ULL << s->bits) - 1;
    return want_number(s, most, "a value", value);
}

/* A value, or "?" of an operation that was under way when the trace ended. */
static col_status want_part(chk_scan *s, chk_part part, uint64_t *value) {
    const char first = peek(s);
    s->part_at[part] = s->at;
    if (first != '?')
        return want_value(s, value);
    s->at++;
    s->is_unfinished = true;
    return COL_OK;
}

/* "M[0] := 1 }", behind what the atomic reads. */
static col_status scan_atomic_write(chk_scan *s) {
    const bool is_unfinished = s->is_unfinished;
    const uint8_t bits = s->bits;
    uint64_t address = 0;
    col_status status = want_address(s, "the address that the atomic writes", &address);
    if (status == COL_OK && address != s->address)
        status = CHK_REFUSE(s, s->part_at[CHK_PART_ADDRESS],
                            "an atomic reads and writes one address, not M[%llu] and M[%llu]",
                            (unsigned long long)s->address, (unsigned long long)address);
    if (status == COL_OK && bits != s->bits)
        status = CHK_REFUSE(s, s->part_at[CHK_PART_ADDRESS],
                            "an atomic reads and writes a word of one size");
    if (status == COL_OK && !take_pair(s, ":="))
        status = refuse_missing(s, "':=' (an atomic writes last)");
    s->is_unfinished = false;
    if (status == COL_OK)
        status = want_part(s, CHK_PART_WRITTEN, &s->written);
    if (status == COL_OK && s->is_unfinished != is_unfinished)
        status = CHK_REFUSE(s, s->part_at[CHK_PART_WRITTEN],
                            "an unfinished atomic has '?' both for what it reads and for what it "
                            "writes");
    return status;
}

/* "M[0] == 0; M[0] := 1 }", behind the bracket that opens it. */
static col_status scan_atomic(chk_scan *s, char closing) {
    s->operation = COL_SWAP;
    col_status status = want_address(s, "the address that the atomic reads", &s->address);
    if (status == COL_OK && !take_pair(s, "=="))
        status = refuse_missing(s, "'==' (an atomic reads first)");
    if (status == COL_OK)
        status = want_part(s, CHK_PART_READ, &s->read);
    if (status == COL_OK && !take(s, ';'))
        status = refuse_missing(s, "';' and then what the atomic writes");
    if (status == COL_OK)
        status = scan_atomic_write(s);
    if (status == COL_OK && !take(s, closing))
        status = refuse_missing(s, closing == '}' ? "'}' at the end of the atomic"
                                                  : "'>' at the end of the atomic");
    return status;
}

static col_status scan_access(chk_scan *s) {
    const col_status status =
        want_address(s, "an address such as M[1], an atomic in { }, or sync", &s->address);
    if (status != COL_OK)
        return status;
    if (take_pair(s, "==")) {
        s->operation = COL_LOAD;
        return want_part(s, CHK_PART_READ, &s->read);
    }
    if (!take_pair(s, ":="))
        return refuse_missing(s, "':=' (a store) or '==' (a load)");
    s->operation = COL_STORE;
    return want_part(s, CHK_PART_WRITTEN, &s->written);
}

/* "fence", "fence r,rw", "fence.tso", behind the first word. */
static col_status scan_fence(chk_scan *s) {
    s->operation = COL_FENCE;
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        s->fence = COL_READ_READ | COL_READ_WRITE | COL_WRITE_WRITE;
        return take_word(s, "tso") ? COL_OK : refuse_missing(s, "'tso' behind 'fence.'");
    }
    const char first = peek(s);
    if (first == '\n' || first == '@')
        return COL_OK;
    const char *start = s->at;
    while (s->at < s->end && (is_word(*s->at) || *s->at == ',' || *s->at == '+'))
        s->at++;
    s->fence = prg_fence_pairs(start, (size_t)(s->at - start));
    if (s->fence != 0)
        return COL_OK;
    s->at = start;
    return refuse_missing(s, "what the fence orders, such as r,rw or rr+ww");
}

/* ---- Behind an operation. */

static const char *name_of(const chk_scan *s) {
    switch (s->operation) {
    case COL_LOAD:
        return "a load";
    case COL_STORE:
        return "a store";
    case COL_FENCE:
        return "a fence";
    case COL_FLUSH:
        return "a branch";
    default:
        return "an atomic";
    }
}

static col_status set_order(chk_scan *s, const char *at, uint8_t order, bool fits,
                            const char *otherwise) {
    if (!fits)
        return CHK_REFUSE(s, at, "%s; %s does not", otherwise, name_of(s));
    if ((s->order & order) != 0)
        return CHK_REFUSE(s, at, "this is said twice");
    s->order |= order;
    return COL_OK;
}

/* "@-2", behind the kind of the dependency. */
static col_status scan_dependency(chk_scan *s, const char *at, col_dependency kind) {
    uint64_t distance = 0;
    s->part_at[CHK_PART_DEPENDENCY] = at;
    if (s->dependency != COL_NO_DEPENDENCY)
        return CHK_REFUSE(s, at,
                          "an operation has one dependency; a branch before it can have another");
    if (s->operation == COL_FENCE || (s->operation == COL_FLUSH && kind != COL_CONTROL) ||
        (kind == COL_DATA && !col_kinds[s->operation].writes))
        return CHK_REFUSE(s, at, "%s has no %s dependency", name_of(s), prg_dependency_words[kind]);
    if (!take_pair(s, "@-"))
        return refuse_missing(s, "'@-' and how many operations back the read is");
    const col_status status = want_number(s, UINT32_MAX, "a distance", &distance);
    s->dependency = (uint8_t)kind;
    s->distance = (uint32_t)distance;
    return status;
}

static col_status scan_replaced(chk_scan *s, const char *at) {
    if (!col_kinds[s->operation].writes || s->is_unfinished)
        return CHK_REFUSE(s, at, "only what has written replaces a value");
    if (s->has_replaced)
        return CHK_REFUSE(s, at, "this is said twice");
    s->has_replaced = true;
    return want_value(s, &s->replaced);
}

/* What sort of atomic it is. */
static col_status set_kind(chk_scan *s, const char *at, col_kind kind, const char *otherwise) {
    if (s->operation != COL_SWAP)
        return CHK_REFUSE(s, at, "%s", otherwise);
    s->operation = (uint8_t)kind;
    return COL_OK;
}

/* One word behind an operation; `*found` is false if there is none. */
static col_status scan_attribute(chk_scan *s, bool *found) {
    const col_kind_traits *traits = &col_kinds[s->operation];
    skip_spaces(s);
    const char *at = s->at;
    *found = true;
    if (take_word(s, "acquire"))
        return set_order(s, at, COL_ACQUIRE, traits->reads, "acquire is for what reads");
    if (take_word(s, "release"))
        return set_order(s, at, COL_RELEASE, traits->writes, "release is for what writes");
    if (take_word(s, "replaces"))
        return scan_replaced(s, at);
    if (take_word(s, "add"))
        return set_kind(s, at, COL_ADD, "only an atomic adds, once");
    if (take_word(s, "conditional"))
        return set_kind(s, at, COL_CONDITIONAL, "only an atomic without 'add' can be conditional");
    for (uint32_t kind = COL_ADDRESS; kind < COL_DEPENDENCY_COUNT; kind++)
        if (take_word(s, prg_dependency_words[kind]))
            return scan_dependency(s, at, (col_dependency)kind);
    *found = false;
    return COL_OK;
}

static col_status scan_attributes(chk_scan *s) {
    bool found = true;
    col_status status = COL_OK;
    while (status == COL_OK && found && peek(s) != '\n')
        status = scan_attribute(s, &found);
    if (status == COL_OK && s->operation == COL_FLUSH && s->dependency == COL_NO_DEPENDENCY)
        return refuse_missing(s, "what the branch depends on, such as control@-1");
    return status;
}

static col_status want_time(chk_scan *s, chk_part part, int64_t *time) {
    uint64_t number = 0;
    skip_spaces(s);
    s->part_at[part] = s->at;
    const col_status status = want_number(s, (uint64_t)CHK_MAX_TIME, "a time", &number);
    *time = (int64_t)number;
    return status;
}

/* "100 : 110", of which either number may be missing. */
static col_status scan_times(chk_scan *s) {
    col_status status = COL_OK;
    if (peek(s) != ':')
        status = want_time(s, CHK_PART_BEGIN, &s->begin);
    if (status == COL_OK && take(s, ':') && is_digit(peek(s)))
        status = want_time(s, CHK_PART_END, &s->end_time);
    return status;
}

/* "0: M[1] := 1 @ 100 :" */
static col_status scan_operation(chk_scan *s) {
    s->kind = CHK_OPERATION;
    s->thread_at = s->at;
    col_status status = want_number(s, UINT64_MAX, "the number of a thread", &s->thread);
    if (status == COL_OK && !take(s, ':'))
        status = refuse_missing(s, "':' behind the number of the thread");
    if (status != COL_OK)
        return status;
    if (take(s, '{'))
        status = scan_atomic(s, '}');
    else if (take(s, '<'))
        status = scan_atomic(s, '>');
    else if (take_word(s, "sync"))
        s->operation = COL_FENCE;
    else if (take_word(s, "fence"))
        status = scan_fence(s);
    else if (take_word(s, "branch"))
        s->operation = COL_FLUSH;
    else
        status = scan_access(s);
    if (status == COL_OK)
        status = scan_attributes(s);
    if (status == COL_OK && take(s, '@'))
        status = scan_times(s);
    return status;
}

/* "final M[0] == 2", behind the first word. */
static col_status scan_final(chk_scan *s) {
    s->kind = CHK_LAST_VALUE;
    const col_status status = want_address(s, "an address such as M[1]", &s->address);
    if (status == COL_OK && !take_pair(s, "=="))
        return refuse_missing(s, "'=='");
    skip_spaces(s);
    s->part_at[CHK_PART_READ] = s->at;
    return status == COL_OK ? want_value(s, &s->read) : status;
}

col_status chk_scan_line(chk_scan *s) {
    col_status status = COL_OK;
    s->at = s->start;
    s->kind = CHK_NOTHING;
    s->read = s->written = s->replaced = 0;
    s->bits = s->order = s->dependency = 0;
    s->fence = COL_FULL_FENCE;
    s->distance = 0;
    s->is_unfinished = s->has_replaced = false;
    s->begin = s->end_time = COL_NO_TIME;
    const char first = peek(s);
    if (is_digit(first))
        status = scan_operation(s);
    else if (first == '\n')
        return COL_OK;
    else if (take_word(s, "final"))
        status = scan_final(s);
    else if (take_word(s, "check"))
        s->kind = CHK_CHECK;
    else
        return refuse_missing(s, "an operation such as 0: M[1] := 1, 'final' or 'check'");
    if (status == COL_OK && peek(s) != '\n')
        return refuse_missing(s, "the end of the line");
    return status;
}
