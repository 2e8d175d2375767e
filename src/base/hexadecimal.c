/* SPDX-License-Identifier: MIT */
/* Hexadecimal text: see hexadecimal.h. */
#include "base/hexadecimal.h"

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
