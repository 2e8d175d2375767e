/* SPDX-License-Identifier: MIT */
/* Markers in waveforms: see waves.h. */
#include "episode/waves.h"

#include "base/file.h"
#include "base/path.h"
#include "base/problem.h"
#include "duv/waves.h"
#include "episode/story_parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

col_status epi_waves_name(const char *waves, char path[], size_t size, col_problem *problem) {
    const size_t stem = strlen(waves) - (base_path_ends(waves, ".fst") ? 4 : 0);
    const int length = snprintf(path, size, "%.*s.gtkw", (int)stem, waves);
    if (length < 0 || (size_t)length >= size)
        return base_refuse(problem, "the name of the file %.100s... is too long", waves);
    return COL_OK;
}

/* The thread that an operation belongs to. */
static uint32_t thread_of(const epi_story *s, uint32_t operation) {
    uint32_t thread = 0;
    while (s->program->thread_start[thread + 1] <= operation)
        thread++;
    return thread;
}

/* False: no memory. */
static bool add_mark(const epi_story *s, uint32_t operation, duv_wave_marks *marks) {
    const uint32_t thread = thread_of(s, operation);
    base_text text = {0};
    marks->threads |= thread < 64 ? UINT64_C(1) << thread : 0;
    if (s->done[operation].number == 0 || marks->count == DUV_MOST_MARKS)
        return true;
    duv_wave_mark *mark = &marks->marks[marks->count++];
    mark->cycle = s->done[operation].cycle;
    epi_say_operation(s, operation, &text);
    (void)snprintf(mark->name, sizeof mark->name, "%u:%.80s", thread,
                   text.data == NULL ? "" : text.data);
    const bool is_whole = !text.failed;
    base_text_free(&text);
    return is_whole;
}

/* The operations of the cycle; of a deadlock, those that wait. If there is neither, all ports are
 * of interest. False: no memory. */
static bool find_marks(const epi_story *s, const epi_ending *ending, duv_wave_marks *marks) {
    epi_finding f;
    bool enough = true;
    epi_story_find(s, ending, &f);
    for (uint32_t i = 0; ending->violation != NULL && i < ending->violation->mention_count; i++)
        enough = add_mark(s, ending->violation->mentions[i].operation, marks) && enough;
    for (uint32_t i = 0; i < f.waiting_count; i++)
        enough = add_mark(s, f.waiting[i], marks) && enough;
    if (marks->threads == 0)
        marks->threads = UINT64_MAX;
    return enough;
}

col_status epi_waves_write(const epi_story *story, const epi_ending *ending, const col_duv *duv,
                           const char *waves, uint64_t cycles, col_problem *problem) {
    duv_wave_marks marks = {.last = cycles > 0 ? cycles - 1 : 0};
    base_text text = {0};
    char path[PATH_MAX];
    col_status status = epi_waves_name(waves, path, sizeof path, problem);
    if (status != COL_OK)
        return status;
    if (!find_marks(story, ending, &marks))
        return base_out_of_memory(problem);
    duv_waves_save(duv, waves, &marks, &text);
    status = base_text_status(&text, problem);
    if (status == COL_OK)
        status = base_file_write(path, text.data == NULL ? "" : text.data, text.length, problem);
    base_text_free(&text);
    return status;
}
