/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Images of several programs: their parts do not meet, each has its own map and its own words, and
 * under QEMU every one runs all its rounds, whatever its number of threads, up to one that fails or
 * traps.
 */
#include "gnu.h"
#include "harness.h"

#include <stdio.h>
#include <string.h>

static const char *const targets[] = {"rv64", "rv32", "aarch64", "x86-64"};
static const char *const presets[] = {"qemu-riscv64", "qemu-riscv32", "qemu-aarch64",
                                      "qemu-x86_64"};
enum { TARGETS = sizeof targets / sizeof targets[0], MOST = 64 };

typedef struct several {
    isa_platform platform;
    isa_image_settings settings;
    col_program programs[MOST];
    const col_program *list[MOST];
    uint32_t count;
    isa_image image;
    col_problem problem;
} several;

static void begin(several *s, const isa_platform *platform) {
    memset(s, 0, sizeof *s);
    s->image = (isa_image)ISA_IMAGE_EMPTY;
    s->platform = *platform;
    isa_image_default(&s->settings);
}

static col_program *add(several *s) {
    col_program *program = &s->programs[s->count];
    *program = (col_program)COL_PROGRAM_EMPTY;
    s->list[s->count++] = program;
    return program;
}

static void add_text(several *s, const char *rest) {
    char text[1000];
    snprintf(text, sizeof text, "collider program 1\nword %u\n%s",
             s->platform.target->word_sizes == 4 ? 4U : 8U, rest);
    read_text(add(s), text);
}

static void build(several *s) {
    if (isa_image_build_all(&s->image, s->list, s->count, &s->platform, &s->settings,
                            &s->problem) != COL_OK)
        fail_msg("%s", s->problem.message);
    assert_int_equal(s->image.map_count, s->count);
}

static void end(several *s) {
    isa_image_free(&s->image);
    for (uint32_t p = 0; p < s->count; p++)
        col_program_free(&s->programs[p]);
}

/* ---- Layout. */

static void parts_do_not_meet(const several *s) {
    uint64_t at = s->image.data.base + s->image.data.size;
    uint64_t code = s->image.load;
    for (uint32_t p = 0; p < s->count; p++) {
        const isa_map *map = &s->image.maps[p];
        assert_int_equal(map->results.base, at);
        at += map->results.size;
        for (uint32_t t = 0; t < map->thread_count; t++) {
            assert_true(map->threads[t].entry >= code);
            code = map->threads[t].entry;
        }
        for (uint32_t o = 0; o < map->site_count; o++) {
            assert_true(map->sites[o].pc >= map->threads[0].entry);
            if (p + 1 < s->count)
                assert_true(map->sites[o].pc < map[1].threads[0].entry);
        }
        assert_int_equal(map->all.base, s->image.maps[0].results.base);
    }
    assert_true(code < s->image.load + s->image.code.size);
    assert_int_equal(at, s->image.maps[0].all.base + s->image.maps[0].all.size);
    assert_true(at <= s->image.memory);
}

/* Words of any two rounds, of one program or of two, have no value in common: their salts are
 * further apart than values reach. */
static void words_do_not_meet(const several *s) {
    const isa_map *maps = s->image.maps;
    uint64_t last = 0;
    for (uint32_t p = 0; p < s->count; p++)
        for (uint64_t r = 0; r < maps[p].rounds; r++) {
            const uint64_t salt = isa_map_salt(&maps[p], r);
            assert_true(salt >= last + maps[p].salt_step);
            last = salt;
            for (uint32_t o = 0; o < col_program_operations(&s->programs[p]); o++)
                if (col_kinds[s->programs[p].operations[o].kind].writes)
                    assert_true(s->programs[p].operations[o].value < maps[p].salt_step);
        }
}

static void every_program_finds_its_part_of_the_map(several *s) {
    base_text text = {0};
    assert_int_equal(isa_image_bytes(&s->image, s->list, ISA_IMAGE_MAP, 8, &text, NULL), COL_OK);
    for (uint32_t p = 0; p < s->count; p++) {
        const isa_map *map = &s->image.maps[p];
        isa_map read = ISA_MAP_EMPTY;
        if (isa_map_parse(&read, text.data, text.length, "map.json", &s->programs[p],
                          &s->problem) != COL_OK)
            fail_msg("%s", s->problem.message);
        assert_int_equal(read.results.base, map->results.base);
        assert_int_equal(read.results.size, map->results.size);
        assert_int_equal(read.all.base, map->all.base);
        assert_int_equal(read.all.size, map->all.size);
        assert_int_equal(isa_map_part(&read), map->results.base - map->all.base);
        assert_int_equal(read.threads[0].entry, map->threads[0].entry);
        assert_int_equal(isa_map_salt(&read, 3), isa_map_salt(map, 3));
        isa_map_free(&read);
    }
    base_text_free(&text);
}

