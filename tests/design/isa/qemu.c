/* SPDX-License-Identifier: MIT */
/* Images under QEMU: see qemu.h. */
#include "qemu.h"

#include "gnu.h"
#include "harness.h"
#include "program/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
