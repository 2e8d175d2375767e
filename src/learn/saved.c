/* SPDX-License-Identifier: MIT */
/* Arrays as JSON: see saved.h. */
#include "learn/saved.h"
#include "base/hexadecimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number_at(const unsigned char *item, size_t size) {
    uint64_t eight = 0;
    uint32_t four = 0;
    if (size == sizeof eight) {
        memcpy(&eight, item, size);
        return eight;
    }
    if (size == sizeof four) {
        memcpy(&four, item, size);
        return four;
    }
    return *item;
}

static void set_number(unsigned char *item, size_t size, uint64_t number) {
    const uint32_t four = (uint32_t)number;
    if (size == sizeof number)
        memcpy(item, &number, size);
    else if (size == sizeof four)
        memcpy(item, &four, size);
    else
        *item = (unsigned char)number;
}

json_t *lrn_save_items(const void *items, size_t count, size_t size) {
    const size_t length = 2 * size * count;
    char *text = malloc(length + 1), *at = text;
    if (text == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        at = base_put_hexadecimal(at, number_at((const unsigned char *)items + i * size, size),
                                  (int)(2 * size));
    json_t *value = json_stringn(text, length);
    free(text);
    return value;
}

/* The start of a text for as many items; NULL: it is none, or of another length. */
static const char *text_of(const json_t *saved, size_t count, size_t size) {
    return json_is_string(saved) && json_string_length(saved) == 2 * size * count
               ? json_string_value(saved)
               : NULL;
}

bool lrn_restore_items(const json_t *saved, size_t count, size_t size, void *items) {
    const char *at = text_of(saved, count, size);
    if (at == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = 0;
        if (!base_take_hexadecimal(&at, (int)(2 * size), &number))
            return false;
        set_number((unsigned char *)items + i * size, size, number);
    }
    return true;
}

bool lrn_restore_floats(const json_t *saved, size_t count, float *numbers) {
    const char *at = text_of(saved, count, sizeof *numbers);
    if (at == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = 0;
        float value = 0;
        if (!base_take_hexadecimal(&at, (int)(2 * sizeof value), &number))
            return false;
        set_number((unsigned char *)&value, sizeof value, number);
        if (!isfinite(value))
            return false;
        if (numbers != NULL)
            numbers[i] = value;
    }
    return true;
}

bool lrn_restore_number(const json_t *saved, const char *key, uint64_t most, uint64_t *number) {
    return base_json_take(saved, key, number) && *number <= most;
}
