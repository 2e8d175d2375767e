/* SPDX-License-Identifier: MIT */
/* Programs with less in them, or in another shape: see reshape.h. */
#include "program/reshape.h"

#include "base/memory.h"
#include "program/program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_KEPT = UINT32_MAX };

/* A value that is written, where, and what it is called from now on. */
typedef struct written {
    uint32_t value, location, name;
} written;

static int compare_written(const void *left, const void *right) {
    const written *a = left, *b = right;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* All that stores and swaps leave, by value; the names are 1, 2, ... in the order of operations,
 * in which adds count too. The caller frees it. */
static col_status list_written(const col_program *program, written **list, size_t *count,
                               col_problem *problem) {
    const uint32_t operations = col_program_operations(program);
    uint32_t name = 0;
    *count = 0;
    *list = malloc(((size_t)operations + 1) * sizeof **list);
    if (*list == NULL)
        return base_out_of_memory(problem);
    for (uint32_t o = 0; o < operations; o++) {
        const col_operation *operation = &program->operations[o];
        const col_kind_traits *traits = &col_kinds[operation->kind];
        name += traits->writes;
        if (traits->writes && operation->kind != COL_ADD && !traits->fails)
            (*list)[(*count)++] = (written){operation->value, operation->location, name};
    }
    qsort(*list, *count, sizeof **list, compare_written);
    return COL_OK;
}

static const written *find_written(const written *list, size_t count, uint32_t value) {
    const written key = {.value = value};
    return count == 0 ? NULL : bsearch(&key, list, count, sizeof *list, compare_written);
}

static bool has_await(const col_program *program) {
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (program->operations[o].kind == COL_AWAIT)
            return true;
    return false;
}

static col_status mend_awaits(col_program *program, col_problem *problem) {
    written *list = NULL;
    size_t count = 0;
    if (!has_await(program))
        return COL_OK;
    const col_status status = list_written(program, &list, &count, problem);
    for (uint32_t o = 0; status == COL_OK && o < col_program_operations(program); o++) {
        col_operation *await = &program->operations[o];
        if (await->kind != COL_AWAIT)
            continue;
        const written *write = find_written(list, count, await->value);
        if (write != NULL && write->location == await->location)
            continue;
        await->kind = COL_LOAD;
        await->value = 0;
    }
    free(list);
    return status;
}

/* Locations that operations access are named anew, by their first access or in the order that they
 * have; the others go. */
static col_status rename_locations(col_program *program, bool by_access, col_problem *problem) {
    const uint32_t operations = col_program_operations(program), before = program->location_count;
    struct {
        uint64_t address; /* of the location that now has this number */
        uint32_t name;    /* of the one that had it */
    } *news = calloc((size_t)before + 1, sizeof *news);
    uint32_t count = 0;
    if (news == NULL)
        return base_out_of_memory(problem);
    for (uint32_t l = 0; l < before; l++)
        news[l].name = NOT_KEPT;
    for (uint32_t o = 0; o < operations; o++) {
        const col_operation *operation = &program->operations[o];
        if (col_kinds[operation->kind].located && news[operation->location].name == NOT_KEPT)
            news[operation->location].name = by_access ? count++ : 0;
    }
    for (uint32_t l = 0; l < before; l++) {
        if (news[l].name == NOT_KEPT)
            continue;
        news[l].name = by_access ? news[l].name : count++;
        news[news[l].name].address = program->addresses[l];
    }
    for (uint32_t l = 0; l < count; l++)
        program->addresses[l] = news[l].address;
    for (uint32_t o = 0; o < operations; o++)
        if (col_kinds[program->operations[o].kind].located)
            program->operations[o].location = news[program->operations[o].location].name;
    program->location_count = count;
    free(news);
    return COL_OK;
}

col_status prg_mend(col_program *program, col_problem *problem) {
    BASE_TRY(mend_awaits(program, problem));
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t length = program->thread_start[t + 1] - program->thread_start[t];
        if (length == 0) /* there may be no operations at all */
            continue;
        col_operation *thread = &program->operations[program->thread_start[t]];
        for (uint32_t place = 0; place < length; place++)
            if (thread[place].dependency != COL_NO_DEPENDENCY &&
                !prg_is_sound_dependency(thread, place)) {
                thread[place].dependency = COL_NO_DEPENDENCY;
                thread[place].distance = 0;
            }
    }
    return rename_locations(program, false, problem);
}

