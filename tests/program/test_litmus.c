/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests that we write. An interpreter of the three instruction sets, which knows nothing of
 * how they were written, runs the threads one after the other: what the program does in this order
 * must fulfil the condition, and anything else must not. herd7 judged the templates
 * (docs/litmus.md); the files of tests/data/litmus-out are among those that it read.
 */
#include "base/file.h"
#include "program/litmus_writer.h"
#include "random_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum {
    OPERATIONS = 128,
    LOCATIONS = 16,
    CELLS = 512,
    NAMES = 512,
    TOKENS = 6,
    TOKEN = 24,
    NAME = 48
};

/* ---- What the program does, thread by thread. */

typedef struct run {
    uint64_t words[OPERATIONS], finals[LOCATIONS];
    bool has_word[OPERATIONS], has_final[LOCATIONS];
} run;

/* False if an await waits for what does not come. */
static bool run_program(const col_program *program, bool adds_return, run *r) {
    *r = (run){0};
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const col_operation *operation = &program->operations[o];
        const col_kind_traits *traits = &col_kinds[operation->kind];
        if (!traits->located || operation->kind == COL_FLUSH || operation->kind == COL_FETCH)
            continue;
        uint64_t *word = &r->finals[operation->location];
        r->has_final[operation->location] = true;
        r->words[o] = *word;
        r->has_word[o] = traits->reads && (adds_return || operation->kind != COL_ADD);
        if (operation->kind == COL_AWAIT && *word != operation->value)
            return false;
        if (operation->kind == COL_ADD)
            *word += col_program_operand(program, operation);
        else if (traits->writes)
            *word = col_program_operand(program, operation);
    }
    return true;
}

/* ---- The interpreter. */

typedef struct machine {
    char names[NAMES][NAME]; /* of registers, as 0:x5, and of locations */
    uint64_t values[NAMES];
    uint32_t count;
    uint64_t different; /* of the last comparison */
    char cells[CELLS][64];
    uint32_t cell_count;
    uint32_t thread;
} machine;

static uint64_t *value_of(machine *m, const char *name) {
    uint32_t n = 0;
    while (n < m->count && strcmp(m->names[n], name) != 0)
        n++;
    if (n == m->count) {
        assert_true(m->count++ < NAMES);
        (void)snprintf(m->names[n], NAME, "%s", name);
        m->values[n] = 0;
    }
    return &m->values[n];
}

static bool is_number(const char *token) {
    return token[0] >= '0' && token[0] <= '9';
}

static uint64_t *reg(machine *m, const char *token) {
    char name[NAME];
    (void)snprintf(name, sizeof name, "%u:%s", m->thread, token);
    return value_of(m, name);
}

/* Register or number. */
static uint64_t operand(machine *m, const char *token) {
    return is_number(token) ? strtoull(token, NULL, 10) : *reg(m, token);
}

/* The word at an address: the name of a location, or a register with its number. */
static uint64_t *memory(machine *m, const char *token) {
    const bool is_register = strspn(token, "xX") == 1 && is_number(token + 1);
    if (!is_register)
        return value_of(m, token);
    const uint64_t place = *reg(m, token) - 1000000;
    assert_true(place < m->count);
    return &m->values[place];
}

static void exchange(machine *m, const char *into, const char *brought, const char *address,
                     bool adds) {
    uint64_t *word = memory(m, address);
    const uint64_t old = *word, new = operand(m, brought);
    *word = adds ? old + new : new;
    *reg(m, into) = old;
}

static bool starts(const char *token, const char *prefix) {
    return strncmp(token, prefix, strlen(prefix)) == 0;
}

static bool access_memory(machine *m, char t[TOKENS][TOKEN]) {
    if (starts(t[0], "lr.") || starts(t[0], "LD") ? !starts(t[0], "LDADD") : false)
        *reg(m, t[1]) = *memory(m, t[2]);
    else if (strcmp(t[0], "ld") == 0)
        *reg(m, t[1]) = *memory(m, t[3]);
    else if (starts(t[0], "sd"))
        *memory(m, t[3]) = *reg(m, t[1]);
    else if (starts(t[0], "ST"))
        *memory(m, t[2]) = *reg(m, t[1]);
    else if (starts(t[0], "amo"))
        exchange(m, strcmp(t[1], "x0") == 0 ? "nowhere" : t[1], t[2], t[3], starts(t[0], "amoadd"));
    else if (starts(t[0], "SWP") || starts(t[0], "LDADD"))
        exchange(m, t[2], t[1], t[3], starts(t[0], "LDADD"));
    else if (strcmp(t[0], "xchgq") == 0)
        exchange(m, t[1], t[1], t[2], false);
    else if (strcmp(t[0], "lock") == 0)
        *memory(m, t[3]) += operand(m, t[2]);
    else if (strcmp(t[0], "movq") == 0) {
        /* Moves of x86 go by what stands on both sides. */
        const char *from = t[1];
        const char *to = t[2];
        const uint64_t word =
            is_number(from) || from[0] == 'r' ? operand(m, from) : *memory(m, from);
        *(to[0] == 'r' ? reg(m, to) : memory(m, to)) = word;
    } else
        return false;
    return true;
}

