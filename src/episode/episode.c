/* SPDX-License-Identifier: MIT */
/*
 * The loop of an episode. Whatever ends it, what was done up to then is in the
 * episode: a test counts when all its instances, up to the first that failed,
 * are done.
 */
#include "collider/episode.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/problem.h"
#include "base/random.h"
#include "design/duv.h"
#include "engine/engine.h"
#include "episode/episode_adapt.h"
#include "episode/episode_judge.h"
#include "episode/episode_record.h"
#include "episode/episode_resume.h"
#include "episode/episode_run.h"
#include "episode/episode_settings.h"
#include "episode/failure/failure.h"
#include "episode/failure/failure_kinds.h"
#include "episode/failure/fingerprint.h"
#include "episode/failure/waiver.h"
#include "episode/user_programs.h"
#include "episode/worker_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD(name, word, meaning) [name] = (word),
const char *const col_outcomes[COL_OUTCOME_COUNT + 1] = {COL_OUTCOMES(WORD)};
const char *const col_endings[COL_ENDING_COUNT + 1] = {COL_ENDINGS(WORD)};
#undef WORD

typedef struct loop {
    const col_episode_settings *settings; /* `fitted` */
    col_episode_settings fitted;          /* the caller's, as the design likes them */
    col_setting setting;                  /* theirs, with the text of its model */
    base_text model;
    col_episode *episode;
    base_timer *timer; /* of the time budget, and of the settings' stop */
    epi_pool *pool;
    col_engine *engine;
    col_duv *drawer;     /* asked what configurations are while others run; NULL: nobody does */
    epi_stream *streams; /* of given programs */
    epi_learning_log log;
    epi_known *known;             /* bugs whose failures are waived, or were; NULL: none */
    bool waives;                  /* there are some now */
    epi_waiver *waiver;           /* likewise */
    epi_judged judged;            /* the first failure of the test that is not waived */
    const epi_listener *listener; /* NULL: nobody listens */
    col_witness *witness;         /* NULL: nobody watches */
    duv_identity identity;        /* if the episode goes on, or is to */
    /* Tests under way, in their order from `first` on: as many as the engine's window allows. */
    epi_test *tests;
    uint32_t test_count, first, ahead;
    uint32_t room;           /* for the instances of a test */
    dir_maker **makers;      /* of each worker's programs, made when it needs one */
    const epi_test *awaited; /* the engine chooses no further one before it knows what came of it */
    uint64_t *hit;           /* by a test: a bit for each point */
    size_t hit_words;
    bool is_out;    /* the engine has no further tests */
    epi_test *test; /* the one that counts next */
    col_feedback feedback;
    epi_keeping keeping; /* failures that have folders */
    double start;        /* of the first test, as if there had been no break */
    double saved;        /* when */
    bool over;
} loop;

/* By a signal, say, or because the time is up. */
static bool is_stopped(const loop *l) {
    return base_is_stopped(base_timer_stop(l->timer));
}

/* Its tests are programs that were given; there is no engine. */
static bool is_given(const loop *l) {
    return l->settings->programs != NULL;
}

static bool is_watched(const loop *l) {
    return l->settings->watches || (!is_given(l) && dir_engine_watches(l->engine));
}

/* ---- Beginning and end. */

static void tell_drawn(void *context, uint32_t configuration, uint8_t *values) {
    duv_drawn(context, configuration, values);
}

static col_status make_engine(loop *l, const col_duv_description *design, col_problem *problem) {
    const col_episode_settings *s = l->settings;
    if (is_given(l))
        return epi_given_open(l->episode, s, l->pool, &l->streams, &l->room, problem);
    col_engine_settings settings = epi_engine_settings(s, design->cores, design->geometry, design);
    settings.packs = design->packs;
    if (!design->varies) { /* else, one start of the design may run several instances */
        settings.instances = s->instances;
        settings.draws = design->draws;
        if (design->draws && epi_pool_jobs(l->pool) > 1)
            BASE_TRY(epi_design_open(&l->drawer, &l->setting, problem));
        col_duv *drawer = l->drawer == NULL ? epi_pool_design(l->pool) : l->drawer;
        settings.keys = duv_keys(drawer);
        settings.drawn = tell_drawn;
        settings.context = drawer;
    }
    return col_engine_new(&l->engine, s->engine, &settings, problem);
}

