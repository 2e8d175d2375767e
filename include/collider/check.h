/* SPDX-License-Identifier: MIT */
/*
 * Judging executions by a memory model. A checker watches a running design: monitors report the
 * value that each read returned and the value that each write replaced, and the checker detects a
 * violation at the event that completes it. A trace is judged afterwards, from the values that its
 * reads returned.
 */
#ifndef COLLIDER_CHECK_H
#define COLLIDER_CHECK_H

#include <collider/event.h>
#include <collider/model.h>

COL_C_BEGIN

/* Why one operation comes before another. The first group is within a thread. */
typedef enum col_relation {
    COL_PROGRAM_ORDER, /* the model keeps this pair in order */
    COL_FENCED,        /* a fence stands between them */
    COL_ACQUIRED,      /* the earlier one is an acquire */
    COL_RELEASED,      /* the later one is a release */
    COL_DEPENDENT,     /* the later one depends on the earlier one */
    COL_ATOMIC,        /* an atomic's read and its write, or a read of the value it wrote */
    COL_TIMED,         /* the later one began when the earlier one had ended */
    COL_SAME_LOCATION, /* two accesses to one location */
    COL_READS_FROM,    /* a write, and a read of the value it wrote */
    COL_COHERENCE,     /* two writes to one location */
    COL_FROM_READ,     /* a read, and a write that replaces the value it returned */
    COL_RELATION_COUNT
} col_relation;

/* Their names in explanations and pictures: po, fence, acquire, ..., rf, co, fr. */
COL_API extern const char *const col_relations[COL_RELATION_COUNT];

/* An operation that a violation names. */
typedef struct col_mention {
    uint32_t operation;     /* index into the program or trace */
    uint32_t thread, place; /* its position in the thread, from 0 */
    uint32_t line;          /* its line in a text trace; otherwise 0 */
    uint64_t thread_name;   /* if there is a line: the thread's number in the text */
    char text[160];         /* the operation and its effect: "load a3 = 17" */
} col_mention;

/* From one mention to another. */
typedef struct col_step {
    uint32_t from, to; /* mentions */
    col_relation relation;
    uint32_t note; /* a mention that is the reason for the step, or COL_NO_MENTION */
} col_step;

enum { COL_NO_MENTION = UINT32_MAX };

/* What is wrong with an execution: a sentence and, if there is one, a cycle of steps, each ending
 * where the next begins. */
typedef struct col_violation {
    char reason[512];
    col_mention *mentions;
    col_step *steps;
    uint32_t mention_count, step_count;
    size_t mention_capacity, step_capacity;
    bool is_cut; /* memory ran out: the reason is right, but operations or steps are missing */
} col_violation;

/* How to write a violation: as text, with one line for each step; for Graphviz; as a drawing. */
typedef enum col_violation_format {
    COL_WORDS,
    COL_DOT,
    COL_SVG,
    COL_VIOLATION_FORMAT_COUNT
} col_violation_format;
COL_API col_status col_violation_write_file(const col_violation *violation,
                                            col_violation_format format, const char *path,
                                            col_problem *problem);
/* Hands over the text, to be freed with col_text_free. */
COL_API col_status col_violation_write(const col_violation *violation, col_violation_format format,
                                       char **text, size_t *length, col_problem *problem);
COL_API void col_violation_free(col_violation *violation);

/* ---- At run time. */

typedef struct col_checker col_checker;
COL_API col_status col_checker_new(col_checker **checker, col_model model, col_problem *problem);
COL_API void col_checker_free(col_checker *checker);

/* Prepare to check a program, which must not change while it is checked. Refuses programs with more
 * than 2^27 operations, and programs whose adds to a location sum to 2^32 or more (4,096 where
 * words are narrow): values would repeat. */
COL_API col_status col_checker_load(col_checker *checker, const col_program *program,
                                    col_problem *problem);

/* Another instance of the program begins. (Loading begins the first one.) */
COL_API void col_checker_restart(col_checker *checker);

/* Returns false if this event, or an earlier one, shows that the execution is not allowed.
 * Allocates no memory. Ignores all events but performed loads and stores. */
COL_API bool col_checker_notice(col_checker *checker, const col_event *event);
COL_API col_observer col_checker_observer(col_checker *checker);

/* The instance has ended: returns false if it was not allowed. If `complete`, operations that never
 * performed are also a violation. Of a program with conditionals nothing is judged before this; if
 * there is no memory for that, it returns false, and the violation says so (is_cut). */
COL_API bool col_checker_finish(col_checker *checker, bool complete);

/* What is wrong; NULL if nothing is. Valid until the next instance or program. */
COL_API const col_violation *col_checker_violation(const col_checker *checker);

/* Memory held, in bytes. */
COL_API size_t col_checker_bytes(const col_checker *checker);

/* ---- Traces. */

enum { COL_NO_TIME = -1 };

