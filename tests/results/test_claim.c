/* SPDX-License-Identifier: MIT */
/* Claims: a trial that a living campaign runs is not to be had, one of a dead campaign is; who is
 * dead is known by its process on this machine, and by its silence elsewhere. */
#include "results/store/trial_claim.h"

#include "base/file.h"
#include "base/folder.h"
#include "harness.h"
#include "paths.h"
#include "results/store_dump.h"
#include "results/trial_worker.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char key[] = "00112233445566778899aabbccddeeff";

/* A store with a plan, whose number is 1. */
static cam_store *open_store(const char *path) {
    static const char text[] = "plan: claims\ntitle: x\ngrids:\n"
                               "  - {design: mi, engine: plain, tests: 1}\n";
    cam_plan plan = {0};
    cam_store *store;
    col_problem problem;
    remove_store(path);
    assert_int_equal(cam_plan_read(&plan, text, strlen(text), "plan", NULL, &problem), COL_OK);
    assert_int_equal(cam_store_create(&store, path, &problem), COL_OK);
    assert_int_equal(cam_store_add_plan(store, &plan, &problem), COL_OK);
    cam_plan_free(&plan);
    return store;
}

static int64_t enlist(cam_store *store, const cam_process *who) {
    int64_t campaign = 0;
    col_problem problem;
    assert_int_equal(cam_enlist(store, 1, 2, who, &campaign, &problem), COL_OK);
    assert_true(campaign > 0);
    return campaign;
}

static cam_claim claim_as(cam_store *store, int64_t campaign, const cam_process *self, bool retry) {
    cam_claim claim;
    col_problem problem;
    cam_store_credit(store, campaign);
    assert_int_equal(cam_claim_take(store, key, retry, self, &claim, &problem), COL_OK);
    return claim;
}

/* A process of this machine that lives until it is told otherwise. */
static pid_t start_other(cam_process *other) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        cam_process self;
        cam_process_self(&self);
        if (write(ends[1], &self, sizeof self) == sizeof self)
            (void)pause();
        _exit(0);
    }
    assert_int_equal(read(ends[0], other, sizeof *other), sizeof *other);
    (void)close(ends[0]);
    (void)close(ends[1]);
    assert_int_equal(other->pid, process);
    assert_true(other->started > 0);
    return process;
}

