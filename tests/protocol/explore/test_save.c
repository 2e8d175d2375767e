/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * A search that is interrupted, saved and continued says what one that was not interrupted says,
 * and one whose waiting states are on the disk what one says that has them in memory. Files that
 * are damaged are refused, whatever is wrong with them.
 */
#include "base/hash.h"
#include "protocol/explore/search.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */
#include "protocol/explore/tiny.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static int make_path(void **state) {
    (void)snprintf(path, sizeof path, "/tmp/collider-test-save-%ld", (long)getpid());
    return 0;
}

static int remove_path(void **state) {
    (void)unlink(path);
    return 0;
}

static void expect_same(const sim_system *a, const exp_exploration *in_a, const sim_system *b,
                        const exp_exploration *in_b) {
    assert_true(in_b->complete && !in_b->broken);
    assert_int_equal(in_a->states, in_b->states);
    assert_int_equal(in_a->steps, in_b->steps);
    assert_int_equal(in_a->depth, in_b->depth);
    expect_same_bounds(in_a, in_b);
    assert_int_equal(in_a->witnesses.count, in_b->witnesses.count);
    for (uint32_t i = 0; i < in_a->witnesses.count; i++)
        assert_int_equal(in_a->witnesses.list[i].count, in_b->witnesses.list[i].count);
    expect_same_cells(a, b);
}

/* ---- Interrupted searches. */

static const struct {
    const char *protocol;
    uint32_t cores, blocks, workers;
    bool use_symmetry, remembers, wants_witnesses;
    uint64_t part; /* states after which it is interrupted, again and again */
} cases[] = {
    {"mi", 2, 1, 1, false, false, true, 700},   {"msi", 2, 1, 1, true, false, true, 1500},
    {"mesi2", 2, 1, 2, true, true, false, 900}, {"moesi2", 2, 1, 2, true, false, false, 9000},
    {"mi", 3, 1, 2, true, false, false, 9000},  {"mi", 1, 1, 1, true, false, false, 1}};

TEST_WITH(an_interrupted_search_ends_like_any_other, make_path, remove_path) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        exp_exploration_settings settings = {.blocks = cases[i].blocks,
                                             .outstanding = 1,
                                             .workers = cases[i].workers,
                                             .use_symmetry = cases[i].use_symmetry,
                                             .remembers = cases[i].remembers,
                                             .wants_witnesses = cases[i].wants_witnesses,
                                             .identity = cases[i].protocol};
        sim_system *whole = tiny_system(cases[i].protocol, cases[i].cores);
        exp_exploration expected = tiny_explore(whole, &settings), found = {0};
        uint32_t parts = 0;
        settings.save = path;
        for (bool complete = false; !complete; parts++) {
            sim_system *part = tiny_system(cases[i].protocol, cases[i].cores);
            settings.most_states = found.states + cases[i].part;
            exp_witnesses_free(&found.witnesses);
            found = tiny_explore(part, &settings);
            assert_true(found.saved);
            complete = found.complete;
            if (complete)
                expect_same(whole, &expected, part, &found);
            else
                assert_string_equal(found.limit, "states");
            settings.resume = path;
            sim_system_free(part);
        }
        assert_true(parts > 2);
        exp_witnesses_free(&expected.witnesses);
        tiny_end(whole, &found);
    }
}

/* ---- States that wait on the disk. */

#ifdef REDUCED
enum { WAITING_BLOCKS = 1, WAITING_CORES = 3 };
#else
enum { WAITING_BLOCKS = 2, WAITING_CORES = 2 };
#endif

TEST(states_wait_on_the_disk) {
    exp_exploration_settings settings = {
        .blocks = WAITING_BLOCKS, .outstanding = 1, .use_symmetry = true};
    sim_system *a = tiny_system("mi", WAITING_CORES), *b = tiny_system("mi", WAITING_CORES);
    const exp_exploration in_memory = tiny_explore(a, &settings);
    settings.folder = "/tmp";
    settings.most_bytes = 9 << 20;
    const exp_exploration on_disk = tiny_explore(b, &settings);
    assert_int_equal(in_memory.disk_bytes, 0);
    expect_same(a, &in_memory, b, &on_disk);
    if (WAITING_BLOCKS == 2) {
        assert_true(on_disk.disk_bytes > 0);
        assert_true(on_disk.bytes < in_memory.bytes);
    }
    sim_system_free(a);
    sim_system_free(b);
}

/* A folder that takes no files: they wait in memory. */
TEST(without_a_disk_states_wait_in_memory) {
    const exp_exploration_settings settings = {
        .blocks = 1, .outstanding = 1, .most_bytes = 16 << 20, .folder = "/nowhere"};
    sim_system *system = tiny_system("mi", 3);
    const exp_exploration found = tiny_explore(system, &settings);
    assert_true(found.complete);
    assert_int_equal(found.disk_bytes, 0);
    sim_system_free(system);
}

/* ---- Damaged files. */

typedef struct content {
    uint8_t *bytes;
    size_t count;
} content;

static content read_file(void) {
    content c = {malloc(1 << 20), 0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    c.count = fread(c.bytes, 1, 1 << 20, file);
    (void)fclose(file);
    return c;
}

static void write_file(const content *c, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(c->bytes, 1, count, file), count);
    (void)fclose(file);
}

static const exp_exploration_settings small = {
    .blocks = 1, .outstanding = 1, .use_symmetry = true, .most_states = 300, .identity = "small"};

