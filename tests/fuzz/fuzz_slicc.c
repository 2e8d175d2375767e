/* SPDX-License-Identifier: MIT */
/* No text makes the SLICC parser crash, hang or fail, and what it says does not depend on what it
 * read before. */
#include "fuzz.h"
#include "protocol/slicc/parser.h"

static void parse(const uint8_t *data, size_t size, slicc_tree *tree, base_text *written) {
    slicc_report report = {0};
    col_problem problem;
    /* A folder that is not there: nothing is included but what has a full path. */
    require(slicc_parse_text(tree, (const char *)data, size, "/nowhere/fuzz.sm", &report,
                             &problem) == COL_OK);
    require((slicc_report_status(&report, &problem) == COL_OK) == (report.count == 0));
    slicc_report_write(&report, written);
    slicc_report_free(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    slicc_tree first = {0}, second = {0};
    base_text said = {0}, again = {0};
    parse(data, size, &first, &said);
    parse(data, size, &second, &again);
    require(said.length == again.length &&
            (said.length == 0 || memcmp(said.data, again.data, said.length) == 0));
    base_text_free(&said);
    base_text_free(&again);
    slicc_tree_free(&first);
    slicc_tree_free(&second);
    return 0;
}
