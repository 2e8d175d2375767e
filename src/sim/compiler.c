/* SPDX-License-Identifier: MIT */
/*
 * The system's C compiler: see compiler.h. Its temporary files are in the folder it works in.
 */
#include "sim/compiler.h"

#include "base/file.h"
#include "base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SHOWN = 200 };

static const char *compiler(void) {
    const char *named = getenv("CC");
    return named != NULL && named[0] != '\0' ? named : "cc";
}

const char *sim_compiler_optimisation(void) {
    static const char *const known[] = {"-O0", "-O1", "-O2", "-O3"};
    const char *said = getenv("COLLIDER_OPTIMISATION");
    for (int i = 0; said != NULL && i < 4; i++)
        if (strcmp(said, known[i]) == 0)
            return known[i];
    return "-O2";
}

/* A protocol may read a deallocated record that has been reused for another type: what it reads
 * must be what was written last, so that checks see it. */
#define FLAGS "-std=c17", "-w", "-shared", "-fPIC", "-fno-strict-aliasing"

static col_status none(col_problem *problem) {
    return base_fail(problem, "there is no C compiler '%.200s'; install gcc, or name one in CC",
                     compiler());
}

/* ---- Its version. */

col_status sim_compiler_describe(base_text *description, col_problem *problem) {
    static const char *const flags[] = {FLAGS};
    const char *const arguments[] = {compiler(), "--version", NULL};
    const base_tool tool = {.what = "the C compiler", .arguments = arguments};
    base_tool_end end = BASE_TOOL_DONE;
    col_status status = base_tool_ask(&tool, description, &end, problem);
    if (status == COL_OK && end == BASE_TOOL_MISSING)
        status = none(problem);
    else if (status == COL_OK && end == BASE_TOOL_FAILED)
        status =
            base_fail(problem, "the C compiler '%.200s' does not tell its version", compiler());
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        base_text_print(description, " %s", flags[i]);
    base_text_print(description, " %s", sim_compiler_optimisation());
    return status == COL_OK ? base_text_status(description, problem) : status;
}

/* ---- Compiling. */

/* The first line of what the compiler said that names an error, or its first line. */
static col_status refused(const char *log, col_problem *problem) {
    base_text said = {0};
    (void)base_file_read(log, &said, NULL);
    const char *text = said.data == NULL ? "" : said.data, *line = strstr(text, "error");
    while (line != NULL && line > text && line[-1] != '\n')
        line--;
    line = line == NULL ? text : line;
    const size_t length = strcspn(line, "\n");
    const col_status status =
        base_fail(problem, "the C compiler '%.100s' does not accept the translated protocol: %.*s",
                  compiler(), (int)(length > MOST_SHOWN ? MOST_SHOWN : length),
                  length == 0 ? "it does not say why" : line);
    base_text_free(&said);
    return status;
}

static col_status compile(const char *folder, int words, const char *log, base_patience *patience,
                          col_problem *problem) {
    char include[PATH_MAX], source[PATH_MAX], object[PATH_MAX];
    const char *const arguments[] = {
        compiler(), FLAGS, sim_compiler_optimisation(), include, "-o", object, source, NULL};
    const base_tool tool = {
        .what = "the C compiler", .arguments = arguments, .temporary = folder, .output = words};
    base_tool_end end = BASE_TOOL_DONE;
    (void)snprintf(include, sizeof include, "-I%s", folder);
    (void)snprintf(source, sizeof source, "%s/protocol.c", folder);
    (void)snprintf(object, sizeof object, "%s/protocol.so", folder);
    const col_status status = base_tool_run(&tool, patience, &end, problem);
    if (status != COL_OK)
        return status;
    if (patience->came != 0)
        return base_fail(problem, "compiling the protocol was interrupted");
    if (end == BASE_TOOL_MISSING)
        return none(problem);
    return end == BASE_TOOL_DONE ? COL_OK : refused(log, problem);
}

col_status sim_compiler_run(const char *folder, base_patience *patience, col_problem *problem) {
    char log[PATH_MAX];
    (void)snprintf(log, sizeof log, "%s/log", folder);
    const int words = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (words < 0)
        return base_fail(problem, "cannot write %s: %s", log, strerror(errno));
    const col_status status = compile(folder, words, log, patience, problem);
    (void)close(words);
    return status;
}