static col_status make_instances(const loop *l, epi_test *test, col_problem *problem) {
    const uint32_t count = l->room;
    test->program = (col_program)COL_PROGRAM_EMPTY;
    test->ends_at_failure = !l->settings->keep_going && !l->waives;
    test->instances = calloc(count, sizeof *test->instances);
    if (test->instances == NULL)
        return base_out_of_memory(problem);
    test->room = test->count = count;
    for (uint32_t i = 0; i < count; i++) {
        test->instances[i].keeps_events =
            is_given(l) || is_watched(l) || epi_pool_describe(l->pool)->varies;
        test->instances[i].counts_hits = true;
    }
    return COL_OK;
}

static bool is_late(const loop *l) {
    return !is_given(l) && dir_engine_lags(l->engine);
}

/* Tests of a window run side by side, or in one start of the design. An engine with feedback always
 * has as many under way as it may, whatever the number of jobs; one without, what keeps all workers
 * busy, but a single one if it is saved, since it keeps no more. */
static uint32_t count_under_way(const loop *l) {
    const uint32_t window = is_given(l) ? DIR_INDEPENDENT : dir_engine_window(l->engine);
    return window != DIR_INDEPENDENT ? window : epi_pool_tests(l->pool, l->settings->save == NULL);
}

/* While a long test runs, an engine that learns of it late goes on: its workers have these many
 * more. How many depends on nothing and decides nothing. */
static uint32_t count_ahead(const loop *l) {
    enum { EACH = 32, MOST = 4096 };
    const uint32_t jobs = epi_pool_jobs(l->pool);
    return !is_late(l) || jobs == 1 ? 0 : jobs < MOST / EACH ? EACH * jobs : MOST;
}

/* On the worker that runs the test first: its program, which the engine has only chosen or handed
 * out as it is made, fitted to the design. */
static col_status prepare(void *context, epi_test *test, uint32_t maker, col_problem *problem) {
    const loop *l = context;
    const col_duv_description *design = epi_pool_describe(l->pool);
    const bool is_own = maker == epi_pool_jobs(l->pool) || epi_pool_jobs(l->pool) == 1;
    dir_test *chosen = test->plan;
    col_status status = COL_OK;
    if (chosen != NULL && !is_own && !chosen->is_made && l->makers[maker] == NULL)
        status = dir_maker_new(&l->makers[maker], l->engine, problem);
    if (chosen != NULL && status == COL_OK)
        status = dir_engine_make(l->engine, is_own ? NULL : l->makers[maker], chosen,
                                 &test->program, problem);
    if (chosen != NULL && status == COL_OK) {
        test->point = chosen->point;
        status = epi_adapt_program(&test->program, design, problem);
    }
    return status == COL_OK ? epi_find_needs(design, &test->program, &test->needs, problem)
                            : status;
}

static col_status make_tests(loop *l, col_problem *problem) {
    const uint32_t window = count_under_way(l), count = window + count_ahead(l);
    col_status status = COL_OK;
    l->tests = calloc(count, sizeof *l->tests);
    if (l->tests == NULL)
        return base_out_of_memory(problem);
    for (; l->test_count < count && status == COL_OK; l->test_count++)
        status = make_instances(l, &l->tests[l->test_count], problem);
    l->test = &l->tests[0];
    l->makers = calloc(epi_pool_jobs(l->pool), sizeof *l->makers);
    if (status == COL_OK && l->makers == NULL)
        status = base_out_of_memory(problem);
    if (status == COL_OK && is_late(l)) {
        const uint32_t points = col_duv_functional_count(epi_pool_describe(l->pool));
        l->hit_words = (size_t)points / 64 + 1;
        l->hit = calloc(l->hit_words, sizeof *l->hit);
        status = l->hit == NULL ? base_out_of_memory(problem) : COL_OK;
    }
    if (status == COL_OK && !is_given(l) && (count > 1 || is_late(l)))
        status = dir_engine_reserve(l->engine, count, problem);
    epi_pool_prepare_by(l->pool, (epi_preparation){prepare, l});
    if (!is_given(l) && dir_engine_window(l->engine) != DIR_INDEPENDENT)
        l->episode->most_jobs = window * l->settings->instances;
    return status;
}

