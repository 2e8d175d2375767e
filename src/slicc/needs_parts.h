/* SPDX-License-Identifier: MIT */
/* What can happen at all in a protocol, as far as needs.c has followed it, and the conditions of
 * in_ports under which it does. Not for anybody else. */
#ifndef SLICC_NEEDS_PARTS_H
#define SLICC_NEEDS_PARTS_H

#include "slicc/needs.h"

/* An enumeration and which of its values can come up. */
typedef struct slicc_kinds {
    const slicc_declaration *enumeration;
    bool *is_live;
    uint32_t count;
} slicc_kinds;

typedef struct slicc_flow_machine {
    const slicc_declaration *machine;
    slicc_kinds states, events;
    const char *prefetches; /* the buffer that prefetches come from; NULL: there is none */
    bool withheld;          /* its caches never run out of room */
    bool is_demanded;       /* there are no prefetches */
} slicc_flow_machine;

typedef struct slicc_flow {
    const slicc_tree *tree;
    base_arena arena;
    slicc_kinds *kinds; /* the enumerations outside of machines, and those inside but for events */
    uint32_t kind_count;
    slicc_flow_machine *machines;
    uint32_t machine_count;
    bool changed; /* something came up that had not */
    bool failed;  /* out of memory */
} slicc_flow;

enum { SLICC_TRACKED = 64 }; /* values of an enumeration that a path is followed by */

/* Where an in_port, or a function that chooses an event, has come to: `kinds` are what in_msg.Type,
 * or the parameter that it was given as, can be there. */
typedef struct slicc_path {
    slicc_flow *flow;
    slicc_flow_machine *machine;
    const slicc_kinds *type; /* its enumeration; NULL: it is not followed */
    const char *parameter;   /* its name in a function; NULL: it is in_msg.Type itself */
    uint64_t kinds;          /* 0: nothing gets here */
    uint32_t depth;          /* of calls */
} slicc_path;

slicc_kinds *slicc_flow_kinds(slicc_flow *flow, const slicc_flow_machine *machine,
                              const char *type);
void slicc_flow_mark(slicc_flow *flow, slicc_kinds *kinds, const char *value); /* NULL: all */

/* Events that the statements of an in_port can trigger become live. */
void slicc_flow_port(slicc_flow *flow, slicc_flow_machine *machine, const slicc_declaration *port);

#endif
