/* SPDX-License-Identifier: MIT */
/*
 * The story of a failure in words: what broke, what should not have happened, the cycle, where the
 * block was, and what happened to it before. It is meant to fit on a screen or two, so of long
 * stories only the end is told.
 */
#include "episode/story/story.h"
#include "judge/violation.h"
#include "program/program.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LINES = 32, /* of the first block's story */
    MOST_MORE = 16,  /* of the others' */
    MOST_HOLDERS = 12,
    WIDTH = 100,
};

const char *const epi_sources[COL_FROM_MEMORY + 1] = {
    [COL_FROM_UNKNOWN] = NULL,
    [COL_FROM_STORE_BUFFER] = "its own store buffer",
    [COL_FROM_PRIVATE_CACHE] = "its private cache",
    [COL_FROM_OTHER_CORE] = "another core's cache",
    [COL_FROM_SHARED_LEVEL] = "the shared level",
    [COL_FROM_MEMORY] = "memory",
};

/* ---- Phrases. */

void epi_say_operation(const epi_story *s, uint32_t operation, base_text *text) {
    const col_operation *o = epi_operation(s, operation);
    const epi_done *done = &s->done[operation];
    prg_operation_write(o, text);
    if (!col_kinds[o->kind].reads || (done->number == 0 && !done->is_read))
        return;
    base_text_add(text, " = ");
    epi_say_word(s, done->is_read ? done->word : epi_returned(s, operation), text);
}

void epi_say_place(const epi_story *s, uint32_t operation, base_text *text) {
    const uint32_t thread = col_program_thread_of(s->program, operation);
    base_text_print(text, "thread %u, operation %u", thread,
                    operation - s->program->thread_start[thread]);
}

void epi_say_block(const epi_story *s, uint64_t block, base_text *text) {
    enum { MOST = 4 };
    uint32_t count = 0;
    base_text_print(text, "0x%" PRIx64, s->base + block);
    for (uint32_t l = 0; l < s->program->location_count; l++) {
        if (epi_story_block_of(s, l) != block || count++ >= MOST)
            continue;
        base_text_print(text, "%sa%u", count == 1 ? " (" : " ", l);
    }
    if (count > 0)
        base_text_add(text, count > MOST ? " ...)" : ")");
}

/* "thread 0, operation 3 (store a3 17)" */
void epi_say_whole(const epi_story *s, uint32_t operation, base_text *text) {
    epi_say_place(s, operation, text);
    base_text_add(text, " (");
    epi_say_operation(s, operation, text);
    base_text_add(text, ")");
}

static void say_cycle(const epi_story *s, uint32_t operation, base_text *text) {
    if (s->done[operation].number > 0)
        base_text_print(text, " in cycle %llu", (unsigned long long)s->done[operation].cycle);
    else
        base_text_add(text, ", but has not performed");
}

static void say_done(const epi_story *s, uint32_t operation, base_text *text) {
    epi_say_whole(s, operation, text);
    say_cycle(s, operation, text);
}

/* "17 was stored by thread 0, operation 3 (...) in cycle 812" */
static void say_writer(const epi_story *s, uint32_t location, uint64_t word, base_text *text) {
    const uint32_t writer = epi_writer_of(s, location, word);
    epi_say_word(s, word, text);
    if (writer == COL_INITIAL) {
        base_text_add(text, word == 0 ? " is the initial value" : " was never written");
        if (word != 0 && s->is_hardware)
            epi_say_stranger(s, location, word, text);
        return;
    }
    base_text_add(text, " was written by ");
    say_done(s, writer, text);
}

/* If the core's private caches had given the block up, and not got it again. */
static void say_loss(const epi_story *s, uint32_t read, base_text *text) {
    const uint32_t core = col_program_thread_of(s->program, read);
    const epi_block *block =
        epi_story_block(s, epi_story_block_of(s, epi_operation(s, read)->location));
    if (block == NULL || s->nearest == s->design->machine_count || core >= s->design->cores)
        return;
    const epi_held *held = epi_story_held(s, block, s->nearest, core);
    if (held->given_up_number > 0 && held->given_up_number < s->done[read].number)
        base_text_print(text,
                        "; the private caches of core %u had given the block up in cycle %llu",
                        core, (unsigned long long)held->given_up);
}

