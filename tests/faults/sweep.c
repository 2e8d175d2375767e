/* SPDX-License-Identifier: MIT */
/*
 * The sweep: runs a job undisturbed, counts what it asks of the machine, then runs it again with
 * the n-th request failing, for every n or for a sample, and judges each run. See docs/faults.md.
 *     faults COLLIDER [--job NAME] [--kind KIND] [--at N] [--forever] [--sample K] [--seed S]
 */
#include "base/file.h"
#include "base/rng.h"
#include "faults/jobs.h"
#include "faults/process.h"
#include "faults/tree.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 48, PROBLEM_SIZE = 480, MOST_JOBS = 64, TIME_LIMIT = 20 };

typedef struct sweep_options {
    const char *command;
    const char *job;
    fault_kind kind; /* FAULT_NONE: all */
    uint64_t at;     /* 0: all */
    uint64_t sample; /* runs of each job and kind; 0: all */
    uint64_t seed;
    long slices;
    bool forever, once; /* without either, both */
    bool keep, list, allocations;
} sweep_options;

/* What one slice of the sweep works with. */
typedef struct workplace {
    const sweep_options *options;
    char folder[64]; /* holds the next two */
    char start[96];  /* what the job begins with */
    char run[96];    /* where it runs */
    char page_path[96];
    fault_page *page;
} workplace;

typedef struct job_state {
    const fault_job *job;
    char text[1024];
    const char *words[MOST_WORDS];
    fault_tree before, after;
    fault_outcome undisturbed;
} job_state;

typedef struct judgement {
    bool is_judged;
    char problem[PROBLEM_SIZE]; /* empty: none */
} judgement;

static void die(const char *what) {
    (void)fprintf(stderr, "faults: %s\n", what);
    exit(2);
}

static void map_page(workplace *w) {
    const int file = open(w->page_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof *w->page) != 0)
        die("cannot make the page of counters");
    w->page = mmap(NULL, sizeof *w->page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    if (w->page == MAP_FAILED)
        die("cannot map the page of counters");
}

/* Slices share what a job begins with, and run each in a folder of its own. */
static void open_slice(workplace *w, long slice) {
    (void)snprintf(w->run, sizeof w->run, "%s/run-%ld", w->folder, slice);
    (void)snprintf(w->page_path, sizeof w->page_path, "%s/page-%ld", w->folder, slice);
    map_page(w);
}

static void open_workplace(workplace *w, const sweep_options *options) {
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    w->options = options;
    (void)snprintf(w->folder, sizeof w->folder, "%s/collider-faults-XXXXXX", place);
    if (mkdtemp(w->folder) == NULL)
        die("cannot make a folder for the runs");
    (void)snprintf(w->start, sizeof w->start, "%s/start", w->folder);
    open_slice(w, 0);
}

static void close_workplace(workplace *w) {
    (void)munmap(w->page, sizeof *w->page);
    if (!w->options->keep)
        fault_folder_remove(w->folder);
}

/* `start` as the job wants it. */
static void prepare(workplace *w, const fault_job *job) {
    char shell[4096];
    fault_folder_remove(w->start);
    (void)snprintf(shell, sizeof shell,
                   "mkdir -p %s/tmp && cd %s && export COLLIDER=%s SOURCE=%s HOME=%s "
                   "XDG_CACHE_HOME=%s/cache && %s",
                   w->start, w->start, w->options->command, FAULTS_SOURCE, w->start, w->start,
                   job->prepare == NULL ? ":" : job->prepare);
    if (system(shell) != 0) { /* NOLINT: the commands are the project's own */
        (void)fprintf(stderr, "faults: %s: cannot prepare: %s\n", job->name, shell);
        exit(2);
    }
}

static void split_words(job_state *state, const char *command) {
    int count = 0;
    char *rest = NULL;
    state->words[count++] = command;
    (void)snprintf(state->text, sizeof state->text, "%s", state->job->words);
    for (char *word = strtok_r(state->text, " ", &rest); word != NULL && count < MOST_WORDS - 1;
         word = strtok_r(NULL, " ", &rest))
        state->words[count++] = word;
    state->words[count] = NULL;
}

