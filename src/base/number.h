/* SPDX-License-Identifier: MIT */
/* Numbers as users write them: 4096, 4Ki, 2Mi, 0.48, 1e-6. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The whole text is a number that fits into 64 bits; decimal or 0x; Ki, Mi and Gi multiply. */
bool base_number_parse(const char *text, uint64_t *number);

/* A decimal such as 0.48 or 1e-6 at the start of the text, in any locale: the number next to it,
 * infinite if it is too large for any. Returns where it ends, or NULL. */
const char *base_decimal_parse(const char *text, double *number);

#endif