/* Of ports that report losses: whether that of the core did, before the read. */
static void say_reported(const epi_story *s, uint32_t read, base_text *text) {
    const uint32_t core = col_program_thread_of(s->program, read);
    const epi_block *block =
        epi_story_block(s, epi_story_block_of(s, epi_operation(s, read)->location));
    if (!s->sees_losses || block == NULL || s->nearest == s->design->machine_count ||
        core >= s->design->machines[s->nearest].controllers)
        return;
    const epi_held *held = epi_story_held(s, block, s->nearest, core);
    if (held->given_up_number == 0)
        base_text_print(text, "; port %u had reported no loss of the block", core);
    else if (held->given_up_number < s->done[read].number)
        base_text_print(text, "; port %u last reported the loss of the block in cycle %llu", core,
                        (unsigned long long)held->given_up);
}

/* Transitions of the cache beside the core. */
typedef struct epi_way {
    uint64_t address;
    uint32_t core;
    uint64_t from_cycle, from, until; /* numbers: after the first, up to the last */
    bool changes;                     /* only those to another state */
} epi_way;

static bool is_on_way(const epi_story *s, const epi_way *way, const epi_note *note) {
    return note->kind == COL_TRANSITION && note->machine == s->nearest &&
           note->controller == way->core && note->cycle >= way->from_cycle &&
           note->number > way->from && note->number <= way->until &&
           (!way->changes || note->state != note->next_state);
}

/* The last of them; returns how many. */
static uint32_t say_way(const epi_story *s, const epi_way *way, const char *before,
                        base_text *text) {
    enum { MOST = 4 };
    const epi_block *block = epi_story_block(s, way->address);
    char state[EPI_NAME], event[EPI_NAME], next[EPI_NAME];
    uint32_t count = 0, first = block == NULL ? 0 : epi_story_notes(block);
    for (; first > 0 && count < MOST; first--)
        count += is_on_way(s, way, epi_story_note(block, first - 1));
    count = 0;
    for (uint32_t i = first; block != NULL && i < epi_story_notes(block); i++) {
        const epi_note *n = epi_story_note(block, i);
        if (!is_on_way(s, way, n))
            continue;
        base_text_print(text, "%s%s %s -> %s in cycle %llu", count++ == 0 ? before : ", ",
                        epi_state_name(s, n->machine, n->state, state),
                        epi_event_name(s, n->machine, n->event, event),
                        epi_state_name(s, n->machine, n->next_state, next),
                        (unsigned long long)n->cycle);
    }
    return count;
}

/* The cache beside the core came to a state without the block, or the core was told so, while the
 * load waited. */
static void say_lost_meanwhile(const epi_story *s, const epi_load *load, uint32_t read,
                               base_text *text) {
    const epi_note *lost = &load->lost_by;
    const epi_way way = {.address = epi_story_block_of(s, epi_operation(s, read)->location),
                         .core = col_program_thread_of(s->program, read),
                         .from_cycle = load->asked != UINT64_MAX ? load->asked + 1 : load->bound,
                         .until = lost->number};
    char name[EPI_NAME];
    if (lost->number > 0 && lost->cycle <= load->told) {
        base_text_print(text, " Meanwhile, in cycle %llu, %s lost the block",
                        (unsigned long long)lost->cycle,
                        epi_controller_name(s, s->nearest, way.core, name));
        base_text_add(text, say_way(s, &way, " (", text) > 0 ? ")" : "");
    } else {
        base_text_print(text, " Meanwhile, in cycle %llu, the caches of core %u lost the block",
                        (unsigned long long)load->told, way.core);
    }
    if (load->told == UINT64_MAX)
        base_text_add(text, ", but the core was never told and");
    else
        base_text_print(text, ". The core was told in cycle %llu and",
                        (unsigned long long)load->told);
    base_text_add(text, " did not squash the load");
    base_text_add(text, load->word == epi_returned(s, read) ? ": it kept its old value." : ".");
}

/* No state without the block, no word to the core: whether a state on the way means that the block
 * was lost is for the reader to judge. */
