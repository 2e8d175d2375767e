/* SPDX-License-Identifier: MIT */
/* Systems of built-in protocols whose caches have one block each, or a few: small enough to search.
 */
#ifndef TESTS_EXPLORE_TINY_H
#define TESTS_EXPLORE_TINY_H

#include "sim/system.h"

sim_system *tiny_system(const char *protocol, uint32_t cores);
sim_system *tiny_system_of(const char *protocol, uint32_t cores, uint32_t blocks);

#endif
