/* SPDX-License-Identifier: MIT */
/*
 * Workers side by side. Instances are handed out in the order of tests, and of instances in a test;
 * when one fails, those of its test that come after it are of no use and those before it are still
 * finished, so that the first failure is the same whatever the number of workers. One job needs no
 * thread: its instances run when their test is waited for.
 *
 * Invariants, under the lock:
 *  1. A test in the queue is of one caller, who takes it out by waiting for it or dropping it.
 *  2. `running` counts the runners whose `test` it is; while there are any, the test stays in the
 * queue.
 *  3. No instance behind a test's first failure is handed out.
 *  4. A test that has an owner is that runner's alone: it runs in one start of the design with
 * others, or is too small to be shared.
 *  5. Of a design that runners share, one runs an instance at a time, in the order that they are
 * handed out; it is judged while others have their turn.
 */
#include "episode/worker_pool.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/problem.h"
#include "design/duv.h"
#include "episode/episode_settings.h"
#include "episode/failure/fingerprint.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static col_status open_judge(epi_worker *worker, const col_setting *setting, col_problem *problem);
static col_status load_judge(epi_worker *worker, const col_program *program, col_problem *problem);
static void run_design(epi_worker *worker, epi_instance *instance, col_run *run);
static void judge_run(epi_worker *worker, epi_instance *instance, const col_run *run);

typedef struct runner {
    struct epi_pool *pool;
    epi_worker worker;
    volatile int stop;    /* what it does is of no use any more */
    const epi_test *test; /* what it is doing; NULL: nothing */
    uint32_t place;
    uint64_t loaded; /* the number of the test whose program it has; 0: none */
    pthread_t thread;
    bool has_thread;
} runner;

struct epi_pool {
    uint32_t jobs;
    uint32_t programs;        /* that one start of the design can run */
    const volatile int *stop; /* the timer's */
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    uint64_t number; /* of the last test */
    bool is_shared;  /* one design for all runners, ... */
    bool is_running; /* ... which one of them has now; */
    uint64_t loaded; /* the number of the test whose program it has */
    bool closing;
    bool is_complete;       /* no test comes before one of those in the queue is over */
    epi_test *first, *last; /* the queue */
    epi_test *open;         /* the first of them with something left to hand out, or before it */
    const epi_test *awaited[2]; /* by the caller, who wants to know when one of them is over */
    epi_preparation preparation;
    runner runners[];
};

/* Nothing of it will be handed out any more. */
static bool is_used_up(const epi_test *test) {
    return test->is_dropped || test->status != COL_OK ||
           (test->making == EPI_MADE &&
            (test->next >= test->count || test->next >= test->first_failed));
}

static bool has_work(const epi_pool *pool, const epi_test *test) {
    return !is_used_up(test) && test->making != EPI_BEING_MADE && !base_is_stopped(pool->stop);
}

static bool is_over(const epi_pool *pool, const epi_test *test) {
    return test->running == 0 && !has_work(pool, test);
}

/* Only what the caller waits for wakes it. */
static void tell_caller(epi_pool *pool) {
    for (int i = 0; i < 2; i++)
        if (pool->awaited[i] != NULL && is_over(pool, pool->awaited[i])) {
            (void)pthread_cond_signal(&pool->ends);
            return;
        }
}

/* An instance failed: what comes after it in its test is of no use. */
static void note_failure(epi_pool *pool, epi_test *test, uint32_t place) {
    if (place < test->first_failed)
        test->first_failed = place;
    for (uint32_t i = 0; i < pool->jobs; i++)
        if (pool->runners[i].test == test && pool->runners[i].place > test->first_failed)
            base_stop_set(&pool->runners[i].stop, true);
}

/* A design that runs several programs in one start learns which come next: the runner takes their
 * tests, too, all of each. Under the lock. */