TEST(as_many_as_there_may_be_fit) {
    static several s;
    for (int t = 0; t < TARGETS; t++) {
        isa_platform platform;
        char text[200];
        assert_int_equal(isa_platform_open(&platform, presets[t], NULL), COL_OK);
        begin(&s, &platform);
        s.settings.rounds = 20;
        for (unsigned p = 0; p < MOST; p++) {
            snprintf(text, sizeof text,
                     "location a0 0x%x\nthread 0\n store a0 %u\n%sload a0\n%send\n", p * 64, p + 1,
                     p % 3 == 0 ? "thread 1\n" : "", p % 5 == 0 ? "thread 2\nload a0\n" : "");
            if (p % 5 == 0 && p % 3 != 0) /* threads are numbered in order */
                snprintf(text, sizeof text,
                         "location a0 0x%x\nthread 0\n store a0 %u\nthread 1\nthread 2\n load "
                         "a0\nend\n",
                         p * 64, p + 1);
            add_text(&s, text);
        }
        build(&s);
        parts_do_not_meet(&s);
        words_do_not_meet(&s);
        every_program_finds_its_part_of_the_map(&s);
        end(&s);
    }
}

/* ---- Runs. */

/* A baton passes through awaits, so that every read has one value that it can return: that of the
 * program, not of the one before. */
static void add_baton(several *s, unsigned threads, unsigned value) {
    /* What one program executes, another one stores to. */
    const unsigned bytes = s->platform.target->word_sizes == 4 ? 4 : 8;
    const unsigned a0 = 0x40 + value / 10 % 2 * bytes, a1 = a0 + 0x40;
    char text[900];
    snprintf(text, sizeof text, "location a0 0x%x\nlocation a1 0x%x\n", a0, a1);
    for (unsigned t = 0; t < threads; t++) {
        const size_t length = strlen(text);
        if (t == 0)
            snprintf(
                text + length, sizeof text - length,
                "thread 0\n load a0\n fetch a0\n store a0 %u\n fetch a0\n store a1 %u release\n",
                value, value + 1);
        else
            snprintf(text + length, sizeof text - length,
                     "thread %u\n prefetch a0\n fetch a1\n await a1 %u acquire\n load a0\n store "
                     "a1 %u release\n",
                     t, value + t, value + t + 1);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "end\n");
    add_text(s, text);
}

static void expect_baton(const several *s, uint32_t number, const base_text *results,
                         unsigned value) {
    const isa_map *map = &s->image.maps[number];
    const col_program *program = &s->programs[number];
    isa_results read = {0};
    isa_reads reads = {0};
    isa_ending ending;
    assert_int_equal(isa_results_open(&read, map, program,
                                      (const uint8_t *)results->data + isa_map_part(map), NULL),
                     COL_OK);
    assert_int_equal(isa_results_ending(&read, &ending, NULL), COL_OK);
    assert_string_equal(ending.sentence, "");
    assert_int_equal(ending.rounds, s->settings.rounds);
    for (uint64_t r = 0; r < ending.rounds; r++) {
        assert_int_equal(isa_results_round(&read, r, &reads, NULL), COL_OK);
        assert_int_equal(reads.lost_count + reads.old_count, 0);
        assert_int_equal(reads.operations[0].word, 0);
        for (uint32_t t = 1; t < program->thread_count; t++)
            assert_int_equal(reads.operations[program->thread_start[t] + 3].word, value);
        assert_int_equal(reads.finals[0].word, value);
        assert_int_equal(reads.finals[1].word, value + program->thread_count);
    }
    isa_reads_free(&reads);
    isa_results_close(&read);
}

static isa_ending ending_of(const several *s, uint32_t number, const base_text *results) {
    const isa_map *map = &s->image.maps[number];
    isa_results read = {0};
    isa_ending ending;
    assert_int_equal(isa_results_open(&read, map, &s->programs[number],
                                      (const uint8_t *)results->data + isa_map_part(map), NULL),
                     COL_OK);
    assert_int_equal(isa_results_ending(&read, &ending, NULL), COL_OK);
    isa_results_close(&read);
    return ending;
}

