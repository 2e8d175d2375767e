/* SPDX-License-Identifier: MIT */
/* The source behind the XML: what a constant is called there. */
#pragma once

#include "base/text.h"
#include "design/verilog/verilog_xml.h"

enum { DUV_MOST_OPENED = 256 };

typedef struct duv_source {
    const xml_node *root;
    struct duv_source_file {
        char id[XML_FILE];
        base_text text; /* empty: it cannot be read */
        const char **lines;
        size_t count, capacity;
    } files[DUV_MOST_OPENED];
    uint32_t count;
} duv_source;

/* Start with the root; free. */
void duv_source_free(duv_source *source);
/* The word there, without the ` of a macro; false: it is something else, or cannot be read. */
bool duv_source_word(duv_source *source, const xml_place *place, char *word, size_t size);
