/* SPDX-License-Identifier: MIT */
/* A closer look at one failing instance. See shrink_look.h. */
#include "episode/shrink_look.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 10000 }; /* of a design that varies, until it fails */

col_status epi_look_open(epi_look *look, const col_setting *setting, col_problem *problem) {
    look->instance.keeps_events = true;
    return epi_worker_open(&look->worker, setting, problem);
}

void epi_look_close(epi_look *look) {
    epi_worker_close(&look->worker);
    epi_instance_free(&look->instance);
    free(look->mentioned);
}

static void notice(void *context, const col_event *event) {
    epi_look *look = context;
    look->has_block = true;
    look->block = event->block;
}

static col_status take_mentions(epi_look *look, const col_program *program, col_problem *problem) {
    const col_violation *violation = epi_judge_violation(&look->worker.judge);
    const uint32_t operations = col_program_operations(program);
    const col_status status = base_reserve(&look->mentioned, &look->capacity, operations + 1,
                                           sizeof *look->mentioned, problem);
    look->has_mentions = violation != NULL && violation->mention_count > 0;
    if (status != COL_OK)
        return status;
    memset(look->mentioned, 0, operations * sizeof *look->mentioned);
    for (uint32_t i = 0; look->has_mentions && i < violation->mention_count; i++)
        look->mentioned[violation->mentions[i].operation] = true;
    return COL_OK;
}

col_status epi_look_run(epi_look *look, const col_program *program, uint64_t seed,
                        col_problem *problem) {
    const col_observer observer = {look, notice,
                                   1U << COL_PROTOCOL_ERROR | 1U << COL_INVARIANT_BROKEN};
    const col_status status = epi_worker_load(&look->worker, program, problem);
    if (status != COL_OK)
        return status;
    look->has_block = false;
    look->instance.seed = seed;
    look->worker.also[0] = &observer;
    (void)epi_worker_run_on(&look->worker, &look->instance, MOST_RUNS);
    look->worker.also[0] = NULL;
    if (look->instance.status != COL_OK) {
        *problem = look->instance.problem;
        return look->instance.status;
    }
    return take_mentions(look, program, problem);
}

bool epi_event_reads(const col_program *program, const epi_event *event, uint64_t *word) {
    const col_kind_traits *traits = &col_kinds[program->operations[event->operation].kind];
    *word = event->kind == COL_LOAD_PERFORMED || !traits->writes ? event->word : event->read;
    return traits->reads;
}
