/* SPDX-License-Identifier: MIT */
/* What a start of a command runs and brings: see command_batch.h. */
#include "design/command/command_batch.h"

#include "base/file.h"
#include "base/text.h"
#include "design/image_room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What it brought is of no use. */
static void forget(duv_batch *b) {
    for (uint32_t p = 0; p < b->count; p++) {
        isa_commits_free(b->parts[p].commits);
        b->parts[p] = (duv_part){.commits = NULL};
    }
    b->count = 0;
    b->was_run = b->is_unclear = false;
}

void duv_batch_free(duv_batch *b) {
    forget(b);
    duv_start_free(&b->start);
    isa_image_free(&b->image);
    base_text_free(&b->bytes);
}

uint32_t duv_batch_find(const duv_batch *b, uint32_t first, col_hash program) {
    uint32_t p = first;
    while (p < b->count && (b->parts[p].map == NULL || b->parts[p].program.high != program.high ||
                            b->parts[p].program.low != program.low))
        p++;
    return p;
}

/* ---- Making one. */

static col_status build(duv_batch *b, col_problem *problem) {
    return isa_image_build_all(&b->image, b->programs, b->count, b->platform, &b->settings,
                               problem);
}

/* Programs that cannot be built together with others may be alone; and the first must not suffer
 * for what is wrong with another. */
col_status duv_batch_make(duv_batch *b, const col_program *const *programs, uint32_t count,
                          col_problem *problem) {
    forget(b);
    /* As many programs as the log has room for with all their rounds; and of one program alone as
     * many rounds. */
    const duv_command_file *file = b->file;
    uint64_t room = duv_image_log_room(b->platform);
    b->settings.rounds = duv_image_rounds(b->platform, programs[0], file->log, file->rounds);
    b->count = b->settings.rounds < file->rounds ? 1
               : count < file->programs          ? count
                                                 : (uint32_t)file->programs;
    for (uint32_t p = 0; p < b->count && file->log != ISA_LOG_TAP; p++) {
        const uint64_t bytes = duv_image_log_bytes(programs[p]);
        if (b->settings.rounds > room / bytes)
            b->count = p > 0 ? p : 1;
        else
            room -= bytes * b->settings.rounds;
    }
    memcpy(b->programs, programs, b->count * sizeof *programs);
    col_status status = build(b, problem);
    while (status == COL_BAD_INPUT && b->count > 1) {
        b->count /= 2;
        status = build(b, problem);
    }
    for (uint32_t p = 0; p < b->count && status == COL_OK; p++)
        b->parts[p] = (duv_part){.program = b->image.maps[p].program};
    if (status != COL_OK)
        b->count = 0;
    return status;
}

/* ---- Results. */

/* Up to `size` bytes from `at` on, fewer at the end of the file; errno is 0 if it is that. */
static size_t read_at(int file, char *bytes, size_t size, uint64_t at) {
    size_t count = 0;
    ssize_t got = 1;
    errno = 0;
    while (count < size && got > 0) {
        got = pread(file, bytes + count, size - count, (off_t)(at + count));
        count += got > 0 ? (size_t)got : 0;
    }
    return count;
}

/* The window of results alone: ram is large, and most of it was never touched. A disk that fails
 * says nothing about the design. */
static col_status read_memory(duv_batch *b, const char *path, col_problem *problem) {
    static const char what[] = "its file of memory";
    const isa_window *window = &b->image.maps[0].all;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return base_cannot_read(what, errno, problem);
    char *copy = malloc(window->size + 1);
    const size_t got =
        copy == NULL ? 0 : read_at(file, copy, window->size, window->base - b->platform->ram.base);
    const int reason = errno;
    (void)close(file);
    if (copy == NULL)
        return base_out_of_memory(problem);
    if (got == window->size)
        base_text_add_bytes(&b->bytes, copy, got);
    free(copy);
    if (got == window->size)
        return base_text_status(&b->bytes, problem);
    return reason != 0 ? base_cannot_read(what, reason, problem)
                       : base_refuse(problem, "the file of memory ends before the results");
}

/* The file that results come back in; NULL: they do not. */
static const char *results_path(const duv_batch *b) {
    const duv_placeholder place = duv_returns_place(b->file->returns);
    return place == DUV_PLACEHOLDER_COUNT ? NULL : b->start.paths[place];
}

static col_status read_log(duv_batch *b, const char *path, col_problem *problem) {
    const col_status status = base_file_read_regular(path, &b->bytes, problem);
    return status == COL_OK ? isa_results_take(&b->image.maps[0], "its log", &b->bytes, problem)
                            : status;
}