static void expect(runner *r, epi_test *test) {
    enum { MOST = 256 };
    const epi_pool *pool = r->pool;
    const col_program *programs[MOST];
    const bool is_new = test->owner == NULL;
    uint32_t count = 0;
    if (pool->programs == 1)
        return;
    for (epi_test *t = test; t != NULL && count < pool->programs && count < MOST; t = t->behind) {
        if (is_new && t->owner == NULL && has_work(pool, t))
            t->owner = r;
        if (t->owner == r)
            programs[count++] = &t->program;
    }
    duv_expect(r->worker.duv, programs, count);
}

/* The lock is held on entry and on return, not while it is made. Who makes it counts as running. */
static void make(epi_pool *pool, epi_test *test, uint32_t maker) {
    const epi_preparation *p = &pool->preparation;
    col_problem problem;
    test->making = EPI_BEING_MADE;
    test->running++;
    (void)pthread_mutex_unlock(&pool->lock);
    const col_status status = p->prepare(p->context, test, maker, &problem);
    (void)pthread_mutex_lock(&pool->lock);
    test->running--;
    test->making = EPI_MADE;
    if (status == COL_OK)
        return;
    test->status = status;
    test->problem = problem;
}

/* Those of them that have another program. */
static col_status load(runner *r, const epi_test *test, col_problem *problem) {
    epi_pool *pool = r->pool;
    uint64_t *loaded = pool->is_shared ? &pool->loaded : &r->loaded;
    const bool has_design = *loaded == test->number;
    col_status status = COL_OK;
    if (r->loaded != test->number)
        status = load_judge(&r->worker, &test->program, problem);
    if (status == COL_OK && !has_design)
        status = col_duv_load(r->worker.duv, &test->program, problem);
    r->loaded = *loaded = status == COL_OK ? test->number : 0;
    return status;
}

/* A small test is one runner's: to wake another takes longer than to judge it. Under the lock. */
static void begin_turn(runner *r, epi_test *test) {
    enum { SMALL = 256 };
    r->pool->is_running = true;
    if (col_program_operations(&test->program) < SMALL)
        test->owner = r;
}

static void end_turn(epi_pool *pool, const epi_test *test) {
    (void)pthread_mutex_lock(&pool->lock);
    pool->is_running = false;
    if (test->owner == NULL)
        (void)pthread_cond_signal(&pool->begins);
    (void)pthread_mutex_unlock(&pool->lock);
}

/* Runs the next instance of a test that has one. The lock is held on entry and on return, not while
 * it runs. */
static void do_instance(runner *r, epi_test *test) {
    epi_pool *pool = r->pool;
    const uint32_t place = test->next++;
    epi_instance *instance = &test->instances[place];
    col_status status = COL_OK;
    col_problem problem;
    col_run run;
    r->test = test;
    r->place = place;
    base_stop_set(&r->stop, false);
    test->running++;
    if (pool->is_shared)
        begin_turn(r, test);
    if (r->loaded != test->number)
        expect(r, test);
    (void)pthread_mutex_unlock(&pool->lock);
    status = load(r, test, &problem);
    if (status == COL_OK)
        run_design(&r->worker, instance, &run);
    if (pool->is_shared)
        end_turn(pool, test);
    if (status == COL_OK)
        judge_run(&r->worker, instance, &run);
    (void)pthread_mutex_lock(&pool->lock);
    r->test = NULL;
    test->running--;
    if (status != COL_OK) {
        test->status = status;
        test->problem = problem;
    } else if (test->ends_at_failure &&
               (instance->status != COL_OK || (instance->done && instance->outcome != COL_PASS))) {
        note_failure(pool, test, place);
    }
}

/* A start of the design is worth it for as many tests as it can run, or for all that there are. */
static bool is_worth(const epi_pool *pool, const epi_test *test) {
    uint32_t count = 0;
    if (pool->programs == 1 || pool->is_complete)
        return true;
    for (; test != NULL; test = test->behind)
        count += test->owner == NULL && has_work(pool, test);
    return count >= pool->programs;
}

