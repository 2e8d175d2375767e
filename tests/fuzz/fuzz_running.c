/* SPDX-License-Identifier: MIT */
/* Whatever STORE.running-N contains, only trials that the store knows to be running are shown,
 * their numbers are within bounds, and the page gets valid JSON. */
#include "fuzz.h"
#include "results/campaign.h"
#include "results/report/page.h"

#include <jansson.h>
#include <sqlite3.h>

static char store_path[64], running_path[80];
static cam_store *store;

static void clean_up(void) {
    cam_store_close(store);
    (void)unlink(running_path);
    (void)unlink(store_path);
}

/* Two trials are claimed; the texts of tests/data/running name them. */
static void prepare(void) {
    static const char rows[] =
        "INSERT INTO plans VALUES (1, 'hash', 'p', 'a plan', 'full', 'plan: p', 2, 'grid');"
        "INSERT INTO campaigns VALUES (7, 1, '0', 'host', 'machine', 1, 1, 1, 1, 1, NULL);"
        "INSERT INTO claims VALUES ('one', 7, 5), ('two', 7, 6);";
    sqlite3 *database = NULL;
    name_file(store_path, "running.db");
    (void)snprintf(running_path, sizeof running_path, "%s.running-7", store_path);
    require(cam_store_create(&store, store_path, NULL) == COL_OK);
    require(sqlite3_open(store_path, &database) == SQLITE_OK);
    require(sqlite3_exec(database, rows, NULL, NULL, NULL) == SQLITE_OK);
    require(sqlite3_close(database) == SQLITE_OK);
    require(atexit(clean_up) == 0);
}

static col_status visit(void *context, const cam_running *r, col_problem *problem) {
    static const char *const keys[] = {"one", "two"};
    uint32_t *count = context;
    base_text text = {0};
    (void)problem;
    require(*count < 2 && strcmp(r->key, keys[*count]) == 0);
    (*count)++;
    for (int m = 0; m < COL_METRIC_COUNT; m++)
        require(r->covered[m] <= r->total[m]);
    base_text_add(&text, "{\"format\":1");
    rep_data_members(&text, "tww", "text", r->text, "tests", r->tests, "cycles", r->cycles);
    base_text_add(&text, "}");
    json_t *told = json_loadb(text.data, text.length, 0, NULL);
    require(told != NULL);
    json_decref(told);
    base_text_free(&text);
    return COL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t count = 0;
    if (store == NULL)
        prepare();
    put_file(running_path, data, size);
    require(cam_store_running(store, visit, &count, NULL) == COL_OK && count == 2);
    return 0;
}
