/* SPDX-License-Identifier: MIT */
/*
 * Parts of a state as bytes: caches, tables, timers, variables, messages. What a part holds is
 * known from the protocol's description, so a field takes a byte or two and nothing else is kept.
 * Cores and blocks can be renamed on the way.
 */
#ifndef PROTOCOL_EXPLORE_STATE_IMAGE_H
#define PROTOCOL_EXPLORE_STATE_IMAGE_H

#include "protocol/explore/search.h"

enum {
    EXP_MOST_CONTROLLERS = 250, /* their numbers are bytes */
    EXP_MOST_RECORDS = 64,      /* of a table or timer: there are few blocks */
    EXP_NEVER = 1 << 30         /* a time that does not come while time stands still */
};

/* New numbers for cores and blocks, and the old ones of new numbers. */
typedef struct exp_renaming {
    uint8_t controller[EXP_MOST_CONTROLLERS], old_controller[EXP_MOST_CONTROLLERS];
    uint8_t core[EXP_MOST_CORES], old_core[EXP_MOST_CORES];
    uint8_t block[EXP_MOST_BLOCKS], old_block[EXP_MOST_BLOCKS];
    bool keeps_controllers; /* all keep their numbers */
} exp_renaming;

/* What images depend on. */
typedef struct exp_imager {
    const sl_system *base;
    const sl_protocol *protocol;
    uint32_t blocks;
    uint32_t destination_bytes;
} exp_imager;

/* Something of a controller that has a state. */
typedef struct exp_part {
    const sl_member *member;
    const sl_machine *machine; /* NULL: memory itself */
    void *object;
} exp_part;

/* Is it part of a state? */
bool exp_part_counts(const sl_member *member);

/* Bytes that its image takes at most, and those of a message. */
size_t exp_part_bytes(const exp_part *part);
size_t exp_message_bytes(const sl_message_type *type);

/* Write an image at `out` and return its end. NULL: a table has more records than there may be. */
uint8_t *exp_put_part(const exp_imager *imager, const exp_renaming *renaming, const exp_part *part,
                      uint8_t *out);
uint8_t *exp_put_message(const exp_imager *imager, const exp_renaming *renaming,
                         const sl_message *message, uint8_t *out);

/* Put back what an image says, with the numbers that it has, and return its end. */
const uint8_t *exp_get_part(const exp_imager *imager, const exp_part *part, const uint8_t *in);
const uint8_t *exp_get_message(const exp_imager *imager, sl_message *message, const uint8_t *in);

#endif
