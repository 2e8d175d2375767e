/* SPDX-License-Identifier: MIT */
/* Reading design files of kind `command`: see command_file.h. One table of fields for each map. */
#include "duv/command_file.h"

#include "duv/file_kind.h"

#include "base/command.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/path.h"
#include "base/processors.h"
#include "base/yaml.h"
#include "sim/design.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_ROUNDS = 1 << 20, MOST_OPERATIONS = 1 << 20, USUAL_ROUNDS = 100 };
enum { LEAST_TEST = 32, MOST_TEST = 256 }; /* operations, unless the file says otherwise */

const char *const duv_placeholder_words[] = {
#define WORD(name, word, file, words) word,
    DUV_PLACEHOLDERS(WORD)
#undef WORD
        NULL};

const char *const duv_placeholder_files[] = {
#define FILE_NAME(name, word, file, words) file,
    DUV_PLACEHOLDERS(FILE_NAME)
#undef FILE_NAME
};

const char *const duv_returns_words[] = {"log", "memory", "commits", "stdout", NULL};

static const char *const verdicts[] = {"ok", "failed", "crash", "deadlock", "machine", NULL};
static const char *const answers[] = {"no", "yes", NULL};
static const char *const kinds[] = {"command", NULL};

/* What is read, and where the parts stand that are checked together at the end. */
typedef struct reading {
    duv_command_file *file;
    const base_yaml_node *run, *platform, *log, *results, *rounds, *programs, *harts;
    bool has_kind, has_model;
    bool is_of_host; /* as many harts as we have processors */
} reading;

/* ---- The command line. */

/* The word in braces at `at`; its length without them, 0: there is none. */
static size_t brace_at(const char *at) {
    const size_t length = at[0] == '{' ? strcspn(at + 1, "{} ") : 0;
    return length > 0 && at[1 + length] == '}' ? length : 0;
}

static bool find_placeholder(const char *word, size_t length, uint32_t *which) {
    for (*which = 0; *which < DUV_PLACEHOLDER_COUNT; ++*which)
        if (strlen(duv_placeholder_words[*which]) == length &&
            strncmp(duv_placeholder_words[*which], word, length) == 0)
            return true;
    return false;
}

static col_status refuse_placeholder(base_yaml *yaml, const base_yaml_node *value, const char *at,
                                     size_t length) {
    char part[64], word[64];
    base_text list = {0};
    (void)snprintf(part, sizeof part, "%.*s", (int)length + 2, at);
    (void)snprintf(word, sizeof word, "%.*s", (int)length, at + 1);
    const char *nearest = base_nearest_of(duv_placeholder_words, word);
    for (const char *const *w = duv_placeholder_words; *w != NULL; w++)
        base_text_print(&list, " {%s}", *w);
    const col_status status =
        nearest != NULL
            ? base_yaml_refuse_part(yaml, value, part,
                                    "there is no placeholder {%s}; did you mean {%s}?", word,
                                    nearest)
            : base_yaml_refuse_part(yaml, value, part,
                                    "there is no placeholder {%s}; there are%s (and {{ for {)",
                                    word, list.failed ? " others" : list.data);
    base_text_free(&list);
    return status;
}

static col_status find_placeholders(base_yaml *yaml, const base_yaml_node *value,
                                    duv_command_file *file) {
    for (const char *at = file->run; *at != '\0'; at++) {
        const size_t length = brace_at(at);
        uint32_t which;
        if (at[0] == '{' && at[1] == '{')
            at++;
        else if (length > 0 && find_placeholder(at + 1, length, &which))
            file->uses |= 1U << which;
        else if (length > 0)
            return refuse_placeholder(yaml, value, at, length);
    }
    return COL_OK;
}

static col_status read_run(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                           void *target) {
    reading *r = target;
    col_problem problem;
    char *line = r->file->run;
    col_status status = base_yaml_text(yaml, key, value, line, sizeof r->file->run);
    r->run = value;
    for (size_t end = strlen(line); end > 0 && line[end - 1] == '\n';) /* of a folded text */
        line[--end] = '\0';
    if (status == COL_OK)
        status = find_placeholders(yaml, value, r->file);
    if (status != COL_OK)
        return status;
    status = base_command_split(line, &r->file->words, &problem);
    if (status == COL_BAD_INPUT)
        return base_yaml_refuse(yaml, value, "%s", problem.message);
    return status == COL_OK ? COL_OK : base_out_of_memory(yaml->problem);
}

