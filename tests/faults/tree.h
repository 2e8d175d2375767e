/* SPDX-License-Identifier: MIT */
/* What a folder holds, apart from what differs from run to run: times, process numbers, hosts. */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fault_file {
    char *path; /* below the folder */
    uint64_t hash;
    size_t size;
    bool is_whole;         /* it ends as files of its kind do */
    bool is_ended;         /* its last line is "end" */
    bool tells_of_failure; /* it is the record of an episode that the machine ended */
    bool is_store;         /* a database: it has rows instead, sorted */
    bool is_broken;        /* that SQLite says is damaged */
    bool needs_log;        /* without what is beside it, it is damaged or has less */
    uint64_t *rows;        /* also the lines of a text that is a set; else NULL */
    size_t row_count;
} fault_file;

typedef struct fault_tree {
    fault_file *files; /* sorted by path */
    size_t count;
} fault_tree;

void fault_tree_read(fault_tree *tree, const char *folder);
const fault_file *fault_tree_find(const fault_tree *tree, const char *path);
bool fault_file_equal(const fault_file *one, const fault_file *other);
/* All rows of `part` are in `whole`. */
bool fault_file_within(const fault_file *part, const fault_file *whole);
void fault_tree_free(fault_tree *tree);

/* Replaces what differs from run to run in a text by '#'. Returns the new length. */
size_t fault_canonical(char *text, size_t length);

void fault_folder_copy(const char *from, const char *to); /* `to` is made */
void fault_folder_remove(const char *folder);
