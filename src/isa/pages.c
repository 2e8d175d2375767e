/* SPDX-License-Identifier: MIT */
/*
 * Tables of translation: see pages.h. 39 bits of address with pages of 4 KiB: one level has 512
 * entries of 1 GiB, and each may lead to a table of 512 entries of 2 MiB. On AArch64 it does where
 * a GiB is not all of one kind. On x86-64 it always does, since not all processors have pages of 1
 * GiB, and there is a level above.
 */
#include "isa/pages.h"

enum { ENTRIES = 512, TABLE_BYTES = 4096, TABLE = 3 };
#define GIB (UINT64_C(1) << 30)
#define BLOCK_BYTES (UINT64_C(2) << 20)
/* Where the devices of a PC are: in the first ones. */
enum { DEVICE_GIBS = 4 };

/* What a block of 2 MiB or 1 GiB is. */
enum { CACHED, UNCACHED, DEVICE, KINDS };

/* Index into MAIR_EL1 (aarch64_machine.c), and the rest of a block's attributes: accessed,
 * shareable (inner, or for devices and uncached memory outer), never executed. */
static const uint64_t aarch64_attributes[KINDS] = {
    [CACHED] = 1 | CACHED << 2 | 3 << 8 | 1 << 10,
    [UNCACHED] = 1 | UNCACHED << 2 | 2 << 8 | 1 << 10 | UINT64_C(3) << 53,
    [DEVICE] = 1 | DEVICE << 2 | 2 << 8 | 1 << 10 | UINT64_C(3) << 53,
};

/* Present, writable, of 2 MiB; what is not cached is so by PCD and PWT. */
static const uint64_t x86_64_attributes[KINDS] = {
    [CACHED] = 0x83, [UNCACHED] = 0x9b, [DEVICE] = 0x9b};

static bool is_x86_64(const isa_platform *platform) {
    return platform->target->elf_machine == ISA_EM_X86_64;
}

static bool is_in(const isa_window *window, uint64_t address) {
    return window->size > 0 && address >= window->base && address - window->base < window->size;
}

static uint32_t kind_of(const isa_platform *platform, uint64_t address) {
    return is_in(&platform->ram, address)        ? CACHED
           : is_in(&platform->uncached, address) ? UNCACHED
                                                 : DEVICE;
}

static bool is_uniform(const isa_platform *platform, uint64_t address) {
    for (uint64_t at = 0; at < GIB; at += BLOCK_BYTES)
        if (kind_of(platform, address + at) != kind_of(platform, address))
            return false;
    return true;
}

/* How a GiB is translated. */
typedef enum shape { ABSENT, WHOLE, SPLIT } shape;

static shape shape_of(const isa_platform *platform, uint64_t gib) {
    const bool uniform = is_uniform(platform, gib * GIB);
    if (!is_x86_64(platform))
        return uniform ? WHOLE : SPLIT;
    return uniform && kind_of(platform, gib * GIB) == DEVICE && gib >= DEVICE_GIBS ? ABSENT : SPLIT;
}

static void emit_block(const isa_platform *platform, uint64_t address, isa_code *code) {
    const uint64_t *attributes = is_x86_64(platform) ? x86_64_attributes : aarch64_attributes;
    isa_emit_number(code, address | attributes[kind_of(platform, address)], 8);
}

uint64_t isa_pages_bytes(const isa_platform *platform) {
    if (platform->target->elf_machine == ISA_EM_RISCV)
        return 0;
    uint64_t bytes = is_x86_64(platform) ? (uint64_t)2 * TABLE_BYTES : TABLE_BYTES;
    for (uint64_t i = 0; i < ENTRIES; i++)
        bytes += shape_of(platform, i) == SPLIT ? TABLE_BYTES : 0;
    return bytes;
}

/* A table whose first entry is another one. */
static void emit_top(uint64_t next, isa_code *code) {
    isa_emit_number(code, next | TABLE, 8);
    for (int i = 1; i < ENTRIES; i++)
        isa_emit_number(code, 0, 8);
}

void isa_pages_emit(const isa_platform *platform, uint64_t address, isa_code *code) {
    uint64_t next = address + TABLE_BYTES;
    if (is_x86_64(platform)) {
        emit_top(next, code);
        next += TABLE_BYTES;
    }
    for (uint64_t i = 0; i < ENTRIES; i++) {
        const shape s = shape_of(platform, i);
        if (s == WHOLE)
            emit_block(platform, i * GIB, code);
        else
            isa_emit_number(code, s == SPLIT ? next | TABLE : 0, 8);
        next += s == SPLIT ? TABLE_BYTES : 0;
    }
    for (uint64_t i = 0; i < ENTRIES; i++)
        for (uint64_t j = 0; j < ENTRIES && shape_of(platform, i) == SPLIT; j++)
            emit_block(platform, i * GIB + j * BLOCK_BYTES, code);
}
