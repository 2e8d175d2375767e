/* SPDX-License-Identifier: MIT */
/* Logs of learning, in bins: see learned.h. */
#include "report/learned.h"

#include "base/number.h"

#include <stdint.h>
#include <string.h>

const char *const rep_learned_names[REP_LEARNED_COUNT] = {"reward", "loss"};

enum { COLUMN_TEST = REP_LEARNED_COUNT, COLUMN_COUNT };

/* Where each column is; UINT32_MAX: it is not there. */
static void read_header(const char *line, uint32_t columns[COLUMN_COUNT]) {
    const char *names[COLUMN_COUNT] = {
        [REP_REWARD] = "reward", [REP_LOSS] = "loss", [COLUMN_TEST] = "test"};
    for (uint32_t i = 0; i < COLUMN_COUNT; i++)
        columns[i] = UINT32_MAX;
    for (uint32_t column = 0;; column++) {
        const size_t length = strcspn(line, ",\r\n");
        for (uint32_t i = 0; i < COLUMN_COUNT; i++)
            if (strlen(names[i]) == length && memcmp(names[i], line, length) == 0)
                columns[i] = column;
        if (line[length] != ',')
            return;
        line += length + 1;
    }
}

static bool parse_field(const char *field, double *number) {
    const bool is_negative = *field == '-';
    const char *end = base_decimal_parse(field + is_negative, number);
    if (end == NULL)
        return false;
    if (is_negative)
        *number = -*number;
    return true;
}

/* The fields of a line that are wanted; has[i]: there is a number. Returns where the next begins.
 */
static const char *read_line(const char *line, const uint32_t columns[COLUMN_COUNT],
                             double numbers[COLUMN_COUNT], bool has[COLUMN_COUNT]) {
    memset(has, 0, COLUMN_COUNT * sizeof *has);
    for (uint32_t column = 0;; column++) {
        const size_t length = strcspn(line, ",\r\n");
        for (uint32_t i = 0; i < COLUMN_COUNT; i++)
            if (columns[i] == column)
                has[i] = length > 0 && parse_field(line, &numbers[i]);
        line += length;
        if (*line != ',')
            break;
        line++;
    }
    line += strspn(line, "\r\n");
    return line;
}

/* Two bins become one. */
static void widen(rep_learned *l) {
    const size_t half = REP_LEARNED_BINS / 2;
    for (uint32_t c = 0; c < REP_LEARNED_COUNT; c++) {
        float *sums = l->sums[c];
        uint32_t *counts = l->counts[c];
        for (size_t i = 0; i < half; i++) {
            sums[i] = sums[2 * i] + sums[2 * i + 1];
            counts[i] = counts[2 * i] + counts[2 * i + 1];
        }
        memset(sums + half, 0, half * sizeof *sums);
        memset(counts + half, 0, half * sizeof *counts);
    }
    l->width *= 2;
    l->count = (l->count + 1) / 2;
}

static void add(rep_learned *l, uint64_t test, const double *numbers, const bool *has) {
    while (test / l->width >= REP_LEARNED_BINS)
        widen(l);
    const uint32_t bin = (uint32_t)(test / l->width);
    for (uint32_t c = 0; c < REP_LEARNED_COUNT; c++)
        if (has[c]) {
            l->sums[c][bin] += (float)numbers[c];
            l->counts[c][bin]++;
        }
    if (bin >= l->count)
        l->count = bin + 1;
}

static rep_learned *make(base_arena *arena) {
    rep_learned *l = base_arena_take(arena, sizeof *l);
    if (l == NULL)
        return NULL;
    *l = (rep_learned){.width = 1};
    for (uint32_t c = 0; c < REP_LEARNED_COUNT; c++) {
        l->sums[c] = base_arena_take(arena, REP_LEARNED_BINS * sizeof *l->sums[c]);
        l->counts[c] = base_arena_take(arena, REP_LEARNED_BINS * sizeof *l->counts[c]);
        if (l->sums[c] == NULL || l->counts[c] == NULL)
            return NULL;
    }
    return l;
}

bool rep_learned_read(base_arena *arena, const char *csv, const rep_learned **learned) {
    const double most_test = 1e15;
    uint32_t columns[COLUMN_COUNT];
    double numbers[COLUMN_COUNT] = {0};
    bool has[COLUMN_COUNT];
    *learned = NULL;
    read_header(csv, columns);
    const char *line = csv + strcspn(csv, "\n");
    line += *line == '\n';
    if (columns[COLUMN_TEST] == UINT32_MAX || *line == '\0')
        return true;
    rep_learned *l = make(arena);
    if (l == NULL)
        return false;
    while (*line != '\0') {
        line = read_line(line, columns, numbers, has);
        if (has[COLUMN_TEST] && numbers[COLUMN_TEST] >= 0 && numbers[COLUMN_TEST] < most_test)
            add(l, (uint64_t)numbers[COLUMN_TEST], numbers, has);
    }
    *learned = l->count == 0 ? NULL : l;
    return true;
}
