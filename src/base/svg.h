/* SPDX-License-Identifier: MIT */
/* What drawings in SVG share: text that may hold any character, lines of it, and arrow heads. */
#ifndef BASE_SVG_H
#define BASE_SVG_H

#include "base/text.h"

/* The first `length` characters, with what XML wants escaped; what is not ASCII is a "?". */
void base_svg_escape(base_text *text, const char *string, size_t length);

/* How much of the string a line of this many characters takes: whole words, if one fits. */
size_t base_svg_line(const char *string, size_t most);

enum { BASE_SVG_TIP = 8 };

typedef struct base_svg_point {
    int x, y;
} base_svg_point;

/* The head of an arrow that ends here, going in direction (dx, dy): one of them is 0, the other 1
 * or -1. */
void base_svg_tip(base_text *text, base_svg_point tip, int dx, int dy, const char *colour);

#endif
