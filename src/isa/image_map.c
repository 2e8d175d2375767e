/* SPDX-License-Identifier: MIT */
/* map.json of an image: see image.h. map.c reads it; docs/images.md describes it. */
#include "isa/image.h"

#include "base/json.h"

#include <stdio.h>

/* Numbers of 64 bits are texts: many readers of JSON have no more than 53. */
static json_t *hexadecimal(uint64_t number) {
    char text[24];
    (void)snprintf(text, sizeof text, "0x%llx", (unsigned long long)number);
    return json_string(text);
}

static json_t *make_window(const isa_window *window) {
    return json_pack("{s:o, s:o}", "base", hexadecimal(window->base), "size",
                     hexadecimal(window->size));
}

static json_t *make_site(const isa_map *map, const isa_map_site *site,
                         const col_operation *operation) {
    json_t *result = json_pack("{s:I, s:s, s:o}", "operation", (json_int_t)site->operation, "kind",
                               col_kinds[operation->kind].name, "pc", hexadecimal(site->pc));
    if (site->slot != ISA_NONE) {
        base_json_set(&result, "slot", json_integer(site->slot));
        base_json_set(&result, "register", json_string(map->target->registers[site->reg]));
    }
    return result;
}

static json_t *make_thread(const isa_map *map, const col_program *program, uint32_t thread) {
    const isa_map_thread *t = &map->threads[thread];
    json_t *sites = json_array();
    for (uint32_t s = program->thread_start[thread]; s < program->thread_start[thread + 1]; s++)
        base_json_append(
            &sites, make_site(map, &map->sites[s], &program->operations[map->sites[s].operation]));
    return json_pack("{s:I, s:I, s:o, s:I, s:I, s:o}", "thread", (json_int_t)thread, "hart",
                     (json_int_t)thread, "entry", hexadecimal(t->entry), "offset",
                     (json_int_t)t->log_offset, "slots", (json_int_t)t->slots, "operations", sites);
}

static json_t *make_threads(const isa_map *map, const col_program *program) {
    json_t *threads = json_array();
    for (uint32_t t = 0; t < map->thread_count; t++)
        base_json_append(&threads, make_thread(map, program, t));
    return threads;
}

static json_t *make_salt(const isa_map *map) {
    json_t *salt = json_pack("{s:I, s:I}", "step", (json_int_t)map->salt_step, "mask",
                             (json_int_t)map->salt_mask);
    if (map->salt_first > 0)
        base_json_set(&salt, "first", json_integer((json_int_t)map->salt_first));
    return salt;
}

static json_t *make_symbols(const isa_image *image) {
    json_t *symbols = json_array();
    for (size_t i = 0; i < image->symbol_count; i++) {
        const isa_symbol *s = &image->symbols[i];
        base_json_append(&symbols,
                         json_pack("{s:s, s:o, s:o}", "name", s->name, "address",
                                   hexadecimal(s->address), "size", hexadecimal(s->size)));
    }
    return symbols;
}

static json_t *make_results(const isa_map *map) {
    json_t *results = json_pack(
        "{s:o, s:o, s:I, s:I, s:I, s:o}", "base", hexadecimal(map->results.base), "size",
        hexadecimal(map->results.size), "record", (json_int_t)ISA_RECORD_BYTES, "log",
        (json_int_t)isa_map_log(map), "stride", (json_int_t)map->stride, "finals",
        map->finals_offset == ISA_NO_FINALS ? json_null()
                                            : json_integer((json_int_t)map->finals_offset));
    if (map->all.size > map->results.size)
        base_json_set(&results, "all", make_window(&map->all));
    return results;
}

static json_t *make_map(const isa_image *image, const isa_map *map, const col_program *program) {
    char hash[40];
    (void)snprintf(hash, sizeof hash, "%016llx%016llx", (unsigned long long)map->program.high,
                   (unsigned long long)map->program.low);
    json_t *root =
        json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:I, s:I}", "format",
                  "collider image map", "version", (json_int_t)ISA_MAP_VERSION, "collider",
                  col_version(), "isa", map->target->name, "platform", map->platform, "model",
                  col_models[map->model], "log", isa_log_words[map->log], "program", hash, "rounds",
                  (json_int_t)map->rounds, "seed", hexadecimal(map->seed), "image",
                  (json_int_t)map->image, "word", (json_int_t)map->word_bytes);
    base_json_set(&root, "salt", make_salt(map));
    base_json_set(&root, "ram", make_window(&map->ram));
    base_json_set(&root, "load", hexadecimal(image->load));
    base_json_set(&root, "memory", hexadecimal(image->memory));
    base_json_set(&root, "results", make_results(map));
    base_json_set(&root, "threads", make_threads(map, program));
    return root;
}

/* Of several programs each has its own map in the list. */
static json_t *make_maps(const isa_image *image, const col_program *const *programs) {
    json_t *list = json_array();
    for (uint32_t p = 0; p < image->map_count; p++)
        base_json_append(&list, make_map(image, &image->maps[p], programs[p]));
    return json_pack("{s:s, s:I, s:s, s:o}", "format", "collider image map", "version",
                     (json_int_t)ISA_MAP_VERSION, "collider", col_version(), "programs", list);
}

col_status isa_image_map(const isa_image *image, const col_program *const *programs,
                         base_text *text, col_problem *problem) {
    json_t *root = image->map_count == 1 ? make_map(image, &image->maps[0], programs[0])
                                         : make_maps(image, programs);
    base_json_set(&root, "symbols", make_symbols(image));
    base_json_print(root, JSON_INDENT(1), text);
    base_text_add(text, "\n");
    json_decref(root);
    return base_text_status(text, problem);
}
