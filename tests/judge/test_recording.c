/* SPDX-License-Identifier: MIT */
/*
 * Recordings: what is recorded is read back, whatever it is; the bytes of version 1 stay as they
 * are (tests/data/recording); and nothing that is damaged or cut off is taken for a recording.
 */
#include "base/file.h"
#include "base/random.h"
#include "judge/trace/trace.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void read_program(col_program *program, const char *name) {
    base_text text = {0};
    col_problem problem;
    read_data("program", name, &text);
    assert_int_equal(col_program_read(program, text.data, text.length, name, &problem), COL_OK);
    base_text_free(&text);
}

/* A path in /tmp that is this test's own. */
static void own_path(char path[64]) {
    (void)snprintf(path, 64, "/tmp/collider-recording-XXXXXX");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(close(descriptor), 0);
}

/* ---- Random instances. */

static uint64_t any_word(base_rng *rng) {
    return base_rng_next(rng) >> base_rng_below(rng, 64);
}

/* An event that may be of this program, but else anything. */
static bool make_event(base_rng *rng, const col_program *program, col_event *event) {
    const uint32_t count = col_program_operations(program);
    if (count == 0)
        return false;
    const uint32_t o = (uint32_t)base_rng_below(rng, count);
    const col_operation *operation = &program->operations[o];
    const col_kind_traits *traits = &col_kinds[operation->kind];
    if (!traits->reads && !traits->writes)
        return false;
    *event = (col_event){.kind = traits->writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
                         .operation = o,
                         .core = col_program_thread_of(program, o),
                         .cycle = any_word(rng),
                         .source = (col_source)base_rng_below(rng, COL_FROM_MEMORY + 1),
                         .word = any_word(rng)};
    if (base_rng_below(rng, 5) == 0)
        event->core = (uint32_t)any_word(rng);
    if (!traits->writes)
        return true;
    if (base_rng_below(rng, 2) == 0)
        event->word = col_program_operand(program, operation);
    event->overwritten = any_word(rng);
    event->read = base_rng_below(rng, 2) == 0 ? event->overwritten : any_word(rng);
    return true;
}

enum { MOST_EVENTS = 40, MOST_INSTANCES = 8 };

typedef struct instance {
    const col_program *program;
    col_event events[MOST_EVENTS];
    uint32_t count;
    bool complete;
} instance;

static void record_instance(base_rng *rng, col_recorder *recorder, const col_program *program,
                            instance *made) {
    const col_observer observer = col_recorder_observer(recorder);
    const uint32_t wanted = (uint32_t)base_rng_below(rng, MOST_EVENTS);
    *made = (instance){.program = program, .complete = base_rng_below(rng, 2) == 0};
    for (uint32_t i = 0; i < wanted; i++)
        if (make_event(rng, program, &made->events[made->count]))
            observer.notice(observer.context, &made->events[made->count++]);
    observer.notice(observer.context, &(col_event){.kind = COL_DEADLOCK, .message = "ignored"});
    if (made->complete || base_rng_below(rng, 2) == 0)
        col_recorder_finish(recorder, made->complete);
}

static void compare_event(const col_event *got, const col_event *made) {
    assert_int_equal(got->kind, made->kind);
    assert_int_equal(got->cycle, made->cycle);
    assert_int_equal(got->core, made->core);
    assert_int_equal(got->operation, made->operation);
    assert_int_equal(got->word, made->word);
    assert_int_equal(got->overwritten, made->overwritten);
    assert_int_equal(got->read, made->read);
    assert_int_equal(got->source, made->source);
}

static void compare_instance(const col_trace *got, const instance *made) {
    assert_true(col_program_equal(&got->program, made->program));
    assert_non_null(got->events);
    assert_int_equal(got->event_count, made->count);
    assert_int_equal(got->complete, made->complete);
    for (uint32_t i = 0; i < made->count; i++)
        compare_event(&got->events[i], &made->events[i]);
}

/* Records some instances of some programs; returns how many. */
static uint32_t record_some(base_rng *rng, col_recorder *recorder, const col_program *programs,
                            uint32_t program_count, instance *made) {
    col_problem problem;
    uint32_t count = 0;
    for (uint32_t p = 0; p < 3; p++) {
        const col_program *program = &programs[base_rng_below(rng, program_count)];
        assert_int_equal(col_recorder_load(recorder, program, &problem), COL_OK);
        record_instance(rng, recorder, program, &made[count++]);
        while (count < MOST_INSTANCES && base_rng_below(rng, 2) == 0) {
            col_recorder_restart(recorder);
            record_instance(rng, recorder, program, &made[count++]);
        }
        if (count + 3 > MOST_INSTANCES)
            break;
    }
    return count;
}

