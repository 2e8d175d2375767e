/* SPDX-License-Identifier: MIT */
/* What does not go over as it is: see line.h. */
#include "duv/line.h"

#include <stdlib.h>
#include <string.h>

/* ---- Bytes. */

static void put(base_text *bytes, const void *from, size_t size) {
    if (size > 0)
        base_text_add_bytes(bytes, from, size);
}

static void put_number(base_text *bytes, uint32_t number) {
    put(bytes, &number, sizeof number);
}

static void put_string(base_text *bytes, const char *string) {
    put(bytes, string, strlen(string) + 1);
}

static const char *get(duv_reader *r, size_t size) {
    const char *at = r->at;
    if (r->is_wrong || size > r->left) {
        r->is_wrong = true;
        return NULL;
    }
    r->at += size;
    r->left -= size;
    return at;
}

static uint32_t get_number(duv_reader *r) {
    uint32_t number = 0;
    const char *at = get(r, sizeof number);
    if (at != NULL)
        memcpy(&number, at, sizeof number);
    return number;
}

static const char *get_string(duv_reader *r) {
    const char *end = r->is_wrong || r->left == 0 ? NULL : memchr(r->at, '\0', r->left);
    r->is_wrong = end == NULL;
    return end == NULL ? "" : get(r, (size_t)(end - r->at) + 1);
}

/* ---- Programs. */

void duv_write_program(const col_program *p, base_text *bytes) {
    put_number(bytes, p->is_narrow);
    put_number(bytes, p->thread_count);
    put_number(bytes, p->location_count);
    for (uint32_t t = 0; t < p->thread_count; t++)
        put_number(bytes, p->thread_start[t + 1] - p->thread_start[t]);
    put(bytes, p->operations, col_program_operations(p) * sizeof *p->operations);
    put(bytes, p->addresses, p->location_count * sizeof *p->addresses);
}

col_status duv_read_program(duv_reader *r, col_program *p, col_problem *problem) {
    const bool is_narrow = get_number(r) != 0;
    const uint32_t threads = get_number(r), locations = get_number(r);
    const size_t lengths_size = threads * sizeof(uint32_t);
    const char *lengths_at = get(r, lengths_size);
    if (lengths_at == NULL)
        return base_fail(problem, "a program did not reach the design's process as a whole");
    uint32_t *lengths = malloc(lengths_size + 1);
    if (lengths == NULL)
        return base_out_of_memory(problem);
    memcpy(lengths, lengths_at, lengths_size);
    const col_status status = col_program_shape(p, threads, lengths, locations, problem);
    free(lengths);
    if (status != COL_OK)
        return status;
    p->is_narrow = is_narrow;
    const size_t operations_size = col_program_operations(p) * sizeof *p->operations;
    const size_t addresses_size = locations * sizeof *p->addresses;
    const char *operations = get(r, operations_size), *addresses = get(r, addresses_size);
    if (operations == NULL || addresses == NULL)
        return base_fail(problem, "a program did not reach the design's process as a whole");
    if (operations_size > 0)
        memcpy(p->operations, operations, operations_size);
    if (addresses_size > 0)
        memcpy(p->addresses, addresses, addresses_size);
    return COL_OK;
}

/* ---- Descriptions. Field by field, so that equal ones are equal bytes. */

static void write_geometry(const col_geometry *g, base_text *bytes) {
    put_number(bytes, g->block_bits);
    put_number(bytes, g->level_count);
    for (uint32_t l = 0; l < g->level_count; l++) {
        char name[sizeof g->levels[l].name + 1] = {0};
        memcpy(name, g->levels[l].name, sizeof g->levels[l].name);
        put_string(bytes, name);
        put_number(bytes, g->levels[l].index_low);
        put_number(bytes, g->levels[l].index_bits);
        put_number(bytes, g->levels[l].ways);
    }
}

static void read_geometry(duv_reader *r, col_geometry *g) {
    g->block_bits = get_number(r);
    g->level_count = get_number(r);
    r->is_wrong = r->is_wrong || g->level_count > COL_MAX_LEVELS;
    for (uint32_t l = 0; l < g->level_count && !r->is_wrong; l++) {
        const char *name = get_string(r);
        strncpy(g->levels[l].name, name, sizeof g->levels[l].name - 1);
        g->levels[l].index_low = get_number(r);
        g->levels[l].index_bits = get_number(r);
        g->levels[l].ways = get_number(r);
    }
}

static uint32_t count_words(const col_duv_description *d) {
    uint32_t count = 0;
    for (uint32_t m = 0; d->names != NULL && m < d->machine_count; m++)
        count += d->names[m].state_count + d->names[m].event_count;
    return count;
}

