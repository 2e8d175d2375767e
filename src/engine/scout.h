/* SPDX-License-Identifier: MIT */
/*
 * The parts of the engine scout. A test is made by a recipe: one value of each choice (how the
 * program is made, its size, its locations, where these lie, what operations do, how threads are
 * paced). Each value is an arm of a bandit, paid by what its tests hit that few others hit, per
 * cycle. Programs that hit something rare are kept, and varied.
 */
#pragma once

#include "base/json.h"
#include "base/random.h"
#include "collider/generate.h"
#include "engine/engine.h"

/* ---- Choices, and which values of them pay (scout.c). */

typedef enum dir_scout_choice {
    DIR_SCOUT_WAY,
    DIR_SCOUT_OPERATIONS,
    DIR_SCOUT_LOCATIONS,
    DIR_SCOUT_SETS,
    DIR_SCOUT_LEVEL, /* the cache level whose sets locations compete for */
    DIR_SCOUT_SHARING,
    DIR_SCOUT_HEAT, /* how many locations are hot */
    DIR_SCOUT_MIX,
    DIR_SCOUT_PACE,
    DIR_SCOUT_INSTANCES,
    DIR_SCOUT_CHOICES
} dir_scout_choice;

enum { DIR_SCOUT_MOST_VALUES = 11, DIR_SCOUT_LONG = 1 << 14 };

typedef struct dir_scout_arm {
    double reward, cost; /* of its tests, the older ones discounted */
} dir_scout_arm;

typedef struct dir_scout_bandit {
    uint32_t counts[DIR_SCOUT_CHOICES]; /* of values; 1: there is no choice */
    dir_scout_arm arms[DIR_SCOUT_CHOICES][DIR_SCOUT_MOST_VALUES];
    double sizes[DIR_SCOUT_CHOICES][DIR_SCOUT_MOST_VALUES];    /* how long a test takes, about */
    double expected[DIR_SCOUT_CHOICES][DIR_SCOUT_MOST_VALUES]; /* what it pays; 1: the average */
    dir_scout_arm all;
    double tests;   /* likewise discounted */
    double explore; /* the chance of any value, whatever it paid */
    double keep;    /* what is left of a reward after one test */
} dir_scout_bandit;

typedef struct dir_scout_recipe {
    uint8_t values[DIR_SCOUT_CHOICES];
    uint32_t used;          /* a set of choices: those that the program depends on */
    uint32_t configuration; /* of the design, if it has several */
} dir_scout_recipe;

uint8_t dir_scout_choose(const dir_scout_bandit *bandit, dir_scout_choice choice, base_rng *rng);
void dir_scout_pay(dir_scout_bandit *bandit, const dir_scout_recipe *recipe, double reward,
                   double cost);

/* How many instances a recipe asks for. */
uint32_t dir_scout_instances(const dir_scout_recipe *recipe, uint32_t most);

/* ---- Which configurations of the design pay (scout.c). */

enum { DIR_SCOUT_KEYS = 64 };

typedef struct dir_scout_swarm {
    bool draws;
    uint32_t keys; /* that are known */
    void (*drawn)(void *context, uint32_t configuration, uint8_t *values);
    void *context;
    dir_scout_arm arms[DIR_SCOUT_KEYS][COL_KEY_VALUES]; /* by the values of a key */
} dir_scout_swarm;

void dir_scout_swarm_open(dir_scout_swarm *swarm, const col_engine_settings *settings);
uint32_t dir_scout_configure(const dir_scout_swarm *swarm, const dir_scout_bandit *bandit,
                             base_rng *rng);
/* Before the bandit is paid. */
void dir_scout_swarm_pay(dir_scout_swarm *swarm, const dir_scout_bandit *bandit,
                         uint32_t configuration, double reward, double cost);

/* ---- New programs (scout_make.c). */

/* Ways to make a program: three of new ones, then those that vary one that was kept. */
typedef enum dir_scout_way {
    DIR_SCOUT_CHAIN,
    DIR_SCOUT_PLAIN,
    DIR_SCOUT_RETRY,    /* a new one by the recipe of one that was kept, or nearly */
    DIR_SCOUT_RELOCATE, /* its locations lie elsewhere */
    DIR_SCOUT_SPLICE,   /* threads of two programs */
    DIR_SCOUT_FOCUS,    /* on a few locations */
    DIR_SCOUT_REPEAT,   /* a part of each thread, over and over, on other locations each time */
    DIR_SCOUT_SCRAMBLE, /* some operations are others */
    DIR_SCOUT_REPACE,   /* other cores, other delays */
    DIR_SCOUT_WAYS
} dir_scout_way;

typedef struct dir_scout_space {
    col_engine_settings settings; /* without its texts */
    uint32_t mix_count;
    col_instruction_mix *plain; /* by mix */
    col_category_mix *chained;
    bool has_plain, has_chained;
    uint32_t sizes[DIR_SCOUT_MOST_VALUES], size_count;
    uint32_t locations[DIR_SCOUT_MOST_VALUES], location_count;
    col_generator *generator;
    uint32_t *lengths, *order; /* of threads, for work in progress */
    uint32_t *aliases;         /* of locations, likewise */
    col_program trial;         /* likewise */
} dir_scout_space;

