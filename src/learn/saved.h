/* SPDX-License-Identifier: MIT */
/*
 * Arrays of an agent as JSON: one string, eight hexadecimal digits for a number of four bytes. The
 * bits are kept, so a restored agent is the same to the last one.
 */
#ifndef LEARN_SAVED_H
#define LEARN_SAVED_H

#include "base/json.h"

#include <stddef.h>

/* Items of 1, 4 or 8 bytes. */
json_t *lrn_save_items(const void *items, size_t count, size_t size);
/* False: there are not as many, or they are no such text. */
bool lrn_restore_items(const json_t *saved, size_t count, size_t size, void *items);
/* The same for floats, which have to be finite; `numbers` NULL looks whether they are. */
bool lrn_restore_floats(const json_t *saved, size_t count, float *numbers);

/* A key that has to be a whole number of at most `most`. */
bool lrn_restore_number(const json_t *saved, const char *key, uint64_t most, uint64_t *number);

#endif
