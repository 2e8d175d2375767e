/* SPDX-License-Identifier: MIT */
/* Random programs and a trivial interpreter: see sample.h. */
#include "sample.h"

#include "design/isa/isa.h"
#include "harness.h"
#include "program/random_program.h"

#include <stdlib.h>
#include <string.h>

/* A location while the program is interpreted. */
typedef struct cell {
    uint64_t word;
    uint32_t value; /* of the last store or swap; 0: none */
    bool is_plain;  /* nothing was added since */
} cell;

static uint64_t mask_of(const col_program *program) {
    return program->is_narrow ? UINT32_MAX : UINT64_MAX;
}

static uint64_t in_memory(const sample *s, const col_operation *operation) {
    const uint64_t operand =
        col_program_to_memory(&s->program, col_program_operand(&s->program, operation));
    return (operand + (operation->kind == COL_ADD ? 0 : s->salt)) & mask_of(&s->program);
}

/* An await that would give up waits for what is there instead, or becomes a load, or stays. */
static void settle_await(base_rng *rng, sample *s, const cell *cells, col_operation *await) {
    if (cells[await->location].word == in_memory(s, await))
        return;
    const uint32_t choice = random_between(rng, 0, 19);
    for (uint32_t l = 0; l < s->program.location_count && choice < 12; l++)
        if (cells[l].is_plain && cells[l].value != 0) {
            await->location = l;
            await->value = cells[l].value;
            return;
        }
    if (choice < 19) {
        await->kind = COL_LOAD;
        await->value = 0;
    }
}

static void write_cell(const sample *s, cell *c, const col_operation *operation) {
    const uint64_t word = in_memory(s, operation);
    if (operation->kind == COL_ADD) {
        *c = (cell){.word = (c->word + word) & mask_of(&s->program), .value = c->value};
        return;
    }
    *c = (cell){.word = word, .value = operation->value, .is_plain = true};
}

static void interpret_thread(base_rng *rng, sample *s, uint32_t thread, cell *cells) {
    uint32_t slot = 0;
    for (uint32_t o = s->program.thread_start[thread]; o < s->program.thread_start[thread + 1];
         o++) {
        col_operation *operation = &s->program.operations[o];
        if (!col_kinds[operation->kind].located)
            continue;
        if (operation->kind == COL_AWAIT)
            settle_await(rng, s, cells, operation);
        cell *c = &cells[operation->location];
        if (col_kinds[operation->kind].reads && s->settings.log != ISA_LOG_TAP)
            s->logs[thread][slot++] = c->word;
        if (operation->kind == COL_AWAIT && c->word != in_memory(s, operation)) {
            s->results[thread] = 1;
            return;
        }
        if (col_kinds[operation->kind].writes)
            write_cell(s, c, operation);
    }
}

static void interpret(base_rng *rng, sample *s) {
    cell cells[MAX_LOCATIONS] = {{0}};
    for (uint32_t t = 0; t < s->program.thread_count; t++) {
        s->results[t] = 0;
        for (uint32_t i = 0; i < MAX_LENGTH; i++)
            s->logs[t][i] = UNTOUCHED & mask_of(&s->program);
        interpret_thread(rng, s, t, cells);
    }
    for (uint32_t l = 0; l < MAX_LOCATIONS; l++)
        s->memory[l] = cells[l].word;
}

/* Where immediates of instructions end, and elsewhere. */
static uint64_t draw_origin(base_rng *rng, const isa_target *target) {
    static const uint64_t origins[] = {0,
                                       64,
                                       2032,
                                       2048,
                                       4080,
                                       4096,
                                       16376,
                                       32752,
                                       32768,
                                       0x100000,
                                       0xfffff8,
                                       0x7ffff000,
                                       0x7fffffe8,
                                       0x80000000,
                                       0xfffff7f8,
                                       UINT64_MAX - 4095,
                                       UINT64_C(0x123456789a8),
                                       UINT64_C(0xffffffff7ffff7f0)};
    uint64_t origin = origins[random_between(rng, 0, sizeof origins / sizeof *origins - 1)];
    if (random_between(rng, 0, 3) == 0)
        origin = base_rng_next(rng) >> random_between(rng, 0, 63) << 3;
    return target->address_bytes == 4 ? origin & 0xfffffff8 : origin;
}

static void place_locations(base_rng *rng, const isa_target *target, sample *s) {
    const uint32_t bytes = col_program_word_bytes(&s->program);
    const uint32_t stride = bytes * random_between(rng, 1, 48);
    s->origin = draw_origin(rng, target);
    for (uint32_t l = 0; l < s->program.location_count; l++) {
        s->program.addresses[l] = s->origin + (uint64_t)l * stride;
        if (target->address_bytes == 4)
            s->program.addresses[l] &= UINT32_MAX;
    }
}

void sample_make_executable(col_operation *operation) {
    if (operation->kind == COL_DMA_WRITE)
        operation->kind = COL_STORE;
    else if (operation->kind == COL_CONDITIONAL)
        operation->kind = COL_SWAP;
    else if (operation->kind == COL_DMA_READ)
        operation->kind = COL_LOAD;
}

