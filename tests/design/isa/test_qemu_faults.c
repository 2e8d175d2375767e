/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Every fault of the harness ends the run by itself, under QEMU, and has a sentence of its own;
 * what was whole before it can be read.
 */
#include "gnu.h"
#include "harness.h"

#include <stdio.h>
#include <string.h>

static const char *const targets[] = {"rv64", "rv32", "aarch64", "x86-64"};
enum { TARGETS = sizeof targets / sizeof targets[0] };

typedef struct attempt {
    const char *target;
    const char *program; /* after its first line and the size of its words */
    isa_platform platform;
    isa_image_settings settings;
    uint64_t unmapped; /* x86-64: an address of the program without a page, unless it is 0 */
    qemu_run run;
    isa_ending ending;
} attempt;

static void prepare(attempt *a, const char *target, const char *program) {
    a->target = target;
    a->program = program;
    a->unmapped = 0;
    a->run = (qemu_run){0};
    want_qemu(target, &a->platform);
    isa_image_default(&a->settings);
    a->platform.barrier.limit = 1 << 28;
}

/* Takes the entry of a page of 2 MiB away. */
static void unmap(isa_image *image, uint64_t address) {
    const uint64_t page = (image->memory + address) & ~UINT64_C(0x1fffff);
    const uint64_t entry = page | 0x83, none = 0;
    uint8_t *bytes = image->code.bytes;
    for (size_t at = 0; bytes != NULL && at < image->code.size / 8 * 8; at += 8)
        if (memcmp(bytes + at, &entry, sizeof entry) == 0) {
            memcpy(bytes + at, &none, sizeof none);
            return;
        }
    fail_msg("there is no page at 0x%llx", (unsigned long long)page);
}

/* Runs it; a platform that lies is a fault, too. */
static void try(attempt *a) {
    char text[1000];
    col_problem problem;
    col_program program = COL_PROGRAM_EMPTY;
    isa_image image = ISA_IMAGE_EMPTY;
    isa_results read = {0};
    base_text results = {0};
    snprintf(text, sizeof text, "collider program 1\nword %d\n%s",
             strcmp(a->target, "rv32") == 0 ? 4 : 8, a->program);
    read_text(&program, text);
    if (isa_image_build(&image, &program, &a->platform, &a->settings, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    if (a->unmapped != 0)
        unmap(&image, a->unmapped);
    for (run_image(&image, &a->platform, &a->run, &results); !a->run.began; a->run.seconds *= 2)
        run_image(&image, &a->platform, &a->run, &results);
    if (a->run.seconds == 0) /* PSCI has no status */
        assert_int_equal(a->run.status, a->platform.exit.kind == ISA_EXIT_PSCI ? 0 : 1);
    assert_int_equal(
        isa_results_open(&read, &image.maps[0], &program, (const uint8_t *)results.data, NULL),
        COL_OK);
    assert_int_equal(isa_results_ending(&read, &a->ending, NULL), COL_OK);
    isa_results_close(&read);
    base_text_free(&results);
    isa_image_free(&image);
    col_program_free(&program);
}

static const char two_threads[] = "location a0 0x40\nthread 0\n store a0 1\n load a0\n"
                                  "thread 1\n load a0\n store a0 2\nend\n";

TEST(a_hart_that_never_starts_is_named) {
    for (int t = 0; t < TARGETS; t++) {
        attempt a;
        prepare(&a, targets[t], two_threads);
        a.run.harts = 1;
        try(&a);
        assert_string_equal(a.ending.sentence,
                            "hart 1 never arrived at the barrier in round 1: it never started");
        assert_int_equal(a.ending.rounds, 0);
    }
}

TEST(an_await_that_gives_up_is_named) {
    for (int t = 0; t < TARGETS; t++) {
        attempt a;
        /* The value is gone before anybody looks for it. */
        prepare(&a, targets[t],
                "location a0 0x40\nlocation a1 0x80\nthread 0\n store a0 1\n store a0 2\n"
                " store a1 3 release\nthread 1\n await a1 3 acquire\n await a0 1\n load a1\nend\n");
        a.platform.barrier.limit = 1 << 28;
        try(&a);
        assert_string_equal(a.ending.sentence,
                            "thread 1, operation 1 (await a0 1) never saw its value in round 1");
        assert_int_equal(a.ending.state, ISA_STATE_GAVE_UP);
    }
}

/* QEMU has less memory than the platform says. */
TEST(a_trap_is_named_with_its_operation) {
    for (int t = 0; t < TARGETS - 1; t++) { /* a PC reads ones where there is nothing */
        attempt a;
        prepare(&a, targets[t],
                "location a0 0x40\nlocation a1 0xf000000\nthread 0\n load a0\n"
                "thread 1\n load a1\nend\n");
        a.platform.ram.size = 512 << 20;
        try(&a);
        assert_int_equal(a.ending.state, ISA_STATE_TRAPPED);
        if (strncmp(a.ending.sentence, "hart 1 trapped in round 1: a ", 29) != 0)
            fail_msg("%s", a.ending.sentence);
    }
}

/* What stands before and behind the program counter. */
static void expect_trap(attempt *a, const char *before, const char *behind) {
    try(a);
    assert_int_equal(a->ending.state, ISA_STATE_TRAPPED);
    const size_t length = strlen(a->ending.sentence);
    if (strncmp(a->ending.sentence, before, strlen(before)) != 0 || length < strlen(behind) ||
        strcmp(a->ending.sentence + length - strlen(behind), behind) != 0)
        fail_msg("%s", a->ending.sentence);
}

/* A missing page is noticed by the hart that gives the location its first word. */
TEST(traps_of_x86_64_have_their_vector_and_address) {
    attempt a;
    prepare(&a, "x86-64", "location a0 0x40\nthread 0\n load a0\nthread 1\n flush a0\nend\n");
    a.run.more = "-cpu max,-clflush";
    expect_trap(&a,
                "hart 1 trapped in round 1: an invalid opcode (cause 0x6, value 0x0) at pc 0x104",
                ", near thread 1, operation 0 (flush a0)");
    prepare(&a, "x86-64",
            "location a0 0x40\nlocation a1 0x400000\nthread 0\n load a0\n"
            "thread 1\n load a0\n load a1\nend\n");
    a.unmapped = 0x400000;
    expect_trap(
        &a, "hart 1 trapped in round 1: a page fault (cause 0xe, value 0x520000) at pc 0x10", "");
}

TEST(a_run_that_is_cut_short_is_judged_as_far_as_it_came) {
    attempt a;
    prepare(&a, "rv64", two_threads);
    a.settings.log = ISA_LOG_TAP;
    a.settings.rounds = 1 << 30;
    for (a.run.seconds = 1, try(&a); a.ending.rounds == 0; a.run.seconds *= 2) /* a busy machine */
        try(&a);
    assert_int_equal(a.ending.state, ISA_STATE_RUNNING);
    assert_true(a.ending.rounds < 1 << 30);
    if (strncmp(a.ending.sentence, "the image did not come to its end: hart ", 40) != 0)
        fail_msg("%s", a.ending.sentence);
}

TEST(an_image_that_never_ran_never_started) {
    attempt a;
    prepare(&a, "rv64", two_threads);
    a.run.more = "-S"; /* QEMU waits for a debugger */
    a.run.seconds = 1;
    try(&a);
    assert_string_equal(a.ending.sentence, "the image never started: hart 0 left nothing behind");
    assert_int_equal(a.ending.rounds, 0);
}
