/* SPDX-License-Identifier: MIT */
/* Child processes: see process.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): close_range
#include "base/process.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
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

/*
 * A process that stands between us and a program that we started: see process.h. The system tells a
 * process that its parent has died by a signal, which a program that knows nothing of us would take
 * for another one, and sends it also when only the thread that started the process has ended.
 */

#if defined(__linux__)
#include <stdlib.h>
#include <sys/resource.h>

static volatile pid_t guarded_for; /* a signal handler has no context */

static void end_orphans(int signal_number) {
    (void)signal_number;
    if (getppid() != guarded_for)
        (void)kill(0, SIGKILL); /* the group, with the guard */
}

/* Ends as the program did. */
_Noreturn static void end_like(int status) {
    const struct rlimit none = {0};
    if (WIFSIGNALED(status)) {
        (void)setrlimit(RLIMIT_CORE, &none); /* the program has left one */
        (void)signal(WTERMSIG(status), SIG_DFL);
        (void)raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

_Noreturn static void stand_guard(pid_t program) {
    sigset_t none;
    int status = 0;
    pid_t ended;
    (void)close_range(0, ~0U, 0); /* pipes that end when the program hangs up */
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    do
        ended = waitpid(program, &status, 0);
    while (ended < 0 && errno == EINTR);
    end_like(status);
}

bool base_guard(pid_t parent) {
    const struct sigaction action = {.sa_handler = end_orphans};
    guarded_for = parent;
    (void)signal(SIGCHLD, SIG_DFL);
    if (sigaction(SIGUSR1, &action, NULL) != 0 || prctl(PR_SET_PDEATHSIG, SIGUSR1) != 0)
        return false;
    end_orphans(0); /* if it was too late to ask for the signal */
    const pid_t guard = getpid(), program = fork();
    if (program < 0)
        return false;
    if (program > 0)
        stand_guard(program);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* the guard has one thread */
    if (getppid() != guard)
        _exit(EXIT_FAILURE);
    (void)signal(SIGUSR1, SIG_DFL);
    return true;
}

#else

bool base_guard(pid_t parent) {
    (void)parent;
    return true;
}

#endif

/* Bytes from one process to the other. */

/* Milliseconds. Nothing that is looked at wakes us, so it is looked at ten times a second. */
static int time_to_wait(const base_line *line, double now) {
    enum { SLICE = 100 };
    const double left = (line->deadline - now) * 1000;
    if (line->has_deadline && left < SLICE)
        return (int)left + 1;
    return line->has_deadline || line->look != NULL ? SLICE : -1;
}

/* Waits until the socket is ready. */
static base_transfer wait_for(base_line *line, short events) {
    while (true) {
        struct pollfd ready = {.fd = line->socket, .events = events};
        const double now = base_seconds();
        if (line->look != NULL)
            line->look(line->context, now);
        if (line->has_deadline && now >= line->deadline)
            return BASE_TRANSFER_LATE;
        const int count = poll(&ready, 1, time_to_wait(line, now));
        if (count > 0)
            return BASE_TRANSFER_DONE;
        if (count < 0 && errno != EINTR)
            return BASE_TRANSFER_GONE;
    }
}

static bool may_come_later(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static base_transfer transfer(base_line *line, char *at, size_t size, bool sends) {
    while (size > 0) {
        const ssize_t moved = sends ? send(line->socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT)
                                    : recv(line->socket, at, size, MSG_DONTWAIT);
        if (moved > 0) {
            at += moved;
            size -= (size_t)moved;
            continue;
        }
        if ((moved == 0 && !sends) || !may_come_later())
            return BASE_TRANSFER_GONE;
        const base_transfer waited = wait_for(line, sends ? POLLOUT : POLLIN);
        if (waited != BASE_TRANSFER_DONE)
            return waited;
    }
    return BASE_TRANSFER_DONE;
}

base_transfer base_line_send(base_line *line, const void *bytes, size_t size) {
    return transfer(line, (char *)bytes, size, true);
}

/* One that never pauses is not waited for, but its time is over all the same. */
base_transfer base_line_receive(base_line *line, void *bytes, size_t size) {
    if (line->has_deadline && base_seconds() >= line->deadline)
        return BASE_TRANSFER_LATE;
    return transfer(line, bytes, size, false);
}
