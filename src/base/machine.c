/* SPDX-License-Identifier: MIT */
/* Tools of the machine: see machine.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): CPU_COUNT
#include "base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CANNOT_START = 127 };

/* What the child becomes. */
typedef struct command {
    const base_tool *tool;
    char **environment;
    const sigset_t *mask;
} command;

/* In the child; no stdio: it would write what the parent has not yet written. */
static void become(void *context, int no_line) {
    const command *c = context;
    const int input = open("/dev/null", O_RDONLY), output = c->tool->output;
    (void)no_line;
    if (input < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0 || sigprocmask(SIG_SETMASK, c->mask, NULL) != 0)
        _exit(CANNOT_START - 1);
    environ = c->environment;
    (void)execvp(c->tool->arguments[0], (char *const *)c->tool->arguments);
    _exit(CANNOT_START);
}

/* Our environment, with TMPDIR in the first place. */
static char **environment_with(char *temporary) {
    size_t count = 0, kept = 1;
    while (environ[count] != NULL)
        count++;
    char **environment = calloc(count + 2, sizeof *environment);
    if (environment == NULL)
        return NULL;
    environment[0] = temporary;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0)
            environment[kept++] = environ[i];
    return environment;
}

static col_status start(base_process *child, command *c, col_problem *problem) {
    const base_process_plan plan = {
        .what = c->tool->what, .has_group = true, .dies_by = SIGTERM, .run = become, .context = c};
    return base_process_start(child, &plan, problem);
}

col_status base_tool_start(base_process *child, const base_tool *tool, const sigset_t *mask,
                           col_problem *problem) {
    char temporary[PATH_MAX];
    command c = {.tool = tool, .environment = environ, .mask = mask};
    if (tool->temporary == NULL)
        return start(child, &c, problem);
    (void)snprintf(temporary, sizeof temporary, "TMPDIR=%s", tool->temporary);
    c.environment = environment_with(temporary);
    if (c.environment == NULL)
        return base_out_of_memory(problem);
    const col_status status = start(child, &c, problem);
    free(c.environment);
    return status;
}

base_tool_end base_tool_judge(int status) {
    if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return BASE_TOOL_DONE;
    return WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_START ? BASE_TOOL_MISSING
                                                                    : BASE_TOOL_FAILED;
}

col_status base_tool_run(const base_tool *tool, base_patience *patience, base_tool_end *end,
                         col_problem *problem) {
    base_process child;
    int ended = 0;
    BASE_TRY(base_tool_start(&child, tool, &patience->before, problem));
    while (!base_process_has_ended(&child, &ended))
        if (!base_patience_wait(patience)) {
            ended = base_process_end(&child);
            break;
        }
    *end = base_tool_judge(ended);
    return COL_OK;
}

static bool read_all(int input, base_text *text) {
    char chunk[1024];
    for (;;) {
        const ssize_t count = read(input, chunk, sizeof chunk);
        if (count > 0)
            base_text_add_bytes(text, chunk, (size_t)count);
        else if (count == 0 || errno != EINTR)
            return count == 0;
    }
}

col_status base_tool_ask(const base_tool *tool, base_text *answer, base_tool_end *end,
                         col_problem *problem) {
    int ends[2];
    base_process child;
    sigset_t mask;
    if (pipe(ends) != 0)
        return base_fail(problem, "cannot start %s: %s", tool->what, strerror(errno));
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    base_tool asked = *tool;
    asked.output = ends[1];
    const col_status status = base_tool_start(&child, &asked, &mask, problem);
    (void)close(ends[1]);
    if (status == COL_OK) {
        const bool is_read = read_all(ends[0], answer);
        *end = base_tool_judge(base_process_wait(&child));
        if (!is_read && *end == BASE_TOOL_DONE)
            *end = BASE_TOOL_FAILED;
    }
    (void)close(ends[0]);
    return status;
}

/* */

uint32_t base_processors(void) {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}
