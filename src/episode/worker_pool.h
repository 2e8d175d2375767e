/* SPDX-License-Identifier: MIT */
/*
 * Workers run instances: each has its own design and its own judge, so that
 * an instance depends on nothing but the program and its seed, whichever worker
 * runs it.
 */
#pragma once

#include "base/clock.h"
#include "base/text.h"
#include "cover/coverage.h"
#include "episode/episode_judge.h"

/* A performed load or store, or a value that was returned or held at the end, as witnesses need it.
 */
typedef struct epi_event {
    uint32_t operation, core;
    uint64_t word, overwritten, read;
    uint8_t kind, source;
} epi_event;

/* What came of an instance. */
typedef struct epi_instance {
    uint64_t seed;
    col_outcome outcome;
    uint64_t cycles, operations;
    char reason[512];  /* unless it passed */
    char shape[256];   /* likewise: what went wrong without numbers, for its fingerprint */
    col_duv_cell cell; /* of a protocol error, */
    bool has_cell;     /* if the design has told it */
    struct epi_known_bug *waived; /* the caller's note: the known bug that it is of; NULL: none */
    bool counts_hits;             /* of functional points; those that were hit, in rising order */
    cov_hit *hits;
    size_t hit_count, hit_capacity;
    bool breaks_model; /* a violation that the judge saw, not an invariant of the design */
    bool of_reads;     /* its events are in no order, and stores are not among them */
    bool is_undecided; /* it passed because judging it would have taken too long */
    col_run_end end;   /* as the design said */
    bool keeps_events; /* for a witness */
    epi_event *events;
    size_t event_count, event_capacity;
    char *output; /* unless it passed: the end of what the design printed; may be NULL */
    bool done;    /* false: a stop, or an instance before it that failed, came first
                   */
    col_status status;
    col_problem problem; /* unless the status is COL_OK */
} epi_instance;

/* Frees what it kept; it can be run again. */
void epi_instance_free(epi_instance *instance);

enum { EPI_WATCHERS = 3 };
enum { EPI_OUTPUT = 1 << 16 }; /* bytes that are kept of what a design prints */

typedef struct epi_worker {
    col_duv *duv;
    bool is_borrowed; /* the design is another worker's */
    epi_judge judge;
    const col_observer *also[EPI_WATCHERS]; /* get everything, too; may be NULL */
    const volatile int *stops[2];           /* from outside, not 0: end the instance; may be NULL */
    volatile int ended;                     /* the judge has seen enough, or one of these */
    base_timer *timer;                      /* the first of these is its; NULL: nobody's */
    const col_program *program;             /* that is loaded */
    const epi_instance *retold; /* its events come instead of a run of the design; NULL: none */
    col_event wrong;            /* of the instance: the first event of an error, if there is one */
    bool has_wrong;
    epi_instance *instance; /* the one under way */
    base_text output;       /* that it printed; only the end of it */
    uint64_t *hits;         /* of each functional point, all 0 between instances */
} epi_worker;

col_event epi_event_told(const epi_event *event);
/* What it says that a read returned; false: its operation reads nothing. */
bool epi_event_reads(const col_program *program, const epi_event *event, uint64_t *word);

/* The setting was read (episode_judge.h). */
col_status epi_worker_open(epi_worker *worker, const col_setting *setting, col_problem *problem);
void epi_worker_close(epi_worker *worker);
/* From now on the timer ends instances, even of a design that shows no events, and judging. It must
 * outlive the worker. */
col_status epi_worker_time(epi_worker *worker, base_timer *timer, col_problem *problem);
col_status epi_worker_load(epi_worker *worker, const col_program *program, col_problem *problem);

/* What is under way when the time is up may take a little longer, which is still within what
 * docs/cli.md allows: seconds until it is ended, given what is left of the budget. */
static inline double epi_overtime(double budget, double left) {
    static const double share = 0.05, least = 0.5;
    return (left > 0 ? left : 0) + (budget * share > least ? budget * share : least);
}

