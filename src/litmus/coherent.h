/* SPDX-License-Identifier: MIT */
#ifndef LIT_COHERENT_H
#define LIT_COHERENT_H

#include "cat/run.h"

/* Does the model keep every location coherent, as all usual ones do? It is asked about the five
 * smallest executions that are not. */
col_status lit_is_coherent(cat_run *run, bool *is_coherent, col_problem *problem);

#endif
