/* SPDX-License-Identifier: MIT */
/* An episode on the screen: see progress.h. */
#include "cli/progress.h"

#include "cli/diagnose.h"
#include "cover/coverage_show.h"
#include "episode/user_programs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Lines of progress that fit. */

void cli_progress_line_add(cli_progress_line *line, uint32_t rank, const char *format, ...) {
    if (line->count == CLI_MOST_PARTS)
        return;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line->parts[line->count].text, sizeof line->parts[0].text, format, arguments);
    va_end(arguments);
    base_make_printable(line->parts[line->count].text, false);
    line->parts[line->count++].rank = rank;
}

void cli_progress_add_time(base_text *text, double seconds) {
    const unsigned long long whole = seconds < 1e15 ? (unsigned long long)(seconds + 0.5) : 0;
    if (whole >= 3600)
        base_text_print(text, "%llu h %02llu min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        base_text_print(text, "%llu min %02llu s", whole / 60, whole % 60);
    else
        base_text_print(text, "%llu s", whole);
}

void cli_progress_line_add_share(cli_progress_line *line, uint32_t rank, double fraction,
                                 double seconds) {
    if (!(fraction > 0))
        return;
    const double done = fraction < 1 ? fraction : 1;
    base_text left = {0};
    cli_progress_add_time(&left, seconds * (1 - done) / done);
    if (left.data != NULL)
        cli_progress_line_add(line, rank, "%.0f %%, %s left", 100 * done, left.data);
    base_text_free(&left);
}

/* Characters that fit into a line of standard error, so that the next one stays free. */
static int columns(void) {
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1
                                                                               : 79;
}

/* Columns that the parts up to this rank take. */
static int width_up_to(const cli_progress_line *line, uint32_t rank) {
    int width = -2;
    for (uint32_t i = 0; i < line->count; i++)
        if (line->parts[i].rank <= rank)
            width += 2 + (int)base_characters(line->parts[i].text);
    return width;
}

/* The parts that fit into this many columns, with two blanks between; 0 columns: all. */
static void join_line(const cli_progress_line *line, int columns, base_text *text) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < line->count; i++)
        rank = line->parts[i].rank > rank ? line->parts[i].rank : rank;
    while (columns > 0 && rank > 0 && width_up_to(line, rank) > columns)
        rank--;
    const char *separator = "";
    for (uint32_t i = 0; i < line->count; i++) {
        if (line->parts[i].rank > rank)
            continue;
        base_text_print(text, "%s%s", separator, line->parts[i].text);
        separator = "  ";
    }
}

/* What goes first where not all fits. The coverage of all machines, and of the last one, where what
 * is not yet covered is usually found, stay as long as anything does. */
enum { ALWAYS, SHARE, LAST_MACHINE, TESTS, RATE, SETTING, MACHINES };

static double share(double used, double budget) {
    return budget > 0 ? used / budget : 0;
}

static double greater(double a, double b) {
    return a > b ? a : b;
}

/* The episode ends by the budget that is used up first. */
static double share_of(const col_episode_settings *s, const col_progress *p) {
    const col_covered all =
        col_coverage_of(p->coverage, COL_CUMULATIVE, s->metric, COL_ALL_MACHINES);
    double used = share(p->seconds, s->seconds);
    used = greater(used, share((double)p->tests, (double)s->tests));
    used = greater(used, share((double)p->cycles, (double)s->cycles));
    return greater(used, share(all.fraction, s->until_coverage));
}

static void make_line(const cli_progress_display *d, const col_progress *p,
                      cli_progress_line *line) {
    const double rate = p->seconds > 0 ? (double)p->operations / p->seconds / 1e6 : 0;
    cli_progress_line_add(line, ALWAYS, "%6.1f s", p->seconds);
    if (d->settings != NULL)
        cli_progress_line_add_share(line, SHARE, share_of(d->settings, p), p->seconds);
    cli_progress_line_add(line, TESTS, "%llu test%s", (unsigned long long)p->tests,
                          base_plural(p->tests));
    cli_progress_line_add(line, RATE, "%.2f M operations/s", rate);
    const col_covered all =
        col_coverage_of(p->coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES);
    cli_progress_line_add(line, ALWAYS, "covered %u/%u", all.covered, all.total);
    for (uint32_t m = 0; col_coverage_machine(p->coverage, m) != NULL; m++) {
        const col_covered c = col_coverage_of(p->coverage, COL_CUMULATIVE, COL_STRUCTURAL, m);
        const bool is_last = col_coverage_machine(p->coverage, m + 1) == NULL;
        cli_progress_line_add(line, is_last ? LAST_MACHINE : MACHINES, "%s %u/%u",
                              col_coverage_machine(p->coverage, m), c.covered, c.total);
    }
    char sets[32] = "";
    if (p->point.sets > 0)
        (void)snprintf(sets, sizeof sets, ", %u set%s", p->point.sets, base_plural(p->point.sets));
    cli_progress_line_add(line, SETTING, "(%u operation%s, %u location%s%s)", p->point.operations,
                          base_plural(p->point.operations), p->point.locations,
                          base_plural(p->point.locations), sets);
}

