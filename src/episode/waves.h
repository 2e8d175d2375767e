/* SPDX-License-Identifier: MIT */
/* The save file beside the waveforms of a failure: markers for the operations of its story. */
#ifndef EPISODE_WAVES_H
#define EPISODE_WAVES_H

#include "episode/story.h"

/* Its name: that of the waveforms, but for the ending. */
col_status epi_waves_name(const char *waves, char path[], size_t size, col_problem *problem);

/* Of the instance that an open design wrote to `waves`, which took this many cycles. */
col_status epi_waves_write(const epi_story *story, const epi_ending *ending, const col_duv *duv,
                           const char *waves, uint64_t cycles, col_problem *problem);

#endif
