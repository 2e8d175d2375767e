/* SPDX-License-Identifier: MIT */
/* Watching: looks at the stores now and then, as often as it is cheap. See watch.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): memmem
#include "results/watch/watch.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/path.h"
#include "results/campaign.h"
#include "results/report/page.h"
#include "results/report/report_escape.h"
#include "results/store/episode_row.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

void wch_board_open(wch_board *board) {
    *board = (wch_board){0};
    (void)pthread_mutex_init(&board->lock, NULL);
}

void wch_board_close(wch_board *board) {
    for (int i = 0; i < WCH_PART_COUNT; i++)
        wch_content_release(board->contents[i]);
    (void)pthread_mutex_destroy(&board->lock);
}

bool wch_board_put(wch_board *board, wch_part part, base_text *text) {
    wch_content *content = text->failed ? NULL : calloc(1, sizeof *content);
    if (content == NULL)
        return false;
    const XXH64_hash_t hash = text->length == 0 ? 0 : XXH3_64bits(text->data, text->length);
    (void)snprintf(content->tag, sizeof content->tag, "\"%016llx\"", (unsigned long long)hash);
    content->text = *text;
    atomic_init(&content->uses, 1);
    *text = (base_text){0};
    (void)pthread_mutex_lock(&board->lock);
    wch_content *old = board->contents[part];
    board->contents[part] = content;
    (void)pthread_mutex_unlock(&board->lock);
    wch_content_release(old);
    return true;
}

wch_content *wch_board_take(wch_board *board, wch_part part) {
    (void)pthread_mutex_lock(&board->lock);
    wch_content *content = board->contents[part];
    if (content != NULL)
        (void)atomic_fetch_add(&content->uses, 1);
    (void)pthread_mutex_unlock(&board->lock);
    return content;
}

void wch_content_release(wch_content *content) {
    if (content == NULL || atomic_fetch_sub(&content->uses, 1) != 1)
        return;
    base_text_free(&content->text);
    free(content);
}

/*
 * The stores that are watched: those that were named, and those in folders that were named, which
 * may become more.
 */

enum { MOST_STORES = 100000 };

typedef struct place_list {
    const char **stores; /* or folders of episodes */
    uint32_t count;
    uint64_t state; /* of their files: another number after any of them was written to */
    base_arena arena;
    size_t capacity;
} place_list;

static uint64_t state_of(uint64_t state, const char *path, const char *ending) {
    char file[PATH_MAX];
    struct stat about;
    const int length = snprintf(file, sizeof file, "%s%s", path, ending);
    state = XXH3_64bits_withSeed(path, strlen(path), state);
    if (length >= (int)sizeof file || lstat(file, &about) != 0)
        return state;
    const int64_t facts[] = {(int64_t)about.st_ino, (int64_t)about.st_size,
                             (int64_t)about.st_mtim.tv_sec, (int64_t)about.st_mtim.tv_nsec};
    return XXH3_64bits_withSeed(facts, sizeof facts, state);
}

/* A campaign may be writing to the store: it has a log. */
static bool is_written(const char *store) {
    char file[PATH_MAX];
    struct stat about;
    return snprintf(file, sizeof file, "%s-wal", store) < (int)sizeof file &&
           lstat(file, &about) == 0 && about.st_size > 0;
}

