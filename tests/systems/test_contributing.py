"""CONTRIBUTING.md is followed to the letter: in a copy of the repository its operation is added, its sentence
fixed and its question asked."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path

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
    everywhere = shutil.ignore_patterns("*.pyc.*", ".venv", ".nox", ".git", "my_*")
    shutil.copytree(ROOT, folder, ignore=lambda place, names: {
        *everywhere(place, names), *(("build",) if Path(place) == ROOT else ())})
    declaration, row, _, rows = BLOCKS
    file = re.search(r"Write `(minigrad/more/\w+\.py)`:", SECTION).group(1)
    (folder / file).write_text(declaration, encoding="utf-8")
    replace(folder / "minigrad/more/__init__.py", "OPERATIONS = {\n", f"OPERATIONS = {{\n{row}")
    replace(folder / "minigrad/more/__init__.py", " logaddexp ", " ")
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


# --- a chapter ---------------------------------------------------------------------------------

CHAPTER = PAGE.split("\n## Add or change a chapter\n")[1].split("\n## ")[0]
TEXT = re.search(r"notebooks/text/06\w+\.md", CHAPTER)[0]


@pytest.fixture
def book(tmp_path):
    """Return a copy of what the commands of the book read and write."""
    folder = tmp_path / "minigrad"
    for name in "minigrad", "notebooks/text":
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    (folder / "docs").mkdir()
    notebook = TEXT.replace("text/", "").replace(".md", ".ipynb")
    for name in "README.md", "TEACHERS.md", "docs/notes.md", notebook:
        shutil.copy(ROOT / name, folder / name)
    return folder


def block(heading, fence):
    """Return the block of a step, without its indent."""
    part = CHAPTER.split(f"### {heading}\n")[1].split("\n### ")[0]
    found = re.search(rf"^ *{fence}\w*\n(.*?)^ *{fence}$", part, re.DOTALL | re.MULTILINE)
    return textwrap.dedent(found[1])


def check(folder):
    """Return what the command finds in chapter 6, without its advice."""
    done = subprocess.run([sys.executable, "-m", "minigrad.book", "check", "6"], cwd=folder, text=True,
                          capture_output=True, encoding="utf-8",
                          env={**os.environ, "PYTHONPATH": with_path(folder), "PYTHONIOENCODING": "utf-8"})
    assert not done.stderr, done.stderr
    return "".join(line for line in done.stdout.splitlines(keepends=True) if ": advice: " not in line)


def with_path(folder):
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))


def changed(folder):
    """Return what differs from the repository."""
    files = [path.relative_to(folder) for path in folder.rglob("*")
             if path.is_file() and "__pycache__" not in path.parts]
    return {path.as_posix() for path in files if (folder / path).read_bytes() != (ROOT / path).read_bytes()}


def test_a_sentence_is_fixed_as_the_page_says(book):
    shown = block("Fix a sentence", "```")
    replace(book / TEXT, "So the node stores `b`.", "So the node saves its result.")
    line = (book / TEXT).read_text(encoding="utf-8").partition("So the node saves")[0].count("\n") + 1
    assert check(book) == re.sub(r"(?<=\.md:)\d+", str(line), shown)
    assert changed(book) == {TEXT}


def test_a_question_is_added_as_the_page_says(book):
    replace(book / "minigrad/book/content/chapters/ch06.py", "\n)\n\nNOTES",
            f"\n{textwrap.indent(block('Add a question', '```'), '    ')})\n\nNOTES")
    said = check(book)
    assert "ch06.py" in said and 'question 6.4 has no predict cell: add a cell with the tags' in said
    replace(book / TEXT, "\n## Recap\n", "\n" + block("Add a question", "````") + "\n## Recap\n")
    assert "the text is newer: python -m minigrad.book run 06_" in check(book)
    environment = {**os.environ, "PYTHONPATH": with_path(book)}
    subprocess.run([sys.executable, "-m", "minigrad.book", "run", "6"], cwd=book, check=True, env=environment)
    assert check(book).endswith("nothing to change\n")
    assert changed(book) == {TEXT, "minigrad/book/content/chapters/ch06.py",
                             TEXT.replace("text/", "").replace(".md", ".ipynb")}
