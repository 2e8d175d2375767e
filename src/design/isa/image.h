/* SPDX-License-Identifier: MIT */
/*
 * Images: a program, or several one after the other, as machine code that boots on a platform, runs
 * many rounds of each and leaves a log behind (docs/images.md). Build one, write it to files or
 * load its bytes, run it, and read what it left in memory with image_results.h.
 */
#ifndef DESIGN_ISA_IMAGE_H
#define DESIGN_ISA_IMAGE_H

#include "base/text.h"
#include "design/isa/image_map.h"

typedef struct isa_image_settings {
    isa_log log;
    uint64_t rounds;
    uint64_t seed;      /* of the start skews */
    uint32_t skew_bits; /* a hart waits 0 to 2^bits - 1 iterations before its thread, at most 16 */
    bool has_finals;    /* the log has the final words of locations; not with ISA_LOG_TAP */
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
col_status isa_image_map(const isa_image *image, const col_program *const *programs,
                         base_text *text, col_problem *problem);

#endif
