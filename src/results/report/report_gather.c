/* SPDX-License-Identifier: MIT */
/*
 * Reading stores. Several of them are one: a trial that is in two of them counts once, and one that
 * was done counts before one that failed. A trial that two plans share belongs to a group of each,
 * but its hits are counted once.
 */
#include "results/report/report_maker.h"
#include "results/store/episode_row.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Stories, pictures and programs of failures beyond this are not kept. */
enum { MOST_FAILURE_BYTES = 64 << 20 };

typedef struct reading {
    rep_maker *maker;
    uint32_t plan;
    uint32_t number; /* of the store */
} reading;

/* ---- Plans and designs. */

static col_status take_plan(void *context, const cam_plan_row *row, col_problem *problem) {
    (void)problem;
    rep_maker *m = ((reading *)context)->maker;
    rep_report *r = m->report;
    if (m->settings->plan != NULL && strcmp(m->settings->plan, row->name) != 0)
        return COL_OK;
    for (uint32_t i = 0; i < r->plan_count; i++)
        if (strcmp(r->plans[i].hash, row->hash) == 0)
            return COL_OK;
    if (rep_grow(m, &r->plans, &m->plan_capacity, r->plan_count, sizeof *r->plans))
        r->plans[r->plan_count++] =
            (rep_plan){.name = rep_keep(m, row->name),
                       .title = rep_keep(m, row->title == NULL ? "" : row->title),
                       .scale = rep_keep(m, row->scale == NULL ? "" : row->scale),
                       .hash = rep_keep(m, row->hash),
                       .text = rep_keep(m, row->text == NULL ? "" : row->text),
                       .trials = row->trials};
    return m->status;
}

static col_status take_design(void *context, const cam_design_row *row, col_problem *problem) {
    rep_maker *m = ((reading *)context)->maker;
    rep_report *r = m->report;
    const bool is_known = base_names_find(&m->protocols.designs, row->hash) != BASE_NO_NUMBER;
    (void)problem;
    rep_protocols_add_design(m, row);
    if (!is_known &&
        rep_grow(m, &r->designs, &m->design_capacity, r->design_count, sizeof *r->designs))
        r->designs[r->design_count++] = (rep_design){
            .name = rep_keep(m, row->name), .hash = rep_keep(m, row->hash), .cores = row->cores};
    return m->status;
}

/* ---- Trials. */

