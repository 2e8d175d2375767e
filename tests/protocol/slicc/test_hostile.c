/* SPDX-License-Identifier: MIT */
/*
 * Nothing that a protocol says becomes code: strings and names that would like to be C (those of
 * tests/data/slicc-hostile, and each of a list in every place) are translated, looked at by
 * generated.c, and compiled; what is shown to the user is what the protocol says, byte by byte.
 */
#include "base/file.h"
#include "protocol/slicc/emit_protocol.h"
#include "protocol/slicc/slicc_helpers.h"
#include "protocol/slicc/translate.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Translates the file, looks at its C, and compiles it. */
static void check_c(const char *path, sim_plugin *plugin) {
    base_text c = {0}, complaints = {0}, text = {0}, frame = {0};
    char name[SLICC_MOST_NAME], reason[256];
    col_problem problem;
    if (slicc_translate(path, NULL, &c, name, &complaints, &problem) != COL_OK)
        fail_msg("%s: %s", path, complaints.data != NULL ? complaints.data : problem.message);
    assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
    read_frame(&frame);
    const generated_source sources[] = {{path, text.data, text.length},
                                        {"frame.sm", frame.data, frame.length},
                                        {"prelude", slicc_prelude, strlen(slicc_prelude)}};
    if (!generated_is_clean(&c, name, sources, 3, reason))
        fail_msg("%s: %s", path, reason);
    base_text_free(&c);
    base_text_free(&complaints);
    base_text_free(&text);
    base_text_free(&frame);
    compile(path, plugin);
}

/* What a run that meets error() says. */
static const char program[] = "collider program 1\nlocation a0 0x40\nthread 0\n load a0\nend\n";

/* ---- The files. */

static void check_file(const char *path) {
    sim_plugin plugin;
    check_c(path, &plugin);
    sim_plugin_close(&plugin);
}

static void hostile_files_inject_no_code(void **state) {
    (void)state;
    assert_true(for_each_protocol(TEST_DATA "/slicc-hostile", check_file) >= 3);
}

/* ---- The list. */

static const char *const hostile[] = {
    "\", .size = 1}; __attribute__((constructor)) void f(void) { abort(); } sl_machine x = {\"",
    "ends in a backslash \\",
    "\"",
    "\\\"); abort(); (\"",
    "\?\?/\"); abort(); (\"",
    "\?\?/",
    "\?\?=include <stdlib.h>",
    "*/ int x; /*",
    "// \\",
    "\\x41\\n\\0",
    "na\xc3\xafve \xe2\x80\xae \xff\x80",
    "\x1b[31m\x01\x7f\t\r",
    "12\0013",
    "%s%n",
    "#define SL_ABI 0",
};

static void write_protocol(const char *path, const char *text) {
    const char quote = (char)(strchr(text, '"') == NULL ? '"' : '\'');
    base_text protocol = {0};
    col_problem problem;
    base_text_print(&protocol,
                    "machine(MachineType:L1Cache, %c%s%c) : Sequencer * sequencer; CacheMemory * "
                    "cache; MessageBuffer * mandatoryQueue; {\n  include \"frame.sm\";\n"
                    "  enumeration(Extra, desc=%c%s%c) { One, %c%s%c; }\n"
                    "  action(check, %c%s%c) { DPRINTF(X, %c%s%c); error(%c%s%c); }\n"
                    "  transition(I, Load, M) { take; check; load; pop; }\n}\n",
                    quote, text, quote, quote, text, quote, quote, text, quote, quote, text, quote,
                    quote, text, quote, quote, text, quote);
    assert_int_equal(base_file_write(path, protocol.data, protocol.length, &problem), COL_OK);
    base_text_free(&protocol);
}

