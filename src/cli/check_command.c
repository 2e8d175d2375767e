/* SPDX-License-Identifier: MIT */
/*
 * collider check: judge traces by a memory model, or write them as text. Each verdict is on
 * standard output before more of the input is asked for, so that a program can talk to this one
 * through two pipes.
 */
#include "base/clock.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/path.h"
#include "cli/command_line.h"
#include "design/isa/image_results.h"
#include "episode/episode_judge.h"
#include "judge/cat/cat_judge.h"
#include "judge/violation.h"

#include <stdlib.h>
#include <string.h>

/* What is printed of each trace. */
static const char *const formats[] = {"verdicts", "text", NULL};

#define CHECK_OPTIONS(X)                                                                           \
    X(MODEL, "model", "NAME", "tso", "%s; or a file in cat, NAME.cat", col_models,                 \
      CLI_WORD(job, settings.model), .is_file = epi_model_is_file, .file = offsetof(job, cat),     \
      .input = BASE_INPUT_OR_NAME)                                                                 \
    X(INCLUDE, "include", "FOLDERS", NULL,                                                         \
      "where a cat model's includes are: folders separated by colons; then COLLIDER_CATPATH",      \
      .input = BASE_INPUT)                                                                         \
    X(FORMAT, "format", "NAME", "verdicts", "%s; text writes the traces as text, unjudged",        \
      formats, CLI_WORD(job, writes))                                                              \
    X(PROGRAM, "program", "TEST", NULL, "judge the rounds of an image of this program",            \
      .input = BASE_INPUT)                                                                         \
    X(LOG, "log", "RESULTS", NULL, "what the image left in memory; see collider image --help",     \
      .input = BASE_INPUT)                                                                         \
    X(MAP, "map", "MAP", NULL, "the image's map.json", .input = BASE_INPUT)                        \
    X(COMMIT_LOG, "commit-log", "LOG", NULL,                                                       \
      "in the place of --log: a simulator's commit log; - is standard input", .input = BASE_INPUT) \
    X(EXPLAIN, "explain", NULL, NULL, "print what is wrong after each NO")                         \
    X(DOT, "dot", "FILE", NULL, "write the cycle of the first NO for Graphviz")                    \
    X(SVG, "svg", "FILE", NULL, "draw the cycle of the first NO")                                  \
    X(BUDGET, "budget", "T", NULL, "give up on a trace after T, such as 10s: UNDECIDED",           \
      CLI_TIME(BASE_SECONDS, job, settings.budget, 1e9))                                           \
    X(IGNORE_TIMES, "ignore-times", NULL, NULL, "judge as if no operation had a time",             \
      CLI_FLAG(job, settings.ignore_times))                                                        \
    CLI_COMMON_OPTIONS(X)

enum { FOUND_WRONG = 1, FOUND_UNDECIDED = 3 };

/* What an image left in memory, or a commit log: each round is a trace of what its reads returned.
 */
typedef struct image_log {
    col_program program;
    isa_map map;
    isa_commits *commits;
    base_text text; /* the results */
    isa_results results;
    isa_ending ending; /* how the run ended; a sentence says why too early */
    isa_reads reads;
    chk_returned returned;
} image_log;

typedef struct job {
    const cli_arguments *arguments;
    col_trace_settings settings;
    bool prints;          /* standard output is for verdicts */
    bool writes;          /* traces are written as text, and not judged */
    json_t *results;      /* for --json */
    const char *model;    /* as it was typed */
    const char *cat;      /* the same of a file in cat; else NULL */
    cat_judge *judge;     /* for a cat model that is not built in, or NULL */
    col_checker *checker; /* for recordings; NULL until there is one */
    col_trace trace;
    image_log log;           /* if rounds of an image are judged */
    col_violation violation; /* of the trace in text, or of the round */

    uint64_t counts[COL_UNDECIDED + 1]; /* traces, by verdict */
    const char *first_file;             /* of the first one with a verdict that is not OK */
    uint32_t first_number;
    col_verdict first_verdict;
} job;

