/* SPDX-License-Identifier: MIT */
/* A small report, made by hand, for the tests of its writers: every kind of plot, cells with and
 * without each thing they may have, and names that no format may be broken by. */
#pragma once

#include "base/text.h"
#include "results/report/report.h"

/* Markup, quotes, a control character, a line break, two characters of UTF-8, a byte that is not
 * UTF-8. */
#define NASTY "a<b>&\"c\"'\x01,|\n\xC3\xA9\xE2\x86\x92\xFF</script>*_`"

/* Its parts are constants: there is nothing to free. */
rep_report sample_report(void);
rep_report empty_report(void);

/* Checks that the text is well-formed XML, as a strict reader of the parts that we write would:
 * tags nest, attributes are quoted and differ, entities are known, characters are allowed and
 * UTF-8. Fails the test, saying where. */
void assert_well_formed(const base_text *text);

/* How often the text has the string in it. */
size_t occurrences(const base_text *text, const char *string);

/* A field as RFC 4180 has it; returns where it ends: at a comma, a line's end or the end of all. */
const char *read_csv_field(const char *at, char *field, size_t size);

/* Compares with the file of this name among the test data; if COLLIDER_EXPECT is set in the
 * environment the file is written instead. */
void assert_as_expected(const base_text *text, const char *name);

/* A new folder that the test may write into, and its end with all in it. */
void make_folder(char *path, size_t size);
void remove_folder(const char *path);
