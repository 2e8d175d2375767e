/* SPDX-License-Identifier: MIT */
/* Temporary folders of workers, beside the store: STORE.trial-CAMPAIGN-WORKER. Those of campaigns
 * that were killed are removed by the next campaign in the same store. */
#ifndef CAMPAIGN_SCRATCH_H
#define CAMPAIGN_SCRATCH_H

#include "campaign/claim.h"

void cam_scratch_name(char *path, size_t size, const char *store, int64_t campaign,
                      uint32_t worker);
/* Those of dead campaigns, and those of `campaign` itself. */
col_status cam_scratch_sweep(cam_store *store, const char *path, int64_t campaign,
                             const cam_process *self, col_problem *problem);

#endif
