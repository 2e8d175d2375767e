/* SPDX-License-Identifier: MIT */
/* Keys of design files by name: see design_vary.h. */
#include "protocol/simulate/design_vary.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PARTS = 3, MOST_PART = 48 };

/* A name in its parts, each without its '?'. */
typedef struct parts {
    char texts[MOST_PARTS][MOST_PART];
    uint32_t count;
    bool is_optional;
} parts;

/* Where a key is looked for, and what is said if it is not there. */
typedef struct search {
    sim_key *key;
    sim_design_file *file;
    const sl_protocol *protocol;
    const char *name;
    base_place place;
    col_problem *problem;
} search;

#define REFUSE(s, ...) SIM_REFUSE_AT((s)->problem, (s)->file->path, (s)->place, __VA_ARGS__)

/* ---- Keys that every design has. */

typedef struct plain_key {
    const char *name;
    uint64_t least, most;
    const char *const *words;
    sim_key_type type;
    sim_file_number item;
} plain_key;

static const plain_key plain_keys[] = {
#define PLAIN(place, key, from, to, member)                                                        \
    {.name = (key), .least = (from), .most = (to), .item = SIM_FILE_##place},
#define OF_CORE(place, key, from, to, member) PLAIN(place, "core." key, from, to, member)
#define OF_NETWORK(place, key, from, to, member) PLAIN(place, "network." key, from, to, member)
#define OF_MEMORY(place, key, from, to, member) PLAIN(place, "memory." key, from, to, member)
    SIM_FILE_NUMBERS(PLAIN) SIM_FILE_CORE_NUMBERS(OF_CORE) SIM_FILE_NETWORK_NUMBERS(OF_NETWORK)
        SIM_FILE_MEMORY_NUMBERS(OF_MEMORY)
#undef OF_MEMORY
#undef OF_NETWORK
#undef OF_CORE
#undef PLAIN
            {.name = "network.topology",
             .type = SIM_KEY_WORD,
             .words = sim_topologies,
             .item = SIM_FILE_TOPOLOGY},
    {.name = "start", .type = SIM_KEY_WORD, .words = sim_starts, .item = SIM_FILE_START},
    {.name = "core.atomics", .type = SIM_KEY_WORD, .words = sim_ways, .item = SIM_FILE_ATOMICS},
    {.name = NULL},
};

static bool find_plain(const search *s, const char *name) {
    for (const plain_key *p = plain_keys; p->name != NULL; p++) {
        if (strcmp(p->name, name) != 0)
            continue;
        *s->key = (sim_key){.type = p->type,
                            .least = p->least,
                            .most = p->most,
                            .words = p->words,
                            .said = &s->file->numbers[p->item]};
        return true;
    }
    return false;
}

/* network.2.jitter: of a virtual network. */
static bool find_network(const search *s, const parts *p) {
    uint64_t network = 0;
    if (p->count != 3 || strcmp(p->texts[0], "network") != 0 ||
        !base_number_parse(p->texts[1], &network) || network >= SIM_NETWORKS)
        return false;
    sim_file_network *own = &s->file->networks[network];
    const bool is_latency = strcmp(p->texts[2], "latency") == 0;
    if (!is_latency && strcmp(p->texts[2], "jitter") != 0)
        return false;
    *s->key = (sim_key){.least = is_latency,
                        .most = SIM_FILE_MOST_LATENCY,
                        .said = is_latency ? &own->latency : &own->jitter};
    return true;
}

/* ---- Names. */

static bool take_parts(const char *name, parts *p) {
    *p = (parts){.count = 0};
    for (const char *at = name; at != NULL;) {
        size_t length = strcspn(at, ".");
        const char *next = at[length] == '.' ? at + length + 1 : NULL;
        if (length > 0 && at[length - 1] == '?') {
            p->is_optional = true;
            length--;
        }
        if (length == 0 || length >= MOST_PART || p->count == MOST_PARTS)
            return false;
        memcpy(p->texts[p->count], at, length);
        p->texts[p->count++][length] = '\0';
        at = next;
    }
    return true;
}

bool sim_key_is(const char *name, const char *other) {
    while (*name != '\0' && *other != '\0') {
        name += *name == '?';
        other += *other == '?';
        if (*name != *other)
            return false;
        name += *name != '\0';
        other += *other != '\0';
    }
    return (*name == '\0' || strcmp(name, "?") == 0) && (*other == '\0' || strcmp(other, "?") == 0);
}

/* The machine, cache or number of that name, added if it is not there; NULL: there is no room. All
 * of them begin with their names. */
static void *find_or_add(void *list, size_t size, uint32_t *count, uint32_t most,
                         const char *name) {
    uint8_t *at = list;
    for (uint32_t i = 0; i < *count; i++, at += size)
        if (strcmp(((sim_file_name *)(void *)at)->text, name) == 0)
            return at;
    if (*count == most)
        return NULL;
    sim_file_name *added = (sim_file_name *)(void *)at;
    (void)snprintf(added->text, sizeof added->text, "%s", name);
    (*count)++;
    return added;
}

/* ---- Keys of machines. */

static col_status refuse_full(const search *s) {
    return REFUSE(s, "the design file has no room for one more key: '%s'", s->name);
}

static col_status refuse_key(const search *s) {
    base_text list = {0};
    const bool is_option = s->place.line == 0;
    for (const plain_key *p = plain_keys; p->name != NULL; p++)
        base_text_print(&list, "%s, ", p->name);
    const col_status status =
        REFUSE(s,
               "there is no %s '%.60s'; there are %s%.300snetwork.N.KEY of virtual networks "
               "and MACHINE.KEY of machines",
               is_option ? "option of the simulator" : "key", s->name,
               is_option ? "without, monitors, " : "", list.length == 0 ? "" : list.data);
    base_text_free(&list);
    return status;
}

static col_status find_cache_key(const search *s, const parts *p, sim_file_machine *machine) {
    const uint32_t count = machine->cache_count;
    sim_file_cache *cache = find_or_add(machine->caches, sizeof *cache, &machine->cache_count,
                                        SIM_FILE_CACHES, p->texts[1]);
    if (cache == NULL)
        return refuse_full(s);
    if (machine->cache_count > count)
        cache->name.place = s->place;
    const struct {
        const char *name;
        sim_key key;
    } keys[] = {
        {"size", {.type = SIM_KEY_SIZE, .said = &cache->bytes, .instead = &cache->sets}},
        {"sets",
         {.type = SIM_KEY_SETS,
          .least = 1,
          .most = SIM_FILE_MOST_SETS,
          .said = &cache->sets,
          .instead = &cache->bytes}},
        {"ways", {.least = 1, .most = SIM_FILE_MOST_WAYS, .said = &cache->ways}},
        {"replacement",
         {.type = SIM_KEY_WORD, .words = sim_replacements, .said = &cache->replacement}},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].name, p->texts[2]) == 0) {
            *s->key = keys[i].key;
            return COL_OK;
        }
    return REFUSE(s, "a cache has size, sets, ways and replacement, but no '%s'", p->texts[2]);
}

