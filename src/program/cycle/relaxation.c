/* SPDX-License-Identifier: MIT */
/* The names of relaxations: reading and writing them. */
#include "program/cycle/cycle.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    RR = COL_READ_READ,
    RW = COL_READ_WRITE,
    WR = COL_WRITE_READ,
    WW = COL_WRITE_WRITE,
    LONGEST_NAME = 40,
};

/* What names begin with. Of several that mean the same, the first one is written. */
static const struct step {
    const char *name;
    uint8_t kind;
    uint8_t detail;  /* the pairs of a fence, or the col_dependency */
    uint8_t ends[2]; /* 1: a read, 2: a write, 3: as a letter says */
} steps[] = {
    {"Rf", CYC_READS_FROM, 0, {2, 1}},
    {"Fr", CYC_FROM_READ, 0, {1, 2}},
    {"Co", CYC_COHERENCE, 0, {2, 2}},
    {"Ws", CYC_COHERENCE, 0, {2, 2}},
    {"DpAddr", CYC_DEPENDENT, COL_ADDRESS, {1, 3}},
    {"DpData", CYC_DEPENDENT, COL_DATA, {1, 3}},
    {"DpCtrl", CYC_DEPENDENT, COL_CONTROL, {1, 3}},
    {"Po", CYC_PROGRAM_ORDER, 0, {3, 3}},
    {"Fence", CYC_FENCED, COL_FULL_FENCE, {3, 3}},
    {"MFence", CYC_FENCED, COL_FULL_FENCE, {3, 3}},
    {"Fence.rw.rw", CYC_FENCED, COL_FULL_FENCE, {3, 3}},
    {"Fence.r.r", CYC_FENCED, RR, {3, 3}},
    {"Fence.r.w", CYC_FENCED, RW, {3, 3}},
    {"Fence.r.rw", CYC_FENCED, RR | RW, {3, 3}},
    {"Fence.w.r", CYC_FENCED, WR, {3, 3}},
    {"Fence.w.w", CYC_FENCED, WW, {3, 3}},
    {"Fence.w.rw", CYC_FENCED, WR | WW, {3, 3}},
    {"Fence.rw.r", CYC_FENCED, RR | WR, {3, 3}},
    {"Fence.rw.w", CYC_FENCED, RW | WW, {3, 3}},
    {"Fence.tso", CYC_FENCED, RR | RW | WW, {3, 3}},
    {"DMB.SY", CYC_FENCED, COL_FULL_FENCE, {3, 3}},
    {"DMB.LD", CYC_FENCED, RR | RW, {3, 3}},
    {"DMB.ST", CYC_FENCED, WW, {3, 3}},
};
enum { STEPS = sizeof steps / sizeof steps[0] };

#define STRONG "Pod** FencedWR Rfi Rfe Fre Coe"
#define WEAK "Pod** Fenced** DpAddrd* DpDatadW DpCtrldW PodRRAP PodRWAP PodRWPL PodWWPL Rfe Fre Coe"
const char *const cyc_model_relaxations[COL_MODEL_COUNT] = {
    [COL_SC] = "Pod** Rfe Fre Coe",     [COL_TSO] = STRONG,
    [COL_PSO] = STRONG " Fence.w.wdWW", [COL_WMO] = "Pod** Fenced** Fence.tsod** Rfe Fre Coe",
    [COL_ARMV8] = WEAK " PodWRLA",      [COL_RVWMO] = WEAK " PodWRLA",
};

bool cyc_is_communication(const cyc_relaxation *relaxation) {
    return relaxation->kind >= CYC_READS_FROM;
}

/* ---- Reading. A name is a prefix, letters for its ends, and perhaps annotations. */

/* A place in a name; parts are taken from its front. */
typedef struct reader {
    const char *at;
} reader;

