/* SPDX-License-Identifier: MIT */
/* Reading a design file: see design_file.h. One table of fields for each map of the format. */
#include "sim/design_file.h"

#include "base/number.h"
#include "base/path.h"

#include <stdio.h>
#include <string.h>

const char *const sim_topologies[] = {
    [SIM_CROSSBAR] = "crossbar", [SIM_MESH] = "mesh", [SIM_MESH + 1] = NULL};
const char *const sim_starts[] = {
    [SIM_COLD] = "cold", [SIM_WRITTEN] = "written", [SIM_WRITTEN + 1] = NULL};
const char *const sim_replacements[] = {
    [SL_LRU] = "lru", [SL_TREE_PLRU] = "plru", [SL_RANDOM] = "random", [SL_RANDOM + 1] = NULL};

static void say(base_yaml *yaml, const base_yaml_node *value, uint64_t number, sim_said *said) {
    *said = (sim_said){.said = true, .value = number, .place = base_yaml_place(yaml, value)};
}

void sim_show_bytes(uint64_t bytes, base_text *text) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    uint32_t unit = 0;
    for (; unit < 3 && bytes % 1024 == 0 && bytes > 0; unit++)
        bytes /= 1024;
    base_text_print(text, "%llu%s", (unsigned long long)bytes, units[unit]);
}

/* "L1Cache", or "L1Cache?" for what need not exist. */
static col_status read_name(base_yaml *yaml, const base_yaml_node *key, sim_file_name *name) {
    const char *text = base_yaml_scalar(key);
    size_t length = strlen(text);
    const bool optional = text[length - 1] == '?';
    length -= optional;
    if (length == 0 || length >= sizeof name->text)
        return base_yaml_refuse(yaml, key, "a name has 1 to %zu bytes", sizeof name->text - 1);
    memcpy(name->text, text, length);
    name->text[length] = '\0';
    name->optional = optional;
    name->place = base_yaml_place(yaml, key);
    return COL_OK;
}

/* ---- Caches. */

bool sim_file_size(const char *text, uint64_t *bytes) {
    const size_t length = text == NULL ? 0 : strlen(text);
    char number[32];
    if (length < 2 || length >= sizeof number || text[length - 1] != 'B')
        return false;
    memcpy(number, text, length - 1);
    number[length - 1] = '\0';
    return base_number_parse(number, bytes) && *bytes >= SL_BLOCK_BYTES &&
           *bytes <= SIM_FILE_MOST_BYTES;
}

static col_status read_size(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    sim_file_cache *cache = target;
    const char *text = base_yaml_scalar(value);
    uint64_t bytes = 0;
    (void)key;
    if (!sim_file_size(text, &bytes))
        return base_yaml_refuse(yaml, value,
                                "size is 64B to 64MiB, written such as 512B, 64KiB or 2MiB, not "
                                "'%.60s'",
                                text == NULL ? "something else" : text);
    say(yaml, value, bytes, &cache->bytes);
    return COL_OK;
}

static col_status read_ways(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    sim_file_cache *cache = target;
    uint64_t ways = 0;
    const col_status status = base_yaml_number(yaml, key, value, 1, SIM_FILE_MOST_WAYS, &ways);
    say(yaml, value, ways, &cache->ways);
    return status;
}

static col_status read_sets(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    sim_file_cache *cache = target;
    uint64_t sets = 0;
    const col_status status = base_yaml_number(yaml, key, value, 1, SIM_FILE_MOST_SETS, &sets);
    say(yaml, value, sets, &cache->sets);
    return status;
}

static col_status read_replacement(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    sim_file_cache *cache = target;
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, sim_replacements, &choice);
    say(yaml, value, choice, &cache->replacement);
    return status;
}

static const base_yaml_field cache_fields[] = {
    {.name = "size", .read = read_size},
    {.name = "sets", .read = read_sets},
    {.name = "ways", .read = read_ways},
    {.name = "replacement", .read = read_replacement},
    {.name = NULL},
};

