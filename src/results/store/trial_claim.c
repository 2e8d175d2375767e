/* SPDX-License-Identifier: MIT */
/*
 * Campaigns and claims: see trial_claim.h.
 *
 * Invariants, whoever is killed whenever:
 *  1. A claim is put in the transaction that has found neither a result that counts nor a claim of
 *     a campaign that lives: two campaigns cannot both find a trial free.
 *  2. A key has one claim, and once it is put it is ours: nobody else's is replaced but that of the
 *     dead.
 *  3. A claim names a campaign: one of nobody could never be found to be dead, and would stay for
 *     good.
 *  4. The row of a trial and the end of its claim are one transaction (cam_store_add): there is no
 *     moment at which a trial that is done can be claimed, nor one at which it is lost.
 *  5. A campaign that lives tells so several times before its silence counts: what it has claimed
 *     is not run by another one.
 */
#include "results/store/trial_claim.h"

#include "base/file.h"
#include "results/store/store_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert(CAM_SILENCE >= 3 * CAM_HEARTBEAT, "5: a late heartbeat is no silence");

/* ---- Processes. */

/* When a process began, in ticks since the machine did; 0: there is none, or nothing is left of it
 * but that nobody has asked how it ended. The name in the second field may hold anything. */
static int64_t start_of(int64_t pid) {
    enum { FIELDS_AFTER_NAME = 20 };
    char path[64];
    base_text text = {0};
    int64_t started = 0;
    (void)snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    if (base_file_read(path, &text, NULL) == COL_OK && text.data != NULL) {
        const char *at = strrchr(text.data, ')');
        const bool is_dead = at == NULL || strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0;
        for (int i = 0; at != NULL && i < FIELDS_AFTER_NAME; i++)
            at = strchr(at + 1, ' ');
        if (at != NULL && !is_dead)
            started = strtoll(at + 1, NULL, 10);
    }
    base_text_free(&text);
    return started;
}

void cam_process_self(cam_process *process) {
    char space[64] = "";
    base_text boot = {0};
    *process = (cam_process){.pid = getpid(), .started = start_of(getpid())};
    if (gethostname(process->host, sizeof process->host - 1) != 0)
        (void)snprintf(process->host, sizeof process->host, "unknown");
    if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0)
        space[0] = '\0';
    if (base_file_read("/proc/sys/kernel/random/boot_id", &boot, NULL) == COL_OK &&
        boot.data != NULL)
        boot.data[strcspn(boot.data, "\n")] = '\0';
    (void)snprintf(process->machine, sizeof process->machine, "%.60s %.60s",
                   boot.data == NULL ? process->host : boot.data, space);
    base_text_free(&boot);
}

/* Of a campaign's row that has not ended. Where numbers of processes mean something to us there is
 * no doubt; elsewhere a campaign that has been silent for long counts as dead. One that has our own
 * number is an earlier one of this process. */
static bool is_alive(const cam_process *who, int64_t heartbeat, const cam_process *self) {
    if (strcmp(who->machine, self->machine) != 0)
        return (int64_t)time(NULL) - heartbeat < CAM_SILENCE;
    return who->pid != self->pid && who->started != 0 && start_of(who->pid) == who->started;
}

bool cam_row_is_alive(sqlite3_stmt *row, int column, const cam_process *self) {
    cam_process who = {.pid = sqlite3_column_int64(row, column + 1),
                       .started = sqlite3_column_int64(row, column + 2)};
    const char *machine = (const char *)sqlite3_column_text(row, column);
    (void)snprintf(who.machine, sizeof who.machine, "%s", machine == NULL ? "" : machine);
    return sqlite3_column_type(row, column + 4) == SQLITE_NULL &&
           is_alive(&who, sqlite3_column_int64(row, column + 3), self);
}

/* ---- Campaigns. */

static col_status drop_dead_claims(cam_store *store, const cam_process *self,
                                   col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *list = cam_store_prepare(
        store, "SELECT id, machine, pid, pid_started, heartbeat, ended FROM campaigns"
               " WHERE id IN (SELECT campaign FROM claims)");
    while (status == COL_OK && cam_store_next(store, list, &status, problem))
        if (!cam_row_is_alive(list, 1, self))
            status = cam_store_tell(store, NULL, problem, "DELETE FROM claims WHERE campaign = ?1",
                                    "i", sqlite3_column_int64(list, 0));
    (void)sqlite3_finalize(list);
    return status;
}

col_status cam_enlist(cam_store *store, int64_t plan, uint32_t jobs, const cam_process *self,
                      int64_t *campaign, col_problem *problem) {
    col_status status = cam_store_enter(store, problem);
    BASE_THEN(status, drop_dead_claims(store, self, problem));
    BASE_THEN(
        status,
        cam_store_tell(
            store, campaign, problem,
            "INSERT INTO campaigns (plan, version, host, machine, pid, pid_started, jobs, started,"
            " heartbeat) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) RETURNING id",
            "itttiiii", plan, col_version(), self->host, self->machine, self->pid, self->started,
            (int64_t)jobs, (int64_t)time(NULL)));
    return cam_store_leave(store, status, problem);
}

