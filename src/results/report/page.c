/* SPDX-License-Identifier: MIT */
/* The report as one page that needs nothing else: see page.h. */
#include "results/report/page.h"

#include "base/file.h"
#include "results/report/report_escape.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A page of more bytes is slow to open, and more than mail takes. The data's budget is not met to
 * the byte. */
enum { MOST_BYTES = 5000000, SLACK = 50000, LEAST_DATA = 500000 };

static const char title_marker[] = "%collider-report-title%";
static const char data_marker[] = "%collider-report-data%";

/* Adds what comes before the marker in the rest of the template; *rest is what comes after it. */
static bool add_before(base_text *page, const char **rest, const char *end, const char *marker) {
    const size_t length = strlen(marker);
    for (const char *at = *rest; at + length <= end; at++)
        if (*at == marker[0] && memcmp(at, marker, length) == 0) {
            base_text_add_bytes(page, *rest, (size_t)(at - *rest));
            *rest = at + length;
            return true;
        }
    return false;
}

col_status rep_page_compose(base_text *page, const char *template, size_t size, const char *title,
                            const base_text *data, col_problem *problem) {
    const char *rest = template, *end = template + size;
    if (!add_before(page, &rest, end, title_marker))
        return base_fail(problem, "the report's page was built without a place for its title");
    rep_xml(page, title);
    if (!add_before(page, &rest, end, data_marker))
        return base_fail(problem, "the report's page was built without a place for its data");
    base_text_add_bytes(page, data->data, data->length);
    base_text_add_bytes(page, rest, (size_t)(end - rest));
    return base_text_status(page, problem);
}

size_t rep_page_budget(void) {
    const size_t asset = rep_asset_size + SLACK;
    return asset + LEAST_DATA < MOST_BYTES ? MOST_BYTES - asset : LEAST_DATA;
}

col_status rep_page_write(const rep_report *report, const char *path, col_problem *problem) {
    base_text data = {0}, page = {0};
    col_status status = rep_page_data(report, rep_page_budget(), &data, problem);
    BASE_THEN(status, rep_page_compose(&page, (const char *)rep_asset, rep_asset_size,
                                       report->title, &data, problem));
    BASE_THEN(status, base_file_write(path, page.data, page.length, problem));
    base_text_free(&data);
    base_text_free(&page);
    return status;
}

/*
 * The report as the JSON that the page draws from. A page has a budget: each part gets a share of
 * what the parts before it left over, takes what fits, in its order, and says what it left out.
 */

/* ---- Values. */

static void add_number(base_text *text, double number) {
    if (isfinite(number))
        rep_number(text, number);
    else
        base_text_add(text, "null");
}

/* What comes after something of the same list. */
static void add_comma(base_text *text) {
    static const char openings[] = "[{:";
    if (text->length > 0 && strchr(openings, text->data[text->length - 1]) == NULL)
        base_text_add(text, ",");
}

void rep_data_begin(base_text *text, const char *key, const char *bracket) {
    add_comma(text);
    if (key != NULL) {
        rep_json_string(text, key);
        base_text_add(text, ":");
    }
    base_text_add(text, bracket);
}

void rep_data_members(base_text *text, const char *types, ...) {
    va_list values;
    va_start(values, types);
    for (; *types != '\0'; types++) {
        if (*types == '{')
            rep_data_begin(text, NULL, "{");
        else if (*types == '}')
            base_text_add(text, "}");
        else
            rep_data_begin(text, va_arg(values, const char *), "");
        if (*types == 't')
            rep_json_string(text, va_arg(values, const char *));
        else if (*types == 'w')
            base_text_number(text, va_arg(values, uint64_t));
        else if (*types == 'u')
            base_text_number(text, va_arg(values, uint32_t));
        else if (*types == 'd')
            add_number(text, va_arg(values, double));
        else if (*types == 'r')
            base_text_add(text, va_arg(values, const char *));
    }
    va_end(values);
}

static void add_texts(base_text *text, const char *key, const char *const *texts, uint32_t count) {
    rep_data_begin(text, key, "[");
    for (uint32_t i = 0; i < count; i++) {
        add_comma(text);
        rep_json_string(text, texts[i]);
    }
    base_text_add(text, "]");
}

