/* SPDX-License-Identifier: MIT */
/* The tags of the XML that Verilator makes of a design, one after the other, and their
 * attributes. What it has between tags is of no interest. */
#ifndef DUV_VERILOG_XML_H
#define DUV_VERILOG_XML_H

#include <stdbool.h>
#include <stddef.h>

typedef struct duv_tag {
    const char *name, *attributes, *end; /* in the text */
    size_t name_length;
    bool closes; /* </name> */
} duv_tag;

/* The next tag from `*at` on, which moves behind it. False: there is none. */
bool duv_tag_next(const char **at, duv_tag *tag);
bool duv_tag_is(const duv_tag *tag, const char *name);
/* Its value, with characters instead of their codes such as &lt;. False: the tag does not have the
 * attribute, or there is no room for its value. */
bool duv_tag_get(const duv_tag *tag, const char *attribute, char *value, size_t size);

#endif
