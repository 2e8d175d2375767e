/* SPDX-License-Identifier: MIT */
/* Reading platforms: see platform.h. One table of fields for each map of the format. */
#include "design/isa/platform.h"

#include "base/file.h"
#include "base/names.h"
#include "base/path.h"
#include "base/yaml.h"
#include "program/geometry.h"

#include <stdio.h>
#include <string.h>

static const char *const hart_sources[ISA_HART_SOURCE_COUNT + 1] = {
    "mhartid", "mpidr", "apic", "counter", "register", "memory", NULL};
static const char *const starts[ISA_START_COUNT + 1] = {"together", "psci-hvc", "psci-smc",
                                                        "init-sipi", NULL};
static const char *const barriers[ISA_BARRIER_COUNT + 1] = {"cached", "uncached", "device", NULL};
static const char *const exits[ISA_EXIT_COUNT + 1] = {"none", "semihosting", "finisher", "tohost",
                                                      "psci", "write",       "port",     NULL};

/* Some ways are for one instruction set only; 0: for all. */
static const uint16_t start_isas[ISA_START_COUNT] = {[ISA_START_PSCI_HVC] = ISA_EM_AARCH64,
                                                     [ISA_START_PSCI_SMC] = ISA_EM_AARCH64,
                                                     [ISA_START_SIPI] = ISA_EM_X86_64};
static const uint16_t exit_isas[ISA_EXIT_COUNT] = {
    [ISA_EXIT_PSCI] = ISA_EM_AARCH64, [ISA_EXIT_PORT] = ISA_EM_X86_64};
static const uint16_t hart_isas[ISA_HART_SOURCE_COUNT] = {[ISA_HART_MHARTID] = ISA_EM_RISCV,
                                                          [ISA_HART_MPIDR] = ISA_EM_AARCH64,
                                                          [ISA_HART_APIC] = ISA_EM_X86_64,
                                                          [ISA_HART_COUNTER] = ISA_EM_X86_64};

/* What is read, and where the parts stand that are checked together at the end; line 0: it is not
 * said. */
typedef struct reading {
    isa_platform platform;
    base_place root, ram, uncached, load, hart, start, barrier, exit, log, model;
    char levels[256];
} reading;

#define NUMBER(word, type, member, from, to)                                                       \
    { BASE_FIELD(word, BASE_NUMBER, type, member), .least = (from), .most = (to) }
#define WORD(word, type, member, list)                                                             \
    { BASE_FIELD(word, BASE_WORD, type, member), .words = (list) }

static const base_field window_fields[] = {
    NUMBER("base", isa_window, base, 0, UINT64_MAX),
    NUMBER("size", isa_window, size, 4096, UINT64_C(1) << 48),
    BASE_LAST_FIELD,
};

static col_status check_window(const base_entry *entry, void *member) {
    const isa_window *window = member;
    const char *what = base_entry_name(entry);
    if (window->size == 0)
        return base_refuse_value(entry, "%s needs a size", what);
    if (window->base > UINT64_MAX - window->size || (window->base | window->size) % 4096 != 0)
        return base_refuse_value(entry, "%s begins and ends at multiples of 4096", what);
    return COL_OK;
}

static const base_field hart_fields[] = {
    WORD("from", isa_hart, from, hart_sources),
    NUMBER("address", isa_hart, address, 0, UINT64_MAX),
    NUMBER("register", isa_hart, reg, 0, 30),
    NUMBER("shift", isa_hart, shift, 0, 31),
    NUMBER("mask", isa_hart, mask, 1, UINT32_MAX),
    NUMBER("first", isa_hart, first, 0, ISA_MOST_HARTS),
    BASE_LAST_FIELD,
};

static const base_field barrier_fields[] = {
    WORD("kind", isa_barrier, kind, barriers),
    NUMBER("arrive", isa_barrier, arrive, 0, UINT64_MAX),
    NUMBER("go", isa_barrier, go, 0, UINT64_MAX),
    NUMBER("limit", isa_barrier, limit, 1, UINT32_MAX / 4),
    BASE_LAST_FIELD,
};

static const base_field exit_fields[] = {
    WORD("kind", isa_exit, kind, exits),
    NUMBER("address", isa_exit, address, 0, UINT64_MAX),
    NUMBER("pass", isa_exit, pass, 0, UINT32_MAX),
    NUMBER("fail", isa_exit, fail, 0, UINT32_MAX),
    BASE_LAST_FIELD,
};

