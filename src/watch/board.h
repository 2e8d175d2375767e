/* SPDX-License-Identifier: MIT */
/* What is served: a few texts, each replaced as a whole while answers that began with the old one
 * go on with it. */
#ifndef WATCH_BOARD_H
#define WATCH_BOARD_H

#include "base/text.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum wch_part {
    WCH_PAGE, /* the report's page */
    WCH_DATA, /* its data, as JSON */
    WCH_LIVE, /* what runs, as JSON */
    WCH_PART_COUNT
} wch_part;

enum { WCH_TAG = 24 };

typedef struct wch_sheet {
    base_text text;
    char tag[WCH_TAG]; /* of its bytes, in quotation marks: an entity tag of HTTP */
    atomic_uint uses;
} wch_sheet;

typedef struct wch_board {
    pthread_mutex_t lock;
    wch_sheet *sheets[WCH_PART_COUNT];
} wch_board;

void wch_board_open(wch_board *board);
void wch_board_close(wch_board *board);
/* Takes the text over. False: out of memory, and what was there stays. */
bool wch_board_put(wch_board *board, wch_part part, base_text *text);
/* NULL: there is none yet. To be released. */
wch_sheet *wch_board_take(wch_board *board, wch_part part);
void wch_sheet_release(wch_sheet *sheet);

#endif