static void say_meanwhile(const epi_story *s, const epi_load *load, uint32_t read,
                          base_text *text) {
    const epi_way way = {.address = epi_story_block_of(s, epi_operation(s, read)->location),
                         .core = col_program_thread_of(s->program, read),
                         .from = load->bound_number,
                         .until = s->done[read].number,
                         .changes = true};
    char before[EPI_NAME + 32], name[EPI_NAME];
    if (!load->is_watched)
        return;
    if (load->lost_by.number > 0 || load->told != UINT64_MAX) {
        say_lost_meanwhile(s, load, read, text);
        return;
    }
    if (s->nearest == s->design->machine_count)
        return;
    (void)snprintf(before, sizeof before, " Meanwhile, %s took ",
                   epi_controller_name(s, s->nearest, way.core, name));
    if (say_way(s, &way, before, text) > 0)
        base_text_add(text, ", and the core was not told of a loss.");
}

/* What the core did: when the load got its value, what it waited for, and whether it was squashed.
 */
static void say_core(const epi_story *s, uint32_t read, base_text *text) {
    const epi_load *load = epi_story_load(s, read);
    const epi_done *done = &s->done[read];
    if (load == NULL || done->number == 0 || load->bound > done->cycle)
        return; /* the design does not tell */
    base_text_add(text, "The load ");
    if (load->squashes > 0)
        base_text_print(text,
                        load->squashes == 1 ? "was squashed in cycle %llu; it "
                                            : "was squashed more than once, last in cycle "
                                              "%llu; it ",
                        (unsigned long long)load->squashed);
    if (load->asked != UINT64_MAX && load->asked <= load->bound)
        base_text_print(text, "asked for the block in cycle %llu and ",
                        (unsigned long long)load->asked);
    base_text_print(text, "got its value in cycle %llu", (unsigned long long)load->bound);
    if (load->after != read) {
        base_text_add(text, ", then waited for ");
        epi_say_whole(s, load->after, text);
        if (s->done[load->after].number > 0)
            base_text_print(text, ", which performed in cycle %llu",
                            (unsigned long long)s->done[load->after].cycle);
    } else if (load->bound == done->cycle) {
        base_text_add(text, ", when it performed");
    }
    base_text_add(text, ".");
    say_meanwhile(s, load, read, text);
    base_text_add(text, "\n");
}

void epi_raise_first(base_text *text, size_t from) {
    if (text->length > from)
        text->data[from] = (char)toupper((unsigned char)text->data[from]);
}

static void say_stale(const epi_story *s, uint32_t read, base_text *text) {
    const uint32_t location = epi_operation(s, read)->location;
    const uint64_t word = epi_returned(s, read);
    const uint32_t replacer = epi_replacer_of(s, location, word);
    const uint32_t newest = epi_newest_before(s, location, s->done[read].number);
    const char *from = epi_sources[s->done[read].source];
    epi_say_whole(s, read, text);
    base_text_add(text, " read a stale value: ");
    epi_say_word(s, word, text);
    say_cycle(s, read, text);
    if (from != NULL)
        base_text_print(text, ", from %s", from);
    base_text_add(text, ". ");
    say_writer(s, location, word, text);
    if (replacer != COL_INITIAL && replacer != read) {
        base_text_add(text, "; it was replaced by ");
        epi_say_word(s, s->done[replacer].word, text);
        base_text_add(text, " of ");
        say_done(s, replacer, text);
    }
    if (newest != COL_INITIAL && newest != replacer && newest != read) {
        base_text_print(text, "; the last write to a%u before the read was ", location);
        say_done(s, newest, text);
    }
    if (s->is_hardware)
        say_reported(s, read, text);
    else if (epi_story_load(s, read) == NULL)
        say_loss(s, read, text);
    base_text_add(text, ".\n");
    say_core(s, read, text);
}

static void say_early_read(const epi_story *s, uint32_t write, uint32_t read, base_text *text) {
    epi_say_whole(s, read, text);
    base_text_add(text, " returned its value");
    say_cycle(s, read, text);
    base_text_add(text, ", before ");
    epi_say_whole(s, write, text);
    base_text_add(text, " performed");
    say_cycle(s, write, text);
    base_text_add(text, ".\n");
}

static void say_overtaking(const epi_story *s, uint32_t first, uint32_t second, const char *why,
                           base_text *text) {
    epi_say_whole(s, second, text);
    base_text_add(text, " performed");
    say_cycle(s, second, text);
    base_text_add(text, ", before ");
    say_done(s, first, text);
    base_text_print(text, "; their order (%s) was not kept.\n", why);
}