/* ---- Programs of operations of another one. */

enum { ADDED = UINT32_MAX }; /* the operation that comes in */

/* Which operation of the old program stands where in the new one. */
typedef struct plan {
    const col_program *from;
    const col_operation *added; /* may be NULL */
    uint32_t threads, count;
    uint32_t *lengths;  /* of threads */
    uint32_t *sequence; /* by new place, over all threads: the old one, or ADDED */
    uint32_t *places;   /* the other way round, or NOT_KEPT */
} plan;

static col_status begin(plan *p, uint32_t threads, col_problem *problem) {
    const size_t operations = (size_t)col_program_operations(p->from) + 1;
    p->threads = threads;
    BASE_TRY(base_new(&p->lengths, threads + 2 * operations, sizeof *p->lengths, problem));
    p->sequence = p->lengths + threads;
    p->places = p->sequence + operations;
    memset(p->places, 0xff, operations * sizeof *p->places);
    return COL_OK;
}

/* It comes next, in thread `thread`. */
static void put(plan *p, uint32_t thread, uint32_t old) {
    assert(p->lengths != NULL && p->sequence != NULL && p->places != NULL);
    if (old != ADDED)
        p->places[old] = p->count;
    p->sequence[p->count++] = old;
    p->lengths[thread]++;
}

/* A dependency stays if its read is still earlier in the thread. */
static void copy_operation(const plan *p, uint32_t start, uint32_t at, col_operation *copy) {
    assert(p->sequence != NULL && p->places != NULL);
    const uint32_t old = p->sequence[at];
    assert(old != ADDED || p->added != NULL);
    *copy = old == ADDED ? *p->added : p->from->operations[old];
    if (copy->dependency == COL_NO_DEPENDENCY)
        return;
    const uint32_t source = p->places[old - copy->distance];
    const bool stays = source >= start && source < at;
    if (!stays)
        copy->dependency = COL_NO_DEPENDENCY;
    copy->distance = stays ? at - source : 0;
}

static col_status finish(plan *p, col_program *to, col_problem *problem) {
    const col_program *from = p->from;
    const col_status status =
        col_program_shape(to, p->threads, p->lengths, from->location_count, problem);
    if (status == COL_OK) {
        to->is_narrow = from->is_narrow;
        for (uint32_t t = 0; t < to->thread_count; t++)
            for (uint32_t o = to->thread_start[t]; o < to->thread_start[t + 1]; o++)
                copy_operation(p, to->thread_start[t], o, &to->operations[o]);
        if (from->location_count > 0)
            memcpy(to->addresses, from->addresses, from->location_count * sizeof *to->addresses);
    }
    free(p->lengths);
    return status;
}

/* Thread t of `to` is what is kept of thread order[t]; NULL: the threads as they are, all. */
static col_status take(const col_program *from, const uint32_t *order, uint32_t threads,
                       const bool *keeps, col_program *to, col_problem *problem) {
    plan p = {.from = from};
    BASE_TRY(begin(&p, threads, problem));
    for (uint32_t t = 0; t < threads; t++) {
        const uint32_t source = order == NULL ? t : order[t];
        for (uint32_t o = from->thread_start[source]; o < from->thread_start[source + 1]; o++)
            if (keeps == NULL || keeps[o])
                put(&p, t, o);
    }
    return finish(&p, to, problem);
}

col_status prg_copy(const col_program *from, col_program *to, col_problem *problem) {
    return take(from, NULL, from->thread_count, NULL, to, problem);
}

col_status prg_take(const col_program *from, const bool *keeps, col_program *to,
                    col_problem *problem) {
    return take(from, NULL, from->thread_count, keeps, to, problem);
}

col_status prg_keep(const col_program *from, const bool *keeps, col_program *to,
                    col_problem *problem) {
    const col_status status = prg_take(from, keeps, to, problem);
    return status == COL_OK ? prg_mend(to, problem) : status;
}

