/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/* Images as files: GNU tools read them as they were meant, all forms hold the same bytes, the map
 * is read back, and what a platform has no room for is refused. */
#include "design/isa/image.h"
#include "gnu.h"
#include "harness.h"
#include "program/random_program.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const presets[] = {"qemu-riscv64", "qemu-riscv32", "qemu-aarch64",
                                      "qemu-x86_64"};
enum { PRESETS = sizeof presets / sizeof presets[0] };

static const char two_threads[] = "collider program 1\nlocation a0 0x40\nlocation a1 0x2000\n"
                                  "thread 0\n store a0 1\n load a1\n swap a1 5\n"
                                  "thread 1\n store a1 2\n load a0\n delay 3\n fence\nend\n";

typedef struct built {
    col_program program;
    isa_platform platform;
    isa_image_settings settings;
    isa_image image;
    col_problem problem;
} built;

static built prepare(const char *preset, const char *text) {
    built b = {.program = COL_PROGRAM_EMPTY, .image = ISA_IMAGE_EMPTY};
    assert_int_equal(isa_platform_open(&b.platform, preset, NULL), COL_OK);
    isa_image_default(&b.settings);
    read_text(&b.program, text);
    b.program.is_narrow = b.platform.target->word_sizes == 4;
    return b;
}

static col_status build(built *b) {
    return isa_image_build(&b->image, &b->program, &b->platform, &b->settings, &b->problem);
}

static void drop(built *b) {
    isa_image_free(&b->image);
    col_program_free(&b->program);
}

/* ---- ELF. */

static void expect_in(const base_text *text, const char *what) {
    if (text->data == NULL || strstr(text->data, what) == NULL)
        fail_msg("'%s' is not in:\n%s", what, text->data == NULL ? "" : text->data);
}

TEST(gnu_tools_read_the_elf_file) {
    static const char *const prefixes[PRESETS] = {"riscv64-linux-gnu-", "riscv64-linux-gnu-",
                                                  "aarch64-linux-gnu-", "x86_64-linux-gnu-"};
    static const char *const fences[PRESETS] = {"fence", "fence", "dmb", "mfence"};
    for (int p = 0; p < PRESETS; p++) {
        built b = prepare(presets[p], two_threads);
        base_text elf = {0}, said = {0};
        char path[128], output[128], line_of_symbol[100];
        want_gnu(b.platform.target);
        assert_int_equal(build(&b), COL_OK);
        assert_int_equal(isa_image_bytes(&b.image, NULL, ISA_IMAGE_ELF, 8, &elf, NULL), COL_OK);
        snprintf(path, sizeof path, "%s", temporary_file("image.elf"));
        snprintf(output, sizeof output, "%s", temporary_file("said"));
        write_bytes(path, elf.data, elf.length);
        run_command("%sreadelf -W -h -l -s %s >%s 2>&1", prefixes[p], path, output);
        read_bytes(output, &said);
        assert_null(strstr(said.data, "arning"));
        snprintf(line_of_symbol, sizeof line_of_symbol, "%llx",
                 (unsigned long long)b.image.maps[0].threads[1].entry);
        expect_in(&said, line_of_symbol);
        expect_in(&said, " thread_1\n");
        expect_in(&said, " begin_signature\n");
        expect_in(&said, " a1\n");
        /* The program's own instructions, as the disassembler reads them. */
        said.length = 0;
        run_command("%sobjdump -d --disassemble=thread_1 %s >%s", prefixes[p], path, output);
        read_bytes(output, &said);
        expect_in(&said, "<thread_1>:");
        expect_in(&said, fences[p]);
        base_text_free(&said);
        base_text_free(&elf);
        drop(&b);
    }
}

/* The processor is in 32-bit mode there, so the GNU assembler has to be, too. */
TEST(x86_64_starts_in_32_bit_mode) {
    enum { TABLES_END = 0x300 };
    built b = prepare("qemu-x86_64", two_threads);
    base_text text = {0}, bytes = {0};
    want_gnu(b.platform.target);
    assert_int_equal(build(&b), COL_OK);
    base_text_add(&text, ".code32\n cli\n mov $0x100030,%eax\n lgdtl (%eax)\n mov $1,%ebp\n"
                         " {disp32} jmp 1f\n mov $0,%ebp\n 1: mov $0x18,%eax\n mov %eax,%ds\n"
                         " mov %eax,%ss\n mov $0x20,%eax\n mov %eax,%cr4\n");
    base_text_add(&text, " mov $0x105000,%eax\n mov %eax,%cr3\n mov $0xc0000080,%ecx\n"
                         " mov $0x100,%eax\n mov $0,%edx\n wrmsr\n mov $0x80000011,%eax\n"
                         " mov %eax,%cr0\n mov $0x100040,%eax\n ljmp *(%eax)\n"
                         ".code64\n mov $0x100060,%eax\n lidt (%rax)\n");
    assemble(b.platform.target, &text, &bytes);
    assert_memory_equal(b.image.code.bytes + TABLES_END, bytes.data, bytes.length);
    base_text_free(&text);
    base_text_free(&bytes);
    drop(&b);
}

