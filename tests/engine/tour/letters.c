/* SPDX-License-Identifier: MIT */
/* Two levels of caches as letters: see letters.h. Each operation is what every cache does. */
#include "letters.h"

#include "harness.h"

#include <string.h>

static bool has_itself(char letter) {
    return letter == 'E' || letter == 'M';
}

static bool is_with_e(const tour_space *space) {
    return space->protocol == COL_TOUR_MESI || space->protocol == COL_TOUR_MOESI;
}

static bool is_with_o(const tour_space *space) {
    return space->protocol == COL_TOUR_MOSI || space->protocol == COL_TOUR_MOESI;
}

/* Without clusters the cores are one, with a second level that is always in I. */
static uint32_t clusters_of(const tour_space *space) {
    return space->clusters == 0 ? 1 : space->clusters;
}

static uint32_t width_of(const tour_space *space) {
    return space->cores / clusters_of(space);
}

letters letters_initial(const tour_space *space) {
    letters l = {0};
    memset(l.first, 'I', space->cores);
    memset(l.second, 'I', sizeof l.second);
    return l;
}

/* Of a holder, which may be the owner. */
static char letter_of(uint8_t holding, bool is_owner) {
    static const char names[] = {'S', 'E', 'M'};
    if (holding != TOUR_OWNED)
        return names[holding];
    if (is_owner)
        return 'O';
    return 'S';
}

letters letters_of(const tour_space *space, const tour_state *state) {
    letters l = letters_initial(space);
    for (uint32_t core = 0; core < space->cores; core++)
        if ((state->holders >> core & 1) != 0)
            l.first[core] = letter_of(state->holding, state->owner == core);
    for (uint32_t cluster = 0; cluster < clusters_of(space); cluster++)
        if ((state->seconds >> cluster & 1) != 0)
            l.second[cluster] = letter_of(state->second_holding, state->second_owner == cluster);
    return l;
}

const char *letters_text(const tour_space *space, const letters *l, char *text) {
    char *end = text;
    for (uint32_t cluster = 0; cluster < clusters_of(space); cluster++) {
        *end++ = '(';
        memcpy(end, l->first + (size_t)cluster * width_of(space), width_of(space));
        end += width_of(space);
        *end++ = ')';
        *end++ = l->second[cluster];
    }
    *end = '\0';
    return text;
}

/* Somebody outside of the cache reads: who has the block for itself shares it, and owns it if he
 * has changed it. */
static char shared(const tour_space *space, char letter) {
    if (letter == 'M' && is_with_o(space))
        return 'O';
    if (has_itself(letter))
        return 'S';
    return letter;
}

static void share_all(const tour_space *space, letters *l) {
    for (uint32_t core = 0; core < space->cores; core++)
        l->first[core] = shared(space, l->first[core]);
    for (uint32_t cluster = 0; cluster < clusters_of(space); cluster++)
        l->second[cluster] = shared(space, l->second[cluster]);
}

static bool is_anywhere(const tour_space *space, const letters *l) {
    for (uint32_t core = 0; core < space->cores; core++)
        if (l->first[core] != 'I')
            return true;
    for (uint32_t cluster = 0; cluster < clusters_of(space); cluster++)
        if (l->second[cluster] != 'I')
            return true;
    return false;
}

/* How a cache gets what it asks all others for. */
static char ask_all(const tour_space *space, letters *l) {
    if (!is_anywhere(space, l))
        return is_with_e(space) ? 'E' : 'S';
    share_all(space, l);
    return 'S';
}

static void load2(const tour_space *space, letters *l, uint32_t cluster) {
    const uint32_t width = width_of(space);
    if (l->second[cluster] != 'I')
        return;
    for (uint32_t core = cluster * width; core < (cluster + 1) * width; core++)
        if (has_itself(l->first[core]) || l->first[core] == 'O') {
            l->second[cluster] = l->first[core];
            return;
        }
    l->second[cluster] = ask_all(space, l);
}

/* A hit in the second level: nobody outside of the cluster sees it. */
static void load_from_second(const tour_space *space, letters *l, uint32_t core) {
    const uint32_t width = width_of(space), cluster = core / width;
    bool is_held = false;
    for (uint32_t other = cluster * width; other < (cluster + 1) * width; other++) {
        is_held |= l->first[other] != 'I';
        l->first[other] = shared(space, l->first[other]);
    }
    const bool is_alone = has_itself(l->second[cluster]) && !is_held;
    l->first[core] = is_alone && is_with_e(space) ? 'E' : 'S';
}

