/* SPDX-License-Identifier: MIT */
/* Results made by hand: what they say is read, whole files and signatures are taken, and all that
 * can be wrong with them has a sentence of its own. */
#include "design/isa/image.h"
#include "design/isa/image_results.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6 };

typedef struct made {
    col_program program;
    isa_platform platform;
    isa_image image;
    isa_results results;
    isa_ending ending;
    isa_reads reads;
    uint8_t *bytes;
} made;

static void put(made *m, uint64_t offset, uint64_t number, uint32_t bytes) {
    assert_true(offset + bytes <= m->image.maps[0].results.size);
    for (uint32_t i = 0; i < bytes; i++)
        m->bytes[offset + i] = (uint8_t)(number >> (8 * i));
}

static void set_record(made *m, uint32_t hart, isa_state state, uint64_t round) {
    const uint64_t at = (uint64_t)hart * ISA_RECORD_BYTES;
    put(m, at + ISA_RECORD_STATE, ISA_STATE_MARK + state, 8);
    put(m, at + ISA_RECORD_ROUND, round, 8);
    put(m, at + ISA_RECORD_IMAGE, m->image.maps[0].image, 8);
}

static uint64_t slot_at(const made *m, uint32_t operation, uint64_t round) {
    const isa_map *map = &m->image.maps[0];
    const isa_map_site *site = &map->sites[operation];
    return isa_map_log(map) + round * map->stride + map->threads[site->thread].log_offset +
           (uint64_t)site->slot * map->word_bytes;
}

static void set_read(made *m, uint32_t operation, uint64_t round, uint64_t word) {
    put(m, slot_at(m, operation, round),
        col_program_to_memory(&m->program, word) + isa_map_salt(&m->image.maps[0], round),
        m->image.maps[0].word_bytes);
}

/* All reads return the initial word, and final words are those of the stores. */
static made make(bool is_narrow) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                               "thread 0\n store a0 1\n load a1\n add a1 3\n"
                               "thread 1\n load a0\n await a0 1\n load a1\nend\n";
    static const uint32_t operations[] = {1, 2, 3, 4, 5};
    made m = {.program = COL_PROGRAM_EMPTY, .image = ISA_IMAGE_EMPTY};
    isa_image_settings settings;
    isa_image_default(&settings);
    settings.rounds = ROUNDS;
    assert_int_equal(isa_platform_open(&m.platform, "spike", NULL), COL_OK);
    assert_int_equal(col_program_read(&m.program, text, strlen(text), "test", NULL), COL_OK);
    m.program.is_narrow = is_narrow;
    assert_int_equal(isa_image_build(&m.image, &m.program, &m.platform, &settings, NULL), COL_OK);
    const isa_map *map = &m.image.maps[0];
    m.bytes = calloc(1, map->results.size);
    assert_non_null(m.bytes);
    set_record(&m, 0, ISA_STATE_DONE, ROUNDS - 1);
    set_record(&m, 1, ISA_STATE_DONE, ROUNDS - 1);
    for (uint64_t r = 0; r < ROUNDS; r++) {
        for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++)
            set_read(&m, operations[o], r, operations[o] == 4 ? 1 : 0);
        const uint64_t part = isa_map_log(map) + r * map->stride + map->finals_offset;
        put(&m, part, isa_map_salt(map, r) + 1, map->word_bytes);
        put(&m, part + map->word_bytes,
            isa_map_salt(map, r) +
                col_program_to_memory(&m.program, (uint64_t)(is_narrow ? 1 : 3) << 32),
            map->word_bytes);
    }
    return m;
}

static void open_results(made *m) {
    assert_int_equal(isa_results_open(&m->results, &m->image.maps[0], &m->program, m->bytes, NULL),
                     COL_OK);
    assert_int_equal(isa_results_ending(&m->results, &m->ending, NULL), COL_OK);
}

static void drop(made *m) {
    isa_results_close(&m->results);
    isa_reads_free(&m->reads);
    isa_image_free(&m->image);
    col_program_free(&m->program);
    free(m->bytes);
}

