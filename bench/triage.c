/* SPDX-License-Identifier: MIT */
/*
 * Does triage group failures by the error that causes them? Two to five errors at a time, of the
 * library or mutants of the tables, are put into a design; what fails is triaged, and compared with
 * the truth. A failure is of an error if it fails with that one alone and with no other alone, with
 * the seed with which it was found. If it fails with several, it is of the only one with which it
 * is the same failure: the same reason in the same cycle. If it fails with none, it is of the only
 * one with which it fails with one of a few seeds. Failures of several errors, or of none alone,
 * are counted and not compared. bench-triage errors|mutants|gem5 [FIRST-SEED [MIXES [SECONDS
 * [DESIGN]]]]; gem5: an error of gem5's own (docs/real-errors.md), in its tree that GEM5 names,
 * with mutants. One process for each mix, so that one that crashes is noted and the rest goes on.
 * The seeds that docs/triage.md reports are never those that triage was tuned with (from 1001 on).
 */
#include "episode/triage/triage.h"
#include "base/clock.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/random.h"
#include "collider/episode.h"
#include "protocol/simulate/design_error.h"
#include "protocol/simulate/simulated_design.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CORES = 4,
    LEAST_MIXED = 2,
    MOST_MIXED = 5,
    ALONE_TESTS = 20, /* in which an error must fail alone */
    TESTS = 40,
    SEEDS = 6,
    NOBODY = -1,
    SEVERAL = -2,
    MOST_KNOWN = 64
};

static const char *const own_designs[] = {"mesi3", "mesi2", "moesi2", "tsocc", "msi", "mi"};
enum { OWN_DESIGNS = sizeof own_designs / sizeof own_designs[0], WITH_ERRORS = 4 };

/* An error that gem5's protocol has as it is, and what mends it. */
typedef struct finding {
    const char *design, *mix, *mend;
} finding;

#define MESI2_MEND(cell) "{ at: L1Cache/" cell ", plus: [forward_eviction_to_cpu] }"
static const finding findings[] = {
    {"gem5-mesi-two-level", NULL,
     MESI2_MEND("IS/Inv") ";" MESI2_MEND("IS_I/Inv") ";" MESI2_MEND(
         "IS_I/Data_all_Acks") ";" MESI2_MEND("IS_I/DataS_fromL1")},
    {"gem5-moesi-cmp-directory-clusters", NULL,
     "{ at: Directory/M/GETX, plus: [v_allocateTBE] };{ at: Directory/O/GETX, plus: "
     "[v_allocateTBE] }"},
    {"gem5-moesi-hammer-dma", "full-dma",
     "{ at: Directory/NO_F/DMA_READ, new: true, next: NO_F, as: Directory/NO_F_W/DMA_READ };{ at: "
     "Directory/NO_F/DMA_WRITE, new: true, next: NO_F, as: Directory/NO_F_W/DMA_WRITE }"},
    {"gem5-mesi-three-level", "full-prefetch",
     "{ at: L0Cache/PF_Inst_IS/Data_Stale, new: true, next: I, as: L0Cache/PF_IS/Data_Stale }"},
};
enum { FINDINGS = sizeof findings / sizeof findings[0], MOST_DESIGNS = 6 };

typedef struct score {
    uint64_t mixes, crashed, incomplete;
    uint64_t failures, of_several, of_nobody, by_sameness;
    uint64_t both, grouped, same;       /* pairs: in one group and of one error; each alone */
    uint64_t groups, with_cells, named; /* bugs; those of an error of cells; that name its cell, */
    uint64_t as_good;                   /* or mend that error in all runs of all tests, too */
    uint64_t errors;                    /* that failures are of */
    double seconds;                     /* of triage */
    uint32_t injected_count;
    uint64_t injected[MOST_MIXED]; /* hashes of what was mixed */
} score;

typedef struct mix {
    const char *design;
    bool has_mutants;
    uint64_t seed;
    base_rng rng;
    const sl_protocol *protocol;
    const finding *finding; /* NULL: an own protocol, which is correct */
    char errors[MOST_MIXED][64];
    char alone[MOST_MIXED][512]; /* what is injected so that the design has this error alone */
    uint32_t count;
    char all[MOST_MIXED * 64];
    double limit;
    char folder[256];
} mix;

