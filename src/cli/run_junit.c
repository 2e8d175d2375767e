/* SPDX-License-Identifier: MIT */
/* An episode as test results: see run_junit.h. */
#include "cli/run_junit.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "base/text.h"
#include "results/report/junit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- While it runs. */

void cli_junit_begin(cli_junit *junit) {
    junit->began = time(NULL);
    junit->last = base_seconds();
}

col_status cli_junit_note_test(cli_junit *junit, const col_episode *episode, const epi_test *test,
                               col_problem *problem) {
    const double now = base_seconds();
    if (junit->path == NULL || episode->given_count == 0)
        return COL_OK;
    if (junit->notes == NULL)
        BASE_TRY(base_new(&junit->notes, episode->given_count, sizeof *junit->notes, problem));
    cli_junit_note *note = &junit->notes[(episode->tests - 1) % episode->given_count];
    note->seconds += now - junit->last;
    junit->last = now;
    for (uint32_t i = 0; i < test->count && note->test == 0; i++) {
        const epi_instance *instance = &test->instances[i];
        if (!instance->done || instance->outcome == COL_PASS || instance->waived != NULL)
            continue;
        note->test = episode->tests;
        note->instance = i + 1;
        note->outcome = instance->outcome;
        (void)snprintf(note->reason, sizeof note->reason, "%s", instance->reason);
    }
    return COL_OK;
}

void cli_junit_free(cli_junit *junit) {
    free(junit->notes);
    junit->notes = NULL;
}

/* ---- Cases. */

/* Those of a suite, twice: first they are counted. */
typedef struct writing {
    const cli_junit *junit;
    const col_episode_settings *settings;
    const col_episode *episode;
    rep_junit_tally tally;
    base_text *text; /* NULL: only count */
} writing;

static void put(writing *w, const rep_junit_case *of) {
    rep_junit_count(&w->tally, of->end, of->seconds);
    if (w->text != NULL)
        rep_junit_add(w->text, of);
}

/* The folder of a failure, and how to see it again. With --keep-going, not every failure has one.
 */
static void add_folder(base_text *text, const char *folder) {
    if (!base_folder_has(folder, "failure.json")) {
        base_text_add(text, "its folder was not kept: --keep N keeps more\n");
        return;
    }
    base_text_print(text, "%s\ncollider replay ", folder);
    base_text_add_shell(text, folder);
    base_text_add(text, "\n");
}

static void put_program(writing *w, const col_given *given, const cli_junit_note *note) {
    char folder[PATH_MAX];
    base_text text = {0};
    rep_junit_case of = {.class_name = w->episode->design,
                         .scale = "",
                         .name = given->path,
                         .seconds = note == NULL ? 0 : note->seconds};
    if (note != NULL && note->test > 0) {
        of.end = REP_FAILED;
        of.type = col_outcomes[note->outcome];
        of.message = note->reason;
        base_text_print(&text, "%s\ntest %llu, instance %u; %llu of %llu test%s failed\n",
                        note->reason, (unsigned long long)note->test, note->instance,
                        (unsigned long long)given->failing, (unsigned long long)given->tests,
                        base_plural(given->tests));
        (void)snprintf(folder, sizeof folder, "%s/failure-%llu-%u", w->settings->folder,
                       (unsigned long long)note->test, note->instance);
        add_folder(&text, folder);
        of.text = text.data;
    } else if (given->tests == 0) {
        of.end = REP_SKIPPED;
        of.message = "not run: the episode ended before";
    }
    put(w, &of);
    if (w->text != NULL)
        base_text_free_part(&text, w->text);
    base_text_free(&text);
}

/* Failures by kind, each with its smallest. */
static void add_kinds(const col_episode *e, base_text *text) {
    for (size_t i = 0; i < e->kind_count; i++) {
        const col_failure_kind *kind = &e->kinds[i];
        base_text_print(text, "%llu test%s: %s\n", (unsigned long long)kind->count,
                        base_plural(kind->count), kind->smallest.reason);
        if (kind->smallest.folder[0] != '\0')
            add_folder(text, kind->smallest.folder);
    }
}

/* Whatever is about no program alone. */
static void put_episode(writing *w) {
    const col_episode *e = w->episode;
    const bool is_given = e->given_count > 0;
    const bool is_error = e->outcome == COL_INCOMPLETE || e->outcome == COL_UNJUDGED;
    char name[128], message[200];
    base_text text = {0};
    if (is_given && !is_error)
        return;
    (void)snprintf(name, sizeof name, "%s, seed %llu", w->settings->engine,
                   (unsigned long long)w->settings->seed);
    rep_junit_case of = {.class_name = e->design,
                         .scale = "",
                         .name = name,
                         .seconds = is_given ? 0 : e->seconds,
                         .type = col_outcomes[e->outcome],
                         .message = message};
    if (is_error) {
        of.end = REP_ERROR;
        (void)snprintf(message, sizeof message, "%s after %llu test%s (ended by %s)",
                       col_outcomes[e->outcome], (unsigned long long)e->tests,
                       base_plural(e->tests), col_endings[e->ending]);
        base_text_print(&text, "%llu of %llu instances undecided\n",
                        (unsigned long long)e->undecided, (unsigned long long)e->instances);
    } else if (e->failures > 0) {
        of.end = REP_FAILED;
        of.message = e->failure.reason;
        add_kinds(e, &text);
    }
    of.text = text.data;
    put(w, &of);
    if (w->text != NULL)
        base_text_free_part(&text, w->text);
    base_text_free(&text);
}

static void put_all(writing *w) {
    for (size_t i = 0; i < w->episode->given_count; i++)
        put_program(w, &w->episode->given[i], w->junit->notes == NULL ? NULL : &w->junit->notes[i]);
    put_episode(w);
}

col_status cli_junit_write(const cli_junit *junit, const col_episode_settings *settings,
                           const col_episode *episode, col_problem *problem) {
    char timestamp[32] = "", host[256] = "", name[128];
    struct tm when;
    base_text text = {0};
    writing w = {.junit = junit, .settings = settings, .episode = episode};
    if (gmtime_r(&junit->began, &when) != NULL)
        (void)strftime(timestamp, sizeof timestamp, "%Y-%m-%dT%H:%M:%S", &when);
    (void)gethostname(host, sizeof host - 1);
    (void)snprintf(name, sizeof name, "%s, %u cores", episode->design, episode->cores);
    put_all(&w);
    w.tally.seconds = episode->seconds;
    const rep_junit_suite suite = {
        .name = name, .scale = "", .tally = w.tally, .timestamp = timestamp, .host = host};
    w.text = &text;
    rep_junit_begin(&text, "collider run", &suite.tally);
    rep_junit_begin_suite(&text, &suite);
    put_all(&w);
    rep_junit_end_suite(&text);
    rep_junit_finish(&text);
    return base_file_write_text(junit->path, &text, problem);
}
