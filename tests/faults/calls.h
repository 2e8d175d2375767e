/* SPDX-License-Identifier: MIT */
/* The system calls that the sweep can fail, by kind. Declared once: the injector's filter, the
 * sweep's classification and its words come from here. */
#pragma once

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

typedef enum fault_kind {
    FAULT_ALLOCATION,
    FAULT_WRITE,
    FAULT_SYNC,
    FAULT_RENAME,
    FAULT_OPEN,
    FAULT_READ,
    FAULT_CLOSE,
    FAULT_TRUNCATE,
    FAULT_FOLDER,
    FAULT_LIST,
    FAULT_REMOVE,
    FAULT_PROCESS,
    FAULT_KINDS,
    FAULT_NONE = FAULT_KINDS
} fault_kind;

/* Kind, its name on the command line, and what a call that fails reports. */
#define FAULT_KIND_TABLE(X)                                                                        \
    X(FAULT_ALLOCATION, "allocation", ENOMEM)                                                      \
    X(FAULT_WRITE, "write", ENOSPC)                                                                \
    X(FAULT_SYNC, "sync", EIO)                                                                     \
    X(FAULT_RENAME, "rename", EIO)                                                                 \
    X(FAULT_OPEN, "open", EMFILE)                                                                  \
    X(FAULT_READ, "read", EIO)                                                                     \
    X(FAULT_CLOSE, "close", EIO)                                                                   \
    X(FAULT_TRUNCATE, "truncate", EIO)                                                             \
    X(FAULT_FOLDER, "folder", ENOSPC)                                                              \
    X(FAULT_LIST, "list", EIO)                                                                     \
    X(FAULT_REMOVE, "remove", EIO)                                                                 \
    X(FAULT_PROCESS, "process", EAGAIN)

typedef struct fault_call {
    uint32_t number;
    fault_kind kind;
} fault_call;

static const fault_call fault_calls[] = {
    {SYS_write, FAULT_WRITE},        {SYS_pwrite64, FAULT_WRITE},   {SYS_writev, FAULT_WRITE},
    {SYS_pwritev, FAULT_WRITE},      {SYS_fsync, FAULT_SYNC},       {SYS_fdatasync, FAULT_SYNC},
    {SYS_renameat, FAULT_RENAME},    {SYS_renameat2, FAULT_RENAME}, {SYS_linkat, FAULT_RENAME},
    {SYS_openat, FAULT_OPEN},        {SYS_pipe2, FAULT_OPEN},       {SYS_read, FAULT_READ},
    {SYS_pread64, FAULT_READ},       {SYS_readv, FAULT_READ},       {SYS_close, FAULT_CLOSE},
    {SYS_ftruncate, FAULT_TRUNCATE}, {SYS_mkdirat, FAULT_FOLDER},   {SYS_clone, FAULT_PROCESS},
    {SYS_clone3, FAULT_PROCESS},     {SYS_getdents64, FAULT_LIST},  {SYS_unlinkat, FAULT_REMOVE},
#ifdef SYS_open /* older names, which some machines no longer have */
    {SYS_open, FAULT_OPEN},          {SYS_creat, FAULT_OPEN},       {SYS_pipe, FAULT_OPEN},
    {SYS_rename, FAULT_RENAME},      {SYS_link, FAULT_RENAME},      {SYS_mkdir, FAULT_FOLDER},
    {SYS_fork, FAULT_PROCESS},       {SYS_vfork, FAULT_PROCESS},    {SYS_unlink, FAULT_REMOVE},
    {SYS_rmdir, FAULT_REMOVE},
#endif
};
enum { FAULT_CALL_COUNT = sizeof fault_calls / sizeof fault_calls[0] };

/* What the sweep and the injector share: the sweep maps this page from a file whose name is in
 * COLLIDER_FAULTS, so that every process of a job counts in one place. */

#define FAULTS_PAGE_VARIABLE "COLLIDER_FAULTS"
/* The socket over which the injector hands over the listener of its system calls; none: it does not
 * watch them. */
#define FAULTS_SOCKET_VARIABLE "COLLIDER_FAULTS_SOCKET"

enum { FAULT_PATHS = 1 << 17 };

typedef struct fault_page {
    uint64_t fail_at;      /* the number of the allocation that fails, from 1; 0: none does */
    uint32_t fail_forever; /* so do all that follow */
    uint32_t show;         /* print where the first one failed */
    _Atomic uint64_t allocations;
    _Atomic uint64_t failed;
    uint32_t record; /* note by which path of calls each allocation was reached, as far as there is
                        room */
    uint64_t paths[FAULT_PATHS];
} fault_page;
