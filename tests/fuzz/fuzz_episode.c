/* SPDX-License-Identifier: MIT */
/* No record of an episode, which may be somebody else's, crashes what reports or triages it, and
 * failures are counted once whatever it says of them. */
#include "../cover/toy_design.h"
#include "episode/triage/bugs.h"
#include "fuzz.h"
#include "results/store/episode_row.h"

#include <sys/stat.h>

static char folder[64], path[96];

static void clean_up(void) {
    base_folder_remove_path(folder);
}

static void prepare(void) {
    static const char program[] = "collider program 1\nlocation a0 0x40\nthread 0\nload a0\nend\n";
    static const char *const folders[] = {"failure-1-1", "bug-1"};
    col_coverage *coverage = NULL;
    char file[128];
    name_file(folder, "episode");
    require(mkdir(folder, 0700) == 0 && atexit(clean_up) == 0);
    (void)snprintf(path, sizeof path, "%s/coverage.txt", folder);
    require(col_coverage_new(&coverage, &toy_design, NULL) == COL_OK &&
            col_coverage_write_file(coverage, path, NULL) == COL_OK);
    col_coverage_free(coverage);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        (void)snprintf(file, sizeof file, "%s/%s", folder, folders[i]);
        require(mkdir(file, 0700) == 0);
        (void)snprintf(file, sizeof file, "%s/%s/program.txt", folder, folders[i]);
        put_file(file, program, sizeof program - 1);
    }
    (void)snprintf(path, sizeof path, "%s/episode.json", folder);
}

static void report(void) {
    cam_episode_row row = {0};
    col_problem problem = {0};
    require_sentence(cam_episode_row_read(&row, folder, &problem), &problem);
    for (uint32_t i = 0; i < row.failure_count; i++) {
        const char *name = row.failures[i].folder;
        require(name == NULL || (name[0] != '.' && strchr(name, '/') == NULL));
    }
    cam_episode_row_free(&row);
}

/* Two failures with a folder, of one bug and of none. */
static void count(void) {
    const char *const folders[] = {folder};
    const epi_triage_settings settings = {.folders = folders, .folder_count = 1};
    epi_case cases[2] = {{.bug = 0}, {.bug = EPI_NO_BUG}};
    epi_bug bugs[1] = {{.count = 0}};
    epi_triage triage = {
        .cases = cases, .case_count = 2, .bugs = bugs, .bug_count = 1, .is_complete = true};
    col_problem problem = {0};
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(cases[i].folder, sizeof cases[i].folder, "%s/failure-%zu-1", folder, i + 1);
        (void)snprintf(cases[i].was.fingerprint.hash, sizeof cases[i].was.fingerprint.hash, "%c",
                       "ab"[i]);
    }
    require_sentence(epi_bugs_count(&settings, &triage, &problem), &problem);
    require(bugs[0].count >= 1 && triage.unexplained >= 1 &&
            bugs[0].count + triage.unexplained == triage.failures);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (folder[0] == '\0')
        prepare();
    put_file(path, data, size);
    report();
    count();
    return 0;
}
