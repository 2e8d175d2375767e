/* SPDX-License-Identifier: MIT */
/* No text makes the reader of design files crash, and what it says has a place in the text. Nor
 * does what it lets vary: every configuration that is drawn has a power of two of sets in each
 * cache. */
#include "fuzz.h"
#include "protocol/simulate/design_vary.h"
#include "protocol/simulate/protocol_library.h"

static void check_draws(const sim_design_file *file) {
    static sim_wiring plain, drawn;
    const sl_protocol *protocol = sim_built_in_find("mesi2");
    sim_vary *vary = NULL;
    if (sim_wiring_infer(&plain, protocol, 4, NULL) != COL_OK ||
        sim_design_file_apply(file, protocol, &plain, NULL) != COL_OK ||
        sim_vary_open(&vary, file, protocol, &plain, NULL, 0, NULL) != COL_OK || vary == NULL)
        return;
    for (uint64_t number = 0; number < 4; number++) {
        sim_vary_draw(vary, number, &drawn);
        for (uint32_t m = 0; m < protocol->machine_count; m++)
            for (uint32_t c = 0; c < drawn.machines[m].cache_count; c++) {
                const sim_cache_shape *cache = &drawn.machines[m].caches[c];
                const uint64_t sets = cache->bytes / SL_BLOCK_BYTES / cache->ways;
                require(sets > 0 && (sets & (sets - 1)) == 0);
            }
    }
    sim_vary_free(vary);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sim_design_file file;
    col_problem problem = {0};
    const col_status status =
        sim_design_file_parse(&file, (const char *)data, size, "fuzz.yaml", &problem);
    require_place(status, &problem, size);
    if (status != COL_OK)
        return 0;
    require(file.protocol[0] != '\0' && file.machine_count <= SIM_FILE_MACHINES);
    check_draws(&file);
    return 0;
}
