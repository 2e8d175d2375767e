/* SPDX-License-Identifier: MIT */
/* One disturbed run: see process.h. This process answers for the kernel: each watched system call
 * of the command waits until it is told to go on or to fail. */
#include "faults/process.h"
#include "progress.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAME_OF(kind, name, reason) [kind] = (name),
#define REASON_OF(kind, name, reason) [kind] = (reason),
const char *const fault_kind_names[FAULT_KINDS] = {FAULT_KIND_TABLE(NAME_OF)};
static const int reasons[FAULT_KINDS] = {FAULT_KIND_TABLE(REASON_OF)};

typedef struct supervision {
    const fault_request *fault;
    fault_outcome *outcome;
    pid_t process;
    int watch;    /* a descriptor of the process */
    int listener; /* of its system calls, or -1 */
    int socket;   /* where the listener comes from, or -1 */
    struct stat command;
    double deadline, signal_time;
} supervision;

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void set_number(const char *name, int number) {
    char text[16];
    (void)snprintf(text, sizeof text, "%d", number);
    (void)setenv(name, text, 1);
}

/* What the command may read from the environment is in the folder. */
void fault_environment(const char *folder) {
    char path[4096];
    (void)setenv("HOME", folder, 1);
    (void)snprintf(path, sizeof path, "%s/cache", folder);
    (void)setenv("XDG_CACHE_HOME", path, 1);
    (void)snprintf(path, sizeof path, "%s/tmp", folder);
    (void)setenv("TMPDIR", path, 1);
    (void)setenv("CC", FAULTS_SOURCE "/tests/faults/cc", 1);
    (void)setenv("COLLIDER_OPTIMISATION", "-O0", 1);
    (void)setenv("ASAN_OPTIONS", "exitcode=99:detect_leaks=1:fast_unwind_on_malloc=0",
                 1); /* no status of ours */
    (void)setenv("LSAN_OPTIONS",
                 "print_suppressions=0:suppressions=" FAULTS_SOURCE "/tests/faults/leaks.txt", 1);
    (void)setenv("UBSAN_OPTIONS", "exitcode=99", 1);
}

static void set_environment(const char *folder, const char *page_path, int socket) {
    fault_environment(folder);
    (void)setenv(FAULTS_PAGE_VARIABLE, page_path, 1);
    (void)unsetenv(FAULTS_SOCKET_VARIABLE);
    if (socket >= 0)
        set_number(FAULTS_SOCKET_VARIABLE, socket);
}

static void become_command(const char *const *words, const char *folder, const char *page_path,
                           int socket, const int streams[3], uint32_t closed) {
    (void)setpgid(0, 0);
    (void)signal(SIGPIPE, SIG_DFL);
    set_environment(folder, page_path, socket);
    for (int i = 0; i < 3; i++) {
        if (dup2(streams[i], i) < 0)
            _exit(126);
        if ((closed >> i & 1) != 0)
            (void)close(i);
    }
    if (chdir(folder) != 0)
        _exit(126);
    char *copy[64] = {0};
    for (int i = 0; words[i] != NULL && i < 63; i++)
        copy[i] = strdup(words[i]);
    (void)execv(words[0], copy);
    _exit(127);
}

/* The descriptor in the injector's message. */
static void receive_listener(supervision *s) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    if (recvmsg(s->socket, &message, MSG_CMSG_CLOEXEC) == 1) {
        struct cmsghdr *part = CMSG_FIRSTHDR(&message);
        if (part != NULL && part->cmsg_type == SCM_RIGHTS)
            memcpy(&s->listener, CMSG_DATA(part), sizeof s->listener);
        else
            s->outcome->is_unwatched = true;
    }
    (void)close(s->socket);
    s->socket = -1;
}

static bool is_command(const supervision *s, pid_t process) {
    char path[64];
    struct stat image;
    (void)snprintf(path, sizeof path, "/proc/%d/exe", (int)process);
    return stat(path, &image) == 0 && image.st_ino == s->command.st_ino &&
           image.st_dev == s->command.st_dev;
}

/* A descriptor whose close fails stays open here, unlike on a disk that fails. That makes no
 * difference for a file that was written, unless it is locked. */
