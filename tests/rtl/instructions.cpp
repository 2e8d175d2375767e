// SPDX-License-Identifier: MIT
// Writes a random program of RV32IA with Zmmul as bytes for address 0x80000000:
//
//     instructions SEED COUNT FILE
//
// It runs on QEMU's virt machine and on rtl/cores alike: hart 0 executes COUNT random instructions,
// traps among them, and leaves its registers and the memory that it worked on at 0x90000000. Then
// it writes to QEMU's finisher; where there is none, that traps, and the handler writes to our
// exit.
#include "chance.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

enum : uint32_t {
    OP_LOAD = 0x03,
    OP_MISC = 0x0f,
    OP_IMMEDIATE = 0x13,
    OP_AUIPC = 0x17,
    OP_STORE = 0x23,
    OP_AMO = 0x2f,
    OP_REGISTER = 0x33,
    OP_LUI = 0x37,
    OP_BRANCH = 0x63,
    OP_JAL = 0x6f,
    OP_SYSTEM = 0x73,
};
enum : uint32_t {
    MHARTID = 0xf14,
    MTVEC = 0x305,
    MSCRATCH = 0x340,
    MEPC = 0x341,
    MCAUSE = 0x342,
    MTVAL = 0x343
};
enum : uint32_t { ECALL = 0x73, EBREAK = 0x100073, MRET = 0x30200073, WFI = 0x10500073 };
// Registers with a purpose: the first is a sum of what traps say, the last the memory to work on.
enum : uint32_t {
    SUM = 27,
    TRAP = 28,
    ENDING = 29,
    POINTER = 30,
    BASE = 31,
    RANDOM_REGISTERS = 27
};
static const uint32_t WORK = 0x80010000, RESULTS = 0x90000000, FINISHER = 0x100000,
                      EXIT = 0x10001008;
enum { WORK_BYTES = 1024, HANDLER = 32 }; // the handler is at this word

class Program {
  public:
    Program(uint64_t seed, unsigned count);
    const std::vector<uint32_t> &words() const {
        return words_;
    }

