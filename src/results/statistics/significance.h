/* SPDX-License-Identifier: MIT */
/*
 * Are two samples different, and by how much? Ranks alone count: nothing is assumed of how coverage
 * or times are distributed. Where samples are small the probabilities are exact, ties included.
 */
#ifndef STATISTICS_SIGNIFICANCE_H
#define STATISTICS_SIGNIFICANCE_H

#include "base/problem.h"

#include <stdbool.h>

/* So many values in both samples together are compared exactly. */
enum { STA_MOST_EXACT = 64 };

/*
 * The Mann-Whitney U test, two-sided. Exact: the share of all ways to split the values into samples
 * of these sizes that put U as far from its mean as it is, or farther; with ties, too, whose values
 * have their mean rank. Otherwise the normal distribution, corrected for ties and for continuity.
 */
typedef struct sta_comparison {
    double u;         /* pairs in which the first sample's value is the greater; ties count half */
    double p;         /* the chance of this, or more, if nothing made the samples differ */
    double advantage; /* Vargha and Delaney's A12: u as a fraction of all pairs, 0.5 is none */
    bool is_exact;
} sta_comparison;

/* Refused: a sample without values, a value that is no number. Infinite ones are only ranked. */
col_status sta_compare(const double *first, size_t first_count, const double *second,
                       size_t second_count, sta_comparison *comparison, col_problem *problem);

/* Holm's correction for making several comparisons: the probabilities to hold against a level, so
 * that the chance of any false finding among them keeps to it. */
void sta_correct(const double *p, size_t count, double *corrected);

typedef struct sta_quartiles {
    double least, lower, median, upper, most;
} sta_quartiles;

/* The quartile q of sorted x[0] to x[n - 1] is at x[(n - 1) q / 4], in between by proportion: the
 * definition that R and NumPy take if not told otherwise. Sorts the values, of which there must be
 * one or more, none of them no number. */
sta_quartiles sta_summarise(double *values, size_t count);

#endif
