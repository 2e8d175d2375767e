/* SPDX-License-Identifier: MIT */
/*
 * RISC-V. As threads have it, plain loads and stores have no aq and rl, so fences stand for them;
 * for the model's RCsc, a fence w,r keeps an acquire behind the releases before it, unless both are
 * atomics.
 */
#include "design/isa/riscv.h"

#include "design/isa/harness.h"

const isa_rv_row isa_rv_rows[ISA_RV_COUNT] = {
#define ROW(name, mnemonic, format, bits) {mnemonic, ISA_RVF_##format, bits},
    ISA_RV_INSTRUCTIONS(ROW)
#undef ROW
};

enum { BRANCH, JUMP, PAIR }; /* kinds of references */

static uint32_t bits_of(uint64_t value, uint32_t high, uint32_t low) {
    return (uint32_t)(value >> low) & ((UINT32_C(1) << (high - low + 1)) - 1);
}

/* The upper and lower part of a signed 32-bit number: lui or auipc, then addi or jalr. */
static uint32_t upper(int64_t value) {
    return bits_of((uint64_t)value + 0x800, 31, 12);
}

static bool patch(uint8_t *at, uint32_t kind, int64_t distance) {
    const uint64_t d = (uint64_t)distance;
    switch (kind) {
    case BRANCH:
        isa_set_bits(at, bits_of(d, 12, 12) << 31 | bits_of(d, 10, 5) << 25 |
                             bits_of(d, 4, 1) << 8 | bits_of(d, 11, 11) << 7);
        return distance >= -4096 && distance < 4096;
    case JUMP:
        isa_set_bits(at, bits_of(d, 20, 20) << 31 | bits_of(d, 10, 1) << 21 |
                             bits_of(d, 11, 11) << 20 | bits_of(d, 19, 12) << 12);
        return distance >= -(1 << 20) && distance < 1 << 20;
    default:
        isa_set_bits(at, upper(distance) << 12);
        isa_set_bits(at + 4, bits_of(d, 11, 0) << 20);
        return distance >= INT32_MIN && distance < INT32_MAX - 0x800;
    }
}

#define NUMBER(least, most, at)                                                                    \
    { .kind = ISA_NUMBER, .shift = (at), .low = (least), .high = (most), .step = 1 }
#define REGISTER(at) NUMBER(0, 31, at)
#define SHORT(place)                                                                               \
    { .kind = (place), .shift = 20, .low = -2048, .high = 2047, .step = 1 }
#define ORDER                                                                                      \
    { .kind = ISA_ORDER, .shift = 25 }
#define LABEL(patched)                                                                             \
    { .kind = ISA_LABEL, .low = (patched) }

static const isa_operand formats[][ISA_OPERANDS] = {
    [ISA_RVF_R] = {REGISTER(7), REGISTER(15), REGISTER(20)},
    [ISA_RVF_I] = {REGISTER(7), REGISTER(15), SHORT(ISA_NUMBER)},
    [ISA_RVF_SHIFT] = {REGISTER(7), REGISTER(15), NUMBER(0, 63, 20)},
    [ISA_RVF_U] = {REGISTER(7), NUMBER(0, 0xfffff, 12)},
    [ISA_RVF_LOAD] = {REGISTER(7), REGISTER(15), SHORT(ISA_NUMBER)},
    [ISA_RVF_STORE] = {REGISTER(20), REGISTER(15), SHORT(ISA_SPLIT)},
    [ISA_RVF_BRANCH] = {REGISTER(15), REGISTER(20), LABEL(BRANCH)},
    [ISA_RVF_JUMP] = {REGISTER(7), LABEL(JUMP)},
    [ISA_RVF_FENCE] = {NUMBER(0, 15, 24), NUMBER(0, 15, 20)},
    [ISA_RVF_CSR] = {REGISTER(7), NUMBER(0, 0xfff, 20), REGISTER(15)},
    [ISA_RVF_CSRI] = {REGISTER(7), NUMBER(0, 0xfff, 20), REGISTER(15)},
    [ISA_RVF_AMO] = {REGISTER(7), REGISTER(20), REGISTER(15), ORDER},
    [ISA_RVF_AT] = {REGISTER(15)},
    [ISA_RVF_PLAIN] = {{.kind = ISA_NO_OPERAND}},
};

void isa_rv_emit(isa_code *code, isa_rv instruction, const int64_t operands[4]) {
    const isa_rv_row *row = &isa_rv_rows[instruction];
    isa_emit_word(code, row->mnemonic, row->bits, formats[row->format], operands, patch);
}

