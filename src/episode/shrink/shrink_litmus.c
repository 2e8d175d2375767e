/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests of shrunken failures. See shrink_trial.h. A litmus test shows words of reads, and
 * perhaps last words; the checker at run time also saw which word each write replaced. So a
 * condition may be allowed although the execution was not: then the test says so.
 */
#include "episode/shrink/shrink_trial.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/problem.h"
#include "base/text.h"
#include "program/geometry.h"
#include "program/litmus_writer.h"
#include "program/reshape.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const col_evidences[COL_EVIDENCE_COUNT] = {
    [COL_SHOWN_BY_OUTCOME] = "outcome",  [COL_SHOWN_BY_READS] = "reads",
    [COL_SHOWN_BY_FINALS] = "finals",    [COL_SHOWN_BY_ORDER] = "order",
    [COL_SHOWN_UNDECIDED] = "undecided",
};

/* What was seen, by operation and by location. */
typedef struct seen {
    uint64_t *words, *finals;
    bool *has_word, *has_final;
} seen;

/* The last word of a location is known if all its writes have performed, or if the design says. */
static void take_finals(const epi_failing_run *run, const col_program *program,
                        const bool *performed, seen *s) {
    for (uint32_t l = 0; l < program->location_count; l++)
        s->has_final[l] = !run->instance.of_reads;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (col_kinds[program->operations[o].kind].writes && !performed[o])
            s->has_final[program->operations[o].location] = false;
    for (size_t i = 0; i < run->instance.event_count; i++) {
        const epi_event *event = &run->instance.events[i];
        if (event->kind == COL_FINAL_VALUE)
            s->has_final[event->operation] = true;
        if (event->kind == COL_FINAL_VALUE)
            s->finals[event->operation] = event->word;
        else if (event->kind == COL_STORE_PERFORMED && !run->instance.of_reads)
            s->finals[program->operations[event->operation].location] = event->word;
    }
}

static col_status take_seen(const epi_failing_run *run, const col_program *program,
                            base_arena *arena, seen *s, col_problem *problem) {
    const size_t operations = (size_t)col_program_operations(program) + 1;
    const size_t locations = (size_t)program->location_count + 1;
    bool *performed = NULL;
    const base_part parts[] = {
        BASE_PART(performed, operations),   BASE_PART(s->words, operations),
        BASE_PART(s->finals, locations),    BASE_PART(s->has_word, operations),
        BASE_PART(s->has_final, locations), {0}};
    BASE_TRY(base_arena_divide(arena, parts, problem));
    for (size_t i = 0; i < run->instance.event_count; i++) {
        const epi_event *event = &run->instance.events[i];
        uint64_t word;
        if (event->kind == COL_FINAL_VALUE)
            continue;
        performed[event->operation] = true;
        if (epi_event_reads(program, event, &word)) {
            s->has_word[event->operation] = true;
            s->words[event->operation] = word;
        }
    }
    take_finals(run, program, performed, s);
    return COL_OK;
}

/* ---- What it proves. */

enum { NO_WRITE = UINT32_MAX - 2, MOST_LOCATIONS = 64 };

/* The word that an operation left, or would leave. */
static uint64_t word_left(const epi_failing_run *run, const col_program *program,
                          uint32_t operation) {
    for (size_t i = 0; i < run->instance.event_count; i++)
        if (run->instance.events[i].operation == operation &&
            run->instance.events[i].kind == COL_STORE_PERFORMED)
            return run->instance.events[i].word;
    return col_program_operand(program, &program->operations[operation]);
}

static uint32_t find_write(const epi_failing_run *run, const col_program *program,
                           uint32_t location, uint64_t word) {
    if (word == 0)
        return COL_INITIAL;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (col_kinds[program->operations[o].kind].writes &&
            program->operations[o].location == location && word_left(run, program, o) == word)
            return o;
    return NO_WRITE;
}

/* A trace of what was seen, and how it is made. */
typedef struct maker {
    const epi_failing_run *run;
    const col_program *program;
    uint32_t *places; /* by operation: its place in the trace, or NO_WRITE */
    bool is_odd;      /* a word comes from nowhere */
} maker;