/* The file's name is shown, too. */
static void strings_are_shown_verbatim(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        char path[1024], expected[512];
        sim_plugin plugin;
        base_text said = {0};
        (void)snprintf(path, sizeof path, "%s/%s.sm", cache_folder(),
                       strchr(hostile[i], '/') == NULL ? hostile[i] : "plain");
        write_protocol(path, hostile[i]);
        check_c(path, &plugin);
        assert_string_equal(plugin.protocol->machines[0]->description, hostile[i]);
        run_program(plugin.protocol, program, &said);
        (void)snprintf(expected, sizeof expected, "%s:4: %s: L1Cache 0", strrchr(path, '/') + 1,
                       hostile[i]);
        if (strncmp(said.data, expected, strlen(expected)) != 0)
            fail_msg("expected %s, got %s", expected, said.data);
        base_text_free(&said);
        sim_plugin_close(&plugin);
    }
}

/* No limit of the generator cuts a string. */
static void long_strings_are_kept(void **state) {
    (void)state;
    enum { LENGTH = 100000 };
    char path[1024];
    char *text = malloc(LENGTH + 1);
    sim_plugin plugin;
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (char)("ab\"\\?\x80"[i % 6]);
    text[LENGTH] = '\0';
    (void)snprintf(path, sizeof path, "%s/long.sm", cache_folder());
    write_protocol(path, text);
    check_c(path, &plugin);
    assert_string_equal(plugin.protocol->machines[0]->description, text);
    sim_plugin_close(&plugin);
    free(text);
}

/* The judge itself: what was injected before is seen. */
static void injected_code_is_detected(void **state) {
    (void)state;
    static const char head[] = "#include <collider/protocol.h>\n#include <stddef.h>\n#ifndef "
                               "SL_ENTRY\n#define SL_ENTRY col_protocol_entry\n#endif\n";
    static const char source[] = "machine(MachineType:L1Cache, \"known\") { int f; }";
    static const struct {
        const char *c, *problem;
    } texts[] = {
        {"static int m_f = 12;", NULL},
        {"static const char *sm_L1Cache_f = \"known\" \"x.sm:12\";", NULL},
        {"const char *v_f = \"\\153nown\";", NULL},
        {"const char *v_f = \"unknown\";", "a string that the protocol does not have"},
        {"const char *v_f = \"known\\\";", "an escape that is not three octal digits"},
        {"const char *v_f = \"known;", "a string without end"},
        {"int f;", "a name that is not the generator's"},
        {"sm_L1Cache_g();", "a name that is not the generator's"},
        {"c->system->evil;", "a name that is not the generator's"},
        {"system();", "a name that is not the generator's"},
        {"asm();", "a name that is not the generator's"},
        {"int m_f = 0x12;", "not a plain number"},
        {"int m_f = 012;", "not a plain number"},
        {"int m_f; // x", "a character that the generator does not write"},
        {"int m_f; /* x */", "a character that the generator does not write"},
        {"\n#define c 1", "a character that the generator does not write"},
        {"int m_f; \\\n", "a character that the generator does not write"},
        {"int m_f = 'c';", "a character that the generator does not write"},
        {"int m_f; \?\?=", "a byte that the generator does not write"},
        {"int m_f;\t", "a byte that the generator does not write"},
    };
    const generated_source sources[] = {{"/folder/x.sm", source, sizeof source - 1}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        base_text c = {0};
        char reason[256] = "";
        base_text_print(&c, "%s%s", head, texts[i].c);
        const bool is_clean = generated_is_clean(&c, "x", sources, 1, reason);
        if (is_clean != (texts[i].problem == NULL) ||
            (!is_clean && strncmp(reason, texts[i].problem, strlen(texts[i].problem)) != 0))
            fail_msg("%s: got '%s'", texts[i].c, reason);
        base_text_free(&c);
    }
}

static int make_folder(void **state) {
    return setenv("COLLIDER_OPTIMISATION", "-O0", 1) != 0 ? -1 : make_cache(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_files_inject_no_code),
        cmocka_unit_test(strings_are_shown_verbatim),
        cmocka_unit_test(long_strings_are_kept),
        cmocka_unit_test(injected_code_is_detected),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_cache);
}
