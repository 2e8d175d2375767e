/* SPDX-License-Identifier: MIT */
/*
 * The tables of a store, and what the columns of results are. Each column of trials and failures is
 * a row of a table here, from which all that handles it follows: the definition in the database,
 * writing, reading and merging rows, the tables of include/collider/store.h and of the docs.
 * Whoever adds one raises CAM_STORE_VERSION.
 */
#pragma once

#include "base/text.h"
#include "results/store/store.h"

#include <sqlite3.h>

/* PRAGMA application_id ("Coll") and user_version. */
enum { CAM_STORE_APPLICATION = 0x436f6c6c, CAM_STORE_VERSION = 3 };

/* Adds the statements that make all tables and views. */
void cam_store_schema(base_text *text);

typedef enum cam_column_kind {
    CAM_TEXT,
    CAM_NUMBER, /* uint64_t */
    CAM_SMALL,  /* uint32_t */
    CAM_REAL,
    CAM_KIND_WORD,
    CAM_STATUS_WORD, /* of is_done; shown as a number */
    CAM_SETTINGS,    /* the pairs, as JSON */
    CAM_OWNER,       /* the number of the row that this one belongs to, in another table */
    CAM_COMPUTED     /* a text that is shown and not stored */
} cam_column_kind;

/* Which rows have the value; others are NULL. */
typedef enum cam_column_when {
    CAM_ALWAYS,
    CAM_IF_DONE,
    CAM_IF_EPISODE, /* that was done */
    CAM_IF_FAILING, /* an episode that found an error */
    CAM_IF_STRUCTURAL_KNOWN,
    CAM_IF_FUNCTIONAL_KNOWN, /* its reachable points are known */
    CAM_IF_SHRUNK,
    CAM_IF_POSITIVE,
    CAM_NEVER
} cam_column_when;

typedef enum cam_column_otherwise {
    CAM_ELSE_NULL,
    CAM_ELSE_SETTING, /* stored instead: the setting of the column's name */
    CAM_ELSE_EMPTY,   /* stored instead: an empty text */
    CAM_ELSE_VALUE    /* stored all the same, and not read */
} cam_column_otherwise;

typedef struct cam_column {
    const char *name, *constraint; /* in the database; constraint may be NULL */
    cam_column_kind kind;
    cam_column_when when;
    cam_column_otherwise otherwise;
    bool is_needed; /* NOT NULL */
    size_t member;
    const char
        *from;      /* of the trial of a failure: the expression that reads it; it is not stored */
    uint32_t place; /* in the table that is shown, from 1; 0: it is not */
    const char *shown; /* its name there; NULL: the same */
    const char *about;
} cam_column;

typedef struct cam_columns {
    const cam_column *list;
    size_t count;
} cam_columns;

extern const cam_columns cam_trial_columns, cam_failure_columns;

/* "INSERT INTO table (...) VALUES (?1, ...)" of all columns that are stored, in their order. */
void cam_columns_insert(const cam_columns *columns, const char *table, base_text *text);
/* Adds the columns for a SELECT that cam_columns_read takes; `is_stored`: as cam_columns_insert. */
void cam_columns_select(const cam_columns *columns, const char *table, bool is_stored,
                        base_text *text);
/* The place of the owner's number among those that are stored, from 1. */
int cam_columns_owner(const cam_columns *columns);

/* A value; `is_there` is false for what is missing. */
typedef struct cam_value {
    bool is_there;
    uint64_t number;
    double real;
    const char *text;
} cam_value;

/* The value of a column of a row of the kind that the columns are of: cam_row or cam_failure_row.
 * Settings are the caller's. */
cam_value cam_column_value(const cam_columns *columns, const cam_column *column, const void *row);

/* Binds all that is stored to a statement of cam_columns_insert. */
void cam_columns_bind(const cam_columns *columns, cam_store *store, sqlite3_stmt *statement,
                      const void *row, int64_t owner, const char *settings);
/* Fills in the members of the row; of a trial that is not done, what is always there. *column is
 * the first of them, and becomes that of what comes behind. Texts last until the next step;
 * *settings are those of a trial. False: something that is needed is missing. */
bool cam_columns_read(const cam_columns *columns, sqlite3_stmt *statement, int *column, void *row,
                      const char **settings);

/* All settings of a trial as JSON, an object of texts in their order. */
void cam_settings_print(const cam_row *row, base_text *text);
