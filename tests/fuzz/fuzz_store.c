/* SPDX-License-Identifier: MIT */
/*
 * No store makes the report crash, hang or fail without a sentence, whatever somebody has put into
 * it. An input is a list of edits of a small store that has all kinds of rows: cells, rows, the
 * schema, bytes of pages. The file is in /dev/shm, where it is memory.
 */
#include "base/file.h"
#include "fuzz.h"
#include "results/plan/trial.h"
#include "results/report/report.h"
#include "results/report/report_maker.h"
#include "results/store/store.h"

#include <sqlite3.h>

static const char plan_text[] =
    "plan: p\n"
    "title: a plan\n"
    "defaults: {cores: 4, seed: [1, 2]}\n"
    "grids:\n"
    "  - {design: mesi2, engine: [htg, rlg], ops: 64, cycles: 1000}\n"
    "  - {design: mesi2, engine: [htg, rlg], error: LQ+no-TSO, cycles: 1000}\n"
    "  - {design: mesi2, engine: htg, mutant: 1, tests: 5}\n"
    "  - {kind: tour, protocol: mesi, method: [bfs, euler]}\n"
    "  - {kind: locations, design: mesi2, engine: plain, ops: 64, locations: 4, tests: "
    "2}\n"
    "published:\n"
    "  - name: t\n"
    "    title: a table\n"
    "    source: a paper\n"
    "    statistic: seconds-to-error\n"
    "    unit: s\n"
    "    rows: {error: [LQ+no-TSO, SQ+no-FIFO]}\n"
    "    columns: {engine: [htg, rlg]}\n"
    "    cells: [[1, '>24 (0/10)'], [2, '3 (4/10)']]\n";

static char path[64];
static base_text whole; /* the store as it is made */

static void must(col_status status, const col_problem *problem) {
    if (status == COL_OK)
        return;
    (void)fprintf(stderr, "%s\n", problem->message);
    abort();
}

/* ---- The store. */

enum { POINTS = 6 };

static cam_row make_row(const cam_plan *plan, const cam_keys *keys, size_t i) {
    static const uint64_t hits[POINTS] = {3, 0, 1, 200, 0, 7};
    static const uint32_t first[POINTS] = {1, 0, 2, 1, 0, 4};
    static const col_curve_point curve[] = {{0.1, 1, 50, 100, 2, 3}, {0.9, 5, 400, 900, 4, 9}};
    static const char *const results[] = {
        [CAM_TOUR] = "{\"states\":4,\"transitions\":9,\"cost\":20,\"cost_per_transition\":2.2,"
                     "\"covered\":9,\"optimum\":18,\"seconds\":0.1,\"peak_bytes\":100,"
                     "\"count_bytes\":10,\"curve\":[[0.5,4],[1,20]]}",
        [CAM_LOCATIONS] = "{\"tests\":2,\"operations\":128,\"cycles\":900,\"machines\":[{\"name\":"
                          "\"L1\",\"points\":3,\"lower\":1,\"median\":2,\"upper\":3,"
                          "\"distribution\":[0,1,2,3]}]}"};
    const cam_trial *trial = &plan->trials[i];
    const bool is_episode = trial->kind == CAM_EPISODE;
    const bool finds = cam_trial_hunts(trial) && i % 2 == 0;
    return (cam_row){.key = keys->keys[i],
                     .kind = trial->kind,
                     .pairs = trial->pairs,
                     .pair_count = trial->pair_count,
                     .seed = 1 + i % 3,
                     .is_done = i % 11 != 10,
                     .reason = finds || i % 11 == 10 ? "a load returned a stale value" : NULL,
                     .provenance = {"0", "host", is_episode ? keys->designs[i] : NULL, 1700000000},
                     .design = is_episode ? "mesi2" : NULL,
                     .model = "tso",
                     .verdict = finds ? "violation" : "pass",
                     .ended_by = finds ? "error" : "cycles",
                     .cores = 4,
                     .tests = 5 + i,
                     .instances = 10,
                     .operations = 400,
                     .cycles = 1000 + 10 * i,
                     .seconds = 1 + (double)i / 8,
                     .coverage = {{4, POINTS, true, 4, 5}, {9, 24, false, 0, 0}},
                     .failing_tests = finds,
                     .failure_test = finds ? 3 : 0,
                     .failure_cycles = finds ? 300 + i : 0,
                     .failure_seconds = finds ? 0.5 : 0,
                     .curve = is_episode ? curve : NULL,
                     .curve_count = is_episode ? 2 : 0,
                     .hits = is_episode ? hits : NULL,
                     .first = is_episode ? first : NULL,
                     .point_count = is_episode ? POINTS : 0,
                     .learning = i == 3 ? "test,tests,cycles\n1,2,3\n" : NULL,
                     .result = is_episode ? NULL : results[trial->kind]};
}

