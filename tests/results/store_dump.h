/* SPDX-License-Identifier: MIT */
/* A store as text that does not depend on times, machines, processes or the order of writing: equal
 * texts, equal results. Reads the file with SQL alone, not by the code that is tested. */
#pragma once

#include "base/text.h"

void dump_store(const char *path, base_text *text);
/* The first column of the first row. */
void ask_store(const char *path, const char *question, char *answer, size_t size);

/* A folder of this process for stores, made anew. */
const char *scratch_folder(void);
/* The path of a name in it; one of a few static buffers. */
const char *scratch_path(const char *name);
/* Removes a store. */
void remove_store(const char *path);
/* Changes a store behind the back of whoever has it open. */
void change_store(const char *path, const char *text);
/* The end of a group of tests: removes the folder, in which nothing may be left. */
int remove_scratch(void **state);
