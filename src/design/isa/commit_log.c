/* SPDX-License-Identifier: MIT */
/*
 * Reading commit logs: see image_results.h. A thread's function begins at its entry, so a hart that
 * comes there begins a round; a log that leaves instructions without a register out has no entries,
 * and then a read that was there already begins one. An await reads again and again, and what it
 * read last counts.
 */
#include "design/isa/image_results.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 4096 };

/* Where a hart is. */
typedef struct progress {
    uint64_t rounds; /* begun */
    uint32_t slot;   /* the last read; ISA_NONE: none in this round */
    bool has_entry;  /* its entry was seen: nothing else begins a round */
    bool is_done;    /* its await has seen its value */
} progress;

struct isa_commits {
    isa_map map;
    const col_program *program;
    char *file;
    base_index places;    /* of reads and entries, by hart and program counter */
    uint32_t *operations; /* by their number there; ISA_NONE: the entry */
    size_t operation_capacity;
    progress *harts;
    uint8_t *bytes;
    size_t capacity;
    uint64_t rounds; /* that there is room for */
    uint64_t read_count;
    uint32_t line; /* under way */
    char *partial; /* a line without its end */
    size_t partial_length;
    bool is_output; /* lines that do not look like commits, and those that are too long, go */
    bool is_long;   /* the line under way */
};

static uint64_t place_hash(uint32_t hart, uint64_t pc) {
    return base_index_hash(pc + ((uint64_t)hart << 48) + hart);
}

static col_status add_place(isa_commits *c, uint32_t hart, uint64_t pc, uint32_t operation,
                            col_problem *problem) {
    const uint64_t hash = place_hash(hart, pc);
    if (base_index_find(&c->places, hash, NULL, NULL, NULL) != BASE_NO_NUMBER)
        return COL_OK; /* a map that says one thing twice; the first counts */
    col_status status = base_reserve(&c->operations, &c->operation_capacity, c->places.count + 1,
                                     sizeof *c->operations, problem);
    if (status != COL_OK)
        return status;
    c->operations[c->places.count] = operation;
    return base_index_put(&c->places, hash, problem);
}

static col_status begin(isa_commits *c, const isa_map *map, col_problem *problem) {
    c->map = *map;
    c->map.threads = calloc((size_t)map->thread_count + 1, sizeof *c->map.threads);
    c->map.sites = calloc((size_t)map->site_count + 1, sizeof *c->map.sites);
    c->harts = calloc((size_t)map->thread_count + 1, sizeof *c->harts);
    c->partial = malloc(MOST_LINE + 1);
    if (c->map.threads == NULL || c->map.sites == NULL || c->harts == NULL || c->partial == NULL ||
        c->file == NULL)
        return base_out_of_memory(problem);
    /* As a log in memory without final words, whatever the image itself logs. */
    c->map.stride = 0;
    c->map.finals_offset = ISA_NO_FINALS;
    for (uint32_t t = 0; t < map->thread_count; t++) {
        c->map.threads[t] = map->threads[t];
        c->map.threads[t].log_offset = c->map.stride;
        c->map.stride += (uint64_t)map->threads[t].slots * map->word_bytes;
    }
    memcpy(c->map.sites, map->sites, map->site_count * sizeof *map->sites);
    col_status status = COL_OK;
    for (uint32_t t = 0; t < map->thread_count && status == COL_OK; t++) {
        c->harts[t].slot = ISA_NONE;
        status = add_place(c, t, map->threads[t].entry, ISA_NONE, problem);
    }
    for (uint32_t s = 0; s < map->site_count && status == COL_OK; s++)
        if (map->sites[s].slot != ISA_NONE)
            status = add_place(c, map->sites[s].thread, map->sites[s].pc, s, problem);
    return status;
}

col_status isa_commits_new(isa_commits **commits, const isa_map *map, const col_program *program,
                           const char *file, col_problem *problem) {
    isa_commits *c = calloc(1, sizeof *c);
    *commits = NULL;
    if (c == NULL)
        return base_out_of_memory(problem);
    c->program = program;
    c->file = strdup(file);
    c->line = 1;
    const col_status status = begin(c, map, problem);
    if (status == COL_OK)
        *commits = c;
    else
        isa_commits_free(c);
    return status;
}

