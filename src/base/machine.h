/* SPDX-License-Identifier: MIT */
/*
 * Tools of the machine, such as compilers. A tool runs in a process group of its own, so that it
 * can be ended with all its helpers, reads nothing, and dies with us.
 */
#pragma once

#include "base/clock.h"
#include "base/process.h"
#include "base/text.h"

typedef struct base_tool {
    const char *what;             /* in errors: "the C compiler" */
    const char *const *arguments; /* its name, or its path, first; ended by NULL */
    const char *temporary;        /* the folder for its temporary files; NULL: the usual one */
    int output;                   /* a descriptor: what it says goes there */
} base_tool;

typedef enum base_tool_end { BASE_TOOL_DONE, BASE_TOOL_FAILED, BASE_TOOL_MISSING } base_tool_end;

/* The tool has the signals that were let through before the patience began. */
col_status base_tool_start(base_process *child, const base_tool *tool, const sigset_t *mask,
                           col_problem *problem);
/* What its status says. If nobody knows how it ended, what it leaves behind will tell. */
base_tool_end base_tool_judge(int status);

/* From its start to its end, or until a signal comes: the patience knows that. */
col_status base_tool_run(const base_tool *tool, base_patience *patience, base_tool_end *end,
                         col_problem *problem);

/* Appends what it says to `answer`; `output` does not count. */
col_status base_tool_ask(const base_tool *tool, base_text *answer, base_tool_end *end,
                         col_problem *problem);

/* How many processors this process may use. */

uint32_t base_processors(void);
