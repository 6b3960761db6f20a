"""What differs on Windows and macOS, imitated here; docs/systems.md lists it."""
from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from minigrad.book.build import own_copies, pages
from minigrad.book.build.plan import build
from minigrad.book.classroom import files
from tests import ROOT
from tests.helpers.read_only import a_read_only_folder

SOURCES = [path for folder in ("minigrad", "tests", ".ci", "benchmarks", "pictures")
           for path in sorted((ROOT / folder).rglob("*.py")) if "conformance" not in path.parts]
SOURCES += [ROOT / "start.py", ROOT / "conftest.py"]
PRODUCT = [path for path in SOURCES if path.is_relative_to(ROOT / "minigrad") or path.parent == ROOT]
LONGEST = 120  # Windows stops at 259 characters, and a clone may be in a deep folder
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
OPENING = ("open(", "read_text(", "write_text(")
POSIX_MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "pty"}
POSIX_NAMES = {*"chown fork getegid geteuid getgid getuid killpg mkfifo setegid seteuid setitimer".split(),
               *"setsid statvfs tzset SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGQUIT SIGSTOP SIGUSR1".split()}


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    if done.returncode or not done.stdout:
        pytest.skip("this is no clone")
    return done.stdout


def nodes(paths, words):
    """Yield (path, node) for the sources that hold one of the words."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield from ((path, node) for node in ast.walk(ast.parse(text)))


def place(path, node):
    return f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"


# --- names of files ----------------------------------------------------------------------------------------

def misfits(names):
    """Return the names that some system refuses, or takes for another one."""
    folded = Counter(name.casefold() for name in names)
    return [name for name in names if folded[name.casefold()] > 1 or len(name) > LONGEST
            or not re.fullmatch(r"[\w.,()+@ /-]+", name, re.ASCII)
            or any(RESERVED.fullmatch(part) or part[-1] in ". " for part in name.split("/"))]


def test_the_check_of_names_finds_what_it_should():
    bad = ["a/B.txt", "A/b.txt", "x/aux.py", "NUL", "a:b", "what?", "dot.", "x" * 121, "caf\u00e9"]
    assert misfits([*bad, "fine.py", ".ci/run"]) == bad


def test_every_system_takes_the_names_of_the_repository():
    rows = [row.split(None, 3) for row in git("ls-files", "-s", "-z").split("\0") if row]
    assert not misfits([name for *_, name in rows])
    assert {(mode, name) for mode, _, _, name in rows if mode != "100644"} <= {("100755", ".ci/run")}


def test_a_clone_is_small():
    rows = [row.split(None, 4) for row in git("ls-tree", "-r", "-l", "-z", "HEAD").split("\0") if row]
    assert not [name for *_, size, name in rows if int(size) > 1_000_000]


def test_every_system_takes_the_names_of_what_is_built(tmp_path):
    made = build(["6"], "student,nbgrader", tmp_path, tell=lambda line: None)
    assert made
    assert not misfits([path.relative_to(tmp_path).as_posix() for path in made])


def test_a_checkout_on_windows_has_our_line_ends():
    rows = git("ls-files", "--eol").splitlines()
    binary = [row for row in rows if row.split()[0] in ("i/-text", "i/none")]
    assert not [row for row in rows if row not in binary and "eol=lf" not in row]


def test_a_chapter_with_the_line_ends_of_windows_is_the_same(tmp_path, monkeypatch):
    before = own_copies.as_text(own_copies.student(pages.load(3)))
    text = pages.file_of(3).read_bytes()
    (tmp_path / pages.file_of(3).name).write_bytes(text.replace(b"\n", b"\r\n"))
    monkeypatch.setattr(pages, "file_of", lambda number: next(tmp_path.iterdir()))
    assert own_copies.as_text(own_copies.student(pages.load(3))) == before


def test_a_copy_whose_name_differs_in_case_alone_stays(tmp_path, monkeypatch):
    mine = tmp_path / "00_BEFORE_you_start.ipynb"
    mine.write_text("mine", encoding="utf-8")
    monkeypatch.setattr(Path, "exists", lambda path: path.name.casefold() in {
        name.casefold() for name in os.listdir(path.parent)})
    made = [path.name for path in own_copies.copy_chapters(tmp_path)]
    assert "00_before_you_start.ipynb" not in made and "01_nudge_it.ipynb" in made
    assert mine.read_text(encoding="utf-8") == "mine"


def test_a_file_that_another_program_has_open_is_waited_for(tmp_path, monkeypatch):
    refusals = [PermissionError(13, "[WinError 32]")] * 2

    def replace(*paths):
        if refusals:
            raise refusals.pop()
        os.replace(*paths)
    monkeypatch.setattr(files, "os", SimpleNamespace(**{**vars(os), "name": "nt", "replace": replace}))
    monkeypatch.setattr(files, "fcntl", None)
    with files.held(tmp_path / "own.json") as write:
        write("mine")
    assert not refusals and [path.name for path in tmp_path.iterdir()] == ["own.json"]


# --- what the sources ask of a system ----------------------------------------------------------------------

def test_the_page_names_tests_and_files_that_there_are():
    page = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
    tests = set().union(*(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
                          for path in SOURCES if path.is_relative_to(ROOT / "tests")))
    named = re.findall(r"`(test_\w+(?:\.\.\.)?)`", page)
    files_named = re.findall(r"`((?:\w+/)*\w+\.py)`", page)
    assert len(named) > 10 and len(files_named) > 8
    assert not [name for name in named if not any(
        test.startswith(name[:-3]) if name.endswith("...") else test == name for test in tests)]
    assert not [name for name in files_named if not any(
        path.as_posix().endswith("/" + name) for path in SOURCES)]


def test_every_text_file_is_opened_with_an_encoding():
    """Without one, Windows reads and writes cp1252."""
    found = []
    for path, node in nodes(SOURCES, OPENING):
        called = isinstance(node, ast.Call) and (getattr(node.func, "attr", None) or ast.unparse(node.func))
        if called in ("read_text", "write_text") or called == "open" and isinstance(node.func, ast.Name):
            given = [ast.unparse(one) for one in (*node.args, *(word.value for word in node.keywords))]
            if not any(re.fullmatch("'utf-8'|'[rwxa+]*b[+]*'", one) for one in given):
                found.append(place(path, node))
    assert not found


def test_what_windows_lacks_is_tried_first():
    """In the package and in start.py; getattr(os, "geteuid", ...) is another way."""
    found, tried = [], set()
    for path, node in nodes(PRODUCT, POSIX_MODULES | POSIX_NAMES):
        if isinstance(node, ast.Try):
            tried.update(one for statement in node.body for one in ast.walk(statement))
        names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
        names |= {node.module} if isinstance(node, ast.ImportFrom) else set()
        used = {node.attr} & POSIX_NAMES if isinstance(node, ast.Attribute) else set()
        if node not in tried and (names & POSIX_MODULES or used):
            found.append(place(path, node))
    assert not found


# --- a process that finds what it would find there ---------------------------------------------------------

WINDOWS = f"""
import os, signal, sys
for name in {sorted(POSIX_MODULES)}:
    sys.modules[name] = None
