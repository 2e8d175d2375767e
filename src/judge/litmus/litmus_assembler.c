/* SPDX-License-Identifier: MIT */
/* Words and steps of one instruction: see litmus_assembler.h. */
#include "judge/litmus/litmus_assembler.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- Words. */

void lit_refuse_name(lit_reader *reader) {
    const lit_assembly *made = reader->made;
    reader->place.column -= (uint32_t)(reader->at - made->start);
    lit_refuse_at(reader, reader->place, "the instruction '%s' is not supported", made->mnemonic);
}

void lit_take_mnemonic(lit_reader *line) {
    char *name = lit_any_word(line);
    line->made->mnemonic = name;
    for (; *name != '\0'; name++)
        *name = (char)tolower((unsigned char)*name);
}

/* Reads on to behind a register, whose number it is. */
static uint8_t look_for_register(lit_reader *line, uint8_t *bits) {
    (void)lit_take(line, "%");
    const size_t length = lit_word_length(line);
    const char *word = line->at;
    lit_advance_to(line, word + length);
    return lit_register_find(line->test->isa, word, length, bits);
}

bool lit_is_register(lit_reader *line) {
    lit_reader ahead = *line;
    uint8_t bits;
    return look_for_register(&ahead, &bits) != LIT_NO_REGISTER;
}

uint8_t lit_next_register(lit_reader *line, uint8_t *bits) {
    uint8_t width;
    (void)lit_peek(line);
    lit_reader ahead = *line;
    const uint8_t number = look_for_register(&ahead, &width);
    if (number == LIT_NO_REGISTER) {
        lit_refuse(line, "expected a register");
        return 0;
    }
    *line = ahead;
    if (bits != NULL)
        *bits = width;
    return number;
}

uint8_t lit_next_target(lit_reader *line, uint8_t *bits) {
    const uint8_t number = lit_next_register(line, bits);
    lit_expect(line, ",");
    return number;
}

uint32_t lit_next_label(lit_reader *line) {
    const size_t length = lit_word_length(line);
    for (uint32_t i = 0; i < line->made->label_count; i++) {
        const lit_label *label = &line->made->labels[i];
        if (strlen(label->name) != length || strncmp(label->name, line->at, length) != 0)
            continue;
        lit_advance_to(line, line->at + length);
        return label->instruction;
    }
    lit_refuse(line, "expected a label of this thread");
    return 0;
}

/* ---- Mnemonics. */

const void *lit_row_of(const lit_reader *line, const void *rows, size_t bytes, size_t row_bytes) {
    for (const char *row = rows, *end = row + bytes; row < end; row += row_bytes) {
        const char *name;
        memcpy(&name, row, sizeof name);
        if (strcmp(name, line->made->mnemonic) == 0)
            return row;
    }
    return NULL;
}

bool lit_has_name(const char *mnemonic, const char *name, const lit_suffix *suffixes,
                  lit_suffix *found) {
    const size_t length = strlen(name);
    *found = (lit_suffix){0};
    if (strncmp(mnemonic, name, length) != 0)
        return false;
    const char *p = mnemonic + length;
    for (const lit_suffix *s = suffixes; s->text != NULL; s++) {
        if (strncmp(p, s->text, strlen(s->text)) != 0)
            continue;
        if ((s->bits != 0 && found->bits != 0) || (s->order & found->order) != 0)
            return false;
        found->bits |= s->bits;
        found->order |= s->order;
        p += strlen(s->text);
    }
    return *p == '\0';
}

/* ---- Steps. */

static bool is_zero_register(const lit_reader *line, uint8_t number) {
    return (line->test->isa == LIT_RISCV && number == 0) ||
           (line->test->isa == LIT_AARCH64 && number == LIT_ARM_ZERO);
}

static lit_step *add(lit_reader *line, lit_step step) {
    static lit_step nowhere;
    if (line->made->step_count == LIT_MOST_STEPS)
        lit_refuse(line, "too much is done");
    lit_step *added =
        line->status == COL_OK ? &line->made->steps[line->made->step_count++] : &nowhere;
    *added = step;
    memset(added->sets, LIT_NO_SET, sizeof added->sets);
    return added;
}