static bool is_written_file(const struct seccomp_notif *call) {
    char path[64], line[128];
    struct stat file;
    unsigned flags = O_RDONLY;
    bool is_locked = false;
    (void)snprintf(path, sizeof path, "/proc/%u/fd/%d", call->pid, (int)call->data.args[0]);
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    (void)snprintf(path, sizeof path, "/proc/%u/fdinfo/%d", call->pid, (int)call->data.args[0]);
    FILE *details = fopen(path, "re");
    while (details != NULL && fgets(line, sizeof line, details) != NULL) {
        if (strncmp(line, "flags:", 6) == 0)
            flags = (unsigned)strtoul(line + 6, NULL, 8);
        is_locked = is_locked || strncmp(line, "lock:", 5) == 0;
    }
    if (details != NULL)
        (void)fclose(details);
    return !is_locked && (flags & O_ACCMODE) != O_RDONLY;
}

/* What is written to standard error is how a fault is told, and never fails. */
static bool fails(supervision *s, const struct seccomp_notif *call) {
    fault_kind kind = FAULT_NONE;
    for (unsigned i = 0; i < FAULT_CALL_COUNT; i++)
        if (fault_calls[i].number == (uint32_t)call->data.nr)
            kind = fault_calls[i].kind;
    if (kind == FAULT_NONE || !is_command(s, (pid_t)call->pid) ||
        (kind == FAULT_WRITE && call->data.args[0] == STDERR_FILENO) ||
        (kind == FAULT_CLOSE && !is_written_file(call)))
        return false;
    if (kind == FAULT_SYNC && call->data.args[0] <= STDERR_FILENO)
        s->outcome->is_misplaced = true;
    const uint64_t number = ++s->outcome->counts[kind];
    if (kind != s->fault->kind || number < s->fault->at ||
        (number > s->fault->at && !s->fault->forever))
        return false;
    s->outcome->failed++;
    return true;
}

