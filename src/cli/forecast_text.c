/* SPDX-License-Identifier: MIT */
/* Forecasts in words: see forecast_text.h. */
#include "cli/forecast_text.h"

#include "cover/coverage.h"
#include "episode/episode_record.h"

enum { HOUR = 3600 };

bool cli_forecast_begin(const col_episode *episode, uint64_t tests, cov_incidence *incidence) {
    if (tests < COV_LEAST_TESTS || episode->given != NULL)
        return false;
    *incidence = cov_incidence_of(episode->coverage, tests);
    return incidence->least > 0 && incidence->left > 0;
}

void cli_forecast_again(base_text *text, const col_episode *episode,
                        const cov_incidence *incidence) {
    const cov_forecast f = cov_forecast_of(incidence, 1);
    const uint32_t about = (uint32_t)(f.expected + 0.5);
    base_text_print(text, "about %u more coverage point%s in as many tests again", about,
                    base_plural(about));
    if (epi_interval_holds(episode))
        base_text_print(text, " (%u to %u)", f.low, f.high);
}

void cli_forecast_later(base_text *text, const cov_incidence *incidence, double seconds) {
    const bool sees_an_hour = COV_MOST_AHEAD * seconds >= HOUR;
    const cov_forecast f =
        cov_forecast_of(incidence, sees_an_hour ? HOUR / seconds : COV_MOST_AHEAD);
    if (sees_an_hour)
        base_text_add(text, "the next hour finds one");
    else
        base_text_print(text, "%d times as many find one", (int)COV_MOST_AHEAD);
    base_text_print(text, " with probability %.2f", f.chance);
}
