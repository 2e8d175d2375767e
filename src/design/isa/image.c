/* SPDX-License-Identifier: MIT */
/*
 * Building images: see image.h. From the load address on there are the boot code, the threads and
 * tables of all programs, which are what a loader brings; then, without content, the barrier's
 * words and stacks; the results of each program; and last the memory under test, which programs
 * share one after the other, aligned so that its addresses meet the cache sets that the programs'
 * addresses do.
 */
#include "design/isa/image.h"

#include "base/memory.h"
#include "base/random.h"
#include "design/isa/harness.h"
#include "design/isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BOOT_BYTES = 16384,
    MORE_BYTES = 4096,
    STACK_BYTES = 1024,
    BLOCK = 64,
    PAGE = 4096,
    MOST_SKEW_BITS = 16
};
enum { MEMORY_ALIGNMENT = 65536 };
/* An await gives up before the others, at the barrier, give up on its hart. */
enum { AWAIT_SHARE = 8 };
#define MOST_ROUNDS (UINT64_C(1) << 30)

void isa_image_default(isa_image_settings *settings) {
    *settings = (isa_image_settings){
        .log = ISA_LOG_REGISTERS, .rounds = 100, .seed = 1, .skew_bits = 8, .has_finals = true};
}

void isa_image_free(isa_image *image) {
    for (uint32_t p = 0; p < image->map_count; p++)
        isa_map_free(&image->maps[p]);
    free(image->maps);
    isa_code_free(&image->code);
    free(image->symbols);
    *image = (isa_image)ISA_IMAGE_EMPTY;
}

/* What is being built. */
typedef struct builder {
    isa_image *image;
    const col_program *const *programs;
    uint32_t count;
    const isa_platform *platform;
    const isa_image_settings *settings;
    isa_layout *layouts; /* of each program */
    uint32_t harts;      /* with a thread in some program */
    isa_code threads;    /* of all of them; becomes a part of the image */
} builder;

/* The boot code has a part for each program. */
static uint64_t boot_bytes(const builder *b) {
    return BOOT_BYTES + (uint64_t)(b->count - 1) * MORE_BYTES;
}

static uint64_t align(uint64_t number, uint64_t alignment) {
    return (number + alignment - 1) / alignment * alignment;
}

/* ---- What can be said before there is code. */

static col_status check_program(const builder *b, const col_program *program,
                                col_problem *problem) {
    const uint64_t harts = b->platform->harts;
    if (program->thread_count == 0)
        return base_refuse(problem, "a program without threads has nothing to run");
    if (program->thread_count > harts)
        return base_refuse(problem, "the program has %u threads, but %s has %llu hart%s",
                           (unsigned)program->thread_count, b->platform->name,
                           (unsigned long long)harts, harts == 1 ? "" : "s");
    if (program->thread_count != b->harts && b->platform->barrier.kind == ISA_BARRIER_DEVICE)
        return base_refuse(problem,
                           "with a barrier that is a device all programs of an image have the "
                           "same number of threads, but one has %u and another %u",
                           (unsigned)program->thread_count, (unsigned)b->harts);
    return COL_OK;
}

static col_status check(builder *b, col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t p = 0; p < b->count; p++)
        if (b->programs[p]->thread_count > b->harts)
            b->harts = b->programs[p]->thread_count;
    for (uint32_t p = 0; p < b->count && status == COL_OK; p++)
        status = check_program(b, b->programs[p], problem);
    if (status == COL_OK && (b->settings->rounds == 0 || b->settings->rounds > MOST_ROUNDS))
        status = base_refuse(problem, "an image runs 1 to 2^30 rounds");
    if (status == COL_OK && b->settings->skew_bits > MOST_SKEW_BITS)
        status = base_refuse(problem, "the start skew has at most %d bits", MOST_SKEW_BITS);
    return status;
}

