/* SPDX-License-Identifier: MIT */
/*
 * Design files of kind `command`: all that the fields say is read, words and ends are as the docs
 * have them, and such files are told from others. What they do when they run is in
 * tests/data/cli/command.txt.
 */
#include "base/file.h"
#include "base/folder.h"
#include "design/command/command_file.h"
#include "design/design_kind.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_data(duv_command_file *file, const char *name) {
    char path[512];
    col_problem problem;
    memset(file, 0, sizeof *file);
    snprintf(path, sizeof path, "%s/command/%s", TEST_DATA, name);
    if (duv_command_file_read(file, path, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

TEST(all_fields_are_read) {
    static duv_command_file file;
    read_data(&file, "all.yaml");
    assert_string_equal(file.name, "all");
    assert_string_equal(file.package, "simv");
    assert_string_equal(file.platform.name, "tohost");
    assert_int_equal(file.uses, (1U << DUV_PLACEHOLDER_COUNT) - 1);
    assert_int_equal(file.harts, 2);
    assert_int_equal(file.log, ISA_LOG_STORE);
    assert_int_equal(file.returns, DUV_RETURNS_MEMORY);
    assert_int_equal(file.rounds, 7);
    assert_int_equal(file.programs, 4);
    assert_int_equal((int)file.limit, 90);
    assert_int_equal(file.variable_count, 2);
    assert_string_equal(file.variables[0], "LICENCE=27000@server");
    assert_string_equal(file.variables[1], "EMPTY=");
    assert_false(file.repeats);
    assert_true(file.is_single);
    assert_int_equal(file.model, COL_TSO);
    assert_int_equal(file.least_operations, 4);
    assert_int_equal(file.most_operations, 8);
    duv_command_file_free(&file);
}

TEST(what_is_not_said_is_as_documented) {
    static const char text[] = "kind: command\nrun: x {image} {commits}\nplatform: qemu-aarch64\n";
    static duv_command_file file;
    memset(&file, 0, sizeof file);
    assert_int_equal(duv_command_file_parse(&file, text, sizeof text - 1, "x.yaml", NULL), COL_OK);
    assert_string_equal(file.name, "x");
    assert_int_equal(file.returns, DUV_RETURNS_COMMITS);
    assert_int_equal(file.log, ISA_LOG_TAP);
    assert_int_equal(file.rounds, 100);
    assert_int_equal(file.programs, 1);
    assert_int_equal(file.harts, 4);
    assert_int_equal(file.model, COL_ARMV8);
    assert_true(file.limit == 0);
    duv_command_file_free(&file);
}

/* Values with blanks stay one word, options become words, and braces that are doubled are braces.
 */
TEST(words_are_expanded) {
    static duv_command_file file;
    const char *values[DUV_PLACEHOLDER_COUNT];
    char texts[DUV_PLACEHOLDER_COUNT][64], **words;
    static const char *const expected[] = {"-i",
                                           "<image x>",
                                           "-b<bin x>",
                                           "--hex=<hex x>",
                                           "--map=<map x>",
                                           "-C",
                                           "<folder x>",
                                           "-l",
                                           "<log x>",
                                           "-m",
                                           "<memory x>",
                                           "-c",
                                           "<commits x>",
                                           "<seed x>",
                                           "<rounds x>",
                                           "<programs x>",
                                           "<harts x>",
                                           "<threads x>",
                                           "<results x>",
                                           "<bytes x>",
                                           "{literal}",
                                           "+a",
                                           "b c",
                                           NULL};
    read_data(&file, "all.yaml");
    for (uint32_t i = 0; i < DUV_PLACEHOLDER_COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "<%s x>", duv_placeholder_words[i]);
        values[i] = texts[i];
    }
    values[DUV_AT_OPTIONS] = "+a 'b c'";
    assert_int_equal(duv_command_expand(&file, values, &words, NULL), COL_OK);
    assert_string_equal(words[0], "<here x>/sim v");
    for (size_t i = 0; expected[i] != NULL; i++)
        assert_string_equal(words[i + 1], expected[i]);
    assert_null(words[sizeof expected / sizeof expected[0]]);
    free(words);
    values[DUV_AT_OPTIONS] = " ";
    assert_int_equal(duv_command_expand(&file, values, &words, NULL), COL_OK);
    assert_null(words[sizeof expected / sizeof expected[0] - 2]);
    free(words);
    values[DUV_AT_OPTIONS] = "'open";
    assert_int_equal(duv_command_expand(&file, values, &words, NULL), COL_BAD_INPUT);
    duv_command_file_free(&file);
}

TEST(ends_have_verdicts) {
    enum { EXIT_SHIFT = 8, SEGMENTATION = 11 };
    static duv_command_file file;
    static const struct {
        int status;
        duv_verdict verdict;
        bool timed_out, is_said;
    } rows[] = {{0, DUV_VERDICT_OK, false, true},
                {1 << EXIT_SHIFT, DUV_VERDICT_FAILED, false, true},
                {3 << EXIT_SHIFT, DUV_VERDICT_FAILED, false, true},
                {4 << EXIT_SHIFT, DUV_VERDICT_DEADLOCK, false, true},
                {5 << EXIT_SHIFT, DUV_VERDICT_MACHINE, false, true},
                {6 << EXIT_SHIFT, DUV_VERDICT_CRASH, false, false},
                {SEGMENTATION, DUV_VERDICT_CRASH, false, true},
                {SEGMENTATION, DUV_VERDICT_DEADLOCK, true, true}};
    read_data(&file, "all.yaml");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        duv_verdict verdict;
        assert_int_equal(duv_command_verdict(&file, rows[i].timed_out, rows[i].status, &verdict),
                         rows[i].is_said);
        assert_int_equal(verdict, rows[i].verdict);
    }
    duv_command_file_free(&file);
}

