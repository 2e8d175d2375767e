/* SPDX-License-Identifier: MIT */
/* What operations become, as docs/machine-code.md lists it: our code is that of the text, by the
 * GNU assembler. */
#include "design/isa/isa.h"
#include "gnu.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *operations; /* lines of a thread */
    const char *rv64, *aarch64, *x86_64;
} row;

static void encode(const isa_target *target, const char *operations, const isa_settings *settings,
                   const char *head, isa_code *code) {
    base_text text = {0};
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    base_text_print(&text, "collider program 1\n%slocation a0 64\nlocation a1 128\n", head);
    base_text_print(&text, "thread 0\n%s\nthread 1\nstore a0 7\nend\n", operations);
    if (col_program_read(&program, text.data, text.length, "test", &problem) != COL_OK ||
        isa_encode_thread(target, &program, 0, settings, code, &problem) != COL_OK ||
        isa_code_finish(code, &problem) != COL_OK)
        fail_msg("%s: %s", operations, problem.message);
    col_program_free(&program);
    base_text_free(&text);
}

/* The code of the operations, without what comes before and after them. */
static void expect(const char *name, const char *operations, const isa_settings *settings,
                   const char *head, const char *expected) {
    const isa_target *target = isa_find(name);
    isa_code code = ISA_CODE_EMPTY;
    encode(target, operations, settings, head, &code);
    if (code.sites == NULL)
        abort(); /* so that analysers know */
    const isa_site *last = &code.sites[code.site_count - 1];
    const uint32_t start = code.sites[0].offset;
    const size_t size = last->offset + last->size - start;
    base_text text = {0}, bytes = {0};
    base_text_print(&text, "%s%s\n", name[0] == 'r' ? ".option norelax\n" : "", expected);
    assemble(target, &text, &bytes);
    if (bytes.length != size || (size > 0 && memcmp(bytes.data, code.bytes + start, size) != 0)) {
        listing list = disassemble(target, &code);
        for (size_t i = 0; i < list.count; i++)
            print_message("%4x %s\n", (unsigned)list.lines[i].offset, list.lines[i].text);
        fail_msg("%s: '%s' is not\n%s", name, operations, expected);
    }
    base_text_free(&text);
    base_text_free(&bytes);
    isa_code_free(&code);
}

static const isa_settings plain = {.log = ISA_LOG_TAP, .await_limit = 5, .has_flush = true};

