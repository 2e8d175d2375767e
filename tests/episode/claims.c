/* SPDX-License-Identifier: MIT */
/*
 * Claims of stories: see claims.h. The story is read from left to right by functions that are named
 * after what they expect; each looks through the whole recording for what it needs.
 */
#include "claims.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What the caches did. */

/* The machine beside the cores. */
static uint32_t nearest(const claims *c) {
    uint32_t m = 0;
    while (m < c->design->machine_count &&
           (!c->design->machines[m].is_private || c->design->machines[m].controllers == 0))
        m++;
    return m;
}

static bool is_empty(const claims *c, uint32_t machine, uint32_t state) {
    return c->design->names[machine].empty[state];
}

/* Did the cache beside the core take this transition with the block? */
static bool is_taken(const claims *c, const col_event *event, uint32_t core, uint64_t block) {
    return event->kind == COL_TRANSITION && event->machine == nearest(c) &&
           event->controller == core && event->block == block;
}

static bool loses(const claims *c, const col_event *event, uint32_t core, uint64_t block) {
    return is_taken(c, event, core, block) && is_empty(c, event->machine, event->next_state) &&
           !is_empty(c, event->machine, event->state);
}

static bool is_told(const col_event *event, uint32_t core, uint64_t block) {
    return event->kind == COL_EVICTION && event->core == core && event->block == block;
}

/* "S Inv -> I in cycle 63" */
static bool need_step(claims *c, uint32_t core, uint64_t block, const col_event *from,
                      const col_event *until) {
    const col_duv_names *names = &c->design->names[nearest(c)];
    for (const col_event *at = from; at < until; at++) {
        char text[200];
        if (!is_taken(c, at, core, block))
            continue;
        (void)snprintf(text, sizeof text, "%s %s -> %s in cycle %llu", names->states[at->state],
                       names->events[at->event], names->states[at->next_state],
                       (unsigned long long)at->cycle);
        if (take(c, text))
            return claim(c, true, "");
    }
    return claim(c, false, "the cache did this then");
}

static bool need_steps(claims *c, uint32_t core, uint64_t block, const col_event *from,
                       const col_event *until) {
    do {
        if (!need_step(c, core, block, from, until))
            return false;
    } while (take(c, ", ") && !sees(c, "and "));
    return true;
}

static bool need_cache(claims *c, uint32_t core) {
    char text[80];
    (void)snprintf(text, sizeof text, "%s %u", c->design->machines[nearest(c)].name, core);
    return need_name(c, text, "this is the cache beside the core");
}

/* What a load went through before it performed. */
typedef struct life {
    uint32_t operation, core;
    uint64_t block;
    const col_event *asked, *bound, *squashed, *done, *lost, *told;
    uint32_t squashes;
} life;

static life life_of(const claims *c, uint32_t operation) {
    life l = {.operation = operation,
              .core = col_program_thread_of(c->program, operation),
              .block = block_of(c, operation),
              .done = performed(c, operation)};
    for (const col_event *at = c->e->list; at < l.done; at++) {
        if (at->operation == operation && at->kind == COL_OPERATION_ISSUED)
            l.asked = at;
        if (at->operation == operation && at->kind == COL_LOAD_BOUND) {
            l.bound = at;
            l.lost = l.told = NULL;
        }
        if (at->operation == operation && at->kind == COL_LOAD_SQUASHED) {
            l.squashed = at;
            l.squashes++;
            l.bound = l.asked = NULL;
        }
        if (l.lost == NULL && loses(c, at, l.core, l.block))
            l.lost = at;
        if (l.told == NULL && is_told(at, l.core, l.block))
            l.told = at;
    }
    return l;
}

/* "L1Cache 1 lost the block (E Fwd_GETX -> I in cycle 79)", or only that its core was told */
static bool how_it_was_lost(claims *c, const life *l, uint64_t cycle) {
    char caches[80];
    (void)snprintf(caches, sizeof caches, "the caches of core %u lost the block", l->core);
    if (take(c, caches))
        return claim(c, l->told != NULL && l->told->cycle == cycle, "they lost it then");
    if (!need_cache(c, l->core) || !need(c, " lost the block") ||
        !claim(c, l->lost != NULL && l->lost->cycle == cycle, "it lost the block then"))
        return false;
    return !take(c, " (") ||
           (need_steps(c, l->core, l->block, c->e->list, l->lost + 1) && need(c, ")"));
}

