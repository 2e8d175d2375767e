/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Reading traces: texts in tests/data/trace say in comments what should come of them, those in
 * tests/data/trace-bad what is wrong and where; random texts are compared with what they were made
 * from; and a pipe gives its traces as they come.
 */
#include "base/random.h"
#include "judge/trace/trace.h"
#include "texts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Good texts. */

static void print_source(const col_trace *trace, uint32_t source, base_text *text) {
    if (source == COL_INITIAL)
        base_text_add(text, " the start");
    else if (source == COL_NEVER_STORED)
        base_text_add(text, " nowhere");
    else if (source == COL_UNFINISHED)
        base_text_add(text, " what is not known");
    else
        base_text_print(text, " line %u", trace->line[source]);
}

static void print_times(const col_trace *trace, uint32_t o, base_text *text) {
    if (trace->begin == NULL || (trace->begin[o] == COL_NO_TIME && trace->end[o] == COL_NO_TIME))
        return;
    base_text_add(text, " @");
    if (trace->begin[o] != COL_NO_TIME)
        base_text_print(text, " %lld", (long long)trace->begin[o]);
    base_text_add(text, " :");
    if (trace->end[o] != COL_NO_TIME)
        base_text_print(text, " %lld", (long long)trace->end[o]);
}

static void print_operation(const col_trace *trace, uint32_t o, base_text *text) {
    char words[128];
    chk_trace_describe(trace, o, words, sizeof words);
    base_text_print(text, "%u %s", trace->line[o], words);
    if (col_kinds[trace->program.operations[o].kind].reads) {
        base_text_add(text, " from");
        print_source(trace, trace->source[o], text);
    }
    if (trace->replaced != NULL && trace->replaced[o] != COL_NOT_SAID) {
        base_text_add(text, " after");
        print_source(trace, trace->replaced[o], text);
    }
    print_times(trace, o, text);
    base_text_add(text, "\n");
}

static void print_trace(const col_trace *trace, base_text *text) {
    const col_program *program = &trace->program;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        base_text_print(text, "thread %llu\n", (unsigned long long)trace->thread_names[t]);
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++)
            print_operation(trace, o, text);
    }
    for (uint32_t l = 0; l < program->location_count && trace->final != NULL; l++) {
        if (trace->final[l] == COL_NOT_SAID)
            continue;
        base_text_print(text, "M[%llu] ends ", (unsigned long long)trace->location_names[l]);
        base_text_add(text, "with");
        print_source(trace, trace->final[l], text);
        base_text_add(text, "\n");
    }
}

/* The lines behind "#= ". */
static void find_expected(const base_text *text, base_text *expected) {
    for (const char *line = text->data; *line != '\0';) {
        const size_t length = strcspn(line, "\n"), shown = strcspn(line, "\r\n");
        if (strncmp(line, "#= ", 3) == 0) {
            base_text_add_bytes(expected, line + 3, shown - 3);
            base_text_add(expected, "\n");
        }
        line += length + (line[length] == '\n');
    }
}

/* The program keeps its promises, and its values are 1, 2, ... */
static void check_program(const char *name, const col_trace *trace) {
    col_problem problem;
    uint32_t value = 0;
    if (col_program_check(&trace->program, &problem) != COL_OK)
        fail_msg("%s: %s", name, problem.message);
    for (uint32_t o = 0; o < col_program_operations(&trace->program); o++)
        if (col_kinds[trace->program.operations[o].kind].writes)
            assert_int_equal(trace->program.operations[o].value, ++value);
    assert_null(trace->events);
}

static void reads_as_expected(const char *name, const base_text *text) {
    col_trace trace = COL_TRACE_EMPTY;
    base_text expected = {0}, got = {0};
    col_problem problem;
    char sentence[1024];
    if (col_trace_read(&trace, text->data, text->length, name, &problem) != COL_OK)
        fail_msg("%s", col_problem_text(&problem, sentence, sizeof sentence));
    check_program(name, &trace);
    find_expected(text, &expected);
    print_trace(&trace, &got);
    if (strcmp(expected.length > 0 ? expected.data : "", got.length > 0 ? got.data : "") != 0)
        fail_msg("%s: got\n%s", name, got.length > 0 ? got.data : "nothing");
    base_text_free(&expected);
    base_text_free(&got);
    col_trace_free(&trace);
}

