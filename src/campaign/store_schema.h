/* SPDX-License-Identifier: MIT */
/*
 * The store's tables, as docs/campaigns.md documents them. Whoever changes them raises
 * CAM_STORE_VERSION and says how a store of the version before becomes one of it: an old store is
 * read as it is, and brought up to date when a campaign writes to it. One of a later version is
 * refused, never guessed at.
 */
#ifndef CAMPAIGN_STORE_SCHEMA_H
#define CAMPAIGN_STORE_SCHEMA_H

/* PRAGMA application_id and user_version: "Coll". */
enum { CAM_STORE_APPLICATION = 0x436f6c6c, CAM_STORE_VERSION = 3 };

/* What is the same in all versions. */
static const char cam_store_schema[] =
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"

    "CREATE TABLE plans (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " title TEXT NOT NULL, scale TEXT NOT NULL, text TEXT NOT NULL, trials INTEGER NOT NULL,"
    " grid_hash TEXT NOT NULL);"

    "CREATE TABLE grid (plan INTEGER NOT NULL REFERENCES plans ON DELETE CASCADE,"
    " position INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (plan, position)) WITHOUT ROWID;"

    "CREATE TABLE point_sets (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE,"
    " count INTEGER NOT NULL, reachable_known INTEGER NOT NULL);"
    "CREATE TABLE points (point_set INTEGER NOT NULL REFERENCES point_sets ON DELETE CASCADE,"
    " number INTEGER NOT NULL, machine TEXT NOT NULL, state TEXT NOT NULL, event TEXT NOT NULL,"
    " reachable INTEGER NOT NULL, PRIMARY KEY (point_set, number)) WITHOUT ROWID;"
    "CREATE TABLE designs (hash TEXT PRIMARY KEY, name TEXT NOT NULL, cores INTEGER NOT NULL,"
    " point_set INTEGER NOT NULL REFERENCES point_sets) WITHOUT ROWID;"

    "CREATE TABLE campaigns (id INTEGER PRIMARY KEY, plan INTEGER NOT NULL REFERENCES plans,"
    " version TEXT NOT NULL, host TEXT NOT NULL, machine TEXT NOT NULL, pid INTEGER NOT NULL,"
    " pid_started INTEGER NOT NULL, jobs INTEGER NOT NULL, started INTEGER NOT NULL,"
    " heartbeat INTEGER NOT NULL, ended INTEGER);"
    "CREATE TABLE claims (key TEXT PRIMARY KEY,"
    " campaign INTEGER NOT NULL REFERENCES campaigns ON DELETE CASCADE, since INTEGER NOT NULL)"
    " WITHOUT ROWID;"

    "CREATE TABLE curves (trial INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE,"
    " curve BLOB NOT NULL);"
    "CREATE TABLE hits (trial INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE,"
    " hits BLOB NOT NULL, first BLOB NOT NULL);"
    "CREATE TABLE learning (trial INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE,"
    " log TEXT NOT NULL);"

    /* For people with a shell. */
    "CREATE VIEW results AS SELECT plans.name AS plan, plans.scale, plans.hash AS plan_hash,"
    " grid.position, trials.*,"
    " 1.0 * structural_covered / structural_total AS structural,"
    " 1.0 * functional_covered / functional_total AS functional"
    " FROM plans JOIN grid ON grid.plan = plans.id JOIN trials ON trials.key = grid.key;"

    "CREATE VIEW progress AS SELECT plans.name AS plan, plans.scale, plans.trials,"
    " count(iif(status = 'done', 1, NULL)) AS done,"
    " count(iif(status = 'failed', 1, NULL)) AS failed, plans.trials - count(trials.id) AS open"
    " FROM plans JOIN grid ON grid.plan = plans.id LEFT JOIN trials ON trials.key = grid.key"
    " GROUP BY plans.id ORDER BY plans.name, plans.scale;";

/* What differs. Version 1 had one failure for each trial, and no more than its story; before
 * version 3, instances that were not judged in time were not counted, and passed for errors found.
 */
