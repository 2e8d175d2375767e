/* SPDX-License-Identifier: MIT */
/* What is right for a disturbed run: see stage.h. */
#include "faults/stage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The first problem is enough. */
void fault_problem(fault_finding *finding, const char *format, ...) {
    va_list arguments;
    if (finding->problem[0] != '\0')
        return;
    va_start(arguments, format);
    (void)vsnprintf(finding->problem, sizeof finding->problem, format, arguments);
    va_end(arguments);
}

static bool is_part_of_cache(const char *path) {
    return strncmp(path, "cache/", 6) == 0;
}

/* Tokens of a campaign on a cluster say how far it came: the next task goes on from there. */
static bool is_token(const char *path) {
    const char *folder = strstr(path, ".db.cluster/");
    return folder != NULL && strstr(folder, "/.collider-") == NULL;
}

/* SQLite may need these to recover; the store was opened since, and found sound. Whoever only reads
 * a store leaves them, too: a store that is done does not need them. */
static bool is_journal(const char *path) {
    static const char *const endings[] = {".db-journal", ".db-wal", ".db-shm"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; i < 3; i++)
        if (dot != NULL && strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

/* What was covered until the machine ended the episode: whole, beside a record that says so, or
 * without one. */
static bool is_coverage_so_far(const fault_tree *tree, const fault_file *file) {
    char record[1024];
    const char *slash = strrchr(file->path, '/');
    if (slash == NULL || strcmp(slash, "/coverage.txt") != 0 || !file->is_ended)
        return false;
    (void)snprintf(record, sizeof record, "%.*s/episode.json", (int)(slash - file->path),
                   file->path);
    const fault_file *episode = fault_tree_find(tree, record);
    return episode == NULL || episode->tells_of_failure;
}

/* The index of the tests that were kept until then, whole. */
static bool is_corpus_so_far(const fault_file *file) {
    static const char name[] = "/corpus/suite.txt";
    const size_t length = strlen(file->path);
    return file->is_ended && length > strlen(name) &&
           strcmp(file->path + length - strlen(name), name) == 0;
}

/* Is it as it was, or as far as an unfinished run may have come? */
static bool is_unfinished(const fault_stage *stage, const fault_tree *tree,
                          const fault_file *file) {
    const fault_file *old = fault_tree_find(&stage->before, file->path);
    const fault_file *new = fault_tree_find(&stage->after, file->path);
    return (old != NULL && fault_file_equal(file, old)) ||
           (file->is_store && new != NULL &&fault_file_within(file, new)) ||
           file->tells_of_failure || is_coverage_so_far(tree, file) || is_corpus_so_far(file);
}

/* Every file is absent, old, or complete. */
static void judge_file(const fault_stage *stage, const fault_tree *tree, const fault_file *file,
                       bool is_done, fault_finding *finding) {
    const fault_file *new = fault_tree_find(&stage->after, file->path);
    if (file->is_broken)
        fault_problem(finding, "%s is a damaged database", file->path);
    if (is_done && file->needs_log)
        fault_problem(finding, "as if done, but %s is not complete without its log", file->path);
    if ((new != NULL &&fault_file_equal(file, new)) || is_journal(file->path) ||
        is_token(file->path) || (!is_done && is_unfinished(stage, tree, file)))
        return;
    if (finding->fault.kind == FAULT_REMOVE && new == NULL)
        return; /* what cannot be removed stays */
    if (is_done && new != NULL)
        fault_problem(finding, "as if done, but %s differs", file->path);
    fault_problem(finding, "left behind: %s, %zu bytes%s", file->path, file->size,
                  new == NULL ? "" : ", half-written");
}

void fault_judge_less(const fault_stage *stage, const fault_tree *tree, fault_finding *finding) {
    for (size_t i = 0; i < tree->count; i++) {
        const fault_file *file = &tree->files[i];
        const bool is_known = fault_tree_find(&stage->after, file->path) != NULL;
        if (!is_known || !(file->is_whole || file->is_store))
            judge_file(stage, tree, file, false, finding);
    }
    for (size_t i = 0; i < stage->before.count; i++) {
        const char *path = stage->before.files[i].path;
        if (fault_tree_find(tree, path) == NULL && !is_token(path))
            fault_problem(finding, "lost: %s is missing", path);
    }
}

void fault_judge_tree(const fault_stage *stage, const fault_tree *tree, bool is_done,
                      fault_finding *finding) {
    for (size_t i = 0; i < tree->count; i++)
        judge_file(stage, tree, &tree->files[i], is_done, finding);
    for (size_t i = 0; i < stage->after.count; i++) {
        const char *path = stage->after.files[i].path;
        const bool was_there = fault_tree_find(&stage->before, path) != NULL;
        if (fault_tree_find(tree, path) == NULL && !is_part_of_cache(path) &&
            (is_done || was_there))
            fault_problem(finding, "%s: %s is missing", is_done ? "as if done" : "lost", path);
    }
}

/* One sentence, behind what the undisturbed run says: an error in the design is told all the same.
 */
static void judge_sentence(const fault_stage *stage, const fault_outcome *outcome,
                           fault_finding *finding) {
    const char *text = outcome->errors.data;
    const base_text *right = &stage->undisturbed.errors;
    if (strncmp(text, right->data, right->length) == 0)
        text += right->length;
    const char *end = strchr(text, '\n');
    if (strncmp(text, "collider: ", 10) != 0 || end == NULL || end[1] != '\0')
        fault_problem(finding, "exit 3, but standard error is not one sentence: %.300s",
                      text[0] == '\0' ? "(empty)" : text);
}

void fault_judge(const fault_stage *stage, const fault_outcome *outcome, const fault_tree *tree,
                 fault_finding *finding) {
    const fault_outcome *right = &stage->undisturbed;
    const bool is_done = outcome->status == right->status;
    if (outcome->is_timed_out)
        fault_problem(finding, "hangs");
    else if (outcome->signal != 0)
        fault_problem(finding, "killed by signal %d: %.300s", outcome->signal,
                      outcome->errors.data);
    else if (!is_done && outcome->status != COL_FAILURE)
        fault_problem(finding, "exit %d: %.300s", outcome->status, outcome->errors.data);
    else if (is_done && strcmp(outcome->output.data, right->output.data) != 0)
        fault_problem(finding, "exit %d with other output", outcome->status);
    else if (is_done && strcmp(outcome->errors.data, right->errors.data) != 0)
        fault_problem(finding, "exit %d with other words on standard error: %.300s",
                      outcome->status, outcome->errors.data);
    else if (outcome->left_process)
        fault_problem(finding, "left a process running");
    else if (!is_done)
        judge_sentence(stage, outcome, finding);
    fault_judge_tree(stage, tree, is_done, finding);
}