TEST(good_results_are_read) {
    for (int narrow = 0; narrow < 2; narrow++) {
        made m = make(narrow == 1);
        char sentence[320];
        open_results(&m);
        assert_string_equal(m.ending.sentence, "");
        assert_int_equal(m.ending.state, ISA_STATE_DONE);
        assert_int_equal(m.ending.rounds, ROUNDS);
        for (uint64_t r = 0; r < ROUNDS; r++) {
            assert_int_equal(isa_results_round(&m.results, r, &m.reads, NULL), COL_OK);
            assert_false(isa_reads_explain(&m.results, &m.reads, sentence, sizeof sentence));
            assert_int_equal(m.reads.operations[1].word, 0);
            assert_int_equal(m.reads.operations[4].word, 1);
            assert_int_equal(m.reads.finals[0].word, 1);
            assert_int_equal(m.reads.finals[1].word, (uint64_t)(narrow ? 1 : 3) << 32);
        }
        drop(&m);
    }
}

typedef struct told {
    uint32_t values, finals;
} told;

static void notice(void *context, const col_event *event) {
    told *t = context;
    t->values += event->kind == COL_VALUE_RETURNED;
    t->finals += event->kind == COL_FINAL_VALUE;
}

static void expect_wrong(made *m, uint64_t round, uint32_t values, const char *expected) {
    char sentence[320] = "";
    told t = {0};
    const col_observer observer = {.context = &t, .notice = notice};
    open_results(m);
    assert_int_equal(isa_results_round(&m->results, round, &m->reads, NULL), COL_OK);
    assert_true(isa_reads_explain(&m->results, &m->reads, sentence, sizeof sentence));
    assert_string_equal(sentence, expected);
    isa_reads_tell(&m->reads, &m->program, &observer);
    assert_int_equal(t.values, values);
    assert_int_equal(t.finals, 2);
    drop(m);
}

TEST(a_lost_value_is_named) {
    made m = make(false);
    put(&m, slot_at(&m, 3, 2), UINT64_MAX, 8);
    expect_wrong(&m, 2, 4,
                 "the value of thread 1, operation 0 (load a0) is missing from the log of round 3");
}

TEST(a_value_of_another_round_is_named) {
    for (int narrow = 0; narrow < 2; narrow++) {
        made m = make(narrow == 1);
        put(&m, slot_at(&m, 3, 4), isa_map_salt(&m.image.maps[0], 2) + 1,
            m.image.maps[0].word_bytes);
        expect_wrong(&m, 4, 5,
                     "thread 1, operation 0 (load a0) returned the value of thread 0, operation 0 "
                     "(store a0 1) of round 3 in round 5");
        m = make(narrow == 1);
        put(&m, slot_at(&m, 5, 4), isa_map_salt(&m.image.maps[0], 3), m.image.maps[0].word_bytes);
        expect_wrong(&m, 4, 5,
                     "thread 1, operation 2 (load a1) returned the initial value of round 4 in "
                     "round 5");
        m = make(narrow == 1);
        put(&m, slot_at(&m, 5, 4), 0xabcde, m.image.maps[0].word_bytes);
        expect_wrong(&m, 4, 5,
                     "thread 1, operation 2 (load a1) returned 0xabcde in round 5, which no round "
                     "ever left there");
    }
}

