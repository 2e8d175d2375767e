/* SPDX-License-Identifier: MIT */
/* The memory that there is. A job whose size a user types is estimated first: to take all of the
 * machine's memory and then to fail helps nobody. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include "base/problem.h"

/* Bytes that this process may still take, by what the machine has and by limits on the process and
 * its control group. */
uint64_t base_room(void);

/* Refuses what takes more: "--ops 1Gi needs at least 96.0 GiB of memory ...". */
col_status base_room_check(uint64_t bytes, uint64_t room, const char *what, uint64_t number,
                           col_problem *problem);

#endif
