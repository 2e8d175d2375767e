/* SPDX-License-Identifier: MIT */
/* Child processes: see process.h. */
#include "base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

static void close_line(int line) {
    if (line >= 0)
        (void)close(line);
}

/* ---- The beginning. */

_Noreturn static void be_child(const base_process_plan *plan, pid_t parent, int line) {
    if (plan->has_group)
        (void)setpgid(0, 0);
#if defined(__linux__)
    if (plan->dies_by != 0)
        (void)prctl(PR_SET_PDEATHSIG, plan->dies_by);
#endif
    if (plan->dies_by == 0 || getppid() == parent) /* else it was too late to ask for the signal */
        plan->run(plan->context, line);
    _exit(0);
}

col_status base_process_start(base_process *process, const base_process_plan *plan,
                              col_problem *problem) {
    int ends[2] = {-1, -1};
    const pid_t here = getpid();
    *process = (base_process){.line = -1};
    if (plan->has_line && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return base_fail(problem, "cannot make a line to %s: %s", plan->what, strerror(errno));
    const pid_t id = fork();
    if (id == 0) {
        close_line(ends[0]);
        be_child(plan, here, ends[1]);
    }
    const int reason = errno;
    close_line(ends[1]);
    if (id < 0) {
        close_line(ends[0]);
        return base_fail(problem, "cannot start %s: %s", plan->what, strerror(reason));
    }
    if (plan->has_group)
        (void)setpgid(id, id); /* whoever comes first */
    *process = (base_process){.id = id, .line = ends[0], .has_group = plan->has_group};
    return COL_OK;
}

/* ---- The end. */

typedef enum presence { RUNNING, ENDED, UNKNOWN } presence;

/* The process stays to be waited for. Unknown are those of a parent that ignores SIGCHLD: the
 * system forgets them at once. */
static presence look_for(pid_t id) {
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)id, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
        return errno == EINTR ? RUNNING : UNKNOWN;
    return info.si_pid == id ? ENDED : RUNNING;
}

bool base_process_ends_within(const base_process *process, uint32_t milliseconds) {
    const struct timespec moment = {.tv_nsec = 1000000};
    for (uint32_t i = 0; i < milliseconds && look_for(process->id) == RUNNING; i++)
        (void)nanosleep(&moment, NULL);
    return look_for(process->id) != RUNNING;
}

bool base_process_has_ended(base_process *process, int *status) {
    if (look_for(process->id) == RUNNING)
        return false;
    *status = base_process_wait(process);
    return true;
}

int base_process_wait(base_process *process) {
    int status = -1;
    close_line(process->line);
    while (waitpid(process->id, &status, 0) < 0) {
        if (errno == EINTR)
            continue;
        status = -1;
        break;
    }
    *process = (base_process){.line = -1};
    return status;
}

int base_process_end(base_process *process) {
    if (look_for(process->id) != UNKNOWN) { /* its number may be somebody else's by now */
        if (process->has_group)
            (void)kill(-process->id, SIGKILL);
        (void)kill(process->id, SIGKILL);
    }
    return base_process_wait(process);
}

void base_process_tell(const char *who, int status, char *sentence, size_t size) {
    if (WIFSIGNALED(status))
        (void)snprintf(sentence, size, "%s was ended by signal %d (%s)", who, WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    else
        (void)snprintf(sentence, size, "%s ended by itself, with status %d", who,
                       WEXITSTATUS(status));
}
