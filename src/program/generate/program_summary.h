/* SPDX-License-Identifier: MIT */
/* A program as a table for the terminal: a column a thread, chains marked by letters. */
#pragma once

#include "base/text.h"
#include "collider/generate.h"

col_status gen_chart_write(const col_program *program, const col_generated *generated, bool colour,
                           base_text *text, col_problem *problem);

/* A program as an SVG picture: a column a thread, chains as coloured arrows. */

enum { GEN_PICTURE_MOST_OPERATIONS = 2000 }; /* more would not be readable */

col_status gen_picture_write(const col_program *program, const col_generated *generated,
                             base_text *text, col_problem *problem);

/*
 * What a program holds, counted: operations by kind, collisions (pairs of accesses to one location)
 * and conflicts (collisions with a write in them) within and between threads, and races: the
 * conflicts that an access has with accesses of other threads.
 */

typedef struct gen_statistics {
    uint64_t programs;
    uint64_t by_kind[COL_KIND_COUNT];
    uint64_t operations;
    uint64_t accesses; /* operations that read or write */
    uint64_t intra_collisions, inter_collisions;
    uint64_t intra_conflicts, inter_conflicts;
    uint64_t least_races, most_races; /* of one access */
    uint64_t chains[COL_CATEGORIES];
    uint64_t fillers;
} gen_statistics;

/* Adds a program to the statistics, which start from {0}. */
col_status gen_statistics_add(gen_statistics *statistics, const col_program *program,
                              const col_generated *generated, col_problem *problem);

/* The mean number of races of an access. */
double gen_statistics_races(const gen_statistics *statistics);

/* The most blocks of the program that fall into one set of a cache level: above the number of ways
 * there is eviction. */
col_status gen_level_pressure(const col_program *program, const col_geometry *geometry,
                              uint32_t level, uint32_t *blocks, col_problem *problem);

/* "4+4+2+1": how many locations each class of a competition pattern has, largest first. */
col_status gen_pattern_write(const col_generated *generated, uint32_t locations, base_text *text,
                             col_problem *problem);
