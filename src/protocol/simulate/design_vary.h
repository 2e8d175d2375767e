/* SPDX-License-Identifier: MIT */
/*
 * What varies from test to test (swarm testing): a design file lists keys with ranges or lists of
 * values, and a number draws one of each. A key's value follows from the number and the key alone,
 * whatever else varies; values that do not fit together are drawn again.
 */
#ifndef PROTOCOL_SIMULATE_DESIGN_VARY_H
#define PROTOCOL_SIMULATE_DESIGN_VARY_H

#include "base/text.h"
#include "protocol/simulate/design_file.h"

typedef struct sim_vary sim_vary;

/* A key that the user has chosen a value for. */
typedef struct sim_choice {
    const char *key, *value;
} sim_choice;

/* Puts the choices over what the file says. */
col_status sim_choices_apply(const sim_choice *choices, size_t count, sim_design_file *file,
                             const sl_protocol *protocol, col_problem *problem);

/* `plain` is the wiring without anything varied; the choices do not vary. Every value must fit
 * together with some of the others. Gives NULL if nothing varies. */
col_status sim_vary_open(sim_vary **vary, const sim_design_file *file, const sl_protocol *protocol,
                         const sim_wiring *plain, const sim_choice *choices, size_t choice_count,
                         col_problem *problem);
void sim_vary_free(sim_vary *vary);

void sim_vary_draw(sim_vary *vary, uint64_t number, sim_wiring *wiring);
/* Which value of each key a number draws; of a range, values of about the same size are one. Below
 * SIM_VARY_CLASSES. What was drawn last stays. */
enum { SIM_VARY_CLASSES = SIM_FILE_VALUES };
void sim_vary_classes(sim_vary *vary, uint64_t number, uint8_t *classes);
/* What was drawn last, as choices: "tbes=8,network.jitter=40". */
void sim_vary_tell(const sim_vary *vary, base_text *text);

/* Each machine as often, each cache with as many sets and ways, as in any configuration. */
const sim_wiring *sim_vary_widest(const sim_vary *vary);

/* For a list of what varies. */
uint32_t sim_vary_count(const sim_vary *vary);
const char *sim_vary_key(const sim_vary *vary, uint32_t i);
void sim_vary_values(const sim_vary *vary, uint32_t i, base_text *text); /* "1..8", "lru, random" */

#endif