static col_status read_isa(const base_entry *entry, void *member) {
    const char *words[8];
    uint32_t choice = 0, count = 0;
    for (; isa_targets[count] != NULL; count++)
        words[count] = isa_targets[count]->name;
    words[count] = NULL;
    const base_field isa = {
        .name = "isa", .kind = BASE_WORD, .size = sizeof choice, .words = words};
    const col_status status = base_yaml_value(entry, &isa, &choice);
    *(const isa_target **)member = isa_targets[choice];
    return status;
}

static col_status read_instruction(const base_entry *entry, void *target) {
    static const char *const words[] = {"zicbom", "lse", NULL};
    static const base_field instructions = {
        .name = "instructions", .kind = BASE_WORD, .size = sizeof(uint32_t), .words = words};
    reading *r = target;
    uint32_t choice = 0;
    const col_status status = base_yaml_value(entry, &instructions, &choice);
    if (status == COL_OK)
        *(choice == 0 ? &r->platform.has_flush : &r->platform.has_atomics) = true;
    return status;
}

static col_status read_levels(const base_entry *entry, void *target) {
    reading *r = target;
    col_geometry *geometry = &r->platform.geometry;
    col_problem problem;
    if (r->levels[0] != '\0' &&
        prg_geometry_parse(r->levels, geometry->block_bits, geometry, &problem) != COL_OK)
        return base_refuse_value(entry, "%s", problem.message);
    return COL_OK;
}

#define PLACE(member) .place = offsetof(reading, member)
#define IN_PLATFORM(word, form, member) BASE_FIELD(word, form, reading, platform.member)

static const base_field cache_fields[] = {
    {IN_PLATFORM("block", BASE_POWER, geometry.block_bits), .least = 8, .most = 65536},
    {BASE_FIELD("levels", BASE_STRING, reading, levels)},
    BASE_LAST_FIELD,
};

static const char *const logs[] = {"cached", "uncached", NULL};

static const base_field fields[] = {
    {IN_PLATFORM("description", BASE_STRING, description)},
    {IN_PLATFORM("isa", BASE_OWN, target), .read = read_isa},
    {IN_PLATFORM("ram", BASE_MAP, ram), .fields = window_fields, .read = check_window, PLACE(ram)},
    {IN_PLATFORM("load", BASE_NUMBER, load), .most = UINT64_MAX, PLACE(load)},
    NUMBER("harts", reading, platform.harts, 1, ISA_MOST_HARTS),
    {IN_PLATFORM("hart", BASE_MAP, hart), .fields = hart_fields, PLACE(hart)},
    {IN_PLATFORM("start", BASE_WORD, start), .words = starts, PLACE(start)},
    {IN_PLATFORM("barrier", BASE_MAP, barrier), .fields = barrier_fields, PLACE(barrier)},
    {IN_PLATFORM("exit", BASE_MAP, exit), .fields = exit_fields, PLACE(exit)},
    {IN_PLATFORM("uncached", BASE_MAP, uncached), .fields = window_fields, .read = check_window,
     PLACE(uncached)},
    {IN_PLATFORM("log", BASE_WORD, has_uncached_log), .words = logs, PLACE(log)},
    {.name = "instructions", .kind = BASE_ITEMS, .read = read_instruction},
    {.name = "caches", .kind = BASE_MAP, .fields = cache_fields, .read = read_levels},
    {IN_PLATFORM("model", BASE_WORD, model), .words = col_models, PLACE(model)},
    BASE_LAST_FIELD,
};

/* ---- What must fit together. */

static bool is_riscv(const isa_platform *p) {
    return p->target->elf_machine == ISA_EM_RISCV;
}

static bool is_x86_64(const isa_platform *p) {
    return p->target->elf_machine == ISA_EM_X86_64;
}

static bool is_for(uint16_t elf_machine, const isa_platform *p) {
    return elf_machine == 0 || elf_machine == p->target->elf_machine;
}

static const char *name_isa(uint16_t elf_machine) {
    for (const isa_target *const *target = isa_targets; *target != NULL; target++)
        if ((*target)->elf_machine == elf_machine)
            return (*target)->name;
    return "";
}

static bool overlap(const isa_window *a, const isa_window *b) {
    return a->size > 0 && b->size > 0 && a->base < b->base + b->size && b->base < a->base + a->size;
}

static bool fits_addresses(const isa_platform *p, uint64_t address) {
    return p->target->address_bytes == 8 || address <= UINT32_MAX;
}

/* Translation has 39 bits and blocks of 2 MiB: see harness.c. */
static bool is_mappable(const isa_platform *p, const isa_window *window) {
    return is_riscv(p) || ((window->base | window->size) % (2 << 20) == 0 &&
                           window->base + window->size <= UINT64_C(1) << 39);
}

