/* SPDX-License-Identifier: MIT */
/* What is behind a chip's bus: memory, and the devices by which an image's harts meet and end. */
#pragma once

#include "design/isa/platform.h"

typedef struct duv_pages {
    isa_window window;
    uint8_t **pages;   /* NULL: all bytes are 0 */
    uint32_t *touched; /* numbers of the pages that may hold something else */
    size_t touched_count, touched_capacity;
} duv_pages;

/* Words that harts write to and read from, and that are not memory. */
typedef struct duv_devices {
    uint32_t threads; /* that meet at the barrier */
    bool has_barrier;
    uint64_t arrive, go, exit;
    uint32_t coming, arrived, gone; /* a barrier, who is there, the last that is open */
    uint32_t closed;                /* does not open when all are there; 0: each does */
    bool is_held;                   /* all are there */
    uint64_t luck;                  /* of start skews */
    bool exits_in_memory;           /* the word of the exit is memory, too */
    bool has_exited;
    uint32_t exit_word;
} duv_devices;

typedef struct duv_memory {
    duv_pages ram, uncached;
    duv_devices devices;
    col_status status; /* something could not be written */
    uint64_t strange;  /* the first address without anything behind it */
    bool has_strange;
} duv_memory;

/* Start from {0}. The platform is needed no longer. */
col_status duv_memory_open(duv_memory *memory, const isa_platform *platform, col_problem *problem);
void duv_memory_free(duv_memory *memory);
void duv_memory_clear(duv_memory *memory); /* its bytes; devices stay as they are */
/* Both were opened for the same platform. */
col_status duv_memory_copy(duv_memory *to, const duv_memory *from, col_problem *problem);

/* False: nothing is there. */
bool duv_memory_read(duv_memory *memory, uint64_t address, uint32_t bytes, uint8_t *to);
bool duv_memory_write(duv_memory *memory, uint64_t address, uint32_t bytes, const uint8_t *from,
                      uint64_t strobes);
