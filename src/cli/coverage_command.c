/* SPDX-License-Identifier: MIT */
/* collider coverage: the holes of episodes and campaigns, merging coverage, comparing it. */
#include "base/file.h"
#include "base/folder.h"
#include "base/names.h"
#include "cli/command_line.h"
#include "cli/coverage_who.h"
#include "cover/coverage_show.h"
#include "episode/suite/suite.h"
#include "protocol/simulate/protocol_library.h"
#include "results/report/report.h"
#include "results/store/episode_row.h"
#include "results/store/store_coverage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rows X(NAME, word, what it is, its writer): those without one are the report's. */
#define COVERAGE_FORMATS(X)                                                                        \
    X(TEXT, "text", "a table and the holes, by machine", cov_show_text)                            \
    X(MARKDOWN, "md", "the same, as GitHub reads it", cov_show_markdown)                           \
    X(HTML, "html", "the report's page, with the heat map of each machine", NULL)                  \
    X(JSON, "json", "for programs", cov_show_json)                                                 \
    X(UCIS, "ucis", "for other verification tools", NULL)                                          \
    X(LCOV, "lcov", "for genhtml and editors: branches of the protocol's source", cov_show_lcov)

enum {
#define PLACE(name, ...) FORMAT_##name,
    COVERAGE_FORMATS(PLACE)
#undef PLACE
        FORMAT_COUNT
};
static const char *const format_words[FORMAT_COUNT + 1] = {
#define WORD(name, word, ...) (word),
    COVERAGE_FORMATS(WORD)
#undef WORD
        NULL};

#define COVERAGE_OPTIONS(X)                                                                        \
    X(FORMAT, "format", "NAME", "text", "of show: %s", format_words, CLI_LONE_WORD)                \
    X(OUT, "out", "FILE", "-", "of show: where to write; - is standard output")                    \
    X(EXCLUDE, "exclude", "LIST", NULL,                                                            \
      "a file of points that do not count, with the reason for each; see below",                   \
      .input = BASE_INPUT)                                                                         \
    X(CLASSES, "classes", "LIST", NULL,                                                            \
      "of show: a file of classes of transitions, or the name of a protocol of Collider's",        \
      .input = BASE_INPUT_OR_NAME)                                                                 \
    X(DESIGN, "design", "NAME", NULL,                                                              \
      "of a store: the trials of this design; of a file without points: the design it is of",      \
      .input = BASE_INPUT_OR_NAME)                                                                 \
    X(CORES, "cores", "N", NULL, "of a store: only trials with N cores",                           \
      CLI_LONE_NUMBER(1, COL_MAX_THREADS))                                                         \
    X(SOURCES, "sources", "FOLDER", NULL, "of lcov: where the protocol's files are",               \
      .input = BASE_INPUT)                                                                         \
    X(FAIL, "fail-on-loss", NULL, NULL, "of diff: exit status 1 if B lacks a point that A has")    \
    CLI_COMMON_OPTIONS(X)

CLI_TABLE(COVERAGE_OPTIONS);

enum { LOST = 1 }; /* an exit status */

/* ---- Reading. */

typedef struct inputs {
    const cli_arguments *arguments;
    uint32_t cores;
    bool has_store;    /* which does not know controllers */
    bool needs_design; /* one does not say what it is of */
} inputs;

static const char store_mark[] = "SQLite format 3";

/* A file that has no list of points needs the design, which the user names. */
static col_status read_by_design(col_coverage **coverage, const char *design, uint32_t cores,
                                 const char *path, col_problem *problem) {
    col_duv *duv = NULL;
    const col_duv_settings settings = {.name = design, .cores = cores};
    col_status status = col_duv_open(&duv, design, &settings, problem);
    if (status == COL_OK) {
        col_duv_description described = *col_duv_describe(duv);
        described.needs = NULL; /* what the tests brought is not known */
        status = col_coverage_new(coverage, &described, problem);
    }
    BASE_THEN(status, col_coverage_read_file(*coverage, path, problem));
    col_duv_close(duv);
    return status;
}

