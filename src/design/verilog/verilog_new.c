/* SPDX-License-Identifier: MIT */
/*
 * Writing a design file from what an elaborated design is like: see design_kind.h. What the RTL
 * says is written as it is; what it does not say is a comment that tells where to look.
 */
#include "design/verilog/verilog_new.h"

#include "base/number.h"
#include "design/verilog/verilog_survey.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LISTED = 12 };

typedef struct writing {
    const duv_new_request *asked;
    duv_verilog_file *file;
    duv_survey s;
    base_text *t;
    const duv_seen_bus *ports; /* the design takes requests there; NULL: nowhere */
    uint32_t pins;             /* buses at which it makes them */
    uint32_t units;            /* ports or harts; 0: not known */
} writing;

/* ---- The beginning, which says what to elaborate. */

/* In quotes, unless it is a plain word. */
static void add_scalar(base_text *t, const char *text, size_t length) {
    const size_t plain = strspn(text, DUV_LETTERS "./+=-");
    if (plain >= length && length > 0 && strchr("=-", text[0]) == NULL) {
        base_text_add_bytes(t, text, length);
        return;
    }
    base_text_add(t, "'");
    for (size_t i = 0; i < length; i++)
        base_text_print(t, text[i] == '\'' ? "''" : "%c", text[i]);
    base_text_add(t, "'");
}

/* As it is from the design file's folder. */
static col_status add_path(base_text *t, const char *out, const char *path, size_t length,
                           col_problem *problem) {
    const char *slash = strrchr(out, '/');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - out);
    char given[PATH_MAX], whole[PATH_MAX], absolute[2 * PATH_MAX];
    (void)snprintf(given, sizeof given, "%.*s", (int)length, path);
    if (given[0] == '/' || folder == 0) {
        add_scalar(t, given, strlen(given));
    } else if (strncmp(given, out, folder) == 0) {
        add_scalar(t, given + folder, strlen(given) - folder);
    } else {
        if (realpath(".", whole) == NULL)
            return base_fail(problem, "the current folder cannot be found");
        (void)snprintf(absolute, sizeof absolute, "%s/%s", whole, given);
        add_scalar(t, absolute, strlen(absolute));
    }
    return COL_OK;
}

static col_status add_pair(void *context, const char *key, const char *value,
                           col_problem *problem) {
    base_text *t = context;
    (void)problem;
    base_text_print(t, "%s%s: ", t->data[t->length - 1] == '{' ? "" : ", ", key);
    add_scalar(t, value, strlen(value));
    return COL_OK;
}

static col_status add_map(base_text *t, const char *key, const char *pairs, const char *what,
                          col_problem *problem) {
    if (pairs == NULL)
        return COL_OK;
    base_text_print(t, "%s: {", key);
    const col_status status = base_pairs_read(pairs, what, add_pair, t, problem);
    base_text_add(t, "}\n");
    return status;
}

static col_status add_beginning(base_text *t, const duv_new_request *asked, col_problem *problem) {
    base_text_add(t, "kind: verilog\nsources:\n");
    for (uint32_t i = 0; i < asked->count; i++) {
        base_text_add(t, "  - ");
        BASE_TRY(add_path(t, asked->path, asked->sources[i], strlen(asked->sources[i]), problem));
        base_text_add(t, "\n");
    }
    if (asked->includes != NULL) {
        const char *rest = asked->includes;
        base_text_add(t, "include: [");
        for (size_t length; *rest != '\0'; rest += length + (rest[length] == ',')) {
            length = strcspn(rest, ",");
            base_text_add(t, rest == asked->includes ? "" : ", ");
            BASE_TRY(add_path(t, asked->path, rest, length, problem));
        }
        base_text_add(t, "]\n");
    }
    BASE_TRY(add_map(t, "defines", asked->defines, "a definition", problem));
    base_text_add(t, "top: ");
    add_scalar(t, asked->top, strlen(asked->top));
    base_text_add(t, "\n");
    return add_map(t, "parameters", asked->parameters, "a parameter", problem);
}

