/* SPDX-License-Identifier: MIT */
/* Durations as people write them: see duration.h. */
#include "base/duration.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    double seconds;
} units[] = {{"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 0.001}};
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

/* The unit at the start of the text, from `first` on: what follows it is a digit or the end. */
static size_t find_unit(const char *text, size_t length, size_t first) {
    while (first < UNIT_COUNT &&
           (strlen(units[first].name) != length || memcmp(units[first].name, text, length) != 0))
        first++;
    return first;
}

bool base_duration_parse(const char *text, double *seconds) {
    double sum = 0;
    const char *at = text;
    for (size_t unit = 0;; unit++) {
        double number = 0;
        at = base_decimal_parse(at, &number);
        if (at == NULL)
            return false;
        const size_t length = strcspn(at, "0123456789");
        if (length == 0) { /* seconds, where nothing else is said */
            *seconds = number;
            return unit == 0 && isfinite(number);
        }
        unit = find_unit(at, length, unit);
        if (unit == UNIT_COUNT)
            return false;
        sum += number * units[unit].seconds;
        at += length;
        if (*at == '\0')
            break;
    }
    *seconds = sum;
    return isfinite(sum);
}

col_status base_duration_read(const char *prefix, const char *name, const char *text, double most,
                              bool takes_zero, double *seconds, col_problem *problem) {
    double read = 0;
    if (!base_duration_parse(text, &read) || (read == 0 && !takes_zero) || read > most)
        return base_refuse(problem, "%s%s is " BASE_DURATION_FORMS ", not '%.60s'", prefix, name,
                           text);
    *seconds = read;
    return COL_OK;
}
