/* SPDX-License-Identifier: MIT */
/*
 * What all writers of the report share: numbers and texts as each format wants them. Texts may be
 * any bytes: what is not UTF-8 becomes "?", and no format is ever broken by what a name has in it.
 */
#pragma once

#include "base/text.h"

/* The shortest decimal that reads back as the same number, with a point in any locale; what is no
 * number is nothing. */
void rep_number(base_text *text, double number);

/* For XML and HTML, between tags and as an attribute's value. Characters that XML does not allow
 * are left out. NULL is nothing. */
void rep_xml(base_text *text, const char *string);
void rep_xml_attribute(base_text *text, const char *string);

/* Adds a form with a value for each of these: %s an attribute, %t a text between tags, %n a word
 * for an id (as rep_file_name), %u a uint32_t, %w a uint64_t, %g a double. */
void rep_xml_print(base_text *text, const char *form, ...);

/* One field of RFC 4180, in quotes where it needs them, without control characters. What a
 * spreadsheet would take for a formula has an apostrophe before it; numbers do not. */
void rep_csv(base_text *text, const char *string);

/* A cell of a GitHub table: nothing in it is taken for markup. */
void rep_markdown(base_text *text, const char *string);

/* A JSON string with its quotes, that may also stand in a page: no <, > or & in it. NULL is null.
 */
void rep_json_string(base_text *text, const char *string);

/* A word that is good as the name of a file on any system, from a text. */
void rep_file_name(base_text *text, const char *string);