/* The step makes a temporary. */
static uint8_t make(lit_reader *line, lit_step step) {
    lit_step *added = add(line, step);
    if (line->made->temporaries + 1 == LIT_TEMPORARIES)
        lit_refuse(line, "too much is computed");
    return added->to = line->status == COL_OK ? line->made->temporaries++ : 0;
}

uint8_t lit_constant(lit_reader *line, uint64_t value) {
    return make(line, (lit_step){.kind = LIT_CONSTANT, .value = value});
}

uint8_t lit_get(lit_reader *line, uint8_t register_, lit_port port) {
    return is_zero_register(line, register_)
               ? lit_constant(line, 0)
               : make(line, (lit_step){.kind = LIT_GET, .a = register_, .port = (uint8_t)port});
}

void lit_put(lit_reader *line, uint8_t register_, uint8_t value) {
    if (!is_zero_register(line, register_))
        (void)add(line, (lit_step){.kind = LIT_PUT, .to = register_, .a = value});
}

uint8_t lit_compute(lit_reader *line, lit_operator operator_, uint8_t a, uint8_t b) {
    return make(line,
                (lit_step){.kind = LIT_COMPUTE, .operator_ = (uint8_t)operator_, .a = a, .b = b});
}

uint8_t lit_compute_by(lit_reader *line, lit_operator operator_, uint8_t a, uint64_t constant) {
    return lit_compute(line, operator_, a, lit_constant(line, constant));
}

uint8_t lit_cut(lit_reader *line, lit_operator how, uint8_t value, uint32_t bits) {
    return bits >= 64 ? value : lit_compute_by(line, how, value, bits);
}

uint8_t lit_read(lit_reader *line, uint8_t address, uint32_t bits) {
    return make(line, (lit_step){.kind = LIT_READ, .a = address, .bytes = (uint8_t)(bits / 8)});
}

lit_step *lit_write(lit_reader *line, uint8_t address, uint8_t value, uint32_t bits) {
    return add(
        line,
        (lit_step){.kind = LIT_WRITE, .a = address, .b = value, .bytes = (uint8_t)(bits / 8)});
}

uint8_t lit_update(lit_reader *line, lit_operator operator_, uint8_t address, uint8_t value,
                   uint32_t bits) {
    return make(line, (lit_step){.kind = LIT_UPDATE,
                                 .operator_ = (uint8_t)operator_,
                                 .a = address,
                                 .b = value,
                                 .bytes = (uint8_t)(bits / 8)});
}

void lit_fence(lit_reader *line, uint32_t set) {
    add(line, (lit_step){.kind = LIT_FENCE})->sets[0] = (uint8_t)set;
}

void lit_branch(lit_reader *line, uint8_t condition, uint32_t target) {
    (void)add(line, (lit_step){.kind = LIT_BRANCH, .a = condition, .target = target});
}

void lit_jump(lit_reader *line, uint32_t target) {
    (void)add(line, (lit_step){.kind = LIT_JUMP, .target = target});
}

uint32_t lit_open(lit_reader *line, lit_step_kind kind, uint8_t condition) {
    (void)add(line, (lit_step){.kind = (uint8_t)kind, .a = condition});
    return line->made->step_count;
}

void lit_close(lit_reader *line, uint32_t opened) {
    if (line->status == COL_OK)
        line->made->steps[opened - 1].target = line->made->step_count - opened;
}

uint32_t lit_otherwise(lit_reader *line, uint32_t opened) {
    (void)add(line, (lit_step){.kind = LIT_SKIP});
    lit_close(line, opened);
    return line->made->step_count;
}

void lit_assume(lit_reader *line, uint8_t condition) {
    (void)add(line, (lit_step){.kind = LIT_ASSUME, .a = condition});
}

void lit_commit(lit_reader *line, uint8_t condition) {
    (void)add(line, (lit_step){.kind = LIT_COMMIT, .a = condition});
}

