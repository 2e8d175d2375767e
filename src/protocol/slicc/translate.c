/* SPDX-License-Identifier: MIT */
/* From a protocol's files to one C file: see translate.h. */
#include "protocol/slicc/translate.h"

#include "base/file.h"
#include "base/path.h"
#include "protocol/slicc/emit_protocol.h"
#include "protocol/slicc/parser.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Cells that are known to be reachable. */

col_status slicc_reached_read(slicc_reached *reached, const char *file, slicc_report *report,
                              col_problem *problem) {
    if (access(file, F_OK) != 0)
        return COL_OK;
    BASE_TRY(base_file_read(file, &reached->text, problem));
    base_lines lines = base_lines_begin(reached->text.data, reached->text.length, file, 3, problem);
    while (base_lines_next_text(&lines, 3) == COL_OK && lines.word_count > 0) {
        slicc_reached_cell cell = {.place = {file, lines.line_number, 1}};
        memcpy(cell.names, lines.words, sizeof cell.names);
        if (lines.word_count != 3 || lines.rest.length > 0) {
            slicc_complain(report, cell.place, "a line is MACHINE STATE EVENT");
            continue;
        }
        cell.place.column = (uint32_t)(cell.names[0].start - lines.line) + 1;
        BASE_TRY(base_reserve(&reached->cells, &reached->capacity, reached->count + 1, sizeof cell,
                              problem));
        reached->cells[reached->count++] = cell;
    }
    return COL_OK;
}

bool slicc_reached_has(slicc_reached *reached, const char *machine, const char *state,
                       const char *event) {
    bool found = false;
    for (size_t i = 0; i < reached->count; i++) {
        slicc_reached_cell *cell = &reached->cells[i];
        if (base_word_is(&cell->names[2], event) && base_word_is(&cell->names[1], state) &&
            base_word_is(&cell->names[0], machine))
            cell->exists = found = true; /* a line may be there twice */
    }
    return found;
}

void slicc_reached_complain(const slicc_reached *reached, slicc_report *report) {
    for (size_t i = 0; i < reached->count; i++) {
        const base_word *n = reached->cells[i].names;
        if (!reached->cells[i].exists)
            slicc_complain(report, reached->cells[i].place,
                           "%.*s has no transition from %.*s at %.*s", (int)n[0].length, n[0].start,
                           (int)n[1].length, n[1].start, (int)n[2].length, n[2].start);
    }
}

void slicc_reached_free(slicc_reached *reached) {
    base_text_free(&reached->path);
    base_text_free(&reached->text);
    free(reached->cells);
}

/* ---- All of it. */

/* A name that C and file systems like. */
static void choose_name(const slicc_tree *tree, const char *path, char name[SLICC_MOST_NAME]) {
    const char *text = tree->protocol != NULL ? tree->protocol : base_path_name(path);
    size_t length = 0;
    for (; *text != '\0' && *text != '.' && length + 1 < SLICC_MOST_NAME; text++) {
        const char c = *text;
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '-';
        name[length++] = (char)(plain ? c : '_');
    }
    name[length] = '\0';
}

static col_status read_all(slicc_tree *tree, slicc_report *report, const char *path,
                           col_problem *problem) {
    BASE_TRY(
        slicc_parse_text(tree, slicc_prelude, strlen(slicc_prelude), "prelude", report, problem));
    return slicc_parse_file(tree, path, report, problem);
}

static const slicc_declaration *first_machine(const slicc_tree *tree) {
    const slicc_declaration *d = tree->declarations;
    while (d != NULL && d->kind != SLICC_MACHINE)
        d = d->next;
    return d;
}

static col_status write_all(slicc_tree *tree, slicc_reached *reached, slicc_mutations *mutations,
                            slicc_report *report, const char *path, base_text *c,
                            char name[SLICC_MOST_NAME], col_problem *problem) {
    if (report->count == 0 && first_machine(tree) == NULL)
        slicc_complain(report, (slicc_place){.file = path, .line = 1, .column = 1},
                       "the protocol has no machine");
    const char *file = base_path_name(path);
    const size_t stem = (size_t)(file - path) + base_path_stem(file);
    base_text_print(&reached->path, "%.*s.reached", (int)stem, path);
    BASE_TRY(base_text_status(&reached->path, problem));
    BASE_TRY(slicc_reached_read(reached, reached->path.data, report, problem));
    BASE_TRY(slicc_report_status(report, problem));
    choose_name(tree, path, name);
    slicc_tree_sort(tree);
    col_status status = slicc_emit(tree, reached, mutations, name, report, c, problem);
    if (status == COL_OK)
        status = slicc_report_status(report, problem);
    if (status == COL_OK)
        slicc_warn_of_unused(tree, report);
    return status == COL_OK ? slicc_report_status(report, problem) : status;
}

col_status slicc_translate(const char *path, slicc_mutations *mutations, base_text *c,
                           char name[SLICC_MOST_NAME], base_text *complaints,
                           col_problem *problem) {
    slicc_tree tree = {0};
    slicc_reached reached = {0};
    slicc_report report = {0};
    col_status status = read_all(&tree, &report, path, problem);
    if (status == COL_OK)
        status = write_all(&tree, &reached, mutations, &report, path, c, name, problem);
    if (status == COL_OK && mutations != NULL && mutations->failed)
        status = base_out_of_memory(problem);
    slicc_report_write(&report, complaints);
    if (complaints->failed)
        status = base_out_of_memory(problem);
    slicc_tree_free(&tree);
    slicc_reached_free(&reached);
    slicc_report_free(&report);
    return status;
}

col_status slicc_analyse(slicc_tree *tree, slicc_report *report, const char *path,
                         col_problem *problem) {
    slicc_reached reached = {0};
    base_text c = {0};
    char name[SLICC_MOST_NAME];
    col_status status = read_all(tree, report, path, problem);
    /* Else it is a part of a protocol that no list was found for. */
    if (status == COL_OK && (first_machine(tree) != NULL || base_path_ends(path, ".slicc")))
        status = write_all(tree, &reached, NULL, report, path, &c, name, problem);
    if (status == COL_BAD_INPUT && report->count > 0)
        status = COL_OK;
    base_text_free(&c);
    slicc_reached_free(&reached);
    return status;
}