bool cli_progress_is_due(cli_progress_display *d, double seconds) {
    if (d->quiet)
        return false;
    if (!d->started) {
        d->started = true;
        d->is_terminal = isatty(STDERR_FILENO) == 1;
        d->shown = d->is_terminal ? -1 : 0;
    }
    const double pause = d->is_terminal ? 0.1 : 10;
    if (seconds - d->shown < pause)
        return false;
    d->shown = seconds;
    return true;
}

/* How many bytes the first characters of a UTF-8 text take, this many of them. */
static int cut(const char *line, int most) {
    int length = 0, characters = 0;
    for (; line[length] != '\0'; length++) {
        if ((line[length] & 0xc0) == 0x80)
            continue;
        if (characters == most)
            break;
        characters++;
    }
    return length;
}

/* A line that does not fit would go on in the next one, and stay there. */
void cli_progress_put(const cli_progress_display *d, base_text *text) {
    char *line = text->data;
    if (line != NULL)
        base_make_printable(line, false);
    if (line != NULL && d->is_terminal) {
        const int most = columns(), characters = (int)base_characters(line);
        (void)fprintf(stderr, "\r%.*s%*s", cut(line, most), line,
                      characters < most ? most - characters : 0, "");
    } else if (line != NULL) {
        base_print(stderr, "%s\n", line);
    }
    (void)fflush(stderr);
    base_text_free(text);
}

void cli_progress_put_line(const cli_progress_display *d, const cli_progress_line *line) {
    base_text text = {0};
    join_line(line, d->is_terminal ? columns() : 0, &text);
    cli_progress_put(d, &text);
}

void cli_progress_show(void *context, const col_progress *progress) {
    cli_progress_display *d = context;
    cli_progress_line line = {.count = 0};
    if (!cli_progress_is_due(d, progress->seconds))
        return;
    make_line(d, progress, &line);
    cli_progress_put_line(d, &line);
}

void cli_progress_end(cli_progress_display *display) {
    if (display->started && display->is_terminal && !display->quiet)
        (void)fprintf(stderr, "\r%*s\r", columns(), "");
}

enum { MOST_PROGRAMS = 20, MOST_SHOWN = 5, MOST_VALUES = 8, MOST_KINDS = 10 };

/* ---- Outcomes. */

/* "0:1 a1=2" is what operation 1 of thread 0 read; "a1=2" what the location held at the end. */
static void print_outcome(const col_seen_outcome *outcome) {
    base_print(stdout, "  %8llu ", (unsigned long long)outcome->count);
    for (uint32_t i = 0; i < outcome->seen_count; i++) {
        const col_seen *s = &outcome->seen[i];
        base_print(stdout, "%s ", i == 0 ? "" : ",");
        if (s->operation != COL_FINAL)
            base_print(stdout, "%u:%u ", s->thread, s->operation);
        base_print(stdout, "a%u", s->location);
        base_print(stdout, "=%llu", (unsigned long long)(s->word & UINT32_MAX));
        if (s->word >> 32 != 0)
            base_print(stdout, " and %llu added", (unsigned long long)(s->word >> 32));
    }
    base_print(stdout, "%s\n", outcome->seen_count == 0 ? " nothing read or written" : "");
}

