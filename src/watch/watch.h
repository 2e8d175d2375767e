/* SPDX-License-Identifier: MIT */
/*
 * A campaign, watched in a browser: the report's page, served over HTTP from stores that may be
 * growing, with the trials that are running. Nothing that a browser sends changes anything, and
 * nothing in an address names a file. docs/watching.md has the addresses and the promises.
 */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include "collider/problem.h"

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

#endif
