/* SPDX-License-Identifier: MIT */
/* No description of a failure, which may be somebody else's, crashes its reader or gets native code
 * past it, and what is wrong with one is said. */
#include "design/design_kind.h"
#include "episode/failure/failure.h"
#include "fuzz.h"

#include <sys/stat.h>

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
    name_file(folder, "failure");
    (void)snprintf(path, sizeof path, "%s/failure.json", folder);
    (void)snprintf(program, sizeof program, "%s/program.txt", folder);
    require(mkdir(folder, 0700) == 0 && atexit(clean_up) == 0);
    put_file(program, text, sizeof text - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    epi_recorded recorded = {.program = COL_PROGRAM_EMPTY};
    col_failure was = {0};
    col_problem problem = {0};
    if (folder[0] == '\0')
        prepare();
    put_file(path, data, size);
    const col_status status = epi_failure_read(folder, false, &recorded, &was, &problem);
    require_sentence(status, &problem);
    require(status != COL_OK ||
            (recorded.design != NULL && !duv_kind_of(recorded.design)->is_code &&
             recorded.program.thread_count == 1 &&
             recorded.setting.design.cores <= COL_MAX_THREADS));
    epi_recorded_free(&recorded);
    return 0;
}
