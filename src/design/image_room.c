/* SPDX-License-Identifier: MIT */
/* See image_room.h. */
#include "design/image_room.h"

enum {
    MOST_WINDOW = 1 << 25, /* bytes of memory under test: what generators use */
    WINDOW_SHARE = 4,      /* of ram, at most, that is memory under test; and the log likewise */
    BLOCK = 64
};

uint64_t duv_image_window(const isa_platform *platform) {
    uint64_t window = MOST_WINDOW;
    while (window > platform->ram.size / WINDOW_SHARE)
        window /= 2;
    return window;
}

col_geometry duv_image_geometry(const isa_platform *platform) {
    enum { BITS = 6, WAYS = 8 };
    col_geometry geometry = platform->geometry;
    if (geometry.level_count == 0) {
        geometry.levels[0] = (col_cache_level){
            .name = "L1", .index_low = geometry.block_bits, .index_bits = BITS, .ways = WAYS};
        geometry.level_count = 1;
    }
    return geometry;
}

uint64_t duv_image_log_bytes(const col_program *program) {
    uint64_t words = program->location_count;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        words += col_kinds[program->operations[o].kind].reads;
    return words * col_program_word_bytes(program) + ((uint64_t)program->thread_count + 1) * BLOCK;
}

uint64_t duv_image_log_room(const isa_platform *platform) {
    const isa_window *window = platform->has_uncached_log ? &platform->uncached : &platform->ram;
    return window->size / WINDOW_SHARE;
}

uint64_t duv_image_rounds(const isa_platform *platform, const col_program *program, isa_log log,
                          uint64_t wanted) {
    const uint64_t fit = duv_image_log_room(platform) / duv_image_log_bytes(program);
    if (log == ISA_LOG_TAP || fit >= wanted)
        return wanted;
    return fit > 0 ? fit : 1;
}

col_run_end duv_image_end(const isa_ending *ending) {
    static const col_run_end ends[ISA_STATE_COUNT] = {
        [ISA_STATE_NONE] = COL_RUN_DEADLOCK,    [ISA_STATE_RUNNING] = COL_RUN_CRASHED,
        [ISA_STATE_DONE] = COL_RUN_COMPLETE,    [ISA_STATE_ALONE] = COL_RUN_DEADLOCK,
        [ISA_STATE_GAVE_UP] = COL_RUN_DEADLOCK, [ISA_STATE_TRAPPED] = COL_RUN_CRASHED,
    };
    return ends[ending->state];
}