static uint32_t most_value(const col_program *program) {
    uint32_t most = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const col_operation *operation = &program->operations[o];
        if ((operation->kind == COL_STORE || operation->kind == COL_SWAP) &&
            operation->value > most)
            most = operation->value;
    }
    return most;
}

/* The salts of rounds are so far apart that the values of one never meet those of another, as long
 * as the value's part of the word has room; if it has none at all, they are at least different. The
 * same goes for rounds of different programs. */
static void choose_salts(const builder *b, uint32_t number) {
    isa_map *map = &b->image->maps[number];
    const uint32_t bits = b->programs[number]->is_narrow ? COL_NARROW_VALUE_BITS : 32;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t most = 0, step = 1;
    for (uint32_t p = 0; p < b->count; p++)
        if (most_value(b->programs[p]) > most)
            most = most_value(b->programs[p]);
    while (step <= most)
        step *= 2;
    if (step > mask / 2)
        step = (UINT64_C(0x9e3779b1) & mask) | 1;
    map->salt_first = number * b->settings->rounds;
    map->salt_step = step;
    map->salt_mask = mask;
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

static col_status begin_map(const builder *b, uint32_t number, col_problem *problem) {
    const col_program *program = b->programs[number];
    isa_map *map = &b->image->maps[number];
    const uint32_t operations = col_program_operations(program);
    *map = (isa_map){.target = b->platform->target,
                     .model = b->platform->model,
                     .log = b->settings->log,
                     .rounds = b->settings->rounds,
                     .seed = b->settings->seed,
                     .program = col_program_hash(program),
                     .word_bytes = col_program_word_bytes(program),
                     .ones = program->is_narrow ? UINT32_MAX : UINT64_MAX,
                     .ram = b->platform->ram,
                     .finals_offset = ISA_NO_FINALS,
                     .thread_count = program->thread_count,
                     .location_count = program->location_count,
                     .site_count = operations};
    (void)snprintf(map->platform, sizeof map->platform, "%s", b->platform->name);
    map->image = number_image(b, map->program);
    map->threads = calloc(map->thread_count, sizeof *map->threads);
    map->sites = calloc((size_t)operations + 1, sizeof *map->sites);
    choose_salts(b, number);
    return map->threads != NULL && map->sites != NULL ? COL_OK : base_out_of_memory(problem);
}

static col_status begin_maps(builder *b, col_problem *problem) {
    col_status status = COL_OK;
    b->image->maps = calloc(b->count, sizeof *b->image->maps);
    b->layouts = calloc(b->count, sizeof *b->layouts);
    if (b->image->maps == NULL || b->layouts == NULL)
        return base_out_of_memory(problem);
    for (uint32_t p = 0; p < b->count && status == COL_OK; p++) {
        status = begin_map(b, p, problem);
        b->image->map_count = p + 1;
        if (status == COL_OK)
            status = isa_stub_list(b->programs[p], &b->layouts[p].stub_list,
                                   &b->layouts[p].stub_count, problem);
    }
    return status;
}

/* ---- Threads. */

static col_status encode_threads(builder *b, uint32_t number, col_problem *problem) {
    const isa_settings settings = {.log = b->settings->log,
                                   .await_limit = b->platform->barrier.limit / AWAIT_SHARE + 1,
                                   .has_flush = b->platform->has_flush,
                                   .exclusives = !b->platform->has_atomics};
    isa_map *map = &b->image->maps[number];
    col_status status = COL_OK;
    for (uint32_t t = 0; t < map->thread_count && status == COL_OK; t++) {
        isa_align(&b->threads, BLOCK);
        map->threads[t].entry = b->image->load + boot_bytes(b) + isa_here(&b->threads);
        status = isa_encode_thread(b->platform->target, b->programs[number], t, &settings,
                                   &b->threads, problem);
    }
    if (status == COL_OK)
        status = isa_code_finish(&b->threads, problem);
    if (status == COL_OK) {
        /* Sites are at their places in the image; those of a program are the last ones of the code.
         */
        const uint64_t begin = b->image->load + boot_bytes(b);
        const size_t first = b->threads.site_count - map->site_count;
        for (uint32_t s = 0; s < map->site_count; s++) {
            const isa_site *site = &b->threads.sites[first + s];
            map->sites[s] = (isa_map_site){
                .pc = begin + (site->access != ISA_NONE ? site->access : site->offset),
                .operation = site->operation,
                .thread = col_program_thread_of(b->programs[number], site->operation),
                .slot = site->slot,
                .reg = site->reg,
            };
        }
    }
    return status;
}

/* The slots of the threads, each in blocks of its own, then the final words. */
static void lay_out_log(const builder *b, uint32_t number) {
    const col_program *program = b->programs[number];
    isa_map *map = &b->image->maps[number];
    const bool logs = map->log != ISA_LOG_TAP;
    for (uint32_t t = 0; t < map->thread_count; t++) {
        map->threads[t].log_offset = map->stride;
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++)
            map->threads[t].slots += col_kinds[program->operations[o].kind].reads;
        if (logs)
            map->stride += align((uint64_t)map->threads[t].slots * map->word_bytes, BLOCK);
    }
    if (!logs || !b->settings->has_finals)
        return;
    map->finals_offset = map->stride;
    map->stride += align((uint64_t)map->location_count * map->word_bytes, BLOCK);
}

