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
