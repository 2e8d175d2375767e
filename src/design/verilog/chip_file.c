/* SPDX-License-Identifier: MIT */
/* Reading what a design file says of a whole chip: see verilog_file.h. */
#include "base/path.h"
#include "base/text.h"
#include "design/chip/chip.h"
#include "design/isa/platform.h"
#include "design/verilog/verilog_build.h"
#include "design/verilog/verilog_file.h"

#include <stdio.h>
#include <string.h>

/* ---- Buses. */

static col_status read_prefix(const base_entry *entry, void *member) {
    duv_named *prefix = member;
    const col_status status =
        duv_take_name(entry->yaml, entry->value, "the prefix of a bus", prefix);
    return status == COL_OK && strlen(prefix->text) > DUV_NAME / 2
               ? base_refuse_value(entry, "this prefix is too long")
               : status;
}

static col_status read_signal(const base_entry *entry, void *target) {
    duv_chip_bus *bus = target;
    const char *word = base_entry_name(entry);
    const duv_bus_signal *pins = duv_bus_signals(bus->protocol);
    for (uint32_t s = 0; word != NULL && pins[s].names != NULL; s++)
        if (pins[s].is_pin && duv_bus_is(&pins[s], word))
            return duv_take_name(entry->yaml, entry->value, "a signal", &bus->signals[s]);
    return base_refuse_key(entry, "the bus %s has no signal '%.60s'", duv_chip_buses[bus->protocol],
                           word == NULL ? "" : word);
}

#define FIELD(word, form, member) BASE_FIELD(word, form, duv_chip_bus, member)

static const base_field bus_fields[] = {
    {FIELD("protocol", BASE_WORD, protocol), .words = duv_chip_buses},
    {FIELD("prefix", BASE_OWN, prefix), .read = read_prefix},
    {FIELD("addresses", BASE_WORD, counts_words), .words = duv_bus_addresses},
    {FIELD("latency", BASE_NUMBER, latency), .most = 10000},
    {FIELD("interleaves", BASE_FLAG, interleaves), .words = base_false_true},
    {FIELD("pipelined", BASE_FLAG, is_classic), .words = duv_true_false},
    {.name = "signals", .kind = BASE_EACH, .read = read_signal},
    BASE_LAST_FIELD,
};

/* Its protocol's name, or a map that begins with it: what signals there are follows from it. */
static col_status add_bus(const base_entry *entry, void *target) {
    static const base_field bus_of_a_word = {FIELD("bus", BASE_WORD, protocol),
                                             .words = duv_chip_buses};
    duv_chip_file *chip = target;
    if (chip->bus_count == DUV_MOST_BUSES)
        return base_refuse_value(entry, "a chip has at most %d buses", DUV_MOST_BUSES);
    duv_chip_bus *bus = &chip->buses[chip->bus_count++];
    *bus = (duv_chip_bus){.protocol = DUV_BUSES, .place = base_entry_place(entry), .latency = 8};
    if (entry->value->type != YAML_MAPPING_NODE)
        return base_yaml_value(entry, &bus_of_a_word, bus);
    const yaml_node_pair_t *first = entry->value->data.mapping.pairs.start;
    const base_yaml_node *word = first == entry->value->data.mapping.pairs.top
                                     ? NULL
                                     : yaml_document_get_node(&entry->yaml->document, first->key);
    if (word == NULL || base_yaml_scalar(word) == NULL ||
        strcmp(base_yaml_scalar(word), "protocol") != 0)
        return base_refuse_value(entry, "a bus begins with its 'protocol'");
    return base_yaml_map(entry->yaml, entry->value, "a bus", bus_fields, bus);
}

col_status duv_chip_read_bus(const base_entry *entry, void *target) {
    ((duv_chip_file *)target)->place = base_yaml_place(entry->yaml, entry->key);
    return base_yaml_one_or_more(entry, add_bus, target);
}

/* ---- The platform. */

static const char *line_at(const char *text, size_t number) {
    while (number > 0 && (text = strchr(text, '\n')) != NULL) {
        text++;
        number--;
    }
    return text;
}