/* The design file up to here is read as any other, with signals that nobody looks at. */
static col_status elaborate(writing *w, col_problem *problem) {
    base_text whole = {0};
    base_text_print(&whole, "%sclock: c\nreset: r\nports: {}\n", w->t->data);
    col_status status = base_text_status(&whole, problem);
    BASE_THEN(status,
              duv_verilog_file_parse(w->file, whole.data, whole.length, w->asked->path, problem));
    BASE_THEN(status, duv_survey_read(&w->s, w->file, problem));
    base_text_free(&whole);
    if (status == COL_BAD_INPUT && strcmp(problem->file, w->asked->path) == 0) {
        problem->file[0] = '\0'; /* there is no such file yet */
        problem->line = problem->column = 0;
    }
    return status;
}

/* ---- Facts. */

/* "BOOT = 0x80000000 (core.sv:12)" */
static void add_variable(const writing *w, const xml_node *n, const char *name, base_text *t) {
    char path[PATH_MAX] = "";
    xml_place place;
    uint64_t number = 0;
    base_text_add(t, name);
    if (n->child != NULL && xml_number(n->child, &number))
        base_text_print(t, " = 0x%llx", (unsigned long long)number);
    if (xml_place_of(n, &place))
        xml_path(w->s.root, place.file, path, sizeof path);
    const char *slash = strrchr(path, '/');
    base_text_print(t, " (%s:%u)", slash == NULL ? path : slash + 1, place.line);
}

/* Where the source has variables and parameters whose names have one of the words. */
static void add_named(const writing *w, const char *words, base_text *t) {
    enum { MOST_NAMED = 4 };
    char seen[MOST_NAMED][DUV_NAME];
    uint32_t count = 0;
    for (const xml_node *n = w->s.root; n != NULL && count < MOST_NAMED;
         n = xml_follow(n, w->s.root)) {
        char *name = seen[count];
        bool is_new =
            xml_is(n, "var") && xml_get(n, "origName", name, DUV_NAME) && duv_has_word(name, words);
        for (uint32_t i = 0; i < count; i++)
            is_new = is_new && strcmp(seen[i], name) != 0;
        if (!is_new)
            continue;
        base_text_add(t, count++ == 0 ? "; look at " : ", ");
        add_variable(w, n, name, t);
    }
}

static const xml_node *find_named_module(const writing *w, const char *words) {
    for (const xml_node *n = w->s.root; n != NULL; n = xml_follow(n, w->s.root)) {
        char name[DUV_NAME];
        if (xml_is(n, "module") && xml_get(n, "origName", name, sizeof name) &&
            duv_has_word(name, words))
            return n;
    }
    return NULL;
}

static bool has_variable(const writing *w, const char *words) {
    for (const xml_node *n = w->s.root; n != NULL; n = xml_follow(n, w->s.root)) {
        char name[DUV_NAME];
        if (xml_is(n, "var") && xml_get(n, "origName", name, sizeof name) &&
            duv_has_word(name, words))
            return true;
    }
    return false;
}

static uint64_t find_parameter(const writing *w, const char *words, uint64_t otherwise) {
    for (const xml_node *n = w->s.top->child; n != NULL; n = n->next) {
        char name[DUV_NAME];
        uint64_t value = 0;
        if (xml_is(n, "var") && xml_says(n, "param", "true") &&
            xml_get(n, "origName", name, sizeof name) && duv_has_word(name, words) &&
            n->child != NULL && xml_number(n->child, &value) && value > 0 && value <= 4096)
            return value;
    }
    return otherwise;
}

