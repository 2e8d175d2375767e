/* SPDX-License-Identifier: MIT */
/* Reading results: see image_results.h. */
#include "design/isa/image_results.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t take(const uint8_t *bytes, uint32_t count) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < count; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

void isa_name_operation(const col_program *program, uint32_t operation, char *text, size_t size) {
    const uint32_t thread = col_program_thread_of(program, operation);
    const col_operation *o = &program->operations[operation];
    char value[16] = "", location[16] = "";
    if (col_kinds[o->kind].located)
        (void)snprintf(location, sizeof location, " a%u", (unsigned)o->location);
    if (o->value != 0)
        (void)snprintf(value, sizeof value, " %u", (unsigned)o->value);
    (void)snprintf(text, size, "thread %u, operation %u (%s%s%s)", (unsigned)thread,
                   (unsigned)(operation - program->thread_start[thread]), col_kinds[o->kind].name,
                   location, value);
}

col_status isa_results_open(isa_results *results, const isa_map *map, const col_program *program,
                            const uint8_t *bytes, col_problem *problem) {
    col_status status = COL_OK;
    results->map = map;
    results->program = program;
    results->bytes = bytes;
    base_index_clear(&results->values);
    for (uint32_t o = 0; o < col_program_operations(program) && status == COL_OK; o++) {
        const col_operation *operation = &program->operations[o];
        if (operation->kind != COL_STORE && operation->kind != COL_SWAP)
            continue;
        status = base_reserve(&results->writers, &results->writer_capacity,
                              results->values.count + 1, sizeof *results->writers, problem);
        if (status != COL_OK)
            break;
        results->writers[results->values.count] = o;
        status = base_index_put(&results->values, base_index_hash(operation->value), problem);
    }
    return status;
}

void isa_results_close(isa_results *results) {
    base_index_free(&results->values);
    free(results->writers);
    *results = (isa_results){0};
}

/* ---- How it ended. */

typedef struct record {
    isa_state state;
    uint64_t round, cause, pc, value;
} record;

/* What is not a record is that of a hart that never started. */
static bool read_record(const isa_map *map, const uint8_t *bytes, uint32_t hart, record *r) {
    const uint8_t *at = bytes + (size_t)hart * ISA_RECORD_BYTES;
    const uint64_t state = take(at + ISA_RECORD_STATE, 8);
    *r = (record){.state = ISA_STATE_NONE};
    if (state <= ISA_STATE_MARK || state >= ISA_STATE_MARK + ISA_STATE_COUNT)
        return true;
    if (take(at + ISA_RECORD_IMAGE, 8) != map->image)
        return false;
    *r = (record){.state = (isa_state)(state - ISA_STATE_MARK),
                  .round = take(at + ISA_RECORD_ROUND, 8),
                  .cause = take(at + ISA_RECORD_CAUSE, 8),
                  .pc = take(at + ISA_RECORD_PC, 8),
                  .value = take(at + ISA_RECORD_VALUE, 8)};
    return r->round < map->rounds;
}

/* Which record tells most: others may be its consequence. */
static int weight(const record *r, uint32_t hart) {
    static const uint8_t weights[ISA_STATE_COUNT] = {[ISA_STATE_TRAPPED] = 5,
                                                     [ISA_STATE_GAVE_UP] = 4,
                                                     [ISA_STATE_ALONE] = 2,
                                                     [ISA_STATE_NONE] = 1,
                                                     [ISA_STATE_RUNNING] = 1};
    return weights[r->state] + (r->state == ISA_STATE_ALONE && hart == 0);
}

