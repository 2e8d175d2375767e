/* SPDX-License-Identifier: MIT */
/* GNU tools as judges: see gnu.h. */
#include "gnu.h"

#include "base/file.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct tools {
    const char *prefix, *flags, *package;
} tools;

#define EXTENSIONS "ima_zicsr_zifencei_zihintpause_zicbom_zicbop"

static tools tools_of(const isa_target *target) {
    switch (target->name[0] == 'r' ? target->address_bytes : 0) {
    case 4:
        return (tools){"riscv64-linux-gnu-", "-mabi=ilp32 -march=rv32" EXTENSIONS,
                       "binutils-riscv64-linux-gnu"};
    case 8:
        return (tools){"riscv64-linux-gnu-", "-mabi=lp64 -march=rv64" EXTENSIONS,
                       "binutils-riscv64-linux-gnu"};
    default:
        return target->name[0] == 'a'
                   ? (tools){"aarch64-linux-gnu-", "-march=armv8.1-a", "binutils-aarch64-linux-gnu"}
                   : (tools){"x86_64-linux-gnu-", "--64", "binutils-x86-64-linux-gnu"};
    }
}

void want_command(const char *command, const char *package) {
    char command_line[200];
    snprintf(command_line, sizeof command_line, "command -v %s >/dev/null", command);
    if (system(command_line) == 0) // NOLINT(concurrency-mt-unsafe) -- one thread
        return;
    print_message("skipped: there is no %s; install %s\n", command, package);
    skip();
}

void want_gnu(const isa_target *target) {
    char command[80];
    snprintf(command, sizeof command, "%sas", tools_of(target).prefix);
    want_command(command, tools_of(target).package);
}

static char folder[64];

static void remove_folder(void) {
    char command_line[100];
    snprintf(command_line, sizeof command_line, "rm -rf %s", folder);
    (void)!system(command_line);
}

const char *temporary_file(const char *name) {
    static char path[128];
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "/tmp/collider-isa-XXXXXX");
        assert_non_null(mkdtemp(folder));
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

void run_command(const char *format, ...) {
    char command_line[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command_line, sizeof command_line, format, arguments);
    va_end(arguments);
    if (system(command_line) != 0)
        fail_msg("this failed: %s", command_line);
}

void read_bytes(const char *path, base_text *bytes) {
    col_problem problem;
    bytes->length = 0;
    if (base_file_read(path, bytes, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

void write_bytes(const char *path, const void *bytes, size_t size) {
    col_problem problem;
    if (base_file_write(path, bytes, size, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* Leaves an object file behind. */
static void assemble_object(const isa_target *target, const base_text *text) {
    const tools t = tools_of(target);
    temporary_file("code.s");
    write_bytes(temporary_file("code.s"), text->data, text->length);
    run_command("cd %s && %sas %s -o code.o code.s", folder, t.prefix, t.flags);
}

void assemble(const isa_target *target, const base_text *text, base_text *bytes) {
    assemble_object(target, text);
    run_command("cd %s && %sobjcopy -O binary -j .text code.o code.bin", folder,
                tools_of(target).prefix);
    read_bytes(temporary_file("code.bin"), bytes);
}

/* Instructions as numbers, so that the disassembler knows the extensions that they may be of. */
static void write_numbers(const isa_target *target, const isa_code *code) {
    base_text text = {0};
    const uint32_t step = target->alignment;
    const char *directive = target->name[0] == 'r'   ? ".insn 4, "
                            : target->name[0] == 'a' ? ".inst "
                                                     : ".byte ";
    for (size_t i = 0; i < code->size; i += step) {
        uint32_t number = 0;
        for (uint32_t b = 0; b < step; b++)
            number |= (uint32_t)code->bytes[i + b] << (8 * b);
        base_text_print(&text, "%s0x%x\n", directive, (unsigned)number);
    }
    assemble_object(target, &text);
    base_text_free(&text);
}

/* "mnemonic operand,operand": tabs and runs of blanks become one blank, remarks go. */
static void squeeze(const char *from, char *to, size_t size) {
    size_t length = 0;
    bool in_operands = false;
    for (; *from != '\0' && *from != '\n' && length + 2 < size; from++) {
        if (strncmp(from, "//", 2) == 0 || strncmp(from, "# ", 2) == 0 || *from == '<')
            break;
        if (*from != ' ' && *from != '\t') {
            to[length++] = *from;
        } else if (!in_operands && length > 0) {
            to[length++] = ' ';
            in_operands = length < 5 || strncmp(to, "lock ", length) != 0;
            while (from[1] == ' ' || from[1] == '\t')
                from++;
        }
    }
    while (length > 0 && to[length - 1] == ' ')
        length--;
    to[length] = '\0';
}

static bool is_instruction(const char *text) {
    return text[0] != '\0' && text[0] != '.' && strstr(text, "(bad)") == NULL &&
           strstr(text, "undefined") == NULL && strstr(text, "unknown") == NULL;
}

listing disassemble(const isa_target *target, const isa_code *code) {
    base_text text = {0};
    write_numbers(target, code);
    run_command("cd %s && %sobjdump -d %s --no-show-raw-insn code.o >listing.txt", folder,
                tools_of(target).prefix, target->name[0] == 'r' ? "-M no-aliases,numeric" : "");
    read_bytes(temporary_file("listing.txt"), &text);
    listing list = {malloc((code->size + 1) * sizeof *list.lines), 0};
    assert_non_null(list.lines);
    for (char *at = text.data; at != NULL; at = strchr(at, '\n')) {
        char *end;
        at += *at == '\n';
        const uint32_t offset = (uint32_t)strtoul(at, &end, 16);
        if (*at != ' ' || *end != ':')
            continue;
        line *l = &list.lines[list.count++];
        l->offset = offset;
        squeeze(end + 1, l->text, sizeof l->text);
        if (!is_instruction(l->text))
            fail_msg("%s: no instruction at 0x%x: %s", target->name, (unsigned)offset, l->text);
    }
    base_text_free(&text);
    return list;
}

size_t line_at(const listing *list, uint32_t offset) {
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (list->lines[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == list->count || list->lines[low].offset != offset)
        fail_msg("no instruction starts at 0x%x", (unsigned)offset);
    return low;
}
