/* SPDX-License-Identifier: MIT */
/* The server: what is on a board, over HTTP, by a thread of its own. */
#ifndef WATCH_SERVER_H
#define WATCH_SERVER_H

#include "watch/board.h"
#include "watch/watch.h"

typedef struct wch_server wch_server;

/* Listens at settings->address and port. The board must have all its parts. */
col_status wch_server_start(wch_server **server, const wch_settings *settings, wch_board *board,
                            col_problem *problem);
/* The address for a browser; the server's. */
const char *wch_server_address(const wch_server *server);
/* Shuts out those whose requests or answers take too long; to be called now and then. */
void wch_server_sweep(wch_server *server, double now);
void wch_server_stop(wch_server *server);

#endif
