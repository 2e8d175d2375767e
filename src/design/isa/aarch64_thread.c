/* SPDX-License-Identifier: MIT */
/*
 * Operations as AArch64 instructions. Acquire and release are ldar and stlr (RCsc) and the A and L
 * of v8.1's atomics. With exclusives, an atomic that has both needs a barrier behind it: others may
 * come between its read and its write, but its write comes before all that follows.
 */
#include "isa/aarch64.h"
#include "isa/emitter.h"

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

static void count_down(isa_thread *t, uint32_t reg) {
    const isa_label loop = isa_new_label(t->code);
    isa_bind(t->code, loop);
    ISA_A64(t->code, SUBI, reg, reg, 1);
    ISA_A64(t->code, CBNZ, reg, loop);
}

static int64_t frame_bytes(const isa_thread *t) {
    return ((int64_t)__builtin_popcount(t->saved) + 1) / 2 * 16;
}

/* Save or restore: the registers of the set in ascending order. */
static void transfer_saved(isa_thread *t, isa_a64 instruction) {
    int64_t offset = 0;
    for (uint32_t reg = 0; reg < ISA_MAX_REGISTERS; reg++)
        if ((t->saved >> reg & 1) != 0) {
            isa_a64_emit(t->code, instruction, (const int64_t[4]){reg, ISA_A64_SP, offset});
            offset += 8;
        }
}

static void enter(isa_thread *t) {
    if (t->saved != 0) {
        ISA_A64(t->code, SUBI, ISA_A64_SP, ISA_A64_SP, frame_bytes(t));
        transfer_saved(t, ISA_A64_STR);
    }
    if (t->uses_bundle)
        isa_a64_constant(t->code, BUNDLE, 0);
    const isa_label start = isa_new_label(t->code);
    ISA_A64(t->code, CBZ, SKEW, start);
    count_down(t, SKEW);
    isa_bind(t->code, start);
}

static void leave(isa_thread *t) {
    const isa_label end = isa_new_label(t->code);
    isa_a64_constant(t->code, 0, 0);
    if (t->has_awaits) {
        ISA_A64(t->code, B, end);
        isa_bind(t->code, t->failed);
        isa_a64_constant(t->code, 0, 1);
    }
    isa_bind(t->code, end);
    if (t->saved != 0) {
        transfer_saved(t, ISA_A64_LDR);
        ISA_A64(t->code, ADDI, ISA_A64_SP, ISA_A64_SP, frame_bytes(t));
    }
    ISA_A64(t->code, RET, ISA_A64_LR);
}

static void token(isa_thread *t, uint8_t reg) {
    ISA_A64(t->code, EOR, TOKEN, reg, reg);
}

static void add_to_bundle(isa_thread *t, uint8_t reg) {
    token(t, reg);
    ISA_A64(t->code, ORR, BUNDLE, BUNDLE, TOKEN);
}

static void control(isa_thread *t, uint8_t reg) {
    const isa_label next = isa_new_label(t->code);
    ISA_A64(t->code, CBNZ, reg, next);
    isa_bind(t->code, next);
}

/* The register and the offset of an address; the offset is 0 if the instruction has none. */
typedef struct place {
    uint32_t reg;
    int64_t offset;
} place;

static place reach(isa_thread *t, uint32_t base, uint64_t distance, bool with_offset,
                   uint32_t result) {
    const uint64_t largest = UINT64_C(4095) * t->word_bytes;
    if (distance == 0 || (with_offset && distance <= largest && distance % t->word_bytes == 0))
        return (place){base, (int64_t)distance};
    if (distance <= 4095) {
        ISA_A64(t->code, ADDI, result, base, (int64_t)distance);
    } else {
        isa_a64_constant(t->code, COUNT, distance);
        ISA_A64(t->code, ADD, result, base, COUNT);
    }
    return (place){result, 0};
}

static place address_of(isa_thread *t, const isa_access *access, bool with_offset) {
    uint32_t base = BASE;
    if (access->has_address_token) {
        ISA_A64(t->code, ADD, ADDRESS, TOKEN, BASE);
        base = ADDRESS;
    }
    return reach(t, base, access->address, with_offset, ADDRESS);
}

