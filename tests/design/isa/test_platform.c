/* SPDX-License-Identifier: MIT */
/* Platform files: the presets are good, what is not said is filled in, and what is wrong is refused
 * with its place. */
#include "design/isa/platform.h"
#include "harness.h"

#include <string.h>

static col_status parse(const char *text, isa_platform *platform, col_problem *problem) {
    return isa_platform_parse(platform, text, strlen(text), "folder/board.yaml", problem);
}

TEST(all_presets_can_be_opened) {
    for (const char *const *name = isa_platform_names; *name != NULL; name++) {
        isa_platform platform;
        col_problem problem = {0};
        if (isa_platform_open(&platform, *name, &problem) != COL_OK)
            fail_msg("%s: %s", *name, problem.message);
        assert_string_equal(platform.name, *name);
        assert_true(platform.description[0] != '\0');
        assert_true(platform.model == platform.target->model);
    }
}

TEST(what_is_not_said_is_filled_in) {
    isa_platform p;
    assert_int_equal(parse("{isa: rv64, ram: {base: 0x1000, size: 1Mi}}", &p, NULL), COL_OK);
    assert_string_equal(p.name, "board");
    assert_int_equal(p.load, 0x1000);
    assert_int_equal(p.harts, 1);
    assert_int_equal(p.hart.from, ISA_HART_MHARTID);
    assert_int_equal(p.hart.mask, UINT32_MAX);
    assert_int_equal(p.barrier.kind, ISA_BARRIER_CACHED);
    assert_true(p.barrier.limit > 0);
    assert_int_equal(p.exit.kind, ISA_EXIT_NONE);
    assert_int_equal(p.model, COL_RVWMO);
    assert_int_equal(parse("{isa: aarch64, ram: {base: 0, size: 2Mi}}", &p, NULL), COL_OK);
    assert_int_equal(p.hart.from, ISA_HART_MPIDR);
    assert_int_equal(p.hart.mask, 0xff);
    assert_int_equal(p.model, COL_ARMV8);
    assert_int_equal(parse("{isa: x86-64, ram: {base: 0, size: 2Mi}, load: 1Mi}", &p, NULL),
                     COL_OK);
    assert_int_equal(p.hart.from, ISA_HART_APIC);
    assert_int_equal(p.hart.mask, UINT32_MAX);
    assert_int_equal(p.start, ISA_START_TOGETHER);
    assert_int_equal(p.model, COL_TSO);
}

TEST(everything_can_be_said) {
    isa_platform p;
    assert_int_equal(
        parse("description: all of it\nisa: aarch64\nram: {base: 0x40000000, size: 64Mi}\n"
              "load: 0x40100000\nharts: 8\nhart: {from: register, register: 5, shift: 8, mask: 15, "
              "first: 1}\nstart: psci-smc\nbarrier: {kind: device, arrive: 0x100, go: 0x104, "
              "limit: 5}\nexit: {kind: write, address: 0x108, pass: 3, fail: 4}\n"
              "uncached: {base: 0x80000000, size: 2Mi}\nlog: uncached\ninstructions: [lse]\n"
              "caches: {block: 32, levels: \"L1=64x4,L2=512x8\"}\nmodel: sc\n",
              &p, NULL),
        COL_OK);
    assert_string_equal(p.description, "all of it");
    assert_int_equal(p.load, 0x40100000);
    assert_int_equal(p.harts, 8);
    assert_int_equal(p.hart.reg, 5);
    assert_int_equal(p.hart.shift, 8);
    assert_int_equal(p.hart.mask, 15);
    assert_int_equal(p.hart.first, 1);
    assert_int_equal(p.start, ISA_START_PSCI_SMC);
    assert_int_equal(p.barrier.kind, ISA_BARRIER_DEVICE);
    assert_int_equal(p.barrier.arrive, 0x100);
    assert_int_equal(p.barrier.go, 0x104);
    assert_int_equal(p.barrier.limit, 5);
    assert_int_equal(p.exit.kind, ISA_EXIT_WRITE);
    assert_int_equal(p.exit.pass, 3);
    assert_int_equal(p.exit.fail, 4);
    assert_int_equal(p.uncached.base, 0x80000000);
    assert_true(p.has_uncached_log && p.has_atomics && !p.has_flush);
    assert_int_equal(p.geometry.block_bits, 5);
    assert_int_equal(p.geometry.level_count, 2);
    assert_int_equal(p.model, COL_SC);
}

#define X86_64 "isa: x86-64\nram: {base: 0, size: 4Mi}\nload: 1Mi\n"