static void say_step(const epi_story *s, const col_violation *violation, uint32_t step,
                     base_text *text) {
    const col_step *wrong = &violation->steps[step];
    const uint32_t from = violation->mentions[wrong->from].operation;
    const uint32_t to = violation->mentions[wrong->to].operation;
    const size_t start = text->length;
    if (wrong->relation == COL_FROM_READ)
        say_stale(s, from, text);
    else if (wrong->relation == COL_READS_FROM)
        say_early_read(s, from, to, text);
    else
        say_overtaking(s, from, to, col_relations[wrong->relation], text);
    epi_raise_first(text, start);
}

/* Two writes replaced one word: the later one should have found that of the other. */
static void say_lost(const epi_story *s, uint32_t lost, uint32_t other, base_text *text) {
    const size_t start = text->length;
    const char *from = epi_sources[s->done[lost].source];
    epi_say_whole(s, other, text);
    base_text_add(text, " replaced ");
    epi_say_word(s, s->done[other].overwritten, text);
    say_cycle(s, other, text);
    base_text_add(text, "; ");
    epi_say_whole(s, lost, text);
    base_text_add(text, " found ");
    epi_say_word(s, s->done[lost].overwritten, text);
    base_text_add(text, " there again");
    say_cycle(s, lost, text);
    if (from != NULL)
        base_text_print(text, ", with the block from %s", from);
    base_text_add(text, ".\n");
    epi_raise_first(text, start);
}

/* A load that did not see a store of its own thread, which waits to perform. */
static void say_missed(const epi_story *s, const col_violation *v, base_text *text) {
    for (uint32_t m = 0; m < v->mention_count; m++) {
        const uint32_t read = v->mentions[m].operation;
        const col_operation *o = epi_operation(s, read);
        const uint32_t first = s->program->thread_start[col_program_thread_of(s->program, read)];
        uint32_t own = read;
        if (!chk_is_used(v, m) || o->kind != COL_LOAD || s->done[read].number == 0)
            continue;
        while (own > first && !(col_kinds[epi_operation(s, own - 1)->kind].writes &&
                                epi_operation(s, own - 1)->location == o->location))
            own--;
        if (own == first || epi_operation(s, --own)->kind != COL_STORE || s->done[own].number > 0 ||
            col_program_operand(s->program, epi_operation(s, own)) == epi_returned(s, read))
            continue;
        const size_t start = text->length;
        epi_say_whole(s, read, text);
        base_text_add(text, " did not return the value of ");
        epi_say_whole(s, own, text);
        base_text_add(text, ", which precedes it and has not performed.\n");
        epi_raise_first(text, start);
    }
}

/* A value that an operation returned or replaced although nobody had written it. */
static void say_nowhere(const epi_story *s, const col_violation *v, base_text *text) {
    const uint32_t operation = v->mentions[0].operation;
    const uint32_t location = epi_operation(s, operation)->location;
    const epi_done *done = &s->done[operation];
    const bool reads = col_kinds[epi_operation(s, operation)->kind].reads;
    const uint64_t word = reads ? epi_returned(s, operation) : done->overwritten;
    const size_t start = text->length;
    if (done->number == 0 || word == 0 || epi_writer_of(s, location, word) != COL_INITIAL)
        return;
    epi_say_whole(s, operation, text);
    base_text_add(text, reads ? " returned " : " replaced ");
    epi_say_word(s, word, text);
    say_cycle(s, operation, text);
    base_text_add(text, ", which was never written");
    epi_say_stranger(s, location, word, text);
    base_text_add(text, ".\n");
    epi_raise_first(text, start);
}

void epi_say_wrong(const epi_story *s, const col_violation *violation, const epi_finding *f,
                   base_text *text) {
    if (f->outdated != COL_INITIAL) {
        const size_t start = text->length;
        say_stale(s, f->outdated, text);
        epi_raise_first(text, start);
    }
    if (violation == NULL)
        return;
    epi_say_values(s, violation, text);
    if (s->is_hardware && violation->step_count == 0 && violation->mention_count == 1)
        say_nowhere(s, violation, text);
    if (s->is_hardware && f->wrong_count == 0)
        say_missed(s, violation, text);
    for (uint32_t i = 0; i < f->wrong_count; i++)
        say_step(s, violation, f->wrong[i], text);
    if (f->lost == COL_INITIAL)
        return;
    const uint32_t one = violation->mentions[0].operation;
    say_lost(s, f->lost, one == f->lost ? violation->mentions[1].operation : one, text);
}

