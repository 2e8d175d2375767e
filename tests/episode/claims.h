/* SPDX-License-Identifier: MIT */
/*
 * Holds the story of a failure against a recording of the same instance, made without the code
 * under test. It knows every sentence that a story can have, and recomputes what the sentence says
 * from all recorded events; a sentence that it does not know is wrong, too.
 */
#pragma once

#include "recorded.h"

enum { CLAIMS_WRONG = 1024 };

/* How many claims were checked; 0: one does not follow from the recording, and `wrong` says which.
 */
uint32_t check_claims(const char *words, const events *recording, char wrong[CLAIMS_WRONG]);

/* ---- Inside: reading a story (claims_read.c), and the cycle (claims_cycle.c). */

enum { NONE = UINT32_MAX };

typedef struct claims {
    const events *e;
    const col_program *program;
    const col_duv_description *design;
    const char *at;
    uint32_t checked;
    char *wrong;
} claims;

/* ---- Reading. What is needed and not there is wrong, as is a claim that is not true. */

bool no(claims *c, const char *format, ...);
bool claim(claims *c, bool is_true, const char *what);
bool sees(const claims *c, const char *text);
bool take(claims *c, const char *text);
bool need(claims *c, const char *text);
bool number(claims *c, uint64_t *n);
bool need_number(claims *c, uint64_t is, const char *what);
bool need_word(claims *c, uint64_t word);
/* The word that the story says, whatever it is. */
bool skip_word(claims *c);
/* Of hardware: "23 (0x17)", or "0x1700000018" of a sum. */
void print_word(const claims *c, uint64_t word, base_text *text);
bool need_name(claims *c, const char *name, const char *what);
void skip_blanks(claims *c);

/* ---- The recording. */

const col_event *end_of(const claims *c);
const col_operation *operation_at(const claims *c, uint32_t operation);
bool is_performed(const col_event *event);
const col_event *performed(const claims *c, uint32_t operation);
bool is_write_to(const claims *c, const col_event *event, uint32_t location);
uint64_t returned(const col_event *event);
uint64_t block_of(const claims *c, uint32_t operation);
bool is_replaced_by(const claims *c, uint32_t location, uint64_t word, uint32_t write);
uint32_t writer_of(const claims *c, uint32_t location, uint64_t word);
/* Of hardware: where it has told that an operation is; NULL: it is none, or has none. */
const col_event *placed(const claims *c, uint32_t operation);
const col_event *any_placed(const claims *c);
uint64_t raw_of(const claims *c, uint64_t word); /* as memory holds it */
/* Of designs that show reads alone; NULL: it returned nothing. */
const col_event *value_of(const claims *c, uint32_t operation);

/* ---- Operations. */

bool need_operation(claims *c, uint32_t operation);
bool need_mention(claims *c, uint32_t operation);
bool place(claims *c, uint32_t *operation);
bool whole(claims *c, uint32_t *operation);
bool whole_mention(claims *c, uint32_t *operation);
bool need_whole(claims *c, uint32_t operation, const char *what);
bool need_cycle(claims *c, uint32_t operation);
bool need_block(claims *c, uint64_t *block);
bool need_source(claims *c, const col_event *event, const char *before);

/* ---- Who waits for whom (claims_waits.c), behind the bracket. */

bool who_waits(claims *c);

/* ---- Hardware (claims_hardware.c). */

bool what_was_returned(claims *c, uint32_t read);                 /* by a design of reads */
bool who_else_wrote(claims *c, uint32_t location, uint64_t word); /* what nobody wrote there */
bool instructions(claims *c);
bool stands(claims *c);                                 /* who waits for whom */
void bus_line(const col_event *event, base_text *text); /* of a history */
bool cover_line(claims *c, const col_event *from);      /* likewise; from this event on */

/* ---- The cycle. */

bool relation(claims *c, uint32_t from, uint32_t to, const char *name);
bool verdict(claims *c);
bool need_model(claims *c);
