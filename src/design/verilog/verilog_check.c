/* SPDX-License-Identifier: MIT */
/* What is missing in a design file, in one list: see verilog_new.h. Nothing is compiled. */
#include "base/names.h"
#include "design/verilog/verilog_new.h"
#include "design/verilog/verilog_survey.h"

#include "design/isa/platform.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Something that can be run, but hardly is what was meant. */
static void warn(duv_verilog_file *f, const char *sentence) {
    base_text_print(&f->notes->lines, "%s: warning: %s\n", f->path, sentence);
    f->notes->warnings++;
}

static void warn_of_caches(duv_verilog_file *f) {
    isa_platform platform;
    const base_text *text = &f->chip.platform_text;
    const bool has_levels =
        !duv_is_chip(f)
            ? f->geometry.level_count > 0
            : text->data == NULL ||
                  isa_platform_parse(&platform, text->data, text->length, "", NULL) != COL_OK ||
                  platform.geometry.level_count > 0;
    if (!has_levels)
        warn(f, duv_is_chip(f) ? "the platform has no 'caches': the default engine needs a level, "
                                 "whose sets locations compete for"
                               : "there are no 'caches': the default engine needs a level, whose "
                                 "sets locations compete for");
}

static void warn_of_points(duv_verilog_file *f, const duv_survey *s) {
    char sentence[256];
    const duv_points *p = f->points;
    if ((f->covers && s->has_covers) ||
        (p != NULL && p->signal_count + p->lines.patterns.count + p->toggles.patterns.count > 0))
        return;
    if (s->machines.count > 0)
        (void)snprintf(sentence, sizeof sentence,
                       "nothing counts as covered; the design has %u state register%s, which "
                       "collider design new writes as 'fsm'",
                       s->machines.count, base_plural(s->machines.count));
    else
        (void)snprintf(sentence, sizeof sentence,
                       "nothing counts as covered: 'coverage: {lines: \"*\"}' counts lines");
    warn(f, sentence);
}

static void warn_of_memory(duv_verilog_file *f) {
    if (!duv_is_chip(f) && f->memory == 0 && f->address_bits > 24)
        warn(f, "tests may use all that an address reaches: 'memory' says how many bytes there "
                "are");
}

static void warn_of_clocks(duv_verilog_file *f, const duv_survey *s) {
    char sentence[800];
    if (strchr(s->clocks.text, ',') == NULL)
        return;
    (void)snprintf(sentence, sizeof sentence,
                   "blocks wait for several inputs, of which only %s is driven as a clock: %s",
                   f->clock.text, s->clocks.text);
    warn(f, sentence);
}

/* Buses at which a chip makes requests that nobody answers. */
static void warn_of_buses(duv_verilog_file *f, const duv_survey *s) {
    for (uint32_t i = 0; i < s->bus_count && duv_is_chip(f); i++) {
        char sentence[256];
        bool is_known = s->buses[i].is_memory_side;
        for (uint32_t b = 0; b < f->chip.bus_count; b++)
            is_known =
                is_known || strcasecmp(f->chip.buses[b].prefix.text, s->buses[i].prefix) == 0;
        if (is_known)
            continue;
        (void)snprintf(sentence, sizeof sentence,
                       "nothing answers at a bus of the design: {protocol: %s, prefix: %s}",
                       duv_chip_buses[s->buses[i].bus], s->buses[i].prefix);
        warn(f, sentence);
    }
}

static col_status check_private(duv_verilog_file *f, const duv_survey *s, col_problem *problem) {
    for (uint32_t i = 0; i < f->private_modules.count; i++) {
        const char *name = f->private_modules.texts[i];
        char names[64][DUV_NAME];
        uint32_t count = 0;
        base_nearest nearest = {.text = name};
        if (duv_survey_instances(s, name) > 0)
            continue;
        for (const xml_node *n = s->root; n != NULL && count < 64; n = xml_follow(n, s->root))
            if (xml_is(n, "module") && xml_get(n, "origName", names[count], DUV_NAME))
                base_nearest_try(&nearest, names[count++]);
        DUV_NOTE(f, problem,
                 nearest.word == NULL
                     ? DUV_REFUSE_AT(f, f->private_modules.places[i], problem,
                                     "the design has no module '%s'", name)
                     : DUV_REFUSE_AT(f, f->private_modules.places[i], problem,
                                     "the design has no module '%s'; did you mean '%s'?", name,
                                     nearest.word));
    }
    return COL_OK;
}

static col_status check_signals(duv_verilog_file *f, const duv_survey *s, col_problem *problem) {
    base_text source = {0};
    if (f->adapter.bus == DUV_NATIVE)
        return duv_verilog_connect(f, s->signals, problem);
    BASE_TRY(duv_verilog_connect_inputs(f, s->signals, problem));
    const col_status status =
        duv_note(f, problem, duv_adapter_top(f, s->signals, &source, problem));
    base_text_free(&source);
    return status;
}

static col_status check(duv_verilog_file *f, const char *path, duv_survey *s,
                        col_problem *problem) {
    DUV_NOTE(f, problem, duv_verilog_file_read(f, path, problem));
    DUV_NOTE(f, problem, duv_chip_open_platform(f, problem));
    if (f->sources.count == 0 || f->top.text[0] == '\0')
        return COL_OK;
    const col_status status = duv_survey_read(s, f, problem);
    if (status != COL_OK)
        return duv_note(f, problem, status);
    if (f->points != NULL)
        DUV_NOTE(f, problem, duv_points_resolve(f, s->xml.data, problem));
    BASE_TRY(check_private(f, s, problem));
    warn_of_points(f, s);
    warn_of_clocks(f, s);
    warn_of_buses(f, s);
    BASE_TRY(check_signals(f, s, problem));
    warn_of_caches(f);
    warn_of_memory(f);
    return base_text_status(&f->notes->lines, problem);
}

col_status duv_verilog_check(const char *path, duv_notes *notes, col_problem *problem) {
    duv_verilog_file *f = NULL;
    duv_survey *s = NULL;
    col_status status = base_new(&f, 1, sizeof *f, problem);
    BASE_THEN(status, base_new(&s, 1, sizeof *s, problem));
    if (status == COL_OK) {
        f->notes = notes;
        status = check(f, path, s, problem);
    }
    if (s != NULL)
        duv_survey_free(s);
    if (f != NULL)
        duv_verilog_file_free(f);
    free(s);
    free(f);
    return status;
}