static const row rows[] = {
    {"load a0", "ld x13,64(x10)", "ldr x3,[x0,#64]", "movq 64(%rdi),%r10"},
    {"load a0 acquire", "ld x13,64(x10); fence r,rw", "add x12,x0,#64; ldar x3,[x12]",
     "movq 64(%rdi),%r10"},
    {"store a0 9", "addi x6,x12,9; sd x6,64(x10)", "add x13,x2,#9; str x13,[x0,#64]",
     "leaq 9(%rdx),%rax; movq %rax,64(%rdi)"},
    {"store a0 9 release", "fence rw,w; addi x6,x12,9; sd x6,64(x10)",
     "add x12,x0,#64; add x13,x2,#9; stlr x13,[x12]", "leaq 9(%rdx),%rax; movq %rax,64(%rdi)"},
    {"store a0 0x12345", "lui x6,0x12; addiw x6,x6,0x345; add x6,x6,x12; sd x6,64(x10)",
     "movz x13,#0x2345; movk x13,#1,lsl #16; add x13,x13,x2; str x13,[x0,#64]",
     "leaq 0x12345(%rdx),%rax; movq %rax,64(%rdi)"},
    {"swap a0 9", "addi x5,x10,64; addi x6,x12,9; amoswap.d x13,x6,(x5)",
     "add x12,x0,#64; add x13,x2,#9; swp x13,x3,[x12]", "leaq 9(%rdx),%r10; xchgq %r10,64(%rdi)"},
    {"swap a0 9 acquire", "addi x5,x10,64; addi x6,x12,9; amoswap.d.aq x13,x6,(x5)",
     "add x12,x0,#64; add x13,x2,#9; swpa x13,x3,[x12]", "leaq 9(%rdx),%r10; xchgq %r10,64(%rdi)"},
    {"swap a0 9 release", "addi x5,x10,64; addi x6,x12,9; amoswap.d.rl x13,x6,(x5)",
     "add x12,x0,#64; add x13,x2,#9; swpl x13,x3,[x12]", "leaq 9(%rdx),%r10; xchgq %r10,64(%rdi)"},
    {"swap a0 9 acquire release", "addi x5,x10,64; addi x6,x12,9; amoswap.d.aqrl x13,x6,(x5)",
     "add x12,x0,#64; add x13,x2,#9; swpal x13,x3,[x12]", "leaq 9(%rdx),%r10; xchgq %r10,64(%rdi)"},
    {"add a0 9 acquire", "addi x5,x10,64; addi x6,x0,9; slli x6,x6,32; amoadd.d.aq x13,x6,(x5)",
     "add x12,x0,#64; movz x13,#9,lsl #32; ldadda x13,x3,[x12]",
     "movabsq $0x900000000,%r10; lock xaddq %r10,64(%rdi)"},
    {"flush a0", "addi x5,x10,64; cbo.flush (x5)", "add x12,x0,#64; dc civac,x12",
     "clflush 64(%rdi)"},
    {"prefetch a0", "addi x5,x10,64; prefetch.r 0(x5)", "add x12,x0,#64; prfm pldl1keep,[x12]",
     "prefetcht0 64(%rdi)"},
    {"prefetch a0\nprefetch a1\nprefetch a0\nprefetch a0",
     "addi x5,x10,64; prefetch.r 0(x5); addi x5,x10,128; prefetch.w 0(x5);"
     "addi x5,x10,64; prefetch.i 0(x5); addi x5,x10,64; prefetch.r 0(x5)",
     "add x12,x0,#64; prfm pldl1keep,[x12]; add x12,x0,#128; prfm pstl1keep,[x12];"
     "add x12,x0,#64; prfm plil1keep,[x12]; add x12,x0,#64; prfm pldl1keep,[x12]",
     "prefetcht0 64(%rdi); prefetchw 128(%rdi); prefetcht1 64(%rdi); prefetcht0 64(%rdi)"},
    /* With words of 8 bytes, the nearest place without a location is 8 bytes on. */
    {"fetch a0", "jalr x28,72(x10)", "add x12,x0,#72; adr x16,1f; br x12; 1:",
     "leaq 72(%rdi),%rax; leaq 1f(%rip),%rcx; jmp *%rax; 1:"},
    {"load a1\nfetch a0 address@-1",
     "ld x13,128(x10); xor x7,x13,x13; add x5,x7,x10; jalr x28,72(x5)",
     "ldr x3,[x0,#128]; eor x14,x3,x3; add x12,x14,x0; add x12,x12,#72; adr x16,1f; br x12; 1:",
     "movq 128(%rdi),%r10; movq %r10,%rcx; andq $0,%rcx; leaq 72(%rdi,%rcx),%rax;"
     "leaq 1f(%rip),%rcx; jmp *%rax; 1:"},
    {"delay 3", "addi x28,x0,3; 1: addi x28,x28,-1; bne x28,x0,1b",
     "movz x15,#3; 1: sub x15,x15,#1; cbnz x15,1b", "movl $3,%r8d; 1: decq %r8; {disp32} jne 1b"},
    {"await a0 7",
     "addi x6,x12,7; addi x28,x0,5; 1: ld x13,64(x10); beq x13,x6,2f; addi x28,x28,-1;"
     "bne x28,x0,1b; auipc x7,0; jalr x0,16(x7); 2:",
     "add x13,x2,#7; movz x15,#5; 1: ldr x3,[x0,#64]; cmp x3,x13; b.eq 2f; sub x15,x15,#1;"
     "cbnz x15,1b; b .+12; 2:",
     "leaq 7(%rdx),%rax; movl $5,%r8d; 1: movq 64(%rdi),%r10; cmpq %rax,%r10; {disp32} je 2f;"
     "decq %r8; {disp32} jne 1b; {disp32} jmp .+15; 2:"},
    {"load a0\nload a1 address@-1", "ld x13,64(x10); xor x7,x13,x13; add x5,x7,x10; ld x14,128(x5)",
     "ldr x3,[x0,#64]; eor x14,x3,x3; add x12,x14,x0; ldr x4,[x12,#128]",
     "movq 64(%rdi),%r10; movq %r10,%rcx; andq $0,%rcx; movq 128(%rdi,%rcx),%r11"},
    {"load a0\nstore a1 9 data@-1",
     "ld x13,64(x10); xor x7,x13,x13; addi x6,x12,9; add x6,x6,x7; sd x6,128(x10)",
     "ldr x3,[x0,#64]; eor x14,x3,x3; add x13,x2,#9; add x13,x13,x14; str x13,[x0,#128]",
     "movq 64(%rdi),%r10; movq %r10,%rcx; andq $0,%rcx; leaq 9(%rdx),%rax; addq %rcx,%rax;"
     "movq %rax,128(%rdi)"},
    {"load a0\nstore a1 9 control@-1",
     "ld x13,64(x10); bne x13,x0,1f; 1: addi x6,x12,9; sd x6,128(x10)",
     "ldr x3,[x0,#64]; cbnz x3,1f; 1: add x13,x2,#9; str x13,[x0,#128]",
     "movq 64(%rdi),%r10; testq %r10,%r10; {disp32} jne 1f; 1: leaq 9(%rdx),%rax;"
     "movq %rax,128(%rdi)"},
    /* An acquire comes after earlier releases (RCsc). */
    {"store a1 9 release\nload a0 acquire",
     "fence rw,w; addi x6,x12,9; sd x6,128(x10); fence w,r; ld x13,64(x10); fence r,rw",
     "add x12,x0,#128; add x13,x2,#9; stlr x13,[x12]; add x12,x0,#64; ldar x3,[x12]",
     "leaq 9(%rdx),%rax; movq %rax,128(%rdi); movq 64(%rdi),%r10"},
    {"swap a1 9 release\nload a0 acquire",
     "addi x5,x10,128; addi x6,x12,9; amoswap.d.rl x13,x6,(x5); fence w,r; ld x14,64(x10);"
     "fence r,rw",
     "add x12,x0,#128; add x13,x2,#9; swpl x13,x3,[x12]; add x12,x0,#64; ldar x4,[x12]",
     "leaq 9(%rdx),%r10; xchgq %r10,128(%rdi); movq 64(%rdi),%r11"},
    {"swap a1 9 release\nswap a0 3 acquire",
     "addi x5,x10,128; addi x6,x12,9; amoswap.d.rl x13,x6,(x5); addi x5,x10,64; addi x6,x12,3;"
     "amoswap.d.aq x14,x6,(x5)",
     "add x12,x0,#128; add x13,x2,#9; swpl x13,x3,[x12]; add x12,x0,#64; add x13,x2,#3;"
     "swpa x13,x4,[x12]",
     "leaq 9(%rdx),%r10; xchgq %r10,128(%rdi); leaq 3(%rdx),%r11; xchgq %r11,64(%rdi)"},
    {"store a1 9 release\nswap a0 3 acquire",
     "fence rw,w; addi x6,x12,9; sd x6,128(x10); fence w,r; addi x5,x10,64; addi x6,x12,3;"
     "amoswap.d.aq x13,x6,(x5)",
     "add x12,x0,#128; add x13,x2,#9; stlr x13,[x12]; add x12,x0,#64; add x13,x2,#3;"
     "swpa x13,x3,[x12]",
     "leaq 9(%rdx),%rax; movq %rax,128(%rdi); leaq 3(%rdx),%r10; xchgq %r10,64(%rdi)"},
    {"store a1 9 release\nfence\nload a0 acquire",
     "fence rw,w; addi x6,x12,9; sd x6,128(x10); fence rw,rw; ld x13,64(x10); fence r,rw",
     "add x12,x0,#128; add x13,x2,#9; stlr x13,[x12]; dmb ish; add x12,x0,#64; ldar x3,[x12]",
     "leaq 9(%rdx),%rax; movq %rax,128(%rdi); mfence; movq 64(%rdi),%r10"},
};

