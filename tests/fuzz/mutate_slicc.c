/* SPDX-License-Identifier: MIT */
/* Mutating protocols word by word: see mutate_slicc.h. */
#include "fuzz/mutate_slicc.h"

#include "base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char frame_include[] = "include \"../slicc-run/parts/frame.sm\";";
static const char frame_include_beside[] = "include \"parts/frame.sm\";";

base_text mutate_frame, mutate_seeds[MUTATE_MOST_SEEDS];
size_t mutate_seed_count;

/* ---- Seeds. */

static void must_read(const char *path, base_text *text) {
    col_problem problem;
    if (base_file_read(path, text, &problem) != COL_OK) {
        (void)fprintf(stderr, "%s\n", problem.message);
        abort();
    }
    base_text_add(text, "");
}

/* The text with included files in the place of the includes. */
static void flatten(const char *path, base_text *out) {
    base_text text = {0};
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
            base_text_add_bytes(out, line, length);
            base_text_add(out, "\n");
        }
        line += length + (line[length] == '\n');
    }
    base_text_free(&text);
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
        else if (dot != NULL && strcmp(dot, ending) == 0 && mutate_seed_count < MUTATE_MOST_SEEDS)
            flatten(path, &mutate_seeds[mutate_seed_count++]);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

void mutate_start(void) {
    must_read(TEST_DATA "/slicc-run/parts/frame.sm", &mutate_frame);
    add_seeds(PROTOCOLS, "/");
    add_seeds(TEST_DATA "/slicc-run", ".sm");
    add_seeds(TEST_DATA "/slicc-hostile", ".sm");
    if (mutate_seed_count < 20)
        abort();
}

void mutate_put_frame(const char *data, size_t size, base_text *text) {
    base_text input = {0};
    base_text_add_bytes(&input, data, size);
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
    base_text_add_bytes(text, input.data, (size_t)(at - input.data));
    base_text_add(text, mutate_frame.data);
    base_text_add_bytes(text, at + length, input.length - (size_t)(at - input.data) - length);
    base_text_free(&input);
}

/* ---- Words. */

