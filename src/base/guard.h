/* SPDX-License-Identifier: MIT */
/* For a child process that will become another program, and must not outlive this one, even if
 * this one is killed. */
#ifndef BASE_GUARD_H
#define BASE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/* To be called in a child that leads a process group of its own. It stays behind as the guard,
 * which ends its whole group when `parent` has died, and otherwise ends as the program does; the
 * call returns in a process that the guard starts. False, with errno: there can be no such process.
 * On systems other than Linux there is no guard. */
bool base_guard(pid_t parent);

#endif
