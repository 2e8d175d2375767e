/* SPDX-License-Identifier: MIT */
/*
 * Workers side by side. Instances are handed out in the order of tests, and of instances in a test;
 * when one fails, those of its test that come after it are of no use and those before it are still
 * finished, so that the first failure is the same whatever the number of workers. One job needs no
 * thread: its instances run when their test is waited for.
 *
 * Invariants, under the lock:
 *  1. A test in the queue is of one caller, who takes it out by waiting for it or dropping it.
 *  2. `running` counts the hands whose `test` it is; while there are any, the test stays in the
 * queue.
 *  3. No instance behind a test's first failure is handed out.
 *  4. A test that has an owner is that hand's alone: it runs in one start of the design with
 * others.
 */
#include "base/invariant.h"
#include "base/problem.h"
#include "base/stop.h"
#include "duv/duv.h"
#include "episode/worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct hand {
    struct epi_pool *pool;
    epi_worker worker;
    volatile int stop;    /* what it does is of no use any more */
    const epi_test *test; /* what it is doing; NULL: nothing */
    uint32_t place;
    uint64_t loaded; /* the number of the test whose program it has; 0: none */
    pthread_t thread;
    bool has_thread;
} hand;

struct epi_pool {
    uint32_t jobs;
    uint32_t programs;        /* that one start of the design can run */
    const volatile int *stop; /* the timer's */
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    uint64_t number; /* of the last test */
    bool closing;
    bool is_complete; /* no test comes before one of those in the queue is over */
    epi_test *first;  /* the queue */
    hand hands[];
};

static bool has_work(const epi_pool *pool, const epi_test *test) {
    return test->next < test->count && test->next < test->first_failed && test->status == COL_OK &&
           !test->is_dropped && !base_is_stopped(pool->stop);
}

static bool is_finished(const epi_pool *pool, const epi_test *test) {
    return test->running == 0 && !has_work(pool, test);
}

/* An instance failed: what comes after it in its test is of no use. */
static void note_failure(epi_pool *pool, epi_test *test, uint32_t place) {
    if (place < test->first_failed)
        test->first_failed = place;
    for (uint32_t i = 0; i < pool->jobs; i++)
        if (pool->hands[i].test == test && pool->hands[i].place > test->first_failed)
            base_stop_set(&pool->hands[i].stop, true);
}

/* A design that runs several programs in one start learns which come next: the hand takes their
 * tests, too, all of each. Under the lock. */
static void expect(hand *h, epi_test *test) {
    enum { MOST = 256 };
    const epi_pool *pool = h->pool;
    const col_program *programs[MOST];
    const bool is_new = test->owner == NULL;
    uint32_t count = 0;
    if (pool->programs == 1)
        return;
    for (epi_test *t = test; t != NULL && count < pool->programs && count < MOST; t = t->behind) {
        if (is_new && t->owner == NULL && has_work(pool, t))
            t->owner = h;
        if (t->owner == h)
            programs[count++] = &t->program;
    }
    duv_expect(h->worker.duv, programs, count);
}

/* Runs the next instance of a test that has one. The lock is held on entry and on return, not while
 * it runs. */
