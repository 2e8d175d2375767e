/* SPDX-License-Identifier: MIT */
/*
 * The report in memory: everything that pages, tables and plots show, worked out from stores of
 * results. Writers need nothing but this. The same stores give the same report, whatever the day.
 * Texts come from anywhere: a writer escapes them.
 */
#pragma once

#include "base/memory.h"
#include "base/text.h"
#include "results/statistics/evolution.h"

#define REP_NO_GROUP UINT32_MAX

/* ---- Where it came from. */

typedef cam_plan_row rep_plan;
typedef cam_design_row rep_design; /* without its points */

/* A setting that has more than one value among the groups of a kind; "none": it was not given. */
typedef struct rep_axis {
    const char *name;
    const char *const *values; /* in the order of the plans */
    uint32_t value_count;
    bool of_kind[CAM_KIND_COUNT]; /* trials of this kind have it; others have no value of it */
} rep_axis;

/* ---- Groups: all trials of a plan that differ in the seed alone. */

typedef struct rep_group {
    uint32_t plan; /* of the report's plans */
    cam_kind kind;
    const cam_pair *pairs; /* all settings but the seed */
    uint32_t pair_count;
    const char *design; /* of episodes that were done; else what the pairs say, or "" */
    uint32_t cores;
    const char *contender; /* what a comparison is of: the engine, mostly */
    const char *scenario;  /* all else that tells it from other groups of its plan: "mesi3, E.4.2";
                              may be "" */
    const char *name;      /* both: unique within its plan */
    uint32_t trials, done, failed;
    uint32_t found;             /* trials in which the design failed */
    uint32_t undecided;         /* in which it did not, but not all instances were judged in time */
    uint64_t unjudged;          /* instances of these that were not */
    bool hunts;                 /* a design error or a mutant was put in */
    double seconds;             /* of all trials together */
    const char *error, *mutant; /* that was put in; NULL */
    const char *reason;         /* why the first trial that could not be done was not; NULL */
    uint64_t reason_seed;
    const char *verdict, *finding; /* of the first trial in which the design failed; NULL */
    uint64_t finding_seed;
} rep_group;

/* ---- Tables. */

typedef struct rep_column {
    const char *name;
    const cam_pair *axes; /* what all of its figures are of: an engine, say */
    uint32_t axis_count;
    bool is_number;
} rep_column;

typedef struct rep_cell {
    const char *text;   /* for people, never NULL: "12.3 M", ">200 M", "" */
    double value;       /* for programs; NAN: there is none */
    bool best;          /* of its row */
    bool censored;      /* at least the value */
    uint32_t found, of; /* of 0: not said */
    double low, high;   /* an interval of 95 %; NAN: there is none */
    uint32_t group;     /* whose figure it is; REP_NO_GROUP */
} rep_cell;

typedef struct rep_row {
    uint32_t group; /* whose trials it is about; REP_NO_GROUP: those of several */
    uint32_t axis_count;
    const cam_pair *axes; /* what it is about: the scenario's values of the report's axes */
    rep_cell *cells;      /* NULL: rep_row_cells unpacks them */
    const unsigned char *packed;
} rep_row;

typedef struct rep_table {
    const char *id;           /* a word, unique: time-to-error */
    const char *title, *note; /* note may be NULL */
    rep_column *columns;
    uint32_t column_count;
    rep_row *rows;
    size_t row_count;
    rep_cell *room; /* for those of a row that is packed */
} rep_table;

/* The cells of a row, until those of another one are asked for. */
const rep_cell *rep_row_cells(const rep_table *table, const rep_row *row);

/* ---- Plots. */

typedef enum rep_plot_kind {
    REP_LINES, /* a median line in a band of quartiles for each series */
    REP_BOXES, /* a box for each series and interval */
    REP_HEAT,  /* a protocol's table */
    REP_PLOT_KIND_COUNT
} rep_plot_kind;

typedef struct rep_box {
    double least, lower, median, upper, most;
    uint32_t count; /* of trials; 0: no box */
} rep_box;

typedef struct rep_series {
    const char *name;
    uint32_t group;
    size_t count;
    const double *x, *lower, *median, *upper; /* of lines; NAN: nothing there */
    const rep_box *boxes;                     /* of boxes: count is the plot's intervals */
} rep_series;

/* A machine's transition table with what became of its cells in all trials. */
typedef struct rep_protocol_cell {
    uint32_t state, event;
    uint64_t hits;
    uint64_t first;       /* the least number of a test that reached it; 0: none did */
    uint32_t trials;      /* that reached it */
    int reachable;        /* 1, 0; -1: not known */
    int here;             /* with the tests and caches of some trial: 1, 0; -1: not known */
    const char *excluded; /* why it does not count; NULL: it does */
} rep_protocol_cell;