static epi_standing standing_of(loop *l) {
    return (epi_standing){.settings = l->settings,
                          .setting = &l->setting,
                          .identity = &l->identity,
                          .episode = l->episode,
                          .engine = l->engine,
                          .feedback = &l->feedback,
                          .keeping = &l->keeping,
                          .known = l->known};
}

static col_status resume(loop *l, col_problem *problem) {
    const epi_standing standing = standing_of(l);
    const col_status status = epi_resume_read(&standing, l->settings->resume, problem);
    if (status != COL_OK)
        return status;
    const col_covered all = col_coverage_of(l->episode->coverage, COL_CUMULATIVE,
                                            l->settings->metric, COL_ALL_MACHINES);
    l->feedback.covered = all.covered;
    l->feedback.total = all.total;
    return COL_OK;
}

/* The model is read before the design: that takes no time. */
static col_status open_pool(loop *l, col_problem *problem) {
    const col_episode_settings *s = l->settings;
    l->setting = s->setting;
    col_status status = epi_model_read(&l->setting, &l->model, problem);
    if (status == COL_OK && !is_given(l)) /* programs that were given are looked at one by one */
        status = epi_model_check(&l->setting, s->operations, problem);
    if (status == COL_OK)
        status = base_timer_new(&l->timer, s->stop, problem);
    return status == COL_OK ? epi_pool_new(&l->pool, &l->setting, s->jobs, l->timer, problem)
                            : status;
}

static col_status begin(loop *l, col_problem *problem) {
    const col_episode_settings *s = l->settings;
    col_episode *e = l->episode;
    if (s->instances == 0 || s->jobs == 0) {
        (void)base_refuse(problem, "an episode has at least one instance of a test, and one job");
        return COL_BAD_INPUT;
    }
    col_status status = open_pool(l, problem);
    if (status != COL_OK)
        return status;
    const col_duv_description *design = epi_pool_describe(l->pool);
    epi_adapt_settings(&l->fitted, design);
    l->room = s->instances;
    (void)snprintf(e->design, sizeof e->design, "%s", design->name);
    e->cores = design->cores;
    e->test_operations = s->operations;
    e->test_instances = s->instances;
    e->model = epi_model_is_cat(&l->setting) ? COL_MODEL_COUNT
               : l->setting.model >= 0       ? (col_model)l->setting.model
                                             : design->model;
    (void)snprintf(e->model_name, sizeof e->model_name, "%s",
                   epi_model_name(&l->setting, design->model));
    if (!is_given(l))
        status = epi_check_room(s, base_room(), problem);
    if (status == COL_OK)
        status = col_coverage_new(&e->coverage, design, problem);
    if (status == COL_OK)
        status = make_engine(l, design, problem);
    if (status == COL_OK && !is_given(l) && (s->save != NULL || s->resume != NULL))
        status = dir_engine_check_save(l->engine, problem);
    if (status == COL_OK)
        status = make_tests(l, problem);
    if (status == COL_OK && is_watched(l))
        status = col_witness_new(&l->witness, problem);
    if (status == COL_OK && (s->save != NULL || s->resume != NULL))
        status =
            duv_identify(&l->identity, s->setting.design.name, s->setting.design.error, problem);
    if (status == COL_OK && s->resume != NULL)
        status = resume(l, problem);
    /* After that: it may add known bugs, and the waiver keeps where they are. */
    const epi_waiver_of waiver = {l->known, &l->setting, design, s->jobs, l->timer};
    if (status == COL_OK && l->waives)
        status = epi_waiver_new(&l->waiver, &waiver, problem);
    if (status == COL_OK && s->learning_log != NULL)
        status = epi_learning_log_open(&l->log, s->learning_log, col_engine_learning(l->engine),
                                       s->resume != NULL, dir_engine_told(l->engine), problem);
    if (status == COL_OK && s->begun != NULL)
        status = s->begun(s->context, e, problem);
    if (status == COL_OK && s->learning_log != NULL)
        status = epi_learning_log_begin(&l->log, problem);
    return status;
}

