/* SPDX-License-Identifier: MIT */
/*
 * The harness: what every hart of an image does around its thread. It is written once, in terms of
 * a machine (harness.h). Rules:
 *
 * 1. Nothing waits without a limit, and every way to fail has its own state in the hart's record.
 * 2. Nothing depends on what memory held at the start: words of the barrier are compared for
 *    equality with a number that is new each time.
 * 3. Between two barriers a location is touched by threads, or by the one hart that reads its final
 *    word and gives it the next round's initial one: who that is changes before the final words.
 * 4. Each program of an image has words of its own for the barrier, whose last numbers stay; a
 *    device's numbers go on from program to program. A hart without a thread in a program goes
 *    ahead to the next one that has one for it, and there waits for the end of the program before.
 */
#include "design/isa/harness.h"

#include "design/isa/isa.h"

#define EMIT(what, ...) machine->what(boot, __VA_ARGS__)

/* A linear congruential generator of 32 bits; its upper half is used. (Numerical Recipes) */
enum { RANDOM_FACTOR = 1664525, RANDOM_TERM = 1013904223 };
#define HART_FACTOR UINT32_C(0x9e3779b1)

/* The first hart waits for the others, and they for it: longer, so that it can say who is missing.
 */
enum { PATIENCE = 4 };

static const isa_machine *machine_of(const isa_target *target) {
    return target->elf_machine == ISA_EM_RISCV     ? &isa_riscv_machine
           : target->elf_machine == ISA_EM_AARCH64 ? &isa_aarch64_machine
                                                   : &isa_x86_64_machine;
}

static uint32_t address_bytes(const isa_boot *boot) {
    return boot->map->target->address_bytes;
}

static isa_label label_here(isa_boot *boot) {
    const isa_label label = isa_new_label(boot->code);
    isa_bind(boot->code, label);
    return label;
}

/* A field of the record has 8 bytes, whatever the size of a register. */
static void set_field(isa_boot *boot, const isa_machine *machine, uint32_t field, isa_role from) {
    EMIT(store, address_bytes(boot), from, ISA_RECORD, field);
    if (address_bytes(boot) == 4)
        EMIT(store, 4, ISA_ZERO, ISA_RECORD, field + 4);
}

static void set_state(isa_boot *boot, const isa_machine *machine, isa_state state) {
    EMIT(set, ISA_T0, ISA_STATE_MARK + (uint32_t)state);
    set_field(boot, machine, ISA_RECORD_STATE, ISA_T0);
}

/* ---- The start. */

static void emit_record(isa_boot *boot, const isa_machine *machine) {
    EMIT(set, ISA_RECORD, boot->map->results.base);
    EMIT(set, ISA_T0, ISA_RECORD_BYTES);
    EMIT(arithmetic, ISA_TIMES, ISA_T0, ISA_T0, ISA_HART);
    EMIT(arithmetic, ISA_PLUS, ISA_RECORD, ISA_RECORD, ISA_T0);
    machine->keep_record(boot);
}

/* Harts with a thread in some program go to `harness`, the others have nothing to do. */
static void emit_entry(isa_boot *boot, const isa_machine *machine, isa_label harness) {
    const isa_label works = isa_new_label(boot->code);
    machine->enter(boot);
    /* From the word that tells harts apart. */
    const isa_hart *hart = &boot->platform->hart;
    if (hart->from == ISA_HART_MEMORY) {
        EMIT(set, ISA_T0, hart->address);
        EMIT(load, 4, ISA_HART, ISA_T0, 0);
    }
    if (hart->shift != 0)
        EMIT(shift, ISA_HART, ISA_HART, -(int32_t)hart->shift);
    if (hart->mask != UINT32_MAX) {
        EMIT(set, ISA_T0, hart->mask);
        EMIT(arithmetic, ISA_AND, ISA_HART, ISA_HART, ISA_T0);
    }
    if (hart->first != 0)
        EMIT(plus, ISA_HART, ISA_HART, -(int32_t)hart->first);
    EMIT(set, ISA_T0, boot->harts);
    EMIT(branch, ISA_BELOW, ISA_HART, ISA_T0, works);
    EMIT(jump, boot->park);
    isa_bind(boot->code, works);
    emit_record(boot, machine);
    if (machine->prepare != NULL)
        machine->prepare(boot);
    EMIT(jump, harness);
    machine->traps(boot);
}