_Noreturn static void fail(const char *reason) {
    (void)fprintf(stderr, "bench: %s\n", reason);
    exit(COL_FAILURE);
}

/* ---- The mix. */

static void set(const mix *m, const char *error, col_episode_settings *s) {
    col_episode_default(s);
    s->setting.design.name = m->design;
    s->setting.design.cores = CORES;
    s->setting.design.error = error[0] == '\0' ? NULL : error;
    s->mix = m->finding == NULL ? NULL : m->finding->mix;
    s->engine = "chain-bias";
    s->operations = (col_range){16, 256};
    s->locations = (col_range){4, 8};
    s->has_operations = s->has_locations = true;
    s->jobs = 1;
    s->seconds = 0;
    s->tests = TESTS;
    s->seed = m->seed;
}

static bool fails(const mix *m, const char *error) {
    col_episode_settings s;
    col_episode episode = {0};
    col_problem problem;
    set(m, error, &s);
    s.tests = ALONE_TESTS;
    const col_status status = col_episode_run(&s, &episode, &problem);
    const bool does = status == COL_OK && episode.outcome != COL_PASS;
    col_episode_free(&episode);
    return does;
}

/* Published errors of this protocol, each once: some have several names. */
static uint32_t list_errors(const mix *m, char known[MOST_KNOWN][64]) {
    base_library library = {0};
    col_problem problem;
    uint32_t count = 0;
    if (sim_design_error_list(&library, &problem) != COL_OK)
        fail(problem.message);
    for (size_t i = 0; i < library.count; i++) {
        sim_design_error *wrong = NULL;
        if (sim_design_error_read(&wrong, &library.entries[i], m->protocol, &problem) != COL_OK)
            fail(problem.message);
        if (wrong != NULL && wrong->same_as[0] == '\0' && count < MOST_KNOWN)
            (void)snprintf(known[count++], 64, "%s", wrong->id);
        sim_design_error_free(wrong);
    }
    base_library_free(&library);
    return count;
}

static bool is_in(const mix *m, const char *error) {
    for (uint32_t e = 0; e < m->count; e++)
        if (strcmp(m->errors[e], error) == 0)
            return true;
    return false;
}

/* The finding is there already. */
static void join(mix *m) {
    m->all[0] = '\0';
    for (uint32_t e = m->finding != NULL; e < m->count; e++)
        (void)snprintf(m->all + strlen(m->all), sizeof m->all - strlen(m->all), "%s%s",
                       m->all[0] == '\0' ? "" : ";", m->errors[e]);
}

static bool can_be_opened(const mix *m) {
    const col_duv_settings opening = {.cores = CORES, .error = m->all};
    col_problem problem;
    col_duv *duv;
    if (col_duv_open(&duv, m->design, &opening, &problem) != COL_OK)
        return false;
    col_duv_close(duv);
    return true;
}

/* Errors that fail alone and can be put in together. */
static void draw(mix *m) {
    char known[MOST_KNOWN][64];
    const uint32_t errors = m->has_mutants ? 0 : list_errors(m, known);
    const uint32_t mutants = sim_table_mutant_count(m->protocol);
    const uint32_t wanted =
        LEAST_MIXED + (uint32_t)base_rng_below(&m->rng, MOST_MIXED - LEAST_MIXED + 1);
    if (m->finding != NULL) {
        (void)snprintf(m->errors[0], 64, "gem5's own");
        m->count = fails(m, "") ? 1 : 0;
    }
    for (uint32_t tries = 0; m->count < wanted && tries < 400; tries++) {
        char error[64];
        if (m->has_mutants)
            (void)snprintf(error, sizeof error, "mutant:%llu",
                           1 + (unsigned long long)base_rng_below(&m->rng, mutants));
        else
            (void)snprintf(error, sizeof error, "%s", known[base_rng_below(&m->rng, errors)]);
        (void)snprintf(m->alone[m->count], sizeof m->alone[0], "%s%s%s",
                       m->finding == NULL ? "" : m->finding->mend, m->finding == NULL ? "" : ";",
                       error);
        if (is_in(m, error) || !fails(m, m->alone[m->count]))
            continue;
        memcpy(m->errors[m->count++], error, sizeof error);
        join(m);
        m->count -= !can_be_opened(m);
        join(m);
    }
}

