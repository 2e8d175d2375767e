/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Commit logs say the same as the log in memory: QEMU's trace of every instruction, put into both
 * forms of commit logs, gives every read the value that the image logged. What is no commit log is
 * refused with its place.
 */
#include "design/isa/image_results.h"
#include "gnu.h"
#include "harness.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char test_program[] =
    "collider program 1\nlocation a0 0x40\nlocation a1 0x48\nlocation a2 0x1000\n"
    "thread 0\n store a0 1\n load a1\n add a1 2\n swap a0 3\n store a2 4 release\n load a0\n"
    "thread 1\n await a2 4 acquire\n load a0\n add a0 6\n swap a1 7\n load a1\nend\n";

static void build(isa_image *image, const col_program *program, const isa_platform *platform,
                  isa_log log, uint64_t rounds) {
    isa_image_settings settings;
    isa_image_default(&settings);
    settings.log = log;
    settings.rounds = rounds;
    assert_int_equal(isa_image_build(image, program, platform, &settings, NULL), COL_OK);
}

/* ---- QEMU's own words. */

enum { MOST_HARTS = 2, REGISTERS = 32 };

typedef struct dump {
    uint64_t pc, registers[REGISTERS];
    bool is_there;
} dump;

/* The number behind a name, in a dump; false: it is not in this line. */
static bool find_value(const char *line, const char *name, uint64_t *value) {
    const char *at = strstr(line, name);
    if (at == NULL)
        return false;
    at += strlen(name);
    at += strcspn(at, " =");
    *value = strtoull(at + strspn(at, " ="), NULL, 16);
    return true;
}