static col_status print_given(const col_given *given, col_problem *problem) {
    const char *least = given->others > 0 ? "at least " : "";
    base_print(stdout, "%s: %s%zu outcome%s in %llu instance%s", given->path, least,
               given->outcome_count, base_plural(given->outcome_count),
               (unsigned long long)given->instances, base_plural(given->instances));
    if (given->passed < given->instances)
        base_print(stdout, ", %llu of which failed",
                   (unsigned long long)(given->instances - given->passed));
    base_print(stdout, "\n");
    /* The outcomes themselves where they are short. */
    const col_seen_outcome **sorted = epi_given_by_count(given);
    if (sorted == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < given->outcome_count; i++) {
        if (sorted[i]->seen == NULL || sorted[i]->seen_count > MOST_VALUES)
            break;
        if (i == MOST_SHOWN) {
            base_print(stdout, "           and %zu more\n", given->outcome_count - i);
            break;
        }
        print_outcome(sorted[i]);
    }
    free(sorted);
    return COL_OK;
}

/* A line or a few for each program; nothing unless programs were given. */
static col_status print_outcomes(const col_episode *episode, col_problem *problem) {
    col_status status = COL_OK;
    for (size_t i = 0; status == COL_OK && i < episode->given_count; i++) {
        if (i == MOST_PROGRAMS) {
            base_print(stdout, "and %zu more programs: --json FILE has all of them\n",
                       episode->given_count - i);
            break;
        }
        if (episode->given[i].tests > 0)
            status = print_given(&episode->given[i], problem);
    }
    return status;
}

/* ---- Kinds of failures. */

static int by_count(const void *a, const void *b) {
    const col_failure_kind *const *x = a, *const *y = b;
    if ((*x)->count != (*y)->count)
        return (*x)->count > (*y)->count ? -1 : 1;
    return *x < *y ? -1 : *x > *y; /* as they came */
}

/* "30 failures, 4 kinds", and a line or two for each kind; nothing unless several tests failed. */
static void print_kinds(const col_episode *e) {
    uint64_t told = 0;
    if (e->failures < 2)
        return;
    const col_failure_kind **sorted = calloc(e->kind_count + 1, sizeof *sorted);
    for (size_t i = 0; sorted != NULL && i < e->kind_count; i++) {
        sorted[i] = &e->kinds[i];
        told += e->kinds[i].count;
    }
    base_print(stdout, "%llu failures, %s%zu kind%s\n", (unsigned long long)e->failures,
               told < e->failures ? "at least " : "", e->kind_count, base_plural(e->kind_count));
    if (sorted != NULL)
        qsort(sorted, e->kind_count, sizeof *sorted, by_count);
    for (size_t i = 0; sorted != NULL && i < e->kind_count && i < MOST_KINDS; i++) {
        const col_failure *f = &sorted[i]->smallest;
        base_print(stdout, "  %6llu  %s\n", (unsigned long long)sorted[i]->count,
                   f->fingerprint.text);
        base_print(stdout, "          smallest: %u operation%s, test %llu, instance %u",
                   f->operations, base_plural(f->operations), (unsigned long long)f->test,
                   f->instance);
        if (f->folder[0] != '\0')
            base_print(stdout, ": %s", f->folder);
        base_print(stdout, "\n");
    }
    if (e->kind_count > MOST_KINDS)
        base_print(stdout, "  and %zu more kinds: --json FILE has all of them\n",
                   e->kind_count - MOST_KINDS);
    free(sorted);
}

/* ---- The result. */

/* Of what is defined; of that, what is reachable in the protocol, and what is known to be reachable
 * here or, where nothing is known of that, not ruled out. Denominators that are
 * the same as the one before are not repeated. */
static void print_coverage(const cov_form *form, const char *name, const col_covered *c,
                           const col_here *here, bool taken_known) {
    base_print(stdout, "  %-*s %4u of %4u %s, %5.1f %%", form->width, name, c->covered, c->total,
               form->noun, 100 * c->fraction);
    if (c->reachable_known && c->reachable < c->total)
        base_print(stdout, "; %u of %u reachable ones, %.1f %%", c->reached, c->reachable,
                   100 * c->reached_fraction);
    if (here->known && here->total < (c->reachable_known ? c->reachable : c->total))
        base_print(stdout, "; %u of %u %s, %.1f %%", here->covered, here->total,
                   taken_known ? "known reachable here" : "not ruled out here",
                   100 * here->fraction);
    if (c->unexpected > 0)
        base_print(stdout, "; %u not known to be reachable", c->unexpected);
    base_print(stdout, "\n");
}

