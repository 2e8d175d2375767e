/* SPDX-License-Identifier: MIT */
/* Temporary files: see temporary.h. */
#include "base/temporary.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

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

void base_temporary_remove_all(void) {
    for (int pass = 0; pass < 2; pass++) /* files, then the folders that had them */
        for (int i = 0; i < MOST; i++)
            if (atomic_load(&list[i].state) == USED && list[i].owner == getpid())
                (void)(pass == 0 ? unlink(list[i].path) : rmdir(list[i].path));
}
