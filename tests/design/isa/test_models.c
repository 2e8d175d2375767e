/* SPDX-License-Identifier: MIT */
/*
 * Machine code allows nothing that the model forbids to its program. The code is disassembled and
 * judged as a litmus test, by the instruction set's model in cat; what that allows is asked of the
 * program's verdict, or of the oracle.
 */
#include "gnu.h"
#include "harness.h"
#include "judge/litmus/litmus_run.h"
#include "protocol/simulate/litmus.h"
#include "protocol/simulate/oracle_random.h"

#include <stdlib.h>
#include <string.h>

/* An instruction set as litmus tests know it. */
typedef struct dialect {
    const char *target, *name, *model;
    oracle_model oracle;
    const char *base;   /* the register with the address of the locations */
    const char *letter; /* of registers; NULL: they have names */
    bool exclusives;
    uint32_t samples; /* random programs */
} dialect;

static const dialect dialects[] = {
    {"rv64", "RISCV", "rvwmo.cat", ORACLE_RVWMO, "x10", "x", false, 1500},
    {"aarch64", "AArch64", "armv8.cat", ORACLE_ARMV8, "X0", "X", false, 1500},
    {"aarch64", "AArch64", "armv8.cat", ORACLE_ARMV8, "X0", "X", true, 500},
    {"x86-64", "X86_64", "tso.cat", ORACLE_TSO, "rdi", NULL, false, 500},
};
enum { DIALECTS = sizeof dialects / sizeof *dialects, MOST_LINES = 400 };

static uint32_t sample_count(const dialect *d) {
#if defined(REDUCED)
    return d->samples / 20;
#else
    return d->samples;
#endif
}

/* Locations are the words of an array. Flushes and delays are nothing to a model. */
static void prepare(col_program *program) {
    for (uint32_t l = 0; l < program->location_count; l++)
        program->addresses[l] = UINT64_C(8) * l;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (program->operations[o].kind == COL_FLUSH || program->operations[o].kind == COL_DELAY)
            program->operations[o] = (col_operation){.kind = COL_DELAY};
}

/* Loops take long to judge, and many loops too long. */
static bool is_hard(const dialect *d, const col_program *program) {
    uint32_t atomics = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        atomics +=
            program->operations[o].kind == COL_SWAP || program->operations[o].kind == COL_ADD;
    return d->exclusives && atomics > 2;
}

/* Programs, their code one after the other, and how that reads. */
typedef struct book {
    const dialect *d;
    const isa_target *target;
    isa_code code;
    listing list;
} book;

/* Appends the program's code; its sites are the next ones. */
static void add_program(book *b, const col_program *program) {
    /* Every read keeps a register of its own. Awaits do not give up: litmus tests have loops. */
    const isa_settings settings = {.log = ISA_LOG_REGISTERS, .exclusives = b->d->exclusives};
    col_problem problem;
    for (uint32_t t = 0; t < program->thread_count; t++)
        if (isa_encode_thread(b->target, program, t, &settings, &b->code, &problem) != COL_OK)
            fail_msg("%s", problem.message);
}

static const char *register_name(const book *b, uint32_t reg) {
    static char name[16];
    if (b->d->letter == NULL)
        return b->target->registers[reg];
    snprintf(name, sizeof name, "%s%u", b->d->letter, (unsigned)reg);
    return name;
}

static bool is_branch(const char *text) {
    return text[0] == 'b' || text[0] == 'j' || strncmp(text, "cb", 2) == 0;
}

/* The part of a branch that is its target. */
static const char *target_in(const char *text) {
    const char *comma = strrchr(text, ',');
    return (comma == NULL ? strrchr(text, ' ') : comma) + 1;
}

/* A column: the instructions of a thread, and labels. */
typedef struct column {
    char lines[MOST_LINES][110];
    uint32_t count;
} column;

static void add_line(column *c, const char *text) {
    assert_true(c->count < MOST_LINES);
    snprintf(c->lines[c->count++], sizeof c->lines[0], "%s", text);
}

static bool is_target(const book *b, size_t first, size_t end, uint32_t offset) {
    for (size_t i = first; i < end; i++)
        if (is_branch(b->list.lines[i].text) &&
            strtoul(target_in(b->list.lines[i].text), NULL, 16) == offset)
            return true;
    return false;
}

/* Litmus tests do without `movabs`, `lea 5(%rdx),%rax` (rdx is 0) and `test %r10,%r10`. */
static void respell(char *text, size_t size) {
    char number[32], reg[8];
    if (sscanf(text, "lea %31[^(](%%rdx),%%%7s", number, reg) == 2 ||
        sscanf(text, "movabs $%31[^,],%%%7s", number, reg) == 2)
        snprintf(text, size, "mov $%s,%%%s", number, reg);
    else if (sscanf(text, "test %%%7[^,]", reg) == 1)
        snprintf(text, size, "cmp $0,%%%s", reg);
}

