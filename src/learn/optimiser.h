/* SPDX-License-Identifier: MIT */
/* Gradient descent: Adam and RMSProp. */
#ifndef LEARN_OPTIMISER_H
#define LEARN_OPTIMISER_H

#include <stddef.h>
#include <stdint.h>

typedef enum lrn_method { LRN_ADAM, LRN_RMSPROP, LRN_METHOD_COUNT } lrn_method;
extern const char *const lrn_methods[LRN_METHOD_COUNT + 1]; /* their words, ended by NULL */

/* The arrays are the caller's, as many numbers as there are parameters, 0 at first. */
typedef struct lrn_optimiser {
    lrn_method method;
    float rate;
    uint64_t steps; /* done */
    size_t count;
    float *first, *second; /* moments of the gradient; RMSProp has no first */
} lrn_optimiser;

void lrn_optimiser_step(lrn_optimiser *optimiser, const float *gradient, float *parameters);

/* Makes the gradient no longer than `most`, unless that is 0; returns how long it was. */
float lrn_clip(size_t count, float *gradient, float most);

#endif
