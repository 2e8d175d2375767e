/* SPDX-License-Identifier: MIT */
/* collider report: results of campaigns as a page, tables and plots, and beside those of papers. */
#include "base/folder.h"
#include "base/names.h"
#include "base/number.h"
#include "base/path.h"
#include "cli/command_line.h"
#include "cli/diagnose.h"
#include "results/report/report.h"

#include <string.h>
#include <sys/stat.h>

#define REPORT_OPTIONS(X)                                                                          \
    X(OUT, "out", "PATH", NULL,                                                                    \
      "where to write: a file, or a folder for several files (report.html; report)")               \
    X(FORMAT, "format", "LIST", "html", "%s, or several separated by commas", rep_formats)         \
    X(PAPER, "paper", "NAME", NULL,                                                                \
      "print the published figures beside ours: the name of a table or a plan; list shows "        \
      "them")                                                                                      \
    X(PLAN, "plan", "NAME", NULL, "only the trials of this plan")                                  \
    X(PRICE, "price", "CYCLES", "0",                                                               \
      "count this many cycles for each test besides its own, as on a simulator with a cost per "   \
      "execution",                                                                                 \
      .kind = BASE_NUMBER, .size = sizeof(uint64_t), .most = UINT64_C(1000000000000))              \
    X(UNTIL, "until", "CYCLES", NULL,                                                              \
      "count only the first CYCLES cycles of each episode, as if the budget had been smaller",     \
      .kind = BASE_NUMBER, .size = sizeof(uint64_t), .least = 1, .most = UINT64_MAX)               \
    X(TITLE, "title", "TEXT", NULL, "the report's title (the plan's)")                             \
    CLI_COMMON_OPTIONS(X)

CLI_TABLE(REPORT_OPTIONS);

/* ---- Formats and where they go. */

typedef struct formats {
    bool wants[REP_FORMAT_COUNT];
    uint32_t count;
} formats;

static col_status read_format(const char *text, size_t length, formats *f, col_problem *problem) {
    char word[41];
    uint32_t format = 0;
    (void)snprintf(word, sizeof word, "%.*s", length < 40 ? (int)length : 40, text);
    const col_status status = base_choice_read("--", "format", rep_formats, word, &format, problem);
    if (status != COL_OK)
        return status;
    f->count += !f->wants[format];
    f->wants[format] = true;
    return COL_OK;
}

