/* SPDX-License-Identifier: MIT */
/* The server: what is on a board, over HTTP, by a thread of its own. */
#ifndef RESULTS_WATCH_HTTP_SERVER_H
#define RESULTS_WATCH_HTTP_SERVER_H

#include "results/watch/watch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct wch_server wch_server;

/* Listens at settings->address and port. The board must have all its parts. */
col_status wch_server_start(wch_server **server, const wch_settings *settings, wch_board *board,
                            col_problem *problem);
/* The address for a browser; the server's. */
const char *wch_server_address(const wch_server *server);
/* Shuts out those whose requests or answers take too long; to be called now and then. */
void wch_server_sweep(wch_server *server, double now);
void wch_server_stop(wch_server *server);

/*
 * Who is connected, and until when. libmicrohttpd bounds the time without a byte, so that a visitor
 * who sends one now and then keeps a place for ever; here a request, and an answer, have an end.
 */

enum { WCH_MOST_VISITS = 64 };

typedef struct wch_visit {
    int socket; /* -1: nobody's place */
    double until;
} wch_visit;

typedef struct wch_visits {
    pthread_mutex_t lock;
    wch_visit list[WCH_MOST_VISITS];
} wch_visits;

void wch_visits_open(wch_visits *visits);
void wch_visits_close(wch_visits *visits);

/* NULL: there is no place left, and this one has no end. */
wch_visit *wch_visits_begin(wch_visits *visits, int socket, double until);
/* Something new begins, which has its own time. */
void wch_visits_extend(wch_visits *visits, wch_visit *visit, double until);
/* Before the socket is closed: its number may be another's afterwards. */
void wch_visits_end(wch_visits *visits, wch_visit *visit);
/* Shuts the sockets down whose time is over; whoever reads them closes them. */
void wch_visits_sweep(wch_visits *visits, double now);

/* What a request must be to be answered. */

/* The Host of a request to us by a name that nobody else can make his own: this address, or one of
 * the machine itself. A page of another site that has its name point to us has its own there. */
bool wch_is_our_host(const char *host, const char *address, uint16_t port);

/* Takes the same time wherever they differ. */
bool wch_is_token(const char *said, const char *token);

/* The tag is in the list of an If-None-Match. */
bool wch_has_tag(const char *list, const char *tag);

#endif