/* A map in the design file is a file of its own, in which lines and columns are the same. */
static col_status take_map(const base_entry *entry, base_text *text) {
    const yaml_mark_t *from = &entry->value->start_mark, *to = &entry->value->end_mark;
    size_t length = entry->yaml->length;
    const char *whole = base_skip_bom(entry->yaml->text, &length);
    const char *first = line_at(whole, from->line), *last = line_at(whole, to->line);
    if (first == NULL)
        return base_refuse_value(entry, "the platform cannot be read");
    const char *end = last == NULL ? whole + length : last + base_prefix(last, to->column);
    const char *begin = first + base_prefix(first, from->column);
    text->length = 0;
    for (size_t i = 0; i < from->line; i++)
        base_text_add(text, "\n");
    for (size_t i = 0; i < from->column; i++)
        base_text_add(text, " ");
    base_text_add_bytes(text, begin, end > begin ? (size_t)(end - begin) : 0);
    base_text_add(text, "\n");
    return base_text_status(text, entry->yaml->problem);
}

col_status duv_chip_read_platform(const base_entry *entry, void *target) {
    duv_chip_file *chip = target;
    static const base_field field = {BASE_FIELD("platform", BASE_STRING, duv_chip_file, platform),
                                     .words = isa_platform_names, .is_file = isa_platform_is_file};
    chip->platform_place = base_entry_place(entry);
    if (entry->value->type != YAML_MAPPING_NODE)
        return base_yaml_value(entry, &field, chip);
    (void)snprintf(chip->platform, sizeof chip->platform, "%s", entry->yaml->file);
    chip->has_platform = true;
    return take_map(entry, &chip->platform_text);
}

/* ---- Taps. */

static const struct {
    const char *key, *word, *usual; /* of the design file, of ours, of the chip */
} tap_rows[DUV_TAP_SIGNALS] = {
    [DUV_TAP_RETIRE_VALID] = {"valid", "retire_valid", "rvfi_valid"},
    [DUV_TAP_RETIRE_PC] = {"pc", "retire_pc", "rvfi_pc_rdata"},
    [DUV_TAP_RETIRE_REGISTER] = {"register", "retire_register", "rvfi_rd_addr"},
    [DUV_TAP_RETIRE_VALUE] = {"value", "retire_value", "rvfi_rd_wdata"},
    [DUV_TAP_COMMIT_VALID] = {"valid", "commit_valid", "commit_valid"},
    [DUV_TAP_COMMIT_PC] = {"pc", "commit_pc", "commit_pc"},
    [DUV_TAP_COMMIT_OLD] = {"old", "commit_old", "commit_old"},
};

static col_status take_tap(const base_entry *entry, duv_named *tap, bool commits) {
    const char *word = base_entry_name(entry);
    for (uint32_t s = 0; s < DUV_TAP_SIGNALS; s++)
        if ((s >= DUV_TAP_COMMIT_VALID) == commits && strcmp(tap_rows[s].key, word) == 0)
            return duv_take_name(entry->yaml, entry->value, "a signal", &tap[s]);
    return base_refuse_key(entry, "%s has no signal '%.60s'; it has %s",
                           commits ? "'commits'" : "a tap", word,
                           commits ? "valid, pc and old" : "valid, pc, register and value");
}

static col_status read_tap_signal(const base_entry *entry, void *tap) {
    return take_tap(entry, tap, false);
}

col_status duv_chip_read_commit(const base_entry *entry, void *tap) {
    return take_tap(entry, tap, true);
}

/* A word that stands for usual names, or a map. */
col_status duv_chip_read_tap(const base_entry *entry, void *tap) {
    static const char *const words[] = {"rvfi", NULL};
    static const base_field word = {.name = "tap", .kind = BASE_WORD, .words = words};
    return entry->value->type == YAML_MAPPING_NODE
               ? base_yaml_each(entry->yaml, entry->value, "tap", read_tap_signal, tap)
               : base_yaml_value(entry, &word, NULL);
}

/* ---- The whole. */

void duv_chip_file_default(duv_chip_file *chip) {
    col_chip_settings usual;
    col_chip_default(&usual);
    chip->rounds = usual.rounds;
    chip->skew = usual.skew;
    chip->stalls = 10;
    chip->takes_atomics = true;
    for (uint32_t s = 0; s < DUV_TAP_SIGNALS; s++)
        (void)snprintf(chip->tap[s].text, sizeof chip->tap[s].text, "%s", tap_rows[s].usual);
}

void duv_chip_file_free(duv_chip_file *chip) {
    base_text_free(&chip->platform_text);
}

/* The last key of the file that only chips have; NULL: there is none. */
static const base_yaml_node *last_key(base_yaml *yaml, const base_yaml_node *root) {
    enum { FIRST = offsetof(duv_verilog_file, chip), END = FIRST + sizeof(duv_chip_file) };
    const base_yaml_node *last = NULL;
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        const base_yaml_node *key = yaml_document_get_node(&yaml->document, pair->key);
        const base_field *field = base_field_find(duv_verilog_fields, base_yaml_scalar(key));
        if (field->offset >= FIRST && field->offset < END)
            last = key;
    }
    return last;
}