TEST(good_texts_are_read) {
    assert_true(for_each_text("trace", ".axe", reads_as_expected) >= 14);
}

/* ---- Bad texts. */

static void refuses_as_expected(const char *name, const base_text *text) {
    static const char mark[] = "# expect ";
    col_trace trace = COL_TRACE_EMPTY;
    col_problem problem;
    char got[1024], expected[1024];
    const size_t first_line = strcspn(text->data, "\n");
    assert_memory_equal(text->data, mark, sizeof mark - 1);
    (void)snprintf(expected, sizeof expected, "%s:%.*s", name,
                   (int)(first_line - (sizeof mark - 1)), text->data + sizeof mark - 1);
    assert_int_equal(col_trace_read(&trace, text->data, text->length, name, &problem),
                     COL_BAD_INPUT);
    assert_string_equal(col_problem_text(&problem, got, sizeof got), expected);
    assert_int_equal(col_program_operations(&trace.program), 0);
    assert_true(trace.begin == NULL && trace.final == NULL);
    col_trace_free(&trace);
}

TEST(bad_texts_are_refused_at_their_mistake) {
    assert_true(for_each_text("trace-bad", ".axe", refuses_as_expected) >= 105);
}

/* ---- Random texts. */

enum { MOST_LINES = 60, MOST_NAMES = 6, VALUES = 8 };

/* What a line was made from. */
typedef struct made {
    uint8_t kind;
    uint64_t thread, address, read, written;
    int64_t begin, end;
} made;

typedef struct maker {
    base_rng rng;
    uint64_t threads[MOST_NAMES], addresses[MOST_NAMES];
    bool stored[MOST_NAMES][VALUES];
    made lines[MOST_LINES];
    uint32_t count;
    int64_t clocks[MOST_NAMES];
    base_text text;
} maker;

static bool toss(maker *m, uint32_t one_in) {
    return base_rng_below(&m->rng, one_in) == 0;
}

static uint64_t any_name(maker *m) {
    const uint64_t wide = base_rng_next(&m->rng);
    return toss(m, 2) ? base_rng_below(&m->rng, 20) : wide >> base_rng_below(&m->rng, 64);
}

static void space(maker *m) {
    static const char *const spaces[] = {"", " ", "  ", "\t", " \r "};
    base_text_add(&m->text, spaces[base_rng_below(&m->rng, 5)]);
}

static void write_number(maker *m, uint64_t number) {
    space(m);
    base_text_print(&m->text, toss(m, 3) ? "0x%llx" : "%llu", (unsigned long long)number);
}

static void write_address(maker *m, uint64_t address) {
    space(m);
    if (toss(m, 3)) {
        base_text_print(&m->text, "v%llu", (unsigned long long)address);
        return;
    }
    base_text_add(&m->text, "M[");
    write_number(m, address);
    space(m);
    base_text_add(&m->text, "]");
}

static void write_access(maker *m, uint64_t at, const char *sign, uint64_t value) {
    write_address(m, at);
    space(m);
    base_text_add(&m->text, sign);
    write_number(m, value);
    space(m);
}

static void write_times(maker *m, const made *line) {
    if (line->begin == COL_NO_TIME && line->end == COL_NO_TIME)
        return;
    base_text_add(&m->text, "@");
    if (line->begin != COL_NO_TIME)
        write_number(m, (uint64_t)line->begin);
    if (line->end == COL_NO_TIME && toss(m, 2))
        return;
    space(m);
    base_text_add(&m->text, ":");
    if (line->end != COL_NO_TIME)
        write_number(m, (uint64_t)line->end);
}

static void write_line(maker *m, const made *line) {
    const bool older = toss(m, 2);
    write_number(m, line->thread);
    space(m);
    base_text_add(&m->text, ":");
    space(m);
    if (line->kind == COL_FENCE) {
        base_text_add(&m->text, "sync");
    } else if (line->kind == COL_SWAP) {
        base_text_add(&m->text, older ? "<" : "{");
        write_access(m, line->address, "==", line->read);
        base_text_add(&m->text, ";");
        write_access(m, line->address, ":=", line->written);
        base_text_add(&m->text, older ? ">" : "}");
    } else {
        write_access(m, line->address, line->kind == COL_LOAD ? "==" : ":=",
                     line->kind == COL_LOAD ? line->read : line->written);
    }
    write_times(m, line);
    space(m);
    base_text_add(&m->text, toss(m, 4) ? "# check\n" : "\n");
    while (toss(m, 5))
        base_text_add(&m->text, "\n \t# 0: M[0] == 99\n");
}

