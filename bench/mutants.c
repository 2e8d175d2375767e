/* SPDX-License-Identifier: MIT */
/*
 * How many mutants of a design are killed by a fixed budget of chain-bias tests, and by what: a
 * violation (of the memory model or an invariant), a protocol error, or a deadlock. All mutants of
 * a design get the same tests. Processes share the mutants out, so that one that crashes or hangs
 * is noted and the rest goes on; the figures do not depend on how many processes there are.
 */
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS
#include "collider/check.h"
#include "collider/duv.h"
#include "collider/engine.h"
#include "protocol/simulate/transition_table.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CORES = 8,
    OPERATIONS = 1 << 10,
    LEAST_LOCATIONS = 4,
    MOST_LOCATIONS = 16,
    INSTANCES = 2,
    SECONDS = 60, /* for one mutant; none needs as much */
    MOST_TESTS = 4096,
    MOST_JOBS = 64
};

typedef enum fate { WAITING, SURVIVED, VIOLATION, PROTOCOL_ERROR, DEADLOCK, CRASHED, FATES } fate;
static const char *const fates[FATES] = {"not run",        "survived", "violation",
                                         "protocol error", "deadlock", "crashed"};

typedef struct result {
    uint8_t fate;
    bool never;    /* of a table mutant: no test took its transition */
    bool same;     /* else: all instances took as many cycles as without it */
    uint32_t test; /* that killed it, from 1 */
    uint64_t cycles;
    double seconds;
    char reason[160];
} result;

typedef struct bench {
    uint32_t tests, sample, jobs;
    const char *folder; /* for lists of all mutants; NULL: none */
    col_program *programs;
    const sl_protocol *protocol;
    uint64_t cycles; /* of all tests without a mutant */
} bench;

static double seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

_Noreturn static void give_up(const col_problem *problem) {
    (void)fprintf(stderr, "bench: %s\n", problem->message);
    exit(COL_FAILURE);
}

/* ---- The tests, the same for all mutants of a design. */

static void make_tests(const char *design, bench *b) {
    const col_duv_settings opening = {.cores = CORES};
    const col_feedback none = {0};
    col_engine *engine;
    col_point point;
    col_duv *duv;
    col_problem problem;
    if (col_duv_open(&duv, design, &opening, &problem) != COL_OK)
        give_up(&problem);
    const col_engine_settings settings = {.threads = CORES,
                                          .operations = {OPERATIONS, OPERATIONS},
                                          .locations = {LEAST_LOCATIONS, MOST_LOCATIONS},
                                          .geometry = col_duv_describe(duv)->geometry,
                                          .mix = "published",
                                          .seed = 1};
    if (col_engine_new(&engine, "chain-bias", &settings, &problem) != COL_OK)
        give_up(&problem);
    for (uint32_t t = 0; t < b->tests; t++)
        if (col_engine_next(engine, &none, &b->programs[t], &point, &problem) != COL_OK)
            give_up(&problem);
    col_engine_free(engine);
    col_duv_close(duv);
}

/* ---- One mutant. */

typedef struct watch {
    col_checker *checker;
    volatile int ended;
} watch;

static void notice(void *context, const col_event *event) {
    watch *w = context;
    if (!col_checker_notice(w->checker, event))
        w->ended = 1;
}

static fate fate_of(col_run_end end) {
    switch (end) {
    case COL_RUN_PROTOCOL_ERROR:
        return PROTOCOL_ERROR;
    case COL_RUN_DEADLOCK:
    case COL_RUN_STARVED:
        return DEADLOCK;
    case COL_RUN_INVARIANT:
        return VIOLATION;
    case COL_RUN_COMPLETE:
        return SURVIVED;
    default:
        return CRASHED;
    }
}

