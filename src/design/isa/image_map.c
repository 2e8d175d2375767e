/* SPDX-License-Identifier: MIT */
/*
 * Reading map.json: see image.h. A map may come from anywhere, so everything that addresses
 * memory later is checked here, against the program.
 */
#include "design/isa/image.h"

#include "base/file.h"
#include "base/json.h"
#include "base/names.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is missing or wrong; NULL: nothing is. */
typedef struct reading {
    isa_map *map;
    const col_program *program;
    const char *fault;
} reading;

void isa_map_free(isa_map *map) {
    free(map->threads);
    free(map->sites);
    *map = (isa_map)ISA_MAP_EMPTY;
}

uint64_t isa_map_salt(const isa_map *map, uint64_t round) {
    return (map->salt_first + round + 1) * map->salt_step & map->salt_mask;
}

uint64_t isa_map_word(const isa_map *map, const col_program *program, uint64_t word,
                      uint64_t round) {
    return (col_program_to_memory(program, word) + isa_map_salt(map, round)) & map->ones;
}

uint64_t isa_map_slot(const isa_map *map, const isa_map_site *site) {
    return map->threads[site->thread].log_offset + (uint64_t)site->slot * map->word_bytes;
}

bool isa_map_has_reads(const isa_map *map) {
    for (uint32_t t = 0; t < map->thread_count; t++)
        if (map->threads[t].slots > 0)
            return true;
    return false;
}

uint64_t isa_map_log(const isa_map *map) {
    return (uint64_t)map->thread_count * ISA_RECORD_BYTES;
}

uint64_t isa_map_part(const isa_map *map) {
    return map->results.base - map->all.base;
}

/* A number, or one in a text. */
static uint64_t number_at(reading *r, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    uint64_t number = 0;
    bool is_good = true;
    if (json_is_string(value))
        is_good = base_number_parse(json_string_value(value), &number);
    else
        number = base_json_number(value, &is_good);
    if (!is_good && r->fault == NULL)
        r->fault = key;
    return number;
}

static uint32_t small_at(reading *r, const json_t *object, const char *key) {
    const uint64_t number = number_at(r, object, key);
    if (number >= UINT32_MAX && r->fault == NULL)
        r->fault = key;
    return (uint32_t)number;
}

/* Never NULL. */
static const char *text_at(reading *r, const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    if (text == NULL && r->fault == NULL)
        r->fault = key;
    return text == NULL ? "" : text;
}

static uint32_t choice_at(reading *r, const json_t *object, const char *key,
                          const char *const *words) {
    const char *text = text_at(r, object, key);
    uint32_t choice = 0;
    if (!base_choice_find(words, text, strlen(text), &choice)) {
        if (r->fault == NULL)
            r->fault = key;
        choice = 0;
    }
    return choice;
}

static void expect(reading *r, bool is_good, const char *what) {
    if (!is_good && r->fault == NULL)
        r->fault = what;
}

/* ---- Parts. */

static void read_facts(reading *r, const json_t *root) {
    isa_map *map = r->map;
    map->target = isa_find(text_at(r, root, "isa"));
    expect(r, map->target != NULL, "isa");
    const char *platform = text_at(r, root, "platform");
    const size_t length = strlen(platform);
    expect(r, length < sizeof map->platform, "platform");
    memcpy(map->platform, platform, length < sizeof map->platform ? length : 0);
    map->model = (col_model)choice_at(r, root, "model", col_models);
    map->log = (isa_log)choice_at(r, root, "log", isa_log_words);
    map->rounds = number_at(r, root, "rounds");
    expect(r, map->rounds > 0 && map->rounds <= UINT32_MAX, "rounds");
    map->seed = number_at(r, root, "seed");
    map->image = small_at(r, root, "image");
    map->word_bytes = small_at(r, root, "word");
    map->ones = map->word_bytes == 8 ? UINT64_MAX : UINT32_MAX;
    const json_t *salt = json_object_get(root, "salt"), *ram = json_object_get(root, "ram");
    map->salt_first = json_object_get(salt, "first") == NULL ? 0 : number_at(r, salt, "first");
    map->salt_step = number_at(r, salt, "step");
    map->salt_mask = number_at(r, salt, "mask");
    map->ram.base = number_at(r, ram, "base");
    map->ram.size = number_at(r, ram, "size");
}

static void read_results(reading *r, const json_t *results) {
    isa_map *map = r->map;
    const json_t *finals = json_object_get(results, "finals");
    map->results.base = number_at(r, results, "base");
    map->results.size = number_at(r, results, "size");
    const json_t *all = json_object_get(results, "all");
    map->all.base = all == NULL ? map->results.base : number_at(r, all, "base");
    map->all.size = all == NULL ? map->results.size : number_at(r, all, "size");
    expect(r,
           map->results.base >= map->all.base && map->results.size <= map->all.size &&
               map->results.base - map->all.base <= map->all.size - map->results.size,
           "all");
    map->stride = number_at(r, results, "stride");
    map->finals_offset = json_is_null(finals) ? ISA_NO_FINALS : number_at(r, results, "finals");
    expect(r, number_at(r, results, "record") == ISA_RECORD_BYTES, "record");
    expect(r, number_at(r, results, "log") == isa_map_log(map), "log");
    expect(r,
           map->stride <= UINT32_MAX &&
               map->results.size == isa_map_log(map) + map->rounds * map->stride,
           "size");
    const uint64_t finals_bytes = (uint64_t)map->location_count * map->word_bytes;
    expect(
        r,
        map->finals_offset == ISA_NO_FINALS ||
            (map->finals_offset <= map->stride && finals_bytes <= map->stride - map->finals_offset),
        "finals");
}