/* ---- Where the block is. */

static void say_holders(const epi_story *s, const epi_block *block, base_text *text) {
    uint32_t shown = 0, met = 0, empty = 0;
    char name[EPI_NAME], state[EPI_NAME];
    if (s->is_hardware)
        return; /* it tells no states of blocks */
    base_text_add(text, "\nState of block ");
    epi_say_block(s, block->address, text);
    base_text_add(text, " at the end:\n");
    for (uint32_t m = 0; m < s->design->machine_count; m++)
        for (uint32_t c = 0; c < s->design->machines[m].controllers; c++) {
            const epi_held *held = epi_story_held(s, block, m, c);
            const bool is_empty = held->known && epi_is_empty(s, m, held->state);
            met += held->known;
            empty += is_empty;
            if (held->known && !is_empty && shown++ < MOST_HOLDERS)
                base_text_print(
                    text, "  %-14s %-12s since cycle %llu\n", epi_controller_name(s, m, c, name),
                    epi_state_name(s, m, held->state, state), (unsigned long long)held->since);
        }
    if (shown > MOST_HOLDERS)
        base_text_print(text, "  and %u more controllers\n", shown - MOST_HOLDERS);
    if (shown == 0)
        base_text_add(text, met == 0 ? "  no controller told of it\n"
                                     : "  no controller had the block\n");
    else if (empty > 0)
        base_text_print(text, "  (%u other %s without the block)\n", empty,
                        empty == 1 ? "controller was" : "controllers were");
}

/* ---- What happened to it. */

static void say_transition(const epi_story *s, const epi_note *note, base_text *text) {
    char name[EPI_NAME], state[EPI_NAME], event[EPI_NAME], next[EPI_NAME];
    base_text_print(text, "%-14s %-10s %-22s",
                    epi_controller_name(s, note->machine, note->controller, name),
                    epi_state_name(s, note->machine, note->state, state),
                    epi_event_name(s, note->machine, note->event, event));
    if (note->kind == COL_PROTOCOL_ERROR)
        base_text_add(text, " -> here it went wrong");
    else
        base_text_print(text, " -> %s", epi_state_name(s, note->machine, note->next_state, next));
    if (epi_is_edited(s, note))
        base_text_add(text, " (edited)");
}

static void say_access(const epi_story *s, const epi_note *note, base_text *text) {
    const col_operation *o = &s->program->operations[note->operation];
    const char *from = epi_sources[s->done[note->operation].source];
    const bool is_bound = note->kind == COL_LOAD_BOUND,
               is_squashed = note->kind == COL_LOAD_SQUASHED;
    char core[EPI_NAME];
    (void)snprintf(core, sizeof core, "core %u", note->core);
    base_text_print(text, "%-14s ", core);
    if (is_bound || is_squashed)
        prg_operation_write(o, text);
    else
        epi_say_operation(s, note->operation, text);
    base_text_add(text, " (");
    epi_say_place(s, note->operation, text);
    base_text_add(text, is_bound      ? ") gets its value, and waits"
                        : is_squashed ? ") is squashed"
                                      : ")");
    if (!is_bound && !is_squashed && col_kinds[o->kind].reads && from != NULL)
        base_text_print(text, ", from %s", from);
}

void epi_say_point(const epi_story *s, const epi_note *note, base_text *text) {
    const col_duv_machine *machine = &s->design->machines[note->machine];
    const col_duv_point *point = &s->design->points[machine->first_point + note->event];
    base_text_add(text, point->state);
    if (point->event[0] != '\0')
        base_text_print(text, " %s", point->event);
}

static void say_hit(const epi_story *s, const epi_note *note, base_text *text) {
    char name[EPI_NAME];
    base_text_print(text, "%-14s covers ",
                    epi_controller_name(s, note->machine, note->controller, name));
    epi_say_point(s, note, text);
}

static void say_bus(const epi_story *s, const epi_note *note, base_text *text) {
    char name[EPI_NAME];
    (void)snprintf(name, sizeof name, "bus %u", note->controller);
    base_text_print(text, "%-14s %s: %s", name,
                    note->machine == COL_OF_BUS ? "asks" : "is answered",
                    epi_name_of(&s->names, note->event));
}

