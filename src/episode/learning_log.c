/* SPDX-License-Identifier: MIT */
/* What an engine learned, as CSV: see learning_log.h. */
#include "episode/learning_log.h"

#include "base/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_header(base_text *text, const col_learning *learning) {
    base_text_add(text, "test,cycles,covered,operations,locations,sets,action,random,epsilon,"
                        "reward,loss");
    for (uint32_t a = 0; a < learning->action_count; a++)
        base_text_print(text, ",value:%s", learning->action_names[a]);
    base_text_add(text, "\n");
}

/* The rows of an old file: whole lines, up to those that are to be written again. */
static void keep_rows(base_text *text, const char *rows, uint64_t last_test) {
    const char *end;
    for (; (end = strchr(rows, '\n')) != NULL; rows = end + 1)
        if (strtoull(rows, NULL, 10) <= last_test)
            base_text_add_bytes(text, rows, (size_t)(end + 1 - rows));
}

static col_status take_old(base_text *text, const char *path, uint64_t last_test,
                           col_problem *problem) {
    base_text old = {0};
    if (access(path, F_OK) != 0)
        return COL_OK; /* the episode had no log before the break */
    col_status status = base_file_read(path, &old, problem);
    if (status == COL_OK && old.data != NULL) {
        if (strncmp(old.data, text->data, text->length) == 0)
            keep_rows(text, old.data + text->length, last_test);
        else
            status = base_refuse_at(problem, path, 1, 1,
                                    "this is not the log of this engine; to begin a new one, name "
                                    "another file");
    }
    base_text_free(&old);
    return status;
}

col_status epi_learning_log_open(epi_learning_log *log, const char *path,
                                 const col_learning *learning, bool goes_on, uint64_t last_test,
                                 col_problem *problem) {
    base_text text = {0};
    if (learning == NULL)
        return base_refuse(problem,
                           "this engine does not learn, so there is no log of its learning");
    if (strcmp(path, "-") == 0)
        return base_refuse(problem, "the log of learning is a file, not '-'");
    add_header(&text, learning);
    col_status status = base_text_status(&text, problem);
    if (status == COL_OK && goes_on)
        status = take_old(&text, path, last_test, problem);
    if (status == COL_OK)
        status = base_text_status(&text, problem);
    log->path = path;
    if (status == COL_OK)
        status = base_file_begin(&log->first, path, problem);
    if (status == COL_OK)
        (void)fwrite(text.data, 1, text.length, log->first.stream); /* the end sees if it failed */
    base_text_free(&text);
    return status;
}

col_status epi_learning_log_begin(epi_learning_log *log, col_problem *problem) {
    const col_status status = base_file_end(&log->first, true, problem);
    if (status != COL_OK)
        return status;
    log->file = fopen(log->path, "a");
    return log->file == NULL ? base_fail(problem, "cannot write %.400s", log->path) : COL_OK;
}

col_status epi_learning_log_add(const epi_learning_log *log, const col_learning *learning,
                                uint64_t cycles, uint64_t covered, col_problem *problem) {
    if (log->file == NULL || learning->test == 0)
        return COL_OK;
    FILE *file = log->file;
    (void)fprintf(file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u,%s,%d,%.9g,%.9g,",
                  learning->test, cycles, covered, learning->point.operations,
                  learning->point.locations, learning->point.sets,
                  learning->action_names[learning->action], (int)learning->is_random,
                  learning->epsilon, learning->reward);
    if (learning->is_trained)
        (void)fprintf(file, "%.9g", learning->loss);
    for (uint32_t a = 0; a < learning->action_count; a++) {
        if (learning->values == NULL)
            (void)fputc(',', file);
        else
            (void)fprintf(file, ",%.9g", (double)learning->values[a]);
    }
    (void)fputc('\n', file);
    return fflush(file) != 0 || ferror(file) ? base_fail(problem, "cannot write %.400s", log->path)
                                             : COL_OK;
}

void epi_learning_log_close(epi_learning_log *log) {
    if (log->first.stream != NULL)
        (void)base_file_end(&log->first, false, NULL);
    if (log->file != NULL)
        (void)fclose(log->file);
    *log = (epi_learning_log){0};
}
