/* SPDX-License-Identifier: MIT */
/*
 * The sweep: runs a job undisturbed, counts what it asks of the machine, then runs it again with
 * the n-th request failing, for every n or for a sample, and judges each run. See
 * tests/faults/README.md. faults COLLIDER [--job NAME] [--kind KIND] [--at N] [--once|--forever]
 *            [--sample K] [--turn N] [--seed S] [--distinct] [--keep]
 */
#include "base/file.h"
#include "base/hash.h"
#include "base/random.h"
#include "faults/stage.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FINDINGS = 1 << 14 };

typedef struct sweep_options {
    const char *command;
    const char *job;
    fault_kind kind; /* FAULT_NONE: all */
    uint64_t at;     /* 0: all */
    uint64_t sample; /* runs of each job and kind; 0: all */
    uint64_t turn;   /* of each job, every so manieth kind; which ones turns with job and seed */
    uint64_t seed;
    bool is_seeded;
    long workers;       /* processes that share the jobs: of a sample; or else */
    long slices;        /* that share the faults of each job */
    bool forever, once; /* without either, both; of a sample, one of them */
    bool distinct;      /* of allocations that the same path of calls reached, the first and last */
    bool keep;
} sweep_options;

/* What the slices of a job tell, in shared memory. */
typedef struct findings {
    _Atomic uint64_t runs, count;
    uint64_t counts[FAULT_KINDS];
    bool is_unwatched; /* the machine lets no system calls be watched */
    fault_finding list[MOST_FINDINGS];
} findings;

/* Once more, for people: what the command said, and where the allocation failed. */
static void show_fault(fault_stage *stage, const fault_request *fault) {
    fault_request request = *fault;
    fault_outcome outcome;
    fault_tree tree;
    request.show = true;
    fault_stage_run(stage, &request, &outcome, &tree);
    (void)printf("exit %d, signal %d\n--- standard output\n%s--- standard error\n%s---\n",
                 outcome.status, outcome.signal, outcome.output.data, outcome.errors.data);
    fault_outcome_free(&outcome);
    fault_tree_free(&tree);
}

/* The last functions of the sanitizer's stack before the allocator, innermost first. */
static void find_place(fault_stage *stage, fault_finding *finding) {
    fault_request request = finding->fault;
    fault_outcome outcome;
    fault_tree tree;
    size_t used = 0;
    request.show = true;
    fault_stage_run(stage, &request, &outcome, &tree);
    const char *line = strstr(outcome.errors.data, "/faults/inject.c");
    for (int depth = 0; line != NULL && depth < 8; depth++) {
        line = strstr(line, " in ");
        if (line == NULL || strncmp(line, " in main ", 9) == 0)
            break;
        line += 4;
        if (memmem(line, strcspn(line, "\n"), "/inject.c", 9) == NULL)
            used += (size_t)snprintf(finding->place + used, sizeof finding->place - used, "%s%.*s",
                                     used > 0 ? " < " : "", (int)strcspn(line, " \n"), line);
        if (used >= sizeof finding->place)
            break;
    }
    fault_outcome_free(&outcome);
    fault_tree_free(&tree);
}

static void note(findings *all, const fault_finding *finding) {
    if (finding->problem[0] == '\0')
        return;
    const uint64_t place = atomic_fetch_add(&all->count, 1);
    if (place < MOST_FINDINGS)
        all->list[place] = *finding;
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
    base_rng rng;
    base_rng_seed(&rng, options->seed, i);
    return 1 + first + base_rng_below(&rng, end - first);
}

/* Whether the path of calls to this allocation was there before, and comes again. */
static bool is_in_between(const fault_stage *stage, const fault_request *fault) {
    const uint64_t *paths = stage->page->paths;
    const uint64_t total = stage->undisturbed.counts[FAULT_ALLOCATION];
    bool before = false, after = false;
    if (fault->kind != FAULT_ALLOCATION || total >= FAULT_PATHS)
        return false;
    for (uint64_t i = 1; i < fault->at && !before; i++)
        before = paths[i] == paths[fault->at];
    for (uint64_t i = fault->at + 1; i <= total && before && !after; i++)
        after = paths[i] == paths[fault->at];
    return before && after;
}

