/* SPDX-License-Identifier: MIT */
/* Reading what a design file says of a whole chip: see chip_file.h. */
#include "base/path.h"
#include "duv/chip/chip.h"
#include "duv/verilog/file.h"
#include "isa/platform.h"

#include <stdio.h>
#include <string.h>

#define PROTOCOL_WORD(name, word) [DUV_PIN_##name] = #word,
const char *const duv_pin_protocols[DUV_PROTOCOL_COUNT + 1] = {DUV_PIN_PROTOCOLS(PROTOCOL_WORD)};

enum { OUT = false, IN = true, OPTIONAL = false, NEEDED = true };
#define SIGNAL_ROW(protocol, word, direction, bits, need)                                          \
    {DUV_PIN_##protocol, #word, direction, need, DUV_BITS_##bits},
const duv_pin duv_pins[DUV_PIN_COUNT] = {DUV_PINS(SIGNAL_ROW)};

static duv_chip_file *chip_of(void *target) {
    return &((duv_verilog_file *)target)->chip;
}

/* Only chips have this key. */
static void note(base_yaml *yaml, const base_yaml_node *key, void *target) {
    duv_named *other = &chip_of(target)->other;
    (void)snprintf(other->text, sizeof other->text, "%.60s", base_yaml_scalar(key));
    other->place = base_yaml_place(yaml, key);
}

/* ---- Buses. */

static col_status read_protocol(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    return base_yaml_choice(yaml, key, value, duv_pin_protocols,
                            &((duv_chip_bus *)target)->protocol);
}

static col_status read_prefix(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    (void)key;
    duv_chip_bus *bus = target;
    const col_status status = duv_take_name(yaml, value, "the prefix of a bus", &bus->prefix);
    return status == COL_OK && strlen(bus->prefix.text) > DUV_NAME / 2
               ? base_yaml_refuse(yaml, value, "this prefix is too long")
               : status;
}

static col_status read_addresses(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    static const char *const words[] = {"bytes", "words", NULL};
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, words, &choice);
    ((duv_chip_bus *)target)->counts_words = choice == 1;
    return status;
}

static col_status read_latency(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    return base_yaml_number(yaml, key, value, 0, 10000, &((duv_chip_bus *)target)->latency);
}

static col_status read_interleaves(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    return base_yaml_flag(yaml, key, value, &((duv_chip_bus *)target)->interleaves);
}

static col_status read_pipelined(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    bool flag = false;
    const col_status status = base_yaml_flag(yaml, key, value, &flag);
    ((duv_chip_bus *)target)->is_classic = !flag;
    return status;
}

static col_status read_signal(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    duv_chip_bus *bus = target;
    const char *word = base_yaml_scalar(key);
    for (uint32_t s = 0; s < DUV_PIN_COUNT; s++)
        if (duv_pins[s].protocol == (duv_pin_protocol)bus->protocol && word != NULL &&
            strcmp(duv_pins[s].word, word) == 0)
            return duv_take_name(yaml, value, "a signal", &bus->signals[s]);
    return base_yaml_refuse(yaml, key, "the bus %s has no signal '%.60s'",
                            duv_pin_protocols[bus->protocol], word == NULL ? "" : word);
}

static col_status read_signals(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "signals", read_signal, target);
}

static const base_yaml_field bus_fields[] = {
    {.name = "protocol", .read = read_protocol},
    {.name = "prefix", .read = read_prefix},
    {.name = "addresses", .read = read_addresses},
    {.name = "latency", .read = read_latency},
    {.name = "interleaves", .read = read_interleaves},
    {.name = "pipelined", .read = read_pipelined},
    {.name = "signals", .read = read_signals},
    {.name = NULL},
};

