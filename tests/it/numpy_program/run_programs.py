"""Runs Python programs one after another in one process.

    python run_programs.py LIST

LIST is a JSON file: a list of objects with the program's path, its arguments, and the path of the file that takes what
it prints. A program that fails ends the run with its traceback.
"""

import contextlib
import json
import runpy
import sys

with open(sys.argv[1]) as file:
    programs = json.load(file)
for program in programs:
    sys.argv = [program["path"], *program["arguments"]]
    with open(program["output"], "w") as output, contextlib.redirect_stdout(output):
        runpy.run_path(program["path"], run_name="__main__")
