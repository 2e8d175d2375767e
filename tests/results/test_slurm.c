/* SPDX-License-Identifier: MIT */
/* What Slurm's commands say, by scripts in their place: what squeue knows, what it has forgotten
 * and sacct remembers, and what nobody does. tools/slurm-test asks the real ones. */
#include "results/cluster/cluster.h"

#include "base/file.h"
#include "harness.h"
#include "results/store_dump.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_command(const char *name, const char *script) {
    base_text text = {0};
    const char *path = scratch_path(name);
    base_text_print(&text, "#!/bin/sh\n%s\n", script);
    assert_int_equal(base_file_write(path, text.data, text.length, NULL), COL_OK);
    assert_int_equal(chmod(path, 0700), 0);
    base_text_free(&text);
}

static void drop_command(const char *name) {
    (void)unlink(scratch_path(name));
}

/* The commands of the machine, if it has any, are out of sight. */
static void look_in_scratch_alone(void) {
    base_text path = {0};
    base_text_print(&path, "%s:/bin", scratch_folder());
    assert_int_equal(setenv("PATH", path.data, 1), 0);
    base_text_free(&path);
}

static bool are_equal(const cam_slurm_tasks *a, const cam_slurm_tasks *b) {
    return a->pending == b->pending && a->running == b->running && a->completed == b->completed &&
           a->cancelled == b->cancelled && a->failed == b->failed && a->is_known == b->is_known;
}

typedef struct look {
    const char *queue, *accounting; /* scripts; accounting NULL: there is no such command */
    col_status status;
    cam_slurm_tasks tasks;
} look;

TEST(tasks_are_counted_by_their_states) {
    static const char forgotten[] =
        "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1";
    static const look looks[] = {
        {"printf 'PENDING\nRUNNING\nRUNNING\nCOMPLETED\nFAILED\nCANCELLED\n'",
         "echo COMPLETED",
         COL_OK,
         {1, 2, 1, 1, 1, true}},
        {"printf 'PREEMPTED\nREQUEUED\nCOMPLETING\nNODE_FAIL\n'",
         NULL,
         COL_OK,
         {1, 1, 0, 0, 2, true}},
        {forgotten,
         "printf 'COMPLETED\nCANCELLED by 1000\nTIMEOUT\nCOMPLETED\n'",
         COL_OK,
         {0, 0, 2, 1, 1, true}},
        {"exit 0", "printf 'COMPLETED\n'", COL_OK, {0, 0, 1, 0, 0, true}},
        {forgotten, "echo 'Slurm accounting storage is disabled' >&2; exit 1", COL_OK, {0}},
        {forgotten, "exit 0", COL_OK, {0}},
        {forgotten, "printf '\n \n'", COL_OK, {0}},
        {forgotten, NULL, COL_OK, {0}},
        {"echo 'Unable to contact slurm controller' >&2; exit 1",
         "echo COMPLETED",
         COL_FAILURE,
         {0}}};
    look_in_scratch_alone();
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        cam_slurm_tasks tasks;
        col_problem problem;
        put_command("squeue", looks[i].queue);
        drop_command("sacct");
        if (looks[i].accounting != NULL)
            put_command("sacct", looks[i].accounting);
        assert_int_equal(cam_slurm_count_tasks("4711", &tasks, &problem), looks[i].status);
        if (!are_equal(&tasks, &looks[i].tasks))
            fail_msg("%zu: %u waiting, %u running, %u completed, %u cancelled, %u failed", i,
                     tasks.pending, tasks.running, tasks.completed, tasks.cancelled, tasks.failed);
    }
    drop_command("squeue");
    drop_command("sacct");
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
