/* SPDX-License-Identifier: MIT */
/*
 * A command that runs images as a design: a simulator, an emulator, a board (docs/command.md). One
 * start runs many rounds of a program; an instance is one round. A start that did not end well is
 * an instance that fails, the first one, since nobody knows how many will be asked for; then the
 * rounds that it finished are handed out.
 */
#include "base/file.h"
#include "base/plural.h"
#include "base/sentence.h"
#include "base/stop.h"
#include "duv/command_start.h"
#include "duv/image_room.h"
#include "duv/kind.h"
#include "sim/design.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct command {
    duv_command_file file;
    isa_platform platform; /* with as many harts as the user wants */
    col_duv_description description;
    char *options;              /* may be NULL */
    double limit;               /* in seconds, of a start */
    const col_program *program; /* NULL: none */
    isa_image_settings settings;
    isa_image image;
    duv_start start;
    /* What the last start brought. */
    base_text bytes;
    isa_commits *commits;
    isa_results results;
    isa_reads reads;
    uint64_t whole, next; /* rounds that can be handed out; the next one of them */
    bool has_failed;      /* before them comes an instance that fails: */
    col_run failure;
} command;

/* ---- Opening. */

static void forget_batch(command *c) {
    isa_commits_free(c->commits);
    c->commits = NULL;
    isa_results_close(&c->results);
    c->whole = c->next = 0;
    c->has_failed = false;
}

static void close_command(void *state) {
    command *c = state;
    forget_batch(c);
    duv_start_free(&c->start);
    isa_reads_free(&c->reads);
    isa_image_free(&c->image);
    base_text_free(&c->bytes);
    duv_command_file_free(&c->file);
    free(c->options);
    free(c);
}

static void describe_command(command *c) {
    const isa_platform *p = &c->platform;
    const bool is_riscv = p->target->elf_machine == ISA_EM_RISCV;
    c->description =
        (col_duv_description){.name = c->file.name,
                              .cores = (uint32_t)p->harts,
                              .model = c->file.model,
                              .geometry = duv_image_geometry(p),
                              .shows = COL_SHOWS_READS,
                              .varies = !c->file.repeats,
                              .is_narrow = (p->target->word_sizes & 8) == 0,
                              .is_single = c->file.is_single,
                              .refuses = is_riscv && !p->has_flush ? 1U << COL_FLUSH : 0,
                              .least_operations = (uint32_t)c->file.least_operations,
                              .most_operations = (uint32_t)c->file.most_operations,
                              .instances = (uint32_t)c->file.rounds,
                              .window = duv_image_window(p)};
}

static col_status check_program(const command *c, col_problem *problem) {
    char path[PATH_MAX], sentence[200];
    if (duv_command_find_program(&c->file, path))
        return COL_OK;
    duv_command_say_missing(&c->file, sentence, sizeof sentence);
    return base_refuse(problem, "%s %s%s", c->file.name,
                       c->file.package[0] == '\0' ? "cannot be started: " : "", sentence);
}

static col_status take_options(command *c, const char *options, col_problem *problem) {
    if (options == NULL || options[0] == '\0')
        return COL_OK;
    if ((c->file.uses >> DUV_AT_OPTIONS & 1) == 0)
        return base_refuse(problem,
                           "the command of %.300s takes no options: its line has no {options}",
                           c->file.path);
    c->options = strdup(options);
    return c->options == NULL ? base_out_of_memory(problem) : COL_OK;
}

/* What it is called, or the file of a design of the list. */
static col_status find_file(const char *what, char path[PATH_MAX], col_problem *problem) {
    if (!sim_is_design_file(what) && sim_design_list_path(what, path, PATH_MAX))
        return COL_OK;
    if (strlen(what) >= PATH_MAX)
        return base_refuse(problem, "the path %.100s... is too long", what);
    memcpy(path, what, strlen(what) + 1);
    return COL_OK;
}

static col_status open_file(command *c, const col_duv_settings *settings, col_problem *problem) {
    char path[PATH_MAX];
    col_status status = find_file(settings->name, path, problem);
    if (status == COL_OK)
        status = duv_command_file_read(&c->file, path, problem);
    if (status == COL_OK)
        status = check_program(c, problem);
    if (status == COL_OK)
        status = take_options(c, settings->options, problem);
    if (status != COL_OK)
        return status;
    c->platform = c->file.platform;
    c->platform.harts = settings->cores > 0 ? settings->cores : c->file.harts;
    describe_command(c);
    isa_image_default(&c->settings);
    c->settings.log = c->file.log;
    c->settings.has_finals = c->file.log != ISA_LOG_TAP;
    return COL_OK;
}

