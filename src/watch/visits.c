/* SPDX-License-Identifier: MIT */
/* Who is connected: see visits.h. */
#include "watch/visits.h"

#include <stddef.h>
#include <sys/socket.h>

void wch_visits_open(wch_visits *visits) {
    (void)pthread_mutex_init(&visits->lock, NULL);
    for (int i = 0; i < WCH_MOST_VISITS; i++)
        visits->list[i].socket = -1;
}

void wch_visits_close(wch_visits *visits) {
    (void)pthread_mutex_destroy(&visits->lock);
}

wch_visit *wch_visits_begin(wch_visits *visits, int socket, double until) {
    wch_visit *visit = NULL;
    (void)pthread_mutex_lock(&visits->lock);
    for (int i = 0; i < WCH_MOST_VISITS && visit == NULL; i++)
        if (visits->list[i].socket < 0)
            visit = &visits->list[i];
    if (visit != NULL)
        *visit = (wch_visit){.socket = socket, .until = until};
    (void)pthread_mutex_unlock(&visits->lock);
    return visit;
}

void wch_visits_extend(wch_visits *visits, wch_visit *visit, double until) {
    if (visit == NULL)
        return;
    (void)pthread_mutex_lock(&visits->lock);
    visit->until = until;
    (void)pthread_mutex_unlock(&visits->lock);
}

void wch_visits_end(wch_visits *visits, wch_visit *visit) {
    if (visit == NULL)
        return;
    (void)pthread_mutex_lock(&visits->lock);
    visit->socket = -1;
    (void)pthread_mutex_unlock(&visits->lock);
}

void wch_visits_sweep(wch_visits *visits, double now) {
    (void)pthread_mutex_lock(&visits->lock);
    for (int i = 0; i < WCH_MOST_VISITS; i++)
        if (visits->list[i].socket >= 0 && visits->list[i].until < now)
            (void)shutdown(visits->list[i].socket, SHUT_RDWR);
    (void)pthread_mutex_unlock(&visits->lock);
}
