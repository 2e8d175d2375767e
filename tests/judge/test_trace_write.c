/* SPDX-License-Identifier: MIT */
/*
 * Recordings as texts: whatever happened, the text gets the verdict that the recording gets, and
 * that is the oracle's. Random executions of random programs, under all models. Of what was cut
 * short, all that a recording forbids is forbidden, and more only where no way to go on is allowed.
 * And texts that are written and read back.
 */
#include "candidates.h"

#include "cycles.h"
#include "judge/trace/trace.h"
#include "protocol/simulate/oracle_parts.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef REDUCED
enum { EXECUTIONS = 1500 };
#else
enum { EXECUTIONS = 15000 };
#endif

/* ---- Recordings. */

typedef struct run {
    base_rng rng;
    col_program program;
    candidate c;
    outcome seen;
    uint32_t order[ORACLE_OPERATIONS], performed, count;
    col_event events[ORACLE_OPERATIONS];
    col_trace recorded, text;
    uint64_t tests[2], allowed[2], differ; /* cut short; whole */
} run;

/* The events as a recording has them. */
static void record(run *r) {
    r->recorded.program = r->program;
    r->recorded.events = r->events;
    r->recorded.event_count = r->performed;
    r->recorded.complete = r->performed == r->count;
    for (uint32_t i = 0; i < r->performed; i++) {
        r->events[i] = event_of(&r->program, &r->seen, r->order[i]);
        r->events[i].cycle = 10 + i;
    }
}

static bool is_allowed_as_recorded(const run *r, oracle_model model) {
    col_checker *checker = NULL;
    col_problem problem;
    bool good = true;
    assert_int_equal(col_checker_new(&checker, (col_model)model, &problem), COL_OK);
    assert_int_equal(col_checker_load(checker, &r->program, &problem), COL_OK);
    for (uint32_t i = 0; good && i < r->performed; i++)
        good = col_checker_notice(checker, &r->events[i]);
    good = good && col_checker_finish(checker, r->recorded.complete);
    col_checker_free(checker);
    return good;
}

/* Can what is unfinished go on in a way that the model allows? Every value is tried for what it
 * reads, and every order of all writes. */
static bool can_go_on(oracle_model model, small_trace *t, uint32_t from) {
    const col_program *program = &t->trace.program;
    const uint32_t count = col_program_operations(program);
    uint32_t i = from;
    while (i < count &&
           (t->source[i] != COL_UNFINISHED || !col_kinds[program->operations[i].kind].reads))
        i++;
    if (i == count)
        return small_trace_allowed(model, t);
    for (uint32_t source = 0; source <= count; source++) {
        const bool writes = source < count && source != i &&
                            col_kinds[program->operations[source].kind].writes &&
                            program->operations[source].location == program->operations[i].location;
        t->source[i] = source < count ? source : COL_INITIAL;
        if ((source == count || writes) && can_go_on(model, t, i + 1))
            return true;
    }
    t->source[i] = COL_UNFINISHED;
    return false;
}

static bool text_can_go_on(const run *r, oracle_model model) {
    small_trace t = {.trace = COL_TRACE_EMPTY};
    candidate c = {0};
    const uint32_t count = col_program_operations(&r->text.program);
    for (uint32_t i = 0; i < count; i++)
        c.source[i] = r->text.source[i] == COL_UNFINISHED ? COL_INITIAL : r->text.source[i];
    small_trace_make(&t, &r->text.program, &c);
    memcpy(t.source, r->text.source, count * sizeof *t.source);
    if (r->text.replaced != NULL) {
        memcpy(t.replaced, r->text.replaced, count * sizeof *t.replaced);
        t.trace.replaced = t.replaced;
    }
    const bool can = can_go_on(model, &t, 0);
    small_trace_free(&t);
    return can;
}