/* A value that no store of the address has had. */
static bool new_value(maker *m, uint32_t at, uint64_t *value) {
    *value = 1 + base_rng_below(&m->rng, VALUES - 1);
    const bool fresh = !m->stored[at][*value];
    m->stored[at][*value] = true;
    return fresh;
}

static void make_line(maker *m) {
    static const uint8_t kinds[] = {COL_LOAD, COL_STORE, COL_SWAP, COL_FENCE, COL_LOAD};
    const uint32_t thread = (uint32_t)base_rng_below(&m->rng, MOST_NAMES);
    const uint32_t at = (uint32_t)base_rng_below(&m->rng, MOST_NAMES);
    made line = {.kind = kinds[base_rng_below(&m->rng, 5)],
                 .thread = m->threads[thread],
                 .begin = COL_NO_TIME,
                 .end = COL_NO_TIME};
    const bool writes = col_kinds[line.kind].writes;
    if (writes && !new_value(m, at, &line.written))
        return;
    if (line.kind != COL_FENCE)
        line.address = m->addresses[at];
    if (toss(m, 3))
        line.begin = m->clocks[thread] += (int64_t)base_rng_below(&m->rng, 5);
    if (line.kind != COL_STORE && toss(m, 3))
        line.end = m->clocks[thread] + (int64_t)base_rng_below(&m->rng, 9);
    m->lines[m->count++] = line;
}

/* Reads take words that are stored anywhere in the trace, or 0. */
static void make_reads(maker *m) {
    for (uint32_t i = 0; i < m->count; i++) {
        const made *source = &m->lines[base_rng_below(&m->rng, m->count)];
        if (col_kinds[m->lines[i].kind].reads && col_kinds[source->kind].writes &&
            source->address == m->lines[i].address)
            m->lines[i].read = source->written;
    }
}

static void make_text(maker *m) {
    for (uint32_t i = 0; i < MOST_NAMES; i++) {
        m->threads[i] = any_name(m);
        m->addresses[i] = any_name(m);
    }
    for (uint32_t i = 0; i < MOST_NAMES; i++) /* names may be alike; what they stand for may not */
        for (uint32_t j = 0; j < i; j++)
            if (m->threads[i] == m->threads[j] || m->addresses[i] == m->addresses[j]) {
                m->threads[i] = UINT64_MAX - i;
                m->addresses[i] = UINT64_MAX - i;
            }
    for (uint32_t i = 0; i < MOST_LINES; i++)
        make_line(m);
    make_reads(m);
    for (uint32_t i = 0; i < m->count; i++)
        write_line(m, &m->lines[i]);
}

/* The made line that the operation should be: the n-th of its thread. */
static const made *line_of(const maker *m, uint64_t thread, uint32_t place) {
    for (uint32_t i = 0; i < m->count; i++)
        if (m->lines[i].thread == thread && place-- == 0)
            return &m->lines[i];
    return NULL;
}

static void compare_operation(const col_trace *trace, uint32_t o, const made *line) {
    const col_operation *operation = &trace->program.operations[o];
    assert_non_null(line);
    assert_int_equal(operation->kind, line->kind);
    assert_int_equal(trace->read[o], line->read);
    assert_int_equal(trace->written[o], line->written);
    assert_int_equal(trace->begin == NULL ? COL_NO_TIME : trace->begin[o], line->begin);
    assert_int_equal(trace->end == NULL ? COL_NO_TIME : trace->end[o], line->end);
    if (operation->kind == COL_FENCE)
        return;
    assert_int_equal(trace->location_names[operation->location], line->address);
    const uint32_t source = trace->source[o];
    if (line->read == 0) {
        assert_int_equal(source, COL_INITIAL);
        return;
    }
    assert_int_equal(trace->written[source], line->read);
    assert_int_equal(trace->program.operations[source].location, operation->location);
}

