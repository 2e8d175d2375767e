/* SPDX-License-Identifier: MIT */
/* Samples by trial: see store.h. */
#include "store.h"
#include "base/file.h"
#include "base/memory.h"
#include "units.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY = 160, KEY_FIELDS = 7, FIELDS = 9 };

static const char header[] = "design,cores,error,contender,fed,seed,budget,tests,cycles,seconds,"
                             "structural,functional,structural_total,functional_total,"
                             "processor_seconds,outcome\n";

typedef struct entry {
    char key[KEY]; /* the first fields of its rows */
    sample taken;
} entry;

struct store {
    entry *entries;
    size_t count, capacity;
    FILE *file; /* NULL: none */
    pthread_mutex_t lock;
};

/* An engine that is blind has one episode for all metrics. */
static void write_key(char key[KEY], const trial *t) {
    const int length = snprintf(key, KEY, "%s,%u,%s,%s,%s,%llu,%llu", t->design, t->cores,
                                t->error == NULL ? "none" : t->error, t->contender->label,
                                t->contender->is_blind ? "any" : col_metrics[t->metric],
                                (unsigned long long)t->seed, (unsigned long long)t->cycles);
    if (length >= KEY || strchr(t->contender->label, ',') != NULL)
        give_up("the name of a contender is too long, or has a comma");
}

static void keep(store *s, const char *key, const sample *taken) {
    if (base_reserve(&s->entries, &s->capacity, s->count + 1, sizeof *s->entries, NULL) != COL_OK)
        give_up("out of memory");
    entry *e = &s->entries[s->count++];
    (void)snprintf(e->key, KEY, "%s", key);
    e->taken = *taken;
}

/* ---- Reading. */

/* The key of a row; the rest, cut apart, in `fields`. False: it is no row of ours. */
static bool split(char *row, char *fields[FIELDS]) {
    char *at = row;
    for (int i = 1; i < KEY_FIELDS + FIELDS; i++, at++) {
        at = strchr(at, ',');
        if (at == NULL)
            return false;
        if (i >= KEY_FIELDS) {
            *at = '\0';
            fields[i - KEY_FIELDS] = at + 1;
        }
    }
    return strchr(at, ',') == NULL && strlen(row) < KEY;
}

static int outcome_of(const char *name) {
    for (int i = 0; i < COL_OUTCOME_COUNT; i++)
        if (strcmp(name, col_outcomes[i]) == 0)
            return i;
    return -1;
}

/* The samples whose rows were read so far; the last may be under way. */
typedef struct reading {
    char key[KEY];
    sample under_way;
    size_t capacity; /* of its curve */
} reading;

static void begin_sample(reading *r, const char *key) {
    if (strcmp(key, r->key) == 0)
        return;
    sample_free(&r->under_way);
    *r = (reading){0};
    memcpy(r->key, key, strlen(key) + 1);
}

/* True: the row was its sample's end. */
static bool take_row(store *s, reading *r, const char *key, char *const fields[FIELDS]) {
    const uint64_t tests = strtoull(fields[0], NULL, 10);
    const uint64_t cycles = strtoull(fields[1], NULL, 10);
    const int outcome = outcome_of(fields[8]);
    begin_sample(r, key);
    sample *u = &r->under_way;
    if (outcome < 0) {
        if (base_reserve(&u->curve, &r->capacity, u->count + 1, sizeof *u->curve, NULL) != COL_OK)
            give_up("out of memory");
        u->curve[u->count++] =
            (col_curve_point){.seconds = strtod(fields[2], NULL),
                              .tests = tests,
                              .cycles = cycles,
                              .structural = (uint32_t)strtoul(fields[3], NULL, 10),
                              .functional = (uint32_t)strtoul(fields[4], NULL, 10)};
        return false;
    }
    u->tests = tests;
    u->cycles = cycles;
    u->seconds = strtod(fields[2], NULL);
    u->total[COL_STRUCTURAL] = (uint32_t)strtoul(fields[5], NULL, 10);
    u->total[COL_FUNCTIONAL] = (uint32_t)strtoul(fields[6], NULL, 10);
    u->processor_seconds = strtod(fields[7], NULL);
    u->outcome = (col_outcome)outcome;
    keep(s, r->key, u);
    *r = (reading){0};
    return true;
}