static void fill_column(const book *b, const isa_site *sites, uint32_t count, column *c) {
    c->count = 0;
    if (count == 0)
        return;
    const uint32_t stop = sites[count - 1].offset + sites[count - 1].size;
    size_t first = 0, end;
    while (first < b->list.count && b->list.lines[first].offset < sites[0].offset)
        first++;
    for (end = first; end < b->list.count && b->list.lines[end].offset < stop; end++)
        continue;
    for (size_t i = first; i < end; i++) {
        const listed *l = &b->list.lines[i];
        char text[110];
        if (is_target(b, first, end, l->offset)) {
            snprintf(text, sizeof text, "L%x:", (unsigned)l->offset);
            add_line(c, text);
        }
        snprintf(text, sizeof text, "%s", l->text);
        respell(text, sizeof text);
        if (is_branch(l->text)) {
            const size_t length = (size_t)(target_in(l->text) - l->text);
            snprintf(text + length, sizeof text - length, "L%lx",
                     strtoul(l->text + length, NULL, 16));
        }
        add_line(c, text);
    }
}

/* The test, but for its condition. */
static void write_test(const book *b, const col_program *program, const isa_site *sites,
                       base_text *text) {
    static column columns[8];
    uint32_t rows = 0;
    assert_true(program->thread_count <= 8);
    text->length = 0;
    base_text_print(text, "%s test\n{ uint64_t m[%u];", b->d->name,
                    (unsigned)program->location_count + 1);
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t start = program->thread_start[t], end = program->thread_start[t + 1];
        base_text_print(text, " %u:%s=m;", (unsigned)t, b->d->base);
        for (uint32_t o = start; o < end; o++)
            if (sites[o].reg != ISA_NONE)
                base_text_print(text, " uint64_t %u:%s;", (unsigned)t,
                                register_name(b, sites[o].reg));
        fill_column(b, sites + start, end - start, &columns[t]);
        rows = columns[t].count > rows ? columns[t].count : rows;
    }
    base_text_add(text, " }\n");
    for (uint32_t t = 0; t < program->thread_count; t++)
        base_text_print(text, " P%u %s", (unsigned)t, t + 1 < program->thread_count ? "|" : ";\n");
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t t = 0; t < program->thread_count; t++)
            base_text_print(text, " %s %s", row < columns[t].count ? columns[t].lines[row] : "",
                            t + 1 < program->thread_count ? "|" : ";\n");
}

static void judge_text(lit_judge *judge, const base_text *text, lit_test *test,
                       lit_outcomes *outcomes) {
    col_problem problem;
    bool is_complete = false;
    if (lit_test_read(test, text->data, text->length, "code", &problem) != COL_OK ||
        lit_judge_test(judge, test, 60, outcomes, &is_complete, &problem) != COL_OK)
        fail_msg("%u:%u: %s\n%s", problem.line, problem.column, problem.message, text->data);
    assert_true(is_complete);
}

/* ---- The programs of tests/data/litmus. */

/* False: the outcome speaks of what a write replaced. */
static bool write_condition(const book *b, const litmus *test, const isa_site *sites,
                            base_text *text) {
    base_text_add(text, "exists (");
    for (uint32_t i = 0; i < test->count; i++) {
        const condition *c = &test->conditions[i];
        if (c->replaced)
            return false;
        base_text_print(text, "%s%u:%s=%llu", i > 0 ? " /\\ " : "",
                        (unsigned)col_program_thread_of(&test->program, c->operation),
                        register_name(b, sites[c->operation].reg), (unsigned long long)c->word);
    }
    base_text_add(text, ")\n");
    return test->count > 0;
}

typedef struct counts {
    uint32_t judged, allowed, stricter;
} counts;

static void judge_litmus(book *b, lit_judge *judge, const litmus *test, const isa_site *sites,
                         counts *n) {
    base_text text = {0};
    lit_test read = {0};
    lit_outcomes outcomes = {0};
    write_test(b, &test->program, sites, &text);
    if (write_condition(b, test, sites, &text)) {
        judge_text(judge, &text, &read, &outcomes);
        const bool is_allowed = test->verdicts[b->d->oracle];
        if (outcomes.holds > 0 && !is_allowed)
            fail_msg("%s: the code of %s does what its program may not\n%s", b->target->name,
                     test->name, text.data);
        n->judged++;
        n->allowed += is_allowed;
        n->stricter += outcomes.holds == 0 && is_allowed;
    }
    lit_outcomes_free(&outcomes);
    lit_test_free(&read);
    base_text_free(&text);
}

static void open_book(book *b, const dialect *d) {
    *b = (book){.d = d, .target = isa_find(d->target)};
    want_gnu(b->target);
}

static void close_book(book *b) {
    free(b->list.lines);
    isa_code_free(&b->code);
}