static col_status read_formats(const char *list, formats *f, col_problem *problem) {
    col_status status = COL_OK;
    for (const char *at = list; status == COL_OK;) {
        const size_t length = strcspn(at, ",");
        status = read_format(at, length, f, problem);
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    return status;
}

static bool is_folder(const char *path) {
    struct stat is;
    const size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') || (stat(path, &is) == 0 && S_ISDIR(is.st_mode));
}

static col_status write_one(const rep_report *report, rep_format format, const char *out,
                            bool is_alone, col_problem *problem) {
    const char *name = rep_format_of[format].file;
    char path[PATH_MAX];
    if (name == NULL || (is_alone && out != NULL && !is_folder(out)))
        return rep_write(report, format, out == NULL ? "report" : out, problem);
    if (is_alone && out == NULL)
        return rep_write(report, format, name, problem);
    const char *folder = out == NULL ? "report" : out;
    BASE_TRY(base_folder_make(folder, problem));
    BASE_TRY(base_path_in(path, folder, name, problem));
    return rep_write(report, format, path, problem);
}

static bool is_standard_output(const char *path) {
    return path != NULL && strcmp(path, "-") == 0;
}

static bool has_several_files(const formats *f) {
    for (int i = 0; i < REP_FORMAT_COUNT; i++)
        if (f->wants[i] && rep_format_of[i].file == NULL)
            return true;
    return f->count > 1;
}

/* Where it goes, before anything is worked out for it. */
static col_status check_places(const cli_arguments *a, const formats *f, col_problem *problem) {
    const char *out = a->values[OPTION_OUT];
    if (out != NULL && out[0] == '\0')
        return base_refuse(problem, "--out needs a path, such as report.html");
    if (!is_standard_output(out))
        return out == NULL || is_folder(out) || has_several_files(f)
                   ? COL_OK
                   : cli_writable_check(a, OPTION_OUT, problem);
    if (f->count > 1 || !a->prints)
        return base_refuse(problem, "several formats do not fit on standard output");
    for (int i = 0; i < REP_FORMAT_COUNT; i++)
        if (f->wants[i] && rep_format_of[i].file == NULL)
            return base_refuse(problem, "%s is several files, which do not fit on standard output",
                               rep_formats[i]);
    return COL_OK;
}

static col_status write_all(const rep_report *report, const formats *f, const char *out,
                            col_problem *problem) {
    col_status status = COL_OK;
    for (int i = 0; i < REP_FORMAT_COUNT && status == COL_OK; i++)
        if (f->wants[i])
            status = write_one(report, (rep_format)i, out, f->count == 1, problem);
    return status;
}

/* ---- What is printed. */

static const char *place_of(const formats *f, const char *out) {
    if (out != NULL)
        return out;
    for (int i = 0; i < REP_FORMAT_COUNT && f->count == 1; i++)
        if (f->wants[i] && rep_format_of[i].file != NULL)
            return rep_format_of[i].file;
    return "report";
}

static void print_summary(const rep_report *r, const formats *f, const char *out) {
    unsigned long long trials = 0, failed = 0, found = 0;
    for (uint32_t i = 0; i < r->group_count; i++) {
        trials += r->groups[i].trials;
        failed += r->groups[i].failed;
        found += r->groups[i].hunts ? 0 : r->groups[i].found;
    }
    base_print(stdout, "%s: %llu trial%s in %u group%s of %u plan%s", place_of(f, out), trials,
               base_plural(trials), r->group_count, base_plural(r->group_count), r->plan_count,
               base_plural(r->plan_count));
    if (failed > 0)
        base_print(stdout, "; %llu failed", failed);
    if (found > 0)
        base_print(stdout, "; errors although none was injected: %llu trial%s", found,
                   base_plural(found));
    base_print(stdout, "\n");
}

static col_status print_list(const rep_report *r, col_problem *problem) {
    base_text text = {0};
    for (uint32_t i = 0; i < r->paper_count; i++) {
        const rep_paper *paper = &r->papers[i];
        const rep_plan *plan = &r->plans[paper->plan];
        base_text_print(&text, "%-24s %s: %s (%s%s%s, %u figure%s)\n", paper->name, paper->source,
                        paper->title, plan->name, plan->scale[0] == '\0' ? "" : ", ", plan->scale,
                        paper->cells, base_plural(paper->cells));
    }
    if (r->paper_count == 0)
        base_text_add(&text, "the plans of these results have no published tables\n");
    return cli_print(&text, problem);
}

static col_status print_papers(const rep_report *r, col_problem *problem) {
    base_text text = {0};
    for (uint32_t i = 0; i < r->paper_count; i++) {
        const rep_paper *paper = &r->papers[i];
        if (paper->table == UINT32_MAX)
            continue;
        const rep_table *table = &r->tables[paper->table];
        base_text_print(&text, "%s%s\n", i == 0 ? "" : "\n", table->title);
        base_text_print(&text, "%s, in %s; *: the best of its row\n\n", paper->statistic,
                        paper->unit);
        rep_text_table(table, &text);
        base_text_print(&text, "\n%s\n", paper->summary);
        if (paper->note != NULL)
            base_text_print(&text, "%s\n", paper->note);
    }
    return cli_print(&text, problem);
}

/* ---- The command. */

/* Published figures are printed; files are made if they are asked for. */
static bool is_written(const cli_arguments *a) {
    return a->values[OPTION_PAPER] == NULL || a->typed[OPTION_FORMAT] || a->typed[OPTION_OUT];
}

static col_status show(const cli_arguments *a, const rep_report *r, const formats *f,
                       col_problem *problem) {
    const char *out = a->values[OPTION_OUT];
    for (uint32_t i = 0; i < r->warning_count; i++) {
        col_problem warning = {.line = 0};
        base_sentence(warning.message, sizeof warning.message, "%s", r->warnings[i]);
        cli_warn(&warning);
    }
    col_status status = is_written(a) ? write_all(r, f, out, problem) : COL_OK;
    if (status == COL_OK && a->json != NULL)
        status = rep_write(r, REP_JSON, a->json, problem);
    if (status != COL_OK || !a->prints || is_standard_output(out))
        return status;
    if (a->values[OPTION_PAPER] != NULL)
        return strcmp(a->values[OPTION_PAPER], "list") == 0 ? print_list(r, problem)
                                                            : print_papers(r, problem);
    if (!a->quiet)
        print_summary(r, f, out);
    return COL_OK;
}

static col_status read_budget(const cli_arguments *a, const formats *f, rep_settings *s,
                              col_problem *problem) {
    uint64_t price = 0;
    col_status status = cli_argument_read(a, OPTION_PRICE, &price, problem);
    s->price = (double)price;
    if (status != COL_OK || a->values[OPTION_UNTIL] == NULL)
        return status;
    status = cli_argument_read(a, OPTION_UNTIL, &s->until, problem);
    if (status != COL_OK)
        return status;
    if (s->paper != NULL)
        return base_refuse(problem, "--until does not go with --paper: published figures are "
                                    "compared with whole episodes");
    return f->wants[REP_UCIS] ? base_refuse(problem, "--until does not go with --format ucis: "
                                                     "stores do not have hits over time")
                              : COL_OK;
}

static int run_report(const cli_arguments *arguments, col_problem *problem) {
    formats f = {0};
    rep_report report = {0};
    rep_settings settings = {.stores = (const char *const *)arguments->operands,
                             .store_count = arguments->operand_count,
                             .plan = arguments->values[OPTION_PLAN],
                             .title = arguments->values[OPTION_TITLE],
                             .paper = arguments->values[OPTION_PAPER]};
    col_status status = read_formats(arguments->values[OPTION_FORMAT], &f, problem);
    BASE_THEN(status, read_budget(arguments, &f, &settings, problem));
    BASE_THEN(status, check_places(arguments, &f, problem));
    if (status == COL_OK && arguments->values[OPTION_OUT] == NULL && is_written(arguments))
        status = cli_arguments_check_output(arguments, place_of(&f, NULL), problem);
    BASE_THEN(status, rep_report_make(&report, &settings, problem));
    BASE_THEN(status, show(arguments, &report, &f, problem));
    rep_report_free(&report);
    return (int)status;
}

static void add_notes(base_text *text) {
    base_text_add(text, "Formats:\n");
    for (int i = 0; i < REP_FORMAT_COUNT; i++) {
        const char *file = rep_format_of[i].file;
        base_text_print(text, "  %-6s %s (%s%s)\n", rep_formats[i], rep_format_of[i].summary,
                        file == NULL ? "a folder: " : "",
                        file == NULL ? rep_format_of[i].files : file);
    }
    base_text_add(
        text,
        "Several stores and folders are one report: a trial that is in two of them counts once.\n"
        "The same results give the same files, byte for byte.\n");
}

const cli_command cli_report_command = {
    .name = "report",
    .summary = "turn results of campaigns and episodes into pages, tables and plots",
    .example = "collider report results.db -o report.html",
    .add_notes = add_notes,
    .usage = "  collider report RESULTS.db...\n"
             "  collider report EPISODE-FOLDER...\n",
    .missing = "report needs results: collider report results.db, or collider report collider-out",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT,
    .options = options,
    .run = run_report,
};
