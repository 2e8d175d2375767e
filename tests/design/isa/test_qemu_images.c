/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Images boot under QEMU and run what they should: random programs of all operations on every
 * instruction set are allowed by its model in every round, outcomes that only a weak memory shows
 * are seen, and both ways to log agree. COLLIDER_QEMU_PROGRAMS is how many programs are tried.
 */
#include "collider/generate.h"
#include "gnu.h"
#include "harness.h"
#include "protocol/simulate/litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 5, ROUNDS = 40, THREADS = 2, OPERATIONS = 40, LOCATIONS = 5 };

static uint32_t wanted_programs(void) {
    const char *said = getenv("COLLIDER_QEMU_PROGRAMS"); // NOLINT(concurrency-mt-unsafe)
    return said != NULL ? (uint32_t)strtoul(said, NULL, 10) : PROGRAMS;
}

/* Loads acquire, or stores release; some programs have both. */
static const char *const mixes[] = {
    "load=3,store=3,swap=1,add=1,load-acquire=2,fence=1,delay=0.2",
    "load=3,store=3,swap=1,add=1,store-release=2,fence=1,delay=0.2",
    "load=3,store=3,swap=1,add=1,load-acquire=1,store-release=1,fence=1,delay=0.2",
};
enum { MIXES = sizeof mixes / sizeof mixes[0] };
static const char fetching[] = "load=3,store=3,swap=1,add=1,fence=1,fetch=2,prefetch=1,delay=0.2";

/* Some programs are narrow, and for rv32 all are; one in five fetches and prefetches. */
static void draw_program(col_generator *generator, const isa_target *target, uint64_t number,
                         col_program *program) {
    const bool fetches = number % 5 == 4;
    col_generation generation;
    col_generation_default(&generation);
    generation.threads = THREADS + (uint32_t)(number % 8 == 7);
    generation.operations = OPERATIONS;
    generation.locations = LOCATIONS;
    generation.chained = number % 4 == 3 && !fetches;
    generation.addressing.space_bits = 16;
    generation.addressing.alignment_bits = 3;
    generation.addressing.sharing = COL_MIXED_SHARING;
    assert_int_equal(col_instruction_mix_parse(fetches ? fetching : mixes[number % MIXES],
                                               &generation.instructions, NULL),
                     COL_OK);
    assert_int_equal(col_category_mix_parse("c0=1,c1=1,c2=1,c3=1", &generation.categories, NULL),
                     COL_OK); /* no flushes: QEMU's RISC-V has none */
    assert_int_equal(col_generate(generator, &generation, 7, number, program, NULL), COL_OK);
    program->is_narrow = target->word_sizes == 4 || number / 2 % 3 == 2;
    assert_int_equal(col_program_check(program, NULL), COL_OK);
}

/*
 * QEMU's AArch64 (7.2, on x86-64) does not keep a load acquire behind an earlier store release of
 * its thread, though the architecture does: it puts no barrier between them. So programs in which a
 * thread has both in this order are not tried there; the_known_error_of_qemu_is_told has one.
 */
static bool meets_error_of_qemu(const isa_target *target, const col_program *program) {
    if (target->elf_machine != ISA_EM_AARCH64)
        return false;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        bool has_released = false;
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            const col_operation *operation = &program->operations[o];
            if (has_released && (operation->order & COL_ACQUIRE) != 0)
                return true;
            has_released = has_released || (operation->order & COL_RELEASE) != 0;
        }
    }
    return false;
}

/* An image and all that belongs to a run of it. */
typedef struct machine {
    isa_platform platform;
    isa_image_settings settings;
    qemu_run run;
    col_program program;
    isa_image image;
    base_text results;
    qemu_tally tally;
} machine;

static void begin(machine *m, const char *target) {
    *m = (machine){.program = COL_PROGRAM_EMPTY, .image = ISA_IMAGE_EMPTY};
    want_qemu(target, &m->platform);
    isa_image_default(&m->settings);
}

static void end(machine *m) {
    base_text_free(&m->results);
    isa_image_free(&m->image);
    col_program_free(&m->program);
}

static uint64_t rounds_done(const machine *m) {
    isa_results read = {0};
    isa_ending ending;
    assert_int_equal(isa_results_open(&read, &m->image.maps[0], &m->program,
                                      (const uint8_t *)m->results.data, NULL),
                     COL_OK);
    assert_int_equal(isa_results_ending(&read, &ending, NULL), COL_OK);
    isa_results_close(&read);
    return ending.rounds;
}