/* ---- The truth. */

/* How many of the first seeds fail; and is the first the failure that was recorded? */
static uint32_t count_failing(epi_worker *worker, const epi_case *c, uint32_t seeds,
                              bool *is_same) {
    const col_duv_description *design = col_duv_describe(worker->duv);
    col_problem problem;
    uint32_t failing = 0;
    if (epi_worker_load(worker, &c->recorded.program, &problem) != COL_OK)
        fail(problem.message);
    for (uint32_t i = 0; i < seeds; i++) {
        uint64_t state = c->was.seed + UINT64_C(7) * i;
        epi_instance instance = {
            .seed =
                i == 0 ? c->was.seed : epi_seed_like(design, base_splitmix(&state), c->was.seed)};
        epi_worker_run(worker, &instance);
        failing += instance.outcome != COL_PASS;
        if (i == 0)
            *is_same = instance.outcome == c->was.outcome && instance.cycles == c->was.cycles &&
                       strcmp(instance.reason, c->was.reason) == 0;
        epi_instance_free(&instance);
    }
    return failing;
}

/* A record does not say in which cycle it failed. */
static void find_cycles(epi_triage *t) {
    epi_worker worker = {0};
    col_problem problem;
    if (epi_worker_open(&worker, &t->cases[0].recorded.setting, &problem) != COL_OK)
        fail(problem.message);
    for (size_t i = 0; i < t->case_count; i++) {
        epi_case *c = &t->cases[i];
        epi_instance instance = {.seed = c->was.seed};
        if (epi_worker_load(&worker, &c->recorded.program, &problem) != COL_OK)
            fail(problem.message);
        epi_worker_run(&worker, &instance);
        c->was.cycles = instance.cycles;
        epi_instance_free(&instance);
    }
    epi_worker_close(&worker);
}

static void note(int *of, uint32_t error, bool does) {
    if (does)
        *of = *of == NOBODY ? (int)error : SEVERAL;
}

/* For each case the error that it is of: with its seed, as the same failure, with several seeds. */
typedef struct truth {
    int *once, *same, *often;
} truth;

static void ask(const mix *m, const epi_triage *t, const truth *of) {
    for (size_t i = 0; i < t->case_count; i++)
        of->once[i] = of->same[i] = of->often[i] = NOBODY;
    for (uint32_t e = 0; e < m->count; e++) {
        epi_worker worker = {0};
        col_problem problem;
        col_setting setting = t->cases[0].recorded.setting;
        setting.design.error = m->alone[e][0] == '\0' ? NULL : m->alone[e];
        if (epi_worker_open(&worker, &setting, &problem) != COL_OK)
            fail(problem.message);
        for (size_t i = 0; i < t->case_count; i++) {
            bool is_same = false;
            note(&of->once[i], e, count_failing(&worker, &t->cases[i], 1, &is_same) > 0);
            note(&of->same[i], e, is_same);
            note(&of->often[i], e, count_failing(&worker, &t->cases[i], SEEDS, &is_same) > 0);
        }
        epi_worker_close(&worker);
    }
}

/* Into of->once. */
static void find_truth(const mix *m, const epi_triage *t, const truth *of, score *s) {
    ask(m, t, of);
    for (size_t i = 0; i < t->case_count; i++) {
        if (of->once[i] == SEVERAL && of->same[i] >= 0) {
            of->once[i] = of->same[i];
            s->by_sameness++;
        } else if (of->once[i] == NOBODY) {
            of->once[i] = of->often[i];
        }
    }
}

