/* SPDX-License-Identifier: MIT */
/* The folder that the tasks of a campaign share: see cluster.h. */
#include "results/cluster/cluster.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".cluster"
enum { FORMAT = 1 };

static const char *const state_folders[] = {"open", "running", "done"};
const char *const cam_cluster_folders[] = {"batches", "open",    "running", "done",
                                           "results", "merging", "logs",    NULL};

/* ---- What it is about. */

static size_t length_of(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

col_status cam_cluster_folder(char folder[PATH_MAX], const char *store, col_problem *problem) {
    char whole[PATH_MAX];
    size_t length = length_of(store), dots = 0;
    while (dots < length && store[length - 1 - dots] == '.')
        dots++;
    /* Nothing can be appended to the name of a path that ends in . or .. */
    if ((dots == 1 || dots == 2) && (dots == length || store[length - 1 - dots] == '/') &&
        realpath(store, whole) != NULL)
        store = whole;
    length = length_of(store);
    const size_t ending = strlen(ENDING);
    const bool is_folder = length > ending && strncmp(store + length - ending, ENDING, ending) == 0;
    const int written = snprintf(folder, PATH_MAX, "%.*s%s", (int)(length < PATH_MAX ? length : 0),
                                 store, is_folder ? "" : ENDING);
    return length > 0 && written > 0 && written < PATH_MAX
               ? COL_OK
               : base_refuse(problem, "'%.100s' is not the path of a store", store);
}

bool cam_cluster_exists(const char *folder) {
    return base_folder_has(folder, "campaign.json");
}

static bool take_text(const json_t *object, const char *name, char *text, size_t size) {
    const char *value = json_string_value(json_object_get(object, name));
    return value != NULL && snprintf(text, size, "%s", value) < (int)size;
}

col_status cam_cluster_read(cam_cluster *c, const char *folder, col_problem *problem) {
    json_t *object = NULL;
    *c = (cam_cluster){0};
    if (!cam_cluster_exists(folder))
        return base_refuse(problem, "%.300s is not the folder of a campaign on a cluster", folder);
    if (snprintf(c->folder, sizeof c->folder, "%s", folder) >= (int)sizeof c->folder)
        return base_refuse(problem, "the path '%.100s...' is too long", folder);
    col_status status = COL_OK;
    /* Tokens move between them by rename: through a link, a file of the user's would move. */
    for (size_t i = 0; cam_cluster_folders[i] != NULL && status == COL_OK; i++) {
        char path[PATH_MAX];
        struct stat about;
        status = base_path_in(path, folder, cam_cluster_folders[i], problem);
        if (status == COL_OK && lstat(path, &about) == 0 && !S_ISDIR(about.st_mode))
            status = base_refuse(problem, "%.400s is not a folder", path);
    }
    BASE_THEN(status, base_json_read_in(folder, "campaign.json", &object, problem));
    if (status != COL_OK)
        return status;
    uint64_t format = 0, tasks = 0, jobs = 0;
    const json_t *limit = json_object_get(object, "trial_limit");
    const bool is_good =
        base_json_take(object, "format", &format) && format == FORMAT &&
        take_text(object, "plan", c->plan, sizeof c->plan) &&
        take_text(object, "store", c->out, sizeof c->out) &&
        take_text(object, "scale", c->scale, sizeof c->scale) &&
        take_text(object, "hash", c->hash, sizeof c->hash) &&
        take_text(object, "grid", c->grid, sizeof c->grid) &&
        take_text(object, "version", c->version, sizeof c->version) &&
        base_json_take(object, "tasks", &tasks) && base_json_take(object, "jobs", &jobs) &&
        base_json_take(object, "trials", &c->trials) &&
        base_json_take(object, "batches", &c->batches) && json_is_number(limit) && tasks >= 1 &&
        tasks <= CAM_CLUSTER_MOST_TASKS && jobs >= 1 && jobs <= CAM_MOST_JOBS;
    c->tasks = (uint32_t)tasks;
    c->jobs = (uint32_t)jobs;
    c->trial_limit = json_number_value(limit);
    c->is_merged = json_is_true(json_object_get(object, "merged"));
    json_decref(object);
    /* The store that the folder is named after: another one would be a file that nobody named. */
    const size_t length = strlen(c->folder), ending = strlen(ENDING);
    (void)snprintf(c->out, sizeof c->out, "%.*s", (int)(length > ending ? length - ending : length),
                   c->folder);
    return is_good
               ? COL_OK
               : base_refuse(problem,
                             "%.300s/campaign.json is not as this version of collider writes it",
                             folder);
}

col_status cam_cluster_write(const cam_cluster *c, col_problem *problem) {
    char path[PATH_MAX];
    BASE_TRY(base_path_in(path, c->folder, "campaign.json", problem));
    return base_json_write(
        path,
        json_pack("{s:i, s:o, s:o, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:b}", "format",
                  FORMAT, "plan", base_json_text(c->plan), "store", base_json_text(c->out), "scale",
                  c->scale, "hash", c->hash, "grid", c->grid, "version", c->version, "tasks",
                  (json_int_t)c->tasks, "jobs", (json_int_t)c->jobs, "trials",
                  (json_int_t)c->trials, "batches", (json_int_t)c->batches, "trial_limit",
                  c->trial_limit, "merged", (int)c->is_merged),
        problem);
}

/* ---- Tokens. */

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* As cam_cluster_batch_name writes it, perhaps with an owner. What else lies there is nobody's: a
 * name that is too long would be cut, and the token never be found. */
static bool is_token(const char *name) {
    static const char after[] = "-x"; /* the first numbers */
    const char *at = name;
    for (size_t number = 0; number <= strlen(after); number++) {
        const size_t length = strspn(at, "0123456789");
        if (length == 0 || (number < strlen(after) && at[length] != after[number]))
            return false;
        at += length + (number < strlen(after));
    }
    return at - name < CAM_CLUSTER_NAME &&
           (*at == '\0' || (*at == '@' && strlen(at + 1) < CAM_CLUSTER_NAME));
}

static bool is_any(const char *name) {
    return name[0] != '.';
}

/* All of them: what is not listed would not be merged, and be removed with what was. */
static col_status list_names(const cam_cluster *c, const char *name, bool (*wants)(const char *),
                             cam_cluster_list *list, col_problem *problem) {
    char path[PATH_MAX];
    col_status status = base_path_in(path, c->folder, name, problem);
    *list = (cam_cluster_list){0};
    if (status != COL_OK)
        return status;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return errno == ENOENT
                   ? COL_OK
                   : base_fail(problem, "cannot read %.300s: %s", path, strerror(errno));
    for (const struct dirent *entry;
         status == COL_OK && (entry = base_folder_next(folder)) != NULL;)
        if (wants(entry->d_name)) {
            status = base_reserve(&list->names, &list->capacity, list->count + 1,
                                  sizeof *list->names, problem);
            char *copy = status == COL_OK ? strdup(entry->d_name) : NULL;
            if (copy != NULL)
                list->names[list->count++] = copy;
            else
                status = base_out_of_memory(problem);
        }
    if (status == COL_OK && errno != 0)
        status = base_cannot_read(path, errno, problem);
    (void)closedir(folder);
    if (list->count > 0)
        qsort(list->names, list->count, sizeof *list->names, compare_names);
    return status;
}

col_status cam_cluster_list_folder(const cam_cluster *c, const char *name, cam_cluster_list *list,
                                   col_problem *problem) {
    return list_names(c, name, is_any, list, problem);
}

col_status cam_cluster_tokens(const cam_cluster *c, cam_cluster_state state, cam_cluster_list *list,
                              col_problem *problem) {
    return list_names(c, state_folders[state], is_token, list, problem);
}

void cam_cluster_free_list(cam_cluster_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (cam_cluster_list){0};
}

/* A server may answer a rename that was sent twice with "no such file" although the first one moved
 * it: what counts is where it is. New names have one owner. */
col_status cam_cluster_move(const cam_cluster *c, const char *from, const char *to, bool *is_moved,
                            col_problem *problem) {
    char old[PATH_MAX], new[PATH_MAX];
    *is_moved = false;
    col_status status = base_path_in(old, c->folder, from, problem);
    BASE_THEN(status, base_path_in(new, c->folder, to, problem));
    if (status != COL_OK)
        return status;
    *is_moved = rename(old, new) == 0;
    if (*is_moved)
        return COL_OK;
    if (errno != ENOENT)
        return base_fail(problem, "cannot move %.100s to %.100s in %.300s: %s", from, to, c->folder,
                         strerror(errno));
    *is_moved = strchr(to, '@') != NULL && access(new, F_OK) == 0;
    return COL_OK;
}

void cam_cluster_batch_name(char name[CAM_CLUSTER_NAME], uint32_t task, uint32_t number,
                            size_t trials) {
    (void)snprintf(name, CAM_CLUSTER_NAME, "%05u-%04ux%zu", task, number, trials);
}

uint64_t cam_cluster_batch_trials(const char *token) {
    const char *mark = strchr(token, 'x');
    return mark == NULL ? 0 : strtoull(mark + 1, NULL, 10);
}

/* ---- How far it has got. */

/* It has just been asked to note the time. */
double cam_cluster_now(const cam_cluster *c) {
    char path[PATH_MAX];
    struct stat about;
    if (base_path_in(path, c->folder, "running", NULL) != COL_OK ||
        utimensat(AT_FDCWD, path, NULL, 0) != 0 || stat(path, &about) != 0)
        return 0;
    return (double)about.st_mtim.tv_sec + (double)about.st_mtim.tv_nsec * 1e-9;
}

double cam_cluster_silence(const cam_cluster *c, const char *token, double now) {
    char path[PATH_MAX], place[CAM_CLUSTER_NAME * 4];
    struct stat about;
    (void)snprintf(place, sizeof place, "running/%s", token);
    if (base_path_in(path, c->folder, place, NULL) != COL_OK || stat(path, &about) != 0)
        return 0;
    const double then = (double)about.st_mtim.tv_sec + (double)about.st_mtim.tv_nsec * 1e-9;
    return now > then ? now - then : 0;
}

/* Of a batch that somebody has: what is published of it. One that has moved on meanwhile, or is no
 * batch, has nothing. */
static col_status count_published(const cam_cluster *c, const char *token, uint64_t *count,
                                  col_problem *problem) {
    char name[CAM_CLUSTER_NAME];
    cam_batch batch = {0};
    const uint64_t all = cam_cluster_batch_trials(token);
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(token, "@"), token);
    col_status status = cam_batch_read(&batch, c, name, problem);
    if (status == COL_FAILURE) /* it may have been replaced on another machine while we read */
        status = cam_batch_read(&batch, c, name, problem);
    *count = status == COL_OK && batch.count < all ? all - batch.count : 0;
    cam_batch_free(&batch);
    return status == COL_BAD_INPUT ? COL_OK : status;
}

