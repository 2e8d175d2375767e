/* SPDX-License-Identifier: MIT */
/* The content hash: XXH3 over a fixed little-endian encoding, so that it is the same everywhere. */
#include "base/hash.h"
#include "collider/program.h"

static void feed(XXH3_state_t *state, const uint8_t *bytes, size_t count) {
    (void)XXH3_128bits_update(state, bytes, count);
}

static uint8_t *put32(uint8_t *at, uint32_t number) {
    for (int i = 0; i < 4; i++)
        *at++ = (uint8_t)(number >> (8 * i));
    return at;
}

static void feed_operation(XXH3_state_t *state, const col_operation *operation) {
    uint8_t bytes[16];
    uint8_t *at = put32(bytes, operation->location);
    at = put32(at, operation->value);
    at = put32(at, operation->distance);
    *at++ = operation->kind;
    *at++ = operation->order;
    *at++ = operation->dependency;
    *at++ = operation->fence;
    feed(state, bytes, sizeof bytes);
}

static void feed_pair(XXH3_state_t *state, uint32_t low, uint32_t high) {
    uint8_t bytes[8];
    (void)put32(put32(bytes, low), high);
    feed(state, bytes, sizeof bytes);
}

col_hash col_program_hash(const col_program *program) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    feed_pair(&state, program->thread_count, program->location_count);
    for (uint32_t l = 0; l < program->location_count; l++)
        feed_pair(&state, (uint32_t)program->addresses[l], (uint32_t)(program->addresses[l] >> 32));
    for (uint32_t t = 0; t < program->thread_count; t++)
        feed_pair(&state, t, program->thread_start[t + 1] - program->thread_start[t]);
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        feed_operation(&state, &program->operations[o]);
    if (program->is_narrow) /* others hash as they did when there were no others */
        feed_pair(&state, COL_NARROW_BYTES, 0);
    const XXH128_hash_t digest = XXH3_128bits_digest(&state);
    return (col_hash){.high = digest.high64, .low = digest.low64};
}
