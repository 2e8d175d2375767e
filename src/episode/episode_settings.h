/* SPDX-License-Identifier: MIT */
/*
 * The settings of an episode, one row each: the options of collider run and the settings of plans
 * (base/field.h). Texts are not copied: settings point to what the caller gave.
 */
#pragma once

#include "base/field.h"
#include "collider/engine.h"
#include "collider/episode.h"

/* X(PLACE, name, kind, member of col_episode_settings, the rest of a base_field), in the order in
 * which plans have them. */
#define EPI_SETTINGS(X)                                                                            \
    X(DESIGN, "design", BASE_TEXT, setting.design.name, .argument = "DESIGN")                      \
    X(CORES, "cores", BASE_NUMBER, setting.design.cores, .argument = "N", .least = 1,              \
      .most = COL_MAX_THREADS, .help = "cores of the design (as the design says, else 8)")         \
    X(OPTIONS, "options", BASE_TEXT, setting.design.options, .argument = "TEXT",                   \
      .help = "settings of the design itself; see docs/duv.md")                                    \
    X(MODEL, "model", BASE_WORD, setting.model, .argument = "NAME", .words = col_models,           \
      .is_file = epi_model_is_file, .file = offsetof(col_episode_settings, setting.model_file),    \
      .help = "%s; or a file in cat, NAME.cat (the design's own)", .input = BASE_INPUT_OR_NAME)    \
    X(INCLUDE, "include", BASE_TEXT, setting.model_include, .argument = "FOLDERS",                 \
      .help = "where a cat model's includes are: folders separated by colons; then "               \
              "COLLIDER_CATPATH",                                                                  \
      .input = BASE_INPUT)                                                                         \
    X(ERROR, "error", BASE_TEXT, setting.design.error, .argument = "ID",                           \
      .help = "inject a design error: an ID of the library (collider design errors), or a file "   \
              "(.yaml); may be given several times",                                               \
      .several = true, .input = BASE_INPUT_OR_NAME)                                                \
    X(MUTANT, "mutant", BASE_NUMBER, setting.design.mutant, .argument = "K", .least = 1,           \
      .most = UINT32_MAX, .help = "run a mutant of the protocol (collider design mutants)")        \
    X(OWN, "own-process", BASE_FLAG, setting.design.own_process,                                   \
      .help = "run the design in its own process")                                                 \
    X(READS, "reads-only", BASE_FLAG, setting.design.reads_only,                                   \
      .help = "judge by what reads returned alone, as of a black box")                             \
    X(JUDGE_LIMIT, "judge-limit", BASE_SECONDS, setting.judging, .argument = "T",                  \
      .initial = "10s", .high = EPI_MOST_SECONDS,                                                  \
      .help = "give up judging an instance after T, where only reads are seen: undecided")         \
    X(ENGINE, "engine", BASE_NAME, engine, .argument = "NAME", .initial = "scout",                 \
      .words = col_engines, .is_file = epi_engine_is_code,                                         \
      .help = "what chooses the tests: a name below, or FILE.so", .input = BASE_INPUT_OR_NAME)     \
    X(ENGINE_OPTIONS, "engine-options", BASE_TEXT, engine_options, .argument = "TEXT",             \
      .help = "parameters of the engine, key=value,...; see docs/engines")                         \
    X(OPS, "ops", BASE_RANGE, operations, .argument = "N", .initial = "1Ki:64Ki",                  \
      .most = UINT32_MAX - 1, .is_said = offsetof(col_episode_settings, has_operations),           \
      .help = "operations of a test, N or MIN:MAX; scout has 64:64Ki")                             \
    X(LOCATIONS, "locations", BASE_RANGE, locations, .argument = "N", .initial = "4:128",          \
      .most = COL_MAX_LOCATIONS, .is_said = offsetof(col_episode_settings, has_locations),         \
      .help = "shared locations, N or MIN:MAX; scout has 4:512")                                   \
    X(SETS, "sets", BASE_NUMBER, sets, .argument = "K", .least = 1, .most = COL_MAX_LOCATIONS,     \
      .help = "cache sets that the locations compete for (biased engines; their choice unless "    \
              "given)")                                                                            \
    X(MIX, "mix", BASE_TEXT, mix, .argument = "NAME",                                              \
      .help = "a mix of operations or chain categories, as collider generate")                     \
    X(INSTANCES, "instances", BASE_NUMBER, instances, .argument = "I", .initial = "5", .least = 1, \
      .most = 1 << 16, .is_said = offsetof(col_episode_settings, has_instances),                   \
      .help = "perturbed executions of each test; scout may run fewer")                            \
    X(METRIC, "metric", BASE_WORD, metric, .argument = "NAME", .initial = "structural",            \
      .words = col_metrics, .help = "%s: what engines are fed")                                    \
    X(WITNESS, "witness", BASE_FLAG, watches,                                                      \
      .help = "measure how much the instances of a test differ")                                   \
    X(REPEAT, "repeat", BASE_FLAG, repeat,                                                         \
      .help = "restart the engine when it has no further tests (the default)")                     \
    X(KEEP, "keep-going", BASE_FLAG, keep_going, .help = "do not stop at the first error")         \
    X(TESTS, "tests", BASE_NUMBER, tests, .argument = "T", .least = 1, .most = UINT32_MAX,         \
      .help = "stop after T tests")                                                                \
    X(CYCLES, "cycles", BASE_NUMBER, cycles, .argument = "C", .least = 1, .most = INT64_MAX,       \
      .help = "stop after C simulated cycles")                                                     \
    X(TIME, "time", BASE_SECONDS, seconds, .argument = "T", .high = EPI_MOST_SECONDS,              \
      .help = "stop after T, such as 90s or 1h30m (60s without --tests and --cycles)")             \
    X(UNTIL, "until-coverage", BASE_FRACTION, until_coverage, .argument = "F",                     \
      .help = "stop when this fraction is covered, such as 0.9")                                   \
    X(JOBS, "jobs", BASE_NUMBER, jobs, .argument = "N", .least = 1, .most = EPI_MOST_JOBS,         \
      .help = "tests and instances that run in parallel (all processors)")                         \
    X(SEED, "seed", BASE_NUMBER, seed, .argument = "N", .initial = "1", .most = INT64_MAX,         \
      .help = "the seed of all random choices")