static void print_extent(const cov_form *form, const col_coverage *coverage, const char *name,
                         uint32_t machine) {
    const col_covered c = col_coverage_of(coverage, COL_CUMULATIVE, COL_STRUCTURAL, machine);
    const col_here known = col_coverage_known_here(coverage, COL_STRUCTURAL, machine);
    const col_here here =
        known.known ? known : col_coverage_here(coverage, COL_STRUCTURAL, machine);
    if (c.total > 0 || machine == COL_ALL_MACHINES) /* none: the design leaves the machine out */
        print_coverage(form, name, &c, &here, known.known);
}

enum { MOST_HOLES = 12 }; /* of a machine */

/* A few points of the curve, each with at least twice the tests of the one
 * before. */
static void print_rise(const col_episode *episode) {
    uint64_t tests = 0;
    if (episode->tests == 0)
        return;
    base_print(stdout, "  rose to     ");
    for (size_t i = 0; i < episode->curve_count; i++) {
        const col_curve_point *p = &episode->curve[i];
        const bool is_last = i + 1 == episode->curve_count;
        if (p->tests == tests || (p->tests < 2 * tests && !is_last))
            continue;
        base_print(stdout, "%s %u after %llu", tests == 0 ? "" : ",", p->structural,
                   (unsigned long long)p->tests);
        tests = p->tests;
    }
    base_print(stdout, " test%s\n", base_plural(tests));
}

static void print_verdict(const col_episode *episode, uint64_t waived) {
    if (episode->outcome == COL_PASS) {
        cli_paint(stdout, CLI_GREEN, waived > 0 ? "no new error found" : "no error found");
        base_print(stdout, " (ended by %s)\n", col_endings[episode->ending]);
    } else if (episode->outcome == COL_UNJUDGED) {
        base_print(stdout,
                   "undecided: no error found, but %llu of %llu instances were not judged\n",
                   (unsigned long long)episode->undecided, (unsigned long long)episode->instances);
    } else {
        cli_paint(stdout, CLI_RED, col_outcomes[episode->outcome]);
        base_print(stdout, ": %s\n", episode->failure.reason);
    }
}

col_status cli_progress_print_result(const col_episode_settings *settings,
                                     const col_episode *episode, uint64_t waived,
                                     col_problem *problem) {
    const col_coverage *coverage = episode->coverage;
    base_print(stdout,
               "%s, %u core%s, %s, %s, seed %llu: %llu test%s, %llu instance%s, %llu operation%s, "
               "%llu cycle%s in %.1f s\n",
               episode->design, episode->cores, base_plural(episode->cores), episode->model_name,
               settings->engine, (unsigned long long)settings->seed,
               (unsigned long long)episode->tests, base_plural(episode->tests),
               (unsigned long long)episode->instances, base_plural(episode->instances),
               (unsigned long long)episode->operations, base_plural(episode->operations),
               (unsigned long long)episode->cycles, base_plural(episode->cycles), episode->seconds);
    const cov_form form = cov_form_of(coverage);
    for (uint32_t m = 0; col_coverage_machine(coverage, m) != NULL; m++)
        print_extent(&form, coverage, col_coverage_machine(coverage, m), m);
    print_extent(&form, coverage, "all", COL_ALL_MACHINES);
    const col_covered each =
        col_coverage_of(coverage, COL_CUMULATIVE, COL_FUNCTIONAL, COL_ALL_MACHINES);
    print_rise(episode);
    base_print(stdout, "  %-*s %4u of %4u %s, %5.1f %%\n", form.width, "functional", each.covered,
               each.total, form.noun, 100 * each.fraction);
    if (episode->watched.tests > 0)
        base_print(stdout, "  of %u instances of a test %.2f differ; non-determinism %.3f\n",
                   episode->test_instances,
                   (double)episode->watched.outcomes / (double)episode->watched.tests,
                   episode->watched.nondeterminism / (double)episode->watched.tests);
    const col_status status = print_outcomes(episode, problem);
    /* After an error there is something else to look at, and given programs are not for coverage.
     */
    if (episode->ending != COL_ENDED_BY_ERROR && episode->given == NULL) {
        base_text text = {0};
        cov_holes_text(coverage, NULL, MOST_HOLES, &text);
        if (text.failed)
            base_print_lost();
        else if (text.data != NULL)
            base_print(stdout, "never taken:\n%s", text.data);
        base_text_free(&text);
    }
    if (episode->outcome == COL_INCOMPLETE)
        base_print(stdout,
                   "incomplete: no error found, but the episode did not get to its end (ended by "
                   "%s)\n",
                   col_endings[episode->ending]);
    else
        print_verdict(episode, waived);
    print_kinds(episode);
    return status;
}
