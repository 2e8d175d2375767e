/* SPDX-License-Identifier: MIT */
/* The oracle of chains knows right from wrong: the examples of the definitions are accepted, and
 * for every clause a chain that breaks it is rejected for that reason. */
#include "chain_oracle.h"
#include "harness.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* Threads are parted by '|'. "Sa" stores to a, "Lb" loads from b, "X" swaps a; "F" is a full fence
 * and "Frw" one that orders reads before writes. A chain names operations by their number; '*'
 * marks the intervening store. */
typedef struct example {
    const char *threads, *chain;
    uint8_t category;
    const char *violation; /* NULL: none */
} example;

static uint8_t fence_of(const char *word) {
    static const char *const pairs[] = {"rr", "rw", "wr", "ww"};
    for (uint8_t i = 0; i < 4; i++)
        if (strncmp(word + 1, pairs[i], 2) == 0)
            return (uint8_t)(1u << i);
    return COL_FULL_FENCE;
}

static col_operation operation_of(const char *word) {
    switch (word[0]) {
    case 'F':
        return (col_operation){.kind = COL_FENCE, .fence = fence_of(word)};
    case 'X':
        return (col_operation){.kind = COL_SWAP, .value = 1};
    default:
        return (col_operation){.kind = word[0] == 'S' ? COL_STORE : COL_LOAD,
                               .location = (uint32_t)(word[1] - 'a')};
    }
}

static void build(const char *threads, col_program *program) {
    uint32_t lengths[8] = {0}, thread = 0, count = 0;
    col_operation operations[32];
    for (const char *at = threads; *at != '\0'; at++) {
        if (*at == '|')
            thread++;
        else if (at == threads || at[-1] == ' ' || at[-1] == '|') {
            operations[count++] = operation_of(at);
            lengths[thread]++;
        }
    }
    col_problem problem;
    assert_int_equal(col_program_shape(program, thread + 1, lengths, 4, &problem), COL_OK);
    memcpy(program->operations, operations, count * sizeof operations[0]);
}

static uint32_t read_chain(const char *text, col_link *links) {
    uint32_t count = 0;
    for (char *end = NULL; *text != '\0'; text = *end == '*' ? end + 1 : end) {
        links[count].operation = (uint32_t)strtoul(text, &end, 10);
        links[count++].between = *end == '*';
    }
    return count;
}

static void judges_as_expected(const example *examples, size_t count) {
    col_program program = COL_PROGRAM_EMPTY;
    for (size_t i = 0; i < count; i++) {
        const example *e = &examples[i];
        col_link links[16];
        build(e->threads, &program);
        const char *found =
            chain_violation(&program, links, read_chain(e->chain, links), e->category);
        const bool right = e->violation == NULL
                               ? found == NULL
                               : found != NULL && strstr(found, e->violation) != NULL;
        if (!right)
            fail_saying("category %u, '%s', chain %s: %s\n", e->category, e->threads, e->chain,
                        found == NULL ? "accepted" : found);
    }
    col_program_free(&program);
}

