/* SPDX-License-Identifier: MIT */
/* Slurm's commands: see cluster.h. */
#include "results/cluster/cluster.h"

#include "base/file.h"
#include "base/lines.h"
#include "base/machine.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Running a command. */

/* `answer` is what it said, also after a problem, which has its last line. */
static col_status ask(const char *const *words, base_text *answer, col_problem *problem) {
    const base_tool tool = {.what = words[0], .arguments = words};
    base_tool_end end = BASE_TOOL_DONE;
    BASE_TRY(base_tool_ask(&tool, answer, &end, problem));
    if (answer->failed)
        return base_out_of_memory(problem);
    if (end == BASE_TOOL_MISSING)
        return base_fail(problem, "there is no command %s: is Slurm installed here?", words[0]);
    if (end == BASE_TOOL_DONE)
        return COL_OK;
    char *said = answer->data == NULL ? "" : answer->data;
    size_t length = strcspn(said, "\n");
    return base_fail(problem, "%s failed: %.*s", words[0], (int)(length < 300 ? length : 300),
                     said);
}

/* The number that a text begins with, if it is one of a job. */
static bool take_job(const char *text, char job[CAM_SLURM_JOB]) {
    size_t length = 0;
    while (text[length] >= '0' && text[length] <= '9' && length < CAM_SLURM_JOB - 1)
        length++;
    memcpy(job, text, length);
    job[length] = '\0';
    return length > 0 && !isdigit((unsigned char)text[length]);
}

/* ---- Submitting. */

typedef struct words {
    base_text line; /* for the script's comment */
    const char *list[64];
    char *texts[64]; /* those of them that we made */
    size_t count, text_count;
    bool failed;
} words;

static void add_word(words *w, const char *word) {
    if (w->count + 1 >= sizeof w->list / sizeof w->list[0])
        w->failed = true;
    else
        w->list[w->count++] = word;
    base_text_add(&w->line, w->line.length == 0 ? "" : " ");
    base_text_add_shell(&w->line, word);
}

/* --name=value, one word. */
static void add_option(words *w, const char *name, const char *value) {
    base_text text = {0};
    if (value == NULL)
        return;
    base_text_print(&text, "--%s=%s", name, value);
    if (text.failed || w->text_count >= sizeof w->texts / sizeof w->texts[0]) {
        w->failed = true;
        base_text_free(&text);
        return;
    }
    w->texts[w->text_count++] = text.data;
    add_word(w, text.data);
}

static void free_words(words *w) {
    for (size_t i = 0; i < w->text_count; i++)
        free(w->texts[i]);
    base_text_free(&w->line);
}

static col_status check_request(const cam_cluster *cluster, const cam_slurm_request *r,
                                col_problem *problem) {
    const struct {
        const char *what, *text;
    } texts[] = {{"--partition", r->partition},
                 {"--time", r->time},
                 {"--account", r->account},
                 {"--sbatch-options", r->options},
                 {"the path of the store", cluster->folder},
                 {"the path of collider", r->collider}};
    col_status status = COL_OK;
    /* They go into a comment of the script: a line has to stay one. */
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && status == COL_OK; i++)
        for (const char *c = texts[i].text; c != NULL && *c != '\0' && status == COL_OK; c++)
            if (iscntrl((unsigned char)*c))
                status =
                    base_refuse(problem, "%s has a control character, which Slurm does not take",
                                texts[i].what);
    return status;
}

static void add_words(words *w, const cam_cluster *c, const cam_slurm_request *r, char **more,
                      const char *script) {
    base_text array = {0}, signal = {0}, cores = {0}, log = {0};
    base_text_print(&array, "0-%u", r->tasks - 1);
    base_text_print(&signal, "B:USR1@%d", CAM_SLURM_GRACE);
    base_text_print(&cores, "%u", c->jobs);
    for (const char *at = c->folder; *at != '\0'; at++) {
        base_text_add_bytes(&log, at, 1);
        if (*at == '%') /* Slurm replaces %a and the like in a file's name, and %% by %. */
            base_text_add(&log, "%");
    }
    base_text_add(&log, "/logs/%a.txt");
    w->failed |= array.failed || signal.failed || cores.failed || log.failed;
    add_word(w, "sbatch");
    add_word(w, "--parsable");
    add_option(w, "array", array.data);
    add_option(w, "job-name", "collider");
    add_option(w, "cpus-per-task", cores.data);
    add_option(w, "signal", signal.data);
    add_word(w, "--requeue");
    add_option(w, "open-mode", "append");
    add_option(w, "output", log.data);
    add_option(w, "partition", r->partition);
    add_option(w, "time", r->time);
    add_option(w, "account", r->account);
    for (; more != NULL && *more != NULL; more++)
        add_word(w, *more);
    add_word(w, script);
    w->list[w->count] = NULL;
    base_text_free(&array);
    base_text_free(&signal);
    base_text_free(&cores);
    base_text_free(&log);
}

