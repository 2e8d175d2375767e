/* SPDX-License-Identifier: MIT */
/*
 * What a design is, as hashes: the bytes of a plug-in, or a design file, a protocol (of a built-in
 * one, the source that it was compiled from) and a design error. Campaigns name trials by it, and
 * an episode that goes on compares it. Cores, options and mutants are settings, no part of it.
 */
#ifndef DUV_IDENTITY_H
#define DUV_IDENTITY_H

#include "duv/hasher.h"

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