/* Is the cell, as an edit tells it, one of the error's? has: the error has cells. */
static bool is_cell_of(const mix *m, const char *error, const char *mend, bool *has) {
    sim_design_error *wrong = NULL;
    col_problem problem;
    bool is = false;
    if (error == m->errors[0] && m->finding != NULL) {
        char at[256];
        (void)snprintf(at, sizeof at, "%.*s", (int)strcspn(mend, ","), mend);
        *has = true;
        return at[0] != '\0' && strstr(m->finding->mend, at) != NULL;
    }
    if (sim_design_error_open(&wrong, error, m->protocol, &problem) != COL_OK)
        fail(problem.message);
    *has = wrong->edit_count > 0;
    for (uint32_t e = 0; e < wrong->edit_count; e++) {
        sim_edit edit;
        char at[256];
        if (sim_design_error_cell(wrong, e, m->protocol, &edit, &problem) != COL_OK)
            fail(problem.message);
        const sl_machine *machine = m->protocol->machines[edit.machine];
        (void)snprintf(at, sizeof at, "{ at: %s/%s/%s,", machine->name, machine->states[edit.state],
                       machine->events[edit.event]);
        is = is || strncmp(mend, at, strlen(at)) == 0;
    }
    sim_design_error_free(wrong);
    return is;
}

/* Does the change mend the error, alone, in all runs of all tests? Then these cannot tell it from
 * the right one. */
static bool mends_all(const mix *m, const epi_triage *t, uint32_t error, const char *mend) {
    char both[sizeof m->all + EPI_MOST_MEND];
    epi_worker worker = {0};
    col_problem problem;
    col_setting setting = t->cases[0].recorded.setting;
    uint32_t failing = 0;
    (void)snprintf(both, sizeof both, "%s%s%s", m->alone[error],
                   m->alone[error][0] == '\0' ? "" : ";", mend);
    setting.design.error = both;
    if (epi_worker_open(&worker, &setting, &problem) != COL_OK)
        return false;
    for (size_t i = 0; i < t->case_count && failing == 0; i++) {
        bool is_same;
        failing = count_failing(&worker, &t->cases[i], SEEDS, &is_same);
    }
    epi_worker_close(&worker);
    return failing == 0;
}

/* ---- Comparing. */

static void compare_pairs(const epi_triage *t, const int *of, score *s) {
    for (size_t i = 0; i < t->case_count; i++)
        for (size_t k = 0; k < i; k++) {
            const size_t bug = t->cases[i].bug;
            if (of[i] < 0 || of[k] < 0)
                continue;
            const bool is_grouped = bug != EPI_NO_BUG && bug == t->cases[k].bug;
            s->grouped += is_grouped;
            s->same += of[i] == of[k];
            s->both += is_grouped && of[i] == of[k];
        }
}

/* The error that most of a bug's failures are of. */
static int most_of(const mix *m, const epi_triage *t, const int *of, size_t bug) {
    uint32_t counts[MOST_MIXED] = {0};
    int best = NOBODY;
    for (size_t i = 0; i < t->case_count; i++)
        if (t->cases[i].bug == bug && of[i] >= 0)
            counts[of[i]]++;
    for (uint32_t e = 0; e < m->count; e++)
        if (counts[e] > 0 && (best < 0 || counts[e] > counts[best]))
            best = (int)e;
    return best;
}

static void compare_bugs(const mix *m, const epi_triage *t, const int *of, score *s) {
    for (size_t b = 0; b < t->bug_count; b++) {
        const epi_bug *bug = &t->bugs[b];
        const int error = most_of(m, t, of, b);
        bool has = false, is = false;
        if (error >= 0)
            is = is_cell_of(m, m->errors[error], bug->mend, &has);
        s->groups += error >= 0;
        s->with_cells += has;
        s->named += has && is;
        const bool is_as_good =
            has && !is && bug->mend[0] != '\0' && mends_all(m, t, (uint32_t)error, bug->mend);
        s->as_good += is_as_good;
        (void)printf("    %3llu %-6s %-24s %s; %u operations:", (unsigned long long)bug->count,
                     !has         ? "-"
                     : is         ? ""
                     : is_as_good ? "alike"
                                  : "other",
                     error < 0 ? "?" : m->errors[error],
                     bug->says[0] != '\0' ? bug->says : bug->shrunk.reason,
                     bug->shrunk.to.operations);
        for (uint32_t e = 0; e < m->count; e++) {
            uint32_t count = 0;
            for (size_t i = 0; i < t->case_count; i++)
                count += t->cases[i].bug == b && of[i] == (int)e;
            (void)printf(" %u", count);
        }
        (void)printf("\n");
    }
}

