/* SPDX-License-Identifier: MIT */
/* A campaign on the screen: how far it is, what runs, and how much time is left. */
#ifndef CLI_CAMPAIGN_PROGRESS_H
#define CLI_CAMPAIGN_PROGRESS_H

#include "base/text.h"
#include "campaign/campaign.h"
#include "campaign/estimate.h"
#include "cli/progress.h"

typedef struct cli_campaign_display {
    cli_progress_display display;
    cam_pace pace; /* {0}: nothing is said of the time left */
    uint32_t jobs;
} cli_campaign_display;

/* For cam_campaign_settings. */
void cli_campaign_progress_show(void *display, const cam_progress *progress);

#endif