void isa_commits_free(isa_commits *c) {
    if (c == NULL)
        return;
    isa_map_free(&c->map);
    base_index_free(&c->places);
    free(c->operations);
    free(c->harts);
    free(c->bytes);
    free(c->partial);
    free(c->file);
    free(c);
}

/* ---- What a line says. */

typedef struct commit {
    uint32_t hart, reg; /* ISA_NONE: no register was written */
    uint64_t pc, value;
} commit;

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* A number, decimal or 0x; moves on. */
static bool take_number(const char **at, uint64_t *number) {
    const char *from = skip_blanks(*at);
    char *end;
    if (*from < '0' || *from > '9')
        return false;
    errno = 0;
    const bool is_hexadecimal = from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
    *number = strtoull(from, &end, is_hexadecimal ? 16 : 10);
    *at = end;
    return errno == 0 &&
           (*end == '\0' || *end == ' ' || *end == '\t' || *end == ':' || *end == ')');
}

/* A register by its name, such as x13; moves on. */
static bool take_register(const isa_target *target, const char **at, uint32_t *reg) {
    const char *from = skip_blanks(*at);
    const size_t length = strcspn(from, " \t");
    for (uint32_t i = 0; i < target->register_count; i++)
        if (strlen(target->registers[i]) == length &&
            memcmp(target->registers[i], from, length) == 0) {
            *reg = i;
            *at = from + length;
            return true;
        }
    return false;
}

static bool take_character(const char **at, char c) {
    *at = skip_blanks(*at);
    if (**at != c)
        return false;
    (*at)++;
    return true;
}

/* What follows an instruction in a commit log: registers (x13, f2, c768_mstatus), memory, or
 * nothing. In a disassembly it is the instruction's name. */
static bool is_effect(const char *at) {
    at = skip_blanks(at);
    return *at == '\0' || strncmp(at, "mem ", 4) == 0 ||
           (strchr("xfvce", *at) != NULL && at[1] >= '0' && at[1] <= '9');
}

/* Behind "core": false if it is another kind of line, such as that of a disassembly. */
static bool parse_spike(const isa_target *target, const char *at, commit *said) {
    uint64_t hart, first, instruction;
    if (!take_number(&at, &hart) || hart >= UINT32_MAX || !take_character(&at, ':') ||
        !take_number(&at, &first))
        return false;
    if (!take_number(&at, &said->pc)) /* the privilege came first, unless it is left out */
        said->pc = first;
    if (!take_character(&at, '(') || !take_number(&at, &instruction) || !take_character(&at, ')'))
        return false;
    if (!is_effect(at))
        return false;
    said->hart = (uint32_t)hart;
    said->reg = ISA_NONE;
    if (take_register(target, &at, &said->reg) && !take_number(&at, &said->value))
        return false;
    return true;
}

/* Refuses what is not a line of four words. */
static col_status parse_plain(const isa_commits *c, const char *line, commit *said,
                              col_problem *problem) {
    const isa_target *target = c->map.target;
    const char *at = line, *what = NULL;
    uint64_t hart = 0;
    if (!take_number(&at, &hart) || hart >= UINT32_MAX)
        what = "the hart's number";
    else if (!take_number(&at, &said->pc))
        what = "the program counter";
    else if (!take_register(target, &at, &said->reg))
        what = "a register";
    else if (!take_number(&at, &said->value))
        what = "the register's value";
    at = skip_blanks(at);
    if (what == NULL && *at != '\0' && *at != '#')
        what = "the end of the line";
    said->hart = (uint32_t)hart;
    return what == NULL
               ? COL_OK
               : base_refuse_at(problem, c->file, c->line, (uint32_t)(at - line) + 1,
                                "%s is expected here, in a line such as '0 0x80004024 %s 0x5'",
                                what, target->registers[target->register_count > 13 ? 13 : 0]);
}