static bool was_kept(claims *c, const life *l) {
    const bool is_same = returned(l->done) == l->bound->word;
    if (!need(c, " did not squash the load"))
        return false;
    return take(c, ": it kept its old value.") ? claim(c, is_same, "it kept its value")
                                               : need(c, ".") && claim(c, !is_same, "it did not");
}

/* "Meanwhile ...": between getting its value and performing. */
static bool meanwhile(claims *c, const life *l) {
    uint64_t cycle;
    if (!take(c, "in cycle "))
        return need_cache(c, l->core) && need(c, " took ") &&
               need_steps(c, l->core, l->block, l->bound, l->done) &&
               need(c, "and the core was not told of a loss.") &&
               claim(c, l->told == NULL, "the core was not told");
    if (!number(c, &cycle) || !need(c, ", ") || !how_it_was_lost(c, l, cycle))
        return false;
    if (take(c, ", but the core was never told and"))
        return claim(c, l->told == NULL, "the core was not told") && was_kept(c, l);
    return need(c, ". The core was told in cycle ") &&
           claim(c, l->told != NULL, "the core was told") &&
           need_number(c, l->told->cycle, "it was told then") && need(c, " and") && was_kept(c, l);
}

/* "The load asked for the block in cycle 5 and got its value in cycle 64, then waited for ..." */
static bool what_the_core_did(claims *c, uint32_t read) {
    const life l = life_of(c, read);
    const col_kind_traits *traits = &col_kinds[operation_at(c, read)->kind];
    if (!claim(c, traits->reads && !traits->writes, "it is a load") ||
        !claim(c, l.bound != NULL, "it got its value before it performed"))
        return false;
    if (take(c, "was squashed more than once, last in cycle ")) {
        if (!claim(c, l.squashes > 1, "it was squashed more than once") ||
            !need_number(c, l.squashed->cycle, "then") || !need(c, "; it "))
            return false;
    } else if (take(c, "was squashed in cycle ")) {
        if (!claim(c, l.squashes == 1, "it was squashed once") ||
            !need_number(c, l.squashed->cycle, "then") || !need(c, "; it "))
            return false;
    }
    if (take(c, "asked for the block in cycle "))
        if (!claim(c, l.asked != NULL && l.asked < l.bound, "it asked") ||
            !need_number(c, l.asked->cycle, "it asked then") || !need(c, " and "))
            return false;
    if (!need(c, "got its value in cycle ") ||
        !need_number(c, l.bound->cycle, "it got its value then"))
        return false;
    if (take(c, ", then waited for ")) {
        const col_event *after = performed(c, l.bound->after);
        if (!need_whole(c, l.bound->after, "it waited for this") ||
            !claim(c, after != NULL && after < l.done, "it waited"))
            return false;
        if (take(c, ", which performed") && !need_cycle(c, l.bound->after))
            return false;
    } else if (take(c, ", when it performed") &&
               !claim(c, l.bound->cycle == l.done->cycle, "it performed then")) {
        return false;
    }
    return need(c, ".") && (!take(c, " Meanwhile") || !need(c, ", ") || meanwhile(c, &l));
}

/* ---- What should not have happened. */

static bool who_wrote(claims *c, uint32_t location, uint64_t word) {
    const uint32_t writer = writer_of(c, location, word);
    if (!need_word(c, word))
        return false;
    if (take(c, " is the initial value"))
        return claim(c, word == 0, "it is the initial value");
    if (take(c, " was never written"))
        return claim(c, writer == NONE && word != 0, "it was never written") &&
               who_else_wrote(c, location, word);
    return need(c, " was written by ") && need_whole(c, writer, "it was written by this") &&
           need_cycle(c, writer);
}

/* "; it was replaced by 17 of thread 2, operation 3 (store a3 17) in cycle 70" */
static bool who_replaced(claims *c, uint32_t location, uint64_t word) {
    const char *start = c->at;
    uint32_t replacer;
    if (!skip_word(c) || !need(c, " of ") || !whole(c, &replacer))
        return false;
    const col_event *event = performed(c, replacer);
    const char *behind = c->at;
    if (!claim(c, event != NULL && is_write_to(c, event, location) && event->overwritten == word,
               "it replaced this value"))
        return false;
    c->at = start;
    if (!need_word(c, event->word))
        return false;
    c->at = behind;
    return need_cycle(c, replacer);
}

