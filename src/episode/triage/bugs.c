/* SPDX-License-Identifier: MIT */
/* What a triage found: see bugs.h. */
#include "episode/triage/bugs.h"

#include "base/folder.h"
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

/* ---- How many. */

enum { MOST_KINDS = 4096 }; /* of a record: more take too long to look for */

/* The cases of one episode, and what its record says of its kinds. It may be somebody else's: what
 * it says too much or too little of is corrected by the cases. */
typedef struct episode {
    epi_triage *triage;
    const char *folder;
    const json_t *kinds;
    bool *is_of;     /* it, of each case */
    uint64_t *votes; /* of each bug, for the failures of a kind that have no folder */
} episode;

static void find_cases(const episode *e) {
    char path[PATH_MAX];
    for (size_t i = 0; i < e->triage->case_count; i++) {
        const char *folder = e->triage->cases[i].folder, *slash = strrchr(folder, '/');
        e->is_of[i] = slash != NULL && base_path_in(path, e->folder, slash + 1, NULL) == COL_OK &&
                      strcmp(path, folder) == 0;
    }
}

static const char *hash_of(const json_t *kind) {
    const char *hash =
        json_string_value(json_object_get(json_object_get(kind, "fingerprint"), "hash"));
    return hash == NULL ? "" : hash;
}

/* Kinds beyond those that the episode told apart count as one, NULL. */
static bool is_of_kind(const episode *e, const epi_case *c, const json_t *kind) {
    const char *hash = c->was.fingerprint.hash;
    if (kind != NULL)
        return strcmp(hash, hash_of(kind)) == 0;
    for (size_t i = 0; i < json_array_size(e->kinds) && i < MOST_KINDS; i++)
        if (strcmp(hash, hash_of(json_array_get(e->kinds, i))) == 0)
            return false;
    return true;
}

static void add_rest(const episode *e, const json_t *kind, uint64_t count) {
    epi_triage *t = e->triage;
    uint64_t cases = 0;
    size_t most = EPI_NO_BUG;
    memset(e->votes, 0, t->bug_count * sizeof *e->votes);
    for (size_t i = 0; i < t->case_count; i++) {
        const epi_case *c = &t->cases[i];
        if (!e->is_of[i] || !is_of_kind(e, c, kind))
            continue;
        cases++;
        if (c->bug != EPI_NO_BUG)
            e->votes[c->bug]++;
    }
    for (size_t b = 0; b < t->bug_count; b++)
        if (e->votes[b] > (most == EPI_NO_BUG ? 0 : e->votes[most]))
            most = b;
    const uint64_t rest = count > cases ? count - cases : 0;
    t->failures += rest;
    if (most == EPI_NO_BUG)
        t->unexplained += rest;
    else
        t->bugs[most].count += rest;
}

/* No more than anybody could run: sums stay right. */
static uint64_t number_at(const json_t *object, const char *key) {
    const uint64_t most = UINT32_MAX;
    bool is_good = true;
    const uint64_t number = base_json_number_at(object, key, &is_good);
    return number < most ? number : most;
}

static void add_episode(episode *e, const json_t *record) {
    const uint64_t failures = number_at(record, "failures");
    uint64_t told = 0;
    e->kinds = json_object_get(record, "kinds");
    find_cases(e);
    for (size_t i = 0; i < json_array_size(e->kinds) && i < MOST_KINDS; i++) {
        const json_t *kind = json_array_get(e->kinds, i);
        const uint64_t count = number_at(kind, "count");
        told += count;
        add_rest(e, kind, count);
    }
    add_rest(e, NULL, failures > told ? failures - told : 0);
}

static bool is_new(const epi_triage_settings *settings, size_t folder) {
    for (size_t i = 0; i < folder; i++)
        if (strcmp(settings->episodes[i], settings->episodes[folder]) == 0)
            return false;
    return true;
}

/* If there was no time to take out one mend at a time, a failure is of the bug whose mend ended it.
 */
