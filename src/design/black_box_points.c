/* SPDX-License-Identifier: MIT */
/* What reads saw, as coverage: see black_box_points.h. */
#include "design/black_box_points.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUE = 1 << 24 }; /* programs with larger values are not watched */
#define NONE UINT32_MAX

/* What a read saw: the initial value, a write of its own thread, or one of another's. */
typedef enum origin { INITIAL, OWN, STORE, RELEASE, SWAP, ADD, ORIGIN_COUNT, UNSEEN } origin;
static const char *const origin_names[ORIGIN_COUNT] = {
    [INITIAL] = "initial", [OWN] = "own",   [STORE] = "store",
    [RELEASE] = "release", [SWAP] = "swap", [ADD] = "add"};

typedef enum reader { LOAD, ACQUIRE, AWAIT, BY_SWAP, BY_ADD, READER_COUNT } reader;

/* What came before in machine Pairs, and what was seen then. */
typedef enum earlier { WROTE, SAW_INITIAL, SAW_OWN, SAW_OTHER, EARLIER_COUNT } earlier;
typedef enum later { THEN_INITIAL, THEN_OWN, THEN_OTHER, LATER_COUNT } later;

static const char *const readers[READER_COUNT] = {[LOAD] = "load",
                                                  [ACQUIRE] = "acquire",
                                                  [AWAIT] = "await",
                                                  [BY_SWAP] = "swap",
                                                  [BY_ADD] = "add"};
static const char *const earliers[EARLIER_COUNT] = {[WROTE] = "wrote",
                                                    [SAW_INITIAL] = "saw-initial",
                                                    [SAW_OWN] = "saw-own",
                                                    [SAW_OTHER] = "saw-other"};
static const char *const laters[LATER_COUNT] = {
    [THEN_INITIAL] = "then-initial", [THEN_OWN] = "then-own", [THEN_OTHER] = "then-other"};

/* Every read may see a value of every origin, but an await sees what it waits for: another's store,
 * release or swap. */
enum {
    READ_POINTS = ORIGIN_COUNT * READER_COUNT - 3,
    PAIR_POINTS = EARLIER_COUNT * LATER_COUNT,
    NO_POINT = READ_POINTS
};

/* ---- Points. */

/* Of machine Reads: origin by origin, reader by reader. */
static uint32_t read_point(origin what, reader by) {
    static const origin not_awaited[] = {INITIAL, OWN, ADD};
    const uint32_t cell = (uint32_t)what * READER_COUNT + by;
    uint32_t point = cell;
    for (size_t i = 0; i < sizeof not_awaited / sizeof not_awaited[0]; i++) {
        const uint32_t none = (uint32_t)not_awaited[i] * READER_COUNT + AWAIT;
        if (cell == none)
            return NO_POINT;
        point -= cell > none;
    }
    return point;
}

col_status duv_read_points_open(duv_read_points *s, const col_duv_description *design,
                                col_problem *problem) {
    const size_t points = READ_POINTS + PAIR_POINTS;
    col_duv_point *names = calloc(points, sizeof *names);
    *s = (duv_read_points){.description = *design,
                           .hits = calloc(points * design->cores, sizeof *s->hits)};
    s->description.points = names;
    if (names == NULL || s->hits == NULL) {
        duv_read_points_free(s);
        return base_out_of_memory(problem);
    }
    for (origin w = 0; w < ORIGIN_COUNT; w++)
        for (reader r = 0; r < READER_COUNT; r++)
            if (read_point(w, r) != NO_POINT)
                names[read_point(w, r)] =
                    (col_duv_point){.state = origin_names[w], .event = readers[r]};
    for (int e = 0; e < EARLIER_COUNT; e++)
        for (int l = 0; l < LATER_COUNT; l++)
            names[READ_POINTS + e * LATER_COUNT + l] =
                (col_duv_point){.state = earliers[e], .event = laters[l]};
    s->machines[0] = (col_duv_machine){.name = "Reads",
                                       .controllers = design->cores,
                                       .is_private = true,
                                       .point_count = READ_POINTS};
    s->machines[1] = (col_duv_machine){.name = "Pairs",
                                       .controllers = design->cores,
                                       .is_private = true,
                                       .first_point = READ_POINTS,
                                       .point_count = PAIR_POINTS};
    s->description.machines = s->machines;
    s->description.machine_count = DUV_READ_MACHINES;
    s->description.point_count = (uint32_t)points;
    return COL_OK;
}

