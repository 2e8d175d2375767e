# SPDX-License-Identifier: MIT
import os
import signal
import subprocess
import sys
import threading

import collider
from collider import BadInput
from harness import Case, main

SMALL = {"cores": 4, "ops": 64, "locations": 8, "seed": 3}
BROKEN = {**SMALL, "error": "D9", "engine": "chain-bias", "ops": 1024, "sets": 1}


def _without_seconds(record):
    if isinstance(record, dict):
        return {key: _without_seconds(value) for key, value in record.items() if key != "seconds"}
    return [_without_seconds(value) for value in record] if isinstance(record, list) else record


class Episodes(Case):
    def are_those_of_the_command(self):
        episode = collider.run("mesi3", tests=12, engine="scout", jobs=1, **SMALL)
        said = self.command_json("run", "mesi3", "--tests", "12", "--engine", "scout", "--cores", "4",
                                 "--ops", "64", "--locations", "8", "--seed", "3", "--jobs", "1",
                                 "--quiet")
        self.assertEqual(_without_seconds(episode.record), _without_seconds(said))
        self.assertTrue(episode)
        self.assertEqual((episode.verdict, episode.ended_by, episode.tests), ("pass", "tests", 12))
        self.assertEqual(episode.coverage.of().covered, said["coverage"]["structural"]["covered"])
        self.assertEqual(episode.curve(as_dicts=True)[-1]["structural"],
                         episode.coverage.of().covered)

    def find_an_injected_error_and_keep_its_failure(self):
        episode = collider.run("mesi3", tests=50, folder=self.path("out"), **BROKEN)
        self.assertFalse(episode)
        failure = episode.failure
        self.assertEqual(failure.verdict, episode.verdict)
        self.assertEqual(episode.kinds[0].smallest.fingerprint, failure.fingerprint)
        again = collider.replay(failure.folder)
        self.assertTrue(again)
        self.assertEqual((again.now.verdict, again.now.reason), (failure.verdict, failure.reason))
        shrunk = collider.shrink(failure.folder, time=5)
        self.assertLess(shrunk.operations[1], shrunk.operations[0])
        self.assertLessEqual(len(shrunk.program), 60)
        self.assertTrue(os.path.exists(os.path.join(shrunk.folder, "program.txt")))
        self.assertTrue(collider.replay(shrunk.folder))

    def write_nothing_without_a_folder(self):
        os.chdir(self.folder)
        episode = collider.run("mesi3", tests=50, **BROKEN)
        os.chdir("/")
        self.assertFalse(episode)
        self.assertIsNone(episode.failure.folder)
        self.assertEqual(os.listdir(self.folder), [])

    def run_given_programs(self):
        programs = list(collider.generate(threads=4, operations=32, locations=4, count=3))
        episode = collider.run("mesi3", cores=4, programs=programs)
        self.assertEqual((episode.tests, episode.ended_by), (3, "programs"))
        self.assertEqual([given["operations"] for given in episode.record["programs"]], [32] * 3)
        with self.assertRaises(BadInput):
            collider.run("mesi3", programs=[])
        with self.assertRaises(BadInput):  # more threads than cores
            collider.run("mesi3", cores=2, programs=programs[0])

    def end_when_progress_raises(self):
        seen = []

        def interrupt(progress):
            seen.append(progress.tests)
            if progress.tests >= 5:
                raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            collider.run("mesi3", tests=100000, progress=interrupt, jobs=1, **SMALL)
        self.assertEqual(seen, [1, 2, 3, 4, 5])

    def end_at_ctrl_c(self):
        code = "import collider, sys\n" \
               "def begun(progress):\n" \
               "    if progress.tests == 1: print('begun', flush=True)\n" \
               "try: collider.run('mesi3', time=120, cores=2, ops=64, locations=4, progress=begun)\n" \
               "except KeyboardInterrupt: sys.exit(42)\n"
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                              cwd=self.folder) as process:
            self.assertEqual(process.stdout.readline(), b"begun\n")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 42)
        self.assertEqual(os.listdir(self.folder), [])

    def say_what_is_wrong(self):
        wrong = [({}, "budget"), ({"tests": 0}, "tests"), ({"tests": 5, "engine": "none"}, "engine"),
                 ({"tests": 5, "colour": "red"}, "no setting 'colour'"),
                 ({"tests": 5, "cores": -1}, "cores"), ({"tests": 5, "time": "soon"}, "time"),
                 ({"tests": 5, "options": "a\0b"}, "NUL")]
        for settings, sentence in wrong:
            with self.assertRaisesRegex(BadInput, sentence):
                collider.run("mesi3", **settings)
        with self.assertRaisesRegex(BadInput, "no design 'nowhere'"):
            collider.run("nowhere", tests=1)
        with self.assertRaises(TypeError):
            collider.run(3j, tests=1)
        with self.assertRaises(BadInput):
            collider.replay(self.path("nowhere"))
        with self.assertRaises(BadInput):
            collider.shrink(self.path("nowhere"))

    def may_run_side_by_side(self):
        alone = collider.run("mesi3", tests=10, jobs=1, **SMALL)
        found = []

        def work():
            found.append(collider.run("mesi3", tests=10, jobs=1, **SMALL))
        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual([_without_seconds(e.record) for e in found],
                         [_without_seconds(alone.record)] * 4)


