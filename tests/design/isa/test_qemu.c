/* SPDX-License-Identifier: MIT */
/* ctest: unsanitized */
/*
 * Threads as machine code of other machines do what a trivial interpreter says. All threads of all
 * samples, and code that calls them one after the other, make one static executable; qemu-user runs
 * it, and at its end it writes its data to standard output.
 */
#include "design/isa/aarch64.h"
#include "design/isa/riscv.h"
#include "gnu.h"
#include "harness.h"
#include "sample.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODE_AT = 0x400000,
    DATA_AT = 0x10000000,
    SAMPLES = 1000,
    CONSTANTS = 2000,
    LOG_BYTES = MAX_LENGTH * 8,
    SAVED = 12, /* registers that a callee preserves, at most; sp besides */
    WRITE = 64, /* system calls of Linux on RISC-V and AArch64 */
    EXIT = 93,
};

/* Where things are in the data. */
typedef struct call_data {
    uint64_t result, stack, saved[SAVED];
    uint8_t log[LOG_BYTES];
} call_data;
typedef struct sample_data {
    call_data calls[MAX_THREADS];
    uint8_t before[MARGIN], window[WINDOW], behind[MARGIN];
} sample_data;
typedef struct data {
    uint64_t constants[CONSTANTS];
    sample_data samples[SAMPLES];
} data;

static uint64_t address_in(const data *d, const void *part) {
    return DATA_AT + (uint64_t)((const uint8_t *)part - (const uint8_t *)d);
}

/* What the code around the threads is made of, for an instruction set. */
typedef struct machine {
    const char *name, *command;
    const uint8_t *saved;
    uint32_t saved_count;
    uint8_t argument, number, stack, scratch; /* registers: the first argument... */
    void (*constant)(const isa_target *target, isa_code *code, uint32_t reg, uint64_t value);
    void (*call)(isa_code *code, isa_label label);
    void (*store)(const isa_target *target, isa_code *code, uint32_t reg, uint32_t base,
                  int64_t offset);
    void (*move_stack)(isa_code *code, uint32_t reg);
    void (*system)(isa_code *code);
} machine;

static void riscv_constant(const isa_target *target, isa_code *code, uint32_t reg, uint64_t value) {
    isa_rv_constant(code, target, reg, value);
}

static void riscv_call(isa_code *code, isa_label label) {
    isa_rv_far(code, ISA_RV_RA, ISA_RV_T0, label);
}

static void riscv_store(const isa_target *target, isa_code *code, uint32_t reg, uint32_t base,
                        int64_t offset) {
    isa_rv_emit(code, target->address_bytes == 4 ? ISA_RV_SW : ISA_RV_SD,
                (const int64_t[4]){reg, base, offset});
}

static void riscv_move_stack(isa_code *code, uint32_t reg) {
    ISA_RV(code, ADDI, reg, ISA_RV_SP, 0);
}

static void riscv_system(isa_code *code) {
    ISA_RV(code, ECALL, 0);
}

static void aarch64_constant(const isa_target *target, isa_code *code, uint32_t reg,
                             uint64_t value) {
    (void)target;
    isa_a64_constant(code, reg, value);
}

static void aarch64_call(isa_code *code, isa_label label) {
    ISA_A64(code, BL, label);
}

static void aarch64_store(const isa_target *target, isa_code *code, uint32_t reg, uint32_t base,
                          int64_t offset) {
    (void)target;
    ISA_A64(code, STR, reg, base, offset);
}

static void aarch64_move_stack(isa_code *code, uint32_t reg) {
    ISA_A64(code, ADDI, reg, ISA_A64_SP, 0);
}

static void aarch64_system(isa_code *code) {
    ISA_A64(code, SVC, 0);
}