/* How many words there are, then those of each machine. */
static void write_names(const col_duv_description *d, base_text *bytes) {
    put_number(bytes, count_words(d));
    for (uint32_t m = 0; d->names != NULL && m < d->machine_count; m++) {
        const col_duv_names *names = &d->names[m];
        put_number(bytes, names->state_count);
        put_number(bytes, names->event_count);
        for (uint32_t i = 0; i < names->state_count; i++) {
            put_number(bytes, names->empty != NULL && names->empty[i]);
            put_string(bytes, names->states[i]);
        }
        for (uint32_t i = 0; i < names->event_count; i++)
            put_string(bytes, names->events[i]);
    }
}

void duv_write_description(const col_duv_description *d, base_text *bytes) {
    put_string(bytes, d->name);
    put_number(bytes, d->cores);
    put_number(bytes, d->model);
    put_number(bytes, d->reachable_known);
    put_number(bytes, d->shows);
    put_number(bytes, d->varies);
    put_number(bytes, d->is_narrow);
    put_number(bytes, d->is_single);
    put_number(bytes, d->merges);
    put_number(bytes, d->fetches);
    put_number(bytes, d->prefetches);
    put_number(bytes, d->executes);
    put_number(bytes, d->conditionals);
    put_number(bytes, d->dma);
    put_number(bytes, d->draws);
    put_number(bytes, d->refuses);
    put_number(bytes, d->least_operations);
    put_number(bytes, d->most_operations);
    put_number(bytes, d->instances);
    put_number(bytes, d->packs);
    put_number(bytes, (uint32_t)d->window);
    put_number(bytes, (uint32_t)(d->window >> 32));
    write_geometry(&d->geometry, bytes);
    put_number(bytes, d->machine_count);
    put_number(bytes, d->point_count);
    for (uint32_t m = 0; m < d->machine_count; m++) {
        put_string(bytes, d->machines[m].name);
        put_number(bytes, d->machines[m].controllers);
        put_number(bytes, d->machines[m].is_private);
        put_number(bytes, d->machines[m].first_point);
        put_number(bytes, d->machines[m].point_count);
    }
    for (uint32_t p = 0; p < d->point_count; p++) {
        put_string(bytes, d->points[p].state);
        put_string(bytes, d->points[p].event);
        put_number(bytes, d->points[p].reachable);
    }
    write_names(d, bytes);
    put_number(bytes, d->edited_count);
    for (uint32_t i = 0; i < d->edited_count; i++) {
        put_number(bytes, d->edited[i].machine);
        put_number(bytes, d->edited[i].state);
        put_number(bytes, d->edited[i].event);
    }
    put_number(bytes, d->needs != NULL);
    for (uint32_t p = 0; d->needs != NULL && p < d->point_count; p++)
        put_number(bytes, d->needs[p]);
    put_number(bytes, d->sources != NULL);
    for (uint32_t p = 0; d->sources != NULL && p < d->point_count; p++) {
        put_string(bytes, d->sources[p].file == NULL ? "" : d->sources[p].file);
        put_number(bytes, d->sources[p].line);
    }
}

/* Those of one machine, from word `first` on. */
static void read_machine_names(duv_reader *r, duv_copy *copy, uint32_t m, uint32_t first,
                               uint32_t total) {
    const uint32_t states = get_number(r), events = get_number(r);
    r->is_wrong = r->is_wrong || states > total - first || events > total - first - states;
    for (uint32_t i = 0; i < states && !r->is_wrong; i++) {
        copy->empty[first + i] = get_number(r) != 0;
        copy->words[first + i] = get_string(r);
    }
    for (uint32_t i = 0; i < events && !r->is_wrong; i++)
        copy->words[first + states + i] = get_string(r);
    copy->names[m] = (col_duv_names){.state_count = states,
                                     .event_count = events,
                                     .states = copy->words + first,
                                     .events = copy->words + first + states,
                                     .empty = copy->empty + first};
}

static col_status read_names(duv_reader *r, duv_copy *copy, col_problem *problem) {
    const uint32_t machines = copy->description.machine_count;
    const uint32_t total = r->is_wrong ? 0 : get_number(r);
    uint32_t first = 0;
    r->is_wrong = r->is_wrong || total > r->left; /* each takes a byte or more */
    if (total == 0 || r->is_wrong)
        return COL_OK;
    copy->names = calloc((size_t)machines + 1, sizeof *copy->names);
    copy->words = calloc(total, sizeof *copy->words);
    copy->empty = calloc(total, sizeof *copy->empty);
    if (copy->names == NULL || copy->words == NULL || copy->empty == NULL)
        return base_out_of_memory(problem);
    for (uint32_t m = 0; m < machines && !r->is_wrong; m++) {
        read_machine_names(r, copy, m, first, total);
        first += copy->names[m].state_count + copy->names[m].event_count;
    }
    copy->description.names = copy->names;
    return COL_OK;
}