/* The bytes of all programs, unless they are commits. COL_BAD_INPUT: there are none, and the
 * problem says why. */
static col_status read_results(duv_batch *b, col_problem *problem) {
    const char *path = results_path(b);
    b->bytes.length = 0;
    if (path != NULL && access(path, F_OK) != 0)
        return base_refuse(problem, "it did not write {%s}", duv_returns_words[b->file->returns]);
    if (b->file->log == ISA_LOG_TAP)
        return COL_OK;
    return b->file->returns == DUV_RETURNS_MEMORY ? read_memory(b, path, problem)
                                                  : read_log(b, path, problem);
}

/* What a commit log says; what came of the harness is not in it. */
static col_status read_commits(duv_batch *b, duv_part *part, isa_ending *ending,
                               col_problem *problem) {
    static const uint8_t nothing[1];
    const uint64_t rounds = b->settings.rounds;
    col_status status = COL_OK;
    *ending = (isa_ending){.rounds = rounds};
    part->bytes = nothing;
    if (b->file->returns == DUV_RETURNS_COMMITS)
        status = isa_commits_read(part->commits, results_path(b), problem);
    if (status == COL_OK && b->start.commit_status != COL_OK) {
        *problem = b->start.commit_problem;
        status = b->start.commit_status;
    }
    if (status == COL_OK && isa_map_has_reads(part->map)) {
        status = isa_commits_end(part->commits, &part->map, &part->bytes, problem);
        ending->rounds = status == COL_OK ? part->map->rounds : 0;
    }
    ending->state = ending->rounds == rounds ? ISA_STATE_DONE : ISA_STATE_RUNNING;
    if (status == COL_OK && ending->state != ISA_STATE_DONE)
        base_sentence(ending->sentence, sizeof ending->sentence,
                      "the commit log ends in round %llu of %llu",
                      (unsigned long long)ending->rounds + 1, (unsigned long long)rounds);
    return status;
}

static col_status read_records(duv_batch *b, uint32_t number, isa_ending *ending,
                               col_problem *problem) {
    duv_part *part = &b->parts[number];
    isa_results results = {.map = NULL};
    part->bytes = (const uint8_t *)b->bytes.data + isa_map_part(part->map);
    col_status status =
        isa_results_open(&results, part->map, b->programs[number], part->bytes, problem);
    if (status == COL_OK)
        status = isa_results_ending(&results, ending, problem);
    isa_results_close(&results);
    return status;
}

/* What the harness says of a program; of a later one that nothing is there of, that it did not
 * begin. */
static col_status read_part(duv_batch *b, uint32_t number, isa_ending *ending,
                            col_problem *problem) {
    duv_part *part = &b->parts[number];
    part->map = &b->image.maps[number];
    col_status status = part->commits != NULL ? read_commits(b, part, ending, problem)
                                              : read_records(b, number, ending, problem);
    if (number == 0 || (status == COL_OK && ending->state != ISA_STATE_NONE) ||
        (status != COL_OK && (status != COL_BAD_INPUT || part->commits == NULL)))
        return status;
    *ending = (isa_ending){.state = ISA_STATE_NONE};
    base_sentence(ending->sentence, sizeof ending->sentence,
                  "the image never came to program %u of %u", (unsigned)number + 1,
                  (unsigned)b->count);
    return COL_OK;
}

/* ---- How it ended. */

