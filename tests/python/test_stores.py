# SPDX-License-Identifier: MIT
import json
import os
import shutil
import sqlite3

import collider
from collider import BadInput
from harness import Case, main

PLAN = """plan: small
title: A small plan
defaults: {design: mesi3, cores: 4, locations: 16, instances: 2, tests: 6}
grids:
  - {engine: [plain-bias, chain-bias], ops: 256, seed: 1..2}
  - {engine: chain-bias, error: D9, sets: 1, ops: 1Ki, tests: 30, seed: 1}
"""


class Stores(Case):
    _made = None  # one campaign serves all tests

    def setUp(self):
        super().setUp()
        if Stores._made is None:
            with open(self.path("small.yaml"), "w", encoding="utf-8") as file:
                file.write(PLAN)
            self.command("campaign", "small.yaml", "--out", "results.db", "--quiet", "--jobs", "2")
            with open(self.path("results.db"), "rb") as file:
                Stores._made = file.read()
        with open(self.path("results.db"), "wb") as file:
            file.write(Stores._made)
        self.store = collider.Store(self.path("results.db"))
        self.rows = sqlite3.connect(self.path("results.db"))
        self.rows.row_factory = sqlite3.Row
        self.addCleanup(self.rows.close)

    def _select(self, question):
        return [dict(row) for row in self.rows.execute(question)]

    def say_what_sqlite_says(self):
        trials = self.store.trials(as_dicts=True)
        self.assertEqual(len(trials), 5)
        for trial in trials:
            row = self._select(f"SELECT * FROM trials WHERE key = '{trial['trial']}'")[0]
            for name in ("kind", "design", "cores", "seed", "verdict", "ended_by", "tests",
                         "instances", "operations", "cycles", "seconds", "structural_covered",
                         "structural_total", "functional_covered", "failing_tests", "failure_test",
                         "reason", "host", "started", "design_hash"):
                self.assertEqual(trial[name], row[name], name)
            for name, value in json.loads(row["pairs"]).items():
                if name not in row:
                    self.assertEqual(trial[name.replace("-", "_")], value)
            self.assertIs(trial["done"], row["status"] == "done")
        plans = self.store.plans(as_dicts=True)
        self.assertEqual([(p["name"], p["trials"], p["done"], p["failed"]) for p in plans],
                         [("small", 5, 5, 0)])
        self.assertEqual(plans[0]["text"], PLAN)
        ordered = self.store.trials(plans[0]["hash"], as_dicts=True)
        keys = [row["key"] for row in self._select("SELECT key FROM grid ORDER BY position")]
        self.assertEqual([trial["trial"] for trial in ordered], keys)

    def unpack_curves_hits_and_points(self):
        trials = {t["trial"]: t for t in self.store.trials(as_dicts=True)}
        last = {}
        for point in self.store.curves(as_dicts=True):
            last[point["trial"]] = point
        hits = self.store.hits(as_dicts=True)
        points = {(p["design_hash"], p["point"]): p for p in self.store.points(as_dicts=True)}
        for key, trial in trials.items():
            self.assertEqual(last[key]["structural"], trial["structural_covered"])
            of_trial = [h for h in hits if h["trial"] == key]
            self.assertEqual(sum(h["hits"] > 0 for h in of_trial), trial["structural_covered"])
            self.assertEqual(sum(h["first_test"] is not None for h in of_trial),
                             trial["structural_covered"])
            for hit in of_trial:
                self.assertIn((hit["design_hash"], hit["point"]), points)

    def list_failures_that_programs_can_be_read_from(self):
        failures = self.store.failures(as_dicts=True)
        row = self._select("SELECT * FROM failures")[0]
        self.assertEqual(len(failures), len(self._select("SELECT * FROM failures")))
        self.assertEqual(failures[0]["error"], "D9")
        self.assertEqual(failures[0]["fingerprint"], row["fingerprint"])
        program = collider.Program.parse(failures[0]["program"])
        self.assertEqual(len(program), failures[0]["size"])

    def are_not_changed_by_reading(self):
        with open(self.path("results.db"), "rb") as file:
            before = file.read()
        files = sorted(os.listdir(self.folder))
        for name in ("plans", "trials", "points", "curves", "hits", "failures"):
            self.store.table(name, as_dicts=True)
        self.store.close()
        with open(self.path("results.db"), "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(sorted(os.listdir(self.folder)), files)

    def are_refused_if_they_are_not_ours(self):
        shutil.copy(self.path("results.db"), self.path("foreign.db"))
        foreign = sqlite3.connect(self.path("foreign.db"))
        foreign.execute("CREATE VIEW surprise AS SELECT load_extension('x')")
        foreign.commit()
        foreign.close()
        with self.assertRaises(BadInput):
            collider.Store(self.path("foreign.db"))
        with open(self.path("text.db"), "w", encoding="utf-8") as file:
            file.write("nothing")
        for path in ("text.db", "nowhere.db", "."):
            with self.assertRaises(BadInput):
                collider.Store(self.path(path))
        with self.assertRaisesRegex(BadInput, "no table 'sqlite_schema'"):
            self.store.table("sqlite_schema")

    def do_not_crash_when_they_are_closed(self):
        with self.store:
            pass
        with self.assertRaises(ValueError):
            self.store.trials()


main()