static bool load(const tour_space *space, letters *l, uint32_t core) {
    const uint32_t cluster = core / width_of(space);
    if (space->inclusive && l->second[cluster] == 'I') {
        if (space->protocol == COL_TOUR_SI)
            return false;
        const char letter = ask_all(space, l);
        l->first[core] = letter;
        l->second[cluster] = letter;
        return true;
    }
    if (l->first[core] != 'I')
        return true;
    if (l->second[cluster] != 'I')
        load_from_second(space, l, core);
    else
        l->first[core] = ask_all(space, l);
    return true;
}

static bool store(const tour_space *space, letters *l, uint32_t core) {
    const uint32_t cluster = core / width_of(space);
    const bool fills_second = space->inclusive || l->second[cluster] != 'I';
    if (space->protocol == COL_TOUR_SI)
        return false;
    *l = letters_initial(space);
    l->first[core] = 'M';
    if (fills_second)
        l->second[cluster] = 'M';
    return true;
}

static bool evict2(const tour_space *space, letters *l, uint32_t cluster) {
    const uint32_t width = width_of(space);
    if (l->second[cluster] == 'I')
        return false;
    for (uint32_t core = cluster * width; core < (cluster + 1) * width; core++)
        if (space->inclusive && l->first[core] != 'I')
            return false;
    l->second[cluster] = 'I';
    return true;
}

bool letters_step(const tour_space *space, letters *l, col_tour_operation operation) {
    switch (operation.kind) {
    case COL_TOUR_LOAD:
        return load(space, l, operation.core);
    case COL_TOUR_STORE:
        return store(space, l, operation.core);
    case COL_TOUR_EVICT:
        if (l->first[operation.core] == 'I')
            return false;
        l->first[operation.core] = 'I';
        return true;
    case COL_TOUR_LOAD2:
        load2(space, l, operation.core);
        return true;
    default:
        return evict2(space, l, operation.core);
    }
}

/* What one cluster's first levels may be below its second level. */
static bool is_legal_cluster(const tour_space *space, const char *first, char second) {
    uint32_t shared = 0, exclusive = 0, modified = 0, owned = 0;
    for (uint32_t core = 0; core < width_of(space); core++) {
        shared += first[core] == 'S';
        exclusive += first[core] == 'E';
        modified += first[core] == 'M';
        owned += first[core] == 'O';
    }
    if (owned > 1 || exclusive + modified > 1 || (exclusive + modified == 1 && shared + owned > 0))
        return false;
    switch (second) {
    case 'I':
        return !space->inclusive || shared + exclusive + modified + owned == 0;
    case 'S':
        return exclusive + modified + owned == 0;
    case 'E':
        return modified + owned == 0;
    case 'O':
        return exclusive + modified == 0;
    default:
        return true;
    }
}

bool letters_are_legal(const tour_space *space, const letters *l) {
    uint32_t holding = 0, alone = 0, owning = 0;
    for (uint32_t cluster = 0; cluster < clusters_of(space); cluster++) {
        const char *first = l->first + (size_t)cluster * width_of(space);
        bool is_held = l->second[cluster] != 'I', is_alone = has_itself(l->second[cluster]);
        bool is_owned = l->second[cluster] == 'O';
        if (!is_legal_cluster(space, first, l->second[cluster]))
            return false;
        for (uint32_t core = 0; core < width_of(space); core++) {
            is_held |= first[core] != 'I';
            is_alone |= has_itself(first[core]);
            is_owned |= first[core] == 'O';
        }
        holding += is_held;
        alone += is_alone;
        owning += is_owned;
    }
    return owning <= 1 && (alone == 0 || holding == 1);
}

void for_each_space(const shape *shapes, size_t count, void (*test)(const tour_space *)) {
    for (size_t i = 0; i < count; i++)
        for (int variant = 0; variant < 2 * COL_TOUR_PROTOCOL_COUNT; variant++) {
            const tour_space space =
                space_of((col_tour_protocol)(variant / 2), shapes[i], variant % 2 != 0);
            const bool is_always = space.protocol == COL_TOUR_SI || space.protocol == COL_TOUR_MESI;
            if ((is_always || tour_state_count(&space) <= MOST_TESTED_STATES) &&
                !(space.inclusive && space.clusters == 0))
                test(&space);
        }
}

tour_space space_of(col_tour_protocol protocol, shape s, bool inclusive) {
    const uint32_t clusters = s.clusters == 0 ? 1 : s.clusters;
    return (tour_space){protocol, clusters * s.width, s.clusters, inclusive};
}

bool count_one(void *context, col_tour_operation operation) {
    const bool is_possible = tour_count_take(context, operation);
    if (!is_possible) /* asked first: an assertion for each operation takes long */
        fail();
    return is_possible;
}

bool count_down(void *context, col_tour_operation operation) {
    uint32_t *left = context;
    (void)operation;
    assert_true(*left > 0);
    return --*left > 0;
}
