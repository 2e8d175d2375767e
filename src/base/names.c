/* SPDX-License-Identifier: MIT */
/* Numbers of texts: see names.h. */
#include "base/names.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct part {
    const char *text;
    size_t length;
} part;

static bool is_same(const void *texts, uint32_t number, const void *wanted) {
    const char *text = ((const char *const *)texts)[number];
    const part *p = wanted;
    return strncmp(text, p->text, p->length) == 0 && strlen(text) == p->length;
}

static uint32_t find(const base_names *names, const part *p, uint64_t hash) {
    return base_index_find(&names->index, hash, is_same, names->texts, p);
}

static col_status append(base_names *names, const part *p, uint64_t hash, col_problem *problem) {
    col_status status = base_reserve(&names->texts, &names->capacity, names->count + 1,
                                     sizeof *names->texts, problem);
    if (status == COL_OK)
        status = base_index_reserve(&names->index, names->count + 1, problem);
    if (status != COL_OK)
        return status;
    const char *copy = base_arena_text(names->arena, p->text, p->length);
    if (copy == NULL)
        return base_out_of_memory(problem);
    names->texts[names->count++] = copy;
    return base_index_put(&names->index, hash, problem);
}

col_status base_names_add_part(base_names *names, const char *text, size_t length, uint32_t *number,
                               bool *is_new, col_problem *problem) {
    const part p = {text, length};
    const uint64_t hash = XXH3_64bits(text, length);
    *number = find(names, &p, hash);
    if (is_new != NULL)
        *is_new = *number == BASE_NO_NUMBER;
    if (*number != BASE_NO_NUMBER)
        return COL_OK;
    *number = (uint32_t)names->count;
    return append(names, &p, hash, problem);
}

col_status base_names_add(base_names *names, const char *text, uint32_t *number, bool *is_new,
                          col_problem *problem) {
    return base_names_add_part(names, text, strlen(text), number, is_new, problem);
}

uint32_t base_names_find(const base_names *names, const char *text) {
    const part p = {text, strlen(text)};
    return find(names, &p, XXH3_64bits(text, p.length));
}

void base_names_free(base_names *names) {
    free(names->texts);
    base_index_free(&names->index);
    *names = (base_names){.arena = names->arena};
}
