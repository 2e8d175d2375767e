/* SPDX-License-Identifier: MIT */
/*
 * The tables of docs/ that say what there is: engines, models, formats, mixes, statistics. They are
 * made from the tables of the code, so that neither can change without the other.
 *
 *   tables DOCS          says which table is not as the code has it: exit status 1
 *   tables --fix DOCS    writes it
 *
 * In a page, a table follows a line "<!-- table NAME -->".
 */
#include "base/file.h"
#include "collider/episode.h"
#include "engine/engine.h"
#include "judge/memory_models.h"
#include "program/generate/generator.h"
#include "program/program.h"
#include "results/report/report.h"
#include "results/statistics/statistic.h"
#include "results/store/store_schema.h"

#include <stdio.h>
#include <string.h>

/* ---- The tables. */

static void add_engines(base_text *text) {
    base_text_add(text,
                  "| engine | papers' name | what it does | feedback it uses | ends by itself "
                  "| `--learning-log` | page |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; col_engines[i] != NULL; i++) {
        const dir_engine *e = dir_engine_find(col_engines[i]);
        const char *slash = strrchr(e->page, '/'), *page = slash == NULL ? e->page : slash + 1;
        base_text_print(text, "| `%s` | %s | %s | %s | %s | %s | [%.*s](%s) |\n", e->name, e->paper,
                        e->summary, e->feedback, e->ends ? "yes" : "no",
                        e->functions->learning != NULL ? "yes" : "no", (int)strcspn(page, "."),
                        page, e->page);
    }
}

/* "read→read, write→write" */
static void add_pairs(uint32_t pairs, base_text *text) {
    static const struct {
        uint32_t pair;
        const char *name;
    } names[] = {{COL_READ_READ, "read→read"},
                 {COL_READ_WRITE, "read→write"},
                 {COL_WRITE_READ, "write→read"},
                 {COL_WRITE_WRITE, "write→write"}};
    if (pairs == COL_FULL_FENCE)
        base_text_add(text, "every pair");
    if (pairs == 0)
        base_text_add(text, "nothing");
    if (pairs == COL_FULL_FENCE || pairs == 0)
        return;
    const size_t start = text->length;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((pairs & names[i].pair) != 0)
            base_text_print(text, "%s%s", text->length == start ? "" : ", ", names[i].name);
}

static void add_model(col_model place, const char *summary, base_text *text) {
    const chk_model *m = chk_model_of(place);
    base_text_print(text, "| `%s` | %s | ", col_models[place], summary);
    if (m->keeps != 0 || m->keeps_here == 0)
        add_pairs(m->keeps, text);
    if (m->keeps_here != 0) {
        base_text_add(text, m->keeps != 0 ? ", " : "");
        add_pairs(m->keeps_here, text);
        base_text_add(text, " of one location");
    }
    base_text_add(text, " | ");
    add_pairs(COL_FULL_FENCE & ~(uint32_t)m->keeps, text);
    const struct {
        bool counts;
        const char *name;
    } further[] = {{m->attributes, "acquire and release"},
                   {m->dependencies, "dependencies"},
                   {m->times, "times of traces"},
                   {m->splits_atomics, "an atomic is two events"}};
    const char *between = " | ";
    for (size_t i = 0; i < sizeof further / sizeof further[0]; i++) {
        if (!further[i].counts)
            continue;
        base_text_print(text, "%s%s", between, further[i].name);
        between = ", ";
    }
    base_text_add(text, strcmp(between, " | ") == 0 ? " | |\n" : " |\n");
}

static void add_models(base_text *text) {
    base_text_add(text, "| model | what it is | always in order | fences order | what else counts "
                        "|\n| --- | --- | --- | --- | --- |\n");
#define ROW(name, word, summary) add_model(name, summary, text);
    COL_MODELS(ROW)
#undef ROW
}

/* "a, b" as `a`, `b` */
static void add_quoted(const char *list, base_text *text) {
    base_text_add(text, "`");
    for (; *list != '\0'; list++) {
        if (*list == ',')
            base_text_add(text, "`");
        base_text_add_bytes(text, list, 1);
        if (*list == ' ')
            base_text_add(text, "`");
    }
    base_text_add(text, "`");
}

static void add_formats(base_text *text) {
    base_text_add(text, "| format | what it is | files |\n| --- | --- | --- |\n");
    for (int i = 0; i < REP_FORMAT_COUNT; i++) {
        const char *file = rep_format_of[i].file;
        base_text_print(text, "| `%s` | %s | %s", rep_formats[i], rep_format_of[i].summary,
                        file == NULL ? "a folder: " : "");
        add_quoted(file == NULL ? rep_format_of[i].files : file, text);
        base_text_add(text, " |\n");
    }
}

static void add_templates(base_text *text) {
    base_text_add(text, "| template | as it stands in a program |\n| --- | --- |\n");
    for (uint32_t t = 0; t < gen_template_count; t++) {
        col_operation operation = gen_templates[t].operation;
        operation.value = col_kinds[operation.kind].writes;
        operation.distance = operation.dependency != COL_NO_DEPENDENCY;
        base_text_print(text, "| `%s` | `", gen_templates[t].name);
        prg_operation_write(&operation, text);
        base_text_add(text, "` |\n");
    }
}

/* "load=0.5,store=0.5" as "load 0.5, store 0.5" */
static void add_mixes(const gen_named_mix *mixes, base_text *text) {
    base_text_add(text, "| name | mix | source |\n| --- | --- | --- |\n");
    for (const gen_named_mix *mix = mixes; mix->name != NULL; mix++) {
        base_text_print(text, "| `%s` | ", mix->name);
        for (const char *at = mix->weights; *at != '\0'; at++) {
            if (*at == ',' || *at == '=')
                base_text_add(text, *at == ',' ? ", " : " ");
            else
                base_text_add_bytes(text, at, 1);
        }
        base_text_print(text, " | %s |\n", mix->source);
    }
}