/* Its first instructions have addresses of 32 bits, and below 1 MiB is the page of the others. */
static col_status check_start_of_x86_64(base_yaml *yaml, const reading *r) {
    const isa_platform *p = &r->platform;
    if (p->load < UINT64_C(1) << 20 || p->load >= UINT64_C(1) << 31)
        return base_yaml_refuse_at(yaml, r->load, "load is between 1 MiB and 2 GiB on x86-64");
    if (p->start == ISA_START_SIPI && !isa_is_within(&p->ram, ISA_TRAMPOLINE))
        return base_yaml_refuse_at(yaml, r->ram, "init-sipi needs ram at 0x%x, where harts start",
                                   (unsigned)ISA_TRAMPOLINE);
    return COL_OK;
}

static col_status check_windows(base_yaml *yaml, const reading *r) {
    const isa_platform *p = &r->platform;
    if (!is_mappable(p, &p->ram) || !is_mappable(p, &p->uncached))
        return base_yaml_refuse_at(yaml, is_mappable(p, &p->ram) ? r->uncached : r->ram,
                                   "memory of %s begins and ends at multiples of 2 MiB, below 2^39",
                                   p->target->name);
    if (!fits_addresses(p, p->ram.base + p->ram.size - 1))
        return base_yaml_refuse_at(yaml, r->ram, "ram ends beyond the addresses of %s",
                                   p->target->name);
    if (p->uncached.size > 0 && !fits_addresses(p, p->uncached.base + p->uncached.size - 1))
        return base_yaml_refuse_at(yaml, r->uncached, "uncached ends beyond the addresses of %s",
                                   p->target->name);
    if (overlap(&p->ram, &p->uncached))
        return base_yaml_refuse_at(yaml, r->uncached,
                                   "uncached overlaps ram: leave the window out of ram");
    if (!isa_is_within(&p->ram, p->load) || p->load % 4096 != 0)
        return base_yaml_refuse_at(yaml, r->load, "load is an address in ram, a multiple of 4096");
    return is_x86_64(p) ? check_start_of_x86_64(yaml, r) : COL_OK;
}

static col_status check_hart(base_yaml *yaml, const reading *r) {
    const isa_platform *p = &r->platform;
    if (!is_for(hart_isas[p->hart.from], p) || (p->hart.from == ISA_HART_REGISTER && is_x86_64(p)))
        return base_yaml_refuse_at(yaml, r->hart, "a hart of %s has no %s", p->target->name,
                                   p->hart.from == ISA_HART_REGISTER
                                       ? "register that holds its number"
                                       : hart_sources[p->hart.from]);
    if (p->hart.from == ISA_HART_REGISTER && p->hart.reg == 0 && is_riscv(p))
        return base_yaml_refuse_at(yaml, r->hart, "register 0 of RISC-V is always 0");
    if (p->hart.from == ISA_HART_MEMORY && p->hart.address % 4 != 0)
        return base_yaml_refuse_at(yaml, r->hart,
                                   "the address of a hart's number is a multiple of 4");
    return COL_OK;
}

static col_status check_ways(base_yaml *yaml, const reading *r) {
    const isa_platform *p = &r->platform;
    if (!is_for(start_isas[p->start], p))
        return base_yaml_refuse_at(yaml, r->start, "start '%s' is for %s", starts[p->start],
                                   name_isa(start_isas[p->start]));
    if (!is_for(exit_isas[p->exit.kind], p))
        return base_yaml_refuse_at(yaml, r->exit, "exit '%s' is for %s", exits[p->exit.kind],
                                   name_isa(exit_isas[p->exit.kind]));
    if (p->exit.kind == ISA_EXIT_SEMIHOSTING && is_x86_64(p))
        return base_yaml_refuse_at(yaml, r->exit, "x86-64 has no semihosting");
    if (p->exit.kind == ISA_EXIT_PORT && (p->exit.address == 0 || p->exit.address > UINT16_MAX))
        return base_yaml_refuse_at(yaml, r->exit, "exit 'port' needs an address below 64Ki");
    if ((p->exit.kind == ISA_EXIT_FINISHER || p->exit.kind == ISA_EXIT_WRITE) &&
        (p->exit.address == 0 || p->exit.address % 4 != 0))
        return base_yaml_refuse_at(yaml, r->exit, "exit '%s' needs an address, a multiple of 4",
                                   exits[p->exit.kind]);
    if ((p->exit.kind == ISA_EXIT_WRITE || p->exit.kind == ISA_EXIT_PORT) &&
        p->exit.pass == p->exit.fail)
        return base_yaml_refuse_at(yaml, r->exit,
                                   "exit '%s' needs two different words, pass and fail",
                                   exits[p->exit.kind]);
    if (p->barrier.kind == ISA_BARRIER_DEVICE && (p->barrier.arrive == 0 || p->barrier.go == 0 ||
                                                  (p->barrier.arrive | p->barrier.go) % 4 != 0))
        return base_yaml_refuse_at(
            yaml, r->barrier,
            "barrier 'device' needs two addresses, arrive and go, which are multiples of 4");
    if (p->barrier.kind == ISA_BARRIER_UNCACHED && p->uncached.size == 0)
        return base_yaml_refuse_at(yaml, r->barrier,
                                   "barrier 'uncached' needs the window 'uncached'");
    if (p->has_uncached_log && p->uncached.size == 0)
        return base_yaml_refuse_at(yaml, r->log, "an uncached log needs the window 'uncached'");
    return COL_OK;
}

