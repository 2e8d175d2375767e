/* SPDX-License-Identifier: MIT */
/* Holes: see holes.h. */
#include "cover/holes.h"

#include "base/file.h"
#include "base/json.h"

#include <string.h>

/* ---- How much. */

cov_extent cov_extent_of(const col_coverage *coverage, const cov_exclusions *exclusions,
                         uint32_t machine) {
    return cov_extent_of_class(coverage, exclusions, machine, NULL, COV_NO_CLASS);
}

cov_extent cov_extent_of_class(const col_coverage *coverage, const cov_exclusions *exclusions,
                               uint32_t machine, const cov_classes *classes, uint32_t number) {
    const uint32_t all = COL_ALL_MACHINES;
    cov_extent e = {
        .reachable_known =
            col_coverage_of(coverage, COL_CUMULATIVE, COL_STRUCTURAL, all).reachable_known,
        .here_known = col_coverage_here(coverage, COL_STRUCTURAL, all).known,
        .taken_known = col_coverage_known_here(coverage, COL_STRUCTURAL, all).known};
    col_point_facts f;
    for (uint32_t p = 0; col_coverage_point(coverage, p, &f); p++) {
        if (!f.counts || (machine != COL_ALL_MACHINES && machine != f.machine_number) ||
            (classes != NULL && classes->of_point[p] != number))
            continue;
        if (cov_excluded(exclusions, p) != NULL) {
            e.excluded++;
            continue;
        }
        const bool is_here = f.reachable && f.unmet == 0;
        e.defined++;
        e.covered += f.hits > 0;
        e.reachable += f.reachable;
        e.reached += f.reachable && f.hits > 0;
        e.here += is_here;
        e.here_covered += is_here && f.hits > 0;
        e.known_here += cov_is_known_here(coverage, p);
    }
    return e;
}

/* ---- What is needed. */

static const struct {
    uint32_t need;
    const char *words;
} needs_table[] = {
#define ROW(name, bit, text) {(name), (text)},
    COL_NEEDS(ROW)
#undef ROW
};
enum { KINDS = sizeof needs_table / sizeof needs_table[0], BITS = 32 };

static const char *words_of(uint32_t need) {
    for (int i = 0; i < KINDS; i++)
        if (needs_table[i].need == need)
            return needs_table[i].words;
    return NULL;
}

/* Calls for each need of a set, the least bit first. */
static uint32_t next_need(uint32_t *needs) {
    const uint32_t need = *needs & (~*needs + 1);
    *needs &= ~need;
    return need;
}

static void add_need(const col_coverage *coverage, uint32_t need, base_text *text) {
    const char *words = words_of(need);
    if (words != NULL) {
        base_text_add(text, words);
        return;
    }
    uint32_t level = 0;
    while (level < BITS / 2 && (uint32_t)COL_NEEDS_REPLACEMENT << level != need)
        level++;
    const char *name = col_coverage_level(coverage, level);
    base_text_print(text, "replacements in %s", name == NULL ? "a cache" : name);
}

void cov_needs_words(const col_coverage *coverage, uint32_t needs, base_text *text) {
    for (bool is_first = true; needs != 0; is_first = false) {
        base_text_add(text, is_first ? "" : " and ");
        add_need(coverage, next_need(&needs), text);
    }
}

/* Adds how tests get what is needed: an option of collider run. */
static void needs_advice(uint32_t needs, base_text *text) {
    const uint32_t replacements = ~((uint32_t)COL_NEEDS_REPLACEMENT - 1);
    if ((needs & COL_NEEDS_OTHERS) != 0) {
        base_text_add(text, "no core makes them");
        return;
    }
    const bool is_mixed = (needs & (COL_NEEDS_REPLACEMENT - 1)) != 0;
    if (is_mixed)
        base_text_add(text, (needs & COL_NEEDS_DMA) != 0          ? "--mix full-dma"
                            : (needs & COL_NEEDS_PREFETCHES) != 0 ? "--mix full-prefetch"
                            : (needs & COL_NEEDS_FETCHES) != 0    ? "--mix full-fetch"
                                                                  : "--mix full");
    if ((needs & replacements) != 0)
        base_text_print(text, "%smore --locations in fewer --sets", is_mixed ? ", and " : "");
}

