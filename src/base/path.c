/* SPDX-License-Identifier: MIT */
/* Paths as text: see path.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): dladdr
#include "base/path.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool base_path_variable(const char *name, char variable[BASE_VARIABLE]) {
    const size_t length = strncmp(name, "${", 2) == 0 ? strcspn(name + 2, "}") : 0;
    if (length == 0 || length >= BASE_VARIABLE || strncmp(name + 2 + length, "}/", 2) != 0)
        return false;
    memcpy(variable, name + 2, length);
    variable[length] = '\0';
    return true;
}

col_status base_path_expand(char path[PATH_MAX], const char *file, const char *name,
                            const char *what, col_problem *problem) {
    char variable[BASE_VARIABLE];
    if (strncmp(name, "${", 2) != 0)
        return base_path_beside(path, file, name, problem);
    if (!base_path_variable(name, variable))
        return base_refuse(problem,
                           "a %s's path that starts in the environment is written "
                           "${VARIABLE}/path, not '%.200s'",
                           what, name);
    const char *value = getenv(variable), *rest = strchr(name, '}') + 2;
    if (value == NULL || value[0] == '\0')
        return base_refuse(problem,
                           "the environment variable %s is not set; set it to the folder in which "
                           "the %s is %.200s",
                           variable, what, rest);
    return base_path_in(path, value, rest, problem);
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

/* Files that have a name. */

enum { PATH_SIZE = 1024 };

static const char own_address; /* something whose address is in the file that this code is in */

const base_library_file *base_library_find(const base_library *library, const char *name) {
    for (size_t i = 0; i < library->count; i++)
        if (strcmp(library->entries[i].name, name) == 0)
            return &library->entries[i];
    return NULL;
}

enum { FROM_VARIABLE, FROM_INSTALLED, FROM_SOURCE, BUILT_IN };

static col_status add(base_library *library, const char *name, size_t length, const char *path,
                      uint32_t turn, col_problem *problem) {
    base_library_file entry = {.turn = turn};
    if (length == 0 || length >= sizeof entry.name || strlen(path) >= sizeof entry.path)
        return COL_OK;
    memcpy(entry.name, name, length);
    memcpy(entry.path, path, strlen(path));
    BASE_TRY(base_reserve(&library->entries, &library->capacity, library->count + 1, sizeof entry,
                          problem));
    library->entries[library->count++] = entry;
    return COL_OK;
}

col_status base_library_add(base_library *library, const char *name, size_t length,
                            const char *path, col_problem *problem) {
    return add(library, name, length, path, BUILT_IN, problem);
}

static col_status add_folder(base_library *library, const char *path, uint32_t turn, bool deep,
                             col_problem *problem) {
    col_status status = COL_OK;
    DIR *folder = opendir(path);
    /* The source tree may be another user's. */
    if (folder == NULL)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES
                   ? COL_OK
                   : base_cannot_read(path, errno, problem);
    for (const struct dirent *entry;
         status == COL_OK && (entry = base_folder_next(folder)) != NULL;) {
        char inside[PATH_SIZE];
        const int written = snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.' || written < 0 || (size_t)written >= sizeof inside)
            continue;
        if (base_path_ends(entry->d_name, BASE_LIBRARY_ENDING))
            status =
                add(library, entry->d_name, strlen(entry->d_name) - strlen(BASE_LIBRARY_ENDING),
                    inside, turn, problem);
        else if (deep)
            status = add_folder(library, inside, turn, false, problem);
    }
    if (status == COL_OK && errno != 0)
        status = base_cannot_read(path, errno, problem);
    (void)closedir(folder);
    return status;
}