static col_status open_command(void **state, const col_duv_settings *settings,
                               col_problem *problem) {
    command *c = calloc(1, sizeof *c);
    if (c == NULL)
        return base_out_of_memory(problem);
    c->image = (isa_image)ISA_IMAGE_EMPTY;
    c->limit = COL_DUV_LIMIT;
    const col_status status = open_file(c, settings, problem);
    if (status != COL_OK)
        close_command(c);
    else
        *state = c;
    return status;
}

static const col_duv_description *describe(void *state) {
    return &((command *)state)->description;
}

/* The file knows best how long a start takes. */
void duv_command_limit(void *state, double seconds) {
    ((command *)state)->limit = seconds;
}

void duv_command_interrupt(void *state, const volatile int *stop) {
    ((command *)state)->start.interrupt = stop;
}

/* ---- Loading. */

static col_status load(void *state, const col_program *program, col_problem *problem) {
    command *c = state;
    forget_batch(c);
    c->program = NULL;
    c->settings.rounds =
        duv_image_rounds(&c->platform, program, c->file.log, c->file.rounds);
    const col_status status =
        isa_image_build(&c->image, program, &c->platform, &c->settings, problem);
    c->program = status == COL_OK ? program : NULL;
    return status;
}

/* ---- What a start brought. */

#define FAIL(c, how, ...)                                                                          \
    do {                                                                                           \
        (c)->has_failed = true;                                                                    \
        (c)->failure = (col_run){.end = (how)};                                                    \
        base_sentence((c)->failure.message, sizeof(c)->failure.message, __VA_ARGS__);              \
    } while (0)

/* The window of results alone: ram is large, and most of it was never touched. */
static col_status read_memory(command *c, const char *path, col_problem *problem) {
    const isa_window *window = &c->image.map.results;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return base_cannot_read(path, errno, problem);
    char *copy = malloc(window->size + 1);
    const ssize_t got = copy == NULL ? -1
                                     : pread(file, copy, window->size,
                                             (off_t)(window->base - c->platform.ram.base));
    (void)close(file);
    if (copy == NULL)
        return base_out_of_memory(problem);
    if (got == (ssize_t)window->size)
        base_text_add_bytes(&c->bytes, copy, window->size);
    free(copy);
    return got == (ssize_t)window->size
               ? base_text_status(&c->bytes, problem)
               : base_refuse(problem, "the file of memory ends before the results");
}

static bool has_reads(const command *c) {
    for (uint32_t t = 0; t < c->image.map.thread_count; t++)
        if (c->image.map.threads[t].slots > 0)
            return true;
    return false;
}

/* The file that results come back in; NULL: they do not. */
static const char *results_path(const command *c) {
    const duv_placeholder place = duv_returns_place(c->file.returns);
    return place == DUV_PLACEHOLDER_COUNT ? NULL : c->start.paths[place];
}

/* What a commit log says; what came of the harness is not in it. */
static col_status read_commits(command *c, const isa_map **map, const uint8_t **bytes,
                               isa_ending *ending, col_problem *problem) {
    col_status status = COL_OK;
    if (c->file.returns == DUV_RETURNS_COMMITS)
        status = isa_commits_read(c->commits, results_path(c), problem);
    if (status == COL_OK && c->start.commit_status != COL_OK) {
        *problem = c->start.commit_problem;
        status = c->start.commit_status;
    }
    if (status == COL_OK && has_reads(c)) {
        status = isa_commits_end(c->commits, map, bytes, problem);
        *ending = (isa_ending){.rounds = status == COL_OK ? (*map)->rounds : 0};
    } else if (status == COL_OK) {
        *ending = (isa_ending){.rounds = c->settings.rounds};
    }
    ending->state = ending->rounds == c->settings.rounds ? ISA_STATE_DONE : ISA_STATE_RUNNING;
    if (status == COL_OK && ending->state != ISA_STATE_DONE)
        base_sentence(
            ending->sentence, sizeof ending->sentence, "the commit log ends in round %llu of %llu",
            (unsigned long long)ending->rounds + 1, (unsigned long long)c->settings.rounds);
    return status;
}

static col_status read_log(command *c, const char *path, col_problem *problem) {
    const col_status status = base_file_read(path, &c->bytes, problem);
    return status == COL_OK ? isa_results_take(&c->image.map, "its log", &c->bytes, problem)
                            : status;
}

