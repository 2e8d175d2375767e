/* SPDX-License-Identifier: MIT */
/* Bugs on the screen: see bug_lines.h. */
#include "cli/bug_lines.h"

#include "cli/command_line.h"
#include "cli/diagnose.h"
#include "cli/run_results.h"
#include "cli/signals.h"

#include <stdio.h>

void cli_bugs_progress(void *context, const epi_triage *t) {
    cli_progress_display *display = context;
    cli_progress_line line = {.count = 0};
    size_t left = 0;
    if (!cli_progress_is_due(display, t->seconds))
        return;
    for (size_t i = 0; i < t->case_count; i++)
        left += t->cases[i].bug == EPI_NO_BUG && !t->cases[i].is_mended;
    cli_progress_line_add(&line, 0, "%6.1f s", t->seconds);
    cli_progress_line_add(&line, 0, "%zu bug%s", t->bug_count, base_plural(t->bug_count));
    cli_progress_line_add(&line, 0, "%zu of %zu failures to explain", left, t->case_count);
    cli_progress_put_line(display, &line);
}

void cli_bugs_add(const epi_triage *t, base_text *text) {
    for (size_t b = 0; b < t->bug_count; b++) {
        if (t->bugs[b].known != NULL)
            continue;
        epi_bug_line(t, b, text);
        base_text_add(text, ": collider replay ");
        base_text_add_shell(text, t->bugs[b].shrunk.folder);
        base_text_add(text, "\n");
    }
}

/* ---- Of a run. */

static col_status triage(cli_run_bugs *b, const char *folder, col_problem *problem) {
    cli_progress_display display = {.quiet = b->quiet};
    const epi_triage_settings settings = {.folders = &folder,
                                          .folder_count = 1,
                                          .episodes = &folder,
                                          .episode_count = 1,
                                          .allow_code = true, /* it has just run */
                                          .out = folder,
                                          .seconds = b->seconds,
                                          .jobs = b->jobs,
                                          .seed = 1,
                                          .progress = cli_bugs_progress,
                                          .context = &display,
                                          .stop = &cli_stop};
    (void)fflush(stdout); /* what is known is seen meanwhile */
    const col_status status = epi_triage_run(&settings, &b->triage, problem);
    cli_progress_end(&display);
    return status;
}

/* What is not of a bug, and how to go on. */
static void add_rest(const cli_run_bugs *b, uint64_t failures, const char *folder,
                     base_text *text) {
    if (failures == 0)
        return;
    base_text_print(text, "%6llu  ", (unsigned long long)failures);
    if (b->triage.is_complete) {
        base_text_add(text, "did not fail again\n");
        return;
    }
    base_text_add(text, "not assigned to a bug yet: collider triage ");
    base_text_add_shell(text, folder);
    base_text_add(text, "\n");
}

static void print(const cli_run_bugs *b, const col_episode *e, const char *folder) {
    const epi_triage *t = &b->triage;
    base_text text = {0};
    if (t->bug_count > 0)
        base_text_print(&text, "%llu failure%s, %s%zu bug%s\n", (unsigned long long)e->failures,
                        base_plural(e->failures), t->is_complete ? "" : "at least ", t->bug_count,
                        base_plural(t->bug_count));
    else
        cli_run_print_kinds(e);
    cli_bugs_add(t, &text);
    add_rest(b, t->case_count > 0 ? t->unexplained : e->failures, folder, &text);
    if (text.failed)
        base_print_lost();
    else if (text.data != NULL)
        base_print(stdout, "%s", text.data);
    base_text_free(&text);
}

col_status cli_run_bugs_tell(cli_run_bugs *b, const col_episode_settings *settings,
                             const col_episode *e, epi_folder *folder, col_problem *problem) {
    const bool is_wanted = b->is_wanted && e->failures > 0;
    col_problem why;
    epi_folder_remove_bugs(folder);
    if (is_wanted && cli_stop == 0 && triage(b, folder->path, &why) == COL_OK) {
        folder->triage = &b->triage;
    } else {
        if (is_wanted && cli_stop == 0)
            cli_warn(&why);
        epi_folder_remove_bugs(folder); /* the record has none */
        epi_triage_free(&b->triage);
        b->triage = (epi_triage){0};
    }
    if (b->prints && is_wanted)
        print(b, e, folder->path);
    else if (b->prints)
        cli_run_print_kinds(e);
    return folder->triage == NULL ? COL_OK : epi_folder_record(folder, settings, e, problem);
}
