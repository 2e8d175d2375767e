/* SPDX-License-Identifier: MIT */
/* What a start of a command runs and brings: see command_batch.h. */
#include "design/command/command_batch.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "design/image_room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* What it brought is of no use. */
static void forget(duv_batch *b) {
    for (uint32_t p = 0; p < b->count; p++) {
        isa_commits_free(b->parts[p].commits);
        b->parts[p] = (duv_part){.commits = NULL};
    }
    b->count = 0;
    b->was_run = b->is_unclear = false;
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

/* ---- A start: its folder. */

static col_status make_folder(duv_batch *b, col_problem *problem) {
    const char *place = getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nobody sets it
    char made[PATH_MAX];
    const int length = snprintf(made, sizeof made, "%s/collider-XXXXXX",
                                place == NULL || place[0] == '\0' ? "/tmp" : place);
    if (length >= PATH_MAX - 32)
        return base_refuse(problem, "the path of the folder for temporary files is too long");
    if (mkdtemp(made) == NULL)
        return base_fail(problem, "cannot make the folder %.400s: %s", made, strerror(errno));
    if (realpath(made, b->folder) == NULL)
        (void)snprintf(b->folder, sizeof b->folder, "%s", made);
    b->listed = base_temporary_add(b->folder);
    for (uint32_t i = 0; i < DUV_PLACEHOLDER_COUNT; i++) {
        b->paths[i][0] = '\0';
        if (duv_placeholder_files[i] != NULL)
            BASE_TRY(base_path_in(b->paths[i], b->folder, duv_placeholder_files[i], problem));
    }
    return COL_OK;
}

static void remove_folder(duv_batch *b) {
    if (b->folder[0] == '\0')
        return;
    for (uint32_t i = 0; i < DUV_PLACEHOLDER_COUNT; i++)
        if (b->paths[i][0] != '\0')
            (void)unlink(b->paths[i]);
    base_folder_remove_files(b->folder, NULL); /* and what the command left */
    base_temporary_forget(b->listed);
    b->folder[0] = '\0';
}

/* ---- The image. The folder is new, and ours alone. */

static col_status write_bytes(const char *path, const void *bytes, size_t size,
                              col_problem *problem) {
    FILE *file = fopen(path, "wb");
    const bool is_written = file != NULL && (size == 0 || fwrite(bytes, 1, size, file) == size);
    int reason = errno;
    const bool is_closed = file != NULL && fclose(file) == 0; /* what it kept is written now */
    reason = is_written ? errno : reason;
    return is_written && is_closed
               ? COL_OK
               : base_fail(problem, "cannot write %.400s: %s", path, strerror(reason));
}

/* Those that the line names; all, if it names the folder. */
static col_status write_image(const duv_batch *b, col_problem *problem) {
    enum { HEX_WIDTH = 8 };
    static const duv_placeholder places[ISA_IMAGE_FORMS] = {[ISA_IMAGE_ELF] = DUV_AT_IMAGE,
                                                            [ISA_IMAGE_BIN] = DUV_AT_BIN,
                                                            [ISA_IMAGE_HEX] = DUV_AT_HEX,
                                                            [ISA_IMAGE_MAP] = DUV_AT_MAP};
    const uint32_t wanted = (b->file->uses >> DUV_AT_FOLDER & 1) != 0 ? UINT32_MAX : b->file->uses;
    col_status status = COL_OK;
    for (int f = 0; f < ISA_IMAGE_FORMS && status == COL_OK; f++) {
        base_text bytes = {0};
        if ((wanted >> places[f] & 1) == 0)
            continue;
        status =
            isa_image_bytes(&b->image, b->programs, (isa_image_form)f, HEX_WIDTH, &bytes, problem);
        if (status == COL_OK)
            status = write_bytes(b->paths[places[f]], bytes.data, bytes.length, problem);
        base_text_free(&bytes);
    }
    return status;
}

/* ---- Words and environment. */

static col_status make_words(const duv_batch *b, uint64_t seed, char ***words,
                             col_problem *problem) {
    const isa_image *image = &b->image;
    const char *values[DUV_PLACEHOLDER_COUNT];
    char numbers[DUV_PLACEHOLDER_COUNT][24];
    const isa_map *map = &image->maps[0];
    uint32_t threads = 0;
    for (uint32_t p = 0; p < image->map_count; p++)
        if (image->maps[p].thread_count > threads)
            threads = image->maps[p].thread_count;
    for (uint32_t i = 0; i < DUV_PLACEHOLDER_COUNT; i++)
        values[i] = b->paths[i];
    const struct {
        duv_placeholder place;
        uint64_t number;
    } rows[] = {{DUV_AT_SEED, seed},
                {DUV_AT_ROUNDS, map->rounds},
                {DUV_AT_HARTS, b->platform->harts},
                {DUV_AT_THREADS, threads},
                {DUV_AT_PROGRAMS, image->map_count},
                {DUV_AT_RESULTS, map->all.base},
                {DUV_AT_BYTES, map->all.size}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool is_address = rows[i].place == DUV_AT_RESULTS;
        (void)snprintf(numbers[i], sizeof numbers[i], is_address ? "0x%llx" : "%llu",
                       (unsigned long long)rows[i].number);
        values[rows[i].place] = numbers[i];
    }
    values[DUV_AT_FOLDER] = b->folder;
    values[DUV_AT_HERE] = b->file->here;
    values[DUV_AT_OPTIONS] = b->options == NULL ? "" : b->options;
    return duv_command_expand(b->file, values, words, problem);
}

static bool is_replaced(const duv_command_file *file, const char *variable) {
    const size_t length = strcspn(variable, "=");
    for (uint32_t i = 0; i < file->variable_count; i++)
        if (strncmp(file->variables[i], variable, length) == 0 && file->variables[i][length] == '=')
            return true;
    return false;
}

/* Ours, and the file's over it; NULL: no memory. The texts are not copied. */
static char **make_environment(const duv_command_file *file) {
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    char **made = malloc((count + file->variable_count + 1) * sizeof *made);
    for (size_t i = 0; made != NULL && i < count; i++)
        if (!is_replaced(file, environ[i]))
            made[kept++] = environ[i];
    for (uint32_t i = 0; made != NULL && i < file->variable_count; i++)
        made[kept++] = file->variables[i];
    if (made != NULL)
        made[kept] = NULL;
    return made;
}

/* ---- What it prints. */

enum { MOST_OUTPUT = 1 << 16 }; /* bytes that are kept of it */

/* Only the end is kept, once there is more than this. */
static void trim_output(duv_batch *b, size_t most) {
    base_text *output = &b->output;
    if (output->failed || output->length <= most)
        return;
    memmove(output->data, output->data + output->length - MOST_OUTPUT, MOST_OUTPUT);
    output->length = MOST_OUTPUT;
    output->data[output->length] = '\0';
}

static void keep_output(duv_batch *b, const char *bytes, size_t count) {
    base_text_add_bytes(&b->output, bytes, count);
    trim_output(b, 2 * (size_t)MOST_OUTPUT);
}

/* All programs get all commits: each knows its own by where they are. */
static void take_commits(duv_batch *b, const char *bytes, size_t count) {
    for (uint32_t p = 0; p < b->count && b->commit_status == COL_OK; p++)
        b->commit_status =
            isa_commits_add_output(b->parts[p].commits, bytes, count, &b->commit_problem);
}

/* Only a whole last line: printable, without its end. */
static void find_last_line(const duv_batch *b, char *line, size_t size) {
    size_t end = b->output.length;
    const char *text = b->output.data;
    while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == '\r' || text[end - 1] == ' '))
        end--;
    size_t begin = end;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    (void)snprintf(line, size, "%.*s", (int)(end - begin), end == 0 ? "" : text + begin);
    base_make_printable(line, false);
}