/* ---- Memory. */

/* The results of all programs; returns where they end. */
static uint64_t place_results(const builder *b, uint64_t at) {
    isa_image *image = b->image;
    const uint64_t begin = at;
    for (uint32_t p = 0; p < b->count; p++) {
        isa_map *map = &image->maps[p];
        map->results = (isa_window){at, isa_map_log(map) + map->rounds * map->stride};
        at += map->results.size;
    }
    for (uint32_t p = 0; p < b->count; p++)
        image->maps[p].all = (isa_window){begin, at - begin};
    return at;
}

static uint64_t barrier_bytes(const builder *b, uint32_t number) {
    return (uint64_t)(b->programs[number]->thread_count + 1) * ISA_BARRIER_BLOCK;
}

/* The cached words or stacks, then the results, from `at` on. */
static uint64_t place_data(builder *b, uint64_t at) {
    isa_image *image = b->image;
    uint64_t uncached = b->platform->uncached.base;
    image->data.base = at = align(at, PAGE);
    const uint64_t tohost = b->platform->exit.address != 0 ? b->platform->exit.address : at;
    at += (uint64_t)2 * BLOCK;
    uint64_t *words_at = b->platform->barrier.kind == ISA_BARRIER_UNCACHED ? &uncached : &at;
    for (uint32_t p = 0; p < b->count; p++) {
        b->layouts[p].tohost = tohost;
        b->layouts[p].words = *words_at;
        b->layouts[p].phase = p * (2 * b->settings->rounds + 1);
        *words_at += barrier_bytes(b, p);
    }
    at += (uint64_t)b->harts * STACK_BYTES;
    image->data.size = at - image->data.base;
    uint64_t *results_at = b->platform->has_uncached_log ? &uncached : &at;
    *results_at = place_results(b, *results_at);
    return at;
}

static uint64_t stack_top(const builder *b, uint32_t thread) {
    const isa_window *data = &b->image->data;
    const uint32_t above = b->harts - 1 - thread;
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
    for (uint32_t p = 0; p < b->count; p++)
        for (uint32_t l = 0; l < b->programs[p]->location_count; l++)
            if (b->programs[p]->addresses[l] >= most)
                most = b->programs[p]->addresses[l] + b->image->maps[p].word_bytes;
    for (uint32_t p = 0; p < b->count; p++)
        if (b->layouts[p].stub_count > 0)
            return align(most, BLOCK); /* a stub may be behind the last location */
    return most;
}

