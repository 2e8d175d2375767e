/* SPDX-License-Identifier: MIT */
/* Threads as machine code of this very machine do what a trivial interpreter says. */
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS
#include "design/isa/x86_64.h"
#include "harness.h"
#include "sample.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)

enum { CODE_BYTES = 1 << 20, SAMPLES = 1000, SAVED = 6 };

static const uint8_t saved[SAVED] = {ISA_RBX, ISA_RBP, ISA_R12, ISA_R13, ISA_R14, ISA_R15};

/* Calls a thread with known contents in the registers that it must preserve, and keeps what is in
 * them behind it. */
typedef uint64_t caller(uint64_t base, void *log, uint64_t salt, uint64_t skew, const void *thread,
                        uint64_t *after);

static void emit_caller(isa_code *code) {
    for (int i = 0; i < SAVED; i++)
        ISA_X86(code, PUSH, .rm = saved[i]);
    ISA_X86(code, PUSH, .rm = ISA_R9);
    for (int i = 0; i < SAVED; i++)
        isa_x86_constant(code, saved[i], UINT64_C(0x123456789) * saved[i]);
    ISA_X86(code, CALL_REG, .rm = ISA_R8);
    ISA_X86(code, POP, .rm = ISA_R9);
    for (int64_t i = 0; i < SAVED; i++)
        ISA_X86(code, STORE, .width = 8, .reg = saved[i], .base = ISA_R9, .disp = 8 * i);
    for (int i = SAVED - 1; i >= 0; i--)
        ISA_X86(code, POP, .rm = saved[i]);
    ISA_X86(code, RET, .width = 0);
}

static void *executable(size_t size) {
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    return memory;
}

TEST(threads_do_what_the_interpreter_says) {
    static _Alignas(64) uint8_t log[MAX_LENGTH * 8];
    static sample s;
    const isa_target *target = isa_find("x86-64");
    uint8_t *memory = executable(CODE_BYTES), *data = executable(WINDOW + 2 * MARGIN);
    uint8_t *window = data + MARGIN;
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    isa_code code = ISA_CODE_EMPTY;
    uint32_t gave_up = 0, reads = 0, stubs = 0;
    for (int i = 0; i < SAMPLES; i++) {
        col_problem problem;
        isa_code_clear(&code);
        emit_caller(&code);
        draw_sample(&rng, target, true, &s, &code);
        assert_int_equal(isa_code_finish(&code, &problem), COL_OK);
        assert_true(code.size <= CODE_BYTES);
        memcpy(memory, code.bytes, code.size);
        memset(data, 0, WINDOW + 2 * MARGIN);
        stubs += put_stubs(&s, target, window);
        for (uint32_t t = 0; t < s.program.thread_count; t++) {
            uint64_t after[SAVED];
            caller *call;
            memcpy(&call, &memory, sizeof call);
            memset(log, (int)(UNTOUCHED & 0xff), sizeof log);
            const uint64_t result = call((uint64_t)(uintptr_t)window - s.origin, log, s.salt,
                                         s.skew, memory + code.labels[s.entries[t]], after);
            check_thread(&s, t, log, result);
            for (int r = 0; r < SAVED; r++)
                assert_int_equal(after[r], UINT64_C(0x123456789) * saved[r]);
            gave_up += result != 0;
            for (int r = 0; r < MAX_LENGTH; r++)
                reads +=
                    s.logs[t][r] != (UNTOUCHED & (s.program.is_narrow ? UINT32_MAX : UINT64_MAX));
        }
        check_memory(&s, window);
    }
    print_message("%u reads compared; %u awaits gave up; %u stubs\n", reads, gave_up, stubs);
    assert_true(gave_up > 20 && reads > 10000 && stubs > 500);
    isa_code_free(&code);
    free_sample(&s);
    munmap(data, WINDOW + 2 * MARGIN);
    munmap(memory, CODE_BYTES);
}

#else

TEST(threads_do_what_the_interpreter_says) {
    print_message("skipped: this is no x86-64 machine\n");
    skip();
}

#endif
