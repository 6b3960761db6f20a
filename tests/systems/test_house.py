"""The code keeps the rules of the house, and each rule notices what breaks it."""
from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests import house
from tests.house import House

REAL = House()


@pytest.mark.parametrize("rule", House.RULES, ids=lambda rule: rule.__name__)
def test_rule(rule):
    assert rule(REAL) == []


def test_the_readme_shows_the_table_of_the_parts():
    """The figures may be of an older tree: `python -m tests.house --write` brings them up to date."""
    shown = house.table_in(house.PAGE.read_text(encoding="utf-8")).split("\n")
    assert form(shown) == form(REAL.table().split("\n")), "run: python -m tests.house --write"


def form(rows):
    """Return the cells of a table, with "a number" in place of each number."""
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    return [["a number" if cell[:1].isdigit() else cell for cell in row] for row in cells]


@pytest.mark.parametrize("program", [
    "import minigrad",
    "import minigrad; minigrad.nn; minigrad.optim; minigrad.utils",
    "import minigrad as t\n"
    "x = t.ones(1, requires_grad=True)\n"
    "y = (x * x).sum()\n"
    "y.backward()\n"
    "try: y.backward()\n"
    "except RuntimeError: pass\n"
    "else: raise AssertionError",
], ids=["import", "parts", "error"])
def test_nothing_is_loaded_before_it_is_used(program):
    """Neither the import nor the first error of a program loads pictures, the book or `more`."""
    program += ("\nimport sys\n"
                "apart = 'minigrad.viz', 'minigrad.book', 'minigrad.more.'\n"
                "print(*[name for name in sys.modules if name.startswith(apart)])")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         encoding="utf-8", cwd=house.ROOT, check=True,
                         env={**os.environ, "PYTHONPATH": str(house.ROOT)})
    assert run.stdout.split() == []


# --- each rule, on a package of a few lines --------------------------------------------

@pytest.fixture
def package(tmp_path):
    """Return a function that writes a package, from {place: text}, and returns its House."""
    def write(files):
        for place, text in {"__init__.py": "", **files}.items():
            path = tmp_path / "minigrad" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return House(tmp_path)
    return write


def complaints(made):
    """Return {rule: its complaints} of the rules that are broken."""
    found = {rule.__name__: rule(made) for rule in House.RULES}
    return {name: broken for name, broken in found.items() if broken}


ORDINARY = {
    "__init__.py": "from .tensor import Tensor\n",
    "errors.py": "from . import dtypes\n",
    "dtypes.py": '"""Types."""\nimport numpy\n\n\ndef size(x):\n    """Return it."""\n    return x\n',
    "tensor.py": "from .errors import dtypes\n\n\nclass Tensor:\n    pass\n",
    "more/__init__.py": "OPERATIONS = {}\n",
    "more/sorting.py": "from ..tensor import Tensor\n",
    "viz/draw.py": "import minigrad.tensor; from minigrad.book import nothing\n",
}


def test_an_ordinary_package_breaks_no_rule(package):
    made = package(ORDINARY)
    assert complaints(made) == {}
    assert made.warnings() == []


