/* SPDX-License-Identifier: MIT */
/* Watching: looks at the stores now and then, as often as it is cheap. See watch.h. */
#include "watch/watch.h"

#include "base/clock.h"
#include "base/problem.h"
#include "base/stop.h"
#include "watch/look.h"
#include "watch/server.h"

#include <string.h>
#include <time.h>

/* A look comes a second after the one before, and takes a tenth of the time at most. */
#define LEAST_SECONDS 1.0
#define COST_TIMES 10

typedef struct watching {
    const wch_settings *settings;
    wch_places places;
    wch_board board;
    uint64_t state; /* of what the results were read from */
    double next_results, next_running;
    char trouble[512];
} watching;

static double time_after(double start) {
    const double now = base_seconds(), pause = COST_TIMES * (now - start);
    return now + (pause > LEAST_SECONDS ? pause : LEAST_SECONDS);
}

static col_status find_places(watching *w, col_problem *problem) {
    wch_places_free(&w->places);
    const col_status status =
        wch_places_find(&w->places, w->settings->places, w->settings->place_count, problem);
    if (status == COL_OK && w->places.count == 0)
        return base_refuse(problem, "there is no store in %.300s", w->settings->places[0]);
    return status;
}

static col_status read_results(watching *w, col_problem *problem) {
    const double start = base_seconds();
    const uint64_t state = w->places.state;
    const col_status status = wch_look_at_results(w->settings, &w->places, &w->board, problem);
    w->next_results = time_after(start);
    if (status == COL_OK) /* what came meanwhile is read the next time */
        w->state = state;
    return status;
}

static col_status read_running(watching *w, col_problem *problem) {
    const double start = base_seconds();
    const col_status status = wch_look_at_running(&w->places, w->trouble, &w->board, problem);
    w->next_running = time_after(start);
    return status;
}

/* What goes wrong now may be right the next time: the page says it, and keeps what it has. */
static void look_again(watching *w) {
    col_problem problem = {0};
    const bool is_time = base_seconds() >= w->next_results;
    col_status status = find_places(w, &problem);
    if (status == COL_OK && w->places.state != w->state && is_time)
        status = read_results(w, &problem);
    if (status != COL_OK)
        (void)col_problem_text(&problem, w->trouble, sizeof w->trouble);
    else if (w->places.state == w->state)
        w->trouble[0] = '\0';
    (void)read_running(w, &problem);
}

static void watch(watching *w, wch_server *server) {
    const struct timespec moment = {.tv_nsec = 50000000};
    while (!base_is_stopped(w->settings->stop)) {
        (void)nanosleep(&moment, NULL);
        wch_server_sweep(server, base_seconds());
        if (base_seconds() >= w->next_running)
            look_again(w);
    }
}

col_status wch_serve(const wch_settings *settings, col_problem *problem) {
    watching w = {.settings = settings};
    wch_server *server = NULL;
    wch_board_open(&w.board);
    col_status status = find_places(&w, problem);
    if (status == COL_OK)
        status = read_results(&w, problem);
    if (status == COL_OK)
        status = read_running(&w, problem);
    if (status == COL_OK)
        status = wch_server_start(&server, settings, &w.board, problem);
    if (status == COL_OK) {
        settings->ready(settings->context, wch_server_address(server));
        watch(&w, server);
    }
    wch_server_stop(server);
    wch_board_close(&w.board);
    wch_places_free(&w.places);
    return status;
}
