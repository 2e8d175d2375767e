/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * The parser. tests/data/slicc: good files and, in tree/, what each becomes. tests/data/slicc-bad:
 * wrong ones, whose first lines say "// expect LINE:COLUMN: message", one line a complaint.
 */
#include "harness.h"

#include "base/file.h"
#include "base/random.h"
#include "protocol/slicc/parser.h"
#include "protocol/slicc/slicc_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Parsing and looking at what came out. */

typedef struct parsed {
    slicc_tree tree;
    slicc_report report;
} parsed;

static parsed parse(const char *text, size_t length, const char *file) {
    parsed result = {0};
    col_problem problem;
    assert_int_equal(slicc_parse_text(&result.tree, text, length, file, &result.report, &problem),
                     COL_OK);
    return result;
}

static parsed parse_path(const char *path) {
    parsed result = {0};
    col_problem problem;
    if (slicc_parse_file(&result.tree, path, &result.report, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return result;
}

static void release(parsed *result) {
    slicc_tree_free(&result->tree);
    slicc_report_free(&result->report);
}

static void assert_tree(const char *input, const char *expected) {
    parsed result = parse(input, strlen(input), "text");
    assert_int_equal(result.report.count, 0);
    base_text text = {0};
    print_tree(&result.tree, &text);
    assert_string_equal(text.data, expected);
    base_text_free(&text);
    release(&result);
}

static void assert_first(const slicc_report *report, uint32_t line, uint32_t column,
                         const char *message) {
    col_problem problem;
    assert_int_equal(slicc_report_status(report, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, message);
    assert_int_equal(problem.line, line);
    assert_int_equal(problem.column, column);
}

/* ---- Files. */

static void path_of(char path[1024], const char *folder, const char *name, const char *suffix) {
    (void)snprintf(path, 1024, "%s/%s%s", folder, name, suffix);
}

static base_text read_file(const char *path) {
    base_text text = {0};
    col_problem problem;
    if (base_file_read(path, &text, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return text;
}

static const char *name_of(const char *path) {
    return strrchr(path, '/') + 1;
}

static void check_tree(const char *path) {
    char tree[1024];
    path_of(tree, TEST_DATA "/slicc/tree", name_of(path), ".txt");
    parsed result = parse_path(path);
    base_text expected = read_file(tree), got = {0};
    slicc_report_write(&result.report, &got);
    print_tree(&result.tree, &got);
    expect_text(path, &expected, &got);
    base_text_free(&got);
    base_text_free(&expected);
    release(&result);
}

static void good_files_have_their_trees(void **state) {
    (void)state;
    wrong_files = 0;
    assert_true(for_each_protocol(TEST_DATA "/slicc", check_tree) >= 9);
    assert_int_equal(wrong_files, 0);
}

static void check_complaints(const char *path) {
    base_text expected = {0}, written = {0}, got = {0};
    expectations(path, &expected);
    parsed result = parse_path(path);
    slicc_report_write(&result.report, &written);
    complaints_of(&written, path, TEST_DATA "/slicc-bad", &got);
    expect_text(path, &expected, &got);
    base_text_free(&expected);
    base_text_free(&written);
    base_text_free(&got);
    release(&result);
}

static void bad_files_are_reported(void **state) {
    (void)state;
    wrong_files = 0;
    assert_true(for_each_protocol(TEST_DATA "/slicc-bad", check_complaints) >= 36);
    assert_int_equal(wrong_files, 0);
}

static void unrelated_errors_are_all_reported(void **state) {
    (void)state;
    parsed result = parse_path(TEST_DATA "/slicc-bad/five.sm");
    assert_int_equal(result.report.count, 5);
    release(&result);
}

/* ---- The rest of a tree survives an error. */

static void the_context_of_an_error_is_kept(void **state) {
    (void)state;
    static const char text[] = "int a;\n"
                               "void f() { one(); two( ; three(); }\n"
                               "enumeration(E) { A; 5; B; }\n"
                               "transition(I Load) { x; }\n"
                               "int b;\n";
    parsed result = parse(text, sizeof text - 1, "text");
    assert_int_equal(result.report.count, 3);
    base_text got = {0};
    print_tree(&result.tree, &got);
    assert_string_equal(got.data, "(protocol -)\n"
                                  "(object int a)\n"
                                  "(function defined void f\n"
                                  "  (do (value (call one)))\n"
                                  "  (do (value (call three))))\n"
                                  "(enumeration E\n"
                                  "  (A)\n"
                                  "  (B))\n"
                                  "(object int b)\n");
    base_text_free(&got);
    release(&result);
}

static void names_are_interned(void **state) {
    (void)state;
    static const char first[] = "void f(Addr a) { Addr b := a; deep::Type c; }",
                      second[] = "Addr a;";
    parsed result = parse(first, sizeof first - 1, "first");
    col_problem problem;
    assert_int_equal(slicc_parse_text(&result.tree, second, sizeof second - 1, "second",
                                      &result.report, &problem),
                     COL_OK);
    const slicc_declaration *function = result.tree.declarations, *object = function->next;
    const slicc_statement *assignment = function->body;
    assert_ptr_equal(function->parameters->type, object->type);
    assert_ptr_equal(function->parameters->name, object->name);
    assert_ptr_equal(assignment->target->type, object->type);
    assert_ptr_equal(assignment->value->text, object->name);
    assert_ptr_equal(assignment->next->value->type,
                     slicc_intern(&result.tree, "deep::Type", strlen("deep::Type")));
    assert_string_equal(object->place.file, "second");
    release(&result);
}

static void places_are_lines_and_columns(void **state) {
    (void)state;
    static const char text[] = "// first\n"
                               "  int\ta;\n"
                               "void f() {\n"
                               "  x.y := g(1) + 2;\n"
                               "}\n"
                               "transition(I, E) { a; }\n";
    parsed result = parse(text, sizeof text - 1, "text");
    const slicc_declaration *object = result.tree.declarations, *function = object->next;
    const slicc_statement *assignment = function->body;
    const slicc_place places[] = {
        object->place,                  /* declarations: their name */
        function->place,                /* */
        assignment->place,              /* statements: their first word */
        assignment->target->place,      /* members: their name */
        assignment->value->place,       /* operators */
        assignment->value->left->place, /* calls: the function's name */
        function->next->place,          /* transitions: the keyword */
        function->next->actions[0].place,
    };
    static const uint32_t expected[][2] = {{2, 7},  {3, 6},  {4, 3}, {4, 5},
                                           {4, 15}, {4, 10}, {6, 1}, {6, 20}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_int_equal(places[i].line, expected[i][0]);
        assert_int_equal(places[i].column, expected[i][1]);
    }
    release(&result);
}

/* ---- Files that include others. */

static void write_text(const char *folder, const char *name, const char *text) {
    char path[1024];
    path_of(path, folder, name, "");
    col_problem problem;
    assert_int_equal(base_file_write(path, text, strlen(text), &problem), COL_OK);
}

enum { CHAIN = 22 };

static void chain_name(char name[16], int number) {
    (void)snprintf(name, 16, "%d.sm", number);
}

static void endless_includes_are_refused(void **state) {
    (void)state;
    char folder[] = "/tmp/collider-test-XXXXXX", path[1024], name[16], next[16], text[64];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < CHAIN; i++) {
        chain_name(name, i);
        chain_name(next, i + 1);
        (void)snprintf(text, sizeof text, "int a%d;\ninclude \"%s\";\n", i, next);
        write_text(folder, name, text);
    }
    path_of(path, folder, "0.sm", "");
    parsed result = parse_path(path);
    assert_int_equal(result.report.count, 1);
    assert_first(&result.report, 2, 9, "files include each other too deeply: 20 at most");
    release(&result);
    for (int i = 0; i < CHAIN; i++) {
        chain_name(name, i);
        path_of(path, folder, name, "");
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* Some editors begin a file with the mark of its encoding: what is shown of the line, and where the
 * caret points, is what the user sees. */
static void a_byte_order_mark_before_a_protocol_is_skipped(void **state) {
    static const char *const texts[] = {"\xef\xbb\xbfint ;\n", "\xef\xbb\xbfint a;\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        base_text written[2] = {{0}, {0}};
        for (int marked = 0; marked < 2; marked++) {
            const char *text = texts[i] + (marked ? 0 : 3);
            parsed result = parse(text, strlen(text), "text");
            assert_int_equal(result.report.count > 0, i == 0);
            slicc_report_write(&result.report, &written[marked]);
            print_tree(&result.tree, &written[marked]);
            release(&result);
        }
        assert_string_equal(written[1].data, written[0].data);
        base_text_free(&written[0]);
        base_text_free(&written[1]);
    }
}

static void files_are_read_once_for_a_tree(void **state) {
    (void)state;
    parsed result = parse_path(TEST_DATA "/slicc/list.slicc");
    const slicc_declaration *last = result.tree.declarations;
    while (last->next != NULL)
        last = last->next;
    col_problem problem;
    for (int i = 0; i < 2; i++)
        assert_int_equal(slicc_parse_file(&result.tree, TEST_DATA "/slicc/parts/first.sm",
                                          &result.report, &problem),
                         COL_OK);
    assert_null(last->next);
    assert_int_equal(result.report.count, 0);
    release(&result);
}

static void unreadable_files_are_refused(void **state) {
    (void)state;
    parsed result = {0};
    col_problem problem;
    assert_int_equal(slicc_parse_file(&result.tree, "/nowhere/absent.sm", &result.report, &problem),
                     COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "/nowhere/absent.sm"));
    assert_int_equal(slicc_parse_file(&result.tree, TEST_DATA, &result.report, &problem),
                     COL_BAD_INPUT);
    char nothing = '\0';
    assert_int_equal(slicc_parse_text(&result.tree, &nothing, (size_t)SLICC_MOST_BYTES + 1, "big",
                                      &result.report, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, "big is larger than 64 MiB");
    assert_int_equal(result.report.count, 0);
    release(&result);
}

static void texts_may_be_empty(void **state) {
    (void)state;
    assert_tree("", "(protocol -)\n");
    parsed result = parse(NULL, 0, "none");
    assert_null(result.tree.declarations);
    release(&result);
}

/* ---- Damaged texts. */

static bool is_place(const char *text, size_t length, slicc_place place) {
    const char *start = text, *const end = text + length;
    for (uint32_t line = 1; line < place.line; line++) {
        const char *newline = memchr(start, '\n', (size_t)(end - start));
        if (newline == NULL)
            return false;
        start = newline + 1;
    }
    const char *newline = start == end ? NULL : memchr(start, '\n', (size_t)(end - start));
    const size_t columns = (size_t)((newline == NULL ? end : newline) - start) + 1;
    return place.line >= 1 && place.column >= 1 && place.column <= columns;
}

/* Parses a copy of its own size, so that a look behind its end is seen, and returns the number of
 * complaints, each of which must be at a place of the text. */
static uint64_t count_complaints(const char *text, size_t length, const char *file) {
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    char *exact = realloc(copy, length == 0 ? 1 : length);
    assert_non_null(exact);
    parsed result = parse(exact, length, file);
    for (uint32_t i = 0; i < result.report.kept; i++) {
        const slicc_complaint *complaint = &result.report.complaints[i];
        if (strcmp(complaint->place.file, file) == 0 && !is_place(exact, length, complaint->place))
            fail_msg("%s:%u:%u is not in the text: %s", file, complaint->place.line,
                     complaint->place.column, complaint->message);
    }
    const uint64_t count = result.report.count;
    free(exact);
    release(&result);
    return count;
}

/* What a text that ends here is in the middle of, found without a grammar: a declaration ends with
 * a ';' or a '}' outside of all brackets. */
typedef struct cut {
    int brackets;
    bool inside;   /* a declaration has begun */
    char quote;    /* of the string that is open */
    char comment;  /* '/' or '*' */
    size_t opened; /* where the comment began */
} cut;

static void follow(cut *at, const char *text, size_t i) {
    const char c = text[i], before = (char)(i == 0 ? '\0' : text[i - 1]);
    if (at->comment != '\0') {
        const bool closed =
            at->comment == '/' ? c == '\n' : c == '/' && before == '*' && i > at->opened + 2;
        if (closed)
            at->comment = '\0';
        return;
    }
    if (at->quote != '\0') {
        if (c == at->quote)
            at->quote = '\0';
        return;
    }
    if (c == '/' || strchr(" \t\r\n", c) != NULL)
        return; /* no good file divides outside of a statement */
    at->inside = true;
    if (c == '"' || c == '\'')
        at->quote = c;
    if (strchr("([{", c) != NULL)
        at->brackets++;
    if (strchr(")]}", c) != NULL)
        at->brackets--;
    if (at->brackets == 0 && (c == ';' || c == '}'))
        at->inside = false;
}

static void follow_byte(cut *at, const char *text, size_t i, size_t length) {
    const bool starts = at->comment == '\0' && at->quote == '\0' && text[i] == '/' &&
                        i + 1 < length && (text[i + 1] == '/' || text[i + 1] == '*');
    follow(at, text, i);
    if (starts) {
        at->comment = text[i + 1];
        at->opened = i;
    }
}

/* A transition whose actions are one bare name is whole before it looks so. */
static bool ends_early(const char *name) {
    return strcmp(name, "bare.sm") == 0;
}

static uint64_t cuts_checked;

static void check_cuts(const char *path) {
    base_text text = read_file(path);
    cut at = {0};
    for (size_t length = 0; length < text.length; length++) {
        const uint64_t complaints = count_complaints(text.data, length, path);
        if (at.inside && !ends_early(name_of(path)) && complaints == 0)
            fail_msg("%s: cut after %zu bytes, inside a declaration, it seems whole", path, length);
        cuts_checked += at.inside;
        follow_byte(&at, text.data, length, text.length);
    }
    base_text_free(&text);
}

static void truncated_files_are_reported(void **state) {
    (void)state;
    cuts_checked = 0;
    (void)for_each_protocol(TEST_DATA "/slicc", check_cuts);
    assert_true(cuts_checked > 4000);
}

#ifdef REDUCED
enum { MUTATIONS = 1, MOST_MUTATED = 2000 };
#else
enum { MUTATIONS = 3, MOST_MUTATED = 2000 };
#endif

static uint64_t mutations_good, mutations_bad;

static void check_mutations(const char *path) {
    static const char bytes[] = "\0\n\t \"'/*;:,.=(){}[]!-+<&|019aZ_@\x7f\xff";
    base_text text = read_file(path);
    base_rng rng;
    base_rng_seed(&rng, 7, text.length);
    for (size_t i = 0; i < text.length && i < MOST_MUTATED; i++) {
        const char old = text.data[i];
        for (int mutation = 0; mutation < MUTATIONS; mutation++) {
            text.data[i] = bytes[base_rng_below(&rng, sizeof bytes - 1)];
            if (count_complaints(text.data, text.length, path) == 0)
                mutations_good++;
            else
                mutations_bad++;
        }
        text.data[i] = old;
    }
    base_text_free(&text);
}

static void mutated_files_are_survived(void **state) {
    (void)state;
    mutations_good = mutations_bad = 0;
    (void)for_each_protocol(TEST_DATA "/slicc", check_mutations);
    (void)for_each_protocol(TEST_DATA "/slicc-bad", check_mutations);
    assert_true(mutations_good > UINT64_C(333) * MUTATIONS);
    assert_true(mutations_bad > UINT64_C(333) * MUTATIONS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_have_their_trees),
        cmocka_unit_test(bad_files_are_reported),
        cmocka_unit_test(unrelated_errors_are_all_reported),
        cmocka_unit_test(the_context_of_an_error_is_kept),
        cmocka_unit_test(names_are_interned),
        cmocka_unit_test(places_are_lines_and_columns),
        cmocka_unit_test(endless_includes_are_refused),
        cmocka_unit_test(a_byte_order_mark_before_a_protocol_is_skipped),
        cmocka_unit_test(files_are_read_once_for_a_tree),
        cmocka_unit_test(unreadable_files_are_refused),
        cmocka_unit_test(texts_may_be_empty),
        cmocka_unit_test(truncated_files_are_reported),
        cmocka_unit_test(mutated_files_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
