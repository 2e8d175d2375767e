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

static col_status open_file(isa_platform *platform, const char *path, col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK)
        status = isa_platform_parse(platform, text.data == NULL ? "" : text.data, text.length, path,
                                    problem);
    base_text_free(&text);
    return status;
}

col_status isa_platform_open(isa_platform *platform, const char *what, col_problem *problem) {
    uint32_t choice = 0;
    if (base_path_ends(what, ".yaml") || base_path_ends(what, ".yml"))
        return open_file(platform, what, problem);
    const col_status status =
        base_choice_read("", "the platform", isa_platform_names, what, &choice, problem);
    if (status != COL_OK)
        return status;
    const preset *chosen = &presets[choice];
    return isa_platform_parse(platform, (const char *)chosen->bytes, *chosen->size, chosen->name,
                              problem);
}