/* ---- The barrier. */

/* Until the word at T1 is PHASE: T2 counts down. Changes T3; goes to `late` at the end of patience.
 */
static void wait_for_phase(isa_boot *boot, const isa_machine *machine, uint64_t limit,
                           isa_label late) {
    const isa_label seen = isa_new_label(boot->code);
    EMIT(set, ISA_T2, limit);
    const isa_label again = label_here(boot);
    EMIT(load, 4, ISA_T3, ISA_T1, 0);
    EMIT(branch, ISA_EQUAL, ISA_T3, ISA_PHASE, seen);
    EMIT(plus, ISA_T2, ISA_T2, -1);
    EMIT(branch, ISA_UNEQUAL, ISA_T2, ISA_ZERO, again);
    EMIT(jump, late);
    isa_bind(boot->code, seen);
}

static void emit_device_barrier(isa_boot *boot, const isa_machine *machine) {
    const isa_barrier *barrier = &boot->platform->barrier;
    EMIT(set, ISA_T1, barrier->arrive);
    EMIT(store, 4, ISA_PHASE, ISA_T1, 0);
    EMIT(set, ISA_T1, barrier->go);
    EMIT(set, ISA_T0, 0);
    wait_for_phase(boot, machine, barrier->limit, boot->late);
}

/* T0 is the hart that is waited for. */
static void emit_word_barrier(isa_boot *boot, const isa_machine *machine) {
    const uint64_t limit = boot->platform->barrier.limit;
    const isa_label others = isa_new_label(boot->code), done = isa_new_label(boot->code);
    const isa_label all = isa_new_label(boot->code);
    EMIT(branch, ISA_UNEQUAL, ISA_HART, ISA_ZERO, others);
    EMIT(set, ISA_T0, 1);
    EMIT(set, ISA_T1, boot->layout->words + (uint64_t)2 * ISA_BARRIER_BLOCK);
    EMIT(set, ISA_T4, boot->map->thread_count);
    const isa_label next = label_here(boot);
    EMIT(branch, ISA_EQUAL, ISA_T0, ISA_T4, all);
    wait_for_phase(boot, machine, limit, boot->late);
    EMIT(plus, ISA_T0, ISA_T0, 1);
    EMIT(plus, ISA_T1, ISA_T1, ISA_BARRIER_BLOCK);
    EMIT(jump, next);
    isa_bind(boot->code, all);
    machine->fence(boot);
    EMIT(set, ISA_T1, boot->layout->words);
    EMIT(store, 4, ISA_PHASE, ISA_T1, 0);
    EMIT(jump, done);

    isa_bind(boot->code, others);
    EMIT(set, ISA_T1, boot->layout->words + ISA_BARRIER_BLOCK);
    EMIT(set, ISA_T2, ISA_BARRIER_BLOCK);
    EMIT(arithmetic, ISA_TIMES, ISA_T2, ISA_T2, ISA_HART);
    EMIT(arithmetic, ISA_PLUS, ISA_T1, ISA_T1, ISA_T2);
    EMIT(store, 4, ISA_PHASE, ISA_T1, 0);
    EMIT(set, ISA_T1, boot->layout->words);
    EMIT(set, ISA_T0, 0);
    wait_for_phase(boot, machine, PATIENCE * limit, boot->late);
    isa_bind(boot->code, done);
}

static isa_label emit_barrier(isa_boot *boot, const isa_machine *machine) {
    const isa_label barrier = label_here(boot);
    EMIT(plus, ISA_PHASE, ISA_PHASE, 1);
    machine->fence(boot);
    (boot->platform->barrier.kind == ISA_BARRIER_DEVICE ? emit_device_barrier
                                                        : emit_word_barrier)(boot, machine);
    machine->fence(boot);
    machine->leave(boot);
    return barrier;
}

/* ---- The end. */

