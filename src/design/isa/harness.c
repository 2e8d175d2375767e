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

/* A linear congruential generator of 32 bits; its upper half is used. (Numerical Recipes) */
enum { RANDOM_FACTOR = 1664525, RANDOM_TERM = 1013904223 };
#define HART_FACTOR UINT32_C(0x9e3779b1)

/* The first hart waits for the others, and they for it: longer, so that it can say who is missing.
 */
enum { PATIENCE = 4 };

static uint32_t address_bytes(const isa_boot *boot) {
    return boot->platform->target->address_bytes;
}

static uint32_t reg(const isa_boot *boot, isa_role role) {
    return boot->machine->roles[role];
}

void isa_set(isa_boot *boot, isa_role to, uint64_t value) {
    boot->machine->constant(boot->code, boot->platform->target, reg(boot, to), value);
}

static void arithmetic(isa_boot *boot, isa_basic what, isa_role to, isa_role a, isa_role b) {
    boot->machine->basic(boot->code, what, reg(boot, to), reg(boot, a), reg(boot, b));
}

static void plus(isa_boot *boot, isa_role to, isa_role a, int32_t number) {
    boot->machine->basic(boot->code, ISA_PLUS_NUMBER, reg(boot, to), reg(boot, a),
                         (uint32_t)number);
}

static void load(isa_boot *boot, uint32_t bytes, isa_role to, isa_role at, uint32_t offset) {
    const isa_basic what = bytes == 4 ? ISA_LOAD_4 : ISA_LOAD_8;
    boot->machine->basic(boot->code, what, reg(boot, to), reg(boot, at), offset);
}

static void store(isa_boot *boot, uint32_t bytes, isa_role from, isa_role at, uint32_t offset) {
    const isa_basic what = bytes == 4 ? ISA_STORE_4 : ISA_STORE_8;
    boot->machine->basic(boot->code, what, reg(boot, from), reg(boot, at), offset);
}

static void branch(isa_boot *boot, isa_basic condition, isa_role a, isa_role b, isa_label label) {
    boot->machine->basic(boot->code, condition, reg(boot, a), reg(boot, b), label);
}

/* With a label or a register, or with nothing. */
static void basic(isa_boot *boot, isa_basic what, uint32_t operand) {
    boot->machine->basic(boot->code, what, operand, 0, 0);
}

static void jump(isa_boot *boot, isa_label label) {
    basic(boot, ISA_JUMP, label);
}

/* Goes on if the condition holds, and else to a label that may be too far for a branch. */
static void jump_unless(isa_boot *boot, isa_basic condition, isa_role a, isa_role b,
                        isa_label elsewhere) {
    const isa_label here = isa_new_label(boot->code);
    branch(boot, condition, a, b, here);
    jump(boot, elsewhere);
    isa_bind(boot->code, here);
}

/* A field of the record has 8 bytes, whatever the size of a register. */
static void set_field(isa_boot *boot, uint32_t field, isa_role from) {
    store(boot, address_bytes(boot), from, ISA_RECORD, field);
    if (address_bytes(boot) == 4)
        store(boot, 4, ISA_ZERO, ISA_RECORD, field + 4);
}

static void set_state(isa_boot *boot, isa_state state) {
    isa_set(boot, ISA_T0, ISA_STATE_MARK + (uint32_t)state);
    set_field(boot, ISA_RECORD_STATE, ISA_T0);
}

/* ---- The start. */

static void emit_record(isa_boot *boot) {
    isa_set(boot, ISA_RECORD, boot->map->results.base);
    isa_set(boot, ISA_T0, ISA_RECORD_BYTES);
    arithmetic(boot, ISA_TIMES, ISA_T0, ISA_T0, ISA_HART);
    arithmetic(boot, ISA_PLUS, ISA_RECORD, ISA_RECORD, ISA_T0);
    boot->machine->keep_record(boot);
}

