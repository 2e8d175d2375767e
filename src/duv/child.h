/* SPDX-License-Identifier: MIT */
/*
 * A design in a child process, so that a crash or a hang is an answer and not the end of the
 * episode. The child opens the design once and keeps its state from instance to instance; when it
 * has died, the next instance starts another one, which opens the design and loads the program
 * again.
 */
#ifndef DUV_CHILD_H
#define DUV_CHILD_H

#include "duv/duv.h"
#include "duv/kind.h"

typedef struct duv_child duv_child;

/* `kind` may be NULL: the interface is all that there is. */
col_status duv_child_open(duv_child **child, const duv_kind *kind,
                          const col_duv_interface *interface, const col_duv_settings *settings,
                          col_problem *problem);
void duv_child_close(duv_child *child);
const col_duv_description *duv_child_describe(const duv_child *child);
col_status duv_child_load(duv_child *child, const col_program *program, col_problem *problem);
col_status duv_child_run(duv_child *child, uint64_t seed, const col_observer *observer,
                         const volatile int *stop, col_run *run, col_problem *problem);
void duv_child_collect(duv_child *child, uint64_t *hits);
/* As duv_keys and duv_drawn, between runs. */
uint32_t duv_child_keys(const duv_child *child);
void duv_child_drawn(duv_child *child, uint32_t configuration, uint8_t *values);
void duv_child_limit(duv_child *child, double seconds);
void duv_child_interrupt(duv_child *child, const volatile int *stop);

#endif