/* ---- Ends. */

/* "3", "1..9" */
static bool parse_statuses(const char *text, duv_exit_rule *rule) {
    enum { MOST_STATUS = 255 };
    const char *dots = strstr(text, "..");
    char first[16];
    uint64_t low, high;
    const size_t length = dots != NULL ? (size_t)(dots - text) : strlen(text);
    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    if (!base_number_parse(first, &low))
        return false;
    high = low;
    if ((dots != NULL && !base_number_parse(dots + 2, &high)) || low > high || high > MOST_STATUS)
        return false;
    rule->first = (uint32_t)low;
    rule->last = (uint32_t)high;
    return true;
}

static col_status read_exit_rule(base_yaml *yaml, const base_yaml_node *key,
                                 const base_yaml_node *value, void *target) {
    reading *r = target;
    const char *text = base_yaml_scalar(key);
    duv_exit_rule rule = {.kind = DUV_EXIT_STATUS};
    uint64_t verdict = 0;
    if (r->file->exit_count == DUV_MOST_EXITS)
        return base_yaml_refuse(yaml, key, "exit has at most %d rules", DUV_MOST_EXITS);
    if (strcmp(text, "signal") == 0)
        rule.kind = DUV_EXIT_SIGNAL;
    else if (strcmp(text, "timeout") == 0)
        rule.kind = DUV_EXIT_TIMEOUT;
    else if (!parse_statuses(text, &rule))
        return base_yaml_refuse(yaml, key,
                                "exit has rules for a status such as 3, for several such as 1..9, "
                                "for signal and for timeout, not for '%.60s'",
                                text);
    const col_status status = base_yaml_choice(yaml, key, value, verdicts, &verdict);
    rule.verdict = (duv_verdict)verdict;
    if (status == COL_OK)
        r->file->exits[r->file->exit_count++] = rule;
    return status;
}

static col_status read_exit(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "exit", read_exit_rule, target);
}

/* ---- The environment. */

static col_status read_variable(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    reading *r = target;
    base_text text = {0};
    const char *name = base_yaml_scalar(key), *content = base_yaml_scalar(value);
    if (r->file->variable_count == DUV_MOST_VARIABLES)
        return base_yaml_refuse(yaml, key, "environment has at most %d variables",
                                DUV_MOST_VARIABLES);
    if (name[0] == '\0' || strchr(name, '=') != NULL || content == NULL)
        return base_yaml_refuse(yaml, key, "environment has NAME: VALUE, both of them texts");
    base_text_print(&text, "%s=%s", name, content);
    const col_status status = base_text_status(&text, yaml->problem);
    if (status != COL_OK)
        base_text_free(&text);
    else
        r->file->variables[r->file->variable_count++] = text.data;
    return status;
}

static col_status read_environment(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    (void)key;
    return base_yaml_each(yaml, value, "environment", read_variable, target);
}

/* ---- Sizes of tests. */

static col_status read_least(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    reading *r = target;
    return base_yaml_number(yaml, key, value, 1, MOST_OPERATIONS, &r->file->least_operations);
}

static col_status read_most(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    reading *r = target;
    return base_yaml_number(yaml, key, value, 1, MOST_OPERATIONS, &r->file->most_operations);
}

static col_status read_tests(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    static const base_yaml_field fields[] = {
        {.name = "least", .read = read_least},
        {.name = "most", .read = read_most},
        {.name = NULL},
    };
    reading *r = target;
    (void)key;
    const col_status status = base_yaml_fields(yaml, value, "tests", fields, r);
    if (status == COL_OK && r->file->least_operations > r->file->most_operations)
        return base_yaml_refuse(yaml, value, "tests has a least of %llu and a most of %llu",
                                (unsigned long long)r->file->least_operations,
                                (unsigned long long)r->file->most_operations);
    return status;
}

/* ---- The rest. */