col_status dir_scout_space_open(dir_scout_space *space, dir_scout_bandit *bandit,
                                const col_engine_settings *settings, col_problem *problem);
void dir_scout_space_close(dir_scout_space *space);
/* What tests with this value are expected to pay before any was made; 1: the average
 * (scout.c). */
double dir_scout_expected(const dir_scout_space *space, dir_scout_choice choice, uint32_t value);
/* The largest of the sizes that is at most `operations`, as a value of the choice; if there is
 * none, the smallest. */
uint8_t dir_scout_size(const dir_scout_space *space, uint32_t operations);

/* About how many operations the program that is made by a recipe has. Draws what making it will
 * draw first. */
uint32_t dir_scout_operations(const dir_scout_space *space, const dir_scout_recipe *recipe,
                              base_rng *rng, bool *is_chained);
col_status dir_scout_make(dir_scout_space *space, dir_scout_recipe *recipe, base_rng *rng,
                          col_program *program, col_point *point, col_problem *problem);

/* ---- Programs that hit something rare (scout.c), and their variations (scout_make.c). */

enum { DIR_SCOUT_CORPUS = 48, DIR_SCOUT_LONGEST = 1 << 13, DIR_SCOUT_RARE = 16 };

typedef struct dir_scout_kept {
    col_program program;
    dir_scout_recipe recipe;
    uint64_t rare[DIR_SCOUT_RARE]; /* points that it hit */
    uint32_t rare_count;
    uint64_t cost, picks;
} dir_scout_kept;

typedef struct dir_scout_corpus {
    dir_scout_kept kept[DIR_SCOUT_CORPUS];
    uint32_t count;
} dir_scout_corpus;

/* How many tests hit each point. */
typedef struct dir_scout_rarity {
    uint64_t total, tests;
    uint64_t *count; /* tests that hit it */
} dir_scout_rarity;

/* Can it be varied? A program that waits for a value, of which we make none, would wait for ever.
 */
bool dir_scout_takes(const col_program *program);
void dir_scout_corpus_free(dir_scout_corpus *corpus);
/* Keeps a program if it hit more that is rare than the least of those that are kept. */
col_status dir_scout_corpus_add(dir_scout_corpus *corpus, const dir_scout_rarity *rarity,
                                const dir_scout_kept *found, col_problem *problem);
/* One of them, the rarer and the less often picked the likelier. The corpus is not empty. */
dir_scout_kept *dir_scout_corpus_pick(dir_scout_corpus *corpus, const dir_scout_rarity *rarity,
                                      base_rng *rng);

/* A variation of what is kept, by the recipe's way, which is none that makes new programs. First
 * the programs that it varies, then the variation, in place. */
col_status dir_scout_pick(dir_scout_corpus *corpus, const dir_scout_rarity *rarity,
                          dir_scout_recipe *recipe, base_rng *rng, dir_test *test,
                          col_problem *problem);
col_status dir_scout_vary(dir_scout_space *space, dir_scout_recipe *recipe, base_rng *rng,
                          dir_test *test, col_problem *problem);

/* All that the engine scout knows, and that as JSON. */

/* A point is rare if at most this many tests have hit it. */
enum { DIR_SCOUT_FEW = 4 };

typedef struct dir_scout_parameters {
    double explore, forget;
    uint64_t vary, without;
} dir_scout_parameters;

/* Time is set aside for long tests: what wraps around or wears out shows in no other. */
typedef struct dir_scout_reserve {
    uint64_t cost, operations; /* of all tests: their ratio is the cost of an operation */
    uint64_t used;             /* of the cost: by long tests */
    uint64_t tests;            /* long ones that were made from it */
    uint64_t promised;         /* operations of long tests that are under way */
} dir_scout_reserve;

typedef struct dir_scout {
    dir_scout_parameters parameters;
    dir_scout_space space;
    dir_scout_bandit bandit;
    dir_scout_swarm swarm;
    dir_scout_corpus corpus;
    dir_scout_rarity rarity;
    dir_scout_reserve reserve;
    uint64_t test, told; /* tests that were chosen, and those of which it knows what came */
} dir_scout;

/* Of a test that was chosen. What it varies has been copied into the test. */
typedef struct dir_scout_plan {
    dir_scout_recipe recipe;
    base_rng rng;      /* as choosing left it */
    uint64_t promised; /* of its operations, to the time that is set aside for long tests */
} dir_scout_plan;

/* Memory for what tests hit, once the number of coverage points is known. */
col_status dir_scout_expect(dir_scout_rarity *rarity, uint64_t total, col_problem *problem);

/* What a test is paid for a point that it hit and that has been counted. */
double dir_scout_worth(const dir_scout_rarity *rarity, uint64_t point);

json_t *dir_scout_save_plan(const void *state, const dir_test *test);
bool dir_scout_restore_plan(const void *state, const json_t *saved, dir_test *test);
json_t *dir_scout_save(const void *state);
col_status dir_scout_restore(void *state, const json_t *saved, col_problem *problem);