static col_status write_script(const words *w, const cam_cluster *c, const cam_slurm_request *r,
                               const char *path, col_problem *problem) {
    base_text text = {0};
    base_text_add(&text, "#!/bin/sh\n# A task of a campaign, as collider submitted it:\n#   ");
    base_text_add(&text, w->line.data);
    base_text_print(
        &text,
        "\n# USR1 comes %d seconds before the time limit: the task saves, and is queued "
        "again.\nexec ",
        CAM_SLURM_GRACE);
    base_text_add_shell(&text, r->collider);
    base_text_add(&text, " campaign work ");
    base_text_add_shell(&text, c->folder);
    base_text_add(&text, r->allows_code ? " --allow-code\n" : "\n");
    col_status status = base_text_status(&text, problem);
    BASE_THEN(status, base_file_write_anew(path, text.data, text.length, problem));
    if (status == COL_OK)
        (void)chmod(path, 0755); // NOLINT: a script, for people to run it too
    base_text_free(&text);
    return status;
}

col_status cam_slurm_submit(const cam_cluster *c, const cam_slurm_request *r,
                            char job[CAM_SLURM_JOB], col_problem *problem) {
    char script[PATH_MAX], path[PATH_MAX];
    char **more = NULL;
    base_text answer = {0};
    bool has_job = false;
    words w = {0};
    col_status status = check_request(c, r, problem);
    if (status == COL_OK && r->options != NULL)
        status = base_command_split(r->options, &more, problem);
    BASE_THEN(status, base_path_in(script, c->folder, "job.sh", problem));
    if (status == COL_OK) {
        add_words(&w, c, r, more, script);
        if (w.failed || w.line.failed)
            status = base_refuse(problem, "--sbatch-options has too many words");
    }
    BASE_THEN(status, write_script(&w, c, r, script, problem));
    BASE_THEN(status, ask(w.list, &answer, problem));
    for (const char *line = answer.data; line != NULL && !has_job; line = strchr(line, '\n')) {
        line += *line == '\n'; /* warnings may come before it */
        has_job = take_job(line, job);
    }
    if (status == COL_OK && !has_job)
        status = base_fail(problem, "sbatch did not say which number the job has");
    BASE_THEN(status, base_path_in(path, c->folder, "job", problem));
    BASE_THEN(status, base_file_write_anew(path, job, strlen(job), problem));
    base_text_free(&answer);
    free_words(&w);
    free(more);
    return status;
}

col_status cam_slurm_job(const cam_cluster *c, char job[CAM_SLURM_JOB], col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read_in(c->folder, "job", &text, problem);
    if (status == COL_OK &&
        (text.data == NULL || !take_job(text.data, job) ||
         strspn(text.data, "0123456789") + strspn(text.data + strlen(job), "\n") != text.length))
        status = base_refuse(problem, "%.300s/job is not the number of a job", c->folder);
    base_text_free(&text);
    return status;
}

col_status cam_slurm_find_job(const cam_cluster *c, char job[CAM_SLURM_JOB], bool *has_job,
                              col_problem *problem) {
    char path[PATH_MAX];
    struct stat about;
    *has_job = false;
    BASE_TRY(base_path_in(path, c->folder, "job", problem));
    if (lstat(path, &about) != 0)
        return errno == ENOENT ? COL_OK : base_cannot_read(path, errno, problem);
    col_status status = cam_slurm_job(c, job, problem);
    *has_job = status == COL_OK;
    return status;
}

/* ---- Asking. */