static void add_rows(cam_store *store, const cam_plan *plan, const cam_keys *keys) {
    static const cam_point points[POINTS] = {{"L1", "I", "Load", true}, {"L1", "I", "Store", true},
                                             {"L1", "M", "Load", true}, {"L2", "I", "Get", true},
                                             {"L2", "M", "Get", false}, {"L2", "M", "Put", true}};
    static const cam_failure_row failure = {.story = "a story",
                                            .picture = "<svg/>",
                                            .kind = 1,
                                            .count = 1,
                                            .hash = "0123456789abcdef",
                                            .fingerprint = "mesi2, violation: A: load x",
                                            .record = "{}",
                                            .program = "collider program 1",
                                            .shrunk = "thread 0",
                                            .litmus = "X86 t",
                                            .threads = 2,
                                            .operations = 4,
                                            .locations = 2};
    col_problem problem = {0};
    for (size_t i = 0; i < plan->trial_count; i++) {
        const cam_row row = make_row(plan, keys, i);
        const cam_design_row design = {
            keys->designs[i], "mesi2", 4, true, points, sizeof points / sizeof points[0]};
        if (plan->trials[i].kind == CAM_EPISODE)
            must(cam_store_add_design(store, &design, &problem), &problem);
        must(cam_store_add(store, &row, &failure, row.failure_test > 0, &problem), &problem);
    }
}

static void remove_store(void) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (int i = 0; i < 4; i++) {
        char name[80];
        (void)snprintf(name, sizeof name, "%s%s", path, endings[i]);
        (void)unlink(name);
    }
}

int LLVMFuzzerInitialize(int *count, char ***words) {
    cam_store *store = NULL;
    cam_plan plan = {0};
    cam_keys keys = {0};
    col_problem problem = {0};
    (void)count;
    (void)words;
    name_file(path, "store.db");
    must(cam_plan_read(&plan, plan_text, strlen(plan_text), "p.yaml", NULL, &problem), &problem);
    must(cam_keys_make(&keys, &plan, &problem), &problem);
    must(cam_store_create(&store, path, &problem), &problem);
    must(cam_store_add_plan(store, &plan, &problem), &problem);
    add_rows(store, &plan, &keys);
    cam_store_close(store);
    must(base_file_read(path, &whole, &problem), &problem);
    cam_keys_free(&keys);
    cam_plan_free(&plan);
    (void)atexit(remove_store);
    return 0;
}

/* ---- Edits. */

typedef struct edits {
    const uint8_t *at, *end;
} edits;

static uint32_t next(edits *e, uint32_t below) {
    uint32_t number = 0;
    for (int i = 0; i < (below > 256 ? 4 : 1) && e->at < e->end; i++)
        number = number << 8 | *e->at++;
    return below == 0 ? 0 : number % below;
}

