/* SPDX-License-Identifier: MIT */
/* What the commands about a campaign on a cluster share. */
#ifndef CLI_CAMPAIGN_CLUSTER_H
#define CLI_CAMPAIGN_CLUSTER_H

#include "base/text.h"
#include "campaign/slurm.h"
#include "cli/command.h"

/* A new folder on a disk of this machine; whoever makes it removes it. */
col_status cli_cluster_scratch(char folder[PATH_MAX], col_problem *problem);
/* A name that no other process of any machine has. */
void cli_cluster_owner(char owner[CAM_CLUSTER_NAME]);
/* "120 of 200 trials done (60 %); batches: ...; tasks: ..."; without tasks if `t` is NULL. */
void cli_cluster_add_progress(base_text *line, const cam_cluster_progress *p,
                              const cam_slurm_tasks *t);
/* collider campaign status, of one that runs on a cluster. */
int cli_cluster_status(const cli_arguments *arguments, col_problem *problem);

#endif
