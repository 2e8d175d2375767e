/* SPDX-License-Identifier: MIT */
/* GNU tools and QEMU as judges: see gnu.h. */
#include "gnu.h"

#include "base/file.h"
#include "harness.h"
#include "program/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void read_text(col_program *program, const char *text) {
    col_problem problem;
    if (col_program_read(program, text, strlen(text), "test", &problem) != COL_OK)
        fail_msg("%s: %s", text, problem.message);
}

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
        listed *l = &list.lines[list.count++];
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

/* ---- Images under QEMU. */

/* The QEMU of a target, and what it is started with. */
typedef struct emulator {
    const char *target, *suffix, *package, *machine, *options;
} emulator;

static const emulator emulators[] = {
    {"rv32", "riscv32", "qemu-system-misc", "virt", "-bios none"},
    {"rv64", "riscv64", "qemu-system-misc", "virt", "-bios none"},
    {"aarch64", "aarch64", "qemu-system-arm", "virt", "-cpu max"},
    {"x86-64", "x86_64", "qemu-system-x86", "microvm",
     "-no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4"},
};

static const emulator *emulator_of(const char *target) {
    const emulator *e = emulators;
    while (strcmp(e->target, target) != 0)
        assert_ptr_not_equal(++e, emulators + sizeof emulators / sizeof emulators[0]);
    return e;
}

void want_qemu(const char *target, isa_platform *platform) {
    char command[64], preset[64];
    const emulator *e = emulator_of(target);
    snprintf(command, sizeof command, "qemu-system-%s", e->suffix);
    want_command(command, e->package);
    snprintf(preset, sizeof preset, "qemu-%s", e->suffix);
    assert_int_equal(isa_platform_open(platform, preset, NULL), COL_OK);
}

/* A word at the port of isa-debug-exit ends QEMU with twice the word plus 1. */
static int status_of(const isa_platform *platform, int status) {
    const isa_exit *way = &platform->exit;
    if (!WIFEXITED(status) || way->kind != ISA_EXIT_PORT)
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const uint64_t ended = (uint64_t)WEXITSTATUS(status);
    return ended == 2 * way->pass + 1 ? 0 : ended == 2 * way->fail + 1 ? 1 : (int)ended;
}

void run_image(const isa_image *image, const isa_platform *platform, qemu_run *run,
               base_text *results) {
    char ram[128], elf[128], command[1200], trace[300] = "";
    base_text bytes = {0};
    const emulator *e = emulator_of(platform->target->name);
    snprintf(ram, sizeof ram, "%s", temporary_file("ram"));
    snprintf(elf, sizeof elf, "%s", temporary_file("image.elf"));
    assert_int_equal(isa_image_bytes(image, NULL, ISA_IMAGE_ELF, 8, &bytes, NULL), COL_OK);
    write_bytes(elf, bytes.data, bytes.length);
    base_text_free(&bytes);
    (void)unlink(ram);
    if (run->traces) {
        snprintf(run->trace, sizeof run->trace, "%s", temporary_file("trace"));
        snprintf(trace, sizeof trace,
                 "-singlestep -d exec,cpu,nochain -dfilter 0x%llx+0x1000 "
                 "-D %s",
                 (unsigned long long)image->maps[0].threads[0].entry, run->trace);
    }
    snprintf(command, sizeof command,
             "timeout -s KILL %u qemu-system-%s %s -machine %s,memory-backend=ram -object "
             "memory-backend-file,id=ram,size=128M,mem-path=%s,share=on -m 128M -smp %u -accel "
             "tcg,thread=%s -display none -monitor none -serial none -nic none %s %s -kernel %s "
             ">/dev/null 2>&1 </dev/null",
             run->seconds > 0 ? run->seconds : 1500, e->suffix, e->options,
             run->machine != NULL ? run->machine : e->machine, ram,
             run->harts > 0 ? run->harts : image->maps[0].thread_count,
             run->traces ? "single" : "multi", /* one trace for all harts: one after the other */
             run->more != NULL ? run->more : "", trace, elf);
    const int status = system(command); // NOLINT(concurrency-mt-unsafe) -- one thread
    run->status = status_of(platform, status);
    const isa_window *window = &image->maps[0].all;
    results->length = 0;
    char *copy = malloc(window->size);
    assert_non_null(copy);
    const int file = open(ram, O_RDONLY);
    const off_t start = (off_t)(window->base - platform->ram.base);
    run->began = file >= 0 && pread(file, copy, window->size, start) == (ssize_t)window->size;
    assert_true(run->began || run->seconds > 0);
    base_text_add_bytes(results, copy, run->began ? window->size : 0);
    assert_int_equal(base_text_status(results, NULL), COL_OK);
    free(copy);
    if (file >= 0)
        (void)close(file);
}

static void notice(void *context, const col_event *event) {
    chk_returned_notice(context, event);
}

static col_verdict judge(const chk_returned *returned, col_model model) {
    col_verdict verdict = COL_UNDECIDED;
    const col_trace_settings settings = {.model = model, .budget = 30};
    assert_int_equal(col_trace_check(&returned->trace, &settings, &verdict, NULL, NULL), COL_OK);
    return verdict;
}

/* The program and what its reads returned, to be looked at. */
static void show_forbidden(const chk_returned *returned, uint64_t round) {
    base_text text = {0};
    prg_program_write(returned->program, &text);
    assert_int_equal(chk_returned_print(returned, &text, NULL), COL_OK);
    fail_msg("round %llu is forbidden:\n%s", (unsigned long long)round, text.data);
}

uint64_t judge_rounds(const isa_image *image, const col_program *program, const base_text *results,
                      col_model model, col_model stronger, qemu_tally *tally) {
    isa_results read = {0};
    isa_ending ending;
    isa_reads reads = {0};
    chk_returned returned = {0};
    const col_observer observer = {.context = &returned, .notice = notice};
    uint64_t forbidden = 0, last = 0;
    char sentence[320];
    assert_int_equal(
        isa_results_open(&read, &image->maps[0], program, (const uint8_t *)results->data, NULL),
        COL_OK);
    assert_int_equal(isa_results_ending(&read, &ending, NULL), COL_OK);
    assert_string_equal(ending.sentence, "");
    assert_int_equal(ending.rounds, image->maps[0].rounds);
    assert_int_equal(chk_returned_load(&returned, program, NULL), COL_OK);
    for (uint64_t r = 0; r < ending.rounds; r++) {
        assert_int_equal(isa_results_round(&read, r, &reads, NULL), COL_OK);
        if (isa_reads_explain(&read, &reads, sentence, sizeof sentence))
            fail_msg("%s", sentence);
        chk_returned_restart(&returned);
        isa_reads_tell(&reads, program, &observer);
        chk_returned_finish(&returned, true);
        assert_null(returned.what);
        if (judge(&returned, model) != COL_ALLOWED)
            show_forbidden(&returned, r);
        forbidden += stronger != model && judge(&returned, stronger) == COL_FORBIDDEN;
        const uint64_t hash = chk_returned_hash(&returned);
        tally->distinct += r == 0 || hash != last;
        last = hash;
    }
    tally->images++;
    tally->rounds += ending.rounds;
    tally->operations += ending.rounds * col_program_operations(program);
    chk_returned_free(&returned);
    isa_reads_free(&reads);
    isa_results_close(&read);
    return forbidden;
}
