/* SPDX-License-Identifier: MIT */
/* The canonical text of a program: one program, one text. docs/program.md has the grammar. */
#include "program/write.h"

#include "base/file.h"
#include "program/words.h"

static void write_location(uint32_t location, base_text *text) {
    base_text_add(text, " a");
    base_text_number(text, location);
}

void prg_operation_write(const col_operation *operation, base_text *text) {
    const col_kind_traits *traits = &col_kinds[operation->kind];
    base_text_add(text, traits->name);
    if (traits->located) {
        write_location(operation->location, text);
    } else if (operation->kind == COL_DELAY) {
        base_text_add(text, " ");
        base_text_number(text, operation->location);
    } else if (operation->fence != COL_FULL_FENCE) {
        base_text_add(text, " ");
        base_text_add(text, prg_fence_words[operation->fence]);
    }
    if (operation->value != 0) {
        base_text_add(text, " ");
        base_text_number(text, operation->value);
    }
    if ((operation->order & COL_ACQUIRE) != 0)
        base_text_add(text, " acquire");
    if ((operation->order & COL_RELEASE) != 0)
        base_text_add(text, " release");
    if (operation->dependency != COL_NO_DEPENDENCY) {
        base_text_add(text, " ");
        base_text_add(text, prg_dependency_words[operation->dependency]);
        base_text_add(text, "@-");
        base_text_number(text, operation->distance);
    }
}

void prg_program_write(const col_program *program, base_text *text) {
    base_text_print(text, "collider program %d\n", PRG_PROGRAM_VERSION);
    if (program->is_narrow)
        base_text_print(text, "word %d\n", COL_NARROW_BYTES);
    for (uint32_t l = 0; l < program->location_count; l++)
        base_text_print(text, "location a%u 0x%08llx\n", l,
                        (unsigned long long)program->addresses[l]);
    for (uint32_t t = 0; t < program->thread_count; t++) {
        base_text_print(text, "thread %u\n", t);
        for (uint32_t o = program->thread_start[t]; o < program->thread_start[t + 1]; o++) {
            base_text_add(text, "  ");
            prg_operation_write(&program->operations[o], text);
            base_text_add(text, "\n");
        }
    }
    base_text_add(text, "end\n");
}

col_status col_program_write(const col_program *program, char **text, size_t *length,
                             col_problem *problem) {
    base_text written = {0};
    prg_program_write(program, &written);
    return base_text_give(&written, text, length, problem);
}

col_status col_program_write_file(const col_program *program, const char *path,
                                  col_problem *problem) {
    base_text text = {0};
    prg_program_write(program, &text);
    col_status status = base_text_status(&text, problem);
    if (status == COL_OK)
        status = base_file_write(path, text.data, text.length, problem);
    base_text_free(&text);
    return status;
}
