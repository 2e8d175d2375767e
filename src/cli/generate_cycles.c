/* SPDX-License-Identifier: MIT */
/* collider generate --engine litmus: the tests of cycles, as files, as a table and as JSON. */
#include "cli/generate_cycles.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/plural.h"
#include "cli/command.h"
#include "cli/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    const cli_cycles *cycles;
    cyc_list list;
    uint32_t done;
    cyc_test test;
    base_text table;
    json_t *tests; /* NULL: no JSON is wanted */
    uint32_t files;
} job;

static bool prints_tests(const cli_cycles *c) {
    return c->folder == NULL && !c->stats && c->json_file == NULL;
}

static col_status check_output(const cli_cycles *c, col_problem *problem) {
    if (prints_tests(c) && c->cycle == NULL)
        return base_refuse(problem, "the tests of all cycles need a place: --out FOLDER; or ask "
                                    "for --stats or --json");
    if (prints_tests(c) && c->is_litmus && c->isa == PRG_ISA_COUNT)
        return base_refuse(problem, "litmus files for all instruction sets need a place: --out "
                                    "FOLDER; or choose one by --isa");
    if (c->is_litmus && c->folder == NULL && !prints_tests(c))
        return base_refuse(problem, "--format says how tests are written: add --out FOLDER, or "
                                    "leave out --stats and --json");
    if (c->json_file != NULL && strcmp(c->json_file, "-") == 0 && c->stats)
        return base_refuse(problem, "--json - has standard output for itself: give --json a file, "
                                    "or leave out --stats");
    if (c->json_file != NULL && c->json_file[0] == '\0')
        return base_refuse(problem, "--json needs the name of a file");
    if (c->folder != NULL && c->json_file != NULL && !base_is_utf8(c->folder))
        return base_refuse(problem, "the name of the folder is not UTF-8, which JSON needs");
    if (c->folder != NULL && c->folder[0] == '\0')
        return base_refuse(problem, "--out needs the name of a folder");
    return COL_OK;
}

/* ---- The cycles. */

static col_status find_cycles(job *j, col_problem *problem) {
    const cli_cycles *c = j->cycles;
    if (c->cycle != NULL) {
        const col_status status =
            base_reserve(&j->list.cycles, &j->list.capacity, 1, sizeof *j->list.cycles, problem);
        j->list.count = 1;
        return status == COL_OK ? cyc_cycle_read(j->list.cycles, c->cycle, problem) : status;
    }
    cyc_relaxation *relaxations = NULL;
    uint32_t count = 0;
    col_status status = cyc_relaxations_read(
        c->relaxations != NULL ? c->relaxations : cyc_model_relaxations[c->model], &relaxations,
        &count, problem);
    if (status == COL_OK)
        status = cyc_list_make(&j->list, relaxations, count, c->up_to, problem);
    free(relaxations);
    if (status == COL_OK && j->list.count == 0)
        status = base_refuse(problem, "these relaxations make no cycle of up to %u", c->up_to);
    return status;
}

/* ---- What is written of each. */

/* NULL: to standard output. */
static col_status write_file(job *j, const char *path, prg_isa isa, col_problem *problem) {
    base_text text = {0};
    col_status status = COL_OK;
    if (j->cycles->is_litmus)
        status = cyc_test_write_litmus(&j->test, isa, &text, problem);
    else
        cyc_test_write_program(&j->test, &text);
    if (status == COL_OK)
        status = base_text_status(&text, problem);
    if (status == COL_OK)
        status = path == NULL ? base_file_write("-", text.data, text.length, problem)
                              : base_file_write_anew(path, text.data, text.length, problem);
    base_text_free(&text);
    return status;
}

static col_status write_files(job *j, json_t **names, col_problem *problem) {
    const cli_cycles *c = j->cycles;
    if (prints_tests(c))
        return write_file(j, NULL, c->isa, problem);
    col_status status = COL_OK;
    for (uint32_t isa = 0; isa < (c->is_litmus ? PRG_ISA_COUNT : 1) && status == COL_OK; isa++) {
        char path[PATH_MAX];
        base_text name = {0};
        if (c->is_litmus && c->isa != PRG_ISA_COUNT && c->isa != isa)
            continue;
        base_text_print(&name, "%s%s%s%s", j->test.name.data, c->is_litmus ? "." : "",
                        c->is_litmus ? prg_isa_words[isa] : "", c->is_litmus ? ".litmus" : ".txt");
        status = base_text_status(&name, problem);
        if (status == COL_OK)
            status = base_path_in(path, c->folder, name.data, problem);
        base_text_free(&name);
        if (status == COL_OK)
            status = write_file(j, path, (prg_isa)isa, problem);
        if (status == COL_OK)
            base_json_append(names, base_json_text(path));
        j->files++;
    }
    return status;
}