/* ---- What it means. */

/* Room for the round: only what is read takes memory, not what a log says to have begun. */
static col_status make_room(isa_commits *c, uint64_t round, col_problem *problem) {
    if (round < c->rounds)
        return COL_OK;
    const size_t begin_at = (size_t)(isa_map_log(&c->map) + c->rounds * c->map.stride);
    const size_t end = (size_t)(isa_map_log(&c->map) + (round + 1) * c->map.stride);
    const col_status status = base_reserve(&c->bytes, &c->capacity, end + 1, 1, problem);
    if (status != COL_OK)
        return status;
    memset(c->bytes + begin_at, 0xff, end - begin_at);
    c->rounds = round + 1;
    return COL_OK;
}

static col_status begin_round(isa_commits *c, progress *hart, col_problem *problem) {
    if (hart->rounds >= c->map.rounds)
        return base_refuse_at(
            problem, c->file, c->line, 1, "a hart begins round %llu here, but the image has %llu",
            (unsigned long long)hart->rounds + 1, (unsigned long long)c->map.rounds);
    hart->rounds++;
    hart->slot = ISA_NONE;
    hart->is_done = false;
    return COL_OK;
}

/* Was this read there already? A loop of an await or of exclusives is one read. */
static bool is_again(const progress *hart, const isa_map_site *site, bool is_await) {
    if (hart->has_entry)
        return false;
    return hart->rounds == 0 ||
           (hart->slot != ISA_NONE && (site->slot < hart->slot ||
                                       (site->slot == hart->slot && (!is_await || hart->is_done))));
}

static col_status take_read(isa_commits *c, const commit *said, uint32_t operation,
                            col_problem *problem) {
    const isa_map_site *site = &c->map.sites[operation];
    progress *hart = &c->harts[said->hart];
    const col_operation *o = &c->program->operations[operation];
    if (said->reg != site->reg)
        return COL_OK;
    col_status status = COL_OK;
    if (is_again(hart, site, o->kind == COL_AWAIT))
        status = begin_round(c, hart, problem);
    if (status != COL_OK || hart->rounds == 0) /* 0: the log begins in the middle of a thread */
        return status;
    const uint64_t round = hart->rounds - 1;
    status = make_room(c, round, problem);
    if (status != COL_OK)
        return status;
    uint8_t *at =
        c->bytes + isa_map_log(&c->map) + round * c->map.stride + isa_map_slot(&c->map, site);
    for (uint32_t i = 0; i < c->map.word_bytes; i++)
        at[i] = (uint8_t)(said->value >> (8 * i));
    hart->is_done =
        (said->value & c->map.ones) == isa_map_word(&c->map, c->program, o->value, round);
    hart->slot = site->slot;
    c->read_count++;
    return COL_OK;
}

static col_status take_commit(isa_commits *c, const commit *said, col_problem *problem) {
    if (said->hart >= c->map.thread_count)
        return COL_OK;
    const uint32_t number =
        base_index_find(&c->places, place_hash(said->hart, said->pc), NULL, NULL, NULL);
    if (number == BASE_NO_NUMBER)
        return COL_OK;
    if (c->operations[number] == ISA_NONE) {
        c->harts[said->hart].has_entry = true;
        return begin_round(c, &c->harts[said->hart], problem);
    }
    return said->reg == ISA_NONE ? COL_OK : take_read(c, said, c->operations[number], problem);
}

col_status isa_commits_take(isa_commits *c, uint32_t hart, uint64_t pc, uint32_t reg,
                            uint64_t value, col_problem *problem) {
    return take_commit(c, &(commit){.hart = hart, .reg = reg, .pc = pc, .value = value}, problem);
}