/* Harts with a thread in some program go to `harness`, the others have nothing to do. */
static void emit_entry(isa_boot *boot, isa_label harness) {
    boot->machine->enter(boot);
    /* From the word that tells harts apart. */
    const isa_hart *hart = &boot->platform->hart;
    if (hart->from == ISA_HART_MEMORY) {
        isa_set(boot, ISA_T0, hart->address);
        load(boot, 4, ISA_HART, ISA_T0, 0);
    }
    if (hart->shift != 0)
        boot->machine->basic(boot->code, ISA_RIGHT, reg(boot, ISA_HART), reg(boot, ISA_HART),
                             (uint32_t)hart->shift);
    if (hart->mask != UINT32_MAX) {
        isa_set(boot, ISA_T0, hart->mask);
        arithmetic(boot, ISA_AND, ISA_HART, ISA_HART, ISA_T0);
    }
    if (hart->first != 0)
        plus(boot, ISA_HART, ISA_HART, -(int32_t)hart->first);
    isa_set(boot, ISA_T0, boot->harts);
    jump_unless(boot, ISA_IF_BELOW, ISA_HART, ISA_T0, boot->park);
    emit_record(boot);
    if (boot->machine->prepare != NULL)
        boot->machine->prepare(boot);
    jump(boot, harness);
    boot->machine->traps(boot);
}

/* ---- The barrier. */

/* Until the word at T1 is PHASE: T2 counts down. Changes T3; goes to `late` at the end of patience.
 */
static void wait_for_phase(isa_boot *boot, uint64_t limit, isa_label late) {
    const isa_label seen = isa_new_label(boot->code);
    isa_set(boot, ISA_T2, limit);
    const isa_label again = isa_label_here(boot->code);
    load(boot, 4, ISA_T3, ISA_T1, 0);
    branch(boot, ISA_IF_EQUAL, ISA_T3, ISA_PHASE, seen);
    plus(boot, ISA_T2, ISA_T2, -1);
    branch(boot, ISA_IF_UNEQUAL, ISA_T2, ISA_ZERO, again);
    jump(boot, late);
    isa_bind(boot->code, seen);
}

static void emit_device_barrier(isa_boot *boot) {
    const isa_barrier *barrier = &boot->platform->barrier;
    isa_set(boot, ISA_T1, barrier->arrive);
    boot->arrives = isa_here(boot->code);
    store(boot, 4, ISA_PHASE, ISA_T1, 0);
    isa_set(boot, ISA_T1, barrier->go);
    isa_set(boot, ISA_T0, 0);
    wait_for_phase(boot, barrier->limit, boot->late);
}

/* T0 is the hart that is waited for. */
static void emit_word_barrier(isa_boot *boot) {
    const uint64_t limit = boot->platform->barrier.limit;
    const isa_label others = isa_new_label(boot->code), done = isa_new_label(boot->code);
    const isa_label all = isa_new_label(boot->code);
    branch(boot, ISA_IF_UNEQUAL, ISA_HART, ISA_ZERO, others);
    isa_set(boot, ISA_T0, 1);
    isa_set(boot, ISA_T1, boot->layout->words + (uint64_t)2 * ISA_BARRIER_BLOCK);
    isa_set(boot, ISA_T4, boot->map->thread_count);
    const isa_label next = isa_label_here(boot->code);
    branch(boot, ISA_IF_EQUAL, ISA_T0, ISA_T4, all);
    wait_for_phase(boot, limit, boot->late);
    plus(boot, ISA_T0, ISA_T0, 1);
    plus(boot, ISA_T1, ISA_T1, ISA_BARRIER_BLOCK);
    jump(boot, next);
    isa_bind(boot->code, all);
    basic(boot, ISA_FENCE, 0);
    isa_set(boot, ISA_T1, boot->layout->words);
    store(boot, 4, ISA_PHASE, ISA_T1, 0);
    jump(boot, done);

    isa_bind(boot->code, others);
    isa_set(boot, ISA_T1, boot->layout->words + ISA_BARRIER_BLOCK);
    isa_set(boot, ISA_T2, ISA_BARRIER_BLOCK);
    arithmetic(boot, ISA_TIMES, ISA_T2, ISA_T2, ISA_HART);
    arithmetic(boot, ISA_PLUS, ISA_T1, ISA_T1, ISA_T2);
    store(boot, 4, ISA_PHASE, ISA_T1, 0);
    isa_set(boot, ISA_T1, boot->layout->words);
    isa_set(boot, ISA_T0, 0);
    wait_for_phase(boot, PATIENCE * limit, boot->late);
    isa_bind(boot->code, done);
}