/* Modules named as processors are, up to the number of a copy: how often the most frequent is. */
static uint32_t count_harts(const writing *w, char of[DUV_NAME]) {
    uint32_t most = 0;
    for (const xml_node *m = w->s.root; m != NULL; m = xml_follow(m, w->s.root)) {
        char name[DUV_NAME], other[DUV_NAME];
        uint32_t count = 0;
        if (!xml_is(m, "module") || !xml_get(m, "origName", name, sizeof name) ||
            !duv_has_word(name, "riscv rv32 rv64 core hart cpu"))
            continue;
        const size_t length = strlen(name);
        for (const xml_node *n = w->s.root; n != NULL && !xml_is(n, "netlist");
             n = xml_follow(n, w->s.root)) {
            if (!xml_is(n, "cell") || !xml_get(n, "submodname", other, sizeof other) ||
                strncmp(other, name, length) != 0)
                continue;
            const char *rest = other + length;
            rest += rest[0] == '_' && rest[1] != '_' ? 1 + strspn(rest + 1, "0123456789") : 0;
            count += *rest == '\0' || strncmp(rest, "__", 2) == 0;
        }
        if (count > most) {
            most = count;
            memcpy(of, name, sizeof name);
        }
    }
    return most;
}

static const char *name_bus(const duv_seen_bus *b) {
    return b->is_memory_side ? duv_port_buses[b->bus] : duv_chip_buses[b->bus];
}

/* ---- Parts of the file. */

static void write_parameters(const writing *w) {
    uint32_t count = 0;
    for (const xml_node *n = w->s.top->child; n != NULL && count < MOST_LISTED; n = n->next) {
        char name[DUV_NAME];
        uint64_t value = 0;
        if (!xml_is(n, "var") || !xml_says(n, "param", "true") || n->child == NULL ||
            !xml_get(n, "origName", name, sizeof name) || !xml_number(n->child, &value))
            continue;
        base_text_print(w->t, "%s%s: %llu",
                        count++ == 0 ? "# Small caches show most errors:\n# parameters: {" : ", ",
                        name, (unsigned long long)value);
    }
    if (count > 0)
        base_text_add(w->t, "}\n");
}

/* Which of how many. */
static void write_uses(const writing *w, uint32_t uses) {
    if (uses == 0)
        base_text_add(w->t, " # by its name\n");
    else
        base_text_print(w->t, " # of %u block%s\n", uses, base_plural(uses));
}

static void write_clock(const writing *w) {
    const duv_survey *s = &w->s;
    if (s->clock[0] != '\0') {
        base_text_print(w->t, "clock: %s", s->clock);
        write_uses(w, s->clock_uses);
    } else {
        base_text_add(w->t, "# clock: # no input is a clock: which one is it?\n");
    }
    if (strchr(s->clocks.text, ',') != NULL)
        base_text_print(w->t,
                        "# Clocks: %s; the others stand still, unless a wrapper module drives "
                        "them.\n",
                        s->clocks.text);
    if (s->reset[0] != '\0') {
        base_text_print(w->t, s->reset_is_low ? "reset: {signal: %s, active: low}" : "reset: %s",
                        s->reset);
        write_uses(w, s->reset_uses);
    } else {
        base_text_add(w->t, "# reset: # no input is a reset: which one is it?\n");
    }
}

/* "{protocol: wishbone, prefix: wb_, addresses: words}" */
static void write_bus(const writing *w, const duv_seen_bus *b) {
    uint32_t lanes = 0;
    while (b->data_bits >> lanes > 8)
        lanes++;
    base_text_print(w->t, b->is_memory_side ? "{bus: %s" : "{protocol: %s", name_bus(b));
    if (b->prefix[0] != '\0')
        base_text_print(w->t, ", prefix: %s%s%s", strchr(b->prefix, '#') != NULL ? "'" : "",
                        b->prefix, strchr(b->prefix, '#') != NULL ? "'" : "");
    if (b->bus == DUV_WISHBONE && lanes > 0 && b->address_bits + lanes == 32)
        base_text_add(w->t, ", addresses: words");
}

static void write_others(const writing *w) {
    for (uint32_t i = 0; i < w->s.bus_count; i++) {
        const duv_seen_bus *b = &w->s.buses[i];
        const bool is_used = b == w->ports || (w->ports == NULL && !b->is_memory_side);
        if (is_used)
            continue;
        base_text_add(w->t, "# also there: ");
        write_bus(w, b);
        base_text_print(w->t, "}%s\n",
                        b->is_memory_side || w->ports == NULL
                            ? ", where the design takes requests; its inputs are 0"
                            : ", where the design makes requests: a wrapper module puts a memory "
                              "behind it");
    }
}

