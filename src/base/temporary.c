/* SPDX-License-Identifier: MIT */
/* Temporary files: see temporary.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): getdents64
#include "base/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64, FREE = 0, CHANGING = 1, USED = 2 };

static struct {
    atomic_int state;
    bool is_folder;
    pid_t owner;
    char path[PATH_MAX];
} list[MOST];

static int add(const char *path, bool is_folder) {
    const size_t length = strlen(path);
    for (int i = 0; i < MOST && length < sizeof list[0].path; i++) {
        int is_free = FREE;
        if (!atomic_compare_exchange_strong(&list[i].state, &is_free, CHANGING))
            continue;
        list[i].is_folder = is_folder;
        list[i].owner = getpid();
        memcpy(list[i].path, path, length + 1);
        atomic_store(&list[i].state, USED);
        return i;
    }
    return -1; /* a signal leaves this one */
}

int base_temporary_add(const char *path) {
    return add(path, false);
}

int base_temporary_add_folder(const char *path) {
    return add(path, true);
}

void base_temporary_forget(int which) {
    if (which >= 0)
        atomic_store(&list[which].state, FREE);
}

/* ---- In a signal's handler: by system calls alone. */

enum { DEEPEST = 8 }; /* of folders that we make: two */

static void remove_folder(int above, const char *name, int depth);

static void remove_entry(int folder, const char *name, int depth) {
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && unlinkat(folder, name, 0) != 0 &&
        depth < DEEPEST)
        remove_folder(folder, name, depth + 1);
}

static void remove_folder(int above, const char *name, int depth) {
    _Alignas(struct dirent64) char entries[2048];
    const int folder = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    for (ssize_t size; (size = getdents64(folder, entries, sizeof entries)) > 0;)
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            remove_entry(folder, entry->d_name, depth);
            at += entry->d_reclen;
        }
    (void)close(folder);
    (void)unlinkat(above, name, AT_REMOVEDIR);
}

void base_temporary_remove_all(void) {
    for (int i = 0; i < MOST; i++) {
        if (atomic_load(&list[i].state) != USED || list[i].owner != getpid())
            continue;
        if (list[i].is_folder)
            remove_folder(AT_FDCWD, list[i].path, 0);
        else
            (void)unlink(list[i].path);
    }
}
