/* SPDX-License-Identifier: MIT */
/*
 * The top module of a design whose ports speak a bus: see verilog_file.h. First every signal of
 * the bus is found among those of the user's top module, and how wide it is; then the module is
 * written, with names that were checked.
 */
#include "base/memory.h"
#include "base/text.h"
#include "design/verilog/verilog_build.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PORTS = 64, BREADTHS = -DUV_BUS_ADDRESS, USUAL_TAG_BITS = 4, MOST_IDS = 256 };

/* A signal of the bus, where it is in the design. */
typedef struct binding {
    const duv_bus_signal *signal;
    char word[DUV_NAME];        /* the adapter's name */
    const duv_pattern *renamed; /* what the file calls it; NULL: as usual */
    const duv_signal
        *of[MOST_PORTS]; /* by port; of a packed one or an array only [0]. NULL: none */
    uint32_t bits;       /* of a port */
} binding;

typedef struct plan {
    duv_verilog_file *file;
    const duv_signals *signals;
    binding bindings[DUV_MOST_BUS_SIGNALS];
    uint32_t binding_count;
    uint32_t ports, first;
    bool is_numbered, is_array; /* else one packed signal has all ports */
    uint32_t widths[BREADTHS];  /* 0: not known yet */
    col_problem *problem;
} plan;

/* ---- Names. */

static void expand(const char *pattern, uint32_t port, char *text, size_t size) {
    const size_t before = strcspn(pattern, "#"), digits = strspn(pattern + before, "#");
    if (digits == 0)
        (void)snprintf(text, size, "%s", pattern);
    else
        (void)snprintf(text, size, "%.*s%0*u%s", (int)before, pattern, (int)digits, port,
                       pattern + before + digits);
}

static base_place place_of(const plan *p, const binding *b) {
    const duv_adapter *a = &p->file->adapter;
    const base_place place = b->renamed != NULL ? b->renamed->place : a->prefix.place;
    return place.line != 0 ? place : a->place;
}

/* The signal of a port; `expected` is what it is called first of all. */
static const duv_signal *find_signal(const plan *p, const binding *b, uint32_t port,
                                     char expected[DUV_NAME]) {
    const duv_bus_signal *s = b->signal;
    assert(s != NULL);
    if (b->renamed != NULL) {
        expand(b->renamed->text, port, expected, DUV_NAME);
        const duv_signal *found = duv_signals_find(p->signals, expected);
        return found != NULL && found->is_input == s->to_memory ? found : NULL;
    }
    char prefix[DUV_NAME];
    expand(p->file->adapter.prefix.text, port, prefix, sizeof prefix);
    (void)snprintf(expected, DUV_NAME, "%.*s%.*s", DUV_PATTERN, prefix, (int)strcspn(s->names, " "),
                   s->names);
    return duv_bus_find(p->signals, prefix, s, s->to_memory);
}

/* ---- How many ports. */

static col_status refuse_absent(const plan *p, const binding *b, const char *expected) {
    return duv_signals_refuse(p->file, p->signals, expected, b->signal->to_memory, place_of(p, b),
                              p->problem);
}

static col_status count_numbered(plan *p, const binding *b) {
    char name[DUV_NAME], first[DUV_NAME];
    p->first = find_signal(p, b, 0, first) != NULL ? 0 : 1;
    while (p->ports < MOST_PORTS && find_signal(p, b, p->first + p->ports, name) != NULL)
        p->ports++;
    return p->ports == 0 ? refuse_absent(p, b, first) : COL_OK;
}

static col_status count_ports(plan *p, const binding *b) {
    const duv_verilog_file *f = p->file;
    const duv_pattern *pattern = b->renamed != NULL ? b->renamed : &f->adapter.prefix;
    char name[DUV_NAME] = "";
    col_status status = COL_OK;
    p->is_numbered = strchr(pattern->text, '#') != NULL;
    if (p->is_numbered) {
        status = count_numbered(p, b);
    } else {
        const duv_signal *signal = find_signal(p, b, 0, name);
        if (signal == NULL)
            return refuse_absent(p, b, name);
        p->is_array = signal->elements != 0;
        p->ports = p->is_array ? signal->elements : signal->bits;
    }
    if (status == COL_OK && p->ports == 0)
        return refuse_absent(p, b, name);
    if (status != COL_OK || (p->ports <= MOST_PORTS && (f->count == 0 || f->count == p->ports)))
        return status;
    return DUV_REFUSE_AT(f, f->ports, p->problem,
                         f->count == 0 ? "the module %s has %u ports; there are at most 64"
                                       : "the module %s has %u ports; see count",
                         f->top.text, p->ports);
}