/* In KiB: 64, or what addresses reach if that is less. */
static unsigned count_memory(const writing *w) {
    const duv_signal *address = duv_signals_find(w->s.signals, "request_address");
    uint32_t bits = w->ports != NULL                  ? w->ports->address_bits
                    : address != NULL && w->units > 0 ? address->bits / w->units
                                                      : 0;
    return bits < 10 || bits >= 16 ? 64 : 1U << (bits - 10);
}

static void write_ports(writing *w) {
    const bool has_buffer = find_named_module(w, "store_buf storebuf write_buf writebuf") != NULL;
    const bool has_flush = has_variable(w, "flush");
    if (w->ports != NULL) {
        base_text_add(w->t, "ports: ");
        write_bus(w, w->ports);
        base_text_print(w->t,
                        ", core: weak} # %u port%s of %u bits; what a core may reorder: "
                        "docs/rtl.md\n",
                        w->ports->ports, base_plural(w->ports->ports), w->ports->data_bits);
        w->units = w->ports->ports;
    } else {
        const duv_signal *valid = duv_signals_find(w->s.signals, "request_valid");
        w->units = valid == NULL ? 0 : valid->bits;
        base_text_print(w->t, "ports: {core: %s%s%s} # %u port%s%s\n", has_buffer ? "tso" : "sc",
                        has_buffer ? ", fences: true" : "", has_flush ? ", flushes: true" : "",
                        w->units, base_plural(w->units),
                        has_buffer ? "; tso since there is a store buffer" : "");
        if (duv_signals_find(w->s.signals, "commit_valid") != NULL)
            base_text_add(w->t, "# current: true in ports says that no port returns an old value "
                                "once a write has committed\n");
    }
    write_others(w);
    base_text_print(w->t,
                    "memory: %uKi # bytes that tests may use: what the RTL has behind its "
                    "addresses\nblock: %llu # bytes of a cache block\n"
                    "caches: {L1: {sets: %llu, ways: %llu}} # what locations compete for: as the "
                    "design has them\n",
                    count_memory(w),
                    (unsigned long long)find_parameter(w, "block_bytes line_bytes", 64),
                    (unsigned long long)find_parameter(w, "sets", 4),
                    (unsigned long long)find_parameter(w, "ways assoc", 2));
    base_text_add(w->t, "# model: tso # what it promises [what the core keeps]\n");
}

static void write_tap(const writing *w) {
    static const char *const ours[] = {"retire_valid", "retire_pc",    "retire_register",
                                       "retire_value", "commit_valid", "commit_pc",
                                       "commit_old"};
    bool has_tap = true, has_commits = true;
    for (int i = 0; i < 7; i++) {
        bool *has = i < 4 ? &has_tap : &has_commits;
        *has = *has && duv_signals_find(w->s.signals, ours[i]) != NULL;
    }
    if (duv_signals_find(w->s.signals, "rvfi_valid") != NULL)
        base_text_add(w->t, "tap: rvfi # what each hart retires\n");
    else if (has_tap)
        base_text_add(w->t, "tap: {valid: retire_valid, pc: retire_pc, register: retire_register, "
                            "value: retire_value}\n");
    else
        base_text_add(w->t, "# tap: rvfi # signals that say what each hart retires; without them "
                            "values come from a log\n");
    if (has_tap && has_commits)
        base_text_add(w->t, "commits: {valid: commit_valid, pc: commit_pc, old: commit_old}\n");
}

/* A line of the platform that is to be filled in, and where to look. */
static void write_question(const writing *w, const char *line, const char *where,
                           const char *words) {
    base_text_print(w->t, "#   %s\n#     # %s", line, where);
    if (words != NULL)
        add_named(w, words, w->t);
    base_text_add(w->t, "\n");
}