static uint32_t find_source(maker *m, uint32_t location, uint64_t word) {
    const uint32_t write = find_write(m->run, m->program, location, word);
    if (write == COL_INITIAL)
        return COL_INITIAL;
    if (write == NO_WRITE || m->places[write] == NO_WRITE) {
        m->is_odd = true;
        return COL_INITIAL;
    }
    return m->places[write];
}

/* Judges a trace of what was seen. Reads that have not performed are left out: they could only
 * forbid more. */
static col_status decide(const epi_failing_run *run, const col_program *program, const seen *s,
                         bool with_finals, epi_judge *by, base_arena *arena, col_verdict *verdict,
                         col_problem *problem) {
    static const col_trace_settings settings = {.ignore_times = true, .budget = 10};
    const uint32_t operations = col_program_operations(program);
    bool *keeps = NULL;
    maker m = {.run = run, .program = program};
    col_trace trace = {.program = COL_PROGRAM_EMPTY};
    *verdict = COL_UNDECIDED;
    const base_part parts[] = {BASE_PART(keeps, operations),
                               BASE_PART(m.places, operations),
                               BASE_PART(trace.source, operations),
                               BASE_PART(trace.final, program->location_count),
                               {0}};
    BASE_TRY(base_arena_divide(arena, parts, problem));
    for (uint32_t o = 0, count = 0; o < operations; o++) {
        keeps[o] = !col_kinds[program->operations[o].kind].reads || s->has_word[o];
        m.places[o] = keeps[o] ? count++ : NO_WRITE;
    }
    for (uint32_t o = 0; o < operations; o++)
        if (s->has_word[o])
            trace.source[m.places[o]] =
                find_source(&m, program->operations[o].location, s->words[o]);
    for (uint32_t l = 0; l < program->location_count; l++)
        trace.final[l] = with_finals && s->has_final[l] ? find_source(&m, l, s->finals[l])
                                                        : (uint32_t)COL_NOT_SAID;
    if (m.is_odd) {
        *verdict = COL_FORBIDDEN;
        return COL_OK;
    }
    col_status status = prg_take(program, keeps, &trace.program, problem);
    uint32_t value = 0;
    for (uint32_t o = 0; status == COL_OK && o < col_program_operations(&trace.program); o++) {
        col_operation *operation = &trace.program.operations[o];
        if (operation->kind == COL_AWAIT) /* traces have none, and number their writes */
            operation->kind = COL_LOAD;
        operation->value = col_kinds[operation->kind].writes ? ++value : 0;
    }
    if (status == COL_OK)
        status = epi_judge_trace(by, &trace, &settings, verdict, problem);
    col_program_free(&trace.program);
    return status;
}

col_status epi_evidence_of(epi_failing_run *run, const col_program *program, col_evidence *evidence,
                           col_problem *problem) {
    epi_judge *by = &run->worker.judge;
    base_arena arena = {0};
    seen s;
    col_verdict by_reads = COL_UNDECIDED, by_finals = COL_UNDECIDED;
    *evidence = run->instance.breaks_model ? COL_SHOWN_BY_ORDER : COL_SHOWN_BY_OUTCOME;
    if (!run->instance.breaks_model)
        return COL_OK;
    col_status status = take_seen(run, program, &arena, &s, problem);
    if (status == COL_OK)
        status = decide(run, program, &s, false, by, &arena, &by_reads, problem);
    if (status == COL_OK && by_reads != COL_FORBIDDEN)
        status = decide(run, program, &s, true, by, &arena, &by_finals, problem);
    if (by_reads == COL_FORBIDDEN || by_finals == COL_FORBIDDEN)
        *evidence = by_reads == COL_FORBIDDEN ? COL_SHOWN_BY_READS : COL_SHOWN_BY_FINALS;
    else if (by_finals == COL_UNDECIDED)
        *evidence = COL_SHOWN_UNDECIDED;
    base_arena_free(&arena);
    return status;
}

/* ---- Writing. */

