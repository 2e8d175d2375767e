/* SPDX-License-Identifier: MIT */
/* Reading platforms: see platform.h. One table of fields for each map of the format. */
#include "isa/platform.h"

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

/* What is read, and where the parts stand that are checked together at the end. */
typedef struct reading {
    isa_platform *platform;
    const base_yaml_node *ram, *uncached, *load, *hart, *start, *barrier, *exit, *log,
        *instructions;
    bool has_load, has_mask, has_model;
} reading;

/* A number goes where the field's item says: an offset in the target. */
static col_status read_number(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, const base_yaml_field *fields,
                              void *target) {
    const base_yaml_field *field = base_yaml_field_of(fields, key);
    uint64_t number = 0;
    const col_status status =
        base_yaml_number(yaml, key, value, field->least, field->most, &number);
    if (status == COL_OK)
        memcpy((char *)target + field->item, &number, sizeof number);
    return status;
}

#define NUMBER(word, type, member, low, high)                                                      \
    {                                                                                              \
        .name = (word), .read = read_##type##_number, .least = (low), .most = (high),              \
        .item = offsetof(isa_##type, member)                                                       \
    }

/* ---- Windows of memory. */

static const base_yaml_field window_fields[];
static col_status read_window_number(base_yaml *yaml, const base_yaml_node *key,
                                     const base_yaml_node *value, void *target) {
    return read_number(yaml, key, value, window_fields, target);
}

static const base_yaml_field window_fields[] = {
    NUMBER("base", window, base, 0, UINT64_MAX),
    NUMBER("size", window, size, 4096, UINT64_C(1) << 48),
    {.name = NULL},
};

static col_status read_window(base_yaml *yaml, const base_yaml_node *value, const char *what,
                              isa_window *window) {
    const col_status status = base_yaml_fields(yaml, value, what, window_fields, window);
    if (status != COL_OK)
        return status;
    if (window->size == 0)
        return base_yaml_refuse(yaml, value, "%s needs a size", what);
    if (window->base > UINT64_MAX - window->size || (window->base | window->size) % 4096 != 0)
        return base_yaml_refuse(yaml, value, "%s begins and ends at multiples of 4096", what);
    return COL_OK;
}

static col_status read_ram(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                           void *target) {
    reading *r = target;
    (void)key;
    r->ram = value;
    return read_window(yaml, value, "ram", &r->platform->ram);
}

static col_status read_uncached(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    reading *r = target;
    (void)key;
    r->uncached = value;
    return read_window(yaml, value, "uncached", &r->platform->uncached);
}

/* ---- The hart's number. */

static const base_yaml_field hart_fields[];
static col_status read_hart_number(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    return read_number(yaml, key, value, hart_fields, target);
}

static col_status read_hart_source(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    isa_hart *hart = target;
    return base_yaml_choice(yaml, key, value, hart_sources, &hart->from);
}

static const base_yaml_field hart_fields[] = {
    {.name = "from", .read = read_hart_source},
    NUMBER("address", hart, address, 0, UINT64_MAX),
    NUMBER("register", hart, reg, 0, 30),
    NUMBER("shift", hart, shift, 0, 31),
    NUMBER("mask", hart, mask, 1, UINT32_MAX),
    NUMBER("first", hart, first, 0, ISA_MOST_HARTS),
    {.name = NULL},
};

static col_status read_hart(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    reading *r = target;
    (void)key;
    r->hart = value;
    return base_yaml_fields(yaml, value, "hart", hart_fields, &r->platform->hart);
}

/* ---- The barrier. */

static const base_yaml_field barrier_fields[];
static col_status read_barrier_number(base_yaml *yaml, const base_yaml_node *key,
                                      const base_yaml_node *value, void *target) {
    return read_number(yaml, key, value, barrier_fields, target);
}

static col_status read_barrier_kind(base_yaml *yaml, const base_yaml_node *key,
                                    const base_yaml_node *value, void *target) {
    isa_barrier *barrier = target;
    return base_yaml_choice(yaml, key, value, barriers, &barrier->kind);
}

static const base_yaml_field barrier_fields[] = {
    {.name = "kind", .read = read_barrier_kind},
    NUMBER("arrive", barrier, arrive, 0, UINT64_MAX),
    NUMBER("go", barrier, go, 0, UINT64_MAX),
    NUMBER("limit", barrier, limit, 1, UINT32_MAX / 4),
    {.name = NULL},
};

static col_status read_barrier(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    reading *r = target;
    (void)key;
    r->barrier = value;
    return base_yaml_fields(yaml, value, "barrier", barrier_fields, &r->platform->barrier);
}

/* ---- The exit. */

static const base_yaml_field exit_fields[];
static col_status read_exit_number(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    return read_number(yaml, key, value, exit_fields, target);
}

static col_status read_exit_kind(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    isa_exit *way = target;
    return base_yaml_choice(yaml, key, value, exits, &way->kind);
}

static const base_yaml_field exit_fields[] = {
    {.name = "kind", .read = read_exit_kind},
    NUMBER("address", exit, address, 0, UINT64_MAX),
    NUMBER("pass", exit, pass, 0, UINT32_MAX),
    NUMBER("fail", exit, fail, 0, UINT32_MAX),
    {.name = NULL},
};

static col_status read_exit(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    reading *r = target;
    (void)key;
    r->exit = value;
    return base_yaml_fields(yaml, value, "exit", exit_fields, &r->platform->exit);
}

/* ---- The rest. */

static col_status read_description(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    reading *r = target;
    return base_yaml_text(yaml, key, value, r->platform->description,
                          sizeof r->platform->description);
}

static col_status read_isa(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                           void *target) {
    reading *r = target;
    const char *words[8];
    uint64_t choice = 0;
    size_t count = 0;
    while (isa_targets[count] != NULL && count + 1 < sizeof words / sizeof words[0]) {
        words[count] = isa_targets[count]->name;
        count++;
    }
    words[count] = NULL;
    const col_status status = base_yaml_choice(yaml, key, value, words, &choice);
    if (status != COL_OK)
        return status;
    r->platform->target = isa_targets[choice];
    return COL_OK;
}

static col_status read_load(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    reading *r = target;
    r->has_load = true;
    r->load = value;
    return base_yaml_number(yaml, key, value, 0, UINT64_MAX, &r->platform->load);
}

static col_status read_harts(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    reading *r = target;
    return base_yaml_number(yaml, key, value, 1, ISA_MOST_HARTS, &r->platform->harts);
}

static col_status read_start(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    reading *r = target;
    r->start = value;
    return base_yaml_choice(yaml, key, value, starts, &r->platform->start);
}

static col_status read_log(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                           void *target) {
    static const char *const words[] = {"cached", "uncached", NULL};
    reading *r = target;
    uint64_t choice = 0;
    r->log = value;
    const col_status status = base_yaml_choice(yaml, key, value, words, &choice);
    r->platform->has_uncached_log = choice == 1;
    return status;
}

static col_status read_instruction(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    static const char *const words[] = {"zicbom", "lse", NULL};
    reading *r = target;
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, words, &choice);
    if (status == COL_OK)
        *(choice == 0 ? &r->platform->has_flush : &r->platform->has_atomics) = true;
    return status;
}