static void do_instance(hand *h, epi_test *test) {
    epi_pool *pool = h->pool;
    const uint32_t place = test->next++;
    epi_instance *instance = &test->instances[place];
    col_status status = COL_OK;
    col_problem problem;
    h->test = test;
    h->place = place;
    base_stop_set(&h->stop, false);
    test->running++;
    if (h->loaded != test->number)
        expect(h, test);
    (void)pthread_mutex_unlock(&pool->lock);
    if (h->loaded != test->number)
        status = epi_worker_load(&h->worker, &test->program, &problem);
    h->loaded = status == COL_OK ? test->number : 0;
    if (status == COL_OK)
        epi_worker_run(&h->worker, instance);
    (void)pthread_mutex_lock(&pool->lock);
    h->test = NULL;
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

static bool may_take(const hand *h, const epi_test *test) {
    if (!has_work(h->pool, test))
        return false;
    return test->owner == NULL ? is_worth(h->pool, test) : test->owner == h; /* 4 */
}

static epi_test *find_work(const hand *h) {
    epi_test *test = h->pool->first;
    while (test != NULL && !may_take(h, test))
        test = test->behind;
    return test;
}

static void *live(void *context) {
    hand *h = context;
    epi_pool *pool = h->pool;
    (void)pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        epi_test *test = find_work(h);
        if (test != NULL)
            do_instance(h, test);
        (void)pthread_cond_broadcast(&pool->ends);
        if (test == NULL && !pool->closing)
            (void)pthread_cond_wait(&pool->begins, &pool->lock);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static col_status open_hand(epi_pool *pool, uint32_t i, const col_setting *setting,
                            base_timer *timer, col_problem *problem) {
    hand *h = &pool->hands[i];
    h->pool = pool;
    const col_status status = epi_worker_open(&h->worker, setting, problem);
    if (status != COL_OK)
        return status;
    h->worker.stops[1] = &h->stop;
    return epi_worker_time(&h->worker, timer, problem);
}

static col_status start_hand(hand *h, col_problem *problem) {
    h->has_thread = pthread_create(&h->thread, NULL, live, h) == 0;
    return h->has_thread ? COL_OK : base_fail(problem, "cannot start a thread for a worker");
}

col_status epi_pool_new(epi_pool **pool, const col_setting *setting, uint32_t jobs,
                        base_timer *timer, col_problem *problem) {
    epi_pool *p = calloc(1, sizeof *p + jobs * sizeof p->hands[0]);
    if (p == NULL)
        return base_out_of_memory(problem);
    p->jobs = jobs;
    p->stop = base_timer_stop(timer);
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->begins, NULL);
    (void)pthread_cond_init(&p->ends, NULL);
    col_status status = open_hand(p, 0, setting, timer, problem);
    if (status == COL_OK && epi_pool_describe(p)->is_single)
        p->jobs = 1;
    p->programs = status == COL_OK ? duv_programs(p->hands[0].worker.duv) : 1;
    for (uint32_t i = 1; i < p->jobs && status == COL_OK; i++)
        status = open_hand(p, i, setting, timer, problem);
    for (uint32_t i = 0; i < p->jobs && p->jobs > 1 && status == COL_OK; i++)
        status = start_hand(&p->hands[i], problem);
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
    for (uint32_t i = 0; i < pool->jobs; i++) {
        if (pool->hands[i].has_thread)
            (void)pthread_join(pool->hands[i].thread, NULL);
        epi_worker_close(&pool->hands[i].worker);
    }
    (void)pthread_cond_destroy(&pool->begins);
    (void)pthread_cond_destroy(&pool->ends);
    (void)pthread_mutex_destroy(&pool->lock);
    free(pool);
}

const col_duv_description *epi_pool_describe(const epi_pool *pool) {
    return col_duv_describe(pool->hands[0].worker.duv);
}

col_duv *epi_pool_design(const epi_pool *pool) {
    return pool->hands[0].worker.duv;
}

uint32_t epi_pool_tests(const epi_pool *pool, bool is_ahead) {
    if (!is_ahead || (pool->jobs == 1 && pool->programs == 1))
        return 1;
    if (pool->programs == 1)
        return pool->jobs + 1;
    return pool->jobs == 1 ? pool->programs : 2 * pool->jobs * pool->programs;
}

col_status epi_pool_check(epi_pool *pool, const col_program *program, col_problem *problem) {
    return epi_worker_load(&pool->hands[0].worker, program, problem);
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
    (void)pthread_mutex_lock(&pool->lock);
    test->number = ++pool->number;
    epi_test **last = &pool->first;
    while (*last != NULL)
        last = &(*last)->behind;
    *last = test;
    (void)pthread_cond_broadcast(&pool->begins);
    (void)pthread_mutex_unlock(&pool->lock);
}

static void take_out(epi_pool *pool, const epi_test *test) {
    epi_test **place = &pool->first;
    base_invariant(test->running == 0); /* 2 */
    while (*place != test)
        place = &(*place)->behind;
    *place = test->behind;
}

col_status epi_pool_wait(epi_pool *pool, epi_test *test, col_problem *problem) {
    (void)pthread_mutex_lock(&pool->lock);
    pool->is_complete = true;
    (void)pthread_cond_broadcast(&pool->begins);
    while (!is_finished(pool, test))
        if (pool->jobs == 1)
            do_instance(&pool->hands[0], test);
        else
            (void)pthread_cond_wait(&pool->ends, &pool->lock);
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
        if (pool->hands[i].test == test)
            base_stop_set(&pool->hands[i].stop, true);
    while (test->running > 0)
        (void)pthread_cond_wait(&pool->ends, &pool->lock);
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
