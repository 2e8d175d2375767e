/* SPDX-License-Identifier: MIT */
/* Reading design files of kind `command`: see command_file.h. One table of fields for each map. */
#include "design/command/command_file.h"

#include "base/file.h"
#include "base/lines.h"
#include "base/machine.h"
#include "base/names.h"
#include "base/number.h"
#include "base/path.h"
#include "base/yaml.h"
#include "design/design_kind.h"
#include "protocol/simulate/simulated_design.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ROUNDS = 1 << 20, MOST_OPERATIONS = 1 << 20, USUAL_ROUNDS = 100, DAY = 24 * 60 * 60 };
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
static const char *const kinds[] = {"command", NULL};

#define FIELD(word, form, member) BASE_FIELD(word, form, duv_command_file, member)
#define PLACE(member) .place = offsetof(duv_command_file, at.member)

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

static col_status read_run(const base_entry *entry, void *target) {
    static const base_field run = {FIELD("run", BASE_STRING, run), PLACE(run)};
    duv_command_file *file = target;
    col_problem problem;
    char *line = file->run;
    col_status status = base_yaml_value(entry, &run, file);
    for (size_t end = strlen(line); end > 0 && line[end - 1] == '\n';) /* of a folded text */
        line[--end] = '\0';
    if (status == COL_OK)
        status = find_placeholders(entry->yaml, entry->value, file);
    if (status != COL_OK)
        return status;
    status = base_command_split(line, &file->words, &problem);
    if (status == COL_BAD_INPUT)
        return base_refuse_value(entry, "%s", problem.message);
    return status == COL_OK ? COL_OK : base_out_of_memory(entry->yaml->problem);
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

static col_status read_exit_rule(const base_entry *entry, void *target) {
    duv_command_file *file = target;
    const char *text = base_entry_name(entry);
    duv_exit_rule rule = {.kind = DUV_EXIT_STATUS};
    if (file->exit_count == DUV_MOST_EXITS)
        return base_refuse_key(entry, "exit has at most %d rules", DUV_MOST_EXITS);
    if (strcmp(text, "signal") == 0)
        rule.kind = DUV_EXIT_SIGNAL;
    else if (strcmp(text, "timeout") == 0)
        rule.kind = DUV_EXIT_TIMEOUT;
    else if (!parse_statuses(text, &rule))
        return base_refuse_key(entry,
                               "exit has rules for a status such as 3, for several such as 1..9, "
                               "for signal and for timeout, not for '%.60s'",
                               text);
    const base_field field = {
        .name = text, .kind = BASE_WORD, .size = sizeof rule.verdict, .words = verdicts};
    const col_status status = base_yaml_value(entry, &field, &rule.verdict);
    if (status == COL_OK)
        file->exits[file->exit_count++] = rule;
    return status;
}

/* ---- The environment. */

static col_status read_variable(const base_entry *entry, void *target) {
    duv_command_file *file = target;
    base_text text = {0};
    const char *name = base_entry_name(entry), *content = base_entry_text(entry);
    if (file->variable_count == DUV_MOST_VARIABLES)
        return base_refuse_key(entry, "environment has at most %d variables", DUV_MOST_VARIABLES);
    if (name[0] == '\0' || strchr(name, '=') != NULL || content == NULL)
        return base_refuse_key(entry, "environment has NAME: VALUE, both of them texts");
    base_text_print(&text, "%s=%s", name, content);
    const col_status status = base_text_status(&text, entry->yaml->problem);
    if (status != COL_OK)
        base_text_free(&text);
    else
        file->variables[file->variable_count++] = text.data;
    return status;
}

/* ---- The rest. */

static const base_field test_fields[] = {
    {FIELD("least", BASE_NUMBER, least_operations), .least = 1, .most = MOST_OPERATIONS},
    {FIELD("most", BASE_NUMBER, most_operations), .least = 1, .most = MOST_OPERATIONS},
    BASE_LAST_FIELD,
};

static col_status check_tests(const base_entry *entry, void *target) {
    const duv_command_file *file = target;
    if (file->least_operations <= file->most_operations)
        return COL_OK;
    return base_refuse_value(entry, "tests has a least of %llu and a most of %llu",
                             (unsigned long long)file->least_operations,
                             (unsigned long long)file->most_operations);
}

static col_status read_harts(const base_entry *entry, void *target) {
    duv_command_file *file = target;
    const char *text = base_entry_text(entry);
    const base_field harts = {FIELD(base_entry_name(entry), BASE_NUMBER, harts), PLACE(harts),
                              .least = 1, .most = COL_MAX_THREADS};
    if (file->at.harts.line != 0)
        return base_refuse_key(entry, "harts and cores are the same: leave one of them out");
    file->at.harts = base_entry_place(entry);
    file->is_of_host = text != NULL && strcmp(text, "processors") == 0;
    return file->is_of_host ? COL_OK : base_yaml_value(entry, &harts, file);
}

static const base_field fields[] = {
    {.name = "kind", .kind = BASE_WORD, .words = kinds, PLACE(kind)},
    {FIELD("name", BASE_STRING, name), .read = sim_design_file_check_name},
    {FIELD("description", BASE_STRING, description)},
    {.name = "run", .kind = BASE_OWN, .read = read_run},
    {FIELD("package", BASE_STRING, package)},
    {FIELD("platform", BASE_STRING, platform_name), .words = isa_platform_names,
     .is_file = isa_platform_is_file, PLACE(platform)},
    {.name = "harts", .kind = BASE_OWN, .read = read_harts},
    {.name = "cores", .kind = BASE_OWN, .read = read_harts},
    {FIELD("log", BASE_WORD, log), .words = isa_log_words, PLACE(log)},
    {FIELD("results", BASE_WORD, returns), .words = duv_returns_words, PLACE(results)},
    {FIELD("rounds", BASE_NUMBER, rounds), .least = 1, .most = MOST_ROUNDS, PLACE(rounds)},
    {FIELD("programs", BASE_NUMBER, programs), .least = 1, .most = DUV_MOST_PROGRAMS,
     PLACE(programs)},
    {FIELD("limit", BASE_SECONDS, limit), .high = DAY},
    {.name = "exit", .kind = BASE_EACH, .read = read_exit_rule},
    {.name = "environment", .kind = BASE_EACH, .read = read_variable},
    {FIELD("repeats", BASE_FLAG, repeats)},
    {FIELD("single", BASE_FLAG, is_single)},
    {FIELD("model", BASE_WORD, model), .words = col_models, PLACE(model)},
    {.name = "tests", .kind = BASE_MAP, .fields = test_fields, .read = check_tests},
    BASE_LAST_FIELD,
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
static void choose_returns(duv_command_file *file) {
    duv_returns returns = DUV_RETURNS_LOG;
    while (returns < DUV_RETURNS_STDOUT && !uses(file, duv_returns_place(returns)))
        returns++;
    file->returns = returns;
}

static col_status check_results(base_yaml *yaml, duv_command_file *file) {
    const bool says_results = file->at.results.line != 0;
    if (!says_results)
        choose_returns(file);
    const base_place place = says_results ? file->at.results : file->at.root;
    const char *word = duv_returns_words[file->returns];
    if (!says_results && file->returns == DUV_RETURNS_STDOUT)
        return base_yaml_refuse_at(
            yaml, file->at.run,
            "run needs {log}, {memory} or {commits} for what comes back, or results: stdout");
    if (file->returns != DUV_RETURNS_STDOUT && !uses(file, duv_returns_place(file->returns)) &&
        !uses(file, DUV_AT_FOLDER))
        return base_yaml_refuse_at(yaml, place, "results: %s needs {%s} in run", word, word);
    const bool is_tap = file->returns >= DUV_RETURNS_COMMITS;
    if (file->at.log.line == 0)
        file->log = is_tap ? ISA_LOG_TAP : ISA_LOG_REGISTERS;
    if (is_tap != (file->log == ISA_LOG_TAP))
        return base_yaml_refuse_at(yaml, file->at.log, "log: %s does not go with results: %s",
                                   isa_log_words[file->log], word);
    if (file->returns == DUV_RETURNS_MEMORY && file->platform.has_uncached_log)
        return base_yaml_refuse_at(
            yaml, place,
            "the platform's log is in its uncached window, and {memory} is ram: use results: log");
    return COL_OK;
}

/* Presets and files; a file is relative to this one. */
static col_status open_platform(base_yaml *yaml, duv_command_file *file) {
    char path[PATH_MAX];
    const char *what = file->platform_name;
    col_problem problem;
    col_status status = COL_OK;
    if (isa_platform_is_file(what)) {
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
    return base_yaml_refuse_at(yaml, file->at.platform, "%s", problem.message);
}

static col_status check_rounds(base_yaml *yaml, duv_command_file *file) {
    if (file->repeats && file->at.rounds.line != 0 && file->rounds != 1)
        return base_yaml_refuse_at(
            yaml, file->at.rounds,
            "a command that repeats is started once for each round: leave rounds out");
    if (file->repeats && file->programs > 1)
        return base_yaml_refuse_at(
            yaml, file->at.programs,
            "a command that repeats is started for each test alone: leave programs out");
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

static col_status read_root(base_yaml *yaml, duv_command_file *file) {
    const base_yaml_node *root = base_yaml_root(yaml);
    const uint32_t images =
        1U << DUV_AT_IMAGE | 1U << DUV_AT_BIN | 1U << DUV_AT_HEX | 1U << DUV_AT_FOLDER;
    file->at.root = base_yaml_place(yaml, root);
    BASE_TRY(base_yaml_map(yaml, root, "a command", fields, file));
    if (file->at.kind.line == 0)
        return base_yaml_refuse(yaml, root, "a command says what it is: kind: command");
    if (file->at.run.line == 0)
        return base_yaml_refuse(yaml, root, "a command needs its line: run: ./simv +elf={image}");
    if (file->at.platform.line == 0)
        return base_yaml_refuse(yaml, root,
                                "a command needs a platform: the machine that images boot on");
    if ((file->uses & images) == 0)
        return base_yaml_refuse_at(yaml, file->at.run,
                                   "run needs the image: {image}, {bin}, {hex} or {folder}");
    BASE_TRY(open_platform(yaml, file));
    BASE_TRY(check_results(yaml, file));
    BASE_TRY(check_rounds(yaml, file));
    if (file->at.model.line == 0)
        file->model = file->platform.model;
    if (file->harts == 0)
        file->harts = file->is_of_host ? harts_here(&file->platform) : file->platform.harts;
    return COL_OK;
}

static col_status find_here(duv_command_file *file, col_problem *problem) {
    char folder[PATH_MAX];
    const col_status status = base_path_beside(folder, file->path, ".", problem);
    if (status == COL_OK && realpath(folder, file->here) == NULL)
        return base_refuse(problem, "%.400s: there is no such folder", folder);
    return status;
}

col_status duv_command_file_parse(duv_command_file *file, const char *text, size_t length,
                                  const char *path, col_problem *problem) {
    base_yaml yaml;
    const char *name = base_path_name(path);
    if (strlen(path) >= sizeof file->path)
        return base_refuse(problem, "the path %.100s... is too long", path);
    (void)snprintf(file->path, sizeof file->path, "%s", path);
    (void)snprintf(file->name, sizeof file->name, "%.*s", (int)base_path_stem(name), name);
    file->least_operations = LEAST_TEST;
    file->most_operations = MOST_TEST;
    BASE_TRY(find_here(file, problem));
    BASE_TRY(base_yaml_read(&yaml, text, length, path, problem));
    col_status status = read_root(&yaml, file);
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
    return duv_find_listed(name, kinds[0], path);
}

/* ---- The program that it starts. */

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

/* ---- The words of a start. */

/* The word with its placeholders replaced. */
static void expand_word(const char *word, const char *const values[DUV_PLACEHOLDER_COUNT],
                        base_text *text) {
    while (*word != '\0') {
        const size_t length = brace_at(word);
        uint32_t which;
        if (length > 0 && find_placeholder(word + 1, length, &which)) {
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
    BASE_TRY(base_command_split(options, &words, problem));
    for (char **word = words; *word != NULL; word++, ++*count)
        base_text_add_bytes(text, *word, strlen(*word) + 1);
    free(words);
    return COL_OK;
}

static col_status collect(char ***words, const base_text *text, size_t count,
                          col_problem *problem) {
    BASE_TRY(base_text_status(text, problem));
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

/* ---- What an end means. */

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
