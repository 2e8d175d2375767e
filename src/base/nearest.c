/* SPDX-License-Identifier: MIT */
/* The word that was meant: see nearest.h. */
#include "base/nearest.h"

#include <string.h>

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
