/* SPDX-License-Identifier: MIT */
/*
 * What a model in cat allows a litmus test to do: all candidate executions, that is, paths of the
 * threads, writes that reads take their values from and orders of writes, each judged.
 */
#pragma once

#include "judge/cat/cat_run.h"
#include "judge/litmus/litmus_condition.h"

typedef struct lit_judge lit_judge;

col_status lit_judge_new(lit_judge **judge, const char *path, const cat_sources *sources,
                         col_problem *problem);
void lit_judge_free(lit_judge *judge);
/* Tests are read as designs run them (litmus_run.h): an atomic is two events, a store-conditional
 * does not fail, and fences, acquire and release have the names that our own models use, whatever
 * the instruction set. */
void lit_judge_as_designs(lit_judge *judge);

/* The outcomes of all executions that the model allows, sorted. Gives up after this many seconds,
 * if they are not 0: then `*is_complete` is false. Cells without a size get one. */
col_status lit_judge_test(lit_judge *judge, lit_test *test, double budget, lit_outcomes *outcomes,
                          bool *is_complete, col_problem *problem);