/* ---- For programs. */

static json_t *needs_json(const col_coverage *coverage, uint32_t needs) {
    json_t *list = json_array();
    while (needs != 0) {
        base_text words = {0};
        add_need(coverage, next_need(&needs), &words);
        base_json_append(&list, words.failed ? NULL : base_json_text(words.data));
        base_text_free(&words);
    }
    return list;
}

json_t *cov_point_json(const col_coverage *coverage, uint32_t point, const col_point_facts *f) {
    const bool taken_known =
        col_coverage_known_here(coverage, COL_STRUCTURAL, COL_ALL_MACHINES).known;
    return json_pack("{s:o, s:o, s:o, s:I, s:b, s:b, s:o, s:o}", "machine",
                     base_json_text(f->machine), "state", base_json_text(f->state), "event",
                     base_json_text(f->event), "hits", (json_int_t)f->hits, "reachable",
                     (int)f->reachable, "here", (int)(f->reachable && f->unmet == 0), "needs",
                     needs_json(coverage, f->unmet), "known_here",
                     taken_known ? json_boolean(cov_is_known_here(coverage, point)) : json_null());
}

/* ---- For people. */

static bool is_hole(const col_point_facts *f, const cov_exclusions *exclusions, uint32_t point,
                    uint32_t machine) {
    return f->machine_number == machine && f->counts && f->hits == 0 &&
           cov_excluded(exclusions, point) == NULL;
}

const char *cov_event(const char *event) {
    return strcmp(event, "-") == 0 ? "" : event;
}

const char *cov_slash(const char *event) {
    return cov_event(event)[0] == '\0' ? "" : "/";
}

enum { MARGIN = 20, WIDTH = 100 };

/* Adds the words, on a line of their own if this one is full. */
static void wrap(base_text *text, size_t *line, const char *before, const char *state,
                 const char *event) {
    base_text_add(text, before);
    if (text->length - *line + strlen(state) + strlen(event) + 3 > WIDTH) {
        base_text_add(text, "\n");
        *line = text->length;
        base_text_print(text, "%*s", MARGIN, "");
    }
    base_text_print(text, " %s%s%s", state, cov_slash(event), cov_event(event));
}

/* One line for each set of needs, in the order of points. */
static void explain_holes(const col_coverage *coverage, const cov_exclusions *exclusions,
                          uint32_t machine, base_text *text) {
    col_point_facts f, other;
    const bool taken_known = col_coverage_known_here(coverage, COL_STRUCTURAL, machine).known;
    uint32_t never = 0, elsewhere = 0;
    for (uint32_t p = 0; col_coverage_point(coverage, p, &f); p++) {
        if (!is_hole(&f, exclusions, p, machine))
            continue;
        never += !f.reachable;
        elsewhere += f.reachable && f.unmet == 0 && taken_known && !cov_is_known_here(coverage, p);
        if (!f.reachable || f.unmet == 0)
            continue;
        uint32_t count = 0;
        bool is_first = true;
        for (uint32_t q = 0; col_coverage_point(coverage, q, &other); q++) {
            if (!is_hole(&other, exclusions, q, machine) || !other.reachable ||
                other.unmet != f.unmet)
                continue;
            is_first = is_first && q >= p;
            count++;
        }
        if (is_first) {
            base_text_print(text, "  %17u need%s ", count, count == 1 ? "s" : "");
            cov_needs_words(coverage, f.unmet, text);
            base_text_add(text, ", which no test brought (");
            needs_advice(f.unmet, text);
            base_text_add(text, ")\n");
        }
    }
    if (never > 0)
        base_text_print(text, "  %17u %s known to be reachable in the protocol\n", never,
                        never == 1 ? "is not" : "are not");
    if (elsewhere > 0)
        base_text_print(text,
                        "  %17u %s known to be reachable with these caches (vary them, as "
                        "mesi3-vary does)\n",
                        elsewhere, elsewhere == 1 ? "is not" : "are not");
}