static col_status read_cache(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    sim_file_machine *machine = target;
    if (machine->cache_count == SIM_FILE_CACHES)
        return base_yaml_refuse(yaml, key, "a machine has at most %d caches", SIM_FILE_CACHES);
    sim_file_cache *cache = &machine->caches[machine->cache_count++];
    col_status status = read_name(yaml, key, &cache->name);
    if (status == COL_OK)
        status = base_yaml_fields(yaml, value, "a cache", cache_fields, cache);
    if (status == COL_OK && cache->bytes.said && cache->sets.said)
        status = base_yaml_refuse(yaml, key, "the cache %s has a size or sets, not both",
                                  cache->name.text);
    return status;
}

/* ---- Parameters. */

/* A number, true, false, cores, or cores + a number. */
bool sim_file_parse_parameter(const char *text, sim_file_parameter *parameter) {
    uint64_t number = 0;
    const bool negative = text[0] == '-';
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        parameter->value = text[0] == 't';
        return true;
    }
    if (strncmp(text, "cores", 5) == 0) {
        parameter->per_core = true;
        text += 5;
        if (*text == '\0')
            return true;
        text += strspn(text, " ");
        if (*text++ != '+')
            return false;
        text += strspn(text, " ");
    } else {
        text += negative;
    }
    if (!base_number_parse(text, &number) || number > INT32_MAX)
        return false;
    parameter->value = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

static col_status read_parameter(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    sim_file_machine *machine = target;
    if (machine->parameter_count == SIM_FILE_PARAMETERS)
        return base_yaml_refuse(yaml, key, "a machine has at most %d parameters",
                                SIM_FILE_PARAMETERS);
    sim_file_parameter *parameter = &machine->parameters[machine->parameter_count++];
    const char *text = base_yaml_scalar(value);
    const col_status status = read_name(yaml, key, &parameter->name);
    if (status != COL_OK)
        return status;
    parameter->place = base_yaml_place(yaml, value);
    if (text == NULL || !sim_file_parse_parameter(text, parameter))
        return base_yaml_refuse(yaml, value,
                                "the parameter %s is a number, true, false, or cores + a number, "
                                "not '%.60s'",
                                parameter->name.text, text == NULL ? "something else" : text);
    return COL_OK;
}

/* ---- Buffers. */

static col_status read_buffer(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    sim_file_machine *machine = target;
    if (machine->buffer_count == SIM_MOST_BUFFERS)
        return base_yaml_refuse(yaml, key, "a machine has at most %d buffers", SIM_MOST_BUFFERS);
    sim_file_parameter *buffer = &machine->buffers[machine->buffer_count++];
    uint64_t messages = 0;
    col_status status = read_name(yaml, key, &buffer->name);
    if (status == COL_OK)
        status = base_yaml_number(yaml, key, value, 1, SIM_FILE_MOST_MESSAGES, &messages);
    buffer->value = (int64_t)messages;
    return status;
}

/* ---- Machines. */

static col_status read_count(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    sim_file_machine *machine = target;
    const char *text = base_yaml_scalar(value);
    uint64_t count = 0;
    machine->count_is_cores = text != NULL && strcmp(text, "cores") == 0;
    if (!machine->count_is_cores &&
        (text == NULL || !base_number_parse(text, &count) || count > 1024))
        return base_yaml_refuse(yaml, value,
                                "%s is a number from 0 to 1024 or the word cores, not "
                                "'%.60s'",
                                base_yaml_scalar(key), text == NULL ? "something else" : text);
    say(yaml, value, count, &machine->count);
    return COL_OK;
}

static col_status read_caches(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "caches", read_cache, target);
}

static col_status read_parameters(base_yaml *yaml, const base_yaml_node *key,
                                  const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "parameters", read_parameter, target);
}

static col_status read_buffers(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "buffers", read_buffer, target);
}

static col_status read_clusters(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    sim_file_machine *machine = target;
    uint64_t clusters = 0;
    const col_status status = base_yaml_number(yaml, key, value, 1, 1024, &clusters);
    say(yaml, value, clusters, &machine->clusters);
    return status;
}