/* "; the last write to a3 before the read was thread 2, operation 3 (...) in cycle 70" */
static bool last_write(claims *c, uint32_t location, const col_event *read) {
    const col_event *last = NULL;
    for (const col_event *at = c->e->list; at < read; at++)
        if (is_write_to(c, at, location))
            last = at;
    return need_number(c, location, "it is this location") && need(c, " before the read was ") &&
           claim(c, last != NULL, "there was one") &&
           need_whole(c, last->operation, "it was the last write") &&
           need_cycle(c, last->operation);
}

static bool gave_up(claims *c, uint32_t read) {
    const uint32_t core = col_program_thread_of(c->program, read);
    const col_event *done = performed(c, read);
    uint64_t cycle;
    if (!need_number(c, core, "it is this core") || !need(c, " had given the block up in cycle ") ||
        !number(c, &cycle))
        return false;
    for (const col_event *at = c->e->list; at < done; at++)
        if (is_told(at, core, block_of(c, read)) && at->cycle == cycle)
            return claim(c, true, "");
    return claim(c, false, "they gave the block up");
}

/* "3 last reported the loss of the block in cycle 24", before the read; or none, at all */
static bool reported(claims *c, uint32_t read) {
    const uint32_t core = col_program_thread_of(c->program, read);
    const col_event *last = NULL;
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (is_told(at, core, block_of(c, read)))
            last = at;
    if (!need_number(c, core, "it is of this core"))
        return false;
    if (take(c, " had reported no loss of the block"))
        return claim(c, last == NULL, "it had not");
    return need(c, " last reported the loss of the block in cycle ") &&
           claim(c, last != NULL && last < performed(c, read), "it had") &&
           need_number(c, last->cycle, "then");
}

/* Was the value replaced, perhaps more than once, by a write that performed before the read? */
static bool is_stale(const claims *c, const col_event *read) {
    const uint32_t location = operation_at(c, read->operation)->location;
    for (const col_event *at = c->e->list; at < read; at++)
        if (is_write_to(c, at, location) &&
            is_replaced_by(c, location, returned(read), at->operation))
            return true;
    return false;
}

static bool stale(claims *c, uint32_t read) {
    const col_event *event = performed(c, read);
    const uint32_t location = operation_at(c, read)->location;
    if (!claim(c, event != NULL && is_stale(c, event), "the value was stale") ||
        !need_word(c, returned(event)) || !need_cycle(c, read) ||
        !need_source(c, event, ", from ") || !need(c, ". ") ||
        !who_wrote(c, location, returned(event)))
        return false;
    if (take(c, "; it was replaced by ") && !who_replaced(c, location, returned(event)))
        return false;
    if (take(c, "; the last write to a") && !last_write(c, location, event))
        return false;
    if (take(c, "; the private caches of core ") && !gave_up(c, read))
        return false;
    if (take(c, "; port ") && !reported(c, read))
        return false;
    return need(c, ".") && (!take(c, " The load ") || what_the_core_did(c, read));
}

static bool early_read(claims *c, uint32_t read) {
    uint32_t write;
    if (!need_cycle(c, read) || !need(c, ", before ") || !whole(c, &write) ||
        !need(c, " performed") || !need_cycle(c, write) || !need(c, "."))
        return false;
    const col_event *one = performed(c, read), *other = performed(c, write);
    return claim(c,
                 one != NULL && other != NULL && one < other &&
                     other->kind == COL_STORE_PERFORMED && returned(one) == other->word,
                 "the read had the value before it was written");
}

static bool overtaking(claims *c, uint32_t second) {
    uint32_t first;
    char name[16];
    int used = 0;
    if (!need_cycle(c, second) || !need(c, ", before ") || !whole(c, &first) ||
        !need_cycle(c, first) || !need(c, "; their order ("))
        return false;
    if (sscanf(c->at, "%15[a-z-])%n", name, &used) != 1 || used == 0)
        return no(c, "a relation expected");
    c->at += used;
    const col_event *one = performed(c, first), *other = performed(c, second);
    return claim(c, one != NULL && other != NULL && other < one, "it came before") &&
           relation(c, first, second, name) && need(c, " was not kept.");
}

