/* SPDX-License-Identifier: MIT */
/*
 * The genetic engine from outside: its test memory and operations, the programs it breeds, that it
 * learns, and that a saved engine goes on exactly. What came of a test is made up here from the
 * program alone, so that engines with the same programs get the same feedback.
 */
#include "base/file.h"
#include "base/random.h"
#include "collider/engine.h"
#include "engine/mtg_statistics.h"
#include "harness.h"
#include "program/generate/generator.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POINTS = 50, MOST_LOCATIONS = 512, MOST_OPERATIONS = 2048, MOST_THREADS = 64 };

#ifdef REDUCED
enum { OFFSPRING = 300 };
#else
enum { OFFSPRING = 3000 };
#endif

/* ---- A design that is made up. */

typedef struct world {
    uint64_t hits[POINTS];
    uint32_t event_nondeterminism[MOST_OPERATIONS], fit_locations[MOST_LOCATIONS];
    bool is_fit[MOST_LOCATIONS];
    col_signature signatures[MOST_THREADS];
    col_witness_results witness;
    col_feedback feedback;
} world;

static void run(world *w, const col_program *program) {
    const col_hash hash = col_program_hash(program);
    base_rng rng;
    base_rng_seed(&rng, hash.high, hash.low);
    for (uint32_t p = 0; p < POINTS; p++)
        w->hits[p] += base_rng_below(&rng, 1 + p) < 2 ? base_rng_below(&rng, 20) : 0;
    w->witness = (col_witness_results){.instances = 10, .events = 1000};
    w->witness.conflicts = 1000 + base_rng_below(&rng, 9000);
    w->witness.nondeterminism = (double)w->witness.conflicts / w->witness.events;
    for (uint32_t l = 0; l < program->location_count; l++) {
        w->is_fit[l] = base_rng_below(&rng, 4) == 0;
        if (w->is_fit[l])
            w->fit_locations[w->witness.fit_count++] = l;
    }
    w->witness.event_nondeterminism = w->event_nondeterminism;
    w->witness.fit_locations = w->fit_locations;
    w->witness.is_fit = w->is_fit;
    for (int o = 0; o < COL_OBSERVATION_COUNT; o++)
        w->witness.signatures[o] = w->signatures;
    w->feedback = (col_feedback){
        .tests = w->feedback.tests + 1, .total = POINTS, .hits = w->hits, .witness = &w->witness};
}

static col_engine_settings settings_of(uint32_t threads, uint32_t operations, const char *mix,
                                       const char *options) {
    return (col_engine_settings){.threads = threads,
                                 .operations = {operations, 4 * operations},
                                 .locations = {4, 128},
                                 .mix = mix,
                                 .options = options,
                                 .seed = 5};
}