void cov_holes_text(const col_coverage *coverage, const cov_exclusions *exclusions, uint32_t most,
                    base_text *text) {
    for (uint32_t m = 0; col_coverage_machine(coverage, m) != NULL; m++) {
        const cov_extent e = cov_extent_of(coverage, exclusions, m);
        if (e.defined == e.covered)
            continue;
        base_text_print(text, "  %-12s %4u:", col_coverage_machine(coverage, m),
                        e.defined - e.covered);
        col_point_facts f;
        uint32_t count = 0;
        size_t line = text->length < MARGIN ? 0 : text->length - MARGIN;
        for (uint32_t p = 0; col_coverage_point(coverage, p, &f); p++) {
            if (!is_hole(&f, exclusions, p, m))
                continue;
            if (count++ < most)
                wrap(text, &line, count == 1 ? "" : ",", f.state, f.event);
        }
        if (count > most)
            base_text_print(text, " and %u more", count - most);
        base_text_add(text, "\n");
        explain_holes(coverage, exclusions, m, text);
    }
}

/* Classes of transitions. */

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
static col_status give_class(cov_classes *c, const cov_points *points, const cov_machine *machine,
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

static col_status refuse_machine(const cov_points *points, const base_lines *l) {
    const base_word name = l->words[0];
    return BASE_REFUSE_AT(l, name.start, "%s has no machine '%.*s'", points->design,
                          base_word_shown(&name), name.start);
}

static col_status read_lines(cov_classes *c, const cov_points *points, base_lines *l,
                             size_t *matched) {
    BASE_TRY(base_lines_next(l));
    while (l->word_count > 0) {
        uint8_t class = COV_NO_CLASS;
        BASE_TRY(base_lines_want(l, WORDS, "MACHINE EVENT CLASS"));
        const cov_machine *machine = cov_find_machine(points, l->words[0]);
        if (machine == NULL)
            return refuse_machine(points, l);
        BASE_TRY(find_class(c, l, &class));
        BASE_TRY(give_class(c, points, machine, class, l, matched));
        BASE_TRY(base_lines_next(l));
    }
    return COL_OK;
}

col_status cov_classes_read(cov_classes *classes, const col_coverage *coverage, const char *path,
                            col_problem *problem) {
    const cov_points *points = &coverage->points;
    const size_t count = (size_t)points->count[COL_STRUCTURAL] + 1;
    size_t *matched = NULL;
    base_text text = {0};
    const base_part parts[] = {BASE_PART(matched, count), BASE_PART(classes->of_point, count), {0}};
    BASE_TRY(base_arena_divide(&classes->arena, parts, problem));
    memset(classes->of_point, COV_NO_CLASS, count);
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

/* Exclusions. */

static col_status read_exclusion(cov_exclusions *e, const col_coverage *coverage,
                                 const base_lines *l) {
    static const char form[] = "MACHINE STATE EVENT reason";
    if (l->word_count < 3)
        return BASE_REFUSE_AT(l, l->words[0].start, "expected a line '%s'", form);
    const base_word name = l->words[0], state = l->words[1], event = l->words[2];
    const cov_points *points = &coverage->points;
    const cov_machine *machine = cov_find_machine(points, name);
    if (machine == NULL || machine->controllers == 0)
        return refuse_machine(points, l);
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
        status = base_lines_next_text(&lines, 3);
        while (status == COL_OK && lines.word_count > 0) {
            status = read_exclusion(exclusions, coverage, &lines);
            if (status == COL_OK)
                status = base_lines_next_text(&lines, 3);
        }
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
