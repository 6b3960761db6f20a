#!/bin/sh
# nbval 0.11.0 with ipykernel 7.4.0: in Jupyter, `1 + 1;` shows no value, and a notebook that is executed
# and stored has no output there. nbval runs the cell without storing it in the history, which is where
# ipykernel looks for the semicolon; so the value is shown, and the cell fails.
# The guess was that a notebook passes right after it was executed.
#
# Seen:
#     x = 1;  passes
#     1 + 1;  Unexpected output fields from running code: {'text/plain'}
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


status, report, notebook = run("assignment.ipynb", "x = 1;")
print("x = 1; ", report.splitlines()[-1])
assert status == 0

status, report, notebook = run("value.ipynb", "1 + 1;")
reason = next(line for line in report.splitlines() if "Unexpected output" in line)
print("1 + 1; ", reason)
assert status == 1
assert notebook.cells[0].outputs == []
assert "text/plain" in reason
END
