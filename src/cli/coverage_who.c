/* SPDX-License-Identifier: MIT */
/*
 * Who covered a point: see coverage_who.h. A coverage file knows the first test and its instance. A
 * corpus or a suite has programs, of which the shortest is the answer; without one, the answer is
 * the run up to the first test, by the record of the episode or the settings of a campaign's trial.
 */
#include "cli/coverage_who.h"

#include "base/folder.h"
#include "base/json.h"
#include "base/names.h"
#include "base/path.h"
#include "cover/coverage.h"
#include "cover/holes.h"
#include "episode/suite/corpus.h"
#include "results/store/store.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 3, MOST_NAME = 256 };

/* The answer of one input, of one point. */
typedef struct answer {
    uint64_t hits;
    cov_first first;
    const char *where;                /* of a store: the trial; else NULL */
    uint64_t seed;                    /* of that trial */
    uint64_t trials;                  /* that covered it */
    const epi_suite_program *program; /* the shortest that covers it; NULL: none is kept */
    uint32_t programs;                /* that do */
    base_text command;
} answer;

typedef struct source {
    const cli_covered *in;
    epi_suite suite;
    char folder[PATH_MAX]; /* of the suite; empty: there is none */
    json_t *record;        /* episode.json; may be NULL */
} source;

typedef struct who {
    const cli_arguments *arguments;
    source *sources;
    uint32_t count;
    base_text text;
    json_t *list;
} who;

/* ---- Patterns. */

/* What the point is called in a pattern, and in the message about one. */
static void name_point(const col_point_facts *f, char name[MOST_NAME]) {
    (void)snprintf(name, MOST_NAME, "%s %s %s", f->machine, f->state, cov_event(f->event));
}

/* Its words, parted by blanks or slashes; a point without an event may be named without one. */
static col_status split(const char *pattern, char parts[PARTS][MOST_NAME], col_problem *problem) {
    static const char gaps[] = " \t/";
    uint32_t count = 0;
    (void)snprintf(parts[2], MOST_NAME, "-");
    for (const char *at = pattern + strspn(pattern, gaps); *at != '\0'; at += strspn(at, gaps)) {
        const size_t length = strcspn(at, gaps);
        if (count == PARTS || length >= MOST_NAME)
            count = PARTS + 1;
        else
            (void)snprintf(parts[count++], MOST_NAME, "%.*s", (int)length, at);
        at += length;
    }
    return count == PARTS || count == PARTS - 1
               ? COL_OK
               : base_refuse(problem, "a point is named 'MACHINE STATE EVENT', such as 'L1Cache I "
                                      "Load'; * and ? may stand for letters");
}

static bool matches(char parts[PARTS][MOST_NAME], const col_point_facts *f) {
    return f->counts && fnmatch(parts[0], f->machine, 0) == 0 &&
           fnmatch(parts[1], f->state, 0) == 0 && fnmatch(parts[2], cov_event(f->event), 0) == 0;
}

static col_status refuse_pattern(const who *w, const char *pattern, char parts[PARTS][MOST_NAME],
                                 col_problem *problem) {
    char typed[PARTS * MOST_NAME + PARTS], name[MOST_NAME], best[MOST_NAME] = "";
    size_t distance = SIZE_MAX;
    col_point_facts f;
    (void)snprintf(typed, sizeof typed, "%s %s %s", parts[0], parts[1], parts[2]);
    for (uint32_t s = 0; s < w->count; s++)
        for (uint32_t p = 0; col_coverage_point(w->sources[s].in->set, p, &f); p++) {
            base_nearest nearest = {.text = typed};
            name_point(&f, name);
            base_nearest_try(&nearest, name);
            if (nearest.word == NULL || nearest.distance >= distance)
                continue;
            distance = nearest.distance;
            (void)snprintf(best, sizeof best, "%s", name);
        }
    if (best[0] != '\0')
        return base_refuse(problem, "no point matches '%.100s'; did you mean '%.200s'?", pattern,
                           best);
    return base_refuse(problem, "no point matches '%.100s'; collider coverage show lists them",
                       pattern);
}

/* ---- Programs that were kept. */

