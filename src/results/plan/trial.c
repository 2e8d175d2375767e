/* SPDX-License-Identifier: MIT */
/* A trial: the settings that its pairs stand for, its words and its key. See trial.h. */
#include "results/plan/trial.h"

#include "base/file.h"
#include "base/names.h"
#include "design/design_kind.h"
#include "episode/episode_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The settings of each kind. */

const base_field cam_tour_fields[] = {
#define ROW(place, word, form, member, ...)                                                        \
    [CAM_TOUR_##place] = {BASE_FIELD(word, form, col_tour_settings, member), __VA_ARGS__},
    CAM_TOUR_SETTINGS(ROW)
#undef ROW
        [CAM_TOUR_SETTING_COUNT] = {.name = NULL}};

/* Of the trial, not of the settings of its episode: the target is a bool or a text. */
static const base_field own_fields[] = {
    {.name = "learning", .kind = BASE_FLAG, .size = sizeof(bool)},
    {.name = "known", .kind = BASE_TEXT, .size = sizeof(const char *)},
    BASE_LAST_FIELD,
};
enum { LEARNING, KNOWN, OWN_COUNT };

static const char *const location_names[] = {"design", "cores",     "options", "engine",
                                             "ops",    "locations", "sets",    "mix",
                                             "tests",  "instances", "seed",    NULL};

static bool has(cam_kind kind, const char *name) {
    if (kind == CAM_LOCATIONS)
        return base_choice_find(location_names, name, strlen(name), &(uint32_t){0});
    return kind == CAM_TOUR || strcmp(name, "jobs") != 0; /* jobs are the campaign's */
}

const base_field *cam_field_find(cam_kind kind, const char *name, uint32_t *place) {
    const base_field *fields = kind == CAM_TOUR ? cam_tour_fields : epi_fields;
    const base_field *field = base_field_find(fields, name);
    const base_field *own = base_field_find(own_fields, name);
    if (kind == CAM_EPISODE && own != NULL) {
        *place = UINT32_MAX - (uint32_t)(own - own_fields);
        return own;
    }
    if (field == NULL || !has(kind, name))
        return NULL;
    *place = (uint32_t)(field - fields);
    return field;
}

const base_field *cam_field_at(cam_kind kind, uint32_t index) {
    const base_field *fields = kind == CAM_TOUR ? cam_tour_fields : epi_fields;
    for (const base_field *field = fields; field->name != NULL; field++)
        if (has(kind, field->name) && index-- == 0)
            return field;
    return kind == CAM_EPISODE && index < OWN_COUNT ? &own_fields[index] : NULL;
}

void cam_field_list(cam_kind kind, base_text *list) {
    const base_field *field = NULL;
    for (uint32_t i = 0; (field = cam_field_at(kind, i)) != NULL; i++)
        base_text_print(list, "%s%s", i == 0 ? "" : ", ", field->name);
    if (kind == CAM_EPISODE)
        base_text_add(list, ", shrink");
}

col_status cam_field_try(const base_field *field, const char *text, col_problem *problem) {
    union {
        bool learns;
        col_tour_settings tour;
        col_episode_settings episode;
    } any;
    memset(&any, 0, sizeof any);
    return base_field_read(field, text, "", &any, problem);
}

/* ---- Of a trial. */

static bool is_same(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool cam_trials_share(const cam_trial *a, const cam_trial *b, const char *name) {
    return is_same(cam_trial_value(a, name), cam_trial_value(b, name));
}

static col_status read_pairs(const cam_trial *trial, const base_field *fields, void *settings,
                             col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < trial->pair_count && status == COL_OK; i++) {
        const base_field *field = base_field_find(fields, trial->pairs[i].name);
        const cam_pair *pair = &trial->pairs[i];
        if (field != NULL)
            status = base_field_read(field, pair->path != NULL ? pair->path : pair->value, "",
                                     settings, problem);
    }
    return status;
}

col_status cam_trial_episode(const cam_trial *trial, col_episode_settings *settings,
                             col_problem *problem) {
    epi_settings_begin(settings);
    settings->repeat = false; /* in a plan a trial ends with its engine unless it says otherwise */
    const col_status status = read_pairs(trial, epi_fields, settings, problem);
    epi_settings_end(settings);
    return status;
}

col_status cam_trial_tour(const cam_trial *trial, col_tour_settings *settings,
                          col_problem *problem) {
    col_tour_default(settings);
    base_fields_default(cam_tour_fields, settings);
    return read_pairs(trial, cam_tour_fields, settings, problem);
}

bool cam_trial_learns(const cam_trial *trial) {
    return cam_trial_value(trial, own_fields[LEARNING].name) != NULL;
}

bool cam_field_is_known(const base_field *field) {
    return field == &own_fields[KNOWN];
}

const char *cam_trial_known(const cam_trial *trial) {
    for (uint32_t i = 0; i < trial->pair_count; i++)
        if (strcmp(trial->pairs[i].name, own_fields[KNOWN].name) == 0)
            return trial->pairs[i].path != NULL ? trial->pairs[i].path : trial->pairs[i].value;
    return NULL;
}

void cam_trial_print(const cam_trial *trial, base_text *text) {
    if (trial->kind != CAM_EPISODE)
        base_text_add(text, cam_kinds[trial->kind]);
    for (uint32_t i = 0; i < trial->pair_count; i++)
        base_text_print(text, "%s%s=%s", text->length == 0 ? "" : " ", trial->pairs[i].name,
                        trial->pairs[i].value);
}

/* Trials in a few words. */

static bool is_known(const struct cam_varying *varying, const char *name) {
    for (size_t i = 0; i < varying->count; i++)
        if (strcmp(varying->names[i], name) == 0)
            return true;
    return false;
}

/* Settings of one trial that are otherwise, or not given, in the other. */
static col_status add_differences(struct cam_varying *varying, const cam_trial *trial,
                                  const cam_trial *other, col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < trial->pair_count && status == COL_OK; i++) {
        const cam_pair *pair = &trial->pairs[i];
        const bool is_there =
            i < other->pair_count && strcmp(other->pairs[i].name, pair->name) == 0;
        const char *value = is_there ? other->pairs[i].value : cam_trial_value(other, pair->name);
        if (is_same(pair->value, value) || is_known(varying, pair->name))
            continue;
        status = base_reserve(&varying->names, &varying->capacity, varying->count + 1,
                              sizeof *varying->names, problem);
        if (status == COL_OK)
            varying->names[varying->count++] = pair->name;
    }
    return status;
}

