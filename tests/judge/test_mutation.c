/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * Executions of the simulator's designs, up to tens of thousands of operations on up to 32 cores:
 * both checkers accept all of them for the models that the designs keep, and no longer when one
 * read or two stores have been damaged so that the model is broken. By construction it is, or in
 * shorter executions by the word of a judge that looks at every pair of operations.
 */
#include "long_runs.h"
#include "protocol/simulate/execution.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#ifdef REDUCED
enum { SHORT_RUNS = 40, LONG_RUNS = 1, DAMAGES = 2, JUDGED = 5 };
#elif defined(THOROUGH)
enum { SHORT_RUNS = 400, LONG_RUNS = 4, DAMAGES = 4, JUDGED = 50 };
#else
enum { SHORT_RUNS = 100, LONG_RUNS = 2, DAMAGES = 2, JUDGED = 20 };
#endif

static const char plain_mix[] = "load=0.48,store=0.4,swap=0.04,fence=0.08";
static const char rich_mix[] =
    "load=0.25,load-acquire=0.05,load-address=0.1,load-control=0.05,store=0.2,store-release=0.05,"
    "store-address=0.03,store-data=0.05,store-control=0.03,swap=0.02,swap-both=0.02,"
    "swap-release=0.02,fence=0.04,fence-acquire=0.02,fence-release=0.02,fence-tso=0.02,flush=0.01,"
    "delay=0.02";

static const char adding_mix[] = "load=0.4,load-address=0.05,store=0.3,store-data=0.05,swap=0.04,"
                                 "add=0.06,add-both=0.04,fence=0.06";

/* A design with models that it keeps, the strongest first. */
typedef struct promise {
    const char *design;
    const char *mix;
    col_model models[3];
    uint32_t model_count;
    bool judged;   /* the judge takes no adds, */
    sim_mode mode; /* and knows the first model by this */
} promise;

static const promise promises[] = {
    {"mesi2", plain_mix, {COL_TSO, COL_PSO, COL_WMO}, 3, true, SIM_TSO},
    {"mesi3", "balanced", {COL_TSO, COL_PSO, COL_WMO}, 3, true, SIM_TSO},
    {"mesi2-rvwmo", rich_mix, {COL_RVWMO, COL_ARMV8}, 2, true, SIM_WEAK},
    {"moesi2-rvwmo", plain_mix, {COL_RVWMO, COL_ARMV8}, 2, true, SIM_WEAK},
    {"mesi2-rvwmo", adding_mix, {COL_RVWMO, COL_ARMV8}, 2, false, SIM_WEAK},
    {"mesi2", adding_mix, {COL_TSO, COL_PSO, COL_WMO}, 3, false, SIM_TSO},
};
enum { PROMISES = sizeof promises / sizeof promises[0] };

static void check(const promise *p, col_checker *const *checkers, long_run *run, bool allowed,
                  const char *what) {
    for (uint32_t m = 0; m < p->model_count; m++) {
        if (runtime_accepts(checkers[m], run) != allowed)
            fail_msg("%s, %s: the runtime checker %s %s", p->design, col_models[p->models[m]],
                     allowed ? "refused" : "accepted", what);
        if (trace_is_accepted(p->models[m], run) != allowed)
            fail_msg("%s, %s: the trace checker %s %s", p->design, col_models[p->models[m]],
                     allowed ? "refused" : "accepted", what);
    }
}

static void open_checkers(const promise *p, col_checker **checkers) {
    col_problem problem;
    for (uint32_t m = 0; m < p->model_count; m++)
        assert_int_equal(col_checker_new(&checkers[m], p->models[m], &problem), COL_OK);
}

static void close_checkers(const promise *p, col_checker **checkers) {
    for (uint32_t m = 0; m < p->model_count; m++)
        col_checker_free(checkers[m]);
}

/* ---- As they are. */

TEST(designs_keep_their_models) {
    static const uint32_t cores[] = {2, 4, 8, 16};
    uint32_t runs = 0;
    for (uint32_t i = 0; i < PROMISES; i++) {
        const promise *p = &promises[i];
        col_checker *checkers[3] = {NULL};
        open_checkers(p, checkers);
        for (uint32_t k = 0; k < 4; k++) {
            workshop *w = workshop_open(
                &(run_settings){p->design, cores[k], 80 * cores[k], 2 + 3 * k, p->mix});
            for (uint64_t seed = 0; seed < (SHORT_RUNS + 3) / 4; seed++, runs++) {
                long_run run;
                long_run_make(w, seed, &run);
                check(p, checkers, &run, true, "what a design did");
                long_run_free(&run);
            }
            workshop_close(w);
        }
        close_checkers(p, checkers);
    }
    print_message("%u executions\n", runs);
    assert_true(runs >= PROMISES * SHORT_RUNS);
}

