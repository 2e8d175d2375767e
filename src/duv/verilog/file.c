/* SPDX-License-Identifier: MIT */
/* Reading a design file of kind verilog: see file.h. One table of fields for each map. */
#include "duv/verilog/file.h"

#include "base/file.h"
#include "base/number.h"
#include "duv/verilog/points.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUV_PORT_SIGNAL_WORD(name, word, direction, bits) #word,
const char *const duv_port_signals[DUV_PORT_SIGNAL_COUNT] = {
    DUV_PORT_SIGNALS(DUV_PORT_SIGNAL_WORD)};

/* ---- Names and texts. */

static bool is_name(const char *text) {
    if (text == NULL || strlen(text) >= DUV_NAME || isdigit((unsigned char)text[0]))
        return false;
    return text[0] != '\0' &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789_")] == '\0';
}

col_status duv_take_name(base_yaml *yaml, const base_yaml_node *node, const char *what,
                         duv_named *named) {
    const char *text = base_yaml_scalar(node);
    if (!is_name(text))
        return base_yaml_refuse(yaml, node, "%s is a name of letters, digits and _, not '%.60s'",
                                what, text == NULL ? "something else" : text);
    (void)snprintf(named->text, sizeof named->text, "%s", text);
    named->place = base_yaml_place(yaml, node);
    return COL_OK;
}

static col_status add_word(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                           void *target) {
    duv_words *words = target;
    char text[PATH_MAX];
    const col_status status = base_yaml_text(yaml, key, value, text, sizeof text);
    if (status != COL_OK)
        return status;
    if (words->count == DUV_MOST_WORDS)
        return base_yaml_refuse(yaml, value, "%s has at most %d entries", base_yaml_scalar(key),
                                DUV_MOST_WORDS);
    if (text[0] == '\0' || text[0] == '-' || text[0] == '+')
        return base_yaml_refuse(yaml, value, "%s are paths, not '%.60s'", base_yaml_scalar(key),
                                text);
    words->places[words->count] = base_yaml_place(yaml, value);
    words->texts[words->count] = strdup(text);
    return words->texts[words->count++] == NULL ? base_out_of_memory(yaml->problem) : COL_OK;
}

/* One, or a list. */
static col_status read_words(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, duv_words *words) {
    return value->type == YAML_SEQUENCE_NODE ? base_yaml_items(yaml, key, value, add_word, words)
                                             : add_word(yaml, key, value, words);
}

static col_status read_sources(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    return read_words(yaml, key, value, &((duv_verilog_file *)target)->sources);
}

static col_status read_include(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    return read_words(yaml, key, value, &((duv_verilog_file *)target)->includes);
}

static col_status add_module(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    duv_named named;
    const col_status status = duv_take_name(yaml, value, "a module", &named);
    return status == COL_OK ? add_word(yaml, key, value, target) : status;
}

static col_status read_private(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    duv_verilog_file *file = target;
    return base_yaml_items(yaml, key, value, add_module, &file->private_modules);
}

static col_status read_nothing(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    char text[256];
    (void)target;
    return base_yaml_text(yaml, key, value, text, sizeof text);
}

static col_status read_kind(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    static const char *const words[] = {"verilog", NULL};
    uint64_t choice = 0;
    (void)target;
    return base_yaml_choice(yaml, key, value, words, &choice);
}

static col_status read_name(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    duv_verilog_file *file = target;
    duv_named named;
    (void)key;
    const col_status status = duv_take_name(yaml, value, "name", &named);
    (void)snprintf(file->name, sizeof file->name, "%.63s", status == COL_OK ? named.text : "");
    return status;
}

static col_status read_top(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                           void *target) {
    (void)key;
    return duv_take_name(yaml, value, "top", &((duv_verilog_file *)target)->top);
}

static col_status read_clock(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    (void)key;
    return duv_take_name(yaml, value, "clock", &((duv_verilog_file *)target)->clock);
}

/* ---- Reset: a name, or a map. */

static col_status read_reset_signal(base_yaml *yaml, const base_yaml_node *key,
                                    const base_yaml_node *value, void *target) {
    (void)key;
    return duv_take_name(yaml, value, "the signal of reset", &((duv_verilog_file *)target)->reset);
}