/* ---- How wide they are. */

static col_status refuse_width(const plan *p, const binding *b, const duv_signal *signal,
                               uint32_t bits, uint32_t wanted) {
    const base_place place = place_of(p, b);
    char name[DUV_NAME];
    duv_signal_name(signal, name);
    return DUV_REFUSE_AT(p->file, place, p->problem,
                         "the signal %s of %s has %u bit%s for a port, not %u", name,
                         p->file->top.text, bits, base_plural(bits), wanted);
}

static col_status refuse_shape(const plan *p, const binding *b, const duv_signal *signal) {
    const base_place place = place_of(p, b);
    char name[DUV_NAME];
    duv_signal_name(signal, name);
    return DUV_REFUSE_AT(p->file, place, p->problem,
                         p->is_numbered ? "the signal %s of %s is an array, but its name is that "
                                          "of a single port of %u"
                         : p->is_array  ? "the signal %s of %s is not an array of %u ports"
                                        : "the signal %s of %s is not divided evenly by %u ports",
                         name, p->file->top.text, p->ports);
}

/* Of one port. */
static col_status find_bits(const plan *p, const binding *b, const duv_signal *signal,
                            uint32_t *bits) {
    if (p->is_array ? signal->elements != p->ports : signal->bits == 0)
        return refuse_shape(p, b, signal);
    const uint32_t shared = p->is_array || p->is_numbered || p->ports == 0 ? 1 : p->ports;
    if (signal->bits % shared != 0)
        return refuse_shape(p, b, signal);
    *bits = p->is_array ? signal->element_bits : signal->bits / shared;
    return COL_OK;
}

/* More bits than the adapter looks at do no harm. */
static col_status check_width(plan *p, const binding *b, const duv_signal *signal, uint32_t bits) {
    const int breadth = b->signal->breadth == DUV_BUS_LOCK ? 1 : b->signal->breadth;
    if (breadth > 0)
        return bits == (uint32_t)breadth || (!b->signal->to_memory && bits > (uint32_t)breadth)
                   ? COL_OK
                   : refuse_width(p, b, signal, bits, (uint32_t)breadth);
    uint32_t *width = &p->widths[breadth - DUV_BUS_ADDRESS];
    if (breadth == DUV_BUS_STROBE)
        *width = p->widths[DUV_BUS_DATA - DUV_BUS_ADDRESS] / 8;
    if (*width == 0)
        *width = bits;
    return bits == *width ? COL_OK : refuse_width(p, b, signal, bits, *width);
}

static col_status bind_port(plan *p, binding *b, uint32_t port) {
    char expected[DUV_NAME];
    const duv_signal *signal = find_signal(p, b, p->first + port, expected);
    if (signal == NULL)
        return b->signal->is_needed || b->renamed != NULL || (port > 0 && b->of[0] != NULL)
                   ? refuse_absent(p, b, expected)
                   : COL_OK;
    const col_status status = find_bits(p, b, signal, &b->bits);
    b->of[port] = signal;
    return status == COL_OK ? check_width(p, b, signal, b->bits) : status;
}

static void name_signals(plan *p) {
    const duv_adapter *a = &p->file->adapter;
    for (const duv_bus_signal *s = duv_bus_signals(a->bus); s->names != NULL; s++) {
        binding *b = &p->bindings[p->binding_count++];
        b->signal = s;
        (void)snprintf(b->word, sizeof b->word, "%.*s", (int)strcspn(s->names, " "), s->names);
        for (uint32_t i = 0; i < a->renamed_count && b->renamed == NULL; i++)
            if (strcmp(a->renamed[i].signal.text, b->word) == 0)
                b->renamed = &a->renamed[i].name;
    }
}

