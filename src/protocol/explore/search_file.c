/* SPDX-License-Identifier: MIT */
/* Searches in files: see search_parts.h. Numbers have eight bytes each; the last is a hash of all
 * others.
 */

#include "protocol/explore/search_parts.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "protocol/simulate/transition_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = "collider search";

enum { FORMAT = 2, MOST_IDENTITY = 4096 };
static const uint64_t byte_order = UINT64_C(0x0102030405060708);

/* What follows the identity; then as many bytes and numbers as these say. */
typedef enum saved_number {
    SAVED_REMEMBERS,
    SAVED_STATES,
    SAVED_STEPS,
    SAVED_EXPANDED,
    SAVED_DEPTH_END,
    SAVED_DEPTH,
    SAVED_PATH_BYTES,
    SAVED_CELLS,
    SAVED_FIRSTS, /* as many as cells, or none */
    SAVED_BUFFERS,
    SAVED_NUMBERS
} saved_number;

/* ---- Writing. */

typedef struct writer {
    FILE *stream;
    XXH3_state_t hash;
} writer;

static void write_bytes(writer *w, const void *bytes, size_t count) {
    (void)fwrite(bytes, 1, count, w->stream); /* base_file_end looks for errors */
    (void)XXH3_64bits_update(&w->hash, bytes, count);
}

static void write_number(writer *w, uint64_t number) {
    write_bytes(w, &number, sizeof number);
}

static void write_cells(writer *w, const search *x) {
    const sl_protocol *p = x->workers[0].system->protocol;
    exp_cell cell = {0};
    do {
        uint8_t is_reached = 0;
        for (uint32_t i = 0; i < x->worker_count; i++)
            is_reached |=
                sim_was_reached(x->workers[i].system, cell.machine, cell.state, cell.event);
        write_bytes(w, &is_reached, 1);
    } while (exp_cell_next(p, &cell));
}

static void write_all(writer *w, const search *x) {
    const sim_system *system = x->workers[0].system;
    const size_t identity = strlen(x->settings->identity);
    const uint64_t cells = exp_cell_count(system->protocol);
    uint8_t bounds[EXP_MOST_BUFFERS] = {0};
    const uint64_t numbers[SAVED_NUMBERS] = {
        [SAVED_REMEMBERS] = x->settings->remembers,
        [SAVED_STATES] = x->paths.count,
        [SAVED_STEPS] = x->result->steps,
        [SAVED_EXPANDED] = x->number,
        [SAVED_DEPTH_END] = x->depth_end,
        [SAVED_DEPTH] = x->result->depth,
        [SAVED_PATH_BYTES] = x->paths.used,
        [SAVED_CELLS] = cells,
        [SAVED_FIRSTS] = x->workers[0].firsts == NULL ? 0 : cells,
        [SAVED_BUFFERS] = x->workers[0].steps.world.buffer_count};
    write_bytes(w, magic, sizeof magic);
    write_number(w, FORMAT);
    write_number(w, byte_order);
    write_number(w, identity);
    write_bytes(w, x->settings->identity, identity);
    write_bytes(w, numbers, sizeof numbers);
    write_cells(w, x);
    for (uint64_t i = 0; i < numbers[SAVED_FIRSTS]; i++)
        write_number(w, exp_search_first(x, i));
    exp_search_bounds(x, bounds);
    write_bytes(w, bounds, numbers[SAVED_BUFFERS]);
    write_bytes(w, x->paths.bytes, x->paths.used);
    for (uint64_t i = 0; i < x->known.places; i++)
        if (x->known.hashes[i] != 0)
            write_number(w, x->known.hashes[i]);
    const uint64_t hash = XXH3_64bits_digest(&w->hash);
    write_number(w, hash);
}

col_status exp_save_write(const search *x, const char *path, col_problem *problem) {
    base_file file;
    writer w;
    const col_status status = base_file_begin(&file, path, problem);
    if (status != COL_OK)
        return status;
    w.stream = file.stream;
    XXH3_INITSTATE(&w.hash);
    (void)XXH3_64bits_reset(&w.hash);
    write_all(&w, x);
    return base_file_end(&file, true, problem);
}

/* ---- Reading. */

/* The first failure stays; nothing is read after it. */
typedef struct reader {
    XXH3_state_t hash;
    const char *path;
    FILE *stream;
    uint64_t left; /* bytes of the file */
    col_status status;
    col_problem *problem;
} reader;

static void refuse_damaged(reader *r) {
    if (r->status == COL_OK)
        r->status = base_refuse(
            r->problem, "%.400s is damaged: it is not what collider explore --save wrote", r->path);
}

