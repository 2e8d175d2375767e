/* SPDX-License-Identifier: MIT */
/* Packs: what is read is what was written, and what others write stays in its folder. */
#include "episode/failure/pack.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "base/random.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char failure[] =
    "{\"format\": 1, \"design\": \"%s\", \"cores\": 2, \"options\": null, \"error\": %s, "
    "\"model\": \"tso\", \"seed\": \"1\", \"test\": 1, \"instance\": 1, \"verdict\": "
    "\"violation\", "
    "\"reason\": \"it is wrong\"}";
static const char program[] = "collider program 1\nlocation a0 0x40\nthread 0\nload a0\nend\n";

static col_status add(epi_pack *pack, const char *name, const char *bytes, size_t length) {
    base_text text = {0};
    col_problem problem;
    base_text_add_bytes(&text, bytes, length);
    return epi_pack_add(pack, name, &text, &problem);
}

static void begin(epi_pack *pack, const char *design, const char *error) {
    char text[1024];
    (void)snprintf(text, sizeof text, failure, design, error);
    *pack = (epi_pack){0};
    assert_int_equal(add(pack, "failure.json", text, strlen(text)), COL_OK);
    assert_int_equal(add(pack, "program.txt", program, sizeof program - 1), COL_OK);
}

/* Writes it to a file of its own, and reads it again. */
static col_status pass_on(const epi_pack *pack, epi_pack *again, col_problem *problem) {
    char path[] = "/tmp/collider-pack-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && close(file) == 0);
    assert_int_equal(epi_pack_write(pack, path, problem), COL_OK);
    assert_true(epi_is_pack(path));
    const col_status status = epi_pack_read(again, path, problem);
    (void)unlink(path);
    return status;
}

static col_status refusal(const char *design, const char *error, const char *extra) {
    epi_pack pack, again = {0};
    col_problem problem = {0};
    begin(&pack, design, error);
    if (extra != NULL)
        assert_int_equal(add(&pack, extra, "protocol: mesi2\n", 16), COL_OK);
    const col_status status = pass_on(&pack, &again, &problem);
    assert_true(status == COL_OK || problem.message[0] != '\0');
    epi_pack_free(&pack);
    epi_pack_free(&again);
    return status;
}

TEST(all_bytes_of_all_files_come_back) {
    enum { FILES = 200, MOST = 300 };
    base_rng rng;
    epi_pack pack, again = {0};
    col_problem problem;
    base_rng_seed(&rng, 7, 0);
    begin(&pack, "mesi2", "null");
    for (int i = 0; i < FILES; i++) {
        char name[64], bytes[MOST];
        const size_t length = base_rng_below(&rng, MOST);
        const bool is_text = i % 2 == 0;
        for (size_t b = 0; b < length; b++)
            bytes[b] = (char)(is_text ? ' ' + base_rng_below(&rng, 95) : base_rng_below(&rng, 256));
        (void)snprintf(name, sizeof name, "parts/%d/\xc3\xa9 %d", i % 7, i);
        assert_int_equal(add(&pack, name, bytes, length), COL_OK);
    }
    assert_int_equal(pass_on(&pack, &again, &problem), COL_OK);
    assert_int_equal(pack.count, again.count);
    for (size_t i = 0; i < pack.count; i++) {
        assert_string_equal(pack.files[i].name, again.files[i].name);
        assert_int_equal(pack.files[i].length, again.files[i].length);
        assert_memory_equal(pack.files[i].bytes, again.files[i].bytes, pack.files[i].length);
    }
    epi_pack_free(&pack);
    epi_pack_free(&again);
}

TEST(names_stay_in_the_folder) {
    static const char *const refused[] = {
        "",           "/",           "/parts/a",        "parts",
        "parts/",     "parts//a",    "parts/.",         "parts/..",
        "parts/../a", "../parts/a",  "parts/a/../../b", "a",
        "other/a",    "parts/a\\",   "parts/\n",        "parts/\x7f",
        "parts/\xff", "program.txt", "failure.json/a",  "partsx/a",
        ".",          "..",          "model.cat",       "parts/a/"};
    static const char *const taken[] = {"parts/a", "parts/.a", "parts/..a", "parts/a b/c.sm"};
    epi_pack pack;
    char deep[200] = "parts";
    begin(&pack, "mesi2", "null");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_int_equal(add(&pack, refused[i], "", 0), COL_BAD_INPUT);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        assert_int_equal(add(&pack, taken[i], "", 0), COL_OK);
    for (int i = 0; i < 40; i++)
        (void)strcat(deep, "/d");
    assert_int_equal(add(&pack, deep, "", 0), COL_BAD_INPUT);
    assert_int_equal(add(&pack, "parts/a", "", 0), COL_BAD_INPUT);   /* twice */
    assert_int_equal(add(&pack, "parts/a/b", "", 0), COL_BAD_INPUT); /* a file and a folder */
    assert_int_equal(add(&pack, "parts/a b", "", 0), COL_BAD_INPUT); /* a folder and a file */
    epi_pack_free(&pack);
}