/* "ended by itself, with status 3; its last line: ..." */
static void tell_end(const duv_batch *b, char *sentence, size_t size) {
    char last[200];
    const duv_start *s = &b->start;
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
static col_run_end run_end(const duv_batch *b, duv_verdict verdict, bool is_said) {
    static const col_run_end ends[DUV_VERDICT_COUNT] = {
        [DUV_VERDICT_OK] = COL_RUN_COMPLETE,
        [DUV_VERDICT_FAILED] = COL_RUN_INVARIANT,
        [DUV_VERDICT_CRASH] = COL_RUN_CRASHED,
        [DUV_VERDICT_DEADLOCK] = COL_RUN_DEADLOCK,
    };
    return b->start.timed_out && !is_said ? COL_RUN_TIMED_OUT : ends[verdict];
}

#define FAIL(run, how, ...)                                                                        \
    do {                                                                                           \
        *(run) = (col_run){.end = (how)};                                                          \
        base_sentence((run)->message, sizeof(run)->message, __VA_ARGS__);                          \
    } while (0)

/* Both the command's end and what the image left behind tell; the harness knows better what it
 * was, unless the file has a rule for this very end. `ending` is NULL if there are no results.
 * False: nothing went wrong. */
static bool judge(const duv_batch *b, const isa_ending *ending, const char *no_results,
                  col_run *failure) {
    duv_verdict verdict;
    char sentence[400];
    const bool is_said =
        duv_command_verdict(b->file, b->start.timed_out, b->start.status, &verdict);
    tell_end(b, sentence, sizeof sentence);
    const bool is_unfinished = ending != NULL && ending->state != ISA_STATE_DONE;
    const bool is_known = is_unfinished && ending->state != ISA_STATE_RUNNING &&
                          (ending->state != ISA_STATE_NONE || !b->start.timed_out);
    if (is_unfinished && (verdict == DUV_VERDICT_OK || (is_known && !is_said)))
        FAIL(failure, duv_image_end(ending), "%s", ending->sentence);
    else if (is_unfinished)
        FAIL(failure, run_end(b, verdict, is_said), "%s; %s", sentence, ending->sentence);
    else if (verdict != DUV_VERDICT_OK)
        FAIL(failure, run_end(b, verdict, is_said), "%s", sentence);
    else if (ending == NULL)
        FAIL(failure, COL_RUN_CRASHED, "the command ended well, but left no results: %s",
             no_results);
    else
        return false;
    return true;
}

static bool is_machine(const duv_batch *b) {
    duv_verdict verdict;
    (void)duv_command_verdict(b->file, b->start.timed_out, b->start.status, &verdict);
    return verdict == DUV_VERDICT_MACHINE;
}

/* Nothing can be said of any program. One alone has failed. */
static void finish_without(duv_batch *b, const char *no_results) {
    (void)judge(b, NULL, no_results, &b->unclear);
    b->is_unclear = b->count > 1;
    if (b->count > 1)
        return;
    b->parts[0].map = &b->image.maps[0];
    b->parts[0].whole = 0;
    b->parts[0].has_failed = true;
    b->parts[0].failure = b->unclear;
}

/* Programs up to the one that the image stopped in; the last one has what the command's end says.
 */
static col_status finish_parts(duv_batch *b, col_problem *problem) {
    isa_ending ending = {.state = ISA_STATE_DONE};
    for (uint32_t p = 0; p < b->count && ending.state == ISA_STATE_DONE; p++) {
        duv_part *part = &b->parts[p];
        const col_status status = read_part(b, p, &ending, problem);
        if (status != COL_OK) {
            part->map = NULL;
            return status;
        }
        part->whole = ending.rounds;
        if (ending.state != ISA_STATE_DONE || p + 1 == b->count)
            part->has_failed = judge(b, &ending, "", &part->failure);
    }
    return COL_OK;
}

static col_status finish(duv_batch *b, col_problem *problem) {
    col_problem own = {0};
    char sentence[400];
    if (is_machine(b)) {
        tell_end(b, sentence, sizeof sentence);
        return base_fail(problem, "%s", sentence);
    }
    col_status status = read_results(b, &own);
    if (status == COL_OK)
        status = finish_parts(b, &own);
    b->was_run = true;
    if (status == COL_BAD_INPUT)
        finish_without(b, own.message);
    else if (status != COL_OK && problem != NULL)
        *problem = own;
    return status == COL_BAD_INPUT ? COL_OK : status;
}

/* ---- Running. */

static col_status open_commits(duv_batch *b, col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t p = 0; p < b->count && status == COL_OK; p++) {
        isa_commits_free(b->parts[p].commits); /* of a start that was stopped */
        status = isa_commits_new(&b->parts[p].commits, &b->image.maps[p], b->programs[p],
                                 "the commit log", problem);
    }
    return status;
}

static void take_stdout(void *context, const char *line, size_t length) {
    duv_batch *b = context;
    duv_start *s = &b->start;
    for (uint32_t p = 0; p < b->count && s->commit_status == COL_OK; p++)
        s->commit_status = isa_commits_add(b->parts[p].commits, line, length, &s->commit_problem);
}

col_status duv_batch_run(duv_batch *b, uint64_t seed, col_problem *problem) {
    duv_start *s = &b->start;
    b->settings.seed = seed;
    col_status status = build(b, problem);
    if (status == COL_OK && b->file->log == ISA_LOG_TAP)
        status = open_commits(b, problem);
    if (status != COL_OK)
        return status;
    s->file = b->file;
    s->harts = (uint32_t)b->platform->harts;
    s->take_commits = b->file->returns == DUV_RETURNS_STDOUT ? take_stdout : NULL;
    s->context = b;
    status = duv_start_run(s, &b->image, b->programs, seed, problem);
    if (status == COL_OK && !s->was_stopped)
        status = finish(b, problem);
    duv_start_end(s);
    return status;
}
