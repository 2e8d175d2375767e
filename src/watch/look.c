/* SPDX-License-Identifier: MIT */
/*
 * Looking at stores: see look.h. Results are read as `collider report` reads them: read-only, and
 * of one moment. The page is the report's, but that it may ask where it came from for news, which
 * it does when its data say that they are live.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): memmem
#include "watch/look.h"

#include "campaign/running.h"
#include "report/escape.h"
#include "report/page.h"
#include "report/page_data.h"

#include <stdlib.h>
#include <string.h>

/* ---- Results. */

/* The same data, with a member in front that tells the page to ask for news. */
static void mark_live(const wch_sheet *data, base_text *text) {
    base_text_add(text, "{\"live\":");
    rep_json_string(text, data->tag);
    base_text_add(text, ",");
    base_text_add_bytes(text, data->text.data + 1, data->text.length - 1);
}

/* The page may ask us, and nobody else. */
static bool let_ask(char *page, size_t size, base_text *text) {
    static const char policy[] = "default-src 'none';";
    const char *at = memmem(page, size, policy, strlen(policy));
    if (at == NULL)
        return false;
    const size_t before = (size_t)(at - page) + strlen(policy);
    base_text_add_bytes(text, page, before);
    base_text_add(text, " connect-src 'self';");
    base_text_add_bytes(text, page + before, size - before);
    return true;
}

static col_status compose(const char *title, const base_text *data, base_text *text,
                          col_problem *problem) {
    char *page = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&page, &size);
    if (stream == NULL)
        return base_out_of_memory(problem);
    col_status status =
        rep_page_compose(stream, (const char *)rep_asset, rep_asset_size, title, data, problem);
    if (fclose(stream) != 0 && status == COL_OK)
        status = base_out_of_memory(problem);
    if (status == COL_OK && !let_ask(page, size, text))
        status = base_fail(problem, "the report's page was built without its policy");
    free(page);
    return status == COL_OK ? base_text_status(text, problem) : status;
}

static col_status put_page(const char *title, wch_board *board, col_problem *problem) {
    wch_sheet *data = wch_board_take(board, WCH_DATA);
    base_text live = {0}, page = {0};
    mark_live(data, &live);
    col_status status = base_text_status(&live, problem);
    if (status == COL_OK)
        status = compose(title, &live, &page, problem);
    if (status == COL_OK && !wch_board_put(board, WCH_PAGE, &page))
        status = base_out_of_memory(problem);
    base_text_free(&live);
    base_text_free(&page);
    wch_sheet_release(data);
    return status;
}

col_status wch_look_at_results(const wch_settings *settings, const wch_places *places,
                               wch_board *board, col_problem *problem) {
    rep_report report = {0};
    base_text data = {0};
    const rep_settings wanted = {.stores = places->stores,
                                 .store_count = places->count,
                                 .plan = settings->plan,
                                 .title = settings->title};
    col_status status = rep_report_make(&report, &wanted, problem);
    if (status == COL_OK)
        status = rep_page_data(&report, rep_page_budget(), &data, problem);
    if (status == COL_OK && !wch_board_put(board, WCH_DATA, &data))
        status = base_out_of_memory(problem);
    if (status == COL_OK)
        status = put_page(report.title, board, problem);
    base_text_free(&data);
    rep_report_free(&report);
    return status;
}

/* ---- What runs. */

enum { MOST_RUNNING = 1000 };

typedef struct listing {
    base_text *text;
    const char *store;
    uint32_t count;
} listing;

static void add_extent(base_text *text, const char *name, uint32_t covered, uint32_t total) {
    rep_data_begin(text, name, "[");
    base_text_number(text, covered);
    base_text_add(text, ",");
    base_text_number(text, total);
    base_text_add(text, "]");
}

static col_status add_running(void *context, const cam_running *r, col_problem *problem) {
    listing *l = context;
    const char *slash = strrchr(l->store, '/');
    (void)problem;
    if (l->count++ >= MOST_RUNNING)
        return COL_OK;
    rep_data_begin(l->text, NULL, "{");
    rep_data_text(l->text, "store", slash == NULL ? l->store : slash + 1);
    rep_data_text(l->text, "key", r->key);
    rep_data_text(l->text, "text", r->text);
    rep_data_text(l->text, "host", r->host);
    rep_data_whole(l->text, "pid", r->pid > 0 ? (uint64_t)r->pid : 0);
    rep_data_whole(l->text, "since", r->since > 0 ? (uint64_t)r->since : 0);
    rep_data_begin(l->text, "alive", r->is_alive ? "true" : "false");
    rep_data_whole(l->text, "tests", r->tests);
    rep_data_whole(l->text, "cycles", r->cycles);
    add_extent(l->text, "structural", r->covered[COL_STRUCTURAL], r->total[COL_STRUCTURAL]);
    add_extent(l->text, "functional", r->covered[COL_FUNCTIONAL], r->total[COL_FUNCTIONAL]);
    base_text_add(l->text, "}");
    return COL_OK;
}

/* A store that cannot be read at this moment runs nothing that we know of. */
static col_status list_running(const wch_places *places, listing *l, col_problem *problem) {
    for (uint32_t i = 0; i < places->count; i++) {
        cam_store *store = NULL;
        col_problem inner = {0};
        if (!wch_is_written(places->stores[i]))
            continue;
        l->store = places->stores[i];
        col_status status = cam_store_open(&store, l->store, &inner);
        if (status == COL_OK)
            status = cam_store_running(store, add_running, l, &inner);
        cam_store_close(store);
        if (status != COL_OK && base_is_out_of_memory(&inner))
            return base_out_of_memory(problem);
    }
    return COL_OK;
}

col_status wch_look_at_running(const wch_places *places, const char *trouble, wch_board *board,
                               col_problem *problem) {
    wch_sheet *data = wch_board_take(board, WCH_DATA);
    base_text text = {0};
    listing l = {.text = &text};
    base_text_add(&text, "{\"format\":1");
    rep_data_text(&text, "data", data == NULL ? "" : data->tag);
    rep_data_text(&text, "trouble", trouble);
    rep_data_whole(&text, "stores", places->count);
    rep_data_begin(&text, "running", "[");
    col_status status = list_running(places, &l, problem);
    base_text_add(&text, "]");
    rep_data_whole(&text, "count", l.count);
    base_text_add(&text, "}");
    if (status == COL_OK)
        status = base_text_status(&text, problem);
    if (status == COL_OK && !wch_board_put(board, WCH_LIVE, &text))
        status = base_out_of_memory(problem);
    base_text_free(&text);
    wch_sheet_release(data);
    return status;
}
