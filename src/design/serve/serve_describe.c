/* SPDX-License-Identifier: MIT */
/*
 * How a design behind the serve protocol describes itself: see serve_line.h. Lines are rows of a
 * table; what they add up to is checked as any design's description is.
 */
#include "base/names.h"
#include "base/text.h"
#include "design/serve/serve_line.h"

#include <string.h>

/* The text is read word by word, and each word that is a name gets its end in place. */
typedef struct describing {
    duv_copy *copy;
    duv_words words;
    bool has_model;
    uint32_t words_used; /* of copy->words */
} describing;

static col_duv_description *about(const describing *d) {
    return &d->copy->description;
}

static bool read_number(describing *d, uint64_t least, uint64_t most, uint64_t *number) {
    return duv_words_number(&d->words, number) && *number >= least && *number <= most;
}

static bool read_short(describing *d, uint64_t least, uint64_t most, uint32_t *number) {
    uint64_t n = 0;
    const bool is_fine = read_number(d, least, most, &n);
    *number = (uint32_t)n;
    return is_fine;
}

/* Cuts the next word off; NULL: there is none. */
static const char *take_word(describing *d) {
    size_t length;
    const char *word = duv_words_next(&d->words, &length);
    if (length == 0)
        return NULL;
    char *end = (char *)word + length;
    d->words.at = end + (*end != '\0');
    *end = '\0';
    return word;
}

/* ---- The design. */

static bool set_name(describing *d) {
    char *name = (char *)duv_words_rest(&d->words);
    size_t length = strlen(name);
    while (length > 0 && (name[length - 1] == ' ' || name[length - 1] == '\r'))
        name[--length] = '\0';
    base_make_printable(name, false);
    about(d)->name = name;
    d->words.at = name + length;
    return length > 0;
}

static bool set_cores(describing *d) {
    return read_short(d, 1, 1 << 16, &about(d)->cores);
}

static bool set_model(describing *d) {
    uint32_t model;
    const char *word = take_word(d);
    if (word == NULL || !base_choice_find(col_models, word, strlen(word), &model))
        return false;
    about(d)->model = (col_model)model;
    d->has_model = true;
    return true;
}

static bool set_shows(describing *d) {
    const char *word = take_word(d);
    for (int s = 0; word != NULL && s < COL_SHOWS_COUNT; s++)
        if (strcmp(word, col_shows_names[s]) == 0) {
            about(d)->shows = (col_shows)s;
            return true;
        }
    return false;
}

static bool set_varies(describing *d) {
    return about(d)->varies = true;
}

static bool set_single(describing *d) {
    return about(d)->is_single = true;
}

static bool set_merges(describing *d) {
    return about(d)->merges = true;
}

static bool set_word(describing *d) {
    uint64_t bytes;
    if (!read_number(d, COL_NARROW_BYTES, COL_WORD_BYTES, &bytes))
        return false;
    about(d)->is_narrow = bytes == COL_NARROW_BYTES;
    return bytes == COL_NARROW_BYTES || bytes == COL_WORD_BYTES;
}

static bool set_window(describing *d) {
    return read_number(d, COL_WORD_BYTES, UINT64_MAX, &about(d)->window);
}

static bool set_operations(describing *d) {
    return read_short(d, 1, UINT32_MAX, &about(d)->least_operations) &&
           read_short(d, about(d)->least_operations, UINT32_MAX, &about(d)->most_operations);
}

static bool set_instances(describing *d) {
    return read_short(d, 1, UINT32_MAX, &about(d)->instances);
}

static bool add_refused(describing *d) {
    const char *word;
    while ((word = take_word(d)) != NULL) {
        int kind = 0;
        while (kind < COL_KIND_COUNT && strcmp(word, col_kinds[kind].name) != 0)
            kind++;
        if (kind == COL_KIND_COUNT)
            return false;
        about(d)->refuses |= 1U << kind;
    }
    return about(d)->refuses != 0;
}

/* ---- Its caches. */

