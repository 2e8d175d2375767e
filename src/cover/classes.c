/* SPDX-License-Identifier: MIT */
/* Classes of transitions: see classes.h. */
#include "cover/classes.h"

#include "base/file.h"

#include <string.h>

enum { WORDS = 3 };

/* Its number, a new one if need be. */
static col_status find_class(cov_classes *c, const base_lines *l, uint8_t *number) {
    const base_word name = l->words[2];
    const char *zero = memchr(name.start, '\0', name.length);
    if (zero != NULL)
        return BASE_REFUSE_AT(l, zero, "the name of a class is text, and has no NUL byte");
    for (uint32_t i = 0; i < c->count; i++)
        if (base_word_is(&name, c->names[i])) {
            *number = (uint8_t)i;
            return COL_OK;
        }
    if (c->count == COV_MOST_CLASSES)
        return BASE_REFUSE_AT(l, name.start, "there are at most %d classes", COV_MOST_CLASSES);
    *number = (uint8_t)c->count;
    c->names[c->count] = base_arena_text(&c->arena, name.start, name.length);
    return c->names[c->count++] == NULL ? base_out_of_memory(l->problem) : COL_OK;
}

/* How closely a word matches an event: not at all, by so much of it before the star, or exactly. */
static size_t match(const base_word *word, const char *event) {
    const bool is_open = word->start[word->length - 1] == '*';
    if (is_open && strncmp(event, word->start, word->length - 1) == 0)
        return word->length;
    return !is_open && base_word_is(word, event) ? SIZE_MAX : 0;
}

/* Gives the class to the points whose event no line has matched more closely. `matched` is how
 * closely the best one did. */
static col_status give(cov_classes *c, const cov_points *points, const cov_machine *machine,
                       uint8_t class, const base_lines *l, size_t *matched) {
    const base_word event = l->words[1];
    const size_t first = (size_t)(machine->first_point - points->points);
    bool is_any = event.start[event.length - 1] == '*';
    for (size_t p = first; p < first + machine->point_count; p++) {
        const size_t how = match(&event, points->points[p].event);
        is_any = is_any || how > 0;
        if (how > 0 && how == matched[p]) /* so it is the same word */
            return BASE_REFUSE_AT(l, event.start, "this event has a line further up");
    }
    if (!is_any)
        return BASE_REFUSE_AT(l, event.start, "%s has no transition by an event '%.*s'",
                              machine->name, base_word_shown(&event), event.start);
    for (size_t p = first; p < first + machine->point_count; p++)
        if (match(&event, points->points[p].event) > matched[p]) {
            matched[p] = match(&event, points->points[p].event);
            c->of_point[p] = class;
        }
    return COL_OK;
}

static col_status read_line(cov_classes *c, const cov_points *points, const base_lines *l,
                            size_t *matched) {
    uint8_t class = COV_NO_CLASS;
    col_status status = base_lines_want(l, WORDS, "MACHINE EVENT CLASS");
    if (status != COL_OK)
        return status;
    const base_word name = l->words[0];
    const cov_machine *machine = cov_find_machine(points, name);
    if (machine == NULL)
        return BASE_REFUSE_AT(l, name.start, "%s has no machine '%.*s'", points->design,
                              base_word_shown(&name), name.start);
    status = find_class(c, l, &class);
    return status == COL_OK ? give(c, points, machine, class, l, matched) : status;
}

static col_status read_lines(cov_classes *c, const cov_points *points, base_lines *l,
                             size_t *matched) {
    while (true) {
        col_status status = base_lines_next(l);
        if (status != COL_OK || l->word_count == 0)
            return status;
        status = read_line(c, points, l, matched);
        if (status != COL_OK)
            return status;
    }
}

col_status cov_classes_read(cov_classes *classes, const col_coverage *coverage, const char *path,
                            col_problem *problem) {
    const cov_points *points = &coverage->points;
    const size_t count = (size_t)points->count[COL_STRUCTURAL] + 1;
    size_t *matched = base_arena_take(&classes->arena, count * sizeof *matched);
    base_text text = {0};
    classes->of_point = base_arena_take(&classes->arena, count);
    if (classes->of_point == NULL || matched == NULL)
        return base_out_of_memory(problem);
    memset(classes->of_point, COV_NO_CLASS, count);
    memset(matched, 0, count * sizeof *matched);
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK) {
        base_lines lines = base_lines_begin(text.data, text.length, path, WORDS, problem);
        status = read_lines(classes, points, &lines, matched);
    }
    base_text_free(&text);
    return status;
}

void cov_classes_free(cov_classes *classes) {
    base_arena_free(&classes->arena);
}
