/* SPDX-License-Identifier: MIT */
/*
 * A campaign and its store. It has the store open only for moments, never while it forks: an SQLite
 * connection must not be carried over a fork.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS
#include "results/campaign_store.h"

#include "base/clock.h"
#include "base/json.h"
#include "results/store/episode_row.h"
#include "results/store/store_parts.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool cam_note(cam_campaign *c, col_status status) {
    if (c->status == COL_OK && status != COL_OK) {
        c->status = status;
        c->problem = c->latest;
    }
    return status == COL_OK;
}

uint64_t cam_count(const cam_campaign *c, cam_status status) {
    uint64_t count = 0;
    for (size_t i = 0; i < c->plan->trial_count; i++)
        count += c->statuses[i] == status;
    return count;
}

/* ---- Beginning. */

static bool is_chosen(const cam_campaign *c, size_t position) {
    return c->settings->chosen == NULL || c->settings->chosen[position];
}

int cam_compare_costs(const void *a, const void *b) {
    const cam_costly *x = a, *y = b;
    const int by_cost = (x->cost < y->cost) - (x->cost > y->cost);
    return by_cost != 0 ? by_cost : (x->position > y->position) - (x->position < y->position);
}

static col_status list_open(cam_campaign *c, col_problem *problem) {
    const col_status status = base_reserve(&c->open, &c->open_capacity, c->plan->trial_count + 1,
                                           sizeof *c->open, problem);
    for (size_t i = 0; i < c->plan->trial_count && status == COL_OK; i++) {
        const bool is_open =
            c->statuses[i] == CAM_OPEN || (c->statuses[i] == CAM_FAILED && c->settings->retry);
        if (is_open || !is_chosen(c, i))
            c->statuses[i] = CAM_OPEN;
        if (is_open && is_chosen(c, i))
            c->open[c->open_count++] = i;
    }
    c->before = c->total - c->open_count;
    if (status != COL_OK || c->settings->costs == NULL)
        return status;
    /* Then the last workers to end do not end long after the others. */
    cam_costly *list = NULL;
    BASE_TRY(base_new(&list, c->open_count + 1, sizeof *list, problem));
    for (size_t i = 0; i < c->open_count; i++)
        list[i] = (cam_costly){.cost = c->settings->costs[c->open[i]], .position = c->open[i]};
    qsort(list, c->open_count, sizeof *list, cam_compare_costs);
    for (size_t i = 0; i < c->open_count; i++)
        c->open[i] = list[i].position;
    free(list);
    return COL_OK;
}

static col_status enter_store(cam_campaign *c, cam_store *store, col_problem *problem) {
    int64_t plan = 0;
    uint64_t count = 0;
    col_status status = COL_OK;
    /* Before anything is written. Trials that another plan has in common with this one are no
     * reason to be careful. */
    if (!c->settings->resume && !c->settings->retry)
        status = cam_store_count_results(store, c->plan->hash, &count, problem);
    if (status == COL_OK && count > 0)
        return base_refuse(problem,
                           "%.300s has results of this plan already (%" PRIu64
                           " of %zu trials); --resume continues it, --out names another store",
                           c->settings->store, count, c->plan->trial_count);
    BASE_THEN(status,
              cam_store_put_plan(store, c->plan, &c->keys, c->settings->chosen, &plan, problem));
    BASE_THEN(status, cam_store_count_outdated(store, &c->summary->outdated, problem));
    BASE_THEN(status,
              cam_store_status(store, c->plan->hash, c->statuses, c->plan->trial_count, problem));
    BASE_THEN(status, list_open(c, problem));
    BASE_THEN(status,
              cam_enlist(store, plan, c->worker_count, &c->task.self, &c->task.campaign, problem));
    BASE_THEN(status, cam_scratch_sweep(store, c->settings->store, 0, &c->task.self, problem));
    return status;
}

/* What workers and their campaign have in common. */
typedef struct cam_shared {
    int stop;
    cam_pulse pulses[CAM_MOST_WORKERS];
} cam_shared;

