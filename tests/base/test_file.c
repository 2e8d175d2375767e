/* SPDX-License-Identifier: MIT */
/* Files are read whole and replaced whole or not at all. Every test works in an empty folder of its
 * own. */
#include "base/file.h"
#include "base/folders.h"
#include "base/random.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void assert_content(const char *path, const char *data, size_t length) {
    base_text text = {0};
    assert_int_equal(base_file_read(path, &text, NULL), COL_OK);
    assert_int_equal(text.length, length);
    if (length > 0)
        assert_memory_equal(text.data, data, length);
    base_text_free(&text);
}

static void write_good(const char *path, const char *data, size_t length) {
    col_problem problem;
    if (base_file_write(path, data, length, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* ---- Reading and replacing. */

/* Sizes around the reader's chunk; bytes of every value; longer and shorter than the old file. */
IN_FOLDER(files_come_back_as_written) {
    enum { MOST = 1000000 };
    const size_t sizes[] = {0, 1, 65536, 65535, 65537, MOST, 131072, 0, 2};
    char *data = malloc(MOST);
    assert_non_null(data);
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (size_t i = 0; i < MOST; i++)
        data[i] = (char)base_rng_next(&rng);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        write_good(in_folder("file"), data, sizes[i]);
        assert_content(in_folder("file"), data, sizes[i]);
        assert_int_equal(count_entries(folder), 1);
    }
    free(data);
}

IN_FOLDER(reading_appends) {
    base_text text = {0};
    write_good(in_folder("file"), "two", 3);
    base_text_add(&text, "one ");
    assert_int_equal(base_file_read(in_folder("file"), &text, NULL), COL_OK);
    assert_string_equal(text.data, "one two");
    base_text_free(&text);
}

IN_FOLDER(what_cannot_be_read_is_refused) {
    const char *const paths[] = {in_folder("missing"), folder};
    const char *const reasons[] = {"No such file or directory", "Is a directory"};
    for (int i = 0; i < 2; i++) {
        char expected[1024];
        base_text text = {0};
        col_problem problem;
        (void)snprintf(expected, sizeof expected, "cannot read %s: %s", paths[i], reasons[i]);
        assert_int_equal(base_file_read(paths[i], &text, &problem), COL_BAD_INPUT);
        assert_string_equal(problem.message, expected);
        assert_string_equal(problem.file, "");
        base_text_free(&text);
    }
}

IN_FOLDER(new_files_obey_the_umask) {
    const mode_t masks[] = {0, 022, 027, 077};
    const mode_t before = umask(0);
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        struct stat status;
        (void)umask(masks[i]);
        write_good(in_folder("file"), "x", 1);
        assert_int_equal(umask(masks[i]), masks[i]); /* left as it was */
        assert_int_equal(stat(in_folder("file"), &status), 0);
        assert_int_equal(status.st_mode & 0777, 0666 & ~masks[i]);
        assert_int_equal(unlink(in_folder("file")), 0);
    }
    (void)umask(before);
}

IN_FOLDER(old_files_keep_permissions_and_links) {
    struct stat status;
    write_good(in_folder("file"), "old", 3);
    assert_int_equal(chmod(in_folder("file"), 0600), 0);
    char target[1024];
    (void)snprintf(target, sizeof target, "%s", in_folder("file"));
    assert_int_equal(symlink(target, in_folder("link")), 0);
    write_good(in_folder("link"), "new", 3);
    assert_int_equal(lstat(in_folder("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_content(target, "new", 3);
    assert_int_equal(stat(target, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

/* ---- All or nothing. */

/* The disk is full, as far as this process can tell: files may have 4096 bytes. */
IN_FOLDER(failed_write_leaves_the_old_file) {
    enum { LENGTH = 1 << 20, LIMIT = 4096 };
    static const char data[LENGTH];
    write_good(in_folder("file"), "old", 3);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = LIMIT, .rlim_max = before.rlim_max}),
        0);
    col_problem problem;
    const col_status replaced = base_file_write(in_folder("file"), data, LENGTH, &problem);
    const col_status created = base_file_write(in_folder("new"), data, LENGTH, NULL);
    const col_status fitting = base_file_write(in_folder("fits"), data, LIMIT, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);

    assert_int_equal(replaced, COL_FAILURE);
    assert_non_null(strstr(problem.message, in_folder("file")));
    assert_non_null(strstr(problem.message, "File too large"));
    assert_content(in_folder("file"), "old", 3);
    assert_int_equal(created, COL_FAILURE);
    assert_int_equal(fitting, COL_OK);
    assert_content(in_folder("fits"), data, LIMIT);
    assert_int_equal(count_entries(folder), 2); /* nothing temporary, no "new" */
}

IN_FOLDER(impossible_targets_are_refused) {
    char too_long[PATH_MAX + 10], expected[1024];
    col_problem problem;
    (void)snprintf(expected, sizeof expected, "cannot write %s: No such file or directory",
                   in_folder("missing/file"));
    assert_int_equal(base_file_write(in_folder("missing/file"), "x", 1, &problem), COL_FAILURE);
    assert_string_equal(problem.message, expected);

    assert_int_equal(mkdir(in_folder("inner"), 0777), 0);
    (void)snprintf(expected, sizeof expected, "cannot write %s: Is a directory",
                   in_folder("inner"));
    assert_int_equal(base_file_write(in_folder("inner"), "x", 1, &problem), COL_FAILURE);
    assert_string_equal(problem.message, expected);
    assert_true(is_folder(in_folder("inner")));

    write_good(in_folder("file"), "old", 3);
    assert_int_equal(base_file_write(in_folder("file/below"), "x", 1, &problem), COL_FAILURE);
    assert_content(in_folder("file"), "old", 3);

    memset(too_long, 'x', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    assert_int_equal(base_file_write(too_long, "x", 1, &problem), COL_FAILURE);
    assert_int_equal(count_entries(folder), 2);
}

/* A reader meets the old content or the new one, never less or a mixture. */
IN_FOLDER(readers_see_whole_files) {
    enum { LENGTH = 200000, WRITES = 100 };
    static char data[2][LENGTH];
    memset(data[1], 'b', LENGTH);
    write_good(in_folder("file"), data[0], LENGTH);
    const pid_t writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        bool good = true;
        for (int i = 0; i < WRITES; i++)
            good &= base_file_write(in_folder("file"), data[i % 2], LENGTH, NULL) == COL_OK;
        _exit(good ? 0 : 1);
    }
    int reads = 0, result = 0;
    base_text text = {0};
    do {
        text.length = 0;
        assert_int_equal(base_file_read(in_folder("file"), &text, NULL), COL_OK);
        assert_int_equal(text.length, LENGTH);
        assert_memory_equal(text.data, data[text.data[0] == 'b'], LENGTH);
        reads++;
    } while (waitpid(writer, &result, WNOHANG) == 0);
    assert_int_equal(result, 0);
    assert_true(reads >= 1);
    assert_int_equal(count_entries(folder), 1);
    base_text_free(&text);
}

/* A pipe is written into, not replaced by a file. */
IN_FOLDER(pipes_stay_pipes) {
    const char *const path = in_folder("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    write_good(path, "through", 7);
    char got[16] = "";
    assert_int_equal(read(reader, got, sizeof got), 7);
    assert_string_equal(got, "through");
    (void)close(reader);
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(count_entries(folder), 1);
}

/* What is not kept leaves the old file, and no other. */
IN_FOLDER(streams_are_kept_or_not) {
    const char *path = in_folder("long");
    for (int keep = 1; keep >= 0; keep--) {
        base_file file;
        col_problem problem;
        base_text text = {0};
        assert_int_equal(base_file_begin(&file, path, &problem), COL_OK);
        for (int i = 0; i < 3; i++)
            assert_true(fputs(keep != 0 ? "new " : "newer ", file.stream) >= 0);
        assert_int_equal(base_file_end(&file, keep != 0, &problem), COL_OK);
        assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
        assert_string_equal(text.data, "new new new ");
        assert_int_equal(count_entries(folder), 1);
        base_text_free(&text);
    }
}
