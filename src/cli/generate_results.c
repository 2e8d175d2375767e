/* SPDX-License-Identifier: MIT */
/* What `collider generate` made: see cli_generate_results.h. */
#include "cli/generate_results.h"

#include "base/json.h"
#include "base/plural.h"
#include "generate/assign.h"
#include "generate/mix.h"

#include <stdio.h>
#include <stdlib.h>

static col_status note_program(cli_generate_results *r, const col_program *program,
                               const char *pattern, const char *path, col_problem *problem) {
    const col_hash hash = col_program_hash(program);
    char digits[40];
    (void)snprintf(digits, sizeof digits, "%016llx%016llx", (unsigned long long)hash.high,
                   (unsigned long long)hash.low);
    json_t *entry =
        json_pack("{s:s?, s:s, s:s?}", "file", path, "hash", digits, "pattern", pattern);
    if (entry == NULL)
        return base_out_of_memory(problem);
    return json_array_append_new(r->programs, entry) == 0 ? COL_OK : base_out_of_memory(problem);
}

static col_status add_pressure(cli_generate_results *r, const col_program *program,
                               col_problem *problem) {
    const col_geometry *geometry = &r->generation->addressing.geometry;
    for (uint32_t l = 0; l < geometry->level_count; l++) {
        uint32_t blocks;
        const col_status status = gen_level_pressure(program, geometry, l, &blocks, problem);
        if (status != COL_OK)
            return status;
        r->pressure[l] = blocks > r->pressure[l] ? blocks : r->pressure[l];
    }
    return COL_OK;
}

col_status cli_generate_results_add(cli_generate_results *r, const col_program *program,
                                    const col_generated *generated, const char *path,
                                    col_problem *problem) {
    base_text pattern = {0};
    col_status status = gen_statistics_add(&r->statistics, program, generated, problem);
    if (status == COL_OK)
        status = gen_pattern_write(generated, program->location_count, &pattern, problem);
    if (status == COL_OK)
        status = add_pressure(r, program, problem);
    if (status == COL_OK && r->programs != NULL)
        status = note_program(r, program, pattern.data, path, problem);
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

static void print_collisions(const gen_statistics *s) {
    const uint64_t collisions = s->intra_collisions + s->inter_collisions;
    (void)printf("pairs of accesses to one location (collisions): %llu\n",
                 (unsigned long long)collisions);
    print_row("within a thread", s->intra_collisions, collisions);
    print_row("  of these conflicts", s->intra_conflicts, collisions);
    print_row("between threads", s->inter_collisions, collisions);
    print_row("  of these conflicts", s->inter_conflicts, collisions);
    (void)printf("races per access: mean %.1f, least %llu, most %llu\n", gen_statistics_races(s),
                 (unsigned long long)s->least_races, (unsigned long long)s->most_races);
}

static void print_chains(const gen_statistics *s) {
    const uint64_t chains = s->chains[0] + s->chains[1] + s->chains[2] + s->chains[3];
    (void)printf("chains: %llu\n", (unsigned long long)chains);
    for (uint32_t c = 0; c < COL_CATEGORIES; c++) {
        char name[] = "category 0";
        name[9] = (char)('0' + c);
        print_row(name, s->chains[c], chains);
    }
    (void)printf("  operations in no chain: %llu\n", (unsigned long long)s->fillers);
}

static void print_competition(const cli_generate_results *r) {
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

void cli_generate_results_print(const cli_generate_results *r) {
    const gen_statistics *s = &r->statistics;
    (void)printf("%llu program%s, %llu operation%s\n", (unsigned long long)s->programs,
                 base_plural(s->programs), (unsigned long long)s->operations,
                 base_plural(s->operations));
    for (uint32_t kind = 0; kind < COL_KIND_COUNT; kind++)
        if (s->by_kind[kind] > 0)
            print_row(col_kinds[kind].name, s->by_kind[kind], s->operations);
    print_collisions(s);
    if (r->generation->chained)
        print_chains(s);
    print_competition(r);
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
