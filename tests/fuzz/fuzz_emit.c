/* SPDX-License-Identifier: MIT */
/*
 * No protocol gets a word of its own into the C that it is translated to: see generated.h. Inputs
 * are mutated word by word, from the protocols that are built in and those of the tests, so that
 * most go deeper than the parser. Strings that mean nothing to the compiler must not change a
 * single word of the C; a file's name is hostile, too.
 */
#include "slicc/emit.h"
#include "slicc/generated.h"
#include "slicc/parse.h"
#include "slicc/prelude.h"
#include "slicc/translate.h"

#include "base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* A folder that is not there: nothing is included but what is put in here. */
static const char file_name[] = "/nowhere/\"); abort(); (\"\?\?/ */ \\\x80.sm";
static const char frame_include[] = "include \"../slicc-run/parts/frame.sm\";";
static const char frame_include_beside[] = "include \"parts/frame.sm\";";

enum { MOST_SEEDS = 64, MOST_GOOD = 256, LARGE = 20000 };

static col_text frame, seeds[MOST_SEEDS];
static col_text good[MOST_GOOD]; /* inputs that were translated, the latest */
static size_t seed_count;
static uint64_t inputs, parsed, translated;

/* ---- Seeds. */

static void must_read(const char *path, col_text *text) {
    col_error error;
    if (col_file_read(path, text, &error) != COL_OK) {
        (void)fprintf(stderr, "%s\n", error.message);
        abort();
    }
    col_text_add(text, "");
}

/* The text with included files in the place of the includes. */
static void flatten(const char *path, col_text *out) {
    col_text text = {0};
    must_read(path, &text);
    const char *slash = strrchr(path, '/');
    for (const char *line = text.data; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const char *start = line + strspn(line, " \t");
        if (strncmp(start, "include \"", 9) == 0) {
            char inner[1024];
            (void)snprintf(inner, sizeof inner, "%.*s/%.*s", (int)(slash - path), path,
                           (int)strcspn(start + 9, "\""), start + 9);
            if (strstr(inner, "RubySlicc_") == NULL)
                flatten(inner, out);
        } else {
            col_text_add_bytes(out, line, length);
            col_text_add(out, "\n");
        }
        line += length + (line[length] == '\n');
    }
    col_text_free(&text);
}

