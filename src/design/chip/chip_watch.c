/* SPDX-License-Identifier: MIT */
/*
 * What a chip tells for the story of a failure, and nobody else asks for: see chip.h. Values are as
 * memory holds them, since that is what waveforms show.
 */
#include "design/chip/chip.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool wants(const duv_watch *w, col_event_kind kind) {
    return w->observer != NULL && (w->observer->kinds >> kind & 1) != 0;
}

static void tell(const duv_watch *w, const col_event *event) {
    if (wants(w, event->kind))
        w->observer->notice(w->observer->context, event);
}

/* ---- Where operations are. */

/* "thread 1, operation 3", and the salt of this round. */
static void tell_place(const duv_watch *w, uint64_t round, const isa_map_site *site) {
    const col_operation *o = &w->program->operations[site->operation];
    base_text text = {0};
    isa_image_say(w->image, site->pc, &text);
    tell(w, &(col_event){.kind = COL_PLACED,
                         .core = site->thread,
                         .operation = site->operation,
                         .number = site->pc,
                         .block = col_kinds[o->kind].located
                                      ? w->image->memory + w->program->addresses[o->location]
                                      : 0,
                         .overwritten = isa_map_salt(&w->image->maps[0], round),
                         .message = text.failed ? NULL : text.data});
    base_text_free(&text);
}

void duv_watch_begin(duv_watch *w, const isa_image *image, uint64_t round,
                     const col_program *program, uint32_t block_bits,
                     const col_observer *observer) {
    w->image = image;
    w->program = program;
    w->block_bits = block_bits;
    w->observer = observer;
    w->sees_bus = wants(w, COL_MESSAGE_SENT) || wants(w, COL_WAIT);
    w->count = w->waits = 0;
    w->told = 0;
    for (uint32_t s = 0; wants(w, COL_PLACED) && s < image->maps[0].site_count; s++)
        tell_place(w, round, &image->maps[0].sites[s]);
}

/* ---- The bus. */

static duv_access *find(duv_watch *w, uint32_t bus, uint64_t number) {
    for (uint32_t i = 0; i < w->count; i++)
        if (w->accesses[i].bus == bus && w->accesses[i].number == number)
            return &w->accesses[i];
    return NULL;
}

/* Messages are of blocks that the program uses: false otherwise. */
static bool is_of_program(const duv_watch *w, const duv_access *a) {
    const col_program *p = w->program;
    for (uint32_t l = 0; l < p->location_count; l++)
        if ((w->image->memory + p->addresses[l]) >> w->block_bits == a->address >> w->block_bits)
            return true;
    return false;
}

static void tell_message(duv_watch *w, const duv_access *a, bool is_answer, bool is_taken,
                         const char *text) {
    const uint64_t block = a->address - w->image->memory;
    if (!a->is_ours)
        return;
    tell(w, &(col_event){.kind = is_taken ? COL_MESSAGE_RECEIVED : COL_MESSAGE_SENT,
                         .cycle = w->cycle,
                         .number = a->told + is_answer,
                         .machine = is_answer ? COL_OF_MEMORY : COL_OF_BUS,
                         .controller = is_answer ? 0 : a->bus,
                         .to_machine = is_answer ? COL_OF_BUS : COL_OF_MEMORY,
                         .to_controller = is_answer ? a->bus : 0,
                         .block = block >> w->block_bits << w->block_bits,
                         .message = text});
}

static void name_access(const duv_access *a, char *text, size_t size) {
    (void)snprintf(text, size, "%s 0x%llx (%u bytes, id %llu)", a->is_write ? "write" : "read",
                   (unsigned long long)a->address, a->bytes, (unsigned long long)a->id);
}

void duv_watch_ask(duv_watch *w, const duv_access *access) {
    char text[128];
    if (!w->sees_bus || w->count == DUV_MOST_ACCESSES)
        return;
    duv_access *a = &w->accesses[w->count++];
    *a = *access;
    a->since = w->cycle;
    a->is_ours = is_of_program(w, a);
    a->told = w->told + 1;
    w->told += 2;
    name_access(a, text, sizeof text);
    tell_message(w, a, false, false, text);
}

/* "a3 = 0x5f3a0017, a4 = ..." */
static void name_words(const duv_watch *w, const duv_access *a, const uint8_t *bytes, char *text,
                       size_t size) {
    const uint32_t unit = w->image->maps[0].word_bytes;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t l = 0; l < w->program->location_count; l++) {
        const uint64_t at = w->image->memory + w->program->addresses[l] - a->address;
        uint64_t word = 0;
        if (at >= a->bytes || a->bytes - at < unit)
            continue;
        for (uint32_t b = 0; b < unit; b++)
            word |= (uint64_t)bytes[at + b] << (8 * b);
        const int length = snprintf(text + used, size - used, "%sa%u = 0x%llx",
                                    used == 0 ? "" : ", ", l, (unsigned long long)word);
        used += length > 0 && (size_t)length < size - used ? (size_t)length : 0;
    }
}

void duv_watch_perform(duv_watch *w, uint32_t bus, uint64_t number, const uint8_t *bytes) {
    char text[128];
    duv_access *a = w->sees_bus ? find(w, bus, number) : NULL;
    if (a == NULL)
        return;
    name_words(w, a, bytes, a->words, sizeof a->words);
    name_access(a, text, sizeof text);
    tell_message(w, a, false, true, text);
}

const duv_access *duv_watch_under_way(duv_watch *w, uint32_t bus, uint64_t number) {
    return w->sees_bus ? find(w, bus, number) : NULL;
}

void duv_watch_answer(duv_watch *w, uint32_t bus, uint64_t number) {
    char text[DUV_WORDS + 64];
    duv_access *a = w->sees_bus ? find(w, bus, number) : NULL;
    if (a == NULL)
        return;
    (void)snprintf(text, sizeof text, "%s%s%s (id %llu)", a->is_write ? "written" : "read",
                   a->words[0] == '\0' ? "" : " ", a->words, (unsigned long long)a->id);
    tell_message(w, a, true, false, text);
    tell_message(w, a, true, true, text);
    *a = w->accesses[--w->count];
}

void duv_watch_forget(duv_watch *w, uint32_t bus) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->accesses[i].bus != bus)
            w->accesses[kept++] = w->accesses[i];
    w->count = kept;
}

/* ---- Where everything stands. */

void duv_watch_say(duv_watch *w, uint32_t machine, uint32_t controller, uint64_t since,
                   const char *format, ...) {
    char text[400];
    va_list arguments;
    if (!wants(w, COL_WAIT))
        return;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell(w, &(col_event){.kind = COL_WAIT,
                         .cycle = w->cycle,
                         .number = w->waits++,
                         .machine = machine,
                         .controller = controller,
                         .core = controller,
                         .operation = UINT32_MAX,
                         .state = UINT32_MAX,
                         .overwritten = since,
                         .message = text});
}

void duv_watch_say_bus(duv_watch *w) {
    char text[128];
    for (uint32_t i = 0; i < w->count; i++) {
        const duv_access *a = &w->accesses[i];
        name_access(a, text, sizeof text);
        duv_watch_say(w, COL_OF_BUS, a->bus, a->since, "has no answer to %s", text);
    }
}