/* Its protocol's name, or a map that begins with it: what signals there are follows from it. */
static col_status add_bus(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                          void *target) {
    duv_chip_file *chip = chip_of(target);
    if (chip->bus_count == DUV_MOST_BUSES)
        return base_yaml_refuse(yaml, value, "a chip has at most %d buses", DUV_MOST_BUSES);
    duv_chip_bus *bus = &chip->buses[chip->bus_count++];
    *bus = (duv_chip_bus){
        .protocol = DUV_PROTOCOL_COUNT, .place = base_yaml_place(yaml, value), .latency = 8};
    if (value->type != YAML_MAPPING_NODE)
        return read_protocol(yaml, key, value, bus);
    const yaml_node_pair_t *first = value->data.mapping.pairs.start;
    const base_yaml_node *word = first == value->data.mapping.pairs.top
                                     ? NULL
                                     : yaml_document_get_node(&yaml->document, first->key);
    if (word == NULL || base_yaml_scalar(word) == NULL ||
        strcmp(base_yaml_scalar(word), "protocol") != 0)
        return base_yaml_refuse(yaml, value, "a bus begins with its 'protocol'");
    return base_yaml_fields(yaml, value, "a bus", bus_fields, bus);
}

col_status duv_chip_read_bus(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    note(yaml, key, target);
    chip_of(target)->place = base_yaml_place(yaml, key);
    return value->type == YAML_SEQUENCE_NODE ? base_yaml_items(yaml, key, value, add_bus, target)
                                             : add_bus(yaml, key, value, target);
}

/* ---- Taps. */

typedef struct tap_row {
    const char *key, *usual;
    bool commits;
} tap_row;