static bool covers(const source *s, const epi_suite_program *program, uint32_t point) {
    const cov_points *points = &s->suite.points->points;
    const cov_point *wanted = &s->in->set->points.points[point];
    for (uint32_t i = 0; i < points->count[COL_FUNCTIONAL]; i++) {
        const cov_point *p = &points->points[points->transition_of[points->by_name[i]]];
        if (strcmp(p->state, wanted->state) != 0 || strcmp(p->event, wanted->event) != 0 ||
            strcmp(points->machines[p->machine].name,
                   s->in->set->points.machines[wanted->machine].name) != 0)
            continue;
        for (uint32_t k = 0; k < program->instance_count; k++)
            if ((s->suite.instances[program->first_instance + k].points[i / 64] >> i % 64 & 1) != 0)
                return true;
    }
    return false;
}

static void find_program(const source *s, uint32_t point, answer *a) {
    for (size_t p = 0; p < s->suite.program_count; p++) {
        const epi_suite_program *program = &s->suite.programs[p];
        if (!covers(s, program, point))
            continue;
        a->programs++;
        if (a->program == NULL || program->operations < a->program->operations)
            a->program = program;
    }
}

/* ---- Commands. */

static void add_option(base_text *command, const char *name, const char *value) {
    if (value == NULL)
        return;
    base_text_add(command, " --");
    base_text_add_shell(command, name); /* a store may be somebody else's */
    base_text_add(command, " ");
    base_text_add_shell(command, value);
}

static void add_json_option(base_text *command, const char *name, const json_t *value) {
    char text[64];
    if (json_is_array(value))
        (void)snprintf(text, sizeof text, "%lld:%lld",
                       (long long)json_integer_value(json_array_get(value, 0)),
                       (long long)json_integer_value(json_array_get(value, 1)));
    else if (json_is_integer(value) && json_integer_value(value) > 0)
        (void)snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    else if (!json_is_string(value))
        return;
    add_option(command, name, json_is_string(value) ? json_string_value(value) : text);
}

/* What any run of the design of a record needs. */
static void add_design(const source *s, base_text *command) {
    uint32_t cores;
    const char *design = col_coverage_design(s->in->set, &cores);
    const json_t *settings = json_object_get(s->record, "settings");
    base_text_add(command, "collider run ");
    base_text_add_shell(command, design);
    base_text_print(command, " --cores %u", cores);
    add_json_option(command, "options", json_object_get(settings, "options"));
    add_json_option(command, "error", json_object_get(s->record, "error"));
    add_json_option(command, "mutant", json_object_get(s->record, "mutant"));
    add_json_option(command, "model", json_object_get(settings, "model_file"));
}

