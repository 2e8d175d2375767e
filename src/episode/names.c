/* SPDX-License-Identifier: MIT */
/* Names of messages: see names.h. */
#include "episode/names.h"

#include <string.h>

static const char unknown[] = "?";

uint32_t epi_name_add(epi_names *names, const char *text) {
    enum { MOST = 511 }; /* characters */
    uint32_t number = EPI_MOST_NAMES;
    col_problem problem;
    if (text == NULL || names->failed)
        return EPI_MOST_NAMES;
    names->names.arena = &names->arena;
    char cut[MOST + 1] = {0};
    memcpy(cut, text, strnlen(text, MOST));
    if (names->names.count >= EPI_MOST_NAMES) {
        number = base_names_find(&names->names, cut);
        return number == BASE_NO_NUMBER ? EPI_MOST_NAMES : number;
    }
    names->failed = base_names_add(&names->names, cut, &number, NULL, &problem) != COL_OK;
    return names->failed ? EPI_MOST_NAMES : number;
}

const char *epi_name_of(const epi_names *names, uint32_t name) {
    return name < names->names.count ? names->names.texts[name] : unknown;
}

void epi_names_free(epi_names *names) {
    base_names_free(&names->names);
    base_arena_free(&names->arena);
}
