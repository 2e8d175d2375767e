/* SPDX-License-Identifier: MIT */
/*
 * Fingerprints: what a failure is, without the numbers of this one. Of a violation it is the cycle
 * with its threads and locations named anew, whichever operation it is told from; of a protocol
 * error machine, state and event; of a deadlock what waits. docs/failures.md explains.
 */
#pragma once

#include "base/json.h"
#include "base/text.h"
#include "collider/episode.h"

/* What is known of an instance that failed. */
typedef struct epi_wrong {
    col_outcome outcome;
    const char *reason;
    const col_violation *violation; /* NULL: the memory model was not broken */
    const col_program *program;
    const col_duv_description *design;
    const col_event *event; /* of what went wrong; NULL: the design told of none */
} epi_wrong;

/* The cell of a protocol error; false: it is no such error, or the design has not told it. */
bool epi_wrong_cell(const epi_wrong *wrong, col_duv_cell *cell);

/* Writes the shape: the verdict, and what went wrong without numbers. It always ends with a NUL.
 * False: no memory. */
bool epi_shape(const epi_wrong *wrong, char *shape, size_t size);

/* The fingerprint of a shape on a design, with its options and the error or mutant that is in it.
 * False: no memory. */
bool epi_fingerprint(const char *design, const col_setting *setting, const char *shape,
                     col_fingerprint *fingerprint);
/* {"text", "hash"}; null if there is none. */
json_t *epi_fingerprint_json(const col_fingerprint *fingerprint);