static void sweep_kind(fault_stage *stage, const sweep_options *options,
                       const fault_request *pattern, long slice, findings *all) {
    const uint64_t total = stage->undisturbed.counts[pattern->kind];
    const uint64_t count = count_chosen(options, total);
    for (uint64_t i = (uint64_t)slice; i < count; i += (uint64_t)options->slices) {
        fault_finding finding = {0};
        fault_request fault = *pattern;
        fault.at = choose(options, total, count, i);
        if (options->distinct && is_in_between(stage, &fault))
            continue;
        fault_stage_try(stage, &fault, &finding);
        if (finding.problem[0] != '\0' && fault.kind == FAULT_ALLOCATION)
            find_place(stage, &finding);
        note(all, &finding);
        if (options->at > 0)
            show_fault(stage, &fault);
        all->runs++;
    }
}

/* What the system calls of another program come to is that program's affair. */
static bool is_with_program(const fault_job *job) {
    return strstr(job->words, "serve:") != NULL;
}

/* Is it this kind's turn with this job? */
static bool is_chosen(const sweep_options *options, const fault_job *job, fault_kind kind) {
    const uint64_t place = (uint64_t)(job - fault_jobs) + (uint64_t)kind + options->seed;
    if (options->kind != FAULT_NONE && kind != options->kind)
        return false;
    if (is_with_program(job) && kind != FAULT_ALLOCATION)
        return false;
    return options->turn == 0 || place % options->turn == 0;
}

static bool is_any_chosen(const sweep_options *options, const fault_job *job) {
    for (fault_kind kind = 0; kind < FAULT_KINDS; kind++)
        if (is_chosen(options, job, kind))
            return true;
    return false;
}

/* One process's share of the faults of a job. */
static void sweep_slice(fault_stage *stage, const sweep_options *options, const fault_job *job,
                        long slice, findings *all) {
    fault_finding first = {.fault = {.kind = FAULT_NONE}};
    fault_stage_begin(stage, job, options->kind != FAULT_ALLOCATION, &first);
    note(all, &first);
    all->is_unwatched = stage->undisturbed.is_unwatched;
    memcpy(all->counts, stage->undisturbed.counts, sizeof all->counts);
    for (fault_kind kind = 0; first.problem[0] == '\0' && kind < FAULT_KINDS; kind++) {
        if (!is_chosen(options, job, kind))
            continue;
        const fault_request once = {.kind = kind}, forever = {.kind = kind, .forever = true};
        const bool is_mixed = options->sample > 0 && !options->once && !options->forever;
        const bool is_odd = (options->seed + kind + strlen(job->name)) % 2 != 0;
        if (!options->forever && !(is_mixed && is_odd))
            sweep_kind(stage, options, &once, slice, all);
        if (!options->once && !(is_mixed && !is_odd))
            sweep_kind(stage, options, &forever, slice, all);
    }
    fault_stage_end(stage);
}

/* Problems that are told in the same words, apart from numbers, are one. */
static bool is_same_problem(const fault_finding *one, const fault_finding *other) {
    const char *a = one->problem, *b = other->problem;
    if (strcmp(one->place, other->place) != 0)
        return false;
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
    const fault_request *a = &((const fault_finding *)one)->fault,
                        *b = &((const fault_finding *)other)->fault;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->forever != b->forever)
        return a->forever ? 1 : -1;
    return (a->at > b->at) - (a->at < b->at);
}

static void print_finding(const fault_job *job, const fault_finding *f, uint64_t alike) {
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
    if (f->place[0] != '\0')
        (void)printf("    %s\n", f->place);
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
    (void)printf("%s\n",
                 all->is_unwatched ? "; system calls are not watched: no seccomp here" : "");
    (void)fflush(stdout);
}

static void *share_memory(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fault_die("out of memory");
    return memory;
}

static void wait_for_all(void) {
    bool is_complete = true;
    int status;
    while (wait(&status) > 0)
        is_complete = is_complete && status == 0;
    if (!is_complete)
        fault_die("a part of the sweep failed");
}

/* Whether it is the new process. */
static bool divide(void) {
    const pid_t process = fork();
    if (process < 0)
        fault_die("cannot start a process");
    return process == 0;
}

/* All faults of a job, by several processes. Returns the number of problems. */
static uint64_t sweep_job(const fault_stage *shared, const sweep_options *options,
                          const fault_job *job) {
    findings *all = share_memory(sizeof *all);
    for (long slice = 0; slice < options->slices; slice++) {
        fault_stage stage = *shared;
        if (divide()) {
            fault_stage_number(&stage, slice);
            sweep_slice(&stage, options, job, slice, all);
            exit(0);
        }
    }
    wait_for_all();
    report(job, all);
    const uint64_t problems = all->count;
    (void)munmap(all, sizeof *all);
    return problems;
}

