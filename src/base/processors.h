/* SPDX-License-Identifier: MIT */
/* How many processors this process may use. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stdint.h>

uint32_t base_processors(void);

#endif