static int64_t low_part(int64_t value) {
    return ((value & 0xfff) ^ 0x800) - 0x800;
}

/* ---- The table read the other way. */

static int64_t number_of(uint32_t word, const isa_operand *o) {
    uint32_t bits = 1;
    while (((int64_t)o->high - o->low) >> bits != 0)
        bits++;
    const uint32_t number = o->kind == ISA_SPLIT ? word >> 25 << 5 | bits_of(word, 11, 7)
                                                 : word >> o->shift & (uint32_t)((1LL << bits) - 1);
    return o->low < 0 ? low_part(number) : number;
}

/* The bits of an instruction that are its operands'. */
static uint32_t operand_bits(const isa_operand *o) {
    switch (o->kind) {
    case ISA_NUMBER: {
        uint32_t mask = 1;
        while ((int64_t)mask < (int64_t)o->high - o->low)
            mask = mask << 1 | 1;
        return mask << o->shift;
    }
    case ISA_SPLIT:
        return UINT32_C(0xfe000f80);
    case ISA_ORDER:
        return UINT32_C(3) << o->shift;
    case ISA_LABEL:
        return o->low == JUMP ? UINT32_C(0xfffff000) : UINT32_C(0xfe000f80);
    default:
        return 0;
    }
}

static int64_t branch_distance(uint32_t w) {
    const uint32_t d = bits_of(w, 31, 31) << 12 | bits_of(w, 7, 7) << 11 | bits_of(w, 30, 25) << 5 |
                       bits_of(w, 11, 8) << 1;
    return (int64_t)(d ^ 0x1000) - 0x1000;
}

static int64_t jump_distance(uint32_t w) {
    const uint32_t d = bits_of(w, 31, 31) << 20 | bits_of(w, 19, 12) << 12 |
                       bits_of(w, 20, 20) << 11 | bits_of(w, 30, 21) << 1;
    return (int64_t)(d ^ 0x100000) - 0x100000;
}

static const char *fence_set(int64_t set, char text[5]) {
    char *at = text;
    for (int i = 3; i >= 0; i--)
        if ((set >> i & 1) != 0)
            *at++ = "wroi"[i];
    *at = '\0';
    return text;
}

static void say_operands(const isa_target *target, isa_rv_format format, uint32_t word,
                         const int64_t n[ISA_OPERANDS], uint64_t pc, base_text *text) {
    const char *const *names = target->registers;
    char one[5], other[5];
    switch (format) {
    case ISA_RVF_R:
        base_text_print(text, "%s, %s, %s", names[n[0]], names[n[1]], names[n[2]]);
        break;
    case ISA_RVF_SHIFT:
        base_text_print(text, "%s, %s, 0x%llx", names[n[0]], names[n[1]], (unsigned long long)n[2]);
        break;
    case ISA_RVF_I:
        base_text_print(text, "%s, %s, %lld", names[n[0]], names[n[1]], (long long)n[2]);
        break;
    case ISA_RVF_U:
        base_text_print(text, "%s, 0x%llx", names[n[0]], (unsigned long long)n[1]);
        break;
    case ISA_RVF_LOAD:
    case ISA_RVF_STORE:
        base_text_print(text, "%s, %lld(%s)", names[n[0]], (long long)n[2], names[n[1]]);
        break;
    case ISA_RVF_BRANCH:
        base_text_print(text, "%s, %s, 0x%llx", names[n[0]], names[n[1]],
                        (unsigned long long)pc + (unsigned long long)branch_distance(word));
        break;
    case ISA_RVF_JUMP:
        base_text_print(text, "%s, 0x%llx", names[n[0]],
                        (unsigned long long)pc + (unsigned long long)jump_distance(word));
        break;
    case ISA_RVF_FENCE:
        base_text_print(text, "%s, %s", fence_set(n[0], one), fence_set(n[1], other));
        break;
    case ISA_RVF_CSR:
        base_text_print(text, "%s, 0x%llx, %s", names[n[0]], (unsigned long long)n[1], names[n[2]]);
        break;
    case ISA_RVF_CSRI:
        base_text_print(text, "%s, 0x%llx, %lld", names[n[0]], (unsigned long long)n[1],
                        (long long)n[2]);
        break;
    case ISA_RVF_AMO:
        base_text_print(text, "%s, %s, (%s)", names[n[0]], names[n[1]], names[n[2]]);
        break;
    case ISA_RVF_AT:
        base_text_print(text, "(%s)", names[n[0]]);
        break;
    default:
        break;
    }
}