static uint32_t register_at(reading *r, const json_t *site) {
    const char *name = text_at(r, site, "register");
    const isa_target *target = r->map->target;
    for (uint32_t i = 0; target != NULL && i < target->register_count; i++)
        if (strcmp(target->registers[i], name) == 0)
            return i;
    expect(r, false, "register");
    return 0;
}

static void read_site(reading *r, const json_t *site, uint32_t thread, uint32_t operation,
                      uint32_t *slots) {
    const bool reads = col_kinds[r->program->operations[operation].kind].reads;
    expect(r, number_at(r, site, "operation") == operation, "operation");
    r->map->sites[operation] = (isa_map_site){.pc = number_at(r, site, "pc"),
                                              .operation = operation,
                                              .thread = thread,
                                              .slot = ISA_NONE,
                                              .reg = ISA_NONE};
    if (!reads)
        return;
    r->map->sites[operation].slot = *slots;
    r->map->sites[operation].reg = register_at(r, site);
    expect(r, number_at(r, site, "slot") == (*slots)++, "slot");
}

static void read_thread(reading *r, const json_t *thread, uint32_t number) {
    isa_map *map = r->map;
    const uint32_t first = r->program->thread_start[number];
    const uint32_t count = r->program->thread_start[number + 1] - first;
    const json_t *sites = json_object_get(thread, "operations");
    uint32_t slots = 0;
    expect(r, number_at(r, thread, "thread") == number, "thread");
    expect(r, json_array_size(sites) == count, "operations");
    for (uint32_t o = 0; o < count && r->fault == NULL; o++)
        read_site(r, json_array_get(sites, o), number, first + o, &slots);
    isa_map_thread *t = &map->threads[number];
    *t = (isa_map_thread){.entry = number_at(r, thread, "entry"),
                          .log_offset = number_at(r, thread, "offset"),
                          .slots = small_at(r, thread, "slots")};
    expect(r, t->slots == slots, "slots");
    const uint64_t bytes = (uint64_t)slots * map->word_bytes;
    expect(r,
           map->log == ISA_LOG_TAP ||
               (t->log_offset <= map->stride && bytes <= map->stride - t->log_offset),
           "offset");
}

/* ---- The whole. */

static bool is_of_program(const json_t *root, const col_program *program) {
    const char *text = json_string_value(json_object_get(root, "program"));
    const col_hash hash = col_program_hash(program);
    uint64_t high = 0, low = 0;
    return text != NULL && strlen(text) == 32 && base_take_hexadecimal(&text, 16, &high) &&
           base_take_hexadecimal(&text, 16, &low) && high == hash.high && low == hash.low;
}

static col_status check_kind(const json_t *root, const char *file, col_problem *problem) {
    const char *format = json_string_value(json_object_get(root, "format"));
    if (format == NULL || strcmp(format, "collider image map") != 0)
        return base_refuse_at(problem, file, 1, 1, "this is not the map of an image");
    bool is_good = true;
    if (base_json_number_at(root, "version", &is_good) != ISA_MAP_VERSION || !is_good)
        return base_refuse_at(problem, file, 1, 1,
                              "this map is of another version of Collider; make the image again");
    return COL_OK;
}

/* What is said of the program; NULL: it is another program's map. */
static const json_t *find_program(const json_t *root, const col_program *program) {
    const json_t *parts = json_object_get(root, "programs");
    for (size_t i = 0; i < json_array_size(parts); i++)
        if (is_of_program(json_array_get(parts, i), program))
            return json_array_get(parts, i);
    return is_of_program(root, program) ? root : NULL;
}

static col_status read_root(isa_map *map, const json_t *root, const char *file,
                            const col_program *program, col_problem *problem) {
    reading r = {.map = map, .program = program};
    const col_status status = check_kind(root, file, problem);
    if (status != COL_OK)
        return status;
    root = find_program(root, program);
    if (root == NULL)
        return base_refuse_at(problem, file, 1, 1,
                              "this is the map of an image of another program");
    map->thread_count = program->thread_count;
    map->location_count = program->location_count;
    map->site_count = col_program_operations(program);
    map->threads = calloc((size_t)map->thread_count + 1, sizeof *map->threads);
    map->sites = calloc((size_t)map->site_count + 1, sizeof *map->sites);
    if (map->threads == NULL || map->sites == NULL)
        return base_out_of_memory(problem);
    read_facts(&r, root);
    expect(&r, map->word_bytes == col_program_word_bytes(program), "word");
    read_results(&r, json_object_get(root, "results"));
    const json_t *threads = json_object_get(root, "threads");
    expect(&r, json_array_size(threads) == map->thread_count, "threads");
    for (uint32_t t = 0; t < map->thread_count && r.fault == NULL; t++)
        read_thread(&r, json_array_get(threads, t), t);
    return r.fault == NULL
               ? COL_OK
               : base_refuse_at(problem, file, 1, 1,
                                "'%s' of this map is missing or does not fit the program", r.fault);
}

col_status isa_map_parse(isa_map *map, const char *text, size_t length, const char *file,
                         const col_program *program, col_problem *problem) {
    json_t *root = NULL;
    col_status status = base_json_parse(text, length, file, &root, problem);
    if (status != COL_OK)
        return status;
    status = read_root(map, root, file, program, problem);
    json_decref(root);
    if (status != COL_OK)
        isa_map_free(map);
    return status;
}

col_status isa_map_read(isa_map *map, const char *path, const col_program *program,
                        col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK)
        status = isa_map_parse(map, text.data == NULL ? "" : text.data, text.length, path, program,
                               problem);
    base_text_free(&text);
    return status;
}
