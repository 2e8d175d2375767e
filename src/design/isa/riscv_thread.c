/* SPDX-License-Identifier: MIT */
/*
 * Operations as RISC-V instructions. Plain loads and stores have no aq and rl, so fences stand for
 * them; for the model's RCsc, a fence w,r keeps an acquire behind the releases before it, unless
 * both are atomics.
 */
#include "design/isa/riscv.h"
#include "design/isa/thread_code.h"

enum {
    BASE = ISA_RV_A0,
    LOG = ISA_RV_A0 + 1,
    SALT = ISA_RV_A0 + 2,
    SKEW = ISA_RV_A0 + 3,
    ADDRESS = ISA_RV_T0,
    VALUE = ISA_RV_T0 + 1,
    TOKEN = ISA_RV_T0 + 2,
    COUNT = ISA_RV_T3,
    LINK = COUNT, /* of a fetch */
    BUNDLE = ISA_RV_T3 + 1,
};

static const uint8_t free_registers[] = {13, 14, 15, 16, 17, 30, 31};
static const uint8_t saved_registers[] = {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};

/* Releases before: with rl, and with a fence. */
enum { RELEASED_BY_ATOMIC = 1, RELEASED_BY_STORE = 2 };

enum { R = ISA_RV_READS, W = ISA_RV_WRITES, RW = R | W };

static bool is_short(int64_t value) {
    return value >= -2048 && value <= 2047;
}

static void constant(isa_thread *t, uint32_t reg, uint64_t value) {
    isa_rv_constant(t->code, t->target->address_bytes, reg, value);
}

static void load_word(isa_thread *t, uint32_t bytes, uint32_t reg, uint32_t base, int64_t offset) {
    isa_rv_emit(t->code, bytes == 4 ? ISA_RV_LW : ISA_RV_LD, (const int64_t[4]){reg, base, offset});
}

static void store_word(isa_thread *t, uint32_t bytes, uint32_t reg, uint32_t base, int64_t offset) {
    isa_rv_emit(t->code, bytes == 4 ? ISA_RV_SW : ISA_RV_SD, (const int64_t[4]){reg, base, offset});
}

static void branch(isa_thread *t, uint32_t reg, bool if_zero, isa_label label) {
    isa_rv_emit(t->code, if_zero ? ISA_RV_BEQ : ISA_RV_BNE, (const int64_t[4]){reg, 0, label});
}

static void count_down(isa_thread *t, uint32_t reg, isa_label label) {
    ISA_RV(t->code, ADDI, reg, reg, -1);
    branch(t, reg, false, label);
}

static void jump(isa_thread *t, isa_label label) {
    ISA_RV(t->code, JAL, 0, label);
}

static void jump_far(isa_thread *t, isa_label label) {
    isa_rv_far(t->code, 0, TOKEN, label);
}

/* The registers of the set in ascending order; the stack pointer moves before or after. */
static void transfer_saved(isa_thread *t, bool saves) {
    const uint32_t unit = t->target->address_bytes;
    const int64_t frame = ((int64_t)__builtin_popcount(t->saved) * unit + 15) / 16 * 16;
    int64_t offset = 0;
    if (t->saved == 0)
        return;
    if (saves)
        ISA_RV(t->code, ADDI, ISA_RV_SP, ISA_RV_SP, -frame);
    for (uint32_t reg = 0; reg < ISA_MAX_REGISTERS; reg++)
        if ((t->saved >> reg & 1) != 0) {
            (saves ? store_word : load_word)(t, unit, reg, ISA_RV_SP, offset);
            offset += unit;
        }
    if (!saves)
        ISA_RV(t->code, ADDI, ISA_RV_SP, ISA_RV_SP, frame);
}

static void save(isa_thread *t) {
    transfer_saved(t, true);
}

static void leave(isa_thread *t) {
    transfer_saved(t, false);
    ISA_RV(t->code, JALR, 0, ISA_RV_RA, 0);
}

static void token(isa_thread *t, uint8_t reg) {
    ISA_RV(t->code, XOR, TOKEN, reg, reg);
}

static void bundle_token(isa_thread *t) {
    ISA_RV(t->code, OR, BUNDLE, BUNDLE, TOKEN);
}

static void fence_sets(isa_thread *t, uint32_t before, uint32_t after) {
    ISA_RV(t->code, FENCE, before, after);
    if ((before & W) != 0 && (after & R) != 0)
        t->pending_release = 0;
}

static bool is_atomic(const isa_access *access) {
    return access->operation->kind == COL_SWAP || access->operation->kind == COL_ADD;
}

static void before(isa_thread *t, const isa_access *access) {
    const uint8_t order = access->operation->order;
    const bool atomic = is_atomic(access);
    const uint8_t unordered = atomic ? t->pending_release & RELEASED_BY_STORE : t->pending_release;
    if ((order & COL_ACQUIRE) != 0 && unordered != 0)
        fence_sets(t, W, R);
    if ((order & COL_RELEASE) == 0)
        return;
    if (!atomic)
        fence_sets(t, RW, W);
    t->pending_release |= atomic ? RELEASED_BY_ATOMIC : RELEASED_BY_STORE;
}

static void after(isa_thread *t, const isa_access *access) {
    if ((access->operation->order & COL_ACQUIRE) != 0 && !is_atomic(access))
        fence_sets(t, R, RW);
}

