/* SPDX-License-Identifier: MIT */
/*
 * Packs: a failure with all files that its design consists of, in one file of JSON that replays on
 * another machine (docs/pack.md). A pack may be somebody else's: it is data, and is unpacked into a
 * folder that nobody else uses, never outside.
 */
#pragma once

#include "base/text.h"

typedef struct epi_pack_file {
    char *name; /* relative: "failure.json", "program.txt", "parts/design/mine.yaml" */
    char *bytes;
    size_t length;
} epi_pack_file;

/* Start from {0}; free it also after an error. */
typedef struct epi_pack {
    epi_pack_file *files; /* failure.json and program.txt come first */
    size_t count, capacity, bytes;
} epi_pack;

enum { EPI_PACK_FILES = 2 }; /* that all packs have */

/* The folder of a pack's other files. */
#define EPI_PARTS "parts"

void epi_pack_free(epi_pack *pack);
/* Takes the bytes, which become the pack's, also after an error. */
col_status epi_pack_add(epi_pack *pack, const char *name, base_text *bytes, col_problem *problem);

/* Packs a failure's folder. Refuses designs that are no files, such as plug-ins and commands. */
col_status epi_pack_make(epi_pack *pack, const char *folder, col_problem *problem);

/* "-" is standard output. */
col_status epi_pack_write(const epi_pack *pack, const char *path, col_problem *problem);

/* Is it a file that begins as packs do? Stores begin in another way. */
bool epi_is_pack(const char *path);
/* Refuses what is not a whole pack of this format, with names that stay in a folder. */
col_status epi_pack_read(epi_pack *pack, const char *path, col_problem *problem);
col_status epi_pack_parse(epi_pack *pack, const char *text, size_t length, const char *path,
                          col_problem *problem);

/* What all files but the failure's own are, as a word: packs of one design have the same. */
enum { EPI_PARTS_HASH = 33 };
void epi_pack_parts_hash(const epi_pack *pack, char hash[EPI_PARTS_HASH]);

/* Writes the files into the folder, which is a failure's then. With `parts`, those of the design go
 * to that folder instead, unless it is there, and failure.json names them there. Refuses a design
 * that names files outside the pack. */
col_status epi_pack_unpack(const epi_pack *pack, const char *folder, const char *parts,
                           col_problem *problem);

/* Removes what was unpacked, by name: that needs neither memory nor a descriptor, and of the pack
 * its names alone. */
void epi_pack_remove(const epi_pack *pack, const char *folder, const char *parts);
/* Only the names stay. */
void epi_pack_empty(epi_pack *pack);

/* Moves a failure to another folder, with the files that its design consists of: what it named may
 * then go. */
col_status epi_failure_move(const char *from, const char *to, col_problem *problem);
