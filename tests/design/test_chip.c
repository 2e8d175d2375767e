/* SPDX-License-Identifier: MIT */
/*
 * The memory behind a chip's bus, without a chip: what is written is read back, as a map of bytes
 * says that it should; devices do what platforms describe; and every way for an image not to end
 * well is a sentence. tests/rtl/chips.sh has real chips.
 */
#include "design/chip/chip.h"
#include "watch.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char platform[] = "isa: rv32\nram: {base: 0x80000000, size: 1Mi}\nharts: 3\n"
                               "barrier: {kind: device, arrive: 0x1000, go: 0x1004}\n"
                               "exit: {kind: write, address: 0x1008, pass: 1, fail: 2}\n"
                               "uncached: {base: 0x90000000, size: 64Ki}\nlog: uncached\n";

enum { ARRIVE = 0x1000, GO = 0x1004, EXIT = 0x1008, LOG = 0x90000000, CODE = 0x80000000 };

/* Two threads: the first one stores, the second one loads. */
static void make_program(col_program *program) {
    const char text[] = "collider program 1\nword 4\nlocation a0 0x000\nthread 0\n  store a0 1\n"
                        "thread 1\n  load a0\n  load a0\nend\n";
    assert_int_equal(col_program_read(program, text, strlen(text), "test", NULL), COL_OK);
}

