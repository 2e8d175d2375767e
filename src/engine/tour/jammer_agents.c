/* SPDX-License-Identifier: MIT */
/* MCjammer's agents: see jammer_agents.h. The dichotomic FSM is not written down for each protocol:
 * it is what a core sees when a few cores walk through all of their states. */
#include "engine/tour/jammer_agents.h"

#include <stdlib.h>

enum {
    FEW_CORES = 5,   /* enough for one, some and all others */
    INTERFERENCE = 4 /* one operation in this many is not for the agent in the lead */
};

/* ---- The dichotomic FSM. */

static tour_own own_of(const tour_state *state, uint32_t core) {
    static const tour_own owners[] = {[TOUR_SHARED] = TOUR_OWN_S,
                                      [TOUR_EXCLUSIVE] = TOUR_OWN_E,
                                      [TOUR_MODIFIED] = TOUR_OWN_M,
                                      [TOUR_OWNED] = TOUR_OWN_O};
    if (!tour_set_has(state->holders, core))
        return TOUR_OWN_I;
    const bool is_sharer = state->holding == TOUR_OWNED && state->owner != core;
    return is_sharer ? TOUR_OWN_S : owners[state->holding];
}

static tour_others others_of(const tour_space *space, const tour_state *state, uint32_t core) {
    const uint32_t without = tour_cores_of(space, 0) & ~tour_set_of(core);
    const uint32_t others = state->holders & without;
    if (others == 0)
        return TOUR_NO_OTHER;
    const bool one = (others & (others - 1)) == 0, all = others == without;
    if (state->holding == TOUR_EXCLUSIVE || state->holding == TOUR_MODIFIED)
        return state->holding == TOUR_EXCLUSIVE ? TOUR_ANOTHER_E : TOUR_ANOTHER_M;
    if (state->holding == TOUR_OWNED && state->owner != core)
        return one ? TOUR_ANOTHER_O : all ? TOUR_O_AND_ALL : TOUR_O_AND_SOME;
    return one ? TOUR_ONE_SHARES : all ? TOUR_ALL_SHARE : TOUR_SOME_SHARE;
}

uint32_t tour_view(const tour_space *space, const tour_state *state, uint32_t core) {
    return (uint32_t)own_of(state, core) * TOUR_OTHERS_COUNT + others_of(space, state, core);
}

static uint32_t event_of(col_tour_operation operation, uint32_t core) {
    return operation.kind + (operation.core == core ? 0U : (uint32_t)TOUR_KIND_COUNT);
}

/* Distances to one view, by steps back from it until nothing changes. */
static void measure(tour_dichotomy *dichotomy, uint32_t target) {
    for (uint32_t view = 0; view < TOUR_VIEW_COUNT; view++)
        dichotomy->distance[view][target] = view == target ? 0 : TOUR_FAR;
    for (uint8_t reach = 0, grown = true; grown; reach++) {
        uint64_t reached = 0;
        grown = false;
        for (uint32_t view = 0; view < TOUR_VIEW_COUNT; view++)
            if (dichotomy->distance[view][target] <= reach)
                reached |= UINT64_C(1) << view;
        for (uint32_t view = 0; view < TOUR_VIEW_COUNT; view++)
            for (uint32_t event = 0; event < TOUR_EVENT_COUNT; event++)
                if (dichotomy->distance[view][target] == TOUR_FAR &&
                    (dichotomy->after[view][event] & reached) != 0) {
                    dichotomy->distance[view][target] = (uint8_t)(reach + 1);
                    grown = true;
                }
    }
}

void tour_dichotomy_of(const tour_space *space, tour_dichotomy *dichotomy) {
    const tour_space few =
        TOUR_ONE_LEVEL(space->protocol, space->cores < FEW_CORES ? space->cores : FEW_CORES);
    *dichotomy = (tour_dichotomy){.transition_count = 0};
    for (uint64_t number = 0; number < tour_state_count(&few); number++) {
        const tour_state state = tour_numbered_state(&few, number);
        /* What core 0 sees of everything that can happen in a state. */
        const uint32_t view = tour_view(&few, &state, 0);
        for (uint8_t core = 0; core < few.cores; core++)
            for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++) {
                const col_tour_operation operation = {(uint8_t)kind, core};
                if (!tour_is_possible(&few, &state, operation))
                    continue;
                const tour_state after = tour_after(&few, &state, operation);
                dichotomy->after[view][event_of(operation, 0)] |= UINT64_C(1)
                                                                  << tour_view(&few, &after, 0);
            }
    }
    for (uint32_t view = 0; view < TOUR_VIEW_COUNT; view++)
        measure(dichotomy, view);
    for (uint32_t view = 0; view < TOUR_VIEW_COUNT; view++)
        for (uint32_t event = 0; event < TOUR_EVENT_COUNT; event++)
            if (dichotomy->after[view][event] != 0)
                dichotomy->transitions[dichotomy->transition_count++] =
                    (uint16_t)(view * TOUR_EVENT_COUNT + event);
}

/* ---- Agents. */

/* A choice among equals, met one after the other. */
typedef struct choice {
    uint64_t least;
    uint32_t equals, chosen;
} choice;

static void offer(choice *c, base_rng *rng, uint64_t cost, uint32_t candidate) {
    if (c->equals > 0 && cost > c->least)
        return;
    c->equals = c->equals > 0 && cost == c->least ? c->equals + 1 : 1;
    c->least = cost;
    if (c->equals == 1 || base_rng_below(rng, c->equals) == 0)
        c->chosen = candidate;
}

