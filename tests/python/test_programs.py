# SPDX-License-Identifier: MIT
import gc
import glob
import os
import resource
import threading

import collider
from collider import BadInput, Operation, Program
from harness import DATA, Case, main


class Programs(Case):
    def are_those_of_the_command(self):
        for engine, chained, sets in (("plain", False, 0), ("chain", True, 0), ("chain-bias", True, 2)):
            words = ["--sets", str(sets)] if sets else []
            self.command("generate", "--engine", engine, "--threads", "4", "--ops", "60",
                         "--locations", "6", "--seed", "7", "--count", "3", "--out", engine, *words)
            made = list(collider.generate(threads=4, operations=60, locations=6, seed=7, sets=sets,
                                          chained=chained, count=3))
            for i, program in enumerate(made):
                with open(self.path(engine, f"test-{i:04}.txt"), encoding="utf-8") as file:
                    self.assertEqual(program.text, file.read())
            self.assertEqual(collider.generate(threads=4, operations=60, locations=6, seed=7, test=2,
                                               sets=sets, chained=chained), made[2])

    def come_back_from_texts_files_and_operations(self):
        files = glob.glob(os.path.join(DATA, "program", "*.txt"))
        self.assertGreater(len(files), 3)
        programs = [Program.read(file) for file in files]
        programs += collider.generate(threads=3, operations=200, locations=8, count=20, mix="full")
        programs += collider.generate(threads=3, operations=200, locations=8, count=20, chained=True)
        for program in programs:
            program.write(self.path("again.txt"))
            self.assertEqual(Program.read(self.path("again.txt")), program)
            self.assertEqual(Program.parse(program.text).hash, program.hash)
            if program.word_bytes == 8:
                self.assertEqual(Program.build(program.threads(), program.addresses), program)
            self.assertEqual(len(list(program)), len(program))
            self.assertEqual([o for t in program.threads() for o in t], list(program))

    def say_what_is_wrong_and_where(self):
        with self.assertRaises(BadInput) as caught:
            Program.parse("collider program 1\nlocation a0 0x0\nthread 0\n  sotre a0 1\nend\n", "mine")
        self.assertEqual((caught.exception.file, caught.exception.line, caught.exception.column),
                         ("mine", 4, 3))
        self.assertTrue(str(caught.exception).startswith("mine:4:3: "))
        self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaisesRegex(collider.Problem, "nowhere.txt"):
            Program.read(self.path("nowhere.txt"))

    def are_checked_when_they_are_built(self):
        store = Operation("store", location=0, value=1)
        with self.assertRaises(BadInput):  # values are unique
            Program.build([[store, store]], [0])
        with self.assertRaises(BadInput):  # there is no such location
            Program.build([[Operation("load", location=3)]], [0])
        with self.assertRaises(BadInput):
            Program.build([[Operation("jump")]], [0])
        with self.assertRaises(BadInput):
            Program.build([[Operation("load", location=-1)]], [0])
        with self.assertRaises(BadInput):
            Program.build([[Operation("load", location=1 << 32)]], [0])
        with self.assertRaises(TypeError):
            Program.build([["load a0"]], [0])

    def refuse_arguments_that_c_would_bend(self):
        for wrong in ({"threads": -1}, {"threads": 1 << 32}, {"seed": -1}, {"seed": 1 << 64},
                      {"operations": 0}, {"mix": "load\0"}, {"mix": "nothing"}, {"sharing": "odd"}):
            with self.assertRaises(BadInput, msg=wrong):
                collider.generate(**wrong)
        for wrong in ({"threads": 1.5}, {"threads": "8"}, {"threads": True}, {"mix": 3}):
            with self.assertRaises(TypeError, msg=wrong):
                collider.generate(**wrong)
        with self.assertRaises(BadInput):
            Program.parse("collider program 1\0")
        with self.assertRaises(BadInput):
            Program.read("a\0b")

    def do_not_crash_when_they_are_closed(self):
        program = collider.generate(threads=2, operations=8, locations=2)
        with program:
            pass
        program.close()
        for use in (len, list, repr, lambda p: p.text, lambda p: p.hash, lambda p: p == program,
                    lambda p: p.write(self.path("x"))):
            if use is repr:
                self.assertIn("closed", use(program))
                continue
            with self.assertRaises(ValueError):
                use(program)
        with self.assertRaises(TypeError):
            __import__("copy").copy(program)
        with self.assertRaises(TypeError):
            __import__("pickle").dumps(program)

    def give_their_memory_back(self):
        def work(count):
            for program in collider.generate(threads=8, operations=20000, locations=64, count=count):
                Program.parse(program.text)
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before = work(10)
        self.assertLess(work(60) - before, 20000)  # KiB; 60 programs twice are 38 MB

    def may_be_used_by_several_threads(self):
        program = collider.generate(threads=2, operations=2000, locations=4)
        text, failures = program.text, []

        def work():
            try:
                for _ in range(20):
                    if program.text != text or len(list(program)) != 2000:
                        failures.append("another text")
            except ValueError:
                pass  # closed meanwhile
            except BaseException as reason:
                failures.append(reason)
        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        workers[0].join()
        program.close()
        for worker in workers:
            worker.join()
        self.assertEqual(failures, [])


main()