static col_status read_file(inputs *in, col_coverage **coverage, const char *path,
                            col_problem *problem) {
    static const char mark[] = "collider coverage ";
    const char *design = in->arguments->values[OPTION_DESIGN];
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    if (status != COL_OK || text.data == NULL) {
        base_text_free(&text);
        return status != COL_OK ? status : base_refuse_at(problem, path, 1, 1, "the file is empty");
    }
    const bool has_points = strncmp(text.data, mark, strlen(mark)) != 0;
    if (text.length > sizeof store_mark && memcmp(text.data, store_mark, sizeof store_mark) == 0) {
        in->has_store = in->needs_design = true;
        status = cam_store_coverage(coverage, path, design, in->cores, problem);
    } else if (!has_points && design != NULL) {
        in->needs_design = true;
        status = read_by_design(coverage, design, in->cores, path, problem);
    } else {
        status = cov_read_whole(coverage, text.data, text.length, path, problem);
    }
    base_text_free(&text);
    return status;
}

static col_status read_input(inputs *in, const char *path, col_coverage **coverage,
                             col_problem *problem) {
    struct stat about;
    *coverage = NULL;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return read_file(in, coverage, path, problem);
    if (cam_is_episode(path))
        return cam_episode_coverage(coverage, path, problem);
    if (base_folder_has(path, EPI_SUITE_INDEX))
        return epi_suite_coverage(coverage, path, problem);
    return base_refuse(problem, "%.300s is not an episode folder: it has no coverage.txt", path);
}

/* What a store does not tell apart is not told apart in the others either. */
static col_status flatten(col_coverage **sets, uint32_t count, col_problem *problem) {
    for (uint32_t i = 0; i < count; i++) {
        col_coverage *flat;
        BASE_TRY(cov_flatten(&flat, sets[i], problem));
        col_coverage_free(sets[i]);
        sets[i] = flat;
    }
    return COL_OK;
}

static bool is_same_design(const col_coverage *a, const col_coverage *b) {
    const col_hash x = col_coverage_points(a), y = col_coverage_points(b);
    uint32_t cores[2];
    (void)col_coverage_design(a, &cores[0]);
    (void)col_coverage_design(b, &cores[1]);
    return x.high == y.high && x.low == y.low && cores[0] == cores[1];
}

static col_status check_same(col_coverage *const *sets, uint32_t count, char *const *paths,
                             col_problem *problem) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t cores[2];
        const char *first = col_coverage_design(sets[0], &cores[0]);
        const char *other = col_coverage_design(sets[i], &cores[1]);
        if (!is_same_design(sets[0], sets[i]))
            return base_refuse(problem,
                               "%.200s is of %.64s with %u cores and %.200s of %.64s with %u: they "
                               "have different points",
                               paths[0], first, cores[0], paths[i], other, cores[1]);
    }
    return COL_OK;
}

static col_status check_design(const inputs *in, col_problem *problem) {
    const char *of_design = CLI_FIRST_TYPED(in->arguments, OPTION_DESIGN, OPTION_CORES);
    return in->needs_design || of_design == NULL
               ? COL_OK
               : base_refuse(problem,
                             "--%s is for stores and for coverage files without points; these "
                             "inputs say what they are of",
                             of_design);
}

/* All operands from `first` on, of one design. */
static col_status read_inputs(const cli_arguments *a, uint32_t first, col_coverage **sets,
                              col_problem *problem) {
    const uint32_t count = a->operand_count - first;
    inputs in = {.arguments = a};
    col_status status = COL_OK;
    if (a->values[OPTION_CORES] != NULL)
        status = cli_argument_read(a, OPTION_CORES, &in.cores, problem);
    for (uint32_t i = 0; i < count && status == COL_OK; i++)
        status = read_input(&in, a->operands[first + i], &sets[i], problem);
    BASE_THEN(status, check_design(&in, problem));
    if (status == COL_OK && in.has_store && count > 1)
        status = flatten(sets, count, problem);
    return status == COL_OK ? check_same(sets, count, a->operands + first, problem) : status;
}

static col_status merge_all(col_coverage *const *sets, uint32_t count, col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 1; i < count && status == COL_OK; i++)
        status = col_coverage_merge(sets[0], sets[i], NULL, problem);
    return status;
}

/* ---- Exclusions. */