/* The event that leads towards the goal. Of several, any. */
static uint32_t plan(const tour_dichotomy *dichotomy, uint32_t view, uint16_t goal, base_rng *rng) {
    const uint32_t target = goal / TOUR_EVENT_COUNT;
    if (view == target)
        return goal % TOUR_EVENT_COUNT;
    const uint8_t distance = dichotomy->distance[view][target];
    choice c = {.equals = 0};
    for (uint32_t event = 0; event < TOUR_EVENT_COUNT; event++)
        for (uint64_t left = dichotomy->after[view][event]; left != 0; left &= left - 1) {
            const uint32_t next = base_lowest_bit(left);
            if (dichotomy->distance[next][target] < distance) {
                offer(&c, rng, 0, event);
                break;
            }
        }
    return c.chosen;
}

/* Another core does it for the agent: any that can. */
static col_tour_operation ask(const tour_space *space, const tour_jam_block *block, uint32_t core,
                              uint8_t kind, base_rng *rng) {
    choice c = {.equals = 0};
    for (uint8_t other = 0; other < space->cores; other++) {
        const col_tour_operation operation = {kind, other};
        if (other != core && tour_is_possible(space, &block->state, operation))
            offer(&c, rng, 0, other);
    }
    return (col_tour_operation){kind, (uint8_t)c.chosen};
}

static void see(tour_agent *agent, uint32_t transition) {
    agent->visits[transition] += agent->visits[transition] < UINT32_MAX;
}

/* All agents see the operation; those that wanted it want something else next. */
static void perform(const tour_space *space, tour_agent *agents, tour_jam_block *block,
                    col_tour_operation operation) {
    for (uint32_t core = 0; core < space->cores; core++) {
        const uint32_t view = tour_view(space, &block->state, core);
        const uint32_t transition = view * TOUR_EVENT_COUNT + event_of(operation, core);
        see(&agents[block->agents[core]], transition);
        if (block->goals[core] == transition)
            block->goals[core] = TOUR_NO_GOAL;
    }
    block->state = tour_after(space, &block->state, operation);
}

/* An agent leads until its goal is reached. It gives up after two operations more than there are
 * cores: what its view does not show may put the goal out of reach, and others need their turn. */
static void pass_lead(const tour_space *space, tour_agent *agents, tour_jam_block *block,
                      base_rng *rng) {
    uint16_t *goal = &block->goals[block->leader];
    if (*goal != TOUR_NO_GOAL && block->lead++ <= space->cores)
        return;
    if (*goal != TOUR_NO_GOAL)
        see(&agents[block->agents[block->leader]], *goal);
    *goal = TOUR_NO_GOAL;
    block->leader = (uint8_t)base_rng_below(rng, space->cores);
    block->lead = 0;
}

col_tour_operation tour_jam_step(const tour_space *space, const tour_dichotomy *dichotomy,
                                 tour_agent *agents, tour_jam_block *block, base_rng *rng) {
    pass_lead(space, agents, block, rng);
    const bool interferes = base_rng_below(rng, INTERFERENCE) == 0;
    const uint8_t core = interferes ? (uint8_t)base_rng_below(rng, space->cores) : block->leader;
    const uint32_t view = tour_view(space, &block->state, core);
    if (block->goals[core] == TOUR_NO_GOAL) {
        /* The transition that the agent has seen least often. */
        choice c = {.equals = 0};
        for (uint32_t i = 0; i < dichotomy->transition_count; i++) {
            const uint32_t transition = dichotomy->transitions[i];
            if (dichotomy->distance[view][transition / TOUR_EVENT_COUNT] != TOUR_FAR)
                offer(&c, rng, agents[block->agents[core]].visits[transition], transition);
        }
        block->goals[core] = (uint16_t)c.chosen;
    }
    const uint32_t event = plan(dichotomy, view, block->goals[core], rng);
    const col_tour_operation operation =
        event < TOUR_KIND_COUNT ? (col_tour_operation){(uint8_t)event, core}
                                : ask(space, block, core, (uint8_t)(event - TOUR_KIND_COUNT), rng);
    perform(space, agents, block, operation);
    return operation;
}

void tour_jam_block_reset(tour_jam_block *block) {
    *block = (tour_jam_block){.state = TOUR_INITIAL};
    for (uint32_t core = 0; core < TOUR_MOST_CORES; core++) {
        block->agents[core] = core;
        block->goals[core] = TOUR_NO_GOAL;
    }
}

/* ---- Streams. */

bool tour_jam(const tour_space *space, uint64_t seed, uint64_t most_operations, tour_sink sink) {
    tour_dichotomy dichotomy;
    tour_jam_block block;
    base_rng rng;
    tour_agent *agents = calloc(space->cores, sizeof *agents);
    bool wants_more = agents != NULL;
    tour_dichotomy_of(space, &dichotomy);
    tour_jam_block_reset(&block);
    base_rng_seed(&rng, seed, 0);
    for (uint64_t i = 0; i < most_operations && wants_more; i++)
        wants_more =
            sink.take(sink.context, tour_jam_step(space, &dichotomy, agents, &block, &rng));
    free(agents);
    return wants_more;
}

bool tour_random(const tour_space *space, uint64_t seed, uint64_t most_operations, tour_sink sink) {
    const uint32_t bound = TOUR_KIND_COUNT * space->cores;
    tour_state state = TOUR_INITIAL;
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    for (uint64_t i = 0; i < most_operations; i++) {
        col_tour_operation operation;
        do {
            const uint32_t drawn = (uint32_t)base_rng_below(&rng, bound);
            operation = (col_tour_operation){(uint8_t)(drawn % TOUR_KIND_COUNT),
                                             (uint8_t)(drawn / TOUR_KIND_COUNT)};
        } while (!tour_is_possible(space, &state, operation));
        if (!sink.take(sink.context, operation))
            return false;
        state = tour_after(space, &state, operation);
    }
    return true;
}