/* The curve is copied: rows of a group do not come one after the other. */
static void keep_row(rep_maker *m, const cam_row *row, cam_row *kept) {
    *kept = *row;
    kept->key = rep_keep(m, row->key);
    cam_pair *pairs = rep_take(m, row->pair_count, sizeof *pairs);
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
    kept->packed = NULL;
    const size_t size =
        row->packed != NULL ? row->packed_size : row->curve_count * sizeof *row->curve;
    void *copy = row->curve_count == 0 ? NULL : rep_take(m, size, 1);
    kept->curve_count = copy == NULL ? 0 : row->curve_count;
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

static void put(reading *in, const cam_row *row, rep_trial *trial) {
    rep_maker *m = in->maker;
    const int64_t started = row->provenance.started;
    *trial = (rep_trial){.plan = in->plan};
    keep_row(m, row, &trial->row);
    if (row->learning != NULL && m->settings->until == 0)
        trial->learned = rep_learned_read(m, row->learning);
    m->first = m->first == 0 || started < m->first ? started : m->first;
    m->last = started > m->last ? started : m->last;
}

static col_status take_row(void *context, const cam_row *row, col_problem *problem) {
    reading *in = context;
    rep_maker *m = in->maker;
    bool is_new, is_counted = false;
    char name[128];
    (void)problem;
    (void)snprintf(name, sizeof name, "%u %s", in->plan, row->key);
    const uint32_t number = rep_number_of(m, &m->identities, name, &is_new);
    if (row->is_done && row->hits != NULL && m->settings->until == 0)
        (void)rep_number_of(m, &m->keys, row->key, &is_counted);
    if (is_counted)
        rep_protocols_add(m, row);
    if (is_new &&
        rep_reserve(m, &m->trials, &m->trial_capacity, m->trial_count + 1, sizeof *m->trials))
        put(in, row, &m->trials[m->trial_count++]);
    else if (!is_new && m->status == COL_OK && row->is_done && !m->trials[number].row.is_done)
        put(in, row, &m->trials[number]);
    return m->status;
}

/* ---- Failures. */

static const char *copy_text(rep_maker *m, const char *text) {
    if (text == NULL)
        return NULL;
    const char *copy = base_arena_text(&m->report->arena, text, strlen(text));
    (void)rep_has(m, copy);
    return copy;
}

/* Returns its kind. A trial that two plans or stores share counts once. */
static uint32_t count_failure(const reading *in, const cam_failure_row *row) {
    rep_maker *m = in->maker;
    char name[128];
    bool is_new;
    uint32_t kind = 0;
    (void)snprintf(name, sizeof name, "%.64s %u", row->key, row->kind);
    (void)rep_number_of(m, &m->counted, name, &is_new);
    cam_failure_row again = *row;
    again.count = is_new ? row->count : 0;
    BASE_THEN(m->status, cam_failure_kinds_add(&m->kinds, &again, in->number, &kind, m->problem));
    return kind;
}

/* `group` holds the number of the trial until groups are known, `kind` the number of the kind until
 * they are sorted. */
static col_status take_failure(void *context, const cam_failure_row *row, col_problem *problem) {
    reading *in = context;
    rep_maker *m = in->maker;
    rep_report *r = m->report;
    char name[128];
    (void)problem;
    (void)snprintf(name, sizeof name, "%u %s", in->plan, row->key);
    const uint32_t trial = base_names_find(&m->identities, name);
    const uint64_t until = m->settings->until;
    if (trial == UINT32_MAX ||
        (until > 0 && cam_paid(row->cycles, m->settings->price, row->test) > until))
        return COL_OK;
    const uint32_t kind = count_failure(in, row);
    r->has_bugs |= row->is_bug;
    if (m->status != COL_OK || (row->story == NULL && row->record == NULL))
        return m->status;
    const uint64_t hash = base_index_hash((uint64_t)trial << 32 | kind);
    const bool may_be_there = m->settings->store_count > 1;
    if (may_be_there && base_index_find(&m->kept, hash, NULL, NULL, NULL) != BASE_NO_NUMBER)
        return COL_OK;
    if (may_be_there)
        m->status = base_index_put(&m->kept, hash, m->problem);
    if (!rep_reserve(m, &m->failures, &m->failure_capacity, (size_t)r->failure_count + 1,
                     sizeof *m->failures))
        return m->status;
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
        .count = row->count,
        .mend = rep_keep(m, row->mend),
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
    return m->status;
}

/* ---- All of it. */

static void read_store(reading *in, const char *path) {
    rep_maker *m = in->maker;
    const rep_settings *s = m->settings;
    const unsigned curves = s->price > 0 || s->until > 0 ? CAM_CURVES : CAM_PACKED;
    /* a store has hits and learning logs for whole episodes only */
    const unsigned whole = s->until > 0 ? 0 : CAM_HITS | CAM_LEARNING;
    cam_store *store = NULL;
    m->status = cam_store_open(&store, path, m->problem);
    BASE_THEN(m->status, cam_store_plans(store, take_plan, in, m->problem));
    BASE_THEN(m->status, cam_store_designs(store, take_design, in, m->problem));
    for (in->plan = 0; in->plan < m->report->plan_count && m->status == COL_OK; in->plan++) {
        const char *hash = m->report->plans[in->plan].hash;
        m->status = cam_store_each(store, hash, curves | whole, take_row, in, m->problem);
        BASE_THEN(m->status, cam_store_failures(store, hash, take_failure, in, m->problem));
    }
    m->status = cam_store_end(store, m->status, m->problem);
}

/* Of an episode that is not of a store: of a folder, or of coverage alone. */
static void read_episode(reading *in, const char *folder) {
    rep_maker *m = in->maker;
    const size_t before = m->trial_count;
    cam_episode_row episode = {0};
    m->status = folder != NULL
                    ? cam_episode_row_read(&episode, folder, m->problem)
                    : cam_episode_row_of(&episode, m->settings->coverage, "Coverage", m->problem);
    if (m->status == COL_OK)
        (void)take_plan(in, &episode.plan, NULL);
    while (m->status == COL_OK && in->plan < m->report->plan_count &&
           strcmp(m->report->plans[in->plan].hash, episode.plan.hash) != 0)
        in->plan++;
    if (m->status == COL_OK && in->plan < m->report->plan_count) { /* else another is asked for */
        (void)take_design(in, &episode.design, NULL);
        (void)take_row(in, &episode.row, NULL);
        for (uint32_t i = 0; i < episode.failure_count && m->status == COL_OK; i++)
            (void)take_failure(in, &episode.failures[i], NULL);
        m->report->plans[in->plan].trials += m->trial_count - before;
    }
    cam_episode_row_free(&episode);
}

static const char *day_of(rep_maker *m, int64_t seconds) {
    struct tm parts;
    const time_t time = (time_t)seconds;
    if (gmtime_r(&time, &parts) == NULL)
        return "";
    return rep_print(m, "%04d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

void rep_gather(rep_maker *m) {
    const rep_settings *s = m->settings;
    for (uint32_t i = 0; i < s->store_count && m->status == COL_OK; i++) {
        reading in = {.maker = m, .number = i};
        if (cam_is_episode(s->stores[i]))
            read_episode(&in, s->stores[i]);
        else
            read_store(&in, s->stores[i]);
    }
    if (m->status == COL_OK && s->coverage != NULL)
        read_episode(&(reading){.maker = m}, NULL);
    if (m->status == COL_OK && s->plan != NULL && m->report->plan_count == 0)
        m->status = base_refuse(m->problem, "there is no plan '%.100s' in these results", s->plan);
    if (m->status == COL_OK && m->trial_count > 0) {
        m->report->first = day_of(m, m->first);
        m->report->last = day_of(m, m->last);
    }
}