static void bind_value(edits *e, sqlite3_stmt *statement) {
    static const double reals[] = {0, -1, 1e308, -1e308, 1e-300, 0.5};
    static const int64_t integers[] = {0, 1, -1, INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MIN, 4};
    static const char *const texts[] = {
        "",   "done",      "failed",      "episode", "tour",      "locations", "pass", "{}",
        "[]", "{\"a\":1}", "\xc2\x9b[2J", "=1+1",    "violation", "</script>", "error"};
    const uint32_t kind = next(e, 7);
    if (kind == 0)
        (void)sqlite3_bind_null(statement, 1);
    else if (kind == 1)
        (void)sqlite3_bind_int64(statement, 1, integers[next(e, 8)]);
    else if (kind == 2)
        (void)sqlite3_bind_double(statement, 1, reals[next(e, 6)]);
    else if (kind == 3)
        (void)sqlite3_bind_text(statement, 1, texts[next(e, 15)], -1, SQLITE_STATIC);
    else {
        const size_t left = (size_t)(e->end - e->at);
        const uint32_t length = next(e, 64);
        const int size = (int)(length < left ? length : left > 0 ? left - 1 : 0);
        const char *bytes = size > 0 ? (const char *)e->at : "";
        e->at += size;
        if (kind == 4)
            (void)sqlite3_bind_blob(statement, 1, bytes, size, SQLITE_TRANSIENT);
        else
            (void)sqlite3_bind_text(statement, 1, bytes, size, SQLITE_TRANSIENT);
    }
}

static const struct {
    const char *name, *columns[8];
} tables[] = {
    {"trials", {"key", "kind", "status", "reason", "pairs", "verdict", "result", "cycles"}},
    {"trials", {"seconds", "cores", "tests", "ended_by", "design", "design_hash", "seed", "model"}},
    {"trials",
     {"structural_covered", "structural_total", "structural_reached", "structural_reachable",
      "functional_total", "failure_cycles", "failing_tests", "started"}},
    {"plans", {"hash", "name", "title", "scale", "text", "trials", "text", "id"}},
    {"points", {"machine", "state", "event", "reachable", "number", "state", "event", "machine"}},
    {"designs", {"name", "cores", "point_set", "hash", "name", "cores", "name", "hash"}},
    {"curves", {"curve", "curve", "curve", "curve", "trial", "curve", "curve", "curve"}},
    {"hits", {"hits", "first", "hits", "first", "trial", "hits", "first", "hits"}},
    {"failures",
     {"story", "picture", "program", "litmus", "threads", "operations", "locations", "trial"}},
    {"learning", {"log", "log", "log", "log", "log", "log", "log", "trial"}},
    {"grid", {"key", "position", "plan", "key", "key", "position", "key", "key"}},
    {"point_sets", {"hash", "count", "reachable_known", "id", "hash", "count", "id", "hash"}},
};
enum { TABLES = sizeof tables / sizeof tables[0] };

static void edit_cell(sqlite3 *database, edits *e) {
    char text[300];
    sqlite3_stmt *statement = NULL;
    const uint32_t table = next(e, TABLES), column = next(e, 8), row = next(e, 40);
    (void)snprintf(text, sizeof text,
                   "UPDATE OR IGNORE %s SET %s = ?1 WHERE %s = (SELECT %s FROM %s LIMIT 1 OFFSET"
                   " %u %% (SELECT count(*) FROM %s))",
                   tables[table].name, tables[table].columns[column], tables[table].columns[0],
                   tables[table].columns[0], tables[table].name, row, tables[table].name);
    if (sqlite3_prepare_v2(database, text, -1, &statement, NULL) == SQLITE_OK) {
        bind_value(e, statement);
        (void)sqlite3_step(statement);
    }
    (void)sqlite3_finalize(statement);
}