/* Did a hart wait in vain, as it may where the host has no time for the one that it waits for? */
static bool has_waited_in_vain(const several *s, const base_text *results) {
    for (uint32_t p = 0; p < s->count; p++) {
        const isa_ending ending = ending_of(s, p, results);
        if (strstr(ending.sentence, "never saw its value") != NULL ||
            strstr(ending.sentence, "the barrier never let") != NULL)
            return true;
    }
    return false;
}

TEST(all_programs_run_whatever_their_threads) {
    static const unsigned threads[] = {2, 4, 1, 1, 3, 4, 2};
    enum { COUNT = sizeof threads / sizeof threads[0] };
    static several s;
    for (int t = 0; t < TARGETS; t++) {
        isa_platform platform;
        qemu_run run = {.harts = 4};
        base_text results = {0};
        want_qemu(targets[t], &platform);
        begin(&s, &platform);
        s.platform.barrier.limit = UINT32_MAX / 4; /* four harts on a busy host */
        s.settings.rounds = 20;
        for (unsigned p = 0; p < COUNT; p++)
            add_baton(&s, threads[p], 10 * p + 1);
        build(&s);
        for (int tries = 0; tries == 0 || (tries < 8 && has_waited_in_vain(&s, &results));
             tries++) {
            base_text_free(&results);
            run_image(&s.image, &s.platform, &run, &results);
        }
        for (unsigned p = 0; p < COUNT; p++)
            expect_baton(&s, p, &results, 10 * p + 1);
        assert_int_equal(run.status, 0);
        base_text_free(&results);
        end(&s);
    }
}

TEST(an_image_stops_in_the_program_that_fails) {
    static several s;
    for (int t = 0; t < TARGETS; t++) {
        isa_platform platform;
        qemu_run run = {.harts = 2};
        base_text results = {0};
        want_qemu(targets[t], &platform);
        begin(&s, &platform);
        s.platform.barrier.limit = 1 << 28;
        s.settings.rounds = 5;
        add_baton(&s, 2, 1);
        add_text(&s, "location a0 0x40\nlocation a1 0x80\nthread 0\n store a0 1\n store a0 2\n"
                     " store a1 3 release\nthread 1\n await a1 3 acquire\n await a0 1\nend\n");
        add_baton(&s, 2, 21);
        build(&s);
        run_image(&s.image, &s.platform, &run, &results);
        expect_baton(&s, 0, &results, 1);
        assert_string_equal(ending_of(&s, 1, &results).sentence,
                            "thread 1, operation 1 (await a0 1) never saw its value in round 1");
        assert_int_equal(ending_of(&s, 2, &results).state, ISA_STATE_NONE);
        base_text_free(&results);
        end(&s);
    }
}

/* QEMU has less memory than the platform says; a PC, which reads ones there, no flush. */
TEST(a_trap_is_in_the_record_of_its_program) {
    static several s;
    for (int t = 0; t < TARGETS; t++) {
        const bool is_pc = strcmp(targets[t], "x86-64") == 0;
        isa_platform platform;
        qemu_run run = {.harts = 3, .more = is_pc ? "-cpu max,-clflush" : NULL};
        base_text results = {0};
        want_qemu(targets[t], &platform);
        begin(&s, &platform);
        s.platform.barrier.limit = 1 << 28;
        s.platform.ram.size = 512 << 20;
        s.settings.rounds = 5;
        add_baton(&s, 1, 1);
        add_baton(&s, 3, 11);
        add_text(&s, is_pc ? "location a0 0x40\nthread 0\n load a0\nthread 1\n flush a0\nend\n"
                           : "location a0 0x40\nlocation a1 0xf000000\nthread 0\n load a0\n"
                             "thread 1\n load a1\nend\n");
        add_baton(&s, 3, 21);
        build(&s);
        run_image(&s.image, &s.platform, &run, &results);
        expect_baton(&s, 0, &results, 1);
        expect_baton(&s, 1, &results, 11);
        const isa_ending ending = ending_of(&s, 2, &results);
        assert_int_equal(ending.state, ISA_STATE_TRAPPED);
        if (strncmp(ending.sentence, "hart 1 trapped in round 1: a", 28) != 0)
            fail_msg("%s", ending.sentence);
        assert_int_equal(ending_of(&s, 3, &results).state, ISA_STATE_NONE);
        base_text_free(&results);
        end(&s);
    }
}
