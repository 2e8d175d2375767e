/* SPDX-License-Identifier: MIT */
/*
 * The report as test results for systems of continuous integration (JUnit's XML as Jenkins and
 * GitLab read it): a suite for each plan, a case for each group. What fails a case is said by its
 * type: error-found, error-missed, mutant-survived; not-run and undecided are errors. One case
 * never has two of them: the first in this order counts that a person would look at first.
 */
#include "base/text.h"
#include "results/report/junit.h"
#include "results/report/report.h"

#include <stdlib.h>
#include <string.h>

/* This many failures of a group are shown in its case; and no stories beyond this many bytes, since
 * GitLab takes files up to 30 MB. */
enum { MOST_TOLD = 5, MOST_STORIES = 10000000, NO_FAILURE = UINT32_MAX };

typedef enum case_end {
    PASSED,
    ERROR_FOUND,     /* in a design that none was put into */
    ERROR_MISSED,    /* one was put in, and no trial found it */
    MUTANT_SURVIVED, /* the same of mutants, some of which behave as the design does */
    NOT_RUN,         /* a trial could not be run */
    UNDECIDED,       /* nothing is wrong, but of some instances nobody knows */
    UNFINISHED,      /* nothing is wrong so far, but not all trials are done */
    ENDING_COUNT
} case_end;
static const char *const types[ENDING_COUNT] = {
    "", "error-found", "error-missed", "mutant-survived", "not-run", "undecided", "unfinished"};

/* The failures of each group as lists. */
typedef struct failure_lists {
    uint32_t *first; /* by group */
    uint32_t *next;  /* by failure */
} failure_lists;

static case_end ending_of(const rep_group *group) {
    if (group->found > 0 && !group->hunts)
        return ERROR_FOUND;
    if (group->failed > 0)
        return NOT_RUN;
    if (group->found > 0)
        return PASSED; /* one seed is enough: others may miss it */
    if (group->undecided > 0)
        return UNDECIDED;
    if (group->done < group->trials)
        return UNFINISHED;
    if (!group->hunts)
        return PASSED;
    return group->mutant != NULL ? MUTANT_SURVIVED : ERROR_MISSED;
}

static rep_junit_end end_of(case_end ending) {
    static const rep_junit_end ends[ENDING_COUNT] = {REP_PASSED, REP_FAILED, REP_FAILED, REP_FAILED,
                                                     REP_ERROR,  REP_ERROR,  REP_SKIPPED};
    return ends[ending];
}

static void count(rep_junit_tally *totals, const rep_group *group) {
    rep_junit_count(totals, end_of(ending_of(group)), group->seconds);
}

/* ---- What went wrong, as a sentence and in full. The text is not escaped yet. */

static void say(base_text *said, const rep_group *group, case_end ending) {
    switch (ending) {
    case ERROR_FOUND:
        base_text_print(said, "%u of %u trial%s found an error although none was injected",
                        group->found, group->done, base_plural(group->done));
        if (group->finding != NULL)
            base_text_print(said, "; seed %llu: %s", (unsigned long long)group->finding_seed,
                            group->finding);
        break;
    case NOT_RUN:
        base_text_print(said, "%u of %u trial%s could not be run; seed %llu: %s", group->failed,
                        group->trials, base_plural(group->trials),
                        (unsigned long long)group->reason_seed,
                        group->reason == NULL ? "no reason was given" : group->reason);
        break;
    case UNDECIDED:
        base_text_print(said,
                        "%u of %u trial%s undecided: %llu instance%s could not be judged in time",
                        group->undecided, group->done, base_plural(group->done),
                        (unsigned long long)group->unjudged, base_plural(group->unjudged));
        break;
    case MUTANT_SURVIVED:
        base_text_print(said, "none of %u trial%s found what is wrong with mutant %s", group->done,
                        base_plural(group->done), group->mutant);
        break;
    case ERROR_MISSED:
        base_text_print(said, "none of %u trial%s found the injected error %s", group->done,
                        base_plural(group->done), group->error == NULL ? "" : group->error);
        break;
    case UNFINISHED:
        base_text_print(said, "%u of %u trial%s are done", group->done, group->trials,
                        base_plural(group->trials));
        break;
    default:
        break;
    }
}

