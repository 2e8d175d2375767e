/* SPDX-License-Identifier: MIT */
/* Settings by name and text: see settings.h. */
#include "episode/settings.h"

#include "base/choice.h"
#include "base/duration.h"
#include "base/number.h"
#include "base/plugin.h"
#include "base/problem.h"
#include "episode/model.h"
#include "program/geometry.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSTANCES = 1 << 16, MOST_JOBS = 256 };
#define MOST_SECONDS 1e9

static_assert(sizeof(col_metric) == sizeof(int), "enums are read as int");

#define MEMBER(member) offsetof(col_episode_settings, member)
#define TEXT(name, member)                                                                         \
    { name, EPI_TEXT, MEMBER(member), 0, 0, NULL, 0 }
#define FLAG(name, member)                                                                         \
    { name, EPI_FLAG, MEMBER(member), 0, 0, NULL, 0 }
#define NUMBER(name, member, most)                                                                 \
    { name, EPI_NUMBER, MEMBER(member), 1, most, NULL, 0 }
#define LARGE(name, member, least, most)                                                           \
    { name, EPI_LARGE, MEMBER(member), least, most, NULL, 0 }
#define CHOICE(name, member, form, words)                                                          \
    { name, form, MEMBER(member), 0, 0, words, 0 }

const epi_field epi_fields[] = {
    TEXT("design", setting.design.name),
    NUMBER("cores", setting.design.cores, COL_MAX_THREADS),
    TEXT("options", setting.design.options),
    CHOICE("model", setting, EPI_MODEL, col_models),
    TEXT("include", setting.model_include),
    TEXT("error", setting.design.error),
    NUMBER("mutant", setting.design.mutant, UINT32_MAX),
    FLAG("own-process", setting.design.own_process),
    FLAG("reads-only", setting.design.reads_only),
    {"judge-limit", EPI_SECONDS, MEMBER(setting.judging), 0, 0, NULL, 0},
    CHOICE("engine", engine, EPI_ENGINE, col_engines),
    TEXT("engine-options", engine_options),
    {"ops", EPI_RANGE, MEMBER(operations), 1, UINT32_MAX - 1, NULL, MEMBER(has_operations)},
    {"locations", EPI_RANGE, MEMBER(locations), 1, COL_MAX_LOCATIONS, NULL, MEMBER(has_locations)},
    NUMBER("sets", sets, COL_MAX_LOCATIONS),
    TEXT("mix", mix),
    {"instances", EPI_NUMBER, MEMBER(instances), 1, MOST_INSTANCES, NULL, MEMBER(has_instances)},
    CHOICE("metric", metric, EPI_CHOICE, col_metrics),
    FLAG("witness", watches),
    FLAG("repeat", repeat),
    FLAG("keep-going", keep_going),
    LARGE("tests", tests, 1, UINT32_MAX),
    LARGE("cycles", cycles, 1, INT64_MAX),
    {"time", EPI_SECONDS, MEMBER(seconds), 0, 0, NULL, 0},
    {"until-coverage", EPI_FRACTION, MEMBER(until_coverage), 0, 0, NULL, 0},
    NUMBER("jobs", jobs, MOST_JOBS),
    LARGE("seed", seed, 0, INT64_MAX),
    {NULL, EPI_TEXT, 0, 0, 0, NULL, 0},
};

