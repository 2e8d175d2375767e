/* SPDX-License-Identifier: MIT */
/* What is served: see board.h. */
#include "watch/board.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>

void wch_board_open(wch_board *board) {
    *board = (wch_board){0};
    (void)pthread_mutex_init(&board->lock, NULL);
}

void wch_board_close(wch_board *board) {
    for (int i = 0; i < WCH_PART_COUNT; i++)
        wch_sheet_release(board->sheets[i]);
    (void)pthread_mutex_destroy(&board->lock);
}

static wch_sheet *make_sheet(base_text *text) {
    wch_sheet *sheet = text->failed ? NULL : calloc(1, sizeof *sheet);
    if (sheet == NULL)
        return NULL;
    const XXH64_hash_t hash = text->length == 0 ? 0 : XXH3_64bits(text->data, text->length);
    (void)snprintf(sheet->tag, sizeof sheet->tag, "\"%016llx\"", (unsigned long long)hash);
    sheet->text = *text;
    atomic_init(&sheet->uses, 1);
    *text = (base_text){0};
    return sheet;
}

bool wch_board_put(wch_board *board, wch_part part, base_text *text) {
    wch_sheet *sheet = make_sheet(text);
    if (sheet == NULL)
        return false;
    (void)pthread_mutex_lock(&board->lock);
    wch_sheet *old = board->sheets[part];
    board->sheets[part] = sheet;
    (void)pthread_mutex_unlock(&board->lock);
    wch_sheet_release(old);
    return true;
}

wch_sheet *wch_board_take(wch_board *board, wch_part part) {
    (void)pthread_mutex_lock(&board->lock);
    wch_sheet *sheet = board->sheets[part];
    if (sheet != NULL)
        (void)atomic_fetch_add(&sheet->uses, 1);
    (void)pthread_mutex_unlock(&board->lock);
    return sheet;
}

void wch_sheet_release(wch_sheet *sheet) {
    if (sheet == NULL || atomic_fetch_sub(&sheet->uses, 1) != 1)
        return;
    base_text_free(&sheet->text);
    free(sheet);
}
