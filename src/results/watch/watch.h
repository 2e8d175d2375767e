/* SPDX-License-Identifier: MIT */
/*
 * A campaign, watched in a browser: the report's page, served over HTTP from stores that may be
 * growing, with the trials that are running. Nothing that a browser sends changes anything, and
 * nothing in an address names a file. docs/watching.md has the addresses and the promises.
 */
#pragma once

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

/* ---- The server: what is on a board, over HTTP, by a thread of its own. */

enum { WCH_MOST_VISITS = 64 };
typedef struct wch_server wch_server;

/* Listens at settings->address and port. The board must have all its parts. */
col_status wch_server_start(wch_server **server, const wch_settings *settings, wch_board *board,
                            col_problem *problem);
/* The address for a browser; the server's. */
const char *wch_server_address(const wch_server *server);
/* Shuts out those whose requests or answers take too long; to be called now and then. */
void wch_server_sweep(wch_server *server, double now);
void wch_server_stop(wch_server *server);

/* ---- What a request must be to be answered. */

/* The Host of a request to us by a name that nobody else can make his own: this address, or one of
 * the machine itself. A page of another site that has its name point to us has its own there. */
bool wch_is_our_host(const char *host, const char *address, uint16_t port);
/* Takes the same time wherever they differ. */
bool wch_is_token(const char *said, const char *token);
/* The tag is in the list of an If-None-Match. */
bool wch_has_tag(const char *list, const char *tag);