col_status duv_chip_check(base_yaml *yaml, const base_yaml_node *root, duv_verilog_file *f) {
    duv_chip_file *chip = &f->chip;
    const bool taps = chip->says_log ? chip->log == COL_CHIP_TAP : chip->has_tap;
    const base_yaml_node *last = last_key(yaml, root);
    if (!duv_is_chip(f) && last != NULL)
        return base_yaml_refuse(yaml, last, "'%s' is for chips with a 'bus', not for ports",
                                base_yaml_scalar(last));
    if (!duv_is_chip(f))
        return COL_OK;
    if (f->ports.line != 0)
        return base_yaml_refuse_at(yaml, f->ports, "a design has 'ports' or a 'bus', not both");
    if (chip->platform[0] == '\0')
        DUV_NOTE(f, yaml->problem,
                 base_yaml_refuse(yaml, root,
                                  "a chip needs a platform: the machine that images boot on"));
    if (f->geometry.level_count > 0 || f->memory != 0)
        return base_yaml_refuse(yaml, root,
                                "the memory and the caches of a chip are those of its platform: "
                                "'memory' and 'caches' are for ports");
    if (taps && !chip->has_tap)
        return base_yaml_refuse(yaml, last, "the log 'tap' needs a 'tap'");
    if (chip->has_commits && (!taps || chip->rounds > 1))
        return base_yaml_refuse(yaml, last,
                                "'commits' needs the log 'tap', and one round to a start");
    if (chip->is_current && !chip->has_commits)
        return base_yaml_refuse(yaml, last,
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
    if (!duv_is_chip(f) || what[0] == '\0')
        return COL_OK;
    if (isa_platform_is_file(what) && !chip->has_platform) {
        status = base_path_beside(path, f->path, what, problem);
        what = path;
    }
    if (status == COL_OK && !chip->has_platform)
        status = isa_platform_text(what, &chip->platform_text, problem);
    if (status == COL_OK)
        status = isa_platform_parse(&platform, chip->platform_text.data, chip->platform_text.length,
                                    what, problem);
    if (status == COL_OK && duv_chip_check_platform(&platform, &own) != COL_OK)
        return DUV_REFUSE_AT(f, chip->platform_place, problem, "%s", own.message);
    if (status != COL_OK)
        return status;
    if (chip->harts == 0)
        chip->harts = platform.harts;
    if (f->model_place.line == 0)
        f->model = platform.model;
    return COL_OK;
}

/* Are the signals of their buses and taps there, and the C++ that names them. */

/* ---- Buses. */

/* What the file says, or the prefix and our name. */
static void name_signal(const duv_chip_bus *bus, uint32_t s, duv_named *named) {
    const char *names = duv_bus_signals(bus->protocol)[s].names;
    *named = bus->signals[s];
    if (named->text[0] == '\0')
        (void)snprintf(named->text, sizeof named->text, "%.64s%.*s", bus->prefix.text,
                       (int)strcspn(names, " "), names);
}

static uint64_t bits_of(const duv_chip_bus *bus, int breadth) {
    return bus->bits[breadth - DUV_BUS_ADDRESS];
}

static col_status check_bits(const duv_verilog_file *f, duv_chip_bus *bus, const duv_named *named,
                             int breadth, uint32_t bits, col_problem *problem) {
    const base_place place = named->place;
    const bool is_any =
        breadth > 1 || breadth == DUV_BUS_SIZE || breadth == DUV_BUS_LOCK; /* 1 to 64 */
    unsigned long long wanted = is_any ? 64 : 1;
    if (breadth == DUV_BUS_STROBE)
        wanted = bits_of(bus, DUV_BUS_DATA) / 8;
    else if (breadth < 0 && !is_any)
        wanted = bits_of(bus, breadth);
    if (breadth < 0 && wanted == 0)
        wanted = bus->bits[breadth - DUV_BUS_ADDRESS] = bits;
    if (wanted == bits || (is_any && bits <= 64))
        return COL_OK;
    return DUV_REFUSE_AT(f, place, problem,
                         "the signal %s of %s has %u bit%s, but the bus needs %llu", named->text,
                         f->top.text, bits, base_plural(bits), wanted);
}

static col_status connect_signal(const duv_verilog_file *f, const duv_signals *signals,
                                 duv_chip_bus *bus, uint32_t s, col_problem *problem) {
    const duv_bus_signal *pin = &duv_bus_signals(bus->protocol)[s];
    duv_named named;
    uint32_t bits = 0;
    const duv_signal *found = bus->signals[s].text[0] != '\0'
                                  ? NULL
                                  : duv_bus_find(signals, bus->prefix.text, pin, !pin->to_memory);
    if (found != NULL)
        duv_signal_name(found, bus->signals[s].text);
    name_signal(bus, s, &named);
    bus->is_there[s] = pin->is_needed_pin || named.place.line != 0 ||
                       duv_signals_find(signals, named.text) != NULL;
    if (bus->is_classic && duv_bus_is(pin, "stall"))
        bus->is_there[s] = false;
    if (!bus->is_there[s])
        return COL_OK;
    if (named.place.line == 0)
        named.place = bus->place;
    BASE_TRY(duv_signals_take(f, signals, &named, !pin->to_memory, &bits, problem));
    bus->pin_bits[s] = bits;
    return check_bits(f, bus, &named, pin->breadth, bits, problem);
}

/* Data comes first: the width of strobes follows from it. */
static col_status connect_bus(const duv_verilog_file *f, const duv_signals *signals,
                              duv_chip_bus *bus, col_problem *problem) {
    const duv_bus_signal *pins = duv_bus_signals(bus->protocol);
    for (int is_strobe = 0; is_strobe < 2; is_strobe++)
        for (uint32_t s = 0; pins[s].names != NULL; s++)
            if (pins[s].is_pin && (pins[s].breadth == DUV_BUS_STROBE) == is_strobe)
                DUV_NOTE(f, problem, connect_signal(f, signals, bus, s, problem));
    if (f->notes != NULL && f->notes->errors > 0)
        return COL_OK;
    const uint64_t data = bits_of(bus, DUV_BUS_DATA), address = bits_of(bus, DUV_BUS_ADDRESS);
    const char *what = NULL;
    if (data < 32 || data > 512 || (data & (data - 1)) != 0)
        what = "the data of a bus has 32, 64, 128, 256 or 512 bits";
    else if (address < 8 || address > 64)
        what = "the addresses of a bus have 8 to 64 bits";
    else if (bits_of(bus, DUV_BUS_ID) > 64)
        what = "the numbers of a bus's requests have at most 64 bits";
    return what == NULL ? COL_OK : DUV_REFUSE_AT(f, bus->place, problem, "%s", what);
}

/* ---- Taps: element h of each signal, or several elements, belong to hart h. */

static col_status find_tap(const duv_verilog_file *f, const duv_signals *signals, uint32_t s,
                           uint32_t count, uint32_t *bits, col_problem *problem) {
    const duv_named *named = &f->chip.tap[s];
    const base_place place = named->place.line != 0 ? named->place : f->chip.place;
    BASE_TRY(duv_signals_take(f, signals, named, false, bits, problem));
    if (count == 0 || *bits % count != 0 || *bits / count > 64)
        return DUV_REFUSE_AT(f, place, problem,
                             "the signal %s of %s has %u bit%s, which are not those of %u",
                             named->text, f->top.text, *bits, base_plural(*bits), count);
    *bits /= count;
    return COL_OK;
}

static col_status connect_taps(duv_verilog_file *f, const duv_signals *signals,
                               col_problem *problem) {
    duv_chip_file *chip = &f->chip;
    const uint32_t harts = (uint32_t)chip->harts;
    chip->taps = 0;
    if (harts == 0)
        return COL_OK; /* the platform, which was refused, says how many */
    if (chip->has_tap)
        DUV_NOTE(f, problem,
                 find_tap(f, signals, DUV_TAP_RETIRE_VALID, harts, &chip->taps, problem));
    for (uint32_t s = DUV_TAP_RETIRE_PC; chip->has_tap && s <= DUV_TAP_RETIRE_VALUE; s++)
        DUV_NOTE(f, problem,
                 find_tap(f, signals, s, harts * chip->taps, &chip->tap_bits[s], problem));
    for (uint32_t s = DUV_TAP_COMMIT_VALID; chip->has_commits && s < DUV_TAP_SIGNALS; s++)
        DUV_NOTE(f, problem, find_tap(f, signals, s, harts, &chip->tap_bits[s], problem));
    return COL_OK;
}

col_status duv_chip_connect(duv_verilog_file *f, const duv_signals *signals, col_problem *problem) {
    BASE_TRY(connect_taps(f, signals, problem));
    for (uint32_t b = 0; b < f->chip.bus_count; b++)
        DUV_NOTE(f, problem, connect_bus(f, signals, &f->chip.buses[b], problem));
    f->agents.ports = (uint32_t)f->chip.harts;
    return COL_OK;
}

/* ---- The source. */

void duv_chip_wrap_taps(const duv_verilog_file *f, base_text *t) {
    const duv_chip_file *chip = &f->chip;
    const uint32_t *bits = chip->tap_bits;
    for (uint32_t s = 0; s < DUV_TAP_SIGNALS; s++) {
        const bool is_there = s < DUV_TAP_COMMIT_VALID ? chip->has_tap : chip->has_commits;
        duv_print_accessor(t, tap_rows[s].word, is_there ? chip->tap[s].text : NULL);
    }
    base_text_print(t,
                    "    static constexpr uint32_t taps = %u, pc_bits = %u, register_bits = %u,\n"
                    "        value_bits = %u, commit_bits = %u, old_bits = %u;\n"
                    "    static col_chip_settings chip;\n",
                    chip->taps, bits[DUV_TAP_RETIRE_PC], bits[DUV_TAP_RETIRE_REGISTER],
                    bits[DUV_TAP_RETIRE_VALUE], bits[DUV_TAP_COMMIT_PC], bits[DUV_TAP_COMMIT_OLD]);
}

static void wrap_bus(const duv_chip_bus *bus, uint32_t number, uint32_t stalls, base_text *t) {
    const unsigned long long data = bits_of(bus, DUV_BUS_DATA);
    base_text_print(t,
                    "struct bus%u {\n    using model = Vdesign;\n"
                    "    static constexpr collider::bus_settings settings = {%llu, %llu, %llu, "
                    "%llu, %llu, %u, %d};\n",
                    number, (unsigned long long)bits_of(bus, DUV_BUS_ADDRESS), data,
                    (unsigned long long)bits_of(bus, DUV_BUS_ID), bus->counts_words ? data / 8 : 1,
                    (unsigned long long)bus->latency, stalls, bus->interleaves);
    const duv_bus_signal *pins = duv_bus_signals(bus->protocol);
    for (uint32_t s = 0; pins[s].names != NULL; s++) {
        duv_named word = {.text = ""}, named;
        if (!pins[s].is_pin)
            continue;
        (void)snprintf(word.text, sizeof word.text, "%.*s", (int)strcspn(pins[s].names, " "),
                       pins[s].names);
        name_signal(bus, s, &named);
        duv_print_accessor(t, word.text, bus->is_there[s] ? named.text : NULL);
    }
    base_text_add(t, "};\n");
}

void duv_chip_print_waves(const duv_verilog_file *f, base_text *t) {
    const duv_chip_file *chip = &f->chip;
    for (uint32_t s = 0; s < DUV_TAP_SIGNALS; s++) {
        const bool is_commit = s >= DUV_TAP_COMMIT_VALID;
        const bool is_valid = s == DUV_TAP_RETIRE_VALID || s == DUV_TAP_COMMIT_VALID;
        const uint32_t elements = is_commit ? 1 : chip->taps; /* of a hart */
        if (is_commit ? chip->has_commits : chip->has_tap)
            base_text_print(t, "    \"port %s %u\\n\"\n", chip->tap[s].text,
                            elements * (is_valid ? 1 : chip->tap_bits[s]));
    }
    for (uint32_t b = 0; b < chip->bus_count; b++) {
        const duv_chip_bus *bus = &chip->buses[b];
        const duv_bus_signal *pins = duv_bus_signals(bus->protocol);
        for (uint32_t s = 0; pins[s].names != NULL; s++) {
            duv_named named;
            name_signal(bus, s, &named);
            if (pins[s].is_pin && bus->is_there[s])
                base_text_print(t, "    \"bus%u %s %u\\n\"\n", b, named.text, bus->pin_bits[s]);
        }
    }
}

void duv_chip_wrap_buses(const duv_verilog_file *f, base_text *t) {
    const duv_chip_file *chip = &f->chip;
    base_text_print(t,
                    "col_chip_settings design::chip = {\"\", %llu, col_chip_log(%llu), %d, %d, %d, "
                    "1, %u, 0};\n",
                    (unsigned long long)chip->harts, (unsigned long long)chip->log,
                    chip->has_commits, chip->takes_atomics, chip->is_current, chip->skew);
    for (uint32_t b = 0; b < chip->bus_count; b++)
        wrap_bus(&chip->buses[b], b, chip->stalls, t);
    base_text_add(t, "}\nCOLLIDER_CHIP(design");
    for (uint32_t b = 0; b < chip->bus_count; b++)
        base_text_print(t, ", collider::%s<bus%u>", duv_chip_buses[chip->buses[b].protocol], b);
    base_text_add(t, ")\n");
}
