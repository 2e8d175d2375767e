/* SPDX-License-Identifier: MIT */
/* The keys `coverage` and `fsm` of a design file of kind verilog: see points.h. */
#include "base/number.h"
#include "duv/verilog/points.h"

#include <stdlib.h>
#include <string.h>

static col_status make_points(base_yaml *yaml, duv_verilog_file *file) {
    if (file->points == NULL)
        file->points = calloc(1, sizeof *file->points);
    return file->points == NULL ? base_out_of_memory(yaml->problem) : COL_OK;
}

static void free_words(duv_words *words) {
    for (uint32_t i = 0; i < words->count; i++)
        free(words->texts[i]);
}

void duv_points_free(duv_points *points) {
    if (points == NULL)
        return;
    for (uint32_t i = 0; i < points->signal_count; i++) {
        base_text_free(&points->signals[i].paths);
        free_words(&points->signals[i].transitions);
    }
    duv_module_filter *const filters[] = {&points->lines, &points->toggles};
    for (size_t f = 0; f < 2; f++) {
        free_words(&filters[f]->patterns);
        base_text_free(&filters[f]->modules);
    }
    base_text_free(&points->configuration);
    free(points);
}

/* ---- coverage: a word, or a map. */

static col_status read_covers(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    static const char *const words[] = {"none", "user", NULL};
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, words, &choice);
    ((duv_verilog_file *)target)->covers = choice == 1;
    return status;
}

static col_status add_pattern(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    duv_words *patterns = target;
    const char *text = base_yaml_scalar(value);
    if (text == NULL || text[0] == '\0' ||
        text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*?")] !=
            '\0')
        return base_yaml_refuse(yaml, value,
                                "%s are names of modules, in which * and ? stand for others, not "
                                "'%.60s'",
                                base_yaml_scalar(key), text == NULL ? "something else" : text);
    if (patterns->count == DUV_MOST_WORDS)
        return base_yaml_refuse(yaml, value, "%s has at most %d entries", base_yaml_scalar(key),
                                DUV_MOST_WORDS);
    patterns->places[patterns->count] = base_yaml_place(yaml, value);
    patterns->texts[patterns->count] = strdup(text);
    return patterns->texts[patterns->count++] == NULL ? base_out_of_memory(yaml->problem) : COL_OK;
}

/* One, or a list. */
static col_status read_patterns(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    duv_verilog_file *file = target;
    const col_status status = make_points(yaml, file);
    if (status != COL_OK)
        return status;
    duv_words *patterns = strcmp(base_yaml_scalar(key), "lines") == 0
                              ? &file->points->lines.patterns
                              : &file->points->toggles.patterns;
    return value->type == YAML_SEQUENCE_NODE
               ? base_yaml_items(yaml, key, value, add_pattern, patterns)
               : add_pattern(yaml, key, value, patterns);
}

static const base_yaml_field coverage_fields[] = {
    {.name = "points", .read = read_covers},
    {.name = "lines", .read = read_patterns},
    {.name = "toggles", .read = read_patterns},
    {.name = NULL},
};

col_status duv_read_coverage(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    return value->type == YAML_MAPPING_NODE
               ? base_yaml_fields(yaml, value, "coverage", coverage_fields, target)
               : read_covers(yaml, key, value, target);
}

/* ---- fsm: a list of state signals. */

static col_status read_module(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    (void)key;
    return duv_take_name(yaml, value, "module", &((duv_state_signal *)target)->module);
}

static col_status read_signal(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    (void)key;
    return duv_take_name(yaml, value, "signal", &((duv_state_signal *)target)->signal);
}

static col_status check_state(base_yaml *yaml, const base_yaml_node *key,
                              const duv_state_signal *signal, const duv_state *state) {
    for (const duv_state *other = signal->states; other < state; other++)
        if (other->value == state->value)
            return base_yaml_refuse(yaml, key, "the states %s and %s have the same value",
                                    other->name, state->name);
    return COL_OK;
}

static col_status add_state(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    duv_state_signal *signal = target;
    duv_named named;
    if (signal->state_count == DUV_MOST_STATES)
        return base_yaml_refuse(yaml, key, "there are at most %d states", DUV_MOST_STATES);
    col_status status = duv_take_name(yaml, key, "a state", &named);
    if (status != COL_OK)
        return status;
    duv_state *state = &signal->states[signal->state_count++];
    (void)snprintf(state->name, sizeof state->name, "%s", named.text);
    status = base_yaml_number(yaml, key, value, 0, UINT64_MAX, &state->value);
    return status == COL_OK ? check_state(yaml, key, signal, state) : status;
}