static fate run_instance(col_duv *duv, watch *w, uint64_t seed, result *r) {
    const col_observer observer = {w, notice, 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED};
    col_run run = {.end = COL_RUN_COMPLETE};
    col_problem problem;
    w->ended = 0;
    col_checker_restart(w->checker);
    if (col_duv_run(duv, seed, &observer, &w->ended, &run, &problem) != COL_OK)
        give_up(&problem);
    r->cycles += run.cycles;
    if (!col_checker_finish(w->checker, run.end == COL_RUN_COMPLETE)) {
        (void)snprintf(r->reason, sizeof r->reason, "%.150s",
                       col_checker_violation(w->checker)->reason);
        return VIOLATION;
    }
    (void)snprintf(r->reason, sizeof r->reason, "%.150s", run.message);
    return fate_of(run.end);
}

/* Has any controller taken the mutated transition? */
static bool was_taken(col_duv *duv, const sim_mutant *mutant, const sl_protocol *protocol) {
    const col_duv_description *d = col_duv_describe(duv);
    const col_duv_machine *machine = &d->machines[mutant->machine];
    const sl_machine *m = protocol->machines[mutant->machine];
    uint64_t *hits = calloc((size_t)col_duv_functional_count(d) + 1, sizeof *hits), taken = 0;
    if (hits == NULL)
        give_up(&(col_problem){.message = "out of memory"});
    col_duv_collect(duv, hits);
    for (uint32_t p = machine->first_point; p < machine->first_point + machine->point_count; p++)
        if (strcmp(d->points[p].state, m->states[mutant->state]) == 0 &&
            strcmp(d->points[p].event, m->events[mutant->event]) == 0)
            for (uint32_t c = 0; c < machine->controllers; c++)
                taken += hits[col_duv_functional(d, mutant->machine, c, p)];
    free(hits);
    return taken > 0;
}

static void run_mutant(const char *design, const bench *b, uint32_t number, result *r) {
    const col_duv_settings opening = {.cores = CORES, .mutant = number};
    fate outcome = SURVIVED;
    col_duv *duv;
    watch w = {0};
    col_problem problem;
    const double start = seconds();
    *r = (result){.fate = WAITING};
    if (col_duv_open(&duv, design, &opening, &problem) != COL_OK ||
        col_checker_new(&w.checker, col_duv_describe(duv)->model, &problem) != COL_OK)
        give_up(&problem);
    for (uint32_t t = 0; t < b->tests && outcome == SURVIVED; t++) {
        r->test = t + 1;
        if (col_duv_load(duv, &b->programs[t], &problem) != COL_OK ||
            col_checker_load(w.checker, &b->programs[t], &problem) != COL_OK)
            give_up(&problem);
        for (uint32_t i = 0; i < INSTANCES && outcome == SURVIVED; i++)
            outcome = run_instance(duv, &w, (uint64_t)t * INSTANCES + i, r);
    }
    sim_mutant mutant;
    if (outcome == SURVIVED && sim_table_mutant(b->protocol, number, &mutant))
        r->never = !was_taken(duv, &mutant, b->protocol);
    r->same = outcome == SURVIVED && !r->never && r->cycles == b->cycles;
    col_checker_free(w.checker);
    col_duv_close(duv);
    r->seconds = seconds() - start;
    r->fate = (uint8_t)outcome;
}

/* ---- All of them. */

/* A process runs its share from `*next` on; what is at `*next` when it dies is what killed it. */
static void run_share(const char *design, const bench *b, uint32_t count, volatile uint32_t *next,
                      result *results) {
    for (; *next <= count; *next += b->sample * b->jobs) {
        const struct itimerval patience = {.it_value = {.tv_sec = SECONDS}};
        (void)setitimer(ITIMER_VIRTUAL, &patience, NULL); /* of its own time: then it is killed */
        run_mutant(design, b, *next, &results[*next]);
    }
}

static void note_death(int status, const bench *b, volatile uint32_t *next, result *results) {
    result *r = &results[*next];
    if (WIFEXITED(status)) /* it said why */
        exit(COL_FAILURE);
    r->fate = CRASHED;
    (void)snprintf(r->reason, sizeof r->reason, "the process died of signal %d", WTERMSIG(status));
    *next += b->sample * b->jobs;
}