/* The episode again, up to the test. */
static void add_episode(const source *s, uint64_t test, base_text *command) {
    const json_t *settings = json_object_get(s->record, "settings");
    static const struct {
        const char *option, *key;
    } rows[] = {{"ops", "operations"},
                {"locations", "locations"},
                {"sets", "sets"},
                {"mix", "mix"},
                {"instances", "instances"},
                {"metric", "metric"},
                {"engine-options", "engine_options"}};
    add_design(s, command);
    add_json_option(command, "engine", json_object_get(s->record, "engine"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        add_json_option(command, rows[i].option, json_object_get(settings, rows[i].key));
    base_text_print(command, " --seed %lld --tests %llu",
                    (long long)json_integer_value(json_object_get(s->record, "seed")),
                    (unsigned long long)test);
}

static void add_command(const source *s, answer *a) {
    char path[PATH_MAX];
    const char *engine = json_string_value(json_object_get(s->record, "engine"));
    if (a->program != NULL && base_path_in(path, s->folder, a->program->file, NULL) == COL_OK) {
        add_design(s, &a->command);
        base_text_add(&a->command, " --program ");
        base_text_add_shell(&a->command, path);
    } else if (engine != NULL && strcmp(engine, "given") != 0 && a->first.test > 0)
        add_episode(s, a->first.test, &a->command);
}

/* ---- Stores. */

typedef struct looking {
    const source *source;
    uint32_t point;
    answer *answer;
} looking;

static bool is_budget(const char *name) {
    static const char *const names[] = {"design",         "tests", "time", "cycles",
                                        "until-coverage", "seed",  "jobs", NULL};
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void add_trial(const cam_row *row, uint64_t test, base_text *command) {
    base_text_free(command);
    base_text_add(command, "collider run ");
    for (uint32_t i = 0; i < row->pair_count; i++)
        if (strcmp(row->pairs[i].name, "design") == 0)
            base_text_add_shell(command, row->pairs[i].value);
    for (uint32_t i = 0; i < row->pair_count; i++) {
        const cam_pair *pair = &row->pairs[i];
        if (!is_budget(pair->name) && strcmp(pair->value, "yes") == 0) {
            base_text_add(command, " --");
            base_text_add_shell(command, pair->name);
        } else if (!is_budget(pair->name) && strcmp(pair->value, "no") != 0)
            add_option(command, pair->name, pair->value);
    }
    base_text_print(command, " --seed %llu --tests %llu", (unsigned long long)row->seed,
                    (unsigned long long)test);
}

static col_status look(void *context, const cam_row *row, col_problem *problem) {
    looking *l = context;
    answer *a = l->answer;
    uint32_t cores, count = 0;
    col_point_facts f;
    const char *design = col_coverage_design(l->source->in->set, &cores);
    while (col_coverage_point(l->source->in->set, count, &f))
        count++;
    (void)problem;
    if (!row->is_done || row->hits == NULL || row->first == NULL || row->point_count != count ||
        row->cores != cores || strcmp(row->design, design) != 0 || row->hits[l->point] == 0)
        return COL_OK;
    const uint32_t test = row->first[l->point];
    a->trials++;
    if (test == 0 || (a->first.test > 0 && a->first.test <= test))
        return COL_OK;
    a->first = (cov_first){.test = test};
    a->seed = row->seed;
    add_trial(row, test, &a->command);
    return COL_OK;
}

static col_status ask_store(const source *s, uint32_t point, answer *a, col_problem *problem) {
    cam_store *store;
    looking l = {.source = s, .point = point, .answer = a};
    BASE_TRY(cam_store_open(&store, s->in->path, problem));
    return cam_store_end(store, cam_store_each(store, NULL, CAM_HITS, look, &l, problem), problem);
}

/* ---- Telling. */

static json_t *number_or_null(uint64_t number) {
    return number == 0 ? json_null() : json_integer((json_int_t)number);
}

static json_t *describe(const source *s, const answer *a) {
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "input",
                     base_json_text(s->in->path), "hits", (json_int_t)a->hits, "test",
                     number_or_null(a->first.test), "instance", number_or_null(a->first.instance),
                     "seed", a->trials > 0 ? json_integer((json_int_t)a->seed) : json_null(),
                     "trials", number_or_null(a->trials), "program",
                     a->program == NULL ? json_null() : base_json_text(a->program->file),
                     "programs", (json_int_t)a->programs, "command",
                     a->command.data == NULL ? json_null() : base_json_text(a->command.data));
}

static void print_answer(const source *s, const answer *a, base_text *text) {
    base_text_print(text, "  %s: taken %llu time%s", s->in->path, (unsigned long long)a->hits,
                    base_plural(a->hits));
    if (a->trials > 0)
        base_text_print(text, " in %llu trial%s", (unsigned long long)a->trials,
                        base_plural(a->trials));
    if (a->first.test > 0)
        base_text_print(text, ", first in test %llu", (unsigned long long)a->first.test);
    if (a->first.instance > 0)
        base_text_print(text, ", instance %u", a->first.instance);
    if (a->programs > 0)
        base_text_print(text, "; by %u of %llu programs", a->programs,
                        (unsigned long long)s->suite.program_count);
    base_text_print(text, "\n%s%s%s", a->command.data == NULL ? "" : "    ",
                    a->command.data == NULL ? "" : a->command.data,
                    a->command.data == NULL ? "" : "\n");
}

static col_status ask(who *w, const source *s, uint32_t point, uint64_t hits, json_t **answers,
                      col_problem *problem) {
    answer a = {.hits = hits};
    col_status status = COL_OK;
    if (s->in->is_store)
        status = ask_store(s, point, &a, problem);
    else {
        a.first = cov_first_of(s->in->set, point);
        find_program(s, point, &a);
        add_command(s, &a);
    }
    BASE_THEN(status, base_text_status(&a.command, problem));
    if (status == COL_OK) {
        print_answer(s, &a, &w->text);
        base_json_append(answers, describe(s, &a));
    }
    base_text_free(&a.command);
    return status;
}

/* Why nobody did, and where there is more. */
static void explain_hole(who *w, const col_coverage *set, const col_point_facts *f) {
    base_text_add(&w->text, "  never taken");
    if (!f->reachable)
        base_text_add(&w->text, ": not known to be reachable in the protocol");
    else if (f->unmet != 0) {
        base_text_add(&w->text, ": it needs ");
        cov_needs_words(set, f->unmet, &w->text);
        base_text_add(&w->text, ", which no test brought");
    }
    base_text_add(&w->text, "\n    collider coverage show");
    for (uint32_t s = 0; s < w->count; s++) {
        base_text_add(&w->text, " ");
        base_text_add_shell(&w->text, w->sources[s].in->path);
    }
    base_text_add(&w->text, "\n");
}

/* The point of that name in each input. */
static col_status tell_point(who *w, const col_coverage *named, const col_point_facts *named_facts,
                             col_problem *problem) {
    char name[MOST_NAME], other[MOST_NAME];
    json_t *answers = json_array();
    col_point_facts f;
    uint64_t hits = 0;
    col_status status = COL_OK;
    name_point(named_facts, name);
    base_text_print(&w->text, "%s\n", name);
    for (uint32_t s = 0; s < w->count && status == COL_OK; s++)
        for (uint32_t p = 0; status == COL_OK && col_coverage_point(w->sources[s].in->set, p, &f);
             p++) {
            name_point(&f, other);
            if (f.hits == 0 || strcmp(name, other) != 0)
                continue;
            hits = cov_sum(hits, f.hits);
            status = ask(w, &w->sources[s], p, f.hits, &answers, problem);
        }
    if (hits == 0)
        explain_hole(w, named, named_facts);
    base_json_append(&w->list, json_pack("{s:o, s:o, s:o, s:I, s:o}", "machine",
                                         base_json_text(named_facts->machine), "state",
                                         base_json_text(named_facts->state), "event",
                                         base_json_text(named_facts->event), "hits",
                                         (json_int_t)hits, "inputs", answers));
    return status;
}

/* Is the point in an input before this one? */
static bool was_told(const who *w, uint32_t behind, const col_point_facts *f) {
    char name[MOST_NAME], other[MOST_NAME];
    col_point_facts before;
    name_point(f, name);
    for (uint32_t s = 0; s < behind; s++)
        for (uint32_t p = 0; col_coverage_point(w->sources[s].in->set, p, &before); p++) {
            name_point(&before, other);
            if (before.counts && strcmp(name, other) == 0)
                return true;
        }
    return false;
}

static col_status tell(who *w, const char *pattern, col_problem *problem) {
    char parts[PARTS][MOST_NAME];
    bool any = false;
    col_point_facts f;
    BASE_TRY(split(pattern, parts, problem));
    for (uint32_t s = 0; s < w->count; s++) {
        const col_coverage *set = w->sources[s].in->set;
        for (uint32_t p = 0; col_coverage_point(set, p, &f); p++) {
            if (!matches(parts, &f) || was_told(w, s, &f))
                continue;
            any = true;
            BASE_TRY(tell_point(w, set, &f, problem));
        }
    }
    return any ? COL_OK : refuse_pattern(w, pattern, parts, problem);
}

/* ---- Reading what is beside the coverage. */

static col_status open_source(source *s, const cli_covered *in, col_problem *problem) {
    char corpus[PATH_MAX];
    s->in = in;
    if (in->is_store)
        return COL_OK;
    BASE_TRY(base_path_in(corpus, in->path, EPI_CORPUS, problem));
    if (base_folder_has(in->path, EPI_SUITE_INDEX))
        (void)snprintf(s->folder, sizeof s->folder, "%s", in->path);
    else if (base_folder_has(corpus, EPI_SUITE_INDEX))
        (void)snprintf(s->folder, sizeof s->folder, "%s", corpus);
    if (s->folder[0] != '\0')
        BASE_TRY(epi_suite_read_folder(&s->suite, s->folder, problem));
    return base_folder_has(in->path, "episode.json")
               ? base_json_read_in(in->path, "episode.json", &s->record, problem)
               : COL_OK;
}

col_status cli_coverage_who(const cli_arguments *arguments, const char *pattern,
                            const cli_covered *inputs, uint32_t count, col_problem *problem) {
    who w = {.arguments = arguments, .count = count, .list = json_array()};
    col_status status = base_new(&w.sources, (size_t)count + 1, sizeof *w.sources, problem);
    for (uint32_t i = 0; i < count && status == COL_OK; i++)
        status = open_source(&w.sources[i], &inputs[i], problem);
    BASE_THEN(status, tell(&w, pattern, problem));
    BASE_THEN(status, base_text_status(&w.text, problem));
    if (status == COL_OK && arguments->prints)
        status = cli_print(&w.text, problem);
    json_t *results = json_pack("{s:o}", "points", w.list);
    status = cli_write_json(arguments, status, results, problem);
    for (uint32_t i = 0; i < count && w.sources != NULL; i++) {
        epi_suite_free(&w.sources[i].suite);
        json_decref(w.sources[i].record);
    }
    free(w.sources);
    base_text_free(&w.text);
    return status;
}