/* "package::type", "module.type" or "type". */
static col_status take_type(base_yaml *yaml, const base_yaml_node *value, duv_named *type) {
    const char *text = base_yaml_scalar(value);
    if (text == NULL || text[0] == '\0' || strlen(text) >= sizeof type->text ||
        text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.")] !=
            '\0')
        return base_yaml_refuse(yaml, value,
                                "states are names with values, or an enumeration such as "
                                "my_package::state_t, not '%.60s'",
                                text == NULL ? "something else" : text);
    (void)snprintf(type->text, sizeof type->text, "%s", text);
    type->place = base_yaml_place(yaml, value);
    return COL_OK;
}

static col_status read_states(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    duv_state_signal *signal = target;
    if (value->type != YAML_MAPPING_NODE)
        return take_type(yaml, value, &signal->type);
    const col_status status = base_yaml_each(yaml, value, "states", add_state, signal);
    return status == COL_OK && signal->state_count == 0
               ? base_yaml_refuse(yaml, key, "there is no state")
               : status;
}

/* The states behind a state, which the key names; or one. */
typedef struct successors {
    duv_words *transitions;
    duv_named from;
} successors;

static col_status add_transition(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    const successors *s = target;
    duv_words *all = s->transitions;
    duv_named to;
    char text[2 * DUV_NAME + 2];
    (void)key;
    const col_status status = duv_take_name(yaml, value, "a state", &to);
    if (status != COL_OK)
        return status;
    if (all->count == DUV_MOST_WORDS)
        return base_yaml_refuse(yaml, value, "there are at most %d transitions", DUV_MOST_WORDS);
    (void)snprintf(text, sizeof text, "%s %s", s->from.text, to.text);
    all->places[all->count] = to.place;
    all->texts[all->count] = strdup(text);
    return all->texts[all->count++] == NULL ? base_out_of_memory(yaml->problem) : COL_OK;
}

static col_status read_successors(base_yaml *yaml, const base_yaml_node *key,
                                  const base_yaml_node *value, void *target) {
    successors s = {.transitions = target};
    const col_status status = duv_take_name(yaml, key, "a state", &s.from);
    if (status != COL_OK)
        return status;
    return value->type == YAML_SEQUENCE_NODE ? base_yaml_items(yaml, key, value, add_transition, &s)
                                             : add_transition(yaml, key, value, &s);
}

static col_status read_transitions(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    duv_state_signal *signal = target;
    (void)key;
    signal->lists_transitions = true;
    return base_yaml_each(yaml, value, "transitions", read_successors, &signal->transitions);
}

static const base_yaml_field fsm_fields[] = {
    {.name = "module", .read = read_module},
    {.name = "signal", .read = read_signal},
    {.name = "states", .read = read_states},
    {.name = "transitions", .read = read_transitions},
    {.name = NULL},
};

static col_status add_fsm(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                          void *target) {
    duv_points *points = target;
    (void)key;
    if (points->signal_count == DUV_MOST_MACHINES)
        return base_yaml_refuse(yaml, value, "fsm has at most %d entries", DUV_MOST_MACHINES);
    duv_state_signal *signal = &points->signals[points->signal_count++];
    const col_status status = base_yaml_fields(yaml, value, "a state machine", fsm_fields, signal);
    if (status != COL_OK)
        return status;
    if (signal->module.text[0] == '\0' || signal->signal.text[0] == '\0')
        return base_yaml_refuse(yaml, value, "a state machine needs '%s'",
                                signal->module.text[0] == '\0' ? "module" : "signal");
    for (const duv_state_signal *other = points->signals; other < signal; other++)
        if (strcmp(other->module.text, signal->module.text) == 0 &&
            strcmp(other->signal.text, signal->signal.text) == 0)
            return base_yaml_refuse(yaml, value, "the signal %s of %s is here twice",
                                    signal->signal.text, signal->module.text);
    return COL_OK;
}

col_status duv_read_fsms(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                         void *target) {
    duv_verilog_file *file = target;
    const col_status status = make_points(yaml, file);
    return status == COL_OK ? base_yaml_items(yaml, key, value, add_fsm, file->points) : status;
}