class Coverage(Case):
    def merges_and_comes_back_from_files(self):
        one = collider.run("mesi3", tests=2, **SMALL).coverage
        other = collider.run("mesi3", tests=2, **{**SMALL, "seed": 9}).coverage
        first, second = ({(p["machine"], p["state"], p["event"]) for p in c.points(as_dicts=True)
                          if p["hits"] > 0} for c in (one, other))
        gained, _ = one.merge(other)
        self.assertEqual(gained, len(second - first))
        self.assertEqual(one.of().covered, len(first | second))
        one.write(self.path("coverage.txt"))
        with collider.Design("mesi3", cores=4) as design:
            fresh = collider.Coverage(design)
        self.assertEqual(fresh.of().covered, 0)
        fresh.read(self.path("coverage.txt"))
        self.assertEqual(fresh.points(as_dicts=True), one.points(as_dicts=True))
        self.assertEqual(sum(one.of(machine=machine).covered for machine in one.machines),
                         one.of().covered)

    def refuses_other_designs_and_closed_sets(self):
        with collider.Design("mesi3", cores=2) as one, collider.Design("msi", cores=2) as other:
            coverage, another = collider.Coverage(one), collider.Coverage(other)
        with self.assertRaises(BadInput):
            coverage.merge(another)
        with self.assertRaises(BadInput):
            coverage.of("everything")
        with self.assertRaises(BadInput):
            coverage.of(machine="Directory of none")
        with self.assertRaises(TypeError):
            coverage.merge(3)
        coverage.close()
        with self.assertRaises(ValueError):
            coverage.points()


class Designs(Case):
    def run_instances_that_repeat_by_seed(self):
        program = collider.generate(threads=2, operations=40, locations=2)
        with collider.Design("mesi3", cores=2) as design:
            self.assertEqual((design.name, design.cores, design.model), ("mesi3", 2, "tso"))
            one, two = design.run(program, 5, events=True), design.run(program, 5, events=True)
            self.assertEqual(one, two)
            self.assertEqual(one.end, "complete")
            performed = [e for e in one.events if e["event"] in ("load", "store")]
            accesses = [o for o in program if o.kind not in ("fence", "delay", "flush", "prefetch")]
            self.assertEqual(len({e["operation"] for e in performed}), len(accesses))
            cycles = {design.run(program, seed).cycles for seed in range(8)}
            self.assertGreater(len(cycles), 1)

    def show_the_violation_of_a_broken_one(self):
        found = None
        with collider.Design("mesi3", cores=4, error="D9") as design:
            self.assertRaises(TypeError, design.run, "a program")
            for program in collider.generate(threads=4, operations=1024, locations=8, sets=1,
                                             chained=True, count=40):
                instance = design.run(program, 1)
                found = found or instance.violation
                program.close()
        self.assertIsNotNone(found)
        self.assertTrue(found.steps)
        with self.assertRaises(ValueError):
            design.run(collider.generate(threads=2, operations=4, locations=2))


main()
