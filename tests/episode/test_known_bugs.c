/* SPDX-License-Identifier: MIT */
/*
 * What a file of known bugs may say. Bad files (tests/data/known-bad) say in their first line how
 * they are refused.
 */
#include "episode/failure/known_bugs.h"

#include "base/file.h"
#include "harness.h"
#include "protocol/simulate/runs.h"

#include <string.h>

#define TODAY "2026-11-19"

static epi_known read_known(const char *text) {
    epi_known known = {.count = 0};
    col_problem problem;
    if (epi_known_parse(&known, text, strlen(text), "known.yaml", TODAY, &problem) != COL_OK)
        fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
    return known;
}

TEST(a_file_says_all_that_an_entry_may_have) {
    static const char path[] = TEST_DATA "/known/everything.yaml";
    epi_known known = {.count = 0};
    base_text text = {0};
    col_problem problem;
    assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
    assert_int_equal(epi_known_parse(&known, text.data, text.length, path, TODAY, &problem),
                     COL_OK);
    assert_int_equal(known.count, 4);
    const epi_known_bug *b = known.bugs;
    assert_string_equal(b[0].design, "mesi3");
    assert_string_equal(b[0].mend.data, "{ at: L0Cache/E/Store, plus: [mark_dirty] }");
    assert_string_equal(b[0].link, "https://example.org/bugs/1");
    assert_string_equal(b[1].mend.data,
                        "{ at: L1Cache/I/Inv, new: true, next: I, actions: [acknowledge, "
                        "popForward] };{ at: L1Cache/S/Inv, next: I, drop: [tellCore], plus: "
                        "[tellCore] };{ at: L1Cache/M/Load, remove: true };{ at: L1Cache/M/Inv, "
                        "new: true, next: I, as: L1Cache/S/Inv, plus: [] }");
    assert_int_equal(b[1].kind_count, 2);
    assert_string_equal(b[1].kinds[1], "fedcba9876543210");
    assert_int_equal(b[1].cell_count, 2);
    assert_string_equal(b[1].cells[1].machine, "L1Cache");
    assert_string_equal(b[1].cells[1].event, "Inv");
    assert_true(epi_known_mends(&b[1], "L1Cache", "S", "Inv"));
    assert_false(epi_known_mends(&b[1], "L1Cache", "S", "In"));
    assert_false(epi_known_mends(&b[1], "L1Cache", "S", "Load"));
    assert_ptr_equal(epi_known_by_test(&known, "any", "00000000000000ff"), &b[1]);
    assert_null(epi_known_by_test(&known, "any", "00000000000000fe"));
    assert_true(b[2].is_expired);
    assert_false(b[0].is_expired);
    assert_true(epi_known_applies(&b[0], "mesi3"));
    assert_false(epi_known_applies(&b[0], "mesi2"));
    assert_false(epi_known_applies(&b[2], "mesi2"));
    epi_known_free(&known);
    base_text_free(&text);
}

/* Its last day is one on which it waives. */
TEST(an_entry_expires_after_its_day) {
    static const char text[] =
        "known: [{bug: a, kind: 0123456789abcdef, reason: x, until: " TODAY "}]";
    static const struct {
        const char *today;
        bool is_expired;
    } days[] = {{"2026-11-18", false}, {TODAY, false}, {"2026-11-20", true}, {"2027-01-01", true}};
    for (size_t i = 0; i < sizeof days / sizeof days[0]; i++) {
        epi_known known = {.count = 0};
        assert_int_equal(
            epi_known_parse(&known, text, strlen(text), "known.yaml", days[i].today, NULL), COL_OK);
        assert_int_equal(known.bugs[0].is_expired, days[i].is_expired);
        epi_known_free(&known);
    }
}

static col_status read_file(const char *path, const base_text *text, col_problem *problem) {
    epi_known known = {.count = 0};
    const col_status status =
        epi_known_parse(&known, text->data, text->length, path, TODAY, problem);
    epi_known_free(&known);
    return status;
}

TEST(bad_files_of_known_bugs_are_refused_with_their_place) {
    expect_refusals(TEST_DATA "/known-bad", 20, false, read_file);
}

/* What was waived is saved with its bug, also if the file no longer has it. */
TEST(counts_survive_saving) {
    epi_known known = read_known("known: [{bug: a, kind: 0123456789abcdef, reason: x},"
                                 "{bug: b, kind: 0123456789abcdee, reason: y, link: z}]");
    epi_known later = read_known("known: [{bug: a, kind: 0123456789abcdef, reason: new}]");
    epi_known_count(&known.bugs[0], 3);
    epi_known_count(&known.bugs[0], 3); /* another instance of the test */
    epi_known_count(&known.bugs[0], 5);
    epi_known_count(&known.bugs[1], 4);
    json_t *saved = epi_known_json(&known);
    bool is_good = true;
    assert_int_equal(epi_known_restore(&later, saved, &is_good, NULL), COL_OK);
    assert_true(is_good);
    assert_int_equal(later.count, 2);
    assert_int_equal(later.bugs[0].count, 2);
    assert_int_equal(later.bugs[0].first_test, 3);
    assert_string_equal(later.bugs[0].reason, "new");
    assert_string_equal(later.bugs[1].bug, "b");
    assert_string_equal(later.bugs[1].reason, "y");
    assert_int_equal(later.bugs[1].first_test, 4);
    assert_false(epi_known_applies(&later.bugs[1], "any"));
    assert_int_equal(epi_known_waived(&later), 3);
    json_decref(saved);
    saved = json_pack("[{s:s, s:s}]", "bug", "a", "count", "many");
    assert_int_equal(epi_known_restore(&later, saved, &is_good, NULL), COL_OK);
    assert_false(is_good);
    json_decref(saved);
    epi_known_free(&known);
    epi_known_free(&later);
}