static void run_all(const char *design, const bench *b, uint32_t count, uint32_t *places,
                    result *results) {
    pid_t workers[MOST_JOBS] = {0};
    uint32_t running = 0;
    for (uint32_t j = 0; j < b->jobs; j++)
        places[j] = 1 + j * b->sample;
    for (uint32_t j = 0; j < b->jobs || running > 0; j++) {
        uint32_t job = j;
        if (j >= b->jobs) { /* all have started: wait for one to end */
            int status;
            const pid_t ended = wait(&status);
            for (job = 0; job < b->jobs && workers[job] != ended; job++) {
            }
            running--;
            if (job == b->jobs || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
                continue;
            note_death(status, b, &places[job], results);
        }
        (void)fflush(stdout);
        workers[job] = fork();
        if (workers[job] == 0) {
            run_share(design, b, count, &places[job], results);
            _exit(0);
        }
        running++;
    }
}

/* ---- The table. */

typedef struct row {
    uint32_t mutants, equivalent, killed_equivalent;
    uint32_t never, same; /* survivors: not taken; taken, and not a cycle differs */
    uint32_t fates[FATES];
} row;

static void print_row(const char *design, const char *kind, const row *r) {
    (void)printf("| %s | %s | %u | %u | %u | %u | %u | %u | %u | %u |", design, kind, r->mutants,
                 r->equivalent, r->fates[VIOLATION], r->fates[PROTOCOL_ERROR], r->fates[DEADLOCK],
                 r->never, r->same, r->fates[SURVIVED] - r->never - r->same);
    (void)printf(" %u |%s", r->fates[CRASHED], r->killed_equivalent == 0 ? "\n" : " ");
    if (r->killed_equivalent > 0)
        (void)printf("%u that were marked equivalent are killed\n", r->killed_equivalent);
}

static void add_result(row *r, const sim_mutant *mutant, const result *done) {
    r->mutants++;
    if (!mutant->equivalent)
        r->fates[done->fate]++;
    r->equivalent += mutant->equivalent;
    r->never += done->never && !mutant->equivalent;
    r->same += done->same && !mutant->equivalent;
    r->killed_equivalent += mutant->equivalent && done->fate != SURVIVED;
}

static void list_mutant(FILE *list, const sim_mutants *m, const sim_mutant *mutant,
                        const result *r) {
    const sl_machine *machine = m->protocol->machines[mutant->machine];
    base_text text = {0};
    sim_mutant_describe(m->protocol, mutant, &text);
    (void)fprintf(
        list, "%u\t%s\t%s%s\t%u\t%llu\t%.3f\t%s\t%s %s\t%s\t%s\n", mutant->number,
        sim_mutant_kinds[mutant->kind], fates[r->fate],
        mutant->equivalent ? " (equivalent)"
        : r->never         ? " (never taken)"
        : r->same          ? " (no effect)"
                           : "",
        r->test, (unsigned long long)r->cycles, r->seconds, machine->name,
        mutant->mutation != NULL ? mutant->mutation->within : machine->states[mutant->state],
        mutant->mutation != NULL ? mutant->mutation->name : machine->events[mutant->event],
        text.data == NULL ? "" : text.data, r->reason);
    base_text_free(&text);
}

static void print_results(const char *design, const bench *b, const sim_mutants *m,
                          const result *results) {
    row kinds[SIM_MUTANT_KINDS] = {0}, all = {0};
    char path[1024];
    FILE *list = NULL;
    if (b->folder != NULL) {
        (void)snprintf(path, sizeof path, "%s/mutants-%s.txt", b->folder, design);
        list = fopen(path, "w");
    }
    for (uint32_t k = 1; k <= m->count; k++) {
        sim_mutant mutant;
        if (results[k].fate == WAITING)
            continue;
        sim_mutant_find(m, k, &mutant);
        add_result(&kinds[mutant.kind], &mutant, &results[k]);
        add_result(&all, &mutant, &results[k]);
        if (list != NULL)
            list_mutant(list, m, &mutant, &results[k]);
    }
    for (uint32_t kind = 0; kind < SIM_MUTANT_KINDS; kind++)
        print_row(design, sim_mutant_kinds[kind], &kinds[kind]);
    print_row(design, "all", &all);
    if (list != NULL && fclose(list) != 0)
        (void)fprintf(stderr, "bench: cannot write %s\n", path);
}

static void *shared_memory(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        give_up(&(col_problem){.message = "out of memory"});
    return memory;
}

static void bench_design(const char *name, bench *b) {
    sim_design *design = malloc(sizeof *design);
    sim_mutants mutants;
    base_text complaints = {0};
    col_problem problem;
    if (design == NULL)
        exit(COL_FAILURE);
    if (sim_design_open(design, name, CORES, &complaints, &problem) != COL_OK ||
        sim_mutants_open(&mutants, design, &problem) != COL_OK)
        give_up(&problem);
    result *results = shared_memory(((size_t)mutants.count + 1) * sizeof *results);
    uint32_t *places = shared_memory(MOST_JOBS * sizeof *places);
    b->protocol = design->protocol;
    make_tests(name, b);
    run_mutant(name, b, 0, &results[0]);
    b->cycles = results[0].cycles;
    const double start = seconds();
    run_all(name, b, mutants.count, places, results);
    print_results(name, b, &mutants, results);
    double longest = 0, sum = 0;
    for (uint32_t k = 1; k <= mutants.count; k++) {
        longest = results[k].seconds > longest ? results[k].seconds : longest;
        sum += results[k].seconds;
    }
    (void)printf("%s: %.0f s, %.0f s of processes, %.1f s for the slowest mutant\n", name,
                 seconds() - start, sum, longest);
    (void)munmap(results, ((size_t)mutants.count + 1) * sizeof *results);
    (void)munmap(places, MOST_JOBS * sizeof *places);
    sim_mutants_close(&mutants);
    sim_design_close(design);
    base_text_free(&complaints);
    free(design);
}

static uint32_t number_after(int argc, char **argv, int *i, uint32_t most) {
    const unsigned long value = *i + 1 < argc ? strtoul(argv[*i + 1], NULL, 10) : 0;
    if (value == 0 || value > most) {
        (void)fprintf(stderr, "bench: %s needs a number from 1 to %u\n", argv[*i], most);
        exit(COL_BAD_INPUT);
    }
    ++*i;
    return (uint32_t)value;
}

int main(int argc, char **argv) {
    bench b = {.tests = 16, .sample = 1, .jobs = 2};
    const char *designs[64] = {"mesi3"};
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tests") == 0)
            b.tests = number_after(argc, argv, &i, MOST_TESTS);
        else if (strcmp(argv[i], "--sample") == 0)
            b.sample = number_after(argc, argv, &i, UINT16_MAX);
        else if (strcmp(argv[i], "--jobs") == 0)
            b.jobs = number_after(argc, argv, &i, MOST_JOBS);
        else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc)
            b.folder = argv[++i];
        else if (count < 64)
            designs[count++] = argv[i];
    }
    b.programs = calloc(b.tests, sizeof *b.programs);
    if (b.programs == NULL)
        return COL_FAILURE;
    (void)setenv("COLLIDER_OPTIMISATION", "-O0", 0); /* a source mutant runs but for a moment */
    (void)printf("%u tests of %d operations, %d:%d locations, %d cores, %d instances\n", b.tests,
                 OPERATIONS, LEAST_LOCATIONS, MOST_LOCATIONS, CORES, INSTANCES);
    (void)printf("| design | kind | mutants | equivalent | violation | protocol error | deadlock | "
                 "survived: never taken | no effect | an effect | crashed |\n"
                 "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n");
    for (size_t i = 0; i < (count == 0 ? 1 : count); i++)
        bench_design(designs[i], &b);
    for (uint32_t t = 0; t < b.tests; t++)
        col_program_free(&b.programs[t]);
    free(b.programs);
    return 0;
}
