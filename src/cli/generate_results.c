/* SPDX-License-Identifier: MIT */
/* What `collider generate` made: see generate_results.h. */
#include "cli/generate_results.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/path.h"
#include "cli/signals.h"
#include "program/generate/generator.h"

#include <stdlib.h>
#include <string.h>

static col_status add_pressure(cli_generate_results *r, const col_program *program,
                               col_problem *problem) {
    const col_geometry *geometry = &r->generation->addressing.geometry;
    for (uint32_t l = 0; l < geometry->level_count; l++) {
        uint32_t blocks;
        BASE_TRY(gen_level_pressure(program, geometry, l, &blocks, problem));
        r->pressure[l] = blocks > r->pressure[l] ? blocks : r->pressure[l];
    }
    return COL_OK;
}

col_status cli_generate_results_add(cli_generate_results *r, const col_program *program,
                                    const col_generated *generated, const char *path,
                                    col_problem *problem) {
    base_text pattern = {0};
    col_status status = gen_statistics_add(&r->statistics, program, generated, problem);
    BASE_THEN(status, gen_pattern_write(generated, program->location_count, &pattern, problem));
    BASE_THEN(status, add_pressure(r, program, problem));
    if (status == COL_OK && r->programs != NULL) {
        const col_hash hash = col_program_hash(program);
        char digits[40];
        (void)snprintf(digits, sizeof digits, "%016llx%016llx", (unsigned long long)hash.high,
                       (unsigned long long)hash.low);
        base_json_append(&r->programs, json_pack("{s:s?, s:s, s:s?}", "file", path, "hash", digits,
                                                 "pattern", pattern.data));
    }
    if (status == COL_OK && r->statistics.programs == 1)
        r->pattern = pattern; /* kept for print */
    else
        base_text_free(&pattern);
    return status;
}

static void print_row(const char *name, uint64_t number, uint64_t whole) {
    (void)printf("  %-22s %14llu  %5.1f %%\n", name, (unsigned long long)number,
                 whole == 0 ? 0 : 100 * (double)number / (double)whole);
}

void cli_generate_results_print(const cli_generate_results *r) {
    const gen_statistics *s = &r->statistics;
    (void)printf("%llu program%s, %llu operation%s\n", (unsigned long long)s->programs,
                 base_plural(s->programs), (unsigned long long)s->operations,
                 base_plural(s->operations));
    for (uint32_t kind = 0; kind < COL_KIND_COUNT; kind++)
        if (s->by_kind[kind] > 0)
            print_row(col_kinds[kind].name, s->by_kind[kind], s->operations);
    const uint64_t collisions = s->intra_collisions + s->inter_collisions;
    (void)printf("pairs of accesses to one location (collisions): %llu\n",
                 (unsigned long long)collisions);
    print_row("within a thread", s->intra_collisions, collisions);
    print_row("  of these conflicts", s->intra_conflicts, collisions);
    print_row("between threads", s->inter_collisions, collisions);
    print_row("  of these conflicts", s->inter_conflicts, collisions);
    (void)printf("races per access: mean %.1f, least %llu, most %llu\n", gen_statistics_races(s),
                 (unsigned long long)s->least_races, (unsigned long long)s->most_races);
    if (r->generation->chained) {
        const uint64_t chains = s->chains[0] + s->chains[1] + s->chains[2] + s->chains[3];
        (void)printf("chains: %llu\n", (unsigned long long)chains);
        for (uint32_t c = 0; c < COL_CATEGORIES; c++) {
            char name[] = "category 0";
            name[9] = (char)('0' + c);
            print_row(name, s->chains[c], chains);
        }
        (void)printf("  operations in no chain: %llu\n", (unsigned long long)s->fillers);
    }
    const col_addressing *a = &r->generation->addressing;
    if (a->sets == 0)
        (void)printf("competition: unconstrained\n");
    else
        (void)printf("competition: cbc = (%u, %u), pattern %s%s\n", a->sets,
                     gen_addressing_largest(a, r->generation->locations), r->pattern.data,
                     r->statistics.programs > 1 ? " in the first" : "");
    for (uint32_t l = 0; l < a->geometry.level_count; l++)
        (void)printf("  %-4s fullest set: %u block%s for %u way%s%s\n", a->geometry.levels[l].name,
                     r->pressure[l], base_plural(r->pressure[l]), a->geometry.levels[l].ways,
                     base_plural(a->geometry.levels[l].ways),
                     r->pressure[l] > a->geometry.levels[l].ways ? ", evicts" : "");
}