/* 5 */
static bool is_turn(const runner *r, const epi_test *test) {
    return !r->pool->is_running && test != NULL && has_work(r->pool, test) &&
           (test->owner == NULL || test->owner == r);
}

/* The first test that has work for it: its own (4), or anyone's that is worth a start. */
static epi_test *find_work(const runner *r) {
    epi_pool *pool = r->pool;
    while (pool->open != NULL && is_used_up(pool->open))
        pool->open = pool->open->behind;
    epi_test *test = pool->open;
    if (pool->is_shared)
        return is_turn(r, test) ? test : NULL;
    while (test != NULL && !(has_work(r->pool, test) &&
                             (test->owner == NULL ? is_worth(r->pool, test) : test->owner == r)))
        test = test->behind;
    return test;
}

/* A test is made by whoever comes first; then its instances are anyone's. */
static void do_work(runner *r, epi_test *test) {
    epi_pool *pool = r->pool;
    if (test->making == EPI_TO_BE_MADE) {
        make(pool, test, (uint32_t)(r - pool->runners));
        if (test->count > 1 && has_work(pool, test))
            (void)pthread_cond_broadcast(&pool->begins);
    }
    if (has_work(pool, test))
        do_instance(r, test);
}

static void *live(void *context) {
    runner *r = context;
    epi_pool *pool = r->pool;
    (void)pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        epi_test *test = find_work(r);
        if (test != NULL)
            do_work(r, test);
        tell_caller(pool);
        if (test == NULL && !pool->closing)
            (void)pthread_cond_wait(&pool->begins, &pool->lock);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static col_status open_runner(epi_pool *pool, uint32_t i, const col_setting *setting,
                              base_timer *timer, col_problem *problem) {
    runner *r = &pool->runners[i];
    r->pool = pool;
    if (pool->is_shared)
        r->worker = (epi_worker){.duv = epi_pool_design(pool), .is_borrowed = true};
    const col_status status = pool->is_shared ? open_judge(&r->worker, setting, problem)
                                              : epi_worker_open(&r->worker, setting, problem);
    if (status != COL_OK)
        return status;
    r->worker.stops[1] = &r->stop;
    return epi_worker_time(&r->worker, timer, problem);
}

/* What is judged at the end alone, and calls nobody back while it is judged. */
static bool can_share(const col_duv_description *design, uint32_t programs) {
    return design->shows == COL_SHOWS_READS && design->executes && programs == 1;
}

col_status epi_pool_new(epi_pool **pool, const col_setting *setting, uint32_t jobs,
                        base_timer *timer, col_problem *problem) {
    epi_pool *p = calloc(1, sizeof *p + jobs * sizeof p->runners[0]);
    if (p == NULL)
        return base_out_of_memory(problem);
    p->jobs = jobs;
    p->stop = base_timer_stop(timer);
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->begins, NULL);
    (void)pthread_cond_init(&p->ends, NULL);
    col_status status = open_runner(p, 0, setting, timer, problem);
    p->programs = status == COL_OK ? duv_programs(p->runners[0].worker.duv) : 1;
    if (status == COL_OK && epi_pool_describe(p)->is_single) {
        p->is_shared = jobs > 1 && can_share(epi_pool_describe(p), p->programs);
        p->jobs = p->is_shared ? jobs : 1;
    }
    for (uint32_t i = 1; i < p->jobs && status == COL_OK; i++)
        status = open_runner(p, i, setting, timer, problem);
    for (uint32_t i = 0; i < p->jobs && p->jobs > 1 && status == COL_OK; i++) {
        runner *r = &p->runners[i];
        r->has_thread = pthread_create(&r->thread, NULL, live, r) == 0;
        status = r->has_thread ? COL_OK : base_fail(problem, "cannot start a thread for a worker");
    }
    if (status != COL_OK) {
        epi_pool_free(p);
        return status;
    }
    *pool = p;
    return COL_OK;
}

