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
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 48, PROBLEM_SIZE = 480, MOST_FINDINGS = 1 << 14, TIME_LIMIT = 20 };

typedef struct sweep_options {
    const char *command;
    const char *job;
    fault_kind kind; /* FAULT_NONE: all */
    uint64_t at;     /* 0: all */
    uint64_t sample; /* runs of each job and kind; 0: all */
    uint64_t seed;
    long slices;
    bool forever, once; /* without either, both */
    bool keep;
} sweep_options;

/* What one slice of the sweep works with. */
typedef struct workplace {
    const sweep_options *options;
    char folder[64]; /* holds all that follow */
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

typedef struct sweep_finding {
    fault_request fault;
    char problem[PROBLEM_SIZE];
} sweep_finding;

/* What the slices of a job tell, in shared memory. */
typedef struct findings {
    _Atomic uint64_t runs, count;
    uint64_t counts[FAULT_KINDS];
    bool is_skipped; /* the machine lets no system calls be watched */
    sweep_finding list[MOST_FINDINGS];
} findings;

static void die(const char *what) {
    (void)fprintf(stderr, "faults: %s\n", what);
    exit(2);
}

static void open_slice(workplace *w, long slice) {
    (void)snprintf(w->start, sizeof w->start, "%s/start-%ld", w->folder, slice);
    (void)snprintf(w->run, sizeof w->run, "%s/run-%ld", w->folder, slice);
    (void)snprintf(w->page_path, sizeof w->page_path, "%s/page-%ld", w->folder, slice);
    const int file = open(w->page_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof *w->page) != 0)
        die("cannot make the page of counters");
    w->page = mmap(NULL, sizeof *w->page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    if (w->page == MAP_FAILED)
        die("cannot map the page of counters");
}

static void open_workplace(workplace *w, const sweep_options *options) {
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char memory[96];
    w->options = options;
    (void)snprintf(w->folder, sizeof w->folder, "%s/collider-faults-XXXXXX", place);
    if (mkdtemp(w->folder) == NULL)
        die("cannot make a folder for the runs");
    (void)snprintf(memory, sizeof memory, "%s/memory", w->folder); /* of the compiler */
    if (mkdir(memory, 0777) != 0 || setenv("FAULTS_MEMORY", memory, 1) != 0)
        die("cannot make a folder for the compiler");
}

/* Names of folders may be in what a job begins with: it is prepared where it will run, and kept. */
static void prepare(workplace *w, const fault_job *job) {
    char shell[4096];
    fault_folder_remove(w->start);
    fault_folder_remove(w->run);
    (void)snprintf(shell, sizeof shell, "mkdir -p %s/tmp && cd %s && %s", w->run, w->run,
                   job->prepare == NULL ? ":" : job->prepare);
    fault_environment(w->run);
    (void)setenv("COLLIDER", w->options->command, 1);
    (void)setenv("SOURCE", FAULTS_SOURCE, 1);
    if (system(shell) != 0) { /* NOLINT: the commands are the project's own */
        (void)fprintf(stderr, "faults: %s: cannot prepare: %s\n", job->name, shell);
        exit(2);
    }
    fault_folder_copy(w->run, w->start);
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

/* The first problem is enough. */
static void problem(sweep_finding *finding, const char *format, ...) COL_PRINTF(2, 3);
static void problem(sweep_finding *finding, const char *format, ...) {
    va_list arguments;
    if (finding->problem[0] != '\0')
        return;
    va_start(arguments, format);
    (void)vsnprintf(finding->problem, sizeof finding->problem, format, arguments);
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
                       bool is_done, sweep_finding *verdict) {
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
                       sweep_finding *verdict) {
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

static void judge_sentence(const fault_outcome *outcome, sweep_finding *verdict) {
    const char *text = outcome->errors.data;
    if (count_lines(text) != 1 || strncmp(text, "collider: ", 10) != 0 || strlen(text) < 16)
        problem(verdict, "exit 3, but standard error is not one sentence: %.300s",
                text[0] == '\0' ? "(empty)" : text);
}

static void judge(const job_state *state, const fault_outcome *outcome, const fault_tree *tree,
                  sweep_finding *verdict) {
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

static void run_fault(workplace *w, job_state *state, const fault_request *fault,
                      sweep_finding *verdict) {
    fault_outcome outcome;
    fault_tree tree;
    verdict->fault = *fault;
    run_once(w, state, fault, &outcome, &tree);
    judge(state, &outcome, &tree, verdict);
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

static void note(findings *all, const sweep_finding *finding) {
    const uint64_t place = atomic_fetch_add(&all->count, 1);
    if (place < MOST_FINDINGS)
        all->list[place] = *finding;
}

/* What the job does undisturbed. Two such runs must agree, or nothing can be judged. */
static bool begin_job(workplace *w, job_state *state, findings *all) {
    const fault_request none = {.kind = FAULT_NONE};
    const bool watch = w->options->kind != FAULT_ALLOCATION;
    sweep_finding first = {.fault = none};
    prepare(w, state->job);
    split_words(state, w->options->command);
    fault_tree_read(&state->before, w->start);
    run_once(w, state, &(fault_request){.kind = FAULT_NONE, .watch = watch}, &state->undisturbed,
             &state->after);
    all->is_skipped = state->undisturbed.is_unwatched;
    if (state->undisturbed.status > 1 || state->undisturbed.status < 0)
        problem(&first, "exit %d: %.300s", state->undisturbed.status,
                state->undisturbed.errors.data);
    run_fault(w, state, &none, &first);
    memcpy(all->counts, state->undisturbed.counts, sizeof all->counts);
    if (first.problem[0] != '\0')
        note(all, &first);
    return first.problem[0] == '\0';
}

static void end_job(job_state *state) {
    fault_tree_free(&state->before);
    fault_tree_free(&state->after);
    fault_outcome_free(&state->undisturbed);
}

/* How many of 1 to `total` are tried: all, the one that was asked for, or a sample. */
static uint64_t count_chosen(const sweep_options *options, uint64_t total) {
    if (options->at > 0)
        return options->at <= total;
    return options->sample == 0 || options->sample >= total ? total : options->sample;
}

/* Which is the i-th: of a sample, one from each part of the run, by the seed. */
static uint64_t choose(const sweep_options *options, uint64_t total, uint64_t count, uint64_t i) {
    if (options->at > 0)
        return options->at;
    const uint64_t first = i * total / count, end = (i + 1) * total / count;
    col_rng rng;
    col_rng_seed(&rng, options->seed, i);
    return 1 + first + col_rng_below(&rng, end - first);
}

static void sweep_kind(workplace *w, job_state *state, const fault_request *pattern, long slice,
                       findings *all) {
    const uint64_t total = state->undisturbed.counts[pattern->kind];
    const uint64_t count = count_chosen(w->options, total);
    for (uint64_t i = (uint64_t)slice; i < count; i += (uint64_t)w->options->slices) {
        sweep_finding verdict = {0};
        fault_request fault = *pattern;
        fault.at = choose(w->options, total, count, i);
        run_fault(w, state, &fault, &verdict);
        if (verdict.problem[0] != '\0')
            note(all, &verdict);
        if (w->options->at > 0)
            show_fault(w, state, &fault);
        all->runs++;
    }
}

/* One process's share of the faults of a job. */
static void sweep_slice(workplace *w, const fault_job *job, long slice, findings *all) {
    const sweep_options *options = w->options;
    job_state state = {.job = job};
    open_slice(w, slice);
    const bool is_sound = begin_job(w, &state, all);
    for (fault_kind kind = 0; is_sound && kind < FAULT_KINDS; kind++) {
        if (options->kind != FAULT_NONE && kind != options->kind)
            continue;
        if (!options->forever)
            sweep_kind(w, &state, &(fault_request){.kind = kind}, slice, all);
        if (!options->once)
            sweep_kind(w, &state, &(fault_request){.kind = kind, .forever = true}, slice, all);
    }
    end_job(&state);
}

/* Problems that are told in the same words, apart from numbers, are one. */
static bool is_same_problem(const sweep_finding *one, const sweep_finding *other) {
    const char *a = one->problem, *b = other->problem;
    if (one->fault.kind != other->fault.kind || one->fault.forever != other->fault.forever)
        return false;
    for (; *a != '\0' || *b != '\0'; a++, b++) {
        a += strspn(a, "0123456789");
        b += strspn(b, "0123456789");
        if (*a != *b)
            return false;
        if (*a == '\0')
            break;
    }
    return true;
}

static int order_findings(const void *one, const void *other) {
    const fault_request *a = &((const sweep_finding *)one)->fault,
                        *b = &((const sweep_finding *)other)->fault;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->forever != b->forever)
        return a->forever ? 1 : -1;
    return (a->at > b->at) - (a->at < b->at);
}

static void print_finding(const fault_job *job, const sweep_finding *f, uint64_t alike) {
    const size_t length = strlen(f->problem);
    const bool is_ended = length > 0 && f->problem[length - 1] == '\n';
    (void)printf("%s%s    --job %s", f->problem, is_ended ? "" : "\n", job->name);
    if (f->fault.kind == FAULT_NONE)
        (void)printf(", undisturbed");
    else
        (void)printf(" --kind %s --at %llu %s", fault_kind_names[f->fault.kind],
                     (unsigned long long)f->fault.at, f->fault.forever ? "--forever" : "--once");
    if (alike > 0)
        (void)printf("   (and %llu alike)", (unsigned long long)alike);
    (void)printf("\n");
}

static void report(const fault_job *job, findings *all) {
    const uint64_t count = all->count < MOST_FINDINGS ? all->count : MOST_FINDINGS;
    qsort(all->list, count, sizeof all->list[0], order_findings);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t alike = 0;
        for (uint64_t j = i + 1; j < count && all->list[i].problem[0] != '\0'; j++)
            if (is_same_problem(&all->list[i], &all->list[j])) {
                all->list[j].problem[0] = '\0';
                alike++;
            }
        if (all->list[i].problem[0] != '\0')
            print_finding(job, &all->list[i], alike);
    }
    (void)printf("%-16s %6llu runs, %llu problems;", job->name, (unsigned long long)all->runs,
                 (unsigned long long)all->count);
    for (fault_kind kind = 0; kind < FAULT_KINDS; kind++)
        if (all->counts[kind] > 0)
            (void)printf(" %s %llu", fault_kind_names[kind], (unsigned long long)all->counts[kind]);
    (void)printf("%s\n", all->is_skipped ? "; system calls are not watched: no seccomp here" : "");
    (void)fflush(stdout);
}

/* Returns the number of problems. */
static uint64_t sweep_job(const workplace *shared, const fault_job *job) {
    findings *all =
        mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool is_complete = true;
    int status;
    if (all == MAP_FAILED)
        die("out of memory");
    for (long slice = 0; slice < shared->options->slices; slice++) {
        workplace w = *shared;
        const pid_t process = fork();
        if (process < 0)
            die("cannot start a process");
        if (process == 0) {
            sweep_slice(&w, job, slice, all);
            exit(0);
        }
    }
    while (wait(&status) > 0)
        is_complete = is_complete && status == 0;
    if (!is_complete)
        die("a part of the sweep failed");
    report(job, all);
    const uint64_t problems = all->count;
    (void)munmap(all, sizeof *all);
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
    if (!options.keep)
        fault_folder_remove(w.folder);
    if (jobs == 0)
        die("there is no job of this name");
    return problems > 0;
}
