/* SPDX-License-Identifier: MIT */
/* The harness: what every hart of an image does around its thread, and the tables of translation.
 */
#pragma once

#include "design/isa/image.h"
#include "design/isa/instruction_set.h"
#include "design/isa/platform.h"

/* Where everything is, for one program of the image. */
typedef struct isa_layout {
    uint64_t rows;      /* a row for each thread: */
    uint64_t locations; /* the addresses of the locations */
    uint64_t locations_end;
    uint64_t stubs; /* the addresses of what fetches execute (isa.h) */
    uint64_t stubs_end;
    uint64_t *stub_list; /* the same in the program's memory, as isa_stub_list gives it */
    uint32_t stub_count;
    uint64_t pages; /* the table of translation; 0: there is none */
    uint64_t words; /* of the barrier: go, then one for each hart, a block each */
    uint64_t tohost;
    uint64_t memory; /* under test: address 0 of the program */
    uint64_t phase;  /* of the barrier when the program begins */
} isa_layout;

/* A row of the table of threads, in units of an address. */
enum { ISA_ROW_FUNCTION, ISA_ROW_SLOTS, ISA_ROW_SLOTS_END, ISA_ROW_STACK, ISA_ROW_COUNT };

enum { ISA_BARRIER_BLOCK = 64 };

/* The boot code under way. */
struct isa_boot {
    isa_code *code;
    const isa_machine *machine;
    const isa_platform *platform;
    const isa_map *maps; /* of each program */
    const isa_layout *layouts;
    uint32_t count;
    uint32_t harts; /* with a thread in some program */
    /* Of the program whose part is under way, at first the first one. */
    const isa_map *map;
    const isa_layout *layout;
    uint32_t skew_mask;
    uint32_t arrives;  /* offset of the store by which a hart arrives at a device's barrier */
    bool asks_skew;    /* see isa_image_settings */
    isa_label park;    /* nothing more to do */
    isa_label late;    /* T0 never came to the barrier */
    isa_label gave_up; /* an await */
    isa_label failed;  /* the run ends; the record says why */
    isa_label trap;    /* where traps go */
    isa_label trapped; /* a trap: T0 is its cause, T1 where it was, T2 what about */
};

/* The role = a number. */
void isa_set(isa_boot *boot, isa_role to, uint64_t value);

/* Appends the whole boot code. */
void isa_harness_emit(isa_boot *boot);

/*
 * Tables of translation for a platform, on AArch64 and x86-64: every address is itself. RAM is
 * cached (and inner shareable), the uncached window is not cached, everything else is a device. On
 * x86-64 there is nothing above 4 GiB but RAM and the window.
 */

/* 0: the instruction set has none. */
uint64_t isa_pages_bytes(const isa_platform *platform);

/* Appends the tables, which will be at this address, a multiple of 4096. */
void isa_pages_emit(const isa_platform *platform, uint64_t address, isa_code *code);
