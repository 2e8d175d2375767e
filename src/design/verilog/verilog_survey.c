/* SPDX-License-Identifier: MIT */
/* Looking at an elaborated design: see verilog_survey.h. */
#include "design/verilog/verilog_survey.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool duv_has_word(const char *name, const char *words) {
    for (size_t length; *words != '\0'; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        for (const char *at = name; *at != '\0'; at++)
            if (strncasecmp(at, words, length) == 0)
                return true;
    }
    return false;
}

static bool ends_with(const char *name, const char *ends) {
    for (size_t length; *ends != '\0'; ends += length + (ends[length] == ' ')) {
        length = strcspn(ends, " ");
        if (strlen(name) >= length && strncasecmp(name + strlen(name) - length, ends, length) == 0)
            return true;
    }
    return false;
}

/* ---- Clock and reset: the inputs that most blocks wait for and test. */

static void take_clock(duv_survey *s, const char *name, const duv_net_use *use) {
    const uint32_t uses = use->rising + use->falling;
    const bool is_reset = duv_has_word(name, "rst reset");
    if (uses == 0 || is_reset)
        return;
    base_list_add(&s->clocks, name);
    if (uses <= s->clock_uses)
        return;
    s->clock_uses = uses;
    (void)snprintf(s->clock, sizeof s->clock, "%s", name);
}

static void take_reset(duv_survey *s, const char *name, const duv_net_use *use) {
    const uint32_t uses = use->tested + use->tested_inverted + use->rising + use->falling;
    const bool is_named = duv_has_word(name, "rst reset"),
               is_known = duv_has_word(s->reset, "rst reset");
    const bool is_used = use->rising + use->falling > 0 && use->tested + use->tested_inverted > 0;
    if ((!is_named && (is_known || !is_used)) || (is_named == is_known && uses <= s->reset_uses))
        return;
    s->reset_uses = uses;
    s->reset_is_low = use->rising + use->falling != 0 ? use->falling > use->rising
                      : ends_with(name, "_n _ni n_i _b resetn rstn _nreset _nrst nreset nrst _l")
                          ? true
                          : use->tested_inverted > use->tested;
    (void)snprintf(s->reset, sizeof s->reset, "%s", name);
}

static col_status find_clock(duv_survey *s, col_problem *problem) {
    for (int is_reset = 0; is_reset < 2; is_reset++)
        for (uint32_t i = 0; i < s->signals->count; i++) {
            char name[DUV_NAME];
            duv_net net = {0};
            duv_signal_name(&s->signals->all[i], name);
            if (!s->signals->all[i].is_input || s->signals->all[i].bits != 1 ||
                (is_reset && strcmp(name, s->clock) == 0))
                continue;
            const col_status status = duv_net_follow(&net, &s->wiring, name, problem);
            const duv_net_use use = duv_net_count(&net, &s->wiring);
            duv_net_free(&net);
            if (status != COL_OK)
                return status;
            if (is_reset)
                take_reset(s, name, &use);
            else
                take_clock(s, name, &use);
        }
    return COL_OK;
}

/* ---- Buses. */

/* How many signals of the bus there are with the prefix; 0: a needed one is not there. */
static uint32_t count_signals(const duv_survey *s, duv_bus bus, bool is_memory_side,
                              const char *prefix, duv_seen_bus *seen) {
    uint32_t count = 0;
    for (const duv_bus_signal *b = duv_bus_signals(bus); b->names != NULL; b++) {
        const bool is_needed = is_memory_side ? b->is_needed : b->is_needed_pin;
        const duv_signal *signal =
            duv_bus_find(s->signals, prefix, b, b->to_memory == is_memory_side);
        if (signal == NULL && is_needed)
            return 0;
        if (signal == NULL)
            continue;
        count++;
        if (b == duv_bus_signals(bus))
            seen->ports = signal->elements != 0 ? signal->elements : signal->bits;
        const uint32_t bits = signal->elements != 0 ? signal->element_bits : signal->bits;
        if (b->breadth == DUV_BUS_DATA)
            seen->data_bits = bits / (signal->elements == 0 && seen->ports > 0 ? seen->ports : 1);
        if (b->breadth == DUV_BUS_ADDRESS)
            seen->address_bits =
                bits / (signal->elements == 0 && seen->ports > 0 ? seen->ports : 1);
    }
    return count;
}

/* A prefix with another number than one that is known: that one stands for all of them. */
static bool joins(duv_seen_bus *known, const duv_seen_bus *b, const char *prefix) {
    const size_t before = strcspn(known->prefix, "#0123456789"),
                 digits = strspn(known->prefix + before, "#0123456789");
    if (known->bus != b->bus || known->is_memory_side != b->is_memory_side || digits == 0 ||
        digits > 2 || known->is_packed || b->is_packed ||
        strncmp(known->prefix, prefix, before) != 0 ||
        strspn(prefix + before, "0123456789") != digits ||
        strcmp(known->prefix + before + digits, prefix + before + digits) != 0)
        return false;
    memset(known->prefix + before, '#', digits);
    known->ports++;
    return true;
}

