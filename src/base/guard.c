/* SPDX-License-Identifier: MIT */
/*
 * A process that stands between us and a program that we started: see guard.h. The system tells a
 * process that its parent has died by a signal, which a program that knows nothing of us would take
 * for another one, and sends it also when only the thread that started the process has ended.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): close_range
#include "base/guard.h"

#if defined(__linux__)
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