static void compare(const mix *m, epi_triage *t, score *s) {
    int *of = calloc(3 * t->case_count + 1, sizeof *of);
    bool seen[MOST_MIXED] = {0};
    if (of == NULL)
        fail("out of memory");
    const truth all = {of, of + t->case_count, of + 2 * t->case_count};
    find_cycles(t);
    find_truth(m, t, &all, s);
    for (size_t i = 0; i < t->case_count; i++) {
        s->failures++;
        s->of_several += of[i] == SEVERAL;
        s->of_nobody += of[i] == NOBODY;
        if (of[i] >= 0 && !seen[of[i]]) {
            seen[of[i]] = true;
            s->errors++;
        }
    }
    compare_pairs(t, of, s);
    compare_bugs(m, t, of, s);
    free(of);
}

/* ---- One mix. */

static void run(mix *m, score *s) {
    char failures[300], out[300];
    const char *folders[] = {failures};
    col_episode_settings episode;
    col_episode was = {0};
    epi_triage triage = {0};
    col_problem problem;
    (void)snprintf(failures, sizeof failures, "%s/failures", m->folder);
    (void)snprintf(out, sizeof out, "%s/bugs", m->folder);
    set(m, m->all, &episode);
    episode.folder = failures;
    episode.keep_going = true;
    if (col_episode_run(&episode, &was, &problem) != COL_OK)
        fail(problem.message);
    const bool has_failed = was.failures > 0;
    col_episode_free(&was);
    if (!has_failed)
        return;
    const epi_triage_settings settings = {.folders = folders,
                                          .folder_count = 1,
                                          .out = out,
                                          .seconds = m->limit,
                                          .jobs = 1,
                                          .seed = 1};
    const double began = base_seconds();
    if (epi_triage_run(&settings, &triage, &problem) != COL_OK)
        fail(problem.message);
    s->seconds = base_seconds() - began;
    s->incomplete = !triage.is_complete;
    compare(m, &triage, s);
    epi_triage_free(&triage);
}

static void run_in(mix *m, score *s) {
    sim_design design;
    base_text complaints = {0};
    col_problem problem;
    if (sim_design_open(&design, m->design, CORES, &complaints, &problem) != COL_OK)
        fail(problem.message);
    m->protocol = design.protocol;
    base_rng_seed(&m->rng, m->seed, 0);
    draw(m);
    (void)printf("%llu %s %s\n", (unsigned long long)m->seed, m->design, m->all);
    if (m->count >= LEAST_MIXED)
        run(m, s);
    s->mixes = m->count >= LEAST_MIXED;
    for (uint32_t e = 0; e < m->count && s->mixes > 0; e++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%s %s", m->design, m->errors[e]);
        s->injected[s->injected_count++] = XXH3_64bits(name, strlen(name));
    }
    sim_design_close(&design);
    base_text_free(&complaints);
}

/* In a process of its own; what it finds comes through a pipe. */
static void run_apart(mix *m, score *s) {
    int ends[2], state = 0;
    char name[] = "/tmp/bench-triage-XXXXXX";
    if (pipe(ends) != 0 || mkdtemp(name) == NULL)
        fail("cannot make a pipe or a folder");
    (void)snprintf(m->folder, sizeof m->folder, "%s", name);
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(60 + 4 * (unsigned)m->limit);
        run_in(m, s);
        (void)fflush(stdout);
        _exit(write(ends[1], s, sizeof *s) == (ssize_t)sizeof *s ? 0 : 1);
    }
    (void)close(ends[1]);
    if (child < 0 || read(ends[0], s, sizeof *s) != (ssize_t)sizeof *s)
        *s = (score){.crashed = 1};
    (void)close(ends[0]);
    if (child > 0)
        (void)waitpid(child, &state, 0);
    base_folder_remove_path(name);
}

