/* SPDX-License-Identifier: MIT */
/*
 * The states of controllers as a waveform (VCD, IEEE 1364): a signal for each controller and block,
 * a time unit for each cycle. Values are the numbers of states; a comment at the top has their
 * names.
 */
#include "episode/story_parts.h"
#include "episode/timeline_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct signal_key {
    uint32_t machine, controller;
    uint64_t block;
} signal_key;

typedef struct signal {
    signal_key key;
    uint32_t first; /* the moment it first appears at */
    uint32_t state; /* what was written last */
} signal;

static int compare_keys(const signal_key *a, const signal_key *b) {
    if (a->machine != b->machine)
        return a->machine < b->machine ? -1 : 1;
    if (a->controller != b->controller)
        return a->controller < b->controller ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static int compare_signals(const void *left, const void *right) {
    const signal *a = left, *b = right;
    const int order = compare_keys(&a->key, &b->key);
    return order != 0 ? order : a->first < b->first ? -1 : a->first > b->first;
}

static int compare_to_key(const void *key, const void *element) {
    return compare_keys(key, &((const signal *)element)->key);
}

static signal_key key_of(const epi_moment *m) {
    return (signal_key){m->machine, m->controller, m->block};
}

/* Each controller and block once, with the state before its first transition. NULL: no memory. */
static signal *find_signals(const epi_timeline *t, uint32_t *count) {
    signal *all = malloc(((size_t)epi_timeline_count(t) + 1) * sizeof *all);
    uint32_t found = 0, kept = 0;
    for (uint32_t i = 0; i < epi_timeline_count(t) && all != NULL; i++) {
        const epi_moment *m = epi_timeline_at(t, i);
        if (m->kind == COL_TRANSITION)
            all[found++] = (signal){.key = key_of(m), .first = i, .state = m->state};
    }
    if (all != NULL)
        qsort(all, found, sizeof *all, compare_signals);
    for (uint32_t i = 0; i < found; i++)
        if (kept == 0 || compare_keys(&all[kept - 1].key, &all[i].key) != 0)
            all[kept++] = all[i];
    *count = kept;
    return all;
}

/* ---- The head. */

/* Of the largest state that is known of the machine. */
static uint32_t width_of(const epi_timeline *t, uint32_t machine) {
    const col_duv_description *d = t->story->design;
    const uint32_t states = d->names == NULL ? 0 : d->names[machine].state_count;
    uint32_t bits = 1;
    while (states > 0 && bits < 32 && states > UINT32_C(1) << bits)
        bits++;
    return states == 0 ? 32 : bits;
}

/* Characters from ! to ~, as few as it takes. */
static const char *code_of(uint32_t number, char code[8]) {
    enum { CODES = '~' - '!' + 1 };
    size_t length = 0;
    do {
        code[length++] = (char)('!' + number % CODES);
        number /= CODES;
    } while (number > 0 && length < 7);
    code[length] = '\0';
    return code;
}

/* Names in VCD are words of letters, digits and underscores. */
static void put_word(base_text *text, const char *name) {
    for (; *name != '\0'; name++) {
        const char c = isalnum((unsigned char)*name) ? *name : '_';
        base_text_add_bytes(text, &c, 1);
    }
}

static void put_table(const epi_timeline *t, base_text *text) {
    const col_duv_description *d = t->story->design;
    base_text_add(text, "$comment\n  A time unit is a cycle. States by number:\n");
    for (uint32_t m = 0; m < d->machine_count && d->names != NULL; m++) {
        base_text_add(text, "  ");
        put_word(text, d->machines[m].name);
        base_text_add(text, ":");
        for (uint32_t i = 0; i < d->names[m].state_count; i++) {
            base_text_print(text, " %u=", i);
            put_word(text, d->names[m].states[i]);
        }
        base_text_add(text, "\n");
    }
    base_text_add(text, "$end\n");
}

static void put_signals(const epi_timeline *t, const signal *signals, uint32_t count,
                        base_text *text) {
    const col_duv_description *d = t->story->design;
    char code[8];
    for (uint32_t i = 0; i < count; i++) {
        const signal_key *key = &signals[i].key;
        const signal_key *before = i == 0 ? NULL : &signals[i - 1].key;
        if (before == NULL || before->machine != key->machine ||
            before->controller != key->controller) {
            base_text_add(text,
                          before == NULL ? "$scope module " : "$upscope $end\n$scope module ");
            put_word(text, d->machines[key->machine].name);
            base_text_print(text, "_%u $end\n", key->controller);
        }
        base_text_print(text, "$var reg %u %s block_0x%llx $end\n", width_of(t, key->machine),
                        code_of(i, code), (unsigned long long)key->block);
    }
    base_text_add(text, count > 0 ? "$upscope $end\n" : "");
}

/* ---- Values. */

static void put_value(uint32_t value, uint32_t number, base_text *text) {
    char digits[33], code[8];
    size_t length = 0;
    for (uint32_t bit = 32; bit-- > 0;)
        if (length > 0 || bit == 0 || (value >> bit & 1) != 0)
            digits[length++] = (value >> bit & 1) != 0 ? '1' : '0';
    digits[length] = '\0';
    base_text_print(text, "b%s %s\n", digits, code_of(number, code));
}

static void put_changes(const epi_timeline *t, signal *signals, uint32_t count, base_text *text) {
    uint64_t cycle = 0;
    for (uint32_t i = 0; i < epi_timeline_count(t); i++) {
        const epi_moment *m = epi_timeline_at(t, i);
        if (m->kind != COL_TRANSITION)
            continue;
        const signal_key key = key_of(m);
        signal *s = bsearch(&key, signals, count, sizeof *signals, compare_to_key);
        if (s == NULL || s->state == m->next_state)
            continue;
        if (m->cycle > cycle)
            base_text_print(text, "#%llu\n", (unsigned long long)m->cycle);
        cycle = m->cycle > cycle ? m->cycle : cycle;
        s->state = m->next_state;
        put_value(s->state, (uint32_t)(s - signals), text);
    }
    base_text_print(text, "#%llu\n", (unsigned long long)(t->cycle > cycle ? t->cycle : cycle + 1));
}

void epi_timeline_vcd(const epi_timeline *t, base_text *text) {
    uint32_t count;
    signal *signals = find_signals(t, &count);
    if (signals == NULL) {
        text->failed = true;
        return;
    }
    base_text_add(text, "$version Collider $end\n");
    put_table(t, text);
    base_text_add(text, "$timescale 1 ns $end\n$scope module ");
    put_word(text, t->story->design->name);
    base_text_add(text, " $end\n");
    put_signals(t, signals, count, text);
    base_text_add(text, "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n");
    for (uint32_t i = 0; i < count; i++)
        put_value(signals[i].state, i, text);
    base_text_add(text, "$end\n");
    put_changes(t, signals, count, text);
    free(signals);
}
