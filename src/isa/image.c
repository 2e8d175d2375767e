/* SPDX-License-Identifier: MIT */
/*
 * Building images: see image.h. From the load address on there are the boot code, the threads and
 * tables, which are what a loader brings; then, without content, the barrier's words and stacks;
 * the results; and last the memory under test, aligned so that its addresses meet the cache sets
 * that the program's addresses do.
 */
#include "isa/image.h"

#include "base/memory.h"
#include "base/rng.h"
#include "isa/machine.h"
#include "isa/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOOT_BYTES = 16384, STACK_BYTES = 1024, BLOCK = 64, PAGE = 4096, MOST_SKEW_BITS = 16 };
enum { MEMORY_ALIGNMENT = 65536 };
/* An await gives up before the others, at the barrier, give up on its hart. */
enum { AWAIT_SHARE = 8 };
#define MOST_ROUNDS (UINT64_C(1) << 30)

void isa_image_default(isa_image_settings *settings) {
    *settings = (isa_image_settings){
        .log = ISA_LOG_REGISTERS, .rounds = 100, .seed = 1, .skew_bits = 8, .has_finals = true};
}

void isa_image_free(isa_image *image) {
    isa_map_free(&image->map);
    isa_code_free(&image->code);
    free(image->symbols);
    *image = (isa_image)ISA_IMAGE_EMPTY;
}

/* What is being built. */
typedef struct builder {
    isa_image *image;
    const col_program *program;
    const isa_platform *platform;
    const isa_image_settings *settings;
    isa_layout layout;
    isa_code threads;  /* of all of them; becomes a part of the image */
    uint64_t *entries; /* of the threads, as offsets in their code */
} builder;

static uint64_t align(uint64_t number, uint64_t alignment) {
    return (number + alignment - 1) / alignment * alignment;
}

/* ---- What can be said before there is code. */

static col_status check(const builder *b, col_problem *problem) {
    const isa_image_settings *s = b->settings;
    if (b->program->thread_count == 0)
        return base_refuse(problem, "a program without threads has nothing to run");
    if (b->program->thread_count > b->platform->harts)
        return base_refuse(problem, "the program has %u threads, but %s has %llu hart%s",
                           (unsigned)b->program->thread_count, b->platform->name,
                           (unsigned long long)b->platform->harts,
                           b->platform->harts == 1 ? "" : "s");
    if (s->rounds == 0 || s->rounds > MOST_ROUNDS)
        return base_refuse(problem, "an image runs 1 to 2^30 rounds");
    if (s->skew_bits > MOST_SKEW_BITS)
        return base_refuse(problem, "the start skew has at most %d bits", MOST_SKEW_BITS);
    return COL_OK;
}

/* The salts of rounds are so far apart that the values of one never meet those of another, as long
 * as the value's part of the word has room; if it has none at all, they are at least different. */
static void choose_salts(const builder *b) {
    const uint32_t bits = b->program->is_narrow ? COL_NARROW_VALUE_BITS : 32;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t most = 0, step = 1;
    for (uint32_t o = 0; o < col_program_operations(b->program); o++) {
        const col_operation *operation = &b->program->operations[o];
        if ((operation->kind == COL_STORE || operation->kind == COL_SWAP) &&
            operation->value > most)
            most = operation->value;
    }
    while (step <= most)
        step *= 2;
    if (step > mask / 2)
        step = (UINT64_C(0x9e3779b1) & mask) | 1;
    b->image->map.salt_step = step;
    b->image->map.salt_mask = mask;
}

/* A number that tells images apart. */
static uint32_t number_image(const builder *b, col_hash hash) {
    uint64_t state = hash.low;
    state ^= base_splitmix(&state) + b->settings->rounds;
    state ^= base_splitmix(&state) + b->settings->seed;
    state ^= base_splitmix(&state) + (uint64_t)b->settings->log;
    for (const char *at = b->platform->name; *at != '\0'; at++)
        state ^= base_splitmix(&state) + (unsigned char)*at;
    return (uint32_t)(base_splitmix(&state) >> 33) | 1;
}

