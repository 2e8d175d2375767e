/* SPDX-License-Identifier: MIT */
/*
 * From the tree of a protocol to C. Checking and writing go together: an expression is written as C
 * and its type comes back; what does not fit is complained about and written as 0. Functions are
 * written when something that runs needs them; the others are checked, but may use externals that
 * have no counterpart here (packets of functional accesses).
 */
#pragma once

#include "collider/protocol/description.h"
#include "protocol/slicc/translate.h"

/*
 * What a cell of a transition table needs that not every test brings: a kind of request of a core,
 * or that a cache of some machine runs out of room. Found by following, without it, what can happen
 * at all: events that in_ports can trigger, states that transitions lead to, kinds of messages that
 * actions name. What is not understood can happen, so that a cell that needs something never occurs
 * without it. src/cover/README.md has the rules.
 */

enum { SLICC_MOST_REPLACERS = 16 }; /* machines whose replacements have a bit */

typedef struct slicc_needs {
    base_arena arena;
    const slicc_declaration **machines; /* all of the tree, in its order */
    uint32_t **cells;                   /* of each: state * events + event, a set of SL_NEEDS_... */
    uint32_t count;
} slicc_needs;

/* Start from {0}; free also when out of memory, which the report remembers. */
void slicc_needs_find(slicc_needs *needs, const slicc_tree *tree, slicc_report *report);
/* Of a machine; NULL: nothing is known. */
const uint32_t *slicc_needs_of(const slicc_needs *needs, const slicc_declaration *machine);
void slicc_needs_free(slicc_needs *needs);

/*
 * What SLICC code may call that is not written in SLICC: functions and methods, with the C they
 * become. In a text `$c` is the controller, `$s` the system, `$0` the object and `$1`, `$2` ... the
 * arguments. NetDest, Set, DataBlock and structures are passed as pointers.
 */

typedef struct slicc_external {
    const char *object; /* the type whose method it is; "" for a function */
    const char *name;
    /* A letter for each: N a NetDest or Set, D a DataBlock, M a WriteMask, T a MachineType, E a
     * value of an enumeration, '.' a plain value; '*' before them: there may be more. */
    const char *arguments;
    const char *result; /* a type's name; "record", "template": what the table or queue holds */
    const char *text;   /* "" for a call that has no effect here */
} slicc_external;

enum { SLICC_ANY_NUMBER = UINT32_MAX }; /* of arguments */

/* NULL if there is none. */
const slicc_external *slicc_external_find(const char *object, const char *name, uint32_t arguments);

/* The same, or what older releases meant by it, which the type of the second argument tells. */
const slicc_external *slicc_external_older(const slicc_external *external, uint32_t arguments,
                                           const char *second);

/* Is this a type of object that exists here but does nothing (a prefetcher, say)? */
bool slicc_object_is_idle(const char *type);

/* What every protocol finds declared: the enumerations and messages of the runtime. */

extern const char slicc_prelude[];

typedef enum slicc_kind {
    KIND_BAD, /* after a complaint: fits everything */
    KIND_VOID,
    KIND_NUMBER,
    KIND_BOOL,
    KIND_STRING,
    KIND_ENUM,
    KIND_MACHINE,     /* MachineID */
    KIND_DESTINATION, /* NetDest and Set: written as a pointer */
    KIND_DATA,        /* DataBlock: written as a pointer */
    KIND_PLACED,      /* WriteMask, TriggerQueue and the like: written as a pointer */
    KIND_RECORD,      /* a structure: written as a pointer */
    KIND_ENTRY,       /* AbstractCacheEntry, any entry: written as void * */
    KIND_OBJECT,      /* a cache, a table, a buffer: written as a pointer */
} slicc_kind;

typedef struct slicc_type {
    slicc_kind kind;
    const char *name;                     /* SLICC's */
    const slicc_declaration *declaration; /* of enumerations and records */
    const slicc_declaration *machine;     /* where it is declared; NULL: outside */
    bool certain;                         /* a pointer that cannot be null */
    bool natural;                         /* a number that is unsigned whatever its name says */
    bool is_any;                          /* a number of any name is wanted */
    const slicc_declaration *object;      /* of what is placed: the member or field that it is */
} slicc_type;

/* A local variable, a parameter, or in_msg and out_msg. */
typedef struct slicc_local {
    const char *name;
    const char *text; /* its C */
    slicc_type type;
} slicc_local;

