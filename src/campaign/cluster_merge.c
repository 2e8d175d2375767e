/* SPDX-License-Identifier: MIT */
/* The end of a campaign on a cluster: its results become one store. See cluster.h. */
#include "campaign/cluster.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "campaign/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static col_status copy(FILE *from, FILE *to, const char *path, col_problem *problem) {
    enum { PIECE = 1 << 16 };
    static char piece[PIECE];
    size_t length;
    while ((length = fread(piece, 1, sizeof piece, from)) > 0)
        if (fwrite(piece, 1, length, to) != length)
            return base_fail(problem, "cannot write %.300s: %s", path, strerror(errno));
    return ferror(from) == 0 ? COL_OK : base_fail(problem, "a copy for %.300s failed", path);
}

/* SQLite takes the log into a store when it is closed, and says nothing if it cannot. */
static col_status check_complete(const char *store, col_problem *problem) {
    char log[PATH_MAX];
    struct stat status;
    const int length = snprintf(log, sizeof log, "%s-wal", store);
    if (length < 0 || length >= (int)sizeof log || stat(log, &status) != 0 || status.st_size == 0)
        return COL_OK;
    return base_fail(problem, "%.300s is not complete: some of it is in the log beside it, %.100s",
                     store, base_path_name(log));
}

typedef col_status (*begin_file)(base_file *file, const char *path, col_problem *problem);

static col_status copy_store(const char *from, const char *to, begin_file begin,
                             col_problem *problem) {
    base_file file = {0};
    col_status status = base_file_check_regular(from, true, problem);
    if (status == COL_OK)
        status = check_complete(from, problem);
    if (status != COL_OK)
        return status;
    FILE *source = fopen(from, "rbe");
    if (source == NULL)
        return base_cannot_read(from, errno, problem);
    status = begin(&file, to, problem);
    if (status == COL_OK) {
        status = copy(source, file.stream, to, problem);
        const col_status ended =
            base_file_end(&file, status == COL_OK, status == COL_OK ? problem : NULL);
        status = status == COL_OK ? ended : status;
    }
    (void)fclose(source);
    return status;
}

col_status cam_cluster_publish(const char *from, const char *to, col_problem *problem) {
    return copy_store(from, to, base_file_begin_anew, problem);
}

/* FOLDER/results/NAME for each, which is no link; the caller frees the names. */
static col_status list_results(const cam_cluster *c, cam_cluster_list *list, col_problem *problem) {
    char path[PATH_MAX], place[NAME_MAX + 10];
    col_status status = cam_cluster_list_folder(c, "results", list, problem);
    for (size_t i = 0; i < list->count && status == COL_OK; i++) {
        (void)snprintf(place, sizeof place, "results/%s", list->names[i]);
        status = base_path_in(path, c->folder, place, problem);
        if (status == COL_OK)
            status = base_file_check_regular(path, false, problem);
        char *whole = strdup(path);
        if (whole == NULL)
            return base_out_of_memory(problem);
        free(list->names[i]);
        list->names[i] = whole;
    }
    return status;
}

/* On a disk of this machine; what the store had stays. */
static col_status merge_into(const cam_cluster *c, const char *local, col_problem *problem) {
    cam_cluster_list list;
    cam_merge_summary summary;
    col_status status = list_results(c, &list, problem);
    if (status == COL_OK && access(c->out, F_OK) == 0)
        status = copy_store(c->out, local, base_file_begin_anew, problem);
    if (status == COL_OK)
        status = cam_merge(local, list.names, list.count, &summary, problem);
    if (status == COL_OK)
        status = copy_store(local, c->out, base_file_begin, problem); /* the user's: it may be a
                                                                         link to another disk */
    cam_cluster_free_list(&list);
    return status;
}

static col_status merge_here(cam_cluster *c, const char *scratch, col_problem *problem) {
    static const char *const used[] = {"batches", "open", "running", "done", "results"};
    char local[PATH_MAX];
    col_status status = base_path_in(local, scratch, "merged.db", problem);
    if (status == COL_OK)
        status = merge_into(c, local, problem);
    (void)remove(local);
    if (status != COL_OK)
        return status;
    c->is_merged = true;
    status = cam_cluster_write(c, problem);
    for (size_t i = 0; i < sizeof used / sizeof used[0] && status == COL_OK; i++)
        base_folder_remove(c->folder, used[i]);
    return status;
}

col_status cam_cluster_merge(cam_cluster *c, const char *owner, const char *scratch,
                             bool *has_merged, col_problem *problem) {
    char token[CAM_CLUSTER_NAME + 20];
    cam_cluster_progress progress;
    col_status status = cam_cluster_look(c, &progress, problem);
    bool is_ours = false;
    *has_merged = false;
    (void)snprintf(token, sizeof token, "merging/@%s", owner);
    if (status == COL_OK && progress.is_complete && !progress.is_merged)
        status = cam_cluster_move(c, "unmerged", token, &is_ours, problem);
    if (!is_ours)
        return status;
    status = merge_here(c, scratch, problem);
    *has_merged = status == COL_OK;
    if (status == COL_OK)
        base_folder_remove(c->folder, "merging");
    else
        (void)cam_cluster_move(c, token, "unmerged", &is_ours, NULL);
    return status;
}