static col_status read_kind(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    reading *r = target;
    uint64_t choice;
    r->has_kind = true;
    return base_yaml_choice(yaml, key, value, kinds, &choice);
}

static col_status read_name(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    reading *r = target;
    const col_status status = base_yaml_text(yaml, key, value, r->file->name, sizeof r->file->name);
    if (status == COL_OK && strpbrk(r->file->name, " \t\n/") != NULL)
        return base_yaml_refuse(yaml, value, "name is one word without '/'");
    return status;
}

static col_status read_description(base_yaml *yaml, const base_yaml_node *key,
                                   const base_yaml_node *value, void *target) {
    reading *r = target;
    return base_yaml_text(yaml, key, value, r->file->description, sizeof r->file->description);
}

static col_status read_package(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    reading *r = target;
    return base_yaml_text(yaml, key, value, r->file->package, sizeof r->file->package);
}

static bool is_platform_file(const char *what) {
    return base_path_ends(what, ".yaml") || base_path_ends(what, ".yml");
}

static col_status read_platform(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    reading *r = target;
    uint64_t choice;
    char *name = r->file->platform_name;
    const col_status status = base_yaml_text(yaml, key, value, name, sizeof r->file->platform_name);
    r->platform = value;
    return status != COL_OK || is_platform_file(name)
               ? status
               : base_yaml_choice(yaml, key, value, isa_platform_names, &choice);
}

static col_status read_harts(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    reading *r = target;
    if (r->harts != NULL)
        return base_yaml_refuse(yaml, key, "harts and cores are the same: leave one of them out");
    r->harts = value;
    r->is_of_host =
        base_yaml_scalar(value) != NULL && strcmp(base_yaml_scalar(value), "processors") == 0;
    if (r->is_of_host)
        return COL_OK;
    return base_yaml_number(yaml, key, value, 1, COL_MAX_THREADS, &r->file->harts);
}

static col_status read_log(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                           void *target) {
    reading *r = target;
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, isa_log_words, &choice);
    r->log = value;
    r->file->log = (isa_log)choice;
    return status;
}

static col_status read_results(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    reading *r = target;
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, duv_returns_words, &choice);
    r->results = value;
    r->file->returns = (duv_returns)choice;
    return status;
}

static col_status read_rounds(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    reading *r = target;
    r->rounds = value;
    return base_yaml_number(yaml, key, value, 1, MOST_ROUNDS, &r->file->rounds);
}

static col_status read_programs(base_yaml *yaml, const base_yaml_node *key,
                                const base_yaml_node *value, void *target) {
    reading *r = target;
    r->programs = value;
    return base_yaml_number(yaml, key, value, 1, DUV_MOST_PROGRAMS, &r->file->programs);
}

static col_status read_limit(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    enum { DAY = 24 * 60 * 60 };
    reading *r = target;
    const char *text = base_yaml_scalar(value);
    col_problem problem;
    (void)key;
    if (base_duration_read("", "limit", text == NULL ? "" : text, DAY, false, &r->file->limit,
                           &problem) != COL_OK)
        return base_yaml_refuse(yaml, value, "%s", problem.message);
    return COL_OK;
}

static col_status read_answer(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, bool *answer) {
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, answers, &choice);
    *answer = choice == 1;
    return status;
}

static col_status read_repeats(base_yaml *yaml, const base_yaml_node *key,
                               const base_yaml_node *value, void *target) {
    reading *r = target;
    return read_answer(yaml, key, value, &r->file->repeats);
}

static col_status read_single(base_yaml *yaml, const base_yaml_node *key,
                              const base_yaml_node *value, void *target) {
    reading *r = target;
    return read_answer(yaml, key, value, &r->file->is_single);
}

static col_status read_model(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    reading *r = target;
    uint64_t choice = 0;
    const col_status status = base_yaml_choice(yaml, key, value, col_models, &choice);
    r->has_model = true;
    r->file->model = (col_model)choice;
    return status;
}