/* By mcause, by the class in ESR_EL1, by vectors. */
static const char *name_cause(const isa_map *map, uint64_t cause) {
    enum { CLASS_SHIFT = 26 };
    static const struct {
        uint16_t machine;
        uint8_t cause;
        const char *name;
    } rows[] = {
        {ISA_EM_RISCV, 0, "an instruction address that is not aligned"},
        {ISA_EM_RISCV, 1, "an instruction access fault"},
        {ISA_EM_RISCV, 2, "an illegal instruction"},
        {ISA_EM_RISCV, 3, "a breakpoint"},
        {ISA_EM_RISCV, 4, "a load address that is not aligned"},
        {ISA_EM_RISCV, 5, "a load access fault"},
        {ISA_EM_RISCV, 6, "a store address that is not aligned"},
        {ISA_EM_RISCV, 7, "a store access fault"},
        {ISA_EM_AARCH64, 0, "an unknown instruction"},
        {ISA_EM_AARCH64, 0x21, "an instruction abort"},
        {ISA_EM_AARCH64, 0x25, "a data abort"},
        {ISA_EM_X86_64, 3, "a breakpoint"},
        {ISA_EM_X86_64, 6, "an invalid opcode"},
        {ISA_EM_X86_64, 8, "a double fault"},
        {ISA_EM_X86_64, 13, "a general protection fault"},
        {ISA_EM_X86_64, 14, "a page fault"},
        {ISA_EM_X86_64, 18, "a machine check"},
    };
    const uint16_t machine = map->target->elf_machine;
    if (machine == ISA_EM_AARCH64)
        cause >>= CLASS_SHIFT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].machine == machine && rows[i].cause == cause)
            return rows[i].name;
    return machine == ISA_EM_RISCV ? "a trap" : "an exception";
}

/* The operation whose code is nearest before it. */
static void name_place(const isa_map *map, const col_program *program, uint64_t pc, char *text,
                       size_t size) {
    const isa_map_site *best = NULL;
    for (uint32_t s = 0; s < map->site_count; s++)
        if (map->sites[s].pc <= pc && (best == NULL || map->sites[s].pc > best->pc))
            best = &map->sites[s];
    text[0] = '\0';
    if (best == NULL || pc - best->pc > 64)
        return;
    char name[120];
    isa_name_operation(program, best->operation, name, sizeof name);
    (void)snprintf(text, size, ", near %s", name);
}

#define SAY(ending, ...) base_sentence((ending)->sentence, sizeof(ending)->sentence, __VA_ARGS__)

/* The await that gave up is the first one of its thread without its value in the log. */
static void say_gave_up(const isa_results *results, isa_ending *e) {
    const isa_map *map = results->map;
    const col_program *program = results->program;
    char name[120];
    bool is_found = false;
    const uint8_t *part = results->bytes + isa_map_log(map) + e->round * map->stride;
    (void)snprintf(name, sizeof name, "an await of thread %u", (unsigned)e->hart);
    for (uint32_t s = 0; s < map->site_count && map->stride > 0 && !is_found; s++) {
        const isa_map_site *site = &map->sites[s];
        const col_operation *operation = &program->operations[site->operation];
        if (site->thread != e->hart || operation->kind != COL_AWAIT)
            continue;
        is_found = take(part + isa_map_slot(map, site), map->word_bytes) !=
                   isa_map_word(map, program, operation->value, e->round);
        if (is_found)
            isa_name_operation(program, site->operation, name, sizeof name);
    }
    SAY(e, "%s never saw its value in round %llu", name, (unsigned long long)e->round + 1);
}

/* Whom the hart waited for: a barrier of words says it, a device's does not. */
static uint64_t find_missing(const record *records, const record *r, const isa_ending *e,
                             uint32_t threads) {
    if (e->hart == 0 && r->cause != 0 && r->cause < threads)
        return r->cause;
    uint32_t hart = 0;
    while (hart < threads && records[hart].state != ISA_STATE_NONE)
        hart++;
    return hart;
}

static void say_alone(const record *records, const record *r, isa_ending *e, uint32_t threads) {
    const unsigned long long round = e->round + 1;
    const uint64_t missing = find_missing(records, r, e, threads);
    if (missing == threads)
        SAY(e, "the barrier never let hart %u go in round %llu", (unsigned)e->hart, round);
    else
        SAY(e, "hart %llu never arrived at the barrier in round %llu%s",
            (unsigned long long)missing, round,
            records[missing].state == ISA_STATE_NONE ? ": it never started" : "");
}