CLI_TABLE(CHECK_OPTIONS);

typedef struct check_result {
    const char *file;
    uint32_t number; /* of the trace in its file, from 1 */
    const col_trace *trace;
    col_verdict verdict;
    const col_violation *violation; /* of what is forbidden */
    double seconds;
} check_result;

/* ---- What was found, as JSON. */

static const char *const verdicts[COL_UNDECIDED + 1] = {
    [COL_ALLOWED] = "OK", [COL_FORBIDDEN] = "NO", [COL_UNDECIDED] = "UNDECIDED"};

static json_t *make_mention(const col_mention *m) {
    json_t *result =
        json_pack("{s:I, s:I, s:I, s:s}", "operation", (json_int_t)m->operation, "thread",
                  (json_int_t)m->thread, "place", (json_int_t)m->place, "text", m->text);
    if (m->line > 0) {
        char name[24]; /* as text: a number of 64 bits is more than many readers of JSON take */
        (void)snprintf(name, sizeof name, "%llu", (unsigned long long)m->thread_name);
        base_json_set(&result, "line", json_integer(m->line));
        base_json_set(&result, "thread_name", json_string(name));
    }
    return result;
}

/* Each operation with the relation that leads to the next one; without a cycle, the operations. */
static json_t *make_cycle(const col_violation *violation) {
    json_t *cycle = json_array();
    for (uint32_t s = 0; s < violation->step_count; s++) {
        const col_step *step = &violation->steps[s];
        json_t *entry = make_mention(&violation->mentions[step->from]);
        base_json_set(&entry, "relation", json_string(col_relations[step->relation]));
        if (step->note != COL_NO_MENTION)
            base_json_set(&entry, "because", make_mention(&violation->mentions[step->note]));
        base_json_append(&cycle, entry);
    }
    for (uint32_t m = 0; violation->step_count == 0 && m < violation->mention_count; m++)
        base_json_append(&cycle, make_mention(&violation->mentions[m]));
    return cycle;
}

static json_t *make_result(const check_result *r) {
    const col_program *program = &r->trace->program;
    const col_violation *violation = r->violation;
    return json_pack(
        "{s:o, s:I, s:s, s:I, s:I, s:I, s:f, s:s?, s:o}", "file", base_json_text(r->file), "trace",
        (json_int_t)r->number, "verdict", verdicts[r->verdict], "operations",
        (json_int_t)col_program_operations(program), "threads", (json_int_t)program->thread_count,
        "locations", (json_int_t)program->location_count, "seconds", r->seconds, "reason",
        violation != NULL ? violation->reason : NULL, "cycle",
        violation != NULL ? make_cycle(violation) : json_null());
}

static json_t *make_problem(const col_problem *p) {
    if (p == NULL)
        return json_null();
    return json_pack("{s:o, s:I, s:I, s:o}", "file",
                     p->file[0] != '\0' ? base_json_text(p->file) : json_null(), "line",
                     (json_int_t)p->line, "column", (json_int_t)p->column, "message",
                     base_json_text(p->message));
}

/* ---- What was asked for. */

/* At most one kind of output goes to standard output. */
static col_status check_outputs(job *j, col_problem *problem) {
    static const uint32_t files[] = {OPTION_JSON, OPTION_DOT, OPTION_SVG};
    const cli_arguments *a = j->arguments;
    const char *taken = a->values[OPTION_EXPLAIN] != NULL ? "explain" : NULL;
    j->prints = true;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *file = a->values[files[i]], *name = options[files[i]]->name;
        if (file == NULL || strcmp(file, "-") != 0)
            continue;
        if (taken != NULL)
            return base_refuse(problem,
                               "--%s - has standard output for itself: give it a file, or leave "
                               "out --%s",
                               name, taken);
        taken = name;
        j->prints = false;
    }
    return COL_OK;
}

