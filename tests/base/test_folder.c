/* SPDX-License-Identifier: MIT */
/* Folders are made with those above them, belong to one process at a time, and get their files
 * whole or not at all; links in them are never followed. Every test works in an empty folder of its
 * own. */
#include "base/file.h"
#include "base/folders.h"
#include "base/path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_file(const char *name, const char *text) {
    assert_int_equal(base_file_write(in_folder(name), text, strlen(text), NULL), COL_OK);
}

static void assert_content(const char *name, const char *expected) {
    base_text text = {0};
    assert_int_equal(base_file_read(in_folder(name), &text, NULL), COL_OK);
    assert_string_equal(text.data, expected);
    base_text_free(&text);
}

/* ---- Making. */

IN_FOLDER(folders_are_made_with_those_above) {
    const char *const names[] = {"one",       "one", "one/two/three", "slash/", "four//five",
                                 "one/./six", ""};
    const char *const made[] = {"one", "one/two/three", "slash", "four/five", "one/six"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        col_problem problem;
        if (base_folder_make(in_folder(names[i]), &problem) != COL_OK)
            fail_msg("%s", problem.message);
    }
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_true(is_folder(in_folder(made[i])));
    assert_int_equal(count_entries(folder), 3);
    assert_int_equal(base_folder_make("/", NULL), COL_OK);
    assert_int_equal(base_folder_make(".", NULL), COL_OK);
}

/* A folder that exists keeps what is in it. */
IN_FOLDER(existing_folders_are_kept) {
    write_file("file", "kept");
    assert_int_equal(base_folder_make(folder, NULL), COL_OK);
    assert_content("file", "kept");
}

IN_FOLDER(a_file_in_the_way_is_named) {
    char expected[1024];
    (void)snprintf(expected, sizeof expected, "cannot make the folder %s: a file is in the way",
                   in_folder("file"));
    write_file("file", "kept");
    const char *const names[] = {"file", "file/", "file/below", "file/far/below"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        col_problem problem;
        assert_int_equal(base_folder_make(in_folder(names[i]), &problem), COL_BAD_INPUT);
        assert_string_equal(problem.message, expected);
    }
    assert_content("file", "kept");
    assert_int_equal(count_entries(folder), 1);
}

IN_FOLDER(impossible_folders_are_refused) {
    char too_long[PATH_MAX + 1];
    memset(too_long, 'x', PATH_MAX);
    too_long[PATH_MAX] = '\0';
    const char *const paths[] = {"", too_long};
    col_problem problem;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(base_folder_make(paths[i], &problem), COL_BAD_INPUT);
        assert_string_equal(problem.message, "the path of a folder is empty or too long");
    }
    /* A path that fits, a name that does not. */
    char name[NAME_MAX + 2];
    memset(name, 'x', NAME_MAX + 1);
    name[NAME_MAX + 1] = '\0';
    assert_int_equal(base_folder_make(in_folder(name), &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "File name too long"));
}

/* ---- Removing. */

IN_FOLDER(what_a_link_points_to_is_not_removed) {
    assert_int_equal(base_folder_make(in_folder("kept"), NULL), COL_OK);
    write_file("kept/file", "kept");
    assert_int_equal(base_folder_make(in_folder("gone/deep"), NULL), COL_OK);
    write_file("gone/deep/file", "gone");
    assert_int_equal(symlink("../kept", in_folder("gone/link")), 0);
    assert_int_equal(symlink("kept", in_folder("link")), 0);
    base_folder_remove(folder, "gone");
    base_folder_remove(folder, "link");
    base_folder_remove(folder, "not-there");
    assert_content("kept/file", "kept");
    assert_int_equal(count_entries(folder), 1);
}

/* ---- One process at a time. */

