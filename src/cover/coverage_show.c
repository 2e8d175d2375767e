/* SPDX-License-Identifier: MIT */
/* A coverage set as text, Markdown and JSON: see coverage_show.h. */
#include "cover/coverage_show.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

static double percent(uint32_t part, uint32_t whole) {
    return whole == 0 ? 0.0 : 100.0 * part / whole;
}

/* Names of machines, and last of all of them together. */
static const char *row_name(const col_coverage *coverage, uint32_t row) {
    const char *name = col_coverage_machine(coverage, row);
    if (name != NULL)
        return name;
    return row == 0 || col_coverage_machine(coverage, row - 1) != NULL ? "all" : NULL;
}

static uint32_t row_machine(const cov_view *v, uint32_t row) {
    return col_coverage_machine(v->coverage, row) != NULL ? row : COL_ALL_MACHINES;
}

static cov_extent row_extent(const cov_view *v, uint32_t row) {
    return cov_extent_of(v->coverage, v->exclusions, row_machine(v, row));
}

/* Of all that is defined, of what the protocol can reach, of what is known to be reachable here or,
 * where nothing is known of that, not ruled out. */
typedef struct part {
    uint32_t covered, total;
    bool is_known;
} part;
enum { DEFINED, REACHABLE, HERE, PARTS };
enum { KNOWN_HERE = PARTS, KEYS };
static const char *const part_keys[KEYS] = {"defined", "reachable", "here", "known_here"};

static const char *part_name(const cov_view *v, int i) {
    const cov_extent all = cov_extent_of(v->coverage, v->exclusions, COL_ALL_MACHINES);
    const char *const names[PARTS] = {
        "defined", "reachable", all.taken_known ? "known reachable here" : "not ruled out here"};
    return names[i];
}

static part keyed_part(const cov_extent *e, int key) {
    const part parts[KEYS] = {{e->covered, e->defined, true},
                              {e->reached, e->reachable, e->reachable_known},
                              {e->here_covered, e->here, e->here_known},
                              {e->covered, e->known_here, e->taken_known}};
    return parts[key];
}

static part part_of(const cov_extent *e, int i) {
    return keyed_part(e, i == HERE && e->taken_known ? KNOWN_HERE : i);
}

/* ---- Classes. */

enum { ROWS_OF_CLASSES = COV_MOST_CLASSES + 1 };

/* The classes of a machine (or of all) that have points, in the file's order, and last those
 * without any. */
typedef struct class_row {
    const char *name;
    cov_extent extent;
} class_row;

static uint32_t class_rows(const cov_view *v, uint32_t machine, class_row rows[ROWS_OF_CLASSES]) {
    uint32_t count = 0;
    for (uint32_t i = 0; v->classes != NULL && i <= v->classes->count; i++) {
        const bool is_last = i == v->classes->count;
        const cov_extent e = cov_extent_of_class(v->coverage, v->exclusions, machine, v->classes,
                                                 is_last ? COV_NO_CLASS : i);
        if (e.defined + e.excluded > 0)
            rows[count++] = (class_row){is_last ? "(no class)" : v->classes->names[i], e};
    }
    return count;
}

cov_form cov_form_of(const col_coverage *coverage) {
    cov_form form = {.width = 12, .noun = "transitions"};
    const char *name;
    col_point_facts facts;
    for (uint32_t m = 0; (name = col_coverage_machine(coverage, m)) != NULL; m++)
        form.width = (int)strlen(name) > form.width ? (int)strlen(name) : form.width;
    for (uint32_t p = 0; col_coverage_point(coverage, p, &facts); p++)
        if (cov_event(facts.event)[0] == '\0')
            form.noun = "points";
    return form;
}

/* ---- Excluded points. */