static col_status read_instructions(base_yaml *yaml, const base_yaml_node *key,
                                    const base_yaml_node *value, void *target) {
    return base_yaml_items(yaml, key, value, read_instruction, target);
}

static col_status read_model(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    reading *r = target;
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, col_models, &choice);
    r->platform->model = (col_model)choice;
    r->has_model = true;
    return status;
}

typedef struct caches {
    char levels[256];
    uint64_t block;
} caches;

static col_status read_levels(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    caches *c = target;
    return base_yaml_text(yaml, key, value, c->levels, sizeof c->levels);
}

static col_status read_block(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    caches *c = target;
    const col_status status = base_yaml_number(yaml, key, value, 8, 65536, &c->block);
    if (status == COL_OK && (c->block & (c->block - 1)) != 0)
        return base_yaml_refuse(yaml, value, "the bytes of a block are a power of two");
    return status;
}

static col_status read_caches(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    static const base_yaml_field fields[] = {
        {.name = "block", .read = read_block},
        {.name = "levels", .read = read_levels},
        {.name = NULL},
    };
    reading *r = target;
    caches c = {.block = 64};
    col_problem problem;
    (void)key;
    const col_status status = base_yaml_fields(yaml, value, "caches", fields, &c);
    if (status != COL_OK)
        return status;
    const uint32_t block_bits = (uint32_t)__builtin_ctzll(c.block);
    r->platform->geometry = (col_geometry){.block_bits = block_bits};
    if (c.levels[0] != '\0' &&
        prg_geometry_parse(c.levels, block_bits, &r->platform->geometry, &problem) != COL_OK)
        return base_yaml_refuse(yaml, value, "%s", problem.message);
    return COL_OK;
}