static col_status read_edited(duv_reader *r, duv_copy *copy, col_problem *problem) {
    const uint32_t count = r->is_wrong ? 0 : get_number(r);
    r->is_wrong = r->is_wrong || count > r->left;
    if (count == 0 || r->is_wrong)
        return COL_OK;
    copy->edited = calloc(count, sizeof *copy->edited);
    if (copy->edited == NULL)
        return base_out_of_memory(problem);
    for (uint32_t i = 0; i < count && !r->is_wrong; i++) {
        copy->edited[i].machine = get_number(r);
        copy->edited[i].state = get_number(r);
        copy->edited[i].event = get_number(r);
    }
    copy->description.edited = copy->edited;
    copy->description.edited_count = count;
    return COL_OK;
}

static col_status read_needs(duv_reader *r, duv_copy *copy, col_problem *problem) {
    const uint32_t count = copy->description.point_count;
    if (r->is_wrong || get_number(r) == 0)
        return COL_OK;
    copy->needs = calloc((size_t)count + 1, sizeof *copy->needs);
    if (copy->needs == NULL)
        return base_out_of_memory(problem);
    for (uint32_t p = 0; p < count && !r->is_wrong; p++)
        copy->needs[p] = get_number(r);
    copy->description.needs = copy->needs;
    return COL_OK;
}

static col_status read_sources(duv_reader *r, duv_copy *copy, col_problem *problem) {
    const uint32_t count = copy->description.point_count;
    if (r->is_wrong || get_number(r) == 0)
        return COL_OK;
    copy->sources = calloc((size_t)count + 1, sizeof *copy->sources);
    if (copy->sources == NULL)
        return base_out_of_memory(problem);
    for (uint32_t p = 0; p < count && !r->is_wrong; p++) {
        const char *file = get_string(r);
        copy->sources[p] =
            (col_duv_source){.file = file[0] == '\0' ? NULL : file, .line = get_number(r)};
    }
    copy->description.sources = copy->sources;
    return COL_OK;
}

static void read_machines(duv_reader *r, duv_copy *copy) {
    for (uint32_t m = 0; m < copy->description.machine_count && !r->is_wrong; m++) {
        col_duv_machine *machine = &copy->machines[m];
        machine->name = get_string(r);
        machine->controllers = get_number(r);
        machine->is_private = get_number(r) != 0;
        machine->first_point = get_number(r);
        machine->point_count = get_number(r);
    }
    for (uint32_t p = 0; p < copy->description.point_count && !r->is_wrong; p++) {
        copy->points[p].state = get_string(r);
        copy->points[p].event = get_string(r);
        copy->points[p].reachable = get_number(r) != 0;
    }
}

col_status duv_read_description(duv_reader *r, duv_copy *copy, col_problem *problem) {
    *copy = (duv_copy){0};
    col_duv_description *d = &copy->description;
    d->name = get_string(r);
    d->cores = get_number(r);
    d->model = (col_model)get_number(r);
    d->reachable_known = get_number(r) != 0;
    d->shows = (col_shows)get_number(r);
    d->varies = get_number(r) != 0;
    d->is_narrow = get_number(r) != 0;
    d->is_single = get_number(r) != 0;
    d->merges = get_number(r) != 0;
    d->fetches = get_number(r) != 0;
    d->prefetches = get_number(r) != 0;
    d->executes = get_number(r) != 0;
    d->conditionals = get_number(r) != 0;
    d->dma = get_number(r) != 0;
    d->draws = get_number(r) != 0;
    d->refuses = get_number(r);
    d->least_operations = get_number(r);
    d->most_operations = get_number(r);
    d->instances = get_number(r);
    d->packs = get_number(r) != 0;
    d->window = get_number(r);
    d->window |= (uint64_t)get_number(r) << 32;
    read_geometry(r, &d->geometry);
    d->machine_count = get_number(r);
    d->point_count = get_number(r);
    /* Each takes some bytes: more than that is nonsense, not a reason to take memory. */
    if (r->is_wrong || d->machine_count > r->left || d->point_count > r->left)
        return base_fail(problem, "the design's process describes the design by nonsense");
    copy->machines = calloc((size_t)d->machine_count + 1, sizeof *copy->machines);
    copy->points = calloc((size_t)d->point_count + 1, sizeof *copy->points);
    if (copy->machines == NULL || copy->points == NULL) {
        duv_copy_free(copy);
        return base_out_of_memory(problem);
    }
    read_machines(r, copy);
    d->machines = copy->machines;
    d->points = copy->points;
    col_status status = read_names(r, copy, problem);
    if (status == COL_OK)
        status = read_edited(r, copy, problem);
    if (status == COL_OK)
        status = read_needs(r, copy, problem);
    if (status == COL_OK)
        status = read_sources(r, copy, problem);
    if (status == COL_OK)
        status = r->is_wrong
                     ? base_fail(problem, "the design's process describes the design by nonsense")
                     : duv_check_description(d, problem);
    if (status != COL_OK)
        duv_copy_free(copy);
    return status;
}

void duv_copy_free(duv_copy *copy) {
    free(copy->machines);
    free(copy->points);
    free(copy->names);
    free(copy->words);
    free(copy->empty);
    free(copy->edited);
    free(copy->needs);
    free(copy->sources);
    *copy = (duv_copy){0};
}
