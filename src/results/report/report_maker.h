/* SPDX-License-Identifier: MIT */
/*
 * What the parts that make a report share: the trials as they were read, by groups and by
 * scenarios. Texts are kept once (rep_keep), so that equal texts of trials and groups are equal
 * pointers. All of it is gone when the report is made.
 *
 * What goes wrong is remembered by the maker: steps after that do nothing that matters, and the
 * report is refused at the end.
 */
#pragma once

#include "base/names.h"
#include "results/report/report.h"
#include "results/statistics/statistic.h"
#include "results/store/store.h"

/* What an engine logged while it learned, in bins of `width` tests each, a power of two. */
enum { REP_REWARD, REP_LOSS, REP_LEARNED_COUNT };
typedef struct rep_learned {
    uint32_t width, count;
    float *sums[REP_LEARNED_COUNT];
    uint32_t *counts[REP_LEARNED_COUNT];
} rep_learned;

typedef struct rep_trial {
    cam_row row; /* without hits and learning */
    uint32_t plan, group;
    const rep_learned *learned; /* NULL: nothing */
} rep_trial;

/* Groups that are to be compared: they differ in who contends alone. */
typedef struct rep_scenario {
    uint32_t plan;
    cam_kind kind;
    const char *name;
    const cam_pair *axes; /* design, cores, and what tells it from other scenarios of its plan */
    uint32_t axis_count;
    uint32_t *groups;
    size_t group_count, group_capacity;
    bool hunts, is_done; /* any of its groups */
} rep_scenario;

/*
 * The transition tables of protocols with what all trials did to their cells. Designs of one name
 * and number of cores share a table, whatever error was put in: a cell is its machine, state and
 * event, not its number.
 */
typedef struct rep_protocols {
    base_names machines, designs; /* by design, cores and machine; by hash */
    struct rep_machine_table *tables;
    struct rep_design_map *maps;
    size_t table_count, table_capacity, map_capacity;
} rep_protocols;

typedef struct rep_maker {
    rep_report *report;
    const rep_settings *settings;
    col_status status; /* not COL_OK: what went wrong first is in `problem` */
    col_problem *problem;
    base_names texts, keys, identities;
    base_arena names; /* of trials and failures, while stores are read */
    rep_protocols protocols;
    rep_group *groups;     /* of the report, until they are in order */
    rep_failure *failures; /* of the report; so are the plots */
    rep_plot *plots;
    rep_trial *trials;
    size_t trial_count, trial_capacity;
    size_t group_capacity, plan_capacity, design_capacity, failure_capacity, table_capacity;
    size_t paper_capacity, warning_capacity, plot_capacity;
    size_t failure_bytes;
    cam_failure_kinds kinds;
    base_index kept;           /* of several stores: trials and kinds of the report's failures */
    base_names counted;        /* failures that are in their kind, by key and number of the kind */
    int64_t first, last;       /* when a trial was started */
    const rep_trial **members; /* by group, as they came */
    const cam_row **rows;      /* the same */
    size_t *begins;            /* where a group's members begin; one more: the end */
    rep_scenario *scenarios;
    size_t scenario_count;
    bool has_quiet;           /* some scenario of episodes that were done does not hunt */
    cam_selector *contenders; /* of each group: the settings that it contends by, its variant's too;
                                 count 0: none */
    uint64_t *variants;  /* of each group: the settings in which its contender varies, as bits */
    base_arena brief;    /* cells and texts of rows that are not packed yet */
    rep_row *table_rows; /* of the table that is being built */
    size_t table_row_capacity;
} rep_maker;

/* ---- Memory. What there is not enough of is noted. */

/* Was it had? */
static inline bool rep_has(rep_maker *m, const void *piece) {
    if (piece == NULL && m->status == COL_OK)
        m->status = base_out_of_memory(m->problem);
    return piece != NULL;
}
/* Room for that many, and one more, in the report's arena; zeroed. NULL: there is none. */
void *rep_take(rep_maker *maker, size_t count, size_t size);
/* As base_reserve; and the same for an array in the arena, which gets room for one more. */
bool rep_reserve(rep_maker *maker, void *array, size_t *capacity, size_t count, size_t size);
bool rep_grow(rep_maker *maker, void *array, size_t *capacity, size_t count, size_t size);

/* A text of the arena; "" when out of memory. */
const char *rep_print(rep_maker *maker, const char *format, ...) BASE_PRINTF(2, 3);
/* The same, until the rows of the table are packed. */
const char *rep_brief(rep_maker *maker, const char *format, ...) BASE_PRINTF(2, 3);
/* The one copy of a text; NULL for NULL. */
const char *rep_keep(rep_maker *maker, const char *text);
/* The number of a text, as base_names_add; `is_new` may be NULL. */
uint32_t rep_number_of(rep_maker *maker, base_names *names, const char *text, bool *is_new);
/* All texts in the arena, by number. */
const char **rep_texts(rep_maker *maker, const base_names *names);
/* The value of a setting among pairs whose names were kept; NULL: it was not given. */
const char *rep_value(const cam_pair *pairs, uint32_t count, const char *name);

/* Its trials tell of coverage: nothing is put in that would end them. */
static inline bool rep_is_quiet(const rep_scenario *s) {
    return s->kind == CAM_EPISODE && s->is_done && !s->hunts;
}

static inline size_t rep_member_count(const rep_maker *maker, uint32_t group) {
    return maker->begins[group + 1] - maker->begins[group];
}
static inline const cam_row *const *rep_rows(const rep_maker *maker, uint32_t group) {
    return maker->rows + maker->begins[group];
}

