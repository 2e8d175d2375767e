/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/* The content hash never changes for a content and always changes with it; large programs work. */
#include "harness.h"
#include "random_program.h"

#if defined(__SANITIZE_ADDRESS__)
#define SLOW_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOW_BUILD 1
#endif
#endif
#ifndef SLOW_BUILD
#define SLOW_BUILD 0
#endif

static void assert_hash(const col_program *program, col_hash expected) {
    const col_hash hash = col_program_hash(program);
    if (hash.high != expected.high || hash.low != expected.low)
        fail_msg("the hash is 0x%016llx, 0x%016llx", (unsigned long long)hash.high,
                 (unsigned long long)hash.low);
}

static bool same_hash(col_hash a, col_hash b) {
    return a.high == b.high && a.low == b.low;
}

/* XXH3_128bits of a little-endian encoding that was written by hand in another language: thread
 * and location count, addresses, (thread, length) pairs, operations field by field. */
static const struct known {
    const char *text;
    col_hash hash;
} known[] = {
    {"collider program 1\nend\n", {0x2c0a8a99dc147d54, 0x45c3b49d035665b2}},
    {"collider program 1\nlocation a0 0x40\nthread 0\nstore a0 1\nend\n",
     {0x484f226aeb03ffd8, 0x20b7a969f6d9809e}},
    {"collider program 1\n"
     "location a0 0x123456789abcdef8\n"
     "location a1 0x1008\n"
     "thread 0\n"
     "  store a0 0x01020304\n"
     "  fence w,w\n"
     "  swap a1 4294967295 acquire release\n"
     "thread 1\n"
     "thread 2\n"
     "  await a1 4294967295 acquire\n"
     "  load a0 address@-1\n"
     "  add a0 77 release data@-2\n"
     "  flush a1 control@-1\n"
     "  delay 1000\n"
     "end\n",
     {0x1d75d32ade0d6e40, 0x2ed545e04a61c08d}},
};

TEST(known_programs_have_known_hashes) {
    col_program program = COL_PROGRAM_EMPTY;
    base_text text = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        text.length = 0;
        base_text_add(&text, known[i].text);
        read_program(&program, &text);
        assert_hash(&program, known[i].hash);
    }
    /* Longer than XXH3's short forms: 200 delays. */
    assert_int_equal(col_program_shape(&program, 1, (uint32_t[]){200}, 0, NULL), COL_OK);
    for (uint32_t i = 0; i < 200; i++)
        program.operations[i] = (col_operation){.kind = COL_DELAY, .location = i * 0x01010101};
    assert_hash(&program, (col_hash){0x7bf519e69cf27ed2, 0xebe372c32ee3b23a});
    base_text_free(&text);
    col_program_free(&program);
}

/* ---- Single changes of one field, that can be undone. */

typedef enum part { ADDRESS, LOCATION_COUNT, THREAD_COUNT, BOUNDARY, WORD, BYTE, PARTS } part;

typedef struct change {
    part part;
    uint32_t *word;
    uint8_t *byte;
    uint64_t *address;
    uint64_t delta; /* added; taken off again to undo */
} change;

static void apply(const change *c, bool undo) {
    const uint64_t delta = undo ? 0 - c->delta : c->delta;
    if (c->word != NULL)
        *c->word += (uint32_t)delta;
    if (c->byte != NULL)
        *c->byte = (uint8_t)(*c->byte + delta);
    if (c->address != NULL)
        *c->address += delta;
}