TEST(what_is_recorded_is_read_back) {
    static const char *const names[] = {"small.txt",  "rich.txt",    "fences.txt",
                                        "awaits.txt", "numbers.txt", "empty.txt"};
    enum { PROGRAMS = sizeof names / sizeof names[0] };
    col_program programs[PROGRAMS];
    col_trace trace = COL_TRACE_EMPTY;
    instance *made = calloc(MOST_INSTANCES, sizeof *made);
    char path[64];
    assert_non_null(made);
    own_path(path);
    for (uint32_t p = 0; p < PROGRAMS; p++) {
        programs[p] = (col_program)COL_PROGRAM_EMPTY;
        read_program(&programs[p], names[p]);
    }
    for (uint64_t test = 0; test < 100; test++) {
        base_rng rng;
        col_recorder *recorder;
        col_trace_file *file;
        col_problem problem;
        bool found;
        base_rng_seed(&rng, 8, test);
        assert_int_equal(col_recorder_new(&recorder, &problem), COL_OK);
        const uint32_t count = record_some(&rng, recorder, programs, PROGRAMS, made);
        assert_int_equal(col_recorder_write_file(recorder, path, &problem), COL_OK);
        assert_int_equal(col_trace_open(&file, path, &problem), COL_OK);
        for (uint32_t i = 0; i < count; i++) {
            if (col_trace_next(file, &trace, &found, &problem) != COL_OK)
                fail_msg("test %llu: %s", (unsigned long long)test, problem.message);
            assert_true(found);
            compare_instance(&trace, &made[i]);
        }
        assert_int_equal(col_trace_next(file, &trace, &found, &problem), COL_OK);
        assert_false(found);
        col_trace_close(file);
        col_recorder_free(recorder);
    }
    for (uint32_t p = 0; p < PROGRAMS; p++)
        col_program_free(&programs[p]);
    assert_int_equal(remove(path), 0);
    col_trace_free(&trace);
    free(made);
}

/* ---- Recordings that stay. */

static const char passing[] = "collider program 1\n"
                              "location a0 0x40\n"
                              "location a1 0x80\n"
                              "thread 0\n"
                              "  store a0 1\n"
                              "  store a1 2\n"
                              "thread 1\n"
                              "  load a1\n"
                              "  load a0\n"
                              "end\n";

/* An instance of message passing, whose last load returns `last`, and one that is cut short. */
static void record_passing(col_recorder *recorder, col_program *program, uint64_t last) {
    const col_event events[] = {
        {.kind = COL_STORE_PERFORMED, .cycle = 100, .core = 0, .operation = 0, .word = 1},
        {.kind = COL_STORE_PERFORMED, .cycle = 103, .core = 0, .operation = 1, .word = 2},
        {.kind = COL_LOAD_PERFORMED,
         .cycle = 400,
         .core = 1,
         .operation = 2,
         .word = 2,
         .source = COL_FROM_OTHER_CORE},
        {.kind = COL_LOAD_PERFORMED,
         .cycle = 390,
         .core = 1,
         .operation = 3,
         .word = last,
         .source = COL_FROM_PRIVATE_CACHE},
    };
    col_problem problem;
    assert_int_equal(col_program_read(program, passing, sizeof passing - 1, "passing", &problem),
                     COL_OK);
    assert_int_equal(col_recorder_load(recorder, program, &problem), COL_OK);
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        col_recorder_notice(recorder, &events[i]);
    col_recorder_finish(recorder, true);
    col_recorder_restart(recorder);
    col_recorder_notice(recorder, &events[0]);
}

/* The bytes of that recording. */
static void make_passing(uint64_t last, base_text *bytes) {
    col_program program = COL_PROGRAM_EMPTY;
    col_recorder *recorder;
    col_problem problem;
    char path[64];
    own_path(path);
    assert_int_equal(col_recorder_new(&recorder, &problem), COL_OK);
    record_passing(recorder, &program, last);
    assert_int_equal(col_recorder_write_file(recorder, path, &problem), COL_OK);
    assert_int_equal(base_file_read(path, bytes, &problem), COL_OK);
    assert_int_equal(remove(path), 0);
    col_recorder_free(recorder);
    col_program_free(&program);
}

static void assert_stays(const char *name, uint64_t last) {
    base_text now = {0}, then = {0};
    make_passing(last, &now);
    read_data("recording", name, &then);
    assert_int_equal(now.length, then.length);
    assert_memory_equal(now.data, then.data, now.length);
    base_text_free(&now);
    base_text_free(&then);
}

/* What was recorded with any version of Collider can be read with the next. */
TEST(the_format_of_a_version_never_changes) {
    assert_stays("passing.rec", 1);
    assert_stays("broken.rec", 0);
}

