/* SPDX-License-Identifier: MIT */
/*
 * What a kind of designs says of a design becomes hashes here. All that is said goes into the
 * whole; what is said after one duv_hash_begin also into a part. Things that are said one after
 * the other are told apart by their lengths.
 */
#ifndef DUV_HASHER_H
#define DUV_HASHER_H

#include "base/problem.h"

#include <stdbool.h>
#include <stddef.h>

enum { DUV_HASH = 33 }; /* 128 bits in hexadecimal, with its end */

typedef struct duv_hasher duv_hasher;

void duv_hash_bytes(duv_hasher *hasher, const char *bytes, size_t length);
void duv_hash_word(duv_hasher *hasher, const char *word);
/* What is in the file, or that it cannot be read. */
void duv_hash_file(duv_hasher *hasher, const char *path);

/* A part; the hash stays as it is if nothing was said. The first has begun. */
void duv_hash_begin(duv_hasher *hasher);
void duv_hash_end(const duv_hasher *hasher, char hash[DUV_HASH]);

/* Was it done? What the user's files are is hashed, also that they are wrong; a machine that fails
 * us is remembered, and is what comes of the whole. */
bool duv_hash_done(duv_hasher *hasher, col_status status, const col_problem *problem);

#endif
