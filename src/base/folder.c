/* SPDX-License-Identifier: MIT */
/* Folders that results go to: see folder.h. */
#include "base/folder.h"

#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGED ".collider-"
#define LOCK_NAME ".lock"

/* ---- Reading. */

const struct dirent *base_folder_next(DIR *folder) {
    errno = 0;
    return readdir(folder);
}

/* ---- Making. */

static bool make_one(const char *path) {
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return true;
    const int reason = errno;
    if (reason == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    errno = reason;
    return false;
}

col_status base_folder_make(const char *path, col_problem *problem) {
    char part[PATH_MAX];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return base_refuse(problem, "the path of a folder is empty or too long");
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (part[i] != '/' && part[i] != '\0')
            continue;
        const char end = part[i];
        part[i] = '\0';
        const bool made = make_one(part);
        if (!made && (errno == EEXIST || errno == ENOTDIR))
            return base_refuse(problem, "cannot make the folder %s: a file is in the way", part);
        if (!made)
            return base_fail(problem, "cannot make the folder %s: %s", part, strerror(errno));
        part[i] = end;
    }
    return COL_OK;
}

col_status base_folder_make_temporary(char path[PATH_MAX], int *listed, col_problem *problem) {
    const char *above = getenv("TMPDIR");
    const int length = snprintf(path, PATH_MAX, "%s/collider-XXXXXX",
                                above == NULL || above[0] == '\0' ? "/tmp" : above);
    *listed = -1;
    if (length < 0 || length >= PATH_MAX || mkdtemp(path) == NULL) {
        path[0] = '\0';
        return base_fail(problem, "cannot make a temporary folder: %s; TMPDIR says where",
                         strerror(errno));
    }
    *listed = base_temporary_add(path);
    return COL_OK;
}

void base_folder_remove_temporary(char path[PATH_MAX], int listed) {
    if (path[0] == '\0')
        return;
    base_folder_remove_path(path);
    base_temporary_forget(listed);
    path[0] = '\0';
}

/* ---- Looking and removing. */

bool base_folder_has(const char *folder, const char *name) {
    char path[PATH_MAX];
    struct stat about;
    return base_path_in(path, folder, name, NULL) == COL_OK && lstat(path, &about) == 0;
}

