#!/bin/sh
# mygrad 2.5.0 with NumPy 2.4.6: while a NumPy array is part of a graph, the array itself is read-only,
# and writing to it raises an error; after backward() it can be written to. The gradient of a
# tensor becomes None when the tensor is next used in an operation, before any backward pass.
# The guess was that the array can be written to, and that a gradient stays.
#
# Seen:
#     before backward  assignment destination is read-only
#     after backward   written
#     x.grad           4.0, after z = x + 1 None
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 mygrad==2.5.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import mygrad
import numpy


def write(array):
    try:
        array[0] = 5
    except ValueError as error:
        return str(error)
    return "written"


array = numpy.array([1.0, 2.0])
x = mygrad.tensor([1.0, 2.0])
y = x * array
before = write(array)
y.sum().backward()
after = write(array)
print("before backward ", before)
print("after backward  ", after)
assert before == "assignment destination is read-only"
assert after == "written"

x = mygrad.tensor(2.0)
(x * x).backward()
kept = float(x.grad)
z = x + 1
print("x.grad          ", kept, "after z = x + 1", x.grad)
assert kept == 4.0
assert x.grad is None
END