/* The file that this code is in: the command, or the shared library in somebody else's process. */
static bool own_file(char *path, size_t size, bool *is_library) {
    Dl_info info;
    *is_library = dladdr(&own_address, &info) != 0 && info.dli_fname != NULL &&
                  strstr(info.dli_fname, ".so") != NULL;
    if (*is_library) {
        char *real = realpath(info.dli_fname, NULL);
        const bool fits = real != NULL && strlen(real) < size;
        if (fits)
            memcpy(path, real, strlen(real) + 1);
        free(real);
        return fits;
    }
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length > 0)
        path[length] = '\0';
    return length > 0;
}

/* <prefix>/bin/collider is two steps below the prefix, and so is <prefix>/lib/libcollider.so;
 * Debian's <prefix>/lib/<architecture>/libcollider.so is three, and collider/libcollider-guest.so
 * there is four. */
bool base_installed_folder(const char *kind, char *path, size_t size) {
    char folder[64];
    bool is_library;
    const int added = snprintf(folder, sizeof folder, "/share/collider/%s", kind);
    if (added < 0 || (size_t)added >= sizeof folder || size <= sizeof folder ||
        !own_file(path, size - sizeof folder, &is_library))
        return false;
    const int most = is_library ? 4 : 2;
    for (int up = 1; up <= most; up++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
        if (up == 1)
            continue;
        memcpy(slash, folder, (size_t)added + 1);
        if (up == most || access(path, F_OK) == 0)
            return true;
        *slash = '\0';
    }
    return false;
}

static col_status add_installed(base_library *library, const base_library_place *place,
                                col_problem *problem) {
    char path[PATH_SIZE];
    if (!base_installed_folder(place->kind, path, sizeof path))
        return COL_OK;
    return add_folder(library, path, FROM_INSTALLED, place->has_folders, problem);
}

col_status base_library_add_files(base_library *library, const base_library_place *place,
                                  col_problem *problem) {
    const char *folder = getenv(place->variable);
    if (folder != NULL && folder[0] != '\0')
        BASE_TRY(add_folder(library, folder, FROM_VARIABLE, place->has_folders, problem));
    BASE_TRY(add_installed(library, place, problem));
    return add_folder(library, place->source, FROM_SOURCE, place->has_folders, problem);
}

bool base_library_find_file(const base_library_place *place, const char *file, char *path,
                            size_t size) {
    char installed[PATH_SIZE];
    const bool is_installed = base_installed_folder(place->kind, installed, sizeof installed);
    const char *const folders[] = {getenv(place->variable), is_installed ? installed : NULL,
                                   place->source};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (folders[i] == NULL || folders[i][0] == '\0')
            continue;
        const int written = snprintf(path, size, "%s/%s", folders[i], file);
        if (written > 0 && (size_t)written < size && access(path, F_OK) == 0)
            return true;
    }
    return false;
}

bool base_library_path(const base_library_place *place, const char *name, char *path, size_t size) {
    char file[PATH_SIZE];
    const int written = snprintf(file, sizeof file, "%s%s", name, BASE_LIBRARY_ENDING);
    if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL)
        return false;
    return written > 0 && (size_t)written < sizeof file &&
           base_library_find_file(place, file, path, size);
}

/* The order in which a folder lists its files is chance, so paths decide after the folders. */
static int by_name(const void *a, const void *b) {
    const base_library_file *one = a, *other = b;
    const int order = strcmp(one->name, other->name);
    if (order != 0 || one->turn == other->turn)
        return order != 0 ? order : strcmp(one->path, other->path);
    return one->turn < other->turn ? -1 : 1;
}

void base_library_sort(base_library *library) {
    if (library->count > 0)
        qsort(library->entries, library->count, sizeof *library->entries, by_name);
}

void base_library_keep_first(base_library *library) {
    size_t kept = 0;
    for (size_t i = 0; i < library->count; i++)
        if (kept == 0 || strcmp(library->entries[kept - 1].name, library->entries[i].name) != 0)
            library->entries[kept++] = library->entries[i];
    library->count = kept;
}

void base_library_free(base_library *library) {
    free(library->entries);
    *library = (base_library){0};
}
