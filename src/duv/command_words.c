/* SPDX-License-Identifier: MIT */
/* The words of a command, the program that they start, and what its end means: command_file.h. */
#include "base/command.h"
#include "base/path.h"
#include "base/sentence.h"
#include "duv/command_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
