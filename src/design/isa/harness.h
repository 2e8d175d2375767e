/* SPDX-License-Identifier: MIT */
/*
 * What the harness (harness.c) needs of an instruction set: a handful of instructions on registers
 * by their role, and what is special, such as how a hart starts. The harness is written once, in
 * terms of these.
 */
#ifndef DESIGN_ISA_HARNESS_H
#define DESIGN_ISA_HARNESS_H

#include "design/isa/image_map.h"
#include "design/isa/platform.h"

/* Registers by role. The first group survives the call of a thread. Where registers are few, T2 to
 * T4 are those of A1 to A3, so one of them is free only while the other one is not used. */
typedef enum isa_role {
    ISA_HART,
    ISA_ROUND,
    ISA_PHASE, /* of the barrier: how often it was passed */
    ISA_SALT,
    ISA_PART, /* the round's part of the log */
    ISA_RANDOM,
    ISA_RECORD,
    ISA_ROW,  /* of this hart in the table of threads */
    ISA_TURN, /* the round modulo the count of threads */
    ISA_T0,
    ISA_T1,
    ISA_T2,
    ISA_T3,
    ISA_T4,
    ISA_A0,
    ISA_A1,
    ISA_A2,
    ISA_A3,
    ISA_ZERO, /* is always 0: for plus, for store, and as what branch compares with */
    ISA_ROLE_COUNT
} isa_role;

typedef enum isa_arithmetic { ISA_PLUS, ISA_AND, ISA_TIMES } isa_arithmetic;
typedef enum isa_condition { ISA_EQUAL, ISA_UNEQUAL, ISA_BELOW } isa_condition;

/* Where everything is, for one program of the image. */
typedef struct isa_layout {
    uint64_t rows;      /* a row for each thread: */
    uint64_t locations; /* the addresses of the locations */
    uint64_t locations_end;
    uint64_t stubs; /* the addresses of what fetches execute (isa.h) */
    uint64_t stubs_end;
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
typedef struct isa_boot {
    isa_code *code;
    const isa_platform *platform;
    const isa_map *maps; /* of each program */
    const isa_layout *layouts;
    uint32_t count;
    uint32_t harts; /* with a thread in some program */
    /* Of the program whose part is under way, at first the first one. */
    const isa_map *map;
    const isa_layout *layout;
    uint32_t skew_mask;
    isa_label park;    /* nothing more to do */
    isa_label late;    /* T0 never came to the barrier */
    isa_label gave_up; /* an await */
    isa_label failed;  /* the run ends; the record says why */
    isa_label trap;    /* where traps go */
    isa_label trapped; /* a trap: T0 is its cause, T1 where it was, T2 what about */
} isa_boot;

typedef struct isa_machine {
    /* From the load address on: makes traps go to where `traps` is, and finds the word that tells
     * harts apart, unless it is in memory, in ISA_HART. Falls through. */
    void (*enter)(isa_boot *boot);
    /* At the start of each program: keeps ISA_RECORD for `traps`. Changes T1 to T4 at most. */
    void (*keep_record)(isa_boot *boot);
    /* Once, a hart that has a thread in some program: brings what else there is to its work:
     * translation, the other harts. Falls through. NULL: nothing. */
    void (*prepare)(isa_boot *boot);
    /* Code that finds ISA_RECORD again and goes to `trapped`. */
    void (*traps)(isa_boot *boot);
    void (*set)(isa_boot *boot, isa_role to, uint64_t value);
    void (*arithmetic)(isa_boot *boot, isa_arithmetic what, isa_role to, isa_role a, isa_role b);
    /* A signed number of 11 bits. */
    void (*plus)(isa_boot *boot, isa_role to, isa_role a, int32_t number);
    void (*shift)(isa_boot *boot, isa_role to, isa_role a, int32_t left); /* negative: right */
    /* 4 or 8 bytes; offsets are 0 to 2040, and multiples of the size. */
    void (*load)(isa_boot *boot, uint32_t bytes, isa_role to, isa_role at, uint32_t offset);
    void (*store)(isa_boot *boot, uint32_t bytes, isa_role from, isa_role at, uint32_t offset);
    void (*branch)(isa_boot *boot, isa_condition condition, isa_role a, isa_role b,
                   isa_label label);
    void (*jump)(isa_boot *boot, isa_label label);
    void (*call)(isa_boot *boot, isa_label label);
    void (*call_at)(isa_boot *boot, isa_role function);
    void (*leave)(isa_boot *boot); /* a function that calls no other one */
    void (*set_stack)(isa_boot *boot, isa_role top);
    void (*fence)(isa_boot *boot); /* orders everything, devices included */
    /* What this hart has written at `at` is what instruction sides of all harts find, as soon as
     * they know of it and call `see_code`. NULL: nothing is needed. */
    void (*publish)(isa_boot *boot, isa_role at);
    void (*see_code)(isa_boot *boot);          /* changes T0 at most */
    void (*exit)(isa_boot *boot, bool passed); /* the ways that are not a word in memory */
    void (*wait)(isa_boot *boot);              /* until something happens, or not at all */
} isa_machine;

extern const isa_machine isa_riscv_machine, isa_aarch64_machine, isa_x86_64_machine;

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

#endif
