/* SPDX-License-Identifier: MIT */
/*
 * Design files of kind `command`: a command that runs images (docs/command.md). Reading one starts
 * nothing.
 */
#pragma once

#include "base/field.h"
#include "design/isa/platform.h"

#include <limits.h>

/* What a command line may have in braces; rows X(NAME, word, file in the private folder or NULL,
 * words for the docs). Those with a file mean its path. */
#define DUV_PLACEHOLDERS(X)                                                                        \
    X(IMAGE, "image", "image.elf", "the image, an ELF file")                                       \
    X(BIN, "bin", "image.bin", "the image's bytes from the load address on")                       \
    X(HEX, "hex", "image.hex", "the image for $readmemh, words of 8 bytes from RAM's beginning")   \
    X(MAP, "map", "map.json", "what is where in the image")                                        \
    X(FOLDER, "folder", NULL, "the private folder that the command runs in")                       \
    X(LOG, "log", "log", "the file that the command writes results to: bytes, or a signature")     \
    X(MEMORY, "memory", "memory", "the file that holds all of RAM, shared by the command")         \
    X(COMMITS, "commits", "commits", "the file that the command writes its commit log to")         \
    X(SEED, "seed", NULL, "the seed of the start")                                                 \
    X(ROUNDS, "rounds", NULL, "how many rounds the image runs of each program")                    \
    X(PROGRAMS, "programs", NULL, "how many programs the image has")                               \
    X(HARTS, "harts", NULL, "how many harts the machine has")                                      \
    X(THREADS, "threads", NULL, "how many of them run a thread: the first ones")                   \
    X(RESULTS, "results", NULL, "the address of the results, such as 0x80005000")                  \
    X(BYTES, "bytes", NULL, "how many bytes they have")                                            \
    X(OPTIONS, "options", NULL, "what --options says, as words")                                   \
    X(HERE, "here", NULL, "the folder of the design file")

typedef enum duv_placeholder {
#define DUV_PLACEHOLDER_NAME(name, word, file, words) DUV_AT_##name,
    DUV_PLACEHOLDERS(DUV_PLACEHOLDER_NAME)
#undef DUV_PLACEHOLDER_NAME
        DUV_PLACEHOLDER_COUNT
} duv_placeholder;

extern const char *const duv_placeholder_words[DUV_PLACEHOLDER_COUNT + 1];
extern const char *const duv_placeholder_files[DUV_PLACEHOLDER_COUNT];

/* Where results come back. */
typedef enum duv_returns {
    DUV_RETURNS_LOG,
    DUV_RETURNS_MEMORY,
    DUV_RETURNS_COMMITS,
    DUV_RETURNS_STDOUT,
    DUV_RETURNS_COUNT
} duv_returns;

extern const char *const duv_returns_words[DUV_RETURNS_COUNT + 1];

/* The placeholder of the file that results come back in; DUV_PLACEHOLDER_COUNT: there is none. */
duv_placeholder duv_returns_place(duv_returns returns);

/* What an end of the command means. */
typedef enum duv_verdict {
    DUV_VERDICT_OK,
    DUV_VERDICT_FAILED,   /* the design is wrong, as the command itself saw */
    DUV_VERDICT_CRASH,    /* the design, or what simulates it, broke down */
    DUV_VERDICT_DEADLOCK, /* the design stopped making progress */
    DUV_VERDICT_MACHINE,  /* not the design's fault: no licence, no disk */
    DUV_VERDICT_COUNT
} duv_verdict;

typedef enum duv_exit_kind { DUV_EXIT_STATUS, DUV_EXIT_SIGNAL, DUV_EXIT_TIMEOUT } duv_exit_kind;

typedef struct duv_exit_rule {
    duv_exit_kind kind;
    uint32_t first, last; /* of statuses */
    duv_verdict verdict;
} duv_exit_rule;

enum { DUV_MOST_EXITS = 32, DUV_MOST_VARIABLES = 64, DUV_MOST_PROGRAMS = 64 };

typedef struct duv_command_file {
    /* Where the parts stand that are checked together; line 0: the file does not say. */
    struct {
        base_place root, kind, run, platform, log, results, rounds, programs, harts, model;
    } at;
    bool is_of_host; /* as many harts as we have processors */
    char path[PATH_MAX];
    char here[PATH_MAX]; /* the folder of the file, from the root on */
    char name[64], description[256];
    char run[4096];
    char **words;     /* of `run`, with placeholders; ended by NULL */
    uint32_t uses;    /* placeholders: bits */
    char package[64]; /* of Debian, that has the command; empty: not said */
    char platform_name[1024];
    isa_platform platform;
    uint64_t harts; /* that the machine has unless the user says otherwise */
    isa_log log;
    duv_returns returns;
    uint64_t rounds;
    uint64_t programs; /* of one start, at most */
    double limit;      /* in seconds, of a start; 0: not said */
    duv_exit_rule exits[DUV_MOST_EXITS];
    uint32_t exit_count;
    char *variables[DUV_MOST_VARIABLES + 1]; /* "NAME=VALUE" */
    uint32_t variable_count;
    bool repeats, is_single;
    col_model model;
    uint64_t least_operations, most_operations;
} duv_command_file;

/* Start from {0}; free also after an error. The platform is read, too. */
col_status duv_command_file_read(duv_command_file *file, const char *path, col_problem *problem);
col_status duv_command_file_parse(duv_command_file *file, const char *text, size_t length,
                                  const char *path, col_problem *problem);
void duv_command_file_free(duv_command_file *file);

/* Is this a file, of YAML that says kind: command? */
bool duv_is_command_file(const char *path);

/* The path of a design of the list that is such a file; false: it is another design. */
bool duv_find_command(const char *name, char path[PATH_MAX]);

/* The command itself, as it is started. False: there is no such program; `path` is then what was
 * looked for. */
bool duv_command_find_program(const duv_command_file *file, char path[PATH_MAX]);
/* What to do about it. */
void duv_command_say_missing(const duv_command_file *file, char *sentence, size_t size);

/* What an end means; the status is as waitpid gives it. */
bool duv_command_verdict(const duv_command_file *file, bool timed_out, int status,
                         duv_verdict *verdict);

/* The command's words for a start, one piece of memory. `values` are those of placeholders. */
col_status duv_command_expand(const duv_command_file *file,
                              const char *const values[DUV_PLACEHOLDER_COUNT], char ***words,
                              col_problem *problem);
