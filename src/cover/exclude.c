/* SPDX-License-Identifier: MIT */
/* Exclusions: see exclude.h. */
#include "cover/exclude.h"

#include "base/file.h"

#include <string.h>

static col_status read_line(cov_exclusions *e, const col_coverage *coverage, const base_lines *l) {
    static const char form[] = "MACHINE STATE EVENT reason";
    if (l->word_count < 3)
        return BASE_REFUSE_AT(l, l->words[0].start, "expected a line '%s'", form);
    const base_word name = l->words[0], state = l->words[1], event = l->words[2];
    const cov_points *points = &coverage->points;
    const cov_machine *machine = cov_find_machine(points, name);
    if (machine == NULL || machine->controllers == 0)
        return BASE_REFUSE_AT(l, name.start, "%s has no machine '%.*s'", points->design,
                              base_word_shown(&name), name.start);
    const uint32_t place = cov_find_point(machine, state, event);
    if (place == machine->point_count)
        return BASE_REFUSE_AT(l, state.start, "%s has no point '%.*s %.*s'", machine->name,
                              base_word_shown(&state), state.start, base_word_shown(&event),
                              event.start);
    if (l->rest.length == 0)
        return BASE_REFUSE_AT(l, event.start + event.length,
                              "an exclusion needs a reason behind its point");
    const char *zero = memchr(l->rest.start, '\0', l->rest.length);
    if (zero != NULL)
        return BASE_REFUSE_AT(l, zero, "a reason is text, and has no NUL byte");
    const uint32_t number = (uint32_t)(machine->by_name[place] - points->points);
    if (e->reasons[number] != NULL)
        return BASE_REFUSE_AT(l, name.start, "this point has a line further up");
    e->reasons[number] = base_arena_text(&e->arena, l->rest.start, l->rest.length);
    e->count++;
    return e->reasons[number] == NULL ? base_out_of_memory(l->problem) : COL_OK;
}

static col_status read_lines(cov_exclusions *e, const col_coverage *coverage, base_lines *l) {
    while (true) {
        col_status status = base_lines_next_text(l, 3);
        if (status != COL_OK || l->word_count == 0)
            return status;
        status = read_line(e, coverage, l);
        if (status != COL_OK)
            return status;
    }
}

col_status cov_exclusions_read(cov_exclusions *exclusions, const col_coverage *coverage,
                               const char *path, col_problem *problem) {
    base_text text = {0};
    exclusions->reasons =
        base_arena_take(&exclusions->arena, ((size_t)coverage->points.count[COL_STRUCTURAL] + 1) *
                                                sizeof *exclusions->reasons);
    if (exclusions->reasons == NULL)
        return base_out_of_memory(problem);
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK) {
        base_lines lines = base_lines_begin(text.data, text.length, path, COV_WORDS, problem);
        status = read_lines(exclusions, coverage, &lines);
    }
    base_text_free(&text);
    return status;
}

void cov_exclusions_free(cov_exclusions *exclusions) {
    base_arena_free(&exclusions->arena);
}

const char *cov_excluded(const cov_exclusions *exclusions, uint32_t point) {
    return exclusions == NULL || exclusions->reasons == NULL ? NULL : exclusions->reasons[point];
}
