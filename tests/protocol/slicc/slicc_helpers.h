/* SPDX-License-Identifier: MIT */
/* What tests of the compiler share: trees as text, what generated C may contain, compiling and
 * running a protocol. */
#pragma once

#include "protocol/simulate/protocol_library.h"
#include "protocol/slicc/ast.h"

/* A tree as an S-expression, to compare it with what is expected. */
void print_tree(const slicc_tree *tree, base_text *text);

/*
 * Is there anything in generated C that the code generator did not write itself? An own, small
 * scanner of C looks: every word must be one of the generator's or the runtime's, or a name of the
 * protocol behind one of our prefixes; every string literal must say, unescaped, exactly what a
 * string, a name or a place of the protocol says; no other directives, comments, or bytes.
 */

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

/* Files of tests/data: each protocol of a folder; how many there are. */
int for_each_protocol(const char *folder, void (*test)(const char *path));
/* What the lines of a file say that begin with "// expect ". */
void expectations(const char *path, base_text *lines);
/* "LINE:COLUMN: message" of complaints about the file, and FILE before that of complaints about
 * others in `folder`, which may be NULL; not the lines that show the source. */
void complaints_of(const base_text *written, const char *path, const char *folder, base_text *got);
/* Counts the files that are not, and shows them. */
extern int wrong_files;
void expect_text(const char *path, const base_text *expected, const base_text *got);

/* Setup and teardown of a group of tests: compiled protocols are kept in a folder of its own, which
 * has a copy of the frame that small protocols include. */
int make_cache(void **state);
int remove_cache(void **state);
const char *cache_folder(void);

void read_frame(base_text *text);
void compile(const char *path, sim_plugin *plugin);
/* Runs the program on one core, twice: the second run shows that nothing of the first is left. What
 * failed, or "ok". */
void run_program(const sl_protocol *protocol, const char *source, base_text *said);
