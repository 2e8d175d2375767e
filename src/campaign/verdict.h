/* SPDX-License-Identifier: MIT */
/* What a row says of its design: an error was found, or it is not known whether there is one.
 * Neither is a pass. */
#ifndef CAMPAIGN_VERDICT_H
#define CAMPAIGN_VERDICT_H

#include "campaign/store.h"

/* An episode that was cut short has found nothing yet. */
bool cam_row_has_error(const cam_row *row);
/* No error was found, but not every instance could be judged in time. */
bool cam_row_is_undecided(const cam_row *row);

#endif
