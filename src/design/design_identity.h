/* SPDX-License-Identifier: MIT */
/*
 * What a kind of designs says of a design becomes hashes here. All that is said goes into the
 * whole; what is said after one duv_hash_begin also into a part. Things that are said one after
 * the other are told apart by their lengths.
 */
#ifndef DESIGN_DESIGN_IDENTITY_H
#define DESIGN_DESIGN_IDENTITY_H

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

/*
 * What a design is, as hashes: the bytes of a plug-in, or a design file, a protocol (of a built-in
 * one, the source that it was compiled from) and a design error. Campaigns name trials by it, and
 * an episode that goes on compares it. Cores, options and mutants are settings, no part of it.
 */

typedef struct duv_identity {
    char whole[DUV_HASH]; /* all of it; stores have it in their keys, so it must not change */
    /* The parts, to tell what changed; empty: there is none. */
    char file[DUV_HASH];     /* a design file, or a plug-in */
    char protocol[DUV_HASH]; /* as the C that it becomes */
    char error[DUV_HASH];
    uint32_t cores; /* unless others are asked for; 0: a plug-in's choice */
} duv_identity;

/* A design that cannot be opened has an identity too: it is another one when it can be.
 * `error_name` may be NULL. */
col_status duv_identify(duv_identity *identity, const char *design, const char *error_name,
                        col_problem *problem);

#endif
