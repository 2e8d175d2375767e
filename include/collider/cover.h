/* SPDX-License-Identifier: MIT */
/*
 * Coverage of a design's points. The structural metric counts transitions (machine, state, event)
 * whichever controller took them; the functional metric counts them for each controller. A set is
 * cumulative, also knows what the current test covered (its own coverage), and merges with other
 * sets of the same points. docs/coverage.md explains the figures.
 */
#ifndef COLLIDER_COVER_H
#define COLLIDER_COVER_H

#include <collider/duv.h>

COL_C_BEGIN

/* What a coverage point is; rows X(NAME, word). */
#define COL_METRICS(X)                                                                             \
    X(COL_STRUCTURAL, "structural") /* a transition, whichever controller took it */               \
    X(COL_FUNCTIONAL, "functional") /* a transition of one controller */

typedef enum col_metric {
#define COL_METRIC_NAME(name, word) name,
    COL_METRICS(COL_METRIC_NAME)
#undef COL_METRIC_NAME
        COL_METRIC_COUNT
} col_metric;

/* Their names, ended by NULL. */
COL_API extern const char *const col_metrics[COL_METRIC_COUNT + 1];

/* Since the set was made, or since the last col_coverage_begin. */
typedef enum col_scope { COL_CUMULATIVE, COL_OWN, COL_SCOPE_COUNT } col_scope;

/* How much is covered: of all defined points, and of those known to be reachable. A functional
 * point counts as reachable if its transition does. */
typedef struct col_covered {
    uint32_t covered, total;
    double fraction; /* 0 if there are no points */
    bool reachable_known;
    uint32_t reached, reachable; /* 0 unless it is known, like the fields below */
    double reached_fraction;
    uint32_t unexpected; /* covered, but not known to be reachable: the list is incomplete */
} col_covered;

/* Points that were covered for the first time. */
typedef struct col_gain {
    uint32_t points[COL_METRIC_COUNT];
} col_gain;

typedef struct col_coverage col_coverage;

/* An empty set of the design's points. The description is not needed afterwards. */
COL_API col_status col_coverage_new(col_coverage **coverage, const col_duv_description *description,
                                    col_problem *problem);
COL_API void col_coverage_free(col_coverage *coverage);

/* A test begins: nothing is its own yet. */
COL_API void col_coverage_begin(col_coverage *coverage);

/* Takes the hits of col_duv_collect, one number for each functional point, and resets them to 0 for
 * the next collection. */
COL_API col_gain col_coverage_add(col_coverage *coverage, uint64_t *hits);

/* Which of the needs of points (col_duv_description.needs) the tests met; calls add up. A point
 * with any other need cannot be reached here: by these tests, in these caches. */
COL_API void col_coverage_bring(col_coverage *coverage, uint32_t brought);
COL_API uint32_t col_coverage_brought(const col_coverage *coverage);

/* Of one machine, or of all of them. A machine without controllers has no points to cover. */
enum { COL_ALL_MACHINES = UINT32_MAX };
COL_API col_covered col_coverage_of(const col_coverage *coverage, col_scope scope,
                                    col_metric metric, uint32_t machine);

/* Of the points that are not ruled out here: reachable in the protocol as far as is known, and
 * without a need that no test met. The shape of the caches may rule out more. */
typedef struct col_here {
    bool known; /* the points' needs are known; otherwise no point is left out for its needs */
    uint32_t covered, total;
    double fraction;
} col_here;
COL_API col_here col_coverage_here(const col_coverage *coverage, col_metric metric,
                                   uint32_t machine);

/* Of the points that are known to be reachable here: these tests took them, or earlier ones did in
 * the same caches (COL_TAKEN_HERE) and had no need that no test met. Not known: nobody said so. */
COL_API col_here col_coverage_known_here(const col_coverage *coverage, col_metric metric,
                                         uint32_t machine);

/* A structural point, by its number; texts belong to the set. */
typedef struct col_point_facts {
    const char *machine, *state, *event;
    uint32_t machine_number;
    uint64_t hits;
    bool counts;      /* the design has controllers of its machine */
    bool reachable;   /* in the protocol, or that is not known */
    uint32_t unmet;   /* what it needs that no test brought, a set of COL_NEEDS_... */
    const char *file; /* where it is written; NULL: not known */
    uint32_t line;
} col_point_facts;
/* False: there are no more. */
COL_API bool col_coverage_point(const col_coverage *coverage, uint32_t point,
                                col_point_facts *facts);

