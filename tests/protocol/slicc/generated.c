/* SPDX-License-Identifier: MIT */
/* What generated C may contain: see slicc_helpers.h. */
#include "protocol/slicc/slicc_helpers.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char sim_protocol_header[];
extern const size_t sim_protocol_header_size;

/* ---- Sets of words. */

typedef struct piece {
    const char *start;
    size_t length;
} piece;

typedef struct set {
    base_index index;
    piece *pieces;
    size_t capacity;
} set;

static bool is_same(const void *pieces, uint32_t number, const void *wanted) {
    const piece *a = (const piece *)pieces + number, *b = wanted;
    return a->length == b->length && memcmp(a->start, b->start, a->length) == 0;
}

static bool has(const set *s, piece word) {
    const uint64_t hash = XXH3_64bits(word.start, word.length);
    return base_index_find(&s->index, hash, is_same, s->pieces, &word) != BASE_NO_NUMBER;
}

static void add(set *s, piece word) {
    const size_t count = s->index.count;
    if (has(s, word))
        return;
    if (base_reserve(&s->pieces, &s->capacity, count + 1, sizeof *s->pieces, NULL) != COL_OK ||
        base_index_put(&s->index, XXH3_64bits(word.start, word.length), NULL) != COL_OK)
        abort();
    s->pieces[count] = word;
}

static void free_set(set *s) {
    base_index_free(&s->index);
    free(s->pieces);
}

static bool is_one_of(piece word, const char *words) {
    for (const char *at = words; *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length == word.length && memcmp(at, word.start, length) == 0)
            return true;
        at += length;
    }
    return false;
}

/* ---- Characters. */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t word_length(const char *at, const char *end) {
    size_t length = 0;
    while (at + length < end && (is_letter(at[length]) || is_digit(at[length])))
        length++;
    return length;
}

/* ---- What the protocol brings. */

static set runtime; /* names in the runtime's header, collected once */

enum { MOST_JOINED = 1024 };

typedef struct words {
    set names, strings; /* of the protocol; "a::b" is a__b, too */
    set good;           /* names that were looked at */
    base_text joined[MOST_JOINED];
    size_t joined_count;
} words;

static const char *skip_comment(const char *at, const char *end) {
    if (at[1] == '/') {
        while (at < end && *at != '\n')
            at++;
        return at;
    }
    for (at += 2; at < end; at++)
        if (*at == '*' && at + 1 < end && at[1] == '/')
            return at + 2;
    return end;
}

/* "a::b::c" is a__b__c in C. */
static void join(words *w, const char *at, const char *end) {
    base_text text = {0};
    bool is_qualified = false;
    for (;;) {
        const size_t length = word_length(at, end);
        base_text_add_bytes(&text, at, length);
        const char *next = at + length + strspn(at + length, " \t\r\n");
        if (end - next < 3 || next[0] != ':' || next[1] != ':')
            break;
        at = next + 2 + strspn(next + 2, " \t\r\n");
        if (at >= end || !is_letter(*at))
            break;
        base_text_add(&text, "__");
        is_qualified = true;
    }
    const piece name = {text.data, text.length};
    if (!is_qualified || has(&w->names, name) || w->joined_count == MOST_JOINED) {
        base_text_free(&text);
        return;
    }
    w->joined[w->joined_count++] = text;
    add(&w->names, name);
}

/* The text ends in a NUL. */
static void collect(words *w, const char *text, size_t length) {
    const char *const end = text + length;
    for (const char *at = text; at < end;) {
        if (*at == '/' && at + 1 < end && (at[1] == '/' || at[1] == '*')) {
            at = skip_comment(at, end);
        } else if (*at == '"' || *at == '\'') {
            const char quote = *at++;
            const char *start = at;
            while (at < end && *at != quote && *at != '\n')
                at++;
            add(&w->strings, (piece){start, (size_t)(at - start)});
            at += at < end;
        } else if (is_letter(*at)) {
            const size_t size = word_length(at, end);
            add(&w->names, (piece){at, size});
            if (at + size < end && strspn(at + size, " \t\r\n:") > 1)
                join(w, at, end);
            at += size;
        } else {
            at += is_digit(*at) ? word_length(at, end) : 1;
        }
    }
}

static void free_words(words *w) {
    for (size_t i = 0; i < w->joined_count; i++)
        base_text_free(&w->joined[i]);
    free_set(&w->names);
    free_set(&w->strings);
    free_set(&w->good);
}

/* ---- Words of C. */

typedef enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_MARK
} token_kind;

typedef struct token {
    token_kind kind;
    piece text;
    const char *problem;
} token;

static const char first_lines[] = "#include <collider/protocol.h>\n#include <stddef.h>\n"
                                  "#ifndef SL_ENTRY\n#define SL_ENTRY col_protocol_entry\n#endif\n";

