/* SPDX-License-Identifier: MIT */
/* Drawing configurations: see design_vary.h. */
#include "protocol/simulate/design_vary.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ATTEMPTS = 32 }; /* to draw values that fit together */

typedef struct varied {
    char name[128]; /* as it is listed, without question marks */
    sim_key key;
    sim_key_value values[SIM_FILE_VALUES];
    uint32_t value_count;
    bool is_range; /* from the first to the second */
    uint64_t stream;
    sim_key_value drawn;
} varied;

struct sim_vary {
    sim_design_file file; /* what was drawn last is put into it */
    char path[1024];
    const sl_protocol *protocol;
    sim_wiring plain, widest;
    varied keys[SIM_FILE_VARIED];
    uint32_t count;
    bool is_plain; /* the last draw: nothing fitted */
};

/* ---- Choices. */

col_status sim_choices_apply(const sim_choice *choices, size_t count, sim_design_file *file,
                             const sl_protocol *protocol, col_problem *problem) {
    for (size_t i = 0; i < count; i++) {
        sim_key key = {0};
        sim_key_value value = {.place = {0}};
        BASE_TRY(sim_key_find(&key, file, protocol, choices[i].key, value.place, problem));
        BASE_TRY(sim_key_read(&key, file->path, choices[i].key, choices[i].value, &value, problem));
        sim_key_set(&key, &value);
    }
    return COL_OK;
}

static bool is_chosen(const char *key, const sim_choice *choices, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (sim_key_is(key, choices[i].key))
            return true;
    return false;
}

/* ---- Drawing. */

static uint32_t width_of(uint64_t number) {
    uint32_t width = 0;
    for (; number != 0; number >>= 1)
        width++;
    return width;
}

/* Sizes and sets double; other numbers are drawn so that each number of digits is as likely as any
 * other: of 0 to 400, one in ten is 0, and one in ten is above 256. */
static uint64_t draw_from_range(base_rng *rng, sim_key_type type, uint64_t low, uint64_t high) {
    if (type == SIM_KEY_SIZE || type == SIM_KEY_SETS) {
        uint32_t doublings = 0;
        while (low << (doublings + 1) <= high)
            doublings++;
        return low << base_rng_below(rng, doublings + 1);
    }
    const uint32_t first = width_of(low), last = width_of(high);
    const uint32_t width = first + (uint32_t)base_rng_below(rng, last - first + 1);
    const uint64_t least = width == 0 ? 0 : UINT64_C(1) << (width - 1);
    const uint64_t most = width == 0 ? 0 : least * 2 - 1;
    const uint64_t from = least < low ? low : least, to = most > high ? high : most;
    return from + base_rng_below(rng, to - from + 1);
}

static void draw_key(varied *v, uint64_t number, uint32_t attempt) {
    base_rng rng;
    base_rng_seed(&rng, number, v->stream + attempt);
    if (v->is_range) {
        v->drawn = v->values[0];
        v->drawn.number =
            draw_from_range(&rng, v->key.type, v->values[0].number, v->values[1].number);
    } else {
        v->drawn = v->values[base_rng_below(&rng, v->value_count)];
    }
}

/* Does what was drawn fit together? */
static col_status put_together(sim_vary *vary, sim_wiring *wiring, col_problem *problem) {
    for (uint32_t i = 0; i < vary->count; i++)
        sim_key_set(&vary->keys[i].key, &vary->keys[i].drawn);
    BASE_TRY(sim_wiring_infer(wiring, vary->protocol, vary->plain.cores, problem));
    return sim_design_file_apply(&vary->file, vary->protocol, wiring, problem);
}

void sim_vary_draw(sim_vary *vary, uint64_t number, sim_wiring *wiring) {
    col_problem problem;
    vary->is_plain = false;
    for (uint32_t attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        for (uint32_t i = 0; i < vary->count; i++)
            draw_key(&vary->keys[i], number, attempt);
        if (put_together(vary, wiring, &problem) == COL_OK)
            return;
    }
    *wiring = vary->plain;
    vary->is_plain = true;
}

