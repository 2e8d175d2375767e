/* SPDX-License-Identifier: MIT */
/* Paths as text: see path.h. */
#include "base/path.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static col_status join(char path[PATH_MAX], int length, const char *folder, const char *name,
                       col_problem *problem) {
    const int written = snprintf(path, PATH_MAX, "%.*s%s", length, folder, name);
    if (written >= 0 && written < PATH_MAX)
        return COL_OK;
    path[0] = '\0';
    return base_refuse(problem, "the path of %.100s in %.100s... is too long", name, folder);
}

col_status base_path_in(char path[PATH_MAX], const char *folder, const char *name,
                        col_problem *problem) {
    const size_t length = strlen(folder);
    if (length >= PATH_MAX)
        return join(path, PATH_MAX, folder, name, problem);
    char with_slash[PATH_MAX + 1];
    (void)snprintf(with_slash, sizeof with_slash, "%s/", folder);
    return join(path, (int)length + 1, with_slash, name, problem);
}

col_status base_path_beside(char path[PATH_MAX], const char *file, const char *name,
                            col_problem *problem) {
    const char *slash = name[0] == '/' ? NULL : strrchr(file, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - file) + 1;
    return join(path, length < PATH_MAX ? (int)length : PATH_MAX, file, name, problem);
}

bool base_path_same(const char *a, const char *b) {
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* The folder that the path is in. False: there is none. */
static bool look_at_folder(const char *path, struct stat *about) {
    char folder[PATH_MAX];
    const size_t length = (size_t)(base_path_name(path) - path);
    if (length >= sizeof folder)
        return false;
    (void)snprintf(folder, sizeof folder, "%.*s", (int)length, length == 0 ? "." : path);
    return stat(length == 0 ? "." : folder, about) == 0;
}

bool base_path_same_place(const char *a, const char *b) {
    struct stat one, other;
    if (strcmp(a, b) == 0 || base_path_same(a, b))
        return true;
    return stat(a, &one) != 0 && stat(b, &other) != 0 &&
           strcmp(base_path_name(a), base_path_name(b)) == 0 && look_at_folder(a, &one) &&
           look_at_folder(b, &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

const char *base_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

size_t base_path_stem(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
}

bool base_path_ends(const char *path, const char *ending) {
    const size_t length = strlen(path), size = strlen(ending);
    return length > size && strcmp(path + length - size, ending) == 0;
}