static void end(loop *l) {
    for (; l->ahead > 0; l->ahead--) {
        epi_test *test = &l->tests[(l->first + l->ahead - 1) % l->test_count];
        if (test->is_begun)
            epi_pool_drop(l->pool, test);
    }
    for (uint32_t t = 0; t < l->test_count; t++) {
        epi_test *test = &l->tests[t];
        for (uint32_t i = 0; i < test->room; i++)
            epi_instance_free(&test->instances[i]);
        free(test->instances);
        col_program_free(&test->program);
    }
    free(l->tests);
    for (uint32_t i = 0; l->makers != NULL && i < epi_pool_jobs(l->pool); i++)
        dir_maker_free(l->makers[i]);
    free(l->makers);
    free(l->hit);
    epi_learning_log_close(&l->log);
    epi_waiver_free(l->waiver);
    epi_streams_free(l->streams, l->episode->given_count);
    col_witness_free(l->witness);
    col_engine_free(l->engine);
    if (l->drawer != NULL)
        col_duv_close(l->drawer);
    epi_pool_free(l->pool);
    base_timer_free(l->timer);
    base_text_free(&l->model);
    epi_keeping_free(&l->keeping);
}

void col_episode_free(col_episode *episode) {
    col_coverage_free(episode->coverage);
    free(episode->curve);
    free(episode->kinds);
    epi_given_free(episode);
    *episode = (col_episode){0};
}

/* ---- A test. */

/* The seeds of instances follow from the episode's seed, the test and the
 * instance alone, but for the configuration and the number of instances, which an engine may ask
 * for. Where instances go on from a boot, the first one is the boot itself, which costs no more. */
static void seed_instances(const loop *l, epi_test *test, uint64_t number) {
    const col_duv_description *design = epi_pool_describe(l->pool);
    col_request how = {.instances = 0};
    if (!is_given(l))
        how = col_engine_request(l->engine);
    const epi_stream *given = is_given(l) ? epi_given_seeds(l->episode, l->streams, number) : NULL;
    test->count = l->settings->instances;
    if (how.instances > 0 && how.instances < test->count)
        test->count = how.instances;
    if (given != NULL && (given->seed_count > test->count || !l->settings->has_instances))
        test->count = given->seed_count;
    for (uint32_t i = 0; i < test->count; i++) {
        if (given != NULL && i < given->seed_count) {
            test->instances[i].seed = given->seeds[i];
            continue;
        }
        base_rng rng;
        base_rng_seed(&rng, ~l->settings->seed, number << 32 | i);
        const uint64_t seed = base_rng_next(&rng);
        const uint64_t like = i > 0               ? test->instances[0].seed
                              : how.is_configured ? (uint64_t)how.configuration << 32
                                                  : seed;
        test->instances[i].seed = epi_seed_like(design, i == 0 && design->boots ? 0 : seed, like);
    }
}

static col_status add_curve_point(const loop *l, col_problem *problem) {
    col_episode *e = l->episode;
    const col_curve_point point = {
        .seconds = base_seconds() - l->start,
        .tests = e->tests,
        .operations = e->operations,
        .cycles = e->cycles,
        .structural =
            col_coverage_of(e->coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES).covered,
        .functional =
            col_coverage_of(e->coverage, COL_CUMULATIVE, COL_FUNCTIONAL, COL_ALL_MACHINES).covered,
    };
    const col_status status =
        base_reserve(&e->curve, &e->curve_capacity, e->curve_count + 1, sizeof *e->curve, problem);
    if (status == COL_OK)
        e->curve[e->curve_count++] = point;
    return status;
}

static col_status note_failure(loop *l, uint32_t place, col_problem *problem) {
    col_episode *e = l->episode;
    const col_episode_settings *s = l->settings;
    const bool is_behind = l->judged.setting != NULL; /* it shows with the mends of known bugs */
    const col_setting *setting = is_behind ? l->judged.setting : &l->setting;
    const epi_instance *instance = is_behind ? l->judged.instance : &l->test->instances[place];
    col_failure failure = {.outcome = instance->outcome,
                           .test = e->tests + 1,
                           .instance = place + 1,
                           .seed = instance->seed,
                           .seconds = base_seconds() - l->start,
                           .cycles = e->cycles,
                           .operations = col_program_operations(&l->test->program)};
    (void)snprintf(failure.reason, sizeof failure.reason, "%s", instance->reason);
    col_status status =
        epi_fingerprint(e->design, &s->setting, instance->shape, &failure.fingerprint)
            ? COL_OK
            : base_out_of_memory(problem);
    if (status == COL_OK && s->folder != NULL && epi_keeping_wants(&l->keeping, e, &failure)) {
        status = epi_failure_write(s, setting, &l->test->program, instance, &failure, problem);
        BASE_THEN(status, epi_keeping_add(&l->keeping, e, &failure, s->folder, problem));
    }
    if (status != COL_OK)
        failure.folder[0] = '\0';
    const col_status counted = epi_kind_add(e, &failure, status == COL_OK ? problem : NULL);
    status = status == COL_OK ? counted : status;
    if (e->failures++ == 0) {
        if (l->known != NULL)
            l->known->is_behind = is_behind;
        e->failure = failure;
        e->outcome = failure.outcome;
    }
    if (!l->settings->keep_going) {
        e->ending = COL_ENDED_BY_ERROR;
        l->over = true;
    }
    return status;
}