static void emit_exit(isa_boot *boot, const isa_machine *machine, bool passed) {
    const isa_exit *way = &boot->platform->exit;
    uint64_t word = passed ? way->pass : way->fail;
    uint64_t address = way->address;
    machine->fence(boot);
    switch ((isa_exit_kind)way->kind) {
    case ISA_EXIT_SEMIHOSTING:
    case ISA_EXIT_PSCI:
    case ISA_EXIT_PORT:
        EMIT(exit, passed);
        break;
    case ISA_EXIT_TOHOST: /* an odd number ends the run: its upper bits are the status */
        word = passed ? 1 : 3;
        address = boot->layout->tohost;
        EMIT(set, ISA_T1, address + 4);
        EMIT(store, 4, ISA_ZERO, ISA_T1, 0);
        break;
    case ISA_EXIT_FINISHER:
        word = passed ? 0x5555 : 0x13333;
        break;
    default:
        break;
    }
    if (way->kind == ISA_EXIT_TOHOST || way->kind == ISA_EXIT_FINISHER ||
        way->kind == ISA_EXIT_WRITE) {
        EMIT(set, ISA_T0, word);
        EMIT(set, ISA_T1, address);
        EMIT(store, 4, ISA_T0, ISA_T1, 0);
    }
    EMIT(jump, boot->park);
}

/* ---- Rounds. */

/* The slots of this hart in the round's part of the log: T0 to T1. */
static void find_slots(isa_boot *boot, const isa_machine *machine) {
    const uint32_t unit = address_bytes(boot);
    EMIT(load, unit, ISA_T0, ISA_ROW, ISA_ROW_SLOTS * unit);
    EMIT(load, unit, ISA_T1, ISA_ROW, ISA_ROW_SLOTS_END * unit);
    EMIT(arithmetic, ISA_PLUS, ISA_T0, ISA_T0, ISA_PART);
    EMIT(arithmetic, ISA_PLUS, ISA_T1, ISA_T1, ISA_PART);
}

static void emit_empty_slots(isa_boot *boot, const isa_machine *machine) {
    const isa_label done = isa_new_label(boot->code);
    find_slots(boot, machine);
    EMIT(plus, ISA_T2, ISA_ZERO, -1);
    const isa_label again = label_here(boot);
    EMIT(branch, ISA_EQUAL, ISA_T0, ISA_T1, done);
    EMIT(store, boot->map->word_bytes, ISA_T2, ISA_T0, 0);
    EMIT(plus, ISA_T0, ISA_T0, (int32_t)boot->map->word_bytes);
    EMIT(jump, again);
    isa_bind(boot->code, done);
}

/* For each location of the share: its final word is logged, or it gets its initial one. */
static void emit_share(isa_boot *boot, const isa_machine *machine, bool is_final) {
    const uint32_t unit = address_bytes(boot), word = boot->map->word_bytes;
    const isa_label done = isa_new_label(boot->code);
    /* T4 = the first location of this hart's share, which is every n-th one. Shares go round, so
     * that a location begins in another hart's cache each time. */
    const isa_label found = isa_new_label(boot->code);
    EMIT(arithmetic, ISA_PLUS, ISA_T4, ISA_HART, ISA_TURN);
    EMIT(set, ISA_T0, boot->map->thread_count);
    EMIT(branch, ISA_BELOW, ISA_T4, ISA_T0, found);
    EMIT(set, ISA_T0, (uint64_t) - (int64_t)boot->map->thread_count);
    EMIT(arithmetic, ISA_PLUS, ISA_T4, ISA_T4, ISA_T0);
    isa_bind(boot->code, found);
    EMIT(set, ISA_T0, unit);
    EMIT(arithmetic, ISA_TIMES, ISA_T0, ISA_T0, ISA_T4);
    EMIT(set, ISA_T1, boot->layout->locations);
    EMIT(arithmetic, ISA_PLUS, ISA_T0, ISA_T0, ISA_T1);
    EMIT(set, ISA_T1, boot->layout->locations_end);
    if (is_final) {
        EMIT(set, ISA_T2, word);
        EMIT(arithmetic, ISA_TIMES, ISA_T2, ISA_T2, ISA_T4);
        EMIT(arithmetic, ISA_PLUS, ISA_T2, ISA_T2, ISA_PART);
        EMIT(set, ISA_T3, boot->map->finals_offset);
        EMIT(arithmetic, ISA_PLUS, ISA_T2, ISA_T2, ISA_T3);
    }
    const isa_label again = label_here(boot), inside = isa_new_label(boot->code);
    EMIT(branch, ISA_BELOW, ISA_T0, ISA_T1, inside);
    EMIT(jump, done);
    isa_bind(boot->code, inside);
    EMIT(load, unit, ISA_T3, ISA_T0, 0);
    if (is_final) {
        EMIT(load, word, ISA_T4, ISA_T3, 0);
        EMIT(store, word, ISA_T4, ISA_T2, 0);
        EMIT(set, ISA_T4, (uint64_t)word * boot->map->thread_count);
        EMIT(arithmetic, ISA_PLUS, ISA_T2, ISA_T2, ISA_T4);
    } else {
        EMIT(store, word, ISA_SALT, ISA_T3, 0);
    }
    EMIT(set, ISA_T4, (uint64_t)unit * boot->map->thread_count);
    EMIT(arithmetic, ISA_PLUS, ISA_T0, ISA_T0, ISA_T4);
    EMIT(jump, again);
    isa_bind(boot->code, done);
}

