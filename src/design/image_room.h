/* SPDX-License-Identifier: MIT */
/* What all designs that boot images have in common: how much of a platform a test may use, and what
 * the end of an image means. */
#pragma once

#include "collider/duv.h"
#include "design/isa/image.h"
#include "design/isa/image_results.h"

/* Bytes that tests may use: the largest power of two that leaves log and code their share. */
uint64_t duv_image_window(const isa_platform *platform);

/* What tests compete for; if nobody knows the caches, sets of a usual one. */
col_geometry duv_image_geometry(const isa_platform *platform);

/* Bytes of the log for a round, at most; and that the log may have. */
uint64_t duv_image_log_bytes(const col_program *program);
uint64_t duv_image_log_room(const isa_platform *platform);

/* As many rounds as are wanted, or as the log has room for. */
uint64_t duv_image_rounds(const isa_platform *platform, const col_program *program, isa_log log,
                          uint64_t wanted);

/* What the harness says went wrong. */
col_run_end duv_image_end(const isa_ending *ending);