static void want_all(void) {
    want_gnu(isa_find("rv64"));
    want_gnu(isa_find("aarch64"));
    want_gnu(isa_find("x86-64"));
}

static void expect_rows(const row *table, size_t count, const isa_settings *settings,
                        const char *head) {
    for (size_t i = 0; i < count; i++) {
        expect("rv64", table[i].operations, settings, head, table[i].rv64);
        expect("aarch64", table[i].operations, settings, head, table[i].aarch64);
        expect("x86-64", table[i].operations, settings, head, table[i].x86_64);
    }
}

TEST(operations_become_the_instructions_that_the_docs_list) {
    want_all();
    expect_rows(rows, sizeof rows / sizeof *rows, &plain, "");
}

TEST(a_stub_jumps_back) {
    static const struct {
        const char *target, *text;
    } stubs[] = {{"rv32", "jalr x0,0(x28)"},
                 {"rv64", "jalr x0,0(x28)"},
                 {"aarch64", "br x16"},
                 {"x86-64", "jmp *%rcx; int3; int3"}};
    want_all();
    for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++) {
        const isa_target *target = isa_find(stubs[i].target);
        const uint32_t word = isa_stub_word(target);
        base_text text = {0}, bytes = {0};
        base_text_print(&text, "%s\n", stubs[i].text);
        assemble(target, &text, &bytes);
        assert_int_equal(bytes.length, ISA_STUB_BYTES);
        assert_memory_equal(bytes.data, &word, ISA_STUB_BYTES);
        base_text_free(&text);
        base_text_free(&bytes);
    }
}