static col_status find_number_key(const search *s, const sl_member *member,
                                  sim_file_machine *machine) {
    const bool is_buffer = member->kind == SL_MEMBER_BUFFER;
    *s->key = (sim_key){.type = is_buffer ? SIM_KEY_NUMBER : SIM_KEY_PARAMETER,
                        .least = 1,
                        .most = SIM_FILE_MOST_MESSAGES};
    s->key->parameter =
        is_buffer ? find_or_add(machine->buffers, sizeof *machine->buffers, &machine->buffer_count,
                                SIM_MOST_BUFFERS, member->name)
                  : find_or_add(machine->parameters, sizeof *machine->parameters,
                                &machine->parameter_count, SIM_FILE_PARAMETERS, member->name);
    if (s->key->parameter == NULL)
        return refuse_full(s);
    s->key->parameter->name.place = s->place;
    return COL_OK;
}

static col_status find_in_machine(const search *s, const parts *p, const sl_machine *machine) {
    sim_file_machine *said = find_or_add(s->file->machines, sizeof *said, &s->file->machine_count,
                                         SIM_FILE_MACHINES, machine->name);
    if (said == NULL)
        return refuse_full(s);
    said->name.place = said->name.place.line == 0 ? s->place : said->name.place;
    const struct {
        const char *name;
        sim_key key;
    } keys[] = {
        {"count",
         {.least = 1, .most = 1024, .said = &said->count, .is_cores = &said->count_is_cores}},
        {"clusters", {.least = 1, .most = 1024, .said = &said->clusters}},
        {"tbes", {.least = 1, .most = SIM_FILE_MOST_TBES, .said = &said->tbes}},
    };
    for (size_t i = 0; p->count == 2 && i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].name, p->texts[1]) == 0) {
            *s->key = keys[i].key;
            return COL_OK;
        }
    const sl_member *member = sim_file_member(machine, p->texts[1], SIM_ANY_MEMBER);
    if (member == NULL && p->is_optional) {
        s->key->is_ignored = true;
        return COL_OK;
    }
    if (member == NULL)
        return REFUSE(s, "the machine %s has no cache, parameter or buffer '%s'", machine->name,
                      p->texts[1]);
    if (member->kind == SL_MEMBER_CACHE && p->count == 3)
        return find_cache_key(s, p, said);
    if (member->kind == SL_MEMBER_CACHE)
        return REFUSE(s, "%s is a cache: say %s.size, .sets, .ways or .replacement", s->name,
                      s->name);
    if (p->count == 3)
        return REFUSE(s, "%s of %s is a number, which has no '%s'", p->texts[1], machine->name,
                      p->texts[2]);
    return find_number_key(s, member, said);
}

