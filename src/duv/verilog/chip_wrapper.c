/* SPDX-License-Identifier: MIT */
/* Chips: are the signals of their buses and taps there, and the C++ that names them. See
 * chip_file.h. */
#include "base/plural.h"
#include "duv/verilog/wrapper.h"

#include <stdio.h>
#include <string.h>

/* ---- Buses. */

/* What the file says, or the prefix and the word. */
static void name_signal(const duv_chip_bus *bus, uint32_t s, duv_named *named) {
    *named = bus->signals[s];
    if (named->text[0] == '\0')
        (void)snprintf(named->text, sizeof named->text, "%.64s%.48s", bus->prefix.text,
                       duv_pins[s].word);
}

static bool is_signal_of(const duv_chip_bus *bus, uint32_t s) {
    return duv_pins[s].protocol == (duv_pin_protocol)bus->protocol;
}

static col_status check_bits(const duv_verilog_file *f, duv_chip_bus *bus, const duv_named *named,
                             duv_pin_bits kind, uint32_t bits, col_problem *problem) {
    const base_place place = named->place;
    uint64_t *known = &bus->bits[kind];
    unsigned long long wanted = kind == DUV_BITS_ONE ? 1 : *known;
    if (kind == DUV_BITS_STROBE)
        wanted = bus->bits[DUV_BITS_DATA] / 8;
    if (kind == DUV_BITS_ANY && bits <= 64)
        return COL_OK;
    if (kind != DUV_BITS_ANY && wanted == 0)
        wanted = *known = bits;
    if (wanted == bits)
        return COL_OK;
    return base_refuse_at(problem, f->path, place.line, place.column,
                          "the signal %s of %s has %u bit%s, but the bus needs %llu", named->text,
                          f->top.text, bits, base_plural(bits), kind == DUV_BITS_ANY ? 64 : wanted);
}

static col_status connect_signal(const duv_verilog_file *f, const duv_signals *signals,
                                 duv_chip_bus *bus, uint32_t s, col_problem *problem) {
    const duv_pin *row = &duv_pins[s];
    duv_named named;
    uint32_t bits = 0;
    name_signal(bus, s, &named);
    bus->is_there[s] =
        row->is_needed || named.place.line != 0 || duv_signals_find(signals, named.text) != NULL;
    if (s == DUV_PIN_WISHBONE_stall && bus->is_classic)
        bus->is_there[s] = false;
    if (!bus->is_there[s])
        return COL_OK;
    if (named.place.line == 0)
        named.place = bus->place;
    const col_status status = duv_signals_take(f, signals, &named, row->is_input, &bits, problem);
    return status == COL_OK ? check_bits(f, bus, &named, row->bits, bits, problem) : status;
}

/* Data comes first: the width of strobes follows from it. */
static col_status connect_bus(const duv_verilog_file *f, const duv_signals *signals,
                              duv_chip_bus *bus, col_problem *problem) {
    for (int is_strobe = 0; is_strobe < 2; is_strobe++)
        for (uint32_t s = 0; s < DUV_PIN_COUNT; s++) {
            if (!is_signal_of(bus, s) || (duv_pins[s].bits == DUV_BITS_STROBE) != is_strobe)
                continue;
            const col_status status = connect_signal(f, signals, bus, s, problem);
            if (status != COL_OK)
                return status;
        }
    const uint64_t data = bus->bits[DUV_BITS_DATA], address = bus->bits[DUV_BITS_ADDRESS];
    const char *what = NULL;
    if (data < 32 || data > 512 || (data & (data - 1)) != 0)
        what = "the data of a bus has 32, 64, 128, 256 or 512 bits";
    else if (address < 8 || address > 64)
        what = "the addresses of a bus have 8 to 64 bits";
    else if (bus->bits[DUV_BITS_ID] > 64)
        what = "the numbers of a bus's requests have at most 64 bits";
    return what == NULL
               ? COL_OK
               : base_refuse_at(problem, f->path, bus->place.line, bus->place.column, "%s", what);
}

/* ---- Taps: element h of each signal, or several elements, belong to hart h. */

static col_status take_tap(const duv_verilog_file *f, const duv_signals *signals, uint32_t s,
                           uint32_t count, uint32_t *bits, col_problem *problem) {
    const duv_named *named = &f->chip.tap[s];
    const base_place place = named->place.line != 0 ? named->place : f->chip.place;
    const col_status status = duv_signals_take(f, signals, named, false, bits, problem);
    if (status != COL_OK)
        return status;
    if (count == 0 || *bits % count != 0 || *bits / count > 64)
        return base_refuse_at(problem, f->path, place.line, place.column,
                              "the signal %s of %s has %u bit%s, which are not those of %u",
                              named->text, f->top.text, *bits, base_plural(*bits), count);
    *bits /= count;
    return COL_OK;
}

