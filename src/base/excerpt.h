/* SPDX-License-Identifier: MIT */
/* The line of a file that a problem is about, with a caret under the column. */
#ifndef BASE_EXCERPT_H
#define BASE_EXCERPT_H

#include "base/text.h"

/* Adds two lines,
 *       5 | the line
 *         |     ^
 * made printable; of a long line what surrounds the column. Line and column (in bytes) count from
 * 1; nothing is added for a line that the text does not have, or that has no letter or digit. */
void base_excerpt_add(base_text *excerpt, const char *text, size_t length, uint32_t line,
                      uint32_t column);

#endif