/* The tables of translation, walked as a processor does: what is there is itself, RAM is cached. */
TEST(x86_64_translates_every_address_to_itself) {
    static const uint64_t addresses[] = {0x8000,           0x100000,   0x7ffffff,
                                         0x8000000,        0xfee00020, UINT64_C(0x1ffffffff),
                                         UINT64_C(5) << 30};
    built b = prepare("qemu-x86_64", two_threads);
    b.platform.uncached = (isa_window){UINT64_C(7) << 30, 2 << 20};
    assert_int_equal(build(&b), COL_OK);
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        uint64_t entry = 0x105000; /* what cr3 has, above */
        for (int shift = 39; shift >= 21 && (shift == 39 || (entry & 1) != 0); shift -= 9) {
            assert_true(shift == 39 || (entry & 0x83) == 3);
            memcpy(&entry,
                   b.image.code.bytes + (entry & ~UINT64_C(0xfff)) - b.image.load +
                       (addresses[i] >> shift & 0x1ff) * 8,
                   sizeof entry);
        }
        const bool is_there = addresses[i] >> 30 < 4 || addresses[i] >> 30 == 7;
        const uint64_t kind = addresses[i] < 0x8000000 ? 0x83 : 0x9b;
        assert_int_equal(entry, is_there ? (addresses[i] & ~UINT64_C(0x1fffff)) | kind : 0);
    }
    drop(&b);
}

/* ---- The other files. */

TEST(lines_for_readmemh_hold_the_same_bytes) {
    for (uint32_t width = 4; width <= 8; width += 4) {
        built b = prepare("qemu-aarch64", two_threads);
        base_text hex = {0};
        assert_int_equal(build(&b), COL_OK);
        assert_int_equal(isa_image_bytes(&b.image, NULL, ISA_IMAGE_HEX, width, &hex, NULL), COL_OK);
        const char *at = hex.data;
        char *next = NULL;
        assert_int_equal(*at, '@');
        assert_int_equal(strtoull(at + 1, &next, 16) * width, 0x80000); /* from the start of ram */
        for (size_t i = 0; i < b.image.code.size; i += width) {
            assert_int_equal(*next, '\n');
            at = next + 1;
            const uint64_t number = strtoull(at, &next, 16);
            assert_int_equal(next - at, 2 * width);
            for (uint32_t k = 0; k < width && i + k < b.image.code.size; k++)
                assert_int_equal(number >> (8 * k) & 0xff, b.image.code.bytes[i + k]);
        }
        assert_string_equal(next, "\n");
        base_text_free(&hex);
        drop(&b);
    }
}

static void assert_same_map(const isa_map *a, const isa_map *b) {
    assert_ptr_equal(a->target, b->target);
    assert_string_equal(a->platform, b->platform);
    assert_int_equal(a->model, b->model);
    assert_int_equal(a->log, b->log);
    assert_int_equal(a->rounds, b->rounds);
    assert_int_equal(a->seed, b->seed);
    assert_int_equal(a->image, b->image);
    assert_int_equal(a->word_bytes, b->word_bytes);
    assert_int_equal(a->salt_step, b->salt_step);
    assert_int_equal(a->salt_mask, b->salt_mask);
    assert_memory_equal(&a->ram, &b->ram, sizeof a->ram);
    assert_memory_equal(&a->results, &b->results, sizeof a->results);
    assert_int_equal(a->stride, b->stride);
    assert_int_equal(a->finals_offset, b->finals_offset);
    assert_int_equal(a->thread_count, b->thread_count);
    assert_int_equal(a->site_count, b->site_count);
    for (uint32_t t = 0; t < a->thread_count; t++) {
        assert_int_equal(a->threads[t].entry, b->threads[t].entry);
        assert_int_equal(a->threads[t].log_offset, b->threads[t].log_offset);
        assert_int_equal(a->threads[t].slots, b->threads[t].slots);
    }
    for (uint32_t s = 0; s < a->site_count; s++) {
        assert_int_equal(a->sites[s].pc, b->sites[s].pc);
        assert_int_equal(a->sites[s].operation, b->sites[s].operation);
        assert_int_equal(a->sites[s].thread, b->sites[s].thread);
        assert_int_equal(a->sites[s].slot, b->sites[s].slot);
        assert_int_equal(a->sites[s].reg, b->sites[s].reg);
    }
}