static content save_small(sim_system *system) {
    exp_exploration_settings settings = small;
    settings.save = path;
    assert_true(tiny_explore(system, &settings).saved);
    return read_file();
}

static col_status resume_small(sim_system *system, const char *identity, col_problem *problem) {
    exp_exploration_settings settings = small;
    exp_exploration found;
    settings.resume = path;
    settings.identity = identity;
    settings.most_states = 400;
    const col_status status = exp_explore(system, &settings, &found, problem);
    base_text_free(&found.trace);
    return status;
}

TEST_WITH(damaged_files_are_refused, make_path, remove_path) {
    sim_system *system = tiny_system("msi", 2);
    content c = save_small(system);
    col_problem problem;
    assert_int_equal(resume_small(system, "small", &problem), COL_OK);
    for (size_t i = 0; i < c.count; i += i < 256 ? 1 : 7) {
        c.bytes[i] ^= (uint8_t)(1U << i % 8);
        write_file(&c, c.count);
        c.bytes[i] ^= (uint8_t)(1U << i % 8);
        assert_int_equal(resume_small(system, "small", &problem), COL_BAD_INPUT);
        assert_non_null(strstr(problem.message, path));
    }
    for (size_t length = 0; length < c.count; length += 1 + c.count / 100) {
        write_file(&c, length);
        assert_int_equal(resume_small(system, "small", &problem), COL_BAD_INPUT);
    }
    write_file(&c, c.count);
    assert_int_equal(resume_small(system, "other", &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "another design"));
    sim_system_free(system);
    system = tiny_system("mesi2", 2);
    assert_int_equal(resume_small(system, "small", &problem), COL_BAD_INPUT);
    free(c.bytes);
    sim_system_free(system);
}

/* With a hash that fits: refused, or a search of what the design really does. */
TEST_WITH(files_made_up_do_no_harm, make_path, remove_path) {
    sim_system *system = tiny_system("msi", 2);
    content c = save_small(system);
    col_problem problem;
    uint64_t random = 1;
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 1500; i++) {
        size_t places[3];
        uint8_t old[3];
        for (uint32_t n = 0; n < 3; n++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            places[n] = (random >> 20) % (c.count - sizeof(uint64_t));
            if (i % 3 == 0)
                places[n] = (random >> 20) % 160; /* numbers of the head */
            old[n] = c.bytes[places[n]];
            c.bytes[places[n]] = (uint8_t)(random >> 56);
        }
        const uint64_t hash = XXH3_64bits(c.bytes, c.count - sizeof hash);
        memcpy(c.bytes + c.count - sizeof hash, &hash, sizeof hash);
        write_file(&c, c.count);
        const col_status status = resume_small(system, "small", &problem);
        assert_true(status == COL_OK || status == COL_BAD_INPUT);
        refused += status != COL_OK;
        for (uint32_t n = 3; n-- > 0;)
            c.bytes[places[n]] = old[n];
    }
    assert_true(refused > 300 && refused < 1500);
    free(c.bytes);
    sim_system_free(system);
}

/* What is taken from the file without another search: how states were found, and drawings. */
TEST_WITH(made_up_steps_are_not_taken, make_path, remove_path) {
    uint64_t random = 1;
    uint32_t refused = 0;
    for (uint32_t kind = 0; kind < 4; kind++) {
        exp_exploration_settings settings = {.blocks = 1,
                                             .outstanding = 1,
                                             .use_symmetry = kind % 2 == 0,
                                             .wants_witnesses = kind < 2,
                                             .draws = kind >= 2,
                                             .identity = "small",
                                             .save = path};
        sim_system *system = tiny_system("mi", 2);
        (void)unlink(path);
        exp_exploration found = tiny_explore(system, &settings);
        assert_true(found.complete);
        base_text_free(&found.drawing);
        exp_witnesses_free(&found.witnesses);
        content c = read_file();
        const size_t hashes = found.states * sizeof(uint64_t) + sizeof(uint64_t);
        settings.save = NULL;
        settings.resume = path;
        for (uint32_t i = 0; i < 250; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const size_t place = 160 + (random >> 20) % (c.count - hashes - 160);
            const uint8_t old = c.bytes[place];
            col_problem problem;
            c.bytes[place] = (uint8_t)(random >> 56);
            const uint64_t hash = XXH3_64bits(c.bytes, c.count - sizeof hash);
            memcpy(c.bytes + c.count - sizeof hash, &hash, sizeof hash);
            write_file(&c, c.count);
            const col_status status = exp_explore(system, &settings, &found, &problem);
            assert_true(status == COL_OK || status == COL_BAD_INPUT);
            refused += status != COL_OK;
            base_text_free(&found.drawing);
            base_text_free(&found.trace);
            exp_witnesses_free(&found.witnesses);
            c.bytes[place] = old;
        }
        free(c.bytes);
        sim_system_free(system);
    }
    assert_true(refused > 100 && refused < 1000);
}

TEST_WITH(other_files_are_not_overwritten, make_path, remove_path) {
    uint8_t bytes[] = "protocol: mi\n";
    const content text = {bytes, sizeof bytes - 1};
    exp_exploration_settings settings = small;
    exp_exploration found;
    col_problem problem;
    sim_system *system = tiny_system("mi", 2);
    write_file(&text, text.count);
    settings.save = path;
    assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_BAD_INPUT);
    content c = read_file();
    assert_int_equal(c.count, text.count);
    free(c.bytes);
    sim_system_free(system);
}
