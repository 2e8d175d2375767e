/* SPDX-License-Identifier: MIT */
/* Systems and random programs of a given shape, and a witness that checks what a run performs. */
#pragma once

#include "base/random.h"
#include "base/text.h"
#include "collider/check.h"
#include "collider/generate.h"
#include "protocol/simulate/simulated_design.h"
#include "protocol/simulate/system.h"

/* What varies from run to run. */
typedef struct run_shape {
    uint32_t cores, operations, locations;
    sim_mode mode;
    uint32_t sets; /* that the locations compete for; 0: they do not */
    uint32_t outstanding, jitter;
    sim_topology topology;
    uint32_t cache_bytes, ways, directories, memory_latency;
    sl_replacement replacement;
    bool monitors;
    sim_way atomics;
    const char *mix; /* of instructions; NULL: "balanced" */
} run_shape;

/* Small caches, few sets, monitors on. */
run_shape plain_shape(uint32_t cores, uint32_t operations);
/* Everything but the numbers of cores and operations by chance. */
run_shape random_shape(base_rng *rng, uint32_t cores, uint32_t operations);

sim_system *make_system(const sl_protocol *protocol, const run_shape *shape);
void make_program(const run_shape *shape, uint64_t seed, col_program *program);

/* What an observer saw of one instance. */
typedef struct witness {
    const col_program *program;
    uint8_t *performed;  /* of each operation: how often */
    uint32_t *writer_of; /* of each value: the location that it is written to, from 1 */
    uint8_t *has_adds;   /* of each location */
    uint32_t value_count;
    uint64_t hash; /* of all events, in order */
    uint64_t transitions, evictions, wrong_words;
    uint32_t *taken;       /* transitions by cell, of all machines one after the other; or NULL */
    const uint32_t *first; /* of each machine: its first cell in `taken` */
    const sl_protocol *protocol;
} witness;

void witness_start(witness *w, const col_program *program);
void witness_end(witness *w);
col_observer witness_observer(witness *w);

/* Every operation on memory was performed once, and no load saw a word that was never written. */
void assert_complete(const witness *w);

/* Runs an instance with a witness that is started here. */
void run_instance(sim_system *system, const col_program *program, uint64_t seed, bool warm,
                  witness *w);

/* Runs an instance that neither fails nor leaves anything out. */
sim_result run_well(sim_system *system, const col_program *program, uint64_t seed, bool warm,
                    const col_observer *observer);

/* Runs an instance under the checker of a model. If it goes wrong, by a monitor or by the checker,
 * the test fails, unless it may: then false. */
bool run_judged(sim_system *system, const col_program *program, uint64_t seed, col_model model,
                bool may_fail);

/* What was seen of the operations of an instance. */
typedef struct seen_run {
    struct {
        uint32_t times;
        uint64_t cycle, word, overwritten;
        col_source source;
    } operations[64];
    uint32_t evictions;
} seen_run;

/* Runs an instance well. */
seen_run see(sim_system *system, const col_program *program, uint64_t seed);
/* Checks what is seen of a written-down program under some seeds, of a protocol or of each. */
typedef void check_seen(const seen_run *s);
void see_on(const sl_protocol *protocol, const char *text, uint32_t cores, uint32_t seeds,
            check_seen *check);
void see_on_each(const char *text, uint32_t cores, uint32_t seeds, check_seen *check);

/* Runs random programs until the system fails, with one of some seeds or not at all. */
bool run_until_failure(sim_system *system, const run_shape *shape, uint64_t seeds);

/* A program by one test of a generator. */
void generate(const col_generation *settings, uint64_t seed, col_program *program);

/* The system of a design, which must be closed; and a protocol that is compiled. */
sim_system *open_design(sim_design *design, const char *what, uint32_t cores);
void compile_protocol(sim_plugin *plugin, const char *path);

/* Each file of a folder is refused as its first line says, "# expect LINE:COLUMN: message", or by a
 * message that begins so. */
typedef col_status read_bad(const char *path, const base_text *text, col_problem *problem);
void expect_refusals(const char *folder, uint32_t least_files, bool is_whole, read_bad *read);

/* Reads a program written down in a test. */
void read_text(col_program *program, const char *text);
