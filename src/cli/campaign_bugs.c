/* SPDX-License-Identifier: MIT */
/* The bugs of a campaign: the failures in its store that were not to be expected, triaged within
 * some time. Those that were kept are taken out into a temporary folder, with a record of how many
 * there are of each kind, as of an episode. */
#include "cli/bug_lines.h"
#include "cli/campaign_command.h"
#include "cli/diagnose.h"
#include "cli/signals.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/memory.h"
#include "results/store/store.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { OF_A_KIND = 3, MOST_TOLD = 10 };

#define FOLDER "failure-"

typedef struct taking {
    cam_failure_kinds kinds;
    base_arena arena;
    uint32_t *taken; /* of each kind */
    size_t room;
    uint64_t count;
    char folder[PATH_MAX];
    int listed; /* in base/folder.h */
} taking;

/* ---- Taking them out. */

static void end(taking *t) {
    base_folder_remove_temporary(t->folder, t->listed);
    cam_failure_kinds_free(&t->kinds);
    base_arena_free(&t->arena);
    free(t->taken);
}

static col_status write_failure(const taking *t, const cam_failure_row *f, col_problem *problem) {
    char name[CAM_FAILURE_NAME + sizeof FOLDER], folder[PATH_MAX], path[PATH_MAX];
    const char *const files[][2] = {{"failure.json", f->record}, {"program.txt", f->program}};
    memcpy(name, FOLDER, sizeof FOLDER);
    cam_failure_name(f, name + strlen(FOLDER));
    BASE_TRY(base_path_in(folder, t->folder, name, problem));
    BASE_TRY(base_folder_make(folder, problem));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        BASE_TRY(base_path_in(path, folder, files[i][0], problem));
        BASE_TRY(base_file_write(path, files[i][1], strlen(files[i][1]), problem));
    }
    return COL_OK;
}

static col_status take(void *context, const cam_failure_row *f, col_problem *problem) {
    taking *t = context;
    uint32_t kind = 0;
    if (cam_failure_is_expected(f))
        return COL_OK;
    BASE_TRY(cam_failure_kinds_add(&t->kinds, f, 0, &kind, problem));
    const size_t before = t->room;
    BASE_TRY(base_reserve(&t->taken, &t->room, (size_t)kind + 1, sizeof *t->taken, problem));
    if (t->room > before)
        memset(t->taken + before, 0, (t->room - before) * sizeof *t->taken);
    if (f->number == 0 || f->record == NULL || f->program == NULL || t->taken[kind] == OF_A_KIND)
        return COL_OK;
    t->taken[kind]++;
    t->count++;
    return write_failure(t, f, problem);
}

/* As that of an episode, for epi_bugs_count. */
static col_status write_record(const taking *t, col_problem *problem) {
    char path[PATH_MAX];
    json_t *kinds = json_array();
    for (size_t i = 0; i < t->kinds.count; i++)
        base_json_append(&kinds,
                         json_pack("{s:{s:s}, s:I}", "fingerprint", "hash", t->kinds.list[i].hash,
                                   "count", (json_int_t)t->kinds.list[i].count));
    json_t *record =
        json_pack("{s:I, s:o}", "failures", (json_int_t)t->kinds.failures, "kinds", kinds);
    const col_status status = base_path_in(path, t->folder, "episode.json", problem);
    if (status == COL_OK)
        return base_json_write(path, record, problem);
    json_decref(record);
    return status;
}

static col_status take_all(taking *t, const cli_campaign *c, col_problem *problem) {
    cam_store *store = NULL;
    BASE_TRY(base_folder_make_temporary(t->folder, &t->listed, problem));
    col_status status = cam_store_open(&store, c->store, problem);
    BASE_THEN(status, cam_store_failures(store, c->plan.hash, take, t, problem));
    status = cam_store_end(store, status, problem);
    BASE_THEN(status, write_record(t, problem));
    return status;
}

/* ---- What they are. */