TEST(endings_have_sentences) {
    static const struct {
        isa_state states[2];
        uint64_t cause;
        const char *sentence;
        uint64_t rounds;
    } cases[] = {
        {{ISA_STATE_RUNNING, ISA_STATE_RUNNING},
         0,
         "the image did not come to its end: hart 0 was in round 4 of 6",
         2},
        {{ISA_STATE_ALONE, ISA_STATE_RUNNING},
         1,
         "hart 1 never arrived at the barrier in round 4",
         2},
        {{ISA_STATE_ALONE, ISA_STATE_NONE},
         1,
         "hart 1 never arrived at the barrier in round 4: it never started",
         0},
        {{ISA_STATE_RUNNING, ISA_STATE_ALONE}, 0, "the barrier never let hart 1 go in round 3", 2},
        {{ISA_STATE_RUNNING, ISA_STATE_GAVE_UP},
         0,
         "an await of thread 1 never saw its value in round 3",
         2},
        {{ISA_STATE_ALONE, ISA_STATE_TRAPPED},
         5,
         "hart 1 trapped in round 3: a load access fault (cause 0x5, value 0x123) at pc 0x77",
         2},
        {{ISA_STATE_NONE, ISA_STATE_NONE},
         0,
         "the image never started: hart 0 left nothing behind",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made m = make(false);
        for (uint32_t h = 0; h < 2; h++) {
            set_record(&m, h, cases[i].states[h], 3 - h);
            put(&m, (uint64_t)h * ISA_RECORD_BYTES + ISA_RECORD_CAUSE, cases[i].cause, 8);
            put(&m, (uint64_t)h * ISA_RECORD_BYTES + ISA_RECORD_PC, 0x77, 8);
            put(&m, (uint64_t)h * ISA_RECORD_BYTES + ISA_RECORD_VALUE, 0x123, 8);
        }
        open_results(&m);
        assert_string_equal(m.ending.sentence, cases[i].sentence);
        assert_int_equal(m.ending.rounds, cases[i].rounds);
        drop(&m);
    }
}

TEST(results_of_another_image_are_refused) {
    made m = make(false);
    col_problem problem = {0};
    open_results(&m);
    put(&m, ISA_RECORD_IMAGE, m.image.maps[0].image + 1, 8);
    assert_int_equal(isa_results_ending(&m.results, &m.ending, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "these are the results of another image");
    drop(&m);
}

/* What an ending says of its round is looked up in the log of that round. */
TEST(an_ending_in_a_round_that_there_is_not_is_refused) {
    static const uint64_t rounds[] = {ROUNDS, UINT64_C(1) << 40, UINT64_MAX};
    for (uint32_t s = ISA_STATE_RUNNING; s < ISA_STATE_COUNT; s++)
        for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
            made m = make(false);
            col_problem problem = {0};
            open_results(&m);
            set_record(&m, 1, (isa_state)s, rounds[i]);
            assert_int_equal(isa_results_ending(&m.results, &m.ending, &problem), COL_BAD_INPUT);
            assert_string_equal(problem.message, "these are the results of another image");
            drop(&m);
        }
}

/* ---- Files. */

static void expect_taken(const made *m, base_text *content) {
    assert_int_equal(base_text_status(content, NULL), COL_OK);
    assert_int_equal(isa_results_take(&m->image.maps[0], "file", content, NULL), COL_OK);
    assert_int_equal(content->length, m->image.maps[0].results.size);
    assert_memory_equal(content->data, m->bytes, m->image.maps[0].results.size);
    base_text_free(content);
}

TEST(files_hold_results_in_three_ways) {
    made m = make(false);
    const isa_window *window = &m.image.maps[0].results;
    base_text content = {0};
    base_text_add_bytes(&content, (const char *)m.bytes, window->size);
    expect_taken(&m, &content);

    m.image.maps[0].ram.size = 1 << 20; /* all of ram, of a small one */
    char *ram = calloc(1, 1 << 20);
    assert_non_null(ram);
    memcpy(ram + (window->base - m.image.maps[0].ram.base), m.bytes, window->size);
    base_text_add_bytes(&content, ram, 1 << 20);
    free(ram);
    expect_taken(&m, &content);

    for (size_t width = 4; width <= 16; width *= 2) { /* a signature, padded to whole lines */
        for (size_t at = 0; at < window->size; at += width) {
            for (size_t i = width; i > 0; i--)
                base_text_print(&content, "%02x",
                                at + i - 1 < window->size ? m.bytes[at + i - 1] : 0);
            base_text_add(&content, "\n");
        }
        expect_taken(&m, &content);
    }
    drop(&m);
}

TEST(files_of_another_size_are_refused) {
    made m = make(false);
    col_problem problem = {0};
    base_text content = {0};
    base_text_add(&content, "hello\n");
    assert_int_equal(isa_results_take(&m.image.maps[0], "log.bin", &content, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message,
                        "log.bin has 6 bytes, but the results have 1280 (from 0x80005940 on), and "
                        "ram has 268435456");
    base_text_free(&content);
    drop(&m);
}