static const base_yaml_field fields[] = {
    {.name = "description", .read = read_description},
    {.name = "isa", .read = read_isa},
    {.name = "ram", .read = read_ram},
    {.name = "load", .read = read_load},
    {.name = "harts", .read = read_harts},
    {.name = "hart", .read = read_hart},
    {.name = "start", .read = read_start},
    {.name = "barrier", .read = read_barrier},
    {.name = "exit", .read = read_exit},
    {.name = "uncached", .read = read_uncached},
    {.name = "log", .read = read_log},
    {.name = "instructions", .read = read_instructions},
    {.name = "caches", .read = read_caches},
    {.name = "model", .read = read_model},
    {.name = NULL},
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

static bool contains(const isa_window *window, uint64_t address) {
    return address >= window->base && address - window->base < window->size;
}

static bool overlap(const isa_window *a, const isa_window *b) {
    return a->size > 0 && b->size > 0 && a->base < b->base + b->size && b->base < a->base + a->size;
}

static bool fits_addresses(const isa_platform *p, uint64_t address) {
    return p->target->address_bytes == 8 || address <= UINT32_MAX;
}

/* Translation has 39 bits and blocks of 2 MiB: see pages.c. */
static bool is_mappable(const isa_platform *p, const isa_window *window) {
    return is_riscv(p) || ((window->base | window->size) % (2 << 20) == 0 &&
                           window->base + window->size <= UINT64_C(1) << 39);
}

/* Its first instructions have addresses of 32 bits, and below 1 MiB is the page of the others. */
static col_status check_start_of_x86_64(base_yaml *yaml, const reading *r) {
    const isa_platform *p = r->platform;
    if (p->load < UINT64_C(1) << 20 || p->load >= UINT64_C(1) << 31)
        return base_yaml_refuse(yaml, r->has_load ? r->load : r->ram,
                                "load is between 1 MiB and 2 GiB on x86-64");
    if (p->start == ISA_START_SIPI && !contains(&p->ram, ISA_TRAMPOLINE))
        return base_yaml_refuse(yaml, r->ram, "init-sipi needs ram at 0x%x, where harts start",
                                (unsigned)ISA_TRAMPOLINE);
    return COL_OK;
}

static col_status check_windows(base_yaml *yaml, const reading *r) {
    const isa_platform *p = r->platform;
    if (!is_mappable(p, &p->ram) || !is_mappable(p, &p->uncached))
        return base_yaml_refuse(yaml, is_mappable(p, &p->ram) ? r->uncached : r->ram,
                                "memory of %s begins and ends at multiples of 2 MiB, below 2^39",
                                p->target->name);
    if (!fits_addresses(p, p->ram.base + p->ram.size - 1))
        return base_yaml_refuse(yaml, r->ram, "ram ends beyond the addresses of %s",
                                p->target->name);
    if (p->uncached.size > 0 && !fits_addresses(p, p->uncached.base + p->uncached.size - 1))
        return base_yaml_refuse(yaml, r->uncached, "uncached ends beyond the addresses of %s",
                                p->target->name);
    if (overlap(&p->ram, &p->uncached))
        return base_yaml_refuse(yaml, r->uncached,
                                "uncached overlaps ram: leave the window out of ram");
    if (!contains(&p->ram, p->load) || p->load % 4096 != 0)
        return base_yaml_refuse(yaml, r->has_load ? r->load : r->ram,
                                "load is an address in ram, a multiple of 4096");
    return is_x86_64(p) ? check_start_of_x86_64(yaml, r) : COL_OK;
}

static col_status check_hart(base_yaml *yaml, const base_yaml_node *root, const reading *r) {
    const isa_platform *p = r->platform;
    const base_yaml_node *place = r->hart != NULL ? r->hart : root;
    if (!is_for(hart_isas[p->hart.from], p) || (p->hart.from == ISA_HART_REGISTER && is_x86_64(p)))
        return base_yaml_refuse(yaml, place, "a hart of %s has no %s", p->target->name,
                                p->hart.from == ISA_HART_REGISTER ? "register that holds its number"
                                                                  : hart_sources[p->hart.from]);
    if (p->hart.from == ISA_HART_REGISTER && p->hart.reg == 0 && is_riscv(p))
        return base_yaml_refuse(yaml, place, "register 0 of RISC-V is always 0");
    if (p->hart.from == ISA_HART_MEMORY && p->hart.address % 4 != 0)
        return base_yaml_refuse(yaml, place, "the address of a hart's number is a multiple of 4");
    return COL_OK;
}

static col_status check_ways(base_yaml *yaml, const base_yaml_node *root, const reading *r) {
    const isa_platform *p = r->platform;
    const base_yaml_node *exit_place = r->exit != NULL ? r->exit : root;
    const base_yaml_node *barrier_place = r->barrier != NULL ? r->barrier : root;
    if (!is_for(start_isas[p->start], p))
        return base_yaml_refuse(yaml, r->start, "start '%s' is for %s", starts[p->start],
                                name_isa(start_isas[p->start]));
    if (!is_for(exit_isas[p->exit.kind], p))
        return base_yaml_refuse(yaml, exit_place, "exit '%s' is for %s", exits[p->exit.kind],
                                name_isa(exit_isas[p->exit.kind]));
    if (p->exit.kind == ISA_EXIT_SEMIHOSTING && is_x86_64(p))
        return base_yaml_refuse(yaml, exit_place, "x86-64 has no semihosting");
    if (p->exit.kind == ISA_EXIT_PORT && (p->exit.address == 0 || p->exit.address > UINT16_MAX))
        return base_yaml_refuse(yaml, exit_place, "exit 'port' needs an address below 64Ki");
    if ((p->exit.kind == ISA_EXIT_FINISHER || p->exit.kind == ISA_EXIT_WRITE) &&
        (p->exit.address == 0 || p->exit.address % 4 != 0))
        return base_yaml_refuse(yaml, exit_place, "exit '%s' needs an address, a multiple of 4",
                                exits[p->exit.kind]);
    if ((p->exit.kind == ISA_EXIT_WRITE || p->exit.kind == ISA_EXIT_PORT) &&
        p->exit.pass == p->exit.fail)
        return base_yaml_refuse(yaml, exit_place,
                                "exit '%s' needs two different words, pass and fail",
                                exits[p->exit.kind]);
    if (p->barrier.kind == ISA_BARRIER_DEVICE && (p->barrier.arrive == 0 || p->barrier.go == 0 ||
                                                  (p->barrier.arrive | p->barrier.go) % 4 != 0))
        return base_yaml_refuse(yaml, barrier_place,
                                "barrier 'device' needs two addresses, arrive and go, which are "
                                "multiples of 4");
    if (p->barrier.kind == ISA_BARRIER_UNCACHED && p->uncached.size == 0)
        return base_yaml_refuse(yaml, barrier_place,
                                "barrier 'uncached' needs the window 'uncached'");
    if (p->has_uncached_log && p->uncached.size == 0)
        return base_yaml_refuse(yaml, r->log, "an uncached log needs the window 'uncached'");
    return COL_OK;
}

/* What was not said. */
static void fill_in(reading *r) {
    isa_platform *p = r->platform;
    if (!r->has_load)
        p->load = p->ram.base;
    if (r->hart == NULL)
        p->hart.from = is_riscv(p)    ? ISA_HART_MHARTID
                       : is_x86_64(p) ? ISA_HART_APIC
                                      : ISA_HART_MPIDR;
    if (p->hart.mask == 0)
        p->hart.mask = p->hart.from == ISA_HART_MPIDR ? 0xff : UINT32_MAX;
    if (!r->has_model)
        p->model = p->target->model;
}

static col_status read_root(base_yaml *yaml, reading *r) {
    const base_yaml_node *root = base_yaml_root(yaml);
    col_status status = base_yaml_fields(yaml, root, "a platform", fields, r);
    if (status != COL_OK)
        return status;
    if (r->platform->target == NULL)
        return base_yaml_refuse(yaml, root, "a platform needs an isa");
    if (r->ram == NULL)
        return base_yaml_refuse(yaml, root, "a platform needs ram: {base: ..., size: ...}");
    fill_in(r);
    status = check_windows(yaml, r);
    if (status == COL_OK)
        status = check_hart(yaml, root, r);
    return status == COL_OK ? check_ways(yaml, root, r) : status;
}

/* The file's name without its folder and ending. */
static void name_after(isa_platform *platform, const char *file) {
    const char *slash = strrchr(file, '/');
    const char *begin = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(begin, '.');
    const int length = (int)(dot != NULL && dot != begin ? dot - begin : (long)strlen(begin));
    (void)snprintf(platform->name, sizeof platform->name, "%.*s", length < 63 ? length : 63, begin);
}

col_status isa_platform_parse(isa_platform *platform, const char *text, size_t length,
                              const char *file, col_problem *problem) {
    base_yaml yaml;
    *platform = (isa_platform){.harts = 1,
                               .barrier = {.limit = UINT64_C(1) << 24},
                               .exit = {.pass = 1, .fail = 2},
                               .geometry = {.block_bits = 6}};
    reading r = {.platform = platform};
    name_after(platform, file);
    col_status status = base_yaml_read(&yaml, text, length, file, problem);
    if (status != COL_OK)
        return status;
    status = read_root(&yaml, &r);
    base_yaml_free(&yaml);
    return status;
}