/* The name of the failure that a case is: 17, or 17.2. */
static const char *name_of(const epi_case *c) {
    const char *slash = strrchr(c->folder, '/');
    return slash == NULL ? c->folder : slash + 1 + strlen(FOLDER);
}

static void add_lines(const cli_campaign *c, const epi_triage *t, base_text *text) {
    for (size_t b = 0; b < t->bug_count && b < MOST_TOLD; b++) {
        const char *earliest = name_of(&t->cases[t->bugs[b].earliest]);
        epi_bug_line(t, b, text);
        base_text_print(text, " of trial %.*s: collider replay ", (int)strcspn(earliest, "."),
                        earliest);
        base_text_add_shell(text, c->store);
        base_text_print(text, " --failure %s\n", name_of(&t->cases[t->bugs[b].first]));
    }
    if (t->bug_count > MOST_TOLD)
        base_text_print(text, "        and %zu more bugs\n", t->bug_count - MOST_TOLD);
    if (t->unexplained > 0)
        base_text_print(text, "%6llu  not assigned to a bug%s\n",
                        (unsigned long long)t->unexplained,
                        t->is_complete ? "" : " yet: --triage T allows more time");
}

static json_t *failures_of(const epi_triage *t, size_t bug) {
    json_t *list = json_array();
    for (size_t i = 0; i < t->case_count; i++)
        if (t->cases[i].bug == bug)
            base_json_append(&list, base_json_text(name_of(&t->cases[i])));
    return list;
}

static json_t *make_json(const epi_triage *t) {
    json_t *bugs = json_array();
    for (size_t i = 0; i < t->bug_count; i++) {
        const epi_bug *b = &t->bugs[i];
        const bool has_suspect = b->mend[0] != '\0';
        base_json_append(
            &bugs,
            json_pack("{s:I, s:o, s:o, s:s, s:o, s:I, s:o, s:o}", "count", (json_int_t)b->count,
                      "suspect", has_suspect ? base_json_text(b->says) : json_null(), "mend",
                      has_suspect ? base_json_text(b->mend) : json_null(), "verdict",
                      col_outcomes[b->shrunk.outcome], "reason", base_json_text(b->shrunk.reason),
                      "operations", (json_int_t)b->shrunk.to.operations, "failure",
                      base_json_text(name_of(&t->cases[b->first])), "failures", failures_of(t, i)));
    }
    return bugs;
}

static col_status triage(const cli_campaign *c, const taking *taken, epi_triage *t,
                         col_problem *problem) {
    const char *const folder = taken->folder;
    cli_progress_display display = {.quiet = c->arguments->quiet};
    char out[PATH_MAX];
    BASE_TRY(base_path_in(out, folder, "bugs", problem));
    const epi_triage_settings settings = {.folders = &folder,
                                          .folder_count = 1,
                                          .episodes = &folder,
                                          .episode_count = 1,
                                          .allow_code = cli_campaign_allows_code(c),
                                          .out = out,
                                          .seconds = c->triage,
                                          .jobs = c->jobs,
                                          .seed = 1,
                                          .progress = cli_bugs_progress,
                                          .context = &display,
                                          .stop = &cli_stop};
    const col_status status = epi_triage_run(&settings, t, problem);
    cli_progress_end(&display);
    return status;
}

void cli_campaign_bugs(const cli_campaign *c, base_text *lines, json_t **bugs) {
    taking taken = {.kinds.names.arena = NULL, .listed = -1};
    epi_triage t = {0};
    col_problem problem;
    taken.kinds.names.arena = &taken.arena;
    *bugs = NULL;
    if (c->triage <= 0 || cli_stop != 0)
        return;
    (void)fflush(stdout); /* what is known is seen meanwhile */
    col_status status = take_all(&taken, c, &problem);
    if (status == COL_OK && taken.count > 0) {
        status = triage(c, &taken, &t, &problem);
        if (status == COL_OK && t.bug_count > 0) {
            add_lines(c, &t, lines);
            *bugs = make_json(&t);
        }
    }
    if (status != COL_OK && cli_stop == 0)
        cli_warn(&problem);
    epi_triage_free(&t);
    end(&taken);
}
