/* SPDX-License-Identifier: MIT */
/* Reading a design file of kind verilog: see verilog_file.h. One table of fields for each map. */
#include "design/verilog/verilog_file.h"

#include "base/file.h"
#include "base/names.h"
#include "base/number.h"
#include "design/isa/platform.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct duv_port_signal duv_port_signals[DUV_PORT_SIGNALS] = {
    {"request_valid", true, 1},
    {"request_ready", false, 1},
    {"request_operation", true, 4},
    {"request_width", true, 2},
    {"request_address", true, DUV_ADDRESS},
    {"request_data", true, DUV_DATA},
    {"request_tag", true, DUV_TAG},
    {"response_valid", false, 1},
    {"response_ready", true, 1},
    {"response_tag", false, DUV_TAG},
    {"response_data", false, DUV_DATA},
    [DUV_INVALIDATE_VALID] = {"invalidate_valid", false, 1},
    {"invalidate_address", false, DUV_ADDRESS},
    [DUV_COMMIT_VALID] = {"commit_valid", false, 1},
    {"commit_tag", false, DUV_TAG},
    {"commit_old", false, DUV_DATA},
};

bool duv_port_has(const duv_verilog_file *f, uint32_t s) {
    if (s >= DUV_COMMIT_VALID)
        return f->agents.tells_commits;
    return s < DUV_INVALIDATE_VALID || f->agents.tells_losses;
}

uint64_t duv_port_bits(const duv_verilog_file *f, uint32_t s) {
    const int bits = duv_port_signals[s].bits;
    return bits > 0              ? (uint64_t)bits
           : bits == DUV_ADDRESS ? f->address_bits
           : bits == DUV_DATA    ? f->data_bits
                                 : f->tag_bits;
}

/* ---- Names and texts. */

