/* SPDX-License-Identifier: MIT */
/* Reading a design file: see design_file.h. One table of fields for each map of the format. */
#include "protocol/simulate/design_file.h"

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

void sim_show_bytes(uint64_t bytes, base_text *text) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    uint32_t unit = 0;
    for (; unit < 3 && bytes % 1024 == 0 && bytes > 0; unit++)
        bytes /= 1024;
    base_text_print(text, "%llu%s", (unsigned long long)bytes, units[unit]);
}

/* A row for what is kept as said, with its place. */
/* NOLINTBEGIN(bugprone-macro-parentheses) -- members of members take none */
#define SAID(word, form, type, member)                                                             \
    BASE_FIELD(word, form, type, member), .place = offsetof(type, member.place)
/* NOLINTEND(bugprone-macro-parentheses) */

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

static col_status read_size(const base_entry *entry, void *member) {
    const char *text = base_entry_text(entry);
    base_said *bytes = member;
    bytes->said = true;
    if (!sim_file_size(text, &bytes->value))
        return base_refuse_value(
            entry, "size is 64B to 64MiB, written such as 512B, 64KiB or 2MiB, not '%.60s'",
            base_entry_shown(entry));
    return COL_OK;
}

static const base_field cache_fields[] = {
    {SAID("size", BASE_OWN, sim_file_cache, bytes), .read = read_size},
    {SAID("sets", BASE_NUMBER, sim_file_cache, sets), .least = 1, .most = SIM_FILE_MOST_SETS},
    {SAID("ways", BASE_NUMBER, sim_file_cache, ways), .least = 1, .most = SIM_FILE_MOST_WAYS},
    {SAID("replacement", BASE_WORD, sim_file_cache, replacement), .words = sim_replacements},
    BASE_LAST_FIELD,
};