/* What the checkers have, too, is left to them: they are quicker. */
static col_status open_cat(job *j, col_problem *problem) {
    const cat_sources sources = {.path = j->arguments->values[OPTION_INCLUDE]};
    const col_status status = cat_judge_new(&j->judge, NULL, j->cat, &sources, problem);
    if (status == COL_OK && cat_judge_is_built_in(j->judge, &j->settings.model)) {
        cat_judge_free(j->judge);
        j->judge = NULL;
    }
    return status;
}

/* Files of traces, or what an image left. */
static col_status check_inputs(const cli_arguments *a, col_problem *problem) {
    const char *of_image = CLI_FIRST_TYPED(a, OPTION_LOG, OPTION_COMMIT_LOG, OPTION_MAP);
    if (a->values[OPTION_PROGRAM] == NULL) {
        if (of_image != NULL)
            return base_refuse(problem, "--%s needs --program: the test that the image runs",
                               of_image);
        return a->operand_count > 0
                   ? COL_OK
                   : base_refuse(problem,
                                 "check is followed by files of traces, or - for standard input; "
                                 "see collider check --help");
    }
    if (a->operand_count > 0)
        return base_refuse(problem, "--program judges the rounds of an image: leave out the "
                                    "files of traces");
    if (a->values[OPTION_MAP] == NULL)
        return base_refuse(problem, "--program needs --map: the map.json of the image");
    if ((a->values[OPTION_LOG] == NULL) == (a->values[OPTION_COMMIT_LOG] == NULL))
        return base_refuse(problem, "--program needs --log or --commit-log%s",
                           a->values[OPTION_LOG] == NULL ? "" : ", not both");
    return COL_OK;
}

static col_status parse(job *j, col_problem *problem) {
    const cli_arguments *a = j->arguments;
    const char *judged =
        CLI_FIRST_TYPED(a, OPTION_EXPLAIN, OPTION_DOT, OPTION_SVG, OPTION_BUDGET,
                        OPTION_IGNORE_TIMES, OPTION_JSON, OPTION_MODEL, OPTION_INCLUDE);
    col_status status = check_inputs(a, problem);
    j->model = a->values[OPTION_MODEL];
    BASE_THEN(status, cli_arguments_read(a, j, problem));
    if (status == COL_OK && j->cat == NULL && a->typed[OPTION_INCLUDE])
        status = base_refuse(problem, "--include goes with a model in cat: --model NAME.cat");
    if (status == COL_OK && j->cat != NULL)
        status = open_cat(j, problem);
    if (status == COL_OK && j->writes && judged != NULL)
        status = base_refuse(problem, "--format text does not judge: leave out --%s", judged);
    return status == COL_OK ? check_outputs(j, problem) : status;
}

/* ---- Judging. */

/* A recording tells more than a trace in text: it has the order of writes. */
static col_status judge_recorded(job *j, check_result *result, col_problem *problem) {
    const col_trace *trace = result->trace;
    col_status status = COL_OK;
    if (j->checker == NULL)
        status = col_checker_new(&j->checker, j->settings.model, problem);
    BASE_THEN(status, col_checker_load(j->checker, &trace->program, problem));
    if (status != COL_OK)
        return status;
    bool good = true;
    for (size_t i = 0; good && i < trace->event_count; i++)
        good = col_checker_notice(j->checker, &trace->events[i]);
    good = good && col_checker_finish(j->checker, trace->complete);
    result->verdict = good ? COL_ALLOWED : COL_FORBIDDEN;
    result->violation = good ? NULL : col_checker_violation(j->checker);
    return good || !result->violation->is_cut ? COL_OK : base_out_of_memory(problem);
}

