/* SPDX-License-Identifier: MIT */
/* ARMv8 (Arm Architecture Reference Manual, B2.3; Pulte et al. 2018): multi-copy atomic. An atomic
 * is a read and a write, and others may come between what precedes it and its write. */
#include "check/models/models.h"

const chk_model chk_armv8 = {
    .attributes = true,
    .dependencies = true,
    .splits_atomics = true,
    .acquires_after_own_atomic = true,
    .full_atomics = true,
    .depends_through_adds = true,
};
