/* SPDX-License-Identifier: MIT */
/* What reads saw, as coverage: see sights.h. */
#include "duv/sights.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUE = 1 << 24 }; /* programs with larger values are not watched */
#define NONE UINT32_MAX

/* What a read saw: the initial value, a write of its own thread, or one of another's. */
typedef enum sight { INITIAL, OWN, STORE, RELEASE, SWAP, ADD, SIGHT_COUNT, UNSEEN } sight;
static const char *const sights_seen[SIGHT_COUNT] = {
    [INITIAL] = "initial", [OWN] = "own",   [STORE] = "store",
    [RELEASE] = "release", [SWAP] = "swap", [ADD] = "add"};

typedef enum reader { LOAD, ACQUIRE, AWAIT, BY_SWAP, BY_ADD, READER_COUNT } reader;

/* Rows of machine Reads, by what was seen and by what saw it. An await sees what it waits for. */
#define READS(X)                                                                                   \
    X(INITIAL, LOAD)                                                                               \
    X(INITIAL, ACQUIRE)                                                                            \
    X(INITIAL, BY_SWAP)                                                                            \
    X(INITIAL, BY_ADD)                                                                             \
    X(OWN, LOAD)                                                                                   \
    X(OWN, ACQUIRE)                                                                                \
    X(OWN, BY_SWAP)                                                                                \
    X(OWN, BY_ADD)                                                                                 \
    X(STORE, LOAD)                                                                                 \
    X(STORE, ACQUIRE)                                                                              \
    X(STORE, AWAIT)                                                                                \
    X(STORE, BY_SWAP)                                                                              \
    X(STORE, BY_ADD)                                                                               \
    X(RELEASE, LOAD)                                                                               \
    X(RELEASE, ACQUIRE)                                                                            \
    X(RELEASE, AWAIT)                                                                              \
    X(RELEASE, BY_SWAP)                                                                            \
    X(RELEASE, BY_ADD)                                                                             \
    X(SWAP, LOAD)                                                                                  \
    X(SWAP, ACQUIRE)                                                                               \
    X(SWAP, AWAIT)                                                                                 \
    X(SWAP, BY_SWAP)                                                                               \
    X(SWAP, BY_ADD)                                                                                \
    X(ADD, LOAD)                                                                                   \
    X(ADD, ACQUIRE)                                                                                \
    X(ADD, BY_SWAP)                                                                                \
    X(ADD, BY_ADD)

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

/* By what was seen and by what saw it: the point, from 1; 0: there is none. */
#define ROW(what, by) AT_##what##_##by,
enum { AT_NONE, READS(ROW) AT_END };
#undef ROW
enum { READ_POINTS = AT_END - 1, PAIR_POINTS = EARLIER_COUNT * LATER_COUNT };
#define ROW(what, by) [what][by] = AT_##what##_##by,
static const uint8_t read_points[SIGHT_COUNT][READER_COUNT] = {READS(ROW)};
#undef ROW

/* ---- Points. */

static void name_points(col_duv_point *points) {
    for (int s = 0; s < SIGHT_COUNT; s++)
        for (int r = 0; r < READER_COUNT; r++)
            if (read_points[s][r] != AT_NONE)
                points[read_points[s][r] - 1] =
                    (col_duv_point){.state = sights_seen[s], .event = readers[r]};
    for (int e = 0; e < EARLIER_COUNT; e++)
        for (int l = 0; l < LATER_COUNT; l++)
            points[READ_POINTS + e * LATER_COUNT + l] =
                (col_duv_point){.state = earliers[e], .event = laters[l]};
}

col_status duv_sights_open(duv_sights *s, const col_duv_description *design, col_problem *problem) {
    const size_t points = READ_POINTS + PAIR_POINTS;
    col_duv_point *names = calloc(points, sizeof *names);
    *s = (duv_sights){.description = *design,
                      .hits = calloc(points * design->cores, sizeof *s->hits)};
    s->description.points = names;
    if (names == NULL || s->hits == NULL) {
        duv_sights_free(s);
        return base_out_of_memory(problem);
    }
    name_points(names);
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
    s->description.machine_count = DUV_SIGHT_MACHINES;
    s->description.point_count = (uint32_t)points;
    return COL_OK;
}

void duv_sights_free(duv_sights *s) {
    free((void *)s->description.points);
    free(s->writes);
    free(s->before);
    free(s->seen);
    free(s->hits);
    *s = (duv_sights){0};
}

/* ---- A program. */

static void find_most(duv_sights *s) {
    s->most_value = 0;
    for (uint32_t o = 0; o < col_program_operations(s->program); o++) {
        const col_operation *operation = &s->program->operations[o];
        if (operation->kind != COL_ADD && operation->value > s->most_value)
            s->most_value = operation->value;
    }
}

static void find_before(duv_sights *s) {
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

col_status duv_sights_load(duv_sights *s, const col_program *program, col_problem *problem) {
    const size_t count = (size_t)col_program_operations(program) + 1;
    s->program = program;
    find_most(s);
    if (s->most_value > MOST_VALUE) {
        s->program = NULL;
        return COL_OK;
    }
    col_status status = base_reserve(&s->writes, &s->write_capacity, (size_t)s->most_value + 1,
                                     sizeof *s->writes, problem);
    if (status == COL_OK)
        status = base_reserve(&s->before, &s->before_capacity, count, sizeof *s->before, problem);
    if (status == COL_OK)
        status = base_reserve(&s->seen, &s->seen_capacity, count, sizeof *s->seen, problem);
    if (status != COL_OK)
        return status;
    memset(s->writes, 0xFF, ((size_t)s->most_value + 1) * sizeof *s->writes);
    for (uint32_t o = 0; o + 1 < count; o++) {
        const col_operation *operation = &program->operations[o];
        if (operation->kind == COL_STORE || operation->kind == COL_SWAP)
            s->writes[operation->value] = o;
    }
    find_before(s);
    duv_sights_begin(s);
    return COL_OK;
}

/* ---- An instance. */

void duv_sights_begin(duv_sights *s) {
    if (s->program != NULL)
        memset(s->seen, UNSEEN, col_program_operations(s->program) * sizeof *s->seen);
}

static sight see(const duv_sights *s, uint32_t thread, uint64_t word) {
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

static void note_pair(duv_sights *s, uint32_t core, uint32_t operation, sight seen) {
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

void duv_sights_notice(duv_sights *s, const col_event *event) {
    const uint32_t o = event->operation;
    if (event->kind != COL_VALUE_RETURNED || s->program == NULL ||
        o >= col_program_operations(s->program) || !col_kinds[s->program->operations[o].kind].reads)
        return;
    const uint32_t core =
        event->core < s->program->thread_count ? event->core : col_program_thread_of(s->program, o);
    const sight seen = see(s, core, event->word);
    if (seen == UNSEEN)
        return;
    const uint8_t point = read_points[seen][reader_of(&s->program->operations[o])];
    s->seen[o] = (uint8_t)seen;
    if (point != AT_NONE)
        s->hits[(size_t)core * READ_POINTS + point - 1]++;
    note_pair(s, core, o, seen);
}

void duv_sights_collect(duv_sights *s, uint64_t *hits) {
    const size_t count = (size_t)s->description.cores * (READ_POINTS + PAIR_POINTS);
    for (size_t i = 0; i < count; i++)
        hits[i] += s->hits[i];
    memset(s->hits, 0, count * sizeof *s->hits);
}
