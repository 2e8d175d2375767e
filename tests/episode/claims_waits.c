/* SPDX-License-Identifier: MIT */
/*
 * Claims of stories: who waits for whom. Each controller has the state that the story says, by its
 * last transition; each message that is held up was sent and not taken; and where a message is said
 * to be lost, what the controller sent was taken.
 */
#include "claims.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct party {
    uint32_t machine, controller;
} party;

static const char *name_of(const claims *c, party p, char name[100]) {
    if (p.machine == COL_OF_CORE)
        (void)snprintf(name, 100, "core %u", p.controller);
    else if (p.machine == COL_OF_MEMORY)
        (void)snprintf(name, 100, "memory");
    else
        (void)snprintf(name, 100, "%s %u", c->design->machines[p.machine].name, p.controller);
    return name;
}

/* "L1Cache 3" or "core 2", as the words at this place say. */
static bool need_party(claims *c, party *p) {
    char name[100];
    for (uint32_t i = 0; i < c->design->cores; i++) {
        *p = (party){COL_OF_CORE, i};
        if (sees(c, name_of(c, *p, name)) && c->at[strlen(name)] == ' ')
            return need(c, name);
    }
    for (uint32_t m = 0; m < c->design->machine_count; m++)
        for (uint32_t i = 0; i < c->design->machines[m].controllers; i++) {
            *p = (party){m, i};
            if (sees(c, name_of(c, *p, name)) && c->at[strlen(name)] == ' ')
                return need(c, name);
        }
    return no(c, "one who waits expected");
}

static bool is_taken(const claims *c, const col_event *sent) {
    for (const col_event *at = sent; at < end_of(c); at++)
        if (at->kind == COL_MESSAGE_RECEIVED && at->number == sent->number &&
            at->to_machine == sent->to_machine && at->to_controller == sent->to_controller)
            return true;
    return false;
}

/* A message about the block, from the one or to the other, that nobody has taken. */
static bool has_untaken(const claims *c, const party *from, const party *to, uint64_t block) {
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (at->kind == COL_MESSAGE_SENT && at->block == block &&
            (from == NULL ||
             (at->machine == from->machine && at->controller == from->controller)) &&
            (to == NULL ||
             (at->to_machine == to->machine && at->to_controller == to->controller)) &&
            !is_taken(c, at))
            return true;
    return false;
}

/* The text up to this phrase. */
static bool skip_to(claims *c, const char *phrase) {
    const char *found = strstr(c->at, phrase);
    const char *end = strchr(c->at, '\n');
    if (found == NULL || (end != NULL && found > end))
        return no(c, "'%s' expected in this line", phrase);
    c->at = found;
    return true;
}

/* The block behind the text comes first: what the text says is about it. */
static bool find_line_block(claims *c, uint64_t *block) {
    const char *line = c->at;
    if (!skip_to(c, ", block ") || !need(c, ", block ") || !need_block(c, block))
        return false;
    c->at = line;
    return true;
}

static bool state_claim(claims *c, party p, uint64_t block) {
    const col_event *last = NULL;
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (at->kind == COL_TRANSITION && at->machine == p.machine &&
            at->controller == p.controller && at->block == block)
            last = at;
    if (!claim(c, last != NULL, "it has done something with the block"))
        return false;
    return need_name(c, c->design->names[p.machine].states[last->next_state], "its last state") &&
           claim(c, c->at[0] == ' ' || c->at[0] == ',', "all of the state's name");
}

static bool last_sent_claim(claims *c, party p, uint64_t block) {
    const col_event *last = NULL;
    char name[100];
    for (const col_event *at = c->e->list; at < end_of(c); at++)
        if (at->kind == COL_MESSAGE_SENT && at->machine == p.machine &&
            at->controller == p.controller && at->block == block)
            last = at;
    if (take(c, "     it has sent no message about the block since then\n"))
        return true;
    if (!take(c, "     its last message about the block: "))
        return claim(c, last == NULL, "it has sent nothing");
    if (!claim(c, last != NULL, "it has sent something") || !skip_to(c, " to ") || !need(c, " to "))
        return false;
    const party to = {last->to_machine, last->to_controller};
    if (!need_name(c, name_of(c, to, name), "to the last one") || !need(c, " in cycle ") ||
        !need_number(c, last->cycle, "it was sent then"))
        return false;
    if (take(c, ", never taken\n"))
        return claim(c, !is_taken(c, last), "nobody took it");
    return claim(c, is_taken(c, last), "it was taken") && skip_to(c, "\n") && need(c, "\n");
}

/* "L1Cache 3 waits in IM for Data, block 0x40 (a0), since cycle 7 -> 3" */
static bool wait_line(claims *c, bool is_lost, bool *is_last) {
    party p = {0};
    uint64_t block, on, cycle;
    if (!need_party(c, &p) || !find_line_block(c, &block))
        return false;
    const bool has_state = take(c, " waits in ");
    if (has_state && !state_claim(c, p, block))
        return false;
    if (!has_state && take(c, " has ") && sees(c, "a TBE") == 0 &&
        !claim(c, has_untaken(c, NULL, &p, block), "a message is held up there"))
        return false;
    if (!skip_to(c, ", block ") || !need(c, ", block ") || !need_block(c, &block))
        return false;
    if (take(c, ", since cycle ") && !number(c, &cycle))
        return false;
    if (take(c, ": ")) {
        uint32_t waiting;
        if (!skip_to(c, " (thread ") || !need(c, " (") || !place(c, &waiting) || !need(c, ")") ||
            !claim(c, performed(c, waiting) == NULL, "it has not performed"))
            return false;
    }
    *is_last = !take(c, " -> ");
    if ((!*is_last && !number(c, &on)) || !need(c, "\n"))
        return false;
    if (is_lost && *is_last && has_state &&
        !claim(c, !has_untaken(c, &p, NULL, block), "what it sent was taken"))
        return false;
    return !has_state || last_sent_claim(c, p, block);
}

bool who_waits(claims *c) {
    const bool is_lost = sees(c, "lost message):\n");
    uint64_t count = 0;
    bool is_last = false;
    if (!skip_to(c, "):\n") || !need(c, "):\n"))
        return false;
    while (sees(c, "  ")) {
        skip_blanks(c);
        if (!claim(c, !is_last, "it waits for nobody") ||
            !need_number(c, ++count, "one after the other") || !need(c, " ") ||
            !wait_line(c, is_lost, &is_last))
            return false;
    }
    return claim(c, count > 0, "somebody waits");
}
