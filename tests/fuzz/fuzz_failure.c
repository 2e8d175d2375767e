/* SPDX-License-Identifier: MIT */
/* No description of a failure, which may be somebody else's, crashes its reader or gets native code
 * past it, and what is wrong with one is said. */
#include "base/file.h"
#include "design/design_kind.h"
#include "episode/failure/failure.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64], path[96];

static void clean_up(void) {
    char program[96];
    (void)snprintf(program, sizeof program, "%s/program.txt", folder);
    (void)unlink(program);
    (void)unlink(path);
    (void)rmdir(folder);
}

static void prepare(void) {
    static const char text[] = "collider program 1\nlocation a0 0x40\nthread 0\nload a0\nend\n";
    char program[96];
    (void)snprintf(folder, sizeof folder, "/dev/shm/fuzz-failure-%ld", (long)getpid());
    (void)snprintf(path, sizeof path, "%s/failure.json", folder);
    (void)snprintf(program, sizeof program, "%s/program.txt", folder);
    if (mkdir(folder, 0700) != 0 ||
        base_file_write(program, text, sizeof text - 1, NULL) != COL_OK || atexit(clean_up) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    epi_recorded recorded = {.program = COL_PROGRAM_EMPTY};
    col_failure was = {0};
    col_problem problem = {0};
    if (folder[0] == '\0')
        prepare();
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
    const col_status status = epi_failure_read(folder, false, &recorded, &was, &problem);
    if (status == COL_OK) {
        if (recorded.design == NULL || duv_kind_of(recorded.design)->is_code ||
            recorded.program.thread_count != 1 || recorded.setting.design.cores > COL_MAX_THREADS)
            abort();
    } else if (status != COL_BAD_INPUT || problem.message[0] == '\0') {
        abort();
    }
    epi_recorded_free(&recorded);
    return 0;
}