static void read_bytes(reader *r, void *bytes, uint64_t count) {
    if (r->status != COL_OK)
        return;
    if (count > r->left) {
        refuse_damaged(r);
        return;
    }
    errno = 0;
    if (fread(bytes, 1, count, r->stream) == count) {
        r->left -= count;
        (void)XXH3_64bits_update(&r->hash, bytes, count);
    } else if (ferror(r->stream) != 0) {
        r->status = base_cannot_read(r->path, errno, r->problem);
    } else {
        refuse_damaged(r);
    }
}

static uint64_t read_number(reader *r) {
    uint64_t number = 0;
    read_bytes(r, &number, sizeof number);
    return number;
}

static col_status open_reader(reader *r, const char *path, col_problem *problem) {
    struct stat about;
    *r = (reader){.path = path, .problem = problem};
    r->stream = fopen(path, "rb");
    if (r->stream == NULL)
        return base_cannot_read(path, errno, problem);
    if (fstat(fileno(r->stream), &about) != 0 || !S_ISREG(about.st_mode)) {
        (void)fclose(r->stream);
        return base_refuse(problem, "%.400s is not a regular file", path);
    }
    r->left = (uint64_t)about.st_size;
    XXH3_INITSTATE(&r->hash);
    (void)XXH3_64bits_reset(&r->hash);
    return COL_OK;
}

/* A disk that fails says nothing about the file. */
static bool read_magic(reader *r) {
    char first[sizeof magic];
    if (r->left < sizeof magic)
        return false;
    read_bytes(r, first, sizeof first);
    return r->status == COL_OK && memcmp(first, magic, sizeof magic) == 0;
}

/* The identity, which has room for MOST_IDENTITY bytes and an end, and the numbers. */
static void read_head(reader *r, char *identity, uint64_t numbers[SAVED_NUMBERS]) {
    identity[0] = '\0';
    if (!read_magic(r)) {
        if (r->status == COL_OK)
            r->status = base_refuse(
                r->problem, "%.400s is not a saved search; collider explore --save leaves one",
                r->path);
        return;
    }
    const uint64_t format = read_number(r), order = read_number(r);
    if (r->status == COL_OK && (format != FORMAT || order != byte_order))
        r->status = base_refuse(r->problem,
                                "%.400s was saved by another version, or on a machine with "
                                "another byte order",
                                r->path);
    const uint64_t length = read_number(r);
    if (length > MOST_IDENTITY) {
        refuse_damaged(r);
        return;
    }
    read_bytes(r, identity, length);
    identity[length] = '\0';
    read_bytes(r, numbers, SAVED_NUMBERS * sizeof *numbers);
}

col_status exp_save_remembers(const char *path, bool *remembers, col_problem *problem) {
    reader r;
    char identity[MOST_IDENTITY + 1];
    uint64_t numbers[SAVED_NUMBERS] = {0};
    const col_status status = open_reader(&r, path, problem);
    if (status != COL_OK)
        return status;
    read_head(&r, identity, numbers);
    (void)fclose(r.stream);
    *remembers = r.status == COL_OK && numbers[SAVED_REMEMBERS] != 0;
    return r.status;
}

col_status exp_save_check_place(const char *path, col_problem *problem) {
    reader r;
    base_file file;
    if (access(path, F_OK) == 0) {
        const col_status status = open_reader(&r, path, problem);
        if (status != COL_OK)
            return status;
        const bool is_ours = read_magic(&r);
        (void)fclose(r.stream);
        if (r.status == COL_FAILURE)
            return r.status;
        if (!is_ours)
            return base_refuse(problem,
                               "--save would overwrite %.300s, which is not a saved search", path);
    }
    const col_status status = base_file_begin(&file, path, problem);
    return status == COL_OK ? base_file_end(&file, false, problem) : status;
}

/* Do the numbers fit each other, the system and the size of the file? */
static bool are_sound(const reader *r, const search *x, const uint64_t n[SAVED_NUMBERS]) {
    const uint64_t cells = exp_cell_count(x->workers[0].system->protocol);
    const uint64_t fixed = cells + (x->workers[0].firsts == NULL ? 0 : cells * sizeof(uint64_t)) +
                           x->workers[0].steps.world.buffer_count + sizeof(uint64_t);
    const uint64_t most = r->left / sizeof(uint64_t); /* states */
    return n[SAVED_CELLS] == cells &&
           n[SAVED_FIRSTS] == (x->workers[0].firsts == NULL ? 0 : cells) &&
           n[SAVED_BUFFERS] == x->workers[0].steps.world.buffer_count && n[SAVED_STATES] >= 1 &&
           n[SAVED_STATES] <= most && n[SAVED_EXPANDED] <= n[SAVED_STATES] &&
           n[SAVED_DEPTH_END] <= n[SAVED_STATES] && n[SAVED_EXPANDED] <= n[SAVED_DEPTH_END] &&
           n[SAVED_DEPTH] < n[SAVED_STATES] && n[SAVED_PATH_BYTES] <= r->left &&
           r->left == fixed + n[SAVED_PATH_BYTES] + n[SAVED_STATES] * sizeof(uint64_t);
}

