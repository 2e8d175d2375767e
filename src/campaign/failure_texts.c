/* SPDX-License-Identifier: MIT */
/* The texts of a failure: see failure_texts.h. */
#include "campaign/failure_texts.h"

#include "base/file.h"
#include "base/folder.h"

#include <string.h>

col_status cam_text_read(base_arena *arena, const char *folder, const char *name, const char **copy,
                         col_problem *problem) {
    base_text text = {0};
    *copy = NULL;
    if (!base_folder_has(folder, name))
        return COL_OK;
    col_status status = base_file_read_in(folder, name, &text, problem);
    if (status == COL_OK && text.data != NULL) {
        *copy = base_arena_text(arena, text.data, strlen(text.data));
        status = *copy == NULL ? base_out_of_memory(problem) : COL_OK;
    }
    base_text_free(&text);
    return status;
}

col_status cam_failure_texts(cam_failure_row *f, base_arena *arena, const char *folder,
                             bool is_shrunk, col_problem *problem) {
    const struct {
        const char **text, *name;
        bool of_whole, of_shrunk;
    } files[] = {{&f->record, "failure.json", true, false},
                 {&f->program, "program.txt", true, false},
                 {&f->story, "failure.txt", true, true},
                 {&f->picture, "failure.svg", true, true},
                 {&f->shrunk, "program.txt", false, true},
                 {&f->litmus, "test.riscv.litmus", false, true},
                 {&f->litmus, "test.aarch64.litmus", false, true},
                 {&f->litmus, "test.x86-64.litmus", false, true}};
    col_status status = COL_OK;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == COL_OK; i++) {
        const char *text = NULL;
        if (!(is_shrunk ? files[i].of_shrunk : files[i].of_whole))
            continue;
        status = cam_text_read(arena, folder, files[i].name, &text, problem);
        if (text != NULL)
            *files[i].text = text;
    }
    return status;
}