typedef struct rep_protocol {
    const char *design, *machine;
    uint32_t cores, trials;
    const char *const *states, *const *events;
    uint32_t state_count, event_count;
    const rep_protocol_cell *cells; /* those that are defined, by state and event */
    size_t cell_count;
} rep_protocol;

typedef struct rep_plot {
    const char *id;    /* a word, unique: evolution-1-structural-cycles */
    const char *title; /* "mesi3, 8 cores, E.4.2" */
    const char *about; /* evolution, boxes, learning or protocol */
    rep_plot_kind kind;
    const char *x_title, *y_title;
    const char *metric;   /* structural or functional; NULL where it has no meaning */
    const char *unit;     /* of x: cycles, seconds or tests; NULL */
    uint32_t subject;     /* plots of the same subject differ in the unit alone */
    const cam_pair *axes; /* the scenario's values of the report's axes */
    uint32_t axis_count;
    double total, reachable;  /* points; NAN: not known */
    const rep_series *series; /* NULL: rep_plot_draw draws them, from these: */
    const struct rep_scenario *scenario;
    cam_axis axis;
    col_metric points;
    uint32_t series_count;
    uint32_t series_group;   /* of the first */
    const double *intervals; /* of boxes: where each ends */
    uint32_t interval_count;
    const rep_protocol *protocol; /* of heat maps */
} rep_plot;

/* ---- Failures that were kept. */

/* Failures of one fingerprint, kept or not; or of one bug, whose name is the fingerprint. */
typedef struct rep_kind {
    const char *fingerprint, *hash; /* hash "": none was kept */
    uint64_t count;                 /* tests that failed so */
    uint32_t trials;
    uint32_t operations; /* of the smallest example; 0: not known */
    bool is_shrunk;      /* the example */
    const char *command; /* that replays the example; NULL: its program was not kept */
} rep_kind;

typedef struct rep_failure {
    uint32_t group;
    uint32_t kind;       /* of the report's kinds */
    uint64_t count;      /* tests of its trial that failed so */
    const char *mend;    /* of a bug: the change that mends it, as an edit; NULL: not known */
    const char *command; /* that replays it; NULL: its program was not kept */
    uint64_t seed, test, cycles;
    uint32_t instance;
    double seconds;
    const char *verdict, *reason;                   /* "" if there is none */
    const char *story, *picture, *program, *litmus; /* NULL: none; picture is SVG */
    uint32_t threads, operations, locations;        /* of the shrunk test; 0: it was not shrunk */
} rep_failure;

/* ---- Papers: what was published beside ours. */

typedef struct rep_paper {
    const char *name, *title, *source, *statistic, *unit; /* as the plan has them */
    const char *note;                                     /* may be NULL */
    uint32_t plan;
    uint32_t table;           /* the report's table with its cells; UINT32_MAX: none was made */
    uint32_t cells, compared; /* that it has figures in; those to which we have one, too */
    double ratio;             /* ours / published, geometric mean; NAN: no cell has both */
    double rank_correlation;  /* Spearman's within a row, mean over rows; NAN: nothing to rank */
    uint32_t rows, same_best; /* rows in which there is a best; in which it is the same */
    const char *summary;      /* all that in a sentence */
} rep_paper;

/* ---- All of it. */

typedef struct rep_report {
    const char *title;
    const char *tool; /* "collider 1.0.0" */
    const char *const *versions, *const *hosts;
    const char *first, *last; /* days, "2026-11-15"; NULL: no trial */
    rep_plan *plans;
    rep_design *designs;
    rep_axis *axes;
    rep_group *groups;
    rep_table *tables;
    rep_plot *plots;
    rep_protocol *protocols;
    rep_kind *kinds; /* the most frequent first */
    rep_failure *failures;
    rep_paper *papers;
    const char **warnings;    /* sentences: what could not be read, and was left out */
    base_arena arena;         /* owns all of it */
    bool is_run;              /* of one episode: there is nothing to compare, and no sample */
    bool has_seeds;           /* some group has several seeds: statistics mean something */
    bool has_bugs;            /* failures were triaged: kinds are bugs */
    struct rep_maker *source; /* what plots are drawn from; NULL: they have their series */
    uint32_t version_count, host_count, plan_count, design_count, axis_count, group_count;
    uint32_t table_count, plot_count, protocol_count, kind_count, failure_count, paper_count,
        warning_count;
} rep_report;

typedef struct rep_settings {
    const char *const *stores; /* paths, or folders of episodes */
    uint32_t store_count;
    const col_coverage *coverage; /* instead of stores: this alone; NULL */
    const char *const *excluded;  /* of each of its structural points: why; NULL: none is */
    const char *plan;             /* the name of a plan: its trials alone; NULL: all */
    const char *title;            /* NULL: the plans' */
    double price;                 /* cycles that a test costs besides its own */
    uint64_t until;               /* the cycle at which episodes are cut off; 0: they are not */
    const char *paper; /* the name of a published table, or of a plan: these tables alone, and no
                        * plots; "list": none, but what there is; NULL: everything */
} rep_settings;