static col_status take_line(isa_commits *c, char *line, size_t length, col_problem *problem) {
    commit said = {.reg = ISA_NONE};
    if (c->line == 1)
        line += base_skip_bom(line, &length) - line;
    if (length > 0 && line[length - 1] == '\r')
        length--;
    line[length] = '\0';
    const size_t text = strlen(line);
    if (text < length)
        return base_refuse_at(problem, c->file, c->line, (uint32_t)text + 1,
                              "a line is text, and has no NUL byte");
    const char *at = skip_blanks(line);
    if (*at == '\0' || *at == '#')
        return COL_OK;
    if (strncmp(at, "core", 4) == 0)
        return parse_spike(c->map.target, at + 4, &said) ? take_commit(c, &said, problem) : COL_OK;
    const col_status status = parse_plain(c, line, &said, problem);
    return status == COL_OK ? take_commit(c, &said, problem) : status;
}

/* ---- The text. */

static bool is_commit(const isa_commits *c) {
    c->partial[c->partial_length] = '\0';
    const char *at = skip_blanks(c->partial);
    return !c->is_long && (strncmp(at, "core", 4) == 0 || (*at >= '0' && *at <= '9'));
}

static col_status end_line(isa_commits *c, col_problem *problem) {
    col_status status = COL_OK;
    if (!c->is_output || is_commit(c)) {
        status = take_line(c, c->partial, c->partial_length, problem);
        c->line++;
    }
    c->partial_length = 0;
    c->is_long = false;
    return status;
}

col_status isa_commits_add(isa_commits *c, const char *text, size_t length, col_problem *problem) {
    col_status status = COL_OK;
    while (length > 0 && status == COL_OK) {
        const char *end = memchr(text, '\n', length);
        const size_t count = end != NULL ? (size_t)(end - text) : length;
        c->is_long = c->is_long || count > MOST_LINE - c->partial_length;
        if (c->is_long && !c->is_output)
            return base_refuse_at(problem, c->file, c->line, 1, "this line has more than %d bytes",
                                  MOST_LINE);
        if (!c->is_long) {
            memcpy(c->partial + c->partial_length, text, count);
            c->partial_length += count;
        }
        if (end != NULL)
            status = end_line(c, problem);
        text += count + (end != NULL);
        length -= count + (end != NULL);
    }
    return status;
}

col_status isa_commits_add_output(isa_commits *c, const char *text, size_t length,
                                  col_problem *problem) {
    c->is_output = true;
    return isa_commits_add(c, text, length, problem);
}

col_status isa_commits_end(isa_commits *c, const isa_map **map, const uint8_t **bytes,
                           col_problem *problem) {
    const col_status status = c->partial_length > 0 ? end_line(c, problem) : COL_OK;
    if (status != COL_OK)
        return status;
    if (c->read_count == 0)
        return base_refuse(problem, "no line of %.200s is about a read of this image", c->file);
    /* Rounds that every hart with a read has begun, and all but the last one, unless it is
     * complete. */
    uint64_t rounds = c->rounds;
    for (uint32_t t = 0; t < c->map.thread_count; t++) {
        const progress *hart = &c->harts[t];
        const uint32_t slots = c->map.threads[t].slots;
        if (slots == 0)
            continue;
        const bool is_whole = hart->slot != ISA_NONE && hart->slot + 1 == slots;
        const uint64_t done = hart->rounds - (hart->rounds > 0 && !is_whole);
        if (done < rounds)
            rounds = done;
    }
    c->map.rounds = rounds;
    c->map.results.size = isa_map_log(&c->map) + rounds * c->map.stride;
    *map = &c->map;
    *bytes = c->bytes;
    return COL_OK;
}

col_status isa_commits_read(isa_commits *c, const char *path, col_problem *problem) {
    const bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "rb");
    if (file == NULL)
        return base_cannot_read(path, errno, problem);
    static const size_t most = 1 << 16;
    char *chunk = malloc(most);
    bool has_ended = false;
    col_status status = chunk == NULL ? base_out_of_memory(problem) : COL_OK;
    while (status == COL_OK && !has_ended) {
        const size_t count = fread(chunk, 1, most, file);
        if (ferror(file) != 0)
            status = base_cannot_read(path, errno, problem);
        else
            status = isa_commits_add(c, chunk, count, problem);
        has_ended = count < most;
    }
    if (!is_input)
        (void)fclose(file);
    free(chunk);
    return status;
}