static col_status refuse_log(const builder *b, uint64_t others, uint64_t room,
                             col_problem *problem) {
    const isa_map *maps = b->image->maps;
    uint64_t used = others, stride = 0;
    for (uint32_t p = 0; p < b->count; p++) {
        used += isa_map_log(&maps[p]);
        stride += maps[p].stride;
    }
    const uint64_t fit = room > used && stride > 0 ? (room - used) / stride : 0;
    return base_refuse(problem,
                       "the log of %llu round%s has %llu bytes, more than %s has room for; "
                       "%llu rounds would fit",
                       (unsigned long long)maps->rounds, maps->rounds == 1 ? "" : "s",
                       (unsigned long long)maps->all.size, b->platform->name,
                       (unsigned long long)fit);
}

/* Does everything fit? `end` is where the memory under test may begin. */
static col_status place_memory(builder *b, uint64_t end, col_problem *problem) {
    const isa_platform *p = b->platform;
    const isa_window *all = &b->image->maps[0].all;
    const isa_window *log_window = p->has_uncached_log ? &p->uncached : &p->ram;
    const uint64_t bytes = memory_bytes(b), ram_end = p->ram.base + p->ram.size;
    const uint64_t alignment = memory_alignment(&p->geometry);
    const uint64_t log_end = log_window->base + log_window->size;
    const uint64_t room = all->base < log_end ? log_end - all->base : 0;
    if (all->size > room) /* in ram the locations come behind it */
        return refuse_log(b, p->has_uncached_log ? 0 : bytes + alignment, room, problem);
    const uint64_t memory = b->image->memory = align(end, alignment);
    for (uint32_t i = 0; i < b->count; i++)
        b->layouts[i].memory = memory;
    if (memory < ram_end && bytes <= ram_end - memory)
        return COL_OK;
    return base_refuse(problem,
                       "the program's addresses span %llu bytes, but %s has only %llu bytes of ram "
                       "left for them",
                       (unsigned long long)bytes, p->name,
                       (unsigned long long)(memory < ram_end ? ram_end - memory : 0));
}

/* ---- The bytes. */

/* In the memory under test. */
static void emit_addresses(const builder *b, const uint64_t *addresses, uint32_t count,
                           isa_code *code) {
    for (uint32_t i = 0; i < count; i++)
        isa_emit_number(code, b->image->memory + addresses[i], b->platform->target->address_bytes);
}

/* Where tables are behind the threads, and where they end. */
static uint64_t place_tables(builder *b) {
    const uint32_t unit = b->platform->target->address_bytes;
    const uint64_t page_bytes = isa_pages_bytes(b->platform);
    uint64_t at = b->image->load + boot_bytes(b) + b->threads.size, pages = 0;
    if (page_bytes > 0) {
        pages = at = align(at, PAGE);
        at += page_bytes;
    }
    for (uint32_t p = 0; p < b->count; p++) {
        isa_layout *layout = &b->layouts[p];
        layout->pages = pages;
        layout->rows = at = align(at, BLOCK);
        at += (uint64_t)b->programs[p]->thread_count * ISA_ROW_COUNT * unit;
        layout->locations = at = align(at, BLOCK);
        layout->locations_end = at += (uint64_t)b->programs[p]->location_count * unit;
        layout->stubs = at;
        layout->stubs_end = at += (uint64_t)layout->stub_count * unit;
    }
    return at;
}