void epi_pool_free(epi_pool *pool) {
    if (pool == NULL)
        return;
    (void)pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    (void)pthread_cond_broadcast(&pool->begins);
    (void)pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->jobs; i++)
        if (pool->runners[i].has_thread)
            (void)pthread_join(pool->runners[i].thread, NULL);
    for (uint32_t i = pool->jobs; i-- > 0;) /* the first one has the design that others share */
        epi_worker_close(&pool->runners[i].worker);
    (void)pthread_cond_destroy(&pool->begins);
    (void)pthread_cond_destroy(&pool->ends);
    (void)pthread_mutex_destroy(&pool->lock);
    free(pool);
}

const col_duv_description *epi_pool_describe(const epi_pool *pool) {
    return col_duv_describe(pool->runners[0].worker.duv);
}

col_duv *epi_pool_design(const epi_pool *pool) {
    return pool->runners[0].worker.duv;
}

uint32_t epi_pool_tests(const epi_pool *pool, bool is_ahead) {
    if (!is_ahead || (pool->jobs == 1 && pool->programs == 1))
        return 1;
    if (pool->programs == 1) /* turns are taken in one test after the other */
        return pool->is_shared ? 2 : pool->jobs + 1;
    return pool->jobs == 1 ? pool->programs : 2 * pool->jobs * pool->programs;
}

col_status epi_pool_check(epi_pool *pool, const col_program *program, col_problem *problem) {
    return epi_worker_load(&pool->runners[0].worker, program, problem);
}

void epi_pool_begin(epi_pool *pool, epi_test *test) {
    test->next = test->running = 0;
    test->first_failed = test->count;
    test->status = COL_OK;
    test->is_dropped = false;
    test->behind = NULL;
    test->owner = NULL;
    for (uint32_t i = 0; i < test->count; i++) {
        test->instances[i].done = false;
        test->instances[i].status = COL_OK;
    }
    test->making = pool->preparation.prepare == NULL ? EPI_MADE : EPI_TO_BE_MADE;
    (void)pthread_mutex_lock(&pool->lock);
    test->number = ++pool->number;
    if (pool->programs > 1 && test->making == EPI_TO_BE_MADE) /* they are told to the design */
        make(pool, test, pool->jobs);
    *(pool->last == NULL ? &pool->first : &pool->last->behind) = test;
    pool->last = test;
    pool->open = pool->open == NULL ? test : pool->open;
    (void)pthread_cond_broadcast(&pool->begins);
    (void)pthread_mutex_unlock(&pool->lock);
}

static void take_out(epi_pool *pool, const epi_test *test) {
    epi_test **place = &pool->first, *before = NULL;
    base_invariant(test->running == 0); /* 2 */
    while (*place != test) {
        before = *place;
        place = &before->behind;
    }
    *place = test->behind;
    pool->last = pool->last == test ? before : pool->last;
    pool->open = pool->open == test ? test->behind : pool->open;
}

/* Under the lock, with threads at work. */
static void await(epi_pool *pool, const epi_test *test, const epi_test *other) {
    pool->awaited[0] = test;
    pool->awaited[1] = other;
    while (!is_over(pool, test) && (other == NULL || !is_over(pool, other)))
        (void)pthread_cond_wait(&pool->ends, &pool->lock);
    pool->awaited[0] = pool->awaited[1] = NULL;
}

uint32_t epi_pool_jobs(const epi_pool *pool) {
    return pool->jobs;
}

void epi_pool_wait_either(epi_pool *pool, const epi_test *test, const epi_test *other) {
    (void)pthread_mutex_lock(&pool->lock);
    await(pool, test, other);
    (void)pthread_mutex_unlock(&pool->lock);
}

bool epi_pool_is_over(epi_pool *pool, const epi_test *test) {
    (void)pthread_mutex_lock(&pool->lock);
    const bool over = is_over(pool, test);
    (void)pthread_mutex_unlock(&pool->lock);
    return over;
}

