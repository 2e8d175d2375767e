/* SPDX-License-Identifier: MIT */
/* What chained threads have besides their chains: see extras.h. */
#include "generate/extras.h"

#include "generate/mix.h"

static void add(gen_palette *palette, double *weights, const gen_template *template,
                double chance) {
    if (!(chance > 0))
        return;
    weights[palette->count] = chance;
    palette->operations[palette->count++] = template->operation;
}

static void finish(gen_palette *palette, double *weights) {
    double rest = 1;
    for (uint32_t i = 0; i < palette->count; i++)
        rest -= weights[i];
    weights[palette->count] = rest > 0 ? rest : 0;
    if (palette->count > 0)
        base_chooser_build(&palette->chooser, weights, palette->count + 1);
}

void gen_extras_make(gen_extras *extras, const col_category_mix *mix) {
    double between[COL_MAX_TEMPLATES + 1] = {0}, loads[COL_MAX_TEMPLATES + 1] = {0},
                                       stores[COL_MAX_TEMPLATES + 1] = {0};
    extras->between.count = extras->of_loads.count = extras->of_stores.count = 0;
    for (uint32_t t = 0; t < gen_template_count; t++) {
        const gen_template *template = &gen_templates[t];
        const col_kind_traits *is = &col_kinds[template->operation.kind];
        if (is->dma || (!is->reads && !is->writes))
            add(&extras->between, between, template, mix->extras[t]);
        if (is->dma)
            continue;
        if (is->reads)
            add(&extras->of_loads, loads, template, mix->extras[t]);
        if (is->writes)
            add(&extras->of_stores, stores, template, mix->extras[t]);
    }
    finish(&extras->between, between);
    finish(&extras->of_loads, loads);
    finish(&extras->of_stores, stores);
}

static bool draw(const gen_palette *palette, base_rng *rng, col_operation *operation) {
    if (palette->count == 0)
        return false;
    const uint32_t chosen = base_chooser_pick(&palette->chooser, base_rng_next(rng));
    *operation = palette->operations[chosen];
    return chosen < palette->count;
}

bool gen_extras_draw(const gen_extras *extras, base_rng *rng, uint32_t locations,
                     col_operation *operation) {
    if (!draw(&extras->between, rng, operation))
        return false;
    if (col_kinds[operation->kind].located)
        operation->location = (uint32_t)base_rng_below(rng, locations);
    return true;
}

/* Dependent operations hang on the nearest read before them; without one they are independent. */
static void change_thread(const gen_extras *extras, base_rng *rng, col_operation *thread,
                          uint32_t length) {
    uint32_t last_read = UINT32_MAX;
    for (uint32_t place = 0; place < length; place++) {
        col_operation *operation = &thread[place], drawn;
        const bool is_load = operation->kind == COL_LOAD;
        if ((is_load || operation->kind == COL_STORE) &&
            draw(is_load ? &extras->of_loads : &extras->of_stores, rng, &drawn)) {
            drawn.location = operation->location;
            if (drawn.dependency != COL_NO_DEPENDENCY && last_read != UINT32_MAX)
                drawn.distance = place - last_read;
            else
                drawn.dependency = COL_NO_DEPENDENCY;
            *operation = drawn;
        }
        if (col_kinds[operation->kind].reads && !col_kinds[operation->kind].dma)
            last_read = place;
    }
}

void gen_extras_change(const gen_extras *extras, base_rng *rng, col_program *program) {
    if (extras->of_loads.count == 0 && extras->of_stores.count == 0)
        return;
    for (uint32_t t = 0; t < program->thread_count; t++)
        change_thread(extras, rng, program->operations + program->thread_start[t],
                      program->thread_start[t + 1] - program->thread_start[t]);
}
