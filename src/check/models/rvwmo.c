/* SPDX-License-Identifier: MIT */
/* RVWMO (the RISC-V Instruction Set Manual, volume I, chapter RVWMO). Rule by rule: 1 and 2, same
 * location, follow from coherence; 3 is reads_after_own_atomic; 4 fences; 5 to 7 attributes (RCsc);
 * 8 is an AMO being one event, or a pair's read before its write; 9 to 13 dependencies. */
#include "check/models/models.h"

const chk_model chk_rvwmo = {
    .attributes = true,
    .dependencies = true,
    .reads_after_own_atomic = true,
};
