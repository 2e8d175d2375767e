/* SPDX-License-Identifier: MIT */
/* Searches in files: see save.h. Numbers have eight bytes each; the last is a hash of all others.
 */
#include "explore/save.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "sim/reached.h"

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
    SAVED_LOOKED_AT,
    SAVED_DEPTH_END,
    SAVED_DEPTH,
    SAVED_PATH_BYTES,
    SAVED_CELLS,
    SAVED_FIRSTS, /* as many as cells, or none */
    SAVED_BUFFERS,
    SAVED_NUMBERS
} saved_number;

/* ---- Cells, one after the other. */

static uint64_t count_cells(const sl_protocol *p) {
    uint64_t cells = 0;
    for (uint32_t m = 0; m < p->machine_count; m++)
        cells += (uint64_t)p->machines[m]->state_count * p->machines[m]->event_count;
    return cells;
}

static bool next_cell(const sl_protocol *p, exp_cell *cell) {
    const sl_machine *m = p->machines[cell->machine];
    if (++cell->event == m->event_count) {
        cell->event = 0;
        cell->state++;
    }
    if (cell->state == m->state_count) {
        cell->state = 0;
        cell->machine++;
    }
    return cell->machine < p->machine_count;
}

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
    } while (next_cell(p, &cell));
}

static void write_firsts(writer *w, const search *x) {
    const sl_protocol *p = x->workers[0].system->protocol;
    exp_cell cell = {0};
    if (x->workers[0].firsts == NULL)
        return;
    do
        write_number(w, exp_search_first(x, &cell));
    while (next_cell(p, &cell));
}

static void write_prints(writer *w, const search *x) {
    for (uint64_t i = 0; i < x->known.places; i++)
        if (x->known.prints[i] != 0)
            write_number(w, x->known.prints[i]);
}