IN_FOLDER(a_second_process_is_refused) {
    base_lock lock;
    assert_int_equal(base_folder_lock(&lock, folder, NULL), COL_OK);
    const pid_t child = fork();
    if (child == 0) {
        base_lock other;
        col_problem problem;
        const bool is_refused = base_folder_lock(&other, folder, &problem) == COL_BAD_INPUT &&
                                strstr(problem.message, "another collider is at work") != NULL;
        _exit(is_refused ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    base_folder_unlock(&lock);
    assert_int_equal(count_entries(folder), 0);
    assert_int_equal(base_folder_lock(&lock, folder, NULL), COL_OK);
    base_folder_unlock(&lock);
    base_folder_unlock(&lock); /* nothing happens */
}

/* Whoever dies lets go, with the file still there. */
IN_FOLDER(a_dead_process_holds_nothing) {
    const pid_t child = fork();
    if (child == 0) {
        base_lock lock;
        _exit(base_folder_lock(&lock, folder, NULL) == COL_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(count_entries(folder), 1);
    base_lock lock;
    assert_int_equal(base_folder_lock(&lock, folder, NULL), COL_OK);
    base_folder_unlock(&lock);
}

IN_FOLDER(a_lock_is_no_link) {
    base_lock lock;
    write_file("other", "kept");
    assert_int_equal(symlink("other", in_folder(".lock")), 0);
    assert_int_equal(base_folder_lock(&lock, folder, NULL), COL_BAD_INPUT);
    assert_content("other", "kept");
}

/* ---- Staging. */

static const char *const names[] = {"first", "second", "voucher", NULL};

static void stage_file(const base_stage *stage, const char *name, const char *text) {
    char path[PATH_MAX];
    assert_int_equal(base_path_in(path, stage->path, name, NULL), COL_OK);
    assert_int_equal(base_file_write(path, text, strlen(text), NULL), COL_OK);
}

IN_FOLDER(a_new_folder_is_there_whole_or_not_at_all) {
    for (int keep = 0; keep <= 1; keep++) {
        base_stage stage;
        assert_int_equal(base_stage_begin(&stage, in_folder("deep/set/"), NULL), COL_OK);
        stage_file(&stage, "first", "1");
        stage_file(&stage, "voucher", "v");
        assert_false(is_folder(in_folder("deep/set")));
        assert_int_equal(base_stage_end(&stage, keep != 0, names, NULL), COL_OK);
        assert_int_equal(count_entries(in_folder("deep")), keep);
    }
    assert_int_equal(count_entries(in_folder("deep/set")), 2);
    assert_content("deep/set/voucher", "v");
}

IN_FOLDER(files_of_an_old_folder_are_replaced) {
    write_file("second", "old");
    write_file("voucher", "old");
    write_file("notes", "the user's");
    for (int keep = 0; keep <= 1; keep++) {
        base_stage stage;
        assert_int_equal(base_stage_begin(&stage, folder, NULL), COL_OK);
        stage_file(&stage, "first", "new");
        stage_file(&stage, "voucher", "new");
        assert_content("voucher", "old");
        assert_int_equal(base_stage_end(&stage, keep != 0, names, NULL), COL_OK);
        assert_int_equal(count_entries(folder), 3);
        assert_content("notes", "the user's");
        assert_content("voucher", keep != 0 ? "new" : "old");
    }
    assert_content("first", "new");
    assert_int_equal(access(in_folder("second"), F_OK), -1); /* not of the new set */
}

IN_FOLDER(links_are_replaced_and_not_followed) {
    base_stage stage;
    assert_int_equal(base_folder_make(in_folder("set"), NULL), COL_OK);
    write_file("other", "kept");
    assert_int_equal(symlink("../other", in_folder("set/voucher")), 0);
    assert_int_equal(symlink("../other", in_folder("set/first")), 0);
    assert_int_equal(symlink("nowhere", in_folder("set/second")), 0);
    assert_int_equal(base_stage_begin(&stage, in_folder("set"), NULL), COL_OK);
    stage_file(&stage, "first", "new");
    stage_file(&stage, "voucher", "new");
    assert_int_equal(base_stage_end(&stage, true, names, NULL), COL_OK);
    assert_content("other", "kept");
    assert_content("set/first", "new");
    assert_content("set/voucher", "new");
    assert_int_equal(count_entries(in_folder("set")), 2);
    assert_int_equal(symlink("set", in_folder("link")), 0);
    assert_int_equal(base_stage_begin(&stage, in_folder("link"), NULL), COL_BAD_INPUT);
    assert_int_equal(base_stage_begin(&stage, in_folder("other"), NULL), COL_BAD_INPUT);
}

IN_FOLDER(what_a_dead_process_left_is_swept) {
    base_stage stage;
    write_file("voucher", "old");
    assert_int_equal(base_stage_begin(&stage, folder, NULL), COL_OK);
    stage_file(&stage, "voucher", "half");
    assert_int_equal(base_stage_begin(&stage, folder, NULL), COL_OK);
    assert_int_equal(count_entries(folder), 3);
    base_stage_sweep(folder);
    assert_int_equal(count_entries(folder), 1);
    assert_content("voucher", "old");
}

/* ---- Files of a folder that may be somebody else's. */

IN_FOLDER(links_and_devices_are_not_read) {
    base_text text = {0};
    col_problem problem;
    write_file("other", "secret");
    assert_int_equal(symlink("other", in_folder("link")), 0);
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_int_equal(base_folder_make(in_folder("below"), NULL), COL_OK);
    const char *const bad[] = {"link", "pipe", "below"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(base_file_read_in(folder, bad[i], &text, &problem), COL_BAD_INPUT);
        assert_non_null(strstr(problem.message, "is not a regular file"));
    }
    assert_int_equal(base_file_read_in(folder, "none", &text, &problem), COL_BAD_INPUT);
    assert_int_equal(text.length, 0);
    assert_int_equal(base_file_read_in(folder, "other", &text, &problem), COL_OK);
    assert_string_equal(text.data, "secret");
    base_text_free(&text);
}

/* As a signal's handler does, whatever has been staged by then. */
IN_FOLDER(a_signal_leaves_nothing_staged) {
    assert_int_equal(base_folder_make(in_folder("old"), NULL), COL_OK);
    write_file("old/kept", "old");
    for (int is_new = 0; is_new < 2; is_new++)
        for (int files = 0; files < 3; files++) {
            base_stage stage;
            char path[PATH_MAX];
            assert_int_equal(base_stage_begin(&stage, in_folder(is_new ? "new" : "old"), NULL),
                             COL_OK);
            for (int i = 0; i < files; i++) {
                (void)snprintf(path, sizeof path, "%.400s/%d", stage.path, i);
                assert_int_equal(i == 0 ? base_file_write(path, "text", 4, NULL)
                                        : base_folder_make(path, NULL),
                                 COL_OK);
            }
            base_temporary_remove_all();
            assert_int_equal(count_entries(folder), 1);
            assert_int_equal(count_entries(in_folder("old")), 1);
            assert_int_equal(base_stage_end(&stage, false, (const char *const[]){NULL}, NULL),
                             COL_OK);
        }
}

static int remember_folder(void) {
    assert_int_equal(base_folder_make(in_folder("a/b/c"), NULL), COL_OK);
    write_file("a/b/file", "text");
    assert_int_equal(symlink("..", in_folder("a/link")), 0);
    return base_temporary_add(in_folder("a"));
}

/* Neither what a link in it points to, nor what was forgotten. */
IN_FOLDER(a_signal_removes_temporary_folders_alone) {
    write_file("other", "text");
    int listed = remember_folder();
    base_temporary_remove_all();
    assert_int_equal(count_entries(folder), 1);
    base_temporary_forget(listed);
    listed = remember_folder();
    base_temporary_forget(listed);
    base_temporary_remove_all();
    assert_int_equal(count_entries(folder), 2);
}

/* ---- Folders in what is staged. */

static const char *const with_parts[] = {"parts", "file", NULL};

/* Stages a file, and one in a folder of it unless `part` is NULL. */
static void stage_parts(const char *text, const char *part) {
    base_stage stage;
    char path[PATH_MAX];
    assert_int_equal(base_stage_begin(&stage, in_folder("results"), NULL), COL_OK);
    assert_int_equal(base_path_in(path, stage.path, "file", NULL), COL_OK);
    assert_int_equal(base_file_write(path, text, strlen(text), NULL), COL_OK);
    if (part != NULL) {
        assert_int_equal(base_path_in(path, stage.path, "parts/deep", NULL), COL_OK);
        assert_int_equal(base_folder_make(path, NULL), COL_OK);
        (void)strcat(path, "/");
        (void)strcat(path, part);
        assert_int_equal(base_file_write(path, text, strlen(text), NULL), COL_OK);
    }
    assert_int_equal(base_stage_end(&stage, true, with_parts, NULL), COL_OK);
}

IN_FOLDER(a_staged_folder_replaces_an_old_one_whole) {
    stage_parts("first", "a");
    assert_content("results/parts/deep/a", "first");
    stage_parts("second", "b");
    assert_content("results/parts/deep/b", "second");
    assert_int_equal(count_entries(in_folder("results/parts/deep")), 1);
    stage_parts("third", NULL);
    assert_content("results/file", "third");
    assert_int_equal(count_entries(in_folder("results")), 1);
}

IN_FOLDER(a_temporary_folder_is_gone_with_all_that_is_in_it) {
    char path[PATH_MAX], below[PATH_MAX];
    int listed;
    assert_int_equal(base_folder_make_temporary(path, &listed, NULL), COL_OK);
    assert_int_equal(base_path_in(below, path, "deep/er", NULL), COL_OK);
    assert_int_equal(base_folder_make(below, NULL), COL_OK);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    char gone[PATH_MAX];
    (void)snprintf(gone, sizeof gone, "%s", path);
    base_folder_remove_temporary(path, listed);
    assert_int_not_equal(access(gone, F_OK), 0);
    assert_string_equal(path, "");
    base_folder_remove_temporary(path, listed);
}
