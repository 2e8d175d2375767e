/* SPDX-License-Identifier: MIT */
/*
 * Save files of GTKWave: see design/duv.h. The code of a Verilog design has a text `collider_waves`
 * that says how many ports and cycles of reset there are, and what signals the ports, or harts and
 * buses, have: lines of words (verilog_wrapper.c writes it). A cycle takes two units of time.
 */
#include "design/duv.h"

#include "base/path.h"
#include "design/design_kind.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* How a signal is shown: flags of GTKWave's, all right-justified. */
#define AS_BITS "@28\n"
#define AS_NUMBER "@22\n"
#define AS_COMMENT "@200\n"

enum { BEFORE = 20 }; /* cycles before the first mark that are shown */

bool duv_has_waves(const char *design) {
    return duv_kind_of(design)->has_waves;
}

col_status duv_check_waves(const char *design, col_problem *problem) {
    if (duv_has_waves(design))
        return COL_OK;
    return base_refuse(problem,
                       "%.200s is %s, which has no waveforms; designs of kind verilog have", design,
                       duv_kind_of(design)->name);
}

typedef struct table {
    char clock[128], reset[128];
    unsigned ports, cycles;
} table;

static const char *next_line(const char *line) {
    const char *end = strchr(line, '\n');
    return end == NULL ? "" : end + 1;
}

static uint64_t time_of(const table *t, uint64_t cycle) {
    return 2 * (t->cycles + cycle);
}

static void print_head(const table *t, const char *waves, const duv_wave_marks *m,
                       base_text *text) {
    uint64_t first = m->last;
    for (uint32_t i = 0; i < m->count; i++)
        first = m->marks[i].cycle < first ? m->marks[i].cycle : first;
    base_text_print(text, "[*] Waveforms of a failure, by Collider\n[dumpfile] \"%s\"\n",
                    base_path_name(waves));
    base_text_print(text, "[timestart] %" PRIu64 "\n[size] 1600 900\n",
                    time_of(t, first > BEFORE ? first - BEFORE : 0));
    base_text_print(text, "*-4.000000 %" PRIu64, time_of(t, m->last));
    for (uint32_t i = 0; i < DUV_MOST_MARKS; i++)
        if (i < m->count)
            base_text_print(text, " %" PRIu64, time_of(t, m->marks[i].cycle));
        else
            base_text_add(text, " -1");
    base_text_add(text, "\n");
    for (uint32_t i = 0; i < m->count; i++)
        base_text_print(text, "[markername] %c%s\n", 'A' + (int)i, m->marks[i].name);
    base_text_add(text, "[treeopen] TOP.\n[sst_expanded] 1\n");
}

static void print_whole(const char *name, unsigned bits, base_text *text) {
    base_text_print(text, bits == 1 ? AS_BITS "TOP.%s\n" : AS_NUMBER "TOP.%s[%u:0]\n", name,
                    bits - 1);
}

/* Element p of a packed array is a signal by itself, but single bits are those of one number. If
 * the elements are not told apart, all ports are one signal: GTKWave shows what there is. */
static void print_signal(const table *t, const char *name, unsigned bits, unsigned port,
                         base_text *text) {
    if (t->ports == 1)
        print_whole(name, bits, text);
    else if (bits == 1)
        base_text_print(text, AS_BITS "(%u)TOP.%s[%u:0]\n", t->ports - 1 - port, name,
                        t->ports - 1);
    else
        base_text_print(text, AS_NUMBER "TOP.%s[%u][%u:0]\nTOP.%s[%u:0]\n", name, port, bits - 1,
                        name, t->ports * bits - 1);
}

void duv_waves_save(const col_duv *duv, const char *waves, const duv_wave_marks *marks,
                    base_text *text) {
    const char *lines = duv_wave_table(duv);
    table t;
    char name[128];
    unsigned bits;
    if (!(lines != NULL && sscanf(lines, "clock %127s reset %127s cycles %u ports %u", t.clock,
                                  t.reset, &t.cycles, &t.ports) == 4))
        return;
    print_head(&t, waves, marks, text);
    base_text_print(text, AS_BITS "TOP.%s\nTOP.%s\n", t.clock, t.reset);
    for (unsigned p = 0; p < t.ports && p < 64; p++)
        if ((marks->threads >> p & 1) != 0) {
            base_text_print(text, AS_COMMENT "-thread %u\n", p);
            for (const char *line = lines; *line != '\0'; line = next_line(line))
                if (sscanf(line, "port %127s %u", name, &bits) == 2)
                    print_signal(&t, name, bits, p, text);
        }
    unsigned bus, last = UINT_MAX;
    for (const char *line = lines; *line != '\0'; line = next_line(line)) {
        if (sscanf(line, "bus%u %127s %u", &bus, name, &bits) != 3)
            continue;
        if (bus != last)
            base_text_print(text, AS_COMMENT "-bus %u\n", bus);
        last = bus;
        print_whole(name, bits, text);
    }
    base_text_add(text, AS_COMMENT "-inputs\n");
    for (const char *line = lines; *line != '\0'; line = next_line(line)) {
        if (sscanf(line, "input %127s %u", name, &bits) != 2)
            continue;
        print_whole(name, bits, text);
    }
}