static void say_trapped(const isa_results *results, const record *r, isa_ending *e) {
    const isa_map *map = results->map;
    char place[160];
    name_place(map, results->program, r->pc, place, sizeof place);
    SAY(e, "hart %u trapped in round %llu: %s (cause 0x%llx, value 0x%llx) at pc 0x%llx%s",
        (unsigned)e->hart, (unsigned long long)e->round + 1, name_cause(map, r->cause),
        (unsigned long long)r->cause, (unsigned long long)r->value, (unsigned long long)r->pc,
        place);
}

static void say_ending(const isa_results *results, const record *records, isa_ending *e) {
    const record *r = &records[e->hart];
    switch (e->state) {
    case ISA_STATE_TRAPPED:
        e->pc = r->pc;
        say_trapped(results, r, e);
        break;
    case ISA_STATE_GAVE_UP:
        say_gave_up(results, e);
        break;
    case ISA_STATE_ALONE:
        say_alone(records, r, e, results->map->thread_count);
        break;
    case ISA_STATE_RUNNING:
        SAY(e, "the image did not come to its end: hart %u was in round %llu of %llu",
            (unsigned)e->hart, (unsigned long long)e->round + 1,
            (unsigned long long)results->map->rounds);
        break;
    case ISA_STATE_NONE:
        SAY(e, "the image never started: hart %u left nothing behind", (unsigned)e->hart);
        break;
    default:
        break;
    }
}

col_status isa_results_ending(const isa_results *results, isa_ending *ending,
                              col_problem *problem) {
    const isa_map *map = results->map;
    record *records = calloc((size_t)map->thread_count + 1, sizeof *records);
    if (records == NULL)
        return base_out_of_memory(problem);
    *ending = (isa_ending){.state = ISA_STATE_DONE, .rounds = map->rounds};
    int heaviest = 0;
    bool is_ours = true;
    for (uint32_t h = 0; h < map->thread_count; h++) {
        record *r = &records[h];
        is_ours = read_record(map, results->bytes, h, r) && is_ours;
        if (r->state != ISA_STATE_DONE && r->round < ending->rounds)
            ending->rounds = r->round;
        if (weight(r, h) <= heaviest)
            continue;
        heaviest = weight(r, h);
        ending->state = r->state;
        ending->hart = h;
        ending->round = r->round;
    }
    if (is_ours) /* else a round may lie behind the results */
        say_ending(results, records, ending);
    free(records);
    return is_ours ? COL_OK : base_refuse(problem, "these are the results of another image");
}

isa_state isa_results_state(const isa_results *results, uint32_t hart, uint64_t *round) {
    record r;
    *round = read_record(results->map, results->bytes, hart, &r) ? r.round : 0;
    return r.state;
}

/* ---- Rounds. */

/* The word without its salt, as the program has it. */
static uint64_t unsalt(const isa_results *results, uint64_t held, uint64_t round) {
    const isa_map *map = results->map;
    return col_program_from_memory(results->program, (held - isa_map_salt(map, round)) & map->ones);
}

/* Can some operation have left the value of this word at the location? What adds counted in the
 * upper half is not looked at. */
static bool is_known(const isa_results *results, uint32_t location, uint64_t word,
                     uint32_t *writer) {
    const uint32_t value = (uint32_t)word;
    *writer = ISA_NONE;
    if (value == 0)
        return true;
    const uint32_t number =
        base_index_find(&results->values, base_index_hash(value), NULL, NULL, NULL);
    if (number == BASE_NO_NUMBER)
        return false;
    *writer = results->writers[number];
    return results->program->operations[*writer].location == location;
}

/* The round that a word belongs to, the latest before the one that it was read in first; or
 * map->rounds. */
static uint64_t find_round(const isa_results *results, uint32_t location, uint64_t held,
                           uint64_t round, uint32_t *writer) {
    const isa_map *map = results->map;
    for (uint64_t back = 1; back <= round; back++)
        if (is_known(results, location, unsalt(results, held, round - back), writer))
            return round - back;
    for (uint64_t later = round + 1; later < map->rounds; later++)
        if (is_known(results, location, unsalt(results, held, later), writer))
            return later;
    return map->rounds;
}