void cam_store_credit(cam_store *store, int64_t campaign) {
    store->campaign = campaign;
}

col_status cam_beat(cam_store *store, int64_t campaign, col_problem *problem) {
    return cam_store_tell(store, NULL, problem, "UPDATE campaigns SET heartbeat = ?2 WHERE id = ?1",
                          "ii", campaign, (int64_t)time(NULL));
}

col_status cam_discharge(cam_store *store, int64_t campaign, col_problem *problem) {
    col_status status = cam_store_enter(store, problem);
    BASE_THEN(status, cam_store_tell(store, NULL, problem, "DELETE FROM claims WHERE campaign = ?1",
                                     "i", campaign));
    BASE_THEN(status,
              cam_store_tell(store, NULL, problem, "UPDATE campaigns SET ended = ?2 WHERE id = ?1",
                             "ii", campaign, (int64_t)time(NULL)));
    return cam_store_leave(store, status, problem);
}

col_status cam_is_alive(cam_store *store, int64_t campaign, const cam_process *self, bool *alive,
                        col_problem *problem) {
    col_status status = COL_OK;
    sqlite3_stmt *ask = cam_store_ask(
        store, "SELECT machine, pid, pid_started, heartbeat, ended FROM campaigns WHERE id = ?1",
        "i", campaign);
    *alive = cam_store_next(store, ask, &status, problem) && cam_row_is_alive(ask, 0, self);
    (void)sqlite3_finalize(ask);
    return status;
}

/* ---- Claims. */

/* What its row, or else a claim of it, says. */
static col_status find_claim(cam_store *store, const char *key, bool retry, const cam_process *self,
                             cam_claim *claim, col_problem *problem) {
    col_status status = COL_OK;
    *claim = CAM_CLAIMED;
    sqlite3_stmt *find = cam_store_statement_of(store, CAM_STORE_FIND_TRIAL);
    cam_store_bind_text(store, find, 1, key);
    if (cam_store_next(store, find, &status, problem)) {
        const bool is_done = sqlite3_column_int(find, 1) != 0;
        const bool is_ours = sqlite3_column_int64(find, 2) == store->campaign;
        if (is_done)
            *claim = CAM_WAS_DONE;
        else if (!retry || is_ours)
            *claim = CAM_WAS_FAILED;
    }
    (void)sqlite3_reset(find);
    if (status != COL_OK || *claim != CAM_CLAIMED)
        return status;
    find = cam_store_statement_of(store, CAM_STORE_FIND_CLAIM);
    cam_store_bind_text(store, find, 1, key);
    if (cam_store_next(store, find, &status, problem) &&
        sqlite3_column_int64(find, 0) != store->campaign && cam_row_is_alive(find, 1, self))
        *claim = CAM_IS_ELSEWHERE;
    (void)sqlite3_reset(find);
    return status;
}

static col_status put_claim(cam_store *store, const char *key, col_problem *problem) {
    base_invariant(!sqlite3_get_autocommit(store->database)); /* 1 */
    base_invariant(store->campaign != 0);                     /* 3 */
    const col_status status = cam_store_do(store, CAM_STORE_PUT_CLAIM, problem, "tii", key,
                                           store->campaign, (int64_t)time(NULL));
    base_invariant(status != COL_OK || sqlite3_changes(store->database) == 1); /* 2 */
    return status;
}

/* Looks before it enters: a trial that is not to be had costs no writing. That a claim is lost with
 * the power does no harm: it is not synced. */
col_status cam_claim_take(cam_store *store, const char *key, bool retry, const cam_process *self,
                          cam_claim *claim, col_problem *problem) {
    col_status status = find_claim(store, key, retry, self, claim, problem);
    if (status != COL_OK || *claim != CAM_CLAIMED)
        return status;
    status = cam_store_do(store, CAM_STORE_SYNC_LESS, problem, "");
    BASE_THEN(status, cam_store_enter(store, problem));
    if (status != COL_OK)
        return status;
    status = find_claim(store, key, retry, self, claim, problem);
    if (status == COL_OK && *claim == CAM_CLAIMED)
        status = put_claim(store, key, problem);
    status = cam_store_leave(store, status, problem);
    const col_status synced =
        cam_store_do(store, CAM_STORE_SYNC, status == COL_OK ? problem : NULL, "");
    return status == COL_OK ? synced : status;
}

col_status cam_claim_drop(cam_store *store, const char *key, col_problem *problem) {
    return cam_store_do(store, CAM_STORE_DROP_CLAIM, problem, "t", key);
}
