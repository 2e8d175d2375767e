/* SPDX-License-Identifier: MIT */
/* Reading litmus tests: see litmus.h. */
#include "litmus.h"

#include "base/file.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    const char *path;
    uint32_t line_number;
    litmus *test;
    uint32_t models; /* whose verdict has been read, a set */
    col_problem *problem;
} reader;

#define REFUSE(r, ...) base_refuse_at((r)->problem, (r)->path, (r)->line_number, 1, __VA_ARGS__)

static void name_after(const char *path, litmus *test) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *ending = strrchr(name, '.');
    const int length = ending != NULL ? (int)(ending - name) : (int)strlen(name);
    snprintf(test->name, sizeof test->name, "%.*s", length, name);
}

/* Conditions separated by commas. */
static col_status read_conditions(reader *r, const char *text) {
    litmus *test = r->test;
    while (true) {
        condition *next = &test->conditions[test->count];
        char verb[16], word[24];
        int length = 0;
        if (test->count == LITMUS_CONDITIONS)
            return REFUSE(r, "more than %d conditions", LITMUS_CONDITIONS);
        if (sscanf(text, " %" SCNu32 " %15s %23[0-9a-fx]%n", &next->operation, verb, word,
                   &length) != 3 ||
            (strcmp(verb, "reads") != 0 && strcmp(verb, "replaces") != 0) ||
            !base_number_parse(word, &next->word))
            return REFUSE(r, "not a condition: '%s'", text);
        if (next->operation >= col_program_operations(&test->program))
            return REFUSE(r, "there is no operation %" PRIu32, next->operation);
        const uint8_t kind = test->program.operations[next->operation].kind;
        next->replaced = strcmp(verb, "replaces") == 0;
        if (!(next->replaced ? col_kinds[kind].writes : col_kinds[kind].reads))
            return REFUSE(r, "operation %" PRIu32 " %s nothing", next->operation, verb);
        test->count++;
        text += length;
        if (*text++ != ',')
            return COL_OK;
    }
}

/* `exists ...` or `model verdict`. */
static col_status read_line(reader *r, const char *line) {
    char name[16], verdict[16];
    if (strncmp(line, "exists ", 7) == 0)
        return read_conditions(r, line + 7);
    if (sscanf(line, "%15s %15s", name, verdict) == 2) {
        const bool yes = strcmp(verdict, "yes") == 0;
        for (uint32_t m = 0; m < ORACLE_MODEL_COUNT; m++) {
            if (strcmp(name, oracle_model_names[m]) != 0 || (!yes && strcmp(verdict, "no") != 0))
                continue;
            r->test->verdicts[m] = yes;
            r->models |= 1U << m;
            return COL_OK;
        }
    }
    return REFUSE(r, "neither a condition nor a verdict: '%s'", line);
}

/* The lines behind the program. */
static col_status read_expectation(reader *r, char *text) {
    r->test->count = 0;
    while (*text != '\0') {
        char *line = text;
        const size_t length = strcspn(text, "\n");
        text += length + (text[length] != '\0' ? 1 : 0);
        line[length] = '\0';
        line[strcspn(line, "#")] = '\0';
        r->line_number++;
        if (line[strspn(line, " \t")] != '\0' && read_line(r, line) != COL_OK)
            return COL_BAD_INPUT;
    }
    if (r->test->count == 0 || r->models != (1U << ORACLE_MODEL_COUNT) - 1)
        return REFUSE(r, "the condition or the verdict of a model is missing");
    return COL_OK;
}

static col_status read_test(reader *r, char *text) {
    char *end = strstr(text, "\nend\n");
    if (end == NULL)
        return REFUSE(r, "no line 'end'");
    end += strlen("\nend\n");
    const col_status status =
        col_program_read(&r->test->program, text, (size_t)(end - text), r->path, r->problem);
    if (status != COL_OK)
        return status;
    if (col_program_operations(&r->test->program) > ORACLE_OPERATIONS)
        return REFUSE(r, "more than %d operations", ORACLE_OPERATIONS);
    for (const char *at = text; at < end; at++)
        r->line_number += *at == '\n';
    return read_expectation(r, end);
}

col_status litmus_read(const char *path, litmus *test, col_problem *problem) {
    reader r = {.path = path, .test = test, .problem = problem};
    base_text text = {0};
    name_after(path, test);
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK)
        status = text.length > 0 ? read_test(&r, text.data) : REFUSE(&r, "the file is empty");
    base_text_free(&text);
    return status;
}

void litmus_free(litmus *test) {
    col_program_free(&test->program);
}

col_status litmus_list(glob_t *paths, col_problem *problem) {
    if (glob(TEST_DATA "/litmus/*.txt", 0, NULL, paths) != 0)
        return base_fail(problem, "no litmus tests in " TEST_DATA "/litmus");
    return COL_OK;
}

bool litmus_holds(const litmus *test, const outcome *seen) {
    for (uint32_t i = 0; i < test->count; i++) {
        const condition *c = &test->conditions[i];
        if ((c->replaced ? seen->replaced : seen->read)[c->operation] != c->word)
            return false;
    }
    return true;
}