static const base_yaml_field fields[] = {
    {.name = "kind", .read = read_kind},
    {.name = "name", .read = read_name},
    {.name = "description", .read = read_description},
    {.name = "run", .read = read_run},
    {.name = "package", .read = read_package},
    {.name = "platform", .read = read_platform},
    {.name = "harts", .read = read_harts},
    {.name = "cores", .read = read_harts},
    {.name = "log", .read = read_log},
    {.name = "results", .read = read_results},
    {.name = "rounds", .read = read_rounds},
    {.name = "programs", .read = read_programs},
    {.name = "limit", .read = read_limit},
    {.name = "exit", .read = read_exit},
    {.name = "environment", .read = read_environment},
    {.name = "repeats", .read = read_repeats},
    {.name = "single", .read = read_single},
    {.name = "model", .read = read_model},
    {.name = "tests", .read = read_tests},
    {.name = NULL},
};

/* ---- What must fit together. */

static bool uses(const duv_command_file *file, duv_placeholder which) {
    return (file->uses >> which & 1) != 0;
}

duv_placeholder duv_returns_place(duv_returns returns) {
    static const duv_placeholder places[] = {
        [DUV_RETURNS_LOG] = DUV_AT_LOG,
        [DUV_RETURNS_MEMORY] = DUV_AT_MEMORY,
        [DUV_RETURNS_COMMITS] = DUV_AT_COMMITS,
        [DUV_RETURNS_STDOUT] = DUV_PLACEHOLDER_COUNT,
    };
    return places[returns];
}

/* Where results come back, if the file does not say: where the command line has a file for them. */
static void choose_returns(reading *r) {
    duv_returns returns = DUV_RETURNS_LOG;
    while (returns < DUV_RETURNS_STDOUT && !uses(r->file, duv_returns_place(returns)))
        returns++;
    r->file->returns = returns;
}

static col_status check_results(base_yaml *yaml, const base_yaml_node *root, reading *r) {
    duv_command_file *file = r->file;
    if (r->results == NULL)
        choose_returns(r);
    const base_yaml_node *place = r->results != NULL ? r->results : root;
    const char *word = duv_returns_words[file->returns];
    if (r->results == NULL && file->returns == DUV_RETURNS_STDOUT)
        return base_yaml_refuse(yaml, r->run,
                                "run needs {log}, {memory} or {commits} for what comes back, or "
                                "results: stdout");
    if (file->returns != DUV_RETURNS_STDOUT && !uses(file, duv_returns_place(file->returns)) &&
        !uses(file, DUV_AT_FOLDER))
        return base_yaml_refuse(yaml, place, "results: %s needs {%s} in run", word, word);
    const bool is_tap = file->returns >= DUV_RETURNS_COMMITS;
    if (r->log == NULL)
        file->log = is_tap ? ISA_LOG_TAP : ISA_LOG_REGISTERS;
    if (is_tap != (file->log == ISA_LOG_TAP))
        return base_yaml_refuse(yaml, r->log, "log: %s does not go with results: %s",
                                isa_log_words[file->log], word);
    if (file->returns == DUV_RETURNS_MEMORY && file->platform.has_uncached_log)
        return base_yaml_refuse(yaml, place,
                                "the platform's log is in its uncached window, and {memory} is "
                                "ram: use results: log");
    return COL_OK;
}

/* Presets and files; a file is relative to this one. */
static col_status open_platform(base_yaml *yaml, reading *r) {
    duv_command_file *file = r->file;
    char path[PATH_MAX];
    const char *what = file->platform_name;
    col_problem problem;
    col_status status = COL_OK;
    if (is_platform_file(what)) {
        status = base_path_beside(path, file->path, what, yaml->problem);
        what = path;
    }
    if (status != COL_OK)
        return status;
    status = isa_platform_open(&file->platform, what, &problem);
    if (status == COL_OK)
        return COL_OK;
    if (status != COL_BAD_INPUT || problem.line > 0) { /* a place in the platform's own file */
        if (yaml->problem != NULL)
            *yaml->problem = problem;
        return status;
    }
    return base_yaml_refuse(yaml, r->platform, "%s", problem.message);
}

