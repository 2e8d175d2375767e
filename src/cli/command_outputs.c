/* SPDX-License-Identifier: MIT */
/*
 * What options name for a command to write, before its work, which may take hours: it must be none
 * of the inputs, nor another output, and it must be possible to write it. The check creates and
 * changes nothing, so it cannot foresee a disk that fills up.
 */
#include "cli/command_line.h"

#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Outputs are not inputs: neither those of the line nor, later, what these name. */

static bool is_output(const base_field *option) {
    return option->argument != NULL && (option->writes || strcmp(option->argument, "FILE") == 0 ||
                                        strcmp(option->argument, "PATH") == 0);
}

/* Standard output, a pipe or a device: nothing is lost there. Commands know what fits there. */
static bool is_stream(const char *path) {
    struct stat about;
    return strcmp(path, "-") == 0 ||
           (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

/* Is it a file, or a folder that the command makes, whose content would be lost? */
static bool has_content(const base_field *option, const char *path) {
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 &&
           (S_ISREG(about.st_mode) || (option->writes && S_ISDIR(about.st_mode)));
}

/* What may be a name or a path is a path if it looks like one: names have no such endings. */
static bool is_input(base_input input, const char *word) {
    static const char *const endings[] = {".yaml", ".yml", ".slicc", ".sm", ".so", ".cat"};
    if (input != BASE_INPUT_OR_NAME || strchr(word, '/') != NULL)
        return input != BASE_NO_INPUT;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (base_path_ends(word, endings[i]))
            return true;
    return false;
}

static base_input operand_input(const cli_arguments *arguments, uint32_t i) {
    const base_input others = arguments->command->others;
    if (i >= arguments->operand_count || (i > 0 && others == BASE_NO_INPUT))
        return BASE_INPUT; /* of the list, as files are */
    return i == 0 ? arguments->command->first : others;
}

/* Does the option's value, or one of several, name the path? */
static bool names(const base_field *option, const char *value, const char *path) {
    char one[PATH_MAX];
    if (!option->several)
        return base_path_same(value, path);
    for (size_t length; *value != '\0'; value += length + (value[length] == ';')) {
        length = strcspn(value, ";");
        if (snprintf(one, sizeof one, "%.*s", (int)length, value) < (int)sizeof one &&
            base_path_same(one, path))
            return true;
    }
    return false;
}

/* Is the path among the inputs? A folder or a search that the command makes may be the one that
 * --resume names, so it is compared with the operands alone. */
static bool reads(const cli_arguments *arguments, const base_field *output, const char *path) {
    for (uint32_t i = 0; i < arguments->operand_count + arguments->list_count; i++)
        if (is_input(operand_input(arguments, i), arguments->operands[i]) &&
            base_path_same(arguments->operands[i], path))
            return true;
    for (uint32_t i = 0; arguments->command->options[i] != NULL && !output->writes; i++)
        if (arguments->typed[i] &&
            is_input(arguments->command->options[i]->input, arguments->values[i]) &&
            names(arguments->command->options[i], arguments->values[i], path))
            return true;
    return false;
}

/* The first of the options before `end` that writes to this file; NULL: none of them does. */
static const base_field *writer_of(const cli_arguments *arguments, const base_field *end,
                                   const char *path) {
    const base_field *const *options = arguments->command->options;
    for (uint32_t i = 0; options[i] != end && !is_stream(path); i++)
        if (arguments->values[i] != NULL && is_output(options[i]) &&
            base_path_same_place(arguments->values[i], path))
            return options[i];
    return NULL;
}

col_status cli_arguments_check_output(const cli_arguments *arguments, const char *path,
                                      col_problem *problem) {
    const base_field *option = writer_of(arguments, NULL, path);
    return option == NULL ? COL_OK
                          : base_refuse(problem,
                                        "--%s would overwrite %.300s, which this command makes; "
                                        "name another file",
                                        option->name, path);
}

/* No output may be one of the inputs, nor another output. */
static col_status check_overwriting(const cli_arguments *arguments, col_problem *problem) {
    const base_field *option;
    for (uint32_t i = 0; (option = arguments->command->options[i]) != NULL; i++) {
        const char *path = arguments->values[i];
        if (!arguments->typed[i] || !is_output(option))
            continue;
        if (has_content(option, path) && reads(arguments, option, path))
            return base_refuse(problem, "--%s %.300s would overwrite an input; name another %s",
                               option->name, path, option->writes ? "place" : "file");
        const base_field *other = writer_of(arguments, option, path);
        if (other != NULL)
            return base_refuse(problem, "--%s and --%s both name %.300s", other->name, option->name,
                               path);
        if (strcmp(path, "-") != 0)
            base_outputs_add(option->name, path, option->adds);
    }
    return COL_OK;
}

/* ---- Outputs that cannot be written. */

/* An output, as the user named it. */
typedef struct output {
    const cli_arguments *arguments;
    const base_field *option;
    const char *path;
} output;

static col_status refuse(const output *o, const char *why, col_problem *problem) {
    return base_refuse(problem, "--%s %.300s cannot be written: %.300s", o->option->name, o->path,
                       why);
}

/* Is the path wrong? A machine that fails us is noticed by what writes the file. */
static bool is_of_path(int reason) {
    return reason == ENOENT || reason == ENOTDIR || reason == EACCES || reason == ELOOP ||
           reason == ENAMETOOLONG;
}

static void folder_of(const char *path, char folder[PATH_MAX]) {
    size_t length = (size_t)(base_path_name(path) - path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    (void)snprintf(folder, PATH_MAX, "%.*s", length == 0 ? 1 : (int)length,
                   length == 0 ? "." : path);
}

/* ---- Folders that the command makes. */

/* A path of which not all exists. */
typedef struct place {
    char there[PATH_MAX]; /* what does, without links */
    const char *rest;     /* what does not; in the path */
} place;

static void find_place(const char *path, place *p) {
    char head[PATH_MAX];
    size_t end = strlen(path), start = end; /* of the head, of the rest */
    for (;;) {
        (void)snprintf(head, sizeof head, "%.*s", (int)end, path);
        if (realpath(end == 0 ? "." : head, p->there) != NULL)
            break;
        p->there[0] = '\0';
        if (end == 0)
            break;
        for (start = end; start > 0 && path[start - 1] != '/';)
            start--;
        for (end = start; end > 1 && path[end - 1] == '/';)
            end--;
    }
    p->rest = path + start;
}

/* Is the folder the other one, or above it? */
static bool leads_to(const place *folder, const place *other) {
    const size_t length = strlen(folder->rest);
    return strcmp(folder->there, other->there) == 0 &&
           strncmp(folder->rest, other->rest, length) == 0 &&
           (other->rest[length] == '\0' || other->rest[length] == '/');
}

/* How the names of folders begin that commands choose themselves. */
static const struct {
    const char *command, *folder;
} chosen[] = {{"run", "collider-out"},
              {"shrink", "failure-"},
              {"shrink", "shrunk"},
              {"report", "report"},
              {"image", ""}};

static bool is_made(const output *o, const char *folder) {
    const cli_command *command = o->arguments->command;
    place missing, made;
    find_place(folder, &missing);
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++)
        if (strcmp(chosen[i].command, command->name) == 0 &&
            strncmp(chosen[i].folder, missing.rest, strlen(chosen[i].folder)) == 0)
            return true;
    const base_field *option;
    for (uint32_t i = 0; (option = command->options[i]) != NULL; i++) {
        const bool is_folder = option->argument != NULL && option != o->option &&
                               (option->writes || strcmp(option->argument, "PATH") == 0);
        if (!is_folder || o->arguments->values[i] == NULL)
            continue;
        find_place(o->arguments->values[i], &made);
        if (leads_to(&missing, &made))
            return true;
    }
    return false;
}

/* ---- Files. */

static col_status check_folder(const output *o, const char *folder, col_problem *problem) {
    struct stat about;
    char why[PATH_MAX + 64];
    if (stat(folder, &about) != 0) {
        if (errno != ENOENT)
            return is_of_path(errno) ? refuse(o, strerror(errno), problem) : COL_OK;
        (void)snprintf(why, sizeof why, "there is no folder %s", folder);
        return is_made(o, folder) ? COL_OK : refuse(o, why, problem);
    }
    if (!S_ISDIR(about.st_mode)) {
        (void)snprintf(why, sizeof why, "%s is not a folder", folder);
        return refuse(o, why, problem);
    }
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0)
        return COL_OK;
    if (errno == EROFS) /* a disk that is in trouble, as a full one */
        return base_fail(problem, "--%s %.300s cannot be written: %s", o->option->name, o->path,
                         strerror(errno));
    if (!is_of_path(errno))
        return COL_OK;
    const char *reason = strerror(errno);
    (void)snprintf(why, sizeof why, "cannot create files in %s: %s", folder, reason);
    return refuse(o, why, problem);
}

static col_status check_file(const output *o, col_problem *problem) {
    struct stat about;
    char folder[PATH_MAX], file[PATH_MAX];
    const size_t length = strlen(o->path);
    if (length == 0)
        return base_refuse(problem, "--%s needs the name of a file", o->option->name);
    if (length >= PATH_MAX)
        return refuse(o, strerror(ENAMETOOLONG), problem);
    const bool exists = stat(o->path, &about) == 0;
    if (o->path[length - 1] == '/' || (exists && S_ISDIR(about.st_mode)))
        return base_refuse(problem, "--%s %.300s is a folder; name a file", o->option->name,
                           o->path);
    if (!exists && errno != ENOENT && errno != ENOTDIR)
        return is_of_path(errno) ? refuse(o, strerror(errno), problem) : COL_OK;
    if (exists && !S_ISREG(about.st_mode)) /* a pipe or a device */
        return COL_OK;
    if (exists && (o->option->adds || realpath(o->path, file) == NULL))
        return COL_OK;
    if (!exists && lstat(o->path, &about) == 0) /* a link to what is not there yet */
        return COL_OK;
    folder_of(exists ? file : o->path, folder); /* it is replaced, so it has to be writable */
    return check_folder(o, folder, problem);
}

col_status cli_writable_check(const cli_arguments *arguments, uint32_t option,
                              col_problem *problem) {
    const output o = {arguments, arguments->command->options[option], arguments->values[option]};
    return o.path == NULL || strcmp(o.path, "-") == 0 ? COL_OK : check_file(&o, problem);
}

col_status cli_outputs_check(const cli_arguments *arguments, col_problem *problem) {
    col_status status = check_overwriting(arguments, problem);
    for (uint32_t i = 0; arguments->command->options[i] != NULL && status == COL_OK; i++) {
        const char *argument = arguments->command->options[i]->argument;
        if (arguments->typed[i] && argument != NULL && strcmp(argument, "FILE") == 0)
            status = cli_writable_check(arguments, i, problem);
    }
    return status;
}
