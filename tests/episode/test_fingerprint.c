/* SPDX-License-Identifier: MIT */
/* Fingerprints: the same for one error, whatever its numbers are; others for others. */
#include "episode/failure/fingerprint.h"

#include "base/random.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cycles. */

/* An operation of a cycle, and its relation to the next one. */
typedef struct link {
    uint32_t thread, location;
    col_kind kind;
    col_relation relation;
} link;

enum { MOST_LINKS = 40 };

/* The shape of a cycle, told from its link `first`, with threads and locations renamed. */
static void shape_of(const link *links, uint32_t count, uint32_t first, const uint32_t *threads,
                     const uint32_t *locations, char shape[256]) {
    static col_operation operations[MOST_LINKS];
    static col_mention mentions[MOST_LINKS];
    static col_step steps[MOST_LINKS];
    uint32_t start[] = {0, count};
    const col_program program = {
        .thread_count = 1, .thread_start = start, .operations = operations};
    for (uint32_t i = 0; i < count; i++) {
        const link *l = &links[(first + i) % count];
        operations[i] =
            (col_operation){.kind = (uint8_t)l->kind, .location = locations[l->location]};
        mentions[i] = (col_mention){.operation = i, .thread = threads[l->thread]};
        steps[i] = (col_step){i, (i + 1) % count, l->relation, COL_NO_MENTION};
    }
    const col_violation violation = {
        .mentions = mentions, .mention_count = count, .steps = steps, .step_count = count};
    const epi_wrong wrong = {
        .outcome = COL_VIOLATION, .reason = "", .violation = &violation, .program = &program};
    assert_true(epi_shape(&wrong, shape, 256));
}

static const uint32_t same[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static void assert_shape(const link *links, uint32_t count, const char *expected) {
    char shape[256];
    shape_of(links, count, 0, same, same, shape);
    assert_string_equal(shape, expected);
}

TEST(fingerprints_of_cycles_have_kinds_and_relations) {
    static const link store_buffering[] = {{0, 0, COL_STORE, COL_PROGRAM_ORDER},
                                           {0, 1, COL_LOAD, COL_FROM_READ},
                                           {1, 1, COL_STORE, COL_PROGRAM_ORDER},
                                           {1, 0, COL_LOAD, COL_FROM_READ}};
    static const link message_passing[] = {{0, 0, COL_STORE, COL_PROGRAM_ORDER},
                                           {0, 1, COL_STORE, COL_READS_FROM},
                                           {1, 1, COL_LOAD, COL_FENCED},
                                           {1, 0, COL_LOAD, COL_FROM_READ}};
    static const link one_location[] = {{0, 0, COL_LOAD, COL_FROM_READ},
                                        {0, 0, COL_STORE, COL_SAME_LOCATION}};
    static const link two_locations[] = {{0, 0, COL_LOAD, COL_FROM_READ},
                                         {0, 1, COL_STORE, COL_SAME_LOCATION}};
    assert_shape(store_buffering, 4,
                 "violation: A: load x -fr-> B: store x -po-> B: load y -fr-> A: store y -po->");
    assert_shape(message_passing, 4,
                 "violation: A: load x -fence-> A: load y -fr-> B: store y -po-> B: store x -rf->");
    assert_shape(one_location, 2, "violation: A: load x -fr-> A: store x -po-loc->");
    assert_shape(two_locations, 2, "violation: A: load x -fr-> A: store y -po-loc->");
}

/* Writes in between do not make another kind: a chain of communication is one step. */
TEST(communication_is_one_step) {
    static const link direct[] = {{0, 0, COL_STORE, COL_READS_FROM},
                                  {1, 0, COL_LOAD, COL_PROGRAM_ORDER},
                                  {1, 1, COL_LOAD, COL_FROM_READ},
                                  {0, 1, COL_STORE, COL_PROGRAM_ORDER}};
    static const link longer[] = {
        {0, 0, COL_STORE, COL_COHERENCE},    {2, 0, COL_SWAP, COL_COHERENCE},
        {3, 0, COL_STORE, COL_READS_FROM},   {1, 0, COL_LOAD, COL_PROGRAM_ORDER},
        {1, 1, COL_LOAD, COL_FROM_READ},     {2, 1, COL_STORE, COL_COHERENCE},
        {0, 1, COL_STORE, COL_PROGRAM_ORDER}};
    static const link to_reads[] = {{0, 0, COL_LOAD, COL_FROM_READ},
                                    {1, 0, COL_STORE, COL_READS_FROM},
                                    {0, 0, COL_LOAD, COL_SAME_LOCATION}};
    static const link nothing_else[] = {{0, 0, COL_SWAP, COL_FROM_READ},
                                        {1, 0, COL_SWAP, COL_COHERENCE}};
    char one[256], other[256];
    shape_of(direct, 4, 0, same, same, one);
    shape_of(longer, 7, 0, same, same, other);
    assert_string_equal(one, other);
    assert_shape(to_reads, 3, "violation: A: load x -fr-rf-> A: load x -po-loc->");
    assert_shape(nothing_else, 2, "violation: A: swap x -co-> B: swap x -fr->");
}

static void shuffle(base_rng *rng, uint32_t *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i + 100;
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t k = (uint32_t)base_rng_below(rng, i), kept = numbers[i - 1];
        numbers[i - 1] = numbers[k];
        numbers[k] = kept;
    }
}

