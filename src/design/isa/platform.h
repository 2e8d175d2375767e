/* SPDX-License-Identifier: MIT */
/*
 * Platforms: what an image has to know of the machine that it boots on. Named by a preset of
 * platforms/, which the library carries, or by a file (YAML, docs/platforms.md).
 */
#pragma once

#include "base/text.h"
#include "collider/geometry.h"
#include "design/isa/isa.h"

typedef struct isa_window {
    uint64_t base, size; /* size 0: there is none */
} isa_window;

static inline bool isa_is_within(const isa_window *window, uint64_t address) {
    return address >= window->base && address - window->base < window->size;
}

/* How a hart finds its number. */
typedef enum isa_hart_source {
    ISA_HART_MHARTID,
    ISA_HART_MPIDR,
    ISA_HART_APIC,     /* x86-64: the local APIC's id */
    ISA_HART_COUNTER,  /* in the order in which harts come */
    ISA_HART_REGISTER, /* it holds the number at the start */
    ISA_HART_MEMORY,   /* a word that reads differently for each hart */
    ISA_HART_SOURCE_COUNT
} isa_hart_source;

/* The number is (word >> shift & mask) - first. */
typedef struct isa_hart {
    uint64_t from; /* isa_hart_source */
    uint64_t address, reg, shift, mask, first;
} isa_hart;

/* Who starts the harts beyond the first one. */
typedef enum isa_start {
    ISA_START_TOGETHER, /* all start at the load address */
    ISA_START_PSCI_HVC, /* hart 0 starts them, by PSCI's CPU_ON */
    ISA_START_PSCI_SMC,
    ISA_START_SIPI, /* the one that starts at the load address starts the others, by its APIC */
    ISA_START_COUNT
} isa_start;

typedef enum isa_barrier_kind {
    ISA_BARRIER_CACHED,   /* words beside the memory under test */
    ISA_BARRIER_UNCACHED, /* words in the uncached window */
    ISA_BARRIER_DEVICE,   /* a device: harts write to `arrive` and read `go` */
    ISA_BARRIER_COUNT
} isa_barrier_kind;

typedef struct isa_barrier {
    uint64_t kind; /* isa_barrier_kind */
    uint64_t arrive, go;
    uint64_t limit; /* looks at a word before a hart gives up */
} isa_barrier;

typedef enum isa_exit_kind {
    ISA_EXIT_NONE,        /* stay in a loop */
    ISA_EXIT_SEMIHOSTING, /* SYS_EXIT */
    ISA_EXIT_FINISHER,    /* SiFive's test device */
    ISA_EXIT_TOHOST,      /* riscv-tests' word; address 0: in the image, with its symbol */
    ISA_EXIT_PSCI,        /* SYSTEM_OFF */
    ISA_EXIT_WRITE,       /* a word to an address */
    ISA_EXIT_PORT,        /* a word to an I/O port */
    ISA_EXIT_COUNT
} isa_exit_kind;

typedef struct isa_exit {
    uint64_t kind; /* isa_exit_kind */
    uint64_t address, pass, fail;
} isa_exit;

typedef struct isa_platform {
    char name[64];
    char description[256];
    const isa_target *target;
    isa_window ram, uncached;
    uint64_t load; /* where the image begins, and harts start */
    uint64_t harts;
    isa_hart hart;
    uint64_t start; /* isa_start */
    isa_barrier barrier;
    isa_exit exit;
    bool has_uncached_log; /* results and log are in the uncached window */
    bool has_flush;        /* RISC-V: Zicbom */
    bool has_atomics;      /* AArch64: LSE */
    col_geometry geometry; /* without levels: nobody knows */
    col_model model;       /* what the machine promises: that of its instruction set, unless said */
} isa_platform;

enum { ISA_MOST_HARTS = 1024 };

/* x86-64: harts that are started by an APIC begin below 1 MiB, in this page of RAM. */
enum { ISA_TRAMPOLINE = 0x8000 };

/* Checks all that can be said without a program. `file` is for the places of what is wrong. */
col_status isa_platform_parse(isa_platform *platform, const char *text, size_t length,
                              const char *file, col_problem *problem);

/* A preset's name, or a file: what ends with .yaml or .yml. */
col_status isa_platform_open(isa_platform *platform, const char *what, col_problem *problem);

/* The text of either, for whoever keeps it. */
col_status isa_platform_text(const char *what, base_text *text, col_problem *problem);

/* Does this name a file, and not a preset? */
bool isa_platform_is_file(const char *what);

/* The names of the presets, ended by NULL. */
extern const char *const isa_platform_names[];
