/* SPDX-License-Identifier: MIT */
/*
 * Failures, kept and shown again. An instance follows from design, program and
 * seed, so a failure is written by running it once more, with the recorder on:
 * in the episode nothing has to be kept for the case that something goes wrong.
 */
#include "episode/failure/failure.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/path.h"
#include "base/problem.h"
#include "design/design_kind.h"
#include "design/duv.h"
#include "episode/episode_judge.h"
#include "episode/failure/fingerprint.h"
#include "episode/failure/pack.h"
#include "episode/story/story.h"
#include "judge/violation.h"
#include "program/program.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const epi_failure_names[] = {
    "violation.txt",       "violation.dot", /* folders had these once */
    "violation.svg",       "failure.txt",        "failure.svg", "test.riscv.litmus",
    "test.aarch64.litmus", "test.x86-64.litmus", "program.txt", "events.trace",
    "reads.txt",           "model.cat",          "output.txt",  "waves.fst",
    "waves.gtkw",          "failure.json",       NULL};

/* Of a design that varies, to see how often it fails: until it failed often enough. */
enum { MOST_RUNS = 1000, ENOUGH_SHOWN = 20 };
#define MOST_SECONDS 10.0

typedef struct rerun {
    epi_worker worker;
    col_recorder *recorder;
    epi_story *story;
    epi_timeline *timeline;
    const epi_filter *filter; /* of the timeline; NULL: there is none */
    epi_instance instance;
    epi_instance past; /* of a design that varies: the first run that failed */
    uint64_t runs, shown;
    uint64_t waves_from; /* the first cycle of waveforms, if there are any */
} rerun;

static void end_rerun(rerun *r) {
    epi_timeline_free(r->timeline);
    epi_story_free(r->story);
    epi_worker_close(&r->worker);
    col_recorder_free(r->recorder);
    epi_instance_free(&r->past);
    epi_instance_free(&r->instance);
}

/* Runs a design that varies again and again, to see how often it fails as it did. */
static col_status find_again(rerun *r, const col_failure *was, col_problem *problem) {
    const double start = base_seconds();
    epi_instance instance = {.keeps_events = true};
    for (; r->runs < MOST_RUNS && r->shown < ENOUGH_SHOWN && base_seconds() - start < MOST_SECONDS;
         r->runs++) {
        instance.seed = was->seed + r->runs;
        epi_worker_run(&r->worker, &instance);
        if (instance.status != COL_OK || !instance.done)
            break;
        if (instance.outcome != was->outcome)
            continue;
        if (r->shown++ == 0) {
            r->past = instance;
            instance = (epi_instance){.keeps_events = true};
        }
    }
    *problem = instance.problem;
    epi_instance_free(&instance);
    r->worker.retold = r->shown > 0 ? &r->past : NULL;
    return instance.status;
}

/* One instance by itself, with its story, and recorded if there is a recorder. A design that varies
 * need not do the same again: of the past instance, if it is there, the events are shown instead.
 */
static col_status run_again(rerun *r, const col_setting *setting, const col_program *program,
                            const col_failure *was, const epi_instance *past,
                            col_problem *problem) {
    r->instance.seed = was->seed;
    BASE_TRY(epi_worker_open(&r->worker, setting, problem));
    duv_waves_from(r->worker.duv, r->waves_from);
    if (col_duv_describe(r->worker.duv)->varies)
        r->worker.retold = past;
    BASE_TRY(epi_worker_load(&r->worker, program, problem));
    if (past == NULL && col_duv_describe(r->worker.duv)->varies)
        BASE_TRY(find_again(r, was, problem));
    if (r->recorder != NULL)
        BASE_TRY(col_recorder_load(r->recorder, program, problem));
    BASE_TRY(epi_story_new(&r->story, col_duv_describe(r->worker.duv), program, &r->worker.ended,
                           problem));
    if (r->filter != NULL)
        BASE_TRY(epi_timeline_new(&r->timeline, r->story, r->filter, EPI_MOST_MOMENTS,
                                  &r->worker.ended, problem));
    col_observer observer, timeline;
    if (r->recorder != NULL) {
        observer = col_recorder_observer(r->recorder);
        r->worker.also[0] = &observer;
    }
    const col_observer watcher = epi_story_observer(r->story);
    r->worker.also[1] = &watcher;
    if (r->timeline != NULL) {
        timeline = epi_timeline_observer(r->timeline);
        r->worker.also[2] = &timeline;
    }
    epi_worker_run(&r->worker, &r->instance);
    r->worker.also[0] = r->worker.also[1] = r->worker.also[2] = NULL;
    if (r->instance.status != COL_OK) {
        *problem = r->instance.problem;
        return r->instance.status;
    }
    if (r->recorder != NULL)
        col_recorder_finish(r->recorder, r->instance.outcome == COL_PASS);
    return COL_OK;
}