TEST(the_oracle_accepts_what_the_definitions_allow) {
    static const example examples[] = {
        /* Figure 3 of the thesis: one of each category. */
        {"Sa La", "0 1", 0, NULL},
        {"Sa|La La", "0 1 2", 1, NULL},
        {"Sa F Sb|Lb F La", "0 2 3 5", 2, NULL},
        {"Sa|La F Sb|Lb F La", "0 1 3 4 6", 3, NULL},
        {"La Sa Sa La Sa La", "0 1 2 3 4 5", 0, NULL},
        {"La Sb Sa", "0 2", 0, NULL},
        {"Sa|La Sa", "0 1 2", 1, NULL},
        {"La Sa", "0 1", 0, NULL},
        /* b may be a: then no barrier is needed. */
        {"Sa Sa|La La", "0 1 2 3", 2, NULL},
        {"Sa|La Sa|La La", "0 1 2 3 4", 3, NULL},
        /* The intervening store of a third thread; in category 3 also of the first. */
        {"Sa F Lb|Lb F La|Sb", "0 2 6* 3 5", 2, NULL},
        {"Sa Sb|La F Lb|Lb F La", "0 2 4 1* 5 7", 3, NULL},
        /* Category 3 with two threads: k may be i. */
        {"Sa Lb F La|La F Sb", "0 4 6 1 3", 3, NULL},
        /* A barrier that orders just the pair, among others. */
        {"Sa Frr Sc Fww Sb|Lb Frr La", "0 4 5 7", 2, NULL},
        {"La Frw Sb|Lb Frw Sa", "0 2 3 5", 2, NULL},
        /* Repetitions, each with its own b and next thread; back to the first on the way. */
        {"Sa F Sb|Lb F Sc|Lc F La", "0 2 3 5 6 8", 2, NULL},
        {"Sa F Sb Lc F Sd|Lb F Sc|Ld F La", "0 2 6 8 3 5 9 11", 2, NULL},
        {"Sa|La F Sb|Lb F Lc|Sc F La", "0 1 3 4 6 7 9", 3, NULL},
    };
    judges_as_expected(examples, sizeof examples / sizeof examples[0]);
}

TEST(the_oracle_rejects_what_the_definitions_forbid) {
    static const example examples[] = {
        {"Sa", "0", 0, "too short"},
        {"Sa La Sa", "0 1 2", 0, "pairs between"},
        {"Sa Lb", "0 1", 0, "one location"},
        {"Sa La", "1 0", 0, "in program order"},
        {"Sa|La", "0 1", 0, "in program order"},
        {"Sa La La Sa", "0 1 2 3", 0, "successive operations of category 0 are loads"},
        {"Sa La", "0 1*", 0, "intervening store stands"},
        {"Sa La", "0 0", 0, "twice"},
        {"Sa F", "0 1", 0, "neither a load nor a store"},
        {"Sa X", "0 1", 0, "neither a load nor a store"},
        {"Sa La", "0 9", 0, "outside"},
        {"Sa La", "0 1", 4, "no such category"},
        {"Sa|La La Sa", "0 1 2 3", 1, "three operations"},
        {"La|La La", "0 1 2", 1, "starts with a store"},
        {"Sa|Sa La", "0 1 2", 1, "second operation of category 1"},
        {"Sa La La", "0 1 2", 1, "two threads"},
        {"Sb|La La", "0 1 2", 1, "two threads"},
        {"Sa|La Lb", "0 1 2", 1, "one location"},
        {"Sa|La Sa", "0 2 1", 1, "second operation"},
        {"Sa|La La", "0 2 1", 1, "last two of category 1"},
        {"Sa|La|La", "0 1 2", 1, "last two of category 1"},
        {"Sa Sb|Lb F La", "0 1 2 4", 2, "before a conflict"},
        {"Sb F Sa|Lb F La", "2 0 3 5", 2, "before a conflict"},
        {"Sa Frr Sb|Lb F La", "0 2 3 5", 2, "before a conflict"},
        {"F Sa Sb F|Lb F La", "1 2 4 6", 2, "before a conflict"},
        {"Sa F Sb|Lb La", "0 2 3 4", 2, "before the last"},
        {"Sa F Sb|Lb Fww La", "0 2 3 5", 2, "before the last"},
        {"Sa F Sb|Lb|F La", "0 2 3 5", 2, "before the last"},
        {"Sa F Sc|Lb F La", "0 2 3 5", 2, "different locations"},
        {"Sa F Sb Lb F La", "0 2 3 5", 2, "in one thread"},
        {"Sa F Lb|Lb F La", "0 2 3 5", 2, "no store between"},
        {"Sa F Sb|Lb F La|Sb", "0 2 6* 3 5", 2, "a store already"},
        {"Sa F Lb|Lb F La|Lb", "0 2 6* 3 5", 2, "is a load"},
        {"Sa F Lb|Lb F La Sb", "0 2 6* 3 5", 2, "third thread"},
        {"Sa F Lb|Lb F La|Sc", "0 2 6* 3 5", 2, "another location"},
        {"Sa F Sb|Lb F Lc", "0 2 3 5", 2, "endpoints of category 2 are at different"},
        {"Sa F Sb Lc F La|Lb F Sc", "0 2 6 8 3 5", 2, "endpoints of category 2 are in one"},
        {"La F Sb|Lb F La", "0 2 3 5", 2, "do not conflict"},
        {"Sa F Sb|Lb F Sc|Lc", "0 2 3 5 6", 2, "within a repetition"},
        {"Sa F Sb|Lb|Sb", "0 2 4* 3", 2, "within a repetition"},
        {"Sa F Sb|Lb F La", "0* 2* 3 5", 2, "intervening store stands"},
        {"Sa F Sb|Lb F Sa", "0 2 3 5*", 2, "ends with an intervening"},
        {"La|La F Sb|Lb F La", "0 1 3 4 6", 3, "starts with a store"},
        {"Sa|Sa F Sb|Lb F La", "0 1 3 4 6", 3, "second operation of category 3"},
        {"Sb|La F Sb|Lb F La", "0 1 3 4 6", 3, "first two of category 3"},
        {"Sa La F Sb|Lb F La", "0 1 3 4 6", 3, "first two of category 3"},
        {"Sa|La F Sb|Lb F Sa", "0 1 3 4 6", 3, "ends with a load"},
        {"Sa|La F Sb|Lb F Lc", "0 1 3 4 6", 3, "endpoints of category 3"},
        {"Sa|La Sb|Lb F La", "0 1 2 3 5", 3, "before a conflict"},
        {"Sa|La F Sb Lc F La|Lb F Sc", "0 1 3 7 9 4 6", 3, "thread of its first load"},
    };
    judges_as_expected(examples, sizeof examples / sizeof examples[0]);
}

