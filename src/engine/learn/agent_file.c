/* SPDX-License-Identifier: MIT */
/*
 * Agents as JSON. "shape" is what two agents need to have in common to exchange their networks; an
 * agent that goes on where another stopped has all of its settings. Nothing in a file is taken on
 * trust: what is refused leaves the networks as they were.
 */

#include "base/number.h"
#include "engine/learn/learning_agent.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- The shape. */

typedef struct feature {
    const char *name;
    size_t offset;
} feature;

#define FEATURE(member)                                                                            \
    { #member, offsetof(lrn_settings, member) }

static const feature features[] = {
    FEATURE(inputs),  FEATURE(actions),   FEATURE(sees_actions), FEATURE(history), FEATURE(layers),
    FEATURE(neurons), FEATURE(recurrent), FEATURE(atoms),        FEATURE(dueling), FEATURE(noisy),
};

static uint64_t feature_of(const lrn_settings *settings, const feature *f) {
    uint64_t number = 0;
    memcpy(&number, (const char *)settings + f->offset, sizeof number);
    return number;
}

static json_t *save_shape(const lrn_settings *settings) {
    json_t *shape = json_pack("{s:f, s:f}", "least", settings->least, "most", settings->most);
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
        base_json_set(&shape, features[i].name,
                      json_integer((json_int_t)feature_of(settings, &features[i])));
    return shape;
}

static col_status check_shape(const lrn_settings *settings, const json_t *saved,
                              col_problem *problem) {
    const json_t *shape = json_object_get(saved, "shape");
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        const uint64_t expected = feature_of(settings, &features[i]);
        uint64_t number = 0;
        if (!base_json_take(shape, features[i].name, &number))
            return base_refuse(problem, "the saved agent does not say its %s", features[i].name);
        if (number != expected)
            return base_refuse(
                problem, "the saved agent has another shape: its %s is %llu, not %llu",
                features[i].name, (unsigned long long)number, (unsigned long long)expected);
    }
    const json_t *least = json_object_get(shape, "least"), *most = json_object_get(shape, "most");
    if (settings->atoms > 1 &&
        (!json_is_number(least) || !json_is_number(most) ||
         json_number_value(least) != settings->least || json_number_value(most) != settings->most))
        return base_refuse(problem, "the saved agent's atoms are not for returns from %g to %g",
                           settings->least, settings->most);
    return COL_OK;
}

/* ---- Saving. */

static json_t *save_floats(const float *numbers, size_t count) {
    return lrn_save_items(numbers, count, sizeof *numbers);
}

static json_t *save_life(const lrn_agent *agent) {
    const lrn_life *life = &agent->life;
    json_t *before = life->before == LRN_NO_ACTION ? json_null() : json_integer(life->before);
    json_t *choice = life->has_choice
                         ? json_pack("{s:I, s:o}", "action", (json_int_t)life->action, "allowed",
                                     lrn_save_items(&life->allowed, 1, sizeof life->allowed))
                         : json_null();
    return json_pack("{s:I, s:o, s:o, s:o}", "count", (json_int_t)life->count, "inputs",
                     save_floats(life->inputs, (size_t)life->count * agent->width), "before",
                     before, "choice", choice);
}

static json_t *save_optimiser(const lrn_optimiser *o) {
    json_t *first = o->first != NULL ? save_floats(o->first, o->count) : json_null();
    return json_pack("{s:I, s:o, s:o}", "steps", (json_int_t)o->steps, "first", first, "second",
                     save_floats(o->second, o->count));
}

json_t *lrn_agent_save(const lrn_agent *agent) {
    const size_t count = agent->parameter_count;
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o}", "shape",
                     save_shape(&agent->settings), "online", save_floats(agent->parameters, count),
                     "target", save_floats(agent->target_parameters, count), "optimiser",
                     save_optimiser(&agent->optimiser), "steps", (json_int_t)agent->steps,
                     "trainings", (json_int_t)agent->trainings, "random",
                     lrn_save_items(agent->rng.state, 4, sizeof agent->rng.state[0]), "life",
                     save_life(agent), "replay", lrn_replay_save(agent->replay));
}

/* ---- Restoring. */

static col_status check_networks(const lrn_agent *agent, const json_t *saved,
                                 col_problem *problem) {
    if (!lrn_restore_floats(json_object_get(saved, "online"), agent->parameter_count, NULL))
        return base_refuse(problem, "the saved agent has no valid online network");
    if (!lrn_restore_floats(json_object_get(saved, "target"), agent->parameter_count, NULL))
        return base_refuse(problem, "the saved agent has no valid target network");
    return COL_OK;
}

col_status lrn_agent_load(lrn_agent *agent, const json_t *saved, col_problem *problem) {
    BASE_TRY(check_shape(&agent->settings, saved, problem));
    BASE_TRY(check_networks(agent, saved, problem));
    (void)lrn_restore_floats(json_object_get(saved, "online"), agent->parameter_count,
                             agent->parameters);
    (void)lrn_restore_floats(json_object_get(saved, "target"), agent->parameter_count,
                             agent->target_parameters);
    return COL_OK;
}

static bool restore_optimiser(lrn_optimiser *o, const json_t *saved) {
    const json_t *first = json_object_get(saved, "first");
    if (!lrn_restore_number(saved, "steps", INT64_MAX, &o->steps) ||
        !(o->first != NULL ? lrn_restore_floats(first, o->count, o->first) : json_is_null(first)) ||
        !lrn_restore_floats(json_object_get(saved, "second"), o->count, o->second))
        return false;
    for (size_t i = 0; i < o->count; i++)
        if (!(o->second[i] >= 0))
            return false;
    return true;
}