static col_status read_exclusions(const cli_arguments *a, col_coverage *const *sets, uint32_t count,
                                  cov_exclusions *exclusions, col_problem *problem) {
    const char *path = a->values[OPTION_EXCLUDE];
    if (path == NULL)
        return COL_OK;
    const col_status status = cov_exclusions_read(exclusions, sets[0], path, problem);
    for (uint32_t i = 0; i < count && status == COL_OK; i++) {
        /* An exclusion that is covered says something that is not so. */
        col_point_facts f;
        for (uint32_t p = 0; col_coverage_point(sets[i], p, &f); p++)
            if (f.hits > 0 && cov_excluded(exclusions, p) != NULL)
                base_print(stderr,
                           "collider: warning: %s excludes %s %s %s, which was taken %llu time%s\n",
                           path, f.machine, f.state, f.event, (unsigned long long)f.hits,
                           f.hits == 1 ? "" : "s");
    }
    return status;
}

/* ---- Classes. */

static col_status read_classes(const cli_arguments *a, const col_coverage *coverage,
                               uint32_t format, cov_classes *classes, col_problem *problem) {
    const char *what = a->values[OPTION_CLASSES];
    char path[SIM_MOST_PATH];
    if (what == NULL)
        return COL_OK;
    if (format != FORMAT_TEXT && format != FORMAT_MARKDOWN && format != FORMAT_JSON)
        return base_refuse(problem, "the format %s has no classes; text, md and json have",
                           format_words[format]);
    const bool is_name = strchr(what, '/') == NULL && access(what, F_OK) != 0;
    if (is_name && !sim_find_beside(what, "classes", path))
        return base_refuse(problem,
                           "there is no file '%.200s', and no protocol of this name that comes "
                           "with classes",
                           what);
    return cov_classes_read(classes, coverage, is_name ? path : what, problem);
}

/* ---- show */

static col_status write_text(void (*write)(const cov_view *, base_text *), const cov_view *view,
                             const char *path, bool is_for_people, col_problem *problem) {
    base_text text = {0};
    write(view, &text);
    if (is_for_people && strcmp(path, "-") == 0)
        return cli_write(&text, problem);
    return base_file_write_text(path, &text, problem);
}

static col_status write_format(const cov_view *view, uint32_t format, const char *path,
                               col_problem *problem) {
    static void (*const writers[FORMAT_COUNT])(const cov_view *, base_text *) = {
#define WRITER(name, word, summary, writer) (writer),
        COVERAGE_FORMATS(WRITER)
#undef WRITER
    };
    if (writers[format] != NULL)
        return write_text(writers[format], view, path, format == FORMAT_TEXT, problem);
    rep_report report = {0};
    const rep_settings settings = {.coverage = view->coverage,
                                   .excluded =
                                       view->exclusions == NULL ? NULL : view->exclusions->reasons};
    col_status status = rep_report_make(&report, &settings, problem);
    BASE_THEN(status,
              rep_write(&report, format == FORMAT_HTML ? REP_HTML : REP_UCIS, path, problem));
    rep_report_free(&report);
    return status;
}

static int show(const cli_arguments *a, col_coverage **sets, col_problem *problem) {
    const uint32_t count = a->operand_count - 1;
    const bool prints = a->prints || a->typed[OPTION_OUT];
    cov_exclusions exclusions = {0};
    cov_classes classes = {0};
    uint32_t format = 0;
    col_status status = cli_argument_read(a, OPTION_FORMAT, &format, problem);
    if (status == COL_OK && a->typed[OPTION_SOURCES] && format != FORMAT_LCOV)
        status = base_refuse(problem, "--sources is for --format lcov");
    if (status == COL_OK && a->typed[OPTION_FORMAT] && !prints)
        status = base_refuse(problem, "--json - has standard output for itself: give --json or "
                                      "--out a file, or leave out --format");
    BASE_THEN(status, read_inputs(a, 1, sets, problem));
    BASE_THEN(status, merge_all(sets, count, problem));
    BASE_THEN(status, read_exclusions(a, sets, 1, &exclusions, problem));
    BASE_THEN(status, read_classes(a, sets[0], format, &classes, problem));
    const cov_view view = {.coverage = sets[0],
                           .exclusions = exclusions.reasons == NULL ? NULL : &exclusions,
                           .classes = classes.of_point == NULL ? NULL : &classes,
                           .sources = a->values[OPTION_SOURCES]};
    if (status == COL_OK && prints)
        status = write_format(&view, format, a->values[OPTION_OUT], problem);
    if (status == COL_OK && a->json != NULL)
        status = write_text(cov_show_json, &view, a->json, false, problem);
    cov_exclusions_free(&exclusions);
    cov_classes_free(&classes);
    return (int)status;
}

