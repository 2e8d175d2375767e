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

/* The first name of a set is the one that is written. */
static const struct fence_name {
    const char *name;
    uint8_t pairs;
} fence_names[] = {
    {"Fence", COL_FULL_FENCE},  {"MFence", COL_FULL_FENCE}, {"Fence.rw.rw", COL_FULL_FENCE},
    {"Fence.r.r", RR},          {"Fence.r.w", RW},          {"Fence.r.rw", RR | RW},
    {"Fence.w.r", WR},          {"Fence.w.w", WW},          {"Fence.w.rw", WR | WW},
    {"Fence.rw.r", RR | WR},    {"Fence.rw.w", RW | WW},    {"Fence.tso", RR | RW | WW},
    {"DMB.SY", COL_FULL_FENCE}, {"DMB.LD", RR | RW},        {"DMB.ST", WW},
};
enum { FENCE_NAMES = sizeof fence_names / sizeof fence_names[0] };

static const struct communication_name {
    const char *name;
    uint8_t kind, writes[2];
} communication_names[] = {
    {"Rf", CYC_READS_FROM, {1, 0}},
    {"Fr", CYC_FROM_READ, {0, 1}},
    {"Co", CYC_COHERENCE, {1, 1}},
    {"Ws", CYC_COHERENCE, {1, 1}},
};
enum { COMMUNICATION_NAMES = sizeof communication_names / sizeof communication_names[0] };

static const struct dependency_name {
    const char *name, *word;
    uint8_t dependency;
} dependency_names[] = {
    {"DpAddr", "addr", COL_ADDRESS}, {"DpData", "data", COL_DATA}, {"DpCtrl", "ctrl", COL_CONTROL}};
enum { DEPENDENCY_NAMES = sizeof dependency_names / sizeof dependency_names[0] };

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

static bool read_communication(reader *r, cyc_relaxation *out, uint32_t ends[2]) {
    for (uint32_t i = 0; i < COMMUNICATION_NAMES; i++) {
        reader after = *r;
        if (!take(&after, communication_names[i].name))
            continue;
        out->kind = communication_names[i].kind;
        out->is_external = *after.at == 'e';
        for (int end = 0; end < 2; end++)
            ends[end] = communication_names[i].writes[end] != 0 ? 2 : 1;
        *r = after;
        return take(r, "e") || take(r, "i");
    }
    return false;
}

static bool read_dependency(reader *r, cyc_relaxation *out, uint32_t ends[2]) {
    for (uint32_t i = 0; i < DEPENDENCY_NAMES; i++) {
        reader after = *r;
        if (!take(&after, dependency_names[i].name))
            continue;
        out->kind = CYC_DEPENDENT;
        out->dependency = dependency_names[i].dependency;
        ends[0] = 1;
        *r = after;
        if (!take_location(r, out) || !take_directions(r, &ends[1]))
            return false;
        ends[1] &= out->dependency == COL_DATA ? 2U : 3U;
        return ends[1] != 0;
    }
    return false;
}

static bool read_order(reader *r, cyc_relaxation *out, uint32_t ends[2]) {
    reader after = *r;
    if (take(&after, "Po") && take_location(&after, out)) {
        *r = after;
        return take_directions(r, &ends[0]) && take_directions(r, &ends[1]);
    }
    for (uint32_t i = 0; i < FENCE_NAMES; i++) {
        after = *r;
        if (!take(&after, fence_names[i].name) || !take_location(&after, out))
            continue;
        out->kind = CYC_FENCED;
        out->fence = fence_names[i].pairs;
        *r = after;
        return take_directions(r, &ends[0]) && take_directions(r, &ends[1]);
    }
    return false;
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

/* All of a name but its annotations. */
static bool read_steps(reader *r, cyc_relaxation *out, uint32_t ends[2]) {
    static bool (*const ways[])(reader *, cyc_relaxation *,
                                uint32_t[2]) = {read_communication, read_dependency, read_order};
    const reader start = *r;
    for (uint32_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        *r = start;
        *out = (cyc_relaxation){.kind = CYC_PROGRAM_ORDER};
        ends[0] = ends[1] = 0;
        if (ways[i](r, out, ends))
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

static const char *fence_name(uint8_t pairs) {
    for (uint32_t i = 0; i < FENCE_NAMES; i++)
        if (fence_names[i].pairs == pairs)
            return fence_names[i].name;
    return "Fence";
}

static const char *communication_name(uint8_t kind) {
    for (uint32_t i = 0; i < COMMUNICATION_NAMES; i++)
        if (communication_names[i].kind == kind)
            return communication_names[i].name;
    return "";
}

static const struct dependency_name *dependency_name(uint8_t dependency) {
    for (uint32_t i = 0; i < DEPENDENCY_NAMES; i++)
        if (dependency_names[i].dependency == dependency)
            return &dependency_names[i];
    return &dependency_names[0];
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
        base_text_print(text, "%s%c", communication_name(r->kind), r->is_external != 0 ? 'e' : 'i');
    else if (r->kind == CYC_DEPENDENT)
        base_text_print(text, "%s%c%c", dependency_name(r->dependency)->name, where, letters[1]);
    else
        base_text_print(text, "%s%c%c%c", r->kind == CYC_FENCED ? fence_name(r->fence) : "Po",
                        where, letters[0], letters[1]);
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
    if (cyc_is_communication(r)) {
        add_lower(text, communication_name(r->kind));
        base_text_add(text, r->is_external != 0 ? "e" : "i");
    } else if (r->kind == CYC_DEPENDENT) {
        base_text_add(text, dependency_name(r->dependency)->word);
    } else {
        add_lower(text, r->kind == CYC_FENCED ? fence_name(r->fence) : "po");
    }
    if (!cyc_is_communication(r) && r->moves == 0)
        base_text_add(text, "s");
    if (is_annotated(r)) {
        const char letters[3] = {annotation_letter(r, 0), annotation_letter(r, 1), '\0'};
        add_lower(text, letters);
    }
}