/* A fetch from a block without room for its stub becomes a load. */
static void settle_fetches(sample *s) {
    const uint32_t count = col_program_operations(&s->program);
    uint64_t *places;
    assert_int_equal(isa_stub_places(&s->program, 0, count, &places, NULL), COL_OK);
    for (uint32_t o = 0; o < count; o++) {
        col_operation *operation = &s->program.operations[o];
        if (operation->kind == COL_FETCH && places[operation->location] == ISA_NO_STUB)
            operation->kind = COL_LOAD;
    }
    free(places);
}

static void tame(const isa_target *target, bool has_flush, sample *s) {
    s->program.is_narrow = s->program.is_narrow || target->word_sizes == 4;
    for (uint32_t o = 0; o < col_program_operations(&s->program); o++) {
        col_operation *operation = &s->program.operations[o];
        if (operation->kind == COL_DELAY)
            operation->location %= 30;
        sample_make_executable(operation);
        if (operation->kind == COL_FLUSH && !has_flush)
            *operation = (col_operation){.kind = COL_FENCE, .fence = COL_FULL_FENCE};
        if (operation->value != 0 && s->program.is_narrow)
            operation->value = operation->value % 0xfffff + 1;
    }
}

/* Lets the second half of a thread depend on its first half: more values than there are registers.
 */
static void stretch_dependencies(base_rng *rng, sample *s, uint32_t thread) {
    const uint32_t first = s->program.thread_start[thread];
    const uint32_t length = s->program.thread_start[thread + 1] - first;
    if (length < 2)
        return;
    col_operation *operations = &s->program.operations[first];
    for (uint32_t i = length / 2; i < length; i++) {
        const uint32_t from = random_between(rng, 0, length / 2 - 1);
        if (!col_kinds[operations[from].kind].reads || !col_kinds[operations[i].kind].located ||
            operations[i].kind == COL_PREFETCH)
            continue;
        operations[i].distance = i - from;
        operations[i].dependency =
            (uint8_t)random_between(rng, COL_ADDRESS, COL_DEPENDENCY_COUNT - 1);
        if (operations[i].dependency == COL_DATA && !col_kinds[operations[i].kind].writes)
            operations[i].dependency = COL_ADDRESS;
    }
}

static void encode(const isa_target *target, sample *s, isa_code *code) {
    col_problem problem;
    for (uint32_t t = 0; t < s->program.thread_count; t++) {
        s->entries[t] = isa_new_label(code);
        isa_bind(code, s->entries[t]);
        s->first_sites[t] = code->site_count;
        if (isa_encode_thread(target, &s->program, t, &s->settings, code, &problem) != COL_OK)
            fail_msg("%s", problem.message);
    }
    s->first_sites[s->program.thread_count] = code->site_count;
}

void draw_sample(base_rng *rng, const isa_target *target, bool has_flush, sample *s,
                 isa_code *code) {
    uint32_t lengths[MAX_THREADS];
    const uint32_t threads = random_between(rng, 1, MAX_THREADS);
    for (uint32_t t = 0; t < threads; t++)
        lengths[t] = random_between(rng, 0, random_between(rng, 0, 3) == 0 ? MAX_LENGTH : 16);
    col_problem problem;
    assert_int_equal(col_program_shape(&s->program, threads, lengths,
                                       random_between(rng, 1, MAX_LOCATIONS), &problem),
                     COL_OK);
    random_content(rng, &s->program);
    s->program.is_narrow = random_between(rng, 0, 1) == 0;
    for (uint32_t t = 0; t < threads; t++)
        if (random_between(rng, 0, 3) == 0)
            stretch_dependencies(rng, s, t);
    tame(target, has_flush, s);
    place_locations(rng, target, s);
    settle_fetches(s);
    s->settings = (isa_settings){.log = (isa_log)random_between(rng, 0, ISA_LOG_COUNT - 1),
                                 .await_limit = random_between(rng, 1, 40),
                                 .has_flush = has_flush,
                                 .exclusives = random_between(rng, 0, 1) == 0};
    s->skew = random_between(rng, 0, 5);
    s->salt = base_rng_next(rng) >> random_between(rng, 0, 63);
    interpret(rng, s);
    encode(target, s, code);
}

void free_sample(sample *s) {
    col_program_free(&s->program);
}

static uint64_t word_at(const sample *s, const uint8_t *at) {
    uint64_t word = 0;
    memcpy(&word, at, col_program_word_bytes(&s->program));
    return word;
}

uint32_t put_stubs(const sample *s, const isa_target *target, uint8_t *window) {
    const uint32_t word = isa_stub_word(target);
    uint64_t *places;
    uint32_t count;
    assert_int_equal(isa_stub_list(&s->program, &places, &count, NULL), COL_OK);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t distance = places[i] - s->origin;
        memcpy(window +
                   (target->address_bytes == 4 ? (int32_t)(uint32_t)distance : (int64_t)distance),
               &word, sizeof word);
    }
    free(places);
    return count;
}

void check_memory(const sample *s, const uint8_t *window) {
    for (uint32_t l = 0; l < s->program.location_count; l++) {
        const uint32_t offset = (uint32_t)(s->program.addresses[l] - s->origin);
        assert_int_equal(word_at(s, window + offset), s->memory[l]);
    }
}

void check_thread(const sample *s, uint32_t thread, const uint8_t *log, uint64_t result) {
    assert_int_equal(result, s->results[thread]);
    for (uint32_t i = 0; i < MAX_LENGTH; i++)
        assert_int_equal(word_at(s, log + (size_t)i * col_program_word_bytes(&s->program)),
                         s->logs[thread][i]);
}
