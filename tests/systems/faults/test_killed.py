"""A kernel, a command or the set-up is killed: nothing is lost, nothing is half-written, and it can go on."""
import json
import os
import shutil
import time

import pytest

from minigrad.book.build import run_chapters as run_module
from tests import ROOT

from . import can_kill, kill, run, slow, start

CHAPTER = run_module.NOTEBOOKS / "00_before_you_start.ipynb"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("work, most", [
    ("progress", 100), *(pytest.param(work, 24, marks=slow) for work in ("save", "run", "copy", "build"))])
def test_a_killed_process_leaves_whole_files(tmp_path, work, most):
    done = run("-m", f"{__package__}.killed", work, str(tmp_path), str(most), cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["kills"] >= (7 if work == "save" else 18)


ANSWERS = """
import itertools
from minigrad.book import *
from minigrad.book.classroom.progress import progress
for at in itertools.count():
    progress.change("attempts", f"6{at}", tries=at)
    print(at, flush=True)
"""
GOES_ON = """
predict("6.1", "A", "certain")
reveal("6.1")
"""


@can_kill
@slow
def test_a_kernel_killed_in_a_chapter_loses_no_answer(tmp_path):
    pytest.importorskip("jupyter_client")
    from jupyter_client.manager import start_new_kernel
    shutil.copy(CHAPTER, tmp_path)
    progress = tmp_path / "progress.json"
    for kills in range(1, 6):
        said = 0
        manager, client = start_new_kernel(cwd=str(tmp_path), env={
            **os.environ, "PYTHONPATH": str(ROOT), "MINIGRAD_PROGRESS": str(progress)})
        try:
            client.execute(ANSWERS)
            while said < 17 * kills:
                message = client.get_iopub_msg(timeout=60)
                assert message["msg_type"] != "error", message["content"]
                if message["msg_type"] == "stream":
                    said = int((message["content"]["text"].split() or [said])[-1])
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)  # by SIGKILL
        stored = json.loads(progress.read_text(encoding="utf-8"))["attempts"]
        assert {f"6{at}" for at in range(said + 1)} <= stored.keys()
    manager, client = start_new_kernel(cwd=str(tmp_path), env={
        **os.environ, "PYTHONPATH": str(ROOT), "MINIGRAD_PROGRESS": str(progress)})
    try:
        reply = client.execute_interactive("from minigrad.book import *" + GOES_ON, timeout=60)
        assert reply["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    after = json.loads(progress.read_text(encoding="utf-8"))
    assert after["predictions"]["6.1"]["revealed"] and stored.items() <= after["attempts"].items()
    assert sorted(path.name for path in tmp_path.iterdir()) == [CHAPTER.name, "progress.json"]
    assert CHAPTER.read_bytes() == (tmp_path / CHAPTER.name).read_bytes()


@can_kill
@slow
def test_a_run_killed_while_its_kernel_works_leaves_the_chapter(tmp_path):
    program = "import pathlib, sys; from minigrad.book import run; run.run(pathlib.Path(sys.argv[1]))"
    path = tmp_path / CHAPTER.name
    for seconds in (1, 2, 3):
        shutil.copy(CHAPTER, path)
        process = start("-c", program, str(path))
        time.sleep(seconds)
        kill(process)
        json.loads(path.read_text(encoding="utf-8"))
    assert run("-c", program, str(path)).returncode == 0
    assert path.read_text(encoding="utf-8") == CHAPTER.read_text(encoding="utf-8")


SAVES = """
import itertools, os, signal, sys, time
from jupyter_server.services.contents.largefilemanager import LargeFileManager
folder, name = sys.argv[1:]
manager = LargeFileManager(root_dir=folder)
half = 0
for kill in range(40):
    model = manager.get(name)  # a whole notebook, or an error
    assert len(model["content"]["cells"]) > 9
    if not (child := os.fork()):
        for at in itertools.count():
            model["content"]["cells"][0]["source"] = f"{at} " + "x" * 3_000_000
            manager.save(model, name)
    time.sleep(0.1 + 0.007 * kill)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    half += os.path.getsize(os.path.join(folder, name)) < 3_000_000
print(half)
"""


@can_kill
@slow
def test_a_jupyterlab_killed_while_it_saves_has_the_notebook_again(tmp_path):
    """Jupyter writes in place, with a copy beside it, which it takes when it opens half a notebook."""
    pytest.importorskip("jupyter_server")
    shutil.copy(CHAPTER, tmp_path)
    done = run("-c", SAVES, str(tmp_path), CHAPTER.name, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    print(f"{done.stdout.strip()} of 40 were half-written on the disk")


VENV = "import os, sys; os.makedirs('.venv/bin', exist_ok=True); os.path.lexists('.venv/bin/python') or " \
       "os.symlink(sys.executable, '.venv/bin/python')"
PIP = "import os, time; open('.venv/half', 'w').close(); " \
      "os.path.exists('hurry') or time.sleep(60); os.rename('.venv/half', '.venv/whole')"


@can_kill
def test_a_set_up_that_was_killed_begins_again(tmp_path):
    """pip and venv are a line each; the rest is start.py's own. systems/test_start.py has its other ends."""
    for name in ("start.py", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "minigrad/book/classroom").mkdir(parents=True)
    shutil.copy(ROOT / "minigrad/book/classroom/page.css", tmp_path / "minigrad/book/classroom")
    (tmp_path / "venv.py").write_text(VENV, encoding="utf-8")
    (tmp_path / "pip.py").write_text(PIP, encoding="utf-8")
    process = start("start.py", "--set-up", cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not (tmp_path / ".venv/half").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    kill(process)
    assert (tmp_path / ".venv/half").exists() and not (tmp_path / ".venv/set-up.json").exists()
    (tmp_path / "hurry").touch()
    done = run("start.py", "--set-up", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / ".venv/whole").exists() and (tmp_path / ".venv/set-up.json").exists()