static bool restore_choice(const lrn_agent *agent, lrn_life *life, const json_t *saved) {
    const uint64_t actions = agent->settings.actions;
    uint64_t action = 0;
    life->has_choice = false;
    if (json_is_null(saved))
        return true;
    if (!lrn_restore_number(saved, "action", actions - 1, &action) ||
        !lrn_restore_items(json_object_get(saved, "allowed"), 1, sizeof life->allowed,
                           &life->allowed))
        return false;
    life->action = (uint32_t)action;
    life->has_choice = life->count > 0 && (life->allowed >> action & 1) != 0 &&
                       (actions == 64 || life->allowed >> actions == 0);
    return life->has_choice;
}

static bool restore_life(const lrn_agent *agent, lrn_life *life, const json_t *saved) {
    const json_t *before = json_object_get(saved, "before");
    uint64_t count = 0, action = 0;
    if (!lrn_restore_number(saved, "count", agent->settings.history, &count) ||
        !lrn_restore_floats(json_object_get(saved, "inputs"), count * agent->width, life->inputs))
        return false;
    life->count = (uint32_t)count;
    life->before = LRN_NO_ACTION;
    if (!json_is_null(before)) {
        if (!lrn_restore_number(saved, "before", agent->settings.actions - 1, &action))
            return false;
        life->before = (uint32_t)action;
    }
    return restore_choice(agent, life, json_object_get(saved, "choice"));
}

/* What comes next in the replay has to follow from what is there. */
static bool is_continued(const lrn_agent *agent) {
    const uint32_t count = lrn_replay_count(agent->replay);
    if (count == 0)
        return agent->life.before == LRN_NO_ACTION;
    const lrn_step last = lrn_replay_step(agent->replay, count - 1);
    return agent->life.before == (last.ended ? LRN_NO_ACTION : last.action);
}

col_status lrn_agent_restore(lrn_agent *agent, const json_t *saved, col_problem *problem) {
    BASE_TRY(check_shape(&agent->settings, saved, problem));
    BASE_TRY(check_networks(agent, saved, problem));
    BASE_TRY(lrn_replay_restore(agent->replay, (uint32_t)agent->settings.actions,
                                json_object_get(saved, "replay"), problem));
    if (!restore_optimiser(&agent->optimiser, json_object_get(saved, "optimiser")))
        return base_refuse(problem, "the saved agent has no valid state of its optimiser");
    if (!lrn_restore_number(saved, "steps", INT64_MAX, &agent->steps) ||
        !lrn_restore_number(saved, "trainings", INT64_MAX, &agent->trainings))
        return base_refuse(problem, "the saved agent does not say how long it has learned");
    uint64_t s[4]; /* from four zeros nothing but zeros would follow, and no normal deviate ever */
    if (!lrn_restore_items(json_object_get(saved, "random"), 4, sizeof *s, s) ||
        (s[0] | s[1] | s[2] | s[3]) == 0)
        return base_refuse(problem, "the saved agent has no state of chance");
    memcpy(agent->rng.state, s, sizeof s);
    if (!restore_life(agent, &agent->life, json_object_get(saved, "life")) || !is_continued(agent))
        return base_refuse(problem, "the saved agent has no valid life under way");
    return lrn_agent_load(agent, saved, problem);
}

/* Arrays as JSON. */

static uint64_t number_at(const unsigned char *item, size_t size) {
    uint64_t eight = 0;
    uint32_t four = 0;
    if (size == sizeof eight) {
        memcpy(&eight, item, size);
        return eight;
    }
    if (size == sizeof four) {
        memcpy(&four, item, size);
        return four;
    }
    return *item;
}

static void set_number(unsigned char *item, size_t size, uint64_t number) {
    const uint32_t four = (uint32_t)number;
    if (size == sizeof number)
        memcpy(item, &number, size);
    else if (size == sizeof four)
        memcpy(item, &four, size);
    else
        *item = (unsigned char)number;
}

json_t *lrn_save_items(const void *items, size_t count, size_t size) {
    const size_t length = 2 * size * count;
    char *text = malloc(length + 1), *at = text;
    if (text == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        at = base_put_hexadecimal(at, number_at((const unsigned char *)items + i * size, size),
                                  (int)(2 * size));
    json_t *value = json_stringn(text, length);
    free(text);
    return value;
}

/* The start of a text for as many items; NULL: it is none, or of another length. */
static const char *text_of(const json_t *saved, size_t count, size_t size) {
    return json_is_string(saved) && json_string_length(saved) == 2 * size * count
               ? json_string_value(saved)
               : NULL;
}

/* `items` NULL looks at them alone. */
static bool restore(const json_t *saved, size_t count, size_t size, bool are_floats, void *items) {
    const char *at = text_of(saved, count, size);
    for (size_t i = 0; at != NULL && i < count; i++) {
        uint64_t number = 0;
        float value = 0;
        if (!base_take_hexadecimal(&at, (int)(2 * size), &number))
            return false;
        if (are_floats)
            set_number((unsigned char *)&value, sizeof value, number);
        if (!isfinite(value))
            return false;
        if (items != NULL)
            set_number((unsigned char *)items + i * size, size, number);
    }
    return at != NULL;
}

bool lrn_restore_items(const json_t *saved, size_t count, size_t size, void *items) {
    return restore(saved, count, size, false, items);
}

bool lrn_restore_floats(const json_t *saved, size_t count, float *numbers) {
    return restore(saved, count, sizeof *numbers, true, numbers);
}

bool lrn_restore_number(const json_t *saved, const char *key, uint64_t most, uint64_t *number) {
    return base_json_take(saved, key, number) && *number <= most;
}
