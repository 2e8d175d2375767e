/* SPDX-License-Identifier: MIT */
/*
 * Reading stores. Several of them are one: a trial that is in two of them counts once, and one that
 * was done counts before one that failed. A trial that two plans share belongs to a group of each,
 * but its hits are counted once.
 */
#include "base/memory.h"
#include "results/report/report_maker.h"
#include "results/statistics/evolution.h"
#include "results/store/episode_row.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Stories, pictures and programs of failures beyond this are not kept. */
enum { MOST_FAILURE_BYTES = 64 << 20 };

typedef struct reading {
    rep_maker *maker;
    cam_store *store;
    uint32_t plan;
    uint32_t number; /* of the store */
} reading;

/* ---- Plans and designs. */

static col_status take_plan(void *context, const cam_plan_row *row, col_problem *problem) {
    rep_maker *m = ((reading *)context)->maker;
    rep_report *r = m->report;
    if (m->settings->plan != NULL && strcmp(m->settings->plan, row->name) != 0)
        return COL_OK;
    for (uint32_t i = 0; i < r->plan_count; i++)
        if (strcmp(r->plans[i].hash, row->hash) == 0)
            return COL_OK;
    r->plans = rep_grow(&r->arena, r->plans, r->plan_count, &m->plan_capacity, sizeof *r->plans);
    if (r->plans == NULL)
        return base_out_of_memory(problem);
    r->plans[r->plan_count++] =
        (rep_plan){.name = rep_keep(m, row->name),
                   .title = rep_keep(m, row->title == NULL ? "" : row->title),
                   .scale = rep_keep(m, row->scale == NULL ? "" : row->scale),
                   .hash = rep_keep(m, row->hash),
                   .text = rep_keep(m, row->text == NULL ? "" : row->text),
                   .trials = row->trials};
    return COL_OK;
}

static col_status take_design(void *context, const cam_design_row *row, col_problem *problem) {
    rep_maker *m = ((reading *)context)->maker;
    rep_report *r = m->report;
    const uint32_t known = base_names_find(&m->protocols.designs, row->hash);
    const col_status status = rep_protocols_add_design(&m->protocols, row, problem);
    if (status != COL_OK || known != UINT32_MAX)
        return status;
    r->designs =
        rep_grow(&r->arena, r->designs, r->design_count, &m->design_capacity, sizeof *r->designs);
    if (r->designs == NULL)
        return base_out_of_memory(problem);
    r->designs[r->design_count++] = (rep_design){
        .name = rep_keep(m, row->name), .hash = rep_keep(m, row->hash), .cores = row->cores};
    return COL_OK;
}

/* ---- Trials. */

/* The curve is copied: rows of a group do not come one after the other. */
static void keep_row(rep_maker *m, const cam_row *row, cam_row *kept) {
    *kept = *row;
    kept->key = rep_keep(m, row->key);
    cam_pair *pairs = base_arena_take(&m->report->arena, (row->pair_count + 1) * sizeof *pairs);
    m->failed |= pairs == NULL;
    for (uint32_t i = 0; i < row->pair_count && pairs != NULL; i++)
        pairs[i] = (cam_pair){.name = rep_keep(m, row->pairs[i].name),
                              .value = rep_keep(m, row->pairs[i].value)};
    kept->pairs = pairs;
    kept->reason = rep_keep(m, row->reason);
    kept->provenance.version = rep_keep(m, row->provenance.version);
    kept->provenance.host = rep_keep(m, row->provenance.host);
    kept->provenance.design_hash = rep_keep(m, row->provenance.design_hash);
    kept->design = rep_keep(m, row->design);
    kept->model = rep_keep(m, row->model);
    kept->verdict = rep_keep(m, row->verdict);
    kept->ended_by = rep_keep(m, row->ended_by);
    kept->result = rep_keep(m, row->result);
    kept->learning = NULL;
    kept->hits = NULL;
    kept->first = NULL;
    kept->point_count = 0;
    kept->curve = NULL;
    kept->curve_count = 0;
    kept->packed = NULL;
    const size_t size =
        row->packed != NULL ? row->packed_size : row->curve_count * sizeof *row->curve;
    void *copy = row->curve_count == 0 ? NULL : base_arena_take(&m->report->arena, size);
    if (row->curve_count > 0 && copy == NULL) {
        m->failed = true;
        return;
    }
    kept->curve_count = row->curve_count;
    if (copy != NULL)
        memcpy(copy, row->packed != NULL ? (const void *)row->packed : row->curve, size);
    if (copy != NULL && row->packed != NULL) {
        kept->packed = copy; /* only without a price and a cut-off */
        return;
    }
    kept->curve = copy;
    /* With the report's price, and cut off where it ends. */
    cam_charge(kept, m->settings->price, copy);
    if (m->settings->until > 0)
        cam_end_after(kept, m->settings->until);
}