static col_status add(place_list *p, const char *path, col_problem *problem) {
    const char *kept = base_arena_text(&p->arena, path, strlen(path));
    if (kept == NULL)
        return base_out_of_memory(problem);
    BASE_TRY(
        base_reserve(&p->stores, &p->capacity, (size_t)p->count + 1, sizeof *p->stores, problem));
    p->stores[p->count++] = kept;
    return COL_OK;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static col_status add_folder(place_list *p, const char *folder, col_problem *problem) {
    char path[PATH_MAX];
    struct stat about;
    col_status status = COL_OK;
    DIR *list = opendir(folder);
    if (list == NULL)
        return base_refuse(problem, "cannot read the folder %.300s", folder);
    for (const struct dirent *entry;
         status == COL_OK && p->count < MOST_STORES && (entry = base_folder_next(list)) != NULL;)
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path &&
            base_path_ends(path, ".db") && lstat(path, &about) == 0 && S_ISREG(about.st_mode) &&
            about.st_size > 0) /* not of links: a folder names what is in it */
            status = add(p, path, problem);
    if (status == COL_OK && p->count < MOST_STORES && errno != 0)
        status = base_cannot_read(folder, errno, problem);
    (void)closedir(list);
    return status;
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The folder of a campaign on a cluster has the stores that its tasks have published. */
static col_status add_place(place_list *p, const char *place, col_problem *problem) {
    char results[PATH_MAX];
    if (!is_folder(place) || cam_is_episode(place))
        return add(p, place, problem);
    if (snprintf(results, sizeof results, "%s/results", place) < (int)sizeof results &&
        is_folder(results))
        return add_folder(p, results, problem);
    return add_folder(p, place, problem);
}

static void free_places(place_list *p) {
    free(p->stores);
    base_arena_free(&p->arena);
    *p = (place_list){0};
}

/* In an order that does not depend on the file system. */
static col_status find_places(place_list *p, const wch_settings *settings, col_problem *problem) {
    col_status status = COL_OK;
    free_places(p);
    for (uint32_t i = 0; i < settings->place_count && status == COL_OK; i++) {
        const uint32_t first = p->count;
        status = add_place(p, settings->places[i], problem);
        if (p->count > first)
            qsort(p->stores + first, p->count - first, sizeof *p->stores, by_text);
    }
    for (uint32_t i = 0; i < p->count; i++)
        p->state = state_of(state_of(p->state, p->stores[i], ""), p->stores[i], "-wal");
    if (status == COL_OK && p->count == 0)
        return base_refuse(problem, "there is no store in %.300s", settings->places[0]);
    return status;
}

/*
 * A look at the stores, as texts for the board. Results are read as `collider report` reads them:
 * read-only, and of one moment. The page is the report's, but that it may ask where it came from
 * for news, which it does when its data say that they are live.
 */

static col_status put_page(const char *title, wch_board *board, col_problem *problem) {
    static const char policy[] = "default-src 'none';";
    wch_content *data = wch_board_take(board, WCH_DATA);
    base_text live = {0}, page = {0}, whole = {0};
    /* The same data, with a member in front that tells the page to ask for news. */
    base_text_add(&live, "{\"live\":");
    rep_json_string(&live, data->tag);
    base_text_add(&live, ",");
    base_text_add_bytes(&live, data->text.data + 1, data->text.length - 1);
    col_status status = base_text_status(&live, problem);
    BASE_THEN(status, rep_page_compose(&page, (const char *)rep_asset, rep_asset_size, title, &live,
                                       problem));
    /* The page may ask us, and nobody else. */
    const char *at =
        status == COL_OK ? memmem(page.data, page.length, policy, strlen(policy)) : NULL;
    if (at != NULL) {
        const size_t before = (size_t)(at - page.data) + strlen(policy);
        base_text_add_bytes(&whole, page.data, before);
        base_text_add(&whole, " connect-src 'self';");
        base_text_add_bytes(&whole, page.data + before, page.length - before);
    } else if (status == COL_OK) {
        status = base_fail(problem, "the report's page was built without its policy");
    }
    if (status == COL_OK && !wch_board_put(board, WCH_PAGE, &whole))
        status = base_out_of_memory(problem);
    base_text_free(&live);
    base_text_free(&page);
    base_text_free(&whole);
    wch_content_release(data);
    return status;
}

/* The page and its data. */
static col_status put_results(const wch_settings *settings, const place_list *places,
                              wch_board *board, col_problem *problem) {
    rep_report report = {0};
    base_text data = {0};
    const rep_settings wanted = {.stores = places->stores,
                                 .store_count = places->count,
                                 .plan = settings->plan,
                                 .title = settings->title};
    col_status status = rep_report_make(&report, &wanted, problem);
    BASE_THEN(status, rep_page_data(&report, rep_page_budget(), &data, problem));
    if (status == COL_OK && !wch_board_put(board, WCH_DATA, &data))
        status = base_out_of_memory(problem);
    BASE_THEN(status, put_page(report.title, board, problem));
    base_text_free(&data);
    rep_report_free(&report);
    return status;
}

enum { MOST_RUNNING = 1000 };

typedef struct listing {
    base_text *text;
    const char *store;
    uint32_t count;
} listing;

static col_status add_running(void *context, const cam_running *r, col_problem *problem) {
    listing *l = context;
    const char *slash = strrchr(l->store, '/');
    (void)problem;
    if (l->count++ >= MOST_RUNNING)
        return COL_OK;
    rep_data_members(l->text, "{ttttwwrww", "store", slash == NULL ? l->store : slash + 1, "key",
                     r->key, "text", r->text, "host", r->host, "pid",
                     r->pid > 0 ? (uint64_t)r->pid : UINT64_C(0), "since",
                     r->since > 0 ? (uint64_t)r->since : UINT64_C(0), "alive",
                     r->is_alive ? "true" : "false", "tests", r->tests, "cycles", r->cycles);
    base_text_print(l->text, ",\"structural\":[%u,%u],\"functional\":[%u,%u]}",
                    r->covered[COL_STRUCTURAL], r->total[COL_STRUCTURAL],
                    r->covered[COL_FUNCTIONAL], r->total[COL_FUNCTIONAL]);
    return COL_OK;
}

/* A store that cannot be read at this moment runs nothing that we know of. */
static col_status list_running(const place_list *places, listing *l, col_problem *problem) {
    for (uint32_t i = 0; i < places->count; i++) {
        cam_store *store = NULL;
        col_problem inner = {0};
        if (!is_written(places->stores[i]))
            continue;
        l->store = places->stores[i];
        col_status status = cam_store_open(&store, l->store, &inner);
        BASE_THEN(status, cam_store_running(store, add_running, l, &inner));
        cam_store_close(store);
        if (status != COL_OK && base_is_out_of_memory(&inner))
            return base_out_of_memory(problem);
    }
    return COL_OK;
}

/* What runs; and `trouble`, what went wrong when the results were read last; "": nothing. */
static col_status put_running(const place_list *places, const char *trouble, wch_board *board,
                              col_problem *problem) {
    wch_content *data = wch_board_take(board, WCH_DATA);
    base_text text = {0};
    listing l = {.text = &text};
    base_text_add(&text, "{\"format\":1");
    rep_data_members(&text, "ttu", "data", data == NULL ? "" : data->tag, "trouble", trouble,
                     "stores", places->count);
    rep_data_begin(&text, "running", "[");
    col_status status = list_running(places, &l, problem);
    base_text_add(&text, "]");
    rep_data_members(&text, "u", "count", l.count);
    base_text_add(&text, "}");
    BASE_THEN(status, base_text_status(&text, problem));
    if (status == COL_OK && !wch_board_put(board, WCH_LIVE, &text))
        status = base_out_of_memory(problem);
    base_text_free(&text);
    wch_content_release(data);
    return status;
}

/* ---- Watching. */

/* A look comes a second after the one before, and takes a tenth of the time at most. */
#define LEAST_SECONDS 1.0
#define COST_TIMES 10

typedef struct watching {
    const wch_settings *settings;
    place_list places;
    wch_board board;
    uint64_t state; /* of what the results were read from */
    double next_results, next_running;
    char trouble[512];
} watching;

static double time_after(double start) {
    const double now = base_seconds(), pause = COST_TIMES * (now - start);
    return now + (pause > LEAST_SECONDS ? pause : LEAST_SECONDS);
}

static col_status read_results(watching *w, col_problem *problem) {
    const double start = base_seconds();
    const uint64_t state = w->places.state;
    const col_status status = put_results(w->settings, &w->places, &w->board, problem);
    w->next_results = time_after(start);
    if (status == COL_OK) /* what came meanwhile is read the next time */
        w->state = state;
    return status;
}

static col_status read_running(watching *w, col_problem *problem) {
    const double start = base_seconds();
    const col_status status = put_running(&w->places, w->trouble, &w->board, problem);
    w->next_running = time_after(start);
    return status;
}

/* What goes wrong now may be right the next time: the page says it, and keeps what it has. */
static void look_again(watching *w) {
    col_problem problem = {0};
    const bool is_time = base_seconds() >= w->next_results;
    col_status status = find_places(&w->places, w->settings, &problem);
    if (status == COL_OK && w->places.state != w->state && is_time)
        status = read_results(w, &problem);
    if (status != COL_OK)
        (void)col_problem_text(&problem, w->trouble, sizeof w->trouble);
    else if (w->places.state == w->state)
        w->trouble[0] = '\0';
    (void)read_running(w, &problem);
}

static void watch(watching *w, wch_server *server) {
    const struct timespec moment = {.tv_nsec = 50000000};
    while (!base_is_stopped(w->settings->stop)) {
        (void)nanosleep(&moment, NULL);
        wch_server_sweep(server, base_seconds());
        if (base_seconds() >= w->next_running)
            look_again(w);
    }
}

col_status wch_serve(const wch_settings *settings, col_problem *problem) {
    watching w = {.settings = settings};
    wch_server *server = NULL;
    wch_board_open(&w.board);
    col_status status = find_places(&w.places, settings, problem);
    BASE_THEN(status, read_results(&w, problem));
    BASE_THEN(status, read_running(&w, problem));
    BASE_THEN(status, wch_server_start(&server, settings, &w.board, problem));
    if (status == COL_OK) {
        settings->ready(settings->context, wch_server_address(server));
        watch(&w, server);
    }
    wch_server_stop(server);
    wch_board_close(&w.board);
    free_places(&w.places);
    return status;
}
