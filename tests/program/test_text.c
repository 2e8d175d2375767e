/* SPDX-License-Identifier: MIT */
/* The text form: it round-trips, has one canonical spelling, and says where a bad text is wrong.
 * Texts are in tests/data/program, with their canonical form; bad ones in tests/data/program-bad.
 */
#include "base/file.h"
#include "random_program.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What random programs have exercised. */
typedef struct coverage {
    uint32_t kinds[COL_KIND_COUNT], orders[4], dependencies[COL_DEPENDENCY_COUNT];
    uint32_t fences[COL_FULL_FENCE + 1];
} coverage;

static void assert_all_seen(const uint32_t *counts, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_true(counts[i] >= 100);
}

TEST(random_programs_round_trip) {
    col_program program = COL_PROGRAM_EMPTY, again = COL_PROGRAM_EMPTY;
    base_text text = {0}, rewritten = {0};
    coverage seen = {0};
    for (uint64_t test = 0; test < 5000; test++) {
        base_rng rng;
        base_rng_seed(&rng, 1, test);
        random_program(&rng, &program);
        perhaps_narrow(&rng, &program);
        for (uint32_t o = 0; o < col_program_operations(&program); o++) {
            const col_operation *operation = &program.operations[o];
            seen.kinds[operation->kind]++;
            seen.orders[operation->order]++;
            seen.dependencies[operation->dependency]++;
            seen.fences[operation->fence]++;
        }
        col_problem problem;
        if (col_program_check(&program, &problem) != COL_OK)
            fail_msg("test %llu: %s", (unsigned long long)test, problem.message);
        write_program(&program, &text);
        read_program(&again, &text);
        assert_true(col_program_equal(&program, &again));
        const col_hash hash = col_program_hash(&program), hash_again = col_program_hash(&again);
        assert_int_equal(hash.high, hash_again.high);
        assert_int_equal(hash.low, hash_again.low);
        write_program(&again, &rewritten);
        assert_string_equal(text.data, rewritten.data);
        assert_int_equal(text.length, rewritten.length);
    }
    assert_all_seen(seen.kinds, COL_KIND_COUNT);
    assert_all_seen(seen.orders, 4);
    assert_all_seen(seen.dependencies, COL_DEPENDENCY_COUNT);
    assert_all_seen(seen.fences, COL_FULL_FENCE + 1);
    base_text_free(&text);
    base_text_free(&rewritten);
    col_program_free(&program);
    col_program_free(&again);
}

TEST(programs_round_trip_through_files) {
    char path[] = "/tmp/collider-test-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(close(descriptor), 0);
    col_program program = COL_PROGRAM_EMPTY, again = COL_PROGRAM_EMPTY;
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    random_program(&rng, &program);
    col_problem problem;
    assert_int_equal(col_program_write_file(&program, path, &problem), COL_OK);
    assert_int_equal(col_program_read_file(&again, path, &problem), COL_OK);
    assert_true(col_program_equal(&program, &again));

    assert_int_equal(remove(path), 0);
    assert_int_equal(col_program_read_file(&again, path, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, path));
    assert_int_equal(again.thread_count + again.location_count, 0);
    col_program_free(&program);
    col_program_free(&again);
}

/* Some editors begin a file with the mark of its encoding; columns count from behind it. */
TEST(a_byte_order_mark_before_a_program_is_skipped) {
    static const char good[] = "\xef\xbb\xbf"
                               "collider program 1\nend\n";
    static const char bad[] = "\xef\xbb\xbf"
                              "collider program 2\nend\n";
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem, plain;
    assert_int_equal(col_program_read(&program, good, sizeof good - 1, "good", &problem), COL_OK);
    assert_int_equal(col_program_read(&program, bad, sizeof bad - 1, "bad", &problem),
                     COL_BAD_INPUT);
    assert_int_equal(col_program_read(&program, bad + 3, sizeof bad - 4, "bad", &plain),
                     COL_BAD_INPUT);
    assert_int_equal(problem.line, plain.line);
    assert_int_equal(problem.column, plain.column);
    assert_string_equal(problem.message, plain.message);
    col_program_free(&program);
}

/* ---- Texts as data. */

static void check_canonical(const char *name, const base_text *text) {
    base_text canonical = {0}, rewritten = {0};
    col_program program = COL_PROGRAM_EMPTY;
    read_data("program/canonical", name, &canonical);
    read_program(&program, text);
    write_program(&program, &rewritten);
    if (strcmp(rewritten.data, canonical.data) != 0)
        fail_msg("%s: expected\n%sgot\n%s", name, canonical.data, rewritten.data);
    col_program_free(&program);
    base_text_free(&canonical);
    base_text_free(&rewritten);
}

TEST(good_files_have_their_canonical_text) {
    assert_true(for_each_text("program", ".txt", check_canonical) >= 8);
}

/* Is it a place in the text, or the one just after it? */
static bool is_place(const base_text *text, uint32_t line, uint32_t column) {
    const char *start = text->data, *const end = text->data + text->length;
    for (uint32_t l = 1; l < line; l++) {
        const char *newline = memchr(start, '\n', (size_t)(end - start));
        if (newline == NULL)
            return l + 1 == line && column == 1;
        start = newline + 1;
    }
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    const size_t length = (size_t)((newline == NULL ? end : newline) - start);
    return line >= 1 && column >= 1 && column <= length + 1;
}

