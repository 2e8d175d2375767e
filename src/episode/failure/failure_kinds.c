/* SPDX-License-Identifier: MIT */
/* Kinds of failures, and which failures keep a folder: see failure_kinds.h. */
#include "episode/failure/failure_kinds.h"

#include "base/folder.h"
#include "base/memory.h"
#include "episode/failure/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Kinds. */

/* Its number; that of the next kind if it is new, and COL_MOST_KINDS if there is none left. */
static uint32_t kind_of(const col_episode *e, const col_failure *failure) {
    uint32_t kind = 0;
    while (kind < e->kind_count &&
           strcmp(e->kinds[kind].smallest.fingerprint.hash, failure->fingerprint.hash) != 0)
        kind++;
    return kind;
}

col_status epi_kind_add(col_episode *e, const col_failure *failure, col_problem *problem) {
    const uint32_t number = kind_of(e, failure);
    const bool is_new = number == e->kind_count;
    if (number == COL_MOST_KINDS)
        return COL_OK;
    if (is_new) {
        BASE_TRY(base_reserve(&e->kinds, &e->kind_capacity, e->kind_count + 1, sizeof *e->kinds,
                              problem));
        e->kinds[e->kind_count++].count = 0;
    }
    col_failure_kind *kind = &e->kinds[number];
    kind->count++;
    if (is_new || failure->operations < kind->smallest.operations)
        kind->smallest = *failure;
    return COL_OK;
}

/* ---- Folders. */

/* What is kept of a kind. */
typedef struct own {
    size_t count, first;
    size_t worst; /* the largest and latest that may go; SIZE_MAX: none may */
} own;

/* The earliest stays beside a smaller one, and so does the first failure of all. */
static own own_of(const epi_keeping *k, uint32_t kind) {
    own o = {.worst = SIZE_MAX};
    for (size_t i = 0; i < k->count; i++)
        if (k->list[i].kind == kind && o.count++ == 0)
            o.first = i;
    for (size_t i = 0; i < k->count; i++)
        if (k->list[i].kind == kind && i > 0 && (i != o.first || o.count == 1) &&
            (o.worst == SIZE_MAX || k->list[i].operations >= k->list[o.worst].operations))
            o.worst = i;
    return o;
}

static bool has_room(const epi_keeping *k, const own *o) {
    return o->count == 0 ||
           (o->count < k->most && k->count < (size_t)k->most * EPI_KINDS_WITH_MORE);
}

bool epi_keeping_wants(const epi_keeping *k, const col_episode *e, const col_failure *failure) {
    const own o = own_of(k, kind_of(e, failure));
    return k->most == 0 || has_room(k, &o) ||
           failure->operations < k->list[o.worst == SIZE_MAX ? o.first : o.worst].operations;
}

static void remove_folder(const epi_kept *kept, const char *folder) {
    char name[64];
    (void)snprintf(name, sizeof name, EPI_FAILURE_NAME, kept->test, kept->instance);
    base_folder_remove(folder, name);
}

col_status epi_keeping_add(epi_keeping *k, const col_episode *e, const col_failure *failure,
                           const char *folder, col_problem *problem) {
    const epi_kept added = {.test = failure->test,
                            .instance = failure->instance,
                            .operations = failure->operations,
                            .kind = kind_of(e, failure)};
    const own o = own_of(k, added.kind);
    if (k->most == 0)
        return COL_OK;
    BASE_TRY(base_reserve(&k->list, &k->capacity, k->count + 1, sizeof *k->list, problem));
    if (!has_room(k, &o) && o.worst != SIZE_MAX) {
        remove_folder(&k->list[o.worst], folder);
        k->count--;
        memmove(&k->list[o.worst], &k->list[o.worst + 1], (k->count - o.worst) * sizeof *k->list);
    }
    k->list[k->count++] = added;
    return COL_OK;
}

void epi_keeping_free(epi_keeping *k) {
    free(k->list);
    *k = (epi_keeping){0};
}

/* ---- Later. */

json_t *epi_keeping_save(const epi_keeping *k) {
    json_t *list = json_array();
    for (size_t i = 0; i < k->count; i++)
        base_json_append(&list,
                         json_pack("[I, I, I, I]", (json_int_t)k->list[i].test,
                                   (json_int_t)k->list[i].instance,
                                   (json_int_t)k->list[i].operations, (json_int_t)k->list[i].kind));
    return list;
}

col_status epi_keeping_restore(epi_keeping *k, const json_t *saved, bool *is_good,
                               col_problem *problem) {
    const size_t count = json_array_size(saved);
    *is_good = *is_good && json_is_array(saved);
    BASE_TRY(base_reserve(&k->list, &k->capacity, count + 1, sizeof *k->list, problem));
    for (size_t i = 0; i < count; i++) {
        const json_t *kept = json_array_get(saved, i);
        k->list[k->count++] =
            (epi_kept){.test = base_json_number(json_array_get(kept, 0), is_good),
                       .instance = (uint32_t)base_json_number(json_array_get(kept, 1), is_good),
                       .operations = (uint32_t)base_json_number(json_array_get(kept, 2), is_good),
                       .kind = (uint32_t)base_json_number(json_array_get(kept, 3), is_good)};
    }
    return COL_OK;
}