TEST(a_pack_names_its_own_files_alone) {
    static const char own[] = "parts/design/d.yaml";
    assert_int_equal(refusal("mesi2", "null", NULL), COL_OK);
    assert_int_equal(refusal(own, "null", own), COL_OK);
    assert_int_equal(refusal("mesi2", "\"D4;{ at: A/B/C, drop: [x] }\"", NULL), COL_OK);
    assert_int_equal(refusal("mesi2", "\"D4;parts/e/e.yaml\"", "parts/e/e.yaml"), COL_OK);
    assert_int_equal(refusal(own, "null", NULL), COL_BAD_INPUT);
    assert_int_equal(refusal("/etc/passwd.yaml", "null", own), COL_BAD_INPUT);
    assert_int_equal(refusal("../d.yaml", "null", own), COL_BAD_INPUT);
    assert_int_equal(refusal("/lib/evil.so", "null", own), COL_BAD_INPUT);
    assert_int_equal(refusal("mesi2", "\"D4;/etc/e.yaml\"", NULL), COL_BAD_INPUT);
    assert_int_equal(refusal("mesi2", "\"../e.yaml;D4\"", NULL), COL_BAD_INPUT);
    assert_int_equal(refusal("mesi2\", \"design_bytes\": \"2e", "null", NULL), COL_BAD_INPUT);
}

/* Unpacks it into a folder that is removed again. */
static col_status unpack(const epi_pack *pack, char said[512]) {
    char folder[PATH_MAX];
    int listed;
    col_problem problem = {0};
    assert_int_equal(base_folder_make_temporary(folder, &listed, &problem), COL_OK);
    const col_status status = epi_pack_unpack(pack, folder, NULL, &problem);
    (void)snprintf(said, 512, "%s", problem.message);
    base_folder_remove_temporary(folder, listed);
    return status;
}

TEST(the_design_of_a_pack_names_no_file_outside) {
    static const char outside[] = "protocol: " TEST_DATA "/../../protocols/mi/mi.slicc\n",
                      inside[] = "protocol: mesi2\n";
    char said[512];
    epi_pack pack;
    begin(&pack, "parts/design/d.yaml", "null");
    assert_int_equal(add(&pack, "parts/design/d.yaml", inside, sizeof inside - 1), COL_OK);
    assert_int_equal(unpack(&pack, said), COL_OK);
    epi_pack_free(&pack);
    begin(&pack, "parts/design/d.yaml", "null");
    assert_int_equal(add(&pack, "parts/design/d.yaml", outside, sizeof outside - 1), COL_OK);
    assert_int_equal(unpack(&pack, said), COL_BAD_INPUT);
    assert_non_null(strstr(said, "mi.slicc, which is not in the pack"));
    epi_pack_free(&pack);
}

TEST(packs_that_are_wrong_are_refused_with_a_sentence) {
    static const char *const names[] = {"above", "twice", "damaged", "digits"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[PATH_MAX];
        epi_pack pack = {0};
        col_problem problem = {0};
        (void)snprintf(path, sizeof path, "%s/pack-bad/%s.pack", TEST_DATA, names[i]);
        assert_int_equal(epi_pack_read(&pack, path, &problem), COL_BAD_INPUT);
        assert_true(problem.message[0] != '\0' && problem.line == 1);
        epi_pack_free(&pack);
    }
}

/* Written by an earlier version: later ones read it. */
TEST(the_first_format_is_read) {
    epi_pack pack = {0};
    col_problem problem;
    assert_int_equal(epi_pack_read(&pack, TEST_DATA "/pack/violation.pack", &problem), COL_OK);
    assert_int_equal(pack.count, 4);
    epi_pack_free(&pack);
}