static void say_row(const epi_story *s, const epi_row *row, base_text *text) {
    const epi_note *note = row->note;
    char core[EPI_NAME];
    base_text_print(text, "  %8llu  ", (unsigned long long)note->cycle);
    if (note->kind == COL_TRANSITION || note->kind == COL_PROTOCOL_ERROR) {
        say_transition(s, note, text);
    } else if (note->kind == COL_POINT) {
        say_hit(s, note, text);
    } else if (note->kind == COL_MESSAGE_SENT) {
        say_bus(s, note, text);
    } else if (note->kind == COL_EVICTION) {
        (void)snprintf(core, sizeof core, "core %u", note->core);
        base_text_print(text, "%-14s its private caches gave the block up", core);
    } else {
        say_access(s, note, text);
    }
    base_text_add(text, row->period == 0 ? "" : row->period == 1 ? " " : "\n            ");
    if (row->period > 0)
        epi_say_times(row->period, row->times, row->until, text);
    base_text_add(text, "\n");
}

/* The first of the last rows; what repeats is told whole. */
static uint32_t first_row(const epi_row *rows, uint32_t count, uint32_t most) {
    uint32_t first = count > most ? count - most : 0;
    while (first > 0 && rows[first - 1].times > 1 && rows[first - 1].period == 0)
        first--;
    return first;
}

static bool shows_points(const epi_row *rows, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].note->kind == COL_POINT)
            return true;
    return false;
}

/* False: nothing ever happened to the block, as far as anybody told. */
static bool say_scene(const epi_story *s, const epi_ending *ending, const epi_scene *scene,
                      uint32_t most, base_text *text) {
    const epi_block *block = epi_story_block(s, scene->block);
    if (block == NULL)
        return false;
    epi_row rows[EPI_SCENE_NOTES];
    const uint32_t count = epi_scene_rows(s, ending, scene, NULL, NULL, rows);
    uint32_t later = 0;
    if (count == 0)
        return true;
    for (uint32_t i = 0; i < epi_story_notes(block); i++)
        later += !epi_is_told(scene, epi_story_note(block, i));
    const uint32_t first = first_row(rows, count, most);
    uint64_t untold = block->happened - later;
    for (uint32_t i = first; i < count; i++)
        untold -= rows[i].note->kind == COL_POINT ? 0 : rows[i].times;
    say_holders(s, block, text);
    base_text_add(text, "\nWhat happened to block ");
    epi_say_block(s, scene->block, text);
    base_text_add(text, shows_points(rows + first, count - first)
                            ? " before (covers are of any block):\n"
                            : " before:\n");
    if (untold > 0)
        base_text_print(text, "            ... %llu earlier %s ...\n", (unsigned long long)untold,
                        untold == 1 ? "event" : "events");
    for (uint32_t i = first; i < count; i++)
        say_row(s, &rows[i], text);
    return true;
}

/* What the caches beside the cores did last, if no block is known that it is about. */
static void say_covers(const epi_story *s, const epi_ending *ending, base_text *text) {
    const epi_scene scene = {.block = UINT64_MAX, .until = s->happened, .cycle = s->cycle};
    epi_row rows[EPI_SCENE_NOTES];
    const uint32_t count = epi_scene_rows(s, ending, &scene, NULL, NULL, rows);
    base_text_add(text, count > 0 ? "\nThe last covers, of any block:\n" : "");
    for (uint32_t i = 0; i < count; i++)
        say_row(s, &rows[i], text);
}

/* ---- All of it. */

static void say_waiting(const epi_story *s, const epi_finding *f, base_text *text) {
    if (f->waiting_count > 0)
        base_text_add(text, "\nThe first access of each thread that has not performed:\n");
    for (uint32_t i = 0; i < f->waiting_count; i++) {
        base_text_add(text, "  ");
        epi_say_place(s, f->waiting[i], text);
        base_text_add(text, ": ");
        epi_say_operation(s, f->waiting[i], text);
        base_text_add(text, ", block ");
        epi_say_block(s, epi_story_block_of(s, s->program->operations[f->waiting[i]].location),
                      text);
        base_text_add(text, "\n");
    }
    if (f->waiting_total > f->waiting_count)
        base_text_print(text, "  and %u more\n", f->waiting_total - f->waiting_count);
}

