/* SPDX-License-Identifier: MIT */
/*
 * Images: a program, or several one after the other, as machine code that boots on a platform, runs
 * many rounds of each and leaves a log behind (docs/images.md). Build one, write it to files or
 * load its bytes, run it, and read what it left in memory with image_results.h.
 */
#pragma once

#include "base/text.h"
#include "design/isa/platform.h"

/*
 * ---- The map (image_map.c): what one has to know of an image to read what it left behind, where
 * its operations are, and what its results and logs look like. An image has it, and map.json keeps
 * it for later.
 *
 * The results are one piece of memory: a record of ISA_RECORD_BYTES for each hart with a thread,
 * then the log, a part of `stride` bytes for each round. In it every thread has its slots, one word
 * for each read, and behind them may come the final word of each location. A slot that nobody
 * filled has all bits set. An image of several programs has a map for each.
 */

enum { ISA_MAP_VERSION = 1, ISA_RECORD_BYTES = 64 };

/* Fields of a record, 8 bytes each, at these offsets. */
enum {
    ISA_RECORD_STATE = 0,  /* ISA_STATE_MARK + isa_state */
    ISA_RECORD_ROUND = 8,  /* that the hart is in, from 0 */
    ISA_RECORD_CAUSE = 16, /* of a trap: mcause, ESR_EL1; of one that waits: for which hart */
    ISA_RECORD_PC = 24,    /* of a trap */
    ISA_RECORD_VALUE = 32, /* of a trap: mtval, FAR_EL1 */
    ISA_RECORD_IMAGE = 40, /* which image wrote this: isa_map.image */
};
#define ISA_STATE_MARK UINT32_C(0x434f4c00)

typedef enum isa_state {
    ISA_STATE_NONE, /* it never started */
    ISA_STATE_RUNNING,
    ISA_STATE_DONE,
    ISA_STATE_ALONE,   /* another hart did not come to the barrier */
    ISA_STATE_GAVE_UP, /* an await did not see its value */
    ISA_STATE_TRAPPED,
    ISA_STATE_COUNT
} isa_state;

typedef struct isa_map_site { /* where an operation is */
    uint64_t pc;              /* of the instruction that reads or writes, or of the first one */
    uint32_t operation, thread;
    uint32_t slot, reg; /* of a read; else ISA_NONE */
} isa_map_site;

typedef struct isa_map_thread {
    uint64_t entry;      /* of its function */
    uint64_t log_offset; /* of its slots in the part of a round */
    uint32_t slots;
} isa_map_thread;

typedef struct isa_map {
    const isa_target *target;
    char platform[64];
    col_model model;
    isa_log log;
    uint64_t rounds, seed;
    uint32_t image; /* a number that tells images apart */
    col_hash program;
    uint32_t word_bytes;
    uint64_t ones; /* a word with all bits set */
    /* Round r has the salt (first + r + 1) * step & mask: the programs of an image share none. */
    uint64_t salt_first, salt_step, salt_mask;
    isa_window ram, results;
    isa_window all;         /* the results of all programs of the image, these among them */
    uint64_t stride;        /* of the log, from round to round; 0: there is no log */
    uint64_t finals_offset; /* in the part of a round; ISA_NO_FINALS: there are none */
    uint32_t thread_count, site_count, location_count;
    isa_map_thread *threads;
    isa_map_site *sites; /* by operation */
} isa_map;

#define ISA_NO_FINALS UINT64_MAX
#define ISA_MAP_EMPTY                                                                              \
    { .finals_offset = ISA_NO_FINALS }

void isa_map_free(isa_map *map);

uint64_t isa_map_salt(const isa_map *map, uint64_t round);
/* What memory holds in a round for a word of the program. */
uint64_t isa_map_word(const isa_map *map, const col_program *program, uint64_t word,
                      uint64_t round);
/* Where a read's slot is in the part of a round. */
uint64_t isa_map_slot(const isa_map *map, const isa_map_site *site);

/* Does any thread read? */
bool isa_map_has_reads(const isa_map *map);

/* Where the log begins in the results. */
uint64_t isa_map_log(const isa_map *map);

/* Where the program's results begin in those of all programs of the image. */
uint64_t isa_map_part(const isa_map *map);

/* Reads map.json into an empty map, and refuses what is not the map of an image of this program.
 * Of an image of several programs it takes the part that is about this one. */
col_status isa_map_read(isa_map *map, const char *path, const col_program *program,
                        col_problem *problem);
col_status isa_map_parse(isa_map *map, const char *text, size_t length, const char *file,
                         const col_program *program, col_problem *problem);

/* ---- The image. */

typedef struct isa_image_settings {
    isa_log log;
    uint64_t rounds;
    uint64_t seed;      /* of the start skews */
    uint32_t skew_bits; /* a hart waits 0 to 2^bits - 1 iterations before its thread, at most 16 */
    bool has_finals;    /* the log has the final words of locations; not with ISA_LOG_TAP */
    bool asks_skew; /* instead of the seed's, the skew is what the barrier's `arrive` reads as */
} isa_image_settings;

void isa_image_default(isa_image_settings *settings);

typedef struct isa_symbol {
    char name[32];
    uint64_t address, size;
    bool is_code;
} isa_symbol;

typedef struct isa_image {
    isa_map *maps; /* of each program */
    uint32_t map_count;
    uint64_t load;       /* where the bytes go, and the first instruction is */
    isa_code code;       /* the bytes: boot code, threads, tables */
    isa_window data;     /* memory that the image uses and that needs no content */
    uint64_t memory;     /* where address 0 of the programs is */
    uint64_t arrives;    /* the store by which a hart arrives at a barrier that is a device's; of
                            the last program; 0: there is none */
    isa_symbol *symbols; /* by address is not promised */
    size_t symbol_count, symbol_capacity;
} isa_image;

/* Start from ISA_IMAGE_EMPTY; an image can be built again. */
#define ISA_IMAGE_EMPTY                                                                            \
    { .code = ISA_CODE_EMPTY }

/* Refuses programs that the platform has no harts, memory or instructions for. */
col_status isa_image_build(isa_image *image, const col_program *program,
                           const isa_platform *platform, const isa_image_settings *settings,
                           col_problem *problem);
/* Several programs, which run in this order; each has its own rounds, and results of its own. */
col_status isa_image_build_all(isa_image *image, const col_program *const *programs, uint32_t count,
                               const isa_platform *platform, const isa_image_settings *settings,
                               col_problem *problem);
void isa_image_free(isa_image *image);

/* The instruction of the image at this address, "lw x13, 0(x5)"; else its bytes, or nothing if it
 * is not of the image. */
void isa_image_say(const isa_image *image, uint64_t pc, base_text *text);

/* Its files, in a folder: image.elf, image.bin, image.hex and map.json. The programs are those that
 * it was built of. */
col_status isa_image_write(const isa_image *image, const col_program *const *programs,
                           const char *folder, uint32_t hex_width, col_problem *problem);

/* One of them, as bytes. Lines of the third are for $readmemh: words of 4 or 8 bytes, whose
 * addresses count from the beginning of RAM. */
typedef enum isa_image_form {
    ISA_IMAGE_ELF,
    ISA_IMAGE_BIN,
    ISA_IMAGE_HEX,
    ISA_IMAGE_MAP,
    ISA_IMAGE_FORMS
} isa_image_form;
col_status isa_image_bytes(const isa_image *image, const col_program *const *programs,
                           isa_image_form form, uint32_t hex_width, base_text *bytes,
                           col_problem *problem);
