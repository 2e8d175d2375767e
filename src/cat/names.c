/* SPDX-License-Identifier: MIT */
/* The tables of names: see names.h. */
#include "cat/names.h"

#include <stddef.h>

#define TEXT(name, word) [name] = (word),
const char *const cat_set_names[CAT_SET_COUNT] = {CAT_SETS(TEXT)};
#undef TEXT

#define TEXT(name, word, level) [name] = (word),
const char *const cat_relation_names[CAT_RELATION_COUNT] = {CAT_RELATIONS(TEXT)};
#undef TEXT

#define LEVEL(name, word, level) [name] = (level),
const uint8_t cat_relation_levels[CAT_RELATION_COUNT] = {CAT_RELATIONS(LEVEL)};
#undef LEVEL

const char *const cat_empty_sets[] = {
    "NExp",       "SPEC",        "SPURIOUS",   "PRED",    "FAULT",
    "FAULT-RD",   "FAULT-WR",    "TagCheck",   "MMU",     "D-MMU",
    "EXC-ENTRY",  "EXC-RET",     "SVC",        "T",       "Instr",
    "PTE",        "PTEV",        "PTEINV",     "PTEAF0",  "PTEXS",
    "D-PTE",      "I-PTE",       "AF",         "DB",      "TLBI",
    "TLBIIS",     "TLBInXS",     "DC.CVAU",    "IC.IVAU", "IC.IALLU",
    "IC.IALLUIS", "Translation", "AccessFlag", "CutOff",  "Restricted-CMODX",
    NULL};

const char *const cat_empty_relations[] = {"inv-domain", "PTEtoPA", "same-low-order-bits", NULL};
