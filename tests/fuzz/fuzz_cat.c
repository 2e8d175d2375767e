/* SPDX-License-Identifier: MIT */
/* No text makes the reader of cat models crash, what it says has a place in a text, and what it
 * takes judges executions, with reasons. */
#include "fuzz.h"
#include "judge/cat/cat_run.h"

enum { EVENTS = 9 };

/* Two threads that write and read two locations, with a fence and an atomic. */
static void make_graph(cat_graph *graph) {
    static const uint8_t kinds[EVENTS] = {CAT_WRITE, CAT_WRITE,       CAT_WRITE,
                                          CAT_READ,  CAT_FENCE_EVENT, CAT_READ,
                                          CAT_WRITE, CAT_READ,        CAT_WRITE};
    static const uint32_t pairs[][2] = {{0, 3}, {2, 5}, {6, 7}};
    col_problem problem;
    cat_graph_begin(graph, EVENTS, &problem);
    require(graph->status == COL_OK);
    for (uint32_t i = 0; i < EVENTS; i++)
        graph->events[i] = (cat_event){.thread = i < 2 ? CAT_NO_THREAD : i / 6,
                                       .instance = i == 8 ? 7 : i,
                                       .location = i % 2,
                                       .kind = kinds[i]};
    cat_graph_derive(graph);
    for (uint32_t i = 0; i < 3; i++)
        cat_graph_relate(graph, CAT_RF, pairs[i][0], pairs[i][1]);
    cat_graph_relate(graph, CAT_CO, 0, 2);
    cat_graph_relate(graph, CAT_CO, 2, 6);
}

static void judge(const cat_model *model) {
    static cat_graph graph;
    cat_run *run;
    cat_verdict verdict;
    cat_explanation why = {0};
    col_problem problem = {0};
    if (graph.size.events == 0)
        make_graph(&graph);
    require(cat_run_new(&run, model, &problem) == COL_OK);
    require(cat_run_load(run, &graph, &problem) == COL_OK);
    const col_status status = cat_run_judge(run, CAT_WITH_CO, &verdict, &problem);
    require(status != COL_BAD_INPUT || problem.line > 0);
    if (status == COL_OK && !verdict.is_allowed)
        (void)cat_run_explain(run, verdict.check, &why, &problem);
    cat_explanation_free(&why);
    cat_run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cat_model model = {0};
    col_problem problem = {0};
    const col_status status =
        cat_model_read(&model, (const char *)data, size, "/none/fuzz.cat", NULL, &problem);
    require(status != COL_BAD_INPUT || (problem.line > 0 && problem.column > 0));
    if (status == COL_OK)
        judge(&model);
    cat_model_free(&model);
    return 0;
}