static void count_cases(epi_triage *t) {
    t->failures = t->case_count;
    t->unexplained = 0;
    for (size_t i = t->case_count; i-- > 0;) {
        epi_case *c = &t->cases[i];
        if (!t->is_complete && c->bug == EPI_NO_BUG && c->is_mended)
            c->bug = c->mended_by;
        if (c->bug == EPI_NO_BUG) {
            t->unexplained++;
            continue;
        }
        t->bugs[c->bug].count++;
        t->bugs[c->bug].earliest = i;
    }
}

col_status epi_bugs_count(const epi_triage_settings *settings, epi_triage *t,
                          col_problem *problem) {
    episode e = {.triage = t,
                 .is_of = calloc(t->case_count + 1, sizeof *e.is_of),
                 .votes = calloc(t->bug_count + 1, sizeof *e.votes)};
    col_status status = e.is_of == NULL || e.votes == NULL ? base_out_of_memory(problem) : COL_OK;
    count_cases(t);
    for (size_t i = 0; i < settings->episode_count && status == COL_OK; i++) {
        json_t *record = NULL;
        e.folder = settings->episodes[i];
        if (base_folder_has(e.folder, "episode.json") && is_new(settings, i))
            status = base_json_read_in(e.folder, "episode.json", &record, problem);
        if (status == COL_BAD_INPUT) /* it is no episode: failures alone count */
            status = COL_OK;
        else if (record != NULL)
            add_episode(&e, record);
        json_decref(record);
    }
    free(e.is_of);
    free(e.votes);
    return status;
}

/* ---- A line. */

const char *epi_bug_words(const epi_bug *bug) {
    return bug->says[0] != '\0' ? bug->says : bug->shrunk.reason;
}

/* The reason of a deadlock is as long as its chain of waits; replay shows all of it. */
enum { MOST_WORDS = 200 };

void epi_bug_line(const epi_triage *t, size_t number, base_text *text) {
    const epi_bug *bug = &t->bugs[number];
    char words[MOST_WORDS];
    base_sentence(words, sizeof words, "%s", epi_bug_words(bug));
    base_text_print(text, "%6llu  %s; %u operation%s, first in test %llu",
                    (unsigned long long)bug->count, words, bug->shrunk.to.operations,
                    base_plural(bug->shrunk.to.operations),
                    (unsigned long long)t->cases[bug->earliest].was.test);
}

/* ---- JSON. */

json_t *epi_bug_failures_json(const epi_triage *t, size_t bug) {
    json_t *list = json_array();
    for (size_t i = 0; i < t->case_count; i++)
        if (t->cases[i].bug == bug)
            base_json_append(&list, base_json_text(t->cases[i].folder));
    return list;
}

static json_t *describe(const epi_triage *t, size_t number) {
    const epi_bug *b = &t->bugs[number];
    const bool has_suspect = b->mend[0] != '\0';
    return json_pack(
        "{s:I, s:o, s:o, s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:o, s:o}", "count",
        (json_int_t)b->count, "suspect", has_suspect ? base_json_text(b->says) : json_null(),
        "mend", has_suspect ? base_json_text(b->mend) : json_null(), "shape", b->shape, "verdict",
        col_outcomes[b->shrunk.outcome], "reason", base_json_text(b->shrunk.reason), "first_test",
        (json_int_t)t->cases[b->earliest].was.test, "operations",
        (json_int_t)b->shrunk.to.operations, "failing", (json_int_t)b->shrunk.failing, "tried",
        (json_int_t)b->shrunk.tried, "folder", base_json_text(b->shrunk.folder), "failures",
        epi_bug_failures_json(t, number));
}

json_t *epi_bugs_json(const epi_triage *t) {
    json_t *bugs = json_array();
    for (size_t b = 0; b < t->bug_count; b++)
        if (t->bugs[b].known == NULL)
            base_json_append(&bugs, describe(t, b));
    return bugs;
}