static col_status begin_map(const builder *b, col_problem *problem) {
    isa_map *map = &b->image->map;
    const uint32_t operations = col_program_operations(b->program);
    map->target = b->platform->target;
    (void)snprintf(map->platform, sizeof map->platform, "%s", b->platform->name);
    map->model = b->platform->model;
    map->log = b->settings->log;
    map->rounds = b->settings->rounds;
    map->seed = b->settings->seed;
    map->program = col_program_hash(b->program);
    map->image = number_image(b, map->program);
    map->word_bytes = col_program_word_bytes(b->program);
    map->ram = b->platform->ram;
    map->thread_count = b->program->thread_count;
    map->location_count = b->program->location_count;
    map->site_count = operations;
    map->threads = calloc(map->thread_count, sizeof *map->threads);
    map->sites = calloc((size_t)operations + 1, sizeof *map->sites);
    choose_salts(b);
    return map->threads != NULL && map->sites != NULL ? COL_OK : base_out_of_memory(problem);
}

/* ---- Threads. */

static col_status encode_threads(builder *b, col_problem *problem) {
    const isa_settings settings = {.log = b->settings->log,
                                   .await_limit = b->platform->barrier.limit / AWAIT_SHARE + 1,
                                   .has_flush = b->platform->has_flush,
                                   .exclusives = !b->platform->has_atomics};
    col_status status = COL_OK;
    b->entries = calloc(b->program->thread_count, sizeof *b->entries);
    if (b->entries == NULL)
        return base_out_of_memory(problem);
    for (uint32_t t = 0; t < b->program->thread_count && status == COL_OK; t++) {
        isa_align(&b->threads, BLOCK);
        b->entries[t] = isa_here(&b->threads);
        status =
            isa_encode_thread(b->platform->target, b->program, t, &settings, &b->threads, problem);
    }
    return status == COL_OK ? isa_code_finish(&b->threads, problem) : status;
}

/* The slots of the threads, each in blocks of its own, then the final words. */
static void lay_out_log(builder *b) {
    isa_map *map = &b->image->map;
    const bool logs = map->log != ISA_LOG_TAP;
    for (uint32_t t = 0; t < map->thread_count; t++) {
        map->threads[t].entry = b->image->load + BOOT_BYTES + b->entries[t];
        map->threads[t].log_offset = map->stride;
        for (uint32_t o = b->program->thread_start[t]; o < b->program->thread_start[t + 1]; o++)
            map->threads[t].slots += col_kinds[b->program->operations[o].kind].reads;
        if (logs)
            map->stride += align((uint64_t)map->threads[t].slots * map->word_bytes, BLOCK);
    }
    if (!logs || !b->settings->has_finals)
        return;
    map->finals_offset = map->stride;
    map->stride += align((uint64_t)map->location_count * map->word_bytes, BLOCK);
}

static void place_sites(const builder *b) {
    isa_map *map = &b->image->map;
    for (uint32_t s = 0; s < map->site_count; s++) {
        const isa_site *site = &b->threads.sites[s];
        map->sites[s] = (isa_map_site){
            .pc = b->image->load + BOOT_BYTES +
                  (site->access != ISA_NONE ? site->access : site->offset),
            .operation = site->operation,
            .thread = col_program_thread_of(b->program, site->operation),
            .slot = site->slot,
            .reg = site->reg,
        };
    }
}

/* ---- Memory. */

/* The cached words or stacks, then the results, from `at` on. */
static uint64_t place_data(builder *b, uint64_t at) {
    isa_image *image = b->image;
    const uint32_t threads = image->map.thread_count;
    uint64_t uncached = b->platform->uncached.base;
    image->data.base = at = align(at, PAGE);
    b->layout.tohost = b->platform->exit.address != 0 ? b->platform->exit.address : at;
    at += (uint64_t)2 * BLOCK;
    uint64_t *words_at = b->platform->barrier.kind == ISA_BARRIER_UNCACHED ? &uncached : &at;
    b->layout.words = *words_at;
    *words_at += (uint64_t)(threads + 1) * ISA_BARRIER_BLOCK;
    at += (uint64_t)threads * STACK_BYTES;
    image->data.size = at - image->data.base;
    uint64_t *results_at = b->platform->has_uncached_log ? &uncached : &at;
    image->map.results =
        (isa_window){.base = *results_at,
                     .size = isa_map_log(&image->map) + image->map.rounds * image->map.stride};
    *results_at += image->map.results.size;
    return at;
}

static uint64_t stack_top(const builder *b, uint32_t thread) {
    const isa_window *data = &b->image->data;
    const uint32_t above = b->image->map.thread_count - 1 - thread;
    return data->base + data->size - (uint64_t)above * STACK_BYTES;
}

static uint64_t memory_alignment(const col_geometry *geometry) {
    uint64_t alignment = MEMORY_ALIGNMENT;
    for (uint32_t l = 0; l < geometry->level_count; l++) {
        const col_cache_level *level = &geometry->levels[l];
        const uint32_t bits = level->index_low + level->index_bits;
        if (bits < 30 && UINT64_C(1) << bits > alignment)
            alignment = UINT64_C(1) << bits;
    }
    return alignment;
}