/* ---- The steps, in this order. */

void rep_gather(rep_maker *maker);  /* trials, plans, designs, failures */
void rep_arrange(rep_maker *maker); /* groups, axes, scenarios */
void rep_finish_protocols(rep_maker *maker);
void rep_make_plots(rep_maker *maker);
void rep_make_tables(rep_maker *maker);

/* Settings that have more than one value over all groups. */
void rep_find_axes(rep_maker *maker);
/* Names the groups and puts those that are to be compared together. */
void rep_find_scenarios(rep_maker *maker);

void rep_protocols_add_design(rep_maker *maker, const cam_design_row *design);
/* The hits of a trial; nothing if it has none, or its design is not there. */
void rep_protocols_add(rep_maker *maker, const cam_row *row);
void rep_protocols_free(rep_protocols *protocols);

/* The command that replays a failure, as it is typed into a shell. A store is named without its
 * folder, so that the report does not depend on where it is; an episode's folder as it was given.
 */
const char *rep_command(rep_maker *maker, uint32_t store, const char *failure);

/* The log of learning (docs/learning.md) of a trial, in bins; however long it was it takes little
 * room. NULL: it has no rows. What is no number is left out. */
enum { REP_LEARNED_BINS = 128 };
const rep_learned *rep_learned_read(rep_maker *maker, const char *csv);

/* One more plot of the report; NULL: out of memory. */
rep_plot *rep_add_plot(rep_maker *maker);
/* Words for a scenario, with its plan where there are several. */
const char *rep_scenario_title(rep_maker *maker, const rep_scenario *scenario);
/* What engines logged while they learned: rewards and losses over tests, of each scenario. */
void rep_draw_learning(rep_maker *maker);

/* ---- Building tables: columns first, then rows of cells, which say nothing until they are filled
 * in. */

typedef struct rep_builder {
    rep_maker *maker;
    rep_table table;
    size_t column_capacity;
    size_t packed; /* rows that are */
} rep_builder;

rep_column *rep_builder_column(rep_builder *builder, const char *name, bool is_number);
/* Its cells can be filled in until the builder packs them. NULL: out of memory. */
rep_row *rep_builder_row(rep_builder *builder, uint32_t group);
/* The rows so far are as they will stay: they may be packed. */
void rep_builder_pack(rep_builder *builder);
/* Puts the table into the report, unless it has no rows. */
void rep_builder_finish(rep_builder *builder);

extern const rep_cell rep_no_cell; /* says nothing */
/* `bytes` is for its use. False: out of memory. */
bool rep_row_pack(rep_row *row, uint32_t columns, base_arena *arena, base_text *bytes);

void rep_cell_text(rep_cell *cell, const char *text);
/* In words: three digits and what they are of, such as "12.3 M", "1.2 s", "88.4 %". */
void rep_cell_number(rep_maker *maker, rep_cell *cell, double value, const char *unit);
/* A whole number in full. */
void rep_cell_count(rep_maker *maker, rep_cell *cell, uint64_t count);
void rep_cell_answer(rep_maker *maker, rep_cell *cell, const cam_answer *answer, const char *unit,
                     uint32_t group);
/* It is of something that a trial may fail to get to: how many did is worth saying. */
bool rep_can_be_missed(const char *statistic);
/* Marks the best of those that are no bounds, if it has competitors. */
void rep_mark_best(rep_cell *cells, uint32_t count, bool less_is_better);
/* The same among the cells of a column in these rows. */
void rep_mark_best_row(rep_row *rows, size_t first, size_t end, uint32_t column,
                       bool less_is_better);

/* ---- Scenarios as rows: the settings that tell them apart are the first columns. */

enum { REP_MOST_AXES = 16 };
typedef struct rep_pivot {
    const rep_scenario **scenarios;
    uint32_t scenario_count;
    const char *axes[REP_MOST_AXES];
    uint32_t axis_count, width; /* width: columns that the scenarios take */
    bool names_plans;
    base_names contenders; /* in the order in which they come */
    const char *word;      /* what they are: "engine", or if they differ in that "contender" */
} rep_pivot;

typedef bool (*rep_choice)(const rep_maker *maker, const rep_scenario *scenario);
void rep_pivot_make(rep_maker *maker, rep_choice choice, rep_pivot *pivot);
void rep_pivot_columns(const rep_pivot *pivot, rep_builder *builder);
/* A row with the scenario in its first cells. NULL: out of memory. */
rep_row *rep_pivot_row(const rep_pivot *pivot, rep_builder *builder, const rep_scenario *scenario,
                       uint32_t group);
/* A column for each contender. */
void rep_pivot_contenders(const rep_pivot *pivot, rep_builder *builder);

/* ---- The tables, by subject. */

void rep_tables_of_coverage(rep_maker *maker); /* times to it, at the end */
void rep_tables_of_comparisons(rep_maker *maker);
void rep_tables_of_papers(rep_maker *maker);
void rep_tables_of_run(rep_maker *maker);      /* of one episode */
void rep_tables_of_failures(rep_maker *maker); /* by kind */

/* Answers for one group; intervals are left out of large reports. */
cam_answer rep_ask(rep_maker *maker, const cam_question *question, uint32_t group);
/* An answer for each contender of the scenario, in cells of the contenders' columns. */
void rep_fill_contenders(rep_maker *maker, const rep_pivot *pivot, const rep_scenario *scenario,
                         const cam_question *question, rep_cell *cells);
