/* SPDX-License-Identifier: MIT */
/*
 * Operations as AArch64 instructions. Acquire and release are ldar and stlr (RCsc) and the A and L
 * of v8.1's atomics. With exclusives, an atomic that has both needs a barrier behind it: others may
 * come between its read and its write, but its write comes before all that follows.
 */
#include "design/isa/aarch64.h"
#include "design/isa/thread_code.h"

enum {
    BASE = 0,
    LOG = 1,
    SALT = 2,
    SKEW = 3,
    ADDRESS = 12,
    VALUE = 13,
    TOKEN = 14,
    COUNT = 15, /* also what an exclusive add leaves */
    STATUS = 16,
    LINK = STATUS, /* of a fetch */
    BUNDLE = 17,
};

static const uint8_t free_registers[] = {3, 4, 5, 6, 7, 8, 9, 10, 11};
static const uint8_t saved_registers[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28};

/* An instruction for 4-byte and for 8-byte words. */
#define BY_WIDTH(t, name) ((t)->word_bytes == 4 ? ISA_A64_##name##_W : ISA_A64_##name)

static void constant(isa_thread *t, uint32_t reg, uint64_t value) {
    isa_a64_constant(t->code, reg, value);
}

static void branch(isa_thread *t, uint32_t reg, bool if_zero, isa_label label) {
    isa_a64_emit(t->code, if_zero ? ISA_A64_CBZ : ISA_A64_CBNZ, (const int64_t[4]){reg, label});
}

static void count_down(isa_thread *t, uint32_t reg, isa_label label) {
    ISA_A64(t->code, SUBI, reg, reg, 1);
    branch(t, reg, false, label);
}

static void jump(isa_thread *t, isa_label label) {
    ISA_A64(t->code, B, label);
}

/* The registers of the set in ascending order. */
static void transfer_saved(isa_thread *t, isa_a64 instruction) {
    int64_t offset = 0;
    for (uint32_t reg = 0; reg < ISA_MAX_REGISTERS; reg++)
        if ((t->saved >> reg & 1) != 0) {
            isa_a64_emit(t->code, instruction, (const int64_t[4]){reg, ISA_A64_SP, offset});
            offset += 8;
        }
}

static int64_t frame_bytes(const isa_thread *t) {
    return ((int64_t)__builtin_popcount(t->saved) + 1) / 2 * 16;
}

static void save(isa_thread *t) {
    if (t->saved == 0)
        return;
    ISA_A64(t->code, SUBI, ISA_A64_SP, ISA_A64_SP, frame_bytes(t));
    transfer_saved(t, ISA_A64_STR);
}

static void leave(isa_thread *t) {
    transfer_saved(t, ISA_A64_LDR);
    if (t->saved != 0)
        ISA_A64(t->code, ADDI, ISA_A64_SP, ISA_A64_SP, frame_bytes(t));
    ISA_A64(t->code, RET, ISA_A64_LR);
}

static void token(isa_thread *t, uint8_t reg) {
    ISA_A64(t->code, EOR, TOKEN, reg, reg);
}

static void bundle_token(isa_thread *t) {
    ISA_A64(t->code, ORR, BUNDLE, BUNDLE, TOKEN);
}

/* The offset is 0 if the instruction has none. */
static isa_place reach(isa_thread *t, uint32_t base, uint64_t distance, bool with_offset,
                       uint32_t result) {
    const uint64_t largest = UINT64_C(4095) * t->word_bytes;
    if (distance == 0 || (with_offset && distance <= largest && distance % t->word_bytes == 0))
        return (isa_place){.reg = base, .offset = (int64_t)distance};
    if (distance <= 4095) {
        ISA_A64(t->code, ADDI, result, base, (int64_t)distance);
    } else {
        isa_a64_constant(t->code, COUNT, distance);
        ISA_A64(t->code, ADD, result, base, COUNT);
    }
    return (isa_place){.reg = result};
}

static isa_place address(isa_thread *t, const isa_access *access) {
    const uint8_t kind = access->operation->kind;
    const bool with_offset = access->operation->order == 0 &&
                             (kind == COL_LOAD || kind == COL_STORE || kind == COL_AWAIT);
    uint32_t base = BASE;
    if (access->has_address_token) {
        ISA_A64(t->code, ADD, ADDRESS, TOKEN, BASE);
        base = ADDRESS;
    }
    return reach(t, base, access->address, with_offset, ADDRESS);
}

/* VALUE = what is written or awaited. */
static void value(isa_thread *t, const isa_access *access) {
    if (access->operation->kind == COL_ADD) {
        isa_a64_constant(t->code, VALUE, access->operand);
    } else if (access->operand <= 4095) {
        ISA_A64(t->code, ADDI, VALUE, SALT, (int64_t)access->operand);
    } else {
        isa_a64_constant(t->code, VALUE, access->operand);
        ISA_A64(t->code, ADD, VALUE, VALUE, SALT);
    }
    if (access->has_data_token)
        ISA_A64(t->code, ADD, VALUE, VALUE, TOKEN);
}

