/* SPDX-License-Identifier: MIT */
/*
 * Names of tests, as papers and diy have them. The accesses of the threads name a family; what
 * lies between them follows: "MP+fence+addr". A thread that has more than two accesses counts by
 * its first and last, and says all its steps: "SB+rfi-pos".
 */
#include "cycle/cycle.h"

#include <string.h>

static const struct family {
    const char *accesses, *name;
} families[] = {
    {"WR+WR", "SB"},         {"WW+RR", "MP"},         {"RW+RW", "LB"},
    {"WW+RW", "S"},          {"WW+WR", "R"},          {"WW+WW", "2+2W"},
    {"W+RW+RR", "WRC"},      {"W+RR+WR", "RWC"},      {"W+RW+RW", "WWC"},
    {"W+RW+WR", "WRW+WR"},   {"W+RR+WW", "WRR+2W"},   {"W+RW+WW", "WRW+2W"},
    {"WW+RW+RR", "ISA2"},    {"WW+RR+WR", "W+RWC"},   {"WR+WR+WR", "3.SB"},
    {"RW+RW+RW", "3.LB"},    {"WW+WW+WW", "3.2W"},    {"WW+RW+WR", "Z6.0"},
    {"WW+WW+RW", "Z6.1"},    {"WW+RW+RW", "Z6.2"},    {"WW+WW+RR", "Z6.3"},
    {"WW+WR+WR", "Z6.4"},    {"WW+WW+WR", "Z6.5"},    {"W+RR+W+RR", "IRIW"},
    {"W+RR+W+RW", "IRRWIW"}, {"W+RW+W+RW", "IRWIW"},  {"WR+WR+WR+WR", "4.SB"},
    {"RW+RW+RW+RW", "4.LB"}, {"WW+WW+WW+WW", "4.2W"},
};
/* At one location. */
static const struct family coherence[] = {{"W+RR", "CoRR"}, {"W+RW", "CoRW2"}, {"W+WR", "CoWR"}};

enum {
    MOST_PARTS = CYC_MOST,
    FAMILIES = sizeof families / sizeof families[0],
    COHERENCE = sizeof coherence / sizeof coherence[0]
};

/* The thread from one place of a cycle to another: edges[from] to edges[to], which leaves it. */
typedef struct thread {
    uint32_t from, to;
} thread;

static uint32_t find_threads(const cyc_cycle *cycle, thread threads[CYC_MOST]) {
    uint32_t count = 0, from = 0;
    for (uint32_t i = 0; i < cycle->count; i++)
        if (cycle->edges[i].is_external != 0) {
            threads[count++] = (thread){from, i};
            from = i + 1;
        }
    return count;
}

static char letter(const cyc_relaxation *edge) {
    return edge->writes[CYC_SOURCE] != 0 ? 'W' : 'R';
}

static bool moves(const cyc_cycle *cycle, thread t) {
    for (uint32_t i = t.from; i < t.to; i++)
        if (cycle->edges[i].moves != 0)
            return true;
    return false;
}

/* "WW+RR"; a thread is its first and last access, or all of them. */
static void write_accesses(const cyc_cycle *cycle, const thread *threads, uint32_t count, bool all,
                           base_text *text) {
    for (uint32_t t = 0; t < count; t++) {
        base_text_add(text, t == 0 ? "" : "+");
        for (uint32_t i = threads[t].from; i <= threads[t].to; i++)
            if (all || i == threads[t].from || i == threads[t].to)
                base_text_print(text, "%c", letter(&cycle->edges[i]));
    }
}

static const char *find_family(const struct family *table, uint32_t count, const char *accesses) {
    for (uint32_t i = 0; i < count && accesses != NULL; i++)
        if (strcmp(table[i].accesses, accesses) == 0)
            return table[i].name;
    return NULL;
}

/* A family is one of threads that go to another location, or of a single location. */
static void write_family(const cyc_cycle *cycle, const thread *threads, uint32_t count,
                         base_text *text) {
    bool all_move = true, none_moves = true;
    for (uint32_t t = 0; t < count; t++) {
        const bool does = moves(cycle, threads[t]);
        all_move = all_move && (does || threads[t].from == threads[t].to);
        none_moves = none_moves && !does;
    }
    base_text accesses = {0};
    write_accesses(cycle, threads, count, false, &accesses);
    const char *name = none_moves ? find_family(coherence, COHERENCE, accesses.data)
                       : all_move ? find_family(families, FAMILIES, accesses.data)
                                  : NULL;
    if (name != NULL)
        base_text_add(text, name);
    else
        write_accesses(cycle, threads, count, !all_move || none_moves, text);
    base_text_free_part(&accesses, text);
}

/* What is to be said of a thread: its steps, or of a single access that it is ordered. */
static bool write_part(const cyc_cycle *cycle, thread t, base_text *part) {
    if (t.from == t.to) {
        const cyc_relaxation *edge = &cycle->edges[t.from];
        if (edge->annotations[CYC_SOURCE] != CYC_ORDERED)
            return false;
        base_text_add(part, edge->writes[CYC_SOURCE] != 0 ? "rel" : "acq");
        return true;
    }
    for (uint32_t i = t.from; i < t.to; i++) {
        base_text_add(part, i == t.from ? "" : "-");
        cyc_relaxation_write_short(&cycle->edges[i], part);
    }
    return true;
}

static bool is_same(const base_text *a, const char *b) {
    return a->data != NULL && strcmp(a->data, b) == 0;
}

void cyc_cycle_write_name(const cyc_cycle *cycle, base_text *text) {
    thread threads[CYC_MOST];
    base_text parts[MOST_PARTS] = {0};
    const uint32_t count = find_threads(cycle, threads);
    uint32_t said = 0;
    bool all_same = true;
    write_family(cycle, threads, count, text);
    for (uint32_t t = 0; t < count; t++)
        said += write_part(cycle, threads[t], &parts[said]);
    for (uint32_t p = 1; p < said; p++)
        all_same = all_same && parts[p].data != NULL && is_same(&parts[0], parts[p].data);
    const bool is_coherence = said == 1 && is_same(&parts[0], "pos");
    if (all_same && said > 1 && !is_same(&parts[0], "po"))
        base_text_print(text, "+%ss", parts[0].data == NULL ? "" : parts[0].data);
    else if (!is_coherence && !(all_same && is_same(&parts[0], "po")))
        for (uint32_t p = 0; p < said; p++)
            base_text_print(text, "+%s", parts[p].data == NULL ? "" : parts[p].data);
    for (uint32_t p = 0; p < said; p++)
        base_text_free_part(&parts[p], text);
}