static col_status emit_all(builder *b, col_problem *problem) {
    isa_image *image = b->image;
    isa_code *code = &image->code;
    isa_boot boot = {.code = code,
                     .machine = b->platform->target->machine,
                     .platform = b->platform,
                     .maps = image->maps,
                     .layouts = b->layouts,
                     .count = b->count,
                     .harts = b->harts,
                     .map = image->maps,
                     .layout = b->layouts,
                     .skew_mask = (UINT32_C(1) << b->settings->skew_bits) - 1,
                     .asks_skew = b->settings->asks_skew};
    isa_harness_emit(&boot);
    image->arrives = boot.arrives == 0 ? 0 : image->load + boot.arrives;
    if (code->size > boot_bytes(b))
        isa_code_refuse(code, "the boot code is too long");
    isa_pad(code, boot_bytes(b));
    isa_emit(code, b->threads.bytes, b->threads.size);
    if (b->layouts->pages != 0) {
        isa_pad(code, b->layouts->pages - image->load);
        isa_pages_emit(b->platform, b->layouts->pages, code);
    }
    for (uint32_t p = 0; p < b->count; p++) {
        isa_pad(code, b->layouts[p].rows - image->load);
        const uint32_t unit = image->maps[p].target->address_bytes;
        for (uint32_t t = 0; t < image->maps[p].thread_count; t++) {
            const isa_map_thread *thread = &image->maps[p].threads[t];
            const uint64_t slots =
                image->maps[p].stride > 0 ? (uint64_t)thread->slots * image->maps[p].word_bytes : 0;
            isa_emit_number(code, thread->entry, unit);
            isa_emit_number(code, thread->log_offset, unit);
            isa_emit_number(code, thread->log_offset + slots, unit);
            isa_emit_number(code, stack_top(b, t), unit);
        }
        isa_pad(code, b->layouts[p].locations - image->load);
        emit_addresses(b, b->programs[p]->addresses, b->programs[p]->location_count, code);
        emit_addresses(b, b->layouts[p].stub_list, b->layouts[p].stub_count, code);
    }
    return isa_code_finish(code, problem);
}

void isa_image_say(const isa_image *image, uint64_t pc, base_text *text) {
    const isa_target *target = image->maps[0].target;
    const uint64_t at = pc - image->load;
    if (pc < image->load || image->code.size < 4 || at > image->code.size - 4 ||
        pc % target->alignment != 0)
        return;
    const uint8_t *b = image->code.bytes + at;
    const uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    if (target->machine->say == NULL || !target->machine->say(target, word, pc, text))
        base_text_print(text, "0x%08x", word);
}

/* ---- Symbols. */

enum { MOST_LOCATION_SYMBOLS = 4096 };

static void add_symbol(isa_image *image, const char *name, uint64_t address, uint64_t size,
                       bool is_code) {
    isa_symbol *symbol = &image->symbols[image->symbol_count++];
    *symbol = (isa_symbol){.address = address, .size = size, .is_code = is_code};
    (void)snprintf(symbol->name, sizeof symbol->name, "%s", name);
}

/* Several programs have names that begin with p0_, p1_ ... */
static void add_numbered(const builder *b, uint32_t number, const char *prefix, uint32_t place,
                         uint64_t address, uint64_t size, bool is_code) {
    char program[16] = "", name[32];
    if (b->count > 1)
        (void)snprintf(program, sizeof program, "p%u_", (unsigned)number);
    (void)snprintf(name, sizeof name, "%s%s%u", program, prefix, (unsigned)place);
    add_symbol(b->image, name, address, size, is_code);
}

static uint32_t location_symbols(const isa_map *map) {
    return map->location_count < MOST_LOCATION_SYMBOLS ? map->location_count
                                                       : MOST_LOCATION_SYMBOLS;
}

/* The end of a thread's function: the next one's entry. */
static uint64_t thread_end(const builder *b, uint32_t number, uint32_t thread) {
    const isa_map *map = &b->image->maps[number];
    if (thread + 1 < map->thread_count)
        return map->threads[thread + 1].entry;
    return number + 1 < b->count ? map[1].threads[0].entry
                                 : b->image->load + boot_bytes(b) + b->threads.size;
}

