/* SPDX-License-Identifier: MIT */
/*
 * The three instruction sets of litmus tests. A fence becomes the weakest instructions that order
 * all its pairs; on RISC-V that is always exact, since fences in a row order the union of their
 * pairs. To herd7, acquire and release on RISC-V are RCsc with atomics and load-reserved only.
 */
#include "program/litmus_writer.h"

enum {
    RR = COL_READ_READ,
    RW = COL_READ_WRITE,
    WR = COL_WRITE_READ,
    WW = COL_WRITE_WRITE,
};

#define SET(pairs) (UINT32_C(1) << (pairs))
/* By the set of attributes: none, acquire, release, both. */
#define ORDERS(plain, acquire, release, both)                                                      \
    { plain, acquire, release, both }

#define NAME(place, name, word, model) [place] = (name),
#define WORD(place, name, word, model) [place] = (word),
#define MODEL(place, name, word, model) [place] = (model),
const char *const prg_litmus_isa_names[PRG_ISA_COUNT] = {PRG_ISAS(NAME)};
const char *const prg_isa_words[PRG_ISA_COUNT + 1] = {PRG_ISAS(WORD)};
const col_model prg_isa_models[PRG_ISA_COUNT] = {PRG_ISAS(MODEL)};

const prg_litmus_isa prg_litmus_isas[PRG_ISA_COUNT] =
    {
        [PRG_RISCV] =
            {
                .registers = {"x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13",
                              "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22",
                              "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "x31"},
                .addresses_in_registers = true,
                .largest_immediate = INT64_MAX,
                .constant = "li @c,@n",
                .load = {"ld @d,0(@a)", "lr.d.aq @d,(@a)"},
                .store = {"sd @c,0(@a)", "sd.rl @c,0(@a)"},
                .swap = ORDERS("amoswap.d @d,@c,(@a)", "amoswap.d.aq @d,@c,(@a)",
                               "amoswap.d.rl @d,@c,(@a)", "amoswap.d.aqrl @d,@c,(@a)"),
                .add = ORDERS("amoadd.d @d,@c,(@a)", "amoadd.d.aq @d,@c,(@a)",
                              "amoadd.d.rl @d,@c,(@a)", "amoadd.d.aqrl @d,@c,(@a)"),
                .add_returns = true,
                .await_end = "bne @d,@c,@l",
                .address = "xor @t,@r,@r\nadd @t,@t,@a",
                .data = "xor @t,@r,@r\nadd @c,@c,@t",
                .control = "bne @r,x0,@l\n@l:",
                .fences = {[RR] = "fence r,r",
                           [RW] = "fence r,w",
                           [RR | RW] = "fence r,rw",
                           [WR] = "fence w,r",
                           [RR | WR] = "fence rw,r",
                           [RW | WR] = "fence r,w\nfence w,r",
                           [RR | RW | WR] = "fence r,rw\nfence w,r",
                           [WW] = "fence w,w",
                           [RR | WW] = "fence r,r\nfence w,w",
                           [RW | WW] = "fence rw,w",
                           [RR | RW | WW] = "fence.tso",
                           [WR | WW] = "fence w,rw",
                           [RR | WR | WW] = "fence r,r\nfence w,rw",
                           [RW | WR | WW] = "fence r,w\nfence w,rw",
                           [RR | RW | WR | WW] = "fence rw,rw"},
                .store_before_acquire = "amoswap.d.rl x0,@c,(@a)",
                .pseudo_release = true,
            },
        [PRG_AARCH64] =
            {
                .registers = {"X0",  "X1",  "X2",  "X3",  "X4",  "X5",  "X6",  "X7",  "X8",  "X9",
                              "X10", "X11", "X12", "X13", "X14", "X15", "X16", "X17", "X18", "X19",
                              "X20", "X21", "X22", "X23", "X24", "X25", "X26", "X27", "X28"},
                .addresses_in_registers = true,
                .largest_immediate = UINT16_MAX,
                .constant = "MOV @c,#@n",
                .load = {"LDR @d,[@a]", "LDAR @d,[@a]"},
                .store = {"STR @c,[@a]", "STLR @c,[@a]"},
                .swap = ORDERS("SWP @c,@d,[@a]", "SWPA @c,@d,[@a]", "SWPL @c,@d,[@a]",
                               "SWPAL @c,@d,[@a]"),
                .add = ORDERS("LDADD @c,@d,[@a]", "LDADDA @c,@d,[@a]", "LDADDL @c,@d,[@a]",
                              "LDADDAL @c,@d,[@a]"),
                .add_returns = true,
                .await_end = "CMP @d,@c\nB.NE @l",
                .address = "EOR @t,@r,@r\nADD @t,@t,@a",
                .data = "EOR @t,@r,@r\nADD @c,@c,@t",
                .control = "CBNZ @r,@l\n@l:",
                .flush = "DC CIVAC,@a",
                .fences = {[RR] = "DMB LD",
                           [RW] = "DMB LD",
                           [RR | RW] = "DMB LD",
                           [WR] = "DMB SY",
                           [RR | WR] = "DMB SY",
                           [RW | WR] = "DMB SY",
                           [RR | RW | WR] = "DMB SY",
                           [WW] = "DMB ST",
                           [RR | WW] = "DMB LD\nDMB ST",
                           [RW | WW] = "DMB LD\nDMB ST",
                           [RR | RW | WW] = "DMB LD\nDMB ST",
                           [WR | WW] = "DMB SY",
                           [RR | WR | WW] = "DMB SY",
                           [RW | WR | WW] = "DMB SY",
                           [RR | RW | WR | WW] = "DMB SY"},
                .stronger_fences = SET(RR) | SET(RW) | SET(WR) | SET(RR | WR) | SET(RW | WR) |
                                   SET(RR | RW | WR) | SET(RR | WW) | SET(RW | WW) | SET(WR | WW) |
                                   SET(RR | WR | WW) | SET(RW | WR | WW),
            },
        [PRG_X86_64] =
            {
                .registers = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
                              "r11", "r12", "r13", "r14", "r15"},
                .largest_immediate = INT32_MAX,
                .load = {"movq (@a),%@d", "movq (@a),%@d"},
                .store = {"movq $@n,(@a)", "movq $@n,(@a)"},
                .swap = ORDERS("movq $@n,%@d\nxchgq %@d,(@a)", "movq $@n,%@d\nxchgq %@d,(@a)",
                               "movq $@n,%@d\nxchgq %@d,(@a)", "movq $@n,%@d\nxchgq %@d,(@a)"),
                .add = ORDERS("lock addq $@n,(@a)", "lock addq $@n,(@a)", "lock addq $@n,(@a)",
                              "lock addq $@n,(@a)"),
                .await_end = "cmpq $@n,%@d\njne @l",
                .flush = "clflush (@a)",
                .flush_orders = true,
                .fences = {[WR] = "mfence",
                           [RR | WR] = "mfence",
                           [RW | WR] = "mfence",
                           [RR | RW | WR] = "mfence",
                           [WR | WW] = "mfence",
                           [RR | WR | WW] = "mfence",
                           [RW | WR | WW] = "mfence",
                           [RR | RW | WR | WW] = "mfence"},
            },
};
