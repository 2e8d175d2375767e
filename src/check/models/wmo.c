/* SPDX-License-Identifier: MIT */
/* Weak memory order (the Axe manual, section 4.4): SPARC's RMO, but reads of one location stay in
 * order. Dependencies show in a trace as times: what begins after a read has ended follows it. */
#include "check/models/models.h"

const chk_model chk_wmo = {.keeps_here = COL_READ_READ, .times = true};
