/* SPDX-License-Identifier: MIT */
/* Mixes: the thesis's Table 2 and McVerSi's Table 3 by name, any other by weights. */
#include "program/generate/generator.h"

#include "base/names.h"
#include "base/number.h"

#include <string.h>

#define DEFAULT "full"
#define FETCHING "full-fetch"
#define PREFETCHING "full-prefetch"
#define MOVING "full-dma"
#define TRYING "full-conditional"

const char *gen_default_mix(bool fetches, bool dma) {
    return dma ? MOVING : fetches ? FETCHING : DEFAULT;
}

/* Everything that every core takes. */
#define FULL                                                                                       \
    "load=0.36,load-acquire=0.03,load-address=0.03,load-control=0.02,store=0.36,"                  \
    "store-release=0.03,store-address=0.01,store-data=0.03,store-control=0.01,swap=0.02,"          \
    "swap-both=0.01,add=0.02,add-both=0.01,fence=0.02,fence-acquire=0.005,fence-release=0.005,"    \
    "fence-tso=0.01,flush=0.01,delay=0.01"
#define FULL_CHAINS                                                                                \
    "c1=0.8,c2=0.2,load-acquire=0.04,load-address=0.04,load-control=0.03,store-release=0.04,"      \
    "store-address=0.02,store-data=0.04,store-control=0.02,swap=0.02,swap-both=0.01,add=0.02,"     \
    "add-both=0.01,fence-acquire=0.005,fence-release=0.005,fence-tso=0.01,flush=0.01,delay=0.01"

#define OP(...)                                                                                    \
    { __VA_ARGS__ }

/* Dependent templates depend on the nearest earlier read of the thread; before the first read they
 * are the plain operation. */
const gen_template gen_templates[] = {
    {"load", OP(.kind = COL_LOAD)},
    {"load-acquire", OP(.kind = COL_LOAD, .order = COL_ACQUIRE)},
    {"load-address", OP(.kind = COL_LOAD, .dependency = COL_ADDRESS)},
    {"load-control", OP(.kind = COL_LOAD, .dependency = COL_CONTROL)},
    {"store", OP(.kind = COL_STORE)},
    {"store-release", OP(.kind = COL_STORE, .order = COL_RELEASE)},
    {"store-address", OP(.kind = COL_STORE, .dependency = COL_ADDRESS)},
    {"store-data", OP(.kind = COL_STORE, .dependency = COL_DATA)},
    {"store-control", OP(.kind = COL_STORE, .dependency = COL_CONTROL)},
    {"swap", OP(.kind = COL_SWAP)},
    {"swap-acquire", OP(.kind = COL_SWAP, .order = COL_ACQUIRE)},
    {"swap-release", OP(.kind = COL_SWAP, .order = COL_RELEASE)},
    {"swap-both", OP(.kind = COL_SWAP, .order = COL_ACQUIRE | COL_RELEASE)},
    {"add", OP(.kind = COL_ADD)},
    {"add-both", OP(.kind = COL_ADD, .order = COL_ACQUIRE | COL_RELEASE)},
    {"fence", OP(.kind = COL_FENCE, .fence = COL_FULL_FENCE)},
    {"fence-acquire", OP(.kind = COL_FENCE, .fence = COL_READ_READ | COL_READ_WRITE)},
    {"fence-release", OP(.kind = COL_FENCE, .fence = COL_READ_WRITE | COL_WRITE_WRITE)},
    {"fence-load", OP(.kind = COL_FENCE, .fence = COL_READ_READ)},
    {"fence-store", OP(.kind = COL_FENCE, .fence = COL_WRITE_WRITE)},
    {"fence-tso", OP(.kind = COL_FENCE, .fence = COL_FULL_FENCE & ~COL_WRITE_READ)},
    {"flush", OP(.kind = COL_FLUSH)},
    {"delay", OP(.kind = COL_DELAY, .location = 20)},
    {"fetch", OP(.kind = COL_FETCH)},
    {"prefetch", OP(.kind = COL_PREFETCH)},
    {"dma-read", OP(.kind = COL_DMA_READ)},
    {"dma-write", OP(.kind = COL_DMA_WRITE)},
    {"conditional", OP(.kind = COL_CONDITIONAL)},
};
const uint32_t gen_template_count = sizeof gen_templates / sizeof gen_templates[0];
_Static_assert(sizeof gen_templates / sizeof gen_templates[0] <= COL_MAX_TEMPLATES,
               "COL_MAX_TEMPLATES bounds the templates");