/* Reads a text that must be refused, with a place in it, leaving the program empty. */
static void assert_refused(col_program *program, const base_text *text, col_problem *problem) {
    assert_int_equal(col_program_read(program, text->data, text->length, "bad", problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem->file, "bad");
    if (!is_place(text, problem->line, problem->column))
        fail_msg("%u:%u is not in the text: %s", problem->line, problem->column, problem->message);
    assert_int_equal(program->thread_count, 0);
    assert_int_equal(program->location_count, 0);
    assert_int_equal(col_program_operations(program), 0);
}

/* Refusal must empty a program that was in use. */
static void fill_program(col_program *program) {
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    random_program(&rng, program);
}

static int wrong_files;

static void check_refusal(const char *name, const base_text *text) {
    static const char mark[] = "# expect ";
    assert_true(text->length > sizeof mark && strncmp(text->data, mark, sizeof mark - 1) == 0);
    const char *expected = text->data + sizeof mark - 1;
    const size_t length = strcspn(expected, "\n");
    col_program program = COL_PROGRAM_EMPTY;
    fill_program(&program);
    col_problem problem;
    assert_refused(&program, text, &problem);
    char got[1024];
    (void)snprintf(got, sizeof got, "%u:%u: %s", problem.line, problem.column, problem.message);
    if (strlen(got) != length || strncmp(got, expected, length) != 0) {
        print_error("%s: expected %.*s\n%s: got      %s\n", name, (int)length, expected, name, got);
        wrong_files++;
    }
    col_program_free(&program);
}

TEST(bad_files_are_refused_at_their_mistake) {
    assert_true(for_each_text("program-bad", ".txt", check_refusal) >= 45);
    assert_int_equal(wrong_files, 0);
}

/* ---- Damaged texts. */

static void random_text(base_rng *rng, base_text *text) {
    col_program program = COL_PROGRAM_EMPTY;
    random_program(rng, &program);
    perhaps_narrow(rng, &program);
    write_program(&program, text);
    col_program_free(&program);
}

/* The reader must not look past the length it is given, so the cut text is a copy of its own. */
static base_text copy_of(const base_text *text, size_t length) {
    base_text copy = {.data = malloc(length), .length = length, .capacity = length};
    assert_non_null(copy.data);
    memcpy(copy.data, text->data, length);
    return copy;
}

TEST(truncated_texts_are_refused) {
    col_program program = COL_PROGRAM_EMPTY;
    base_text text = {0};
    for (uint64_t test = 0; test < 40; test++) {
        base_rng rng;
        base_rng_seed(&rng, 4, test);
        random_text(&rng, &text);
        for (size_t length = 1; length < text.length - strlen("\n"); length++) {
            base_text cut = copy_of(&text, length);
            col_problem problem;
            assert_refused(&program, &cut, &problem);
            base_text_free(&cut);
        }
        /* The last newline alone may be missing. */
        text.length--;
        read_program(&program, &text);
    }
    base_text_free(&text);
    col_program_free(&program);
}

TEST(empty_text_is_refused_at_its_start) {
    col_program program = COL_PROGRAM_EMPTY;
    fill_program(&program);
    char nothing[1] = "";
    col_problem problem;
    assert_refused(&program, &(base_text){.data = nothing}, &problem);
    assert_string_equal(problem.message, "a program starts with 'collider program 1'");
    col_program_free(&program);
}

/* Returns whether the damaged text is still good; then it must round-trip. */
static bool refuse_or_round_trip(const base_text *text) {
    col_program program = COL_PROGRAM_EMPTY, again = COL_PROGRAM_EMPTY;
    base_text rewritten = {0};
    col_problem problem;
    const bool good =
        col_program_read(&program, text->data, text->length, "bad", &problem) == COL_OK;
    if (good) {
        assert_int_equal(col_program_check(&program, &problem), COL_OK);
        write_program(&program, &rewritten);
        read_program(&again, &rewritten);
        assert_true(col_program_equal(&program, &again));
    } else {
        assert_refused(&program, text, &problem);
    }
    base_text_free(&rewritten);
    col_program_free(&program);
    col_program_free(&again);
    return good;
}

TEST(mutated_texts_are_refused_or_round_trip) {
    static const char bytes[] = "\0\n\r\t #@-+,0159arwxdn\x7f\xff";
    uint32_t good = 0, bad = 0;
    base_text text = {0};
    for (uint64_t test = 0; test < 20; test++) {
        base_rng rng;
        base_rng_seed(&rng, 5, test);
        random_text(&rng, &text);
        for (size_t at = 0; at < text.length; at++) {
            const char old = text.data[at];
            for (int mutation = 0; mutation < 4; mutation++) {
                text.data[at] = bytes[random_between(&rng, 0, sizeof bytes - 2)];
                if (refuse_or_round_trip(&text))
                    good++;
                else
                    bad++;
            }
            text.data[at] = old;
        }
    }
    assert_true(good > 1000);
    assert_true(bad > 1000);
    base_text_free(&text);
}