static uint64_t memory_bytes(const builder *b) {
    uint64_t most = 0;
    for (uint32_t l = 0; l < b->program->location_count; l++)
        if (b->program->addresses[l] >= most)
            most = b->program->addresses[l] + b->image->map.word_bytes;
    return most;
}

static col_status refuse_log(const builder *b, uint64_t others, uint64_t room,
                             col_problem *problem) {
    const isa_map *map = &b->image->map;
    const uint64_t used = isa_map_log(map) + others;
    const uint64_t fit = room > used ? (room - used) / map->stride : 0;
    return base_refuse(problem,
                       "the log of %llu round%s has %llu bytes, more than %s has room for; "
                       "%llu rounds would fit",
                       (unsigned long long)map->rounds, map->rounds == 1 ? "" : "s",
                       (unsigned long long)map->results.size, b->platform->name,
                       (unsigned long long)fit);
}

/* Does everything fit? `end` is where the memory under test may begin. */
static col_status place_memory(builder *b, uint64_t end, col_problem *problem) {
    const isa_platform *p = b->platform;
    const isa_map *map = &b->image->map;
    const isa_window *log_window = p->has_uncached_log ? &p->uncached : &p->ram;
    const uint64_t bytes = memory_bytes(b), ram_end = p->ram.base + p->ram.size;
    const uint64_t alignment = memory_alignment(&p->geometry);
    const uint64_t log_end = log_window->base + log_window->size;
    const uint64_t room = map->results.base < log_end ? log_end - map->results.base : 0;
    if (map->results.size > room) /* in ram the locations come behind it */
        return refuse_log(b, p->has_uncached_log ? 0 : bytes + alignment, room, problem);
    b->layout.memory = b->image->memory = align(end, alignment);
    if (b->layout.memory < ram_end && bytes <= ram_end - b->layout.memory)
        return COL_OK;
    return base_refuse(
        problem,
        "the program's addresses span %llu bytes, but %s has only %llu bytes of ram "
        "left for them",
        (unsigned long long)bytes, p->name,
        (unsigned long long)(b->layout.memory < ram_end ? ram_end - b->layout.memory : 0));
}

/* ---- The bytes. */

static void emit_rows(builder *b, isa_code *code) {
    const isa_map *map = &b->image->map;
    const uint32_t unit = map->target->address_bytes;
    for (uint32_t t = 0; t < map->thread_count; t++) {
        const isa_map_thread *thread = &map->threads[t];
        const uint64_t slots = map->stride > 0 ? (uint64_t)thread->slots * map->word_bytes : 0;
        isa_emit_number(code, thread->entry, unit);
        isa_emit_number(code, thread->log_offset, unit);
        isa_emit_number(code, thread->log_offset + slots, unit);
        isa_emit_number(code, stack_top(b, t), unit);
    }
}

static void emit_locations(builder *b, isa_code *code) {
    for (uint32_t l = 0; l < b->program->location_count; l++)
        isa_emit_number(code, b->layout.memory + b->program->addresses[l],
                        b->image->map.target->address_bytes);
}

/* Where tables are behind the threads, and where they end. */
static uint64_t place_tables(builder *b) {
    const isa_map *map = &b->image->map;
    const uint32_t unit = map->target->address_bytes;
    uint64_t at = b->image->load + BOOT_BYTES + b->threads.size;
    const uint64_t pages = isa_pages_bytes(b->platform);
    if (pages > 0) {
        b->layout.pages = at = align(at, PAGE);
        at += pages;
    }
    b->layout.rows = at = align(at, BLOCK);
    at += (uint64_t)map->thread_count * ISA_ROW_COUNT * unit;
    b->layout.locations = at = align(at, BLOCK);
    b->layout.locations_end = at += (uint64_t)map->location_count * unit;
    return at;
}

static void pad_to(const isa_image *image, isa_code *code, uint64_t address) {
    while (code->status == COL_OK && image->load + code->size < address)
        isa_emit(code, "", 1);
}

