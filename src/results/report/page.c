/* SPDX-License-Identifier: MIT */
/*
 * The report as the JSON that the page draws from. A page has a budget: each part gets a share of
 * what the parts before it left over, takes what fits, in its order, and says what it left out.
 */
#include "report/page_data.h"

#include "report/escape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values. */

static void add_key(base_text *text, const char *key) {
    rep_json_string(text, key);
    base_text_add(text, ":");
}

void rep_data_number(base_text *text, double number) {
    if (isfinite(number))
        rep_number(text, number);
    else
        base_text_add(text, "null");
}

/* What comes after something of the same list. */
void rep_data_next(base_text *text) {
    static const char openings[] = "[{:";
    if (text->length > 0 && strchr(openings, text->data[text->length - 1]) == NULL)
        base_text_add(text, ",");
}

void rep_data_text(base_text *text, const char *key, const char *value) {
    rep_data_next(text);
    add_key(text, key);
    rep_json_string(text, value);
}

void rep_data_value(base_text *text, const char *key, double value) {
    rep_data_next(text);
    add_key(text, key);
    rep_data_number(text, value);
}

void rep_data_whole(base_text *text, const char *key, uint64_t value) {
    rep_data_next(text);
    add_key(text, key);
    base_text_number(text, value);
}

void rep_data_begin(base_text *text, const char *key, const char *bracket) {
    rep_data_next(text);
    if (key != NULL)
        add_key(text, key);
    base_text_add(text, bracket);
}

static void add_texts(base_text *text, const char *key, const char *const *texts, uint32_t count) {
    rep_data_begin(text, key, "[");
    for (uint32_t i = 0; i < count; i++) {
        rep_data_next(text);
        rep_json_string(text, texts[i]);
    }
    base_text_add(text, "]");
}

void rep_data_numbers(base_text *text, const char *key, const double *numbers, size_t count) {
    rep_data_begin(text, key, "[");
    for (size_t i = 0; i < count; i++) {
        rep_data_next(text);
        rep_data_number(text, numbers[i]);
    }
    base_text_add(text, "]");
}

/* ---- The budget. */

void rep_data_leave_out(rep_data *data, uint64_t count, const char *what) {
    if (count == 0)
        return;
    char digits[32], sentence[512];
    size_t length = 0;
    base_text plain = {0};
    base_text_number(&plain, count);
    for (size_t i = 0; i < plain.length && !plain.failed; i++) {
        if (i > 0 && (plain.length - i) % 3 == 0)
            digits[length++] = ',';
        digits[length++] = plain.data[i];
    }
    digits[length] = '\0';
    base_text_free(&plain);
    (void)snprintf(sentence, sizeof sentence, "%s %s", digits, what);
    rep_data_next(&data->left_out);
    rep_json_string(&data->left_out, sentence);
}

void rep_data_share(rep_data *data, double part) {
    const size_t used = data->text->length - data->begin;
    const size_t rest = data->budget > used ? data->budget - used : 0;
    data->limit = data->budget == 0 ? SIZE_MAX : data->text->length + (size_t)((double)rest * part);
}

bool rep_data_fits(rep_data *data, size_t mark) {
    if (data->text->failed || data->text->length <= data->limit)
        return true;
    data->text->length = mark;
    data->text->data[mark] = '\0';
    return false;
}

/* ---- Where it came from. */

static void add_plan(base_text *text, const rep_plan *plan) {
    rep_data_begin(text, NULL, "{");
    rep_data_text(text, "name", plan->name);
    rep_data_text(text, "title", plan->title);
    rep_data_text(text, "scale", plan->scale);
    rep_data_text(text, "hash", plan->hash);
    rep_data_whole(text, "trials", plan->trials);
    rep_data_whole(text, "done", plan->done);
    rep_data_whole(text, "failed", plan->failed);
    base_text_add(text, "}");
}

static void add_designs(rep_data *data) {
    const rep_report *r = data->report;
    base_text *text = data->text;
    uint32_t i = 0;
    rep_data_share(data, 0.03);
    rep_data_begin(text, "designs", "[");
    for (; i < r->design_count; i++) {
        const size_t mark = text->length;
        rep_data_begin(text, NULL, "{");
        rep_data_text(text, "name", r->designs[i].name);
        rep_data_whole(text, "cores", r->designs[i].cores);
        rep_data_text(text, "hash", r->designs[i].hash);
        base_text_add(text, "}");
        if (!rep_data_fits(data, mark))
            break;
    }
    base_text_add(text, "]");
    rep_data_leave_out(data, r->design_count - i, "hashes of designs: --format json has them all");
}