/* The thread with its start skew; what an await did is in A0. */
static void emit_call(isa_boot *boot, const isa_machine *machine) {
    EMIT(set, ISA_T0, RANDOM_FACTOR);
    EMIT(arithmetic, ISA_TIMES, ISA_RANDOM, ISA_RANDOM, ISA_T0);
    EMIT(set, ISA_T0, RANDOM_TERM);
    EMIT(arithmetic, ISA_PLUS, ISA_RANDOM, ISA_RANDOM, ISA_T0);
    EMIT(shift, ISA_A3, ISA_RANDOM, -16);
    EMIT(set, ISA_T0, boot->skew_mask);
    EMIT(arithmetic, ISA_AND, ISA_A3, ISA_A3, ISA_T0);
    find_slots(boot, machine);
    EMIT(plus, ISA_A1, ISA_T0, 0);
    EMIT(plus, ISA_A2, ISA_SALT, 0);
    EMIT(set, ISA_A0, boot->layout->memory);
    EMIT(load, address_bytes(boot), ISA_T0, ISA_ROW, ISA_ROW_FUNCTION * address_bytes(boot));
    EMIT(call_at, ISA_T0);
}

/* What changes from program to program. */
static void emit_start(isa_boot *boot, const isa_machine *machine) {
    const isa_map *map = boot->map;
    EMIT(set, ISA_ROW, (uint64_t)ISA_ROW_COUNT * address_bytes(boot));
    EMIT(arithmetic, ISA_TIMES, ISA_ROW, ISA_ROW, ISA_HART);
    EMIT(set, ISA_T0, boot->layout->rows);
    EMIT(arithmetic, ISA_PLUS, ISA_ROW, ISA_ROW, ISA_T0);
    EMIT(load, address_bytes(boot), ISA_T0, ISA_ROW, ISA_ROW_STACK * address_bytes(boot));
    EMIT(set_stack, ISA_T0);
    EMIT(set, ISA_ROUND, 0);
    EMIT(set, ISA_TURN, 0);
    EMIT(set, ISA_PHASE, boot->layout->phase);
    EMIT(set, ISA_SALT, map->salt_first * map->salt_step & map->salt_mask);
    EMIT(set, ISA_PART, map->results.base + isa_map_log(map));
    EMIT(set, ISA_RANDOM, HART_FACTOR);
    EMIT(arithmetic, ISA_TIMES, ISA_RANDOM, ISA_RANDOM, ISA_HART);
    EMIT(set, ISA_T0, (uint32_t)(map->seed ^ map->seed >> 32));
    EMIT(arithmetic, ISA_PLUS, ISA_RANDOM, ISA_RANDOM, ISA_T0);
    EMIT(set, ISA_T0, map->image);
    set_field(boot, machine, ISA_RECORD_IMAGE, ISA_T0);
    set_state(boot, machine, ISA_STATE_RUNNING);
}

