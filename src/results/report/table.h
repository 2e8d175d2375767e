/* SPDX-License-Identifier: MIT */
/* Building tables: columns first, then rows of cells, which say nothing until they are filled in.
 */
#ifndef RESULTS_REPORT_TABLE_H
#define RESULTS_REPORT_TABLE_H

#include "results/report/report.h"
#include "results/report/report_maker.h"
#include "results/statistics/statistic.h"

typedef struct rep_builder {
    rep_maker *maker;
    rep_table table;
    size_t column_capacity;
    size_t packed; /* rows that are */
    bool failed;   /* out of memory; rep_builder_finish says so */
} rep_builder;

void rep_builder_column(rep_builder *builder, const char *name, bool is_number);
void rep_builder_axis_column(rep_builder *builder, const char *name, cam_selector axes);
/* Its cells can be filled in until the builder packs them. NULL: out of memory. */
rep_row *rep_builder_row(rep_builder *builder, uint32_t group);
/* The rows so far are as they will stay: they may be packed. */
void rep_builder_pack(rep_builder *builder);
/* Puts the table into the report, unless it has no rows. */
col_status rep_builder_finish(rep_builder *builder, col_problem *problem);

/* ---- Cells. */

extern const rep_cell rep_no_cell; /* says nothing */
/* `bytes` is for its use. False: out of memory. */
bool rep_row_pack(rep_row *row, uint32_t columns, base_arena *arena, base_text *bytes);

/* A text that lasts until its row is packed; "" and `failed` when out of memory. */
const char *rep_brief(rep_maker *maker, const char *format, ...) BASE_PRINTF(2, 3);

/* Words for a figure: three digits and what they are of, such as "12.3 M", "1.2 s", "88.4 %". */
const char *rep_figure(rep_maker *maker, double value, const char *unit);

void rep_cell_text(rep_cell *cell, const char *text);
void rep_cell_number(rep_maker *maker, rep_cell *cell, double value, const char *unit);
void rep_cell_answer(rep_maker *maker, rep_cell *cell, const cam_answer *answer, const char *unit,
                     uint32_t group);
/* It is of something that a trial may fail to get to: how many did is worth saying. */
bool rep_can_be_missed(const char *statistic);
/* Marks the best of those that are no bounds, if it has competitors. */
void rep_mark_best(rep_cell *cells, uint32_t count, bool less_is_better);
/* The same among the cells of a column in these rows. */
void rep_mark_best_row(rep_row *rows, size_t first, size_t end, uint32_t column,
                       bool less_is_better);

/* ---- Scenarios as rows. */

/* The settings that tell the scenarios of a table apart, as its first columns. */
enum { REP_MOST_AXES = 16 };
typedef struct rep_pivot {
    const rep_scenario **scenarios;
    uint32_t scenario_count;
    const char *axes[REP_MOST_AXES];
    uint32_t axis_count;
    bool names_plans;
    base_names contenders; /* in the order in which they come */
    const char *word;      /* what they are: "engine", or if they differ in that "contender" */
} rep_pivot;

typedef bool (*rep_choice)(const rep_maker *maker, const rep_scenario *scenario);
col_status rep_pivot_make(rep_maker *maker, rep_choice choice, rep_pivot *pivot,
                          col_problem *problem);
void rep_pivot_free(rep_pivot *pivot);
/* How many columns the scenarios take. */
uint32_t rep_pivot_width(const rep_pivot *pivot);
void rep_pivot_columns(const rep_pivot *pivot, rep_builder *builder);
/* A row with the scenario in its first cells. NULL: out of memory. */
rep_row *rep_pivot_row(const rep_pivot *pivot, rep_builder *builder, const rep_scenario *scenario,
                       uint32_t group);
/* A column for each contender. */
void rep_pivot_contenders(const rep_pivot *pivot, rep_builder *builder);

/* A table for a terminal. */

/* Adds the table in columns that line up: the best with a star, found counts in parentheses. */
void rep_text_table(const rep_table *table, base_text *text);

#endif