static col_status judge_by_cat(job *j, check_result *result, col_problem *problem) {
    const col_trace *trace = result->trace;
    bool good = true;
    if (trace->events == NULL) {
        const col_status status =
            cat_judge_trace(j->judge, trace, &j->settings, &result->verdict, problem);
        if (status != COL_OK || result->verdict != COL_FORBIDDEN)
            return status;
    } else {
        col_status status = cat_judge_load(j->judge, &trace->program, problem);
        for (size_t i = 0; status == COL_OK && i < trace->event_count; i++)
            cat_judge_notice(j->judge, &trace->events[i]);
        BASE_THEN(status, cat_judge_finish(j->judge, trace->complete, &good, problem));
        result->verdict = good ? COL_ALLOWED : COL_FORBIDDEN;
        if (status != COL_OK || good)
            return status;
    }
    result->violation = &j->judge->violation;
    return COL_OK;
}

static col_status judge_text(job *j, check_result *result, col_problem *problem) {
    /* An explanation may take longer than the verdict: only if somebody wants it. */
    const char *const *values = j->arguments->values;
    const bool explains = values[OPTION_EXPLAIN] != NULL || values[OPTION_JSON] != NULL ||
                          values[OPTION_DOT] != NULL || values[OPTION_SVG] != NULL;
    const col_status status = col_trace_check(result->trace, &j->settings, &result->verdict,
                                              explains ? &j->violation : NULL, problem);
    if (status == COL_OK && explains && result->verdict == COL_FORBIDDEN) {
        if (result->trace == &j->trace)
            col_trace_name(&j->trace, &j->violation);
        result->violation = &j->violation;
    }
    return status;
}

static col_status judge(job *j, check_result *result, col_problem *problem) {
    const double start = base_seconds();
    const col_status status = j->judge != NULL                ? judge_by_cat(j, result, problem)
                              : result->trace->events != NULL ? judge_recorded(j, result, problem)
                                                              : judge_text(j, result, problem);
    result->seconds = base_seconds() - start;
    return status;
}

/* ---- Telling. */

static col_status print_verdict(const job *j, const check_result *result, col_problem *problem) {
    if (!j->prints)
        return COL_OK;
    base_print(stdout, "%s\n", verdicts[result->verdict]);
    if (result->violation != NULL && j->arguments->values[OPTION_EXPLAIN] != NULL)
        return col_violation_write_file(result->violation, COL_WORDS, "-", problem);
    return fflush(stdout) == 0 ? COL_OK : base_fail(problem, "cannot write to standard output");
}

static col_status draw(const job *j, const col_violation *violation, col_problem *problem) {
    const char *dot = j->arguments->values[OPTION_DOT], *svg = j->arguments->values[OPTION_SVG];
    col_status status = COL_OK;
    if (dot != NULL)
        status = col_violation_write_file(violation, COL_DOT, dot, problem);
    if (status == COL_OK && svg != NULL)
        status = col_violation_write_file(violation, COL_SVG, svg, problem);
    return status;
}

/* Remembers the first trace that is not OK; a NO comes before all that is undecided. */
static void count_verdict(job *j, const check_result *result) {
    j->counts[result->verdict]++;
    if (result->verdict == COL_ALLOWED || j->first_verdict == COL_FORBIDDEN ||
        (j->first_verdict == COL_UNDECIDED && result->verdict == COL_UNDECIDED))
        return;
    j->first_verdict = result->verdict;
    j->first_file = strcmp(result->file, "-") == 0 ? "standard input" : result->file;
    j->first_number = result->number;
}

static col_status tell(job *j, const check_result *result, col_problem *problem) {
    col_status status = print_verdict(j, result, problem);
    if (status == COL_OK && result->violation != NULL && j->counts[COL_FORBIDDEN] == 0)
        status = draw(j, result->violation, problem);
    if (j->arguments->json != NULL)
        base_json_append(&j->results, make_result(result));
    count_verdict(j, result);
    return status;
}

static col_status take_trace(job *j, const char *path, uint32_t number, col_problem *problem) {
    check_result result = {.file = path, .number = number, .trace = &j->trace};
    if (j->writes)
        return col_trace_write_file(&j->trace, "-", problem);
    const col_status status = judge(j, &result, problem);
    return status == COL_OK ? tell(j, &result, problem) : status;
}