BROKEN = {
    "cycles": {"nested.py": "from . import creation\n", "creation.py": "from . import nested\n"},
    "modules_without_a_layer": {"helpers.py": ""},
    "imports_of_a_higher_layer": {"errors.py": "from .tensor import Tensor\n", "tensor.py": ""},
    "imports_of_what_stands_apart": {"tensor.py": "from .more.sorting import sort\n"},
    "imports_inside_functions": {"tensor.py": "def f():\n    from . import errors\n"},
    "late_imports": {"tensor.py": "class Tensor:\n    pass\n\nfrom . import errors\n"},
    "long_functions": {"tensor.py": "def f():\n" + "    x = 1\n" * 50},
    "long_lines": {"tensor.py": f"x = '{'-' * 84}'\n"},
    "packed_statements": {"tensor.py": "if len:\n    x = 1; y = 2\n"},
    "shadowed_builtins": {"tensor.py": "def sum(x):\n    return x\n"},
    "modules_at_the_top": {f"m{n}.py": "" for n in range(house.MODULES_AT_THE_TOP)},
    "parts_above_their_ceiling": {f"ops/m{n}.py": "#\n" * 275 for n in range(45)},
    "files_above_their_ceiling": {"tensor.py": "#\n" * 330},
    "dense_lines": {"tensor.py": f"x = '{'-' * 60}'\n"},
    "pictures_that_import_upwards": {"viz/graph/read.py": "from ..errors import explain\n"},
    "too_many_pictures": {f"viz/m{n}.py": "#\n" * house.LINES_OF_A_PICTURES_FILE
                          for n in range(house.PICTURES // house.LINES_OF_A_PICTURES_FILE + 1)},
    "long_files_of_pictures": {"viz/draw.py": "#\n" * (house.LINES_OF_A_PICTURES_FILE + 1)},
    "long_lines_of_pictures": {"viz/draw.py": f"x = '{'-' * 95}'\n"},
    "the_book_imports_upwards": {"book/classroom/notes.py": "from ..build import pages\n"},
    "files_of_one_name": {"viz/graph/errors.py": ""},
}


def test_each_rule_has_an_example():
    assert list(BROKEN) == [rule.__name__ for rule in House.RULES]


@pytest.mark.parametrize("rule", BROKEN)
def test_a_rule_notices_what_breaks_it(package, rule):
    files = {"__init__.py": ""} if rule == "dense_lines" else ORDINARY
    assert rule in complaints(package({**files, **BROKEN[rule]}))


@pytest.mark.parametrize("text", [
    "from . import viz\n", "from .book import check\n", "import minigrad.viz.explain\n",
    "from . import more\n", "def f():\n    import_module('.viz.explain', 'minigrad').offer()\n",
    "importlib.import_module(f'{package}.book')\n"])
def test_the_core_imports_nothing_that_stands_apart(package, text):
    found = complaints(package({**ORDINARY, "methods.py": text}))
    assert "imports_of_what_stands_apart" in found


@pytest.mark.parametrize("text, holds", [
    ("from ..graph import facts\n", True), ("from .names import find\n", True), ("import errors\n", True),
    ("from ..watching.here import here\n", False), ("import minigrad.viz.drawing.draw\n", False),
    ("def f():\n    from ..faults.why import why\n", False),
    ("def f():\n    import_module('..faults.why', __package__).why()\n", False)])
def test_a_room_of_the_pictures_imports_none_above_it(package, text, holds):
    found = complaints(package({**ORDINARY, "viz/program/lines.py": text}))
    assert ("pictures_that_import_upwards" not in found) is holds


def test_more_may_be_imported_by_a_computed_name(package):
    text = "from importlib import import_module\nfind = import_module(f'{__package__}.more')\n"
    assert complaints(package({**ORDINARY, "methods.py": text})) == {}


@pytest.mark.parametrize("text", ["from .a import abs\n", "import numpy as round\n", "max = 1\n",
                                  "for min in 1, 2:\n    pass\n", "a, (sum, b) = 1, (2, 3)\n"])
def test_shadowed_builtins_are_found(package, text):
    assert "shadowed_builtins" in complaints(package({**ORDINARY, "tensor.py": text}))


def test_docstrings_comments_and_blank_lines_are_no_code(package):
    text = '"""One.\n\nTwo."""\n\n# a comment\nx = """a\nb"""     # c\n\n\ndef f():\n    "Three."\n'
    size = package({"tensor.py": text}).modules["minigrad.tensor"].size
    assert size == (1, 11, 3, len('x = """a') + len('b"""     # c') + len("def f():"))


# --- ceilings leave room -----------------------------------------------------------------

@pytest.mark.parametrize(("lines", "warned", "failed"), [
    (94, False, False), (95, True, False), (100, True, False), (109, True, False),
    (110, True, True)])
@pytest.mark.parametrize(("part", "folder"), [("core in all", "ops"), ("more", "more")])
def test_a_ceiling_warns_at_95_and_fails_at_110_percent(
        package, monkeypatch, capsys, part, folder, lines, warned, failed):
    monkeypatch.setitem(house.CEILINGS, part, 100)
    files = {f"{folder}/large.py": "#\n" * (lines - 40), f"{folder}/dense.py": "x = [1, 2]\n" * 40}
    made = package(files)
    assert made.sizes[part].lines == lines
    status = house.main([], made)
    shown = capsys.readouterr().out
    assert status == failed
    assert ("warning: " in shown) == (warned and not failed)
    assert ("broken: parts above" in shown) == failed
    if warned:
        assert f"{part}: {lines} lines, {'at most' if failed else f'{lines}% of'} 100" in shown
        assert f"in lines: minigrad/{folder}/large.py ({lines - 40})" in shown
        assert f"per line of code: minigrad/{folder}/dense.py (10.0)" in shown


def test_the_warning_for_dense_lines_comes_before_the_failure(package, capsys):
    for columns, status, warned in (44, 0, False), (45, 0, True), (46, 1, False):
        assert house.main([], package({"tensor.py": f"x = '{'-' * (columns - 6)}'\n"})) == status
        assert ("warning: core in all: 45.0" in capsys.readouterr().out) == warned


def test_a_long_file_is_warned_of_before_it_fails(package, capsys):
    assert house.main([], package({"tensor.py": "#\n" * 300})) == 0
    assert "warning: minigrad/tensor.py: 300 lines, 100% of 300" in capsys.readouterr().out


def test_the_table_is_written_into_a_page(package, tmp_path):
    made = package(ORDINARY)
    page = tmp_path / "CONTRIBUTING.md"
    page.write_text(f"before\n\n{house.TABLE_HEAD}\n|---|\n| old | 1 |\n\nafter\n", encoding="utf-8")
    house.write_table(made, page)
    assert page.read_text(encoding="utf-8") == f"before\n\n{made.table()}\n\nafter\n"
    house.write_table(made, page)
    assert page.read_text(encoding="utf-8") == f"before\n\n{made.table()}\n\nafter\n"