static json_t *integer(uint64_t number) {
    return json_integer((json_int_t)number);
}

static json_t *json_levels(const cli_generate_results *r) {
    const col_geometry *geometry = &r->generation->addressing.geometry;
    json_t *levels = json_array();
    for (uint32_t l = 0; l < geometry->level_count; l++)
        base_json_append(&levels, json_pack("{s:s, s:o, s:o}", "name", geometry->levels[l].name,
                                            "ways", integer(geometry->levels[l].ways),
                                            "fullest_set", integer(r->pressure[l])));
    return levels;
}

static json_t *json_competition(const cli_generate_results *r) {
    const col_addressing *a = &r->generation->addressing;
    if (a->sets == 0)
        return json_pack("{s:n, s:n, s:o}", "sets", "largest", "levels", json_levels(r));
    return json_pack("{s:o, s:o, s:o}", "sets", integer(a->sets), "largest",
                     integer(gen_addressing_largest(a, r->generation->locations)), "levels",
                     json_levels(r));
}

static json_t *json_statistics(const cli_generate_results *r) {
    const gen_statistics *s = &r->statistics;
    json_t *kinds = json_object(), *chains = json_object();
    for (uint32_t kind = 0; kind < COL_KIND_COUNT; kind++)
        base_json_set(&kinds, col_kinds[kind].name, integer(s->by_kind[kind]));
    for (uint32_t c = 0; c < COL_CATEGORIES; c++)
        base_json_set(&chains, gen_categories[c], integer(s->chains[c]));
    return json_pack("{s:o, s:o, s:{s:o, s:o}, s:{s:o, s:o}, s:{s:f, s:o, s:o}, s:o, s:o}",
                     "by_kind", kinds, "accesses", integer(s->accesses), "collisions", "intra",
                     integer(s->intra_collisions), "inter", integer(s->inter_collisions),
                     "conflicts", "intra", integer(s->intra_conflicts), "inter",
                     integer(s->inter_conflicts), "races", "mean", gen_statistics_races(s), "least",
                     integer(s->least_races), "most", integer(s->most_races), "chains", chains,
                     "fillers", integer(s->fillers));
}

col_status cli_generate_results_write(const cli_generate_results *r, const char *file,
                                      col_problem *problem) {
    json_t *root = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:O}", "engine", r->engine, "threads",
        integer(r->generation->threads), "locations", integer(r->generation->locations), "seed",
        integer(r->seed), "tests", integer(r->statistics.programs), "operations",
        integer(r->statistics.operations), "statistics", json_statistics(r), "competition",
        json_competition(r), "version", col_version(), "programs", r->programs);
    return base_json_write(file, root, problem);
}

void cli_generate_results_free(cli_generate_results *r) {
    base_text_free(&r->pattern);
    json_decref(r->programs);
    r->programs = NULL;
}

col_status cli_generate_check_folder(const cli_arguments *arguments, const char *folder,
                                     col_problem *problem) {
    if (folder != NULL && arguments->json != NULL && !base_is_utf8(folder))
        return base_refuse(problem, "the name of the folder is not UTF-8, which JSON needs");
    if (folder != NULL && folder[0] == '\0')
        return base_refuse(problem, "--out needs the name of a folder");
    return COL_OK;
}

/* collider generate --engine litmus: the tests of cycles, as files, as a table and as JSON. */

typedef struct job {
    const cli_cycles *cycles;
    cyc_list list;
    uint32_t done;
    cyc_test test;
    base_text table;
    json_t *tests; /* for --json */
    uint32_t files;
} job;