void epi_pool_prepare_by(epi_pool *pool, epi_preparation preparation) {
    pool->preparation = preparation;
}

col_status epi_pool_make(epi_pool *pool, epi_test *test, col_problem *problem) {
    (void)pthread_mutex_lock(&pool->lock);
    while (test->making == EPI_BEING_MADE)
        await(pool, test, NULL);
    if (test->making == EPI_TO_BE_MADE) {
        make(pool, test, pool->jobs);
        (void)pthread_cond_broadcast(&pool->begins);
    }
    const col_status status = test->status;
    if (status != COL_OK)
        *problem = test->problem;
    (void)pthread_mutex_unlock(&pool->lock);
    return status;
}

col_status epi_pool_wait(epi_pool *pool, epi_test *test, col_problem *problem) {
    (void)pthread_mutex_lock(&pool->lock);
    pool->is_complete = true;
    (void)pthread_cond_broadcast(&pool->begins);
    while (pool->jobs == 1 && has_work(pool, test))
        do_work(&pool->runners[0], test);
    if (pool->jobs > 1)
        await(pool, test, NULL);
    pool->is_complete = false;
    take_out(pool, test);
    (void)pthread_mutex_unlock(&pool->lock);
    if (test->status != COL_OK)
        *problem = test->problem;
    for (uint32_t i = 0; test->status == COL_OK && i <= test->first_failed && i < test->count; i++)
        if (test->instances[i].status != COL_OK) {
            *problem = test->instances[i].problem;
            return test->instances[i].status;
        }
    return test->status;
}

void epi_pool_drop(epi_pool *pool, epi_test *test) {
    (void)pthread_mutex_lock(&pool->lock);
    test->is_dropped = true;
    for (uint32_t i = 0; i < pool->jobs; i++)
        if (pool->runners[i].test == test)
            base_stop_set(&pool->runners[i].stop, true);
    if (test->running > 0)
        await(pool, test, NULL);
    take_out(pool, test);
    (void)pthread_mutex_unlock(&pool->lock);
}

col_status epi_pool_run(epi_pool *pool, const col_program *program, epi_instance *instances,
                        uint32_t count, bool ends_at_failure, col_problem *problem) {
    epi_test test = {.program = *program, /* it is lent, and not changed */
                     .instances = instances,
                     .count = count,
                     .ends_at_failure = ends_at_failure};
    epi_pool_begin(pool, &test);
    return epi_pool_wait(pool, &test, problem);
}

/* One worker: a design and its judge. */

static col_status open_judge(epi_worker *worker, const col_setting *setting, col_problem *problem) {
    col_duv_limit(worker->duv, setting->limit);
    const col_status status =
        epi_judge_open(&worker->judge, setting, col_duv_describe(worker->duv), problem);
    if (status != COL_OK)
        epi_worker_close(worker);
    return status;
}

col_status epi_worker_open(epi_worker *worker, const col_setting *setting, col_problem *problem) {
    *worker = (epi_worker){0};
    const col_status status = epi_design_open(&worker->duv, setting, problem);
    return status == COL_OK ? open_judge(worker, setting, problem) : status;
}

col_status epi_worker_time(epi_worker *worker, base_timer *timer, col_problem *problem) {
    const col_status status = base_timer_add(timer, &worker->ended, problem);
    if (status != COL_OK)
        return status;
    worker->timer = timer;
    worker->stops[0] = base_timer_stop(timer);
    col_duv_interrupt(worker->duv, worker->stops[0]);
    epi_judge_interrupt(&worker->judge, worker->stops[0]);
    return COL_OK;
}

void epi_worker_close(epi_worker *worker) {
    if (worker->timer != NULL)
        base_timer_remove(worker->timer, &worker->ended);
    base_text_free(&worker->output);
    free(worker->hits);
    epi_judge_close(&worker->judge);
    if (!worker->is_borrowed)
        col_duv_close(worker->duv);
    *worker = (epi_worker){0};
}