static void add_seeds(const char *folder, const char *ending) {
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[1024];
        const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
        (void)snprintf(path, sizeof path, "%s/%s", folder, name);
        if (strcmp(ending, "/") == 0 && name[0] != '.')
            add_seeds(path, ".slicc");
        else if (dot != NULL && strcmp(dot, ending) == 0 && seed_count < MOST_SEEDS)
            flatten(path, &seeds[seed_count++]);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static void tell(void) {
    (void)fprintf(stderr, "fuzz-emit: of %llu inputs %llu were parsed, %llu translated\n",
                  (unsigned long long)inputs, (unsigned long long)parsed,
                  (unsigned long long)translated);
}

int LLVMFuzzerInitialize(int *count, char ***words) {
    (void)count;
    (void)words;
    must_read(TEST_DATA "/slicc-run/parts/frame.sm", &frame);
    add_seeds(PROTOCOLS, "/");
    add_seeds(TEST_DATA "/slicc-run", ".sm");
    add_seeds(TEST_DATA "/slicc-hostile", ".sm");
    if (seed_count < 20)
        abort();
    return atexit(tell);
}

/* ---- Checking. */

static bool translate(const col_text *text, uint32_t mutation, col_text *c) {
    slicc_tree tree = {0};
    slicc_reached reached = {0};
    slicc_report report = {0};
    slicc_mutations mutations = {.wanted = mutation};
    col_error error;
    col_status status =
        slicc_parse_text(&tree, slicc_prelude, strlen(slicc_prelude), "prelude", &report, &error);
    if (status == COL_OK)
        status = slicc_parse_text(&tree, text->data, text->length, file_name, &report, &error);
    if (status == COL_OK)
        status = slicc_report_status(&report, &error);
    parsed += status == COL_OK;
    if (status == COL_OK)
        status = slicc_emit(&tree, &reached, &mutations, "fuzz", &report, c, &error);
    if (status == COL_OK)
        status = slicc_report_status(&report, &error);
    if (status == COL_FAILURE)
        abort();
    slicc_mutations_free(&mutations);
    slicc_report_free(&report);
    slicc_reached_free(&reached);
    slicc_tree_free(&tree);
    return status == COL_OK;
}

static void put_frame(const uint8_t *data, size_t size, col_text *text) {
    col_text input = {0};
    col_text_add_bytes(&input, (const char *)data, size);
    const char *at = strstr(input.data, frame_include);
    size_t length = sizeof frame_include - 1;
    if (at == NULL) {
        at = strstr(input.data, frame_include_beside);
        length = sizeof frame_include_beside - 1;
    }
    if (at == NULL) {
        *text = input;
        return;
    }
    col_text_add_bytes(text, input.data, (size_t)(at - input.data));
    col_text_add(text, frame.data);
    col_text_add_bytes(text, at + length, input.length - (size_t)(at - input.data) - length);
    col_text_free(&input);
}

/* ---- Words. */

typedef enum word_kind { BLANK, NAME, NUMBER, STRING, MARK } word_kind;

typedef struct word {
    word_kind kind;
    const char *start;
    size_t length;
} word;

typedef struct words {
    word *list;
    size_t count;
} words;

static bool is_in(char c, const char *set) {
    return c != '\0' && strchr(set, c) != NULL;
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static word word_at(const char *at) {
    word w = {.kind = MARK, .start = at, .length = 1};
    if (is_in(*at, " \t\r\n")) {
        w.kind = BLANK;
        w.length = strspn(at, " \t\r\n");
    } else if (at[0] == '/' && at[1] == '/') {
        w.kind = BLANK;
        w.length = strcspn(at, "\n");
    } else if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        w.kind = BLANK;
        w.length = end == NULL ? strlen(at) : (size_t)(end - at) + 2;
    } else if (*at == '"' || *at == '\'') {
        const char stops[] = {*at, '\n', '\0'};
        w.kind = STRING;
        w.length = 1 + strcspn(at + 1, stops);
        w.length += at[w.length] == *at;
    } else if (is_in(*at, letters)) {
        w.kind = is_in(*at, "0123456789") ? NUMBER : NAME;
        w.length = strspn(at, letters);
    } else {
        static const char *const marks[] = {"==", "!=", "<=", ">=", "<<", ">>",
                                            "&&", "||", ":=", "::", "++", "--"};
        for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
            if (strncmp(at, marks[i], 2) == 0)
                w.length = 2;
    }
    return w;
}

/* The text ends in a NUL; what is behind it does not count. */
static words split(const char *text) {
    words result = {0};
    for (const char *at = text; *at != '\0';) {
        if (result.count % 1024 == 0)
            result.list = realloc(result.list, (result.count + 1024) * sizeof *result.list);
        if (result.list == NULL)
            abort();
        result.list[result.count] = word_at(at);
        at += result.list[result.count++].length;
    }
    return result;
}

/* Bare strings (descriptions, messages of error()) mean nothing: all x instead. */
static void blank_strings(const col_text *text, col_text *out) {
    const words w = split(text->data);
    char before = '\0';
    for (size_t i = 0; i < w.count; i++) {
        const word *v = &w.list[i];
        const bool says = v->kind == STRING && (before == ',' || before == '(') && v->length > 6;
        if (says && strncmp(v->start + 1, "True", 4) != 0 && strncmp(v->start + 1, "False", 5) != 0)
            col_text_add(out, "\"xxxxxxx\"");
        else
            col_text_add_bytes(out, v->start, v->length);
        if (v->kind != BLANK)
            before = v->start[0];
    }
    free(w.list);
}

static void keep(const col_text *text) {
    col_text *place = &good[inputs % MOST_GOOD];
    if (text->length > LARGE)
        return;
    col_text_free(place);
    col_text_add_bytes(place, text->data, text->length);
}

static void check(const col_text *text) {
    col_text c = {0}, blank = {0}, again = {0};
    char reason[256] = "";
    const uint32_t mutation = (uint32_t)(text->length % 64);
    inputs++;
    if (translate(text, mutation, &c)) {
        keep(text);
        const generated_source sources[] = {{file_name, text->data, text->length},
                                            {"prelude", slicc_prelude, strlen(slicc_prelude)}};
        translated++;
        if (!generated_is_clean(&c, "fuzz", sources, 2, reason)) {
            (void)fprintf(stderr, "%s\n", reason);
            abort();
        }
        blank_strings(text, &blank);
        parsed--;
        if (!translate(&blank, mutation, &again) || !generated_is_alike(&c, &again)) {
            (void)fprintf(stderr, "strings change the C\n");
            abort();
        }
    }
    col_text_free(&c);
    col_text_free(&blank);
    col_text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    col_text text = {0};
    if (size == 0 || memchr(data, '\0', size) != NULL)
        return 0;
    put_frame(data, size, &text);
    check(&text);
    col_text_free(&text);
    return 0;
}

/* ---- Mutating. */

static uint64_t random_state;

static size_t draw(size_t below) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return below == 0 ? 0 : (size_t)(random_state % below);
}

