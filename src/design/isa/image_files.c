/* SPDX-License-Identifier: MIT */
/* Images as files: see image.h. ELF by the System V ABI, all numbers little-endian. */
#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/path.h"
#include "design/isa/image.h"

#include <stdio.h>
#include <string.h>

/* ---- ELF. */

enum { PAGE = 4096, ET_EXEC = 2, PT_LOAD = 1, PT_NOTE = 4, PF_X = 1, PF_W = 2, PF_R = 4 };
enum { SHT_PROGBITS = 1, SHT_SYMTAB = 2, SHT_STRTAB = 3, SHT_NOBITS = 8 };
enum { SHF_WRITE = 1, SHF_ALLOC = 2, SHF_EXECINSTR = 4, SHN_ABS = 0xfff1 };
enum { STB_GLOBAL = 1, STT_OBJECT = 1, STT_FUNC = 2 };

/* Sections, in their order. */
enum { NONE, TEXT, BSS, SYMBOLS, STRINGS, SECTION_NAMES, SECTION_COUNT };
static const char section_names[] = "\0.text\0.bss\0.symtab\0.strtab\0.shstrtab";
static const uint8_t section_name_at[SECTION_COUNT] = {0, 1, 7, 12, 20, 28};

/* PVH's note: where a virtual machine starts x86-64, in 32-bit mode. It follows the headers. */
enum { NOTE_AT = 512, NOTE_BYTES = 24, PHYS32_ENTRY = 18 };

typedef struct elf {
    const isa_image *image;
    isa_code *out;
    bool is_wide; /* of 64 bits */
    bool has_note;
    uint32_t word; /* bytes of an address */
    uint64_t text_at, symbols_at, strings_at, names_at, sections_at;
    isa_window bss;
} elf;

static void half(elf *e, uint64_t number) {
    isa_emit_number(e->out, number, 2);
}

static void full(elf *e, uint64_t number) {
    isa_emit_number(e->out, number, 4);
}

static void word(elf *e, uint64_t number) {
    isa_emit_number(e->out, number, e->word);
}

static uint32_t symbol_bytes(const elf *e) {
    return e->is_wide ? 24 : 16;
}

static void emit_header(elf *e) {
    const isa_target *target = e->image->maps[0].target;
    const uint8_t identity[16] = {0x7f, 'E', 'L', 'F', e->is_wide ? 2 : 1, 1, 1};
    isa_emit(e->out, identity, sizeof identity);
    half(e, ET_EXEC);
    half(e, target->elf_machine);
    full(e, 1);
    word(e, e->image->load);
    word(e, e->is_wide ? 64 : 52); /* program headers */
    word(e, e->sections_at);
    full(e, 0);
    half(e, e->is_wide ? 64 : 52);
    half(e, e->is_wide ? 56 : 32);
    half(e, e->has_note ? 3 : 2);
    half(e, e->is_wide ? 64 : 40);
    half(e, SECTION_COUNT);
    half(e, SECTION_NAMES);
}

static void emit_segment(elf *e, uint32_t type, uint32_t flags, uint64_t offset,
                         const isa_window *memory, uint64_t file_size) {
    full(e, type);
    if (e->is_wide)
        full(e, flags);
    word(e, offset);
    word(e, memory->base);
    word(e, memory->base);
    word(e, file_size);
    word(e, memory->size);
    if (!e->is_wide)
        full(e, flags);
    word(e, type == PT_LOAD ? PAGE : 4);
}

typedef struct section {
    uint32_t which, type, flags, link, info, entry;
    uint64_t address, offset, size;
} section;

static void emit_section(elf *e, const section *s) {
    full(e, section_name_at[s->which]);
    full(e, s->type);
    word(e, s->flags);
    word(e, s->address);
    word(e, s->offset);
    word(e, s->size);
    full(e, s->link);
    full(e, s->info);
    word(e, s->type == SHT_PROGBITS || s->type == SHT_NOBITS ? PAGE : 8);
    word(e, s->entry);
}