const gen_named_mix gen_instruction_mixes[] = {
    {DEFAULT, FULL, "everything that designs take"},
    {FETCHING, FULL ",fetch=0.05", "the same, and instruction fetches"},
    {PREFETCHING, FULL ",fetch=0.05,prefetch=0.04", "full-fetch, and prefetches"},
    {MOVING, FULL ",fetch=0.05,dma-read=0.04,dma-write=0.04", "full-fetch, and accesses by DMA"},
    {TRYING, FULL ",fetch=0.05,conditional=0.05", "full-fetch, and store-conditionals"},
    {"published", "load=0.48,store=0.48,fence=0.04", "the engine's own paper; here balanced"},
    {"balanced", "load=0.48,store=0.48,fence=0.04", "thesis, Table 2"},
    {"store-heavy", "load=0.30,store=0.66,fence=0.04", "thesis, Table 2"},
    {"load-heavy", "load=0.66,store=0.30,fence=0.04", "thesis, Table 2"},
    {"load-most", "load=0.80,store=0.16,fence=0.04", "thesis, Table 2"},
    {"even", "load=0.5,store=0.5", "thesis, 4.4.1"},
    {"mcversi", "load=0.50,load-address=0.05,store=0.42,swap=0.01,flush=0.01,delay=0.01",
     "McVerSi, Table 3"},
    {NULL, NULL, NULL},
};

const char *const gen_categories[COL_CATEGORIES + 1] = {"c0", "c1", "c2", "c3", NULL};

const gen_named_mix gen_category_mixes[] = {
    {DEFAULT, FULL_CHAINS, "everything that designs take"},
    {FETCHING, FULL_CHAINS ",fetch=0.05", "the same, and instruction fetches"},
    {PREFETCHING, FULL_CHAINS ",fetch=0.05,prefetch=0.04", "full-fetch, and prefetches"},
    {MOVING, FULL_CHAINS ",fetch=0.05,dma-read=0.04,dma-write=0.04",
     "full-fetch, and accesses by DMA"},
    {TRYING, FULL_CHAINS ",fetch=0.05,conditional=0.05", "full-fetch, and store-conditionals"},
    {"published", "c1=0.8,c2=0.2", "the engine's own paper; here c1-c2"},
    {"c1-c2", "c1=0.8,c2=0.2", "thesis, Table 2"},
    {"c1-c2-even", "c1=0.8,c2=0.2,loads=0.57", "as many loads as stores; thesis, 4.4.1"},
    {"c0-c1", "c0=0.4,c1=0.6", "thesis, Table 2"},
    {"c1", "c1=1", "thesis, Table 2"},
    {"c1-c3", "c1=0.8,c3=0.2", "thesis, Table 2"},
    {NULL, NULL, NULL},
};

void gen_mix_names(bool chained, base_text *text) {
    const gen_named_mix *mixes = chained ? gen_category_mixes : gen_instruction_mixes;
    for (const gen_named_mix *mix = mixes; mix->name != NULL; mix++) {
        base_text_add(text, mix == mixes ? "" : ", ");
        base_text_add(text, mix->name);
    }
}

/* A family of mixes: its built-in ones and the names that weights are given to. */
typedef struct family {
    const gen_named_mix *mixes;
    const char *(*item_name)(uint32_t item);
    uint32_t item_count;
    const char *what; /* an item, in an error */
} family;

static const char *template_name(uint32_t item) {
    return gen_templates[item].name;
}

/* The categories, then how many of the open kinds are loads, then the templates. */
enum { LOADS = COL_CATEGORIES, FIRST_TEMPLATE };
static const char *category_name(uint32_t item) {
    return item < LOADS    ? gen_categories[item]
           : item == LOADS ? "loads"
                           : template_name(item - FIRST_TEMPLATE);
}

static bool find_item(const family *f, const char *name, size_t length, uint32_t *item) {
    for (*item = 0; *item < f->item_count; (*item)++) {
        const char *candidate = f->item_name(*item);
        if (strlen(candidate) == length && memcmp(candidate, name, length) == 0)
            return true;
    }
    return false;
}

