# SPDX-License-Identifier: MIT
"""What the tests of the Python package share. A test is a method named after the fact it checks."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
COMMAND = os.environ["COLLIDER_COMMAND"]
DATA = os.path.join(SOURCE, "tests", "data")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="collider-python-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def command(self, *words, status=0):
        """What the command prints: the oracle of many tests."""
        run = subprocess.run([COMMAND, *words], capture_output=True, text=True, cwd=self.folder,
                             check=False)
        self.assertEqual(run.returncode, status, run.stderr)
        return run.stdout

    def command_json(self, *words, status=0):
        return json.loads(self.command(*words, "--json", "-", status=status))


class _Loader(unittest.TestLoader):
    def getTestCaseNames(self, case):
        return sorted(name for name, what in vars(case).items()
                      if callable(what) and not name.startswith("_") and name != "setUp")


def main():
    module = sys.modules["__main__"]
    suite = unittest.TestSuite()
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Case) and value is not Case:
            suite.addTests(_Loader().loadTestsFromTestCase(value))
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)