#define CAM_STORE_TRIALS(undecided)                                                                \
    "CREATE TABLE trials (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,"   \
    " status TEXT NOT NULL CHECK (status IN ('done', 'failed')), reason TEXT,"                     \
    " design TEXT, cores INTEGER, engine TEXT, error TEXT, mutant INTEGER, seed INTEGER NOT NULL," \
    " pairs TEXT NOT NULL, model TEXT, verdict TEXT, ended_by TEXT, tests INTEGER,"                \
    " instances INTEGER, operations INTEGER, cycles INTEGER, seconds REAL,"                        \
    " structural_covered INTEGER, structural_total INTEGER,"                                       \
    " structural_reached INTEGER, structural_reachable INTEGER,"                                   \
    " functional_covered INTEGER, functional_total INTEGER,"                                       \
    " functional_reached INTEGER, functional_reachable INTEGER,"                                   \
    " failing_tests INTEGER, failing_cycles INTEGER, failing_seconds REAL, failure_test INTEGER,"  \
    " failure_instance INTEGER, failure_cycles INTEGER, failure_seconds REAL, result TEXT,"        \
    " design_hash TEXT, version TEXT NOT NULL, host TEXT NOT NULL, started INTEGER NOT NULL,"      \
    " campaign INTEGER REFERENCES campaigns" undecided ");"
#define CAM_STORE_SUMMARY(found)                                                                   \
    "CREATE VIEW summary AS SELECT plan, scale, kind, json_remove(pairs, '$.seed') AS settings,"   \
    " count(*) AS trials, sum(status = 'failed') AS failed, " found ","                            \
    " avg(structural) AS structural, avg(functional) AS functional, avg(cycles) AS cycles,"        \
    " avg(seconds) AS seconds FROM results GROUP BY plan, scale, kind, settings"                   \
    " ORDER BY plan, scale, min(position);"
#define CAM_STORE_FAILURES                                                                         \
    "CREATE TABLE failures (trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,"           \
    " kind INTEGER NOT NULL, hash TEXT, fingerprint TEXT, count INTEGER NOT NULL, verdict TEXT,"   \
    " reason TEXT, test INTEGER, instance INTEGER, cycles INTEGER, seconds REAL, size INTEGER,"    \
    " record TEXT, program TEXT, story TEXT, picture TEXT, shrunk TEXT, litmus TEXT,"              \
    " threads INTEGER, operations INTEGER, locations INTEGER, PRIMARY KEY (trial, kind));"
#define CAM_STORE_FAILURES_1                                                                       \
    "CREATE TABLE failures (trial INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE,"        \
    " story TEXT, picture TEXT, program TEXT, litmus TEXT, threads INTEGER, operations INTEGER,"   \
    " locations INTEGER);"
#define CAM_STORE_BEFORE_3 CAM_STORE_TRIALS("") CAM_STORE_SUMMARY("sum(verdict <> 'pass') AS found")
#define CAM_STORE_UNDECIDED "undecided INTEGER"
#define CAM_STORE_SUMMARY_NOW                                                                      \
    CAM_STORE_SUMMARY("sum(verdict NOT IN ('pass', 'undecided')) AS found,"                        \
                      " sum(verdict = 'undecided') AS undecided")
static const char *const cam_store_schemas[CAM_STORE_VERSION + 1] = {
    NULL, CAM_STORE_BEFORE_3 CAM_STORE_FAILURES_1, CAM_STORE_BEFORE_3 CAM_STORE_FAILURES,
    CAM_STORE_TRIALS(", " CAM_STORE_UNDECIDED) CAM_STORE_SUMMARY_NOW CAM_STORE_FAILURES};

/* From each version to the next. */
static const char *const cam_store_migrations[CAM_STORE_VERSION] = {
    NULL,
    "CREATE TEMP TABLE old AS SELECT * FROM main.failures;"
    "DROP TABLE main.failures;" CAM_STORE_FAILURES
    "INSERT INTO failures (trial, kind, count, verdict, reason, test, instance, cycles, seconds,"
    " story, picture, shrunk, litmus, threads, operations, locations) SELECT trial, 1,"
    " coalesce(failing_tests, 1), verdict, reason, failure_test, failure_instance, failure_cycles,"
    " failure_seconds, story, picture, program, litmus, threads, old.operations, locations"
    " FROM temp.old JOIN trials ON id = trial;"
    "DROP TABLE temp.old;",
    "DROP VIEW summary; ALTER TABLE trials ADD COLUMN " CAM_STORE_UNDECIDED
    ";" CAM_STORE_SUMMARY_NOW};

#endif
