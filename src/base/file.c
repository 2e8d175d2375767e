/* SPDX-License-Identifier: MIT */
/* Whole files: see file.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): getdents64
#include "base/file.h"

#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

col_status base_cannot_read(const char *path, int reason, col_problem *problem) {
    switch (reason) {
    case ENOMEM:
        return base_out_of_memory(problem);
    case EIO:
    case EMFILE:
    case ENFILE:
    case ESTALE:
        return base_fail(problem, "cannot read %s: %s", path, strerror(reason));
    default:
        return base_refuse(problem, "cannot read %s: %s", path, strerror(reason));
    }
}

static col_status read_all(FILE *file, const char *path, base_text *text, col_problem *problem) {
    const col_status allowed = base_outputs_check(fileno(file), problem);
    if (allowed != COL_OK) {
        (void)fclose(file);
        return allowed;
    }
    char chunk[1 << 16];
    size_t count;
    size_t total = 0;
    while (total <= BASE_MOST_FILE && (count = fread(chunk, 1, sizeof chunk, file)) > 0) {
        base_text_add_bytes(text, chunk, count);
        total += count;
    }
    const bool broken = ferror(file) != 0;
    const int reason = errno;
    (void)fclose(file);
    if (total > BASE_MOST_FILE)
        return base_refuse(problem, "cannot read %s: it has more than %d MiB", path,
                           BASE_MOST_FILE >> 20);
    if (broken)
        return base_cannot_read(path, reason, problem);
    return base_text_status(text, problem);
}

col_status base_file_read(const char *path, base_text *text, col_problem *problem) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return base_cannot_read(path, errno, problem);
    return read_all(file, path, text, problem);
}

col_status base_file_check_regular(const char *path, bool follows, col_problem *problem) {
    struct stat about;
    const int found = follows ? stat(path, &about) : lstat(path, &about);
    return found != 0 || S_ISREG(about.st_mode)
               ? COL_OK
               : base_refuse(problem, "%s is not a regular file", path);
}

/* A pipe or a device in the place of the file would block, or never end. */
static FILE *open_regular(const char *path, bool follows) {
    struct stat about;
    const int descriptor =
        open(path, O_RDONLY | (follows ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    const bool is_regular = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = is_regular ? fdopen(descriptor, "rb") : NULL;
    if (!is_regular)
        errno = EINVAL;
    if (file == NULL)
        (void)close(descriptor);
    return file;
}

static col_status read_regular(const char *path, bool follows, base_text *text,
                               col_problem *problem) {
    FILE *file = open_regular(path, follows);
    if (file == NULL && (errno == ELOOP || errno == EINVAL))
        return base_refuse(problem, "%s is not a regular file", path);
    if (file == NULL)
        return base_cannot_read(path, errno, problem);
    return read_all(file, path, text, problem);
}

col_status base_file_read_regular(const char *path, base_text *text, col_problem *problem) {
    return read_regular(path, true, text, problem);
}

col_status base_file_read_in(const char *folder, const char *name, base_text *text,
                             col_problem *problem) {
    char path[PATH_MAX];
    const col_status status = base_path_in(path, folder, name, problem);
    return status == COL_OK ? read_regular(path, false, text, problem) : status;
}

/* A file of this process's own beside `path`; its name ends up in `temporary`. */
static int open_temporary(const char *path, char temporary[PATH_MAX], int *listed) {
    const int folder = (int)(base_path_name(path) - path);
    for (int attempt = 0; attempt < 1000; attempt++) {
        const int length = snprintf(temporary, PATH_MAX, "%.*s.collider-%ld-%d", folder, path,
                                    (long)getpid(), attempt);
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        *listed = base_temporary_add(temporary);
        const int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0)
            return descriptor;
        base_temporary_forget(*listed);
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

/* Beside the old file, if there is one; it keeps its permissions. */
static FILE *open_beside(base_file *file, const struct stat *old) {
    if (strlen(file->path) >= sizeof file->target) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    if (old == NULL || realpath(file->path, file->target) == NULL)
        (void)snprintf(file->target, sizeof file->target, "%s", file->path);
    const int descriptor = open_temporary(file->target, file->temporary, &file->listed);
    if (descriptor < 0) {
        file->temporary[0] = '\0';
        return NULL;
    }
    if (old != NULL)
        (void)fchmod(descriptor, old->st_mode & 07777);
    FILE *stream = fdopen(descriptor, "wb");
    if (stream == NULL) {
        (void)close(descriptor);
        (void)unlink(file->temporary);
        base_temporary_forget(file->listed);
    }
    return stream;
}

/* Pipes, devices and what a dangling link names have no old content to keep. */
static FILE *open_stream(base_file *file) {
    struct stat old, link;
    if (is_standard(file->path))
        return stdout;
    const bool exists = stat(file->path, &old) == 0;
    if (exists ? !S_ISREG(old.st_mode) : lstat(file->path, &link) == 0 && S_ISLNK(link.st_mode))
        return fopen(file->path, "wb");
    return open_beside(file, exists ? &old : NULL);
}

static col_status cannot_write(const char *path, int reason, col_problem *problem) {
    if (is_standard(path))
        return base_fail(problem, "cannot write to standard output: %s", strerror(reason));
    return base_fail(problem, "cannot write %s: %s", path, strerror(reason));
}

static col_status begin(base_file *file, const char *path, FILE *(*open)(base_file *file),
                        col_problem *problem) {
    file->path = path;
    file->temporary[0] = '\0';
    file->stream = open(file);
    return file->stream == NULL ? cannot_write(path, errno, problem) : COL_OK;
}

col_status base_file_begin(base_file *file, const char *path, col_problem *problem) {
    return begin(file, path, open_stream, problem);
}

static FILE *open_anew(base_file *file) {
    return open_beside(file, NULL);
}

col_status base_file_begin_anew(base_file *file, const char *path, col_problem *problem) {
    return begin(file, path, open_anew, problem);
}

/* Makes sure of the disk if the file is to be replaced; errno says what failed. */
static bool close_stream(const base_file *file, bool sync) {
    const bool is_written = fflush(file->stream) == 0 && ferror(file->stream) == 0 &&
                            (!sync || fsync(fileno(file->stream)) == 0);
    const int reason = errno;
    const bool is_closed = is_standard(file->path) || fclose(file->stream) == 0;
    if (!is_written)
        errno = reason;
    return is_written && is_closed;
}

col_status base_file_end(base_file *file, bool keep, col_problem *problem) {
    const bool is_beside = file->temporary[0] != '\0';
    const col_status allowed = keep && is_beside ? base_outputs_claim(file->path, problem) : COL_OK;
    keep = keep && allowed == COL_OK;
    const bool is_done = close_stream(file, keep && is_beside) &&
                         (!keep || !is_beside || rename(file->temporary, file->target) == 0);
    const int reason = errno;
    if (is_beside && (!keep || !is_done))
        (void)unlink(file->temporary);
    if (is_beside)
        base_temporary_forget(file->listed);
    if (keep && is_done)
        base_outputs_note(file->path);
    file->stream = NULL;
    return keep && !is_done ? cannot_write(file->path, reason, problem) : allowed;
}

static col_status write_and_end(base_file *file, const char *data, size_t length,
                                col_problem *problem) {
    (void)fwrite(data, 1, length, file->stream); /* the end sees if it failed */
    return base_file_end(file, true, problem);
}

col_status base_file_write(const char *path, const char *data, size_t length,
                           col_problem *problem) {
    base_file file;
    const col_status status = base_file_begin(&file, path, problem);
    return status == COL_OK ? write_and_end(&file, data, length, problem) : status;
}

col_status base_file_write_text(const char *path, base_text *text, col_problem *problem) {
    col_status status = base_text_status(text, problem);
    if (status == COL_OK)
        status = base_file_write(path, text->data == NULL ? "" : text->data, text->length, problem);
    base_text_free(text);
    return status;
}

col_status base_file_write_anew(const char *path, const char *data, size_t length,
                                col_problem *problem) {
    base_file file;
    const col_status status = base_file_begin_anew(&file, path, problem);
    return status == COL_OK ? write_and_end(&file, data, length, problem) : status;
}

/* Temporary files. */

enum { MOST = 64, FREE = 0, CHANGING = 1, USED = 2 };

static struct {
    atomic_int state;
    pid_t owner;
    char path[PATH_MAX];
} list[MOST];

int base_temporary_add(const char *path) {
    const size_t length = strlen(path);
    for (int i = 0; i < MOST && length < sizeof list[0].path; i++) {
        int is_free = FREE;
        if (!atomic_compare_exchange_strong(&list[i].state, &is_free, CHANGING))
            continue;
        list[i].owner = getpid();
        memcpy(list[i].path, path, length + 1);
        atomic_store(&list[i].state, USED);
        return i;
    }
    return -1; /* a signal leaves this one */
}

void base_temporary_forget(int which) {
    if (which >= 0)
        atomic_store(&list[which].state, FREE);
}

/* ---- By system calls alone: a signal's handler may do that. */

enum { DEEPEST = 64 }; /* of folders that we make: two */

static void remove_at(int above, const char *name, int depth) {
    _Alignas(struct dirent64) char entries[2048];
    if (unlinkat(above, name, 0) == 0 || depth > DEEPEST)
        return;
    const int folder = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    for (ssize_t size; (size = getdents64(folder, entries, sizeof entries)) > 0;)
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                remove_at(folder, entry->d_name, depth + 1);
            at += entry->d_reclen;
        }
    (void)close(folder);
    (void)unlinkat(above, name, AT_REMOVEDIR);
}

void base_remove_at(int above, const char *name) {
    remove_at(above, name, 0);
}

void base_temporary_remove_all(void) {
    for (int i = 0; i < MOST; i++)
        if (atomic_load(&list[i].state) == USED && list[i].owner == getpid())
            remove_at(AT_FDCWD, list[i].path, 0);
}

/* Files that are going to be overwritten. */

enum { MOST_OUTPUTS = 16 };

typedef struct output {
    const char *option, *path;
    bool is_read, is_taken;
    bool exists; /* and if it does, it is this one: */
    dev_t device;
    ino_t inode;
} output;

/* The list is complete before there are threads; an entry changes when its file is written. */
static output outputs[MOST_OUTPUTS];
static int count;

static void look_at(output *o) {
    struct stat about = {0};
    o->exists = stat(o->path, &about) == 0;
    o->device = about.st_dev;
    o->inode = about.st_ino;
}

void base_outputs_add(const char *option, const char *path, bool is_read) {
    if (count == MOST_OUTPUTS)
        return;
    outputs[count] = (output){.option = option, .path = path, .is_read = is_read};
    look_at(&outputs[count++]);
}

void base_outputs_forget(void) {
    count = 0;
}

static bool is_same(const output *o, const struct stat *about) {
    return o->exists && o->device == about->st_dev && o->inode == about->st_ino;
}

col_status base_outputs_check(int descriptor, col_problem *problem) {
    struct stat about;
    if (count == 0 || fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        return COL_OK;
    for (int i = 0; i < count; i++)
        if (!outputs[i].is_read && is_same(&outputs[i], &about))
            return base_refuse(problem, "--%s %.300s would overwrite an input; name another file",
                               outputs[i].option, outputs[i].path);
    return COL_OK;
}

col_status base_outputs_claim(const char *path, col_problem *problem) {
    for (int i = 0; i < count; i++) {
        const output *o = &outputs[i];
        if (o->path == path && o->is_taken)
            return base_refuse(problem,
                               "--%s %.300s would overwrite what this command has written there; "
                               "name another file",
                               o->option, path);
    }
    return COL_OK;
}

void base_outputs_note(const char *path) {
    for (int i = 0; i < count; i++) {
        output *o = &outputs[i];
        if (o->path == path)
            look_at(o);
        else if (base_path_same_place(o->path, path))
            o->is_taken = true;
    }
}
