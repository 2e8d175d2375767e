/* SPDX-License-Identifier: MIT */
/* What a request must be to be answered. */
#ifndef WATCH_REQUEST_H
#define WATCH_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/* The Host of a request to us by a name that nobody else can make his own: this address, or one of
 * the machine itself. A page of another site that has its name point to us has its own there. */
bool wch_is_our_host(const char *host, const char *address, uint16_t port);

/* Takes the same time wherever they differ. */
bool wch_is_token(const char *said, const char *token);

/* The tag is in the list of an If-None-Match. */
bool wch_has_tag(const char *list, const char *tag);

#endif
