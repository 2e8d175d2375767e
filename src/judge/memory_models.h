/* SPDX-License-Identifier: MIT */
/*
 * A memory model as a table: what it keeps in order within a thread. All models here are
 * multi-copy atomic, so the rest is the same for all: every location by itself is coherent,
 * atomics are atomic, and there is no cycle of kept order, reads of other threads' writes
 * (rf), the order of writes to a location (co), and reads before the writes that replace their
 * words (fr). docs/models.md has the tables in words.
 *
 * A new model is a definition in memory_models.c and a row of COL_MODELS.
 */
#pragma once

#include "collider/check.h"

typedef struct chk_model {
    uint8_t keeps;      /* pairs (earlier, later) that are always in order; as a fence's set */
    uint8_t keeps_here; /* pairs of accesses to one location, beyond what coherence says */
    bool attributes;    /* acquire and release count */
    bool dependencies;  /* dependencies count */
    bool times;         /* what begins after a read has ended comes after it */

    /* Atomics. Unless it splits them, one is one event, a read and a write. */
    bool splits_atomics;
    bool reads_after_own_atomic;    /* a read of the word of an own atomic comes after it */
    bool acquires_after_own_atomic; /* if it is an acquire, after the atomic's read */
    bool full_atomics; /* acquire and release: the write of one instruction too, before all later */
    bool depends_through_adds; /* what depends on a read of an own add's word depends on the add */
} chk_model;

const chk_model *chk_model_of(col_model model);

/* Is an atomic of this kind a read and a write, two events? One of two instructions always is. */
static inline bool chk_splits(const chk_model *model, uint8_t kind) {
    return model->splits_atomics || col_kinds[kind].fails;
}

/* The models: chk_WORD. */

#define CHK_DECLARE(name, word, summary) extern const chk_model chk_##word;
COL_MODELS(CHK_DECLARE)
#undef CHK_DECLARE