/* Start from {0}; free also after an error. */
col_status rep_report_make(rep_report *report, const rep_settings *settings, col_problem *problem);
void rep_report_free(rep_report *report);

/* A plot with its series and intervals, which are kept for as long as it is. Free also after an
 * error. */
typedef struct rep_drawn {
    rep_plot plot;
    base_arena arena;
} rep_drawn;
col_status rep_plot_draw(const rep_report *report, const rep_plot *plot, rep_drawn *drawn,
                         col_problem *problem);
void rep_drawn_free(rep_drawn *drawn);

/* The data of the page as JSON, at most about this many bytes (0: whatever it takes): lines, rows
 * and failures beyond are left out, and it says so. The text is for a script element: it has no '<'
 * in it. */
col_status rep_page_data(const rep_report *report, size_t budget, base_text *text,
                         col_problem *problem);

/*
 * The report as files: one writer for each format, all from the same model. Every file is written
 * whole or not at all, and the same report gives the same bytes. docs/report-formats.md says what
 * is in them.
 */

/* The formats: rows X(NAME, word, what it is, .file = its one file in a folder, or .files = the
 * files that it is in a folder, and .text = what makes its text, or .write = what writes it). */
#define REP_FORMATS(X)                                                                             \
    X(REP_HTML, "html", "one page that needs nothing else, under 5 MB", .file = "report.html",     \
      .write = rep_page_write)                                                                     \
    X(REP_CSV, "csv", "every table and plot, for programs",                                        \
      .files = "ID.csv, groups.csv, failures.csv", .write = rep_csv_write)                         \
    X(REP_JSON, "json", "what the page shows, nothing left out", .file = "report.json",            \
      .write = write_json)                                                                         \
    X(REP_MARKDOWN, "md", "the tables, as GitHub reads them", .file = "report.md",                 \
      .text = rep_markdown_text)                                                                   \
    X(REP_SVG, "svg", "the plots, for papers", .files = "ID.svg", .write = rep_svg_write)          \
    X(REP_UCIS, "ucis", "coverage, for other verification tools", .file = "coverage.ucis.xml",     \
      .text = rep_ucis_text)                                                                       \
    X(REP_JUNIT, "junit", "passed and failed, for continuous integration", .file = "junit.xml",    \
      .text = rep_junit_text)

typedef enum rep_format {
#define REP_FORMAT_NAME(name, ...) name,
    REP_FORMATS(REP_FORMAT_NAME)
#undef REP_FORMAT_NAME
        REP_FORMAT_COUNT
} rep_format;
extern const char *const rep_formats[REP_FORMAT_COUNT + 1]; /* words, ended by NULL */

typedef struct rep_format_facts {
    const char *summary;
    const char *file;  /* what its one file is called in a folder; NULL: it is several files, */
    const char *files; /* these, with commas */
    void (*text)(const rep_report *report, base_text *text);
    col_status (*write)(const rep_report *report, const char *path, col_problem *problem);
} rep_format_facts;
extern const rep_format_facts rep_format_of[REP_FORMAT_COUNT];

/* `path` is a file ("-": standard output), or for formats of several files a folder, which is made
 * if it is not there. */
col_status rep_write(const rep_report *report, rep_format format, const char *path,
                     col_problem *problem);

/* The writers behind rep_write, one for each format. A writer of one file makes its text; those of
 * several files write them into a folder. */

col_status rep_page_write(const rep_report *report, const char *path, col_problem *problem);
col_status rep_csv_write(const rep_report *report, const char *folder, col_problem *problem);
col_status rep_svg_write(const rep_report *report, const char *folder, col_problem *problem);

/* Failures to get memory are remembered by the text. */
void rep_markdown_text(const rep_report *report, base_text *text);
void rep_ucis_text(const rep_report *report, base_text *text);
void rep_junit_text(const rep_report *report, base_text *text);
/* One table, as it is in the files. */
void rep_markdown_table(const rep_table *table, base_text *text);
void rep_csv_table(const rep_table *table, base_text *text);
/* For a terminal, in columns that line up: the best with a star, found counts in parentheses. */
void rep_text_table(const rep_table *table, base_text *text);
/* One plot as a drawing of its own. */
void rep_svg_plot(const rep_plot *plot, base_text *text);

/* Writes FOLDER/NAME.EXTENSION, whatever characters the name has. */
col_status rep_write_part(const base_text *text, const char *folder, const char *name,
                          const char *extension, col_problem *problem);
/* A part for each plot, which is drawn for it. */
col_status rep_write_plots(const rep_report *report, const char *folder, const char *extension,
                           void (*add)(const rep_plot *plot, base_text *text),
                           col_problem *problem);
