/* SPDX-License-Identifier: MIT */
/* An episode on the screen: see progress.h. */
#include "cli/progress.h"
#include "base/text.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void make_line(const col_progress *p, base_text *line) {
    base_text_print(line, "%6.1f s  %llu tests  %.2f M operations/s ", p->seconds,
                    (unsigned long long)p->tests,
                    p->seconds > 0 ? (double)p->operations / p->seconds / 1e6 : 0);
    for (uint32_t m = 0; col_coverage_machine(p->coverage, m) != NULL; m++) {
        const col_covered c = col_coverage_of(p->coverage, COL_CUMULATIVE, COL_STRUCTURAL, m);
        base_text_print(line, " %s %u/%u", col_coverage_machine(p->coverage, m), c.covered,
                        c.total);
    }
    base_text_print(line, "  (%u operations, %u locations", p->point.operations,
                    p->point.locations);
    if (p->point.sets > 0)
        base_text_print(line, ", %u sets", p->point.sets);
    base_text_add(line, ")");
}

/* A line that does not fit would go on in the next one, and stay there. */
static int columns(void) {
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1
                                                                               : 79;
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

/* Bytes of the first so many characters of UTF-8, and how many these are. */
static int cut(const char *line, int most, int *characters) {
    int length = 0;
    *characters = 0;
    for (; line[length] != '\0'; length++) {
        if ((line[length] & 0xc0) == 0x80)
            continue;
        if (*characters == most)
            break;
        ++*characters;
    }
    return length;
}

void cli_progress_put(const cli_progress_display *d, char *line) {
    base_make_printable(line, false);
    const int most = d->is_terminal ? columns() : 0;
    int characters = 0;
    const int length = cut(line, most, &characters);
    if (d->is_terminal)
        (void)fprintf(stderr, "\r%.*s%*s", length, line, most - characters, "");
    else
        base_print(stderr, "%s\n", line);
    (void)fflush(stderr);
}

void cli_progress_show(void *context, const col_progress *progress) {
    cli_progress_display *d = context;
    base_text line = {0};
    if (!cli_progress_is_due(d, progress->seconds))
        return;
    make_line(progress, &line);
    if (line.data != NULL)
        cli_progress_put(d, line.data);
    base_text_free(&line);
}

void cli_progress_end(cli_progress_display *display) {
    if (display->started && display->is_terminal && !display->quiet)
        (void)fprintf(stderr, "\r%*s\r", columns(), "");
}

static void print_coverage(const char *name, const col_covered *c) {
    base_print(stdout, "  %-12s %4u of %4u transitions, %5.1f %%", name, c->covered, c->total,
               100 * c->fraction);
    if (c->reachable_known && c->reachable == c->total)
        base_print(stdout, ", all known to be reachable");
    else if (c->reachable_known)
        base_print(stdout, "; %u of %u known to be reachable, %.1f %%", c->reached, c->reachable,
                   100 * c->reached_fraction);
    if (c->unexpected > 0)
        base_print(stdout, "; %u not known to be", c->unexpected);
    base_print(stdout, "\n");
}

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
    base_print(stdout, " tests\n");
}

void cli_progress_print_result(const col_episode_settings *settings, const col_episode *episode) {
    const col_coverage *coverage = episode->coverage;
    base_print(stdout,
               "%s, %u cores, %s, %s, seed %llu: %llu tests, %llu instances, "
               "%llu operations, "
               "%llu cycles in %.1f s\n",
               episode->design, episode->cores, col_models[episode->model], settings->engine,
               (unsigned long long)settings->seed, (unsigned long long)episode->tests,
               (unsigned long long)episode->instances, (unsigned long long)episode->operations,
               (unsigned long long)episode->cycles, episode->seconds);
    for (uint32_t m = 0; col_coverage_machine(coverage, m) != NULL; m++) {
        const col_covered c = col_coverage_of(coverage, COL_CUMULATIVE, COL_STRUCTURAL, m);
        print_coverage(col_coverage_machine(coverage, m), &c);
    }
    const col_covered all =
        col_coverage_of(coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES);
    const col_covered each =
        col_coverage_of(coverage, COL_CUMULATIVE, COL_FUNCTIONAL, COL_ALL_MACHINES);
    print_coverage("all", &all);
    print_rise(episode);
    base_print(stdout, "  %-12s %4u of %4u transitions, %5.1f %%\n", "functional", each.covered,
               each.total, 100 * each.fraction);
    if (episode->watched.tests > 0)
        base_print(stdout, "  of %u instances of a test %.2f differ; non-determinism %.3f\n",
                   settings->instances,
                   (double)episode->watched.outcomes / (double)episode->watched.tests,
                   episode->watched.nondeterminism / (double)episode->watched.tests);
    if (episode->outcome == COL_INCOMPLETE)
        base_print(stdout,
                   "incomplete: no error found, but the episode did not get to its end (ended by "
                   "%s)\n",
                   col_endings[episode->ending]);
    else if (episode->outcome == COL_PASS)
        base_print(stdout, "no error found (ended by %s)\n", col_endings[episode->ending]);
    else
        base_print(stdout, "%s: %s\n", col_outcomes[episode->outcome], episode->failure.reason);
    if (episode->failures > 1)
        base_print(stdout, "%llu tests failed\n", (unsigned long long)episode->failures);
}