static void read_cells(reader *r, search *x) {
    const sim_system *s = x->workers[0].system;
    exp_cell cell = {0};
    do {
        uint8_t is_reached = 0;
        read_bytes(r, &is_reached, 1);
        const uint32_t events = s->protocol->machines[cell.machine]->event_count;
        if (is_reached != 0 && s->wiring.machines[cell.machine].count > 0)
            s->counts[cell.machine][cell.state * events + cell.event] = 1;
    } while (r->status == COL_OK && exp_cell_next(s->protocol, &cell));
}

static void read_firsts(reader *r, const search *x, uint64_t count, uint64_t expanded) {
    for (uint64_t i = 0; i < count && r->status == COL_OK; i++) {
        const uint64_t first = x->workers[0].firsts[i] = read_number(r);
        if (first != 0 && exp_first_state(first) >= expanded)
            refuse_damaged(r);
    }
}

static void read_paths(reader *r, search *x, const uint64_t n[SAVED_NUMBERS]) {
    uint8_t *bytes = r->status == COL_OK ? malloc(n[SAVED_PATH_BYTES] + 1) : NULL;
    bool is_adopted = false;
    if (r->status == COL_OK && bytes == NULL)
        r->status = base_out_of_memory(r->problem);
    read_bytes(r, bytes, n[SAVED_PATH_BYTES]);
    if (r->status == COL_OK &&
        !exp_paths_check(bytes, n[SAVED_PATH_BYTES], n[SAVED_STATES], n[SAVED_EXPANDED]))
        refuse_damaged(r);
    if (r->status == COL_OK) {
        is_adopted = exp_paths_adopt(&x->paths, bytes, n[SAVED_PATH_BYTES], n[SAVED_STATES]);
        r->status = is_adopted ? COL_OK : base_out_of_memory(r->problem);
    }
    if (!is_adopted)
        free(bytes);
}

static void read_hashes(reader *r, search *x, uint64_t count) {
    if (r->status == COL_OK && !exp_known_reserve(&x->known, count))
        r->status = base_out_of_memory(r->problem);
    for (uint64_t i = 0; i < count && r->status == COL_OK; i++) {
        const uint64_t hash = read_number(r);
        if (hash == 0 || exp_known_add(&x->known, hash, NULL, 0) != KNOWN_NEW)
            refuse_damaged(r);
    }
}

static void read_body(reader *r, search *x, const uint64_t n[SAVED_NUMBERS]) {
    read_cells(r, x);
    read_firsts(r, x, n[SAVED_FIRSTS], n[SAVED_EXPANDED]);
    read_bytes(r, x->workers[0].bounds, n[SAVED_BUFFERS]);
    read_paths(r, x, n);
    read_hashes(r, x, n[SAVED_STATES]);
    const uint64_t hash = XXH3_64bits_digest(&r->hash);
    if (read_number(r) != hash)
        refuse_damaged(r);
    x->old_states = x->known.count = n[SAVED_STATES];
    x->old_steps = n[SAVED_STEPS];
    x->number = n[SAVED_EXPANDED];
    x->depth_end = n[SAVED_DEPTH_END];
    x->result->depth = (uint32_t)n[SAVED_DEPTH];
}

col_status exp_save_read(search *x, const char *path, col_problem *problem) {
    reader r;
    char identity[MOST_IDENTITY + 1];
    uint64_t n[SAVED_NUMBERS] = {0};
    const uint64_t most = x->settings->most_bytes / 14; /* the table as large as it may be */
    const col_status status = open_reader(&r, path, problem);
    if (status != COL_OK)
        return status;
    read_head(&r, identity, n);
    if (r.status == COL_OK && strcmp(identity, x->settings->identity) != 0)
        r.status = base_refuse(problem,
                               "%.400s was saved by a search of another design or with other "
                               "settings: %.200s",
                               path, identity);
    else if (r.status == COL_OK && !are_sound(&r, x, n))
        refuse_damaged(&r);
    else if (r.status == COL_OK && x->settings->most_bytes != 0 && n[SAVED_STATES] > most)
        r.status =
            base_refuse(problem, "%.400s has %llu states, which is more than --memory allows", path,
                        (unsigned long long)n[SAVED_STATES]);
    if (r.status == COL_OK)
        read_body(&r, x, n);
    (void)fclose(r.stream);
    return r.status;
}

/*
 * States found again: see search_parts.h. Only states that lead to one that waits are needed, and a
 * state is found from one that was found before it, in the same order; so two passes are enough:
 * backward to mark them, forward to take one step to each. Those that are found wait in a queue
 * until those found from them have been found, too.
 */

