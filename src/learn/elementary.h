/* SPDX-License-Identifier: MIT */
/*
 * Elementary functions that give the same bits on every machine: the C library's choose their way
 * by the processor. Sums, products, quotients and square roots are exact to the rounding
 * everywhere, so these are made of nothing else. Relative error below 1e-7 of a float's range.
 */
#ifndef LEARN_ELEMENTARY_H
#define LEARN_ELEMENTARY_H

#include "base/rng.h"

float lrn_exponential(float x);    /* 0 and infinity at the far ends */
float lrn_logarithm(float x);      /* x > 0 */
float lrn_power(float x, float y); /* x >= 0; 0 to the 0 is 1 */
float lrn_tanh(float x);
/* Of a normal distribution with mean 0 and deviation 1. */
float lrn_normal(base_rng *rng);

#endif
