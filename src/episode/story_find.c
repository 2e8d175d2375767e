/* SPDX-License-Identifier: MIT */
/*
 * Finding out what a failure is about: the axiom that broke, the step of the cycle that should not
 * have happened, and the blocks whose story explains it. A cycle orders operations in a way that
 * time cannot: at least one of its steps leads back in time. That one is the mistake; the others
 * are what everybody expects.
 */
#include "check/violation.h"
#include "episode/story_parts.h"
#include "program/write.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const epi_sources[COL_FROM_MEMORY + 1] = {
    [COL_FROM_UNKNOWN] = NULL,
    [COL_FROM_STORE_BUFFER] = "its own store buffer",
    [COL_FROM_PRIVATE_CACHE] = "its private cache",
    [COL_FROM_OTHER_CORE] = "another core's cache",
    [COL_FROM_SHARED_LEVEL] = "the shared level",
    [COL_FROM_MEMORY] = "memory",
};

static const col_operation *operation_at(const epi_story *s, uint32_t operation) {
    return &s->program->operations[operation];
}

/* A conditional that failed does not. */
static bool writes(const epi_story *s, uint32_t operation) {
    return col_kinds[operation_at(s, operation)->kind].writes && !s->done[operation].is_load;
}

uint64_t epi_returned(const epi_story *s, uint32_t operation) {
    const epi_done *done = &s->done[operation];
    return writes(s, operation) ? done->read : done->word;
}

/* ---- Who wrote what. */

uint32_t epi_writer_of(const epi_story *s, uint32_t location, uint64_t word) {
    const uint32_t count = col_program_operations(s->program);
    for (uint32_t i = 0; i < count && word != 0; i++) {
        const col_operation *o = operation_at(s, i);
        if (!writes(s, i) || o->location != location)
            continue;
        /* A core reads its own stores before they perform. */
        if (s->done[i].number > 0
                ? s->done[i].word == word
                : o->kind != COL_ADD && col_program_operand(s->program, o) == word)
            return i;
    }
    return COL_INITIAL;
}

uint32_t epi_replacer_of(const epi_story *s, uint32_t location, uint64_t word) {
    const uint32_t count = col_program_operations(s->program);
    for (uint32_t i = 0; i < count; i++) {
        const col_operation *o = operation_at(s, i);
        if (writes(s, i) && o->location == location && s->done[i].number > 0 &&
            s->done[i].overwritten == word)
            return i;
    }
    return COL_INITIAL;
}

/* ---- Phrases. */

static void say_word(uint64_t word, base_text *text) {
    base_text_number(text, word & UINT32_MAX);
    if (word >> 32 != 0)
        base_text_print(text, " and %llu added", (unsigned long long)(word >> 32));
}

void epi_say_operation(const epi_story *s, uint32_t operation, base_text *text) {
    const col_operation *o = operation_at(s, operation);
    prg_operation_write(o, text);
    if (!col_kinds[o->kind].reads || s->done[operation].number == 0)
        return;
    base_text_add(text, " = ");
    say_word(epi_returned(s, operation), text);
}

void epi_say_place(const epi_story *s, uint32_t operation, base_text *text) {
    const uint32_t thread = col_program_thread_of(s->program, operation);
    base_text_print(text, "thread %u, operation %u", thread,
                    operation - s->program->thread_start[thread]);
}

void epi_say_block(const epi_story *s, uint64_t block, base_text *text) {
    enum { MOST = 4 };
    uint32_t count = 0;
    base_text_print(text, "0x%llx", (unsigned long long)block);
    for (uint32_t l = 0; l < s->program->location_count; l++) {
        if (epi_story_block_of(s, l) != block || count++ >= MOST)
            continue;
        base_text_print(text, "%sa%u", count == 1 ? " (" : " ", l);
    }
    if (count > 0)
        base_text_add(text, count > MOST ? " ...)" : ")");
}

