/* SPDX-License-Identifier: MIT */
/* The text form: it round-trips, has one canonical spelling, and says where a bad text is wrong; a
 * text that is refused leaves the set as it was. Texts are in tests/data/coverage, with their
 * canonical form; bad ones in tests/data/coverage-bad. All are of the toy design. */
#include "base/file.h"
#include "cover/support.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef REDUCED
enum { DESIGNS = 100, TOYS = 2 };
#else
enum { DESIGNS = 1000, TOYS = 20 };
#endif

TEST(random_sets_round_trip) {
    static design made, other;
    for (uint64_t i = 0; i < DESIGNS; i++) {
        base_rng rng;
        base_rng_seed(&rng, 7, i);
        random_design(&rng, &made);
        shuffled_design(&rng, &made, &other);
        col_coverage *first = random_set(&rng, &made), *second = new_coverage(&other);
        char *text = text_of(first);
        col_problem problem;
        if (col_coverage_read(second, text, strlen(text), "text", &problem) != COL_OK)
            fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
        assert_same_text(first, second);
        for (int metric = 0; metric < COL_METRIC_COUNT; metric++) {
            const col_covered a =
                col_coverage_of(first, COL_CUMULATIVE, (col_metric)metric, COL_ALL_MACHINES);
            const col_covered b =
                col_coverage_of(second, COL_CUMULATIVE, (col_metric)metric, COL_ALL_MACHINES);
            assert_true(a.covered == b.covered && a.reached == b.reached);
        }
        free(text);
        col_coverage_free(first);
        col_coverage_free(second);
    }
}

/* ---- The toy design. */

/* Lines are sorted by machine, controller, state and event, not by their numbers. */
TEST(lines_are_sorted_by_name) {
    col_coverage *coverage = new_toy();
    for (uint64_t i = 0; i < 11; i++) { /* one more hit for each functional point */
        uint64_t hits[11] = {0};
        for (uint64_t p = i; p < 11; p++)
            hits[p] = 1;
        (void)col_coverage_add(coverage, hits);
    }
    char *text = text_of(coverage);
    assert_non_null(strstr(text, "\nDirectory 0 I %2D 11\n"
                                 "Directory 0 I Get%23M 10\n"
                                 "Directory 0 busy - 9\n"
                                 "L1Cache 0 I Load 2\n"
                                 "L1Cache 0 I Store 1\n"
                                 "L1Cache 0 M Load 4\n"
                                 "L1Cache 0 S Invalidate 3\n"
                                 "L1Cache 1 I Load 6\n"
                                 "L1Cache 1 I Store 5\n"
                                 "L1Cache 1 M Load 8\n"
                                 "L1Cache 1 S Invalidate 7\n"
                                 "end\n"));
    assert_int_equal(strncmp(text, "collider coverage 1\ndesign toy 2 ", 33), 0);
    free(text);
    col_coverage_free(coverage);
}

