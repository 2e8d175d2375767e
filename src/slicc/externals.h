/* SPDX-License-Identifier: MIT */
/*
 * What SLICC code may call that is not written in SLICC: functions and methods, with the C they
 * become. In a text `$c` is the controller, `$s` the system, `$0` the object and `$1`, `$2` ... the
 * arguments. NetDest, Set, DataBlock and structures are passed as pointers.
 */
#ifndef SLICC_EXTERNALS_H
#define SLICC_EXTERNALS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct slicc_external {
    const char *object; /* the type whose method it is; "" for a function */
    const char *name;
    int arguments;      /* how many; -1: any number */
    const char *result; /* a type's name; "record", "template": what the table or queue holds */
    const char *text;   /* "" for a call that has no effect here */
} slicc_external;

/* NULL if there is none. */
const slicc_external *slicc_external_find(const char *object, const char *name, uint32_t arguments);

/* The same, or what older releases meant by it, which the type of the second argument tells. */
const slicc_external *slicc_external_older(const slicc_external *external, uint32_t arguments,
                                           const char *second);

/* Is there one of this name, whatever its arguments? */
bool slicc_external_exists(const char *object, const char *name);

/* Is this a type of object that exists here but does nothing (a prefetcher, say)? */
int slicc_object_is_idle(const char *type);

#endif