static void emit_symbol(elf *e, const isa_symbol *symbol, uint32_t name) {
    const isa_window text = {e->image->load, e->image->code.size};
    const uint8_t info = STB_GLOBAL << 4 | (symbol->is_code ? STT_FUNC : STT_OBJECT);
    const uint32_t place = isa_is_within(&text, symbol->address)     ? TEXT
                           : isa_is_within(&e->bss, symbol->address) ? BSS
                                                                     : SHN_ABS;
    full(e, name);
    if (e->is_wide) {
        isa_emit_number(e->out, info, 2); /* and the visibility */
        half(e, place);
    }
    word(e, symbol->address);
    word(e, symbol->size);
    if (!e->is_wide) {
        isa_emit_number(e->out, info, 2);
        half(e, place);
    }
}

static void emit_symbols(elf *e) {
    uint32_t name = 1;
    isa_pad(e->out, e->out->size + symbol_bytes(e));
    for (size_t i = 0; i < e->image->symbol_count; i++) {
        emit_symbol(e, &e->image->symbols[i], name);
        name += (uint32_t)strlen(e->image->symbols[i].name) + 1;
    }
    isa_emit(e->out, "", 1);
    for (size_t i = 0; i < e->image->symbol_count; i++)
        isa_emit(e->out, e->image->symbols[i].name, strlen(e->image->symbols[i].name) + 1);
}

static void lay_out(elf *e) {
    const isa_image *image = e->image;
    uint64_t strings = 1;
    for (size_t i = 0; i < image->symbol_count; i++)
        strings += strlen(image->symbols[i].name) + 1;
    e->text_at = PAGE;
    e->symbols_at = (e->text_at + image->code.size + 7) / 8 * 8;
    e->strings_at = e->symbols_at + (image->symbol_count + 1) * symbol_bytes(e);
    e->names_at = e->strings_at + strings;
    e->sections_at = (e->names_at + sizeof section_names + 7) / 8 * 8;
    /* Results are a part of it where they follow it. */
    e->bss = image->data;
    if (image->maps[0].all.base == image->data.base + image->data.size)
        e->bss.size += image->maps[0].all.size;
}

static void emit_sections(elf *e) {
    const isa_image *image = e->image;
    const section all[SECTION_COUNT] = {
        {.which = NONE},
        {TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 0, 0, image->load, e->text_at,
         image->code.size},
        {BSS, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0, 0, 0, e->bss.base, e->text_at, e->bss.size},
        {SYMBOLS, SHT_SYMTAB, 0, STRINGS, 1, symbol_bytes(e), 0, e->symbols_at,
         e->strings_at - e->symbols_at},
        {STRINGS, SHT_STRTAB, 0, 0, 0, 0, 0, e->strings_at, e->names_at - e->strings_at},
        {SECTION_NAMES, SHT_STRTAB, 0, 0, 0, 0, 0, e->names_at, sizeof section_names},
    };
    for (uint32_t s = 0; s < SECTION_COUNT; s++)
        emit_section(e, &all[s]);
}

static col_status make_elf(const isa_image *image, isa_code *bytes, col_problem *problem) {
    elf e = {.image = image,
             .out = bytes,
             .is_wide = image->maps[0].target->address_bytes == 8,
             .has_note = image->maps[0].target->elf_machine == ISA_EM_X86_64,
             .word = image->maps[0].target->address_bytes};
    const isa_window text = {image->load, image->code.size};
    lay_out(&e);
    emit_header(&e);
    emit_segment(&e, PT_LOAD, PF_R | PF_X, e.text_at, &text, text.size);
    emit_segment(&e, PT_LOAD, PF_R | PF_W, e.text_at, &e.bss, 0);
    if (e.has_note) {
        emit_segment(&e, PT_NOTE, PF_R, NOTE_AT, &(const isa_window){0}, NOTE_BYTES);
        static const char name[] = "Xen";
        isa_pad(bytes, NOTE_AT);
        full(&e, sizeof name);
        full(&e, 8);
        full(&e, PHYS32_ENTRY);
        isa_emit(e.out, name, sizeof name);
        isa_emit_number(e.out, e.image->load, 8);
    }
    isa_pad(bytes, e.text_at);
    isa_emit(bytes, image->code.bytes, image->code.size);
    isa_pad(bytes, e.symbols_at);
    emit_symbols(&e);
    isa_emit(bytes, section_names, sizeof section_names);
    isa_pad(bytes, e.sections_at);
    emit_sections(&e);
    return isa_code_finish(bytes, problem);
}