static bool is_name(const char *text) {
    if (text == NULL || strlen(text) >= DUV_NAME || isdigit((unsigned char)text[0]))
        return false;
    return text[0] != '\0' && text[strspn(text, DUV_LETTERS)] == '\0';
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

col_status duv_read_name(const base_entry *entry, void *named) {
    return duv_take_name(entry->yaml, entry->value, base_entry_name(entry), named);
}

col_status duv_words_add(base_yaml *yaml, const base_yaml_node *node, const char *what,
                         const char *text, duv_words *words) {
    if (words->count == DUV_MOST_WORDS)
        return base_yaml_refuse(yaml, node, "%s has at most %d entries", what, DUV_MOST_WORDS);
    words->places[words->count] = base_yaml_place(yaml, node);
    words->texts[words->count] = strdup(text);
    return words->texts[words->count++] == NULL ? base_out_of_memory(yaml->problem) : COL_OK;
}

void duv_words_free(duv_words *words) {
    for (uint32_t i = 0; i < words->count; i++)
        free(words->texts[i]);
    words->count = 0;
}

static col_status add_word(const base_entry *entry, void *target) {
    char text[PATH_MAX];
    const base_field path = {
        .name = base_entry_name(entry), .kind = BASE_STRING, .size = sizeof text};
    BASE_TRY(base_yaml_value(entry, &path, text));
    if (text[0] == '\0' || text[0] == '-' || text[0] == '+')
        return base_refuse_value(entry, "%s are paths, not '%.60s'", base_entry_name(entry), text);
    return duv_words_add(entry->yaml, entry->value, base_entry_name(entry), text, target);
}

static col_status add_module(const base_entry *entry, void *target) {
    duv_named named;
    BASE_TRY(duv_take_name(entry->yaml, entry->value, "a module", &named));
    return add_word(entry, target);
}

static col_status read_design_name(const base_entry *entry, void *member) {
    duv_named named;
    const col_status status = duv_read_name(entry, &named);
    if (status == COL_OK)
        (void)snprintf(member, sizeof((duv_verilog_file *)NULL)->name, "%.63s", named.text);
    return status;
}

/* ---- Reset: a name, or a map. */

#define FIELD(word, form, member) BASE_FIELD(word, form, duv_verilog_file, member)

static col_status read_reset_signal(const base_entry *entry, void *member) {
    return duv_take_name(entry->yaml, entry->value, "the signal of reset", member);
}

static col_status read_reset(const base_entry *entry, void *target) {
    static const char *const levels[] = {"high", "low", NULL};
    static const char *const others[] = {"zero", "random", NULL};
    static const base_field fields[] = {
        {FIELD("signal", BASE_OWN, reset), .read = read_reset_signal},
        {FIELD("active", BASE_WORD, reset_is_low), .words = levels},
        {FIELD("cycles", BASE_NUMBER, reset_cycles), .least = 1, .most = 100000},
        {FIELD("others", BASE_WORD, starts_random), .words = others},
        BASE_LAST_FIELD,
    };
    return entry->value->type == YAML_MAPPING_NODE
               ? base_yaml_map(entry->yaml, entry->value, "a reset", fields, target)
               : read_reset_signal(entry, &((duv_verilog_file *)target)->reset);
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

static col_status add_parameter(const base_entry *entry, const char *what,
                                duv_parameter *parameters, uint32_t *count) {
    const char *text = base_entry_text(entry);
    if (*count == DUV_MOST_PARAMETERS)
        return base_refuse_key(entry, "there are at most %d of these", DUV_MOST_PARAMETERS);
    duv_parameter *parameter = &parameters[(*count)++];
    BASE_TRY(duv_take_name(entry->yaml, entry->key, what, &parameter->name));
    if (!spell_value(text, parameter->value))
        return base_refuse_value(
            entry, "the value of %s is a number, a literal such as 8'hff, or a word, not '%.60s'",
            parameter->name.text, base_entry_shown(entry));
    return COL_OK;
}

static col_status read_parameter(const base_entry *entry, void *target) {
    duv_verilog_file *f = target;
    return add_parameter(entry, "a parameter", f->parameters, &f->parameter_count);
}

static col_status read_define(const base_entry *entry, void *target) {
    duv_verilog_file *f = target;
    return add_parameter(entry, "a definition", f->defines, &f->define_count);
}

/* ---- Options of Verilator: those that neither name files nor decide what we read or compile. */

static const struct {
    const char *word;
    bool is_prefix, has_value;
} verilator_options[] = {
    {"-Wno-", true, false},
    {"-fno-", true, false},
    {"-O", true, false},
    {"--bbox-sys", false, false},
    {"--bbox-unsup", false, false},
    {"--converge-limit", false, true},
    {"--default-language", false, true},
    {"--inline-mult", false, true},
    {"--max-num-width", false, true},
    {"--relative-includes", false, false},
    {"--timescale", false, true},
    {"--timescale-override", false, true},
    {"--unroll-count", false, true},
    {"--unroll-stmts", false, true},
    {"--x-assign", false, true},
};

/* "--unroll-count 256", or without a value. */
static bool is_option(const char *text, size_t length) {
    const char *value = text[length] == ' ' ? text + length + 1 : NULL;
    for (size_t i = 0; i < sizeof verilator_options / sizeof verilator_options[0]; i++) {
        const char *word = verilator_options[i].word;
        const size_t size = strlen(word);
        if (strncmp(text, word, size) != 0 ||
            (verilator_options[i].is_prefix ? length == size : length != size))
            continue;
        return verilator_options[i].has_value
                   ? value != NULL && value[0] != '\0' && value[0] != '-' &&
                         value[strspn(value, DUV_LETTERS "/.-")] == '\0'
                   : value == NULL && text[strspn(text, DUV_LETTERS "-")] == '\0';
    }
    return false;
}

static col_status add_option(const base_entry *entry, void *target) {
    const char *text = base_entry_text(entry);
    const size_t length = text == NULL ? 0 : strcspn(text, " ");
    base_list known = {""};
    char first[64];
    if (text == NULL || !is_option(text, length)) {
        for (size_t i = 0; i < sizeof verilator_options / sizeof verilator_options[0]; i++)
            base_list_add(&known, verilator_options[i].word);
        return base_refuse_value(entry,
                                 "'%.60s' is no option of Verilator that a design file may "
                                 "give; it may give %s",
                                 base_entry_shown(entry), base_list_text(&known));
    }
    (void)snprintf(first, sizeof first, "%.*s", (int)length, text);
    BASE_TRY(duv_words_add(entry->yaml, entry->value, "options", first, target));
    return text[length] == '\0'
               ? COL_OK
               : duv_words_add(entry->yaml, entry->value, "options", text + length + 1, target);
}

static const base_field verilator_fields[] = {
    {FIELD("options", BASE_ITEMS, options), .read = add_option},
    BASE_LAST_FIELD,
};

/* ---- Ports. */

static col_status read_signal(const base_entry *entry, void *target) {
    duv_verilog_file *file = target;
    const char *word = base_entry_name(entry);
    for (uint32_t s = 0; s < DUV_PORT_SIGNALS; s++)
        if (strcmp(duv_port_signals[s].word, word) == 0)
            return duv_take_name(entry->yaml, entry->value, "a signal", &file->signals[s]);
    return duv_adapter_read_signal(entry, target);
}

static col_status note_ports(const base_entry *entry, void *target) {
    ((duv_verilog_file *)target)->ports = base_yaml_place(entry->yaml, entry->key);
    return COL_OK;
}

#define FLAG(word, member) FIELD(word, BASE_FLAG, member), .words = base_false_true
#define NUMBER(word, member, from, to)                                                             \
    { FIELD(word, BASE_NUMBER, member), .least = (from), .most = (to) }
#define OF_BUS(word, form, member) FIELD(word, form, adapter.member)
#define PLACE(member) .place = offsetof(duv_verilog_file, member)
#define SAID(member) .is_said = offsetof(duv_verilog_file, member)

static const base_field port_fields[] = {
    NUMBER("count", count, 1, 64),
    NUMBER("address-bits", address_bits, 8, 64),
    NUMBER("data-bits", data_bits, 32, 64),
    NUMBER("tag-bits", tag_bits, 1, 32),
    NUMBER("base", agents.base, 0, UINT64_MAX),
    {FIELD("core", BASE_WORD, agents.core), .words = col_agent_cores},
    {FLAG("invalidate", agents.tells_losses), SAID(says_invalidate)},
    {FLAG("commit", agents.tells_commits), SAID(says_commit)},
    {FLAG("fences", agents.takes_fences)},
    {FLAG("flushes", agents.takes_flushes)},
    {FLAG("atomics", takes_atomics), SAID(says_atomics)},
    {FLAG("current", agents.is_current)},
    {FLAG("merges", agents.merges)},
    {.name = "signals", .kind = BASE_EACH, .read = read_signal},
    {OF_BUS("bus", BASE_WORD, bus), .words = duv_port_buses, PLACE(adapter.place)},
    {OF_BUS("prefix", BASE_OWN, prefix), .read = duv_adapter_read_prefix},
    {OF_BUS("ids", BASE_NUMBER, ids), .least = 1, .most = 256, PLACE(adapter.ids_place)},
    {OF_BUS("bursts", BASE_WORD, bursts), .words = duv_bus_bursts, PLACE(adapter.bursts_place)},
    {FLAG("exclusive", adapter.is_exclusive), PLACE(adapter.exclusive_place)},
    {FLAG("pipelined", adapter.is_pipelined), PLACE(adapter.pipelined_place)},
    {OF_BUS("addresses", BASE_WORD, has_word_addresses), .words = duv_bus_addresses,
     PLACE(adapter.addresses_place)},
    {OF_BUS("extra", BASE_FLAG, is_plain), .words = duv_true_false, PLACE(adapter.extra_place)},
    {OF_BUS("check", BASE_FLAG, is_unchecked), .words = duv_true_false, PLACE(adapter.check_place)},
    BASE_LAST_FIELD,
};

/* ---- Caches. */

static const base_field cache_fields[] = {
    {BASE_FIELD("sets", BASE_POWER, col_cache_level, index_bits), .least = 1, .most = 1 << 20},
    {BASE_FIELD("ways", BASE_NUMBER, col_cache_level, ways), .least = 1, .most = 64},
    BASE_LAST_FIELD,
};

static col_status read_cache(const base_entry *entry, void *target) {
    duv_verilog_file *file = target;
    duv_named named;
    if (file->geometry.level_count == COL_MAX_LEVELS)
        return base_refuse_key(entry, "there are at most %d levels of caches", COL_MAX_LEVELS);
    col_cache_level *level = &file->geometry.levels[file->geometry.level_count++];
    BASE_TRY(duv_take_name(entry->yaml, entry->key, "a level of caches", &named));
    (void)snprintf(level->name, sizeof level->name, "%.15s", named.text);
    level->ways = 1;
    return base_yaml_map(entry->yaml, entry->value, "a level of caches", cache_fields, level);
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

static col_status read_input(const base_entry *entry, void *target) {
    duv_verilog_file *file = target;
    const char *text = base_entry_text(entry);
    if (file->input_count == DUV_MOST_INPUTS)
        return base_refuse_key(entry, "there are at most %d inputs", DUV_MOST_INPUTS);
    duv_input *input = &file->inputs[file->input_count++];
    BASE_TRY(duv_take_name(entry->yaml, entry->key, "an input", &input->name));
    if (text != NULL && (base_number_parse(text, &input->low) || parse_random(text, input)))
        return COL_OK;
    return base_refuse_value(
        entry, "the input %s is a number, or such as random 0:7 or random 0:7 25%%, not '%.60s'",
        input->name.text, base_entry_shown(entry));
}

/* ---- The whole. */

static const char *const kinds[] = {"verilog", NULL};
#define OF_CHIP(word, form, member) FIELD(word, form, chip.member)
#define EACH(word, reader)                                                                         \
    { .name = (word), .kind = BASE_EACH, .read = (reader) }

const base_field duv_verilog_fields[] = {
    {.name = "kind", .kind = BASE_WORD, .words = kinds},
    {FIELD("name", BASE_OWN, name), .read = read_design_name},
    {FIELD("description", BASE_STRING, description)},
    {FIELD("sources", BASE_ONE_OR_MORE, sources), .read = add_word},
    {FIELD("include", BASE_ONE_OR_MORE, includes), .read = add_word},
    {FIELD("top", BASE_OWN, top), .read = duv_read_name},
    EACH("parameters", read_parameter),
    EACH("defines", read_define),
    {.name = "verilator", .kind = BASE_MAP, .what = "verilator", .fields = verilator_fields},
    {FIELD("clock", BASE_OWN, clock), .read = duv_read_name},
    {.name = "reset", .kind = BASE_OWN, .read = read_reset},
    {.name = "ports",
     .kind = BASE_MAP,
     .what = "the ports",
     .fields = port_fields,
     .read = note_ports},
    /* Of chips alone: */
    {OF_CHIP("bus", BASE_OWN, buses), .read = duv_chip_read_bus},
    {OF_CHIP("platform", BASE_OWN, buses), .read = duv_chip_read_platform},
    {OF_CHIP("tap", BASE_OWN, tap), .read = duv_chip_read_tap, SAID(chip.has_tap)},
    {OF_CHIP("commits", BASE_EACH, tap), .read = duv_chip_read_commit, SAID(chip.has_commits)},
    {OF_CHIP("log", BASE_WORD, log), .words = col_chip_logs, SAID(chip.says_log)},
    NUMBER("harts", chip.harts, 1, 64),
    NUMBER("rounds", chip.rounds, 1, 1 << 20),
    {FLAG("atomics", chip.takes_atomics)},
    {FLAG("current", chip.is_current)},
    /* Of both: */
    {FIELD("block", BASE_POWER, geometry.block_bits), .least = 1, .most = 4096},
    EACH("caches", read_cache),
    EACH("inputs", read_input),
    {FIELD("model", BASE_WORD, model), .words = col_models, PLACE(model_place)},
    {.name = "coverage", .kind = BASE_OWN, .read = duv_read_coverage},
    {.name = "fsm", .kind = BASE_OWN, .read = duv_read_fsms},
    {FIELD("private", BASE_ITEMS, private_modules), .read = add_module},
    NUMBER("memory", memory, 64, UINT64_MAX),
    NUMBER("patience", agents.patience, 0, UINT32_MAX),
    NUMBER("limit", limit, 1, UINT64_MAX),
    BASE_LAST_FIELD,
};

col_status duv_note(const duv_verilog_file *f, const col_problem *problem, col_status status) {
    if (status != COL_BAD_INPUT || f->notes == NULL)
        return status;
    char text[1024];
    const char *said = col_problem_text(problem, text, sizeof text);
    const size_t place = strlen(said) - strlen(problem->message);
    base_text_print(&f->notes->lines, "%.*serror: %s\n", (int)place, said, problem->message);
    f->notes->errors++;
    return base_text_status(&f->notes->lines, NULL);
}

static void set_defaults(duv_verilog_file *f, const char *path) {
    *f = (duv_verilog_file){.reset_cycles = 8,
                            .covers = true,
                            .takes_atomics = true,
                            .geometry = {.block_bits = 6},
                            .notes = f->notes};
    (void)snprintf(f->path, sizeof f->path, "%s", path);
    col_agent_default(&f->agents);
    duv_chip_file_default(&f->chip);
    for (uint32_t s = 0; s < DUV_PORT_SIGNALS; s++)
        (void)snprintf(f->signals[s].text, sizeof f->signals[s].text, "%s",
                       duv_port_signals[s].word);
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
            DUV_NOTE(f, yaml->problem,
                     base_yaml_refuse(yaml, root, "a design of kind verilog needs '%s'",
                                      needed[i].name));
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

/* ---- What has to be compiled again. */

/* A node that was accepted, whatever its layout is. */
static void spell_node(base_yaml *yaml, const base_yaml_node *node, base_text *text) {
    const char *scalar = base_yaml_scalar(node);
    if (scalar != NULL)
        base_text_print(text, "%zu:%s ", strlen(scalar), scalar);
    base_text_add(text, scalar != NULL ? "" : "( ");
    if (node->type == YAML_SEQUENCE_NODE)
        for (const yaml_node_item_t *item = node->data.sequence.items.start;
             item < node->data.sequence.items.top; item++)
            spell_node(yaml, yaml_document_get_node(&yaml->document, *item), text);
    if (node->type == YAML_MAPPING_NODE)
        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top; pair++) {
            spell_node(yaml, yaml_document_get_node(&yaml->document, pair->key), text);
            spell_node(yaml, yaml_document_get_node(&yaml->document, pair->value), text);
        }
    base_text_add(text, scalar != NULL ? "" : ") ");
}

/* The sources count by their content. */
static col_status spell_file(base_yaml *yaml, const base_yaml_node *root, duv_verilog_file *f) {
    static const char *const run_time[] = {DUV_RUN_TIME, NULL};
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        const base_yaml_node *key = yaml_document_get_node(&yaml->document, pair->key);
        const char *word = base_yaml_scalar(key);
        uint32_t place = 0;
        if (base_choice_find(run_time, word, strlen(word), &place))
            continue;
        spell_node(yaml, key, &f->spelled);
        spell_node(yaml, yaml_document_get_node(&yaml->document, pair->value), &f->spelled);
    }
    return base_text_status(&f->spelled, yaml->problem);
}

col_status duv_verilog_file_parse(duv_verilog_file *file, const char *text, size_t length,
                                  const char *path, col_problem *problem) {
    base_yaml yaml;
    set_defaults(file, path);
    BASE_TRY(base_yaml_read(&yaml, text, length, path, problem));
    const base_yaml_node *root = base_yaml_root(&yaml);
    col_status status = base_yaml_map(&yaml, root, "a design", duv_verilog_fields, file);
    if (status == COL_OK)
        status = check(&yaml, root, file);
    if (status == COL_OK)
        status = spell_file(&yaml, root, file);
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

void duv_verilog_file_free(duv_verilog_file *file) {
    duv_words_free(&file->sources);
    duv_words_free(&file->includes);
    duv_words_free(&file->options);
    duv_words_free(&file->private_modules);
    duv_points_free(file->points);
    file->points = NULL;
    duv_chip_file_free(&file->chip);
    base_text_free(&file->spelled);
}