static col_status bind_all(plan *p) {
    name_signals(p);
    col_status status = count_ports(p, p->bindings);
    for (uint32_t i = 0; i < p->binding_count && status == COL_OK; i++) {
        binding *b = &p->bindings[i];
        if (b->renamed != NULL && (strchr(b->renamed->text, '#') != NULL) != p->is_numbered)
            return DUV_REFUSE_AT(p->file, place_of(p, b), p->problem,
                                 "either all names have a # for the number of the port, or none");
        for (uint32_t port = 0; port < (p->is_numbered ? p->ports : 1) && status == COL_OK; port++)
            status = duv_note(p->file, p->problem, bind_port(p, b, port));
    }
    return status;
}

static const binding *find_binding(const plan *p, const char *word) {
    for (uint32_t i = 0; i < p->binding_count; i++)
        if (strcmp(p->bindings[i].word, word) == 0)
            return &p->bindings[i];
    return NULL;
}

static bool has_signal(const plan *p, const char *word) {
    const binding *b = find_binding(p, word);
    return b != NULL && b->of[0] != NULL;
}

/* ---- What the file leaves to them. */

static uint32_t width(const plan *p, duv_bus_breadth breadth) {
    return p->widths[breadth - DUV_BUS_ADDRESS];
}

static uint32_t address_bits(const plan *p) {
    uint32_t lanes = 0;
    for (uint32_t bytes = width(p, DUV_BUS_DATA) / 8; bytes > 1; bytes /= 2)
        lanes++;
    return width(p, DUV_BUS_ADDRESS) + (p->file->adapter.has_word_addresses ? lanes : 0);
}

static col_status refuse_ports(const plan *p, const char *what, unsigned number) {
    return DUV_REFUSE_AT(p->file, p->file->ports, p->problem, what, number);
}

static col_status complete_widths(plan *p) {
    duv_verilog_file *f = p->file;
    const uint32_t data = width(p, DUV_BUS_DATA), address = address_bits(p);
    if (data < 32 || data > 1024 || (data & (data - 1)) != 0)
        return refuse_ports(
            p, "the data of a bus has 32, 64, 128 bits and so on up to 1024, not %u", data);
    if (address < 8 || address > 64)
        return refuse_ports(p, "the addresses of a port have 8 to 64 bits, not %u", address);
    if (f->data_bits != 0 && f->data_bits != (data < 64 ? data : 64))
        return refuse_ports(p, "the data of a port has %u bits; see data-bits",
                            data < 64 ? data : 64);
    if (f->address_bits != 0 && f->address_bits != address)
        return refuse_ports(p, "the addresses of a port have %u bits; see address-bits", address);
    f->count = p->ports;
    f->data_bits = data < 64 ? data : 64;
    f->address_bits = address;
    f->tag_bits = f->tag_bits == 0 ? USUAL_TAG_BITS : f->tag_bits;
    return COL_OK;
}

/* A signal of the bus that may be absent must be there for what the file says. */
static col_status require(const plan *p, const char *word) {
    const binding *b = find_binding(p, word);
    char expected[DUV_NAME];
    if (b == NULL || b->of[0] != NULL)
        return COL_OK;
    (void)find_signal(p, b, p->first, expected);
    return refuse_absent(p, b, expected);
}

/* Bursts need all that says how long they are. */
static col_status complete_bursts(plan *p) {
    static const char *const needed[] = {"arlen",  "arsize",  "arburst", "awlen",
                                         "awsize", "awburst", "wlast",   "rlast"};
    duv_adapter *a = &p->file->adapter;
    bool has_all = a->bus == DUV_AXI4 || a->bus == DUV_AHB;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (a->bursts_place.line != 0 && a->bursts != DUV_BURSTS_NONE)
            BASE_TRY(require(p, needed[i]));
        has_all = has_all && (find_binding(p, needed[i]) == NULL || has_signal(p, needed[i]));
    }
    if (a->bursts_place.line == 0)
        a->bursts = has_all ? DUV_BURSTS_ALL : DUV_BURSTS_NONE;
    return COL_OK;
}