/* ---- merge */

/* False if it cannot be read. A pipe is not even opened: nobody may be writing to it. */
static bool begins_as_store(const char *path) {
    struct stat about;
    char mark[sizeof store_mark] = "";
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return false;
    (void)fread(mark, 1, sizeof mark, file);
    (void)fclose(file);
    return memcmp(mark, store_mark, sizeof mark) == 0;
}

static int merge(const cli_arguments *a, col_coverage **sets, col_problem *problem) {
    /* A coverage file may be merged into itself; replacing a store would lose its trials. */
    const char *out = a->operands[1];
    col_status status =
        begins_as_store(out)
            ? base_refuse(problem, "%.300s is a results store; name another file", out)
            : cli_arguments_check_output(a, out, problem);
    BASE_THEN(status, read_inputs(a, 2, sets, problem));
    BASE_THEN(status, merge_all(sets, a->operand_count - 2, problem));
    BASE_THEN(status, col_coverage_write_file(sets[0], a->operands[1], problem));
    const cov_view view = {.coverage = sets[0]};
    if (status == COL_OK && a->json != NULL)
        status = write_text(cov_show_json, &view, a->json, false, problem);
    else if (status == COL_OK) {
        const cov_extent all = cov_extent_of(sets[0], NULL, COL_ALL_MACHINES);
        if (!a->quiet && strcmp(a->operands[1], "-") != 0)
            base_print(stdout, "%s: %u of %u transitions, %u of %u %s\n", a->operands[1],
                       all.covered, all.defined, all.taken_known ? all.covered : all.here_covered,
                       all.taken_known ? all.known_here : all.here,
                       all.taken_known ? "known reachable here" : "not ruled out here");
    }
    return (int)status;
}

/* ---- diff */

static int diff(const cli_arguments *a, col_coverage **sets, col_problem *problem) {
    cov_exclusions exclusions = {0};
    base_text text = {0};
    col_status status = read_inputs(a, 1, sets, problem);
    if (status == COL_OK) /* a third set, which is freed with the others */
        status = cov_renumber(&sets[2], sets[1], sets[0], problem);
    BASE_THEN(status, read_exclusions(a, sets, 1, &exclusions, problem));
    const cov_pair pair = {.sets = {sets[0], sets[2]},
                           .names = {a->operands[1], a->operands[2]},
                           .exclusions = exclusions.reasons == NULL ? NULL : &exclusions,
                           .losses_first = a->typed[OPTION_FAIL]};
    if (status == COL_OK && a->prints) {
        cov_diff_text(&pair, &text);
        status = cli_write(&text, problem);
    }
    if (status == COL_OK && a->json != NULL) {
        cov_diff_json(&pair, &text);
        status = base_file_write_text(a->json, &text, problem);
    }
    const uint32_t lost = status == COL_OK && a->typed[OPTION_FAIL] ? cov_diff_lost(&pair) : 0;
    if (lost > 0 && !a->quiet)
        base_print(stderr, "collider: %s lacks %u %s that %s covers\n", pair.names[1], lost,
                   lost == 1 ? "point" : "points", pair.names[0]);
    cov_exclusions_free(&exclusions);
    return lost > 0 ? LOST : (int)status;
}

/* ---- who */

static int who(const cli_arguments *a, col_coverage **sets, col_problem *problem) {
    const uint32_t count = a->operand_count - 2;
    bool needs_design = false;
    cli_covered *covered = NULL;
    uint32_t cores = 0;
    col_status status = base_new(&covered, count, sizeof *covered, problem);
    if (status == COL_OK && a->values[OPTION_CORES] != NULL)
        status = cli_argument_read(a, OPTION_CORES, &cores, problem);
    for (uint32_t i = 0; i < count && status == COL_OK; i++) {
        inputs in = {.arguments = a, .cores = cores};
        status = read_input(&in, a->operands[i + 2], &sets[i], problem);
        covered[i] = (cli_covered){a->operands[i + 2], sets[i], in.has_store};
        needs_design |= in.needs_design;
    }
    BASE_THEN(status,
              check_design(&(inputs){.arguments = a, .needs_design = needs_design}, problem));
    BASE_THEN(status, cli_coverage_who(a, a->operands[1], covered, count, problem));
    free(covered);
    return (int)status;
}

