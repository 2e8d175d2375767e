/* SPDX-License-Identifier: MIT */
/*
 * Is every error of the library found? Each is put into a design of its protocol and searched for
 * by several engines, each with the same budget of simulated cycles; then the same designs are
 * searched without an error, where nothing may be found. The table does not depend on the machine.
 *   bench-errors [MILLIONS-OF-CYCLES]      the exit status is 1 if an error was not found, or an
 *                                          alarm was raised for nothing
 */
#include "collider/episode.h"
#include "protocol/simulate/design_error.h"
#include "protocol/simulate/simulated_design.h"
#include "units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct contender {
    const char *label, *engine, *options;
} contender;

static const contender contenders[] = {
    {"plain", "plain", NULL},
    {"plain-bias", "plain-bias", NULL},
    {"chain", "chain", NULL},
    {"chain-bias", "chain-bias", NULL},
    {"ctg1", "ctg1", NULL},
    {"htg", "htg", NULL},
    {"mtg, 1 KiB", "mtg", "memory=1Ki"},
    {"mtg, 8 KiB", "mtg", "memory=8Ki"},
};
static const char *const designs[] = {"mesi3", "mesi2",        "moesi2",
                                      "tsocc", "mcversi-mesi", "mcversi-tsocc"};
enum {
    ENGINES = sizeof contenders / sizeof contenders[0],
    DESIGNS = sizeof designs / sizeof designs[0],
    MOST_ROWS = 256
};

typedef struct search {
    col_outcome outcome;
    uint64_t tests, cycles;
} search;

/* An error in a design, or a design without one. */
typedef struct row {
    char id[64]; /* empty: none */
    const char *design, *class;
    search searches[ENGINES];
} row;

typedef struct bench {
    row rows[MOST_ROWS];
    uint32_t count;
    uint64_t cycles;
} bench;

/* ---- What is to be searched for. */

static void add_row(bench *b, const char *design, const char *id, const char *class) {
    if (b->count == MOST_ROWS)
        give_up("there are more errors than this has room for");
    row *r = &b->rows[b->count++];
    *r = (row){.design = design, .class = class};
    (void)snprintf(r->id, sizeof r->id, "%s", id);
}

static bool has_row(const bench *b, const char *id) {
    for (uint32_t i = 0; i < b->count; i++)
        if (strcmp(b->rows[i].id, id) == 0)
            return true;
    return false;
}

/* Errors of the cores fit every design: the first one is enough. */
static void add_errors(bench *b, const char *name) {
    col_problem problem;
    base_library library = {0};
    sim_design design;
    base_text complaints = {0};
    if (sim_design_open(&design, name, 8, &complaints, &problem) != COL_OK ||
        sim_design_error_list(&library, &problem) != COL_OK)
        give_up(problem.message);
    for (size_t i = 0; i < library.count; i++) {
        sim_design_error *wrong = NULL;
        if (sim_design_error_read(&wrong, &library.entries[i], design.protocol, &problem) != COL_OK)
            give_up(problem.message);
        if (wrong != NULL && !has_row(b, wrong->id))
            add_row(b, name, wrong->id, sim_error_classes[wrong->class]);
        sim_design_error_free(wrong);
    }
    base_library_free(&library);
    sim_design_close(&design);
    base_text_free(&complaints);
}

/* ---- Searching. */

static void run_unit(void *context, uint32_t unit) {
    const bench *b = context;
    const uint32_t engine = unit % ENGINES;
    row *r = &((bench *)context)->rows[unit / ENGINES];
    col_episode_settings s;
    col_episode episode = {0};
    col_problem problem;
    col_episode_default(&s);
    s.setting.design.name = r->design;
    s.setting.design.error = r->id[0] == '\0' ? NULL : r->id;
    s.engine = contenders[engine].engine;
    s.engine_options = contenders[engine].options;
    s.operations = (col_range){1 << 10, 1 << 14};
    s.seconds = 0;
    s.cycles = b->cycles;
    s.repeat = true;
    if (col_episode_run(&s, &episode, &problem) != COL_OK)
        give_up(problem.message);
    r->searches[engine] = (search){episode.outcome, episode.tests, episode.cycles};
    col_episode_free(&episode);
}

/* ---- The table. */

/* The engine that needed the fewest cycles; ENGINES: none found it. */
static uint32_t first_to_find(const row *r) {
    uint32_t best = ENGINES;
    for (uint32_t e = 0; e < ENGINES; e++)
        if (r->searches[e].outcome != COL_PASS &&
            (best == ENGINES || r->searches[e].cycles < r->searches[best].cycles))
            best = e;
    return best;
}

static bool print_row(const row *r) {
    const uint32_t best = first_to_find(r);
    (void)printf("%-22s %-14s %-12s", r->id[0] == '\0' ? "none" : r->id,
                 r->class == NULL ? "" : r->class, r->design);
    for (uint32_t e = 0; e < ENGINES; e++) {
        const search *s = &r->searches[e];
        if (s->outcome == COL_PASS)
            (void)printf("  %14s", "-");
        else
            (void)printf("  %6llu %7.0f", (unsigned long long)s->tests, (double)s->cycles / 1e3);
    }
    if (best == ENGINES)
        (void)printf("  nothing\n");
    else
        (void)printf("  %s by %s\n", col_outcomes[r->searches[best].outcome],
                     contenders[best].label);
    return (best != ENGINES) == (r->id[0] != '\0');
}

int main(int count, char **arguments) {
    bench *b = calloc(1, sizeof *b);
    bool is_good = true;
    if (b == NULL)
        give_up("out of memory");
    b->cycles = 1000000 * (count > 1 ? strtoull(arguments[1], NULL, 10) : 10);
    for (uint32_t d = 0; d < DESIGNS; d++)
        add_errors(b, designs[d]);
    for (uint32_t d = 0; d < DESIGNS; d++)
        add_row(b, designs[d], "", NULL);
    units_run(b->count * ENGINES, run_unit, b);
    (void)printf("Tests and thousands of cycles until it was found; 8 cores, at most %llu million "
                 "cycles, '-': not found\n%-22s %-14s %-12s",
                 (unsigned long long)(b->cycles / 1000000), "error", "class", "design");
    for (uint32_t e = 0; e < ENGINES; e++)
        (void)printf("  %14s", contenders[e].label);
    (void)printf("  found first\n");
    for (uint32_t i = 0; i < b->count; i++)
        is_good = print_row(&b->rows[i]) && is_good;
    free(b);
    return is_good ? 0 : 1;
}