/* By AXI5's atomics, or where the file wants them or a design has no others, exclusive accesses. */
static col_status complete_atomics(plan *p) {
    static const struct {
        const char *word;
        bool is_exclusive;
    } words[] = {{"awatop", false},
                 {"atop", false},
                 {"hmastlock", false},
                 {"arlock", true},
                 {"awlock", true}};
    duv_verilog_file *f = p->file;
    duv_adapter *a = &f->adapter;
    const bool has_atop = has_signal(p, "awatop"), has_locks = has_signal(p, "arlock");
    if (!f->says_atomics)
        f->takes_atomics = has_atop || has_signal(p, "atop") || has_signal(p, "lock") ||
                           has_signal(p, "hmastlock") || a->is_exclusive;
    if (a->exclusive_place.line == 0)
        a->is_exclusive = f->takes_atomics && !has_atop && has_locks;
    if (f->takes_atomics && a->bus == DUV_APB)
        return DUV_REFUSE_AT(f, a->place, p->problem, "the bus apb has no atomics");
    for (size_t i = 0; i < sizeof words / sizeof words[0] && f->takes_atomics; i++)
        if (words[i].is_exclusive == a->is_exclusive)
            BASE_TRY(require(p, words[i].word));
    return COL_OK;
}

/* Snoops that invalidate. */
static col_status complete_losses(plan *p) {
    static const char *const channel[] = {"acvalid", "acready", "acaddr", "acsnoop", "crvalid"};
    duv_verilog_file *f = p->file;
    col_status status = COL_OK;
    if (!f->says_invalidate)
        f->agents.tells_losses = has_signal(p, channel[0]);
    else if (f->agents.tells_losses && f->adapter.bus != DUV_AXI4)
        return DUV_REFUSE_AT(f, f->adapter.place, p->problem,
                             "the bus %s does not report invalidations",
                             duv_port_buses[f->adapter.bus]);
    f->says_invalidate = true;
    for (size_t i = 0; i < sizeof channel / sizeof channel[0] && f->agents.tells_losses; i++)
        if (status == COL_OK)
            status = require(p, channel[i]);
    return status;
}

static bool is_bound(const plan *p, const duv_signal *signal) {
    for (uint32_t i = 0; i < p->binding_count; i++)
        for (uint32_t port = 0; port < p->ports; port++)
            if (p->bindings[i].of[port] == signal)
                return true;
    return false;
}

static col_status check_inputs(const plan *p) {
    const duv_verilog_file *f = p->file;
    uint32_t bits = 0;
    col_status status = duv_signals_take(f, p->signals, &f->clock, true, &bits, p->problem);
    if (status == COL_OK)
        status = duv_signals_take(f, p->signals, &f->reset, true, &bits, p->problem);
    for (uint32_t i = 0; i < f->input_count && status == COL_OK; i++) {
        const duv_named *name = &f->inputs[i].name;
        status = duv_signals_take(f, p->signals, name, true, &bits, p->problem);
        if (status == COL_OK && is_bound(p, duv_signals_find(p->signals, name->text)))
            return DUV_REFUSE_AT(f, name->place, p->problem, "the input %s belongs to the ports",
                                 name->text);
    }
    return status;
}

/* ---- The module. */

static void print_header(const plan *p, base_text *t) {
    const duv_verilog_file *f = p->file;
    base_text_print(t, "module collider (\n    input logic %s,\n    input logic %s", f->clock.text,
                    f->reset.text);
    for (uint32_t i = 0; i < f->input_count; i++)
        base_text_print(t, ",\n    input logic [%u:0] %s",
                        duv_signals_find(p->signals, f->inputs[i].name.text)->bits - 1,
                        f->inputs[i].name.text);
    for (uint32_t s = 0; s < DUV_COMMIT_VALID; s++)
        if (duv_port_has(f, s))
            base_text_print(t, ",\n    %s logic [%u:0][%u:0] collider_%s",
                            duv_port_signals[s].is_input ? "input" : "output", p->ports - 1,
                            (unsigned)duv_port_bits(f, s) - 1, duv_port_signals[s].word);
    base_text_add(t, "\n);\n");
}

static void print_wires(const plan *p, base_text *t) {
    for (uint32_t i = 0; i < p->binding_count; i++) {
        const binding *b = &p->bindings[i];
        if (b->of[0] == NULL)
            continue;
        if (p->is_array)
            base_text_print(t, "    logic [%u:0] collider_%s [%u];\n", b->bits - 1, b->word,
                            p->ports);
        else
            base_text_print(t, "    logic [%u:0][%u:0] collider_%s;\n", p->ports - 1, b->bits - 1,
                            b->word);
    }
}

