"""CONTRIBUTING.md is followed to the letter: its operation is added to a copy of the repository."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = PAGE.split("## Add an operation in ten minutes\n")[1].split("\n## ")[0]
BLOCKS = re.findall(r"```(?:python)?\n(.*?)```", SECTION, re.DOTALL)
NO_MORE = not (ROOT / "minigrad" / "more").exists()


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a copy of the repository in which the steps of the page were done."""
    folder = tmp_path_factory.mktemp("contributing") / "minigrad"
    ignored = shutil.ignore_patterns("__pycache__", ".venv", ".git", "notebooks", "build", "my_*")
    shutil.copytree(ROOT, folder, ignore=ignored)
    declaration, row, _, rows = BLOCKS
    file = re.search(r"Write `(minigrad/more/\w+\.py)`:", SECTION).group(1)
    (folder / file).write_text(declaration, encoding="utf-8")
    replace(folder / "minigrad/more/__init__.py", "OPERATIONS = {\n", f"OPERATIONS = {{\n{row}")
    absent = folder / "minigrad/more/absent.py"
    if absent.exists():
        text = absent.read_text(encoding="utf-8")
        absent.write_text(re.sub(r"\blogaddexp\b", "", text), encoding="utf-8")
    replace(folder / "tests/helpers/vocabulary.py", 'CHOICES = "', 'CHOICES = "logaddexp ')
    replace(folder / "tests/op_samples/rows.py", "    # arithmetic\n", f"    # arithmetic\n{rows}")
    return folder


def replace(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} has no {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def run(folder, *arguments):
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True,
                          encoding="utf-8", env={**os.environ, "PYTHONPATH": str(folder)})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.skipif(NO_MORE, reason="there is no minigrad/more")
def test_the_formulas_of_the_page_are_right(copy):
    program = re.sub(r"^(torch\..*)$", r"print(\1)", BLOCKS[2], flags=re.MULTILINE)
    assert run(copy, "-c", program).split() == ["True", "True"]


@pytest.mark.skipif(NO_MORE, reason="there is no minigrad/more")
def test_the_tests_pass_after_the_steps_of_the_page(copy):
    files = "vocabulary more stubs house"
    if find_spec("torch"):
        run(copy, "-m", "tests.op_samples")
        files += " operations"
    written = run(copy, "-m", "tests.write")
    assert "docs/vocabulary.md" in written.replace(os.sep, "/")
    assert "minigrad/tensor.pyi" in written.replace(os.sep, "/")
    paths = [str(path.relative_to(copy)) for name in files.split()
             for path in (copy / "tests").rglob(f"test_{name}.py")]
    assert len(paths) == len(files.split())
    run(copy, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", "not mypy and not jedi", *paths)