/* A set of locations, as litmus tests name them: "x, y and z". */
static void add_names(base_text *text, uint64_t locations) {
    static const char letters[] = "xyzwabcdefgh";
    for (uint32_t l = 0; l < MOST_LOCATIONS; l++) {
        const uint64_t here = UINT64_C(1) << l, above = locations & ~(2 * here - 1);
        if ((locations & here) == 0)
            continue;
        if (l < sizeof letters - 1)
            base_text_add_bytes(text, &letters[l], 1);
        else
            base_text_print(text, "l%u", l);
        base_text_add(text, above == 0 ? "" : (above & (above - 1)) == 0 ? " and " : ", ");
    }
}

/* The locations whose addresses are the same as this one's in the bits of the mask. */
static uint64_t companions(const col_program *program, uint32_t location, uint64_t mask) {
    uint64_t found = 0;
    for (uint32_t l = 0; l < program->location_count; l++)
        if (((program->addresses[l] ^ program->addresses[location]) & mask) == 0)
            found |= UINT64_C(1) << l;
    return found;
}

/* Is this location the first of its companions, and are there others, in other blocks? */
static bool leads(const col_program *program, uint32_t location, uint64_t mask, uint64_t block) {
    const uint64_t found = companions(program, location, mask);
    return (found & ((UINT64_C(1) << location) - 1)) == 0 &&
           found != companions(program, location, block);
}

static void add_sets(const col_program *program, const col_geometry *geometry, uint32_t location,
                     base_text *text) {
    const uint64_t block = ~((UINT64_C(1) << geometry->block_bits) - 1);
    uint64_t last = 0;
    for (uint32_t l = 0; l < geometry->level_count; l++) {
        const uint64_t mask = prg_level_mask(&geometry->levels[l]);
        const uint64_t found = companions(program, location, mask);
        if (!leads(program, location, mask, block))
            continue;
        if (found != last) {
            base_text_add(text, last == 0 ? "" : ".\n");
            add_names(text, found);
            base_text_add(text, " map to one set of the ");
        }
        base_text_print(text, "%s%s", found == last ? " and the " : "", geometry->levels[l].name);
        last = found;
    }
    base_text_add(text, last == 0 ? "" : ".\n");
}

/* Which locations share blocks, and which of the others sets. */
static void add_address_facts(const col_program *program, const col_geometry *geometry,
                              base_text *text) {
    const uint64_t block = ~((UINT64_C(1) << geometry->block_bits) - 1);
    const size_t length = text->length;
    if (program->location_count < 2 || program->location_count > MOST_LOCATIONS)
        return;
    for (uint32_t l = 0; l < program->location_count; l++) {
        if (leads(program, l, block, UINT64_MAX)) {
            add_names(text, companions(program, l, block));
            base_text_add(text, " are in one block.\n");
        }
        add_sets(program, geometry, l, text);
    }
    if (text->length == length)
        base_text_add(text, "No two locations share a block or a set of a cache.\n");
}

/* What the condition proves; the verdict is that of the instruction set's model. */
static void add_proof(const epi_failing_run *run, const col_shrunk *shrunk, const char *isa_model,
                      col_verdict verdict, base_text *text) {
    const epi_judge *by = &run->worker.judge;
    const char *model = by->name;
    const bool is_promised =
        by->cat == NULL && by->model == col_duv_describe(run->worker.duv)->model;
    if (!run->instance.breaks_model)
        base_text_add(text,
                      "No values to forbid: the design fails before it returns wrong ones.\n");
    else if (shrunk->evidence == COL_SHOWN_UNDECIDED)
        base_text_print(text, "Whether %s forbids the condition by itself was not decided.\n",
                        model);
    else if (shrunk->evidence == COL_SHOWN_BY_ORDER)
        base_text_print(
            text,
            "The condition by itself is allowed by %s: the violation shows only with the "
            "coherence order.\n",
            model);
    else if (verdict == COL_FORBIDDEN)
        base_text_print(text, "The condition is forbidden by %s.\n", model);
    else
        base_text_print(text,
                        "The condition is forbidden by %s%s; %s by %s, "
                        "which\nthis instruction set promises.\n",
                        model, is_promised ? ", which the design promises" : "",
                        verdict == COL_UNDECIDED ? "not decided" : "allowed", isa_model);
}