static void add_row(job *j) {
    base_text_print(&j->table, "%-24s", j->test.name.data);
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
        base_text_print(&j->table, " %-5s", j->test.allowed[m] ? "yes" : "no");
    base_text_print(&j->table, "  %s\n", j->test.relaxations.data);
}

static void add_head(base_text *table) {
    base_text_print(table, "%-24s", "allowed by");
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
        base_text_print(table, " %-5s", col_models[m]);
    base_text_add(table, "  cycle\n");
}

/* Takes the files. */
static void add_json(job *j, json_t *files) {
    json_t *allowed = json_object();
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
        base_json_set(&allowed, col_models[m], json_boolean(j->test.allowed[m]));
    base_json_append(&j->tests, json_pack("{s:s, s:s, s:i, s:i, s:i, s:o, s:o}", "name",
                                          j->test.name.data, "cycle", j->test.relaxations.data,
                                          "threads", (int)j->test.program.thread_count, "locations",
                                          (int)j->test.program.location_count, "operations",
                                          (int)col_program_operations(&j->test.program), "allowed",
                                          allowed, "files", files));
}

static col_status make_one(job *j, const cyc_cycle *cycle, col_problem *problem) {
    const cli_cycles *c = j->cycles;
    json_t *files = c->json_file != NULL ? json_array() : NULL;
    col_status status = cyc_test_make(&j->test, cycle, problem);
    if (status == COL_OK)
        status = cyc_test_judge(&j->test, problem);
    if (status == COL_OK && (prints_tests(c) || c->folder != NULL))
        status = write_files(j, &files, problem);
    if (status == COL_OK && c->stats)
        add_row(j);
    if (status == COL_OK && c->json_file != NULL)
        add_json(j, files);
    else
        json_decref(files);
    return status;
}

static col_status write_results(job *j, col_problem *problem) {
    const cli_cycles *c = j->cycles;
    col_status status = COL_OK;
    if (c->stats)
        status = base_text_status(&j->table, problem);
    if (status == COL_OK && c->stats)
        status = base_file_write("-", j->table.data, j->table.length, problem);
    if (status == COL_OK && c->json_file != NULL) {
        json_t *tests = j->tests;
        j->tests = NULL;
        status = base_json_write(c->json_file,
                                 json_pack("{s:s, s:i, s:o}", "engine", "litmus", "cycles",
                                           (int)j->list.count, "tests", tests),
                                 problem);
    }
    if (status == COL_OK && c->folder != NULL && !c->quiet)
        base_print(stderr, "wrote %u file%s to %s\n", j->files, base_plural(j->files), c->folder);
    return status;
}

static col_status make_all(job *j, col_problem *problem) {
    const cli_cycles *c = j->cycles;
    col_status status = check_output(c, problem);
    if (status == COL_OK)
        status = find_cycles(j, problem);
    if (status == COL_OK && c->folder != NULL)
        status = base_folder_make(c->folder, problem);
    if (status == COL_OK && c->json_file != NULL)
        j->tests = json_array();
    add_head(&j->table);
    for (; status == COL_OK && j->done < j->list.count && cli_stop == 0; j->done++)
        status = make_one(j, &j->list.cycles[j->done], problem);
    return status == COL_OK && j->done == j->list.count ? write_results(j, problem) : status;
}

int cli_generate_cycles(const cli_cycles *cycles, col_problem *problem) {
    job j = {.cycles = cycles};
    cli_catch_signals_briefly();
    const col_status status = make_all(&j, problem);
    const bool is_cut_short = status == COL_OK && j.done < j.list.count;
    char what[80];
    (void)snprintf(what, sizeof what, "%u of %u tests were made", j.done, j.list.count);
    cyc_list_free(&j.list);
    cyc_test_free(&j.test);
    base_text_free(&j.table);
    json_decref(j.tests);
    return is_cut_short ? cli_cut_short(problem, what) : (int)status;
}