static col_status begin_task(cam_campaign *c, col_problem *problem) {
    void *memory =
        mmap(NULL, sizeof(cam_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return base_fail(problem, "no memory can be shared with workers");
    c->shared = memory;
    c->pulses = c->shared->pulses;
    c->task = (cam_task){.plan = c->plan,
                         .keys = &c->keys,
                         .keeps_failure = c->keeps_failure,
                         .store = c->settings->store,
                         .retry = c->settings->retry,
                         .stop = &c->shared->stop,
                         .pulses = c->pulses};
    cam_process_self(&c->task.self);
    return COL_OK;
}

col_status cam_campaign_begin(cam_campaign *c, col_problem *problem) {
    cam_store *store = NULL;
    for (size_t i = 0; i < c->plan->trial_count; i++)
        c->total += is_chosen(c, i);
    c->summary->total = c->total;
    BASE_TRY(base_new(&c->statuses, c->plan->trial_count + 1, sizeof *c->statuses, problem));
    BASE_TRY(
        base_new(&c->keeps_failure, c->plan->trial_count + 1, sizeof *c->keeps_failure, problem));
    col_status status = COL_OK;
    c->has_own_keys = c->settings->keys == NULL;
    if (c->has_own_keys)
        status = cam_keys_make(&c->keys, c->plan, problem);
    else
        c->keys = *c->settings->keys;
    BASE_THEN(status, cam_wording_begin(&c->wording, c->plan, problem));
    BASE_THEN(status, cam_choose_kept(c->plan, c->keeps_failure, problem));
    BASE_THEN(status, begin_task(c, problem));
    BASE_THEN(status, cam_store_create(&store, c->settings->store, problem));
    BASE_THEN(status, enter_store(c, store, problem));
    cam_store_close(store);
    return status;
}

/* ---- The store, for a moment. */

static cam_store *open_store(cam_campaign *c) {
    cam_store *store = NULL;
    if (cam_note(c, cam_store_open_again(&store, c->settings->store, &c->latest)))
        cam_store_credit(store, c->task.campaign);
    return store;
}

void cam_campaign_beat(cam_campaign *c) {
    if (base_seconds() - c->last_beat < CAM_HEARTBEAT)
        return;
    c->last_beat = base_seconds();
    cam_store *store = open_store(c);
    if (store != NULL)
        (void)cam_note(c, cam_beat(store, c->task.campaign, &c->latest));
    cam_store_close(store);
}

void cam_campaign_fail(cam_campaign *c, size_t position, const char *reason, double seconds) {
    cam_outcome outcome = {0};
    cam_row_begin(&outcome.row, &c->plan->trials[position], c->keys.keys[position],
                  c->keys.designs[position], c->task.self.host);
    outcome.row.seconds = seconds;
    cam_outcome_fail(&outcome, reason);
    cam_store *store = open_store(c);
    if (store != NULL)
        (void)cam_note(c, cam_store_add(store, &outcome.row, NULL, 0, &c->latest));
    cam_store_close(store);
}

/* ---- What runs. */

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

/* Says what runs and how far it has got, once a second. In place and unsynced: who reads half of it
 * reads it again. A disk that is full is no matter. */
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

/* ---- The end. */

/* What is summed up: all rows of the plan, or those of chosen trials. */
typedef struct sum {
    cam_campaign_summary *summary;
    const char **keys; /* of the chosen ones, sorted; NULL: all */
    size_t count;
} sum;

static int compare_keys(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static col_status sum_up(void *context, const cam_row *row, col_problem *problem) {
    const sum *s = context;
    cam_campaign_summary *summary = s->summary;
    const cam_trial trial = {.kind = row->kind, .pairs = row->pairs, .pair_count = row->pair_count};
    if (s->keys != NULL &&
        bsearch(&row->key, s->keys, s->count, sizeof *s->keys, compare_keys) == NULL)
        return COL_OK;
    summary->done += row->is_done;
    summary->failed += !row->is_done;
    if (!row->is_done && summary->failed == 1)
        (void)snprintf(summary->reason, sizeof summary->reason, "%s",
                       row->reason == NULL ? "the reason is unknown" : row->reason);
    if (cam_row_is_undecided(row)) {
        summary->undecided++;
        summary->instances += row->instances;
        summary->unjudged += row->undecided;
    }
    uint64_t waived;
    BASE_TRY(cam_row_waived(row, &waived, NULL, problem));
    summary->waived += waived;
    if (!cam_row_has_error(row))
        return COL_OK;
    *(cam_trial_hunts(&trial) ? &summary->found : &summary->unexpected) += 1;
    return COL_OK;
}

col_status cam_campaign_sum(const char *path, const cam_plan *plan, cam_campaign_summary *summary,
                            col_problem *problem) {
    cam_store *store = NULL;
    sum s = {.summary = summary};
    summary->total = plan->trial_count;
    col_status status = cam_store_open(&store, path, problem);
    BASE_THEN(status, cam_store_each(store, plan->hash, 0, sum_up, &s, problem));
    BASE_THEN(status, cam_store_count_outdated(store, &summary->outdated, problem));
    return cam_store_end(store, status, problem);
}

void cam_campaign_leave(cam_campaign *c) {
    sum s = {.summary = c->summary};
    char path[PATH_MAX];
    cam_running_name(path, sizeof path, c->settings->store, c->task.campaign);
    (void)unlink(path);
    cam_store *store = open_store(c);
    if (store == NULL)
        return;
    (void)cam_note(c, cam_discharge(store, c->task.campaign, &c->latest));
    (void)cam_scratch_sweep(store, c->settings->store, c->task.campaign, &c->task.self, NULL);
    col_status status = COL_OK;
    if (c->settings->chosen != NULL) {
        s.keys = calloc(c->total + 1, sizeof *s.keys);
        status = s.keys == NULL ? base_out_of_memory(&c->latest) : COL_OK;
        assert(s.keys != NULL || status != COL_OK);
        for (size_t i = 0; i < c->plan->trial_count && status == COL_OK; i++)
            if (is_chosen(c, i))
                s.keys[s.count++] = c->keys.keys[i];
        if (status == COL_OK)
            qsort(s.keys, s.count, sizeof *s.keys, compare_keys);
    }
    BASE_THEN(status, cam_store_each(store, c->plan->hash, 0, sum_up, &s, &c->latest));
    BASE_THEN(status, cam_store_take_log(store, &c->latest));
    (void)cam_note(c, status);
    free(s.keys);
    cam_store_close(store);
}

void cam_campaign_free(cam_campaign *c) {
    if (c->has_own_keys)
        cam_keys_free(&c->keys);
    cam_wording_end(&c->wording);
    if (c->shared != NULL)
        (void)munmap(c->shared, sizeof *c->shared);
    free(c->statuses);
    free(c->keeps_failure);
    free(c->open);
    free(c->elsewhere);
    free(c->ended);
    free(c);
}

/* ---- Watching campaigns: see campaign.h. */

enum { MOST_BYTES = 1 << 20 };

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

col_status cam_store_running(cam_store *store, cam_visit_running visit, void *context,
                             col_problem *problem) {
    enum { MACHINE = 4 };
    char path[PATH_MAX];
    cam_process self;
    int64_t campaign = 0;
    json_t *published = NULL;
    col_status status = COL_OK;
    sqlite3_stmt *list = cam_store_prepare(
        store, "SELECT key, since, campaigns.id, host, machine, pid, pid_started, heartbeat,"
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
                         .pid = sqlite3_column_int64(list, MACHINE + 1),
                         .is_alive = cam_row_is_alive(list, MACHINE, &self)};
        if (r.key == NULL || r.host == NULL)
            continue;
        take_published(published, &r);
        status = visit(context, &r, problem);
    }
    json_decref(published);
    (void)sqlite3_finalize(list);
    return status;
}