#define TAP_ROW(name, key, word, usual)                                                            \
    [DUV_TAP_##name] = {#key, #usual, DUV_TAP_##name >= DUV_TAP_COMMIT_VALID},
static const tap_row tap_rows[DUV_TAP_SIGNAL_COUNT] = {DUV_TAP_SIGNALS(TAP_ROW)};

static col_status take_tap(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                           duv_chip_file *chip, bool commits) {
    const char *word = base_yaml_scalar(key);
    for (uint32_t s = 0; s < DUV_TAP_SIGNAL_COUNT; s++)
        if (tap_rows[s].commits == commits && word != NULL && strcmp(tap_rows[s].key, word) == 0)
            return duv_take_name(yaml, value, "a signal", &chip->tap[s]);
    return base_yaml_refuse(yaml, key, "%s has no signal '%.60s'; it has %s",
                            commits ? "'commits'" : "a tap", word == NULL ? "" : word,
                            commits ? "valid, pc and old" : "valid, pc, register and value");
}

static col_status read_tap_signal(base_yaml *yaml, const base_yaml_node *key,
                                  const base_yaml_node *value, void *target) {
    return take_tap(yaml, key, value, chip_of(target), false);
}

static col_status read_commit_signal(base_yaml *yaml, const base_yaml_node *key,
                                     const base_yaml_node *value, void *target) {
    return take_tap(yaml, key, value, chip_of(target), true);
}

col_status duv_chip_read_tap(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    static const char *const words[] = {"rvfi", NULL};
    uint64_t choice = 0;
    note(yaml, key, target);
    chip_of(target)->has_tap = true;
    if (value->type != YAML_MAPPING_NODE)
        return base_yaml_choice(yaml, key, value, words, &choice);
    return base_yaml_each(yaml, value, "tap", read_tap_signal, target);
}

col_status duv_chip_read_commits(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    note(yaml, key, target);
    chip_of(target)->has_commits = true;
    return base_yaml_each(yaml, value, "commits", read_commit_signal, target);
}

/* ---- The rest. */

col_status duv_chip_read_platform(base_yaml *yaml, const base_yaml_node *key,
                                  const base_yaml_node *value, void *target) {
    duv_chip_file *chip = chip_of(target);
    uint64_t choice = 0;
    note(yaml, key, target);
    chip->platform_place = base_yaml_place(yaml, value);
    const col_status status =
        base_yaml_text(yaml, key, value, chip->platform, sizeof chip->platform);
    return status != COL_OK || base_path_ends(chip->platform, ".yaml") ||
                   base_path_ends(chip->platform, ".yml")
               ? status
               : base_yaml_choice(yaml, key, value, isa_platform_names, &choice);
}

col_status duv_chip_read_log(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    duv_chip_file *chip = chip_of(target);
    note(yaml, key, target);
    chip->says_log = true;
    return base_yaml_choice(yaml, key, value, col_chip_logs, &chip->log);
}

col_status duv_chip_read_number(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    duv_chip_file *chip = chip_of(target);
    const bool is_harts = strcmp(base_yaml_scalar(key), "harts") == 0;
    note(yaml, key, target);
    return base_yaml_number(yaml, key, value, 1, is_harts ? 64 : 1 << 20,
                            is_harts ? &chip->harts : &chip->rounds);
}

col_status duv_chip_read_atomics(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    note(yaml, key, target);
    return base_yaml_flag(yaml, key, value, &chip_of(target)->takes_atomics);
}

col_status duv_chip_read_current(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    note(yaml, key, target);
    return base_yaml_flag(yaml, key, value, &chip_of(target)->is_current);
}

/* ---- The whole. */

void duv_chip_file_default(duv_chip_file *chip) {
    col_chip_settings usual;
    col_chip_default(&usual);
    chip->rounds = usual.rounds;
    chip->skew = usual.skew;
    chip->stalls = 10;
    chip->takes_atomics = true;
    for (uint32_t s = 0; s < DUV_TAP_SIGNAL_COUNT; s++)
        (void)snprintf(chip->tap[s].text, sizeof chip->tap[s].text, "%s", tap_rows[s].usual);
}

void duv_chip_file_free(duv_chip_file *chip) {
    base_text_free(&chip->platform_text);
}

static col_status refuse_place(base_yaml *yaml, base_place place, const char *what) {
    return base_refuse_at(yaml->problem, yaml->file, place.line, place.column, "%s", what);
}

col_status duv_chip_check(base_yaml *yaml, const base_yaml_node *root, duv_verilog_file *f) {
    duv_chip_file *chip = &f->chip;
    const bool taps = chip->says_log ? chip->log == COL_CHIP_TAP : chip->has_tap;
    if (!duv_is_chip(f) && chip->other.place.line != 0)
        return base_refuse_at(yaml->problem, yaml->file, chip->other.place.line,
                              chip->other.place.column,
                              "'%s' is for chips with a 'bus', not for ports", chip->other.text);
    if (!duv_is_chip(f))
        return COL_OK;
    if (f->ports.line != 0)
        return refuse_place(yaml, f->ports, "a design has 'ports' or a 'bus', not both");
    if (chip->platform[0] == '\0')
        return base_yaml_refuse(yaml, root,
                                "a chip needs a platform: the machine that images "
                                "boot on");
    if (f->geometry.level_count > 0 || f->memory != 0)
        return base_yaml_refuse(yaml, root,
                                "the memory and the caches of a chip are those of its "
                                "platform: 'memory' and 'caches' are for ports");
    if (taps && !chip->has_tap)
        return refuse_place(yaml, chip->other.place, "the log 'tap' needs a 'tap'");
    if (chip->has_commits && (!taps || chip->rounds > 1))
        return refuse_place(yaml, chip->other.place,
                            "'commits' needs the log 'tap', and one round to a start");
    if (chip->is_current && !chip->has_commits)
        return refuse_place(yaml, chip->other.place,
                            "whether loads return current values is known only with 'commits'");
    chip->log = chip->says_log ? chip->log : taps ? COL_CHIP_TAP : COL_CHIP_REGISTERS;
    f->agents.skew = chip->skew;
    f->agents.stalls = chip->stalls;
    return COL_OK;
}

col_status duv_chip_open_platform(duv_verilog_file *f, col_problem *problem) {
    duv_chip_file *chip = &f->chip;
    char path[PATH_MAX];
    isa_platform platform;
    col_problem own = {0};
    const char *what = chip->platform;
    col_status status = COL_OK;
    if (!duv_is_chip(f))
        return COL_OK;
    if (base_path_ends(what, ".yaml") || base_path_ends(what, ".yml")) {
        status = base_path_beside(path, f->path, what, problem);
        what = path;
    }
    if (status == COL_OK)
        status = isa_platform_text(what, &chip->platform_text, problem);
    if (status == COL_OK)
        status = isa_platform_parse(&platform, chip->platform_text.data, chip->platform_text.length,
                                    what, problem);
    if (status == COL_OK && duv_chip_check_platform(&platform, &own) != COL_OK)
        return base_refuse_at(problem, f->path, chip->platform_place.line,
                              chip->platform_place.column, "%s", own.message);
    if (status != COL_OK)
        return status;
    if (chip->harts == 0)
        chip->harts = platform.harts;
    if (f->model_place.line == 0)
        f->model = platform.model;
    return COL_OK;
}