TEST(words_of_4_bytes_take_instructions_of_32_bits) {
    static const row narrow[] = {
        {"load a0", "lw x13,64(x10)", "ldr w3,[x0,#64]", "movl 64(%rdi),%r10d"},
        {"store a0 9", "addiw x6,x12,9; sw x6,64(x10)", "add x13,x2,#9; str w13,[x0,#64]",
         "leaq 9(%rdx),%rax; movl %eax,64(%rdi)"},
        {"store a0 9 release", "fence rw,w; addiw x6,x12,9; sw x6,64(x10)",
         "add x12,x0,#64; add x13,x2,#9; stlr w13,[x12]", "leaq 9(%rdx),%rax; movl %eax,64(%rdi)"},
        {"load a0 acquire", "lw x13,64(x10); fence r,rw", "add x12,x0,#64; ldar w3,[x12]",
         "movl 64(%rdi),%r10d"},
        {"swap a0 9 acquire release", "addi x5,x10,64; addiw x6,x12,9; amoswap.w.aqrl x13,x6,(x5)",
         "add x12,x0,#64; add x13,x2,#9; swpal w13,w3,[x12]",
         "leaq 9(%rdx),%r10; xchgl %r10d,64(%rdi)"},
        {"fetch a0", "jalr x28,68(x10)", "add x12,x0,#68; adr x16,1f; br x12; 1:",
         "leaq 68(%rdi),%rax; leaq 1f(%rip),%rcx; jmp *%rax; 1:"},
        {"add a0 9", "addi x5,x10,64; lui x6,0x100; amoadd.w x13,x6,(x5)",
         "add x12,x0,#64; movz x13,#0x10,lsl #16; ldadd w13,w3,[x12]",
         "movl $0x100000,%r10d; lock xaddl %r10d,64(%rdi)"},
    };
    want_all();
    expect_rows(narrow, sizeof narrow / sizeof *narrow, &plain, "word 4\n");
    expect("rv32", "store a0 9\nload a1 acquire", &plain, "word 4\n",
           "addi x6,x12,9; sw x6,64(x10); lw x13,128(x10); fence r,rw");
}

TEST(a_fence_orders_its_pairs_by_the_weakest_instructions) {
    static const row fences[] = {
        {"fence rr", "fence r,r", "dmb ishld", ""},
        {"fence rw", "fence r,w", "dmb ishld", ""},
        {"fence rr+rw", "fence r,rw", "dmb ishld", ""},
        {"fence wr", "fence w,r", "dmb ish", "mfence"},
        {"fence rr+wr", "fence rw,r", "dmb ish", "mfence"},
        {"fence rw+wr", "fence r,w; fence w,r", "dmb ish", "mfence"},
        {"fence rr+rw+wr", "fence r,rw; fence w,r", "dmb ish", "mfence"},
        {"fence ww", "fence w,w", "dmb ishst", ""},
        {"fence rr+ww", "fence r,r; fence w,w", "dmb ishld; dmb ishst", ""},
        {"fence rw+ww", "fence rw,w", "dmb ishld; dmb ishst", ""},
        {"fence rr+rw+ww", "fence.tso", "dmb ishld; dmb ishst", ""},
        {"fence wr+ww", "fence w,rw", "dmb ish", "mfence"},
        {"fence rr+wr+ww", "fence r,r; fence w,rw", "dmb ish", "mfence"},
        {"fence rw+wr+ww", "fence r,w; fence w,rw", "dmb ish", "mfence"},
        {"fence", "fence rw,rw", "dmb ish", "mfence"},
    };
    want_all();
    expect_rows(fences, sizeof fences / sizeof *fences, &plain, "");
}