static col_status read_cache(const base_entry *entry, void *target) {
    sim_file_machine *machine = target;
    if (machine->cache_count == SIM_FILE_CACHES)
        return base_refuse_key(entry, "a machine has at most %d caches", SIM_FILE_CACHES);
    sim_file_cache *cache = &machine->caches[machine->cache_count++];
    BASE_TRY(read_name(entry->yaml, entry->key, &cache->name));
    BASE_TRY(base_yaml_map(entry->yaml, entry->value, "a cache", cache_fields, cache));
    return cache->bytes.said && cache->sets.said
               ? base_refuse_key(entry, "the cache %s has a size or sets, not both",
                                 cache->name.text)
               : COL_OK;
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

static col_status read_parameter(const base_entry *entry, void *target) {
    sim_file_machine *machine = target;
    if (machine->parameter_count == SIM_FILE_PARAMETERS)
        return base_refuse_key(entry, "a machine has at most %d parameters", SIM_FILE_PARAMETERS);
    sim_file_parameter *parameter = &machine->parameters[machine->parameter_count++];
    const char *text = base_entry_text(entry);
    BASE_TRY(read_name(entry->yaml, entry->key, &parameter->name));
    parameter->place = base_entry_place(entry);
    if (text == NULL || !sim_file_parse_parameter(text, parameter))
        return base_refuse_value(
            entry, "the parameter %s is a number, true, false, or cores + a number, not '%.60s'",
            parameter->name.text, base_entry_shown(entry));
    return COL_OK;
}

/* ---- Buffers. */

static col_status read_buffer(const base_entry *entry, void *target) {
    sim_file_machine *machine = target;
    if (machine->buffer_count == SIM_MOST_BUFFERS)
        return base_refuse_key(entry, "a machine has at most %d buffers", SIM_MOST_BUFFERS);
    sim_file_parameter *buffer = &machine->buffers[machine->buffer_count++];
    const base_field room = {.name = base_entry_name(entry),
                             .kind = BASE_NUMBER,
                             .size = sizeof buffer->value,
                             .least = 1,
                             .most = SIM_FILE_MOST_MESSAGES};
    BASE_TRY(read_name(entry->yaml, entry->key, &buffer->name));
    return base_yaml_value(entry, &room, &buffer->value);
}

/* ---- Machines. */

static col_status read_count(const base_entry *entry, void *target) {
    sim_file_machine *machine = target;
    const char *text = base_entry_text(entry);
    uint64_t count = 0;
    machine->count_is_cores = text != NULL && strcmp(text, "cores") == 0;
    if (!machine->count_is_cores &&
        (text == NULL || !base_number_parse(text, &count) || count > 1024))
        return base_refuse_value(entry,
                                 "%s is a number from 0 to 1024 or the word cores, not '%.60s'",
                                 base_entry_name(entry), base_entry_shown(entry));
    machine->count = (base_said){true, count, base_entry_place(entry)};
    return COL_OK;
}

static col_status read_role(const base_entry *entry, void *name) {
    if (base_entry_text(entry) == NULL || base_entry_text(entry)[0] == '\0')
        return base_refuse_value(entry, "%s is the name of a machine", base_entry_name(entry));
    return read_name(entry->yaml, entry->value, name);
}

static const char *const levels[] = {
    [SIM_LEVEL_CORE] = "core",     [SIM_LEVEL_FETCH] = "fetch", [SIM_LEVEL_PRIVATE] = "private",
    [SIM_LEVEL_SHARED] = "shared", [SIM_LEVEL_IO] = "io",       [SIM_LEVEL_IO + 1] = NULL};

#define OF_MACHINE(word, form, member) SAID(word, form, sim_file_machine, member)
#define EACH(word, reader)                                                                         \
    { .name = (word), .kind = BASE_EACH, .read = (reader) }

static const base_field machine_fields[] = {
    {BASE_FIELD("of", BASE_OWN, sim_file_machine, of), .read = read_role},
    {OF_MACHINE("level", BASE_WORD, level), .words = levels},
    {BASE_FIELD("downstream", BASE_OWN, sim_file_machine, downstream), .read = read_role},
    {.name = "count", .kind = BASE_OWN, .read = read_count},
    {OF_MACHINE("clusters", BASE_NUMBER, clusters), .least = 1, .most = 1024},
    EACH("caches", read_cache),
    EACH("parameters", read_parameter),
    EACH("buffers", read_buffer),
    {OF_MACHINE("tbes", BASE_NUMBER, tbes), .least = 1, .most = SIM_FILE_MOST_TBES},
    {OF_MACHINE("transfers", BASE_WORD, transfers), .words = sim_transfers},
    BASE_LAST_FIELD,
};

static col_status read_machine(const base_entry *entry, void *target) {
    sim_design_file *file = target;
    if (file->machine_count == SIM_FILE_MACHINES)
        return base_refuse_key(entry, "a design has at most %d machines", SIM_FILE_MACHINES);
    sim_file_machine *machine = &file->machines[file->machine_count++];
    BASE_TRY(read_name(entry->yaml, entry->key, &machine->name));
    return base_yaml_map(entry->yaml, entry->value, "a machine", machine_fields, machine);
}

/* ---- Network, cores and memory. */

static col_status add_network(const base_entry *entry, void *target) {
    base_said *networks = target;
    const char *text = base_entry_text(entry), *name = base_entry_name(entry);
    uint64_t network = 0;
    if (text == NULL || !base_number_parse(text, &network) || network >= SIM_NETWORKS)
        return base_refuse_value(entry, "%s lists virtual networks, 0 to %d", name,
                                 SIM_NETWORKS - 1);
    if ((networks->value >> network & 1) != 0)
        return base_refuse_value(entry, "%s lists the virtual network %llu twice", name,
                                 (unsigned long long)network);
    networks->value |= UINT64_C(1) << network;
    return COL_OK;
}

static const base_field own_fields[] = {
    {SAID("latency", BASE_NUMBER, sim_file_network, latency), .least = 1,
     .most = SIM_FILE_MOST_LATENCY},
    {SAID("jitter", BASE_NUMBER, sim_file_network, jitter), .most = SIM_FILE_MOST_LATENCY},
    BASE_LAST_FIELD,
};

static col_status read_virtual_network(const base_entry *entry, void *target) {
    sim_design_file *file = target;
    uint64_t network = 0;
    if (!base_number_parse(base_entry_name(entry), &network) || network >= SIM_NETWORKS)
        return base_refuse_key(entry, "virtual has numbers of virtual networks, 0 to %d",
                               SIM_NETWORKS - 1);
    return base_yaml_map(entry->yaml, entry->value, "a virtual network", own_fields,
                         &file->networks[network]);
}

static col_status add_mechanism(const base_entry *entry, void *target) {
    static const base_field without = {
        .name = "without", .kind = BASE_WORD, .size = sizeof(uint32_t), .words = sim_mechanisms};
    uint32_t mechanism = 0;
    const col_status status = base_yaml_value(entry, &without, &mechanism);
    ((base_said *)target)->value |= UINT64_C(1) << mechanism;
    return status;
}

/* A number, word or set of the file. */
#define KEPT(word, form, item) SAID(word, form, sim_design_file, numbers[SIM_FILE_##item])
#define SET(word, item, reader)                                                                    \
    {                                                                                              \
        KEPT(word, BASE_ITEMS, item),                                                              \
            .read = (reader), .is_said = offsetof(sim_design_file, numbers[SIM_FILE_##item].said)  \
    }
#define NUMBER(item, word, from, to, wired)                                                        \
    {KEPT(word, BASE_NUMBER, item), .least = (from), .most = (to)},

static const base_field network_fields[] = {
    {KEPT("topology", BASE_WORD, TOPOLOGY), .words = sim_topologies},
    SIM_FILE_NETWORK_NUMBERS(NUMBER) SET("ordered", ORDERED, add_network),
    SET("unordered", UNORDERED, add_network),
    EACH("virtual", read_virtual_network),
    BASE_LAST_FIELD,
};

const base_field sim_without_field = SET("without", WITHOUT, add_mechanism);

static const base_field core_fields[] = {
    {KEPT("mode", BASE_WORD, MODE), .words = sim_modes},
    {KEPT("atomics", BASE_WORD, ATOMICS), .words = sim_ways},
    SIM_FILE_CORE_NUMBERS(NUMBER) SET("without", WITHOUT, add_mechanism),
    BASE_LAST_FIELD,
};

static const base_field memory_fields[] = {SIM_FILE_MEMORY_NUMBERS(NUMBER) BASE_LAST_FIELD};

col_status sim_design_file_check_name(const base_entry *entry, void *name) {
    return strpbrk(name, " \t\n/") == NULL
               ? COL_OK
               : base_refuse_value(entry, "name is one word without '/'");
}

/* ---- What varies: see design_vary.h for the keys. */

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

static col_status read_listed_value(const base_entry *entry, void *target) {
    const char *text = base_entry_text(entry);
    if (text == NULL)
        return base_refuse_value(entry, "a value is one word or number");
    return add_value(entry->yaml, entry->value, text, strlen(text), target);
}

static col_status read_varied(const base_entry *entry, void *target) {
    sim_design_file *file = target;
    const char *text = base_entry_text(entry), *name = base_entry_name(entry);
    const char *dots = text == NULL ? NULL : strstr(text, "..");
    if (file->varied_count == SIM_FILE_VARIED)
        return base_refuse_key(entry, "vary has at most %d keys", SIM_FILE_VARIED);
    sim_file_varied *varied = &file->varied[file->varied_count++];
    if (strlen(name) >= sizeof varied->key)
        return base_refuse_key(entry, "a key has at most %zu bytes", sizeof varied->key - 1);
    (void)snprintf(varied->key, sizeof varied->key, "%s", name);
    varied->place = base_yaml_place(entry->yaml, entry->key);
    if (text != NULL && dots == NULL)
        return base_refuse_value(
            entry, "%.60s varies over a range such as 4..64 or a list such as [4, 64]", name);
    if (text == NULL) {
        const col_status status = base_yaml_items(entry, read_listed_value, varied);
        return status == COL_OK && varied->value_count == 0
                   ? base_refuse_value(entry, "%.60s lists no value", name)
                   : status;
    }
    varied->is_range = true;
    BASE_TRY(add_value(entry->yaml, entry->value, text, (size_t)(dots - text), varied));
    return add_value(entry->yaml, entry->value, dots + 2, strlen(dots + 2), varied);
}

/* What the kinds are is known where designs are opened (design/design_kind.c); this one is ours. */
static col_status read_kind(const base_entry *entry, void *target) {
    static const char *const words[] = {"slicc", "command", "verilog", NULL};
    static const base_field kind = {
        .name = "kind", .kind = BASE_WORD, .size = sizeof(uint32_t), .words = words};
    uint32_t choice = 0;
    (void)target;
    const col_status status = base_yaml_value(entry, &kind, &choice);
    if (status == COL_OK && choice != 0)
        return base_refuse_value(entry,
                                 "this design is of kind %s: it has no protocol, and the built-in "
                                 "simulator does not run it",
                                 words[choice]);
    return status;
}

#define MACHINES EACH("machines", read_machine)
const base_field sim_machines_field = MACHINES;

static const base_field design_fields[] = {
    {.name = "kind", .kind = BASE_OWN, .read = read_kind},
    {BASE_FIELD("name", BASE_STRING, sim_design_file, name), .read = sim_design_file_check_name},
    {BASE_FIELD("description", BASE_STRING, sim_design_file, description)},
    {BASE_FIELD("protocol", BASE_STRING, sim_design_file, protocol),
     .place = offsetof(sim_design_file, protocol_place)},
    NUMBER(CORES, "cores", 1, 1024, cores)
        SIM_FILE_NUMBERS(NUMBER){.name = "core", .kind = BASE_MAP, .fields = core_fields},
    {KEPT("model", BASE_WORD, MODEL), .words = col_models},
    {.name = "network", .kind = BASE_MAP, .fields = network_fields},
    {.name = "memory", .kind = BASE_MAP, .fields = memory_fields},
    {KEPT("start", BASE_WORD, START), .words = sim_starts},
    {KEPT("monitors", BASE_FLAG, MONITORS), .words = base_false_true},
    MACHINES,
    EACH("vary", read_varied),
    BASE_LAST_FIELD,
};

col_status sim_design_file_parse(sim_design_file *file, const char *text, size_t length,
                                 const char *path, col_problem *problem) {
    base_yaml yaml;
    memset(file, 0, sizeof *file);
    file->path = path;
    /* "folder/x.yaml" is called x unless it says otherwise. */
    const char *name = base_path_name(file->path);
    (void)snprintf(file->name, sizeof file->name, "%.*s", (int)base_path_stem(name), name);
    BASE_TRY(base_yaml_read(&yaml, text, length, path, problem));
    col_status status =
        base_yaml_map(&yaml, base_yaml_root(&yaml), "a design", design_fields, file);
    if (status == COL_OK && file->protocol[0] == '\0')
        status = base_yaml_refuse(&yaml, base_yaml_root(&yaml),
                                  "a design names its protocol: protocol: NAME or FILE.slicc");
    base_yaml_free(&yaml);
    return status;
}