static void compare_verdicts(run *r, const base_text *text) {
    const uint64_t whole = r->recorded.complete;
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        const col_trace_settings settings = {.model = (col_model)m};
        const bool recorded = is_allowed_as_recorded(r, m);
        col_verdict verdict;
        col_problem problem;
        assert_int_equal(col_trace_check(&r->text, &settings, &verdict, NULL, &problem), COL_OK);
        const bool written = verdict == COL_ALLOWED;
        if (whole)
            assert_int_equal(recorded, oracle_allows(m, &r->program, &r->seen));
        /* As long as it runs, the checker judges what it has seen; a text, whether there is a way
         * to go on. */
        if (whole ? recorded != written : written && !recorded)
            fail_msg("%s: %s as recorded, %s as a text\n%s", oracle_model_names[m],
                     recorded ? "allowed" : "forbidden", written ? "allowed" : "forbidden",
                     text->data);
        if (recorded && !written && text_can_go_on(r, m))
            fail_msg("%s: forbidden as a text, but it can go on\n%s", oracle_model_names[m],
                     text->data);
        r->differ += recorded != written;
        r->tests[whole]++;
        r->allowed[whole] += recorded;
    }
}

static void run_once(run *r) {
    static const mixture mixes[] = {
        {.threads = 4,
         .operations = 12,
         .locations = 3,
         .packed = true,
         .awaits = true,
         .paired = true},
        {.threads = 3,
         .operations = 10,
         .locations = 2,
         .packed = true,
         .atomic = true,
         .paired = true},
    };
    base_text text = {0};
    col_problem problem;
    random_program(&r->rng, &mixes[below(&r->rng, 2)], &r->program);
    if (below(&r->rng, 2) == 0 || !candidate_make_subtle(&r->rng, &r->program, &r->c))
        candidate_make(&r->rng, &r->program, &r->c);
    candidate_outcome(&r->program, &r->c, &r->seen);
    candidate_of(&r->program, &r->seen, &r->c);
    r->count = events_order(&r->rng, &r->program, &r->c, (event_order)below(&r->rng, EVENT_ORDERS),
                            r->order);
    r->performed = below(&r->rng, 2) == 0 ? r->count : below(&r->rng, r->count + 1);
    record(r);
    const col_status status = chk_trace_print(&r->recorded, &text, &problem);
    if (status == COL_OK) {
        assert_int_equal(col_trace_read(&r->text, text.data, text.length, "text", &problem),
                         COL_OK);
        compare_verdicts(r, &text);
    } else { /* two adds left one value, or an await did not see its own; or it was read too early
              */
        assert_int_equal(status, COL_BAD_INPUT);
        assert_memory_equal(problem.message, "this recording cannot be written as a text: ", 44);
    }
    base_text_free(&text);
}

TEST(recordings_keep_their_verdicts_as_texts) {
    run r = {.program = COL_PROGRAM_EMPTY, .text = COL_TRACE_EMPTY};
    base_rng_seed(&r.rng, 11, 0);
    for (uint32_t i = 0; i < EXECUTIONS; i++)
        run_once(&r);
    for (uint32_t whole = 0; whole < 2; whole++) {
        print_message("%s: %llu verdicts, %llu allowed\n", whole ? "whole" : "cut short",
                      (unsigned long long)r.tests[whole], (unsigned long long)r.allowed[whole]);
        assert_true(r.tests[whole] > 6 * EXECUTIONS / 4);
        assert_true(r.allowed[whole] > r.tests[whole] / 10 &&
                    r.allowed[whole] < r.tests[whole] - r.tests[whole] / 10);
    }
    print_message("%llu differ, since they cannot go on\n", (unsigned long long)r.differ);
    assert_true(20 * r.differ < r.tests[0]);
    col_program_free(&r.program);
    col_trace_free(&r.text);
}

/* ---- What a text looks like. */

static void read_text(col_program *program, const char *text) {
    col_problem problem;
    assert_int_equal(col_program_read(program, text, strlen(text), "program", &problem), COL_OK);
}

static const char program_text[] = "collider program 1\n"
                                   "location a0 0x40\nlocation a1 0x1080\n"
                                   "thread 0\n"
                                   "  store a0 1 release\n  delay 7\n  load a1 acquire\n"
                                   "  flush a0 control@-1\n  fence rr+ww\n"
                                   "  store a1 2 data@-3\n  load a1\n"
                                   "thread 1\n"
                                   "  await a0 1\n  flush a1\n  add a0 3 address@-2\nend\n";

/* Operations: 0 store, 2 load, 5 store (has not performed, but was read), 6 load, 7 await, 9 add.
 */