/* COL_BAD_INPUT: there are none, and the problem says why. */
static col_status read_results(command *c, isa_ending *ending, col_problem *problem) {
    static const uint8_t nothing[1];
    const isa_map *map = &c->image.map;
    const uint8_t *bytes = nothing;
    const char *path = results_path(c);
    col_status status;
    c->bytes.length = 0;
    if (path != NULL && access(path, F_OK) != 0)
        return base_refuse(problem, "it did not write {%s}", duv_returns_words[c->file.returns]);
    if (c->commits != NULL)
        status = read_commits(c, &map, &bytes, ending, problem);
    else if (c->file.returns == DUV_RETURNS_MEMORY)
        status = read_memory(c, path, problem);
    else
        status = read_log(c, path, problem);
    if (c->commits == NULL)
        bytes = (const uint8_t *)c->bytes.data;
    if (status == COL_OK)
        status = isa_results_open(&c->results, map, c->program, bytes, problem);
    if (status == COL_OK && c->commits == NULL)
        status = isa_results_ending(&c->results, ending, problem);
    return status;
}

/* "ended by itself, with status 3; its last line: ..." */
static void tell_end(const command *c, char *sentence, size_t size) {
    char last[200];
    const duv_start *s = &c->start;
    if (s->timed_out)
        (void)snprintf(sentence, size, "the command did not end within %g second%s", s->limit,
                       s->limit == 1 ? "" : "s");
    else
        base_process_tell("the command", s->status, sentence, size);
    duv_start_last_line(s, last, sizeof last);
    const size_t length = strlen(sentence);
    if (last[0] != '\0')
        base_sentence(sentence + length, size - length, "; the last line that it printed: %s",
                      last);
}

/* A rule of the file, or what an end means anyway. */
static col_run_end run_end(const command *c, duv_verdict verdict, bool is_said) {
    static const col_run_end ends[DUV_VERDICT_COUNT] = {
        [DUV_VERDICT_OK] = COL_RUN_COMPLETE,
        [DUV_VERDICT_FAILED] = COL_RUN_INVARIANT,
        [DUV_VERDICT_CRASH] = COL_RUN_CRASHED,
        [DUV_VERDICT_DEADLOCK] = COL_RUN_DEADLOCK,
    };
    return c->start.timed_out && !is_said ? COL_RUN_TIMED_OUT : ends[verdict];
}

/* Both the command's end and what the image left behind tell; the harness knows better what it
 * was, unless the file has a rule for this very end. */
static void judge_start(command *c, const isa_ending *ending, bool has_results,
                        const char *no_results) {
    duv_verdict verdict;
    char sentence[400];
    const bool is_said =
        duv_command_verdict(&c->file, c->start.timed_out, c->start.status, &verdict);
    tell_end(c, sentence, sizeof sentence);
    c->whole = has_results ? ending->rounds : 0;
    const bool is_unfinished = has_results && ending->state != ISA_STATE_DONE;
    const bool is_known = ending->state != ISA_STATE_RUNNING &&
                          (ending->state != ISA_STATE_NONE || !c->start.timed_out);
    if (is_unfinished && (verdict == DUV_VERDICT_OK || (is_known && !is_said)))
        FAIL(c, duv_image_end(ending), "%s", ending->sentence);
    else if (is_unfinished)
        FAIL(c, run_end(c, verdict, is_said), "%s; %s", sentence, ending->sentence);
    else if (verdict != DUV_VERDICT_OK)
        FAIL(c, run_end(c, verdict, is_said), "%s", sentence);
    else if (!has_results)
        FAIL(c, COL_RUN_CRASHED, "the command ended well, but left no results: %s", no_results);
}

static bool is_machine(const command *c) {
    duv_verdict verdict;
    (void)duv_command_verdict(&c->file, c->start.timed_out, c->start.status, &verdict);
    return verdict == DUV_VERDICT_MACHINE;
}

static col_status finish_start(command *c, col_problem *problem) {
    isa_ending ending = {.state = ISA_STATE_NONE};
    col_problem own = {0};
    char sentence[400];
    if (is_machine(c)) {
        tell_end(c, sentence, sizeof sentence);
        return base_fail(problem, "%s", sentence);
    }
    const col_status status = read_results(c, &ending, &own);
    if (status != COL_OK && status != COL_BAD_INPUT) {
        if (problem != NULL)
            *problem = own;
        return status;
    }
    judge_start(c, &ending, status == COL_OK, own.message);
    return COL_OK;
}

