"""The disk is full: a clear message, what was there before is still there, and nothing half-made is left."""
import contextlib
import os
import re
import shutil
import subprocess

import pytest

import minigrad as torch
from tests import ROOT

from . import run, slow

WORK = """
import os, sys
import minigrad as torch
from minigrad.book import predict
from minigrad.book.__main__ import main
work, folder, limit = sys.argv[1:]
os.environ["MINIGRAD_PROGRESS"] = os.path.join(folder, "progress.json")
if limit:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
if work == "progress":
    predict("6.2", "B", "certain")
elif work == "save":
    torch.save(torch.ones(9999), os.path.join(folder, "model.pt"))
else:
    words = {"copy": ["copy", folder], "build": ["build", "6", "--only", "student", "--to", folder]}
    sys.exit(main(words[work]))
"""
SAYS = {
    "progress": r"progress\.json: Your answers can't be stored \({}\); they are kept until the kernel stops",
    "copy": r"minigrad\.book: 01_nudge_it\.ipynb can't be written into .*: {}\. The files that are there are",
    "build": r"minigrad\.book: a file can't be used: {}",
    "save": r"OSError: \[Errno \d+\] {}",
}
BEFORE = {"progress": {"progress.json": '{"predictions": {"6.1": {"choice": "A", "confidence": "certain"}}}'},
          "copy": {"00_before_you_start.ipynb": "mine"}, "build": {"student/old.ipynb": "old"},
          "save": {"model.pt": "old"}}


def files_in(folder):
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
            for path in folder.rglob("*") if path.is_file()}


def fill(folder, before):
    for name, text in before.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def full_disk(tmp_path):
    """A folder with a file system of its own, of 300 kB."""
    mounted = tmp_path / "disk"
    mounted.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(mounted)]
    if getattr(os, "geteuid", lambda: 1)() != 0 or shutil.which("mount") is None \
            or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can make a small disk, and not everywhere")
    yield mounted
    subprocess.run(["umount", str(mounted)], check=True)


def says(work, done, words):
    said = " ".join((done.stdout + done.stderr).split())
    assert re.search(SAYS[work].format(words), said), said


@pytest.mark.skipif(os.name == "nt", reason="no limit to a file's size can be set there")
@pytest.mark.parametrize("work", [pytest.param("build", marks=slow), "save"])
def test_a_limit_to_the_size_of_a_file(tmp_path, work):
    """For the progress and the copies: tests/book/test_questions.py, tests/systems/test_start.py."""
    fill(tmp_path, BEFORE[work])
    done = run("-c", WORK, work, str(tmp_path), "10000", cwd=ROOT)
    says(work, done, "File too large")
    assert files_in(tmp_path) == BEFORE[work]


@slow
@pytest.mark.parametrize("work", SAYS)
def test_a_small_disk(full_disk, work):
    fill(full_disk, BEFORE[work])
    filler = full_disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    done = run("-c", WORK, work, str(full_disk), "", cwd=ROOT)
    says(work, done, "No space left on device")
    filler.unlink()
    assert files_in(full_disk) == BEFORE[work]


def test_a_missing_folder_is_named_as_pytorch_names_it(tmp_path):
    with pytest.raises(RuntimeError, match=r"^Parent directory .*nowhere does not exist\.$"):
        torch.save([1], tmp_path / "nowhere" / "model.pt")
    torch.save([1], os.devnull)