static void write_platform(const writing *w) {
    char line[128], of[DUV_NAME] = "";
    const uint32_t harts = w->units != 0 ? w->units : count_harts(w, of);
    base_text_add(w->t,
                  "# The machine that images boot on: a preset, a file, or these lines, filled "
                  "in and without their first #.\n# platform:\n");
    write_question(w, "isa: rv32", "rv32, rv64 or aarch64: the width of registers", "xlen");
    write_question(w, "ram: {base: 0x80000000, size: 1Mi}",
                   "it begins where harts start after reset, in what the chip caches, behind a bus "
                   "above",
                   "reset_v resetv boot start_addr progaddr_reset reset_pc reset_addr");
    (void)snprintf(line, sizeof line, "harts: %u", harts == 0 ? 1 : harts);
    char why[160];
    (void)snprintf(why, sizeof why, of[0] == '\0' ? "how many there are" : "instances of %.100s",
                   of);
    write_question(w, line, why, "hart_id hartid num_core nb_core num_hart");
    write_question(w, "barrier: {kind: device, arrive: 0xf0001000, go: 0xf0001004}",
                   "two words of ours that the chip does not cache",
                   "uncache noncache cacheable "
                   "iorange ioaccess idempotent");
    write_question(w, "exit: {kind: write, address: 0xf0001008, pass: 1, fail: 2}",
                   "another word there", NULL);
    write_question(w, "uncached: {base: 0x90000000, size: 1Mi}",
                   "memory that no cache keeps, behind a bus above", NULL);
    write_question(w, "log: uncached", "results go there; cached if caches write through", NULL);
    (void)snprintf(line, sizeof line, "caches: {block: 64, levels: \"L1=64x%llu\"}",
                   (unsigned long long)find_parameter(w, "ways assoc", 2));
    write_question(w, line, "bytes of a block; sets x ways of the data caches",
                   "cacheline line_size dcache_sets dcache_ways linesize");
}

static void write_chip(writing *w) {
    const duv_signal *rvfi = duv_signals_find(w->s.signals, "rvfi_valid");
    const duv_signal *valid = rvfi != NULL ? rvfi : duv_signals_find(w->s.signals, "retire_valid");
    w->units = valid == NULL ? 0 : valid->bits;
    base_text_add(w->t, w->pins > 1 ? "bus:\n" : "bus: ");
    for (uint32_t i = 0; i < w->s.bus_count; i++) {
        const duv_seen_bus *b = &w->s.buses[i];
        if (b->is_memory_side)
            continue;
        base_text_add(w->t, w->pins > 1 ? "  - " : "");
        write_bus(w, b);
        base_text_print(w->t, "} # %u of its signals, %u bits of data\n", b->signals, b->data_bits);
    }
    write_others(w);
    write_tap(w);
    write_platform(w);
}

static void write_unknown(const writing *w) {
    base_text_add(w->t, "# ports: # or bus: no bus was recognised. Signals with other names: "
                        "signals: {...} (docs/rtl-buses.md, docs/rtl-chips.md)\n");
    write_others(w);
}

/* Inputs that are neither of a bus nor of a port. */
static bool is_free(const writing *w, const duv_signal *signal, char name[DUV_NAME]) {
    duv_signal_name(signal, name);
    if (!signal->is_input || strcmp(name, w->s.clock) == 0 || strcmp(name, w->s.reset) == 0)
        return false;
    for (uint32_t i = 0; i < DUV_PORT_SIGNALS && w->s.has_ports; i++)
        if (strcmp(duv_port_signals[i].word, name) == 0)
            return false;
    return signal->bits > 0 && signal->bits <= 64 && duv_survey_bus_of(&w->s, signal) == NULL;
}

static void write_inputs(const writing *w) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->s.signals->count && count < DUV_MOST_INPUTS; i++) {
        const duv_signal *signal = &w->s.signals->all[i];
        char name[DUV_NAME];
        if (!is_free(w, signal, name))
            continue;
        const bool delays = duv_has_word(name, "stall busy wait delay");
        base_text_add(
            w->t, count++ == 0 ? "inputs: # numbers, or anew in each cycle: random 0:1 20%\n" : "");
        base_text_print(w->t, "  %s: ", name);
        if (delays && signal->bits < 32)
            base_text_print(w->t, "random 0:%u 20%%", (1U << signal->bits) - 1);
        else
            base_text_add(w->t, "0");
        base_text_print(w->t, " # %u bit%s\n", signal->bits, base_plural(signal->bits));
    }
}