/* Whatever operation a cycle is told from, and however threads and locations are numbered. */
TEST(shapes_do_not_depend_on_names_or_beginning) {
    enum { ROUNDS = 3000, NAMES = 5 };
    base_rng rng;
    base_rng_seed(&rng, 3, 1);
    for (int round = 0; round < ROUNDS; round++) {
        link links[9];
        uint32_t threads[NAMES], locations[NAMES];
        char shape[256], again[256];
        const uint32_t count = 2 + (uint32_t)base_rng_below(&rng, 8);
        for (uint32_t i = 0; i < count; i++)
            links[i] =
                (link){(uint32_t)base_rng_below(&rng, NAMES), (uint32_t)base_rng_below(&rng, NAMES),
                       (col_kind)base_rng_below(&rng, COL_KIND_COUNT),
                       (col_relation)base_rng_below(&rng, COL_RELATION_COUNT)};
        shape_of(links, count, 0, same, same, shape);
        shuffle(&rng, threads, NAMES);
        shuffle(&rng, locations, NAMES);
        shape_of(links, count, (uint32_t)base_rng_below(&rng, count), threads, locations, again);
        assert_string_equal(shape, again);
    }
}

/* More steps than are named, and a text that does not fit. */
TEST(long_cycles_have_a_short_shape) {
    link links[MOST_LINKS];
    char shape[256], other[256];
    for (uint32_t i = 0; i < MOST_LINKS; i++)
        links[i] = (link){i % 10, i % 10, COL_STORE, i % 2 == 0 ? COL_COHERENCE : COL_FENCED};
    assert_shape(links, MOST_LINKS, "violation: a long cycle of fence co");
    shape_of(links, 30, 0, same, same, shape);
    assert_true(strlen(shape) < sizeof shape);
    links[29].kind = COL_SWAP; /* far behind what fits */
    shape_of(links, 30, 0, same, same, other);
    assert_string_not_equal(shape, other);
}

/* ---- Other failures. */

static void shape_of_reason(col_outcome outcome, const char *reason, char shape[256]) {
    static const col_duv_description design = {.name = "d"};
    const epi_wrong wrong = {.outcome = outcome, .reason = reason, .design = &design};
    assert_true(epi_shape(&wrong, shape, 256));
}