/* The offset is 0 if the instruction has none. */
static isa_place reach(isa_thread *t, uint32_t base, uint64_t distance, bool with_offset,
                       uint32_t result) {
    const int64_t number =
        t->target->address_bytes == 4 ? (int32_t)(uint32_t)distance : (int64_t)distance;
    if (is_short(number) && (with_offset || number == 0))
        return (isa_place){.reg = base, .offset = number};
    if (is_short(number)) {
        ISA_RV(t->code, ADDI, result, base, number);
        return (isa_place){.reg = result};
    }
    const int64_t low = with_offset ? ((number & 0xfff) ^ 0x800) - 0x800 : 0;
    constant(t, COUNT, (uint64_t)number - (uint64_t)low);
    ISA_RV(t->code, ADD, result, base, COUNT);
    return (isa_place){.reg = result, .offset = low};
}

static isa_place address(isa_thread *t, const isa_access *access) {
    const uint8_t kind = access->operation->kind;
    const bool with_offset =
        kind == COL_LOAD || kind == COL_STORE || kind == COL_AWAIT || kind == COL_FETCH;
    uint32_t base = BASE;
    if (access->has_address_token) {
        ISA_RV(t->code, ADD, ADDRESS, TOKEN, BASE);
        base = ADDRESS;
    }
    return reach(t, base, access->address, with_offset, ADDRESS);
}

/* VALUE = what is written or awaited. Of 4-byte words on rv64 it is sign-extended, as loads are. */
static void value(isa_thread *t, const isa_access *access) {
    const bool narrow = t->word_bytes < t->target->address_bytes;
    const isa_rv add = narrow ? ISA_RV_ADDW : ISA_RV_ADD;
    if (access->operation->kind == COL_ADD) {
        constant(t, VALUE, access->operand);
    } else if (is_short((int64_t)access->operand)) {
        isa_rv_emit(t->code, narrow ? ISA_RV_ADDIW : ISA_RV_ADDI,
                    (const int64_t[4]){VALUE, SALT, (int64_t)access->operand});
    } else {
        constant(t, VALUE, access->operand);
        isa_rv_emit(t->code, add, (const int64_t[4]){VALUE, VALUE, SALT});
    }
    if (access->has_data_token)
        isa_rv_emit(t->code, add, (const int64_t[4]){VALUE, VALUE, TOKEN});
}

static void access_word(isa_thread *t, const isa_access *access, isa_place p) {
    const uint8_t kind = access->operation->kind;
    if (kind == COL_LOAD || kind == COL_AWAIT) {
        load_word(t, t->word_bytes, access->reg, p.reg, p.offset);
    } else if (kind == COL_STORE) {
        store_word(t, t->word_bytes, VALUE, p.reg, p.offset);
    } else {
        const isa_rv swap = t->word_bytes == 4 ? ISA_RV_AMOSWAP_W : ISA_RV_AMOSWAP_D;
        const isa_rv add = t->word_bytes == 4 ? ISA_RV_AMOADD_W : ISA_RV_AMOADD_D;
        isa_rv_emit(t->code, kind == COL_SWAP ? swap : add,
                    (const int64_t[4]){access->reg, VALUE, p.reg, access->operation->order});
    }
}

static void compare(isa_thread *t, const isa_access *access, bool if_equal, isa_label label) {
    isa_rv_emit(t->code, if_equal ? ISA_RV_BEQ : ISA_RV_BNE,
                (const int64_t[4]){access->reg, VALUE, label});
}

static void touch(isa_thread *t, isa_place p, isa_touch what) {
    static const isa_rv instructions[ISA_TOUCHES] = {[ISA_TO_LOAD] = ISA_RV_PREFETCH_R,
                                                     [ISA_TO_STORE] = ISA_RV_PREFETCH_W,
                                                     [ISA_TO_FETCH] = ISA_RV_PREFETCH_I,
                                                     [ISA_TO_FLUSH] = ISA_RV_CBO_FLUSH};
    isa_rv_emit(t->code, instructions[what], (const int64_t[4]){p.reg});
}

static uint32_t fetch(isa_thread *t, isa_place p) {
    const uint32_t here = isa_here(t->code);
    ISA_RV(t->code, JALR, LINK, p.reg, p.offset);
    return here;
}

/* A fence's sets are a product of predecessors and successors; other sets of pairs take two. */
static void fence(isa_thread *t, uint32_t pairs) {
    const uint32_t reads =
        ((pairs & COL_READ_READ) != 0 ? R : 0U) | ((pairs & COL_READ_WRITE) != 0 ? W : 0U);
    const uint32_t writes =
        ((pairs & COL_WRITE_READ) != 0 ? R : 0U) | ((pairs & COL_WRITE_WRITE) != 0 ? W : 0U);
    if (reads == RW && writes == W) {
        ISA_RV(t->code, FENCE_TSO, 0);
    } else if (reads == writes) {
        fence_sets(t, RW, reads);
    } else {
        if (reads != 0)
            fence_sets(t, R, reads);
        if (writes != 0)
            fence_sets(t, W, writes);
    }
}

static void log_value(isa_thread *t, uint8_t reg, uint64_t offset) {
    const isa_place p = reach(t, LOG, offset, true, COUNT);
    store_word(t, t->word_bytes, reg, p.reg, p.offset);
}

const isa_emitter isa_riscv_emitter = {
    .free_registers = free_registers,
    .free_count = sizeof free_registers,
    .saved_registers = saved_registers,
    .saved_count = sizeof saved_registers,
    .result = ISA_RV_A0,
    .skew = SKEW,
    .count = COUNT,
    .bundle = BUNDLE,
    .stub = 0x00000067 | LINK << 15, /* jalr x0,0(LINK) */
    .constant = constant,
    .branch = branch,
    .count_down = count_down,
    .jump = jump,
    .jump_far = jump_far,
    .save = save,
    .leave = leave,
    .token = token,
    .bundle_token = bundle_token,
    .before = before,
    .after = after,
    .address = address,
    .value = value,
    .access = access_word,
    .compare = compare,
    .touch = touch,
    .fetch = fetch,
    .fence = fence,
    .log = log_value,
};