static isa_read take_read(const isa_results *results, uint32_t location, const uint8_t *at,
                          isa_reads *reads) {
    const isa_map *map = results->map;
    const uint64_t held = take(at, map->word_bytes);
    uint32_t writer;
    isa_read read = {.state = ISA_WORD_LOST};
    if (held != map->ones) {
        read.word = unsalt(results, held, reads->round);
        read.state = is_known(results, location, read.word, &writer) ? ISA_WORD_GOOD : ISA_WORD_OLD;
    }
    reads->lost_count += read.state == ISA_WORD_LOST;
    reads->old_count += read.state == ISA_WORD_OLD;
    return read;
}

static void take_reads(const isa_results *results, const uint8_t *part, isa_reads *reads) {
    const isa_map *map = results->map;
    for (uint32_t s = 0; s < map->site_count; s++) {
        const isa_map_site *site = &map->sites[s];
        isa_read *read = &reads->operations[site->operation];
        *read = (isa_read){.state = ISA_WORD_GOOD};
        if (site->slot == ISA_NONE)
            continue;
        if (map->stride > 0) {
            *read = take_read(results, results->program->operations[site->operation].location,
                              part + isa_map_slot(map, site), reads);
        } else {
            read->state = ISA_WORD_LOST;
            reads->lost_count++;
        }
    }
}

col_status isa_results_round(const isa_results *results, uint64_t round, isa_reads *reads,
                             col_problem *problem) {
    const isa_map *map = results->map;
    const col_program *program = results->program;
    const uint8_t *part = results->bytes + isa_map_log(map) + round * map->stride;
    col_status status = base_reserve(&reads->operations, &reads->operation_capacity,
                                     (size_t)col_program_operations(program) + 1,
                                     sizeof *reads->operations, problem);
    if (status == COL_OK)
        status = base_reserve(&reads->finals, &reads->final_capacity,
                              (size_t)program->location_count + 1, sizeof *reads->finals, problem);
    if (status != COL_OK)
        return status;
    reads->round = round;
    reads->lost_count = reads->old_count = 0;
    reads->has_finals = map->finals_offset != ISA_NO_FINALS;
    take_reads(results, part, reads);
    part += reads->has_finals ? map->finals_offset : 0;
    for (uint32_t l = 0; l < program->location_count && reads->has_finals; l++)
        reads->finals[l] = take_read(results, l, part + (size_t)l * map->word_bytes, reads);
    return COL_OK;
}

void isa_reads_free(isa_reads *reads) {
    free(reads->operations);
    free(reads->finals);
    *reads = (isa_reads){0};
}

void isa_reads_tell(const isa_reads *reads, const col_program *program,
                    const col_observer *observer) {
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            const isa_read *read = &reads->operations[o];
            const col_event event = {
                .kind = COL_VALUE_RETURNED, .core = t, .operation = o, .word = read->word};
            if (col_kinds[program->operations[o].kind].reads && read->state != ISA_WORD_LOST)
                observer->notice(observer->context, &event);
        }
    for (uint32_t l = 0; l < program->location_count && reads->has_finals; l++) {
        const isa_read *read = &reads->finals[l];
        const col_event event = {.kind = COL_FINAL_VALUE, .location = l, .word = read->word};
        if (read->state != ISA_WORD_LOST)
            observer->notice(observer->context, &event);
    }
}

/* ---- What is wrong. */

static void say_old(const isa_results *results, const isa_reads *reads, const char *reader,
                    uint32_t location, uint64_t word, char *sentence, size_t size) {
    const isa_map *map = results->map;
    const uint64_t held = isa_map_word(map, results->program, word, reads->round);
    uint32_t writer = ISA_NONE;
    char name[120] = "";
    const uint64_t round = find_round(results, location, held, reads->round, &writer);
    if (round == map->rounds) {
        base_sentence(sentence, size,
                      "%s returned 0x%llx in round %llu, which no round ever left there", reader,
                      (unsigned long long)held, (unsigned long long)reads->round + 1);
        return;
    }
    if (writer != ISA_NONE)
        isa_name_operation(results->program, writer, name, sizeof name);
    base_sentence(sentence, size, "%s returned the %s%s of round %llu in round %llu", reader,
                  writer == ISA_NONE ? "initial value" : "value of ", name,
                  (unsigned long long)round + 1, (unsigned long long)reads->round + 1);
}

