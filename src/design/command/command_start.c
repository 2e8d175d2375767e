/* SPDX-License-Identifier: MIT */
/* One start of a command: see command_start.h. */
#include "design/command/command_start.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/lines.h"
#include "base/path.h"
#include "base/text.h"
#include "design/command/command_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- The folder. */

static col_status make_folder(duv_start *s, col_problem *problem) {
    const char *place = getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nobody sets it
    char made[PATH_MAX];
    const int length = snprintf(made, sizeof made, "%s/collider-XXXXXX",
                                place == NULL || place[0] == '\0' ? "/tmp" : place);
    if (length >= PATH_MAX - 32)
        return base_refuse(problem, "the path of the folder for temporary files is too long");
    if (mkdtemp(made) == NULL)
        return base_fail(problem, "cannot make the folder %.400s: %s", made, strerror(errno));
    if (realpath(made, s->folder) == NULL)
        (void)snprintf(s->folder, sizeof s->folder, "%s", made);
    s->listed = base_temporary_add_folder(s->folder);
    col_status status = COL_OK;
    for (uint32_t i = 0; i < DUV_PLACEHOLDER_COUNT && status == COL_OK; i++) {
        s->paths[i][0] = '\0';
        if (duv_placeholder_files[i] != NULL)
            status = base_path_in(s->paths[i], s->folder, duv_placeholder_files[i], problem);
    }
    return status;
}

void duv_start_end(duv_start *s) {
    char parent[PATH_MAX];
    if (s->folder[0] == '\0')
        return;
    const char *name = base_path_name(s->folder);
    (void)snprintf(parent, sizeof parent, "%.*s", (int)(name - s->folder), s->folder);
    for (uint32_t i = 0; i < DUV_PLACEHOLDER_COUNT; i++)
        if (s->paths[i][0] != '\0')
            (void)unlink(s->paths[i]);
    if (rmdir(s->folder) != 0) /* the command left files of its own */
        base_folder_remove(parent, name);
    base_temporary_forget(s->listed);
    s->folder[0] = '\0';
}