typedef struct restorer {
    search *search;
    worker *worker;
    uint64_t *needed;  /* a bit for each state */
    image_queue queue; /* states that were found again, and are not parents yet */
    uint64_t next;     /* no state before this waits in the queue */
    uint64_t parent;   /* the state that steps start from */
    bool has_parent;
    bool is_stopped;
    bool is_foreign; /* a step is not one of the design's */
} restorer;

static bool is_needed(const restorer *r, uint64_t number) {
    return (r->needed[number / 64] >> number % 64 & 1) != 0;
}

static void mark(restorer *r, uint64_t number) {
    r->needed[number / 64] |= UINT64_C(1) << number % 64;
}

static void mark_needed(restorer *r) {
    const search *x = r->search;
    found_run states;
    for (uint64_t i = x->number; i < x->paths.count; i++)
        mark(r, i);
    for (uint64_t run = x->paths.index_count; run-- > 0;)
        for (uint32_t i = exp_paths_read(&x->paths, run, &states); i-- > 0;)
            if (is_needed(r, run * EXP_PATHS_RUN + i))
                mark(r, states.parents[i]);
}

/* The parent becomes the origin of steps. False: no memory, or the disk fails. */
static bool go_to(restorer *r, uint64_t parent) {
    if (r->has_parent && r->parent == parent)
        return true;
    exp_queue_drop(&r->queue);
    image_span image = {0};
    for (bool is_there = false; !is_there; r->next++) {
        if (!is_needed(r, r->next))
            continue;
        image = exp_queue_take(&r->queue);
        if (image.image == NULL)
            return false;
        is_there = r->next == parent;
    }
    exp_world_unpack(&r->worker->steps.world, image.image);
    r->parent = parent;
    r->has_parent = true;
    return true;
}

/* Takes the step to a state, whose image is written. False: it is no step of the design, or leads
 * elsewhere. */
static bool take(restorer *r, uint32_t choice) {
    worker *w = r->worker;
    if (!exp_step_may(&w->steps, choice) || !exp_worker_step(w, choice, false))
        return false;
    return exp_known_has(&r->search->known, exp_worker_hash(w));
}

/* False: no memory, or the disk fails. */
static bool keep(restorer *r, uint64_t number) {
    const uint32_t bytes = exp_worker_end_image(r->worker);
    image_queue *queue = number < r->search->number ? &r->queue : &r->search->queue;
    return exp_queue_add(queue, r->worker->steps.world.image, bytes);
}

static bool find_again(restorer *r, uint64_t number, uint64_t parent, uint32_t choice) {
    r->is_foreign = false;
    if (!go_to(r, parent))
        return false;
    r->is_foreign = true; /* if a step fails */
    r->is_foreign = !take(r, choice);
    if (r->is_foreign || !keep(r, number))
        return false;
    exp_world_undo(&r->worker->steps.world);
    return true;
}

/* False: no memory, the disk fails, or the steps are not the design's. */
static bool find_all(restorer *r) {
    const search *x = r->search;
    found_run states;
    r->is_foreign = true; /* if the first state fails */
    if (setjmp(r->worker->system->escape) != 0)
        return false;
    if (x->number == x->paths.count)
        return true; /* nothing waits */
    exp_worker_start(r->worker);
    r->is_foreign = !exp_known_has(&x->known, exp_worker_hash(r->worker));
    if (r->is_foreign || !keep(r, 0))
        return false;
    for (uint64_t run = 0; run < x->paths.index_count; run++) {
        const uint32_t count = exp_paths_read(&x->paths, run, &states);
        r->is_stopped = base_is_stopped(x->settings->stop);
        if (r->is_stopped)
            return true;
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t number = run * EXP_PATHS_RUN + i;
            if (number > 0 && is_needed(r, number) &&
                !find_again(r, number, states.parents[i], states.choices[i]))
                return false;
        }
    }
    return true;
}

col_status exp_restore(search *x, const char *path, col_problem *problem) {
    restorer r = {.search = x,
                  .worker = &x->workers[0],
                  .queue = {.most_bytes = x->queue.most_bytes, .folder = x->queue.folder}};
    col_status status = COL_OK;
    r.needed = calloc(x->paths.count / 64 + 1, sizeof *r.needed);
    if (r.needed == NULL)
        return base_out_of_memory(problem);
    mark_needed(&r);
    if (!find_all(&r)) {
        if (x->workers[0].system->failure.out_of_memory || !r.is_foreign)
            status = base_fail(problem,
                               "cannot restore the states of %.400s: no memory, or the "
                               "temporary file fails",
                               path);
        else
            status = base_refuse(problem,
                                 "%.400s is damaged: its steps are not those of the design", path);
    }
    x->limit = r.is_stopped ? "stop" : NULL;
    exp_queue_free(&r.queue);
    free(r.needed);
    return status;
}
