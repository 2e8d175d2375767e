/* SPDX-License-Identifier: MIT */
/*
 * Tables of translation: see pages.h. 39 bits of address with granules of 4 KiB: the first level
 * has 512 entries of 1 GiB, and where a GiB is not all of one kind a table of 512 entries of 2 MiB.
 */
#include "isa/pages.h"

enum { ENTRIES = 512, TABLE_BYTES = 4096, TABLE = 3, BLOCK = 1 };
#define GIB (UINT64_C(1) << 30)
#define BLOCK_BYTES (UINT64_C(2) << 20)

/* Index into MAIR_EL1 (aarch64_machine.c), and the rest of a block's attributes: accessed,
 * shareable (inner, or for devices and uncached memory outer), never executed. */
enum { CACHED, UNCACHED, DEVICE };
static const uint64_t attributes[] = {
    [CACHED] = CACHED << 2 | 3 << 8 | 1 << 10,
    [UNCACHED] = UNCACHED << 2 | 2 << 8 | 1 << 10 | UINT64_C(3) << 53,
    [DEVICE] = DEVICE << 2 | 2 << 8 | 1 << 10 | UINT64_C(3) << 53,
};

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

static void emit_block(const isa_platform *platform, uint64_t address, isa_code *code) {
    isa_emit_number(code, address | attributes[kind_of(platform, address)] | BLOCK, 8);
}

uint64_t isa_pages_bytes(const isa_platform *platform) {
    uint64_t bytes = TABLE_BYTES;
    for (uint64_t i = 0; i < ENTRIES; i++)
        bytes += is_uniform(platform, i * GIB) ? 0 : TABLE_BYTES;
    return bytes;
}

void isa_pages_emit(const isa_platform *platform, uint64_t address, isa_code *code) {
    uint64_t next = address + TABLE_BYTES;
    for (uint64_t i = 0; i < ENTRIES; i++) {
        if (is_uniform(platform, i * GIB)) {
            emit_block(platform, i * GIB, code);
            continue;
        }
        isa_emit_number(code, next | TABLE, 8);
        next += TABLE_BYTES;
    }
    for (uint64_t i = 0; i < ENTRIES; i++)
        for (uint64_t j = 0; j < ENTRIES && !is_uniform(platform, i * GIB); j++)
            emit_block(platform, i * GIB + j * BLOCK_BYTES, code);
}