/* A file may say it in any way that YAML has. Whoever asks must not be told that it is harmless. */
TEST(files_of_commands_are_known) {
    static const struct {
        const char *text;
        bool is_command;
    } rows[] = {{"kind: command\n", true},
                {"\"kind\": 'command'\n", true},
                {"{protocol: mi, kind: command}\n", true},
                {"kind: slicc\nkind: command\n", false}, /* nobody takes a key that is said twice */
                {"name: &k command\nkind: *k\n", true},
                {"kind: \"\\x63ommand\"\n", true},
                {"protocol: mi\n", false},
                {"kind: slicc\nprotocol: mi\n", false},
                {"# kind: command\nprotocol: mi\n", false},
                {"machines: {kind: command}\n", false},
                {"[kind, command]\n", false},
                {"kind: {command\n", false},
                {"", false}};
    char folder[] = "/tmp/collider-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/design.yaml", folder);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(base_file_write(path, rows[i].text, strlen(rows[i].text), NULL), COL_OK);
        assert_int_equal(duv_is_command_file(path), rows[i].is_command);
        assert_int_equal(duv_kind_of(path)->is_code, rows[i].is_command);
        assert_true(duv_kind_of(path)->is_file);
    }
    assert_false(duv_is_command_file("/nowhere/design.yaml"));
    base_folder_remove("/tmp", folder + 5);
}

TEST(our_own_are_no_foreign_code) {
    static const char *const names[] = {"qemu-riscv64", "qemu-riscv32", "qemu-aarch64",
                                        "qemu-x86_64"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const duv_kind *kind = duv_kind_of(names[i]);
        assert_ptr_equal(kind->interface, &duv_command);
        assert_false(kind->is_code);
        assert_false(kind->is_file);
        static duv_command_file file;
        char path[PATH_MAX];
        memset(&file, 0, sizeof file);
        assert_true(duv_find_command(names[i], path));
        assert_int_equal(duv_command_file_read(&file, path, NULL), COL_OK);
        assert_string_equal(file.name, names[i]);
        assert_true(file.description[0] != '\0' && file.package[0] != '\0');
        duv_command_file_free(&file);
    }
    assert_true(duv_kind_of("mesi2")->has_protocol);
}