TEST(mistakes_are_refused_with_their_place) {
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *message;
    } cases[] = {
        {"isa: rv64", 1, 1, "a platform needs ram: {base: ..., size: ...}"},
        {"ram: {base: 0, size: 4096}", 1, 1, "a platform needs an isa"},
        {"isa: rv64\nram: {base: 0}", 2, 6, "ram needs a size"},
        {"isa: rv64\nram: {base: 5, size: 4096}", 2, 6, "ram begins and ends at multiples of 4096"},
        {"isa: rv32\nram: {base: 0xfffff000, size: 8Ki}", 2, 6,
         "ram ends beyond the addresses of rv32"},
        {"isa: aarch64\nram: {base: 0, size: 4096}", 2, 6,
         "memory of aarch64 begins and ends at multiples of 2 MiB, below 2^39"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nload: 0x2000", 3, 7,
         "load is an address in ram, a multiple of 4096"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nuncached: {base: 4Ki, size: 4Ki}", 3, 11,
         "uncached overlaps ram: leave the window out of ram"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nhart: {from: mpidr}", 3, 7,
         "a hart of rv64 has no mpidr"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nhart: {from: register}", 3, 7,
         "register 0 of RISC-V is always 0"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nstart: psci-hvc", 3, 8,
         "start 'psci-hvc' is for aarch64"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nexit: {kind: psci}", 3, 7,
         "exit 'psci' is for aarch64"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nstart: init-sipi", 3, 8,
         "start 'init-sipi' is for x86-64"},
        {"isa: aarch64\nram: {base: 0, size: 2Mi}\nexit: {kind: port, address: 4}", 3, 7,
         "exit 'port' is for x86-64"},
        {"isa: aarch64\nram: {base: 0, size: 2Mi}\nhart: {from: apic}", 3, 7,
         "a hart of aarch64 has no apic"},
        {"isa: x86-64\nram: {base: 0, size: 4096}", 2, 6,
         "memory of x86-64 begins and ends at multiples of 2 MiB, below 2^39"},
        {"isa: x86-64\nram: {base: 0, size: 4Mi}", 2, 6,
         "load is between 1 MiB and 2 GiB on x86-64"},
        {"isa: x86-64\nram: {base: 0, size: 4Gi}\nload: 0x80000000", 3, 7,
         "load is between 1 MiB and 2 GiB on x86-64"},
        {"isa: x86-64\nram: {base: 2Mi, size: 4Mi}\nstart: init-sipi", 2, 6,
         "init-sipi needs ram at 0x8000, where harts start"},
        {X86_64 "hart: {from: mpidr}", 4, 7, "a hart of x86-64 has no mpidr"},
        {X86_64 "hart: {from: register, register: 1}", 4, 7,
         "a hart of x86-64 has no register that holds its number"},
        {X86_64 "exit: {kind: semihosting}", 4, 7, "x86-64 has no semihosting"},
        {X86_64 "exit: {kind: port, address: 0x10000}", 4, 7,
         "exit 'port' needs an address below 64Ki"},
        {X86_64 "exit: {kind: port, address: 4, pass: 2}", 4, 7,
         "exit 'port' needs two different words, pass and fail"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nexit: {kind: finisher}", 3, 7,
         "exit 'finisher' needs an address, a multiple of 4"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nexit: {kind: write, address: 4, pass: 2}", 3, 7,
         "exit 'write' needs two different words, pass and fail"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nbarrier: {kind: device, go: 4}", 3, 10,
         "barrier 'device' needs two addresses, arrive and go, which are multiples of 4"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nbarrier: {kind: uncached}", 3, 10,
         "barrier 'uncached' needs the window 'uncached'"},
        {"isa: rv64\nram: {base: 0, size: 8Ki}\nlog: uncached", 3, 6,
         "an uncached log needs the window 'uncached'"},
        {"isa: rv64\ncaches: {block: 24}", 2, 17,
         "block is a power of two from 8 to 65536, not '24'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        isa_platform platform;
        col_problem problem = {0};
        assert_int_equal(parse(cases[i].text, &platform, &problem), COL_BAD_INPUT);
        assert_string_equal(problem.message, cases[i].message);
        assert_string_equal(problem.file, "folder/board.yaml");
        assert_int_equal(problem.line, cases[i].line);
        assert_int_equal(problem.column, cases[i].column);
    }
}

TEST(unknown_names_get_a_hint) {
    isa_platform platform;
    col_problem problem = {0};
    assert_int_equal(isa_platform_open(&platform, "qemu-riscv46", &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "--platform does not take 'qemu-riscv46'; did you mean "
                                         "'qemu-riscv64'?");
    assert_int_equal(isa_platform_open(&platform, "/nowhere/x.yaml", &problem), COL_BAD_INPUT);
}
