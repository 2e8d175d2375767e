/* SPDX-License-Identifier: MIT */
/*
 * Fields: what a user can set, one row each. A row has a name, what a value of it may be, the
 * member of a struct that it sets, its default and a few words of help. The same rows read keys of
 * YAML files (base/yaml.h), options of the command line (cli/command_line.h), settings of plans,
 * and texts such as "key=value,key=value" of engines and designs; help, manual pages, completions
 * and tables of the docs are printed from them. To add a setting, add a row.
 *
 * A value is a text, whatever it comes from: base_field_read() checks it and sets the member, or
 * refuses it in one sentence, which is the same everywhere but for what stands before the name
 * ("--" of an option). Behind YAML the sentence also has the place of the value. What is not a
 * plain value (a map, a list, a kind of text that one file alone has) names a reader.
 */
#pragma once

#include "base/text.h"

/* What a value is, and the member that holds it. Numbers, words and flags also go into a base_said.
 */
typedef enum base_kind {
    BASE_TEXT,     /* any: const char *, which is not copied */
    BASE_STRING,   /* any that fits, or one of `words`: char[] */
    BASE_FLAG,     /* no or yes, or `words`: bool */
    BASE_NUMBER,   /* from `least` to `most`: uint32_t or uint64_t */
    BASE_POWER,    /* such a number that is a power of two: its exponent */
    BASE_REAL,     /* from `low` to `high`: double */
    BASE_FRACTION, /* above 0, at most 1: double */
    BASE_SECONDS,  /* a duration above 0, up to `high`: double */
    BASE_DELAY,    /* the same, or 0 */
    BASE_RANGE,    /* N or MIN:MAX, from 1 to `most`: two uint32_t */
    BASE_WORD,     /* one of `words`: its place, an enum, a bool or a uint64_t */
    BASE_NAME,     /* one of `words`: const char *, the word itself */
    /* Of YAML alone: */
    BASE_MAP,         /* a map with the keys of `fields` */
    BASE_EACH,        /* a map whose keys are free: each goes to `read` */
    BASE_ITEMS,       /* a list: each item goes to `read` */
    BASE_ONE_OR_MORE, /* the same, or one item without a list */
    BASE_OWN          /* all is up to `read` */
} base_kind;

/* Whether a word of the command line names something that is read. */
typedef enum base_input {
    BASE_NO_INPUT,
    BASE_INPUT,         /* a file or a folder */
    BASE_INPUT_OR_NAME, /* such a file by its path, or something by its name, such as a design */
} base_input;

struct base_yaml;
struct yaml_node_s;
/* A value of YAML and the key that it is behind; of a list's item the list's, which may be NULL. */
typedef struct base_entry {
    struct base_yaml *yaml;
    const struct yaml_node_s *key, *value;
} base_entry;
/* Reads it into a member. */
typedef col_status (*base_yaml_reader)(const base_entry *entry, void *member);

typedef struct base_place {
    uint32_t line, column; /* from 1, columns in bytes; line 0: nowhere */
} base_place;

/* A number that may be said, and where it was. */
typedef struct base_said {
    bool said;
    uint64_t value;
    base_place place;
} base_said;

typedef struct base_field {
    const char *name;
    base_kind kind;
    size_t offset, size; /* of the member: BASE_MEMBER; size 0: the value is only checked */
    uint64_t least, most;
    double low, high;
    bool (*is_file)(const char *);   /* of a text that no word is: it is a file, and taken */
    size_t file;                     /* the offset of a const char * for it, the member is then -1;
                                      * 0: the member itself */
    const char *initial;             /* the default, as a user would type it; NULL: none */
    const char *help;                /* %s in it: the words, "a, b or c" */
    const char *const *words;        /* ended by NULL */
    size_t is_said;                  /* the offset of a bool that becomes true; 0: none */
    size_t place;                    /* the offset of a base_place for the value's; 0: none */
    const char *what;                /* a map or list in sentences; NULL: the name */
    const struct base_field *fields; /* of a map */
    base_yaml_reader read; /* see the kinds; of the others, called when the value has been read */
    /* Of the command line: */
    const char *argument; /* what follows an option; NULL: nothing, it is a flag. See cli_command */
    bool several;         /* it may be given again: the values are joined by semicolons */
    bool adds;            /* to its FILE, which is read for that */
    bool writes;          /* as FILE and PATH are: a FOLDER, for instance */
    base_input input;
} base_field;

#define BASE_MEMBER(type, member)                                                                  \
    .offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)
/* A row's beginning. Tables end with BASE_LAST_FIELD. */
#define BASE_FIELD(word, form, type, member)                                                       \
    .name = (word), .kind = (form), BASE_MEMBER(type, member)
#define BASE_LAST_FIELD                                                                            \
    { .name = NULL }

extern const char *const base_no_yes[];     /* the words of flags, ended by NULL */
extern const char *const base_false_true[]; /* those in YAML */

/* Sets the member of `target`, and leaves it alone if the text is refused; without a target the
 * text is only checked. `prefix` stands before the name in the sentence: "--", or "". */
col_status base_field_read(const base_field *field, const char *text, const char *prefix,
                           void *target, col_problem *problem);
/* Refuses what is not even a text, such as "a map". */
col_status base_field_refuse(const base_field *field, const char *shown, const char *prefix,
                             col_problem *problem);

/* Adds the text that means the same in one spelling: numbers in decimal, ranges of one number as
 * that number. The text must be one that base_field_read takes. */
void base_field_spell(const base_field *field, const char *text, base_text *spelling);

/* Its help: with its words, and its default in brackets. */
void base_field_help(const base_field *field, base_text *help);

/* Sets the members of all fields that have a default, whatever their ranges. */
void base_fields_default(const base_field *fields, void *target);

/* NULL: there is none of this name. */
const base_field *base_field_find(const base_field *fields, const char *name);

/* "a design has no key 'x'; did you mean 'y'?", or "; it has a, b, c". */
col_status base_fields_refuse(const base_field *fields, const char *what, const char *noun,
                              const char *name, col_problem *problem);

/* Texts such as "key=value,key=value": calls `take` for each pair. `what` names one: "an option of
 * the simulator". The text may be NULL. */
enum { BASE_MOST_PAIR = 512 };
typedef col_status (*base_pair_reader)(void *context, const char *key, const char *value,
                                       col_problem *problem);
col_status base_pairs_read(const char *text, const char *what, base_pair_reader take, void *context,
                           col_problem *problem);
