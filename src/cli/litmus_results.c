/* SPDX-License-Identifier: MIT */
/* The results of collider litmus as JSON: see litmus_results.h. */
#include "cli/litmus_results.h"

static json_t *make_state(const lit_test *test, const lit_outcomes *outcomes, size_t number,
                          const lit_runs *runs) {
    const uint64_t *values = outcomes->values + number * outcomes->width;
    base_text text = {0};
    json_t *state = json_object();
    lit_write_state(&text, test, values);
    base_json_set(&state, "state", text.failed ? NULL : base_json_text(text.data));
    base_json_set(&state, "count", json_integer((json_int_t)outcomes->counts[number]));
    base_json_set(&state, "holds", json_boolean(lit_holds(test, test->condition, values)));
    if (runs != NULL)
        base_json_set(&state, "forbidden", json_boolean(outcomes->is_forbidden[number]));
    base_text_free(&text);
    return state;
}

static void add_runs(json_t **result, const lit_runs *runs) {
    const bool is_wrong = runs->forbidden + runs->failures > 0;
    base_json_set(result, "runs", json_integer((json_int_t)runs->done));
    base_json_set(result, "forbidden", json_integer((json_int_t)runs->forbidden));
    base_json_set(result, "failures", json_integer((json_int_t)runs->failures));
    base_json_set(result, "allowed_states", json_integer((json_int_t)runs->allowed));
    base_json_set(result, "allowed_states_complete", json_boolean(runs->is_complete));
    base_json_set(result, "allowed_states_seen", json_integer((json_int_t)runs->seen));
    base_json_set(result, "exclusive_pairs", json_integer((json_int_t)runs->pairs));
    base_json_set(result, "reason", base_json_text(is_wrong ? runs->reason : NULL));
}

col_status cli_litmus_results_add(json_t **results, const lit_test *test,
                                  const lit_outcomes *outcomes, const char *model,
                                  const lit_runs *runs, col_problem *problem) {
    json_t *result = json_object(), *states = json_array();
    for (size_t i = 0; i < outcomes->count; i++)
        base_json_append(&states, make_state(test, outcomes, i, runs));
    base_json_set(&result, "file", base_json_text(test->file));
    base_json_set(&result, "test", base_json_text(test->name));
    base_json_set(&result, "kind", json_string(lit_kind(test)));
    base_json_set(&result, "holds", json_boolean(lit_outcomes_are_expected(outcomes, test)));
    base_json_set(&result, "observation", json_string(lit_observation(outcomes)));
    base_json_set(&result, "positive", json_integer((json_int_t)outcomes->holds));
    base_json_set(&result, "negative", json_integer((json_int_t)outcomes->fails));
    base_json_set(&result, "loop_cut", json_boolean(outcomes->is_cut));
    base_json_set(&result, "states", states);
    if (runs != NULL)
        add_runs(&result, runs);
    else
        base_json_set(&result, "model", base_json_text(model));
    base_json_append(results, result);
    return *results != NULL ? COL_OK : base_out_of_memory(problem);
}

col_status cli_litmus_results_write(json_t *results, const char *model, const char *design,
                                    const char *path, col_problem *problem) {
    json_t *all = json_object();
    base_json_set(&all, "model", base_json_text(model));
    base_json_set(&all, "design", base_json_text(design));
    base_json_set(&all, "tests", results);
    return base_json_write(path, all, problem);
}
