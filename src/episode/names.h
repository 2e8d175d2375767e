/* SPDX-License-Identifier: MIT */
/* The names of messages' types in a recording, each kept once. A design may be anybody's: beyond a
 * few thousand all others are "?". */
#ifndef EPISODE_NAMES_H
#define EPISODE_NAMES_H

#include "base/names.h"

enum { EPI_MOST_NAMES = 4096 };

/* Start from zeros. It must not be moved. */
typedef struct epi_names {
    base_arena arena;
    base_names names;
    bool failed; /* there was not enough memory */
} epi_names;

uint32_t epi_name_add(epi_names *names, const char *text); /* NULL: "?" */
const char *epi_name_of(const epi_names *names, uint32_t name);
void epi_names_free(epi_names *names);

#endif
