/* SPDX-License-Identifier: MIT */
/* Files that are going to be overwritten: see outputs.h. */
#include "base/outputs.h"

#include <sys/stat.h>

enum { MOST = 16 };

/* Complete before there are threads. */
static struct {
    const char *option, *path;
    dev_t device;
    ino_t inode;
} outputs[MOST];
static int count;

void base_outputs_add(const char *option, const char *path) {
    struct stat about;
    if (count == MOST || stat(path, &about) != 0)
        return;
    outputs[count].option = option;
    outputs[count].path = path;
    outputs[count].device = about.st_dev;
    outputs[count++].inode = about.st_ino;
}

col_status base_outputs_check(int descriptor, col_problem *problem) {
    struct stat about;
    if (count == 0 || fstat(descriptor, &about) != 0)
        return COL_OK;
    for (int i = 0; i < count; i++)
        if (outputs[i].device == about.st_dev && outputs[i].inode == about.st_ino)
            return base_refuse(problem, "--%s %.300s would overwrite an input; name another file",
                               outputs[i].option, outputs[i].path);
    return COL_OK;
}