/* What a signal of the user's top module is connected to. */
static void print_connection(const plan *p, const duv_signal *signal, base_text *t) {
    const duv_verilog_file *f = p->file;
    char name[DUV_NAME];
    duv_signal_name(signal, name);
    for (uint32_t i = 0; i < p->binding_count; i++)
        for (uint32_t port = 0; port < (p->is_numbered ? p->ports : 1); port++)
            if (p->bindings[i].of[port] == signal) {
                base_text_print(t, ",\n        .%s(collider_%s", name, p->bindings[i].word);
                if (p->is_numbered)
                    base_text_print(t, "[%u]", port);
                base_text_add(t, ")");
                return;
            }
    if (!signal->is_input || strcmp(name, f->clock.text) == 0 || strcmp(name, f->reset.text) == 0)
        return;
    bool is_said = false;
    for (uint32_t i = 0; i < f->input_count; i++)
        is_said = is_said || strcmp(f->inputs[i].name.text, name) == 0;
    base_text_print(t, ",\n        .%s(%s)", name,
                    is_said                 ? name
                    : signal->elements != 0 ? "'{default: '0}"
                                            : "'0");
}

static void print_design(const plan *p, base_text *t) {
    const duv_verilog_file *f = p->file;
    base_text_print(t, "    %s", f->top.text);
    for (uint32_t i = 0; i < f->parameter_count; i++)
        base_text_print(t, "%s\n        .%s(%s)", i == 0 ? " #(" : ",", f->parameters[i].name.text,
                        f->parameters[i].value);
    base_text_print(t, "%s collider_dut (\n        .%s(%s), .%s(%s)",
                    f->parameter_count > 0 ? "\n    )" : "", f->clock.text, f->clock.text,
                    f->reset.text, f->reset.text);
    for (uint32_t i = 0; i < p->signals->count; i++)
        print_connection(p, &p->signals->all[i], t);
    base_text_add(t, "\n    );\n");
}

/* The signals of the bus at an adapter or a checker. */
static void print_bus(const plan *p, bool is_checker, base_text *t) {
    for (uint32_t i = 0; i < p->binding_count; i++) {
        const binding *b = &p->bindings[i];
        const duv_bus_signal *s = b->signal;
        const char *word = b->word;
        const bool is_input = is_checker || !s->to_memory;
        if (is_checker ? !s->is_checked : s->is_only_checked)
            continue;
        base_text_print(t, ",\n            .%s(", word);
        if (b->of[0] != NULL && s->breadth > 0 && b->bits > (uint32_t)s->breadth)
            base_text_print(t, "collider_%s[p][%d:0]", word, s->breadth - 1);
        else if (b->of[0] != NULL)
            base_text_print(t, "collider_%s[p]", word);
        else if (is_input)
            base_text_add(t, s->otherwise == NULL ? "'0" : s->otherwise);
        base_text_add(t, ")");
    }
}

/* Bursts stay within memory: in aligned pieces of it, of at most 64 bytes. */
static unsigned long long burst_bytes(const duv_verilog_file *f) {
    const uint64_t ends = f->agents.base | f->memory | 64;
    return ends & (~ends + 1);
}

