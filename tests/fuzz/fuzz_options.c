/* SPDX-License-Identifier: MIT */
/*
 * No text of --options makes a design that varies crash. What is refused has a sentence; what is
 * accepted gives systems that can be built, and what a test drew, said as options, is accepted
 * again and leaves nothing of that to vary. Half of the mutations are of whole options, not of
 * bytes.
 */
#include "base/random.h"
#include "design/simulator_options.h"
#include "fuzz.h"
#include "protocol/simulate/protocol_library.h"

static const char design[] =
    "protocol: mesi2\n"
    "core: {mode: tso, window: 40, loads: 32, stores: 32, outstanding: 8}\n"
    "machines: {L1Cache: {caches: {cache: {size: 64KiB, ways: 2, replacement: lru}}}}\n"
    "vary:\n"
    "  network.latency: 1..8\n"
    "  memory.latency: 1..100\n"
    "  core.outstanding: [1, 4, 8, 16]\n"
    "  L1Cache.cache.sets: 1..512\n"
    "  L1Cache.cache.ways: [1, 2, 4]\n"
    "  L2Cache.cache.replacement: [lru, random]\n"
    "  L2Cache.count: [1, 2]\n";

/* ---- Mutations. */

static const char *const words[] = {"without=squash",
                                    "without=fifo+squash",
                                    "monitors=on",
                                    "monitors=off",
                                    "tbes=1",
                                    "tbes=2..8",
                                    "network.latency=3",
                                    "network.2.jitter=200",
                                    "memory.latency",
                                    "L1Cache.cache.sets=",
                                    "core.outstanding=0",
                                    "L2Cache.count=2",
                                    "cores=3",
                                    "L1Cache.cache.size=64KiB",
                                    "core.mode=sc",
                                    "L1Cache.cache.ways=4",
                                    "network.jitter",
                                    "L2Cache.cache.replacement",
                                    "=[1, 2]",
                                    "=18446744073709551616",
                                    "=-1",
                                    "=lru",
                                    "=0x10",
                                    "=1..512"};
enum { WORDS = sizeof words / sizeof words[0] };

/* Puts a word before or over one of the options. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    base_rng rng;
    base_text made = {0};
    base_rng_seed(&rng, seed, 0);
    if (base_rng_below(&rng, 2) == 0)
        return LLVMFuzzerMutate(data, size, most);
    const size_t cut = base_rng_below(&rng, size + 1);
    size_t from = cut, to = cut;
    while (from > 0 && data[from - 1] != ',')
        from--;
    while (to < size && data[to] != ',')
        to++;
    const char *word = words[base_rng_below(&rng, WORDS)];
    const bool is_over = base_rng_below(&rng, 2) == 0;
    base_text_add_bytes(&made, (const char *)data, word[0] == '=' ? cut : from);
    base_text_print(&made, "%s%s", word, is_over ? "" : ",");
    const size_t rest = is_over ? to : from;
    base_text_add_bytes(&made, (const char *)data + rest, size - rest);
    const size_t length = made.length < most ? made.length : most;
    memcpy(data, made.data, length);
    base_text_free(&made);
    return length;
}

/* ---- What must hold. */

static void check_caches(const sim_wiring *wiring, const sl_protocol *protocol) {
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        for (uint32_t c = 0; c < wiring->machines[m].cache_count; c++) {
            const sim_cache_shape *cache = &wiring->machines[m].caches[c];
            const uint64_t sets = cache->bytes / SL_BLOCK_BYTES / cache->ways;
            require(sets > 0 && (sets & (sets - 1)) == 0);
        }
}

/* Opens the design with these options; what a number draws then goes to `told`. */
static bool open_with(const char *text, base_text *told, col_problem *problem) {
    static duv_options options;
    static sim_design_file file;
    static sim_wiring plain, drawn;
    const sl_protocol *protocol = sim_built_in_find("mesi2");
    sim_vary *vary = NULL;
    require(sim_design_file_parse(&file, design, sizeof design - 1, "fuzz.yaml", NULL) == COL_OK);
    col_status status = duv_options_read(&options, text, problem);
    if (status == COL_OK)
        status = sim_choices_apply(options.choices, options.choice_count, &file, protocol, problem);
    if (status == COL_OK)
        status = sim_wiring_infer(&plain, protocol, 4, problem);
    if (status == COL_OK)
        status = sim_design_file_apply(&file, protocol, &plain, problem);
    if (status == COL_OK)
        status = sim_vary_open(&vary, &file, protocol, &plain, options.choices,
                               options.choice_count, problem);
    require(status == COL_OK || (status == COL_BAD_INPUT && problem->message[0] != '\0'));
    for (uint64_t number = 0; vary != NULL && number < 4; number++) {
        sim_vary_draw(vary, number, &drawn);
        duv_options_wire(&options, &drawn);
        check_caches(&drawn, protocol);
    }
    if (vary != NULL)
        sim_vary_tell(vary, told);
    const bool is_open = status == COL_OK;
    sim_vary_free(vary);
    return is_open;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    base_text text = {0}, told = {0}, again = {0};
    col_problem problem = {0};
    base_text_add_bytes(&text, (const char *)data, size);
    base_text_add(&text, "");
    if (open_with(text.data, &told, &problem) && told.length > 0) {
        if (strlen(text.data) > 0)
            base_text_print(&told, ",%s", text.data);
        require(strlen(told.data) >= 4000 || open_with(told.data, &again, &problem));
        require(again.length == 0);
    }
    base_text_free(&text);
    base_text_free(&told);
    base_text_free(&again);
    return 0;
}