static void answer_call(supervision *s) {
    struct seccomp_notif call = {0};
    if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        return; /* who asked is gone */
    struct seccomp_notif_resp answer = {.id = call.id};
    if (fails(s, &call))
        answer.error = -reasons[s->fault->kind];
    else
        answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    (void)ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void kill_all(supervision *s) {
    (void)kill(-s->process, SIGKILL);
    s->deadline += 10;
}

/* A terminal's signal reaches everything that the command started. */
static void send_signal(supervision *s) {
    s->signal_time = 0;
    (void)kill(s->fault->signal == SIGINT ? -s->process : s->process, s->fault->signal);
}

/* Returns whether the command has ended. */
static bool step(supervision *s, bool has_ended) {
    struct pollfd events[3] = {{.fd = has_ended ? -1 : s->watch, .events = POLLIN},
                               {.fd = s->listener, .events = POLLIN},
                               {.fd = s->socket, .events = POLLIN}};
    const double end = s->signal_time > 0 ? s->signal_time : s->deadline;
    const double left = has_ended ? 0.005 : end > now() ? end - now() : 0;
    const struct timespec wait = {.tv_sec = (time_t)left,
                                  .tv_nsec = (long)(1e9 * (left - (double)(time_t)left))};
    const int count = ppoll(events, 3, &wait, NULL);
    if (count == 0 && !has_ended && s->signal_time > 0)
        send_signal(s);
    if (count == 0 && !has_ended && now() > s->deadline) {
        s->outcome->is_timed_out = true;
        kill_all(s);
    }
    if (count > 0 && (events[2].revents & (POLLIN | POLLHUP)) != 0)
        receive_listener(s);
    else if (count > 0 && (events[1].revents & POLLIN) != 0)
        answer_call(s);
    else if (count > 0 && events[1].revents != 0)
        s->listener = (close(s->listener), -1);
    return has_ended || (count > 0 && events[0].revents != 0);
}

static void take_status(fault_outcome *outcome, int status) {
    outcome->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* What the command leaves running becomes a child of this process, and has a second to end. */
static void end_rest(supervision *s) {
    bool is_killed = false;
    s->deadline = now() + 1;
    for (;;) {
        const pid_t ended = waitpid(-s->process, NULL, WNOHANG);
        if (ended < 0)
            return;
        if (ended > 0)
            continue;
        (void)step(s, true);
        if (now() > s->deadline && !is_killed) {
            s->outcome->left_process = is_killed = true;
            (void)kill(-s->process, SIGKILL);
        }
    }
}

static void supervise(supervision *s) {
    bool has_ended = false;
    int status = 0;
    while (!has_ended)
        has_ended = step(s, false);
    while (waitpid(s->process, &status, 0) < 0 && errno == EINTR)
        continue;
    take_status(s->outcome, status);
    end_rest(s);
    (void)close(s->watch);
    if (s->listener >= 0)
        (void)close(s->listener);
    if (s->socket >= 0)
        (void)close(s->socket);
}

static void take_text(int file, base_text *text) {
    char chunk[1 << 14];
    ssize_t count;
    off_t place = 0;
    while ((count = pread(file, chunk, sizeof chunk, place)) > 0) {
        base_text_add_bytes(text, chunk, (size_t)count);
        place += count;
    }
    base_text_add(text, "");
    (void)close(file);
}

/* What the command has as standard streams: the folder's file `input`, or nothing to read, and two
 * files; or a pipe without a reader. */
static void open_streams(int streams[3], const char *folder, bool is_unread) {
    char path[4096];
    int ends[2];
    (void)snprintf(path, sizeof path, "%s/input", folder);
    streams[0] = open(path, O_RDONLY | O_CLOEXEC);
    if (streams[0] < 0)
        streams[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    streams[1] = memfd_create("output", MFD_CLOEXEC);
    streams[2] = memfd_create("errors", MFD_CLOEXEC);
    if (is_unread && pipe2(ends, O_CLOEXEC) == 0) {
        (void)close(ends[0]);
        (void)close(streams[1]);
        streams[1] = ends[1];
    }
    if (streams[0] < 0 || streams[1] < 0 || streams[2] < 0)
        abort();
}

static void start(supervision *s, const char *const *words, const char *folder,
                  const char *page_path, const int streams[3], bool watch) {
    int sockets[2] = {-1, -1};
    if (watch && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        abort();
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (stat(words[0], &s->command) != 0)
        abort();
    s->process = fork();
    if (s->process == 0) {
        if (watch)
            (void)close(sockets[0]);
        become_command(words, folder, page_path, sockets[1], streams, s->fault->closed);
    }
    (void)setpgid(s->process, s->process);
    s->socket = sockets[0];
    if (watch)
        (void)close(sockets[1]);
    s->watch = (int)syscall(SYS_pidfd_open, s->process, 0);
    if (s->process < 0 || s->watch < 0)
        abort();
}

void fault_run(const char *const *words, const char *folder, const fault_request *fault,
               fault_page *page, const char *page_path, double time_limit, fault_outcome *outcome) {
    supervision s = {.fault = fault, .outcome = outcome, .listener = -1, .socket = -1};
    const bool is_allocation = fault->kind == FAULT_ALLOCATION;
    int streams[3];
    *outcome = (fault_outcome){0};
    memset(page, 0, offsetof(fault_page, paths));
    page->fail_at = is_allocation ? fault->at : 0;
    page->fail_forever = fault->forever;
    page->show = fault->show;
    page->record = fault->record;
    open_streams(streams, folder, fault->is_unread);
    s.deadline = now() + time_limit;
    s.signal_time = fault->signal != 0 ? now() + fault->delay : 0;
    start(&s, words, folder, page_path, streams,
          fault->watch || (fault->kind != FAULT_NONE && !is_allocation));
    supervise(&s);
    (void)close(streams[0]);
    take_text(streams[1], &outcome->output);
    take_text(streams[2], &outcome->errors);
    drop_lines(&outcome->errors, is_progress);
    outcome->counts[FAULT_ALLOCATION] = page->allocations;
    outcome->failed += page->failed;
}

void fault_outcome_free(fault_outcome *outcome) {
    base_text_free(&outcome->output);
    base_text_free(&outcome->errors);
}