static bool lost_write(claims *c, uint32_t other) {
    const col_event *first = performed(c, other);
    uint32_t lost;
    if (!claim(c, first != NULL && first->kind == COL_STORE_PERFORMED, "it wrote") ||
        !need_word(c, first->overwritten) || !need_cycle(c, other) || !need(c, "; ") ||
        !whole(c, &lost))
        return false;
    const col_event *second = performed(c, lost);
    return claim(c, second != NULL && is_write_to(c, second, operation_at(c, other)->location),
                 "both wrote the location") &&
           claim(c, second->overwritten == first->overwritten && first < second,
                 "it found the same value later") &&
           need(c, " found ") && need_word(c, second->overwritten) && need(c, " there again") &&
           need_cycle(c, lost) && need_source(c, second, ", with the block from ") && need(c, ".");
}

/* The last write before it of its thread to its location, which has not performed. */
static bool missed(claims *c, uint32_t read) {
    uint32_t store, last = NONE;
    for (uint32_t i = c->program->thread_start[col_program_thread_of(c->program, read)]; i < read;
         i++)
        if (col_kinds[operation_at(c, i)->kind].writes &&
            operation_at(c, i)->location == operation_at(c, read)->location)
            last = i;
    return whole(c, &store) &&
           claim(c,
                 store == last && performed(c, store) == NULL && performed(c, read) != NULL &&
                     returned(performed(c, read)) !=
                         col_program_operand(c->program, operation_at(c, store)),
                 "it missed this store") &&
           need(c, ", which precedes it and has not performed.");
}

/* What it read, or replaced, was written by nobody. */
static bool is_from_nowhere(const claims *c, uint32_t operation) {
    const col_event *event = performed(c, operation);
    return any_placed(c) != NULL && c->e->violation != NULL &&
           strstr(c->e->violation, "no operation can have stored") != NULL && event != NULL;
}

static bool from_nowhere(claims *c, uint32_t operation) {
    const col_event *event = performed(c, operation);
    const uint32_t location = operation_at(c, operation)->location;
    const bool reads = col_kinds[operation_at(c, operation)->kind].reads;
    const uint64_t word = reads ? returned(event) : event->overwritten;
    return need(c, reads ? " returned " : " replaced ") && need_word(c, word) &&
           need_cycle(c, operation) && need(c, ", which was never written") &&
           claim(c, word != 0 && writer_of(c, location, word) == NONE, "nobody wrote it") &&
           who_else_wrote(c, location, word) && need(c, ".");
}

static bool sentence(claims *c) {
    uint32_t operation;
    if (!whole(c, &operation))
        return false;
    if (take(c, " read a stale value: "))
        return stale(c, operation);
    if (take(c, " returned its value"))
        return early_read(c, operation);
    if (take(c, " performed"))
        return overtaking(c, operation);
    if (take(c, " did not return the value of "))
        return missed(c, operation);
    if (c->e->violation != NULL && value_of(c, operation) != NULL)
        return what_was_returned(c, operation);
    if (is_from_nowhere(c, operation))
        return from_nowhere(c, operation);
    return need(c, " replaced ") && lost_write(c, operation);
}

/* ---- Blocks. */

/* The last transition of the controller with the block, and the first since which it has had the
 * state; NULL: it took none. */
static const col_event *state_of(const claims *c, uint32_t machine, uint32_t controller,
                                 uint64_t block, const col_event **since) {
    const col_event *last = NULL;
    for (const col_event *at = c->e->list; at < end_of(c); at++) {
        if (at->kind != COL_TRANSITION || at->machine != machine || at->controller != controller ||
            at->block != block)
            continue;
        if (last == NULL || last->next_state != at->next_state)
            *since = at;
        last = at;
    }
    return last;
}

static bool states(claims *c) {
    enum { MOST = 12 };
    uint64_t block;
    uint32_t shown = 0, without = 0, met = 0;
    if (!need_block(c, &block) || !need(c, " at the end:\n"))
        return false;
    for (uint32_t m = 0; m < c->design->machine_count; m++)
        for (uint32_t i = 0; i < c->design->machines[m].controllers; i++) {
            const col_event *since = NULL, *last = state_of(c, m, i, block, &since);
            char name[80], line[200];
            met += last != NULL;
            without += last != NULL && is_empty(c, m, last->next_state);
            if (last == NULL || is_empty(c, m, last->next_state) || shown++ >= MOST)
                continue;
            (void)snprintf(name, sizeof name, "%s %u", c->design->machines[m].name, i);
            (void)snprintf(line, sizeof line, "  %-14s %-12s since cycle %llu\n", name,
                           c->design->names[m].states[last->next_state],
                           (unsigned long long)since->cycle);
            if (!need_name(c, line, line))
                return false;
        }
    if (shown > MOST && !(need(c, "  and ") && need_number(c, shown - MOST, "this many more") &&
                          need(c, " more controllers\n")))
        return false;
    if (shown == 0)
        return need(c,
                    met == 0 ? "  no controller told of it\n" : "  no controller had the block\n");
    return without == 0 || (need(c, "  (") && need_number(c, without, "this many were without") &&
                            need(c, without == 1 ? " other controller was without the block)\n"
                                                 : " other controllers were without the block)\n"));
}

