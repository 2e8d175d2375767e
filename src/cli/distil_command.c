/* SPDX-License-Identifier: MIT */
/* collider distil: the fewest programs that cover what episodes covered. */
#include "base/json.h"
#include "cli/command_line.h"
#include "cover/coverage_show.h"
#include "episode/suite/distil.h"

#define DISTIL_OPTIONS(X)                                                                          \
    X(OUT, "out", "FOLDER", "suite", "folder for the suite; one that is there is replaced",        \
      .writes = true)                                                                              \
    X(METRIC, "metric", "NAME", "structural", "%s: the points to keep", col_metrics,               \
      CLI_WORD(epi_distil_settings, metric))                                                       \
    CLI_COMMON_OPTIONS(X)

CLI_TABLE(DISTIL_OPTIONS);

static const char *noun_of(const epi_distil_settings *settings, const epi_distilled *d) {
    return settings->metric == COL_FUNCTIONAL ? "functional points"
                                              : cov_form_of(d->suite.points).noun;
}

static void add_bound(base_text *text, uint32_t least, uint32_t count) {
    if (least == count)
        base_text_add(text, "no fewer can");
    else
        base_text_print(text, "no fewer than %u can", least);
}

static col_status print(const epi_distil_settings *settings, const epi_distilled *d,
                        col_problem *problem) {
    const uint32_t programs = (uint32_t)d->suite.program_count;
    const uint32_t instances = (uint32_t)d->suite.instance_count;
    base_text text = {0};
    base_text_print(&text, "%u program%s cover%s all %u %s that %u program%s of %u input%s cover; ",
                    programs, base_plural(programs), programs == 1 ? "s" : "", d->points,
                    noun_of(settings, d), d->from, base_plural(d->from), d->inputs,
                    base_plural(d->inputs));
    add_bound(&text, d->least, programs);
    base_text_print(&text, "\n%u instance%s of these programs %s enough; ", instances,
                    base_plural(instances), instances == 1 ? "is" : "are");
    add_bound(&text, d->least_instances, instances);
    base_text_add(&text, "\n");
    return cli_print(&text, problem);
}

static json_t *describe(const epi_distil_settings *settings, const epi_distilled *d) {
    uint32_t cores;
    const char *design = col_coverage_design(d->suite.points, &cores);
    json_t *programs = json_array();
    for (size_t p = 0; p < d->suite.program_count; p++) {
        const epi_suite_program *program = &d->suite.programs[p];
        base_json_append(&programs, json_pack("{s:s, s:I, s:I, s:o, s:I}", "file", program->file,
                                              "operations", (json_int_t)program->operations,
                                              "instances", (json_int_t)program->instance_count,
                                              "episode", base_json_text(program->episode), "test",
                                              (json_int_t)program->test));
    }
    return json_pack("{s:o, s:i, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "design",
                     base_json_text(design), "cores", (int)cores, "metric",
                     col_metrics[settings->metric], "points", (json_int_t)d->points, "missing",
                     (json_int_t)d->missing, "candidates", (json_int_t)d->from, "count",
                     (json_int_t)d->suite.program_count, "least", (json_int_t)d->least, "instances",
                     (json_int_t)d->suite.instance_count, "least_instances",
                     (json_int_t)d->least_instances, "folder", base_json_text(settings->out),
                     "programs", programs);
}

/* The last word: how to run it, or what it lacks. */
static void tell(const epi_distil_settings *settings, const epi_distilled *d) {
    uint32_t cores;
    base_text command = {0};
    const char *design = col_coverage_design(d->suite.points, &cores);
    if (d->missing > 0)
        base_print(stderr,
                   "collider: warning: %u covered point%s in no corpus: an episode was killed, or "
                   "went on without --corpus\n",
                   d->missing, d->missing == 1 ? " is" : "s are");
    base_text_add(&command, "collider run ");
    base_text_add_shell(&command, design);
    base_text_print(&command, " --cores %u --program ", cores);
    base_text_add_shell(&command, settings->out);
    if (command.failed)
        base_print_lost();
    else
        base_print(stderr, "collider: wrote %s; next: %s\n", settings->out, command.data);
    base_text_free(&command);
}

static int run_distil(const cli_arguments *arguments, col_problem *problem) {
    epi_distilled distilled = {0};
    epi_distil_settings settings = {.inputs = (const char *const *)arguments->operands,
                                    .input_count = arguments->operand_count,
                                    .out = arguments->values[OPTION_OUT]};
    col_status status = cli_arguments_read(arguments, &settings, problem);
    BASE_THEN(status, epi_distil(&settings, &distilled, problem));
    if (status == COL_OK && arguments->prints)
        status = print(&settings, &distilled, problem);
    if (status == COL_OK && arguments->json != NULL)
        status = cli_write_json(arguments, status, describe(&settings, &distilled), problem);
    if (status == COL_OK && !arguments->quiet)
        tell(&settings, &distilled);
    epi_distilled_free(&distilled);
    return (int)status;
}

const cli_command cli_distil_command = {
    .name = "distil",
    .summary = "choose the fewest programs that cover what episodes covered",
    .example = "collider distil collider-out --out suite",
    .notes =
        "EPISODE is the folder of collider run --corpus; SUITE is what collider distil wrote.\n"
        "The suite has the programs, and in suite.txt the seeds with which they cover these "
        "points\nagain.\n",
    .usage = "  collider distil EPISODE|SUITE... [--out FOLDER]\n",
    .missing = "distil is followed by folders of episodes or suites; see collider distil --help",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT,
    .others = BASE_INPUT,
    .options = options,
    .run = run_distil,
};