/* ---- Damaged. */

static bool miss_message(base_rng *rng, long_run *run, damaged *d) {
    return damage_misses_message(rng, run, false, d);
}

static bool miss_fenced_message(base_rng *rng, long_run *run, damaged *d) {
    return damage_misses_message(rng, run, true, d);
}

typedef struct damage_kind {
    const char *name;
    bool (*make)(base_rng *rng, long_run *run, damaged *d);
    bool tso_only; /* what weaker models may allow */
} damage_kind;

static const damage_kind damages[] = {
    {"a word that comes back", damage_goes_back, false},
    {"a word of the future", damage_knows_the_future, false},
    {"a forgotten word", damage_forgets, false},
    {"swapped stores", damage_swaps_stores, false},
    {"a missed message", miss_message, true},
    {"a missed message with fences", miss_fenced_message, false},
};
enum { DAMAGE_KINDS = sizeof damages / sizeof damages[0] };

static void check_damaged(const promise *p, col_checker *const *checkers, const damage_kind *kind,
                          base_rng *rng, long_run *run, uint32_t *made) {
    promise strongest = *p;
    strongest.model_count = kind->tso_only ? p->models[0] == COL_TSO : p->model_count;
    for (uint32_t n = 0, attempts = 0; n < DAMAGES && attempts < 2000; attempts++) {
        damaged d;
        if (!kind->make(rng, run, &d))
            continue;
        check(&strongest, checkers, run, false, kind->name);
        damage_undo(run, &d);
        n++;
        ++*made;
    }
}

TEST(damage_is_detected) {
    static const run_settings sizes[] = {{"", 8, 10000, 16, ""},
                                         {"", 16, 16000, 64, ""},
                                         {"", 32, 20000, 16, ""},
                                         {"", 32, 32000, 128, ""}};
    uint32_t made[DAMAGE_KINDS] = {0};
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (uint32_t i = 0; i < PROMISES; i++) {
        const promise *p = &promises[i];
        col_checker *checkers[3] = {NULL};
        open_checkers(p, checkers);
        for (uint32_t k = 0; k < LONG_RUNS; k++) {
            run_settings settings = sizes[k];
            long_run run;
            settings.design = p->design;
            settings.mix = p->mix;
            workshop *w = workshop_open(&settings);
            long_run_make(w, k, &run);
            check(p, checkers, &run, true, "what a design did");
            for (uint32_t j = 0; j < DAMAGE_KINDS; j++)
                check_damaged(p, checkers, &damages[j], &rng, &run, &made[j]);
            check(p, checkers, &run, true, "what had been put right again");
            long_run_free(&run);
            workshop_close(w);
        }
        close_checkers(p, checkers);
    }
    for (uint32_t j = 0; j < DAMAGE_KINDS; j++) {
        print_message("%s: %u times\n", damages[j].name, made[j]);
        assert_true(made[j] > 0);
    }
}

/* ---- By the judge's word. */

static bool judge_allows(const promise *p, const long_run *run) {
    execution e;
    execution_start(&e, &run->program);
    const col_observer observer = execution_observer(&e);
    for (uint32_t k = 0; k < run->order_count; k++) {
        const col_event event = long_run_event(run, run->order[k]);
        observer.notice(observer.context, &event);
    }
    const bool allowed = execution_is_allowed(&e, p->mode);
    execution_free(&e);
    return allowed;
}

TEST(random_damage_gets_the_judges_verdict) {
    uint32_t verdicts[2] = {0};
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (uint32_t i = 0; i < PROMISES; i++) {
        const promise *p = &promises[i];
        col_checker *checkers[3] = {NULL};
        if (!p->judged)
            continue;
        open_checkers(p, checkers);
        workshop *w = workshop_open(&(run_settings){p->design, 8, 400, 24, p->mix});
        for (uint32_t n = 0; n < JUDGED; n++) {
            long_run run;
            damaged d;
            long_run_make(w, n, &run);
            while (!damage_at_random(&rng, &run, &d))
                ;
            const bool allowed = judge_allows(p, &run);
            verdicts[allowed]++;
            if (runtime_accepts(checkers[0], &run) != allowed)
                fail_msg("%s, seed %u: the judge says %s", p->design, n, allowed ? "yes" : "no");
            if (allowed && !trace_is_accepted(p->models[0], &run))
                fail_msg("%s, seed %u: the trace is allowed", p->design, n);
            long_run_free(&run);
        }
        workshop_close(w);
        close_checkers(p, checkers);
    }
    print_message("%u broken, %u not\n", verdicts[0], verdicts[1]);
    assert_true(verdicts[0] > verdicts[1] && verdicts[1] > 0);
}