static isa_label emit_barrier(isa_boot *boot) {
    const isa_label barrier = isa_label_here(boot->code);
    plus(boot, ISA_PHASE, ISA_PHASE, 1);
    basic(boot, ISA_FENCE, 0);
    (boot->platform->barrier.kind == ISA_BARRIER_DEVICE ? emit_device_barrier
                                                        : emit_word_barrier)(boot);
    basic(boot, ISA_FENCE, 0);
    basic(boot, ISA_RETURN, 0);
    return barrier;
}

/* ---- The end. */

static void emit_exit(isa_boot *boot, bool passed) {
    enum { PARAMETERS = 48, STOPPED = 0x20026 }; /* ADP_Stopped_ApplicationExit, and a status */
    const isa_exit *way = &boot->platform->exit;
    uint64_t word = passed ? way->pass : way->fail;
    uint64_t address = way->address;
    basic(boot, ISA_FENCE, 0);
    switch ((isa_exit_kind)way->kind) {
    case ISA_EXIT_SEMIHOSTING: /* the parameters are in the record, behind its fields */
        isa_set(boot, ISA_T0, STOPPED);
        store(boot, address_bytes(boot), ISA_T0, ISA_RECORD, PARAMETERS);
        isa_set(boot, ISA_T0, passed ? 0 : 1);
        store(boot, address_bytes(boot), ISA_T0, ISA_RECORD, PARAMETERS + address_bytes(boot));
        plus(boot, ISA_A1, ISA_RECORD, PARAMETERS);
        boot->machine->exit(boot, passed);
        break;
    case ISA_EXIT_PSCI:
    case ISA_EXIT_PORT:
        boot->machine->exit(boot, passed);
        break;
    case ISA_EXIT_TOHOST: /* an odd number ends the run: its upper bits are the status */
        word = passed ? 1 : 3;
        address = boot->layout->tohost;
        isa_set(boot, ISA_T1, address + 4);
        store(boot, 4, ISA_ZERO, ISA_T1, 0);
        break;
    case ISA_EXIT_FINISHER:
        word = passed ? 0x5555 : 0x13333;
        break;
    default:
        break;
    }
    if (way->kind == ISA_EXIT_TOHOST || way->kind == ISA_EXIT_FINISHER ||
        way->kind == ISA_EXIT_WRITE) {
        isa_set(boot, ISA_T0, word);
        isa_set(boot, ISA_T1, address);
        store(boot, 4, ISA_T0, ISA_T1, 0);
    }
    jump(boot, boot->park);
}

/* ---- Rounds. */

/* The slots of this hart in the round's part of the log: T0 to T1. */
static void find_slots(isa_boot *boot) {
    const uint32_t unit = address_bytes(boot);
    load(boot, unit, ISA_T0, ISA_ROW, ISA_ROW_SLOTS * unit);
    load(boot, unit, ISA_T1, ISA_ROW, ISA_ROW_SLOTS_END * unit);
    arithmetic(boot, ISA_PLUS, ISA_T0, ISA_T0, ISA_PART);
    arithmetic(boot, ISA_PLUS, ISA_T1, ISA_T1, ISA_PART);
}

static void emit_empty_slots(isa_boot *boot) {
    const isa_label done = isa_new_label(boot->code);
    find_slots(boot);
    plus(boot, ISA_T2, ISA_ZERO, -1);
    const isa_label again = isa_label_here(boot->code);
    branch(boot, ISA_IF_EQUAL, ISA_T0, ISA_T1, done);
    store(boot, boot->map->word_bytes, ISA_T2, ISA_T0, 0);
    plus(boot, ISA_T0, ISA_T0, (int32_t)boot->map->word_bytes);
    jump(boot, again);
    isa_bind(boot->code, done);
}

