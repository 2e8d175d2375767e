/* SPDX-License-Identifier: MIT */
/*
 * Values of hardware, as waveforms show them: the word that memory holds, and whose value it is. A
 * value that no store left at its location is what designers look at longest, so all that is known
 * of it is said: it may be of another location, or bytes of two values, or there since reset.
 */
#include "episode/story/story.h"
#include "judge/violation.h"

uint64_t epi_raw(const epi_story *s, uint64_t word) {
    const uint64_t mask = col_program_word_bytes(s->program) == 8 ? UINT64_MAX : UINT32_MAX;
    return (col_program_to_memory(s->program, word) + s->salt) & mask;
}

/* Of hardware, what the program calls 23 and waveforms show as 0x17: "23 (0x17)". What no single
 * store wrote has no name in the program. */
void epi_say_word(const epi_story *s, uint64_t word, base_text *text) {
    const uint64_t raw = epi_raw(s, word);
    if (s->is_hardware && word >> 32 != 0) {
        base_text_print(text, "0x%llx", (unsigned long long)raw);
        return;
    }
    base_text_number(text, word & UINT32_MAX);
    if (s->is_hardware && (raw != word || raw > 9))
        base_text_print(text, " (0x%llx)", (unsigned long long)raw);
    else if (word >> 32 != 0)
        base_text_print(text, " and %llu added", (unsigned long long)(word >> 32));
}

/* ---- What nobody stored there. */

/* The store or swap of this value, wherever; COL_INITIAL: there is none. */
static uint32_t find_store(const epi_story *s, uint32_t location, uint64_t word, bool here) {
    for (uint32_t i = 0; i < col_program_operations(s->program) && word != 0; i++) {
        const col_operation *o = epi_operation(s, i);
        if (col_kinds[o->kind].writes && o->kind != COL_ADD && (o->location == location) == here &&
            col_program_operand(s->program, o) == word)
            return i;
    }
    return COL_INITIAL;
}

/* The add of this to the location; COL_INITIAL: there is none. */
static uint32_t find_add(const epi_story *s, uint32_t location, uint64_t operand) {
    for (uint32_t i = 0; i < col_program_operations(s->program); i++) {
        const col_operation *o = epi_operation(s, i);
        if (o->kind == COL_ADD && o->location == location &&
            col_program_operand(s->program, o) == operand)
            return i;
    }
    return COL_INITIAL;
}

/* Which bytes of the word a store to the location may have left, as a set. */
static uint32_t bytes_of(const epi_story *s, uint64_t raw, uint64_t other) {
    uint32_t set = 0;
    for (uint32_t b = 0; b < col_program_word_bytes(s->program); b++)
        set |= (uint32_t)((raw >> 8 * b & 0xff) == (other >> 8 * b & 0xff)) << b;
    return set;
}

/* The words that a location may hold, by number: that of its beginning, and of each of its stores.
 * False: there are no more. */
static bool next_word(const epi_story *s, uint32_t location, uint32_t *i, uint64_t *word) {
    const uint32_t count = col_program_operations(s->program);
    for (; *i <= count; (*i)++) {
        const col_operation *o = *i == 0 ? NULL : epi_operation(s, *i - 1);
        if (o != NULL &&
            (!col_kinds[o->kind].writes || o->kind == COL_ADD || o->location != location))
            continue;
        *word = o == NULL ? 0 : col_program_operand(s->program, o);
        (*i)++;
        return true;
    }
    return false;
}

static bool say_mixture(const epi_story *s, uint32_t location, uint64_t raw, base_text *text) {
    const uint32_t all = (1U << col_program_word_bytes(s->program)) - 1;
    uint64_t one, other;
    for (uint32_t i = 0; next_word(s, location, &i, &one);)
        for (uint32_t j = i; next_word(s, location, &j, &other);) {
            if ((bytes_of(s, raw, epi_raw(s, one)) | bytes_of(s, raw, epi_raw(s, other))) != all)
                continue;
            base_text_add(text, ": its bytes are those of ");
            epi_say_word(s, one, text);
            base_text_add(text, " and of ");
            epi_say_word(s, other, text);
            return true;
        }
    return false;
}

/* What else is known of it. */
void epi_say_stranger(const epi_story *s, uint32_t location, uint64_t word, base_text *text) {
    const uint64_t raw = epi_raw(s, word);
    const uint32_t elsewhere = find_store(s, location, word, false);
    if (raw == 0 && s->salt != 0) {
        base_text_print(text,
                        ": it is what memory holds before the image initialises a%u with 0x%llx",
                        location, (unsigned long long)epi_raw(s, 0));
    } else if (elsewhere != COL_INITIAL) {
        base_text_add(text, ": it is the value of ");
        epi_say_whole(s, elsewhere, text);
    } else {
        (void)say_mixture(s, location, raw, text);
    }
}

/* Of a design that shows what reads returned and no more, whose values the cycle's reads got. */
void epi_say_values(const epi_story *s, const col_violation *v, base_text *text) {
    for (uint32_t m = 0; m < v->mention_count; m++) {
        const uint32_t read = v->mentions[m].operation;
        const uint32_t location = epi_operation(s, read)->location;
        const uint64_t word = s->done[read].word;
        if (!chk_is_used(v, m) || !s->done[read].is_read)
            continue;
        const uint32_t writer = find_store(s, location, word, true);
        const uint32_t stored = find_store(s, location, word & UINT32_MAX, true);
        const uint32_t added = find_add(s, location, word & ~(uint64_t)UINT32_MAX);
        const size_t start = text->length;
        epi_say_whole(s, read, text);
        base_text_add(text, " returned ");
        if (writer != COL_INITIAL) {
            base_text_add(text, "the value of ");
            epi_say_place(s, writer, text);
        } else if (word == 0) {
            base_text_add(text, "the initial value");
        } else if (stored != COL_INITIAL && added != COL_INITIAL) {
            base_text_add(text, "the value of ");
            epi_say_place(s, stored, text);
            base_text_add(text, " plus that of the add of ");
            epi_say_place(s, added, text);
        } else {
            base_text_add(text, "what no single store wrote");
            epi_say_stranger(s, location, word, text);
        }
        base_text_add(text, ".\n");
        epi_raise_first(text, start);
    }
}