static col_engine *open_engine(const char *name, const col_engine_settings *settings) {
    col_engine *engine = NULL;
    col_problem problem = {0};
    if (col_engine_new(&engine, name, settings, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return engine;
}

static void next(col_engine *engine, world *w, col_program *program) {
    col_problem problem = {0};
    col_point point;
    if (col_engine_next(engine, &w->feedback, program, &point, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(point.operations, col_program_operations(program));
    assert_int_equal(point.locations, program->location_count);
    assert_int_equal(point.sets, 0);
}

static const char *const names[] = {"mtg", "mtg-standard", "mtg-random"};

/* ---- Tests. */

static void check_addresses(const char *options, uint32_t locations, uint64_t stride,
                            uint64_t partition, uint64_t distance) {
    const col_engine_settings settings = settings_of(8, 64, NULL, options);
    col_engine *engine = open_engine("mtg", &settings);
    col_program program = COL_PROGRAM_EMPTY;
    static world w;
    w.feedback.tests = 0;
    next(engine, &w, &program);
    assert_int_equal(program.location_count, locations);
    uint32_t l = 0;
    for (uint64_t start = 0; l < locations; start += distance)
        for (uint64_t offset = 0; offset < partition; offset += stride)
            assert_int_equal(program.addresses[l++], start + offset);
    assert_int_equal(l, locations);
    col_program_free(&program);
    col_engine_free(engine);
}

TEST(memory_options_decide_the_addresses) {
    check_addresses(NULL, 512, 16, 512, 1 << 20); /* the paper's 8 KB */
    check_addresses("memory=1Ki", 64, 16, 512, 1 << 20);
    check_addresses("memory=8Ki,stride=64", 128, 64, 512, 1 << 20); /* the thesis's */
    check_addresses("memory=1Ki,stride=64", 16, 64, 512, 1 << 20);
    check_addresses("memory=256,partition=64,distance=4Ki,stride=8", 32, 8, 64, 4096);
}

TEST(wrong_options_are_refused) {
    static const char *const wrong[] = {
        "stride=12",    "stride=48",      "memory=700",        "memory=1Ki,stride=1Ki",
        "distance=256", "population=3",   "unconditional=2",   "mutation=-1",
        "cutoff=0",     "tournament=100", "population=1",      "memory",
        "fitness=1",    "stride=",        "distance=1Mi,size",
    };
    col_engine *engine = NULL;
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const col_engine_settings settings = settings_of(8, 64, NULL, wrong[i]);
        col_problem problem = {0};
        assert_int_equal(col_engine_new(&engine, "mtg", &settings, &problem), COL_BAD_INPUT);
        assert_true(strlen(problem.message) > 10);
    }
    /* Parameters of the others. */
    col_engine_settings settings = settings_of(8, 64, NULL, "unconditional=0.1");
    assert_int_equal(col_engine_new(&engine, "mtg-standard", &settings, NULL), COL_BAD_INPUT);
    settings.options = "population=10";
    assert_int_equal(col_engine_new(&engine, "mtg-random", &settings, NULL), COL_BAD_INPUT);
    settings = settings_of(8, 64, "c1-c2", NULL);
    assert_int_equal(col_engine_new(&engine, "mtg", &settings, NULL), COL_BAD_INPUT);
    settings = settings_of(8, 64, NULL, NULL);
    settings.sets = 4;
    assert_int_equal(col_engine_new(&engine, "mtg", &settings, NULL), COL_BAD_INPUT);
    settings = settings_of(0, 64, NULL, NULL);
    assert_int_equal(col_engine_new(&engine, "mtg", &settings, NULL), COL_BAD_INPUT);
    assert_true(col_engine_watches("mtg") && col_engine_watches("mtg-standard"));
    assert_false(col_engine_watches("mtg-random"));
}

/* Feedback without a witness. */
TEST(feedback_without_a_witness_is_refused) {
    const col_engine_settings settings = settings_of(8, 64, NULL, NULL);
    col_engine *engine = open_engine("mtg", &settings);
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem = {0};
    col_point point;
    static world w;
    w.feedback.tests = 0;
    next(engine, &w, &program);
    run(&w, &program);
    w.feedback.witness = NULL;
    assert_int_equal(col_engine_next(engine, &w.feedback, &program, &point, &problem),
                     COL_BAD_INPUT);
    w.feedback.witness = &w.witness;
    assert_int_equal(col_engine_next(engine, &w.feedback, &program, &point, &problem), COL_OK);
    col_program_free(&program);
    col_engine_free(engine);
}

/* Table 3 in programs: reads that depend on an address need a read before them. */
static void count_kinds(const col_program *program, uint64_t counts[6], uint64_t *threads) {
    for (uint32_t t = 0; t < program->thread_count; t++) {
        bool has_read = false;
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            const col_operation *operation = &program->operations[o];
            threads[t]++;
            switch (operation->kind) {
            case COL_LOAD:
                if (has_read)
                    counts[operation->dependency == COL_ADDRESS]++;
                has_read = true;
                break;
            case COL_STORE:
                counts[2] += has_read;
                break;
            case COL_SWAP:
                counts[3] += has_read;
                has_read = true;
                break;
            case COL_FLUSH:
                counts[4] += has_read;
                break;
            case COL_DELAY:
                counts[5] += has_read;
                break;
            default:
                fail_msg("an operation of kind %u", operation->kind);
            }
        }
    }
}

TEST(random_tests_have_the_mix_of_table_3) {
    const col_engine_settings settings = settings_of(8, 1024, "published", NULL);
    col_engine *engine = open_engine("mtg-random", &settings);
    col_program program = COL_PROGRAM_EMPTY;
    uint64_t counts[6] = {0}, threads[8] = {0}, locations[MOST_LOCATIONS] = {0};
    double uniform[MOST_LOCATIONS];
    static world w;
    w.feedback.tests = 0;
    for (int test = 0; test < 100; test++) {
        next(engine, &w, &program);
        run(&w, &program);
        count_kinds(&program, counts, threads);
        for (uint32_t o = 0; o < 1024; o++)
            if (col_kinds[program.operations[o].kind].located)
                locations[program.operations[o].location]++;
    }
    /* The first read of each thread is left out. A store may come before it, so all others are
     * counted from there on. */
    assert_distributed(counts, (const double[]){0.50, 0.05, 0.42, 0.01, 0.01, 0.01}, 6);
    for (uint32_t i = 0; i < MOST_LOCATIONS; i++)
        uniform[i] = 1.0 / MOST_LOCATIONS;
    assert_distributed(locations, uniform, MOST_LOCATIONS);
    for (uint32_t i = 0; i < 8; i++)
        uniform[i] = 1.0 / 8;
    assert_distributed(threads, uniform, 8);
    col_program_free(&program);
    col_engine_free(engine);
}

static const char *const every_template =
    "load=3,load-acquire=1,load-address=2,load-control=2,store=3,store-release=1,store-address=2,"
    "store-data=2,store-control=2,swap=1,swap-both=1,add=1,fence=1,fence-tso=1,flush=1,delay=1";

/* Thousands of offspring, of all shapes: each is a program that keeps all promises. */
TEST(offspring_are_valid_programs) {
    static const struct {
        uint32_t threads, operations;
        const char *mix, *options;
    } shapes[] = {
        {8, 200, NULL, "population=20"},
        {3, 60, NULL, "population=10,memory=512,stride=8,mutation=0.3"},
        {4, 100, NULL, "population=10,crossover=0.5"},
        {60, 30, NULL, "population=8,tournament=4"},
        {1, 1, NULL, "population=4"},
    };
    col_program program = COL_PROGRAM_EMPTY;
    for (uint32_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (uint32_t n = 0; n < 2; n++) {
            const col_engine_settings settings =
                settings_of(shapes[s].threads, shapes[s].operations,
                            s % 2 == 0 ? every_template : shapes[s].mix, shapes[s].options);
            col_engine *engine = open_engine(names[n], &settings);
            static world w;
            memset(&w, 0, sizeof w);
            for (int test = 0; test < OFFSPRING; test++) {
                col_problem problem = {0};
                next(engine, &w, &program);
                if (col_program_check(&program, &problem) != COL_OK)
                    fail_msg("%s", problem.message);
                assert_int_equal(program.thread_count, shapes[s].threads);
                assert_int_equal(col_program_operations(&program), shapes[s].operations);
                run(&w, &program);
            }
            col_engine_free(engine);
        }
    col_program_free(&program);
}

/* The first generation is that of random tests; then the ways part. */
TEST(variants_differ_only_after_the_first_generation) {
    col_program programs[3] = {COL_PROGRAM_EMPTY, COL_PROGRAM_EMPTY, COL_PROGRAM_EMPTY};
    col_engine *engines[3];
    static world worlds[3];
    const col_engine_settings settings = settings_of(8, 100, NULL, NULL);
    memset(worlds, 0, sizeof worlds);
    for (int n = 0; n < 3; n++)
        engines[n] = open_engine(names[n], &settings);
    for (int test = 0; test <= 100; test++) {
        for (int n = 0; n < 3; n++) {
            next(engines[n], &worlds[n], &programs[n]);
            run(&worlds[n], &programs[n]);
        }
        assert_int_equal(col_program_equal(&programs[0], &programs[2]), test < 100);
        assert_int_equal(col_program_equal(&programs[1], &programs[2]), test < 100);
        assert_int_equal(col_program_equal(&programs[0], &programs[1]), test < 100);
    }
    for (int n = 0; n < 3; n++) {
        col_program_free(&programs[n]);
        col_engine_free(engines[n]);
    }
}

/* Locations 3 and 7 are fit whenever they occur: selective crossover gathers operations there, and
 * single-point crossover has no way to. */
static double share_of_fit(const char *name) {
    const bool is_random = strcmp(name, "mtg-random") == 0;
    const col_engine_settings settings =
        settings_of(8, 200, NULL, is_random ? "memory=1Ki" : "population=20,memory=1Ki");
    col_engine *engine = open_engine(name, &settings);
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t at_fit = 0, located = 0;
    static world w;
    memset(&w, 0, sizeof w);
    for (int test = 0; test < 400; test++) {
        next(engine, &w, &program);
        run(&w, &program);
        memset(w.is_fit, 0, sizeof w.is_fit);
        w.is_fit[3] = w.is_fit[7] = true;
        w.witness.fit_count = 2;
        w.fit_locations[0] = 3;
        w.fit_locations[1] = 7;
        for (uint32_t o = 0; o < 200 && test >= 380; o++) {
            const col_operation *operation = &program.operations[o];
            const bool is_located = col_kinds[operation->kind].located;
            located += is_located;
            at_fit += is_located && (operation->location == 3 || operation->location == 7);
        }
    }
    col_program_free(&program);
    col_engine_free(engine);
    return (double)at_fit / located;
}

TEST(selective_crossover_learns_fit_addresses) {
    assert_true(share_of_fit("mtg") > 0.9);
    assert_true(share_of_fit("mtg-standard") < 0.2);
    assert_true(share_of_fit("mtg-random") < 0.1);
}

/* ---- Saving. */

static void make_path(char *path, size_t size, const char *name) {
    (void)snprintf(path, size, "/tmp/collider-test-mtg-%ld-%s", (long)getpid(), name);
}

static void save(const col_engine *engine, const world *w, const char *path) {
    col_problem problem = {0};
    if (col_engine_save(engine, &w->feedback, path, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* What the engine knows, as text. */
static base_text text_of(const col_engine *engine, const world *w) {
    base_text text = {0};
    col_problem problem = {0};
    char path[128];
    make_path(path, sizeof path, "text.json");
    save(engine, w, path);
    assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
    (void)remove(path);
    return text;
}

/* The fitness of the first test, which its state tells: all points are rare then. */
static double first_fitness(const char *name, world *w) {
    const col_engine_settings settings = settings_of(5, 60, NULL, NULL);
    col_engine *engine = open_engine(name, &settings);
    col_program program = COL_PROGRAM_EMPTY;
    memset(w, 0, sizeof *w);
    next(engine, w, &program);
    run(w, &program);
    next(engine, w, &program);
    base_text text = text_of(engine, w);
    json_t *root = json_loads(text.data, 0, NULL);
    const json_t *population = json_object_get(json_object_get(root, "state"), "population");
    assert_int_equal(json_array_size(population), 1);
    const double fitness =
        json_real_value(json_object_get(json_array_get(population, 0), "fitness"));
    json_decref(root);
    base_text_free(&text);
    col_program_free(&program);
    col_engine_free(engine);
    return fitness;
}

TEST(fitness_is_coverage_and_nondeterminism) {
    static world w;
    double coverage = 0;
    assert_true(first_fitness("mtg", &w) > 0);
    for (uint32_t p = 0; p < POINTS; p++)
        coverage += w.hits[p] > 0 ? 1.0 / POINTS : 0;
    assert_true(fabs(first_fitness("mtg", &w) - coverage) < 1e-12);
    assert_true(w.witness.nondeterminism > 1);
    const double nondeterminism = (w.witness.nondeterminism - 1) / 9; /* ten instances */
    assert_true(fabs(first_fitness("mtg-standard", &w) - (coverage + nondeterminism) / 2) < 1e-12);
}