static token string_at(const char *at, const char *end) {
    token t = {.kind = TOKEN_STRING, .text = {at, 1}};
    while (t.problem == NULL && at + t.text.length < end && at[t.text.length] != '"') {
        const char *c = at + t.text.length;
        if (*c == '\\' && (end - c < 4 || strspn(c + 1, "01234567") < 3 || c[1] > '3'))
            t.problem = "an escape that is not three octal digits";
        else if (*c == '\n' || *c == '?')
            t.problem = "a newline or question mark in a string";
        t.text.length += *c == '\\' ? 4 : 1;
    }
    t.text.length++;
    if (at + t.text.length > end && t.problem == NULL)
        t.problem = "a string without end";
    return t;
}

static token token_at(const char *at, const char *end) {
    static const char *const marks[] = {
        "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+=", "(", ")", "{", "}", "[", "]",
        ";",  ",",  ".",  "&",  "*",  "+",  "-",  "!",  "=",  "<",  ">", "?", ":", "|", "/ "};
    at += strspn(at, " \n");
    token t = {.text = {at, 0}};
    if (at >= end)
        return t;
    if (*at == '"')
        return string_at(at, end);
    t.text.length = word_length(at, end);
    t.kind = is_digit(*at) ? TOKEN_NUMBER : TOKEN_NAME;
    if (t.text.length > 0)
        return t;
    t.kind = TOKEN_MARK;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && t.text.length == 0; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            t.text.length = strlen(marks[i]);
    if (t.text.length == 0)
        t.problem = "a character that the generator does not write";
    t.text.length += t.text.length == 0;
    return t;
}

/* ---- Which are the generator's? */

static bool starts_with(piece word, const char *prefix) {
    return word.length >= strlen(prefix) && memcmp(word.start, prefix, strlen(prefix)) == 0;
}

static bool is_number(piece word) {
    const size_t digits = word.length - (word.length > 1 && word.start[word.length - 1] == 'u');
    for (size_t i = 0; i < digits; i++)
        if (!is_digit(word.start[i]))
            return false;
    return digits <= 20 && (digits == 1 || word.start[0] != '0');
}

/* Names of the protocol, the generator's parts of names and numbers, with _ between them. */
static bool is_made_of_parts(const words *w, piece rest) {
    static const char parts[] =
        "record value new init find call do port sequence sequences take get set next states "
        "events permissions wakeup members cells list resources needs lines action_names actions "
        "initialise machine entries any machines messages message copy start room "
        "records";
    bool *reached = calloc(rest.length + 2, sizeof *reached);
    if (reached == NULL)
        abort();
    reached[0] = true;
    for (size_t start = 0; start <= rest.length; start++)
        for (size_t end = start + 1; reached[start] && end <= rest.length; end++) {
            const piece part = {rest.start + start, end - start};
            if ((end == rest.length || rest.start[end] == '_') &&
                (has(&w->names, part) || is_one_of(part, parts) ||
                 (is_digit(part.start[0]) && is_number(part))))
                reached[end + 1] = true;
        }
    const bool good = reached[rest.length + 1];
    free(reached);
    return good;
}

static bool is_known_name(const words *w, piece word, bool is_field) {
    static const char own[] =
        "static const inline struct union enum typedef if else return switch case default break "
        "continue for void bool true false sizeof NULL int char offsetof memset memcmp int32_t "
        "int64_t uint8_t uint16_t uint32_t uint64_t _Static_assert __builtin_unreachable SL_ENTRY "
        "c t r tbe entry address record table base taken in_msg out_msg state event header none "
        "items head to from check number_of_TBEs m_number_of_TBEs SM_MESSAGES "
        /* Fields of the prelude's messages. */
        "LineAddress PhysicalAddress ProgramCounter Type AccessMode Prefetch Size contextId "
        "writeMask WTData wfid instSeqNum isTlbi tlbiTransactionUid isGLCSet isSLCSet isSecure "
        "htmFromTransaction htmTransactionUid addr Sender OriginalRequestorMachId DataBlk "
        "MessageSize Len Acks ReadX";
    static const char *const prefixes[] = {"m_", "v_", "f_", "SM_MESSAGE_"};
    if (is_field ? has(&runtime, word) ||
                       is_one_of(word, "base m_number_of_TBEs Sender OriginalRequestorMachId")
                 : is_one_of(word, own))
        return true;
    if ((starts_with(word, "sl_") || starts_with(word, "SL_")) && has(&runtime, word))
        return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t size = strlen(prefixes[i]);
        if (starts_with(word, prefixes[i]) &&
            (word.length == size || has(&w->names, (piece){word.start + size, word.length - size})))
            return true;
    }
    if (starts_with(word, "record_") && is_number((piece){word.start + 7, word.length - 7}))
        return true;
    return starts_with(word, "sm_") &&
           is_made_of_parts(w, (piece){word.start + 3, word.length - 3});
}

static bool is_file(piece said, const generated_source *sources, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(sources[i].file, '/');
        const char *file = slash == NULL ? sources[i].file : slash + 1;
        if (strlen(file) == said.length && memcmp(file, said.start, strlen(file)) == 0)
            return true;
    }
    return false;
}

