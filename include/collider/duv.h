/* SPDX-License-Identifier: MIT */
/*
 * The design under verification, as the rest of the tool sees it: load this program, run one
 * instance with this perturbation seed, tell this observer what happens, and report which coverage
 * points were hit. The built-in simulator is one such design. A plug-in is another: a shared object
 * that defines col_duv_plugin and needs only these headers (see examples/toy-design; docs/duv.md
 * says what is expected of it).
 */
#ifndef COLLIDER_DUV_H
#define COLLIDER_DUV_H

#include <collider/event.h>
#include <collider/geometry.h>
#include <collider/model.h>

COL_C_BEGIN

enum { COL_DUV_VERSION = 6 };

/* A kind of controller. Its points are the transitions that a controller of this kind can take. */
typedef struct col_duv_machine {
    const char *name;     /* "L1Cache": one word, like the names of states and events */
    uint32_t controllers; /* how many the design has */
    bool is_private;      /* controller i belongs to core i */
    uint32_t first_point, point_count;
} col_duv_machine;

typedef struct col_duv_point {
    const char *state, *event; /* a transition; the event is empty if the point is anything else */
    bool reachable;            /* known to be reachable; see reachable_known */
} col_duv_point;

/* What the numbers of states and events in COL_TRANSITION mean, for one machine. */
typedef struct col_duv_names {
    uint32_t state_count, event_count;
    const char *const *states, *const *events; /* names */
    const bool *empty; /* by state: the controller does not hold the block; may be NULL */
} col_duv_names;

/* A cell of a transition table, by the numbers of COL_TRANSITION. */
typedef struct col_duv_cell {
    uint32_t machine, state, event;
} col_duv_cell;

/* What a point may need that not every test provides: it is never hit without operations of this
 * kind, or while a cache level has room for all blocks (COL_NEEDS_REPLACEMENT is the bit of the
 * first level of the geometry; those of the other levels follow). Rows X(NAME, bit, words). */
#define COL_NEEDS(X)                                                                               \
    X(COL_NEEDS_LOADS, 0, "loads")                                                                 \
    X(COL_NEEDS_STORES, 1, "stores")                                                               \
    X(COL_NEEDS_ATOMICS, 2, "swaps or adds")                                                       \
    X(COL_NEEDS_FLUSHES, 3, "flushes")                                                             \
    X(COL_NEEDS_FENCES, 4, "fences of writes before reads")                                        \
    X(COL_NEEDS_OTHERS, 5, "requests that no test makes")                                          \
    X(COL_NEEDS_FETCHES, 6, "instruction fetches")                                                 \
    X(COL_NEEDS_DMA, 7, "accesses by DMA")                                                         \
    X(COL_NEEDS_PREFETCHES, 8, "prefetches")

enum {
#define COL_NEEDS_NAME(name, bit, words) name = 1 << (bit),
    COL_NEEDS(COL_NEEDS_NAME)
#undef COL_NEEDS_NAME
    /* Not a need: runs of this design have taken the point in these caches. If no point of a
     * design says so, nothing is known of that. */
    COL_TAKEN_HERE = 1 << 15,
    COL_NEEDS_REPLACEMENT = 1 << 16
};

/* Where a point is defined. */
typedef struct col_duv_source {
    const char *file; /* without its folder; NULL: not known */
    uint32_t line;
} col_duv_source;

/* What a design reveals of an execution. */
typedef enum col_shows {
    COL_SHOWS_EVENTS, /* loads and stores as they perform, in the order of memory */
    COL_SHOWS_READS,  /* what reads returned (COL_VALUE_RETURNED), and perhaps the final memory */
    COL_SHOWS_COUNT
} col_shows;

COL_API extern const char *const col_shows_names[COL_SHOWS_COUNT]; /* "events", "reads" */

/* What does not change while the design is open. Points are numbered machine by machine; a
 * functional point belongs to one controller: see col_duv_functional. (The numbers of states and
 * events in COL_TRANSITION are the design's own; machines and controllers have the numbers used
 * here.) */
typedef struct col_duv_description {
    const char *name;
    uint32_t cores;
    col_model model;       /* that it promises */
    col_geometry geometry; /* its caches, for address biasing */
    uint32_t machine_count, point_count;
    const col_duv_machine *machines;
    const col_duv_point *points;
    bool reachable_known;
    /* What it shows and accepts; 0 is right for most designs. */
    col_shows shows;
    bool varies;       /* the same program and seed do not always give the same execution */
    bool is_narrow;    /* its programs have words of 4 bytes instead of 8 */
    bool is_single;    /* several at once would disturb each other */
    bool merges;       /* it may report merged stores (COL_STORE_MERGED) */
    bool fetches;      /* its cores have an instruction side: it accepts COL_FETCH */
    bool prefetches;   /* its caches have a queue of prefetches: it accepts COL_PREFETCH */
    bool conditionals; /* store-conditionals may fail in it: it accepts COL_CONDITIONAL */
    bool dma;          /* it has DMA engines: it accepts COL_DMA_READ and COL_DMA_WRITE */
    bool draws;        /* bits 32 to 63 of a seed draw its configuration; a test keeps to one */
    bool executes;     /* it runs machine code: COL_FETCH and COL_PREFETCH, in no default mix */
    bool boots;        /* bits 32 to 63 of a seed are of the boot that an instance goes on from; a
                        * test keeps to one. Where the others are 0 it is the boot itself */
    uint32_t refuses;  /* kinds of operation that it does not accept: bit k for kind k */
    /* The tests that suit it, unless the user says otherwise; 0: no preference. */
    uint32_t least_operations, most_operations, instances;
    bool packs; /* in every other test, blocks hold several locations: see col_engine_settings */
    uint64_t window; /* programs use addresses below this; 0: any address */
    /* For the stories of failures; may be NULL: */
    const col_duv_names *names; /* of each machine */
    const col_duv_cell *edited; /* cells that a design error or a mutant has changed */
    uint32_t edited_count;
    /* For the holes in coverage; may be NULL: */
    const uint32_t *needs;         /* of each point, a set of COL_NEEDS_..., and COL_TAKEN_HERE */
    const col_duv_source *sources; /* of each point */
} col_duv_description;