static bool take(reader *r, const char *part) {
    const size_t length = strlen(part);
    if (strncmp(r->at, part, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* 'd' or 's': another location, or the same. */
static bool take_location(reader *r, cyc_relaxation *out) {
    out->moves = *r->at == 'd';
    return take(r, "d") || take(r, "s");
}

/* 'R', 'W' or '*', which is as a set of both: bit 0 is a read, bit 1 a write. */
static bool take_directions(reader *r, uint32_t *set) {
    *set = *r->at == 'R' ? 1 : *r->at == 'W' ? 2 : *r->at == '*' ? 3 : 0;
    r->at += *set != 0;
    return *set != 0;
}

static bool take_annotation(reader *r, uint8_t *annotation, char *which) {
    *which = *r->at;
    *annotation = *r->at == 'P' ? CYC_PLAIN : CYC_ORDERED;
    if (take(r, "P"))
        return true;
    if (take(r, "Aq") || take(r, "A"))
        return true;
    *which = 'L';
    return take(r, "Rl") || take(r, "L");
}

/* Both or none; and each fits its access. */
static bool take_annotations(reader *r, uint8_t annotations[2], char which[2]) {
    if (*r->at == '\0')
        return true;
    return take_annotation(r, &annotations[0], &which[0]) &&
           take_annotation(r, &annotations[1], &which[1]) && *r->at == '\0';
}

static uint8_t pair_of(bool is_write, bool then_write) {
    return (uint8_t)(is_write ? then_write ? WW : WR : then_write ? RW : RR);
}

/* Of an asterisk, only what the name can mean: pairs that its fence orders, accesses that can have
 * its annotations. */
static bool is_meant(const cyc_relaxation *one, const char which[2], bool is_one_of_several) {
    for (int end = 0; end < 2; end++)
        if (one->annotations[end] == CYC_ORDERED &&
            which[end] != (one->writes[end] != 0 ? 'L' : 'A'))
            return false;
    return !is_one_of_several || one->kind != CYC_FENCED ||
           (one->fence & pair_of(one->writes[0] != 0, one->writes[1] != 0)) != 0;
}

/* What follows the name of a step: communications go to another thread or not, others to a location
 * and by letters of what is open. Data goes into a write. */
static bool read_rest(reader *r, const struct step *step, cyc_relaxation *out, uint32_t ends[2]) {
    *out = (cyc_relaxation){.kind = step->kind};
    if (step->kind >= CYC_READS_FROM) {
        out->is_external = *r->at == 'e';
        return take(r, "e") || take(r, "i");
    }
    out->fence = step->kind == CYC_FENCED ? step->detail : 0;
    out->dependency = step->kind == CYC_DEPENDENT ? step->detail : COL_NO_DEPENDENCY;
    if (!take_location(r, out))
        return false;
    for (int end = 0; end < 2; end++)
        if (step->ends[end] == 3 && !take_directions(r, &ends[end]))
            return false;
    ends[1] &= out->dependency == COL_DATA ? 2U : 3U;
    return ends[1] != 0;
}

/* All of a name but its annotations. */
static bool read_steps(reader *r, cyc_relaxation *out, uint32_t ends[2]) {
    const reader start = *r;
    for (uint32_t i = 0; i < STEPS; i++) {
        *r = start;
        for (int end = 0; end < 2; end++)
            ends[end] = steps[i].ends[end];
        if (take(r, steps[i].name) && read_rest(r, &steps[i], out, ends))
            return true;
    }
    return false;
}

/* Up to four relaxations; 0: it is no name. */
static uint32_t read_name(const char *name, cyc_relaxation found[4]) {
    reader r = {name};
    cyc_relaxation out;
    uint32_t ends[2], count = 0;
    char which[2] = {'P', 'P'};
    if (!read_steps(&r, &out, ends) || !take_annotations(&r, out.annotations, which))
        return 0;
    const bool is_one_of_several = ends[0] == 3 || ends[1] == 3;
    for (uint32_t all = 0; all < 4; all++) {
        cyc_relaxation one = out;
        one.writes[0] = (uint8_t)(all / 2);
        one.writes[1] = (uint8_t)(all % 2);
        if ((ends[0] >> one.writes[0] & 1) != 0 && (ends[1] >> one.writes[1] & 1) != 0 &&
            is_meant(&one, which, is_one_of_several))
            found[count++] = one;
    }
    return count;
}

col_status cyc_relaxations_read(const char *text, cyc_relaxation **relaxations, uint32_t *count,
                                col_problem *problem) {
    static const char separators[] = " ,\t\n";
    size_t capacity = 0;
    *relaxations = NULL;
    *count = 0;
    for (const char *at = text + strspn(text, separators); *at != '\0';) {
        char name[LONGEST_NAME + 1] = "";
        const size_t length = strcspn(at, separators);
        cyc_relaxation found[4];
        if (length <= LONGEST_NAME)
            memcpy(name, at, length);
        const uint32_t more = read_name(name, found);
        col_status status = COL_OK;
        if (more == 0)
            status = base_refuse(problem,
                                 "'%.*s' is not a relaxation; names are such as PodWR, FencedWR, "
                                 "DpAddrdR, Rfe, Fre and Coe",
                                 (int)(length < 60 ? length : 60), at);
        if (status == COL_OK)
            status = base_reserve(relaxations, &capacity, (size_t)*count + more,
                                  sizeof **relaxations, problem);
        if (status != COL_OK) {
            free(*relaxations);
            *relaxations = NULL;
            return status;
        }
        memcpy(*relaxations + *count, found, more * sizeof *found);
        *count += more;
        at += length;
        at += strspn(at, separators);
    }
    return *count > 0 ? COL_OK : base_refuse(problem, "a cycle needs relaxations");
}

/* ---- Writing. */

static const char *name_of(const cyc_relaxation *r) {
    uint32_t i = 0;
    while (i + 1 < STEPS &&
           (steps[i].kind != r->kind || steps[i].detail != (r->fence | r->dependency)))
        i++;
    return steps[i].name;
}

static char annotation_letter(const cyc_relaxation *r, int end) {
    if (r->annotations[end] != CYC_ORDERED)
        return 'P';
    return r->writes[end] != 0 ? 'L' : 'A';
}

static bool is_annotated(const cyc_relaxation *r) {
    return r->annotations[0] == CYC_ORDERED || r->annotations[1] == CYC_ORDERED;
}

void cyc_relaxation_write(const cyc_relaxation *r, base_text *text) {
    const char letters[2] = {r->writes[0] != 0 ? 'W' : 'R', r->writes[1] != 0 ? 'W' : 'R'};
    const char where = r->moves != 0 ? 'd' : 's';
    if (cyc_is_communication(r))
        base_text_print(text, "%s%c", name_of(r), r->is_external != 0 ? 'e' : 'i');
    else if (r->kind == CYC_DEPENDENT)
        base_text_print(text, "%s%c%c", name_of(r), where, letters[1]);
    else
        base_text_print(text, "%s%c%c%c", name_of(r), where, letters[0], letters[1]);
    if (is_annotated(r))
        base_text_print(text, "%c%c", annotation_letter(r, 0), annotation_letter(r, 1));
}

static void add_lower(base_text *text, const char *name) {
    for (; *name != '\0'; name++) {
        const char letter = (char)tolower((unsigned char)*name);
        base_text_add_bytes(text, &letter, 1);
    }
}

void cyc_relaxation_write_short(const cyc_relaxation *r, base_text *text) {
    add_lower(text, name_of(r) + (r->kind == CYC_DEPENDENT ? strlen("Dp") : 0));
    if (cyc_is_communication(r))
        base_text_add(text, r->is_external != 0 ? "e" : "i");
    if (!cyc_is_communication(r) && r->moves == 0)
        base_text_add(text, "s");
    if (is_annotated(r)) {
        const char letters[3] = {annotation_letter(r, 0), annotation_letter(r, 1), '\0'};
        add_lower(text, letters);
    }
}