static col_status connect_taps(duv_verilog_file *f, const duv_signals *signals,
                               col_problem *problem) {
    duv_chip_file *chip = &f->chip;
    const uint32_t harts = (uint32_t)chip->harts;
    col_status status = COL_OK;
    chip->taps = 0;
    if (chip->has_tap) {
        status = take_tap(f, signals, DUV_TAP_RETIRE_VALID, harts, &chip->taps, problem);
        for (uint32_t s = DUV_TAP_RETIRE_PC; s <= DUV_TAP_RETIRE_VALUE && status == COL_OK; s++)
            status = take_tap(f, signals, s, harts * chip->taps, &chip->tap_bits[s], problem);
    }
    for (uint32_t s = DUV_TAP_COMMIT_VALID;
         chip->has_commits && s < DUV_TAP_SIGNAL_COUNT && status == COL_OK; s++)
        status = take_tap(f, signals, s, harts, &chip->tap_bits[s], problem);
    return status;
}

col_status duv_chip_connect(duv_verilog_file *f, const duv_signals *signals, col_problem *problem) {
    col_status status = connect_taps(f, signals, problem);
    for (uint32_t b = 0; b < f->chip.bus_count && status == COL_OK; b++)
        status = connect_bus(f, signals, &f->chip.buses[b], problem);
    f->agents.ports = (uint32_t)f->chip.harts;
    return status;
}

/* ---- The source. */

void duv_chip_wrap_taps(const duv_verilog_file *f, base_text *t) {
    static const char *const words[DUV_TAP_SIGNAL_COUNT] = {
#define TAP_WORD(name, key, word, usual) [DUV_TAP_##name] = #word,
        DUV_TAP_SIGNALS(TAP_WORD)
#undef TAP_WORD
    };
    const duv_chip_file *chip = &f->chip;
    const uint32_t *bits = chip->tap_bits;
    for (uint32_t s = 0; s < DUV_TAP_SIGNAL_COUNT; s++) {
        const bool is_there = s < DUV_TAP_COMMIT_VALID ? chip->has_tap : chip->has_commits;
        duv_print_accessor(t, words[s], is_there ? chip->tap[s].text : NULL);
    }
    base_text_print(t,
                    "    static constexpr uint32_t taps = %u, pc_bits = %u, register_bits = %u,\n"
                    "        value_bits = %u, commit_bits = %u, old_bits = %u;\n"
                    "    static const col_chip_settings chip;\n",
                    chip->taps, bits[DUV_TAP_RETIRE_PC], bits[DUV_TAP_RETIRE_REGISTER],
                    bits[DUV_TAP_RETIRE_VALUE], bits[DUV_TAP_COMMIT_PC], bits[DUV_TAP_COMMIT_OLD]);
}

static void wrap_bus(const duv_chip_bus *bus, uint32_t number, uint32_t stalls, base_text *t) {
    const unsigned long long data = bus->bits[DUV_BITS_DATA];
    base_text_print(t,
                    "struct bus%u {\n    using model = Vdesign;\n"
                    "    static constexpr collider::bus_settings settings = {%llu, %llu, %llu, "
                    "%llu, %llu, %u, %d};\n",
                    number, (unsigned long long)bus->bits[DUV_BITS_ADDRESS], data,
                    (unsigned long long)bus->bits[DUV_BITS_ID], bus->counts_words ? data / 8 : 1,
                    (unsigned long long)bus->latency, stalls, bus->interleaves);
    for (uint32_t s = 0; s < DUV_PIN_COUNT; s++) {
        duv_named named;
        if (!is_signal_of(bus, s))
            continue;
        name_signal(bus, s, &named);
        duv_print_accessor(t, duv_pins[s].word, bus->is_there[s] ? named.text : NULL);
    }
    base_text_add(t, "};\n");
}

void duv_chip_wrap_buses(const duv_verilog_file *f, base_text *t) {
    const duv_chip_file *chip = &f->chip;
    base_text_add(t, "const char platform[] = {");
    for (size_t i = 0; i < chip->platform_text.length; i++)
        base_text_print(t, "%d,%s", (signed char)chip->platform_text.data[i],
                        i % 32 == 31 ? "\n" : "");
    base_text_print(t,
                    "0};\nconst col_chip_settings design::chip = {platform, %llu, "
                    "col_chip_log(%llu), %d, %d, %d, %llu, %u, %llu};\n",
                    (unsigned long long)chip->harts, (unsigned long long)chip->log,
                    chip->has_commits, chip->takes_atomics, chip->is_current,
                    (unsigned long long)chip->rounds, chip->skew,
                    (unsigned long long)f->agents.patience);
    for (uint32_t b = 0; b < chip->bus_count; b++)
        wrap_bus(&chip->buses[b], b, chip->stalls, t);
    base_text_add(t, "}\nCOLLIDER_CHIP(design");
    for (uint32_t b = 0; b < chip->bus_count; b++)
        base_text_print(t, ", collider::%s<bus%u>", duv_pin_protocols[chip->buses[b].protocol], b);
    base_text_add(t, ")\n");
}
