"""Runs the command in tests: what it printed, what it returned. A test is a function named test_…, run by main()."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CORLISS = sys.argv[1]
DATA = pathlib.Path(sys.argv[2])


class Run:
    """One run of the command. `out` and `err` are bytes."""

    def __init__(self, *args, stdin=b"", env=None, pass_fds=()):
        self.args = args
        done = subprocess.run([CORLISS, *map(str, args)], input=stdin, capture_output=True, timeout=300,
                              env={**os.environ, **(env or {})}, pass_fds=pass_fds)
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def ok(self):
        assert self.code == 0, f"{self.args}: exit {self.code}: {self.err.decode()}"
        return self.out

    def json(self):
        return json.loads(self.ok())

    def fails(self, code, *words):
        """Exit `code`, nothing on standard output, one line on standard error that has every word."""
        assert self.code == code, f"{self.args}: exit {self.code}, not {code}: {self.err.decode()}"
        assert self.out == b"", f"{self.args}: printed {self.out[:80]!r}"
        text = self.err.decode()
        assert text.startswith("corliss: ") and text.count("\n") == 1 and text.endswith("\n"), f"not one line: {text!r}"
        for word in words:
            assert word in text, f"{self.args}: no {word!r} in {text!r}"


def main(tests):
    count = 0
    for name, test in sorted(tests.items()):
        if name.startswith("test_"):
            with tempfile.TemporaryDirectory() as folder:
                test(pathlib.Path(folder))
            print(f"passed {name}")
            count += 1
    sys.exit(0 if count else 1)