/* Which of its failing instances, up to the first new one, are of known bugs? False: there was no
 * time to see. */
static col_status waive(loop *l, bool *is_seen, col_problem *problem) {
    *is_seen = true;
    if (l->waiver == NULL)
        return COL_OK;
    l->judged = (epi_judged){.answer = EPI_KNOWN};
    for (uint32_t i = 0; i < l->test->count && l->judged.answer == EPI_KNOWN; i++) {
        epi_instance *instance = &l->test->instances[i];
        instance->waived = NULL;
        if (!instance->done || instance->outcome == COL_PASS)
            continue;
        BASE_TRY(epi_waiver_judge(l->waiver, &l->test->program, instance, &l->judged, problem));
        instance->waived = l->judged.answer == EPI_KNOWN ? l->judged.bug : NULL;
    }
    *is_seen = l->judged.answer != EPI_TOO_LATE;
    return COL_OK;
}

/* Coverage and counts of the instances, in their order, up to the first that
 * failed. */
static col_status take_instances(loop *l, col_gain *gain, col_problem *problem) {
    col_episode *e = l->episode;
    bool failed = false;
    for (uint32_t i = 0; i < l->test->count; i++) {
        epi_instance *instance = &l->test->instances[i];
        if (l->over || !instance->done)
            continue;
        const col_gain more = cov_add(e->coverage, instance->hits, instance->hit_count);
        for (int m = 0; m < COL_METRIC_COUNT; m++)
            gain->points[m] += more.points[m];
        e->instances++;
        e->undecided += instance->is_undecided;
        e->operations += instance->operations;
        e->cycles += instance->cycles;
        l->feedback.operations += instance->operations;
        l->feedback.cycles += instance->cycles;
        if (instance->outcome != COL_PASS && instance->waived != NULL && !failed)
            epi_known_count(instance->waived, e->tests + 1);
        if (instance->outcome == COL_PASS || instance->waived != NULL || failed)
            continue;
        failed = true; /* one folder for a test is enough */
        const col_status status = note_failure(l, i, problem);
        if (status != COL_OK)
            return status;
    }
    return COL_OK;
}

/* Is it the failure that ends the episode? No instance of the test after it counts. */
static bool ends_at(const loop *l, const epi_instance *instance) {
    return instance->outcome != COL_PASS && instance->waived == NULL && !l->settings->keep_going;
}

/* The witness is told of the instances in their order, whichever worker ran them. */
static col_status watch(loop *l, col_problem *problem) {
    col_watched *sum = &l->episode->watched;
    col_status status = col_witness_load(l->witness, &l->test->program, l->episode->cores, problem);
    for (uint32_t i = 0; i < l->test->count && status == COL_OK; i++) {
        const epi_instance *instance = &l->test->instances[i];
        if (instance->done)
            status = col_witness_begin(l->witness, problem);
        for (size_t k = 0; instance->done && status == COL_OK && k < instance->event_count; k++) {
            const col_event event = epi_event_told(&instance->events[k]);
            col_witness_notice(l->witness, &event);
        }
        if (instance->done && status == COL_OK)
            col_witness_end(l->witness);
        if (ends_at(l, instance))
            break;
    }
    if (status != COL_OK)
        return status;
    const col_witness_results *results = col_witness_results_of(l->witness);
    sum->tests++;
    for (int o = 0; o < COL_OBSERVATION_COUNT; o++)
        sum->distinct[o] += results->distinct[o];
    sum->outcomes += results->outcomes;
    sum->nondeterminism += results->nondeterminism;
    l->feedback.witness = results;
    return COL_OK;
}