void rep_data_numbers(base_text *text, const char *key, const double *numbers, size_t count) {
    rep_data_begin(text, key, "[");
    for (size_t i = 0; i < count; i++) {
        add_comma(text);
        add_number(text, numbers[i]);
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
    add_comma(&data->left_out);
    rep_json_string(&data->left_out, sentence);
}

void rep_data_share(rep_data *data, double share) {
    const size_t used = data->text->length - data->begin;
    const size_t rest = data->budget > used ? data->budget - used : 0;
    data->limit =
        data->budget == 0 ? SIZE_MAX : data->text->length + (size_t)((double)rest * share);
}

bool rep_data_fits(rep_data *data, size_t mark) {
    if (data->text->failed || data->text->length <= data->limit)
        return true;
    data->text->length = mark;
    data->text->data[mark] = '\0';
    return false;
}

/* ---- Where it came from. */

static void add_designs(rep_data *data) {
    const rep_report *r = data->report;
    base_text *text = data->text;
    uint32_t i = 0;
    rep_data_share(data, 0.03);
    rep_data_begin(text, "designs", "[");
    for (; i < r->design_count; i++) {
        const size_t mark = text->length;
        rep_data_members(text, "{tut}", "name", r->designs[i].name, "cores", r->designs[i].cores,
                         "hash", r->designs[i].hash);
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
    rep_data_members(text, "tt", "first", r->first, "last", r->last);
    rep_data_begin(text, "plans", "[");
    for (uint32_t i = 0; i < r->plan_count; i++) {
        const rep_plan *plan = &r->plans[i];
        rep_data_members(text, "{ttttwww}", "name", plan->name, "title", plan->title, "scale",
                         plan->scale, "hash", plan->hash, "trials", plan->trials, "done",
                         plan->done, "failed", plan->failed);
    }
    base_text_add(text, "]");
    add_designs(data);
    base_text_add(text, "}");
}

/* ---- Groups, and what they differ in. */

void rep_data_axes(base_text *text, const cam_pair *axes, uint32_t count) {
    rep_data_begin(text, "axes", "{");
    for (uint32_t i = 0; i < count; i++)
        rep_data_members(text, "t", axes[i].name, axes[i].value);
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
        rep_data_members(data->text, "{t", "name", r->axes[i].name);
        add_texts(data->text, "values", r->axes[i].values, r->axes[i].value_count);
        base_text_add(data->text, "}");
    }
    base_text_add(data->text, "]");
    rep_data_leave_out(data, left_out,
                       left_out == 1 ? "axis with more values than a filter can show"
                                     : "axes with more values than a filter can show");
}

static void add_group(const rep_report *r, const rep_group *group, base_text *text) {
    rep_data_members(text, "{ut", "plan", group->plan, "kind", cam_kinds[group->kind]);
    rep_data_begin(text, "axes", "{");
    for (uint32_t i = 0; i < r->axis_count; i++) {
        const char *name = r->axes[i].name;
        const char *value = cam_pair_value(group->pairs, group->pair_count, name);
        if (r->axes[i].of_kind[group->kind])
            rep_data_members(text, "t", name, value == NULL ? CAM_NONE : value);
    }
    base_text_add(text, "}");
    rep_data_members(text, "ttuuuu", "label", group->contender, "scenario", group->scenario,
                     "trials", group->trials, "done", group->done, "failed", group->failed, "found",
                     group->found);
    if (group->undecided > 0)
        rep_data_members(text, "u", "undecided", group->undecided);
    rep_data_members(text, "r}", "hunts", group->hunts ? "true" : "false");
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
        const rep_group *group = &r->groups[i], *before = i == 0 ? group : group - 1;
        scenario += before->plan != group->plan || before->kind != group->kind ||
                    strcmp(before->scenario, group->scenario) != 0;
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
        rep_data_members(data->text, "u", key, data->numbers[group]);
    else
        rep_data_members(data->text, "r", key, "null");
}

/* ---- Protocols. */

static const char *reach_of(int reach) {
    return reach < 0 ? "null" : reach == 0 ? "false" : "true";
}

static void add_protocol(const rep_protocol *p, base_text *text) {
    rep_data_members(text, "{tut", "design", p->design, "cores", p->cores, "machine", p->machine);
    add_texts(text, "states", p->states, p->state_count);
    add_texts(text, "events", p->events, p->event_count);
    rep_data_members(text, "u", "trials", p->trials);
    rep_data_begin(text, "cells", "[");
    for (size_t i = 0; i < p->cell_count; i++) {
        const rep_protocol_cell *cell = &p->cells[i];
        rep_data_members(text, "{uuwwurr", "state", cell->state, "event", cell->event, "hits",
                         cell->hits, "first", cell->first, "reached", cell->trials, "reachable",
                         reach_of(cell->reachable), "here", reach_of(cell->here));
        if (cell->excluded != NULL)
            rep_data_members(text, "t", "excluded", cell->excluded);
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

col_status rep_page_data(const rep_report *report, size_t budget, base_text *text,
                         col_problem *problem) {
    rep_data data = {.report = report, .budget = budget, .text = text, .begin = text->length};
    BASE_TRY(
        base_new(&data.numbers, (size_t)report->group_count + 1, sizeof *data.numbers, problem));
    base_text_add(&data.left_out, "[");
    base_text_add(text, "{\"format\":1");
    rep_data_members(text, "ttr", "tool", report->tool, "title", report->title, "run",
                     report->is_run ? "true" : "false");
    add_provenance(&data);
    add_axes(&data);
    add_groups(&data);
    rep_data_tables(&data);
    add_protocols(&data);
    rep_data_plots(&data);
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