/* Those that nobody has are too many to look into. */
static col_status count_tokens(const cam_cluster *c, cam_cluster_state state,
                               cam_cluster_progress *p, col_problem *problem) {
    enum { FEW = 1000 };
    cam_cluster_list list;
    uint64_t *const counts[] = {&p->open, &p->running, &p->done};
    const bool is_running = state == CAM_BATCH_RUNNING;
    const double now = is_running ? cam_cluster_now(c) : 0;
    col_status status = cam_cluster_tokens(c, state, &list, problem);
    *counts[state] = list.count;
    for (size_t i = 0; i < list.count && status == COL_OK; i++) {
        const char *token = list.names[i];
        uint64_t done = state == CAM_BATCH_DONE ? cam_cluster_batch_trials(token) : 0;
        const double silent = is_running ? cam_cluster_silence(c, token, now) : 0;
        p->silent = silent > p->silent ? silent : p->silent;
        if (is_running || (state == CAM_BATCH_OPEN && list.count < FEW))
            status = count_published(c, token, &done, problem);
        p->trials_done += done;
    }
    cam_cluster_free_list(&list);
    return status;
}

/* Open tokens first: one that moves on meanwhile is seen later, not never. */
col_status cam_cluster_look(cam_cluster *c, cam_cluster_progress *p, col_problem *problem) {
    cam_cluster again;
    col_status status = cam_cluster_read(&again, c->folder, problem);
    *p = (cam_cluster_progress){.trials = c->trials};
    if (status != COL_OK)
        return status;
    c->is_merged = p->is_merged = again.is_merged;
    for (int state = CAM_BATCH_OPEN; state <= CAM_BATCH_DONE && status == COL_OK && !p->is_merged;
         state++)
        status = count_tokens(c, (cam_cluster_state)state, p, problem);
    if (p->is_merged)
        p->trials_done = p->trials;
    p->is_complete = p->is_merged || p->done >= c->batches;
    return status;
}

