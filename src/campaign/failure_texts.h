/* SPDX-License-Identifier: MIT */
/* The folder of a failure as the texts of its row. A shrunk one has some of them anew. */
#ifndef CAMPAIGN_FAILURE_TEXTS_H
#define CAMPAIGN_FAILURE_TEXTS_H

#include "base/arena.h"
#include "campaign/store.h"

/* NULL: there is no such file, or nothing in it. */
col_status cam_text_read(base_arena *arena, const char *folder, const char *name, const char **text,
                         col_problem *problem);

col_status cam_failure_texts(cam_failure_row *failure, base_arena *arena, const char *folder,
                             bool is_shrunk, col_problem *problem);

#endif