static col_status put(reading *in, const cam_row *row, rep_trial *trial, col_problem *problem) {
    rep_maker *m = in->maker;
    *trial = (rep_trial){.plan = in->plan};
    keep_row(m, row, &trial->row);
    if (row->learning != NULL && m->settings->until == 0 &&
        !rep_learned_read(&m->report->arena, row->learning, &trial->learned))
        m->failed = true;
    if (m->first == 0 || row->provenance.started < m->first)
        m->first = row->provenance.started;
    if (row->provenance.started > m->last)
        m->last = row->provenance.started;
    return m->failed ? base_out_of_memory(problem) : COL_OK;
}

static col_status count_hits(rep_maker *m, const cam_row *row, col_problem *problem) {
    bool is_new;
    uint32_t number;
    if (!row->is_done || row->hits == NULL || m->settings->until > 0)
        return COL_OK;
    const col_status status = base_names_add(&m->keys, row->key, &number, &is_new, problem);
    return status == COL_OK && is_new ? rep_protocols_add(&m->protocols, row, problem) : status;
}

static col_status take_row(void *context, const cam_row *row, col_problem *problem) {
    reading *in = context;
    rep_maker *m = in->maker;
    bool is_new;
    uint32_t number;
    char name[128];
    (void)snprintf(name, sizeof name, "%u %s", in->plan, row->key);
    col_status status = base_names_add(&m->identities, name, &number, &is_new, problem);
    if (status == COL_OK)
        status = count_hits(m, row, problem);
    if (status != COL_OK)
        return status;
    if (!is_new)
        return row->is_done && !m->trials[number].row.is_done
                   ? put(in, row, &m->trials[number], problem)
                   : COL_OK;
    status = base_reserve(&m->trials, &m->trial_capacity, m->trial_count + 1, sizeof *m->trials,
                          problem);
    return status == COL_OK ? put(in, row, &m->trials[m->trial_count++], problem) : status;
}

/* ---- Failures. */

static const char *copy_text(rep_maker *m, const char *text) {
    if (text == NULL)
        return NULL;
    const char *copy = base_arena_text(&m->report->arena, text, strlen(text));
    m->failed |= copy == NULL;
    return copy;
}

/* A trial that two plans or stores share counts once. */
static col_status count_failure(const reading *in, const cam_failure_row *row, uint32_t *kind,
                                col_problem *problem) {
    rep_maker *m = in->maker;
    char name[128];
    uint32_t number;
    bool is_new = false;
    (void)snprintf(name, sizeof name, "%.64s %u", row->key, row->kind);
    col_status status = base_names_add(&m->counted, name, &number, &is_new, problem);
    cam_failure_row again = *row;
    again.count = is_new ? row->count : 0;
    return status == COL_OK ? cam_failure_kinds_add(&m->kinds, &again, in->number, kind, problem)
                            : status;
}

/* `group` holds the number of the trial until groups are known, `kind` the number of the kind until
 * they are sorted. */
static col_status take_failure(void *context, const cam_failure_row *row, col_problem *problem) {
    reading *in = context;
    rep_maker *m = in->maker;
    rep_report *r = m->report;
    char name[128];
    uint32_t kind = 0;
    (void)snprintf(name, sizeof name, "%u %s", in->plan, row->key);
    const uint32_t trial = base_names_find(&m->identities, name);
    const uint64_t until = m->settings->until;
    if (trial == UINT32_MAX ||
        (until > 0 && cam_paid(row->cycles, m->settings->price, row->test) > until))
        return COL_OK;
    const col_status counted = count_failure(in, row, &kind, problem);
    if (counted != COL_OK || (row->story == NULL && row->record == NULL))
        return counted;
    const uint64_t hash = base_index_hash((uint64_t)trial << 32 | kind);
    const bool may_be_there = m->settings->store_count > 1;
    if (may_be_there && base_index_find(&m->kept, hash, NULL, NULL, NULL) != BASE_NO_NUMBER)
        return COL_OK;
    col_status status = base_reserve(&m->failures, &m->failure_capacity,
                                     (size_t)r->failure_count + 1, sizeof *m->failures, problem);
    if (status == COL_OK && may_be_there)
        status = base_index_put(&m->kept, hash, problem);
    if (status != COL_OK)
        return status;
    r->failures = m->failures;
    const char *const texts[] = {row->story, row->picture, row->shrunk, row->litmus};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        bytes += texts[i] == NULL ? 0 : strlen(texts[i]);
    const bool has_room = m->failure_bytes + bytes <= MOST_FAILURE_BYTES;
    m->failure_bytes += has_room ? bytes : 0;
    cam_failure_name(row, name);
    r->failures[r->failure_count++] = (rep_failure){
        .group = trial,
        .kind = kind,
        .command =
            row->record == NULL || row->program == NULL ? NULL : rep_command(m, in->number, name),
        .test = row->test,
        .instance = row->instance,
        .cycles = row->cycles,
        .seconds = row->seconds,
        .verdict = rep_keep(m, row->verdict == NULL ? "" : row->verdict),
        .reason = rep_keep(m, row->reason == NULL ? "" : row->reason),
        .story = has_room ? copy_text(m, row->story) : NULL,
        .picture = has_room ? copy_text(m, row->picture) : NULL,
        .program = has_room ? copy_text(m, row->shrunk) : NULL,
        .litmus = has_room ? copy_text(m, row->litmus) : NULL,
        .threads = row->threads,
        .operations = row->operations,
        .locations = row->locations};
    return m->failed ? base_out_of_memory(problem) : COL_OK;
}

