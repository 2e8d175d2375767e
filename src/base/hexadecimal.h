/* SPDX-License-Identifier: MIT */
/* Numbers as text of a fixed count of digits, 0 to f, so that long arrays are one short string. */
#ifndef BASE_HEXADECIMAL_H
#define BASE_HEXADECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Writes the last `digits` digits; returns the end. */
char *base_put_hexadecimal(char *at, uint64_t number, int digits);
/* Reads that many, 16 at most, and moves on; false: there is something else. */
bool base_take_hexadecimal(const char **at, int digits, uint64_t *number);

#endif