static void print_parameters(const plan *p, bool is_checker, base_text *t) {
    const duv_verilog_file *f = p->file;
    const duv_adapter *a = &f->adapter;
    const uint32_t id_bits = width(p, DUV_BUS_ID) == 0 ? 1 : width(p, DUV_BUS_ID);
    uint64_t ids = width(p, DUV_BUS_ID) == 0  ? 1
                   : width(p, DUV_BUS_ID) > 8 ? MOST_IDS
                                              : UINT64_C(1) << width(p, DUV_BUS_ID);
    ids = a->ids != 0 && a->ids < ids ? a->ids : ids;
    base_text_print(t, "#(\n            .ADDRESS_BITS(%u), .BUS_BITS(%u)",
                    is_checker ? width(p, DUV_BUS_ADDRESS) : (unsigned)f->address_bits,
                    width(p, DUV_BUS_DATA));
    if (!is_checker)
        base_text_print(t, ", .TAG_BITS(%u)", (unsigned)f->tag_bits);
    if (a->bus == DUV_WISHBONE)
        base_text_print(t, ", .PIPELINED(1'b%d)", a->is_pipelined);
    else if (a->bus == DUV_AXI4 || a->bus == DUV_TILELINK || a->bus == DUV_OBI)
        base_text_print(t, ", .ID_BITS(%u)", id_bits);
    if (a->bus == DUV_TILELINK)
        base_text_print(t, ", .SIZE_BITS(%u)", width(p, DUV_BUS_SIZE));
    if (is_checker) {
        base_text_print(t, a->bus == DUV_OBI ? ", .HAS_ID(1'b%d))" : ")", has_signal(p, "rid"));
        return;
    }
    if (a->bus == DUV_AXI4 || a->bus == DUV_TILELINK || a->bus == DUV_OBI)
        base_text_print(t, ", .IDS(%llu)", (unsigned long long)ids);
    if (a->bus == DUV_AXI4 || a->bus == DUV_AHB)
        base_text_print(t, ", .BURSTS(%d), .BURST_BYTES(%llu)", (int)a->bursts, burst_bytes(f));
    if (a->bus == DUV_AXI4)
        base_text_print(t, ", .EXCLUSIVE(1'b%d)", a->is_exclusive);
    if (a->bus == DUV_WISHBONE)
        base_text_print(t, ", .WORDS(1'b%d)", a->has_word_addresses);
    if (a->bus == DUV_AHB || a->bus == DUV_APB)
        base_text_print(t, ", .STROBES(1'b%d)",
                        has_signal(p, a->bus == DUV_AHB ? "hwstrb" : "pstrb"));
    if (a->bus == DUV_OBI)
        base_text_print(t, ", .STALLS(1'b%d)", has_signal(p, "rready"));
    if (a->bus != DUV_AXI4 && a->bus != DUV_TILELINK)
        base_text_print(t, ", .EXTRA(1'b%d)", !a->is_plain);
    base_text_add(t, ")");
}

static void print_instance(const plan *p, bool is_checker, base_text *t) {
    const duv_verilog_file *f = p->file;
    base_text_print(t, "        collider_%s_%s ", duv_port_buses[f->adapter.bus],
                    is_checker ? "checker" : "adapter");
    print_parameters(p, is_checker, t);
    base_text_print(t, " %s (\n            .clock(%s), .reset(%s%s)",
                    is_checker ? "rules" : "adapter", f->clock.text, f->reset_is_low ? "!" : "",
                    f->reset.text);
    for (uint32_t s = 0; s < DUV_COMMIT_VALID && !is_checker; s++) {
        const char *word = duv_port_signals[s].word;
        if (duv_port_has(f, s))
            base_text_print(t, ",\n            .%s(collider_%s[p])", word, word);
        else if (f->adapter.bus == DUV_AXI4)
            base_text_print(t, ",\n            .%s()", word);
    }
    print_bus(p, is_checker, t);
    base_text_add(t, "\n        );\n");
}

static void print_module(const plan *p, base_text *t) {
    print_header(p, t);
    print_wires(p, t);
    print_design(p, t);
    base_text_print(t, "    for (genvar p = 0; p < %u; p++) begin : port\n", p->ports);
    print_instance(p, false, t);
    if (!p->file->adapter.is_unchecked)
        print_instance(p, true, t);
    base_text_add(t, "    end\nendmodule\n");
}

col_status duv_adapter_top(duv_verilog_file *file, const duv_signals *signals, base_text *source,
                           col_problem *problem) {
    plan *p = NULL;
    BASE_TRY(base_new(&p, 1, sizeof *p, problem));
    *p = (plan){.file = file, .signals = signals, .problem = problem};
    col_status status = duv_note(file, problem, bind_all(p));
    if (file->notes != NULL && file->notes->errors > 0) {
        free(p);
        return status;
    }
    if (file->adapter.pipelined_place.line == 0)
        file->adapter.is_pipelined = has_signal(p, "stall");
    if (status == COL_OK)
        status = complete_widths(p);
    if (status == COL_OK)
        status = complete_bursts(p);
    if (status == COL_OK)
        status = complete_atomics(p);
    if (status == COL_OK)
        status = complete_losses(p);
    if (status == COL_OK)
        status = check_inputs(p);
    if (status == COL_OK) {
        print_module(p, source);
        /* The file is about the new module from now on. */
        (void)snprintf(file->top.text, sizeof file->top.text, "collider");
        file->parameter_count = 0;
        for (uint32_t s = 0; s < DUV_PORT_SIGNALS; s++)
            (void)snprintf(file->signals[s].text, sizeof file->signals[s].text, "collider_%s",
                           duv_port_signals[s].word);
        status = base_text_status(source, problem);
    }
    free(p);
    return status;
}