static col_status read_tbes(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    sim_file_machine *machine = target;
    uint64_t tbes = 0;
    const col_status status = base_yaml_number(yaml, key, value, 1, SIM_FILE_MOST_TBES, &tbes);
    say(yaml, value, tbes, &machine->tbes);
    return status;
}

static col_status read_transfers(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    sim_file_machine *machine = target;
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, sim_transfers, &choice);
    say(yaml, value, choice, &machine->transfers);
    return status;
}

static col_status read_word(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            sim_file_name *name) {
    if (base_yaml_scalar(value) == NULL || base_yaml_scalar(value)[0] == '\0')
        return base_yaml_refuse(yaml, value, "%s is the name of a machine", base_yaml_scalar(key));
    return read_name(yaml, value, name);
}

static col_status read_of(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                          void *target) {
    return read_word(yaml, key, value, &((sim_file_machine *)target)->of);
}

static col_status read_downstream(base_yaml *yaml, const base_yaml_node *key,
                                  const base_yaml_node *value, void *target) {
    return read_word(yaml, key, value, &((sim_file_machine *)target)->downstream);
}

static col_status read_level(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    static const char *const words[] = {
        [SIM_LEVEL_CORE] = "core",     [SIM_LEVEL_FETCH] = "fetch", [SIM_LEVEL_PRIVATE] = "private",
        [SIM_LEVEL_SHARED] = "shared", [SIM_LEVEL_IO] = "io",       [SIM_LEVEL_IO + 1] = NULL};
    sim_file_machine *machine = target;
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, words, &choice);
    say(yaml, value, choice, &machine->level);
    return status;
}

static const base_yaml_field machine_fields[] = {
    {.name = "of", .read = read_of},
    {.name = "level", .read = read_level},
    {.name = "downstream", .read = read_downstream},
    {.name = "count", .read = read_count},
    {.name = "clusters", .read = read_clusters},
    {.name = "caches", .read = read_caches},
    {.name = "parameters", .read = read_parameters},
    {.name = "buffers", .read = read_buffers},
    {.name = "tbes", .read = read_tbes},
    {.name = "transfers", .read = read_transfers},
    {.name = NULL},
};

static col_status read_machine(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    if (file->machine_count == SIM_FILE_MACHINES)
        return base_yaml_refuse(yaml, key, "a design has at most %d machines", SIM_FILE_MACHINES);
    sim_file_machine *machine = &file->machines[file->machine_count++];
    const col_status status = read_name(yaml, key, &machine->name);
    return status != COL_OK ? status
                            : base_yaml_fields(yaml, value, "a machine", machine_fields, machine);
}

col_status sim_design_file_read_machines(base_yaml *yaml, const base_yaml_node *key,
                                         const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "machines", read_machine, target);
}

/* ---- Network and memory. */

static col_status read_network_number(base_yaml *yaml, const base_yaml_node *key,
                                      const base_yaml_node *value, void *target);
static col_status read_networks(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target);

/* A word of a list. */
static col_status read_choice(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, const char *const *words,
                              sim_said *said) {
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, words, &choice);
    say(yaml, value, choice, said);
    return status;
}

static col_status read_topology(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    return read_choice(yaml, key, value, sim_topologies, &file->numbers[SIM_FILE_TOPOLOGY]);
}

typedef struct network_list {
    const char *name;
    sim_said *networks; /* a set */
} network_list;

static col_status read_listed_network(base_yaml *yaml, const base_yaml_node *key,
                                      const base_yaml_node *value, void *target) {
    const network_list *list = target;
    uint64_t network = 0;
    (void)key;
    if (base_yaml_scalar(value) == NULL || !base_number_parse(base_yaml_scalar(value), &network) ||
        network >= SIM_NETWORKS)
        return base_yaml_refuse(yaml, value, "%s lists virtual networks, 0 to %d", list->name,
                                SIM_NETWORKS - 1);
    if ((list->networks->value >> network & 1) != 0)
        return base_yaml_refuse(yaml, value, "%s lists the virtual network %llu twice", list->name,
                                (unsigned long long)network);
    list->networks->value |= UINT64_C(1) << network;
    return COL_OK;
}