/* ---- Classes. */

static uint8_t class_of(const varied *v, const sim_key_value *value) {
    uint32_t class = 0;
    if (v->is_range)
        class = width_of(value->number) - width_of(v->values[0].number);
    else
        while (class + 1 < v->value_count && v->values[class].number != value->number)
            class ++;
    return (uint8_t)(class < SIM_VARY_CLASSES ? class : SIM_VARY_CLASSES - 1);
}

void sim_vary_classes(sim_vary *vary, uint64_t number, uint8_t *classes) {
    sim_key_value last[SIM_FILE_VARIED];
    const bool was_plain = vary->is_plain;
    sim_wiring wiring;
    for (uint32_t i = 0; i < vary->count; i++)
        last[i] = vary->keys[i].drawn;
    sim_vary_draw(vary, number, &wiring);
    for (uint32_t i = 0; i < vary->count; i++) {
        classes[i] = vary->is_plain ? 0 : class_of(&vary->keys[i], &vary->keys[i].drawn);
        vary->keys[i].drawn = last[i];
        sim_key_set(&vary->keys[i].key, &last[i]);
    }
    vary->is_plain = was_plain;
}

/* ---- Opening. */

static uint64_t sets_of(const sim_cache_shape *cache) {
    return cache->bytes / SL_BLOCK_BYTES / cache->ways;
}

/* The value with some of the others. */
static col_status try_value(sim_vary *vary, varied *v, const sim_key_value *value,
                            const sim_file_value *said, col_problem *problem) {
    sim_wiring wiring;
    col_problem last;
    for (uint32_t attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        for (uint32_t i = 0; i < vary->count; i++)
            draw_key(&vary->keys[i], attempt, 0);
        v->drawn = *value;
        const col_status status = put_together(vary, &wiring, &last);
        if (status == COL_FAILURE) {
            *problem = last;
            return status;
        }
        if (status != COL_OK)
            continue;
        for (uint32_t m = 0; m < vary->protocol->machine_count; m++) {
            sim_machine_wiring *a = &vary->widest.machines[m];
            const sim_machine_wiring *b = &wiring.machines[m];
            a->count = a->count > b->count ? a->count : b->count;
            a->index_skip = a->index_skip > b->index_skip ? a->index_skip : b->index_skip;
            for (uint32_t c = 0; c < a->cache_count; c++) {
                const uint64_t sets = sets_of(&a->caches[c]), others = sets_of(&b->caches[c]);
                if (b->caches[c].ways > a->caches[c].ways)
                    a->caches[c].ways = b->caches[c].ways;
                a->caches[c].bytes =
                    (sets > others ? sets : others) * a->caches[c].ways * SL_BLOCK_BYTES;
            }
        }
        return COL_OK;
    }
    return SIM_REFUSE_AT(problem, vary->path, said->place, "%.100s cannot be %s here: %.300s",
                         v->name, said->text, last.message);
}

/* Words and negative numbers have none, nor have those that depend on the cores. */
static bool has_ranges(const varied *v) {
    const uint64_t both = v->values[0].number | v->values[1].number;
    return v->key.type != SIM_KEY_WORD && !v->values[0].per_core && !v->values[1].per_core &&
           both <= INT64_MAX;
}

static col_status refuse_range(const sim_vary *vary, const sim_file_varied *said, const varied *v,
                               col_problem *problem) {
    const base_place place = said->values[0].place;
    if (!has_ranges(v))
        return SIM_REFUSE_AT(problem, vary->path, place, "%.100s has no ranges; list its values",
                             v->name);
    return SIM_REFUSE_AT(problem, vary->path, place,
                         "the range %s..%s of %.100s ends before it begins", said->values[0].text,
                         said->values[1].text, v->name);
}

static void name_key(varied *v, const char *name) {
    size_t length = 0;
    v->stream = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *name != '\0'; name++) {
        if (*name == '?')
            continue;
        v->name[length++] = *name;
        v->stream = (v->stream ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    }
    v->name[length] = '\0';
}