/* For each location of the share: its final word is logged, or it gets its initial one. */
static void emit_share(isa_boot *boot, bool is_final) {
    const uint32_t unit = address_bytes(boot), word = boot->map->word_bytes;
    const isa_label done = isa_new_label(boot->code);
    /* T4 = the first location of this hart's share, which is every n-th one. Shares go round, so
     * that a location begins in another hart's cache each time. */
    const isa_label found = isa_new_label(boot->code);
    arithmetic(boot, ISA_PLUS, ISA_T4, ISA_HART, ISA_TURN);
    isa_set(boot, ISA_T0, boot->map->thread_count);
    branch(boot, ISA_IF_BELOW, ISA_T4, ISA_T0, found);
    isa_set(boot, ISA_T0, (uint64_t) - (int64_t)boot->map->thread_count);
    arithmetic(boot, ISA_PLUS, ISA_T4, ISA_T4, ISA_T0);
    isa_bind(boot->code, found);
    isa_set(boot, ISA_T0, unit);
    arithmetic(boot, ISA_TIMES, ISA_T0, ISA_T0, ISA_T4);
    isa_set(boot, ISA_T1, boot->layout->locations);
    arithmetic(boot, ISA_PLUS, ISA_T0, ISA_T0, ISA_T1);
    isa_set(boot, ISA_T1, boot->layout->locations_end);
    if (is_final) {
        isa_set(boot, ISA_T2, word);
        arithmetic(boot, ISA_TIMES, ISA_T2, ISA_T2, ISA_T4);
        arithmetic(boot, ISA_PLUS, ISA_T2, ISA_T2, ISA_PART);
        isa_set(boot, ISA_T3, boot->map->finals_offset);
        arithmetic(boot, ISA_PLUS, ISA_T2, ISA_T2, ISA_T3);
    }
    const isa_label again = isa_label_here(boot->code);
    jump_unless(boot, ISA_IF_BELOW, ISA_T0, ISA_T1, done);
    load(boot, unit, ISA_T3, ISA_T0, 0);
    if (is_final) {
        load(boot, word, ISA_T4, ISA_T3, 0);
        store(boot, word, ISA_T4, ISA_T2, 0);
        isa_set(boot, ISA_T4, (uint64_t)word * boot->map->thread_count);
        arithmetic(boot, ISA_PLUS, ISA_T2, ISA_T2, ISA_T4);
    } else {
        store(boot, word, ISA_SALT, ISA_T3, 0);
    }
    isa_set(boot, ISA_T4, (uint64_t)unit * boot->map->thread_count);
    arithmetic(boot, ISA_PLUS, ISA_T0, ISA_T0, ISA_T4);
    jump(boot, again);
    isa_bind(boot->code, done);
}

/* The thread with its start skew; what an await did is in A0. */
static void emit_call(isa_boot *boot) {
    if (boot->asks_skew) {
        isa_set(boot, ISA_T0, boot->platform->barrier.arrive);
        load(boot, 4, ISA_A3, ISA_T0, 0);
    } else {
        isa_set(boot, ISA_T0, RANDOM_FACTOR);
        arithmetic(boot, ISA_TIMES, ISA_RANDOM, ISA_RANDOM, ISA_T0);
        isa_set(boot, ISA_T0, RANDOM_TERM);
        arithmetic(boot, ISA_PLUS, ISA_RANDOM, ISA_RANDOM, ISA_T0);
        boot->machine->basic(boot->code, ISA_RIGHT, reg(boot, ISA_A3), reg(boot, ISA_RANDOM), 16);
    }
    isa_set(boot, ISA_T0, boot->skew_mask);
    arithmetic(boot, ISA_AND, ISA_A3, ISA_A3, ISA_T0);
    find_slots(boot);
    plus(boot, ISA_A1, ISA_T0, 0);
    plus(boot, ISA_A2, ISA_SALT, 0);
    isa_set(boot, ISA_A0, boot->layout->memory);
    load(boot, address_bytes(boot), ISA_T0, ISA_ROW, ISA_ROW_FUNCTION * address_bytes(boot));
    basic(boot, ISA_CALL_AT, reg(boot, ISA_T0));
}

