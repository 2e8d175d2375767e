/* SPDX-License-Identifier: MIT */
/*
 * What the writer and the reader of recordings share: the layout of a record and of its events.
 * docs/checking-traces.md says it in words. All numbers are little-endian; those of the payload
 * are of seven bits a byte, least first, with the top bit set in all bytes but the last.
 */
#ifndef JUDGE_TRACE_TRACE_RECORDING_H
#define JUDGE_TRACE_TRACE_RECORDING_H

#include "judge/trace/trace.h"

#define CHK_RECORDING_VERSION 1

/* The first byte is in no text, and the last one is lost where line ends are "corrected". */
static const uint8_t chk_recording_magic[CHK_MAGIC] = {0x89, 'C', 'O', 'L', 'R', 'E', 'C', '\n'};

/* The first byte of an event. */
enum {
    CHK_EVENT_WRITES = 1,     /* a performed store */
    CHK_EVENT_SOURCE = 1,     /* the shift of its source, three bits */
    CHK_EVENT_OWN_WORD = 16,  /* the word is the operand of its operation */
    CHK_EVENT_SAME_READ = 32, /* what it read is what it overwrote */
    CHK_EVENT_BITS = 64 - 1,
};

/* The first byte of an operation: kind, order and dependency. */
enum { CHK_OPERATION_ORDER = 3, CHK_OPERATION_DEPENDENCY = 5, CHK_OPERATION_KIND = 7 };

/* Beside the number of threads, which is smaller: words have 4 bytes. */
enum { CHK_NARROW = 1 << 17 };

/* A difference as a number that is small if it is near 0 on either side. */
static inline uint64_t chk_fold(uint64_t difference) {
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t chk_unfold(uint64_t folded) {
    return folded >> 1 ^ (0 - (folded & 1));
}

uint64_t chk_recording_checksum(const uint8_t *bytes, size_t length);

#endif
