/* SPDX-License-Identifier: MIT */
/* Litmus tests in an editor: see lsp_answers.h. */

#include "base/json.h"
#include "cli/lsp/lsp_answers.h"
#include "judge/litmus/litmus_assembler.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static lsp_text text_of(const lsp_document *document) {
    lsp_text text = {.data = document->text.data, .length = document->text.length};
    text.data = base_skip_bom(text.data, &text.length);
    return text;
}

static col_status read_test(const lsp_document *document, lit_test *test, col_problem *problem) {
    *test = (lit_test){0};
    return lit_test_read(test, document->text.data, document->text.length, document->path, problem);
}

/* For answers about a test: `otherwise`, if it is wrong; NULL, without memory. */
static json_t *no_answer(col_status status, json_t *otherwise) {
    if (status == COL_BAD_INPUT)
        return otherwise;
    json_decref(otherwise);
    return NULL;
}

json_t *lsp_litmus_diagnostics(const lsp_document *document) {
    lit_test test;
    col_problem problem = {.file = ""};
    json_t *list = json_array();
    const col_status status = read_test(document, &test, &problem);
    if (status == COL_OK)
        lit_test_free(&test);
    else if (status == COL_BAD_INPUT)
        base_json_append(&list, lsp_diagnostic(text_of(document), problem.line, problem.column,
                                               false, problem.message));
    else { /* without memory nothing is known */
        json_decref(list);
        list = NULL;
    }
    return list;
}

/* ---- Words. */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* The offset behind the comment at `at`, or `at`. Comments nest. */
static size_t skip_comment(lsp_text text, size_t at) {
    size_t depth = 0, i = at;
    do {
        if (i + 1 >= text.length)
            return depth > 0 ? text.length : at;
        if (text.data[i] == '(' && text.data[i + 1] == '*') {
            depth++;
            i += 2;
        } else if (depth > 0 && text.data[i] == '*' && text.data[i + 1] == ')') {
            depth--;
            i += 2;
        } else if (depth > 0) {
            i++;
        } else {
            return at;
        }
    } while (depth > 0);
    return i;
}

/* Where the word stands alone, outside of comments, from an offset on; the length: nowhere. */
static size_t find_word(lsp_text text, size_t from, const char *word) {
    const size_t length = strlen(word);
    for (size_t at = from; at < text.length;) {
        const size_t behind = skip_comment(text, at);
        if (behind > at) {
            at = behind;
            continue;
        }
        if (at + length <= text.length && memcmp(text.data + at, word, length) == 0 &&
            (at == 0 || !is_word(text.data[at - 1])) &&
            (at + length == text.length || !is_word(text.data[at + length])))
            return at;
        at++;
    }
    return text.length;
}

static size_t state_of(lsp_text text) {
    const char *brace = text.length == 0 ? NULL : memchr(text.data, '{', text.length);
    return brace == NULL ? 0 : (size_t)(brace - text.data);
}

typedef struct word {
    size_t from, to;
    char text[64]; /* empty: there is none */
} word;

static word word_at(lsp_text text, size_t offset) {
    word w = {offset, offset, ""};
    while (w.from > 0 && is_word(text.data[w.from - 1]))
        w.from--;
    while (w.to < text.length && is_word(text.data[w.to]))
        w.to++;
    if (w.to - w.from < sizeof w.text)
        memcpy(w.text, text.data + w.from, w.to - w.from);
    return w;
}

static const lit_symbol *symbol_named(const lit_test *test, const char *name) {
    for (uint32_t i = 0; i < test->symbol_count; i++)
        if (strcmp(test->symbols[i].name, name) == 0)
            return &test->symbols[i];
    return NULL;
}

/* ---- Symbols. */

static void add_locations(const lit_test *test, lsp_text text, json_t **children) {
    for (uint32_t i = 0; i < test->symbol_count; i++) {
        const char *name = test->symbols[i].name;
        const size_t at = find_word(text, state_of(text), name);
        if (at < text.length)
            base_json_append(children, lsp_symbol(name, "location", LSP_VARIABLE, text, at,
                                                  at + strlen(name), at, at + strlen(name)));
    }
}

static void add_threads(const lit_test *test, lsp_text text, json_t **children) {
    for (uint32_t t = 0; t < test->thread_count; t++) {
        const lit_thread *thread = &test->threads[t];
        char name[16];
        if (thread->instruction_count == 0)
            continue;
        const lit_instruction *first = &thread->instructions[0],
                              *last = &thread->instructions[thread->instruction_count - 1];
        const size_t from = lsp_offset_of(text, first->place.line, first->place.column),
                     end = lsp_offset_of(text, last->place.line, last->place.column) +
                           strlen(last->text);
        const size_t to = end > text.length ? text.length : end;
        (void)snprintf(name, sizeof name, "P%" PRIu32, t);
        base_json_append(children, lsp_symbol(name, "thread", LSP_FUNCTION, text, from, to, from,
                                              from + lsp_word_length(text, from)));
    }
}

static void add_condition(const lit_test *test, lsp_text text, json_t **children) {
    const char *name = test->quantifier == LIT_FORALL ? "forall" : "exists";
    const size_t at = find_word(text, state_of(text), name);
    if (at < text.length)
        base_json_append(children, lsp_symbol(test->quantifier == LIT_NOT_EXISTS ? "~exists" : name,
                                              "condition", LSP_EVENT, text, at, text.length, at,
                                              at + strlen(name)));
}