static epi_ending ending_of(const rerun *r) {
    const epi_judge *judge = &r->worker.judge;
    return (epi_ending){.outcome = r->instance.outcome,
                        .reason = r->instance.reason,
                        .violation = epi_judge_violation(judge),
                        .model = judge->cat != NULL ? judge->name : prg_model_titles[judge->model],
                        .is_cat = judge->cat != NULL};
}

/* The files of a folder: after the first that cannot be written, the others are not. */
typedef struct files {
    const rerun *run;
    const char *folder;
    col_status status;
    col_problem *problem;
} files;

/* Its path; NULL: something went wrong. */
static const char *path_of(files *f, const char *name, char path[PATH_MAX]) {
    if (f->status == COL_OK)
        f->status = base_path_in(path, f->folder, name, f->problem);
    return f->status == COL_OK ? path : NULL;
}

/* Writes the text and frees it. */
static void write_text(files *f, const char *name, base_text *text) {
    char path[PATH_MAX];
    if (path_of(f, name, path) != NULL)
        f->status = base_file_write_text(path, text, f->problem);
    base_text_free(text);
}

/* What was seen, for collider check: events in their order, or what reads returned. */
static void write_recording(files *f) {
    char path[PATH_MAX];
    base_text text = {0};
    if (f->status != COL_OK)
        return;
    if (!f->run->worker.judge.sees_reads) {
        if (path_of(f, "events.trace", path) != NULL)
            f->status = col_recorder_write_file(f->run->recorder, path, f->problem);
        return;
    }
    f->status = epi_judge_print(&f->run->worker.judge, &text, f->problem);
    if (f->status == COL_OK) {
        write_text(f, "reads.txt", &text);
        return;
    }
    base_text_free(&text);
    if (f->status == COL_BAD_INPUT) /* such values are no trace: the reason says why */
        f->status = COL_OK;
}

/* In words, with the waveforms that there are, or how to get them; and as a picture. */
static void write_story(files *f, const col_setting *setting, const col_failure *failure,
                        bool has_waves) {
    const epi_ending ending = ending_of(f->run);
    base_text words = {0}, picture = {0};
    epi_story_words(f->run->story, &ending, &words);
    if (has_waves) {
        base_text_add(&words, "\nWaveform: waves.fst (gtkwave waves.fst waves.gtkw)\n");
    } else if (duv_has_waves(setting->design.name)) {
        base_text_add(&words, "\nWaveform: collider replay ");
        base_text_add_shell(&words, failure->folder[0] != '\0' ? failure->folder : "FOLDER");
        base_text_add(&words, " --allow-code --waves waves.fst\n");
    }
    write_text(f, "failure.txt", &words);
    epi_story_picture(f->run->story, &ending, &picture);
    write_text(f, "failure.svg", &picture);
}

/* Of a long run, waveforms begin shortly before what the story is about: a second run writes them.
 */
static col_status write_waves(const rerun *r, const col_setting *setting,
                              const col_program *program, const char *waves, col_problem *problem) {
    const epi_ending ending = ending_of(r);
    const col_failure again = {.seed = r->instance.seed, .outcome = r->instance.outcome};
    col_setting own = *setting;
    rerun traced = {.waves_from = epi_waves_begin(r->story, &ending, r->instance.cycles)};
    if (waves == NULL)
        return COL_OK;
    own.design.waves = waves;
    col_status status = run_again(&traced, &own, program, &again, NULL, problem);
    if (status == COL_OK)
        status = epi_waves_write(r->story, &ending, traced.worker.duv, waves, r->instance.cycles,
                                 problem);
    end_rerun(&traced);
    return status;
}

static col_status take_fingerprint(const rerun *r, const col_setting *setting, col_failure *failure,
                                   col_problem *problem) {
    return r->instance.outcome == COL_PASS ||
                   epi_fingerprint(col_duv_describe(r->worker.duv)->name, setting,
                                   r->instance.shape, &failure->fingerprint)
               ? COL_OK
               : base_out_of_memory(problem);
}