/* What was not said. */
static void fill_in(reading *r) {
    isa_platform *p = &r->platform;
    if (r->load.line == 0)
        p->load = p->ram.base;
    if (r->hart.line == 0)
        p->hart.from = is_riscv(p)    ? ISA_HART_MHARTID
                       : is_x86_64(p) ? ISA_HART_APIC
                                      : ISA_HART_MPIDR;
    if (p->hart.mask == 0)
        p->hart.mask = p->hart.from == ISA_HART_MPIDR ? 0xff : UINT32_MAX;
    if (r->model.line == 0)
        p->model = p->target->model;
}

/* Where what was not said would be. */
static void fill_in_places(reading *r) {
    base_place *const ours[] = {&r->hart, &r->barrier, &r->exit};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (ours[i]->line == 0)
            *ours[i] = r->root;
    if (r->load.line == 0)
        r->load = r->ram;
}

static col_status read_root(base_yaml *yaml, reading *r) {
    const base_yaml_node *root = base_yaml_root(yaml);
    r->root = base_yaml_place(yaml, root);
    col_status status = base_yaml_map(yaml, root, "a platform", fields, r);
    if (status != COL_OK)
        return status;
    if (r->platform.target == NULL)
        return base_yaml_refuse(yaml, root, "a platform needs an isa");
    if (r->ram.line == 0)
        return base_yaml_refuse(yaml, root, "a platform needs ram: {base: ..., size: ...}");
    fill_in(r);
    fill_in_places(r);
    status = check_windows(yaml, r);
    if (status == COL_OK)
        status = check_hart(yaml, r);
    return status == COL_OK ? check_ways(yaml, r) : status;
}

col_status isa_platform_parse(isa_platform *platform, const char *text, size_t length,
                              const char *file, col_problem *problem) {
    base_yaml yaml;
    reading r = {.platform = {.harts = 1,
                              .barrier = {.limit = UINT64_C(1) << 24},
                              .exit = {.pass = 1, .fail = 2},
                              .geometry = {.block_bits = 6}}};
    const char *name = base_path_name(file);
    (void)snprintf(r.platform.name, sizeof r.platform.name, "%.*s", (int)base_path_stem(name),
                   name);
    col_status status = base_yaml_read(&yaml, text, length, file, problem);
    if (status == COL_OK) {
        status = read_root(&yaml, &r);
        base_yaml_free(&yaml);
    }
    *platform = r.platform;
    return status;
}

/* Platforms by name or by file. */

typedef struct preset {
    const char *name; /* of the file */
    const unsigned char *bytes;
    const size_t *size;
} preset;

#include "isa_platforms.h" /* generated from platforms/ */

bool isa_platform_is_file(const char *what) {
    return base_path_ends(what, ".yaml") || base_path_ends(what, ".yml");
}

static col_status find_preset(const char *what, const preset **found, col_problem *problem) {
    uint32_t choice = 0;
    const col_status status =
        base_choice_read("--", "platform", isa_platform_names, what, &choice, problem);
    *found = &presets[choice];
    return status;
}

col_status isa_platform_text(const char *what, base_text *text, col_problem *problem) {
    const preset *found = NULL;
    if (isa_platform_is_file(what))
        return base_file_read_regular(what, text, problem);
    const col_status status = find_preset(what, &found, problem);
    if (status != COL_OK)
        return status;
    base_text_add_bytes(text, (const char *)found->bytes, *found->size);
    return base_text_status(text, problem);
}

col_status isa_platform_open(isa_platform *platform, const char *what, col_problem *problem) {
    base_text text = {0};
    const preset *found = NULL;
    const char *name = what;
    col_status status = isa_platform_text(what, &text, problem);
    if (status == COL_OK && !isa_platform_is_file(what)) {
        status = find_preset(what, &found, problem);
        name = found->name;
    }
    if (status == COL_OK)
        status = isa_platform_parse(platform, text.data == NULL ? "" : text.data, text.length, name,
                                    problem);
    base_text_free(&text);
    return status;
}
