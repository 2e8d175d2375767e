/* SPDX-License-Identifier: MIT */
/* Designs that vary: what a number draws, and that it follows from the number alone. */
#include "protocol/simulate/simulated_design.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

enum { DRAWS = 400, CORES = 4 };

static const char path[] = TEST_DATA "/design/varied.yaml";

static void open_varied(sim_design *design, const sim_choice *choices, size_t count) {
    col_problem problem = {.message = ""};
    if (sim_design_open_as(design, path, &(sim_request){CORES, 0, choices, count}, NULL,
                           &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

static uint64_t sets_of(const sim_cache_shape *cache) {
    return cache->bytes / SL_BLOCK_BYTES / cache->ways;
}

static bool is_power_of_two(uint64_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

static void check_configuration(const sim_wiring *w, const sim_wiring *widest) {
    const sim_cache_shape *l1 = &w->machines[0].caches[0], *l2 = &w->machines[1].caches[0];
    assert_true(w->tbes == 16 || w->tbes == 64);
    assert_true(w->core.outstanding == 1 || w->core.outstanding == 2 || w->core.outstanding == 8);
    assert_in_range(w->network_latency, 1, 6);
    assert_in_range(w->jitter, 0, 200);
    assert_in_range(w->memory_latency, 1, 100);
    assert_in_range(l1->ways, 1, 4);
    assert_true(is_power_of_two(sets_of(l1)) && sets_of(l1) <= 16);
    assert_true(l1->replacement != SL_TREE_PLRU || is_power_of_two(l1->ways));
    assert_in_range(l2->bytes, 512, 64 << 10);
    assert_true(is_power_of_two(l2->bytes));
    assert_true(l2->ways == 2 || l2->ways == 4);
    assert_true(is_power_of_two(w->machines[1].count) && w->machines[1].count <= 4);
    for (uint32_t m = 0; m < 2; m++) {
        assert_true(w->machines[m].count <= widest->machines[m].count);
        assert_true(w->machines[m].caches[0].ways <= widest->machines[m].caches[0].ways);
        assert_true(sets_of(&w->machines[m].caches[0]) <=
                    sets_of(&widest->machines[m].caches[0]) * 2);
    }
}

TEST(a_number_draws_what_the_file_allows) {
    static sim_design design;
    static sim_wiring w, again;
    uint32_t banks = 0, ways = 0, still = 0, slow = 0, combined = 0;
    open_varied(&design, NULL, 0);
    for (uint32_t i = 0; i < DRAWS; i++) {
        sim_vary_draw(design.vary, i, &w);
        check_configuration(&w, sim_vary_widest(design.vary));
        banks |= w.machines[1].count;
        ways |= UINT32_C(1) << w.machines[0].caches[0].ways;
        still += w.jitter == 0;
        slow += w.jitter >= 128;
        combined += w.machines[0].caches[0].replacement == SL_TREE_PLRU;
    }
    assert_int_equal(banks, 1 | 2 | 4);
    assert_int_equal(ways, 2 | 4 | 8 | 16);
    assert_true(still > DRAWS / 20 && slow > DRAWS / 20); /* each of 9 widths is as likely */
    assert_true(combined > DRAWS / 10);
    sim_vary_draw(design.vary, 7, &w);
    for (uint32_t i = 100; i < 120; i++)
        sim_vary_draw(design.vary, i, &again);
    sim_vary_draw(design.vary, 7, &again);
    assert_memory_equal(&w, &again, sizeof w);
    sim_design_close(&design);
}

/* What is chosen does not vary, and the other keys are drawn as before. */
TEST(choices_leave_the_other_keys_alone) {
    static sim_design design, chosen;
    static sim_wiring w, v;
    static const sim_choice choices[] = {{"network.latency", "9"}, {"L2Cache.cache.ways", "2"}};
    open_varied(&design, NULL, 0);
    open_varied(&chosen, choices, 2);
    assert_int_equal(sim_vary_count(chosen.vary), sim_vary_count(design.vary) - 2);
    for (uint32_t i = 0; i < 50; i++) {
        sim_vary_draw(design.vary, i, &w);
        sim_vary_draw(chosen.vary, i, &v);
        assert_int_equal(v.network_latency, 9);
        assert_int_equal(v.machines[1].caches[0].ways, 2);
        assert_int_equal(v.memory_latency, w.memory_latency);
        assert_int_equal(v.machines[1].count, w.machines[1].count);
    }
    sim_design_close(&design);
    sim_design_close(&chosen);
}

TEST(tell_is_what_choices_read) {
    static sim_design design, chosen;
    static sim_wiring w;
    base_text told = {0};
    sim_choice choices[16];
    size_t count = 0;
    open_varied(&design, NULL, 0);
    sim_vary_draw(design.vary, 12345, &w);
    sim_vary_tell(design.vary, &told);
    for (char *at = strtok(told.data, ","); at != NULL; at = strtok(NULL, ",")) {
        char *value = strchr(at, '=');
        assert_non_null(value);
        *value = '\0';
        choices[count++] = (sim_choice){at, value + 1};
    }
    assert_int_equal(count, 11);
    open_varied(&chosen, choices, count);
    assert_null(chosen.vary);
    assert_memory_equal(&chosen.wiring, &w, sizeof w);
    base_text_free(&told);
    sim_design_close(&design);
    sim_design_close(&chosen);
}

/* Classes tell values of a list apart, and sizes of numbers of a range; asking for them leaves
 * alone what was drawn. The keys are in the order of the file. */
TEST(classes_are_those_of_the_values_drawn) {
    enum { OUTSTANDING = 1, JITTER = 3, SETS = 5, BANKS = 10 };
    static sim_design design;
    static sim_wiring w;
    uint8_t classes[SIM_FILE_VARIED];
    base_text before = {0}, after = {0};
    open_varied(&design, NULL, 0);
    sim_vary_draw(design.vary, 12345, &w);
    sim_vary_tell(design.vary, &before);
    for (uint32_t i = 0; i < DRAWS; i++)
        sim_vary_classes(design.vary, i, classes);
    sim_vary_tell(design.vary, &after);
    assert_string_equal(before.data, after.data);
    for (uint32_t i = 0; i < DRAWS; i++) {
        uint32_t width = 0;
        sim_vary_classes(design.vary, i, classes);
        sim_vary_draw(design.vary, i, &w);
        while (w.jitter >> width != 0)
            width++;
        assert_int_equal(classes[JITTER], width);
        assert_int_equal(UINT64_C(1) << classes[SETS], sets_of(&w.machines[0].caches[0]));
        assert_int_equal(1U << classes[BANKS], w.machines[1].count);
        assert_int_equal(classes[OUTSTANDING], w.core.outstanding == 8   ? 2
                                               : w.core.outstanding == 2 ? 1
                                                                         : 0);
    }
    base_text_free(&before);
    base_text_free(&after);
    sim_design_close(&design);
}

/* Also for a protocol without a design file. */
TEST(caches_are_chosen_on_the_command_line) {
    static sim_design design;
    static const sim_choice choices[] = {
        {"L1Cache.cache.size", "512B"}, {"L1Cache.cache.ways", "2"}, {"tbes", "3"}};
    col_problem problem = {.message = ""};
    assert_int_equal(
        sim_design_open_as(&design, "msi", &(sim_request){2, 0, choices, 3}, NULL, &problem),
        COL_OK);
    assert_int_equal(design.wiring.machines[0].caches[0].bytes, 512);
    assert_int_equal(design.wiring.machines[0].caches[0].ways, 2);
    assert_int_equal(design.wiring.tbes, 3);
    sim_design_close(&design);
    const sim_choice wrong = {"L1Cache.cache.sets", "3"};
    assert_int_equal(
        sim_design_open_as(&design, "msi", &(sim_request){2, 0, &wrong, 1}, NULL, &problem),
        COL_BAD_INPUT);
    assert_string_equal(problem.message,
                        "L1Cache.cache.sets is a power of two from 1 to 1048576, not '3'");
    assert_string_equal(problem.file, "");
}