/* In which of the counts a state is; others end a task without its doing. */
static uint32_t *count_of(cam_slurm_tasks *t, const char *state) {
    static const char *const waiting[] = {"PENDING",      "CONFIGURING", "REQUEUED",
                                          "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT",
                                          "SUSPENDED",    NULL};
    static const char *const under_way[] = {"RUNNING", "COMPLETING", "SIGNALING", "STAGE_OUT",
                                            "STOPPED", "RESIZING",   NULL};
    for (int i = 0; waiting[i] != NULL; i++)
        if (strcmp(state, waiting[i]) == 0)
            return &t->pending;
    for (int i = 0; under_way[i] != NULL; i++)
        if (strcmp(state, under_way[i]) == 0)
            return &t->running;
    if (strcmp(state, "COMPLETED") == 0)
        return &t->completed;
    return strcmp(state, "CANCELLED") == 0 ? &t->cancelled : &t->failed;
}

/* A task on each line: its state, perhaps with words behind it ("CANCELLED by 1000"). */
static void count_lines(cam_slurm_tasks *t, char *answer) {
    char *rest;
    if (answer == NULL)
        return;
    for (char *line = strtok_r(answer, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        line += strspn(line, " ");
        line[strcspn(line, " +")] = '\0';
        if (line[0] == '\0')
            continue;
        *count_of(t, line) += 1;
        t->is_known = true;
    }
}

/* The controller forgets a job minutes after its end; the accounting, where there is one, does not.
 * Without it nothing is known, which is no problem: what the tasks left says enough. */
static col_status look_back(const char *job, cam_slurm_tasks *t, col_problem *problem) {
    const char *const command[] = {"sacct",          "--noheader", "--parsable2", "--allocations",
                                   "--format=State", "--jobs",     job,           NULL};
    base_text answer = {0};
    col_problem inner = {0};
    const col_status status = ask(command, &answer, &inner);
    const bool is_out_of_memory = status != COL_OK && base_is_out_of_memory(&inner);
    if (status == COL_OK)
        count_lines(t, answer.data);
    base_text_free(&answer);
    return is_out_of_memory ? base_out_of_memory(problem) : COL_OK;
}

col_status cam_slurm_count_tasks(const char *job, cam_slurm_tasks *t, col_problem *problem) {
    const char *const command[] = {"squeue",      "--noheader", "--array", "--states=all",
                                   "--format=%T", "--jobs",     job,       NULL};
    base_text answer = {0};
    *t = (cam_slurm_tasks){0};
    const col_status status = ask(command, &answer, problem);
    const bool is_forgotten = answer.data != NULL && strstr(answer.data, "Invalid job id") != NULL;
    if (status == COL_OK)
        count_lines(t, answer.data);
    base_text_free(&answer);
    return (status == COL_OK || is_forgotten) && !t->is_known ? look_back(job, t, problem) : status;
}

col_status cam_slurm_cancel(const char *job, col_problem *problem) {
    const char *const command[] = {"scancel", job, NULL};
    base_text answer = {0};
    const col_status status = ask(command, &answer, problem);
    base_text_free(&answer);
    return status;
}

/* ---- In a task. */

bool cam_slurm_self(uint32_t *number, char owner[CAM_CLUSTER_NAME]) {
    char job[CAM_SLURM_JOB], restart[CAM_SLURM_JOB] = "0";
    const char *own = getenv("SLURM_JOB_ID"), *place = getenv("SLURM_ARRAY_TASK_ID"),
               *count = getenv("SLURM_RESTART_COUNT");
    if (own == NULL || !take_job(own, job))
        return false;
    if (count != NULL && !take_job(count, restart))
        return false;
    *number = place == NULL ? 0 : (uint32_t)strtoul(place, NULL, 10);
    (void)snprintf(owner, CAM_CLUSTER_NAME, "%s.%s", job, restart);
    return true;
}

col_status cam_slurm_requeue(col_problem *problem) {
    const char *const command[] = {"scontrol", "requeue", getenv("SLURM_JOB_ID"), NULL};
    base_text answer = {0};
    if (command[2] == NULL)
        return base_fail(problem, "Slurm did not start this task");
    const col_status status = ask(command, &answer, problem);
    base_text_free(&answer);
    return status;
}