static col_chip *make_chip(col_chip_log log, bool tells_commits, const col_program *program) {
    col_chip_settings settings;
    col_chip *chip = NULL;
    col_problem problem = {0};
    col_chip_default(&settings);
    settings.platform = platform;
    settings.log = log;
    settings.tells_commits = tells_commits;
    settings.patience = 100;
    if (col_chip_new(&chip, &settings, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(col_chip_load(chip, program, NULL), COL_OK);
    return chip;
}

static void write_word(col_chip *chip, uint64_t address, uint32_t word) {
    const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                              (uint8_t)(word >> 24)};
    assert_true(col_chip_write(chip, address, 4, bytes, 15));
}

static uint32_t read_word(col_chip *chip, uint64_t address) {
    uint8_t bytes[4];
    assert_true(col_chip_read(chip, address, 4, bytes));
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* ---- Memory. */

static uint64_t draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

TEST(bytes_are_read_as_they_were_written_last) {
    enum { SIZE = 0x10000 };
    uint8_t *known = calloc(1, SIZE);
    col_program program = COL_PROGRAM_EMPTY;
    assert_non_null(known);
    make_program(&program);
    col_chip *chip = make_chip(COL_CHIP_STORE, false, &program);
    assert_int_equal(col_chip_begin(chip, 1, NULL, NULL), COL_OK);
    uint64_t luck = 7;
    for (int i = 0; i < 20000; i++) {
        uint8_t bytes[64], read[64];
        const uint32_t count = 1U << draw(&luck) % 7;
        const uint64_t at = draw(&luck) % (SIZE - 64);
        const uint64_t strobes = draw(&luck) << 31 ^ draw(&luck);
        for (uint32_t b = 0; b < count; b++) {
            bytes[b] = (uint8_t)draw(&luck);
            if ((strobes >> b & 1) != 0)
                known[at + b] = bytes[b];
        }
        assert_true(col_chip_write(chip, LOG + at, count, bytes, strobes));
        const uint64_t other = draw(&luck) % (SIZE - 64);
        assert_true(col_chip_read(chip, LOG + other, count, read));
        assert_memory_equal(read, known + other, count);
    }
    assert_int_equal(col_chip_begin(chip, 2, NULL, NULL), COL_OK);
    for (uint64_t at = 0; at < SIZE; at += 4)
        assert_int_equal(read_word(chip, LOG + at), 0); /* a new start knows nothing of it */
    uint8_t none[8];
    assert_false(col_chip_read(chip, 0x70000000, 8, none));
    assert_false(col_chip_read(chip, LOG + SIZE - 4, 8, none)); /* beyond the window */
    col_chip_free(chip);
    col_program_free(&program);
    free(known);
}

/* ---- Devices. */

TEST(the_barrier_opens_when_all_harts_of_the_program_are_there) {
    col_program program = COL_PROGRAM_EMPTY;
    uint8_t bytes[16] = {0};
    make_program(&program);
    col_chip *chip = make_chip(COL_CHIP_STORE, false, &program);
    assert_int_equal(col_chip_begin(chip, 1, NULL, NULL), COL_OK);
    write_word(chip, ARRIVE, 1);
    assert_int_equal(read_word(chip, GO), 0);
    bytes[0] = 1; /* the same in a wider access, whose other bytes are not written */
    assert_true(col_chip_write(chip, ARRIVE, 16, bytes, 15));
    assert_int_equal(read_word(chip, GO), 1);
    assert_true(col_chip_read(chip, ARRIVE, 16, bytes));
    assert_int_equal(bytes[GO - ARRIVE], 1);
    write_word(chip, ARRIVE, 2);
    assert_int_equal(read_word(chip, GO), 1);
    assert_true(col_chip_end_cycle(chip));
    write_word(chip, EXIT, 2);
    assert_false(col_chip_end_cycle(chip));
    col_chip_free(chip);
    col_program_free(&program);
}

/* Both harts of the program. */
static void arrive(col_chip *chip, uint32_t number) {
    write_word(chip, ARRIVE, number);
    write_word(chip, ARRIVE, number);
}

/* Two barriers to a round; a boot ends at the first one of the second round. */
TEST(instances_go_on_from_what_was_kept_of_a_boot) {
    col_program program = COL_PROGRAM_EMPTY;
    col_run run = {.end = COL_RUN_COMPLETE};
    make_program(&program);
    col_chip *chip = make_chip(COL_CHIP_STORE, false, &program);
    assert_true(col_chip_boots(chip));
    assert_int_equal(col_chip_boot(chip, 1, NULL, NULL), COL_OK);
    arrive(chip, 1);
    arrive(chip, 2);
    assert_int_equal(read_word(chip, GO), 2);
    write_word(chip, CODE + 0x8000, 5);
    assert_true(col_chip_end_cycle(chip));
    assert_false(col_chip_has_booted(chip));
    arrive(chip, 3);
    assert_int_equal(read_word(chip, GO), 2);
    assert_false(col_chip_end_cycle(chip));
    assert_int_equal(col_chip_end(chip, NULL, &run, NULL), COL_OK);
    assert_true(col_chip_has_booted(chip));
    assert_int_equal(col_chip_keep(chip, NULL), COL_OK);
    for (uint64_t seed = 1; seed < 4; seed++) {
        assert_int_equal(col_chip_go_on(chip, seed, NULL, NULL), COL_OK);
        const uint32_t skew = read_word(chip, ARRIVE);
        assert_int_equal(read_word(chip, GO), 3);
        assert_int_equal(read_word(chip, CODE + 0x8000), 5);
        assert_int_equal(read_word(chip, LOG + 0x8000), 0);
        write_word(chip, CODE + 0x8000, 6);
        write_word(chip, LOG + 0x8000, 6);
        arrive(chip, 4);
        assert_true(col_chip_end_cycle(chip));
        arrive(chip, 5); /* the log is complete */
        assert_false(col_chip_end_cycle(chip));
        assert_int_equal(col_chip_go_on(chip, seed, NULL, NULL), COL_OK);
        assert_int_equal(read_word(chip, ARRIVE), skew);
        assert_int_equal(col_chip_begin(chip, seed, NULL, NULL), COL_OK); /* another image */
        assert_int_equal(read_word(chip, GO), 0);
    }
    col_chip_free(chip);
    col_program_free(&program);
}

/* ---- Ends. */

static col_run end_of(col_chip *chip, const col_observer *observer) {
    col_run run = {.end = COL_RUN_COMPLETE};
    assert_int_equal(col_chip_end(chip, observer, &run, NULL), COL_OK);
    return run;
}

static void write_record(col_chip *chip, uint32_t hart, uint32_t image, isa_state state) {
    const uint64_t at = LOG + (uint64_t)hart * ISA_RECORD_BYTES;
    write_word(chip, at + ISA_RECORD_STATE, ISA_STATE_MARK + (uint32_t)state);
    write_word(chip, at + ISA_RECORD_IMAGE, image);
}

/* The number of an image is a constant of its boot code: build the same one. */
static uint32_t image_number(const col_program *program, isa_log log, uint64_t seed) {
    isa_platform p;
    isa_image image = ISA_IMAGE_EMPTY;
    isa_image_settings settings;
    assert_int_equal(isa_platform_parse(&p, platform, strlen(platform), "platform", NULL), COL_OK);
    isa_image_default(&settings);
    settings.log = log;
    settings.rounds = 1;
    settings.seed = seed;
    assert_int_equal(isa_image_build(&image, program, &p, &settings, NULL), COL_OK);
    const uint32_t number = image.maps[0].image;
    isa_image_free(&image);
    return number;
}

TEST(every_bad_end_is_a_sentence) {
    col_program program = COL_PROGRAM_EMPTY;
    make_program(&program);
    col_chip *chip = make_chip(COL_CHIP_STORE, false, &program);
    const uint32_t image = image_number(&program, ISA_LOG_STORE, 1);

    assert_int_equal(col_chip_begin(chip, 1, NULL, NULL), COL_OK);
    for (int i = 1; i < 100; i++)
        assert_true(col_chip_end_cycle(chip));
    assert_false(col_chip_end_cycle(chip));
    col_run run = end_of(chip, NULL);
    assert_int_equal(run.end, COL_RUN_DEADLOCK);
    assert_string_equal(run.message,
                        "the chip has asked nothing of memory for 100 cycles; the image never "
                        "started: hart 0 left nothing behind");

    assert_int_equal(col_chip_begin(chip, 1, NULL, NULL), COL_OK);
    write_record(chip, 0, image, ISA_STATE_ALONE); /* it gave up waiting at the barrier */
    write_word(chip, EXIT, 2);
    assert_false(col_chip_end_cycle(chip));
    run = end_of(chip, NULL);
    assert_int_equal(run.end, COL_RUN_DEADLOCK);
    assert_string_equal(run.message, "hart 1 never arrived at the barrier in round 1: it never "
                                     "started");

    assert_int_equal(col_chip_begin(chip, 1, NULL, NULL), COL_OK);
    write_record(chip, 0, image, ISA_STATE_RUNNING);
    write_record(chip, 1, image, ISA_STATE_TRAPPED);
    write_word(chip, LOG + ISA_RECORD_BYTES + ISA_RECORD_CAUSE, 5);
    uint8_t nothing[4];
    assert_false(col_chip_read(chip, 0x40, 4, nothing));
    write_word(chip, EXIT, 2);
    run = end_of(chip, NULL);
    assert_int_equal(run.end, COL_RUN_CRASHED);
    assert_non_null(strstr(run.message, "hart 1 trapped in round 1: a load access fault"));
    assert_non_null(strstr(run.message, "; address 0x40, which is neither memory nor a device"));

    assert_int_equal(col_chip_begin(chip, 1, NULL, NULL), COL_OK);
    write_record(chip, 0, image, ISA_STATE_DONE);
    write_record(chip, 1, image, ISA_STATE_DONE);
    write_word(chip, EXIT, 1);
    run = end_of(chip, NULL); /* slots hold 0, which is not of this round */
    assert_int_equal(run.end, COL_RUN_COMPLETE);

    run = (col_run){.end = COL_RUN_TIMED_OUT, .message = "after 9 cycles"};
    assert_int_equal(col_chip_begin(chip, 1, NULL, NULL), COL_OK);
    assert_int_equal(col_chip_end(chip, NULL, &run, NULL), COL_OK);
    assert_int_equal(run.end, COL_RUN_TIMED_OUT);
    assert_string_equal(run.message, "after 9 cycles; the image never started: hart 0 left nothing "
                                     "behind");
    col_chip_free(chip);
    col_program_free(&program);
}

/* ---- The tap. */

typedef struct seen {
    col_event events[8];
    uint32_t count;
} seen;

static void keep(void *context, const col_event *event) {
    seen *s = context;
    assert_true(s->count < 8);
    s->events[s->count++] = *event;
}

/* The code of its operations; the initial word is 16, the salt. */
static isa_map tap_map(void) {
    static isa_map_site sites[3] = {
        {.pc = 0x100, .operation = 0, .thread = 0, .slot = ISA_NONE},
        {.pc = 0x200, .operation = 1, .thread = 1, .slot = 0, .reg = 9},
        {.pc = 0x204, .operation = 2, .thread = 1, .slot = 1, .reg = 9}};
    static isa_map_thread threads[2] = {{.entry = 0xf0}, {.entry = 0x1f0}};
    return (isa_map){.target = isa_find("rv32"),
                     .rounds = 1,
                     .word_bytes = 4,
                     .salt_step = 16,
                     .salt_mask = 0xfffff,
                     .thread_count = 2,
                     .site_count = 3,
                     .location_count = 1,
                     .threads = threads,
                     .sites = sites};
}

TEST(retirements_and_commits_become_events) {
    col_program program = COL_PROGRAM_EMPTY;
    duv_tap tap = {.harts = 3, .tells_events = true};
    seen s = {.count = 0};
    const col_observer observer = {&s, keep, UINT32_MAX};
    const isa_map map = tap_map();
    make_program(&program);
    assert_int_equal(duv_tap_open(&tap, &map, &program, NULL), COL_OK);
    tap.observer = &observer;
    duv_tap_retire(&tap, 0, 0x200, 9, 16); /* the code of another hart */
    duv_tap_retire(&tap, 1, 0x200, 8, 16); /* another register */
    assert_int_equal(s.count, 0);
    duv_tap_retire(&tap, 1, 0x200, 9, 16); /* the initial word is the salt */
    tap.cycle = 5;
    duv_tap_commit(&tap, 0, 0x100, 16);
    duv_tap_retire(&tap, 1, 0x204, 9, 17);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.events[0].kind, COL_LOAD_PERFORMED);
    assert_int_equal(s.events[0].operation, 1);
    assert_int_equal(s.events[0].word, 0);
    assert_int_equal(s.events[1].kind, COL_STORE_PERFORMED);
    assert_int_equal(s.events[1].word, 1);
    assert_int_equal(s.events[1].overwritten, 0);
    assert_int_equal(s.events[1].cycle, 5);
    assert_int_equal(s.events[2].word, 1);
    assert_int_equal(duv_tap_stuck(&tap, 10), 3);
    assert_int_equal(duv_tap_stuck(&tap, 5), 0);
    char name[80];
    duv_tap_name(&tap, 0x208, name, sizeof name);
    assert_string_equal(name, "thread 1, operation 1 (load a0)");
    duv_tap_name(&tap, 0x10, name, sizeof name);
    assert_string_equal(name, "at pc 0x10");
    duv_tap_free(&tap);
    col_program_free(&program);
}

/* ---- For stories. */

typedef struct heard {
    char lines[40][200];
    uint32_t count;
} heard;

static void hear(void *context, const col_event *e) {
    heard *h = context;
    if (h->count == 40)
        return;
    char *line = h->lines[h->count];
    const char *text = e->message == NULL ? "" : e->message;
    if (e->kind == COL_PLACED)
        (void)snprintf(line, 200, "placed %u hart %u 0x%llx %s", e->operation, e->core,
                       (unsigned long long)e->block, text);
    else if (e->kind == COL_MESSAGE_SENT || e->kind == COL_MESSAGE_RECEIVED)
        (void)snprintf(line, 200, "%s %llu in %llu: %s %s",
                       e->kind == COL_MESSAGE_SENT ? "sent" : "taken",
                       (unsigned long long)e->number, (unsigned long long)e->cycle,
                       e->machine == COL_OF_BUS ? "asks" : "answers", text);
    else if (e->kind == COL_WAIT)
        (void)snprintf(line, 200, "%s %u %s",
                       e->number == 0              ? "kind"
                       : e->machine == COL_OF_CORE ? "hart"
                       : e->machine == COL_OF_BUS  ? "bus"
                                                   : "memory",
                       e->controller, text);
    else
        return;
    h->count++;
}

static void hears(const heard *h, uint32_t at, const char *line) {
    assert_in_range(at, 0, h->count - 1);
    assert_string_equal(h->lines[at], line);
}

/* Where operations are, what is asked and answered, and who has not come to the barrier: the hart
 * that waits is not the one that is missing. */
TEST(a_chip_tells_what_its_story_needs) {
    col_program program = COL_PROGRAM_EMPTY;
    heard h = {.count = 0};
    const col_observer observer = {&h, hear, UINT32_MAX};
    make_program(&program);
    col_chip *chip = make_chip(COL_CHIP_TAP, true, &program);
    assert_int_equal(col_chip_begin(chip, 1, &observer, NULL), COL_OK);
    assert_int_equal(h.count, 3);
    assert_memory_equal(h.lines[0], "placed 0 hart 0 0x8", 19);
    assert_non_null(strstr(h.lines[0], " sw x"));
    assert_non_null(strstr(h.lines[2], " lw x"));
    const uint64_t a0 = strtoull(strstr(h.lines[0], "0x8"), NULL, 16);
    assert_true(col_chip_end_cycle(chip));
    col_chip_ask(chip, 1, 7, false, a0, 16, 3);
    col_chip_ask(chip, 1, 8, true, a0 + 0x1000, 4, 0); /* of no location: nobody is told */
    write_word(chip, a0, 0x17);
    col_chip_perform(chip, 1, 7);
    assert_true(col_chip_end_cycle(chip));
    col_chip_answer(chip, 1, 7);
    char expected[120];
    (void)snprintf(expected, sizeof expected, "sent 1 in 1: asks read 0x%llx (16 bytes, id 3)",
                   (unsigned long long)a0);
    hears(&h, 3, expected);
    (void)snprintf(expected, sizeof expected, "taken 1 in 1: asks read 0x%llx (16 bytes, id 3)",
                   (unsigned long long)a0);
    hears(&h, 4, expected);
    hears(&h, 5, "sent 2 in 2: answers read a0 = 0x17 (id 3)");
    hears(&h, 6, "taken 2 in 2: answers read a0 = 0x17 (id 3)");
    write_word(chip, ARRIVE, 1); /* one of two */
    col_chip_retire(chip, 1, CODE, 0, 0);
    while (col_chip_end_cycle(chip))
        (void)read_word(chip, GO);
    const col_run run = end_of(chip, &observer);
    assert_int_equal(run.end, COL_RUN_DEADLOCK);
    hears(&h, 7, "kind 0 nothing moves");
    hears(&h, 8, "hart 0 has retired nothing since reset");
    assert_memory_equal(h.lines[9], "hart 1 retired its last instruction in cycle 2: ", 48);
    assert_non_null(strstr(h.lines[9], "; it has not arrived at the barrier"));
    hears(&h, 10, "memory 0 saw 1 of 2 harts arrive at barrier 1");
    (void)snprintf(expected, sizeof expected, "bus 1 has no answer to write 0x%llx (4 bytes, id 0)",
                   (unsigned long long)a0 + 0x1000);
    hears(&h, 11, expected);
    assert_int_equal(h.count, 12);
    col_chip_free(chip);
    col_program_free(&program);
}

/* A load that begins in cycle 4 or 5 may return what is replaced in cycle 5; one that begins later
 * may not. */
TEST(loads_of_old_values_are_noticed) {
    for (uint64_t begins = 4; begins < 8; begins++) {
        col_program program = COL_PROGRAM_EMPTY;
        duv_tap tap = {.harts = 3, .tells_events = true, .is_current = true};
        const isa_map map = tap_map();
        make_program(&program);
        assert_int_equal(duv_tap_open(&tap, &map, &program, NULL), COL_OK);
        for (tap.cycle = 1; tap.cycle < 10; tap.cycle++) {
            if (tap.cycle == 5)
                duv_tap_commit(&tap, 0, 0x100, 16);
            if (tap.cycle == begins)
                duv_tap_retire(&tap, 1, 0x200, 9, begins < 5 ? 16 : 17);
        }
        assert_string_equal(tap.stale, "");
        duv_tap_retire(&tap, 1, 0x204, 9, 16);
        assert_int_equal(tap.stale[0] != '\0', begins > 5);
        if (begins == 6)
            assert_string_equal(tap.stale, "thread 1, operation 1 (load a0) of hart 1 began after "
                                           "cycle 6 and returned a value that had been replaced "
                                           "before");
        duv_tap_free(&tap);
        col_program_free(&program);
    }
}

TEST(a_hart_that_retires_nothing_is_named) {
    col_program program = COL_PROGRAM_EMPTY;
    make_program(&program);
    col_chip *chip = make_chip(COL_CHIP_TAP, false, &program);
    assert_int_equal(col_chip_begin(chip, 1, NULL, NULL), COL_OK);
    bool goes = true;
    for (int i = 0; i < 1000 && goes; i++) {
        col_chip_retire(chip, 0, CODE, 0, 0);
        goes = col_chip_end_cycle(chip);
    }
    assert_false(goes);
    const col_run run = end_of(chip, NULL);
    assert_int_equal(run.end, COL_RUN_DEADLOCK);
    assert_string_equal(run.message,
                        "hart 1 has retired no instruction for 100 cycles since reset");
    col_chip_free(chip);
    col_program_free(&program);
}

/* ---- What is refused. */

TEST(platforms_that_do_not_suit_a_chip_are_refused) {
    static const char *const texts[][2] = {
        {"isa: rv32\nram: {base: 0, size: 64Ki}\n", "needs an exit that is a write"},
        {"isa: rv32\nram: {base: 0, size: 64Ki}\nhart: {from: memory, address: 0x1000}\n"
         "exit: {kind: write, address: 0x100008}\n",
         "cannot read their numbers from memory"},
        {"isa: rv32\n", "a platform needs ram"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        col_chip_settings settings;
        col_chip *chip = NULL;
        col_problem problem = {0};
        col_chip_default(&settings);
        settings.platform = texts[i][0];
        assert_int_equal(col_chip_new(&chip, &settings, &problem), COL_BAD_INPUT);
        if (strstr(problem.message, texts[i][1]) == NULL)
            fail_msg("%s", problem.message);
    }
}