static void write_files(files *f, const col_episode_settings *settings, const col_setting *setting,
                        const col_program *program, col_failure *failure) {
    char path[PATH_MAX];
    const rerun *r = f->run;
    const col_violation *violation = epi_judge_violation(&r->worker.judge);
    base_text text = {0};
    failure->shown_again =
        r->instance.outcome == failure->outcome && strcmp(r->instance.reason, failure->reason) == 0;
    if (failure->fingerprint.hash[0] == '\0')
        f->status = take_fingerprint(r, setting, failure, f->problem);
    if (path_of(f, "program.txt", path) != NULL)
        f->status = col_program_write_file(program, path, f->problem);
    write_recording(f);
    if (violation != NULL) {
        chk_violation_print(violation, COL_WORDS, &text);
        write_text(f, "violation.txt", &text);
    }
    write_story(f, setting, failure, settings->waves);
    if (settings->waves && path_of(f, "waves.fst", path) != NULL)
        f->status = write_waves(r, setting, program, path, f->problem);
    if (epi_model_is_cat(setting)) {
        base_text_add(&text, setting->model_text);
        write_text(f, "model.cat", &text);
    }
    if (r->instance.output != NULL) { /* of this instance, or of all that it ran together with */
        base_text_add(&text, r->instance.output);
        write_text(f, "output.txt", &text);
    }
    json_t *root = epi_failure_describe(
        settings, setting, failure, col_duv_describe(r->worker.duv)->cores, r->worker.judge.name);
    epi_set_waits(r->story, &root);
    if (path_of(f, "failure.json", path) != NULL)
        f->status = base_json_write(path, root, f->problem);
    else
        json_decref(root);
}

col_status epi_failure_write_files(const col_episode_settings *settings, const col_setting *setting,
                                   const col_program *program, const epi_instance *past,
                                   col_failure *failure, const char *folder, col_problem *problem) {
    rerun r = {0};
    col_status status = col_recorder_new(&r.recorder, problem);
    if (status == COL_OK)
        status = run_again(&r, setting, program, failure, past, problem);
    files f = {.run = &r, .folder = folder, .status = status, .problem = problem};
    if (status == COL_OK)
        write_files(&f, settings, setting, program, failure);
    end_rerun(&r);
    return f.status;
}

static bool is_empty(const char *folder) {
    DIR *entries = opendir(folder);
    bool is_bare = entries != NULL;
    for (const struct dirent *entry; is_bare && (entry = readdir(entries)) != NULL;)
        is_bare = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (entries != NULL)
        (void)closedir(entries);
    return is_bare;
}

col_status epi_failure_check(const char *folder, col_problem *problem) {
    struct stat about;
    if (lstat(folder, &about) != 0)
        return COL_OK;
    if (!S_ISDIR(about.st_mode))
        return base_refuse(problem, "%.400s is not a folder", folder);
    if (is_empty(folder) || base_folder_has(folder, "failure.json"))
        return COL_OK;
    return base_refuse(problem, "%.400s is not empty and not a failure folder; name another one",
                       folder);
}

col_status epi_failure_stage(base_stage *stage, const char *folder, col_problem *problem) {
    stage->path[0] = '\0';
    const col_status status = epi_failure_check(folder, problem);
    return status == COL_OK ? base_stage_begin(stage, folder, problem) : status;
}

col_status epi_failure_keep(base_stage *stage, col_status status, col_problem *problem) {
    const col_status ended = base_stage_end(stage, status == COL_OK, epi_failure_names, problem);
    return status == COL_OK ? ended : status;
}

col_status epi_failure_write(const col_episode_settings *settings, const col_setting *setting,
                             const col_program *program, const epi_instance *past,
                             col_failure *failure, col_problem *problem) {
    base_stage stage;
    const int length = snprintf(failure->folder, sizeof failure->folder, "%s/" EPI_FAILURE_NAME,
                                settings->folder, failure->test, failure->instance);
    if (length < 0 || (size_t)length >= sizeof failure->folder)
        return base_refuse(problem, "the path of the folder %.100s... is too long",
                           settings->folder);
    col_status status = epi_failure_stage(&stage, failure->folder, problem);
    if (status == COL_OK)
        status =
            epi_failure_write_files(settings, setting, program, past, failure, stage.path, problem);
    return epi_failure_keep(&stage, status, problem);
}

/* ---- Showing again. */