static col_status read_own_latency(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    sim_file_network *own = target;
    uint64_t number = 0;
    const col_status status = base_yaml_number(yaml, key, value, 1, SIM_FILE_MOST_LATENCY, &number);
    say(yaml, value, number, &own->latency);
    return status;
}

static col_status read_own_jitter(base_yaml *yaml, const base_yaml_node *key,
                                  const base_yaml_node *value, void *target) {
    sim_file_network *own = target;
    uint64_t number = 0;
    const col_status status = base_yaml_number(yaml, key, value, 0, SIM_FILE_MOST_LATENCY, &number);
    say(yaml, value, number, &own->jitter);
    return status;
}

static const base_yaml_field own_fields[] = {
    {.name = "latency", .read = read_own_latency},
    {.name = "jitter", .read = read_own_jitter},
    {.name = NULL},
};

static col_status read_virtual_network(base_yaml *yaml, const base_yaml_node *key,
                                       const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    uint64_t network = 0;
    if (base_yaml_scalar(key) == NULL || !base_number_parse(base_yaml_scalar(key), &network) ||
        network >= SIM_NETWORKS)
        return base_yaml_refuse(yaml, key, "virtual has numbers of virtual networks, 0 to %d",
                                SIM_NETWORKS - 1);
    return base_yaml_fields(yaml, value, "a virtual network", own_fields, &file->networks[network]);
}

static col_status read_virtual(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "virtual", read_virtual_network, target);
}

