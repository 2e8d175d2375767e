/* SPDX-License-Identifier: MIT */
/* Numbers as users write them: see number.h. */
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool base_number_parse(const char *text, uint64_t *number) {
    static const char *const suffixes[] = {"", "Ki", "Mi", "Gi"};
    if (*text < '0' || *text > '9')
        return false; /* strtoull would take blanks and signs */
    const int base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
    char *end;
    errno = 0;
    const unsigned long long digits = strtoull(text, &end, base);
    if (errno != 0 || (base == 16 && end == text + 1))
        return false;
    for (unsigned i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (strcmp(end, suffixes[i]) != 0)
            continue;
        if (digits > UINT64_MAX >> (10 * i))
            return false;
        *number = (uint64_t)digits << (10 * i);
        return true;
    }
    return false;
}

/* ---- Decimals. */

/* Digits without a point, which the locale would choose, and a power of ten. So many digits decide
 * how any number is rounded; of those behind them it is enough to know that there are some. */
enum { MOST_DIGITS = 800, MOST_EXPONENT = 100000 };

typedef struct decimal {
    char text[MOST_DIGITS + 16];
    size_t length;
    int64_t exponent;
} decimal;

static void add_digit(decimal *d, char digit, bool is_fraction) {
    const bool is_kept = d->length < MOST_DIGITS;
    if (is_kept && (d->length > 0 || digit != '0'))
        d->text[d->length++] = digit;
    if (!is_kept && digit != '0' && d->text[MOST_DIGITS - 1] == '0')
        d->text[MOST_DIGITS - 1] = '1';
    d->exponent += !is_kept && !is_fraction ? 1 : is_kept && is_fraction ? -1 : 0;
}

static const char *add_digits(const char *at, bool is_fraction, decimal *d) {
    for (; *at >= '0' && *at <= '9'; at++)
        add_digit(d, *at, is_fraction);
    return at;
}

/* "e-3" behind a decimal, if there is one. NULL if it is malformed. */
static const char *add_exponent(const char *at, decimal *d) {
    if (*at != 'e' && *at != 'E')
        return at;
    at++;
    const bool is_negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    int64_t exponent = 0;
    const char *digits = at;
    for (; *at >= '0' && *at <= '9'; at++)
        exponent = exponent > INT32_MAX ? exponent : exponent * 10 + (*at - '0');
    d->exponent += is_negative ? -exponent : exponent;
    return at == digits ? NULL : at;
}

static double value_of(decimal *d) {
    const int64_t exponent = d->exponent < -MOST_EXPONENT  ? -MOST_EXPONENT
                             : d->exponent > MOST_EXPONENT ? MOST_EXPONENT
                                                           : d->exponent;
    if (d->length == 0)
        return 0;
    (void)snprintf(d->text + d->length, sizeof d->text - d->length, "e%d", (int)exponent);
    return strtod(d->text, NULL);
}

const char *base_decimal_parse(const char *text, double *number) {
    decimal d = {.length = 0};
    const char *at = add_digits(text, false, &d);
    if (at == text)
        return NULL;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = add_digits(fraction, true, &d);
        if (at == fraction)
            return NULL;
    }
    at = add_exponent(at, &d);
    if (at != NULL)
        *number = value_of(&d);
    return at;
}

/* Durations as people write them. */

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

/* Hexadecimal text. */

char *base_put_hexadecimal(char *at, uint64_t number, int digits) {
    for (int i = digits; i-- > 0; number >>= 4)
        at[i] = "0123456789abcdef"[number & 15];
    return at + digits;
}

bool base_take_hexadecimal(const char **at, int digits, uint64_t *number) {
    *number = 0;
    for (int i = 0; i < digits; i++, (*at)++) {
        const char c = **at;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        *number = *number << 4 | (uint64_t)digit;
    }
    return true;
}