/* ---- All of it. */

static col_status read_store(reading *in, col_problem *problem) {
    const rep_settings *s = in->maker->settings;
    const unsigned curves = s->price > 0 || s->until > 0 ? CAM_CURVES : CAM_PACKED;
    /* a store has hits and learning logs for whole episodes only */
    const unsigned whole = s->until > 0 ? 0 : CAM_HITS | CAM_LEARNING;
    col_status status = cam_store_plans(in->store, take_plan, in, problem);
    if (status == COL_OK)
        status = cam_store_designs(in->store, take_design, in, problem);
    for (in->plan = 0; in->plan < in->maker->report->plan_count && status == COL_OK; in->plan++) {
        const char *hash = in->maker->report->plans[in->plan].hash;
        status = cam_store_each(in->store, hash, curves | whole, take_row, in, problem);
        if (status == COL_OK)
            status = cam_store_failures(in->store, hash, take_failure, in, problem);
    }
    return status;
}

/* ---- Episodes that are not of a store. */

static col_status take_episode(rep_maker *m, uint32_t number, const cam_episode_row *episode,
                               col_problem *problem) {
    reading in = {.maker = m, .number = number};
    const size_t before = m->trial_count;
    col_status status = take_plan(&in, &episode->plan, problem);
    while (in.plan < m->report->plan_count &&
           strcmp(m->report->plans[in.plan].hash, episode->plan.hash) != 0)
        in.plan++;
    if (status != COL_OK || in.plan == m->report->plan_count)
        return status; /* another plan is asked for */
    status = take_design(&in, &episode->design, problem);
    if (status == COL_OK)
        status = take_row(&in, &episode->row, problem);
    for (uint32_t i = 0; i < episode->failure_count && status == COL_OK; i++)
        status = take_failure(&in, &episode->failures[i], problem);
    m->report->plans[in.plan].trials += m->trial_count - before;
    return status;
}

static const char *day_of(rep_maker *m, int64_t seconds) {
    struct tm parts;
    const time_t time = (time_t)seconds;
    if (gmtime_r(&time, &parts) == NULL)
        return "";
    return rep_print(m, "%04d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

col_status rep_gather(rep_maker *m, col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < m->settings->store_count && status == COL_OK; i++) {
        reading in = {.maker = m, .number = i};
        if (cam_is_episode(m->settings->stores[i])) {
            cam_episode_row episode = {0};
            status = cam_episode_row_read(&episode, m->settings->stores[i], problem);
            if (status == COL_OK)
                status = take_episode(m, i, &episode, problem);
            cam_episode_row_free(&episode);
            continue;
        }
        status = cam_store_open(&in.store, m->settings->stores[i], problem);
        if (status != COL_OK)
            return status;
        status = cam_store_check_unchanged(in.store, read_store(&in, problem), problem);
        cam_store_close(in.store);
    }
    if (status == COL_OK && m->settings->coverage != NULL) {
        cam_episode_row episode = {0};
        m->protocols.excluded = m->settings->excluded;
        status = cam_episode_row_of(&episode, m->settings->coverage, "Coverage", problem);
        if (status == COL_OK)
            status = take_episode(m, 0, &episode, problem);
        cam_episode_row_free(&episode);
    }
    if (status == COL_OK)
        status = rep_move(m, &m->report->failures, &m->failures,
                          m->report->failure_count * sizeof *m->failures, problem);
    if (status == COL_OK && m->settings->plan != NULL && m->report->plan_count == 0)
        return base_refuse(problem, "there is no plan '%.100s' in these results",
                           m->settings->plan);
    if (status == COL_OK && m->trial_count > 0) {
        m->report->first = day_of(m, m->first);
        m->report->last = day_of(m, m->last);
    }
    return status == COL_OK && m->failed ? base_out_of_memory(problem) : status;
}