static col_status emit_all(builder *b, col_problem *problem) {
    isa_image *image = b->image;
    isa_code *code = &image->code;
    isa_boot boot = {.code = code,
                     .platform = b->platform,
                     .map = &image->map,
                     .layout = &b->layout,
                     .skew_mask = (UINT32_C(1) << b->settings->skew_bits) - 1};
    isa_harness_emit(&boot);
    if (code->size > BOOT_BYTES)
        isa_code_refuse(code, "the boot code is too long");
    pad_to(image, code, image->load + BOOT_BYTES);
    isa_emit(code, b->threads.bytes, b->threads.size);
    if (b->layout.pages != 0) {
        pad_to(image, code, b->layout.pages);
        isa_pages_emit(b->platform, b->layout.pages, code);
    }
    pad_to(image, code, b->layout.rows);
    emit_rows(b, code);
    pad_to(image, code, b->layout.locations);
    emit_locations(b, code);
    return isa_code_finish(code, problem);
}

/* ---- Symbols. */

enum { MOST_LOCATION_SYMBOLS = 4096 };

static void add_symbol(isa_image *image, const char *name, uint64_t address, uint64_t size,
                       bool is_code) {
    isa_symbol *symbol = &image->symbols[image->symbol_count++];
    *symbol = (isa_symbol){.address = address, .size = size, .is_code = is_code};
    (void)snprintf(symbol->name, sizeof symbol->name, "%s", name);
}

static void add_numbered(isa_image *image, const char *prefix, uint32_t number, uint64_t address,
                         uint64_t size, bool is_code) {
    char name[32];
    (void)snprintf(name, sizeof name, "%s%u", prefix, (unsigned)number);
    add_symbol(image, name, address, size, is_code);
}

static col_status add_symbols(const builder *b, col_problem *problem) {
    enum { OTHERS = 16 };
    isa_image *image = b->image;
    const isa_map *map = &image->map;
    const isa_window *results = &map->results;
    const uint32_t locations =
        map->location_count < MOST_LOCATION_SYMBOLS ? map->location_count : MOST_LOCATION_SYMBOLS;
    const col_status status = base_reserve(&image->symbols, &image->symbol_capacity,
                                           (size_t)map->thread_count + locations + OTHERS,
                                           sizeof *image->symbols, problem);
    if (status != COL_OK)
        return status;
    add_symbol(image, "_start", image->load, BOOT_BYTES, true);
    for (uint32_t t = 0; t < map->thread_count; t++) {
        const uint64_t end = t + 1 < map->thread_count ? b->entries[t + 1] : b->threads.size;
        add_numbered(image, "thread_", t, map->threads[t].entry, end - b->entries[t], true);
    }
    add_symbol(image, "thread_table", b->layout.rows, 0, false);
    add_symbol(image, "location_table", b->layout.locations,
               b->layout.locations_end - b->layout.locations, false);
    if (b->platform->barrier.kind != ISA_BARRIER_DEVICE)
        add_symbol(image, "barrier", b->layout.words,
                   (uint64_t)(map->thread_count + 1) * ISA_BARRIER_BLOCK, false);
    if (b->platform->exit.kind == ISA_EXIT_TOHOST) {
        add_symbol(image, "tohost", b->layout.tohost, 8, false);
        add_symbol(image, "fromhost", image->data.base + BLOCK, 8, false);
    }
    add_symbol(image, "results", results->base, isa_map_log(map), false);
    add_symbol(image, "log", results->base + isa_map_log(map), results->size - isa_map_log(map),
               false);
    add_symbol(image, "begin_signature", results->base, 0, false);
    add_symbol(image, "end_signature", results->base + results->size, 0, false);
    add_symbol(image, "locations", image->memory, memory_bytes(b), false);
    for (uint32_t l = 0; l < locations; l++)
        add_numbered(image, "a", l, image->memory + b->program->addresses[l], map->word_bytes,
                     false);
    return COL_OK;
}

/* ---- The whole. */

static col_status build(builder *b, col_problem *problem) {
    col_status status = check(b, problem);
    if (status == COL_OK)
        status = begin_map(b, problem);
    if (status == COL_OK)
        status = encode_threads(b, problem);
    if (status != COL_OK)
        return status;
    lay_out_log(b);
    place_sites(b);
    status = place_memory(b, place_data(b, place_tables(b)), problem);
    if (status == COL_OK)
        status = emit_all(b, problem);
    return status == COL_OK ? add_symbols(b, problem) : status;
}

col_status isa_image_build(isa_image *image, const col_program *program,
                           const isa_platform *platform, const isa_image_settings *settings,
                           col_problem *problem) {
    builder b = {.image = image,
                 .program = program,
                 .platform = platform,
                 .settings = settings,
                 .threads = ISA_CODE_EMPTY};
    isa_image_free(image);
    image->load = platform->load;
    const col_status status = build(&b, problem);
    isa_code_free(&b.threads);
    free(b.entries);
    if (status != COL_OK)
        isa_image_free(image);
    return status;
}
