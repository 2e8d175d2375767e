/* SPDX-License-Identifier: MIT */
/*
 * A campaign, watched in a browser: the report's page, served over HTTP from stores that may be
 * growing, with the trials that are running. Nothing that a browser sends changes anything, and
 * nothing in an address names a file. docs/watching.md has the addresses and the promises.
 */
#ifndef RESULTS_WATCH_WATCH_H
#define RESULTS_WATCH_WATCH_H

#include "base/memory.h"
#include "base/text.h"
#include "collider/problem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct wch_settings {
    const char *const *places; /* stores, folders of stores, folders of episodes */
    uint32_t place_count;
    const char *plan, *title; /* as in rep_settings; NULL */
    const char *address;      /* numeric */
    uint16_t port;            /* 0: any that is free */
    const char *token;        /* that every request must have; NULL: none, on a loopback address */
    const volatile int *stop; /* not 0: the end */
    void (*ready)(void *context, const char *address); /* "http://127.0.0.1:8080/" */
    void *context;
} wch_settings;

/* An address that only this machine reaches. */
bool wch_is_loopback(const char *address);

/* Serves until it is stopped. Stores that cannot be read at the beginning are refused; later the
 * page keeps what it has and says what is wrong. */
col_status wch_serve(const wch_settings *settings, col_problem *problem);

/* What is served: a few texts, each replaced as a whole while answers that began with the old one
 * go on with it. */

typedef enum wch_part {
    WCH_PAGE, /* the report's page */
    WCH_DATA, /* its data, as JSON */
    WCH_LIVE, /* what runs, as JSON */
    WCH_PART_COUNT
} wch_part;

enum { WCH_TAG = 24 };

typedef struct wch_content {
    base_text text;
    char tag[WCH_TAG]; /* of its bytes, in quotation marks: an entity tag of HTTP */
    atomic_uint uses;
} wch_content;

typedef struct wch_board {
    pthread_mutex_t lock;
    wch_content *contents[WCH_PART_COUNT];
} wch_board;

void wch_board_open(wch_board *board);
void wch_board_close(wch_board *board);
/* Takes the text over. False: out of memory, and what was there stays. */
bool wch_board_put(wch_board *board, wch_part part, base_text *text);
/* NULL: there is none yet. To be released. */
wch_content *wch_board_take(wch_board *board, wch_part part);
void wch_content_release(wch_content *content);

/* The stores that are watched: those that were named, and those in folders that were named, which
 * may become more. */

typedef struct wch_places {
    const char **stores; /* or folders of episodes */
    uint32_t count;
    uint64_t state; /* of their files: another number after any of them was written to */
    base_arena arena;
    size_t capacity;
} wch_places;

/* Looks for them. Free also after an error. */
col_status wch_places_find(wch_places *places, const char *const *named, uint32_t count,
                           col_problem *problem);
void wch_places_free(wch_places *places);
/* A campaign may be writing to the store: it has a log. */
bool wch_is_written(const char *store);

/* A look at the stores, as texts for the board. */

/* The page and its data. */
col_status wch_read_results(const wch_settings *settings, const wch_places *places,
                            wch_board *board, col_problem *problem);
/* What runs; and `trouble`, what went wrong when the results were read last; "": nothing. */
col_status wch_read_running(const wch_places *places, const char *trouble, wch_board *board,
                            col_problem *problem);

#endif