/* A file, or a line of it. */
static bool is_place(piece said, const generated_source *sources, size_t count) {
    size_t digits = 0;
    while (digits < said.length && is_digit(said.start[said.length - digits - 1]))
        digits++;
    if (digits == 0 || digits == said.length || said.start[said.length - digits - 1] != ':')
        return is_file(said, sources, count);
    return is_file((piece){said.start, said.length - digits - 1}, sources, count);
}

static bool is_known_string(const words *w, const char *name, piece literal,
                            const generated_source *sources, size_t count) {
    static const char *const own[] = {"", "an assertion of the protocol fails",
                                      "a function ends without a value", "error()",
                                      "number_of_TBEs"};
    char *said = malloc(literal.length);
    if (said == NULL)
        abort();
    size_t length = 0;
    for (const char *at = literal.start + 1; at < literal.start + literal.length - 1; at++)
        if (*at == '\\') {
            said[length++] =
                (char)(unsigned char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + at[3] - '0');
            at += 3;
        } else {
            said[length++] = *at;
        }
    const piece text = {said, length};
    bool good = has(&w->strings, text) || has(&w->names, text) || is_place(text, sources, count) ||
                (strlen(name) == length && memcmp(name, said, length) == 0);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        good = good || (strlen(own[i]) == length && memcmp(own[i], said, length) == 0);
    free(said);
    return good;
}

static const char *problem_with(words *w, const token *t, bool is_field, const char *name,
                                const generated_source *sources, size_t count) {
    if (t->problem != NULL)
        return t->problem;
    if (t->kind == TOKEN_NUMBER && !is_number(t->text))
        return "not a plain number";
    if (t->kind == TOKEN_STRING && !is_known_string(w, name, t->text, sources, count))
        return "a string that the protocol does not have";
    if (t->kind != TOKEN_NAME || (!is_field && has(&w->good, t->text)))
        return NULL;
    if (!is_known_name(w, t->text, is_field))
        return "a name that is not the generator's";
    if (!is_field)
        add(&w->good, t->text);
    return NULL;
}

/* Bytes that C would take for something else before it sees words. */
static const char *find_bad_byte(const base_text *c) {
    for (size_t i = 0; i < c->length; i++)
        if (c->data[i] != '\n' && (c->data[i] < ' ' || c->data[i] > '~'))
            return c->data + i;
    return strstr(c->data, "\?\?");
}

static const char *check(words *w, const base_text *c, const char *name,
                         const generated_source *sources, size_t count, token *t) {
    const char *const end = c->data + c->length;
    const size_t first = sizeof first_lines - 1;
    t->text = (piece){c->data, c->length};
    if (c->length < first || memcmp(c->data, first_lines, first) != 0)
        return "other first lines";
    const char *bad = find_bad_byte(c);
    t->text = (piece){bad, 1};
    if (bad != NULL)
        return "a byte that the generator does not write";
    bool is_field = false;
    for (const char *at = c->data + first;; at = t->text.start + t->text.length) {
        *t = token_at(at, end);
        const char *problem = problem_with(w, t, is_field, name, sources, count);
        if (problem != NULL || t->kind == TOKEN_END)
            return problem;
        is_field = t->kind == TOKEN_MARK && is_one_of(t->text, ". ->");
    }
}

static void collect_runtime(void) {
    const char *header = (const char *)sim_protocol_header;
    for (size_t i = 0; i < sim_protocol_header_size;) {
        const size_t length = word_length(header + i, header + sim_protocol_header_size);
        if (length > 0 && is_letter(header[i]))
            add(&runtime, (piece){header + i, length});
        i += length == 0 ? 1 : length;
    }
}

bool generated_is_clean(const base_text *c, const char *name, const generated_source *sources,
                        size_t count, char reason[256]) {
    words w = {0};
    token t = {0};
    for (size_t i = 0; i < count; i++)
        collect(&w, sources[i].text, sources[i].length);
    if (runtime.index.count == 0)
        collect_runtime();
    const char *problem = check(&w, c, name, sources, count, &t);
    if (problem != NULL)
        (void)snprintf(reason, 256, "%s: '%.*s'", problem,
                       (int)(t.text.length > 150 ? 150 : t.text.length), t.text.start);
    free_words(&w);
    return problem == NULL;
}

bool generated_is_alike(const base_text *a, const base_text *b) {
    const char *x = a->data + sizeof first_lines - 1, *y = b->data + sizeof first_lines - 1;
    for (;;) {
        const token s = token_at(x, a->data + a->length), t = token_at(y, b->data + b->length);
        if (s.kind != t.kind ||
            (s.kind != TOKEN_STRING && (s.text.length != t.text.length ||
                                        memcmp(s.text.start, t.text.start, s.text.length) != 0)))
            return false;
        if (s.kind == TOKEN_END)
            return true;
        x = s.text.start + s.text.length;
        y = t.text.start + t.text.length;
    }
}
