/* SPDX-License-Identifier: MIT */
/*
 * The judge of a black box: of a design that shows what reads returned and nothing else. Values
 * that were allowed before in the same program are allowed again; else a quick search for a memory
 * order, and if that finds none the exact one, within a budget.
 */
#ifndef CHECK_BOX_H
#define CHECK_BOX_H

#include "check/quick.h"
#include "check/returned.h"

typedef struct chk_box {
    col_model model;
    double budget;            /* seconds for an instance */
    const volatile int *stop; /* not 0: an instance is undecided; may be NULL */
    chk_returned returned;
    chk_quick quick;
    col_violation violation; /* if the last instance was forbidden */
    uint64_t *allowed;       /* a set of hashes: instances of this program that were; 0: none */
    size_t allowed_count, allowed_capacity;
} chk_box;

/* Start from {.model, .budget, .stop}. The program must stay as it is. */
col_status chk_box_load(chk_box *box, const col_program *program, col_problem *problem);
void chk_box_free(chk_box *box);

/* Another instance begins. (Loading begins the first one.) */
void chk_box_restart(chk_box *box);
void chk_box_notice(chk_box *box, const col_event *event);

/* Who judges a trace that was not settled at once. */
typedef col_status chk_box_judge(void *context, const col_trace *trace, col_verdict *verdict,
                                 col_problem *problem);

/* The instance has ended. `judge`, if it is not NULL, takes the place of the model, which is then
 * not looked at; what is wrong is for it to say, unless `*is_strange`. */
col_status chk_box_finish(chk_box *box, bool complete, chk_box_judge *judge, void *context,
                          col_verdict *verdict, bool *is_strange, col_problem *problem);

#endif