/* ---- State registers. */

static void write_states(const writing *w, const duv_state_signal *m) {
    if (m->type.text[0] != '\0') {
        base_text_print(w->t, ", states: '%s'", m->type.text);
        return;
    }
    base_text_add(w->t, ", states: {");
    for (uint32_t i = 0; i < m->state_count; i++)
        base_text_print(w->t, "%s%s: %llu", i == 0 ? "" : ", ", m->states[i].name,
                        (unsigned long long)m->states[i].value);
    base_text_add(w->t, "}");
}

static void write_transitions(const writing *w, const duv_state_signal *m, const char *before) {
    uint32_t count = 0;
    base_text_print(w->t, ",\n%s   transitions: {", before);
    for (uint32_t i = 0; i < m->state_count; i++) {
        uint32_t own = 0;
        for (uint32_t j = 0; j < m->state_count; j++)
            if ((m->states[i].next >> j & 1) != 0)
                own++;
        if (own == 0)
            continue;
        base_text_print(w->t, "%s%s: %s", count == 0 ? "" : ", ", m->states[i].name,
                        own == 1 ? "" : "[");
        count += own;
        for (uint32_t j = 0, done = 0; j < m->state_count; j++)
            if ((m->states[i].next >> j & 1) != 0)
                base_text_print(w->t, "%s%s", done++ == 0 ? "" : ", ", m->states[j].name);
        base_text_add(w->t, own == 1 ? "" : "]");
    }
    base_text_add(w->t, "}");
}

static void write_machine(const writing *w, const duv_state_signal *m, bool is_used) {
    const char *before = is_used ? "  " : "#  ";
    base_text_print(w->t, "%s- {module: %s, signal: %s", before, m->module.text, m->signal.text);
    write_states(w, m);
    if (m->lists_transitions)
        write_transitions(w, m, before);
    base_text_add(w->t, m->lists_transitions ? "}\n" : "} # all changes: the source shows none\n");
}

static void write_machines(const writing *w) {
    const duv_machines *machines = &w->s.machines;
    if (machines->count == 0 && !w->s.has_covers)
        base_text_add(w->t, "# Neither cover points nor state registers were found. What counts as "
                            "covered instead:\n# coverage: {lines: '*'}\n");
    if (machines->count > 0)
        base_text_add(w->t, "# State registers, and the changes that the source can make.\nfsm:\n");
    for (uint32_t i = 0; i < machines->count; i++) {
        if (i == DUV_MOST_MACHINES)
            base_text_print(w->t, "# %u more; a design file has at most %d:\n", machines->count - i,
                            DUV_MOST_MACHINES);
        write_machine(w, &machines->found[i], i < DUV_MOST_MACHINES);
    }
}

/* Is there one for each port or hart, in the top module or in another such module? */
static bool is_private(const writing *w, const char *module) {
    if (duv_survey_instances(&w->s, module) != w->units)
        return false;
    for (const xml_node *n = w->s.root; n != NULL && !xml_is(n, "netlist");
         n = xml_follow(n, w->s.root)) {
        char own[DUV_NAME], around[DUV_NAME];
        const size_t length = strlen(module);
        if (!xml_is(n, "cell") || !xml_get(n, "submodname", own, sizeof own) ||
            strncmp(own, module, length) != 0 ||
            (own[length] != '\0' && strncmp(own + length, "__", 2) != 0))
            continue;
        if (n->parent == NULL || !xml_get(n->parent, "submodname", around, sizeof around))
            return false;
        char *parameters = strstr(around, "__");
        if (parameters != NULL)
            *parameters = '\0';
        return strcmp(around, w->asked->top) == 0 || is_private(w, around);
    }
    return false;
}