static bool has_stubs(const isa_boot *boot) {
    return boot->layout->stubs != boot->layout->stubs_end;
}

static void emit_round(isa_boot *boot, const isa_machine *machine, isa_label barrier) {
    const isa_map *map = boot->map;
    const isa_label came_through = isa_new_label(boot->code);
    EMIT(set, ISA_T0, map->salt_step);
    EMIT(arithmetic, ISA_PLUS, ISA_SALT, ISA_SALT, ISA_T0);
    EMIT(set, ISA_T0, map->salt_mask);
    EMIT(arithmetic, ISA_AND, ISA_SALT, ISA_SALT, ISA_T0);
    set_field(boot, machine, ISA_RECORD_ROUND, ISA_ROUND);
    if (map->stride > 0)
        emit_empty_slots(boot, machine);
    emit_share(boot, machine, false);
    EMIT(call, barrier);
    if (has_stubs(boot)) /* in each round: some instruction caches then begin it empty */
        machine->see_code(boot);
    emit_call(boot, machine);
    EMIT(branch, ISA_EQUAL, ISA_A0, ISA_ZERO, came_through);
    EMIT(jump, boot->gave_up);
    isa_bind(boot->code, came_through);
    EMIT(call, barrier);
    const isa_label below = isa_new_label(boot->code);
    EMIT(plus, ISA_TURN, ISA_TURN, 1);
    EMIT(set, ISA_T0, boot->map->thread_count);
    EMIT(branch, ISA_BELOW, ISA_TURN, ISA_T0, below);
    EMIT(set, ISA_TURN, 0);
    isa_bind(boot->code, below);
    if (map->finals_offset != ISA_NO_FINALS)
        emit_share(boot, machine, true);
    EMIT(set, ISA_T0, map->stride);
    EMIT(arithmetic, ISA_PLUS, ISA_PART, ISA_PART, ISA_T0);
    EMIT(plus, ISA_ROUND, ISA_ROUND, 1);
}

/* ---- Programs. */

/* A hart that has no thread in a program of this many goes elsewhere. */
static void leave_above(isa_boot *boot, const isa_machine *machine, uint32_t threads,
                        isa_label elsewhere) {
    const isa_label here = isa_new_label(boot->code);
    if (threads >= boot->harts)
        return;
    EMIT(set, ISA_T0, threads);
    EMIT(branch, ISA_BELOW, ISA_HART, ISA_T0, here);
    EMIT(jump, elsewhere);
    isa_bind(boot->code, here);
}

/* A hart that had no thread in the program before waits for those that had, as one that is parked
 * does: without a limit. With a device all programs have the same threads. */
static void emit_wait(isa_boot *boot, const isa_machine *machine) {
    const isa_label wait = isa_new_label(boot->code), come = isa_new_label(boot->code);
    const uint32_t before = boot->map == boot->maps ? boot->harts : boot->map[-1].thread_count;
    if (before >= boot->map->thread_count)
        return;
    leave_above(boot, machine, before, wait);
    EMIT(jump, come);
    isa_bind(boot->code, wait);
    EMIT(set, ISA_PHASE, boot->layout->phase);
    EMIT(set, ISA_T1, boot->layout[-1].words);
    const isa_label again = label_here(boot);
    EMIT(load, 4, ISA_T3, ISA_T1, 0);
    EMIT(branch, ISA_UNEQUAL, ISA_T3, ISA_PHASE, again);
    machine->fence(boot);
    isa_bind(boot->code, come);
}