/* "name=weight,name=weight" */
static col_status parse_weights(const family *f, const char *text, double *weights,
                                col_problem *problem) {
    double sum = 0;
    memset(weights, 0, f->item_count * sizeof *weights);
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, "=,");
        uint32_t item;
        if (!find_item(f, at, length, &item))
            return base_refuse(problem, "the mix '%s' names no %s '%.*s'", text, f->what,
                               (int)length, at);
        if (at[length] != '=')
            return base_refuse(problem, "the mix '%s' gives '%.*s' no weight; write %.*s=0.5", text,
                               (int)length, at, (int)length, at);
        if (weights[item] > 0)
            return base_refuse(problem, "the mix '%s' gives '%.*s' two weights", text, (int)length,
                               at);
        const char *end = base_decimal_parse(at + length + 1, &weights[item]);
        if (end == NULL || (*end != ',' && *end != '\0') || !(weights[item] <= 1e6))
            return base_refuse(
                problem,
                "the mix '%s' gives '%.*s' a weight that is not a number from 0 to a "
                "million",
                text, (int)length, at);
        sum += weights[item];
        at = *end == ',' ? end + 1 : end;
        if (*end == ',' && *at == '\0')
            return base_refuse(problem, "the mix '%s' ends with a comma", text);
    }
    if (!(sum > 0))
        return base_refuse(problem, "the mix '%s' has no weight above 0", text);
    return COL_OK;
}

static col_status parse_mix(const family *f, const char *text, double *weights,
                            col_problem *problem) {
    for (const gen_named_mix *mix = f->mixes; mix->name != NULL; mix++)
        if (strcmp(mix->name, text) == 0)
            return parse_weights(f, mix->weights, weights, problem);
    if (strchr(text, '=') != NULL)
        return parse_weights(f, text, weights, problem);
    base_nearest nearest = {.text = text};
    for (const gen_named_mix *mix = f->mixes; mix->name != NULL; mix++)
        base_nearest_try(&nearest, mix->name);
    if (nearest.word != NULL)
        return base_refuse(problem, "there is no mix '%.60s'; did you mean '%s'?", text,
                           nearest.word);
    base_text names = {0};
    gen_mix_names(f->mixes == gen_category_mixes, &names);
    const col_status status =
        base_refuse(problem, "there is no mix '%s'; the mixes of this engine are %s", text,
                    names.data == NULL ? "not known" : names.data);
    base_text_free(&names);
    return status;
}

col_status col_instruction_mix_parse(const char *text, col_instruction_mix *mix,
                                     col_problem *problem) {
    const family f = {gen_instruction_mixes, template_name, gen_template_count, "operation"};
    *mix = (col_instruction_mix){0};
    return parse_mix(&f, text, mix->weights, problem);
}

/* Chances of loads and of stores, with the atomics that either can become, leave most as they are.
 */
static col_status check_extras(const char *text, const double *extras, col_problem *problem) {
    double sums[COL_KIND_COUNT] = {0};
    for (uint32_t t = 0; t < gen_template_count; t++) {
        const col_operation *o = &gen_templates[t].operation;
        const bool is_plain =
            (o->kind == COL_LOAD || o->kind == COL_STORE) && o->order == 0 && o->dependency == 0;
        if (is_plain && extras[t] > 0)
            return base_refuse(problem,
                               "the mix '%s' gives '%s' a weight; chains have loads and stores "
                               "as their categories say",
                               text, gen_templates[t].name);
        sums[o->kind] += extras[t];
    }
    const double atomics = sums[COL_SWAP] + sums[COL_ADD] + sums[COL_CONDITIONAL];
    const double others = sums[COL_FENCE] + sums[COL_FLUSH] + sums[COL_DELAY] + sums[COL_FETCH] +
                          sums[COL_PREFETCH] + sums[COL_DMA_READ] + sums[COL_DMA_WRITE];
    if (sums[COL_LOAD] + atomics > 1 || sums[COL_STORE] + atomics > 1 || others > 1)
        return base_refuse(problem, "the mix '%s' gives operations chances that sum to more than 1",
                           text);
    return COL_OK;
}

col_status col_category_mix_parse(const char *text, col_category_mix *mix, col_problem *problem) {
    const family f = {gen_category_mixes, category_name, FIRST_TEMPLATE + gen_template_count,
                      "chain category or operation"};
    double weights[FIRST_TEMPLATE + COL_MAX_TEMPLATES] = {0};
    *mix = (col_category_mix){0};
    BASE_TRY(parse_mix(&f, text, weights, problem));
    double sum = 0;
    for (uint32_t c = 0; c < COL_CATEGORIES; c++)
        sum += mix->weights[c] = weights[c];
    mix->loads = weights[LOADS];
    memcpy(mix->extras, weights + FIRST_TEMPLATE, gen_template_count * sizeof *mix->extras);
    if (!(sum > 0))
        return base_refuse(problem, "the mix '%s' gives no chain category a weight", text);
    if (mix->loads > 1)
        return base_refuse(problem, "the mix '%s' makes more than all open kinds loads", text);
    return check_extras(text, mix->extras, problem);
}