static void say(const isa_results *results, const isa_reads *reads, const char *reader,
                uint32_t location, const isa_read *read, char *sentence, size_t size) {
    if (read->state == ISA_WORD_OLD)
        say_old(results, reads, reader, location, read->word, sentence, size);
    else
        base_sentence(sentence, size, "the value of %s is missing from the log of round %llu",
                      reader, (unsigned long long)reads->round + 1);
}

bool isa_reads_explain(const isa_results *results, const isa_reads *reads, char *sentence,
                       size_t size) {
    const col_program *program = results->program;
    char name[120];
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (reads->operations[o].state != ISA_WORD_GOOD) {
            isa_name_operation(program, o, name, sizeof name);
            say(results, reads, name, program->operations[o].location, &reads->operations[o],
                sentence, size);
            return true;
        }
    for (uint32_t l = 0; l < program->location_count && reads->has_finals; l++)
        if (reads->finals[l].state != ISA_WORD_GOOD) {
            (void)snprintf(name, sizeof name, "the last read of a%u", (unsigned)l);
            say(results, reads, name, l, &reads->finals[l], sentence, size);
            return true;
        }
    return false;
}

/* Results in a file. */

/* A line of digits, the last byte first; false: it is something else. */
static bool take_line(const char *line, size_t length, base_text *bytes) {
    if (length % 2 != 0)
        return false;
    for (size_t i = length; i > 0; i -= 2) {
        const uint32_t high = base_digit(line[i - 2]), low = base_digit(line[i - 1]);
        if (high > 15 || low > 15)
            return false;
        const char byte = (char)(high << 4 | low);
        base_text_add_bytes(bytes, &byte, 1);
    }
    return true;
}

/* As far as it is text of digits. */
static bool take_text(const base_text *content, base_text *bytes) {
    const char *at = content->data, *end = at + content->length;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end != NULL ? line_end : end) - at);
        if (length > 0 && at[length - 1] == '\r')
            length--;
        if (!take_line(at, length, bytes))
            return false;
        at = line_end != NULL ? line_end + 1 : end;
    }
    return true;
}

/* Signatures are padded to whole lines. */
enum { MOST_PADDING = 128 };

col_status isa_results_take(const isa_map *map, const char *file, base_text *content,
                            col_problem *problem) {
    const uint64_t wanted = map->all.size, at = map->all.base - map->ram.base;
    base_text other = {0};
    if (content->length == wanted)
        return COL_OK;
    if (content->length == map->ram.size && at <= map->ram.size && wanted <= map->ram.size - at)
        base_text_add_bytes(&other, content->data + at, wanted);
    else if (content->length == 0 || !take_text(content, &other) || other.length < wanted ||
             other.length - wanted > MOST_PADDING) {
        const bool failed = other.failed;
        base_text_free(&other);
        if (failed)
            return base_out_of_memory(problem);
        return base_refuse(problem,
                           "%.200s has %zu bytes, but the results have %llu (from 0x%llx on), and "
                           "ram has %llu",
                           file, content->length, (unsigned long long)wanted,
                           (unsigned long long)map->all.base, (unsigned long long)map->ram.size);
    }
    const col_status status = base_text_status(&other, problem);
    if (status == COL_OK) {
        base_text_free(content);
        *content = other;
        other = (base_text){0};
    }
    base_text_free(&other);
    return status;
}

col_status isa_results_read(const isa_map *map, const char *path, base_text *bytes,
                            col_problem *problem) {
    const col_status status = base_file_read(path, bytes, problem);
    return status == COL_OK ? isa_results_take(map, path, bytes, problem) : status;
}