static col_status copy_violation(const col_violation *from, col_violation *to,
                                 col_problem *problem) {
    col_violation copy = *from;
    copy.mentions = malloc((from->mention_count + 1) * sizeof *copy.mentions);
    copy.steps = malloc((from->step_count + 1) * sizeof *copy.steps);
    if (copy.mentions == NULL || copy.steps == NULL) {
        free(copy.mentions);
        free(copy.steps);
        return base_out_of_memory(problem);
    }
    if (from->mention_count > 0)
        memcpy(copy.mentions, from->mentions, from->mention_count * sizeof *copy.mentions);
    if (from->step_count > 0)
        memcpy(copy.steps, from->steps, from->step_count * sizeof *copy.steps);
    copy.mention_capacity = from->mention_count + 1;
    copy.step_capacity = from->step_count + 1;
    *to = copy;
    return COL_OK;
}

/* The filter's location becomes its block. */
static col_status find_block(const epi_recorded *recording, const epi_watch *watch,
                             epi_filter *filter, col_problem *problem) {
    *filter = watch->filter;
    if (!watch->has_location)
        return COL_OK;
    if (recording->program.location_count == 0)
        return base_refuse(problem, "the program has no locations");
    if (watch->location >= recording->program.location_count)
        return base_refuse(problem, "the program has no location a%u; it has a0 to a%u",
                           watch->location, recording->program.location_count - 1);
    filter->has_block = true;
    filter->block = recording->program.addresses[watch->location];
    return COL_OK;
}

/* The story, and the output of the run that failed, or of the last one. */
static col_status tell(const rerun *r, epi_told *told, col_problem *problem) {
    const epi_ending ending = ending_of(r);
    const base_text *last = &r->worker.output;
    epi_story_words(r->story, &ending, &told->words);
    told->waits = json_object();
    epi_set_waits(r->story, &told->waits);
    if (told->waits == NULL)
        return base_out_of_memory(problem);
    if (r->instance.output != NULL)
        base_text_add(&told->output, r->instance.output);
    else if (last->length > 0)
        base_text_add_bytes(&told->output, last->data, last->length);
    const col_status status = base_text_status(&told->words, problem);
    return status == COL_OK ? base_text_status(&told->output, problem) : status;
}

col_status epi_replay(const char *folder, bool allow_code, col_failure *was, col_failure *is,
                      col_violation *violation, epi_told *told, const epi_watch *watch,
                      const char *waves, col_problem *problem) {
    epi_recorded recording = {.program = COL_PROGRAM_EMPTY};
    epi_filter filter = {0};
    rerun r = {.filter = watch == NULL ? NULL : &filter};
    *was = (col_failure){0};
    *is = (col_failure){0};
    col_status status = epi_failure_read(folder, allow_code, &recording, was, problem);
    if (status == COL_OK && watch != NULL)
        status = find_block(&recording, watch, &filter, problem);
    if (status == COL_OK && waves != NULL)
        status = duv_check_waves(recording.setting.design.name, problem);
    if (status == COL_OK)
        status = run_again(&r, &recording.setting, &recording.program, was, NULL, problem);
    if (status == COL_OK) {
        *is = (col_failure){.outcome = r.instance.outcome,
                            .test = was->test,
                            .instance = was->instance,
                            .seed = was->seed,
                            .cycles = r.instance.cycles,
                            .shown = r.shown,
                            .runs = r.runs};
        (void)snprintf(is->reason, sizeof is->reason, "%s", r.instance.reason);
        was->operations = is->operations = col_program_operations(&recording.program);
        status = take_fingerprint(&r, &recording.setting, is, problem);
        const col_violation *found = epi_judge_violation(&r.worker.judge);
        if (status == COL_OK && found != NULL && violation != NULL)
            status = copy_violation(found, violation, problem);
    }
    if (status == COL_OK && told != NULL)
        status = tell(&r, told, problem);
    if (status == COL_OK && watch != NULL)
        status = epi_timeline_status(r.timeline, problem);
    if (status == COL_OK && watch != NULL) {
        const epi_ending ending = ending_of(&r);
        status = watch->show(watch->context, r.timeline, &ending, problem);
    }
    if (status == COL_OK)
        status = write_waves(&r, &recording.setting, &recording.program, waves, problem);
    end_rerun(&r);
    epi_recorded_free(&recording);
    return status;
}

col_status col_replay(const char *folder, bool allow_code, col_failure *was, col_failure *is,
                      col_violation *violation, col_problem *problem) {
    return epi_replay(folder, allow_code, was, is, violation, NULL, NULL, NULL, problem);
}