static bool is_in(char c, const char *set) {
    return c != '\0' && strchr(set, c) != NULL;
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static mutate_word word_at(const char *at) {
    mutate_word w = {.kind = MUTATE_MARK, .start = at, .length = 1};
    if (is_in(*at, " \t\r\n")) {
        w.kind = MUTATE_BLANK;
        w.length = strspn(at, " \t\r\n");
    } else if (at[0] == '/' && at[1] == '/') {
        w.kind = MUTATE_BLANK;
        w.length = strcspn(at, "\n");
    } else if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        w.kind = MUTATE_BLANK;
        w.length = end == NULL ? strlen(at) : (size_t)(end - at) + 2;
    } else if (*at == '"' || *at == '\'') {
        const char stops[] = {*at, '\n', '\0'};
        w.kind = MUTATE_STRING;
        w.length = 1 + strcspn(at + 1, stops);
        w.length += at[w.length] == *at;
    } else if (is_in(*at, letters)) {
        w.kind = is_in(*at, "0123456789") ? MUTATE_NUMBER : MUTATE_NAME;
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

mutate_words mutate_split(const char *text) {
    mutate_words result = {0};
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

static uint64_t random_state;

void mutate_seed(uint64_t seed) {
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    (void)mutate_draw(1);
}

size_t mutate_draw(size_t below) {
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

#define PICK(list) (list)[mutate_draw(sizeof(list) / sizeof(list)[0])]

/* A word of this kind, or the count if there is none near. */
static size_t find_word(const mutate_words *w, mutate_kind kind) {
    const size_t first = mutate_draw(w->count);
    for (size_t i = 0; i < w->count; i++) {
        const size_t at = (first + i) % w->count;
        if (w->list[at].kind == kind)
            return at;
    }
    return w->count;
}

/* The end of what begins here: behind its ';' or '}', or before what closes around it. */
static size_t end_of(const mutate_words *w, size_t start) {
    int depth = 0;
    for (size_t i = start; i < w->count; i++) {
        const char c = (char)(w->list[i].kind == MUTATE_MARK ? w->list[i].start[0] : ' ');
        depth += is_in(c, "({[");
        if (is_in(c, ")}]") && --depth < 0)
            return i;
        if (depth == 0 && is_in(c, ";}"))
            return i + 1;
    }
    return w->count;
}

/* Where a statement or declaration begins. */
static size_t find_start(const mutate_words *w) {
    const size_t first = mutate_draw(w->count);
    for (size_t i = first; i < w->count; i++)
        if (w->list[i].kind == MUTATE_MARK && is_in(w->list[i].start[0], ";{}"))
            return i + 1;
    return 0;
}

static void write_words(const mutate_words *w, size_t from, size_t to, base_text *out) {
    for (size_t i = from; i < to && i < w->count; i++)
        base_text_add_bytes(out, w->list[i].start, w->list[i].length);
}

static void replace_word(const mutate_words *w, size_t at, const char *text, size_t length,
                         base_text *out) {
    write_words(w, 0, at, out);
    base_text_add_bytes(out, text, length);
    write_words(w, at + 1, w->count, out);
}

static bool is_same(const mutate_word *a, const mutate_word *b) {
    return a->length == b->length && memcmp(a->start, b->start, a->length) == 0;
}

/* Everywhere, so that it stays the name of what it names. */
static void rename_all(const mutate_words *w, size_t at, const char *name, base_text *out) {
    for (size_t i = 0; i < w->count; i++)
        if (at < w->count && w->list[i].kind == MUTATE_NAME && is_same(&w->list[i], &w->list[at]))
            base_text_add(out, name);
        else
            write_words(w, i, i + 1, out);
}

/* A statement of this text or of another one, in the place of another or between two. */
static void graft(const mutate_words *w, const mutate_words *donor, bool replace, base_text *out) {
    const size_t from = find_start(donor), to = end_of(donor, from), at = find_start(w);
    write_words(w, 0, at, out);
    base_text_add(out, " ");
    write_words(donor, from, to, out);
    write_words(w, replace ? end_of(w, at) : at, w->count, out);
}

static void add_pair(const mutate_words *w, base_text *out) {
    static const char *const keys[] = {"desc",    "default",        "interface", "template",
                                       "network", "ordered",        "main",      "external",
                                       "short",   "virtual_network"};
    const size_t at = find_word(w, MUTATE_STRING) + 1; /* where pairs are */
    write_words(w, 0, at, out);
    base_text_print(out, ", %s=%s", PICK(keys), PICK(hostile_strings));
    write_words(w, at, w->count, out);
}

static void replace_operator(const mutate_words *w, base_text *out) {
    const char *mark = PICK(operators);
    for (size_t i = 0, at = mutate_draw(w->count); i < w->count; i++, at = (at + 1) % w->count)
        for (size_t k = 0; k < sizeof operators / sizeof operators[0]; k++) {
            const mutate_word known = {MUTATE_MARK, operators[k], strlen(operators[k])};
            if (w->list[at].kind != MUTATE_MARK || !is_same(&w->list[at], &known))
                continue;
            replace_word(w, at, mark, strlen(mark), out);
            return;
        }
}

static void mutate_once(const mutate_words *w, const mutate_words *donor, base_text *out) {
    const mutate_kind kind = (mutate_kind)(MUTATE_NAME + mutate_draw(3));
    const size_t at = find_word(w, kind), other = find_word(mutate_draw(2) == 0 ? w : donor, kind);
    const mutate_words *const source = other < donor->count && mutate_draw(2) == 0 ? donor : w;
    const char *text = kind == MUTATE_NAME     ? PICK(hostile_names)
                       : kind == MUTATE_NUMBER ? PICK(hostile_numbers)
                                               : PICK(hostile_strings);
    switch (mutate_draw(12)) {
    case 0:
    case 1:
    case 2:
        replace_word(w, at, text, strlen(text), out);
        break;
    case 3:
    case 4:
        rename_all(w, find_word(w, MUTATE_NAME), PICK(hostile_names), out);
        break;
    case 5:
        if (other < source->count)
            replace_word(w, at, source->list[other].start, source->list[other].length, out);
        break;
    case 6:
        graft(w, w, mutate_draw(2) == 0, out);
        break;
    case 7:
        graft(w, donor, mutate_draw(2) == 0, out);
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

void mutate_text(base_text *text) {
    const base_text *seed = &mutate_seeds[mutate_draw(mutate_seed_count)];
    const mutate_words donor = mutate_split(seed->data);
    for (size_t edits = 1 + mutate_draw(2); edits > 0; edits--) {
        base_text out = {0};
        const mutate_words w = mutate_split(text->data);
        if (w.count > 0)
            mutate_once(&w, &donor, &out);
        free(w.list);
        if (out.length == 0) {
            base_text_free(&out);
            continue;
        }
        base_text_free(text);
        *text = out;
    }
    free(donor.list);
}