json_t *lsp_litmus_symbols(const lsp_document *document) {
    lit_test test;
    col_problem problem = {.file = ""};
    const lsp_text text = text_of(document);
    json_t *symbols = json_array();
    const col_status status = read_test(document, &test, &problem);
    if (status != COL_OK)
        return no_answer(status, symbols);
    json_t *children = json_array();
    const size_t at = find_word(text, 0, test.name);
    add_locations(&test, text, &children);
    add_threads(&test, text, &children);
    add_condition(&test, text, &children);
    json_t *symbol = lsp_symbol(test.name, "litmus test", LSP_MODULE, text, 0, text.length, at,
                                at + strlen(test.name));
    if (symbol != NULL)
        base_json_set(&symbol, "children", children);
    else
        json_decref(children);
    base_json_append(&symbols, symbol);
    lit_test_free(&test);
    return symbols;
}

/* ---- Hover. */

static void print_held(const lit_test *test, uint64_t value, base_text *text) {
    for (uint32_t i = 0; i < test->symbol_count; i++)
        if (test->symbols[i].address == value) {
            base_text_print(text, "the address of %s", test->symbols[i].name);
            return;
        }
    base_text_print(text, "%" PRIu64, value);
}

static void print_symbol(const lit_test *test, const lit_symbol *symbol, base_text *text) {
    if (symbol->is_array)
        base_text_print(text, "%s: an array of %" PRIu32 " locations", symbol->name,
                        symbol->cell_count);
    else
        base_text_print(text, "%s: a location", symbol->name);
    if (symbol->type.bytes > 0)
        base_text_print(text, " of %u byte%s", symbol->type.bytes,
                        symbol->type.bytes == 1 ? "" : "s");
    base_text_add(text, ", at the start ");
    for (uint32_t i = 0; i < symbol->cell_count && i < 16; i++) {
        base_text_add(text, i == 0 ? "" : ", ");
        print_held(test, test->cells[symbol->first_cell + i].initial, text);
    }
    base_text_add(text, "\n");
}

/* The thread that a register belongs to: "0:" or "P0:" stands before it, or it is in the thread's
 * column. */
static bool thread_at(const lit_test *test, lsp_text text, const word *w, uint32_t *thread) {
    if (w->from > 1 && text.data[w->from - 1] == ':') {
        const word number = word_at(text, w->from - 1);
        const char *digits = number.text + (number.text[0] == 'P' ? 1 : 0);
        if (strlen(digits) == 1 || strlen(digits) == 2) {
            *thread = (uint32_t)(digits[0] - '0');
            if (digits[1] != '\0')
                *thread = *thread * 10 + (uint32_t)(digits[1] - '0');
            return *thread < test->thread_count;
        }
    }
    for (uint32_t t = 0; t < test->thread_count; t++)
        for (uint32_t i = 0; i < test->threads[t].instruction_count; i++) {
            const lit_instruction *instruction = &test->threads[t].instructions[i];
            const size_t from =
                lsp_offset_of(text, instruction->place.line, instruction->place.column);
            if (from <= w->from && w->from < from + strlen(instruction->text)) {
                *thread = t;
                return true;
            }
        }
    return false;
}

static void print_register(const lit_test *test, lsp_text text, const word *w, base_text *out) {
    uint8_t bits = 0;
    uint32_t thread = 0;
    const uint8_t number = lit_register_find(test->isa, w->text, strlen(w->text), &bits);
    if (number >= LIT_REGISTERS || !thread_at(test, text, w, &thread))
        return;
    base_text_print(out, "%" PRIu32 ":%s: a register of %u bits, at the start ", thread, w->text,
                    bits);
    print_held(test, test->threads[thread].registers[number].initial, out);
    base_text_add(out, "\n");
}

json_t *lsp_litmus_hover(const lsp_document *document, size_t offset, bool is_markdown) {
    lit_test test;
    col_problem problem = {.file = ""};
    const lsp_text text = text_of(document);
    const word w = word_at(text, offset);
    base_text said = {0};
    if (w.text[0] == '\0')
        return json_null();
    const col_status status = read_test(document, &test, &problem);
    if (status != COL_OK)
        return no_answer(status, json_null());
    const lit_symbol *symbol = symbol_named(&test, w.text);
    if (symbol != NULL)
        print_symbol(&test, symbol, &said);
    else
        print_register(&test, text, &w, &said);
    json_t *hover =
        said.length == 0 && !said.failed ? json_null() : lsp_hover_text(&said, "text", is_markdown);
    base_text_free(&said);
    lit_test_free(&test);
    return hover;
}

json_t *lsp_litmus_definition(const lsp_document *document, size_t offset) {
    lit_test test;
    col_problem problem = {.file = ""};
    const lsp_text text = text_of(document);
    const word w = word_at(text, offset);
    json_t *list = json_array();
    if (w.text[0] == '\0')
        return list;
    const col_status status = read_test(document, &test, &problem);
    if (status != COL_OK)
        return no_answer(status, list);
    const size_t at =
        symbol_named(&test, w.text) == NULL ? text.length : find_word(text, state_of(text), w.text);
    if (at < text.length)
        base_json_append(&list, json_pack("{s:o, s:o}", "uri", base_json_text(document->uri),
                                          "range", lsp_range(text, at, at + strlen(w.text))));
    lit_test_free(&test);
    return list;
}
