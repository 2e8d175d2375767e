/* SPDX-License-Identifier: MIT */
/* Seconds, of clocks that only go forward: for budgets and reports, never for choices. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

double base_seconds(void);           /* as they pass */
double base_processor_seconds(void); /* that this process has used */

#endif