static void add_provenance(rep_data *data) {
    const rep_report *r = data->report;
    base_text *text = data->text;
    rep_data_begin(text, "provenance", "{");
    add_texts(text, "versions", r->versions, r->version_count);
    add_texts(text, "hosts", r->hosts, r->host_count);
    rep_data_text(text, "first", r->first);
    rep_data_text(text, "last", r->last);
    rep_data_begin(text, "plans", "[");
    for (uint32_t i = 0; i < r->plan_count; i++)
        add_plan(text, &r->plans[i]);
    base_text_add(text, "]");
    add_designs(data);
    base_text_add(text, "}");
}

/* ---- Groups, and what they differ in. */

void rep_data_axes(base_text *text, const cam_pair *axes, uint32_t count) {
    rep_data_begin(text, "axes", "{");
    for (uint32_t i = 0; i < count; i++)
        rep_data_text(text, axes[i].name, axes[i].value);
    base_text_add(text, "}");
}

/* An axis with very many values, such as mutants, is no filter. */
static void add_axes(rep_data *data) {
    enum { MOST_VALUES = 500 };
    const rep_report *r = data->report;
    uint32_t left_out = 0;
    rep_data_begin(data->text, "axes", "[");
    for (uint32_t i = 0; i < r->axis_count; i++) {
        if (data->budget != 0 && r->axes[i].value_count > MOST_VALUES) {
            left_out++;
            continue;
        }
        rep_data_begin(data->text, NULL, "{");
        rep_data_text(data->text, "name", r->axes[i].name);
        add_texts(data->text, "values", r->axes[i].values, r->axes[i].value_count);
        base_text_add(data->text, "}");
    }
    base_text_add(data->text, "]");
    rep_data_leave_out(data, left_out,
                       left_out == 1 ? "axis with more values than a filter can show"
                                     : "axes with more values than a filter can show");
}

static const char *value_of(const rep_group *group, const char *name) {
    for (uint32_t i = 0; i < group->pair_count; i++)
        if (strcmp(group->pairs[i].name, name) == 0)
            return group->pairs[i].value;
    return "none";
}

static void add_group(const rep_report *r, const rep_group *group, base_text *text) {
    rep_data_begin(text, NULL, "{");
    rep_data_whole(text, "plan", group->plan);
    rep_data_text(text, "kind", cam_kinds[group->kind]);
    rep_data_begin(text, "axes", "{");
    for (uint32_t i = 0; i < r->axis_count; i++)
        if (r->axes[i].of_kind[group->kind])
            rep_data_text(text, r->axes[i].name, value_of(group, r->axes[i].name));
    base_text_add(text, "}");
    rep_data_text(text, "label", group->contender);
    rep_data_text(text, "scenario", group->scenario);
    rep_data_whole(text, "trials", group->trials);
    rep_data_whole(text, "done", group->done);
    rep_data_whole(text, "failed", group->failed);
    rep_data_whole(text, "found", group->found);
    if (group->undecided > 0)
        rep_data_whole(text, "undecided", group->undecided);
    rep_data_begin(text, "hunts", group->hunts ? "true" : "false");
    base_text_add(text, "}");
}

/* How many scenarios there are for each that there is room for. */
static uint32_t find_stride(rep_data *data) {
    const rep_report *r = data->report;
    const uint32_t sample = r->group_count < 100 ? r->group_count : 100;
    const size_t mark = data->text->length;
    for (uint32_t i = 0; i < sample; i++)
        add_group(r, &r->groups[(size_t)i * r->group_count / sample], data->text);
    const double mean = sample == 0 ? 0 : (double)(data->text->length - mark) / sample;
    const double wanted = mean * r->group_count;
    const double room = data->limit > mark ? (double)(data->limit - mark) : 0;
    if (data->text->failed)
        return 1;
    data->text->length = mark;
    data->text->data[mark] = '\0';
    return wanted <= room ? 1 : room < mean ? r->group_count + 1 : 1 + (uint32_t)(wanted / room);
}

static bool is_same_scenario(const rep_group *a, const rep_group *b) {
    return a->plan == b->plan && a->kind == b->kind && strcmp(a->scenario, b->scenario) == 0;
}

/* Of too many scenarios every n-th, with all its groups. What is left out here is left out
 * everywhere. */