static bool is_edited(const claims *c, const col_event *event) {
    for (uint32_t i = 0; i < c->design->edited_count; i++)
        if (c->design->edited[i].machine == event->machine &&
            c->design->edited[i].state == event->state &&
            c->design->edited[i].event == event->event)
            return true;
    return false;
}

static bool is_of_bus(const col_event *event) {
    return event->kind == COL_MESSAGE_SENT &&
           (event->machine == COL_OF_BUS || event->to_machine == COL_OF_BUS);
}

static bool is_of_block(const claims *c, const col_event *event, uint64_t block) {
    if (is_of_bus(event))
        return event->block == block;
    if (event->kind == COL_TRANSITION || event->kind == COL_EVICTION ||
        event->kind == COL_PROTOCOL_ERROR)
        return event->block == block;
    if (is_performed(event) || event->kind == COL_LOAD_SQUASHED ||
        (event->kind == COL_LOAD_BOUND && event->after != event->operation))
        return col_kinds[operation_at(c, event->operation)->kind].located &&
               block_of(c, event->operation) == block;
    return false;
}

/* The line that tells an event. */
static void line_of(const claims *c, const col_event *event, base_text *text) {
    char who[80];
    base_text_print(text, "  %8llu  ", (unsigned long long)event->cycle);
    if (is_of_bus(event)) {
        bus_line(event, text);
        return;
    }
    if (event->kind == COL_TRANSITION || event->kind == COL_PROTOCOL_ERROR) {
        const col_duv_names *names = &c->design->names[event->machine];
        (void)snprintf(who, sizeof who, "%s %u", c->design->machines[event->machine].name,
                       event->controller);
        base_text_print(text, "%-14s %-10s %-22s -> %s%s\n", who, names->states[event->state],
                        names->events[event->event],
                        event->kind == COL_PROTOCOL_ERROR ? "here it went wrong"
                                                          : names->states[event->next_state],
                        is_edited(c, event) ? " (edited)" : "");
        return;
    }
    (void)snprintf(who, sizeof who, "core %u", event->core);
    base_text_print(text, "%-14s ", who);
    if (event->kind == COL_EVICTION) {
        base_text_add(text, "its private caches gave the block up\n");
        return;
    }
    const uint32_t thread = col_program_thread_of(c->program, event->operation);
    const bool reads = col_kinds[operation_at(c, event->operation)->kind].reads;
    prg_operation_write(operation_at(c, event->operation), text);
    if (is_performed(event) && reads) {
        base_text_add(text, " = ");
        print_word(c, returned(event), text);
    }
    base_text_print(text, " (thread %u, operation %u)", thread,
                    event->operation - c->program->thread_start[thread]);
    if (event->kind == COL_LOAD_BOUND)
        base_text_add(text, " gets its value, and waits");
    else if (event->kind == COL_LOAD_SQUASHED)
        base_text_add(text, " is squashed");
    else if (reads && event->source != COL_FROM_UNKNOWN)
        base_text_print(text, ", from %s",
                        (const char *const[]){"", "its own store buffer", "its private cache",
                                              "another core's cache", "the shared level",
                                              "memory"}[event->source]);
    base_text_add(text, "\n");
}

/* What repeats is told once. */
typedef struct repeats {
    char lines[16][300]; /* the last ones, without their cycles */
    uint64_t told, left, period, until;
} repeats;

/* "6,381 times, until cycle 9210)" */
static bool times(claims *c, repeats *r) {
    uint64_t count = 0, part;
    do {
        if (!number(c, &part))
            return false;
        count = 1000 * count + part;
    } while (take(c, ","));
    r->left = (count - 1) * r->period;
    return need(c, " times, until cycle ") && number(c, &r->until) && need(c, ")\n");
}