void epi_instance_free(epi_instance *instance) {
    free(instance->events);
    free(instance->output);
    free(instance->hits);
    instance->events = NULL;
    instance->output = NULL;
    instance->hits = NULL;
    instance->event_count = instance->event_capacity = 0;
    instance->hit_count = instance->hit_capacity = 0;
}

static col_status load_judge(epi_worker *worker, const col_program *program, col_problem *problem) {
    worker->program = program;
    return epi_judge_load(&worker->judge, program, problem);
}

col_status epi_worker_load(epi_worker *worker, const col_program *program, col_problem *problem) {
    const col_status status = load_judge(worker, program, problem);
    return status == COL_OK ? col_duv_load(worker->duv, program, problem) : status;
}

static const uint32_t error_kinds =
    1U << COL_PROTOCOL_ERROR | 1U << COL_DEADLOCK | 1U << COL_INVARIANT_BROKEN;

/* What a judge sees of an instance, at either level of observation. */
static const uint32_t seen_kinds = 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED |
                                   1U << COL_VALUE_RETURNED | 1U << COL_FINAL_VALUE;

static bool is_stopped(const epi_worker *worker) {
    return base_is_stopped(worker->stops[0]) || base_is_stopped(worker->stops[1]);
}

/* Running out of memory ends the instance. */
static void keep_event(epi_worker *worker, const col_event *event) {
    epi_instance *i = worker->instance;
    if (i->status == COL_OK)
        i->status = base_reserve(&i->events, &i->event_capacity, i->event_count + 1,
                                 sizeof *i->events, &i->problem);
    if (i->status != COL_OK) {
        base_stop_set(&worker->ended, true);
        return;
    }
    i->events[i->event_count++] = (epi_event){
        .operation = event->operation,
        .core = event->core,
        .word = event->word,
        .overwritten = event->overwritten,
        .read = event->read,
        .kind = (uint8_t)event->kind,
        .source = (uint8_t)event->source,
    };
}

/* What a read returned is kept as if it had been seen to perform: an atomic replaced that value.
 * Values of operations that read nothing are the judge's business alone. */
static void keep_value(epi_worker *worker, const col_event *event) {
    if (event->operation >= col_program_operations(worker->program))
        return;
    const col_operation *operation = &worker->program->operations[event->operation];
    const col_kind_traits *traits = &col_kinds[operation->kind];
    col_event performed = *event;
    if (!traits->reads)
        return;
    performed.kind = traits->writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED;
    if (traits->writes) {
        performed.read = performed.overwritten = event->word;
        performed.word = (operation->kind == COL_ADD ? event->word : 0) +
                         col_program_operand(worker->program, operation);
    }
    keep_event(worker, &performed);
}

/* The end of what the design printed. */
static void keep_output(epi_worker *worker, const char *text) {
    base_text *output = &worker->output;
    if (text == NULL)
        return;
    base_text_add(output, text);
    if (output->failed || output->length <= EPI_OUTPUT)
        return;
    memmove(output->data, output->data + output->length - EPI_OUTPUT, EPI_OUTPUT + 1);
    output->length = EPI_OUTPUT;
}

static void notice(void *context, const col_event *event) {
    epi_worker *worker = context;
    if (event->kind == COL_OUTPUT) { /* nobody else has a use for it */
        keep_output(worker, event->message);
        return;
    }
    if ((seen_kinds >> event->kind & 1) != 0 && worker->instance->keeps_events) {
        if (event->kind == COL_VALUE_RETURNED)
            keep_value(worker, event);
        else
            keep_event(worker, event);
    }
    if ((error_kinds >> event->kind & 1) != 0 && !worker->has_wrong) {
        worker->wrong = *event;
        worker->wrong.message = NULL; /* its text is not ours */
        worker->has_wrong = true;
    }
    for (int i = 0; i < EPI_WATCHERS; i++)
        if (worker->also[i] != NULL && (worker->also[i]->kinds >> event->kind & 1) != 0)
            worker->also[i]->notice(worker->also[i]->context, event);
    if (!epi_judge_notice(&worker->judge, event) || is_stopped(worker))
        base_stop_set(&worker->ended, true);
}