TEST(random_texts_are_read_back) {
    col_trace trace = COL_TRACE_EMPTY;
    for (uint64_t test = 0; test < 20000; test++) {
        maker m = {0};
        col_problem problem;
        base_rng_seed(&m.rng, 6, test);
        make_text(&m);
        if (col_trace_read(&trace, m.text.data, m.text.length, "random", &problem) != COL_OK)
            fail_msg("test %llu: line %u: %s\n%s", (unsigned long long)test, problem.line,
                     problem.message, m.text.data);
        check_program("random", &trace);
        assert_int_equal(col_program_operations(&trace.program), m.count);
        for (uint32_t t = 0; t < trace.program.thread_count; t++)
            for (uint32_t o = trace.program.thread_start[t]; o < trace.program.thread_start[t + 1];
                 o++)
                compare_operation(
                    &trace, o,
                    line_of(&m, trace.thread_names[t], o - trace.program.thread_start[t]));
        base_text_free(&m.text);
    }
    col_trace_free(&trace);
}

/* ---- Size. */

TEST(threads_and_addresses_are_read_up_to_the_limit) {
    col_trace trace = COL_TRACE_EMPTY;
    base_text text = {0};
    col_problem problem;
    const uint32_t count = COL_MAX_THREADS;
    for (uint32_t i = 0; i < count; i++)
        base_text_print(&text, "%u: M[%u] := 1\n%u: M[%u] == 1\n", i, i * 8, i,
                        (i + 1) % count * 8);
    assert_int_equal(col_trace_read(&trace, text.data, text.length, "many", &problem), COL_OK);
    assert_int_equal(trace.program.thread_count, count);
    assert_int_equal(trace.program.location_count, count);
    for (uint32_t t = 0; t < count; t++) {
        assert_int_equal(trace.thread_names[t], t);
        assert_int_equal(trace.source[2 * (size_t)t + 1], 2 * ((t + 1) % count));
    }
    base_text_print(&text, "%u: sync\n", count);
    assert_int_equal(col_trace_read(&trace, text.data, text.length, "many", &problem),
                     COL_BAD_INPUT);
    assert_string_equal(problem.message, "a trace has at most 65536 threads");
    assert_int_equal(problem.line, 2 * count + 1);
    base_text_free(&text);
    col_trace_free(&trace);
}

/* ---- Files and pipes. */

/* Standard input becomes a pipe; returns the end to write into. */
static int open_pipe(col_trace_file **file) {
    int ends[2];
    col_problem problem;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(col_trace_open(file, "-", &problem), COL_OK);
    return ends[1];
}

static void say_to(int pipe, const char *text) {
    assert_int_equal(write(pipe, text, strlen(text)), strlen(text));
}

