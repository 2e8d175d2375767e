/* SPDX-License-Identifier: MIT */
/*
 * The results of campaigns, read as tables for notebooks and statistics packages. A store may come
 * from somebody else: it is opened read-only, its schema must be exactly ours, and nothing in it
 * runs (docs/trust.md). docs/python.md describes the tables.
 */
#ifndef COLLIDER_STORE_H
#define COLLIDER_STORE_H

#include <collider/problem.h>
#include <stdbool.h>

COL_C_BEGIN

/* A store that is open to be read; used by one thread at a time. */
typedef struct col_store col_store;
COL_API col_status col_store_open(col_store **store, const char *path, col_problem *problem);
COL_API void col_store_close(col_store *store);

/* The names of the tables, ended by NULL: plans, trials, points, curves, hits, failures. */
COL_API extern const char *const col_store_tables[];

typedef enum col_column_type { COL_NUMBERS, COL_REALS, COL_TEXTS } col_column_type;

/* The values of a column, one for each row, in the array of its type; the other arrays are NULL. */
typedef struct col_column {
    const char *name;
    col_column_type type;
    const uint64_t *numbers;
    const double *reals;
    const char *const *texts; /* UTF-8 */
    const bool *is_there;     /* by row; false: the value is missing, and 0 or NULL above */
} col_column;

/* A whole table. It does not need the store any more. */
typedef struct col_table {
    size_t row_count;
    uint32_t column_count;
    const col_column *columns;
} col_table;

/* Reads a table. `plan` is the hash of a plan, whose rows come in the order of its grid; NULL: the
 * rows of all plans, each once. (Plans and points are of the whole store.) On failure `*table` is
 * NULL. */
COL_API col_status col_store_read(col_store *store, const char *name, const char *plan,
                                  col_table **table, col_problem *problem);
COL_API void col_table_free(col_table *table);

COL_C_END
#endif