static col_status read_active(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    static const char *const words[] = {"high", "low", NULL};
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, words, &choice);
    ((duv_verilog_file *)target)->reset_is_low = choice == 1;
    return status;
}

static col_status read_reset_cycles(base_yaml *yaml, const base_yaml_node *key,
                                    const base_yaml_node *value, void *target) {
    return base_yaml_number(yaml, key, value, 1, 100000,
                            &((duv_verilog_file *)target)->reset_cycles);
}

static col_status read_others(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    static const char *const words[] = {"zero", "random", NULL};
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, words, &choice);
    ((duv_verilog_file *)target)->starts_random = choice == 1;
    return status;
}

static const base_yaml_field reset_fields[] = {
    {.name = "signal", .read = read_reset_signal},
    {.name = "active", .read = read_active},
    {.name = "cycles", .read = read_reset_cycles},
    {.name = "others", .read = read_others},
    {.name = NULL},
};

static col_status read_reset(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    if (value->type == YAML_MAPPING_NODE)
        return base_yaml_fields(yaml, value, "a reset", reset_fields, target);
    return read_reset_signal(yaml, key, value, target);
}

/* ---- Parameters and definitions. */

/* A number, a literal such as 8'hff, or a word, which becomes a string. */
static bool spell_value(const char *text, char value[DUV_NAME]) {
    uint64_t number = 0;
    if (text == NULL || strlen(text) > 100 || text[0] == '\0')
        return false;
    const size_t digits = strspn(text, "0123456789");
    if (base_number_parse(text, &number)) {
        (void)snprintf(value, DUV_NAME, "%llu", (unsigned long long)number);
    } else if (digits > 0 && text[digits] == '\'' && strchr("bodhBODH", text[digits + 1]) != NULL &&
               text[digits + 1] != '\0' && text[digits + 2] != '\0' &&
               strspn(text + digits + 2, "0123456789abcdefABCDEF_") == strlen(text + digits + 2)) {
        (void)snprintf(value, DUV_NAME, "%s", text);
    } else if (is_name(text)) {
        (void)snprintf(value, DUV_NAME, "\"%.100s\"", text);
    } else {
        return false;
    }
    return true;
}

static col_status add_parameter(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, const char *what,
                                duv_parameter *parameters, uint32_t *count) {
    const char *text = base_yaml_scalar(value);
    if (*count == DUV_MOST_PARAMETERS)
        return base_yaml_refuse(yaml, key, "there are at most %d of these", DUV_MOST_PARAMETERS);
    duv_parameter *parameter = &parameters[(*count)++];
    const col_status status = duv_take_name(yaml, key, what, &parameter->name);
    if (status != COL_OK)
        return status;
    if (!spell_value(text, parameter->value))
        return base_yaml_refuse(yaml, value,
                                "the value of %s is a number, a literal such as 8'hff, or a word, "
                                "not '%.60s'",
                                parameter->name.text, text == NULL ? "something else" : text);
    return COL_OK;
}

static col_status read_parameter(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    duv_verilog_file *f = target;
    return add_parameter(yaml, key, value, "a parameter", f->parameters, &f->parameter_count);
}

static col_status read_parameters(base_yaml *yaml, const base_yaml_node *key,
                                  const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "parameters", read_parameter, target);
}

static col_status read_define(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    duv_verilog_file *f = target;
    return add_parameter(yaml, key, value, "a definition", f->defines, &f->define_count);
}

static col_status read_defines(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "defines", read_define, target);
}

/* ---- Ports. */

static col_status read_port_number(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target);
static col_status read_port_flag(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target);

static col_status read_core(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, col_agent_cores, &choice);
    ((duv_verilog_file *)target)->agents.core = (col_agent_core)choice;
    return status;
}

static col_status read_signal(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    duv_verilog_file *file = target;
    const char *word = base_yaml_scalar(key);
    for (uint32_t s = 0; s < DUV_PORT_SIGNAL_COUNT; s++)
        if (strcmp(duv_port_signals[s], word) == 0)
            return duv_take_name(yaml, value, "a signal", &file->signals[s]);
    return duv_adapter_read_signal(yaml, key, value, target);
}

static col_status read_signals(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "signals", read_signal, target);
}

enum { AT_INVALIDATE, AT_COMMIT, AT_FENCES, AT_FLUSHES, AT_ATOMICS, AT_CURRENT, AT_MERGES };

