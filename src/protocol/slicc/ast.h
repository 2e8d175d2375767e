/* SPDX-License-Identifier: MIT */
/*
 * A SLICC protocol as it was written: declarations, statements and expressions, each with its
 * place. Nodes live in the tree's arena and are linked through `next`. Names are interned: equal
 * names are equal pointers. Nothing here is checked; slicc_checks.c does that.
 */
#pragma once

#include "base/names.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct slicc_place {
    const char *file; /* as the user named it */
    uint32_t line, column;
} slicc_place;

/* A name where it was written. */
typedef struct slicc_name {
    const char *text;
    slicc_place place;
    struct slicc_name *next;
} slicc_name;

/* desc="Shared", rank=2, template="<L1Cache_TBE>": what stands behind a comma. A bare string has
 * the key "short". The value is the text without quotes. */
typedef struct slicc_pair {
    const char *key, *value;
    slicc_place place;
    struct slicc_pair *next;
} slicc_pair;

/* ---- Expressions. */

typedef enum slicc_expression_kind {
    SLICC_NUMBER,      /* number */
    SLICC_BOOLEAN,     /* number: 0 or 1 */
    SLICC_STRING,      /* text */
    SLICC_NULL,        /* OOD */
    SLICC_NAME,        /* text */
    SLICC_ENUMERATOR,  /* type : text, as in State:I */
    SLICC_LOCAL,       /* type text, the declaration of a local variable, as the left side of := */
    SLICC_MEMBER,      /* left . text */
    SLICC_CALL,        /* text ( arguments ) */
    SLICC_METHOD,      /* left . text ( arguments ) */
    SLICC_LOOKUP,      /* left [ arguments ] */
    SLICC_CLASS_CALL,  /* type :: text ( arguments ) */
    SLICC_BINARY,      /* left text right, text the operator */
    SLICC_UNARY,       /* text left, text one of ! ++ -- - */
    SLICC_NEW,         /* new type */
    SLICC_IS_VALID,    /* is_valid ( left ) */
    SLICC_IS_INVALID,  /* is_invalid ( left ) */
    SLICC_STATIC_CAST, /* static_cast ( type , "text" , left ); text NULL: a reference */
} slicc_expression_kind;

typedef struct slicc_expression {
    slicc_expression_kind kind;
    slicc_place place;
    const char *type; /* a type's name, qualified ones as one text: "prefetch::Base" */
    const char *text;
    uint64_t number;
    struct slicc_expression *left, *right;
    struct slicc_expression *arguments; /* a list */
    struct slicc_expression *next;      /* in a list of arguments */
} slicc_expression;

/* ---- Statements. */

typedef enum slicc_statement_kind {
    SLICC_EXPRESSION,       /* value ; */
    SLICC_ASSIGN,           /* target := value ; */
    SLICC_IF,               /* if ( value ) body else otherwise; "else if" is an IF in otherwise */
    SLICC_RETURN,           /* return value ; */
    SLICC_PEEK,             /* peek ( port , type pairs ) body */
    SLICC_ENQUEUE,          /* enqueue ( port , type [, latency [, bypass ]] ) body */
    SLICC_DEFER_ENQUEUEING, /* defer_enqueueing ( port , type ) body */
    SLICC_STALL_AND_WAIT,   /* stall_and_wait ( port , address ) ; address in value */
    SLICC_WAKEUP_PORT,      /* wakeup_port ( port , address ) ; */
    SLICC_CHECK_ALLOCATE,   /* check_allocate ( port ) ; the table's name in port */
    SLICC_CHECK_NEXT_CYCLE, /* check_next_cycle ( ) ; */
    SLICC_CHECK_STOP_SLOTS, /* check_stop_slots ( port , "x" , "y" ) ; */
    SLICC_CHECK_PROBE,      /* check_on_cache_probe ( port , address ) ; */
} slicc_statement_kind;

typedef struct slicc_statement {
    slicc_statement_kind kind;
    slicc_place place;
    const slicc_name *port;
    const char *type;
    const slicc_pair *pairs;
    slicc_expression *target, *value;
    slicc_expression *latency, *bypass;
    struct slicc_statement *body, *otherwise;
    struct slicc_statement *next;
} slicc_statement;

/* ---- Declarations. */