static void feed_back(loop *l, const col_gain *gain) {
    const col_episode *e = l->episode;
    const col_metric metric = l->settings->metric;
    const col_covered all = col_coverage_of(e->coverage, COL_CUMULATIVE, metric, COL_ALL_MACHINES);
    l->feedback.tests = e->tests;
    l->feedback.covered = all.covered;
    l->feedback.total = all.total;
    l->feedback.own_covered =
        col_coverage_of(e->coverage, COL_OWN, metric, COL_ALL_MACHINES).covered;
    l->feedback.gained = gain->points[metric];
    l->feedback.hits = col_coverage_hits(e->coverage, metric);
}

/* The test of that number, from 0. */
static col_status next_test(loop *l, epi_test *test, uint64_t number, col_problem *problem) {
    dir_test *chosen = NULL;
    if (is_given(l))
        return epi_given_next(l->episode, l->settings, l->streams, number, &test->program,
                              &test->point, problem);
    const col_status status = dir_engine_choose(l->engine, &l->feedback, &chosen, problem);
    test->plan = chosen;
    test->point = (col_point){0};
    if (chosen != NULL)
        test->point = chosen->point;
    if (status != COL_OK || l->log.file == NULL)
        return status;
    return epi_learning_log_add(&l->log, col_engine_learning(l->engine), l->episode->cycles,
                                l->feedback.covered, problem);
}

/* Are all its instances, or has one failed that ends it? */
static bool is_done(const epi_test *test) {
    uint32_t done = 0;
    for (uint32_t i = 0; i < test->count; i++) {
        const epi_instance *instance = &test->instances[i];
        if (instance->done && instance->outcome != COL_PASS && test->ends_at_failure)
            return true;
        done += instance->done;
    }
    return done == test->count;
}

/* An engine that learns of tests out of their order is told of one: of the instances that count. */
static col_status tell(loop *l, const epi_test *test, col_problem *problem) {
    const col_metric metric = l->settings->metric;
    const col_coverage *coverage = l->episode->coverage;
    dir_result result = {
        .total = col_coverage_of(coverage, COL_CUMULATIVE, metric, COL_ALL_MACHINES).total,
        .hit = l->hit};
    memset(l->hit, 0, l->hit_words * sizeof *l->hit);
    for (uint32_t i = 0; i < test->count; i++) {
        const epi_instance *instance = &test->instances[i];
        if (!instance->done)
            continue;
        cov_mark(coverage, metric, instance->hits, instance->hit_count, l->hit);
        result.cycles += instance->cycles;
        result.operations += instance->operations;
        if (ends_at(l, instance))
            break;
    }
    return dir_engine_tell(test->plan, &result, problem);
}

/* Is the engine waiting for no test, or for one that is over and of which it is told now? */
static col_status tell_awaited(loop *l, bool *can_choose, col_problem *problem) {
    dir_test *awaited = is_late(l) ? dir_engine_awaits(l->engine) : NULL;
    const epi_test *test = NULL;
    *can_choose = awaited == NULL;
    for (uint32_t i = 0; i < l->ahead && test == NULL && awaited != NULL; i++)
        if (l->tests[(l->first + i) % l->test_count].plan == awaited)
            test = &l->tests[(l->first + i) % l->test_count];
    if (test == NULL || !test->is_begun)
        return COL_OK;
    l->awaited = test;
    if (!epi_pool_is_over(l->pool, test) || test->status != COL_OK || !is_done(test))
        return COL_OK;
    *can_choose = true;
    return tell(l, test, problem);
}

/* Begins as many tests as may be under way. An episode that is saved goes on as one without the
 * break: the engine hands out tests beyond the last one, too, and knows no more when it does. */
