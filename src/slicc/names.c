/* SPDX-License-Identifier: MIT */
/* One copy of every name of a tree. */
#include "slicc/parse.h"

const char *slicc_intern(slicc_tree *tree, const char *text, size_t length) {
    uint32_t number;
    tree->names.arena = &tree->arena; /* wherever the tree is */
    if (base_names_add_part(&tree->names, text, length, &number, NULL, NULL) != COL_OK)
        return NULL;
    return tree->names.texts[number];
}
