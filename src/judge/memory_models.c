/* SPDX-License-Identifier: MIT */
/* The models by number: see memory_models.h. */
#include "judge/memory_models.h"

const chk_model *chk_model_of(col_model model) {
#define ROW(name, word, summary) [name] = &chk_##word,
    static const chk_model *const models[COL_MODEL_COUNT] = {COL_MODELS(ROW)};
#undef ROW
    return models[model];
}

/* Sequential consistency (Lamport 1979): each thread's operations in their order. */

const chk_model chk_sc = {.keeps = COL_FULL_FENCE};

/* Total store order (SPARC V9, appendix D; x86-TSO by Owens, Sarkar and Sewell 2009): a read may
 * come before earlier writes of its thread, and may take its word from one of them. An atomic is a
 * read and a write, so nothing passes it. */

const chk_model chk_tso = {.keeps = COL_READ_READ | COL_READ_WRITE | COL_WRITE_WRITE};

/* Partial store order (SPARC V8; the Axe manual, section 4.3): as TSO, but writes to different
 * locations may come in any order. */

const chk_model chk_pso = {.keeps = COL_READ_READ | COL_READ_WRITE};

/* Weak memory order (the Axe manual, section 4.4): SPARC's RMO, but reads of one location stay in
 * order. Dependencies show in a trace as times: what begins after a read has ended follows it. */

const chk_model chk_wmo = {.keeps_here = COL_READ_READ, .times = true};

/* ARMv8 (Arm Architecture Reference Manual, B2.3; Pulte et al. 2018): multi-copy atomic. An atomic
 * is a read and a write, and others may come between what precedes it and its write. */

const chk_model chk_armv8 = {
    .attributes = true,
    .dependencies = true,
    .splits_atomics = true,
    .acquires_after_own_atomic = true,
    .full_atomics = true,
    .depends_through_adds = true,
};

/* RVWMO (the RISC-V Instruction Set Manual, volume I, chapter RVWMO). Rule by rule: 1 and 2, same
 * location, follow from coherence; 3 is reads_after_own_atomic; 4 fences; 5 to 7 attributes (RCsc);
 * 8 is an AMO being one event, or a pair's read before its write; 9 to 13 dependencies. */

const chk_model chk_rvwmo = {
    .attributes = true,
    .dependencies = true,
    .reads_after_own_atomic = true,
};