static col_status read_key(sim_vary *vary, const sim_file_varied *said, col_problem *problem) {
    varied *v = &vary->keys[vary->count];
    name_key(v, said->key);
    for (uint32_t i = 0; i < vary->count; i++)
        if (sim_key_is(vary->keys[i].name, v->name))
            return SIM_REFUSE_AT(problem, vary->path, said->place, "%.100s varies twice", v->name);
    col_status status =
        sim_key_find(&v->key, &vary->file, vary->protocol, said->key, said->place, problem);
    if (status != COL_OK || v->key.is_ignored)
        return status;
    v->is_range = said->is_range;
    v->value_count = said->value_count;
    for (uint32_t i = 0; status == COL_OK && i < said->value_count; i++) {
        v->values[i].place = said->values[i].place;
        status = sim_key_read(&v->key, vary->path, v->name, said->values[i].text, &v->values[i],
                              problem);
    }
    if (status == COL_OK && v->is_range &&
        (!has_ranges(v) || v->values[0].number > v->values[1].number))
        status = refuse_range(vary, said, v, problem);
    vary->count++;
    return status;
}

col_status sim_vary_open(sim_vary **out, const sim_design_file *file, const sl_protocol *protocol,
                         const sim_wiring *plain, const sim_choice *choices, size_t choice_count,
                         col_problem *problem) {
    *out = NULL;
    if (file->varied_count == 0)
        return COL_OK;
    sim_vary *vary = NULL;
    BASE_TRY(base_new(&vary, 1, sizeof *vary, problem));
    vary->file = *file;
    (void)snprintf(vary->path, sizeof vary->path, "%s", file->path);
    vary->file.path = vary->path;
    vary->protocol = protocol;
    vary->plain = vary->widest = *plain;
    col_status status = COL_OK;
    for (uint32_t i = 0; status == COL_OK && i < file->varied_count; i++)
        if (!is_chosen(file->varied[i].key, choices, choice_count))
            status = read_key(vary, &file->varied[i], problem);
    for (uint32_t i = 0; status == COL_OK && i < vary->count; i++) {
        const sim_file_varied *said = file->varied;
        while (!sim_key_is(said->key, vary->keys[i].name))
            said++;
        for (uint32_t v = 0; status == COL_OK && v < vary->keys[i].value_count; v++)
            status = try_value(vary, &vary->keys[i], &vary->keys[i].values[v], &said->values[v],
                               problem);
    }
    if (status != COL_OK || vary->count == 0)
        sim_vary_free(vary);
    else
        *out = vary;
    return status;
}

void sim_vary_free(sim_vary *vary) {
    free(vary);
}

/* ---- What there is. */

const sim_wiring *sim_vary_widest(const sim_vary *vary) {
    return &vary->widest;
}

uint32_t sim_vary_count(const sim_vary *vary) {
    return vary->count;
}

const char *sim_vary_key(const sim_vary *vary, uint32_t i) {
    return vary->keys[i].name;
}

static void show_value(const sim_key *key, const sim_key_value *value, base_text *text) {
    if (key->type == SIM_KEY_WORD)
        base_text_add(text, key->words[value->number]);
    else if (key->type == SIM_KEY_SIZE)
        sim_show_bytes(value->number, text);
    else if (value->per_core)
        base_text_print(text, "cores + %lld", (long long)value->number);
    else
        base_text_print(text, "%lld", (long long)value->number);
}

void sim_vary_values(const sim_vary *vary, uint32_t i, base_text *text) {
    const varied *v = &vary->keys[i];
    for (uint32_t j = 0; j < v->value_count; j++) {
        base_text_add(text, j == 0 ? "" : v->is_range ? ".." : ", ");
        show_value(&v->key, &v->values[j], text);
    }
}

void sim_vary_tell(const sim_vary *vary, base_text *text) {
    for (uint32_t i = 0; !vary->is_plain && i < vary->count; i++) {
        base_text_print(text, "%s%s=", i == 0 ? "" : ",", vary->keys[i].name);
        show_value(&vary->keys[i].key, &vary->keys[i].drawn, text);
    }
}
