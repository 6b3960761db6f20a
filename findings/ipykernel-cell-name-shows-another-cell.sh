#!/bin/sh
# ipykernel 7.4.0 with IPython 9.18.1: IPYKERNEL_CELL_NAME gives the cells of a kernel a file name, so that warnings read
# the same in every run. All cells get the same one, and the text kept under it is that of the cell that ran last. If
# a cell calls a function of an earlier cell and an error arises there, the traceback shows the right line number,
# with the number and the lines of the calling cell. Without the variable, it shows the function's cell.
# The guess was that only the name of the file changes.
#
# Seen, where cell 1 defines half() and cell 2 calls it:
#     unset:   Cell In[1], line 3, in half(x)  ---->  return 1 / (y - 1)
#     <cell>:  Cell In[2], line 3, in half(x)  ---->  c = 3
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile ipykernel==7.4.0 ipython==9.18.1 nbclient==0.11.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import os
import re

from nbclient import NotebookClient
from nbformat import v4

DEFINES = "def half(x):\n    y = x / 2\n    return 1 / (y - 1)"
CALLS = "a = 1\nb = 2\nc = 3\nhalf(2)"


def innermost(name):
    """Return the head and the marked line of the last frame in the traceback of cell 2."""
    notebook = v4.new_notebook(cells=[v4.new_code_cell(DEFINES), v4.new_code_cell(CALLS)])
    given = {key: value for key, value in os.environ.items() if key != "IPYKERNEL_CELL_NAME"}
    if name:
        given["IPYKERNEL_CELL_NAME"] = name
    NotebookClient(notebook, kernel_name="python3", allow_errors=True).execute(env=given)
    text = re.sub("\x1b\\[[0-9;]*m", "", "\n".join(notebook.cells[1].outputs[0].traceback))
    return re.findall(r"^Cell In.*$", text, re.MULTILINE)[-1], re.findall(r"^-+> \d+ +(.*)$", text, re.MULTILINE)[-1]


for name, expected in [("", ("Cell In[1], line 3, in half(x)", "return 1 / (y - 1)")),
                       ("<cell>", ("Cell In[2], line 3, in half(x)", "c = 3"))]:
    print(f"{name or 'unset':8}", *innermost(name), sep="  ")
    assert innermost(name) == expected
END