void duv_read_points_free(duv_read_points *s) {
    free((void *)s->description.points);
    free(s->writes);
    free(s->before);
    free(s->seen);
    free(s->hits);
    *s = (duv_read_points){0};
}

/* ---- A program. */

static void find_before(duv_read_points *s) {
    const col_program *p = s->program;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        uint32_t last = NONE; /* access of this thread, and the one before to another location */
        for (uint32_t o = p->thread_start[t]; o < p->thread_start[t + 1]; o++) {
            const col_kind_traits *traits = &col_kinds[p->operations[o].kind];
            s->before[o] = NONE;
            if (!traits->reads && !traits->writes)
                continue;
            if (last != NONE)
                s->before[o] = p->operations[last].location != p->operations[o].location
                                   ? last
                                   : s->before[last];
            last = o;
        }
    }
}

col_status duv_read_points_load(duv_read_points *s, const col_program *program,
                                col_problem *problem) {
    const size_t count = (size_t)col_program_operations(program) + 1;
    s->program = program;
    s->most_value = 0;
    for (uint32_t o = 0; o < col_program_operations(s->program); o++) {
        const col_operation *operation = &s->program->operations[o];
        if (operation->kind != COL_ADD && operation->value > s->most_value)
            s->most_value = operation->value;
    }
    if (s->most_value > MOST_VALUE) {
        s->program = NULL;
        return COL_OK;
    }
    BASE_TRY(base_reserve(&s->writes, &s->write_capacity, (size_t)s->most_value + 1,
                          sizeof *s->writes, problem));
    BASE_TRY(base_reserve(&s->before, &s->before_capacity, count, sizeof *s->before, problem));
    BASE_TRY(base_reserve(&s->seen, &s->seen_capacity, count, sizeof *s->seen, problem));
    memset(s->writes, 0xFF, ((size_t)s->most_value + 1) * sizeof *s->writes);
    for (uint32_t o = 0; o + 1 < count; o++) {
        const col_operation *operation = &program->operations[o];
        if (operation->kind == COL_STORE || operation->kind == COL_SWAP)
            s->writes[operation->value] = o;
    }
    find_before(s);
    duv_read_points_begin(s);
    return COL_OK;
}

/* ---- An instance. */

void duv_read_points_begin(duv_read_points *s) {
    if (s->program != NULL)
        memset(s->seen, UNSEEN, col_program_operations(s->program) * sizeof *s->seen);
}

static origin see(const duv_read_points *s, uint32_t thread, uint64_t word) {
    const uint32_t value = (uint32_t)word;
    if (word >> 32 != 0)
        return ADD;
    if (value == 0)
        return INITIAL;
    const uint32_t write = value <= s->most_value ? s->writes[value] : NONE;
    if (write == NONE)
        return UNSEEN;
    if (write >= s->program->thread_start[thread] && write < s->program->thread_start[thread + 1])
        return OWN;
    const col_operation *operation = &s->program->operations[write];
    if (operation->kind == COL_SWAP)
        return SWAP;
    return (operation->order & COL_RELEASE) != 0 ? RELEASE : STORE;
}

static reader reader_of(const col_operation *operation) {
    if (operation->kind == COL_LOAD)
        return (operation->order & COL_ACQUIRE) != 0 ? ACQUIRE : LOAD;
    return operation->kind == COL_AWAIT ? AWAIT : operation->kind == COL_SWAP ? BY_SWAP : BY_ADD;
}

static void note_pair(duv_read_points *s, uint32_t core, uint32_t operation, origin seen) {
    const uint32_t before = s->before[operation];
    if (before == NONE)
        return;
    const bool reads = col_kinds[s->program->operations[before].kind].reads;
    if (reads && s->seen[before] == UNSEEN)
        return;
    const earlier first = !reads                       ? WROTE
                          : s->seen[before] == INITIAL ? SAW_INITIAL
                          : s->seen[before] == OWN     ? SAW_OWN
                                                       : SAW_OTHER;
    const later then = seen == INITIAL ? THEN_INITIAL : seen == OWN ? THEN_OWN : THEN_OTHER;
    s->hits[(size_t)s->description.cores * READ_POINTS + (size_t)core * PAIR_POINTS +
            (size_t)first * LATER_COUNT + then]++;
}