/* The name of a level of the design's caches, as COL_NEEDS_REPLACEMENT counts them; NULL: there are
 * no more. */
COL_API const char *col_coverage_level(const col_coverage *coverage, uint32_t level);

/* The design that the points belong to. */
COL_API const char *col_coverage_design(const col_coverage *coverage, uint32_t *cores);

/* The name of a machine; NULL: there are no more. */
COL_API const char *col_coverage_machine(const col_coverage *coverage, uint32_t machine);

/* Points have the numbers of the description, functional ones those of col_duv_functional. */
COL_API bool col_coverage_has(const col_coverage *coverage, col_scope scope, col_metric metric,
                              uint32_t point);

/* How often each point has been hit; the numbers saturate. */
COL_API const uint64_t *col_coverage_hits(const col_coverage *coverage, col_metric metric);

/* How often the current test has hit each structural point. */
COL_API const uint64_t *col_coverage_own_hits(const col_coverage *coverage);

/* All covered points, in the order in which they were first covered: the last gain.points[metric]
 * of them are those of the last gain. */
COL_API const uint32_t *col_coverage_order(const col_coverage *coverage, col_metric metric,
                                           uint32_t *count);

/* A hash of the names of machines and points and the numbers of controllers, independent of their
 * order: sets with the same hash have the same points. */
COL_API col_hash col_coverage_points(const col_coverage *coverage);

/* Adds the points and hits of another set of the same points; `gain` may be NULL. As sets, merging
 * is commutative, associative and idempotent; hits add up. Nothing becomes the test's own. */
COL_API col_status col_coverage_merge(col_coverage *coverage, const col_coverage *other,
                                      col_gain *gain, col_problem *problem);

/* The text form: reading merges the file into the set, or leaves the set unchanged if something is
 * wrong. */
COL_API col_status col_coverage_read(col_coverage *coverage, const char *text, size_t length,
                                     const char *file, col_problem *problem);
COL_API col_status col_coverage_read_file(col_coverage *coverage, const char *path,
                                          col_problem *problem);
/* The file also lists the points, so that `collider coverage` can read it without the design. */
COL_API col_status col_coverage_write_file(const col_coverage *coverage, const char *path,
                                           col_problem *problem);

/* ---- Transition coverage of locations (the thesis's TC(v, L)): of all transitions of a level, how
 * many the controller of core i took for the block of location a, in all tests of a scenario v. */

typedef struct col_location_coverage col_location_coverage;

COL_API col_status col_location_coverage_new(col_location_coverage **coverage,
                                             const col_duv_description *description,
                                             col_problem *problem);
COL_API void col_location_coverage_free(col_location_coverage *coverage);

/* A scenario begins: tests with this number of locations. */
COL_API col_status col_location_coverage_begin(col_location_coverage *coverage, uint32_t locations,
                                               col_problem *problem);

/* A test of the scenario: from here on events are about its address map. */
COL_API col_status col_location_coverage_load(col_location_coverage *coverage,
                                              const col_program *program, col_problem *problem);

/* The observer for its instances. Handling an event allocates no memory. */
COL_API col_observer col_location_coverage_observer(col_location_coverage *coverage);

/* The distribution over locations and cores (of a shared level: over locations): how many pairs
 * took k different transitions, for k from 0 to the machine's number of points. Valid until the
 * next call; distributions of several scenarios may be added up. */
COL_API const uint64_t *col_location_coverage_distribution(col_location_coverage *coverage,
                                                           uint32_t machine);

/* Transitions that cannot be points of the design: of machines or controllers that it did not
 * describe, or more different transitions than it described. They are not counted above. */
COL_API uint64_t col_location_coverage_unknown(const col_location_coverage *coverage);

/* As fractions of `transitions`, interpolated between neighbours in the sorted list of values. */
typedef struct col_quartiles {
    double low, median, high;
} col_quartiles;

/* Of a distribution over 0 to `transitions`; all 0 if it is empty. */
COL_API col_quartiles col_quartiles_of(const uint64_t *distribution, uint32_t transitions);

COL_C_END
#endif
