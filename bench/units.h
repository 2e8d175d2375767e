/* SPDX-License-Identifier: MIT */
/* Units of work, done side by side by as many threads as there are processors. */
#pragma once

#include <stdint.h>

void units_run(uint32_t count, void (*run)(void *context, uint32_t unit), void *context);

_Noreturn void give_up(const char *reason);
