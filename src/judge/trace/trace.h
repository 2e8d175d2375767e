/* SPDX-License-Identifier: MIT */
/*
 * Traces, from text and from recordings, into a col_trace, and back into text. The parts:
 * trace_scan.c knows the grammar of a line, trace_text.c finds where a trace ends in a file or pipe
 * and puts lines together, trace.c finds the write that each read took its value from,
 * trace_recording.c knows the bytes of recordings, and trace_write.c writes texts.
 */
#pragma once

#include "base/text.h"
#include "collider/check.h"

#define CHK_MAX_TIME ((int64_t)1 << 62)

/* The arrays of a trace, and the places of their capacities. */
typedef enum chk_array {
    CHK_SOURCE,
    CHK_READ,
    CHK_WRITTEN,
    CHK_LINE,
    CHK_BEGIN,
    CHK_END,
    CHK_THREAD_NAMES,
    CHK_LOCATION_NAMES,
    CHK_FINAL,
    CHK_EVENTS,
    CHK_REPLACED,
    CHK_REPLACED_VALUE,
    CHK_BITS,
    CHK_FINAL_VALUE,
    CHK_ARRAY_COUNT
} chk_array;

/* Room in these (a set, bit a for array a) for `count` items each. */
col_status chk_trace_reserve(col_trace *trace, uint32_t arrays, size_t count, col_problem *problem);

/* As col_trace_check; undecided also once `stop`, which may be NULL, is not 0. */
col_status chk_trace_check(const col_trace *trace, const col_trace_settings *settings,
                           const volatile int *stop, col_verdict *verdict, col_violation *violation,
                           col_problem *problem);

/* Forget what is there. Memory is kept, but for what may be NULL. */
void chk_trace_clear(col_trace *trace);

/* ---- Text. */

/* The operation in the words of the text, without times: "M[1] := 7 release". */
void chk_trace_describe(const col_trace *trace, uint32_t operation, char *text, size_t size);

/* "M[1]" */
int chk_trace_describe_location(const col_trace *trace, uint32_t location, char *text, size_t size);

/* The whole trace as text: see col_trace_write_file. */
col_status chk_trace_print(const col_trace *trace, base_text *text, col_problem *problem);

/* Likewise of a recording that was made up from what reads returned: what plain stores replaced is
 * not known, nor are times; final values may be. */
col_status chk_trace_print_reads(const col_trace *trace, base_text *text, col_problem *problem);

/* ---- What a whole trace promises. */

typedef struct chk_final {
    uint64_t value;
    uint32_t location, line;
} chk_final;

typedef struct chk_finals {
    chk_final *items;
    uint32_t count;
    size_t capacity;
} chk_finals;

/* What a fault is about; its line is scanned again for the column. */
typedef enum chk_part {
    CHK_PART_ADDRESS,
    CHK_PART_READ,
    CHK_PART_WRITTEN,
    CHK_PART_DEPENDENCY,
    CHK_PART_BEGIN,
    CHK_PART_END,
    CHK_PART_COUNT
} chk_part;

typedef struct chk_trace_fault {
    uint32_t line; /* 0: there is no fault */
    chk_part part;
    char message[256];
} chk_trace_fault;

/* Find the sources of all reads and the last writes. Of several faults the first in the text is
 * told; the status is about memory alone. */
col_status chk_trace_resolve(col_trace *trace, const chk_finals *finals, chk_trace_fault *fault,
                             col_problem *problem);

/* ---- Recordings. */

enum { CHK_RECORDING_HEADER = 20, CHK_RECORDING_CHECKSUM = 8, CHK_MAGIC = 8 };
enum { CHK_RECORDING_VERSION = 1 };

/* The first byte is in no text, and the last one is lost where line ends are "corrected". */
static const uint8_t chk_recording_magic[CHK_MAGIC] = {0x89, 'C', 'O', 'L', 'R', 'E', 'C', '\n'};

uint64_t chk_recording_checksum(const uint8_t *bytes, size_t length);

/* Is this the beginning of a recording, as far as it is there? */
bool chk_is_recording(const uint8_t *bytes, size_t length);

/* The length of the whole record that begins here. The header must be there. */
col_status chk_recording_length(const uint8_t *bytes, const char *file, uint64_t *length,
                                col_problem *problem);

/* An instance of a whole record, whose first one is at offset 0; `*offset` moves to the next, and
 * `*found` is false when there is none any more. */
col_status chk_recording_read(const uint8_t *bytes, size_t length, const char *file,
                              uint64_t *offset, col_trace *trace, bool *found,
                              col_problem *problem);