typedef enum slicc_declaration_kind {
    SLICC_MACHINE,     /* machine ( MachineType:name pairs ) : parameters { members } */
    SLICC_STRUCTURE,   /* structure, global and external_type: ( name pairs ) { members } */
    SLICC_ENUMERATION, /* enumeration ( name pairs ) { values } */
    SLICC_STATES,      /* state_declaration ( name pairs ) { values, each with a permission } */
    SLICC_OBJECT,      /* type [*] name [:= value] pairs ; */
    SLICC_FUNCTION,    /* type name ( parameters ) pairs { body } or ; */
    SLICC_IN_PORT,     /* in_port ( name , type , buffer pairs ) body */
    SLICC_OUT_PORT,    /* out_port ( name , type , buffer pairs ) ; */
    SLICC_ACTION,      /* action ( name pairs ) body */
    SLICC_TRANSITION,  /* transition ( states , events [, next ] ) [{ requests }] { actions } */
} slicc_declaration_kind;

/* One value of an enumeration or one state. */
typedef struct slicc_value {
    const char *name;
    const char *permission; /* of a state: "Read_Only" of AccessPermission:Read_Only */
    const slicc_pair *pairs;
    slicc_place place;
    uint32_t number; /* of the value, from 0; see slicc_types.c */
    struct slicc_value *next;
} slicc_value;

typedef struct slicc_parameter {
    const char *type, *name; /* name NULL in a prototype that lists types alone */
    bool pointer, reference, constant;
    const char *initial; /* its default as text, or NULL */
    slicc_place place;
    struct slicc_parameter *next;
} slicc_parameter;

typedef struct slicc_declaration {
    slicc_declaration_kind kind;
    slicc_place place;
    slicc_place start, end; /* its first word, and what is behind its last one */
    const char *name;       /* of a transition: NULL */
    const char *type;       /* of objects, functions (their result; "void") and ports */
    const slicc_pair *pairs;
    bool pointer;                /* an object declared with * */
    bool external, is_global;    /* how a structure was introduced */
    slicc_expression *value;     /* an object's initial value */
    slicc_value *values;         /* of enumerations and states */
    slicc_parameter *parameters; /* of functions */
    bool defined;                /* a function with a body */
    slicc_statement *body;       /* of functions, in_ports and actions */
    const slicc_name *buffer;    /* of ports */
    const slicc_name *states, *events, *next_state, *requests, *actions; /* of transitions;
                                         next_state NULL: none given; its text "*": by function */
    struct slicc_declaration *members;   /* of machines and structures */
    struct slicc_declaration *arguments; /* of machines: the objects before the brace */
    struct slicc_declaration *next;
    /* Of a tree that is sorted: slicc_types.c. */
    uint32_t number;                  /* in its list, from 0 */
    const struct slicc_named *sorted; /* of the first of a list: all that have a name */
    const struct slicc_named *sorted_values;
    uint32_t sorted_count, value_count;
} slicc_declaration;

/* Texts that stand for files, such as what an editor has not saved yet. */
typedef struct slicc_overlay {
    /* NULL: there is no such text, so the file is read. */
    const char *(*find)(void *context, const char *path, size_t *length);
    void *context;
} slicc_overlay;

typedef struct slicc_tree {
    base_arena arena;
    const char *protocol; /* from protocol "name"; NULL if none was given */
    slicc_declaration *declarations;
    base_names names;             /* the interned ones */
    struct slicc_file *files;     /* those read so far */
    const slicc_overlay *overlay; /* may be NULL */
} slicc_tree;

/* ---- Finding by name: slicc_types.c. */

bool slicc_same(const char *a, const char *b); /* either may be NULL */
const slicc_pair *slicc_pair_find(const slicc_pair *pairs, const char *key);
const slicc_declaration *slicc_member_find(const slicc_declaration *list,
                                           slicc_declaration_kind kind, const char *name);
/* Of any kind, behind `before`; NULL: from the beginning. */
const slicc_declaration *slicc_member_next(const slicc_declaration *list,
                                           const slicc_declaration *before, const char *name);
/* The first port of this kind that uses a buffer. */
const slicc_declaration *slicc_port_on(const slicc_declaration *machine, const char *buffer,
                                       slicc_declaration_kind kind);
/* interface="name" */
bool slicc_implements(const slicc_declaration *d, const char *name);
const slicc_value *slicc_value_find(const slicc_declaration *enumeration, const char *name);
/* The value that the pair "default" of these names: "L1Cache_State_I" or "I". NULL: none. */
const slicc_value *slicc_default_of(const slicc_declaration *enumeration, const slicc_pair *pairs);
/* The number of a value, in a sorted tree; -1: there is none. */
int32_t slicc_value_place(const slicc_declaration *enumeration, const char *name);
const slicc_declaration *slicc_states_of(const slicc_declaration *machine);
/* Numbers what is in lists and makes finding by name quick, in a tree that is complete. */
void slicc_tree_sort(slicc_tree *tree);