static bool compute(machine *m, char t[TOKENS][TOKEN]) {
    if (strcmp(t[0], "li") == 0 || strcmp(t[0], "MOV") == 0)
        *reg(m, t[1]) = operand(m, t[2]);
    else if (strcmp(t[0], "xor") == 0 || strcmp(t[0], "EOR") == 0)
        *reg(m, t[1]) = *reg(m, t[2]) ^ *reg(m, t[3]);
    else if (strcmp(t[0], "add") == 0 || strcmp(t[0], "ADD") == 0)
        *reg(m, t[1]) = *reg(m, t[2]) + *reg(m, t[3]);
    else if (strcmp(t[0], "CMP") == 0 || strcmp(t[0], "cmpq") == 0)
        m->different = operand(m, t[1]) ^ operand(m, t[2]);
    else
        return starts(t[0], "fence") || strcmp(t[0], "DMB") == 0 || strcmp(t[0], "mfence") == 0 ||
               strcmp(t[0], "DC") == 0 || strcmp(t[0], "clflush") == 0;
    return true;
}

/* The label to go to, or NULL. */
static const char *branch(machine *m, char t[TOKENS][TOKEN], bool *is_branch) {
    *is_branch = true;
    if (strcmp(t[0], "bne") == 0)
        return *reg(m, t[1]) != *reg(m, t[2]) ? t[3] : NULL;
    if (strcmp(t[0], "CBNZ") == 0)
        return *reg(m, t[1]) != 0 ? t[2] : NULL;
    if (strcmp(t[0], "B.NE") == 0 || strcmp(t[0], "jne") == 0)
        return m->different != 0 ? t[1] : NULL;
    *is_branch = false;
    return NULL;
}

static uint32_t tokenize(const char *cell, char tokens[TOKENS][TOKEN]) {
    char copy[64];
    uint32_t count = 0;
    memset(tokens, 0, (size_t)TOKENS * TOKEN);
    (void)snprintf(copy, sizeof copy, "%s", cell);
    for (char *t = strtok(copy, " ,()[]#%$"); t != NULL; t = strtok(NULL, " ,()[]#%$")) {
        assert_true(count < TOKENS);
        (void)snprintf(tokens[count++], TOKEN, "%s", t);
    }
    return count;
}

/* A branch goes forward to its label, since the loops of awaits that are served run once. */
static void run_cells(machine *m) {
    char tokens[TOKENS][TOKEN], sought[TOKEN] = "";
    for (uint32_t c = 0; c < m->cell_count; c++) {
        if (tokenize(m->cells[c], tokens) == 0)
            continue;
        const size_t length = strlen(tokens[0]);
        if (tokens[0][length - 1] == ':') {
            tokens[0][length - 1] = '\0';
            if (strcmp(tokens[0], sought) == 0)
                sought[0] = '\0';
            continue;
        }
        bool is_branch;
        assert_string_equal(sought, ""); /* nothing stands between a branch and its label */
        const char *label = branch(m, tokens, &is_branch);
        if (label != NULL)
            (void)snprintf(sought, sizeof sought, "%s", label);
        else if (!is_branch && !access_memory(m, tokens) && !compute(m, tokens))
            fail_msg("unknown instruction: %s", m->cells[c]);
    }
    assert_string_equal(sought, "");
}

/* Copies column `column` of the lines behind the heads; returns whether there is such a column. */
static bool take_column(machine *m, const char *code, uint32_t column) {
    m->cell_count = 0;
    bool exists = false;
    for (const char *line = code; *line == ' '; line = strchr(line, '\n') + 1) {
        const char *cell = line;
        for (uint32_t c = 0; c < column && cell != NULL; c++) {
            cell += strcspn(cell, "|;\n");
            cell = *cell == '|' ? cell + 1 : NULL;
        }
        if (cell == NULL)
            return false;
        exists = true;
        assert_true(m->cell_count < CELLS);
        (void)snprintf(m->cells[m->cell_count++], 64, "%.*s", (int)strcspn(cell, "|;\n"), cell);
    }
    return exists;
}