/* One function calls another: its place among those that must be written. */
typedef struct slicc_edge {
    uint32_t to;
    struct slicc_edge *next;
} slicc_edge;

/* A function that must be written. */
typedef struct slicc_needed {
    const slicc_declaration *function;
    slicc_edge *calls;
    enum { SLICC_UNSEEN, SLICC_OPEN, SLICC_DONE } visit; /* of the search for recursion */
    uint64_t cost; /* calls that one call comes to at most, itself included */
    size_t entry;  /* where its body begins in the text */
} slicc_needed;

/* A function that some machine calls. */
typedef struct slicc_called {
    const slicc_declaration *function;
    struct slicc_called *next;
} slicc_called;

enum {
    SLICC_MOST_LOCALS = 256,
    SLICC_MOST_NEEDED = 1024,
    SLICC_MOST_CELLS = 1 << 20, /* of a transition table */
    SLICC_MOST_STACK = 1 << 18, /* bytes that the variables of a machine take in all */
};

typedef struct emitter {
    const slicc_tree *tree;
    slicc_reached *reached;
    slicc_needs needs;
    slicc_report *report;
    const slicc_declaration *machine; /* the one at work */
    slicc_mutations *mutations;       /* NULL: nobody asks */
    const slicc_declaration *within;  /* the action, in_port or function at work */
    bool in_condition;                /* of an in_port, or of a function that chooses an event */
    slicc_place asymmetric[SL_SYMMETRIES]; /* what tells them apart first */
    uint64_t requests; /* values of RubyRequestType that the machine at work names */
    bool holds_back;   /* a port of the machine at work does, of locked blocks: block_on */
    bool counts_calls; /* a function of the machine at work does: see sl_count_call */
    bool is_unused;    /* nothing calls the function at work: it is only checked */
    bool is_initial;   /* what a variable or field starts with is at work */
    uint64_t stack;    /* bytes of the machine's variables so far */
    slicc_type result; /* of the function at work */
    slicc_local locals[SLICC_MOST_LOCALS];
    uint32_t local_count;
    uint32_t scope; /* the first local of the innermost block */
    slicc_needed needed[SLICC_MOST_NEEDED];
    uint32_t needed_count;
    slicc_needed *caller; /* the function at work, if it is one of these */
    slicc_called *called;
    base_arena arena; /* of the locals' texts */
    base_text *out;
} emitter;

/* The protocol's own words in C: all that is copied from it goes through these. */
void slicc_c_string(const char *value, base_text *text); /* a literal, escaped */
void slicc_c_place(slicc_place place, base_text *text);  /* "file:line", likewise */
void slicc_c_name(const char *name, base_text *text);    /* what C does not allow becomes _ */
void slicc_c_number(uint64_t number, base_text *text);

/*
 * Templates of C: a text with directives, to `text` or to e->out.
 *   %s %u %d  as in printf; %w: a uint64_t
 *   %M        the name of the machine at work; %o: its structure
 *   %q %p %n  a text as a literal; a slicc_place as one; a name
 *   %r %c %f  of a slicc_type: its record, the C type of a variable, that of a field
 *   %i        the number of a message type
 *   %k %a %v  of a slicc_type and a name: a maker, a field, an enumerator
 *   %x        an expression, as a value of a slicc_type
 *   %g        a function
 */
void slicc_print(emitter *e, base_text *text, const char *format, ...);
void slicc_out(emitter *e, const char *format, ...);

/* A text of its own that becomes a part of another. The end frees it, and remembers in the report
 * if memory ran out. */
const char *slicc_text_or_zero(const base_text *text); /* "0" if there is none */
void slicc_text_end(emitter *e, base_text *text);

/* Warns of what the machines declare and never use. */
void slicc_warn_of_unused(const slicc_tree *tree, slicc_report *report);

/* Types that go together (slicc_checks.c): of two plain values, may one stand for the other, and
 * may they be compared; what the type of an arithmetic or logical operator is, false: it takes
 * others.
 */
bool slicc_numbers_fit(const slicc_type *type, const slicc_type *wanted);
bool slicc_numbers_compare(const slicc_type *a, const slicc_type *b);
bool slicc_operate(const char *name, const slicc_type *a, const slicc_type *b, const char **result);