void duv_read_points_notice(duv_read_points *s, const col_event *event) {
    const uint32_t o = event->operation;
    if (event->kind != COL_VALUE_RETURNED || s->program == NULL ||
        o >= col_program_operations(s->program) || !col_kinds[s->program->operations[o].kind].reads)
        return;
    const uint32_t core =
        event->core < s->program->thread_count ? event->core : col_program_thread_of(s->program, o);
    const origin seen = see(s, core, event->word);
    if (seen == UNSEEN)
        return;
    const uint32_t point = read_point(seen, reader_of(&s->program->operations[o]));
    s->seen[o] = (uint8_t)seen;
    if (point != NO_POINT)
        s->hits[(size_t)core * READ_POINTS + point]++;
    note_pair(s, core, o, seen);
}

void duv_read_points_collect(duv_read_points *s, uint64_t *hits) {
    const size_t count = (size_t)s->description.cores * (READ_POINTS + PAIR_POINTS);
    for (size_t i = 0; i < count; i++)
        hits[i] += s->hits[i];
    memset(s->hits, 0, count * sizeof *s->hits);
}

/* What an observer is shown. */

static void pass_on(const duv_view *view, const col_event *event) {
    if (view->read_points != NULL)
        duv_read_points_notice(view->read_points, event);
    if ((view->to->kinds >> event->kind & 1) != 0)
        view->to->notice(view->to->context, event);
}

static const col_operation *operation_of(const duv_view *view, const col_event *event) {
    return event->operation < col_program_operations(view->program)
               ? &view->program->operations[event->operation]
               : NULL;
}

static void tell_read(const duv_view *view, const col_event *event) {
    const col_operation *operation = operation_of(view, event);
    col_event returned = *event;
    if (operation != NULL && !col_kinds[operation->kind].reads)
        return; /* a plain store */
    returned.kind = COL_VALUE_RETURNED;
    returned.word = event->kind == COL_STORE_PERFORMED ? event->read : event->word;
    pass_on(view, &returned);
}

static void tell(const duv_view *view, const col_event *event) {
    const bool performs = event->kind == COL_LOAD_PERFORMED || event->kind == COL_STORE_PERFORMED;
    if (performs && view->reads_only)
        tell_read(view, event);
    else
        pass_on(view, event);
}

/* ---- Merged stores. */

static void keep(duv_view *view, const col_event *event) {
    if (operation_of(view, event) == NULL || view->status != COL_OK)
        return;
    view->status = base_reserve(&view->merged, &view->capacity, view->count + 1,
                                sizeof *view->merged, &view->problem);
    if (view->status == COL_OK)
        view->merged[view->count++] = event->operation;
}

/* Nothing came between the merged stores and the one that performs for them. */
static void tell_merged(duv_view *view, const col_event *event) {
    const col_operation *last = operation_of(view, event);
    col_event performs = *event;
    size_t left = 0;
    for (size_t i = 0; i < view->count; i++) {
        const uint32_t number = view->merged[i];
        const col_operation *merged = &view->program->operations[number];
        if (last == NULL || merged->location != last->location || number > event->operation ||
            col_program_thread_of(view->program, number) !=
                col_program_thread_of(view->program, event->operation)) {
            view->merged[left++] = number;
            continue;
        }
        col_event before = performs;
        before.operation = number;
        before.word = col_program_operand(view->program, merged);
        before.read = before.overwritten;
        tell(view, &before);
        performs.overwritten = before.word;
    }
    view->count = left;
    tell(view, &performs);
}

static void notice(void *context, const col_event *event) {
    duv_view *view = context;
    if (event->kind == COL_STORE_MERGED)
        keep(view, event);
    else if (event->kind == COL_STORE_PERFORMED && view->count > 0)
        tell_merged(view, event);
    else
        tell(view, event);
}

col_observer duv_view_begin(duv_view *view, const col_program *program, const col_observer *to,
                            bool reads_only) {
    const uint32_t performed =
        1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED | 1U << COL_VALUE_RETURNED;
    view->program = program;
    view->to = to;
    view->reads_only = reads_only;
    view->count = 0;
    view->status = COL_OK;
    return (col_observer){view, notice, to->kinds | performed | 1U << COL_STORE_MERGED};
}

void duv_view_free(duv_view *view) {
    free(view->merged);
    *view = (duv_view){0};
}