/* Cuts the text up, and returns where the last whole sample ends. */
static size_t read_rows(store *s, base_text *text) {
    reading r = {0};
    size_t at = sizeof header - 1, whole = at;
    if (text->length < at || memcmp(text->data, header, at) != 0)
        give_up("the file is there and is not one of samples");
    while (at < text->length) {
        char *row = text->data + at, *end = memchr(row, '\n', text->length - at), *fields[FIELDS];
        if (end == NULL) /* torn */
            break;
        *end = '\0';
        at = (size_t)(end - text->data) + 1;
        if (!split(row, fields))
            give_up("the file of samples has a row that is not one");
        if (take_row(s, &r, row, fields))
            whole = at;
    }
    sample_free(&r.under_way);
    return whole;
}

/* What an interrupted run left is kept, but for the part of a sample at its end. Returns the
 * length; 0: there is not a file, or nothing in it. */
static size_t read_file(store *s, const char *path) {
    base_text text = {0};
    col_problem problem;
    if (access(path, F_OK) != 0)
        return 0;
    if (base_file_read(path, &text, &problem) != COL_OK)
        give_up(problem.message);
    const size_t whole = text.length == 0 ? 0 : read_rows(s, &text);
    if (truncate(path, (off_t)whole) != 0)
        give_up("cannot write the file of samples");
    base_text_free(&text);
    return whole;
}

/* ---- Writing. */

static void write_sample(FILE *file, const char *key, const sample *s) {
    for (size_t i = 0; i < s->count; i++)
        (void)fprintf(file, "%s,%llu,%llu,%.3f,%u,%u,%u,%u,,\n", key,
                      (unsigned long long)s->curve[i].tests, (unsigned long long)s->curve[i].cycles,
                      s->curve[i].seconds, s->curve[i].structural, s->curve[i].functional,
                      s->total[COL_STRUCTURAL], s->total[COL_FUNCTIONAL]);
    const col_curve_point *last = &s->curve[s->count - 1]; /* an episode's end is a point */
    (void)fprintf(file, "%s,%llu,%llu,%.3f,%u,%u,%u,%u,%.3f,%s\n", key,
                  (unsigned long long)s->tests, (unsigned long long)s->cycles, s->seconds,
                  last->structural, last->functional, s->total[COL_STRUCTURAL],
                  s->total[COL_FUNCTIONAL], s->processor_seconds, col_outcomes[s->outcome]);
    if (fflush(file) != 0)
        give_up("cannot write the file of samples");
}

store *store_open(const char *path) {
    store *s = take_memory(sizeof *s);
    if (pthread_mutex_init(&s->lock, NULL) != 0)
        give_up("cannot make a lock");
    if (path == NULL)
        return s;
    const size_t length = read_file(s, path);
    s->file = fopen(path, "a");
    if (s->file == NULL)
        give_up("cannot write the file of samples");
    if (length == 0)
        (void)fputs(header, s->file);
    return s;
}

void store_close(store *s) {
    for (size_t i = 0; i < s->count; i++)
        sample_free(&s->entries[i].taken);
    if (s->file != NULL && fclose(s->file) != 0)
        give_up("cannot write the file of samples");
    (void)pthread_mutex_destroy(&s->lock);
    free(s->entries);
    free(s);
}

const sample *store_find(const store *s, const trial *t) {
    char key[KEY];
    write_key(key, t);
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->entries[i].key, key) == 0)
            return &s->entries[i].taken;
    return NULL;
}

void store_add(store *s, const trial *t, const sample *taken) {
    char key[KEY];
    write_key(key, t);
    (void)pthread_mutex_lock(&s->lock);
    keep(s, key, taken);
    if (s->file != NULL)
        write_sample(s->file, key, taken);
    (void)pthread_mutex_unlock(&s->lock);
}