/* ---- $readmemh. */

static void print_hex(const isa_image *image, uint32_t width, base_text *text) {
    const uint64_t offset = image->load - image->maps[0].ram.base;
    base_text_print(text, "@%llx\n", (unsigned long long)(offset / width));
    for (size_t at = 0; at < image->code.size; at += width) {
        uint64_t number = 0;
        for (uint32_t i = 0; i < width && at + i < image->code.size; i++)
            number |= (uint64_t)image->code.bytes[at + i] << (8 * i);
        base_text_print(text, "%0*llx\n", (int)(2 * width), (unsigned long long)number);
    }
}

/* ---- map.json. */

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

static col_status make_map_text(const isa_image *image, const col_program *const *programs,
                                base_text *text, col_problem *problem) {
    json_t *root = image->map_count == 1 ? make_map(image, &image->maps[0], programs[0])
                                         : make_maps(image, programs);
    base_json_set(&root, "symbols", make_symbols(image));
    base_json_print(root, JSON_INDENT(1), text);
    base_text_add(text, "\n");
    json_decref(root);
    return base_text_status(text, problem);
}

/* ---- Files. */

static const char *const names[ISA_IMAGE_FORMS + 1] = {"image.elf", "image.bin", "image.hex",
                                                       "map.json", NULL};

col_status isa_image_bytes(const isa_image *image, const col_program *const *programs,
                           isa_image_form form, uint32_t hex_width, base_text *bytes,
                           col_problem *problem) {
    isa_code made = ISA_CODE_EMPTY;
    col_status status = COL_OK;
    if (form == ISA_IMAGE_ELF)
        status = make_elf(image, &made, problem);
    else if (form == ISA_IMAGE_HEX)
        print_hex(image, hex_width, bytes);
    else if (form == ISA_IMAGE_MAP)
        status = make_map_text(image, programs, bytes, problem);
    const isa_code *code = form == ISA_IMAGE_ELF ? &made : &image->code;
    if (status == COL_OK && (form == ISA_IMAGE_ELF || form == ISA_IMAGE_BIN))
        base_text_add_bytes(bytes, (const char *)code->bytes, code->size);
    isa_code_free(&made);
    return status == COL_OK ? base_text_status(bytes, problem) : status;
}

static col_status write_file(const isa_image *image, const col_program *const *programs,
                             isa_image_form form, const char *folder, uint32_t hex_width,
                             col_problem *problem) {
    base_text bytes = {0};
    char path[PATH_MAX];
    col_status status = isa_image_bytes(image, programs, form, hex_width, &bytes, problem);
    if (status == COL_OK)
        status = base_path_in(path, folder, names[form], problem);
    if (status == COL_OK)
        status = base_file_write(path, bytes.data, bytes.length, problem);
    base_text_free(&bytes);
    return status;
}

col_status isa_image_write(const isa_image *image, const col_program *const *programs,
                           const char *folder, uint32_t hex_width, col_problem *problem) {
    base_stage stage;
    col_problem other;
    col_status status = base_stage_begin(&stage, folder, problem);
    if (status != COL_OK)
        return status;
    for (int f = 0; f < ISA_IMAGE_FORMS && status == COL_OK; f++)
        status = write_file(image, programs, (isa_image_form)f, stage.path, hex_width, problem);
    const col_status ended =
        base_stage_end(&stage, status == COL_OK, names, status == COL_OK ? problem : &other);
    return status == COL_OK ? ended : status;
}