TEST(sets_round_trip_through_files) {
    char path[64];
    write_temporary("", path);
    col_coverage *coverage = new_toy(), *again = new_toy();
    uint64_t hits[11] = {0, UINT64_MAX, 0, 4, 0, 0, 1, 0, 0, 0, 77};
    (void)col_coverage_add(coverage, hits);
    col_problem problem;
    assert_int_equal(col_coverage_write_file(coverage, path, &problem), COL_OK);
    assert_int_equal(col_coverage_read_file(again, path, &problem), COL_OK);
    assert_same_text(coverage, again);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(col_coverage_read_file(again, path, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "a file of coverage starts with 'collider coverage 1'");
    assert_int_equal(remove(path), 0);
    assert_int_equal(col_coverage_read_file(again, path, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, path));
    col_coverage_free(coverage);
    col_coverage_free(again);
}

/* Some editors begin a file with the mark of its encoding; columns count from behind it. */
TEST(a_byte_order_mark_before_coverage_is_skipped) {
    static const char bad[] = "\xef\xbb\xbf"
                              "collider coverage 2\n";
    char marked[4096];
    col_coverage *coverage = new_toy();
    char *text = text_of(coverage);
    col_problem problem, plain;
    const int length = snprintf(marked, sizeof marked, "\xef\xbb\xbf%s", text);
    assert_true(length > 3 && (size_t)length < sizeof marked);
    assert_int_equal(col_coverage_read(coverage, marked, (size_t)length, "good", &problem), COL_OK);
    assert_int_equal(col_coverage_read(coverage, bad, sizeof bad - 1, "bad", &problem),
                     COL_BAD_INPUT);
    assert_int_equal(col_coverage_read(coverage, bad + 3, sizeof bad - 4, "bad", &plain),
                     COL_BAD_INPUT);
    assert_int_equal(problem.line, plain.line);
    assert_int_equal(problem.column, plain.column);
    free(text);
    col_coverage_free(coverage);
}

/* ---- Texts as data. */

static void check_canonical(const char *name, const base_text *text) {
    base_text canonical = {0};
    read_data("coverage/canonical", name, &canonical);
    col_coverage *coverage = new_toy();
    col_problem problem;
    if (col_coverage_read(coverage, text->data, text->length, name, &problem) != COL_OK)
        fail_msg("%s:%u:%u: %s", name, problem.line, problem.column, problem.message);
    char *rewritten = text_of(coverage);
    if (strcmp(rewritten, canonical.data) != 0)
        fail_msg("%s: expected\n%sgot\n%s", name, canonical.data, rewritten);
    free(rewritten);
    col_coverage_free(coverage);
    base_text_free(&canonical);
}

TEST(good_files_have_their_canonical_text) {
    assert_int_equal(for_each_text("coverage", ".txt", check_canonical), 4);
}

/* Is it a place in the text, or the one just after it? */
static bool is_place(const char *text, size_t length, uint32_t line, uint32_t column) {
    const char *start = text, *const end = text + length;
    for (uint32_t l = 1; l < line; l++) {
        const char *newline = memchr(start, '\n', (size_t)(end - start));
        if (newline == NULL)
            return l + 1 == line && column == 1;
        start = newline + 1;
    }
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    const size_t width = (size_t)((newline == NULL ? end : newline) - start);
    return line >= 1 && column >= 1 && column <= width + 1;
}

/* Refused, with a place in the text, and nothing of it is in the set. */
static void assert_refused(const char *text, size_t length, col_problem *problem) {
    col_coverage *coverage = new_toy();
    uint64_t hits[11] = {0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    (void)col_coverage_add(coverage, hits);
    char *before = text_of(coverage);
    assert_int_equal(col_coverage_read(coverage, text, length, "bad", problem), COL_BAD_INPUT);
    assert_string_equal(problem->file, "bad");
    if (!is_place(text, length, problem->line, problem->column))
        fail_msg("%u:%u is not in the text: %s", problem->line, problem->column, problem->message);
    char *after = text_of(coverage);
    assert_string_equal(before, after);
    free(before);
    free(after);
    col_coverage_free(coverage);
}

static int wrong_files;

static void check_refusal(const char *name, const base_text *text) {
    static const char mark[] = "# expect ";
    assert_true(text->length > sizeof mark && strncmp(text->data, mark, sizeof mark - 1) == 0);
    const char *expected = text->data + sizeof mark - 1;
    const size_t length = strcspn(expected, "\n");
    col_problem problem;
    assert_refused(text->data, text->length, &problem);
    char got[1024];
    (void)snprintf(got, sizeof got, "%u:%u: %s", problem.line, problem.column, problem.message);
    if (strlen(got) != length || strncmp(got, expected, length) != 0) {
        print_error("%s: expected %.*s\n%s: got      %s\n", name, (int)length, expected, name, got);
        wrong_files++;
    }
}

TEST(bad_files_are_refused_at_their_mistake) {
    assert_true(for_each_text("coverage-bad", ".txt", check_refusal) >= 20);
    assert_int_equal(wrong_files, 0);
}

/* ---- Damaged texts. */

static char *random_toy_text(base_rng *rng) {
    col_coverage *coverage = new_toy();
    uint64_t hits[11] = {0};
    for (uint32_t p = 0; p < 11; p++)
        hits[p] = random_upto(rng, 2) == 0 ? 0 : random_upto(rng, 100);
    (void)col_coverage_add(coverage, hits);
    char *text = text_of(coverage);
    col_coverage_free(coverage);
    return text;
}

/* A copy without room: the reader must not look past the length it is given. */
static char *copy_of(const char *text, size_t length) {
    char *copy = malloc(length == 0 ? 1 : length);
    assert_non_null(copy);
    memcpy(copy, text, length);
    return copy;
}

TEST(truncated_texts_are_refused) {
    for (uint64_t i = 0; i < TOYS; i++) {
        base_rng rng;
        base_rng_seed(&rng, 8, i);
        char *text = random_toy_text(&rng);
        for (size_t length = 0; length + 1 < strlen(text); length++) {
            char *cut = copy_of(text, length);
            col_problem problem;
            assert_refused(cut, length, &problem);
            free(cut);
        }
        free(text);
    }
}

/* Returns whether the damaged text is still good; then it must round-trip. */
static bool refuse_or_round_trip(const char *text, size_t length) {
    col_coverage *first = new_toy(), *second = new_toy();
    col_problem problem;
    const bool good = col_coverage_read(first, text, length, "bad", &problem) == COL_OK;
    if (good) {
        char *rewritten = text_of(first);
        assert_int_equal(
            col_coverage_read(second, rewritten, strlen(rewritten), "rewritten", &problem), COL_OK);
        assert_same_text(first, second);
        free(rewritten);
    } else {
        assert_refused(text, length, &problem);
    }
    col_coverage_free(first);
    col_coverage_free(second);
    return good;
}

TEST(mutated_texts_are_refused_or_round_trip) {
    static const char bytes[] = "\0\n\r\t #%-0159IMSLde\x7f\xff";
    uint32_t good = 0, bad = 0;
    for (uint64_t i = 0; i < TOYS; i++) {
        base_rng rng;
        base_rng_seed(&rng, 9, i);
        char *text = random_toy_text(&rng);
        const size_t length = strlen(text);
        for (size_t at = 0; at < length * 4; at++) {
            const char old = text[at / 4];
            text[at / 4] = bytes[random_upto(&rng, sizeof bytes - 2)];
            if (refuse_or_round_trip(text, length))
                good++;
            else
                bad++;
            text[at / 4] = old;
        }
        free(text);
    }
    assert_true(good > 20 * TOYS);
    assert_true(bad > 200 * TOYS);
}