col_status cam_cluster_reopen(const cam_cluster *c, col_problem *problem) {
    cam_cluster_list list;
    char from[CAM_CLUSTER_NAME * 4], to[CAM_CLUSTER_NAME * 4];
    col_status status = cam_cluster_tokens(c, CAM_BATCH_RUNNING, &list, problem);
    for (size_t i = 0; i < list.count && status == COL_OK; i++) {
        (void)snprintf(from, sizeof from, "running/%s", list.names[i]);
        (void)snprintf(to, sizeof to, "open/%.*s", (int)strcspn(list.names[i], "@"), list.names[i]);
        (void)cam_cluster_move(c, from, to, &(bool){false}, NULL);
    }
    cam_cluster_free_list(&list);
    BASE_THEN(status, cam_cluster_list_folder(c, "merging", &list, problem));
    for (size_t i = 0; i < list.count && status == COL_OK; i++) {
        (void)snprintf(from, sizeof from, "merging/%s", list.names[i]);
        (void)cam_cluster_move(c, from, "unmerged", &(bool){false}, NULL);
    }
    cam_cluster_free_list(&list);
    return status;
}

/* What is left of a batch, as JSON. */

enum { PLACE = CAM_CLUSTER_NAME + 20 };

col_status cam_batch_read(cam_batch *batch, const cam_cluster *c, const char *name,
                          col_problem *problem) {
    char place[PLACE];
    json_t *object = NULL;
    uint64_t tries = 0, parts = 0;
    batch->count = 0;
    (void)snprintf(batch->name, sizeof batch->name, "%s", name);
    (void)snprintf(place, PLACE, "batches/%s.json", name);
    col_status status = base_json_read_in(c->folder, place, &object, problem);
    if (status != COL_OK)
        return status;
    bool is_good = base_json_take(object, "tries", &tries) &&
                   base_json_take(object, "parts", &parts) && tries < UINT32_MAX &&
                   parts < UINT32_MAX && json_is_array(json_object_get(object, "trials"));
    batch->tries = (uint32_t)tries;
    batch->parts = (uint32_t)parts;
    const json_t *list = json_object_get(object, "trials");
    const size_t count = json_array_size(list);
    if (is_good)
        status = base_reserve(&batch->trials, &batch->capacity, count + 1, sizeof *batch->trials,
                              problem);
    for (size_t i = 0; i < count && status == COL_OK && is_good; i++) {
        const json_t *pair = json_array_get(list, i), *cost = json_array_get(pair, 1);
        cam_costly *trial = &batch->trials[batch->count++];
        trial->position = (size_t)base_json_number(json_array_get(pair, 0), &is_good);
        trial->cost = json_number_value(cost);
        is_good = is_good && json_is_number(cost) && trial->cost >= 0;
    }
    json_decref(object);
    if (status != COL_OK || is_good)
        return status;
    return base_refuse(problem, "%.300s/%s is not a batch of trials", c->folder, place);
}

col_status cam_batch_write(const cam_batch *batch, const cam_cluster *c, col_problem *problem) {
    char path[PATH_MAX], place[PLACE];
    json_t *list = json_array();
    (void)snprintf(place, PLACE, "batches/%s.json", batch->name);
    const col_status status = base_path_in(path, c->folder, place, problem);
    for (size_t i = 0; i < batch->count; i++)
        base_json_append(&list, json_pack("[I, f]", (json_int_t)batch->trials[i].position,
                                          batch->trials[i].cost));
    if (status != COL_OK) {
        json_decref(list);
        return status;
    }
    return base_json_write_exact(path,
                                 json_pack("{s:I, s:I, s:o}", "tries", (json_int_t)batch->tries,
                                           "parts", (json_int_t)batch->parts, "trials", list),
                                 problem);
}

void cam_batch_free(cam_batch *batch) {
    free(batch->trials);
    *batch = (cam_batch){0};
}