static void run_once(workplace *w, job_state *state, const fault_request *fault,
                     fault_outcome *outcome, fault_tree *tree) {
    fault_folder_remove(w->run);
    fault_folder_copy(w->start, w->run);
    fault_run(state->words, w->run, fault, w->page, w->page_path, TIME_LIMIT, outcome);
    outcome->output.length = fault_canonical(outcome->output.data, outcome->output.length);
    outcome->output.data[outcome->output.length] = '\0';
    fault_tree_read(tree, w->run);
}

static void problem(judgement *verdict, const char *format, ...) COL_PRINTF(2, 3);
static void problem(judgement *verdict, const char *format, ...) {
    const size_t used = strlen(verdict->problem);
    va_list arguments;
    if (used > 0)
        return; /* the first is enough */
    va_start(arguments, format);
    (void)vsnprintf(verdict->problem, sizeof verdict->problem, format, arguments);
    va_end(arguments);
}

static bool is_part_of_cache(const char *path) {
    return strncmp(path, "cache/", 6) == 0;
}

/* SQLite may need these to recover; the store was opened since, and found sound. */
static bool is_journal(const char *path) {
    static const char *const endings[] = {".db-journal", ".db-wal", ".db-shm"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; i < 3; i++)
        if (dot != NULL && strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

/* What was covered until the machine ended the episode: whole, beside a record that says so. */
static bool is_coverage_so_far(const fault_tree *tree, const fault_file *file) {
    char record[1024];
    const char *slash = strrchr(file->path, '/');
    if (slash == NULL || strcmp(slash, "/coverage.txt") != 0 || !file->is_ended)
        return false;
    (void)snprintf(record, sizeof record, "%.*s/episode.json", (int)(slash - file->path),
                   file->path);
    const fault_file *episode = fault_tree_find(tree, record);
    return episode != NULL && episode->tells_of_failure;
}

/* Every file is absent, old, or complete. */
static void judge_file(const job_state *state, const fault_tree *tree, const fault_file *file,
                       bool is_done, judgement *verdict) {
    const fault_file *old = fault_tree_find(&state->before, file->path);
    const fault_file *new = fault_tree_find(&state->after, file->path);
    if (file->is_broken)
        problem(verdict, "%s is a damaged database", file->path);
    else if (new != NULL && fault_file_equal(file, new))
        return;
    else if (!is_done && old != NULL && fault_file_equal(file, old))
        return;
    else if (!is_done && file->is_store && new != NULL &&fault_file_within(file, new))
        return;
    else if (is_journal(file->path) || (!is_done && file->tells_of_failure) ||
             (!is_done && is_coverage_so_far(tree, file)))
        return;
    else if (is_done && new != NULL)
        problem(verdict, "as if done, but %s differs", file->path);
    else
        problem(verdict, "left behind: %s, %zu bytes%s", file->path, file->size,
                new == NULL ? "" : ", half-written");
}

static void judge_tree(const job_state *state, const fault_tree *tree, bool is_done,
                       judgement *verdict) {
    for (size_t i = 0; i < tree->count; i++)
        judge_file(state, tree, &tree->files[i], is_done, verdict);
    for (size_t i = 0; i < state->after.count; i++) {
        const char *path = state->after.files[i].path;
        const bool was_there = fault_tree_find(&state->before, path) != NULL;
        if (fault_tree_find(tree, path) == NULL && !is_part_of_cache(path) &&
            (is_done || was_there))
            problem(verdict, "%s: %s is missing", is_done ? "as if done" : "lost", path);
    }
}

static uint32_t count_lines(const char *text) {
    uint32_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void judge_sentence(const fault_outcome *outcome, judgement *verdict) {
    const char *text = outcome->errors.data;
    if (count_lines(text) != 1 || strncmp(text, "collider: ", 10) != 0 || strlen(text) < 16)
        problem(verdict, "exit 3, but standard error is not one sentence: %.300s",
                text[0] == '\0' ? "(empty)" : text);
}

static void judge(const job_state *state, const fault_outcome *outcome, const fault_tree *tree,
                  judgement *verdict) {
    const fault_outcome *right = &state->undisturbed;
    const bool is_done = outcome->status == right->status;
    if (outcome->is_timed_out)
        problem(verdict, "hangs");
    else if (outcome->signal != 0)
        problem(verdict, "killed by signal %d: %.300s", outcome->signal, outcome->errors.data);
    else if (!is_done && outcome->status != COL_FAILURE)
        problem(verdict, "exit %d: %.300s", outcome->status, outcome->errors.data);
    else if (is_done && strcmp(outcome->output.data, right->output.data) != 0)
        problem(verdict, "exit %d with other output", outcome->status);
    else if (is_done && strcmp(outcome->errors.data, right->errors.data) != 0)
        problem(verdict, "exit %d with other words on standard error: %.300s", outcome->status,
                outcome->errors.data);
    else if (outcome->left_process)
        problem(verdict, "left a process running");
    else if (!is_done)
        judge_sentence(outcome, verdict);
    judge_tree(state, tree, is_done, verdict);
}

/* What the job does undisturbed. */
static void measure(workplace *w, job_state *state, const fault_request *fault) {
    split_words(state, w->options->command);
    fault_tree_read(&state->before, w->start);
    run_once(w, state, fault, &state->undisturbed, &state->after);
}

static void run_fault(workplace *w, job_state *state, const fault_request *fault,
                      judgement *verdict) {
    fault_outcome outcome;
    fault_tree tree;
    run_once(w, state, fault, &outcome, &tree);
    judge(state, &outcome, &tree, verdict);
    verdict->is_judged = true;
    fault_outcome_free(&outcome);
    fault_tree_free(&tree);
}

/* Once more, for people: what the command said, and where the allocation failed. */
static void show_fault(workplace *w, job_state *state, const fault_request *fault) {
    fault_request request = *fault;
    fault_outcome outcome;
    fault_tree tree;
    request.show = true;
    run_once(w, state, &request, &outcome, &tree);
    (void)printf("exit %d, signal %d\n--- standard output\n%s--- standard error\n%s---\n",
                 outcome.status, outcome.signal, outcome.output.data, outcome.errors.data);
    fault_outcome_free(&outcome);
    fault_tree_free(&tree);
}

/* Two undisturbed runs must agree, or nothing can be judged. */
static bool begin_job(workplace *w, job_state *state, const fault_job *job) {
    const fault_request none = {.kind = FAULT_NONE};
    judgement verdict = {0};
    *state = (job_state){.job = job};
    prepare(w, job);
    measure(w, state, &(fault_request){.kind = FAULT_NONE, .watch = !w->options->allocations});
    if (state->undisturbed.is_unwatched)
        problem(&verdict, "this machine does not let system calls be watched (seccomp)");
    if (state->undisturbed.status > 1 || state->undisturbed.signal != 0)
        problem(&verdict, "exit %d: %.300s", state->undisturbed.status,
                state->undisturbed.errors.data);
    run_fault(w, state, &none, &verdict);
    if (verdict.problem[0] != '\0')
        (void)printf("%s, undisturbed: %s\n", job->name, verdict.problem);
    return verdict.problem[0] == '\0';
}

static void end_job(job_state *state) {
    fault_tree_free(&state->before);
    fault_tree_free(&state->after);
    fault_outcome_free(&state->undisturbed);
}

/* One process's share of the faults. What is right is measured again: names of folders may be in
 * it. */
static void run_slice(workplace *w, const job_state *shared, const fault_request *pattern,
                      const uint64_t *numbers, uint64_t count, long slice, judgement *verdicts) {
    job_state state = {.job = shared->job};
    open_slice(w, slice);
    measure(w, &state, &(fault_request){.kind = FAULT_NONE});
    for (uint64_t i = (uint64_t)slice; i < count; i += (uint64_t)w->options->slices) {
        fault_request fault = *pattern;
        fault.at = numbers[i];
        run_fault(w, &state, &fault, &verdicts[i]);
        if (w->options->at > 0)
            show_fault(w, &state, &fault);
    }
    end_job(&state);
}

static void run_slices(workplace *w, const job_state *state, const fault_request *pattern,
                       const uint64_t *numbers, uint64_t count, judgement *verdicts) {
    (void)fflush(stdout);
    for (long slice = 0; slice < w->options->slices; slice++) {
        const pid_t process = fork();
        if (process < 0)
            die("cannot start a process");
        if (process == 0) {
            run_slice(w, state, pattern, numbers, count, slice, verdicts);
            (void)fflush(stdout);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        continue;
}

/* Problems that are told in the same words, apart from numbers, are one. */
static bool is_same_problem(const char *one, const char *other) {
    while (*one != '\0' && *other != '\0') {
        while (*one >= '0' && *one <= '9')
            one++;
        while (*other >= '0' && *other <= '9')
            other++;
        if (*one != *other)
            return false;
        one += *one != '\0';
        other += *other != '\0';
    }
    return *one == *other;
}

static uint64_t report(const workplace *w, const job_state *state, const fault_request *fault,
                       const uint64_t *numbers, uint64_t count, judgement *verdicts) {
    uint64_t problems = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!verdicts[i].is_judged)
            problem(&verdicts[i], "the sweep itself failed");
        if (verdicts[i].problem[0] == '\0')
            continue;
        uint64_t alike = 0;
        for (uint64_t j = i + 1; j < count; j++)
            if (verdicts[j].is_judged && verdicts[j].problem[0] != '\0' &&
                is_same_problem(verdicts[i].problem, verdicts[j].problem)) {
                verdicts[j].problem[0] = '\0';
                alike++;
            }
        problems += 1 + alike;
        const size_t length = strlen(verdicts[i].problem);
        (void)printf("%s%s--job %s --kind %s --at %llu%s", verdicts[i].problem,
                     verdicts[i].problem[length - 1] == '\n' ? "    " : "\n    ", state->job->name,
                     fault_kind_names[fault->kind], (unsigned long long)numbers[i],
                     fault->forever ? " --forever" : " --once");
        if (alike > 0)
            (void)printf("   (and %llu alike)", (unsigned long long)alike);
        (void)printf("\n");
    }
    (void)w;
    (void)fflush(stdout);
    return problems;
}

/* All of 1 to `total`, the one that was asked for, or a sample of them, by the seed. */
static uint64_t choose(const sweep_options *options, uint64_t total, uint64_t *numbers) {
    if (options->at > 0) {
        numbers[0] = options->at;
        return 1;
    }
    const bool all = options->sample == 0 || options->sample >= total;
    const uint64_t count = all ? total : options->sample;
    for (uint64_t i = 0; i < count; i++) /* one from each part of the run */
        numbers[i] = 1 + i;
    col_rng rng;
    col_rng_seed(&rng, options->seed, 0);
    for (uint64_t i = 0; i < count && !all; i++) {
        const uint64_t first = i * total / count, end = (i + 1) * total / count;
        numbers[i] = 1 + first + col_rng_below(&rng, end - first);
    }
    return count;
}

static uint64_t sweep_kind(workplace *w, job_state *state, fault_kind kind, bool forever,
                           uint64_t *runs) {
    const sweep_options *options = w->options;
    const uint64_t total = state->undisturbed.counts[kind];
    if (total == 0 || (options->at > total))
        return 0;
    uint64_t *numbers = calloc(total, sizeof *numbers);
    if (numbers == NULL)
        die("out of memory");
    const uint64_t count = choose(options, total, numbers);
    judgement *verdicts = mmap(NULL, count * sizeof *verdicts, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (verdicts == MAP_FAILED)
        die("out of memory");
    const fault_request pattern = {.kind = kind, .forever = forever};
    run_slices(w, state, &pattern, numbers, count, verdicts);
    const uint64_t problems = report(w, state, &pattern, numbers, count, verdicts);
    (void)munmap(verdicts, count * sizeof *verdicts);
    free(numbers);
    *runs += count;
    return problems;
}

static uint64_t sweep_job(workplace *w, const fault_job *job) {
    job_state state;
    uint64_t problems = 0, runs = 0;
    if (!begin_job(w, &state, job)) {
        end_job(&state);
        return 1;
    }
    for (fault_kind kind = 0; kind < FAULT_KINDS; kind++) {
        if (w->options->kind != FAULT_NONE && kind != w->options->kind)
            continue;
        if (!w->options->forever)
            problems += sweep_kind(w, &state, kind, false, &runs);
        if (!w->options->once)
            problems += sweep_kind(w, &state, kind, true, &runs);
    }
    (void)printf("%-16s %6llu runs, %llu problems;", job->name, (unsigned long long)runs,
                 (unsigned long long)problems);
    for (fault_kind kind = 0; kind < FAULT_KINDS; kind++)
        if (state.undisturbed.counts[kind] > 0)
            (void)printf(" %s %llu", fault_kind_names[kind],
                         (unsigned long long)state.undisturbed.counts[kind]);
    (void)printf("\n");
    (void)fflush(stdout);
    end_job(&state);
    return problems;
}

static fault_kind find_kind(const char *name) {
    for (fault_kind kind = 0; kind < FAULT_KINDS; kind++)
        if (strcmp(fault_kind_names[kind], name) == 0)
            return kind;
    die("unknown kind: allocation, write, sync, rename, open, read, close, truncate, folder, "
        "process");
    return FAULT_NONE;
}

static void parse(sweep_options *options, int count, char **words) {
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? words[i + 1] : "";
        if (strcmp(words[i], "--once") == 0)
            options->once = true;
        else if (strcmp(words[i], "--forever") == 0)
            options->forever = true;
        else if (strcmp(words[i], "--keep") == 0)
            options->keep = true;
        else if (strcmp(words[i], "--job") == 0)
            options->job = (i++, value);
        else if (strcmp(words[i], "--kind") == 0)
            options->kind = (i++, find_kind(value));
        else if (strcmp(words[i], "--at") == 0)
            options->at = (i++, strtoull(value, NULL, 10));
        else if (strcmp(words[i], "--sample") == 0)
            options->sample = (i++, strtoull(value, NULL, 10));
        else if (strcmp(words[i], "--seed") == 0)
            options->seed = (i++, strtoull(value, NULL, 10));
        else if (words[i][0] != '-' && options->command == NULL)
            options->command = words[i];
        else
            die("usage: faults COLLIDER [--job NAME] [--kind KIND] [--at N] [--once|--forever] "
                "[--sample K] [--seed S] [--keep]");
    }
    options->allocations = options->kind == FAULT_ALLOCATION;
    options->slices = options->at > 0 ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
}

int main(int count, char **words) {
    sweep_options options = {.kind = FAULT_NONE, .seed = 1};
    workplace w;
    uint64_t problems = 0;
    int jobs = 0;
    parse(&options, count, words);
    if (options.command == NULL)
        die("no command");
    open_workplace(&w, &options);
    for (int i = 0; i < fault_job_count; i++) {
        if (options.job != NULL && strcmp(options.job, fault_jobs[i].name) != 0)
            continue;
        problems += sweep_job(&w, &fault_jobs[i]);
        jobs++;
    }
    if (options.keep)
        (void)printf("%s\n", w.folder);
    close_workplace(&w);
    if (jobs == 0)
        die("there is no job of this name");
    return problems > 0;
}
