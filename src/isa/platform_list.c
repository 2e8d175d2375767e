/* SPDX-License-Identifier: MIT */
/* Platforms by name or by file: see platform.h. */
#include "isa/platform.h"

#include "base/choice.h"
#include "base/file.h"
#include "base/path.h"

#include <stdio.h>

typedef struct preset {
    const char *name; /* of the file */
    const unsigned char *bytes;
    const size_t *size;
} preset;

#include "isa_platforms.h" /* generated from platforms/ */

static bool is_file(const char *what) {
    return base_path_ends(what, ".yaml") || base_path_ends(what, ".yml");
}

static col_status find_preset(const char *what, const preset **found, col_problem *problem) {
    uint32_t choice = 0;
    const col_status status =
        base_choice_read("--", "platform", isa_platform_names, what, &choice, problem);
    *found = &presets[choice];
    return status;
}

col_status isa_platform_text(const char *what, base_text *text, col_problem *problem) {
    const preset *found = NULL;
    if (is_file(what))
        return base_file_read_regular(what, text, problem);
    const col_status status = find_preset(what, &found, problem);
    if (status != COL_OK)
        return status;
    base_text_add_bytes(text, (const char *)found->bytes, *found->size);
    return base_text_status(text, problem);
}

col_status isa_platform_open(isa_platform *platform, const char *what, col_problem *problem) {
    base_text text = {0};
    const preset *found = NULL;
    const char *name = what;
    col_status status = isa_platform_text(what, &text, problem);
    if (status == COL_OK && !is_file(what)) {
        status = find_preset(what, &found, problem);
        name = found->name;
    }
    if (status == COL_OK)
        status = isa_platform_parse(platform, text.data == NULL ? "" : text.data, text.length, name,
                                    problem);
    base_text_free(&text);
    return status;
}
