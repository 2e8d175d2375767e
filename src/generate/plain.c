/* SPDX-License-Identifier: MIT */
/* Plain threads (the thesis's PLAIN generators): see plain.h. */
#include "generate/plain.h"

#include "base/chooser.h"
#include "generate/mix.h"

/* The templates with a weight, and what to do with each. */
typedef struct palette {
    base_chooser chooser;
    col_operation operations[COL_MAX_TEMPLATES];
    uint32_t bound[COL_MAX_TEMPLATES]; /* of the random location; 0: the template's own */
    uint32_t is_read[COL_MAX_TEMPLATES];
    bool any_dependency;
} palette;

static void fill_palette(palette *p, const col_instruction_mix *mix, uint32_t locations) {
    double weights[COL_MAX_TEMPLATES];
    uint32_t count = 0;
    p->any_dependency = false;
    for (uint32_t t = 0; t < gen_template_count; t++) {
        if (!(mix->weights[t] > 0))
            continue;
        const col_operation *operation = &gen_templates[t].operation;
        weights[count] = mix->weights[t];
        p->operations[count] = *operation;
        p->bound[count] = col_kinds[operation->kind].located ? locations : 0;
        p->is_read[count] = col_kinds[operation->kind].reads && !col_kinds[operation->kind].dma;
        p->any_dependency |= operation->dependency != COL_NO_DEPENDENCY;
        count++;
    }
    base_chooser_build(&p->chooser, weights, count);
}

static inline uint32_t draw(const palette *p, base_rng *rng, col_operation *operation) {
    const uint32_t chosen = base_chooser_pick(&p->chooser, base_rng_next(rng));
    const uint32_t location = base_scale((uint32_t)(base_rng_next(rng) >> 32), p->bound[chosen]);
    col_operation drawn = p->operations[chosen];
    drawn.location += location;
    *operation = drawn;
    return chosen;
}

/* Dependent operations hang on the nearest read before them; without one they are independent. */
static void fill_dependent(const palette *p, base_rng *rng, col_operation *thread,
                           uint32_t length) {
    uint32_t last_read = UINT32_MAX;
    for (uint32_t place = 0; place < length; place++) {
        col_operation *operation = &thread[place];
        const uint32_t chosen = draw(p, rng, operation);
        if (operation->dependency != COL_NO_DEPENDENCY && last_read != UINT32_MAX)
            operation->distance = place - last_read;
        else
            operation->dependency = COL_NO_DEPENDENCY;
        if (p->is_read[chosen])
            last_read = place;
    }
}

void gen_generate_plain(const col_instruction_mix *mix, base_rng *rng, col_program *program) {
    palette p;
    fill_palette(&p, mix, program->location_count);
    if (!p.any_dependency) {
        base_rng local = *rng; /* its state stays in registers: nothing else points to it */
        const uint32_t count = col_program_operations(program);
        for (uint32_t o = 0; o < count; o++)
            (void)draw(&p, &local, &program->operations[o]);
        *rng = local;
        return;
    }
    for (uint32_t t = 0; t < program->thread_count; t++)
        fill_dependent(&p, rng, program->operations + program->thread_start[t],
                       program->thread_start[t + 1] - program->thread_start[t]);
}