static int open_folder_at(int above, const char *name) {
    return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void base_folder_remove_path(const char *path) {
    base_remove_at(AT_FDCWD, path);
}

void base_folder_remove(const char *folder, const char *name) {
    const int above = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (above < 0)
        return;
    base_remove_at(above, name);
    (void)close(above);
}

void base_folder_remove_files(const char *path, const char *const *names) {
    char file[PATH_MAX];
    for (; names != NULL && *names != NULL; names++)
        if (base_path_in(file, path, *names, NULL) == COL_OK)
            (void)remove(file);
    if (rmdir(path) != 0 && errno != ENOENT)
        base_folder_remove_path(path); /* there is more in it */
}

/* ---- One process at a time. */

/* The file that is locked may have been removed by the process that held it before. */
static bool is_still_there(int folder, const char *name, int lock) {
    struct stat held, named;
    return fstat(lock, &held) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

int base_lock_at(int folder, const char *name, mode_t mode) {
    for (;;) {
        const int lock = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
        const bool is_held = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0;
        if (lock < 0 || (is_held && is_still_there(folder, name, lock)))
            return lock;
        const int reason = errno;
        (void)close(lock);
        errno = reason;
        if (!is_held)
            return -1;
    }
}

col_status base_folder_lock(base_lock *lock, const char *folder, col_problem *problem) {
    lock->descriptor = -1;
    BASE_TRY(base_path_in(lock->path, folder, LOCK_NAME, problem));
    lock->descriptor = base_lock_at(AT_FDCWD, lock->path, 0666);
    if (lock->descriptor >= 0)
        return COL_OK;
    if (errno == ELOOP)
        return base_refuse(problem, "%s is a symbolic link", lock->path);
    if (errno == EWOULDBLOCK)
        return base_refuse(problem, "another collider is at work in the folder %s", folder);
    return base_fail(problem, "cannot %s the folder %s: %s", errno == ENOLCK ? "lock" : "write to",
                     folder, strerror(errno));
}

void base_folder_unlock(base_lock *lock) {
    if (lock->descriptor < 0)
        return;
    (void)unlink(lock->path);
    (void)close(lock->descriptor);
    lock->descriptor = -1;
}

/* ---- Staging. */

static col_status cannot_write(const char *folder, int reason, col_problem *problem) {
    return base_fail(problem, "cannot write to the folder %s: %s", folder, strerror(reason));
}

/* A folder of this process's own; beside the new folder, or inside the one that is there. */
static col_status make_hidden(base_stage *stage, col_problem *problem) {
    const int above = (int)(base_path_name(stage->folder) - stage->folder);
    for (int attempt = 0; attempt < 1000; attempt++) {
        const int length = stage->is_new
                               ? snprintf(stage->path, sizeof stage->path, "%.*s" STAGED "%ld-%d",
                                          above, stage->folder, (long)getpid(), attempt)
                               : snprintf(stage->path, sizeof stage->path, "%s/" STAGED "%ld-%d",
                                          stage->folder, (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= sizeof stage->path)
            return base_refuse(problem, "the path of the folder %.200s... is too long",
                               stage->folder);
        stage->listed = base_temporary_add(stage->path);
        if (mkdir(stage->path, 0777) == 0)
            return COL_OK;
        base_temporary_forget(stage->listed);
        if (errno != EEXIST)
            break;
    }
    const int reason = errno;
    stage->path[0] = '\0';
    return cannot_write(stage->folder, reason, problem);
}

static col_status make_above(const base_stage *stage, col_problem *problem) {
    char above[PATH_MAX];
    (void)snprintf(above, sizeof above, "%s", stage->folder);
    char *slash = strrchr(above, '/');
    if (slash == NULL || slash == above)
        return COL_OK;
    *slash = '\0';
    return base_folder_make(above, problem);
}

col_status base_stage_begin(base_stage *stage, const char *folder, col_problem *problem) {
    struct stat about;
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    stage->path[0] = '\0';
    if (length == 0 || length >= sizeof stage->folder)
        return base_refuse(problem, "the path of a folder is empty or too long");
    memcpy(stage->folder, folder, length);
    stage->folder[length] = '\0';
    stage->is_new = lstat(stage->folder, &about) != 0;
    if (!stage->is_new && !S_ISDIR(about.st_mode))
        return base_refuse(problem, "%s is not a folder", stage->folder);
    const col_status status = stage->is_new ? make_above(stage, problem) : COL_OK;
    return status == COL_OK ? make_hidden(stage, problem) : status;
}

/* A folder does not replace one that has files: the old one goes first. */
static bool move_file(int staged, int folder, const char *name) {
    if (renameat(staged, name, folder, name) == 0)
        return true;
    const bool is_staged = errno != ENOENT;
    if (is_staged && errno != ENOTEMPTY && errno != EEXIST)
        return false;
    if (!is_staged && (unlinkat(folder, name, 0) == 0 || errno == ENOENT))
        return true;
    if (!is_staged && errno != EISDIR)
        return false;
    base_remove_at(folder, name);
    return is_staged ? renameat(staged, name, folder, name) == 0
                     : unlinkat(folder, name, AT_REMOVEDIR) != 0 && errno == ENOENT;
}

static bool move_files(int staged, int folder, const char *const *names) {
    for (size_t i = 0; names[i] != NULL; i++)
        if (!move_file(staged, folder, names[i]))
            return false;
    return fsync(folder) == 0;
}

static bool move(const base_stage *stage, const char *const *names) {
    /* Another process may have made the folder meanwhile; then the files go there one by one. */
    if (stage->is_new && rename(stage->path, stage->folder) == 0)
        return true;
    const int staged = open_folder_at(AT_FDCWD, stage->path);
    const int folder = open_folder_at(AT_FDCWD, stage->folder);
    bool is_done = staged >= 0 && folder >= 0;
    if (is_done) {
        (void)flock(folder, LOCK_EX); /* two may write to one place; not all file systems can */
        is_done = move_files(staged, folder, names);
    }
    const int reason = errno;
    if (folder >= 0)
        (void)close(folder);
    if (staged >= 0)
        (void)close(staged);
    errno = reason;
    return is_done;
}

static void note_files(const base_stage *stage, const char *const *names) {
    char path[PATH_MAX];
    for (size_t i = 0; names[i] != NULL; i++)
        if (base_path_in(path, stage->folder, names[i], NULL) == COL_OK)
            base_outputs_note(path);
}

col_status base_stage_end(base_stage *stage, bool keep, const char *const *names,
                          col_problem *problem) {
    if (stage->path[0] == '\0')
        return COL_OK;
    const bool is_done = !keep || move(stage, names);
    const int reason = errno;
    if (keep && is_done)
        note_files(stage, names);
    base_folder_remove_files(stage->path, names);
    base_temporary_forget(stage->listed);
    stage->path[0] = '\0';
    return is_done ? COL_OK : cannot_write(stage->folder, reason, problem);
}

void base_stage_sweep(const char *folder) {
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (strncmp(entry->d_name, STAGED, strlen(STAGED)) == 0)
            base_remove_at(dirfd(entries), entry->d_name);
    (void)closedir(entries);
}
