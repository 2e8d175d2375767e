/* SPDX-License-Identifier: MIT */
/* Words to choose from: see choice.h. */
#include "base/choice.h"

#include "base/nearest.h"

#include <string.h>

bool base_choice_find(const char *const *words, const char *text, size_t length, uint32_t *choice) {
    for (*choice = 0; words[*choice] != NULL; (*choice)++)
        if (strlen(words[*choice]) == length && memcmp(words[*choice], text, length) == 0)
            return true;
    return false;
}

void base_choice_list(const char *const *words, base_text *list) {
    for (uint32_t i = 0; words[i] != NULL; i++) {
        if (i > 0)
            base_text_add(list, words[i + 1] == NULL ? " or " : ", ");
        base_text_add(list, words[i]);
    }
}

col_status base_choice_read(const char *prefix, const char *name, const char *const *words,
                            const char *text, uint32_t *choice, col_problem *problem) {
    if (base_choice_find(words, text, strlen(text), choice))
        return COL_OK;
    const char *nearest = base_nearest_of(words, text);
    if (nearest != NULL)
        return base_refuse(problem, "%s%s does not take '%.60s'; did you mean '%s'?", prefix, name,
                           text, nearest);
    base_text list = {0};
    base_choice_list(words, &list);
    col_status status = base_text_status(&list, problem);
    if (status == COL_OK)
        status = base_refuse(problem, "%s%s is %s, not '%.100s'", prefix, name, list.data, text);
    base_text_free(&list);
    return status;
}