static void tell(base_text *said, const rep_report *report, const failure_lists *failures,
                 uint32_t group, bool with_story) {
    uint32_t told = 0;
    for (uint32_t i = failures->first[group]; i != NO_FAILURE && told < MOST_TOLD;
         i = failures->next[i], told++) {
        const rep_failure *failure = &report->failures[i];
        base_text_print(said, "\nseed %llu: %s in test %llu, instance %u: %s\n",
                        (unsigned long long)failure->seed, failure->verdict,
                        (unsigned long long)failure->test, failure->instance, failure->reason);
        if (failure->command != NULL)
            base_text_print(said, "%s\n", failure->command);
        if (told == 0 && with_story && failure->story != NULL)
            base_text_print(said, "\n%s\n", failure->story);
    }
    if (report->groups[group].found > told && told == MOST_TOLD)
        base_text_print(said, "\nand %u more\n", report->groups[group].found - told);
}

/* ---- Cases and suites. A plan may have been run at several scales. */

static void add_case(base_text *text, const rep_report *report, const failure_lists *failures,
                     uint32_t place) {
    const rep_group *group = &report->groups[place];
    const rep_plan *plan = &report->plans[group->plan];
    const case_end ending = ending_of(group);
    base_text said = {0};
    say(&said, group, ending);
    char *sentence = said.data == NULL ? NULL : strdup(said.data);
    if (ending == ERROR_FOUND)
        tell(&said, report, failures, place, text->length < MOST_STORIES);
    if (ending == PASSED && group->hunts)
        base_text_print(&said, "found by %u of %u trial%s", group->found, group->done,
                        base_plural(group->done));
    rep_junit_add(text, &(rep_junit_case){.class_name = plan->name,
                                          .scale = plan->scale,
                                          .name = group->name,
                                          .seconds = group->seconds,
                                          .end = end_of(ending),
                                          .type = types[ending],
                                          .message = sentence,
                                          .text = said.data});
    text->failed |= sentence == NULL && ending != PASSED;
    free(sentence);
    base_text_free_part(&said, text);
}

static void add_suite(base_text *text, const rep_report *report, const failure_lists *failures,
                      uint32_t number) {
    const rep_plan *plan = &report->plans[number];
    char timestamp[40] = "";
    rep_junit_suite suite = {.name = plan->name, .scale = plan->scale};
    for (uint32_t i = 0; i < report->group_count; i++)
        if (report->groups[i].plan == number)
            count(&suite.tally, &report->groups[i]);
    if (report->last != NULL) {
        (void)snprintf(timestamp, sizeof timestamp, "%.20sT00:00:00", report->last);
        suite.timestamp = timestamp;
    }
    if (report->host_count > 0)
        suite.host = report->hosts[0];
    rep_junit_begin_suite(text, &suite);
    for (uint32_t i = 0; i < report->group_count; i++)
        if (report->groups[i].plan == number)
            add_case(text, report, failures, i);
    rep_junit_end_suite(text);
}

static bool list_failures(const rep_report *report, failure_lists *failures) {
    failures->first = calloc((size_t)report->group_count + 1, sizeof *failures->first);
    failures->next = calloc((size_t)report->failure_count + 1, sizeof *failures->next);
    if (failures->first == NULL || failures->next == NULL)
        return false;
    for (uint32_t i = 0; i < report->group_count; i++)
        failures->first[i] = NO_FAILURE;
    for (uint32_t i = report->failure_count; i-- > 0;) {
        const uint32_t group = report->failures[i].group;
        failures->next[i] = failures->first[group];
        failures->first[group] = i;
    }
    return true;
}

void rep_junit_text(const rep_report *report, base_text *text) {
    failure_lists failures = {0};
    rep_junit_tally totals = {0};
    if (!list_failures(report, &failures))
        text->failed = true;
    for (uint32_t i = 0; i < report->group_count; i++)
        count(&totals, &report->groups[i]);
    rep_junit_begin(text, report->title, &totals);
    for (uint32_t i = 0; i < report->plan_count && !text->failed; i++)
        add_suite(text, report, &failures, i);
    rep_junit_finish(text);
    free(failures.first);
    free(failures.next);
}