static void add_bus(duv_survey *s, duv_bus bus, bool is_memory_side, const char *prefix) {
    duv_seen_bus b = {.bus = bus, .is_memory_side = is_memory_side};
    b.signals = count_signals(s, bus, is_memory_side, prefix, &b);
    if (b.signals == 0 || s->bus_count == DUV_MOST_SEEN || strlen(prefix) >= sizeof b.prefix)
        return;
    b.is_packed = b.ports > 1;
    for (uint32_t i = 0; i < s->bus_count; i++)
        if ((s->buses[i].is_memory_side == is_memory_side &&
             strcmp(s->buses[i].prefix, prefix) == 0) ||
            (is_memory_side && joins(&s->buses[i], &b, prefix)))
            return;
    (void)snprintf(b.prefix, sizeof b.prefix, "%.95s", prefix);
    s->buses[s->bus_count++] = b;
}

/* By the first signal that a bus needs. */
static void find_buses(duv_survey *s, duv_bus bus, bool is_memory_side) {
    const duv_bus_signal *anchor = duv_bus_signals(bus);
    while (anchor->names != NULL && !(is_memory_side ? anchor->is_needed : anchor->is_needed_pin))
        anchor++;
    for (uint32_t i = 0; i < s->signals->count && anchor->names != NULL; i++) {
        char name[DUV_NAME], prefix[DUV_NAME];
        const bool is_input = s->signals->all[i].is_input;
        duv_signal_name(&s->signals->all[i], name);
        const bool is_marked = strncasecmp(name, is_input ? "i_" : "o_", 2) == 0;
        const char *const from = name + (is_marked ? 2 : 0);
        if (is_input != (anchor->to_memory == is_memory_side))
            continue;
        for (size_t length = strlen(from) + 1; length-- > 0;) {
            (void)snprintf(prefix, sizeof prefix, "%.*s", (int)length, from);
            if (!duv_bus_names(name, is_input, prefix, anchor))
                continue;
            add_bus(s, bus, is_memory_side, prefix);
            break;
        }
    }
}

/* Collider's own request ports. */
static bool has_ports(const duv_survey *s) {
    for (uint32_t i = 0; i < DUV_INVALIDATE_VALID; i++) {
        const duv_signal *signal = duv_signals_find(s->signals, duv_port_signals[i].word);
        if (signal == NULL || signal->is_input != duv_port_signals[i].is_input)
            return false;
    }
    return true;
}

const duv_seen_bus *duv_survey_bus_of(const duv_survey *s, const duv_signal *signal) {
    char name[DUV_NAME], prefix[DUV_NAME];
    duv_signal_name(signal, name);
    for (uint32_t i = 0; i < s->bus_count; i++)
        for (const duv_bus_signal *b = duv_bus_signals(s->buses[i].bus); b->names != NULL; b++) {
            const char *pattern = s->buses[i].prefix;
            const size_t before = strcspn(pattern, "#"), digits = strspn(pattern + before, "#");
            (void)snprintf(prefix, sizeof prefix, "%.*s%.*s%s", (int)before, pattern, (int)digits,
                           strncasecmp(name, pattern, before) == 0 && strlen(name) > before
                               ? name + before
                               : "",
                           pattern + before + digits);
            if ((b->to_memory == s->buses[i].is_memory_side) == signal->is_input &&
                duv_bus_names(name, signal->is_input, prefix, b))
                return &s->buses[i];
        }
    return NULL;
}

/* ---- The whole. */

uint32_t duv_survey_instances(const duv_survey *s, const char *module) {
    uint32_t count = 0;
    for (const xml_node *n = s->root; n != NULL && !xml_is(n, "netlist");
         n = xml_follow(n, s->root)) {
        if (!xml_is(n, "cell"))
            continue;
        const xml_slice own = xml_value(n, "submodname");
        const size_t length = strlen(module);
        count += own.length >= length && memcmp(own.text, module, length) == 0 &&
                 (own.length == length || strncmp(own.text + length, "__", 2) == 0);
    }
    return count;
}

col_status duv_survey_take(duv_survey *s, col_problem *problem) {
    duv_net reset = {0};
    s->signals = calloc(1, sizeof *s->signals);
    if (s->signals == NULL)
        return base_out_of_memory(problem);
    BASE_TRY(xml_read(&s->nodes, s->xml.data, &s->root, problem));
    BASE_TRY(duv_wiring_find(&s->wiring, s->root, problem));
    s->top = s->wiring.top;
    if (s->top == NULL)
        return base_fail(problem, "the XML that Verilator made has no top module");
    duv_signals_describe(s->signals, s->root, s->top);
    for (const xml_node *n = s->root; n != NULL && !s->has_covers; n = xml_follow(n, s->root))
        s->has_covers = xml_is(n, "coverdecl");
    BASE_TRY(find_clock(s, problem));
    s->has_ports = has_ports(s);
    for (duv_bus bus = 0; bus < DUV_BUSES; bus++)
        for (int is_memory_side = 0; is_memory_side < (bus == DUV_NATIVE ? 1 : 2); is_memory_side++)
            find_buses(s, bus, is_memory_side != 0);
    col_status status = duv_net_follow(&reset, &s->wiring, s->reset, problem);
    BASE_THEN(status, duv_machines_find(&s->machines, s->root, &reset, s->reset_is_low, problem));
    duv_net_free(&reset);
    return status;
}

col_status duv_survey_read(duv_survey *s, duv_verilog_file *file, col_problem *problem) {
    BASE_TRY(duv_verilog_describe(file, &s->xml, problem));
    return duv_survey_take(s, problem);
}

void duv_survey_free(duv_survey *s) {
    base_text_free(&s->xml);
    base_arena_free(&s->nodes);
    free(s->signals);
    duv_wiring_free(&s->wiring);
    duv_machines_free(&s->machines);
}