/* Behind a line: how often it, and those before it, happened. */
static bool repeat(claims *c, repeats *r) {
    r->period = 1;
    if (take(c, " ("))
        return times(c, r);
    if (!need(c, "\n") || !take(c, "            (these "))
        return true;
    return number(c, &r->period) && need(c, " events ") && times(c, r);
}

/* The event's line without its end, or one that need not be there again. */
static bool told(claims *c, repeats *r, const col_event *event, const char *line, uint64_t last) {
    const char *text = line + 12;
    const bool is_again = r->left > 0 && strcmp(r->lines[(r->told - r->period) % 16], text) == 0;
    (void)snprintf(r->lines[r->told++ % 16], sizeof r->lines[0], "%s", text);
    if (r->left > 0)
        return claim(c, is_again, "it repeats") &&
               (--r->left > 0 || claim(c, event->cycle == r->until, "until then"));
    if (!take(c, line))
        return claim(c, event->cycle == last, line);
    return repeat(c, r);
}

/* Lines follow each other as the events did; only in the last cycle some may be left out, since
 * the story ends with the cycle of the failure. */
static bool history(claims *c) {
    uint64_t block, earlier = 0, last = 0;
    if (!need_block(c, &block) ||
        (!take(c, " before (covers are of any block):\n") && !need(c, " before:\n")))
        return false;
    if (take(c, "            ... ") &&
        (!number(c, &earlier) || !need(c, earlier == 1 ? " earlier event" : " earlier events") ||
         !need(c, " ...\n")))
        return false;
    repeats r = {.period = 0};
    for (const char *at = c->at; *at == ' '; at = strchr(at, '\n') + 1)
        last = strtoull(at, NULL, 10) > 0 ? strtoull(at, NULL, 10) : last;
    for (const col_event *at = c->e->list; at < end_of(c) && (r.left > 0 || sees(c, "  ")); at++) {
        if (!is_of_block(c, at, block))
            continue;
        if (earlier > 0) {
            earlier--;
            continue;
        }
        while (r.left == 0 && cover_line(c, c->e->list))
            ;
        if (c->wrong[0] != '\0')
            return false;
        if (!sees(c, "  ") && r.left == 0)
            break;
        base_text line = {0};
        line_of(c, at, &line);
        line.data[line.length - 1] = '\0'; /* its end */
        const bool is_so = told(c, &r, at, line.data, last);
        base_text_free(&line);
        if (!is_so)
            return false;
    }
    while (cover_line(c, c->e->list))
        ;
    return claim(c, !sees(c, "  "), "this is what happened to the block");
}

/* ---- Accesses that have not performed. */

static uint32_t first_waiting(const claims *c, uint32_t thread) {
    for (uint32_t i = c->program->thread_start[thread]; i < c->program->thread_start[thread + 1];
         i++)
        if ((col_kinds[operation_at(c, i)->kind].reads ||
             col_kinds[operation_at(c, i)->kind].writes) &&
            performed(c, i) == NULL)
            return i;
    return NONE;
}

static bool waiting(claims *c) {
    enum { MOST = 8 };
    uint32_t count = 0, operation;
    for (uint32_t t = 0; t < c->program->thread_count; t++) {
        uint64_t block;
        const uint32_t first = first_waiting(c, t);
        if (first == NONE || count++ >= MOST)
            continue;
        if (!need(c, "  ") || !place(c, &operation) ||
            !claim(c, operation == first, "it is the first one") || !need(c, ": ") ||
            !need_operation(c, operation) || !need(c, ", block ") || !need_block(c, &block) ||
            !claim(c, block == block_of(c, operation), "it is in this block") || !need(c, "\n"))
            return false;
    }
    return count <= MOST || (need(c, "  and ") && need_number(c, count - MOST, "this many more") &&
                             need(c, " more\n"));
}

/* ---- The first sentence. */

/* Are all operations that the checker names at this location; NONE: at one? */
static bool all_at(const claims *c, uint64_t location) {
    uint32_t thread, at;
    const char *line = strchr(c->e->violation, '\n');
    for (; line != NULL; line = strchr(line + 1, '\n'))
        if (sscanf(line, "\n %*u. thread %u, operation %u", &thread, &at) == 2 ||
            sscanf(line, "\n      thread %u, operation %u", &thread, &at) == 2) {
            const uint32_t here = operation_at(c, c->program->thread_start[thread] + at)->location;
            location = location == NONE ? here : location;
            if (here != location)
                return false;
        }
    return true;
}