static void add_groups(rep_data *data) {
    const rep_report *r = data->report;
    uint32_t taken = 0, scenario = 0;
    rep_data_share(data, 0.2);
    rep_data_begin(data->text, "groups", "[");
    const uint32_t stride = find_stride(data);
    for (uint32_t i = 0; i < r->group_count; i++) {
        const size_t mark = data->text->length;
        scenario += i > 0 && !is_same_scenario(&r->groups[i - 1], &r->groups[i]);
        data->numbers[i] = REP_NO_GROUP;
        if (scenario % stride != 0)
            continue;
        add_group(r, &r->groups[i], data->text);
        if (rep_data_fits(data, mark))
            data->numbers[i] = taken++;
    }
    base_text_add(data->text, "]");
    rep_data_leave_out(data, r->group_count - taken,
                       "groups with all that is of them: --format csv and json have them all");
}

bool rep_data_has(const rep_data *data, uint32_t group) {
    return group < data->report->group_count && data->numbers[group] != REP_NO_GROUP;
}

void rep_data_group(const rep_data *data, const char *key, uint32_t group) {
    if (rep_data_has(data, group))
        rep_data_whole(data->text, key, data->numbers[group]);
    else
        rep_data_begin(data->text, key, "null");
}

/* ---- Protocols. */

static const char *reach_of(int reach) {
    return reach < 0 ? "null" : reach == 0 ? "false" : "true";
}

static void add_protocol(const rep_protocol *p, base_text *text) {
    rep_data_begin(text, NULL, "{");
    rep_data_text(text, "design", p->design);
    rep_data_whole(text, "cores", p->cores);
    rep_data_text(text, "machine", p->machine);
    add_texts(text, "states", p->states, p->state_count);
    add_texts(text, "events", p->events, p->event_count);
    rep_data_whole(text, "trials", p->trials);
    rep_data_begin(text, "cells", "[");
    for (size_t i = 0; i < p->cell_count; i++) {
        const rep_protocol_cell *cell = &p->cells[i];
        rep_data_begin(text, NULL, "{");
        rep_data_whole(text, "state", cell->state);
        rep_data_whole(text, "event", cell->event);
        rep_data_whole(text, "hits", cell->hits);
        rep_data_whole(text, "first", cell->first);
        rep_data_whole(text, "reached", cell->trials);
        rep_data_begin(text, "reachable", reach_of(cell->reachable));
        rep_data_begin(text, "here", reach_of(cell->here));
        if (cell->excluded != NULL)
            rep_data_text(text, "excluded", cell->excluded);
        base_text_add(text, "}");
    }
    base_text_add(text, "]}");
}

static void add_protocols(rep_data *data) {
    const rep_report *r = data->report;
    uint32_t i = 0;
    rep_data_share(data, 0.25);
    rep_data_begin(data->text, "protocols", "[");
    for (; i < r->protocol_count; i++) {
        const size_t mark = data->text->length;
        add_protocol(&r->protocols[i], data->text);
        if (!rep_data_fits(data, mark))
            break;
    }
    base_text_add(data->text, "]");
    rep_data_leave_out(data, r->protocol_count - i,
                       "protocol tables: --format svg, csv and ucis have them all");
}

/* ---- All of it. */

col_status rep_page_data(const rep_report *report, size_t budget, base_text *text,
                         col_problem *problem) {
    rep_data data = {.report = report, .budget = budget, .text = text, .begin = text->length};
    data.numbers = calloc((size_t)report->group_count + 1, sizeof *data.numbers);
    if (data.numbers == NULL)
        return base_out_of_memory(problem);
    base_text_add(&data.left_out, "[");
    base_text_add(text, "{\"format\":1");
    rep_data_text(text, "tool", report->tool);
    rep_data_text(text, "title", report->title);
    add_provenance(&data);
    add_axes(&data);
    add_groups(&data);
    rep_data_tables(&data);
    add_protocols(&data);
    rep_data_learning(&data);
    rep_data_boxes(&data);
    rep_data_evolutions(&data);
    rep_data_failures(&data); /* the largest come last: they get all that nobody else needed */
    rep_data_begin(text, "left_out", "");
    base_text_add(&data.left_out, "]");
    if (!data.left_out.failed)
        base_text_add(text, data.left_out.data);
    base_text_add(text, "}");
    const bool failed = data.left_out.failed;
    base_text_free(&data.left_out);
    free(data.numbers);
    return failed ? base_out_of_memory(problem) : base_text_status(text, problem);
}