/* ` uint64_t x; uint64_t 0:x5; 0:x6=x; uint64_t 0:x7=5;` */
static void take_initial(machine *m, const char *from, const char *to) {
    char text[8192];
    assert_true((size_t)(to - from) < sizeof text);
    (void)snprintf(text, sizeof text, "%.*s", (int)(to - from), from);
    for (char *item = strtok(text, ";\n"); item != NULL; item = strtok(NULL, ";\n")) {
        char *name = item + strspn(item, " ");
        name += starts(name, "uint64_t ") ? strlen("uint64_t ") : 0;
        char *equals = strchr(name, '=');
        if (equals != NULL)
            *equals++ = '\0';
        uint64_t *value = value_of(m, name);
        if (equals != NULL && is_number(equals))
            *value = strtoull(equals, NULL, 10);
        else if (equals != NULL)
            *value = 1000000 + (uint64_t)(value_of(m, equals) - m->values);
    }
}

static bool condition_holds(machine *m, const char *condition) {
    char text[8192];
    bool holds = true;
    (void)snprintf(text, sizeof text, "%s", condition);
    for (char *term = strtok(text, " ()/\\\n"); term != NULL; term = strtok(NULL, " ()/\\\n")) {
        char *equals = strchr(term, '=');
        if (equals == NULL)
            continue; /* exists, true */
        *equals = '\0';
        if (term[0] == '[') {
            term++;
            term[strlen(term) - 1] = '\0';
        }
        const uint32_t known = m->count;
        holds &= *value_of(m, term) == strtoull(equals + 1, NULL, 10);
        assert_int_equal(m->count, known); /* it was declared */
    }
    return holds;
}

/* Runs a litmus test, thread by thread: does its condition hold? */
static bool fulfils(const char *text) {
    static machine m;
    memset(&m, 0, sizeof m);
    const char *open = strstr(text, "\n{\n"), *close = strstr(text, "\n}\n");
    const char *condition = strstr(text, "\nexists (");
    assert_true(open != NULL && close != NULL && condition != NULL);
    take_initial(&m, open + 3, close + 1);
    const char *code = strchr(close + 3, '\n') + 1; /* behind the heads */
    for (m.thread = 0; take_column(&m, code, m.thread); m.thread++)
        run_cells(&m);
    return condition_holds(&m, condition + 1);
}

/* ---- Tests. */

static prg_litmus describe(const run *r) {
    return (prg_litmus){.name = "test",
                        .words = r->words,
                        .has_word = r->has_word,
                        .finals = r->finals,
                        .has_final = r->has_final};
}

/* Another word in the condition: in the lower or in the upper half. */
static bool change_one(base_rng *rng, const col_program *program, run *r) {
    const uint64_t difference = random_between(rng, 0, 1) == 0 ? 1 : UINT64_C(1) << 32;
    const uint32_t count = col_program_operations(program);
    const uint32_t first = random_between(rng, 0, count - 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t o = (first + i) % count;
        if (!r->has_word[o])
            continue;
        r->words[o] ^= difference;
        return true;
    }
    return false;
}

static void write_and_run(base_rng *rng, const col_program *program, prg_isa isa, run *r,
                          uint32_t *written) {
    base_text text = {0};
    col_problem problem;
    prg_litmus about = describe(r);
    const col_status status = prg_litmus_write(program, isa, &about, &text, &problem);
    if (status == COL_OK) {
        (*written)++;
        assert_null(strchr(text.data, '@'));
        if (!fulfils(text.data))
            fail_msg("not fulfilled:\n%s", text.data);
        text.length = 0;
        if (change_one(rng, program, r) &&
            prg_litmus_write(program, isa, &about, &text, &problem) == COL_OK && fulfils(text.data))
            fail_msg("fulfilled:\n%s", text.data);
    } else {
        assert_int_equal(status, COL_BAD_INPUT);
        assert_true(strstr(problem.message, "too large") != NULL ||
                    strstr(problem.message, "registers") != NULL ||
                    strstr(problem.message, "DMA") != NULL ||
                    strstr(problem.message, "conditional") != NULL);
    }
    base_text_free(&text);
}