static bool say(const isa_target *target, uint32_t word, uint64_t pc, base_text *text) {
    for (uint32_t r = 0; r < ISA_RV_COUNT; r++) {
        const isa_rv_row *row = &isa_rv_rows[r];
        const isa_operand *format = formats[row->format];
        int64_t numbers[ISA_OPERANDS] = {0};
        uint32_t operands = 0;
        for (int i = 0; i < ISA_OPERANDS; i++) {
            operands |= operand_bits(&format[i]);
            if (format[i].kind == ISA_NUMBER || format[i].kind == ISA_SPLIT)
                numbers[i] = number_of(word, &format[i]);
        }
        if ((word & ~operands) != row->bits)
            continue;
        static const char *const orders[] = {"", ".rl", ".aq", ".aqrl"};
        base_text_print(text, "%s%s%s", row->mnemonic,
                        row->format == ISA_RVF_AMO ? orders[bits_of(word, 26, 25)] : "",
                        row->format == ISA_RVF_PLAIN ? "" : " ");
        say_operands(target, row->format, word, numbers, pc, text);
        return true;
    }
    return false;
}

void isa_rv_constant(isa_code *code, const isa_target *target, uint32_t rd, uint64_t value) {
    const uint32_t address_bytes = target->address_bytes;
    const int64_t number = address_bytes == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
    const int64_t low = low_part(number);
    if (number == low) {
        ISA_RV(code, ADDI, rd, 0, low);
    } else if (number >= INT32_MIN && number <= INT32_MAX) {
        ISA_RV(code, LUI, rd, upper(number));
        if (low != 0 && address_bytes == 4)
            ISA_RV(code, ADDI, rd, rd, low);
        else if (low != 0) /* the sum may pass 2^31 */
            ISA_RV(code, ADDIW, rd, rd, low);
    } else {
        const uint64_t rest = (uint64_t)number - (uint64_t)low;
        const uint32_t shift = (uint32_t)__builtin_ctzll(rest);
        isa_rv_constant(code, target, rd, (uint64_t)((int64_t)rest >> shift));
        ISA_RV(code, SLLI, rd, rd, shift);
        if (low != 0)
            ISA_RV(code, ADDI, rd, rd, low);
    }
}

void isa_rv_address(isa_code *code, uint32_t rd, isa_label label) {
    isa_refer(code, label, PAIR, patch);
    ISA_RV(code, AUIPC, rd, 0);
    ISA_RV(code, ADDI, rd, rd, 0);
}

void isa_rv_far(isa_code *code, uint32_t link, uint32_t scratch, isa_label label) {
    isa_refer(code, label, PAIR, patch);
    ISA_RV(code, AUIPC, scratch, 0);
    ISA_RV(code, JALR, link, scratch, 0);
}

/* ---- What the harness and threads share. */

/* Registers of threads. */
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

static void basic(isa_code *code, isa_basic what, uint32_t a, uint32_t b, uint32_t c) {
    enum { ALL = ISA_RV_INPUT | ISA_RV_OUTPUT | ISA_RV_READS | ISA_RV_WRITES };
    const struct {
        isa_rv instruction;
        int64_t operands[4];
    } all[ISA_BASICS] = {
        [ISA_PLUS] = {ISA_RV_ADD, {a, b, c}},
        [ISA_AND] = {ISA_RV_AND, {a, b, c}},
        [ISA_TIMES] = {ISA_RV_MUL, {a, b, c}},
        [ISA_PLUS_NUMBER] = {ISA_RV_ADDI, {a, b, (int32_t)c}},
        [ISA_RIGHT] = {ISA_RV_SRLI, {a, b, c}},
        [ISA_IF_EQUAL] = {ISA_RV_BEQ, {a, b, c}},
        [ISA_IF_UNEQUAL] = {ISA_RV_BNE, {a, b, c}},
        [ISA_IF_BELOW] = {ISA_RV_BLTU, {a, b, c}},
        [ISA_LOAD_4] = {ISA_RV_LW, {a, b, c}},
        [ISA_LOAD_8] = {ISA_RV_LD, {a, b, c}},
        [ISA_STORE_4] = {ISA_RV_SW, {a, b, c}},
        [ISA_STORE_8] = {ISA_RV_SD, {a, b, c}},
        [ISA_JUMP] = {ISA_RV_JAL, {ISA_RV_ZERO, a}},
        [ISA_CALL] = {ISA_RV_JAL, {ISA_RV_RA, a}},
        [ISA_CALL_AT] = {ISA_RV_JALR, {ISA_RV_RA, a}},
        [ISA_RETURN] = {ISA_RV_JALR, {ISA_RV_ZERO, ISA_RV_RA}},
        [ISA_SET_STACK] = {ISA_RV_ADDI, {ISA_RV_SP, a}},
        [ISA_FENCE] = {ISA_RV_FENCE, {ALL, ALL}},
        [ISA_SEE_CODE] = {ISA_RV_FENCE_I, {0}},
        [ISA_WAIT] = {ISA_RV_WFI, {0}},
        [ISA_TOKEN] = {ISA_RV_XOR, {TOKEN, a, a}},
        [ISA_BUNDLE] = {ISA_RV_OR, {BUNDLE, BUNDLE, TOKEN}},
    };
    isa_rv_emit(code, all[what].instruction, all[what].operands);
}

