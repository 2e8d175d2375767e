/* SPDX-License-Identifier: MIT */
/*
 * Executions of which only reads are known: what each load, await, swap and add returned, in any
 * order, and perhaps what memory held at the end. They become traces, and are judged as such.
 */
#pragma once

#include "base/hash.h"
#include "judge/execution.h"
#include "judge/trace/greedy_order.h"
#include "judge/trace/trace.h"

typedef struct chk_returned {
    const col_program *program;
    chk_words words;
    col_trace trace; /* of the instance, once it is finished; its program is that of the test */
    bool *is_given;  /* by operation: its value is there */
    bool *is_final;  /* by location: likewise */
    uint32_t final_count;
    bool is_plain; /* once it is finished: each value has a source, and nothing is missing */
    /* What no correct design says: the first such thing. */
    uint32_t strange; /* an operation */
    const char *what; /* NULL: nothing is strange */
    base_block block; /* is_given, is_final */
} chk_returned;

/* Start from {0}. The program must stay as it is. */
col_status chk_returned_load(chk_returned *returned, const col_program *program,
                             col_problem *problem);
void chk_returned_free(chk_returned *returned);

/* Another instance begins. (Loading begins the first one.) */
void chk_returned_restart(chk_returned *returned);
/* Takes COL_VALUE_RETURNED and COL_FINAL_VALUE, and ignores all else. */
void chk_returned_notice(chk_returned *returned, const col_event *event);

/* The instance has ended. With `complete`, a read that returned nothing is strange, too; else what
 * is missing was under way. */
void chk_returned_finish(chk_returned *returned, bool complete);

/* Says what is strange. Only if there is something. */
void chk_returned_explain(const chk_returned *returned, col_violation *violation);

/* A hash of all that was returned: equal instances are judged once. */
uint64_t chk_returned_hash(const chk_returned *returned);

/* The instance as a text for collider check. */
col_status chk_returned_print(const chk_returned *returned, base_text *text, col_problem *problem);

/*
 * The judge of a black box: of a design that shows what reads returned and nothing else. Values
 * that were allowed before in the same program are allowed again; else a greedy search for a memory
 * order, and if that finds none the exact one, within a budget.
 */

typedef struct chk_black_box {
    col_model model;
    double budget;            /* seconds for an instance */
    const volatile int *stop; /* not 0: an instance is undecided; may be NULL */
    chk_returned returned;    /* restart it, and let it notice events */
    chk_greedy greedy;
    col_violation violation; /* if the last instance was forbidden */
    base_index allowed;      /* hashes of instances of this program that were allowed */
} chk_black_box;

/* Start from {.model, .budget, .stop}. The program must stay as it is. */
col_status chk_black_box_load(chk_black_box *box, const col_program *program, col_problem *problem);
void chk_black_box_free(chk_black_box *box);

/* Who judges a trace that was not settled at once. */
typedef col_status chk_black_box_judge(void *context, const col_trace *trace, col_verdict *verdict,
                                       col_problem *problem);

/* The instance has ended. `judge`, if it is not NULL, takes the place of the model, which is then
 * not looked at; what is wrong is for it to say, unless `*is_strange`. */
col_status chk_black_box_finish(chk_black_box *box, bool complete, chk_black_box_judge *judge,
                                void *context, col_verdict *verdict, bool *is_strange,
                                col_problem *problem);
