/* SPDX-License-Identifier: MIT */
/* Threads of a search: see crew.h. */
#include "explore/crew.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct member {
    struct crew *crew;
    uint32_t number;
    pthread_t thread;
} member;

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    /* Under the lock. */
    uint64_t round; /* of work; 0: none yet */
    uint32_t busy;  /* members that have not returned from it */
    bool is_over;
    void (*task)(void *context, uint32_t number);
    void *context;

    uint32_t count; /* with the caller, who is the first */
    member members[];
};

static void *follow(void *context) {
    const member *self = context;
    crew *c = self->crew;
    uint64_t done = 0;
    (void)pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->round == done && !c->is_over)
            (void)pthread_cond_wait(&c->begins, &c->lock);
        if (c->is_over)
            break;
        done = c->round;
        (void)pthread_mutex_unlock(&c->lock);
        c->task(c->context, self->number);
        (void)pthread_mutex_lock(&c->lock);
        if (--c->busy == 0)
            (void)pthread_cond_signal(&c->ends);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

crew *exp_crew_new(uint32_t count) {
    crew *c = calloc(1, sizeof *c + count * sizeof *c->members);
    if (c == NULL)
        return NULL;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->begins, NULL);
    (void)pthread_cond_init(&c->ends, NULL);
    for (c->count = 1; c->count < count; c->count++) {
        member *m = &c->members[c->count];
        *m = (member){.crew = c, .number = c->count};
        if (pthread_create(&m->thread, NULL, follow, m) != 0)
            break;
    }
    return c;
}

void exp_crew_free(crew *c) {
    if (c == NULL)
        return;
    (void)pthread_mutex_lock(&c->lock);
    c->is_over = true;
    (void)pthread_cond_broadcast(&c->begins);
    (void)pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 1; i < c->count; i++)
        (void)pthread_join(c->members[i].thread, NULL);
    (void)pthread_cond_destroy(&c->begins);
    (void)pthread_cond_destroy(&c->ends);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

void exp_crew_do(crew *c, void (*task)(void *context, uint32_t number), void *context) {
    (void)pthread_mutex_lock(&c->lock);
    c->task = task;
    c->context = context;
    c->busy = c->count - 1;
    c->round++;
    (void)pthread_cond_broadcast(&c->begins);
    (void)pthread_mutex_unlock(&c->lock);
    task(context, 0);
    (void)pthread_mutex_lock(&c->lock);
    while (c->busy > 0)
        (void)pthread_cond_wait(&c->ends, &c->lock);
    (void)pthread_mutex_unlock(&c->lock);
}
