/* SPDX-License-Identifier: MIT */
/* How long trials will take: see estimate.h. */
#include "results/plan/estimate.h"

#include "base/clock.h"
#include "design/design_kind.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a class or a group: what was measured. Rates are of all its trials together. */
typedef struct measured {
    double seconds, cycles, operations;
    size_t trials;
} measured;

typedef struct job {
    cam_estimate *estimate;
    cam_distinct trials, groups;
    cam_keys keys; /* if there is a store */
    measured *by_group, *by_class;
} job;

/* Designs of 8 to 32 cores do about this on one processor. */
static const measured usual = {.seconds = 1, .cycles = 2e6, .operations = 7e5};
static const double usual_tour = 1;

/* ---- From results. */

static void add_measured(measured *sum, const cam_row *row, double seconds) {
    sum->trials++;
    sum->seconds += seconds;
    sum->cycles += (double)row->cycles;
    sum->operations += (double)row->operations;
}

static col_status take_row(void *context, const cam_row *row, col_problem *problem) {
    job *j = context;
    const cam_trial trial = {.kind = row->kind, .pairs = row->pairs, .pair_count = row->pair_count};
    const size_t group = cam_distinct_place(&j->groups, &trial);
    const size_t class = cam_distinct_place(&j->estimate->classes, &trial);
    (void)problem;
    if (!row->is_done)
        return COL_OK;
    /* A trial of the same settings may be of a design that has changed since. */
    const size_t position = cam_distinct_place(&j->trials, &trial);
    if (position != SIZE_MAX && !j->estimate->is_done[position] &&
        strcmp(row->key, j->keys.keys[position]) == 0) {
        j->estimate->is_done[position] = true;
        j->estimate->done++;
    }
    if (group != SIZE_MAX)
        add_measured(&j->by_group[group], row, row->seconds);
    /* Up to the error, if one ended the trial: the time to record it would distort the rate of a
     * short trial. */
    const bool is_by_error =
        row->ended_by != NULL && strcmp(row->ended_by, col_endings[COL_ENDED_BY_ERROR]) == 0;
    if (class != SIZE_MAX)
        add_measured(&j->by_class[class], row, is_by_error ? row->failure_seconds : row->seconds);
    return COL_OK;
}

/* ---- From budgets. */

/* Engines draw the operations of a test from its range, doubling from one value to the next. */
static double mean_operations(col_range range) {
    double sum = 0, count = 0;
    for (uint64_t size = range.least; size <= range.most; size *= 2, count++)
        sum += (double)size;
    return sum / count;
}

/* The first budget that is spent; those that are off are never. */
static double seconds_of_episode(const cam_trial *trial, const measured *rate, bool *is_time) {
    col_episode_settings s;
    double seconds = INFINITY;
    *is_time = false;
    if (cam_trial_episode(trial, &s, NULL) != COL_OK)
        return 0;
    const double of_test = mean_operations(s.operations) * rate->seconds / rate->operations;
    const bool has_one = /* as trial_run.c has it */
        trial->kind == CAM_LOCATIONS && cam_trial_value(trial, "instances") == NULL;
    const uint32_t instances = has_one ? 1 : s.instances;
    if (s.tests > 0)
        seconds = fmin(seconds, (double)s.tests * instances * of_test);
    if (s.cycles > 0 && trial->kind == CAM_EPISODE)
        seconds = fmin(seconds, (double)s.cycles * rate->seconds / rate->cycles);
    if (s.seconds > 0 && s.seconds <= seconds) {
        *is_time = true;
        seconds = s.seconds;
    }
    return seconds;
}

static double estimate_trial(const job *j, size_t position, bool is_calibrated, cam_basis *basis) {
    assert(j->by_group != NULL && j->by_class != NULL);
    const cam_trial *trial = &j->estimate->plan->trials[position];
    const measured *group = &j->by_group[cam_distinct_place(&j->groups, trial)];
    const measured *class = &j->by_class[cam_distinct_place(&j->estimate->classes, trial)];

    bool is_time = false;
    *basis = CAM_BASIS_RESULTS;
    if (group->trials > 0)
        return group->seconds / (double)group->trials;
    const bool is_measured = class->seconds > 0 && class->operations > 0 && class->cycles > 0;
    *basis = !is_measured    ? CAM_BASIS_NONE
             : is_calibrated ? CAM_BASIS_CALIBRATION
                             : CAM_BASIS_RATES;
    if (trial->kind == CAM_TOUR)
        return class->trials > 0 ? class->seconds / (double)class->trials : usual_tour;
    const double seconds = seconds_of_episode(trial, is_measured ? class : &usual, &is_time);
    if (is_time)
        *basis = CAM_BASIS_BUDGET;
    return seconds;
}

