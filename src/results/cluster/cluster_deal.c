/* SPDX-License-Identifier: MIT */
/*
 * Dealing out a plan: see cluster.h. Batches are of equal cost, not of equal numbers of trials, and
 * become smaller towards the end: each is a quarter of what a task would still have to do. So a
 * machine that is four times slower than the others holds nobody up, and few files are needed.
 */
#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "results/cluster/cluster.h"
#include "results/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static col_status make_folders(const cam_cluster *c, col_problem *problem) {
    char path[PATH_MAX];
    col_status status = COL_OK;
    for (size_t i = 0; cam_cluster_folders[i] != NULL && status == COL_OK; i++) {
        const char *name = cam_cluster_folders[i];
        base_folder_remove(c->folder, name); /* of one that was not dealt out to the end */
        status = base_path_in(path, c->folder, name, problem);
        BASE_THEN(status, base_folder_make(path, problem));
    }
    return status;
}

static col_status put_token(const cam_cluster *c, const char *folder, const char *name,
                            col_problem *problem) {
    char path[PATH_MAX], place[CAM_CLUSTER_NAME * 2];
    (void)snprintf(place, sizeof place, "%s%s%s", folder, folder[0] == '\0' ? "" : "/", name);
    BASE_TRY(base_path_in(path, c->folder, place, problem));
    const int token = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
    if (token < 0)
        return base_fail(problem, "cannot write %.300s: %s", path, strerror(errno));
    (void)close(token);
    return COL_OK;
}

static col_status put_batch(cam_cluster *c, cam_costly *trials, size_t count,
                            col_problem *problem) {
    cam_batch batch = {.trials = trials, .count = count};
    /* The tasks take turns, forth and back, since batches become smaller. */
    const uint32_t place = (uint32_t)(c->batches % c->tasks);
    const uint32_t home = c->batches / c->tasks % 2 == 0 ? place : c->tasks - 1 - place;
    cam_cluster_batch_name(batch.name, home, (uint32_t)(c->batches / c->tasks), count);
    c->batches++;
    const col_status status = cam_batch_write(&batch, c, problem);
    return status == COL_OK ? put_token(c, "open", batch.name, problem) : status;
}

static col_status deal(cam_cluster *c, cam_costly *trials, size_t count, col_problem *problem) {
    enum { SHARE = 4, SMALLEST_SHARE = 16 };
    static const double smallest = 10; /* seconds: more than it takes to claim and publish it */
    double left = 0, most;
    col_status status = COL_OK;
    for (size_t i = 0; i < count; i++)
        left += trials[i].cost;
    const double least = fmin(smallest * c->jobs, left / (SMALLEST_SHARE * c->tasks));
    for (size_t i = 0; i < count && status == COL_OK;) {
        const size_t first = i;
        double cost = 0;
        most = fmax(least, left / (SHARE * (double)c->tasks));
        do
            cost += trials[i++].cost;
        while (i < count && cost + trials[i].cost <= most);
        left -= cost;
        status = put_batch(c, trials + first, i - first, problem);
    }
    return status;
}

col_status cam_cluster_deal(cam_cluster *c, const cam_plan *plan, const double *costs,
                            const bool *is_done, col_problem *problem) {
    size_t count = 0;
    cam_costly *trials = NULL;
    BASE_TRY(base_new(&trials, plan->trial_count + 1, sizeof *trials, problem));
    for (size_t i = 0; i < plan->trial_count; i++)
        if (!is_done[i])
            trials[count++] = (cam_costly){.position = i, .cost = fmax(costs[i], 1e-3)};
    qsort(trials, count, sizeof *trials, cam_compare_costs);
    c->trials = count;
    c->batches = 0;
    c->is_merged = false;
    if (count > 0 && c->tasks > count)
        c->tasks = (uint32_t)count;
    col_status status = make_folders(c, problem);
    BASE_THEN(status, deal(c, trials, count, problem));
    free(trials);
    BASE_THEN(status, put_token(c, "", "unmerged", problem));
    return status == COL_OK ? cam_cluster_write(c, problem) : status;
}

/* The end of a campaign on a cluster: its results become one store. */

typedef col_status (*begin_file)(base_file *file, const char *path, col_problem *problem);

static col_status copy_store(const char *from, const char *to, begin_file begin,
                             col_problem *problem) {
    base_file file = {0};
    BASE_TRY(base_file_check_regular(from, true, problem));
    /* SQLite takes the log into a store when it is closed, and says nothing if it cannot. */
    char log[PATH_MAX];
    struct stat about;
    const int length = snprintf(log, sizeof log, "%s-wal", from);
    if (length >= 0 && length < (int)sizeof log && stat(log, &about) == 0 && about.st_size > 0)
        return base_fail(problem,
                         "%.300s is not complete: some of it is in the log beside it, %.100s", from,
                         base_path_name(log));
    FILE *source = fopen(from, "rbe");
    if (source == NULL)
        return base_cannot_read(from, errno, problem);
    col_status status = begin(&file, to, problem);
    if (status == COL_OK) {
        static char piece[1 << 16];
        for (size_t read; status == COL_OK && (read = fread(piece, 1, sizeof piece, source)) > 0;)
            if (fwrite(piece, 1, read, file.stream) != read)
                status = base_fail(problem, "cannot write %.300s: %s", to, strerror(errno));
        if (status == COL_OK && ferror(source) != 0)
            status = base_fail(problem, "a copy for %.300s failed", to);
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
        BASE_THEN(status, base_file_check_regular(path, false, problem));
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
    BASE_THEN(status, cam_merge(local, list.names, list.count, &summary, problem));
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
    BASE_THEN(status, merge_into(c, local, problem));
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