/* What changes from program to program. */
static void emit_start(isa_boot *boot) {
    const isa_map *map = boot->map;
    isa_set(boot, ISA_ROW, (uint64_t)ISA_ROW_COUNT * address_bytes(boot));
    arithmetic(boot, ISA_TIMES, ISA_ROW, ISA_ROW, ISA_HART);
    isa_set(boot, ISA_T0, boot->layout->rows);
    arithmetic(boot, ISA_PLUS, ISA_ROW, ISA_ROW, ISA_T0);
    load(boot, address_bytes(boot), ISA_T0, ISA_ROW, ISA_ROW_STACK * address_bytes(boot));
    basic(boot, ISA_SET_STACK, reg(boot, ISA_T0));
    isa_set(boot, ISA_ROUND, 0);
    isa_set(boot, ISA_TURN, 0);
    isa_set(boot, ISA_PHASE, boot->layout->phase);
    isa_set(boot, ISA_SALT, map->salt_first * map->salt_step & map->salt_mask);
    isa_set(boot, ISA_PART, map->results.base + isa_map_log(map));
    isa_set(boot, ISA_RANDOM, HART_FACTOR);
    arithmetic(boot, ISA_TIMES, ISA_RANDOM, ISA_RANDOM, ISA_HART);
    isa_set(boot, ISA_T0, (uint32_t)(map->seed ^ map->seed >> 32));
    arithmetic(boot, ISA_PLUS, ISA_RANDOM, ISA_RANDOM, ISA_T0);
    isa_set(boot, ISA_T0, map->image);
    set_field(boot, ISA_RECORD_IMAGE, ISA_T0);
    set_state(boot, ISA_STATE_RUNNING);
}

static bool has_stubs(const isa_boot *boot) {
    return boot->layout->stubs != boot->layout->stubs_end;
}

static void emit_round(isa_boot *boot, isa_label barrier) {
    const isa_map *map = boot->map;
    isa_set(boot, ISA_T0, map->salt_step);
    arithmetic(boot, ISA_PLUS, ISA_SALT, ISA_SALT, ISA_T0);
    isa_set(boot, ISA_T0, map->salt_mask);
    arithmetic(boot, ISA_AND, ISA_SALT, ISA_SALT, ISA_T0);
    set_field(boot, ISA_RECORD_ROUND, ISA_ROUND);
    if (map->stride > 0)
        emit_empty_slots(boot);
    emit_share(boot, false);
    basic(boot, ISA_CALL, barrier);
    if (has_stubs(boot)) /* in each round: some instruction caches then begin it empty */
        basic(boot, ISA_SEE_CODE, 0);
    emit_call(boot);
    jump_unless(boot, ISA_IF_EQUAL, ISA_A0, ISA_ZERO, boot->gave_up);
    basic(boot, ISA_CALL, barrier);
    const isa_label below = isa_new_label(boot->code);
    plus(boot, ISA_TURN, ISA_TURN, 1);
    isa_set(boot, ISA_T0, boot->map->thread_count);
    branch(boot, ISA_IF_BELOW, ISA_TURN, ISA_T0, below);
    isa_set(boot, ISA_TURN, 0);
    isa_bind(boot->code, below);
    if (map->finals_offset != ISA_NO_FINALS)
        emit_share(boot, true);
    isa_set(boot, ISA_T0, map->stride);
    arithmetic(boot, ISA_PLUS, ISA_PART, ISA_PART, ISA_T0);
    plus(boot, ISA_ROUND, ISA_ROUND, 1);
}

/* ---- Programs. */

/* A hart that has no thread in a program of this many goes elsewhere. */
static void leave_above(isa_boot *boot, uint32_t threads, isa_label elsewhere) {
    if (threads >= boot->harts)
        return;
    isa_set(boot, ISA_T0, threads);
    jump_unless(boot, ISA_IF_BELOW, ISA_HART, ISA_T0, elsewhere);
}

/* A hart that had no thread in the program before waits for those that had, as one that is parked
 * does: without a limit. With a device all programs have the same threads. */
static void emit_wait(isa_boot *boot) {
    const isa_label wait = isa_new_label(boot->code), come = isa_new_label(boot->code);
    const uint32_t before = boot->map == boot->maps ? boot->harts : boot->map[-1].thread_count;
    if (before >= boot->map->thread_count)
        return;
    leave_above(boot, before, wait);
    jump(boot, come);
    isa_bind(boot->code, wait);
    isa_set(boot, ISA_PHASE, boot->layout->phase);
    isa_set(boot, ISA_T1, boot->layout[-1].words);
    const isa_label again = isa_label_here(boot->code);
    load(boot, 4, ISA_T3, ISA_T1, 0);
    branch(boot, ISA_IF_UNEQUAL, ISA_T3, ISA_PHASE, again);
    basic(boot, ISA_FENCE, 0);
    isa_bind(boot->code, come);
}

