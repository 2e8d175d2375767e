/* SPDX-License-Identifier: MIT */
/* JSON results: see json.h. */
#include "base/json.h"

#include "base/file.h"
#include "base/path.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

json_t *base_json_text(const char *text) {
    char *copy = text == NULL ? NULL : strdup(text);
    if (copy == NULL)
        return text == NULL ? json_null() : NULL;
    base_clean_utf8(copy);
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

static void keep_if(json_t **container, bool is_added) {
    if (is_added)
        return;
    json_decref(*container);
    *container = NULL;
}

void base_json_append(json_t **array, json_t *value) {
    keep_if(array, json_array_append_new(*array, value) == 0);
}

void base_json_set(json_t **object, const char *key, json_t *value) {
    keep_if(object, json_object_set_new(*object, key, value) == 0);
}

/*
 * Jansson calls a text that it had no memory for invalid; or, where it had none for a letter,
 * leaves that out and reads on, behind the end of the string if it was the quotation mark. So
 * allocations are watched: what cannot be had is taken from a spare, large enough for the longest
 * string, and the text ends there. Whatever the program has set for allocations goes on being used.
 */
static json_malloc_t given_malloc;
static json_free_t given_free;
static _Thread_local bool ran_out;
static _Thread_local struct {
    char *start; /* NULL: nothing is being parsed */
    size_t size, used;
} spare;

static void *watched_malloc(size_t size) {
    void *memory = given_malloc(size);
    if (memory != NULL)
        return memory;
    ran_out = true;
    const size_t alignment = _Alignof(max_align_t), from = spare.used;
    if (spare.start == NULL || size > spare.size - from)
        return NULL;
    const size_t end = from + (size + alignment - 1) / alignment * alignment;
    spare.used = end < spare.size ? end : spare.size;
    return spare.start + from;
}

static void watched_free(void *memory) {
    const uintptr_t at = (uintptr_t)memory, start = (uintptr_t)spare.start;
    if (spare.start == NULL || at < start || at - start >= spare.size)
        given_free(memory);
}

static void watch_allocations(void) {
    json_get_alloc_funcs(&given_malloc, &given_free);
    json_set_alloc_funcs(watched_malloc, watched_free);
}

/* Not shorter than any string, number or word of the text. */
static size_t longest_stretch(const char *text, size_t length) {
    size_t longest = 0, from = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\')
            i++;
        else if (text[i] == '"') {
            longest = i - from > longest ? i - from : longest;
            from = i;
        }
    }
    return length - from > longest ? length - from : longest;
}

typedef struct rest {
    const char *text;
    size_t length;
} rest;

/* One letter at a time, and none after memory ran out. */
static size_t give_letter(void *buffer, size_t size, void *context) {
    rest *r = context;
    if (r->length == 0 || size == 0 || ran_out)
        return 0;
    memcpy(buffer, r->text++, 1);
    r->length--;
    return 1;
}

/* NULL also where memory ran out. */
static json_t *load(const char *text, size_t length, json_error_t *error) {
    enum { BEHIND_A_STRING = 4096 }; /* what it becomes, and the containers that it is in */
    rest r = {text, length};
    ran_out = false;
    /* Twice the string for a buffer that grows, and once for its copy. */
    spare.size = 3 * longest_stretch(text, length) + BEHIND_A_STRING;
    spare.used = 0;
    spare.start = given_malloc(spare.size);
    if (spare.start == NULL) {
        ran_out = true;
        return NULL;
    }
    json_t *value = json_load_callback(give_letter, &r, 0, error);
    if (ran_out) { /* what there is may be cut */
        json_decref(value);
        value = NULL;
    }
    given_free(spare.start);
    spare.start = NULL;
    return value;
}

/* Jansson's column is that of the end of the word that it names last: "invalid token near 'x'". */
static uint32_t column_of(const json_error_t *error) {
    const int column = error->column < 1 ? 1 : error->column;
    const char *near = strstr(error->text, " near '");
    const char *end = near == NULL ? NULL : strrchr(near, '\'');
    const int length = end == NULL ? 0 : (int)(end - near) - 7;
    return (uint32_t)(length > 1 && length <= column ? column - length + 1 : column);
}