static col_status check_rounds(base_yaml *yaml, const reading *r) {
    duv_command_file *file = r->file;
    if (file->repeats && r->rounds != NULL && file->rounds != 1)
        return base_yaml_refuse(yaml, r->rounds,
                                "a command that repeats is started once for each round: leave "
                                "rounds out");
    if (file->repeats && file->programs > 1)
        return base_yaml_refuse(yaml, r->programs,
                                "a command that repeats is started for each test alone: leave "
                                "programs out");
    if (file->programs == 0)
        file->programs = 1;
    if (file->rounds == 0)
        file->rounds = file->repeats ? 1 : USUAL_ROUNDS;
    return COL_OK;
}

/* Harts that wait for each other and share a processor wait long. One alone shows nothing. */
static uint64_t harts_here(const isa_platform *platform) {
    const uint64_t processors = base_processors() < 2 ? 2 : base_processors();
    return processors < platform->harts ? processors : platform->harts;
}

static col_status read_root(base_yaml *yaml, reading *r) {
    duv_command_file *file = r->file;
    const base_yaml_node *root = base_yaml_root(yaml);
    const uint32_t images =
        1U << DUV_AT_IMAGE | 1U << DUV_AT_BIN | 1U << DUV_AT_HEX | 1U << DUV_AT_FOLDER;
    col_status status = base_yaml_fields(yaml, root, "a command", fields, r);
    if (status != COL_OK)
        return status;
    if (!r->has_kind)
        return base_yaml_refuse(yaml, root, "a command says what it is: kind: command");
    if (r->run == NULL)
        return base_yaml_refuse(yaml, root, "a command needs its line: run: ./simv +elf={image}");
    if (r->platform == NULL)
        return base_yaml_refuse(yaml, root,
                                "a command needs a platform: the machine that images boot on");
    if ((file->uses & images) == 0)
        return base_yaml_refuse(yaml, r->run,
                                "run needs the image: {image}, {bin}, {hex} or {folder}");
    status = open_platform(yaml, r);
    if (status == COL_OK)
        status = check_results(yaml, root, r);
    if (status == COL_OK)
        status = check_rounds(yaml, r);
    if (!r->has_model)
        file->model = file->platform.model;
    if (file->harts == 0)
        file->harts = r->is_of_host ? harts_here(&file->platform) : file->platform.harts;
    return status;
}

static col_status find_here(duv_command_file *file, col_problem *problem) {
    char folder[PATH_MAX];
    const char *slash = strrchr(file->path, '/');
    (void)snprintf(folder, sizeof folder, "%.*s",
                   slash == NULL ? 1 : (int)(slash - file->path) + (slash == file->path),
                   slash == NULL ? "." : file->path);
    if (realpath(folder, file->here) == NULL)
        return base_refuse(problem, "%.400s: there is no such folder", folder);
    return COL_OK;
}

col_status duv_command_file_parse(duv_command_file *file, const char *text, size_t length,
                                  const char *path, col_problem *problem) {
    base_yaml yaml;
    reading r = {.file = file};
    const char *name = base_path_name(path);
    if (strlen(path) >= sizeof file->path)
        return base_refuse(problem, "the path %.100s... is too long", path);
    (void)snprintf(file->path, sizeof file->path, "%s", path);
    (void)snprintf(file->name, sizeof file->name, "%.*s", (int)base_path_stem(name), name);
    file->least_operations = LEAST_TEST;
    file->most_operations = MOST_TEST;
    col_status status = find_here(file, problem);
    if (status == COL_OK)
        status = base_yaml_read(&yaml, text, length, path, problem);
    if (status != COL_OK)
        return status;
    status = read_root(&yaml, &r);
    base_yaml_free(&yaml);
    return status;
}

col_status duv_command_file_read(duv_command_file *file, const char *path, col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK)
        status = duv_command_file_parse(file, text.data == NULL ? "" : text.data, text.length, path,
                                        problem);
    base_text_free(&text);
    return status;
}

void duv_command_file_free(duv_command_file *file) {
    for (uint32_t i = 0; i < file->variable_count; i++)
        free(file->variables[i]);
    free(file->words);
    file->words = NULL;
    file->variable_count = 0;
}

/* ---- Which files are commands. */

bool duv_is_command_file(const char *path) {
    return duv_file_has_kind(path, kinds[0]);
}

bool duv_find_command(const char *name, char path[PATH_MAX]) {
    return sim_design_list_path(name, path, PATH_MAX) && duv_is_command_file(path);
}