static bool is_ordered(const isa_access *access, uint32_t attribute) {
    return (access->operation->order & attribute) != 0;
}

/* An atomic as a loop. */
static void exclusive(isa_thread *t, const isa_access *access, uint32_t address) {
    const isa_label loop = isa_new_label(t->code);
    const bool adds = access->operation->kind == COL_ADD;
    isa_bind(t->code, loop);
    isa_a64_emit(t->code, is_ordered(access, COL_ACQUIRE) ? BY_WIDTH(t, LDAXR) : BY_WIDTH(t, LDXR),
                 (const int64_t[4]){access->reg, address});
    if (adds)
        ISA_A64(t->code, ADD, COUNT, access->reg, VALUE);
    isa_a64_emit(t->code, is_ordered(access, COL_RELEASE) ? BY_WIDTH(t, STLXR) : BY_WIDTH(t, STXR),
                 (const int64_t[4]){STATUS, adds ? COUNT : VALUE, address});
    ISA_A64(t->code, CBNZ_W, STATUS, loop);
    if (access->operation->order == (COL_ACQUIRE | COL_RELEASE))
        ISA_A64(t->code, DMB, ISA_A64_ISH);
}

static void access_word(isa_thread *t, const isa_access *access, isa_place p) {
    const uint8_t kind = access->operation->kind;
    if (kind == COL_LOAD || kind == COL_AWAIT)
        isa_a64_emit(t->code,
                     is_ordered(access, COL_ACQUIRE) ? BY_WIDTH(t, LDAR) : BY_WIDTH(t, LDR),
                     (const int64_t[4]){access->reg, p.reg, p.offset});
    else if (kind == COL_STORE)
        isa_a64_emit(t->code,
                     is_ordered(access, COL_RELEASE) ? BY_WIDTH(t, STLR) : BY_WIDTH(t, STR),
                     (const int64_t[4]){VALUE, p.reg, p.offset});
    else if (t->settings->exclusives)
        exclusive(t, access, p.reg);
    else
        isa_a64_emit(t->code, kind == COL_SWAP ? BY_WIDTH(t, SWP) : BY_WIDTH(t, LDADD),
                     (const int64_t[4]){VALUE, access->reg, p.reg, access->operation->order});
}

static void compare(isa_thread *t, const isa_access *access, bool if_equal, isa_label label) {
    isa_a64_emit(t->code, BY_WIDTH(t, CMP), (const int64_t[4]){access->reg, VALUE});
    ISA_A64(t->code, BC, if_equal ? ISA_A64_EQ : ISA_A64_NE, label);
}

static void touch(isa_thread *t, isa_place p, isa_touch what) {
    static const isa_a64 instructions[ISA_TOUCHES] = {[ISA_TO_LOAD] = ISA_A64_PRFM_LOAD,
                                                      [ISA_TO_STORE] = ISA_A64_PRFM_STORE,
                                                      [ISA_TO_FETCH] = ISA_A64_PRFM_FETCH,
                                                      [ISA_TO_FLUSH] = ISA_A64_DC_CIVAC};
    isa_a64_emit(t->code, instructions[what], (const int64_t[4]){p.reg});
}

/* A call would change the link register that the thread returns by. */
static uint32_t fetch(isa_thread *t, isa_place p) {
    const isa_label back = isa_new_label(t->code);
    ISA_A64(t->code, ADR, LINK, back);
    const uint32_t here = isa_here(t->code);
    ISA_A64(t->code, BR, p.reg);
    isa_bind(t->code, back);
    return here;
}

static void fence(isa_thread *t, uint32_t pairs) {
    if ((pairs & COL_WRITE_READ) != 0) {
        ISA_A64(t->code, DMB, ISA_A64_ISH);
        return;
    }
    if ((pairs & (COL_READ_READ | COL_READ_WRITE)) != 0)
        ISA_A64(t->code, DMB, ISA_A64_ISHLD);
    if ((pairs & COL_WRITE_WRITE) != 0)
        ISA_A64(t->code, DMB, ISA_A64_ISHST);
}

static void log_value(isa_thread *t, uint8_t reg, uint64_t offset) {
    const isa_place p = reach(t, LOG, offset, true, COUNT);
    isa_a64_emit(t->code, BY_WIDTH(t, STR), (const int64_t[4]){reg, p.reg, p.offset});
}

const isa_emitter isa_aarch64_emitter = {
    .free_registers = free_registers,
    .free_count = sizeof free_registers,
    .saved_registers = saved_registers,
    .saved_count = sizeof saved_registers,
    .result = 0,
    .skew = SKEW,
    .count = COUNT,
    .bundle = BUNDLE,
    .stub = 0xd61f0000 | LINK << 5, /* br LINK */
    .constant = constant,
    .branch = branch,
    .count_down = count_down,
    .jump = jump,
    .jump_far = jump,
    .save = save,
    .leave = leave,
    .token = token,
    .bundle_token = bundle_token,
    .address = address,
    .value = value,
    .access = access_word,
    .compare = compare,
    .touch = touch,
    .fetch = fetch,
    .fence = fence,
    .log = log_value,
};