/* Where an operation is in its hart, below a title. */
static void say_instruction(const epi_story *s, uint32_t operation, base_text *text) {
    const epi_place *place = &s->places[operation];
    base_text_print(text, "  0x%llx  %-28s ", (unsigned long long)place->pc,
                    epi_name_of(&s->names, place->text));
    epi_say_place(s, operation, text);
    base_text_print(text, ", hart %u: ", col_program_thread_of(s->program, operation));
    epi_say_operation(s, operation, text);
    base_text_add(text, "\n");
}

static void say_instructions(const epi_story *s, const epi_finding *f, const col_violation *v,
                             base_text *text) {
    const uint32_t count = v == NULL ? f->outdated != COL_INITIAL : v->mention_count;
    uint32_t told = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t operation = v == NULL ? f->outdated : v->mentions[i].operation;
        if (s->places[operation].pc == 0)
            continue;
        base_text_add(text, told++ == 0 ? "\nInstructions:\n" : "");
        say_instruction(s, operation, text);
    }
}

/* The violation; of hardware, with values as memory holds them. */
static void say_violation(const epi_story *s, const col_violation *v, base_text *text) {
    col_violation own = *v;
    if (!s->is_hardware) {
        chk_violation_print(v, COL_WORDS, text);
        return;
    }
    own.mentions = calloc((size_t)v->mention_count + 1, sizeof *own.mentions);
    text->failed = text->failed || own.mentions == NULL;
    for (uint32_t m = 0; own.mentions != NULL && m < v->mention_count; m++) {
        base_text said = {0};
        own.mentions[m] = v->mentions[m];
        epi_say_operation(s, v->mentions[m].operation, &said);
        base_sentence(own.mentions[m].text, sizeof own.mentions[m].text, "%s",
                      said.data == NULL ? "" : said.data);
        base_text_free_part(&said, text);
    }
    /* Other reasons say values as the program has them, and what has been said above. */
    if (strncmp(own.reason, "these operations", 16) != 0)
        (void)snprintf(own.reason, sizeof own.reason,
                       "%s:", v->step_count == 0 ? "operations" : "these operations form a cycle");
    if (own.mentions != NULL)
        chk_violation_print(&own, COL_WORDS, text);
    free(own.mentions);
}

void epi_story_words(const epi_story *s, const epi_ending *ending, base_text *text) {
    epi_finding f;
    epi_story_find(s, ending, &f);
    base_text_add_wrapped(text, f.axiom, WIDTH, "");
    base_text sentences = {0};
    epi_say_wrong(s, ending->violation, &f, &sentences);
    base_text_add_wrapped(text, sentences.data == NULL ? "" : sentences.data, WIDTH, "");
    base_text_free_part(&sentences, text);
    if (ending->violation != NULL) {
        base_text_add(text, "\n");
        say_violation(s, ending->violation, text);
    }
    epi_say_waits(s, text);
    say_waiting(s, &f, text);
    say_instructions(s, &f, ending->violation, text);
    uint32_t scenes = 0;
    for (uint32_t i = 0; i < f.scene_count; i++)
        scenes += say_scene(s, ending, &f.scenes[i], scenes == 0 ? MOST_LINES : MOST_MORE, text);
    if (scenes == 0)
        say_covers(s, ending, text);
    if (s->index.count == s->most_blocks)
        base_text_print(text, "\n(Of the many blocks the first %u were watched.)\n",
                        s->most_blocks);
    text->failed = text->failed || s->failed;
}

/* ---- Names of messages. */

uint32_t epi_name_add(epi_names *names, const char *text) {
    enum { MOST = 511 }; /* characters */
    uint32_t number = BASE_NO_NUMBER;
    char cut[MOST + 1] = {0};
    col_problem problem;
    if (text == NULL || names->failed)
        return EPI_MOST_NAMES;
    memcpy(cut, text, strnlen(text, MOST));
    names->names.arena = &names->arena;
    if (names->names.count >= EPI_MOST_NAMES)
        number = base_names_find(&names->names, cut);
    else
        names->failed = base_names_add(&names->names, cut, &number, NULL, &problem) != COL_OK;
    return names->failed || number == BASE_NO_NUMBER ? EPI_MOST_NAMES : number;
}

const char *epi_name_of(const epi_names *names, uint32_t name) {
    return name < names->names.count ? names->names.texts[name] : "?";
}

void epi_names_free(epi_names *names) {
    base_names_free(&names->names);
    base_arena_free(&names->arena);
}
