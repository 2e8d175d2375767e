/* SPDX-License-Identifier: MIT */
/*
 * Coverage as an lcov tracefile. A transition is a branch of the line of its declaration in the
 * protocol's source, since one declaration may be of several states and events; the line was
 * executed as often as all of its transitions were taken. Where sources are not known a machine is
 * a file of its own, named DESIGN/MACHINE, with a line for each transition in the order of its
 * table.
 */
#include "cover/show.h"

#include <stdlib.h>
#include <string.h>

typedef struct branch {
    uint32_t line, number; /* number: of the point */
    uint64_t hits;
} branch;

static int by_line(const void *left, const void *right) {
    const branch *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static uint64_t sum_of(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

/* The branches of one line; returns how many. A branch of a line that was never executed has no
 * count. */
static size_t add_line(const branch *list, size_t count, base_text *lines, base_text *branches,
                       uint32_t found[2]) {
    size_t n = 0;
    uint64_t sum = 0;
    for (; n < count && list[n].line == list[0].line; n++)
        sum = sum_of(sum, list[n].hits);
    for (size_t i = 0; i < n; i++) {
        base_text_print(branches, "BRDA:%u,0,%llu,", list[i].line, (unsigned long long)i);
        if (sum == 0)
            base_text_add(branches, "-");
        else
            base_text_number(branches, list[i].hits);
        base_text_add(branches, "\n");
        found[1] += list[i].hits > 0;
    }
    base_text_print(lines, "DA:%u,%llu\n", list[0].line, (unsigned long long)sum);
    found[0] += sum > 0;
    return n;
}

static void add_record(const branch *list, size_t count, base_text *text) {
    base_text lines = {0}, branches = {0};
    uint32_t found[2] = {0}, line_count = 0;
    for (size_t i = 0; i < count; line_count++)
        i += add_line(list + i, count - i, &lines, &branches, found);
    base_text_add(text, branches.data == NULL ? "" : branches.data);
    base_text_print(text, "BRF:%llu\nBRH:%u\n", (unsigned long long)count, found[1]);
    base_text_add(text, lines.data == NULL ? "" : lines.data);
    base_text_print(text, "LF:%u\nLH:%u\nend_of_record\n", line_count, found[0]);
    base_text_free_part(&lines, text);
    base_text_free_part(&branches, text);
}

/* A test's name has letters, digits and underscores. */
static void add_name(const char *design, base_text *text) {
    for (; *design != '\0'; design++) {
        const char c = *design;
        const bool is_plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        base_text_add_bytes(text, is_plain ? &c : "_", 1);
    }
}

static void add_file(const cov_view *v, const col_point_facts *f, base_text *text) {
    uint32_t cores;
    const char *design = col_coverage_design(v->coverage, &cores);
    base_text_add(text, "TN:");
    add_name(design, text);
    if (f->file == NULL)
        base_text_print(text, "\nSF:%s/%s\n", design, f->machine);
    else
        base_text_print(text, "\nSF:%s%s%s\n", v->sources == NULL ? "" : v->sources,
                        v->sources == NULL ? "" : "/", f->file);
}

static void add_machine(const cov_view *v, uint32_t machine, branch *list, base_text *text) {
    col_point_facts f, first = {0};
    uint32_t place = 0;
    size_t count = 0;
    for (uint32_t p = 0; col_coverage_point(v->coverage, p, &f); p++) {
        if (f.machine_number != machine || !f.counts)
            continue;
        place++;
        if (cov_excluded(v->exclusions, p) != NULL)
            continue;
        if (count == 0)
            first = f;
        list[count++] =
            (branch){.line = f.file == NULL ? place : f.line, .number = p, .hits = f.hits};
    }
    if (count == 0)
        return;
    qsort(list, count, sizeof *list, by_line);
    add_file(v, &first, text);
    add_record(list, count, text);
}

void cov_show_lcov(const cov_view *v, base_text *text) {
    uint32_t count = 0;
    col_point_facts f;
    while (col_coverage_point(v->coverage, count, &f))
        count++;
    branch *list = malloc(((size_t)count + 1) * sizeof *list);
    text->failed |= list == NULL;
    for (uint32_t m = 0; list != NULL && col_coverage_machine(v->coverage, m) != NULL; m++)
        add_machine(v, m, list, text);
    free(list);
}