static void run_litmus(const dialect *d, litmus *tests, size_t count) {
    book b;
    lit_judge *judge;
    col_problem problem;
    counts n = {0};
    open_book(&b, d);
    for (size_t i = 0; i < count; i++)
        add_program(&b, &tests[i].program);
    b.list = disassemble(b.target, &b.code);
    assert_int_equal(lit_judge_new(&judge, d->model, NULL, &problem), COL_OK);
    const isa_site *sites = b.code.sites;
    if (sites == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        if (!is_hard(d, &tests[i].program))
            judge_litmus(&b, judge, &tests[i], sites, &n);
        sites += col_program_operations(&tests[i].program);
    }
    print_message("%s%s: %u litmus tests, %u allowed to programs, %u of these not to code\n",
                  d->target, d->exclusives ? " with exclusives" : "", n.judged, n.allowed,
                  n.stricter);
    assert_true(n.judged > 200);
    lit_judge_free(judge);
    close_book(&b);
}

TEST(code_of_litmus_tests_keeps_their_verdicts) {
    glob_t paths;
    col_problem problem;
    assert_int_equal(litmus_list(&paths, &problem), COL_OK);
    litmus *tests = calloc(paths.gl_pathc, sizeof *tests);
    if (tests == NULL)
        abort();
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        assert_int_equal(litmus_read(paths.gl_pathv[i], &tests[i], &problem), COL_OK);
        prepare(&tests[i].program);
    }
    for (int d = 0; d < DIALECTS; d++)
        run_litmus(&dialects[d], tests, paths.gl_pathc);
    for (size_t i = 0; i < paths.gl_pathc; i++)
        litmus_free(&tests[i]);
    free(tests);
    globfree(&paths);
}

/* ---- Random programs: everything that their code may do. */

enum { MOST_SAMPLES = 1500 };

/* The words that the reads of a state returned. */
static uint32_t read_state(const book *b, const col_program *program, const isa_site *sites,
                           const char *state, condition *conditions) {
    uint32_t count = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        char name[24];
        if (sites[o].reg == ISA_NONE)
            continue;
        snprintf(name, sizeof name, "%u:%s=", (unsigned)col_program_thread_of(program, o),
                 register_name(b, sites[o].reg));
        const char *at = strstr(state, name);
        assert_non_null(at);
        conditions[count++] =
            (condition){.operation = o, .word = strtoull(at + strlen(name), NULL, 10)};
    }
    return count;
}

static uint32_t judge_random(const book *b, lit_judge *judge, const col_program *program,
                             const isa_site *sites) {
    base_text text = {0}, state = {0};
    lit_test read = {0};
    lit_outcomes outcomes = {0};
    const char *before = "locations [";
    write_test(b, program, sites, &text);
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (sites[o].reg != ISA_NONE) {
            base_text_print(&text, "%s%u:%s;", before, (unsigned)col_program_thread_of(program, o),
                            register_name(b, sites[o].reg));
            before = " ";
        }
    base_text_print(&text, "%s\nexists (m[0]=0)\n", *before == ' ' ? "]" : "");
    judge_text(judge, &text, &read, &outcomes);
    for (size_t i = 0; i < outcomes.count; i++) {
        condition conditions[ORACLE_OPERATIONS];
        state.length = 0;
        lit_write_state(&state, &read, outcomes.states[i].values);
        const uint32_t count = read_state(b, program, sites, state.data, conditions);
        if (!oracle_reaches(b->d->oracle, program, conditions, count))
            fail_msg("%s: code does what its program may not: %s\n%s", b->target->name, state.data,
                     text.data);
    }
    const uint32_t judged = (uint32_t)outcomes.count;
    lit_outcomes_free(&outcomes);
    lit_test_free(&read);
    base_text_free(&text);
    base_text_free(&state);
    return judged;
}

static void run_random(const dialect *d) {
    static col_program programs[MOST_SAMPLES];
    const uint32_t count = sample_count(d);
    const mixture mixtures[] = {
        {.threads = 3, .operations = 7, .locations = 2, .packed = true},
        {.threads = 2, .operations = 6, .locations = 2, .packed = true, .attributed = true},
        {.threads = 3, .operations = 6, .locations = 2, .packed = true, .atomic = true},
    };
    book b;
    base_rng rng;
    lit_judge *judge;
    uint32_t judged = 0;
    col_problem problem;
    open_book(&b, d);
    base_rng_seed(&rng, 5, 0);
    for (uint32_t i = 0; i < count; i++) {
        random_program(&rng, &mixtures[i % 3], &programs[i]);
        prepare(&programs[i]);
        add_program(&b, &programs[i]);
    }
    b.list = disassemble(b.target, &b.code);
    assert_int_equal(lit_judge_new(&judge, d->model, NULL, &problem), COL_OK);
    const isa_site *sites = b.code.sites;
    if (sites == NULL)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        if (!is_hard(d, &programs[i]))
            judged += judge_random(&b, judge, &programs[i], sites);
        sites += col_program_operations(&programs[i]);
        col_program_free(&programs[i]);
    }
    print_message("%s%s: %u outcomes of at most %u programs\n", d->target,
                  d->exclusives ? " with exclusives" : "", judged, count);
    lit_judge_free(judge);
    close_book(&b);
}

TEST(code_of_random_programs_does_what_they_may) {
    for (int d = 0; d < DIALECTS; d++)
        run_random(&dialects[d]);
}