static const char *const hostile_strings[] = {
    "'\"); abort(); (\"'",
    "\"\\\"",
    "'\"\?\?/'",
    "\"\?\?/\"",
    "\"*/\"",
    "\"True\"",
    "'\\\"'",
    "\"\xff\x80\"",
    "\"\t\x1b\"",
    "\"%s\"",
    "\"max_tokens()\"",
    "\"0; int y\"",
    "'-1'",
    "'08'",
    "\"Message\"",
    "\"AbstractCacheEntry\"",
    "\"(*m_x_ptr)\"",
    "\"To\"",
    "\"\"",
    "'State:I'",
};
static const char *const hostile_names[] = {
    "int",
    "while",
    "asm",
    "__attribute__",
    "_Pragma",
    "system",
    "sl_fail",
    "NULL",
    "c",
    "t",
    "header",
    "base",
    "any",
    "COUNT",
    "errno",
    "__FILE__",
    "main",
    "in_msg",
    "v_x",
    "sm_any",
    "SL",
    "default",
    "typeof",
    "A_B",
    "a::b",
    "a_name_that_is_longer_than_it_should_be_because_nobody_would_ever_read_it_to_its_very_end",
};
static const char *const hostile_numbers[] = {
    "0",
    "1",
    "007",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "64",
    "3.0",
};
static const char *const operators[] = {"==", "!=", "<=", ">=", "<<", ">>", "&&",
                                        "||", "+",  "-",  "<",  ">",  "/",  "%"};

#define PICK(list) (list)[draw(sizeof(list) / sizeof(list)[0])]

/* A word of this kind, or the count if there is none near. */
static size_t find_word(const words *w, word_kind kind) {
    const size_t first = draw(w->count);
    for (size_t i = 0; i < w->count; i++) {
        const size_t at = (first + i) % w->count;
        if (w->list[at].kind == kind)
            return at;
    }
    return w->count;
}

/* The end of what begins here: behind its ';' or '}', or before what closes around it. */
static size_t end_of(const words *w, size_t start) {
    int depth = 0;
    for (size_t i = start; i < w->count; i++) {
        const char c = (char)(w->list[i].kind == MARK ? w->list[i].start[0] : ' ');
        depth += is_in(c, "({[");
        if (is_in(c, ")}]") && --depth < 0)
            return i;
        if (depth == 0 && is_in(c, ";}"))
            return i + 1;
    }
    return w->count;
}

/* Where a statement or declaration begins. */
static size_t find_start(const words *w) {
    const size_t first = draw(w->count);
    for (size_t i = first; i < w->count; i++)
        if (w->list[i].kind == MARK && is_in(w->list[i].start[0], ";{}"))
            return i + 1;
    return 0;
}

static void write_words(const words *w, size_t from, size_t to, col_text *out) {
    for (size_t i = from; i < to && i < w->count; i++)
        col_text_add_bytes(out, w->list[i].start, w->list[i].length);
}

static void replace_word(const words *w, size_t at, const char *text, size_t length,
                         col_text *out) {
    write_words(w, 0, at, out);
    col_text_add_bytes(out, text, length);
    write_words(w, at + 1, w->count, out);
}

static bool is_same(const word *a, const word *b) {
    return a->length == b->length && memcmp(a->start, b->start, a->length) == 0;
}

/* Everywhere, so that it stays the name of what it names. */
static void rename_all(const words *w, size_t at, const char *name, col_text *out) {
    for (size_t i = 0; i < w->count; i++)
        if (at < w->count && w->list[i].kind == NAME && is_same(&w->list[i], &w->list[at]))
            col_text_add(out, name);
        else
            write_words(w, i, i + 1, out);
}