TEST(conditions_hold_where_they_should) {
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t written[PRG_ISA_COUNT] = {0};
    for (uint64_t test = 0; test < 4000; test++) {
        base_rng rng;
        run r;
        base_rng_seed(&rng, 8, test);
        random_program(&rng, &program);
        if (col_program_operations(&program) == 0)
            continue;
        for (prg_isa isa = 0; isa < PRG_ISA_COUNT; isa++)
            if (run_program(&program, isa != PRG_X86_64, &r))
                write_and_run(&rng, &program, isa, &r, &written[isa]);
    }
    for (prg_isa isa = 0; isa < PRG_ISA_COUNT; isa++)
        assert_true(written[isa] > 300);
    col_program_free(&program);
}

static void parse(col_program *program, const char *text) {
    col_problem problem;
    if (col_program_read(program, text, strlen(text), "text", &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

TEST(what_cannot_be_said_is_refused) {
    col_program program = COL_PROGRAM_EMPTY;
    base_text text = {0};
    col_problem problem;
    run r;
    parse(&program, "collider program 1\nlocation a0 0x40\nthread 0\n add a0 1\nend\n");
    assert_true(run_program(&program, true, &r));
    prg_litmus about = describe(&r);
    assert_int_equal(prg_litmus_write(&program, PRG_X86_64, &about, &text, &problem),
                     COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "adds and returns"));
    assert_int_equal(prg_litmus_write(&program, PRG_RISCV, &about, &text, &problem), COL_OK);
    about.name = "a b";
    assert_int_equal(prg_litmus_write(&program, PRG_RISCV, &about, &text, &problem), COL_BAD_INPUT);
    about.name = "a";
    r.words[0] = UINT64_MAX;
    assert_int_equal(prg_litmus_write(&program, PRG_RISCV, &about, &text, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "too large"));
    base_text_free(&text);
    col_program_free(&program);
}

TEST(registers_run_out) {
    col_program program = COL_PROGRAM_EMPTY;
    const uint32_t length = 40;
    base_text text = {0};
    col_problem problem;
    assert_int_equal(col_program_shape(&program, 1, &length, 1, &problem), COL_OK);
    const prg_litmus about = {.name = "loads"};
    for (prg_isa isa = 0; isa < PRG_ISA_COUNT; isa++) {
        assert_int_equal(prg_litmus_write(&program, isa, &about, &text, &problem), COL_BAD_INPUT);
        assert_non_null(strstr(problem.message, "registers"));
    }
    assert_int_equal(text.length, 0);
    base_text_free(&text);
    col_program_free(&program);
}

TEST(text_cannot_end_a_comment_early) {
    col_program program = COL_PROGRAM_EMPTY;
    base_text text = {0};
    col_problem problem;
    parse(&program, "collider program 1\nlocation a0 0x40\nthread 0\n load a0\nend\n");
    const prg_litmus about = {.name = "a", .comment = "end *) \"and\n(* begin", .forbidden = true};
    assert_int_equal(prg_litmus_write(&program, PRG_X86_64, &about, &text, &problem), COL_OK);
    assert_string_equal(text.data,
                        "X86_64 a\n(*\n   end ') 'and\n   (' begin\n"
                        "   The memory model of this instruction set forbids the condition.\n*)\n"
                        "{\n uint64_t x; uint64_t 0:rax;\n}\n"
                        " P0            ;\n movq (x),%rax ;\nexists (true)\n");
    base_text_free(&text);
    col_program_free(&program);
}

/* Every operation in every instruction set, as herd7 has read them. */
TEST(files_are_as_expected) {
    static const char *const names[] = {"accesses", "fences", "dependencies"};
    col_program program = COL_PROGRAM_EMPTY;
    base_text text = {0}, expected = {0};
    col_problem problem;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        char path[512];
        run r;
        (void)snprintf(path, sizeof path, TEST_DATA "/litmus-out/%s.txt", names[n]);
        assert_int_equal(col_program_read_file(&program, path, &problem), COL_OK);
        for (prg_isa isa = 0; isa < PRG_ISA_COUNT; isa++) {
            assert_true(run_program(&program, isa != PRG_X86_64, &r));
            prg_litmus about = describe(&r);
            about.name = names[n];
            (void)snprintf(path, sizeof path, TEST_DATA "/litmus-out/%s.%s.litmus", names[n],
                           prg_isa_words[isa]);
            text.length = expected.length = 0;
            assert_int_equal(prg_litmus_write(&program, isa, &about, &text, &problem), COL_OK);
            if (getenv("COLLIDER_WRITE_EXPECTED") != NULL)
                (void)base_file_write(path, text.data, text.length, &problem);
            assert_int_equal(base_file_read(path, &expected, &problem), COL_OK);
            assert_string_equal(text.data, expected.data);
        }
    }
    base_text_free(&text);
    base_text_free(&expected);
    col_program_free(&program);
}
