/* SPDX-License-Identifier: MIT */
/* Cells that are known to be reachable: see reached_cells.h. */
#include "protocol/slicc/reached_cells.h"

#include "base/file.h"

#include <string.h>
#include <unistd.h>

/* "folder/x.slicc" becomes "folder/x.reached". */
static char *path_beside(base_arena *arena, const char *path) {
    static const char ending[] = ".reached";
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const size_t length =
        dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - path) : strlen(path);
    char *beside = base_arena_take(arena, length + sizeof ending);
    if (beside == NULL)
        return NULL;
    memcpy(beside, path, length);
    memcpy(beside + length, ending, sizeof ending);
    return beside;
}

static size_t count_lines(const char *text) {
    size_t lines = 1;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

/* Cuts the line into its words, up to a comment; how many there are, at most `most` of them kept.
 */
static size_t cut(char *line, char **words, size_t most) {
    size_t count = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *rest = line; *(rest += strspn(rest, " \t\r")) != '\0';) {
        if (count < most)
            words[count] = rest;
        count++;
        rest += strcspn(rest, " \t\r");
        if (*rest != '\0')
            *rest++ = '\0';
    }
    return count;
}

static void read_line(slicc_reached *reached, char *line, slicc_place place, slicc_report *report) {
    char *words[3];
    const size_t count = cut(line, words, 3);
    if (count == 0)
        return;
    if (count != 3) {
        slicc_complain(report, place, "a line is MACHINE STATE EVENT");
        return;
    }
    place.column = (uint32_t)(words[0] - line) + 1;
    reached->cells[reached->count++] = (slicc_reached_cell){
        .machine = words[0], .state = words[1], .event = words[2], .place = place};
}

col_status slicc_reached_read_beside(slicc_reached *reached, const char *protocol,
                                     slicc_report *report, col_problem *problem) {
    const char *file = path_beside(&reached->arena, protocol);
    return file == NULL ? base_out_of_memory(problem)
                        : slicc_reached_read(reached, file, report, problem);
}

col_status slicc_reached_read(slicc_reached *reached, const char *file, slicc_report *report,
                              col_problem *problem) {
    if (access(file, F_OK) != 0)
        return COL_OK;
    const col_status status = base_file_read(file, &reached->text, problem);
    if (status != COL_OK || reached->text.length == 0)
        return status;
    reached->cells =
        base_arena_take(&reached->arena, count_lines(reached->text.data) * sizeof *reached->cells);
    if (reached->cells == NULL)
        return base_out_of_memory(problem);
    slicc_place place = {.file = file, .line = 1, .column = 1};
    size_t length = reached->text.length;
    const size_t mark = (size_t)(base_skip_bom(reached->text.data, &length) - reached->text.data);
    for (char *line = reached->text.data + mark; line != NULL; place.line++) {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        read_line(reached, line, place, report);
        line = end == NULL ? NULL : end + 1;
    }
    return COL_OK;
}

bool slicc_reached_has(slicc_reached *reached, const char *machine, const char *state,
                       const char *event) {
    bool found = false;
    for (size_t i = 0; i < reached->count; i++) {
        slicc_reached_cell *cell = &reached->cells[i];
        if (strcmp(cell->event, event) != 0 || strcmp(cell->state, state) != 0 ||
            strcmp(cell->machine, machine) != 0)
            continue;
        cell->exists = found = true; /* a line may be there twice */
    }
    return found;
}

void slicc_reached_complain(const slicc_reached *reached, slicc_report *report) {
    for (size_t i = 0; i < reached->count; i++) {
        const slicc_reached_cell *cell = &reached->cells[i];
        if (!cell->exists)
            slicc_complain(report, cell->place, "%s has no transition from %s at %s", cell->machine,
                           cell->state, cell->event);
    }
}

void slicc_reached_free(slicc_reached *reached) {
    base_text_free(&reached->text);
    base_arena_free(&reached->arena);
}
