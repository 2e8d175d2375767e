/* SPDX-License-Identifier: MIT */
/* Numbers as users write them: see number.h. */
#include "base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool col_number_parse(const char *text, uint64_t *number) {
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

/* "e-3" behind a decimal, if there is one. NULL if it is malformed. */
static const char *parse_exponent(const char *at, double *number) {
    if (*at != 'e' && *at != 'E')
        return at;
    at++;
    const bool negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    int exponent = 0;
    const char *digits = at;
    for (; *at >= '0' && *at <= '9' && exponent < 1000; at++)
        exponent = exponent * 10 + (*at - '0');
    for (; exponent > 0; exponent--)
        *number = negative ? *number / 10 : *number * 10;
    return at == digits ? NULL : at;
}

const char *col_decimal_parse(const char *text, double *number) {
    double digits = 0, scale = 1;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        digits = digits * 10 + (*at - '0');
    if (at == text)
        return NULL;
    if (*at == '.') {
        const char *fraction = ++at;
        for (; *at >= '0' && *at <= '9'; at++) {
            digits = digits * 10 + (*at - '0');
            scale *= 10;
        }
        if (at == fraction)
            return NULL;
    }
    *number = digits / scale;
    return parse_exponent(at, number);
}
