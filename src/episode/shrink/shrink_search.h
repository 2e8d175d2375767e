/* SPDX-License-Identifier: MIT */
/*
 * Delta debugging of programs: parts are left out, large ones first, for as long as what remains
 * still fails. What failing means is the caller's; this knows programs alone, so it can be tried
 * with any predicate.
 */
#pragma once

#include "base/hash.h"
#include "base/random.h"
#include "collider/generate.h"
#include "collider/program.h"

typedef enum epi_answer { EPI_PASSES, EPI_FAILS, EPI_NO_ANSWER } epi_answer;

typedef struct epi_search {
    /* No answer: the time is up, or something went wrong; nothing is asked any more. */
    epi_answer (*ask)(void *context, const col_program *candidate);
    /* Tries the operations that are marked, as epi_search_keep; NULL: these alone. */
    bool (*keep)(struct epi_search *search, const bool *keeps);
    void *context;
    bool forward;     /* parts are left out from the first to the last, not the other way round */
    col_program best; /* the smallest that fails */
    bool over;
    col_status status; /* memory */
    col_problem problem;
    /* the search's own */
    col_program candidate, other;
    bool *keeps;
    base_index passed; /* asked before */
    size_t keeps_capacity;
} epi_search;

/* Set `ask`, `keep`, `context` and `forward`, the rest to 0, and begin with a program that fails.
 */
col_status epi_search_begin(epi_search *search, const col_program *program, col_problem *problem);
void epi_search_free(epi_search *search);

/* Notes what went wrong, which ends the search; true: nothing did. An operation that went well does
 * not undo an earlier note. */
bool epi_search_is_fine(epi_search *search, col_status status);

/* Asks about the operations that `keeps` marks, or about `search->candidate`, which must be a
 * sound program. True: it fails, and is the best now. */
bool epi_search_keep(epi_search *search, const bool *keeps);
bool epi_search_try(epi_search *search);

/* Leaves out threads, locations and operations, and makes operations weaker, until no single one
 * of these can be done any more (1-minimal). Returns whether anything could. */
bool epi_search_minimise(epi_search *search);

/* The smallest addresses with as few conflicts in the caches as possible. */
bool epi_search_addresses(epi_search *search, const col_geometry *geometry);

/* One text for programs that differ in names and in the order of threads alone, if it fails too. */
bool epi_search_canonical(epi_search *search);

/*
 * Climbing: among programs of one size, those that fail more often leave more to be left out. What
 * fails with one seed in a thousand cannot be made smaller by trial, because all that is smaller
 * seems to pass. So operations move, change, and are delayed while that makes the program fail more
 * often, then the one goes that is missed least, and so on.
 */

/* How often a program fails. */
typedef struct epi_rate {
    uint32_t failing, tried; /* seeds */
} epi_rate;

typedef struct epi_climb {
    /* With how many seeds of a batch the program fails; a batch has always the same ones. One that
     * fails is `shown`. Negative: nothing can be said any more. */
    int64_t (*count)(void *context, const col_program *program, uint64_t batch, uint32_t seeds,
                     uint64_t *shown);
    void *context;
    uint32_t seeds;     /* that a program is judged by; four times as many if few fail */
    uint64_t most_work; /* operations of all instances */
    uint64_t seed;
    col_program best;
    epi_rate rate;  /* of the best program */
    uint64_t shown; /* a seed that it fails with, if it is another one than at the beginning */
    bool over;
    col_status status; /* memory */
    col_problem problem;
    /* the climb's own */
    col_program candidate, second;
    bool *keeps;
    size_t keeps_capacity;
    base_rng rng;
    uint64_t set, work, failed; /* the seed that failed last */
} epi_climb;

/* Set the first group, the rest to 0, and begin with a program that fails. */
col_status epi_climb_begin(epi_climb *climb, const col_program *program, col_problem *problem);
void epi_climb_free(epi_climb *climb);

/* Ends when nothing was found for a while, or with the work. True: the best program is another one
 * now. Programs with awaits are left as they are: in another order these may wait for ever. */
bool epi_climb_run(epi_climb *climb);