col_status cam_wording_begin(cam_wording *wording, const cam_plan *plan, col_problem *problem) {
    const cam_trial *last[CAM_KIND_COUNT] = {NULL};
    col_status status = COL_OK;
    *wording = (cam_wording){.plan = plan};
    for (size_t i = 0; i < plan->trial_count && status == COL_OK; i++) {
        const cam_trial *trial = &plan->trials[i], *before = last[trial->kind];
        struct cam_varying *varying = &wording->varying[trial->kind];
        last[trial->kind] = trial;
        if (before != NULL)
            status = add_differences(varying, trial, before, problem);
        if (before != NULL && status == COL_OK)
            status = add_differences(varying, before, trial, problem);
    }
    return status;
}

const char *cam_wording_of(cam_wording *wording, size_t position) {
    base_text text = {0};
    const cam_trial *trial = &wording->plan->trials[position];
    for (uint32_t i = 0; i < trial->pair_count; i++)
        if (is_known(&wording->varying[trial->kind], trial->pairs[i].name))
            base_text_print(&text, "%s%s", text.length == 0 ? "" : " ", trial->pairs[i].value);
    const char *copy =
        text.data == NULL ? "" : base_arena_text(&wording->texts, text.data, text.length);
    base_text_free(&text);
    return copy == NULL ? "" : copy;
}

void cam_wording_forget(cam_wording *wording) {
    base_arena_free(&wording->texts);
}