void duv_start_free(duv_start *s) {
    duv_start_end(s);
    duv_peer_free(&s->peer);
    base_text_free(&s->output);
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
static col_status write_image(const duv_start *s, const isa_image *image,
                              const col_program *const *programs, col_problem *problem) {
    enum { HEX_WIDTH = 8 };
    static const duv_placeholder places[ISA_IMAGE_FORMS] = {[ISA_IMAGE_ELF] = DUV_AT_IMAGE,
                                                            [ISA_IMAGE_BIN] = DUV_AT_BIN,
                                                            [ISA_IMAGE_HEX] = DUV_AT_HEX,
                                                            [ISA_IMAGE_MAP] = DUV_AT_MAP};
    const uint32_t wanted = (s->file->uses >> DUV_AT_FOLDER & 1) != 0 ? UINT32_MAX : s->file->uses;
    col_status status = COL_OK;
    for (int f = 0; f < ISA_IMAGE_FORMS && status == COL_OK; f++) {
        base_text bytes = {0};
        if ((wanted >> places[f] & 1) == 0)
            continue;
        status = isa_image_bytes(image, programs, (isa_image_form)f, HEX_WIDTH, &bytes, problem);
        if (status == COL_OK)
            status = write_bytes(s->paths[places[f]], bytes.data, bytes.length, problem);
        base_text_free(&bytes);
    }
    return status;
}

/* ---- Words and environment. */

static col_status make_words(const duv_start *s, const isa_image *image, uint64_t seed,
                             char ***words, col_problem *problem) {
    const char *values[DUV_PLACEHOLDER_COUNT];
    char numbers[DUV_PLACEHOLDER_COUNT][24];
    const isa_map *map = &image->maps[0];
    uint32_t threads = 0;
    for (uint32_t p = 0; p < image->map_count; p++)
        if (image->maps[p].thread_count > threads)
            threads = image->maps[p].thread_count;
    for (uint32_t i = 0; i < DUV_PLACEHOLDER_COUNT; i++)
        values[i] = s->paths[i];
    const struct {
        duv_placeholder place;
        uint64_t number;
    } rows[] = {{DUV_AT_SEED, seed},
                {DUV_AT_ROUNDS, map->rounds},
                {DUV_AT_HARTS, s->harts},
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
    values[DUV_AT_FOLDER] = s->folder;
    values[DUV_AT_HERE] = s->file->here;
    values[DUV_AT_OPTIONS] = s->options == NULL ? "" : s->options;
    return duv_command_expand(s->file, values, words, problem);
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

/* Only the end is kept, once there is more than this. */
static void trim_output(duv_start *s, size_t most) {
    base_text *output = &s->output;
    if (output->failed || output->length <= most)
        return;
    memmove(output->data, output->data + output->length - DUV_OUTPUT, DUV_OUTPUT);
    output->length = DUV_OUTPUT;
    output->data[output->length] = '\0';
}

static void keep_output(duv_start *s, const char *bytes, size_t count) {
    base_text_add_bytes(&s->output, bytes, count);
    trim_output(s, 2 * (size_t)DUV_OUTPUT);
}

static bool is_commit(const char *line) {
    line += strspn(line, " \t");
    return strncmp(line, "core", 4) == 0 || (line[0] >= '0' && line[0] <= '9');
}

static void end_line(duv_start *s) {
    s->line[s->line_length] = '\0';
    if (!s->line_is_long && is_commit(s->line) && s->commit_status == COL_OK) {
        s->line[s->line_length] = '\n';
        s->take_commits(s->context, s->line, s->line_length + 1);
    }
    s->line_length = 0;
    s->line_is_long = false;
}

/* Simulators print other things, too: only lines that look like commits are taken for them. */
static void take_lines(duv_start *s, const char *bytes, size_t count) {
    while (count > 0) {
        const char *end = memchr(bytes, '\n', count);
        const size_t length = end != NULL ? (size_t)(end - bytes) : count;
        s->line_is_long = s->line_is_long || length >= sizeof s->line - s->line_length;
        if (!s->line_is_long) {
            memcpy(s->line + s->line_length, bytes, length);
            s->line_length += length;
        }
        if (end != NULL)
            end_line(s);
        bytes += length + (end != NULL);
        count -= length + (end != NULL);
    }
}

/* Only a whole last line: printable, without its end. */
void duv_start_last_line(const duv_start *s, char *line, size_t size) {
    size_t end = s->output.length;
    const char *text = s->output.data;
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
    duv_start *s = context;
    duv_peer *peer = &s->peer;
    if (base_is_stopped(s->stop) || base_is_stopped(s->interrupt)) {
        s->was_stopped = true;
        peer->has_deadline = true;
        peer->deadline = now;
    } else if (base_process_ends_within(&peer->process, 0) &&
               (!peer->has_deadline || peer->deadline > now + 1.0 / MOMENT)) {
        peer->has_deadline = true;
        peer->deadline = now + 1.0 / MOMENT;
    }
}

/* Until it has ended, or must. */
static void await_end(duv_start *s) {
    duv_peer *peer = &s->peer;
    duv_heard heard = DUV_HEARD;
    while (heard == DUV_HEARD) {
        const char *bytes;
        size_t count;
        heard = duv_peer_piece(peer, &bytes, &count);
        if (heard == DUV_HEARD) {
            keep_output(s, bytes, count);
            if (s->take_commits != NULL)
                take_lines(s, bytes, count);
        }
    }
    while (!base_process_ends_within(&peer->process, 20)) { /* it closed its output */
        look(s, base_seconds());
        if (s->was_stopped || (s->limit > 0 && base_seconds() >= s->deadline))
            break;
    }
    bool by_itself = base_process_ends_within(&peer->process, 0);
    s->timed_out = !by_itself && !s->was_stopped;
    s->status = duv_peer_end(peer, by_itself ? 1 : 0, &by_itself);
    if (s->take_commits != NULL && s->line_length > 0)
        end_line(s);
    keep_output(s, peer->complaints, peer->complained);
    trim_output(s, DUV_OUTPUT);
    for (size_t i = 0; i < s->output.length; i++)
        s->output.data[i] = (char)(s->output.data[i] == '\0' ? '?' : s->output.data[i]);
}

static col_status run_words(duv_start *s, char *const *words, col_problem *problem) {
    char **environment = make_environment(s->file);
    const duv_peer_plan plan = {.words = words,
                                .folder = s->folder,
                                .environment = environment,
                                .joins = s->take_commits == NULL};
    if (environment == NULL)
        return base_out_of_memory(problem);
    s->peer.look = look;
    s->peer.context = s;
    s->deadline = base_seconds() + s->limit;
    s->peer.has_deadline = s->limit > 0;
    s->peer.deadline = s->deadline;
    const col_status status = duv_peer_start(&s->peer, &plan, problem);
    free(environment);
    if (status != COL_OK)
        return status;
    duv_peer_hush(&s->peer);
    await_end(s);
    return base_text_status(&s->output, problem);
}

col_status duv_start_run(duv_start *s, const isa_image *image, const col_program *const *programs,
                         uint64_t seed, col_problem *problem) {
    char **words = NULL;
    s->timed_out = s->was_stopped = false;
    s->status = 0;
    s->output.length = s->line_length = 0;
    s->line_is_long = false;
    s->commit_status = COL_OK;
    col_status status = make_folder(s, problem);
    if (status == COL_OK)
        status = write_image(s, image, programs, problem);
    if (status == COL_OK)
        status = make_words(s, image, seed, &words, problem);
    if (status == COL_OK)
        status = run_words(s, words, problem);
    free(words);
    return status;
}

/* The words of a command, the program that they start, and what its end means: command_file.h. */

/* ---- The program. */

static bool find_in_path(const char *name, char path[PATH_MAX]) {
    const char *folders = getenv("PATH"); // NOLINT(concurrency-mt-unsafe): nobody sets it
    for (const char *at = folders == NULL ? "/usr/bin:/bin" : folders; at != NULL;) {
        const size_t length = strcspn(at, ":");
        const int written =
            snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, at, length == 0 ? "" : "/", name);
        if (written < PATH_MAX && access(path, X_OK) == 0)
            return true;
        at = at[length] == '\0' ? NULL : at + length + 1;
    }
    return false;
}

/* A path is relative to the design file, which the command does not run beside. */
bool duv_command_find_program(const duv_command_file *file, char path[PATH_MAX]) {
    const char *name = file->words[0];
    if (strchr(name, '/') == NULL && strchr(name, '{') == NULL)
        return find_in_path(name, path);
    const bool is_plain = strchr(name, '{') == NULL && name[0] != '/';
    const int written =
        snprintf(path, PATH_MAX, "%s%s%s", is_plain ? file->here : "", is_plain ? "/" : "", name);
    return strchr(name, '{') != NULL || (written < PATH_MAX && access(path, X_OK) == 0);
}

void duv_command_say_missing(const duv_command_file *file, char *sentence, size_t size) {
    if (file->package[0] != '\0')
        base_sentence(sentence, size, "needs %s: apt install %s", file->package, file->package);
    else
        base_sentence(sentence, size, "there is no program %s", file->words[0]);
}

/* ---- Words. */

/* The word with its placeholders replaced. */
static void expand_word(const char *word, const char *const values[DUV_PLACEHOLDER_COUNT],
                        base_text *text) {
    while (*word != '\0') {
        uint32_t which = 0;
        size_t length = 0;
        for (; which < DUV_PLACEHOLDER_COUNT && word[0] == '{'; which++) {
            length = strlen(duv_placeholder_words[which]);
            if (strncmp(word + 1, duv_placeholder_words[which], length) == 0 &&
                word[1 + length] == '}')
                break;
        }
        if (word[0] == '{' && word[1] != '{' && which < DUV_PLACEHOLDER_COUNT) {
            base_text_add(text, values[which]);
            word += length + 2;
        } else {
            base_text_add_bytes(text, word, 1);
            word += word[0] == word[1] && (word[0] == '{' || word[0] == '}') ? 2 : 1;
        }
    }
    base_text_add_bytes(text, "", 1);
}

/* Adds the options as words of their own. Returns how many. */
static col_status add_options(const char *options, base_text *text, size_t *count,
                              col_problem *problem) {
    char **words;
    if (options[strspn(options, " \t")] == '\0')
        return COL_OK;
    const col_status status = base_command_split(options, &words, problem);
    if (status != COL_OK)
        return status;
    for (char **word = words; *word != NULL; word++, ++*count)
        base_text_add_bytes(text, *word, strlen(*word) + 1);
    free(words);
    return COL_OK;
}

static col_status collect(char ***words, const base_text *text, size_t count,
                          col_problem *problem) {
    const col_status status = base_text_status(text, problem);
    if (status != COL_OK)
        return status;
    if (count == 0 || text->data == NULL)
        return base_refuse(problem, "the command is missing: its line has {options} alone");
    *words = malloc((count + 1) * sizeof **words + text->length);
    if (*words == NULL)
        return base_out_of_memory(problem);
    char *at = (char *)(*words + count + 1);
    memcpy(at, text->data, text->length);
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
        (*words)[i] = at;
    (*words)[count] = NULL;
    return COL_OK;
}

col_status duv_command_expand(const duv_command_file *file,
                              const char *const values[DUV_PLACEHOLDER_COUNT], char ***words,
                              col_problem *problem) {
    base_text text = {0};
    char program[PATH_MAX];
    size_t count = 0;
    col_status status = COL_OK;
    for (char **word = file->words; *word != NULL && status == COL_OK; word++)
        if (strcmp(*word, "{options}") == 0) {
            status = add_options(values[DUV_AT_OPTIONS], &text, &count, problem);
        } else {
            const bool is_program = word == file->words && duv_command_find_program(file, program);
            expand_word(is_program ? program : *word, values, &text);
            count++;
        }
    if (status == COL_OK)
        status = collect(words, &text, count, problem);
    base_text_free(&text);
    return status;
}

/* ---- Ends. */

static bool is_meant(const duv_exit_rule *rule, bool timed_out, int status) {
    if (timed_out)
        return rule->kind == DUV_EXIT_TIMEOUT;
    if (!WIFEXITED(status))
        return rule->kind == DUV_EXIT_SIGNAL;
    const uint32_t code = (uint32_t)WEXITSTATUS(status);
    return rule->kind == DUV_EXIT_STATUS && code >= rule->first && code <= rule->last;
}

bool duv_command_verdict(const duv_command_file *file, bool timed_out, int status,
                         duv_verdict *verdict) {
    for (uint32_t i = 0; i < file->exit_count; i++)
        if (is_meant(&file->exits[i], timed_out, status)) {
            *verdict = file->exits[i].verdict;
            return true;
        }
    *verdict = !timed_out && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? DUV_VERDICT_OK
                                                                           : DUV_VERDICT_CRASH;
    return false;
}