static const uint8_t riscv_saved[] = {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
static const uint8_t aarch64_saved[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28};

#define RISCV(name_, command_)                                                                     \
    {                                                                                              \
        .name = (name_), .command = (command_), .saved = riscv_saved, .saved_count = 12,           \
        .argument = 10, .number = 17, .stack = 30, .scratch = 31, .constant = riscv_constant,      \
        .call = riscv_call, .store = riscv_store, .move_stack = riscv_move_stack,                  \
        .system = riscv_system                                                                     \
    }

static const machine machines[] = {
    RISCV("rv32", "qemu-riscv32"),
    RISCV("rv64", "qemu-riscv64"),
    {.name = "aarch64",
     .command = "qemu-aarch64",
     .saved = aarch64_saved,
     .saved_count = 10,
     .argument = 0,
     .number = 8,
     .stack = 9,
     .scratch = 10,
     .constant = aarch64_constant,
     .call = aarch64_call,
     .store = aarch64_store,
     .move_stack = aarch64_move_stack,
     .system = aarch64_system},
};

static uint64_t pattern(uint32_t reg) {
    return 0x12340 + reg;
}

/* Calls a thread, and keeps its result and what is then in the registers. */
static void emit_call(const machine *m, const isa_target *target, isa_code *code, const sample *s,
                      uint32_t thread, const data *d, const sample_data *at) {
    const call_data *c = &at->calls[thread];
    const uint64_t arguments[] = {address_in(d, at->window) - s->origin, address_in(d, c->log),
                                  s->salt, s->skew};
    for (uint32_t i = 0; i < m->saved_count; i++)
        m->constant(target, code, m->saved[i], pattern(m->saved[i]));
    for (uint32_t i = 0; i < 4; i++)
        m->constant(target, code, m->argument + i, arguments[i]);
    m->call(code, s->entries[thread]);
    m->constant(target, code, m->scratch, address_in(d, c));
    m->store(target, code, m->argument, m->scratch, offsetof(call_data, result));
    m->move_stack(code, m->stack);
    m->store(target, code, m->stack, m->scratch, offsetof(call_data, stack));
    for (uint32_t i = 0; i < m->saved_count; i++)
        m->store(target, code, m->saved[i], m->scratch,
                 (int64_t)(offsetof(call_data, saved) + 8 * (size_t)i));
}

static void emit_constants(const machine *m, const isa_target *target, isa_code *code,
                           const uint64_t *constants) {
    for (uint32_t i = 0; i < CONSTANTS; i++) {
        m->constant(target, code, m->argument, constants[i]);
        m->constant(target, code, m->scratch, DATA_AT + UINT64_C(8) * i);
        m->store(target, code, m->argument, m->scratch, 0);
    }
}

static void emit_end(const machine *m, const isa_target *target, isa_code *code) {
    const uint64_t calls[2][4] = {{1, DATA_AT, sizeof(data), WRITE}, {0, 0, 0, EXIT}};
    for (int i = 0; i < 2; i++) {
        for (uint32_t a = 0; a < 3; a++)
            m->constant(target, code, m->argument + a, calls[i][a]);
        m->constant(target, code, m->number, calls[i][3]);
        m->system(code);
    }
}

/* A static executable: code at CODE_AT, data at DATA_AT. */
static void write_executable(const isa_target *target, const isa_code *code, uint32_t entry,
                             const data *d) {
    const bool is_small = target->address_bytes == 4;
    const uint32_t word = is_small ? 4 : 8, head = is_small ? 52 : 64, row = is_small ? 32 : 56;
    const uint64_t start = 4096, middle = (start + code->size + 4095) / 4096 * 4096;
    isa_code elf = ISA_CODE_EMPTY;
    const uint8_t identity[16] = {0x7f, 'E', 'L', 'F', is_small ? 1 : 2, 1, 1};
    isa_emit(&elf, identity, sizeof identity);
    isa_emit_number(&elf, 2, 2);
    isa_emit_number(&elf, target->elf_machine, 2);
    isa_emit_number(&elf, 1, 4);
    isa_emit_number(&elf, CODE_AT + entry, word);
    isa_emit_number(&elf, head, word);
    isa_emit_number(&elf, 0, word);
    isa_emit_number(&elf, 0, 4);
    const uint32_t sizes[] = {head, row, 2, 0, 0, 0};
    for (int i = 0; i < 6; i++)
        isa_emit_number(&elf, sizes[i], 2);
    for (int i = 0; i < 2; i++) {
        const uint64_t at = i == 0 ? CODE_AT : DATA_AT, size = i == 0 ? code->size : sizeof *d;
        const uint32_t flags = i == 0 ? 5 : 7; /* fetches execute data */
        isa_emit_number(&elf, 1, 4);
        if (!is_small)
            isa_emit_number(&elf, flags, 4);
        isa_emit_number(&elf, i == 0 ? start : middle, word);
        isa_emit_number(&elf, at, word);
        isa_emit_number(&elf, at, word);
        isa_emit_number(&elf, size, word);
        isa_emit_number(&elf, size, word);
        if (is_small)
            isa_emit_number(&elf, flags, 4);
        isa_emit_number(&elf, 4096, word);
    }
    isa_align(&elf, 4096);
    isa_emit(&elf, code->bytes, code->size);
    isa_align(&elf, 4096);
    isa_emit(&elf, d, sizeof *d);
    assert_int_equal(isa_code_finish(&elf, NULL), COL_OK);
    write_bytes(temporary_file("threads.elf"), elf.bytes, elf.size);
    isa_code_free(&elf);
}

static void check_call(const machine *m, const sample *s, uint32_t thread, const data *d,
                       const call_data *c) {
    check_thread(s, thread, c->log, c->result);
    assert_int_equal(c->stack, d->samples[0].calls[0].stack);
    for (uint32_t i = 0; i < m->saved_count; i++)
        assert_int_equal(c->saved[i], pattern(m->saved[i]));
}

/* All that is run at once. */
typedef struct trial {
    const machine *m;
    const isa_target *target;
    isa_code code;
    uint64_t constants[CONSTANTS];
    sample samples[SAMPLES];
    uint32_t stubs; /* of fetches */
    data d;
} trial;

static void draw(trial *t) {
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (int i = 0; i < SAMPLES; i++) { /* QEMU 7.2 does not know Zicbom */
        draw_sample(&rng, t->target, t->target->elf_machine != 243, &t->samples[i], &t->code);
        t->stubs += put_stubs(&t->samples[i], t->target, t->d.samples[i].window);
        for (uint32_t thread = 0; thread < MAX_THREADS; thread++)
            memset(t->d.samples[i].calls[thread].log, (int)(UNTOUCHED & 0xff), LOG_BYTES);
    }
    for (int i = 0; i < CONSTANTS; i++)
        t->constants[i] =
            (base_rng_next(&rng) >> base_rng_below(&rng, 64)) ^
            (base_rng_below(&rng, 2) == 0 ? 0 : UINT64_MAX << base_rng_below(&rng, 64));
}

/* Everything is called in its order; what comes of it replaces the data. */
static void execute(trial *t) {
    const uint32_t entry = isa_here(&t->code);
    emit_constants(t->m, t->target, &t->code, t->constants);
    for (int i = 0; i < SAMPLES; i++)
        for (uint32_t thread = 0; thread < t->samples[i].program.thread_count; thread++)
            emit_call(t->m, t->target, &t->code, &t->samples[i], thread, &t->d, &t->d.samples[i]);
    emit_end(t->m, t->target, &t->code);
    assert_int_equal(isa_code_finish(&t->code, NULL), COL_OK);
    write_executable(t->target, &t->code, entry, &t->d);
    run_command("cd $(dirname %s) && chmod +x threads.elf && timeout 1500 %s ./threads.elf >data",
                temporary_file("threads.elf"), t->m->command);
    base_text out = {0};
    read_bytes(temporary_file("data"), &out);
    assert_int_equal(out.length, sizeof t->d);
    memcpy(&t->d, out.data, sizeof t->d);
    base_text_free(&out);
}

static void compare(const trial *t) {
    const uint64_t mask = t->target->address_bytes == 4 ? UINT32_MAX : UINT64_MAX;
    uint32_t gave_up = 0;
    for (int i = 0; i < CONSTANTS; i++)
        assert_int_equal(t->d.constants[i], t->constants[i] & mask);
    for (int i = 0; i < SAMPLES; i++) {
        const sample *s = &t->samples[i];
        for (uint32_t thread = 0; thread < s->program.thread_count; thread++) {
            check_call(t->m, s, thread, &t->d, &t->d.samples[i].calls[thread]);
            gave_up += s->results[thread];
        }
        check_memory(s, t->d.samples[i].window);
    }
    print_message("%s: %zu operations; %u awaits gave up; %u stubs\n", t->m->name,
                  t->code.site_count, gave_up, t->stubs);
    assert_true(gave_up > 20 && t->stubs > 500);
}

static void run(const machine *m) {
    want_command(m->command, "qemu-user");
    trial *t = calloc(1, sizeof *t);
    if (t == NULL)
        abort();
    t->m = m;
    t->target = isa_find(m->name);
    draw(t);
    execute(t);
    compare(t);
    for (int i = 0; i < SAMPLES; i++)
        free_sample(&t->samples[i]);
    isa_code_free(&t->code);
    free(t);
}

TEST(rv32_threads_do_what_the_interpreter_says) {
    run(&machines[0]);
}

TEST(rv64_threads_do_what_the_interpreter_says) {
    run(&machines[1]);
}

TEST(aarch64_threads_do_what_the_interpreter_says) {
    run(&machines[2]);
}
