# SPDX-License-Identifier: MIT
"""The structures of the Python package are those of the C compiler."""
import ctypes
import os
import subprocess
import sys

import collider._declarations as c
from collider import frame
from harness import SOURCE, Case, main


def _members():
    """Each structure that has fields, with the names of those that C can name."""
    for name in dir(c):
        kind = getattr(c, name)
        if isinstance(kind, type) and issubclass(kind, (ctypes.Structure, ctypes.Union)) and \
                name.startswith("col_") and hasattr(kind, "_fields_"):
            fields = [field for field, _ in kind._fields_ if not field.startswith("_")]
            for inner in getattr(kind, "_anonymous_", ()):
                fields += [field for field, _ in getattr(c, inner)._fields_]
            yield name, kind, fields


class Declarations(Case):
    def are_what_the_headers_say(self):
        run = subprocess.run([sys.executable, os.path.join(SOURCE, "python", "declare.py"), "check"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def have_the_sizes_and_offsets_of_the_compiler(self):
        rows = ['printf("%zu\\n", sizeof(' + name + "));" if field is None else
                f'printf("%zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));'
                for name, _, fields in _members() for field in [None, *fields]]
        headers = "".join(f"#include <collider/{name}.h>\n"
                          for name in ("episode", "shrink", "generate", "store"))
        with open(self.path("sizes.c"), "w", encoding="utf-8") as file:
            file.write("#include <stddef.h>\n#include <stdio.h>\n" + headers +
                       "int main(void) {\n" + "\n".join(rows) + "\nreturn 0;\n}\n")
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-w", "-I",
                        os.path.join(SOURCE, "include"), "-o", self.path("sizes"),
                        self.path("sizes.c")], check=True)
        said = subprocess.run([self.path("sizes")], capture_output=True, text=True,
                              check=True).stdout.split("\n")
        at = 0
        self.assertGreater(len(said), 300)
        for name, kind, fields in _members():
            self.assertEqual(int(said[at]), ctypes.sizeof(kind), name)
            at += 1
            for field in fields:
                where = getattr(kind, field)
                self.assertEqual(said[at], f"{where.offset} {where.size}", f"{name}.{field}")
                at += 1

    def are_all_there_and_no_function_is_missing(self):
        import re
        text = ""
        folder = os.path.join(SOURCE, "include", "collider")
        for name in ("problem", "program", "generate", "event", "check", "witness", "duv", "cover",
                     "engine", "episode", "shrink", "store"):
            with open(os.path.join(folder, name + ".h"), encoding="utf-8") as file:
                text += re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        declared = set(re.findall(r"COL_API [^;()]*?\b(col_\w+)\(", text))
        self.assertGreater(len(declared), 80)
        self.assertEqual(declared, set(c.FUNCTIONS))


class Frames(Case):
    """pandas is optional; a stand-in takes its place where it is not installed."""

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, frame, "_pandas", frame._pandas)
        self.addCleanup(setattr, frame, "_is_looked_for", frame._is_looked_for)
        frame._is_looked_for = True

    def are_lists_of_dictionaries_without_pandas(self):
        frame._pandas = None
        self.assertEqual(frame.table({"a": [1, 2], "b": ["x", None]}),
                         [{"a": 1, "b": "x"}, {"a": 2, "b": None}])
        self.assertEqual(frame.table({"a": [], "b": []}), [])
        with self.assertRaisesRegex(ImportError, "pandas"):
            frame.table({"a": []}, as_dicts=False)

    def are_data_frames_with_pandas(self):
        class StandIn:
            @staticmethod
            def array(values, dtype):
                return (dtype, values)

            @staticmethod
            def DataFrame(columns):
                return columns

        frame._pandas = StandIn
        made = frame.table({"a": [1, None], "b": [1 << 63, None], "c": [1, 2], "d": ["x", None],
                            "e": [None, None], "f": [True, None]})
        self.assertEqual(made, {"a": ("Int64", [1, None]), "b": ("UInt64", [1 << 63, None]),
                                "c": [1, 2], "d": ["x", None], "e": [None, None],
                                "f": [True, None]})
        self.assertEqual(frame.table({"a": [1]}, as_dicts=True), [{"a": 1}])

    def are_true_data_frames_where_pandas_is_installed(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame._pandas = pandas
        made = frame.table({"a": [1, None], "b": [0.5, None], "c": ["x", "y"]})
        self.assertEqual(list(made.columns), ["a", "b", "c"])
        self.assertEqual(str(made["a"].dtype), "Int64")
        self.assertEqual(made["a"].sum(), 1)


main()
