/* SPDX-License-Identifier: MIT */
/*
 * Commit logs: what a simulator says of every instruction that it retires. Whoever has one needs no
 * code that logs. Two forms, which may be mixed:
 *
 *     core   0: 3 0x0000000080004024 (0x00053683) x13 0x0000000000000005 mem 0x0000000080010040
 *     0 0x80004024 x13 0x5
 *
 * The first is Spike's (--log-commits); lines that begin with "core" and say nothing of a register
 * are skipped. The second has the hart, the program counter, the register and its new value, as
 * RVFI does; '#' starts a comment.
 */
#ifndef DESIGN_ISA_COMMIT_LOG_H
#define DESIGN_ISA_COMMIT_LOG_H

#include "design/isa/image_results.h"

typedef struct isa_commits isa_commits;

/* The map must stay; commits have a map of their own, of results as they would be in memory. */
col_status isa_commits_new(isa_commits **commits, const isa_map *map, const col_program *program,
                           const char *file, col_problem *problem);
void isa_commits_free(isa_commits *commits);

/* Some more text, cut anywhere. */
col_status isa_commits_add(isa_commits *commits, const char *text, size_t length,
                           col_problem *problem);

/* The same for what a simulator prints, among other things: only lines that look like commits are
 * taken for them. */
col_status isa_commits_add_output(isa_commits *commits, const char *text, size_t length,
                                  col_problem *problem);

/* One commit, without text. `reg` is ISA_NONE if no register was written. */
col_status isa_commits_take(isa_commits *commits, uint32_t hart, uint64_t pc, uint32_t reg,
                            uint64_t value, col_problem *problem);

/* The text has ended: what can be judged, for isa_results_open. They are the commits'. Rounds that
 * a hart did not finish are missing from the map's. A log without any read of the image is refused.
 */
col_status isa_commits_end(isa_commits *commits, const isa_map **map, const uint8_t **bytes,
                           col_problem *problem);

/* A whole file; "-" is standard input. */
col_status isa_commits_read(isa_commits *commits, const char *path, col_problem *problem);

#endif
