/* SPDX-License-Identifier: MIT */
/* Failures by their fingerprints: see failure_kinds.h. */
#include "campaign/failure_kinds.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *or_else(const char *text, const char *other) {
    return text == NULL ? other : text;
}

static void name_kind(const cam_failure_row *f, char *text, size_t size) {
    if (f->fingerprint != NULL)
        (void)snprintf(text, size, "%s", f->fingerprint);
    else
        (void)snprintf(text, size, "%.100s, %.40s: no fingerprint was kept",
                       or_else(f->design, "?"), or_else(f->verdict, "?"));
}

/* Kept ones can be replayed, shrunk ones are short; else the fewest operations. */
static bool is_better(const cam_failure_kind *a, const cam_failure_kind *b) {
    if (a->is_kept != b->is_kept)
        return a->is_kept;
    if (a->is_shrunk != b->is_shrunk)
        return a->is_shrunk;
    return a->operations > 0 && (b->operations == 0 || a->operations < b->operations);
}

static void take_example(cam_failure_kind *kind, const cam_failure_kind *other) {
    kind->store = other->store;
    kind->is_shrunk = other->is_shrunk;
    kind->is_kept = other->is_kept;
    kind->operations = other->operations;
    memcpy(kind->name, other->name, sizeof kind->name);
}

col_status cam_failure_kinds_add(cam_failure_kinds *k, const cam_failure_row *f, uint32_t store,
                                 uint32_t *kind, col_problem *problem) {
    char text[512];
    bool is_new = false;
    uint32_t number = 0;
    name_kind(f, text, sizeof text);
    col_status status = base_names_add(&k->names, text, &number, &is_new, problem);
    if (status == COL_OK)
        status = base_reserve(&k->list, &k->capacity, k->count + 1, sizeof *k->list, problem);
    if (status != COL_OK)
        return status;
    cam_failure_kind example = {.store = store,
                                .is_shrunk = f->shrunk != NULL,
                                .is_kept = f->record != NULL && f->program != NULL,
                                .operations = f->shrunk != NULL ? f->operations : f->size};
    cam_failure_name(f, example.name);
    if (is_new) {
        const char *hash = or_else(f->hash, "");
        k->list[k->count] = example;
        k->list[k->count].number = number;
        k->list[k->count].fingerprint = k->names.texts[number];
        k->list[k->count].hash = base_arena_text(k->names.arena, hash, strlen(hash));
        if (k->list[k->count].hash == NULL)
            return base_out_of_memory(problem);
        k->count++;
    }
    cam_failure_kind *mine = &k->list[number];
    mine->count += f->count;
    mine->trials += f->count > 0;
    k->failures += f->count;
    if (is_better(&example, mine))
        take_example(mine, &example);
    if (kind != NULL)
        *kind = number;
    return COL_OK;
}

static int by_count(const void *a, const void *b) {
    const cam_failure_kind *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->fingerprint, y->fingerprint);
}

void cam_failure_kinds_sort(cam_failure_kinds *k) {
    if (k->count > 0)
        qsort(k->list, k->count, sizeof *k->list, by_count);
}

void cam_failure_kinds_free(cam_failure_kinds *k) {
    base_names_free(&k->names);
    free(k->list);
}
