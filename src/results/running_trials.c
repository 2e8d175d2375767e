/* SPDX-License-Identifier: MIT */
/* Trials that are running, and how far they have got: see running_trials.h. */
#include "results/running_trials.h"

#include "base/clock.h"
#include "base/json.h"
#include "results/campaign_store.h"
#include "results/store/store_parts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

/* ---- In the worker. */

void cam_pulse_reset(cam_pulse *pulse) {
    atomic_store(&pulse->tests, 0);
    atomic_store(&pulse->cycles, 0);
    for (int m = 0; m < COL_METRIC_COUNT; m++) {
        atomic_store(&pulse->covered[m], 0);
        atomic_store(&pulse->total[m], 0);
    }
}

void cam_pulse_take(cam_pulse *pulse, const col_progress *progress) {
    atomic_store(&pulse->tests, progress->tests);
    atomic_store(&pulse->cycles, progress->cycles);
    for (int m = 0; m < COL_METRIC_COUNT; m++) {
        const col_covered all =
            col_coverage_of(progress->coverage, COL_CUMULATIVE, (col_metric)m, COL_ALL_MACHINES);
        atomic_store(&pulse->covered[m], all.covered);
        atomic_store(&pulse->total[m], all.total);
    }
}

/* ---- In the campaign. */

void cam_running_name(char *path, size_t size, const char *store, int64_t campaign) {
    (void)snprintf(path, size, "%s.running-%lld", store, (long long)campaign);
}

static json_t *describe(cam_campaign *c, uint32_t worker) {
    cam_pulse *p = &c->pulses[worker];
    const size_t position = c->workers[worker].position;
    return json_pack("{s:s, s:o, s:I, s:I, s:[I, I], s:[I, I]}", "key", c->keys.keys[position],
                     "text", base_json_text(cam_wording_of(&c->wording, position)), "tests",
                     (json_int_t)atomic_load(&p->tests), "cycles",
                     (json_int_t)atomic_load(&p->cycles), "structural",
                     (json_int_t)atomic_load(&p->covered[COL_STRUCTURAL]),
                     (json_int_t)atomic_load(&p->total[COL_STRUCTURAL]), "functional",
                     (json_int_t)atomic_load(&p->covered[COL_FUNCTIONAL]),
                     (json_int_t)atomic_load(&p->total[COL_FUNCTIONAL]));
}

/* In place and unsynced: who reads half of it reads it again. A disk that is full is no matter. */
void cam_running_publish(cam_campaign *c) {
    const double now = base_seconds();
    char path[PATH_MAX];
    if (now - c->last_published < 1)
        return;
    c->last_published = now;
    json_t *list = json_array();
    base_text text = {0};
    for (uint32_t i = 0; i < c->worker_count; i++)
        if (c->workers[i].process.id != 0 && c->workers[i].is_busy)
            base_json_append(&list, describe(c, i));
    base_json_print(list, JSON_COMPACT, &text);
    json_decref(list);
    cam_wording_forget(&c->wording);
    cam_running_name(path, sizeof path, c->settings->store, c->task.campaign);
    const int file = text.failed
                         ? -1
                         : open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
                                S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
    if (file >= 0) {
        const bool is_whole = pwrite(file, text.data, text.length, 0) == (ssize_t)text.length &&
                              ftruncate(file, (off_t)text.length) == 0;
        (void)is_whole;
        (void)close(file);
    }
    base_text_free(&text);
}

void cam_running_end(const cam_campaign *c) {
    char path[PATH_MAX];
    cam_running_name(path, sizeof path, c->settings->store, c->task.campaign);
    (void)unlink(path);
}

/* ---- Watching. */

/* What a campaign has published; NULL: nothing that can be read. */
static json_t *read_published(const char *path) {
    struct stat about;
    json_t *list = NULL;
    base_text text = {0};
    char part[4096];
    ssize_t length;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES)
        while (text.length <= MOST_BYTES && (length = read(file, part, sizeof part)) > 0)
            base_text_add_bytes(&text, part, (size_t)length);
    (void)close(file);
    if (text.length > 0 && text.length <= MOST_BYTES && !text.failed &&
        strlen(text.data) == text.length)
        (void)base_json_parse(text.data, text.length, path, &list, NULL);
    base_text_free(&text);
    return list;
}

static void take_published(const json_t *list, cam_running *r) {
    size_t i;
    const json_t *entry;
    json_array_foreach(list, i, entry) {
        const char *key = json_string_value(json_object_get(entry, "key"));
        if (key == NULL || strcmp(key, r->key) != 0)
            continue;
        r->text = json_string_value(json_object_get(entry, "text"));
        (void)base_json_take(entry, "tests", &r->tests);
        (void)base_json_take(entry, "cycles", &r->cycles);
        for (int m = 0; m < COL_METRIC_COUNT; m++) {
            bool is_good = true;
            const json_t *pair = json_object_get(entry, cam_metric_name((col_metric)m));
            const uint64_t covered = base_json_number(json_array_get(pair, 0), &is_good);
            const uint64_t total = base_json_number(json_array_get(pair, 1), &is_good);
            if (!is_good || covered > total || total > UINT32_MAX)
                continue;
            r->covered[m] = (uint32_t)covered;
            r->total[m] = (uint32_t)total;
        }
        return;
    }
}

col_status cam_store_running(cam_store *store, cam_visit_running take, void *context,
                             col_problem *problem) {
    enum { MACHINE = 5 };
    char path[PATH_MAX];
    cam_process self;
    int64_t campaign = 0;
    json_t *published = NULL;
    col_status status = COL_OK;
    sqlite3_stmt *list = cam_store_prepare(
        store,
        "SELECT key, since, campaigns.id, host, heartbeat, machine, pid, pid_started, heartbeat,"
        " ended FROM claims JOIN campaigns ON campaigns.id = claims.campaign"
        " ORDER BY campaigns.id, since, key");
    cam_process_self(&self);
    while (status == COL_OK && cam_store_next(store, list, &status, problem)) {
        if (sqlite3_column_int64(list, 2) != campaign) {
            campaign = sqlite3_column_int64(list, 2);
            cam_running_name(path, sizeof path, store->file, campaign);
            json_decref(published);
            published = read_published(path);
        }
        cam_running r = {.key = (const char *)sqlite3_column_text(list, 0),
                         .host = (const char *)sqlite3_column_text(list, 3),
                         .since = sqlite3_column_int64(list, 1),
                         .heartbeat = sqlite3_column_int64(list, 4),
                         .pid = sqlite3_column_int64(list, MACHINE + 1),
                         .is_alive = cam_row_is_alive(list, MACHINE, &self)};
        if (r.key == NULL || r.host == NULL)
            continue;
        take_published(published, &r);
        status = take(context, &r, problem);
    }
    json_decref(published);
    (void)sqlite3_finalize(list);
    return status;
}