col_status base_json_parse(const char *text, size_t length, const char *file, json_t **value,
                           col_problem *problem) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    json_error_t inner;
    if (pthread_once(&once, watch_allocations) != 0)
        return base_out_of_memory(problem);
    text = base_skip_bom(text, &length);
    *value = load(text, length, &inner);
    if (ran_out)
        return base_out_of_memory(problem);
    if (*value != NULL)
        return COL_OK;
    return base_refuse_at(problem, file, (uint32_t)(inner.line < 1 ? 1 : inner.line),
                          column_of(&inner), "%.160s", inner.text);
}

col_status base_json_parse_stored(const char *text, json_t **value, col_problem *problem) {
    const col_status status = base_json_parse(text, strlen(text), "", value, problem);
    return status == COL_BAD_INPUT ? COL_OK : status;
}

uint64_t base_json_number(const json_t *value, bool *is_good) {
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        *is_good = false;
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

uint64_t base_json_number_at(const json_t *object, const char *key, bool *is_good) {
    return base_json_number(json_object_get(object, key), is_good);
}

bool base_json_take(const json_t *object, const char *key, uint64_t *number) {
    bool is_good = true;
    *number = base_json_number_at(object, key, &is_good);
    return is_good;
}

static col_status parse_and_free(base_text *text, col_status status, const char *file,
                                 json_t **value, col_problem *problem) {
    *value = NULL;
    if (status == COL_OK)
        status = base_json_parse(text->data, text->length, file, value, problem);
    base_text_free(text);
    return status;
}

col_status base_json_read(const char *path, json_t **value, col_problem *problem) {
    base_text text = {0};
    const col_status status = base_file_read(path, &text, problem);
    return parse_and_free(&text, status, path, value, problem);
}

col_status base_json_read_in(const char *folder, const char *name, json_t **value,
                             col_problem *problem) {
    char path[PATH_MAX];
    base_text text = {0};
    col_status status = base_path_in(path, folder, name, problem);
    if (status == COL_OK)
        status = base_file_read_in(folder, name, &text, problem);
    return parse_and_free(&text, status, path, value, problem);
}

/* Jansson escapes C0 alone; DEL and C1, which a terminal obeys too, occur within strings alone. */
static void escape_controls(const char *json, base_text *text) {
    const char *from = json;
    for (const unsigned char *at = (const unsigned char *)json; *at != '\0'; at++) {
        const bool is_c1 = at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0;
        if (*at != 0x7F && !is_c1)
            continue;
        base_text_add_bytes(text, from, (size_t)((const char *)at - from));
        base_text_print(text, "\\u%04x", is_c1 ? at[1] : at[0]);
        at += is_c1;
        from = (const char *)at + 1;
    }
    base_text_add(text, from);
}

static int add_piece(const char *bytes, size_t length, void *text) {
    base_text_add_bytes(text, bytes, length);
    return ((base_text *)text)->failed ? -1 : 0;
}

void base_json_print(const json_t *value, size_t flags, base_text *text) {
    base_text raw = {0};
    if (value == NULL || json_dump_callback(value, add_piece, &raw, flags) != 0 || raw.failed)
        text->failed = true;
    else
        escape_controls(raw.data, text);
    base_text_free(&raw);
}

static col_status write_with(const char *path, json_t *value, size_t flags, col_problem *problem) {
    base_text text = {0};
    base_json_print(value, flags, &text);
    json_decref(value);
    base_text_add(&text, "\n");
    return base_file_write_text(path, &text, problem);
}

col_status base_json_write(const char *path, json_t *value, col_problem *problem) {
    return write_with(path, value, BASE_JSON_LAYOUT, problem);
}

col_status base_json_write_exact(const char *path, json_t *value, col_problem *problem) {
    return write_with(path, value, JSON_COMPACT | JSON_REAL_PRECISION(17), problem);
}