static void add_comment(const epi_failing_run *run, const col_program *program,
                        const col_setting *setting, const col_shrunk *shrunk, prg_isa isa,
                        col_verdict verdict, base_text *text) {
    const col_duv_description *design = col_duv_describe(run->worker.duv);
    base_text_print(text, "Shrunk by Collider from a failure of %s, %u core%s", design->name,
                    design->cores, base_plural(design->cores));
    if (setting->design.error != NULL)
        base_text_print(text, ", design error %s", setting->design.error);
    if (setting->design.mutant > 0)
        base_text_print(text, ", mutant %u", setting->design.mutant);
    if (setting->design.options != NULL)
        base_text_print(text, ", options %s", setting->design.options);
    base_text_print(text, ".\n%s: %s\n", col_outcomes[shrunk->outcome], shrunk->reason);
    add_proof(run, shrunk, col_models[prg_isa_models[isa]], verdict, text);
    add_address_facts(program, &design->geometry, text);
    base_text_print(text, "Fails with %u of %u seed%s.", shrunk->failing, shrunk->tried,
                    base_plural(shrunk->tried));
}

static col_status write_one(const col_program *program, prg_isa isa, const prg_litmus *about,
                            const char *folder, col_problem *problem) {
    char path[PATH_MAX], file[64];
    base_text text = {0};
    (void)snprintf(file, sizeof file, "test.%s.litmus", prg_isa_words[isa]);
    col_status status = prg_litmus_write(program, isa, about, &text, problem);
    if (status == COL_BAD_INPUT) { /* it cannot say this program */
        base_text_free(&text);
        return COL_OK;
    }
    if (status == COL_OK)
        status = base_path_in(path, folder, file, problem);
    if (status == COL_OK)
        return base_file_write_text(path, &text, problem);
    base_text_free(&text);
    return status;
}

static col_status write_for(const epi_failing_run *run, const col_program *program,
                            const col_setting *setting, const col_shrunk *shrunk, const seen *s,
                            base_arena *arena, prg_isa isa, const char *folder,
                            col_problem *problem) {
    char name[128];
    base_text comment = {0};
    const bool with_finals = shrunk->evidence == COL_SHOWN_BY_FINALS;
    epi_judge by_isa = {.model = prg_isa_models[isa]};
    col_verdict verdict = COL_UNDECIDED;
    if (shrunk->evidence == COL_SHOWN_BY_READS || with_finals)
        BASE_TRY(decide(run, program, s, with_finals, &by_isa, arena, &verdict, problem));
    const char *error =
        setting->design.error == NULL ? NULL : base_path_name(setting->design.error);
    (void)snprintf(name, sizeof name, "%s%s%s", col_duv_describe(run->worker.duv)->name,
                   error == NULL ? "" : "-", error == NULL ? "" : error);
    for (char *at = name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && strchr("+-._", *at) == NULL)
            *at = '_';
    add_comment(run, program, setting, shrunk, isa, verdict, &comment);
    const prg_litmus about = {.name = name,
                              .comment = comment.data,
                              .words = s->words,
                              .has_word = run->instance.breaks_model ? s->has_word : NULL,
                              .finals = s->finals,
                              .has_final = with_finals ? s->has_final : NULL,
                              .forbidden = verdict == COL_FORBIDDEN};
    col_status status = base_text_status(&comment, problem);
    if (status == COL_OK)
        status = write_one(program, isa, &about, folder, problem);
    base_text_free(&comment);
    return status;
}

col_status epi_litmus_write(const epi_failing_run *run, const col_program *program,
                            const col_setting *setting, const col_shrunk *shrunk,
                            const char *folder, col_problem *problem) {
    base_arena arena = {0};
    seen s;
    col_status status = take_seen(run, program, &arena, &s, problem);
    for (int isa = 0; isa < PRG_ISA_COUNT && status == COL_OK; isa++)
        status =
            write_for(run, program, setting, shrunk, &s, &arena, (prg_isa)isa, folder, problem);
    base_arena_free(&arena);
    return status;
}