/* ---- The process. */

/* Called while we wait: a stop from outside ends the wait; so does the end of a command whose
 * children have its output open. */
static void look(void *context, double now) {
    enum { MOMENT = 5 }; /* a fifth of a second for what is on its way */
    duv_batch *b = context;
    duv_peer *peer = &b->peer;
    if (base_is_stopped(b->stop) || base_is_stopped(b->interrupt)) {
        b->was_stopped = true;
        peer->has_deadline = true;
        peer->deadline = now;
    } else if (base_process_ends_within(&peer->process, 0) &&
               (!peer->has_deadline || peer->deadline > now + 1.0 / MOMENT)) {
        peer->has_deadline = true;
        peer->deadline = now + 1.0 / MOMENT;
    }
}

/* Until it has ended, or must. */
static void await_end(duv_batch *b) {
    duv_peer *peer = &b->peer;
    duv_heard heard = DUV_HEARD;
    while (heard == DUV_HEARD) {
        const char *bytes;
        size_t count;
        heard = duv_peer_piece(peer, &bytes, &count);
        if (heard == DUV_HEARD) {
            keep_output(b, bytes, count);
            if (b->file->returns == DUV_RETURNS_STDOUT)
                take_commits(b, bytes, count);
        }
    }
    while (!base_process_ends_within(&peer->process, 20)) { /* it closed its output */
        look(b, base_seconds());
        if (b->was_stopped || (b->limit > 0 && base_seconds() >= b->deadline))
            break;
    }
    bool by_itself = base_process_ends_within(&peer->process, 0);
    b->timed_out = !by_itself && !b->was_stopped;
    b->status = duv_peer_end(peer, by_itself ? 1 : 0, &by_itself);
    keep_output(b, peer->complaints, peer->complained);
    trim_output(b, MOST_OUTPUT);
    for (size_t i = 0; i < b->output.length; i++)
        b->output.data[i] = (char)(b->output.data[i] == '\0' ? '?' : b->output.data[i]);
}