/* What a design is opened with. */
typedef struct col_duv_settings {
    uint32_t cores;      /* 0: the design's choice */
    const char *options; /* a design's own, "key=value,key=value"; may be NULL */
    const char *error;   /* a design error to inject: of the library, or a file; may be NULL */
    uint32_t mutant;     /* the number of a mutant of its protocol, from 1; 0: none */
    const char *name;    /* the design's name as given to col_duv_open */
    bool own_process;    /* run it in a child process even if it does not ask for that */
    bool reads_only;     /* show what reads returned and no more, whatever it could show */
    const char *waves;   /* a file for waveforms of the last instance, in FST; NULL: none */
} col_duv_settings;

typedef enum col_run_end {
    COL_RUN_COMPLETE,
    COL_RUN_PROTOCOL_ERROR,
    COL_RUN_DEADLOCK,
    COL_RUN_INVARIANT, /* an invariant monitor of the design complained */
    COL_RUN_STOPPED,   /* `stop` asked for it */
    COL_RUN_CRASHED,   /* only designs in their own process */
    COL_RUN_TIMED_OUT,
    COL_RUN_STARVED, /* one access waits for too long while others are served */
    COL_RUN_END_COUNT
} col_run_end;

COL_API extern const char *const col_run_ends[COL_RUN_END_COUNT];

typedef struct col_run {
    col_run_end end;
    uint64_t cycles, operations; /* simulated time; operations that performed */
    char message[512];           /* unless complete: one sentence that says why */
} col_run;

/* What a design implements. Everything in an instance must follow from the program and the seed
 * alone, unless the description says that it varies. Several designs may be open at once, each used
 * by one thread at a time. */
typedef struct col_duv_interface {
    uint32_t version; /* COL_DUV_VERSION */
    const char *name;
    bool own_process; /* run it in a child process, with a time limit */
    col_status (*open)(void **state, const col_duv_settings *settings, col_problem *problem);
    void (*close)(void *state);
    const col_duv_description *(*describe)(void *state);
    /* The program does not change until the next one is loaded. */
    col_status (*load)(void *state, const col_program *program, col_problem *problem);
    /* One instance. Returns COL_OK also when the design fails: `run` says so. `observer` may be
     * NULL. If `stop` is not NULL, poll it: the run ends early once it is not 0. */
    col_status (*run)(void *state, uint64_t seed, const col_observer *observer,
                      const volatile int *stop, col_run *run, col_problem *problem);
    /* Adds to `hits` how often each functional point was hit since the last call. */
    void (*collect)(void *state, uint64_t *hits);
} col_duv_interface;

/* What a plug-in defines. */
COL_API extern const col_duv_interface col_duv_plugin;

/* The number of a functional point: machine by machine, then controller by controller, then point
 * by point. `point` is one of the machine's, numbered as in the description. */
COL_API uint32_t col_duv_functional(const col_duv_description *description, uint32_t machine,
                                    uint32_t controller, uint32_t point);
/* How many there are. */
COL_API uint32_t col_duv_functional_count(const col_duv_description *description);

/* ---- An open design. */

typedef struct col_duv col_duv;

/* `what` is a design's name, a design file, a protocol's file (.slicc, .sm), or a plug-in (.so).
 * `settings` may be NULL. */
COL_API col_status col_duv_open(col_duv **duv, const char *what, const col_duv_settings *settings,
                                col_problem *problem);
COL_API col_status col_duv_open_interface(col_duv **duv, const col_duv_interface *interface,
                                          const col_duv_settings *settings, col_problem *problem);
COL_API void col_duv_close(col_duv *duv);
COL_API const col_duv_description *col_duv_describe(const col_duv *duv);
/* The program must not change until the next one is loaded or the design is closed. */
COL_API col_status col_duv_load(col_duv *duv, const col_program *program, col_problem *problem);
COL_API col_status col_duv_run(col_duv *duv, uint64_t seed, const col_observer *observer,
                               const volatile int *stop, col_run *run, col_problem *problem);
COL_API void col_duv_collect(col_duv *duv, uint64_t *hits);

/* For designs in their own process: how many seconds they may take to answer, in particular to run
 * an instance; 0: no limit. The default is COL_DUV_LIMIT. */
enum { COL_DUV_LIMIT = 60 };
COL_API void col_duv_limit(col_duv *duv, double seconds);

/* For designs in their own process: a design that sends no events cannot notice a stop request, so
 * `stop` is also polled while waiting for it. Once it is not 0, the process has one second left.
 * May be NULL. */
COL_API void col_duv_interrupt(col_duv *duv, const volatile int *stop);

COL_C_END
#endif
