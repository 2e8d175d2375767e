/* SPDX-License-Identifier: MIT */
/*
 * Is there anything in generated C that the code generator did not write itself? An own, small
 * scanner of C looks: every word must be one of the generator's or the runtime's, or a name of the
 * protocol behind one of our prefixes; every string literal must say, unescaped, exactly what a
 * string, a name or a place of the protocol says; no other directives, comments, or bytes.
 */
#ifndef TESTS_SLICC_GENERATED_H
#define TESTS_SLICC_GENERATED_H

#include "base/text.h"

/* A text of the protocol; `file` is how complaints and places call it. */
typedef struct generated_source {
    const char *file, *text;
    size_t length;
} generated_source;

/* True, or false and the reason in `reason`. `name` is the protocol's. */
bool generated_is_clean(const base_text *c, const char *name, const generated_source *sources,
                        size_t count, char reason[256]);

/* The same words in the same order? Strings are not compared. */
bool generated_is_alike(const base_text *a, const base_text *b);

#endif