/* The seed, or for a design that draws its configuration or boots, one of the same as `of`. */
static inline uint64_t epi_seed_like(const col_duv_description *design, uint64_t seed,
                                     uint64_t of) {
    return design->draws || design->boots ? (of & ~(uint64_t)UINT32_MAX) | (seed & UINT32_MAX)
                                          : seed;
}

/* Runs the instance with this seed; the rest of it is filled in. */
void epi_worker_run(epi_worker *worker, epi_instance *instance);

/* Likewise; but an instance that passes on a design that varies is run again, with other seeds,
 * until one fails, `most` were run, or it is stopped. Returns how many were run. */
uint64_t epi_worker_run_on(epi_worker *worker, epi_instance *instance, uint64_t most);

/* ---- Several at once. */

typedef struct epi_pool epi_pool;
col_status epi_pool_new(epi_pool **pool, const col_setting *setting, uint32_t jobs,
                        base_timer *timer, col_problem *problem);
void epi_pool_free(epi_pool *pool);
const col_duv_description *epi_pool_describe(const epi_pool *pool);
/* A design of the pool's; it is not run while no test is under way. */
col_duv *epi_pool_design(const epi_pool *pool);

/* How many tests should be under way so that every worker always has one: 1 unless tests can be
 * made ahead of the results of others. A design that runs several programs in one start has all of
 * those under way, and with several jobs as many again, to be there when a start is over. */
uint32_t epi_pool_tests(const epi_pool *pool, bool is_ahead);

/* Do the design and its judge take the program? Before the first test. */
col_status epi_pool_check(epi_pool *pool, const col_program *program, col_problem *problem);

typedef enum epi_making { EPI_MADE, EPI_TO_BE_MADE, EPI_BEING_MADE } epi_making;

/* A program with its instances. Below `is_begun` all is the pool's. */
typedef struct epi_test {
    col_program program;
    col_point point;
    epi_instance *instances;
    uint32_t room, count; /* of instances: that there could be, that there are */
    bool ends_at_failure; /* no instance after the first that fails is done */
    bool is_begun;        /* the caller's note that it is in the queue */
    void *plan;           /* the caller's, from which the program is made */
    uint32_t needs;       /* of coverage points that it meets, likewise */

    struct epi_test *behind;
    const void *owner; /* the worker that has all of it; NULL: anyone */
    uint64_t number;
    epi_making making;
    uint32_t next;         /* to be handed out */
    uint32_t first_failed; /* `count`: none so far */
    uint32_t running;
    bool is_dropped;
    col_status status;
    col_problem problem;
} epi_test;

/* Queues a test: its instances run side by side with each other and with those of other tests. It
 * stays where it is until it was waited for or dropped. */
void epi_pool_begin(epi_pool *pool, epi_test *test);
col_status epi_pool_wait(epi_pool *pool, epi_test *test, col_problem *problem);
/* Until one of them is over; with several jobs. */
void epi_pool_wait_either(epi_pool *pool, const epi_test *test, const epi_test *other);
bool epi_pool_is_over(epi_pool *pool, const epi_test *test);
/* What came of it is of no use. */
void epi_pool_drop(epi_pool *pool, epi_test *test);

/* What makes a test's program before its first instance runs, on the worker that runs it: programs
 * are made side by side, too. `maker` is the number of that worker; that of the caller's thread is
 * the number of jobs. */
typedef struct epi_preparation {
    col_status (*prepare)(void *context, epi_test *test, uint32_t maker, col_problem *problem);
    void *context;
} epi_preparation;

/* From the next test on. Without, programs are there when tests begin. */
void epi_pool_prepare_by(epi_pool *pool, epi_preparation preparation);
uint32_t epi_pool_jobs(const epi_pool *pool);
/* Its program is there when this returns. */
col_status epi_pool_make(epi_pool *pool, epi_test *test, col_problem *problem);

/* Begins a test and waits for it. */
col_status epi_pool_run(epi_pool *pool, const col_program *program, epi_instance *instances,
                        uint32_t count, bool ends_at_failure, col_problem *problem);
