/* SPDX-License-Identifier: MIT */
/* A look at the stores, as texts for the board. */
#ifndef WATCH_LOOK_H
#define WATCH_LOOK_H

#include "watch/board.h"
#include "watch/places.h"
#include "watch/watch.h"

/* The page and its data. */
col_status wch_look_at_results(const wch_settings *settings, const wch_places *places,
                               wch_board *board, col_problem *problem);
/* What runs; and `trouble`, what went wrong when the results were read last; "": nothing. */
col_status wch_look_at_running(const wch_places *places, const char *trouble, wch_board *board,
                               col_problem *problem);

#endif
