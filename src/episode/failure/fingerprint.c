/* SPDX-License-Identifier: MIT */
/* Fingerprints of failures: see fingerprint.h. */
#include "episode/failure/fingerprint.h"

#include "base/hash.h"
#include "base/memory.h"
#include "design/design_kind.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Without numbers. */

static bool is_word(char c) {
    return isalnum((unsigned char)c) != 0 || c == '_';
}

static bool is_digits(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (isdigit((unsigned char)text[i]) == 0)
            return false;
    return length > 0;
}

/* The text with '#' for numbers and a# for locations; names such as L1Cache stay. */
static void remove_numbers(const char *text, size_t length, base_text *out) {
    for (size_t i = 0, word = 0; i < length; i += word) {
        for (word = 0; i + word < length && is_word(text[i + word]);)
            word++;
        if (word == 0) {
            base_text_add_bytes(out, text + i, 1);
            word = 1;
        } else if (isdigit((unsigned char)text[i]) != 0) {
            base_text_add(out, "#");
        } else if (text[i] == 'a' && is_digits(text + i + 1, word - 1)) {
            base_text_add(out, "a#");
        } else {
            base_text_add_bytes(out, text + i, word);
        }
    }
}

/* ---- The shape of a cycle. */

/* Longer cycles are named by their relations alone: to name one takes the square of its length. */
enum { MOST_STEPS = 32 };

/* The new name of a thread or location: the place of its first mention, from where the cycle is
 * told. */
typedef struct naming {
    uint32_t given[MOST_STEPS];
    uint32_t count;
} naming;

static uint32_t name_of(naming *n, uint32_t number) {
    uint32_t i = 0;
    while (i < n->count && n->given[i] != number)
        i++;
    if (i == n->count)
        n->given[n->count++] = number;
    return i;
}

/* A step of the shape: an operation, and how it leads to the next one. */
typedef struct step {
    uint32_t thread, location;
    const char *kind;
    bool is_located;
    const char *relation;
} step;

static bool communicates(col_relation relation) {
    return relation == COL_READS_FROM || relation == COL_COHERENCE || relation == COL_FROM_READ;
}

/* Communication at one location may pass through any number of writes; it is one step, named after
 * its ends. */
static const char *communication(col_relation first, col_relation last) {
    const bool reads_first = first == COL_FROM_READ, reads_last = last == COL_READS_FROM;
    if (reads_first && reads_last)
        return "fr-rf";
    return col_relations[reads_first ? COL_FROM_READ : reads_last ? COL_READS_FROM : COL_COHERENCE];
}

/* Where to begin, so that no communication goes across the end: behind a step that is none. */
static uint32_t beginning(const col_violation *v) {
    for (uint32_t i = 0; i < v->step_count; i++)
        if (!communicates(v->steps[i].relation))
            return i + 1;
    return 0;
}

static uint32_t make_steps(const epi_wrong *w, step steps[MOST_STEPS]) {
    const col_violation *v = w->violation;
    const uint32_t begin = beginning(v);
    uint32_t count = 0;
    for (uint32_t i = 0, taken; i < v->step_count; i += taken) {
        const col_step *first = &v->steps[(begin + i) % v->step_count], *last = first;
        for (taken = 1; begin > 0 && i + taken < v->step_count && communicates(first->relation);
             taken++) {
            const col_step *next = &v->steps[(begin + i + taken) % v->step_count];
            if (!communicates(next->relation))
                break;
            last = next;
        }
        const col_mention *m = &v->mentions[first->from];
        const col_operation *o = &w->program->operations[m->operation];
        steps[count++] =
            (step){.thread = m->thread,
                   .location = o->location,
                   .kind = col_kinds[o->kind].name,
                   .is_located = col_kinds[o->kind].located,
                   .relation = taken > 1 ? communication(first->relation, last->relation)
                                         : col_relations[first->relation]};
    }
    return count;
}

/* The cycle, told from its step `first`. */
static void tell_from(const step *steps, uint32_t count, uint32_t first, base_text *text) {
    static const char letters[] = "xyzuvw";
    naming threads = {.count = 0}, locations = {.count = 0};
    for (uint32_t i = 0; i < count; i++) {
        const step *s = &steps[(first + i) % count];
        const uint32_t thread = name_of(&threads, s->thread);
        if (thread < 26)
            base_text_print(text, "%c: %s", 'A' + (int)thread, s->kind);
        else
            base_text_print(text, "T%u: %s", thread, s->kind);
        const uint32_t location = s->is_located ? name_of(&locations, s->location) : 0;
        if (s->is_located && location < sizeof letters - 1)
            base_text_print(text, " %c", letters[location]);
        else if (s->is_located)
            base_text_print(text, " x%u", location);
        base_text_print(text, " -%s-> ", s->relation);
    }
}

