/* SPDX-License-Identifier: MIT */
/* A program as an SVG picture: a column a thread, chains as coloured arrows. */
#ifndef GENERATE_PICTURE_H
#define GENERATE_PICTURE_H

#include "base/text.h"
#include "collider/generate.h"

enum { GEN_PICTURE_MOST_OPERATIONS = 2000 }; /* more would not be readable */

col_status gen_picture_write(const col_program *program, const col_generated *generated,
                             base_text *text, col_problem *problem);

#endif