enum { EPI_MOST_SECONDS = 1000000000, EPI_MOST_JOBS = 256 };

typedef enum epi_setting {
#define EPI_SETTING_PLACE(place, ...) EPI_##place,
    EPI_SETTINGS(EPI_SETTING_PLACE)
#undef EPI_SETTING_PLACE
        EPI_SETTING_COUNT
} epi_setting;

extern const base_field epi_fields[EPI_SETTING_COUNT + 1]; /* ended by a NULL name */

/* Budgets are all off at the start; one of time goes in at the end if there is no other, nor
 * are programs given. */
void epi_settings_begin(col_episode_settings *settings);
void epi_settings_end(col_episode_settings *settings);

/* Opens the design of a setting. */
col_status epi_design_open(col_duv **duv, const col_setting *setting, col_problem *problem);

/* What an episode's engine is made with; threads and geometry are the design's, which is NULL if
 * none is known. */
col_engine_settings epi_engine_settings(const col_episode_settings *settings, uint32_t threads,
                                        col_geometry geometry, const col_duv_description *design);

/* Is the engine a plug-in, native code that a file must not name unless the user allows it? */
bool epi_engine_is_code(const char *engine);

/* Opens the engine as an episode would, and closes it. Without a design: for the usual caches.
 * `learns` may be NULL. */
col_status epi_engine_try(const col_episode_settings *settings, const col_duv_description *design,
                          bool *learns, col_problem *problem);