static void edit_rows(sqlite3 *database, edits *e) {
    static const char *const changes[] = {
        "DELETE FROM hits WHERE trial %% 3 = %u %% 3",
        "DELETE FROM curves WHERE trial %% 3 = %u %% 3",
        "DELETE FROM trials WHERE id = %u",
        "DELETE FROM plans WHERE id = %u",
        "DELETE FROM points WHERE number = %u",
        "DELETE FROM designs WHERE cores = 4 AND %u > 0",
        "UPDATE trials SET kind = 'tour' WHERE id %% 7 = %u %% 7",
        "UPDATE trials SET verdict = NULL, ended_by = NULL WHERE id %% 5 = %u %% 5",
        "INSERT OR IGNORE INTO plans SELECT id+%u, hash||id, name, '', '', text, 1, '' FROM plans",
        "INSERT OR IGNORE INTO grid SELECT plan + 1 + %u, position, key FROM grid",
        "UPDATE trials SET pairs = json_set(pairs, '$.engine', id %% %u)",
        "UPDATE trials SET pairs = json_remove(pairs, '$.seed') WHERE id > %u",
        "CREATE VIEW v%u AS SELECT 1",
        "CREATE TRIGGER t%u AFTER INSERT ON trials BEGIN SELECT 1; END",
    };
    char text[300];
    const uint32_t which = next(e, sizeof changes / sizeof changes[0]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(text, sizeof text, changes[which], next(e, 40));
#pragma GCC diagnostic pop
    (void)sqlite3_exec(database, text, NULL, NULL, NULL);
}

static void edit_database(edits *e) {
    sqlite3 *database = NULL;
    require(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
    (void)sqlite3_exec(database,
                       "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;"
                       "PRAGMA ignore_check_constraints = ON; BEGIN",
                       NULL, NULL, NULL);
    for (uint32_t count = next(e, 16); count > 0; count--)
        if (next(e, 4) == 0)
            edit_rows(database, e);
        else
            edit_cell(database, e);
    (void)sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    (void)sqlite3_close(database);
}

static void edit_bytes(edits *e) {
    base_text bytes = {0};
    must(base_file_read(path, &bytes, NULL), &(col_problem){0});
    while (e->end - e->at >= 5 && bytes.length > 0) {
        const uint32_t place = next(e, (uint32_t)bytes.length);
        bytes.data[place] = (char)next(e, 256);
    }
    must(base_file_write(path, bytes.data, bytes.length, NULL), &(col_problem){0});
    base_text_free(&bytes);
}

/* ---- The report. */

static void write_all(const rep_report *report) {
    base_text text = {0};
    col_problem problem = {0};
    must(rep_page_data(report, 1 << 20, &text, &problem), &problem);
    rep_markdown_text(report, &text);
    rep_ucis_text(report, &text);
    rep_junit_text(report, &text);
    for (uint32_t i = 0; i < report->table_count; i++) {
        rep_csv_table(&report->tables[i], &text);
        rep_text_table(&report->tables[i], &text);
    }
    for (uint32_t i = 0; i < report->plot_count; i++) {
        rep_drawn drawn;
        require(rep_plot_draw(report, &report->plots[i], &drawn, NULL) == COL_OK);
        rep_svg_plot(&drawn.plot, &text);
        rep_drawn_free(&drawn);
    }
    require(!text.failed);
    base_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    edits e = {data, data + size};
    const char *const stores[] = {path};
    /* Resampling takes nearly all of the time: most inputs try what comes before it. */
    const bool is_quick = size > 0 && data[size - 1] % 8 != 0;
    const rep_settings settings = {
        .stores = stores, .store_count = 1, .paper = is_quick ? "list" : NULL};
    rep_report report = {0};
    col_problem problem = {0};
    remove_store();
    must(base_file_write(path, whole.data, whole.length, NULL), &problem);
    edit_database(&e);
    edit_bytes(&e);
    const col_status status = rep_report_make(&report, &settings, &problem);
    if (status == COL_OK)
        write_all(&report);
    else
        require(problem.message[0] != '\0' && (status == COL_BAD_INPUT || status == COL_FAILURE));
    rep_report_free(&report);
    return 0;
}
