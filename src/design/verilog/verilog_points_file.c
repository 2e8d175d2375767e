/* SPDX-License-Identifier: MIT */
/* The keys `coverage` and `fsm` of a design file of kind verilog: see verilog_file.h. */
#include "base/memory.h"
#include "design/verilog/verilog_file.h"

#include <stdlib.h>
#include <string.h>

static col_status make_points(base_yaml *yaml, duv_verilog_file *file) {
    return file->points != NULL ? COL_OK
                                : base_new(&file->points, 1, sizeof *file->points, yaml->problem);
}

void duv_points_free(duv_points *points) {
    if (points == NULL)
        return;
    for (uint32_t i = 0; i < points->signal_count; i++) {
        base_text_free(&points->signals[i].paths);
        duv_words_free(&points->signals[i].transitions);
    }
    duv_module_filter *const filters[] = {&points->lines, &points->toggles};
    for (size_t f = 0; f < 2; f++) {
        duv_words_free(&filters[f]->patterns);
        base_text_free(&filters[f]->modules);
    }
    base_text_free(&points->configuration);
    free(points);
}

/* ---- coverage: a word, or a map. */

static col_status add_pattern(const base_entry *entry, void *target) {
    const char *text = base_entry_text(entry);
    if (text == NULL || text[0] == '\0' || text[strspn(text, DUV_LETTERS "*?")] != '\0')
        return base_refuse_value(
            entry, "%s are names of modules, in which * and ? stand for others, not '%.60s'",
            base_entry_name(entry), base_entry_shown(entry));
    return duv_words_add(entry->yaml, entry->value, base_entry_name(entry), text, target);
}

/* One, or a list. */
static col_status read_patterns(const base_entry *entry, void *target) {
    duv_verilog_file *file = target;
    BASE_TRY(make_points(entry->yaml, file));
    duv_words *patterns = strcmp(base_entry_name(entry), "lines") == 0
                              ? &file->points->lines.patterns
                              : &file->points->toggles.patterns;
    return base_yaml_one_or_more(entry, add_pattern, patterns);
}

static const char *const covers[] = {"none", "user", NULL};
#define COVERS(word)                                                                               \
    { BASE_FIELD(word, BASE_WORD, duv_verilog_file, covers), .words = covers }

col_status duv_read_coverage(const base_entry *entry, void *target) {
    static const base_field word = COVERS("coverage");
    static const base_field fields[] = {
        COVERS("points"),
        {.name = "lines", .kind = BASE_OWN, .read = read_patterns},
        {.name = "toggles", .kind = BASE_OWN, .read = read_patterns},
        BASE_LAST_FIELD,
    };
    return entry->value->type == YAML_MAPPING_NODE
               ? base_yaml_map(entry->yaml, entry->value, "coverage", fields, target)
               : base_yaml_value(entry, &word, target);
}

/* ---- fsm: a list of state signals. */

static col_status check_state(base_yaml *yaml, const base_yaml_node *key,
                              const duv_state_signal *signal, const duv_state *state) {
    for (const duv_state *other = signal->states; other < state; other++)
        if (other->value == state->value)
            return base_yaml_refuse(yaml, key, "the states %s and %s have the same value",
                                    other->name, state->name);
    return COL_OK;
}

static col_status add_state(const base_entry *entry, void *target) {
    duv_state_signal *signal = target;
    duv_named named;
    if (signal->state_count == DUV_MOST_STATES)
        return base_refuse_key(entry, "there are at most %d states", DUV_MOST_STATES);
    BASE_TRY(duv_take_name(entry->yaml, entry->key, "a state", &named));
    duv_state *state = &signal->states[signal->state_count++];
    (void)snprintf(state->name, sizeof state->name, "%s", named.text);
    const base_field number = {
        .name = state->name, .kind = BASE_NUMBER, .size = sizeof state->value, .most = UINT64_MAX};
    BASE_TRY(base_yaml_value(entry, &number, &state->value));
    return check_state(entry->yaml, entry->key, signal, state);
}

