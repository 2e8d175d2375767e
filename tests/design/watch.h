/* SPDX-License-Identifier: MIT */
/* What an observer saw of runs: a hash of all events in order, transitions counted by name, and a
 * stop that it asks for after this many events. Programs to run. */
#pragma once

#include "collider/duv.h"

/* The names that the numbers of a COL_TRANSITION mean. */
typedef struct names {
    const char *const *states, *const *events;
} names;

typedef struct watch {
    const col_duv_description *description;
    const names *names;     /* by machine; NULL: transitions are not counted */
    uint64_t *hits;         /* by functional point, as counted here */
    uint64_t hash, events;  /* of all events */
    uint64_t performed;     /* loads and stores */
    uint64_t last_cycle;    /* of the last event */
    uint64_t stop_after;    /* events; 0: never */
    uint64_t cycle_of_stop; /* of that event */
    char message[512];      /* the last one */
    volatile int stop;
} watch;

void watch_start(watch *w, const col_duv *duv, const names *by_machine);
void watch_end(watch *w);

/* All events. */
col_observer watch_observer(watch *w);

/* Runs an instance that must be told without an error; the watch's hash and events begin anew. */
col_run watch_run(watch *w, col_duv *duv, uint64_t seed);

/* Collects, and fails the test if the hits are not those that were counted since the last time. */
void watch_compare_hits(watch *w, col_duv *duv);

/* A random program: this many threads, operations and locations in few cache sets. */
void program_make(col_program *program, const col_duv_description *description, uint32_t operations,
                  uint32_t locations, uint64_t seed);

/* Opens a design or fails the test. */
col_duv *duv_open(const char *what, uint32_t cores, const char *options, bool own_process);
/* The same with a design error, of tests/data/error, put in; NULL: none. */
col_duv *duv_open_wrong(const char *what, uint32_t cores, const char *options, const char *error,
                        bool own_process);

/* A design with the program that it has loaded, and what was seen of its instances. */
typedef struct trial {
    col_duv *duv; /* closed at the end */
    col_program program;
    watch watch;
} trial;

void trial_start(trial *t, col_duv *duv, const names *by_machine);
void trial_load(trial *t);
/* Makes a random program and loads it; `small`: in the first words of memory. */
void trial_make(trial *t, uint32_t operations, uint32_t locations, uint64_t seed);
void trial_make_small(trial *t, uint32_t operations, uint32_t locations, uint64_t seed);
col_run trial_run(trial *t, uint64_t seed);
void trial_end(trial *t);

/* In how many of these instances, each with a program of its own, the design breaks the model. */
uint32_t trial_violations(trial *t, col_model model, uint32_t tests,
                          void make(trial *t, uint64_t seed));

/* Why the design is refused; fails the test if it opens, or if the sentence is not in the reason.
 */
const char *duv_refusal(const char *what, const col_duv_settings *settings);
void duv_refuses(const char *what, const col_duv_settings *settings, const char *sentence);

/* ---- Processes. */

double seconds_now(void);

/* Before and after a test: no descriptor too many, no process that nobody waited for. */
int begin_tidy(void **state);
int end_tidy(void **state);
#define TIDY_TEST(name) cmocka_unit_test_setup_teardown(name, begin_tidy, end_tidy)

/* Is the process gone, or dead and not waited for by its new parent? */
bool is_gone(long process);
/* Waits until it is. */
bool goes_away(long process);

/* ---- Verilator. */

bool has_verilator(void);
/* Of a group of tests: a cache of its own in this folder; designs are compiled with little effort.
 */
extern char cache_folder[];
int begin_cache(void **state);
int end_cache(void **state);
/* Copies a file of tests/data/verilog to it, with one text replaced by another; returns the path.
 */
const char *write_edited(const char *name, const char *from, const char *to);

/* The plug-in of the examples. */
const char *toy_path(void);