TEST(claims_end_with_their_process) {
    const char *path = scratch_path("claims.db");
    cam_process self, other;
    cam_process_self(&self);
    const pid_t process = start_other(&other);
    assert_string_equal(self.machine, other.machine);
    cam_store *store = open_store(path);
    const int64_t theirs = enlist(store, &other), ours = enlist(store, &self);
    assert_int_equal(claim_as(store, theirs, &other, false), CAM_CLAIMED);
    assert_int_equal(claim_as(store, theirs, &other, false), CAM_CLAIMED); /* its own */
    assert_int_equal(claim_as(store, ours, &self, false), CAM_IS_ELSEWHERE);
    /* Its silence means nothing where we can see it. */
    change_store(path, "UPDATE campaigns SET heartbeat = 0");
    assert_int_equal(claim_as(store, ours, &self, false), CAM_IS_ELSEWHERE);
    /* Dead, and nobody has asked how it ended. */
    (void)kill(process, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(claim_as(store, ours, &self, false), CAM_CLAIMED);
    assert_int_equal(claim_as(store, ours, &self, false), CAM_CLAIMED);
    assert_int_equal(waitpid(process, NULL, 0), process);
    /* Its number is somebody else's now. */
    cam_process reused = self;
    reused.pid = getppid();
    reused.started = 1;
    const int64_t dead = enlist(store, &reused);
    assert_int_equal(claim_as(store, dead, &reused, false), CAM_IS_ELSEWHERE);
    change_store(path, "DELETE FROM claims");
    assert_int_equal(claim_as(store, dead, &reused, false), CAM_CLAIMED);
    assert_int_equal(claim_as(store, ours, &self, false), CAM_CLAIMED);
    cam_store_close(store);
    remove_store(path);
}

TEST(claims_from_other_machines_end_after_silence) {
    const char *path = scratch_path("silence.db");
    cam_process self, far;
    col_problem problem;
    char text[64];
    cam_process_self(&self);
    far = self; /* the same numbers, elsewhere */
    (void)snprintf(far.machine, sizeof far.machine, "another machine");
    cam_store *store = open_store(path);
    const int64_t theirs = enlist(store, &far), ours = enlist(store, &self);
    assert_int_equal(claim_as(store, theirs, &far, false), CAM_CLAIMED);
    assert_int_equal(claim_as(store, ours, &self, false), CAM_IS_ELSEWHERE);
    change_store(path, "UPDATE campaigns SET heartbeat = heartbeat - 170");
    assert_int_equal(claim_as(store, ours, &self, false), CAM_IS_ELSEWHERE);
    change_store(path, "UPDATE campaigns SET heartbeat = heartbeat - 20");
    assert_int_equal(cam_beat(store, theirs, &problem), COL_OK);
    assert_int_equal(claim_as(store, ours, &self, false), CAM_IS_ELSEWHERE);
    change_store(path, "UPDATE campaigns SET heartbeat = heartbeat - 190");
    /* A campaign that begins drops the claims of the dead. */
    (void)enlist(store, &self);
    ask_store(path, "SELECT count(*) FROM claims", text, sizeof text);
    assert_string_equal(text, "0");
    /* Over: its claims are dropped, and what it left counts no more. */
    assert_int_equal(claim_as(store, ours, &self, false), CAM_CLAIMED);
    assert_int_equal(cam_discharge(store, ours, &problem), COL_OK);
    ask_store(path, "SELECT count(*) FROM claims", text, sizeof text);
    assert_string_equal(text, "0");
    ask_store(path, "SELECT count(*) FROM campaigns WHERE ended > 0", text, sizeof text);
    assert_string_equal(text, "1");
    cam_store_close(store);
    remove_store(path);
}

/* Rows go before claims; a failed one counts unless it is to be tried again, which is once. */
TEST(a_result_ends_its_claim) {
    const char *path = scratch_path("rows.db");
    cam_process self;
    col_problem problem;
    char text[64];
    cam_row row = {.key = key, .reason = "it did not work"};
    cam_process_self(&self);
    cam_store *store = open_store(path);
    const int64_t first = enlist(store, &self), second = enlist(store, &self);
    assert_int_equal(claim_as(store, first, &self, true), CAM_CLAIMED);
    assert_int_equal(cam_store_add(store, &row, NULL, 0, &problem), COL_OK);
    ask_store(path, "SELECT count(*) FROM claims", text, sizeof text);
    assert_string_equal(text, "0"); /* the row is the claim's end */
    assert_int_equal(claim_as(store, first, &self, true), CAM_WAS_FAILED);
    assert_int_equal(claim_as(store, second, &self, false), CAM_WAS_FAILED);
    assert_int_equal(claim_as(store, second, &self, true), CAM_CLAIMED);
    row.is_done = true;
    row.verdict = "pass";
    assert_int_equal(cam_store_add(store, &row, NULL, 0, &problem), COL_OK);
    assert_int_equal(claim_as(store, first, &self, true), CAM_WAS_DONE);
    cam_store_close(store);
    remove_store(path);
}

/* Folders and files of the dead go, those of the living and of others stay. */
TEST(only_what_dead_campaigns_left_is_swept) {
    const char *path = scratch_path("sweep.db");
    cam_process self, other;
    enum { FOLDERS = 4 };
    char folders[FOLDERS][512], published[4][512], file[PATH_MAX];
    col_problem problem;
    cam_process_self(&self);
    const pid_t process = start_other(&other);
    cam_store *store = open_store(path);
    const int64_t living = enlist(store, &other), dead = enlist(store, &self);
    cam_scratch_name(folders[0], sizeof folders[0], path, living, 0);
    cam_scratch_name(folders[1], sizeof folders[1], path, dead, 7);
    (void)snprintf(folders[2], sizeof folders[2], "%s.trial-mine", path);
    (void)snprintf(folders[3], sizeof folders[3], "%s.trial-%d-mine", path, (int)dead);
    for (size_t i = 0; i < FOLDERS; i++) {
        assert_int_equal(mkdir(folders[i], 0755), 0);
        assert_int_equal(mkdir(path_in(file, folders[i], "failure-1"), 0755), 0);
        FILE *made = fopen(path_in(file, folders[i], "failure-1/program.txt"), "w");
        assert_non_null(made);
        (void)fclose(made);
    }
    cam_running_name(published[0], sizeof published[0], path, living);
    cam_running_name(published[1], sizeof published[1], path, dead);
    (void)snprintf(published[2], sizeof published[2], "%s.running-mine", path);
    (void)snprintf(published[3], sizeof published[3], "%s.running--%d", path, (int)dead);
    for (size_t i = 0; i < 4; i++) {
        FILE *made = fopen(published[i], "w");
        assert_non_null(made);
        (void)fclose(made);
    }
    assert_int_equal(cam_scratch_sweep(store, path, 0, &self, &problem), COL_OK);
    assert_int_equal(access(published[0], F_OK), 0);
    assert_int_not_equal(access(published[1], F_OK), 0);
    assert_int_equal(access(folders[0], F_OK), 0);
    assert_int_not_equal(access(folders[1], F_OK), 0);
    assert_int_equal(access(folders[2], F_OK), 0);
    assert_int_equal(access(folders[3], F_OK), 0);
    assert_int_equal(cam_scratch_sweep(store, path, living, &self, &problem), COL_OK);
    assert_int_not_equal(access(folders[0], F_OK), 0);
    assert_int_not_equal(access(published[0], F_OK), 0);
    assert_int_equal(unlink(published[2]), 0); /* they are still there */
    assert_int_equal(unlink(published[3]), 0);
    base_folder_remove_path(folders[2]);
    base_folder_remove_path(folders[3]);
    (void)kill(process, SIGKILL);
    (void)waitpid(process, NULL, 0);
    cam_store_close(store);
    remove_store(path);
}

int main(void) {
    return run_all_tests(NULL, remove_scratch);
}