/* Of all places to begin at, the one whose telling comes first in the alphabet. */
static void tell_cycle(const epi_wrong *w, base_text *text) {
    step steps[MOST_STEPS] = {{0}};
    const uint32_t count = make_steps(w, steps);
    base_text best = {0}, other = {0};
    tell_from(steps, count, 0, &best);
    for (uint32_t first = 1; first < count && !best.failed; first++) {
        other.length = 0;
        tell_from(steps, count, first, &other);
        if (other.failed || strcmp(other.data, best.data) >= 0)
            continue;
        const base_text swapped = best;
        best = other;
        other = swapped;
    }
    if (best.length > 0)
        base_text_add_bytes(text, best.data, best.length - 1);
    base_text_free_part(&other, text);
    base_text_free_part(&best, text);
}

static void tell_relations(const col_violation *v, base_text *text) {
    uint32_t met = 0;
    for (uint32_t i = 0; i < v->step_count; i++)
        met |= 1U << v->steps[i].relation;
    base_text_add(text, "a long cycle of");
    for (uint32_t r = 0; r < COL_RELATION_COUNT; r++)
        if ((met >> r & 1) != 0)
            base_text_print(text, " %s", col_relations[r]);
}

static bool is_told_by_operations(const epi_wrong *w) {
    const col_violation *v = w->violation;
    const uint32_t operations = col_program_operations(w->program);
    if (v->step_count > MOST_STEPS)
        return false;
    for (uint32_t i = 0; i < v->step_count; i++)
        if (v->mentions[v->steps[i].from].operation >= operations)
            return false;
    return true;
}

/* ---- Protocol errors and deadlocks. */

bool epi_wrong_cell(const epi_wrong *w, col_duv_cell *cell) {
    const col_duv_description *d = w->design;
    const col_event *e = w->event;
    if (e == NULL || e->kind != COL_PROTOCOL_ERROR || d->names == NULL ||
        e->machine >= d->machine_count || (e->state == 0 && e->event == 0 && e->block == 0) ||
        e->state >= d->names[e->machine].state_count ||
        e->event >= d->names[e->machine].event_count)
        return false;
    *cell = (col_duv_cell){e->machine, e->state, e->event};
    return true;
}