#define AT(member) .item = (uint32_t)offsetof(duv_verilog_file, member)

static const base_yaml_field port_fields[] = {
    {.name = "count", .read = read_port_number, .least = 1, .most = 64, AT(count)},
    {.name = "address-bits", .read = read_port_number, .least = 8, .most = 64, AT(address_bits)},
    {.name = "data-bits", .read = read_port_number, .least = 32, .most = 64, AT(data_bits)},
    {.name = "tag-bits", .read = read_port_number, .least = 1, .most = 32, AT(tag_bits)},
    {.name = "base", .read = read_port_number, .most = UINT64_MAX, AT(agents.base)},
    {.name = "core", .read = read_core},
    {.name = "invalidate", .read = read_port_flag, .item = AT_INVALIDATE},
    {.name = "commit", .read = read_port_flag, .item = AT_COMMIT},
    {.name = "fences", .read = read_port_flag, .item = AT_FENCES},
    {.name = "flushes", .read = read_port_flag, .item = AT_FLUSHES},
    {.name = "atomics", .read = read_port_flag, .item = AT_ATOMICS},
    {.name = "current", .read = read_port_flag, .item = AT_CURRENT},
    {.name = "merges", .read = read_port_flag, .item = AT_MERGES},
    {.name = "signals", .read = read_signals},
    {.name = "bus", .read = duv_adapter_read_bus},
    {.name = "prefix", .read = duv_adapter_read_prefix},
    {.name = "ids", .read = duv_adapter_read_ids},
    {.name = "pipelined", .read = duv_adapter_read_pipelined},
    {.name = "addresses", .read = duv_adapter_read_addresses},
    {.name = "check", .read = duv_adapter_read_check},
    {.name = NULL},
};

static col_status read_port_number(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    const base_yaml_field *field = base_yaml_field_of(port_fields, key);
    return base_yaml_number(yaml, key, value, field->least, field->most,
                            (uint64_t *)(void *)((char *)target + field->item));
}

static col_status read_port_flag(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    duv_verilog_file *f = target;
    bool *const flags[] = {[AT_INVALIDATE] = &f->agents.tells_losses,
                           [AT_COMMIT] = &f->agents.tells_commits,
                           [AT_FENCES] = &f->agents.takes_fences,
                           [AT_FLUSHES] = &f->agents.takes_flushes,
                           [AT_ATOMICS] = &f->takes_atomics,
                           [AT_CURRENT] = &f->agents.is_current,
                           [AT_MERGES] = &f->agents.merges};
    const uint32_t item = base_yaml_field_of(port_fields, key)->item;
    f->says_invalidate = f->says_invalidate || item == AT_INVALIDATE;
    f->says_commit = f->says_commit || item == AT_COMMIT;
    f->says_atomics = f->says_atomics || item == AT_ATOMICS;
    return base_yaml_flag(yaml, key, value, flags[item]);
}

static col_status read_ports(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    ((duv_verilog_file *)target)->ports = base_yaml_place(yaml, key);
    return base_yaml_fields(yaml, value, "the ports", port_fields, target);
}

/* ---- Caches. */

static col_status read_power(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, uint64_t most, uint32_t *bits) {
    uint64_t number = 0;
    const col_status status = base_yaml_number(yaml, key, value, 1, most, &number);
    if (status != COL_OK)
        return status;
    if ((number & (number - 1)) != 0)
        return base_yaml_refuse(yaml, value, "%s is a power of two, not %llu",
                                base_yaml_scalar(key), (unsigned long long)number);
    for (*bits = 0; number > 1; number >>= 1)
        (*bits)++;
    return COL_OK;
}

static col_status read_block(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    return read_power(yaml, key, value, 4096, &((duv_verilog_file *)target)->geometry.block_bits);
}

static col_status read_sets(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    return read_power(yaml, key, value, 1 << 20, &((col_cache_level *)target)->index_bits);
}

static col_status read_ways(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    uint64_t ways = 0;
    const col_status status = base_yaml_number(yaml, key, value, 1, 64, &ways);
    ((col_cache_level *)target)->ways = (uint32_t)ways;
    return status;
}

static const base_yaml_field cache_fields[] = {
    {.name = "sets", .read = read_sets},
    {.name = "ways", .read = read_ways},
    {.name = NULL},
};