/* "package::type", "module.type" or "type". */
static col_status take_type(base_yaml *yaml, const base_yaml_node *value, duv_named *type) {
    const char *text = base_yaml_scalar(value);
    if (text == NULL || text[0] == '\0' || strlen(text) >= sizeof type->text ||
        text[strspn(text, DUV_LETTERS ":.")] != '\0')
        return base_yaml_refuse(yaml, value,
                                "states are names with values, or an enumeration such as "
                                "my_package::state_t, not '%.60s'",
                                text == NULL ? "something else" : text);
    (void)snprintf(type->text, sizeof type->text, "%s", text);
    type->place = base_yaml_place(yaml, value);
    return COL_OK;
}

static col_status read_states(const base_entry *entry, void *target) {
    duv_state_signal *signal = target;
    if (entry->value->type != YAML_MAPPING_NODE)
        return take_type(entry->yaml, entry->value, &signal->type);
    const col_status status =
        base_yaml_each(entry->yaml, entry->value, "states", add_state, signal);
    return status == COL_OK && signal->state_count == 0
               ? base_refuse_key(entry, "there is no state")
               : status;
}

/* The states behind a state, which the key names; or one. */
typedef struct successors {
    duv_words *transitions;
    duv_named from;
} successors;

static col_status add_transition(const base_entry *entry, void *target) {
    const successors *s = target;
    duv_named to;
    char text[2 * DUV_NAME + 2];
    BASE_TRY(duv_take_name(entry->yaml, entry->value, "a state", &to));
    (void)snprintf(text, sizeof text, "%s %s", s->from.text, to.text);
    return duv_words_add(entry->yaml, entry->value, "transitions", text, s->transitions);
}

static col_status read_successors(const base_entry *entry, void *target) {
    successors s = {.transitions = target};
    BASE_TRY(duv_take_name(entry->yaml, entry->key, "a state", &s.from));
    return base_yaml_one_or_more(entry, add_transition, &s);
}

#define FIELD(word, form, member) BASE_FIELD(word, form, duv_state_signal, member)

static const base_field fsm_fields[] = {
    {FIELD("module", BASE_OWN, module), .read = duv_read_name},
    {FIELD("signal", BASE_OWN, signal), .read = duv_read_name},
    {.name = "states", .kind = BASE_OWN, .read = read_states},
    {FIELD("transitions", BASE_EACH, transitions), .read = read_successors,
     .is_said = offsetof(duv_state_signal, lists_transitions)},
    BASE_LAST_FIELD,
};

static col_status add_fsm(const base_entry *entry, void *target) {
    duv_points *points = target;
    if (points->signal_count == DUV_MOST_MACHINES)
        return base_refuse_value(entry, "fsm has at most %d entries", DUV_MOST_MACHINES);
    duv_state_signal *signal = &points->signals[points->signal_count++];
    BASE_TRY(base_yaml_map(entry->yaml, entry->value, "a state machine", fsm_fields, signal));
    if (signal->module.text[0] == '\0' || signal->signal.text[0] == '\0')
        return base_refuse_value(entry, "a state machine needs '%s'",
                                 signal->module.text[0] == '\0' ? "module" : "signal");
    for (const duv_state_signal *other = points->signals; other < signal; other++)
        if (strcmp(other->module.text, signal->module.text) == 0 &&
            strcmp(other->signal.text, signal->signal.text) == 0)
            return base_refuse_value(entry, "the signal %s of %s is here twice",
                                     signal->signal.text, signal->module.text);
    return COL_OK;
}

col_status duv_read_fsms(const base_entry *entry, void *target) {
    duv_verilog_file *file = target;
    BASE_TRY(make_points(entry->yaml, file));
    return base_yaml_items(entry, add_fsm, file->points);
}
