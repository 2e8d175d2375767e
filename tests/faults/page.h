/* SPDX-License-Identifier: MIT */
/* What the sweep and the injector share: the sweep maps this page from a file whose name is in
 * COLLIDER_FAULTS, so that every process of a job counts in one place. */
#ifndef FAULTS_PAGE_H
#define FAULTS_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

#define FAULTS_PAGE_VARIABLE "COLLIDER_FAULTS"
/* The socket over which the injector hands over the listener of its system calls; none: it does not
 * watch them. */
#define FAULTS_SOCKET_VARIABLE "COLLIDER_FAULTS_SOCKET"

enum { FAULT_PATHS = 1 << 17 };

typedef struct fault_page {
    uint64_t fail_at;      /* the number of the allocation that fails, from 1; 0: none does */
    uint32_t fail_forever; /* so do all that follow */
    uint32_t show;         /* print where the first one failed */
    _Atomic uint64_t allocations;
    _Atomic uint64_t failed;
    uint32_t record; /* note by which path of calls each allocation was reached, as far as there is
                        room */
    uint64_t paths[FAULT_PATHS];
} fault_page;

#endif