/* Types. */
extern const slicc_type slicc_bad, slicc_nothing, slicc_boolean, slicc_number, slicc_address;
slicc_type slicc_type_find(emitter *e, const char *name, slicc_place place);
bool slicc_type_exists(const emitter *e, const char *name);
/* A structure of the machine at work, or from outside of machines if there is none. */
slicc_type slicc_record_type(const emitter *e, const slicc_declaration *structure);
void slicc_c_type(const slicc_type *type, base_text *text);  /* of a variable or parameter */
void slicc_c_field(const slicc_type *type, base_text *text); /* of a field: records by value */
void slicc_record_name(const slicc_type *type, base_text *text);
/* The function that makes ("new"), starts ("init") or finds ("find") one. */
void slicc_record_maker(const slicc_type *type, const char *what, base_text *text);
void slicc_c_field_name(const slicc_type *record, const char *field, base_text *text);
bool slicc_is_given(const slicc_type *type);   /* the runtime has this record */
bool slicc_is_int(const slicc_type *type);     /* not Cycles, not an address: what counts things */
bool slicc_is_natural(const slicc_type *type); /* uint64_t in C; other numbers are int64_t */
/* Bytes of a variable of this type, about. */
uint32_t slicc_type_bytes(const slicc_type *type);
bool slicc_is_entry(const slicc_declaration *structure); /* stored in caches or tables */
bool slicc_is_any_entry(const slicc_type *type);         /* such a record, or AbstractCacheEntry */
bool slicc_is_number(
    const slicc_type *type); /* a plain value: a variable of a machine has 64 bits */
bool slicc_is_message(const slicc_declaration *declaration);
/* A structure that is neither: a value. */
bool slicc_is_plain(const slicc_declaration *declaration);
/* A type of objects that the runtime has: what a machine's structure has of one, and its
 * SL_MEMBER_... NULL: it is none. */
typedef struct slicc_member_kind {
    const char *type, *c_type, *kind;
} slicc_member_kind;
const slicc_member_kind *slicc_member_kind_of(const char *type);
bool slicc_is_buffer(const char *type);    /* of messages: MessageBuffer, WireBuffer */
bool slicc_is_sequencer(const char *type); /* what is in front of a core */
/* Is it stored where it is declared, and copied when it is assigned? */
bool slicc_is_in_place(const slicc_type *type);
/* The number of a message type, a constant of the C code. */
void slicc_message_number(const slicc_type *message, base_text *text);
/* What the template of a table or queue names: a structure or enumeration of the machine at work; a
 * bad type if there is none. */
slicc_type slicc_template_type(emitter *e, const slicc_declaration *object, slicc_place place);
/* TriggerQueue of records, not of events. */
bool slicc_queues_records(emitter *e, const slicc_declaration *object, slicc_place place);
uint32_t
slicc_record_number(const slicc_type *entry); /* among the entries of its machine, from 1 */
/* The field that names the receivers of a message; NULL: there is none. */
const char *slicc_destination_of(const slicc_declaration *message);
/* The structure that the machine's caches hold, or its directory where it has no cache; or NULL. */
const slicc_declaration *slicc_main_entry(const emitter *e);
/* The C constant of an enumerator. */
void slicc_enumerator(const slicc_type *type, const char *value, base_text *text);

/* Expressions: appends C to `text`. */
slicc_type slicc_emit_expression(emitter *e, const slicc_expression *expression, base_text *text);
/* The same for a value that must be of a type; conversions between numbers are C's. */
void slicc_emit_value(emitter *e, const slicc_expression *expression, const slicc_type *wanted,
                      base_text *text);
/* An entry of whatever kind, checked to be of the structure that is wanted when the code runs. */
void slicc_emit_record(emitter *e, const slicc_type *wanted, const char *entry, slicc_place place,
                       base_text *text);
/* A number that is larger, or smaller, by so much. */
void slicc_emit_off(const char *number, int off, base_text *text);
/* May a value be given to this, which is a name or a member? */
bool slicc_is_variable(const emitter *e, const slicc_expression *target);
/* After a complaint: writes 0. */
slicc_type slicc_no_value(base_text *text);
slicc_type slicc_emit_call(emitter *e, const slicc_expression *expression, base_text *text);
slicc_type slicc_emit_method(emitter *e, const slicc_expression *expression, const char *name,
                             base_text *text);
/* TriggerQueue of records (emit_storage.c): a member of the controller's structure, its start, and
 * what it is asked. */
void slicc_emit_queue_field(emitter *e, const slicc_declaration *queue);
void slicc_emit_queue_clear(const slicc_declaration *queue, base_text *text);
slicc_type slicc_emit_queue_method(emitter *e, const slicc_expression *expression,
                                   const slicc_declaration *queue, base_text *text);