/* Ends where the next program begins. */
static void emit_program(isa_boot *boot, const isa_machine *machine, isa_label entry,
                         isa_label next) {
    const isa_label barrier = emit_barrier(boot, machine);
    isa_bind(boot->code, entry);
    leave_above(boot, machine, boot->map->thread_count, next);
    emit_wait(boot, machine);
    if (boot->map != boot->maps) /* emit_entry found that of the first one */
        emit_record(boot, machine);
    emit_start(boot, machine);
    if (has_stubs(boot)) {
        /* The first hart puts down what fetches execute, in memory that the program before has
         * left. All meet at a barrier before anyone fetches. */
        const isa_label others = isa_new_label(boot->code);
        const uint32_t unit = address_bytes(boot);
        EMIT(branch, ISA_UNEQUAL, ISA_HART, ISA_ZERO, others);
        EMIT(set, ISA_T0, boot->layout->stubs);
        EMIT(set, ISA_T1, boot->layout->stubs_end);
        EMIT(set, ISA_T2, isa_stub_word(boot->map->target));
        const isa_label again = label_here(boot);
        EMIT(load, unit, ISA_T3, ISA_T0, 0);
        EMIT(store, ISA_STUB_BYTES, ISA_T2, ISA_T3, 0);
        if (machine->publish != NULL)
            EMIT(publish, ISA_T3);
        EMIT(plus, ISA_T0, ISA_T0, (int32_t)unit);
        EMIT(branch, ISA_UNEQUAL, ISA_T0, ISA_T1, again);
        isa_bind(boot->code, others);
    }
    const isa_label round = label_here(boot), done = isa_new_label(boot->code);
    emit_round(boot, machine, barrier);
    EMIT(set, ISA_T0, boot->map->rounds);
    EMIT(branch, ISA_EQUAL, ISA_ROUND, ISA_T0, done);
    EMIT(jump, round);
    isa_bind(boot->code, done);
    set_state(boot, machine, ISA_STATE_DONE);
    EMIT(call, barrier);
    EMIT(jump, next);
}

/* ---- The whole. */

static void emit_programs(isa_boot *boot, const isa_machine *machine, isa_label entry) {
    const isa_label end = isa_new_label(boot->code), first = isa_new_label(boot->code);
    for (uint32_t p = 0; p < boot->count; p++) {
        const bool is_last = p + 1 == boot->count;
        const isa_label next = is_last ? end : isa_new_label(boot->code);
        boot->map = &boot->maps[p];
        boot->layout = &boot->layouts[p];
        emit_program(boot, machine, entry, next);
        entry = next;
    }
    isa_bind(boot->code, end);
    EMIT(branch, ISA_EQUAL, ISA_HART, ISA_ZERO, first);
    EMIT(jump, boot->park);
    isa_bind(boot->code, first);
    emit_exit(boot, machine, true);
}

void isa_harness_emit(isa_boot *boot) {
    const isa_machine *machine = machine_of(boot->map->target);
    const isa_label harness = isa_new_label(boot->code);
    isa_label *const labels[] = {&boot->park,   &boot->late, &boot->gave_up,
                                 &boot->failed, &boot->trap, &boot->trapped};
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        *labels[i] = isa_new_label(boot->code);
    emit_entry(boot, machine, harness);
    emit_programs(boot, machine, harness);

    isa_bind(boot->code, boot->trapped);
    set_field(boot, machine, ISA_RECORD_CAUSE, ISA_T0);
    set_field(boot, machine, ISA_RECORD_PC, ISA_T1);
    set_field(boot, machine, ISA_RECORD_VALUE, ISA_T2);
    set_state(boot, machine, ISA_STATE_TRAPPED);
    EMIT(jump, boot->failed);
    isa_bind(boot->code, boot->late);
    set_field(boot, machine, ISA_RECORD_CAUSE, ISA_T0);
    set_state(boot, machine, ISA_STATE_ALONE);
    EMIT(jump, boot->failed);
    isa_bind(boot->code, boot->gave_up);
    set_state(boot, machine, ISA_STATE_GAVE_UP);
    isa_bind(boot->code, boot->failed);
    emit_exit(boot, machine, false);
    isa_bind(boot->code, boot->park);
    machine->wait(boot);
    EMIT(jump, boot->park);
}

/*
 * Tables of translation: see harness.h. 39 bits of address with pages of 4 KiB: one level has 512
 * entries of 1 GiB, and each may lead to a table of 512 entries of 2 MiB. On AArch64 it does where
 * a GiB is not all of one kind. On x86-64 it always does, since not all processors have pages of 1
 * GiB, and there is a level above.
 */