/* What the judge saw comes first: a design may well go wrong in other ways
 * afterwards. */
static void judge(epi_worker *worker, const col_run *run, epi_instance *instance) {
    static const col_outcome outcomes[COL_RUN_END_COUNT] = {
        [COL_RUN_PROTOCOL_ERROR] = COL_PROTOCOL_WRONG,
        [COL_RUN_DEADLOCK] = COL_DEADLOCKED,
        [COL_RUN_STARVED] = COL_STARVED,
        [COL_RUN_INVARIANT] = COL_VIOLATION,
        [COL_RUN_CRASHED] = COL_CRASHED,
        [COL_RUN_TIMED_OUT] = COL_CRASHED,
    };
    bool is_allowed = true;
    instance->status = epi_judge_finish(&worker->judge, run->end == COL_RUN_COMPLETE, &is_allowed,
                                        &instance->problem);
    if (instance->status != COL_OK)
        return;
    instance->outcome = COL_PASS;
    instance->is_undecided = false;
    if (worker->judge.is_undecided && is_stopped(worker))
        return; /* for want of time */
    instance->done = true;
    instance->breaks_model = !is_allowed;
    instance->is_undecided = worker->judge.is_undecided;
    instance->outcome = is_allowed ? outcomes[run->end] : COL_VIOLATION;
    if (instance->outcome == COL_CRASHED && is_stopped(worker))
        instance->outcome = COL_PASS; /* it was killed because it did not stop */
    if (!is_allowed)
        (void)snprintf(instance->reason, sizeof instance->reason, "%s",
                       epi_judge_violation(&worker->judge)->reason);
    else if (instance->outcome != COL_PASS)
        (void)snprintf(instance->reason, sizeof instance->reason, "%s", run->message);
    else
        instance->done = run->end == COL_RUN_COMPLETE; /* else it was stopped from outside */
}

static void tell_shape(const epi_worker *worker, epi_instance *instance) {
    const epi_wrong wrong = {
        .outcome = instance->outcome,
        .reason = instance->reason,
        .violation = instance->breaks_model ? epi_judge_violation(&worker->judge) : NULL,
        .program = worker->program,
        .design = col_duv_describe(worker->duv),
        .event = worker->has_wrong ? &worker->wrong : NULL};
    instance->has_cell =
        instance->outcome == COL_PROTOCOL_WRONG && epi_wrong_cell(&wrong, &instance->cell);
    if (!epi_shape(&wrong, instance->shape, sizeof instance->shape))
        instance->status = base_out_of_memory(&instance->problem);
}

/* The events of an instance that was run before, once more. */
static void retell(epi_worker *worker, col_run *run) {
    const epi_instance *past = worker->retold;
    *run = (col_run){.end = past->end, .cycles = past->cycles, .operations = past->operations};
    (void)snprintf(run->message, sizeof run->message, "%s", past->reason);
    keep_output(worker, past->output);
    for (size_t i = 0; i < past->event_count && worker->ended == 0; i++) {
        col_event event = epi_event_told(&past->events[i]);
        if (worker->judge.sees_reads && event.kind != COL_FINAL_VALUE) {
            event.word = event.kind == COL_STORE_PERFORMED ? event.read : event.word;
            event.kind = COL_VALUE_RETURNED;
        }
        notice(worker, &event);
    }
}

col_event epi_event_told(const epi_event *event) {
    return (col_event){.kind = (col_event_kind)event->kind,
                       .core = event->core,
                       .operation = event->operation,
                       .word = event->word,
                       .overwritten = event->overwritten,
                       .read = event->read,
                       .source = (col_source)event->source};
}