/* ---- Running. */

static col_status run_start(command *c, uint64_t seed, const volatile int *stop,
                            col_problem *problem) {
    forget_batch(c);
    c->settings.seed = seed;
    col_status status = isa_image_build(&c->image, c->program, &c->platform, &c->settings, problem);
    if (status == COL_OK && c->file.log == ISA_LOG_TAP)
        status = isa_commits_new(&c->commits, &c->image.map, c->program, "the commit log", problem);
    if (status != COL_OK)
        return status;
    duv_start *s = &c->start;
    s->file = &c->file;
    s->harts = (uint32_t)c->platform.harts;
    s->options = c->options;
    s->limit = c->file.limit > 0 ? c->file.limit : c->limit;
    s->stop = stop;
    s->commits = c->file.returns == DUV_RETURNS_STDOUT ? c->commits : NULL;
    status = duv_start_run(s, &c->image, c->program, seed, problem);
    if (status == COL_OK && !s->was_stopped)
        status = finish_start(c, problem);
    duv_start_end(s);
    return status;
}

static void tell_output(const command *c, const col_observer *observer) {
    const col_event event = {.kind = COL_OUTPUT, .message = c->start.output.data};
    if (observer != NULL && (observer->kinds >> COL_OUTPUT & 1) != 0 && c->start.output.length > 0)
        observer->notice(observer->context, &event);
}

/* A value that nobody logged cannot be judged; one of another round can, and is wrong. */
static col_status hand_out(command *c, const col_observer *observer, col_run *result,
                           col_problem *problem) {
    const col_status status = isa_results_round(&c->results, c->next++, &c->reads, problem);
    if (status != COL_OK)
        return status;
    if (c->reads.lost_count > 0 && c->reads.old_count == 0) {
        result->end = COL_RUN_CRASHED;
        (void)isa_reads_explain(&c->results, &c->reads, result->message, sizeof result->message);
    } else if (observer != NULL) {
        isa_reads_tell(&c->reads, c->program, observer);
    }
    return COL_OK;
}

static col_status run(void *state, uint64_t seed, const col_observer *observer,
                      const volatile int *stop, col_run *result, col_problem *problem) {
    command *c = state;
    col_status status = COL_OK;
    result->operations = col_program_operations(c->program);
    if (c->next == c->whole && !c->has_failed) {
        if (!base_is_stopped(stop))
            status = run_start(c, seed, stop, problem);
        if (status != COL_OK)
            return status;
        if (c->next == c->whole && !c->has_failed) {
            result->end = COL_RUN_STOPPED;
            return COL_OK;
        }
    }
    tell_output(c, observer);
    if (!c->has_failed)
        return hand_out(c, observer, result, problem);
    c->has_failed = false;
    *result = c->failure;
    result->operations = 0;
    return COL_OK;
}

static void collect(void *state, uint64_t *hits) {
    (void)state;
    (void)hits;
}

const col_duv_interface duv_command = {.version = COL_DUV_VERSION,
                                       .name = "command",
                                       .open = open_command,
                                       .close = close_command,
                                       .describe = describe,
                                       .load = load,
                                       .run = run,
                                       .collect = collect};

/* ---- What it is: the file, its platform, and the program that it starts, if that is no tool of
 * the system. */

void duv_command_identify(duv_hasher *hasher, const char *what, const char *error_name,
                          duv_identity *identity) {
    char path[PATH_MAX], program[PATH_MAX];
    duv_command_file file = {.path = ""};
    (void)error_name; /* it takes none */
    if (find_file(what, path, NULL) != COL_OK ||
        duv_command_file_read(&file, path, NULL) != COL_OK) {
        duv_hash_word(hasher, "cannot be opened");
    } else {
        duv_hash_file(hasher, path);
        duv_hash_bytes(hasher, (const char *)&file.platform.ram, sizeof file.platform.ram);
        if (strchr(file.words[0], '/') != NULL && duv_command_find_program(&file, program))
            duv_hash_file(hasher, program);
        identity->cores = (uint32_t)file.harts;
    }
    duv_hash_end(hasher, identity->file);
    duv_command_file_free(&file);
}

/* ---- Which designs are commands. */

bool duv_is_named_command(const char *what) {
    char path[PATH_MAX];
    return !duv_is_command_file(what) && duv_find_command(what, path);
}