/* Everything is inside of RAM, and nothing is in the place of something else. */
static void check_layout(const built *b) {
    const isa_image *i = &b->image;
    const isa_window *ram = &b->platform.ram;
    const isa_window text = {i->load, i->code.size};
    const uint64_t ram_end = ram->base + ram->size;
    assert_true(text.base >= ram->base && text.base + text.size <= i->data.base);
    assert_true(i->data.base + i->data.size <= i->maps[0].results.base);
    assert_true(i->maps[0].results.base + i->maps[0].results.size <= i->memory);
    for (uint32_t l = 0; l < b->program.location_count; l++)
        assert_true(i->memory + b->program.addresses[l] + i->maps[0].word_bytes <= ram_end);
    for (uint32_t s = 0; s < i->maps[0].site_count; s++)
        assert_true(i->maps[0].sites[s].pc > text.base &&
                    i->maps[0].sites[s].pc < text.base + text.size);
}

static void draw_program(base_rng *rng, col_program *program) {
    uint32_t lengths[6];
    const uint32_t threads = random_between(rng, 1, 6);
    for (uint32_t t = 0; t < threads; t++)
        lengths[t] = random_between(rng, 0, 16);
    assert_int_equal(col_program_shape(program, threads, lengths, random_between(rng, 0, 9), NULL),
                     COL_OK);
    random_content(rng, program);
}

TEST(maps_of_random_programs_are_read_back) {
    base_rng rng;
    base_rng_seed(&rng, 5, 0);
    for (int i = 0; i < 300; i++) {
        built b = prepare(presets[i % PRESETS], two_threads);
        isa_map map = ISA_MAP_EMPTY;
        base_text text = {0};
        draw_program(&rng, &b.program);
        for (uint32_t l = 0; l < b.program.location_count; l++)
            b.program.addresses[l] = (uint64_t)l * 16; /* they would be anywhere */
        for (uint32_t o = 0; o < col_program_operations(&b.program); o++)
            sample_make_executable(&b.program.operations[o]);
        b.program.is_narrow = b.platform.target->word_sizes == 4;
        b.platform.harts = 8;
        b.platform.has_flush = true;
        b.settings.log = (isa_log)(i % ISA_LOG_COUNT);
        b.settings.rounds = 1 + base_rng_below(&rng, 50);
        b.settings.seed = base_rng_next(&rng);
        b.settings.has_finals = i % 2 == 0;
        if (col_program_check(&b.program, NULL) != COL_OK || b.program.thread_count == 0) {
            drop(&b); /* its values have no room in narrow words */
            continue;
        }
        if (build(&b) != COL_OK)
            fail_msg("%s", b.problem.message);
        check_layout(&b);
        assert_int_equal(isa_image_bytes(&b.image, &(const col_program *){&b.program},
                                         ISA_IMAGE_MAP, 8, &text, NULL),
                         COL_OK);
        if (isa_map_parse(&map, text.data, text.length, "map.json", &b.program, &b.problem) !=
            COL_OK)
            fail_msg("%s", b.problem.message);
        assert_same_map(&b.image.maps[0], &map);
        isa_map_free(&map);
        base_text_free(&text);
        drop(&b);
    }
}

