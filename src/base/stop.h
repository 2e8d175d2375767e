/* SPDX-License-Identifier: MIT */
/*
 * A request to stop: an int that a signal, a thread or another process makes other than 0, and that
 * long work looks at now and then. In public headers it is `const volatile int *`, for plug-ins to
 * read as they like.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>
#include <stddef.h>

/* `stop` may be NULL: nobody will ask. */
static inline bool base_is_stopped(const volatile int *stop) {
    return stop != NULL && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

/* The reason is 0 to take the request back. */
static inline void base_stop_set(volatile int *stop, int reason) {
    __atomic_store_n(stop, reason, __ATOMIC_RELAXED);
}

#endif