static col_status read_cache(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    duv_verilog_file *file = target;
    duv_named named;
    if (file->geometry.level_count == COL_MAX_LEVELS)
        return base_yaml_refuse(yaml, key, "there are at most %d levels of caches", COL_MAX_LEVELS);
    col_cache_level *level = &file->geometry.levels[file->geometry.level_count++];
    const col_status status = duv_take_name(yaml, key, "a level of caches", &named);
    if (status != COL_OK)
        return status;
    (void)snprintf(level->name, sizeof level->name, "%.15s", named.text);
    level->ways = 1;
    return base_yaml_fields(yaml, value, "a level of caches", cache_fields, level);
}

static col_status read_caches(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "caches", read_cache, target);
}

/* ---- Inputs. */

/* "random LOW:HIGH" or "random LOW:HIGH PERCENT%" */
static bool parse_random(const char *text, duv_input *input) {
    char low[32], high[32];
    unsigned percent = 100;
    int end = 0;
    if (sscanf(text, "random %31[0-9xa-fA-F]:%31[0-9xa-fA-F] %n", low, high, &end) != 2 || end == 0)
        return false;
    if (text[end] != '\0') {
        int rest = 0;
        if (sscanf(text + end, "%3u%%%n", &percent, &rest) != 1 || rest == 0 ||
            text[end + rest] != '\0')
            return false;
    }
    input->is_random = true;
    input->percent = percent;
    return percent <= 100 && base_number_parse(low, &input->low) &&
           base_number_parse(high, &input->high) && input->low <= input->high;
}

static col_status read_input(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    duv_verilog_file *file = target;
    const char *text = base_yaml_scalar(value);
    if (file->input_count == DUV_MOST_INPUTS)
        return base_yaml_refuse(yaml, key, "there are at most %d inputs", DUV_MOST_INPUTS);
    duv_input *input = &file->inputs[file->input_count++];
    const col_status status = duv_take_name(yaml, key, "an input", &input->name);
    if (status != COL_OK)
        return status;
    if (text != NULL && (base_number_parse(text, &input->low) || parse_random(text, input)))
        return COL_OK;
    return base_yaml_refuse(yaml, value,
                            "the input %s is a number, or such as random 0:7 or random 0:7 25%%, "
                            "not '%.60s'",
                            input->name.text, text == NULL ? "something else" : text);
}

static col_status read_inputs(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "inputs", read_input, target);
}

/* ---- The whole. */

static col_status read_model(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    duv_verilog_file *file = target;
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, col_models, &choice);
    file->model = (col_model)choice;
    file->model_place = base_yaml_place(yaml, value);
    return status;
}

static col_status read_number(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target);

static const base_yaml_field fields[] = {
    {.name = "kind", .read = read_kind},
    {.name = "name", .read = read_name},
    {.name = "description", .read = read_nothing},
    {.name = "sources", .read = read_sources},
    {.name = "include", .read = read_include},
    {.name = "top", .read = read_top},
    {.name = "parameters", .read = read_parameters},
    {.name = "defines", .read = read_defines},
    {.name = "clock", .read = read_clock},
    {.name = "reset", .read = read_reset},
    {.name = "ports", .read = read_ports},
    DUV_CHIP_FIELDS,
    {.name = "block", .read = read_block},
    {.name = "caches", .read = read_caches},
    {.name = "inputs", .read = read_inputs},
    {.name = "model", .read = read_model},
    {.name = "coverage", .read = duv_read_coverage},
    {.name = "fsm", .read = duv_read_fsms},
    {.name = "private", .read = read_private},
    {.name = "memory", .read = read_number, .least = 64, .most = UINT64_MAX, AT(memory)},
    {.name = "patience", .read = read_number, .most = UINT32_MAX, AT(agents.patience)},
    {.name = "limit", .read = read_number, .least = 1, .most = UINT64_MAX, AT(limit)},
    {.name = NULL},
};

static col_status read_number(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    const base_yaml_field *field = base_yaml_field_of(fields, key);
    return base_yaml_number(yaml, key, value, field->least, field->most,
                            (uint64_t *)(void *)((char *)target + field->item));
}

