/* SPDX-License-Identifier: MIT */
/* Texts in tests/data: a test for each file of a folder. */
#pragma once

#include "base/file.h"
#include "base/text.h"
#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*text_test)(const char *name, const base_text *text);

static inline void read_data(const char *folder, const char *name, base_text *text) {
    char path[1024];
    col_problem problem;
    (void)snprintf(path, sizeof path, "%s/%s/%s", TEST_DATA, folder, name);
    text->length = 0;
    if (base_file_read(path, text, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* In the order of names; returns how many files with this ending the folder has. */
static inline int for_each_text(const char *folder, const char *ending, text_test test) {
    char path[1024];
    struct dirent **entries;
    base_text text = {0};
    int tested = 0;
    (void)snprintf(path, sizeof path, "%s/%s", TEST_DATA, folder);
    const int count = scandir(path, &entries, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        const size_t length = strlen(name), behind = strlen(ending);
        if (length > behind && strcmp(name + length - behind, ending) == 0) {
            read_data(folder, name, &text);
            test(name, &text);
            tested++;
        }
        free(entries[i]);
    }
    free(entries);
    base_text_free(&text);
    assert_true(tested > 0);
    return tested;
}