/* ---- Damage. */

/* Reads all traces of a file; COL_OK if all are good. */
static col_status read_bytes(const char *path, const char *bytes, size_t length, uint32_t *count,
                             col_problem *problem) {
    col_trace trace = COL_TRACE_EMPTY;
    col_trace_file *file;
    bool found = true;
    FILE *out = fopen(path, "wb"); /* not through the library, which waits for the disk */
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
    *count = 0;
    col_status status = col_trace_open(&file, path, problem);
    while (status == COL_OK && found) {
        status = col_trace_next(file, &trace, &found, problem);
        *count += found;
    }
    col_trace_close(file);
    col_trace_free(&trace);
    return status;
}

TEST(damaged_recordings_are_refused) {
    base_text bytes = {0};
    col_problem problem;
    uint32_t count;
    char path[64];
    own_path(path);
    make_passing(1, &bytes);
    assert_int_equal(read_bytes(path, bytes.data, bytes.length, &count, &problem), COL_OK);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < bytes.length; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes.data[i] = (char)(bytes.data[i] ^ 1 << bit);
            assert_int_equal(read_bytes(path, bytes.data, bytes.length, &count, &problem),
                             COL_BAD_INPUT);
            assert_int_equal(count, 0);
            assert_string_equal(problem.file, path);
            bytes.data[i] = (char)(bytes.data[i] ^ 1 << bit);
        }
    for (size_t length = 0; length < bytes.length; length++) {
        assert_int_equal(read_bytes(path, bytes.data, length, &count, &problem), COL_BAD_INPUT);
        if (length > 0)
            assert_string_equal(problem.message, "the recording is cut off");
    }
    /* A whole record and a part of another: the first is read, the second refused. */
    base_text twice = {0};
    base_text_add_bytes(&twice, bytes.data, bytes.length);
    base_text_add_bytes(&twice, bytes.data, bytes.length);
    for (size_t length = bytes.length + 1; length < twice.length; length++) {
        assert_int_equal(read_bytes(path, twice.data, length, &count, &problem), COL_BAD_INPUT);
        assert_int_equal(count, 2);
    }
    assert_int_equal(read_bytes(path, twice.data, twice.length, &count, &problem), COL_OK);
    assert_int_equal(count, 4);
    assert_int_equal(remove(path), 0);
    base_text_free(&bytes);
    base_text_free(&twice);
}

/* The sentence for a recording with a byte changed and the checksum made good again. */
static const char *refusal(const char *path, size_t at, unsigned char byte, col_problem *problem) {
    base_text bytes = {0};
    uint32_t count;
    make_passing(1, &bytes);
    bytes.data[at] = (char)byte;
    const size_t used = bytes.length - CHK_RECORDING_CHECKSUM;
    const uint64_t checksum = chk_recording_checksum((const uint8_t *)bytes.data, used);
    for (size_t i = 0; i < CHK_RECORDING_CHECKSUM; i++)
        bytes.data[used + i] = (char)(checksum >> 8 * i);
    const col_status status = read_bytes(path, bytes.data, bytes.length, &count, problem);
    base_text_free(&bytes);
    return status == COL_OK ? "" : problem->message;
}

/* What a checksum cannot tell: a recording of another version, or by a program with a mistake. */
TEST(wrong_recordings_are_refused) {
    enum { EVENTS = CHK_RECORDING_HEADER + 4 + 4 + 10 + 2 };
    col_problem problem;
    char path[64];
    own_path(path);
    assert_string_equal(refusal(path, 8, 2, &problem),
                        "this version of Collider reads recordings of version 1");
    assert_string_equal(refusal(path, CHK_RECORDING_HEADER, 255, &problem),
                        "not a good recording: its program is damaged");
    assert_string_equal(refusal(path, CHK_RECORDING_HEADER + 2, 100, &problem),
                        "not a good recording: its program is damaged");
    assert_string_equal(refusal(path, EVENTS - 3, 7, &problem),
                        "not a good recording: thread 1, operation 1: a7 is not declared as a "
                        "location");
    assert_string_equal(refusal(path, EVENTS - 2, 127, &problem),
                        "not a good recording: an instance is damaged");
    assert_string_equal(refusal(path, EVENTS - 1, 2, &problem),
                        "not a good recording: an instance is damaged");
    assert_string_equal(refusal(path, EVENTS, 0xff, &problem),
                        "not a good recording: an event is damaged");
    assert_string_equal(refusal(path, EVENTS, 0, &problem),
                        "not a good recording: an event does not fit its operation");
    assert_string_equal(refusal(path, EVENTS + 2, 99, &problem),
                        "not a good recording: an event is of no operation");
    assert_int_equal(remove(path), 0);
}