static void add_common_symbols(const builder *b) {
    isa_image *image = b->image;
    const isa_map *map = &image->maps[0];
    const isa_layout *layout = &b->layouts[0];
    add_symbol(image, "_start", image->load, boot_bytes(b), true);
    add_symbol(image, "thread_table", layout->rows, 0, false);
    add_symbol(image, "location_table", layout->locations,
               layout->locations_end - layout->locations, false);
    const isa_layout *last = &b->layouts[b->count - 1];
    if (b->platform->barrier.kind != ISA_BARRIER_DEVICE)
        add_symbol(image, "barrier", layout->words,
                   last->words + barrier_bytes(b, b->count - 1) - layout->words, false);
    if (b->platform->exit.kind == ISA_EXIT_TOHOST) {
        add_symbol(image, "tohost", layout->tohost, 8, false);
        add_symbol(image, "fromhost", image->data.base + BLOCK, 8, false);
    }
    add_symbol(image, "results", map->all.base, isa_map_log(map), false);
    add_symbol(image, "log", map->all.base + isa_map_log(map), map->all.size - isa_map_log(map),
               false);
    add_symbol(image, "begin_signature", map->all.base, 0, false);
    add_symbol(image, "end_signature", map->all.base + map->all.size, 0, false);
    add_symbol(image, "locations", image->memory, memory_bytes(b), false);
}

static col_status add_symbols(const builder *b, col_problem *problem) {
    enum { OTHERS = 16 };
    isa_image *image = b->image;
    size_t count = OTHERS;
    for (uint32_t p = 0; p < b->count; p++)
        count += (size_t)image->maps[p].thread_count + location_symbols(&image->maps[p]);
    const col_status status = base_reserve(&image->symbols, &image->symbol_capacity, count,
                                           sizeof *image->symbols, problem);
    if (status != COL_OK)
        return status;
    add_common_symbols(b);
    for (uint32_t p = 0; p < b->count; p++) {
        const isa_map *map = &b->image->maps[p];
        for (uint32_t t = 0; t < map->thread_count; t++) {
            const uint64_t entry = map->threads[t].entry;
            add_numbered(b, p, "thread_", t, entry, thread_end(b, p, t) - entry, true);
        }
        for (uint32_t l = 0; l < location_symbols(map); l++)
            add_numbered(b, p, "a", l, b->image->memory + b->programs[p]->addresses[l],
                         map->word_bytes, false);
    }
    return COL_OK;
}

/* ---- The whole. */

static col_status build(builder *b, col_problem *problem) {
    col_status status = check(b, problem);
    if (status == COL_OK)
        status = begin_maps(b, problem);
    for (uint32_t p = 0; p < b->count && status == COL_OK; p++) {
        status = encode_threads(b, p, problem);
        lay_out_log(b, p);
    }
    if (status != COL_OK)
        return status;
    status = place_memory(b, place_data(b, place_tables(b)), problem);
    if (status == COL_OK)
        status = emit_all(b, problem);
    return status == COL_OK ? add_symbols(b, problem) : status;
}

col_status isa_image_build_all(isa_image *image, const col_program *const *programs, uint32_t count,
                               const isa_platform *platform, const isa_image_settings *settings,
                               col_problem *problem) {
    builder b = {.image = image,
                 .programs = programs,
                 .count = count,
                 .platform = platform,
                 .settings = settings,
                 .threads = ISA_CODE_EMPTY};
    isa_image_free(image);
    image->load = platform->load;
    const col_status status = build(&b, problem);
    isa_code_free(&b.threads);
    for (uint32_t p = 0; p < count && b.layouts != NULL; p++)
        free(b.layouts[p].stub_list);
    free(b.layouts);
    if (status != COL_OK)
        isa_image_free(image);
    return status;
}

col_status isa_image_build(isa_image *image, const col_program *program,
                           const isa_platform *platform, const isa_image_settings *settings,
                           col_problem *problem) {
    return isa_image_build_all(image, &program, 1, platform, settings, problem);
}
