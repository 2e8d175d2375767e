/* SPDX-License-Identifier: MIT */
/*
 * Workers side by side. Instances are handed out in order; when one fails,
 * those after it are of no use and those before it are still finished, so that
 * the first failure is the same whatever the number of workers. One job needs
 * no thread.
 */
#include "base/problem.h"
#include "base/stop.h"
#include "episode/worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    const col_program *program;
    epi_instance *instances;
    uint32_t count;
    bool ends_at_failure;
    atomic_uint next;         /* to be handed out */
    atomic_uint first_failed; /* `count`: none so far */
} work;

typedef struct hand {
    struct epi_pool *pool;
    epi_worker worker;
    volatile int stop; /* what it does is of no use any more */
    _Atomic uint32_t doing;
    col_status status;
    col_problem problem;
    pthread_t thread;
    bool has_thread;
} hand;

struct epi_pool {
    uint32_t jobs;
    const volatile int *stop;
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    uint64_t round;   /* of work */
    uint32_t working; /* hands that are at it */
    bool closing;
    work work;
    hand hands[];
};

/* An instance failed: what comes after it is of no use. */
static void note_failure(epi_pool *pool, uint32_t place) {
    unsigned first = atomic_load(&pool->work.first_failed);
    while (place < first && !atomic_compare_exchange_weak(&pool->work.first_failed, &first, place))
        ;
    for (uint32_t i = 0; i < pool->jobs; i++)
        if (pool->hands[i].doing > place)
            base_stop_set(&pool->hands[i].stop, true);
}

static void do_instances(hand *h) {
    epi_pool *pool = h->pool;
    work *w = &pool->work;
    h->status = epi_worker_load(&h->worker, w->program, &h->problem);
    while (h->status == COL_OK) {
        const uint32_t place = atomic_fetch_add(&w->next, 1);
        if (place >= w->count || base_is_stopped(pool->stop) ||
            place > atomic_load(&w->first_failed))
            return;
        epi_instance *instance = &w->instances[place];
        base_stop_set(&h->stop, false);
        h->doing = place;
        epi_worker_run(&h->worker, instance);
        h->doing = 0;
        if (w->ends_at_failure &&
            (instance->status != COL_OK || (instance->done && instance->outcome != COL_PASS)))
            note_failure(pool, place);
    }
}

static void *live(void *context) {
    hand *h = context;
    epi_pool *pool = h->pool;
    uint64_t round = 0;
    (void)pthread_mutex_lock(&pool->lock);
    while (true) {
        while (pool->round == round && !pool->closing)
            (void)pthread_cond_wait(&pool->begins, &pool->lock);
        if (pool->closing)
            break;
        round = pool->round;
        (void)pthread_mutex_unlock(&pool->lock);
        do_instances(h);
        (void)pthread_mutex_lock(&pool->lock);
        if (--pool->working == 0)
            (void)pthread_cond_signal(&pool->ends);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static col_status start_hand(epi_pool *pool, uint32_t i, const col_setting *setting,
                             col_problem *problem) {
    hand *h = &pool->hands[i];
    h->pool = pool;
    const col_status status = epi_worker_open(&h->worker, setting, problem);
    if (status != COL_OK)
        return status;
    h->worker.stops[0] = pool->stop;
    h->worker.stops[1] = &h->stop;
    col_duv_interrupt(h->worker.duv, pool->stop);
    if (pool->jobs == 1)
        return COL_OK;
    h->has_thread = pthread_create(&h->thread, NULL, live, h) == 0;
    return h->has_thread ? COL_OK : base_fail(problem, "cannot start a thread for a worker");
}

col_status epi_pool_new(epi_pool **pool, const col_setting *setting, uint32_t jobs,
                        const volatile int *stop, col_problem *problem) {
    epi_pool *p = calloc(1, sizeof *p + jobs * sizeof p->hands[0]);
    if (p == NULL)
        return base_out_of_memory(problem);
    p->jobs = jobs;
    p->stop = stop;
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->begins, NULL);
    (void)pthread_cond_init(&p->ends, NULL);
    for (uint32_t i = 0; i < jobs; i++) {
        const col_status status = start_hand(p, i, setting, problem);
        if (status != COL_OK) {
            epi_pool_free(p);
            return status;
        }
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

static void do_all(epi_pool *pool) {
    if (pool->jobs == 1) {
        do_instances(&pool->hands[0]);
        return;
    }
    (void)pthread_mutex_lock(&pool->lock);
    pool->working = pool->jobs;
    pool->round++;
    (void)pthread_cond_broadcast(&pool->begins);
    while (pool->working > 0)
        (void)pthread_cond_wait(&pool->ends, &pool->lock);
    (void)pthread_mutex_unlock(&pool->lock);
}

col_status epi_pool_run(epi_pool *pool, const col_program *program, epi_instance *instances,
                        uint32_t count, bool ends_at_failure, col_problem *problem) {
    work *w = &pool->work;
    w->program = program;
    w->instances = instances;
    w->count = count;
    w->ends_at_failure = ends_at_failure;
    atomic_store(&w->next, 0);
    atomic_store(&w->first_failed, count);
    for (uint32_t i = 0; i < count; i++) {
        instances[i].done = false;
        instances[i].status = COL_OK;
    }
    do_all(pool);
    for (uint32_t i = 0; i < pool->jobs; i++)
        if (pool->hands[i].status != COL_OK) {
            *problem = pool->hands[i].problem;
            return pool->hands[i].status;
        }
    for (uint32_t i = 0; i <= atomic_load(&w->first_failed) && i < count; i++)
        if (instances[i].status != COL_OK) {
            *problem = instances[i].problem;
            return instances[i].status;
        }
    return COL_OK;
}