  private:
    void add(uint32_t word) {
        words_.push_back(word);
    }
    void immediate(uint32_t opcode, uint32_t f3, uint32_t rd, uint32_t rs1, uint32_t value) {
        add(value << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode);
    }
    void registers(uint32_t opcode, uint32_t f7, uint32_t f3, uint32_t rd, uint32_t rs1,
                   uint32_t rs2) {
        add(f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode);
    }
    void store(uint32_t f3, uint32_t rs2, uint32_t rs1, uint32_t offset) {
        add((offset >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (offset & 31) << 7 |
            OP_STORE);
    }
    void branch(uint32_t f3, uint32_t rs1, uint32_t rs2, uint32_t offset) {
        add((offset >> 12 & 1) << 31 | (offset >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 |
            f3 << 12 | (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7 | OP_BRANCH);
    }
    void set(uint32_t rd, uint32_t value) {
        add((value + 0x800) >> 12 << 12 | rd << 7 | OP_LUI);
        immediate(OP_IMMEDIATE, 0, rd, rd, value & 0xfff);
    }
    uint32_t any() {
        return static_cast<uint32_t>(chance_.next() >> 32);
    }
    uint32_t below(uint32_t limit) {
        return static_cast<uint32_t>(chance_.below(limit));
    }
    uint32_t any_register() {
        return below(RANDOM_REGISTERS);
    }

    void begin();
    void handler();
    void instruction();
    void arithmetic();
    void access(bool is_store, uint32_t from, uint32_t bytes);
    void memory();
    void atomic();
    void jump();
    void machine();
    void end();

    Chance chance_;
    std::vector<uint32_t> words_;
};

// Other harts sleep; the rest of the registers is random.
void Program::begin() {
    immediate(OP_SYSTEM, 2, 1, 0, MHARTID);
    branch(0, 1, 0, 12);
    add(WFI);
    branch(0, 0, 0, static_cast<uint32_t>(-4));
    set(1, 0x80000000 + 4 * HANDLER);
    immediate(OP_SYSTEM, 1, 0, 1, MTVEC);
    immediate(OP_SYSTEM, 1, 0, 0, MSCRATCH); // a reset leaves it open
    set(SUM, 0);
    set(ENDING, 0);
    set(TRAP, 0);
    set(POINTER, WORK);
    set(BASE, WORK);
    branch(0, 0, 0, static_cast<uint32_t>(4 * (HANDLER + 32 - words_.size())));
}

// Adds cause and value up, or ends; goes on behind the instruction.
void Program::handler() {
    const uint32_t instructions = 9; // up to mret
    branch(1, ENDING, 0, 4 * instructions);
    for (const uint32_t csr : {MCAUSE, MTVAL}) {
        immediate(OP_SYSTEM, 2, TRAP, 0, csr);
        registers(OP_REGISTER, 0, 0, SUM, SUM, TRAP);
    }
    immediate(OP_SYSTEM, 2, TRAP, 0, MEPC);
    immediate(OP_IMMEDIATE, 0, TRAP, TRAP, 4);
    immediate(OP_SYSTEM, 1, 0, TRAP, MEPC);
    add(MRET);
    set(1, EXIT);
    immediate(OP_IMMEDIATE, 0, 2, 0, 1);
    store(2, 2, 1, 0);
}

void Program::arithmetic() {
    const uint32_t f3 = below(8), rd = any_register(), a = any_register(), b = any_register();
    switch (below(5)) {
    case 0:
        registers(OP_REGISTER, 0, f3, rd, a, b);
        break;
    case 1:
        registers(OP_REGISTER, 0x20, f3 % 2 == 0 ? 0 : 5, rd, a, b);
        break;
    case 2:
        registers(OP_REGISTER, 1, f3 % 4, rd, a, b);
        break;
    case 3:
        add((any() & 0xfffff000) | rd << 7 | (f3 % 2 == 0 ? OP_LUI : OP_AUIPC));
        break;
    default:
        if (f3 == 1 || f3 == 5)
            registers(OP_IMMEDIATE, f3 == 5 ? below(2) * 0x20 : 0, f3, rd, a, below(32));
        else
            immediate(OP_IMMEDIATE, f3, rd, a, any() & 0xfff);
    }
}

// An access somewhere in some bytes of the memory to work on.
void Program::access(bool is_store, uint32_t from, uint32_t bytes) {
    static const uint32_t loads[] = {0, 1, 2, 4, 5};
    const uint32_t f3 = is_store ? below(3) : loads[below(5)];
    const uint32_t offset = (from + below(bytes)) >> (f3 & 3) << (f3 & 3);
    if (is_store)
        store(f3, any_register(), BASE, offset);
    else
        immediate(OP_LOAD, f3, any_register(), BASE, offset);
}

// One access, or several that overlap, so that loads meet stores of other widths in the buffer.
void Program::memory() {
    const uint32_t word = below(WORK_BYTES / 4) * 4;
    if (below(3) != 0) {
        access(below(2) != 0, 0, WORK_BYTES);
        return;
    }
    for (const bool is_store : {true, true, false, true, false})
        access(is_store, word, 4);
}

// With its address in a register; a store conditional follows its load, or another one.
void Program::atomic() {
    static const uint32_t kinds[] = {0, 1, 4, 8, 12, 16, 20, 24, 28};
    immediate(OP_IMMEDIATE, 0, POINTER, BASE, below(WORK_BYTES) / 4 * 4);
    if (below(3) != 0) {
        registers(OP_AMO, kinds[below(9)] << 2 | below(4), 2, any_register(), POINTER,
                  any_register());
        return;
    }
    registers(OP_AMO, 2 << 2, 2, any_register(), POINTER, 0);
    registers(OP_AMO, 3 << 2, 2, any_register(), POINTER, any_register());
    if (below(3) == 0)
        registers(OP_AMO, 3 << 2, 2, any_register(), POINTER, any_register());
}

// Forward, over up to three instructions.
void Program::jump() {
    static const uint32_t conditions[] = {0, 1, 4, 5, 6, 7};
    const uint32_t distance = 4 * (1 + below(3)), skipped = distance / 4 - 1;
    if (below(4) == 0)
        add(distance << 20 | any_register() << 7 | OP_JAL);
    else
        branch(conditions[below(6)], any_register(), any_register(), distance);
    for (uint32_t i = 0; i < skipped; i++)
        arithmetic();
}

void Program::machine() {
    switch (below(5)) {
    case 0:
        add(below(2) == 0 ? ECALL : EBREAK);
        break;
    case 1:
        add(below(2) == 0 ? 0xffffffff : 0x00000000);
        break;
    case 2:
        immediate(OP_SYSTEM, 1 + below(3), any_register(), any_register(), MSCRATCH);
        break;
    case 3:
        immediate(OP_SYSTEM, 5 + below(3), any_register(), any_register(), MSCRATCH);
        break;
    default:
        add(0x0ff0000f); // fence
    }
}

void Program::instruction() {
    const uint32_t draw = below(100);
    if (draw < 45)
        arithmetic();
    else if (draw < 70)
        memory();
    else if (draw < 82)
        atomic();
    else if (draw < 95)
        jump();
    else
        machine();
}

void Program::end() {
    set(POINTER, RESULTS);
    for (uint32_t i = 0; i < 32; i++)
        store(2, i, POINTER, 4 * i);
    for (uint32_t at = 0; at < WORK_BYTES; at += 4) {
        immediate(OP_LOAD, 2, 1, BASE, at);
        store(2, 1, POINTER, 128 + at);
    }
    set(ENDING, 1);
    set(1, FINISHER);
    set(2, 0x5555);
    store(2, 2, 1, 0);
    branch(0, 0, 0, 0);
}

Program::Program(uint64_t seed, unsigned count) : chance_(seed) {
    begin();
    words_.resize(HANDLER, 0x00000013);
    handler();
    words_.resize(HANDLER + 32, 0x00000013);
    for (uint32_t i = 1; i < RANDOM_REGISTERS; i++)
        set(i, below(4) == 0 ? below(16) - 8 : any());
    for (uint32_t at = 0; at < WORK_BYTES; at += 4)
        store(2, 1 + at / 4 % 26, BASE, at);
    for (unsigned i = 0; i < count; i++)
        instruction();
    end();
}

int main(int argc, char **argv) {
    if (argc != 4) {
        std::fprintf(stderr, "instructions: SEED COUNT FILE\n");
        return 2;
    }
    const Program program(std::strtoull(argv[1], nullptr, 10),
                          static_cast<unsigned>(std::atoi(argv[2])));
    std::FILE *file = std::fopen(argv[3], "wb");
    if (file == nullptr)
        return 3;
    std::fwrite(program.words().data(), 4, program.words().size(), file);
    return std::fclose(file) == 0 ? 0 : 3;
}