static col_status begin_tests(loop *l, col_problem *problem) {
    const uint64_t most = l->settings->tests;
    l->awaited = NULL;
    while (l->ahead < l->test_count && !l->is_out) {
        const uint64_t number = l->episode->tests + l->ahead;
        epi_test *test = &l->tests[(l->first + l->ahead) % l->test_count];
        const bool is_beyond = most > 0 && number >= most;
        bool can_choose;
        if (is_beyond && (l->settings->save == NULL || is_late(l)))
            return COL_OK; /* what comes next is the same however late it is chosen */
        BASE_TRY(tell_awaited(l, &can_choose, problem));
        if (!can_choose)
            return COL_OK;
        const col_status status = next_test(l, test, number, problem);
        if (status != COL_OK)
            return status;
        if (test->point.operations == 0) { /* it has no more, or none before one under way ends */
            l->is_out =
                l->ahead == 0 || is_given(l) || dir_engine_window(l->engine) == DIR_INDEPENDENT;
            return COL_OK;
        }
        seed_instances(l, test, number);
        test->is_begun = !is_beyond;
        if (!is_beyond)
            epi_pool_begin(l->pool, test);
        l->ahead++;
    }
    return COL_OK;
}

/* Until the next test that counts is over, tests are chosen as others are. */
static col_status go_on(loop *l, col_problem *problem) {
    BASE_TRY(begin_tests(l, problem));
    const epi_test *next = &l->tests[l->first];
    while (l->ahead > 0 && epi_pool_jobs(l->pool) > 1 && l->awaited != NULL && l->awaited != next &&
           !epi_pool_is_over(l->pool, next)) {
        const epi_test *awaited = l->awaited;
        epi_pool_wait_either(l->pool, next, awaited);
        BASE_TRY(begin_tests(l, problem));
        if (l->awaited == awaited)
            break; /* either the next one is over, or this one was stopped */
    }
    return COL_OK;
}

static col_status do_test(loop *l, col_problem *problem) {
    col_episode *e = l->episode;
    col_gain gain = {{0}};
    bool is_seen = true;
    col_status status = go_on(l, problem);
    if (status != COL_OK)
        return status;
    if (l->ahead == 0) {
        e->ending = is_given(l) ? COL_ENDED_BY_PROGRAMS : COL_ENDED_BY_ENGINE;
        l->over = true;
        return COL_OK;
    }
    l->test = &l->tests[l->first];
    col_coverage_begin(e->coverage);
    l->feedback.cycles = l->feedback.operations = 0;
    const double start = base_seconds();
    status = epi_pool_wait(l->pool, l->test, problem);
    l->first = (l->first + 1) % l->test_count;
    l->ahead--;
    if (status == COL_OK && is_done(l->test))
        status = waive(l, &is_seen, problem);
    if (status != COL_OK)
        return status;
    if (!is_seen ||
        (is_stopped(l) && !is_done(l->test))) /* a test that was stopped does not count */
        return l->settings->save == NULL ? COL_OK
                                         : prepare(l, l->test, epi_pool_jobs(l->pool), problem);
    const double seconds = base_seconds() - start; /* without the writing of a failure */
    const uint64_t failures = e->failures;
    col_coverage_bring(e->coverage, l->test->needs);
    if (l->witness != NULL)
        status = watch(l, problem);
    if (status == COL_OK && is_given(l))
        status = epi_given_add(e, l->settings, l->test, problem);
    if (status == COL_OK)
        status = take_instances(l, &gain, problem);
    if (e->failures > failures) {
        e->failing_cycles += l->feedback.cycles;
        e->failing_seconds += seconds;
    }
    l->feedback.seconds = base_seconds() - start;
    if (status == COL_OK && is_late(l))
        status = tell(l, l->test, problem);
    if (status == COL_OK && is_late(l))
        dir_engine_count(l->engine);
    e->tests++;
    if (status == COL_OK && gain.points[COL_FUNCTIONAL] > 0)
        status = add_curve_point(l, problem);
    feed_back(l, &gain);
    if (status == COL_OK && l->listener != NULL)
        status = l->listener->tested(l->listener->context, e, l->test, &gain, problem);
    return status;
}

/* ---- Budgets. */

static void check_budgets(loop *l) {
    const col_episode_settings *s = l->settings;
    const col_feedback *f = &l->feedback;
    col_episode *e = l->episode;
    if (l->over)
        return;
    l->over = true;
    if (base_is_stopped(s->stop))
        e->ending = COL_ENDED_BY_SIGNAL;
    else if (s->tests > 0 && e->tests >= s->tests)
        e->ending = COL_ENDED_BY_TESTS;
    else if (s->cycles > 0 && e->cycles >= s->cycles)
        e->ending = COL_ENDED_BY_CYCLES;
    else if (f->total > 0 && s->until_coverage > 0 &&
             (double)f->covered >= s->until_coverage * (double)f->total)
        e->ending = COL_ENDED_BY_COVERAGE;
    else if (is_stopped(l) || (s->seconds > 0 && base_seconds() - l->start >= s->seconds))
        e->ending = COL_ENDED_BY_TIME;
    else
        l->over = false;
}