/* A failure folder stands for the recording in it. */
static col_status find_traces(const char *operand, char path[PATH_MAX], col_problem *problem) {
    static const char recording[] = "events.trace";
    if (strcmp(operand, "-") != 0 && base_folder_has(operand, recording))
        return base_path_in(path, operand, recording, problem);
    const int length = snprintf(path, PATH_MAX, "%s", operand);
    return length < PATH_MAX ? COL_OK : base_refuse(problem, "the name of a file is too long");
}

static col_status check_file(job *j, const char *operand, col_problem *problem) {
    col_trace_file *file = NULL;
    char path[PATH_MAX];
    bool found = true;
    col_status status = find_traces(operand, path, problem);
    BASE_THEN(status, col_trace_open(&file, path, problem));
    for (uint32_t number = 1; status == COL_OK && found; number++) {
        status = col_trace_next(file, &j->trace, &found, problem);
        if (status == COL_OK && found)
            status = take_trace(j, operand, number, problem);
    }
    col_trace_close(file);
    return status;
}

/* ---- Rounds of images. */

static col_status read_commits(image_log *log, const char *path, const isa_map **map,
                               const uint8_t **bytes, col_problem *problem) {
    col_status status = isa_commits_new(&log->commits, &log->map, &log->program, path, problem);
    BASE_THEN(status, isa_commits_read(log->commits, path, problem));
    BASE_THEN(status, isa_commits_end(log->commits, map, bytes, problem));
    if (status == COL_OK) /* what came of the harness is not in it */
        log->ending = (isa_ending){.state = ISA_STATE_DONE, .rounds = (*map)->rounds};
    return status;
}

static col_status open_log(image_log *log, const char *const *values, col_problem *problem) {
    const char *commit_log = values[OPTION_COMMIT_LOG];
    const isa_map *used = &log->map;
    const uint8_t *bytes = NULL;
    col_status status = col_program_read_file(&log->program, values[OPTION_PROGRAM], problem);
    BASE_THEN(status, isa_map_read(&log->map, values[OPTION_MAP], &log->program, problem));
    if (status == COL_OK && commit_log != NULL)
        status = read_commits(log, commit_log, &used, &bytes, problem);
    else if (status == COL_OK && log->map.log == ISA_LOG_TAP)
        status = base_refuse(problem, "this image does not log: give --commit-log, or make it with "
                                      "--log registers or --log store");
    else if (status == COL_OK)
        status = isa_results_read(&log->map, values[OPTION_LOG], &log->text, problem);
    if (status == COL_OK && commit_log == NULL)
        bytes = (const uint8_t *)log->text.data + isa_map_part(&log->map);
    BASE_THEN(status, isa_results_open(&log->results, used, &log->program, bytes, problem));
    if (status == COL_OK && commit_log == NULL)
        status = isa_results_ending(&log->results, &log->ending, problem);
    return status == COL_OK ? chk_returned_load(&log->returned, &log->program, problem) : status;
}

static void notice(void *context, const col_event *event) {
    chk_returned_notice(context, event);
}

/* Makes log->returned the trace of a round. Refuses one of which a value is missing. A round that
 * shows by itself that it is wrong has a sentence; else that is empty. */
static col_status load_round(image_log *log, uint64_t round, char *sentence, size_t size,
                             col_problem *problem) {
    const col_observer observer = {.context = &log->returned, .notice = notice};
    const col_status status = isa_results_round(&log->results, round, &log->reads, problem);
    sentence[0] = '\0';
    if (status != COL_OK)
        return status;
    if (log->reads.lost_count + log->reads.old_count > 0)
        (void)isa_reads_explain(&log->results, &log->reads, sentence, size);
    if (log->reads.lost_count > 0 && log->reads.old_count == 0)
        return base_refuse(problem, "%s", sentence);
    chk_returned_restart(&log->returned);
    isa_reads_tell(&log->reads, &log->program, &observer);
    chk_returned_finish(&log->returned, true);
    return COL_OK;
}

