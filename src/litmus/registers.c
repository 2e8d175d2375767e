/* SPDX-License-Identifier: MIT */
/* The registers of the instruction sets: see registers.h. */
#include "litmus/registers.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_word(const char *word, size_t length, const char *name) {
    return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

/* A decimal number below `limit` without further characters; `limit` if there is none. */
static uint32_t read_number(const char *word, size_t length, uint32_t limit) {
    uint32_t number = 0;
    if (length == 0 || length > 2 || (length == 2 && word[0] == '0'))
        return limit;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return limit;
        number = number * 10 + (uint32_t)(word[i] - '0');
    }
    return number < limit ? number : limit;
}

static uint8_t find_numbered(const char *word, size_t length, const char *letters, uint32_t count,
                             uint8_t other) {
    if (length < 2 || strchr(letters, word[0]) == NULL)
        return LIT_NO_REGISTER;
    const uint32_t number = read_number(word + 1, length - 1, count);
    return number < count ? (uint8_t)number : other;
}

static uint8_t find_riscv(const char *word, size_t length, uint8_t *bits) {
    static const char *const names[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                        "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                        "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                        "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    *bits = 64;
    const uint8_t number = find_numbered(word, length, "xX", 32, LIT_NO_REGISTER);
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
    return find_numbered(word, length, "XxWw", 31, LIT_NO_REGISTER);
}

static const char *const x86_names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
enum { X86_NAMES = sizeof x86_names / sizeof x86_names[0] };

/* rax, eax, ax, al; r8, r8d, r8w, r8b; rsi, esi, si, sil. */
static uint8_t find_x86(const char *word, size_t length, uint8_t *bits) {
    static const struct {
        const char *suffix;
        uint8_t bits;
    } suffixes[] = {{"", 64}, {"d", 32}, {"w", 16}, {"b", 8}};
    for (uint32_t i = 0; i < X86_NAMES; i++) {
        const char *name = x86_names[i];
        char part[8];
        for (size_t s = 0; i >= 8 && s < sizeof suffixes / sizeof suffixes[0]; s++) {
            (void)snprintf(part, sizeof part, "%s%s", name, suffixes[s].suffix);
            if (!is_word(word, length, part))
                continue;
            *bits = suffixes[s].bits;
            return (uint8_t)i;
        }
        if (i >= 8)
            continue;
        *bits = 64;
        if (is_word(word, length, name))
            return (uint8_t)i;
        (void)snprintf(part, sizeof part, "e%s", name + 1);
        *bits = 32;
        if (is_word(word, length, part))
            return (uint8_t)i;
        *bits = 16;
        if (is_word(word, length, name + 1))
            return (uint8_t)i;
        (void)snprintf(part, sizeof part, i < 4 ? "%.1sl" : "%.2sl", name + 1);
        *bits = 8;
        if (is_word(word, length, part))
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