/* The names of machine, state and event. */
static bool tell_place(const epi_wrong *w, base_text *text) {
    col_duv_cell cell;
    if (!epi_wrong_cell(w, &cell))
        return false;
    const col_duv_names *names = &w->design->names[cell.machine];
    base_text_print(text, "%s in %s at %s", w->design->machines[cell.machine].name,
                    names->states[cell.state], names->events[cell.event]);
    return true;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each of the texts once, in the order of the alphabet. */
static void tell_once(const char **texts, size_t count, base_text *text) {
    if (count > 1)
        qsort(texts, count, sizeof *texts, by_text);
    for (size_t i = 0, told = 0; i < count; i++)
        if (i == 0 || strcmp(texts[i], texts[i - 1]) != 0)
            base_text_print(text, "%s%s", told++ == 0 ? "" : "; ", texts[i]);
}

enum { MOST_CLAUSES = 32 };

/* The text, cut at each of the separators. */
static size_t cut(char *text, const char *separator, const char *parts[MOST_CLAUSES]) {
    size_t count = 0;
    for (char *next; text != NULL && count < MOST_CLAUSES; text = next) {
        next = strstr(text, separator);
        if (next != NULL) {
            *next = '\0';
            next += strlen(separator);
        }
        parts[count++] = text + strspn(text, " ");
    }
    return count;
}

/* A hang is what its waits lead to, whoever waits for that: who is on a cycle of them, or the last
 * one; of controllers that wait for each other, the last two. */
static void tell_chain(char *chain, const char *behind, base_text *text) {
    const char *nodes[MOST_CLAUSES];
    char *first = strstr(chain, ": ");
    first[1] = '\0';
    base_text_print(text, "%s ", chain);
    size_t count = cut(first + 2, " -> ", nodes), from = count - 1;
    if (strcmp(nodes[from], "the first again") == 0) {
        count--;
        from = 0;
    } else if (from > 0 && behind != NULL && strstr(behind, " for them ") != NULL) {
        from--;
    }
    tell_once(nodes + from, count - from, text);
}

/* The waits that the reason tells of; else each of its clauses, but not the first, which says when,
 * nor those that say how many more there are. */
static void tell_waiting(char *reason, base_text *text) {
    const char *clauses[MOST_CLAUSES], *told[MOST_CLAUSES] = {NULL};
    size_t count = 0;
    const size_t all = cut(reason, ";", clauses);
    for (size_t i = all > 1; i < all; i++) {
        if (strstr(clauses[i], ": ") != NULL && strstr(clauses[i], " -> ") != NULL) {
            char *chain = reason + (clauses[i] - reason);
            for (size_t k = 0; k < count; k++) /* a livelock, say */
                base_text_print(text, "%s; ", told[k]);
            tell_chain(chain, i + 1 < all ? clauses[i + 1] : NULL, text);
            return;
        }
        if (strstr(clauses[i], "# more") == NULL)
            told[count++] = clauses[i];
    }
    tell_once(told, count, text);
}

static void tell_reason(const epi_wrong *w, base_text *text) {
    base_text plain = {0};
    remove_numbers(w->reason, strlen(w->reason), &plain);
    if (plain.data != NULL && (w->outcome == COL_DEADLOCKED || w->outcome == COL_STARVED))
        tell_waiting(plain.data, text);
    else if (plain.data != NULL)
        base_text_add(text, plain.data);
    base_text_free_part(&plain, text);
}

/* ---- Shapes and fingerprints. */

static uint64_t hash_of(const char *text, size_t length) {
    return XXH3_64bits(text, length);
}

/* What does not fit is cut, and what was cut off is represented by a hash of all. False: there was
 * no memory for the text. */
static bool fit(const base_text *text, char *field, size_t size) {
    enum { ROOM = 24 };
    if (text->failed || text->data == NULL)
        (void)snprintf(field, size, "?");
    else if (text->length < size)
        (void)snprintf(field, size, "%s", text->data);
    else
        (void)snprintf(field, size, "%.*s... %016llx", (int)(size - ROOM), text->data,
                       (unsigned long long)hash_of(text->data, text->length));
    return !text->failed;
}

bool epi_shape(const epi_wrong *wrong, char *shape, size_t size) {
    base_text text = {0};
    base_text_print(&text, "%s: ", col_outcomes[wrong->outcome]);
    if (wrong->violation != NULL && wrong->violation->step_count > 0 &&
        is_told_by_operations(wrong))
        tell_cycle(wrong, &text);
    else if (wrong->violation != NULL && wrong->violation->step_count > 0)
        tell_relations(wrong->violation, &text);
    else if (!tell_place(wrong, &text))
        tell_reason(wrong, &text);
    const bool is_whole = fit(&text, shape, size);
    base_text_free(&text);
    return is_whole;
}

/* Errors by their names; files without their folders. */
static void tell_errors(const char *errors, base_text *text) {
    while (errors != NULL) {
        const size_t length = duv_error_length(errors);
        const char *name = errors + length;
        while (errors[0] != '{' && name > errors && name[-1] != '/')
            name--;
        if (errors[0] == '{')
            name = errors;
        base_text_print(text, " with %.*s", (int)(errors + length - name), name);
        errors = errors[length] == '\0' ? NULL : errors + length + 1;
    }
}

bool epi_fingerprint(const char *design, const col_setting *setting, const char *shape,
                     col_fingerprint *fingerprint) {
    base_text text = {0};
    base_text_add(&text, design);
    if (setting->design.options != NULL)
        base_text_print(&text, " %s", setting->design.options);
    tell_errors(setting->design.error, &text);
    if (setting->design.mutant != 0)
        base_text_print(&text, " mutant %u", setting->design.mutant);
    base_text_print(&text, ", %s", shape);
    const bool is_whole = fit(&text, fingerprint->text, sizeof fingerprint->text);
    base_text_free(&text);
    (void)snprintf(fingerprint->hash, sizeof fingerprint->hash, "%016llx",
                   (unsigned long long)hash_of(fingerprint->text, strlen(fingerprint->text)));
    return is_whole;
}

json_t *epi_fingerprint_json(const col_fingerprint *fingerprint) {
    if (fingerprint->hash[0] == '\0')
        return json_null();
    return json_pack("{s:o, s:s}", "text", base_json_text(fingerprint->text), "hash",
                     fingerprint->hash);
}
