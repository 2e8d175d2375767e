/* SPDX-License-Identifier: MIT */
/* What chained threads have besides chains: the chains stay what they are, and chances hold. */
#include "chain_oracle.h"
#include "harness.h"
#include "program/generate/generator.h"
#include "support.h"

#include <string.h>

BENCH_TEST(chains_stay_canonical) {
    col_generator_keep_chains(b->generator, true);
    for (uint32_t round = 0; round < 1000; round++) {
        const col_generation g =
            settings(dice(&b->rng, 2, 12), dice(&b->rng, 8, 2000), dice(&b->rng, 1, 32),
                     "c0=0.2,c1=0.3,c2=0.3,c3=0.2,flush=0.1,delay=0.1,fence-tso=0.1,"
                     "load-acquire=0.2,load-address=0.2,store-data=0.2,store-control=0.2");
        const col_generated *made = make(b, &g, round, 1);
        for (size_t i = 0; i < made->chain_total; i++) {
            const col_chain *chain = &made->chains[i];
            const char *wrong = chain_violation(&b->program, made->links + chain->first,
                                                chain->count, chain->category);
            if (wrong != NULL)
                fail_saying("round %u, chain %zu: %s\n", round, i, wrong);
        }
    }
}

/* Atomics keep a chain's accesses: what is left are reads where it had loads, writes where stores.
 */
BENCH_TEST(atomics_read_and_write) {
    const col_generation g = settings(4, 40000, 8, "c1=1,swap=0.3,add=0.3");
    col_generator_keep_chains(b->generator, true);
    const col_generated *made = make(b, &g, 1, 1);
    uint32_t atomics = 0;
    assert_true(made->chain_total > 1000);
    for (size_t i = 0; i < made->chain_total; i++) {
        const col_link *links = made->links + made->chains[i].first;
        const uint8_t first = b->program.operations[links[0].operation].kind;
        const uint8_t second = b->program.operations[links[1].operation].kind;
        assert_true(col_kinds[first].writes && col_kinds[second].reads);
        atomics += (first != COL_STORE ? 1U : 0U) + (second != COL_LOAD ? 1U : 0U);
    }
    assert_true(holds_share(atomics, 2.0 * (double)made->chain_total, 0.6));
}

static double count_like(const col_program *program, const col_operation *template) {
    double count = 0;
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        const col_operation *o = &program->operations[i];
        count += o->kind == template->kind && o->order == template->order &&
                 o->fence == template->fence && o->dependency == template->dependency;
    }
    return count;
}

/* Of operations that come between others there are as many as there are chances before others;
 * a few less, as chains that do not fit are taken back with what stands between them. */
BENCH_TEST(chances_hold) {
    const col_generation g = settings(8, 200000, 16, "full");
    (void)make(b, &g, 1, 1);
    double reads = 0, writes = 0, others = 0;
    for (uint32_t i = 0; i < col_program_operations(&b->program); i++) {
        const col_kind_traits *is = &col_kinds[b->program.operations[i].kind];
        reads += is->reads;
        writes += is->writes;
        others += !is->reads && !is->writes;
    }
    assert_true(reads > 50000 && writes > 50000 && others > 5000);
    for (uint32_t t = 0; t < gen_template_count; t++) {
        const col_operation *template = &gen_templates[t].operation;
        const double chance_of = g.categories.extras[t];
        const bool is_load = template->kind == COL_LOAD, is_store = template->kind == COL_STORE;
        if (!(chance_of > 0))
            continue;
        const double count = count_like(&b->program, template);
        const double all = col_program_operations(&b->program);
        const double of = is_load ? reads : is_store ? writes : all - others;
        if (count < 0.85 * chance_of * of || count > 1.1 * chance_of * of)
            fail_saying("%s: %g of %g, expected %g\n", gen_templates[t].name, count, of,
                        chance_of * of);
    }
}

BENCH_TEST(mixes_without_extras_draw_nothing_more) {
    const col_generation named = settings(4, 1000, 8, "c1-c2"),
                         published = settings(4, 1000, 8, "published");
    (void)make(b, &named, 3, 1);
    const col_hash hash = col_program_hash(&b->program);
    (void)make(b, &published, 3, 1);
    const col_hash same = col_program_hash(&b->program);
    assert_memory_equal(&same, &hash, sizeof hash);
    assert_int_equal(count_like(&b->program, &gen_templates[0].operation) > 0, 1);
}

BENCH_TEST(odd_extras_are_refused) {
    col_category_mix mix;
    assert_refused(col_category_mix_parse("flush=0.1", &mix, &b->problem), &b->problem,
                   "gives no chain category a weight");
    assert_refused(col_category_mix_parse("c1=1,load=0.1", &mix, &b->problem), &b->problem,
                   "chains have loads and stores as their categories say");
    assert_refused(col_category_mix_parse("c1=1,swap=0.6,load-acquire=0.5", &mix, &b->problem),
                   &b->problem, "sum to more than 1");
    assert_refused(col_category_mix_parse("c1=1,flush=0.6,delay=0.5", &mix, &b->problem),
                   &b->problem, "sum to more than 1");
    assert_int_equal(col_category_mix_parse("c1=1,flush=1", &mix, &b->problem), COL_OK);
}
