/* SPDX-License-Identifier: MIT */
/*
 * No protocol gets a word of its own into the C that it is translated to: see slicc_helpers.h.
 * Inputs are mutated word by word, from the protocols that are built in and those of the tests, so
 * that most go deeper than the parser. Strings that mean nothing to the compiler must not change a
 * single word of the C; a file's name is hostile, too.
 */
#include "fuzz.h"
#include "fuzz/mutate_slicc.h"
#include "protocol/slicc/emit_protocol.h"
#include "protocol/slicc/parser.h"
#include "protocol/slicc/slicc_helpers.h"
#include "protocol/slicc/translate.h"

/* A folder that is not there: nothing is included but what is put in here. */
static const char file_name[] = "/nowhere/\"); abort(); (\"\?\?/ */ \\\x80.sm";

enum { MOST_GOOD = 256, LARGE = 20000 };

static base_text good[MOST_GOOD]; /* inputs that were translated, the latest */
static uint64_t inputs, parsed, translated;

static void tell(void) {
    (void)fprintf(stderr, "fuzz-emit: of %llu inputs %llu were parsed, %llu translated\n",
                  (unsigned long long)inputs, (unsigned long long)parsed,
                  (unsigned long long)translated);
}

int LLVMFuzzerInitialize(int *count, char ***words) {
    (void)count;
    (void)words;
    mutate_start();
    return atexit(tell);
}

/* ---- Checking. */

static bool translate(const base_text *text, uint32_t mutation, base_text *c) {
    slicc_tree tree = {0};
    slicc_reached reached = {0};
    slicc_report report = {0};
    slicc_mutations mutations = {.wanted = mutation};
    col_problem problem;
    col_status status =
        slicc_parse_text(&tree, slicc_prelude, strlen(slicc_prelude), "prelude", &report, &problem);
    if (status == COL_OK)
        status = slicc_parse_text(&tree, text->data, text->length, file_name, &report, &problem);
    if (status == COL_OK)
        status = slicc_report_status(&report, &problem);
    parsed += status == COL_OK;
    slicc_tree_sort(&tree);
    if (status == COL_OK)
        status = slicc_emit(&tree, &reached, &mutations, "fuzz", &report, c, &problem);
    if (status == COL_OK)
        status = slicc_report_status(&report, &problem);
    require(status != COL_FAILURE);
    slicc_mutations_free(&mutations);
    slicc_report_free(&report);
    slicc_reached_free(&reached);
    slicc_tree_free(&tree);
    return status == COL_OK;
}

/* Bare strings (descriptions, messages of error()) mean nothing: all x instead. */
static void blank_strings(const base_text *text, base_text *out) {
    const mutate_words w = mutate_split(text->data);
    char before = '\0';
    for (size_t i = 0; i < w.count; i++) {
        const mutate_word *v = &w.list[i];
        const bool says =
            v->kind == MUTATE_STRING && (before == ',' || before == '(') && v->length > 6;
        if (says && strncmp(v->start + 1, "True", 4) != 0 && strncmp(v->start + 1, "False", 5) != 0)
            base_text_add(out, "\"xxxxxxx\"");
        else
            base_text_add_bytes(out, v->start, v->length);
        if (v->kind != MUTATE_BLANK)
            before = v->start[0];
    }
    free(w.list);
}

static void keep(const base_text *text) {
    base_text *place = &good[inputs % MOST_GOOD];
    if (text->length > LARGE)
        return;
    base_text_free(place);
    base_text_add_bytes(place, text->data, text->length);
}

static void check(const base_text *text) {
    base_text c = {0}, blank = {0}, again = {0};
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
    base_text_free(&c);
    base_text_free(&blank);
    base_text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    base_text text = {0};
    if (size == 0 || memchr(data, '\0', size) != NULL)
        return 0;
    mutate_put_frame((const char *)data, size, &text);
    check(&text);
    base_text_free(&text);
    return 0;
}

/* ---- Mutating. */

/* Mostly something that was translated, so that most of what comes of it is, too; NULL: what the
 * fuzzer thinks of. */
static const base_text *choose_base(void) {
    if (mutate_draw(8) == 0)
        return NULL;
    for (int i = 0; i < 4; i++) {
        const base_text *text = mutate_draw(4) == 0 ? &mutate_seeds[mutate_draw(mutate_seed_count)]
                                                    : &good[mutate_draw(MOST_GOOD)];
        if (text->length > 0 && (text->length < LARGE || mutate_draw(8) == 0))
            return text;
    }
    return NULL;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    base_text text = {0};
    mutate_seed(seed);
    if (mutate_draw(30) == 0)
        return LLVMFuzzerMutate(data, size, most);
    const base_text *base = choose_base();
    if (base == NULL && size > 100)
        mutate_put_frame((const char *)data, size, &text);
    else if (base != NULL)
        base_text_add_bytes(&text, base->data, base->length);
    else
        base_text_add(&text, mutate_frame.data);
    mutate_text(&text);
    size_t length = text.length < most ? text.length : most;
    if (length > 0)
        memcpy(data, text.data, length);
    else
        length = size;
    base_text_free(&text);
    return length;
}