#define NUMBER_FIELD(reader, place, key, from, to)                                                 \
    {.name = (key), .read = (reader), .least = (from), .most = (to), .item = SIM_FILE_##place},
#define NETWORK_FIELD(place, key, from, to) NUMBER_FIELD(read_network_number, place, key, from, to)
static const base_yaml_field network_fields[] = {
    {.name = "topology", .read = read_topology},
    SIM_FILE_NETWORK_NUMBERS(NETWORK_FIELD){
        .name = "ordered", .read = read_networks, .item = SIM_FILE_ORDERED},
    {.name = "unordered", .read = read_networks, .item = SIM_FILE_UNORDERED},
    {.name = "virtual", .read = read_virtual},
    {.name = NULL},
};

static col_status read_number(base_yaml *yaml, const base_yaml_field *field,
                              const base_yaml_node *key, const base_yaml_node *value,
                              sim_design_file *file) {
    uint64_t number = 0;
    const col_status status =
        base_yaml_number(yaml, key, value, field->least, field->most, &number);
    say(yaml, value, number, &file->numbers[field->item]);
    return status;
}

static col_status read_network_number(base_yaml *yaml, const base_yaml_node *key,
                                      const base_yaml_node *value, void *target) {
    return read_number(yaml, base_yaml_field_of(network_fields, key), key, value, target);
}

static col_status read_networks(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    const base_yaml_field *field = base_yaml_field_of(network_fields, key);
    network_list list = {field->name, &file->numbers[field->item]};
    say(yaml, value, 0, list.networks);
    return base_yaml_items(yaml, key, value, read_listed_network, &list);
}

static col_status read_network(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_fields(yaml, value, "network", network_fields, target);
}

/* ---- Cores. */

static col_status read_mode(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    sim_design_file *file = target;
    return read_choice(yaml, key, value, sim_modes, &file->numbers[SIM_FILE_MODE]);
}

static col_status read_atomics(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    return read_choice(yaml, key, value, sim_ways, &file->numbers[SIM_FILE_ATOMICS]);
}

static col_status read_model(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    return read_choice(yaml, key, value, col_models, &file->numbers[SIM_FILE_MODEL]);
}

static col_status read_without_item(base_yaml *yaml, const base_yaml_node *key,
                                    const base_yaml_node *value, void *target) {
    sim_said *without = target;
    uint64_t mechanism = 0;
    const col_status status = base_yaml_choice(yaml, key, value, sim_mechanisms, &mechanism);
    without->value |= UINT64_C(1) << mechanism;
    return status;
}

col_status sim_design_file_read_without(base_yaml *yaml, const base_yaml_node *key,
                                        const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    say(yaml, value, 0, &file->numbers[SIM_FILE_WITHOUT]);
    return base_yaml_items(yaml, key, value, read_without_item, &file->numbers[SIM_FILE_WITHOUT]);
}

static col_status read_core_number(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target);

#define CORE_FIELD(place, key, from, to) NUMBER_FIELD(read_core_number, place, key, from, to)
static const base_yaml_field core_fields[] = {
    {.name = "mode", .read = read_mode},
    {.name = "atomics", .read = read_atomics},
    SIM_FILE_CORE_NUMBERS(CORE_FIELD){.name = "without", .read = sim_design_file_read_without},
    {.name = NULL},
};
#undef CORE_FIELD

static col_status read_core_number(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    return read_number(yaml, base_yaml_field_of(core_fields, key), key, value, target);
}

static col_status read_core(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    (void)key;
    return base_yaml_fields(yaml, value, "core", core_fields, target);
}

static col_status read_memory_number(base_yaml *yaml, const base_yaml_node *key,
                                     const base_yaml_node *value, void *target);

#define MEMORY_FIELD(place, key, from, to) NUMBER_FIELD(read_memory_number, place, key, from, to)
static const base_yaml_field memory_fields[] = {
    SIM_FILE_MEMORY_NUMBERS(MEMORY_FIELD){.name = NULL},
};
#undef MEMORY_FIELD

static col_status read_memory_number(base_yaml *yaml, const base_yaml_node *key,
                                     const base_yaml_node *value, void *target) {
    return read_number(yaml, base_yaml_field_of(memory_fields, key), key, value, target);
}

static col_status read_memory(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_fields(yaml, value, "memory", memory_fields, target);
}

/* ---- The design. */

static col_status read_design_name(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    const col_status status = base_yaml_text(yaml, key, value, file->name, sizeof file->name);
    if (status == COL_OK && strpbrk(file->name, " \t\n/") != NULL)
        return base_yaml_refuse(yaml, value, "name is one word without '/'");
    return status;
}

static col_status read_description(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    return base_yaml_text(yaml, key, value, file->description, sizeof file->description);
}

static col_status read_protocol(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    file->protocol_place = base_yaml_place(yaml, value);
    return base_yaml_text(yaml, key, value, file->protocol, sizeof file->protocol);
}

static col_status read_start(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    return read_choice(yaml, key, value, sim_starts, &file->numbers[SIM_FILE_START]);
}

static col_status read_monitors(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    bool monitors = false;
    const col_status status = base_yaml_flag(yaml, key, value, &monitors);
    say(yaml, value, monitors, &file->numbers[SIM_FILE_MONITORS]);
    return status;
}

/* ---- What varies: see design_key.h for the keys. */

static col_status add_value(base_yaml *yaml, const base_yaml_node *value, const char *text,
                            size_t length, sim_file_varied *varied) {
    sim_file_value *v = &varied->values[varied->value_count];
    if (varied->value_count == SIM_FILE_VALUES)
        return base_yaml_refuse(yaml, value, "%.60s lists at most %d values", varied->key,
                                SIM_FILE_VALUES);
    if (length == 0 || length >= sizeof v->text)
        return base_yaml_refuse(yaml, value, "a value has 1 to %zu bytes", sizeof v->text - 1);
    memcpy(v->text, text, length);
    v->text[length] = '\0';
    v->place = base_yaml_place(yaml, value);
    varied->value_count++;
    return COL_OK;
}

static col_status read_listed_value(base_yaml *yaml, const base_yaml_node *key,
                                    const base_yaml_node *value, void *target) {
    const char *text = base_yaml_scalar(value);
    (void)key;
    if (text == NULL)
        return base_yaml_refuse(yaml, value, "a value is one word or number");
    return add_value(yaml, value, text, strlen(text), target);
}

static col_status read_varied(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    sim_design_file *file = target;
    const char *text = base_yaml_scalar(value), *name = base_yaml_scalar(key);
    const char *dots = text == NULL ? NULL : strstr(text, "..");
    if (file->varied_count == SIM_FILE_VARIED)
        return base_yaml_refuse(yaml, key, "vary has at most %d keys", SIM_FILE_VARIED);
    sim_file_varied *varied = &file->varied[file->varied_count++];
    if (strlen(name) >= sizeof varied->key)
        return base_yaml_refuse(yaml, key, "a key has at most %zu bytes", sizeof varied->key - 1);
    (void)snprintf(varied->key, sizeof varied->key, "%s", name);
    varied->place = base_yaml_place(yaml, key);
    if (text != NULL && dots == NULL)
        return base_yaml_refuse(
            yaml, value, "%.60s varies over a range such as 4..64 or a list such as [4, 64]", name);
    if (text == NULL) {
        const col_status status = base_yaml_items(yaml, key, value, read_listed_value, varied);
        return status == COL_OK && varied->value_count == 0
                   ? base_yaml_refuse(yaml, value, "%.60s lists no value", name)
                   : status;
    }
    varied->is_range = true;
    const col_status status = add_value(yaml, value, text, (size_t)(dots - text), varied);
    return status == COL_OK ? add_value(yaml, value, dots + 2, strlen(dots + 2), varied) : status;
}

static col_status read_vary(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "vary", read_varied, target);
}