/* A statement of this text or of another one, in the place of another or between two. */
static void graft(const words *w, const words *donor, bool replace, col_text *out) {
    const size_t from = find_start(donor), to = end_of(donor, from), at = find_start(w);
    write_words(w, 0, at, out);
    col_text_add(out, " ");
    write_words(donor, from, to, out);
    write_words(w, replace ? end_of(w, at) : at, w->count, out);
}

static void add_pair(const words *w, col_text *out) {
    static const char *const keys[] = {"desc",    "default",        "interface", "template",
                                       "network", "ordered",        "main",      "external",
                                       "short",   "virtual_network"};
    const size_t at = find_word(w, STRING) + 1; /* where pairs are */
    write_words(w, 0, at, out);
    col_text_print(out, ", %s=%s", PICK(keys), PICK(hostile_strings));
    write_words(w, at, w->count, out);
}

static void replace_operator(const words *w, col_text *out) {
    const char *mark = PICK(operators);
    for (size_t i = 0, at = draw(w->count); i < w->count; i++, at = (at + 1) % w->count)
        for (size_t k = 0; k < sizeof operators / sizeof operators[0]; k++) {
            const word known = {MARK, operators[k], strlen(operators[k])};
            if (w->list[at].kind != MARK || !is_same(&w->list[at], &known))
                continue;
            replace_word(w, at, mark, strlen(mark), out);
            return;
        }
}

static void mutate_once(const words *w, const words *donor, col_text *out) {
    const word_kind kind = (word_kind)(NAME + draw(3));
    const size_t at = find_word(w, kind), other = find_word(draw(2) == 0 ? w : donor, kind);
    const words *const source = other < donor->count && draw(2) == 0 ? donor : w;
    const char *text = kind == NAME     ? PICK(hostile_names)
                       : kind == NUMBER ? PICK(hostile_numbers)
                                        : PICK(hostile_strings);
    switch (draw(12)) {
    case 0:
    case 1:
    case 2:
        replace_word(w, at, text, strlen(text), out);
        break;
    case 3:
    case 4:
        rename_all(w, find_word(w, NAME), PICK(hostile_names), out);
        break;
    case 5:
        if (other < source->count)
            replace_word(w, at, source->list[other].start, source->list[other].length, out);
        break;
    case 6:
        graft(w, w, draw(2) == 0, out);
        break;
    case 7:
        graft(w, donor, draw(2) == 0, out);
        break;
    case 8: {
        const size_t start = find_start(w);
        write_words(w, 0, start, out);
        write_words(w, end_of(w, start), w->count, out);
        break;
    }
    case 9:
        replace_operator(w, out);
        break;
    default:
        add_pair(w, out);
        break;
    }
}

/* The text again, with some words changed. */
static void mutate(col_text *text) {
    const col_text *seed = &seeds[draw(seed_count)];
    const words donor = split(seed->data);
    for (size_t edits = 1 + draw(2); edits > 0; edits--) {
        col_text out = {0};
        const words w = split(text->data);
        if (w.count > 0)
            mutate_once(&w, &donor, &out);
        free(w.list);
        if (out.length == 0) {
            col_text_free(&out);
            continue;
        }
        col_text_free(text);
        *text = out;
    }
    free(donor.list);
}

/* Mostly something that was translated, so that most of what comes of it is, too; NULL: what the
 * fuzzer thinks of. */
static const col_text *choose_base(void) {
    if (draw(8) == 0)
        return NULL;
    for (int i = 0; i < 4; i++) {
        const col_text *text = draw(4) == 0 ? &seeds[draw(seed_count)] : &good[draw(MOST_GOOD)];
        if (text->length > 0 && (text->length < LARGE || draw(8) == 0))
            return text;
    }
    return NULL;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    col_text text = {0};
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    (void)draw(1);
    if (draw(30) == 0)
        return LLVMFuzzerMutate(data, size, most);
    const col_text *base = choose_base();
    if (base == NULL && size > 100)
        put_frame(data, size, &text);
    else if (base != NULL)
        col_text_add_bytes(&text, base->data, base->length);
    else
        col_text_add(&text, frame.data);
    mutate(&text);
    size_t length = text.length < most ? text.length : most;
    if (length > 0)
        memcpy(data, text.data, length);
    else
        length = size;
    col_text_free(&text);
    return length;
}