enum { ENTRIES = 512, TABLE_BYTES = 4096, TABLE = 3 };
#define GIB (UINT64_C(1) << 30)
#define BLOCK_BYTES (UINT64_C(2) << 20)
/* Where the devices of a PC are: in the first ones. */
enum { DEVICE_GIBS = 4 };

/* What a block of 2 MiB or 1 GiB is. */
enum { CACHED, UNCACHED, DEVICE, KINDS };

/* Index into MAIR_EL1 (aarch64.c), and the rest of a block's attributes: accessed,
 * shareable (inner, or for devices and uncached memory outer), never executed. */
static const uint64_t aarch64_attributes[KINDS] = {
    [CACHED] = 1 | CACHED << 2 | 3 << 8 | 1 << 10,
    [UNCACHED] = 1 | UNCACHED << 2 | 2 << 8 | 1 << 10 | UINT64_C(3) << 53,
    [DEVICE] = 1 | DEVICE << 2 | 2 << 8 | 1 << 10 | UINT64_C(3) << 53,
};

/* Present, writable, of 2 MiB; what is not cached is so by PCD and PWT. */
static const uint64_t x86_64_attributes[KINDS] = {
    [CACHED] = 0x83, [UNCACHED] = 0x9b, [DEVICE] = 0x9b};

static bool is_x86_64(const isa_platform *platform) {
    return platform->target->elf_machine == ISA_EM_X86_64;
}

static bool is_in(const isa_window *window, uint64_t address) {
    return window->size > 0 && address >= window->base && address - window->base < window->size;
}

static uint32_t kind_of(const isa_platform *platform, uint64_t address) {
    return is_in(&platform->ram, address)        ? CACHED
           : is_in(&platform->uncached, address) ? UNCACHED
                                                 : DEVICE;
}

static bool is_uniform(const isa_platform *platform, uint64_t address) {
    for (uint64_t at = 0; at < GIB; at += BLOCK_BYTES)
        if (kind_of(platform, address + at) != kind_of(platform, address))
            return false;
    return true;
}

/* How a GiB is translated. */
typedef enum shape { ABSENT, WHOLE, SPLIT } shape;

static shape shape_of(const isa_platform *platform, uint64_t gib) {
    const bool uniform = is_uniform(platform, gib * GIB);
    if (!is_x86_64(platform))
        return uniform ? WHOLE : SPLIT;
    return uniform && kind_of(platform, gib * GIB) == DEVICE && gib >= DEVICE_GIBS ? ABSENT : SPLIT;
}

static void emit_block(const isa_platform *platform, uint64_t address, isa_code *code) {
    const uint64_t *attributes = is_x86_64(platform) ? x86_64_attributes : aarch64_attributes;
    isa_emit_number(code, address | attributes[kind_of(platform, address)], 8);
}

uint64_t isa_pages_bytes(const isa_platform *platform) {
    if (platform->target->elf_machine == ISA_EM_RISCV)
        return 0;
    uint64_t bytes = is_x86_64(platform) ? (uint64_t)2 * TABLE_BYTES : TABLE_BYTES;
    for (uint64_t i = 0; i < ENTRIES; i++)
        bytes += shape_of(platform, i) == SPLIT ? TABLE_BYTES : 0;
    return bytes;
}

void isa_pages_emit(const isa_platform *platform, uint64_t address, isa_code *code) {
    uint64_t next = address + TABLE_BYTES;
    if (is_x86_64(platform)) {
        /* A table whose first entry is another one. */
        isa_emit_number(code, next | TABLE, 8);
        for (int i = 1; i < ENTRIES; i++)
            isa_emit_number(code, 0, 8);
        next += TABLE_BYTES;
    }
    for (uint64_t i = 0; i < ENTRIES; i++) {
        const shape s = shape_of(platform, i);
        if (s == WHOLE)
            emit_block(platform, i * GIB, code);
        else
            isa_emit_number(code, s == SPLIT ? next | TABLE : 0, 8);
        next += s == SPLIT ? TABLE_BYTES : 0;
    }
    for (uint64_t i = 0; i < ENTRIES; i++)
        for (uint64_t j = 0; j < ENTRIES && shape_of(platform, i) == SPLIT; j++)
            emit_block(platform, i * GIB + j * BLOCK_BYTES, code);
}