TEST(numbers_go_and_names_stay) {
    static const struct {
        col_outcome outcome;
        const char *reason, *shape;
    } cases[] = {
        {COL_VIOLATION, "core 3 may write block 0x40 while core 12 may still access it (cycle 99)",
         "violation: core # may write block # while core # may still access it (cycle #)"},
        {COL_VIOLATION, "a load of a12 returns 7, which nothing has written",
         "violation: a load of a# returns #, which nothing has written"},
        {COL_PROTOCOL_WRONG, "L1Cache 3 sends a RequestMsg over network 2 to L2Cache 0",
         "protocol-error: L1Cache # sends a RequestMsg over network # to L2Cache #"},
        {COL_DEADLOCKED,
         "no operation has completed since cycle 812; core 1 waits for block 0x40 since cycle 31; "
         "core 0 waits for block 0x80 since cycle 44; 5 more accesses wait; L2Cache 0 has no free "
         "TBE",
         "deadlock: L2Cache # has no free TBE; core # waits for block # since cycle #"},
        {COL_DEADLOCKED, "stuck after 7", "deadlock: stuck after #"},
        /* One hang is one kind, whoever waits longest for it, and whatever else waits. */
        {COL_DEADLOCKED,
         "no operation has completed since cycle 812; lost message: core 1 for 0x40 since cycle 31 "
         "-> L1Cache 1 with 0x40, which waits in IM for Data; no message for it is in flight; core "
         "1 waits for block 0x40 since cycle 31; L2Cache 0 has no free TBE",
         "deadlock: lost message: L1Cache # with #, which waits in IM for Data"},
        {COL_DEADLOCKED,
         "no operation has completed since cycle 7; lost message: core 2 for 0x80 since cycle 3 -> "
         "GetM for 0x80 in requests of Directory 0 -> L1Cache 0 with 0x80, which waits in IM for "
         "Data; no message for it is in flight; 4 more accesses wait",
         "deadlock: lost message: L1Cache # with #, which waits in IM for Data"},
        {COL_DEADLOCKED,
         "no operation has completed since cycle 7; lost message: core 2 for 0x80 since cycle 3 -> "
         "L2Cache 0 with 0x80, which waits in SS_MB -> L1Cache 0 with 0x80, which waits in IM; no "
         "message for them is in flight",
         "deadlock: lost message: L1Cache # with #, which waits in IM; L2Cache # with #, which "
         "waits in SS_MB"},
        {COL_DEADLOCKED,
         "no operation has completed since cycle 7; livelock: transitions go on; chain of waits: "
         "core 2 for 0x80 since cycle 3 -> GetM for 0x80 in requests of Directory 0",
         "deadlock: livelock: transitions go on; chain of waits: GetM for # in requests of "
         "Directory "
         "#"},
        {COL_STARVED,
         "core 2 waits for block 0x80 since cycle 4, for 500 cycles, while others are served; "
         "cycle "
         "of waits: Put for 0x40 in a of L1Cache 2 -> Fwd for 0x80 in b of L2Cache 0 -> the first "
         "again; L2Cache 0 has no free TBE",
         "starvation: cycle of waits: Fwd for # in b of L2Cache #; Put for # in a of L1Cache #"},
        {COL_STARVED,
         "core 1 waits for block 0x80; cycle of waits: Fwd for 0x80 in b of L2Cache 0 -> Put for "
         "0x40 in a of L1Cache 2 -> the first again",
         "starvation: cycle of waits: Fwd for # in b of L2Cache #; Put for # in a of L1Cache #"},
        {COL_CRASHED, "signal 11", "crash: signal #"},
        {COL_CRASHED, "", "crash: "},
    };
    char shape[256];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        shape_of_reason(cases[i].outcome, cases[i].reason, shape);
        assert_string_equal(shape, cases[i].shape);
    }
}

TEST(fingerprints_of_protocol_errors_have_their_place) {
    static const char *const states[] = {"I", "IS"}, *const events[] = {"Load", "Inv"};
    static const col_duv_names names[] = {
        {.state_count = 2, .event_count = 2, .states = states, .events = events}};
    static const col_duv_machine machines[] = {{.name = "L1Cache"}};
    col_duv_description design = {
        .name = "d", .machine_count = 1, .machines = machines, .names = names};
    col_event event = {.kind = COL_PROTOCOL_ERROR, .state = 1, .event = 1, .block = 64};
    const epi_wrong wrong = {.outcome = COL_PROTOCOL_WRONG,
                             .reason = "invalid transition in cycle 3",
                             .design = &design,
                             .event = &event};
    char shape[256];
    assert_true(epi_shape(&wrong, shape, sizeof shape));
    assert_string_equal(shape, "protocol-error: L1Cache in IS at Inv");
    event.state = 2; /* what the design has no name for */
    assert_true(epi_shape(&wrong, shape, sizeof shape));
    assert_string_equal(shape, "protocol-error: invalid transition in cycle #");
    event.state = 1;
    design.names = NULL;
    assert_true(epi_shape(&wrong, shape, sizeof shape));
    assert_string_equal(shape, "protocol-error: invalid transition in cycle #");
}

/* ---- Fingerprints. */

TEST(fingerprints_name_the_design_and_what_is_in_it) {
    col_fingerprint one, other;
    col_setting s = {.design = {.error = "/home/me/errors/D9.yaml", .options = "without=fifo"}};
    assert_true(epi_fingerprint("mesi3", &s, "crash: #", &one));
    assert_string_equal(one.text, "mesi3 without=fifo with D9.yaml, crash: #");
    assert_int_equal(strlen(one.hash), 16);
    s.design.error = "elsewhere/D9.yaml";
    assert_true(epi_fingerprint("mesi3", &s, "crash: #", &other));
    assert_string_equal(one.hash, other.hash);
    s.design = (col_duv_settings){.mutant = 7};
    assert_true(epi_fingerprint("mesi3", &s, "crash: #", &other));
    assert_string_equal(other.text, "mesi3 mutant 7, crash: #");
    assert_string_not_equal(one.hash, other.hash);
    /* It is written into files: it must not change from version to version. */
    assert_string_equal(other.hash, "51de3f234fc9135f");
}
