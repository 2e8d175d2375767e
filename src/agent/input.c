/* SPDX-License-Identifier: MIT */
/* Random inputs of a memory system, cycle by cycle: see collider/agent.h. */
#include "base/rng.h"
#include "collider/agent.h"

static uint64_t below(col_port_input *input, uint64_t bound) {
    const uint64_t drawn = base_splitmix(&input->random);
    return bound == 0 ? drawn : drawn % bound;
}

void col_port_input_begin(col_port_input *input, uint64_t seed, uint32_t number) {
    /* In some instances values last a cycle, in others now a cycle and now dozens of them: some
     * errors show only if a long stall begins or ends at the right moment. */
    static const uint32_t usual[] = {1, 1, 3, 5, 7};
    input->random = seed + number;
    input->random = base_splitmix(&input->random);
    input->lengths = usual[below(input, sizeof usual / sizeof usual[0])];
    input->left = 0;
    input->value = input->low;
}

uint64_t col_port_input_next(col_port_input *input) {
    if (input->left > 0) {
        input->left--;
        return input->value;
    }
    input->left = below(input, UINT64_C(1) << below(input, input->lengths));
    input->value = input->low;
    if (below(input, 100) < input->percent)
        input->value += below(input, input->high - input->low + 1);
    return input->value;
}