/* As QEMU writes a register: RAX, R8, X08, x8/s0. */
static void name_register(const isa_target *target, uint32_t reg, char *name, size_t size) {
    if (target->elf_machine != ISA_EM_X86_64) {
        snprintf(name, size, target->elf_machine == ISA_EM_RISCV ? " x%u/" : "X%02u",
                 (unsigned)reg);
        return;
    }
    snprintf(name, size, "%s", target->registers[reg]);
    for (char *at = name; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
}

static void take_registers(const char *line, const isa_target *target, dump *s) {
    char name[8];
    for (uint32_t r = 0; r < target->register_count; r++) {
        name_register(target, r, name, sizeof name);
        (void)find_value(line, name, &s->registers[r]);
    }
}

/* What the instruction at the last state's pc did, if the map knows it. */
static void add_commit(const isa_map *map, uint32_t hart, const dump *before, const dump *after,
                       bool as_spike, base_text *log) {
    uint32_t reg = ISA_NONE;
    for (uint32_t t = 0; t < map->thread_count; t++)
        if (before->pc == map->threads[t].entry)
            reg = 1;
    for (uint32_t s = 0; s < map->site_count; s++)
        if (map->sites[s].pc == before->pc && map->sites[s].slot != ISA_NONE)
            reg = map->sites[s].reg;
    if (reg == ISA_NONE)
        return;
    const unsigned long long pc = before->pc, value = after->registers[reg];
    if (as_spike)
        base_text_print(
            log,
            "core   %u: 0x%016llx (0x00053683) ld      a3, 0(a0)\n"
            "core   %u: 3 0x%016llx (0x00053683) x%-2u 0x%016llx mem 0x0000000080010040\n",
            (unsigned)hart, pc, (unsigned)hart, pc, (unsigned)reg, value);
    else
        base_text_print(log, "%u 0x%llx %s 0x%llx # read\n", (unsigned)hart, pc,
                        map->target->registers[reg], value);
}

static void convert(const isa_map *map, const char *path, bool as_spike, base_text *log) {
    static dump states[MOST_HARTS];
    char line[400];
    dump now = {0};
    uint32_t hart = ISA_NONE;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    memset(states, 0, sizeof states);
    for (bool more = true; more;) {
        more = fgets(line, sizeof line, file) != NULL;
        const bool is_new = !more || strncmp(line, "Trace ", 6) == 0;
        if (is_new && hart != ISA_NONE) {
            if (states[hart].is_there)
                add_commit(map, hart, &states[hart], &now, as_spike, log);
            states[hart] = now;
            states[hart].is_there = true;
        }
        if (!more)
            break;
        if (is_new) {
            hart = (uint32_t)strtoul(line + 6, NULL, 10);
            assert_true(hart < MOST_HARTS);
            now.pc = strtoull(strchr(line, '/') + 1, NULL, 16);
        } else {
            take_registers(line, map->target, &now);
        }
    }
    (void)fclose(file);
    assert_int_equal(base_text_status(log, NULL), COL_OK);
}

/* ---- The comparison. */

static void compare(const isa_image *image, const col_program *program, const base_text *results,
                    const base_text *log) {
    isa_commits *commits = NULL;
    isa_results logged = {0}, committed = {0};
    isa_reads a = {0}, b = {0};
    const isa_map *map = NULL;
    const uint8_t *bytes = NULL;
    col_problem problem = {0};
    assert_int_equal(isa_commits_new(&commits, &image->maps[0], program, "log", NULL), COL_OK);
    for (size_t at = 0; at < log->length; at += 1000) /* lines are cut anywhere */
        if (isa_commits_add(commits, log->data + at,
                            log->length - at < 1000 ? log->length - at : 1000, &problem) != COL_OK)
            fail_msg("%s", problem.message);
    if (isa_commits_end(commits, &map, &bytes, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(map->rounds, image->maps[0].rounds);
    assert_int_equal(
        isa_results_open(&logged, &image->maps[0], program, (const uint8_t *)results->data, NULL),
        COL_OK);
    assert_int_equal(isa_results_open(&committed, map, program, bytes, NULL), COL_OK);
    for (uint64_t r = 0; r < map->rounds; r++) {
        assert_int_equal(isa_results_round(&logged, r, &a, NULL), COL_OK);
        assert_int_equal(isa_results_round(&committed, r, &b, NULL), COL_OK);
        assert_int_equal(a.lost_count + a.old_count + b.lost_count + b.old_count, 0);
        assert_false(b.has_finals);
        for (uint32_t o = 0; o < col_program_operations(program); o++)
            assert_int_equal(a.operations[o].word, b.operations[o].word);
    }
    isa_reads_free(&a);
    isa_reads_free(&b);
    isa_results_close(&logged);
    isa_results_close(&committed);
    isa_commits_free(commits);
}

static void try_target(const char *target, isa_log kind, bool as_spike) {
    isa_platform platform;
    want_qemu(target, &platform);
    col_program program = COL_PROGRAM_EMPTY;
    isa_image image = ISA_IMAGE_EMPTY;
    base_text results = {0}, log = {0};
    read_text(&program, test_program);
    program.is_narrow = platform.target->word_sizes == 4;
    build(&image, &program, &platform, kind, 5);
    qemu_run run = {.traces = true};
    run_image(&image, &platform, &run, &results);
    assert_int_equal(run.status, 0);
    convert(&image.maps[0], run.trace, as_spike, &log);
    compare(&image, &program, &results, &log);
    base_text_free(&log);
    base_text_free(&results);
    isa_image_free(&image);
    col_program_free(&program);
}

TEST(commits_of_qemu_agree_with_the_log_in_memory) {
    try_target("rv64", ISA_LOG_REGISTERS, true);
    try_target("rv64", ISA_LOG_STORE, false);
    try_target("rv32", ISA_LOG_REGISTERS, true);
    try_target("rv32", ISA_LOG_STORE, false);
    try_target("aarch64", ISA_LOG_REGISTERS, false);
    try_target("aarch64", ISA_LOG_STORE, true);
    try_target("x86-64", ISA_LOG_REGISTERS, false);
    try_target("x86-64", ISA_LOG_STORE, false);
}

/* ---- Texts made by hand. */

typedef struct given {
    col_program program;
    isa_image image;
    isa_commits *commits;
} given;

/* Two threads with two reads each, in a tap image. */
static void begin(given *g) {
    *g = (given){.program = COL_PROGRAM_EMPTY, .image = ISA_IMAGE_EMPTY};
    isa_platform platform;
    assert_int_equal(isa_platform_open(&platform, "spike", NULL), COL_OK);
    read_text(&g->program, "collider program 1\nlocation a0 0x40\nthread 0\n load a0\n load a0\n"
                           "thread 1\n load a0\n await a0 1\nthread 2\n store a0 1\nend\n");
    build(&g->image, &g->program, &platform, ISA_LOG_TAP, 3);
    assert_int_equal(isa_commits_new(&g->commits, &g->image.maps[0], &g->program, "log", NULL),
                     COL_OK);
}

static void end(given *g) {
    isa_commits_free(g->commits);
    isa_image_free(&g->image);
    col_program_free(&g->program);
}

static void commit(given *g, uint32_t operation, uint64_t value) {
    char line[100];
    const isa_map_site *site = &g->image.maps[0].sites[operation];
    const int length =
        snprintf(line, sizeof line, "%u %llu %s 0x%llx\n", (unsigned)site->thread,
                 (unsigned long long)site->pc, g->image.maps[0].target->registers[site->reg],
                 (unsigned long long)value);
    col_problem problem = {0};
    if (isa_commits_add(g->commits, line, (size_t)length, &problem) != COL_OK)
        fail_msg("%s: %s", line, problem.message);
}

/* Without entries a read that was there already begins a round, and an await that has seen its
 * value. */
TEST(rounds_are_told_apart_without_entries) {
    given g;
    begin(&g);
    const isa_map *map = NULL;
    const uint8_t *bytes = NULL;
    isa_results read = {0};
    isa_reads reads = {0};
    for (uint64_t r = 0; r < 3; r++) {
        const uint64_t salt = isa_map_salt(&g.image.maps[0], r);
        commit(&g, 0, salt);
        commit(&g, 1, salt + 1);
        commit(&g, 2, salt);
        for (uint64_t again = 0; again < r; again++)
            commit(&g, 3, salt);
        commit(&g, 3, salt + 1);
    }
    assert_int_equal(isa_commits_end(g.commits, &map, &bytes, NULL), COL_OK);
    assert_int_equal(map->rounds, 3);
    assert_int_equal(isa_results_open(&read, map, &g.program, bytes, NULL), COL_OK);
    for (uint64_t r = 0; r < 3; r++) {
        static const uint64_t expected[] = {0, 1, 0, 1};
        assert_int_equal(isa_results_round(&read, r, &reads, NULL), COL_OK);
        assert_int_equal(reads.lost_count + reads.old_count, 0);
        for (uint32_t o = 0; o < 4; o++)
            assert_int_equal(reads.operations[o].word, expected[o]);
    }
    isa_reads_free(&reads);
    isa_results_close(&read);
    end(&g);
}

TEST(a_round_under_way_is_not_judged) {
    given g;
    begin(&g);
    const isa_map *map = NULL;
    const uint8_t *bytes = NULL;
    const uint64_t salt = isa_map_salt(&g.image.maps[0], 0);
    for (uint32_t o = 0; o < 4; o++)
        commit(&g, o, salt + (o == 3));
    commit(&g, 0, isa_map_salt(&g.image.maps[0], 1));
    assert_int_equal(isa_commits_end(g.commits, &map, &bytes, NULL), COL_OK);
    assert_int_equal(map->rounds, 1);
    end(&g);
}

static void refused(const char *text, uint32_t line, uint32_t column, const char *message) {
    given g;
    begin(&g);
    const isa_map *map = NULL;
    const uint8_t *bytes = NULL;
    col_problem problem = {0};
    col_status status = isa_commits_add(g.commits, text, strlen(text), &problem);
    if (status == COL_OK)
        status = isa_commits_end(g.commits, &map, &bytes, &problem);
    assert_int_equal(status, COL_BAD_INPUT);
    assert_string_equal(problem.message, message);
    assert_int_equal(problem.line, line);
    assert_int_equal(problem.column, column);
    end(&g);
}

TEST(other_texts_are_refused) {
    refused("", 0, 0, "no line of log is about a read of this image");
    refused("# nothing\ncore   0: >>>>  thread_0\ncore   0: 3 0x80000000 (0x00053683) x13 0x5\n", 0,
            0, "no line of log is about a read of this image");
    refused("0 0x80000000 x5 0x1\nhello\n", 2, 1,
            "the hart's number is expected here, in a line such as '0 0x80004024 x13 0x5'");
    refused("\xef\xbb\xbf"
            "0 0x80000000 x5 0x1\n\xef\xbb\xbf",
            2, 1, "the hart's number is expected here, in a line such as '0 0x80004024 x13 0x5'");
    refused("\xef\xbb\xbf"
            "0 z",
            1, 3, "the program counter is expected here, in a line such as '0 0x80004024 x13 0x5'");
    refused("0 z", 1, 3,
            "the program counter is expected here, in a line such as '0 0x80004024 x13 0x5'");
    refused("0 0x80000000  y5 1", 1, 15,
            "a register is expected here, in a line such as '0 0x80004024 x13 0x5'");
    refused("0 0x80000000 x5 -1", 1, 17,
            "the register's value is expected here, in a line such as '0 0x80004024 x13 0x5'");
    refused("0 0x80000000 x5 1 2", 1, 19,
            "the end of the line is expected here, in a line such as '0 0x80004024 x13 0x5'");
}

TEST(more_rounds_than_the_image_has_are_refused) {
    given g;
    begin(&g);
    col_problem problem = {0};
    char line[100];
    const isa_map_site *site = &g.image.maps[0].sites[0];
    snprintf(line, sizeof line, "0 %llu x%u 4\n", (unsigned long long)site->pc,
             (unsigned)site->reg);
    for (int r = 0; r < 3; r++)
        assert_int_equal(isa_commits_add(g.commits, line, strlen(line), NULL), COL_OK);
    assert_int_equal(isa_commits_add(g.commits, line, strlen(line), &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "a hart begins round 4 here, but the image has 3");
    assert_int_equal(problem.line, 4);
    end(&g);
}

TEST(a_nul_byte_does_not_hide_the_rest_of_a_line) {
    given g;
    begin(&g);
    col_problem problem = {0};
    static const char line[] = "0 0x80000000 x5 0x1\0 and more\n";
    assert_int_equal(isa_commits_add(g.commits, line, sizeof line - 1, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "a line is text, and has no NUL byte");
    assert_int_equal(problem.column, 20);
    end(&g);
}