/* ---- The command. */

static const struct {
    const char *name, *form;
    uint32_t least, most;
    int (*run)(const cli_arguments *arguments, col_coverage **sets, col_problem *problem);
    bool is_formatted; /* takes --format, --out, --sources and --classes */
    bool excludes;
} actions[] = {
    {"show", "show IN...", 2, CLI_MOST_OPERANDS, show, true, true},
    {"merge", "merge OUT IN...", 3, CLI_MOST_OPERANDS, merge, false, false},
    {"diff", "diff A B", 3, 3, diff, false, true},
    {"who", "who 'MACHINE STATE EVENT' IN...", 3, CLI_MOST_OPERANDS, who, false, false},
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

static col_status check_options(const cli_arguments *a, size_t action, col_problem *problem) {
    const char *of_show =
        CLI_FIRST_TYPED(a, OPTION_FORMAT, OPTION_OUT, OPTION_SOURCES, OPTION_CLASSES);
    if (!actions[action].is_formatted && of_show != NULL)
        return base_refuse(problem, "coverage %s takes no --%s", actions[action].name, of_show);
    if (a->typed[OPTION_FAIL] && actions[action].run != diff)
        return base_refuse(problem, "coverage %s takes no --fail-on-loss", actions[action].name);
    if (a->typed[OPTION_EXCLUDE] && !actions[action].excludes)
        return base_refuse(problem, "coverage %s takes no --exclude%s", actions[action].name,
                           actions[action].run == merge ? ": what is merged is shown later" : "");
    return COL_OK;
}

static int run_coverage(const cli_arguments *a, col_problem *problem) {
    const char *name = a->operand_count > 0 ? a->operands[0] : "";
    size_t action = 0;
    while (action < ACTIONS && strcmp(actions[action].name, name) != 0)
        action++;
    if (action == ACTIONS)
        return (int)base_refuse(problem, "coverage is followed by show, merge, diff or who; see "
                                         "collider coverage --help");
    if (a->operand_count < actions[action].least || a->operand_count > actions[action].most)
        return (int)base_refuse(problem, "coverage %s is written as collider coverage %s", name,
                                actions[action].form);
    col_status status = check_options(a, action, problem);
    if (status != COL_OK)
        return (int)status;
    col_coverage **sets = calloc((size_t)a->operand_count + 1, sizeof *sets);
    if (sets == NULL)
        return (int)base_out_of_memory(problem);
    const int result = actions[action].run(a, sets, problem);
    for (uint32_t i = 0; i < a->operand_count; i++)
        col_coverage_free(sets[i]);
    free(sets);
    return result;
}

static void add_notes(base_text *text) {
    base_text_add(text, "IN is an episode folder, a suite, the store of a campaign (results.db) "
                        "or a coverage file.\nSeveral are merged.\nFormats:\n");
#define LINE(name, word, summary, writer) base_text_print(text, "  %-6s %s\n", (word), (summary));
    COVERAGE_FORMATS(LINE)
#undef LINE
    base_text_add(text, "A line of --exclude is MACHINE STATE EVENT reason. Excluded points are "
                        "listed separately and\nleave the denominators.\n");
    base_text_add(text, "A line of --classes is MACHINE EVENT CLASS; an event that ends with * "
                        "stands for all that begin\nso.\n");
}

const cli_command cli_coverage_command = {
    .name = "coverage",
    .summary = "show what was not covered and why, what covered a point; merge, compare",
    .example = "collider coverage show collider-out --format lcov -o coverage.info",
    .add_notes = add_notes,
    .usage = "  collider coverage show IN...\n"
             "  collider coverage merge OUT IN...\n"
             "  collider coverage diff A B\n"
             "  collider coverage who 'MACHINE STATE EVENT' IN...\n",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT_OR_NAME,
    .options = options,
    .found = "with --fail-on-loss: B lacks a point that A has",
    .run = run_coverage,
};
