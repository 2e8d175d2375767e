/* SPDX-License-Identifier: MIT */
/*
 * Who is connected, and until when. libmicrohttpd bounds the time without a byte, so that a visitor
 * who sends one now and then keeps a place for ever; here a request, and an answer, have an end.
 */
#ifndef WATCH_VISITS_H
#define WATCH_VISITS_H

#include <pthread.h>

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

#endif