/* Ends where the next program begins. */
static void emit_program(isa_boot *boot, isa_label entry, isa_label next) {
    const isa_label barrier = emit_barrier(boot);
    isa_bind(boot->code, entry);
    leave_above(boot, boot->map->thread_count, next);
    emit_wait(boot);
    if (boot->map != boot->maps) /* emit_entry found that of the first one */
        emit_record(boot);
    emit_start(boot);
    if (has_stubs(boot)) {
        /* The first hart puts down what fetches execute, in memory that the program before has
         * left. All meet at a barrier before anyone fetches. */
        const isa_label others = isa_new_label(boot->code);
        const uint32_t unit = address_bytes(boot);
        branch(boot, ISA_IF_UNEQUAL, ISA_HART, ISA_ZERO, others);
        isa_set(boot, ISA_T0, boot->layout->stubs);
        isa_set(boot, ISA_T1, boot->layout->stubs_end);
        isa_set(boot, ISA_T2, isa_stub_word(boot->map->target));
        const isa_label again = isa_label_here(boot->code);
        load(boot, unit, ISA_T3, ISA_T0, 0);
        store(boot, ISA_STUB_BYTES, ISA_T2, ISA_T3, 0);
        if (boot->machine->publish != NULL)
            boot->machine->publish(boot, ISA_T3);
        plus(boot, ISA_T0, ISA_T0, (int32_t)unit);
        branch(boot, ISA_IF_UNEQUAL, ISA_T0, ISA_T1, again);
        isa_bind(boot->code, others);
    }
    const isa_label round = isa_label_here(boot->code);
    emit_round(boot, barrier);
    isa_set(boot, ISA_T0, boot->map->rounds);
    jump_unless(boot, ISA_IF_EQUAL, ISA_ROUND, ISA_T0, round);
    set_state(boot, ISA_STATE_DONE);
    basic(boot, ISA_CALL, barrier);
    jump(boot, next);
}

/* ---- The whole. */

static void emit_programs(isa_boot *boot, isa_label entry) {
    const isa_label end = isa_new_label(boot->code);
    for (uint32_t p = 0; p < boot->count; p++) {
        const bool is_last = p + 1 == boot->count;
        const isa_label next = is_last ? end : isa_new_label(boot->code);
        boot->map = &boot->maps[p];
        boot->layout = &boot->layouts[p];
        emit_program(boot, entry, next);
        entry = next;
    }
    isa_bind(boot->code, end);
    jump_unless(boot, ISA_IF_EQUAL, ISA_HART, ISA_ZERO, boot->park);
    emit_exit(boot, true);
}

void isa_harness_emit(isa_boot *boot) {
    const isa_label harness = isa_new_label(boot->code);
    isa_label *const labels[] = {&boot->park,   &boot->late, &boot->gave_up,
                                 &boot->failed, &boot->trap, &boot->trapped};
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        *labels[i] = isa_new_label(boot->code);
    emit_entry(boot, harness);
    emit_programs(boot, harness);

    isa_bind(boot->code, boot->trapped);
    set_field(boot, ISA_RECORD_CAUSE, ISA_T0);
    set_field(boot, ISA_RECORD_PC, ISA_T1);
    set_field(boot, ISA_RECORD_VALUE, ISA_T2);
    set_state(boot, ISA_STATE_TRAPPED);
    jump(boot, boot->failed);
    isa_bind(boot->code, boot->late);
    set_field(boot, ISA_RECORD_CAUSE, ISA_T0);
    set_state(boot, ISA_STATE_ALONE);
    jump(boot, boot->failed);
    isa_bind(boot->code, boot->gave_up);
    set_state(boot, ISA_STATE_GAVE_UP);
    isa_bind(boot->code, boot->failed);
    emit_exit(boot, false);
    isa_bind(boot->code, boot->park);
    basic(boot, ISA_WAIT, 0);
    jump(boot, boot->park);
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

static uint32_t kind_of(const isa_platform *platform, uint64_t address) {
    return isa_is_within(&platform->ram, address)        ? CACHED
           : isa_is_within(&platform->uncached, address) ? UNCACHED
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
