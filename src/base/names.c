/* SPDX-License-Identifier: MIT */
/* Numbers of texts: see names.h. */
#include "base/names.h"

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
    BASE_TRY(base_reserve(&names->texts, &names->capacity, names->count + 1, sizeof *names->texts,
                          problem));
    BASE_TRY(base_index_reserve(&names->index, names->count + 1, problem));
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

/* The word that was meant. */

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static char small(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Letters that are left out, added, replaced, or swapped with the next one; upper and lower case
 * are alike. Three rows of the usual table are enough. */
static size_t distance_of(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const char p = small(a[i - 1]), q = small(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (p != q));
            if (i > 1 && j > 1 && p == small(b[j - 2]) && small(a[i - 2]) == q)
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void base_nearest_try(base_nearest *nearest, const char *word) {
    const size_t typed = strlen(nearest->text), length = strlen(word);
    if (typed == 0 || length == 0 || typed > LONGEST || length > LONGEST)
        return;
    const size_t longer = typed > length ? typed : length;
    const size_t most = longer < 3 ? 1 : (longer + 1) / 3;
    const size_t distance = distance_of(nearest->text, typed, word, length);
    if (distance > most || distance >= longer ||
        (nearest->word != NULL && distance >= nearest->distance))
        return;
    nearest->word = word;
    nearest->distance = distance;
}

const char *base_nearest_of(const char *const *words, const char *text) {
    base_nearest nearest = {.text = text};
    for (size_t i = 0; words[i] != NULL; i++)
        base_nearest_try(&nearest, words[i]);
    return nearest.word;
}

/* Words to choose from. */

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
