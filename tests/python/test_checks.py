# SPDX-License-Identifier: MIT
import glob
import os

import collider
from collider import BadInput
from harness import DATA, Case, main

STORE_BUFFERING = "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\n"


class Checks(Case):
    def judge_store_buffering_as_the_textbook(self):
        self.assertEqual([collider.check(STORE_BUFFERING, model).verdict for model in collider.models],
                         ["forbidden"] + ["allowed"] * 5)

    def explain_the_cycle(self):
        judgement = collider.check(STORE_BUFFERING, "sc")
        self.assertFalse(judgement)
        steps = judgement.violation.steps
        self.assertEqual(sorted(step.relation for step in steps), ["fr", "fr", "po", "po"])
        for step, following in zip(steps, steps[1:] + steps[:1]):
            self.assertEqual(step.after, following.before)
        self.assertEqual({step.before.line for step in steps}, {1, 2, 3, 4})
        with open(self.path("trace.axe"), "w", encoding="utf-8") as file:
            file.write(STORE_BUFFERING)
        said = self.command("check", "--model", "sc", "--explain", "trace.axe", status=1)
        self.assertIn(judgement.explanation.splitlines()[2].strip(), said)
        self.assertIn("digraph", judgement.violation.dot)
        self.assertIn("<svg", judgement.violation.svg)

    def judge_files_as_the_command_does(self):
        words = {"allowed": "OK", "forbidden": "NO", "undecided": "UNDECIDED"}
        files = glob.glob(os.path.join(DATA, "trace", "*.axe"))
        seen = set()
        self.assertGreater(len(files), 8)
        for file in files:
            for model in ("sc", "tso", "armv8"):
                verdicts = [words[j.verdict] for j in collider.check_file(file, model)]
                said = self.command("check", "--quiet", "--model", model, file,
                                    status=1 if "NO" in verdicts else 0)
                self.assertEqual(verdicts, said.split(), f"{file}, {model}")
                seen.update(verdicts)
        self.assertEqual(seen, {"OK", "NO"})

    def say_what_is_wrong_with_a_trace(self):
        with self.assertRaises(BadInput) as caught:
            collider.check("0: M[0] := 1\n0: M[1] = 0\n", name="mine")
        self.assertEqual((caught.exception.file, caught.exception.line), ("mine", 2))
        for call in (lambda: collider.check(STORE_BUFFERING, "arm"),
                     lambda: collider.check(STORE_BUFFERING, budget=-1),
                     lambda: collider.check(STORE_BUFFERING, budget=float("nan")),
                     lambda: collider.check_file(self.path("nowhere.axe")),
                     lambda: collider.check("0: M[0] := 1\0")):
            with self.assertRaises(BadInput):
                call()


main()