for name in {sorted(POSIX_NAMES)}:
    for module in (os, signal):
        if hasattr(module, name):
            delattr(module, name)
def symlink(*args, **kwargs):
    raise OSError("[WinError 1314] A required privilege is not held by the client")
os.symlink = symlink
"""
EVERYDAY = """
from pathlib import Path
import minigrad as torch
from minigrad.book import predict, reveal
from minigrad.viz import draw, play
for question in ("6.1", "6.2"):
    predict(question, "A", "certain")
    reveal(question)
from minigrad.book.__main__ import main
own = Path("Łódź, my chapters")
print(main(["copy", str(own)]), len(list(own.iterdir())))
print(main(["report", ".", "--html", str(own / "Größe.html")]))
x = torch.tensor([1.0, 2.0], requires_grad=True)
größe = (x * 2).sum()
for ending in ("txt", "dot", "html", "svg"):
    draw(größe).save(own / f"größe.{ending}")
play(größe).save(own / "play.html")
print(draw(größe))
assert "größe" in (own / "größe.txt").read_text(encoding="utf-8")
print("all of it")
"""
READING = """
import minigrad as torch
from minigrad.book import predict
from minigrad.viz import draw
x = torch.tensor([1.0, 2.0], requires_grad=True)
predict("6.1", "A", "certain")
print(len(draw((x * 2).sum()).svg) > 1000)
"""


def ran(words, folder, encoding):
    """Run Python in a folder; a file that is opened without an encoding is an error."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding, "HOME": str(folder),
                   "MINIGRAD_BOOK": "text", "MINIGRAD_PROGRESS": "progress.json"}
    command = [sys.executable, "-B", "-X", "warn_default_encoding", "-W", "error::EncodingWarning", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding=encoding)


def test_everyday_work_as_on_windows(tmp_path):
    folder = tmp_path / "Ärger mit Leerzeichen Łódź"
    folder.mkdir()
    (folder / "everyday.py").write_text(WINDOWS + EVERYDAY, encoding="utf-8")
    done = ran(["everyday.py"], folder, "cp1252")
    assert done.returncode == 0 and done.stdout.endswith("all of it\n"), done.stdout + done.stderr
    assert "1 learner" in done.stdout and "größe" in done.stdout and not done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no read-only folders")
def test_a_home_that_nobody_may_write_to():
    with a_read_only_folder() as folder:
        if not all(os.access(path, os.R_OK, effective_ids=True) for path in (os.__file__, ROOT / "start.py")):
            pytest.skip("this Python, or this clone, is only for root")
        done = ran(["-c", READING], folder, "utf-8")
    assert done.stdout.endswith("True\n"), done.stdout + done.stderr
    assert "Your answers can't be stored (Permission denied)" in " ".join(done.stdout.split())
    assert done.returncode == 0
