/* SPDX-License-Identifier: MIT */
/* What more testing is going to discover (cover/discovery.h), in words. */
#pragma once

#include "base/text.h"
#include "collider/episode.h"
#include "cover/discovery.h"

/* False: nothing is to be found, or nobody knows. Forecasts are for the tests of engines, and need
 * some tests. */
bool cli_forecast_begin(const col_episode *episode, uint64_t tests, cov_incidence *incidence);

/* "about 4 more coverage points in as many tests again (0 to 9)"; the interval where it holds. */
void cli_forecast_again(base_text *text, const col_episode *episode,
                        const cov_incidence *incidence);

/* "the next hour finds one with probability 0.30", or as far ahead as forecasts go, if the tests so
 * far took too few seconds for that. */
void cli_forecast_later(base_text *text, const cov_incidence *incidence, double seconds);