void cam_wording_end(cam_wording *wording) {
    base_arena_free(&wording->texts);
    for (int kind = 0; kind < CAM_KIND_COUNT; kind++)
        free(wording->varying[kind].names);
    *wording = (cam_wording){0};
}

col_status cam_choose_kept(const cam_plan *plan, bool *kept, col_problem *problem) {
    cam_distinct groups = {0};
    const col_status status = cam_distinct_find(&groups, plan, cam_all_but_seed, problem);
    for (size_t i = plan->trial_count; i-- > 0 && status == COL_OK;) {
        const cam_trial *trial = &plan->trials[i];
        kept[i] =
            groups.trials[cam_distinct_place(&groups, trial)]-- <= CAM_STORIES || trial->shrink > 0;
    }
    cam_distinct_free(&groups);
    return status;
}

/* ---- Combinations of settings that occur in a plan. There may be a million trials. */

const char *const cam_all_settings[] = {NULL};
const char *const cam_all_but_seed[] = {"seed", NULL};

static uint64_t feed(uint64_t hash, const char *text) {
    return XXH3_64bits_withSeed(text, strlen(text) + 1, hash);
}

static uint64_t hash_of(const cam_distinct *d, const cam_trial *trial) {
    uint64_t hash = trial->kind;
    if (d->names == cam_all_settings || d->names == cam_all_but_seed) {
        for (uint32_t i = 0; i < trial->pair_count; i++)
            if (!(d->names == cam_all_but_seed && strcmp(trial->pairs[i].name, "seed") == 0))
                hash = feed(feed(hash, trial->pairs[i].name), trial->pairs[i].value);
        return hash;
    }
    for (const char *const *name = d->names; *name != NULL; name++) {
        const char *value = cam_trial_value(trial, *name);
        hash = value == NULL ? hash + 1 : feed(hash, value);
    }
    return hash;
}

static bool is_wanted(const void *distinct, uint32_t number, const void *trial) {
    const cam_distinct *d = distinct;
    const cam_trial *a = &d->plan->trials[d->positions[number]], *b = trial;
    bool same = a->kind == b->kind;
    if (d->names != cam_all_settings && d->names != cam_all_but_seed) {
        for (const char *const *name = d->names; *name != NULL && same; name++)
            same = cam_trials_share(a, b, *name);
        return same;
    }
    same = same && a->pair_count == b->pair_count; /* in the order of the table of settings */
    for (uint32_t i = 0; i < a->pair_count && same; i++)
        same = strcmp(a->pairs[i].name, b->pairs[i].name) == 0 &&
               ((d->names == cam_all_but_seed && strcmp(a->pairs[i].name, "seed") == 0) ||
                strcmp(a->pairs[i].value, b->pairs[i].value) == 0);
    return same;
}

static col_status add(cam_distinct *d, size_t position, col_problem *problem) {
    const cam_trial *trial = &d->plan->trials[position];
    const uint64_t hash = hash_of(d, trial);
    uint32_t place = base_index_find(&d->index, hash, is_wanted, d, trial);
    if (place == BASE_NO_NUMBER) {
        BASE_TRY(base_index_put(&d->index, hash, problem));
        place = (uint32_t)d->count++;
        d->positions[place] = position;
    }
    d->trials[place]++;
    return COL_OK;
}

col_status cam_distinct_find(cam_distinct *distinct, const cam_plan *plan, const char *const *names,
                             col_problem *problem) {
    col_status status = COL_OK;
    *distinct = (cam_distinct){.plan = plan, .names = names};
    BASE_TRY(base_new(&distinct->positions, plan->trial_count + 1, sizeof(size_t), problem));
    BASE_TRY(base_new(&distinct->trials, plan->trial_count + 1, sizeof(size_t), problem));
    for (size_t i = 0; i < plan->trial_count && status == COL_OK; i++)
        status = add(distinct, i, problem);
    return status;
}

