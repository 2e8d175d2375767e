/* SPDX-License-Identifier: MIT */
/* Files that are going to be overwritten: see outputs.h. */
#include "base/outputs.h"

#include "base/path.h"

#include <sys/stat.h>

enum { MOST = 16 };

typedef struct output {
    const char *option, *path;
    bool is_read, is_taken;
    bool exists; /* and if it does, it is this one: */
    dev_t device;
    ino_t inode;
} output;

/* The list is complete before there are threads; an entry changes when its file is written. */
static output outputs[MOST];
static int count;

static void look_at(output *o) {
    struct stat about = {0};
    o->exists = stat(o->path, &about) == 0;
    o->device = about.st_dev;
    o->inode = about.st_ino;
}

void base_outputs_add(const char *option, const char *path, bool is_read) {
    if (count == MOST)
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