/* ---- Threads. */

/* Releases before: with rl, and with a fence. */
enum { RELEASED_BY_ATOMIC = 1, RELEASED_BY_STORE = 2 };

enum { R = ISA_RV_READS, W = ISA_RV_WRITES, RW = R | W };

static bool is_short(int64_t value) {
    return value >= -2048 && value <= 2047;
}

static void branch_zero(isa_thread *t, uint32_t reg, bool if_zero, isa_label label) {
    isa_rv_emit(t->code, if_zero ? ISA_RV_BEQ : ISA_RV_BNE, (const int64_t[4]){reg, 0, label});
}

static void count_down(isa_thread *t, uint32_t reg, isa_label label) {
    ISA_RV(t->code, ADDI, reg, reg, -1);
    branch_zero(t, reg, false, label);
}

static void jump_far(isa_thread *t, isa_label label) {
    isa_rv_far(t->code, 0, TOKEN, label);
}

/* The registers of the set in ascending order; the stack pointer moves before or after. */
static void transfer_saved(isa_thread *t, isa_basic how) {
    const uint32_t unit = t->target->address_bytes;
    const int32_t frame = (__builtin_popcount(t->saved) * (int32_t)unit + 15) / 16 * 16;
    uint32_t offset = 0;
    if (t->saved == 0)
        return;
    if (how == ISA_STORE_4)
        ISA_RV(t->code, ADDI, ISA_RV_SP, ISA_RV_SP, -frame);
    for (uint32_t reg = 0; reg < ISA_MAX_REGISTERS; reg++)
        if ((t->saved >> reg & 1) != 0) {
            basic(t->code, unit == 4 ? how : how + 1, reg, ISA_RV_SP, offset);
            offset += unit;
        }
    if (how == ISA_LOAD_4)
        ISA_RV(t->code, ADDI, ISA_RV_SP, ISA_RV_SP, frame);
}

static void save(isa_thread *t) {
    transfer_saved(t, ISA_STORE_4);
}

static void restore(isa_thread *t) {
    transfer_saved(t, ISA_LOAD_4);
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
    isa_rv_constant(t->code, t->target, COUNT, (uint64_t)number - (uint64_t)low);
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
        isa_rv_constant(t->code, t->target, VALUE, access->operand);
    } else if (is_short((int64_t)access->operand)) {
        isa_rv_emit(t->code, narrow ? ISA_RV_ADDIW : ISA_RV_ADDI,
                    (const int64_t[4]){VALUE, SALT, (int64_t)access->operand});
    } else {
        isa_rv_constant(t->code, t->target, VALUE, access->operand);
        isa_rv_emit(t->code, add, (const int64_t[4]){VALUE, VALUE, SALT});
    }
    if (access->has_data_token)
        isa_rv_emit(t->code, add, (const int64_t[4]){VALUE, VALUE, TOKEN});
}

static void store_word(isa_thread *t, uint32_t reg, isa_place p) {
    isa_rv_emit(t->code, t->word_bytes == 4 ? ISA_RV_SW : ISA_RV_SD,
                (const int64_t[4]){reg, p.reg, p.offset});
}