TEST(maps_of_something_else_are_refused) {
    built b = prepare("qemu-riscv64", two_threads);
    isa_map map = ISA_MAP_EMPTY;
    base_text text = {0};
    assert_int_equal(build(&b), COL_OK);
    assert_int_equal(isa_image_bytes(&b.image, &(const col_program *){&b.program}, ISA_IMAGE_MAP, 8,
                                     &text, NULL),
                     COL_OK);
    static const struct {
        const char *what, *by, *message;
    } changes[] = {
        {"image map", "image mop", "this is not the map of an image"},
        {"\"version\": 1,", "\"version\": 9,",
         "this map is of another version of Collider; make the image again"},
        {"\"stride\": ", "\"stride\": 1",
         "'size' of this map is missing or does not fit the program"},
        {"\"slots\": 2", "\"slots\": 9",
         "'slots' of this map is missing or does not fit the program"},
        {"\"offset\": 64", "\"offset\": 9999999",
         "'offset' of this map is missing or does not fit the program"},
        {"\"rv64\"", "\"rv65\"", "'isa' of this map is missing or does not fit the program"},
        {"\"entry\"", "\"antry\"", "'entry' of this map is missing or does not fit the program"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        base_text changed = {0};
        const char *at = strstr(text.data, changes[i].what);
        assert_non_null(at);
        base_text_add_bytes(&changed, text.data, (size_t)(at - text.data));
        base_text_add(&changed, changes[i].by);
        base_text_add(&changed, at + strlen(changes[i].what));
        assert_int_equal(
            isa_map_parse(&map, changed.data, changed.length, "map.json", &b.program, &b.problem),
            COL_BAD_INPUT);
        assert_string_equal(b.problem.message, changes[i].message);
        base_text_free(&changed);
    }
    b.program.operations[0].value = 77;
    assert_int_equal(
        isa_map_parse(&map, text.data, text.length, "map.json", &b.program, &b.problem),
        COL_BAD_INPUT);
    assert_string_equal(b.problem.message, "this is the map of an image of another program");
    base_text_free(&text);
    drop(&b);
}

/* ---- Limits. */

TEST(what_has_no_room_is_refused) {
    built b = prepare("qemu-riscv64", two_threads);
    b.platform.harts = 1;
    assert_int_equal(build(&b), COL_BAD_INPUT);
    assert_string_equal(b.problem.message,
                        "the program has 2 threads, but qemu-riscv64 has 1 hart");
    b.platform.harts = 2;
    b.settings.rounds = 1 << 20;
    assert_int_equal(build(&b), COL_BAD_INPUT);
    static const char refusal[] = "the log of 1048576 rounds has 201326720 bytes, more than "
                                  "qemu-riscv64 has room for; ";
    assert_memory_equal(b.problem.message, refusal, sizeof refusal - 1);
    b.settings.rounds = strtoull(b.problem.message + sizeof refusal - 1, NULL, 10);
    assert_int_equal(build(&b), COL_OK); /* as it said */
    b.settings.rounds += 1000;
    assert_int_equal(build(&b), COL_BAD_INPUT);
    b.settings.rounds = 100;
    b.program.addresses[1] = UINT64_C(1) << 40;
    assert_int_equal(build(&b), COL_BAD_INPUT);
    assert_non_null(strstr(b.problem.message, "the program's addresses span 1099511627784 bytes"));
    b.program.addresses[1] = 0x2000;
    b.program.operations[0].kind = COL_FLUSH;
    b.program.operations[0].value = 0;
    assert_int_equal(build(&b), COL_BAD_INPUT);
    assert_non_null(strstr(b.problem.message, "Zicbom"));
    drop(&b);
}

TEST(the_same_settings_give_the_same_bytes) {
    built a = prepare("qemu-aarch64", two_threads), b = prepare("qemu-aarch64", two_threads);
    assert_int_equal(build(&a), COL_OK);
    assert_int_equal(build(&b), COL_OK);
    assert_int_equal(a.image.code.size, b.image.code.size);
    assert_memory_equal(a.image.code.bytes, b.image.code.bytes, a.image.code.size);
    b.settings.seed++;
    assert_int_equal(build(&b), COL_OK);
    assert_int_not_equal(a.image.maps[0].image, b.image.maps[0].image);
    drop(&a);
    drop(&b);
}

/* ---- Words of rounds. */

TEST(words_of_rounds_never_meet) {
    built b = prepare("qemu-riscv32", two_threads);
    assert_int_equal(build(&b), COL_OK);
    assert_int_equal(b.image.maps[0].salt_step, 8); /* the largest value is 5 */
    for (uint64_t r = 0; r < 1000; r++)
        assert_int_equal(isa_map_salt(&b.image.maps[0], r), (r + 1) * 8);
    b.program.operations[0].value = (1 << COL_NARROW_VALUE_BITS) - 1;
    assert_int_equal(build(&b), COL_OK);
    for (uint64_t r = 0; r < 1000; r++)
        for (uint64_t other = 0; other < r; other++)
            assert_int_not_equal(isa_map_salt(&b.image.maps[0], r),
                                 isa_map_salt(&b.image.maps[0], other));
    drop(&b);
}
