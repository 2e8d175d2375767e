/* SPDX-License-Identifier: MIT */
/*
 * Whatever an image is said to have left behind, as bytes or as text, it is refused with a
 * sentence or read within its bounds. The harts' records are mostly made good, so that what is
 * behind them is looked at.
 */
#include "design/isa/image.h"
#include "design/isa/image_results.h"
#include "fuzz.h"

enum { LOGS = ISA_LOG_COUNT };

static col_program program = COL_PROGRAM_EMPTY;
static isa_image images[LOGS];

static void prepare(void) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x80\nthread 0\n"
                               " load a0\n store a1 1\nthread 1\n swap a0 2\n await a1 1\n"
                               " load a1\nend\n";
    isa_platform platform;
    require(isa_platform_open(&platform, "spike", NULL) == COL_OK);
    require(col_program_read(&program, text, sizeof text - 1, "test", NULL) == COL_OK);
    for (int log = 0; log < LOGS; log++) {
        isa_image_settings settings;
        isa_image_default(&settings);
        settings.log = (isa_log)log;
        settings.rounds = 3;
        images[log] = (isa_image)ISA_IMAGE_EMPTY;
        require(isa_image_build(&images[log], &program, &platform, &settings, NULL) == COL_OK);
    }
}

static void read_rounds(const isa_map *map, const uint8_t *bytes) {
    isa_results results = {0};
    isa_reads reads = {0};
    isa_ending ending = {0};
    col_problem problem = {0};
    char sentence[320];
    require(isa_results_open(&results, map, &program, bytes, NULL) == COL_OK);
    const col_status status = isa_results_ending(&results, &ending, &problem);
    require_sentence(status, &problem);
    require(status != COL_OK ||
            (ending.rounds <= map->rounds && ending.hart < program.thread_count));
    for (uint64_t r = 0; r < map->rounds; r++)
        if (isa_results_round(&results, r, &reads, NULL) == COL_OK)
            (void)isa_reads_explain(&results, &reads, sentence, sizeof sentence);
    isa_reads_free(&reads);
    isa_results_close(&results);
}

static void put(uint8_t *at, uint64_t number) {
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

/* They are of this image, and mostly say something that can be. */
static void mend_records(const isa_map *map, uint8_t *bytes) {
    for (uint32_t hart = 0; hart < map->thread_count; hart++) {
        uint8_t *at = bytes + (size_t)hart * ISA_RECORD_BYTES;
        put(at + ISA_RECORD_STATE, ISA_STATE_MARK + at[ISA_RECORD_STATE] % ISA_STATE_COUNT);
        if (at[ISA_RECORD_ROUND + 1] % 4 == 0)
            put(at + ISA_RECORD_ROUND, at[ISA_RECORD_ROUND] % map->rounds);
        put(at + ISA_RECORD_IMAGE, map->image);
    }
}

/* What a file says, in any of the forms that it may have. */
static void read_file(const isa_map *map, const uint8_t *data, size_t size) {
    base_text content = {0};
    col_problem problem = {0};
    base_text_add_bytes(&content, (const char *)data, size);
    const col_status status = isa_results_take(map, "results.bin", &content, &problem);
    require_sentence(status, &problem);
    if (status == COL_OK) {
        require(content.length >= map->results.size);
        read_rounds(map, (const uint8_t *)content.data);
    }
    base_text_free(&content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (program.thread_count == 0)
        prepare();
    if (size == 0)
        return 0;
    const isa_map *map = &images[data[0] % LOGS].maps[0];
    read_file(map, data + 1, size - 1);
    uint8_t *bytes = calloc(1, map->results.size + 1);
    require(bytes != NULL);
    memcpy(bytes, data + 1, size - 1 < map->results.size ? size - 1 : map->results.size);
    if (data[0] / LOGS % 4 != 0)
        mend_records(map, bytes);
    read_rounds(map, bytes);
    free(bytes);
    return 0;
}
