/* SPDX-License-Identifier: MIT */
/*
 * A mutator for JSON: it changes the tree, not the bytes, so that most of what it makes passes the
 * parser and tries what reads the tree. Values become others of the file or ones at the edge of
 * what fits, and members and elements are left out, said twice and moved. What is no JSON is
 * mutated as bytes.
 */
#include "base/random.h"
#include "fuzz.h"

#include <jansson.h>

/* ---- Values by their number, depth first. */

typedef struct place {
    json_t *parent; /* NULL: of the whole */
    const char *key;
    size_t index;
    json_t *value;
} place;

/* Counts down to the value that is looked for. */
static bool find(json_t *value, place *found, uint64_t *number) {
    if ((*number)-- == 0) {
        found->value = value;
        return true;
    }
    void *next;
    for (void *at = json_object_iter(value); at != NULL; at = next) {
        next = json_object_iter_next(value, at);
        found->parent = value;
        found->key = json_object_iter_key(at);
        if (find(json_object_iter_value(at), found, number))
            return true;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        found->parent = value;
        found->key = NULL;
        found->index = i;
        if (find(json_array_get(value, i), found, number))
            return true;
    }
    return false;
}

static uint64_t count(json_t *value) {
    uint64_t number = UINT64_MAX;
    place ignored = {0};
    (void)find(value, &ignored, &number);
    return UINT64_MAX - number;
}

static place pick(json_t *root, base_rng *rng) {
    place found = {0};
    uint64_t number = base_rng_below(rng, count(root));
    require(find(root, &found, &number));
    if (found.value == root)
        found.parent = NULL;
    return found;
}

/* ---- Changes. */

static json_t *make_whole(const json_t *old, base_rng *rng) {
    static const json_int_t edges[] = {
        0, 1, -1, 2, 7, 64, 255, 256, 65535, 65536, INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MIN};
    if (base_rng_below(rng, 2) == 0)
        return json_integer(edges[base_rng_below(rng, sizeof edges / sizeof *edges)]);
    const uint64_t value = (uint64_t)json_integer_value(old) + base_rng_below(rng, 5) - 2;
    return json_integer((json_int_t)value);
}

static json_t *make_real(base_rng *rng) {
    static const double reals[] = {0.0, -0.0, 0.5, -1.5, 1e-300, 1e300};
    return json_real(reals[base_rng_below(rng, sizeof reals / sizeof *reals)]);
}

static json_t *make_text(base_rng *rng) {
    static const char *const words[] = {"",        "0",       "7",         "x",
                                        "mesi2",   "msi",     "x.yaml",    "x.so",
                                        "\x1b[2J", "../../x", "/dev/zero", "18446744073709551616"};
    return json_string(words[base_rng_below(rng, sizeof words / sizeof *words)]);
}

/* Mostly of the old one's type: others are refused by whoever reads it first. */
static json_t *make_value(json_t *root, const json_t *old, base_rng *rng) {
    enum { OTHER_IN = 6 };
    if (base_rng_below(rng, OTHER_IN) == 0)
        return json_deep_copy(pick(root, rng).value);
    switch (base_rng_below(rng, OTHER_IN) == 0 ? (json_type)base_rng_below(rng, JSON_NULL + 1)
                                               : json_typeof(old)) {
    case JSON_INTEGER:
        return make_whole(old, rng);
    case JSON_REAL:
        return make_real(rng);
    case JSON_STRING:
        return make_text(rng);
    case JSON_OBJECT:
        return json_is_object(old) ? json_deep_copy(old) : json_object();
    case JSON_ARRAY:
        return json_is_array(old) ? json_deep_copy(old) : json_array();
    case JSON_NULL:
        return json_null();
    default:
        return json_boolean(base_rng_below(rng, 2));
    }
}

static void leave_out(const place *p) {
    if (p->key != NULL)
        (void)json_object_del(p->parent, p->key);
    else
        (void)json_array_remove(p->parent, p->index);
}

static void change(json_t **root, base_rng *rng) {
    const place p = pick(*root, rng);
    json_t *made = make_value(*root, p.value, rng);
    if (p.parent == NULL) {
        if (json_is_object(made) || json_is_array(made)) {
            json_decref(*root);
            *root = made;
        } else {
            json_decref(made);
        }
        return;
    }
    const uint64_t kind = base_rng_below(rng, 12);
    if (kind == 0) {
        leave_out(&p);
        json_decref(made);
    } else if (kind == 1 && json_is_array(p.parent)) {
        (void)json_array_insert_new(p.parent, p.index, made);
    } else if (p.key != NULL) {
        char key[256]; /* the old one ends with its value */
        (void)snprintf(key, sizeof key, "%s", p.key);
        (void)json_object_set_new(p.parent, key, made);
    } else {
        (void)json_array_set_new(p.parent, p.index, made);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    enum { MORE_IN = 3, BYTES_IN = 8 };
    base_rng rng;
    base_rng_seed(&rng, seed, size);
    json_t *root =
        base_rng_below(&rng, BYTES_IN) == 0 ? NULL : json_loadb((const char *)data, size, 0, NULL);
    if (root == NULL)
        return LLVMFuzzerMutate(data, size, most);
    do
        change(&root, &rng);
    while (base_rng_below(&rng, MORE_IN) == 0);
    const size_t length = json_dumpb(root, (char *)data, most, JSON_COMPACT);
    json_decref(root);
    return length > 0 && length <= most ? length : LLVMFuzzerMutate(data, size, most);
}