/* What no memory model has to say something about. */
static void find_strange(job *j, const char *sentence, check_result *result) {
    if (sentence[0] == '\0' && j->log.returned.what == NULL)
        return;
    if (j->log.returned.what != NULL)
        chk_returned_explain(&j->log.returned, &j->violation);
    else
        chk_violation_clear(&j->violation);
    if (sentence[0] != '\0')
        (void)snprintf(j->violation.reason, sizeof j->violation.reason, "%s", sentence);
    result->verdict = COL_FORBIDDEN;
    result->violation = &j->violation;
}

static col_status take_round(job *j, const char *path, uint64_t round, col_problem *problem) {
    check_result result = {
        .file = path, .number = (uint32_t)(round + 1), .trace = &j->log.returned.trace};
    char sentence[320];
    base_text text = {0};
    col_status status = load_round(&j->log, round, sentence, sizeof sentence, problem);
    if (status == COL_OK && j->writes)
        status = chk_returned_print(&j->log.returned, &text, problem);
    if (status == COL_OK && j->writes)
        return cli_write(&text, problem);
    base_text_free(&text);
    if (status != COL_OK)
        return status;
    find_strange(j, sentence, &result);
    if (result.violation == NULL)
        status = judge(j, &result, problem);
    return status == COL_OK ? tell(j, &result, problem) : status;
}

/* A run that did not come to its end is judged as far as it came; then it is said why not. */
static col_status check_rounds(job *j, col_problem *problem) {
    const char *const *values = j->arguments->values;
    const char *path = values[OPTION_LOG] != NULL ? values[OPTION_LOG] : values[OPTION_COMMIT_LOG];
    col_status status = open_log(&j->log, values, problem);
    if (status == COL_OK && !j->arguments->typed[OPTION_MODEL]) {
        j->settings.model = j->log.map.model;
        j->model = col_models[j->settings.model];
    }
    for (uint64_t r = 0; status == COL_OK && r < j->log.ending.rounds; r++)
        status = take_round(j, path, r, problem);
    return status;
}

/* ---- The whole. */

static void say(const job *j, col_verdict verdict, char *sentence, size_t size) {
    const unsigned long long count = j->counts[verdict];
    const unsigned long long all =
        j->counts[COL_ALLOWED] + j->counts[COL_FORBIDDEN] + j->counts[COL_UNDECIDED];
    const char *noun = j->log.program.thread_count > 0 ? "round" : "trace";
    const char *what = verdict == COL_FORBIDDEN ? "not allowed by" : "not decided for";
    const char *hint = verdict == COL_UNDECIDED ? "; a larger --budget may help"
                       : j->arguments->values[OPTION_EXPLAIN] == NULL ? "; --explain says why"
                                                                      : "";
    if (all == 1)
        (void)snprintf(sentence, size, "the %s of %.200s is %s %.120s%s", noun, j->first_file, what,
                       j->model, hint);
    else
        (void)snprintf(sentence, size, "%llu of %llu %s%s %s %s %.120s: %s%s %u of %.200s%s", count,
                       all, noun, base_plural(all), count == 1 ? "is" : "are", what, j->model,
                       count == 1 ? "" : "the first is ", noun, j->first_number, j->first_file,
                       hint);
}

static int conclude(const job *j, col_problem *problem) {
    const char *early = j->log.ending.sentence;
    char sentence[480];
    if (j->counts[COL_FORBIDDEN] > 0) {
        say(j, COL_FORBIDDEN, sentence, sizeof sentence);
        if (!j->arguments->quiet && fflush(stdout) == 0) {
            base_print(stderr, "collider: %s\n", sentence);
            if (early[0] != '\0')
                base_print(stderr, "collider: %s\n", early);
        }
        return FOUND_WRONG;
    }
    if (early[0] == '\0' && j->counts[COL_UNDECIDED] == 0)
        return COL_OK;
    if (early[0] == '\0')
        say(j, COL_UNDECIDED, sentence, sizeof sentence);
    (void)base_fail(problem, "%s", early[0] != '\0' ? early : sentence);
    return FOUND_UNDECIDED;
}