static bool prints_tests(const cli_cycles *c) {
    return c->folder == NULL && !c->stats && c->arguments->json == NULL;
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
    if (!c->arguments->prints && c->stats)
        return base_refuse(problem, "--json - has standard output for itself: give --json a file, "
                                    "or leave out --stats");
    return cli_generate_check_folder(c->arguments, c->folder, problem);
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
    BASE_THEN(status, cyc_list_make(&j->list, relaxations, count, c->up_to, problem));
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
    BASE_THEN(status, base_text_status(&text, problem));
    BASE_THEN(status, path == NULL ? base_file_write("-", text.data, text.length, problem)
                                   : base_file_write_anew(path, text.data, text.length, problem));
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
        BASE_THEN(status, base_path_in(path, c->folder, name.data, problem));
        base_text_free(&name);
        BASE_THEN(status, write_file(j, path, (prg_isa)isa, problem));
        if (status == COL_OK)
            base_json_append(names, base_json_text(path));
        j->files++;
    }
    return status;
}

static col_status make_one(job *j, const cyc_cycle *cycle, col_problem *problem) {
    const cli_cycles *c = j->cycles;
    json_t *files = json_array();
    col_status status = cyc_test_make(&j->test, cycle, problem);
    BASE_THEN(status, cyc_test_judge(&j->test, problem));
    if (status == COL_OK && (prints_tests(c) || c->folder != NULL))
        status = write_files(j, &files, problem);
    if (status == COL_OK && c->stats) {
        base_text_print(&j->table, "%-24s", j->test.name.data);
        for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
            base_text_print(&j->table, " %-5s", j->test.allowed[m] ? "yes" : "no");
        base_text_print(&j->table, "  %s\n", j->test.relaxations.data);
    }
    if (status == COL_OK && c->arguments->json != NULL) {
        json_t *allowed = json_object();
        for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
            base_json_set(&allowed, col_models[m], json_boolean(j->test.allowed[m]));
        base_json_append(&j->tests,
                         json_pack("{s:s, s:s, s:i, s:i, s:i, s:o, s:o}", "name", j->test.name.data,
                                   "cycle", j->test.relaxations.data, "threads",
                                   (int)j->test.program.thread_count, "locations",
                                   (int)j->test.program.location_count, "operations",
                                   (int)col_program_operations(&j->test.program), "allowed",
                                   allowed, "files", files));
    } else
        json_decref(files);
    return status;
}

static col_status write_results(job *j, col_problem *problem) {
    const cli_cycles *c = j->cycles;
    col_status status = COL_OK;
    if (c->stats)
        status = base_file_write_text("-", &j->table, problem);
    json_t *all = json_pack("{s:s, s:i, s:O}", "engine", "litmus", "cycles", (int)j->list.count,
                            "tests", j->tests);
    status = cli_write_json(c->arguments, status, all, problem);
    if (status == COL_OK && c->folder != NULL && !c->arguments->quiet)
        base_print(stderr, "wrote %u file%s to %s\n", j->files, base_plural(j->files), c->folder);
    return status;
}

static col_status make_all(job *j, col_problem *problem) {
    const cli_cycles *c = j->cycles;
    col_status status = check_output(c, problem);
    BASE_THEN(status, find_cycles(j, problem));
    if (status == COL_OK && c->folder != NULL)
        status = base_folder_make(c->folder, problem);
    base_text_print(&j->table, "%-24s", "allowed by");
    for (uint32_t m = 0; m < COL_MODEL_COUNT; m++)
        base_text_print(&j->table, " %-5s", col_models[m]);
    base_text_add(&j->table, "  cycle\n");
    for (; status == COL_OK && j->done < j->list.count && cli_stop == 0; j->done++)
        status = make_one(j, &j->list.cycles[j->done], problem);
    return status == COL_OK && j->done == j->list.count ? write_results(j, problem) : status;
}

int cli_generate_cycles(const cli_cycles *cycles, col_problem *problem) {
    job j = {.cycles = cycles, .tests = json_array()};
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
