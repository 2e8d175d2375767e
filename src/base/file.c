/* SPDX-License-Identifier: MIT */
/* Whole files: see file.h. */
#include "base/file.h"

#include <errno.h>
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

static col_status write_temporary(int descriptor, const char *data, size_t length) {
    FILE *file = fdopen(descriptor, "wb");
    if (file == NULL) {
        (void)close(descriptor);
        return COL_FAILURE;
    }
    const mode_t mask = umask(0);
    (void)umask(mask);
    const bool written = write_all(file, data, length) && fsync(descriptor) == 0 &&
                         fchmod(descriptor, 0666 & ~mask) == 0;
    const int reason = errno;
    const bool closed = fclose(file) == 0;
    if (!written)
        errno = reason;
    return written && closed ? COL_OK : COL_FAILURE;
}

col_status col_file_write(const char *path, const char *data, size_t length, col_error *error) {
    if (strcmp(path, "-") == 0) {
        if (!write_all(stdout, data, length))
            return col_fail(error, "cannot write to standard output: %s", strerror(errno));
        return COL_OK;
    }
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        /* A pipe or a device has no old content to keep: write straight into it. */
        FILE *file = fopen(path, "wb");
        const bool written = file != NULL && write_all(file, data, length);
        const int reason = errno;
        const bool closed = file != NULL && fclose(file) == 0;
        if (!written || !closed)
            return col_fail(error, "cannot write %s: %s", path, strerror(reason));
        return COL_OK;
    }

    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary)
        return col_refuse(error, "the path %s is too long", path);
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return col_fail(error, "cannot write %s: %s", path, strerror(errno));
    if (write_temporary(descriptor, data, length) != COL_OK || rename(temporary, path) != 0) {
        const int reason = errno;
        (void)unlink(temporary);
        return col_fail(error, "cannot write %s: %s", path, strerror(reason));
    }
    return COL_OK;
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
