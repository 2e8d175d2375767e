/* SPDX-License-Identifier: MIT */
/*
 * Waveforms of designs that can write them, and save files that show them in GTKWave: a marker for
 * each operation that matters, and the ports of the threads that it takes part in.
 */
#ifndef DESIGN_VERILOG_GTKWAVE_H
#define DESIGN_VERILOG_GTKWAVE_H

#include "base/text.h"
#include "collider/duv.h"

/* One for each letter. */
enum { DUV_MOST_MARKS = 26 };

typedef struct duv_wave_mark {
    uint64_t cycle;
    char name[96];
} duv_wave_mark;

typedef struct duv_wave_marks {
    duv_wave_mark marks[DUV_MOST_MARKS];
    uint32_t count;
    uint64_t threads; /* whose ports are shown: bit t for thread t */
    uint64_t last;    /* the cycle in which the instance ended */
} duv_wave_marks;

/* Can designs of this name write waveforms? */
bool duv_has_waves(const char *design);
/* One sentence, if they cannot. */
col_status duv_check_waves(const char *design, col_problem *problem);

/* The save file for what an open design wrote to `waves`. */
void duv_waves_save(const col_duv *duv, const char *waves, const duv_wave_marks *marks,
                    base_text *text);

#endif