col_status prg_arrange(const col_program *from, const uint32_t *order, uint32_t threads,
                       col_program *to, col_problem *problem) {
    const col_status status = take(from, order, threads, NULL, to, problem);
    return status == COL_OK ? prg_mend(to, problem) : status;
}

/* All as it is, but for one that leaves its place (or none: ADDED) and stands elsewhere. */
static col_status place(plan *p, uint32_t moved, uint32_t thread, uint32_t at, col_program *to,
                        col_problem *problem) {
    const col_program *from = p->from;
    BASE_TRY(begin(p, from->thread_count, problem));
    for (uint32_t t = 0; t < from->thread_count; t++)
        for (uint32_t o = from->thread_start[t]; o <= from->thread_start[t + 1]; o++) {
            if (t == thread && p->lengths[t] == at)
                put(p, t, moved);
            if (o < from->thread_start[t + 1] && o != moved)
                put(p, t, o);
        }
    BASE_TRY(finish(p, to, problem));
    return prg_mend(to, problem);
}

col_status prg_move(const col_program *from, uint32_t operation, uint32_t thread, uint32_t at,
                    col_program *to, col_problem *problem) {
    return place(&(plan){.from = from}, operation, thread, at, to, problem);
}

col_status prg_insert(const col_program *from, const col_operation *added, uint32_t thread,
                      uint32_t at, col_program *to, col_problem *problem) {
    return place(&(plan){.from = from, .added = added}, ADDED, thread, at, to, problem);
}

/* ---- Names. */

col_status prg_rename(col_program *program, col_problem *problem) {
    written *list = NULL;
    size_t count = 0;
    uint32_t name = 0;
    col_status status = list_written(program, &list, &count, problem);
    for (uint32_t o = 0; status == COL_OK && o < col_program_operations(program); o++) {
        col_operation *operation = &program->operations[o];
        if (operation->kind == COL_AWAIT)
            operation->value = find_written(list, count, operation->value)->name;
        else if (col_kinds[operation->kind].writes)
            operation->value = ++name;
    }
    free(list);
    return status == COL_OK ? rename_locations(program, true, problem) : status;
}

static int compare_numbers(uint32_t a, uint32_t b) {
    return a < b ? -1 : a > b;
}

/* Writes come first, as in the literature's message passing. */
static uint32_t rank(const col_operation *operation) {
    static const uint8_t ranks[COL_KIND_COUNT] = {
        [COL_STORE] = 0,        [COL_SWAP] = 1,      [COL_ADD] = 2,       [COL_LOAD] = 3,
        [COL_AWAIT] = 4,        [COL_FLUSH] = 5,     [COL_FENCE] = 6,     [COL_DELAY] = 7,
        [COL_FETCH] = 8,        [COL_DMA_WRITE] = 9, [COL_DMA_READ] = 10, [COL_PREFETCH] = 11,
        [COL_CONDITIONAL] = 12,
    };
    return ranks[operation->kind];
}

static int compare_operations(const col_operation *a, const col_operation *b) {
    const uint32_t parts[][2] = {{rank(a), rank(b)},        {a->location, b->location},
                                 {a->value, b->value},      {a->order, b->order},
                                 {a->fence, b->fence},      {a->dependency, b->dependency},
                                 {a->distance, b->distance}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i][0] != parts[i][1])
            return compare_numbers(parts[i][0], parts[i][1]);
    return 0;
}

int prg_compare(const col_program *a, const col_program *b) {
    if (a->thread_count != b->thread_count)
        return compare_numbers(a->thread_count, b->thread_count);
    for (uint32_t t = 1; t <= a->thread_count; t++)
        if (a->thread_start[t] != b->thread_start[t])
            return compare_numbers(b->thread_start[t], a->thread_start[t]);
    for (uint32_t o = 0; o < col_program_operations(a); o++) {
        const int order = compare_operations(&a->operations[o], &b->operations[o]);
        if (order != 0)
            return order;
    }
    return 0;
}

uint32_t prg_unused_value(const col_program *program) {
    uint32_t most = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        most = program->operations[o].value > most ? program->operations[o].value : most;
    return most + 1;
}