typedef struct whole {
    const char *threads;
    const char *chains[3]; /* of category 0 */
    uint32_t reported, fillers;
    const char *violation;
} whole;

TEST(the_oracle_judges_whole_programs) {
    static const whole programs[] = {
        {"Sa La Sb Lb", {"0 1", "2 3", NULL}, 2, 0, NULL},
        {"Sa La Sb", {"0 1", NULL, NULL}, 1, 1, NULL},
        {"Sa La Sb", {"0 1", NULL, NULL}, 1, 0, "than fillers"},
        {"Sb Sa La", {"1 2", NULL, NULL}, 1, 1, "before an operation of a chain"},
        {"Sa La Sa", {"0 1", "1 2", NULL}, 2, 0, "two chains"},
        {"Sa La", {"0 1", NULL, NULL}, 2, 0, "as reported"},
        {"Sa La F", {"0 1", NULL, NULL}, 1, 0, "more fences"},
        {"Sa La X", {"0 1", NULL, NULL}, 1, 1, "neither load"},
        {"La La", {"0 1", NULL, NULL}, 1, 0, "are loads"},
    };
    col_program program = COL_PROGRAM_EMPTY;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        const whole *p = &programs[i];
        col_link links[16];
        col_chain chains[3] = {{0}};
        col_generated generated = {
            .chain_counts = {p->reported}, .fillers = p->fillers, .chains = chains, .links = links};
        uint32_t used = 0;
        for (size_t n = 0; p->chains[n] != NULL; n++, generated.chain_total++) {
            chains[n] = (col_chain){used, read_chain(p->chains[n], links + used), 0};
            used += chains[n].count;
        }
        build(p->threads, &program);
        const char *found = chained_program_violation(&program, &generated);
        if (p->violation == NULL)
            assert_null(found);
        else if (found == NULL || strstr(found, p->violation) == NULL)
            fail_saying("'%s': %s\n", p->threads, found == NULL ? "accepted" : found);
    }
    col_program_free(&program);
}