/* Moving a boundary of threads leaves the sequence of operations as it is. */
static change draw_change(base_rng *rng, col_program *program) {
    const uint32_t threads = program->thread_count;
    const uint32_t boundary = random_between(rng, 1, threads);
    switch (random_between(rng, 0, 7)) {
    case 0:
        if (program->location_count > 0)
            return (change){
                .part = ADDRESS,
                .address = &program->addresses[random_between(rng, 0, program->location_count - 1)],
                .delta = UINT64_C(1) << random_between(rng, 0, 63)};
        break;
    case 1:
        if (program->location_count > 0)
            return (change){
                .part = LOCATION_COUNT, .word = &program->location_count, .delta = UINT64_MAX};
        break;
    case 2:
        if (threads > 1 && program->thread_start[threads - 1] == program->thread_start[threads])
            return (change){
                .part = THREAD_COUNT, .word = &program->thread_count, .delta = UINT64_MAX};
        break;
    case 3:
        if (boundary < threads &&
            program->thread_start[boundary] < program->thread_start[boundary + 1])
            return (change){.part = BOUNDARY, .word = &program->thread_start[boundary], .delta = 1};
        break;
    default:
        break;
    }
    const uint32_t index = random_between(rng, 0, col_program_operations(program) - 1);
    col_operation *operation = &program->operations[index];
    uint32_t *const words[] = {&operation->location, &operation->value, &operation->distance};
    uint8_t *const bytes[] = {&operation->kind, &operation->order, &operation->dependency,
                              &operation->fence};
    const uint32_t field = random_between(rng, 0, 6);
    if (field < 3)
        return (change){
            .part = WORD, .word = words[field], .delta = 1u << random_between(rng, 0, 31)};
    return (change){
        .part = BYTE, .byte = bytes[field - 3], .delta = 1u << random_between(rng, 0, 7)};
}

TEST(every_change_changes_the_hash) {
    uint32_t tried[PARTS] = {0};
    col_program program = COL_PROGRAM_EMPTY, original = COL_PROGRAM_EMPTY;
    for (uint64_t test = 0; test < 20000; test++) {
        base_rng rng;
        base_rng_seed(&rng, 21, test);
        random_program(&rng, &program);
        if (col_program_operations(&program) == 0)
            continue;
        base_rng_seed(&rng, 21, test);
        random_program(&rng, &original);
        const col_hash hash = col_program_hash(&program);
        assert_true(col_program_equal(&program, &original));
        assert_true(same_hash(hash, col_program_hash(&original)));

        const change c = draw_change(&rng, &program);
        apply(&c, false);
        assert_false(same_hash(hash, col_program_hash(&program)));
        assert_false(col_program_equal(&program, &original));
        apply(&c, true);
        assert_true(same_hash(hash, col_program_hash(&program)));
        assert_true(col_program_equal(&program, &original));
        tried[c.part]++;
    }
    for (int p = 0; p < PARTS; p++)
        assert_true(tried[p] >= 50);
    col_program_free(&program);
    col_program_free(&original);
}

/* ---- Large programs. */

static void large_program_round_trips(uint32_t threads, uint32_t length, uint32_t locations) {
    static uint32_t lengths[COL_MAX_THREADS];
    for (uint32_t t = 0; t < threads; t++)
        lengths[t] = length;
    col_program program = COL_PROGRAM_EMPTY, again = COL_PROGRAM_EMPTY;
    base_text text = {0};
    base_rng rng;
    base_rng_seed(&rng, 22, threads);
    assert_int_equal(col_program_shape(&program, threads, lengths, locations, NULL), COL_OK);
    random_content(&rng, &program);
    assert_int_equal(col_program_operations(&program), (uint64_t)threads * length);
    write_program(&program, &text);
    read_program(&again, &text);
    assert_true(col_program_equal(&program, &again));
    assert_true(same_hash(col_program_hash(&program), col_program_hash(&again)));
    again.operations[col_program_operations(&again) - 1].location ^= 1;
    assert_false(same_hash(col_program_hash(&program), col_program_hash(&again)));
    base_text_free(&text);
    col_program_free(&program);
    col_program_free(&again);
}

TEST(large_programs_round_trip) {
    large_program_round_trips(64, SLOW_BUILD ? 1 << 14 : 1 << 16, 1 << 10);
    large_program_round_trips(1024, 64, 1 << 16);
    large_program_round_trips(COL_MAX_THREADS, 1, 16);
}