const epi_field *epi_field_find(const epi_field *fields, const char *name) {
    for (const epi_field *field = fields; field->name != NULL; field++)
        if (strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

/* ---- Reading. */

static bool parse_range(const char *text, uint64_t most, col_range *range) {
    char first[64];
    uint64_t least = 0, greatest = 0;
    const char *colon = strchr(text, ':');
    const size_t length = colon == NULL ? strlen(text) : (size_t)(colon - text);
    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    if (!base_number_parse(first, &least) ||
        !base_number_parse(colon == NULL ? first : colon + 1, &greatest) || least == 0 ||
        least > greatest || greatest > most)
        return false;
    *range = (col_range){(uint32_t)least, (uint32_t)greatest};
    return true;
}

static col_status read_range(const epi_field *field, const char *text, const char *dashes,
                             col_range *range, col_problem *problem) {
    if (parse_range(text, field->most, range))
        return COL_OK;
    return base_refuse(problem, "%s%s is a number up to %u or a range such as 4:128, not '%.40s'",
                       dashes, field->name, (uint32_t)field->most, text);
}

static col_status read_decimal(const epi_field *field, const char *text, const char *dashes,
                               double *number, col_problem *problem) {
    if (field->form == EPI_SECONDS)
        return base_duration_read(dashes, field->name, text, MOST_SECONDS, false, number, problem);
    const char *end = base_decimal_parse(text, number);
    if (end == NULL || *end != '\0' || *number <= 0 || *number > 1)
        return base_refuse(problem, "%s%s is a number such as 0.9, not '%.40s'", dashes,
                           field->name, text);
    return COL_OK;
}

static col_status read_number(const epi_field *field, const char *text, const char *dashes,
                              uint64_t *number, col_problem *problem) {
    if (!base_number_parse(text, number) || *number < field->least || *number > field->most)
        return base_refuse(
            problem, "%s%s takes a number from %llu to %llu, such as 16 or 4Ki, not '%s'", dashes,
            field->name, (unsigned long long)field->least, (unsigned long long)field->most, text);
    return COL_OK;
}

static col_status read_flag(const epi_field *field, const char *text, const char *dashes,
                            bool *flag, col_problem *problem) {
    static const char *const words[] = {"no", "yes", NULL};
    uint32_t choice = 0;
    const col_status status = base_choice_read(dashes, field->name, words, text, &choice, problem);
    *flag = status == COL_OK && choice == 1;
    return status;
}

static col_status read_model(const epi_field *field, const char *text, const char *dashes,
                             col_setting *setting, col_problem *problem) {
    uint32_t choice = 0;
    setting->model = -1;
    setting->model_file = epi_model_is_file(text) ? text : NULL;
    if (setting->model_file != NULL)
        return COL_OK;
    const col_status status =
        base_choice_read(dashes, field->name, field->words, text, &choice, problem);
    setting->model = (int)choice;
    return status;
}

static col_status read_member(const epi_field *field, const char *text, const char *dashes,
                              void *target, col_problem *problem) {
    void *member = (char *)target + field->offset;
    uint64_t number = 0;
    uint32_t choice = 0;
    col_status status = COL_OK;
    switch (field->form) {
    case EPI_TEXT:
        *(const char **)member = text;
        return COL_OK;
    case EPI_FLAG:
        return read_flag(field, text, dashes, member, problem);
    case EPI_NUMBER:
        status = read_number(field, text, dashes, &number, problem);
        if (status == COL_OK)
            *(uint32_t *)member = (uint32_t)number;
        return status;
    case EPI_LARGE:
        return read_number(field, text, dashes, member, problem);
    case EPI_RANGE:
        return read_range(field, text, dashes, member, problem);
    case EPI_SECONDS:
    case EPI_FRACTION:
        return read_decimal(field, text, dashes, member, problem);
    case EPI_CHOICE:
        status = base_choice_read(dashes, field->name, field->words, text, &choice, problem);
        *(int *)member = (int)choice;
        return status;
    case EPI_MODEL:
        return read_model(field, text, dashes, member, problem);
    case EPI_ENGINE:
    case EPI_WORD:
        if (field->form == EPI_ENGINE && epi_engine_is_code(text)) {
            *(const char **)member = text;
            return COL_OK;
        }
        status = base_choice_read(dashes, field->name, field->words, text, &choice, problem);
        *(const char **)member = field->words[choice];
        return status;
    }
    return status;
}

col_status epi_field_read(const epi_field *field, const char *text, const char *dashes,
                          void *target, col_problem *problem) {
    const col_status status = read_member(field, text, dashes, target, problem);
    if (status == COL_OK && field->is_said > 0)
        *(bool *)((char *)target + field->is_said) = true;
    return status;
}

col_status col_episode_set(col_episode_settings *settings, const char *name, const char *text,
                           col_problem *problem) {
    const epi_field *field = epi_field_find(epi_fields, name);
    if (field == NULL)
        return base_refuse(problem,
                           "an episode has no setting '%.60s'; those of collider run --help are "
                           "known, without dashes",
                           name);
    return epi_field_read(field, text, "", settings, problem);
}

/* ---- One spelling. */

static void spell_decimal(double number, base_text *spelling) {
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        double again = 0;
        (void)snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (base_decimal_parse(digits, &again) != NULL && again == number)
            break;
    }
    base_text_add(spelling, digits);
}

void epi_field_spell(const epi_field *field, const char *text, base_text *spelling) {
    uint64_t number = 0;
    double decimal = 0;
    col_range range = {0, 0};
    switch (field->form) {
    case EPI_NUMBER:
    case EPI_LARGE:
        (void)base_number_parse(text, &number);
        base_text_number(spelling, number);
        return;
    case EPI_RANGE:
        (void)parse_range(text, field->most, &range);
        base_text_number(spelling, range.least);
        if (range.most > range.least)
            base_text_print(spelling, ":%u", range.most);
        return;
    case EPI_SECONDS:
        (void)base_duration_parse(text, &decimal);
        spell_decimal(decimal, spelling);
        base_text_add(spelling, "s");
        return;
    case EPI_FRACTION:
        (void)base_decimal_parse(text, &decimal);
        spell_decimal(decimal, spelling);
        return;
    default:
        base_text_add(spelling, text);
    }
}

/* ---- Budgets. */

void epi_settings_begin(col_episode_settings *settings) {
    col_episode_default(settings);
    settings->seconds = 0;
}

void epi_settings_end(col_episode_settings *settings) {
    enum { DEFAULT_SECONDS = 60 };
    if (settings->tests == 0 && settings->cycles == 0 && settings->seconds <= 0 &&
        settings->programs == NULL)
        settings->seconds = DEFAULT_SECONDS;
}

/* ---- Its design and its engine. */

bool epi_engine_is_code(const char *engine) {
    return base_is_plugin(engine);
}

col_status epi_design_open(col_duv **duv, const col_setting *setting, col_problem *problem) {
    return col_duv_open(duv, setting->design.name, &setting->design, problem);
}

col_engine_settings epi_engine_settings(const col_episode_settings *settings, uint32_t threads,
                                        col_geometry geometry, const col_duv_description *design) {
    return (col_engine_settings){.threads = threads,
                                 .operations = settings->operations,
                                 .locations = settings->locations,
                                 .sets = settings->sets,
                                 .mix = settings->mix,
                                 .options = settings->engine_options,
                                 .repeat = settings->repeat,
                                 .cycles = settings->cycles,
                                 .seconds = settings->seconds,
                                 .geometry = geometry,
                                 .seed = settings->seed,
                                 .fetches = design != NULL && design->fetches,
                                 .dma = design != NULL && design->dma};
}

col_status epi_engine_try(const col_episode_settings *settings, const col_duv_description *design,
                          bool *learns, col_problem *problem) {
    enum { USUAL_CORES = 8 };
    col_geometry geometry;
    const uint32_t cores = settings->setting.design.cores;
    if (design == NULL)
        prg_geometry_default(&geometry);
    else
        geometry = design->geometry;
    const col_engine_settings of_engine = epi_engine_settings(settings,
                                                              design != NULL ? design->cores
                                                              : cores == 0   ? USUAL_CORES
                                                                             : cores,
                                                              geometry, design);
    col_engine *engine = NULL;
    const col_status status = col_engine_new(&engine, settings->engine, &of_engine, problem);
    if (status == COL_OK && learns != NULL)
        *learns = col_engine_learning(engine) != NULL;
    col_engine_free(engine);
    return status;
}
