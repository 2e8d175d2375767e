/* SPDX-License-Identifier: MIT */
/* Words of a command: see command.h. */
#include "base/command.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Within double quotes a backslash is itself, unless it stands before one of these. */
static bool is_escape(const char *at, char quote) {
    return at[0] == '\\' && at[1] != '\0' && quote != '\'' &&
           (quote == '\0' || at[1] == '"' || at[1] == '\\' || at[1] == '$' || at[1] == '`');
}

/* Copies the word without its quotes. Returns where it ends, or NULL: a quote is open. */
static const char *copy_word(const char *at, char **to) {
    char quote = '\0';
    while (*at != '\0' && (quote != '\0' || !is_blank(*at))) {
        if (is_escape(at, quote)) {
            *(*to)++ = at[1];
            at += 2;
        } else if (quote == '\0' && (*at == '\'' || *at == '"')) {
            quote = *at++;
        } else if (quote != '\0' && *at == quote) {
            quote = '\0';
            at++;
        } else {
            *(*to)++ = *at++;
        }
    }
    *(*to)++ = '\0';
    return quote == '\0' ? at : NULL;
}

static const char *skip_blanks(const char *at) {
    while (is_blank(*at))
        at++;
    return at;
}

col_status base_command_split(const char *line, char ***words, col_problem *problem) {
    const size_t length = strlen(line), most = length / 2 + 2; /* a letter and a blank each */
    *words = malloc(most * sizeof **words + length + 1);
    if (*words == NULL)
        return base_out_of_memory(problem);
    char *to = (char *)(*words + most);
    size_t count = 0;
    const char *at = skip_blanks(line);
    while (at != NULL && *at != '\0') {
        (*words)[count++] = to;
        at = copy_word(at, &to);
        at = at == NULL ? NULL : skip_blanks(at);
    }
    (*words)[count] = NULL;
    if (at != NULL && count > 0)
        return COL_OK;
    free(*words);
    *words = NULL;
    return base_refuse(problem,
                       at == NULL ? "a quote is not closed in the command '%.300s'"
                                  : "a command is missing: '%.300s' has no words",
                       line);
}
