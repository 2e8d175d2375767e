/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * The cache of compiled protocols: what is damaged, foreign or half-written is compiled again and
 * never loaded; whoever is killed while compiling leaves nothing that counts, and nothing for long.
 */
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): syscall
#include "base/file.h"
#include "protocol/simulate/protocol_library.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char protocol[] = TEST_DATA "/slicc-run/table.sm";
static const char other[] = TEST_DATA "/slicc-run/next.sm";
static char folder[64], cache[96];

static int make_folder(void **state) {
    (void)snprintf(folder, sizeof folder, "/tmp/collider-cache-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(cache, sizeof cache, "%s/collider", folder);
    return setenv("XDG_CACHE_HOME", folder, 1) != 0 || unsetenv("CC") != 0 ||
           setenv("COLLIDER_OPTIMISATION", "-O0", 1) != 0;
}

static int remove_folder(void **state) {
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#define IN_FOLDER(name) TEST_WITH(name, make_folder, remove_folder)

/* ---- Helpers. */

/* Compiles, or takes from the cache; tells which, and where it is. */
static bool is_compiled(const char *path, char file[1024]) {
    sim_plugin plugin;
    col_problem problem;
    if (sim_plugin_compile(&plugin, path, NULL, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    const bool compiled = plugin.compiled;
    assert_true(plugin.protocol->machine_count > 0);
    (void)snprintf(file, 1024, "%s", plugin.path);
    sim_plugin_close(&plugin);
    return compiled;
}

static void expect_failure(const char *message) {
    sim_plugin plugin;
    col_problem problem;
    assert_int_equal(sim_plugin_compile(&plugin, protocol, NULL, &problem), COL_FAILURE);
    if (strstr(problem.message, message) == NULL)
        fail_msg("'%s' is not in '%s'", message, problem.message);
}

static uint32_t count_files(void) {
    DIR *files = opendir(cache);
    uint32_t count = 0;
    if (files == NULL)
        return 0;
    for (const struct dirent *entry; (entry = readdir(files)) != NULL;)
        count += entry->d_name[0] != '.';
    (void)closedir(files);
    return count;
}

static void pause_shortly(void) {
    const struct timespec step = {.tv_nsec = 10000000};
    (void)nanosleep(&step, NULL);
}

/* A compiler that says another version, or does something before it compiles. */
static void use_compiler(const char *version, const char *before) {
    char path[128];
    base_text script = {0};
    col_problem problem;
    (void)snprintf(path, sizeof path, "%s/compiler", folder);
    base_text_print(&script,
                    "#!/bin/sh\nif [ \"$1\" = --version ]; then echo %s; exit; fi\n%s\nexec cc "
                    "\"$@\"\n",
                    version, before);
    assert_int_equal(base_file_write(path, script.data, script.length, &problem), COL_OK);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(setenv("CC", path, 1), 0);
    base_text_free(&script);
}

static void write_at(const char *file, long offset, int whence, const char *bytes, size_t count) {
    FILE *stream = fopen(file, "r+b");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, offset, whence), 0);
    assert_int_equal(fwrite(bytes, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
}

/* ---- Damage. */

static void truncate_half(const char *file) {
    struct stat status;
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(truncate(file, status.st_size / 2), 0);
}

static void truncate_one(const char *file) {
    struct stat status;
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(truncate(file, status.st_size - 1), 0);
}

static void empty(const char *file) {
    assert_int_equal(truncate(file, 0), 0);
}

static void flip_a_bit(const char *file) {
    FILE *stream = fopen(file, "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 5000, SEEK_SET), 0);
    const char flipped = (char)(fgetc(stream) ^ 4);
    (void)fclose(stream);
    write_at(file, 5000, SEEK_SET, &flipped, 1);
}

static void append(const char *file) {
    write_at(file, 0, SEEK_END, "more", 4);
}

static void let_the_group_write(const char *file) {
    assert_int_equal(chmod(file, 0660), 0);
}

static void put_a_link(const char *file) {
    char moved[1100];
    (void)snprintf(moved, sizeof moved, "%s/moved.so", folder);
    assert_int_equal(rename(file, moved), 0);
    assert_int_equal(symlink(moved, file), 0);
}

static void put_a_pipe(const char *file) {
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkfifo(file, 0600), 0);
}

static void put_a_folder(const char *file) {
    char inner[1100];
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkdir(file, 0700), 0);
    (void)snprintf(inner, sizeof inner, "%s/inner", file);
    assert_int_equal(mkdir(inner, 0700), 0);
}

/* Whole, but of another key. */
static void put_another(const char *file) {
    char another[1024];
    (void)is_compiled(other, another);
    assert_int_equal(rename(another, file), 0);
}

/* False: there is nobody to give it to; a user namespace may have one user alone. */
static bool is_given_away(const char *file) {
    return geteuid() == 0 && chown(file, 65534, 65534) == 0;
}

static void give_away(const char *file) {
    if (!is_given_away(file))
        empty(file);
}

IN_FOLDER(what_is_not_right_is_compiled_again) {
    void (*const damages[])(const char *) = {
        truncate_half, truncate_one, empty,     flip_a_bit,         append, put_a_link, put_a_pipe,
        put_a_folder,  put_another,  give_away, let_the_group_write};
    char file[1024], again[1024];
    struct stat status;
    assert_true(is_compiled(protocol, file));
    assert_false(is_compiled(protocol, file));
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        damages[i](file);
        if (!is_compiled(protocol, again))
            fail_msg("damage %u is not seen", (unsigned)i);
        assert_string_equal(file, again);
        assert_int_equal(lstat(file, &status), 0);
        assert_true(S_ISREG(status.st_mode));
        assert_int_equal(status.st_uid, geteuid());
        assert_int_equal(status.st_mode & 077, 0);
        assert_false(is_compiled(protocol, file));
    }
}

/* What has the name of the lock, but is none. */
IN_FOLDER(a_lock_that_is_none_is_removed) {
    char file[1024], lock[1100], target[128];
    struct stat status;
    assert_true(is_compiled(protocol, file));
    (void)snprintf(lock, sizeof lock, "%.*slock", (int)strlen(file) - 2, file);
    (void)snprintf(target, sizeof target, "%s/target", folder);
    for (int i = 0; i < 4; i++) {
        empty(file);
        if (i == 0)
            assert_int_equal(symlink(target, lock), 0);
        else if (i == 1)
            assert_int_equal(mkdir(lock, 0700), 0);
        else if (i == 2)
            assert_int_equal(mkfifo(lock, 0600), 0);
        else
            assert_int_equal(mknod(lock, S_IFREG | 0000, 0),
                             0); /* root may write it all the same */
        if (!is_compiled(protocol, file))
            fail_msg("lock %d", i);
        assert_int_equal(lstat(target, &status), -1);
        assert_int_equal(count_files(), 1);
    }
}

/* The plug-in that was asked for, whatever descriptors others had. */
IN_FOLDER(plugins_are_told_apart) {
    sim_plugin first, second, third;
    col_problem problem;
    assert_int_equal(sim_plugin_compile(&first, protocol, NULL, &problem), COL_OK);
    assert_int_equal(sim_plugin_compile(&second, protocol, NULL, &problem), COL_OK);
    assert_string_equal(first.protocol->name, "table");
    sim_plugin_close(&first);
    assert_int_equal(sim_plugin_compile(&third, other, NULL, &problem), COL_OK);
    assert_string_equal(third.protocol->name, "next");
    assert_string_equal(second.protocol->name, "table");
    sim_plugin_close(&second);
    sim_plugin_close(&third);
}

/* ---- The disk: these stand in for the C library's. */

static struct {
    bool is_watched;
    ino_t synced;         /* the file that was synced last */
    off_t size;           /* and its size then */
    uint32_t kept, early; /* plug-ins that were renamed, and how many of them before that */
} disk;

int fsync(int file) {
    struct stat status;
    if (disk.is_watched && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        disk.synced = status.st_ino;
        disk.size = status.st_size;
    }
    return (int)syscall(SYS_fsync, file);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    struct stat status;
    const size_t length = strlen(to);
    if (disk.is_watched && length > 3 && strcmp(to + length - 3, ".so") == 0 &&
        fstatat(from_folder, from, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        disk.kept++;
        disk.early += status.st_ino != disk.synced || status.st_size != disk.size;
    }
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

IN_FOLDER(a_plugin_is_on_the_disk_before_it_has_its_name) {
    char file[1024];
    disk.is_watched = true;
    assert_true(is_compiled(protocol, file));
    disk.is_watched = false;
    assert_int_equal(disk.kept, 1);
    assert_int_equal(disk.early, 0);
}

/* ---- The folder. */

IN_FOLDER(the_folder_is_ours_alone) {
    char file[1024];
    struct stat status;
    const mode_t before = umask(0);
    assert_true(is_compiled(protocol, file));
    (void)umask(before);
    assert_int_equal(stat(cache, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode & 077, 0);
    assert_int_equal(chmod(cache, 0777), 0);
    assert_false(is_compiled(protocol, file));
    assert_int_equal(stat(cache, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
}

IN_FOLDER(a_foreign_folder_is_refused) {
    char real[128];
    (void)snprintf(real, sizeof real, "%s/real", folder);
    assert_int_equal(mkdir(real, 0700), 0);
    assert_int_equal(symlink(real, cache), 0);
    expect_failure("cannot open the cache folder");
    assert_int_equal(unlink(cache), 0);
    assert_int_equal(mkdir(cache, 0700), 0);
    if (is_given_away(cache))
        expect_failure("belongs to another user; set XDG_CACHE_HOME");
}

IN_FOLDER(without_a_place_there_is_one_sentence) {
    char file[160];
    col_problem problem;
    (void)snprintf(file, sizeof file, "%s/file", folder);
    assert_int_equal(base_file_write(file, "", 0, &problem), COL_OK);
    assert_int_equal(setenv("XDG_CACHE_HOME", file, 1), 0);
    expect_failure("a file is in the way");
    assert_int_equal(setenv("XDG_CACHE_HOME", "/proc/nowhere", 1), 0);
    expect_failure("cannot make the folder /proc/nowhere");
    const char *before = getenv("HOME");
    char *home = strdup(before == NULL ? "/" : before);
    assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
    assert_int_equal(unsetenv("HOME"), 0);
    expect_failure("what is compiled needs a place: set HOME or XDG_CACHE_HOME");
    assert_int_equal(setenv("HOME", folder, 1), 0);
    char made[1024];
    assert_true(is_compiled(protocol, made));
    assert_non_null(strstr(made, "/.cache/collider/"));
    assert_int_equal(setenv("HOME", home, 1), 0);
    free(home);
}

/* ---- The compiler. */

IN_FOLDER(the_compiler_is_part_of_the_key) {
    char first[1024], second[1024];
    use_compiler("1.0", "");
    assert_true(is_compiled(protocol, first));
    use_compiler("1.1", "");
    assert_true(is_compiled(protocol, second));
    assert_string_not_equal(first, second);
    use_compiler("1.0", "# changed, but as old as before");
    assert_false(is_compiled(protocol, second));
    assert_string_equal(first, second);
    assert_int_equal(setenv("COLLIDER_OPTIMISATION", "-O1", 1), 0);
    assert_true(is_compiled(protocol, second));
    assert_int_equal(setenv("COLLIDER_OPTIMISATION", "-O0", 1), 0);
}

IN_FOLDER(compilers_that_fail_leave_nothing) {
    use_compiler("1.0", "echo 'x.c:1:2: error: too bad' >&2; exit 1");
    expect_failure("does not accept the translated protocol: x.c:1:2: error: too bad");
    use_compiler("1.0", "exit 0"); /* and writes nothing */
    expect_failure("cannot write");
    assert_int_equal(setenv("CC", "/nowhere/cc", 1), 0);
    expect_failure("there is no C compiler '/nowhere/cc'");
    assert_int_equal(count_files(), 0);
}

/* As on a full disk. */
IN_FOLDER(what_cannot_be_written_leaves_nothing) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit small = {.rlim_cur = 2000, .rlim_max = 2000};
        sim_plugin plugin;
        col_problem problem;
        (void)signal(SIGXFSZ, SIG_IGN);
        _exit(setrlimit(RLIMIT_FSIZE, &small) == 0 &&
                      sim_plugin_compile(&plugin, protocol, NULL, &problem) == COL_FAILURE &&
                      strstr(problem.message, "cannot write") != NULL
                  ? 0
                  : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(count_files(), 0);
}

/* ---- Ends. */

/* A process that compiles, with a compiler that takes its time; returns when it runs. */
static pid_t start_slow(pid_t *compiler) {
    char path[128], before[512];
    struct stat status;
    (void)snprintf(path, sizeof path, "%s/running", folder);
    (void)unlink(path);
    (void)snprintf(before, sizeof before, "echo $$ >%s.new; mv %s.new %s; sleep 60", path, path,
                   path);
    use_compiler("slow", before);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sim_plugin plugin;
        col_problem problem;
        _exit(sim_plugin_compile(&plugin, protocol, NULL, &problem) == COL_FAILURE ? 3 : 0);
    }
    while (stat(path, &status) != 0)
        pause_shortly();
    FILE *stream = fopen(path, "r");
    long number = 0;
    assert_non_null(stream);
    assert_int_equal(fscanf(stream, "%ld", &number), 1);
    (void)fclose(stream);
    *compiler = (pid_t)number;
    return child;
}

static void wait_for_end_of(pid_t process) {
    for (int i = 0; kill(-process, 0) == 0; i++) {
        pause_shortly();
        assert_true(i < 12000);
    }
    assert_int_equal(errno, ESRCH);
}

IN_FOLDER(signals_end_the_compiler) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < 3; i++) {
        pid_t compiler;
        int status = 0;
        const pid_t child = start_slow(&compiler);
        assert_int_equal(kill(child, signals[i]), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        wait_for_end_of(compiler);
        assert_int_equal(count_files(), 0);
    }
}

IN_FOLDER(what_killed_processes_leave_is_removed) {
    pid_t compiler;
    char file[1024];
    int status = 0;
    const pid_t child = start_slow(&compiler);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)kill(-compiler, SIGKILL); /* the shell's own child */
    assert_int_equal(count_files(), 2);
    use_compiler("fast", "");
    assert_true(is_compiled(other, file)); /* not the one that was being compiled */
    assert_int_equal(count_files(), 1);
    use_compiler("slow", "");
    assert_true(is_compiled(protocol, file));
    assert_int_equal(count_files(), 2);
}

/* One compiles, the others wait for it. */
IN_FOLDER(a_protocol_is_compiled_once) {
    enum { PROCESSES = 4 };
    pid_t children[PROCESSES];
    int compiled = 0;
    use_compiler("1.0", "sleep 0.2");
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            sim_plugin plugin;
            col_problem problem;
            _exit(sim_plugin_compile(&plugin, protocol, NULL, &problem) != COL_OK
                      ? 2
                      : plugin.compiled);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
        compiled += WEXITSTATUS(status);
    }
    assert_int_equal(compiled, 1);
    assert_int_equal(count_files(), 1);
}
