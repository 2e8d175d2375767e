/* SPDX-License-Identifier: MIT */
/*
 * The system's C compiler: see compiler.h. It runs in a process group of its own, so that it can be
 * ended with all its helpers, and dies with us. Its temporary files are in the folder it works in.
 */
#include "sim/compiler.h"

#include "base/file.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CANNOT_START = 127, MOST_SHOWN = 200 };

static const char *compiler(void) {
    const char *named = getenv("CC");
    return named != NULL && named[0] != '\0' ? named : "cc";
}

/* How hard the compiler tries: -O2, or what a user says who compiles much and runs little. */
static const char *optimisation(void) {
    static const char *const known[] = {"-O0", "-O1", "-O2", "-O3"};
    const char *said = getenv("COLLIDER_OPTIMISATION");
    for (int i = 0; said != NULL && i < 4; i++)
        if (strcmp(said, known[i]) == 0)
            return known[i];
    return "-O2";
}

#define FLAGS "-std=c17", "-w", "-shared", "-fPIC"

/* What the child becomes. */
typedef struct command {
    const char *const *arguments;
    char **environment;
    const sigset_t *mask;
    int output;
} command;

/* In the child; no stdio: it would write what the parent has not yet written. */
static void become(void *context, int no_line) {
    const command *c = context;
    const int input = open("/dev/null", O_RDONLY);
    (void)no_line;
    if (input < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(c->output, STDOUT_FILENO) < 0 ||
        dup2(c->output, STDERR_FILENO) < 0 || sigprocmask(SIG_SETMASK, c->mask, NULL) != 0)
        _exit(CANNOT_START - 1);
    environ = c->environment;
    (void)execvp(c->arguments[0], (char *const *)c->arguments);
    _exit(CANNOT_START);
}

static col_status start(command *c, base_process *child, col_problem *problem) {
    const base_process_plan plan = {.what = "the C compiler",
                                    .has_group = true,
                                    .dies_by = SIGTERM,
                                    .run = become,
                                    .context = c};
    return base_process_start(child, &plan, problem);
}

/* If nobody knows how it ended, what it leaves behind will tell. */
static bool has_exited(int end, int status) {
    return end == -1 ? status == 0 : WIFEXITED(end) && WEXITSTATUS(end) == status;
}

static col_status none(col_problem *problem) {
    return base_fail(problem, "there is no C compiler '%.200s'; install gcc, or name one in CC",
                     compiler());
}

/* ---- Its version. */

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

col_status sim_compiler_describe(base_text *description, col_problem *problem) {
    static const char *const flags[] = {FLAGS};
    const char *const arguments[] = {compiler(), "--version", NULL};
    int ends[2];
    base_process child;
    sigset_t mask;
    if (pipe(ends) != 0)
        return base_fail(problem, "cannot start the C compiler: %s", strerror(errno));
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    command c = {.arguments = arguments, .environment = environ, .mask = &mask, .output = ends[1]};
    col_status status = start(&c, &child, problem);
    (void)close(ends[1]);
    if (status == COL_OK) {
        const bool is_read = read_all(ends[0], description);
        const int end = base_process_wait(&child);
        if (has_exited(end, CANNOT_START))
            status = none(problem);
        else if (!is_read || !has_exited(end, 0))
            status =
                base_fail(problem, "the C compiler '%.200s' does not tell its version", compiler());
    }
    (void)close(ends[0]);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        base_text_print(description, " %s", flags[i]);
    base_text_print(description, " %s", optimisation());
    return status == COL_OK ? base_text_status(description, problem) : status;
}

/* ---- Compiling. */

/* Ends the compiler and its helpers if a signal comes. */
static int wait_patiently(base_process *child, sim_patience *patience) {
    int status = 0;
    while (!base_process_has_ended(child, &status))
        if (!sim_patience_wait(patience))
            return base_process_end(child);
    return status;
}

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

static col_status compile(const char *folder, int words, const char *log, sim_patience *patience,
                          col_problem *problem) {
    char include[PATH_MAX], source[PATH_MAX], object[PATH_MAX], temporary[PATH_MAX];
    const char *const arguments[] = {compiler(), FLAGS,  optimisation(), include,
                                     "-o",       object, source,         NULL};
    (void)snprintf(include, sizeof include, "-I%s", folder);
    (void)snprintf(source, sizeof source, "%s/protocol.c", folder);
    (void)snprintf(object, sizeof object, "%s/protocol.so", folder);
    (void)snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    char **environment = environment_with(temporary);
    if (environment == NULL)
        return base_out_of_memory(problem);
    base_process child;
    command c = {.arguments = arguments,
                 .environment = environment,
                 .mask = &patience->before,
                 .output = words};
    const col_status status = start(&c, &child, problem);
    free(environment);
    if (status != COL_OK)
        return status;
    const int end = wait_patiently(&child, patience);
    if (patience->came != 0)
        return base_fail(problem, "compiling the protocol was interrupted");
    if (has_exited(end, CANNOT_START))
        return none(problem);
    return has_exited(end, 0) ? COL_OK : refused(log, problem);
}

col_status sim_compiler_run(const char *folder, sim_patience *patience, col_problem *problem) {
    char log[PATH_MAX];
    (void)snprintf(log, sizeof log, "%s/log", folder);
    const int words = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (words < 0)
        return base_fail(problem, "cannot write %s: %s", log, strerror(errno));
    const col_status status = compile(folder, words, log, patience, problem);
    (void)close(words);
    return status;
}
