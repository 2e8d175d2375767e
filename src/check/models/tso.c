/* SPDX-License-Identifier: MIT */
/* Total store order (SPARC V9, appendix D; x86-TSO by Owens, Sarkar and Sewell 2009): a read may
 * come before earlier writes of its thread, and may take its word from one of them. An atomic is a
 * read and a write, so nothing passes it. */
#include "check/models/models.h"

const chk_model chk_tso = {.keeps = COL_READ_READ | COL_READ_WRITE | COL_WRITE_WRITE};