/* The bits of a power of two. */
static bool read_bits(describing *d, uint32_t most, uint32_t *bits) {
    uint64_t number;
    if (!read_number(d, 1, UINT64_C(1) << most, &number) || (number & (number - 1)) != 0)
        return false;
    for (*bits = 0; number > 1; number >>= 1)
        ++*bits;
    return true;
}

static bool set_block(describing *d) {
    return read_bits(d, 16, &about(d)->geometry.block_bits);
}

static bool add_cache(describing *d) {
    col_geometry *g = &about(d)->geometry;
    const char *name = take_word(d);
    if (name == NULL || strlen(name) >= sizeof g->levels[0].name ||
        g->level_count == COL_MAX_LEVELS)
        return false;
    col_cache_level *level = &g->levels[g->level_count++];
    base_sentence(level->name, sizeof level->name, "%s", name);
    level->index_low = g->block_bits;
    return read_bits(d, 32, &level->index_bits) && read_short(d, 1, 1 << 16, &level->ways) &&
           (duv_words_end(&d->words) || read_short(d, 0, 63, &level->index_low));
}

/* ---- Its machines. */

static bool add_machine(describing *d) {
    col_duv_description *a = about(d);
    col_duv_machine *m = &d->copy->machines[a->machine_count];
    *m = (col_duv_machine){.name = take_word(d), .first_point = a->point_count};
    if (m->name == NULL || !read_short(d, 0, 1 << 16, &m->controllers))
        return false;
    const char *word = take_word(d);
    m->is_private = word != NULL && strcmp(word, "private") == 0;
    a->machine_count++;
    return word == NULL || m->is_private;
}

static col_duv_machine *last_machine(const describing *d) {
    const uint32_t count = about(d)->machine_count;
    return count == 0 ? NULL : &d->copy->machines[count - 1];
}

static bool add_point(describing *d) {
    col_duv_description *a = about(d);
    col_duv_machine *m = last_machine(d);
    const char *state = take_word(d), *event = take_word(d);
    if (m == NULL || state == NULL)
        return false;
    d->copy->points[a->point_count++] =
        (col_duv_point){.state = state, .event = event == NULL ? "" : event};
    m->point_count++;
    return true;
}

/* The rest of the line. */
static bool add_names(describing *d, uint32_t *count, const char *const **names) {
    const char **first = d->copy->words + d->words_used;
    const char *word;
    if (last_machine(d) == NULL || *count != 0)
        return false;
    while ((word = take_word(d)) != NULL)
        first[(*count)++] = word;
    d->words_used += *count;
    *names = first;
    return *count > 0;
}

static col_duv_names *last_names(const describing *d) {
    about(d)->names = d->copy->names;
    return &d->copy->names[about(d)->machine_count == 0 ? 0 : about(d)->machine_count - 1];
}

static bool add_states(describing *d) {
    col_duv_names *names = last_names(d);
    names->empty = d->copy->empty + d->words_used;
    return add_names(d, &names->state_count, &names->states);
}

static bool add_events(describing *d) {
    col_duv_names *names = last_names(d);
    return add_names(d, &names->event_count, &names->events);
}

static bool add_empty(describing *d) {
    const col_duv_names *names = last_names(d);
    const char *word = take_word(d);
    bool is_fine = word != NULL;
    for (; word != NULL && is_fine; word = take_word(d)) {
        uint32_t s = 0;
        while (s < names->state_count && strcmp(names->states[s], word) != 0)
            s++;
        is_fine = s < names->state_count;
        if (is_fine)
            d->copy->empty[names->empty - d->copy->empty + s] = true;
    }
    return is_fine;
}

/* ---- Lines. */

