/* SPDX-License-Identifier: MIT */
/* No text makes the reader of commands crash, and what it says has a place in the text. */
#include "design/command/command_file.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *values[DUV_PLACEHOLDER_COUNT];
    for (uint32_t i = 0; i < DUV_PLACEHOLDER_COUNT; i++)
        values[i] = i % 2 == 0 ? "/f/log" : "a 'b c'";
    static duv_command_file file;
    col_problem problem = {0};
    char path[PATH_MAX], **words = NULL;
    duv_verdict verdict = DUV_VERDICT_COUNT;
    memset(&file, 0, sizeof file);
    const col_status status =
        duv_command_file_parse(&file, (const char *)data, size, "fuzz.yaml", &problem);
    require(status != COL_BAD_INPUT || problem.line > 0 ||
            strstr(problem.message, "cannot read") !=
                NULL); /* a platform's file has its own place */
    if (status == COL_OK) {
        require(file.words != NULL && file.words[0] != NULL && file.rounds > 0 && file.harts > 0);
        (void)duv_command_verdict(&file, false, (int)size << 8, &verdict);
        require((unsigned)verdict < DUV_VERDICT_COUNT);
        (void)duv_command_find_program(&file, path);
        if (duv_command_expand(&file, values, &words, &problem) == COL_OK)
            free(words);
    }
    duv_command_file_free(&file);
    return 0;
}
