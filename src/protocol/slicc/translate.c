/* SPDX-License-Identifier: MIT */
/* From a protocol's files to one C file: see translate.h. */
#include "protocol/slicc/translate.h"

#include "base/path.h"
#include "protocol/slicc/emit_protocol.h"
#include "protocol/slicc/parser.h"

#include <string.h>

/* A name that C and file systems like. */
static void choose_name(const slicc_tree *tree, const char *path, char name[SLICC_MOST_NAME]) {
    const char *text = tree->protocol != NULL ? tree->protocol : base_path_name(path);
    size_t length = 0;
    for (; *text != '\0' && *text != '.' && length + 1 < SLICC_MOST_NAME; text++) {
        const char c = *text;
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '-';
        name[length++] = '_';
        if (plain)
            name[length - 1] = c;
    }
    name[length] = '\0';
}

static col_status read_all(slicc_tree *tree, slicc_report *report, const char *path,
                           col_problem *problem) {
    const col_status status =
        slicc_parse_text(tree, slicc_prelude, strlen(slicc_prelude), "prelude", report, problem);
    return status == COL_OK ? slicc_parse_file(tree, path, report, problem) : status;
}

static col_status write_all(slicc_tree *tree, slicc_reached *reached, slicc_mutations *mutations,
                            slicc_report *report, const char *path, base_text *c,
                            char name[SLICC_MOST_NAME], col_problem *problem) {
    if (report->count == 0) {
        const slicc_declaration *d = tree->declarations;
        while (d != NULL && d->kind != SLICC_MACHINE)
            d = d->next;
        if (d == NULL)
            slicc_complain(report, (slicc_place){.file = path, .line = 1, .column = 1},
                           "the protocol has no machine");
    }
    col_status status = slicc_reached_read_beside(reached, path, report, problem);
    if (status == COL_OK)
        status = slicc_report_status(report, problem);
    if (status != COL_OK)
        return status;
    choose_name(tree, path, name);
    slicc_tree_sort(tree);
    status = slicc_emit(tree, reached, mutations, name, report, c, problem);
    if (status == COL_OK)
        status = slicc_report_status(report, problem);
    if (status == COL_OK)
        slicc_warn_of_unused(tree, report);
    return status == COL_OK ? slicc_report_status(report, problem) : status;
}

col_status slicc_translate_mutant(const char *path, slicc_mutations *mutations, base_text *c,
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

col_status slicc_translate(const char *path, base_text *c, char name[SLICC_MOST_NAME],
                           base_text *complaints, col_problem *problem) {
    return slicc_translate_mutant(path, NULL, c, name, complaints, problem);
}

/* A part of a protocol that no list was found for. */
static bool is_part(const slicc_tree *tree, const char *path) {
    const slicc_declaration *d = tree->declarations;
    while (d != NULL && d->kind != SLICC_MACHINE)
        d = d->next;
    return d == NULL && !base_path_ends(path, ".slicc");
}

col_status slicc_analyse(slicc_tree *tree, slicc_report *report, const char *path,
                         col_problem *problem) {
    slicc_reached reached = {0};
    base_text c = {0};
    char name[SLICC_MOST_NAME];
    col_status status = read_all(tree, report, path, problem);
    if (status == COL_OK && !is_part(tree, path))
        status = write_all(tree, &reached, NULL, report, path, &c, name, problem);
    if (status == COL_BAD_INPUT && report->count > 0)
        status = COL_OK;
    base_text_free(&c);
    slicc_reached_free(&reached);
    return status;
}
