/* SPDX-License-Identifier: MIT */
/*
 * Known bugs in triage: those with a mend are bugs from the start, whose mend is made before any
 * failure is shrunk; those of a kind, a cell or a smallest test take what they recognise. And a
 * file of the bugs that were found, for a person to say why they are waived.
 */
#include "episode/triage/triage.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/path.h"
#include "episode/failure/waiver.h"

#include <stdio.h>
#include <string.h>

#define KNOWN_FILE "known.yaml"

/* ---- Waiving. */

/* The bug of the known one, which is added if it is new. */
static col_status add_known(epi_triage *t, epi_known_bug *known, uint32_t design, size_t *number,
                            col_problem *problem) {
    for (*number = 0; *number < t->bug_count; ++*number)
        if (t->bugs[*number].known == known && t->cases[t->bugs[*number].first].design == design)
            return COL_OK;
    BASE_TRY(base_reserve(&t->bugs, &t->bug_capacity, t->bug_count + 1, sizeof *t->bugs, problem));
    epi_bug *bug = &t->bugs[t->bug_count++];
    *bug = (epi_bug){.first = design, .known = known};
    if (known->mend.length > 0)
        memcpy(bug->mend, known->mend.data, known->mend.length + 1);
    return COL_OK;
}

/* The cell of its protocol error is known only when it is run again. */
static col_status recognise(epi_worker *worker, const epi_known *known, const epi_case *c,
                            epi_known_bug **found, col_problem *problem) {
    const col_duv_description *design = col_duv_describe(worker->duv);
    const char *kind = c->was.fingerprint.hash;
    epi_instance instance = {.seed = c->was.seed};
    *found = epi_known_find(known, design, kind, NULL);
    if (*found != NULL || c->was.outcome != COL_PROTOCOL_WRONG)
        return COL_OK;
    BASE_TRY(epi_worker_load(worker, &c->recorded.program, problem));
    epi_worker_run(worker, &instance);
    epi_instance_free(&instance);
    if (instance.status != COL_OK)
        *problem = instance.problem;
    else if (instance.has_cell)
        *found = epi_known_find(known, design, kind, &instance.cell);
    return instance.status;
}

col_status epi_triage_waive(epi_triage *t, const epi_waiver_of *of, epi_worker *worker,
                            uint32_t design, col_problem *problem) {
    epi_waiver *checked = NULL;
    const col_status status = epi_waiver_new(&checked, of, problem); /* refuses what does not fit */
    epi_waiver_free(checked);
    BASE_TRY(status);
    for (size_t i = 0; i < of->known->count; i++) {
        size_t unused;
        if (of->known->bugs[i].mend.length > 0 &&
            epi_known_applies(&of->known->bugs[i], of->design->name))
            BASE_TRY(add_known(t, &of->known->bugs[i], design, &unused, problem));
    }
    for (size_t i = 0; i < t->case_count; i++) {
        epi_known_bug *found = NULL;
        if (t->cases[i].design == design)
            BASE_TRY(recognise(worker, of->known, &t->cases[i], &found, problem));
        if (found != NULL)
            BASE_TRY(add_known(t, found, design, &t->cases[i].bug, problem));
    }
    return COL_OK;
}

void epi_triage_count_waived(const epi_triage *t) {
    for (size_t b = 0; b < t->bug_count; b++) {
        epi_known_bug *known = t->bugs[b].known;
        if (known == NULL)
            continue;
        const uint64_t first = t->cases[t->bugs[b].earliest].was.test;
        known->first_test =
            known->count == 0 || first < known->first_test ? first : known->first_test;
        known->count += t->bugs[b].count;
    }
}

/* ---- The file. */

/* Is there a reason in it that somebody wrote? */
static col_status find_reason(const char *path, bool *is_found, col_problem *problem) {
    static const char key[] = "reason:";
    base_text text = {0};
    *is_found = false;
    const col_status status = base_file_read_regular(path, &text, problem);
    const char *at = text.data == NULL ? NULL : strstr(text.data, key);
    for (; at != NULL && !*is_found; at = strstr(at, key)) {
        at += strlen(key);
        at += strspn(at, " ");
        *is_found = *at != '\0' && *at != '\n';
    }
    base_text_free(&text);
    return status;
}

/* In single quotes, as YAML has them. */
static void add_quoted(base_text *text, const char *words) {
    base_text_add(text, "'");
    for (const char *c = words; *c != '\0'; c++)
        base_text_add_bytes(text, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
    base_text_add(text, "'");
}

/* Each kind of its failures once. */
static void add_kinds(const epi_triage *t, size_t bug, base_text *text) {
    uint32_t count = 0;
    for (size_t i = 0; i < t->case_count && count < EPI_MOST_KNOWN_KINDS; i++) {
        const char *hash = t->cases[i].was.fingerprint.hash;
        size_t before = 0;
        while (before < i && (t->cases[before].bug != bug ||
                              strcmp(t->cases[before].was.fingerprint.hash, hash) != 0))
            before++;
        if (t->cases[i].bug == bug && before == i && hash[0] != '\0')
            base_text_print(text, "%s%s", count++ == 0 ? "    kind: [" : ", ", hash);
    }
    base_text_add(text, count == 0 ? "" : "]\n");
}

static void add_bug(const epi_triage *t, size_t number, base_text *text) {
    const epi_bug *bug = &t->bugs[number];
    char words[200];
    base_sentence(words, sizeof words, "%s", bug->says[0] != '\0' ? bug->says : bug->shrunk.reason);
    base_make_printable(words, false);
    base_text_add(text, "  - bug: ");
    add_quoted(text, words);
    base_text_add(text, "\n    design: ");
    add_quoted(text, bug->design);
    base_text_add(text, "\n");
    if (bug->mend[0] != '\0') {
        base_text_print(text, "    mend: %s\n", bug->mend);
    } else {
        add_kinds(t, number, text);
        base_text_print(text, "    test: %s\n", bug->shape);
    }
    base_text_add(text, "    reason:\n");
}

col_status epi_triage_write_known(const epi_triage_settings *settings, epi_triage *t,
                                  col_problem *problem) {
    char path[PATH_MAX];
    base_text text = {0};
    size_t count = 0;
    base_text_add(&text,
                  "# For collider run --known and collider triage --known: failures of these "
                  "bugs are waived.\n# Write a reason for each that is, and remove the "
                  "others (docs/known-bugs.md).\nknown:\n");
    for (size_t b = 0; b < t->bug_count; b++) {
        if (t->bugs[b].known != NULL)
            continue;
        add_bug(t, b, &text);
        count++;
    }
    col_status status = base_path_in(path, settings->out, KNOWN_FILE, problem);
    BASE_THEN(status, count == 0 ? COL_OK : base_folder_make(settings->out, problem));
    bool is_edited = false;
    if (status == COL_OK && count > 0 && base_folder_has(settings->out, KNOWN_FILE))
        status = find_reason(path, &is_edited, problem);
    t->has_known_file = status == COL_OK && count > 0 && !is_edited;
    if (t->has_known_file)
        return base_file_write_text(path, &text, problem);
    base_text_free(&text);
    return status;
}
