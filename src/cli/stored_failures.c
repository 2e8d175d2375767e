/* SPDX-License-Identifier: MIT */
/* Failures of campaigns: see stored_failures.h. */
#include "cli/stored_failures.h"

#include "base/json.h"
#include "results/store/store.h"

#include <string.h>

/* ---- The list. */

typedef struct listing {
    base_text text; /* lines */
    json_t *array;
    base_arena arena;
    cam_failure_kinds kinds;
} listing;

static const char *or_none(const char *text) {
    return text == NULL ? "-" : text;
}

/* The fingerprint behind the design and the verdict, which have columns of their own. */
static const char *shape_of(const cam_failure_row *f) {
    if (f->fingerprint == NULL)
        return or_none(f->reason);
    const char *colon = strstr(f->fingerprint, ": ");
    return colon == NULL ? f->fingerprint : colon + 2;
}

static col_status list_one(void *context, const cam_failure_row *f, col_problem *problem) {
    listing *l = context;
    char name[CAM_FAILURE_NAME];
    if (f->number == 0) /* of another version of a design: no plan has it any more */
        return COL_OK;
    cam_failure_name(f, name);
    char mutant[24] = "-";
    if (f->mutant > 0)
        (void)snprintf(mutant, sizeof mutant, "mutant %u", f->mutant);
    base_text_print(&l->text, "%6s  %-10s  %-10s  %-10s  %-14s  %-8.8s  %s%s\n", name,
                    or_none(f->design), or_none(f->engine), f->error != NULL ? f->error : mutant,
                    or_none(f->verdict), or_none(f->hash), shape_of(f),
                    f->record == NULL ? " (not kept)" : "");
    base_json_append(
        &l->array,
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:b}", "failure", name,
                  "design", base_json_text(f->design), "engine", base_json_text(f->engine), "error",
                  base_json_text(f->error), "mutant",
                  f->mutant == 0 ? json_null() : json_integer((json_int_t)f->mutant), "verdict",
                  base_json_text(f->verdict), "reason", base_json_text(f->reason), "fingerprint",
                  base_json_text(f->fingerprint), "hash", base_json_text(f->hash), "count",
                  (json_int_t)f->count, "operations", (json_int_t)f->size, "kept",
                  (int)(f->record != NULL)));
    return cam_failure_kinds_add(&l->kinds, f, 0, NULL, problem);
}

static void add_heading(const listing *l, base_text *text) {
    if (l->kinds.count == 0) {
        base_text_add(text, "no failures\n");
        return;
    }
    base_text_print(text, "%llu failure%s, %zu kind%s\n", (unsigned long long)l->kinds.failures,
                    base_plural(l->kinds.failures), l->kinds.count, base_plural(l->kinds.count));
    base_text_print(text, "%6s  %-10s  %-10s  %-10s  %-14s  %-8s  %s\n", "number", "design",
                    "engine", "error", "verdict", "kind", "what went wrong");
}

static col_status list_failures(cam_store *store, const cli_arguments *arguments,
                                col_problem *problem) {
    listing l = {.array = json_array()};
    base_text text = {0};
    l.kinds.names.arena = &l.arena;
    col_status status = cam_store_check_unchanged(
        store, cam_store_failures(store, NULL, list_one, &l, problem), problem);
    if (status == COL_OK && arguments->prints) {
        add_heading(&l, &text);
        base_text_add(&text, l.text.data == NULL ? "" : l.text.data);
        text.failed |= l.text.failed;
        status = cli_write(&text, problem);
    }
    status = cli_write_json(arguments, status, l.array, problem);
    cam_failure_kinds_free(&l.kinds);
    base_arena_free(&l.arena);
    base_text_free(&l.text);
    return status;
}

col_status cli_stored_list(const cli_arguments *arguments, const char *path, col_problem *problem) {
    cam_store *store = NULL;
    col_status status = cam_store_open(&store, path, problem);
    BASE_THEN(status, list_failures(store, arguments, problem));
    cam_store_close(store);
    return status;
}

/* ---- The end of a campaign. */

enum { MOST_KINDS = 10 };

/* Those that were to be expected are counted, the others told. */
typedef struct telling {
    cam_failure_kinds all, unexpected;
} telling;

static col_status count_one(void *context, const cam_failure_row *f, col_problem *problem) {
    telling *t = context;
    const col_status status = cam_failure_kinds_add(&t->all, f, 0, NULL, problem);
    return status == COL_OK && !cam_failure_is_expected(f)
               ? cam_failure_kinds_add(&t->unexpected, f, 0, NULL, problem)
               : status;
}

static col_status tell_kinds(telling *t, const char *store, const char *bugs,
                             col_problem *problem) {
    base_text text = {0};
    cam_failure_kinds *kinds = &t->unexpected;
    cam_failure_kinds_sort(kinds);
    base_text_print(&text, "%llu failure%s, %zu kind%s: collider replay ",
                    (unsigned long long)t->all.failures, base_plural(t->all.failures), t->all.count,
                    base_plural(t->all.count));
    base_text_add_shell(&text, store);
    base_text_add(&text, " lists them, with --failure N it shows one again\n");
    if (bugs != NULL) {
        base_text_add(&text, bugs);
        return cli_write(&text, problem);
    }
    for (size_t i = 0; i < kinds->count && i < MOST_KINDS; i++) {
        base_text_print(&text, "%6llu  %s\n        ", (unsigned long long)kinds->list[i].count,
                        kinds->list[i].fingerprint);
        if (kinds->list[i].operations > 0)
            base_text_print(&text, "%s: %u operation%s, ",
                            kinds->list[i].is_shrunk ? "shrunk" : "smallest",
                            kinds->list[i].operations, base_plural(kinds->list[i].operations));
        base_text_print(&text, "--failure %s%s\n", kinds->list[i].name,
                        kinds->list[i].is_kept ? "" : " (its program was not kept)");
    }
    if (kinds->count > MOST_KINDS)
        base_text_print(&text, "        and %zu more kinds\n", kinds->count - MOST_KINDS);
    return cli_write(&text, problem);
}

col_status cli_stored_tell_kinds(const char *path, const char *plan, bool prints, const char *bugs,
                                 cli_kinds_told *told, col_problem *problem) {
    base_arena arena = {0};
    telling t = {.all.names.arena = &arena, .unexpected.names.arena = &arena};
    cam_store *store = NULL;
    col_status status = cam_store_open(&store, path, problem);
    BASE_THEN(status, cam_store_failures(store, plan, count_one, &t, problem));
    status = cam_store_end(store, status, problem);
    *told = (cli_kinds_told){t.all.failures, t.all.count};
    if (status == COL_OK && prints && t.all.count > 0)
        status = tell_kinds(&t, path, bugs, problem);
    cam_failure_kinds_free(&t.all);
    cam_failure_kinds_free(&t.unexpected);
    base_arena_free(&arena);
    return status;
}