/* ---- Calibration. */

static col_status calibrate_episode(const cam_trial *trial, const volatile int *stop,
                                    measured *class, col_problem *problem) {
    static const double enough = 0.05, longest = 4; /* seconds */
    col_episode_settings s;
    col_status status = cam_trial_episode(trial, &s, problem);
    if (trial->kind == CAM_LOCATIONS)
        s.mix = NULL;              /* may be several */
    s.setting.design.error = NULL; /* it would end at the error */
    s.setting.design.mutant = 0;
    s.tests = 0;
    s.until_coverage = 0;
    s.instances = 1;
    s.keep_going = s.repeat = true;
    s.stop = stop;
    /* What other processes take of the machine is not the trial's: processor time, of which there
     * is to be enough that opening the design does not count for much. */
    const bool is_here =
        duv_kind_of(s.setting.design.name)->wait == NULL && !s.setting.design.own_process;
    double processor = 0;
    for (s.seconds = 0.15;
         status == COL_OK && processor < enough && s.seconds < longest && !base_is_stopped(stop);
         s.seconds *= 2) {
        col_episode episode = {0};
        const double start = base_processor_seconds();
        status = col_episode_run(&s, &episode, problem);
        processor = is_here ? base_processor_seconds() - start : episode.seconds;
        *class = (measured){.seconds = processor,
                            .cycles = (double)episode.cycles,
                            .operations = (double)episode.operations,
                            .trials = 1};
        col_episode_free(&episode);
    }
    return status;
}

typedef struct tour_watch {
    double first, last; /* when operations came */
    uint64_t operations;
} tour_watch;

static bool take_operation(void *context, col_tour_operation operation) {
    enum { GLANCE = 1024 }; /* operations between looks at the clock */
    static const double longest = 0.2;
    tour_watch *watch = context;
    (void)operation;
    if (watch->operations++ % GLANCE != 0)
        return true;
    watch->last = base_processor_seconds();
    if (watch->operations == 1)
        watch->first = watch->last;
    return watch->last - watch->first < longest;
}

/* A tour that is too long to be made here has at least the operations of a shortest one or, by
 * chance, at most those that it may have. It is made twice, once to be counted. */
static col_status calibrate_tour(const cam_trial *trial, measured *class, col_problem *problem) {
    const double start = base_processor_seconds();
    tour_watch watch = {0};
    col_tour_settings s;
    col_tour_results r = {0};
    col_status status = cam_trial_tour(trial, &s, problem);
    s.take = take_operation;
    s.context = &watch;
    BASE_THEN(status, col_tour(&s, &r, problem));
    const bool is_by_chance = s.method == COL_TOUR_RANDOM || s.method == COL_TOUR_JAMMER;
    const double whole = (double)(is_by_chance    ? s.most_operations
                                  : r.optimum > 0 ? r.optimum
                                                  : r.transitions);
    const double pace = (watch.last - watch.first) / (double)(watch.operations + 1);
    const bool is_cut = r.seconds <= 0 && whole > (double)watch.operations;
    *class = (measured){.seconds = is_cut ? 2 * (watch.first - start + pace * whole)
                                          : base_processor_seconds() - start,
                        .cycles = 1,
                        .operations = 1,
                        .trials = 1};
    return status;
}

/* Of each class that nothing is known of, the first trial that is not done. */
static col_status calibrate(job *j, const volatile int *stop, bool *is_calibrated,
                            col_problem *problem) {
    const cam_estimate *e = j->estimate;
    col_status status = COL_OK;
    for (size_t i = 0; i < e->plan->trial_count && status == COL_OK; i++) {
        const cam_trial *trial = &e->plan->trials[i];
        const size_t class = cam_distinct_place(&e->classes, trial);
        cam_basis basis = CAM_BASIS_NONE;
        if (e->is_done[i] || j->by_class[class].trials > 0)
            continue;
        (void)estimate_trial(j, i, false, &basis);
        if (basis != CAM_BASIS_NONE)
            continue;
        status = trial->kind == CAM_TOUR
                     ? calibrate_tour(trial, &j->by_class[class], problem)
                     : calibrate_episode(trial, stop, &j->by_class[class], problem);
        is_calibrated[class] = true;
        if (base_is_stopped(stop))
            return base_fail(problem, "stopped");
    }
    return status;
}

/* ---- All together. */