TEST(without_v8_1_atomics_are_loops) {
    const isa_settings settings = {.exclusives = true};
    want_gnu(isa_find("aarch64"));
    expect("aarch64", "swap a0 9", &settings, "",
           "add x12,x0,#64; add x13,x2,#9; 1: ldxr x3,[x12]; stxr w16,x13,[x12]; cbnz w16,1b");
    expect("aarch64", "add a0 9 acquire", &settings, "",
           "add x12,x0,#64; movz x13,#9,lsl #32; 1: ldaxr x3,[x12]; add x15,x3,x13;"
           "stxr w16,x15,[x12]; cbnz w16,1b");
    expect("aarch64", "add a0 9 release", &settings, "word 4\n",
           "add x12,x0,#64; movz x13,#0x10,lsl #16; 1: ldxr w3,[x12]; add x15,x3,x13;"
           "stlxr w16,w15,[x12]; cbnz w16,1b");
    expect("aarch64", "swap a0 9 acquire release", &settings, "",
           "add x12,x0,#64; add x13,x2,#9; 1: ldaxr x3,[x12]; stlxr w16,x13,[x12]; cbnz w16,1b;"
           "dmb ish");
}

TEST(values_are_logged_at_once_or_in_batches) {
    isa_settings settings = {.log = ISA_LOG_STORE};
    want_all();
    expect("rv64", "load a0\nload a1", &settings, "",
           "ld x13,64(x10); sd x13,0(x11); ld x14,128(x10); sd x14,8(x11)");
    expect("x86-64", "load a0\nload a1", &settings, "word 4\n",
           "movl 64(%rdi),%r10d; movl %r10d,(%rsi); movl 128(%rdi),%r11d; movl %r11d,4(%rsi)");
    settings.log = ISA_LOG_REGISTERS; /* eight registers, then the ninth read */
    expect("x86-64",
           "load a0\nload a0\nload a0\nload a0\nload a0\nload a0\nload a0\nload a0\nload a1",
           &settings, "",
           "movq 64(%rdi),%r10; movq 64(%rdi),%r11; movq 64(%rdi),%rbx; movq 64(%rdi),%rbp;"
           "movq 64(%rdi),%r12; movq 64(%rdi),%r13; movq 64(%rdi),%r14; movq 64(%rdi),%r15;"
           "movq %rbx,16(%rsi); movq %rbp,24(%rsi); movq %r10,(%rsi); movq %r11,8(%rsi);"
           "movq %r12,32(%rsi); movq %r13,40(%rsi); movq %r14,48(%rsi); movq %r15,56(%rsi);"
           "movq 128(%rdi),%r10");
}

static void expect_refused(const char *name, const char *text, const isa_settings *settings,
                           const char *sentence) {
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    isa_code code = ISA_CODE_EMPTY;
    assert_int_equal(col_program_read(&program, text, strlen(text), "test", &problem), COL_OK);
    assert_int_equal(isa_accepts(isa_find(name), &program, settings, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, sentence);
    assert_int_equal(isa_encode_thread(isa_find(name), &program, 0, settings, &code, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, sentence);
    assert_int_equal(code.size, 0);
    isa_code_free(&code);
    col_program_free(&program);
}

TEST(programs_that_a_target_cannot_run_are_refused) {
    const isa_settings settings = {.has_flush = false};
    expect_refused("rv32", "collider program 1\nlocation a0 64\nthread 0\nload a0\nend\n",
                   &settings, "rv32 has no words of 8 bytes, as this program needs");
    expect_refused("rv32",
                   "collider program 1\nword 4\nlocation a0 0x100000000\nthread 0\nload a0\nend\n",
                   &settings, "the address 0x100000000 of a0 does not fit in rv32");
    expect_refused("rv64", "collider program 1\nlocation a0 64\nthread 0\nflush a0\nend\n",
                   &settings, "rv64 needs Zicbom (cbo.flush) for the program's flush");
    expect_refused("x86-64",
                   "collider program 1\nlocation a0 64\nlocation a1 72\nlocation a2 80\n"
                   "location a3 88\nlocation a4 96\nlocation a5 104\nlocation a6 112\n"
                   "location a7 120\nthread 0\nfetch a3\nend\n",
                   &settings,
                   "a fetch of a3 executes an instruction in its block, but locations leave no "
                   "room for one in these 64 bytes");
    assert_null(isa_find("rv128"));
}