/* "thread 0, operation 3 (store a3 17)" */
static void say_whole(const epi_story *s, uint32_t operation, base_text *text) {
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

/* "17 was stored by thread 0, operation 3 (...) in cycle 812" */
static void say_writer(const epi_story *s, uint32_t location, uint64_t word, const char *how,
                       base_text *text) {
    const uint32_t writer = epi_writer_of(s, location, word);
    say_word(word, text);
    if (writer == COL_INITIAL) {
        base_text_add(text, word == 0 ? " is the initial value" : " was never written");
        return;
    }
    base_text_print(text, " %s by ", how);
    say_whole(s, writer, text);
    say_cycle(s, writer, text);
}

uint32_t epi_newest_before(const epi_story *s, uint32_t location, uint64_t number) {
    uint32_t newest = COL_INITIAL;
    const uint32_t count = col_program_operations(s->program);
    for (uint32_t i = 0; i < count; i++) {
        const col_operation *o = operation_at(s, i);
        const epi_done *done = &s->done[i];
        if (writes(s, i) && o->location == location && done->number > 0 && done->number < number &&
            (newest == COL_INITIAL || done->number > s->done[newest].number))
            newest = i;
    }
    return newest;
}

/* If the core's private caches had given the block up, and not got it again. */
static void say_loss(const epi_story *s, uint32_t read, base_text *text) {
    const uint32_t core = col_program_thread_of(s->program, read);
    const epi_block *block =
        epi_story_block(s, epi_story_block_of(s, operation_at(s, read)->location));
    if (block == NULL || s->nearest == s->design->machine_count || core >= s->design->cores)
        return;
    const epi_held *held = epi_story_held(s, block, s->nearest, core);
    if (held->given_up_number > 0 && held->given_up_number < s->done[read].number)
        base_text_print(text,
                        "; the private caches of core %u had given the block up in cycle %llu",
                        core, (unsigned long long)held->given_up);
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
        count += is_on_way(s, way, epi_story_note(s, block, first - 1));
    count = 0;
    for (uint32_t i = first; block != NULL && i < epi_story_notes(block); i++) {
        const epi_note *n = epi_story_note(s, block, i);
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
    const epi_way way = {.address = epi_story_block_of(s, operation_at(s, read)->location),
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
    const epi_way way = {.address = epi_story_block_of(s, operation_at(s, read)->location),
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
        say_whole(s, load->after, text);
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

static void say_stale(const epi_story *s, uint32_t read, base_text *text) {
    const uint32_t location = operation_at(s, read)->location;
    const uint64_t word = epi_returned(s, read);
    const uint32_t replacer = epi_replacer_of(s, location, word);
    const uint32_t newest = epi_newest_before(s, location, s->done[read].number);
    const char *from = epi_sources[s->done[read].source];
    say_whole(s, read, text);
    base_text_add(text, " read a stale value: ");
    say_word(word, text);
    say_cycle(s, read, text);
    if (from != NULL)
        base_text_print(text, ", from %s", from);
    base_text_add(text, ". ");
    say_writer(s, location, word, "was written", text);
    if (replacer != COL_INITIAL && replacer != read) {
        base_text_add(text, "; it was replaced by ");
        say_word(s->done[replacer].word, text);
        base_text_add(text, " of ");
        say_whole(s, replacer, text);
        say_cycle(s, replacer, text);
    }
    if (newest != COL_INITIAL && newest != replacer && newest != read) {
        base_text_print(text, "; the last write to a%u before the read was ", location);
        say_whole(s, newest, text);
        say_cycle(s, newest, text);
    }
    if (epi_story_load(s, read) == NULL)
        say_loss(s, read, text);
    base_text_add(text, ".\n");
    say_core(s, read, text);
}

static void say_early_read(const epi_story *s, uint32_t write, uint32_t read, base_text *text) {
    say_whole(s, read, text);
    base_text_add(text, " returned its value");
    say_cycle(s, read, text);
    base_text_add(text, ", before ");
    say_whole(s, write, text);
    base_text_add(text, " performed");
    say_cycle(s, write, text);
    base_text_add(text, ".\n");
}

static void say_overtaking(const epi_story *s, uint32_t first, uint32_t second, const char *why,
                           base_text *text) {
    say_whole(s, second, text);
    base_text_add(text, " performed");
    say_cycle(s, second, text);
    base_text_add(text, ", before ");
    say_whole(s, first, text);
    say_cycle(s, first, text);
    base_text_print(text, "; their order (%s) was not kept.\n", why);
}

static void raise_first(base_text *text, size_t from) {
    if (text->length > from)
        text->data[from] = (char)toupper((unsigned char)text->data[from]);
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
    raise_first(text, start);
}

/* Two writes replaced one word: the later one should have found that of the other. */
static void say_lost(const epi_story *s, uint32_t lost, uint32_t other, base_text *text) {
    const size_t start = text->length;
    const char *from = epi_sources[s->done[lost].source];
    say_whole(s, other, text);
    base_text_add(text, " replaced ");
    say_word(s->done[other].overwritten, text);
    say_cycle(s, other, text);
    base_text_add(text, "; ");
    say_whole(s, lost, text);
    base_text_add(text, " found ");
    say_word(s->done[lost].overwritten, text);
    base_text_add(text, " there again");
    say_cycle(s, lost, text);
    if (from != NULL)
        base_text_print(text, ", with the block from %s", from);
    base_text_add(text, ".\n");
    raise_first(text, start);
}

void epi_say_wrong(const epi_story *s, const col_violation *violation, const epi_finding *f,
                   base_text *text) {
    for (uint32_t i = 0; i < f->wrong_count; i++)
        say_step(s, violation, f->wrong[i], text);
    if (f->lost == COL_INITIAL)
        return;
    const uint32_t one = violation->mentions[0].operation;
    say_lost(s, f->lost, one == f->lost ? violation->mentions[1].operation : one, text);
}

bool epi_is_wrong(const epi_canvas *c, uint32_t operation) {
    const col_violation *v = c->ending->violation;
    for (uint32_t i = 0; i < c->finding->wrong_count; i++)
        if (v->mentions[v->steps[c->finding->wrong[i]].from].operation == operation)
            return true;
    for (uint32_t i = 0; i < c->finding->waiting_count; i++)
        if (c->finding->waiting[i] == operation)
            return true;
    return c->finding->lost == operation;
}

/* ---- Axioms. */

static bool is_one_location(const epi_story *s, const col_violation *violation) {
    const col_operation *first = NULL;
    for (uint32_t m = 0; m < violation->mention_count; m++) {
        const col_operation *o = operation_at(s, violation->mentions[m].operation);
        if (!chk_is_used(violation, m))
            continue;
        if (first != NULL && o->location != first->location)
            return false;
        first = o;
    }
    return first != NULL;
}

/* An atomic that replaced another value than it returned: a write came between. */
static bool is_atomicity(const epi_story *s, const col_violation *violation) {
    for (uint32_t m = 0; m < violation->mention_count; m++) {
        const uint32_t operation = violation->mentions[m].operation;
        const epi_done *done = &s->done[operation];
        if (chk_is_used(violation, m) && col_kinds[operation_at(s, operation)->kind].reads &&
            writes(s, operation) && done->number > 0 && done->read != done->overwritten)
            return true;
    }
    return false;
}

/* Two writes that replaced one word. */
static bool is_fork(const epi_story *s, const col_violation *violation) {
    if (violation->step_count > 0 || violation->mention_count != 2)
        return false;
    const epi_done *one = &s->done[violation->mentions[0].operation];
    const epi_done *other = &s->done[violation->mentions[1].operation];
    return one->number > 0 && other->number > 0 && !one->is_load && !other->is_load &&
           one->overwritten == other->overwritten;
}

static bool is_from_nowhere(const epi_story *s, const col_violation *violation) {
    if (violation->mention_count != 1)
        return false;
    const uint32_t operation = violation->mentions[0].operation;
    const uint64_t word = col_kinds[operation_at(s, operation)->kind].reads
                              ? epi_returned(s, operation)
                              : s->done[operation].overwritten;
    return s->done[operation].number > 0 && word != 0 &&
           epi_writer_of(s, operation_at(s, operation)->location, word) == COL_INITIAL;
}

static void name_axiom(const epi_story *s, const epi_ending *ending, epi_finding *f) {
    const col_violation *v = ending->violation;
    const uint32_t place = v->step_count > 0 ? v->steps[0].from : 0;
    const uint32_t location =
        v->mention_count == 0 ? 0 : operation_at(s, v->mentions[place].operation)->location;
    const char *model = ending->model;
    if (ending->is_cat)
        (void)snprintf(f->axiom, sizeof f->axiom, "%s.", v->reason);
    else if (is_one_location(s, v) && is_atomicity(s, v))
        (void)snprintf(
            f->axiom, sizeof f->axiom,
            "Atomicity is broken: another write came between the read and the write of an "
            "atomic to a%u.",
            location);
    else if (is_one_location(s, v) && is_fork(s, v))
        (void)snprintf(f->axiom, sizeof f->axiom,
                       "Coherence of a%u is broken: a write to it was lost.", location);
    else if (is_one_location(s, v) && v->step_count > 0)
        (void)snprintf(f->axiom, sizeof f->axiom,
                       "Coherence of a%u is broken: no order of its accesses agrees with program "
                       "order (SC per location).",
                       location);
    else if (v->step_count > 0)
        (void)snprintf(f->axiom, sizeof f->axiom,
                       "%s is violated: no order of these accesses is allowed.", model);
    else if (is_from_nowhere(s, v))
        (void)snprintf(f->axiom, sizeof f->axiom,
                       "A value of a%u came from nowhere: no operation stored it.", location);
    else
        (void)snprintf(f->axiom, sizeof f->axiom,
                       "What the design did does not fit the program: %s.", v->reason);
}

static void name_ending(const epi_ending *ending, epi_finding *f) {
    static const char *const headings[COL_OUTCOME_COUNT] = {
        [COL_PASS] = "Nothing went wrong",
        [COL_VIOLATION] = "An invariant is broken",
        [COL_PROTOCOL_WRONG] = "The protocol went wrong",
        [COL_DEADLOCKED] = "Deadlock",
        [COL_STARVED] = "Starvation",
        [COL_CRASHED] = "The design crashed",
    };
    const bool has_reason = ending->reason != NULL && ending->reason[0] != '\0';
    (void)snprintf(f->axiom, sizeof f->axiom, "%s%s%s.", headings[ending->outcome],
                   has_reason ? ": " : "", has_reason ? ending->reason : "");
}

/* ---- Scenes. */

static bool is_scene(const epi_finding *f, uint64_t block) {
    for (uint32_t i = 0; i < f->scene_count; i++)
        if (f->scenes[i].block == block)
            return true;
    return false;
}

static void add_scene(epi_finding *f, uint64_t block, uint64_t until, uint64_t cycle) {
    if (!is_scene(f, block) && f->scene_count < EPI_MOST_BLOCKS)
        f->scenes[f->scene_count++] = (epi_scene){block, until, cycle};
}

static void add_scene_of(const epi_story *s, epi_finding *f, uint32_t operation, uint64_t until,
                         uint64_t cycle) {
    const col_operation *o = operation_at(s, operation);
    if (col_kinds[o->kind].located)
        add_scene(f, epi_story_block_of(s, o->location), until, cycle);
}

/* Stale reads first: they say the most. */
static void find_wrong(const epi_story *s, const col_violation *v, epi_finding *f) {
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < v->step_count && f->wrong_count < EPI_MOST_WRONG; i++) {
            const epi_done *from = &s->done[v->mentions[v->steps[i].from].operation];
            const epi_done *to = &s->done[v->mentions[v->steps[i].to].operation];
            const bool is_stale = v->steps[i].relation == COL_FROM_READ;
            if (from->number > to->number && to->number > 0 && is_stale == (pass == 0))
                f->wrong[f->wrong_count++] = i;
        }
}

/* The later one is wrong. */
static void find_lost(const epi_story *s, const col_violation *v, epi_finding *f) {
    if (!is_fork(s, v))
        return;
    const uint32_t one = v->mentions[0].operation, other = v->mentions[1].operation;
    f->lost = s->done[one].number > s->done[other].number ? one : other;
}

static void find_violation(const epi_story *s, const epi_ending *ending, epi_finding *f) {
    const col_violation *v = ending->violation;
    name_axiom(s, ending, f);
    find_wrong(s, v, f);
    find_lost(s, v, f);
    for (uint32_t i = 0; i < f->wrong_count; i++) {
        const col_step *step = &v->steps[f->wrong[i]];
        const uint32_t from = v->mentions[step->from].operation;
        const uint32_t to = v->mentions[step->to].operation;
        add_scene_of(s, f, from, s->done[from].number, s->done[from].cycle);
        add_scene_of(s, f, to, s->done[from].number, s->done[from].cycle);
    }
    for (uint32_t m = 0; m < v->mention_count; m++)
        if (chk_is_used(v, m))
            add_scene_of(s, f, v->mentions[m].operation, s->happened, s->cycle);
}

/* The first of each thread that has not performed. */
static bool waits(const epi_story *s, uint32_t thread, uint32_t *operation) {
    for (uint32_t i = s->program->thread_start[thread]; i < s->program->thread_start[thread + 1];
         i++) {
        const col_kind_traits *traits = &col_kinds[operation_at(s, i)->kind];
        *operation = i;
        if ((traits->reads || traits->writes) && s->done[i].number == 0)
            return true;
    }
    return false;
}

static uint32_t count_waiting_at(const epi_story *s, uint64_t block) {
    uint32_t count = 0, operation;
    for (uint32_t t = 0; t < s->program->thread_count; t++)
        count += waits(s, t, &operation) &&
                 epi_story_block_of(s, operation_at(s, operation)->location) == block;
    return count;
}

/* The block that most threads wait for comes first. */
static void add_waited_for(const epi_story *s, epi_finding *f) {
    uint32_t most = 0;
    uint64_t best = 0;
    for (uint32_t i = 0; i < f->waiting_count; i++) {
        const uint64_t block = epi_story_block_of(s, operation_at(s, f->waiting[i])->location);
        const uint32_t count = is_scene(f, block) ? 0 : count_waiting_at(s, block);
        if (count <= most)
            continue;
        most = count;
        best = block;
    }
    if (most > 0)
        add_scene(f, best, s->happened, s->cycle);
}

static void find_waiting(const epi_story *s, epi_finding *f) {
    uint32_t operation;
    for (uint32_t t = 0; t < s->program->thread_count; t++) {
        if (!waits(s, t, &operation))
            continue;
        f->waiting_total++;
        if (f->waiting_count < EPI_MOST_WAITING)
            f->waiting[f->waiting_count++] = operation;
    }
    for (int i = 0; i < EPI_MOST_BLOCKS; i++)
        add_waited_for(s, f);
}

void epi_story_find(const epi_story *s, const epi_ending *ending, epi_finding *f) {
    *f = (epi_finding){.lost = COL_INITIAL};
    if (ending->violation != NULL) {
        find_violation(s, ending, f);
        return;
    }
    name_ending(ending, f);
    if (ending->outcome == COL_DEADLOCKED || ending->outcome == COL_STARVED)
        find_waiting(s, f);
    else if (s->wrong.number > 0)
        add_scene(f, s->wrong_block, s->happened, s->cycle);
    else if (ending->outcome == COL_CRASHED && s->happened > 0)
        add_scene(f, s->last_block, s->happened, s->cycle);
}

uint32_t epi_story_culprit(const epi_story *s, const epi_ending *ending) {
    epi_finding f;
    epi_story_find(s, ending, &f);
    if (f.lost != COL_INITIAL || f.wrong_count == 0)
        return f.lost;
    const col_step *step = &ending->violation->steps[f.wrong[0]];
    const uint32_t place = step->relation == COL_FROM_READ ? step->from : step->to;
    return ending->violation->mentions[place].operation;
}