/* ---- All. */

static double share(uint64_t part, uint64_t whole) {
    return whole == 0 ? 1 : (double)part / (double)whole;
}

static void print_score(const char *label, const score *s) {
    (void)printf(
        "%s: %llu mixes (%llu crashed, %llu out of time), %llu failures (%llu of several "
        "errors, %llu of none alone, %llu told by sameness), precision %.3f, recall %.3f "
        "(pairs: %llu of one error, %llu grouped, %llu both), %llu bugs for %llu errors, "
        "cell named %llu of %llu (%.2f; of the others, %llu as good), %.1f s each\n",
        label, (unsigned long long)s->mixes, (unsigned long long)s->crashed,
        (unsigned long long)s->incomplete, (unsigned long long)s->failures,
        (unsigned long long)s->of_several, (unsigned long long)s->of_nobody,
        (unsigned long long)s->by_sameness, share(s->both, s->grouped), share(s->both, s->same),
        (unsigned long long)s->same, (unsigned long long)s->grouped, (unsigned long long)s->both,
        (unsigned long long)s->groups, (unsigned long long)s->errors, (unsigned long long)s->named,
        (unsigned long long)s->with_cells, share(s->named, s->with_cells),
        (unsigned long long)s->as_good, s->mixes == 0 ? 0.0 : s->seconds / (double)s->mixes);
}

static void add(score *sum, const score *s) {
    sum->mixes += s->mixes;
    sum->crashed += s->crashed;
    sum->incomplete += s->incomplete;
    sum->failures += s->failures;
    sum->of_several += s->of_several;
    sum->of_nobody += s->of_nobody;
    sum->by_sameness += s->by_sameness;
    sum->both += s->both;
    sum->grouped += s->grouped;
    sum->same += s->same;
    sum->groups += s->groups;
    sum->with_cells += s->with_cells;
    sum->named += s->named;
    sum->as_good += s->as_good;
    sum->errors += s->errors;
    sum->seconds += s->seconds;
}

int main(int count, char **arguments) {
    const bool is_gem5 = count > 1 && strcmp(arguments[1], "gem5") == 0;
    const bool has_mutants = is_gem5 || (count > 1 && strcmp(arguments[1], "mutants") == 0);
    const uint64_t first = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    const uint64_t mixes = count > 3 ? strtoull(arguments[3], NULL, 10) : 24;
    const double limit = count > 4 ? strtod(arguments[4], NULL) : 60;
    const uint32_t designs = is_gem5 ? FINDINGS : has_mutants ? OWN_DESIGNS : WITH_ERRORS;
    score of_design[MOST_DESIGNS] = {{0}}, all = {0}, in_time = {0};
    base_index injected = {0}; /* each once */
    col_problem problem;
    for (uint64_t i = 0; i < mixes; i++) {
        const uint32_t d = (uint32_t)((first + i) % designs);
        mix m = {.design = count > 5 ? arguments[5]
                           : is_gem5 ? findings[d].design
                                     : own_designs[d],
                 .has_mutants = has_mutants,
                 .finding = is_gem5 ? &findings[d] : NULL,
                 .seed = first + i,
                 .limit = limit};
        score s = {0};
        run_apart(&m, &s);
        print_score("  this", &s);
        for (uint32_t e = 0; e < s.injected_count; e++)
            if (base_index_find(&injected, s.injected[e], NULL, NULL, NULL) == BASE_NO_NUMBER &&
                base_index_put(&injected, s.injected[e], &problem) != COL_OK)
                fail(problem.message);
        add(&of_design[d], &s);
        add(&all, &s);
        if (s.incomplete == 0)
            add(&in_time, &s);
    }
    for (uint32_t d = 0; d < designs && count <= 5; d++)
        print_score(is_gem5 ? findings[d].design : own_designs[d], &of_design[d]);
    print_score("in time", &in_time);
    print_score("all", &all);
    (void)printf("%zu different errors were injected\n", injected.count);
    base_index_free(&injected);
    return 0;
}