col_status sim_key_find(sim_key *key, sim_design_file *file, const sl_protocol *protocol,
                        const char *name, base_place place, col_problem *problem) {
    const search s = {key, file, protocol, name, place, problem};
    parts p;
    *key = (sim_key){.type = SIM_KEY_NUMBER};
    if (!take_parts(name, &p))
        return refuse_key(&s);
    if (find_plain(&s, name) || find_network(&s, &p))
        return COL_OK;
    if (p.count < 2)
        return refuse_key(&s);
    const uint32_t m = sim_machine_named(protocol, p.texts[0]);
    if (m < protocol->machine_count)
        return find_in_machine(&s, &p, protocol->machines[m]);
    if (p.is_optional) {
        key->is_ignored = true;
        return COL_OK;
    }
    return refuse_key(&s);
}

/* ---- Values. */

/* What only design files have: NULL, or what the value is. */
static const char *read_own(const sim_key *key, const char *text, sim_key_value *value) {
    sim_file_parameter parameter = {.value = 0};
    if (key->type == SIM_KEY_SIZE)
        return sim_file_size(text, &value->number)
                   ? NULL
                   : "64B to 64MiB, written such as 512B, 64KiB or 2MiB";
    if (!sim_file_parse_parameter(text, &parameter))
        return "a number, true, false, or cores + a number";
    value->number = (uint64_t)parameter.value;
    value->per_core = parameter.per_core;
    return NULL;
}

col_status sim_key_read(const sim_key *key, const char *path, const char *name, const char *text,
                        sim_key_value *value, col_problem *problem) {
    static const base_kind kinds[] = {
        [SIM_KEY_NUMBER] = BASE_NUMBER, [SIM_KEY_SETS] = BASE_POWER, [SIM_KEY_WORD] = BASE_WORD};
    col_problem own;
    value->per_core = false;
    if (key->type == SIM_KEY_SIZE || key->type == SIM_KEY_PARAMETER) {
        const char *is = read_own(key, text, value);
        return is == NULL ? COL_OK
                          : SIM_REFUSE_AT(problem, path, value->place, "%s is %s, not '%.60s'",
                                          name, is, text);
    }
    const base_field field = {.name = name,
                              .kind = kinds[key->type],
                              .size = sizeof value->number,
                              .least = key->least,
                              .most = key->most,
                              .words = key->words};
    const col_status status = base_field_read(&field, text, "", &value->number, &own);
    if (status == COL_BAD_INPUT)
        return SIM_REFUSE_AT(problem, path, value->place, "%s", own.message);
    if (status == COL_OK && key->type == SIM_KEY_SETS)
        value->number = UINT64_C(1) << value->number; /* not its exponent */
    return status == COL_OK ? COL_OK : base_out_of_memory(problem);
}

void sim_key_set(const sim_key *key, const sim_key_value *value) {
    if (key->is_ignored)
        return;
    if (key->parameter != NULL) {
        key->parameter->value = (int64_t)value->number;
        key->parameter->per_core = value->per_core;
        key->parameter->place = value->place;
        return;
    }
    *key->said = (sim_said){.said = true, .value = value->number, .place = value->place};
    if (key->instead != NULL)
        key->instead->said = false;
    if (key->is_cores != NULL)
        *key->is_cores = false;
}