static col_status begin(job *j, const cam_plan *plan, col_problem *problem) {
    static const char *const class_names[] = {"design", "cores",    "engine",    "protocol",
                                              "method", "clusters", "inclusive", NULL};
    cam_estimate *e = j->estimate;
    *e = (cam_estimate){.plan = plan};
    BASE_TRY(base_new(&e->seconds, plan->trial_count, sizeof *e->seconds, problem));
    BASE_TRY(base_new(&e->is_done, plan->trial_count, sizeof *e->is_done, problem));
    BASE_TRY(cam_distinct_find(&e->classes, plan, class_names, problem));
    BASE_TRY(cam_distinct_find(&j->trials, plan, cam_all_settings, problem));
    BASE_TRY(cam_distinct_find(&j->groups, plan, cam_all_but_seed, problem));
    BASE_TRY(base_new(&j->by_group, j->groups.count, sizeof *j->by_group, problem));
    return base_new(&j->by_class, e->classes.count, sizeof *j->by_class, problem);
}

static void sum_up(job *j, const bool *is_calibrated) {
    cam_estimate *e = j->estimate;
    for (size_t i = 0; i < e->plan->trial_count; i++) {
        cam_basis basis = CAM_BASIS_NONE;
        const size_t class = cam_distinct_place(&e->classes, &e->plan->trials[i]);
        e->seconds[i] = estimate_trial(j, i, is_calibrated[class], &basis);
        if (e->is_done[i])
            continue;
        e->trials[basis]++;
        e->remaining += e->seconds[i];
        e->longest = fmax(e->longest, e->seconds[i]);
    }
}

col_status cam_estimate_make(cam_estimate *estimate, const cam_plan *plan, cam_store *store,
                             bool calibrates, const volatile int *stop, col_problem *problem) {
    job j = {.estimate = estimate};
    col_status status = begin(&j, plan, problem);
    bool *is_calibrated = calloc(plan->trial_count, sizeof *is_calibrated);
    if (status == COL_OK && is_calibrated == NULL)
        status = base_out_of_memory(problem);
    if (status == COL_OK && store != NULL)
        status = cam_keys_make(&j.keys, plan, problem);
    if (status == COL_OK && store != NULL)
        status = cam_store_each(store, NULL, 0, take_row, &j, problem);
    if (status == COL_OK && calibrates)
        status = calibrate(&j, stop, is_calibrated, problem);
    if (status == COL_OK)
        sum_up(&j, is_calibrated);
    free(is_calibrated);
    free(j.by_group);
    free(j.by_class);
    cam_keys_free(&j.keys);
    cam_distinct_free(&j.trials);
    cam_distinct_free(&j.groups);
    return status;
}

void cam_estimate_free(cam_estimate *estimate) {
    free(estimate->seconds);
    free(estimate->is_done);
    cam_distinct_free(&estimate->classes);
    *estimate = (cam_estimate){0};
}

double cam_estimate_wall(const cam_estimate *estimate, uint32_t jobs) {
    return fmax(estimate->remaining / jobs, estimate->longest);
}

/* ---- While a campaign runs. */

void cam_pace_free(cam_pace *pace) {
    free(pace->classes);
    *pace = (cam_pace){0};
}

static struct cam_pace_class *class_of(const cam_pace *pace, size_t position) {
    const cam_estimate *e = pace->estimate;
    return &pace->classes[cam_distinct_place(&e->classes, &e->plan->trials[position])];
}

col_status cam_pace_begin(cam_pace *pace, const cam_estimate *estimate, col_problem *problem) {
    *pace = (cam_pace){.estimate = estimate};
    BASE_TRY(base_new(&pace->classes, estimate->classes.count + 1, sizeof *pace->classes, problem));
    for (size_t i = 0; i < estimate->plan->trial_count; i++)
        if (!estimate->is_done[i])
            class_of(pace, i)->left += estimate->seconds[i];
    return COL_OK;
}

void cam_pace_end_trial(cam_pace *pace, size_t position, double seconds) {
    const double expected = pace->estimate->seconds[position];
    struct cam_pace_class *const both[] = {class_of(pace, position),
                                           &pace->classes[pace->estimate->classes.count]};
    for (int i = 0; i < 2; i++) {
        both[i]->expected += expected;
        both[i]->taken += seconds;
    }
    both[0]->left -= expected;
}

double cam_pace_left(const cam_pace *pace, double spent) {
    const struct cam_pace_class *all = &pace->classes[pace->estimate->classes.count];
    double left = 0;
    if (all->expected <= 0)
        return -1;
    for (const struct cam_pace_class *c = pace->classes; c < all; c++) {
        const struct cam_pace_class *known = c->expected > 0 ? c : all;
        left += c->left * known->taken / known->expected;
    }
    return fmax(left - spent, 0);
}
