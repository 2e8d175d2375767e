/* SPDX-License-Identifier: MIT */
/* An open engine, for the files that hand out its tests (engine.c) and save it (engine_file.c). */
#pragma once

#include "engine/engine.h"
#include "engine/feedback.h"

typedef struct dir_learning {
    uint64_t place, number;
} dir_learning;

struct col_engine {
    const dir_engine *kind; /* of the table, or a plug-in's own */
    bool is_plugin;
    void *state;
    col_engine_settings settings; /* its texts are those below */
    char *mix, *options;          /* as they were given; may be NULL */
    bool is_restored;             /* `kept` is what the next test follows */
    dir_kept_feedback kept;
    /* Tests that were handed out, and those of which the engine was told what came; between them
     * are those under way, each at its number modulo `room`. Once restored it hands out again what
     * did not count: tests from `again` on. */
    uint64_t handed, told, again;
    dir_test *under_way;
    const dir_test *last; /* that was handed out */
    uint32_t room, window;
    dir_test *ahead; /* of an engine whose tests are independent: chosen one after the other */
    uint32_t ahead_room, ahead_next;
    dir_test spare; /* in which the next one is chosen */
    /* Of an engine with a lag: tests of which it has not learned, by their places; those of them
     * that count already; and the hits that it was told of last, if it is told by feedback. */
    dir_learning *order;
    uint32_t order_count;
    dir_test *waiting;
    uint32_t waiting_count;
    bool is_reserved;
    uint64_t *hits, total;
};

/* What came of the last test: until a restored engine hands one out, that is in its file. Not if
 * the file's is older: a test that was under way when the engine was saved was run again. */
const col_feedback *dir_engine_latest(const col_engine *engine, const col_feedback *feedback);

/* Of an engine with a lag: it is to learn of the test, in its place. */
void dir_engine_add_learning(col_engine *e, const dir_test *test);

/* Makes room for this many tests under way, while there are none. */
col_status dir_engine_make_room(col_engine *engine, uint32_t tests, col_problem *problem);