TEST(a_trace_from_a_pipe_is_available_at_its_check) {
    col_trace trace = COL_TRACE_EMPTY;
    col_trace_file *file = NULL;
    col_problem problem;
    bool found;
    const int pipe = open_pipe(&file);
    (void)alarm(60); /* a reader that waits for more would wait for ever */
    say_to(pipe, "# first\n0: M[1] := 1\nche");
    say_to(pipe, "ck\n0: M[2] := 1\n0: M[2] == 1\n check # now\n0: M[3]");
    assert_int_equal(col_trace_next(file, &trace, &found, &problem), COL_OK);
    assert_true(found);
    assert_int_equal(col_program_operations(&trace.program), 1);
    assert_int_equal(col_trace_next(file, &trace, &found, &problem), COL_OK);
    assert_true(found);
    assert_int_equal(col_program_operations(&trace.program), 2);
    assert_int_equal(trace.line[0], 4);
    say_to(pipe, " == 0\ncheck\ncheck\n");
    assert_int_equal(col_trace_next(file, &trace, &found, &problem), COL_OK);
    assert_int_equal(col_program_operations(&trace.program), 1);
    assert_int_equal(trace.line[0], 7);
    assert_int_equal(col_trace_next(file, &trace, &found, &problem), COL_OK);
    assert_true(found);
    assert_int_equal(col_program_operations(&trace.program), 0);
    (void)alarm(0);
    say_to(pipe, "# the rest is a trace too\n0: M[1] =! 1\n");
    assert_int_equal(close(pipe), 0);
    assert_int_equal(col_trace_next(file, &trace, &found, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.file, "standard input");
    assert_int_equal(problem.line, 11);
    assert_int_equal(problem.column, 9);
    col_trace_close(file);
    col_trace_free(&trace);
}

/* What comes of a text as a file: the traces found, or -1 if it is refused. */
static int traces_in(const char *text) {
    col_trace trace = COL_TRACE_EMPTY;
    col_trace_file *file = NULL;
    col_problem problem;
    bool found = true;
    int count = -1;
    const int pipe = open_pipe(&file);
    say_to(pipe, text);
    assert_int_equal(close(pipe), 0);
    col_status status = COL_OK;
    for (; status == COL_OK && found; count++)
        status = col_trace_next(file, &trace, &found, &problem);
    col_trace_close(file);
    col_trace_free(&trace);
    return status == COL_OK ? count : -1;
}

TEST(files_are_split_into_traces) {
    assert_int_equal(traces_in(""), -1);
    assert_int_equal(traces_in("# nothing\n\n"), -1);
    assert_int_equal(traces_in("check"), 1);
    assert_int_equal(traces_in("check\ncheck\n"), 2);
    assert_int_equal(traces_in("0: sync"), 1);
    assert_int_equal(traces_in("0: sync\ncheck\n# a comment is no trace\n\n"), 1);
    assert_int_equal(traces_in("0: sync\ncheck\n0: sync"), 2);
    assert_int_equal(traces_in("0: sync\ncheck\nfinal M[0] == 0"), 2);
    /* A value is unique within its trace. */
    assert_int_equal(traces_in("0: M[0] := 1\ncheck\n0: M[0] := 1\ncheck\n"), 2);
    assert_int_equal(traces_in("0: M[0] := 1\n0: M[0] := 1\ncheck\n"), -1);
    assert_int_equal(traces_in("0: M[0] := 1\ncheck\n0: M[0] == 1\ncheck\n"), 2);
    col_trace_file *file;
    col_problem problem;
    assert_int_equal(col_trace_open(&file, "/nowhere/trace.axe", &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "cannot read /nowhere/trace.axe: "));
    assert_null(file);
}

/* Some editors begin a file with the mark of its encoding; columns count from behind it. */
TEST(a_byte_order_mark_before_a_trace_is_skipped) {
    static const char bad[] = "\xef\xbb\xbf"
                              "0: M 1 := 1\n";
    col_trace trace = COL_TRACE_EMPTY;
    col_problem problem;
    assert_int_equal(traces_in("\xef\xbb\xbf"
                               "0: sync\ncheck\n0: sync"),
                     2);
    assert_int_equal(traces_in("\xef\xbb\xbf"), -1); /* nothing */
    assert_int_equal(traces_in("\xef\xbb"), -1);
    assert_int_equal(traces_in("0: sync\n\xef\xbb\xbf"
                               "0: sync"),
                     -1); /* only at the beginning */
    assert_int_equal(col_trace_read(&trace, bad, sizeof bad - 1, "bad", &problem), COL_BAD_INPUT);
    assert_int_equal(problem.line, 1);
    assert_int_equal(problem.column, 6);
    col_trace_free(&trace);
}

/* ---- Explanations in the words of the text. */

TEST(violations_name_lines) {
    static const char text[] = "\n7: { M[4] == 0; M[4] := 9 }\n3: sync\n";
    col_mention mentions[] = {{.operation = 1}, {.operation = 0}, {.operation = 77}};
    col_violation violation = {.mentions = mentions, .mention_count = 3};
    col_trace trace = COL_TRACE_EMPTY;
    col_problem problem;
    assert_int_equal(col_trace_read(&trace, text, sizeof text - 1, "t", &problem), COL_OK);
    col_trace_name(&trace, &violation);
    assert_string_equal(mentions[0].text, "{ M[4] == 0; M[4] := 9 }");
    assert_int_equal(mentions[0].line, 2);
    assert_int_equal(mentions[0].thread, 1);
    assert_int_equal(mentions[0].thread_name, 7);
    assert_string_equal(mentions[1].text, "sync");
    assert_int_equal(mentions[1].line, 3);
    assert_int_equal(mentions[2].line, 0);
    col_trace_free(&trace);
}
