/* SPDX-License-Identifier: MIT */
/*
 * The report as test results for systems of continuous integration (JUnit's XML as Jenkins and
 * GitLab read it): a suite for each plan, a case for each group. What fails a case is said by its
 * type: error-found, error-missed, mutant-survived; not-run and undecided are errors. One case
 * never has two of them: the first in this order counts that a person would look at first.
 */
#include "base/text.h"
#include "results/report/report.h"
#include "results/report/report_escape.h"

#include <math.h>
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

typedef struct tally {
    uint32_t tests, failures, errors, skipped;
    double seconds;
} tally;

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

static void count(tally *totals, const rep_group *group) {
    const case_end ending = ending_of(group);
    totals->tests++;
    totals->errors += ending == NOT_RUN || ending == UNDECIDED;
    totals->skipped += ending == UNFINISHED;
    totals->failures +=
        ending == ERROR_FOUND || ending == ERROR_MISSED || ending == MUTANT_SURVIVED;
    totals->seconds += group->seconds;
}

static double milliseconds(double seconds) {
    return round(seconds * 1000) / 1000;
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

static void add_outcome(base_text *text, const rep_report *report, const failure_lists *failures,
                        uint32_t place) {
    const rep_group *group = &report->groups[place];
    const case_end ending = ending_of(group);
    base_text said = {0};
    say(&said, group, ending);
    char *sentence = said.data == NULL ? NULL : strdup(said.data);
    if (ending == ERROR_FOUND)
        tell(&said, report, failures, place, text->length < MOST_STORIES);
    if (ending == PASSED)
        rep_xml_print(text, "      <system-out>found by %u of %u trial%s</system-out>\n",
                      group->found, group->done, base_plural(group->done));
    else if (ending == UNFINISHED)
        rep_xml_print(text, "      <skipped message=\"%s\"/>\n", sentence);
    else if (sentence != NULL) { /* GitLab shows what is in the element, Jenkins its message too */
        const char *element = ending == NOT_RUN || ending == UNDECIDED ? "error" : "failure";
        rep_xml_print(text, "      <%s type=\"%s\" message=\"%s\">%t</%s>\n", element,
                      types[ending], sentence, said.data, element);
    }
    text->failed |= sentence == NULL && said.length > 0;
    free(sentence);
    base_text_free_part(&said, text);
}

/* ---- Cases and suites. */

/* What tells a plan from others: it may have been run at several scales. */
static const char *dash(const rep_plan *plan) {
    return plan->scale[0] == '\0' ? "" : "-";
}

static void add_case(base_text *text, const rep_report *report, const failure_lists *failures,
                     uint32_t place) {
    const rep_group *group = &report->groups[place];
    const rep_plan *plan = &report->plans[group->plan];
    rep_xml_print(text, "    <testcase classname=\"collider.%s%s%s\" name=\"%s\" time=\"%g\"",
                  plan->name, dash(plan), plan->scale, group->name, milliseconds(group->seconds));
    if (ending_of(group) == PASSED && !group->hunts) {
        base_text_add(text, "/>\n");
        return;
    }
    base_text_add(text, ">\n");
    add_outcome(text, report, failures, place);
    base_text_add(text, "    </testcase>\n");
}

static void add_suite(base_text *text, const rep_report *report, const failure_lists *failures,
                      uint32_t number) {
    const rep_plan *plan = &report->plans[number];
    tally totals = {0};
    for (uint32_t i = 0; i < report->group_count; i++)
        if (report->groups[i].plan == number)
            count(&totals, &report->groups[i]);
    rep_xml_print(text,
                  "  <testsuite name=\"%s%s%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\""
                  " time=\"%g\" skipped=\"%u\"",
                  plan->name, dash(plan), plan->scale, totals.tests, totals.failures, totals.errors,
                  milliseconds(totals.seconds), totals.skipped);
    if (report->last != NULL)
        rep_xml_print(text, " timestamp=\"%sT00:00:00\"", report->last);
    if (report->host_count > 0)
        rep_xml_print(text, " hostname=\"%s\"", report->hosts[0]);
    base_text_add(text, ">\n");
    for (uint32_t i = 0; i < report->group_count; i++)
        if (report->groups[i].plan == number)
            add_case(text, report, failures, i);
    base_text_add(text, "  </testsuite>\n");
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
    tally totals = {0};
    if (!list_failures(report, &failures))
        text->failed = true;
    for (uint32_t i = 0; i < report->group_count; i++)
        count(&totals, &report->groups[i]);
    rep_xml_print(text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuites name=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\""
                  " time=\"%g\">\n",
                  report->title, totals.tests, totals.failures, totals.errors,
                  milliseconds(totals.seconds));
    for (uint32_t i = 0; i < report->plan_count && !text->failed; i++)
        add_suite(text, report, &failures, i);
    base_text_add(text, "</testsuites>\n");
    free(failures.first);
    free(failures.next);
}