/* VALUE = what is written or awaited. */
static void bring_value(isa_thread *t, const isa_access *access) {
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
static uint32_t exclusive(isa_thread *t, const isa_access *access, uint32_t address) {
    const isa_label loop = isa_new_label(t->code);
    const bool adds = access->operation->kind == COL_ADD;
    isa_bind(t->code, loop);
    const uint32_t here = isa_here(t->code);
    isa_a64_emit(t->code, is_ordered(access, COL_ACQUIRE) ? BY_WIDTH(t, LDAXR) : BY_WIDTH(t, LDXR),
                 (const int64_t[4]){access->reg, address});
    if (adds)
        ISA_A64(t->code, ADD, COUNT, access->reg, VALUE);
    isa_a64_emit(t->code, is_ordered(access, COL_RELEASE) ? BY_WIDTH(t, STLXR) : BY_WIDTH(t, STXR),
                 (const int64_t[4]){STATUS, adds ? COUNT : VALUE, address});
    ISA_A64(t->code, CBNZ_W, STATUS, loop);
    if (access->operation->order == (COL_ACQUIRE | COL_RELEASE))
        ISA_A64(t->code, DMB, ISA_A64_ISH);
    return here;
}

static uint32_t load_word(isa_thread *t, const isa_access *access, place p) {
    const uint32_t here = isa_here(t->code);
    isa_a64_emit(t->code, is_ordered(access, COL_ACQUIRE) ? BY_WIDTH(t, LDAR) : BY_WIDTH(t, LDR),
                 (const int64_t[4]){access->reg, p.reg, p.offset});
    return here;
}

static uint32_t access_word(isa_thread *t, const isa_access *access) {
    const uint8_t kind = access->operation->kind;
    const bool with_offset =
        access->operation->order == 0 && (kind == COL_LOAD || kind == COL_STORE);
    const place p = address_of(t, access, with_offset);
    if (kind == COL_LOAD)
        return load_word(t, access, p);
    bring_value(t, access);
    if (kind != COL_STORE && t->settings->exclusives)
        return exclusive(t, access, p.reg);
    const uint32_t here = isa_here(t->code);
    if (kind == COL_STORE)
        isa_a64_emit(t->code,
                     is_ordered(access, COL_RELEASE) ? BY_WIDTH(t, STLR) : BY_WIDTH(t, STR),
                     (const int64_t[4]){VALUE, p.reg, p.offset});
    else
        isa_a64_emit(t->code, kind == COL_SWAP ? BY_WIDTH(t, SWP) : BY_WIDTH(t, LDADD),
                     (const int64_t[4]){VALUE, access->reg, p.reg, access->operation->order});
    return here;
}

static uint32_t await(isa_thread *t, const isa_access *access, isa_label done) {
    const place p = address_of(t, access, access->operation->order == 0);
    bring_value(t, access);
    if (t->settings->await_limit != 0)
        isa_a64_constant(t->code, COUNT, t->settings->await_limit);
    const isa_label loop = isa_new_label(t->code);
    isa_bind(t->code, loop);
    const uint32_t here = load_word(t, access, p);
    isa_a64_emit(t->code, BY_WIDTH(t, CMP), (const int64_t[4]){access->reg, VALUE});
    if (t->settings->await_limit == 0) {
        ISA_A64(t->code, BC, ISA_A64_NE, loop);
        return here;
    }
    ISA_A64(t->code, BC, ISA_A64_EQ, done);
    ISA_A64(t->code, SUBI, COUNT, COUNT, 1);
    ISA_A64(t->code, CBNZ, COUNT, loop);
    return here;
}

static uint32_t flush(isa_thread *t, const isa_access *access) {
    const place p = address_of(t, access, false);
    const uint32_t here = isa_here(t->code);
    ISA_A64(t->code, DC_CIVAC, p.reg);
    return here;
}

static uint32_t prefetch(isa_thread *t, const isa_access *access, isa_purpose purpose) {
    static const isa_a64 instructions[ISA_PURPOSES] = {[ISA_TO_LOAD] = ISA_A64_PRFM_LOAD,
                                                       [ISA_TO_STORE] = ISA_A64_PRFM_STORE,
                                                       [ISA_TO_FETCH] = ISA_A64_PRFM_FETCH};
    const place p = address_of(t, access, false);
    const uint32_t here = isa_here(t->code);
    isa_a64_emit(t->code, instructions[purpose], (const int64_t[4]){p.reg});
    return here;
}

/* A call would change the link register that the thread returns by. */
static uint32_t fetch(isa_thread *t, const isa_access *access) {
    const isa_label back = isa_new_label(t->code);
    const place p = address_of(t, access, false);
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

static void delay(isa_thread *t, uint32_t iterations) {
    isa_a64_constant(t->code, COUNT, iterations);
    count_down(t, COUNT);
}

static void log_value(isa_thread *t, uint8_t reg, uint64_t offset) {
    const place p = reach(t, LOG, offset, true, COUNT);
    isa_a64_emit(t->code, BY_WIDTH(t, STR), (const int64_t[4]){reg, p.reg, p.offset});
}

static void jump(isa_thread *t, isa_label label) {
    ISA_A64(t->code, B, label);
}

const isa_emitter isa_aarch64_emitter = {
    .free_registers = free_registers,
    .free_count = sizeof free_registers,
    .saved_registers = saved_registers,
    .saved_count = sizeof saved_registers,
    .bundle = BUNDLE,
    .stub = 0xd61f0000 | LINK << 5, /* br LINK */
    .enter = enter,
    .leave = leave,
    .token = token,
    .add_to_bundle = add_to_bundle,
    .control = control,
    .access = access_word,
    .await = await,
    .flush = flush,
    .prefetch = prefetch,
    .fetch = fetch,
    .fence = fence,
    .delay = delay,
    .log = log_value,
    .jump = jump,
};