static col_status run_words(duv_batch *b, char *const *words, col_problem *problem) {
    char **environment = make_environment(b->file);
    const duv_peer_plan plan = {.words = words,
                                .folder = b->folder,
                                .environment = environment,
                                .joins = b->file->returns != DUV_RETURNS_STDOUT};
    if (environment == NULL)
        return base_out_of_memory(problem);
    b->peer.look = look;
    b->peer.context = b;
    b->deadline = base_seconds() + b->limit;
    b->peer.has_deadline = b->limit > 0;
    b->peer.deadline = b->deadline;
    const col_status status = duv_peer_start(&b->peer, &plan, problem);
    free(environment);
    if (status != COL_OK)
        return status;
    duv_peer_hush(&b->peer);
    await_end(b);
    return base_text_status(&b->output, problem);
}

static col_status start(duv_batch *b, uint64_t seed, col_problem *problem) {
    char **words = NULL;
    b->timed_out = b->was_stopped = false;
    b->status = 0;
    b->output.length = 0;
    b->commit_status = COL_OK;
    col_status status = make_folder(b, problem);
    if (status == COL_OK)
        status = write_image(b, problem);
    if (status == COL_OK)
        status = make_words(b, seed, &words, problem);
    if (status == COL_OK)
        status = run_words(b, words, problem);
    free(words);
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
    return place == DUV_PLACEHOLDER_COUNT ? NULL : b->paths[place];
}

static col_status read_log(duv_batch *b, const char *path, col_problem *problem) {
    BASE_TRY(base_file_read_regular(path, &b->bytes, problem));
    return isa_results_take(&b->image.maps[0], "its log", &b->bytes, problem);
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
    if (status == COL_OK && b->commit_status != COL_OK) {
        *problem = b->commit_problem;
        status = b->commit_status;
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
    if (b->timed_out)
        (void)snprintf(sentence, size, "the command did not end within %g second%s", b->limit,
                       b->limit == 1 ? "" : "s");
    else
        base_process_tell("the command", b->status, sentence, size);
    find_last_line(b, last, sizeof last);
    const size_t length = strlen(sentence);
    if (last[0] != '\0')
        base_sentence(sentence + length, size - length, "; the last line that it printed: %s",
                      last);
}

/* A rule of the file, or what an end means anyway. */
static col_run_end run_end(const duv_batch *b) {
    static const col_run_end ends[DUV_VERDICT_COUNT] = {
        [DUV_VERDICT_OK] = COL_RUN_COMPLETE,
        [DUV_VERDICT_FAILED] = COL_RUN_INVARIANT,
        [DUV_VERDICT_CRASH] = COL_RUN_CRASHED,
        [DUV_VERDICT_DEADLOCK] = COL_RUN_DEADLOCK,
    };
    return b->timed_out && !b->is_said ? COL_RUN_TIMED_OUT : ends[b->verdict];
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
    char sentence[400];
    tell_end(b, sentence, sizeof sentence);
    const bool is_unfinished = ending != NULL && ending->state != ISA_STATE_DONE;
    const bool is_known = is_unfinished && ending->state != ISA_STATE_RUNNING &&
                          (ending->state != ISA_STATE_NONE || !b->timed_out);
    if (is_unfinished && (b->verdict == DUV_VERDICT_OK || (is_known && !b->is_said)))
        FAIL(failure, duv_image_end(ending), "%s", ending->sentence);
    else if (is_unfinished)
        FAIL(failure, run_end(b), "%s; %s", sentence, ending->sentence);
    else if (b->verdict != DUV_VERDICT_OK)
        FAIL(failure, run_end(b), "%s", sentence);
    else if (ending == NULL)
        FAIL(failure, COL_RUN_CRASHED, "the command ended well, but left no results: %s",
             no_results);
    else
        return false;
    return true;
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
    b->is_said = duv_command_verdict(b->file, b->timed_out, b->status, &b->verdict);
    if (b->verdict == DUV_VERDICT_MACHINE) {
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

col_status duv_batch_run(duv_batch *b, uint64_t seed, col_problem *problem) {
    b->settings.seed = seed;
    BASE_TRY(build(b, problem));
    if (b->file->log == ISA_LOG_TAP)
        BASE_TRY(open_commits(b, problem));
    col_status status = start(b, seed, problem);
    if (status == COL_OK && !b->was_stopped)
        status = finish(b, problem);
    remove_folder(b);
    return status;
}

void duv_batch_free(duv_batch *b) {
    forget(b);
    remove_folder(b);
    duv_peer_free(&b->peer);
    base_text_free(&b->output);
    isa_image_free(&b->image);
    base_text_free(&b->bytes);
    free(b->options);
}