static col_status read_design_number(base_yaml *yaml, const base_yaml_node *key,
                                     const base_yaml_node *value, void *target);

/* What the kinds are is known where designs are opened (duv/kind.c); this one is ours. */
static col_status read_kind(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    static const char *const words[] = {"slicc", "command", "verilog", NULL};
    uint64_t choice = 0;
    (void)target;
    const col_status status = base_yaml_choice(yaml, key, value, words, &choice);
    if (status == COL_OK && choice != 0)
        return base_yaml_refuse(yaml, value,
                                "this design is of kind %s: it has no protocol, and the built-in "
                                "simulator does not run it",
                                words[choice]);
    return status;
}

static const base_yaml_field design_fields[] = {
    {.name = "kind", .read = read_kind},
    {.name = "name", .read = read_design_name},
    {.name = "description", .read = read_description},
    {.name = "protocol", .read = read_protocol},
#define DESIGN_FIELD(place, key, from, to) NUMBER_FIELD(read_design_number, place, key, from, to)
    SIM_FILE_NUMBERS(DESIGN_FIELD)
#undef DESIGN_FIELD
        {.name = "core", .read = read_core},
    {.name = "model", .read = read_model},
    {.name = "network", .read = read_network},
    {.name = "memory", .read = read_memory},
    {.name = "start", .read = read_start},
    {.name = "monitors", .read = read_monitors},
    {.name = "machines", .read = sim_design_file_read_machines},
    {.name = "vary", .read = read_vary},
    {.name = NULL},
};

static col_status read_design_number(base_yaml *yaml, const base_yaml_node *key,
                                     const base_yaml_node *value, void *target) {
    return read_number(yaml, base_yaml_field_of(design_fields, key), key, value, target);
}

/* "folder/x.yaml" is called x unless it says otherwise. */
static void name_by_path(sim_design_file *file) {
    const char *name = base_path_name(file->path);
    (void)snprintf(file->name, sizeof file->name, "%.*s", (int)base_path_stem(name), name);
}

col_status sim_design_file_parse(sim_design_file *file, const char *text, size_t length,
                                 const char *path, col_problem *problem) {
    base_yaml yaml;
    memset(file, 0, sizeof *file);
    file->path = path;
    name_by_path(file);
    col_status status = base_yaml_read(&yaml, text, length, path, problem);
    if (status != COL_OK)
        return status;
    status = base_yaml_fields(&yaml, base_yaml_root(&yaml), "a design", design_fields, file);
    if (status == COL_OK && file->protocol[0] == '\0')
        status = base_yaml_refuse(&yaml, base_yaml_root(&yaml),
                                  "a design names its protocol: protocol: NAME or FILE.slicc");
    base_yaml_free(&yaml);
    return status;
}