/* Lists them below the title, as lines of text or of Markdown; nothing if there are none. */
static void add_excluded(const cov_view *v, bool is_markdown, const char *title, base_text *text) {
    col_point_facts f;
    for (uint32_t p = 0; col_coverage_point(v->coverage, p, &f); p++) {
        const char *reason = cov_excluded(v->exclusions, p);
        if (reason == NULL)
            continue;
        base_text_add(text, title);
        title = "";
        base_text_print(text, is_markdown ? "- %s `" : "  %-12s ", f.machine);
        base_text_print(text, "%s%s%s%s: %s", f.state, cov_slash(f.event), cov_event(f.event),
                        is_markdown ? "`" : "", reason);
        if (f.hits > 0)
            base_text_print(text, " (but taken %llu time%s)", (unsigned long long)f.hits,
                            f.hits == 1 && !is_markdown ? "" : "s");
        base_text_add(text, "\n");
    }
}

/* ---- Text. */

static void add_title(const cov_view *v, base_text *text) {
    uint32_t cores;
    const char *design = col_coverage_design(v->coverage, &cores);
    base_text_print(text, "%s, %u core%s", design, cores, cores == 1 ? "" : "s");
}

/* The figures of a row, as columns or as cells of Markdown. */
static void add_parts(const cov_extent *e, bool is_markdown, base_text *text) {
    for (int i = 0; i < PARTS; i++) {
        const part p = part_of(e, i);
        if (p.is_known)
            base_text_print(text, is_markdown ? " %u of %u | %.1f |" : " %4u of %4u %5.1f %%",
                            p.covered, p.total, percent(p.covered, p.total));
        else
            base_text_print(text, is_markdown ? " %s | |" : " %20s", "not known");
    }
    base_text_add(text, "\n");
}

/* A row for each machine, and for all; of a width that is 0 in Markdown. */
static void add_rows(const cov_view *v, int width, base_text *text) {
    for (uint32_t r = 0; row_name(v->coverage, r) != NULL; r++) {
        const bool is_markdown = width == 0;
        const char *name = row_name(v->coverage, r);
        const cov_extent e = row_extent(v, r);
        class_row rows[ROWS_OF_CLASSES];
        const uint32_t count = class_rows(v, row_machine(v, r), rows);
        base_text_print(text, is_markdown ? "| %*s |" : "  %-*s", width, name);
        add_parts(&e, is_markdown, text);
        for (uint32_t i = 0; i < count; i++) {
            if (is_markdown)
                base_text_print(text, "| %s, %s |", name, rows[i].name);
            else
                base_text_print(text, "    %-*s", width - 2, rows[i].name);
            add_parts(&rows[i].extent, is_markdown, text);
        }
    }
}

void cov_show_text(const cov_view *v, base_text *text) {
    cov_form form = cov_form_of(v->coverage);
    for (uint32_t i = 0; v->classes != NULL && i < v->classes->count; i++)
        if ((int)strlen(v->classes->names[i]) + 2 > form.width)
            form.width = (int)strlen(v->classes->names[i]) + 2;
    add_title(v, text);
    base_text_print(text, "; %s taken, of those that are\n  %-*s %20s %20s %20s\n", form.noun,
                    form.width, "", part_name(v, DEFINED), part_name(v, REACHABLE),
                    part_name(v, HERE));
    add_rows(v, form.width, text);
    base_text holes = {0};
    cov_holes_text(v->coverage, v->exclusions, UINT32_MAX, &holes);
    base_text_add(text, holes.data == NULL ? "everything was taken\n" : "never taken:\n");
    if (holes.data != NULL)
        base_text_add(text, holes.data);
    base_text_free_part(&holes, text);
    add_excluded(v, false, "excluded:\n", text);
}

/* ---- Markdown. */

static void add_holes(const cov_view *v, uint32_t machine, base_text *text) {
    const bool taken_known = col_coverage_known_here(v->coverage, COL_STRUCTURAL, machine).known;
    col_point_facts f;
    for (uint32_t p = 0; col_coverage_point(v->coverage, p, &f); p++) {
        if (!f.counts || f.hits > 0 || f.machine_number != machine ||
            cov_excluded(v->exclusions, p) != NULL)
            continue;
        base_text_print(text, "- `%s%s%s`", f.state, cov_slash(f.event), cov_event(f.event));
        if (!f.reachable) {
            base_text_add(text, ": not known to be reachable in the protocol");
        } else if (f.unmet != 0) {
            base_text_add(text, ": needs ");
            cov_needs_words(v->coverage, f.unmet, text);
        } else if (taken_known && !cov_is_known_here(v->coverage, p)) {
            base_text_add(text, ": not known to be reachable with these caches");
        }
        base_text_add(text, "\n");
    }
}