static const struct row {
    const char *word;
    bool (*read)(describing *d);
    const char *expected;
} rows[] = {
    {"name", set_name, "name NAME"},
    {"cores", set_cores, "cores NUMBER, 1 to 65536,"},
    {"model", set_model, "model and the word of a memory model, such as tso,"},
    {"shows", set_shows, "shows events or shows reads"},
    {"varies", set_varies, "varies alone"},
    {"single", set_single, "single alone"},
    {"merges", set_merges, "merges alone"},
    {"word", set_word, "word 4 or word 8"},
    {"window", set_window, "window BYTES"},
    {"operations", set_operations, "operations LEAST MOST"},
    {"instances", set_instances, "instances NUMBER"},
    {"refuses", add_refused, "refuses and kinds of operation, such as flush,"},
    {"block", set_block, "block BYTES, a power of two,"},
    {"cache", add_cache, "cache NAME SETS WAYS [LOWEST-INDEX-BIT], at most 8 times,"},
    {"machine", add_machine, "machine NAME CONTROLLERS [private]"},
    {"states", add_states, "states NAME..., once behind a machine,"},
    {"empty", add_empty, "empty STATE..., behind the states,"},
    {"events", add_events, "events NAME..., once behind a machine,"},
    {"point", add_point, "point STATE [EVENT], behind a machine,"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static size_t find_row(const char *word, size_t length) {
    size_t row = 0;
    while (row < ROWS && !duv_word_is(word, length, rows[row].word))
        row++;
    return row;
}

bool duv_serve_describes(const char *line) {
    duv_words words = {line};
    size_t length;
    const char *word = duv_words_next(&words, &length);
    return find_row(word, length) < ROWS;
}

static col_status read_line(describing *d, char *line, col_problem *problem) {
    char quote[DUV_QUOTE];
    duv_serve_quote(quote, line);
    d->words.at = line;
    const char *word = take_word(d);
    const size_t row = find_row(word, strlen(word));
    if (row == ROWS)
        return base_refuse(problem, "the design said '%s', which is not a line of a description",
                           quote);
    if (!rows[row].read(d) || !duv_words_end(&d->words))
        return base_refuse(problem, "the design said '%s', where %s was expected", quote,
                           rows[row].expected);
    return COL_OK;
}

/* Upper bounds of what the text has. */
static col_status make_room(const base_text *text, duv_copy *copy, col_problem *problem) {
    size_t lines = 1, blanks = 1;
    for (size_t i = 0; i < text->length; i++) {
        lines += text->data[i] == '\n';
        blanks += text->data[i] == '\n' || text->data[i] == ' ' || text->data[i] == '\t';
    }
    const base_part parts[] = {BASE_PART(copy->machines, lines), BASE_PART(copy->points, lines),
                               BASE_PART(copy->names, lines),    BASE_PART(copy->words, blanks),
                               BASE_PART(copy->empty, blanks),   {NULL, 0}};
    return base_arena_divide(&copy->arena, parts, problem);
}

static col_status finish(const describing *d, col_problem *problem) {
    col_duv_description *a = about(d);
    /* Most engines want cache sets for locations to compete in. */
    if (a->geometry.level_count == 0)
        a->geometry.levels[a->geometry.level_count++] = (col_cache_level){
            .name = "L1", .index_low = a->geometry.block_bits, .index_bits = 6, .ways = 8};
    const char *missing = a->name == NULL ? "name"
                          : a->cores == 0 ? "cores"
                          : !d->has_model ? "model"
                                          : NULL;
    if (missing != NULL)
        return base_refuse(problem, "the design did not describe its %s", missing);
    return duv_check_description(a, problem);
}

col_status duv_serve_describe(base_text *text, duv_copy *copy, col_problem *problem) {
    enum { USUAL_BLOCK_BITS = 6 };
    describing d = {.copy = copy};
    col_status status = make_room(text, copy, problem);
    copy->description = (col_duv_description){.machines = copy->machines,
                                              .points = copy->points,
                                              .geometry = {.block_bits = USUAL_BLOCK_BITS}};
    char *line = text->data, *end = text->data + text->length;
    while (status == COL_OK && line < end) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        char *next = newline == NULL ? end : newline + 1;
        if (newline != NULL)
            *newline = '\0';
        if (!duv_serve_is_comment(line))
            status = read_line(&d, line, problem);
        line = next;
    }
    return status == COL_OK ? finish(&d, problem) : status;
}