lit_step *lit_conditional_begin(lit_reader *line, uint8_t reservation, uint8_t key, uint8_t address,
                                uint8_t value, uint32_t bits) {
    const uint8_t reserved = lit_get(line, reservation, LIT_NO_PORT);
    lit_put(line, reservation, lit_constant(line, 0));
    line->made->opened = lit_open(line, LIT_TRY, 0);
    lit_assume(line, lit_compute(line, LIT_EQUAL, key, reserved));
    line->made->success = lit_constant(line, 0);
    lit_step *write = lit_write(line, address, value, bits);
    write->to = line->made->success;
    lit_mark(line, CAT_EX);
    return write;
}

void lit_conditional_end(lit_reader *line, uint8_t result) {
    lit_put(line, result, line->made->success);
    const uint32_t failure = lit_otherwise(line, line->made->opened);
    lit_put(line, result, lit_constant(line, 1));
    lit_close(line, failure);
}

void lit_mark(lit_reader *line, uint32_t set) {
    if (line->status != COL_OK || line->made->step_count == 0)
        return;
    lit_step *step = &line->made->steps[line->made->step_count - 1];
    for (uint32_t i = 0; i < LIT_STEP_SETS; i++) {
        if (step->sets[i] != LIT_NO_SET)
            continue;
        step->sets[i] = (uint8_t)set;
        return;
    }
}

/* The registers of the instruction sets. */