bool epi_event_reads(const col_program *program, const epi_event *event, uint64_t *word) {
    const col_kind_traits *traits = &col_kinds[program->operations[event->operation].kind];
    *word = event->kind == COL_LOAD_PERFORMED || !traits->writes ? event->word : event->read;
    return traits->reads;
}

/* Few of all points are hit: a list of them is shorter, and is added sooner. */
static col_status collect(epi_worker *worker, epi_instance *instance) {
    const uint32_t points = col_duv_functional_count(col_duv_describe(worker->duv));
    size_t count = 0;
    if (worker->hits == NULL)
        worker->hits = calloc((size_t)points + 1, sizeof *worker->hits);
    if (worker->hits == NULL)
        return base_out_of_memory(&instance->problem);
    col_duv_collect(worker->duv, worker->hits);
    for (uint32_t p = 0; p < points; p++)
        count += worker->hits[p] != 0;
    const col_status status = base_reserve(&instance->hits, &instance->hit_capacity, count,
                                           sizeof *instance->hits, &instance->problem);
    for (uint32_t p = 0; p < points; p++)
        if (worker->hits[p] != 0 && status == COL_OK)
            instance->hits[instance->hit_count++] = (cov_hit){worker->hits[p], p};
    memset(worker->hits, 0, points * sizeof *worker->hits);
    return status;
}

/* All that needs the design. */
static void run_design(epi_worker *worker, epi_instance *instance, col_run *run) {
    col_observer observer = {worker, notice, seen_kinds | error_kinds | 1U << COL_OUTPUT};
    *run = (col_run){.end = COL_RUN_COMPLETE};
    for (int i = 0; i < EPI_WATCHERS; i++)
        observer.kinds |= worker->also[i] == NULL ? 0 : worker->also[i]->kinds;
    base_stop_set(&worker->ended, worker->retold == NULL && is_stopped(worker));
    worker->has_wrong = false;
    worker->output.length = 0;
    worker->instance = instance;
    instance->event_count = instance->hit_count = 0;
    free(instance->output);
    instance->output = NULL;
    instance->of_reads = worker->judge.sees_reads;
    instance->status = COL_OK;
    instance->done = false;
    instance->reason[0] = instance->shape[0] = '\0';
    instance->has_cell = false;
    epi_judge_restart(&worker->judge);
    if (worker->retold != NULL) {
        retell(worker, run);
    } else {
        col_problem problem;
        const col_status status =
            col_duv_run(worker->duv, instance->seed, &observer, &worker->ended, run, &problem);
        if (instance->status == COL_OK && status != COL_OK) { /* else keep_event failed before it */
            instance->status = status;
            instance->problem = problem;
        }
    }
    instance->end = run->end;
    instance->cycles = run->cycles;
    instance->operations = run->operations;
    if (instance->counts_hits && instance->status == COL_OK)
        instance->status = collect(worker, instance);
}

static void judge_run(epi_worker *worker, epi_instance *instance, const col_run *run) {
    if (instance->status == COL_OK)
        judge(worker, run, instance);
    if (instance->status != COL_OK)
        return;
    if (instance->outcome != COL_PASS)
        tell_shape(worker, instance);
    if (instance->outcome != COL_PASS && worker->output.length > 0 &&
        (instance->output = strdup(worker->output.data)) == NULL)
        instance->status = base_out_of_memory(&instance->problem);
}

void epi_worker_run(epi_worker *worker, epi_instance *instance) {
    col_run run;
    run_design(worker, instance, &run);
    judge_run(worker, instance, &run);
}

uint64_t epi_worker_run_on(epi_worker *worker, epi_instance *instance, uint64_t most) {
    uint64_t runs = 0;
    const uint64_t first = instance->seed;
    do {
        instance->seed = first + runs++;
        epi_worker_run(worker, instance);
    } while (col_duv_describe(worker->duv)->varies && runs < most && instance->status == COL_OK &&
             instance->done && instance->outcome == COL_PASS);
    return runs;
}
