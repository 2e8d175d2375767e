/* SPDX-License-Identifier: MIT */
/* Coverage for other tools: every defined transition is a bin with its count. */
#include "harness.h"
#include "results/report/report.h"
#include "results/report/writers_sample.h"

#include <stdlib.h>
#include <string.h>

TEST(coverage_is_as_expected) {
    const rep_report report = sample_report();
    base_text text = {0};
    rep_ucis_text(&report, &text);
    assert_well_formed(&text);
    assert_as_expected(&text, "coverage.ucis.xml");
    base_text_free(&text);
}

/* The bins of the text, machine by machine, against the model. */
TEST(bins_are_the_transitions) {
    const rep_report report = sample_report();
    base_text text = {0};
    rep_ucis_text(&report, &text);
    const char *at = text.data;
    for (uint32_t m = 0; m < report.protocol_count; m++) {
        const rep_protocol *machine = &report.protocols[m];
        at = strstr(at, "<coverpoint ");
        assert_non_null(at);
        const char *end = strstr(at, "</coverpoint>");
        for (size_t i = 0; i < machine->cell_count; i++) {
            const rep_protocol_cell *cell = &machine->cells[i];
            at = strstr(at, "<coverpointBin ");
            assert_true(at != NULL && at < end);
            const char *type = strstr(at, "type=\"") + 6;
            const bool ignored =
                (cell->reachable == 0 && cell->hits == 0) || cell->excluded != NULL;
            assert_int_equal(strncmp(type, ignored ? "ignore\"" : "bins\"", ignored ? 7 : 5), 0);
            const char *count = strstr(at, "coverageCount=\"") + 15;
            assert_true(strtoull(count, NULL, 10) == cell->hits);
            at++;
        }
        const char *more = strstr(at, "<coverpointBin ");
        assert_true(more == NULL || more > end);
    }
    assert_null(strstr(at, "<coverpoint "));
    base_text_free(&text);
}

/* Instances are numbered without gaps, parents come first, and files are there. */
TEST(references_resolve) {
    const rep_report report = sample_report();
    base_text text = {0};
    rep_ucis_text(&report, &text);
    assert_int_equal(occurrences(&text, "<sourceFiles "), 3); /* the tool and two designs */
    assert_int_equal(occurrences(&text, "<historyNodes "), 2);
    assert_int_equal(occurrences(&text, "<instanceCoverages "),
                     5); /* two designs, three machines */
    assert_int_equal(occurrences(&text, "parentInstanceId=\"1\""), 2);
    assert_int_equal(occurrences(&text, "parentInstanceId=\"4\""), 1);
    assert_int_equal(occurrences(&text, "file=\"2\""), 3 + 4);
    assert_int_equal(occurrences(&text, "file=\"3\""), 2 + 2);
    /* A plan that shows an error which nobody put in has failed. */
    assert_int_equal(occurrences(&text, "testStatus=\"false\""), 2);
    base_text_free(&text);
}

TEST(an_empty_store_gives_a_document) {
    const rep_report report = empty_report();
    base_text text = {0};
    rep_ucis_text(&report, &text);
    assert_well_formed(&text);
    assert_int_equal(occurrences(&text, "<sourceFiles "), 1);
    assert_int_equal(occurrences(&text, "<historyNodes "), 1);
    assert_int_equal(occurrences(&text, "<instanceCoverages "), 1);
    assert_int_equal(occurrences(&text, "<coverpoint"), 0);
    base_text_free(&text);
}