static const col_event program_events[] = {
    {.kind = COL_STORE_PERFORMED, .cycle = 100, .operation = 0, .word = 1},
    {.kind = COL_LOAD_PERFORMED, .cycle = 105, .operation = 6, .word = 2},
    {.kind = COL_LOAD_PERFORMED, .cycle = 107, .operation = 7, .core = 1, .word = 1},
};

TEST(a_recording_has_the_operations_that_performed) {
    static const char expected[] = "# M[0] is a0 at 0x40\n"
                                   "# M[1] is a1 at 0x1080\n"
                                   "0: M[0] := 1 release replaces 0  # cycle 100\n"
                                   "0: M[1] == ? acquire\n"
                                   "0: branch control@-1\n"
                                   "0: fence rr+ww\n"
                                   "0: M[1] := 2 data@-3\n"
                                   "0: M[1] == 2  # cycle 105\n"
                                   "1: M[0] == 1  # cycle 107\n"
                                   "1: branch control@-1\n"
                                   "1: { M[0] == ?; M[0] := ? } add address@-2\n"
                                   "check\n";
    col_program program = COL_PROGRAM_EMPTY;
    col_event events[3];
    base_text text = {0};
    col_problem problem;
    read_text(&program, program_text);
    memcpy(events, program_events, sizeof events);
    const col_trace recorded = {.program = program, .events = events, .event_count = 3};
    assert_int_equal(chk_trace_print(&recorded, &text, &problem), COL_OK);
    assert_string_equal(text.data, expected);
    base_text_free(&text);
    col_program_free(&program);
}

/* What the checker at run time says of a single event has no words in a text. */
TEST(what_no_text_says_is_refused) {
    static const struct {
        uint32_t event; /* that is changed */
        col_event to;
        bool complete;
        const char *message;
    } cases[] = {
        {1,
         {.kind = COL_STORE_PERFORMED, .operation = 0, .word = 1},
         false,
         "thread 0, operation 0 performed twice"},
        {0,
         {.kind = COL_STORE_PERFORMED, .operation = 0, .word = 9},
         false,
         "thread 0, operation 0 left another value than it was to"},
        {2,
         {.kind = COL_LOAD_PERFORMED, .operation = 7, .word = 5},
         false,
         "thread 1, operation 0 ended with another value than it waits for"},
        {0,
         {.kind = COL_STORE_PERFORMED, .operation = 0, .word = 1},
         true,
         "thread 0, operation 2 never performed"},
    };
    col_program program = COL_PROGRAM_EMPTY;
    read_text(&program, program_text);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        col_event events[3];
        base_text text = {0};
        col_problem problem;
        char expected[256];
        memcpy(events, program_events, sizeof events);
        events[cases[i].event] = cases[i].to;
        const col_trace recorded = {
            .program = program, .events = events, .event_count = 3, .complete = cases[i].complete};
        assert_int_equal(chk_trace_print(&recorded, &text, &problem), COL_BAD_INPUT);
        (void)snprintf(expected, sizeof expected, "this recording cannot be written as a text: %s",
                       cases[i].message);
        assert_string_equal(problem.message, expected);
        base_text_free(&text);
    }
    col_program_free(&program);
}

/* ---- Texts. */

TEST(texts_are_written_as_they_were_read) {
    static const char text[] = "1: M32[0x40] := 7 release replaces 0 @ 10 :\n"
                               "1: fence w,rw\n"
                               "1: M32[0x40] == ? acquire\n"
                               "1: branch control@-1\n"
                               "4: { M32[0x40] == 7; M32[0x40] := 9 } add acquire release @ 3 : 8\n"
                               "4: M8[0x44] := 1 data@-1\n"
                               "4: M8[0x44] == 3 address@-2\n"
                               "4: sync\n"
                               "final M32[0x40] == 9\n"
                               "check\n";
    col_trace trace = COL_TRACE_EMPTY;
    char path[] = "/tmp/collider-text-XXXXXX", got[sizeof text + 1] = "";
    col_problem problem;
    assert_int_equal(col_trace_read(&trace, text, sizeof text - 1, "text", &problem), COL_OK);
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(col_trace_write_file(&trace, path, &problem), COL_OK);
    assert_int_equal(close(descriptor), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(got, 1, sizeof got - 1, file), sizeof text - 1);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(got, text);
    assert_int_equal(remove(path), 0);
    col_trace_free(&trace);
}
