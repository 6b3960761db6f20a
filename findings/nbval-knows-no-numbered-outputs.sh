#!/bin/sh
# nbval 0.11.0 with ipykernel 7.4.0: a cell that uses Out[2] or _2 works in Jupyter and in nbconvert, and raises
# a KeyError under nbval, which runs every cell as number 1. The names _ and __ work.
# The guess was that all of them work, since a kernel runs the cells in both cases.
#
# Seen:
#     _ * 2    passes
#     Out[2]   KeyError ...
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile nbval==0.11.0 pytest==9.2.0 ipykernel==7.4.0 nbconvert==7.17.2
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import re
import subprocess
import sys

from nbclient import NotebookClient
from nbformat import v4, write


def run(name, *cells):
    """Execute a notebook, store it, test it with nbval, and return the status and the report."""
    notebook = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, kernel_name="python3").execute()
    write(notebook, name)
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q", "--color=no", name]
    tested = subprocess.run(command, capture_output=True, text=True)
    return tested.returncode, tested.stdout, notebook


status, report, notebook = run("last.ipynb", "1 + 1", "_ * 2")
print("_ * 2  ", report.splitlines()[-1])
assert status == 0

status, report, notebook = run("numbered.ipynb", "1 + 1", "40 + 2", "Out[2]")
plain = re.sub(r"\x1b\[\d*m", "", report)       # IPython colours its tracebacks
print("Out[2] ", next(line for line in plain.splitlines() if line.startswith("KeyError")))
assert status == 1
assert notebook.cells[2].outputs[0].data["text/plain"] == "42"
END