/* What is ended after some seconds gets more of them until all rounds are done: the machine may be
 * busy. */
static void boot(machine *m, int status) {
    col_problem problem;
    if (isa_image_build(&m->image, &m->program, &m->platform, &m->settings, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    run_image(&m->image, &m->platform, &m->run, &m->results);
    for (; m->run.seconds > 0 && (!m->run.began || rounds_done(m) < m->settings.rounds);
         m->run.seconds *= 2)
        run_image(&m->image, &m->platform, &m->run, &m->results);
    assert_int_equal(m->run.status, status);
}

/* How many of its rounds a stronger model forbids. */
static uint64_t judge(machine *m, col_model model, col_model stronger) {
    return judge_rounds(&m->image, &m->program, &m->results, model, stronger, &m->tally);
}

static void try_target(const char *name) {
    machine m;
    uint64_t weak = 0;
    begin(&m, name);
    col_generator *generator = col_generator_new();
    for (uint32_t i = 0; i < wanted_programs(); i++) {
        draw_program(generator, m.platform.target, i, &m.program);
        if (meets_error_of_qemu(m.platform.target, &m.program))
            continue;
        m.settings.rounds = ROUNDS;
        m.settings.seed = i;
        m.settings.log = i % 2 == 0 ? ISA_LOG_STORE : ISA_LOG_REGISTERS;
        m.platform.has_atomics = i % 4 < 2; /* AArch64: else by exclusives */
        boot(&m, 0);
        weak += judge(&m, m.platform.model, COL_SC);
    }
    print_message("%s: %llu images, %llu rounds, %llu operations, all allowed; %llu rounds are not "
                  "sequentially consistent\n",
                  name, (unsigned long long)m.tally.images, (unsigned long long)m.tally.rounds,
                  (unsigned long long)m.tally.operations, (unsigned long long)weak);
    col_generator_free(generator);
    end(&m);
}

TEST(rv64_keeps_its_model) {
    try_target("rv64");
}

TEST(rv32_keeps_its_model) {
    try_target("rv32");
}

TEST(aarch64_keeps_its_model) {
    try_target("aarch64");
}

TEST(x86_64_keeps_its_model) {
    try_target("x86-64");
}

/* ---- Litmus programs. */

/* A few of them, by the target; all, if more programs than usual are wanted. */
TEST(litmus_programs_show_nothing_forbidden) {
    static const char *const targets[] = {"rv64", "rv32", "aarch64", "x86-64"};
    enum { TARGETS = 4, EVERY = 121 };
    glob_t paths;
    litmus test = {.program = COL_PROGRAM_EMPTY};
    isa_image image = ISA_IMAGE_EMPTY;
    base_text results = {0};
    qemu_tally tally = {0};
    uint64_t weak = 0;
    const size_t step = wanted_programs() > PROGRAMS ? 1 : EVERY;
    assert_int_equal(litmus_list(&paths, NULL), COL_OK);
    for (size_t i = 0; i < paths.gl_pathc * TARGETS; i += step) {
        isa_platform platform;
        isa_image_settings settings;
        qemu_run run = {0};
        want_qemu(targets[i % TARGETS], &platform);
        isa_image_default(&settings);
        settings.rounds = step == 1 ? 200 : 50;
        assert_int_equal(litmus_read(paths.gl_pathv[i / TARGETS], &test, NULL), COL_OK);
        test.program.is_narrow = platform.target->word_sizes == 4;
        if (meets_error_of_qemu(platform.target, &test.program) ||
            isa_image_build(&image, &test.program, &platform, &settings, NULL) != COL_OK)
            continue; /* or more threads than harts, or a flush */
        run_image(&image, &platform, &run, &results);
        assert_int_equal(run.status, 0);
        weak += judge_rounds(&image, &test.program, &results, platform.model, COL_SC, &tally);
    }
    print_message("%llu litmus programs, %llu rounds, all allowed; %llu are not sequentially "
                  "consistent\n",
                  (unsigned long long)tally.images, (unsigned long long)tally.rounds,
                  (unsigned long long)weak);
    globfree(&paths);
    base_text_free(&results);
    isa_image_free(&image);
    litmus_free(&test);
}

/* ---- One program. */

static const char store_buffering[] = "collider program 1\nlocation a0 0x0\nlocation a1 0x1000\n"
                                      "thread 0\n store a0 1\n load a1\n"
                                      "thread 1\n store a1 2\n load a0\nend\n";

/* Whether it shows depends on the host's processors and load, so that it does is only told. */
TEST(store_buffering_is_run_hundreds_of_times) {
    machine m;
    begin(&m, "rv64");
    m.settings.rounds = 500;
    read_text(&m.program, store_buffering);
    boot(&m, 0);
    const uint64_t weak = judge(&m, COL_RVWMO, COL_SC);
    print_message("store buffering: %llu of %llu rounds are not sequentially consistent\n",
                  (unsigned long long)weak, (unsigned long long)m.tally.rounds);
    end(&m);
}

static const char released_acquired[] = "collider program 1\nlocation a0 0x0\nlocation a1 0x1000\n"
                                        "thread 0\n store a0 1 release\n load a1 acquire\n"
                                        "thread 1\n store a1 2 release\n load a0 acquire\nend\n";

/* On RISC-V, whose encoder puts a fence there, it does not show. */
TEST(the_known_error_of_qemu_is_told) {
    static const char *const targets[] = {"rv64", "aarch64"};
    for (int i = 0; i < 2; i++) {
        machine m;
        begin(&m, targets[i]);
        m.settings.rounds = 300;
        read_text(&m.program, released_acquired);
        boot(&m, 0);
        const uint64_t forbidden =
            i == 0 ? judge(&m, COL_RVWMO, COL_RVWMO) : judge(&m, COL_WMO, COL_ARMV8);
        if (i == 1)
            print_message("stlr, then ldar: QEMU reorders them in %llu of %llu rounds\n",
                          (unsigned long long)forbidden, (unsigned long long)m.settings.rounds);
        end(&m);
    }
}

/* A baton passes through awaits, so every read has one value that it can return. */
static const char baton[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x48\n"
                            "location a2 0x1000\nlocation a3 0x2000\n"
                            "thread 0\n store a0 1\n add a1 2\n swap a1 3\n store a2 4 release\n"
                            " await a3 8 acquire\n load a0\n load a1\n"
                            "thread 1\n await a2 4 acquire\n load a0\n swap a0 6\n add a1 7\n"
                            " load a1\n store a3 8 release\nend\n";

static void check_baton(const machine *m) {
    static const uint64_t expected[] = {
        0, 0, (uint64_t)2 << 32,     0, 8, 6, 3 | (uint64_t)7 << 32, 4, 1,
        1, 3, 3 | (uint64_t)7 << 32, 0};
    isa_results read = {0};
    isa_reads reads = {0};
    assert_int_equal(isa_results_open(&read, &m->image.maps[0], &m->program,
                                      (const uint8_t *)m->results.data, NULL),
                     COL_OK);
    for (uint64_t r = 0; r < m->image.maps[0].rounds; r++) {
        assert_int_equal(isa_results_round(&read, r, &reads, NULL), COL_OK);
        for (uint32_t o = 0; o < col_program_operations(&m->program); o++)
            assert_int_equal(reads.operations[o].word, expected[o]);
        assert_int_equal(reads.finals[0].word, 6);
        assert_int_equal(reads.finals[1].word, 3 | (uint64_t)7 << 32);
        assert_int_equal(reads.finals[2].word, 4);
        assert_int_equal(reads.finals[3].word, 8);
    }
    isa_reads_free(&reads);
    isa_results_close(&read);
}

/* Runs the baton on a machine that has begun. */
static void pass_baton(machine *m, uint64_t rounds, int status) {
    m->settings.rounds = rounds;
    read_text(&m->program, baton);
    boot(m, status);
    check_baton(m);
    end(m);
}

TEST(both_logs_say_what_a_baton_program_must_return) {
    static const char *const targets[] = {"rv64", "aarch64", "x86-64"};
    static const isa_log logs[] = {ISA_LOG_STORE, ISA_LOG_REGISTERS};
    for (int i = 0; i < 6; i++) {
        machine m;
        begin(&m, targets[i / 2]);
        m.run.harts = 4; /* two have no thread */
        m.settings.log = logs[i % 2];
        pass_baton(&m, 25, 0);
    }
}

/* ---- Other ways to start and exit. */

enum { FEW = 10 };

TEST(aarch64_starts_at_el2) {
    machine m;
    begin(&m, "aarch64");
    m.run.more = "-machine virtualization=on";
    m.platform.start = ISA_START_PSCI_SMC;
    pass_baton(&m, FEW, 0);
}

/* With EL3 QEMU has no PSCI: harts start together. */
TEST(aarch64_starts_at_el3) {
    machine m;
    begin(&m, "aarch64");
    m.run.more = "-machine secure=on -semihosting";
    m.platform.start = ISA_START_TOGETHER;
    m.platform.exit.kind = ISA_EXIT_SEMIHOSTING;
    pass_baton(&m, FEW, 0);
}

TEST(riscv_exits_by_semihosting) {
    machine m;
    begin(&m, "rv64");
    m.run.more = "-semihosting";
    m.platform.exit.kind = ISA_EXIT_SEMIHOSTING;
    pass_baton(&m, FEW, 0);
}

/* Machines with firmware that has started the harts before. */
TEST(x86_64_starts_on_other_machines) {
    static const char *const machines[] = {"pc", "q35"};
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        machine m;
        begin(&m, "x86-64");
        m.run.machine = machines[i];
        m.run.harts = 3;
        pass_baton(&m, FEW, 0);
    }
}

/* In one of them the hart that starts the others is none of those with a thread. */
TEST(x86_64_finds_numbers_in_several_ways) {
    static const isa_hart ways[] = {
        {.from = ISA_HART_APIC, .mask = UINT32_MAX, .first = 2},
        {.from = ISA_HART_MEMORY, .address = 0xfee00020, .mask = 0xff, .shift = 24},
        {.from = ISA_HART_COUNTER, .mask = UINT32_MAX}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        machine m;
        begin(&m, "x86-64");
        m.run.harts = 4;
        m.platform.hart = ways[i];
        pass_baton(&m, FEW, 0);
    }
}

TEST(words_of_the_barrier_may_be_elsewhere) {
    static const char *const targets[] = {"aarch64", "x86-64"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        machine m;
        begin(&m, targets[i]);
        m.platform.ram.size = 64 << 20; /* the other half is the uncached window */
        m.platform.uncached = (isa_window){m.platform.ram.base + m.platform.ram.size, 64 << 20};
        m.platform.barrier.kind = ISA_BARRIER_UNCACHED;
        m.platform.has_uncached_log = true;
        pass_baton(&m, FEW, 0);
    }
}

TEST(a_word_written_ends_the_run) {
    machine m;
    begin(&m, "rv64");
    m.platform.exit = (isa_exit){ISA_EXIT_WRITE, 0x100000, 0x5555, 0x3333};
    pass_baton(&m, FEW, 0);
}

/* Nobody answers, but what the image left is complete. */
TEST(tohost_is_in_the_image) {
    machine m;
    begin(&m, "rv64");
    m.run.seconds = 2;
    m.platform.exit = (isa_exit){.kind = ISA_EXIT_TOHOST};
    pass_baton(&m, FEW, 137);
}

/* QEMU starts harts with their number in a0. Those below the first one have no thread. */
TEST(harts_find_their_number_in_a_register) {
    machine m;
    begin(&m, "rv64");
    m.run.harts = 3;
    m.platform.hart = (isa_hart){.from = ISA_HART_REGISTER, .reg = 10, .mask = 0xff, .first = 1};
    pass_baton(&m, FEW, 0);
}

/* For a single hart, a word in memory is as good as a device. */
TEST(a_device_opens_the_barrier) {
    machine m;
    isa_results read = {0};
    isa_ending ending;
    begin(&m, "rv64");
    const uint64_t word = m.platform.ram.base + m.platform.ram.size - 4096;
    m.platform.barrier = (isa_barrier){ISA_BARRIER_DEVICE, word, word, 1000};
    read_text(&m.program, "collider program 1\nlocation a0 0x40\nthread 0\n store a0 1\n load a0\n"
                          " swap a0 2\n load a0\nend\n");
    boot(&m, 0);
    (void)judge(&m, COL_SC, COL_SC);
    assert_int_equal(m.tally.rounds, m.settings.rounds);
    m.platform.barrier.go += 4; /* which nobody writes */
    boot(&m, 1);
    assert_int_equal(isa_results_open(&read, &m.image.maps[0], &m.program,
                                      (const uint8_t *)m.results.data, NULL),
                     COL_OK);
    assert_int_equal(isa_results_ending(&read, &ending, NULL), COL_OK);
    assert_string_equal(ending.sentence, "the barrier never let hart 0 go in round 1");
    isa_results_close(&read);
    end(&m);
}
