/* SPDX-License-Identifier: MIT */
/* No map makes its reader crash, and whatever results come with a map that is accepted are read
 * within their bounds. */
#include "design/isa/image.h"
#include "design/isa/image_results.h"
#include "fuzz.h"

/* Programs and maps are in tests/data/map; the hash in them is that of this one. */
static const char text[] = "collider program 1\nlocation a0 0x40\nthread 0\n load a0\n store a0 1\n"
                           "thread 1\n await a0 1\nend\n";

static void read_results(const isa_map *map, const col_program *program) {
    enum { MOST = 1 << 20 };
    isa_results results = {0};
    isa_ending ending;
    isa_reads reads = {0};
    char sentence[320];
    if (map->results.size > MOST)
        return;
    uint8_t *bytes = calloc(1, map->results.size + 1);
    require(bytes != NULL && isa_results_open(&results, map, program, bytes, NULL) == COL_OK);
    (void)isa_results_ending(&results, &ending, NULL);
    for (uint64_t r = 0; r < map->rounds && r < 8; r++)
        if (isa_results_round(&results, r, &reads, NULL) == COL_OK)
            (void)isa_reads_explain(&results, &reads, sentence, sizeof sentence);
    isa_reads_free(&reads);
    isa_results_close(&results);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static col_program program = COL_PROGRAM_EMPTY;
    isa_map map = ISA_MAP_EMPTY;
    col_problem problem = {0};
    require(program.thread_count > 0 ||
            col_program_read(&program, text, sizeof text - 1, "test", NULL) == COL_OK);
    const col_status status =
        isa_map_parse(&map, (const char *)data, size, "map.json", &program, &problem);
    require(status != COL_BAD_INPUT || problem.message[0] != '\0');
    if (status == COL_OK)
        read_results(&map, &program);
    isa_map_free(&map);
    return 0;
}