/* An atomic of the cycle that replaced another value than it returned. */
static bool is_torn(const claims *c, uint64_t location) {
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (is_write_to(c, at, (uint32_t)location) &&
            col_kinds[operation_at(c, at->operation)->kind].reads && at->read != at->overwritten)
            return true;
    return false;
}

static bool headline(claims *c) {
    uint64_t location;
    char text[700];
    static const char *const headings[COL_OUTCOME_COUNT] = {
        [COL_VIOLATION] = "An invariant is broken",
        [COL_PROTOCOL_WRONG] = "The protocol went wrong",
        [COL_DEADLOCKED] = "Deadlock",
        [COL_STARVED] = "Starvation",
        [COL_CRASHED] = "The design crashed",
    };
    if (c->e->violation == NULL) {
        (void)snprintf(text, sizeof text, "%s: %s.", headings[c->e->outcome], c->e->reason);
        return need_name(c, text, "this is how it ended");
    }
    if (take(c, "Atomicity is broken: another write came between the read and the write of an "
                "atomic to a"))
        return number(c, &location) && need(c, ".") &&
               claim(c, all_at(c, location) && is_torn(c, location), "another write came between");
    if (take(c, "Coherence of a"))
        return number(c, &location) && claim(c, all_at(c, location), "it is about one location") &&
               need(c, " is broken: ") &&
               (take(c, "a write to it was lost.")
                    ? claim(c, strstr(c->e->violation, "both replaced") != NULL, "it was lost")
                    : need(c, "no order of its accesses agrees with program order (SC per "
                              "location)."));
    if (take(c, "A value of a"))
        return number(c, &location) && claim(c, all_at(c, location), "of this location") &&
               need(c, " came from nowhere: no operation stored it.") &&
               claim(c, strstr(c->e->violation, "no operation can have stored") != NULL,
                     "none stored it");
    if (take(c, "What the design did does not fit the program: ")) {
        (void)snprintf(text, sizeof text, "%s.", c->e->reason);
        return need_name(c, text, "the checker said so");
    }
    return need_model(c) && need(c, " is violated: no order of these accesses is allowed.") &&
           claim(c, !all_at(c, NONE), "they are at several locations");
}

/* ---- All of it. */

/* The first lines, up to an empty one, as one line. */
static bool sentences(claims *c) {
    const char *behind = strstr(c->at, "\n\n");
    const size_t length = behind == NULL ? strlen(c->at) - 1 : (size_t)(behind - c->at);
    char *flat = strndup(c->at, length);
    for (char *at = flat; (at = strchr(at, '\n')) != NULL;)
        *at = ' ';
    claims inner = *c;
    inner.at = flat;
    bool is_so = headline(&inner);
    while (is_so && *inner.at != '\0')
        is_so = need(&inner, " ") && sentence(&inner);
    c->checked = inner.checked;
    c->at += length + 1;
    free(flat);
    return is_so;
}

static bool section(claims *c) {
    if (take(c, "State of block "))
        return states(c);
    if (take(c, "What happened to block "))
        return history(c);
    if (take(c, "The first access of each thread that has not performed:\n"))
        return waiting(c);
    if (take(c, "Instructions:\n"))
        return instructions(c);
    if (take(c, "The last covers, of any block:\n")) {
        while (cover_line(c, c->e->list))
            ;
        return claim(c, !sees(c, "  "), "these were hit");
    }
    if (sees(c, "Waveform: ")) /* a command */
        return (c->at = strchr(c->at, '\0')) != NULL;
    if (take(c, "Who waits for whom ("))
        return any_placed(c) != NULL ? stands(c) : who_waits(c);
    return verdict(c);
}

uint32_t check_claims(const char *words, const events *recording, char wrong[CLAIMS_WRONG]) {
    claims c = {.e = recording,
                .program = &recording->recorded.program,
                .design = col_duv_describe(recording->worker.duv),
                .at = words,
                .wrong = wrong};
    wrong[0] = '\0';
    bool is_so = sentences(&c);
    while (is_so && *c.at != '\0')
        is_so = need(&c, "\n") && section(&c);
    return is_so ? c.checked : 0;
}