/* What was judged before a malformed trace is written with the problem, which is what counts. */
static col_status write_json(job *j, col_status status, col_problem *problem) {
    col_problem other;
    const bool is_early = j->log.ending.sentence[0] != '\0';
    const bool is_cut = status != COL_OK || is_early;
    if (status == COL_OK && is_early)
        (void)base_fail(problem, "%s", j->log.ending.sentence);
    json_t *root = json_pack("{s:o, s:s, s:o, s:o}", "model", base_json_text(j->model), "version",
                             col_version(), "traces", j->results, "problem",
                             make_problem(is_cut ? problem : NULL));
    j->results = NULL;
    const col_status written = base_json_write(j->arguments->json, root, is_cut ? &other : problem);
    return status != COL_OK ? status : written;
}

static col_status check_all(job *j, col_problem *problem) {
    j->results = json_array();
    col_status status =
        j->arguments->values[OPTION_PROGRAM] != NULL ? check_rounds(j, problem) : COL_OK;
    for (uint32_t i = 0; status == COL_OK && i < j->arguments->operand_count; i++)
        status = check_file(j, j->arguments->operands[i], problem);
    return j->arguments->json == NULL || status == COL_FAILURE ? status
                                                               : write_json(j, status, problem);
}

static int run_check(const cli_arguments *arguments, col_problem *problem) {
    job j = {.arguments = arguments,
             .trace = COL_TRACE_EMPTY,
             .log = {.program = COL_PROGRAM_EMPTY, .map = ISA_MAP_EMPTY}};
    col_status status = parse(&j, problem);
    BASE_THEN(status, check_all(&j, problem));
    const int result = status == COL_OK ? conclude(&j, problem) : (int)status;
    json_decref(j.results);
    col_violation_free(&j.violation);
    col_checker_free(j.checker);
    cat_judge_free(j.judge);
    col_trace_free(&j.trace);
    chk_returned_free(&j.log.returned);
    isa_reads_free(&j.log.reads);
    isa_results_close(&j.log.results);
    isa_commits_free(j.log.commits);
    base_text_free(&j.log.text);
    isa_map_free(&j.log.map);
    col_program_free(&j.log.program);
    return result;
}

static void add_models(base_text *text) {
#define NOTE(name, word, summary) base_text_print(text, "  %-6s %s\n", #word, summary);
    COL_MODELS(NOTE)
#undef NOTE
}

const cli_command cli_check_command = {
    .name = "check",
    .summary = "judge memory traces by a memory model",
    .example = "collider check --model tso --explain traces.axe",
    .notes = "FILE is a text such as\n"
             "  0: M[1] := 1\n"
             "  1: M[1] == 1\n"
             "with a line 'check' after each trace, a recording, or a failure folder; - is "
             "standard input.\nPrints OK, NO or UNDECIDED for each trace.\n"
             "With --program, traces are the rounds of an image (collider image), judged "
             "by its platform's model\nunless --model is given.\n"
             "A model in cat is written as for herd7; sc.cat, ..., rvwmo.cat and power.cat "
             "are our own.\nModels:\n",
    .add_notes = add_models,
    .usage = "  collider check FILE...\n"
             "  collider check --program TEST --map MAP --log RESULTS\n",
    .most_operands = CLI_MOST_OPERANDS,
    .first = BASE_INPUT,
    .options = options,
    .done = "all traces are OK",
    .found = "some traces are NO",
    .incomplete = "no trace is NO, but some are UNDECIDED, or an image did not come to its end",
    .run = run_check,
};