static void write_private(const writing *w) {
    uint32_t count = 0;
    for (const xml_node *n = w->s.root; n != NULL && w->units > 1; n = xml_follow(n, w->s.root)) {
        char name[DUV_NAME];
        bool has_points = false;
        if (!xml_is(n, "module") || !xml_get(n, "origName", name, sizeof name))
            continue;
        for (uint32_t i = 0; i < w->s.machines.count && i < DUV_MOST_MACHINES; i++)
            has_points = has_points || strcmp(w->s.machines.found[i].module.text, name) == 0;
        for (const xml_node *c = n; c != NULL && !has_points; c = xml_follow(c, n))
            has_points = xml_is(c, "coverdecl");
        if (has_points && is_private(w, name))
            base_text_print(w->t, "%s%s", count++ == 0 ? "private: [" : ", ", name);
    }
    if (count > 0)
        base_text_add(w->t, "] # instance i belongs to port or hart i\n");
}

static void write_memories(const writing *w) {
    uint32_t count = 0;
    for (const xml_node *n = w->s.root; n != NULL && count < MOST_LISTED;
         n = xml_follow(n, w->s.root)) {
        char name[DUV_NAME], module[DUV_NAME];
        const xml_node *element = NULL, *inside = xml_around(n, XML_MODULES);
        if (!xml_is(n, "var") || inside == NULL || xml_value(n, "param").text != NULL)
            continue;
        const uint32_t elements = xml_elements(w->s.root, xml_type_of(w->s.root, n), &element);
        const uint32_t bits = elements < 8 ? 0 : xml_bits(w->s.root, element);
        if (bits < 8 || !xml_get(n, "origName", name, sizeof name) ||
            !xml_get(inside, "origName", module, sizeof module))
            continue;
        base_text_print(w->t, "%s%s.%s[%u] of %u bits", count++ == 0 ? "# memories: " : ", ",
                        module, name, elements, bits);
    }
    if (count > 0)
        base_text_add(w->t, "\n");
}

/* ---- The whole. */

/* A design with several ports on its memory side is an interconnect or a cache, whatever is behind
 * it; otherwise one that makes requests is a chip. */
static void choose(writing *w) {
    const duv_seen_bus *best = NULL;
    for (uint32_t i = 0; i < w->s.bus_count; i++) {
        const duv_seen_bus *b = &w->s.buses[i];
        w->pins += !b->is_memory_side;
        if (b->is_memory_side && (best == NULL || b->ports > best->ports))
            best = b;
    }
    if (w->s.has_ports)
        w->pins = 0;
    else if (best != NULL && (best->ports > 1 || w->pins == 0))
        w->ports = best;
}

static void write_rest(writing *w) {
    choose(w);
    if (w->asked->parameters == NULL)
        write_parameters(w);
    write_clock(w);
    if (w->s.has_ports || w->ports != NULL)
        write_ports(w);
    else if (w->pins > 0)
        write_chip(w);
    else
        write_unknown(w);
    write_inputs(w);
    write_machines(w);
    write_private(w);
    write_memories(w);
}

static col_status write_all(writing *w, col_problem *problem) {
    base_text_add(w->t, "# Made by collider design new from the elaborated design; docs/rtl.md has "
                        "all keys. Lines that are\n# commented out are yours to decide: collider "
                        "design check says what is missing.\n");
    BASE_TRY(add_beginning(w->t, w->asked, problem));
    BASE_TRY(base_text_status(w->t, problem));
    BASE_TRY(elaborate(w, problem));
    write_rest(w);
    return base_text_status(w->t, problem);
}

col_status duv_verilog_new(const duv_new_request *asked, base_text *text, col_problem *problem) {
    writing *w = NULL;
    BASE_TRY(base_new(&w, 1, sizeof *w, problem));
    w->asked = asked;
    w->t = text;
    col_status status = base_new(&w->file, 1, sizeof *w->file, problem);
    BASE_THEN(status, write_all(w, problem));
    duv_survey_free(&w->s);
    if (w->file != NULL)
        duv_verilog_file_free(w->file);
    free(w->file);
    free(w);
    return status;
}