/* What a trace says about a value instead of naming the write that it came from. */
enum {
    COL_INITIAL = UINT32_MAX,          /* it was there before any write */
    COL_NOT_SAID = UINT32_MAX - 1,     /* nothing */
    COL_NEVER_STORED = UINT32_MAX - 2, /* no operation of the trace stores it: a violation */
    COL_UNFINISHED = UINT32_MAX - 3,   /* the operation was still running when the trace ended */
};

/* What a black box showed: a program, whose values are numbers assigned by the reader of the trace,
 * and, for each read, the write that its value came from. A branch is represented as a flush with a
 * control dependency: it orders what the dependency orders, and nothing else. */
typedef struct col_trace {
    col_program program;      /* values of writes: 1, 2, ... in the order of operations */
    uint32_t *source;         /* by operation: the write it read from, COL_INITIAL or
                               * COL_NEVER_STORED; COL_UNFINISHED if it did not perform */
    uint64_t *read, *written; /* by operation: the values in the trace */
    uint32_t *line;           /* by operation */
    uint32_t *replaced;       /* by operation: the write that it replaced, COL_INITIAL,
                               * COL_NEVER_STORED or COL_NOT_SAID; NULL if the trace says nothing */
    uint64_t *replaced_value; /* by operation; NULL as before */
    uint32_t unfinished_count;
    int64_t *begin, *end; /* by operation: times, or COL_NO_TIME; NULL if there are no times */
    uint64_t *thread_names, *location_names; /* the numbers in the trace */
    uint8_t *bits;   /* by location: its size; 0, or NULL: addresses are names */
    uint32_t *final; /* by location: the write that must be the last, COL_INITIAL if none may be,
                      * COL_NEVER_STORED or COL_NOT_SAID; NULL if the trace says nothing */
    uint64_t *final_value;    /* by location; NULL as before */
    struct col_event *events; /* recorded traces: what happened, in order; otherwise NULL */
    size_t event_count;
    bool complete; /* recorded traces: the instance ran to its end */
    size_t capacities[16];
} col_trace;

#define COL_TRACE_EMPTY                                                                            \
    { .program = COL_PROGRAM_EMPTY }

COL_API void col_trace_free(col_trace *trace);

/* Read a text that holds one trace (docs/checking-traces.md describes the format). On failure the
 * trace is left empty. */
COL_API col_status col_trace_read(col_trace *trace, const char *text, size_t length,
                                  const char *file, col_problem *problem);

/* A file of traces, text or recorded, read one after another; "-" is standard input. A trace from a
 * pipe is available as soon as the line or the bytes that end it have arrived. */
typedef struct col_trace_file col_trace_file;
COL_API col_status col_trace_open(col_trace_file **file, const char *path, col_problem *problem);
COL_API void col_trace_close(col_trace_file *file);

/* The next trace; `*found` is false when there are no more. */
COL_API col_status col_trace_next(col_trace_file *file, col_trace *trace, bool *found,
                                  col_problem *problem);

/* Write a trace as text; "-" is standard output. The operations that performed in a recording
 * become the operations of the text, each write with the value that it replaced; those that did not
 * perform are unfinished. The text gets the same verdict as the recording. Refuses what text cannot
 * express, such as an operation that performed twice. */
COL_API col_status col_trace_write_file(const col_trace *trace, const char *path,
                                        col_problem *problem);

/* Describe a violation of a text trace in the notation of that text. */
COL_API void col_trace_name(const col_trace *trace, col_violation *violation);

typedef enum col_verdict { COL_ALLOWED, COL_FORBIDDEN, COL_UNDECIDED } col_verdict;

typedef struct col_trace_settings {
    col_model model;
    bool ignore_times;
    double budget; /* seconds; 0: none */
} col_trace_settings;

/* Judge a trace. `violation` may be NULL; it is filled if the trace is forbidden. */
COL_API col_status col_trace_check(const col_trace *trace, const col_trace_settings *settings,
                                   col_verdict *verdict, col_violation *violation,
                                   col_problem *problem);

/* ---- Recording instances of programs, to judge them later. */

typedef struct col_recorder col_recorder;
COL_API col_status col_recorder_new(col_recorder **recorder, col_problem *problem);
COL_API void col_recorder_free(col_recorder *recorder);

/* What follows is about this program, which must not change while it is recorded. */
COL_API col_status col_recorder_load(col_recorder *recorder, const col_program *program,
                                     col_problem *problem);

/* Another instance of the program begins. (Loading begins the first one.) */
COL_API void col_recorder_restart(col_recorder *recorder);

/* Keeps performed loads and stores; ignores other events. If memory runs out, writing the recording
 * fails. */
COL_API void col_recorder_notice(col_recorder *recorder, const col_event *event);
COL_API col_observer col_recorder_observer(col_recorder *recorder);

/* The instance has ended; `complete`: all operations have performed. An instance without this call
 * is recorded as incomplete. */
COL_API void col_recorder_finish(col_recorder *recorder, bool complete);

/* Write everything recorded so far. */
COL_API col_status col_recorder_write_file(col_recorder *recorder, const char *path,
                                           col_problem *problem);

COL_C_END
#endif