void cov_show_markdown(const cov_view *v, base_text *text) {
    base_text_add(text, "# Coverage of ");
    add_title(v, text);
    base_text_add(text, "\n\n| machine |");
    for (int i = 0; i < PARTS; i++)
        base_text_print(text, " of %s | %% |", part_name(v, i));
    base_text_add(text, "\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    add_rows(v, 0, text);
    for (uint32_t m = 0; col_coverage_machine(v->coverage, m) != NULL; m++) {
        const cov_extent e = row_extent(v, m);
        if (e.covered == e.defined)
            continue;
        base_text_print(text, "\n## Never taken: %s\n\n", col_coverage_machine(v->coverage, m));
        add_holes(v, m, text);
    }
    add_excluded(v, true, "\n## Excluded\n\n", text);
}

/* ---- JSON. */

static json_t *extent_json(const cov_extent *e) {
    json_t *object = json_object();
    for (int i = 0; i < KEYS; i++) {
        const part p = keyed_part(e, i);
        base_json_set(&object, part_keys[i],
                      !p.is_known
                          ? json_null()
                          : json_pack("{s:i, s:i, s:f}", "covered", (int)p.covered, "total",
                                      (int)p.total, "fraction", percent(p.covered, p.total) / 100));
    }
    base_json_set(&object, "excluded", json_integer((json_int_t)e->excluded));
    return object;
}

static json_t *row_json(const cov_view *v, uint32_t machine) {
    class_row rows[ROWS_OF_CLASSES];
    const cov_extent e = cov_extent_of(v->coverage, v->exclusions, machine);
    json_t *object = extent_json(&e);
    if (v->classes == NULL)
        return object;
    json_t *classes = json_object();
    const uint32_t count = class_rows(v, machine, rows);
    for (uint32_t i = 0; i < count; i++)
        base_json_set(&classes, rows[i].name, extent_json(&rows[i].extent));
    base_json_set(&object, "by_class", classes);
    return object;
}

static json_t *machines_json(const cov_view *v) {
    json_t *machines = json_object();
    for (uint32_t m = 0; col_coverage_machine(v->coverage, m) != NULL; m++)
        base_json_set(&machines, col_coverage_machine(v->coverage, m), row_json(v, m));
    return machines;
}

static void add_json(json_t *object, base_text *text) {
    base_json_print(object, JSON_INDENT(2) | JSON_REAL_PRECISION(9), text);
    base_text_add(text, "\n");
    json_decref(object);
}

void cov_show_json(const cov_view *v, base_text *text) {
    uint32_t cores;
    const char *design = col_coverage_design(v->coverage, &cores);
    json_t *holes = json_array(), *excluded = json_array();
    col_point_facts f;
    for (uint32_t p = 0; col_coverage_point(v->coverage, p, &f); p++) {
        const char *reason = cov_excluded(v->exclusions, p);
        json_t *point =
            !f.counts || (f.hits > 0 && reason == NULL) ? NULL : cov_point_json(v->coverage, p, &f);
        if (!f.counts || (f.hits > 0 && reason == NULL))
            continue;
        if (reason != NULL)
            base_json_set(&point, "reason", base_json_text(reason));
        base_json_append(reason != NULL ? &excluded : &holes, point);
    }
    add_json(json_pack("{s:o, s:i, s:o, s:o, s:o, s:o}", "design", base_json_text(design), "cores",
                       (int)cores, "coverage", row_json(v, COL_ALL_MACHINES), "by_machine",
                       machines_json(v), "holes", holes, "excluded", excluded),
             text);
}

/* ---- Two sets. */

/* Has one set the point, and the other not? */
static bool is_only_in(const cov_pair *pair, int set, uint32_t point, col_point_facts *f) {
    col_point_facts other;
    return col_coverage_point(pair->sets[1 - set], point, &other) &&
           col_coverage_point(pair->sets[set], point, f) && f->hits > 0 && other.hits == 0 &&
           cov_excluded(pair->exclusions, point) == NULL;
}

static uint32_t count_both(const cov_pair *pair) {
    uint32_t count = 0;
    col_point_facts a, b;
    for (uint32_t p = 0;
         col_coverage_point(pair->sets[0], p, &a) && col_coverage_point(pair->sets[1], p, &b); p++)
        count += a.hits > 0 && b.hits > 0 && cov_excluded(pair->exclusions, p) == NULL;
    return count;
}

static uint32_t list_only(const cov_pair *pair, int set, base_text *text) {
    uint32_t count = 0;
    col_point_facts f;
    for (uint32_t p = 0; col_coverage_point(pair->sets[set], p, &f); p++) {
        if (!is_only_in(pair, set, p, &f))
            continue;
        count++;
        if (text != NULL)
            base_text_print(text, "  %-12s %s%s%s, %llu time%s\n", f.machine, f.state,
                            cov_slash(f.event), cov_event(f.event), (unsigned long long)f.hits,
                            f.hits == 1 ? "" : "s");
    }
    return count;
}

uint32_t cov_diff_lost(const cov_pair *pair) {
    return list_only(pair, 0, NULL);
}

void cov_diff_text(const cov_pair *pair, base_text *text) {
    if (!pair->losses_first)
        base_text_print(text, "%u transitions in both\n", count_both(pair));
    for (int set = 0; set < 2; set++) {
        base_text_print(text, "%u only in %s%s\n", list_only(pair, set, NULL), pair->names[set],
                        list_only(pair, set, NULL) == 0 ? "" : ":");
        (void)list_only(pair, set, text);
    }
    if (pair->losses_first)
        base_text_print(text, "%u transitions in both\n", count_both(pair));
}

static json_t *only_json(const cov_pair *pair, int set) {
    json_t *list = json_array();
    col_point_facts f;
    for (uint32_t p = 0; col_coverage_point(pair->sets[set], p, &f); p++)
        if (is_only_in(pair, set, p, &f))
            base_json_append(&list,
                             json_pack("{s:o, s:o, s:o, s:I}", "machine", base_json_text(f.machine),
                                       "state", base_json_text(f.state), "event",
                                       base_json_text(f.event), "hits", (json_int_t)f.hits));
    return list;
}

void cov_diff_json(const cov_pair *pair, base_text *text) {
    uint32_t cores;
    const char *design = col_coverage_design(pair->sets[0], &cores);
    add_json(json_pack("{s:o, s:i, s:o, s:o, s:i, s:o, s:o}", "design", base_json_text(design),
                       "cores", (int)cores, "a", base_json_text(pair->names[0]), "b",
                       base_json_text(pair->names[1]), "both", (int)count_both(pair), "only_a",
                       only_json(pair, 0), "only_b", only_json(pair, 1)),
             text);
}

/*
 * Coverage as an lcov tracefile. A transition is a branch of the line of its declaration in the
 * protocol's source, since one declaration may be of several states and events; the line was
 * executed as often as all of its transitions were taken. Where sources are not known a machine is
 * a file of its own, named DESIGN/MACHINE, with a line for each transition in the order of its
 * table.
 */

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

/* The branches of one line; returns how many. A branch of a line that was never executed has no
 * count. */
static size_t add_line(const branch *list, size_t count, base_text *lines, base_text *branches,
                       uint32_t found[2]) {
    size_t n = 0;
    uint64_t sum = 0;
    for (; n < count && list[n].line == list[0].line; n++)
        sum = cov_sum(sum, list[n].hits);
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

static void add_file(const cov_view *v, const col_point_facts *f, base_text *text) {
    uint32_t cores;
    const char *design = col_coverage_design(v->coverage, &cores);
    base_text_add(text, "TN:");
    /* A test's name has letters, digits and underscores. */
    for (const char *c = design; *c != '\0'; c++) {
        const bool is_plain =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        base_text_add_bytes(text, is_plain ? c : "_", 1);
    }
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
