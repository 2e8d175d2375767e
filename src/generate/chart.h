/* SPDX-License-Identifier: MIT */
/* A program as a table for the terminal: a column a thread, chains marked by letters. */
#ifndef GENERATE_CHART_H
#define GENERATE_CHART_H

#include "base/text.h"
#include "collider/generate.h"

col_status gen_chart_write(const col_program *program, const col_generated *generated, bool colour,
                           base_text *text, col_problem *problem);

#endif
