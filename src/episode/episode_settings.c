/* SPDX-License-Identifier: MIT */
/* The settings of an episode: see episode_settings.h. */
#include "episode/episode_settings.h"

#include "base/plugin.h"
#include "episode/episode_judge.h"
#include "program/geometry.h"

const base_field epi_fields[] = {
#define ROW(place, word, form, member, ...)                                                        \
    [EPI_##place] = {BASE_FIELD(word, form, col_episode_settings, member), __VA_ARGS__},
    EPI_SETTINGS(ROW)
#undef ROW
        [EPI_SETTING_COUNT] = {.name = NULL}};

col_status col_episode_set(col_episode_settings *settings, const char *name, const char *text,
                           col_problem *problem) {
    const base_field *field = base_field_find(epi_fields, name);
    return field == NULL ? base_fields_refuse(epi_fields, "an episode", "setting", name, problem)
                         : base_field_read(field, text, "", settings, problem);
}

void col_episode_default(col_episode_settings *settings) {
    *settings = (col_episode_settings){.setting = {.model = -1, .limit = 60},
                                       .repeat = true,
                                       .jobs = 1,
                                       .seconds = 60,
                                       .save_every = 60};
    base_fields_default(epi_fields, settings);
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