/* ---- Saving. */

static col_status save(loop *l, col_problem *problem) {
    const epi_standing standing = standing_of(l);
    for (uint32_t i = 0; i < l->ahead; i++) {
        epi_test *test = &l->tests[(l->first + i) % l->test_count];
        const col_status status = test->is_begun
                                      ? epi_pool_make(l->pool, test, problem)
                                      : prepare(l, test, epi_pool_jobs(l->pool), problem);
        if (status != COL_OK)
            return status;
    }
    l->episode->seconds = base_seconds() - l->start;
    l->saved = base_seconds();
    return epi_resume_write(&standing, l->settings->save, problem);
}

/* What is saved ends, as a curve does, where the episode stands. */
static col_status save_now_and_then(loop *l, col_problem *problem) {
    if (l->settings->save == NULL || base_seconds() - l->saved < l->settings->save_every)
        return COL_OK;
    col_status status = add_curve_point(l, problem);
    if (status != COL_OK)
        return status;
    status = save(l, problem);
    l->episode->curve_count--;
    return status;
}

/* That no error was found means something only if the episode did what it was asked for. */
static void conclude(col_episode *e, col_status status) {
    if (status != COL_OK)
        e->ending = COL_ENDED_BY_FAILURE;
    const bool was_cut_short =
        e->ending == COL_ENDED_BY_SIGNAL || e->ending == COL_ENDED_BY_FAILURE || e->tests == 0;
    if (e->outcome == COL_PASS && was_cut_short)
        e->outcome = COL_INCOMPLETE;
    else if (e->outcome == COL_PASS && e->undecided > 0)
        e->outcome = COL_UNJUDGED;
}

col_status col_episode_run(const col_episode_settings *settings, col_episode *episode,
                           col_problem *problem) {
    epi_known waived = {0}; /* by the episode that goes on */
    const col_status status = epi_run(settings, &waived, NULL, episode, problem);
    epi_known_free(&waived);
    return status;
}

col_status epi_run(const col_episode_settings *settings, epi_known *known,
                   const epi_listener *listener, col_episode *episode, col_problem *problem) {
    loop l = {.fitted = *settings,
              .episode = episode,
              .known = known,
              .waives = known != NULL && known->count > 0,
              .listener = listener,
              .keeping.most = settings->keeps_smallest ? 1 : settings->keep};
    l.settings = &l.fitted;
    col_status status = begin(&l, problem);
    if (status != COL_OK) { /* what a saved episode had done is not what this one did */
        end(&l);
        col_episode_free(episode);
        conclude(episode, status);
        return status;
    }
    l.start = base_seconds() - episode->seconds;
    l.saved = base_seconds();
    if (settings->seconds > 0)
        base_timer_set(l.timer,
                       epi_overtime(settings->seconds, settings->seconds - episode->seconds));
    for (check_budgets(&l); status == COL_OK && !l.over; check_budgets(&l)) {
        status = do_test(&l, problem);
        const col_progress progress = {.tests = episode->tests,
                                       .instances = episode->instances,
                                       .operations = episode->operations,
                                       .cycles = episode->cycles,
                                       .seconds = base_seconds() - l.start,
                                       .point = l.test->point,
                                       .coverage = episode->coverage};
        if (status == COL_OK && !is_stopped(&l) && settings->progress != NULL)
            settings->progress(settings->context, &progress);
        if (status == COL_OK && !is_stopped(&l) && !l.over)
            status = save_now_and_then(&l, problem);
    }
    const col_status added = add_curve_point(&l, status == COL_OK ? problem : NULL);
    if (status == COL_OK)
        status = added;
    episode->seconds = base_seconds() - l.start;
    if (status == COL_OK && settings->save != NULL)
        status = save(&l, problem);
    conclude(episode, status);
    end(&l);
    return status;
}
