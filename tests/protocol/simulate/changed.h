/* SPDX-License-Identifier: MIT */
/* The protocol mi with its cache changed: what its own text lacks for a test. */
#ifndef TESTS_SIM_CHANGED_H
#define TESTS_SIM_CHANGED_H

#include "protocol/simulate/protocol_library.h"

typedef struct change {
    const char *old, *new; /* every occurrence; there is one at least */
} change;

void compile_changed(sim_plugin *plugin, const change *changes, uint32_t count);

#endif