static void set_defaults(duv_verilog_file *f, const char *path) {
    *f = (duv_verilog_file){
        .reset_cycles = 8, .covers = true, .takes_atomics = true, .geometry = {.block_bits = 6}};
    (void)snprintf(f->path, sizeof f->path, "%s", path);
    col_agent_default(&f->agents);
    duv_chip_file_default(&f->chip);
    for (uint32_t s = 0; s < DUV_PORT_SIGNAL_COUNT; s++)
        (void)snprintf(f->signals[s].text, sizeof f->signals[s].text, "%s", duv_port_signals[s]);
}

/* A design with ports cannot promise more than the cores at them keep: they would be found to break
 * it. Not said, it is what they were made for. */
static col_status check_model(base_yaml *yaml, duv_verilog_file *f) {
    static const struct {
        col_model usual;
        uint32_t others; /* a set of models */
        const char *words;
    } kept[COL_AGENT_CORES] = {
        [COL_AGENT_SC] = {COL_SC, UINT32_MAX, ""}, /* all */
        [COL_AGENT_TSO] = {COL_TSO, 1U << COL_PSO | 1U << COL_WMO, "tso, pso and wmo"},
        [COL_AGENT_WEAK] = {COL_RVWMO, 1U << COL_WMO | 1U << COL_ARMV8, "wmo, armv8 and rvwmo"},
    };
    const col_agent_core core = f->agents.core;
    if (f->model_place.line == 0)
        f->model = kept[core].usual;
    if (f->model == kept[core].usual || (kept[core].others >> f->model & 1) != 0)
        return COL_OK;
    return base_refuse_at(yaml->problem, yaml->file, f->model_place.line, f->model_place.column,
                          "%s cores do not keep %s; they keep %s", col_agent_cores[core],
                          col_models[f->model], kept[core].words);
}

static col_status check(base_yaml *yaml, const base_yaml_node *root, duv_verilog_file *f) {
    const struct {
        bool is_there;
        const char *name;
    } needed[] = {{f->sources.count > 0, "sources"},
                  {f->top.text[0] != '\0', "top"},
                  {f->clock.text[0] != '\0', "clock"},
                  {f->reset.text[0] != '\0', "reset"},
                  {f->ports.line != 0 || duv_is_chip(f), "ports' or 'bus"}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!needed[i].is_there)
            return base_yaml_refuse(yaml, root, "a design of kind verilog needs '%s'",
                                    needed[i].name);
    col_status status = duv_chip_check(yaml, root, f);
    if (status == COL_OK && !duv_is_chip(f))
        status = check_model(yaml, f);
    if (status != COL_OK)
        return status;
    if (f->limit == 0)
        f->limit = duv_is_chip(f) ? 2000000 : 200000;
    if (f->name[0] == '\0')
        (void)snprintf(f->name, sizeof f->name, "%.63s", f->top.text);
    for (uint32_t l = 0; l < f->geometry.level_count; l++)
        f->geometry.levels[l].index_low = f->geometry.block_bits;
    f->agents.block = UINT32_C(1) << f->geometry.block_bits;
    return duv_adapter_check(f, yaml->problem);
}

col_status duv_verilog_file_parse(duv_verilog_file *file, const char *text, size_t length,
                                  const char *path, col_problem *problem) {
    base_yaml yaml;
    set_defaults(file, path);
    col_status status = base_yaml_read(&yaml, text, length, path, problem);
    if (status != COL_OK)
        return status;
    const base_yaml_node *root = base_yaml_root(&yaml);
    status = base_yaml_fields(&yaml, root, "a design", fields, file);
    if (status == COL_OK)
        status = check(&yaml, root, file);
    base_yaml_free(&yaml);
    return status;
}

col_status duv_verilog_file_read(duv_verilog_file *file, const char *path, col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK)
        status = duv_verilog_file_parse(file, text.data == NULL ? "" : text.data, text.length, path,
                                        problem);
    base_text_free(&text);
    return status;
}

static void free_words(duv_words *words) {
    for (uint32_t i = 0; i < words->count; i++)
        free(words->texts[i]);
    words->count = 0;
}

void duv_verilog_file_free(duv_verilog_file *file) {
    free_words(&file->sources);
    free_words(&file->includes);
    free_words(&file->private_modules);
    duv_points_free(file->points);
    file->points = NULL;
    duv_chip_file_free(&file->chip);
}