static void write_all(writer *w, const search *x) {
    const sim_system *system = x->workers[0].system;
    const size_t identity = strlen(x->settings->identity);
    const uint64_t cells = count_cells(system->protocol);
    uint8_t bounds[EXP_MOST_BUFFERS] = {0};
    const uint64_t numbers[SAVED_NUMBERS] = {
        [SAVED_REMEMBERS] = x->settings->remembers,
        [SAVED_STATES] = x->paths.count,
        [SAVED_STEPS] = x->result->steps,
        [SAVED_LOOKED_AT] = x->number,
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
    write_firsts(w, x);
    exp_search_bounds(x, bounds);
    write_bytes(w, bounds, numbers[SAVED_BUFFERS]);
    write_bytes(w, x->paths.bytes, x->paths.used);
    write_prints(w, x);
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

typedef struct reader {
    XXH3_state_t hash;
    const char *path;
    FILE *stream;
    uint64_t left; /* bytes of the file */
    col_problem *problem;
} reader;

static col_status refuse_damaged(const reader *r) {
    return base_refuse(r->problem,
                       "%.400s is damaged: it is not what collider explore --save wrote", r->path);
}

static col_status read_bytes(reader *r, void *bytes, uint64_t count) {
    if (count > r->left)
        return refuse_damaged(r);
    errno = 0;
    if (fread(bytes, 1, count, r->stream) != count)
        return ferror(r->stream) != 0 ? base_cannot_read(r->path, errno, r->problem)
                                      : refuse_damaged(r);
    r->left -= count;
    (void)XXH3_64bits_update(&r->hash, bytes, count);
    return COL_OK;
}

static col_status read_number(reader *r, uint64_t *number) {
    return read_bytes(r, number, sizeof *number);
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
static col_status read_magic(reader *r, bool *is_ours) {
    char first[sizeof magic];
    *is_ours = false;
    if (r->left < sizeof magic)
        return COL_OK;
    const col_status status = read_bytes(r, first, sizeof first);
    *is_ours = status == COL_OK && memcmp(first, magic, sizeof magic) == 0;
    return status == COL_FAILURE ? status : COL_OK;
}

/* The identity, which has room for MOST_IDENTITY bytes and an end, and the numbers. */
static col_status read_head(reader *r, char *identity, uint64_t numbers[SAVED_NUMBERS]) {
    uint64_t format = 0, order = 0, length = 0;
    bool is_ours;
    col_status status = read_magic(r, &is_ours);
    if (status == COL_OK && !is_ours)
        return base_refuse(r->problem,
                           "%.400s is not a saved search; collider explore --save leaves one",
                           r->path);
    if (status == COL_OK)
        status = read_number(r, &format);
    if (status == COL_OK)
        status = read_number(r, &order);
    if (status == COL_OK && (format != FORMAT || order != byte_order))
        return base_refuse(r->problem,
                           "%.400s was saved by another version, or on a machine with another "
                           "byte order",
                           r->path);
    if (status == COL_OK)
        status = read_number(r, &length);
    if (status == COL_OK && length > MOST_IDENTITY)
        return refuse_damaged(r);
    if (status == COL_OK)
        status = read_bytes(r, identity, length);
    identity[length <= MOST_IDENTITY ? length : 0] = '\0';
    return status == COL_OK ? read_bytes(r, numbers, SAVED_NUMBERS * sizeof *numbers) : status;
}

col_status exp_save_remembers(const char *path, bool *remembers, col_problem *problem) {
    reader r;
    char identity[MOST_IDENTITY + 1];
    uint64_t numbers[SAVED_NUMBERS] = {0};
    col_status status = open_reader(&r, path, problem);
    if (status != COL_OK)
        return status;
    status = read_head(&r, identity, numbers);
    (void)fclose(r.stream);
    *remembers = status == COL_OK && numbers[SAVED_REMEMBERS] != 0;
    return status;
}

col_status exp_save_check_place(const char *path, col_problem *problem) {
    reader r;
    base_file file;
    if (access(path, F_OK) == 0) {
        bool is_ours;
        col_status status = open_reader(&r, path, problem);
        if (status != COL_OK)
            return status;
        status = read_magic(&r, &is_ours);
        (void)fclose(r.stream);
        if (status != COL_OK)
            return status;
        if (!is_ours)
            return base_refuse(problem,
                               "--save would overwrite %.300s, which is not a saved search", path);
    }
    const col_status status = base_file_begin(&file, path, problem);
    return status == COL_OK ? base_file_end(&file, false, problem) : status;
}

/* Do the numbers fit each other, the system and the size of the file? */
static bool are_sound(const reader *r, const search *x, const uint64_t n[SAVED_NUMBERS]) {
    const uint64_t cells = count_cells(x->workers[0].system->protocol);
    const uint64_t fixed = cells + (x->workers[0].firsts == NULL ? 0 : cells * sizeof(uint64_t)) +
                           x->workers[0].steps.world.buffer_count + sizeof(uint64_t);
    const uint64_t most = r->left / sizeof(uint64_t); /* states */
    return n[SAVED_CELLS] == cells &&
           n[SAVED_FIRSTS] == (x->workers[0].firsts == NULL ? 0 : cells) &&
           n[SAVED_BUFFERS] == x->workers[0].steps.world.buffer_count && n[SAVED_STATES] >= 1 &&
           n[SAVED_STATES] <= most && n[SAVED_LOOKED_AT] <= n[SAVED_STATES] &&
           n[SAVED_DEPTH_END] <= n[SAVED_STATES] && n[SAVED_LOOKED_AT] <= n[SAVED_DEPTH_END] &&
           n[SAVED_DEPTH] < n[SAVED_STATES] && n[SAVED_PATH_BYTES] <= r->left &&
           r->left == fixed + n[SAVED_PATH_BYTES] + n[SAVED_STATES] * sizeof(uint64_t);
}

static col_status read_cells(reader *r, search *x) {
    const sl_protocol *p = x->workers[0].system->protocol;
    exp_cell cell = {0};
    do {
        uint8_t is_reached = 0;
        const col_status status = read_bytes(r, &is_reached, 1);
        if (status != COL_OK)
            return status;
        const sim_system *s = x->workers[0].system;
        const uint32_t place = cell.state * p->machines[cell.machine]->event_count + cell.event;
        if (is_reached != 0 && s->wiring.machines[cell.machine].count > 0)
            s->counts[cell.machine][place] = 1;
    } while (next_cell(p, &cell));
    return COL_OK;
}

static col_status read_firsts(reader *r, const search *x, uint64_t looked_at) {
    const sl_protocol *p = x->workers[0].system->protocol;
    exp_cell cell = {0};
    if (x->workers[0].firsts == NULL)
        return COL_OK;
    do {
        const uint32_t place = cell.state * p->machines[cell.machine]->event_count + cell.event;
        uint64_t *first = &x->workers[0].firsts[cell.machine][place];
        const col_status status = read_number(r, first);
        if (status != COL_OK)
            return status;
        if (*first != 0 && exp_first_state(*first) >= looked_at)
            return refuse_damaged(r);
    } while (next_cell(p, &cell));
    return COL_OK;
}

static col_status read_paths(reader *r, search *x, const uint64_t n[SAVED_NUMBERS]) {
    uint8_t *bytes = malloc(n[SAVED_PATH_BYTES] + 1);
    if (bytes == NULL)
        return base_out_of_memory(r->problem);
    col_status status = read_bytes(r, bytes, n[SAVED_PATH_BYTES]);
    if (status == COL_OK &&
        !exp_paths_check(bytes, n[SAVED_PATH_BYTES], n[SAVED_STATES], n[SAVED_LOOKED_AT]))
        status = refuse_damaged(r);
    if (status == COL_OK &&
        !exp_paths_adopt(&x->paths, bytes, n[SAVED_PATH_BYTES], n[SAVED_STATES]))
        status = base_out_of_memory(r->problem);
    if (status != COL_OK)
        free(bytes);
    return status;
}

static col_status read_prints(reader *r, search *x, uint64_t count) {
    if (!exp_known_reserve(&x->known, count))
        return base_out_of_memory(r->problem);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t print = 0;
        const col_status status = read_number(r, &print);
        if (status != COL_OK)
            return status;
        if (print == 0 || exp_known_add(&x->known, print, NULL, 0) != KNOWN_NEW)
            return refuse_damaged(r);
    }
    return COL_OK;
}

static col_status check_hash(reader *r) {
    uint64_t saved = 0;
    const uint64_t hash = XXH3_64bits_digest(&r->hash);
    const col_status status = read_number(r, &saved);
    return status == COL_OK && saved != hash ? refuse_damaged(r) : status;
}

static col_status read_body(reader *r, search *x, const uint64_t n[SAVED_NUMBERS]) {
    uint8_t *bounds = x->workers[0].bounds;
    col_status status = read_cells(r, x);
    if (status == COL_OK)
        status = read_firsts(r, x, n[SAVED_LOOKED_AT]);
    if (status == COL_OK)
        status = read_bytes(r, bounds, n[SAVED_BUFFERS]);
    if (status == COL_OK)
        status = read_paths(r, x, n);
    if (status == COL_OK)
        status = read_prints(r, x, n[SAVED_STATES]);
    if (status == COL_OK)
        status = check_hash(r);
    x->old_states = x->known.count = n[SAVED_STATES];
    x->old_steps = n[SAVED_STEPS];
    x->number = n[SAVED_LOOKED_AT];
    x->depth_end = n[SAVED_DEPTH_END];
    x->result->depth = (uint32_t)n[SAVED_DEPTH];
    return status;
}

/* A table of what is known, as large as it may be. */
static bool fits(const search *x, uint64_t states) {
    return x->settings->most_bytes == 0 || states <= x->settings->most_bytes / 14;
}

col_status exp_save_read(search *x, const char *path, col_problem *problem) {
    reader r;
    char identity[MOST_IDENTITY + 1];
    uint64_t numbers[SAVED_NUMBERS] = {0};
    col_status status = open_reader(&r, path, problem);
    if (status != COL_OK)
        return status;
    status = read_head(&r, identity, numbers);
    if (status == COL_OK && strcmp(identity, x->settings->identity) != 0)
        status = base_refuse(problem,
                             "%.400s was saved by a search of another design or with other "
                             "settings: %.200s",
                             path, identity);
    else if (status == COL_OK && !are_sound(&r, x, numbers))
        status = refuse_damaged(&r);
    else if (status == COL_OK && !fits(x, numbers[SAVED_STATES]))
        status = base_refuse(problem, "%.400s has %llu states, which is more than --memory allows",
                             path, (unsigned long long)numbers[SAVED_STATES]);
    if (status == COL_OK)
        status = read_body(&r, x, numbers);
    (void)fclose(r.stream);
    return status;
}
