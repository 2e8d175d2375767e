/* SPDX-License-Identifier: MIT */
/*
 * What the parts that make a report share: the trials as they were read, by groups and by
 * scenarios. Texts are kept once (rep_keep), so that equal texts of trials and groups are equal
 * pointers. All of it is gone when the report is made.
 */
#ifndef RESULTS_REPORT_REPORT_MAKER_H
#define RESULTS_REPORT_REPORT_MAKER_H

#include "base/hash.h"
#include "base/names.h"
#include "base/text.h"
#include "results/report/protocol_table.h"
#include "results/report/report.h"
#include "results/store/store_failures.h"

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
    uint32_t group_count, group_capacity;
    bool hunts, is_done; /* any of its groups */
} rep_scenario;

typedef struct rep_maker {
    rep_report *report;
    const rep_settings *settings;
    base_names texts, keys, identities;
    base_arena names; /* of trials and failures, while stores are read */
    rep_protocols protocols;
    rep_group *groups;     /* of the report, until they are in order */
    rep_failure *failures; /* likewise, until all are read */
    rep_plot *plots;       /* likewise */
    rep_trial *trials;
    size_t trial_count, trial_capacity;
    size_t group_capacity, plan_capacity, design_capacity, failure_capacity, table_capacity;
    size_t paper_capacity, warning_capacity;
    size_t failure_bytes;
    cam_failure_kinds kinds;
    base_index
        kept; /* of several stores: the trials and kinds of failures that are in the report */
    base_names counted;        /* failures that are in their kind, by key and number of the kind */
    int64_t first, last;       /* when a trial was started */
    const rep_trial **members; /* by group, as they came */
    const cam_row **rows;      /* the same */
    size_t *begins;            /* where a group's members begin; one more: the end */
    rep_scenario *scenarios;
    uint32_t scenario_count;
    bool has_quiet;           /* some scenario of episodes that were done does not hunt */
    cam_selector *contenders; /* of each group: the settings that it contends by, its variant's too;
                                 count 0: none */
    uint64_t *variants;  /* of each group: the settings in which its contender varies, as bits */
    base_arena brief;    /* cells and texts of rows that are not packed yet */
    rep_row *table_rows; /* of the table that is being built */
    size_t table_row_capacity;
    bool failed; /* out of memory while making a text */
} rep_maker;

/* A text of the arena; "" and `failed` when out of memory. */
const char *rep_print(rep_maker *maker, const char *format, ...) BASE_PRINTF(2, 3);
/* The one copy of a text; NULL for NULL, "" and `failed` when out of memory. */
const char *rep_keep(rep_maker *maker, const char *text);
/* An array in the arena that gets room for one more; NULL: out of memory. */
void *rep_grow(base_arena *arena, void *array, size_t count, size_t *capacity, size_t item_size);

/* What grew on the heap moves to the arena, `to`, where it stays; the addresses of both pointers.
 */
col_status rep_move(rep_maker *maker, void *to, void *from, size_t size, col_problem *problem);

/* The value of a setting among pairs whose names were kept; NULL: it was not given. */
const char *rep_value(const cam_pair *pairs, uint32_t count, const char *name);

/* Its trials tell of coverage: nothing is put in that would end them. */
static inline bool rep_is_quiet(const rep_scenario *s) {
    return s->kind == CAM_EPISODE && s->is_done && !s->hunts;
}

static inline size_t rep_member_count(const rep_maker *maker, uint32_t group) {
    return maker->begins[group + 1] - maker->begins[group];
}
static inline const rep_trial *const *rep_members(const rep_maker *maker, uint32_t group) {
    return maker->members + maker->begins[group];
}
static inline const cam_row *const *rep_rows(const rep_maker *maker, uint32_t group) {
    return maker->rows + maker->begins[group];
}

/* The steps, in this order. */
col_status rep_gather(rep_maker *maker,
                      col_problem *problem); /* trials, plans, designs, failures */
col_status rep_arrange(rep_maker *maker, col_problem *problem); /* groups, axes, scenarios */
col_status rep_make_plots(rep_maker *maker, col_problem *problem);
col_status rep_make_tables(rep_maker *maker, col_problem *problem);

/* ---- What groups differ in: the axes of a report, who contends, and in which scenarios. */

/* Settings that have more than one value over all groups. */
col_status rep_find_axes(rep_maker *maker, col_problem *problem);
/* Names the groups and puts those that are to be compared together. */
col_status rep_find_scenarios(rep_maker *maker, col_problem *problem);

/* Failures by kind: "30 failures, 4 kinds", with the command that shows the smallest of each. */

/* The command that replays a failure, as it is typed into a shell. A store is named without its
 * folder, so that the report does not depend on where it is; an episode's folder as it was given.
 */
const char *rep_command(rep_maker *maker, uint32_t store, const char *failure);

/* The report's kinds, the most frequent first, from those that were counted; failures get their
 * places. */
col_status rep_sort_kinds(rep_maker *maker, col_problem *problem);

/* ---- The log of learning (docs/learning.md) of a trial, in bins; however long it was it takes
 * little room. */

enum { REP_LEARNED_BINS = 128 };

extern const char *const rep_learned_names[REP_LEARNED_COUNT];

/* `*learned` is NULL if the text has no rows. What is no number is left out. False: out of memory.
 */
bool rep_learned_read(base_arena *arena, const char *csv, const rep_learned **learned);

/* ---- What makes plots, in parts. */

/* One more plot of the report; NULL: out of memory. */
rep_plot *rep_add_plot(rep_maker *maker, size_t *capacity);
/* Words for a scenario, with its plan where there are several. */
const char *rep_scenario_title(rep_maker *maker, const rep_scenario *scenario);

/* When the last trial of a scenario ended that has a curve; 0: none has. */
double rep_longest(const rep_maker *maker, const rep_scenario *scenario, cam_axis axis);

/* What engines logged while they learned: rewards and losses over tests, of each scenario. */
col_status rep_draw_learning(rep_maker *maker, size_t *capacity, col_problem *problem);

#endif