static bool is_word(const char *word, size_t length, const char *name) {
    return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

/* One of the letters and a decimal number below `count`, without a further zero in front. */
static uint8_t find_numbered(const char *word, size_t length, const char *letters, uint32_t count) {
    uint32_t number = 0;
    if (length < 2 || length > 3 || strchr(letters, word[0]) == NULL ||
        (length == 3 && word[1] == '0'))
        return LIT_NO_REGISTER;
    for (size_t i = 1; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return LIT_NO_REGISTER;
        number = number * 10 + (uint32_t)(word[i] - '0');
    }
    return number < count ? (uint8_t)number : LIT_NO_REGISTER;
}

static uint8_t find_riscv(const char *word, size_t length, uint8_t *bits) {
    static const char *const names[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                        "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                        "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                        "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    *bits = 64;
    const uint8_t number = find_numbered(word, length, "xX", 32);
    if (number != LIT_NO_REGISTER)
        return number;
    for (uint8_t i = 0; i < 32; i++)
        if (is_word(word, length, names[i]))
            return i;
    return is_word(word, length, "fp") ? 8 : LIT_NO_REGISTER;
}

static uint8_t find_arm(const char *word, size_t length, uint8_t *bits) {
    *bits = length > 0 && (word[0] == 'W' || word[0] == 'w') ? 32 : 64;
    if (is_word(word, length, "XZR") || is_word(word, length, "WZR"))
        return LIT_ARM_ZERO;
    if (is_word(word, length, "SP"))
        return LIT_ARM_STACK;
    return find_numbered(word, length, "XxWw", 31);
}

static const char *const x86_names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
enum { X86_NAMES = sizeof x86_names / sizeof x86_names[0] };

/* rax, eax, ax, al; r8, r8d, r8w, r8b; rsi, esi, si, sil. */
static uint8_t find_x86(const char *word, size_t length, uint8_t *bits) {
    static const char *const suffixes[] = {"", "d", "w", "b"};
    for (uint32_t i = 0; i < X86_NAMES; i++)
        for (uint32_t part = 0; part < 4; part++) {
            const char *name = x86_names[i];
            char text[8];
            if (i >= 8)
                (void)snprintf(text, sizeof text, "%s%s", name, suffixes[part]);
            else if (part == 3)
                (void)snprintf(text, sizeof text, i < 4 ? "%.1sl" : "%.2sl", name + 1);
            else
                (void)snprintf(text, sizeof text, "%s%s", part == 1 ? "e" : "",
                               part == 0 ? name : name + 1);
            if (!is_word(word, length, text))
                continue;
            *bits = (uint8_t)(64 >> part);
            return (uint8_t)i;
        }
    return LIT_NO_REGISTER;
}

uint8_t lit_register_find(lit_isa isa, const char *word, size_t length, uint8_t *bits) {
    switch (isa) {
    case LIT_RISCV:
        return find_riscv(word, length, bits);
    case LIT_AARCH64:
        return find_arm(word, length, bits);
    case LIT_X86:
    case LIT_X86_64:
        return find_x86(word, length, bits);
    }
    return LIT_NO_REGISTER;
}

const char *lit_register_name(lit_isa isa, uint32_t number, char *room) {
    if (isa == LIT_RISCV)
        (void)snprintf(room, 16, "x%u", number);
    else if (isa == LIT_AARCH64 && number == LIT_ARM_STACK)
        (void)snprintf(room, 16, "SP");
    else if (isa == LIT_AARCH64 && number == LIT_ARM_ZERO)
        (void)snprintf(room, 16, "XZR");
    else if (isa == LIT_AARCH64)
        (void)snprintf(room, 16, "X%u", number);
    else if (number >= X86_NAMES)
        (void)snprintf(room, 16, "flag%u", number);
    else if (isa == LIT_X86_64)
        (void)snprintf(room, 16, "%s", x86_names[number]);
    else
        (void)snprintf(room, 16, "E%c%c", x86_names[number][1] - 'a' + 'A',
                       x86_names[number][2] - 'a' + 'A');
    return room;
}

/* What fences order. */

bool lit_fence_pairs(uint32_t set, uint8_t *pairs) {
    enum { READ = COL_READ_READ | COL_READ_WRITE, WRITE = COL_WRITE_READ | COL_WRITE_WRITE };
    static const struct {
        uint8_t set, pairs;
    } fences[] = {{CAT_MFENCE, COL_FULL_FENCE},
                  {CAT_LFENCE, READ},
                  {CAT_SFENCE, COL_WRITE_WRITE},
                  {CAT_FENCE_I, 0},
                  {CAT_FENCE_R_R, COL_READ_READ},
                  {CAT_FENCE_R_W, COL_READ_WRITE},
                  {CAT_FENCE_R_RW, READ},
                  {CAT_FENCE_W_R, COL_WRITE_READ},
                  {CAT_FENCE_W_W, COL_WRITE_WRITE},
                  {CAT_FENCE_W_RW, WRITE},
                  {CAT_FENCE_RW_R, COL_READ_READ | COL_WRITE_READ},
                  {CAT_FENCE_RW_W, COL_READ_WRITE | COL_WRITE_WRITE},
                  {CAT_FENCE_RW_RW, COL_FULL_FENCE},
                  {CAT_FENCE_TSO, READ | COL_WRITE_WRITE}};
    /* Of DMB and DSB, for each domain: all, LD, ST. Other threads do not see NSH. */
    static const uint8_t dmb[] = {COL_FULL_FENCE, READ, COL_WRITE_WRITE};
    static const uint8_t dsb[] = {COL_FULL_FENCE, READ, WRITE};
    if (set >= CAT_DMB_SY && set <= CAT_DSB_NSHST) {
        const bool is_dsb = set >= CAT_DSB_SY;
        const uint32_t place = set - (is_dsb ? CAT_DSB_SY : CAT_DMB_SY);
        *pairs = place >= CAT_DMB_NSH - CAT_DMB_SY ? 0 : is_dsb ? dsb[place % 3] : dmb[place % 3];
        return true;
    }
    for (size_t i = 0; i < sizeof fences / sizeof fences[0]; i++)
        if (set == fences[i].set) {
            *pairs = fences[i].pairs;
            return true;
        }
    return false;
}

bool lit_has_set(const lit_event *event, cat_set set) {
    for (uint32_t i = 0; i < LIT_STEP_SETS && event->sets[i] != LIT_NO_SET; i++)
        if (event->sets[i] == set)
            return true;
    return false;
}

/* To x86 the set A is that of atomics. */
uint8_t lit_order_of(const lit_event *event, lit_isa isa) {
    const bool is_x86 = isa == LIT_X86 || isa == LIT_X86_64;
    const bool both = lit_has_set(event, CAT_ACQ_REL);
    const bool acquires = !is_x86 && (lit_has_set(event, CAT_A) || lit_has_set(event, CAT_Q));
    return (uint8_t)((both || acquires || lit_has_set(event, CAT_ACQ) ? COL_ACQUIRE : 0) |
                     (both || lit_has_set(event, CAT_L) || lit_has_set(event, CAT_REL) ? COL_RELEASE
                                                                                       : 0));
}
