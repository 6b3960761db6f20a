#!/bin/sh
# nbgrader 0.9.6: the points of an automatically marked cell that raises no error are the maximum, unless the cell
# ends in an expression whose output reads as a number of 0 or more. That number is then the points. A check of 2
# points that ends in loss.item() gives 0.25 points where it shows 0.25. tensor(0.25), np.float64(0.25), True
# and -1.0 give both points, and 3.0 raises an error.
# The guess was full points for a cell without an error.
#
# Seen, for a check of 2 points:
#     no output 2.0   0.25 0.25   0.0 0.0   -1.0 2.0   True 2.0   tensor(0.25) 2.0   np.float64(0.25) 2.0
#     3.0  partial credit cannot be greater than maximum points for cell
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile nbgrader==0.9.6
cd "$folder"
"$folder/venv/bin/python" - <<'END'
from nbformat import v4
from nbgrader.utils import determine_grade


def points(shown):
    """Return the points of a check whose last line shows a text."""
    cell = v4.new_code_cell("check()")
    cell.metadata["nbgrader"] = {"grade": True, "solution": False, "locked": True, "task": False,
                                 "points": 2, "grade_id": "check", "schema_version": 3}
    if shown:
        cell.outputs = [v4.new_output("execute_result", {"text/plain": shown}, execution_count=1)]
    return determine_grade(cell)[0]


for shown, expected in [
    ("", 2.0), ("0.25", 0.25), ("0.0", 0.0), ("-1.0", 2.0), ("True", 2.0),
    ("tensor(0.25)", 2.0), ("np.float64(0.25)", 2.0),
]:
    print(f"{shown or 'no output':18}", points(shown))
    assert points(shown) == expected

try:
    points("3.0")
except ValueError as error:
    print("3.0               ", error)
else:
    raise AssertionError("3.0 raised nothing")
END