static void add_instruction_mixes(base_text *text) {
    add_mixes(gen_instruction_mixes, text);
}

static void add_category_mixes(base_text *text) {
    add_mixes(gen_category_mixes, text);
}

static void add_statistics(base_text *text) {
    base_text_add(text, "| name | unit | value | needs |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; cam_statistics[i] != NULL; i++) {
        const cam_statistic *s = cam_statistic_find(cam_statistics[i]);
        const char *between = " | ";
        const struct {
            bool is_needed;
            const char *what;
        } needs[] = {{s->at != CAM_AT_NOTHING, "`at`"},
                     {(s->parts & CAM_CURVES) != 0, "curves"},
                     {s->is_relative, "baseline"}};
        base_text_print(text, "| `%s` | %s | %s", s->name, s->unit, s->value);
        for (size_t n = 0; n < sizeof needs / sizeof needs[0]; n++) {
            if (!needs[n].is_needed)
                continue;
            base_text_print(text, "%s%s", between, needs[n].what);
            between = ", ";
        }
        base_text_add(text, strcmp(between, " | ") == 0 ? " | |\n" : " |\n");
    }
}

static void add_trial_columns(base_text *text) {
    base_text_add(text, "| column | meaning |\n| --- | --- |\n| `id` | its number |\n");
    for (size_t i = 0; i < cam_trial_columns.count; i++)
        base_text_print(text, "| `%s` | %s |\n", cam_trial_columns.list[i].name,
                        cam_trial_columns.list[i].about);
}

#define MEANING(name, word, meaning) base_text_print(text, "| `%s` | %s |\n", word, meaning);

static void add_outcomes(base_text *text) {
    base_text_add(text, "| `verdict` | |\n| --- | --- |\n");
    COL_OUTCOMES(MEANING)
}

static void add_endings(base_text *text) {
    base_text_add(text, "| `ended_by` | |\n| --- | --- |\n");
    COL_ENDINGS(MEANING)
}

/* ---- Where they stand. */

static const struct {
    const char *name, *page;
    void (*add)(base_text *text);
} tables[] = {
    {"engines", "engines/README.md", add_engines},
    {"models", "models.md", add_models},
    {"formats", "report-formats.md", add_formats},
    {"templates", "generation.md", add_templates},
    {"instruction-mixes", "generation.md", add_instruction_mixes},
    {"category-mixes", "generation.md", add_category_mixes},
    {"statistics", "statistics.md", add_statistics},
    {"trial-columns", "store.md", add_trial_columns},
    {"outcomes", "episode.md", add_outcomes},
    {"endings", "episode.md", add_endings},
};

/* Replaces the table behind its mark in a page by the one of the code. */
static col_status put(const char *page, const char *name, const base_text *table, base_text *made,
                      col_problem *problem) {
    char mark[64];
    (void)snprintf(mark, sizeof mark, "<!-- table %s -->\n", name);
    const char *at = strstr(page, mark);
    if (at == NULL)
        return base_refuse(problem, "there is no line %.*s", (int)strlen(mark) - 1, mark);
    at += strlen(mark);
    base_text_add_bytes(made, page, (size_t)(at - page));
    base_text_add(made, table->data == NULL ? "" : table->data);
    while (*at == '|') {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    base_text_add(made, at);
    col_status status = base_text_status(table, problem);
    return status == COL_OK ? base_text_status(made, problem) : status;
}

/* The first line of the code's page that is not in the old one. */
static void show_difference(const char *path, const char *old, const char *made) {
    unsigned line = 1;
    const char *start = made;
    for (; *made != '\0' && *old == *made; old++, made++) {
        if (*made != '\n')
            continue;
        line++;
        start = made + 1;
    }
    (void)fprintf(stderr, "tables: %s:%u: the code says: %.*s\ntables: tables --fix writes it\n",
                  path, line, (int)strcspn(start, "\n"), start);
}

static col_status try_table(const char *docs, size_t place, bool fixes, bool *is_right,
                            col_problem *problem) {
    char path[1024];
    base_text page = {0}, table = {0}, made = {0};
    (void)snprintf(path, sizeof path, "%s/%s", docs, tables[place].page);
    col_status status = base_file_read(path, &page, problem);
    tables[place].add(&table);
    if (status == COL_OK)
        status = put(page.data, tables[place].name, &table, &made, problem);
    if (status == COL_OK && made.data != NULL && strcmp(page.data, made.data) != 0) {
        if (fixes) {
            status = base_file_write(path, made.data, made.length, problem);
        } else {
            show_difference(path, page.data, made.data);
            *is_right = false;
        }
    }
    base_text_free(&page);
    base_text_free(&table);
    base_text_free(&made);
    return status;
}

int main(int count, char **words) {
    const bool fixes = count == 3 && strcmp(words[1], "--fix") == 0;
    bool is_right = true;
    if (count != 2 && !fixes) {
        (void)fprintf(stderr, "usage: tables [--fix] DOCS\n");
        return COL_BAD_INPUT;
    }
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        col_problem problem;
        const col_status status = try_table(words[count - 1], i, fixes, &is_right, &problem);
        if (status != COL_OK) {
            (void)fprintf(stderr, "tables: %s: %s\n", tables[i].page, problem.message);
            return (int)status;
        }
    }
    return is_right ? 0 : 1;
}
