/* SPDX-License-Identifier: MIT */
/* Whole files: see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

col_status col_file_read(const char *path, col_text *text, col_error *error) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return col_refuse(error, "cannot read %s: %s", path, strerror(errno));
    char chunk[1 << 16];
    size_t count;
    while ((count = fread(chunk, 1, sizeof chunk, file)) > 0)
        col_text_add_bytes(text, chunk, count);
    const bool broken = ferror(file) != 0;
    const int reason = errno;
    (void)fclose(file);
    if (broken)
        return col_refuse(error, "cannot read %s: %s", path, strerror(reason));
    return col_text_status(text, error);
}

static bool write_all(FILE *file, const char *data, size_t length) {
    return fwrite(data, 1, length, file) == length && fflush(file) == 0;
}

/* A file of this process's own beside `path`; its name ends up in `temporary`. */
static int open_temporary(const char *path, char temporary[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    const int folder = slash == NULL ? 0 : (int)(slash - path) + 1;
    for (int attempt = 0; attempt < 1000; attempt++) {
        const int length = snprintf(temporary, PATH_MAX, "%.*s.collider-%ld-%d", folder, path,
                                    (long)getpid(), attempt);
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* Writes, makes sure of the disk and closes; errno says what failed. */
static bool fill_and_close(FILE *file, const char *data, size_t length, bool sync) {
    const bool written = write_all(file, data, length) && (!sync || fsync(fileno(file)) == 0);
    const int reason = errno;
    const bool closed = fclose(file) == 0;
    if (!written)
        errno = reason;
    return written && closed;
}

/* The old file, if there is one, is replaced in one step and keeps its permissions. */
static bool replace_file(const char *path, const struct stat *old, const char *data,
                         size_t length) {
    char temporary[PATH_MAX];
    const int descriptor = open_temporary(path, temporary);
    if (descriptor < 0)
        return false;
    if (old != NULL)
        (void)fchmod(descriptor, old->st_mode & 07777);
    FILE *file = fdopen(descriptor, "wb");
    if (file == NULL)
        (void)close(descriptor);
    const bool done =
        file != NULL && fill_and_close(file, data, length, true) && rename(temporary, path) == 0;
    if (!done) {
        const int reason = errno;
        (void)unlink(temporary);
        errno = reason;
    }
    return done;
}

/* A pipe, a device or what a dangling link names has no old content to keep. */
static bool write_into(const char *path, const char *data, size_t length) {
    FILE *file = fopen(path, "wb");
    return file != NULL && fill_and_close(file, data, length, false);
}

col_status col_file_write(const char *path, const char *data, size_t length, col_error *error) {
    if (strcmp(path, "-") == 0) {
        if (!write_all(stdout, data, length))
            return col_fail(error, "cannot write to standard output: %s", strerror(errno));
        return COL_OK;
    }
    struct stat old, link;
    const bool exists = stat(path, &old) == 0;
    const bool dangling = !exists && lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    char *target = exists ? realpath(path, NULL) : NULL; /* a link stays a link */
    const bool done =
        dangling || (exists && !S_ISREG(old.st_mode))
            ? write_into(path, data, length)
            : replace_file(target != NULL ? target : path, exists ? &old : NULL, data, length);
    const int reason = errno;
    free(target);
    return done ? COL_OK : col_fail(error, "cannot write %s: %s", path, strerror(reason));
}

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

col_status col_folder_make(const char *path, col_error *error) {
    char part[PATH_MAX];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return col_refuse(error, "the path of a folder is empty or too long");
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (part[i] != '/' && part[i] != '\0')
            continue;
        const char end = part[i];
        part[i] = '\0';
        const bool made = make_one(part);
        if (!made && (errno == EEXIST || errno == ENOTDIR))
            return col_refuse(error, "cannot make the folder %s: a file is in the way", part);
        if (!made)
            return col_fail(error, "cannot make the folder %s: %s", part, strerror(errno));
        part[i] = end;
    }
    return COL_OK;
}

const char *col_path_in(char *path, size_t size, const char *folder, const char *name) {
    (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}
