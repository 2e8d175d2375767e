/* SPDX-License-Identifier: MIT */
/* What is done before a store is believed, which may be somebody else's file: see store_guard.c. */
#ifndef CAMPAIGN_STORE_GUARD_H
#define CAMPAIGN_STORE_GUARD_H

#include "campaign/store_parts.h"

/* Before it is opened: whether what SQLite would use beside it is harmless, and whether there is a
 * write-ahead log with something in it. */
col_status cam_store_check_beside(cam_store *store, bool to_write, bool *has_log,
                                  col_problem *problem);

/* As soon as it is open: limits, and nothing in its schema is run. */
void cam_store_protect(cam_store *store);
/* What it may take from now on, by its size; reading, that is for all of it. */
void cam_store_budget(cam_store *store);
/* A statement that is prepared once and writes more rows than this gets another budget. */
enum { CAM_STORE_ROWS = 1024 };
/* Takes the row from the budget of bytes; false: there is not enough left. */
bool cam_store_pay(cam_store *store, sqlite3_stmt *row);

/* Tables, indices and views are those that its version makes, to the letter. */
col_status cam_store_check_schema(cam_store *store, col_problem *problem);
/* Each page has one place, each index has the rows of its table: nothing that is read multiplies.
 */
col_status cam_store_check_pages(cam_store *store, col_problem *problem);

#endif