void cam_distinct_free(cam_distinct *distinct) {
    free(distinct->positions);
    free(distinct->trials);
    base_index_free(&distinct->index);
    *distinct = (cam_distinct){0};
}

size_t cam_distinct_place(const cam_distinct *d, const cam_trial *trial) {
    const uint32_t place = base_index_find(&d->index, hash_of(d, trial), is_wanted, d, trial);
    return place == BASE_NO_NUMBER ? SIZE_MAX : place;
}

/* ---- Keys. Parts of what is hashed are told apart by their lengths. */

/* What has been found out about a design with an error, without cores, options and mutant, or about
 * a model in cat and where it includes from, so that each file is read once. */
typedef struct identity {
    bool is_model;
    const char *name, *further; /* the error; the folders */
    duv_identity design;
    char model[EPI_MODEL_HASH];
} identity;

typedef struct identities {
    identity *list;
    size_t count, capacity;
    base_arena arena; /* of names */
} identities;

static void add_bytes(XXH3_state_t *state, const char *bytes, size_t length) {
    const uint64_t size = length;
    (void)XXH3_128bits_update(state, &size, sizeof size);
    (void)XXH3_128bits_update(state, bytes, length);
}

static void add_word(XXH3_state_t *state, const char *word) {
    add_bytes(state, word == NULL ? "" : word, word == NULL ? 0 : strlen(word));
}

void cam_hash_print(XXH128_hash_t digest, char hash[CAM_HASH]) {
    (void)snprintf(hash, CAM_HASH, "%016llx%016llx", (unsigned long long)digest.high64,
                   (unsigned long long)digest.low64);
}

static col_status identify(identities *all, const col_setting *s, bool is_model,
                           const identity **found, col_problem *problem) {
    const char *name = is_model ? s->model_file : s->design.name;
    const char *further = is_model ? s->model_include : s->design.error;
    for (size_t i = 0; i < all->count; i++) {
        *found = &all->list[i];
        if ((*found)->is_model == is_model && strcmp((*found)->name, name) == 0 &&
            is_same((*found)->further, further))
            return COL_OK;
    }
    col_status status =
        base_reserve(&all->list, &all->capacity, all->count + 1, sizeof *all->list, problem);
    if (status != COL_OK)
        return status;
    identity *new = &all->list[all->count];
    *new = (identity){
        .is_model = is_model,
        .name = base_arena_text(&all->arena, name, strlen(name)),
        .further = further == NULL ? NULL : base_arena_text(&all->arena, further, strlen(further))};
    if (new->name == NULL || (further != NULL && new->further == NULL))
        status = base_out_of_memory(problem);
    else
        status = is_model ? epi_model_hash_file(s, new->model, problem)
                          : duv_identify(&new->design, name, further, problem);
    if (is_model && status == COL_BAD_INPUT) {
        new->model[0] = '\0'; /* it is refused when its turn comes */
        status = COL_OK;
    }
    all->count += status == COL_OK;
    *found = new;
    return status;
}

static col_status hash_design(identities *all, const col_setting *s, char hash[CAM_HASH],
                              col_problem *problem) {
    const identity *found;
    XXH3_state_t state;
    BASE_TRY(identify(all, s, false, &found, problem));
    const uint32_t cores = s->design.cores != 0 ? s->design.cores : found->design.cores;
    const uint32_t numbers[] = {cores, s->design.mutant};
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    add_word(&state, found->design.whole);
    add_word(&state, s->design.options);
    (void)XXH3_128bits_update(&state, numbers, sizeof numbers);
    cam_hash_print(XXH3_128bits_digest(&state), hash);
    return COL_OK;
}

/* An engine that is a plug-in is what is in its file, as a design is; so are known bugs. */
static col_status add_file(XXH3_state_t *state, const char *path, col_problem *problem) {
    base_text bytes = {0};
    const col_status status = base_file_read(path, &bytes, problem);
    if (status == COL_OK)
        add_bytes(state, bytes.data == NULL ? "" : bytes.data, bytes.length);
    base_text_free(&bytes);
    return status == COL_BAD_INPUT ? COL_OK : status; /* it is refused when its turn comes */
}