/* The in_port at work, where trigger is allowed; or NULL. */
const slicc_declaration *slicc_port_at_work(const emitter *e);
/* An object that the machine at work has. */
const slicc_declaration *slicc_object_find(const emitter *e, const char *name);
void slicc_local_add(emitter *e, const char *name, const slicc_type *type, const char *text);

/* Statements: appends C to e->out. */
void slicc_emit_statements(emitter *e, const slicc_statement *list);

/* Functions. */
void slicc_function_name(emitter *e, const slicc_declaration *function, base_text *text);
const slicc_declaration *slicc_function_find(const emitter *e, const char *name,
                                             uint32_t arguments);
void slicc_need(emitter *e, const slicc_declaration *function);

/* Writes what is needed, and what that needs, to e->out; prototypes go to `prototypes`. No function
 * may call itself: the stack that a protocol needs is known. */
void slicc_emit_needed(emitter *e, base_text *prototypes);

/* Checks the functions of a list that nothing needs: those of the machine at work, or, when all
 * machines are written, those outside of machines as if this machine called them. */
void slicc_check_unused(emitter *e, const slicc_declaration *list);

/* The transition table. */
enum { SLICC_MOST_SEQUENCES = 2048, SLICC_MOST_CHECKS = 255 };

/* What must be there before a transition is taken: sets of tables and of request types. */
typedef struct slicc_check {
    uint64_t tables, requests;
} slicc_check;

typedef struct slicc_table {
    uint32_t state_count, event_count;
    const slicc_declaration **cells;
    base_text list, resources; /* action lists, needed slots */
    uint32_t list_count, resource_count;
    const slicc_declaration
        *sequences[SLICC_MOST_SEQUENCES]; /* transitions with distinct actions */
    uint32_t sequence_count;
    slicc_check checks[SLICC_MOST_CHECKS]; /* distinct ones */
    uint32_t check_count;
    uint8_t *check_of; /* of each cell, from 1; 0: it needs nothing */
} slicc_table;

/* Slots of TBEs (emit_storage.c), and the function that says whether a transition has what it
 * needs: room in tables (check_allocate), and what its {types} stand for. */
void slicc_emit_storage_start(emitter *e, const slicc_declaration *storage);
void slicc_emit_room(emitter *e, slicc_table *table);
/* Is a storage sized by number_of_TBEs, which machines have without declaring it? */
bool slicc_counts_tbes(const slicc_declaration *machine);

bool slicc_find_cells(emitter *e, slicc_table *table, base_arena *arena);
void slicc_emit_table(emitter *e, slicc_table *table);

/* The default of an object or of its enumeration, written as text: default="max_tokens()"; 0 if
 * there is none. Appends C. */
void slicc_emit_default(emitter *e, const slicc_declaration *object, const slicc_type *type,
                        base_text *out);

/* The bounds of a machine's parameter, for its description. */
void slicc_emit_parameter(emitter *e, const slicc_declaration *parameter, const slicc_type *type);

/* Names that a machine declares twice, ports on what is no buffer. */
void slicc_check_list(emitter *e, const slicc_declaration *list);
void slicc_check_names(emitter *e, const slicc_declaration *machine);

/* A whole machine and what is outside of machines. */
void slicc_emit_machine(emitter *e, const slicc_declaration *machine);
void slicc_emit_types(emitter *e, const slicc_declaration *list);
void slicc_emit_fresh_records(emitter *e, const slicc_declaration *list);

/* What records hold (emit_table.c): SL_FIELD_... of a type; the fields of a record as a list;
 * those of all entries of the machine at work. */
const char *slicc_field_kind(const slicc_type *type);
void slicc_emit_fields(emitter *e, const slicc_type *record);
void slicc_emit_records(emitter *e);

/* What tells cores or blocks apart in code that runs (slicc_checks.c). */
void slicc_note_use(emitter *e, const char *object, const char *name, slicc_place place);
void slicc_note_operator(emitter *e, const char *name, const slicc_type *a, const slicc_type *b,
                         slicc_place place);
void slicc_note_cast(emitter *e, const slicc_type *from, const slicc_type *to, slicc_place place);
void slicc_emit_asymmetric(emitter *e);

/* The whole protocol as one C file. The tree is sorted: slicc_tree_sort. */
col_status slicc_emit(const slicc_tree *tree, slicc_reached *reached, slicc_mutations *mutations,
                      const char *name, slicc_report *report, base_text *out, col_problem *problem);
