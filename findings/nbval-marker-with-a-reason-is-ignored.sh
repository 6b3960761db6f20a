#!/bin/sh
# nbval 0.11.0: the comment `# NBVAL_IGNORE_OUTPUT` makes nbval ignore the output of a cell. It is found on
# any line of its own. With a reason behind it, or behind code on the same line, it is an ordinary comment:
# nbval compares the output, and gives no warning.
# The guess was that all four forms are obeyed.
#
# Seen, for a cell that prints the time:
#     on a line of its own        passes
#     indented, in an if          passes
#     followed by ": the time"    fails
#     behind code                 fails
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile nbval==0.11.0 pytest==9.2.0 ipykernel==7.4.0 nbconvert==7.17.2
cd "$folder"
"$folder/venv/bin/python" - <<'END'
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


for name, cell, status in [
    ("own line", "# NBVAL_IGNORE_OUTPUT\nimport time\nprint(time.perf_counter())", 0),
    ("indented", "import time\nif True:\n    # NBVAL_IGNORE_OUTPUT\n    print(time.perf_counter())", 0),
    ("reason", "# NBVAL_IGNORE_OUTPUT: the time\nimport time\nprint(time.perf_counter())", 1),
    ("behind code", "import time\nprint(time.perf_counter())  # NBVAL_IGNORE_OUTPUT", 1),
]:
    found, report, _ = run(name.replace(" ", "_") + ".ipynb", cell)
    print(f"{name:12}", "passes" if found == 0 else "fails")
    assert found == status
END