static col_status make_key(const cam_trial *trial, identities *all, char design[CAM_HASH],
                           char key[CAM_HASH], col_problem *problem) {
    col_episode_settings s;
    const identity *model;
    XXH3_state_t state;
    col_status status = COL_OK;
    const bool is_good = trial->kind != CAM_TOUR && cam_trial_episode(trial, &s, NULL) == COL_OK;
    const bool is_episode = is_good && trial->kind == CAM_EPISODE;
    if (is_good && cam_trial_value(trial, "design") != NULL)
        status = hash_design(all, &s.setting, design, problem);
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    add_word(&state, cam_kinds[trial->kind]);
    for (uint32_t i = 0; i < trial->pair_count; i++) {
        add_word(&state, trial->pairs[i].name);
        add_word(&state, trial->pairs[i].value);
    }
    add_word(&state, design);
    if (status == COL_OK && is_episode && epi_engine_is_code(s.engine))
        status = add_file(&state, s.engine, problem);
    if (status == COL_OK && is_episode && cam_trial_known(trial) != NULL)
        status = add_file(&state, cam_trial_known(trial), problem);
    if (status == COL_OK && is_episode && epi_model_is_cat(&s.setting)) {
        status = identify(all, &s.setting, true, &model, problem);
        add_word(&state, status == COL_OK ? model->model : "");
    }
    cam_hash_print(XXH3_128bits_digest(&state), key);
    return status;
}

col_status cam_keys_make(cam_keys *keys, const cam_plan *plan, col_problem *problem) {
    identities all = {0};
    col_status status = COL_OK;
    *keys = (cam_keys){.count = plan->trial_count};
    BASE_TRY(base_new(&keys->keys, plan->trial_count + 1, CAM_HASH, problem));
    BASE_TRY(base_new(&keys->designs, plan->trial_count + 1, CAM_HASH, problem));
    for (size_t i = 0; i < plan->trial_count && status == COL_OK; i++)
        status = make_key(&plan->trials[i], &all, keys->designs[i], keys->keys[i], problem);
    base_arena_free(&all.arena);
    free(all.list);
    return status;
}

void cam_keys_free(cam_keys *keys) {
    free(keys->keys);
    free(keys->designs);
    *keys = (cam_keys){0};
}

/* ---- Shards of a plan. */

/* A number without sign or blanks; false: there is none. */
static bool take_number(const char **at, uint32_t *number) {
    uint64_t value = 0;
    const char *start = *at;
    while (**at >= '0' && **at <= '9' && value <= CAM_MOST_SHARDS)
        value = value * 10 + (uint64_t)(*(*at)++ - '0');
    *number = (uint32_t)value;
    return *at != start && value >= 1 && value <= CAM_MOST_SHARDS;
}

col_status cam_shard_read(cam_shard *shard, const char *text, col_problem *problem) {
    const char *at = text;
    if (take_number(&at, &shard->number) && *at++ == '/' && take_number(&at, &shard->count) &&
        *at == '\0' && shard->number <= shard->count)
        return COL_OK;
    return base_refuse(problem,
                       "--shard takes K/N with K from 1 to N and N at most %d, such as 3/8, not "
                       "'%.40s'",
                       CAM_MOST_SHARDS, text);
}

/* Keys are hashes: their first bits spread evenly. */
bool cam_shard_has(const cam_shard *shard, const char *key) {
    enum { DIGITS = 15 };
    char first[DIGITS + 1] = "";
    memcpy(first, key, strnlen(key, DIGITS));
    return shard->count == 0 || strtoull(first, NULL, 16) % shard->count == shard->number - 1;
}

void cam_shard_choose(const cam_shard *shard, const cam_keys *keys, bool *chosen) {
    for (size_t i = 0; i < keys->count; i++)
        chosen[i] = chosen[i] && cam_shard_has(shard, keys->keys[i]);
}