static void access_word(isa_thread *t, const isa_access *access, isa_place p) {
    const uint8_t kind = access->operation->kind;
    if (kind == COL_LOAD || kind == COL_AWAIT) {
        isa_rv_emit(t->code, t->word_bytes == 4 ? ISA_RV_LW : ISA_RV_LD,
                    (const int64_t[4]){access->reg, p.reg, p.offset});
    } else if (kind == COL_STORE) {
        store_word(t, VALUE, p);
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
static void order(isa_thread *t, uint32_t pairs) {
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
    store_word(t, reg, p);
}

/*
 * The harness on RISC-V: see harness.h. Harts stay in machine mode, where they start; there
 * physical memory protection does not stop them, and caches need no switching on.
 */

#define REG(role) isa_riscv.roles[role]

/* By semihosting. */
static void leave_machine(isa_boot *boot, bool passed) {
    (void)passed;
    enum { SYS_EXIT_EXTENDED = 0x20 };
    isa_set(boot, ISA_A0, SYS_EXIT_EXTENDED);
    while (boot->code->status == COL_OK && isa_here(boot->code) % 16 != 0)
        ISA_RV(boot->code, ADDI, 0, 0, 0); /* the three must be in one page */
    ISA_RV(boot->code, SLLI, 0, 0, 0x1f);
    ISA_RV(boot->code, EBREAK);
    ISA_RV(boot->code, SRAI, 0, 0, 7);
}

/* ---- The start. */

static void enter(isa_boot *boot) {
    const isa_hart *hart = &boot->platform->hart;
    enum { MIE = 8 };
    if (hart->from == ISA_HART_MHARTID)
        ISA_RV(boot->code, CSRRS, REG(ISA_HART), ISA_CSR_MHARTID, 0);
    else if (hart->from == ISA_HART_REGISTER)
        ISA_RV(boot->code, ADDI, REG(ISA_HART), (int64_t)hart->reg, 0);
    ISA_RV(boot->code, CSRRCI, 0, ISA_CSR_MSTATUS, MIE);
    ISA_RV(boot->code, CSRRW, 0, ISA_CSR_MIE, 0);
    isa_rv_address(boot->code, REG(ISA_T0), boot->trap);
    ISA_RV(boot->code, CSRRW, 0, ISA_CSR_MTVEC, REG(ISA_T0));
}

static void keep_record(isa_boot *boot) {
    ISA_RV(boot->code, CSRRW, 0, ISA_CSR_MSCRATCH, REG(ISA_RECORD));
}

static void traps(isa_boot *boot) {
    isa_align(boot->code, 64);
    isa_bind(boot->code, boot->trap);
    ISA_RV(boot->code, CSRRS, REG(ISA_RECORD), ISA_CSR_MSCRATCH, 0);
    ISA_RV(boot->code, CSRRS, REG(ISA_T0), ISA_CSR_MCAUSE, 0);
    ISA_RV(boot->code, CSRRS, REG(ISA_T1), ISA_CSR_MEPC, 0);
    ISA_RV(boot->code, CSRRS, REG(ISA_T2), ISA_CSR_MTVAL, 0);
    ISA_RV(boot->code, JAL, ISA_RV_ZERO, boot->trapped);
}

const isa_machine isa_riscv = {
    .basic = basic,
    .constant = isa_rv_constant,
    .free = {7, {13, 14, 15, 16, 17, 30, 31}},
    .saved = {12, {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}},
    .result = ISA_RV_A0,
    .skew = SKEW,
    .count = COUNT,
    .bundle = BUNDLE,
    .stub = 0x00000067 | LINK << 15, /* jalr x0,0(LINK) */
    .branch_zero = branch_zero,
    .count_down = count_down,
    .jump_far = jump_far,
    .save = save,
    .restore = restore,
    .before = before,
    .after = after,
    .address = address,
    .value = value,
    .access = access_word,
    .compare = compare,
    .touch = touch,
    .fetch = fetch,
    .order = order,
    .log = log_value,
    .roles =
        {
            [ISA_HART] = ISA_RV_S0,     [ISA_ROUND] = ISA_RV_S0 + 1,  [ISA_PHASE] = ISA_RV_S2,
            [ISA_SALT] = ISA_RV_S2 + 1, [ISA_PART] = ISA_RV_S2 + 2,   [ISA_RANDOM] = ISA_RV_S2 + 3,
            [ISA_ROW] = ISA_RV_S2 + 4,  [ISA_RECORD] = ISA_RV_S2 + 5, [ISA_T0] = ISA_RV_T0,
            [ISA_T1] = ISA_RV_T0 + 1,   [ISA_T2] = ISA_RV_T0 + 2,     [ISA_T3] = ISA_RV_T3,
            [ISA_T4] = ISA_RV_T3 + 1,   [ISA_A0] = ISA_RV_A0,         [ISA_A1] = ISA_RV_A0 + 1,
            [ISA_A2] = ISA_RV_A0 + 2,   [ISA_A3] = ISA_RV_A0 + 3,     [ISA_ZERO] = ISA_RV_ZERO,
            [ISA_TURN] = ISA_RV_S2 + 6,
        },
    .enter = enter,
    .keep_record = keep_record,
    .traps = traps,
    .exit = leave_machine,
    .say = say,
};