/* What the workers of a sample share. */
typedef struct shared_jobs {
    _Atomic int next;
    _Atomic uint64_t problems;
} shared_jobs;

static bool is_asked_for(const sweep_options *options, const fault_job *job) {
    return options->job == NULL || strcmp(options->job, job->name) == 0;
}

/* One of them takes a job after the other. */
static void work(fault_stage *stage, const sweep_options *options, shared_jobs *jobs) {
    findings *all = share_memory(sizeof *all);
    for (int i; (i = jobs->next++) < fault_job_count;) {
        const fault_job *job = &fault_jobs[i];
        if (!is_asked_for(options, job) || !is_any_chosen(options, job))
            continue;
        all->runs = all->count = 0;
        sweep_slice(stage, options, job, 0, all);
        report(job, all);
        jobs->problems += all->count;
    }
}

static uint64_t sweep_sample(const fault_stage *shared, const sweep_options *options) {
    shared_jobs *jobs = share_memory(sizeof *jobs);
    for (long worker = 0; worker < options->workers; worker++) {
        fault_stage stage = *shared;
        if (divide()) {
            fault_stage_number(&stage, worker);
            work(&stage, options, jobs);
            exit(0);
        }
    }
    wait_for_all();
    return jobs->problems;
}

static uint64_t sweep_all(const fault_stage *shared, const sweep_options *options) {
    uint64_t problems = 0;
    for (int i = 0; i < fault_job_count; i++)
        if (is_asked_for(options, &fault_jobs[i]))
            problems += sweep_job(shared, options, &fault_jobs[i]);
    return problems;
}

/* Another build of the command is tried at other places, the same one at the same. */
static uint64_t seed_of(const char *command) {
    base_text text = {0};
    col_problem problem;
    if (base_file_read(command, &text, &problem) != COL_OK)
        fault_die("cannot read the command");
    const uint64_t seed = XXH3_64bits(text.data, text.length) >> 32;
    base_text_free(&text);
    return seed;
}

static fault_kind find_kind(const char *name) {
    for (fault_kind kind = 0; kind < FAULT_KINDS; kind++)
        if (strcmp(fault_kind_names[kind], name) == 0)
            return kind;
    fault_die("unknown kind: allocation, write, sync, rename, open, read, close, truncate, folder, "
              "process");
}

static void parse(sweep_options *options, int count, char **words) {
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? words[i + 1] : "";
        if (strcmp(words[i], "--once") == 0)
            options->once = true;
        else if (strcmp(words[i], "--forever") == 0)
            options->forever = true;
        else if (strcmp(words[i], "--distinct") == 0)
            options->distinct = true;
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
            options->is_seeded = (i++, options->seed = strtoull(value, NULL, 10), true);
        else if (strcmp(words[i], "--turn") == 0)
            options->turn = (i++, strtoull(value, NULL, 10));
        else if (words[i][0] != '-' && options->command == NULL)
            options->command = words[i];
        else
            fault_die(
                "usage: faults COLLIDER [--job NAME] [--kind KIND] [--at N] [--once|--forever] "
                "[--sample K] [--turn N] [--seed S] [--distinct] [--keep]");
    }
    options->workers = sysconf(_SC_NPROCESSORS_ONLN);
    options->slices = options->at > 0 || options->sample > 0 ? 1 : options->workers;
}

int main(int count, char **words) {
    sweep_options options = {.kind = FAULT_NONE};
    fault_stage stage;
    bool is_known = false;
    parse(&options, count, words);
    if (options.command == NULL)
        fault_die("no command");
    for (int i = 0; i < fault_job_count; i++)
        is_known = is_known || is_asked_for(&options, &fault_jobs[i]);
    if (!is_known)
        fault_die("no job has this name");
    if (options.sample > 0 && !options.is_seeded)
        options.seed = seed_of(options.command);
    if (options.sample > 0)
        (void)printf("--seed %llu\n", (unsigned long long)options.seed);
    (void)setvbuf(stdout, NULL, _IOFBF, 1 << 16); /* what a worker reports stays together */
    (void)fflush(stdout);
    fault_stage_open(&stage, options.command);
    const uint64_t problems = options.sample > 0 && options.at == 0 ? sweep_sample(&stage, &options)
                                                                    : sweep_all(&stage, &options);
    if (options.keep)
        (void)printf("%s\n", stage.folder);
    else
        fault_stage_close(&stage);
    return problems > 0;
}
