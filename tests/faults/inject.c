/* SPDX-License-Identifier: MIT */
/*
 * Linked into collider-faults: the command itself, whose allocator fails when the sweep says so. A
 * definition in the executable wins over the C library's for every shared library too; under
 * AddressSanitizer the runtime's is weak, and the real one has another name. Programs that the
 * command starts, such as the C compiler, are themselves. System calls are handed to the sweep by a
 * seccomp filter: stdio and SQLite call the kernel in ways that no replaced function sees.
 */
#include "faults/calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <unwind.h>

#ifdef SANITIZED
#define REAL(name) __asm__("__interceptor_" name)
void print_stack(void) __asm__("__sanitizer_print_stack_trace");
#else
#define REAL(name) __asm__("__libc_" name)
#endif
void *real_malloc(size_t size) REAL("malloc");
void *real_calloc(size_t count, size_t size) REAL("calloc");
void *real_realloc(void *old, size_t size) REAL("realloc");
void *real_memalign(size_t alignment, size_t size) REAL("memalign");

static fault_page *page; /* global: an allocator has no context */

static void show_place(void) {
#ifdef SANITIZED
    print_stack();
#else
    void *frames[32];
    backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
#endif
}

/* A breakpoint here stops a debugger at the allocation that fails. */
__attribute__((noinline)) void fault_here(void) {
    const uint32_t show = page->show;
    page->show = 0; /* printing may allocate */
    if (show)
        show_place();
    errno = ENOMEM;
}

static _Thread_local bool is_exempt; /* the sanitizer itself must not fail */

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *hash) {
    uint64_t *path = hash;
    *path = (*path ^ _Unwind_GetIP(context)) * 0x100000001b3;
    return _URC_NO_REASON;
}

static void record_path(uint64_t number) {
    uint64_t path = 0xcbf29ce484222325;
    if (number >= FAULT_PATHS)
        return;
    is_exempt = true;
    (void)_Unwind_Backtrace(add_frame, &path);
    is_exempt = false;
    page->paths[number] = path;
}

static bool fails(size_t size) {
    if (page == NULL || size == 0 || is_exempt)
        return false;
    const uint64_t number = atomic_fetch_add(&page->allocations, 1) + 1;
    if (page->record)
        record_path(number);
    if (page->fail_at == 0 || number < page->fail_at ||
        (number > page->fail_at && !page->fail_forever))
        return false;
    atomic_fetch_add(&page->failed, 1);
    fault_here();
    return true;
}

__attribute__((visibility("default"))) void *malloc(size_t size) {
    return fails(size) ? NULL : real_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size) {
    return fails(count * size) ? NULL : real_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size) {
    return fails(size) ? NULL : real_realloc(old, size);
}

__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t size) {
    return fails(size) ? NULL : real_memalign(alignment, size);
}

__attribute__((visibility("default"))) int posix_memalign(void **result, size_t alignment,
                                                          size_t size) {
    void *memory = fails(size) ? NULL : real_memalign(alignment, size);
    if (memory == NULL)
        return ENOMEM;
    *result = memory;
    return 0;
}

#ifdef SANITIZED
/* The runtime asks for the stack of a new thread, and ends the process when there is no memory. */
__attribute__((visibility("default"))) int pthread_getattr_np(pthread_t thread,
                                                              pthread_attr_t *attributes) {
    static int (*real)(pthread_t, pthread_attr_t *);
    is_exempt = true;
    if (real == NULL) {
        void *symbol = dlsym(RTLD_NEXT, "pthread_getattr_np");
        memcpy(&real, &symbol, sizeof real);
    }
    const int code = real(thread, attributes);
    is_exempt = false;
    return code;
}

/* Its own strdup does not call malloc. */
__attribute__((visibility("default"))) char *strdup(const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}
#endif

/* The filter: a call of the list goes to the listener, every other one to the kernel. */
static int watch_calls(void) {
    struct sock_filter filter[FAULT_CALL_COUNT + 3];
    filter[0] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < FAULT_CALL_COUNT; i++)
        filter[1 + i] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, fault_calls[i].number, (uint8_t)(FAULT_CALL_COUNT - i), 0);
    filter[FAULT_CALL_COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[FAULT_CALL_COUNT + 2] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    const struct sock_fprog program = {.len = FAULT_CALL_COUNT + 3, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                        &program);
}

/* A message without a descriptor says that there is no listener. From here on the sweep counts. */
static void hand_over(int socket) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte = 1;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    const int listener = watch_calls();
    if (listener >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *part = CMSG_FIRSTHDR(&message);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof listener);
        memcpy(CMSG_DATA(part), &listener, sizeof listener);
    }
    if (sendmsg(socket, &message, 0) != 1)
        abort();
    if (listener >= 0)
        (void)close(listener); /* it may be in the place of a standard stream */
    (void)close(socket);
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv(FAULTS_PAGE_VARIABLE);
    if (path == NULL)
        return;
#ifndef SANITIZED
    void *frame;
    (void)backtrace(&frame, 1); /* loads what it needs before allocations are counted */
#endif
    const int file = open(path, O_RDWR | O_CLOEXEC);
    void *shared = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    if (shared == MAP_FAILED)
        abort();
    page = shared;
    const char *socket = getenv(FAULTS_SOCKET_VARIABLE);
    if (socket != NULL)
        hand_over(atoi(socket));
}
