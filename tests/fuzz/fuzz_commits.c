/* SPDX-License-Identifier: MIT */
/* No commit log makes its reader crash, what is wrong with one has a place, and however a text is
 * cut it says the same. */
#include "design/isa/image.h"
#include "design/isa/image_results.h"
#include "fuzz.h"

static col_program program = COL_PROGRAM_EMPTY;
static isa_image image = ISA_IMAGE_EMPTY;

static void prepare(void) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nthread 0\n load a0\n"
                               " swap a0 1\nthread 1\n await a0 1\n load a0\nend\n";
    isa_platform platform;
    isa_image_settings settings;
    isa_image_default(&settings);
    settings.log = ISA_LOG_TAP;
    require(isa_platform_open(&platform, "spike", NULL) == COL_OK);
    require(col_program_read(&program, text, sizeof text - 1, "test", NULL) == COL_OK);
    require(isa_image_build(&image, &program, &platform, &settings, NULL) == COL_OK);
}

/* Reads the text in pieces; the rounds that there are, or UINT64_MAX. */
static uint64_t read_all(const char *text, size_t size, size_t piece) {
    isa_commits *commits = NULL;
    const isa_map *map = NULL;
    const uint8_t *bytes = NULL;
    col_problem problem = {0};
    uint64_t rounds = UINT64_MAX;
    require(isa_commits_new(&commits, &image.maps[0], &program, "fuzz", &problem) == COL_OK);
    col_status status = COL_OK;
    for (size_t at = 0; at < size && status == COL_OK; at += piece)
        status =
            isa_commits_add(commits, text + at, size - at < piece ? size - at : piece, &problem);
    if (status == COL_OK)
        status = isa_commits_end(commits, &map, &bytes, &problem);
    require(status != COL_BAD_INPUT || (problem.line <= size + 1 && problem.message[0] != '\0'));
    isa_results results = {0};
    isa_reads reads = {0};
    if (status == COL_OK) {
        rounds = map->rounds;
        require(isa_results_open(&results, map, &program, bytes, NULL) == COL_OK);
        for (uint64_t r = 0; r < rounds; r++) {
            char sentence[320];
            require(isa_results_round(&results, r, &reads, NULL) == COL_OK);
            (void)isa_reads_explain(&results, &reads, sentence, sizeof sentence);
        }
    }
    isa_reads_free(&reads);
    isa_results_close(&results);
    isa_commits_free(commits);
    return rounds;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (program.thread_count == 0)
        prepare();
    require(read_all((const char *)data, size, size + 1) == read_all((const char *)data, size, 3));
    return 0;
}
